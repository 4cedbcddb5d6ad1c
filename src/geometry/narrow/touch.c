/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* touch.c - where two solids touch on a separating plane: see touch.h
 * Method   the most opposed face of the other body is clipped by the face of the plane, seen along the normal. All corners of the
 *          result that are as low as the lowest one, within FLUSH of the size of the patch, are contacts: every corner if a face
 *          lies on a face, two if an edge lies on a face, one for a corner. If the single lowest corner is not a vertex over
 *          the face, the bodies do not touch on this plane but on that of two crossing edges or of the other body's face.
 * Source   Williams 3.2-3.4 for the feature pairs. */
#include "geometry/narrow/touch.h"

#include <string.h>

#define SQUARE   0.2   /* smallest sine of the angle between two edges at which their own cross product is the normal */
#define UPRIGHT  0.95  /* smallest cosine of that normal with the normal of the plane */
#define FLUSH    1e-3  /* slope below which a face or edge lies flat on a face [rad] */
#define BESIDE   5e-10 /* a vertex this far beside a face, as a part of the size, is on it */
#define LEVEL    1e-8  /* corners at most this far above the lowest, as a fraction of the size, are as low */
#define SAME     1e-9  /* sizes of faces that differ by no more are equal */
#define PARALLEL 1e-4  /* edges at a smaller angle do not cross at a point worth the name [rad] */

bool pp_touches_new(pp_touches *t, int n, const pp_placed *placed, pp_arena *arena) {
    int most = 2;
    for (int i = 0; i < n; i++) {
        const pp_geometry *g = placed[i].g;
        if (g->nvert > most) most = g->nvert; /* a face of a half-space is any of them */
    }
    *t = (pp_touches){.cap = 2 * most + 4};
    t->at = PP_ARENA_ARRAY(arena, pp_touch, t->cap);
    t->clip[0] = PP_ARENA_ARRAY(arena, pp_clip_point, t->cap);
    t->clip[1] = PP_ARENA_ARRAY(arena, pp_clip_point, t->cap);
    return t->at && t->clip[0] && t->clip[1];
}

static bool is_plane(const pp_solid *s) { return s->g->kind == PERP_SHAPE_HALFSPACE; }

/* Point x of O, with its radius, over face f of R; turned round if R is B. */
static pp_touch over_face(const pp_solid *R, int f, const pp_solid *O, int v, bool flip) {
    perp_vec3 n = R->n[f], x = perp_v3_axpy(O->v[v], -O->g->radius, n);
    perp_vec3 at = is_plane(R) ? R->at : R->v[pp_side_vertex(R, f, 0)];
    double gap = perp_v3_dot(n, perp_v3_sub(x, at)), off = -INFINITY;
    if (!is_plane(R) && R->g->dim == 2) {
        perp_vec3 p = R->v[pp_side_vertex(R, f, 0)], q = R->v[pp_side_vertex(R, f, 1)];
        perp_vec3 e = perp_v3(-n.y, n.x, 0); /* from p to q */
        off = fmax(perp_v3_dot(e, perp_v3_sub(p, x)), perp_v3_dot(e, perp_v3_sub(x, q)));
    } else if (!is_plane(R)) {
        pp_clip_frame c = {.R = R, .fr = f, .n = n};
        for (int k = 0; k < pp_side_count(R, f); k++) off = fmax(off, pp_side_distance(&c, k, x));
    }
    perp_vec3 foot = perp_v3_axpy(x, -gap, n);
    pp_touch t = {.feature = pp_feature(PP_VERTEX_FACE, flip, f, v), .a = foot, .b = x, .n = n, .gap = gap, .off = off};
    if (flip) {
        t.a = x;
        t.b = foot;
        t.n = perp_v3_neg(n);
    }
    return t;
}

/* Distance by which a point lies beyond the ends of an edge. */
static double outside(perp_vec3 p, perp_vec3 q, perp_vec3 x) {
    perp_vec3 e = perp_v3_unit(perp_v3_sub(q, p));
    return fmax(perp_v3_dot(e, perp_v3_sub(p, x)), perp_v3_dot(e, perp_v3_sub(x, q)));
}

