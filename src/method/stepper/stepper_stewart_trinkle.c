/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_stewart_trinkle.c - the Stewart-Trinkle step
 *   M (nu+ - nu) = h f + G p,    0 <= p_n  _|_  G_n' nu+ + psi/h + dpsi/dt >= 0
 * Method   The linearised gap at the end of the step is not negative. So bodies touch exactly at the end of a step, and an inelastic impact
 *          takes two steps (Notes p. 11). If a contact closes within the step, Newton restitution replaces psi/h (formulate.c).
 * Source   Berard 2.6, Williams (2.34)-(2.35), Notes p. 9-16. */
#include "stage/stepper.h"

double pp_end_gap_rhs(double gap, double h, double touching, double driven) {
    (void)touching;
    (void)driven;
    return gap / h;
}

const pp_stepper_type pp_stepper_stewart_trinkle = {
    .name = "stewart-trinkle",
    .source = "Berard 2.6; Williams (2.34)-(2.39)",
    .about = "gaps at the end of the step, impulses, inelastic impacts within a step",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2 | PP_DIM_3,
    .armature = true,
    .couplings = true,
    .end_poses = true,
    .end_gaps = true,
    .normal_rhs = pp_end_gap_rhs,
};
