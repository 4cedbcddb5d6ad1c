/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* williams_detect.c - nearest points, applicability, feasibility, potential contacts (Williams chapter 3)
 *   in: two polytopes in W and their possible travel      out: C(vertex, facet), C(edge, edge), primary or secondary
 * Method   As printed, with the errata: Algorithm 3 does not normalise e; Algorithm 7 needs c = d1 . r and the case of a second segment
 *          that is a point; (5.1) has h^2 at the accelerations (collide.c).
 *          Relaxation: bodies that travel at most `reach` rotate at most by reach divided by half their size. A contact that is not
 *          applicable now may become so after such a rotation.
 *          Feasibility (3.3): a vertex may be below a facet by its travel, but by at most a quarter of the width of the body there;
 *          otherwise the far side of a thin body would push. Beside the facet the region opens downwards at 45 degrees.
 * Cost     Vertex-facet: neighbours of the vertex, sides of the face, vertices of the body. */
#include "method/disjunction/williams_detect.h"

#include "base/elementary.h"

/* [1] If the cross product of two edges is smaller than this times their lengths, they have no usable common normal. */
#define PARALLEL 1e-6
/* [1] A vertex is over a facet if its projection lies outside by at most this times the size of the body. */
#define OVER 1e-9
/* [rad] Smallest relaxation: rounding of normals. */
#define LEAST_SINE 1e-9

pp_near_features pp_near_features_of(const pp_solid *A, double reach_a, const pp_solid *B, double reach_b) {
    double turn = 2 * reach_a / A->g->size + 2 * reach_b / B->g->size;
    return (pp_near_features){A, B, reach_a + reach_b, turn < 1 ? LEAST_SINE + pp_sin(turn) : 1};
}

bool pp_polytope_place(const pp_placed *p, pp_arena *arena, pp_solid *out) {
    const pp_geometry *g = p->g;
    *out = (pp_solid){.g = g,
                      .v = PP_ARENA_ARRAY(arena, perp_vec3, g->nvert),
                      .n = PP_ARENA_ARRAY(arena, perp_vec3, g->nface),
                      .at = p->X_WS.p};
    if (!out->v || !out->n) return false;
    for (int k = 0; k < g->nvert; k++) out->v[k] = perp_pose_apply(p->X_WS, g->vert[k]);
    for (int k = 0; k < g->nface; k++) out->n[k] = perp_q_rotate(p->X_WS.q, g->face_n[k]);
    return true;
}

static double clamp(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; } /* Algorithm 4 */

static double distance(perp_vec3 a, perp_vec3 b) { return perp_v3_norm(perp_v3_sub(a, b)); }

perp_vec3 pp_point_segment(perp_vec3 a, perp_vec3 b, perp_vec3 c) {
    perp_vec3 e = perp_v3_sub(b, a);
    double ee = perp_v3_dot(e, e);
    double t = ee > 0 ? clamp(perp_v3_dot(perp_v3_sub(c, a), e) / ee) : 0;
    return perp_v3_axpy(a, t, e);
}

void pp_segment_segment(perp_vec3 p1, perp_vec3 q1, perp_vec3 p2, perp_vec3 q2, perp_vec3 *c1, perp_vec3 *c2) {
    perp_vec3 d1 = perp_v3_sub(q1, p1), d2 = perp_v3_sub(q2, p2), r = perp_v3_sub(p1, p2);
    double a = perp_v3_dot(d1, d1), e = perp_v3_dot(d2, d2), f = perp_v3_dot(d2, r), c = perp_v3_dot(d1, r);
    double s = 0, t = 0;
    if (a <= 0 && e <= 0) {
        *c1 = p1;
        *c2 = p2;
        return;
    }
    if (a <= 0) {
        t = clamp(f / e);
    } else if (e <= 0) {
        s = clamp(-c / a);
    } else {
        double b = perp_v3_dot(d1, d2), det = a * e - b * b;
        s = det > 0 ? clamp((b * f - c * e) / det) : 0;
        t = (b * s + f) / e;
        if (t < 0) {
            t = 0;
            s = clamp(-c / a);
        } else if (t > 1) {
            t = 1;
            s = clamp((b - c) / a);
        }
    }
    *c1 = perp_v3_axpy(p1, s, d1);
    *c2 = perp_v3_axpy(p2, t, d2);
}

