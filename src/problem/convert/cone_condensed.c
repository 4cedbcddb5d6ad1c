/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_condensed.c - eliminates the bilateral rows of the cone problem of a step, and those that act like bilateral ones
 * Problem  rows e (bilateral, with or without compliance) and r (all others) with W = J Minv J' + compliance:
 *            u_r = W_rr p_r + W_re p_e + w_r,   0 = W_er p_r + W_ee p_e + w_e
 * Method   W_ee = L L', Y = L^-1 W_er, y = L^-1 w_e;  S = W_rr - Y'Y, q = w_r - Y'y. W is summed body by body. Rows of the last
 *          bodies come first. Bodies of a tree are listed from its root, so its leaves are eliminated first. Successive rows on the same
 *          bodies, those of a joint, are a group. L has numbers only in blocks of groups that share a body, and in those that elimination
 *          fills: in a tree only between joints of one body. Other blocks are left out. On the way back
 *          p_e = -L'^-1 (y + Y p_r), and once more from what is left over in the rows themselves. So digits that S lost do not open joints.
 *          The factor and S do not depend on right-hand sides. Rounds of a step pose the same matrices again; they are compared number by number,
 *          and only y and q are computed anew.
 *          A bounded row whose impulse was between its bounds counts among the rows e, one whose bound is 0 and that had no impulse is
 *          left out. If the answer denies it, the row is kept, and the problem is condensed anew.
 * Valid    No pivot of W_ee, and no diagonal of S, is small beside W_ii. Otherwise the rows e depend on each other, or hold a row r by
 *          themselves, and the problem must be solved as it is.
 * Cost     sum over bodies of (rows on it)^2 * 6; for each number in a block of L, the numbers that its row and its column share; for
 *          each kept row, the blocks on its way to the root.
 * Source   George, Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), ch. 5. */
#include "problem/convert/cone_condensed.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "linalg/kernel.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Least number of eliminated rows for each kept row: otherwise the dense matrix of the kept rows costs more than the sparse one of all. */
#define WORTH 2
/* [rows] Least number of eliminated rows. A smaller problem is solved as fast with all its rows. */
#define LEAST_ROWS 24
/* [1] A pivot below this fraction of W_ii has lost digits. */
#define LEAST_PIVOT 1e-8

/* Is z between the bounds, and not only by rounding? */
static bool within(double z, double lo, double hi) {
    return (!isfinite(lo) || z - lo > PP_ROUNDING * fabs(lo)) && (!isfinite(hi) || hi - z > PP_ROUNDING * fabs(hi));
}

void pp_cone_condensed_choose(const pp_step_cone *cone, const double *z, pp_row_use *use) {
    const perp_cone *k = &cone->problem.as.cone;
    for (int i = 0; i < cone->n; i++) {
        use[i] = PP_ROW_KEPT;
        if (i >= cone->step->njoint) continue; /* contacts */
        if (within(z[i], k->lo[i], k->hi[i]))
            use[i] = PP_ROW_FREE;
        else if (z[i] == 0 && (!isfinite(k->lo[i]) || !isfinite(k->hi[i])))
            use[i] = PP_ROW_OPEN;
    }
}

bool pp_cone_condensed_pays(const pp_step_cone *cone, const pp_row_use *use) {
    int ne = 0, kept = 0;
    for (int i = 0; i < cone->n; i++) {
        ne += use[i] == PP_ROW_FREE;
        kept += use[i] == PP_ROW_KEPT;
    }
    return ne >= LEAST_ROWS && ne >= WORTH * kept;
}

/* A row's part on a block: J and Minv J'. */
typedef struct side {
    int row; /* place: eliminated rows first, in their order, then the kept ones */
    const double *J;
    double MJ[6];
} side;

