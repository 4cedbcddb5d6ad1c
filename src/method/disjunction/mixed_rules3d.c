/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mixed_rules3d.c - PEG in 3D: constraints of two polyhedra (Williams Algorithms 12-17)
 * Vertex near vertex: each must be in front of a face at the other (I). In addition, for every edge at the one and every edge at the other,
 * either the vertex is in front of the face beside that edge or the edges pass each other on the correct side. Vertex near an edge: the
 * same with the two faces of the edge. Vertex near a face, edge near edge: U.
 * Differences from the printed algorithms, with reasons:
 *   - Algorithm 14 writes its X constraints as I. The vertex already has its force in the I of Algorithm 15 or 16. A second one by the X would
 *     act even if the vertex is in front of another face. So here only the edge-edge contact carries a force: I({C(ea, eb)}, {C(va, f)}).
 *   - Algorithm 16 assigns X_constr in its loops; the union is meant.
 *   - Algorithm 17 flags edges. Then a vertex would be skipped because of its neighbour. Here vertices are flagged after the whole loop over
 *     each of them, and pairs of edges that are in a constraint. The last loop adds edge-edge contacts (printed: vertex-face). */
#include "method/disjunction/disjunction.h"

typedef struct scene {
    pp_rules *r;
    const pp_solid *S[2];
    bool *met[2]; /* by shape and vertex: already handled with a vertex or an edge */
    bool *pair;   /* by (edge of A) * (nedge of B) + (edge of B): already in a constraint */
    int *list;    /* contacts of one I */
} scene;

static bool touches(const pp_solid *S, int e, int v) { return S->g->edge[e][0] == v || S->g->edge[e][1] == v; }

static int face_contact(scene *s, int owner, int face, int vertex) {
    pp_potential p = pp_vertex_facet(&s->r->near, owner, face, vertex);
    return pp_rules_contact(s->r, &p);
}

/* C(ev, eo): an edge of the shape that has the vertex, `k`, and one of the other; -1 if parallel. */
static int edge_contact(scene *s, int k, int ev, int eo, bool flip) {
    pp_potential p;
    int a = k ? eo : ev, b = k ? ev : eo;
    return pp_edge_edge(&s->r->near, a, b, flip, &p) ? pp_rules_contact(s->r, &p) : -1;
}

static bool applicable(const scene *s, int k, int ev, int eo) {
    perp_vec3 n;
    int a = k ? eo : ev, b = k ? ev : eo;
    const pp_near_features *c = &s->r->near;
    return pp_edge_normal(c->A, a, c->B, b, &n) && pp_applicable_edges(c->A, a, c->B, b, n) >= -c->sine;
}

/* Algorithm 14: vertex v of shape k near edge o of the other. */
static void cross_constraints(scene *s, int k, int v, int o) {
    const pp_solid *V = s->S[k], *O = s->S[1 - k];
    double sine = s->r->near.sine;
    perp_vec3 left = pp_edge_orientation(O, o);
    int f1 = O->g->edge[o][2], f2 = O->g->edge[o][3]; /* left, right */
    for (int e = 0; e < V->g->nedge; e++) {
        if (!touches(V, e, v)) continue;
        s->pair[k ? o * s->S[1]->g->nedge + e : e * s->S[1]->g->nedge + o] = true;
        if (!applicable(s, k, e, o)) continue;
        int other = V->g->edge[e][V->g->edge[e][0] == v ? 1 : 0];
        double side = perp_v3_dot(perp_v3_unit(perp_v3_sub(V->v[other], V->v[v])), left);
        int straight = edge_contact(s, k, e, o, false);
        if (straight < 0) continue;
        pp_rules_cross(s->r, straight, face_contact(s, 1 - k, side >= 0 ? f1 : f2, v), true);
        if (fabs(side) >= sine) continue;
        /* nearly parallel: in the step it may rotate to either side, and then the other normal is valid */
        int turned = edge_contact(s, k, e, o, true);
        pp_rules_cross(s->r, turned, face_contact(s, 1 - k, side >= 0 ? f2 : f1, v), true);
    }
}

