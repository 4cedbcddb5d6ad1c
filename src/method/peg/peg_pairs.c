/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_pairs.c - finds pairs that may meet in the step, their separation, and the plane on which they meet first
 *
 * Method   A pair that was apart at the start gets the plane that separates it at the moment of first contact, on the straight path from
 *          start to end. A large step leaves several sides of a corner open; the side that is reached first is correct. A pair that touches
 *          at the start gets the plane that separates it there. If there are several (a vertex on a vertex), it gets the one that
 *          the motion violates least. */
#include "base/rounding.h"
#include "method/peg/peg.h"
#include "stage/collide/collide.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [poses] Number of poses between start and end at which a pair is examined before bisection. Half and double: no
 * effect. */
#define SAMPLES 8
/* [poses] Largest number of poses examined in the search for bodies that pass through each other. Half and double: no
 * effect. */
#define ADVANCES 2000

double pp_peg_round(pp_peg_work *k, const pp_solid *A, const pp_solid *B) {
    pp_narrow w = {
        .out = &k->m->round, .a = &k->f->w->alloc, .reach = INFINITY, .clip = {k->touches.clip[0], k->touches.clip[1]}};
    k->m->round.n = 0;
    pp_narrow_phase(&w, k->f->w->def.dim, A, B);
    k->touches.memory |= w.memory;
    double gap = INFINITY;
    for (int c = 0; c < k->m->round.n; c++) gap = fmin(gap, k->m->round.pair[c].gap);
    return gap;
}

static double separation(pp_peg_work *k, const pp_peg_pair *p, const pp_solid *A, const pp_solid *B, double enough,
                         pp_plane *plane) {
    if (p->kind == PP_PAIR_ROUND) return pp_peg_round(k, A, B);
    if (p->kind == PP_PAIR_HALFSPACE) return pp_plane_gap(A, B, p->plane);
    pp_separating s = pp_separate(A, B, *plane, 0.1 * p->tol, enough);
    *plane = s.plane;
    return s.gap;
}

/* Distance of two boxes along the axis that separates them best. Not positive: they overlap. */
static double box_gap(const pp_solid *a, const pp_solid *b) {
    double x = fmax(a->lo.x - b->hi.x, b->lo.x - a->hi.x), y = fmax(a->lo.y - b->hi.y, b->lo.y - a->hi.y),
           z = fmax(a->lo.z - b->hi.z, b->lo.z - a->hi.z);
    return fmax(x, fmax(y, z));
}

void pp_peg_measure(pp_peg_work *k, pp_peg_pair *p) {
    const pp_solid *A = &k->end.solid[p->i], *B = &k->end.solid[p->j];
    if (!p->active) {
        double apart = box_gap(A, B), far = k->loose_tolerance && p->kind != PP_PAIR_FLAT ? pp_peg_near(k, p) : 0;
        p->gap1 = apart > far ? apart : separation(k, p, A, B, 0, &p->plane);
        return;
    }
    pp_plane best = p->plane;
    /* the largest separation, independent of the order of faces */
    p->gap1 = separation(k, p, A, B, p->pushed ? INFINITY : 0, &best);
}

double pp_peg_start_gap(pp_peg_work *k, pp_peg_pair *p) {
    if (p->knows0) return p->gap0;
    pp_plane plane = p->kind == PP_PAIR_FLAT ? PP_NO_PLANE : p->plane;
    p->gap0 = separation(k, p, &k->start.solid[p->i], &k->start.solid[p->j], INFINITY, &plane);
    p->knows0 = true;
    return p->gap0;
}

static double gap_between(pp_peg_work *k, const pp_peg_pair *p, double x, pp_plane *plane) {
    pp_poses_between(k, p->i, p->j, x);
    return separation(k, p, &k->probe[0], &k->probe[1], INFINITY, plane);
}

/* Bisection between *from (apart) and x1 (not apart): the last plane that separates by more than `by`. *from: the time. */
static pp_plane last_plane(pp_peg_work *k, const pp_peg_pair *p, double *from, double x1, double by, pp_plane plane) {
    double x0 = *from;
    while (x1 - x0 > PP_NEGLIGIBLE) {
        double mid = (x0 + x1) / 2;
        pp_plane at = plane;
        if (gap_between(k, p, mid, &at) > by) {
            x0 = mid;
            plane = at;
        } else {
            x1 = mid;
        }
    }
    *from = x0;
    return plane;
}

