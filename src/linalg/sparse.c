/* sparse.c - sparse symmetric positive definite systems
 * Problem  A x = b with the same pattern of A again and again.
 * Method   CHOLMOD, simplicial L L'. A new pattern is ordered (AMD) and analysed; its entries are then kept in that
 *          order as an upper triangle, the one form that CHOLMOD factorises without copies, so that a warm call
 *          allocates nothing.
 * Valid    positive definite A; anything else is refused.
 * Cost     that of the fill; the ordering once per pattern.
 * Source   Chen, Davis, Hager, Rajamanickam, Algorithm 887: CHOLMOD (2008). */
#include <assert.h>
#include <cholmod.h>
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"

struct pp_sparse_chol {
    perp_allocator alloc;
    cholmod_common common;
    int n, nnz;
    bool known; /* the pattern below is analysed */
    bool factored;
    int *pattern; /* n + 1 column starts and nnz row indices, as given */
    int cap_pattern;
    int *at;      /* nnz: where an entry goes in C */
    int *inverse; /* n: place of row i in the order */
    int cap_at, cap_inverse;
    cholmod_sparse *C; /* permuted, upper triangle */
    cholmod_factor *L;
    double *y; /* n: a permuted right-hand side */
    int cap_y;
    int analyses;
};

pp_sparse_chol *pp_sparse_chol_new(const perp_allocator *a) {
    pp_sparse_chol *s = pp_alloc(a, sizeof *s);
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    s->alloc = *a;
    if (!cholmod_start(&s->common)) {
        pp_free(a, s);
        return NULL;
    }
    s->common.print = 0;
    s->common.supernodal = CHOLMOD_SIMPLICIAL;
    s->common.final_ll = 1;
    s->common.final_asis = 1;
    s->common.nmethods = 1;
    return s;
}

static void forget(pp_sparse_chol *s) {
    cholmod_free_sparse(&s->C, &s->common);
    cholmod_free_factor(&s->L, &s->common);
    s->known = s->factored = false;
}

void pp_sparse_chol_free(pp_sparse_chol *s) {
    if (!s) return;
    perp_allocator a = s->alloc;
    forget(s);
    cholmod_finish(&s->common);
    pp_free(&a, s->pattern);
    pp_free(&a, s->at);
    pp_free(&a, s->inverse);
    pp_free(&a, s->y);
    pp_free(&a, s);
}

/* Order of the pattern: fills inverse. */
static bool order(pp_sparse_chol *s, int n, const int *colptr, const int *rowind) {
    cholmod_sparse *A =
        cholmod_allocate_sparse((size_t)n, (size_t)n, (size_t)colptr[n], 1, 1, -1, CHOLMOD_PATTERN, &s->common);
    if (!A) return false;
    memcpy(A->p, colptr, sizeof(int) * (size_t)(n + 1));
    memcpy(A->i, rowind, sizeof(int) * (size_t)colptr[n]);
    s->common.method[0].ordering = CHOLMOD_AMD;
    s->common.postorder = 1;
    cholmod_factor *L = cholmod_analyze(A, &s->common);
    cholmod_free_sparse(&A, &s->common);
    if (!L) return false;
    for (int i = 0; i < n; i++) s->inverse[((const int *)L->Perm)[i]] = i;
    cholmod_free_factor(&L, &s->common);
    return true;
}

/* Permuted upper triangle with sorted columns: counted by row first, so that placing by ascending row sorts each
 * column. */
static bool permute(pp_sparse_chol *s, int n, const int *colptr, const int *rowind) {
    int nnz = colptr[n];
    s->C = cholmod_allocate_sparse((size_t)n, (size_t)n, (size_t)nnz, 1, 1, 1, CHOLMOD_REAL, &s->common);
    int *head = cholmod_malloc((size_t)(2 * n + 2), sizeof(int), &s->common);
    int *list = cholmod_malloc((size_t)(2 * nnz + 1), sizeof(int), &s->common); /* entries by row, their columns */
    bool ok = s->C && head && list;
    if (ok) {
        int *Cp = s->C->p, *Ci = s->C->i, *next = head + n + 1;
        memset(head, 0, sizeof(int) * (size_t)(n + 1));
        memset(Cp, 0, sizeof(int) * (size_t)(n + 1));
        for (int j = 0; j < n; j++)
            for (int k = colptr[j]; k < colptr[j + 1]; k++) {
                int a = s->inverse[rowind[k]], b = s->inverse[j];
                head[(a < b ? a : b) + 1]++;
                Cp[(a < b ? b : a) + 1]++;
            }
        for (int i = 0; i < n; i++) head[i + 1] += head[i], Cp[i + 1] += Cp[i];
        for (int i = 0; i < n; i++) next[i] = head[i];
        for (int j = 0; j < n; j++)
            for (int k = colptr[j]; k < colptr[j + 1]; k++) {
                int a = s->inverse[rowind[k]], b = s->inverse[j], e = next[a < b ? a : b]++;
                list[e] = k;
                list[nnz + e] = a < b ? b : a;
            }
        for (int i = 0; i < n; i++) next[i] = Cp[i];
        for (int r = 0; r < n; r++)
            for (int e = head[r]; e < head[r + 1]; e++) {
                int to = next[list[nnz + e]]++;
                Ci[to] = r;
                s->at[list[e]] = to;
            }
    }
    cholmod_free((size_t)(2 * n + 2), sizeof(int), head, &s->common);
    cholmod_free((size_t)(2 * nnz + 1), sizeof(int), list, &s->common);
    return ok;
}