typedef struct maker {
    const perp_step_problem *p;
    const perp_cone *k;
    const pp_row_use *use;
    int *place; /* by row; -1: left out */
    int *last;  /* by row: its last dof */
    int *start; /* nblock + 2: sides of each block */
    side *sides;
    int *group;     /* by place: of an eliminated row its group, of a kept row a number after those */
    bool *linked;   /* by group, and kept rows after them: of these groups the rows have numbers in L and Y */
    int *column;    /* by group, of these groups: where their columns begin in its rows of L */
    int all, m, ne; /* rows: all, those that are not left out, those that are eliminated */
} maker;

/* Eliminated rows in their order: from the last body of a row on, as bodies of a tree are listed from its root. Rows of one body, which are
 * few, stay in theirs. */
static void order(const maker *t, int *eliminated) {
    const perp_sparse *H = &t->k->H;
    int n = 0;
    for (int i = 0; i < t->all; i++) {
        if (t->use[i] != PP_ROW_FREE) continue;
        int last = t->last[i] = H->start[i + 1] > H->start[i] ? H->index[H->start[i + 1] - 1] : -1, at = n++;
        for (; at > 0 && t->last[eliminated[at - 1]] < last; at--) eliminated[at] = eliminated[at - 1];
        eliminated[at] = i;
    }
}

/* Numbers the rows, and finds the sides of each block. Column j of H lists the dofs of whole blocks. */
static bool find_sides(maker *t, pp_cone_condensed *c, pp_arena *a) {
    const perp_sparse *H = &t->k->H;
    int *block_at = PP_ARENA_ARRAY(a, int, t->p->ndof), kept = 0;
    t->place = PP_ARENA_ARRAY(a, int, t->all);
    t->last = PP_ARENA_ARRAY(a, int, t->all);
    t->start = PP_ARENA_ZERO(a, int, t->p->nblock + 2);
    t->sides = PP_ARENA_ARRAY(a, side, H->start[t->all]);
    if (!block_at || !t->place || !t->last || !t->start || !t->sides) return false;
    for (int i = 0; i < t->p->ndof; i++) block_at[i] = -1;
    for (int b = 0; b < t->p->nblock; b++) block_at[t->p->block_offset[b]] = b;
    order(t, c->eliminated);
    for (int e = 0; e < t->ne; e++) t->place[c->eliminated[e]] = e;
    for (int i = 0; i < t->all; i++) {
        if (t->use[i] == PP_ROW_OPEN) t->place[i] = -1;
        if (t->use[i] == PP_ROW_KEPT) c->kept[kept] = i, t->place[i] = t->ne + kept++;
    }
    for (int pass = 0; pass < 2; pass++) { /* count, then place */
        for (int i = 0; i < t->all; i++)
            for (int s = H->start[i]; s < H->start[i + 1]; s++) {
                int b = block_at[H->index[s]];
                if (b < 0 || t->place[i] < 0) continue;
                if (!pass) {
                    t->start[b + 2]++;
                    continue;
                }
                side *to = &t->sides[t->start[b + 1]++];
                to->row = t->place[i];
                to->J = H->value + s;
                pp_block_times(t->p->block_ndof[b], t->p->Minv + 36 * (ptrdiff_t)b, to->J, to->MJ);
            }
        for (int b = 0; !pass && b < t->p->nblock; b++) t->start[b + 2] += t->start[b + 1];
    }
    return true;
}

/* nu: velocity without impulses. w: the same along a row, with b. */
static void move_free(const perp_step_problem *p, double *nu) {
    for (int b = 0; b < p->nblock; b++)
        pp_block_times(p->block_ndof[b], p->Minv + 36 * (ptrdiff_t)b, p->momentum + p->block_offset[b],
                       nu + p->block_offset[b]);
}

static double free_row(const perp_cone *k, const double *nu, int row) {
    double w = k->b[row];
    for (int s = k->H.start[row]; s < k->H.start[row + 1]; s++) w += k->H.value[s] * nu[k->H.index[s]];
    return w;
}

/* ---- groups ---- */

static bool same_bodies(const perp_sparse *H, int i, int j) {
    int n = H->start[i + 1] - H->start[i];
    return n == H->start[j + 1] - H->start[j] &&
           memcmp(H->index + H->start[i], H->index + H->start[j], (size_t)n * sizeof *H->index) == 0;
}

