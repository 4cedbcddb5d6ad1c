/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tangent_help.h - what the tests of tangents share: directions, and tangents beside differences of runs. */
#ifndef PERP_TEST_TANGENT_HELP_H
#define PERP_TEST_TANGENT_HELP_H

#include "../unit/world_help.h"

#include "scenes.h"

static inline perp_tangent *tangent_of(perp_world *w, int directions, perp_tangent_method method) {
    perp_tangent_def d = perp_tangent_def_default();
    d.directions = directions;
    d.method = method;
    perp_tangent *t;
    OK(w, perp_world_tangent(w, &d, &t));
    return t;
}

static inline void seed(perp_tangent *t, perp_world *w, int direction, perp_parameter p) {
    OK(w, perp_tangent_seed(t, w, direction, &p, 1));
}

static inline perp_vec3 moved(const perp_tangent *t, int d, perp_body_id b) {
    perp_vec3 x;
    assert_int_equal(perp_tangent_pose(t, d, b, &x, NULL), PERP_OK);
    return x;
}
static inline perp_vec3 turned(const perp_tangent *t, int d, perp_body_id b) {
    perp_vec3 x;
    assert_int_equal(perp_tangent_pose(t, d, b, NULL, &x), PERP_OK);
    return x;
}

/* A direction that tests go along. */
typedef struct aim {
    bool is_parameter;
    perp_parameter parameter;
    perp_body_id body; /* else its pose and velocity change so: */
    perp_vec3 dp, turn, dv, dw;
} aim;

static inline void set(perp_tangent *t, perp_world *w, int d, const aim *a) {
    if (a->is_parameter) {
        seed(t, w, d, a->parameter);
        return;
    }
    OK(w, perp_tangent_set_pose(t, d, a->body, a->dp, a->turn));
    perp_body_def b;
    OK(w, perp_body_get(w, a->body, &b));
    if (b.kind == PERP_BODY_DYNAMIC) OK(w, perp_tangent_set_velocity(t, d, a->body, a->dv, a->dw));
}

/* Largest difference of two tangents along a direction, over the largest entry: of poses, or of velocities. */
static inline double unlike(const perp_world *w, const perp_tangent *a, const perp_tangent *b, int d, bool rates) {
    perp_body_id body[SCENE_MAX];
    int n = perp_world_bodies(w, body, SCENE_MAX);
    double most = 0, apart = 0;
    for (int i = 0; i < n; i++) {
        perp_vec3 x[2], y[2];
        if (rates) {
            (void)perp_tangent_velocity(a, d, body[i], &x[0], &x[1]);
            (void)perp_tangent_velocity(b, d, body[i], &y[0], &y[1]);
        } else {
            (void)perp_tangent_pose(a, d, body[i], &x[0], &x[1]);
            (void)perp_tangent_pose(b, d, body[i], &y[0], &y[1]);
        }
        for (int k = 0; k < 2; k++) {
            most = fmax(most, perp_v3_norm(x[k]));
            double gap = perp_v3_norm(perp_v3_sub(x[k], y[k]));
            apart = gap <= apart ? apart : gap; /* NaN counts */
        }
    }
    return apart / fmax(most, 0.01); /* what does not change at all has rounding only */
}

/* How far runs are moved: rounding falls with it, curvature grows with its square. */
static double witness = 1e-5;

/* Tangents at the modes and differences of the whole run, side by side; both worlds end. The world that has tangents goes
 * as one without. */
static inline int agree_by(perp_tangent_method method, const char *what, perp_world *w, const aim *aims, int n,
                           int steps, double tolerance) {
    perp_world *other, *plain;
    OK(w, perp_world_clone(w, &other));
    OK(w, perp_world_clone(w, &plain));
    perp_tangent *t = tangent_of(w, n, method), *r = NULL;
    perp_tangent_def rd = perp_tangent_def_default();
    rd.directions = n;
    rd.method = PERP_TANGENT_RUNS;
    rd.difference = witness;
    OK(other, perp_world_tangent(other, &rd, &r));
    for (int d = 0; d < n; d++) {
        set(t, w, d, &aims[d]);
        set(r, other, d, &aims[d]);
    }
    for (int i = 0; i < steps; i++) {
        perp_status st = perp_tangent_step(t, w, NULL);
        if (st) fail_msg("%s, step %d: %s: %s", what, i, perp_status_name(st), perp_world_why(w));
        OK(other, perp_tangent_step(r, other, NULL));
        OK(plain, perp_world_step(plain, NULL));
        if (perp_world_hash(w) != perp_world_hash(plain)) fail_msg("%s, step %d: another way", what, i);
    }
    for (int d = 0; d < n; d++)
        for (int k = 0; k < 2; k++) {
            double off = unlike(w, t, r, d, k);
            if (!(off <= tolerance))
                fail_msg("%s, direction %d: %s differ by %g of the largest", what, d, k ? "velocities" : "poses", off);
        }
    int differenced = (int)perp_tangent_report(t).differenced;
    perp_tangent_free(t);
    perp_tangent_free(r);
    perp_world_destroy(w);
    perp_world_destroy(other);
    perp_world_destroy(plain);
    return differenced;
}

static inline void agree(const char *what, perp_world *w, const aim *aims, int n, int steps, double tolerance) {
    (void)agree_by(PERP_TANGENT_MODES, what, w, aims, n, steps, tolerance);
}

static inline aim along_parameter(perp_parameter p) { return (aim){.is_parameter = true, .parameter = p}; }

static const perp_parameter friction_of_all = {.kind = PERP_PARAMETER_MU, .material = {-1, -1}};

#endif
