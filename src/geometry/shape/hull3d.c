/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hull3d.c - convex hull of points in space
 * Method   qhull finds the facets; the rest is done here: facets within PP_COPLANAR of the plane of a larger
 *          neighbour are merged into one face, vertices that then lie inside a face or between two faces only are
 *          dropped, faces become loops of vertices, and the result is renumbered so that it does not depend on the
 *          order in which the points came.
 * Valid    any finite points; flat or near-flat sets are refused (qhull refuses below about 1e-13 of the size, the
 *          caller below PP_SLIVER).
 * Cost     n log n in qhull, then n log n sorts
 * Source   Barber, Dobkin, Huhdanpaa (1996), The Quickhull algorithm for convex hulls. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/qhull_ra.h>

#include "geometry/shape/hull.h"

/* Facets as qhull leaves them: loops of point numbers, counter-clockwise seen from outside. */
typedef struct facets {
    int n, nvert; /* facets, entries of vert */
    int *start;   /* n + 1 */
    int *vert;
    bool memory; /* an allocation failed */
} facets;

/* One directed edge of a facet. */
typedef struct half_edge {
    int from, to, facet;
    int twin; /* index of the opposite one */
} half_edge;

/* Copies the facets out of a finished qhull. Called under setjmp: keeps its state in `out` and `qh` only. */
static void read_facets(qhT *qh, pp_arena *arena, facets *out) {
    facetT *facet;
    vertexT *vertex, **vertexp;
    int nf = 0, nv = 0;
    FORALLfacets {
        nf++;
        nv += qh_setsize(qh, facet->vertices);
    }
    out->start = PP_ARENA_ARRAY(arena, int, nf + 1);
    out->vert = PP_ARENA_ARRAY(arena, int, nv);
    if (!out->start || !out->vert) {
        out->memory = true;
        return;
    }
    out->n = 0;
    out->nvert = 0;
    FORALLfacets {
        setT *loop = qh_facet3vertex(qh, facet);
        int first = out->nvert;
        out->start[out->n++] = first;
        FOREACHvertex_(loop) {
            if (out->nvert < nv) out->vert[out->nvert++] = qh_pointid(qh, vertex->point);
        }
        qh_settempfree(qh, &loop);
        for (int a = first, b = out->nvert - 1; a < b && qh_ORIENTclock == 0; a++, b--) { /* 0: seen from inside */
            int v = out->vert[a];
            out->vert[a] = out->vert[b];
            out->vert[b] = v;
        }
    }
    out->start[out->n] = out->nvert;
}

/* Runs qhull, which leaves by longjmp after an error; this function catches it. False: there was an error. */
static bool read_guarded(qhT *qh, pp_arena *arena, facets *out) {
    bool ok = false;
    if (setjmp(qh->errexit) == 0) {
        qh->NOerrexit = False;
        read_facets(qh, arena, out);
        ok = true;
    }
    qh->NOerrexit = True;
    return ok;
}

/* Runs qhull on points scaled by a power of two to a size near one and moved near the origin: its constants are
 * absolute. */
static perp_status run_qhull(pp_arena *arena, const perp_vec3 *p, int n, double size, facets *out, char *why,
                             size_t why_size) {
    int exponent = 0;
    (void)frexp(size, &exponent);
    coordT *x = PP_ARENA_ARRAY(arena, coordT, 3 * n);
    qhT *qh = PP_ARENA_ZERO(arena, qhT, 1);
    if (!x || !qh) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    for (int i = 0; i < n; i++) {
        perp_vec3 d = perp_v3_sub(p[i], p[n / 2]);
        x[3 * i] = ldexp(d.x, -exponent);
        x[3 * i + 1] = ldexp(d.y, -exponent);
        x[3 * i + 2] = ldexp(d.z, -exponent);
    }
    char *said = NULL; /* messages of qhull, which are not printed */
    size_t said_size = 0;
    FILE *sink = open_memstream(&said, &said_size);
    if (!sink) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    char command[] = "qhull Pp";
    qh_zero(qh, sink);
    int code = qh_new_qhull(qh, 3, n, x, False, command, NULL, sink);
    bool read = code == qh_ERRnone && read_guarded(qh, arena, out);
    qh_freeqhull(qh, qh_ALL);
    int long_left = 0, long_total = 0;
    qh_memfreeshort(qh, &long_left, &long_total);
    fclose(sink);
    free(said); /* of open_memstream */
    if (code == qh_ERRmem || out->memory)
        return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    if (code == qh_ERRsingular || code == qh_ERRinput)
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the points of the polyhedron lie in a plane");
    if (!read || out->n < 4)
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the hull of the points could not be found (qhull error %d)",
                         code);
    return PERP_OK;
}

