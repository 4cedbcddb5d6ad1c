/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* size.c - the length that overlaps and joint errors are compared with.
 *
 * The width of a convex shape is the least distance of two parallel planes that have it between them: 2 r of a ball or capsule,
 * the shortest edge of a box. Of a polygon it is taken at an edge, which is exact; of a polyhedron only the planes of
 * faces are tried, which may come out too large where two edges face each other, by a third for a regular tetrahedron
 * and less for fuller shapes: enough for an order of magnitude. Shapes that are only drawn do not count. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

/* Work above which the width of a polyhedron is taken from its bounding box. */
#define WIDTH_MAX_WORK 20000000.0

static perp_vec3 minus(perp_vec3 a, perp_vec3 b) {
    perp_vec3 c = {a.x - b.x, a.y - b.y, a.z - b.z};
    return c;
}

static double dot(perp_vec3 a, perp_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static perp_vec3 cross(perp_vec3 a, perp_vec3 b) {
    perp_vec3 c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

/* Extent along n of the points; NaN-free input. */
static double extent(const perp_vec3 *p, int np, perp_vec3 n) {
    double lo = INFINITY, hi = -INFINITY, length = sqrt(dot(n, n));
    if (!(length > 0)) return INFINITY;
    for (int i = 0; i < np; i++) {
        double x = dot(p[i], n) / length;
        if (x < lo) lo = x;
        if (x > hi) hi = x;
    }
    return hi - lo;
}

static double width_of_points(const perp_vec3 *p, int np, int nface, const int *face_start, const int *face, int dim) {
    double best = INFINITY;
    if (dim == 2) {
        for (int i = 0; i < np; i++) {
            perp_vec3 e = minus(p[(i + 1) % np], p[i]), n = {-e.y, e.x, 0};
            best = fmin(best, extent(p, np, n));
        }
    } else if (nface > 0 && (double)nface * np <= WIDTH_MAX_WORK) {
        for (int i = 0; i < nface; i++) {
            const int *f = face + face_start[i];
            if (face_start[i + 1] - face_start[i] < 3) continue;
            best = fmin(best, extent(p, np, cross(minus(p[f[1]], p[f[0]]), minus(p[f[2]], p[f[0]]))));
        }
    } else {
        perp_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int i = 0; i < dim; i++) best = fmin(best, extent(p, np, axis[i]));
    }
    return best;
}

static double width_of_box(perp_vec3 half, int dim) {
    double w = 2 * fmin(half.x, half.y);
    return dim == 3 ? fmin(w, 2 * half.z) : w;
}

static void take(double *least, double size) {
    if (size > 0 && size < *least) *least = size;
}

double size_of_world(const perp_world *w) {
    int dim = perp_world_dim(w), ns = perp_world_shapes(w, NULL, 0), nj = perp_world_joints(w, NULL, 0);
    double least = INFINITY;
    perp_shape_id *shape = malloc(((size_t)ns + 1) * sizeof *shape);
    perp_joint_id *joint = malloc(((size_t)nj + 1) * sizeof *joint);
    if (shape && joint) {
        perp_world_shapes(w, shape, ns);
        for (int i = 0; i < ns; i++) {
            perp_shape_view v;
            if (perp_shape_get(w, shape[i], &v) || v.def.visual) continue;
            if (v.def.kind == PERP_SHAPE_CYLINDER)
                take(&least, 2 * fmin(v.def.radius, v.def.half_length));
            else if (v.def.kind == PERP_SHAPE_ELLIPSOID || v.def.kind == PERP_SHAPE_SUPERELLIPSOID)
                take(&least, width_of_box(v.def.half_size, dim));
            else if (v.def.kind == PERP_SHAPE_SPHERE || v.def.kind == PERP_SHAPE_CAPSULE)
                take(&least, 2 * v.def.radius);
            else if (v.def.kind == PERP_SHAPE_BOX)
                take(&least, width_of_box(v.def.half_size, dim));
            else if (v.def.kind == PERP_SHAPE_POLYGON || v.def.kind == PERP_SHAPE_POLYHEDRON)
                take(&least, width_of_points(v.def.points, v.def.npoint, v.nface, v.face_start, v.face, dim));
        }
        perp_world_joints(w, joint, nj);
        for (int i = 0; i < nj && !isfinite(least); i++) {
            perp_joint_def d;
            if (perp_joint_get(w, joint[i], &d)) continue;
            take(&least, sqrt(dot(d.X_BJ.p, d.X_BJ.p)));
            if (d.a.gen) take(&least, sqrt(dot(d.X_AJ.p, d.X_AJ.p)));
        }
    }
    free(shape);
    free(joint);
    return isfinite(least) ? least : 0;
}

double size_of_recording(const perp_recording *r) {
    const perp_recording_info *info = perp_recording_about(r);
    double least = INFINITY;
    for (int i = 0; i < info->nshape; i++) {
        perp_recorded_shape s = perp_recording_shape(r, i);
        if (s.visual) continue;
        if (s.kind == PERP_SHAPE_CYLINDER)
            take(&least, 2 * fmin(s.radius, s.half_length));
        else if (s.kind == PERP_SHAPE_ELLIPSOID || s.kind == PERP_SHAPE_SUPERELLIPSOID)
            take(&least, width_of_box(s.half_size, info->dim));
        else if (s.kind == PERP_SHAPE_SPHERE || s.kind == PERP_SHAPE_CAPSULE)
            take(&least, 2 * s.radius);
        else if (s.kind == PERP_SHAPE_BOX)
            take(&least, width_of_box(s.half_size, info->dim));
        else if ((s.kind == PERP_SHAPE_POLYGON || s.kind == PERP_SHAPE_POLYHEDRON) && s.nvertex > 0) {
            perp_vec3 *p = malloc((size_t)s.nvertex * sizeof *p);
            if (!p) continue;
            for (int k = 0; k < s.nvertex; k++)
                p[k] = (perp_vec3){s.vertex[3 * k], s.vertex[3 * k + 1], s.vertex[3 * k + 2]};
            take(&least, width_of_points(p, s.nvertex, s.nface, s.face_start, s.face, info->dim));
            free(p);
        }
    }
    for (int i = 0; i < info->njoint && !isfinite(least); i++) {
        perp_recorded_joint j = perp_recording_joint(r, i);
        take(&least, sqrt(dot(j.X_BJ.p, j.X_BJ.p)));
        if (j.a >= 0) take(&least, sqrt(dot(j.X_AJ.p, j.X_AJ.p)));
    }
    return isfinite(least) ? least : 0;
}
