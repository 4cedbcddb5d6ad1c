/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_pairs.c - finds shapes that may meet in an implicit step, and their contact points at a pose
 *
 * Method   A pair has one contact, its closest points. Only on a half-space do shapes with flat sides have several contacts, so that they can
 *          stand on it: the corners of polytopes, the ends of a capsule, and for each cap of a cylinder the lowest point and two
 *          points a third of the rim away. The lowest point is the true contact of a cylinder that leans or lies. The other two
 *          carry it when it stands; they are always points of the body. */
#include <string.h>

#include "geometry/shape/implicit_function.h"
#include "method/implicit/implicit_step.h"
#include "stage/stepper.h"
#include "stage/collide/collide.h"
#include "base/elementary.h"

static bool is_polytope(perp_shape_kind k) {
    return k == PERP_SHAPE_BOX || k == PERP_SHAPE_POLYGON || k == PERP_SHAPE_POLYHEDRON;
}

/* Number of contacts of a pair, and how they are found. */
static int meetings(const pp_geometry *a, const pp_geometry *b, pp_meeting *how) {
    *how = PP_MEET_CLOSEST;
    bool plane_a = a->kind == PERP_SHAPE_HALFSPACE, plane_b = b->kind == PERP_SHAPE_HALFSPACE;
    if (plane_a && plane_b) return 0;
    if (a->kind == PERP_SHAPE_PARTICLE && b->kind == PERP_SHAPE_PARTICLE) return 0;
    if (!plane_a && !plane_b) return 1;
    const pp_geometry *g = plane_a ? b : a;
    if (is_polytope(g->kind) || g->kind == PERP_SHAPE_CAPSULE || g->kind == PERP_SHAPE_PARTICLE ||
        g->kind == PERP_SHAPE_SPHERE) {
        *how = PP_MEET_CORNER;
        return g->nvert;
    }
    if (g->kind != PERP_SHAPE_CYLINDER) return 1;
    *how = PP_MEET_RIM;
    return 6;
}

/* A point on the rim of a cylinder, in S. Angles are counted from the lowest point (against n_S), or from the x axis if
 * the cap is level. */
static perp_vec3 rim_point(const pp_geometry *g, int which, perp_vec3 n_S) {
    double l = pp_hypot(n_S.x, n_S.y), x = 1, y = 0;
    if (l > 1e-9) {
        x = -n_S.x / l;
        y = -n_S.y / l;
    }
    const double c[3] = {1, -0.5, -0.5}, s[3] = {0, 0.86602540378443864676, -0.86602540378443864676};
    int k = which % 3;
    return perp_v3(g->radius * (c[k] * x - s[k] * y), g->radius * (s[k] * x + c[k] * y),
                   which < 3 ? -g->half.z : g->half.z);
}

/* The contact of a given point of a shape with a half-space. */
static void over_plane(const pp_meet *m, const pp_placed *plane, const pp_placed *body, bool plane_first,
                       pp_closest *c) {
    perp_vec3 n = perp_q_rotate(plane->X_WS.q, plane->g->normal);
    perp_vec3 p = m->how == PP_MEET_RIM ? rim_point(body->g, m->which, perp_q_unrotate(body->X_WS.q, n))
                                        : body->g->vert[m->which];
    perp_vec3 x = perp_pose_apply(body->X_WS, p);
    if (m->how == PP_MEET_CORNER) x = perp_v3_axpy(x, -body->g->radius, n);
    double gap = perp_v3_dot(n, perp_v3_sub(x, plane->X_WS.p)) - plane->g->offset;
    perp_vec3 foot = perp_v3_axpy(x, -gap, n);
    c->a_W = plane_first ? foot : x;
    c->b_W = plane_first ? x : foot;
    c->n_W = plane_first ? n : perp_v3_neg(n);
    c->gap = gap;
    c->known = true;
}

static bool measure(const pp_meet *m, const pp_placed *placed, pp_closest *c) {
    const pp_placed *a = &placed[m->i], *b = &placed[m->j];
    if (m->how == PP_MEET_CLOSEST) return pp_closest_points(a, b, c);
    bool first = a->g->kind == PERP_SHAPE_HALFSPACE;
    over_plane(m, first ? a : b, first ? b : a, first, c);
    return true;
}

