/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_scene_equal.c - scenes as files are the scenes written in C, to the bit: the same hash at the start and after
 * each of 100 steps. */
#include "unit/scene_help.h"

static void compare(const char *text, scene c) {
    perp_scene *s = scene_of(text);
    perp_world *w = perp_scene_world(s);
    assert_int_equal(perp_world_body_count(w), perp_world_body_count(c.w));
    for (int i = 0; i <= 100; i++) {
        if (perp_world_hash(w) != perp_world_hash(c.w)) fail_msg("they differ after %d steps", i);
        if (perp_world_step(w, NULL)) fail_msg("step %d: %s", i, perp_world_why(w));
        if (perp_world_step(c.w, NULL)) fail_msg("step %d in C: %s", i, perp_world_why(c.w));
    }
    perp_scene_close(s);
    scene_end(&c);
}

static void particle_and_moving_wall(void **state) {
    (void)state;
    compare("perp: 1\ndim: 2\nduration: 12\nh: 0.1\ngravity: [1, 0]\nstart: staggered\nbodies:\n"
            "  - {particle: true, mass: 1, shape: {type: particle}}\n"
            "  - {kind: kinematic, at: [11, 0], velocity: [-1, 0], shape: {type: halfspace, normal: [-1, 0]}}\n",
            scene_particle_wall(world_def(2, 0.1, PERP_START_STAGGERED), true));
}

static void double_pendulum(void **state) {
    (void)state;
    compare(HEAD2 "h: 0.002\n"
                  "templates:\n  rod: {mass: 1, inertia: 1/12}\n"
                  "bodies:\n  - {like: rod, name: A, at: [0.5, 0]}\n  - {like: rod, name: B, at: [1 + 0.5, 0]}\n"
                  "joints:\n  - {type: revolute, b: A, at_a: [0, 0], at_b: [-0.5, 0]}\n"
                  "  - {type: revolute, a: A, b: B, at_a: [0.5, 0], at_b: [-0.5, 0]}\n",
            scene_double_pendulum(world_def(2, 0.002, PERP_START_AUTO)));
}

/* Materials, laws, kinematic bodies, a particle, a spring. */
static void full_planar(void **state) {
    (void)state;
    compare(HEAD2
            "materials: [belt, pusher]\n"
            "laws:\n  - {pair: [default, belt], mu: 0.3}\n  - {pair: [pusher, default]}\n"
            "bodies:\n"
            "  - {name: belt, kind: kinematic, velocity: [-0.5, 0], shape: {type: halfspace, normal: [0, 1], material: "
            "belt}}\n"
            "  - {kind: kinematic, at: [-0.3, 0.1], velocity: [0.4, 0], material: pusher, shape: {type: particle}}\n"
            "  - {name: C, mass: 10, inertia: 10*(0.4*0.4 + 0.2*0.2)/12, at: [0, 0.1], shape: {type: box, size: [0.4, "
            "0.2]}}\n"
            "  - {name: A, mass: 1, inertia: 1/12, at: [0.5*cos(acos(-1)), 0.1 + 0.5*sin(acos(-1))], turn: acos(-1)}\n"
            "  - {name: B, particle: true, mass: 0.5, at: [-1, -0.44905]}\n"
            "joints:\n  - {type: revolute, a: C, b: A, at_a: [0, 0], at_b: [-0.5, 0]}\n"
            "forces:\n  - {type: spring, a: A, b: B, at_a: [0.5, 0], stiffness: 100, rest_length: 0.5, drag: 1}\n",
            scene_full_planar(world_def(2, 0.001, PERP_START_AUTO)));
}

static void momentum_chain(void **state) {
    (void)state;
    compare(HEAD2 "gravity: [0, 0]\nh: 0.01\n"
                  "parameters: {a: 0.5}\n"
                  "bodies:\n"
                  "  - repeat: 5\n"
                  "    mass: 'i == 0 ? 1.5 : i == 1 ? 1 : i == 2 ? 0.25 : i == 3 ? 0.12 : 0.8'\n"
                  "    inertia: '(i == 0 ? 1.5 : i == 1 ? 1 : i == 2 ? 0.25 : i == 3 ? 0.12 : 0.8)*(a*a + a*a)/12'\n"
                  "    at: [i, 0]\n"
                  "    velocity: ['i == 0 ? 2 : 0', 0]\n"
                  "    shape: {type: box, size: [a, a]}\n",
            scene_momentum_chain(world_def(2, 0.01, PERP_START_AUTO)));
}

