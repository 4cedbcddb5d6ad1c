/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_lnc.c - locally non-convex contact model: a vertex may be behind one facet if it is in front of another
 *   in: pairs of shapes that are near      out: for every vertex one I constraint over the facets within reach
 * Method   A vertex is not trapped by the planes of two facets that meet in a corner. But the choices of different vertices are
 *          independent, so two corners may pass into each other (Williams Fig. 4.4). The models peg-mixed and peg add the missing
 *          conditions. In 3D, edges that cross far from their ends are unilateral. Other edges have no constraint.
 * Source   Nguyen in Williams 4.1, (4.2)-(4.4); facets that can carry no force (chapter 3) are in C_kappa (4.10). */
#include "method/disjunction/disjunction.h"
#include "stage/contact_model.h"

/* Adds one I constraint for each vertex of the other shape that is near facets of the owner. */
static void vertices(pp_rules *r, int owner) {
    const pp_solid *S = owner ? r->near.B : r->near.A, *O = owner ? r->near.A : r->near.B;
    int *near = PP_ARENA_ARRAY(&r->f->w->arena, int, S->g->nface);
    if (!near) r->memory = true;
    for (int v = 0; !r->memory && v < O->g->nvert; v++) {
        int n = 0;
        for (int f = 0; f < S->g->nface; f++) {
            if (!(pp_facet_distance(S, f, O, v) <= r->near.epsilon)) continue;
            pp_potential p = pp_vertex_facet(&r->near, owner, f, v);
            int c = pp_rules_contact(r, &p);
            if (c >= 0) near[n++] = c;
        }
        if (!r->memory) pp_rules_inter(r, n, near);
    }
}

/* Is an end of the edge within reach of the other edge? Then the corner decides, not the edge. */
static bool near_end(const pp_solid *S, int e, const pp_solid *O, int o, double epsilon) {
    for (int k = 0; k < 2; k++)
        if (pp_edge_distance(O, o, S->v[S->g->edge[e][k]]) <= epsilon) return true;
    return false;
}

static void edges(pp_rules *r) {
    const pp_near_features *c = &r->near;
    for (int a = 0; a < c->A->g->nedge; a++)
        for (int b = 0; b < c->B->g->nedge; b++) {
            pp_potential p;
            if (!(pp_edges_distance(c->A, a, c->B, b) <= c->epsilon) || near_end(c->A, a, c->B, b, c->epsilon) ||
                near_end(c->B, b, c->A, a, c->epsilon) || !pp_edge_edge(c, a, b, false, &p) || !p.primary)
                continue;
            pp_rules_unilateral(r, pp_rules_contact(r, &p));
        }
}

void pp_lnc_rules(pp_rules *r) {
    vertices(r, 0);
    vertices(r, 1);
    if (r->f->w->def.dim == 3) edges(r);
}

static perp_status solve(pp_frame *f) { return pp_disjunction_model(f, pp_lnc_rules, 0); }

const pp_contact_model_type pp_model_lnc = {
    .name = "lnc",
    .source = "Williams 4.1-4.2 after Nguyen",
    .solve = solve,
    .pyramids_only = true,
};
