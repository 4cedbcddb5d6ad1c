/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ledger.c - energy balance of a step
 *   1/2 nu' M nu - 1/2 nu0' M nu0 = 1/2 (nu0 + nu)' sum of impulses            (M of the start pose: an identity)
 * Each impulse does work at its mean velocity. At a contact with a kinematic body, the work on the dynamic body has two parts: at the
 * relative velocity (impact and friction), and at the velocity of the driven body. A surface that moves along itself
 * (stage/control/belt.h) counts as driven. The free rotation afterwards conserves energy to rounding. A correction of joints then acts on
 * the inertia of the end, and may rotate it a little. The effect of both is computed from the inertias, independent of the impulses.
 *
 * Potentials. Forces f = -dV/dq enter by -dV of the poses, not by the work of their kicks. The difference of the two, D = work + dV, is the
 * energy error of the stepper's rule. For a kick at the start and a motion with the velocity after it, with S(q, nu, h) = h/2 f(q).nu and a
 * substep of length h after one of length h0,
 *   sampling = -(S(q+, nu+, h) - S(q, nu, h0))      it telescopes: the rule conserves E + S
 *   drift    = D - sampling                         0 for gravity and linear springs in substeps of equal length, otherwise O(h^3)
 * For half kicks velocities and poses belong to the same time: sampling = 0, drift = D. For gravity, D is computed from the velocities that
 * moved the bodies, not from the poses, so the remainder checks the motion too. */
#include "model/armature.h"
#include "problem/rows.h"
#include "stage/frame.h"
#include "stage/certify/certify.h"

double pp_mean_velocity(const pp_frame *f, const perp_row *row) {
    return 0.5 * (pp_row_dot(&f->pose.problem, row, f->control.nu0) +
                  pp_row_dot(&f->pose.problem, row, f->solve.solution.nu));
}

static double quadratic(const double *M, int ndof, const double *x, const double *y) {
    double s = 0;
    for (int c = 0; c < ndof; c++)
        for (int r = 0; r < ndof; r++) s += x[r] * M[6 * c + r] * y[c];
    return s;
}

/* Kinetic energy of the rotation of block k with orientation q. */
static double rotation_energy(const pp_body *b, perp_quat q, const double *om) {
    perp_vec3 w = perp_q_unrotate(q, perp_v3(om[0], om[1], om[2]));
    return 0.5 * perp_v3_dot(w, perp_m3_mul_v(b->I_B, w));
}

/* Both energies of block k, and the contribution of its rotation to their difference. */
static void block_energy(const pp_frame *f, int k, double *before, double *after, double *turning) {
    int slot = f->control.block_body[k], nd = f->control.block_ndof[k], at = f->control.block_offset[k];
    const pp_body *b = &f->w->body[slot];
    const double *nu0 = f->control.nu0 + at, *nu = f->solve.solution.nu + at,
                 *nu1 = f->task.implicit_turn ? nu : f->update.nu_end + at;
    const double *M = f->control.M + 36 * k;
    *turning = 0;
    *before = 0.5 * quadratic(M, nd, nu0, nu0);
    *after = 0.5 * quadratic(M, nd, nu1, nu1);
    if (nd != 6 || b->isotropic) return;
    double lin0 = 0, lin = 0, lin1 = 0;
    for (int i = 0; i < 3; i++) {
        lin0 += 0.5 * b->mass * nu0[i] * nu0[i];
        lin += 0.5 * b->mass * nu[i] * nu[i];
        lin1 += 0.5 * b->mass * nu1[i] * nu1[i];
    }
    *before = lin0 + rotation_energy(b, f->s0->X[slot].q, nu0 + 3);
    *after = lin1 + rotation_energy(b, f->s1->X[slot].q, nu1 + 3);
    /* angular impulse of the step: M w - L, with L = I(q) w0 at the start */
    perp_quat q = f->s0->X[slot].q;
    perp_vec3 w0 = {nu0[3], nu0[4], nu0[5]}, w = {nu[3], nu[4], nu[5]};
    perp_vec3 L = perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, w0)));
    perp_mat3 I = {{{M[21], M[22], M[23]}, {M[27], M[28], M[29]}, {M[33], M[34], M[35]}}};
    perp_vec3 impulse = perp_v3_sub(perp_m3_mul_v(I, w), L);
    *turning = *after - *before - (lin - lin0) - 0.5 * perp_v3_dot(perp_v3_add(w0, w), impulse);
    if (!f->update.M_end) return;
    const double *E = f->update.M_end + 36 * k, *turned = f->update.nu_turned + at;
    *turning -= 0.5 * (quadratic(E, nd, nu1, nu1) - quadratic(E, nd, turned, turned));
}

