/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* lcp_families.c - random linear complementarity problems by family
 * P          symmetric definite; definite plus skew; K-matrices; Murty's triangle; triangular; rescaled.
 * PSD        A A' of low rank; the same plus skew; conditions of quadratic and linear programmes; matrix games (skew).
 * Copositive [[A, B], [-B', 0]] with A strictly copositive; semidefinite plus a nonnegative block; positive matrices.
 * Degenerate members of these in small integers.
 * Contact    lcp_contacts.c.
 * Source     Cottle, Pang, Stone (1992) 3.1, 3.3, 3.8 (classes), 4.4 (what Lemke's method solves); Murty, Computational
 *            complexity of complementary pivot methods (1978). */
#include "lcp_families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lcp_contacts.h"
#include "uniform.h"

enum { MOST = LCP_FAMILY_MOST };

struct lcp_source {
    lcp_family family;
    uint64_t rng;
    int count;
    int n;
    double M[MOST * MOST], A[MOST * MOST], q[MOST], z[MOST], w[MOST];
    lcp_contacts *contacts;
};

const char *lcp_family_name(lcp_family f) {
    static const char *const name[] = {"P", "PSD", "copositive-plus", "degenerate", "contact"};
    return (unsigned)f < LCP_FAMILIES ? name[f] : "?";
}

static double unit(lcp_source *s) { return scene_uniform(&s->rng, 0, 1); }
static double sym(lcp_source *s) { return 2 * unit(s) - 1; }
static int below(lcp_source *s, int n) { return (int)(unit(s) * n); }
/* 10^lo .. 10^hi, as many in each decade. */
static double decades(lcp_source *s, double lo, double hi) { return pow(10, lo + (hi - lo) * unit(s)); }
/* -1, 0 or 1 */
static double digit(lcp_source *s) { return below(s, 3) - 1; }

static double *at(lcp_source *s, int i, int j) { return &s->M[i + s->n * j]; }
static void clear(lcp_source *s) { memset(s->M, 0, sizeof *s->M * (size_t)(s->n * s->n)); }

/* Adds A A' over the rows and columns lo .. hi - 1, A of `rank` columns with entries from `entry`. */
static void add_gram(lcp_source *s, int lo, int hi, int rank, double factor, double (*entry)(lcp_source *)) {
    int m = hi - lo;
    for (int k = 0; k < m * rank; k++) s->A[k] = entry(s);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int k = 0; k < rank; k++) sum += s->A[i + m * k] * s->A[j + m * k];
            *at(s, lo + i, lo + j) += factor * sum;
        }
}

static void add_diagonal(lcp_source *s, int lo, int hi, double d) {
    for (int i = lo; i < hi; i++) *at(s, i, i) += d;
}

static void add_skew(lcp_source *s, double factor, double (*entry)(lcp_source *)) {
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < j; i++) {
            double a = factor * entry(s);
            *at(s, i, j) += a;
            *at(s, j, i) -= a;
        }
}

/* [[., B], [-B', .]], B of m rows. */
static void add_saddle(lcp_source *s, int m, double (*entry)(lcp_source *)) {
    for (int j = m; j < s->n; j++)
        for (int i = 0; i < m; i++) {
            double a = entry(s);
            *at(s, i, j) += a;
            *at(s, j, i) -= a;
        }
}

/* Nonnegative symmetric block with a positive diagonal, on a random set of rows: with x >= 0, x'Nx = 0 only if x is 0
 * there, and then N x = 0. */
static void add_nonnegative(lcp_source *s, int lo, int hi, double part, double (*entry)(lcp_source *)) {
    for (int i = lo; i < hi; i++) s->w[i] = unit(s) < part;
    for (int j = lo; j < hi; j++)
        for (int i = lo; i <= j; i++) {
            if (s->w[i] == 0 || s->w[j] == 0) continue;
            double a = fabs(entry(s)) + (i == j ? 1 : 0);
            *at(s, i, j) += a;
            if (i != j) *at(s, j, i) += a;
        }
}

static void random_q(lcp_source *s) {
    double size = decades(s, -3, 3);
    for (int i = 0; i < s->n; i++) s->q[i] = size * sym(s);
}

