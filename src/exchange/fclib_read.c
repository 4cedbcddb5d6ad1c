/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fclib_read.c - FCLIB's HDF5 layouts of friction contact problems.
 *
 *   fclib_local    u = W r + V l + q,  V'r + R l + s = 0
 *   fclib_global   M v = H r + G l + f,  u = H'v + w,  G'v + b = 0
 *
 * Equalities become bounded rows without bounds, and those come first: z = (l, r) with the matrix [R V'; V W], or with
 * [G H] in place of H. A matrix group holds m, n, nz and the arrays p, i, x: nz = -1 by columns, -2 by rows, >= 0 that
 * many triplets with rows in i and columns in p (as in CSparse and in every known file, although a comment in fclib.h says the
 * reverse). nzmax is not used. Sizes come from the vectors.
 * Source  Acary, Bremond, Huber: FCLIB, Inria technical report 0444 (2014); README of our test data. */
#include "exchange/exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct fclib {
    pp_exchange *x;
    pp_h5 *h;
    const char *root; /* fclib_local or fclib_global */
    int m, p, n;      /* rows of contacts; equalities; degrees of freedom (global) */
} fclib;

typedef struct name {
    char text[80];
} name;

static name path(const fclib *f, const char *rest) {
    name s;
    (void)snprintf(s.text, sizeof s.text, "%s/%s", f->root, rest);
    return s;
}

/* ---- numbers ---- */

static perp_status wrong_type(pp_h5 *h, const char *where, const pp_h5_array *a, const char *allowed) {
    char words[64];
    return pp_h5_refuse(h, where, pp_h5_type_words(a, words, sizeof words), allowed);
}

static perp_status missing(pp_h5 *h, const char *where, const char *what) {
    return pp_h5_refuse(h, where, "nothing", what);
}

/* A list of numbers of that type. */
static perp_status get_array(fclib *f, const char *where, pp_h5_type type, pp_h5_array *a) {
    bool there = false;
    const char *what = type == PP_H5_INT ? "32-bit integers" : "64-bit floats";
    perp_status s = pp_h5_dataset(f->h, where, &there, a);
    if (s) return s;
    if (!there) return missing(f->h, where, what);
    if (a->type != type || (type == PP_H5_FLOAT && a->size != 8)) return wrong_type(f->h, where, a, what);
    if (a->rank <= 1) return PERP_OK;
    char words[96];
    return pp_h5_refuse(f->h, where, pp_h5_shape_words(a, words, sizeof words), "a list");
}

static perp_status get_one(fclib *f, const char *where, int64_t *out) {
    pp_h5_array a;
    perp_status s = get_array(f, where, PP_H5_INT, &a);
    if (s) return s;
    if (a.count != 1) {
        char words[96];
        return pp_h5_refuse(f->h, where, pp_h5_shape_words(&a, words, sizeof words), "one number");
    }
    *out = pp_h5_get_integer(&a, 0);
    return PERP_OK;
}

static perp_status bad_value(fclib *f, const char *where, uint64_t i, double v, const char *allowed) {
    char at[192], found[48];
    (void)snprintf(at, sizeof at, "%s[%llu]", where, (unsigned long long)i);
    (void)snprintf(found, sizeof found, "%g", v);
    return pp_h5_refuse(f->h, at, found, allowed);
}

/* A vector of doubles in the memory of the problem. *n: its length; if >= 0 before, it must be that. `before`: room for
 * so many more in front, which are zero. */
static perp_status get_vector(fclib *f, const char *where, int *n, int before, bool negative, double **out) {
    pp_h5_array a;
    perp_status s = get_array(f, where, PP_H5_FLOAT, &a);
    if (s) return s;
    if (*n >= 0 && a.count != (uint64_t)*n) {
        char found[64], allowed[64];
        (void)snprintf(found, sizeof found, "%llu numbers", (unsigned long long)a.count);
        (void)snprintf(allowed, sizeof allowed, "%d", *n);
        return pp_h5_refuse(f->h, where, found, allowed);
    }
    double *v = PP_STORED_ARRAY(f->x->out, double, a.count + (size_t)before);
    if (!v) return pp_exchange_no_memory(f->x);
    memset(v, 0, (size_t)before * sizeof *v);
    pp_h5_get_doubles(&a, v + before);
    for (uint64_t i = 0; i < a.count; i++) {
        double y = v[(size_t)before + i];
        if (!isfinite(y) || (!negative && y < 0))
            return bad_value(f, where, i, y, negative ? "a finite number" : "a finite number >= 0");
    }
    *n = (int)a.count; /* the file is smaller than 2^31 bytes */
    *out = v;
    return PERP_OK;
}

