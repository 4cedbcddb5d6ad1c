/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plane.c - separating planes: see plane.h
 * Method   separating axis theorem. A face's gap is that of the other body's deepest vertex; a pair of edges counts if
 *          its arcs on the Gauss sphere cross (else one of the faces is better). The edge normal keeps the sign it was
 *          found with, so that it turns smoothly with the bodies (Williams 3.4, edge orientation).
 * Cost     (faces + edges) x vertices, and edges x edges of those that are not behind the best plane so far; less where a gap proves
 *          enough early. */
#include "geometry/narrow/plane.h"

/* Pairs of edges closer to parallel than this (sine) give no plane: the faces beside them do. */
#define PARALLEL 1e-6

int pp_support(const pp_solid *s, perp_vec3 d) {
    int best = 0;
    double most = -INFINITY;
    for (int v = 0; v < s->g->nvert; v++) {
        double x = perp_v3_dot(d, s->v[v]);
        if (x > most) {
            most = x;
            best = v;
        }
    }
    return best;
}

static perp_vec3 edge_normal(const pp_solid *A, const pp_solid *B, pp_plane plane) {
    perp_vec3 a = pp_edge_vector(A, pp_feature_a(plane)), b = pp_edge_vector(B, pp_feature_b(plane)),
              c = perp_v3_cross(a, b);
    double l = perp_v3_norm(c);
    if (!(l > PARALLEL * perp_v3_norm(a) * perp_v3_norm(b))) return perp_v3(0, 0, 0);
    return perp_v3_scale((pp_feature_owner(plane) ? -1 : 1) / l, c);
}

perp_vec3 pp_plane_normal(const pp_solid *A, const pp_solid *B, pp_plane plane) {
    if (pp_plane_is_edges(plane)) return edge_normal(A, B, plane);
    int f = pp_feature_a(plane);
    return pp_feature_owner(plane) ? perp_v3_neg(B->n[f]) : A->n[f];
}

/* Of face f of R over all points of O; O may be round. *first: vertex to begin with, becomes the deepest one. If the gap is at most `floor`, some
 * number up to `floor` is returned as soon as that is known. */
static double face_gap_above(const pp_solid *R, int f, const pp_solid *O, double floor, int *first) {
    perp_vec3 at = R->g->kind == PERP_SHAPE_HALFSPACE ? R->at : R->v[R->g->face_vert[R->g->face_start[f]]], n = R->n[f];
    double least = O->g->nvert > 0 ? perp_v3_dot(n, perp_v3_sub(O->v[*first], at)) : INFINITY;
    if (isnan(least)) least = INFINITY; /* as every vertex that is not finite */
    if (least - O->g->radius <= floor) return least - O->g->radius;
    for (int v = 0; v < O->g->nvert; v++) {
        double d = perp_v3_dot(n, perp_v3_sub(O->v[v], at));
        if (!(d < least)) continue;
        least = d;
        *first = v;
        if (least - O->g->radius <= floor) break;
    }
    return least - O->g->radius;
}

static double face_gap(const pp_solid *R, int f, const pp_solid *O) {
    int first = 0;
    return face_gap_above(R, f, O, -INFINITY, &first);
}

double pp_plane_gap(const pp_solid *A, const pp_solid *B, pp_plane plane) {
    if (pp_plane_is_face(plane))
        return pp_feature_owner(plane) ? face_gap(B, pp_feature_a(plane), A) : face_gap(A, pp_feature_a(plane), B);
    perp_vec3 n = edge_normal(A, B, plane);
    if (n.x == 0 && n.y == 0 && n.z == 0) return -INFINITY;
    int a = pp_support(A, n), b = pp_support(B, perp_v3_neg(n));
    return perp_v3_dot(n, perp_v3_sub(B->v[b], A->v[a]));
}

/* State of the search for the best plane. */
typedef struct search {
    pp_separating best;
    double tie, enough;
    const pp_solid *A1, *B1; /* NULL, or where the motion leads */
    double ahead;            /* gap there of the best */
    const perp_vec3 *unlike; /* NULL, or a direction that the plane's normal must differ from */
    const pp_solid *A, *B;   /* for that */
} search;

static void offer(search *s, pp_plane plane, double gap) {
    if (s->unlike && perp_v3_dot(pp_plane_normal(s->A, s->B, plane), *s->unlike) > 0.999) return;
    if (!s->A1) {
        if (gap > s->best.gap + s->tie || s->best.plane == PP_NO_PLANE) s->best = (pp_separating){plane, gap};
        return;
    }
    if (gap < s->best.gap - s->tie) return;
    double ahead = pp_plane_gap(s->A1, s->B1, plane);
    if (gap > s->best.gap + s->tie || ahead > s->ahead + s->tie) {
        s->ahead = ahead;
        s->best.plane = plane;
    }
    if (gap > s->best.gap) s->best.gap = gap;
}

static bool done(const search *s) { return s->best.gap > s->enough; }

/* Whether no plane through edge i of A and any edge of B can be the best one. Its normal n lies between those of the two faces beside
 * the edge: n = a n1 + b n2 with a, b >= 0 and a + b >= 1. For a point at d from the edge, n1.d and n2.d at most -m < 0 make n.d at most -m,
 * and so the gap. The point is any vertex of B: first *deep, which was good for another edge, then the vertex that lies farthest behind the two
 * faces. */
