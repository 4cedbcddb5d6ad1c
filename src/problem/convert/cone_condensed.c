/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_condensed.c - eliminates the bilateral rows of the cone problem of a step, and those that act like bilateral ones
 * Problem  rows e (bilateral, with or without compliance) and r (all others) with W = J Minv J' + compliance:
 *            u_r = W_rr p_r + W_re p_e + w_r,   0 = W_er p_r + W_ee p_e + w_e
 * Method   W_ee = L L', Y = L^-1 W_er, y = L^-1 w_e;  S = W_rr - Y'Y, q = w_r - Y'y. W is summed body by body. Rows of the last
 *          bodies come first. Bodies of a tree are listed from its root, so its leaves are eliminated first. L has numbers only
 *          between the first number of a row of W_ee and the diagonal (envelope), few more than W_ee has in a tree. On the way back
 *          p_e is computed from the rows themselves, and once more from what is left over. So digits that S lost do not open joints.
 *          The factor and S do not depend on right-hand sides. Rounds of a step pose the same matrices again; they are compared number by number,
 *          and only y and q are computed anew.
 *          A bounded row whose impulse was between its bounds counts among the rows e, one whose bound is 0 and that had no impulse is
 *          left out. If the answer denies it, the row is kept, and the problem is condensed anew.
 * Valid    No pivot of W_ee, and no diagonal of S, is small beside W_ii. Otherwise the rows e depend on each other, or hold a row r by
 *          themselves, and the problem must be solved as it is.
 * Cost     sum over bodies of (rows on it)^2 * 6, the envelope of L times its mean width, and nr times the envelope.
 * Source   George, Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), ch. 4. */
#include "problem/convert/cone_condensed.h"

#include <limits.h>
#include <math.h>
#include <string.h>

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

