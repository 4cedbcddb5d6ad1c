/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_models.c - whole robot models: written and read back, within scenes, their sensors, long chains, memory that fails. */
#include <time.h>

#include "fault/allocator.h"
#include "perp/actuator.h"
#include "perp/joint_space.h"
#include "perp/sensor.h"
#include "robot/model_help.h"

/* ---- the whole ---- */

/* The scene that is written reads back to the same world; and so does the world written by perp. */
static void scenes_of_models_read_back(void **state) {
    (void)state;
    static const char *const model[] = {"arm.urdf", "quadruped.xml", "hand.xml", "arm.sdf", "yard.sdf"};
    for (int i = 0; i < 5; i++) {
        char path[600];
        perp_scene *s, *again;
        perp_refusal why;
        (void)snprintf(path, sizeof path, "%s/../scenes/robots/%s", PERP_TEST_DIR, model[i]);
        if (perp_scene_open(path, NULL, &s, &why)) fail_msg("%s", why.text);
        perp_import *m = opened(path, NULL);
        perp_source_file file = {"m.yaml", perp_import_scene(m), strlen(perp_import_scene(m))};
        perp_scene_options o = {.file = &file, .nfile = 1};
        if (perp_scene_open("m.yaml", &o, &again, &why)) fail_msg("%s", why.text);
        assert_below(perp_world_joint_error(perp_scene_world(s)), 1e-14);
        assert_true(perp_world_hash(perp_scene_world(s)) == perp_world_hash(perp_scene_world(again)));
        perp_scene_close(again);
        (void)unlink("written.yaml");
        if (perp_world_write_scene(perp_scene_world(s), "written.yaml", NULL, &why)) fail_msg("%s", why.text);
        if (perp_scene_open("written.yaml", NULL, &again, &why)) fail_msg("%s", why.text);
        for (int k = 0; k < 5; k++) {
            assert_int_equal(perp_world_step(perp_scene_world(s), NULL), PERP_OK);
            assert_int_equal(perp_world_step(perp_scene_world(again), NULL), PERP_OK);
        }
        assert_true(perp_world_hash(perp_scene_world(s)) == perp_world_hash(perp_scene_world(again)));
        perp_scene_close(again);
        (void)unlink("written.yaml");
        perp_import_close(m);
        perp_scene_close(s);
    }
}

/* Memory that is refused at the k-th call: a status, and nothing is left behind. */
static void memory_may_fail_anywhere(void **state) {
    char path[600];
    (void)snprintf(path, sizeof path, "%s/../scenes/robots/%s", PERP_TEST_DIR, (const char *)*state);
    bool done = false;
    for (long k = 0; !done; k += 1 + k / 8) {
        counter c = {.refuse = k};
        perp_import_options o = {.alloc = counting(&c)};
        perp_import *m;
        perp_refusal why;
        perp_status s = perp_import_open(path, &o, &m, &why);
        done = c.refused == 0;
        if (!done) {
            assert_int_equal(s, PERP_E_MEMORY);
            assert_null(m);
            assert_true(why.text[0] != 0);
        } else {
            assert_int_equal(s, PERP_OK);
        }
        perp_import_close(m);
        if (c.live != 0) fail_msg("%ld blocks are left after call %ld was refused", c.live, k);
    }
}

/* ---- sensors ---- */

