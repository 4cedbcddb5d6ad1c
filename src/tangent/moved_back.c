/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* moved_back.c - derivatives of the velocities that a step begins with
 *
 * Problem  Before the first step, and where a velocity is set, joints stop what contradicts them (step/joint_start.h). There, and where a
 *          force jumps, a staggered step moves velocities back by half a step of the constrained acceleration (step/stagger.h). Wanted: the
 *          directions of the velocities after that.
 * Method   Central differences of the stage as it is, along the direction as a whole. Its problems are at velocity level.
 * Valid    If no mode of these problems changes between the two.
 * Cost     Four solutions for each direction, in such steps only. */
#include <string.h>

#include "tangent/tangent_internal.h"
#include "step/joint_start.h"
#include "step/stagger.h"
#include "stage/control/control.h"

/* Of a difference, relative to lengths, speeds and parameters: between curvature and the residual of solvers. */
#define PART 2e-6

/* The state at the start of the step with the direction added, moved back. */
static perp_status start_beside(const perp_tangent *t, perp_world *w, int d, double by, pp_state *s) {
    pp_moved *moved = NULL;
    const perp_wrench *held = NULL;
    pp_state now = w->state;
    pp_state_copy(w, s, &w->state);
    pp_tangent_move_state(t, w, d, by, by, s);
    perp_status st = pp_parameters_move(t, w, d, by, &moved);
    pp_frame *impact = NULL;
    if (!st) st = pp_start_on_joints(w, s, &impact);
    w->state = impact ? *impact->s1 : *s; /* functions of the user read the world */
    if (!st) st = pp_control_held(w, &held);
    w->state = now;
    if (!st) st = pp_stagger(w, s, held);
    pp_parameters_back(moved);
    return st;
}

bool pp_was_moved_back(const pp_frame *f) {
    int changed = f->s0->lag > 0 ? PP_VELOCITY_SHIFTED : f->w->njoint > 0 ? PP_VELOCITY_SET : 0;
    bool any = false;
    for (int i = 0; changed && i < f->control.nblock; i++)
        any |= (f->s0->mark[f->control.block_body[i]] & changed) != 0;
    return any;
}

perp_status pp_tangent_moved_back(const perp_tangent *t, perp_world *w, double *dv, double *ddv) {
    double length, speed;
    pp_tangent_sizes(w, &w->state, &length, &speed);
    pp_state side[2];
    perp_status st = pp_state_new(w, &side[0]);
    if (!st) st = pp_state_new(w, &side[1]);
    for (int d = 0; !st && d < t->def.directions; d++) {
        double size = fmax(pp_tangent_pose_size(t, d, length), pp_tangent_velocity_size(t, w, d, speed));
        size = fmax(size, pp_parameters_size(t, w, d));
        size_t n = 6 * (size_t)t->nbody * sizeof *dv;
        memset(pp_tangent_at(t, dv, d, 0), 0, n);
        memset(pp_tangent_at(t, ddv, d, 0), 0, n);
        if (!(size > 0)) continue;
        double reach = PART / size, s = 1 / (2 * reach);
        pp_arena_mark mark = pp_arena_here(&w->arena);
        for (int k = 0; !st && k < 2; k++) st = start_beside(t, w, d, k ? reach : -reach, &side[k]);
        pp_arena_release(&w->arena, mark);
        for (int i = 0; !st && i < t->nbody; i++) {
            if (t->kind[i] != PERP_BODY_DYNAMIC || !pp_alive(t->gen[i])) continue;
            double *v = pp_tangent_at(t, dv, d, i), *later = pp_tangent_at(t, ddv, d, i);
            pp_put3(v, perp_v3_scale(s, perp_v3_sub(side[1].v[i], side[0].v[i])));
            pp_put3(v + 3, perp_v3_scale(s, perp_v3_sub(side[1].w[i], side[0].w[i])));
            pp_put3(later, perp_v3_scale(s, perp_v3_sub(side[1].dv[i], side[0].dv[i])));
            pp_put3(later + 3, perp_v3_scale(s, perp_v3_sub(side[1].dw[i], side[0].dw[i])));
        }
    }
    return st;
}
