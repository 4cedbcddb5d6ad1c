/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hello.c - a ball falls on a floor, and every step says how well the laws held.
 *
 * Expect: the ball, of radius 0.1 m, comes to rest with its centre at z = 0.1 m to the last digits; it gained as much
 * energy from gravity as it lost in the impact, to second order in the step; no law is violated by more than rounding, and nothing overlaps. */
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>

static void must(const perp_world *w, perp_status s) {
    if (!s) return;
    fprintf(stderr, "%s: %s\n", perp_status_name(s), w ? perp_world_why(w) : perp_status_text(s));
    exit(1);
}

int main(void) {
    perp_world_def wd = perp_world_def_default(3); /* gravity along -z, h = 1 ms */
    perp_world *w = NULL;
    must(w, perp_world_create(&wd, &w));

    perp_body_def fd = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id floor, ball;
    must(w, perp_body_add(w, &fd, &floor));
    perp_shape_def ground = perp_shape_halfspace(perp_v3(0, 0, 1), 0);
    must(w, perp_shape_add(w, floor, &ground, NULL));

    perp_shape_def round = perp_shape_sphere(0.1);
    perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
    must(w, perp_body_def_mass(&bd, &round, 3, 1000)); /* mass and inertia from 1000 kg/m^3 */
    bd.X_WB = perp_pose_at(0, 0, 1.1);
    must(w, perp_body_add(w, &bd, &ball));
    must(w, perp_shape_add(w, ball, &round, NULL));

    double worst = 0, overlap = 0, gravity = 0, impact = 0, sampling = 0;
    perp_pose X = perp_pose_identity();
    while (perp_world_time(w) < 1) {
        perp_certificate c;
        must(w, perp_world_step(w, &c));
        worst = fmax(worst, fmax(fmax(c.law.momentum, c.law.normal), fmax(c.law.cone, c.law.dissipation)));
        overlap = fmax(overlap, c.overlap);
        gravity += c.ledger.gravity;
        impact += c.ledger.normal;
        sampling += c.ledger.sampling; /* the impact takes a step: a little of second order */
        must(w, perp_body_pose(w, ball, &X));
        if (perp_world_steps(w) % 100 == 0)
            printf("t = %.1f s   z = %.6f m   %d contact(s) pressed\n", c.t, X.p.z, c.sticking + c.sliding);
    }
    printf("the laws hold to %.1e m/s, deepest overlap %.1e m\n", worst, overlap);
    printf("gravity gave %.6f J, the impact took %.6f J\n", gravity, -impact);
    perp_world_destroy(w);

    if (fabs(X.p.z - 0.1) > 1e-12 || worst > 1e-10 || overlap > 1e-12 || fabs(gravity + impact + sampling) > 1e-9) {
        printf("not as expected\n");
        return 1;
    }
    return 0;
}
