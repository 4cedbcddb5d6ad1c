/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pair_witness.h - pairs of hulls in every awkward position, and how far apart they are by brute force
 *
 * Distance: least over all pairs of features. Depth: least over every normal of a face and every cross product of two
 * edges, by the support of all vertices; nothing is left out for being unlikely. Slow, and shares only the list of
 * corners of each face with what it is a witness for. */
#ifndef PERP_TEST_PAIR_WITNESS_H
#define PERP_TEST_PAIR_WITNESS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "geometry/shape/collision.h"

#define WITNESS_VERTS 32
#define WITNESS_EDGES 96

typedef struct witness {
    const pp_geometry *g;
    int dim, nv, ne;
    perp_vec3 v[WITNESS_VERTS];
    int edge[WITNESS_EDGES][2];
    double size; /* largest distance of two vertices */
} witness;

static uint64_t witness_random = 88172645463325252ull;
static inline double random_between(double lo, double hi) { /* xorshift64* */
    witness_random ^= witness_random >> 12;
    witness_random ^= witness_random << 25;
    witness_random ^= witness_random >> 27;
    return lo + (hi - lo) * (double)((witness_random * 2685821657736338717ull) >> 11) * 0x1p-53;
}
static inline int random_below(int n) { return (int)random_between(0, n); }
/* Either sign, every size between 10^lo and 10^hi alike. */
static inline double random_power(double lo, double hi) { return pow(10, random_between(lo, hi)); }

static inline perp_vec3 random_direction(int dim) {
    for (;;) {
        perp_vec3 a = perp_v3(random_between(-1, 1), random_between(-1, 1), dim == 3 ? random_between(-1, 1) : 0);
        double n = perp_v3_norm(a);
        if (n > 0.1 && n < 1) return perp_v3_unit(a);
    }
}
static inline perp_quat random_turn(int dim) {
    if (dim == 2) return perp_q_axis_angle(perp_v3(0, 0, 1), random_between(-4, 4));
    return perp_q_exp(perp_v3_scale(random_between(0, 3), random_direction(3)));
}

static inline perp_vec3 minus(perp_vec3 a, perp_vec3 b) { return perp_v3_sub(a, b); }

/* Corners in the world, and edges from the faces. */
static inline witness witness_of(const pp_geometry *g, perp_pose X) {
    witness w = {.g = g, .dim = g->dim, .nv = g->nvert};
    for (int i = 0; i < g->nvert; i++) w.v[i] = perp_pose_apply(X, g->vert[i]);
    for (int i = 0; i < g->nvert; i++)
        for (int j = 0; j < i; j++) w.size = fmax(w.size, perp_v3_norm(minus(w.v[i], w.v[j])));
    if (g->dim == 2) return w;
    for (int f = 0; f < g->nface; f++) {
        int n = g->face_start[f + 1] - g->face_start[f];
        const int *c = g->face_vert + g->face_start[f];
        for (int k = 0; k < n; k++)
            if (c[k] < c[(k + 1) % n]) { /* seen from the other face the other way round */
                w.edge[w.ne][0] = c[k];
                w.edge[w.ne++][1] = c[(k + 1) % n];
            }
    }
    return w;
}

/* Corners of face f; in 2D the two ends of a side. */
static inline int witness_face(const witness *w, int f, perp_vec3 *c) {
    if (w->dim == 2) {
        c[0] = w->v[f];
        c[1] = w->v[(f + 1) % w->nv];
        return 2;
    }
    int n = w->g->face_start[f + 1] - w->g->face_start[f];
    for (int k = 0; k < n; k++) c[k] = w->v[w->g->face_vert[w->g->face_start[f] + k]];
    return n;
}

/* Outward unit normal from the corners (Newell). */
static inline perp_vec3 witness_normal(const witness *w, int f) {
    perp_vec3 c[WITNESS_VERTS], s = {0, 0, 0};
    int n = witness_face(w, f, c);
    if (w->dim == 2) return perp_v3_unit(perp_v3(c[1].y - c[0].y, c[0].x - c[1].x, 0));
    for (int k = 1; k + 1 < n; k++) s = perp_v3_add(s, perp_v3_cross(minus(c[k], c[0]), minus(c[k + 1], c[0])));
    return perp_v3_unit(s);
}

