/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sparse_lu.c - general sparse systems
 * Problem  A x = b, or A'x = b, with the same pattern of A again and again.
 * Method   rows and columns are permuted to block triangular form, each block ordered by AMD (klu_analyze). Rows are scaled by their largest
 *          entry. Each diagonal block is factored column by column with partial pivoting (Gilbert, Peierls): the pattern of a column is
 *          the set of nodes that its entries reach in the graph of L. The search is pruned (Eisenstat, Liu): once column k of U has an entry for column j,
 *          and the pivot row of k is in column j of L, those rows of column j that are not yet pivots are also reached through column k. If a column
 *          takes the pivot row of another column, the two exchange their rows. A known pattern skips the analysis; pivots are chosen again each time,
 *          because values change by orders of magnitude between calls.
 * Bits     KLU analyses with whole numbers only. It has a factorisation too, but compilers contract its products and sums on some
 *          machines and not on others; here they are never contracted.
 * Valid    structurally and numerically regular A. Singular, or so nearly that a pivot is lost in rounding: refused.
 * Cost     that of the fill; the ordering once per pattern.
 * Source   Gilbert, Peierls, SIAM J. Sci. Stat. Comput. 9 (1988) 862; Eisenstat, Liu, SIAM J. Matrix Anal. Appl. 13 (1992) 202; Davis, Natarajan, Algorithm 907: KLU (2010). */
#include "linalg/sparse_lu.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A diagonal pivot must be at least a tenth of the largest; the matrices are far from diagonally dominant. */
#define DIAGONAL 0.1

/* Columns of a triangular factor; of the column in work, rows that are no pivots yet are named by their place before pivoting. */
typedef struct columns {
    int *start; /* n + 1 */
    int *index;
    double *value;
    int room; /* entries */
} columns;

/* Places of rows: before pivoting by the analysis, after it by the pivots. */
struct pp_sparse_lu {
    klu_common common;
    klu_symbolic *symbolic;
    int n, nnz;
    int *pattern;                 /* n + 1 column starts and nnz rows, as analysed; NULL: none */
    bool factored;                /* what follows holds a factor */
    columns L, U;                 /* without their diagonals; L has ones there */
    columns off;                  /* entries above the diagonal blocks */
    double *diagonal, *scale, *x; /* n: of U; largest entry of each row; scratch, zero while columns are eliminated */
    int *place, *row, *pivot;     /* n: place of a row; row of a pivot; pivot of a place, -1: none yet */
    int *diagonal_of, *column_of; /* n: the place that a column takes if it can, and the column of a place */
    int *searched;                /* n: end of what the search looks at in a column of L */
    int *mark, *stack, *next, *reached; /* n: scratch of the search */
    double products;                    /* of the last factorisation */
};

pp_sparse_lu *pp_sparse_lu_new(void) {
    pp_sparse_lu *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    if (!klu_defaults(&s->common)) {
        free(s);
        return NULL;
    }
    s->common.halt_if_singular = 1;
    return s;
}

static void forget_columns(columns *c) {
    free(c->start);
    free(c->index);
    free(c->value);
    *c = (columns){0};
}

