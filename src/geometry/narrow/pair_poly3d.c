/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pair_poly3d.c - contacts of two convex polyhedra
 * Method   the plane of largest separation is sought among the faces of both and the pairs of edges that make a face of
 *          the Minkowski difference (their arcs on the Gauss sphere cross). Contacts on a face are the other body's vertices
 *          above it, and the corners of the most opposed face clipped against its sides. Contacts of a pair of edges are
 *          their closest points, and those of the same clipping of the two faces beside them, seen along the normal. If the
 *          bodies are apart and that plane does not give their distance, the closest points do (pair_closest3d.c).
 * Valid    any position. The smallest gap is the distance when apart, minus the depth of penetration when not, both to
 *          the tie tolerance of narrow.h.
 * Cost     faces x vertices + edges x edges
 * Source   separating axis theorem; Williams 3.3, 3.4 for which feature pairs matter. */
#include <assert.h>

#include "geometry/narrow/narrow.h"

/* Edge pairs closer to parallel than this (sine) give no plane of their own: a face beside them is as good to this
 * angle. */
#define PARALLEL 1e-8
/* Faces beside a pair of edges count if they face the other body at least this much (cosine). */
#define FACING 0.5

/* Best pair of edges; stops with a gap above the reach if one proves that the bodies cannot meet. */
static pp_edge_gap edge_separation(const pp_narrow *w, const pp_solid *A, const pp_solid *B, const pp_tolerance *t) {
    pp_edge_gap best = {-1, -1, -INFINITY, {0, 0, 0}, 0, 0};
    for (int i = 0; i < A->g->nedge; i++) {
        perp_vec3 da = pp_edge_vector(A, i), p = A->v[A->g->edge[i][0]];
        double la = perp_v3_norm(da);
        perp_vec3 out = perp_v3_add(A->n[A->g->edge[i][2]], A->n[A->g->edge[i][3]]);
        for (int j = 0; j < B->g->nedge; j++) {
            perp_vec3 db = pp_edge_vector(B, j);
            if (!pp_arcs_cross(A, i, da, B, j, db)) continue;
            perp_vec3 c = perp_v3_cross(da, db);
            double l = perp_v3_norm(c);
            if (!(l > PARALLEL * la * perp_v3_norm(db))) continue;
            perp_vec3 n = perp_v3_scale((perp_v3_dot(c, out) < 0 ? -1 : 1) / l, c);
            perp_vec3 r = perp_v3_sub(B->v[B->g->edge[j][0]], p);
            double gap = perp_v3_dot(n, r);
            if (best.a >= 0 && !(gap > best.gap + pp_tie_tolerance(t, best.gap))) continue;
            best.a = i;
            best.b = j;
            best.gap = gap;
            best.n = n;
            best.s = perp_v3_dot(perp_v3_cross(r, db), c) / l / l;
            best.u = perp_v3_dot(perp_v3_cross(r, da), c) / l / l;
            if (gap > w->reach) return best;
        }
    }
    return best;
}

static bool over_face(const pp_clip_frame *c, perp_vec3 x, double tol) {
    int n = pp_side_count(c->R, c->fr);
    for (int k = 0; k < n; k++)
        if (!(pp_side_distance(c, k, x) <= tol)) return false;
    return true;
}

/* Contact at x on O with its partner on the plane of R's face along n, whose cosine with that face's normal is
 * `facing`. One that is there already within `merge` moves here if this is deeper. Returns the gap. */
static double add(pp_narrow *w, const pp_clip_frame *c, double facing, uint64_t tag, perp_vec3 x, double merge) {
    double gap = pp_above(c->R, c->fr, x) / facing;
    perp_vec3 a = perp_v3_axpy(x, -gap, c->n);
    pp_pair *same = NULL;
    if (merge > 0) same = c->flip ? pp_emitted_near(w, x, a, merge) : pp_emitted_near(w, a, x, merge);
    if (same) {
        if (gap >= same->gap) return gap;
        same->a_W = c->flip ? x : a;
        same->b_W = c->flip ? a : x;
        same->gap = gap;
        return gap;
    }
    pp_emit_flip(w, c->flip, tag, a, x, c->n, gap);
    return gap;
}

/* All contacts of the frame: vertices of O, corners of R's face, crossings, in this order of precedence where points
 * coincide. `all`: also vertices of O that are not on its clipped face. Returns the smallest gap, within reach or
 * not. */
static double manifold(pp_narrow *w, const pp_clip_frame *c, bool all, const pp_tolerance *t) {
    double least = INFINITY, facing = perp_v3_dot(c->n, c->R->n[c->fr]);
    if (all)
        for (int v = 0; v < c->O->g->nvert; v++) {
            if (!over_face(c, c->O->v[v], t->inside)) continue;
            double gap = add(w, c, facing, pp_feature(PP_VERTEX_FACE, c->flip ? 1 : 0, c->fr, v), c->O->v[v], 0);
            if (gap < least) least = gap;
        }
    int m = pp_clip_face(w->clip, c, t->inside), mine = c->flip ? 1 : 0;
    pp_clip_point *p = w->clip[0];
    for (int k = 0; k < m; k++) {
        bool edges = pp_feature_kind(p[k].tag) == PP_EDGE_EDGE, other = pp_feature_owner(p[k].tag) != mine;
        p[k].rank = edges ? 2 : other;
    }
    for (int pass = all ? 1 : 0; pass < 3; pass++)
        for (int k = 0; k < m; k++) {
            if (p[k].rank != pass) continue;
            double gap = add(w, c, facing, p[k].tag, p[k].x, t->merge);
            if (gap < least) least = gap;
        }
    return least;
}

