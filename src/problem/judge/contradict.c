/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contradict.c - checks infeasibility certificates: multipliers which prove that a problem has no solution (perp/contradiction.h)
 * Problem  y with r . (W'y) <= 0 for all r that are allowed, and q . y < 0.
 * Method   compute g = W'y and its rounding error. Only the part of g counts that an impulse can use: for a contact the
 *          projection on its cone, in the metric of the axes; for a row the part towards an infinite bound; the effect of
 *          finite bounds is subtracted from the closing velocity. Then sum_k |r_k| |g_k| >= closing for every solution. Let
 *          |g_k| <= kappa eps (|W|'|y|)_k, with kappa >= 1: the ratio of g to its rounding error. Then sum_i |y_i| noise_i(r)
 *          >= closing/kappa, with the noise of the judge. If that is at least PP_NOISY sum_i |y_i| v_i, then in every solution
 *          the noise of some contradicting law is too large, and the judge rejects it: the proof holds.
 * Valid    cones, cone QPs, LCP and mixed LCP. W of any symmetry.
 * Cost     one product with W' and one with its absolute values. */
#include "perp/contradiction.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/judge/contradict.h"
#include "problem/law.h"
#include "problem/laws.h"
#include "problem/judge/measure.h"
#include "base/elementary.h"

#define STRAINED \
    1e6 /* [1] ratio of the least impulses to the usual ones above which a problem is reported as strained */
#define SMALL_Y 1e-9 /* [1] laws with multipliers below this fraction of the largest are not named */

const char *perp_existence_text(perp_existence e) {
    switch (e) {
    case PERP_EXISTENCE_UNKNOWN: return "unknown";
    case PERP_EXISTENCE_NONE: return "infeasible";
    case PERP_EXISTENCE_STRAINED: return "strained";
    case PERP_EXISTENCE_WEDGED: return "may have none (wedged)";
    case PERP_EXISTENCE_SOME: return "has an answer";
    }
    return "unknown";
}

typedef struct work {
    const perp_problem *p;
    perp_judge *judge;
    int m;
    double *y;         /* m: largest 1 */
    double *g, *noise; /* m: W'y and its rounding error */
    double closing, closing_noise;
    double left, left_scaled; /* largest usable |g_k|, and |g_k|/sqrt(D_k) */
    double speed_sum;         /* sum of |y_i| v_i */
    double usual;             /* largest v/sqrt(D) */
    double kappa;             /* largest usable |g_k| over its rounding, >= 1 */
} work;

/* Allowed sign of the multiplier of row k: -1, 0, 1; 2: any. A row without upper bound requires u_k >= 0. */
static int sign_of(double lo, double hi) {
    bool lower = lo > -INFINITY, upper = hi < INFINITY;
    return lower && upper ? 0 : lower ? 1 : upper ? -1 : 2;
}

static bool cone_class(const perp_problem *p) { return p->cls == PERP_CONE || p->cls == PERP_CONE_QP; }

static void row_bounds(const perp_problem *p, int k, double *lo, double *hi) {
    if (!cone_class(p)) {
        pp_box_bounds(p, k, lo, hi);
        return;
    }
    *lo = p->as.cone.lo ? p->as.cone.lo[k] : -INFINITY;
    *hi = p->as.cone.hi ? p->as.cone.hi[k] : INFINITY;
}

int pp_multiplier_sign(const perp_problem *p, int k) {
    double lo, hi;
    if (cone_class(p) && k >= p->as.cone.nrow) return (k - p->as.cone.nrow) % p->as.cone.dim == 0;
    row_bounds(p, k, &lo, &hi);
    return sign_of(lo, hi);
}

static bool signs_allowed(const work *w) {
    for (int k = 0; k < w->m; k++) {
        int sign = pp_multiplier_sign(w->p, k);
        if (!isfinite(w->y[k]) || (sign < 2 && w->y[k] * sign < 0) || (sign == 0 && w->y[k] != 0)) return false;
    }
    return true;
}

/* g = A'y and the sizes of its terms. */
static void product(const perp_sparse *A, const double *y, double *g, double *terms) {
    for (int k = 0; k < A->cols; k++) {
        g[k] = terms[k] = 0;
        for (int e = A->start[k]; e < A->start[k + 1]; e++) {
            double a = A->value[e] * y[A->index[e]];
            g[k] += a;
            terms[k] += fabs(a);
        }
    }
}

static void product_dense(int n, const double *M, const double *y, double *g, double *terms) {
    for (int k = 0; k < n; k++) {
        g[k] = terms[k] = 0;
        for (int i = 0; i < n; i++) {
            double a = M[i + (ptrdiff_t)n * k] * y[i];
            g[k] += a;
            terms[k] += fabs(a);
        }
    }
}

static double entry(const perp_sparse *A, int i, int k) {
    for (int e = A->start[k]; e < A->start[k + 1]; e++)
        if (A->index[e] == i) return A->value[e];
    return 0;
}

static bool symmetric(const perp_sparse *A) {
    for (int k = 0; k < A->cols; k++)
        for (int e = A->start[k]; e < A->start[k + 1]; e++)
            if (A->value[e] != entry(A, k, A->index[e])) return false;
    return true;
}

/* Global form, M symmetric: W'y = H'M^-1 H y + compliance y. */
static perp_status product_global(work *w) {
    const pp_cone_judge *j = w->judge->cone;
    pp_cone_judge plain = *j;
    pp_arena *arena = &w->judge->arena;
    double *zero = PP_ARENA_ZERO(arena, double, j->m + j->n), *scratch = PP_ARENA_ARRAY(arena, double, 2 * j->m + j->n);
    if (!zero || !scratch) return PERP_E_MEMORY;
    plain.p.f = plain.p.b = zero;
    pp_cone_judge_velocity(&plain, w->y, w->g, NULL);
    pp_cone_judge_noise_of_rows(&plain, w->y, scratch);
    for (int k = 0; k < w->m; k++) w->noise[k] = scratch[k];
    return PERP_OK;
}

static perp_status multiply(work *w) {
    const perp_problem *p = w->p;
    const perp_cone *c = &p->as.cone;
    if (cone_class(p) && c->global) return product_global(w);
    if (cone_class(p))
        product(&c->W, w->y, w->g, w->noise);
    else if (p->cls == PERP_SPARSE_MLCP)
        product(&p->as.sparse_mlcp.M, w->y, w->g, w->noise);
    else
        product_dense(w->m, p->cls == PERP_LCP ? p->as.lcp.M : p->as.mlcp.M, w->y, w->g, w->noise);
    for (int k = 0; k < w->m; k++) w->noise[k] *= DBL_EPSILON;
    return PERP_OK;
}

/* unit: of the impulse, in which the diagonal of W is 1. */
static void use(work *w, double size, double noise, double unit) {
    double left = fmax(size, noise);
    w->left = fmax(w->left, left);
    w->left_scaled = fmax(w->left_scaled, left * unit);
    if (size > w->kappa * noise) w->kappa = size / noise; /* INFINITY if that is 0 */
}

/* A bounded row: impulses without bound use g_k; between finite bounds they add at most this to y . u. */
static void use_row(work *w, int k, double unit) {
    double lo, hi, g = w->g[k];
    row_bounds(w->p, k, &lo, &hi);
    bool down = lo == -INFINITY, up = hi == INFINITY;
    use(w, (g > 0 && up) || (g < 0 && down) ? fabs(g) : 0, w->noise[k], unit);
    /* within finite bounds: at most this; from a finite bound to infinity: the bound, and what is used beyond it */
    double most = g > 0 ? (!up ? hi * g : !down ? lo * g : 0) : g < 0 ? (!down ? lo * g : !up ? hi * g : 0) : 0;
    w->closing -= most;
    w->closing_noise += DBL_EPSILON * fabs(most);
}

static void use_contact(work *w, int c, double unit) {
    const pp_cone_judge *j = w->judge->cone;
    int dim = j->p.dim, at = j->p.nrow + dim * c, n = 0;
    double x[PERP_CONE_ROWS], slip = 0, noise = 0, mu = j->p.mu[c];
    for (int i = 0; i < dim; i++) {
        if (!(j->to_v[at + i] > 0)) continue; /* no impulse there */
        x[n++] = j->to_v[at + i] * w->g[at + i];
        noise = pp_hypot(noise, j->to_v[at + i] * w->noise[at + i]);
    }
    for (int i = 1; i < n; i++) slip = pp_hypot(slip, x[i]);
    double size = x[0] <= -mu * slip  ? 0
                  : slip <= mu * x[0] ? pp_hypot(x[0], slip)
                                      : (x[0] + mu * slip) / sqrt(1 + mu * mu); /* length of the projection */
    use(w, size, noise, unit);
}

static void name_laws(const work *w, perp_contradiction *out) {
    const perp_problem *p = w->p;
    bool taken[8] = {0};
    double size[8] = {0};
    for (int k = 0; k < w->m; k++) {
        double y = fabs(w->y[k]);
        if (!(y > SMALL_Y)) continue;
        int law = cone_class(p) && k >= p->as.cone.nrow ? p->as.cone.nrow + (k - p->as.cone.nrow) / p->as.cone.dim : k;
        out->nlaw++;
        int at = 8;
        while (at > 0 && (!taken[at - 1] || size[at - 1] < y)) at--;
        for (int i = 7; i > at; i--) out->law[i] = out->law[i - 1], size[i] = size[i - 1], taken[i] = taken[i - 1];
        if (at < 8) out->law[at] = law, size[at] = y, taken[at] = true;
    }
}

static perp_status check(work *w, perp_contradiction *out) {
    pp_arena *arena = &w->judge->arena;
    const pp_laws *laws = pp_judge_laws(w->judge);
    const pp_cone_judge *cone = w->judge->cone;
    if (!laws) return PERP_E_MEMORY;
    if (cone && cone->p.global && !symmetric(&cone->p.M)) return PERP_OK; /* W' is not at hand: nothing is said */
    w->g = PP_ARENA_ARRAY(arena, double, w->m);
    w->noise = PP_ARENA_ARRAY(arena, double, w->m);
    if (!w->g || !w->noise) return PERP_E_MEMORY;
    perp_status s = multiply(w);
    if (s) return s;
    const double *q = cone                     ? cone->q
                      : w->p->cls == PERP_LCP  ? w->p->as.lcp.q
                      : w->p->cls == PERP_MLCP ? w->p->as.mlcp.q
                                               : w->p->as.sparse_mlcp.q;
    for (int k = 0; k < w->m; k++) {
        w->closing -= q[k] * w->y[k];
        w->closing_noise += DBL_EPSILON * fabs(q[k] * w->y[k]);
    }
    for (int i = 0; i < laws->n; i++) {
        bool scaled = !cone && (w->p->z_scale || w->p->w_scale);
        double unit = cone ? sqrt(cone->rho[i]) : 1 / sqrt(pp_judge_inverse(w->judge, i));
        w->usual = fmax(w->usual, laws->scale[i] * unit);
        if (scaled && w->p->z_scale) unit = w->p->z_scale[i];
        int row = cone && i >= cone->p.nrow ? cone->p.nrow + cone->p.dim * (i - cone->p.nrow) : i;
        w->speed_sum += fabs(w->y[row]) * laws->scale[i] * (scaled && w->p->w_scale ? w->p->w_scale[i] : 1);
        if (cone && i >= cone->p.nrow)
            use_contact(w, i - cone->p.nrow, unit);
        else
            use_row(w, i, unit);
    }
    out->closing = w->closing;
    out->left = w->left;
    if (!(w->closing > 8 * w->closing_noise) || !isfinite(w->closing)) return PERP_OK;
    out->least_impulse = w->left > 0 ? w->closing / w->left : INFINITY;
    double largest = w->left_scaled > 0 ? w->closing / w->left_scaled / w->m : INFINITY; /* of the impulses, scaled */
    if (w->closing >= w->kappa * PP_NOISY * w->speed_sum)
        out->existence = PERP_EXISTENCE_NONE;
    else if (largest >= STRAINED * w->usual)
        out->existence = PERP_EXISTENCE_STRAINED;
    name_laws(w, out);
    return PERP_OK;
}

perp_status perp_contradiction_check(const perp_problem *p, const double *y, perp_contradiction *out) {
    if (!p || !out || p->cls == PERP_NCP || p->cls == PERP_QP) return PERP_E_ARG;
    *out = (perp_contradiction){0};
    work w = {.p = p, .kappa = 1};
    perp_status s = perp_judge_new(p, NULL, &w.judge);
    if (s) return s;
    w.m = perp_problem_size(p);
    if (!y && w.m > 0) s = PERP_E_ARG;
    if (!s && !(w.y = PP_ARENA_ARRAY(&w.judge->arena, double, w.m))) s = PERP_E_MEMORY;
    double most = 0;
    for (int k = 0; !s && k < w.m; k++) pp_worsen(&most, y[k]);
    for (int k = 0; !s && k < w.m; k++) w.y[k] = most > 0 ? y[k] / most : 0;
    if (!s && !signs_allowed(&w)) s = PERP_E_ARG;
    if (!s && most > 0) s = check(&w, out);
    perp_judge_free(w.judge);
    return s;
}