/* How far B lies in front of A along n. */
static inline double witness_gap(const witness *A, const witness *B, perp_vec3 n) {
    double a = -INFINITY, b = INFINITY;
    perp_vec3 o = A->v[0]; /* near both: less rounding */
    for (int i = 0; i < A->nv; i++) a = fmax(a, perp_v3_dot(n, minus(A->v[i], o)));
    for (int i = 0; i < B->nv; i++) b = fmin(b, perp_v3_dot(n, minus(B->v[i], o)));
    return b - a;
}

static inline perp_vec3 witness_edge(const witness *w, int e) {
    return minus(w->v[w->edge[e][1]], w->v[w->edge[e][0]]);
}

/* Largest gap over all normals: > 0 apart, < 0 minus the depth. */
static inline double witness_separation(const witness *A, const witness *B) {
    double most = -INFINITY;
    for (int f = 0; f < A->g->nface; f++) most = fmax(most, witness_gap(A, B, witness_normal(A, f)));
    for (int f = 0; f < B->g->nface; f++) most = fmax(most, witness_gap(A, B, perp_v3_neg(witness_normal(B, f))));
    for (int i = 0; i < A->ne; i++)
        for (int j = 0; j < B->ne; j++) {
            perp_vec3 a = witness_edge(A, i), b = witness_edge(B, j), c = perp_v3_cross(a, b);
            double l = perp_v3_norm(c);
            if (!(l > 1e-12 * perp_v3_norm(a) * perp_v3_norm(b))) continue;
            c = perp_v3_scale(1 / l, c);
            most = fmax(most, fmax(witness_gap(A, B, c), witness_gap(A, B, perp_v3_neg(c))));
        }
    return most;
}

static inline double to_segment(perp_vec3 x, perp_vec3 p, perp_vec3 q) {
    perp_vec3 e = minus(q, p);
    double t = perp_v3_dot(minus(x, p), e) / perp_v3_dot(e, e);
    t = t > 0 ? t < 1 ? t : 1 : 0;
    return perp_v3_norm(minus(x, perp_v3_axpy(p, t, e)));
}

/* Distance of two segments: between their inner points if their lines are closest there, or from an end. */
static inline double between_segments(perp_vec3 p, perp_vec3 q, perp_vec3 r, perp_vec3 s) {
    perp_vec3 d = minus(q, p), e = minus(s, r), m = minus(r, p);
    double dd = perp_v3_dot(d, d), de = perp_v3_dot(d, e), ee = perp_v3_dot(e, e), det = dd * ee - de * de;
    double least = fmin(fmin(to_segment(p, r, s), to_segment(q, r, s)), fmin(to_segment(r, p, q), to_segment(s, p, q)));
    if (!(det > 1e-28 * dd * ee)) return least;
    double dm = perp_v3_dot(d, m), em = perp_v3_dot(e, m), x = (ee * dm - de * em) / det, y = (de * dm - dd * em) / det;
    if (!(x > 0 && x < 1 && y > 0 && y < 1)) return least;
    return fmin(least,
                to_segment(perp_v3_axpy(p, x, d), r, s)); /* x and y are not exact where the two are nearly parallel */
}

/* Distance of x in front of face f if it lies over the inside of it, else INFINITY. */
static inline double over_inside(const witness *w, int f, perp_vec3 x) {
    perp_vec3 c[WITNESS_VERTS], n = witness_normal(w, f);
    int m = witness_face(w, f, c);
    for (int k = 0; k < m; k++)
        if (perp_v3_dot(perp_v3_cross(n, minus(c[(k + 1) % m], c[k])), minus(x, c[k])) < 0) return INFINITY;
    double d = perp_v3_dot(n, minus(x, c[0]));
    return d > 0 ? d : d > -1e-12 * w->size ? 0 : INFINITY; /* touching, to rounding */
}

/* Distance of two that are apart. */
static inline double witness_distance(const witness *A, const witness *B) {
    double least = INFINITY;
    const witness *w[2] = {A, B};
    for (int s = 0; s < 2; s++) {
        const witness *R = w[s], *O = w[1 - s];
        for (int f = 0; f < R->g->nface; f++)
            for (int v = 0; v < O->nv; v++) {
                if (R->dim == 2)
                    least = fmin(least, to_segment(O->v[v], R->v[f], R->v[(f + 1) % R->nv]));
                else
                    least = fmin(least, over_inside(R, f, O->v[v]));
            }
    }
    for (int i = 0; i < A->ne; i++)
        for (int j = 0; j < B->ne; j++)
            least = fmin(least, between_segments(A->v[A->edge[i][0]], A->v[A->edge[i][1]], B->v[B->edge[j][0]],
                                                 B->v[B->edge[j][1]]));
    return least;
}

