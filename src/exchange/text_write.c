/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* text_write.c - problems in Siconos' text; see text_read.c for it.
 *
 * Numbers have 17 digits, enough for every bit, with a point whatever the locale. Dense matrices are written in full
 * (0), sparse ones as CSparse's listing by columns (2), which keeps zeros. */
#include "exchange/exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static perp_status no_place(perp_refusal *why, const char *path, const char *key, const char *found,
                            const char *allowed) {
    return pp_complain(why, PERP_E_FIT, (pp_location){path, 0, 0}, key, found, allowed);
}

static void say(pp_image *m, const char *text) { pp_image_add(m, text, strlen(text)); }

static void say_int(pp_image *m, int v, const char *after) {
    char t[32];
    (void)snprintf(t, sizeof t, "%d", v);
    say(m, t);
    say(m, after);
}

static void say_number(pp_image *m, double v, const char *after) {
    char t[64];
    (void)snprintf(t, sizeof t, "%.17g", v);
    size_t n = 0;
    for (size_t i = 0; t[i]; i++) { /* the locale's decimal point may be any sequence of other bytes */
        bool plain = strchr("0123456789+-e", t[i]) != NULL;
        if (plain)
            t[n++] = t[i];
        else if (n == 0 || t[n - 1] != '.')
            t[n++] = '.';
    }
    t[n] = 0;
    say(m, t);
    say(m, after);
}

static perp_status say_vector(pp_image *m, const char *path, const char *key, const double *v, int n,
                              perp_refusal *why) {
    if (n > 0 && !v) return pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, key, "nothing", "numbers");
    for (int i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            char at[64], found[32];
            (void)snprintf(at, sizeof at, "%s[%d]", key, i);
            (void)snprintf(found, sizeof found, "%g", v[i]);
            return pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, at, found, "a finite number");
        }
        say_number(m, v[i], i + 1 < n ? " " : "\n");
    }
    return PERP_OK;
}

static perp_status say_full(pp_image *m, const char *path, const double *M, int n, perp_refusal *why) {
    say(m, "0\n");
    for (int i = 0; i < 4; i++) say_int(m, n, i < 2 ? "\n" : i == 2 ? "\t" : "\n");
    for (int j = 0; j < n; j++) {
        perp_status s = say_vector(m, path, "M", M ? M + (size_t)j * (size_t)n : NULL, n, why);
        if (s) return s;
    }
    return PERP_OK;
}

#define SIX_DIGITS 999999 /* CSparse's listing has no more for sizes */

static perp_status say_sparse(pp_image *m, const char *path, const char *key, const perp_sparse *a, int rows, int cols,
                              perp_refusal *why) {
    perp_status s = pp_check_sparse(path, key, a, rows, cols, why);
    if (s) return s;
    int n = a->start[cols];
    if (rows > SIX_DIGITS || cols > SIX_DIGITS || n > SIX_DIGITS) {
        return no_place(why, path, key, "a matrix of more than 999999 rows or entries", "a smaller one");
    }
    double norm = 0;
    for (int j = 0; j < cols; j++) {
        double sum = 0;
        for (int k = a->start[j]; k < a->start[j + 1]; k++) sum += fabs(a->value[k]);
        norm = fmax(norm, sum);
    }
    say(m, "2\n");
    say_int(m, rows, "\n");
    say_int(m, cols, "\n2\nCSparse Version 3, as written by perp\n");
    say_int(m, rows, "-by-");
    say_int(m, cols, ", nzmax: ");
    say_int(m, n, " nnz: ");
    say_int(m, n, ", 1-norm: ");
    say_number(m, fmin(norm, 1e300), "\n");
    for (int j = 0; j < cols; j++) {
        say(m, "    col ");
        say_int(m, j, " : locations ");
        say_int(m, a->start[j], " to ");
        say_int(m, a->start[j + 1] - 1, "\n");
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            say(m, "      ");
            say_int(m, a->index[k], " : ");
            say_number(m, a->value[k], "\n");
        }
    }
    return PERP_OK;
}

