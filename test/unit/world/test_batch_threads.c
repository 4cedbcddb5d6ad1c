/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Batches: the same bits for any number of threads, status for each world, masks, inputs. Run under the thread sanitizer. */
#include "check.h"

#include <string.h>

#define N 9

/* A tower whose top ball is pushed, differently in each world. */
typedef struct pushed {
    scene s;
    perp_body_id top;
    perp_batch *b;
} pushed;

static pushed begin(int threads) {
    pushed p = {.s = scene_tower(world_def(3, 1e-2, PERP_START_PLAIN), 5, 0.05, 0.5)};
    perp_body_id id[16];
    int n = perp_world_bodies(p.s.w, id, 16);
    p.top = id[n - 1];
    perp_input in[2] = {{.kind = PERP_INPUT_FORCE, .body = p.top, .part = 0},
                        {.kind = PERP_INPUT_FORCE, .body = p.top, .part = 4}};
    perp_batch_def d = perp_batch_def_default(N);
    d.threads = threads;
    d.input = in;
    d.ninput = 2;
    char why[200] = "";
    assert_int_equal(perp_batch_create(p.s.w, &d, &p.b, why, sizeof why), PERP_OK);
    assert_int_equal(perp_batch_threads(p.b), threads);
    return p;
}

static void end(pushed *p) {
    perp_batch_destroy(p->b);
    scene_end(&p->s);
}

static void push(const pushed *p) {
    perp_batch_view v = perp_batch_look(p->b);
    for (int i = 0; i < N; i++) {
        v.input[2 * i] = 0.01 * i;
        v.input[2 * i + 1] = -1e-4 * i;
    }
}

static void run(int threads, uint64_t hash[N]) {
    pushed p = begin(threads);
    perp_status st[N];
    perp_certificate c[N];
    push(&p);
    for (int k = 0; k < 10; k++) {
        assert_int_equal(perp_batch_step(p.b, 3, NULL, st, c), PERP_OK);
        for (int i = 0; i < N; i++) assert_int_equal(st[i], PERP_OK);
    }
    perp_batch_view v = perp_batch_look(p.b);
    for (int i = 0; i < N; i++) {
        hash[i] = perp_world_hash(perp_batch_world(p.b, i));
        perp_pose X;
        assert_int_equal(perp_body_pose(perp_batch_world(p.b, i), p.top, &X), PERP_OK);
        assert_memory_equal(v.pose + 7 * (i * v.nslot + (int)p.top.slot), &X, sizeof X);
        assert_true(v.time[i] == perp_world_time(perp_batch_world(p.b, i)));
        double q[64], nu[64];
        perp_joint_space *js;
        assert_int_equal(perp_world_joint_space(perp_batch_world(p.b, i), NULL, &js), PERP_OK);
        assert_int_equal(v.nq, 7 * 5);
        assert_int_equal(v.nv, 6 * 5);
        assert_int_equal(perp_joint_space_get(js, perp_batch_world(p.b, i), q, nu), PERP_OK);
        assert_memory_equal(v.q + i * v.nq, q, sizeof *q * (size_t)v.nq);
        assert_memory_equal(v.v + i * v.nv, nu, sizeof *nu * (size_t)v.nv);
        perp_joint_space_free(js);
        assert_true(c[i].law.normal >= 0 && c[i].substeps >= 3);
    }
    end(&p);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    uint64_t one[N], other[N];
    run(1, one);
    for (int threads = 2; threads <= 7; threads += 5) {
        run(threads, other);
        assert_memory_equal(one, other, sizeof one);
    }
    for (int i = 1; i < N; i++) assert_true(one[i] != one[0]); /* they were pushed differently */
}

/* A world of the batch, and the model pushed alike, go the same way. */
static void as_a_world_alone(void **state) {
    (void)state;
    pushed p = begin(2);
    push(&p);
    assert_int_equal(perp_batch_step(p.b, 20, NULL, NULL, NULL), PERP_OK);
    assert_int_equal(perp_body_set_force(p.s.w, p.top, perp_v3(0.01 * 4, 0, 0), perp_v3(0, -1e-4 * 4, 0)), PERP_OK);
    for (int k = 0; k < 20; k++) assert_int_equal(perp_world_step(p.s.w, NULL), PERP_OK);
    assert_true(perp_world_hash(p.s.w) == perp_world_hash(perp_batch_world(p.b, 4)));
    end(&p);
}

