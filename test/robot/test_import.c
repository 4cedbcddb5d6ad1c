/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_import.c - one test for each trap of MJCF and URDF, hulls with their error, COLLADA. */
#include <math.h>
#include <stdlib.h>

#include "mesh/mesh.h"
#include "robot/model_help.h"

/* ---- pairs that may touch ---- */

static void robots_of_type_1_0_stand_on_floors_of_1_1(void **state) {
    (void)state;
    perp_scene *s =
        world_of("m.xml", "<mujoco><default><geom size='0.1'/></default><worldbody>"
                          "<geom type='plane' size='1 1 1'/>"
                          "<body name='a' pos='0 0 1'><freejoint/><geom contype='1' conaffinity='0'/></body>"
                          "<body name='b' pos='0 1 1'><freejoint/><geom contype='1' conaffinity='0'/></body>"
                          "<body name='c' pos='0 2 1'><freejoint/><geom contype='2' conaffinity='1'/></body>"
                          "</worldbody></mujoco>");
    const perp_world *w = perp_scene_world(s);
    assert_true(may_touch(w, "a", "base"));
    assert_true(may_touch(w, "b", "base"));
    assert_false(may_touch(w, "a", "b"));
    assert_true(may_touch(w, "c", "a")); /* by one of the two ways only */
    assert_true(may_touch(w, "c", "base"));
    perp_scene_close(s);
}

static const char *const chain =
    "<mujoco>%s<worldbody><geom size='0.1'/>"
    "<body name='a' pos='0 0 1'><joint/><geom size='0.1'/>"
    "<body name='b' pos='0 0 1'><joint/><geom size='0.1'/>"
    "<body name='c' pos='0 0 1'><joint/><geom size='0.1'/></body></body></body></worldbody>%s</mujoco>";

static void parents_do_not_touch_children_unless_they_are_fixed(void **state) {
    (void)state;
    char text[1000];
    (void)snprintf(text, sizeof text, chain, "", "<contact><exclude body1='a' body2='c'/></contact>");
    perp_scene *s = world_of("m.xml", text);
    const perp_world *w = perp_scene_world(s);
    assert_true(may_touch(w, "base", "a")); /* the parent is the world */
    assert_true(may_touch(w, "base", "c"));
    assert_false(may_touch(w, "a", "c")); /* excluded */
    perp_joint_id j[4];
    int n = perp_world_joints(w, j, 4);
    assert_int_equal(n, 3);
    for (int i = 0; i < n; i++) {
        perp_joint_def d;
        assert_int_equal(perp_joint_get(w, j[i], &d), PERP_OK);
        assert_false(d.collide); /* a with b, b with c */
    }
    perp_scene_close(s);
    (void)snprintf(text, sizeof text, chain, "", "");
    s = world_of("m.xml", text);
    assert_true(may_touch(perp_scene_world(s), "a", "c")); /* grandchildren do */
    perp_scene_close(s);
}

static void excludes_of_both_sides_of_a_fixed_frame_are_told_apart(void **state) {
    (void)state; /* the two bases are fixed, and each excludes one of the arms: they must not share a class */
    perp_scene *s = world_of(
        "m.xml", "<mujoco><default><geom size='0.1'/></default><worldbody>"
                 "<body name='l0'><geom/><body name='l1' pos='1 0 0'><joint/><geom/></body></body>"
                 "<body name='r0'><geom/><body name='r1' pos='-1 0 0'><joint/><geom/></body></body></worldbody>"
                 "<contact><exclude body1='l0' body2='l1'/><exclude body1='r0' body2='r1'/></contact></mujoco>");
    const perp_world *w = perp_scene_world(s);
    perp_shape_def l0 = shape_of(w, "base", 0), r0 = shape_of(w, "base", 1), l1 = shape_of(w, "l1", 0),
                   r1 = shape_of(w, "r1", 0);
    assert_false((l0.group & l1.mask) && (l1.group & l0.mask));
    assert_true((l0.group & r1.mask) && (r1.group & l0.mask));
    assert_true((r0.group & l1.mask) && (l1.group & r0.mask));
    assert_false((r0.group & r1.mask) && (r1.group & r0.mask));
    perp_scene_close(s);
}

