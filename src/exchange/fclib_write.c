/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fclib_write.c - friction contact problems in FCLIB's HDF5 layouts; see fclib_read.c for them.
 *
 * Bounded rows without bounds become FCLIB's equalities; anything else that FCLIB has no place for is refused: bounds,
 * torsion, rolling, elliptic cones, compliance, a local matrix whose parts V and V' are not mirror images, cone programmes. */
#include "exchange/h5_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static perp_status no_place(perp_refusal *why, const char *path, const char *key, const char *found,
                            const char *allowed) {
    return pp_complain(why, PERP_E_FIT, (pp_location){path, 0, 0}, key, found, allowed);
}

static perp_status bad(perp_refusal *why, const char *path, const char *key, int i, double v, const char *allowed) {
    char at[64], found[32];
    (void)snprintf(at, sizeof at, "%s[%d]", key, i);
    (void)snprintf(found, sizeof found, "%g", v);
    return pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, at, found, allowed);
}

static perp_status check_vector(perp_refusal *why, const char *path, const char *key, const double *v, int n,
                                bool negative) {
    if (n > 0 && !v) return pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, key, "nothing", "numbers");
    for (int i = 0; i < n; i++)
        if (!isfinite(v[i]) || (!negative && v[i] < 0))
            return bad(why, path, key, i, v[i], negative ? "a finite number" : "a finite number >= 0");
    return PERP_OK;
}

/* What FCLIB can hold. */
static perp_status fits(const char *path, const perp_problem *p, perp_refusal *why) {
    const perp_cone *c = &p->as.cone;
    if (p->cls != PERP_CONE) return no_place(why, path, "class", perp_class_name(p->cls), "cone");
    if (c->dim != 2 && c->dim != 3) {
        char found[16];
        (void)snprintf(found, sizeof found, "%d", c->dim);
        return no_place(why, path, "dim", found, "2 or 3");
    }
    if (c->ncontact < 0 || c->ncontact > INT32_MAX / 8 || c->nrow < 0 || c->nrow > INT32_MAX / 8) {
        return pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, "ncontact, nrow", "sizes out of range",
                           "0 or more");
    }
    int m = c->nrow + c->dim * c->ncontact;
    for (int i = 0; i < c->nrow; i++)
        if ((c->lo && c->lo[i] != -INFINITY) || (c->hi && c->hi[i] != INFINITY))
            return no_place(why, path, "lo, hi", "a row with bounds", "rows without bounds");
    for (int i = 0; c->axes && i < (c->dim - 1) * c->ncontact; i++)
        if (c->axes[i] != 1) return no_place(why, path, "axes", "an elliptic cone", "circular ones");
    for (int i = 0; c->global && c->compliance && i < m; i++)
        if (c->compliance[i] != 0) return no_place(why, path, "compliance", "a row with compliance", "none");
    return PERP_OK;
}

static perp_status check(const char *path, const perp_cone *c, const double *guess, perp_refusal *why) {
    int m = c->nrow + c->dim * c->ncontact, n = c->M.rows;
    perp_status s = check_vector(why, path, "mu", c->mu, c->ncontact, false);
    if (!s && guess) s = check_vector(why, path, "guess", guess, m, true);
    if (!c->global) {
        if (!s) s = check_vector(why, path, "q", c->q, m, true);
        return s ? s : pp_check_sparse(path, "W", &c->W, m, m, why);
    }
    if (!s) s = pp_check_sparse(path, "M", &c->M, n, n, why);
    if (!s) s = pp_check_sparse(path, "H", &c->H, n, m, why);
    if (!s) s = check_vector(why, path, "f", c->f, n, true);
    return s ? s : check_vector(why, path, "b", c->b, m, true);
}

/* ---- writing ---- */

/* Rows i0 .. i1 - 1 and columns j0 .. j1 - 1 of a matrix, by columns. */
static void put_part(pp_h5_writer *w, const char *path, const perp_sparse *a, int i0, int i1, int j0, int j1) {
    size_t n = 0, most = (size_t)(a->start[j1] - a->start[j0]);
    int rows = i1 - i0, cols = j1 - j0, form = -1, *start = malloc(((size_t)cols + 1) * sizeof *start);
    int *index = malloc(most * sizeof *index + 1);
    double *value = malloc(most * sizeof *value + 1);
    w->ok = w->ok && start && index && value;
    for (int j = 0; w->ok && j <= cols; j++) {
        start[j] = (int)n;
        for (int k = a->start[j0 + j]; j < cols && k < a->start[j0 + j + 1]; k++)
            if (a->index[k] >= i0 && a->index[k] < i1) {
                index[n] = a->index[k] - i0;
                value[n++] = a->value[k];
            }
    }
    int nzmax = (int)n;
    const struct {
        const char *name;
        const int *v;
        size_t n;
    } part[] = {{"nzmax", &nzmax, 1},           {"m", &rows, 1}, {"n", &cols, 1}, {"nz", &form, 1},
                {"p", start, (size_t)cols + 1}, {"i", index, n}};
    char name[96];
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        (void)snprintf(name, sizeof name, "%s/%s", path, part[k].name);
        if (w->ok) pp_h5_put_ints(w, name, part[k].v, part[k].n, -1);
    }
    (void)snprintf(name, sizeof name, "%s/x", path);
    if (w->ok) pp_h5_put_doubles(w, name, value, n, -1);
    free(start);
    free(index);
    free(value);
}

