/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipm_box.c - converts LCP, mixed LCP and QP to the form of the interior point method
 *   LCP, MLCP   unchanged; variables with lo = hi are substituted and dropped
 *   QP          z = (x, y, s): rows Q x + c - A'y complementary to x in its bounds, A x - s = 0 for free y, y
 *               complementary to s = A x in the bounds of its row. Equality rows need no s, rows without bounds no y.
 * Method   The figure that decides is the natural map of the given problem in the units of perp_measures.
 * Source   Cottle, Pang, Stone (1992) 1.2 for QP as a mixed LCP. */
#include <math.h>
#include <string.h>

#include "problem/judge/measure.h"
#include "solver/common/box.h"
#include "solver/interior/ipm.h"

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

static double worst(double most, double x) { return !(fabs(x) <= most) ? (isnan(x) ? INFINITY : fabs(x)) : most; }

/* ---- LCP and mixed LCP ---- */

typedef struct box_view {
    pp_box b;
    int *var;              /* given index of each variable kept */
    int kept;              /* that many */
    double z_unit, w_unit; /* units of perp_measures, beside the natural scales */
    double *w;
} box_view;

static double judge_box(void *ctx, const double *z, double *answer) {
    box_view *v = ctx;
    const pp_box *b = &v->b;
    double most = 0;
    for (int i = 0; i < b->n; i++) answer[i] = b->lo[i]; /* the dropped ones */
    for (int k = 0; k < v->kept; k++) answer[v->var[k]] = z[k];
    pp_box_clip(b, answer);
    if (!pp_box_F(b, answer, v->w)) return INFINITY;
    for (int i = 0; i < b->n; i++) {
        double zs = b->zs[i] * v->z_unit, ws = b->ws[i] * v->w_unit, x = answer[i];
        most = worst(most, clamp(v->w[i] / ws, (x - b->hi[i]) / zs, (x - b->lo[i]) / zs));
    }
    return most;
}

/* Units as in perp_measures. */
static void find_units(box_view *v, const perp_problem *p) {
    const pp_box *b = &v->b;
    double size = 0, entry = 0;
    for (int i = 0; i < b->n; i++) size = fmax(size, fabs(b->q[i]) / b->ws[i]);
    if (!(size > 0)) size = 1;
    for (int k = 0; k < b->nnz; k++) entry = fmax(entry, fabs(b->J0[k]));
    bool scaled = p->z_scale || p->w_scale;
    v->w_unit = size;
    v->z_unit = scaled || !(entry > 0) ? size : size / entry;
}

static size_t count_entries(const pp_box *b) {
    size_t count = (size_t)b->n;
    for (int k = 0; k < b->nnz; k++) count += b->J0[k] != 0;
    return count;
}

/* Matrix and q of the variables kept. `at`: place of each given variable, -1 if dropped. */
static void fill_box(pp_ipm *s, const box_view *v, const int *at) {
    const pp_box *b = &v->b;
    for (int k = 0; k < v->kept; k++) {
        int i = v->var[k];
        s->q[k] = b->q[i];
        s->lo[k] = b->lo[i];
        s->hi[k] = b->hi[i];
        pp_ipm_add(&s->M, k, k, 0);
    }
    for (int j = 0; j < b->n; j++) {
        ptrdiff_t from = b->dense ? (ptrdiff_t)b->n * j : b->start[j];
        int count = b->dense ? b->n : b->start[j + 1] - b->start[j];
        for (int k = 0; k < count; k++) {
            int i = b->dense ? k : b->index[from + k];
            double x = b->J0[from + k];
            if (x == 0 || at[i] < 0) continue;
            if (at[j] >= 0)
                pp_ipm_add(&s->M, at[i], at[j], x);
            else
                s->q[at[i]] += x * b->lo[j];
        }
    }
}

static bool any(const double *z, int n) {
    for (int i = 0; i < n; i++)
        if (z[i] != 0) return true;
    return false;
}