/* ---- bodies ---- */

/* Geoms that nothing else lets touch do so as a pair, with the friction of the pair or, where it says nothing, of the geoms. */
static void explicit_pairs_touch_and_have_their_own_friction(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.xml",
        "<mujoco><default><geom size='0.1' contype='0' conaffinity='0' friction='0.4'/></default><worldbody>"
        "<geom name='floor' type='plane' size='1 1 1'/><body name='a' pos='0 0 1'><freejoint/><geom name='a'/>"
        "</body><body name='b' pos='1 0 1'><freejoint/><geom name='b'/></body><body name='c' pos='2 0 1'>"
        "<freejoint/><geom name='c'/></body></worldbody><contact><pair geom1='a' geom2='floor' "
        "friction='0.9 0.9 0.02 0.03 0.03' condim='6'/><pair geom1='b' geom2='floor'/><pair geom1='a' geom2='b' "
        "condim='1'/><exclude body1='a' body2='b'/></contact></mujoco>");
    perp_world *w = perp_scene_world(s);
    assert_true(may_touch(w, "a", "base") && may_touch(w, "b", "base") && may_touch(w, "a", "b"));
    assert_true(shape_of(w, "c", 0).visual); /* no pair names it */
    perp_pair_law law;
    int floor = shape_of(w, "base", 0).material, a = shape_of(w, "a", 0).material, b = shape_of(w, "b", 0).material;
    assert_int_equal(perp_pair_get(w, a, floor, &law), PERP_OK);
    assert_near(law.mu, 0.9, 0);
    assert_near(law.e_r, 0.02 / 0.9, 1e-16);
    assert_near(law.e_roll, 0.03 / 0.9, 1e-16);
    assert_int_equal(perp_pair_get(w, b, floor, &law), PERP_OK);
    assert_near(law.mu, 0.4, 0);
    assert_int_equal(perp_pair_get(w, a, b, &law), PERP_OK);
    assert_near(law.mu, 0, 0);
    perp_scene_close(s);
}

static void bodies_without_joints_are_part_of_their_parent(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.urdf",
        "<robot name='r'><link name='world'/>"
        "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
        "<link name='b'><inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
        "<joint name='j' type='continuous'><parent link='world'/><child link='a'/></joint>"
        "<joint name='f' type='fixed'><parent link='a'/><child link='b'/><origin xyz='4 0 0'/></joint></robot>");
    const perp_world *w = perp_scene_world(s);
    assert_int_equal(perp_world_body_count(w), 1);
    perp_body_def d = body_of(w, "a");
    assert_near(d.mass, 4, 0);
    assert_at(d.X_WB.p, 3, 0, 0, 1e-15); /* perp's origin: the common centre of mass */
    assert_near(d.I_B.c[0].x, 2, 1e-14);
    assert_near(d.I_B.c[1].y, 2 + 1 * 9 + 3 * 1, 1e-14);
    perp_scene_close(s);
}

static void joints_and_shapes_are_in_the_frame_of_the_model(void **state) {
    (void)state;
    perp_scene *s =
        world_of("m.xml", "<mujoco><worldbody><body name='a' pos='1 2 3'><joint name='j' axis='1 0 0' pos='0 0 0.5'/>"
                          "<inertial pos='0.1 0.2 0.3' mass='2' diaginertia='1 1 1'/>"
                          "<geom type='sphere' size='0.1' pos='0 0 0.5'/></body></worldbody></mujoco>");
    const perp_world *w = perp_scene_world(s);
    assert_at(body_of(w, "a").X_WB.p, 1.1, 2.2, 3.3, 1e-15);
    assert_at(shape_of(w, "a", 0).X_BS.p, -0.1, -0.2, 0.2, 1e-15);
    perp_joint_def d;
    assert_int_equal(perp_joint_get(w, perp_joint_find(w, "j"), &d), PERP_OK);
    assert_at(d.X_AJ.p, 1, 2, 3.5, 1e-15);
    assert_at(d.X_BJ.p, -0.1, -0.2, 0.2, 1e-15);
    assert_below(perp_world_joint_error(w), 1e-15);
    perp_scene_close(s);
}

