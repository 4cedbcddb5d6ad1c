/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* perp_read.c - perp's own problem files: see plan.h for what they hold. */
#include "exchange/plan.h"
#include "problem/convert/to_cone.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    pp_exchange *x;
    pp_h5 *h;
    pp_content c;
} reader;

/* ---- attributes ---- */

static perp_status get_attribute(reader *r, const char *name, pp_h5_type type, const char *what, pp_h5_array *a) {
    bool there = false;
    char words[64];
    perp_status s = pp_h5_attribute(r->h, name, &there, a);
    if (s) return s;
    if (!there) return pp_h5_refuse(r->h, name, "nothing", what);
    if (a->type != type || a->count != 1 || (type == PP_H5_FLOAT && a->size != 8)) {
        bool one = a->count == 1;
        return pp_h5_refuse(r->h, name,
                            one ? pp_h5_type_words(a, words, sizeof words) : pp_h5_shape_words(a, words, sizeof words),
                            what);
    }
    return PERP_OK;
}

static perp_status get_int(reader *r, const char *name, int64_t *out) {
    pp_h5_array a;
    perp_status s = get_attribute(r, name, PP_H5_INT, "a whole number", &a);
    if (!s) *out = pp_h5_get_integer(&a, 0);
    return s;
}

/* A text, cut to fit; *there = false and "" if it is not there and need not be. */
static perp_status get_text(reader *r, const char *name, bool needed, char *out, size_t size) {
    pp_h5_array a;
    bool there = false;
    out[0] = 0;
    perp_status s = pp_h5_attribute(r->h, name, &there, &a);
    if (s || (!there && !needed)) return s;
    s = get_attribute(r, name, PP_H5_TEXT, "a text of fixed length", &a);
    if (s) return s;
    const unsigned char *end = memchr(a.raw, 0, a.size);
    (void)pp_printable(out, size, (const char *)a.raw, end ? (size_t)(end - a.raw) : a.size);
    return PERP_OK;
}

static perp_status read_version(reader *r) {
    int64_t version = 0;
    perp_status s = get_int(r, "version", &version);
    if (s || (version >= 1 && version <= PP_PLAN_VERSION)) return s;
    char found[48], allowed[48];
    (void)snprintf(found, sizeof found, "%lld", (long long)version);
    (void)snprintf(allowed, sizeof allowed, "1 to %d", PP_PLAN_VERSION);
    return pp_h5_refuse(r->h, "version", found, allowed);
}

static perp_status read_class(reader *r) {
    static const perp_class known[] = {PERP_LCP, PERP_MLCP, PERP_SPARSE_MLCP, PERP_QP, PERP_CONE, PERP_CONE_QP};
    char name[64];
    int64_t global = 0;
    perp_status s = get_text(r, "class", true, name, sizeof name);
    if (s) return s;
    if (strcmp(name, "step") == 0) {
        r->c.kind = PP_K_STEP;
        return PERP_OK;
    }
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++)
        if (strcmp(name, perp_class_name(known[i])) == 0) r->c.problem.cls = known[i];
    r->c.kind = r->c.problem.cls;
    if (!r->c.kind) return pp_h5_refuse(r->h, "class", name, "lcp, mlcp, sparse-mlcp, qp, cone, cone-qp or step");
    if (!(r->c.kind & PP_K_CONES)) return PERP_OK;
    s = get_int(r, "global", &global);
    if (!s && global != 0 && global != 1) {
        char found[32];
        (void)snprintf(found, sizeof found, "%lld", (long long)global);
        s = pp_h5_refuse(r->h, "global", found, "0 or 1");
    }
    r->c.problem.as.cone.global = global == 1;
    r->c.kind |= global == 1 ? PP_K_GLOBAL : PP_K_LOCAL;
    return s;
}

static perp_status read_sizes(reader *r) {
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < pp_plan_nsize; i++) {
        const pp_plan_size *z = &pp_plan_sizes[i];
        int64_t v = 0;
        if (!pp_plan_has(z->kinds, &r->c)) continue;
        s = get_int(r, z->name, &v);
        *pp_plan_int(&r->c, z->offset) = v < INT_MIN ? INT_MIN : v > INT_MAX ? INT_MAX : (int)v;
    }
    if (s || !(r->c.kind & PP_K_STEP)) return s ? s : pp_plan_check_sizes(r->x->file, &r->c, r->x->why);
    pp_h5_array a;
    s = get_attribute(r, "h", PP_H5_FLOAT, "a 64-bit float", &a);
    if (!s) pp_h5_get_doubles(&a, &r->c.step.h);
    return s ? s : pp_plan_check_sizes(r->x->file, &r->c, r->x->why);
}

/* ---- arrays ---- */

