/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stored.c - see stored.h */
#include "problem/stored.h"

#include <string.h>

perp_stored *pp_stored_new(const perp_allocator *alloc) {
    perp_allocator a = alloc ? *alloc : (perp_allocator){0};
    perp_stored *s = pp_alloc(&a, sizeof *s);
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    pp_arena_init(&s->arena, a);
    s->title = "";
    return s;
}

void perp_stored_free(perp_stored *s) {
    if (!s) return;
    perp_allocator a = s->arena.alloc;
    pp_arena_free(&s->arena);
    pp_free(&a, s);
}

const perp_problem *perp_stored_problem(const perp_stored *s) { return &s->problem; }
const perp_step_problem *perp_stored_step(const perp_stored *s) { return s->step; }
const perp_step_solution *perp_stored_step_solution(const perp_stored *s) { return s->solution; }
const double *perp_stored_guess(const perp_stored *s) { return s->guess; }
const char *perp_stored_title(const perp_stored *s) { return s->title; }

perp_status perp_stored_answer(const perp_stored *converted, const double *z, double *back) {
    if (!converted || !converted->back || !z || !back) return PERP_E_ARG;
    converted->back(converted, z, back);
    return PERP_OK;
}

void pp_stored_forth(const perp_stored *converted, const double *original, double *z) {
    converted->forth(converted, original, z);
}

void *pp_stored_memory(perp_stored *s, size_t bytes) { return pp_arena_get(&s->arena, bytes ? bytes : 1); }

void *pp_stored_array(perp_stored *s, size_t count, size_t size) {
    if (size > 0 && count > SIZE_MAX / size) return NULL;
    return pp_stored_memory(s, count * size);
}

bool pp_stored_doubles(perp_stored *s, size_t count, const double *from, const double **to) {
    *to = NULL;
    if (!from) return true;
    double *copy = PP_STORED_ARRAY(s, double, count);
    if (!copy) return false;
    if (count > 0) memcpy(copy, from, count * sizeof *copy);
    *to = copy;
    return true;
}

bool pp_stored_ints(perp_stored *s, size_t count, const int *from, const int **to) {
    *to = NULL;
    if (!from) return true;
    int *copy = PP_STORED_ARRAY(s, int, count);
    if (!copy) return false;
    if (count > 0) memcpy(copy, from, count * sizeof *copy);
    *to = copy;
    return true;
}

bool pp_stored_sparse(perp_stored *s, const perp_sparse *from, perp_sparse *to) {
    *to = (perp_sparse){.rows = from->rows, .cols = from->cols};
    if (!from->start) return true;
    size_t cols = (size_t)from->cols, nnz = (size_t)from->start[cols];
    return pp_stored_ints(s, cols + 1, from->start, &to->start) && pp_stored_ints(s, nnz, from->index, &to->index) &&
           pp_stored_doubles(s, nnz, from->value, &to->value);
}

bool pp_stored_set_title(perp_stored *s, const char *title) {
    s->title = "";
    if (!title) return true;
    size_t size = strlen(title) + 1;
    char *copy = pp_stored_memory(s, size);
    if (!copy) return false;
    memcpy(copy, title, size);
    s->title = copy;
    return true;
}

bool pp_stored_set_guess(perp_stored *s, const double *guess) {
    return pp_stored_doubles(s, (size_t)perp_problem_size(&s->problem), guess, &s->guess);
}

static bool copy_ncp(perp_stored *s, const perp_ncp *from, perp_ncp *to) {
    size_t n = (size_t)from->n, nnz = from->start ? (size_t)from->start[n] : 0;
    *to = *from; /* functions and context are shared */
    return pp_stored_doubles(s, n, from->lo, &to->lo) && pp_stored_doubles(s, n, from->hi, &to->hi) &&
           pp_stored_ints(s, n + 1, from->start, &to->start) && pp_stored_ints(s, nnz, from->index, &to->index);
}

