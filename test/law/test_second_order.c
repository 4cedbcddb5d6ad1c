/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_second_order.c - the stepper second-order: joints hold to rounding, energy is kept where nothing loses it and
 * never grows where something does, impacts, accounts, refusals */
#include <string.h>

#include "check.h"
#include "perp/scene.h"
#include "thorough.h"

static perp_world_def def(int dim, double h) {
    perp_world_def d = world_def(dim, h, PERP_START_PLAIN);
    d.stepper = "second-order";
    return d;
}

/* Of motion, weight and springs. */
static double energy(const scene *s) {
    double kinetic, gravity, spring;
    perp_world_energy(s->w, &kinetic, &gravity, &spring);
    return kinetic + gravity + spring;
}

static void set_order(scene *s, int order) {
    assert_int_equal(perp_world_set(s->w, "second-order.order", order), PERP_OK);
}

/* Ten seconds of the double pendulum at 1 ms: plain, and composed. */
static void double_pendulum(void **state) {
    (void)state;
    const struct {
        int order;
        double energy;
    } at[] = {{2, 1e-4}, {4, 1e-8}};
    for (int k = 0; k < 2; k++) {
        scene s = scene_double_pendulum(def(2, 1e-3));
        set_order(&s, at[k].order);
        double worst = 0;
        run_figures f = {0};
        for (int i = 0; i < long_run(at[k].order == 2 ? 4000 : 1000); i++) {
            run_figures g = run_steps(&s, 1);
            worst = fmax(worst, fabs(energy(&s)) / 9.81);
            f.joint_error = fmax(f.joint_error, g.joint_error);
            f.remainder = fmax(f.remainder, g.remainder);
        }
        print_message("order %d: energy %.3g of m g L, joints %.3g m\n", at[k].order, worst, f.joint_error);
        assert_below(worst, at[k].energy);
        assert_below(f.joint_error, 1e-14);
        assert_below(f.remainder, 1e-11);
        scene_end(&s);
    }
}

/* A sphere that rolls and a body that spins keep their energy to rounding. */
static void rolling_and_spinning(void **state) {
    (void)state;
    perp_world_def d = def(3, 1e-2);
    scene s = scene_rolling_incline(d, 0, 0.5);
    assert_int_equal(perp_body_set_velocity(s.w, s.body[1], perp_v3(1, 0, 0), perp_v3(0, 10, 0)), PERP_OK);
    double e = energy(&s);
    run_steps(&s, long_run(500));
    assert_near(energy(&s), e, 1e-13 * e);
    scene_end(&s);
    s = scene_spinning_body(def(3, 1e-3));
    e = energy(&s);
    run_steps(&s, long_run(2000));
    assert_near(energy(&s), e, 1e-13 * e);
    scene_end(&s);
}

/* Random bodies, some jointed, fall on each other: every step whole or in parts solved, no overlap in peg, joints that
 * hold, and no energy from nowhere, whatever the form and the contact model. */
static void random_scene(int k) {
    const perp_form form[] = {PERP_FORM_LCP, PERP_FORM_MLCP, PERP_FORM_CONE};
    perp_world_def d = def(2 + k % 2, 5e-3);
    d.form = form[k / 2 % 3];
    d.contact_model = k / 6 % 2 ? "one-plane" : "peg";
    scene s = scene_random(d, (unsigned)seed_of(100 + (uint64_t)k), scene_view_plain(), false);
    double start = energy(&s), most = 0;
    run_figures f = {0};
    for (int i = 0; i < 60; i++) {
        run_figures g = run_steps(&s, 1);
        f.remainder = fmax(f.remainder, g.remainder);
        f.overlap = fmax(f.overlap, g.overlap);
        f.joint_error = fmax(f.joint_error, g.joint_error);
        most = fmax(most, energy(&s) - start);
    }
    assert_below(f.remainder, 1e-11);
    assert_below(f.overlap, k / 6 % 2 ? 1e-3 : 1e-9);
    assert_below(f.joint_error, 1e-8);
    assert_below(most, 1e-9 * fabs(start));
    scene_end(&s);
}

