/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* posed.c - derivatives of a step at the modes of its answer
 *
 * Problem  At fixed modes the step is a system of smooth equations R(nu, p; z, theta) = 0 in velocity and impulses,
 *          followed by a free motion z+ = D(z, nu). Wanted: dz+ for directions (dz, dtheta).
 * Method   R_nu dnu + R_p dp = -(R_z dz + R_theta dtheta), one matrix for all directions (system.c). Derivatives by velocity
 *          and impulses are closed forms (equations.c); the gap at the end pose, which iterated geometry closes, depends on
 *          the velocity through the motion, so its row is that of the end pose, times the derivative of the turn. The right
 *          side is the change of R with state and parameters at fixed nu and p. It involves every stage that poses a
 *          step (forces, inertia, levers, normals, gaps, joints, directions of pyramids), so it is computed by central
 *          differences of these stages along the whole direction. No system is solved for it, every shape, joint and force
 *          is included, and R is smooth, so the error is about 1e-10 of the terms. Poses, velocities and parameters are
 *          moved one after the other, each by a step of its own size.
 * Valid    What perp_tangent_step() says in tangent.h.
 * Cost     2 to 6 posings for each direction, a factor and a solve. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/armature.h"
#include "model/coupling.h"
#include "stage/contact_model.h"
#include "method/peg/peg_repose.h"
#include "problem/rows.h"
#include "stage/solve/joint_rounds.h"
#include "stage/pose/rebound.h"
#include "stage/pose/slip.h"
#include "stage/stepper.h"
#include "tangent/equations.h"
#include "stage/control/control.h"
#include "stage/pose/formulate.h"

#define PART \
    1e-5 /* length of differences, relative to lengths, speeds and parameters; errors by rounding and by curvature are both about 1e-10 */
#define SAME 1e-6 /* relative difference below which derivatives with two loads count as equal */
#define HOLDS \
    1e-6 /* largest residual of an equation at the answer, relative to the speeds at hand; beyond it the equation is not that of the step */

typedef struct work {
    perp_tangent *t;
    perp_world *w;
    pp_frame *f;                     /* solved */
    const perp_step_solution *loads; /* velocity and impulses that the equations hold at */
    pp_peg_repose again;
    pp_equations e;
    pp_system s;
    pp_frame base;       /* the answer, posed again */
    pp_state moved, end; /* start and end of a frame that is posed elsewhere */
    double *value[2], *momentum[2];
    double *nu; /* ndof, for differences by velocities */
    double length, speed;
    bool held;   /* there are functions of the user or controllers */
    bool simple; /* the start velocity is in the momentum alone */
} work;

