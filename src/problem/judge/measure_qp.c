/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure_qp.c - the judge of quadratic programmes
 * Problem  x and multipliers y of min x'Qx/2 + c'x, lo <= x <= hi, row_lo <= A x <= row_hi.
 * Method   two families of bounded variables: x against the gradient g = Q x + c - A'y, and A x against y. Units, so
 *          that a change of units of x, of the rows or of the objective changes no figure:
 *              L  length from the data: the smallest of max |c|/max |Q|, max |row bound|/max |A|, max |bound| that is not
 *                 0; if all are, 1. The smallest is taken so that a bound of 1e20 that means "none" does not loosen the
 *                 measure.
 *              X  length of x: the larger of L and the largest |x_i|, taken within its bounds
 *              G  gradient: the largest |c_i|, |(Q x)_i|, |(A'y)_i| and max |Q| L; at least 1 if Q and c are 0
 *              rows A x over max |A| X, multipliers over G / max |A|
 * Valid    anything that perp_problem_check() accepts.
 * Cost     one product with Q, two with A.
 * Source   natural map: Facchinei, Pang (2003) 1.5.8; units as in the stopping rule of OSQP (Stellato et al. 2020). */
#include <string.h>

#include "problem/law.h"
#include "problem/judge/measure.h"
#include "base/elementary.h"

struct pp_qp_judge {
    const perp_qp *p;
    double Q, A, c;       /* largest entries */
    double length;        /* L */
    double gradient;      /* what G is at least */
    double norm_c;        /* Euclidean */
    double *g, *aty, *ax; /* n, n, m */
};

static double largest(const double *x, ptrdiff_t n) {
    double most = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (isfinite(x[i]) && fabs(x[i]) > most) most = fabs(x[i]);
    return most;
}

static double largest_entry(const perp_sparse *A) { return A->cols > 0 ? largest(A->value, A->start[A->cols]) : 0; }

static void shorten(double *length, double candidate) {
    if (candidate > 0 && candidate < INFINITY && (*length == 0 || candidate < *length)) *length = candidate;
}

pp_qp_judge *pp_qp_judge_new(const perp_qp *p, pp_arena *arena) {
    pp_qp_judge *j = pp_arena_zero(arena, sizeof *j);
    if (!j) return NULL;
    j->p = p;
    j->g = PP_ARENA_ARRAY(arena, double, p->n);
    j->aty = PP_ARENA_ARRAY(arena, double, p->n);
    j->ax = PP_ARENA_ARRAY(arena, double, p->m);
    if (!j->g || !j->aty || !j->ax) return NULL;
    j->Q = p->n > 0 ? largest_entry(&p->Q) : 0;
    j->A = p->m > 0 ? largest_entry(&p->A) : 0;
    j->c = largest(p->c, p->n);
    for (int i = 0; i < p->n; i++) j->norm_c = pp_hypot(j->norm_c, p->c[i]);
    if (j->Q > 0) shorten(&j->length, j->c / j->Q);
    if (j->A > 0) shorten(&j->length, fmax(largest(p->row_lo, p->m), largest(p->row_hi, p->m)) / j->A);
    shorten(&j->length, fmax(p->lo ? largest(p->lo, p->n) : 0, p->hi ? largest(p->hi, p->n) : 0));
    if (j->length == 0) j->length = 1;
    j->gradient = fmax(j->c, j->Q * j->length);
    if (j->gradient == 0) j->gradient = 1;
    return j;
}

/* g = Q x + c - A'y, aty = A'y, ax = A x; the size of the gradient's parts. */
static double products(pp_qp_judge *j, const double *x, const double *y) {
    const perp_qp *p = j->p;
    memset(j->g, 0, sizeof *j->g * (size_t)p->n);
    memset(j->aty, 0, sizeof *j->aty * (size_t)p->n);
    memset(j->ax, 0, sizeof *j->ax * (size_t)p->m);
    if (p->n > 0) pp_add_product(&p->Q, x, j->g);
    if (p->m > 0) {
        pp_add_product(&p->A, x, j->ax);
        pp_add_product_transposed(&p->A, y, j->aty);
    }
    double most = fmax(j->gradient, fmax(largest(j->g, p->n), largest(j->aty, p->n)));
    for (int i = 0; i < p->n; i++) j->g[i] += p->c[i] - j->aty[i];
    return most;
}

void pp_qp_judge_measure(pp_qp_judge *j, const double *z, perp_measures *out) {
    const perp_qp *p = j->p;
    int n = p->n, m = p->m;
    const double *x = z, *y = n > 0 ? z + n : z; /* z may be NULL where nothing is to be judged */
    pp_measures_lost(out);
    if (!pp_all_finite(n + m, z)) return;
    double G = products(j, x, y), X = j->length;
    if (!pp_all_finite(n, j->g) || !pp_all_finite(m, j->ax)) return;
    for (int i = 0; i < n; i++)
        X = fmax(X, fabs(pp_clamp(x[i], p->lo ? p->lo[i] : -INFINITY, p->hi ? p->hi[i] : INFINITY)));
    double row = j->A > 0 ? j->A * X : 1, multiplier = j->A > 0 ? G / j->A : G;
    *out = (perp_measures){.z_unit = X, .w_unit = G, .largest = largest(z, n + m)};
    for (int i = 0; i < n; i++) {
        double lo = p->lo ? p->lo[i] : -INFINITY, hi = p->hi ? p->hi[i] : INFINITY;
        pp_law_measure(x[i] / X, j->g[i] / G, lo / X, hi / X, out);
        pp_worsen(&out->raw, pp_natural(x[i], j->g[i], lo, hi));
    }
    for (int i = 0; i < m; i++) {
        double lo = p->row_lo[i], hi = p->row_hi[i];
        pp_law_measure(j->ax[i] / row, y[i] / multiplier, lo / row, hi / row, out);
        pp_worsen(&out->raw, pp_natural(j->ax[i], y[i], lo, hi));
    }
    out->siconos = out->raw / fmax(j->norm_c, 1);
}

double pp_qp_residual(const perp_problem *p, const double *z) {
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    pp_qp_judge *j = pp_qp_judge_new(&p->as.qp, &arena);
    perp_measures m = {.natural = INFINITY, .w_unit = 1};
    if (j) pp_qp_judge_measure(j, z, &m);
    pp_arena_free(&arena);
    return m.natural < INFINITY ? m.natural * m.w_unit : INFINITY;
}
