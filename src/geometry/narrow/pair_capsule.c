/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pair_capsule.c - contacts of capsules with spheres, particles, capsules and polytopes (half-spaces: pair_round.c)
 *   sphere or particle   one contact, from the closest point of the segment
 *   capsule              the closest points of the segments where both lie inside; every end that faces the other
 *   polytope             each end with what is closest to it; vertices and edges that the inside of the segment passes
 * Method   A capsule is a segment with a radius. While the segment is outside the other's core, each contact is the
 *          true distance of a part of one shape (an end, a vertex, an edge) from the other. No such distance is less than the
 *          distance of the shapes, so additional contacts never keep the shapes farther apart than necessary. A capsule that
 *          lies flat has two contacts, and keeps them if it tilts a little (SLACK).
 *          If the segment enters the other's core, the plane of least depth gives the contacts: a face, or in 2D the
 *          segment, in 3D the segment with an edge; these are all faces of the Minkowski difference.
 * Valid    exact for any position; where a direction is not defined a fixed one is taken.
 * Cost     linear in vertices, faces and edges; vertices within reach times edges for their normal cones. */
#include "geometry/narrow/narrow.h"

/* Largest sine by which a normal may leave the normal cone of a feature along the segment: a capsule keeps two contacts up to this
 * tilt. Across the segment no deviation is allowed: there a neighbouring feature is closer, and a second contact would have another
 * normal. (A disc in 2D has one contact, and so has its prism in 3D.) */
#define SLACK 0.1
#define ROUND 1e-9 /* rounding error of a normal on the border of two cones: one of the two must accept it */
/* Segments with a smaller sine between them count as parallel: the distance at their crossing then differs from those
 * at their ends by less than rounding. */
#define PARALLEL 1e-7

/* A segment with a radius, in W. */
typedef struct bar {
    perp_vec3 p[2], d; /* ends; from the first to the second */
    double dd, length, r;
} bar;

static bar bar_of(const pp_solid *s) {
    bar b = {{s->v[0], s->v[1]}, perp_v3_sub(s->v[1], s->v[0]), 0, 0, s->g->radius};
    b.dd = perp_v3_dot(b.d, b.d);
    b.length = sqrt(b.dd);
    return b;
}

/* Allowed deviation of a normal from a cone along `way`, of length l. */
static double slack(const bar *b, perp_vec3 way, double l) {
    return SLACK * fabs(perp_v3_dot(way, b->d)) / b->length + ROUND * l;
}

/* Where on the line of the bar x projects to: 0 at the first end, 1 at the second. */
static double along(const bar *b, perp_vec3 x) { return perp_v3_dot(perp_v3_sub(x, b->p[0]), b->d) / b->dd; }
static perp_vec3 at(const bar *b, double t) {
    if (!(t > 0)) return b->p[0];
    return t < 1 ? perp_v3_axpy(b->p[0], t, b->d) : b->p[1];
}

/* A unit vector across d, always the same for the same d. */
static perp_vec3 across(perp_vec3 d, int dim) {
    if (dim == 2) return perp_v3_unit(perp_v3(0.0 - d.y, d.x, 0));
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    perp_vec3 axis = x <= y && x <= z ? perp_v3(1, 0, 0) : y <= z ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1);
    return perp_v3_unit(perp_v3_cross(d, axis));
}

void pp_pair_capsule_sphere(pp_narrow *w, const pp_solid *capsule, const pp_solid *ball, bool flip) {
    bar b = bar_of(capsule);
    perp_vec3 x = ball->v[0], c = at(&b, along(&b, x)), d = perp_v3_sub(x, c), n;
    double l = perp_v3_norm(d), r = ball->g->radius;
    n = l > 1e-12 * capsule->g->size ? perp_v3_scale(1 / l, d) : across(b.d, capsule->g->dim);
    pp_emit_flip(w, flip, pp_feature(PP_VERTEX_EDGE, flip ? 1 : 0, 0, 0), perp_v3_axpy(c, b.r, n),
                 perp_v3_axpy(x, -r, n), n, perp_v3_dot(n, d) - b.r - r);
}

/* ---- two capsules ---- */

/* Contact between the points x of A's segment and y of B's, with the normal n from A to B. */
static void emit_cores(pp_narrow *w, const bar *A, const bar *B, uint64_t feature, perp_vec3 x, perp_vec3 y,
                       perp_vec3 n) {
    pp_emit(w, feature, perp_v3_axpy(x, A->r, n), perp_v3_axpy(y, -B->r, n), n,
            perp_v3_dot(n, perp_v3_sub(y, x)) - A->r - B->r);
}

