/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* formulate.c - stage 4: contacts, joints -> step problem
 *
 * Method   Rows contain the geometry at the start of the step, with kinematic bodies at its end (Berard 5.1.2). The normal row of a contact is
 *          the velocity of B relative to A along n, at the two contact points; tangential rows likewise. The motion of kinematic bodies is
 *          in the gap for the normal row, in b_t, b_o for the tangents, in b_r for the spin about n, and in b_roll for rolling. The velocity of moving surfaces
 *          is in b_t, b_o too (stage/control/belt.h). */
#include <float.h>
#include <string.h>

#include "base/rounding.h"
#include "model/actuator.h"
#include "model/armature.h"
#include "model/coupling.h"
#include "stage/control/belt.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"
#include "stage/pose/joint_chain_damping.h"
#include "stage/pose/rebound.h"
#include "stage/pose/slip.h"
#include "stage/stepper.h"
#include "stage/pose/support_rows.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"
#include "base/elementary.h"

/* Writes direction d at lever arm r into one side of a row; the first body gets a minus sign. */
static void put_side(perp_row *row, int side, int dim, int block, int ndof, perp_vec3 d, perp_vec3 r) {
    double sign = side ? 1 : -1;
    row->block[side] = block;
    row->more = NULL;
    double *J = row->J[side];
    for (int i = 0; i < 6; i++) J[i] = 0;
    if (block < 0) return;
    perp_vec3 m = perp_v3_cross(r, d);
    J[0] = sign * d.x;
    J[1] = sign * d.y;
    if (dim == 2) {
        if (ndof == 3) J[2] = sign * m.z;
        return;
    }
    J[2] = sign * d.z;
    if (ndof == 6) {
        J[3] = sign * m.x;
        J[4] = sign * m.y;
        J[5] = sign * m.z;
    }
}

/* The row of the rotation of B relative to A about an axis, and its part *b by kinematic bodies. False: neither body can rotate. */
static bool turning_row(const pp_frame *f, perp_vec3 axis_W, const int body[2], perp_row *row, double *b) {
    bool turns = false;
    *b = 0;
    row->more = NULL;
    for (int k = 0; k < 2; k++) {
        double sign = k ? 1 : -1;
        int blk = f->control.block[body[k]];
        row->block[k] = blk;
        for (int i = 0; i < 6; i++) row->J[k][i] = 0;
        if (blk >= 0 && f->control.block_ndof[blk] == 6) {
            row->J[k][3] = sign * axis_W.x;
            row->J[k][4] = sign * axis_W.y;
            row->J[k][5] = sign * axis_W.z;
            turns = true;
        }
        if (f->w->body[body[k]].kind == PERP_BODY_KINEMATIC)
            *b += sign * perp_v3_dot((f->control.end_w ? f->control.end_w : f->s1->w)[body[k]], axis_W);
    }
    if (!turns) *b = 0;
    return turns;
}

/* Rows of spin and rolling, of true cones in space. A contact whose bodies cannot rotate has no such friction. */
static void turning_rows(const pp_frame *f, const perp_contact *c, const int body[2], perp_contact_row *out) {
    bool cone = out->nd == PERP_CONE_DIRECTIONS && f->w->def.dim == 3;
    out->e_r = cone ? c->e_r : 0;
    out->e_roll = cone ? c->e_roll : 0;
    out->b_r = out->b_roll[0] = out->b_roll[1] = 0;
    out->r = out->roll[0] = out->roll[1] = (perp_row){.block = {0, 0}};
    if (out->e_r > 0 && !turning_row(f, c->n_W, body, &out->r, &out->b_r)) out->e_r = 0;
    for (int k = 0; k < 2 && out->e_roll > 0; k++)
        if (!turning_row(f, k ? c->o_W : c->t_W, body, &out->roll[k], &out->b_roll[k])) out->e_roll = 0;
}

/* Velocity of the point r from the centre of a driven body, with velocities v and w of all bodies; zero if the body is
 * not driven. */
static perp_vec3 driven_velocity(const pp_frame *f, int body, perp_vec3 r, const perp_vec3 *v, const perp_vec3 *w) {
    if (f->w->body[body].kind != PERP_BODY_KINEMATIC) return perp_v3(0, 0, 0);
    return perp_v3_add(v[body], perp_v3_cross(w[body], r));
}

