/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad_tree.c - the order of the boxes and what follows from it, see broad_tree.h
 * Method   boxes are sorted into classes of size, because a large box among small ones would make the blocks above it large.
 *          Each class is ordered by recursive bisection along the axis on which the centres spread most. Halves end at places
 *          divisible by the highest possible power of two, so that the blocks of all levels result from bisection. A far
 *          outlier costs one cut; in a grid it would cost resolution.
 * Cost     n log n for a new order, n for a refit, about log n for a query that finds little. */
#include "geometry/broad/broad_tree.h"

#include <string.h>

#include "geometry/broad/broad_box.h"

/* Boxes whose sizes differ by less than a factor of 2^CLASS_BITS are in one class and share blocks. */
#define CLASS_BITS 3
#define NCLASS     (2200 / CLASS_BITS)

static double side_sum(const pp_box *b) { return (b->hi.x - b->lo.x) + (b->hi.y - b->lo.y) + (b->hi.z - b->lo.z); }

static int size_class(const pp_box *b) {
    double s = side_sum(b);
    int e;
    if (!(s > 0)) return 0;
    if (!isfinite(s)) return NCLASS - 1;
    (void)frexp(s, &e);
    return 1 + (e + 1080) / CLASS_BITS;
}

/* Puts the item that belongs at place k there, none larger before it and none smaller after it. Hoare's selection:
 * equal keys are shared between the sides, so that many of them cost nothing extra. */
static void select_place(pp_tree_item *x, int lo, int hi, int k, int axis) {
    while (hi - lo > 1) {
        double a = x[lo].c[axis], b = x[lo + (hi - lo) / 2].c[axis], c = x[hi - 1].c[axis];
        double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
        int i = lo, j = hi - 1;
        while (i <= j) {
            while (x[i].c[axis] < pivot) i++;
            while (x[j].c[axis] > pivot) j--;
            if (i > j) break;
            pp_tree_item swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        if (k <= j)
            hi = j + 1;
        else if (k >= i)
            lo = i;
        else
            return;
    }
}

static int widest_axis(const pp_tree_item *x, int lo, int hi) {
    double least[3], most[3];
    for (int d = 0; d < 3; d++) least[d] = most[d] = x[lo].c[d];
    for (int k = lo + 1; k < hi; k++)
        for (int d = 0; d < 3; d++) {
            least[d] = fmin(least[d], x[k].c[d]);
            most[d] = fmax(most[d], x[k].c[d]);
        }
    int axis = 0;
    for (int d = 1; d < 3; d++)
        if (most[d] - least[d] > most[axis] - least[axis]) axis = d;
    return axis;
}

/* The number strictly between lo and hi with the most factors of two; there is one. */
static int round_place(int lo, int hi) {
    int step = 1;
    while (lo / (2 * step) * (2 * step) + 2 * step < hi) step *= 2;
    return lo / step * step + step;
}

/* Orders the items that stand at places lo to hi; x[0] is at place `base`. */
static void halve(pp_tree_item *x, int base, int lo, int hi) {
    while (hi - lo > 1) {
        int mid = round_place(lo, hi);
        if (mid % PP_TREE_FAN != 0) return; /* all in one block */
        select_place(x, lo - base, hi - base, mid - base, widest_axis(x, lo - base, hi - base));
        halve(x, base, lo, mid);
        lo = mid;
    }
}

/* Items by class, smallest first: a stable counting sort into t->item. Returns how many places are needed when every
 * class begins a block. */
static int sort_classes(pp_tree *t, int n, const pp_box *box, const bool *in, int first[NCLASS + 1]) {
    memset(first, 0, (NCLASS + 1) * sizeof *first);
    for (int i = 0; i < n; i++)
        if (in[i]) first[size_class(&box[i]) + 1]++;
    int places = 0;
    for (int c = 0; c < NCLASS; c++) {
        places += (first[c + 1] + PP_TREE_FAN - 1) / PP_TREE_FAN * PP_TREE_FAN;
        first[c + 1] += first[c];
    }
    int next[NCLASS];
    memcpy(next, first, sizeof next);
    for (int i = 0; i < n; i++) {
        if (!in[i]) continue;
        int c = size_class(&box[i]);
        const pp_box *b = &box[i];
        t->item[next[c]++] = (pp_tree_item){
            {0.5 * b->lo.x + 0.5 * b->hi.x, 0.5 * b->lo.y + 0.5 * b->hi.y, 0.5 * b->lo.z + 0.5 * b->hi.z}, i, c};
    }
    return places;
}

static void make_levels(pp_tree *t) {
    t->nlevel = 0;
    t->nblock = 0;
    int count = t->nplace / PP_TREE_FAN;
    if (count == 0) return;
    for (;;) {
        t->start[t->nlevel] = t->nblock;
        t->count[t->nlevel++] = count;
        t->nblock += count;
        if (count == 1) return;
        count = (count + PP_TREE_FAN - 1) / PP_TREE_FAN;
    }
}

static void write_box(pp_tree_block *b, int k, const pp_box *box) {
    b->lo[0][k] = box->lo.x;
    b->lo[1][k] = box->lo.y;
    b->lo[2][k] = box->lo.z;
    b->hi[0][k] = box->hi.x;
    b->hi[1][k] = box->hi.y;
    b->hi[2][k] = box->hi.z;
}

bool pp_tree_build(pp_tree *t, const perp_allocator *a, int n, const pp_box *box, const bool *in) {
    int first[NCLASS + 1];
    if (!PP_GROW(a, t->item, t->cap_item, 0, n) || !PP_GROW(a, t->place, t->cap_place, 0, n)) return false;
    int places = sort_classes(t, n, box, in, first);
    /* classes change with the boxes: room for another few */
    if (places > t->cap_order && !PP_GROW(a, t->order, t->cap_order, 0, places + places / 4 + 128)) return false;
    t->nplace = places;
    make_levels(t);
    int room = t->nblock + t->nblock / 4 + 24;
    if (t->nblock > t->cap_block && !PP_GROW(a, t->block, t->cap_block, 0, room)) return false;
    const pp_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < t->nblock; k++)
        for (int m = 0; m < PP_TREE_FAN; m++) write_box(&t->block[k], m, &empty);
    for (int p = 0; p < places; p++) t->order[p] = -1;
    for (int i = 0; i < n; i++) t->place[i] = -1;
    int at = 0;
    for (int c = 0; c < NCLASS; c++) {
        int count = first[c + 1] - first[c];
        if (count == 0) continue;
        halve(t->item + first[c], at, at, at + count);
        for (int k = 0; k < count; k++) {
            int i = t->item[first[c] + k].i;
            t->order[at + k] = i;
            t->place[i] = at + k;
            pp_tree_set(t, i, &box[i]);
        }
        at += (count + PP_TREE_FAN - 1) / PP_TREE_FAN * PP_TREE_FAN;
    }
    return true;
}

