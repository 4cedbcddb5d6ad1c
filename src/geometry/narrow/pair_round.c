/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pair_round.c - contacts of spheres, particles and half-spaces
 *   sphere or particle against sphere      one contact along the line of centres
 *   anything against a half-space          every vertex (a sphere: its centre less the radius)
 *   sphere or particle against polytope    the closest point of face, edge or vertex; inside, the face of least depth
 * Valid    exact for any position. Where a direction is not defined (coincident centres, a centre on an edge) a fixed
 *          one is taken: +y in 2D, +z in 3D, or the face in front of which the point lies farthest.
 * Cost     linear in vertices, faces and edges. Feature numbers: see collision.h. */
#include "geometry/narrow/narrow.h"

void pp_pair_spheres(pp_narrow *w, const pp_solid *A, const pp_solid *B) {
    if (A->g->kind == PERP_SHAPE_PARTICLE && B->g->kind == PERP_SHAPE_PARTICLE) return;
    double ra = A->g->radius, rb = B->g->radius, far = ra + rb + w->reach;
    perp_vec3 d = perp_v3_sub(B->v[0], A->v[0]), n;
    if (perp_v3_dot(d, d) > (1 + 1e-12) * far * far) return; /* no root for those that are not near */
    double l = perp_v3_norm(d);
    if (l > 1e-12 * (ra + rb))
        n = perp_v3_scale(1 / l, d);
    else
        n = A->g->dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1);
    perp_vec3 a = perp_v3_axpy(A->v[0], ra, n), b = perp_v3_axpy(B->v[0], -rb, n);
    pp_emit(w, 0, a, b, n, perp_v3_dot(n, d) - (ra + rb));
}

void pp_pair_halfspace(pp_narrow *w, const pp_solid *plane, const pp_solid *B, bool flip) {
    perp_vec3 n = plane->n[0];
    double r = B->g->radius;
    for (int v = 0; v < B->g->nvert; v++) {
        double gap = perp_v3_dot(n, perp_v3_sub(B->v[v], plane->at)) - r;
        perp_vec3 b = perp_v3_axpy(B->v[v], -r, n);
        pp_emit_flip(w, flip, pp_feature(PP_VERTEX_FACE, 0, 0, v), perp_v3_axpy(b, -gap, n), b, n, gap);
    }
}

/* Ends and number of edge e; in 2D edges are faces. */
static void edge_ends(const pp_solid *s, int e, int *a, int *b) {
    if (s->g->dim == 2) {
        *a = e;
        *b = (e + 1) % s->g->nvert;
    } else {
        *a = s->g->edge[e][0];
        *b = s->g->edge[e][1];
    }
}

/* Does x, in front of face f, project into it? */
static bool projects_into(const pp_solid *s, int f, perp_vec3 x) {
    const int *v = s->g->face_vert + s->g->face_start[f];
    int n = s->g->face_start[f + 1] - s->g->face_start[f];
    if (s->g->dim == 2) {
        perp_vec3 e = perp_v3_sub(s->v[v[1]], s->v[v[0]]);
        return perp_v3_dot(e, perp_v3_sub(x, s->v[v[0]])) >= 0 && perp_v3_dot(e, perp_v3_sub(x, s->v[v[1]])) <= 0;
    }
    for (int k = 0; k < n; k++) {
        perp_vec3 p = s->v[v[k]], e = perp_v3_sub(s->v[v[k + 1 < n ? k + 1 : 0]], p);
        if (perp_v3_dot(perp_v3_cross(e, s->n[f]), perp_v3_sub(x, p)) > 0) return false;
    }
    return true;
}

/* Closest edge or vertex to x. */
static pp_nearest nearest_edge(const pp_solid *s, perp_vec3 x) {
    pp_nearest best = {PP_VERTEX_VERTEX, 0, s->v[0], {0, 0, 0}, INFINITY};
    int n = s->g->dim == 2 ? s->g->nvert : s->g->nedge;
    for (int e = 0; e < n; e++) {
        int a, b;
        edge_ends(s, e, &a, &b);
        perp_vec3 d = perp_v3_sub(s->v[b], s->v[a]);
        double t = perp_v3_dot(perp_v3_sub(x, s->v[a]), d) / perp_v3_dot(d, d);
        pp_nearest c = {PP_VERTEX_EDGE, e, perp_v3_axpy(s->v[a], t, d), {0, 0, 0}, 0};
        if (!(t > 0)) {
            c.kind = PP_VERTEX_VERTEX;
            c.index = a;
            c.at = s->v[a];
        } else if (!(t < 1)) {
            c.kind = PP_VERTEX_VERTEX;
            c.index = b;
            c.at = s->v[b];
        }
        c.distance = perp_v3_norm(perp_v3_sub(x, c.at));
        if (c.distance < best.distance) best = c;
    }
    return best;
}

pp_nearest pp_nearest_of(const pp_solid *poly, perp_vec3 x) {
    const pp_geometry *g = poly->g;
    double most = -INFINITY;
    int face = 0, over = -1;
    for (int f = 0; f < g->nface; f++) {
        double d = pp_above(poly, f, x);
        if (d > most) {
            most = d;
            face = f;
        }
        if (over < 0 && d > 0 && projects_into(poly, f, x)) over = f;
    }
    if (most > 0 && over < 0) {
        pp_nearest c = nearest_edge(poly, x);
        if (c.distance > 1e-12 * g->size) {
            c.n = perp_v3_scale(1 / c.distance, perp_v3_sub(x, c.at));
            /* in 2D an edge is a face, and edge_ends found one that projects_into missed by rounding */
            if (g->dim == 2 && c.kind == PP_VERTEX_EDGE) c.kind = PP_VERTEX_FACE;
            return c;
        }
    }
    if (over >= 0) face = over;
    double d = pp_above(poly, face, x);
    perp_vec3 n = poly->n[face];
    pp_nearest c = {PP_VERTEX_FACE, face, perp_v3_axpy(x, -d, n), n, d};
    return c;
}

uint64_t pp_nearest_feature(const pp_nearest *c, bool flip, int v) {
    if (c->kind != PP_VERTEX_VERTEX) return pp_feature(c->kind, flip ? 1 : 0, c->index, v);
    return flip ? pp_feature(c->kind, 0, v, c->index) : pp_feature(c->kind, 0, c->index, v); /* flip: it is j's, b */
}

void pp_pair_sphere_poly(pp_narrow *w, const pp_solid *poly, const pp_solid *ball, bool flip) {
    perp_vec3 x = ball->v[0];
    double r = ball->g->radius;
    for (int f = 0; f < poly->g->nface; f++)
        if (pp_above(poly, f, x) - r > w->reach) return;
    pp_nearest c = pp_nearest_of(poly, x);
    pp_emit_flip(w, flip, pp_nearest_feature(&c, flip, 0), c.at, perp_v3_axpy(x, -r, c.n), c.n, c.distance - r);
}