/* Work of impulses that changed the velocities from nu0 to nu1. */
static double work(const pp_frame *f, const double *impulse, const double *nu0, const double *nu1) {
    double s = 0;
    for (int i = 0; i < f->control.ndof; i++) s += 0.5 * (nu0[i] + nu1[i]) * impulse[i];
    return s;
}

static double dot(int n, const double *a, const double *b) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

/* ---- forces with a potential ---- */

/* Time over which forces of the frame act: the whole step, or half of it. */
static double span_of(const pp_frame *f) { return f->task.half ? f->h / 2 : f->h; }

static void gravity(const pp_frame *f, double h0, perp_ledger *l) {
    bool moves = f->purpose == PP_STEP; /* the second of two half kicks does not move bodies */
    const double *moved = f->update.nu_moved ? f->update.nu_moved : f->solve.solution.nu;
    double h = f->h, rate = 1 / span_of(f), fall = moves ? pp_gravity_change(f->w, f->s0, f->s1) : 0;
    double D = work(f, f->control.i_gravity, f->control.nu0, f->solve.solution.nu);
    if (moves) D -= h * rate * dot(f->control.ndof, f->control.i_gravity, moved);
    l->gravity = -fall;
    if (moves && f->update.i_correction) /* bodies were displaced once more, without velocity */
        D += fall + h * rate * dot(f->control.ndof, f->control.i_gravity, moved);
    double sampling = 0;
    if (f->update.nu_moved)
        sampling = D;
    else if (!f->task.half)
        sampling = -0.5 * rate *
                   (h * dot(f->control.ndof, f->control.i_gravity, f->update.nu_end) -
                    h0 * dot(f->control.ndof, f->control.i_gravity, f->control.nu0));
    l->sampling += sampling;
    l->drift += D - sampling;
}

/* Power of all springs between points at a state, at both ends. */
static double spring_power(const perp_world *w, const pp_state *s) {
    double sum = 0;
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *e = &w->force[i];
        if (!pp_alive(e->gen) || e->def.kind != PERP_FORCE_SPRING) continue;
        pp_spring_now x = pp_spring_at(w, s, e);
        sum += perp_v3_dot(x.force, x.v);
    }
    return sum;
}

/* Work of springs at driven bodies, which move with their mean velocity. The drive gets it back. */
static double on_driven(const pp_frame *f, double span) {
    const perp_world *w = f->w;
    double sum = 0;
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *e = &w->force[i];
        if (!pp_alive(e->gen) || e->def.kind != PERP_FORCE_SPRING) continue;
        const int body[2] = {e->a, e->b};
        pp_spring_now x = pp_spring_at(w, f->task.force_state ? f->task.force_state : f->s0, e);
        for (int k = 0; k < 2; k++) {
            if (body[k] < 0 || w->body[body[k]].kind != PERP_BODY_KINEMATIC) continue;
            perp_vec3 r = k ? x.rb : x.ra, v = perp_v3_add(f->s1->v[body[k]], perp_v3_cross(f->s1->w[body[k]], r));
            sum += span * (k ? 1 : -1) * perp_v3_dot(x.force, v);
        }
    }
    return sum;
}

