/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* text_read.c - Siconos' text files: friction problems, LCPs, mixed LCPs.
 *
 *   LCP                n  MATRIX  q
 *   mixed LCP          st1  st2  equalities  complementarities  [blocks  kinds  MATRIX  q]  [A  B  C  D  a  b]
 *   friction, local    dim  contacts  MATRIX(W)  q  mu  [flag]
 *   friction, global   dim  contacts  MATRIX(M)  MATRIX(H)  f  w  mu  [flag]
 *
 * The kind is detected from the first numbers. A mixed LCP begins with two flags, and its fifth number, the start of the blocks, is 0;
 * an LCP has its size again as rows and columns of the matrix; all others are friction problems. The beginning 2 k 2 2 2 fits two
 * kinds; the position of CSparse's banner decides. A friction problem is global if the first matrix is followed by a second one of the
 * right shape, and not exactly by q and mu. Text after the last number is a remark. */
#include "exchange/exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DENSE_MAX 500 /* larger matrices that are stored sparse stay so: a small file must not ask for much memory */

/* ---- pieces ---- */

static perp_status read_vector(pp_words *w, const char *key, int n, const double **out) {
    double *v = n <= pp_words_left(w) ? PP_STORED_ARRAY(w->x->out, double, n) : NULL;
    if (!v && n <= pp_words_left(w)) return pp_exchange_no_memory(w->x);
    double one;
    for (int i = 0; !v && i < n; i++) { /* there are not so many: say where they end */
        char name[96];
        (void)snprintf(name, sizeof name, "%s[%d]", key, i);
        perp_status s = pp_words_number(w, name, &one);
        if (s) return s;
    }
    *out = v;
    return v ? pp_words_numbers(w, key, n, v) : pp_exchange_no_memory(w->x);
}

static perp_status read_mu(pp_words *w, int n, const double **out) {
    double *mu = PP_STORED_ARRAY(w->x->out, double, n);
    if (!mu) return pp_exchange_no_memory(w->x);
    for (int i = 0; i < n; i++) {
        pp_word t = pp_words_next(w);
        if (pp_word_value(t, &mu[i]) && mu[i] >= 0) continue;
        char name[64];
        (void)snprintf(name, sizeof name, "mu[%d]", i);
        return pp_words_refuse(w, t, name, "a finite number >= 0");
    }
    *out = mu;
    return PERP_OK;
}

/* The first line of what follows, if it is words: a title. */
static perp_status read_remark(pp_words *w) {
    pp_word t = pp_words_peek(w);
    double v;
    if (t.length == 0 || pp_word_value(t, &v)) return PERP_OK;
    const char *end = w->x->data + w->x->size;
    const char *stop = memchr(t.text, '\n', (size_t)(end - t.text));
    if (!stop) stop = end;
    char title[256];
    while (t.text < stop && (*t.text == '#' || *t.text == ' ')) t.text++; /* as some remarks begin */
    (void)pp_printable(title, sizeof title, t.text, (size_t)(stop - t.text));
    for (size_t n = strlen(title); n > 0 && title[n - 1] == ' '; n--) title[n - 1] = 0;
    return pp_stored_set_title(w->x->out, title) ? PERP_OK : pp_exchange_no_memory(w->x);
}

static perp_status bounds(pp_exchange *x, int n, const int *is_free, const double **lo, const double **hi) {
    double *l = PP_STORED_ARRAY(x->out, double, n), *h = PP_STORED_ARRAY(x->out, double, n);
    if (!l || !h) return pp_exchange_no_memory(x);
    for (int i = 0; i < n; i++) {
        l[i] = is_free && is_free[i] ? -INFINITY : 0;
        h[i] = INFINITY;
    }
    *lo = l;
    *hi = h;
    return PERP_OK;
}