/* Which variables are free and which 0 or more; no others have a place. Blocks of each, then their kinds. */
static perp_status say_blocks(pp_image *m, const char *path, const double *lo, const double *hi, int n,
                              perp_refusal *why) {
    int equalities = 0;
    if (!lo || !hi) return pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, "lo, hi", "nothing", "bounds");
    for (int i = 0; i < n; i++) {
        bool open = hi[i] == INFINITY;
        if (!open || (lo[i] != 0 && lo[i] != -INFINITY)) {
            return no_place(why, path, "lo, hi", "other bounds", "0 and infinity, or none");
        }
        equalities += lo[i] != 0;
    }
    say(m, "1\n0\n");
    say_int(m, equalities, "\n");
    say_int(m, n - equalities, "\n");
    for (int i = 0; i <= n; i++)
        if (i == 0 || i == n || (lo[i] == 0) != (lo[i - 1] == 0)) say_int(m, i, i < n ? " " : "\n");
    for (int i = 0; i < n; i++)
        if (i == 0 || (lo[i] == 0) != (lo[i - 1] == 0)) say_int(m, lo[i] == 0, " ");
    say(m, "\n");
    return PERP_OK;
}

static perp_status say_cone(pp_image *m, const char *path, const perp_cone *c, perp_refusal *why) {
    if (c->dim != 2 && c->dim != 3) return no_place(why, path, "dim", "contacts with torsion or rolling", "2 or 3");
    if (c->nrow != 0) return no_place(why, path, "nrow", "bounded rows", "none");
    if (c->ncontact < 1 || c->ncontact > SIX_DIGITS) {
        return no_place(why, path, "ncontact", "no contacts, or too many", "1 to 999999");
    }
    int all = c->dim * c->ncontact;
    for (int i = 0; c->axes && i < (c->dim - 1) * c->ncontact; i++)
        if (c->axes[i] != 1) return no_place(why, path, "axes", "an elliptic cone", "circular ones");
    for (int i = 0; c->global && c->compliance && i < all; i++)
        if (c->compliance[i] != 0) return no_place(why, path, "compliance", "a row with compliance", "none");
    say_int(m, c->dim, "\n");
    say_int(m, c->ncontact, "\n");
    perp_status s;
    if (c->global) {
        int n = c->M.rows;
        if (n < 1) return no_place(why, path, "M", "no degrees of freedom", "1 or more");
        s = say_sparse(m, path, "M", &c->M, n, n, why);
        if (!s) s = say_sparse(m, path, "H", &c->H, n, all, why);
        if (!s) s = say_vector(m, path, "f", c->f, n, why);
        if (!s) s = say_vector(m, path, "w", c->b, all, why);
    } else {
        s = say_sparse(m, path, "W", &c->W, all, all, why);
        if (!s) s = say_vector(m, path, "q", c->q, all, why);
    }
    for (int i = 0; !s && c->mu && i < c->ncontact; i++)
        if (c->mu[i] < 0)
            s = pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, "mu", "a negative number", "0 or more");
    return s ? s : say_vector(m, path, "mu", c->mu, c->ncontact, why);
}

/* A title that does not look like a number; one line. */
static void say_title(pp_image *m, const char *title) {
    if (!title[0]) return;
    char shown[256];
    say(m, "\n# ");
    say(m, pp_printable(shown, sizeof shown, title, strlen(title)));
    say(m, "\n");
}

perp_status pp_text_image(const char *path, const perp_problem *p, const char *title, pp_image *m, perp_refusal *why) {
    perp_status s = PERP_OK;
    int n = 0;
    if (p->cls == PERP_LCP || p->cls == PERP_MLCP || p->cls == PERP_SPARSE_MLCP) {
        n = perp_problem_size(p);
        if (n < 1) return no_place(why, path, "n", "no variables", "1 or more");
    }
    switch (p->cls) {
    case PERP_LCP:
        say_int(m, n, "\n");
        s = say_full(m, path, p->as.lcp.M, n, why);
        if (!s) s = say_vector(m, path, "q", p->as.lcp.q, n, why);
        break;
    case PERP_MLCP:
        s = say_blocks(m, path, p->as.mlcp.lo, p->as.mlcp.hi, n, why);
        if (!s) s = say_full(m, path, p->as.mlcp.M, n, why);
        if (!s) s = say_vector(m, path, "q", p->as.mlcp.q, n, why);
        break;
    case PERP_SPARSE_MLCP:
        s = say_blocks(m, path, p->as.sparse_mlcp.lo, p->as.sparse_mlcp.hi, n, why);
        if (!s) s = say_sparse(m, path, "M", &p->as.sparse_mlcp.M, n, n, why);
        if (!s) s = say_vector(m, path, "q", p->as.sparse_mlcp.q, n, why);
        break;
    case PERP_CONE: s = say_cone(m, path, &p->as.cone, why); break;
    default: return no_place(why, path, "class", perp_class_name(p->cls), "lcp, mlcp, sparse-mlcp or cone");
    }
    if (!s) say_title(m, title);
    return s;
}
