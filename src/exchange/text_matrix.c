/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* text_matrix.c - a matrix in Siconos' text: in full (0), in sparse blocks (1), as CSparse prints it (2).
 *
 * All begin with `storage rows columns`. A matrix in full has no pattern, so its exact zeros are no entries; the zeros
 * of the other two are. CSparse prints its counts and indices with six digits: above 999999 a count is only nearly
 * right, and the number of entries is what is listed. */
#include "exchange/exchange.h"

#include <stdio.h>
#include <string.h>

static void at(char *out, size_t size, const char *key, const char *part) {
    (void)snprintf(out, size, "%s.%s", key, part);
}

/* Whether so many numbers can follow at all: asked before memory is taken for them. */
static perp_status enough(pp_words *w, const char *key, size_t count) {
    if (count <= (size_t)pp_words_left(w)) return PERP_OK;
    char found[64], allowed[64];
    (void)snprintf(found, sizeof found, "a file of %zu bytes", w->x->size);
    (void)snprintf(allowed, sizeof allowed, "one with %zu numbers here", count);
    return pp_complain(w->x->why, PERP_E_ARG, (pp_location){w->x->file, w->line, 0}, key, found, allowed);
}

/* ---- 0: rows and columns again, then all numbers, column by column ---- */

static perp_status read_full(pp_words *w, const char *key, pp_entries *e) {
    char name[96];
    int again;
    at(name, sizeof name, key, "rows");
    perp_status s = pp_words_integer(w, name, e->rows, e->rows, &again);
    at(name, sizeof name, key, "columns");
    if (!s) s = pp_words_integer(w, name, e->cols, e->cols, &again);
    if (s) return s;
    size_t count = (size_t)e->rows * (size_t)e->cols;
    s = enough(w, key, count);
    if (s) return s;
    s = pp_entries_room(w->x, e, count);
    for (int j = 0; !s && j < e->cols; j++)
        for (int i = 0; !s && i < e->rows; i++) {
            double v = 0;
            pp_word t = pp_words_next(w);
            if (!pp_word_value(t, &v)) {
                (void)snprintf(name, sizeof name, "%s[%d][%d]", key, i, j);
                s = pp_words_refuse(w, t, name, "a finite number");
            } else if (v != 0) {
                pp_entries_add(e, i, j, v);
            }
        }
    return s;
}

/* ---- 1: blocks by rows ---- */

typedef struct blocks {
    int n, nrow, ncol;      /* blocks; rows and columns of them */
    int *row_end, *col_end; /* where each row and column of blocks ends */
    int *first, *col;       /* row of blocks i holds blocks first[i] .. first[i + 1] - 1; their columns */
} blocks;

static perp_status read_ends(pp_words *w, const char *key, int n, int total, int *end) {
    for (int i = 0, last = 0; i < n; i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s[%d]", key, i);
        perp_status s = pp_words_integer(w, name, i == n - 1 ? total : last + 1, total, &end[i]);
        if (s) return s;
        last = end[i];
    }
    return PERP_OK;
}

static perp_status read_index(pp_words *w, const char *key, blocks *b) {
    char name[96];
    int filled1 = 0, filled2 = 0, last = 0;
    at(name, sizeof name, key, "filled1");
    perp_status s = pp_words_integer(w, name, 1, b->nrow + 1, &filled1);
    at(name, sizeof name, key, "filled2");
    if (!s) s = pp_words_integer(w, name, b->n, b->n, &filled2);
    for (int i = 0; !s && i < filled1; i++) {
        (void)snprintf(name, sizeof name, "%s.index1[%d]", key, i);
        bool end = i == filled1 - 1;
        s = pp_words_integer(w, name, end ? b->n : last, i == 0 && !end ? 0 : b->n, &b->first[i]);
        last = s ? 0 : b->first[i];
    }
    for (int i = filled1; !s && i <= b->nrow; i++) b->first[i] = b->n; /* rows of blocks at the end without any */
    for (int k = 0; !s && k < b->n; k++) {
        (void)snprintf(name, sizeof name, "%s.index2[%d]", key, k);
        s = pp_words_integer(w, name, 0, b->ncol - 1, &b->col[k]);
    }
    return s;
}

static perp_status read_block(pp_words *w, const char *key, const blocks *b, int row, int k, pp_entries *e) {
    char name[96];
    int number, col = b->col[k];
    int i0 = row ? b->row_end[row - 1] : 0, j0 = col ? b->col_end[col - 1] : 0;
    int m = b->row_end[row] - i0, n = b->col_end[col] - j0;
    (void)snprintf(name, sizeof name, "%s.block[%d]", key, k);
    perp_status s = pp_words_integer(w, name, k, k, &number);
    if (s) return s;
    for (int j = 0; !s && j < n; j++)
        for (int i = 0; !s && i < m; i++) {
            double v = 0;
            pp_word t = pp_words_next(w);
            if (!pp_word_value(t, &v)) {
                (void)snprintf(name, sizeof name, "%s[%d][%d]", key, i0 + i, j0 + j);
                s = pp_words_refuse(w, t, name, "a finite number");
            } else {
                pp_entries_add(e, i0 + i, j0 + j, v);
            }
        }
    return s;
}

