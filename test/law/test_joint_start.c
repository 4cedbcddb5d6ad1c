/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_start.c - the first step of jointed bodies. From rest: the velocity that is shown has the whole acceleration, however short the
 * step. Joint errors that are rounding over h are no impact. With velocities that contradict joints: these stop them in an impact, with the
 * closed forms of its velocity and its loss. */
#include <math.h>

#include "../unit/world_help.h"
#include "perp/joint_space.h"

/* Two links on a driven body that stands still, in 2D. @return the largest error of an acceleration, as a part of it */
static double error_of_first_step(double h) {
    perp_world_def d = perp_world_def_default(2);
    d.h = h;
    d.gravity_W = perp_v3(0, -9.81, 0);
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC), b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_body_id base, link[2];
    k.X_WB = perp_pose_2d(0.3, 0.2, 0);
    assert_int_equal(perp_body_add(w, &k, &base), PERP_OK);
    b.mass = 1;
    b.I_B = perp_m3_diag(0.1, 0.1, 0.1);
    for (int i = 0; i < 2; i++) {
        b.X_WB = perp_pose_2d(0.6 + 0.6 * i, 0.2, 0);
        assert_int_equal(perp_body_add(w, &b, &link[i]), PERP_OK);
    }
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.a = base;
    j.b = link[0];
    j.X_BJ.p = perp_v3(-0.3, 0, 0);
    assert_int_equal(perp_joint_add(w, &j, NULL), PERP_OK);
    j.a = link[0];
    j.b = link[1];
    j.X_AJ.p = perp_v3(0.3, 0, 0);
    assert_int_equal(perp_joint_add(w, &j, NULL), PERP_OK);
    perp_joint_space *s;
    assert_int_equal(perp_world_joint_space(w, NULL, &s), PERP_OK);
    double q[2] = {0.4, -0.9}, v[2] = {0, 0}, a[2], work[4], most = 0;
    if (perp_joint_space_set(s, w, q, v, 1e-9)) fail_msg("%s", perp_world_why(w));
    assert_int_equal(perp_joint_space_forward_dynamics(s, v, a, work), PERP_OK);
    if (perp_world_step(w, NULL)) fail_msg("%s", perp_world_why(w));
    assert_int_equal(perp_joint_space_get(s, w, NULL, v), PERP_OK);
    for (int i = 0; i < 2; i++) most = fmax(most, fabs(v[i] / h / a[i] - 1));
    perp_joint_space_free(s);
    perp_world_destroy(w);
    return most;
}

static void first_steps_have_the_whole_acceleration(void **state) {
    (void)state;
    for (double h = 1e-2; h > 5e-7; h /= 10) {
        double e = error_of_first_step(h);
        if (!(e <= 1e-3)) fail_msg("h = %g: %.3g of the acceleration is missing", h, e);
    }
}

/* ---- velocities that contradict joints ---- */

static const double mass = 2, inertia = 0.1, length = 0.5;

/* A body at the distance `length` below a hinge on `a`, which moves along x with the speed u if it is driven. v: of the body, along x; w: its
 * spin, positive where it moves along x. */
static perp_world *pendulum(int dim, const char *stepper, double h, double u, double v, double w, perp_body_id *bob) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = h;
    d.stepper = stepper;
    d.gravity_W = perp_v3_scale(-9.81, up(dim));
    perp_world *world = world_of(&d);
    perp_body_def a = perp_body_def_default(u > 0 ? PERP_BODY_KINEMATIC : PERP_BODY_OBSTACLE),
                  b = perp_body_def_default(PERP_BODY_DYNAMIC);
    a.v_W = perp_v3(u, 0, 0);
    b.mass = mass;
    b.I_B = perp_m3_diag(inertia, inertia, inertia);
    b.X_WB = at_height(dim, 0, -length);
    b.v_W = perp_v3(v, 0, 0);
    b.w_W = dim == 2 ? perp_v3(0, 0, w) : perp_v3(0, -w, 0);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.a = add_def(world, &a);
    j.b = *bob = add_def(world, &b);
    j.X_BJ.p = perp_v3_scale(length, up(dim));
    if (dim == 3) j.X_AJ.q = j.X_BJ.q = perp_q_axis_angle(perp_v3(1, 0, 0), acos(0)); /* the axis is -y */
    (void)add_joint(world, &j);
    return world;
}

/* A pendulum is pushed at its centre without a spin. The hinge turns it: L about the hinge stays, w = m l v/(I + m l^2), and the loss is
 * v^2 m I/(2 (I + m l^2)), whatever the step is. Nothing of it is an error of the time integration. */
