/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_slip.c - the slip of a step is a displacement with finite rotations (stage/pose/slip.c)
 * What sticks keeps its place to rounding: a corner on which a box tips, a coin on a table that a motor turns, a box in a grip that
 * turns about an oblique axis. The motion is of second order. The certificate measures the displacement from poses, whatever the rows say. */
#include "thorough.h"
#include "unit/world_help.h"
#include "unit/scene_text.h"

static double most(double a, double b) { return a > b ? a : b; }

static perp_pose pose_in(perp_world *w, const char *name) {
    perp_pose X;
    OK(w, perp_body_pose(w, perp_body_find(w, name), &X));
    return X;
}

/* Place of a point of one body in the axes of another. */
static perp_vec3 seen_from(perp_world *w, const char *frame, const char *body, perp_vec3 point_B) {
    perp_pose F = pose_in(w, frame);
    return perp_q_unrotate(F.q, perp_v3_sub(perp_pose_apply(pose_in(w, body), point_B), F.p));
}

/* Runs the scene. Returns the largest distance of the point from where it was, seen from `frame`; *creep: by the certificate. */
static double drift(perp_scene *s, const char *frame, const char *body, perp_vec3 point_B, double *creep) {
    perp_world *w = perp_scene_world(s);
    perp_vec3 from = seen_from(w, frame, body, point_B);
    double far = 0;
    *creep = 0;
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        *creep += c.creep;
        far = most(far, perp_v3_norm(perp_v3_sub(seen_from(w, frame, body, point_B), from)));
    }
    return far;
}

/* A cube tips about its edge, from the upright position at 1 rad/s: phi'' = 3 g/(2 sqrt(2) a) sin phi. */
#define TIPPING                                                                                                        \
    "perp: 1\ndim: 3\nh: %g\nduration: 0.4\n%slaw: {mu: 1}\nbodies:\n"                                                 \
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"                                 \
    "  - {name: box, mass: 1, at: [0, 0, sqrt(0.5)/2], turn: {axis: [0, 1, 0], angle: pi/4}, velocity: [sqrt(0.5)/2, " \
    "0, 0], spin: "                                                                                                    \
    "[0, 1, 0], shape: {type: box, size: [0.5, 0.5, 0.5]}}\n"

static double tipped(double h, const char *stages, double *creep, double *error) {
    char text[1000];
    snprintf(text, sizeof text, TIPPING, h, stages);
    perp_scene *s = scene_of(text);
    double far = drift(s, "floor", "box", perp_v3(0.25, 0.25, -0.25), creep);
    perp_quat q = pose_in(perp_scene_world(s), "box").q;
    *error = fabs(2 * atan2(q.y, q.w) - 1.443245803888383);
    perp_scene_close(s);
    return far;
}

static void corner_keeps_its_place(void **state) {
    (void)state;
    double creep, error[3];
    for (int k = 0; k < 3; k++) {
        BELOW(tipped(0.01 / (1 << k), "", &creep, &error[k]), 1e-12);
        BELOW(creep, 1e-12);
    }
    print_message("tipping: angle errs by %g, %g, %g\n", error[0], error[1], error[2]);
    BELOW(error[0], 1e-3); /* at first order 2e-3 */
    for (int k = 0; k < 2; k++) assert_true(log2(error[k] / error[k + 1]) > 1.9);
}

/* With slips that are velocities the corner creeps by h |w|^2 r/2 in a second. The certificate says by how much. */
static void certificate_sees_creep(void **state) {
    (void)state;
    double creep, error, far = tipped(0.01, "stages: {geometry: once}\n", &creep, &error);
    print_message("tipping, slips as velocities: %g m, by the certificate %g m\n", far, creep);
    assert_true(far > 1e-4);
    assert_true(fabs(creep - far) < 0.1 * far);
}