/* q such that z is a solution, with w = M z + q; `open`: part of the pairs with z_i = w_i = 0. */
static void plant(lcp_source *s, double open, bool integer) {
    double size = integer ? 1 : decades(s, -3, 3);
    for (int i = 0; i < s->n; i++) {
        double value = integer ? 1 + below(s, 2) : unit(s);
        bool positive = below(s, 2), none = unit(s) < open;
        s->z[i] = positive && !none ? value : 0;
        s->w[i] = positive || none ? 0 : value;
    }
    for (int i = 0; i < s->n; i++) {
        double sum = 0;
        for (int j = 0; j < s->n; j++) sum += *at(s, i, j) * s->z[j];
        s->q[i] = size * (s->w[i] - sum);
    }
    for (int i = 0; i < s->n; i++) s->z[i] *= size, s->w[i] *= size;
}

/* Laplacian of a random graph: positive degrees, what is off the diagonal is <= 0. */
static void add_laplacian(lcp_source *s, double part, double (*entry)(lcp_source *)) {
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < j; i++) {
            if (unit(s) > part) continue;
            double a = fabs(entry(s));
            *at(s, i, j) -= a, *at(s, j, i) -= a;
            *at(s, i, i) += a, *at(s, j, j) += a;
        }
}

static void triangle(lcp_source *s, bool murty) {
    for (int j = 0; j < s->n; j++) {
        *at(s, j, j) = 1;
        for (int i = j + 1; i < s->n; i++) *at(s, i, j) = murty ? 2 : 2 * sym(s) / sqrt(s->n);
    }
}

static const char *make_p(lcp_source *s, int kind) {
    static const char *const name[] = {"definite", "definite and skew", "K", "Murty", "triangular", "rescaled"};
    int n = s->n;
    switch (kind) {
    case 0: add_gram(s, 0, n, n, 1.0 / n, sym), add_diagonal(s, 0, n, decades(s, -2, 0)); break;
    case 1: add_gram(s, 0, n, n, 1.0 / n, sym), add_diagonal(s, 0, n, decades(s, -2, 0)), add_skew(s, 1, sym); break;
    case 2: add_laplacian(s, 0.3, sym), add_diagonal(s, 0, n, decades(s, -2, 0)); break;
    case 3: triangle(s, true); break;
    case 4: triangle(s, false); break;
    default:
        add_gram(s, 0, n, n, 1.0 / n, sym), add_diagonal(s, 0, n, 0.1), add_skew(s, 1, sym);
        for (int i = 0; i < n; i++) {
            double row = decades(s, -1, 1), column = decades(s, -1, 1);
            for (int j = 0; j < n; j++) *at(s, i, j) *= row, *at(s, j, i) *= column;
        }
    }
    random_q(s);
    return name[kind];
}

static const char *make_psd(lcp_source *s, int kind, bool *symmetric) {
    static const char *const name[] = {"low rank", "low rank and skew", "quadratic programme", "linear programme",
                                       "game"};
    int n = s->n, m = n > 1 ? 1 + below(s, n - 1) : 1, rank = below(s, n);
    *symmetric = kind == 0;
    switch (kind) {
    case 0: add_gram(s, 0, n, rank, 1, sym); break;
    case 1: add_gram(s, 0, n, rank, 1, sym), add_skew(s, 1, sym); break;
    case 2: add_gram(s, 0, m, below(s, m + 1), 1, sym), add_saddle(s, m, sym); break;
    case 3: add_saddle(s, m, sym); break;
    default: add_skew(s, 1, sym);
    }
    plant(s, 0, false);
    return name[kind];
}

static const char *make_copositive(lcp_source *s, int kind) {
    static const char *const name[] = {"saddle", "semidefinite and nonnegative", "positive"};
    int n = s->n, m = n > 1 ? 1 + below(s, n - 1) : 1;
    switch (kind) {
    case 0: add_gram(s, 0, m, below(s, m), 0.1, sym), add_nonnegative(s, 0, m, 1, sym), add_saddle(s, m, sym); break;
    case 1: add_gram(s, 0, n, below(s, n), 1, sym), add_nonnegative(s, 0, n, 0.5, sym); break;
    default: add_nonnegative(s, 0, n, 1, sym);
    }
    plant(s, 0, false);
    return name[kind];
}

