/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_world.h - worlds with true friction cones for tests. The solver is the one that such a world has by itself or,
 * to see laws apart from it, a plug-in of the tests (cone_oracle.h). */
#ifndef TEST_CONE_WORLD_H
#define TEST_CONE_WORLD_H

#include "cone_oracle.h"
#include "perp/perp.h"

/* Which solver: 0 the oracle, 1 the world's own. */
enum { CONE_SOLVERS = 2 };

static inline perp_world_def cone_world(perp_world_def d, int which) {
    if (!perp_solver_find(cone_oracle.name)) (void)perp_solver_register(&cone_oracle);
    d.form = PERP_FORM_CONE;
    if (which == 0 || !perp_solver_find("auto")) d.solver = cone_oracle.name;
    return d;
}

#endif
