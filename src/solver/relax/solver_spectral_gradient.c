/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_spectral_gradient.c - spectral projected gradient for sparse mixed LCPs with a symmetric matrix
 *   min z'Mz/2 + q'z over lo <= z <= hi, whose stationary points are the solutions of the mixed LCP
 * Method   Direction d = P(z - a D g) - z with the gradient g = M z + q, P the projection on the bounds, and D = 1/diagonal. The length a is that
 *          of Barzilai and Borwein in the metric of D, alternately the long and the short one: the inverse of a curvature of the
 *          objective along the last step. The full step is taken if the objective is below the largest of the last MEMORY ones (Grippo,
 *          Lampariello, Lucidi); otherwise the minimum along d, which has a closed form.
 * Valid    M symmetric; otherwise this is reported and nothing is done. M semidefinite: converges if there is a solution. M indefinite: ends in
 *          a solution if the objective is bounded below. The number of steps grows with the condition number of the rows between
 *          their bounds.
 * Cost     One product with M per step. No factorisation; eight vectors of memory.
 * Source   Birgin, Martinez, Raydan, SIAM J. Optim. 10 (2000); Dai, Fletcher, Numer. Math. 100 (2005) for bounds;
 *          Pospisil, Dostal, Math. Comput. Simul. 145 (2018) for quadratics. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "solver/common/numbers.h"
#include "solver/common/box.h"
#include "solver/common/solver.h"
#include "base/elementary.h"

#include "solver/relax/pace.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Least step length, in units of the inverse diagonal; the largest is its inverse. */
#define LEAST 1e-10

typedef struct settings {
    int max_iterations;
    double tol;
} settings;

static const perp_field fields[] = {
    {"max_iterations", PERP_FIELD_INT, offsetof(settings, max_iterations), 20000, 1, 1e9, "gradient steps"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-9, 1e-16, 1, "unit-free natural map at which to stop"},
};

enum { MEMORY = 10 }; /* objectives that a full step may be compared with */

typedef struct task {
    pp_box b;
    int n;
    double *z, *g, *d, *Md;       /* n: point, gradient, direction, its product */
    double *D;                    /* n: metric */
    double *zu, *wu;              /* n: units of the judge, see perp_measures */
    double *best, least;          /* best point and its figure */
    double value[MEMORY], length; /* objectives, without the constant; a */
} task;

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

static bool allocate(task *t, const perp_call *call) {
    double **all[] = {&t->z, &t->g, &t->d, &t->Md, &t->D, &t->zu, &t->wu, &t->best};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i] = PP_CALL_ARRAY(call, double, t->n))) return false;
    return true;
}

/* M x and M'x for a vector without pattern agree only if M is symmetric. Uses d, Md and g. */
static bool symmetric(task *t) {
    double most = 0, apart = 0;
    for (int i = 0; i < t->n; i++) t->d[i] = t->b.zs[i] * (1 + 0.5 * pp_sin(1.0 + 2.3 * i + 0.017 * i * i));
    pp_box_mul(&t->b, t->b.J0, t->d, t->Md);
    pp_box_mul_transposed(&t->b, t->b.J0, t->d, t->g);
    for (int i = 0; i < t->n; i++) {
        most = fmax(most, fabs(t->Md[i]) / t->b.ws[i]);
        apart = fmax(apart, fabs(t->Md[i] - t->g[i]) / t->b.ws[i]);
    }
    return apart <= PP_SAME_MATRIX * most;
}

/* D, and the units of the judge. */
static void scale(task *t) {
    const pp_box *b = &t->b;
    double size = 0;
    for (int i = 0; i < t->n; i++) {
        t->D[i] = b->zs[i] / b->ws[i];
        size = fmax(size, fabs(b->q[i]) / b->ws[i]);
    }
    for (int j = 0; j < t->n; j++) {
        for (int k = b->start[j]; k < b->start[j + 1]; k++)
            if (b->index[k] == j && b->J0[k] > 0) t->D[j] = 1 / b->J0[k];
    }
    pp_box_units(b, size > 0 ? size : 1, b->J0, t->zu, t->wu);
}

/* Natural map of the point, from the present gradient. */
static double natural(const task *t) {
    double most = 0;
    for (int i = 0; i < t->n; i++) {
        double z = t->z[i], w = t->g[i] / t->wu[i];
        double r = clamp(w, (z - t->b.hi[i]) / t->zu[i], (z - t->b.lo[i]) / t->zu[i]);
        if (!isfinite(r)) return INFINITY;
        most = fmax(most, fabs(r));
    }
    return most;
}

