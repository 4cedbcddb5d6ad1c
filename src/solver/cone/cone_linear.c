/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_linear.c - the linear systems of Newton's method on cone problems, factorised in contact or body space
 * Method   See cone_linear.h; sparse block LU (block_lu.c). It exchanges rows only locally, and B is large if the regularisation in C is
 *          small. So every solution is refined with the operator itself.
 * Cost     One factorisation of the contact graph (local) or of the graph of bodies. */
#include "solver/cone/cone_linear.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "linalg/small.h"

/* Start positions of n lists from their lengths, in start, and in count as counters for filling. */
static void begin_lists(int n, int *count, int *start) {
    int sum = 0;
    for (int i = 0; i <= n; i++) {
        int length = i < n ? count[i] : 0;
        start[i] = count[i] = sum;
        sum += length;
    }
}

/* Removes duplicates from lists. mark: n. */
static void once_each(int n, int *mark, int *start, int *index) {
    int used = 0;
    for (int i = 0; i < n; i++) mark[i] = -1;
    for (int i = 0; i < n; i++) {
        int from = start[i], to = start[i + 1];
        start[i] = used;
        for (int s = from; s < to; s++)
            if (mark[index[s]] != i) mark[index[s]] = i, index[used++] = index[s];
    }
    start[n] = used;
}

/* Neighbours of block i, symmetric, from lists that may not be. */
static bool local_pattern(const pp_cone *c, const perp_call *call, int **start, int **index) {
    int nb = c->nblock, *count = PP_CALL_ARRAY(call, int, nb + 1), *mark = PP_CALL_ARRAY(call, int, nb);
    *start = PP_CALL_ARRAY(call, int, nb + 1);
    *index = PP_CALL_ARRAY(call, int, 2 * (ptrdiff_t)c->row[nb]);
    if (!count || !mark || !*start || !*index) return false;
    for (int i = 0; i <= nb; i++) count[i] = 0;
    for (int i = 0; i < nb; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) count[i]++, count[c->entry[s].other]++;
    begin_lists(nb, count, *start);
    for (int i = 0; i < nb; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int j = c->entry[s].other;
            (*index)[count[i]++] = j;
            (*index)[count[j]++] = i;
        }
    once_each(nb, mark, *start, *index);
    return true;
}

/* Nodes that share a block. */
static bool body_pattern(const pp_cone *c, const perp_call *call, int **start, int **index) {
    int nn = c->nnode, pairs = 0, *count = PP_CALL_ARRAY(call, int, nn + 1), *mark = PP_CALL_ARRAY(call, int, nn);
    for (int i = 0; i < c->nblock; i++) pairs += (c->row[i + 1] - c->row[i]) * (c->row[i + 1] - c->row[i]);
    *start = PP_CALL_ARRAY(call, int, nn + 1);
    *index = PP_CALL_ARRAY(call, int, pairs);
    if (!count || !mark || !*start || !*index) return false;
    for (int i = 0; i <= nn; i++) count[i] = 0;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) count[c->entry[s].other] += c->row[i + 1] - c->row[i];
    begin_lists(nn, count, *start);
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++)
            for (int t = c->row[i]; t < c->row[i + 1]; t++) (*index)[count[c->entry[s].other]++] = c->entry[t].other;
    once_each(nn, mark, *start, *index);
    return true;
}

static bool find_places(pp_cone_linear *k, const perp_call *call) {
    const pp_cone *c = k->c;
    if (!c->body) {
        k->place = PP_CALL_ARRAY(call, pp_block_place, c->row[c->nblock]);
        if (!k->place) return false;
        for (int i = 0; i < c->nblock; i++)
            for (int s = c->row[i]; s < c->row[i + 1]; s++)
                k->place[s] = pp_block_lu_place(k->lu, i, c->entry[s].other);
        return true;
    }
    int pairs = 0;
    for (int i = 0; i < c->nblock; i++) pairs += (c->row[i + 1] - c->row[i]) * (c->row[i + 1] - c->row[i]);
    k->place = PP_CALL_ARRAY(call, pp_block_place, pairs);
    k->mass = PP_CALL_ARRAY(call, pp_block_place, c->nnode);
    if (!k->place || !k->mass) return false;
    pairs = 0;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++)
            for (int t = c->row[i]; t < c->row[i + 1]; t++)
                k->place[pairs++] = pp_block_lu_place(k->lu, c->entry[s].other, c->entry[t].other);
    for (int i = 0; i < c->nnode; i++) k->mass[i] = pp_block_lu_place(k->lu, i, i);
    return true;
}

