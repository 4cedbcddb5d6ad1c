/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* search_help.h - functions with known minima, for the tests of perp_search.
 *
 * Minima: closed forms; Branin by its own formula (Dixon, Szegoe 1978); HS43, HS71 from Hock, Schittkowski (1981). HS71's
 * equality is an upper bound here: its multiplier is positive, so the minimum is the same. */
#ifndef PERP_TEST_SEARCH_HELP_H
#define PERP_TEST_SEARCH_HELP_H

#include <math.h>
#include <string.h>

#include "check.h"
#include "perp/search.h"

#define TEST_MAX 16 /* parameters and constraints */

typedef struct test_function {
    const char *name;
    int n, m;
    void (*value)(int n, const double *x, double *f, double *g);
    double lower[TEST_MAX], upper[TEST_MAX], start[TEST_MAX];
    double f;    /* minimum */
    double near; /* a search succeeds if it comes this near to the minimum, at a feasible point */
    int evaluations;
} test_function;

/* Condition 1e4, turned so that no axis is along a parameter; minimum 0 at (0.3, 0.3, ...). */
static inline void ellipsoid(int n, const double *x, double *f, double *g) {
    (void)g;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] - 0.3;
    *f = 0;
    for (int i = 0; i < n; i++) { /* Householder's reflection: orthogonal */
        double y = x[i] - 0.3 - 2 * sum / n;
        *f += pow(1e4, n > 1 ? (double)i / (n - 1) : 0) * y * y;
    }
}

static inline void rosenbrock(int n, const double *x, double *f, double *g) {
    (void)g;
    *f = 0;
    for (int i = 0; i + 1 < n; i++) *f += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
}

static inline void branin(int n, const double *x, double *f, double *g) {
    (void)n;
    (void)g;
    const double pi = acos(-1), b = 5.1 / (4 * pi * pi), c = 5 / pi;
    *f = pow(x[1] - b * x[0] * x[0] + c * x[0] - 6, 2) + 10 * (1 - 1 / (8 * pi)) * cos(x[0]) + 10;
}

/* Three of four bounds are active: minimum at (0, 1, 1, 0.25), where f = 1 + 4 + 2.25 + 0. */
static inline void corner(int n, const double *x, double *f, double *g) {
    (void)n;
    (void)g;
    *f = pow(x[0] + 1, 2) + pow(x[1] - 3, 2) + pow(x[2] - 2.5, 2) + pow(x[3] - 0.25, 2);
}

/* Many local minima, on a grid; 0 at the origin. */
static inline void rastrigin(int n, const double *x, double *f, double *g) {
    (void)g;
    *f = 10 * n;
    for (int i = 0; i < n; i++) *f += x[i] * x[i] - 10 * cos(2 * acos(-1) * x[i]);
}

/* Minimum on a circle: -sqrt 2. */
static inline void circle(int n, const double *x, double *f, double *g) {
    (void)n;
    *f = x[0] + x[1];
    g[0] = x[0] * x[0] + x[1] * x[1] - 1;
}

/* HS43, Rosen and Suzuki: -44 at (0, 1, 2, -1), two of three constraints active. */
static inline void hs43(int n, const double *x, double *f, double *g) {
    (void)n;
    const double a = x[0], b = x[1], c = x[2], d = x[3];
    *f = a * a + b * b + 2 * c * c + d * d - 5 * a - 5 * b - 21 * c + 7 * d;
    g[0] = a * a + b * b + c * c + d * d + a - b + c - d - 8;
    g[1] = a * a + 2 * b * b + c * c + 2 * d * d - a - d - 10;
    g[2] = 2 * a * a + b * b + c * c + 2 * a - b - d - 5;
}

/* HS71: 17.0140173 at (1, 4.7429994, 3.8211503, 1.3794082): both constraints and a bound are active. */
static inline void hs71(int n, const double *x, double *f, double *g) {
    (void)n;
    *f = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2];
    g[0] = 25 - x[0] * x[1] * x[2] * x[3];
    g[1] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 40;
}

/* Rosenbrock that cannot be evaluated beside the valley, near the start and near the minimum. */
static inline void holes(int n, const double *x, double *f, double *g) {
    rosenbrock(n, x, f, g);
    if (pow(x[0] + 0.5, 2) + pow(x[1] - 1.2, 2) < 0.25 || x[0] + x[1] > 2.1) *f = NAN;
}

/* Noise of 1e-3 that depends on the bits of x only. */
static inline void noisy(int n, const double *x, double *f, double *g) {
    ellipsoid(n, x, f, g);
    uint64_t h = 0;
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        h = (h ^ bits) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 29;
    }
    *f += 1e-3 * ((double)(h >> 11) * 0x1p-52 - 1);
}