static void a_body_between_two_joints_may_have_no_mass(void **state) {
    (void)state;
    put("m.urdf",
        "<robot name='r'><link name='base'/><link name='cross'/>"
        "<link name='arm'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
        "<joint name='yaw' type='continuous'><parent link='base'/><child link='cross'/><axis xyz='0 0 1'/></joint>"
        "<joint name='pitch' type='continuous'><parent link='cross'/><child link='arm'/><axis xyz='1 0 "
        "0'/></joint></robot>");
    perp_import *m = opened("m.urdf", NULL);
    assert_non_null(strstr(perp_import_scene(m), "type: universal"));
    assert_true(noted(m, PERP_IMPORT_APPROXIMATED, "cross has no mass: its joints belong to arm"));
    perp_import_close(m);
    (void)unlink("m.urdf");
}

/* ---- angles, limits, drives ---- */

static void angles_are_degrees_unless_told_and_ref_shifts_the_zero(void **state) {
    (void)state;
    static const char *const text =
        "<mujoco>%s<worldbody><body name='a'><joint name='j' axis='0 0 1' range='%s' ref='%s'/>"
        "<geom size='0.1' pos='1 0 0'/></body></worldbody></mujoco>";
    const double deg = 0.017453292519943295;
    for (int radian = 0; radian < 2; radian++) {
        char file[600];
        (void)snprintf(file, sizeof file, text, radian ? "<compiler angle='radian'/>" : "",
                       radian ? "0.1 0.5" : "10 50", radian ? "0.2" : "20");
        perp_scene *s = world_of("m.xml", file);
        const perp_world *w = perp_scene_world(s);
        perp_joint_def d;
        assert_int_equal(perp_joint_get(w, perp_joint_find(w, "j"), &d), PERP_OK);
        assert_true(d.axis[0].limited);
        assert_near(d.axis[0].lo, radian ? 0.1 : 10 * deg, 1e-15);
        assert_near(d.axis[0].hi, radian ? 0.5 : 50 * deg, 1e-15);
        assert_near(coordinate(w, "j"), radian ? 0.2 : 20 * deg, 1e-14);
        assert_at(body_of(w, "a").X_WB.p, 1, 0, 0, 1e-14); /* at ref the body is as written */
        perp_scene_close(s);
    }
}

static void autolimits_can_be_off(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.xml",
        "<mujoco><compiler autolimits='false'/><worldbody><body name='a'><joint name='j' range='1 2' limited='false'/>"
        "<geom size='0.1'/></body></worldbody></mujoco>");
    perp_joint_def d;
    const perp_world *w = perp_scene_world(s);
    assert_int_equal(perp_joint_get(w, perp_joint_find(w, "j"), &d), PERP_OK);
    assert_false(d.axis[0].limited);
    perp_scene_close(s);
}

static void a_model_out_of_its_limits_starts_at_them(void **state) {
    (void)state;
    perp_scene *s =
        world_of("m.urdf", "<robot name='r'><link name='base'/>"
                           "<link name='a'><inertial><origin xyz='1 0 0'/><mass value='1'/><inertia ixx='1' iyy='1' "
                           "izz='1'/></inertial></link>"
                           "<joint name='j' type='revolute'><parent link='base'/><child link='a'/><axis xyz='0 0 1'/>"
                           "<limit lower='0.5' upper='1'/></joint></robot>");
    const perp_world *w = perp_scene_world(s);
    assert_near(coordinate(w, "j"), 0.5, 1e-15);
    assert_at(body_of(w, "a").X_WB.p, cos(0.5), sin(0.5), 0, 1e-15);
    assert_below(perp_world_joint_error(w), 1e-15);
    perp_scene_close(s);
}

