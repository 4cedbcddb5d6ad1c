/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* collision_help.h - what the tests of src/geometry share: random shapes and poses, and a distance by another road. */
#ifndef COLLISION_HELP_H
#define COLLISION_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/broad/broad.h"
#include "geometry/shape/collision.h"

#define PI 3.14159265358979323846

static const perp_allocator plain_alloc = {0};

/* xorshift64*: the same numbers everywhere. */
static uint64_t random_state = 88172645463325252ull;
static inline double uniform(double lo, double hi) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return lo + (hi - lo) * (double)((random_state * 2685821657736338717ull) >> 11) / 9007199254740992.0;
}
static inline perp_vec3 random_vec(double r) { return perp_v3(uniform(-r, r), uniform(-r, r), uniform(-r, r)); }
static inline perp_vec3 random_unit(int dim) {
    for (;;) {
        perp_vec3 a = random_vec(1);
        if (dim == 2) a.z = 0;
        double n = perp_v3_norm(a);
        if (n > 0.1 && n < 1) return perp_v3_unit(a);
    }
}
static inline perp_pose random_pose(int dim, double r) {
    if (dim == 2) return perp_pose_2d(uniform(-r, r), uniform(-r, r), uniform(-4, 4));
    perp_quat q = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    perp_pose X = {random_vec(r), perp_q_unit(q)};
    return X;
}

static inline pp_geometry *make(const perp_shape_def *d, int dim) {
    pp_geometry *g = NULL;
    char why[256] = "";
    perp_status s = pp_geometry_create(d, dim, &plain_alloc, &g, why, sizeof why);
    if (s) fail_msg("%s", why);
    return g;
}
static inline pp_geometry *make_box(int dim, double x, double y, double z) {
    perp_shape_def d = perp_shape_box(x, y, z);
    return make(&d, dim);
}
static inline pp_geometry *make_sphere(int dim, double r) {
    perp_shape_def d = perp_shape_sphere(r);
    return make(&d, dim);
}
static inline pp_geometry *make_particle(int dim) {
    perp_shape_def d = perp_shape_particle(perp_v3(0, 0, 0));
    return make(&d, dim);
}
static inline pp_geometry *make_plane(int dim, perp_vec3 n, double offset) {
    perp_shape_def d = perp_shape_halfspace(n, offset);
    return make(&d, dim);
}
/* Hull of n points on an ellipsoid, so most are vertices; sometimes with a flat side. Random points may be degenerate,
 * or a sliver that would spoil the tolerances of a test: then others are taken. */
static inline pp_geometry *make_hull(int dim, int n) {
    assert_true(n <= 64);
    for (;;) {
        perp_vec3 p[64], axes = perp_v3(uniform(0.3, 1), uniform(0.3, 1), uniform(0.3, 1));
        double cut = uniform(0, 1) < 0.5 ? uniform(0, 0.7) : 2;
        for (int i = 0; i < n; i++) {
            perp_vec3 u = random_unit(dim);
            if (u.y > cut) u.y = cut;
            p[i] = perp_v3(axes.x * u.x, axes.y * u.y, axes.z * u.z);
        }
        perp_shape_def d = dim == 2 ? perp_shape_polygon(p, n) : perp_shape_polyhedron(p, n);
        pp_geometry *g = NULL;
        if (pp_geometry_create(&d, dim, &plain_alloc, &g, NULL, 0)) continue;
        double width = INFINITY;
        for (int f = 0; f < g->nface; f++) {
            double least = INFINITY;
            for (int v = 0; v < g->nvert; v++) {
                double h = perp_v3_dot(g->face_n[f], g->vert[v]);
                if (h < least) least = h;
            }
            if (g->face_d[f] - least < width) width = g->face_d[f] - least;
        }
        if (width > 0.05) return g;
        pp_geometry_destroy(g, &plain_alloc);
    }
}
static inline pp_geometry *random_poly(int dim) {
    if (uniform(0, 1) < 0.4) return make_box(dim, uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1));
    return make_hull(dim, dim == 2 ? 3 + (int)uniform(0, 6) : 6 + (int)uniform(0, 12));
}

static inline pp_placed put(const pp_geometry *g, perp_pose X, double reach, int body) {
    pp_placed p = {g, X, reach, body, true, body, 1, ~0u};
    return p;
}