static bool analyse(pp_sparse_chol *s, int n, const int *colptr, const int *rowind) {
    int nnz = colptr[n];
    forget(s);
    if (!PP_GROW(&s->alloc, s->pattern, s->cap_pattern, 0, n + 1 + nnz)) return false;
    if (!PP_GROW(&s->alloc, s->at, s->cap_at, 0, nnz)) return false;
    if (!PP_GROW(&s->alloc, s->inverse, s->cap_inverse, 0, n)) return false;
    if (!PP_GROW(&s->alloc, s->y, s->cap_y, 0, n)) return false;
    memcpy(s->pattern, colptr, sizeof(int) * (size_t)(n + 1));
    memcpy(s->pattern + n + 1, rowind, sizeof(int) * (size_t)nnz);
    if (!order(s, n, colptr, rowind) || !permute(s, n, colptr, rowind)) return false;
    s->common.method[0].ordering = CHOLMOD_NATURAL;
    s->common.postorder = 0;
    s->L = cholmod_analyze(s->C, &s->common);
    if (!s->L) return false;
    s->analyses++;
    s->n = n;
    s->nnz = nnz;
    s->known = true;
    return true;
}

bool pp_sparse_chol_factor(pp_sparse_chol *s, int n, const int *colptr, const int *rowind, const double *values) {
    s->factored = false;
    for (int k = 0; k < colptr[n]; k++)
        if (!isfinite(values[k])) return false;
    bool same = s->known && s->n == n && s->nnz == colptr[n] &&
                memcmp(s->pattern, colptr, sizeof(int) * (size_t)(n + 1)) == 0 &&
                memcmp(s->pattern + n + 1, rowind, sizeof(int) * (size_t)colptr[n]) == 0;
    if (n > 0) {
        if (!same && !analyse(s, n, colptr, rowind)) {
            forget(s);
            return false;
        }
        double *x = s->C->x;
        for (int k = 0; k < s->nnz; k++) x[s->at[k]] = values[k];
        if (!cholmod_factorize(s->C, s->L, &s->common) || s->common.status != CHOLMOD_OK || s->L->minor < s->L->n)
            return false;
        assert(s->L->is_ll && !s->L->is_super && s->L->ordering == CHOLMOD_NATURAL);
    }
    s->n = n;
    s->factored = true;
    return true;
}

/* Triangular solves by our own loops over the simplicial columns (diagonal first), as cholmod_solve2 allocates. */
bool pp_sparse_chol_solve(pp_sparse_chol *s, int nrhs, double *x) {
    if (!s->factored) return false;
    if (s->n == 0) return true;
    const int *p = s->L->p, *i = s->L->i, *nz = s->L->nz;
    const double *L = s->L->x;
    int n = s->n;
    for (int r = 0; r < nrhs; r++) {
        double *y = s->y, *b = x + (ptrdiff_t)n * r;
        for (int k = 0; k < n; k++) y[s->inverse[k]] = b[k];
        for (int j = 0; j < n; j++) {
            y[j] /= L[p[j]];
            for (int k = p[j] + 1; k < p[j] + nz[j]; k++) y[i[k]] -= L[k] * y[j];
        }
        for (int j = n - 1; j >= 0; j--) {
            for (int k = p[j] + 1; k < p[j] + nz[j]; k++) y[j] -= L[k] * y[i[k]];
            y[j] /= L[p[j]];
        }
        for (int k = 0; k < n; k++) b[k] = y[s->inverse[k]];
    }
    return true;
}

int pp_sparse_chol_analyses(const pp_sparse_chol *s) { return s->analyses; }