pp_plane pp_peg_first_plane(pp_peg_work *k, pp_peg_pair *p) {
    if (p->kind != PP_PAIR_FLAT) return p->plane;
    const pp_solid *A = &k->start.solid[p->i], *B = &k->start.solid[p->j];
    if (pp_peg_start_gap(k, p) <= PP_PEG_TOUCHING * p->size)
        return pp_separate_ahead(A, B, &k->end.solid[p->i], &k->end.solid[p->j], PP_PEG_TOUCHING * p->size).plane;
    double x0 = 0, by = fmin(pp_peg_gap_error(k, p), p->gap0 / 2);
    pp_plane before = pp_separate(A, B, PP_NO_PLANE, p->tol, INFINITY).plane;
    for (int s = 1; s <= SAMPLES; s++) {
        double x = (double)s / SAMPLES;
        pp_plane plane = before;
        if (!(gap_between(k, p, x, &plane) > by)) return last_plane(k, p, &x0, x, by, before);
        x0 = x;
        before = plane;
    }
    return before;
}

/* Conservative advancement (Mirtich 1996): advances by the separation divided by the largest speed. If the shapes are
 * close, it advances by an eighth of their thickness: grazing contacts may be missed, a passage may not. A pair that
 * touches at the start is examined too, because a corner that was hit may turn through the other body. dips: a
 * penetration up to an eighth of the thickness is ignored. */
bool pp_peg_tunnels(pp_peg_work *k, pp_peg_pair *p, bool dips, pp_plane *plane) {
    const pp_geometry *ga = k->f->collide.placed[p->i].g, *gb = k->f->collide.placed[p->j].g;
    if (p->kind == PP_PAIR_HALFSPACE) return false; /* a half-space cannot be passed through */
    double travel = pp_relative_travel(k, p->i, p->j), thick = ga->thickness + gb->thickness;
    double thinner = fmin(ga->thickness, gb->thickness); /* a small body may cut a corner of a large one */
    if (thinner > 0) thick = fmin(thick, 2 * thinner);
    if (!(travel > 0.5 * thick)) return false;
    pp_plane at = p->kind == PP_PAIR_FLAT ? PP_NO_PLANE : p->plane;
    double x = 0, gap = pp_peg_start_gap(k, p), touching = fmax(PP_PEG_TOUCHING * p->size, pp_peg_left_penetration(k));
    bool from_touch = gap <= touching;
    if (gap < -touching) return false; /* placed in penetration */
    double least = fmax(thick / travel / 8, 1.0 / ADVANCES), deep = dips ? fmax(touching, thick / 8) : touching;
    double next;
    for (;;) {
        next = x + fmax(gap / travel, least);
        if (next >= 1) return false; /* pp_peg_measure checks the end itself */
        pp_plane now = at;
        gap = gap_between(k, p, next, &now);
        if (!(gap > -deep)) break;
        at = now;
        x = next;
    }
    if (p->kind != PP_PAIR_FLAT)
        *plane = p->plane;
    else if (x == 0 && from_touch)
        *plane =
            pp_separate_ahead(&k->start.solid[p->i], &k->start.solid[p->j], &k->probe[0], &k->probe[1], touching).plane;
    else
        *plane = last_plane(k, p, &x, next, 0, at);
    p->meet = fmax(x, PP_NEGLIGIBLE);
    return true;
}

static bool is_flat(const pp_geometry *g) {
    return g->kind == PERP_SHAPE_BOX || g->kind == PERP_SHAPE_POLYGON || g->kind == PERP_SHAPE_POLYHEDRON;
}