static void joints_stop_what_contradicts_them(void **state) {
    (void)state;
    static const char *const stepper[] = {"stewart-trinkle", "second-order", "implicit"};
    const double v = 1.5, whole = inertia + mass * length * length, w = mass * length * v / whole,
                 lost = 0.5 * mass * v * v * inertia / whole;
    for (int k = 0; k < 12; k++) {
        double h = k / 6 ? 1e-2 : 1e-3;
        perp_body_id bob;
        perp_world *world = pendulum(2 + k % 2, stepper[k / 2 % 3], h, 0, v, 0, &bob);
        perp_certificate c = run(world, 1);
        print_message("%s, h = %g: start %.9g J, spin %.6g, drift %.3g\n", stepper[k / 2 % 3], h, c.ledger.start,
                      perp_v3_norm(spin_of(world, bob)), c.ledger.drift + c.ledger.joint);
        NEAR(c.ledger.start, -lost, 1e-12);
        NEAR(c.ledger.remainder, 0, 1e-12);
        NEAR(c.ledger.kinetic_before, 0.5 * mass * v * v, 1e-12);
        /* at the lowest point gravity slows the spin by 1/2 (m g l/whole) w h^2, and the integration errs by as much */
        double slows = 0.5 * mass * 9.81 * length / whole * w * h * h;
        NEAR(perp_v3_norm(spin_of(world, bob)), w, 4 * slows);
        BELOW(fabs(c.ledger.drift + c.ledger.joint), 4 * whole * w * slows);
        c = run(world, 1);
        NEAR(c.ledger.start, 0, 0);
        perp_world_destroy(world);
    }
}

/* The hinge of a body at rest moves with the speed u from the start. The impulse p = u/(1/m + l^2/I) does the work p u, and half of it is
 * lost. */
static void driven_joints_pull_along(void **state) {
    (void)state;
    const double u = 0.8, p = u / (1 / mass + length * length / inertia);
    for (int dim = 2; dim <= 3; dim++) {
        perp_body_id bob;
        perp_world *world = pendulum(dim, "stewart-trinkle", 1e-3, u, 0, 0, &bob);
        perp_certificate c = run(world, 1);
        NEAR(c.ledger.start, -0.5 * p * u, 1e-12);
        NEAR(c.ledger.kinetic_before, 0, 0);
        NEAR(c.ledger.kinematic, p * u, 1e-3 * p * u); /* and what it does in the step */
        NEAR(c.ledger.remainder, 0, 1e-12);
        NEAR(velocity_of(world, bob).x, p / mass, 1e-3 * u);
        perp_world_destroy(world);
    }
}

/* What agrees with the joints is not touched. A velocity that is set between two steps is stopped in the next one. */
static void agreeing_velocities_stay(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        perp_body_id bob;
        perp_world *world =
            pendulum(2 + k % 2, k / 2 ? "second-order" : "stewart-trinkle", 1e-2, 0, 0.7, 0.7 / length, &bob);
        for (int i = 0; i < 5; i++) NEAR(run(world, 1).ledger.start, 0, 0);
        perp_vec3 v = velocity_of(world, bob);
        double before = 0.5 * mass * perp_v3_dot(v, v);
        OK(world, perp_body_set_velocity(world, bob, v, perp_v3(0, 0, 0)));
        perp_certificate c = run(world, 1);
        NEAR(c.ledger.start, -before * inertia / (inertia + mass * length * length), 1e-4 * before);
        NEAR(c.ledger.remainder, 0, 1e-12);
        perp_world_destroy(world);
    }
}

/* The velocity of one pendulum is set between two steps. Another one, which is not connected to it, does not notice. */
static void other_islands_stay(void **state) {
    (void)state;
    perp_vec3 v[2];
    for (int set = 0; set < 2; set++) {
        perp_body_id bob[2];
        perp_world *world = pendulum(2, "stewart-trinkle", 1e-2, 0, 0.7, 0.7 / length, &bob[0]);
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.mass = mass;
        b.I_B = perp_m3_diag(inertia, inertia, inertia);
        b.X_WB = perp_pose_2d(3, 0, 0);
        b.v_W = perp_v3(0, 2 * length, 0);
        b.w_W = perp_v3(0, 0, 2);
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.b = bob[1] = add_def(world, &b);
        j.X_AJ.p = perp_v3(3 - length, 0, 0);
        j.X_BJ.p = perp_v3(-length, 0, 0);
        (void)add_joint(world, &j);
        (void)run(world, 20);
        if (set) OK(world, perp_body_set_velocity(world, bob[0], perp_v3(1, 1, 0), perp_v3(0, 0, 0)));
        (void)run(world, 20);
        v[set] = velocity_of(world, bob[1]);
        perp_world_destroy(world);
    }
    assert_memory_equal(&v[0], &v[1], sizeof v[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_steps_have_the_whole_acceleration), cmocka_unit_test(joints_stop_what_contradicts_them),
        cmocka_unit_test(driven_joints_pull_along), cmocka_unit_test(agreeing_velocities_stay),
        cmocka_unit_test(other_islands_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
