/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_drive.c - what drives a robot, from model to world: actuators, gravity compensation, loops, keyframes, rows of joints. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "perp/import.h"
#include "perp/perp.h"
#include "perp/scene.h"

static perp_import *import_of(const char *text, const perp_import_options *o) {
    FILE *f = fopen("drive.xml", "w");
    perp_import *m;
    perp_refusal why;
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    if (perp_import_open("drive.xml", o, &m, &why)) fail_msg("%s", why.text);
    (void)unlink("drive.xml");
    return m;
}

static perp_scene *scene_of(const char *text, const perp_import_options *o) {
    perp_import *m = import_of(text, o);
    perp_scene *s;
    perp_refusal why;
    perp_source_file file = {"m.yaml", perp_import_scene(m), strlen(perp_import_scene(m))};
    perp_scene_options so = {.file = &file, .nfile = 1};
    if (perp_scene_open("m.yaml", &so, &s, &why)) fail_msg("%s", why.text);
    perp_import_close(m);
    return s;
}

static perp_joint_space *space_of(perp_world *w) {
    perp_joint_space *s;
    if (perp_world_joint_space(w, NULL, &s)) fail_msg("%s", perp_world_why(w));
    return s;
}

static void run(perp_world *w, double duration) {
    while (perp_world_time(w) < duration - 1e-9)
        if (perp_world_step(w, NULL)) fail_msg("%s", perp_world_why(w));
}

/* A body that hangs on a slide and a hinge along one line, both the other way round than the joint of the scene has them. */
static const char *const skewered =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 0' timestep='1e-6'/>"
    "<default><general gear='2'/><default class='strong'><position kp='50' kv='4' forcerange='-9 9'/></default>"
    "</default><worldbody><body name='a'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    "<joint name='slide' type='slide' axis='0 0 1' ref='0.25' actuatorfrcrange='-3 7'/>"
    "<joint name='turn' axis='0 0 -1' ref='0.5'/></body></worldbody><actuator>%s</actuator></mujoco>";

/* What the joint feels at rest is gear (gain ctrl + b0 + b1 gear q), clipped twice. The coordinate of the scene is the other way round, and has another zero. */
static void forces_are_those_of_the_model(void **state) {
    (void)state;
    static const struct {
        const char *actuator;
        double ctrl, force; /* on the scene's coordinate */
    } trial[] = {
        {"<motor joint='slide'/>", 1.25, 2.5},
        {"<motor joint='slide' gear='4' ctrlrange='-1 1'/>", 5, 4},
        {"<motor joint='slide' gear='4' forcerange='-1 1'/>", 5, 4},
        {"<motor joint='slide' gear='40' />", 5, 7},   /* actuatorfrcrange */
        {"<motor joint='slide' gear='40' />", -5, -3}, /* likewise */
        {"<position class='strong' joint='turn' gear='1'/>", 0.6, -(50 * 0.1)},
        {"<position class='strong' joint='turn' gear='1'/>", 6, -9},
        {"<position class='strong' joint='turn'/>", 1.05, -2 * (50 * 0.05)},
        {"<general joint='turn' gear='3' gainprm='7' biastype='affine' biasprm='1 -20 -3'/>", 0.25,
         -3 * (7 * 0.25 + 1 - 20 * 1.5)},
        {"<general joint='turn' gear='3' gainprm='7' biastype='affine' biasprm='1 0 -3'/>", 0.25, -3 * (7 * 0.25 + 1)},
        {"<general joint='turn' gear='3' gainprm='7' biasprm='1 -20 -3'/>", 0.25, -3 * 7 * 0.25},
        {"<velocity joint='turn' gear='1' kv='6'/>", 0.5, -3}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        char text[1200];
        double force;
        (void)snprintf(text, sizeof text, skewered, trial[i].actuator);
        perp_scene *s = scene_of(text, NULL);
        perp_world *w = perp_scene_world(s);
        perp_actuator_id id;
        assert_int_equal(perp_world_actuators(w, &id, 1), 1);
        assert_int_equal(perp_actuator_set_ctrl(w, id, trial[i].ctrl), PERP_OK);
        if (perp_world_step(w, NULL)) fail_msg("%s", perp_world_why(w));
        assert_int_equal(perp_actuator_force(w, id, &force), PERP_OK);
        if (!(fabs(force - trial[i].force) <= 1e-4 * fabs(trial[i].force)))
            fail_msg("%s: %.9g instead of %.9g", trial[i].actuator, force, trial[i].force);
        perp_scene_close(s);
    }
}