/* Direction of a pyramid if there is no slip: an axis of the two bodies, projected on the contact plane. So it moves
 * with the scene and does not depend on which body is A. */
static double resting_phase(const perp_contact *c, perp_quat q_A, perp_quat q_B) {
    const perp_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        perp_vec3 d = perp_v3_add(perp_q_rotate(q_A, axes[k]), perp_q_rotate(q_B, axes[k]));
        double t = perp_v3_dot(d, c->t_W), o = perp_v3_dot(d, c->o_W);
        if (t * t + o * o > 0.1) return pp_atan2(o, t);
    }
    return 0;
}

/* The stepper's shift of the slip of contact i; NULL: none. */
static const pp_slip_shift *shift_of(const pp_frame *f, int i) {
    const int *shape = f->contacts.shape + 2 * i;
    for (int k = 0; k < f->demand.nshift; k++) {
        const pp_slip_shift *s = &f->demand.shift[k];
        if (s->shape[0] == shape[0] && s->shape[1] == shape[1] && s->feature == f->contacts.at[i].feature) return s;
    }
    return NULL;
}

/* Angle of the first friction direction: opposite to the slip without contact, so that sliding friction has full size
 * and the true direction for any number of directions. Slip far below the present speeds has no usable direction: its
 * rounding would turn the friction of a contact that comes to rest. Terms of finite rotations are left out: they depend on the answer. more: added to the velocity of kinematic bodies in
 * the row. */
static double slip_phase(const pp_frame *f, const perp_contact_row *row, const perp_contact *c, const int *body,
                         const double *nu_free, perp_vec3 more, double noise) {
    if (f->w->def.dim == 2 || f->w->def.friction_frame == PERP_FRICTION_FIXED) return 0;
    const pp_slip_shift *shift = shift_of(f, row->contact);
    if (shift && perp_v3_dot(shift->aim_W, shift->aim_W) > 0)
        return pp_atan2(-perp_v3_dot(shift->aim_W, c->o_W), -perp_v3_dot(shift->aim_W, c->t_W));
    const double *nu = f->purpose == PP_END_KICK ? f->control.nu0 : nu_free; /* velocity of the middle of the step */
    double b_t = row->b_t - pp_slip_curve(&f->pose, row->contact, 0),
           b_o = row->b_o - pp_slip_curve(&f->pose, row->contact, 1);
    double st = pp_row_dot(&f->pose.problem, &row->t, nu) + b_t + perp_v3_dot(more, c->t_W),
           so = pp_row_dot(&f->pose.problem, &row->o, nu) + b_o + perp_v3_dot(more, c->o_W);
    if (st * st + so * so > noise * noise) return pp_atan2(-so, -st);
    return resting_phase(c, f->s1->X[body[0]].q, f->s1->X[body[1]].q);
}

/* Gap at the end of the step as a linear function of the velocity, without the velocity term. If the gap was measured
 * at the end pose of another velocity, it is linearised there along the same row; repeated, this converges to the true
 * gap (chord method). driven: velocity along the row by kinematic bodies. */
static double linear_gap(const pp_frame *f, int i, const perp_row *n, double driven) {
    const perp_contact *c = &f->contacts.at[i];
    bool at_end = f->demand.end_gap && !isnan(f->demand.end_gap[i]);
    double gap = at_end ? f->demand.end_gap[i] - f->h * pp_row_dot(&f->pose.problem, n, f->demand.end_nu)
                        : c->gap + pp_row_bend(f, n);
    /* gaps at the rounding level of the coordinates count as zero: divided by h they would make resting bodies tremble */
    if (!at_end && fabs(gap) <= 4 * DBL_EPSILON * (perp_v3_norm(c->a_W) + perp_v3_norm(c->b_W))) gap = 0;
    if (!at_end && f->demand.levers == f->s0)
        gap += f->h * driven; /* measured with driven bodies at the start, not at the end */
    return f->demand.allowance ? gap + f->demand.allowance[i] : gap;
}

double pp_rebound_rhs(const pp_frame *f, int i, const perp_contact_row *row) {
    const perp_contact *c = &f->contacts.at[i];
    if (!(c->restitution > 0) || pp_orders_impacts(f->w))
        return INFINITY; /* such impacts are solved between substeps */
    if (f->demand.rebounds && f->demand.rebounds->none) return INFINITY;
    double approach = pp_row_dot(&f->pose.problem, &row->n, f->control.nu0) + row->b_n_kin,
           start = c->gap + pp_row_bend(f, &row->n);
    if (!(approach < 0 && start + f->h * approach <= 0)) return INFINITY;
    return pp_rebound_factor(f, f->contacts.shape + 2 * i) * c->restitution * approach + row->b_n_kin;
}

