/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hull.c - convex hulls of meshes, reduced to a number of corners, with the error.
 *
 * Problem  A mesh may have many thousands of vertices; the contact search needs hulls with few corners.
 * Method   Farthest points: start with the extreme vertices along 13 axes; then, in rounds, add the farthest vertex above each face of
 *          the present hull, the farthest first, until no vertex lies outside or the limit of corners is reached. Vertices inside
 *          are dropped in each round. The reduced hull lies within the true one.
 * Error    the largest distance of a vertex from the reduced hull, exactly: over its triangles.
 * Cost     vertices outside times faces, per round; the rounds grow with the logarithm of the budget. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perp/world.h"
#include "robot/model/robot.h"

#define FLAT 1e-9 /* [1] a point nearer to a face than this fraction of the size lies on the face */

typedef struct hull {
    perp_world *w;
    perp_shape_view view;
    perp_vec3 *n; /* outward normals of the faces */
    double *d;
} hull;

static void hull_free(const perp_allocator *a, hull *h) {
    perp_world_destroy(h->w);
    pp_free(a, h->n);
    pp_free(a, h->d);
    memset(h, 0, sizeof *h);
}

static perp_status hull_make(const perp_allocator *a, const perp_vec3 *p, int n, hull *h) {
    memset(h, 0, sizeof *h);
    perp_world_def def = perp_world_def_default(3);
    def.alloc = *a;
    perp_status s = perp_world_create(&def, &h->w);
    perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_shape_def d = perp_shape_polyhedron(p, n);
    perp_body_id body;
    perp_shape_id shape;
    if (!s) s = perp_body_add(h->w, &b, &body);
    if (!s) s = perp_shape_add(h->w, body, &d, &shape);
    if (!s) s = perp_shape_get(h->w, shape, &h->view);
    if (s) return s;
    const perp_shape_view *v = &h->view;
    h->n = pp_alloc(a, (size_t)v->nface * sizeof *h->n);
    h->d = pp_alloc(a, (size_t)v->nface * sizeof *h->d);
    if (!h->n || !h->d) return PERP_E_MEMORY;
    for (int f = 0; f < v->nface; f++) {
        const int *c = v->face + v->face_start[f];
        int k = v->face_start[f + 1] - v->face_start[f];
        const perp_vec3 *q = v->def.points;
        perp_vec3 sum = {0, 0, 0};
        for (int i = 1; i + 1 < k; i++)
            sum = perp_v3_add(sum, perp_v3_cross(perp_v3_sub(q[c[i]], q[c[0]]), perp_v3_sub(q[c[i + 1]], q[c[0]])));
        h->n[f] = perp_v3_unit(sum);
        h->d[f] = perp_v3_dot(h->n[f], q[c[0]]);
    }
    return PERP_OK;
}

/* Distance of p from the triangle a, b, c. */
static double to_triangle(perp_vec3 p, perp_vec3 a, perp_vec3 b, perp_vec3 c) {
    perp_vec3 n = perp_v3_cross(perp_v3_sub(b, a), perp_v3_sub(c, a));
    const perp_vec3 corner[] = {a, b, c, a};
    bool above = true;
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        perp_vec3 e = perp_v3_sub(corner[i + 1], corner[i]), r = perp_v3_sub(p, corner[i]);
        if (perp_v3_dot(perp_v3_cross(n, e), r) < 0) above = false;
        double s = perp_v3_dot(r, e) / fmax(perp_v3_dot(e, e), 1e-300);
        s = s < 0 ? 0 : s > 1 ? 1 : s;
        best = fmin(best, perp_v3_norm(perp_v3_axpy(r, -s, e)));
    }
    return above && perp_v3_norm(n) > 0 ? fabs(perp_v3_dot(p, n) - perp_v3_dot(a, n)) / perp_v3_norm(n) : best;
}

