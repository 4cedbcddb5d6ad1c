/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_scenes.h - the small scenes of the tests of "peg", and what stepping them must keep. */
#ifndef PERP_TEST_PEG_SCENES_H
#define PERP_TEST_PEG_SCENES_H

#include "touch_witness.h"
#include "unit/world_help.h"

static inline int shorter(int n) { /* as long_run() in check.h */
#ifdef PERP_TEST_SHORT
    return n < 8 ? n : n / 8;
#else
    return n;
#endif
}

static inline perp_world *peg_world_of(int dim, double h, perp_start start, double g, perp_form form) {
    perp_world_def d = perp_world_def_default(dim);
    d.form = form;
    d.h = h;
    d.start = start;
    d.contact_model = "peg";
    d.gravity_W = dim == 2 ? perp_v3(0, -g, 0) : perp_v3(0, 0, -g);
    return world_of(&d);
}
static inline perp_world *peg_world(int dim, double h, perp_start start, double g) {
    return peg_world_of(dim, h, start, g, PERP_FORM_LCP);
}
/* Friction cones in space: large pyramids take long. */
static inline perp_world *peg_world_with(int dim, double h, double mu) {
    perp_world *w = peg_world_of(dim, h, PERP_START_PLAIN, 9.81, dim == 3 && mu > 0 ? PERP_FORM_CONE : PERP_FORM_LCP);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu, .restitution = 0}));
    return w;
}

static inline perp_body_id add_solid(perp_world *w, perp_body_kind kind, perp_shape_def s, double density, perp_pose X,
                                     perp_vec3 v, perp_vec3 spin) {
    perp_body_def d = perp_body_def_default(kind);
    d.X_WB = X;
    if (kind == PERP_BODY_DYNAMIC) {
        d.particle = s.kind == PERP_SHAPE_PARTICLE;
        if (!d.particle) OK(w, perp_body_def_mass(&d, &s, perp_world_dim(w), density));
    }
    d.v_W = v;
    d.w_W = spin;
    perp_body_id b = add_def(w, &d);
    add_shape(w, b, s);
    return b;
}

static const perp_vec3 none = {0, 0, 0};
static inline perp_body_id add_fixed(perp_world *w, perp_shape_def s, perp_pose X) {
    return add_solid(w, PERP_BODY_OBSTACLE, s, 0, X, none, none);
}
static inline perp_body_id add_free(perp_world *w, perp_shape_def s, perp_pose X, perp_vec3 v) {
    return add_solid(w, PERP_BODY_DYNAMIC, s, 1, X, v, none);
}

/* An equilateral triangle with its centre at the origin, of Williams' chapter 5. */
static inline perp_shape_def triangle(double side) {
    static perp_vec3 p[2][3];
    static int turn;
    perp_vec3 *q = p[turn ^= 1];
    double low = -side / (2 * sqrt(3.0));
    q[0] = perp_v3(-side / 2, low, 0);
    q[1] = perp_v3(side / 2, low, 0);
    q[2] = perp_v3(0, -2 * low, 0);
    return perp_shape_polygon(q, 3);
}

/* Steps that must succeed; what the certificate and the witness saw. */
typedef struct watched {
    double overlap, gain; /* deepest; largest energy from contact in a step */
    touch_figures touch;
    int substeps;
} watched;

static inline watched run_watched(perp_world *w, int n) {
    watched f = {0};
    for (int i = 0; i < n; i++) {
        perp_certificate c = {0};
        OK(w, perp_world_step(w, &c));
        assert_true(c.accepted);
        f.overlap = fmax(f.overlap, c.overlap);
        f.gain = fmax(f.gain, c.ledger.normal + c.ledger.friction);
        f.substeps += c.substeps - 1;
        watch_contacts(w, 1e-9, &f.touch);
    }
    return f;
}

static inline double miss(const perp_world *w, perp_body_id b, double x, double y) {
    perp_pose X = pose_of(w, b);
    return hypot(X.p.x - x, X.p.y - y);
}
static inline double angle_of(const perp_world *w, perp_body_id b) {
    double a = NAN;
    OK(w, perp_body_angle(w, b, &a));
    return a;
}

/* Step sizes from 1 to 16 ms, as the number of steps in a second and a half. */
static const int steps_in_1_5[11] = {1500, 750, 500, 375, 300, 250, 188, 150, 125, 107, 94};

#endif