/* Point of least norm in the convex hull of m <= 4 points: the best over all subsets with positive weights. */
static inline perp_vec3 least_norm(perp_vec3 *p, int *m) {
    perp_vec3 best = p[0];
    double least = INFINITY;
    int keep = 1;
    for (int set = 1; set < 1 << *m; set++) {
        perp_vec3 q[4] = {{0, 0, 0}};
        int k = 0;
        for (int i = 0; i < *m; i++)
            if (set >> i & 1) q[k++] = p[i];
        perp_vec3 e[3], x = q[0];
        double g[3][4];
        for (int i = 1; i < k; i++) e[i - 1] = perp_v3_sub(q[i], q[0]);
        for (int i = 0; i < k - 1; i++) {
            for (int j = 0; j < k - 1; j++) g[i][j] = perp_v3_dot(e[i], e[j]);
            g[i][k - 1] = -perp_v3_dot(e[i], q[0]);
        }
        bool ok = true;
        for (int c = 0; c < k - 1 && ok; c++) { /* Gauss with pivoting */
            int piv = c;
            for (int r = c + 1; r < k - 1; r++)
                if (fabs(g[r][c]) > fabs(g[piv][c])) piv = r;
            if (!(fabs(g[piv][c]) > 1e-13)) ok = false;
            for (int j = 0; j < k && ok; j++) {
                double s = g[c][j];
                g[c][j] = g[piv][j];
                g[piv][j] = s;
            }
            for (int r = 0; r < k - 1 && ok; r++) {
                if (r == c) continue;
                double f = g[r][c] / g[c][c];
                for (int j = c; j < k; j++) g[r][j] -= f * g[c][j];
            }
        }
        double rest = 1;
        for (int i = 0; i < k - 1 && ok; i++) {
            double l = g[i][k - 1] / g[i][i];
            if (!(l > 0)) ok = false;
            rest -= l;
            x = perp_v3_axpy(x, l, e[i]);
        }
        if (!ok || !(rest > 0)) continue;
        double n = perp_v3_norm(x);
        if (n < least) {
            least = n;
            best = x;
            keep = set;
        }
    }
    int k = 0;
    for (int i = 0; i < *m; i++)
        if (keep >> i & 1) p[k++] = p[i];
    *m = k;
    return best;
}

/* Distance of the hulls of the vertices of two placed polytopes (or points), 0 if they overlap: the algorithm of
 * Gilbert, Johnson and Keerthi, by support points only. */
static inline double gjk_distance(const pp_placed *a, const pp_placed *b) {
    perp_vec3 s[5];
    int m = 0;
    perp_vec3 v = perp_v3(1, 0, 0);
    for (int it = 0; it < 200; it++) {
        double lo = INFINITY, hi = -INFINITY;
        perp_vec3 pa = {0, 0, 0}, pb = {0, 0, 0};
        for (int i = 0; i < a->g->nvert; i++) {
            perp_vec3 x = perp_pose_apply(a->X_WS, a->g->vert[i]);
            if (perp_v3_dot(v, x) > hi) {
                hi = perp_v3_dot(v, x);
                pa = x;
            }
        }
        for (int i = 0; i < b->g->nvert; i++) {
            perp_vec3 x = perp_pose_apply(b->X_WS, b->g->vert[i]);
            if (perp_v3_dot(v, x) < lo) {
                lo = perp_v3_dot(v, x);
                pb = x;
            }
        }
        perp_vec3 w = perp_v3_sub(pb, pa); /* of B - A, farthest against v */
        if (m > 0 && perp_v3_dot(v, v) - perp_v3_dot(v, w) <= 1e-14 * perp_v3_dot(v, v)) break;
        for (int i = 0; i < m; i++)
            if (perp_v3_norm(perp_v3_sub(s[i], w)) == 0) return perp_v3_norm(v);
        s[m++] = w;
        v = least_norm(s, &m);
        if (m == 4 || perp_v3_norm(v) < 1e-13) return 0;
    }
    return perp_v3_norm(v);
}

/* The plain detector, with one broad phase for the whole program: what it remembers must not matter. */
static inline perp_status run_detector(int dim, int n, const pp_placed *p, pp_pair_filter filter, const void *ctx,
                                       pp_arena *arena, pp_pair_list *out) {
    static pp_broad *broad;
    static pp_couple_list couples;
    if (!broad) broad = pp_broad_create(&plain_alloc);
    assert_non_null(broad);
    return pp_detector_plain.detect(dim, n, p, filter, ctx, broad, &couples, &plain_alloc, arena, out);
}

#endif