static void keyframes_say_where_it_starts(void **state) {
    (void)state;
    put("m.xml",
        "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='0.1'/>"
        "<body name='b' pos='1 0 0'><joint name='j' axis='0 0 1'/><geom size='0.1' pos='1 0 0'/>"
        "<body name='c' pos='2 0 0'><joint type='ball'/><geom size='0.1' pos='1 0 0'/></body></body></body></worldbody>"
        "<keyframe><key name='other'/><key name='home' qpos='5 6 7 0 0 0 2 1.5707963267948966 0 0 1 "
        "0'/></keyframe></mujoco>");
    perp_import_options o = {.key = "home"};
    perp_import *m = opened("m.xml", &o);
    perp_source_file file = {"m.yaml", perp_import_scene(m), strlen(perp_import_scene(m))};
    perp_scene_options so = {.file = &file, .nfile = 1};
    perp_scene *s;
    perp_refusal why;
    if (perp_scene_open("m.yaml", &so, &s, &why)) fail_msg("%s", why.text);
    const perp_world *w = perp_scene_world(s);
    assert_at(body_of(w, "a").X_WB.p, 5, 6, 7, 1e-14);
    assert_near(coordinate(w, "j"), 1.5707963267948966, 1e-14);
    assert_at(body_of(w, "b").X_WB.p, 4, 5, 7, 1e-14); /* x of a is -x, x of b is -y */
    assert_at(body_of(w, "c").X_WB.p, 4, 5, 7, 1e-14); /* 2 out along b, 1 back along its own x */
    assert_below(perp_world_joint_error(w), 1e-14);
    perp_scene_close(s);
    perp_import_close(m);
    o.key = "hme";
    assert_int_equal(perp_import_open("m.xml", &o, &m, &why), PERP_E_ARG);
    assert_string_equal(why.text,
                        "m.xml:1:1: mujoco.key: found \"hme\"; allowed: the name of a keyframe (did you mean home?)");
    (void)unlink("m.xml");
}

static void mimics_follow_exactly(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.urdf", "<robot name='r'><link name='base'/>"
                  "<link name='a'><inertial><origin xyz='1 0 0'/><mass value='1'/><inertia ixx='1' iyy='1' "
                  "izz='1'/></inertial></link>"
                  "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
                  "<joint name='j' type='continuous'><parent link='base'/><child link='a'/><axis xyz='0 1 "
                  "0'/></joint><joint name='k' type='continuous'><parent link='base'/><child link='b'/><axis "
                  "xyz='0 0 -1'/><mimic joint='j' multiplier='-2' offset='0.3'/></joint></robot>");
    perp_world *w = perp_scene_world(s);
    assert_near(coordinate(w, "k"), 0.3, 1e-15); /* it starts where it belongs */
    for (int i = 0; i < 100; i++)
        if (perp_world_step(w, NULL)) fail_msg("%s", perp_world_why(w));
    assert_true(coordinate(w, "j") > 0.003); /* the weight of a turns both */
    assert_near(coordinate(w, "k"), 0.3 - 2 * coordinate(w, "j"), 1e-13);
    perp_scene_close(s);
}

