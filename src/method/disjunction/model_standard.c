/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_standard.c - the standard model as the thesis runs it: every contact of features within reach is unilateral
 *   in: pairs of shapes that are near      out: one U for every vertex and facet (3D: also edges) within reach
 * Valid    A vertex near a corner must be in front of the planes of both facets that meet there, although one would be enough. It can be
 *          trapped (Williams 4.1). Two bodies may have no motion that satisfies all constraints (Figs 5.11, 5.12). Then the step is not
 *          solved. The model exists for comparison.
 * Source   Williams 2.3, 5.2: "simply includes all contacts within the epsilon value". */
#include "method/disjunction/disjunction.h"
#include "stage/contact_model.h"

static void vertices(pp_rules *r, int owner) {
    const pp_solid *S = owner ? r->near.B : r->near.A, *O = owner ? r->near.A : r->near.B;
    for (int v = 0; !r->memory && v < O->g->nvert; v++)
        for (int f = 0; !r->memory && f < S->g->nface; f++) {
            if (!(pp_facet_distance(S, f, O, v) <= r->near.epsilon)) continue;
            pp_potential p = pp_vertex_facet(&r->near, owner, f, v);
            p.primary = true; /* even if the vertex does not point at the facet */
            int c = pp_rules_contact(r, &p);
            if (c >= 0) pp_rules_unilateral(r, c);
        }
}

static void edges(pp_rules *r) {
    const pp_near_features *c = &r->near;
    for (int a = 0; a < c->A->g->nedge; a++)
        for (int b = 0; b < c->B->g->nedge; b++) {
            pp_potential p;
            if (!(pp_edges_distance(c->A, a, c->B, b) <= c->epsilon) || !pp_edge_edge(c, a, b, false, &p) || !p.primary)
                continue;
            int k = pp_rules_contact(r, &p);
            if (k >= 0) pp_rules_unilateral(r, k);
        }
}

static void rules(pp_rules *r) {
    vertices(r, 0);
    vertices(r, 1);
    if (r->f->w->def.dim == 3) edges(r);
}

static perp_status solve(pp_frame *f) { return pp_disjunction_model(f, rules, 0); }

const pp_contact_model_type pp_model_standard = {
    .name = "standard",
    .source = "Williams 2.3, 5.2",
    .solve = solve,
    .pyramids = true,
};
