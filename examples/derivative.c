/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* derivative.c - how the end of a run changes with a parameter: tangents, and what they are good for.
 *
 * A block slides to a stop on a floor. How much friction makes it stop 0.573 m from its start? Newton's method, with the
 * derivative of the place by the coefficient of friction, which is carried along with the steps. Expect: five runs at most
 * from 0.4, and mu = v^2/(2 g x) = 0.355800, but for the error of first order in the step. */
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>

static void must(const perp_world *w, perp_status s) {
    if (!s) return;
    fprintf(stderr, "%s: %s\n", perp_status_name(s), w ? perp_world_why(w) : perp_status_text(s));
    exit(1);
}

/* Where the block stops, and the derivative of that by mu. */
static double slide(double mu, double *derivative) {
    perp_world_def wd = perp_world_def_default(3);
    wd.h = 0.002;
    perp_world *w = NULL;
    must(w, perp_world_create(&wd, &w));
    perp_body_def fd = perp_body_def_default(PERP_BODY_OBSTACLE), bd = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def ground = perp_shape_halfspace(perp_v3(0, 0, 1), 0), box = perp_shape_box(0.2, 0.1, 0.05);
    perp_body_id floor, block;
    must(w, perp_body_add(w, &fd, &floor));
    must(w, perp_shape_add(w, floor, &ground, NULL));
    must(w, perp_body_def_mass(&bd, &box, 3, 500));
    bd.X_WB = perp_pose_at(0, 0, 0.05);
    bd.v_W = perp_v3(2, 0, 0);
    must(w, perp_body_add(w, &bd, &block));
    must(w, perp_shape_add(w, block, &box, NULL));
    must(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu}));

    perp_tangent_def td = perp_tangent_def_default(); /* one direction */
    perp_tangent *t = NULL;
    must(w, perp_world_tangent(w, &td, &t));
    perp_parameter friction = {.kind = PERP_PARAMETER_MU, .material = {0, 0}};
    must(w, perp_tangent_seed(t, w, 0, &friction, 1)); /* direction 0 is d/d mu */

    while (perp_world_time(w) < 1) must(w, perp_tangent_step(t, w, NULL)); /* instead of perp_world_step() */
    perp_pose X;
    perp_vec3 dp;
    must(w, perp_body_pose(w, block, &X));
    must(w, perp_tangent_pose(t, 0, block, &dp, NULL));
    perp_tangent_state state = perp_tangent_report(t);
    printf("mu = %.6f: stops at x = %.6f m, dx/dmu = %.6f m; %d of %d steps near a change, least margin %.1e\n", mu,
           X.p.x, dp.x, (int)state.changes, (int)state.steps, state.least_margin);
    perp_tangent_free(t);
    perp_world_destroy(w);
    *derivative = dp.x;
    return X.p.x;
}

int main(void) {
    const double target = 0.573, exact = 2 * 2 / (2 * 9.81 * target);
    double mu = 0.4, x = 0, slope;
    int runs = 0;
    for (; runs < 8; runs++) {
        x = slide(mu, &slope);
        if (fabs(x - target) < 1e-9) break;
        mu -= (x - target) / slope;
    }
    printf("mu = %.6f after %d runs; v^2/(2 g x) = %.6f\n", mu, runs + 1, exact);
    if (runs > 5 || fabs(mu - exact) > 2e-3) {
        printf("not as expected\n");
        return 1;
    }
    return 0;
}