/* Two edges, seen along n: the points where they cross. */
static pp_touch crossing(const pp_solid *A, int ea, const pp_solid *B, int eb, perp_vec3 n) {
    perp_vec3 pa = A->v[A->g->edge[ea][0]], qa = A->v[A->g->edge[ea][1]], pb = B->v[B->g->edge[eb][0]],
              qb = B->v[B->g->edge[eb][1]];
    perp_vec3 da = perp_v3_sub(qa, pa), db = perp_v3_sub(qb, pb), r = perp_v3_sub(pb, pa);
    perp_vec3 na = perp_v3_cross(n, da), nb = perp_v3_cross(n, db);
    double den_b = perp_v3_dot(na, db), den_a = perp_v3_dot(nb, da);
    pp_touch t = {.feature = pp_feature(PP_EDGE_EDGE, 0, ea, eb), .n = n, .off = INFINITY, .gap = INFINITY};
    t.a = pa;
    t.b = pb;
    if (den_a == 0 || den_b == 0) return t; /* parallel from here: not a crossing */
    t.a = perp_v3_axpy(pa, perp_v3_dot(nb, r) / den_a, da);
    t.b = perp_v3_axpy(pb, -perp_v3_dot(na, r) / den_b, db);
    t.gap = perp_v3_dot(n, perp_v3_sub(t.b, t.a));
    t.off = fmax(outside(pa, qa, t.a), outside(pb, qb, t.b));
    return t;
}

/* The normal of two edges that cross on a plane: square to both, as in the plane a corner takes the normal of the side it
 * lies on; that of the plane where they are nearly parallel or lean too far from it. */
static perp_vec3 crossing_normal(const pp_solid *A, const pp_solid *B, pp_plane plane, int ea, int eb) {
    perp_vec3 n = pp_plane_normal(A, B, plane);
    if (pp_plane_is_edges(plane)) return n;
    perp_vec3 da = perp_v3_unit(perp_v3_sub(A->v[A->g->edge[ea][1]], A->v[A->g->edge[ea][0]]));
    perp_vec3 db = perp_v3_unit(perp_v3_sub(B->v[B->g->edge[eb][1]], B->v[B->g->edge[eb][0]]));
    perp_vec3 c = perp_v3_cross(da, db);
    double sine = perp_v3_norm(c), along = perp_v3_dot(c, n);
    if (sine < SQUARE || fabs(along) < UPRIGHT * sine) return n;
    return perp_v3_scale((along < 0 ? -1 : 1) / sine, c);
}

pp_touch pp_touch_at(const pp_solid *A, const pp_solid *B, pp_plane plane, uint64_t feature) {
    if (pp_feature_kind(feature) == PP_EDGE_EDGE) {
        int ea = pp_feature_a(feature), eb = pp_feature_b(feature);
        return crossing(A, ea, B, eb, crossing_normal(A, B, plane, ea, eb));
    }
    int owner = pp_feature_owner(feature);
    return owner ? over_face(B, pp_feature_a(feature), A, pp_feature_b(feature), true)
                 : over_face(A, pp_feature_a(feature), B, pp_feature_b(feature), false);
}

/* Where a point of edge e at the pose s1 is at the pose s. */
static perp_vec3 carried(const pp_solid *s, const pp_solid *s1, int e, perp_vec3 x1) {
    const int *v = s->g->edge[e];
    perp_vec3 d1 = perp_v3_sub(s1->v[v[1]], s1->v[v[0]]);
    double part = perp_v3_dot(perp_v3_sub(x1, s1->v[v[0]]), d1) / perp_v3_dot(d1, d1);
    return perp_v3_axpy(s->v[v[0]], part, perp_v3_sub(s->v[v[1]], s->v[v[0]]));
}