/* Normal times twice the area of a loop (Newell's sum about its first vertex). */
static perp_vec3 loop_normal(const perp_vec3 *p, const int *loop, int n) {
    perp_vec3 s = {0, 0, 0};
    for (int k = 1; k + 1 < n; k++)
        s = perp_v3_add(s, perp_v3_cross(perp_v3_sub(p[loop[k]], p[loop[0]]), perp_v3_sub(p[loop[k + 1]], p[loop[0]])));
    return s;
}

static int by_ends(const void *a, const void *b) {
    const half_edge *p = a, *q = b;
    if (p->from != q->from) return p->from < q->from ? -1 : 1;
    if (p->to != q->to) return p->to < q->to ? -1 : 1;
    return 0;
}

static int find_edge(const half_edge *e, int n, int from, int to) {
    half_edge key = {from, to, 0, 0};
    const half_edge *f = bsearch(&key, e, (size_t)n, sizeof *e, by_ends);
    return f ? (int)(f - e) : -1;
}

/* Sorted half-edges with twins; false if the facets do not close to a surface. */
static bool link_edges(const facets *f, half_edge *e) {
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        int first = f->start[i], last = f->start[i + 1];
        if (last - first < 3) return false;
        for (int k = first; k < last; k++) {
            half_edge h = {f->vert[k], f->vert[k + 1 < last ? k + 1 : first], i, -1};
            e[n++] = h;
        }
    }
    qsort(e, (size_t)n, sizeof *e, by_ends);
    for (int k = 1; k < n; k++)
        if (by_ends(&e[k - 1], &e[k]) == 0) return false;
    for (int k = 0; k < n; k++) {
        e[k].twin = find_edge(e, n, e[k].to, e[k].from);
        if (e[k].twin < 0) return false;
    }
    return true;
}

typedef struct sized {
    double area;
    int facet;
} sized;

static int by_area(const void *a, const void *b) {
    const sized *p = a, *q = b;
    if (p->area != q->area) return p->area > q->area ? -1 : 1;
    return p->facet < q->facet ? -1 : p->facet > q->facet;
}

/* Thinner than tol: rounding made its normal. */
static bool is_sliver(const perp_vec3 *p, const facets *f, int i, perp_vec3 normal, double tol) {
    double longest = 0;
    for (int k = f->start[i] + 1; k < f->start[i + 1]; k++) {
        double l = perp_v3_norm(perp_v3_sub(p[f->vert[k]], p[f->vert[f->start[i]]]));
        if (l > longest) longest = l;
    }
    return perp_v3_norm(normal) <= 4 * tol * longest;
}

/* Groups coplanar facets: group[i] is the number of the face that facet i belongs to. Groups start from the largest facets, so that
 * slivers, whose normals are inaccurate, join the face of a neighbour. Returns the number of faces, -1 without memory. */