/* ---- matrices ---- */

typedef struct matrix {
    const char *where; /* path of its group */
    int64_t m, n, nz;
    pp_h5_array p, i, x;
    uint64_t count; /* entries */
} matrix;

static perp_status not_index(fclib *f, const matrix *a, const char *part, uint64_t k, int64_t v, int64_t most) {
    char at[192], found[32], allowed[48];
    (void)snprintf(at, sizeof at, "%s/%s[%llu]", a->where, part, (unsigned long long)k);
    (void)snprintf(found, sizeof found, "%lld", (long long)v);
    (void)snprintf(allowed, sizeof allowed, "0 to %lld", (long long)most);
    return pp_h5_refuse(f->h, at, found, allowed);
}

static perp_status too_few(fclib *f, const matrix *a, const char *part, uint64_t there, uint64_t need) {
    char at[192], found[48], allowed[48];
    (void)snprintf(at, sizeof at, "%s/%s", a->where, part);
    (void)snprintf(found, sizeof found, "%llu numbers", (unsigned long long)there);
    (void)snprintf(allowed, sizeof allowed, "%llu", (unsigned long long)need);
    return pp_h5_refuse(f->h, at, found, allowed);
}

/* Where each column (or row) begins: ascending from 0. */
static perp_status check_starts(fclib *f, matrix *a, int64_t lines) {
    if (a->p.count != (uint64_t)lines + 1) return too_few(f, a, "p", a->p.count, (uint64_t)lines + 1);
    int64_t last = 0, most = (int64_t)(a->i.count < a->x.count ? a->i.count : a->x.count);
    for (int64_t k = 0; k <= lines; k++) {
        int64_t v = pp_h5_get_integer(&a->p, (uint64_t)k);
        if (v < last || v > most || (k == 0 && v != 0)) {
            char at[192], found[32], allowed[64];
            (void)snprintf(at, sizeof at, "%s/p[%lld]", a->where, (long long)k);
            (void)snprintf(found, sizeof found, "%lld", (long long)v);
            (void)snprintf(allowed, sizeof allowed, "%lld to %lld", (long long)last, (long long)(k == 0 ? 0 : most));
            return pp_h5_refuse(f->h, at, found, k == 0 ? "0" : allowed);
        }
        last = v;
    }
    a->count = (uint64_t)last;
    return PERP_OK;
}

/* Opens a matrix of rows x cols and checks its sizes. */
static perp_status open_matrix(fclib *f, const char *where, int rows, int cols, matrix *a) {
    static const char *const size[] = {"m", "n", "nz"}, *const list[] = {"p", "i", "x"};
    *a = (matrix){.where = where};
    int64_t *const number[] = {&a->m, &a->n, &a->nz};
    pp_h5_array *const array[] = {&a->p, &a->i, &a->x};
    char at[192];
    perp_status s = PERP_OK;
    for (int k = 0; !s && k < 3; k++) {
        (void)snprintf(at, sizeof at, "%s/%s", where, size[k]);
        s = get_one(f, at, number[k]);
        if (!s && k < 2 && *number[k] != (k ? cols : rows)) {
            char found[32], allowed[48];
            (void)snprintf(found, sizeof found, "%lld", (long long)*number[k]);
            (void)snprintf(allowed, sizeof allowed, "%d, by the vectors", k ? cols : rows);
            s = pp_h5_refuse(f->h, at, found, allowed);
        }
    }
    if (!s && a->nz < -2) {
        char found[32];
        (void)snprintf(found, sizeof found, "%lld", (long long)a->nz);
        s = pp_h5_refuse(f->h, at, found, "-1 (by columns), -2 (by rows), or the number of triplets");
    }
    for (int k = 0; !s && k < 3; k++) {
        (void)snprintf(at, sizeof at, "%s/%s", where, list[k]);
        s = get_array(f, at, k == 2 ? PP_H5_FLOAT : PP_H5_INT, array[k]);
        if (!s && a->nz >= 0 && array[k]->count < (uint64_t)a->nz)
            s = too_few(f, a, list[k], array[k]->count, (uint64_t)a->nz);
    }
    if (s) return s;
    if (a->nz < 0) return check_starts(f, a, a->nz == -1 ? a->n : a->m);
    a->count = (uint64_t)a->nz;
    return PERP_OK;
}