void pp_touch_carry(pp_touch *t, const pp_solid *A, const pp_solid *B, const pp_solid *A1, const pp_solid *B1,
                    pp_plane plane) {
    pp_touch then = pp_touch_at(A1, B1, plane, t->feature);
    if (!(then.off < t->off)) return;
    perp_vec3 a = carried(A, A1, pp_feature_a(t->feature), then.a),
              b = carried(B, B1, pp_feature_b(t->feature), then.b), middle = perp_v3_scale(0.5, perp_v3_add(a, b));
    t->gap = perp_v3_dot(t->n, perp_v3_sub(b, a));
    t->a = perp_v3_axpy(middle, -0.5 * t->gap, t->n);
    t->b = perp_v3_axpy(middle, 0.5 * t->gap, t->n);
}

/* Face of s that looks most against n. */
static int opposed(const pp_solid *s, perp_vec3 n) {
    int best = 0;
    double least = INFINITY;
    for (int f = 0; f < s->g->nface; f++) {
        double d = perp_v3_dot(s->n[f], n);
        if (d < least) {
            least = d;
            best = f;
        }
    }
    return best;
}

/* Common direction of the impulses if a face comes to lie flat on another one, from A to B: the normal of the body that does not
 * move, or the mean of both normals if both move. False: the faces will not lie flat on each other. */
static bool flat_normal(const pp_solid *A, const pp_solid *B, pp_plane face, const bool moves[2], perp_vec3 *n) {
    bool flip = pp_feature_owner(face);
    const pp_solid *R = flip ? B : A, *O = flip ? A : B;
    if (is_plane(R) || O->g->nface == 0) return false;
    perp_vec3 r = R->n[pp_feature_a(face)], o = O->n[opposed(O, r)];
    if (!(perp_v3_dot(r, o) < -UPRIGHT)) return false;
    *n = !moves[flip] ? r : !moves[!flip] ? perp_v3_neg(o) : perp_v3_unit(perp_v3_sub(r, o));
    if (flip) *n = perp_v3_neg(*n);
    return true;
}

pp_touch pp_touch_push(const pp_solid *A, const pp_solid *B, pp_plane plane, uint64_t feature, pp_plane face,
                       const bool moves[2]) {
    pp_touch t = pp_touch_at(A, B, plane, feature);
    perp_vec3 n;
    if (!flat_normal(A, B, face, moves, &n)) return t;
    double along = perp_v3_dot(n, t.n);
    if (!(along > UPRIGHT)) return t; /* of another patch */
    if (pp_feature_kind(feature) == PP_EDGE_EDGE)
        return crossing(A, pp_feature_a(feature), B, pp_feature_b(feature), n);
    t.gap /= along;
    t.n = n;
    if (pp_feature_owner(feature))
        t.b = perp_v3_axpy(t.a, t.gap, n);
    else
        t.a = perp_v3_axpy(t.b, -t.gap, n);
    return t;
}

static void put(pp_touches *t, pp_touch x) {
    for (int i = 0; i < t->n; i++)
        if (t->at[i].feature == x.feature) return;
    if (t->n < t->cap) t->at[t->n++] = x;
}

/* Corners of a face of s that are as low as any, seen against n. */
static int lowest_corners(const pp_solid *s, int f, perp_vec3 n, double low) {
    int count = 0;
    for (int k = 0; k < pp_side_count(s, f); k++)
        count += perp_v3_dot(n, s->v[pp_side_vertex(s, f, k)]) <= low + LEVEL * s->g->size;
    return count;
}

/* Face of s at its lowest vertex v that is most opposed to n. If an edge lies flat, rounding decides which of its ends is the lowest.
 * Faces with more of the lowest corners are therefore preferred, so that the result does not depend on it. */
static int incident(const pp_solid *s, perp_vec3 n, int v) {
    int best = 0, most = 0;
    double least = INFINITY, low = perp_v3_dot(n, s->v[v]);
    for (int f = 0; f < s->g->nface; f++) {
        double d = perp_v3_dot(s->n[f], n);
        int count = lowest_corners(s, f, n, low);
        if (count < most || count == 0 || (count == most && !(d < least - 1e-12))) continue;
        most = count;
        least = d;
        best = f;
    }
    return best;
}

