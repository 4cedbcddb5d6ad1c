/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sparse_lu.c - general sparse systems
 * Problem  A x = b, or A'x = b, with the same pattern of A again and again.
 * Method   KLU: permuted to block triangular form, each block ordered by AMD, LU with partial pivoting and rows scaled
 *          by their largest entry. A known pattern skips the analysis; pivots are chosen anew each time, as values
 *          change by orders of magnitude between calls.
 * Valid    structurally and numerically regular A. Singular, or so nearly that a pivot is lost in rounding: refused.
 * Cost     that of the fill; the ordering once per pattern.
 * Source   Davis, Natarajan, Algorithm 907: KLU (2010). */
#include "linalg/sparse_lu.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pp_sparse_lu {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    int n, nnz;
    int *pattern; /* n + 1 column starts and nnz rows, as analysed; NULL: none */
};

pp_sparse_lu *pp_sparse_lu_new(void) {
    pp_sparse_lu *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    if (!klu_defaults(&s->common)) {
        free(s);
        return NULL;
    }
    s->common.scale = 2;
    s->common.halt_if_singular = 1;
    s->common.tol =
        0.1; /* a diagonal pivot must be a tenth of the largest: our matrices are far from diagonally dominant */
    return s;
}

static void forget(pp_sparse_lu *s) {
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    free(s->pattern);
    s->pattern = NULL;
}

void pp_sparse_lu_free(pp_sparse_lu *s) {
    if (!s) return;
    forget(s);
    free(s);
}

static bool same_pattern(const pp_sparse_lu *s, int n, const int *start, const int *index) {
    return s->symbolic && s->pattern && s->n == n && s->nnz == start[n] &&
           memcmp(s->pattern, start, sizeof *start * (size_t)(n + 1)) == 0 &&
           memcmp(s->pattern + n + 1, index, sizeof *index * (size_t)start[n]) == 0;
}

/* KLU wants patterns that it may write to, though it does not: it is given our copy. */
static bool analyse(pp_sparse_lu *s, int n, const int *start, const int *index) {
    forget(s);
    s->n = n;
    s->nnz = start[n];
    s->pattern = malloc(sizeof *s->pattern * (size_t)(n + 1 + s->nnz));
    if (!s->pattern) return false;
    memcpy(s->pattern, start, sizeof *start * (size_t)(n + 1));
    memcpy(s->pattern + n + 1, index, sizeof *index * (size_t)s->nnz);
    s->symbolic = klu_analyze(n, s->pattern, s->pattern + n + 1, &s->common);
    return s->symbolic != NULL;
}

bool pp_sparse_lu_factor(pp_sparse_lu *s, int n, const int *start, const int *index, const double *value) {
    klu_free_numeric(&s->numeric, &s->common);
    for (int k = 0; k < start[n]; k++)
        if (!isfinite(value[k])) return false;
    if (n == 0) {
        forget(s);
        s->n = 0;
        return true;
    }
    if (!same_pattern(s, n, start, index) && !analyse(s, n, start, index)) {
        forget(s);
        return false;
    }
    /* the values are only read; KLU's prototype lacks the const */
    s->numeric = klu_factor(s->pattern, s->pattern + n + 1, (double *)(size_t)value, s->symbolic, &s->common);
    if (s->numeric && s->common.status != KLU_OK) klu_free_numeric(&s->numeric, &s->common);
    return s->numeric != NULL;
}

bool pp_sparse_lu_solve(pp_sparse_lu *s, bool transposed, double *x) {
    if (s->n == 0) return true;
    if (!s->numeric) return false;
    int ok = transposed ? klu_tsolve(s->symbolic, s->numeric, s->n, 1, x, &s->common)
                        : klu_solve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
    for (int i = 0; ok && i < s->n; i++)
        if (!isfinite(x[i])) return false;
    return ok != 0;
}

double pp_sparse_lu_rcond(pp_sparse_lu *s) {
    if (s->n == 0) return 1;
    if (!s->numeric || !klu_rcond(s->symbolic, s->numeric, &s->common)) return 0;
    return isnan(s->common.rcond) ? 0 : s->common.rcond;
}

/* A multiplication of sparse elimination against one of a dense product, in time: indices are followed, and nothing is vectorised.
 * Measured on factors of 500 to 3000 unknowns: 3 to 5. */
#define SPARSE_SLOWER 4.0

double pp_sparse_lu_work(pp_sparse_lu *s) {
    if (s->n == 0) return 0;
    double work = 2.0 * s->nnz;
    if (s->numeric && klu_flops(s->symbolic, s->numeric, &s->common)) work += s->common.flops / 2;
    return SPARSE_SLOWER * work;
}