static perp_vec3 facet_vertex(const pp_solid *s, int f, int k) {
    const int *v = s->g->face_vert + s->g->face_start[f];
    int n = s->g->face_start[f + 1] - s->g->face_start[f];
    return s->v[v[k % n]];
}

perp_vec3 pp_point_facet(const pp_solid *s, int f, perp_vec3 x) {
    if (s->g->dim == 2) return pp_point_segment(facet_vertex(s, f, 0), facet_vertex(s, f, 1), x);
    int n = s->g->face_start[f + 1] - s->g->face_start[f];
    perp_vec3 foot = perp_v3_axpy(x, -pp_above(s, f, x), s->n[f]), best = foot;
    double least = INFINITY;
    bool inside = true;
    for (int k = 0; k < n; k++) {
        perp_vec3 p = facet_vertex(s, f, k), q = facet_vertex(s, f, k + 1);
        perp_vec3 inward = perp_v3_cross(s->n[f], perp_v3_sub(q, p)); /* sides are ordered counter-clockwise */
        if (perp_v3_dot(inward, perp_v3_sub(foot, p)) < 0) inside = false;
        perp_vec3 on = pp_point_segment(p, q, foot);
        double d = distance(on, foot);
        if (d < least) {
            least = d;
            best = on;
        }
    }
    return inside ? foot : best;
}

double pp_facet_distance(const pp_solid *S, int f, const pp_solid *O, int v) {
    return distance(pp_point_facet(S, f, O->v[v]), O->v[v]);
}

static perp_vec3 edge_end(const pp_solid *S, int e, int k) { return S->v[S->g->edge[e][k]]; }

double pp_edge_distance(const pp_solid *S, int e, perp_vec3 x) {
    return distance(pp_point_segment(edge_end(S, e, 0), edge_end(S, e, 1), x), x);
}

double pp_edges_distance(const pp_solid *A, int ea, const pp_solid *B, int eb) {
    perp_vec3 a, b;
    pp_segment_segment(edge_end(A, ea, 0), edge_end(A, ea, 1), edge_end(B, eb, 0), edge_end(B, eb, 1), &a, &b);
    return distance(a, b);
}

static double toward(const pp_solid *S, int v, int k, perp_vec3 n) {
    return perp_v3_dot(n, perp_v3_unit(perp_v3_sub(S->v[k], S->v[v])));
}

double pp_applicable_vertex(const pp_solid *S, int v, perp_vec3 facet_n) {
    const pp_geometry *g = S->g;
    double least = INFINITY;
    if (g->dim == 2) {
        int before = (v + g->nvert - 1) % g->nvert, after = (v + 1) % g->nvert;
        return fmin(toward(S, v, before, facet_n), toward(S, v, after, facet_n));
    }
    for (int e = 0; e < g->nedge; e++) {
        int a = g->edge[e][0], b = g->edge[e][1];
        if (a == v || b == v) least = fmin(least, toward(S, v, a == v ? b : a, facet_n));
    }
    return least;
}

double pp_applicable_edges(const pp_solid *A, int ea, const pp_solid *B, int eb, perp_vec3 n) {
    double most = -INFINITY, least = INFINITY; /* of the four d of (3.5) */
    for (int k = 0; k < 2; k++) {
        const pp_solid *S = k ? B : A;
        int e = k ? eb : ea;
        perp_vec3 v = perp_v3_unit(pp_edge_vector(S, e));
        perp_vec3 t1 = perp_v3_cross(S->n[S->g->edge[e][2]], v),
                  t2 = perp_v3_cross(v, S->n[S->g->edge[e][3]]); /* (3.2) */
        double sign = k ? -1 : 1, d1 = sign * perp_v3_dot(n, t1), d2 = sign * perp_v3_dot(n, t2);
        most = fmax(most, fmax(d1, d2));
        least = fmin(least, fmin(d1, d2));
    }
    return fmax(least, -most);
}