/* Critical damping of a rod about its end: kv = 2 sqrt(kp (I + armature)). */
static void damping_ratios_count_what_hangs_on_the_joint(void **state) {
    (void)state;
    perp_scene *s =
        scene_of("<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0' armature='0.5'/>"
                 "<inertial pos='2 0 0' mass='3' diaginertia='1 0.7 1'/>"
                 "<body name='b' pos='2 0 0'><joint/><inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/>"
                 "</body></body></worldbody>"
                 "<actuator><position name='p' joint='j' kp='40' dampratio='0.5' gear='2'/></actuator></mujoco>",
                 NULL);
    perp_actuator_def d;
    assert_int_equal(perp_actuator_get(perp_scene_world(s), perp_actuator_find(perp_scene_world(s), "p"), &d), PERP_OK);
    double I = 0.5 + 0.7 + 3 * 4 + 1 + 5;
    assert_near(d.kp, 40, 0);
    assert_near(d.kv, 0.5 * 2 * sqrt(40 * I / 4), 1e-12);
    perp_scene_close(s);
}

/* Half of the weight of one of two bodies that are joined: it falls with what is left. */
static void gravity_compensation_is_a_force(void **state) {
    (void)state;
    perp_scene *s = scene_of("<mujoco><worldbody><body name='a'><freejoint/><inertial pos='0 0 0' mass='3' "
                             "diaginertia='1 1 1'/><body pos='1 0 0' gravcomp='0.5'><inertial pos='-1 0 0' mass='2' "
                             "diaginertia='1 1 1'/></body></body></worldbody></mujoco>",
                             NULL);
    perp_world *w = perp_scene_world(s);
    perp_body_def d;
    run(w, 0.5);
    assert_int_equal(perp_body_get(w, perp_body_find(w, "a"), &d), PERP_OK);
    assert_near(d.X_WB.p.z, -0.5 * 9.81 * (4.0 / 5) * 0.25, 1e-9);
    perp_scene_close(s);
}

/* Sites of a connect that are apart by what six digits leave become one point; those that are further apart are meant so. */
static void sites_apart_by_rounding(void **state) {
    (void)state;
    static const struct {
        const char *x;
        double apart;
    } trial[] = {{"1", 0}, {"1.0000002", 2e-7}, {"1.001", 1e-3}};
    for (int i = 0; i < 3; i++) {
        char text[900];
        (void)snprintf(text, sizeof text,
                       "<mujoco><default><geom size='0.05' contype='0' conaffinity='0'/></default><worldbody>"
                       "<body name='left'><joint axis='0 1 0'/><geom pos='0 0 -0.5'/>"
                       "<body name='bar' pos='0 0 -1'><joint axis='0 1 0'/><geom pos='0.5 0 0'/><site name='tip' "
                       "pos='%s 0 0'/></body></body>"
                       "<body name='right' pos='1 0 0'><joint axis='0 1 0'/><geom pos='0 0 -0.5'/><site name='end' "
                       "pos='0 0 -1'/></body>"
                       "</worldbody><equality><connect site1='tip' site2='end'/></equality></mujoco>",
                       trial[i].x);
        perp_scene *s = scene_of(text, NULL);
        double error = perp_world_joint_error(perp_scene_world(s));
        assert_near(error, i == 2 ? trial[i].apart : 0, 1e-15);
        perp_scene_close(s);
        perp_import *m = import_of(text, NULL);
        int told = 0;
        for (int k = 0; k < perp_import_note_count(m); k++)
            told += strstr(perp_import_note_at(m, k).text, "tip and end are 2e-07 apart") != NULL;
        assert_int_equal(told, i == 1);
        perp_import_close(m);
    }
}

