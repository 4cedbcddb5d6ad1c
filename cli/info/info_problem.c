/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* info_problem.c - what a problem file holds: class, sizes, the range of its numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/h5_file.h"
#include "info/info.h"
#include "perp/problem_file.h"

/* ---- is it one ---- */

static bool has_group(pp_h5 *h, const char *name) {
    pp_h5_kind kind = PP_H5_NONE;
    uint64_t header;
    return !pp_h5_find(h, name, &kind, &header) && kind == PP_H5_GROUP;
}

static bool is_hdf5_problem(const char *data, size_t size) {
    pp_h5 h;
    perp_refusal unused;
    pp_h5_array a;
    bool there = false;
    if (pp_h5_open(&h, "", data, size, &unused)) return false;
    if (!pp_h5_attribute(&h, "format", &there, &a) && there)
        return a.type == PP_H5_TEXT && a.count == 1 && a.size >= 12 && !memcmp(a.raw, "perp problem", 12);
    return has_group(&h, "fclib_local") || has_group(&h, "fclib_global") || has_group(&h, "fclib_global_rolling");
}

/* A text that begins with a number, which no scene does. */
static bool is_number_text(const char *data, size_t size) {
    size_t i = 0;
    while (i < size && strchr(" \t\r\n", data[i]) && data[i]) i++;
    size_t n = 0;
    while (i + n < size && data[i + n] && strchr("+-.0123456789eE", data[i + n])) n++;
    return n > 0 && (i + n == size || (data[i + n] && strchr(" \t\r\n", data[i + n])));
}

bool info_is_problem(const char *path) {
    const perp_allocator plain = {0};
    perp_refusal unused;
    size_t size, n = strlen(path);
    char *data;
    bool dat = n > 4 && !strcmp(path + n - 4, ".dat");
    bool other = (n > 5 && !strcmp(path + n - 5, ".yaml")) || (n > 4 && !strcmp(path + n - 4, ".yml"));
    if (other || pp_source_read(&plain, path, path, &data, &size, &unused)) return false;
    bool is = pp_h5_is(data, size) ? is_hdf5_problem(data, size) : dat || is_number_text(data, size);
    free(data);
    return is;
}

/* ---- figures ---- */

typedef struct range {
    double lo, hi;
} range;

static range none(void) { return (range){INFINITY, -INFINITY}; }

static void take(range *r, double x) {
    if (x < r->lo) r->lo = x;
    if (x > r->hi) r->hi = x;
}

static void tell_range(json *j, const char *what, const char *key, range r) {
    if (j) {
        json_key(j, key);
        if (r.lo > r.hi) {
            json_null(j);
        } else {
            json_array(j);
            json_number(j, r.lo);
            json_number(j, r.hi);
            json_end(j, ']');
        }
    } else if (r.lo == r.hi) {
        info_row(what, "%.6g everywhere", r.lo);
    } else if (r.lo < r.hi) {
        info_row(what, "%.6g to %.6g", r.lo, r.hi);
    }
}

static void tell_whole(json *j, const char *what, const char *key, long long x) {
    if (j)
        json_field_whole(j, key, x);
    else
        info_row(what, "%lld", x);
}

/* "matrix M      12 x 12, 40 entries other than 0, diagonal 0.5 to 2" */
static void tell_matrix(json *j, const char *name, int rows, int cols, long long entries, range diagonal) {
    char what[16], text[96] = "";
    if (j) {
        json_key(j, name);
        json_object(j);
        json_field_whole(j, "rows", rows);
        json_field_whole(j, "cols", cols);
        json_field_whole(j, "nonzeros", entries);
        if (diagonal.lo <= diagonal.hi) tell_range(j, "", "diagonal", diagonal);
        json_end(j, '}');
        return;
    }
    snprintf(what, sizeof what, "matrix %s", name);
    if (diagonal.lo <= diagonal.hi) snprintf(text, sizeof text, ", diagonal %.6g to %.6g", diagonal.lo, diagonal.hi);
    info_row(what, "%d x %d, %lld entries other than 0%s", rows, cols, entries, text);
}

static range sparse_diagonal(const perp_sparse *m) {
    range r = none();
    for (int j = 0; j < m->cols; j++) {
        double x = 0;
        for (int k = m->start[j]; k < m->start[j + 1]; k++)
            if (m->index[k] == j) x = m->value[k];
        take(&r, x);
    }
    return r;
}

static long long sparse_count(const perp_sparse *m) {
    long long n = 0;
    for (int k = 0; m->start && k < m->start[m->cols]; k++) n += m->value[k] != 0;
    return n;
}

static void tell_sparse(json *j, const char *name, const perp_sparse *m) {
    if (m->start)
        tell_matrix(j, name, m->rows, m->cols, sparse_count(m), m->rows == m->cols ? sparse_diagonal(m) : none());
}

static void tell_dense(json *j, const char *name, const double *M, int n) {
    long long entries = 0;
    range r = none();
    for (int i = 0; i < n; i++) {
        take(&r, M[(size_t)i * (size_t)n + (size_t)i]);
        for (int k = 0; k < n; k++) entries += M[(size_t)i * (size_t)n + (size_t)k] != 0;
    }
    tell_matrix(j, name, n, n, entries, r);
}

static void tell_bounds(json *j, const double *lo, const double *hi, int n) {
    int unbounded = 0, both = 0;
    for (int i = 0; i < n; i++) {
        bool below = lo && isfinite(lo[i]), above = hi && isfinite(hi[i]);
        unbounded += !below && !above;
        both += below && above;
    }
    if (j) {
        json_field_whole(j, "free", unbounded);
        json_field_whole(j, "bounded_on_both_sides", both);
    } else {
        info_row("bounds", "%d free, %d with one bound, %d with two", unbounded, n - unbounded - both, both);
    }
}