/* Applies these shifts to the row, and rebounds of the pair. */
static void apply_shifts(const pp_frame *f, int i, perp_contact_row *out) {
    const perp_contact *c = &f->contacts.at[i];
    const int *shape = f->contacts.shape + 2 * i;
    for (int k = 0; f->purpose == PP_END_KICK && k < f->demand.nshift; k++)
        if (f->demand.shift[k].shape[0] == shape[0] && f->demand.shift[k].shape[1] == shape[1])
            out->b_n = fmin(out->b_n, out->b_n_kin + f->demand.shift[k].rebound);
    const pp_slip_shift *s = shift_of(f, i);
    if (!s) return;
    out->b_t += perp_v3_dot(s->slip_W, c->t_W);
    if (f->w->def.dim == 3) out->b_o += perp_v3_dot(s->slip_W, c->o_W);
    if (out->e_r > 0) out->b_r += s->spin;
    if (out->e_roll > 0) {
        out->b_roll[0] += perp_v3_dot(s->roll_W, c->t_W);
        out->b_roll[1] += perp_v3_dot(s->roll_W, c->o_W);
    }
}

double pp_contact_rhs(const pp_frame *f, int i, const perp_contact_row *row, bool no_lift) {
    const perp_world *w = f->w;
    if (f->purpose != PP_STEP) return no_lift ? fmax(row->b_n_kin, 0) : row->b_n_kin;
    const pp_shape *A = &w->shape[f->contacts.shape[2 * i]], *B = &w->shape[f->contacts.shape[2 * i + 1]];
    double touching = pp_touching(A->g, B->g, f->contacts.at[i].b_W);
    double rebound = pp_rebound_rhs(f, i, row), gap = linear_gap(f, i, &row->n, row->b_n_kin);
    double stays = w->chosen.stepper->normal_rhs(gap, f->h, touching, row->b_n_kin);
    if (no_lift) /* a body may follow a driven one that moves away; otherwise the contact would push it */
        stays = fmax(stays, fmax(row->b_n_kin, 0));
    if (f->demand.rebounds) stays = fmax(stays, pp_push_out_bound(f, f->demand.rebounds->push_out, row));
    /* a body that rotates as it rebounds may hit with another point: a gap measured at the end must hold too */
    bool free_end = isfinite(rebound) && (!f->demand.end_gap || isnan(f->demand.end_gap[i]));
    return free_end ? rebound : fmin(rebound, stays);
}

/* Displacement of the contact point before lever arms are taken to the centres at the start. end: poses to which the
 * point belongs. Impulses at a point of the end with lever arms of the end leave a torque h (v_A - v_B) x P, because
 * bodies move from their start poses. Lever arms of the start to one common point leave none. Of all such points, this
 * one nearly preserves the lever arm of the lighter body at the end, as if the heavier body were fixed. */
static perp_vec3 point_shift(const pp_frame *f, const int *body, const pp_state *end) {
    double m[2] = {f->w->body[body[0]].mass, f->w->body[body[1]].mass};
    perp_vec3 d[2];
    for (int k = 0; k < 2; k++) d[k] = perp_v3_sub(end->X[body[k]].p, f->s0->X[body[k]].p);
    return perp_v3_add(perp_v3_scale(m[1] / (m[0] + m[1]), d[0]), perp_v3_scale(m[0] / (m[0] + m[1]), d[1]));
}