/* Opens a dataset of that type and shape: rows, or rows x cols if cols >= 0. rows < 0: any number. */
static perp_status open_array(reader *r, const char *path, pp_plan_type type, int64_t rows, int64_t cols, bool *there,
                              pp_h5_array *a) {
    char found[96], allowed[96];
    perp_status s = pp_h5_dataset(r->h, path, there, a);
    if (s || !*there) return s;
    bool fits = type == PP_L_I32 ? a->type == PP_H5_INT : a->type == PP_H5_FLOAT && a->size == 8;
    if (!fits) {
        return pp_h5_refuse(r->h, path, pp_h5_type_words(a, found, sizeof found),
                            type == PP_L_I32 ? "32-bit integers" : "64-bit floats");
    }
    if (a->rank == (cols < 0 ? 1 : 2) && (rows < 0 || a->dim[0] == (uint64_t)rows) &&
        (cols < 0 || a->dim[1] == (uint64_t)cols))
        return PERP_OK;
    if (cols >= 0)
        (void)snprintf(allowed, sizeof allowed, "%lld x %lld", (long long)rows, (long long)cols);
    else if (rows < 0)
        (void)snprintf(allowed, sizeof allowed, "a list");
    else
        (void)snprintf(allowed, sizeof allowed, "%lld", (long long)rows);
    return pp_h5_refuse(r->h, path, pp_h5_shape_words(a, found, sizeof found), allowed);
}

/* Integers that fit an int. */
static perp_status get_ints(reader *r, const char *path, const pp_h5_array *a, int *out) {
    for (uint64_t i = 0; i < a->count; i++) {
        int64_t v = pp_h5_get_integer(a, i);
        if (v < INT_MIN || v > INT_MAX) {
            char at[192], found[32];
            (void)snprintf(at, sizeof at, "%s[%llu]", path, (unsigned long long)i);
            (void)snprintf(found, sizeof found, "%lld", (long long)v);
            return pp_h5_refuse(r->h, at, found, "a 32-bit integer");
        }
        out[i] = (int)v;
    }
    return PERP_OK;
}

static void transpose(double *a, int n) {
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t i = j + 1; i < (size_t)n; i++) {
            double t = a[j * (size_t)n + i];
            a[j * (size_t)n + i] = a[i * (size_t)n + j];
            a[i * (size_t)n + j] = t;
        }
}

/* The numbers of one array, to their places in the elements. */
static perp_status scatter(reader *r, const pp_plan_array *p, const pp_h5_array *a, char *base) {
    size_t width = p->width ? (size_t)p->width : 1, unit = p->type == PP_L_I32 ? sizeof(int) : sizeof(double);
    bool whole = p->stride == width * unit;
    char *flat = whole ? base : pp_arena_get(&r->x->scratch, (size_t)a->count * unit);
    if (!flat) return pp_exchange_no_memory(r->x);
    perp_status s = PERP_OK;
    if (p->type == PP_L_I32)
        s = get_ints(r, p->path, a, (int *)(void *)flat);
    else
        pp_h5_get_doubles(a, (double *)(void *)flat);
    for (size_t i = 0; !s && !whole && i < (size_t)a->count / width; i++)
        memcpy(base + i * p->stride + p->member, flat + i * width * unit, width * unit);
    return s;
}

static perp_status read_array(reader *r, const pp_plan_array *p) {
    int64_t rows = pp_plan_extent_of(&r->c, p->rows), cols = p->width > 0 ? p->width : -1;
    bool two = p->cols != PP_X_ONE, there = false;
    pp_h5_array a;
    if (two) cols = pp_plan_extent_of(&r->c, p->cols);
    perp_status s = open_array(r, p->path, p->type, rows, cols, &there, &a);
    if (s) return s;
    if (!there) return p->optional ? PERP_OK : pp_h5_refuse(r->h, p->path, "nothing", p->about);
    char *base;
    memcpy(&base, (char *)&r->c + p->pointer, sizeof base);
    if (!base) { /* not there yet: the first column of an array of structs, or a plain array */
        size_t n = (size_t)rows * (two ? (size_t)cols : 1);
        bool step = (r->c.kind & PP_K_STEP) != 0; /* is copied once more, with its cone form */
        base = step ? pp_arena_get(&r->x->scratch, n * p->stride) : pp_stored_array(r->x->out, n, p->stride);
        if (!base) return pp_exchange_no_memory(r->x);
        memset(base, 0, n * p->stride);
        memcpy((char *)&r->c + p->pointer, &base, sizeof base);
    }
    s = scatter(r, p, &a, base);
    if (!s && two && p->rows == p->cols) transpose((double *)(void *)base, (int)rows);
    return s ? s : pp_plan_check_array(r->x->file, &r->c, p, r->x->why);
}

/* ---- matrices ---- */

static perp_status get_list(reader *r, const char *path, pp_plan_type type, int64_t n, void **out) {
    pp_h5_array a;
    bool there = false;
    perp_status s = open_array(r, path, type, n, -1, &there, &a);
    if (s) return s;
    if (!there) return pp_h5_refuse(r->h, path, "nothing", "a part of the matrix");
    size_t unit = type == PP_L_I32 ? sizeof(int) : sizeof(double);
    *out = pp_stored_array(r->x->out, (size_t)a.count, unit);
    if (!*out) return pp_exchange_no_memory(r->x);
    if (type == PP_L_I32) return get_ints(r, path, &a, *out);
    pp_h5_get_doubles(&a, *out);
    return PERP_OK;
}

