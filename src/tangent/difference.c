/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* difference.c - derivatives by central differences of steps and of runs
 *
 * Problem  The derivative dF along a direction, where F is a step or a run with any stepper.
 * Method   (F(z + e dz, theta + e dtheta) - F(z - e dz, theta - e dtheta))/2e with two clones of the world. The clones
 *          share everything else with it: stored impulses for warm starts, motions, functions of the user. A step is
 *          differenced from its own start. A run keeps its two worlds for each direction.
 * Valid    If no mode changes between the two, the error is e^2 times a third derivative plus the residual of the solvers
 *          over e. If a mode changes, the difference spans a kink or a jump; the certificates show this.
 * Cost     Two steps for each direction. Steps also need two clones. */
#include "tangent/tangent_internal.h"

#include <string.h>

/* A clone of the world that does not log. */
static perp_status quiet_clone(perp_world *w, perp_world **out) {
    perp_status st = perp_world_clone(w, out);
    if (st) return pp_fail(w, st, "a direction needs a copy of the world: %s", perp_status_text(st));
    (*out)->def.log = (perp_log){0};
    (*out)->run.stop = w->run.stop;
    return PERP_OK;
}

/* Moves a clone by `by` along a direction. */
static perp_status lead(const perp_tangent *t, perp_world *c, int direction, double by) {
    pp_tangent_move_state(t, c, direction, by, by, &c->state);
    return pp_parameters_move(t, c, direction, by, NULL);
}

/* Length of the difference along a direction; 0 for a zero direction. */
static double reach_of(const perp_tangent *t, perp_world *w, int direction) {
    double length, speed;
    pp_tangent_sizes(w, &w->state, &length, &speed);
    double size = fmax(pp_tangent_pose_size(t, direction, length), pp_tangent_velocity_size(t, w, direction, speed));
    size = fmax(size, pp_parameters_size(t, w, direction));
    return size > 0 ? t->def.difference / size : 0;
}

/* Do two steps differ in what their contacts did? */
static bool other_modes(const perp_certificate *a, const perp_certificate *b) {
    return a->sticking != b->sticking || a->sliding != b->sliding || a->substeps != b->substeps ||
           a->rebounds_limited != b->rebounds_limited;
}

static perp_status step_beside(perp_tangent *t, perp_world *w, perp_world *c, const perp_certificate *cert) {
    perp_certificate beside;
    perp_status st = perp_world_step(c, &beside);
    if (st) return pp_fail(w, st, "the step of a direction, beside the world's own, failed: %s", perp_world_why(c));
    t->state.near_change |= other_modes(cert, &beside);
    return PERP_OK;
}

/* The image of a zero direction. */
static void stay(perp_tangent *t, int direction) {
    size_t n = 6 * (size_t)t->nbody * sizeof *t->dq;
    memcpy(pp_tangent_at(t, t->next_q, direction, 0), pp_tangent_at(t, t->dq, direction, 0), n);
    memcpy(pp_tangent_at(t, t->next_v, direction, 0), pp_tangent_at(t, t->dv, direction, 0), n);
    memcpy(pp_tangent_at(t, t->next_ddv, direction, 0), pp_tangent_at(t, t->ddv, direction, 0), n);
}

perp_status pp_tangent_steps(perp_tangent *t, perp_world *w, const perp_certificate *cert) {
    perp_status st = PERP_OK;
    for (int d = 0; !st && d < t->def.directions; d++) {
        double reach = reach_of(t, w, d);
        if (reach == 0) {
            stay(t, d);
            continue;
        }
        perp_world *side[2] = {NULL, NULL};
        for (int k = 0; !st && k < 2; k++) {
            st = quiet_clone(w, &side[k]);
            if (!st) st = lead(t, side[k], d, k ? reach : -reach);
            if (!st) st = step_beside(t, w, side[k], cert);
        }
        if (!st) pp_tangent_between(t, w, d, &side[0]->state, &side[1]->state, reach);
        perp_world_destroy(side[0]);
        perp_world_destroy(side[1]);
    }
    return st;
}

void pp_tangent_runs_end(perp_tangent *t) {
    for (int i = 0; t->run && i < 2 * t->def.directions; i++) perp_world_destroy(t->run[i]);
    pp_free(&t->alloc, t->run);
    pp_free(&t->alloc, t->reach);
    t->run = NULL;
    t->reach = NULL;
}

perp_status pp_tangent_runs_begin(perp_tangent *t, perp_world *w) {
    size_t n = (size_t)t->def.directions;
    t->run = pp_alloc(&t->alloc, 2 * n * sizeof(perp_world *));
    t->reach = pp_alloc(&t->alloc, n * sizeof *t->reach);
    perp_status st = t->run && t->reach ? PERP_OK : pp_fail(w, PERP_E_MEMORY, "out of memory for the runs");
    for (size_t i = 0; t->run && i < 2 * n; i++) t->run[i] = NULL;
    for (int d = 0; !st && d < t->def.directions; d++) {
        t->reach[d] = reach_of(t, w, d);
        for (int k = 0; !st && k < 2 && t->reach[d] > 0; k++) {
            st = quiet_clone(w, &t->run[2 * d + k]);
            if (!st) st = lead(t, t->run[2 * d + k], d, k ? t->reach[d] : -t->reach[d]);
        }
    }
    if (st) pp_tangent_runs_end(t);
    return st;
}

perp_status pp_tangent_runs(perp_tangent *t, perp_world *w, const perp_certificate *cert) {
    perp_status st = PERP_OK;
    for (int d = 0; !st && d < t->def.directions; d++) {
        perp_world *const *side = t->run + 2 * d;
        if (!side[0]) {
            stay(t, d);
            continue;
        }
        for (int k = 0; !st && k < 2; k++) st = step_beside(t, w, side[k], cert);
        if (!st) pp_tangent_between(t, w, d, &side[0]->state, &side[1]->state, t->reach[d]);
    }
    if (st)
        pp_tangent_runs_end(
            t); /* only some worlds made the step: all of them are made again from the present directions */
    return st;
}