static void masks_and_resets(void **state) {
    (void)state;
    pushed p = begin(3);
    perp_status st[N];
    bool odd[N], even[N];
    for (int i = 0; i < N; i++) even[i] = !(odd[i] = i % 2 == 1);
    uint64_t start = perp_world_hash(p.s.w);
    push(&p);
    assert_int_equal(perp_batch_step(p.b, 4, odd, st, NULL), PERP_OK);
    for (int i = 0; i < N; i++) {
        bool moved = perp_world_hash(perp_batch_world(p.b, i)) != start;
        assert_int_equal(moved, odd[i]);
        assert_int_equal(st[i], PERP_OK);
    }
    assert_int_equal(perp_batch_reset(p.b, even), PERP_OK); /* those have not moved: their inputs go back */
    perp_batch_view v = perp_batch_look(p.b);
    assert_true(v.input[2 * 2] == 0 && v.input[2 * 3] != 0);
    assert_int_equal(perp_batch_reset(p.b, NULL), PERP_OK);
    for (int i = 0; i < N; i++) {
        assert_true(perp_world_hash(perp_batch_world(p.b, i)) == start);
        assert_true(v.time[i] == 0 && v.input[2 * i] == 0);
    }
    /* from there the same again: the force that was there has left nothing */
    uint64_t first[N], second[N];
    push(&p);
    assert_int_equal(perp_batch_step(p.b, 10, NULL, NULL, NULL), PERP_OK);
    for (int i = 0; i < N; i++) first[i] = perp_world_hash(perp_batch_world(p.b, i));
    assert_int_equal(perp_batch_reset(p.b, NULL), PERP_OK);
    push(&p);
    assert_int_equal(perp_batch_step(p.b, 10, NULL, NULL, NULL), PERP_OK);
    for (int i = 0; i < N; i++) second[i] = perp_world_hash(perp_batch_world(p.b, i));
    assert_memory_equal(first, second, sizeof first);
    end(&p);
}

static void refusals(void **state) {
    (void)state;
    pushed p = begin(2);
    perp_status st[N];
    perp_batch_view v = perp_batch_look(p.b);
    uint64_t start = perp_world_hash(p.s.w);
    v.input[2 * 5] = NAN;
    assert_int_equal(perp_batch_step(p.b, 2, NULL, st, NULL), PERP_OK);
    for (int i = 0; i < N; i++) {
        assert_int_equal(st[i], i == 5 ? PERP_E_ARG : PERP_OK);
        assert_int_equal(perp_world_hash(perp_batch_world(p.b, i)) == start, i == 5);
    }
    assert_int_equal(perp_batch_step(p.b, -1, NULL, st, NULL), PERP_E_ARG);
    assert_null(perp_batch_world(p.b, N));
    assert_null(perp_batch_world(p.b, -1));
    perp_batch *none = p.b;
    char why[200] = "";
    perp_batch_def d = perp_batch_def_default(0);
    assert_int_equal(perp_batch_create(p.s.w, &d, &none, why, sizeof why), PERP_E_ARG);
    assert_null(none);
    assert_string_equal(why, "found 0 worlds; allowed: 1 to 1000000");
    d = perp_batch_def_default(2);
    perp_input bad = {.kind = PERP_INPUT_TARGET};
    d.input = &bad;
    d.ninput = 1;
    assert_int_equal(perp_batch_create(p.s.w, &d, &none, why, sizeof why), PERP_E_ARG);
    assert_non_null(strstr(why, "input 0"));
    end(&p);
}