static int merge_facets(pp_arena *arena, const perp_vec3 *p, double tol, const facets *f, const half_edge *e,
                        int *group) {
    int n = f->nvert;
    sized *order = PP_ARENA_ARRAY(arena, sized, f->n);
    perp_vec3 *normal = PP_ARENA_ARRAY(arena, perp_vec3, f->n);
    int *first = PP_ARENA_ARRAY(arena, int, f->n + 1), *list = PP_ARENA_ARRAY(arena, int, n),
        *queue = PP_ARENA_ARRAY(arena, int, f->n);
    if (!order || !normal || !first || !list || !queue) return -1;
    for (int i = 0; i < f->n; i++) {
        normal[i] = loop_normal(p, f->vert + f->start[i], f->start[i + 1] - f->start[i]);
        order[i].area = perp_v3_norm(normal[i]);
        order[i].facet = i;
        group[i] = -1;
    }
    qsort(order, (size_t)f->n, sizeof *order, by_area);
    for (int i = 0; i <= f->n; i++) first[i] = f->start[i]; /* half-edges by facet */
    for (int k = 0; k < n; k++) list[first[e[k].facet]++] = k;
    int count = 0;
    for (int s = 0; s < f->n; s++) {
        int seed = order[s].facet;
        if (group[seed] >= 0) continue;
        perp_vec3 u = perp_v3_unit(normal[seed]), at = p[f->vert[f->start[seed]]];
        int head = 0, tail = 0;
        queue[tail++] = seed;
        group[seed] = count;
        while (head < tail) {
            int i = queue[head++];
            for (int k = f->start[i]; k < f->start[i + 1]; k++) {
                int j = e[e[list[k]].twin].facet;
                if (group[j] >= 0) continue;
                bool flat = true;
                for (int m = f->start[j]; m < f->start[j + 1] && flat; m++)
                    flat = fabs(perp_v3_dot(u, perp_v3_sub(p[f->vert[m]], at))) <= tol;
                if (!flat ||
                    (!is_sliver(p, f, j, normal[j], tol) && perp_v3_dot(u, normal[j]) < 0.9 * perp_v3_norm(normal[j])))
                    continue;
                group[j] = count;
                queue[tail++] = j;
            }
        }
        count++;
    }
    return count;
}

/* A face as a loop of vertices. */
typedef struct loop {
    int *vert;
    int n;
} loop;

static int by_vertices(const void *a, const void *b) {
    const loop *p = a, *q = b;
    for (int k = 0; k < p->n && k < q->n; k++)
        if (p->vert[k] != q->vert[k]) return p->vert[k] < q->vert[k] ? -1 : 1;
    return p->n < q->n ? -1 : p->n > q->n;
}

/* The triangulated surface, and the face that each of its facets belongs to. */
typedef struct surface {
    const half_edge *e;
    int nedge, npoint;
    const int *group; /* for each facet its face */
    int nface;
} surface;

/* Boundary loops of the faces, collinear vertices dropped, smallest vertex first, faces sorted. keep[v]: new number of
 * point v or -1. False if a boundary is not one simple loop.
 * @param buffer nedge numbers, which the loops point into
 * @param next scratch, npoint numbers */