/* A parallelogram: its coupler stays level, as connect holds its free end. Welded to the world, a body stays where it is. */
static void connect_and_weld_close_loops(void **state) {
    (void)state;
    perp_scene *s =
        scene_of("<mujoco><default><geom size='0.05' contype='0' conaffinity='0'/></default><worldbody>"
                 "<body name='left'><joint name='l' axis='0 1 0'/><geom pos='0 0 -0.5'/>"
                 "<body name='bar' pos='0 0 -1'><joint name='b' axis='0 1 0'/><geom pos='0.5 0 0'/></body></body>"
                 "<body name='right' pos='1 0 0'><joint name='r' axis='0 1 0'/><geom pos='0 0 -0.5'/></body>"
                 "<body name='held' pos='0 5 0'><freejoint/><geom/></body></worldbody>"
                 "<equality><connect body1='bar' body2='right' anchor='1 0 0'/><weld body1='held'/>"
                 "<connect body1='bar' anchor='9 9 9' active='false'/></equality></mujoco>",
                 NULL);
    perp_world *w = perp_scene_world(s);
    perp_joint_id loop[2];
    perp_joint_space *space = space_of(w);
    assert_int_equal(perp_joint_space_nloop(space), 1);
    loop[0] = perp_joint_space_loop(space, 0);
    assert_true(loop[0].gen != 0);
    double q[3] = {0.5, -0.5, 0.5}, v[3] = {0};
    assert_int_equal(perp_joint_space_nq(space), 3);
    if (perp_joint_space_set(space, w, q, v, 1e-12)) fail_msg("%s", perp_world_why(w));
    double e0[2], e1[2];
    perp_world_energy(w, &e0[0], &e0[1], NULL);
    run(w, 0.7);
    perp_world_energy(w, &e1[0], &e1[1], NULL);
    assert_int_equal(perp_joint_space_get(space, w, q, v), PERP_OK);
    assert_near(q[0], q[2], 1e-9);
    assert_near(q[0], -q[1], 1e-9);
    assert_true(q[0] < 0); /* it swung through */
    assert_near(e0[0] + e0[1], e1[0] + e1[1], 1e-3 * fabs(e0[1] - e1[1]) + 1e-4);
    assert_below(perp_world_joint_error(w), 1e-9);
    perp_body_def d;
    assert_int_equal(perp_body_get(w, perp_body_find(w, "held"), &d), PERP_OK);
    assert_near(d.X_WB.p.z, 0, 1e-9);
    perp_joint_space_free(space);
    perp_scene_close(s);
}

/* Of a joint with the axis reversed, one with a reference, a slide, and one in a row of joints on its body: the laws hold in the coordinates of
 * the model. */
