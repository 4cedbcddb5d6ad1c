/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_controls.c - ctrl of actuators as a function of time: in C, as a key of an actuator, in the list `controls`, and in scenes that are written. */
#include <unistd.h>

#include "unit/world_help.h"
#include "unit/scene_text.h"

#define WRITTEN "controls.yaml"

static const char text[] =
    "perp: 1\ndim: 2\nduration: 1\nh: 0.01\ngravity: [0, 0]\n"
    "parameters: {A: 0.25, w: 3}\n"
    "bodies:\n"
    "  - {repeat: 4, name: \"b${i}\", at: [2*i, 0], mass: 1, inertia: 0.1}\n"
    "joints:\n"
    "  - {repeat: 4, name: \"j${i}\", type: revolute, b: \"b${i}\", at: [2*i, 0]}\n"
    "actuators:\n"
    "  - {name: wave, type: position, joint: j0, kp: 100, kv: 1, ctrl: A*sin(w*t)}\n"
    "  - {name: eased, type: position, joint: j1, kp: 100, kv: 1, ctrl: 7}\n"
    "  - {name: straight, type: velocity, joint: j2, kv: 1, ctrl: t}\n"
    "  - {name: still, type: force, joint: j3, ctrl: 2*A}\n"
    "controls:\n"
    "  - {actuator: eased, points: [[0.1, 1], [0.3, A]]}\n"
    "  - {actuators: [straight, eased], points: [[0.2, 0, 1], [0.4, 1, 3], [0.8, -1, 3]], between: linear}\n"
    "  - {actuators: [eased], points: [[0.1, 1], [0.3, 1 + A]]}\n";

static double eased(double t) {
    double s = fmin(fmax((t - 0.1) / 0.2, 0), 1);
    return 1 + 0.25 * s * s * (3 - 2 * s);
}

static double straight(double t) {
    return t < 0.2 ? 0 : t < 0.4 ? (t - 0.2) / 0.2 : t < 0.8 ? 1 - 2 * (t - 0.4) / 0.4 : -1;
}

/* A step uses ctrl at its end. The last entry of an actuator counts. */
static void followed(void **state) {
    (void)state;
    perp_scene *s = scene_of(text);
    perp_world *w = perp_scene_world(s);
    double ctrl[4];
    assert_int_equal(perp_world_get_ctrl(w, ctrl, 4), 4);
    NEAR(ctrl[1], 1, 0);
    NEAR(ctrl[3], 0.5, 0);
    for (int i = 1; i <= 100; i++) {
        double t = 0.01 * i;
        OK(w, perp_world_step(w, NULL));
        (void)perp_world_get_ctrl(w, ctrl, 4);
        NEAR(ctrl[0], 0.25 * sin(3 * t), 1e-14);
        NEAR(ctrl[1], eased(t), 1e-13);
        NEAR(ctrl[2], straight(t), 1e-13);
        NEAR(ctrl[3], 0.5, 0);
    }
    perp_scene_close(s);
}

/* A servo without inertia to speak of is where ctrl is at the end of the step, not where it was. */
static void at_the_end(void **state) {
    (void)state;
    perp_scene *s = scene_of("perp: 1\ndim: 2\nduration: 1\nh: 0.01\ngravity: [0, 0]\n"
                             "bodies: [{name: b, mass: 1, inertia: 0.1}]\n"
                             "joints: [{name: j, type: revolute, b: b, at: [0, 0]}]\n"
                             "actuators: [{type: position, joint: j, kp: 1e9, ctrl: \"0.3*t\"}]\n");
    perp_world *w = perp_scene_world(s);
    double x[3];
    for (int i = 1; i <= 20; i++) {
        OK(w, perp_world_step(w, NULL));
        perp_joint_id j = perp_joint_find(w, "j");
        OK(w, perp_joint_read(w, j, x, NULL));
        NEAR(x[0], 0.003 * i, 1e-7);
    }
    perp_scene_close(s);
}

static uint64_t after(perp_world *w, int n) {
    run(w, n);
    return perp_world_hash(w);
}

/* A clone, and the scene that is written, move to the same bits. */
static void written_and_cloned(void **state) {
    (void)state;
    perp_scene *s = scene_of(text), *again;
    perp_world *w = perp_scene_world(s), *copy;
    perp_refusal why;
    run(w, 25);
    OK(w, perp_world_clone(w, &copy));
    (void)unlink(WRITTEN);
    if (perp_world_write_scene(w, WRITTEN, NULL, &why)) fail_msg("%s", why.text);
    if (perp_scene_open(WRITTEN, NULL, &again, &why)) fail_msg("%s", why.text);
    uint64_t hash = after(w, 50);
    assert_true(after(copy, 50) == hash);
    assert_true(after(perp_scene_world(again), 50) == hash);
    perp_world_destroy(copy);
    perp_scene_close(again);
    perp_scene_close(s);
    (void)unlink(WRITTEN);
}

static double halves(const perp_world *w, double t, void *ctx) {
    (void)w;
    ++*(int *)ctx;
    return t < 0.035 ? 0.5 * t : NAN;
}

/* In C. A number that is not finite fails the step and changes nothing; without the function ctrl stays. */
static void in_c(void **state) {
    (void)state;
    perp_scene *s = scene_of(text);
    perp_world *w = perp_scene_world(s);
    perp_actuator_id still = perp_actuator_find(w, "still");
    perp_actuator_def d;
    double before[4], now[4];
    int calls = 0;
    OK(w, perp_actuator_set_ctrl_fn(w, still, halves, &calls));
    run(w, 3);
    assert_int_equal(calls, 3);
    OK(w, perp_actuator_get(w, still, &d));
    NEAR(d.ctrl, 0.015, 1e-15);
    (void)perp_world_get_ctrl(w, before, 4);
    uint64_t hash = perp_world_hash(w);
    assert_int_equal(perp_world_step(w, NULL), PERP_E_ARG);
    if (!strstr(perp_world_why(w), "ctrl of actuator still gives nan at t = 0.04")) fail_msg("%s", perp_world_why(w));
    assert_true(perp_world_hash(w) == hash);
    (void)perp_world_get_ctrl(w, now, 4);
    assert_memory_equal(before, now, sizeof now);
    OK(w, perp_actuator_set_ctrl_fn(w, still, NULL, NULL));
    run(w, 1);
    OK(w, perp_actuator_get(w, still, &d));
    NEAR(d.ctrl, 0.015, 1e-15);
    OK(w, perp_actuator_remove(w, still));
    assert_int_equal(perp_actuator_set_ctrl_fn(w, still, halves, &calls), PERP_E_ARG);
    perp_scene_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(followed), cmocka_unit_test(at_the_end),
                                       cmocka_unit_test(written_and_cloned), cmocka_unit_test(in_c)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