static bool trace_faces(const surface *m, loop *face, int *buffer, int *next, int *keep) {
    const half_edge *e = m->e;
    const int *group = m->group, nedge = m->nedge, nface = m->nface, npoint = m->npoint;
    for (int v = 0; v < npoint; v++) keep[v] = 0;
    for (int k = 0; k < nedge; k++) /* number of faces that meet in a vertex */
        if (group[e[k].facet] != group[e[e[k].twin].facet]) keep[e[k].from]++;
    int kept_points = 0;
    for (int v = 0; v < npoint; v++) keep[v] = keep[v] >= 3 ? kept_points++ : -1;
    for (int g = 0; g < nface; g++) face[g].n = 0;
    for (int k = 0; k < nedge; k++) {
        int g = group[e[k].facet];
        if (g != group[e[e[k].twin].facet]) face[g].n++;
    }
    /* half-edges of each face, in order of their start */
    int at = 0;
    for (int g = 0; g < nface; g++) {
        face[g].vert = buffer + at;
        at += face[g].n;
        face[g].n = 0;
    }
    for (int k = 0; k < nedge; k++) {
        int g = group[e[k].facet];
        if (g != group[e[e[k].twin].facet]) face[g].vert[face[g].n++] = k;
    }
    for (int g = 0; g < nface; g++) {
        int n = face[g].n;
        if (n < 3) return false;
        for (int k = 0; k < n; k++) {
            int from = e[face[g].vert[k]].from;
            if (k > 0 && from == e[face[g].vert[k - 1]].from) return false; /* the boundary touches itself */
            next[from] = e[face[g].vert[k]].to;
        }
        int start = e[face[g].vert[0]].from, v = start, steps = 0, kept = 0;
        do {
            if (keep[v] >= 0) face[g].vert[kept++] = keep[v]; /* overwrites edges already followed into next[] */
            v = next[v];
            steps++;
        } while (v != start && steps <= n);
        if (steps != n || kept < 3) return false;
        face[g].n = kept;
        int least = 0;
        for (int k = 1; k < kept; k++)
            if (face[g].vert[k] < face[g].vert[least]) least = k;
        for (int k = 0; k < kept; k++) next[k] = face[g].vert[(least + k) % kept];
        memcpy(face[g].vert, next, (size_t)kept * sizeof *next);
    }
    qsort(face, (size_t)nface, sizeof *face, by_vertices);
    return true;
}

perp_status pp_hull3(pp_arena *arena, const perp_vec3 *points, int n, pp_hull *out, char *why, size_t why_size) {
    memset(out, 0, sizeof *out);
    double size = pp_extent(points, n), far = 0;
    int m = 0;
    perp_vec3 *p = pp_sort_points(arena, points, n, PP_COPLANAR * size, &m);
    if (!p) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    if (m < 4) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the polyhedron has only %d distinct points", m);
    for (int i = 0; i < m; i++) {
        double r = perp_v3_norm(p[i]);
        if (r > far) far = r;
    }
    double tol = PP_COPLANAR * size + 8 * DBL_EPSILON * far; /* the second: rounding of points far from the origin */
    facets f = {0};
    perp_status s = run_qhull(arena, p, m, size, &f, why, why_size);
    if (s) return s;
    half_edge *e = PP_ARENA_ARRAY(arena, half_edge, f.nvert);
    int *group = PP_ARENA_ARRAY(arena, int, f.n), *buffer = PP_ARENA_ARRAY(arena, int, f.nvert);
    int *next = PP_ARENA_ARRAY(arena, int, m), *keep = PP_ARENA_ARRAY(arena, int, m);
    loop *face = PP_ARENA_ARRAY(arena, loop, f.n);
    if (!e || !group || !buffer || !next || !keep || !face)
        return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    if (!link_edges(&f, e))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                         "the hull of the points is not a closed surface: it is too thin");
    int nface = merge_facets(arena, p, tol, &f, e, group);
    if (nface < 0) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    const surface merged = {e, f.nvert, m, group, nface};
    if (nface < 4 || !trace_faces(&merged, face, buffer, next, keep))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                         "the hull of the points is degenerate: too thin, or edges too short");
    out->nface = nface;
    out->vert = p;
    for (int v = 0; v < m; v++)
        if (keep[v] >= 0) p[out->nvert++] = p[v];
    int total = 0;
    for (int g = 0; g < nface; g++) total += face[g].n;
    out->face_start = PP_ARENA_ARRAY(arena, int, nface + 1);
    out->face_vert = PP_ARENA_ARRAY(arena, int, total);
    if (!out->face_start || !out->face_vert)
        return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    for (int g = 0, at = 0; g < nface; g++) {
        out->face_start[g] = at;
        memcpy(out->face_vert + at, face[g].vert, (size_t)face[g].n * sizeof *face[g].vert);
        at += face[g].n;
        out->face_start[g + 1] = at;
    }
    return PERP_OK;
}