/* Two segments of the plane that cross: the end that is least far through comes out again. */
static void emit_crossed(pp_narrow *w, const bar *A, const bar *B) {
    double least = INFINITY;
    int best = 0;
    for (int k = 0; k < 4; k++) {
        const bar *E = k < 2 ? A : B, *O = k < 2 ? B : A;
        double t = along(O, E->p[k & 1]), d = perp_v3_norm(perp_v3_sub(E->p[k & 1], at(O, t)));
        if (t >= 0 && t <= 1 && d < least) {
            least = d;
            best = k;
        }
    }
    const bar *E = best < 2 ? A : B, *O = best < 2 ? B : A;
    int end = best & 1;
    perp_vec3 e = E->p[end], o = at(O, along(O, e)), n = across(O->d, 2);
    if (perp_v3_dot(n, perp_v3_sub(E->p[1 - end], e)) > 0) n = perp_v3_neg(n); /* the other end is behind e */
    uint64_t feature = pp_feature(PP_VERTEX_EDGE, best < 2 ? 1 : 0, 0, end);
    if (best < 2)
        emit_cores(w, A, B, feature, e, o, n);
    else
        emit_cores(w, A, B, feature, o, e, perp_v3_neg(n));
}

/* The crossing of the two lines if it lies inside both segments. Returns true if segments of the plane cross. */
static bool crossing(pp_narrow *w, const bar *A, const bar *B, int dim, double size) {
    perp_vec3 c = perp_v3_cross(A->d, B->d), o = perp_v3_sub(B->p[0], A->p[0]);
    double cc = perp_v3_dot(c, c);
    if (!(cc > PARALLEL * PARALLEL * A->dd * B->dd)) return false;
    double s = perp_v3_dot(perp_v3_cross(o, B->d), c) / cc, u = perp_v3_dot(perp_v3_cross(o, A->d), c) / cc;
    if (!(s > 0 && s < 1 && u > 0 && u < 1)) return false;
    if (dim == 2) {
        emit_crossed(w, A, B);
        return true;
    }
    perp_vec3 x = at(A, s), y = at(B, u), d = perp_v3_sub(y, x);
    double l = perp_v3_norm(d);
    perp_vec3 n =
        l > 1e-6 * size ? perp_v3_scale(1 / l, d) : perp_v3_scale((perp_v3_dot(o, c) < 0 ? -1 : 1) / sqrt(cc), c);
    emit_cores(w, A, B, pp_feature(PP_EDGE_EDGE, 0, 0, 0), x, y, n);
    return false;
}

/* End e of E against O. first: E is shape i. */
static void end_contact(pp_narrow *w, const bar *E, int e, const bar *O, bool first, int dim, double size) {
    perp_vec3 x = E->p[e], back = perp_v3_sub(E->p[1 - e], x);
    double t = along(O, x);
    int end = !(t > 0) ? 0 : t < 1 ? -1 : 1; /* of O */
    uint64_t feature = pp_feature(PP_VERTEX_EDGE, first ? 1 : 0, 0, e);
    if (end >= 0) { /* two ends: once, and only if each is closest to the other */
        double s = along(E, O->p[end]);
        if (!first || (e == 0 ? s > 0 : s < 1)) return;
        feature = pp_feature(PP_VERTEX_VERTEX, 0, e, end);
    }
    perp_vec3 y = at(O, t), d = perp_v3_sub(y, x), n;
    double l = perp_v3_norm(d);
    if (l > 1e-12 * size) {
        n = perp_v3_scale(1 / l, d);
    } else { /* the end lies on the other segment: away from the rest of E, across O */
        n = perp_v3_axpy(perp_v3_neg(back), perp_v3_dot(back, O->d) / O->dd, O->d);
        n = perp_v3_norm(n) > PARALLEL * E->length ? perp_v3_unit(n) : across(first ? E->d : O->d, dim);
    }
    if (perp_v3_dot(n, back) > slack(O, back, E->length)) return;
    if (first)
        emit_cores(w, E, O, feature, x, y, n);
    else
        emit_cores(w, O, E, feature, y, x, perp_v3(0.0 - n.x, 0.0 - n.y, 0.0 - n.z));
}