perp_outcome pp_ipm_box(const perp_problem *p, double tol, int max_iterations, double *z, const perp_call *call,
                        perp_solve_info *info) {
    box_view v = {0};
    pp_ipm s = {.tol = tol, .max_iterations = max_iterations, .info = info, .judge = judge_box, .ctx = &v};
    if (!pp_box_make(&v.b, p, call)) return PERP_OUTCOME_MEMORY;
    int n = v.b.n;
    int *at = PP_CALL_ARRAY(call, int, n);
    double *guess = PP_CALL_ARRAY(call, double, n);
    v.var = PP_CALL_ARRAY(call, int, n);
    v.w = PP_CALL_ARRAY(call, double, n);
    if (!at || !guess || !v.var || !v.w) return PERP_OUTCOME_MEMORY;
    for (int i = 0; i < n; i++) {
        at[i] = v.b.lo[i] < v.b.hi[i] ? v.kept : -1;
        if (at[i] < 0) continue;
        guess[v.kept] = z[i];
        v.var[v.kept++] = i;
    }
    find_units(&v, p);
    if (!pp_ipm_make(&s, v.kept, 0, 1, n, call) || !pp_ipm_matrix_make(&s.M, v.kept, count_entries(&v.b), call))
        return PERP_OUTCOME_MEMORY;
    fill_box(&s, &v, at);
    if (!pp_ipm_matrix_ready(&s.M, call)) return PERP_OUTCOME_MEMORY;
    return pp_ipm_run(&s, any(z, n) ? guess : NULL, z);
}

/* ---- QP ---- */

typedef struct qp_view {
    const perp_qp *p;
    int *x, *y, *s; /* place of each variable, multiplier and slack; -1: none */
    double *a;      /* A x */
    pp_qp_judge *judge;
} qp_view;

static double low(const double *lo, int i) { return lo ? lo[i] : -INFINITY; }
static double high(const double *hi, int i) { return hi ? hi[i] : INFINITY; }

static double judge_qp(void *ctx, const double *z, double *answer) {
    qp_view *v = ctx;
    const perp_qp *p = v->p;
    double *y = answer + p->n;
    for (int i = 0; i < p->n; i++)
        answer[i] = v->x[i] < 0 ? low(p->lo, i) : clamp(z[v->x[i]], low(p->lo, i), high(p->hi, i));
    for (int k = 0; k < p->m; k++) { /* a multiplier of the wrong sign for a row with one bound is zero */
        y[k] = v->y[k] < 0 ? 0 : z[v->y[k]];
        if ((y[k] > 0 && p->row_lo[k] == -INFINITY) || (y[k] < 0 && p->row_hi[k] == INFINITY)) y[k] = 0;
    }
    perp_measures m;
    pp_qp_judge_measure(v->judge, answer, &m);
    return m.natural;
}

/* Determines which of x, y and s exist. Returns their number, or -1 if out of memory. */
static int number_qp(qp_view *v, const perp_call *call) {
    const perp_qp *p = v->p;
    int n = 0;
    v->x = PP_CALL_ARRAY(call, int, p->n);
    v->y = PP_CALL_ARRAY(call, int, p->m);
    v->s = PP_CALL_ARRAY(call, int, p->m);
    v->a = PP_CALL_ARRAY(call, double, p->m);
    v->judge = pp_qp_judge_new(p, call->arena);
    if (!v->x || !v->y || !v->s || !v->a || !v->judge) return -1;
    for (int i = 0; i < p->n; i++) v->x[i] = low(p->lo, i) < high(p->hi, i) ? n++ : -1;
    for (int k = 0; k < p->m; k++) v->y[k] = p->row_lo[k] > -INFINITY || p->row_hi[k] < INFINITY ? n++ : -1;
    for (int k = 0; k < p->m; k++) v->s[k] = v->y[k] >= 0 && p->row_lo[k] < p->row_hi[k] ? n++ : -1;
    return n;
}