static void springs(const pp_frame *f, double h0, perp_ledger *l) {
    if (f->w->nforce == 0) return;
    bool moves = f->purpose == PP_STEP;
    double driven = on_driven(f, span_of(f)), change = moves ? pp_spring_change(f->w, f->s0, f->s1) : 0;
    double D = work(f, f->control.i_spring, f->control.nu0, f->solve.solution.nu) + driven + change, sampling = 0;
    if (!f->task.half && !f->update.nu_moved)
        sampling = -0.5 * (f->h * spring_power(f->w, f->s1) - h0 * spring_power(f->w, f->s0));
    l->spring -= change;
    l->kinematic -= driven;
    l->sampling += sampling;
    l->drift += D - sampling;
}

/* Joint springs and compliant contacts: their impulses belong to rows. */
double pp_elastic_impulse(const pp_frame *f, int i) {
    const perp_joint_row *r = &f->pose.problem.joint[i];
    if (r->kind != PERP_ROW_SPRING || r->joint < 0 || r->coord < 0) return 0;
    double B = f->w->joint[r->joint].def.axis[r->coord].damping;
    double way = f->task.half ? 0.5 * (f->s1->coord[r->joint][r->coord] - f->s0->coord[r->joint][r->coord])
                              : f->h * (pp_row_dot(&f->pose.problem, &r->row, f->solve.solution.nu) + r->b_kin);
    return f->solve.solution.p_joint[i] + B * way;
}

static void joints(const pp_frame *f, double h0, perp_ledger *l) {
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        double p = f->solve.solution.p_joint[i], rate = pp_mean_velocity(f, &r->row) + r->b_kin, elastic = 0;
        l->kinematic -= p * r->b_kin;
        if (r->kind == PERP_ROW_SPRING) elastic = pp_elastic_impulse(f, i);
        l->drift += elastic * rate;
        if (r->kind == PERP_ROW_INERTIA) {
            l->drift += p * rate; /* the loss of rotors is subtracted below */
            continue;
        }
        bool ideal = r->kind == PERP_ROW_JOINT || r->joint < 0; /* chain damping counts as part of the joints */
        double *entry = ideal ? &l->joint : r->kind == PERP_ROW_MOTOR ? &l->motor : &l->joint_loss;
        *entry += (p - elastic) * rate;
    }
    /* s1 is the end of the step, also after its second kick */
    if (f->purpose != PP_END_KICK && pp_has_armature(f->w)) {
        double lag0 = f->s0->lag > 0 ? h0 / 2 : 0, lag1 = f->s0->lag > 0 && f->purpose != PP_IMPACT ? f->h / 2 : lag0;
        double lost = pp_rotor_energy(f->w, f->s0, lag0) - pp_rotor_energy(f->w, f->s1, lag1);
        l->armature += lost;
        l->drift -= lost;
    }
    if (f->purpose != PP_STEP) return;
    double held = f->s0->substep > 0 ? f->s0->elastic_energy : f->method.elastic.before;
    double change = pp_joint_spring_change(f->w, f->s0, f->s1) + f->s1->elastic_energy - held;
    l->spring -= change;
    l->drift += change + f->method.elastic.normal + f->method.elastic.friction + f->method.elastic.joint +
                f->method.elastic.limit;
    l->normal -= f->method.elastic.normal;
    l->friction -= f->method.elastic.friction;
    l->joint -= f->method.elastic.joint;
    l->joint_loss -= f->method.elastic.limit;
}