void pp_pair_capsules(pp_narrow *w, const pp_solid *A, const pp_solid *B) {
    bar a = bar_of(A), b = bar_of(B);
    int dim = A->g->dim;
    double size = A->g->size < B->g->size ? A->g->size : B->g->size;
    if (crossing(w, &a, &b, dim, size)) return;
    for (int e = 0; e < 2; e++) end_contact(w, &a, e, &b, true, dim, size);
    for (int e = 0; e < 2; e++) end_contact(w, &b, e, &a, false, dim, size);
}

/* ---- capsule and polytope ---- */

typedef struct meeting {
    pp_narrow *w;
    const pp_solid *poly;
    bar c;
    bool flip; /* the polytope is shape j */
} meeting;

/* Contact at y on the polytope and x on the segment, with the normal n from y to x. */
static void emit_core(const meeting *m, uint64_t feature, perp_vec3 y, perp_vec3 x, perp_vec3 n, double distance) {
    pp_emit_flip(m->w, m->flip, feature, y, perp_v3_axpy(x, -m->c.r, n), n, distance - m->c.r);
}
static uint64_t edge_edge(const meeting *m, int e) {
    return m->flip ? pp_feature(PP_EDGE_EDGE, 0, 0, e) : pp_feature(PP_EDGE_EDGE, 0, e, 0);
}
static uint64_t bar_vertex(const meeting *m, int v) { return pp_feature(PP_VERTEX_EDGE, m->flip ? 0 : 1, 0, v); }

/* Whether the segment comes within tol of the interior. */
static bool enters(const meeting *m, double tol) {
    double lo = 0, hi = 1;
    for (int f = 0; f < m->poly->g->nface; f++) {
        double a = pp_above(m->poly, f, m->c.p[0]) - tol, slope = perp_v3_dot(m->poly->n[f], m->c.d);
        if (slope > 0) {
            if (-a / slope < hi) hi = -a / slope;
        } else if (slope < 0) {
            if (-a / slope > lo) lo = -a / slope;
        } else if (a > 0) {
            return false;
        }
        if (lo > hi) return false;
    }
    return true;
}

static void end_of_capsule(const meeting *m, int e) {
    pp_nearest c = pp_nearest_of(m->poly, m->c.p[e]);
    if (c.kind == PP_VERTEX_VERTEX) { /* else the vertex is closer to the inside of the segment */
        double t = along(&m->c, c.at);
        if (e == 0 ? t > 0 : t < 1) return;
    } else if (c.kind == PP_VERTEX_EDGE) {
        perp_vec3 back = perp_v3_sub(m->c.p[1 - e], m->c.p[e]), edge = pp_edge_vector(m->poly, c.index);
        double l = perp_v3_norm(edge); /* the segment may dip towards an edge as far as it runs along it */
        if (-perp_v3_dot(c.n, back) * l > m->c.length * slack(&m->c, edge, l)) return;
    }
    emit_core(m, pp_nearest_feature(&c, m->flip, e), c.at, m->c.p[e], c.n, c.distance);
}

/* Whether the polytope can touch at vertex v along n, that is, no edge at v points along n. */
static bool vertex_faces(const meeting *m, int v, perp_vec3 n) {
    const pp_solid *s = m->poly;
    int count = s->g->dim == 2 ? s->g->nvert : s->g->nedge;
    for (int e = 0; e < count; e++) {
        int a = s->g->dim == 2 ? e : s->g->edge[e][0], b = s->g->dim == 2 ? (e + 1) % s->g->nvert : s->g->edge[e][1];
        if (a != v && b != v) continue;
        perp_vec3 d = perp_v3_sub(s->v[a == v ? b : a], s->v[v]);
        if (perp_v3_dot(n, d) > slack(&m->c, d, perp_v3_norm(d))) return false;
    }
    return true;
}

static void vertex_of_poly(const meeting *m, int v) {
    double t = along(&m->c, m->poly->v[v]);
    if (!(t > 0 && t < 1)) return;
    perp_vec3 x = at(&m->c, t), d = perp_v3_sub(x, m->poly->v[v]);
    double l = perp_v3_norm(d);
    if (l - m->c.r > m->w->reach || !(l > 0)) return;
    perp_vec3 n = perp_v3_scale(1 / l, d);
    if (vertex_faces(m, v, n)) emit_core(m, bar_vertex(m, v), m->poly->v[v], x, n, l);
}