static void contact_row(pp_frame *f, int i, const pp_pose_options *o, const double *nu_free, double noise,
                        perp_contact_row *out) {
    const perp_world *w = f->w;
    const perp_contact *c = &f->contacts.at[i];
    int dim = w->def.dim;
    int body[2] = {w->shape[f->contacts.shape[2 * i]].body, w->shape[f->contacts.shape[2 * i + 1]].body};
    perp_vec3 at[2] = {c->a_W, c->b_W}, r[2], arm[2]; /* arm: of friction */
    /* velocity of B relative to A by kinematic bodies alone: over the step; for friction; correction for the direction
     * of a pyramid */
    perp_vec3 driven = {0, 0, 0}, rubbing = {0, 0, 0}, more = {0, 0, 0};
    const pp_state *s1 = f->s1,
                   *mean = f->purpose == PP_END_KICK ? f->s0 : NULL; /* has the velocities of the whole step */
    const double sign[2] = {-1, 1};
    /* friction acts on both bodies at one point; otherwise it would rotate the pair about an open gap */
    bool both = f->control.block[body[0]] >= 0 && f->control.block[body[1]] >= 0;
    perp_vec3 middle = perp_v3_scale(0.5, perp_v3_add(c->a_W, c->b_W)), shift = {0, 0, 0};
    const pp_state *levers = f->demand.levers ? f->demand.levers : f->s1;
    if (both && o->one_point) {
        shift = point_shift(f, body, levers);
        levers = f->s0;
    }
    for (int k = 0; k < 2; k++) {
        int blk = f->control.block[body[k]], nd = blk < 0 ? 0 : f->control.block_ndof[blk];
        r[k] = perp_v3_sub(perp_v3_sub(at[k], shift), levers->X[body[k]].p);
        put_side(&out->n, k, dim, blk, nd, c->n_W, r[k]);
        arm[k] = both ? perp_v3_add(r[k], perp_v3_sub(middle, at[k])) : r[k];
        put_side(&out->t, k, dim, blk, nd, c->t_W, arm[k]);
        put_side(&out->o, k, dim, blk, nd, c->o_W, arm[k]);
        driven = perp_v3_axpy(driven, sign[k], driven_velocity(f, body[k], r[k], s1->v, s1->w));
        if (f->control.end_v)
            rubbing =
                perp_v3_axpy(rubbing, sign[k], driven_velocity(f, body[k], r[k], f->control.end_v, f->control.end_w));
        if (mean) more = perp_v3_axpy(more, sign[k], driven_velocity(f, body[k], r[k], mean->v, mean->w));
    }
    if (!f->control.end_v) rubbing = driven;
    if (mean) more = perp_v3_sub(more, rubbing);
    out->b_n_kin = perp_v3_dot(driven, c->n_W);
    out->b_t = perp_v3_dot(rubbing, c->t_W);
    out->b_o = dim == 3 ? perp_v3_dot(rubbing, c->o_W) : 0;
    out->b_n = pp_contact_rhs(f, i, out, o->no_lift);
    out->compliance = out->compliance_f = 0;
    out->mu = c->mu;
    out->nd = !(c->mu > 0)                    ? 0
              : w->def.form == PERP_FORM_CONE ? PERP_CONE_DIRECTIONS
              : dim == 2                      ? 2
                                              : w->def.friction_directions;
    bool disc = c->e_t == 1 && c->e_o == 1; /* 0 stands for 1 */
    out->e_t = disc ? 0 : c->e_t;
    out->e_o = disc ? 0 : c->e_o;
    turning_rows(f, c, body, out);
    pp_slip_finish(f, i, arm, out);
    if (f->control.belt) {
        perp_vec3 belt = pp_belt_slip(f, f->contacts.shape + 2 * i, false);
        out->b_t += perp_v3_dot(belt, c->t_W);
        if (dim == 3) out->b_o += perp_v3_dot(belt, c->o_W);
        if (mean) more = perp_v3_add(more, perp_v3_sub(pp_belt_slip(f, f->contacts.shape + 2 * i, true), belt));
    }
    apply_shifts(f, i, out);
    out->contact = i;
    out->phase = out->nd > 0 ? slip_phase(f, out, c, body, nu_free, more, noise) : 0;
}

/* Do contacts act at the mean of the velocities before and after? See step/rebound_limit.c. */
static bool acts_at_mean(const pp_frame *f) {
    return f->purpose == PP_STEP && f->demand.rebounds && f->demand.rebounds->push_out == PP_PUSH_MEAN;
}

/* Friction of contact i opposes the sum of the slips before and after: s + s+ = t (nu + nu0) + 2 b_t. driven: velocity
 * of drives in the slip after, along each row of friction. */