static void coin_on_a_table_with_a_motor(void **state) {
    (void)state;
    static const char *const mass[] = {"10", "0.01", "1e-3"}; /* of the table; that of the coin is 0.01 */
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "perp: 1\ndim: 3\nh: 0.01\nduration: 2\nlaw: {mu: 1}\nbodies:\n"
            "  - {name: ground, kind: obstacle, at: [0, 0, -1], shape: {type: sphere, radius: 0.01}}\n"
            "  - {name: table, mass: %s, at: [0, 0, -0.05], spin: [0, 0, 3], shape: {type: box, size: [2, 2, 0.1]}}\n"
            "  - {name: coin, mass: 0.01, at: [0.5, 0, 0.005], velocity: [0, 1.5, 0], spin: [0, 0, 3], shape: {type: "
            "box, size: [0.03, 0.03, 0.01]}}\n"
            "joints:\n  - {name: axle, type: revolute, a: ground, b: table, at: [0, 0, -0.05], axis: [0, 0, 1], motor: "
            "{speed: 3}}\n",
            mass[k]);
        perp_scene *s = scene_of(text);
        double creep, far = drift(s, "table", "coin", perp_v3(0, 0, 0), &creep);
        print_message("table of %s kg: the coin moves by %g m\n", mass[k], far);
        BELOW(far, 1e-10); /* at first order 0.05 m */
        BELOW(creep, 1e-10);
        perp_scene_close(s);
    }
}

/* Two pads on slides press a box with 20 N while their hand turns by 2 rad about an oblique axis in a second. */
static void grip_that_turns(void **state) {
    (void)state;
    const int grips = thorough() ? 2 : 1; /* the same code in five times the steps */
    for (int k = 0; k < grips; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 3\nh: %g\nduration: 1\nlaw: {mu: 0.8}\nbodies:\n"
                 "  - {name: ground, kind: obstacle, at: [0, 0, -1], shape: {type: sphere, radius: 0.01}}\n"
                 "  - {name: hand, mass: 1, at: [0, 0, 0.2], shape: {type: box, size: [0.2, 0.1, 0.04]}}\n"
                 "  - {name: left, mass: 0.1, at: [-0.035, 0, 0.1], shape: {type: box, size: [0.02, 0.04, 0.06]}}\n"
                 "  - {name: right, mass: 0.1, at: [0.035, 0, 0.1], shape: {type: box, size: [0.02, 0.04, 0.06]}}\n"
                 "  - {name: box, mass: 0.2, at: [0, 0, 0.09], shape: {type: box, size: [0.05, 0.05, 0.05]}}\n"
                 "joints:\n"
                 "  - {name: wrist, type: revolute, a: ground, b: hand, at: [0, 0, 0.2], axis: [0.2, 0.1, 1], motor: "
                 "{speed: 2}}\n"
                 "  - {name: slide-left, type: prismatic, a: hand, b: left, at: [0, 0, 0.1], axis: [1, 0, 0], motor: "
                 "{speed: 1, force: 20}}\n"
                 "  - {name: slide-right, type: prismatic, a: hand, b: right, at: [0, 0, 0.1], axis: [1, 0, 0], motor: "
                 "{speed: -1, force: 20}}\n",
                 k ? 0.002 : 0.01);
        perp_scene *s = scene_of(text);
        double creep, far = drift(s, "left", "box", perp_v3(0.025, 0.025, -0.025), &creep);
        print_message("grip at h = %g: the box moves by %g m in it\n", k ? 0.002 : 0.01, far);
        BELOW(far, 1e-9);
        perp_scene_close(s);
    }
}

/* Balls that roll straight on what does not turn do so exactly, as before: v stays, and so does the slip. */
static void straight_rolling_is_exact(void **state) {
    (void)state;
    perp_scene *s = scene_of("perp: 1\ndim: 3\nh: 0.02\nduration: 2\nlaw: {mu: 0.5}\nbodies:\n"
                             "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
                             "  - {name: ball, density: 1000, at: [0, 0, 0.1], velocity: [2, 0, 0], spin: [0, 20, 0], "
                             "shape: {type: sphere, radius: 0.1}}\n");
    perp_world *w = perp_scene_world(s);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) OK(w, perp_world_step(w, NULL));
    perp_pose X = pose_in(w, "ball");
    BELOW(fabs(X.p.x - 4), 1e-12);
    perp_scene_close(s);
}

#define ROLLING                                                                       \
    "perp: 1\ndim: %d\nh: 0.01\nduration: 0.2\n%slaw: {mu: 0.5}\nbodies:\n"           \
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, %s1]}}\n" \
    "  - {name: body, density: 1000, at: [0, %s0.05], velocity: [%s%.17g%s], spin: %s%.17g%s, shape: {%s}}\n"