/* ---- random pairs ---------------------------------------------------------------------------------------------- */

/* A box, a regular body or a hull of random points; its extent about `size`. NULL if the points were degenerate. */
static inline pp_geometry *random_hull(int dim, double size) {
    static const perp_allocator plain = {0};
    perp_vec3 p[WITNESS_VERTS];
    perp_shape_def d;
    int kind = random_below(4), n = 0;
    if (kind == 0) {
        d = perp_shape_box(size * random_between(0.1, 0.5), size * random_between(0.1, 0.5),
                           size * random_between(0.1, 0.5));
    } else {
        if (kind == 1 && dim == 3) {
            static const perp_platonic solid[] = {PERP_TETRAHEDRON, PERP_CUBE, PERP_OCTAHEDRON, PERP_ICOSAHEDRON};
            n = random_below(2)
                    ? perp_points_platonic(solid[random_below(4)], size / 2, p, WITNESS_VERTS)
                    : perp_points_prism(3 + random_below(4), size / 2, size * random_between(0.2, 1), p, WITNESS_VERTS);
        } else if (kind == 1) {
            n = perp_points_regular(3 + random_below(5), size / 2, p, WITNESS_VERTS);
        } else {
            perp_vec3 axes = perp_v3(random_between(0.2, 0.5), random_between(0.2, 0.5), random_between(0.2, 0.5));
            n = dim == 2 ? 3 + random_below(6) : 4 + random_below(9);
            for (int i = 0; i < n; i++) {
                perp_vec3 u = random_direction(dim);
                p[i] = perp_v3(size * axes.x * u.x, size * axes.y * u.y, size * axes.z * u.z);
            }
        }
        d = dim == 2 ? perp_shape_polygon(p, n) : perp_shape_polyhedron(p, n);
    }
    pp_geometry *g = NULL;
    if (pp_geometry_create(&d, dim, &plain, &g, NULL, 0)) return NULL;
    if (g->thickness > 0.02 * g->size) return g;
    pp_geometry_destroy(g, &plain);
    return NULL;
}

enum { PAIR_ANYHOW, PAIR_TOUCHING, PAIR_NESTED, PAIR_FACES, PAIR_EDGES, PAIR_CORNERS, PAIR_SAME, PAIR_KINDS };
static const char *const pair_kind_name[PAIR_KINDS] = {
    "anyhow", "vertex on face", "nested", "parallel faces", "collinear edges", "vertex on vertex", "same place"};

/* Rotation that takes the frame (a, b) to (c, d); unit vectors, those of a frame square to each other. */
static inline perp_quat turn_frame(perp_vec3 a, perp_vec3 b, perp_vec3 c, perp_vec3 d) {
    perp_mat3 F = {{a, b, perp_v3_cross(a, b)}}, T = {{c, d, perp_v3_cross(c, d)}};
    return perp_q_mul(perp_q_from_matrix(T), perp_q_conj(perp_q_from_matrix(F)));
}

static inline perp_vec3 square_to(perp_vec3 n, int dim) {
    if (dim == 2) return perp_v3(-n.y, n.x, 0);
    perp_vec3 u = random_direction(3);
    return perp_v3_unit(perp_v3_axpy(u, -perp_v3_dot(u, n), n));
}

/* Mean of the normals of the faces that have this vertex, or the vertices a and b: well inside the normal cone. */
static inline perp_vec3 outward(const witness *w, int a, int b) {
    perp_vec3 s = {0, 0, 0};
    for (int f = 0; f < w->g->nface; f++) {
        bool has_a = false, has_b = false;
        int n = w->dim == 2 ? 2 : w->g->face_start[f + 1] - w->g->face_start[f];
        for (int k = 0; k < n; k++) {
            int v = w->dim == 2 ? (f + k) % w->nv : w->g->face_vert[w->g->face_start[f] + k];
            has_a |= v == a;
            has_b |= v == b;
        }
        if (has_a && has_b) s = perp_v3_add(s, witness_normal(w, f));
    }
    return perp_v3_unit(s);
}

static inline perp_vec3 inside_face(const witness *w, int f) {
    perp_vec3 c[WITNESS_VERTS], s = {0, 0, 0};
    int n = witness_face(w, f, c);
    double sum = 0;
    for (int k = 0; k < n; k++) {
        double x = random_between(0.05, 1);
        s = perp_v3_axpy(s, x, c[k]);
        sum += x;
    }
    return perp_v3_scale(1 / sum, s);
}