/* ctrl of the worlds: as if it had been set in each; a reset undoes it; a value that is not finite stops only its own world. */
static void ctrl_of_each_world(void **state) {
    (void)state;
    perp_world_def wd = world_def(3, 1e-2, PERP_START_STAGGERED);
    perp_world *w, *alone;
    assert_int_equal(perp_world_create(&wd, &w), PERP_OK);
    perp_body_def body = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    perp_actuator_def a = perp_actuator_def_default(PERP_ACTUATOR_POSITION);
    assert_int_equal(perp_body_add(w, &body, &j.b), PERP_OK);
    assert_int_equal(perp_joint_add(w, &j, &a.joint), PERP_OK);
    a.kp = 10;
    a.kv = 1;
    a.ctrl = 0.25;
    assert_int_equal(perp_actuator_add(w, &a, NULL), PERP_OK);
    perp_batch_def d = perp_batch_def_default(N);
    perp_batch *b;
    perp_status st[N];
    d.threads = 3;
    assert_int_equal(perp_batch_create(w, &d, &b, NULL, 0), PERP_OK);
    perp_batch_view v = perp_batch_look(b);
    assert_int_equal(v.nctrl, 1);
    for (int round = 0; round < 2; round++) { /* after a reset the same again */
        for (int i = 0; i < N; i++) {
            assert_true(v.ctrl[i] == 0.25);
            v.ctrl[i] = 0.1 * i;
        }
        assert_int_equal(perp_batch_step(b, 5, NULL, st, NULL), PERP_OK);
        assert_int_equal(perp_world_clone(w, &alone), PERP_OK);
        const double four = 0.1 * 4;
        assert_int_equal(perp_world_set_ctrl(alone, &four, 1), PERP_OK);
        for (int k = 0; k < 5; k++) assert_int_equal(perp_world_step(alone, NULL), PERP_OK);
        assert_true(perp_world_hash(alone) == perp_world_hash(perp_batch_world(b, 4)));
        assert_true(perp_world_hash(alone) != perp_world_hash(perp_batch_world(b, 5)));
        perp_world_destroy(alone);
        assert_int_equal(perp_batch_reset(b, NULL), PERP_OK);
    }
    v.ctrl[3] = INFINITY;
    assert_int_equal(perp_batch_step(b, 1, NULL, st, NULL), PERP_OK);
    for (int i = 0; i < N; i++) assert_int_equal(st[i], i == 3 ? PERP_E_ARG : PERP_OK);
    perp_batch_destroy(b);
    perp_world_destroy(w);
}

/* Readings of the sensors of each world are those that the world gives: after creation, steps, a reset, and a change from outside. */
static void sensors_of_each_world(void **state) {
    (void)state;
    perp_world_def wd = world_def(3, 1e-2, PERP_START_PLAIN);
    perp_world *w;
    assert_int_equal(perp_world_create(&wd, &w), PERP_OK);
    perp_body_def body = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    perp_actuator_def a = perp_actuator_def_default(PERP_ACTUATOR_FORCE);
    perp_site_def s = perp_site_def_default();
    assert_int_equal(perp_body_add(w, &body, &j.b), PERP_OK);
    assert_int_equal(perp_joint_add(w, &j, &a.joint), PERP_OK);
    assert_int_equal(perp_actuator_add(w, &a, NULL), PERP_OK);
    s.body = j.b;
    perp_sensor_def gyro = perp_sensor_def_default(PERP_SENSOR_GYROSCOPE),
                    torque = perp_sensor_def_default(PERP_SENSOR_JOINT_FORCE);
    assert_int_equal(perp_site_add(w, &s, &gyro.site), PERP_OK);
    torque.joint = a.joint;
    assert_int_equal(perp_sensor_add(w, &gyro, NULL), PERP_OK);
    assert_int_equal(perp_sensor_add(w, &torque, NULL), PERP_OK);
    perp_batch_def d = perp_batch_def_default(N);
    perp_batch *b;
    d.threads = 3;
    assert_int_equal(perp_batch_create(w, &d, &b, NULL, 0), PERP_OK);
    perp_batch_view v = perp_batch_look(b);
    assert_int_equal(v.nsensed, 4);
    for (int i = 0; i < N; i++) v.ctrl[i] = i;
    assert_int_equal(perp_batch_step(b, 3, NULL, NULL, NULL), PERP_OK);
    for (int i = 0; i < N; i++) {
        double own[4];
        assert_int_equal(perp_world_sensor_data(perp_batch_world(b, i), own, 4), 4);
        assert_memory_equal(v.sensed + 4 * i, own, sizeof own);
        assert_true(fabs(own[2] - 0.03 * i) < 1e-12 && fabs(own[3] - i) < 1e-12); /* inertia 1, torque i, 0.03 s */
    }
    assert_int_equal(perp_body_set_velocity(perp_batch_world(b, 2), j.b, perp_v3(0, 0, 0), perp_v3(0, 0, 5)), PERP_OK);
    assert_int_equal(perp_batch_refresh(b), PERP_OK);
    assert_true(v.sensed[4 * 2 + 2] == 5);
    assert_int_equal(perp_batch_reset(b, NULL), PERP_OK);
    for (int k = 0; k < 4 * N; k++) assert_true(v.sensed[k] == 0);
    perp_batch_destroy(b);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_threads), cmocka_unit_test(as_a_world_alone),
        cmocka_unit_test(masks_and_resets),          cmocka_unit_test(refusals),
        cmocka_unit_test(ctrl_of_each_world),        cmocka_unit_test(sensors_of_each_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