static void rub_at_mean(const pp_frame *f, int i, const double *slips, double noise, perp_contact_row *row,
                        double *driven) {
    const perp_step_problem *p = &f->pose.problem;
    const int *shape = f->contacts.shape + 2 * i, body[2] = {f->w->shape[shape[0]].body, f->w->shape[shape[1]].body};
    pp_note_driven(row, driven);
    row->b_t += driven[0] + pp_row_dot(p, &row->t, f->control.nu0);
    if (p->dim == 3) row->b_o += driven[1] + pp_row_dot(p, &row->o, f->control.nu0);
    if (row->e_r > 0) row->b_r += driven[2] + pp_row_dot(p, &row->r, f->control.nu0);
    for (int k = 0; k < 2 && row->e_roll > 0; k++)
        row->b_roll[k] += driven[3 + k] + pp_row_dot(p, &row->roll[k], f->control.nu0);
    if (row->nd > 0) row->phase = slip_phase(f, row, &f->contacts.at[i], body, slips, perp_v3(0, 0, 0), noise);
}

/* Velocities of drives in the rows of friction of contact i: all of b but the terms of finite rotations of other bodies. */
static void note_drives(const pp_frame *f, int i, const perp_contact_row *row, double *driven) {
    pp_note_driven(row, driven);
    for (int k = 0; k < PP_FRICTION_ROWS && pp_friction_row(row, k); k++) driven[k] -= pp_slip_curve(&f->pose, i, k);
}

/* Rows of chain damping, after the joint rows. */
static int chain_damping_rows(const pp_frame *f, perp_joint_row *rows) {
    for (int i = 0; i < f->demand.nchain_damping; i++) {
        const pp_chain_damping *r = &f->demand.chain_damping[i];
        rows[i] = (perp_joint_row){.coord = -1,
                                   .row.block = {-1, r->block},
                                   .b = -r->rate,
                                   .compliance = 1 / r->stiffness,
                                   .lo = -INFINITY,
                                   .hi = INFINITY,
                                   .kind = PERP_ROW_SPRING,
                                   .joint = -1};
        double *J = rows[i].row.J[1];
        if (f->w->def.dim == 2)
            J[2] = r->axis.z;
        else
            J[3] = r->axis.x, J[4] = r->axis.y, J[5] = r->axis.z;
    }
    return f->demand.nchain_damping;
}

/* Rows of servos, after the rows of the joints. Servos are forces: they have no effect in zero time, nor in the
 * force-free problem of a staggered start. */
static int servo_rows(const pp_frame *f, perp_joint_row *rows, int *number) {
    if (f->purpose == PP_IMPACT || f->purpose == PP_START_FREE) return 0;
    return pp_servo_rows(f->w, f->s1, f->s0, f->control.block, f->task.half ? f->h / 2 : f->h, rows, number);
}

pp_rotor_kick pp_rotor_kick_of(const pp_frame *f) {
    bool takes_time = f->purpose == PP_STEP || f->purpose == PP_END_KICK || f->purpose == PP_START_FORCED;
    const pp_state *moving = f->task.half && f->task.force_state ? f->task.force_state : f->s0;
    if (!takes_time) return (pp_rotor_kick){f->s0, moving, 1, 0, 0};
    if (f->task.half) return (pp_rotor_kick){f->s0, moving, 1, f->h / 4, f->h / 4};
    double before = f->s0->substep > 0 ? f->s0->substep : f->h; /* substeps may have other lengths */
    return (pp_rotor_kick){f->s0, moving, f->h / f->w->def.h, before / 2, f->h / 2};
}

/* Rows of armature. It acts whenever velocities change, also in impacts. */
static int armature_rows(const pp_frame *f, perp_joint_row *rows, int *number, pp_free_turns *found) {
    if (!f->w->chosen.stepper->armature) return 0;
    pp_rotor_kick k = pp_rotor_kick_of(f);
    return pp_armature_rows(f->w, f->s1, f->control.block, &k, rows, number, found);
}

/* Is a joint row a force, which changes velocities gradually? */
static bool is_force(const perp_joint_row *r) {
    bool bounded = isfinite(r->lo) && isfinite(r->hi);
    return r->kind == PERP_ROW_SPRING || ((r->kind == PERP_ROW_MOTOR || r->kind == PERP_ROW_FRICTION) && bounded);
}

/* In zero time only rows without force limit act. */
static bool acts_at_once(const perp_joint_row *r) {
    return r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT || (r->kind == PERP_ROW_MOTOR && isinf(r->hi));
}

static bool is_position(const perp_joint_row *r) { return r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT; }

double pp_row_error(const perp_joint_row *row, double b) {
    return row->kind == PERP_ROW_JOINT ? b - row->b_kin : fmin(0, b);
}