/* Groups of eliminated rows. */
static void find_groups(const maker *t, pp_cone_condensed *c) {
    pp_cone_groups *g = &c->groups;
    g->n = 0;
    for (int e = 0; e < c->ne; e++) {
        if (e == 0 || !same_bodies(&t->k->H, c->eliminated[e - 1], c->eliminated[e])) g->begin[g->n++] = e;
        t->group[e] = g->n - 1;
    }
    g->begin[g->n] = c->ne;
    for (int i = 0; i < c->n; i++) t->group[c->ne + i] = g->n + i;
}

/* Row `of` of the table of linked groups: those before it, with blocks in L or Y. */
static bool *links_of(const maker *t, const pp_cone_groups *g, int of) { return t->linked + (ptrdiff_t)g->n * of; }

/* Groups that share a body, and those that elimination links. all: groups and kept rows */
static void find_links(const maker *t, const pp_cone_groups *g, int all) {
    for (int b = 0; b < t->p->nblock; b++)
        for (int i = t->start[b], before = -1; i < t->start[b + 1]; i++) {
            int x = t->group[t->sides[i].row];
            if (x == before) continue; /* rows of a group follow each other */
            before = x;
            for (int j = t->start[b]; j < i; j++) {
                int y = t->group[t->sides[j].row], low = x < y ? x : y;
                if (low < g->n && x != y) links_of(t, g, x < y ? y : x)[low] = true;
            }
        }
    for (int r = 0; r < all; r++) {
        bool *own = links_of(t, g, r);
        int end = r < g->n ? r : g->n;
        for (int j = 0; j < end; j++)
            for (int k = j + 1; own[j] && k < end; k++) own[k] = own[k] || links_of(t, g, k)[j];
    }
}

static int size_of(const pp_cone_groups *g, int r) { return g->begin[r + 1] - g->begin[r]; }

/* Spans of the columns in which rows of a group have numbers, its own at last; neighbours are joined. Where the rows of L begin, and how long
 * they are. */
static void find_spans(const maker *t, pp_cone_groups *g) {
    int n = 0;
    ptrdiff_t at = 0;
    for (int r = 0; r < g->n; r++) {
        int width = 0;
        g->first[r] = n;
        for (int k = 0; k <= r; k++) {
            if (k < r && !links_of(t, g, r)[k]) continue;
            t->column[(ptrdiff_t)g->n * r + k] = width;
            width += size_of(g, k);
            if (n > g->first[r] && g->span[n - 1].end == g->begin[k])
                g->span[n - 1].end = g->begin[k + 1];
            else
                g->span[n++] = (pp_cone_span){g->begin[k], g->begin[k + 1]};
        }
        g->width[r] = width;
        g->at[r] = at;
        at += (ptrdiff_t)width * size_of(g, r);
    }
    g->first[g->n] = n;
    g->at[g->n] = at;
}

static bool make_groups(maker *t, pp_cone_condensed *c, pp_arena *a) {
    pp_cone_groups *g = &c->groups;
    t->group = PP_ARENA_ARRAY(a, int, t->m);
    g->begin = PP_ARENA_ARRAY(a, int, t->ne + 1);
    if (!t->group || !g->begin) return false;
    find_groups(t, c);
    int n = g->n, all = n + c->n, most = n;
    t->linked = PP_ARENA_ZERO(a, bool, (ptrdiff_t)all *n);
    t->column = PP_ARENA_ARRAY(a, int, (ptrdiff_t)n *n);
    if (!t->linked || !t->column) return false;
    find_links(t, g, all);
    for (int i = 0; i < n * n; i++) most += t->linked[i];
    g->first = PP_ARENA_ARRAY(a, int, n + 1);
    g->width = PP_ARENA_ARRAY(a, int, n);
    g->at = PP_ARENA_ARRAY(a, ptrdiff_t, n + 1);
    g->span = PP_ARENA_ARRAY(a, pp_cone_span, most);
    if (!g->first || !g->width || !g->at || !g->span) return false;
    find_spans(t, g);
    c->L = PP_ARENA_ZERO(a, double, g->at[n]);
    return c->L != NULL;
}

