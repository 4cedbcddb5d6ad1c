/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* nudge.h - how far rounding alone parts two runs: the same run with forces at random that move bodies by a rounding error in each step */
#ifndef PP_TEST_NUDGE_H
#define PP_TEST_NUDGE_H

#include "perp/perp.h"
#include "uniform.h"

/* Rounding of gaps between corners at 6 m from the origin, a few units in the last place [L]. */
#define NUDGE_ROUNDED 2e-15
/* Largest multiple of the difference that nudging makes by which other views of a scene may differ. Nudges act through bodies, rounding also through
 * each contact. Another branch of the solution shows as 1e-4 m. */
#define NUDGE_TIMES 100
/* If nudging alone makes a larger difference, views of the scene cannot be compared [L]. */
#define NUDGE_PARTS 1e-6

/* Moves a body within the next step by up to NUDGE_ROUNDED along each axis, and turns it, so that its points move as far. */
static inline void nudge(perp_world *w, perp_body_id b, uint64_t *random) {
    perp_body_def d;
    double h = perp_world_h(w);
    perp_status st = perp_body_get(w, b, &d);
    bool space = perp_world_dim(w) == 3;
    double r[6], F = d.mass * NUDGE_ROUNDED / (h * h),
                 T = F * sqrt(d.I_B.c[2].z / d.mass); /* at the radius of gyration */
    for (int i = 0; i < 6; i++) r[i] = scene_uniform(random, -1, 1);
    if (!st)
        st = perp_body_set_force(w, b, perp_v3(F * r[0], F * r[1], space ? F * r[2] : 0),
                                 perp_v3(space ? T * r[3] : 0, space ? T * r[4] : 0, T * r[5]));
    assert_int_equal(st, PERP_OK);
}

#endif
