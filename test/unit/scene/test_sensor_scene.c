/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_sensor_scene.c - sensors in scenes, in scenes that are written, in recordings and in their series. */
#include <unistd.h>

#include "unit/world_help.h"
#include "unit/scene_text.h"

#define RECORDING "sensor_scene.h5"
#define WRITTEN   "sensor_scene.yaml"

static const char text[] =
    "perp: 1\ndim: 3\nduration: 0.02\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shapes: [{type: halfspace, normal: [0, 0, 1]}]}\n"
    "  - {name: box, at: [0, 0, 0.5], shapes: [{type: box, size: [1, 1, 1]}], density: 2}\n"
    "  - {name: arm, at: [3, 0, 2], mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, b: arm, at: [2.5, 0, 2], axis: [0, 1, 0], motor: {speed: 0}}\n"
    "sites:\n"
    "  - {name: imu, body: box, at: [0.1, 0, 0], turn: {axis: [1, 0, 0], angle: 1}}\n"
    "sensors:\n"
    "  - {name: a, type: accelerometer, site: imu}\n"
    "  - {name: w, type: gyroscope, site: imu}\n"
    "  - {name: tau, type: joint-force, joint: hinge}\n"
    "  - {name: q, type: joint-position, joint: hinge}\n"
    "  - {name: v, type: joint-velocity, joint: hinge}\n"
    "  - {name: push, type: force, a: floor, b: box}\n"
    "  - {name: lift, type: torque, b: arm, joints_only: true, site: imu}\n"
    "  - {name: feel, type: contact-force, b: box, a: floor}\n"
    "  - {name: twist, type: contact-torque, b: box, site: imu}\n";
enum { SENSORS = 9, NUMBERS = 3 + 3 + 1 + 1 + 1 + 3 + 3 + 3 + 3 };

static void same_definitions(const perp_world *a, const perp_world *b) {
    perp_sensor_id x[SENSORS], y[SENSORS];
    assert_int_equal(perp_world_sensors(a, x, SENSORS), SENSORS);
    assert_int_equal(perp_world_sensors(b, y, SENSORS), SENSORS);
    for (int i = 0; i < SENSORS; i++) {
        perp_sensor_def d, e;
        OK(NULL, perp_sensor_get(a, x[i], &d));
        OK(NULL, perp_sensor_get(b, y[i], &e));
        assert_string_equal(d.name, e.name);
        assert_int_equal(d.kind, e.kind);
        assert_int_equal(d.coord, e.coord);
        assert_int_equal(d.joint.slot, e.joint.slot);
        assert_int_equal(d.a.gen, e.a.gen);
        assert_int_equal(d.a.slot, e.a.slot);
        assert_int_equal(d.b.slot, e.b.slot);
        assert_int_equal(d.site.gen, e.site.gen);
        assert_int_equal(d.site.slot, e.site.slot);
        assert_int_equal(d.joints_only, e.joints_only);
    }
}

/* A world with sensors is written as a scene that has them. */
static void written_and_read(void **state) {
    (void)state;
    perp_scene *s = scene_of(text), *again;
    perp_refusal why;
    (void)unlink(WRITTEN);
    if (perp_world_write_scene(perp_scene_world(s), WRITTEN, NULL, &why)) fail_msg("%s", why.text);
    if (perp_scene_open(WRITTEN, NULL, &again, &why)) fail_msg("%s", why.text);
    same_definitions(perp_scene_world(s), perp_scene_world(again));
    go(perp_scene_world(s), 5);
    go(perp_scene_world(again), 5);
    double x[NUMBERS], y[NUMBERS];
    assert_int_equal(perp_world_sensor_data(perp_scene_world(s), x, NUMBERS), NUMBERS);
    assert_int_equal(perp_world_sensor_data(perp_scene_world(again), y, NUMBERS), NUMBERS);
    assert_memory_equal(x, y, sizeof x);
    perp_scene_close(again);
    perp_scene_close(s);
    (void)unlink(WRITTEN);
}

