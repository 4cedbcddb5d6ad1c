/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_first_order.c - order in the step of `first-order` on smooth motion: a cube on an elastic foundation whose springs
 * stay pressed, and a pendulum; and the joint error, second order, third with half the curvature foreseen */
#include "unit/world_help.h"

static void check_order(const char *what, const double *error, int n, double order) {
    for (int k = 0; k + 1 < n; k++) {
        double is = log2(fabs(error[k] / error[k + 1]));
        print_message("%s: error %.6e, order to the next %.3f\n", what, error[k], is);
        NEAR(is, order, 0.15);
    }
}

/* A cube let go on its foundation: m y'' + b y' + c y = -m g, from rest at y = 0. */
static void foundation(void **state) {
    (void)state;
    const double m = 8, g = 9.81, c = 4e3, b = 200, T = 0.128;
    double error[4];
    for (int k = 0; k < 4; k++) {
        perp_world_def d = perp_world_def_default(3);
        d.h = 0.004 / (1 << k);
        d.stepper = "first-order";
        perp_world *w = world_of(&d);
        add_floor(w);
        perp_body_id cube = add_mass(w, m, 1.3, perp_pose_at(0, 0, 0.5));
        add_shape(w, cube, perp_shape_box(0.5, 0.5, 0.5));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_FOUNDATION, .stiffness = c, .damping = b}));
        run(w, (int)(T / d.h + 0.5));
        double decay = b / (2 * m), om = sqrt(c / m - decay * decay), y0 = m * g / c;
        double y = -y0 + exp(-decay * T) * y0 * (cos(om * T) + decay / om * sin(om * T));
        error[k] = height_of(w, cube) - 0.5 - y;
        perp_world_destroy(w);
    }
    check_order("foundation", error, 4, 1);
}

/* Largest joint error of a pendulum that falls from the horizontal. */
static double joint_error(double h, double curvature) {
    perp_world_def d = perp_world_def_default(2);
    d.h = h;
    d.stepper = "first-order";
    perp_world *w = world_of(&d);
    OK(w, perp_world_set(w, "first-order.stiffness", 1e15));
    OK(w, perp_world_set(w, "first-order.curvature", curvature));
    perp_body_id bob = add_mass(w, 1, 0.1, perp_pose_at(1, 0, 0));
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = bob;
    j.X_BJ.p = perp_v3(-1, 0, 0);
    add_joint(w, &j);
    double most = 0;
    for (int i = 0; i < (int)(0.7 / h); i++) most = fmax(most, run(w, 1).joint_error);
    perp_world_destroy(w);
    return most;
}

static void joints(void **state) {
    (void)state;
    const double curvature[3] = {0, 1, 0.5}, order[3] = {2, 2, 3};
    for (int c = 0; c < 3; c++) {
        double error[3];
        for (int k = 0; k < 3; k++) error[k] = joint_error(0.01 / (1 << k), curvature[c]);
        check_order(c == 2 ? "joint, half the curvature" : "joint", error, 3, order[c]);
    }
    NEAR(joint_error(1e-3, 0), 0.5e-6 * 2 * 9.81 / 1.1, 1e-8); /* h^2 omega^2 L/2 */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(foundation), cmocka_unit_test(joints)};
    return cmocka_run_group_tests_name("order: first-order", tests, NULL, NULL);
}