/* Whether an earlier corner is at the same place. Vertices come first, so a crossing at a vertex is dropped. */
static bool taken(const pp_touches *t, int n, perp_vec3 x, double merge) {
    for (int i = 0; i < n; i++)
        if (perp_v3_norm(perp_v3_sub(t->clip[1][i].x, x)) <= merge) return true;
    return false;
}

/* Whether the two edges of a crossing are nearly parallel. */
static bool parallel(const pp_clip_frame *c, uint64_t feature) {
    const pp_solid *A = c->flip ? c->O : c->R, *B = c->flip ? c->R : c->O;
    const int *a = A->g->edge[pp_feature_a(feature)], *b = B->g->edge[pp_feature_b(feature)];
    perp_vec3 da = perp_v3_sub(A->v[a[1]], A->v[a[0]]), db = perp_v3_sub(B->v[b[1]], B->v[b[0]]);
    return perp_v3_norm(perp_v3_cross(da, db)) < PARALLEL * perp_v3_norm(da) * perp_v3_norm(db);
}

/* Corners of the patch to clip[1], vertices of O first, then corners of R's face, then crossings. */
static int sort_patch(pp_touches *t, const pp_clip_frame *f, int m, double merge) {
    int n = 0, owner = f->flip;
    for (int pass = 0; pass < 3; pass++)
        for (int k = 0; k < m; k++) {
            pp_clip_point *c = &t->clip[0][k];
            int rank = pp_feature_kind(c->tag) == PP_EDGE_EDGE ? 2 : pp_feature_owner(c->tag) == owner ? 0 : 1;
            if (rank != pass || taken(t, n, c->x, merge) || (rank == 2 && parallel(f, c->tag))) continue;
            t->clip[1][n++] = *c;
        }
    return n;
}

/* In 2D the patch is the stretch that the facing edge of O shares with edge f of R. */
static int patch2d(pp_touches *t, const pp_solid *R, int f, const pp_solid *O, int k, bool flip) {
    perp_vec3 n = R->n[f], e = perp_v3(-n.y, n.x, 0), p = R->v[pp_side_vertex(R, f, 0)];
    double length = perp_v3_dot(e, perp_v3_sub(R->v[pp_side_vertex(R, f, 1)], p));
    int ends[2] = {pp_side_vertex(O, k, 0), pp_side_vertex(O, k, 1)}, m = 0;
    double s[2];
    for (int i = 0; i < 2; i++) s[i] = perp_v3_dot(e, perp_v3_sub(O->v[ends[i]], p));
    double beside = BESIDE * fmin(R->g->size, O->g->size);
    for (int i = 0; i < 2; i++)
        if (s[i] >= -beside && s[i] <= length + beside)
            t->clip[0][m++] =
                (pp_clip_point){.x = O->v[ends[i]], .tag = pp_feature(PP_VERTEX_FACE, flip ? 1 : 0, f, ends[i])};
    for (int i = 0; i < 2; i++) {
        double at = i ? length : 0;
        if (!((at > s[0] + beside && at < s[1] - beside) || (at < s[0] - beside && at > s[1] + beside))) continue;
        perp_vec3 x =
            perp_v3_axpy(O->v[ends[0]], (at - s[0]) / (s[1] - s[0]), perp_v3_sub(O->v[ends[1]], O->v[ends[0]]));
        t->clip[0][m++] =
            (pp_clip_point){.x = x, .tag = pp_feature(PP_VERTEX_FACE, flip ? 0 : 1, k, pp_side_vertex(R, f, i))};
    }
    return m;
}

/* The plane of a single lowest corner that is not a vertex of O over the face of R. */
static pp_plane meant(const pp_solid *A, const pp_solid *B, uint64_t feature, perp_vec3 n) {
    if (pp_feature_kind(feature) == PP_VERTEX_FACE)
        return pp_plane_face(pp_feature_owner(feature), pp_feature_a(feature));
    int ea = pp_feature_a(feature), eb = pp_feature_b(feature);
    pp_plane plus = pp_plane_edges(0, ea, eb);
    return perp_v3_dot(pp_plane_normal(A, B, plus), n) < 0 ? pp_plane_edges(1, ea, eb) : plus;
}