/* Rows of joints, servos and rotors, without demands. more: further rows that there must be room for. */
static perp_status make_joint_rows(pp_frame *f, int more, perp_joint_row **rows, pp_kept_rows *made) {
    perp_world *w = f->w;
    int *n = &made->n;
    *made = (pp_kept_rows){.row = NULL};
    *rows = PP_ARENA_ARRAY(&w->arena, perp_joint_row, PP_JOINT_MAX_ROWS * w->njoint + more);
    made->number = PP_ARENA_ZERO(&w->arena, int, PP_JOINT_MAX_ROWS * w->njoint + more);
    made->rest = PP_ARENA_ZERO(&w->arena, double, PP_JOINT_MAX_ROWS * w->njoint);
    made->start_b = PP_ARENA_ARRAY(&w->arena, double, PP_JOINT_MAX_ROWS * w->njoint);
    made->row = *rows;
    if (!*rows || !made->number || !made->rest || !made->start_b)
        return pp_fail(w, PERP_E_MEMORY, "out of memory for %d joints", w->njoint);
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (!pp_alive(j->gen)) continue;
        /* half kick: bounds and springs are those of h/2; the middle of the spring is that of the step */
        double span = f->task.half ? f->h / 2 : f->h;
        pp_rows_for how = {f->control.block, span, INFINITY};
        int k = pp_joint_rows_at(w, f->s1, f->s0, i, &how, *rows + *n), kept = 0;
        if (k < 0) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d joints", w->njoint);
        for (int r = 0; r < k; r++) {
            perp_joint_row *row = *rows + *n + kept;
            *row = (*rows)[*n + r];
            if (f->purpose == PP_END_KICK && row->kind == PERP_ROW_SPRING) continue; /* its impulse is known */
            if (f->purpose == PP_START_FREE && is_force(row)) continue;
            if (f->purpose == PP_IMPACT && !acts_at_once(row)) continue;
            made->number[*n + kept] = r;
            made->start_b[*n + kept] = row->b;
            bool position = is_position(row);
            if (row->kind == PERP_ROW_MOTOR && pp_motor_keeps_limits(&j->def.axis[row->coord])) {
                double coord[PERP_JOINT_MAX_COORD];
                pp_joint_coords_at(w, f->s1, f->s0, i, coord);
                row->b = pp_motor_within_limits(&j->def.axis[row->coord], coord[row->coord], f->h, fmax(f->h, w->def.h),
                                                row->b);
            }
            if (position) row->b *= span / f->h;
            /* Substeps of a divided step remove their initial error over the time of a whole step. Removed at once it
             * would be an impact, the harder the shorter the substep. */
            if (position && f->purpose == PP_STEP && pp_start_joints(w) && f->h < w->def.h) {
                made->rest[*n + kept] = pp_row_error(row, row->b) * (1 - f->h / w->def.h);
                row->b -= made->rest[*n + kept];
            }
            if (f->purpose == PP_STEP && position) row->b += pp_row_bend(f, &row->row) / f->h;
            if (f->purpose != PP_STEP && position) {
                /* velocity level: a joint keeps its error; a limit acts only if it is reached */
                if (row->kind == PERP_ROW_LIMIT && row->b > PP_RESIDUAL / f->h) row->hi = 0;
                row->b = row->b_kin;
            }
            kept++;
        }
        *n += kept;
    }
    made->own = *n;
    int servos = servo_rows(f, *rows + *n, made->number + *n);
    if (servos < 0) return pp_fail(w, PERP_E_MEMORY, "out of memory for the actuators");
    *n += servos;
    if (w->chosen.stepper->armature && pp_has_armature(w)) {
        made->free_turn = PP_ARENA_ARRAY(&w->arena, pp_free_turns, 1);
        if (!made->free_turn) return pp_fail(w, PERP_E_MEMORY, "out of memory for the rotors");
        made->free_turn->rotor = PP_ARENA_ARRAY(&w->arena, pp_rotor_known, PERP_JOINT_MAX_COORD * w->njoint);
        if (!made->free_turn->rotor) return pp_fail(w, PERP_E_MEMORY, "out of memory for the rotors");
        *n += armature_rows(f, *rows + *n, made->number + *n, made->free_turn);
    }
    return PERP_OK;
}