/* Bodies roll by any angle in a step, also by more than half a turn and by full turns, which the poses at its ends do not tell. */
static void rolls_by_full_turns(void **state) {
    (void)state;
    static const double turns[] = {1, 3.1, 3.2, 3.8, 6.28, 6.3, 9.4, 9.5, 20};
    static const char *const stages[] = {"", "stages: {geometry: end}\n", "stages: {stepper: second-order}\n"};
    for (int k = 0; k < 54; k++) {
        bool solid = k < 27;
        double turn = turns[k % 9], v = turn * 0.05 / 0.01, gain = 0, creep = 0;
        char text[1000];
        snprintf(text, sizeof text, ROLLING, solid ? 3 : 2, stages[k / 9 % 3], solid ? "0, " : "", solid ? "0, " : "",
                 solid ? "0, " : "", v, solid ? ", 0" : ", 0", solid ? "[" : "", -turn / 0.01, solid ? ", 0, 0]" : "",
                 solid ? "type: capsule, radius: 0.05, length: 0.1" : "type: sphere, radius: 0.05");
        perp_scene *s = scene_of(text);
        perp_world *w = perp_scene_world(s);
        for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            gain += c.gain;
            creep += c.creep;
            assert_int_equal(c.sliding, 0);
        }
        perp_vec3 at = pose_in(w, "body").p;
        BELOW(fabs((solid ? at.y : at.x) / (0.2 * v) - 1), 1e-12);
        BELOW(creep, 1e-12);
        BELOW(gain, 1e-12);
        perp_scene_close(s);
    }
}

/* A cube in the middle of a table, both at the same spin, by any angle in a step. Only four steps: any distance from the axis grows fast. */
static void table_by_full_turns(void **state) {
    (void)state;
    static const double turns[] = {1, 3.1, 3.2, 3.8, 6.28, 6.3, 9.4, 20};
    for (int k = 0; k < 8; k++) {
        double spin = turns[k] / 0.01;
        char text[1000];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 3\nh: 0.01\nduration: 0.04\nlaw: {mu: 0.5}\nbodies:\n"
                 "  - {name: table, kind: kinematic, at: [0, 0, -0.1], shape: {type: box, size: [1, 1, 0.2]}, motion: "
                 "{type: constant, spin: [0, 0, %.17g]}}\n"
                 "  - {name: box, density: 1000, at: [0, 0, 0.05], spin: [0, 0, %.17g], shape: {type: box, size: [0.1, "
                 "0.1, 0.1]}}\n",
                 spin, spin);
        perp_scene *s = scene_of(text);
        perp_world *w = perp_scene_world(s);
        perp_vec3 v, om;
        for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            BELOW(c.gain, 1e-9);
            BELOW(c.creep, 1e-9);
        }
        OK(w, perp_body_velocity(w, perp_body_find(w, "table"), &v, &om));
        BELOW(fabs(om.z / spin - 1), 1e-7);
        OK(w, perp_body_velocity(w, perp_body_find(w, "box"), &v, &om));
        BELOW(fabs(om.z / spin - 1), 1e-7);
        perp_scene_close(s);
    }
}

/* A ball strikes a brick. The contact closes within the step, so it has not crept. */
static void no_creep_across_a_gap(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 3\nh: 0.005\nduration: 0.15\nlaw: {mu: 0.5}\nbodies:\n"
                 "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
                 "  - {name: low, density: 600, at: [-0.21, 0, 0.1], shape: {type: box, size: [0.4, 0.2, 0.2]}}\n"
                 "  - {name: next, density: 600, at: [0.21, 0, 0.1], shape: {type: box, size: [0.4, 0.2, 0.2]}}\n"
                 "  - {name: high, density: 600, at: [0.03, 0.02, 0.3], shape: {type: box, size: [0.4, 0.2, 0.2]}}\n"
                 "  - {name: ball, density: 6000, at: [%.17g, -0.4, 0.3], velocity: [0, 5, 0], shape: {type: sphere, "
                 "radius: 0.1}}\n",
                 0.05 + 0.04 * k);
        perp_scene *s = scene_of(text);
        perp_world *w = perp_scene_world(s);
        for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            BELOW(c.creep, 1e-9);
        }
        perp_scene_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corner_keeps_its_place),       cmocka_unit_test(certificate_sees_creep),
        cmocka_unit_test(coin_on_a_table_with_a_motor), cmocka_unit_test(grip_that_turns),
        cmocka_unit_test(straight_rolling_is_exact),    cmocka_unit_test(rolls_by_full_turns),
        cmocka_unit_test(table_by_full_turns),          cmocka_unit_test(no_creep_across_a_gap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