/* Ways from edge e into its faces, square to it. */
static void ways_in(const pp_solid *s, int e, perp_vec3 way[2]) {
    const int *g = s->g->edge[e];
    perp_vec3 d = perp_v3_unit(perp_v3_sub(s->v[g[1]], s->v[g[0]]));
    way[0] = perp_v3_cross(s->n[g[2]], d);
    way[1] = perp_v3_cross(d, s->n[g[3]]);
}

/* How far n leads from edge e into its faces: the larger of the two sines; at most 0 in its normal cone. */
static double into_faces(const pp_solid *s, int e, perp_vec3 n) {
    perp_vec3 way[2];
    ways_in(s, e, way);
    return fmax(perp_v3_dot(n, way[0]), perp_v3_dot(n, way[1]));
}

/* Whether the polyhedron can touch at edge e along n. */
static bool edge_faces(const meeting *m, int e, perp_vec3 n) {
    perp_vec3 way[2];
    ways_in(m->poly, e, way);
    for (int k = 0; k < 2; k++)
        if (perp_v3_dot(n, way[k]) > slack(&m->c, way[k], 1)) return false;
    return true;
}

/* Edge e of the polyhedron and the segment as lines: where they are closest; false if they are parallel. */
static bool cross_edge(const meeting *m, int e, double *s, double *u, perp_vec3 *c) {
    perp_vec3 a = m->poly->v[m->poly->g->edge[e][0]], d = perp_v3_sub(m->poly->v[m->poly->g->edge[e][1]], a);
    *c = perp_v3_cross(d, m->c.d);
    double cc = perp_v3_dot(*c, *c);
    if (!(cc > PARALLEL * PARALLEL * perp_v3_dot(d, d) * m->c.dd)) return false;
    perp_vec3 o = perp_v3_sub(m->c.p[0], a);
    *s = perp_v3_dot(perp_v3_cross(o, m->c.d), *c) / cc;
    *u = perp_v3_dot(perp_v3_cross(o, d), *c) / cc;
    return true;
}

static perp_vec3 on_edge(const pp_solid *s, int e, double t) {
    perp_vec3 a = s->v[s->g->edge[e][0]], b = s->v[s->g->edge[e][1]];
    return !(t > 0) ? a : t < 1 ? perp_v3_axpy(a, t, perp_v3_sub(b, a)) : b;
}

static void edge_of_poly(const meeting *m, int e) {
    double s, u;
    perp_vec3 c;
    if (!cross_edge(m, e, &s, &u, &c) || !(s > 0 && s < 1 && u > 0 && u < 1)) return;
    perp_vec3 y = on_edge(m->poly, e, s), x = at(&m->c, u), d = perp_v3_sub(x, y);
    double l = perp_v3_norm(d);
    if (l - m->c.r > m->w->reach || !(l > 0)) return;
    perp_vec3 n = perp_v3_scale(1 / l, d);
    if (edge_faces(m, e, n)) emit_core(m, edge_edge(m, e), y, x, n, l);
}

/* ---- the segment inside the polytope ---- */

/* The part of the segment that lies over face f, and what bounds it: a side of the face, or -1 for an end. */
typedef struct over {
    double t[2];
    int side[2];
} over;

static over part_over(const meeting *m, int f) {
    const pp_solid *s = m->poly;
    const int *v = s->g->face_vert + s->g->face_start[f];
    int n = s->g->face_start[f + 1] - s->g->face_start[f], count = s->g->dim == 2 ? 2 : n;
    over o = {{0, 1}, {-1, -1}};
    for (int k = 0; k < count; k++) {
        perp_vec3 p = s->v[v[k]], q = s->v[v[k + 1 < n ? k + 1 : 0]], out; /* out: across side k, away from the face */
        out = s->g->dim == 2 ? perp_v3_sub(p, q) : perp_v3_cross(perp_v3_sub(q, p), s->n[f]);
        double a = perp_v3_dot(out, perp_v3_sub(m->c.p[0], p)), slope = perp_v3_dot(out, m->c.d);
        int bound = slope > 0 ? 1 : 0;
        if (slope == 0) continue;
        if (bound ? -a / slope < o.t[1] : -a / slope > o.t[0]) {
            o.t[bound] = -a / slope;
            o.side[bound] = k;
        }
    }
    return o;
}