void pp_cone_condensed_choose(const pp_step_cone *cone, const double *z, pp_row_use *use) {
    const perp_cone *k = &cone->problem.as.cone;
    for (int i = 0; i < cone->n; i++) {
        use[i] = PP_ROW_KEPT;
        if (i >= cone->step->njoint) continue; /* contacts */
        if (z[i] > k->lo[i] && z[i] < k->hi[i])
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
    int *from;  /* by kept row: its first number in Y */
    side *sides;
    double *W;      /* by places: m x m, the lower half */
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

/* W */
static void delassus(maker *t) {
    const perp_step_problem *p = t->p;
    ptrdiff_t m = t->m;
    for (int b = 0; b < p->nblock; b++) {
        int nd = p->block_ndof[b];
        for (int i = t->start[b]; i < t->start[b + 1]; i++) {
            const side *s = &t->sides[i];
            for (int j = t->start[b]; j <= i; j++) {
                const side *o = &t->sides[j];
                double *to = s->row > o->row ? &t->W[m * s->row + o->row] : &t->W[m * o->row + s->row];
                *to = nd == 6 ? pp_row_add_dot(6, s->J, o->MJ, *to) : pp_row_add_dot(nd, s->J, o->MJ, *to);
            }
        }
    }
    for (int i = 0; t->k->compliance && i < t->all; i++)
        if (t->place[i] >= 0) t->W[(m + 1) * t->place[i]] += t->k->compliance[i];
}

/* x = L^-1 x in place, from column `from` on; numbers before it are zero. */
static void forward(const pp_cone_condensed *c, int from, double *x) {
    ptrdiff_t ne = c->ne;
    for (int i = from; i < c->ne; i++) {
        int at = c->first[i] > from ? c->first[i] : from;
        if (at < i) x[i] -= pp_dot(i - at, c->L + ne * i + at, x + at);
        x[i] /= c->L[(ne + 1) * i];
    }
}

/* x = L'^-1 x in place. */
static void backward(const pp_cone_condensed *c, double *x) {
    ptrdiff_t ne = c->ne;
    for (int i = c->ne - 1; i >= 0; i--) {
        x[i] /= c->L[(ne + 1) * i];
        int at = c->first[i];
        pp_axpy(i - at, -x[i], c->L + ne * i + at, x + at);
    }
}

static int first_number(const double *row, int n) {
    int i = 0;
    while (i < n && row[i] == 0) i++;
    return i;
}

/* L of the first ne rows of W. False: a pivot is small. */
static bool factor(const maker *t, pp_cone_condensed *c) {
    ptrdiff_t ne = t->ne, m = t->m;
    for (int i = 0; i < ne; i++) {
        double *row = c->L + ne * i, all = t->W[(m + 1) * i];
        memcpy(row, t->W + m * i, sizeof *row * (size_t)(i + 1));
        int at = c->first[i] = first_number(row, i);
        for (int j = at; j < i; j++) {
            int from = c->first[j] > at ? c->first[j] : at;
            if (from < j) row[j] -= pp_dot(j - from, row + from, c->L + ne * j + from);
            row[j] /= c->L[(ne + 1) * j];
        }
        double pivot = all - (at < i ? pp_dot(i - at, row + at, row + at) : 0);
        if (!(pivot > LEAST_PIVOT * all)) return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

/* S of the kept rows; rows of W beyond the first ne are overwritten by those of Y'. False: a row is held. */
static bool reduce(const maker *t, const pp_cone_condensed *c, double *S) {
    ptrdiff_t ne = t->ne, m = t->m, n = c->n;
    for (int i = 0; i < n; i++) {
        double *Y = t->W + m * (ne + i), all = Y[ne + i];
        int from = t->from[i] = first_number(Y, t->ne);
        forward(c, from, Y);
        for (int j = 0; j <= i; j++)
            S[i + n * j] = S[j + n * i] = Y[ne + j] - pp_dot((int)ne - from, Y + from, t->W + m * (ne + j) + from);
        if (all > 0 && !(S[(n + 1) * i] > LEAST_PIVOT * all)) return false;
    }
    return true;
}

/* q of the kept rows. Y: their rows, ld apart; from: first number of each. */
static void reduce_free(const pp_cone_condensed *c, const double *Y, ptrdiff_t ld, const int *from, double *q) {
    const perp_cone *k = &c->cone->problem.as.cone;
    double *y = c->x;
    move_free(c->cone->step, c->nu);
    for (int e = 0; e < c->ne; e++) y[e] = free_row(k, c->nu, c->eliminated[e]);
    forward(c, 0, y);
    for (int i = 0; i < c->n; i++)
        q[i] = free_row(k, c->nu, c->kept[i]) - pp_dot(c->ne - from[i], Y + ld * i + from[i], y + from[i]);
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
        !same(m->start, k->H.start, (all + 1) * sizeof *m->start) || !same(m->index, k->H.index, nnz * sizeof *m->index) ||
        !same(m->H, k->H.value, nnz * sizeof *m->H) ||
        (m->compliant && !same(m->compliance, k->compliance, all * sizeof *m->compliance)))
        return false;
    return same(m->Minv, cone->step->Minv, 36 * (size_t)m->nblock * sizeof *m->Minv);
}

/* The next `size` bytes of the memory; bytes NULL: they are only counted. */
static void *part_of(char *bytes, size_t *used, size_t size) {
    void *at = bytes ? bytes + *used : NULL;
    *used += (size + 15) / 16 * 16;
    return at;
}

/* Divides the bytes of the memory for these sizes. Returns their number. */
static size_t divide(pp_cone_memory *m, char *bytes) {
    size_t all = (size_t)m->all, nnz = (size_t)m->nnz, ne = (size_t)m->ne, n = (size_t)m->n, used = 0;
    m->H = part_of(bytes, &used, nnz * sizeof(double));
    m->Minv = part_of(bytes, &used, 36 * (size_t)m->nblock * sizeof(double));
    m->compliance = part_of(bytes, &used, all * sizeof(double));
    m->L = part_of(bytes, &used, ne * ne * sizeof(double));
    m->Y = part_of(bytes, &used, n * ne * sizeof(double));
    m->S = part_of(bytes, &used, n * n * sizeof(double));
    m->use = part_of(bytes, &used, all * sizeof(pp_row_use));
    m->start = part_of(bytes, &used, (all + 1) * sizeof(int));
    m->index = part_of(bytes, &used, nnz * sizeof(int));
    m->eliminated = part_of(bytes, &used, ne * sizeof(int));
    m->kept = part_of(bytes, &used, n * sizeof(int));
    m->first = part_of(bytes, &used, ne * sizeof(int));
    m->from = part_of(bytes, &used, n * sizeof(int));
    return used;
}

/* Remembers the matrices and the results. Without memory nothing is remembered. */
static void remember(pp_cone_memory *m, const maker *t, const pp_cone_condensed *c, const double *S,
                     const perp_allocator *a) {
    const perp_cone *k = t->k;
    size_t all = (size_t)t->all, ne = (size_t)t->ne, n = (size_t)c->n, nnz = (size_t)k->H.start[t->all];
    pp_cone_memory now = {.all = t->all, .nnz = (int)nnz, .nblock = t->p->nblock, .ne = t->ne, .n = c->n};
    size_t need = divide(&now, NULL);
    m->all = 0;
    if (need > INT_MAX || !PP_GROW(a, m->bytes, m->cap, 0, (int)need)) return;
    now.bytes = m->bytes;
    now.cap = m->cap;
    now.compliant = k->compliance != NULL;
    (void)divide(&now, now.bytes);
    memcpy(now.H, k->H.value, nnz * sizeof *now.H);
    memcpy(now.start, k->H.start, (all + 1) * sizeof *now.start);
    memcpy(now.index, k->H.index, nnz * sizeof *now.index);
    memcpy(now.Minv, t->p->Minv, 36 * (size_t)t->p->nblock * sizeof *now.Minv);
    if (now.compliant) memcpy(now.compliance, k->compliance, all * sizeof *now.compliance);
    memcpy(now.use, t->use, all * sizeof *now.use);
    memcpy(now.L, c->L, ne * ne * sizeof *now.L);
    for (size_t i = 0; i < n; i++)
        memcpy(now.Y + ne * i, t->W + (size_t)t->m * (ne + i), ne * sizeof *now.Y);
    memcpy(now.S, S, n * n * sizeof *now.S);
    memcpy(now.eliminated, c->eliminated, ne * sizeof *now.eliminated);
    memcpy(now.kept, c->kept, n * sizeof *now.kept);
    memcpy(now.first, c->first, ne * sizeof *now.first);
    memcpy(now.from, t->from, n * sizeof *now.from);
    *m = now;
}

/* q and the condensed problem. */
static perp_status finish(pp_cone_condensed *c, const double *S, const double *Y, ptrdiff_t ld, const int *from,
                          pp_arena *arena) {
    double *q = PP_ARENA_ARRAY(arena, double, c->n);
    if (!q) return PERP_E_MEMORY;
    reduce_free(c, Y, ld, from, q);
    for (int i = 0; i < c->n; i++)
        if (!isfinite(q[i])) return PERP_E_SOLVE;
    return pose(c, S, q, arena) ? PERP_OK : PERP_E_MEMORY;
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
                             .first = m->first,
                             .L = m->L,
                             .nu = PP_ARENA_ARRAY(arena, double, cone->step->ndof),
                             .x = PP_ARENA_ARRAY(arena, double, m->ne),
                             .full = PP_ARENA_ZERO(arena, double, cone->n)};
    if (!c->nu || !c->x || !c->full) return PERP_E_MEMORY;
    return finish(c, m->S, m->Y, m->ne, m->from, arena);
}

perp_status pp_cone_condense(const pp_step_cone *cone, pp_row_use *use, pp_arena *arena, pp_cone_memory *memory,
                             pp_cone_condensed *c, bool *held) {
    *held = false;
    if (memory && remembers(memory, cone, use)) return recall(cone, use, arena, memory, c);
    maker t = {.p = cone->step, .k = &cone->problem.as.cone, .use = use, .all = cone->n};
    for (int i = 0; i < t.all; i++) {
        t.ne += use[i] == PP_ROW_FREE;
        t.m += use[i] != PP_ROW_OPEN;
    }
    ptrdiff_t ne = t.ne, m = t.m, n = m - ne;
    *c = (pp_cone_condensed){.n = (int)n,
                             .cone = cone,
                             .use = use,
                             .ne = t.ne,
                             .eliminated = PP_ARENA_ARRAY(arena, int, ne),
                             .kept = PP_ARENA_ARRAY(arena, int, n),
                             .first = PP_ARENA_ARRAY(arena, int, ne),
                             .L = PP_ARENA_ARRAY(arena, double, ne *ne),
                             .nu = PP_ARENA_ARRAY(arena, double, cone->step->ndof),
                             .x = PP_ARENA_ARRAY(arena, double, ne),
                             .full = PP_ARENA_ZERO(arena, double, t.all)};
    double *S = PP_ARENA_ARRAY(arena, double, n *n);
    t.W = PP_ARENA_ZERO(arena, double, m *m);
    t.from = PP_ARENA_ARRAY(arena, int, n);
    if (!c->eliminated || !c->kept || !c->first || !c->L || !c->nu || !c->x || !c->full || !S || !t.W || !t.from ||
        !find_sides(&t, c, arena))
        return PERP_E_MEMORY;
    delassus(&t);
    *held = !factor(&t, c) || !reduce(&t, c, S);
    if (*held) return PERP_OK;
    if (memory) remember(memory, &t, c, S, &arena->alloc);
    return finish(c, S, t.W + m * ne, m, t.from, arena);
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
    for (int e = 0; e < c->ne; e++) c->full[c->eliminated[e]] = 0;
    for (int pass = 0; pass < 2; pass++) {
        move(c);
        for (int e = 0; e < c->ne; e++) { /* the first rows of the cone problem are the joint rows */
            const perp_joint_row *r = &p->joint[c->eliminated[e]];
            c->x[e] = -(pp_row_dot(p, &r->row, c->nu) + r->b + r->compliance * c->full[c->eliminated[e]]);
        }
        forward(c, 0, c->x);
        backward(c, c->x);
        for (int e = 0; e < c->ne; e++) c->full[c->eliminated[e]] += c->x[e];
    }
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
