/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* box.c - one view of the complementarity problems over bounds
 *   lo <= z <= hi complementary to w = F(z)
 * Method   Linear problems keep their matrix. F of an NCP is called; its derivatives are called or computed by forward differences. Columns of a
 *          sparse pattern that share no row are differenced together (greedy colouring), so a banded J needs as many calls of F as its
 *          bandwidth.
 * Valid    All of PP_BOX_CLASSES. A difference steps inwards at an upper bound, and in the other direction if F is not defined.
 * Cost     A product with J; differences: one F per colour.
 * Source   Curtis, Powell, Reid, On the estimation of sparse Jacobian matrices (1974). */
#include "solver/common/box.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/kernel.h"

/* Behind the 3 n doubles of scratch: colours of the columns, as ints, and their number. */
static int *colours(const pp_box *b) { return (int *)(void *)(b->scratch + 3 * (ptrdiff_t)b->n); }

static double *constant(const perp_call *call, int n, double value) {
    double *x = PP_CALL_ARRAY(call, double, n);
    for (int i = 0; x && i < n; i++) x[i] = value;
    return x;
}

/* Each column gets the least colour that no column before it with a common row has. */
static bool colour(const pp_box *b, const perp_call *call) {
    int n = b->n, *of = colours(b), count = 0;
    int *row = PP_CALL_ARRAY(call, int, n + 2), *col = PP_CALL_ARRAY(call, int, b->nnz);
    int *taken = PP_CALL_ARRAY(call, int, n + 1); /* taken[c] = j: a neighbour of column j has colour c */
    if (!row || !col || !taken) return false;
    memset(row, 0, sizeof *row * (size_t)(n + 2));
    for (int k = 0; k < b->nnz; k++) row[b->index[k] + 2]++;
    for (int i = 0; i < n; i++) row[i + 2] += row[i + 1];
    for (int j = 0; j < n; j++)
        for (int k = b->start[j]; k < b->start[j + 1]; k++) col[row[b->index[k] + 1]++] = j;
    for (int j = 0; j <= n; j++) taken[j] = -1;
    for (int j = 0; j < n; j++) {
        for (int k = b->start[j]; k < b->start[j + 1]; k++)
            for (int e = row[b->index[k]]; e < row[b->index[k] + 1] && col[e] < j; e++) taken[of[col[e]]] = j;
        int c = 0;
        while (taken[c] == j) c++;
        of[j] = c;
        if (c + 1 > count) count = c + 1;
    }
    of[n] = count;
    return true;
}

static void take_parts(pp_box *b, const perp_problem *p) {
    b->linear = b->dense = true;
    switch (p->cls) {
    case PERP_LCP:
        b->q = p->as.lcp.q;
        b->J0 = p->as.lcp.M;
        break;
    case PERP_MLCP:
        b->q = p->as.mlcp.q;
        b->J0 = p->as.mlcp.M;
        b->lo = p->as.mlcp.lo;
        b->hi = p->as.mlcp.hi;
        break;
    case PERP_SPARSE_MLCP:
        b->dense = false;
        b->q = p->as.sparse_mlcp.q;
        b->start = p->as.sparse_mlcp.M.start;
        b->index = p->as.sparse_mlcp.M.index;
        b->J0 = p->as.sparse_mlcp.M.value;
        b->lo = p->as.sparse_mlcp.lo;
        b->hi = p->as.sparse_mlcp.hi;
        break;
    default:
        b->linear = false;
        b->dense = p->as.ncp.start == NULL;
        b->start = p->as.ncp.start;
        b->index = p->as.ncp.index;
        b->lo = p->as.ncp.lo;
        b->hi = p->as.ncp.hi;
    }
}

bool pp_box_make(pp_box *b, const perp_problem *p, const perp_call *call) {
    *b = (pp_box){.n = perp_problem_size(p), .p = p, .zs = p->z_scale, .ws = p->w_scale};
    int n = b->n;
    take_parts(b, p);
    b->nnz = b->dense ? n * n : n > 0 ? b->start[n] : 0;
    if (!b->lo && !(b->lo = constant(call, n, 0))) return false;
    if (!b->hi && !(b->hi = constant(call, n, INFINITY))) return false;
    if (!b->zs && !(b->zs = constant(call, n, 1))) return false;
    if (!b->ws && !(b->ws = constant(call, n, 1))) return false;
    if (!(b->scratch = PP_CALL_ARRAY(call, double, 4 * n + 1))) return false;
    if (!b->linear && !b->dense && !p->as.ncp.J) return colour(b, call);
    return true;
}