static void tell_numbers(json *j, const char *what, const char *key, const double *v, int n) {
    range r = none();
    for (int i = 0; i < n; i++) take(&r, v[i]);
    tell_range(j, what, key, r);
}

/* ---- classes ---- */

static void tell_cone(json *j, const perp_problem *p) {
    const perp_cone *c = &p->as.cone;
    int elliptic = 0;
    for (int i = 0; c->axes && i < (c->dim - 1) * c->ncontact; i++) elliptic += c->axes[i] != 1;
    if (j) {
        json_field_string(j, "form", c->global ? "global" : "local");
        json_field_whole(j, "dim", c->dim);
        json_field_bool(j, "elliptic", elliptic > 0);
    } else {
        info_row("form", "%s, %d rows for each contact%s", c->global ? "global (mass matrix)" : "local (Delassus)",
                 c->dim, elliptic ? ", axes that are not 1" : "");
    }
    tell_whole(j, "contacts", "contacts", c->ncontact);
    tell_whole(j, "other rows", "rows", c->nrow);
    tell_numbers(j, "mu", "mu", c->mu, c->ncontact);
    if (!c->global) {
        tell_sparse(j, "W", &c->W);
        return;
    }
    tell_whole(j, "dofs", "dofs", c->M.rows);
    tell_sparse(j, "M", &c->M);
    tell_sparse(j, "H", &c->H);
    perp_stored *local;
    if (perp_cone_condense(p, NULL, &local)) return;
    tell_sparse(j, "W", &perp_stored_problem(local)->as.cone.W);
    perp_stored_free(local);
}

static void tell_class(json *j, const perp_problem *p) {
    switch (p->cls) {
    case PERP_LCP:
        tell_dense(j, "M", p->as.lcp.M, p->as.lcp.n);
        tell_numbers(j, "q", "q", p->as.lcp.q, p->as.lcp.n);
        break;
    case PERP_MLCP:
        tell_bounds(j, p->as.mlcp.lo, p->as.mlcp.hi, p->as.mlcp.n);
        tell_dense(j, "M", p->as.mlcp.M, p->as.mlcp.n);
        tell_numbers(j, "q", "q", p->as.mlcp.q, p->as.mlcp.n);
        break;
    case PERP_SPARSE_MLCP:
        tell_bounds(j, p->as.sparse_mlcp.lo, p->as.sparse_mlcp.hi, p->as.sparse_mlcp.n);
        tell_sparse(j, "M", &p->as.sparse_mlcp.M);
        tell_numbers(j, "q", "q", p->as.sparse_mlcp.q, p->as.sparse_mlcp.n);
        break;
    case PERP_QP:
        tell_whole(j, "variables", "variables", p->as.qp.n);
        tell_whole(j, "rows", "rows", p->as.qp.m);
        tell_bounds(j, p->as.qp.lo, p->as.qp.hi, p->as.qp.n);
        tell_sparse(j, "Q", &p->as.qp.Q);
        if (p->as.qp.m > 0) tell_sparse(j, "A", &p->as.qp.A);
        break;
    case PERP_CONE:
    case PERP_CONE_QP: tell_cone(j, p); break;
    case PERP_NCP: break; /* is in no file */
    }
}

static const char *class_words(perp_class c) {
    switch (c) {
    case PERP_LCP: return "linear complementarity problem";
    case PERP_MLCP: return "mixed linear complementarity problem, dense";
    case PERP_SPARSE_MLCP: return "mixed linear complementarity problem, sparse";
    case PERP_NCP: return "nonlinear complementarity problem";
    case PERP_QP: return "quadratic programme";
    case PERP_CONE: return "friction contact problem with cones";
    case PERP_CONE_QP: return "quadratic programme over cones";
    }
    return "";
}

perp_status info_problem(const info_request *q, perp_refusal *why) {
    perp_stored *stored;
    perp_problem_format format;
    perp_status s = perp_problem_read(q->path, NULL, &stored, &format, why);
    if (s) return s;
    const perp_problem *p = perp_stored_problem(stored);
    const perp_step_problem *step = perp_stored_step(stored);
    const char *title = perp_stored_title(stored), *layout = perp_problem_format_name(format);
    json *j = q->j;
    if (j) {
        json_field_string(j, "kind", "problem");
        json_field_string(j, "title", title);
        json_field_string(j, "layout", layout);
        json_field_bool(j, "step", step != NULL);
        json_field_string(j, "class", perp_class_name(p->cls));
        json_field_bool(j, "guess", perp_stored_guess(stored) != NULL);
        json_field_bool(j, "solution", perp_stored_step_solution(stored) != NULL);
    } else {
        char text[CLI_PATH];
        printf("%s%s%s: problem\n", cli_style(stdout, "1"), cli_printable(text, sizeof text, q->path),
               cli_style(stdout, ""));
        if (*title) info_row("title", "%s", cli_printable(text, sizeof text, title));
        info_row("layout", "%s%s", layout, step ? ": the problem of a time step" : "");
        info_row("class", "%s: %s", perp_class_name(p->cls), class_words(p->cls));
        info_row("guess", "%s", perp_stored_guess(stored) ? "yes (perp solve --warm starts from it)" : "none");
        if (perp_stored_step_solution(stored)) info_row("solution", "yes, as the run found it");
    }
    tell_whole(j, "unknowns", "size", perp_problem_size(p));
    if (step) tell_whole(j, "bodies", "bodies", step->nblock);
    tell_class(j, p);
    perp_stored_free(stored);
    return PERP_OK;
}