/* ---- W and L ---- */

/* Row i of L, which is of group r. */
static double *row_of(const pp_cone_condensed *c, int r, int i) {
    const pp_cone_groups *g = &c->groups;
    return c->L + g->at[r] + (ptrdiff_t)g->width[r] * (i - g->begin[r]);
}

/* Where a number of W is summed: in L, in Y (n x ne, by kept rows), or in S. The row is not before the column. */
static double *place_in(const maker *t, const pp_cone_condensed *c, int row, int column, double *Y, double *S) {
    int r = t->group[row], q = t->group[column];
    ptrdiff_t ne = c->ne, n = c->n;
    if (column >= c->ne) return &S[row - ne + n * (column - ne)];
    if (row >= c->ne) return &Y[ne * (row - ne) + column];
    return row_of(c, r, row) + t->column[(ptrdiff_t)c->groups.n * r + q] + (column - c->groups.begin[q]);
}

/* W, its lower half. Y, S: zeros */
static void delassus(const maker *t, const pp_cone_condensed *c, double *Y, double *S) {
    const perp_step_problem *p = t->p;
    for (int b = 0; b < p->nblock; b++) {
        int nd = p->block_ndof[b];
        for (int i = t->start[b]; i < t->start[b + 1]; i++) {
            const side *s = &t->sides[i];
            for (int j = t->start[b]; j <= i; j++) {
                const side *o = &t->sides[j];
                double *to =
                    s->row > o->row ? place_in(t, c, s->row, o->row, Y, S) : place_in(t, c, o->row, s->row, Y, S);
                *to = nd == 6 ? pp_row_add_dot(6, s->J, o->MJ, *to) : pp_row_add_dot(nd, s->J, o->MJ, *to);
            }
        }
    }
    for (int i = 0; t->k->compliance && i < t->all; i++)
        if (t->place[i] >= 0) *place_in(t, c, t->place[i], t->place[i], Y, S) += t->k->compliance[i];
}

/* x = L^-1 x in place. links: groups in which the result has numbers; NULL: all. */
static void forward(const pp_cone_condensed *c, const bool *links, double *x) {
    const pp_cone_groups *g = &c->groups;
    for (int r = 0; r < g->n; r++) {
        if (links && !links[r]) continue;
        for (int i = g->begin[r]; i < g->begin[r + 1]; i++) {
            const double *row = row_of(c, r, i);
            double left = x[i];
            for (int s = g->first[r]; s < g->first[r + 1]; s++) {
                const pp_cone_span *at = &g->span[s];
                int n = (i < at->end ? i : at->end) - at->begin; /* up to the diagonal */
                left -= pp_dot(n, row, x + at->begin);
                row += n;
            }
            x[i] = left / *row;
        }
    }
}

/* x = L'^-1 x in place. */
static void backward(const pp_cone_condensed *c, double *x) {
    const pp_cone_groups *g = &c->groups;
    for (int r = g->n - 1; r >= 0; r--)
        for (int i = g->begin[r + 1] - 1; i >= g->begin[r]; i--) {
            const double *row = row_of(c, r, i);
            x[i] /= row[g->width[r] - g->begin[r + 1] + i];
            for (int s = g->first[r]; s < g->first[r + 1]; s++) {
                const pp_cone_span *at = &g->span[s];
                int n = (i < at->end ? i : at->end) - at->begin;
                pp_axpy(n, -x[i], row, x + at->begin);
                row += n;
            }
        }
}

