/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_nonconvex_lcp.c - a vertex at a corner, as one LCP with slack variables (Berard 3.2)
 *   p_i >= 0 only if max psi = 0 and psi_i = 0, for the gaps psi_i of a vertex to the sides of a corner
 * Method   The first of the disjunctive steps, kept for comparison with peg. Here it has any number of sides and friction: contacts that may
 *          carry a force have the friction rows of the Stewart-Trinkle step. Near vertices and sides are found as in the contact model
 *          lnc. Two corners that pass into each other are not detected (Williams Fig. 4.4).
 * Valid    It needs a constant gamma and many variables for each vertex near a corner, and no method is guaranteed to solve it.
 * Source   Berard (3.3)-(3.17); the rows are in method/disjunction/disjunction.h. */
#include "method/disjunction/disjunction.h"
#include "stage/stepper.h"
#include "stage/update/update.h"

typedef struct settings {
    double gamma;
} settings;

static const perp_field fields[] = {
    {"gamma", PERP_FIELD_DOUBLE, offsetof(settings, gamma), 4, 1.5, 1e6,
     "The constant gamma, as a multiple of the largest gap"},
};

static perp_status step(pp_frame *f) {
    const settings *s = (const settings *)(const void *)f->w->chosen.stepper_settings.bytes;
    perp_status st = pp_disjunction_model(f, pp_lnc_rules, s->gamma);
    return st ? st : pp_update(f);
}

static const char *const models[] = {"peg", NULL}; /* the default model, which is not called */

const pp_stepper_type pp_stepper_nonconvex_lcp = {
    .name = "nonconvex-lcp",
    .source = "Berard 3.2",
    .about = "a vertex may be behind one side of a corner if it is in front of the other; one LCP with slack variables",
    .makes = PERP_LCP,
    .dims = PP_DIM_2,
    .models = models,
    .fields = fields,
    .nfield = 1,
    .settings_size = sizeof(settings),
    .end_gaps = true,
    .normal_rhs = pp_end_gap_rhs,
    .step = step,
};