perp_vec3 pp_edge_orientation(const pp_solid *S, int e) {
    perp_vec3 out = perp_v3_add(S->n[S->g->edge[e][2]], S->n[S->g->edge[e][3]]);
    return perp_v3_unit(perp_v3_cross(out, pp_edge_vector(S, e)));
}

bool pp_edge_normal(const pp_solid *A, int ea, const pp_solid *B, int eb, perp_vec3 *n) {
    perp_vec3 a = pp_edge_vector(A, ea), b = pp_edge_vector(B, eb), x = perp_v3_cross(a, b);
    double size = perp_v3_norm(x);
    if (!(size > PARALLEL * perp_v3_norm(a) * perp_v3_norm(b))) return false;
    double side = perp_v3_dot(a, pp_edge_orientation(B, eb));
    if (side == 0) return false;
    *n = perp_v3_scale((side > 0 ? 1 : -1) / size, x); /* points into B, from A to B */
    return true;
}

/* Extent of S below the point x along n. */
static double width_below(const pp_solid *S, perp_vec3 n, perp_vec3 x) {
    double most = 0;
    for (int v = 0; v < S->g->nvert; v++) most = fmax(most, -perp_v3_dot(n, perp_v3_sub(S->v[v], x)));
    return most;
}

static bool feasible_vertex(const pp_near_features *c, const pp_solid *S, int f, perp_vec3 x, double psi) {
    perp_vec3 n = S->n[f], p = pp_point_facet(S, f, x), d = perp_v3_sub(x, p);
    double beside = perp_v3_norm(perp_v3_axpy(d, -perp_v3_dot(d, n), n));
    if (beside <= OVER * S->g->size) beside = 0;
    return psi > -fmin(c->epsilon, width_below(S, n, p) / 4) - beside;
}

pp_potential pp_vertex_facet(const pp_near_features *c, int owner, int f, int v) {
    const pp_solid *S = owner ? c->B : c->A, *O = owner ? c->A : c->B;
    perp_vec3 x = O->v[v], n = S->n[f];
    double psi = pp_above(S, f, x);
    perp_vec3 foot = perp_v3_axpy(x, -psi, n);
    return (pp_potential){.feature = pp_feature(PP_VERTEX_FACE, owner, f, v),
                          .a_W = owner ? x : foot,
                          .b_W = owner ? foot : x,
                          .n_W = owner ? perp_v3(0.0 - n.x, 0.0 - n.y, 0.0 - n.z) : n,
                          .gap = psi,
                          .primary = pp_applicable_vertex(O, v, n) >= -c->sine && feasible_vertex(c, S, f, x, psi)};
}

bool pp_edge_edge(const pp_near_features *c, int ea, int eb, bool flip, pp_potential *out) {
    perp_vec3 n, a, b;
    if (!pp_edge_normal(c->A, ea, c->B, eb, &n)) return false;
    if (flip) n = perp_v3_neg(n);
    pp_segment_segment(edge_end(c->A, ea, 0), edge_end(c->A, ea, 1), edge_end(c->B, eb, 0), edge_end(c->B, eb, 1), &a,
                       &b);
    double psi = perp_v3_dot(n, perp_v3_sub(b, a));
    double room = fmin(width_below(c->B, perp_v3_neg(n), b), width_below(c->A, n, a)) / 4;
    *out = (pp_potential){.feature = pp_feature(PP_EDGE_EDGE, flip ? 1 : 0, ea, eb),
                          .a_W = a,
                          .b_W = perp_v3_axpy(a, psi, n), /* opposite impulses on one line make no torque */
                          .n_W = n,
                          .gap = psi,
                          .primary =
                              pp_applicable_edges(c->A, ea, c->B, eb, n) >= -c->sine && psi > -fmin(c->epsilon, room)};
    return true;
}