static const char sensing_arm[] = "<mujoco model='arm'>\n"
                                  "<option timestep='0.002' integrator='implicit'/>\n"
                                  "<worldbody>\n"
                                  "<body name='upper' pos='0 0 1'>\n"
                                  "<joint name='shoulder' axis='0 1 0'/>\n"
                                  "<inertial pos='0.3 0 0' mass='2' diaginertia='0.01 0.05 0.05'/>\n"
                                  "<site name='root'/>\n"
                                  "<body name='lower' pos='0.6 0 0'>\n"
                                  "<joint name='elbow' axis='0 1 0'/>\n"
                                  "<inertial pos='0.2 0 0.05' mass='1' diaginertia='0.005 0.02 0.02'/>\n"
                                  "<site name='wrist' pos='0.1 0 0' euler='0 30 0'/>\n"
                                  "<body name='tool' pos='0.4 0 0'><site name='tip'/></body>\n"
                                  "</body>\n"
                                  "</body>\n"
                                  "</worldbody>\n"
                                  "<actuator>\n"
                                  "<position joint='shoulder' kp='200' kv='20'/>\n"
                                  "<position joint='elbow' kp='200' kv='20'/>\n"
                                  "</actuator>\n"
                                  "<sensor>\n"
                                  "<jointpos name='q' joint='elbow'/>\n"
                                  "<jointvel joint='elbow'/>\n"
                                  "<jointactuatorfrc name='tau' joint='shoulder'/>\n"
                                  "<force name='F' site='wrist'/>\n"
                                  "<torque name='T' site='wrist'/>\n"
                                  "<force name='F0' site='root'/>\n"
                                  "<torque name='T0' site='root'/>\n"
                                  "<accelerometer name='acc' site='wrist'/>\n"
                                  "<gyro name='gyr' site='wrist'/>\n"
                                  "<force name='none' site='tip'/>\n"
                                  "<framepos objtype='site' objname='tip'/>\n"
                                  "</sensor>\n"
                                  "</mujoco>\n";

/* Against MuJoCo 3.14, which reads these numbers of this model after 10 s; what it has no joint for is left out and noted. */
static void sensors_read_as_in_mujoco(void **state) {
    (void)state;
    static const double q = 0.0099723912, tau = -13.738714;
    static const double wrench[4][3] = {
        {-5.5574650, 0, 8.0839769}, {0, -1.0165121, 0}, {-2.0200622, 0, 29.360590}, {0, -13.738714, 0}};
    static const char *const name[4] = {"F", "T", "F0", "T0"};
    perp_scene *s = world_of("sensing.xml", sensing_arm);
    perp_world *w = perp_scene_world(s);
    assert_int_equal(perp_world_sensors(w, NULL, 0), 9);
    for (int i = 0; i < 5000; i++) assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    double x[PERP_SENSOR_MAX_SIZE];
    assert_int_equal(perp_sensor_read(w, perp_sensor_find(w, "q"), x), PERP_OK);
    assert_near(x[0], q, 1e-9);
    assert_int_equal(perp_sensor_read(w, perp_sensor_find(w, "tau"), x), PERP_OK);
    assert_near(x[0], tau, 1e-6);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(perp_sensor_read(w, perp_sensor_find(w, name[i]), x), PERP_OK);
        for (int k = 0; k < 3; k++) assert_near(x[k], wrench[i][k], 1e-6);
    }
    assert_int_equal(perp_sensor_read(w, perp_sensor_find(w, "acc"), x), PERP_OK);
    for (int k = 0; k < 3; k++) assert_near(x[k], wrench[0][k], 1e-6); /* the force on 1 kg */
    perp_scene_close(s);
    put("sensing.xml", sensing_arm);
    perp_import *m = opened("sensing.xml", NULL);
    assert_true(noted(m, PERP_IMPORT_IGNORED, "sensors <framepos>"));
    assert_true(noted(m, PERP_IMPORT_IGNORED, "sensors <force>: their body has no joint to its parent"));
    assert_true(noted(m, PERP_IMPORT_APPROXIMATED, "sensors <jointactuatorfrc>"));
    perp_import_close(m);
    (void)unlink("sensing.xml");
}

/* ---- models within scenes ---- */

#define ROBOTS PERP_TEST_DIR "/../scenes/robots/"

static perp_scene *scene_with(const char *name, const char *text) {
    perp_scene *s;
    perp_refusal why;
    put(name, text);
    if (perp_scene_open(name, &(perp_scene_options){.root = "/"}, &s, &why)) fail_msg("%s", why.text);
    (void)unlink(name);
    return s;
}