static double filling_work(const pp_cone *c) {
    double sum = 0;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), columns = 0;
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int other = c->entry[s].other;
            columns += c->body ? c->node[other + 1] - c->node[other] : pp_cone_rows(c, other);
        }
        sum += c->body ? (double)rows * columns * (columns + rows) : (double)rows * rows * columns;
    }
    return sum;
}

/* Rows of H by entry with a row's numbers side by side: how the matrix is filled from them. */
static bool turn_rows(pp_cone_linear *k, const perp_call *call) {
    const pp_cone *c = k->c;
    size_t numbers = 0;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int node = c->entry[s].other;
            numbers += (size_t)(pp_cone_rows(c, i) * (c->node[node + 1] - c->node[node]));
        }
    k->turned = PP_CALL_ARRAY(call, const double *, c->row[c->nblock]);
    double *value = perp_call_memory(call, numbers * sizeof *value);
    if (!k->turned || !value) return false;
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int node = c->entry[s].other, n = c->node[node + 1] - c->node[node];
            k->turned[s] = value;
            pp_small_transpose(rows, n, c->entry[s].value, value);
            value += rows * n;
        }
    }
    return true;
}

bool pp_cone_linear_make(pp_cone_linear *k, const pp_cone *c, const perp_call *call) {
    *k = (pp_cone_linear){.c = c};
    int *start = NULL, *index = NULL, n = c->body ? c->nnode : c->nblock, *size = PP_CALL_ARRAY(call, int, n);
    k->r = PP_CALL_ARRAY(call, double, c->m);
    k->t = PP_CALL_ARRAY(call, double, c->m);
    k->correction = PP_CALL_ARRAY(call, double, c->m);
    k->y = PP_CALL_ARRAY(call, double, c->ndof);
    k->Cinv = PP_CALL_ARRAY(call, double, c->body ? c->square * c->nblock : 0);
    if (!size || !k->r || !k->t || !k->correction || !k->y || !k->Cinv) return false;
    for (int i = 0; i < n; i++) size[i] = c->body ? c->node[i + 1] - c->node[i] : pp_cone_rows(c, i);
    if (!(c->body ? body_pattern : local_pattern)(c, call, &start, &index)) return false;
    k->lu = pp_block_lu_new(n, size, start, index, call->arena);
    if (!k->lu || !pp_block_lu_room(k->lu) || !find_places(k, call)) return false;
    if (c->body && !turn_rows(k, call)) return false;
    k->filling = filling_work(c);
    k->solving = 2 * pp_block_lu_entries(k->lu) + c->product;
    return true;
}

/* C = A B, n x n times n x cols. */
static inline __attribute__((always_inline)) void multiply_of(int n, int cols, const double *restrict A,
                                                              const double *restrict B, double *restrict C) {
    for (int j = 0; j < cols; j++, B += n, C += n) {
        PP_UNROLL(4)
        for (int i = 0; i < n; i++) {
            double sum = A[i] * B[0];
            PP_UNROLL(4)
            for (int l = 1; l < n; l++) sum += A[i + n * l] * B[l];
            C[i] = sum;
        }
    }
}
static void multiply(int n, int cols, const double *restrict A, const double *restrict B, double *restrict C) {
    switch (n) {
    case 1: multiply_of(1, cols, A, B, C); break;
    case 2: multiply_of(2, cols, A, B, C); break;
    case 3: multiply_of(3, cols, A, B, C); break;
    default: multiply_of(n, cols, A, B, C);
    }
}

