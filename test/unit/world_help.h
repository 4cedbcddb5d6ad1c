/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* world_help.h - what the tests of worlds share: checks with the world's own words, parts with few arguments. */
#ifndef PERP_TEST_WORLD_HELP_H
#define PERP_TEST_WORLD_HELP_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/perp.h"

#define PI 3.14159265358979323846

/* The call succeeds, or the test fails with the world's sentence. */
#define OK(w, call)                                                                                  \
    do {                                                                                             \
        perp_status st_ = (call);                                                                    \
        if (st_) fail_msg("%s: %s: %s", #call, perp_status_name(st_), (w) ? perp_world_why(w) : ""); \
    } while (0)

#define NEAR(x, y, tolerance)                                                                   \
    do {                                                                                        \
        double x_ = (x), y_ = (y), t_ = (tolerance);                                            \
        if (!(fabs(x_ - y_) <= t_))                                                             \
            fail_msg("%s = %.17g, not %.17g (off by %g, allowed %g)", #x, x_, y_, x_ - y_, t_); \
    } while (0)

/* x <= y, false for NaN. */
#define BELOW(x, y)                                                                  \
    do {                                                                             \
        double x_ = (x), y_ = (y);                                                   \
        if (!(x_ <= y_)) fail_msg("%s = %.17g is above %s = %.17g", #x, x_, #y, y_); \
    } while (0)

static inline perp_world *world_of(const perp_world_def *def) {
    perp_world *w;
    char why[256];
    perp_status st = perp_world_create_why(def, &w, why, sizeof why);
    if (st) fail_msg("world: %s: %s", perp_status_name(st), why);
    return w;
}

/* A world without gravity, with the plain step, whose numbers are those of the equations as printed. */
static inline perp_world *weightless(int dim, double h) {
    perp_world_def d = perp_world_def_default(dim);
    d.start = PERP_START_PLAIN;
    d.gravity_W = perp_v3(0, 0, 0);
    d.h = h;
    return world_of(&d);
}

static inline perp_body_id add_def(perp_world *w, const perp_body_def *d) {
    perp_body_id id;
    OK(w, perp_body_add(w, d, &id));
    return id;
}

/* A dynamic body of this mass, its inertia the same about all axes. */
static inline perp_body_id add_mass(perp_world *w, double mass, double inertia, perp_pose X) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.mass = mass;
    d.I_B = perp_m3_diag(inertia, inertia, inertia);
    d.X_WB = X;
    return add_def(w, &d);
}

static inline perp_shape_id add_shape(perp_world *w, perp_body_id b, perp_shape_def s) {
    perp_shape_id id;
    OK(w, perp_shape_add(w, b, &s, &id));
    return id;
}

/* The direction against gravity: y in 2D, z in 3D. */
static inline perp_vec3 up(int dim) { return dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1); }

static inline perp_pose at_height(int dim, double x, double height) {
    return dim == 2 ? perp_pose_at(x, height, 0) : perp_pose_at(x, 0, height);
}

static inline double height_of(const perp_world *w, perp_body_id b) {
    perp_pose X;
    OK(w, perp_body_pose(w, b, &X));
    return perp_world_dim(w) == 2 ? X.p.y : X.p.z;
}

static inline perp_body_id add_floor(perp_world *w) {
    perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id b = add_def(w, &d);
    add_shape(w, b, perp_shape_halfspace(up(perp_world_dim(w)), 0));
    return b;
}

static inline perp_joint_id add_joint(perp_world *w, const perp_joint_def *d) {
    perp_joint_id id;
    OK(w, perp_joint_add(w, d, &id));
    return id;
}

static inline perp_force_id add_force(perp_world *w, const perp_force_def *d) {
    perp_force_id id;
    OK(w, perp_force_add(w, d, &id));
    return id;
}

/* n steps, each accepted. */
static inline perp_certificate run(perp_world *w, int n) {
    perp_certificate c = {0};
    for (int i = 0; i < n; i++) {
        OK(w, perp_world_step(w, &c));
        if (!c.accepted) fail_msg("step %d was not accepted", i);
    }
    return c;
}

static inline perp_pose pose_of(const perp_world *w, perp_body_id b) {
    perp_pose X = perp_pose_identity();
    OK(w, perp_body_pose(w, b, &X));
    return X;
}

static inline perp_vec3 velocity_of(const perp_world *w, perp_body_id b) {
    perp_vec3 v = {0, 0, 0};
    OK(w, perp_body_velocity(w, b, &v, NULL));
    return v;
}

static inline perp_vec3 spin_of(const perp_world *w, perp_body_id b) {
    perp_vec3 v = {0, 0, 0};
    OK(w, perp_body_velocity(w, b, NULL, &v));
    return v;
}

static inline double coord_of(const perp_world *w, perp_joint_id j, int k) {
    double x[PERP_JOINT_MAX_COORD] = {0};
    OK(w, perp_joint_read(w, j, x, NULL));
    return x[k];
}

static inline double rate_of(const perp_world *w, perp_joint_id j, int k) {
    double x[PERP_JOINT_MAX_COORD] = {0};
    OK(w, perp_joint_read(w, j, NULL, x));
    return x[k];
}

/* Steps that must succeed; their certificates taken together. */
static inline perp_certificate go(perp_world *w, int steps) {
    perp_certificate sum = {0}, c;
    for (int i = 0; i < steps; i++) {
        OK(w, perp_world_step(w, &c));
        perp_certificate_add(&sum, &c);
    }
    return sum;
}

#endif
