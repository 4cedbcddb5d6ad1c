/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pair_closest3d.c - closest points of two convex polyhedra that are apart
 * Method   every vertex is tested against every face, every edge against every edge that may be as near as the best so far: seen along the normal of
 *          the best, no two points of two edges are nearer than the edges' nearest ends. This is exact and simple. It is called only
 *          if no face or pair of edges gives the distance. Parallel edges that face each other give two contacts, at the ends
 *          of their common part, because with one contact the bodies could rotate into each other.
 * Valid    bodies apart by more than the tie tolerance, so that the connecting line has a direction.
 * Cost     vertices x faces + a comparison for each pair of edges. Source: Williams algorithms 3 and 7 (with the errata: no normalised
 *          direction). */
#include "geometry/narrow/narrow.h"

/* Kinds of feature pairs; among equal distances the earlier kind is taken. */
enum { OVER_FACE, PARALLEL_EDGES, CROSSED_EDGES, VERTEX_ON_EDGE, TWO_VERTICES, NONE };

typedef struct answer {
    int kind;
    double distance;
    perp_vec3 a, b, n; /* points on A and B, normal from A to B */
    uint64_t feature;
    int ea, eb;    /* PARALLEL_EDGES */
    double lo, hi; /* common part, as fractions of edge ea */
} answer;

/* sin^2 below which two edges are parallel. */
#define PARALLEL 1e-6

/* Returns true if c is the best now. */
static bool consider(answer *best, const answer *c, const pp_tolerance *t) {
    double tie = best->kind == NONE ? 0 : pp_tie_tolerance(t, best->distance);
    bool better = best->kind == NONE || c->distance < best->distance - tie ||
                  (c->distance <= best->distance + tie && c->kind < best->kind);
    if (better) *best = *c;
    return better;
}

static bool over_face(const pp_solid *s, int f, perp_vec3 x) {
    const int *v = s->g->face_vert + s->g->face_start[f];
    int n = s->g->face_start[f + 1] - s->g->face_start[f];
    for (int k = 0; k < n; k++) {
        perp_vec3 p = s->v[v[k]], e = perp_v3_sub(s->v[v[k + 1 < n ? k + 1 : 0]], p);
        if (perp_v3_dot(perp_v3_cross(e, s->n[f]), perp_v3_sub(x, p)) > 0) return false;
    }
    return true;
}

/* Vertices of O over faces of R. */
static void vertices_faces(answer *best, const pp_solid *R, const pp_solid *O, bool flip, const pp_tolerance *t) {
    for (int f = 0; f < R->g->nface; f++)
        for (int v = 0; v < O->g->nvert; v++) {
            double d = pp_above(R, f, O->v[v]);
            if (!(d > 0) || (best->kind != NONE && d > best->distance + pp_tie_tolerance(t, best->distance)) ||
                !over_face(R, f, O->v[v]))
                continue;
            perp_vec3 foot = perp_v3_axpy(O->v[v], -d, R->n[f]);
            answer c = {OVER_FACE,
                        d,
                        flip ? O->v[v] : foot,
                        flip ? foot : O->v[v],
                        flip ? perp_v3_neg(R->n[f]) : R->n[f],
                        pp_feature(PP_VERTEX_FACE, flip ? 1 : 0, f, v),
                        0,
                        0,
                        0,
                        0};
            (void)consider(best, &c, t);
        }
}

static double unit_range(double s) { return s > 0 ? (s < 1 ? s : 1) : 0; }

static answer edge_pair(const pp_solid *A, int ea, const pp_solid *B, int eb, const pp_tolerance *t) {
    const int *va = A->g->edge[ea], *vb = B->g->edge[eb];
    perp_vec3 p = A->v[va[0]], q = B->v[vb[0]], d = perp_v3_sub(A->v[va[1]], p), e = perp_v3_sub(B->v[vb[1]], q);
    perp_vec3 r = perp_v3_sub(p, q), x = perp_v3_cross(d, e);
    double dd = perp_v3_dot(d, d), ee = perp_v3_dot(e, e), de = perp_v3_dot(d, e), dr = perp_v3_dot(d, r),
           er = perp_v3_dot(e, r);
    double det = perp_v3_dot(x, x); /* dd ee - de^2 without cancellation */
    double s = det > 1e-24 * dd * ee ? unit_range((de * er - dr * ee) / det) : 0;
    double u = unit_range((de * s + er) / ee);
    s = unit_range((de * u - dr) / dd);
    answer c = {0};
    c.a = perp_v3_axpy(p, s, d);
    c.b = perp_v3_axpy(q, u, e);
    perp_vec3 l = perp_v3_sub(c.b, c.a);
    c.distance = perp_v3_norm(l);
    c.n = perp_v3_unit(l);
    c.ea = ea;
    c.eb = eb;
    bool end_a = !(s > 0 && s < 1), end_b = !(u > 0 && u < 1);
    int wa = va[s > 0 ? 1 : 0], wb = vb[u > 0 ? 1 : 0];
    if (end_a && end_b) {
        c.kind = TWO_VERTICES;
        c.feature = pp_feature(PP_VERTEX_VERTEX, 0, wa, wb);
    } else if (end_a || end_b) {
        c.kind = VERTEX_ON_EDGE;
        c.feature = end_a ? pp_feature(PP_VERTEX_EDGE, 1, eb, wa) : pp_feature(PP_VERTEX_EDGE, 0, ea, wb);
    } else {
        c.kind = CROSSED_EDGES;
        c.feature = pp_feature(PP_EDGE_EDGE, 0, ea, eb);
    }
    if (det <= PARALLEL * dd * ee) {
        double s0 = -dr / dd, s1 = s0 + de / dd; /* ends of B's edge on A's */
        c.lo = s0 < s1 ? s0 : s1;
        c.hi = s0 < s1 ? s1 : s0;
        if (c.lo < 0) c.lo = 0;
        if (c.hi > 1) c.hi = 1;
        if ((c.hi - c.lo) * sqrt(dd) > t->merge) c.kind = PARALLEL_EDGES;
    }
    return c;
}

