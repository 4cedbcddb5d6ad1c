/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* convert_class.c - problems from one class to another with the same solutions, and answers back
 * Problem  a solver takes some classes only; the mathematics of the others often fits into them.
 * Method   LCP, mixed LCP: bounds are written out, the matrix is laid out anew, the callback of an NCP multiplies by it.
 *          QP: its optimality conditions. x keeps its place and its bounds; a row has the multipliers
 *              row_lo = row_hi        y free,        w = A x - row_lo
 *              only row_lo finite     y >= 0,        w = A x - row_lo
 *              only row_hi finite     y <= 0,        w = A x - row_hi
 *              both                   y1 >= 0, y2 >= 0 with w1 = A x - row_lo, w2 = row_hi - A x;  y = y1 - y2
 *              none                   no variable, y = 0
 *          and M = [Q -A'; A 0] with the rows and columns of y2 negated: positive semidefinite if Q is.
 *          Cones: convert_cone.c, condense.c.
 * Valid    all classes as listed in problem_file.h. Entries of a matrix that are exactly zero are not stored.
 * Cost     the entries of the matrix.
 * Source   Cottle, Pang, Stone (1992) 1.2 (optimality conditions as an LCP). */
#include "problem/convert/convert_class.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- the linear problem over bounds --- */

static bool affine_F(const double *z, double *w, void *ctx) {
    const pp_affine *a = ctx;
    for (int i = 0; i < a->n; i++) w[i] = a->q[i];
    for (int j = 0; j < a->n; j++) pp_affine_axpy(a, j, z[j], w);
    return true;
}

static bool affine_J(const double *z, double *value, void *ctx) {
    (void)z;
    const pp_affine *a = ctx;
    if (a->n == 0) return true;
    size_t n = (size_t)a->n, count = a->dense ? n * n : (size_t)a->sparse.start[n];
    if (count > 0) memcpy(value, a->dense ? a->dense : a->sparse.value, count * sizeof *value);
    return true;
}

pp_affine pp_affine_of(const perp_problem *p) {
    pp_affine a = {.zs = p->z_scale, .ws = p->w_scale};
    if (p->cls == PERP_LCP) {
        a.n = p->as.lcp.n, a.dense = p->as.lcp.M, a.q = p->as.lcp.q;
    } else if (p->cls == PERP_MLCP) {
        const perp_mlcp *m = &p->as.mlcp;
        a.n = m->n, a.dense = m->M, a.q = m->q, a.lo = m->lo, a.hi = m->hi;
    } else if (p->cls == PERP_SPARSE_MLCP) {
        const perp_sparse_mlcp *m = &p->as.sparse_mlcp;
        a.n = m->n, a.sparse = m->M, a.q = m->q, a.lo = m->lo, a.hi = m->hi;
    } else {
        assert(p->cls == PERP_NCP && p->as.ncp.F == affine_F);
        a = *(const pp_affine *)p->as.ncp.ctx;
    }
    return a;
}

void pp_affine_axpy(const pp_affine *a, int j, double x, double *y) {
    if (x == 0) return;
    if (a->dense) {
        const double *column = a->dense + (ptrdiff_t)a->n * j;
        for (int i = 0; i < a->n; i++) y[i] += column[i] * x;
    } else {
        for (int k = a->sparse.start[j]; k < a->sparse.start[j + 1]; k++)
            y[a->sparse.index[k]] += a->sparse.value[k] * x;
    }
}

/* --- laying it out --- */

static const double *make_dense(perp_stored *s, const pp_affine *a) {
    const double *copy;
    size_t n = (size_t)a->n;
    if (a->dense) return pp_stored_doubles(s, n * n, a->dense, &copy) ? copy : NULL;
    double *M = PP_STORED_ARRAY(s, double, n *n);
    if (!M) return NULL;
    memset(M, 0, n * n * sizeof *M);
    for (int j = 0; j < a->n; j++)
        for (int k = a->sparse.start[j]; k < a->sparse.start[j + 1]; k++)
            M[a->sparse.index[k] + (ptrdiff_t)a->n * j] = a->sparse.value[k];
    return M;
}

static bool make_sparse(perp_stored *s, const pp_affine *a, perp_sparse *out) {
    if (!a->dense) return pp_stored_sparse(s, &a->sparse, out);
    pp_columns c;
    bool ok = pp_columns_init(&c, &s->arena.alloc, a->n, a->n);
    for (int j = 0; ok && j < a->n; j++) {
        const double *column = a->dense + (ptrdiff_t)a->n * j;
        for (int i = 0; i < a->n; i++)
            if (column[i] != 0) pp_columns_add(&c, i, column[i]);
        ok = pp_columns_next(&c);
    }
    ok = ok && pp_columns_keep(&c, &s->arena, out);
    pp_columns_free(&c);
    return ok;
}

/* Bounds written out: a copy, or the number everywhere. */
static const double *make_bound(perp_stored *s, int n, const double *from, double otherwise) {
    double *b = PP_STORED_ARRAY(s, double, n);
    for (int i = 0; b && i < n; i++) b[i] = from ? from[i] : otherwise;
    return b;
}

static bool make_ncp(perp_stored *s, const pp_affine *a) {
    pp_affine *own = PP_STORED_ARRAY(s, pp_affine, 1);
    if (!own) return false;
    *own = *a;
    own->zs = s->problem.z_scale, own->ws = s->problem.w_scale;
    own->lo = make_bound(s, a->n, a->lo, 0);
    own->hi = make_bound(s, a->n, a->hi, INFINITY);
    if (!own->lo || !own->hi || !pp_stored_doubles(s, (size_t)a->n, a->q, &own->q)) return false;
    if (a->dense) own->dense = make_dense(s, a);
    if (a->dense ? !own->dense : !pp_stored_sparse(s, &a->sparse, &own->sparse)) return false;
    s->problem.as.ncp = (perp_ncp){.n = a->n, .lo = own->lo, .hi = own->hi, .F = affine_F, .J = affine_J, .ctx = own};
    if (!a->dense) s->problem.as.ncp.start = own->sparse.start, s->problem.as.ncp.index = own->sparse.index;
    return true;
}

static bool lay_out(perp_stored *s, const pp_affine *a, perp_class to) {
    size_t n = (size_t)a->n;
    const double *q, *lo, *hi, *M;
    s->problem = (perp_problem){.cls = to};
    if (!pp_stored_doubles(s, n, a->zs, &s->problem.z_scale) || !pp_stored_doubles(s, n, a->ws, &s->problem.w_scale))
        return false;
    if (to == PERP_NCP) return make_ncp(s, a);
    if (!pp_stored_doubles(s, n, a->q, &q)) return false;
    if (to == PERP_LCP) {
        M = make_dense(s, a);
        s->problem.as.lcp = (perp_lcp){a->n, M, q};
        return M != NULL;
    }
    lo = make_bound(s, a->n, a->lo, 0);
    hi = make_bound(s, a->n, a->hi, INFINITY);
    if (!lo || !hi) return false;
    if (to == PERP_MLCP) {
        M = make_dense(s, a);
        s->problem.as.mlcp = (perp_mlcp){a->n, M, q, lo, hi};
        return M != NULL;
    }
    s->problem.as.sparse_mlcp = (perp_sparse_mlcp){.n = a->n, .q = q, .lo = lo, .hi = hi};
    return make_sparse(s, a, &s->problem.as.sparse_mlcp.M);
}

/* --- QP --- */

/* Where the multipliers of a row are: y = z[at] - z[at + 1] if split, z[at], or 0 if at < 0. */
typedef struct multiplier {
    int at;
    bool split;
} multiplier;

typedef struct qp_way {
    int n, m;
    multiplier *y; /* m */
} qp_way;

static void qp_back(const perp_stored *s, const double *z, double *original) {
    const qp_way *way = s->way;
    for (int i = 0; i < way->n; i++) original[i] = z[i];
    for (int i = 0; i < way->m; i++) {
        multiplier y = way->y[i];
        original[way->n + i] = y.at < 0 ? 0 : y.split ? z[y.at] - z[y.at + 1] : z[y.at];
    }
}

static void qp_forth(const perp_stored *s, const double *original, double *z) {
    const qp_way *way = s->way;
    for (int i = 0; i < way->n; i++) z[i] = original[i];
    for (int i = 0; i < way->m; i++) {
        multiplier m = way->y[i];
        double y = original[way->n + i];
        if (m.at < 0) continue;
        z[m.at] = m.split && y < 0 ? 0 : y;
        if (m.split) z[m.at + 1] = y < 0 ? -y : 0;
    }
}

/* Numbers the multipliers; returns the number of variables, -1 if there are too many for an int. */
static int number_multipliers(const perp_qp *p, multiplier *y) {
    if (p->n > INT32_MAX / 4 || p->m > INT32_MAX / 4) return -1;
    int n = p->n;
    for (int i = 0; i < p->m; i++) {
        bool lo = p->row_lo[i] > -INFINITY, hi = p->row_hi[i] < INFINITY;
        y[i] = (multiplier){lo || hi ? n : -1, lo && hi && p->row_lo[i] < p->row_hi[i]};
        n += (lo || hi) + y[i].split;
    }
    return n;
}

static void fill_qp_vectors(const perp_qp *p, const multiplier *y, double *q, double *lo, double *hi) {
    for (int i = 0; i < p->n; i++) {
        q[i] = p->c[i];
        lo[i] = p->lo ? p->lo[i] : -INFINITY;
        hi[i] = p->hi ? p->hi[i] : INFINITY;
    }
    for (int i = 0; i < p->m; i++) {
        int at = y[i].at;
        if (at < 0) continue;
        bool below = p->row_lo[i] > -INFINITY, above = p->row_hi[i] < INFINITY;
        q[at] = below ? -p->row_lo[i] : -p->row_hi[i];
        lo[at] = above && !y[i].split ? -INFINITY : 0; /* free for an equation, y <= 0 for an upper bound alone */
        hi[at] = above && !below ? 0 : INFINITY;
        if (y[i].split) q[at + 1] = p->row_hi[i], lo[at + 1] = 0, hi[at + 1] = INFINITY;
    }
}

static bool fill_qp_matrix(const perp_qp *p, const multiplier *y, pp_columns *c, pp_arena *scratch, perp_sparse *M) {
    perp_sparse At = {0};
    if (p->m > 0 && !pp_sparse_transpose(&p->A, scratch, &At)) return false;
    for (int j = 0; j < p->n; j++) { /* columns of x */
        for (int k = p->Q.start[j]; k < p->Q.start[j + 1]; k++) pp_columns_add(c, p->Q.index[k], p->Q.value[k]);
        for (int k = p->m > 0 ? p->A.start[j] : 0; p->m > 0 && k < p->A.start[j + 1]; k++) {
            multiplier row = y[p->A.index[k]];
            if (row.at < 0) continue;
            pp_columns_add(c, row.at, p->A.value[k]);
            if (row.split) pp_columns_add(c, row.at + 1, -p->A.value[k]);
        }
        if (!pp_columns_next(c)) return false;
    }
    for (int i = 0; i < p->m; i++) /* columns of y, in the order they were numbered */
        for (int part = 0; y[i].at >= 0 && part < (y[i].split ? 2 : 1); part++) {
            for (int k = At.start[i]; k < At.start[i + 1]; k++)
                pp_columns_add(c, At.index[k], part ? At.value[k] : -At.value[k]);
            if (!pp_columns_next(c)) return false;
        }
    return pp_columns_keep(c, scratch, M);
}

perp_status pp_qp_affine(const perp_qp *p, perp_stored *s, pp_arena *scratch, pp_affine *out) {
    qp_way *way = PP_STORED_ARRAY(s, qp_way, 1);
    multiplier *y = PP_STORED_ARRAY(s, multiplier, p->m);
    if (!way || !y) return PERP_E_MEMORY;
    *way = (qp_way){p->n, p->m, y};
    int n = number_multipliers(p, y);
    if (n < 0) return PERP_E_FIT;
    double *q = PP_ARENA_ARRAY(scratch, double, n), *lo = PP_ARENA_ARRAY(scratch, double, n);
    double *hi = PP_ARENA_ARRAY(scratch, double, n);
    if (!q || !lo || !hi) return PERP_E_MEMORY;
    fill_qp_vectors(p, y, q, lo, hi);
    *out = (pp_affine){.n = n, .q = q, .lo = lo, .hi = hi};
    pp_columns c;
    bool ok = pp_columns_init(&c, &scratch->alloc, n, n) && fill_qp_matrix(p, y, &c, scratch, &out->sparse);
    pp_columns_free(&c);
    s->back = qp_back, s->forth = qp_forth, s->way = way;
    return ok ? PERP_OK : PERP_E_MEMORY;
}

/* --- choice of the conversion; public functions --- */

static bool linear(perp_class c) { return c == PERP_LCP || c == PERP_MLCP || c == PERP_SPARSE_MLCP; }
static bool cone(perp_class c) { return c == PERP_CONE || c == PERP_CONE_QP; }

/* Whether all bounds are 0 and INFINITY, as in an LCP. */
static bool plain_bounds(const perp_problem *p) {
    pp_affine a = pp_affine_of(p);
    for (int i = 0; i < a.n; i++)
        if ((a.lo && a.lo[i] != 0) || (a.hi && a.hi[i] != INFINITY)) return false;
    return true;
}

/* Most axes along which friction acts at a contact. */
static int friction_axes(const perp_cone *p) {
    int most = 0;
    for (int i = 0; i < p->ncontact; i++) {
        int count = pp_friction_of(p, i).count;
        if (count > most) most = count;
    }
    return most;
}

bool pp_convert_lossless(const perp_problem *p, perp_class to) {
    if (p->cls == to) return true;
    if (linear(p->cls)) return to == PERP_LCP ? plain_bounds(p) : linear(to) || to == PERP_NCP;
    if (p->cls == PERP_QP) return to == PERP_MLCP || to == PERP_SPARSE_MLCP || to == PERP_NCP;
    if (!cone(p->cls)) return false;
    int axes = friction_axes(&p->as.cone);
    if (cone(to)) return axes == 0; /* De Saxce's term vanishes */
    return axes <= 1 && (to == PERP_MLCP || to == PERP_SPARSE_MLCP || to == PERP_NCP);
}

static void same_back(const perp_stored *s, const double *z, double *original) {
    int n = perp_problem_size(&s->problem);
    if (n > 0) memmove(original, z, sizeof *z * (size_t)n);
}

/* The opposite way is the same copy. */
static void same_forth(const perp_stored *s, const double *original, double *z) { same_back(s, original, z); }

static perp_status to_local(const perp_problem *p, perp_class to, perp_stored *s, pp_arena *scratch) {
    perp_problem without = *p; /* the data but for the two forms */
    without.cls = to;
    if (!p->as.cone.global) return pp_stored_copy(s, &without) ? PERP_OK : PERP_E_MEMORY;
    without.as.cone.global = false;
    without.as.cone.W = (perp_sparse){0};
    without.as.cone.q = NULL;
    if (!pp_stored_copy(s, &without)) return PERP_E_MEMORY;
    return pp_condense(&p->as.cone, &s->arena, scratch, &s->problem.as.cone.W, &s->problem.as.cone.q);
}

static perp_status build(const perp_problem *p, perp_class to, int facets, perp_stored *s, pp_arena *scratch) {
    s->back = same_back, s->forth = same_forth;
    if (cone(to)) return to_local(p, to, s, scratch);
    if (p->cls == to && !linear(to)) return pp_stored_copy(s, p) ? PERP_OK : PERP_E_MEMORY;
    pp_affine a;
    perp_status status = PERP_OK;
    if (linear(p->cls))
        a = pp_affine_of(p);
    else if (p->cls == PERP_QP)
        status = pp_qp_affine(&p->as.qp, s, scratch, &a);
    else
        status = pp_cone_affine(p, facets, s, scratch, &a);
    if (status) return status;
    return lay_out(s, &a, to) ? PERP_OK : PERP_E_MEMORY;
}

perp_status perp_problem_convert(const perp_problem *p, perp_class to, int facets, const perp_allocator *alloc,
                                 perp_stored **out) {
    if (!out) return PERP_E_ARG;
    *out = NULL;
    perp_status status = perp_problem_check(p, NULL, 0);
    if (status) return status;
    if (!pp_convert_lossless(p, to)) { /* a pyramid, or nothing */
        if (!cone(p->cls) || (to != PERP_MLCP && to != PERP_SPARSE_MLCP && to != PERP_NCP)) return PERP_E_FIT;
        if (friction_axes(&p->as.cone) > 2) return PERP_E_FIT;
        if (facets < 4 || facets % 2) return PERP_E_ARG;
    }
    perp_stored *s = pp_stored_new(alloc);
    if (!s) return PERP_E_MEMORY;
    pp_arena scratch;
    pp_arena_init(&scratch, s->arena.alloc);
    status = build(p, to, facets, s, &scratch);
    pp_arena_free(&scratch);
    if (status)
        perp_stored_free(s);
    else
        *out = s;
    return status;
}

perp_status perp_cone_condense(const perp_problem *p, const perp_allocator *alloc, perp_stored **out) {
    if (out) *out = NULL;
    if (!p) return PERP_E_ARG;
    if (!cone(p->cls)) return PERP_E_FIT;
    return perp_problem_convert(p, p->cls, 0, alloc, out);
}