/* Where a matrix is put within a larger one. */
typedef struct corner {
    int row, col; /* of its first entry */
    bool mirror;  /* its transpose is put at (col, row), too */
} corner;

/* Adds entry k of the matrix, which stands at (row, col) in it, to e. */
static perp_status put(fclib *f, const matrix *a, uint64_t k, int64_t row, int64_t col, corner at_corner,
                       pp_entries *e) {
    bool by_rows = a->nz == -2;
    if (row < 0 || row >= a->m) return not_index(f, a, by_rows ? "p" : "i", k, row, a->m - 1);
    if (col < 0 || col >= a->n) return not_index(f, a, by_rows ? "i" : "p", k, col, a->n - 1);
    pp_h5_array one = a->x;
    double v;
    one.raw += 8 * k;
    one.count = 1;
    pp_h5_get_doubles(&one, &v);
    if (!isfinite(v)) {
        char at[128];
        (void)snprintf(at, sizeof at, "%s/x", a->where);
        return bad_value(f, at, k, v, "a finite number");
    }
    int i = at_corner.row + (int)row, j = at_corner.col + (int)col;
    pp_entries_add(e, i, j, v);
    if (at_corner.mirror) pp_entries_add(e, j, i, v);
    return PERP_OK;
}

/* Adds a matrix of rows x cols to e. */
static perp_status add_matrix(fclib *f, const char *part, int rows, int cols, corner at, pp_entries *e) {
    matrix a;
    name where = path(f, part);
    perp_status s = open_matrix(f, where.text, rows, cols, &a);
    if (!s) s = pp_entries_room(f->x, e, (size_t)a.count * (at.mirror ? 2 : 1));
    if (s) return s;
    if (a.nz >= 0) {
        for (uint64_t k = 0; !s && k < a.count; k++)
            s = put(f, &a, k, pp_h5_get_integer(&a.i, k), pp_h5_get_integer(&a.p, k), at, e);
        return s;
    }
    int64_t lines = a.nz == -1 ? a.n : a.m;
    for (int64_t j = 0; !s && j < lines; j++) {
        uint64_t end = (uint64_t)pp_h5_get_integer(&a.p, (uint64_t)j + 1);
        for (uint64_t k = (uint64_t)pp_h5_get_integer(&a.p, (uint64_t)j); !s && k < end; k++) {
            int64_t i = pp_h5_get_integer(&a.i, k);
            s = put(f, &a, k, a.nz == -1 ? i : j, a.nz == -1 ? j : i, at, e);
        }
    }
    return s;
}

/* ---- the two forms ---- */

static perp_status is_there(fclib *f, const char *part, bool *yes) {
    pp_h5_kind kind;
    uint64_t header;
    perp_status s = pp_h5_find(f->h, path(f, part).text, &kind, &header);
    *yes = kind != PP_H5_NONE;
    return s;
}

static perp_status read_local(fclib *f, perp_cone *c) {
    bool v = false, r = false;
    double *q = NULL, *eq = NULL;
    pp_entries W = {0};
    f->m = c->dim * c->ncontact;
    f->p = -1;
    perp_status s = is_there(f, "V", &v);
    if (!s) s = is_there(f, "R", &r);
    if (!s && v != r)
        s = missing(f->h, path(f, v ? "R" : "V").text, v ? "a matrix, as there is V" : "a matrix, as there is R");
    if (!s && v) s = get_vector(f, path(f, "vectors/s").text, &f->p, 0, true, &eq);
    if (!v) f->p = 0;
    if (!s) s = get_vector(f, path(f, "vectors/q").text, &f->m, f->p, true, &q);
    if (s) return s;
    if (v) memcpy(q, eq, (size_t)f->p * sizeof *q);
    W.rows = W.cols = f->p + f->m;
    c->q = q;
    c->nrow = f->p;
    if (v) s = add_matrix(f, "R", f->p, f->p, (corner){0, 0, false}, &W);
    if (!s && v) s = add_matrix(f, "V", f->m, f->p, (corner){f->p, 0, true}, &W);
    if (!s) s = add_matrix(f, "W", f->m, f->m, (corner){f->p, f->p, false}, &W);
    return s ? s : pp_entries_sparse(f->x, &W, path(f, "W").text, &c->W);
}