static perp_status read_blocks(pp_words *w, const char *key, pp_entries *e) {
    blocks b = {0};
    char name[96];
    at(name, sizeof name, key, "blocks");
    perp_status s = pp_words_integer(w, name, 0, pp_words_left(w), &b.n);
    at(name, sizeof name, key, "block rows");
    if (!s) s = pp_words_integer(w, name, 1, e->rows, &b.nrow);
    at(name, sizeof name, key, "block columns");
    if (!s) s = pp_words_integer(w, name, 1, e->cols, &b.ncol);
    if (s) return s;
    pp_arena *a = &w->x->scratch;
    b.row_end = PP_ARENA_ARRAY(a, int, b.nrow);
    b.col_end = PP_ARENA_ARRAY(a, int, b.ncol);
    b.first = PP_ARENA_ARRAY(a, int, b.nrow + 2);
    b.col = PP_ARENA_ARRAY(a, int, b.n);
    if (!b.row_end || !b.col_end || !b.first || !b.col) return pp_exchange_no_memory(w->x);
    at(name, sizeof name, key, "row ends");
    s = read_ends(w, name, b.nrow, e->rows, b.row_end);
    at(name, sizeof name, key, "column ends");
    if (!s) s = read_ends(w, name, b.ncol, e->cols, b.col_end);
    if (!s) s = read_index(w, key, &b);
    size_t count = 0; /* each at most 2^62: past the first that is too many it is not added to any more */
    for (int i = 0; !s && i < b.nrow; i++)
        for (int k = b.first[i]; !s && k < b.first[i + 1]; k++) {
            int c = b.col[k];
            count += (size_t)(b.row_end[i] - (i ? b.row_end[i - 1] : 0)) *
                     (size_t)(b.col_end[c] - (c ? b.col_end[c - 1] : 0));
            s = enough(w, key, count);
        }
    if (!s) s = pp_entries_room(w->x, e, count);
    for (int i = 0; !s && i < b.nrow; i++)
        for (int k = b.first[i]; !s && k < b.first[i + 1]; k++) s = read_block(w, key, &b, i, k, e);
    return s;
}

/* ---- 2: CSparse's listing ---- */

#define SIX_DIGITS 999999.0

/* A number within a word, such as the second of "8-by-9,"; bytes used, 0 if there is none. */
static size_t number_in(const char *text, size_t length, double *out) {
    size_t n = 0;
    while (n < length && strchr("0123456789.e", text[n]) != NULL && text[n] != 0) {
        n++;
        if (n < length && text[n - 1] == 'e' && (text[n] == '+' || text[n] == '-')) n++;
    }
    pp_word t = {text, n, {0}};
    return n > 0 && pp_word_value(t, out) ? n : 0;
}

/* "m-by-n," */
static perp_status read_by(pp_words *w, const char *key, const pp_entries *e) {
    pp_word t = pp_words_next(w);
    double m = -1, n = -1;
    size_t i = number_in(t.text, t.length, &m);
    bool ok = i > 0 && t.length > i + 4 && memcmp(t.text + i, "-by-", 4) == 0;
    if (ok) ok = number_in(t.text + i + 4, t.length - i - 4, &n) > 0;
    bool exact = e->rows <= SIX_DIGITS && e->cols <= SIX_DIGITS;
    if (ok && (!exact || (m == e->rows && n == e->cols))) return PERP_OK;
    char allowed[64];
    (void)snprintf(allowed, sizeof allowed, "%d-by-%d,", e->rows, e->cols);
    return pp_words_refuse(w, t, key, allowed);
}

/* "nzmax: Z nnz: K" with or without a comma behind. */
static perp_status read_counts(pp_words *w, const char *key, double *nnz) {
    double none;
    char name[96];
    at(name, sizeof name, key, "nzmax");
    perp_status s = pp_words_expect(w, name, "nzmax:");
    if (!s) s = pp_words_number(w, name, &none);
    at(name, sizeof name, key, "nnz");
    if (!s) s = pp_words_expect(w, name, "nnz:");
    if (s) return s;
    pp_word t = pp_words_next(w);
    size_t n = number_in(t.text, t.length, nnz);
    if (n == 0 || (n != t.length && !(n + 1 == t.length && t.text[n] == ','))) {
        return pp_words_refuse(w, t, name, "a number of entries");
    }
    return PERP_OK;
}

static perp_status wrong_count(pp_words *w, const char *key, size_t listed, double nnz) {
    if ((double)listed == nnz || nnz > SIX_DIGITS) return PERP_OK;
    char found[64], allowed[64], name[96];
    at(name, sizeof name, key, "nnz");
    (void)snprintf(found, sizeof found, "%zu entries", listed);
    (void)snprintf(allowed, sizeof allowed, "%.0f, as announced", nnz);
    return pp_complain(w->x->why, PERP_E_ARG, (pp_location){w->x->file, w->line, 0}, name, found, allowed);
}