void pp_tree_free(pp_tree *t, const perp_allocator *a) {
    pp_free(a, t->block);
    pp_free(a, t->order);
    pp_free(a, t->place);
    pp_free(a, t->item);
}

void pp_tree_set(pp_tree *t, int i, const pp_box *box) {
    int p = t->place[i];
    write_box(&t->block[p / PP_TREE_FAN], p % PP_TREE_FAN, box);
}

/* The box around those of a block. */
static pp_box around(const pp_tree_block *b) {
    double lo[3], hi[3];
    for (int d = 0; d < 3; d++) {
        lo[d] = b->lo[d][0];
        hi[d] = b->hi[d][0];
        for (int k = 1; k < PP_TREE_FAN; k++) {
            lo[d] = b->lo[d][k] < lo[d] ? b->lo[d][k] : lo[d];
            hi[d] = b->hi[d][k] > hi[d] ? b->hi[d][k] : hi[d];
        }
    }
    return (pp_box){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

double pp_tree_refit(pp_tree *t) {
    double sum = 0;
    for (int l = 0; l < t->nlevel; l++)
        for (int k = 0; k < t->count[l]; k++) {
            pp_box b = around(&t->block[t->start[l] + k]);
            if (l == 0) sum += side_sum(&b);
            if (l + 1 < t->nlevel) write_box(&t->block[t->start[l + 1] + k / PP_TREE_FAN], k % PP_TREE_FAN, &b);
        }
    return sum;
}

/* Two of eight numbers, from number k on. */
static pp_double2 two(const double *x, int k) { return *(const pp_double2 *)(const void *)(x + k); }

/* Which boxes of a block meet q: bit k for box k. */
static unsigned meets(const pp_tree_block *b, const pp_box *q) {
    pp_mask2 bits = {0, 0}, bit = {1, 2};
    for (int k = 0; k < PP_TREE_FAN; k += 2, bit <<= 2)
        bits |= bit & (two(b->lo[0], k) <= q->hi.x) & (two(b->hi[0], k) >= q->lo.x) & (two(b->lo[1], k) <= q->hi.y) &
                (two(b->hi[1], k) >= q->lo.y) & (two(b->lo[2], k) <= q->hi.z) & (two(b->hi[2], k) >= q->lo.z);
    return (unsigned)(bits[0] | bits[1]);
}

int pp_tree_query(const pp_tree *t, const pp_box *q, int first, int *hit) {
    struct {
        int level, block;
    } stack[PP_TREE_LEVELS * PP_TREE_FAN];
    int n = 0, depth = 0;
    if (t->nlevel == 0) return 0;
    stack[depth].level = t->nlevel - 1;
    stack[depth++].block = 0;
    int last[PP_TREE_LEVELS]; /* of each level: blocks before this one end before `first` */
    last[0] = first / PP_TREE_FAN;
    for (int l = 1; l < t->nlevel; l++) last[l] = last[l - 1] / PP_TREE_FAN;
    while (depth > 0) {
        int level = stack[--depth].level, at = stack[depth].block;
        unsigned bits = meets(&t->block[t->start[level] + at], q);
        for (; bits; bits &= bits - 1) {
            int child = at * PP_TREE_FAN + __builtin_ctz(bits);
            if (level == 0) {
                hit[n] = t->order[child];
                n += child >= first;
            } else if (child >= last[level - 1]) {
                stack[depth].level = level - 1;
                stack[depth++].block = child;
            }
        }
    }
    return n;
}
