/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mixed_rules2d.c - PEG in 2D: constraints of two polygons (Williams Algorithms 8-11)
 * Vertex near vertex: each of the two must be in front of an edge of the other (I), and they must pass on the same side (X).
 * Vertex near an edge, but near no vertex: U. */
#include "method/disjunction/disjunction.h"

static int contact(pp_rules *r, int owner, int edge, int vertex) {
    pp_potential p = pp_vertex_facet(&r->near, owner, edge, vertex);
    return pp_rules_contact(r, &p);
}

/* Algorithm 10. Edge i runs from vertex i to i + 1, so the edges of vertex v are v - 1 and v. */
static void vertex_vertex(pp_rules *r, int va, int vb) {
    int na = r->near.A->g->nvert, nb = r->near.B->g->nvert;
    int a1 = (va + na - 1) % na, a2 = va, b1 = (vb + nb - 1) % nb, b2 = vb;
    const int c[4] = {contact(r, 1, b1, va), contact(r, 1, b2, va), contact(r, 0, a1, vb), contact(r, 0, a2, vb)};
    if (r->memory) return;
    pp_rules_inter(r, 2, c);
    pp_rules_inter(r, 2, c + 2);
    pp_rules_cross(r, c[0], c[3], false);
    pp_rules_cross(r, c[1], c[2], false);
}

/* Algorithm 8 for all vertices of the other polygon that are near no vertex of the owner. */
static void vertex_edge(pp_rules *r, int owner, const bool *met) {
    const pp_solid *S = owner ? r->near.B : r->near.A, *O = owner ? r->near.A : r->near.B;
    for (int v = 0; v < O->g->nvert; v++)
        for (int e = 0; !met[v] && e < S->g->nface; e++)
            if (pp_facet_distance(S, e, O, v) <= r->near.epsilon) pp_rules_unilateral(r, contact(r, owner, e, v));
}

/* Algorithm 11. */
void pp_mixed_rules_2d(pp_rules *r) {
    const pp_solid *A = r->near.A, *B = r->near.B;
    bool *met_a = PP_ARENA_ZERO(&r->f->w->arena, bool, A->g->nvert);
    bool *met_b = PP_ARENA_ZERO(&r->f->w->arena, bool, B->g->nvert);
    if (!met_a || !met_b) {
        r->memory = true;
        return;
    }
    for (int a = 0; a < A->g->nvert; a++)
        for (int b = 0; b < B->g->nvert; b++)
            if (perp_v3_norm(perp_v3_sub(A->v[a], B->v[b])) <= r->near.epsilon) {
                vertex_vertex(r, a, b);
                met_a[a] = met_b[b] = true;
            }
    vertex_edge(r, 1, met_a);
    vertex_edge(r, 0, met_b);
}