static const test_function FUNCTIONS[] = {
    {"ellipsoid", 4, 0, ellipsoid, {-1, -1, -1, -1}, {1, 1, 1, 1}, {-0.7, 0.9, 0.1, -0.2}, 0, 1e-6, 3000},
    {"rosenbrock-2", 2, 0, rosenbrock, {-5, -5}, {10, 10}, {-1.2, 1}, 0, 1e-6, 3000},
    {"rosenbrock-5", 5, 0, rosenbrock, {-3, -3, -3, -3, -3}, {3, 3, 3, 3, 3}, {-1.2, 1, -1.2, 1, -1.2}, 0, 1e-6, 10000},
    {"branin", 2, 0, branin, {-5, 0}, {10, 15}, {2.5, 7.5}, 0.39788735772973816, 1e-6, 3000},
    {"corner", 4, 0, corner, {0, 0, 0, 0}, {1, 1, 1, 1}, {0.5, 0.5, 0.5, 0.5}, 7.25, 1e-6, 3000},
    {"rastrigin-3", 3, 0, rastrigin, {-5.12, -5.12, -5.12}, {5.12, 5.12, 5.12}, {3.3, -2.2, 4.1}, 0, 1e-3, 10000},
    {"circle", 2, 1, circle, {-2, -2}, {2, 2}, {0.5, 0.1}, -1.4142135623730951, 1e-5, 3000},
    {"hs43", 4, 3, hs43, {-4, -4, -4, -4}, {4, 4, 4, 4}, {0.1, 0.1, 0.1, 0.1}, -44, 1e-3, 10000},
    {"hs71", 4, 2, hs71, {1, 1, 1, 1}, {5, 5, 5, 5}, {1, 5, 5, 1}, 17.014017289155, 1e-3, 10000},
    {"holes", 2, 0, holes, {-3, -3}, {3, 3}, {-1.2, 1}, 0, 1e-6, 3000},
    {"noisy", 4, 0, noisy, {-1, -1, -1, -1}, {1, 1, 1, 1}, {-0.7, 0.9, 0.1, -0.2}, 0, 3e-3, 3000},
};
#define NFUNCTION ((int)(sizeof FUNCTIONS / sizeof FUNCTIONS[0]))

/* The callback: counts, and keeps a log of all points and values. */
typedef struct test_log {
    const test_function *t;
    int calls, points, cap; /* cap 0: no log is kept */
    int largest;            /* points of the largest call */
    int first;              /* points of the first call */
    int stop_after;         /* false once so many points were evaluated; 0: never */
    double *row;            /* cap rows of n + 1 + m */
    const double *replay;   /* the first points are answered from here, and must be these */
    int nreplay;
    bool out_of_bounds, other_point;
} test_log;

static inline bool test_values(void *ctx, int count, const double *x, double *f, double *g) {
    test_log *l = ctx;
    const test_function *t = l->t;
    const size_t n = (size_t)t->n, m = (size_t)t->m, width = n + 1 + m;
    if (l->calls++ == 0) l->first = count;
    if (count > l->largest) l->largest = count;
    if (l->stop_after > 0 && l->points >= l->stop_after) return false;
    for (int k = 0; k < count; k++, l->points++) {
        const double *xk = x + (size_t)k * n;
        double *gk = m > 0 ? g + (size_t)k * m : NULL;
        for (size_t i = 0; i < n; i++)
            if (!(xk[i] >= t->lower[i] && xk[i] <= t->upper[i])) l->out_of_bounds = true;
        if (l->points < l->nreplay) {
            const double *r = l->replay + (size_t)l->points * width;
            if (memcmp(r, xk, n * sizeof *r) != 0) l->other_point = true;
            f[k] = r[n];
            if (gk) memcpy(gk, r + n + 1, m * sizeof *r);
        } else {
            t->value(t->n, xk, &f[k], gk);
        }
        if (l->points < l->cap) {
            double *r = l->row + (size_t)l->points * width;
            memcpy(r, xk, n * sizeof *r);
            r[n] = f[k];
            if (gk) memcpy(r + n + 1, gk, m * sizeof *r);
        }
    }
    return true;
}

static inline perp_search_problem test_problem(const test_function *t, test_log *l) {
    l->t = t;
    return (perp_search_problem){.n = t->n,
                                 .lower = t->lower,
                                 .upper = t->upper,
                                 .start = t->start,
                                 .nconstraint = t->m,
                                 .values = test_values,
                                 .ctx = l};
}

/* Feasible and as near to the minimum as asked? */
static inline bool test_reached(const test_function *t, const perp_search_result *r) {
    return r->feasible && r->f <= t->f + t->near;
}

#endif
