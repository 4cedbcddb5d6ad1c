/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stepper_planar.c - planar bodies that rest on their plane with friction, "2.5D"
 * Method   The Stewart-Trinkle step of a 2D world, with friction at the three points on which a body rests. Their normal forces are known,
 *          because the body stays level (Berard 3.24). So friction has a given limit, in both directions of the plane.
 * Source   Berard 3.3. */
#include "stage/pose/support_rows.h"

const pp_stepper_type pp_stepper_planar = {
    .name = "planar-2.5d",
    .source = "Berard 3.3",
    .about = "as stewart-trinkle in 2D; bodies rest on three points each and rub on the plane",
    .makes = PERP_LCP | PERP_MLCP | PERP_CONE,
    .dims = PP_DIM_2,
    .end_gaps = true,
    .supports = true,
    .models = pp_support_models,
    .normal_rhs = pp_end_gap_rhs,
};