/* The series of a recording are the readings at its frames. */
static void recorded(void **state) {
    (void)state;
    enum { STEPS = 20 };
    static const char *const names[NUMBERS] = {
        "sensor(a).x",       "sensor(a).y",     "sensor(a).z",     "sensor(w).x",    "sensor(w).y",    "sensor(w).z",
        "sensor(tau).value", "sensor(q).value", "sensor(v).value", "sensor(push).x", "sensor(push).y", "sensor(push).z",
        "sensor(lift).x",    "sensor(lift).y",  "sensor(lift).z",  "sensor(feel).x", "sensor(feel).y", "sensor(feel).z",
        "sensor(twist).x",   "sensor(twist).y", "sensor(twist).z"};
    double now[STEPS + 1][NUMBERS], x[STEPS + 1];
    perp_scene *s = scene_of(text);
    perp_world *w = perp_scene_world(s);
    perp_recorder *to;
    perp_refusal why;
    perp_certificate c;
    (void)unlink(RECORDING);
    if (perp_recorder_create(RECORDING, s, NULL, &to, &why)) fail_msg("%s", why.text);
    (void)perp_world_sensor_data(w, now[0], NUMBERS);
    for (int i = 1; i <= STEPS; i++) {
        OK(w, perp_world_step(w, &c));
        if (perp_recorder_step(to, &c, &why)) fail_msg("%s", why.text);
        (void)perp_world_sensor_data(w, now[i], NUMBERS);
    }
    if (perp_recorder_close(to, true, &why)) fail_msg("%s", why.text);
    perp_scene_close(s);
    perp_recording *r;
    if (perp_recording_open(RECORDING, &r, &why)) fail_msg("%s", why.text);
    assert_int_equal(perp_recording_about(r)->nsensor, SENSORS);
    assert_string_equal(perp_recording_sensor(r, 2).name, "tau");
    assert_int_equal(perp_recording_sensor(r, 2).kind, PERP_SENSOR_JOINT_FORCE);
    assert_string_equal(perp_recording_unit(r, "sensor(a).x"), "L/T^2");
    assert_string_equal(perp_recording_unit(r, "sensor(q).value"), "rad");
    int listed = 0;
    for (int i = 0; perp_recording_series_name(r, i); i++)
        listed += strncmp(perp_recording_series_name(r, i), "sensor(", 7) == 0;
    assert_int_equal(listed, NUMBERS);
    for (int k = 0; k < NUMBERS; k++) {
        if (perp_recording_series(r, names[k], x, &why)) fail_msg("%s", why.text);
        for (int i = 0; i <= STEPS; i++) NEAR(x[i], now[i][k], 0);
    }
    assert_int_equal(perp_recording_series(r, "sensor(a).value", x, &why), PERP_E_NAME);
    perp_recording_close(r);
    (void)unlink(RECORDING);
}

static void refuses(const char *entry, const char *says) {
    char words[sizeof text + 200];
    perp_scene *s;
    perp_refusal why = {0};
    (void)snprintf(words, sizeof words, "%s  - %s\n", text, entry);
    assert_int_equal(open_text(words, &s, &why), PERP_E_ARG);
    if (!strstr(why.text, says)) fail_msg("says \"%s\", not \"%s\"", why.text, says);
}

static void refused(void **state) {
    (void)state;
    refuses("{name: a, type: gyroscope, site: imu}",
            "sensors[9].name: found \"a\"; allowed: a name that no other sensor has");
    refuses("{name: z, type: gyroscope, site: imo}", "sensors[9].site: found \"imo\"; allowed: the name of a site");
    refuses("{name: z, type: gyroscope}", "sensors[9]: found no key `site`");
    refuses("{name: z, type: force, a: box, b: box}", "bodies a and b of the sensor are the same");
    refuses("{name: z, type: contact-force, a: world, b: box}", "sensors[9].a: found");
    refuses("{name: z, type: joint-force, joint: hinge, coordinate: 1}", "sensors[9].coordinate: found 1; allowed: 0");
    refuses("{name: z, type: thermometer}", "sensors[9].type: found \"thermometer\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_and_read), cmocka_unit_test(recorded),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