static void friction_is_the_larger_or_that_of_higher_priority(void **state) {
    (void)state;
    perp_scene *s =
        world_of("m.xml", "<mujoco><default><geom size='0.1'/></default><worldbody>"
                          "<geom type='plane' size='1 1 1' friction='0.5'/>"
                          "<body name='a' pos='0 0 1'><freejoint/><geom friction='0.8'/></body>"
                          "<body name='b' pos='0 1 1'><freejoint/><geom friction='0.2' priority='1' condim='4'/></body>"
                          "<body name='c' pos='0 2 1'><freejoint/><geom friction='0.1' condim='1'/></body>"
                          "<body name='d' pos='0 3 1'><freejoint/><geom friction='0.6 0.01 0.03' "
                          "condim='6'/></body></worldbody></mujoco>");
    const perp_world *w = perp_scene_world(s);
    static const struct {
        const char *a, *b;
        double mu, e_r, e_roll;
    } pair[] = {{"base", "a", 0.8, 0, 0},
                {"base", "b", 0.2, 0.005 / 0.2, 0},
                {"a", "b", 0.2, 0.005 / 0.2, 0},
                {"base", "c", 0.5, 0, 0},
                {"c", "c", 0, 0, 0},
                {"base", "d", 0.6, 0.01 / 0.6, 0.03 / 0.6},
                {"b", "d", 0.2, 0.005 / 0.2, 0}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        perp_pair_law law;
        assert_int_equal(perp_pair_get(w, shape_of(w, pair[i].a, 0).material, shape_of(w, pair[i].b, 0).material, &law),
                         PERP_OK);
        assert_near(law.mu, pair[i].mu, 0);
        assert_near(law.e_r, pair[i].e_r, 1e-15);
        assert_near(law.e_roll, pair[i].e_roll, 1e-15);
    }
    perp_scene_close(s);
}

/* ---- shapes ---- */

static void an_empty_colour_is_none(void **state) {
    (void)state;
    perp_scene *s = world_of("m.xml", "<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1' rgba=' '/></body>"
                                      "<body name='b' pos='1 0 0'><freejoint/><geom size='0.1' rgba='1 0 0'/></body>"
                                      "</worldbody></mujoco>");
    assert_int_equal(shape_of(perp_scene_world(s), "a", 0).colour, 0);
    assert_true(shape_of(perp_scene_world(s), "b", 0).colour != 0);
    perp_scene_close(s);
}

static void capsules_lie_along_z(void **state) {
    (void)state;
    perp_scene *s =
        world_of("m.xml", "<mujoco><worldbody><body name='a'><freejoint/><geom type='capsule' size='0.1 0.3'/>"
                          "<geom type='capsule' size='0.1' fromto='1 2 3 1 4 3'/></body></worldbody></mujoco>");
    const perp_world *w = perp_scene_world(s);
    perp_shape_def d = shape_of(w, "a", 0), e = shape_of(w, "a", 1);
    perp_vec3 along = perp_q_rotate(d.X_BS.q, perp_v3(1, 0, 0));
    assert_at(along, 0, 0, 1, 1e-15);
    assert_near(d.half_length, 0.3, 0);
    along = perp_q_rotate(e.X_BS.q, perp_v3(1, 0, 0));
    assert_near(fabs(along.y), 1, 1e-15);
    assert_near(e.half_length, 1, 1e-15);
    perp_body_def b = body_of(w, "a");
    assert_at(perp_v3_add(b.X_WB.p, e.X_BS.p), 1, 3, 3, 1e-14);
    perp_scene_close(s);
}

static void primitives_are_fitted_to_meshes(void **state) {
    (void)state; /* a box of 0.2 x 0.4 x 0.6 at (1, 0, 0), longest edge along x */
    perp_scene *s = world_of(
        "m.xml", "<mujoco><asset><mesh name='m' vertex='0.7 -0.1 -0.2  1.3 -0.1 -0.2  0.7 0.1 -0.2  1.3 0.1 -0.2  "
                 "0.7 -0.1 0.2  1.3 -0.1 0.2  0.7 0.1 0.2  1.3 0.1 0.2'/></asset>"
                 "<worldbody><body name='a'><freejoint/><geom type='box' mesh='m'/></body></worldbody></mujoco>");
    const perp_world *w = perp_scene_world(s);
    perp_shape_def d = shape_of(w, "a", 0);
    assert_int_equal(d.kind, PERP_SHAPE_BOX);
    assert_at(d.half_size, 0.1, 0.2, 0.3, 1e-14);
    assert_at(body_of(w, "a").X_WB.p, 1, 0, 0, 1e-14);
    perp_vec3 z = perp_q_rotate(d.X_BS.q, perp_v3(0, 0, 1));
    assert_near(fabs(z.x), 1, 1e-14);
    perp_scene_close(s);
}

