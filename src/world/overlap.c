/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* overlap.c - how far bodies of a world overlap now: depth, and area or volume */
#include "geometry/measure/overlap_measure.h"
#include "stage/frame.h"
#include "stage/collide/collide.h"

/* Places the shapes at the present poses and runs the broad phase. It uses the arena, the broad phase and its list as scratch
 * memory; the caller of the public function sees no change. */
static perp_status place_now(perp_world *w, pp_frame *f) {
    *f = (pp_frame){.w = w};
    return pp_collide_place(w, &w->state, &f->collide);
}

double perp_world_overlap(const perp_world *world) {
    perp_world *w = (perp_world *)(uintptr_t)world;
    if (w->nshape == 0) return 0;
    pp_arena_mark mark = pp_arena_here(&w->arena);
    pp_frame f;
    double depth = INFINITY;
    int which[2];
    perp_status st = place_now(w, &f);
    if (!st)
        st = pp_overlap_deepest(w->found.broad, f.collide.nplaced, f.collide.placed, pp_may_touch, &f, &w->alloc,
                                &w->arena, &w->found.couples, &depth, which);
    pp_arena_release(&w->arena, mark);
    return st ? INFINITY : depth;
}

perp_status perp_world_overlap_total(const perp_world *world, double *total, double *deepest) {
    perp_world *w = (perp_world *)(uintptr_t)world;
    double sum = 0, depth = 0;
    pp_arena_mark mark = pp_arena_here(&w->arena);
    pp_frame f = {.w = w};
    perp_status st = PERP_OK;
    w->found.couples.n = 0;
    if (w->nshape > 0) {
        st = place_now(w, &f);
        if (!st)
            st = pp_overlapping(w->found.broad, f.collide.nplaced, f.collide.placed, pp_may_touch, &f, &w->alloc,
                                &w->arena, &w->found.couples);
    }
    for (int k = 0; !st && k < w->found.couples.n; k++) {
        const pp_placed *a = &f.collide.placed[w->found.couples.couple[k].i],
                        *b = &f.collide.placed[w->found.couples.couple[k].j];
        double d = -pp_separation(a, b), m;
        if (!(d > 0)) continue; /* poses in a world are finite */
        st = pp_overlap_measure(a, b, &w->arena, &m);
        depth = fmax(depth, d);
        if (!st) sum += m;
    }
    pp_arena_release(&w->arena, mark);
    if (total) *total = st ? INFINITY : sum;
    if (deepest) *deepest = st ? INFINITY : depth;
    return st;
}

/* Is x deeper than y? Ties go to the lower slots. */
static bool deeper(const perp_overlap *x, const perp_overlap *y) {
    if (x->depth != y->depth) return x->depth > y->depth;
    return x->a.slot != y->a.slot ? x->a.slot < y->a.slot : x->b.slot < y->b.slot;
}

int perp_world_overlaps(const perp_world *world, perp_overlap *out, int max) {
    perp_world *w = (perp_world *)(uintptr_t)world;
    pp_arena_mark mark = pp_arena_here(&w->arena);
    pp_frame f = {.w = w};
    int n = 0, kept = 0;
    if (w->nshape == 0) return 0;
    perp_status st = place_now(w, &f);
    if (!st)
        st = pp_overlapping(w->found.broad, f.collide.nplaced, f.collide.placed, pp_may_touch, &f, &w->alloc, &w->arena,
                            &w->found.couples);
    for (int k = 0; !st && k < w->found.couples.n; k++) {
        const pp_placed *a = &f.collide.placed[w->found.couples.couple[k].i],
                        *b = &f.collide.placed[w->found.couples.couple[k].j];
        perp_overlap x = {{(uint32_t)a->slot, w->shape[a->slot].gen},
                          {(uint32_t)b->slot, w->shape[b->slot].gen},
                          -pp_separation(a, b)};
        if (!(x.depth > pp_touching(a->g, b->g, a->X_WS.p))) continue;
        n++;
        int at = kept < max ? kept++ : max; /* insertion: the list is short */
        if (at == max && (max < 1 || !deeper(&x, &out[max - 1]))) continue;
        if (at == max) at--;
        for (; at > 0 && deeper(&x, &out[at - 1]); at--) out[at] = out[at - 1];
        out[at] = x;
    }
    pp_arena_release(&w->arena, mark);
    return st ? -1 : n;
}