perp_status pp_keep_joint_rows(pp_frame *f) {
    perp_joint_row *rows;
    int most = f->w->def.dim == 2 ? 1 : 3; /* axes of chain damping of a body */
    return f->w->njoint == 0 ? PERP_OK : make_joint_rows(f, most * f->control.nblock, &rows, &f->pose.kept);
}

static perp_status joint_rows(pp_frame *f, perp_joint_row **rows, int *n) {
    perp_world *w = f->w;
    pp_kept_rows made = f->pose.kept;
    *n = 0;
    *rows = NULL;
    if (w->njoint == 0) return PERP_OK;
    if (made.n > 0) {
        *rows = PP_ARENA_ARRAY(&w->arena, perp_joint_row, made.n + f->demand.nchain_damping);
        if (!*rows) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d joints", w->njoint);
        memcpy(*rows, made.row, (size_t)made.n * sizeof **rows);
    } else {
        perp_status st = make_joint_rows(f, f->demand.nchain_damping, rows, &made);
        if (st) return st;
    }
    f->pose.row_number = made.number;
    f->pose.joint_rest = made.rest;
    for (int i = 0; f->demand.joint_shift && i < made.own; i++) {
        perp_joint_row *row = *rows + i;
        row->b = f->demand.joint_shift[i] + (is_position(row) ? 0 : row->b);
    }
    *n = made.n + chain_damping_rows(f, *rows + made.n);
    return PERP_OK;
}

perp_step_problem pp_free_problem(const pp_frame *f) {
    return (perp_step_problem){.dim = f->w->def.dim,
                               .h = f->h,
                               .nblock = f->control.nblock,
                               .ndof = f->control.ndof,
                               .block_ndof = f->control.block_ndof,
                               .block_offset = f->control.block_offset,
                               .M = f->control.M,
                               .Minv = f->control.Minv,
                               .momentum = f->control.momentum};
}

perp_status pp_formulate(pp_frame *f, const pp_pose_options *o) {
    perp_world *w = f->w;
    perp_joint_row *joint;
    int njoint;
    perp_status st = joint_rows(f, &joint, &njoint);
    if (st) return st;
    int nsupport = pp_support_count(f);
    perp_contact_row *contact = PP_ARENA_ARRAY(&w->arena, perp_contact_row, f->contacts.n + nsupport);
    double *nu_free = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    if (!contact || !nu_free) return pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    f->pose.problem = pp_free_problem(f);
    f->pose.problem.joint = f->pose.joint_row = joint;
    f->pose.problem.contact = contact;
    double speed = 0;
    if (f->contacts.n + nsupport > 0) {
        pp_step_velocity(&f->pose.problem, NULL, NULL, nu_free); /* no rows yet: the velocity without constraints */
        perp_step_problem free = pp_free_problem(f);
        speed = fmax(f->h * perp_v3_norm(w->def.gravity_W), pp_step_scale(&free));
    }
    f->pose.problem.njoint = njoint;
    const double *slips = f->demand.slip_nu ? f->demand.slip_nu : nu_free;
    bool at_mean = acts_at_mean(f);
    f->pose.finite_slip = o->finite_slip && !at_mean && pp_slip_spans_step(f);
    f->pose.slip = PP_ARENA_ZERO(&w->arena, pp_slip_terms, f->contacts.n + nsupport);
    double *driven = at_mean || f->pose.finite_slip
                         ? PP_ARENA_ZERO(&w->arena, double, PP_FRICTION_ROWS *(f->contacts.n + nsupport))
                         : NULL;
    if (!f->pose.slip || ((at_mean || f->pose.finite_slip) && !driven))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for %d contacts", f->contacts.n);
    for (int i = 0; i < f->contacts.n; i++) {
        contact_row(f, i, o, slips, 1e-8 * speed, &contact[i]);
        double *own = driven ? driven + PP_FRICTION_ROWS * i : NULL;
        if (at_mean) rub_at_mean(f, i, slips, 1e-8 * speed, &contact[i], own);
        if (f->pose.finite_slip) note_drives(f, i, &contact[i], own);
    }
    f->pose.slip_driven = driven;
    f->pose.problem.ncontact = f->contacts.n;
    if (nsupport > 0) pp_support_rows(f, slips, 1e-8 * speed, contact);
    for (int i = f->contacts.n; driven && i < f->pose.problem.ncontact; i++)
        pp_note_driven(&contact[i], driven + PP_FRICTION_ROWS * i);
    pp_tamper(f, PP_POSED);
    return PERP_OK;
}
