/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_shift.c - shifts velocities in time between the flights of a step that is divided at impacts
 * Problem  The velocities of a step of length h belong to the time h/2 before its poses. An impact needs the velocities at the time of
 *          the poses. The flight after it, of length tau, needs those at tau/2 before the poses.
 * Method   nu' = nu + c a. The acceleration a includes contacts and joints: it is the difference of two solutions, with forces and
 *          without, divided by h.
 * Ledger   The energy change is entered as sampling, -(S' - S) with S = 1/2 h f.nu, and as drift. For free bodies the drift is
 *          1/8 (h^2 - h'^2) f.a. For constant forces it cancels over the step. */
#include "step/impact_shift.h"

#include <string.h>

#include "stage/stepper.h"
#include "method/contact/solve_contacts.h"
#include "stage/certify/certify.h"
#include "stage/control/control.h"

static perp_status no_memory(perp_world *w) { return pp_fail(w, PERP_E_MEMORY, "out of memory for the impacts"); }

pp_state *pp_state_duplicate(perp_world *w, const pp_state *s) {
    pp_state *to = PP_ARENA_ZERO(&w->arena, pp_state, 1);
    if (!to || pp_state_new(w, to)) return NULL;
    pp_state_copy(w, to, s);
    return to;
}

bool pp_any_driven(const perp_world *w) {
    for (int i = 0; i < w->nbody; i++)
        if (pp_alive(w->body[i].gen) && w->body[i].kind == PERP_BODY_KINEMATIC && w->body[i].motion) return true;
    return false;
}

/* Sets the velocities of driven bodies in a frame of pp_acceleration(). Without forces they are those at the time
 * m.behind/2 before the poses. With forces, the change that their mean acceleration up to the time to/2 before the
 * poses makes in a whole step is added. So a body that rests on a driven body is accelerated with it. */
static perp_status accelerate_driven(const pp_order *o, double to, pp_frame *f, bool forces) {
    const perp_world *w = o->m.w;
    perp_status st = pp_any_driven(w) ? pp_driven_velocities(f, -0.5 * o->m.behind, f->s1->v, f->s1->w) : PERP_OK;
    if (st || !forces || !pp_any_driven(w)) return st;
    perp_vec3 *then[2], *now[2] = {f->s1->v, f->s1->w};
    for (int k = 0; k < 2; k++) {
        then[k] = PP_ARENA_ARRAY(&f->w->arena, perp_vec3, w->nbody);
        if (!then[k]) return no_memory(f->w);
        memcpy(then[k], now[k], (size_t)w->nbody * sizeof *then[k]);
    }
    st = pp_driven_velocities(f, -0.5 * to, then[0], then[1]);
    double steps = f->h / (0.5 * (o->m.behind - to));
    for (int i = 0; !st && i < w->nbody; i++)
        for (int k = 0; k < 2 && w->body[i].kind == PERP_BODY_KINEMATIC; k++)
            now[k][i] = perp_v3_axpy(now[k][i], steps, perp_v3_sub(then[k][i], now[k][i]));
    return st;
}

perp_status pp_acceleration(pp_order *o, double to, pp_accelerated *out) {
    perp_world *w = o->m.w;
    pp_frame *f[2];
    for (int k = 0; k < 2; k++) {
        f[k] = PP_ARENA_ZERO(&w->arena, pp_frame, 1);
        pp_state *s0 = pp_state_duplicate(w, o->m.s), *s1 = pp_state_duplicate(w, o->m.s);
        if (!f[k] || !s0 || !s1) return no_memory(w);
        *f[k] = (pp_frame){
            .w = w,
            .s0 = s0,
            .s1 = s1,
            .h = w->def.h,
            .purpose = k ? PP_START_FREE : PP_START_FORCED,
            .task = {
                .held = o->m.held, .acts = o->m.acts, .flying = o->flying, .nflying = o->nflying, .reach_factor = 2}};
        perp_status st = pp_control(f[k]);
        if (!st) st = accelerate_driven(o, to, f[k], k == 0);
        if (!st) st = pp_solve_contacts(f[k]);
        if (st) return st;
        if (k == 0 && f[0]->pose.problem.ncontact == 0 && f[0]->pose.problem.njoint == 0) break;
        if (k == 1) f[0]->demand.slip_nu = f[1]->solve.solution.nu; /* stored here to find it below */
    }
    *out = (pp_accelerated){.a = PP_ARENA_ZERO(&w->arena, double, f[0]->control.ndof),
                            .at = f[0],
                            .without = f[0]->demand.slip_nu ? f[1] : NULL};
    if (!out->a) return no_memory(w);
    for (int b = 0; b < f[0]->control.nblock; b++) {
        int off = f[0]->control.block_offset[b], nd = f[0]->control.block_ndof[b];
        for (int i = 0; i < nd; i++) {
            double sum = 0;
            if (f[0]->demand.slip_nu)
                sum = f[0]->solve.solution.nu[off + i] - f[0]->demand.slip_nu[off + i];
            else
                for (int j = 0; j < nd; j++)
                    sum += f[0]->control.Minv[36 * b + 6 * j + i] * pp_force_impulse(f[0], off + j);
            out->a[off + i] = sum / w->def.h;
        }
    }
    return PERP_OK;
}

static double dot_mass(const pp_frame *f, const double *x, const double *y) {
    double sum = 0;
    for (int b = 0; b < f->control.nblock; b++) {
        int off = f->control.block_offset[b], nd = f->control.block_ndof[b];
        for (int c = 0; c < nd; c++)
            for (int r = 0; r < nd; r++) sum += x[off + r] * f->control.M[36 * b + 6 * c + r] * y[off + c];
    }
    return sum;
}

static double dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

perp_status pp_shift_velocities(pp_order *o, double from, double to, const pp_accelerated *x) {
    perp_world *w = o->m.w;
    double *a = x->a, c = 0.5 * (from - to);
    pp_frame *f = x->at;
    if (w->chosen.stepper->half_kicks || from == to) return PERP_OK;
    double *nu = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof),
           *mean = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    double *change = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    if (!nu || !mean || !change) return no_memory(w);
    for (int i = 0; i < f->control.ndof; i++) {
        change[i] = c * a[i];
        nu[i] = f->control.nu0[i] + change[i];
        mean[i] = f->control.nu0[i] + 0.5 * change[i];
    }
    int dim = w->def.dim;
    pp_state *s = o->m.s;
    for (int b = 0; b < f->control.nblock; b++) {
        int slot = f->control.block_body[b], nd = f->control.block_ndof[b];
        const double *v = nu + f->control.block_offset[b];
        s->v[slot] = perp_v3(v[0], v[1], dim == 3 ? v[2] : 0);
        if (nd > dim) s->w[slot] = dim == 2 ? perp_v3(0, 0, v[2]) : perp_v3(v[3], v[4], v[5]);
        if (s->lag == 0) continue;
        /* the correction back to the time of the poses, see step/stagger.h */
        const double *d = change + f->control.block_offset[b];
        s->dv[slot] = from == 0 ? perp_v3(-d[0], -d[1], dim == 3 ? -d[2] : 0) : perp_v3(0, 0, 0);
        s->dw[slot] = perp_v3(0, 0, 0);
        if (nd > dim && from == 0) s->dw[slot] = dim == 2 ? perp_v3(0, 0, -d[2]) : perp_v3(-d[3], -d[4], -d[5]);
    }
    /* substep lengths as in the ledgers of the previous and of this flight */
    double part = c / w->def.h, before = from == 0 ? 0 : s->substep > 0 ? s->substep : from, after = fmin(to, o->x->h);
    double S =
        0.5 / w->def.h *
        (after * (dot(f->control.ndof, f->control.i_gravity, nu) + dot(f->control.ndof, f->control.i_spring, nu)) -
         before * (dot(f->control.ndof, f->control.i_gravity, f->control.nu0) +
                   dot(f->control.ndof, f->control.i_spring, f->control.nu0)));
    double applied = part * dot(f->control.ndof, f->control.i_applied, mean),
           damping = part * dot(f->control.ndof, f->control.i_damper, mean);
    o->moved.applied += applied;
    o->moved.damping += damping;
    o->moved.sampling -= S;
    o->moved.drift += dot_mass(f, mean, change) - applied - damping + S;
    if (to > 0) s->substep = after;
    o->m.behind = to;
    pp_state *end = f->s1;
    f->s1 = s;
    pp_tamper(f, PP_SHIFTED);
    o->shift = fmax(o->shift, pp_recheck_shift(f, x->without, part));
    f->s1 = end;
    return PERP_OK;
}

/* A step may have hundreds of flights, so the arena memory is released. */
perp_status pp_move_velocities(pp_order *o, double from, double to) {
    perp_world *w = o->m.w;
    if (w->chosen.stepper->half_kicks || from == to) return PERP_OK;
    pp_accelerated x;
    o->m.behind = from;
    pp_arena_mark mark = pp_arena_here(&w->arena);
    perp_status st = pp_acceleration(o, to, &x);
    if (!st) st = pp_shift_velocities(o, from, to, &x);
    pp_arena_release(&w->arena, mark);
    return st;
}
