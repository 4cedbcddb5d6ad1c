/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* clip_face.c - the common area of two faces, seen along a normal
 *   in: a face of R, a face of O         out: corners of the common area, on the face of O, each with its feature
 * Method   Sutherland and Hodgman (1974): the sides of R's face cut the polygon of O's face one after the other. Every
 *          corner has a label: a vertex of O over the face, a crossing of two edges, or a corner of R's face.
 * Cost     product of the numbers of sides. */
#include "geometry/narrow/narrow.h"

int pp_side_count(const pp_solid *s, int f) { return s->g->face_start[f + 1] - s->g->face_start[f]; }
int pp_side_vertex(const pp_solid *s, int f, int k) {
    int n = pp_side_count(s, f);
    return s->g->face_vert[s->g->face_start[f] + (k < n ? k : k - n)];
}

static perp_vec3 outward(const pp_clip_frame *c, int k) {
    perp_vec3 p = c->R->v[pp_side_vertex(c->R, c->fr, k)], q = c->R->v[pp_side_vertex(c->R, c->fr, k + 1)];
    return perp_v3_unit(perp_v3_cross(perp_v3_sub(q, p), c->n));
}

void pp_clip_prepare(pp_clip_frame *c) {
    int n = pp_side_count(c->R, c->fr);
    c->nside = n <= PP_CLIP_SIDES ? n : 0;
    const pp_geometry *g = c->R->g;
    perp_vec3 d = perp_v3_sub(c->n, c->R->n[c->fr]);
    bool square = g->kind == PERP_SHAPE_BOX && d.x == 0 && d.y == 0 && d.z == 0; /* sides look along the faces beside */
    for (int k = 0; k < c->nside; k++) {
        const int *e = g->edge[g->face_edge[g->face_start[c->fr] + k]];
        c->side[k] = square ? c->R->n[e[2] == c->fr ? e[3] : e[2]] : outward(c, k);
    }
}

double pp_side_distance(const pp_clip_frame *c, int k, perp_vec3 x) {
    perp_vec3 p = c->R->v[c->R->g->face_vert[c->R->g->face_start[c->fr] + k]];
    return perp_v3_dot(k < c->nside ? c->side[k] : outward(c, k), perp_v3_sub(x, p));
}

/* The feature where the edge of the clipped polygon with label `side` meets side k of the reference face. */
static uint64_t crossing(const pp_clip_frame *c, int side, int k) {
    if (side >= 0) { /* an edge of O */
        int er = c->R->g->face_edge[c->R->g->face_start[c->fr] + k];
        return pp_feature(PP_EDGE_EDGE, 0, c->flip ? side : er, c->flip ? er : side);
    }
    int before = ~side, n = pp_side_count(c->R, c->fr); /* two sides: the corner between them */
    int corner = (k + 1 < n ? k + 1 : 0) == before ? before : k;
    return pp_feature(PP_VERTEX_FACE, c->flip ? 0 : 1, c->fo, pp_side_vertex(c->R, c->fr, corner));
}

/* Computes the distance of the corners beyond side k. @return whether the side cuts off any corner */
static bool measure(const pp_clip_frame *c, int k, pp_clip_point *x, int m, double tol) {
    perp_vec3 at = c->R->v[c->R->g->face_vert[c->R->g->face_start[c->fr] + k]];
    perp_vec3 out = k < c->nside ? c->side[k] : outward(c, k);
    bool any = false;
    for (int i = 0; i < m; i++) {
        x[i].over = perp_v3_dot(out, perp_v3_sub(x[i].x, at));
        any |= !(x[i].over <= tol);
    }
    return any;
}

/* Clips the face of O against the sides of the face of R; the result is in clip[0]. Sutherland and Hodgman
 * (1974). */
int pp_clip_face(pp_clip_point *clip[2], const pp_clip_frame *c, double tol) {
    pp_clip_point *in = clip[0], *out = clip[1];
    int m = pp_side_count(c->O, c->fo);
    for (int k = 0; k < m; k++) {
        int at = c->O->g->face_start[c->fo] + k, v = c->O->g->face_vert[at];
        in[k].x = c->O->v[v];
        in[k].tag = pp_feature(PP_VERTEX_FACE, c->flip ? 1 : 0, c->fr, v);
        in[k].side = c->O->g->face_edge[at];
    }
    int nside = pp_side_count(c->R, c->fr);
    for (int k = 0; k < nside && m > 0; k++) {
        if (!measure(c, k, in, m, tol)) continue;
        int count = 0;
        for (int i = 0; i < m; i++) {
            const pp_clip_point *p = &in[i], *q = &in[i + 1 < m ? i + 1 : 0];
            double dp = p->over, dq = q->over;
            out[count] =
                *p; /* if a point does not stay, the next one overwrites it: no branch, since it could not be predicted */
            count += dp <= tol;
            if ((dp <= tol) == (dq <= tol)) continue;
            double s = dp / (dp - dq);
            if (!(s > 0)) s = 0;
            if (!(s < 1)) s = 1;
            out[count].x = perp_v3_axpy(p->x, s, perp_v3_sub(q->x, p->x));
            out[count].tag = crossing(c, p->side, k);
            out[count].side = dp <= tol ? ~k : p->side;
            count++;
        }
        pp_clip_point *swap = in;
        in = out;
        out = swap;
        m = count;
    }
    if (in != clip[0]) { /* leave it where the caller looks */
        pp_clip_point *swap = clip[0];
        clip[0] = clip[1];
        clip[1] = swap;
    }
    return m;
}
