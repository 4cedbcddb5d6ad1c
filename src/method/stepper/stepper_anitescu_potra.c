/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_anitescu_potra.c - the Anitescu-Potra step
 *   As Stewart-Trinkle, but a touching contact is enforced at velocity level: 0 <= p_n _|_ G_n' nu+ + driven velocity >= 0
 * Valid    Penetration is neither corrected nor pushed out, and stabilisation adds no energy. Gaps drift by second-order terms, (h w)^2/2 in
 *          each step. So the stepper is not suitable for bodies that rotate by more than a fraction of a radian in a step. Contacts that do
 *          not touch yet keep psi/h; otherwise they would be missed until they penetrate.
 * Source   Williams 2.4.1 after (2.35). */
#include "stage/stepper.h"

static double normal_rhs(double gap, double h, double touching, double driven) {
    return gap - h * driven <= touching ? driven : gap / h;
}

const pp_stepper_type pp_stepper_anitescu_potra = {
    .name = "anitescu-potra",
    .source = "Williams 2.4.1",
    .about = "as stewart-trinkle; touching contacts are enforced at velocity level, penetration stays",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .armature = true,
    .couplings = true,
    .end_poses = true,
    .normal_rhs = normal_rhs,
};