/* The matrix of an LCP (is_free NULL) or mixed LCP, and q after it. */
static perp_status read_linear(pp_words *w, int n, const int *is_free) {
    pp_exchange *x = w->x;
    perp_problem *p = &x->out->problem;
    pp_entries e = {0};
    bool sparse = false;
    perp_status s = pp_text_matrix(w, "M", n, n, &e, &sparse);
    if (s) return s;
    if (sparse && n > DENSE_MAX) {
        perp_sparse_mlcp *q = &p->as.sparse_mlcp;
        p->cls = PERP_SPARSE_MLCP;
        q->n = n;
        s = pp_entries_sparse(x, &e, "M", &q->M);
        if (!s) s = bounds(x, n, is_free, &q->lo, &q->hi);
        return s ? s : read_vector(w, "q", n, &q->q);
    }
    if (is_free) {
        perp_mlcp *q = &p->as.mlcp;
        p->cls = PERP_MLCP;
        q->n = n;
        s = pp_entries_dense(x, &e, "M", &q->M);
        if (!s) s = bounds(x, n, is_free, &q->lo, &q->hi);
        return s ? s : read_vector(w, "q", n, &q->q);
    }
    p->cls = PERP_LCP;
    p->as.lcp.n = n;
    s = pp_entries_dense(x, &e, "M", &p->as.lcp.M);
    return s ? s : read_vector(w, "q", n, &p->as.lcp.q);
}

/* ---- LCP ---- */

static perp_status read_lcp(pp_words *w) {
    int n = 0;
    perp_status s = pp_words_integer(w, "n", 1, pp_words_left(w), &n);
    return s ? s : read_linear(w, n, NULL);
}

/* ---- mixed LCP ---- */

/* Blocks of rows, and for each whether its rows are equalities (0) or complementary (1). */
static perp_status read_kinds(pp_words *w, int n, int equalities, int *is_free) {
    int *start = PP_ARENA_ARRAY(&w->x->scratch, int, n + 1), nblock = 0, total = 0;
    char name[64];
    if (!start) return pp_exchange_no_memory(w->x);
    perp_status s = pp_words_integer(w, "blocks[0]", 0, 0, &start[0]);
    while (!s && start[nblock] < n) {
        (void)snprintf(name, sizeof name, "blocks[%d]", nblock + 1);
        s = pp_words_integer(w, name, start[nblock] + 1, n, &start[nblock + 1]);
        nblock++;
    }
    for (int b = 0; !s && b < nblock; b++) {
        int kind = 0;
        (void)snprintf(name, sizeof name, "kinds[%d]", b);
        s = pp_words_integer(w, name, 0, 1, &kind);
        for (int i = start[b]; !s && i < start[b + 1]; i++) {
            is_free[i] = kind == 0;
            total += kind == 0;
        }
    }
    if (s || total == equalities) return s;
    char found[64], allowed[64];
    (void)snprintf(found, sizeof found, "%d equalities in the blocks", total);
    (void)snprintf(allowed, sizeof allowed, "%d, as in the third number", equalities);
    return pp_complain(w->x->why, PERP_E_ARG, (pp_location){w->x->file, w->line, 0}, "kinds", found, allowed);
}

/* A rectangular part of a matrix. */
typedef struct part {
    const char *key; /* its name in the file, for messages */
    int rows, cols;
    int row, col; /* where it begins in the whole matrix */
} part;

/* Reads one part, row by row, into the column-major n x n matrix M. */
static perp_status read_part(pp_words *w, part of, int n, double *M) {
    for (int i = 0; i < of.rows; i++)
        for (int j = 0; j < of.cols; j++) {
            pp_word t = pp_words_next(w);
            if (pp_word_value(t, &M[(size_t)(of.col + j) * (size_t)n + (size_t)(of.row + i)])) continue;
            char name[64];
            (void)snprintf(name, sizeof name, "%s[%d][%d]", of.key, i, j);
            return pp_words_refuse(w, t, name, "a finite number");
        }
    return PERP_OK;
}