/* Whether an edge of O lies across R's face and leaves it at two crossings. */
static bool lies_across(const pp_touches *t, bool flip) {
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < i; j++) {
            uint64_t a = t->at[i].feature, b = t->at[j].feature;
            if (pp_feature_kind(a) != PP_EDGE_EDGE || pp_feature_kind(b) != PP_EDGE_EDGE) continue;
            if (flip ? pp_feature_a(a) == pp_feature_a(b) : pp_feature_b(a) == pp_feature_b(b)) return true;
        }
    return false;
}

/* Whether an edge or a corner of R's face lies on a face of O that is not flush with it, and no vertex or edge of O on R's face. */
static bool lies_on_other(const pp_touches *t, const pp_solid *R, int f, const pp_solid *O, int k, bool flip) {
    if (1 + perp_v3_dot(R->n[f], O->n[k]) <= FLUSH * FLUSH / 2) return false;
    for (int i = 0; i < t->n; i++)
        if (pp_feature_kind(t->at[i].feature) == PP_VERTEX_FACE && pp_feature_owner(t->at[i].feature) == (int)flip)
            return false;
    return !lies_across(t, flip);
}

/* Whether corner i of the patch is a contact together with the lowest one. No lower corner may be so close that the slope between
 * them is steeper than FLUSH; so a patch that is long across its slope does not count as flat. */
static bool touches_too(const pp_touches *t, perp_vec3 n, int i, int m) {
    for (int j = 0; j < m; j++) {
        perp_vec3 up = perp_v3_sub(t->clip[1][i].x, t->clip[1][j].x);
        if (perp_v3_dot(n, up) > FLUSH * perp_v3_norm(up)) return false;
    }
    return true;
}

/* A half-space: the lowest point and those that touch with it, by the same rule as on a face. */
static void find_on_halfspace(pp_touches *t, const pp_solid *R, const pp_solid *O, bool flip) {
    double low = INFINITY, slack = FLUSH * O->g->size;
    int m = 0;
    for (int v = 0; v < O->g->nvert; v++) low = fmin(low, over_face(R, 0, O, v, flip).gap);
    for (int v = 0; v < O->g->nvert && m < t->cap; v++) /* what is higher is steeper than FLUSH above the lowest */
        if (over_face(R, 0, O, v, flip).gap <= low + slack) t->clip[1][m++] = (pp_clip_point){.x = O->v[v], .side = v};
    for (int i = 0; i < m; i++)
        if (touches_too(t, R->n[0], i, m)) put(t, over_face(R, 0, O, t->clip[1][i].side, flip));
}

/* The edge of O at its lowest vertex v that lies level, seen against n; -1: there is none, or more than one. */
static int level_edge(const pp_solid *O, perp_vec3 n, int v) {
    double low = perp_v3_dot(n, O->v[v]) + LEVEL * O->g->size;
    int found = -1, count = 0;
    for (int e = 0; e < O->g->nedge; e++) {
        const int *end = O->g->edge[e];
        if (perp_v3_dot(n, O->v[end[0]]) > low || perp_v3_dot(n, O->v[end[1]]) > low) continue;
        found = e;
        count++;
    }
    return count == 1 ? found : -1;
}

/* Contacts for the lowest vertex v of O beside R's face. If it is the end of a level edge, both ends of the part over the face are
 * contacts, because one alone would rotate the body. */