/* Algorithm 15. */
static void vertex_edge(scene *s, int k, int v, int o) {
    const pp_solid *O = s->S[1 - k];
    const int c[2] = {face_contact(s, 1 - k, O->g->edge[o][2], v), face_contact(s, 1 - k, O->g->edge[o][3], v)};
    if (s->r->memory) return;
    pp_rules_inter(s->r, 2, c);
    cross_constraints(s, k, v, o);
}

static bool on_face(const pp_solid *S, int f, int v) {
    for (int k = S->g->face_start[f]; k < S->g->face_start[f + 1]; k++)
        if (S->g->face_vert[k] == v) return true;
    return false;
}

/* Algorithm 16, once for each of the two: vertex v of shape k near vertex u of the other. */
static void vertex_vertex(scene *s, int k, int v, int u) {
    const pp_solid *O = s->S[1 - k];
    int n = 0;
    for (int f = 0; f < O->g->nface; f++)
        if (on_face(O, f, u)) s->list[n++] = face_contact(s, 1 - k, f, v);
    if (s->r->memory) return;
    pp_rules_inter(s->r, n, s->list);
    for (int o = 0; o < O->g->nedge; o++)
        if (touches(O, o, u)) cross_constraints(s, k, v, o);
}

static void all_vertices(scene *s) {
    double epsilon = s->r->near.epsilon;
    for (int a = 0; a < s->S[0]->g->nvert; a++)
        for (int b = 0; b < s->S[1]->g->nvert; b++) {
            if (!(perp_v3_norm(perp_v3_sub(s->S[0]->v[a], s->S[1]->v[b])) <= epsilon)) continue;
            vertex_vertex(s, 0, a, b);
            vertex_vertex(s, 1, b, a);
            s->met[0][a] = s->met[1][b] = true;
        }
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < s->S[k]->g->nvert; v++) {
            bool some = false;
            for (int o = 0; !s->met[k][v] && o < s->S[1 - k]->g->nedge; o++) {
                if (!(pp_edge_distance(s->S[1 - k], o, s->S[k]->v[v]) <= epsilon)) continue;
                vertex_edge(s, k, v, o);
                some = true;
            }
            if (some) s->met[k][v] = true;
        }
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < s->S[k]->g->nvert; v++)
            for (int f = 0; !s->met[k][v] && f < s->S[1 - k]->g->nface; f++)
                if (pp_facet_distance(s->S[1 - k], f, s->S[k], v) <= epsilon)
                    pp_rules_unilateral(s->r, face_contact(s, 1 - k, f, v)); /* Algorithm 12 */
}

/* Algorithm 13 for pairs of edges that no vertex constraint contains. */
static void all_edges(scene *s) {
    int nb = s->S[1]->g->nedge;
    for (int a = 0; a < s->S[0]->g->nedge; a++)
        for (int b = 0; b < nb; b++) {
            pp_potential p;
            if (s->pair[a * nb + b] || !(pp_edges_distance(s->S[0], a, s->S[1], b) <= s->r->near.epsilon) ||
                !pp_edge_edge(&s->r->near, a, b, false, &p) || !p.primary)
                continue;
            pp_rules_unilateral(s->r, pp_rules_contact(s->r, &p));
        }
}

/* Algorithm 17. */
void pp_mixed_rules_3d(pp_rules *r) {
    pp_arena *arena = &r->f->w->arena;
    scene s = {.r = r, .S = {r->near.A, r->near.B}};
    int na = s.S[0]->g->nface, nb = s.S[1]->g->nface;
    s.met[0] = PP_ARENA_ZERO(arena, bool, s.S[0]->g->nvert);
    s.met[1] = PP_ARENA_ZERO(arena, bool, s.S[1]->g->nvert);
    s.pair = PP_ARENA_ZERO(arena, bool, (ptrdiff_t)s.S[0]->g->nedge *s.S[1]->g->nedge);
    s.list = PP_ARENA_ARRAY(arena, int, na > nb ? na : nb);
    if (!s.met[0] || !s.met[1] || !s.pair || !s.list) {
        r->memory = true;
        return;
    }
    all_vertices(&s);
    all_edges(&s);
}
