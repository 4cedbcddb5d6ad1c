/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stack.c - three boxes on each other, and the certificate of one step field by field.
 *
 * Expect: after 2 s (400 steps of 5 ms) every box is where it was put, to 1e-12 m, and does not creep: speed below
 * 1e-12 m/s. The floor carries the weight of all three: its normal impulse per step, over h, is 3 m g = 29.43 N. */
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>

static void must(const perp_world *w, perp_status s) {
    if (!s) return;
    fprintf(stderr, "%s: %s\n", perp_status_name(s), w ? perp_world_why(w) : perp_status_text(s));
    exit(1);
}

static void print_certificate(const perp_certificate *c) {
    printf("step to t = %g s: %s\n", c->t, c->accepted ? "accepted" : "NOT accepted");
    printf(
        "  laws [m/s]     momentum %.1e, contact %.1e, friction cone %.1e, dissipation %.1e (speeds are about %.1e)\n",
        c->law.momentum, c->law.normal, c->law.cone, c->law.dissipation, c->law.scale);
    printf("  geometry       deepest overlap %.1e m\n", c->overlap);
    printf("  contacts       %d: %d separating, %d sticking, %d sliding\n", c->contacts, c->separating, c->sticking,
           c->sliding);
    printf("  solver         %s, %d unknowns, %d iterations, %d fallbacks, %d substep(s)\n", c->solver, c->unknowns,
           c->iterations, c->fallbacks, c->substeps);
    printf("  energy [J]     kinetic %.1e, gravity %.1e, impacts %.1e, friction %.1e, unexplained %.1e\n",
           c->ledger.kinetic_after, c->ledger.gravity, c->ledger.normal, c->ledger.friction, c->ledger.remainder);
}

int main(void) {
    perp_world_def wd = perp_world_def_default(3);
    wd.h = 0.005;
    wd.friction_directions = 4;
    perp_world *w = NULL;
    must(w, perp_world_create(&wd, &w));
    must(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));

    perp_body_id floor, box[3];
    perp_shape_id ground;
    perp_body_def fd = perp_body_def_default(PERP_BODY_OBSTACLE);
    must(w, perp_body_add(w, &fd, &floor));
    perp_shape_def half = perp_shape_halfspace(perp_v3(0, 0, 1), 0);
    must(w, perp_shape_add(w, floor, &half, &ground));
    perp_shape_def cube = perp_shape_box(0.5, 0.5, 0.5);
    for (int i = 0; i < 3; i++) {
        perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        must(w, perp_body_def_mass(&bd, &cube, 3, 1));
        bd.X_WB = perp_pose_at(0.1 * i, 0, 0.5 + i); /* each a little to the side of the one below */
        must(w, perp_body_add(w, &bd, &box[i]));
        must(w, perp_shape_add(w, box[i], &cube, NULL));
    }

    perp_certificate c = {0};
    double overlap = 0;
    for (int k = 0; k < 400; k++) {
        must(w, perp_world_step(w, &c));
        overlap = fmax(overlap, c.overlap);
    }
    print_certificate(&c);

    double moved = 0, speed = 0, floor_impulse = 0;
    for (int i = 0; i < 3; i++) {
        perp_pose X;
        perp_vec3 v, om;
        must(w, perp_body_pose(w, box[i], &X));
        must(w, perp_body_velocity(w, box[i], &v, &om));
        moved = fmax(moved, perp_v3_norm(perp_v3_sub(X.p, perp_v3(0.1 * i, 0, 0.5 + i))));
        speed = fmax(speed, fmax(perp_v3_norm(v), perp_v3_norm(om)));
    }
    const perp_contact *contact;
    int n = perp_world_contacts(w, &contact);
    for (int i = 0; i < n; i++)
        if (contact[i].a.slot == ground.slot || contact[i].b.slot == ground.slot)
            floor_impulse += contact[i].impulse_C[0];
    printf("after 2 s: moved %.1e m, fastest %.1e m/s, worst overlap %.1e m, floor carries %.6f N\n", moved, speed,
           overlap, floor_impulse / wd.h);
    perp_world_destroy(w);

    if (moved > 1e-12 || speed > 1e-12 || overlap > 1e-12 || fabs(floor_impulse / wd.h - 29.43) > 1e-8) {
        printf("not as expected\n");
        return 1;
    }
    return 0;
}
