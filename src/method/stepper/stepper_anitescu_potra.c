/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_anitescu_potra.c - the Anitescu-Potra step
 *   as Stewart-Trinkle, but a contact that touches is held at velocity level: 0 <= p_n _|_ G_n' nu+ + driven velocity >= 0
 * An overlap is neither corrected nor thrown out, and no energy comes from stabilisation; gaps drift by second-order
 * terms, size (h w)^2/2 in each step: it is not for bodies that turn by more than a part of a radian in a step. Contacts
 * that do not touch yet keep psi/h, or they would be missed until they overlap.
 * Source   Williams 2.4.1 after (2.35). */
#include "stage/stepper.h"

static double normal_rhs(double gap, double h, double touching, double driven) {
    return gap - h * driven <= touching ? driven : gap / h;
}

const pp_stepper_type pp_stepper_anitescu_potra = {
    .name = "anitescu-potra",
    .source = "Williams 2.4.1",
    .about = "as stewart-trinkle; what touches is held at velocity level, overlap stays as it is",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .armature = true,
    .couplings = true,
    .end_poses = true,
    .normal_rhs = normal_rhs,
};