static perp_status read_global(fclib *f, perp_cone *c) {
    bool g = false;
    double *b = NULL, *eq = NULL, *force = NULL;
    pp_entries M = {0}, H = {0};
    f->m = c->dim * c->ncontact;
    f->p = f->n = -1;
    c->global = true;
    perp_status s = is_there(f, "G", &g);
    if (!s && g) s = get_vector(f, path(f, "vectors/b").text, &f->p, 0, true, &eq);
    if (!g) f->p = 0;
    if (!s) s = get_vector(f, path(f, "vectors/f").text, &f->n, 0, true, &force);
    if (!s) s = get_vector(f, path(f, "vectors/w").text, &f->m, f->p, true, &b);
    if (s) return s;
    if (g) memcpy(b, eq, (size_t)f->p * sizeof *b);
    M.rows = M.cols = H.rows = f->n;
    H.cols = f->p + f->m;
    c->f = force;
    c->b = b;
    c->nrow = f->p;
    s = add_matrix(f, "M", f->n, f->n, (corner){0, 0, false}, &M);
    if (!s && g) s = add_matrix(f, "G", f->n, f->p, (corner){0, 0, false}, &H);
    if (!s) s = add_matrix(f, "H", f->n, f->m, (corner){0, f->p, false}, &H);
    if (!s) s = pp_entries_sparse(f->x, &M, path(f, "M").text, &c->M);
    return s ? s : pp_entries_sparse(f->x, &H, path(f, "H").text, &c->H);
}

/* ---- what comes with it ---- */

static perp_status read_title(fclib *f) {
    pp_h5_array a;
    bool there = false;
    name where = path(f, "info/title");
    perp_status s = pp_h5_dataset(f->h, where.text, &there, &a);
    if (s || !there || a.type != PP_H5_TEXT || a.count != 1) return s;
    char title[256];
    const void *end = memchr(a.raw, 0, a.size);
    (void)pp_printable(title, sizeof title, (const char *)a.raw,
                       end ? (size_t)((const unsigned char *)end - a.raw) : a.size);
    return pp_stored_set_title(f->x->out, title) ? PERP_OK : pp_exchange_no_memory(f->x);
}

/* The first guess: impulses r, and l of the equalities if it has them. */
static perp_status read_guess(fclib *f) {
    double *r = NULL, *l = NULL;
    pp_h5_kind kind;
    uint64_t header;
    perp_status s = pp_h5_find(f->h, "guesses/1/r", &kind, &header);
    if (s || kind != PP_H5_DATASET) return s;
    s = get_vector(f, "guesses/1/r", &f->m, f->p, true, &r);
    if (!s && f->p > 0) s = pp_h5_find(f->h, "guesses/1/l", &kind, &header);
    if (!s && f->p > 0 && kind == PP_H5_DATASET) {
        s = get_vector(f, "guesses/1/l", &f->p, 0, true, &l);
        if (!s) memcpy(r, l, (size_t)f->p * sizeof *r);
    }
    f->x->out->guess = s ? NULL : r;
    return s;
}

perp_status pp_fclib_read(pp_exchange *x, pp_h5 *h, bool global) {
    fclib f = {.x = x, .h = h, .root = global ? "fclib_global" : "fclib_local"};
    perp_cone *c = &x->out->problem.as.cone;
    int64_t dim = 0;
    double *mu = NULL;
    x->out->problem.cls = PERP_CONE;
    name where = path(&f, "spacedim");
    perp_status s = get_one(&f, where.text, &dim);
    if (!s && dim != 2 && dim != 3) {
        char found[32];
        (void)snprintf(found, sizeof found, "%lld", (long long)dim);
        s = pp_h5_refuse(h, where.text, found, "2 or 3");
    }
    if (s) return s;
    c->dim = (int)dim;
    c->ncontact = -1;
    s = get_vector(&f, path(&f, "vectors/mu").text, &c->ncontact, 0, false, &mu);
    c->mu = mu;
    if (!s) s = global ? read_global(&f, c) : read_local(&f, c);
    if (!s) s = read_title(&f);
    return s ? s : read_guess(&f);
}