static void equalities_of_joints_hold(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        "<mujoco><compiler angle='radian'/><default><geom size='0.05' contype='0' conaffinity='0'/></default>"
        "<worldbody><body name='a'><joint name='a' axis='0 -1 0' ref='0.2'/><geom pos='0.5 0 0'/></body>"
        "<body name='b' pos='0 1 0'><joint name='b' axis='0 1 0' ref='-0.1'/><geom pos='0.3 0 0'/></body>"
        "<body name='c' pos='0 2 0'><joint name='c' type='slide' axis='0 0 1'/><geom/></body>"
        "<body name='d' pos='0 3 0'><joint name='d0' axis='1 0 0' pos='0 0 0.1'/><joint name='d1' axis='1 1 "
        "0'/><geom pos='0 0 -0.2'/></body><body name='e' pos='0 4 0'><joint name='e0' axis='1 0 0' ref='0.3'/><joint "
        "name='e1' axis='0 1 0' ref='0.4'/><geom pos='0 0 -0.2'/></body></worldbody>"
        "<tendon><fixed name='t'><joint joint='a' coef='2'/><joint joint='b' coef='-1'/></fixed>"
        "<fixed name='u'><joint joint='d1' coef='3'/></fixed></tendon>"
        "<equality><joint joint1='b' joint2='a' polycoef='0.05 0.5 0.3 0.2 -0.1'/>"
        "<joint joint1='c' joint2='b' polycoef='0 -0.4'/><tendon tendon1='u' tendon2='t' polycoef='0 0.5'/>"
        "<joint joint1='d0' polycoef='0.07'/><joint joint1='e1' joint2='a' polycoef='0 0.5 0.2'/></equality></mujoco>",
        NULL);
    perp_world *w = perp_scene_world(s);
    perp_joint_space *space = space_of(w);
    double q[7], v[7];
    assert_int_equal(perp_joint_space_nq(space), 7);
    for (int i = 0; i < 4; i++) {
        if (i) run(w, 0.2 * i);
        assert_int_equal(perp_joint_space_get(space, w, q, v), PERP_OK);
        double x = q[0] - 0.2;
        assert_near(q[1], -0.1 + 0.05 + x * (0.5 + x * (0.3 + x * (0.2 - 0.1 * x))), 1e-12);
        assert_near(q[2], -0.4 * (q[1] + 0.1), 1e-12);
        assert_near(q[3], 0.07, 1e-12);
        assert_near(q[6], x * (0.5 + 0.2 * x), 1e-12); /* of a universal joint, counted from the reference */
        if (i > 0) assert_near(3 * q[4], 0.5 * (2 * x - (q[1] + 0.1)), 1e-12);
    }
    assert_true(fabs(q[0] - 0.2) > 0.1);
    assert_below(perp_world_joint_error(w), 1e-12);
    perp_joint_space_free(space);
    perp_scene_close(s);
}

/* A servo, a spring and a limit on lengths of tendons, as MuJoCo has them: at rest forces are coefficients times tension. */
/* Hips: three hinges through one point keep their servos and limits. Only hinges that nothing acts on are a ball joint. */
static void three_hinges_keep_what_acts_on_them(void **state) {
    (void)state;
    static const char hip[] =
        "<mujoco><compiler angle='radian' autolimits='true'/><worldbody><body name='thigh' pos='0 0 1'>"
        "<joint name='yaw' axis='0 0 1'/><joint name='roll' axis='1 0 0'/><joint name='pitch' axis='0 1 0' %s/>"
        "<geom type='capsule' size='0.05' fromto='0 0 0 0 0 0.4' contype='0' "
        "conaffinity='0'/></body></worldbody>%s</mujoco>";
    char text[1000];
    (void)snprintf(text, sizeof text, hip, "",
                   "<actuator><position joint='yaw' kp='400' kv='40'/><position joint='roll' kp='400' kv='40'/>"
                   "<position joint='pitch' kp='400' kv='40'/></actuator>");
    perp_scene *s = scene_of(text, NULL);
    perp_world *w = perp_scene_world(s);
    const double ctrl[3] = {0.5, -0.3, 0.2};
    assert_int_equal(perp_world_actuators(w, NULL, 0), 3);
    if (perp_world_set_ctrl(w, ctrl, 3)) fail_msg("%s", perp_world_why(w));
    run(w, 2);
    perp_joint_space *space = space_of(w);
    double q[3];
    assert_int_equal(perp_joint_space_nq(space), 3);
    assert_int_equal(perp_joint_space_get(space, w, q, NULL), PERP_OK);
    for (int i = 0; i < 3; i++)
        assert_near(q[i], ctrl[i], 0.02); /* it sags by weight x lever / kp, at most 7.4 / 400 */
    perp_joint_space_free(space);
    perp_scene_close(s);
    static const struct {
        const char *pitch;
        int nq;
    } others[] = {{"", 4}, {"range='-1 1'", 3}, {"armature='0.1'", 3}, {"damping='1'", 3}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        (void)snprintf(text, sizeof text, hip, others[i].pitch, "");
        s = scene_of(text, NULL);
        space = space_of(perp_scene_world(s));
        assert_int_equal(perp_joint_space_nq(space), others[i].nq);
        perp_joint_space_free(space);
        perp_scene_close(s);
    }
}

