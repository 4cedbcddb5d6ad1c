/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_enumerate.c - tries all complementary bases: the oracle for tests
 *   lo <= z <= hi complementary to w = M z + q
 * Method   Every variable is in one of its states: at its lower bound, at its upper bound, or basic (w_i = 0). A free one is always basic, one
 *          of an LCP has two states. For each combination, in the order of a counter whose first digit changes fastest, the basic block
 *          is solved by Gauss elimination with complete pivoting; dependent columns are set to zero, so a singular block still gives a
 *          point if there is one. The first point with a residual within the tolerance is the solution, otherwise the best.
 * Valid    At most 2^max_n combinations. Complete if every principal block of M is regular, or M is positive semidefinite. If a block is
 *          singular and M indefinite, a solution with z_i = w_i = 0 for dependent columns may be missed.
 * Cost     combinations * (basic)^3 / 3 multiplies.
 * Source   Cottle, Pang, Stone (1992) 1.1, 1.3: the union of complementary cones. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "solver/common/solver.h"

typedef struct settings {
    int max_n;
    double tol;
} settings;

static const perp_field fields[] = {
    {"max_n", PERP_FIELD_INT, offsetof(settings, max_n), 20, 1, 24, "at most 2^max_n combinations are tried"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-11, 1e-16, 1,
     "residual, relative to q and the bounds, at which to stop"},
};

#define RANK_TOL 1e-11
#define LOOK     256 /* combinations between two looks at the clock */

typedef struct view {
    int n;
    const double *M, *q;
    const double *lo, *hi; /* NULL: 0, INFINITY */
    const double *zs, *ws; /* NULL: 1 */
} view;

static view view_of(const perp_problem *p) {
    if (p->cls == PERP_LCP) return (view){p->as.lcp.n, p->as.lcp.M, p->as.lcp.q, NULL, NULL, p->z_scale, p->w_scale};
    const perp_mlcp *m = &p->as.mlcp;
    return (view){m->n, m->M, m->q, m->lo, m->hi, p->z_scale, p->w_scale};
}

static double low(const view *v, int i) { return v->lo ? v->lo[i] : 0; }
static double high(const view *v, int i) { return v->hi ? v->hi[i] : INFINITY; }

/* States of a variable, as bits, in the order they are tried. */
enum { AT_LOW = 1, AT_HIGH = 2, BASIC = 4 };
static int states(const view *v, int i) {
    double lo = low(v, i), hi = high(v, i);
    if (lo == hi) return AT_LOW;
    return (lo > -INFINITY ? AT_LOW : 0) | (hi < INFINITY ? AT_HIGH : 0) | BASIC;
}

/* Next state after s, or 0 after the last. s = 0: the first. */
static int next_state(int all, int s) {
    for (int t = s ? 2 * s : 1; t <= BASIC; t *= 2)
        if (all & t) return t;
    return 0;
}

static bool too_many(const view *v, const settings *s) {
    double count = 1;
    for (int i = 0; i < v->n; i++) {
        int all = states(v, i);
        count *= ((all & AT_LOW) != 0) + ((all & AT_HIGH) != 0) + ((all & BASIC) != 0);
    }
    return !(count <= ldexp(1, s->max_n));
}

static size_t work_size(const perp_problem *p, const void *set) {
    view v = view_of(p);
    size_t n = too_many(&v, set) ? 0 : (size_t)v.n;
    return sizeof(double) * (n * n + 4 * n + 1) + sizeof(int) * 4 * n;
}