static void random_scenes(void **state) {
    (void)state;
    for (int k = 0; k < long_run(16); k++) random_scene(k);
}

/* A scene in which joints settle only after the slip of its contacts has: rounds before that mislead those after. */
static void joints_beside_slip(void **state) {
    (void)state;
    random_scene(59);
}

/* Rings of bars with and without motors, limits, springs, redundant joints, above a floor that they fall on. */
static void linkages(void **state) {
    (void)state;
    for (int k = 0; k < 10; k++) {
        scene s = scene_linkage(def(2 + k % 2, 5e-3), 6, (scene_drive)(k / 2), 0.4);
        run_figures f = run_steps(&s, long_run(60));
        assert_below(f.remainder, 1e-11);
        assert_below(f.joint_error, 1e-9); /* rows of a redundant ring are met to the tolerance of the solver */
        assert_below(f.overlap, 1e-9);
        scene_end(&s);
    }
}

/* Rounds that halve joint errors end when the errors are below rounding, not only when they are zero. */
static void errors_below_rounding(void **state) {
    (void)state;
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(PERP_TEST_DIR "/law/scenes/below-rounding.yaml", NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        if (perp_world_step(w, &c)) fail_msg("t = %g: %s", perp_world_time(w), perp_world_why(w));
        assert_int_equal(c.handed_over, 0);
        assert_below(c.joint_error, 1e-13);
    }
    perp_scene_close(s);
}

static void look_away(const perp_captured *c, void *ctx) {
    (void)c;
    (void)ctx;
}

/* Runs a scene twice and compares the bits of state and residuals: as it is, where joints alone are solved by factors that are kept over the
 * rounds, and with somebody who looks at each problem, where each problem goes through the chain of solvers. */
static void compare_ways(scene a, scene b, int steps) {
    perp_world_set_capture(b.w, &(perp_capture){.look = look_away});
    for (int i = 0; i < steps; i++) {
        perp_certificate c, d;
        assert_int_equal(perp_world_step(a.w, &c), PERP_OK);
        assert_int_equal(perp_world_step(b.w, &d), PERP_OK);
        assert_true(perp_world_hash(a.w) == perp_world_hash(b.w));
        assert_memory_equal(&c.law, &d.law, sizeof c.law);
        assert_memory_equal(&c.ledger, &d.ledger, sizeof c.ledger);
    }
    scene_end(&a);
    scene_end(&b);
}

static scene pendulum_beside_free_body(int extra) {
    scene s = scene_double_pendulum(def(2, 1e-2));
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.X_WB.p = perp_v3(5, 0, 0);
    b.w_W = perp_v3(0, 0, 1);
    if (extra) (void)scene_body(&s, &b);
    return s;
}

static void kept_factors(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) compare_ways(pendulum_beside_free_body(k), pendulum_beside_free_body(k), 100);
    for (int k = 0; k < 10; k++) {
        perp_world_def d = def(2 + k % 2, 5e-3);
        compare_ways(scene_linkage(d, 6, (scene_drive)(k / 2), 0.4), scene_linkage(d, 6, (scene_drive)(k / 2), 0.4),
                     20);
    }
}

static scene ball_on_floor(perp_world_def d, double height, double restitution, perp_vec3 v) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.3, .restitution = restitution}), PERP_OK);
    perp_body_def f = perp_body_def_default(PERP_BODY_OBSTACLE), b = perp_body_def_default(PERP_BODY_DYNAMIC);
    scene_shape(&s, scene_body(&s, &f), perp_shape_halfspace(perp_v3(0, 0, 1), 0));
    b.I_B = perp_m3_diag(0.004, 0.004, 0.004);
    b.X_WB.p = perp_v3(0, 0, 0.1 + height);
    b.v_W = v;
    scene_shape(&s, scene_body(&s, &b), perp_shape_sphere(0.1));
    return s;
}