static bool copy_qp(perp_stored *s, const perp_qp *from, perp_qp *to) {
    size_t n = (size_t)from->n, m = (size_t)from->m;
    *to = (perp_qp){.n = from->n, .m = from->m};
    if (!pp_stored_sparse(s, &from->Q, &to->Q) || !pp_stored_doubles(s, n, from->c, &to->c) ||
        !pp_stored_doubles(s, n, from->lo, &to->lo) || !pp_stored_doubles(s, n, from->hi, &to->hi))
        return false;
    return m == 0 || (pp_stored_sparse(s, &from->A, &to->A) && pp_stored_doubles(s, m, from->row_lo, &to->row_lo) &&
                      pp_stored_doubles(s, m, from->row_hi, &to->row_hi));
}

static bool copy_cone(perp_stored *s, const perp_cone *from, perp_cone *to) {
    size_t nrow = (size_t)from->nrow, nc = (size_t)from->ncontact, m = nrow + (size_t)from->dim * nc;
    *to = (perp_cone){.dim = from->dim, .ncontact = from->ncontact, .nrow = from->nrow, .global = from->global};
    if (!pp_stored_doubles(s, nrow, from->lo, &to->lo) || !pp_stored_doubles(s, nrow, from->hi, &to->hi) ||
        !pp_stored_doubles(s, nc, from->mu, &to->mu) ||
        !pp_stored_doubles(s, (size_t)(from->dim - 1) * nc, from->axes, &to->axes))
        return false;
    if (!from->global) return pp_stored_sparse(s, &from->W, &to->W) && pp_stored_doubles(s, m, from->q, &to->q);
    return pp_stored_sparse(s, &from->M, &to->M) && pp_stored_sparse(s, &from->H, &to->H) &&
           pp_stored_doubles(s, (size_t)from->M.rows, from->f, &to->f) && pp_stored_doubles(s, m, from->b, &to->b) &&
           pp_stored_doubles(s, m, from->compliance, &to->compliance);
}

static bool copy_class(perp_stored *s, const perp_problem *p) {
    perp_problem *to = &s->problem;
    size_t n = (size_t)perp_problem_size(p);
    switch (p->cls) {
    case PERP_LCP:
        to->as.lcp.n = p->as.lcp.n;
        return pp_stored_doubles(s, n * n, p->as.lcp.M, &to->as.lcp.M) &&
               pp_stored_doubles(s, n, p->as.lcp.q, &to->as.lcp.q);
    case PERP_MLCP:
        to->as.mlcp.n = p->as.mlcp.n;
        return pp_stored_doubles(s, n * n, p->as.mlcp.M, &to->as.mlcp.M) &&
               pp_stored_doubles(s, n, p->as.mlcp.q, &to->as.mlcp.q) &&
               pp_stored_doubles(s, n, p->as.mlcp.lo, &to->as.mlcp.lo) &&
               pp_stored_doubles(s, n, p->as.mlcp.hi, &to->as.mlcp.hi);
    case PERP_SPARSE_MLCP:
        to->as.sparse_mlcp.n = p->as.sparse_mlcp.n;
        return pp_stored_sparse(s, &p->as.sparse_mlcp.M, &to->as.sparse_mlcp.M) &&
               pp_stored_doubles(s, n, p->as.sparse_mlcp.q, &to->as.sparse_mlcp.q) &&
               pp_stored_doubles(s, n, p->as.sparse_mlcp.lo, &to->as.sparse_mlcp.lo) &&
               pp_stored_doubles(s, n, p->as.sparse_mlcp.hi, &to->as.sparse_mlcp.hi);
    case PERP_NCP: return copy_ncp(s, &p->as.ncp, &to->as.ncp);
    case PERP_QP: return copy_qp(s, &p->as.qp, &to->as.qp);
    case PERP_CONE:
    case PERP_CONE_QP: return copy_cone(s, &p->as.cone, &to->as.cone);
    }
    return false;
}

bool pp_stored_copy(perp_stored *s, const perp_problem *p) {
    size_t n = (size_t)perp_problem_size(p);
    s->problem = (perp_problem){.cls = p->cls};
    return copy_class(s, p) && pp_stored_doubles(s, n, p->z_scale, &s->problem.z_scale) &&
           pp_stored_doubles(s, n, p->w_scale, &s->problem.w_scale);
}