/* The block of L of the groups r and q <= r, in place of that of W. False: a pivot is small. */
static bool factor_block(const maker *t, pp_cone_condensed *c, int r, int q) {
    const pp_cone_groups *g = &c->groups;
    const bool *of_r = links_of(t, g, r), *of_q = links_of(t, g, q);
    const int *in_r = t->column + (ptrdiff_t)g->n * r, *in_q = t->column + (ptrdiff_t)g->n * q;
    for (int k = 0; k < q; k++) {
        if (!of_r[k] || !of_q[k]) continue;
        for (int i = g->begin[r]; i < g->begin[r + 1]; i++)
            for (int j = g->begin[q]; j < g->begin[q + 1] && j <= i; j++)
                row_of(c, r, i)[in_r[q] + j - g->begin[q]] -=
                    pp_dot(size_of(g, k), row_of(c, r, i) + in_r[k], row_of(c, q, j) + in_q[k]);
    }
    for (int i = g->begin[r]; i < g->begin[r + 1]; i++) {
        double *x = row_of(c, r, i) + in_r[q];
        for (int j = 0; j < size_of(g, q) && g->begin[q] + j <= i; j++) {
            const double *y = row_of(c, q, g->begin[q] + j) + in_q[q];
            double left = x[j] - pp_dot(j, x, y);
            bool diagonal = g->begin[q] + j == i;
            if (diagonal && !(left > LEAST_PIVOT * c->x[i])) return false;
            x[j] = diagonal ? sqrt(left) : left / y[j];
        }
    }
    return true;
}

/* L in place of the W of the eliminated rows. */
static bool factor(const maker *t, pp_cone_condensed *c) {
    const pp_cone_groups *g = &c->groups;
    for (int r = 0; r < g->n; r++)
        for (int i = g->begin[r]; i < g->begin[r + 1]; i++) /* its diagonal, for the test of pivots */
            c->x[i] = row_of(c, r, i)[g->width[r] - g->begin[r + 1] + i];
    for (int r = 0; r < g->n; r++)
        for (int q = 0; q <= r; q++)
            if ((q == r || links_of(t, g, r)[q]) && !factor_block(t, c, r, q)) return false;
    return true;
}

/* Y in place of the W of kept and eliminated rows, S in place of the lower half of that of the kept rows. False: a row is held. */
static bool reduce(const maker *t, const pp_cone_condensed *c, double *Y, double *S) {
    const pp_cone_groups *g = &c->groups;
    ptrdiff_t ne = c->ne, n = c->n;
    for (int i = 0; i < n; i++) {
        const bool *links = links_of(t, g, g->n + i);
        double all = S[(n + 1) * i];
        forward(c, links, Y + ne * i);
        for (int r = 0; r < g->n; r++) {
            int at = g->begin[r], size = size_of(g, r);
            for (int j = 0; links[r] && j <= i; j++)
                if (links_of(t, g, g->n + j)[r]) S[i + n * j] -= pp_dot(size, Y + ne * i + at, Y + ne * j + at);
        }
        for (int j = 0; j < i; j++) S[j + n * i] = S[i + n * j];
        if (all > 0 && !(S[(n + 1) * i] > LEAST_PIVOT * all)) return false;
    }
    return true;
}

/* q of the kept rows. */
static void reduce_free(const pp_cone_condensed *c, const double *Y, double *q) {
    const perp_cone *k = &c->cone->problem.as.cone;
    double *y = c->y;
    move_free(c->cone->step, c->nu);
    for (int e = 0; e < c->ne; e++) y[e] = free_row(k, c->nu, c->eliminated[e]);
    forward(c, NULL, y);
    for (int i = 0; i < c->n; i++) q[i] = free_row(k, c->nu, c->kept[i]) - pp_dot(c->ne, Y + (ptrdiff_t)c->ne * i, y);
}