static inline __attribute__((always_inline)) void add_block_of(const pp_block_place *p, int rows, int cols,
                                                               const double *A) {
    if (!p->transposed)
        for (int j = 0; j < cols; j++) {
            double *to = p->value + (ptrdiff_t)p->ld * j;
            for (int i = 0; i < rows; i++) to[i] += A[i + rows * j];
        }
    else
        for (int j = 0; j < cols; j++)
            for (int i = 0; i < rows; i++) p->value[j + (ptrdiff_t)p->ld * i] += A[i + rows * j];
}

static void add_block(const pp_block_place *p, int rows, int cols, const double *A) {
    if (rows == 3 && cols == 3)
        add_block_of(p, 3, 3, A);
    else if (rows == 6 && cols == 6)
        add_block_of(p, 6, 6, A);
    else
        add_block_of(p, rows, cols, A);
}

/* Adds J'T at a place; Jt = J' is n x rows, Tt = T' cols x rows, by columns. */
static void add_product(const pp_block_place *p, int rows, int n, int cols, const double *Jt, const double *Tt) {
    if (p->transposed)
        pp_small_add_outer(rows, cols, n, Tt, Jt, p->value, p->ld);
    else
        pp_small_add_outer(rows, n, cols, Jt, Tt, p->value, p->ld);
}

static void fill_local(pp_cone_linear *k) {
    const pp_cone *c = k->c;
    double T[PP_CONE_SQUARE];
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        const double *E = k->E + c->square * i, *C = k->C + c->square * i;
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int cols = pp_cone_rows(c, c->entry[s].other);
            multiply(rows, cols, E, c->entry[s].value, T);
            add_block(&k->place[s], rows, cols, T);
            if (c->entry[s].other == i) add_block(&k->place[s], rows, rows, C);
        }
    }
}

static bool is_zero(int n, const double *A) {
    for (int i = 0; i < n; i++)
        if (A[i] != 0) return false;
    return true;
}

static bool is_identity(int n, const double *A) {
    for (int i = 0; i < n * n; i++)
        if (A[i] != (i % (n + 1) == 0)) return false;
    return true;
}

static bool fill_body(pp_cone_linear *k) {
    const pp_cone *c = k->c;
    double B[PP_CONE_SQUARE] = {0}, T[PERP_CONE_ROWS * 12];
    int pair = 0;
    for (int i = 0; i < c->nnode; i++) {
        int n = c->node[i + 1] - c->node[i];
        add_block(&k->mass[i], n, n, c->M[i]);
    }
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i), entries = c->row[i + 1] - c->row[i];
        const double *E = k->E + c->square * i;
        double *Cinv = k->Cinv + c->square * i, C[PP_CONE_SQUARE];
        if (is_zero(rows * rows, E) && is_identity(rows, k->C + c->square * i)) { /* an open contact */
            memcpy(Cinv, k->C + c->square * i, sizeof *C * (size_t)(rows * rows));
            pair += entries * entries;
            continue;
        }
        memcpy(C, k->C + c->square * i, sizeof *C * (size_t)(rows * rows));
        if (c->c)
            for (int b = 0; b < rows; b++)
                for (int a = 0; a < rows; a++) C[a + rows * b] += E[a + rows * b] * c->c[c->first[i] + b];
        if (!pp_small_inverse(rows, C, Cinv)) return false;
        multiply(rows, rows, Cinv, E, B);
        if (is_zero(rows * rows, B)) {
            pair += entries * entries;
            continue;
        }
        const pp_cone_entry *of = c->entry + c->row[i];
        const double *const *Jt = k->turned + c->row[i];
        for (int t = 0; t < entries; t++) {
            int cols = c->node[of[t].other + 1] - c->node[of[t].other];
            pp_small_times(rows, cols, B, Jt[t], T);
            for (int s = 0; s < entries; s++) {
                int n = c->node[of[s].other + 1] - c->node[of[s].other];
                add_product(&k->place[pair + entries * s + t], rows, n, cols, Jt[s], T);
            }
        }
        pair += entries * entries;
    }
    return true;
}