/* x with A x = b as far as the rank allows, A m x m and b destroyed. cols: m. */
static void gauss(int m, double *A, double *b, double *x, int *cols) {
    ptrdiff_t ld = m;
    double most = 0;
    int rank = 0;
    for (int j = 0; j < m; j++) {
        cols[j] = j;
        for (int i = 0; i < m; i++) most = fabs(A[i + ld * j]) > most ? fabs(A[i + ld * j]) : most;
    }
    for (; rank < m; rank++) {
        int k = rank, r = k, c = k;
        double best = 0;
        for (int j = k; j < m; j++)
            for (int i = k; i < m; i++)
                if (fabs(A[i + ld * j]) > best) best = fabs(A[i + ld * j]), r = i, c = j;
        if (!(best > RANK_TOL * most)) break;
        for (int j = 0; j < m; j++) {
            double t = A[k + ld * j];
            A[k + ld * j] = A[r + ld * j], A[r + ld * j] = t;
        }
        for (int i = 0; i < m; i++) {
            double t = A[i + ld * k];
            A[i + ld * k] = A[i + ld * c], A[i + ld * c] = t;
        }
        double t = b[k];
        b[k] = b[r], b[r] = t;
        int u = cols[k];
        cols[k] = cols[c], cols[c] = u;
        for (int i = k + 1; i < m; i++) {
            double f = A[i + ld * k] / A[k + ld * k];
            for (int j = k; j < m; j++) A[i + ld * j] -= f * A[k + ld * j];
            b[i] -= f * b[k];
        }
    }
    for (int i = 0; i < m; i++) x[i] = 0;
    for (int k = rank - 1; k >= 0; k--) {
        double s = b[k];
        for (int j = k + 1; j < rank; j++) s -= A[k + ld * j] * x[cols[j]];
        x[cols[k]] = s / A[k + ld * k];
    }
}

/* z for these states. The basic block is scaled by the natural sizes, so that its rank is meaningful. */
static void point(const view *v, const int *state, double *z, double *A, double *b, double *x, int *basic, int *cols) {
    ptrdiff_t n = v->n;
    int m = 0;
    for (int i = 0; i < n; i++) {
        z[i] = state[i] == AT_LOW ? low(v, i) : state[i] == AT_HIGH ? high(v, i) : 0;
        if (state[i] == BASIC) basic[m++] = i;
    }
    for (int i = 0; i < m; i++) {
        int r = basic[i];
        double ws = v->ws ? v->ws[r] : 1, w = v->q[r];
        for (int j = 0; j < n; j++) w += v->M[r + n * j] * z[j];
        b[i] = -w / ws;
        for (int j = 0; j < m; j++)
            A[i + (ptrdiff_t)m * j] = v->M[r + n * basic[j]] / ws * (v->zs ? v->zs[basic[j]] : 1);
    }
    gauss(m, A, b, x, cols);
    for (int i = 0; i < m; i++) z[basic[i]] = x[i] * (v->zs ? v->zs[basic[i]] : 1);
}

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const settings *s = set;
    view v = view_of(p);
    info->iterations = 0;
    info->warm = false;
    if (too_many(&v, s)) return PERP_OUTCOME_TOO_LARGE;
    int n = v.n;
    double *A = work, *b = A + (ptrdiff_t)n * n, *x = b + n, *y = x + n, least = INFINITY, size = 0;
    int *state = (int *)(void *)(y + n), *basic = state + n, *cols = basic + n;
    for (int i = 0; i < n; i++) {
        double zs = v.zs ? v.zs[i] : 1, ws = v.ws ? v.ws[i] : 1;
        double sizes[3] = {fabs(v.q[i]) / ws, isfinite(low(&v, i)) ? fabs(low(&v, i)) / zs : 0,
                           isfinite(high(&v, i)) ? fabs(high(&v, i)) / zs : 0};
        for (int k = 0; k < 3; k++)
            if (sizes[k] > size) size = sizes[k];
        state[i] = next_state(states(&v, i), 0);
    }
    for (;;) {
        point(&v, state, y, A, b, x, basic, cols);
        if (++info->iterations % LOOK == 0 && !perp_call_look(call, info->iterations, NULL))
            return PERP_OUTCOME_STOPPED; /* there are no iterates to show */
        double r = perp_problem_residual(p, y);
        if (r < least) {
            least = r;
            memcpy(z, y, sizeof *z * (size_t)n);
        }
        if (r <= s->tol * size) return PERP_OUTCOME_SOLVED;
        int i = 0;
        for (; i < n; i++) { /* increment the counter */
            state[i] = next_state(states(&v, i), state[i]);
            if (state[i]) break;
            state[i] = next_state(states(&v, i), 0);
        }
        if (i == n) break;
    }
    if (!isfinite(least))
        for (int i = 0; i < n; i++) z[i] = 0;
    return isfinite(least) ? PERP_OUTCOME_LIMIT : PERP_OUTCOME_NUMERICS;
}

const perp_solver_type pp_solver_enumerate = {
    .abi = PERP_ABI,
    .name = "enumerate",
    .source = "Cottle, Pang, Stone (1992) 1.1, 1.3",
    .takes = PERP_LCP | PERP_MLCP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .work_size = work_size,
    .solve = solve,
};
