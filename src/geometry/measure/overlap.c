/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* overlap.c - penetration depth of two shapes, for the certificate
 *   separation of A and B: if they overlap, minus the length of the smallest translation that separates them; otherwise a lower
 *   bound of their distance.
 * Method   polytopes: separating axes, projecting all vertices on every face normal and on every cross product of two
 *          edges that both support; spheres: exact signed distance of the centre; capsules: the same of their segment,
 *          which is a polytope without an inside; half-spaces: the support point. In the frame of one of the two
 *          shapes, on the exact planes of the geometry. Nothing here is shared with the detector, which works in W with
 *          selected features, so a defect of one does not hide in the other.
 * Valid    convex shapes, exact: the largest separation over these axes is minus the penetration depth. A particle,
 *          sphere or capsule that is apart from anything has its exact distance too.
 * Cost     per pair (faces + edges) x vertices, in 3D plus edges x edges of those that may part the two better than a face; the broad phase
 *          says which pairs. */
#include "geometry/broad/broad.h"
#include "geometry/shape/implicit_function.h"

/* Points (or a segment) with a radius: capsule, sphere and particle. */
static bool is_round(const pp_geometry *g) {
    return g->kind == PERP_SHAPE_PARTICLE || g->kind == PERP_SHAPE_SPHERE || g->kind == PERP_SHAPE_CAPSULE;
}

/* Smallest n . x over the shape, n in S. */
static double lowest(const pp_geometry *g, perp_vec3 n) {
    double least = INFINITY;
    for (int v = 0; v < g->nvert; v++) {
        double d = perp_v3_dot(n, g->vert[v]);
        if (d < least) least = d;
    }
    return least - g->radius;
}

/* Distance of x from the segment a b. */
static double segment_distance(perp_vec3 x, perp_vec3 a, perp_vec3 b) {
    perp_vec3 d = perp_v3_sub(b, a), r = perp_v3_sub(x, a);
    double dd = perp_v3_dot(d, d), t = dd > 0 ? perp_v3_dot(r, d) / dd : 0;
    if (t < 0) t = 0;
    if (t > 1) t = 1;
    return perp_v3_norm(perp_v3_axpy(r, -t, d));
}

/* Distance of x, h in front of the plane of face f, from that face: h over it, else that of its nearest side. */
static double face_distance(const pp_geometry *g, int f, perp_vec3 x, double h) {
    int first = g->face_start[f], n = g->face_start[f + 1] - first;
    bool over = true;
    double least = INFINITY;
    for (int k = 0; k < n; k++) {
        perp_vec3 a = g->vert[g->face_vert[first + k]], b = g->vert[g->face_vert[first + (k + 1) % n]];
        if (g->dim == 3 && perp_v3_dot(perp_v3_cross(g->face_n[f], perp_v3_sub(b, a)), perp_v3_sub(x, a)) < 0)
            over = false;
        double d = segment_distance(x, a, b);
        if (d < least) least = d;
    }
    return g->dim == 3 && over ? h : least;
}

/* Signed distance of the point x (in S) from a polytope: exact on both sides. */
static double point_distance(const pp_geometry *g, perp_vec3 x) {
    double most = -INFINITY, least = INFINITY;
    for (int f = 0; f < g->nface; f++) {
        double h = perp_v3_dot(g->face_n[f], x) - g->face_d[f];
        if (h > most) most = h;
    }
    if (!(most > 0)) return most;
    for (int f = 0; f < g->nface; f++) {
        double h = perp_v3_dot(g->face_n[f], x) - g->face_d[f];
        double d = h > 0 ? face_distance(g, f, x, h) : INFINITY;
        if (d < least) least = d;
    }
    return least;
}

/* Largest separation over the face normals of `g`, the other shape `o` standing at X (frame of g). */
static double over_faces(const pp_geometry *g, const pp_geometry *o, perp_pose X) {
    double most = -INFINITY;
    for (int f = 0; f < g->nface; f++) {
        perp_vec3 n = g->face_n[f];
        double d = perp_v3_dot(n, X.p) + lowest(o, perp_q_unrotate(X.q, n)) - g->face_d[f];
        if (d > most) most = d;
    }
    return most;
}

/* Whether a plane with normal n, n . e = 0, can support the edge e between faces with normals l and r. The test has a small tolerance,
 * because an additional axis does no harm. */
static bool supports(perp_vec3 l, perp_vec3 r, perp_vec3 e, perp_vec3 n) {
    double length = perp_v3_norm(e), slack = -1e-9 * length;
    return perp_v3_dot(perp_v3_cross(l, n), e) >= slack && perp_v3_dot(perp_v3_cross(n, r), e) >= slack;
}