static bool finite_all(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

bool pp_box_F(const pp_box *b, const double *z, double *w) {
    if (!b->linear) return b->p->as.ncp.F(z, w, b->p->as.ncp.ctx) && finite_all(b->n, w);
    pp_box_mul(b, b->J0, z, w);
    for (int i = 0; i < b->n; i++) w[i] += b->q[i];
    return finite_all(b->n, w);
}

/* F at z with the columns of one colour (dense: the one column) moved by h_j to the given side; step[j]: as it came
 * out after rounding. */
static bool moved(const pp_box *b, const double *z, int c, double side, double *x, double *w) {
    const int *of = b->dense ? NULL : colours(b);
    memcpy(x, z, sizeof *x * (size_t)b->n);
    for (int j = of ? 0 : c; j < (of ? b->n : c + 1); j++) {
        if (of && of[j] != c) continue;
        double h = sqrt(DBL_EPSILON) * fmax(fabs(z[j]), b->zs[j]);
        if (side > 0 ? z[j] + h > b->hi[j] && z[j] - h >= b->lo[j] : !(z[j] + h > b->hi[j] && z[j] - h >= b->lo[j]))
            h = -h;
        x[j] = z[j] + h;
    }
    return pp_box_F(b, x, w);
}

static bool differences(const pp_box *b, const double *z, double *value) {
    int n = b->n, count = b->dense ? n : colours(b)[n];
    double *x = b->scratch, *w0 = x + n, *w = w0 + n;
    if (!pp_box_F(b, z, w0)) return false;
    for (int c = 0; c < count; c++) {
        if (!moved(b, z, c, 1, x, w) && !moved(b, z, c, -1, x, w)) return false;
        if (b->dense) {
            double h = x[c] - z[c];
            for (int i = 0; i < n; i++) value[(ptrdiff_t)n * c + i] = (w[i] - w0[i]) / h;
            continue;
        }
        for (int j = 0; j < n; j++)
            for (int k = b->start[j]; colours(b)[j] == c && k < b->start[j + 1]; k++)
                value[k] = (w[b->index[k]] - w0[b->index[k]]) / (x[j] - z[j]);
    }
    return true;
}

bool pp_box_J(const pp_box *b, const double *z, double *value) {
    if (b->linear) {
        memcpy(value, b->J0, sizeof *value * (size_t)b->nnz);
        return true; /* the problem was checked to be finite */
    }
    const perp_ncp *p = &b->p->as.ncp;
    return (p->J ? p->J(z, value, p->ctx) : differences(b, z, value)) && finite_all(b->nnz, value);
}

void pp_box_mul(const pp_box *b, const double *value, const double *x, double *y) {
    int n = b->n, j = 0;
    memset(y, 0, sizeof *y * (size_t)n);
    if (b->dense) {
        for (; j + 4 <= n; j += 4) pp_axpy4(n, x + j, value + (ptrdiff_t)n * j, n, y);
        for (; j < n; j++) pp_axpy(n, x[j], value + (ptrdiff_t)n * j, y);
        return;
    }
    for (; j < n; j++)
        for (int k = b->start[j]; k < b->start[j + 1]; k++) y[b->index[k]] += value[k] * x[j];
}

void pp_box_mul_transposed(const pp_box *b, const double *value, const double *x, double *y) {
    int n = b->n;
    for (int j = 0; j < n; j++) {
        if (b->dense) {
            y[j] = pp_dot(n, value + (ptrdiff_t)n * j, x);
            continue;
        }
        double sum = 0;
        for (int k = b->start[j]; k < b->start[j + 1]; k++) sum += value[k] * x[b->index[k]];
        y[j] = sum;
    }
}

void pp_box_clip(const pp_box *b, double *z) {
    for (int i = 0; i < b->n; i++) z[i] = z[i] < b->lo[i] ? b->lo[i] : z[i] > b->hi[i] ? b->hi[i] : z[i];
}

void pp_box_units(const pp_box *b, double size, const double *J, double *zu, double *wu) {
    double entry = 0;
    for (int k = 0; k < b->nnz; k++) entry = fmax(entry, fabs(J[k]));
    if (b->p->z_scale || b->p->w_scale || !(entry > 0)) entry = 1;
    for (int i = 0; i < b->n; i++) {
        zu[i] = b->zs[i] * (size / entry);
        wu[i] = b->ws[i] * size;
    }
}

double pp_box_natural(const pp_box *b, const double *z, const double *w) {
    double most = 0;
    for (int i = 0; i < b->n; i++) {
        double x = z[i] / b->zs[i], y = w[i] / b->ws[i];
        if (!isfinite(x) || !isfinite(y)) return INFINITY;
        double below = x - b->lo[i] / b->zs[i], above = x - b->hi[i] / b->zs[i];
        double r = fabs(y < above ? above : y > below ? below : y);
        if (r > most) most = r;
    }
    return most;
}