static perp_status refuse(perp_world *w, const char *format, ...) PERP_PRINTF(2, 3);
static perp_status refuse(perp_world *w, const char *format, ...) {
    char what[PP_WHY / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return pp_fail(w, PERP_E_FIT, "no derivative at the modes of the step: %s", what);
}

/* Are the equations of this step implemented here? */
static perp_status suits(const pp_frame *f, int n) {
    perp_world *w = f->w;
    if (w->chosen.stepper->step) return refuse(w, "stepper %s has equations of its own", w->chosen.stepper->name);
    if (n != 1) return refuse(w, "it was divided into %d parts", n);
    if (w->def.geometry == PERP_GEOMETRY_END) return refuse(w, "contacts act at the end of the step (geometry end)");
    if (w->chosen.model != &pp_model_peg && f->contacts.n > 0)
        return refuse(w, "contact model %s is not peg", w->chosen.model->name);
    if (w->def.joint_correction && f->pose.problem.njoint > 0) return refuse(w, "joints were corrected");
    if (w->robot.nactuator > w->robot.dead_actuator) return refuse(w, "an actuator acts");
    if (pp_has_armature(w)) return refuse(w, "a joint has armature");
    if (pp_has_couplings(w)) return refuse(w, "joints are coupled");
    if (f->demand.nchain_damping > 0) return refuse(w, "a taut chain of joints was damped");
    if (f->demand.rebounds && (f->demand.rebounds->n > 0 || f->demand.rebounds->none))
        return refuse(w, "restitution was limited");
    if (f->method.jammed || f->solve.stalled) return refuse(w, "a driven body was jammed");
    if (f->contacts.n > 0 && f->method.posed_at_end) return refuse(w, "contacts had to act at the end of the step");
    bool loose_tolerance = w->found.peg && w->def.tolerance > PP_LOOSE_TOLERANCE && w->def.form == PERP_FORM_CONE;
    for (int i = 0; f->demand.allowance && !loose_tolerance && i < f->contacts.n; i++)
        if (f->demand.allowance[i] != 0) return refuse(w, "bodies overlapped at its start");
    if (f->method.posed_linear && w->def.geometry == PERP_GEOMETRY_ITERATED && w->chosen.stepper->end_gaps)
        return refuse(w, "gaps had to be linearised at the start");
    return PERP_OK;
}

/* Decides whether the start velocity enters through the momentum alone. */
static void see_forces(work *k) {
    const perp_world *w = k->w;
    k->simple = true;
    for (int i = 0; i < w->nforce; i++) {
        if (!pp_alive(w->force[i].gen)) continue;
        perp_force_kind kind = w->force[i].def.kind;
        if (kind == PERP_FORCE_USER || kind == PERP_FORCE_PD) k->held = true;
        if (k->held || kind == PERP_FORCE_SPRING) k->simple = false;
    }
    for (int b = 0; b < k->f->control.nblock; b++)
        if (k->f->control.block_ndof[b] == 6 && !w->body[k->f->control.block_body[b]].isotropic) k->simple = false;
    for (int i = 0; i < k->f->contacts.n; i++)
        if (k->f->contacts.at[i].restitution > 0) k->simple = false;
    for (int i = 0; i < k->f->pose.problem.ncontact; i++)
        if (k->f->pose.problem.contact[i].nd > 2) k->simple = false; /* pyramids are turned to the slip */
}

/* Calls user functions and controllers at a state; they read the world. */
static perp_status held_at(work *k, const pp_state *s, const perp_wrench **held) {
    *held = NULL;
    if (!k->held) return PERP_OK;
    perp_world *w = k->w;
    pp_state now = w->state;
    w->state = *s;
    perp_status st = pp_control_held(w, held);
    w->state = now;
    return st;
}

/* Poses the step anew from state s, with the contacts that are closed, at the velocity of the answer. */
static perp_status pose(work *k, const pp_state *s, pp_state *end, pp_frame *g) {
    perp_world *w = k->w;
    const perp_wrench *held;
    perp_status st = held_at(k, s, &held);
    if (st) return st;
    *g = (pp_frame){.w = w,
                    .s0 = s,
                    .s1 = end,
                    .h = k->f->h,
                    .purpose = PP_STEP,
                    /* the step itself accepted springs that are too stiff for h */
                    .task = {.held = held, .reach_factor = k->f->task.reach_factor, .last_resort = true},
                    .demand = {.rebounds = k->f->demand.rebounds}};
    pp_state_copy(w, end, s);
    st = pp_control(g);
    if (!st) st = pp_peg_pose_again(&k->again, g, k->e.at.nu);
    if (!st && k->f->demand.joints && !k->f->demand.joints->linear) {
        st = pp_joint_rounds_begin(g);
        if (!st && g->demand.joints && !pp_joint_rounds_at(g, k->e.at.nu, NULL)) st = PERP_E_SOLVE;
    }
    if (!st) st = pp_formulate(g, &(pp_pose_options){.finite_slip = k->f->pose.finite_slip});
    if (!st && (g->pose.problem.njoint != k->e.njoint || g->pose.problem.ncontact != k->e.ncontact))
        st = refuse(w, "the number of its rows is about to change");
    return st == PERP_E_SOLVE ? refuse(w, "%s", "a body turns too far in one step") : st;
}

/* Contacts that are closed, their impulses and modes; supports after them. */
static perp_status gather(work *k) {
    pp_frame *f = k->f;
    pp_arena *a = &k->w->arena;
    const perp_step_problem *p = &f->pose.problem;
    int all = p->ncontact, *row = PP_ARENA_ARRAY(a, int, all), *first = PP_ARENA_ARRAY(a, int, all),
        *joint = PP_ARENA_ARRAY(a, int, p->njoint);
    pp_mode *mode = PP_ARENA_ARRAY(a, pp_mode, all);
    double *P = PP_ARENA_ARRAY(a, double, 3 * all), *spin = PP_ARENA_ARRAY(a, double, all),
           *roll = PP_ARENA_ARRAY(a, double, 2 * all), margin;
    if (!row || !first || !joint || !mode || !P || !spin || !roll) return PERP_E_MEMORY;
    int n = p->njoint, nrow = 0, closed = 0;
    for (int i = 0; i < p->njoint; i++) joint[i] = pp_joint_mode(p, k->loads, i, &margin);
    for (int i = 0; i < all; i++) {
        pp_mode m = pp_contact_mode(p, k->loads, i);
        if (m.kind == PP_MODE_OPEN) continue;
        if (i < f->contacts.n) row[nrow++] = i;
        mode[closed] = m;
        first[closed] = n;
        n += 1 + m.n;
        memcpy(P + 3 * closed, k->loads->p_contact + 3 * i, 3 * sizeof *P);
        spin[closed] = k->loads->p_spin[i];
        memcpy(roll + 2 * closed, k->loads->p_roll + 2 * i, 2 * sizeof *roll);
        closed++;
    }
    k->e = (pp_equations){
        .at = {.nu = k->loads->nu, .p_joint = k->loads->p_joint, .p_contact = P, .p_spin = spin, .p_roll = roll},
        .njoint = p->njoint,
        .ncontact = closed,
        .n = n,
        .joint_mode = joint,
        .mode = mode,
        .first = first,
        .mass = PP_ARENA_ARRAY(a, double, n)};
    return k->e.mass ? pp_peg_again_new(f, row, nrow, &k->again) : PERP_E_MEMORY;
}

/* h^-1 times the derivative of the turn of block b over the step by its angular velocity, by columns. */
static perp_status turn_matrix(work *k, int b, perp_mat3 *out) {
    const pp_frame *f = k->f;
    int slot = f->control.block_body[b], at = f->control.block_offset[b];
    double nu[6], by = PART / f->h;
    for (int c = 0; c < 3; c++) {
        perp_quat q[2];
        for (int s = 0; s < 2; s++) {
            memcpy(nu, k->e.at.nu + at, sizeof nu);
            nu[3 + c] += s ? by : -by;
            if (!pp_move_block(f, b, f->s0, nu, f->h, &k->end, NULL)) return refuse(k->w, "a body turns too far");
            q[s] = k->end.X[slot].q;
        }
        out->c[c] = perp_v3_scale(1 / (2 * by * f->h), perp_q_log(perp_q_mul(q[1], perp_q_conj(q[0]))));
    }
    return PERP_OK;
}

/* Rows of the gaps at the end. */
static perp_status end_rows(work *k) {
    const pp_frame *f = k->f;
    pp_arena *a = &k->w->arena;
    perp_row *row = PP_ARENA_ZERO(a, perp_row, k->e.ncontact);
    bool *holds = PP_ARENA_ZERO(a, bool, k->e.ncontact), *known = PP_ARENA_ZERO(a, bool, f->control.nblock);
    perp_mat3 *turn = PP_ARENA_ARRAY(a, perp_mat3, f->control.nblock);
    if (!row || !holds || !known || !turn) return PERP_E_MEMORY;
    for (int i = 0; i < k->again.n; i++) {
        holds[i] = k->again.end[i].gap_holds;
        for (int side = 0; holds[i] && side < 2; side++) {
            int b = k->base.pose.problem.contact[i].n.block[side], nd = b < 0 ? 0 : f->control.block_ndof[b];
            double g[6], *J = row[i].J[side];
            row[i].block[side] = b;
            if (b < 0) continue;
            pp_peg_end_gradient(&k->again, i, side, g);
            int lin = k->w->def.dim;
            for (int c = 0; c < lin; c++) J[c] = g[c];
            if (nd == 3 && lin == 2) J[2] = g[5];
            if (nd != 6) continue;
            perp_status st = known[b] ? PERP_OK : turn_matrix(k, b, &turn[b]);
            if (st) return st;
            known[b] = true;
            pp_put3(J + 3, perp_m3_tmul_v(turn[b], pp_first3(g + 3)));
        }
    }
    k->e.end_row = row;
    k->e.gap_holds = holds;
    if (!f->demand.joints || f->demand.joints->linear) return PERP_OK;
    perp_row *joint = PP_ARENA_ARRAY(a, perp_row, k->e.njoint);
    if (!joint) return PERP_E_MEMORY;
    if (!pp_joint_rounds_at(&k->base, k->e.at.nu, joint)) return refuse(k->w, "a body turns too far");
    for (int i = 0; i < k->e.njoint; i++) {
        perp_row_kind kind = f->pose.problem.joint[i].kind;
        if (kind != PERP_ROW_JOINT && kind != PERP_ROW_LIMIT) continue;
        for (int side = 0; side < 2; side++) {
            int b = joint[i].block[side];
            double *J = joint[i].J[side];
            if (b < 0 || f->control.block_ndof[b] != 6) continue;
            perp_status st = known[b] ? PERP_OK : turn_matrix(k, b, &turn[b]);
            if (st) return st;
            known[b] = true;
            pp_put3(J + 3, perp_m3_tmul_v(turn[b], pp_first3(J + 3)));
        }
    }
    k->e.joint_end = joint;
    return PERP_OK;
}

/* Derivatives of the slip of contact i over the step, over h, by the velocity of block b: rows of friction, and central differences of what
 * they lack (stage/pose/slip.c). end: poses of the answer. */
static perp_status slip_gradient(work *k, int i, int side, pp_state *end, perp_row *row) {
    pp_frame *g = &k->base;
    int b = g->pose.problem.contact[i].t.block[side];
    if (b < 0) return PERP_OK;
    double *nu = k->nu, was[6];
    double *own = nu + g->control.block_offset[b];
    int slot = g->control.block_body[b], nd = g->control.block_ndof[b];
    perp_pose X = end->X[slot];
    memcpy(was, own, (size_t)nd * sizeof *was);
    for (int c = 0; c < nd; c++) {
        double by = PART * (c < k->w->def.dim ? k->length : 1) / k->f->h;
        pp_slip_terms t[2];
        for (int s = 0; s < 2; s++) {
            own[c] = was[c] + (s ? by : -by);
            if (!pp_move_block(g, b, g->s0, own, g->h, end, NULL)) return refuse(k->w, "a body turns too far");
            t[s] = pp_slip_terms_at(g, i, nu, end);
        }
        own[c] = was[c];
        end->X[slot] = X;
        for (int r = 0; r < PP_FRICTION_ROWS; r++) row[r].J[side][c] += (t[1].b[r] - t[0].b[r]) / (2 * by);
    }
    return PERP_OK;
}

/* Rows of friction whose slip is a displacement. */
static perp_status slip_rows(work *k) {
    pp_arena *a = &k->w->arena;
    int ndof = k->f->control.ndof;
    perp_row *row = PP_ARENA_ZERO(a, perp_row, PP_FRICTION_ROWS * k->e.ncontact);
    bool *finite = PP_ARENA_ZERO(a, bool, k->e.ncontact);
    k->nu = PP_ARENA_ARRAY(a, double, ndof);
    if (!row || !finite || !k->nu) return PERP_E_MEMORY;
    memcpy(k->nu, k->e.at.nu, (size_t)ndof * sizeof *k->nu);
    for (int i = 0; i < k->again.n; i++) {
        finite[i] = k->base.pose.slip[i].finite;
        for (int r = 0; finite[i] && r < PP_FRICTION_ROWS; r++)
            row[PP_FRICTION_ROWS * i + r] = *pp_friction_row(&k->base.pose.problem.contact[i], r);
        for (int side = 0; finite[i] && side < 2; side++) {
            perp_status st = slip_gradient(k, i, side, &k->again.k.end_state, row + PP_FRICTION_ROWS * i);
            if (st) return st;
        }
    }
    k->e.slip_row = row;
    k->e.slip_finite = finite;
    return PERP_OK;
}

/* Do the equations hold at the answer? If not, they are not the equations of the step. */
static perp_status check_base(work *k) {
    pp_equations_values(&k->e, &k->base.pose.problem, k->value[0], k->momentum[0]);
    for (int i = 0; i < k->again.n; i++) {
        double tol = k->again.k.m->pair[k->again.pair[i]].tol, miss = fabs(k->value[0][k->e.first[i]]);
        if (!(miss <= (HOLDS + 20 * k->w->def.tolerance) * k->speed + 20 * tol / k->f->h))
            return refuse(k->w, "the gap of a contact is not that of its features");
    }
    return PERP_OK;
}

static perp_status begin(work *k) {
    perp_world *w = k->w;
    pp_arena *a = &w->arena;
    int p = k->t->def.directions, ndof = k->f->control.ndof;
    perp_status st = gather(k);
    if (!st) st = pp_state_new(w, &k->moved);
    if (!st) st = pp_state_new(w, &k->end);
    if (st) return pp_fail(w, PERP_E_MEMORY, "out of memory for the directions");
    for (int s = 0; s < 2; s++) {
        k->value[s] = PP_ARENA_ARRAY(a, double, pp_equations_count(&k->e));
        k->momentum[s] = PP_ARENA_ARRAY(a, double, ndof);
    }
    k->s = (pp_system){.n = k->e.n,
                       .directions = p,
                       .equation = PP_ARENA_ARRAY(a, pp_equation, k->e.n),
                       .push = PP_ARENA_ARRAY(a, const perp_row *, k->e.n),
                       .mass = PP_ARENA_ARRAY(a, double, k->e.n),
                       .right = PP_ARENA_ZERO(a, double, k->e.n *p),
                       .momentum = PP_ARENA_ZERO(a, double, ndof *p),
                       .dnu = PP_ARENA_ZERO(a, double, ndof *p)};
    pp_state *s1 = PP_ARENA_ZERO(a, pp_state, 1);
    if (!k->value[0] || !k->value[1] || !k->momentum[0] || !k->momentum[1] || !k->s.equation || !k->s.push ||
        !k->s.mass || !k->s.right || !k->s.momentum || !k->s.dnu || !s1 || pp_state_new(w, s1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the directions");
    pp_tangent_sizes(w, k->f->s0, &k->length, &k->speed);
    pp_state_copy(w, &k->end, k->f->s0);
    see_forces(k);
    if ((st = pose(k, k->f->s0, s1, &k->base))) return st;
    pp_equations_scale(&k->e, &k->base.pose.problem);
    if ((st = check_base(k))) return st;
    st = end_rows(k);
    if (!st) st = slip_rows(k);
    if (st) return st == PERP_E_MEMORY ? pp_fail(w, st, "out of memory for the directions") : st;
    k->s.p = &k->base.pose.problem;
    pp_equations_derive(&k->e, &k->base.pose.problem, &k->s);
    return PERP_OK;
}

/* Change of the equations for a move along part of a direction: poses by q, velocities by v, parameters by c times reach. */
static perp_status take_difference(work *k, int d, double q, double v, double c, double reach) {
    perp_world *w = k->w;
    perp_status st = PERP_OK;
    for (int side = 0; !st && side < 2; side++) {
        double by = side ? reach : -reach;
        pp_arena_mark mark = pp_arena_here(&w->arena);
        pp_moved *moved = NULL;
        pp_frame g;
        pp_state_copy(w, &k->moved, k->f->s0);
        pp_tangent_move_state(k->t, w, d, q * by, v * by, &k->moved);
        if (c != 0) st = pp_parameters_move(k->t, w, d, c * by, &moved);
        if (!st) st = pose(k, &k->moved, &k->end, &g);
        if (!st) pp_equations_values(&k->e, &g.pose.problem, k->value[side], k->momentum[side]);
        pp_parameters_back(moved);
        pp_arena_release(&w->arena, mark);
    }
    if (st) return st;
    double *right = k->s.right + (size_t)k->e.n * (size_t)d,
           *momentum = k->s.momentum + (size_t)k->f->control.ndof * (size_t)d;
    double *change = k->value[1];
    for (int i = 0; i < pp_equations_count(&k->e); i++) change[i] = (change[i] - k->value[0][i]) / (2 * reach);
    pp_equations_chain(&k->e, &k->base.pose.problem, change);
    for (int i = 0; i < k->e.n; i++) right[i] -= change[i];
    for (int i = 0; i < k->f->control.ndof; i++) momentum[i] -= (k->momentum[1][i] - k->momentum[0][i]) / (2 * reach);
    return PERP_OK;
}

/* Velocities that enter through the momentum alone: it changes by M dv. */
static void add_momentum(work *k, int d) {
    const pp_frame *f = k->f;
    double *momentum = k->s.momentum + (size_t)f->control.ndof * (size_t)d;
    int lin = k->w->def.dim;
    for (int b = 0; b < f->control.nblock; b++) {
        const double *dv = pp_tangent_at(k->t, k->t->dv, d, f->control.block_body[b]),
                     *M = f->control.M + 36 * (size_t)b;
        int nd = f->control.block_ndof[b], at = f->control.block_offset[b];
        double v[6] = {dv[0], dv[1], lin == 2 ? dv[5] : dv[2], dv[3], dv[4], dv[5]};
        for (int r = 0; r < nd; r++)
            for (int c = 0; c < nd; c++) momentum[at + r] += M[6 * c + r] * v[c];
    }
}

static perp_status right_side(work *k, int d) {
    perp_tangent *t = k->t;
    double poses = pp_tangent_pose_size(t, d, k->length), parameters = pp_parameters_size(t, k->w, d),
           velocities = pp_tangent_velocity_size(t, k->w, d, k->speed);
    perp_status st = PERP_OK;
    if (poses > 0) st = take_difference(k, d, 1, 0, 0, PART / poses);
    if (!st && parameters > 0) st = take_difference(k, d, 0, 0, 1, PART / parameters);
    if (!st && velocities > 0 && k->simple)
        add_momentum(k, d);
    else if (!st && velocities > 0)
        st = take_difference(k, d, 0, 1, 0, PART / velocities);
    return st;
}

static perp_status solve(work *k, bool *open) {
    switch (pp_system_solve(&k->s, &k->w->arena)) {
    case PP_SYSTEM_SOLVED: return PERP_OK;
    case PP_SYSTEM_MEMORY: return pp_fail(k->w, PERP_E_MEMORY, "out of memory for the directions");
    case PP_SYSTEM_LARGE: return refuse(k->w, "an island has more than %d rows", PP_MOST_ROWS);
    case PP_SYSTEM_OPEN: *open = true; return refuse(k->w, "loads that the laws do not determine move a body");
    case PP_SYSTEM_CONTRADICTS: return refuse(k->w, "its contacts or joints contradict each other along a direction");
    case PP_SYSTEM_NUMERICS: break;
    }
    return refuse(k->w, "its equations have numbers that are not finite");
}

/* Does a parameter of the direction change the free rotation of a body? */
static bool changes_inertia(const perp_tangent *t, int d) {
    for (int i = 0; i < t->nseed; i++)
        if (t->seed[i].direction == d && t->seed[i].parameter.kind == PERP_PARAMETER_INERTIA) return true;
    return false;
}

/* The rotation of a block in space, and its angular velocity after it. */
static perp_status turn_on(work *k, int d, int b, const double *dnu, double *q, double *v) {
    perp_tangent *t = k->t;
    perp_world *w = k->w;
    const pp_frame *f = k->f;
    int slot = f->control.block_body[b];
    bool inertia = changes_inertia(t, d);
    const double *dq = pp_tangent_at(t, t->dq, d, slot), *at = k->e.at.nu + f->control.block_offset[b];
    double size = fmax(perp_v3_norm(pp_first3(dq + 3)), f->h * perp_v3_norm(pp_first3(dnu + 3)));
    if (inertia) size = fmax(size, pp_parameters_size(t, w, d));
    if (!(size > 0)) {
        memset(q + 3, 0, 3 * sizeof *q);
        memset(v + 3, 0, 3 * sizeof *v);
        return PERP_OK;
    }
    double reach = PART / size;
    pp_free_turn end[2];
    perp_quat X[2];
    for (int s = 0; s < 2; s++) {
        double by = s ? reach : -reach, nu[6];
        pp_arena_mark mark = pp_arena_here(&w->arena);
        pp_moved *moved = NULL;
        for (int c = 0; c < 6; c++) nu[c] = at[c] + by * dnu[c];
        k->moved.X[slot] = f->s0->X[slot];
        pp_tangent_turned(&k->moved.X[slot], &k->moved.theta[slot], dq, by, 3);
        perp_status st = inertia ? pp_parameters_move(t, w, d, by, &moved) : PERP_OK;
        bool told = !st && pp_move_block(f, b, &k->moved, nu, f->h, &k->end, &end[s]);
        pp_parameters_back(moved);
        pp_arena_release(&w->arena, mark);
        if (st) return st;
        if (!told) return refuse(w, "a body turns too far in one step");
        X[s] = k->end.X[slot].q;
    }
    pp_put3(q + 3, perp_v3_scale(1 / (2 * reach), perp_q_log(perp_q_mul(X[1], perp_q_conj(X[0])))));
    pp_put3(v + 3, perp_v3_scale(1 / (2 * reach), perp_v3_sub(end[1].w_to, end[0].w_to)));
    return PERP_OK;
}

/* Derivative of what takes the velocity of block b to the time of the end: of a part of its change in the step. The part is
 * taken as it is, also where friction is about to end a slip. */
static void show_later(work *k, int d, int b, const double *dnu) {
    const perp_tangent *t = k->t;
    int slot = k->f->control.block_body[b], nd = k->f->control.block_ndof[b], lin = k->w->def.dim;
    double dv[6], *later = pp_tangent_at(t, t->next_ddv, d, slot), part = k->f->later[b];
    bool back =
        (k->f->s0->mark[slot] & PP_VELOCITY_SHIFTED) && part == 0.5; /* from the velocity that is known at the start */
    if (back) part = 1;
    for (int c = 0; c < 6; c++)
        dv[c] = pp_tangent_at(t, t->dv, d, slot)[c] + (back ? pp_tangent_at(t, t->ddv, d, slot)[c] : 0);
    for (int c = 0; c < lin; c++) later[c] = part * (dnu[c] - dv[c]);
    if (lin == 2 && nd == 3) later[5] = part * (dnu[2] - dv[5]);
    for (int c = 3; c < nd && nd == 6; c++) later[c] = part * (dnu[c] - dv[c]);
}

/* Derivative of the motion with the velocity derivative that was found. */
static perp_status move_on(work *k, int d) {
    perp_tangent *t = k->t;
    const pp_frame *f = k->f;
    size_t n = 6 * (size_t)t->nbody * sizeof *t->dq;
    memcpy(pp_tangent_at(t, t->next_q, d, 0), pp_tangent_at(t, t->dq, d, 0), n);
    memset(pp_tangent_at(t, t->next_v, d, 0), 0, n);
    memset(pp_tangent_at(t, t->next_ddv, d, 0), 0, n);
    int lin = k->w->def.dim;
    for (int b = 0; b < f->control.nblock; b++) {
        int slot = f->control.block_body[b], nd = f->control.block_ndof[b];
        const double *dnu = k->s.dnu + (size_t)f->control.ndof * (size_t)d + f->control.block_offset[b];
        double *q = pp_tangent_at(t, t->next_q, d, slot), *v = pp_tangent_at(t, t->next_v, d, slot);
        for (int c = 0; c < lin; c++) {
            v[c] = dnu[c];
            q[c] += f->h * dnu[c];
        }
        if (lin == 2 && nd == 3) {
            v[5] = dnu[2];
            q[5] += f->h * dnu[2];
        }
        perp_status st = nd == 6 ? turn_on(k, d, b, dnu, q, v) : PERP_OK;
        if (st) return st;
        if (f->s0->lag > 0) show_later(k, d, b, dnu);
    }
    return PERP_OK;
}

/* All directions with given loads. */
static perp_status carry_all(perp_tangent *t, pp_frame *f, const perp_step_solution *loads, bool *open) {
    work k = {.t = t, .w = f->w, .f = f, .loads = loads};
    perp_status st = begin(&k);
    for (int d = 0; !st && d < t->def.directions; d++) st = right_side(&k, d);
    if (!st) st = solve(&k, open);
    for (int d = 0; !st && d < t->def.directions; d++) st = move_on(&k, d);
    return st;
}

/* Are two results the same for a direction? */
static bool same(const perp_tangent *t, const double *a, const double *b, int d) {
    size_t n = 6 * (size_t)t->nbody, from = n * (size_t)d;
    double most = 0, apart = 0;
    for (size_t i = from; i < from + n; i++) {
        most = fmax(most, fabs(b[i]));
        apart = fmax(apart, fabs(a[i] - b[i]));
    }
    return apart <= SAME * most;
}

/* Friction of a sliding contact turns with the slip, in proportion to its load. If loads of sliding contacts are not
 * determined and the derivative depends on them, it is the derivative of one of many possible motions. */
static perp_status at_modes(perp_tangent *t, pp_frame *const *frame, int n, const pp_loads *loads, bool *open) {
    perp_world *w = frame[0]->w;
    *open = false;
    perp_status st = suits(frame[0], n);
    if (!st && !loads->spread) return carry_all(t, frame[0], &loads->at, open);
    if (!st) st = carry_all(t, frame[0], &loads->other, open);
    if (st) return st;
    size_t all = 6 * (size_t)t->nbody * (size_t)t->def.directions;
    double *q = PP_ARENA_ARRAY(&w->arena, double, all), *v = PP_ARENA_ARRAY(&w->arena, double, all);
    if (!q || !v) return pp_fail(w, PERP_E_MEMORY, "out of memory for the directions");
    memcpy(q, t->next_q, all * sizeof *q);
    memcpy(v, t->next_v, all * sizeof *v);
    st = carry_all(t, frame[0], &loads->at, open);
    for (int d = 0; !st && d < t->def.directions; d++)
        if (!same(t, q, t->next_q, d) || !same(t, v, t->next_v, d)) {
            *open = true;
            st = refuse(w, "it depends on loads that the laws do not determine");
        }
    return st;
}

perp_status pp_tangent_modes(perp_tangent *t, pp_frame *const *frame, int n, const pp_loads *loads, bool *open) {
    perp_world *w = frame[0]->w;
    if (!pp_was_moved_back(frame[0])) return at_modes(t, frame, n, loads, open);
    *open = false;
    size_t all = 6 * (size_t)t->nbody * (size_t)t->def.directions;
    double *dv = PP_ARENA_ARRAY(&w->arena, double, all), *ddv = PP_ARENA_ARRAY(&w->arena, double, all);
    if (!dv || !ddv) return pp_fail(w, PERP_E_MEMORY, "out of memory for the directions");
    perp_status st = pp_tangent_moved_back(t, w, dv, ddv);
    if (st) return st;
    double *given_v = t->dv, *given_ddv = t->ddv; /* those of the time of the poses */
    t->dv = dv;
    t->ddv = ddv;
    st = at_modes(t, frame, n, loads, open);
    t->dv = given_v;
    t->ddv = given_ddv;
    return st;
}
