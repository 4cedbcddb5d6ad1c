/* Light bodies that a heavy one throws about turn by a radian in a step. One that bounces off another may come round to it
 * again before the step ends: restitution asks for a speed, and the gap at the end must hold besides. */
#include "../unit/scene_help.h"
#include "../unit/world_help.h"

static const char thrown_about[] =
    "perp: 1\n"
    "dim: 3\n"
    "duration: 1.5\n"
    "h: 0.01\n"
    "law: {mu: 0, restitution: 0.9}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
    "  - {name: w0, kind: obstacle, shape: {type: halfspace, normal: [1, 0, 0], offset: -0.4}}\n"
    "  - {name: w1, kind: obstacle, shape: {type: halfspace, normal: [-1, 0, 0], offset: -0.4}}\n"
    "  - {name: w2, kind: obstacle, shape: {type: halfspace, normal: [0, 1, 0], offset: -0.4}}\n"
    "  - {name: w3, kind: obstacle, shape: {type: halfspace, normal: [0, -1, 0], offset: -0.4}}\n"
    "  - {name: prism, mass: 0.0416763, at: [-0.0867, -0.0197, 0.3], turn: {axis: [0.836, 0.601, 0.53], angle: "
    "0.666},\n"
    "     velocity: [0.147, -0.893, -1.309], spin: [-7.09, -5.14, 7.69],\n"
    "     shape: {type: prism, radius: 0.1, height: 0.1, sides: 5}}\n"
    "  - {name: box, mass: 15.9144, at: [-0.0613, -0.038, 0.7], turn: {axis: [0.254, 0.464, 0.709], angle: 2.64},\n"
    "     velocity: [-1.653, 0.423, 0.687], spin: [0.11, -5.8, -0.48], shape: {type: box, size: [0.2, 0.15, 0.1]}}\n"
    "  - {name: cone, mass: 60.0221, at: [0.0636, 0.0884, 1.1], turn: {axis: [0.681, -0.986, -0.416], angle: 2.115},\n"
    "     velocity: [-0.753, 1.061, -1.219], spin: [-1.37, -3.81, -0.88],\n"
    "     shape: {type: cone, radius: 0.1, height: 0.2, sides: 8}}\n"
    "  - {name: plate, mass: 0.166129, at: [0.0625, -0.0914, 1.5], turn: {axis: [-0.907, 0.253, -0.439], angle: "
    "1.604},\n"
    "     velocity: [-0.115, -0.629, 1.989], spin: [-5.48, -1.57, -5.35], shape: {type: box, size: [0.4, 0.3, 0.01]}}\n"
    "  - {name: capsule, mass: 0.127415, at: [-0.0288, 0.0494, 1.9], turn: {axis: [-0.359, 0.117, 0.809], angle: "
    "0.303},\n"
    "     velocity: [-1.754, -1.085, 1.061], spin: [2.08, -4.73, -3.04],\n"
    "     shape: {type: capsule, radius: 0.05, length: 0.15}}\n";

static void what_comes_round_is_met(void **state) {
    (void)state;
    perp_scene *s = scene_of(thrown_about);
    perp_world *w = perp_scene_world(s);
    double fastest = 0;
    for (int i = 0; i < 150; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        BELOW(c.overlap, 1e-9);
        for (uint32_t b = 0; b < 10; b++) {
            perp_vec3 v, spin;
            if (!perp_body_velocity(w, (perp_body_id){b, 1}, &v, &spin)) fastest = fmax(fastest, perp_v3_norm(spin));
        }
    }
    assert_true(fastest > 90); /* a radian in a step: else the scene asks nothing */
    perp_scene_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_comes_round_is_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