static double distance(const hull *h, perp_vec3 p) {
    const perp_shape_view *v = &h->view;
    double best = INFINITY;
    for (int f = 0; f < v->nface; f++) {
        const int *c = v->face + v->face_start[f];
        int k = v->face_start[f + 1] - v->face_start[f];
        if (perp_v3_dot(h->n[f], p) <= h->d[f]) continue; /* p is in front of its nearest face */
        for (int i = 1; i + 1 < k; i++)
            best = fmin(best, to_triangle(p, v->def.points[c[0]], v->def.points[c[i]], v->def.points[c[i + 1]]));
    }
    return isfinite(best) ? best : 0;
}

typedef struct far_point {
    int point;
    double height;
} far_point;

static int farther(const void *x, const void *y) {
    const far_point *a = x, *b = y;
    if (a->height != b->height) return a->height < b->height ? 1 : -1;
    return a->point - b->point;
}

/* Sorts out the points inside; top: the farthest point above each face. Returns how many are outside. */
static int outside(const hull *h, const perp_vec3 *p, int *left, int n, double flat, far_point *top) {
    int kept = 0;
    for (int f = 0; f < h->view.nface; f++) top[f] = (far_point){-1, flat};
    for (int i = 0; i < n; i++) {
        int face = -1;
        double height = flat;
        for (int f = 0; f < h->view.nface; f++) {
            double x = perp_v3_dot(h->n[f], p[left[i]]) - h->d[f];
            if (x > height) {
                height = x;
                face = f;
            }
        }
        if (face < 0) continue;
        if (height > top[face].height) top[face] = (far_point){left[i], height};
        left[kept++] = left[i];
    }
    return kept;
}

/* Extreme points along 13 axes, each once; of a small budget along x, y and z only, so that there is room for better ones. */
static int seeds(const perp_vec3 *p, int n, bool few, int *chosen) {
    int count = 0;
    for (int x = -1; x <= 1; x++)
        for (int y = -1; y <= 1; y++)
            for (int z = -1; z <= 1; z++) {
                int along = abs(x) + abs(y) + abs(z);
                if (along == 0 || (few && along > 1)) continue;
                int best = 0;
                perp_vec3 d = perp_v3(x, y, z);
                for (int i = 1; i < n; i++)
                    if (perp_v3_dot(d, p[i]) > perp_v3_dot(d, p[best])) best = i;
                bool seen = false;
                for (int i = 0; i < count; i++) {
                    perp_vec3 a = p[chosen[i]], b = p[best];
                    seen = seen || (a.x == b.x && a.y == b.y && a.z == b.z);
                }
                if (!seen) chosen[count++] = best;
            }
    return count;
}

typedef struct reducing {
    const perp_allocator *a;
    const perp_vec3 *p;
    int n, budget;
    double size;
    int *chosen, nchosen, *left, nleft;
    perp_vec3 *corner;
    hull h;
} reducing;

/* Adds points in rounds. */
static perp_status rounds(reducing *r) {
    for (;;) {
        for (int i = 0; i < r->nchosen; i++) r->corner[i] = r->p[r->chosen[i]];
        hull_free(r->a, &r->h);
        perp_status s = hull_make(r->a, r->corner, r->nchosen, &r->h);
        if (s) return s;
        far_point *top = pp_alloc(r->a, (size_t)r->h.view.nface * sizeof *top);
        if (!top) return PERP_E_MEMORY;
        r->nleft = outside(&r->h, r->p, r->left, r->nleft, FLAT * r->size, top);
        qsort(top, (size_t)r->h.view.nface, sizeof *top, farther);
        int room = r->budget - r->nchosen, added = 0;
        int most = r->nchosen < 4 ? 1 : (r->nchosen + 3) / 4; /* few at a time: the next hull tells better */
        for (int f = 0; f < r->h.view.nface && added < room && added < most && top[f].point >= 0; f++, added++)
            r->chosen[r->nchosen++] = top[f].point;
        pp_free(r->a, top);
        if (added == 0) return PERP_OK;
    }
}