/* The condensed problem: rows and cones as they are, with all of S. */
static bool pose(pp_cone_condensed *c, const double *S, const double *q, pp_arena *a) {
    const perp_cone *k = &c->cone->problem.as.cone;
    int n = c->n, *start = PP_ARENA_ARRAY(a, int, n + 1), *index = PP_ARENA_ARRAY(a, int, n *n);
    double *lo = PP_ARENA_ARRAY(a, double, n), *hi = PP_ARENA_ARRAY(a, double, n);
    if (!start || !index || !lo || !hi) return false;
    for (int j = 0; j <= n; j++) start[j] = j * n;
    for (int i = 0; i < n * n; i++) index[i] = i % n;
    perp_cone to = *k;
    to.nrow -= c->cone->n - n;
    for (int i = 0; i < to.nrow; i++) {
        lo[i] = k->lo[c->kept[i]];
        hi[i] = k->hi[c->kept[i]];
    }
    to.lo = lo, to.hi = hi;
    to.global = false;
    to.W = (perp_sparse){n, n, start, index, S};
    to.q = q;
    to.M = to.H = (perp_sparse){0};
    to.f = to.b = to.compliance = NULL;
    c->problem = (perp_problem){.cls = PERP_CONE, .as.cone = to};
    return true;
}

/* ---- what is remembered ---- */

void pp_cone_memory_destroy(pp_cone_memory *m, const perp_allocator *a) {
    pp_free(a, m->bytes);
    *m = (pp_cone_memory){0};
}

