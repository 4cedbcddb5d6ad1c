/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* double-pendulum, pendulum-on-block, full-planar, hanging-rod: errors against independent references, and their order
 * in h */
#include "check.h"

#define LEVELS 4
static const double steps[LEVELS] = {4e-3, 2e-3, 1e-3, 5e-4};

/* Observed order between successive levels lies between 0.9 and 1.1. */
static void check_first_order(const char *what, const double *error) {
    for (int k = 0; k + 1 < LEVELS; k++) {
        double order = log2(fabs(error[k] / error[k + 1]));
        print_message("%s: h = %g, error %+.6e, order to the next %.3f\n", what, steps[k], error[k], order);
        assert_true(order > 0.9 && order < 1.1);
    }
}

/* A single quantity may have an error whose first-order part happens to vanish; the error of the whole state has
 * not. */
static double norm4(double a, double b, double c, double d) { return sqrt(a * a + b * b + c * c + d * d); }

static void double_pendulum(void **state) {
    (void)state;
    double half[LEVELS], one[LEVELS], angles[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        scene s = scene_double_pendulum(world_def(2, steps[k], PERP_START_PLAIN));
        run_figures f = run_steps(&s, (int)(0.5 / steps[k] + 0.5));
        half[k] = norm4(angle(&s, 0) + 1.122653701, angle(&s, 1) + 0.528833439, spin(&s, 0).z + 2.414308313,
                        spin(&s, 1).z + 5.949104936);
        run_steps(&s, (int)(0.5 / steps[k] + 0.5));
        one[k] = norm4(angle(&s, 0) + 2.778512565, angle(&s, 1) + 2.385187350, spin(&s, 0).z + 3.406517533,
                       spin(&s, 1).z + 0.516045472);
        angles[k] = norm4(angle(&s, 0) + 2.778512565, angle(&s, 1) + 2.385187350, 0, 0);
        assert_below(f.remainder, 1e-11);
        scene_end(&s);
    }
    check_first_order("double-pendulum state(0.5)", half);
    check_first_order("double-pendulum state(1)", one);
    check_first_order("double-pendulum angles(1)", angles);
}

static void pendulum_on_block(void **state) {
    (void)state;
    double e[LEVELS], floor_force[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        scene s = scene_pendulum_on_block(world_def(2, steps[k], PERP_START_PLAIN));
        double worst = 0;
        for (int i = 0; i < (int)(1 / steps[k] + 0.5); i++) {
            run_figures f = run_steps(&s, 1);
            assert_below(f.remainder, 1e-11);
            assert_below(f.overlap, 1e-12);
            worst = fmax(worst, fabs(7 * position(&s, 1).x + 1.5 * cos(angle(&s, 2)) + 0.5 * cos(angle(&s, 3)) - 2));
            perp_vec3 p;
            perp_world_momentum(s.w, &p, NULL);
            assert_near(p.x, 0, 1e-12);
        }
        /* no horizontal force: the centre of mass stays, up to the joint errors h^2 w^2 l/2 with w up to 6 rad/s */
        assert_below(worst, 36 * steps[k] * steps[k]);
        const perp_contact *c;
        double force = 0;
        for (int i = perp_world_contacts(s.w, &c) - 1; i >= 0; i--) force += c[i].impulse_C[0] / steps[k];
        e[k] = norm4(position(&s, 1).x - 0.552867457, angle(&s, 2) + 2.862068954, angle(&s, 3) + 2.599408192, 0);
        floor_force[k] = force - 55.44698;
        scene_end(&s);
    }
    check_first_order("pendulum-on-block x_C, theta_A, theta_B(1)", e);
    check_first_order("pendulum-on-block floor force(1)", floor_force);
}

static void full_planar(void **state) {
    (void)state;
    double half[3][LEVELS], one[3][LEVELS], hit[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        double h = steps[k], impulse = 0, t_hit = 0;
        perp_world_def d = world_def(2, h, PERP_START_PLAIN);
        d.geometry = PERP_GEOMETRY_ONCE; /* as published */
        scene s = scene_full_planar(d);
        int n = (int)(0.5 / h + 0.5);
        for (int i = 0; i < 2 * n; i++) {
            run_figures f = run_steps(&s, 1);
            assert_below(f.remainder, 1e-11);
            assert_below(f.overlap, 1e-12);
            const perp_contact *c;
            for (int j = perp_world_contacts(s.w, &c) - 1; j >= 0; j--)
                if (fabs(c[j].n_W.x) > 0.9 && c[j].impulse_C[0] > 0) {
                    if (t_hit == 0) t_hit = perp_world_time(s.w);
                    if (perp_world_time(s.w) < t_hit + 1.5 * h) impulse += c[j].impulse_C[0];
                }
            if (i != n - 1 && i != 2 * n - 1) continue;
            double(*e)[LEVELS] = i == n - 1 ? half : one;
            assert_near(position(&s, 2).x, i == n - 1 ? 0.1 : 0.3, 1e-12);
            e[0][k] = angle(&s, 3) - (i == n - 1 ? 4.527280968 : 5.498344661);
            e[1][k] = position(&s, 4).x - (i == n - 1 ? -0.578107783 : 1.381786417);
            e[2][k] = position(&s, 4).y - (i == n - 1 ? -1.402422513 : -0.936731722);
        }
        hit[k] = impulse - 9.446134;
        assert_near(t_hit, 0.160070019, 1.5 * h);
        print_message("full-planar: h = %g, pusher hits at %.6f with impulse %.6f\n", h, t_hit, impulse);
        assert_below(fabs(hit[k]), 60 * h); /* two steps of friction and rod act within the impact */
        scene_end(&s);
    }
    assert_near(half[0][2], 1.211e-3, 1e-6); /* the published figure of this stepper at h = 1 ms */
    check_first_order("full-planar theta_A(0.5)", half[0]);
    check_first_order("full-planar B_x(0.5)", half[1]);
    check_first_order("full-planar B_y(0.5)", half[2]);
    check_first_order("full-planar theta_A(1)", one[0]);
    check_first_order("full-planar B_x(1)", one[1]);
    check_first_order("full-planar B_y(1)", one[2]);
}

static void hanging_rod(void **state) {
    (void)state;
    double peak[2];
    for (int k = 0; k < 2; k++) {
        double h = k ? 1e-3 : 1e-2;
        perp_world_def d = world_def(3, h, PERP_START_PLAIN);
        d.geometry = PERP_GEOMETRY_ONCE; /* as published; by default joints hold at the end of the step */
        scene s = scene_hanging_rod(d);
        peak[k] = run_steps(&s, (int)(4 / h)).joint_error;
        print_message("hanging-rod: h = %g, joint error peaks at %.4e\n", h, peak[k]);
        scene_end(&s);
    }
    assert_near(peak[0], 1.364e-4, 0.02e-4); /* h^2 w^2 l/2 */
    assert_near(peak[1], 1.36e-6, 0.01e-6);
    double order = log10(peak[0] / peak[1]);
    assert_true(order > 1.95 && order < 2.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(double_pendulum), cmocka_unit_test(pendulum_on_block),
                                       cmocka_unit_test(full_planar), cmocka_unit_test(hanging_rod)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