static void tower(void **state) {
    (void)state;
    compare(HEAD3 "h: 0.005\nparameters: {mu: 0.5, gap: 0.001}\nlaw: {mu: mu}\n"
                  "bodies:\n  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
                  "  - repeat: 4\n    name: ball-${i}\n    at: [0, 0, 0.5 + i + gap*(i + 1)]\n    mass: 1\n"
                  "    shape: {type: sphere, radius: 0.5}\n",
            scene_tower(world_def(3, 0.005, PERP_START_AUTO), 4, 0.001, 0.5));
}

/* 3D turns, mass of boxes, a joint by frames. */
static void tumbling(void **state) {
    (void)state;
    compare(
        HEAD3
        "law: {mu: 0.4}\n"
        "bodies:\n  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
        "  - {mass: 2, at: [0, 0, 0.6], turn: {axis: [1, 2, 3], angle: 0.7}, velocity: [1, 0.5, 0], spin: [4, -6, 3],\n"
        "     shape: {type: box, size: [0.2, 0.3, 0.5]}}\n"
        "  - {name: a, mass: 1, at: [3, 0, 5], velocity: [0, 0, 2], spin: [3, 1, 0], shape: {type: box, size: [0.1, "
        "0.4, 0.2]}}\n"
        "  - {name: b, mass: 1, at: [3, 0.4, 5], velocity: [0, 0, 3.2], spin: [3, 0, 0], shape: {type: box, size: "
        "[0.1, 0.4, 0.2]}}\n"
        "joints:\n  - {type: revolute, a: a, b: b, at_a: [0, 0.2, 0], at_b: [0, -0.2, 0]}\n",
        scene_tumbling(world_def(3, 0.001, PERP_START_AUTO)));
}

/* Several shapes on a body, prismatic joints in turned frames, constant forces on bodies, stages. */
static void pinch(void **state) {
    (void)state;
    perp_world_def d = world_def(3, 0.001, PERP_START_AUTO);
    d.stepper = "anitescu-potra";
    d.form = PERP_FORM_MLCP;
    d.friction_directions = 6;
    d.friction_frame = PERP_FRICTION_FIXED;
    compare(HEAD3
            "stages: {stepper: anitescu-potra, form: mlcp, friction_directions: 6, friction_frame: fixed}\n"
            "parameters: {r: 0.004, half: 0.01, m: 0.045, F: 5}\n"
            "law: {mu: 0.8}\n"
            "bodies:\n"
            "  - mass: m\n"
            "    inertia: [m*r*r/2, m*(half*half/3 + r*r/4), m*(half*half/3 + r*r/4)]\n"
            "    shapes: [{type: sphere, radius: r, at: [-half, 0, 0]}, {type: sphere, radius: r, at: [half, 0, 0]}]\n"
            "  - {repeat: {s: 2}, name: 'pad${s}', mass: 0.1, at: [0, (2*s - 1)*(r + 0.005), 0], force: [0, -(2*s - "
            "1)*F, 0],\n"
            "     shape: {type: box, size: [0.04, 0.01, 0.02]}}\n"
            "joints:\n"
            "  - {repeat: {s: 2}, type: prismatic, b: 'pad${s}', at_a: [0, (2*s - 1)*(r + 0.005), 0],\n"
            "     turn_a: {axis: [1, 0, 0], angle: -acos(-1)/2}, turn_b: {axis: [1, 0, 0], angle: -acos(-1)/2}}\n",
            scene_pinch_hold(d, 5, 0.8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_and_moving_wall),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(full_planar),
        cmocka_unit_test(momentum_chain),
        cmocka_unit_test(tower),
        cmocka_unit_test(tumbling),
        cmocka_unit_test(pinch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