/* Step number k. Returns false if nothing moves or a number is not finite. */
static bool step(task *t, int k) {
    int n = t->n;
    double slope = 0, curve = 0, square = 0, products = 0, move = 1, largest = t->value[0];
    for (int i = 0; i < n; i++) {
        t->d[i] = clamp(t->z[i] - t->length * t->D[i] * t->g[i], t->b.lo[i], t->b.hi[i]) - t->z[i];
        slope += t->g[i] * t->d[i];
    }
    pp_box_mul(&t->b, t->b.J0, t->d, t->Md);
    for (int i = 0; i < n; i++) {
        curve += t->d[i] * t->Md[i];
        square += t->d[i] * t->d[i] / t->D[i];
        products += t->Md[i] * t->Md[i] * t->D[i];
    }
    if (!(square > 0) || !isfinite(curve) || !isfinite(products)) return false;
    for (int i = 1; i < MEMORY; i++) largest = fmax(largest, t->value[i]);
    double now = t->value[k % MEMORY];
    if (now + slope + 0.5 * curve > largest + PP_ARMIJO * slope && curve > 0) move = fmin(1, -slope / curve);
    for (int i = 0; i < n; i++) {
        t->z[i] = clamp(t->z[i] + move * t->d[i], t->b.lo[i], t->b.hi[i]);
        t->g[i] += move * t->Md[i];
    }
    t->value[(k + 1) % MEMORY] = now + move * (slope + 0.5 * move * curve);
    double a = curve <= 0 ? (1 / LEAST) : k % 2 ? curve / products : square / curve;
    t->length = clamp(a, LEAST, (1 / LEAST));
    return true;
}

/* The figure of z, with a new gradient if it matters. Keeps the best. */
static double look_at(task *t, int k, double tol) {
    double f = natural(t);
    if ((f <= tol || k % PP_REFRESH == 0) && pp_box_F(&t->b, t->z, t->g)) f = natural(t);
    if (f < t->least) {
        t->least = f;
        memcpy(t->best, t->z, sizeof *t->z * (size_t)t->n);
    }
    return f;
}

static perp_outcome iterate(task *t, const settings *s, const perp_call *call, int *steps) {
    for (int k = 0;; k++) {
        *steps = k;
        double f = look_at(t, k, s->tol);
        if (f <= s->tol) return PERP_OUTCOME_SOLVED;
        if (!isfinite(f)) return PERP_OUTCOME_NUMERICS;
        if (k >= s->max_iterations) return PERP_OUTCOME_LIMIT;
        if (!perp_call_look(call, k, t->z)) return PERP_OUTCOME_STOPPED;
        if (!step(t, k)) return PERP_OUTCOME_NUMERICS;
    }
}

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    task t = {.least = INFINITY, .length = 1};
    bool guess = false;
    (void)work;
    if (!pp_box_make(&t.b, p, call)) return PERP_OUTCOME_MEMORY;
    t.n = t.b.n;
    if (!allocate(&t, call)) return PERP_OUTCOME_MEMORY;
    if (!symmetric(&t)) {
        pp_tell(info, "the matrix is not symmetric");
        return PERP_OUTCOME_TOO_LARGE;
    }
    for (int i = 0; i < t.n; i++) guess = guess || z[i] != 0;
    pp_box_clip(&t.b, z);
    memcpy(t.z, z, sizeof *z * (size_t)t.n);
    memcpy(t.best, z, sizeof *z * (size_t)t.n);
    scale(&t);
    if (!pp_box_F(&t.b, t.z, t.g)) return PERP_OUTCOME_NUMERICS;
    perp_outcome outcome = iterate(&t, set, call, &info->iterations);
    memcpy(z, t.best, sizeof *z * (size_t)t.n);
    info->warm = guess && outcome == PERP_OUTCOME_SOLVED;
    return outcome;
}

const perp_solver_type pp_solver_spectral_gradient = {
    .abi = PERP_ABI,
    .name = "spectral-gradient",
    .source = "Birgin, Martinez, Raydan (2000); Dai, Fletcher (2005)",
    .takes = PERP_SPARSE_MLCP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};
