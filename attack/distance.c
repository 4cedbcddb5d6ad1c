/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* distance.c - how far two convex solids are apart, or how deep they overlap, for the audit
 *
 * Method   Cores that are apart: the point of least norm in the hull of differences of their points, by Wolfe's algorithm (1976). Cores
 *          that overlap: the least translation along normals of faces and cross products of edges, which for polytopes is exact.
 * Validity Convex solids with up to a few hundred points; accuracy about 1e-12 of their size.
 * Cost     O(points) for each of a few iterations; overlap O(edges^2 x points), which is rare. */
#include <math.h>
#include <string.h>

#include "attack.h"

static perp_vec3 sub(perp_vec3 a, perp_vec3 b) { return perp_v3_sub(a, b); }
static double dot(perp_vec3 a, perp_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static double farthest(const attack_solid *s, perp_vec3 d, perp_vec3 *at) {
    double most = -INFINITY;
    for (int i = 0; i < s->n; i++) {
        double x = dot(d, s->point[i]);
        if (x > most) {
            most = x;
            if (at) *at = s->point[i];
        }
    }
    return most;
}

/* Solves the symmetric system of up to 5 unknowns in place; false if it is singular. */
static bool solve(double A[5][6], int n) {
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(A[r][c]) > fabs(A[best][c])) best = r;
        if (fabs(A[best][c]) < 1e-300) return false;
        for (int k = 0; k <= n; k++) {
            double swap = A[c][k];
            A[c][k] = A[best][k];
            A[best][k] = swap;
        }
        for (int r = 0; r < n; r++) {
            double x = r == c ? 0 : A[r][c] / A[c][c];
            for (int k = c; k <= n && x != 0; k++) A[r][k] -= x * A[c][k];
        }
    }
    for (int r = 0; r < n; r++) A[r][n] /= A[r][r];
    return true;
}

/* Weights of the point of least norm in the affine hull of n points. */
static bool affine(const perp_vec3 *q, int n, double *weight) {
    double A[5][6];
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) A[i][k] = dot(q[i], q[k]);
        A[i][n] = A[n][i] = 1;
        A[i][n + 1] = 0;
    }
    A[n][n + 1] = 1;
    double B[5][6];
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= n + 1; k++) B[i][k] = A[i][k];
    if (!solve(B, n + 1)) return false;
    for (int i = 0; i < n; i++) weight[i] = B[i][n + 1];
    return true;
}

/* Wolfe's minor cycle: moves to the point of least norm in the hull of the q, dropping those it does not need. */
static bool reduce(perp_vec3 *q, double *w, int *n) {
    for (int guard = 0; guard < 8; guard++) {
        double a[5];
        if (!affine(q, *n, a)) return false;
        bool inside = true;
        double step = 1;
        for (int i = 0; i < *n; i++) {
            if (a[i] > 1e-15) continue;
            inside = false;
            if (w[i] - a[i] > 0) step = fmin(step, w[i] / (w[i] - a[i]));
        }
        if (inside) {
            memcpy(w, a, (size_t)*n * sizeof *w);
            return true;
        }
        int kept = 0;
        for (int i = 0; i < *n; i++) {
            double x = w[i] + step * (a[i] - w[i]);
            if (x <= 1e-15) continue;
            q[kept] = q[i];
            w[kept++] = x;
        }
        if (kept == 0) return false;
        *n = kept;
    }
    return true;
}