/* A u + C v + a = 0,  w = D u + B v + b: the variables are u (free), then v. */
static perp_status read_parts(pp_words *w, int n, int m, const int *is_free) {
    pp_exchange *x = w->x;
    int all = n + m;
    if ((size_t)all * (size_t)all > (size_t)pp_words_left(w)) {
        char found[64], allowed[64];
        (void)snprintf(found, sizeof found, "a file of %zu bytes", x->size);
        (void)snprintf(allowed, sizeof allowed, "one with %zu numbers here", (size_t)all * (size_t)all);
        return pp_complain(x->why, PERP_E_ARG, (pp_location){x->file, w->line, 0}, "A, B, C, D", found, allowed);
    }
    double *M = PP_STORED_ARRAY(x->out, double, (size_t)all *(size_t)all), *q = PP_STORED_ARRAY(x->out, double, all);
    if (!M || !q) return pp_exchange_no_memory(x);
    perp_status s = read_part(w, (part){"A", n, n, 0, 0}, all, M);
    if (!s) s = read_part(w, (part){"B", m, m, n, n}, all, M);
    if (!s) s = read_part(w, (part){"C", n, m, 0, n}, all, M);
    if (!s) s = read_part(w, (part){"D", m, n, n, 0}, all, M);
    if (!s) s = pp_words_numbers(w, "a", n, q);
    if (!s) s = pp_words_numbers(w, "b", m, q + n);
    perp_mlcp *p = &x->out->problem.as.mlcp;
    x->out->problem.cls = PERP_MLCP;
    p->n = all;
    p->M = M;
    p->q = q;
    return s ? s : bounds(x, all, is_free, &p->lo, &p->hi);
}

static perp_status read_mlcp(pp_words *w) {
    int st1 = 0, st2 = 0, n = 0, m = 0;
    perp_status s = pp_words_integer(w, "st1", 0, 1, &st1);
    if (!s) s = pp_words_integer(w, "st2", st1 ? 0 : 1, 1, &st2);
    int most = pp_words_left(w) / 2;
    if (!s) s = pp_words_integer(w, "equalities", 0, most, &n);
    if (!s) s = pp_words_integer(w, "complementarities", n ? 0 : 1, most, &m);
    if (s) return s;
    int *is_free = PP_ARENA_ARRAY(&w->x->scratch, int, n + m);
    if (!is_free) return pp_exchange_no_memory(w->x);
    for (int i = 0; i < n + m; i++) is_free[i] = i < n;
    if (!st1) return read_parts(w, n, m, is_free);
    s = read_kinds(w, n + m, n, is_free);
    return s ? s : read_linear(w, n + m, is_free); /* a second form that may follow says the same again */
}

/* ---- friction ---- */

/* Whether what follows is a second matrix of rows x cols, and not exactly `last` numbers. */
static bool second_matrix(const pp_words *w, int rows, int cols, int last) {
    pp_words look = *w;
    double v[3] = {-1, -1, -1};
    for (int i = 0; i < 3; i++)
        if (!pp_word_value(pp_words_next(&look), &v[i])) return false;
    if (!(v[0] == 0 || v[0] == 1 || v[0] == 2) || v[1] != rows || v[2] != cols) return false;
    look = *w;
    double none;
    for (int i = 0; i < last; i++)
        if (!pp_word_value(pp_words_next(&look), &none)) return true;
    for (int i = 0; i < 2; i++) /* or a flag after them */
        if (pp_words_next(&look).length == 0) return false;
    return true;
}

/* A first matrix that is not m x m cannot be W. */
static bool first_is_M(const pp_words *w, int m) {
    pp_words look = *w;
    double rows = m;
    (void)pp_words_next(&look);
    return pp_word_value(pp_words_next(&look), &rows) && rows != m;
}

static perp_status read_global(pp_words *w, perp_cone *c, const pp_entries *M, int m) {
    pp_entries H = {0};
    bool sparse;
    c->global = true;
    perp_status s = pp_entries_sparse(w->x, M, "M", &c->M);
    if (!s) s = pp_text_matrix(w, "H", c->M.rows, m, &H, &sparse);
    if (!s) s = pp_entries_sparse(w->x, &H, "H", &c->H);
    if (!s) s = read_vector(w, "f", c->M.rows, &c->f);
    return s ? s : read_vector(w, "w", m, &c->b);
}