static bool lies_behind(const search *s, const pp_solid *A, int i, const pp_solid *B, int *deep) {
    perp_vec3 n1 = A->n[A->g->edge[i][2]], n2 = A->n[A->g->edge[i][3]], at = A->v[A->g->edge[i][0]];
    double rounding = 1e-12 * (A->g->size + B->g->size), most = fmin(0, s->best.gap - s->tie) - rounding;
    perp_vec3 d = perp_v3_sub(B->v[*deep], at);
    if (fmax(perp_v3_dot(n1, d), perp_v3_dot(n2, d)) < most) return true;
    int deepest = pp_support(B, perp_v3_neg(perp_v3_add(n1, n2)));
    d = perp_v3_sub(B->v[deepest], at);
    bool behind = fmax(perp_v3_dot(n1, d), perp_v3_dot(n2, d)) < most;
    if (behind) *deep = deepest;
    return behind;
}

enum { MANY_EDGES = 512 }; /* if B has more edges, they are not tested individually beforehand */

static void try_edges(search *s, const pp_solid *A, const pp_solid *B) {
    bool skip[MANY_EDGES] = {false};
    int deep[2] = {0, 0}; /* vertices of A and of B */
    for (int j = 0; j < B->g->nedge && j < MANY_EDGES; j++) skip[j] = lies_behind(s, B, j, A, &deep[0]);
    for (int i = 0; i < A->g->nedge && !done(s); i++) {
        if (lies_behind(s, A, i, B, &deep[1])) continue;
        perp_vec3 da = pp_edge_vector(A, i), p = A->v[A->g->edge[i][0]];
        double la = perp_v3_norm(da);
        perp_vec3 out = perp_v3_add(A->n[A->g->edge[i][2]], A->n[A->g->edge[i][3]]);
        for (int j = 0; j < B->g->nedge; j++) {
            if (j < MANY_EDGES && skip[j]) continue;
            perp_vec3 db = pp_edge_vector(B, j);
            if (!pp_arcs_cross(A, i, da, B, j, db)) continue;
            perp_vec3 c = perp_v3_cross(da, db);
            double l = perp_v3_norm(c);
            if (!(l > PARALLEL * la * perp_v3_norm(db))) continue;
            double sign = perp_v3_dot(c, out) < 0 ? -1 : 1;
            /* of the ends that are closest: the normal of nearly parallel edges is not exact, and a gap must not be
             * larger than the true one */
            double gap = sign * perp_v3_dot(c, perp_v3_sub(B->v[B->g->edge[j][0]], p));
            gap = (gap + fmin(0, sign * perp_v3_dot(c, db)) - fmax(0, sign * perp_v3_dot(c, da))) / l;
            if (gap > s->best.gap - s->tie) offer(s, pp_plane_edges(sign < 0, i, j), gap);
        }
    }
}

/* Two boxes: the best of each kind. */
static void try_boxes(search *s, const pp_solid *A, const pp_solid *B) {
    pp_tolerance t = {.tie = s->tie};
    pp_face_gap fa, fb;
    pp_edge_gap e;
    (void)pp_box_planes(A, B, &t, INFINITY, &fa, &fb, &e);
    offer(s, pp_plane_face(0, fa.face), fa.gap);
    offer(s, pp_plane_face(1, fb.face), fb.gap);
    if (e.a < 0) return;
    perp_vec3 c = perp_v3_cross(pp_edge_vector(A, e.a), pp_edge_vector(B, e.b));
    if (!(perp_v3_norm(c) > PARALLEL * perp_v3_norm(pp_edge_vector(A, e.a)) * perp_v3_norm(pp_edge_vector(B, e.b))))
        return;
    offer(s, pp_plane_edges(perp_v3_dot(c, e.n) < 0, e.a, e.b), e.gap);
}

/* Gaps up to this are of no interest: see offer(). */
static double floor_of(const search *s) {
    return s->A1 || s->best.plane == PP_NO_PLANE ? -INFINITY : s->best.gap + s->tie;
}

/* Offers the faces of R, the first body or the second. */
static void try_faces(search *s, int owner, const pp_solid *R, const pp_solid *O) {
    int deep = 0;
    for (int f = 0; f < R->g->nface && !done(s); f++) {
        double floor = floor_of(s), gap = face_gap_above(R, f, O, floor, &deep);
        if (!(gap <= floor)) offer(s, pp_plane_face(owner, f), gap);
    }
}

static void try_all(search *s, const pp_solid *A, const pp_solid *B) {
    if (A->g->dim == 3 && A->g->kind == PERP_SHAPE_BOX && B->g->kind == PERP_SHAPE_BOX && !s->A1 && !s->unlike) {
        try_boxes(s, A, B);
        return;
    }
    try_faces(s, 0, A, B);
    try_faces(s, 1, B, A);
    if (A->g->dim == 3 && !done(s)) try_edges(s, A, B);
}

pp_separating pp_separate(const pp_solid *A, const pp_solid *B, pp_plane keep, double tie, double enough) {
    search s = {.best = {PP_NO_PLANE, -INFINITY}, .tie = tie, .enough = enough};
    if (keep != PP_NO_PLANE) {
        double gap = pp_plane_gap(A, B, keep);
        if (gap > -INFINITY) s.best = (pp_separating){keep, gap};
    }
    if (!done(&s)) try_all(&s, A, B);
    return s.best;
}

pp_separating pp_separate_ahead(const pp_solid *A, const pp_solid *B, const pp_solid *A1, const pp_solid *B1,
                                double tie) {
    search s = {
        .best = {PP_NO_PLANE, -INFINITY}, .tie = tie, .enough = INFINITY, .A1 = A1, .B1 = B1, .ahead = -INFINITY};
    try_all(&s, A, B);
    return s.best;
}

pp_separating pp_separate_otherwise(const pp_solid *A, const pp_solid *B, perp_vec3 n, double tie) {
    search s = {.best = {PP_NO_PLANE, -INFINITY}, .tie = tie, .enough = INFINITY, .unlike = &n, .A = A, .B = B};
    try_all(&s, A, B);
    return s.best;
}
