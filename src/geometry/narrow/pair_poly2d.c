/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pair_poly2d.c - contacts of two convex polygons
 * Method   the edge of largest separation gives the plane (reference edge); contacts are the other polygon's vertices
 *          above it and the ends of the reference edge below the edge that faces it most. If the polygons are apart and
 *          their closest points are two vertices, no edge tells their distance, and the line between them gives the
 *          plane.
 * Valid    any position. The smallest gap is the distance when apart, minus the depth of penetration when not.
 * Cost     vertices x edges. Source: separating axis theorem; Williams 3.2 for which feature pairs matter. */
#include "geometry/narrow/narrow.h"

/* The vertex of O and edge of R closest to each other, if the vertex projects into the edge; *best goes down. */
static void closest_edge(const pp_solid *R, const pp_solid *O, double *best, int *edge, int *vertex) {
    for (int f = 0; f < R->g->nface; f++) {
        perp_vec3 p = R->v[f], q = R->v[(f + 1) % R->g->nvert], e = perp_v3_sub(q, p);
        for (int v = 0; v < O->g->nvert; v++) {
            double d = pp_above(R, f, O->v[v]);
            if (!(d > 0 && d < *best)) continue;
            if (!(perp_v3_dot(e, perp_v3_sub(O->v[v], p)) >= 0 && perp_v3_dot(e, perp_v3_sub(O->v[v], q)) <= 0))
                continue;
            *best = d;
            *edge = f;
            *vertex = v;
        }
    }
}

/* Closest points of polygons that are apart; two vertices unless a vertex is nearer to an edge. */
static void closest(pp_narrow *w, const pp_solid *A, const pp_solid *B, const pp_tolerance *t) {
    int a = 0, b = 0;
    double best = INFINITY;
    for (int i = 0; i < A->g->nvert; i++)
        for (int j = 0; j < B->g->nvert; j++) {
            double d = perp_v3_norm(perp_v3_sub(B->v[j], A->v[i]));
            if (best < INFINITY && !(d < best - t->touch)) continue;
            best = d;
            a = i;
            b = j;
        }
    double over_a = best, over_b;
    int edge_a = -1, edge_b = -1, vertex_a = 0, vertex_b = 0;
    closest_edge(A, B, &over_a, &edge_a, &vertex_b);
    over_b = over_a;
    closest_edge(B, A, &over_b, &edge_b, &vertex_a);
    if (edge_a < 0 && edge_b < 0) {
        perp_vec3 n = perp_v3_unit(perp_v3_sub(B->v[b], A->v[a]));
        pp_emit(w, pp_feature(PP_VERTEX_VERTEX, 0, a, b), A->v[a], B->v[b], n, best);
        return;
    }
    bool flip = edge_b >= 0;
    const pp_solid *R = flip ? B : A;
    int f = flip ? edge_b : edge_a, v = flip ? vertex_a : vertex_b;
    perp_vec3 x = flip ? A->v[v] : B->v[v];
    double gap = flip ? over_b : over_a;
    pp_emit_flip(w, flip, pp_feature(PP_VERTEX_FACE, flip ? 1 : 0, f, v), perp_v3_axpy(x, -gap, R->n[f]), x, R->n[f],
                 gap);
}

/* Contacts of edge f of R with O. Returns the smallest gap found, whether within reach or not. */
static double manifold(pp_narrow *w, const pp_solid *R, const pp_solid *O, int f, bool flip, const pp_tolerance *t) {
    perp_vec3 n = R->n[f], p = R->v[f], q = R->v[(f + 1) % R->g->nvert];
    perp_vec3 along = perp_v3(-n.y, n.x, 0); /* from p to q: n is the edge turned by -90 degrees */
    double length = perp_v3_dot(along, perp_v3_sub(q, p)), least = INFINITY;
    for (int v = 0; v < O->g->nvert; v++) {
        double s = perp_v3_dot(along, perp_v3_sub(O->v[v], p)), gap = pp_above(R, f, O->v[v]);
        if (!(s >= -t->inside && s <= length + t->inside)) continue;
        if (gap < least) least = gap;
        pp_emit_flip(w, flip, pp_feature(PP_VERTEX_FACE, flip ? 1 : 0, f, v), perp_v3_axpy(O->v[v], -gap, n), O->v[v],
                     n, gap);
    }
    int k = pp_incident_face(O, n);
    perp_vec3 c = O->v[k], d = O->v[(k + 1) % O->g->nvert];
    double sc = perp_v3_dot(along, perp_v3_sub(c, p)), sd = perp_v3_dot(along, perp_v3_sub(d, p));
    for (int end = 0; end < 2; end++) {
        double s = end ? length : 0;
        if (!((s > sc && s < sd) || (s < sc && s > sd)) || !(fabs(sd - sc) > t->merge)) continue;
        int v = end ? (f + 1) % R->g->nvert : f;
        perp_vec3 x = perp_v3_axpy(c, (s - sc) / (sd - sc), perp_v3_sub(d, c));
        double gap = pp_above(R, f, x);
        perp_vec3 a = perp_v3_axpy(x, -gap, n);
        if (gap < least) least = gap;
        if (fabs(s - sc) <= t->merge || fabs(s - sd) <= t->merge) {
            /* the end of the incident edge stands for it, if it was close enough to count */
            if (flip ? pp_emitted_near(w, x, a, 4 * t->merge) : pp_emitted_near(w, a, x, 4 * t->merge)) continue;
        }
        pp_emit_flip(w, flip, pp_feature(PP_VERTEX_FACE, flip ? 0 : 1, k, v), a, x, n, gap);
    }
    return least;
}

void pp_pair_poly2d(pp_narrow *w, const pp_solid *A, const pp_solid *B) {
    pp_tolerance t = pp_tolerances(A->g, B->g);
    pp_face_gap fa = pp_face_separation(A, B, &t);
    if (!(fa.gap <= w->reach)) return;
    pp_face_gap fb = pp_face_separation(B, A, &t);
    if (!(fb.gap <= w->reach)) return;
    bool flip = pp_choose_second(A, fa, B, fb, &t);
    const pp_solid *R = flip ? B : A, *O = flip ? A : B;
    pp_face_gap f = flip ? fb : fa;
    double least = manifold(w, R, O, f.face, flip, &t);
    if (f.gap > t.tie) { /* apart: check whether the distance from this edge is the true one */
        if (least <= f.gap + pp_tie_tolerance(&t, f.gap)) return;
        w->out->n = w->first;
        closest(w, A, B, &t);
    } else if (w->out->n == w->first) { /* touching, and rounding put the deepest vertex beside the edge */
        perp_vec3 x = O->v[f.vertex], n = R->n[f.face];
        pp_emit_flip(w, flip, pp_feature(PP_VERTEX_FACE, flip ? 1 : 0, f.face, f.vertex), perp_v3_axpy(x, -f.gap, n), x,
                     n, f.gap);
    }
}