/* Least norm in the hull of differences b - a; 0 if the cores overlap, within rounding. */
static double core_distance(const attack_solid *a, const attack_solid *b) {
    perp_vec3 q[5] = {sub(b->point[0], a->point[0])};
    double w[5] = {1}, scale = 0, low = 0;
    int n = 1;
    for (int round = 0; round < 200; round++) {
        perp_vec3 x = {0, 0, 0}, pa = {0, 0, 0}, pb = {0, 0, 0};
        for (int i = 0; i < n; i++) x = perp_v3_axpy(x, w[i], q[i]);
        double norm = sqrt(dot(x, x));
        scale = fmax(scale, norm);
        if (!(norm > 1e-13 * (scale + 1e-30))) return 0;
        perp_vec3 d = perp_v3_scale(1 / norm, x);
        double support = -farthest(b, perp_v3_neg(d), &pb) - farthest(a, d, &pa);
        low = fmax(low, support); /* a plane across d parts them by that */
        if (norm - low <= 1e-13 * scale || n == 4) {
            if (norm - low <= 1e-13 * scale) return norm;
        }
        perp_vec3 p = sub(pb, pa);
        for (int i = 0; i < n; i++)
            if (perp_v3_norm(sub(p, q[i])) <= 1e-15 * scale) return low > 0 ? low : norm;
        if (n == 4) return low > 0 ? low : 0;
        q[n] = p;
        w[n++] = 0;
        if (!reduce(q, w, &n)) return fmax(low, 0);
    }
    return fmax(low, 0);
}

static double gap_along(const attack_solid *a, const attack_solid *b, perp_vec3 d) {
    double n = perp_v3_norm(d);
    if (!(n > 1e-12)) return -INFINITY;
    d = perp_v3_scale(1 / n, d);
    double there = -farthest(b, perp_v3_neg(d), NULL) - farthest(a, d, NULL),
           back = -farthest(a, perp_v3_neg(d), NULL) - farthest(b, d, NULL);
    return fmax(there, back);
}

/* Edges of a solid, as directions; at most `max`. */
static int edges(const attack_solid *s, perp_vec3 *out, int max) {
    int n = 0;
    if (!s->face) {
        if (s->n == 2) out[n++] = sub(s->point[1], s->point[0]);
        for (int i = 0; s->n > 2 && i < s->n && n < max; i++) out[n++] = sub(s->point[(i + 1) % s->n], s->point[i]);
        return n;
    }
    for (int f = 0; f < s->nface; f++)
        for (int k = s->face_start[f], m = s->face_start[f + 1] - k, i = 0; i < m && n < max; i++) {
            int p = s->face[k + i], r = s->face[k + (i + 1) % m];
            if (p < r) out[n++] = sub(s->point[r], s->point[p]);
        }
    return n;
}

static perp_vec3 face_normal(const attack_solid *s, int f) {
    const int *v = s->face + s->face_start[f];
    return perp_v3_cross(sub(s->point[v[1]], s->point[v[0]]), sub(s->point[v[2]], s->point[v[0]]));
}

/* Minus how deep two cores that overlap do, or a little less deep for cores without faces. */
static double core_depth(const attack_solid *a, const attack_solid *b, int dim) {
    enum { MAX = 256 };
    perp_vec3 ea[MAX], eb[MAX];
    int na = edges(a, ea, MAX), nb = edges(b, eb, MAX);
    double best = -INFINITY;
    if (dim == 2) {
        for (int i = 0; i < na; i++) best = fmax(best, gap_along(a, b, perp_v3(ea[i].y, -ea[i].x, 0)));
        for (int i = 0; i < nb; i++) best = fmax(best, gap_along(a, b, perp_v3(eb[i].y, -eb[i].x, 0)));
        return isfinite(best) ? fmin(best, 0) : 0;
    }
    for (int f = 0; a->face && f < a->nface; f++) best = fmax(best, gap_along(a, b, face_normal(a, f)));
    for (int f = 0; b->face && f < b->nface; f++) best = fmax(best, gap_along(a, b, face_normal(b, f)));
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++) {
            perp_vec3 c = perp_v3_cross(ea[i], eb[k]);
            if (perp_v3_norm(c) > 1e-9 * perp_v3_norm(ea[i]) * perp_v3_norm(eb[k]))
                best = fmax(best, gap_along(a, b, c));
        }
    return isfinite(best) ? fmin(best, 0) : 0;
}

double attack_distance(const attack_solid *a, const attack_solid *b, int dim) {
    if (b->halfspace) {
        const attack_solid *swap = a;
        a = b;
        b = swap;
    }
    if (b->halfspace) return INFINITY;
    if (a->halfspace) return -farthest(b, perp_v3_neg(a->normal), NULL) - a->offset - b->radius;
    double d = core_distance(a, b);
    if (!(d > 0)) d = core_depth(a, b, dim);
    return d - a->radius - b->radius;
}