/* Whether the word after the next n is ":". */
static bool colon_after(const pp_words *w, int n) {
    pp_words look = *w;
    for (int i = 0; i < n; i++) (void)pp_words_next(&look);
    return pp_word_is(pp_words_next(&look), ":");
}

/* "ROW : VALUE" or "ROW COL : VALUE" */
static perp_status read_entry(pp_words *w, const char *key, int col, pp_entries *e) {
    int row = 0;
    char name[96];
    double v = 0;
    (void)snprintf(name, sizeof name, "%s.entry[%zu].row", key, e->n);
    perp_status s = pp_words_integer(w, name, 0, e->rows - 1, &row);
    (void)snprintf(name, sizeof name, "%s.entry[%zu].column", key, e->n);
    if (!s && col < 0) s = pp_words_integer(w, name, 0, e->cols - 1, &col);
    (void)snprintf(name, sizeof name, "%s.entry[%zu]", key, e->n);
    if (!s) s = pp_words_expect(w, name, ":");
    if (!s) s = pp_words_number(w, name, &v);
    if (!s) pp_entries_add(e, row, col, v);
    return s;
}

static perp_status read_columns(pp_words *w, const char *key, pp_entries *e) {
    double nnz = 0, norm;
    char name[96];
    perp_status s = read_counts(w, key, &nnz);
    at(name, sizeof name, key, "1-norm");
    if (!s) s = pp_words_expect(w, name, "1-norm:");
    if (!s) s = pp_words_number(w, name, &norm);
    if (!s) s = pp_entries_room(w->x, e, (size_t)pp_words_left(w) / 3 + 1);
    for (int j = 0; !s && j < e->cols; j++) {
        (void)snprintf(name, sizeof name, "%s.column[%d]", key, j);
        int number;
        s = pp_words_expect(w, name, "col");
        if (!s) s = pp_words_integer(w, name, j > (int)SIX_DIGITS ? 0 : j, j > (int)SIX_DIGITS ? e->cols : j, &number);
        for (int i = 0; !s && i < 2; i++) s = pp_words_expect(w, name, i ? "locations" : ":");
        double first = 0, last = 0;
        if (!s) s = pp_words_number(w, name, &first);
        if (!s) s = pp_words_expect(w, name, "to");
        if (!s) s = pp_words_number(w, name, &last);
        while (!s && colon_after(w, 1)) s = read_entry(w, key, j, e);
        if (!s && last < SIX_DIGITS) s = wrong_count(w, key, e->n, last + 1);
    }
    return s ? s : wrong_count(w, key, e->n, nnz);
}

static perp_status read_triplets(pp_words *w, const char *key, pp_entries *e) {
    double nnz = 0;
    perp_status s = read_counts(w, key, &nnz);
    if (!s) s = pp_entries_room(w->x, e, (size_t)pp_words_left(w) / 4 + 1);
    while (!s && colon_after(w, 2)) s = read_entry(w, key, -1, e);
    return s ? s : wrong_count(w, key, e->n, nnz);
}

static perp_status read_listing(pp_words *w, const char *key, pp_entries *e) {
    int origin = 0;
    char name[96];
    at(name, sizeof name, key, "origin");
    perp_status s = pp_words_integer(w, name, 1, 2, &origin); /* triplets, columns: as the listing tells, too */
    if (s) return s;
    pp_words_skip_line(w);
    pp_word banner = pp_words_next(w);
    if (!pp_word_is(banner, "CSparse") && !pp_word_is(banner, "CXSparse")) {
        return pp_words_refuse(w, banner, key, "CSparse's listing");
    }
    pp_words_skip_line(w);
    bool triplets = pp_word_is(pp_words_peek(w), "triplet:");
    if (triplets) (void)pp_words_next(w);
    s = read_by(w, key, e);
    if (s) return s;
    return triplets ? read_triplets(w, key, e) : read_columns(w, key, e);
}

perp_status pp_text_matrix(pp_words *w, const char *key, int rows, int cols, pp_entries *out, bool *sparse) {
    int storage = 0, most = pp_words_left(w);
    char name[96];
    at(name, sizeof name, key, "storage");
    perp_status s = pp_words_integer(w, name, 0, 2, &storage);
    at(name, sizeof name, key, "rows");
    if (!s) s = pp_words_integer(w, name, rows < 0 ? 1 : rows, rows < 0 ? most : rows, &out->rows);
    at(name, sizeof name, key, "columns");
    if (!s) s = pp_words_integer(w, name, cols < 0 ? 1 : cols, cols < 0 ? most : cols, &out->cols);
    if (s) return s;
    *sparse = storage != 0;
    return storage == 0 ? read_full(w, key, out) : storage == 1 ? read_blocks(w, key, out) : read_listing(w, key, out);
}