static void forget(pp_sparse_lu *s) {
    klu_free_symbolic(&s->symbolic, &s->common);
    free(s->pattern);
    free(s->diagonal);
    free(s->place);
    forget_columns(&s->L);
    forget_columns(&s->U);
    forget_columns(&s->off);
    s->pattern = s->place = NULL;
    s->diagonal = NULL;
    s->factored = false;
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

/* Room for `more` entries behind the first `used`. */
static bool make_room(columns *c, int used, int more) {
    if (c->index && c->value && used <= c->room - more) return true;
    const size_t room = 3 * ((size_t)used + (size_t)more) / 2 + 16;
    if (room > (size_t)INT32_MAX / 2) return false;
    int *index = realloc(c->index, sizeof *index * room);
    if (index) c->index = index;
    double *value = index ? realloc(c->value, sizeof *value * room) : NULL;
    if (value) c->value = value;
    if (!index || !value) return false;
    c->room = (int)room;
    return true;
}

/* KLU's interface takes patterns that are not const, so it gets a copy. */
static bool analyse(pp_sparse_lu *s, int n, const int *start, const int *index) {
    forget(s);
    s->n = n;
    s->nnz = start[n];
    const size_t size = (size_t)n;
    s->pattern = malloc(sizeof *s->pattern * (size + 1 + (size_t)s->nnz));
    s->diagonal = calloc(3 * size, sizeof *s->diagonal);
    s->place = malloc(sizeof *s->place * 10 * size);
    columns *const all[] = {&s->L, &s->U, &s->off};
    bool room = s->pattern && s->diagonal && s->place;
    for (int k = 0; k < 3; k++) {
        all[k]->start = malloc(sizeof *all[k]->start * (size + 1));
        room = room && all[k]->start && make_room(all[k], 0, s->nnz);
    }
    if (!room) return false;
    s->scale = s->diagonal + n;
    s->x = s->scale + n;
    s->row = s->place + n;
    s->pivot = s->row + n;
    s->diagonal_of = s->pivot + n;
    s->column_of = s->diagonal_of + n;
    s->searched = s->column_of + n;
    s->mark = s->searched + n;
    s->stack = s->mark + n;
    s->next = s->stack + n;
    s->reached = s->next + n;
    memcpy(s->pattern, start, sizeof *start * (size + 1));
    memcpy(s->pattern + n + 1, index, sizeof *index * (size_t)s->nnz);
    s->symbolic = klu_analyze(n, s->pattern, s->pattern + n + 1, &s->common);
    return s->symbolic != NULL;
}

/* False if a row is empty. */
static bool scale_rows(pp_sparse_lu *s, const double *value) {
    const int n = s->n, *index = s->pattern + n + 1;
    for (int i = 0; i < n; i++) s->scale[i] = 0;
    for (int k = 0; k < s->nnz; k++) {
        const double size = fabs(value[k]);
        if (size > s->scale[index[k]]) s->scale[index[k]] = size;
    }
    for (int i = 0; i < n; i++)
        if (!(s->scale[i] > 0)) return false;
    return true;
}

/* All places that place r reaches in the graph of L and that are not marked for this column; in front of `top` of s->reached, so that
 * each comes before those it reaches. Returns the new top. */
static int reach(pp_sparse_lu *s, int r, int column, int top) {
    const int *restrict pivot_of = s->pivot, *restrict start = s->L.start, *restrict searched = s->searched,
                        *restrict index = s->L.index;
    int *restrict mark = s->mark, *restrict stack = s->stack, *restrict next = s->next;
    int depth = 0;
    stack[0] = r;
    mark[r] = column;
    next[0] = pivot_of[r] >= 0 ? start[pivot_of[r]] : 0;
    while (depth >= 0) {
        const int here = stack[depth], pivot = pivot_of[here], end = pivot >= 0 ? searched[pivot] : 0;
        int p = next[depth];
        for (; p < end; p++) {
            const int child = index[p];
            if (mark[child] == column) continue;
            mark[child] = column;
            if (pivot_of[child] >= 0) break;
            s->reached[--top] = child; /* a leaf */
        }
        if (p >= end) {
            s->reached[--top] = here;
            depth--;
            continue;
        }
        next[depth] = p + 1;
        stack[++depth] = index[p];
        next[depth] = start[pivot_of[index[p]]];
    }
    return top;
}

/* Puts a column into s->x and its entries above the block into s->off; returns the top of what it reaches, -1 without memory. */
static int scatter(pp_sparse_lu *s, int column, int first, const double *value) {
    const int j = s->symbolic->Q[column], *start = s->pattern, *index = s->pattern + s->n + 1;
    int top = s->n, used = s->off.start[column];
    if (!make_room(&s->off, used, start[j + 1] - start[j])) return -1;
    for (int k = start[j]; k < start[j + 1]; k++) {
        const int i = index[k], r = s->place[i];
        const double v = value[k] / s->scale[i];
        if (r < first) {
            s->off.index[used] = s->pivot[r]; /* the block of this row is factored */
            s->off.value[used++] = v;
        } else {
            if (s->mark[r] != column) top = reach(s, r, column, top);
            s->x[r] = v;
        }
    }
    s->off.start[column + 1] = used;
    return top;
}

/* The place of the pivot among those reached: the largest, but the diagonal if it is large enough. -1: none. */
static int choose_pivot(const pp_sparse_lu *s, int column, int top) {
    const double *restrict x = s->x;
    int best = -1;
    double most = 0;
    for (int k = top; k < s->n; k++) {
        const int r = s->reached[k];
        if (s->pivot[r] < 0 && fabs(x[r]) > most) most = fabs(x[r]), best = r;
    }
    if (best < 0 || !isfinite(most)) return -1;
    const int d = s->diagonal_of[column];
    return s->mark[d] == column && s->pivot[d] < 0 && fabs(x[d]) >= DIAGONAL * most ? d : best;
}

/* Assigns a pivot to a column; the row that the column had before is assigned to the former column of that pivot. */
static void take_pivot(pp_sparse_lu *s, int column, int chosen) {
    const int d = s->diagonal_of[column];
    s->pivot[chosen] = column;
    s->row[column] = s->symbolic->P[chosen];
    if (chosen == d || s->pivot[d] >= 0) return;
    s->column_of[d] = s->column_of[chosen];
    s->diagonal_of[s->column_of[d]] = d;
}

/* Prunes columns of L for the search, now that `column` has its pivot: see Method. */
static void shorten(pp_sparse_lu *s, int column, int chosen) {
    for (int k = s->U.start[column]; k < s->U.start[column + 1]; k++) {
        const int j = s->U.index[k], start = s->L.start[j], end = s->L.start[j + 1];
        int *restrict index = s->L.index, p = start;
        if (s->searched[j] < end) continue; /* once is enough */
        while (p < end && index[p] != chosen) p++;
        if (p == end) continue;
        int head = start, tail = end;
        while (head < tail) {
            if (s->pivot[index[head]] >= 0) {
                head++;
                continue;
            }
            tail--;
            const int i = index[head];
            const double v = s->L.value[head];
            index[head] = index[tail];
            s->L.value[head] = s->L.value[tail];
            index[tail] = i;
            s->L.value[tail] = v;
        }
        s->searched[j] = tail;
    }
}

/* Subtracts the columns that are reached; U gets their factors. */
static int eliminate(pp_sparse_lu *s, int column, int top) {
    double *restrict x = s->x;
    const double *restrict value = s->L.value;
    const int *restrict index = s->L.index;
    int nu = s->U.start[column];
    for (int k = top; k < s->n; k++) {
        const int r = s->reached[k], pivot = s->pivot[r];
        if (pivot < 0) continue;
        const double v = x[r];
        const int start = s->L.start[pivot], end = s->L.start[pivot + 1];
        for (int p = start; p < end; p++) x[index[p]] -= value[p] * v;
        s->products += end - start;
        s->U.index[nu] = pivot;
        s->U.value[nu++] = v;
    }
    return nu;
}

/* Eliminates one column of the block that begins at `first`. */
static bool factor_column(pp_sparse_lu *s, int column, int first, const double *value) {
    const int top = scatter(s, column, first, value);
    int nl = s->L.start[column];
    if (top < 0 || !make_room(&s->U, s->U.start[column], s->n - top) || !make_room(&s->L, nl, s->n - top)) return false;
    const int nu = eliminate(s, column, top), chosen = choose_pivot(s, column, top);
    const double d = chosen >= 0 ? s->x[chosen] : 0;
    for (int k = top; k < s->n; k++) {
        const int r = s->reached[k];
        if (chosen >= 0 && s->pivot[r] < 0 && r != chosen) {
            s->L.index[nl] = r;
            s->L.value[nl++] = s->x[r] / d;
        }
        s->x[r] = 0;
    }
    if (chosen < 0) return false;
    s->diagonal[column] = d;
    take_pivot(s, column, chosen);
    s->products += 0.5 * (nl - s->L.start[column]);
    s->U.start[column + 1] = nu;
    s->L.start[column + 1] = s->searched[column] = nl;
    shorten(s, column, chosen);
    return true;
}

static bool factor(pp_sparse_lu *s, const double *value) {
    const int n = s->n;
    if (!scale_rows(s, value)) return false;
    for (int k = 0; k < n; k++) {
        s->place[s->symbolic->P[k]] = k;
        s->mark[k] = s->pivot[k] = -1;
        s->diagonal_of[k] = s->column_of[k] = k;
        s->x[k] = 0;
    }
    s->products = 0;
    s->L.start[0] = s->U.start[0] = s->off.start[0] = 0;
    for (int b = 0; b < s->symbolic->nblocks; b++) {
        const int first = s->symbolic->R[b], end = s->symbolic->R[b + 1];
        for (int column = first; column < end; column++)
            if (!factor_column(s, column, first, value)) return false;
        for (int p = s->L.start[first]; p < s->L.start[end]; p++) s->L.index[p] = s->pivot[s->L.index[p]];
    }
    return true;
}

bool pp_sparse_lu_factor(pp_sparse_lu *s, int n, const int *start, const int *index, const double *value) {
    s->factored = false;
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
    s->factored = factor(s, value);
    return s->factored;
}

/* x becomes the solution of L U x = b within a block, columns first to end - 1. */
static void solve_block(const pp_sparse_lu *s, int first, int end, double *x) {
    for (int j = first; j < end; j++)
        for (int p = s->L.start[j]; p < s->L.start[j + 1]; p++) x[s->L.index[p]] -= s->L.value[p] * x[j];
    for (int j = end - 1; j >= first; j--) {
        x[j] /= s->diagonal[j];
        for (int p = s->U.start[j]; p < s->U.start[j + 1]; p++) x[s->U.index[p]] -= s->U.value[p] * x[j];
    }
}

static double column_dot(const columns *c, int j, const double *x) {
    double sum = 0;
    for (int p = c->start[j]; p < c->start[j + 1]; p++) sum += c->value[p] * x[c->index[p]];
    return sum;
}

static void solve_plain(pp_sparse_lu *s, double *b) {
    const klu_symbolic *y = s->symbolic;
    double *x = s->x;
    for (int k = 0; k < s->n; k++) x[k] = b[s->row[k]] / s->scale[s->row[k]];
    for (int block = y->nblocks - 1; block >= 0; block--) {
        const int first = y->R[block], end = y->R[block + 1];
        solve_block(s, first, end, x);
        for (int j = first; j < end; j++)
            for (int p = s->off.start[j]; p < s->off.start[j + 1]; p++) x[s->off.index[p]] -= s->off.value[p] * x[j];
    }
    for (int k = 0; k < s->n; k++) b[y->Q[k]] = x[k];
}

static void solve_transposed(pp_sparse_lu *s, double *b) {
    const klu_symbolic *y = s->symbolic;
    double *x = s->x;
    for (int k = 0; k < s->n; k++) x[k] = b[y->Q[k]];
    for (int block = 0; block < y->nblocks; block++) {
        const int first = y->R[block], end = y->R[block + 1];
        for (int j = first; j < end; j++) {
            x[j] -= column_dot(&s->off, j, x);
            x[j] = (x[j] - column_dot(&s->U, j, x)) / s->diagonal[j];
        }
        for (int j = end - 1; j >= first; j--) x[j] -= column_dot(&s->L, j, x);
    }
    for (int k = 0; k < s->n; k++) b[s->row[k]] = x[k] / s->scale[s->row[k]];
}

bool pp_sparse_lu_solve(pp_sparse_lu *s, bool transposed, double *x) {
    if (s->n == 0) return true;
    if (!s->factored) return false;
    if (transposed)
        solve_transposed(s, x);
    else
        solve_plain(s, x);
    for (int i = 0; i < s->n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

double pp_sparse_lu_rcond(pp_sparse_lu *s) {
    if (s->n == 0) return 1;
    if (!s->factored) return 0;
    double least = INFINITY, most = 0;
    for (int k = 0; k < s->n; k++) {
        const double d = fabs(s->diagonal[k]);
        if (d < least) least = d;
        if (d > most) most = d;
    }
    return least / most;
}

/* A multiplication of sparse elimination against one of a dense product, in time: indices are followed, and nothing is vectorised.
 * Measured on factors of 500 to 3000 unknowns: 3 to 5. */
#define SPARSE_SLOWER 4.0

double pp_sparse_lu_work(pp_sparse_lu *s) {
    if (s->n == 0) return 0;
    double work = 2.0 * s->nnz;
    if (s->factored) work += s->products;
    return SPARSE_SLOWER * work;
}
