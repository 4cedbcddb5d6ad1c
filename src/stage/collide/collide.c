/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* collide.c - stage 2: shapes -> feature pairs, gaps
 *
 * Method   The travel of a body in a step is bounded by its own motion (Williams 5.1 with the erratum: |v| h + |a| h^2 + r (|w| h + |alpha|
 *          h^2)) and by the motion of bodies that may push it. The largest travel spreads through bodies within reach of each other, so
 *          that a row of resting balls is prepared for a fast one that hits the first. A factor covers impulses that make a body
 *          faster than its neighbours. If a contact is missed nevertheless (a motor may start from rest), the certificate finds it,
 *          and the step is solved again with a larger factor and the travels that are known then. */
#include <stdlib.h>
#include <string.h>

#include "base/sets.h"
#include "base/rounding.h"
#include "model/budget.h"
#include "stage/control/belt.h"
#include "stage/collide/collide.h"

static int compare_keys(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Sorted body pairs that joints or exclusions keep from touching. */
static perp_status exclusions(perp_world *w, const uint64_t **out, int *n) {
    uint64_t *key = PP_ARENA_ARRAY(&w->arena, uint64_t, w->njoint + w->robot.nexclude);
    if (!key) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    *n = 0;
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (pp_alive(j->gen) && j->a >= 0 && !j->def.collide) key[(*n)++] = pp_pair_key(j->a, j->b);
    }
    for (int i = 0; i < w->robot.nexclude; i++) key[(*n)++] = pp_pair_key(w->robot.exclude[i].a, w->robot.exclude[i].b);
    /* insertion sort: the list is short and mostly in order, and qsort may allocate */
    for (int i = 1; i < *n; i++) {
        uint64_t k = key[i];
        int at = i;
        for (; at > 0 && key[at - 1] > k; at--) key[at] = key[at - 1];
        key[at] = k;
    }
    *out = key;
    return PERP_OK;
}

bool pp_may_touch(int i, int j, const void *frame) {
    const pp_frame *f = frame;
    const pp_placed *a = &f->collide.placed[i], *b = &f->collide.placed[j];
    if (f->task.acts && ((a->moves && !f->task.acts[a->body]) || (b->moves && !f->task.acts[b->body]))) return false;
    uint64_t key = pp_pair_key(a->slot, b->slot);
    if (f->task.nflying && bsearch(&key, f->task.flying, (size_t)f->task.nflying, sizeof key, compare_keys))
        return false;
    if (f->collide.nexcluded == 0) return true;
    key = pp_pair_key(a->body, b->body);
    return !bsearch(&key, f->collide.excluded, (size_t)f->collide.nexcluded, sizeof key, compare_keys);
}

perp_status pp_place_shapes(perp_world *w, const pp_state *s, pp_placed **out, int *n) {
    pp_placed *p = PP_ARENA_ARRAY(&w->arena, pp_placed, w->nshape);
    if (!p) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    *n = 0;
    for (int i = 0; i < w->nshape; i++) {
        const pp_shape *sh = &w->shape[i];
        if (!pp_alive(sh->gen) || sh->visual) continue;
        p[(*n)++] = (pp_placed){.g = sh->g,
                                .X_WS = perp_pose_mul(s->X[sh->body], sh->X_BS),
                                .reach = 0,
                                .body = sh->body,
                                .moves = w->body[sh->body].kind == PERP_BODY_DYNAMIC,
                                .slot = i,
                                .group = sh->group,
                                .mask = sh->mask};
    }
    *out = p;
    return PERP_OK;
}

perp_status pp_collide_place(perp_world *w, const pp_state *s, pp_frame_collide *out) {
    perp_status st = pp_place_shapes(w, s, &out->placed, &out->nplaced);
    return st ? st : exclusions(w, &out->excluded, &out->nexcluded);
}

