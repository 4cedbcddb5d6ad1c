/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_contact.c - joints, motors and bounces against contacts
 * Scenes found by chance: a correction of joints that pushed bodies into each other, gears whose teeth meet
 * head-on, bounces with friction that gained energy. */
#include "../unit/world_help.h"
#include "perp/scene.h"

static perp_scene *scene_of(const char *text) {
    perp_source_file file = {.path = "scene.yaml", .data = text, .size = strlen(text)};
    perp_scene_options options = {.file = &file, .nfile = 1};
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open("scene.yaml", &options, &s, &why)) fail_msg("%s", why.text);
    return s;
}

/* A chain of capsules swings against a wall and folds up. Its joints are corrected after each step, and no further than
 * contacts allow: without them in the way links are pushed into the wall by half a millimetre. */
static void correction_keeps_bodies_apart(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        "perp: 1\ndim: 3\nh: 0.005\nduration: 1\nlaw: {mu: 0.4}\nstages: {joint_correction: true, form: lcp}\n"
        "bodies:\n"
        "  - {name: wall, kind: obstacle, shape: {type: halfspace, normal: [1, 0, 0], offset: -0.3}}\n"
        "  - {repeat: 20, name: \"l${i}\", mass: 0.1, at: [0.05+0.1*i, 0, 0],\n"
        "     shape: {type: capsule, radius: 0.01, length: 0.08}}\n"
        "joints:\n"
        "  - {name: j0, type: spherical, b: l0, at: [0, 0, 0]}\n"
        "  - {repeat: 19, name: \"j${i+1}\", type: spherical, a: \"l${i}\", b: \"l${i+1}\", at: [0.1+0.1*i, 0, 0]}\n");
    perp_world *w = perp_scene_world(s);
    int contacts = 0;
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        BELOW(c.overlap, 1e-9);
        BELOW(c.joint_error, 1e-8);
        BELOW(fabs(c.ledger.remainder), 1e-9);
        contacts += c.contacts;
    }
    assert_true(contacts > 20);
    perp_scene_close(s);
}

/* The corner of a tooth runs into the end of another, within the cone of friction about the axle: the sharper its
 * push, the tighter it holds. A motor that cannot be stopped has no answer there, and that is said; one that can
 * stalls. */
static perp_status gears(const char *stepper, const char *force, int *yields, char *why, size_t size) {
    char text[2048];
    const char *teeth = "shapes: [{type: box, size: [0.7, 0.08]}, {type: box, size: [0.7, 0.08], turn: pi/3},\n"
                        "     {type: box, size: [0.7, 0.08], turn: 2*pi/3}]";
    snprintf(text, sizeof text,
             "perp: 1\ndim: 2\nh: 0.002\nduration: 0.1\nlaw: {mu: 0.2}\nstages: {stepper: %s}\n"
             "bodies:\n"
             "  - {name: g1, mass: 1, inertia: 0.05, at: [0, 0], turn: 3.576, spin: 3,\n     %s}\n"
             "  - {name: g2, mass: 1, inertia: 0.05, at: [0.62, 0], turn: -2.75576, spin: -1.975,\n     %s}\n"
             "joints:\n"
             "  - {name: drive, type: revolute, b: g1, at: [0, 0], motor: {speed: 3%s}}\n"
             "  - {name: load, type: revolute, b: g2, at: [0.62, 0], friction: 0.05}\n",
             stepper, teeth, teeth, force);
    perp_scene *s = scene_of(text);
    perp_world *w = perp_scene_world(s);
    perp_status st = PERP_OK;
    for (uint64_t n = perp_scene_steps(s); !st && n > 0; n--) {
        perp_certificate c;
        st = perp_world_step(w, &c);
        if (!st && c.motor_yields > 0) ++*yields;
        if (!st) BELOW(c.overlap, !strcmp(stepper, "anitescu-potra") ? 1e-6 : 1e-9); /* what touches drifts there */
    }
    snprintf(why, size, "%s", perp_world_why(w));
    perp_scene_close(s);
    return st;
}

static void what_jams_is_named(void **state) {
    (void)state;
    const char *stepper[] = {"stewart-trinkle", "anitescu-potra", "second-order"};
    char why[512];
    for (int i = 0; i < 3; i++) {
        int yields = 0, none = 0;
        perp_status st = gears(stepper[i], "", &yields, why, sizeof why); /* the motor yields, or is named */
        if (st ? !strstr(why, "without the motor of joint 0 (drive), which has no force limit") : yields == 0)
            fail_msg("%s: %s", stepper[i], why);
        st = gears(stepper[i], ", force: 2", &none, why, sizeof why);
        if (st || none) fail_msg("%s: %s", stepper[i], why);
    }
}

/* Boxes that spin between walls, rough and bouncy: corners land while they slide, where Newton's rule taken by its
 * word gains up to 4 % of the energy in one impact (Kane). Contacts never do work on the whole. */
static void bounces_gain_nothing(void **state) {
    (void)state;
    const char *stepper[] = {"stewart-trinkle", "anitescu-potra", "second-order"};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 2\nh: 0.001\nduration: 0.6\nlaw: {mu: 0.8, restitution: 0.9}\nstages: {stepper: %s}\n"
                 "bodies:\n"
                 "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}\n"
                 "  - {name: w0, kind: obstacle, shape: {type: halfspace, normal: [1, 0], offset: -0.5}}\n"
                 "  - {name: w1, kind: obstacle, shape: {type: halfspace, normal: [-1, 0], offset: -0.5}}\n"
                 "  - {name: b, density: 1, at: [0, 0.5], turn: 0.3, velocity: [1.5, 0], spin: 12,\n"
                 "     shape: {type: box, size: [0.3, 0.1]}}\n"
                 "  - {name: c, density: 1, at: [0.2, 1], turn: 0.7, velocity: [-1.5, 0], spin: -8,\n"
                 "     shape: {type: box, size: [0.2, 0.15]}}\n",
                 stepper[i]);
        perp_scene *s = scene_of(text);
        perp_world *w = perp_scene_world(s);
        double lost = 0;
        int limited = 0;
        for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            BELOW(c.ledger.normal + c.ledger.friction, 1e-9);
            lost -= c.ledger.normal + c.ledger.friction;
            limited += c.rebounds_limited;
            assert_int_equal(c.rebounds_given_up, 0);
        }
        assert_true(limited > 0); /* and the certificate tells that less came back */
        assert_true(lost > 0.05); /* they did bounce */
        perp_scene_close(s);
    }
}

/* Restitution is given up nowhere else: a ball that is thrown on a rough floor, sliding or rolling on, leaves at e
 * times the speed it came with. */
static void other_bounces_are_newtons(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world *w = weightless(2, 0.01);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3, .restitution = 0.6}));
        add_floor(w);
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        d.mass = 1;
        d.I_B = perp_m3_diag(0.004, 0.004, 0.004);
        d.X_WB = perp_pose_at(0, 0.105, 0);
        d.v_W = perp_v3(k, -1, 0); /* straight down; it rolls on; it slides on */
        perp_body_id ball = add_def(w, &d);
        add_shape(w, ball, perp_shape_sphere(0.1));
        go(w, 3);
        NEAR(velocity_of(w, ball).y, 0.6, 1e-12);
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correction_keeps_bodies_apart),
        cmocka_unit_test(what_jams_is_named),
        cmocka_unit_test(bounces_gain_nothing),
        cmocka_unit_test(other_bounces_are_newtons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