/* placed: the shapes that were measured, at the start or at the end pose. */
static perp_status no_points(const pp_implicit_work *k, const pp_meet *m, const pp_placed *placed) {
    perp_world *w = k->f->w;
    const char *a = w->body[placed[m->i].body].name, *b = w->body[placed[m->j].body].name;
    return pp_fail(
        w, PERP_E_SOLVE,
        "no closest points of the shapes %d (%s) and %d (%s) were found at t = %g: flat parts lie on each other, or "
        "the overlap is too deep",
        placed[m->i].slot, a ? a : "", placed[m->j].slot, b ? b : "", k->f->s0->t);
}

/* Adds a contact with its gap at the start, if the gap is within `reach`. */
static perp_status add_meet(pp_implicit_work *k, pp_meet m, const pp_placed *start, double reach) {
    perp_world *w = k->f->w;
    if (k->nmeet == k->cap_meet) {
        int cap = 2 * k->nmeet + 16;
        pp_meet *more = PP_ARENA_ARRAY(&w->arena, pp_meet, cap);
        if (!more) return pp_fail(w, PERP_E_MEMORY, "out of memory for the contacts");
        if (k->nmeet) memcpy(more, k->meet, (size_t)k->nmeet * sizeof *more);
        k->meet = more;
        k->cap_meet = cap;
    }
    if (!measure(&m, start, &m.at)) return no_points(k, &m, start);
    m.gap0 = m.at.gap;
    if (m.gap0 <= reach) k->meet[k->nmeet++] = m;
    return PERP_OK;
}

static bool known(const pp_implicit_work *k, const pp_meet *m) {
    for (int i = 0; i < k->nmeet; i++)
        if (k->meet[i].i == m->i && k->meet[i].j == m->j && k->meet[i].which == m->which) return true;
    return false;
}

/* Places the shapes at the start poses of all bodies. In s1 kinematic bodies are at the end, so s0 is used. */
static perp_status place_start(pp_implicit_work *k, pp_placed **out) {
    int n;
    return pp_place_shapes(k->f->w, k->f->s0, out, &n);
}

static double travel(const pp_implicit_work *k, const pp_placed *p) {
    const pp_frame *f = k->f;
    const pp_shape *s = &f->w->shape[p->slot];
    int b = f->control.block[p->body];
    if (b < 0) return f->h * perp_v3_norm(f->s1->v[p->body]) + s->radius_B * f->h * perp_v3_norm(f->s1->w[p->body]);
    double most = 0;
    for (int pass = 0; pass < 2; pass++) {
        const double *nu = (pass ? k->nu : f->control.nu0) + f->control.block_offset[b];
        double lin = 0, ang = 0;
        for (int c = 0; c < f->control.block_ndof[b]; c++) *(c < f->w->def.dim ? &lin : &ang) += nu[c] * nu[c];
        most = fmax(most, f->h * (sqrt(lin) + s->radius_B * sqrt(ang)));
    }
    return f->task.reach_factor * most + 1e-3 * p->g->size;
}

/* Sorts contacts by their shapes, the order of the impulse memory. */
static void sort(pp_implicit_work *k) {
    for (int a = 1; a < k->nmeet; a++) {
        pp_meet m = k->meet[a];
        int b = a;
        for (; b > 0; b--) {
            const pp_meet *o = &k->meet[b - 1];
            if (o->i < m.i || (o->i == m.i && (o->j < m.j || (o->j == m.j && o->which <= m.which)))) break;
            k->meet[b] = *o;
        }
        k->meet[b] = m;
    }
}