static pp_peg_pair new_pair(const pp_peg_work *k, pp_broad_pair c) {
    const pp_geometry *a = k->f->collide.placed[c.i].g, *b = k->f->collide.placed[c.j].g;
    bool plane_a = a->kind == PERP_SHAPE_HALFSPACE, plane_b = b->kind == PERP_SHAPE_HALFSPACE;
    pp_peg_pair p = {.i = c.i, .j = c.j, .plane = PP_NO_PLANE};
    p.size = plane_a ? b->size : plane_b ? a->size : fmin(a->size, b->size);
    if (!(p.size > 0)) p.size = plane_a || plane_b ? 0 : fmax(a->size, b->size); /* a particle has no size */
    p.thin = fmin(a->thickness, b->thickness); /* the thickness of a half-space is infinite */
    if (!(p.thin > 0)) p.thin = p.size;
    perp_vec3 at = k->f->s0->X[k->f->collide.placed[plane_a ? c.j : c.i].body].p;
    p.tol = 1e-10 * p.size + 1e-14 * perp_v3_norm(at) + k->least;
    if (plane_a || plane_b) {
        p.kind = PP_PAIR_HALFSPACE;
        p.plane = pp_plane_face(plane_a ? 0 : 1, 0);
    } else if (!is_flat(a) || !is_flat(b)) {
        p.kind = PP_PAIR_ROUND;
        p.plane = PP_ROUND_PLANE;
    }
    return p;
}

/* Two half-spaces or two particles never meet. */
static bool can_meet(const pp_peg_work *k, pp_broad_pair c) {
    const pp_geometry *a = k->f->collide.placed[c.i].g, *b = k->f->collide.placed[c.j].g;
    if (a->kind == PERP_SHAPE_HALFSPACE && b->kind == PERP_SHAPE_HALFSPACE) return false;
    return !(a->kind == PERP_SHAPE_PARTICLE && b->kind == PERP_SHAPE_PARTICLE);
}

static int order(const pp_peg_pair *p, pp_broad_pair c) {
    return p->i != c.i ? (p->i < c.i ? -1 : 1) : p->j != c.j ? (p->j < c.j ? -1 : 1) : 0;
}

perp_status pp_peg_find_pairs(pp_peg_work *k) {
    struct pp_peg *m = k->m;
    perp_world *w = k->f->w;
    perp_status st = pp_broad_pairs(m->broad, k->f->collide.nplaced, k->fat, k->f->collide.placed, pp_may_touch, k->f,
                                    &w->alloc, &m->couples);
    if (st) return pp_fail(w, st, "contact detection failed: %s", perp_status_text(st));
    pp_peg_pair *swap = m->old_pair;
    int cap = m->cap_old_pair, nold = m->npair;
    m->old_pair = m->pair;
    m->cap_old_pair = m->cap_pair;
    m->pair = swap;
    m->cap_pair = cap;
    m->npair = 0;
    if (!PP_GROW(&w->alloc, m->pair, m->cap_pair, 0, m->couples.n))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for %d pairs", m->couples.n);
    for (int c = 0, o = 0; c < m->couples.n; c++) {
        if (!can_meet(k, m->couples.couple[c])) continue;
        while (o < nold && order(&m->old_pair[o], m->couples.couple[c]) < 0) o++;
        bool known = o < nold && order(&m->old_pair[o], m->couples.couple[c]) == 0;
        m->pair[m->npair++] = known ? m->old_pair[o] : new_pair(k, m->couples.couple[c]);
    }
    return PERP_OK;
}

static bool inside(const pp_solid *s, const pp_box *b) {
    return s->lo.x >= b->lo.x && s->lo.y >= b->lo.y && s->lo.z >= b->lo.z && s->hi.x <= b->hi.x && s->hi.y <= b->hi.y &&
           s->hi.z <= b->hi.z;
}

perp_status pp_peg_follow(pp_peg_work *k) {
    bool wider = false;
    for (int i = 0; i < k->f->collide.nplaced; i++) {
        const pp_solid *s = &k->end.solid[i];
        if (inside(s, &k->fat[i])) continue;
        perp_vec3 side = perp_v3_sub(s->hi, s->lo);
        double more = 0.1 * fmax(side.x, fmax(side.y, side.z));
        perp_vec3 d = perp_v3(more, more, k->f->w->def.dim == 3 ? more : 0);
        pp_box b = {perp_v3_sub(s->lo, d), perp_v3_add(s->hi, d)};
        k->fat[i] = pp_box_union(k->fat[i], b);
        wider = true;
    }
    return wider ? pp_peg_find_pairs(k) : PERP_OK;
}

