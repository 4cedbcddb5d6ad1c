/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Angular momentum of bodies that nothing outside holds: kept to rounding where levers are those of the start, also where peg falls back to
 * contacts at the end poses; told by the certificate where they are not */
#include "unit/world_help.h"

#include "thorough.h"

static double next(uint64_t *seed) { /* 0 to 1 */
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Thin boxes thrown at each other, so fast that they turn and pass corners within a step. No gravity. Largest twist. */
static double thrown(int dim, uint64_t seed, perp_geometry geometry, double *moved) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = 0.01;
    d.gravity_W = perp_v3(0, 0, 0);
    d.geometry = geometry;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
    enum { N = 8 };
    perp_body_id b[N];
    for (int i = 0; i < N; i++) {
        double x = cos(2 * PI * i / N), y = sin(2 * PI * i / N);
        perp_body_def body = perp_body_def_default(PERP_BODY_DYNAMIC);
        body.mass = 1 + 4 * next(&seed);
        body.I_B = dim == 2 ? perp_m3_diag(0, 0, 0.002) : perp_m3_diag(0.001, 0.002, 0.0025);
        body.X_WB = perp_pose_at(0.5 * x, 0.5 * y, 0);
        b[i] = add_def(w, &body);
        add_shape(w, b[i], perp_shape_box(0.05 + 0.07 * next(&seed), 0.01 + 0.03 * next(&seed), 0.05));
        double speed = 2 + 8 * next(&seed), turn = 40 * (next(&seed) - 0.5);
        OK(w, perp_body_set_velocity(w, b[i], perp_v3(-speed * x, -speed * y, 0),
                                     perp_v3(dim == 3 ? turn / 4 : 0, 0, turn)));
    }
    double most = 0;
    *moved = 0;
    for (int i = 0; i < 60; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        most = fmax(most, c.twist);
        *moved -= c.ledger.normal;
    }
    perp_world_destroy(w);
    return most;
}

static void kept(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (uint64_t seed = 1; seed <= (dim == 2 ? 40 : 3); seed++) {
            double moved, twist = thrown(dim, seed_of(seed), PERP_GEOMETRY_ITERATED, &moved);
            assert_true(moved > 1); /* they met */
            if (twist > 1e-9) fail_msg("%dD, seed %d: twist %g", dim, (int)seed, twist);
        }
}

/* With contacts at the end poses two bodies that meet have h (v_A - v_B) x P left. */
static void told(void **state) {
    (void)state;
    double most = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double moved;
        most = fmax(most, thrown(2, seed, PERP_GEOMETRY_END, &moved));
    }
    assert_true(most > 1e-4 && most <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept), cmocka_unit_test(told)};
    return cmocka_run_group_tests_name("twist", tests, NULL, NULL);
}