static perp_status read_friction(pp_words *w) {
    perp_cone *c = &w->x->out->problem.as.cone;
    pp_entries e = {0};
    bool sparse;
    w->x->out->problem.cls = PERP_CONE;
    perp_status s = pp_words_integer(w, "dimension", 2, 3, &c->dim);
    if (!s) s = pp_words_integer(w, "contacts", 1, pp_words_left(w) / 4 + 1, &c->ncontact);
    if (s) return s;
    int m = c->dim * c->ncontact;
    const char *key = first_is_M(w, m) ? "M" : "W";
    s = pp_text_matrix(w, key, -1, -1, &e, &sparse);
    if (!s && e.rows != e.cols) {
        char found[64];
        (void)snprintf(found, sizeof found, "a matrix of %d x %d", e.rows, e.cols);
        s = pp_complain(w->x->why, PERP_E_ARG, (pp_location){w->x->file, w->line, 0}, key, found, "a square one");
    }
    if (s) return s;
    bool second = second_matrix(w, e.rows, m, m + c->ncontact);
    if (!second && e.rows != m) {
        char found[64], allowed[96];
        (void)snprintf(found, sizeof found, "%d rows, and no second matrix of %d x %d", e.rows, e.rows, m);
        (void)snprintf(allowed, sizeof allowed, "%d rows (local), or a second matrix (global)", m);
        return pp_complain(w->x->why, PERP_E_ARG, (pp_location){w->x->file, w->line, 0}, key, found, allowed);
    }
    if (second) {
        s = read_global(w, c, &e, m);
    } else {
        s = pp_entries_sparse(w->x, &e, "W", &c->W);
        if (!s) s = read_vector(w, "q", m, &c->q);
    }
    if (!s) s = read_mu(w, c->ncontact, &c->mu);
    double v;
    pp_word t = pp_words_peek(w);
    if (pp_word_is(t, "0") || pp_word_is(t, "1")) { /* a flag of older versions: whether the problem is complete */
        (void)pp_words_next(w);
        t = pp_words_peek(w);
    }
    if (!s && t.length > 0 && pp_word_value(t, &v)) s = pp_words_refuse(w, t, NULL, "the end of the numbers after mu");
    return s;
}

/* ---- which of them ---- */

perp_status pp_text_read(pp_exchange *x) {
    pp_words w = pp_words_begin(x), look = w;
    pp_word first = pp_words_peek(&w);
    double v[7];
    for (int i = 0; i < 7; i++)
        if (!pp_word_value(pp_words_next(&look), &v[i])) v[i] = -1;
    if (v[0] < 0) {
        return pp_words_refuse(
            &w, first, NULL,
            "a problem: HDF5 of perp or FCLIB, or Siconos' text of an LCP, a mixed LCP or a friction "
            "problem");
    }
    bool flags = v[0] == 0 || (v[0] == 1 && (v[1] == 0 || v[1] == 1) && v[4] == 0);
    bool storage1 = v[1] == 0 || v[1] == 1 || v[1] == 2, storage2 = v[2] == 0 || v[2] == 1 || v[2] == 2;
    bool space = v[0] == 2 || v[0] == 3;
    bool friction = space && v[1] >= 1 && storage2 && v[3] == v[4];
    bool lcp = storage1 && v[2] == v[0] && v[3] == v[0];
    if (lcp && friction) lcp = v[1] == 2 ? v[5] < 0 : v[6] >= 0;
    /* neither is right: what it looks more like, for a complaint to the point */
    if (!lcp && !friction && !(space && v[3] == v[4] && v[3] == v[0] * v[1]))
        lcp = storage1 && (v[2] == v[3] || v[2] == v[0] || (v[3] == v[0] && !storage2));
    perp_status s = flags ? read_mlcp(&w) : lcp ? read_lcp(&w) : read_friction(&w);
    return s ? s : read_remark(&w);
}