/* Does the remembered plane exist on the shapes of this pair? A state may come from another program. */
static bool plane_exists(const pp_peg_work *k, const pp_peg_pair *p, pp_plane plane) {
    const pp_geometry *a = k->f->collide.placed[p->i].g, *b = k->f->collide.placed[p->j].g;
    if (pp_plane_is_face(plane))
        return pp_feature_owner(plane) <= 1 && pp_feature_a(plane) < (pp_feature_owner(plane) ? b : a)->nface;
    return pp_plane_is_edges(plane) && pp_feature_owner(plane) <= 1 && pp_feature_a(plane) < a->nedge &&
           pp_feature_b(plane) < b->nedge;
}

/* The plane of the last step, if it separates as well as the best one at the start; otherwise the best one. If two
 * faces lie flat on each other, the larger face is taken. Contacts of both faces carry impulses, and which plane was
 * remembered depends on the numbering of features. Also, corners are searched on this plane at the end pose, and they
 * lie over the larger face, not beside the smaller one. */
static pp_plane recalled_plane(pp_peg_work *k, pp_peg_pair *p, pp_plane last) {
    if (p->kind != PP_PAIR_FLAT) return p->plane;
    const pp_solid *A = &k->start.solid[p->i], *B = &k->start.solid[p->j];
    double tie = PP_PEG_TOUCHING * p->size;
    pp_plane keep = plane_exists(k, p, last) ? last : PP_NO_PLANE;
    pp_separating s = pp_separate(A, B, keep, tie, INFINITY);
    p->gap0 = s.gap;
    p->knows0 = true;
    pp_plane first = pp_touch_first(A, B, s.plane);
    return first == s.plane || pp_plane_gap(A, B, first) < s.gap - tie ? s.plane : first;
}

/* If a pair touches at a corner or an edge: takes the best plane with another normal, if it separates as well. */
static bool other_plane(const pp_peg_work *k, pp_peg_pair *p) {
    if (!p->active || p->kind != PP_PAIR_FLAT) return false;
    const pp_solid *A = &k->start.solid[p->i], *B = &k->start.solid[p->j];
    pp_separating s = pp_separate_otherwise(A, B, pp_plane_normal(A, B, p->plane), p->tol);
    if (!(s.gap >= -PP_PEG_TOUCHING * p->size)) return false;
    p->plane = s.plane;
    return true;
}

bool pp_peg_recall(pp_peg_work *k) {
    const pp_warm *warm = &k->f->w->warm;
    struct pp_peg *m = k->m;
    int c = 0, others = 0;
    m->nrow = 0;
    for (int i = 0; i < m->npair; i++) {
        pp_peg_pair *p = &m->pair[i];
        uint32_t a = (uint32_t)k->f->collide.placed[p->i].slot, b = (uint32_t)k->f->collide.placed[p->j].slot;
        p->active = p->pushed = false;
        p->meet = 0;
        p->switches = p->renewals = p->nrow = p->first = 0;
        while (c < warm->ncontact &&
               (warm->contact[c].slot_a < a || (warm->contact[c].slot_a == a && warm->contact[c].slot_b < b)))
            c++;
        for (; c < warm->ncontact && warm->contact[c].slot_a == a && warm->contact[c].slot_b == b; c++) {
            const double *P = warm->contact[c].p;
            if (p->active || (P[0] == 0 && P[1] == 0 && P[2] == 0)) continue;
            pp_plane last = recalled_plane(k, p, warm->contact[c].plane);
            double left = k->loose_tolerance ? 2 * pp_peg_left_penetration(k) : 0; /* it touched within this distance */
            /* it rebounded, or was moved */
            if (pp_peg_start_gap(k, p) > fmax(PP_PEG_TOUCHING * p->size, left)) continue;
            p->active = true;
            p->plane = last;
        }
        others += k->mode.other && other_plane(k, p);
    }
    return !k->mode.other || others > 0;
}