static void contacts(const pp_frame *f, perp_ledger *l) {
    for (int i = 0; i < f->pose.problem.ncontact; i++) {
        const perp_contact_row *c = &f->pose.problem.contact[i];
        const double *p = f->solve.solution.p_contact + 3 * i;
        double b_t = pp_driven_slip(&f->pose, i, 0), b_o = pp_driven_slip(&f->pose, i, 1);
        l->normal += p[0] * (pp_mean_velocity(f, &c->n) + c->b_n_kin);
        l->friction += p[1] * (pp_mean_velocity(f, &c->t) + b_t) + p[2] * (pp_mean_velocity(f, &c->o) + b_o);
        l->kinematic -= p[0] * c->b_n_kin + p[1] * b_t + p[2] * b_o;
        for (int k = 2; k < PP_FRICTION_ROWS; k++) {
            if (!pp_friction_turns(c, k)) continue;
            double b = pp_driven_slip(&f->pose, i, k), moment = *pp_friction_impulse(&f->solve.solution, i, k);
            l->friction += moment * (pp_mean_velocity(f, pp_friction_row(c, k)) + b);
            l->kinematic -= moment * b;
        }
    }
}

/* Additional work of an impulse along a row if velocities change by d; none on the driven side. */
static double more(const pp_frame *f, const perp_row *row, double p, const double *d) {
    return p == 0 ? 0 : p * pp_row_dot(&f->pose.problem, row, d);
}

/* Ideal joints and normals are not changed: their rows belong to the start pose, which lies in the middle of the stored
 * velocities. Along them the mean of the stored velocities is 0 to second order, that of the shown velocities to first
 * order. */
void pp_ledger_later(const pp_frame *f, const double *d, perp_ledger *l) {
    perp_ledger add = {.applied = dot(f->control.ndof, f->control.i_applied, d),
                       .damping = dot(f->control.ndof, f->control.i_damper, d)};
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        double p = f->solve.solution.p_joint[i] - (r->kind == PERP_ROW_SPRING ? pp_elastic_impulse(f, i) : 0);
        bool ideal = r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_INERTIA || r->joint < 0;
        if (ideal) continue;
        *(r->kind == PERP_ROW_MOTOR ? &add.motor : &add.joint_loss) += more(f, &r->row, p, d);
    }
    for (int i = 0; i < f->pose.problem.ncontact; i++) {
        const perp_contact_row *c = &f->pose.problem.contact[i];
        const double *p = f->solve.solution.p_contact + 3 * i;
        add.friction += more(f, &c->t, p[1], d) + more(f, &c->o, p[2], d);
        for (int k = 2; k < PP_FRICTION_ROWS; k++)
            if (pp_friction_turns(c, k))
                add.friction += more(f, pp_friction_row(c, k), *pp_friction_impulse(&f->solve.solution, i, k), d);
    }
    l->applied += add.applied;
    l->damping += add.damping;
    l->motor += add.motor;
    l->joint_loss += add.joint_loss;
    l->friction += add.friction;
    l->sampling -= pp_ledger_sum(&add);
}

double pp_ledger_sum(const perp_ledger *l) {
    return l->gravity + l->spring + l->applied + l->damping + l->kinematic + l->joint + l->motor + l->armature +
           l->joint_loss + l->normal + l->friction + l->turning + l->start + l->sampling + l->drift;
}

void pp_ledger(const pp_frame *f, perp_ledger *l) {
    *l = (perp_ledger){0};
    for (int k = 0; k < f->control.nblock; k++) {
        double before, after, turning;
        block_energy(f, k, &before, &after, &turning);
        l->kinetic_before += before;
        l->kinetic_after += after;
        l->turning += turning;
    }
    const double *nu0 = f->control.nu0, *nu = f->solve.solution.nu;
    double h0 = f->s0->substep > 0 ? f->s0->substep : f->h;
    l->applied = work(f, f->control.i_applied, nu0, nu);
    l->damping = work(f, f->control.i_damper, nu0, nu);
    if (f->purpose != PP_IMPACT) { /* zero time */
        gravity(f, h0, l);
        springs(f, h0, l);
    }
    joints(f, h0, l);
    contacts(f, l);
    if (f->update.i_correction)
        l->joint += f->update.M_end ? work(f, f->update.i_correction, f->update.nu_turned, f->update.nu_end)
                                    : work(f, f->update.i_correction, nu0, nu);
    l->remainder = l->kinetic_after - l->kinetic_before - pp_ledger_sum(l);
}
