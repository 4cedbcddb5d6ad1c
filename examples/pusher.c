/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pusher.c - a pusher that moves as told slides a block over a rough floor, and the ledger tells where its work went.
 *
 * The pusher sets out at 0.5 m/s from the side of a resting 2 kg block and pushes it exactly 1 m; mu = 0.3. Expect, in
 * joules:
 *     work of the pusher   m v^2 + mu m g d = 0.5 + 5.886 = 6.386
 *     friction             -mu m g d        = -5.886
 *     impact loss          -m v^2/2         = -0.25
 *     kinetic energy       +m v^2/2         =  0.25
 * The entries sum to the change of kinetic energy, to rounding. (In the step of the impact the block has half its speed
 * on average, so mu m g v h/2 = 0.0015 J of friction counts as impact loss.) */
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>

static void must(const perp_world *w, perp_status s) {
    if (!s) return;
    fprintf(stderr, "%s: %s\n", perp_status_name(s), w ? perp_world_why(w) : perp_status_text(s));
    exit(1);
}

static perp_body_id add(perp_world *w, perp_body_kind kind, perp_pose X, perp_shape_def shape, double density) {
    perp_body_def bd = perp_body_def_default(kind);
    bd.X_WB = X;
    if (kind == PERP_BODY_DYNAMIC) must(w, perp_body_def_mass(&bd, &shape, 2, density));
    perp_body_id b;
    must(w, perp_body_add(w, &bd, &b));
    must(w, perp_shape_add(w, b, &shape, NULL));
    return b;
}

int main(void) {
    const double v = 0.5, m = 2, mu = 0.3, g = 9.81;
    perp_world_def wd = perp_world_def_default(2);
    perp_world *w = NULL;
    must(w, perp_world_create(&wd, &w));
    int rough;
    must(w, perp_material_add(w, &rough)); /* the floor; pusher and block keep material 0 */
    must(w, perp_pair_set(w, 0, rough, (perp_pair_law){.mu = mu}));

    perp_shape_def ground = perp_shape_halfspace(perp_v3(0, 1, 0), 0);
    ground.material = rough;
    add(w, PERP_BODY_OBSTACLE, perp_pose_2d(0, 0, 0), ground, 0);
    perp_body_id block = add(w, PERP_BODY_DYNAMIC, perp_pose_2d(0, 0.1, 0), perp_shape_box(0.2, 0.1, 0), m / 0.08);
    perp_body_id pusher = add(w, PERP_BODY_KINEMATIC, perp_pose_2d(-0.3, 0.1, 0), perp_shape_box(0.1, 0.05, 0), 0);
    perp_motion_def motion = perp_motion_def_default(PERP_MOTION_CONSTANT);
    motion.v_W = perp_v3(v, 0, 0);
    must(w, perp_body_set_motion(w, pusher, &motion));

    perp_ledger sum = {0};
    double worst = 0;
    perp_pose X;
    for (int k = 0; k < 2000; k++) {
        perp_certificate c;
        must(w, perp_world_step(w, &c));
        const perp_ledger *l = &c.ledger;
        sum.kinetic_after = l->kinetic_after;
        sum.kinematic += l->kinematic;
        sum.friction += l->friction;
        sum.normal += l->normal;
        sum.gravity += l->gravity;
        worst = fmax(worst, fabs(l->remainder));
    }
    must(w, perp_body_pose(w, block, &X));
    perp_world_destroy(w);

    double d = X.p.x;
    printf("the block went %.6f m\n", d);
    printf("%-22s %10s %10s\n", "energy [J]", "measured", "expected");
    printf("%-22s %10.6f %10.6f\n", "work of the pusher", sum.kinematic, m * v * v + mu * m * g * d);
    printf("%-22s %10.6f %10.6f\n", "gravity", sum.gravity, 0.0);
    printf("%-22s %10.6f %10.6f\n", "friction", sum.friction, -mu * m * g * d);
    printf("%-22s %10.6f %10.6f\n", "impact loss", sum.normal, -m * v * v / 2);
    double total = sum.kinematic + sum.gravity + sum.friction + sum.normal;
    printf("%-22s %10.6f %10.6f   (kinetic energy at the end: %.6f)\n", "sum", total, m * v * v / 2, sum.kinetic_after);

    bool good = fabs(d - 1) < 1e-9 && fabs(sum.kinematic - 6.386) < 1e-9 && fabs(sum.friction + 5.886) < 2e-3 &&
                fabs(sum.normal + 0.25) < 2e-3 && fabs(total - sum.kinetic_after) < 1e-11 && worst < 1e-13;
    if (!good) {
        printf("not as expected\n");
        return 1;
    }
    return 0;
}