static uint64_t hash_after(perp_scene *s, int steps) {
    for (int i = 0; i < steps; i++) assert_int_equal(perp_world_step(perp_scene_world(s), NULL), PERP_OK);
    return perp_world_hash(perp_scene_world(s));
}

/* A model in a scene is the world that the model alone is, to the bit; as it is when the files of the scene are read from memory, and when the
 * world is written as a scene. */
static void models_in_scenes_are_the_models(void **state) {
    (void)state;
    static const char *const model[] = {"arm.urdf", "quadruped.xml", "hand.xml", "arm.sdf", "yard.sdf"};
    for (int i = 0; i < 5; i++) {
        char path[1024], text[2048];
        perp_refusal why;
        perp_scene *alone, *memory, *written;
        (void)snprintf(path, sizeof path, ROBOTS "%s", model[i]);
        if (perp_scene_open(path, NULL, &alone, &why)) fail_msg("%s", why.text);
        (void)snprintf(text, sizeof text, "perp: 1\ndim: 3\nduration: 1\nh: %.17g\nmodels: [{file: %s, name: it}]\n",
                       perp_world_h(perp_scene_world(alone)), path);
        perp_scene *s = scene_with("embedded.yaml", text);
        assert_int_equal(perp_scene_file_count(s), 2);
        perp_source_file file[2] = {perp_scene_file_at(s, 0), perp_scene_file_at(s, 1)};
        if (perp_scene_open(NULL, &(perp_scene_options){.file = file, .nfile = 2}, &memory, &why))
            fail_msg("%s", why.text);
        (void)unlink("embedded-written.yaml");
        if (perp_world_write_scene(perp_scene_world(s), "embedded-written.yaml", NULL, &why)) fail_msg("%s", why.text);
        if (perp_scene_open("embedded-written.yaml", NULL, &written, &why)) fail_msg("%s", why.text);
        (void)unlink("embedded-written.yaml");
        uint64_t h = hash_after(alone, 5);
        assert_true(hash_after(s, 5) == h);
        assert_true(hash_after(memory, 5) == h);
        assert_true(hash_after(written, 5) == h);
        perp_scene_close(alone);
        perp_scene_close(s);
        perp_scene_close(memory);
        perp_scene_close(written);
    }
}

static const char leg[] = "<mujoco><worldbody><body name='base' pos='0 0 1'><freejoint/><geom size='.1' mass='1'/>"
                          "<body name='foot' pos='0.5 0 0'><joint name='ankle' axis='0 1 0'/><geom size='.1' mass='1'/>"
                          "<site name='sole' pos='0.1 0 0'/></body></body><site name='mark' pos='1 0 0'/>"
                          "</worldbody><actuator><motor name='drive' joint='ankle'/></actuator></mujoco>";

/* Two of one model: names with a prefix, poses moved and turned, bases as asked; each touches the other, the scene's own body and not its own parent. */
static void models_are_placed_and_named(void **state) {
    (void)state;
    put("leg.xml", leg);
    perp_scene *s = scene_with("legs.yaml",
                               "perp: 1\ndim: 3\nduration: 1\n"
                               "models:\n"
                               "  - {file: leg.xml, name: a, at: [0, 0, 3], base: fixed}\n"
                               "  - {file: leg.xml, name: b, at: [5, 0, 0], turn: {axis: [0, 0, 1], angle: \"pi/2\"}}\n"
                               "bodies: [{name: ball, at: [9, 9, 9], density: 1, shape: {type: sphere, radius: 1}}]\n");
    (void)unlink("leg.xml");
    const perp_world *w = perp_scene_world(s);
    perp_pose X;
    assert_int_equal(perp_body_pose(w, perp_body_find(w, "a-foot"), &X), PERP_OK);
    assert_near(distance(X.p, perp_v3(0.5, 0, 4)), 0, 1e-15);
    assert_int_equal(perp_body_pose(w, perp_body_find(w, "b-foot"), &X), PERP_OK);
    assert_near(distance(X.p, perp_v3(5, 0.5, 1)), 0, 1e-15);
    assert_int_equal(perp_site_read(w, perp_site_find(w, "b-mark"), &X, NULL, NULL), PERP_OK);
    assert_near(distance(X.p, perp_v3(5, 1, 0)), 0, 1e-15);
    assert_int_equal(perp_site_read(w, perp_site_find(w, "a-sole"), &X, NULL, NULL), PERP_OK);
    assert_near(distance(X.p, perp_v3(0.6, 0, 4)), 0, 1e-15);
    assert_int_equal(body_of(w, "a-base").kind, PERP_BODY_OBSTACLE);
    assert_int_equal(body_of(w, "b-base-2").kind, PERP_BODY_DYNAMIC); /* b-base would be what is fixed */
    assert_true(perp_joint_find(w, "a-ankle").gen && perp_joint_find(w, "b-ankle").gen);
    assert_true(perp_actuator_find(w, "a-drive").gen && perp_actuator_find(w, "b-drive").gen);
    assert_true(may_touch(w, "a-foot", "b-foot") && may_touch(w, "b-foot", "a-foot"));
    assert_true(may_touch(w, "a-foot", "ball") && may_touch(w, "b-base-2", "ball"));
    perp_scene_close(s);
}