bool pp_cone_linear_factor(pp_cone_linear *k, const double *C, const double *E) {
    k->C = C;
    k->E = E;
    if (k->most > 0) memcpy(k->E0, E, sizeof *E * (size_t)(k->c->square * k->c->nblock));
    pp_block_lu_clear(k->lu);
    if (k->c->body) {
        if (!fill_body(k)) return false;
    } else {
        fill_local(k);
    }
    k->factorisations++;
    pp_count(k->c->work, k->filling + pp_block_lu_work(k->lu));
    return pp_block_lu_factor(k->lu, NULL);
}

/* y = A x (+ y if add), n x n. */
static inline __attribute__((always_inline)) void apply_block(int n, const double *A, const double *x, double *y,
                                                              bool add) {
    PP_UNROLL(4)
    for (int a = 0; a < n; a++) {
        double sum = add ? y[a] + A[a] * x[0] : A[a] * x[0];
        PP_UNROLL(4)
        for (int b = 1; b < n; b++) sum += A[a + n * b] * x[b];
        y[a] = sum;
    }
}

/* y = A x (+ y if add) over blocks. */
static void block_multiply(const pp_cone *c, const double *A, const double *x, double *y, bool add) {
    for (int i = 0; i < c->nblock; i++, A += c->square) {
        int rows = pp_cone_rows(c, i), first = c->first[i];
        switch (rows) {
        case 1: apply_block(1, A, x + first, y + first, add); break;
        case 2: apply_block(2, A, x + first, y + first, add); break;
        case 3: apply_block(3, A, x + first, y + first, add); break;
        default: apply_block(rows, A, x + first, y + first, add);
        }
    }
}

void pp_cone_linear_direct(pp_cone_linear *k, const double *b, double *dx) {
    const pp_cone *c = k->c;
    pp_count(c->work, k->solving);
    if (!c->body) {
        memcpy(dx, b, sizeof *dx * (size_t)c->m);
        pp_block_lu_solve(k->lu, dx);
        return;
    }
    block_multiply(c, k->Cinv, b, dx, false); /* C'^-1 b */
    pp_cone_gather(c, dx, k->y);
    pp_block_lu_solve(k->lu, k->y);
    pp_cone_spread(c, k->y, dx);
    block_multiply(c, k->most > 0 ? k->E0 : k->E, dx, k->t, false);
    for (int i = 0; i < c->m; i++) k->t[i] = b[i] - k->t[i];
    block_multiply(c, k->Cinv, k->t, dx, false);
}

void pp_cone_linear_product(pp_cone_linear *k, const double *x, double *y) {
    pp_cone_apply(k->c, x, k->t);
    block_multiply(k->c, k->E, k->t, y, false);
    block_multiply(k->c, k->C, x, y, true);
}

static double norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

double pp_cone_linear_solve(pp_cone_linear *k, const double *b, double *dx, double accuracy, int refinements) {
    const pp_cone *c = k->c;
    double size = norm(c->m, b), reached = INFINITY;
    if (size == 0) {
        memset(dx, 0, sizeof *dx * (size_t)c->m);
        return 0;
    }
    pp_cone_linear_direct(k, b, dx);
    for (int round = 0;; round++) {
        pp_cone_linear_product(k, dx, k->r);
        for (int i = 0; i < c->m; i++) k->r[i] = b[i] - k->r[i];
        double now = norm(c->m, k->r) / size;
        bool worse = !(now < 0.5 * reached);
        reached = now < reached ? now : reached;
        if (round == refinements || now <= accuracy || (round > 0 && worse) || !isfinite(now)) return reached;
        pp_cone_linear_direct(k, k->r, k->correction);
        for (int i = 0; i < c->m; i++) dx[i] += k->correction[i];
    }
}