static perp_status read_matrix(reader *r, const pp_plan_matrix *m) {
    int rows = pp_plan_extent_of(&r->c, m->rows), cols = pp_plan_extent_of(&r->c, m->cols);
    void *start = NULL, *index = NULL, *value = NULL;
    char path[64];
    if (r->c.kind == PERP_QP && m->rows == PP_X_M && rows == 0) return PERP_OK; /* a programme without rows */
    (void)snprintf(path, sizeof path, "%s/start", m->path);
    perp_status s = get_list(r, path, PP_L_I32, (int64_t)cols + 1, &start);
    (void)snprintf(path, sizeof path, "%s/index", m->path);
    int entries = start ? ((int *)start)[cols] : 0;
    if (!s) s = get_list(r, path, PP_L_I32, entries, &index);
    (void)snprintf(path, sizeof path, "%s/value", m->path);
    if (!s) s = get_list(r, path, PP_L_F64, entries, &value);
    if (s) return s;
    perp_sparse *to = (perp_sparse *)(void *)((char *)&r->c + m->offset);
    *to = (perp_sparse){rows, cols, start, index, value};
    return pp_plan_check_matrix(r->x->file, &r->c, m, r->x->why);
}

/* ---- the whole ---- */

/* Spin and rolling are between the two bodies of the normal row, which the file says once. */
static void place_turning(reader *r) {
    perp_contact_row *c;
    memcpy(&c, &r->c.step.contact, sizeof c); /* ours, though the problem only borrows it */
    for (int i = 0; c && i < r->c.step.ncontact; i++) {
        memcpy(c[i].r.block, c[i].n.block, sizeof c[i].r.block);
        for (int k = 0; k < 2; k++) memcpy(c[i].roll[k].block, c[i].n.block, sizeof c[i].roll[k].block);
    }
}

/* Has it the impulses of all joints and contacts? */
static bool has_impulses(const perp_step_problem *p, const perp_step_solution *s) {
    if ((!s->p_joint && p->njoint > 0) || (!s->p_contact && p->ncontact > 0)) return false;
    return s->p_joint || s->p_contact;
}

/* The guess of a step problem, as one for its cone form. */
static perp_status step_guess(reader *r) {
    const perp_step_solution *g = &r->c.step_guess;
    if (!has_impulses(&r->c.step, g)) return PERP_OK;
    pp_step_cone cone;
    double *z = PP_STORED_ARRAY(r->x->out, double, perp_problem_size(&r->x->out->problem));
    if (!z || pp_step_to_cone(&r->c.step, &r->x->scratch, &cone)) return pp_exchange_no_memory(r->x);
    pp_step_cone_guess(&cone, g, z);
    r->x->out->guess = z;
    return PERP_OK;
}

static perp_status step_solution(reader *r) {
    const perp_step_problem *p = &r->c.step;
    const perp_step_solution *s = &r->c.solution;
    bool whole = has_impulses(p, s) && (s->nu || p->ndof == 0) && (s->sigma || p->ncontact == 0);
    if (whole && !pp_stored_set_solution(r->x->out, s)) return pp_exchange_no_memory(r->x);
    return PERP_OK;
}

static perp_status hand_over(reader *r) {
    perp_stored *out = r->x->out;
    char title[PP_PLAN_TITLE + 1];
    perp_status s = get_text(r, "title", false, title, sizeof title);
    if (s) return s;
    if (!pp_stored_set_title(out, title)) return pp_exchange_no_memory(r->x);
    if (!(r->c.kind & PP_K_STEP)) {
        out->problem = r->c.problem;
        out->guess = r->c.guess;
        return PERP_OK;
    }
    s = pp_stored_set_step(out, &r->c.step);
    if (s == PERP_E_MEMORY) return pp_exchange_no_memory(r->x);
    if (s) return pp_h5_refuse(r->h, NULL, "a step problem without a cone form", "one of finite numbers");
    s = step_guess(r);
    return s ? s : step_solution(r);
}

perp_status pp_perp_read(pp_exchange *x, pp_h5 *h) {
    reader *r = pp_arena_zero(&x->scratch, sizeof *r);
    if (!r) return pp_exchange_no_memory(x);
    r->x = x;
    r->h = h;
    perp_status s = read_version(r);
    if (!s) s = read_class(r);
    if (!s) s = read_sizes(r);
    /* arrays first: what the file holds of them bounds the sizes that matrices are then made for */
    for (int i = 0; !s && i < pp_plan_narray; i++)
        if (pp_plan_has(pp_plan_arrays[i].kinds, &r->c)) s = read_array(r, &pp_plan_arrays[i]);
    for (int i = 0; !s && i < pp_plan_nmatrix; i++)
        if (pp_plan_has(pp_plan_matrices[i].kinds, &r->c)) s = read_matrix(r, &pp_plan_matrices[i]);
    if (!s && (r->c.kind & PP_K_STEP)) place_turning(r);
    if (!s) s = pp_plan_check_rest(x->file, &r->c, x->why);
    return s ? s : hand_over(r);
}