static void tendons_have_springs_limits_and_actuators(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><default><geom size='0.05' contype='0' "
        "conaffinity='0' mass='0.1'/><tendon damping='3'/></default><worldbody>"
        "<body name='a'><joint name='a' type='slide' axis='0 0 -1' ref='0.2' stiffness='30' springref='0.2' "
        "damping='5'/><geom/></body><body name='b' pos='0 1 0'><joint name='b' type='slide' axis='0 0 1' "
        "stiffness='50' "
        "damping='5'/><geom/></body></worldbody><tendon><fixed name='t' stiffness='20' springlength='0.6'><joint "
        "joint='a' coef='1'/><joint joint='b' coef='2'/></fixed><fixed name='stop' range='-1 0.02'><joint joint='b' "
        "coef='1'/></fixed></tendon><actuator><position name='m' tendon='t' kp='100' ctrlrange='-1 1'/></actuator>"
        "</mujoco>",
        NULL);
    perp_world *w = perp_scene_world(s);
    double ctrl = 1;
    assert_int_equal(perp_world_set_ctrl(w, &ctrl, 1), PERP_OK);
    run(w, 8);
    perp_joint_space *space = space_of(w);
    double q[2], v[2];
    assert_int_equal(perp_joint_space_get(space, w, q, v), PERP_OK);
    assert_near(q[1], 0.02, 1e-9); /* at the limit of the second tendon */
    double L = q[0] + 2 * q[1], tension = 20 * (0.6 - L) + 100 * (1 - L);
    assert_near(tension, 30 * (q[0] - 0.2), 1e-6);
    assert_true(2 * tension > 50 * q[1]);
    perp_joint_space_free(space);
    perp_scene_close(s);
}

/* A world that is put into a keyframe stands as one that was imported to start from it. */
static void keyframes_of_the_scene_are_those_of_the_model(void **state) {
    (void)state;
    static const char *const text =
        "<mujoco><compiler angle='radian'/><default><geom size='0.1' contype='0' conaffinity='0'/></default><worldbody>"
        "<body name='a' pos='0 0 1'><freejoint/><geom pos='0.3 0 0'/>"
        "<body name='b' pos='1 0 0' euler='0.3 0.2 0.1'><joint name='s' type='slide' axis='0 0 1' ref='0.1'/>"
        "<joint name='j' axis='0 0 -1' ref='0.4'/><geom pos='1 0 0'/>"
        "<body name='c' pos='2 0 0' euler='0 0.5 0'><joint type='ball' pos='0.1 0 0' axis='1 1 0'/><geom pos='1 0 0'/>"
        "<body name='d'><joint axis='1 0 0'/><joint axis='0 1 0' pos='0 0 0.5'/><joint axis='1 1 1' type='slide'/>"
        "<geom pos='0 0 1'/></body></body></body></body></worldbody>"
        "<actuator><motor name='m' joint='j'/></actuator><keyframe><key name='home' qpos='5 6 7 1 2 3 4 0.7 -0.6 1 0.5 "
        "0 0.2 0.3 -0.4 0.8' qvel='1 2 3 4 5 6 7 8 0.1 0.2 0.3 9 10 11' ctrl='0.75'/></keyframe></mujoco>";
    perp_import_options o = {.key = "home"};
    perp_scene *there = scene_of(text, &o), *here = scene_of(text, NULL);
    perp_world *w = perp_scene_world(here);
    perp_joint_space *space = space_of(w);
    assert_int_equal(perp_joint_space_nq(space), 16);
    if (perp_joint_space_set_keyframe(space, w, perp_keyframe_find(w, "home"))) fail_msg("%s", perp_world_why(w));
    static const char *const body[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) {
        perp_body_def x, y;
        assert_int_equal(perp_body_get(w, perp_body_find(w, body[i]), &x), PERP_OK);
        const perp_world *other = perp_scene_world(there);
        assert_int_equal(perp_body_get(other, perp_body_find(other, body[i]), &y), PERP_OK);
        assert_below(perp_v3_norm(perp_v3_sub(x.X_WB.p, y.X_WB.p)), 1e-13);
        assert_below(perp_v3_norm(perp_q_log(perp_q_mul(x.X_WB.q, perp_q_conj(y.X_WB.q)))), 1e-13);
    }
    perp_body_def a;
    assert_int_equal(perp_body_get(w, perp_body_find(w, "a"), &a), PERP_OK);
    perp_quat q = perp_q_unit((perp_quat){1, 2, 3, 4}); /* the model's frame moves with (1, 2, 3) */
    perp_vec3 omega = perp_q_rotate(q, perp_v3(4, 5, 6)), arm = perp_q_rotate(q, perp_v3(0.3, 0, 0));
    perp_vec3 v = perp_v3_add(perp_v3(1, 2, 3), perp_v3_cross(omega, arm));
    assert_below(perp_v3_norm(perp_v3_sub(a.v_W, v)), 1e-13);
    double ctrl;
    assert_int_equal(perp_world_get_ctrl(w, &ctrl, 1), 1);
    assert_near(ctrl, 0.75, 0);
    assert_int_equal(perp_world_get_ctrl(perp_scene_world(there), &ctrl, 1), 1);
    assert_near(ctrl, 0.75, 0);
    perp_joint_space_free(space);
    perp_scene_close(here);
    perp_scene_close(there);
}