static void inside_face(const meeting *m, int f, int deepest) {
    const pp_solid *s = m->poly;
    perp_vec3 n = s->n[f];
    over o = part_over(m, f);
    if (!(o.t[0] < o.t[1])) { /* nothing of it is over the face */
        o = (over){{deepest, deepest}, {-1, -1}};
    }
    for (int k = 0; k < (o.t[0] < o.t[1] ? 2 : 1); k++) {
        perp_vec3 x = at(&m->c, o.t[k]);
        double d = pp_above(s, f, x);
        uint64_t feature = pp_feature(PP_VERTEX_FACE, m->flip ? 1 : 0, f, o.t[k] > 0.5 ? 1 : 0);
        int at_side = s->g->face_start[f] + o.side[k];
        if (o.side[k] >= 0)
            feature = s->g->dim == 2 ? bar_vertex(m, s->g->face_vert[at_side]) : edge_edge(m, s->g->face_edge[at_side]);
        emit_core(m, feature, perp_v3_axpy(x, -d, n), x, n, d);
    }
}

/* A plane along the segment and through a feature of the polytope. */
typedef struct plane {
    int index; /* edge, in 2D vertex; -1: none */
    perp_vec3 n;
    double separation;
    double at_edge, at_bar; /* 3D: where edge and segment are closest */
} plane;

static plane planes_of_edges(const meeting *m) {
    plane best = {.index = -1, .separation = -INFINITY};
    for (int e = 0; e < m->poly->g->nedge; e++) {
        double s, u;
        perp_vec3 c;
        if (!cross_edge(m, e, &s, &u, &c)) continue;
        perp_vec3 n = perp_v3_unit(c);
        const int *g = m->poly->g->edge[e];
        if (perp_v3_dot(n, perp_v3_add(m->poly->n[g[2]], m->poly->n[g[3]])) < 0) n = perp_v3_neg(n);
        if (into_faces(m->poly, e, n) > 1e-12) continue;
        double d = perp_v3_dot(n, perp_v3_sub(m->c.p[0], m->poly->v[g[0]]));
        if (d > best.separation) best = (plane){e, n, d, s, u};
    }
    return best;
}

static plane planes_of_segment(const meeting *m) {
    plane best = {.index = -1, .separation = -INFINITY};
    perp_vec3 n = across(m->c.d, 2);
    for (int side = 0; side < 2; side++, n = perp_v3_neg(n)) {
        double least = INFINITY;
        int vertex = 0;
        for (int v = 0; v < m->poly->g->nvert; v++) {
            double d = perp_v3_dot(n, perp_v3_sub(m->c.p[0], m->poly->v[v]));
            if (d < least) {
                least = d;
                vertex = v;
            }
        }
        if (least > best.separation) best = (plane){.index = vertex, .n = n, .separation = least};
    }
    return best;
}

static void inside(const meeting *m, const pp_tolerance *t) {
    const pp_solid *s = m->poly;
    double most = -INFINITY;
    int face = 0, deepest = 0;
    for (int f = 0; f < s->g->nface; f++) {
        double a = pp_above(s, f, m->c.p[0]), b = pp_above(s, f, m->c.p[1]);
        if (!((a < b ? a : b) > most + t->tie)) continue;
        most = a < b ? a : b;
        face = f;
        deepest = a < b ? 0 : 1;
    }
    plane p = s->g->dim == 2 ? planes_of_segment(m) : planes_of_edges(m);
    if (p.index < 0 || !(p.separation > most + t->tie)) {
        inside_face(m, face, deepest);
        return;
    }
    if (s->g->dim == 2) {
        perp_vec3 y = s->v[p.index], x = at(&m->c, along(&m->c, y));
        emit_core(m, bar_vertex(m, p.index), y, x, p.n, p.separation);
        return;
    }
    emit_core(m, edge_edge(m, p.index), on_edge(s, p.index, p.at_edge), at(&m->c, p.at_bar), p.n, p.separation);
}

void pp_pair_capsule_poly(pp_narrow *w, const pp_solid *poly, const pp_solid *capsule, bool flip) {
    meeting m = {w, poly, bar_of(capsule), flip};
    for (int f = 0; f < poly->g->nface; f++) {
        double a = pp_above(poly, f, m.c.p[0]), b = pp_above(poly, f, m.c.p[1]);
        if ((a < b ? a : b) - m.c.r > w->reach) return;
    }
    pp_tolerance t = pp_tolerances(poly->g, capsule->g);
    if (enters(&m, t.touch)) {
        inside(&m, &t);
        return;
    }
    for (int e = 0; e < 2; e++) end_of_capsule(&m, e);
    for (int v = 0; v < poly->g->nvert; v++) vertex_of_poly(&m, v);
    for (int e = 0; e < poly->g->nedge; e++) edge_of_poly(&m, e);
}