/* ---- long chains ---- */

#define LINKS        100
#define MOST_TO_LOAD 0.2 /* [s] of the processor for a model of LINKS links */

/* A chain of links as a model and as the same in the other format. */
static void write_chain(const char *name, bool mjcf) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(mjcf ? "<mujoco><worldbody>" : "<robot name='chain'><link name='l0'/>", f);
    for (int i = 1; i <= LINKS; i++) {
        const char *axis = i % 2 ? "0 1 0" : "0 0 1";
        if (mjcf)
            fprintf(f,
                    "<body name='l%d' pos='.1 0 0'><joint name='j%d' axis='%s'/><geom type='capsule' size='.02' "
                    "fromto='0 0 0 .06 0 0'/>\n",
                    i, i, axis);
        else
            fprintf(f,
                    "<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
                    "izz='1'/></inertial><collision><geometry>"
                    "<cylinder radius='.02' length='.05'/></geometry></collision></link><joint name='j%d' "
                    "type='continuous'>"
                    "<parent link='l%d'/><child link='l%d'/><origin xyz='.1 0 0'/><axis xyz='%s'/></joint>\n",
                    i, i, i - 1, i, axis);
    }
    for (int i = 0; mjcf && i < LINKS; i++) fputs("</body>", f);
    fputs(mjcf ? "</worldbody></mujoco>" : "</robot>", f);
    assert_int_equal(fclose(f), 0);
}

static void a_hundred_links_load_quickly(void **state) {
    (void)state;
    static const char *const name[] = {"chain.urdf", "chain.xml"};
    for (int i = 0; i < 2; i++) {
        perp_scene *s;
        perp_refusal why;
        write_chain(name[i], i == 1);
        clock_t from = clock();
        if (perp_scene_open(name[i], NULL, &s, &why)) fail_msg("%s", why.text);
        double took = (double)(clock() - from) / CLOCKS_PER_SEC;
        (void)unlink(name[i]);
        assert_int_equal(perp_world_body_count(perp_scene_world(s)), LINKS);
        assert_int_equal(perp_world_joints(perp_scene_world(s), NULL, 0), LINKS);
        perp_scene_close(s);
#ifndef PERP_TEST_SHORT /* builds that are slow on purpose */
        assert_below(took, MOST_TO_LOAD);
#else
        (void)took;
#endif
    }
}

int main(void) {
    static char hand[] = "hand.xml", yard[] = "yard.sdf";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensors_read_as_in_mujoco),
        cmocka_unit_test(scenes_of_models_read_back),
        cmocka_unit_test(models_in_scenes_are_the_models),
        cmocka_unit_test(models_are_placed_and_named),
        cmocka_unit_test(a_hundred_links_load_quickly),
        cmocka_unit_test_prestate(memory_may_fail_anywhere, hand),
        cmocka_unit_test_prestate(memory_may_fail_anywhere, yard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