/* Two parallel hinges on one body: a link without mass between them. The mass matrix is that of the limit without mass but for the mass that the body between them
 * has: a thousandth of the whole. */
static void rows_of_joints_have_light_bodies_between_them(void **state) {
    (void)state;
    perp_scene *s = scene_of("<mujoco><option gravity='0 0 0'/><worldbody><geom size='0.05'/>"
                             "<body name='a'><joint name='h' pos='-1 0 0' axis='0 0 1'/><joint name='k' axis='0 0 1'/>"
                             "<inertial pos='0.5 0 0' mass='2' diaginertia='0.1 0.1 0.1'/></body></worldbody></mujoco>",
                             NULL);
    perp_world *w = perp_scene_world(s);
    perp_joint_space *space = space_of(w);
    assert_int_equal(perp_joint_space_nv(space), 2);
    double q[2] = {0.3, 1.1}, M[4], c = cos(1.1);
    if (perp_joint_space_set(space, w, q, NULL, 1e-12)) fail_msg("%s", perp_world_why(w));
    perp_joint_space_mass_matrix(space, M);
    /* two rods: length 1 without mass, then 2 kg at 0.5 */
    assert_near(M[0], 0.1 + 2 * (1 + 0.25 + c), 4e-3 * M[0]);
    assert_near(M[1], 0.1 + 2 * (0.25 + 0.5 * c), 4e-3 * M[0]);
    assert_near(M[3], 0.1 + 2 * 0.25, 4e-3 * M[0]);
    run(w, 0.01);
    assert_below(perp_world_joint_error(w), 1e-9);
    perp_joint_space_free(space);
    perp_scene_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_the_model),
        cmocka_unit_test(damping_ratios_count_what_hangs_on_the_joint),
        cmocka_unit_test(gravity_compensation_is_a_force),
        cmocka_unit_test(connect_and_weld_close_loops),
        cmocka_unit_test(sites_apart_by_rounding),
        cmocka_unit_test(equalities_of_joints_hold),
        cmocka_unit_test(three_hinges_keep_what_acts_on_them),
        cmocka_unit_test(tendons_have_springs_limits_and_actuators),
        cmocka_unit_test(keyframes_of_the_scene_are_those_of_the_model),
        cmocka_unit_test(rows_of_joints_have_light_bodies_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
