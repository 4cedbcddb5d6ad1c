/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_units.c - no unit of length, mass or time is preferred
 * Method   One scene in units that are powers of two apart: every rounding is the same, so the motion is too, unless a
 *          number with a unit is compared with one that has none, or a turning with a speed. And bodies whose turning is
 *          all there is: their laws must not be measured by what little gravity does in a step. */
#include "unit/world_help.h"

/* Positions of a box and a ball that tumble on a rough floor, in lengths of the scene, after 100 steps of 1/256 s. */
static void tumble(double length, double mass, double second, perp_form form, perp_vec3 at[2]) {
    perp_world_def d = perp_world_def_default(3);
    d.gravity_W = perp_v3(0, 0, -9.75 * length / (second * second));
    d.h = second / 256;
    d.form = form;
    if (form == PERP_FORM_CONE) d.solver = "auto", d.no_fallback = true;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.375, .restitution = 0.25}));
    add_floor(w);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = mass;
    b.I_B =
        perp_m3_diag(0.0125 * mass * length * length, 0.0075 * mass * length * length, 0.0175 * mass * length * length);
    b.X_WB = perp_pose_at(0, 0, 0.25 * length);
    b.X_WB.q = (perp_quat){0.9375, 0.125, 0.25, 0.2};
    double norm = perp_q_norm(b.X_WB.q);
    b.X_WB.q = (perp_quat){0.9375 / norm, 0.125 / norm, 0.25 / norm, 0.2 / norm};
    b.v_W = perp_v3(0.5 * length / second, 0, 0);
    b.w_W = perp_v3(0, 3 / second, 0);
    perp_body_id box = add_def(w, &b);
    add_shape(w, box, perp_shape_box(0.125 * length, 0.1875 * length, 0.0625 * length));
    perp_body_id ball =
        add_mass(w, mass / 4, 0.001 * mass * length * length, perp_pose_at(0.0625 * length, 0, 0.5 * length));
    add_shape(w, ball, perp_shape_sphere(0.0625 * length));
    go(w, 100);
    at[0] = perp_v3_scale(1 / length, pose_of(w, box).p);
    at[1] = perp_v3_scale(1 / length, pose_of(w, ball).p);
    perp_world_destroy(w);
}

static void motion_is_the_same(void **state) {
    (void)state;
    const double unit[][3] = {{0x1p-30, 1, 1}, {0x1p30, 1, 1},  {1, 0x1p-40, 1},
                              {1, 0x1p20, 1},  {1, 1, 0x1p-16}, {0x1p-20, 0x1p-60, 0x1p10}};
    const perp_form form[] = {PERP_FORM_LCP, PERP_FORM_CONE};
    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        perp_vec3 ref[2], at[2];
        tumble(1, 1, 1, form[k], ref);
        for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
            tumble(unit[i][0], unit[i][1], unit[i][2], form[k], at);
            for (int b = 0; b < 2; b++) assert_true(perp_v3_norm(perp_v3_sub(at[b], ref[b])) == 0);
        }
    }
}

/* A wheel that turns about its centre, almost without weight, free and on a hinge: solved, and it turns on. */
static void turning_is_a_speed(void **state) {
    (void)state;
    for (int hinge = 0; hinge < 2; hinge++) {
        perp_world_def d = perp_world_def_default(3);
        d.gravity_W = perp_v3(0, 0, -1e-6);
        perp_world *w = world_of(&d);
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.I_B = perp_m3_diag(0.01, 0.007, 0.0125);
        b.w_W = perp_v3(hinge ? 0 : 1000, 0, 1000);
        perp_body_id wheel = add_def(w, &b);
        if (hinge) {
            perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
            j.b = wheel;
            add_joint(w, &j);
        }
        perp_certificate c = go(w, 50);
        const double law[] = {c.law.momentum, c.law.joint};
        for (int i = 0; i < 2; i++) BELOW(law[i], 1e-12 * c.law.scale);
        if (hinge) NEAR(spin_of(w, wheel).z, 1000, 1e-9);
        perp_world_destroy(w);
    }
}

/* How well the laws of joints hold does not depend on the unit of length: a lever on a hinge with limits, motor and
 * friction and a link welded to it, solved by sweeps that leave a little. */
static double joint_residual(double length) {
    perp_world_def d = perp_world_def_default(3);
    d.gravity_W = perp_v3(0, 0, -9.75 * length);
    d.h = 1.0 / 256;
    d.form = PERP_FORM_MLCP;
    d.solver = "pgs";
    d.fallback[0] = "lemke";
    d.tolerance = 1e-3;
    perp_world *w = world_of(&d);
    const double unit = length * length;
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 1;
    b.I_B = perp_m3_diag(0.0125 * unit, 0.0075 * unit, 0.0175 * unit);
    b.X_WB = perp_pose_at(0.5 * length, 0, 0);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = add_def(w, &b);
    j.X_BJ = perp_pose_at(-0.5 * length, 0, 0);
    j.X_AJ.q = j.X_BJ.q = (perp_quat){sqrt(0.5), sqrt(0.5), 0, 0};
    j.axis[0].friction = 0.25 * unit;
    j.axis[0].limited = true;
    j.axis[0].lo = -0.25;
    j.axis[0].hi = 0.25;
    add_joint(w, &j);
    b.X_WB = perp_pose_at(length, 0, 0.25 * length);
    perp_joint_def weld = perp_joint_def_default(PERP_JOINT_FIXED);
    weld.a = j.b;
    weld.b = add_def(w, &b);
    weld.X_AJ = perp_pose_at(0.25 * length, 0, 0.125 * length);
    weld.X_BJ = perp_pose_at(-0.25 * length, 0, -0.125 * length);
    add_joint(w, &weld);
    double worst = 0;
    for (int i = 0; i < 64; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        worst = fmax(worst, c.law.joint / c.law.scale);
    }
    perp_world_destroy(w);
    return worst;
}

static void joints_are_judged_alike(void **state) {
    (void)state;
    double metres = joint_residual(1);
    assert_true(metres > 0);
    NEAR(joint_residual(0x1p-20) / metres, 1, 1e-6);
    NEAR(joint_residual(0x1p20) / metres, 1, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_is_the_same),
        cmocka_unit_test(turning_is_a_speed),
        cmocka_unit_test(joints_are_judged_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
