/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* entries.c - entries of a matrix in any order, and the sorted matrix they make.
 *
 * Method  Two stable counting sorts, by row and then by column: entries of a column come out with rows ascending, and
 *         those at one place in the order in which they came. So the sums do not depend on anything but the file.
 * Cost    linear in entries, rows and columns. */
#include "exchange/exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

perp_status pp_entries_room(pp_exchange *x, pp_entries *e, size_t more) {
    size_t need = e->n + more;
    if (need <= e->cap && e->row) return PERP_OK;
    if (need < e->n || need > INT32_MAX) return pp_exchange_no_memory(x);
    size_t cap = need > 0 ? need : 1;
    int *row = pp_arena_get(&x->scratch, cap * sizeof *row);
    int *col = pp_arena_get(&x->scratch, cap * sizeof *col);
    double *value = pp_arena_get(&x->scratch, cap * sizeof *value);
    if (!row || !col || !value) return pp_exchange_no_memory(x);
    if (e->row) {
        memcpy(row, e->row, e->n * sizeof *row);
        memcpy(col, e->col, e->n * sizeof *col);
        memcpy(value, e->value, e->n * sizeof *value);
    }
    e->row = row;
    e->col = col;
    e->value = value;
    e->cap = cap;
    return PERP_OK;
}

void pp_entries_add(pp_entries *e, int row, int col, double value) {
    e->row[e->n] = row;
    e->col[e->n] = col;
    e->value[e->n++] = value;
}

/* order: places of the entries, sorted stably by key (< range), those of `before` (NULL: as they came) in turn. */
static void sort(size_t n, const int *key, int range, const int *before, int *start, int *order) {
    memset(start, 0, ((size_t)range + 1) * sizeof *start);
    for (size_t k = 0; k < n; k++) start[key[k] + 1]++;
    for (int i = 0; i < range; i++) start[i + 1] += start[i];
    for (size_t k = 0; k < n; k++) {
        int e = before ? before[k] : (int)k;
        order[start[key[e]]++] = e;
    }
}

static perp_status overflow(pp_exchange *x, const char *key, int row, int col) {
    char where[128];
    (void)snprintf(where, sizeof where, "%s[%d][%d]", key, row, col);
    return pp_complain(x->why, PERP_E_ARG, (pp_location){x->file, 0, 0}, where, "entries with an infinite sum",
                       "a finite number");
}

perp_status pp_entries_sparse(pp_exchange *x, const pp_entries *e, const char *key, perp_sparse *out) {
    int most = e->rows > e->cols ? e->rows : e->cols;
    int *count = pp_arena_get(&x->scratch, ((size_t)most + 2) * sizeof *count);
    int *by_row = pp_arena_get(&x->scratch, (e->n + 1) * sizeof *by_row);
    int *by_col = pp_arena_get(&x->scratch, (e->n + 1) * sizeof *by_col);
    int *start = PP_STORED_ARRAY(x->out, int, (size_t)e->cols + 1);
    int *index = PP_STORED_ARRAY(x->out, int, e->n);
    double *value = PP_STORED_ARRAY(x->out, double, e->n);
    if (!count || !by_row || !by_col || !start || !index || !value) return pp_exchange_no_memory(x);
    sort(e->n, e->row, e->rows, NULL, count, by_row);
    sort(e->n, e->col, e->cols, by_row, count, by_col);
    int n = 0, col = 0;
    start[0] = 0;
    for (size_t k = 0; k < e->n; k++) {
        int i = by_col[k];
        while (col < e->col[i]) start[++col] = n;
        if (n > start[col] && index[n - 1] == e->row[i]) {
            value[n - 1] += e->value[i];
            if (!isfinite(value[n - 1])) return overflow(x, key, e->row[i], col);
            continue;
        }
        index[n] = e->row[i];
        value[n++] = e->value[i];
    }
    while (col < e->cols) start[++col] = n;
    *out = (perp_sparse){e->rows, e->cols, start, index, value};
    return PERP_OK;
}

perp_status pp_entries_dense(pp_exchange *x, const pp_entries *e, const char *key, const double **out) {
    size_t n = (size_t)e->rows * (size_t)e->cols;
    double *a = PP_STORED_ARRAY(x->out, double, n);
    if (!a) return pp_exchange_no_memory(x);
    memset(a, 0, n * sizeof *a);
    for (size_t k = 0; k < e->n; k++) {
        double *at = &a[(size_t)e->col[k] * (size_t)e->rows + (size_t)e->row[k]];
        *at = *at == 0 ? e->value[k] : *at + e->value[k]; /* a lone -0 stays one */
        if (!isfinite(*at)) return overflow(x, key, e->row[k], e->col[k]);
    }
    *out = a;
    return PERP_OK;
}