static void two_hinges_are_universal_only_if_they_cross_at_right_angles(void **state) {
    (void)state;
    static const char *const text = "<mujoco><worldbody><body name='a'><joint axis='%s'/><joint axis='0 1 0' pos='%s'/>"
                                    "<geom size='0.1'/></body></worldbody></mujoco>";
    static const struct {
        const char *axis, *pos;
        bool good;
    } trial[] = {
        {"1 0 0", "0 0 0", true}, {"1 0 0", "0 3 0", true}, {"1 1 0", "0 0 0", false}, {"1 0 0", "0 0 0.1", false}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        char file[400];
        perp_import *m;
        perp_refusal why;
        (void)snprintf(file, sizeof file, text, trial[i].axis, trial[i].pos);
        put("m.xml", file);
        assert_int_equal(perp_import_open("m.xml", NULL, &m, &why), PERP_OK);
        assert_int_equal(strstr(perp_import_scene(m), "type: universal") != NULL, trial[i].good);
        assert_int_equal(noted(m, PERP_IMPORT_APPROXIMATED, "joints in a row"), !trial[i].good);
        perp_import_close(m);
    }
    (void)unlink("m.xml");
}

/* Points on a sphere: the error that is stated is the distance of the farthest point from the reduced hull, which a sphere bounds. */
static void hulls_are_reduced_with_their_error(void **state) {
    (void)state;
    FILE *f = fopen("ball.obj", "w");
    assert_non_null(f);
    int n = 40;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double a = 3.141592653589793 * (i + 0.5) / n, b = 6.283185307179586 * k / n;
            (void)fprintf(f, "v %.15g %.15g %.15g\n", sin(a) * cos(b), sin(a) * sin(b), cos(a));
        }
    for (int i = 0; i + 1 < n; i++)
        for (int k = 0; k < n; k++)
            (void)fprintf(f, "f %d %d %d\n", i * n + k + 1, i * n + (k + 1) % n + 1, (i + 1) * n + k + 1);
    assert_int_equal(fclose(f), 0);
    put("m.urdf", "<robot name='r'><link name='a'><collision><geometry><mesh "
                  "filename='ball.obj'/></geometry></collision></link></robot>");
    double before = 1;
    const int corners[] = {16, 64, 256};
    for (int i = 0; i < 3; i++) {
        perp_import_options o = {.corners = corners[i]};
        perp_import *m = opened("m.urdf", &o);
        int got = 0;
        double error = -1;
        for (int k = 0; k < perp_import_note_count(m); k++) {
            const char *at = strstr(perp_import_note_at(m, k).text, "hull with ");
            if (at) assert_int_equal(sscanf(at, "hull with %d corners, at most %lf", &got, &error), 2);
        }
        assert_true(got <= corners[i] && got > corners[i] / 2);
        if (!(error > 0 && error < before / 2)) fail_msg("%d corners: error %g after %g", got, error, before);
        assert_below(error, 16.0 / corners[i]); /* of N corners on a unit sphere the error is near 4/N */
        before = error;
        perp_import_close(m);
    }
    (void)unlink("m.urdf");
    (void)unlink("ball.obj");
}

/* ---- COLLADA ---- */

