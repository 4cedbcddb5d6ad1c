/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* check.h - what most tests need: cmocka, close numbers with a message, stepping that must succeed. */
#ifndef PERP_TEST_CHECK_H
#define PERP_TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenes.h"

/* Long runs are cut to an eighth in builds that are slow on purpose (sanitizers, coverage), where other things are
 * looked for. */
static inline int long_run(int n) {
#ifdef PERP_TEST_SHORT
    return n < 8 ? n : n / 8;
#else
    return n;
#endif
}

/* |a - b| <= tol, and neither is NaN. */
#define assert_near(a, b, tol) assert_near_at((a), (b), (tol), #a, __FILE__, __LINE__)

static inline void assert_near_at(double a, double b, double tol, const char *what, const char *file, int line) {
    if (fabs(a - b) <= tol) return;
    print_error("%s = %.17g, expected %.17g within %.3g (off by %.3g)\n", what, a, b, tol, a - b);
    _fail(file, line);
}

/* a <= limit, and a is not NaN. */
#define assert_below(a, limit) assert_below_at((a), (limit), #a, __FILE__, __LINE__)

static inline void assert_below_at(double a, double limit, const char *what, const char *file, int line) {
    if (a <= limit) return;
    print_error("%s = %.6g, allowed is %.6g\n", what, a, limit);
    _fail(file, line);
}

/* The worst of a run. */
typedef struct run_figures {
    double residual;  /* largest law residual [L/T] */
    double overlap;   /* [L] */
    double remainder; /* largest |ledger remainder| over the size of the account */
    double turning;   /* sum of |turning| */
    double joint_error;
    double kinetic; /* largest kinetic energy */
    int substeps, fallbacks;
} run_figures;

static inline void note_step(run_figures *f, const perp_certificate *c) {
    const double law[] = {c->law.momentum, c->law.joint, c->law.normal, c->law.cone, c->law.dissipation};
    for (int i = 0; i < 5; i++) f->residual = fmax(f->residual, law[i]);
    f->overlap = fmax(f->overlap, c->overlap);
    f->joint_error = fmax(f->joint_error, c->joint_error);
    const perp_ledger *l = &c->ledger;
    double size = fmax(l->kinetic_before, l->kinetic_after) + fabs(l->gravity) + fabs(l->applied) + fabs(l->spring) +
                  fabs(l->kinematic) + fabs(l->joint) + fabs(l->motor) + fabs(l->joint_loss) + fabs(l->normal) +
                  fabs(l->friction) + fabs(l->sampling) + fabs(l->drift);
    /* potentials come from the poses, which are rounded: their weights over a unit of length */
    size += 2 * c->extent.fall / (9.81 * c->h * c->h);
    if (size > 0) f->remainder = fmax(f->remainder, fabs(l->remainder) / size);
    f->turning += fabs(l->turning);
    f->kinetic = fmax(f->kinetic, l->kinetic_after);
    f->substeps += c->substeps - 1;
    f->fallbacks += c->fallbacks;
}

/* n steps, each of which must succeed. */
static inline run_figures run_steps(scene *s, int n) {
    run_figures f = {0};
    for (int i = 0; i < n; i++) {
        perp_certificate c;
        if (perp_world_step(s->w, &c)) fail_msg("step %d: %s", i, perp_world_why(s->w));
        assert_true(c.accepted);
        note_step(&f, &c);
    }
    return f;
}

static inline perp_vec3 position(const scene *s, int body) {
    perp_pose X;
    assert_int_equal(perp_body_pose(s->w, s->body[body], &X), PERP_OK);
    return X.p;
}

static inline perp_vec3 velocity(const scene *s, int body) {
    perp_vec3 v;
    assert_int_equal(perp_body_velocity(s->w, s->body[body], &v, NULL), PERP_OK);
    return v;
}

static inline perp_vec3 spin(const scene *s, int body) {
    perp_vec3 w;
    assert_int_equal(perp_body_velocity(s->w, s->body[body], NULL, &w), PERP_OK);
    return w;
}

static inline double angle(const scene *s, int body) {
    double a;
    assert_int_equal(perp_body_angle(s->w, s->body[body], &a), PERP_OK);
    return a;
}

static inline double distance(perp_vec3 a, perp_vec3 b) { return perp_v3_norm(perp_v3_sub(a, b)); }

static inline perp_world_def world_def(int dim, double h, perp_start start) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = h;
    d.start = start;
    return d;
}

#endif