perp_status pp_implicit_pairs(pp_implicit_work *k) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    pp_placed *start;
    perp_status st = place_start(k, &start);
    pp_box *box = PP_ARENA_ARRAY(&w->arena, pp_box, f->collide.nplaced);
    double *reach = PP_ARENA_ARRAY(&w->arena, double, f->collide.nplaced);
    if (st) return st;
    if (!box || !reach) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    for (int i = 0; i < f->collide.nplaced; i++) {
        pp_placed p = f->collide.placed[i];
        p.reach = reach[i] = p.g->kind == PERP_SHAPE_HALFSPACE ? 0 : travel(k, &p);
        box[i] = pp_box_of(&p);
    }
    if (pp_broad_pairs(w->found.broad, f->collide.nplaced, box, f->collide.placed, pp_may_touch, f, &w->alloc,
                       &w->found.couples))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    for (int c = 0; !st && c < w->found.couples.n; c++) {
        pp_meet m = {.i = w->found.couples.couple[c].i, .j = w->found.couples.couple[c].j};
        int n = meetings(start[m.i].g, start[m.j].g, &m.how);
        for (m.which = 0; !st && m.which < n; m.which++) st = add_meet(k, m, start, reach[m.i] + reach[m.j]);
    }
    return st;
}

perp_status pp_implicit_missed(pp_implicit_work *k, int *added) {
    pp_frame *f = k->f;
    perp_world *w = f->w;
    *added = 0;
    if (pp_overlapping(w->found.broad, f->collide.nplaced, k->placed, pp_may_touch, f, &w->alloc, &w->arena,
                       &w->found.couples))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    pp_placed *start = NULL;
    perp_status st = PERP_OK;
    for (int c = 0; !st && c < w->found.couples.n; c++) {
        pp_meet m = {.i = w->found.couples.couple[c].i, .j = w->found.couples.couple[c].j};
        int n = meetings(k->placed[m.i].g, k->placed[m.j].g, &m.how);
        for (m.which = 0; !st && m.which < n; m.which++) {
            if (known(k, &m)) continue;
            pp_closest at = {0};
            if (m.how == PP_MEET_CLOSEST) {
                if (!(pp_separation(&k->placed[m.i], &k->placed[m.j]) < 0)) continue;
            } else if (!measure(&m, k->placed, &at) || !(at.gap < 0)) {
                continue;
            }
            if (!start) st = place_start(k, &start);
            if (!st) st = add_meet(k, m, start, INFINITY);
            ++*added;
        }
    }
    if (*added) sort(k);
    return st;
}

perp_status pp_implicit_measure(pp_implicit_work *k) {
    const perp_world *w = k->f->w;
    for (int i = 0; i < k->f->collide.nplaced; i++) {
        const pp_shape *s = &w->shape[k->placed[i].slot];
        k->placed[i].X_WS = perp_pose_mul(k->end.X[s->body], s->X_BS);
    }
    for (int m = 0; m < k->nmeet; m++) {
        if (!measure(&k->meet[m], k->placed, &k->meet[m].at)) return no_points(k, &k->meet[m], k->placed);
        pp_points_apply(k, &k->meet[m]);
    }
    return PERP_OK;
}

/* ---- which worlds can be stepped ---- */

static bool has_flat(perp_shape_kind k) { return is_polytope(k) || k == PERP_SHAPE_CYLINDER; }

perp_status pp_implicit_ready(perp_world *w) {
    for (int i = 0; i < w->nshape; i++) {
        const pp_shape *a = &w->shape[i];
        if (!pp_alive(a->gen) || a->visual || !has_flat(a->g->kind)) continue;
        for (int j = i + 1; j < w->nshape; j++) {
            const pp_shape *b = &w->shape[j];
            if (!pp_alive(b->gen) || b->visual || !has_flat(b->g->kind) || a->body == b->body) continue;
            if (a->g->kind == PERP_SHAPE_CYLINDER && b->g->kind == PERP_SHAPE_CYLINDER) continue;
            if (w->body[a->body].kind != PERP_BODY_DYNAMIC && w->body[b->body].kind != PERP_BODY_DYNAMIC) continue;
            if (!(a->group & b->mask) || !(b->group & a->mask)) continue;
            return pp_fail(
                w, PERP_E_FIT,
                "shapes %d and %d both have flat sides, which may lie on each other; stepper %s needs one pair "
                "of closest points (stewart-trinkle supports polytopes)",
                i, j, w->chosen.stepper->name);
        }
    }
    return PERP_OK;
}