#define GEOMETRY                                                                                                   \
    "<library_geometries><geometry id='g'><mesh><source id='s'><float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array>" \
    "<technique_common><accessor stride='3'/></technique_common></source>"                                         \
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"                                         \
    "<polylist count='4'><input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#n' "   \
    "offset='1'/>"                                                                                                 \
    "<vcount>3 3 3 3</vcount><p>0 0 2 0 1 0  0 0 1 0 3 0  0 0 3 0 2 0  1 0 2 0 3 "                                 \
    "0</p></polylist></mesh></geometry></library_geometries>"

static void collada_has_units_and_transforms(void **state) {
    (void)state;
    static const char *const text =
        "<COLLADA><asset><unit meter='0.01'/><up_axis>Y_UP</up_axis></asset>" GEOMETRY
        "<library_visual_scenes><visual_scene id='w'><node><translate>1 2 3</translate><rotate>0 0 1 90</rotate>"
        "<node><scale>2 1 1</scale><instance_geometry url='#g'/></node></node></visual_scene></library_visual_scenes>"
        "<scene><instance_visual_scene url='#w'/></scene></COLLADA>";
    pp_mesh m;
    perp_refusal why;
    const perp_allocator a = {0};
    if (pp_mesh_read(&a, "m.dae", text, strlen(text), &m, &why)) fail_msg("%s", why.text);
    assert_int_equal(m.nvertex, 4);
    assert_int_equal(m.nface, 4);
    assert_at(m.vertex[0], 0.01, 0.02, 0.03, 1e-15);
    assert_at(m.vertex[1], 0, 0.02, 0.03, 1e-15);    /* (0, 1, 0), turned to -x */
    assert_at(m.vertex[2], 0.01, 0.04, 0.03, 1e-15); /* (1, 0, 0), stretched, turned to y */
    pp_mesh_free(&m);
}

static void collada_nodes_in_a_ring_end(void **state) {
    (void)state;
    static const char *const text =
        "<COLLADA>" GEOMETRY "<library_visual_scenes><visual_scene id='w'><node id='n'><instance_node url='#n'/>"
        "</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url='#w'/></scene></COLLADA>";
    pp_mesh m;
    perp_refusal why;
    const perp_allocator a = {0};
    assert_int_equal(pp_mesh_read(&a, "m.dae", text, strlen(text), &m, &why), PERP_E_ARG);
    assert_non_null(strstr(why.text, "found nodes that are nested too deep or instanced too often"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_of_type_1_0_stand_on_floors_of_1_1),
        cmocka_unit_test(parents_do_not_touch_children_unless_they_are_fixed),
        cmocka_unit_test(excludes_of_both_sides_of_a_fixed_frame_are_told_apart),
        cmocka_unit_test(explicit_pairs_touch_and_have_their_own_friction),
        cmocka_unit_test(bodies_without_joints_are_part_of_their_parent),
        cmocka_unit_test(joints_and_shapes_are_in_the_frame_of_the_model),
        cmocka_unit_test(a_body_between_two_joints_may_have_no_mass),
        cmocka_unit_test(angles_are_degrees_unless_told_and_ref_shifts_the_zero),
        cmocka_unit_test(autolimits_can_be_off),
        cmocka_unit_test(a_model_out_of_its_limits_starts_at_them),
        cmocka_unit_test(keyframes_say_where_it_starts),
        cmocka_unit_test(mimics_follow_exactly),
        cmocka_unit_test(friction_is_the_larger_or_that_of_higher_priority),
        cmocka_unit_test(an_empty_colour_is_none),
        cmocka_unit_test(capsules_lie_along_z),
        cmocka_unit_test(primitives_are_fitted_to_meshes),
        cmocka_unit_test(two_hinges_are_universal_only_if_they_cross_at_right_angles),
        cmocka_unit_test(hulls_are_reduced_with_their_error),
        cmocka_unit_test(collada_has_units_and_transforms),
        cmocka_unit_test(collada_nodes_in_a_ring_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