static const char *make_degenerate(lcp_source *s, int kind, bool *unique_z, bool *unique_w) {
    static const char *const name[] = {"definite",  "low rank",         "every row twice",
                                       "Laplacian", "linear programme", "copositive"};
    int n = s->n, m = n > 1 ? 1 + below(s, n - 1) : 1;
    *unique_z = kind == 0 || kind == 3;
    *unique_w = kind <= 3;
    switch (kind) {
    case 0: add_gram(s, 0, n, n, 1, digit), add_diagonal(s, 0, n, 1); break;
    case 1: add_gram(s, 0, n, below(s, n), 1, digit); break;
    case 2:
        add_gram(s, 0, n, n, 1, digit);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) *at(s, i, j) = *at(s, i / 2 * 2, j / 2 * 2);
        break;
    case 3: add_laplacian(s, 0.3, digit), add_diagonal(s, 0, n, 1); break;
    case 4: add_saddle(s, m, digit); break;
    default: add_gram(s, 0, m, below(s, m), 1, digit), add_nonnegative(s, 0, m, 1, digit), add_saddle(s, m, digit);
    }
    plant(s, 0.4, true);
    return name[kind];
}

lcp_source *lcp_source_new(lcp_family f, unsigned seed) {
    lcp_source *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->family = f;
    s->rng = 1000003ull * seed + (uint64_t)f;
    if (f == LCP_FAMILY_CONTACT && !(s->contacts = lcp_contacts_new(seed))) {
        free(s);
        return NULL;
    }
    return s;
}

void lcp_source_free(lcp_source *s) {
    if (s) lcp_contacts_free(s->contacts);
    free(s);
}

/* One that no judge would refuse: a row of zeros with q_i < 0 has no solution, and rounding may make one. */
static bool sound(const perp_problem *p) { return perp_problem_check(p, NULL, 0) == PERP_OK; }

bool lcp_source_next(lcp_source *s, lcp_instance *out) {
    if (s->family == LCP_FAMILY_CONTACT) return lcp_contacts_next(s->contacts, out);
    do {
        int k = s->count++;
        s->n = (int)exp(unit(s) * log(MOST + 1));
        if (s->n > MOST) s->n = MOST;
        clear(s);
        *out = (lcp_instance){.n = s->n, .must = true};
        out->problem = (perp_problem){.cls = PERP_LCP, .as.lcp = {s->n, s->M, s->q}};
        switch (s->family) {
        case LCP_FAMILY_P: out->kind = make_p(s, k % 6), out->unique_z = out->unique_w = true; break;
        case LCP_FAMILY_PSD: out->kind = make_psd(s, k % 5, &out->unique_w); break;
        case LCP_FAMILY_COPOSITIVE: out->kind = make_copositive(s, k % 3); break;
        default: out->kind = make_degenerate(s, k % 6, &out->unique_z, &out->unique_w);
        }
        if (s->family != LCP_FAMILY_P) out->known = s->z;
    } while (!sound(&out->problem));
    return true;
}

static void rows(const lcp_instance *p, const double *z, double *w) {
    for (int i = 0; i < p->n; i++) w[i] = p->problem.as.lcp.q[i];
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n; i++) w[i] += p->problem.as.lcp.M[i + p->n * j] * z[j];
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

double lcp_difference(const lcp_instance *p, const double *z, const double *known) {
    double a[LCP_FAMILY_MOST], b[LCP_FAMILY_MOST];
    memcpy(a, z, sizeof *a * (size_t)p->n);
    memcpy(b, known, sizeof *b * (size_t)p->n);
    if (!p->unique_z) rows(p, z, a), rows(p, known, b);
    for (int i = 0; i < p->n; i++) a[i] -= b[i];
    double most = largest(p->n, a), size = largest(p->n, p->unique_z ? b : p->problem.as.lcp.q);
    return size > 0 ? most / size : most;
}