static void set_box(pp_ipm *s, int i, double q, double lo, double hi) {
    s->q[i] = q;
    s->lo[i] = lo;
    s->hi[i] = hi;
    pp_ipm_add(&s->M, i, i, 0);
}

static void fill_qp(pp_ipm *s, const qp_view *v) {
    const perp_qp *p = v->p;
    for (int i = 0; i < p->n; i++)
        if (v->x[i] >= 0) set_box(s, v->x[i], p->c[i], low(p->lo, i), high(p->hi, i));
    for (int k = 0; k < p->m; k++) {
        int y = v->y[k], t = v->s[k];
        if (y < 0) continue;
        set_box(s, y, t >= 0 ? 0 : -p->row_lo[k], -INFINITY, INFINITY);
        if (t < 0) continue;
        set_box(s, t, 0, p->row_lo[k], p->row_hi[k]);
        pp_ipm_add(&s->M, t, y, 1);
        pp_ipm_add(&s->M, y, t, -1);
    }
    for (int j = 0; j < p->n; j++) {
        int xj = v->x[j];
        double fixed = xj < 0 ? p->lo[j] : 0;
        for (int e = p->Q.start[j]; e < p->Q.start[j + 1]; e++) {
            int xi = v->x[p->Q.index[e]];
            if (xi >= 0 && xj >= 0) pp_ipm_add(&s->M, xi, xj, p->Q.value[e]);
            if (xi >= 0 && xj < 0) s->q[xi] += p->Q.value[e] * fixed;
        }
        for (int e = p->m > 0 ? p->A.start[j] : 0; p->m > 0 && e < p->A.start[j + 1]; e++) {
            int y = v->y[p->A.index[e]];
            if (y < 0) continue;
            if (xj < 0) {
                s->q[y] += p->A.value[e] * fixed;
            } else {
                pp_ipm_add(&s->M, y, xj, p->A.value[e]);
                pp_ipm_add(&s->M, xj, y, -p->A.value[e]);
            }
        }
    }
}

/* Guess of all variables from x and y. */
static void guess_qp(const qp_view *v, const double *z, double *guess) {
    const perp_qp *p = v->p;
    memset(v->a, 0, sizeof *v->a * (size_t)p->m);
    for (int j = 0; p->m > 0 && j < p->n; j++)
        for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++) v->a[p->A.index[e]] += p->A.value[e] * z[j];
    for (int i = 0; i < p->n; i++)
        if (v->x[i] >= 0) guess[v->x[i]] = z[i];
    for (int k = 0; k < p->m; k++) {
        if (v->y[k] >= 0) guess[v->y[k]] = z[p->n + k];
        if (v->s[k] >= 0) guess[v->s[k]] = clamp(v->a[k], p->row_lo[k], p->row_hi[k]);
    }
}

perp_outcome pp_ipm_qp(const perp_problem *problem, double tol, int max_iterations, double *z, const perp_call *call,
                       perp_solve_info *info) {
    const perp_qp *p = &problem->as.qp;
    qp_view v = {.p = p};
    pp_ipm s = {.tol = tol, .max_iterations = max_iterations, .info = info, .judge = judge_qp, .ctx = &v};
    int n = number_qp(&v, call);
    double *guess = n < 0 ? NULL : PP_CALL_ARRAY(call, double, n);
    if (!guess) return PERP_OUTCOME_MEMORY;
    size_t entries = (size_t)n + (size_t)p->Q.start[p->n];
    if (p->m > 0) entries += 2 * (size_t)p->A.start[p->n] + 2 * (size_t)p->m;
    if (!pp_ipm_make(&s, n, 0, 1, p->n + p->m, call) || !pp_ipm_matrix_make(&s.M, n, entries, call))
        return PERP_OUTCOME_MEMORY;
    fill_qp(&s, &v);
    if (!pp_ipm_matrix_ready(&s.M, call)) return PERP_OUTCOME_MEMORY;
    guess_qp(&v, z, guess);
    return pp_ipm_run(&s, any(z, p->n + p->m) ? guess : NULL, z);
}