/* A mesh without volume: spread by a thousandth of its size along the axis that it lacks. */
static perp_status thicken(pp_import *m, pp_model_mesh *mesh, perp_vec3 **points, int *n, double size) {
    perp_vec3 *p = pp_alloc(&m->alloc, (size_t)*n * 6 * sizeof *p);
    if (!p) return PERP_E_MEMORY;
    double e = 5e-4 * (size > 0 ? size : 1e-3);
    int k = 0;
    for (int i = 0; i < *n; i++)
        for (int d = 0; d < 6; d++) {
            perp_vec3 q = (*points)[i];
            double step = d % 2 ? e : -e;
            if (d / 2 == 0) q.x += step;
            if (d / 2 == 1) q.y += step;
            if (d / 2 == 2) q.z += step;
            p[k++] = q;
        }
    pp_free(&m->alloc, *points);
    *points = p;
    *n = k;
    return pp_robot_note(m, PERP_IMPORT_APPROXIMATED, mesh->at, "mesh %s is flat: made %.2g thick", mesh->name, 2 * e);
}

static perp_status reduce(pp_import *m, pp_model_mesh *mesh, reducing *r) {
    r->chosen = pp_alloc(&m->alloc, sizeof(int) * (size_t)(r->budget + 32));
    r->left = pp_alloc(&m->alloc, sizeof(int) * (size_t)r->n);
    r->corner = pp_alloc(&m->alloc, sizeof *r->corner * (size_t)(r->budget + 32));
    if (!r->chosen || !r->left || !r->corner) return PERP_E_MEMORY;
    for (int i = 0; i < r->n; i++) r->left[i] = i;
    r->nleft = r->n;
    r->nchosen = seeds(r->p, r->n, r->budget < 52, r->chosen);
    perp_status s = rounds(r);
    if (s) return s;
    mesh->error = 0;
    for (int i = 0; i < r->nleft; i++) mesh->error = fmax(mesh->error, distance(&r->h, r->p[r->left[i]]));
    mesh->nhull = r->h.view.def.npoint;
    mesh->hull = pp_alloc(&m->alloc, sizeof *mesh->hull * (size_t)mesh->nhull);
    if (!mesh->hull) return PERP_E_MEMORY;
    memcpy(mesh->hull, r->h.view.def.points, sizeof *mesh->hull * (size_t)mesh->nhull);
    return PERP_OK;
}

static void reducing_free(reducing *r) {
    hull_free(r->a, &r->h);
    pp_free(r->a, r->chosen);
    pp_free(r->a, r->left);
    pp_free(r->a, r->corner);
}

perp_status pp_robot_hull(pp_import *m, pp_model_mesh *mesh) {
    int n = mesh->mesh.nvertex;
    perp_vec3 *p = pp_alloc(&m->alloc, (size_t)n * sizeof *p), lo, hi;
    if (!p) return pp_robot_no_memory(m);
    memcpy(p, mesh->mesh.vertex, (size_t)n * sizeof *p);
    lo = hi = p[0];
    for (int i = 1; i < n; i++) {
        lo = perp_v3(fmin(lo.x, p[i].x), fmin(lo.y, p[i].y), fmin(lo.z, p[i].z));
        hi = perp_v3(fmax(hi.x, p[i].x), fmax(hi.y, p[i].y), fmax(hi.z, p[i].z));
    }
    double size = perp_v3_norm(perp_v3_sub(hi, lo));
    perp_status s = PERP_E_GEOMETRY;
    for (int attempt = 0; attempt < 2 && s == PERP_E_GEOMETRY; attempt++) {
        if (attempt > 0) {
            s = thicken(m, mesh, &p, &n, size);
            if (s) break;
        }
        reducing r = {.a = &m->alloc, .p = p, .n = n, .size = size, .budget = m->options.corners};
        s = reduce(m, mesh, &r);
        reducing_free(&r);
    }
    pp_free(&m->alloc, p);
    if (s == PERP_E_MEMORY) return pp_robot_no_memory(m);
    if (s) return pp_robot_say(m, s, mesh->at, "the mesh %s has no convex hull", mesh->name);
    return PERP_OK;
}