enum { MANY_EDGES = 512 }; /* if B has more edges, the further ones are compared with all edges of A */

/* What the best so far says about the edges that are left. */
typedef struct view {
    perp_vec3 n;            /* normal of the best, from A to B; 0: there is none */
    double reach;           /* pairs of edges that are further apart along n cannot be better */
    double low[MANY_EDGES]; /* how far each edge of B begins along n, from the first vertex of A */
} view;

static double along(const view *w, const pp_solid *A, perp_vec3 x) {
    return perp_v3_dot(w->n, perp_v3_sub(x, A->v[0]));
}

/* Prepares the comparison with a new best. One tie tolerance is for equal distances, the second one for rounding. */
static void look(view *w, const answer *best, const pp_solid *A, const pp_solid *B, const pp_tolerance *t) {
    w->n = best->n;
    w->reach = best->distance + 2 * pp_tie_tolerance(t, best->distance);
    for (int j = 0; j < B->g->nedge && j < MANY_EDGES; j++)
        w->low[j] = fmin(along(w, A, B->v[B->g->edge[j][0]]), along(w, A, B->v[B->g->edge[j][1]]));
}

static double end_of(const view *w, const pp_solid *A, int i) {
    return w->reach + fmax(along(w, A, A->v[A->g->edge[i][0]]), along(w, A, A->v[A->g->edge[i][1]]));
}

static void edges_edges(answer *best, const pp_solid *A, const pp_solid *B, const pp_tolerance *t) {
    view w;
    look(&w, best, A, B, t);
    for (int i = 0; i < A->g->nedge; i++) {
        double end = end_of(&w, A, i);
        for (int j = 0; j < B->g->nedge; j++) {
            if (j < MANY_EDGES && w.low[j] > end) continue;
            answer c = edge_pair(A, i, B, j, t);
            if (!consider(best, &c, t)) continue;
            look(&w, best, A, B, t);
            end = end_of(&w, A, i);
        }
    }
}

/* An end of the common part of parallel edges: a vertex of one on the edge of the other. */
static void emit_end(pp_narrow *w, const pp_solid *A, const pp_solid *B, const answer *c, double s, bool last) {
    const int *va = A->g->edge[c->ea], *vb = B->g->edge[c->eb];
    perp_vec3 p = A->v[va[0]], d = perp_v3_sub(A->v[va[1]], p), q = B->v[vb[0]], e = perp_v3_sub(B->v[vb[1]], q);
    perp_vec3 x = perp_v3_axpy(p, s, d);
    double u = unit_range(perp_v3_dot(perp_v3_sub(x, q), e) / perp_v3_dot(e, e));
    perp_vec3 y = perp_v3_axpy(q, u, e), middle = perp_v3_scale(0.5, perp_v3_add(x, y));
    double gap = perp_v3_dot(c->n, perp_v3_sub(y, x));
    bool of_a = last ? !(s < 1) : !(s > 0);
    uint64_t feature = of_a ? pp_feature(PP_VERTEX_EDGE, 1, c->eb, va[last ? 1 : 0])
                            : pp_feature(PP_VERTEX_EDGE, 0, c->ea, vb[u > 0.5 ? 1 : 0]);
    pp_emit(w, feature, perp_v3_axpy(middle, -gap / 2, c->n), perp_v3_axpy(middle, gap / 2, c->n), c->n, gap);
}

void pp_pair_closest3d(pp_narrow *w, const pp_solid *A, const pp_solid *B, const pp_tolerance *t) {
    answer best = {0};
    best.kind = NONE;
    best.distance = INFINITY;
    vertices_faces(&best, A, B, false, t);
    vertices_faces(&best, B, A, true, t);
    edges_edges(&best, A, B, t);
    if (best.kind == NONE || !(best.distance > 0)) return;
    if (best.kind != PARALLEL_EDGES) {
        pp_emit(w, best.feature, best.a, best.b, best.n, best.distance);
        return;
    }
    emit_end(w, A, B, &best, best.lo, false);
    emit_end(w, A, B, &best, best.hi, true);
}