static void put_beside(pp_touches *t, const pp_clip_frame *c, int v, double beside, pp_plane plane) {
    const pp_solid *R = c->R, *O = c->O, *A = c->flip ? O : R, *B = c->flip ? R : O;
    int e = level_edge(O, c->n, v), side[2] = {-1, -1};
    double part[2] = {0, 1};
    for (int k = 0; e >= 0 && k < pp_side_count(R, c->fr); k++) {
        double p = pp_side_distance(c, k, O->v[O->g->edge[e][0]]), q = pp_side_distance(c, k, O->v[O->g->edge[e][1]]);
        if ((p > beside) == (q > beside)) continue; /* beside it as a whole, or not at all */
        int end = q > beside;
        double at = p / (p - q);
        if (end ? !(at < part[1]) : !(at > part[0])) continue;
        part[end] = at;
        side[end] = k;
    }
    for (int end = 0; e >= 0 && part[0] < part[1] && end < 2; end++) {
        int edge = side[end] < 0 ? -1 : R->g->face_edge[R->g->face_start[c->fr] + side[end]];
        uint64_t tag = pp_feature(PP_VERTEX_FACE, c->flip ? 1 : 0, c->fr, O->g->edge[e][end]);
        if (edge >= 0) {
            uint64_t cross = pp_feature(PP_EDGE_EDGE, 0, c->flip ? e : edge, c->flip ? edge : e);
            if (!parallel(c, cross)) tag = cross;
        }
        put(t, pp_touch_at(A, B, plane, tag));
    }
    if (t->n == 0) put(t, over_face(R, c->fr, O, v, c->flip));
}

static void find_on_face(pp_touches *t, const pp_solid *A, const pp_solid *B, pp_plane *plane) {
    bool flip = pp_feature_owner(*plane);
    int f = pp_feature_a(*plane);
    const pp_solid *R = flip ? B : A, *O = flip ? A : B;
    perp_vec3 n = R->n[f];
    int v = pp_support(O, perp_v3_neg(n)), k = incident(O, n, v);
    double size = fmin(R->g->size, O->g->size), merge = 1e-9 * size;
    pp_clip_frame c = {.R = R, .O = O, .fr = f, .fo = k, .n = n, .flip = flip};
    if (R->g->dim == 3) pp_clip_prepare(&c);
    int m = R->g->dim == 2 ? patch2d(t, R, f, O, k, flip) : pp_clip_face(t->clip, &c, BESIDE * size);
    m = sort_patch(t, &c, m, merge);
    double low = INFINITY;
    int lowest = -1;
    for (int i = 0; i < m; i++) {
        double height = pp_above(R, f, t->clip[1][i].x);
        if (lowest < 0 || height < low - 1e-12 * size) {
            low = height;
            lowest = i;
        }
    }
    if (m == 0) {
        put_beside(t, &c, v, BESIDE * size, *plane);
        return;
    }
    for (int i = 0; i < m; i++)
        if (touches_too(t, n, i, m)) put(t, pp_touch_at(A, B, *plane, t->clip[1][i].tag));
    uint64_t tag = t->clip[1][lowest].tag;
    bool vertex_of_O = pp_feature_kind(tag) == PP_VERTEX_FACE && pp_feature_owner(tag) == (int)flip;
    pp_plane facing = pp_plane_face(!flip, k);
    if (t->n > 1 && lies_on_other(t, R, f, O, k, flip)) {
        t->n = 0;
        if (pp_plane_gap(A, B, facing) > pp_plane_gap(A, B, *plane) + 1e-12 * size) {
            *plane = facing; /* happens once at most: the gap to that plane is larger */
            find_on_face(t, A, B, plane);
        } else {
            put_beside(t, &c, v, BESIDE * size, *plane);
        }
        return;
    }
    if (t->n > 1 || vertex_of_O) return;
    pp_plane other = meant(A, B, tag, pp_plane_normal(A, B, *plane));
    t->n = 0;
    if (pp_plane_gap(A, B, other) > pp_plane_gap(A, B, *plane)) {
        *plane = other;
        put(t, pp_touch_at(A, B, other, tag));
    } else { /* the overlap with the other plane is deeper: keep the vertex */
        put(t, over_face(R, f, O, v, flip));
    }
}

void pp_touch_deepest(pp_touches *t, const pp_solid *A, const pp_solid *B, pp_plane plane) {
    t->n = 0;
    if (pp_plane_is_edges(plane)) {
        put(t, pp_touch_at(A, B, plane, pp_feature(PP_EDGE_EDGE, 0, pp_feature_a(plane), pp_feature_b(plane))));
        return;
    }
    bool flip = pp_feature_owner(plane);
    const pp_solid *R = flip ? B : A, *O = flip ? A : B;
    int f = pp_feature_a(plane), v = pp_support(O, perp_v3_neg(R->n[f]));
    pp_clip_frame c = {.R = R, .O = O, .fr = f, .n = R->n[f], .flip = flip};
    if (is_plane(R))
        put(t, over_face(R, f, O, v, flip));
    else
        put_beside(t, &c, v, BESIDE * fmin(R->g->size, O->g->size), plane);
}