/* Face beside edge e that looks most along n. */
static int beside(const pp_solid *s, int e, perp_vec3 n) {
    int l = s->g->edge[e][2], r = s->g->edge[e][3];
    return perp_v3_dot(s->n[r], n) > perp_v3_dot(s->n[l], n) ? r : l;
}

static double unit_range(double s) { return s > 0 ? (s < 1 ? s : 1) : 0; }

/* Contacts of a pair of edges; false if they are apart and their closest points are not on both. */
static bool edge_contacts(pp_narrow *w, const pp_solid *A, const pp_solid *B, const pp_edge_gap *e,
                          const pp_tolerance *t) {
    perp_vec3 da = pp_edge_vector(A, e->a), db = pp_edge_vector(B, e->b);
    double sa = t->inside / perp_v3_norm(da), sb = t->inside / perp_v3_norm(db);
    bool on = (e->s >= -sa) & (e->s <= 1 + sa) & (e->u >= -sb) & (e->u <= 1 + sb);
    if (e->gap > t->tie && !on) return false;
    perp_vec3 a = perp_v3_axpy(A->v[A->g->edge[e->a][0]], unit_range(e->s), da);
    perp_vec3 b = on ? perp_v3_axpy(B->v[B->g->edge[e->b][0]], unit_range(e->u), db) : perp_v3_axpy(a, e->gap, e->n);
    pp_emit(w, pp_feature(PP_EDGE_EDGE, 0, e->a, e->b), a, b, e->n, e->gap);
    pp_clip_frame c = {
        .R = A, .O = B, .fr = beside(A, e->a, e->n), .fo = beside(B, e->b, perp_v3_neg(e->n)), .n = e->n};
    if (perp_v3_dot(A->n[c.fr], e->n) >= FACING && perp_v3_dot(B->n[c.fo], e->n) <= -FACING) {
        pp_clip_prepare(&c);
        (void)manifold(w, &c, false, t);
    }
    return true;
}

/* The main contact of a pair of edges comes back from the clipping under the same number; the first one stays. */
static void drop_twins(pp_narrow *w) {
    pp_pair *p = w->out->pair;
    int n = w->first;
    for (int k = w->first; k < w->out->n; k++) {
        bool twin = false;
        for (int m = w->first; m < n && !twin; m++) twin = p[m].feature == p[k].feature;
        if (twin) continue;
        if (n < k) p[n] = p[k];
        n++;
    }
    w->out->n = n;
}

void pp_pair_poly3d(pp_narrow *w, const pp_solid *A, const pp_solid *B) {
    pp_tolerance t = pp_tolerances(A->g, B->g);
    pp_face_gap fa, fb;
    pp_edge_gap e;
    if (A->g->kind == PERP_SHAPE_BOX && B->g->kind == PERP_SHAPE_BOX) {
        if (!pp_box_planes(A, B, &t, w->reach, &fa, &fb, &e)) return;
    } else {
        fa = pp_face_separation(A, B, &t);
        if (!(fa.gap <= w->reach)) return;
        fb = pp_face_separation(B, A, &t);
        if (!(fb.gap <= w->reach)) return;
        e = edge_separation(w, A, B, &t);
        if (!(e.gap <= w->reach)) return;
    }
    bool flip = pp_choose_second(A, fa, B, fb, &t);
    pp_face_gap f = flip ? fb : fa;
    if (e.a >= 0 && e.gap > f.gap + pp_tie_tolerance(&t, f.gap)) {
        if (!edge_contacts(w, A, B, &e, &t)) pp_pair_closest3d(w, A, B, &t);
        drop_twins(w);
        return;
    }
    pp_clip_frame c = {.R = flip ? B : A, .O = flip ? A : B, .fr = f.face, .flip = flip};
    c.n = c.R->n[f.face];
    c.fo = pp_incident_face(c.O, c.n);
    pp_clip_prepare(&c);
    bool boxes =
        A->g->kind == PERP_SHAPE_BOX && B->g->kind == PERP_SHAPE_BOX; /* the clipped face has all that is low */
    double least = manifold(w, &c, !boxes, &t);
    if (f.gap > t.tie) { /* apart: check whether the distance from this face is the true one */
        if (least <= f.gap + pp_tie_tolerance(&t, f.gap)) return;
        w->out->n = w->first;
        pp_pair_closest3d(w, A, B, &t);
    } else if (least >
               f.gap + pp_tie_tolerance(
                           &t, f.gap)) { /* touching, and the deepest vertex is beside one of several tied faces */
        perp_vec3 x = c.O->v[f.vertex];
        pp_emit_flip(w, flip, pp_feature(PP_VERTEX_FACE, flip ? 1 : 0, f.face, f.vertex), perp_v3_axpy(x, -f.gap, c.n),
                     x, c.n, f.gap);
    }
}
