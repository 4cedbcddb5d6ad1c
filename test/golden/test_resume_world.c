/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Worlds made in C are recorded and resumed like scenes: a run in two parts has the same frames to the bit as one without the
 * interruption, by the program that made the world (with functions of its own, and after bodies were removed) or by the scene in
 * the recording. Another world is refused. */
#include "unit/recording_help.h"

#define WHOLE "world-whole.h5"
#define PARTS "world-parts.h5"
enum { STEPS = 120, FIRST = 50 };

typedef struct made {
    bool controller; /* a function of the program holds the arm */
    bool gap;        /* a body was removed before */
    double mass;
} made;

static void control(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    perp_vec3 v, om;
    (void)ctx;
    assert_int_equal(perp_body_velocity(w, perp_body_find(w, "arm"), &v, &om), PERP_OK);
    *out = (perp_wrench){{0, 0, 0}, {0, 0, sin(9 * t) - om.z}};
}

#define OK(call)                                                \
    do {                                                        \
        if (call) fail_msg("%s: %s", #call, perp_world_why(w)); \
    } while (0)

/* An arm on a hinge sweeps boxes over a floor. */
static perp_world *make(made m) {
    perp_world_def wd = perp_world_def_default(2);
    perp_world *w = NULL;
    perp_body_id gone, floor, arm, box;
    wd.h = 0.005;
    assert_int_equal(perp_world_create(&wd, &w), PERP_OK);
    OK(perp_pair_set_all(w, (perp_pair_law){.mu = 0.4, .restitution = 0.2}));
    perp_body_def bd = perp_body_def_default(PERP_BODY_OBSTACLE);
    if (m.gap) OK(perp_body_add(w, &bd, &gone));
    bd.name = "floor";
    OK(perp_body_add(w, &bd, &floor));
    perp_shape_def plane = perp_shape_halfspace(perp_v3(0, 1, 0), 0), rod = perp_shape_box(0.5, 0.05, 1),
                   cube = perp_shape_box(0.1, 0.1, 1);
    OK(perp_shape_add(w, floor, &plane, NULL));
    bd = perp_body_def_default(PERP_BODY_DYNAMIC);
    bd.name = "arm";
    bd.X_WB = perp_pose_2d(0.5, 0.8, 0);
    assert_int_equal(perp_body_def_mass(&bd, &rod, 2, m.mass), PERP_OK);
    OK(perp_body_add(w, &bd, &arm));
    OK(perp_shape_add(w, arm, &rod, NULL));
    perp_joint_def jd = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    jd.b = arm;
    jd.X_AJ = perp_pose_2d(0, 0.8, 0);
    jd.X_BJ = perp_pose_2d(-0.5, 0, 0);
    jd.name = "hinge";
    OK(perp_joint_add(w, &jd, NULL));
    for (int i = 0; i < 4; i++) {
        bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        bd.X_WB = perp_pose_2d(0.3 * i - 0.2, 0.101, 0.1 * i);
        assert_int_equal(perp_body_def_mass(&bd, &cube, 2, 5), PERP_OK);
        OK(perp_body_add(w, &bd, &box));
        OK(perp_shape_add(w, box, &cube, NULL));
    }
    if (m.controller) {
        perp_force_def fd = perp_force_def_default(PERP_FORCE_USER);
        fd.b = arm;
        fd.user = control;
        OK(perp_force_add(w, &fd, NULL));
    }
    if (m.gap) OK(perp_body_remove(w, gone));
    return w;
}

static void go_on(perp_world *w, perp_recorder *r, int n) {
    perp_refusal why = {0};
    perp_certificate c;
    for (int i = 0; i < n; i++) {
        OK(perp_world_step(w, &c));
        SUCCEEDS(perp_recorder_step(r, &c, &why));
    }
}

static perp_scene_words words(void) {
    perp_scene_words x = perp_scene_words_default();
    x.title = "an arm";
    x.duration = 0.6;
    x.record.every = 3;
    return x;
}

static uint64_t digest(const char *path) {
    perp_refusal why = {0};
    perp_recording *r = reading(path);
    uint64_t x;
    SUCCEEDS(perp_recording_digest(r, &x, &why));
    const perp_recording_info *info = perp_recording_about(r);
    assert_int_equal(info->frames, STEPS / 3 + 1);
    assert_string_equal(info->title, "an arm");
    assert_true(info->finished && info->duration == 0.6 && info->t1 == STEPS * 0.005);
    double angle[STEPS];
    SUCCEEDS(perp_recording_series(r, "hinge.coordinate", angle, &why));
    assert_true(angle[0] == 0 && angle[STEPS / 3] != 0);
    perp_recording_close(r);
    return x;
}

static uint64_t whole(made m, uint64_t *hash) {
    perp_refusal why = {0};
    perp_recorder *r;
    perp_world *w = make(m);
    perp_scene_words x = words();
    remove(WHOLE);
    SUCCEEDS(perp_recorder_create_world(WHOLE, w, &x, &r, &why));
    go_on(w, r, STEPS);
    SUCCEEDS(perp_recorder_close(r, true, &why));
    *hash = perp_world_hash(w);
    perp_world_destroy(w);
    return digest(WHOLE);
}

static void first_part(made m) {
    perp_refusal why = {0};
    perp_recorder *r;
    perp_world *w = make(m);
    perp_scene_words x = words();
    remove(PARTS);
    SUCCEEDS(perp_recorder_create_world(PARTS, w, &x, &r, &why));
    go_on(w, r, FIRST);
    SUCCEEDS(perp_recorder_close(r, false, &why));
    perp_world_destroy(w);
}

static void resumed_by_program(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        perp_refusal why = {0};
        perp_recorder *r;
        made m = {i % 2 == 1, i / 2 == 1, 8};
        uint64_t hash, expected = whole(m, &hash);
        first_part(m);
        perp_world *w = make(m);
        SUCCEEDS(perp_recorder_resume_world(PARTS, w, &r, &why));
        assert_int_equal(perp_world_steps(w), FIRST);
        go_on(w, r, STEPS - FIRST);
        SUCCEEDS(perp_recorder_close(r, true, &why));
        assert_true(perp_world_hash(w) == hash);
        perp_world_destroy(w);
        assert_true(digest(PARTS) == expected);
    }
}