/* Planes that an edge supports have normals between those of its faces: l s + r t with s, t >= 0 and s + t >= 1. For a point x of the other shape,
 * at d = x - edge, n . d bounds the separation. So if l . d and r . d are both negative and below `best`, so are all of these. */
static bool none_better(perp_vec3 l, perp_vec3 r, perp_vec3 d, double best) {
    double ahead = fmax(perp_v3_dot(l, d), perp_v3_dot(r, d));
    return ahead < fmin(0, best) - 1e-12 * perp_v3_norm(d);
}

/* The vertex of g with the smallest n . x. */
static perp_vec3 lowest_vertex(const pp_geometry *g, perp_vec3 n) {
    int best = 0;
    for (int v = 1; v < g->nvert; v++)
        if (perp_v3_dot(n, g->vert[v]) < perp_v3_dot(n, g->vert[best])) best = v;
    return g->vert[best];
}

enum { MANY_EDGES = 512 }; /* of a: more are not sorted out beforehand */

/* Largest separation over cross products of edges that support each other, if it is above `best`; X is the pose of b in the frame of
 * a. */
static double over_edges(const pp_geometry *a, const pp_geometry *b, perp_pose X, double best) {
    double most = best;
    bool skip[MANY_EDGES] = {false};
    for (int i = 0; i < a->nedge && i < MANY_EDGES; i++) {
        perp_vec3 l = a->face_n[a->edge[i][2]], r = a->face_n[a->edge[i][3]];
        perp_vec3 x = perp_pose_apply(X, lowest_vertex(b, perp_q_unrotate(X.q, perp_v3_add(l, r))));
        skip[i] = none_better(l, r, perp_v3_sub(x, a->vert[a->edge[i][0]]), best);
    }
    for (int j = 0; j < b->nedge; j++) {
        perp_vec3 eb = perp_q_rotate(X.q, perp_v3_sub(b->vert[b->edge[j][1]], b->vert[b->edge[j][0]]));
        perp_vec3 lb = perp_v3_neg(perp_q_rotate(X.q, b->face_n[b->edge[j][2]]));
        perp_vec3 rb = perp_v3_neg(perp_q_rotate(X.q, b->face_n[b->edge[j][3]]));
        perp_vec3 x = lowest_vertex(a, perp_v3_neg(perp_v3_add(lb, rb)));
        perp_vec3 at = perp_pose_apply(X, b->vert[b->edge[j][0]]);
        if (none_better(lb, rb, perp_v3_sub(at, x), best)) continue;
        for (int i = 0; i < a->nedge; i++) {
            if (i < MANY_EDGES && skip[i]) continue;
            perp_vec3 ea = perp_v3_sub(a->vert[a->edge[i][1]], a->vert[a->edge[i][0]]);
            perp_vec3 la = a->face_n[a->edge[i][2]], ra = a->face_n[a->edge[i][3]];
            perp_vec3 c = perp_v3_cross(ea, eb);
            double l = perp_v3_norm(c);
            if (!(l > 1e-14 * perp_v3_norm(ea) * perp_v3_norm(eb))) continue; /* parallel: faces do */
            for (int sign = 1; sign >= -1; sign -= 2) {
                perp_vec3 n = perp_v3_scale(sign / l, c);
                /* B is touched from the other side: lb and rb are negated, which leaves lb x rb along eb */
                if (!supports(la, ra, ea, n) || !supports(lb, rb, eb, n)) continue;
                double top = -lowest(a, perp_v3_neg(n));
                double d = perp_v3_dot(n, X.p) + lowest(b, perp_q_unrotate(X.q, n)) - top;
                if (d > most) most = d;
            }
        }
    }
    return most;
}

static double polytopes(const pp_placed *a, const pp_placed *b) {
    perp_pose X_ab = perp_pose_mul(perp_pose_inverse(a->X_WS), b->X_WS);
    double d = over_faces(a->g, b->g, X_ab);
    if (d > 0) return d;
    double e = over_faces(b->g, a->g, perp_pose_inverse(X_ab));
    if (e > d) d = e;
    if (d > 0 || a->g->dim == 2) return d;
    return over_edges(a->g, b->g, X_ab, d);
}

static double plane_separation(const pp_placed *plane, const pp_placed *b) {
    if (b->g->kind == PERP_SHAPE_HALFSPACE) return INFINITY;
    perp_vec3 n_W = perp_q_rotate(plane->X_WS.q, plane->g->normal);
    return perp_v3_dot(n_W, perp_v3_sub(b->X_WS.p, plane->X_WS.p)) - plane->g->offset +
           lowest(b->g, perp_q_unrotate(b->X_WS.q, n_W));
}