/* The entry (i, j), 0 if there is none; *there: whether there is. */
static double entry(const perp_sparse *a, int i, int j, bool *there) {
    int lo = a->start[j], hi = a->start[j + 1];
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (a->index[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    *there = lo < a->start[j + 1] && a->index[lo] == i;
    return *there ? a->value[lo] : 0;
}

/* Whether the coupling of equalities and contacts is symmetric, as FCLIB requires. */
static perp_status mirrored(const char *path, const perp_sparse *W, int p, perp_refusal *why) {
    for (int j = 0; j < W->cols; j++)
        for (int k = W->start[j]; k < W->start[j + 1]; k++) {
            bool there;
            if ((W->index[k] < p) == (j < p) || entry(W, j, W->index[k], &there) == W->value[k]) continue;
            char at[64];
            (void)snprintf(at, sizeof at, "W[%d][%d]", W->index[k], j);
            return no_place(why, path, at, "another entry than its mirror image",
                            "the same, between bounded rows and contacts");
        }
    return PERP_OK;
}

static void put_local(pp_h5_writer *w, const perp_cone *c) {
    int p = c->nrow, all = c->W.rows;
    put_part(w, "fclib_local/W", &c->W, p, all, p, all);
    if (p > 0) {
        put_part(w, "fclib_local/V", &c->W, p, all, 0, p);
        put_part(w, "fclib_local/R", &c->W, 0, p, 0, p);
        pp_h5_put_doubles(w, "fclib_local/vectors/s", c->q, (size_t)p, -1);
    }
    pp_h5_put_doubles(w, "fclib_local/vectors/q", c->q + p, (size_t)(all - p), -1);
    pp_h5_put_doubles(w, "fclib_local/vectors/mu", c->mu, (size_t)c->ncontact, -1);
}

static void put_global(pp_h5_writer *w, const perp_cone *c) {
    int p = c->nrow, n = c->M.rows, all = c->H.cols;
    put_part(w, "fclib_global/M", &c->M, 0, n, 0, n);
    put_part(w, "fclib_global/H", &c->H, 0, n, p, all);
    if (p > 0) {
        put_part(w, "fclib_global/G", &c->H, 0, n, 0, p);
        pp_h5_put_doubles(w, "fclib_global/vectors/b", c->b, (size_t)p, -1);
    }
    pp_h5_put_doubles(w, "fclib_global/vectors/f", c->f, (size_t)n, -1);
    pp_h5_put_doubles(w, "fclib_global/vectors/w", c->b + p, (size_t)(all - p), -1);
    pp_h5_put_doubles(w, "fclib_global/vectors/mu", c->mu, (size_t)c->ncontact, -1);
}

/* Impulses and their velocities; no velocities if they cannot be computed (for example with a singular M). */
static void put_guess(pp_h5_writer *w, const perp_cone *c, const double *guess) {
    int p = c->nrow, m = c->dim * c->ncontact, n = c->global ? c->M.rows : 0, one = 1;
    double *u = malloc(((size_t)p + (size_t)m + 1) * sizeof *u), *v = malloc(((size_t)n + 1) * sizeof *v);
    perp_status s = u && v ? perp_cone_velocity(c, guess, u, c->global ? v : NULL) : PERP_E_MEMORY;
    if (s == PERP_E_MEMORY) w->ok = false;
    pp_h5_put_ints(w, "guesses/number_of_guesses", &one, 1, -1);
    if (!s && c->global) pp_h5_put_doubles(w, "guesses/1/v", v, (size_t)n, -1);
    if (!s) pp_h5_put_doubles(w, "guesses/1/u", u + p, (size_t)m, -1);
    pp_h5_put_doubles(w, "guesses/1/r", guess + p, (size_t)m, -1);
    if (p > 0) pp_h5_put_doubles(w, "guesses/1/l", guess, (size_t)p, -1);
    free(u);
    free(v);
}

perp_status pp_fclib_image(const char *path, const perp_problem *p, const double *guess, const char *title,
                           pp_image *out, perp_refusal *why) {
    const perp_cone *c = &p->as.cone;
    perp_status s = fits(path, p, why);
    if (!s) s = check(path, c, guess, why);
    if (!s && !c->global) s = mirrored(path, &c->W, c->nrow, why);
    if (s) return s;
    pp_h5_writer w = pp_h5_begin();
    const char *root = c->global ? "fclib_global" : "fclib_local";
    const char *const info[][2] = {{"title", title}, {"description", ""}, {"math_info", ""}};
    char name[64];
    (void)snprintf(name, sizeof name, "%s/spacedim", root);
    pp_h5_put_ints(&w, name, &c->dim, 1, -1);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(name, sizeof name, "%s/info/%s", root, info[i][0]);
        pp_h5_put_words(&w, name, info[i][1]);
    }
    if (c->global)
        put_global(&w, c);
    else
        put_local(&w, c);
    if (guess) put_guess(&w, c, guess);
    return pp_h5_end(&w, path, out, why);
}
