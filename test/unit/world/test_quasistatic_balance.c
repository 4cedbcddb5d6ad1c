/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The check of proofs that loads are not balanced: motions that prove it, and motions that do not. */
#include "unit/world_help.h"

#include "method/stepper/quasistatic_balance.h"

static const int offset[] = {0}, ndof[] = {2};
static const double unit[36] = {[0] = 1, [7] = 1};

/* A point of unit mass on a floor, its load along (x, y). */
static double proven(const perp_contact_row *c, const perp_joint_row *j, perp_vec3 load, perp_vec3 motion) {
    perp_step_problem p = {.dim = 2,
                           .h = 1,
                           .nblock = 1,
                           .ndof = 2,
                           .block_ndof = ndof,
                           .block_offset = offset,
                           .M = unit,
                           .Minv = unit,
                           .njoint = j != NULL,
                           .joint = j,
                           .ncontact = c != NULL,
                           .contact = c};
    double F[2] = {load.x, load.y}, d[2] = {motion.x, motion.y};
    return pp_imbalance_check(&p, F, d);
}

static perp_row along(double x, double y) { return (perp_row){.block = {-1, 0}, .J = {{0}, {x, y}}}; }

static void falls_and_slides(void **state) {
    (void)state;
    perp_vec3 weight = perp_v3(0, -1, 0), down = perp_v3(0, -1, 0);
    assert_true(isinf(proven(NULL, NULL, weight, down)));
    assert_true(proven(NULL, NULL, weight, perp_v3(0, 1, 0)) == 0); /* the load does no work */
    perp_contact_row floor = {.n = along(0, 1), .t = along(1, 0), .mu = 0.5, .nd = 2};
    BELOW(proven(&floor, NULL, weight, down), 1); /* the floor takes the work */
    /* a load outside the friction cone drives a motion that opens mu times as fast as it slides; a motion that does not open is no proof */
    perp_vec3 steep = perp_v3(0.6, -1, 0), flat = perp_v3(0.4, -1, 0);
    assert_true(isinf(proven(&floor, NULL, steep, perp_v3(1, 0.5, 0))));
    BELOW(proven(&floor, NULL, steep, perp_v3(1, 0, 0)), 2);
    assert_true(proven(&floor, NULL, flat, perp_v3(1, 0.5, 0)) == 0);
}

static void bounds_and_supports(void **state) {
    (void)state;
    perp_vec3 right = perp_v3(1, 0, 0);
    perp_joint_row motor = {.row = along(1, 0), .lo = -0.9, .hi = 0.9};
    assert_true(isinf(proven(NULL, &motor, right, right)));
    motor.lo = -1.1;
    assert_true(proven(NULL, &motor, right, right) == 0);
    perp_joint_row limit = {.row = along(1, 0), .lo = 0, .hi = INFINITY}; /* pushes to the right only */
    assert_true(isinf(proven(NULL, &limit, right, right)));
    BELOW(proven(NULL, &limit, perp_v3(-1, 0, 0), perp_v3(-1, 0, 0)), 1);
    perp_contact_row rests = {.n = {.block = {-1, 0}}, .t = along(1, 0), .o = along(0, 1), .mu = 0.3, .nd = 8};
    rests.compliance = 1;
    rests.b_n = -3; /* a normal impulse of 3 */
    assert_true(isinf(proven(&rests, NULL, right, right)));
    rests.b_n = -4;
    assert_true(proven(&rests, NULL, right, right) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_and_slides),
        cmocka_unit_test(bounds_and_supports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
