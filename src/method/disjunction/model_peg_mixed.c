/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_peg_mixed.c - Polytope Exact Geometry as printed: all potential contacts in one mixed complementarity problem
 *   in: pairs of shapes that are near      out: U, I and X constraints, one LCP for each island
 * Method   Geometry is linearised at the start of the step, so rotating bodies penetrate a little (Williams 5.3).
 * Valid    The problem has many solutions, some on the far side of a body, and a solver may find any of them or none. If a vertex is within
 *          reach of two corners of one body (edges shorter than the travel of a step), their constraints contradict each other. Then the
 *          step has no solution or a wrong one, and it is halved. The model exists for comparison; `peg` states the same law
 *          with separating planes and chooses among the solutions.
 * Source   Williams 4.3-4.7, Algorithms 8-17, problem (4.50), with the errata: every I by (4.12)-(4.13), X without
 *          force. */
#include "method/disjunction/disjunction.h"
#include "stage/contact_model.h"

static void rules(pp_rules *r) {
    if (r->f->w->def.dim == 2)
        pp_mixed_rules_2d(r);
    else
        pp_mixed_rules_3d(r);
}

static perp_status solve(pp_frame *f) { return pp_disjunction_model(f, rules, 0); }

const pp_contact_model_type pp_model_peg_mixed = {
    .name = "peg-mixed",
    .source = "Williams 4.3-4.7",
    .solve = solve,
    .pyramids_only = true,
};
