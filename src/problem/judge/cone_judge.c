/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_judge.c - data of a cone problem for judging answers, computed once
 * Problem  u = W r + q for many r, with W = H'M^-1 H + compliance never formed; the diagonal of W.
 * Method   M is taken apart along its pattern. If the parts are small (rigid bodies) each has a dense LU, and row k of
 *          the diagonal, h_k'M^-1 h_k, costs the blocks that h_k touches. Otherwise M is factorised whole by KLU, and
 *          each row of the diagonal costs a solve.
 * Valid    regular M, any symmetry. Singular M is refused: a pivot of a small block that is lost in the rounding of its
 *          own column, or what KLU refuses. Nearly singular M may pass, and its velocities then have few digits.
 * Cost     local form: new looks up m numbers, an answer costs one product with W. Global: two products with H and one
 *          solve with M.
 * Source   De Saxce, Feng (1998); Acary, Cadoux (2013) for the two forms. */
#include "problem/judge/cone_judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "linalg/linalg.h"
#include "problem/law.h"

#define SMALL 48 /* dofs of a block that is factorised densely */

/* ---- M ---- */

/* Numbers the connected parts of M's pattern in the order of their first dofs: of[i] for dof i; their number. */
static int parts(const perp_sparse *M, int *parent, int *of) {
    int n = M->cols, count = 0;
    pp_sets_make(parent, n);
    for (int j = 0; j < n; j++)
        for (int k = M->start[j]; k < M->start[j + 1]; k++) {
            if (M->value[k] == 0) continue;
            pp_sets_join(parent, j, M->index[k]); /* the smaller index is the root: it comes first below */
        }
    for (int i = 0; i < n; i++) {
        int r = pp_set_of(parent, i);
        of[i] = r == i ? count++ : of[r];
    }
    return count;
}

/* Dense LU of block b in place. If a pivot is at rounding level compared with its original column, the block is singular. Of blocks
 * that are singular up to rounding, this detects about 99 in 100; the others have further small pivots. Unlike a condition number, the
 * test does not depend on the scale of rows and columns: a body may be 1e18 times lighter than another. */
static bool factor_block(pp_mass *f, int b) {
    int size = f->first[b + 1] - f->first[b];
    double *A = f->factor + f->at[b], column[SMALL];
    for (int j = 0; j < size; j++) {
        column[j] = 0;
        for (int i = 0; i < size; i++) pp_worsen(&column[j], A[i + size * j]);
    }
    if (!pp_lu(size, A, size, f->pivot + f->first[b])) return false;
    for (int j = 0; j < size; j++)
        if (!(fabs(A[j + size * j]) > 16 * size * DBL_EPSILON * column[j])) return false;
    return true;
}

static perp_status factor_blocks(pp_mass *f, const perp_sparse *M, const int *of, pp_arena *arena) {
    int n = M->cols;
    f->block = PP_ARENA_ARRAY(arena, int, n);
    f->pivot = PP_ARENA_ARRAY(arena, int, n);
    f->at = PP_ARENA_ARRAY(arena, size_t, f->nblock);
    if (!f->block || !f->pivot || !f->at) return PERP_E_MEMORY;
    size_t total = 0;
    for (int b = 0; b < f->nblock; b++) {
        size_t size = (size_t)(f->first[b + 1] - f->first[b]);
        f->at[b] = total;
        total += size * size;
        for (int k = f->first[b]; k < f->first[b + 1]; k++) f->block[k] = b;
    }
    f->factor = pp_arena_zero(arena, sizeof(double) * total);
    if (!f->factor) return PERP_E_MEMORY;
    for (int j = 0; j < n; j++) {
        int b = of[j], size = f->first[b + 1] - f->first[b];
        double *column = f->factor + f->at[b] + (ptrdiff_t)size * (f->place[j] - f->first[b]);
        for (int k = M->start[j]; k < M->start[j + 1]; k++)
            if (M->value[k] != 0) column[f->place[M->index[k]] - f->first[b]] = M->value[k];
    }
    for (int b = 0; b < f->nblock; b++)
        if (!factor_block(f, b)) return PERP_E_ARG;
    return PERP_OK;
}

static perp_status factor_mass(pp_mass *f, const perp_sparse *M, pp_arena *arena) {
    int n = f->n = M->cols;
    int *of = PP_ARENA_ARRAY(arena, int, n), *parent = PP_ARENA_ARRAY(arena, int, n);
    f->first = PP_ARENA_ZERO(arena, int, n + 2);
    f->place = PP_ARENA_ARRAY(arena, int, n);
    f->y = PP_ARENA_ZERO(arena, double, n);
    if (!of || !parent || !f->first || !f->place || !f->y) return PERP_E_MEMORY;
    int count = parts(M, parent, of), widest = 0;
    f->part = of;
    f->nparts = count;
    for (int i = 0; i < n; i++) f->first[of[i] + 1]++;
    for (int b = 0; b < count; b++) {
        if (f->first[b + 1] > widest) widest = f->first[b + 1];
        f->first[b + 1] += f->first[b];
    }
    if (widest <= SMALL) {
        f->nblock = count;
        for (int b = 0; b < count; b++) parent[b] = f->first[b]; /* next free place */
        for (int i = 0; i < n; i++) f->place[i] = parent[of[i]]++;
        return factor_blocks(f, M, of, arena);
    }
    f->lu = pp_sparse_lu_new();
    if (!f->lu) return PERP_E_MEMORY;
    return pp_sparse_lu_factor(f->lu, n, M->start, M->index, M->value) ? PERP_OK : PERP_E_ARG;
}