/* The segment inside a round shape, in a frame; a sphere has both ends in its centre. */
typedef struct segment {
    perp_vec3 a, b;
} segment;

static segment segment_in(const pp_placed *round, perp_pose X) {
    const pp_geometry *g = round->g;
    perp_pose Y = perp_pose_mul(perp_pose_inverse(X), round->X_WS);
    return (segment){perp_pose_apply(Y, g->vert[0]), perp_pose_apply(Y, g->vert[g->nvert - 1])};
}

static double clamp01(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

/* Distance of two segments. It is attained at a stationary point inside both, or at an end of one. The least of
 * these five candidates is the distance, also for nearly parallel segments. */
static double segments_distance(segment p, segment q) {
    double least = fmin(fmin(segment_distance(p.a, q.a, q.b), segment_distance(p.b, q.a, q.b)),
                        fmin(segment_distance(q.a, p.a, p.b), segment_distance(q.b, p.a, p.b)));
    perp_vec3 u = perp_v3_sub(p.b, p.a), v = perp_v3_sub(q.b, q.a), r = perp_v3_sub(p.a, q.a);
    perp_vec3 c = perp_v3_cross(u, v);
    double cc = perp_v3_dot(c, c);
    if (!(cc > 0)) return least;
    double s = clamp01(perp_v3_dot(perp_v3_cross(v, r), c) / cc);
    return fmin(least, segment_distance(perp_v3_axpy(p.a, s, u), q.a, q.b));
}

/* In the plane segments that cross have a depth of their own: what parts their centre lines. Zero if they do not. */
static double crossing_depth(segment p, segment q) {
    double depth = INFINITY;
    for (int k = 0; k < 2; k++) {
        segment s = k ? q : p, o = k ? p : q;
        perp_vec3 d = perp_v3_sub(s.b, s.a), n = perp_v3_unit(perp_v3(-d.y, d.x, 0));
        double ha = perp_v3_dot(n, perp_v3_sub(o.a, s.a)), hb = perp_v3_dot(n, perp_v3_sub(o.b, s.a));
        depth = fmin(depth, fmin(fmax(ha, hb), -fmin(ha, hb)));
    }
    return fmax(depth, 0);
}

static double rounds(const pp_placed *a, const pp_placed *b) {
    segment p = segment_in(a, perp_pose_identity()), q = segment_in(b, perp_pose_identity());
    double d = segments_distance(p, q);
    double crossing = a->g->dim == 2 && a->g->nvert == 2 && b->g->nvert == 2 ? crossing_depth(p, q) : 0;
    return (crossing > 0 ? -crossing : d) - a->g->radius - b->g->radius;
}

/* Separation of a segment along n (unit, out of g) from the highest vertex of g. */
static double along(const pp_geometry *g, segment s, perp_vec3 n) {
    return fmin(perp_v3_dot(n, s.a), perp_v3_dot(n, s.b)) + lowest(g, perp_v3_neg(n));
}

/* Largest separation of a segment from a polytope over the normals of the sum of the two: faces, and planes along the
 * segment and an edge. */
static double segment_axes(const pp_geometry *g, segment s) {
    double most = -INFINITY;
    perp_vec3 d = perp_v3_sub(s.b, s.a);
    for (int f = 0; f < g->nface; f++)
        most = fmax(most, fmin(perp_v3_dot(g->face_n[f], s.a), perp_v3_dot(g->face_n[f], s.b)) - g->face_d[f]);
    if (g->dim == 2) {
        perp_vec3 n = perp_v3_unit(perp_v3(-d.y, d.x, 0));
        return perp_v3_dot(n, n) > 0 ? fmax(most, fmax(along(g, s, n), along(g, s, perp_v3_neg(n)))) : most;
    }
    for (int i = 0; i < g->nedge; i++) {
        perp_vec3 e = perp_v3_sub(g->vert[g->edge[i][1]], g->vert[g->edge[i][0]]), c = perp_v3_cross(e, d);
        double l = perp_v3_norm(c);
        if (!(l > 1e-14 * perp_v3_norm(e) * perp_v3_norm(d))) continue; /* parallel: faces do */
        for (int sign = 1; sign >= -1; sign -= 2) {
            perp_vec3 n = perp_v3_scale(sign / l, c);
            if (supports(g->face_n[g->edge[i][2]], g->face_n[g->edge[i][3]], e, n)) most = fmax(most, along(g, s, n));
        }
    }
    return most;
}

/* Signed distance of a segment (in S) from a polytope: exact on both sides. */
static double segment_polytope(const pp_geometry *g, segment s) {
    double depth = segment_axes(g, s);
    if (!(depth > 0)) return depth;
    double least = fmin(point_distance(g, s.a), point_distance(g, s.b));
    int n = g->dim == 2 ? g->nface : g->nedge;
    for (int i = 0; i < n; i++) {
        int a = g->dim == 2 ? i : g->edge[i][0], b = g->dim == 2 ? (i + 1) % g->nvert : g->edge[i][1];
        least = fmin(least, segments_distance(s, (segment){g->vert[a], g->vert[b]}));
    }
    return fmax(least, 0);
}

static double round_polytope(const pp_placed *round, const pp_placed *poly) {
    segment s = segment_in(round, poly->X_WS);
    bool point = round->g->nvert == 1;
    return (point ? point_distance(poly->g, s.a) : segment_polytope(poly->g, s)) - round->g->radius;
}

double pp_separation(const pp_placed *a, const pp_placed *b) {
    if (pp_is_implicit(a->g) || pp_is_implicit(b->g)) return pp_implicit_separation(a, b);
    if (a->g->kind == PERP_SHAPE_HALFSPACE) return plane_separation(a, b);
    if (b->g->kind == PERP_SHAPE_HALFSPACE) return plane_separation(b, a);
    if (a->g->kind == PERP_SHAPE_PARTICLE && b->g->kind == PERP_SHAPE_PARTICLE) return INFINITY;
    if (is_round(a->g) && is_round(b->g)) return rounds(a, b);
    if (is_round(a->g)) return round_polytope(a, b);
    if (is_round(b->g)) return round_polytope(b, a);
    return polytopes(a, b);
}

/* The deepest of pairs so far. */
static void deeper(const pp_placed *a, const pp_placed *b, double *deepest, int which[2]) {
    double d = -pp_separation(a, b);
    if (isnan(d)) d = INFINITY; /* a pose that is not finite counts as the deepest overlap */
    if (!(d > *deepest)) return;
    *deepest = d;
    which[0] = a->slot;
    which[1] = b->slot;
}

static bool may_overlap(const pp_placed *a, const pp_placed *b) {
    if (a->body == b->body || (!a->moves && !b->moves)) return false;
    if (!(a->group & b->mask) || !(b->group & a->mask)) return false;
    double r = a->g->bound + b->g->bound; /* infinite for a half-space */
    perp_vec3 d = perp_v3_sub(b->X_WS.p, a->X_WS.p);
    return !(perp_v3_dot(d, d) > r * r);
}

double pp_deepest_overlap(int nplaced, const pp_placed *placed, pp_pair_filter filter, const void *ctx, int which[2]) {
    double deepest = 0;
    which[0] = which[1] = -1;
    for (int i = 0; i < nplaced; i++)
        for (int j = i + 1; j < nplaced; j++)
            if (may_overlap(&placed[i], &placed[j]) && (!filter || filter(i, j, ctx)))
                deeper(&placed[i], &placed[j], &deepest, which);
    return deepest;
}

perp_status pp_overlapping(pp_broad *broad, int n, const pp_placed *placed, pp_pair_filter filter, const void *ctx,
                           const perp_allocator *a, pp_arena *arena, pp_couple_list *out) {
    pp_arena_mark mark = pp_arena_here(arena);
    pp_box *box = PP_ARENA_ARRAY(arena, pp_box, n);
    out->n = 0;
    if (!box) return PERP_E_MEMORY;
    for (int i = 0; i < n; i++) {
        pp_placed p = placed[i];
        p.reach = 0;
        box[i] = pp_box_of(&p);
    }
    perp_status st = pp_broad_pairs(broad, n, box, placed, filter, ctx, a, out);
    pp_arena_release(arena, mark);
    return st;
}

perp_status pp_overlap_deepest(pp_broad *broad, int n, const pp_placed *placed, pp_pair_filter filter, const void *ctx,
                               const perp_allocator *a, pp_arena *arena, pp_couple_list *couples, double *deepest,
                               int which[2]) {
    *deepest = 0;
    which[0] = which[1] = -1;
    perp_status st = pp_overlapping(broad, n, placed, filter, ctx, a, arena, couples);
    for (int k = 0; !st && k < couples->n; k++)
        deeper(&placed[couples->couple[k].i], &placed[couples->couple[k].j], deepest, which);
    return st;
}