double pp_farthest_travel(const pp_frame *f) {
    const perp_world *w = f->w;
    double most = 0;
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k];
        most = fmax(most, f->h * (perp_v3_norm(f->s1->v[slot]) + w->body[slot].radius * perp_v3_norm(f->s1->w[slot])));
    }
    return most;
}

/* Travel of every body by its own motion and forces. Kinematic bodies are already at the end of the step, but bodies
 * that they touch may be carried along at their speed. */
static void own_travel(const pp_frame *f, double *travel) {
    const perp_world *w = f->w;
    for (int i = 0; i < w->nbody; i++) {
        travel[i] = 0;
        if (!pp_alive(w->body[i].gen)) continue;
        if (w->body[i].kind == PERP_BODY_KINEMATIC) travel[i] = f->h * perp_v3_norm(f->s1->v[i]);
    }
    for (int i = 0; f->control.belt && i < w->nshape; i++) { /* bodies on a belt may be carried along at its speed */
        int b = w->shape[i].body;
        double base = w->body[b].kind == PERP_BODY_KINEMATIC ? f->h * perp_v3_norm(f->s1->v[b]) : 0;
        travel[b] = fmax(travel[b], base + f->h * perp_v3_norm(f->control.belt[i].now_B));
    }
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k], at = f->control.block_offset[k], nd = f->control.block_ndof[k],
            lin = w->def.dim;
        const pp_body *b = &w->body[slot];
        double v = 0, a = 0, alpha = 0;
        for (int i = 0; i < nd; i++) {
            double force = pp_force_impulse(f, at + i);
            if (i < lin) {
                v += f->control.nu0[at + i] * f->control.nu0[at + i];
                a += force * force;
            } else {
                alpha += force * force;
            }
        }
        v = sqrt(v) + sqrt(a) / b->mass;
        double om = perp_v3_norm(f->s0->w[slot]) + sqrt(alpha) * b->I_inv_most;
        travel[slot] +=
            fmax(f->h * (v + b->radius * om), f->task.least_travel); /* in addition to the speed of its own belts */
    }
}

/* Can these two push each other within their reaches, judged by their bounding spheres? Half-spaces are fixed, or are
 * already at the end of the step. */
static bool near(const pp_placed *a, const pp_placed *b) {
    if (a->g->kind == PERP_SHAPE_HALFSPACE || b->g->kind == PERP_SHAPE_HALFSPACE) return false;
    double r = a->g->bound + b->g->bound + a->reach + b->reach;
    perp_vec3 d = perp_v3_sub(b->X_WS.p, a->X_WS.p);
    return perp_v3_dot(d, d) <= r * r;
}

/* Sets of bodies that may push each other, directly or through others, with the largest travel of each set. */
typedef struct crowd {
    const perp_world *w;
    int *parent; /* by body: parent in the union-find */
    double *most;
} crowd;

/* A body that impulses do not move gives its travel to others, but takes and passes on none. */
static void join(const crowd *c, const double *travel, int a, int b) {
    bool moves_a = c->w->body[a].kind == PERP_BODY_DYNAMIC, moves_b = c->w->body[b].kind == PERP_BODY_DYNAMIC;
    if (!moves_a && !moves_b) return;
    int i = pp_set_of(c->parent, moves_a ? a : b), j = moves_a && moves_b ? pp_set_of(c->parent, b) : i;
    double t = fmax(c->most[i], c->most[j]);
    if (!moves_a) t = fmax(t, travel[a]);
    if (!moves_b) t = fmax(t, travel[b]);
    int low = i < j ? i : j;
    c->parent[i < j ? j : i] = low;
    c->most[low] = t;
}

