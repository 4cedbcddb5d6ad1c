/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fit_help.h - what the tests of estimators share: close numbers, small problems, the particle of the study. */
#ifndef FIT_HELP_H
#define FIT_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "perp/filter.h"
#include "perp/fit.h"
#include "perp/random.h"
#include "perp/statistic.h"

#define near(a, b, tol) near_at((a), (b), (tol), #a, __FILE__, __LINE__)
static inline void near_at(double a, double b, double tol, const char *what, const char *file, int line) {
    if (fabs(a - b) <= tol) return;
    print_error("%s:%d: %s = %.17g, expected %.17g within %.3g (off by %.3g)\n", file, line, what, a, b, tol, a - b);
    _fail(file, line);
}

/* An allocator that refuses after `left` blocks and counts those that live. */
typedef struct failing {
    int left, live;
} failing;
static inline void *fail_alloc(size_t size, void *ctx) {
    failing *f = ctx;
    if (f->left-- <= 0) return NULL;
    f->live++;
    return malloc(size);
}
static inline void fail_free(void *p, void *ctx) {
    ((failing *)ctx)->live--;
    free(p);
}

#define PARTICLE_ROWS 101

/* A particle of mass 1 on the plane y = 0 under the force (5, -9.81), h = 0.05: the step of Stewart and Trinkle in closed form. The
 * normal impulse brings it to the plane at the end of the step; friction stops it, or slows it by mu times that. s: x, y, vx, vy. */
static inline void particle_path(double mu, const double s[4], double out[2 * PARTICLE_ROWS]) {
    double x = s[0], y = s[1], u = s[2], v = s[3], h = 0.05;
    for (int i = 0; i < PARTICLE_ROWS; i++) {
        out[2 * i] = x, out[2 * i + 1] = y;
        u += h * 5, v -= h * 9.81;
        if (y + h * v < 0) {
            double friction = mu * (-y / h - v);
            v = -y / h;
            u = u > friction ? u - friction : u < -friction ? u + friction : 0;
        }
        x += h * u, y += h * v;
    }
}

/* Its rows with uniform noise in +-eps, row by row, x then y. */
static inline void particle_rows(double mu, double eps, uint64_t seed, double out[2 * PARTICLE_ROWS]) {
    const double start[4] = {0, 3, 0, 0};
    perp_random random = perp_random_start(seed);
    particle_path(mu, start, out);
    for (int i = 0; i < 2 * PARTICLE_ROWS; i++) out[i] += perp_random_between(&random, -eps, eps);
}

#endif