static bool same(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* Is `m` of these matrices? */
static bool remembers(const pp_cone_memory *m, const pp_step_cone *cone, const pp_row_use *use) {
    const perp_cone *k = &cone->problem.as.cone;
    size_t all = (size_t)cone->n, nnz = (size_t)k->H.start[cone->n];
    if (cone->n == 0 || m->all != cone->n || m->nnz != k->H.start[cone->n] || m->nblock != cone->step->nblock ||
        m->compliant != (k->compliance != NULL) || !same(m->use, use, all * sizeof *use) ||
        !same(m->start, k->H.start, (all + 1) * sizeof *m->start) ||
        !same(m->index, k->H.index, nnz * sizeof *m->index) || !same(m->H, k->H.value, nnz * sizeof *m->H) ||
        (m->compliant && !same(m->compliance, k->compliance, all * sizeof *m->compliance)))
        return false;
    return same(m->Minv, cone->step->Minv, 36 * (size_t)m->nblock * sizeof *m->Minv);
}

static bool held(const maker *t, pp_cone_condensed *c, double *Y, double *S) {
    delassus(t, c, Y, S);
    return !factor(t, c) || !reduce(t, c, Y, S);
}

/* A copy of `size` bytes in the memory; bytes NULL: they are only counted. */
static void *copy_to(char *bytes, size_t *used, const void *from, size_t size) {
    void *at = bytes ? memcpy(bytes + *used, from, size) : NULL;
    *used += (size + 15) / 16 * 16;
    return at;
}

/* Copies matrices and results. Returns the number of bytes. */
static size_t copy_all(pp_cone_memory *m, char *bytes, const pp_step_cone *cone, const pp_cone_condensed *c) {
    const perp_cone *k = &cone->problem.as.cone;
    const pp_cone_groups *g = &c->groups;
    size_t all = (size_t)m->all, nnz = (size_t)m->nnz, ne = (size_t)m->ne, n = (size_t)m->n, used = 0;
    m->H = copy_to(bytes, &used, k->H.value, nnz * sizeof(double));
    m->Minv = copy_to(bytes, &used, cone->step->Minv, 36 * (size_t)m->nblock * sizeof(double));
    if (k->compliance) m->compliance = copy_to(bytes, &used, k->compliance, all * sizeof(double));
    m->use = copy_to(bytes, &used, c->use, all * sizeof(pp_row_use));
    m->start = copy_to(bytes, &used, k->H.start, (all + 1) * sizeof(int));
    m->index = copy_to(bytes, &used, k->H.index, nnz * sizeof(int));
    m->L = copy_to(bytes, &used, c->L, (size_t)g->at[g->n] * sizeof(double));
    m->Y = copy_to(bytes, &used, m->Y, n * ne * sizeof(double));
    m->S = copy_to(bytes, &used, m->S, n * n * sizeof(double));
    m->eliminated = copy_to(bytes, &used, c->eliminated, ne * sizeof(int));
    m->kept = copy_to(bytes, &used, c->kept, n * sizeof(int));
    m->groups.begin = copy_to(bytes, &used, g->begin, (size_t)(g->n + 1) * sizeof(int));
    m->groups.first = copy_to(bytes, &used, g->first, (size_t)(g->n + 1) * sizeof(int));
    m->groups.width = copy_to(bytes, &used, g->width, (size_t)g->n * sizeof(int));
    m->groups.at = copy_to(bytes, &used, g->at, (size_t)(g->n + 1) * sizeof(ptrdiff_t));
    m->groups.span = copy_to(bytes, &used, g->span, (size_t)g->first[g->n] * sizeof(pp_cone_span));
    return used;
}

/* Remembers the matrices and the results. Without memory nothing is remembered. */
static void remember(pp_cone_memory *m, const pp_step_cone *cone, const pp_cone_condensed *c, double *Y, double *S,
                     const perp_allocator *a) {
    const perp_cone *k = &cone->problem.as.cone;
    pp_cone_memory now = {.all = cone->n,
                          .nnz = k->H.start[cone->n],
                          .nblock = cone->step->nblock,
                          .ne = c->ne,
                          .n = c->n,
                          .compliant = k->compliance != NULL,
                          .groups.n = c->groups.n};
    size_t need = copy_all(&now, NULL, cone, c);
    m->all = 0;
    if (need > INT_MAX / 2) return;
    int want = m->cap < (int)need ? 2 * (int)need : (int)need; /* contacts may come */
    if (!PP_GROW(a, m->bytes, m->cap, 0, want)) return;
    now.bytes = m->bytes;
    now.cap = m->cap;
    now.Y = Y;
    now.S = S;
    (void)copy_all(&now, now.bytes, cone, c);
    *m = now;
}

/* q and the condensed problem. */
static perp_status finish(pp_cone_condensed *c, const double *Y, const double *S, pp_arena *arena) {
    double *q = PP_ARENA_ARRAY(arena, double, c->n);
    if (!q) return PERP_E_MEMORY;
    c->Y = Y;
    reduce_free(c, Y, q);
    for (int i = 0; i < c->n; i++)
        if (!isfinite(q[i])) return PERP_E_SOLVE;
    return pose(c, S, q, arena) ? PERP_OK : PERP_E_MEMORY;
}

static bool scratch(pp_cone_condensed *c, pp_arena *arena) {
    c->nu = PP_ARENA_ARRAY(arena, double, c->cone->step->ndof);
    c->x = PP_ARENA_ARRAY(arena, double, c->ne);
    c->y = PP_ARENA_ARRAY(arena, double, c->ne);
    c->full = PP_ARENA_ZERO(arena, double, c->cone->n);
    return c->nu && c->x && c->y && c->full;
}

/* The same from the memory. */
static perp_status recall(const pp_step_cone *cone, pp_row_use *use, pp_arena *arena, const pp_cone_memory *m,
                          pp_cone_condensed *c) {
    *c = (pp_cone_condensed){.n = m->n,
                             .cone = cone,
                             .use = use,
                             .ne = m->ne,
                             .eliminated = m->eliminated,
                             .kept = m->kept,
                             .groups = m->groups,
                             .L = m->L};
    return scratch(c, arena) ? finish(c, m->Y, m->S, arena) : PERP_E_MEMORY;
}

perp_status pp_cone_condense(const pp_step_cone *cone, pp_row_use *use, pp_arena *arena, pp_cone_memory *memory,
                             pp_cone_condensed *c, bool *is_held) {
    *is_held = false;
    if (memory && remembers(memory, cone, use)) return recall(cone, use, arena, memory, c);
    maker t = {.p = cone->step, .k = &cone->problem.as.cone, .use = use, .all = cone->n};
    for (int i = 0; i < t.all; i++) {
        t.ne += use[i] == PP_ROW_FREE;
        t.m += use[i] != PP_ROW_OPEN;
    }
    ptrdiff_t ne = t.ne, n = t.m - ne;
    *c = (pp_cone_condensed){.n = (int)n,
                             .cone = cone,
                             .use = use,
                             .ne = t.ne,
                             .eliminated = PP_ARENA_ARRAY(arena, int, ne),
                             .kept = PP_ARENA_ARRAY(arena, int, n)};
    double *Y = PP_ARENA_ZERO(arena, double, n *ne), *S = PP_ARENA_ZERO(arena, double, n *n);
    if (!c->eliminated || !c->kept || !Y || !S || !scratch(c, arena) || !find_sides(&t, c, arena) ||
        !make_groups(&t, c, arena))
        return PERP_E_MEMORY;
    *is_held = held(&t, c, Y, S);
    if (*is_held) return PERP_OK;
    if (memory) remember(memory, cone, c, Y, S, &arena->alloc);
    return finish(c, Y, S, arena);
}

void pp_cone_condensed_gather(const pp_cone_condensed *c, const double *all, double *kept) {
    for (int i = 0; i < c->n; i++) kept[i] = all[c->kept[i]];
}

/* nu += Minv J' p of a row of the cone problem. */
static void spread(const pp_cone_condensed *c, int row, double p) {
    if (p == 0) return;
    const perp_sparse *H = &c->cone->problem.as.cone.H;
    for (int s = H->start[row]; s < H->start[row + 1]; s++) c->nu[H->index[s]] += H->value[s] * p;
}

/* nu: velocity of the impulses in `full`. */
static void move(const pp_cone_condensed *c) {
    const perp_step_problem *p = c->cone->step;
    memcpy(c->nu, p->momentum, sizeof *c->nu * (size_t)p->ndof);
    for (int i = 0; i < c->cone->n; i++) spread(c, i, c->full[i]);
    for (int b = 0; b < p->nblock; b++) {
        double *v = c->nu + p->block_offset[b];
        pp_block_times(p->block_ndof[b], p->Minv + 36 * (ptrdiff_t)b, v, v);
    }
}

const double *pp_cone_condensed_expand(const pp_cone_condensed *c, const double *kept) {
    const perp_step_problem *p = c->cone->step;
    for (int i = 0; i < c->n; i++) c->full[c->kept[i]] = kept[i];
    for (int e = 0; e < c->ne; e++) c->x[e] = -c->y[e];
    for (int i = 0; i < c->n; i++)
        if (kept[i] != 0) pp_axpy(c->ne, -kept[i], c->Y + (ptrdiff_t)c->ne * i, c->x);
    backward(c, c->x);
    for (int e = 0; e < c->ne; e++) c->full[c->eliminated[e]] = c->x[e];
    move(c);
    for (int e = 0; e < c->ne; e++) { /* the first rows of the cone problem are the joint rows */
        const perp_joint_row *r = &p->joint[c->eliminated[e]];
        c->x[e] = -(pp_row_dot(p, &r->row, c->nu) + r->b + r->compliance * c->full[c->eliminated[e]]);
    }
    forward(c, NULL, c->x);
    backward(c, c->x);
    for (int e = 0; e < c->ne; e++) c->full[c->eliminated[e]] += c->x[e];
    return c->full;
}

bool pp_cone_condensed_holds(pp_cone_condensed *c) {
    const perp_step_problem *p = c->cone->step;
    move(c);
    for (int j = 0; j < p->njoint; j++) {
        const perp_joint_row *r = &p->joint[j];
        double u = c->use[j] == PP_ROW_OPEN ? pp_row_dot(p, &r->row, c->nu) + r->b : 0;
        bool right = c->use[j] == PP_ROW_KEPT ||
                     (c->use[j] == PP_ROW_FREE && c->full[j] >= r->lo && c->full[j] <= r->hi) ||
                     (c->use[j] == PP_ROW_OPEN && (r->lo == 0 ? u >= 0 : u <= 0));
        if (right) continue;
        c->use[j] = PP_ROW_KEPT;
        c->wrong = true;
    }
    return !c->wrong;
}