static inline int lowest(const witness *w, perp_vec3 n) {
    int best = 0;
    for (int i = 1; i < w->nv; i++)
        if (perp_v3_dot(n, w->v[i]) < perp_v3_dot(n, w->v[best])) best = i;
    return best;
}

/* Zero, or a distance of any size, either sign, for a pair whose features would touch. */
static inline double random_offset(double size) {
    if (random_below(3) == 0) return 0;
    double x = size * random_power(-15, -1);
    return random_below(2) ? x : -x;
}

/* Where to put gb beside ga at Xa, so that the two meet as `kind` says. */
static inline perp_pose place_beside(int kind, const pp_geometry *ga, perp_pose Xa, const pp_geometry *gb) {
    int dim = ga->dim;
    witness A = witness_of(ga, Xa);
    perp_pose X = {perp_v3(0, 0, 0), random_turn(dim)};
    witness B = witness_of(gb, X);
    double size = fmin(A.size, B.size);
    perp_vec3 meet = {0, 0, 0}, at = {0, 0, 0}, n = random_direction(dim); /* at of B goes to meet + offset n */
    perp_quat more = perp_q_identity();
    double offset = random_offset(size);
    int v = random_below(B.nv);
    switch (kind) {
    case PAIR_ANYHOW: meet = Xa.p, offset = random_between(0, 1) * (A.size + B.size); break;
    case PAIR_NESTED: meet = Xa.p, offset = 0.05 * A.size; break;
    case PAIR_SAME: X.q = Xa.q, meet = Xa.p, offset = 0; break;
    case PAIR_TOUCHING: {
        int f = random_below(ga->nface);
        n = witness_normal(&A, f);
        meet = inside_face(&A, f);
        at = B.v[lowest(&B, n)];
        break;
    }
    case PAIR_FACES: {
        int f = random_below(ga->nface), k = random_below(gb->nface);
        n = witness_normal(&A, f);
        perp_vec3 m = witness_normal(&B, k), ref = dim == 2 ? perp_v3(m.y, -m.x, 0) : square_to(m, 3);
        more = turn_frame(m, ref, perp_v3_neg(n), dim == 2 ? perp_v3(-n.y, n.x, 0) : square_to(n, 3));
        meet = inside_face(&A, f);
        at = inside_face(&B, k);
        break;
    }
    case PAIR_EDGES:
    case PAIR_CORNERS: {
        int a[2] = {random_below(A.nv), 0}, b[2] = {v, 0};
        a[1] = a[0], b[1] = b[0];
        perp_vec3 along_a = {0, 0, 0}, along_b = {0, 0, 0};
        if (kind == PAIR_EDGES && dim == 3) {
            int ea = random_below(A.ne), eb = random_below(B.ne);
            memcpy(a, A.edge[ea], sizeof a);
            memcpy(b, B.edge[eb], sizeof b);
            along_a = perp_v3_unit(witness_edge(&A, ea)), along_b = perp_v3_unit(witness_edge(&B, eb));
        }
        n = outward(&A, a[0], a[1]);
        perp_vec3 m = perp_v3_neg(outward(&B, b[0], b[1]));
        if (kind == PAIR_EDGES && dim == 3) {
            n = perp_v3_unit(perp_v3_axpy(n, -perp_v3_dot(n, along_a), along_a));
            m = perp_v3_unit(perp_v3_axpy(m, -perp_v3_dot(m, along_b), along_b));
            more = turn_frame(m, along_b, n, along_a);
            perp_vec3 tilt = perp_v3_scale(random_below(2) ? 0 : random_power(-16, -2), random_direction(3));
            more = perp_q_mul(perp_q_exp(tilt), more);
        } else {
            more = turn_frame(m, square_to(m, dim), n, square_to(n, dim));
        }
        double s = random_between(0, 1), t = random_between(0, 1);
        if (random_below(3) == 0) s = t = 0; /* ends on each other */
        meet = perp_v3_axpy(A.v[a[0]], s, minus(A.v[a[1]], A.v[a[0]]));
        at = perp_v3_axpy(B.v[b[0]], t, minus(B.v[b[1]], B.v[b[0]]));
        break;
    }
    }
    X.q = perp_q_unit(perp_q_mul(more, X.q));
    X.p = minus(perp_v3_axpy(meet, offset, n), perp_q_rotate(more, at));
    return X;
}

#endif