static void solve_block(const pp_mass *f, int b) {
    int at = f->first[b], size = f->first[b + 1] - at;
    pp_lu_solve(size, f->factor + f->at[b], size, f->pivot + at, 1, f->y + at, size);
}

/* v = M^-1 v */
static void solve_mass(pp_mass *f, double *v) {
    if (f->lu) {
        if (!pp_sparse_lu_solve(f->lu, false, v))
            for (int i = 0; i < f->n; i++) v[i] = NAN; /* overflow: nothing to be said of such an answer */
        return;
    }
    for (int i = 0; i < f->n; i++) f->y[f->place[i]] = v[i];
    for (int b = 0; b < f->nblock; b++) solve_block(f, b);
    for (int i = 0; i < f->n; i++) v[i] = f->y[f->place[i]];
    memset(f->y, 0, sizeof *f->y * (size_t)f->n);
}

/* One column of the inverse of a block at a time. */
void pp_cone_judge_spread_noise(pp_cone_judge *j, double *x) {
    pp_mass *f = &j->mass;
    if (f->lu) {
        solve_mass(f, x);
        for (int i = 0; i < f->n; i++) x[i] = fabs(x[i]);
        return;
    }
    for (int i = 0; i < f->n; i++) f->y[f->place[i]] = x[i];
    for (int b = 0; b < f->nblock; b++) {
        int at = f->first[b], size = f->first[b + 1] - at;
        double sum[SMALL] = {0}, column[SMALL];
        for (int k = 0; k < size; k++) {
            if (f->y[at + k] == 0) continue;
            for (int i = 0; i < size; i++) column[i] = i == k;
            pp_lu_solve(size, f->factor + f->at[b], size, f->pivot + at, 1, column, size);
            for (int i = 0; i < size; i++) sum[i] += fabs(column[i]) * f->y[at + k];
        }
        for (int i = 0; i < size; i++) f->y[at + i] = sum[i];
    }
    for (int i = 0; i < f->n; i++) x[i] = f->y[f->place[i]];
    memset(f->y, 0, sizeof *f->y * (size_t)f->n);
}

/* h'M^-1 h for column k of H. */
static double through_mass(pp_mass *f, const perp_sparse *H, int k) {
    int from = H->start[k], to = H->start[k + 1];
    double sum = 0;
    if (f->lu) {
        for (int e = from; e < to; e++) f->y[H->index[e]] = H->value[e];
        if (!pp_sparse_lu_solve(f->lu, false, f->y)) sum = NAN;
        for (int e = from; e < to; e++) sum += H->value[e] * f->y[H->index[e]];
        memset(f->y, 0, sizeof *f->y * (size_t)f->n);
        return sum;
    }
    for (int e = from; e < to; e++) f->y[f->place[H->index[e]]] = H->value[e];
    for (int e = from, last = -1; e < to; e++) {
        int b = f->block[f->place[H->index[e]]];
        bool done = b == last; /* entries of one block are mostly neighbours; else look back, as blocks are few */
        for (int before = from; before < e && !done; before++) done = f->block[f->place[H->index[before]]] == b;
        if (!done) solve_block(f, b);
        last = b;
    }
    for (int e = from; e < to; e++) sum += H->value[e] * f->y[f->place[H->index[e]]];
    for (int e = from, last = -1; e < to; e++) {
        int b = f->block[f->place[H->index[e]]];
        for (int i = f->first[b]; i < f->first[b + 1] && b != last; i++) f->y[i] = 0;
        last = b;
    }
    return sum;
}

/* ---- W and q ---- */