/* A ball that is dropped leaves the floor at e times the speed it came with, to first order in h, and never higher. */
static void rebound(void **state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        double h = 1e-3, height = 0.2 + 0.003 * k, e = 0.5;
        scene s = ball_on_floor(def(3, h), height, e, perp_v3(0, 0, 0));
        double down = 0, up = 0;
        for (int i = 0; i < 300 && !(up > 0); i++) {
            run_figures f = run_steps(&s, 1);
            assert_below(f.overlap, 1e-12);
            double v = velocity(&s, 1).z;
            if (v < 0) down = -v;
            up = v;
        }
        double impact = sqrt(2 * 9.81 * height);
        assert_near(down, impact, 2 * 9.81 * h);
        assert_near(up, e * impact, 2 * 9.81 * h);
        assert_below(up, e * impact + 1e-12);
        scene_end(&s);
    }
}

/* Without restitution it stays, at once and without trembling; impulses of the step carry its weight. */
static void rest(void **state) {
    (void)state;
    scene s = ball_on_floor(def(3, 5e-3), 0.0123, 0, perp_v3(0, 0, 0));
    run_steps(&s, 30);
    run_steps(&s, 30);
    assert_near(velocity(&s, 1).z, 0, 1e-15);
    assert_near(position(&s, 1).z, 0.1, 1e-15);
    const perp_contact *c;
    assert_int_equal(perp_world_contacts(s.w, &c), 1);
    assert_near(c->impulse_C[0], 9.81 * 5e-3, 1e-12);
    scene_end(&s);
}

/* From sliding to rolling: v = 5/7 v0 at last, whatever the moment of the change. */
static void slide_to_roll(void **state) {
    (void)state;
    scene s = ball_on_floor(def(3, 5e-3), 0, 0, perp_v3(2, 0, 0));
    run_figures f = run_steps(&s, 100);
    assert_near(velocity(&s, 1).x, 10. / 7, 1e-12);
    assert_near(spin(&s, 1).y, 100. / 7, 1e-11);
    assert_below(f.remainder, 1e-12);
    scene_end(&s);
}

/* The error is controlled like that of every stepper: a finer tolerance, smaller parts, a smaller error. */
static void error_control(void **state) {
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        perp_world_def d = def(2, 1.0 / 64);
        d.error_tolerance = k ? 1e-7 : 1e-4;
        d.max_halvings = 8;
        scene s = scene_double_pendulum(d);
        set_order(&s, 2);
        perp_certificate c, sum = {0};
        for (int i = 0; i < 64; i++) {
            assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
            assert_below(c.error, 1);
            perp_certificate_add(&sum, &c);
        }
        error[k] = fabs(angle(&s, 0) + 2.778512565);
        print_message("tolerance %g: %d parts, %d rejected, error %.3g\n", d.error_tolerance, sum.substeps,
                      sum.rejected, error[k]);
        scene_end(&s);
    }
    assert_below(error[1], error[0] / 20);
}

static void refusals(void **state) {
    (void)state;
    perp_world *w;
    char why[256];
    perp_world_def d = def(2, 1e-3);
    d.start = PERP_START_STAGGERED;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
    assert_non_null(strstr(why, "start plain"));
    d = def(2, 1e-3);
    d.joint_correction = true;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
    assert_non_null(strstr(why, "joint error"));
    d = def(2, 1e-3);
    d.contact_model = "standard";
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(rolling_and_spinning),
        cmocka_unit_test(random_scenes),
        cmocka_unit_test(linkages),
        cmocka_unit_test(errors_below_rounding),
        cmocka_unit_test(rebound),
        cmocka_unit_test(rest),
        cmocka_unit_test(slide_to_roll),
        cmocka_unit_test(error_control),
        cmocka_unit_test(refusals),
        cmocka_unit_test(joints_beside_slip),
        cmocka_unit_test(kept_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