/* The face beside one of two edges that their plane is most nearly flush with, or the plane itself. */
static pp_plane flush_face(const pp_solid *A, const pp_solid *B, pp_plane plane, double slack) {
    if (!pp_plane_is_edges(plane)) return plane;
    perp_vec3 n = pp_plane_normal(A, B, plane);
    pp_plane best = plane;
    double least = slack * FLUSH;
    for (int k = 0; k < 4; k++) {
        int owner = k / 2;
        const pp_solid *s = owner ? B : A;
        int f = s->g->edge[owner ? pp_feature_b(plane) : pp_feature_a(plane)][2 + k % 2];
        double lean = perp_v3_norm(owner ? perp_v3_add(n, s->n[f]) : perp_v3_sub(n, s->n[f]));
        if (!(lean < least)) continue;
        least = lean;
        best = pp_plane_face(owner, f);
    }
    return best;
}

pp_plane pp_touch_flat(const pp_solid *A, const pp_solid *B, pp_plane plane, double slack) {
    plane = flush_face(A, B, plane, slack);
    if (!pp_plane_is_face(plane)) return PP_NO_PLANE;
    bool flip = pp_feature_owner(plane);
    const pp_solid *R = flip ? B : A, *O = flip ? A : B;
    if (is_plane(R) || O->g->nface == 0) return PP_NO_PLANE;
    perp_vec3 r = R->n[pp_feature_a(plane)], lean = perp_v3_add(r, O->n[opposed(O, r)]);
    return perp_v3_norm(lean) < slack * FLUSH ? plane : PP_NO_PLANE;
}

/* Length of a side of a polygon; twice the area of a face. */
static double extent(const pp_solid *s, int f) {
    perp_vec3 p = s->v[pp_side_vertex(s, f, 0)], sum = {0, 0, 0};
    if (s->g->dim == 2) return perp_v3_norm(perp_v3_sub(s->v[pp_side_vertex(s, f, 1)], p));
    for (int k = 1; k + 1 < pp_side_count(s, f); k++)
        sum = perp_v3_add(sum, perp_v3_cross(perp_v3_sub(s->v[pp_side_vertex(s, f, k)], p),
                                             perp_v3_sub(s->v[pp_side_vertex(s, f, k + 1)], p)));
    return perp_v3_norm(sum);
}

pp_plane pp_touch_first(const pp_solid *A, const pp_solid *B, pp_plane plane) {
    if (!pp_plane_is_face(plane)) return plane;
    int owner = pp_feature_owner(plane), f = pp_feature_a(plane);
    const pp_solid *R = owner ? B : A, *O = owner ? A : B;
    if (O->g->nface == 0 || pp_touch_flat(A, B, plane, 1) == PP_NO_PLANE) return plane;
    int g = opposed(O, R->n[f]);
    double more = extent(R, f) - extent(O, g);
    bool alike = fabs(more) <= SAME * extent(R, f);
    return (alike ? owner == 0 : more > 0) ? plane : pp_plane_face(!owner, g);
}

void pp_touch_find(pp_touches *t, const pp_solid *A, const pp_solid *B, pp_plane *plane) {
    t->n = 0;
    if (A->g->dim == 3 && !is_plane(A) && !is_plane(B)) *plane = flush_face(A, B, *plane, 1);
    if (is_plane(A))
        find_on_halfspace(t, A, B, false);
    else if (is_plane(B))
        find_on_halfspace(t, B, A, true);
    else if (pp_plane_is_face(*plane))
        find_on_face(t, A, B, plane);
    else
        put(t, pp_touch_at(A, B, *plane, pp_feature(PP_EDGE_EDGE, 0, pp_feature_a(*plane), pp_feature_b(*plane))));
}
