/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* problem_file_trip.h - problems of any class to write and to read back: to the bit, and to the same file. */
#ifndef PERP_TEST_PROBLEM_FILE_TRIP_H
#define PERP_TEST_PROBLEM_FILE_TRIP_H

#include "unit/problem_file_help.h"

/* The file that a problem makes, without one on disk. */
static inline pp_image image_of(const perp_problem *p, const double *guess, const char *title,
                                perp_problem_format format) {
    pp_image m = {0};
    perp_refusal why;
    perp_status s = format == PERP_FORMAT_PERP    ? pp_perp_image("x", p, guess, title ? title : "", &m, &why)
                    : format == PERP_FORMAT_FCLIB ? pp_fclib_image("x", p, guess, title ? title : "", &m, &why)
                                                  : pp_text_image("x", p, title ? title : "", &m, &why);
    if (s) fail_msg("%s", why.text);
    return m;
}

static inline void round_trip(const perp_problem *p, const double *guess, const char *title,
                              perp_problem_format format) {
    perp_refusal why;
    perp_problem_format found = PERP_FORMAT_PERP;
    perp_stored *s;
    pp_image first = image_of(p, guess, title, format);
    if (pp_exchange_read("x", first.data, first.size, NULL, &s, &found, &why)) fail_msg("%s", why.text);
    assert_int_equal(found, format);
    assert_true(same_problem(p, perp_stored_problem(s)));
    if (format != PERP_FORMAT_SICONOS_TEXT)
        assert_true(same_doubles(guess, perp_stored_guess(s), perp_problem_size(p)));
    assert_string_equal(perp_stored_title(s), title ? title : "");
    assert_null(perp_stored_step(s));
    pp_image second = image_of(perp_stored_problem(s), perp_stored_guess(s), perp_stored_title(s), format);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size); /* the same problem gives the same file */
    pp_image_free(&first);
    pp_image_free(&second);
    perp_stored_free(s);
}

static inline void bounds_of(int n, double **lo, double **hi) {
    *lo = numbers(n);
    *hi = numbers(n);
    for (int i = 0; i < n; i++) {
        double w = fabs((*hi)[i]);
        (*hi)[i] = roll(3) == 0 ? INFINITY : (*lo)[i] + w;
        if (roll(3) == 0) (*lo)[i] = -INFINITY;
    }
}

typedef struct cone_data {
    perp_problem p;
    double *guess;
} cone_data;

static inline cone_data any_cone(perp_class cls, int dim, int nc, int nrow, bool global) {
    cone_data d = {.p.cls = cls};
    perp_cone *c = &d.p.as.cone;
    int m = nrow + dim * nc, n = global ? 7 : 0;
    double *lo, *hi;
    bounds_of(nrow, &lo, &hi);
    *c = (perp_cone){.dim = dim, .ncontact = nc, .nrow = nrow, .global = global, .lo = lo, .hi = hi};
    c->mu = positive(nc);
    c->axes = positive((dim - 1) * nc);
    if (global) {
        c->M = sparse_numbers(n, n);
        c->H = sparse_numbers(n, m);
        c->f = numbers(n);
        c->b = numbers(m);
        c->compliance = positive(m);
    } else {
        c->W = sparse_numbers(m, m);
        c->q = numbers(m);
    }
    d.guess = numbers(m);
    return d;
}

static inline void free_cone(cone_data *d) {
    perp_cone *c = &d->p.as.cone;
    const double *const v[] = {c->lo, c->hi, c->mu, c->axes, c->f, c->b, c->compliance, c->q, d->guess};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) free((void *)(uintptr_t)v[i]);
    free_sparse(&c->W);
    free_sparse(&c->M);
    free_sparse(&c->H);
}

/* A cone that FCLIB can hold: rows without bounds, mirrored coupling. */
static inline cone_data fclib_cone(int dim, int nc, int nrow, bool global) {
    cone_data d = any_cone(PERP_CONE, dim, nc, nrow, global);
    perp_cone *c = &d.p.as.cone;
    const double *const drop[] = {c->lo, c->hi, c->axes, c->compliance};
    for (int i = 0; i < 4; i++) free((void *)(uintptr_t)drop[i]);
    c->lo = c->hi = c->axes = c->compliance = NULL;
    if (global) { /* of rigid bodies: diagonal, so that a guess has velocities */
        free_sparse(&c->M);
        int *start = malloc(8 * sizeof *start), *index = malloc(8 * sizeof *index);
        for (int i = 0; i < 8; i++) start[i] = index[i] = i;
        c->M = (perp_sparse){7, 7, start, index, positive(7)};
        return d;
    }
    int m = c->W.rows;
    double *full = numbers(m * m);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < j; i++)
            if (i < nrow && j >= nrow) full[j * m + i] = full[i * m + j];
    int *start = malloc(((size_t)m + 1) * sizeof *start), *index = malloc(((size_t)m * (size_t)m + 1) * sizeof *index),
        n = 0;
    for (int j = 0; j < m; j++) {
        start[j] = n;
        for (int i = 0; i < m; i++) {
            full[n] = full[j * m + i];
            index[n++] = i;
        }
    }
    start[m] = n;
    free_sparse(&c->W);
    c->W = (perp_sparse){m, m, start, index, full};
    return d;
}

#endif