/* Joins the pairs of the list and the bodies of joints. */
static void join_all(const crowd *c, const pp_frame *f, const double *travel) {
    const perp_world *w = c->w;
    for (int i = 0; i < w->nbody; i++) {
        c->parent[i] = i;
        c->most[i] = travel[i];
    }
    for (int k = 0; k < w->found.couples.n; k++) {
        const pp_placed *a = &f->collide.placed[w->found.couples.couple[k].i],
                        *b = &f->collide.placed[w->found.couples.couple[k].j];
        if (near(a, b)) join(c, travel, a->body, b->body);
    }
    for (int i = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (!pp_alive(j->gen)) continue;
        if (j->a >= 0) join(c, travel, j->a, j->b);
        for (int k = 1; k < j->def.nterm; k++)
            join(c, travel, w->joint[j->term[0].joint.slot].b, w->joint[j->term[k].joint.slot].b);
    }
}

/* Spreads the largest travel over bodies that are jointed or may push each other. Repeats until nothing changes,
 * because a larger reach may find more bodies. */
static perp_status spread_travel(pp_frame *f, double *travel) {
    perp_world *w = f->w;
    crowd c = {w, PP_ARENA_ARRAY(&w->arena, int, w->nbody), PP_ARENA_ARRAY(&w->arena, double, w->nbody)};
    pp_box *box = PP_ARENA_ARRAY(&w->arena, pp_box, f->collide.nplaced);
    if (!c.parent || !c.most || !box) return PERP_E_MEMORY;
    bool changed = true;
    for (int pass = 0; changed && pass < 16; pass++) {
        changed = false;
        for (int i = 0; i < f->collide.nplaced; i++) {
            f->collide.placed[i].reach = f->task.reach_factor * travel[f->collide.placed[i].body];
            box[i] = pp_box_of(&f->collide.placed[i]);
        }
        perp_status st = pp_broad_pairs(w->found.broad, f->collide.nplaced, box, f->collide.placed, pp_may_touch, f,
                                        &w->alloc, &w->found.couples);
        if (st) return st;
        join_all(&c, f, travel);
        for (int i = 0; i < w->nbody; i++) {
            if (!pp_alive(w->body[i].gen) || w->body[i].kind != PERP_BODY_DYNAMIC) continue;
            double t = c.most[pp_set_of(c.parent, i)];
            changed |= t != travel[i];
            travel[i] = t;
        }
    }
    return PERP_OK;
}

perp_status pp_collide(pp_frame *f) {
    perp_world *w = f->w;
    w->found.pairs.n = 0;
    f->collide.nplaced = 0;
    if (w->nshape == 0) return PERP_OK;
    perp_status st = pp_collide_place(w, f->s1, &f->collide);
    if (st) return st;
    double *travel = PP_ARENA_ARRAY(&w->arena, double, w->nbody);
    if (!travel) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    own_travel(f, travel);
    st = spread_travel(f, travel);
    if (st) return pp_fail(w, st, "out of memory for the step");
    for (int i = 0; i < f->collide.nplaced; i++) {
        pp_placed *p = &f->collide.placed[i];
        p->reach = p->moves ? f->task.reach_factor * travel[p->body] + PP_RESIDUAL * p->g->size : 0;
    }
    st = w->chosen.detector->detect(w->def.dim, f->collide.nplaced, f->collide.placed, pp_may_touch, f, w->found.broad,
                                    &w->found.couples, &w->alloc, &w->arena, &w->found.pairs);
    for (int i = 0; i < w->found.couples.n; i++)
        pp_budget_pair(w, f->collide.placed[w->found.couples.couple[i].i].g,
                       f->collide.placed[w->found.couples.couple[i].j].g);
    return st ? pp_fail(w, st, "contact detection failed: %s", perp_status_text(st)) : PERP_OK;
}

double pp_separation_in(const perp_world *w, const int shape[2], const pp_state *s) {
    pp_placed at[2];
    for (int k = 0; k < 2; k++) {
        const pp_shape *x = &w->shape[shape[k]];
        at[k] = (pp_placed){.g = x->g, .X_WS = perp_pose_mul(s->X[x->body], x->X_BS)};
    }
    return pp_separation(&at[0], &at[1]);
}