/* Entry (k, k), by halving; 0 if it is not stored. */
static double diagonal(const perp_sparse *W, int k) {
    int lo = W->start[k], hi = W->start[k + 1];
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (W->index[mid] < k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < W->start[k + 1] && W->index[lo] == k ? W->value[lo] : 0;
}

void pp_cone_judge_velocity(pp_cone_judge *j, const double *r, double *u, double *v) {
    const perp_cone *p = &j->p;
    if (!p->global) {
        if (j->m > 0) memcpy(u, p->q, sizeof *u * (size_t)j->m);
        pp_add_product(&p->W, r, u);
        return;
    }
    if (!v) v = j->v;
    if (j->n > 0) memcpy(v, p->f, sizeof *v * (size_t)j->n);
    pp_add_product(&p->H, r, v);
    solve_mass(&j->mass, v);
    for (int k = 0; k < j->m; k++) u[k] = p->b[k] + (p->compliance ? p->compliance[k] * r[k] : 0);
    pp_add_product_transposed(&p->H, v, u);
}

static void fill_diagonal(pp_cone_judge *j) {
    const perp_cone *p = &j->p;
    for (int k = 0; k < j->m; k++)
        j->diag[k] =
            p->global ? through_mass(&j->mass, &p->H, k) + (p->compliance ? p->compliance[k] : 0) : diagonal(&p->W, k);
}

/* Mean diagonal of contact c's block of E W E over the axes that are not 0; and the metric of its rows. */
static double contact_metric(pp_cone_judge *j, int c) {
    int dim = j->p.dim, at = j->p.nrow + dim * c, counted = 0;
    double sum = 0;
    for (int t = 0; t < dim; t++) {
        double e = t > 0 && j->p.axes ? j->p.axes[(ptrdiff_t)(dim - 1) * c + t - 1] : 1, W = j->diag[at + t];
        j->to_v[at + t] = e;
        j->to_x[at + t] = e > 0 ? 1 / e : W > 0 && j->diag[at] > 0 ? sqrt(W / j->diag[at]) : 1;
        if (e > 0) sum += e * e * W, counted++;
    }
    return sum / counted;
}

static void fill_metric(pp_cone_judge *j) {
    int nrow = j->p.nrow, nc = j->p.ncontact, counted = 0;
    double mean = 0;
    for (int i = 0; i < nrow + nc; i++) {
        double W = i < nrow ? j->diag[i] : contact_metric(j, i - nrow);
        bool counts = W > 0 && W < INFINITY;
        j->rho[i] = counts ? 1 / W : 0;
        if (counts && (i >= nrow || nc == 0)) mean += W, counted++;
    }
    mean = counted > 0 ? mean / counted : 1;
    for (int i = 0; i < nrow + nc; i++) {
        bool counts = j->rho[i] > 0 && j->rho[i] < INFINITY;
        if (i < nrow) j->weight[i] = counts ? 1 / sqrt(j->rho[i] * mean) : 1, j->to_x[i] = j->to_v[i] = 1;
        if (!counts) j->rho[i] = 1 / mean; /* a row that nothing moves */
    }
}

static perp_status prepare(pp_cone_judge *j, bool weights) {
    const perp_cone *p = &j->p;
    j->u = PP_ARENA_ARRAY(&j->arena, double, j->m);
    j->v = PP_ARENA_ARRAY(&j->arena, double, j->n);
    if (!j->u || !j->v) return PERP_E_MEMORY;
    perp_status s = p->global ? factor_mass(&j->mass, &p->M, &j->arena) : PERP_OK;
    if (s || !weights) return s;
    double **row[] = {&j->q, &j->diag, &j->to_x, &j->to_v};
    for (int k = 0; k < 4; k++)
        if (!(*row[k] = PP_ARENA_ZERO(&j->arena, double, j->m))) return PERP_E_MEMORY;
    j->rho = PP_ARENA_ARRAY(&j->arena, double, p->nrow + p->ncontact);
    j->weight = PP_ARENA_ARRAY(&j->arena, double, p->nrow);
    if (!j->rho || !j->weight) return PERP_E_MEMORY;
    pp_cone_judge_velocity(j, j->diag, j->q, NULL); /* diag is still 0 */
    fill_diagonal(j);
    fill_metric(j);
    return PERP_OK;
}

static perp_status make(const perp_cone *p, bool associated, bool weights, const perp_allocator *alloc,
                        pp_cone_judge **out) {
    *out = NULL;
    perp_allocator a = alloc ? *alloc : (perp_allocator){0};
    pp_cone_judge *j = pp_alloc(&a, sizeof *j);
    if (!j) return PERP_E_MEMORY;
    *j = (pp_cone_judge){.alloc = a, .p = *p, .associated = associated};
    j->m = p->nrow + p->dim * p->ncontact;
    j->n = p->global ? p->M.cols : 0;
    pp_arena_init(&j->arena, a);
    perp_status s = prepare(j, weights);
    if (s)
        pp_cone_judge_free(j);
    else
        *out = j;
    return s;
}

perp_status pp_cone_judge_new(const perp_problem *p, const perp_allocator *alloc, pp_cone_judge **out) {
    return make(&p->as.cone, p->cls == PERP_CONE_QP, true, alloc, out);
}

void pp_cone_judge_free(pp_cone_judge *j) {
    if (!j) return;
    perp_allocator a = j->alloc;
    pp_sparse_lu_free(j->mass.lu);
    pp_arena_free(&j->arena);
    pp_free(&a, j);
}

perp_status perp_cone_velocity(const perp_cone *p, const double *r, double *u, double *v) {
    const perp_problem whole = {.cls = PERP_CONE, .as.cone = p ? *p : (perp_cone){0}};
    if (!p || (v && !p->global)) return PERP_E_ARG;
    perp_status s = perp_problem_check(&whole, NULL, 0);
    pp_cone_judge *j = NULL;
    if (!s && !r && perp_problem_size(&whole) > 0) s = PERP_E_ARG;
    if (!s) s = make(p, false, false, NULL, &j);
    if (!s) pp_cone_judge_velocity(j, r, u ? u : j->u, v);
    pp_cone_judge_free(j);
    return s;
}