/* As perp run --resume does. */
static void resumed_by_scene(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_recorder *r;
    perp_scene *s;
    made m = {false, false, 8};
    uint64_t hash, expected = whole(m, &hash);
    first_part(m);
    perp_recording *in = reading(PARTS);
    SUCCEEDS(perp_recording_scene(in, &s, &why));
    perp_recording_close(in);
    SUCCEEDS(perp_recorder_resume(PARTS, s, &r, &why));
    go_on(perp_scene_world(s), r, STEPS - FIRST);
    SUCCEEDS(perp_recorder_close(r, true, &why));
    assert_true(perp_world_hash(perp_scene_world(s)) == hash);
    perp_scene_close(s);
    assert_true(digest(PARTS) == expected);
}

static void refused(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_recorder *r;
    perp_scene *s;
    made m = {true, false, 8};
    first_part(m);
    perp_recording *in = reading(PARTS);
    REFUSED(
        perp_recording_scene(in, &s, &why), PERP_E_ARG,
        "world.yaml:18:12: forces[0].type: found a function of the program that wrote this; allowed: what a file can "
        "hold; a recording of such a world goes on with perp_recorder_resume_world()");
    perp_recording_close(in);
    m.mass = 9;
    perp_world *w = make(m);
    uint64_t before = perp_world_hash(w);
    assert_int_equal(perp_recorder_resume_world(PARTS, w, &r, &why), PERP_E_ARG);
    assert_null(r);
    if (!strstr(why.text, PARTS ": scene: found another world than the one recorded: \"") ||
        !strstr(why.text, "mass: 0.9") || !strstr(why.text, "mass: 0.8"))
        fail_msg("%s", why.text);
    assert_true(perp_world_hash(w) == before);
    SUCCEEDS(perp_world_step(w, NULL));
    perp_world_destroy(w);
    w = make((made){false, false, 8}); /* no controller */
    assert_int_equal(perp_recorder_resume_world(PARTS, w, &r, &why), PERP_E_ARG);
    assert_int_equal(perp_recorder_create_world(PARTS, w, NULL, &r, &why), PERP_E_IO); /* it is there */
    assert_null(r);
    assert_int_equal(perp_recorder_resume_world("world-none.h5", w, &r, &why), PERP_E_IO);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(resumed_by_program), cmocka_unit_test(resumed_by_scene),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
