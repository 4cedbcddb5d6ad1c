/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_shared_scenes.c - scenes that once ran wrong, where a folder with them lies beside the source
 *
 * $PERP_SHARED/data/findings/scenes, or ../shared/data/findings/scenes. Without the folder there is nothing to do, and the test says so.
 * The experiments bouncing-ball, turntable, cradle and motor-limit, and tests of law and fault, show the same with scenes of their own. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "perp/scene.h"

enum { PATH_SIZE = 512, MAX_BODIES = 128 };

#ifdef PERP_TEST_SHORT
#define SLOWEST INFINITY /* s: sanitizers and instruments take their time */
#define SOME(n) (((n) + 9) / 10)
#else
#define SLOWEST 10 /* s of the processor for a step: the default work_limit is about 3 */
#define SOME(n) (n)
#endif

/* What a run did: the end, and the largest of some figures on the way. */
typedef struct run {
    perp_scene *s;
    perp_world *w;
    perp_body_id body[MAX_BODIES];
    int nbody;
    double energy0, most_energy; /* of motion and height, at the start and at most [J] */
    double slowest;              /* s of the processor, a step */
} run;

static bool find_scene(const char *name, char path[PATH_SIZE]) {
    const char *shared = getenv("PERP_SHARED");
    if (!shared) shared = PERP_TEST_DIR "/../../shared";
    int n = snprintf(path, PATH_SIZE, "%s/data/findings/scenes/%s.yaml", shared, name);
    if (n < PATH_SIZE && !access(path, R_OK)) return true;
    print_message("skipped: no shared data (%s)\n", path);
    return false;
}

static double energy_of(const run *r, perp_vec3 gravity) {
    double sum = 0;
    for (int i = 0; i < r->nbody; i++) {
        perp_body_def b;
        assert_int_equal(perp_body_get(r->w, r->body[i], &b), PERP_OK);
        if (b.kind != PERP_BODY_DYNAMIC) continue;
        perp_vec3 turning = perp_q_unrotate(b.X_WB.q, b.w_W);
        sum += 0.5 * b.mass * perp_v3_dot(b.v_W, b.v_W) + 0.5 * perp_v3_dot(turning, perp_m3_mul_v(b.I_B, turning));
        if (!b.no_gravity) sum -= b.mass * perp_v3_dot(gravity, b.X_WB.p);
    }
    return sum;
}

static bool begin(const char *name, run *r) {
    char path[PATH_SIZE];
    perp_refusal why;
    *r = (run){0};
    if (!find_scene(name, path)) return false;
    if (perp_scene_open(path, NULL, &r->s, &why)) fail_msg("%s", why.text);
    r->w = perp_scene_world(r->s);
    r->nbody = perp_world_bodies(r->w, r->body, MAX_BODIES);
    assert_in_range(r->nbody, 1, MAX_BODIES);
    r->energy0 = r->most_energy = energy_of(r, perp_world_get_def(r->w).gravity_W);
    return true;
}

/* steps: 0: all of the scene. Every step is taken. */
static void go(const char *name, run *r, uint64_t steps) {
    perp_vec3 gravity = perp_world_get_def(r->w).gravity_W;
    if (steps == 0) steps = perp_scene_steps(r->s);
    for (uint64_t k = 1; k <= steps; k++) {
        clock_t t = clock();
        if (perp_world_step(r->w, NULL)) fail_msg("%s, step %d: %s", name, (int)k, perp_world_why(r->w));
        r->slowest = fmax(r->slowest, (double)(clock() - t) / CLOCKS_PER_SEC);
        r->most_energy = fmax(r->most_energy, energy_of(r, gravity));
    }
    print_message("%s: slowest step %.2g s\n", name, r->slowest);
    assert_true(r->slowest <= SLOWEST);
}

static perp_body_def end_of(const run *r, const char *name) {
    perp_body_def b;
    assert_int_equal(perp_body_get(r->w, perp_body_find(r->w, name), &b), PERP_OK);
    return b;
}

static void bounces_as_high(void **state) {
    (void)state;
    run r;
    if (!begin("bounce-second-order", &r)) return;
    go("bounce-second-order", &r, 0);
    perp_body_def b = end_of(&r, "b");
    assert_near(b.X_WB.p.y + b.v_W.y * b.v_W.y / (2 * 9.81), 1.1, 1e-10);
    assert_near(r.most_energy, r.energy0, 1e-9);
    perp_scene_close(r.s);
}

static void leaves_the_wall(void **state) {
    (void)state;
    run r;
    if (!begin("rebound-at-step-end", &r)) return;
    go("rebound-at-step-end", &r, 0);
    assert_near(end_of(&r, "b").v_W.x, 2, 1e-12);
    perp_scene_close(r.s);
}

static void stays_on_the_turntable(void **state) {
    (void)state;
    run r;
    if (!begin("turntable", &r)) return;
    go("turntable", &r, SOME(5000));
    perp_vec3 p = end_of(&r, "coin").X_WB.p;
    assert_near(hypot(p.x, p.y), 0.5, 1e-9);
    perp_scene_close(r.s);
}

static void cradles_keep_energy(void **state) {
    (void)state;
    run r;
    if (begin("cradle-tenth", &r)) {
        go("cradle-tenth", &r, 0);
        const char *ball[] = {"b0", "b1", "b2", "b3", "b4"};
        for (int i = 0; i < 5; i++) assert_near(end_of(&r, ball[i]).v_W.x, i == 4 ? 2 : 0, 1e-9);
        perp_scene_close(r.s);
    }
    static const char *const hanging[] = {"cradle", "cradle-gap"};
    for (int k = 0; k < 2; k++) {
        if (!begin(hanging[k], &r)) return;
        perp_body_def b = end_of(&r, "ball-0");
        double swing = b.mass * 9.81 * 0.3 * (1 - cos(35 * 3.141592653589793 / 180));
        go(hanging[k], &r, SOME(4000));
        double now = energy_of(&r, perp_world_get_def(r.w).gravity_W);
        assert_near(now, r.energy0, 1e-3 * swing); /* second order in h: 1.3e-4 of it */
        assert_below(r.most_energy - r.energy0, 1e-3 * swing);
        perp_scene_close(r.s);
    }
}

/* Energy was added by the million. Heights are those above the floor, so it is all there is. */
static void contacts_do_not_gain(void **state) {
    (void)state;
    run r;
    if (!begin("gain_min", &r)) return;
    go("gain_min", &r, 0);
    assert_below(r.most_energy / r.energy0 - 1, 1e-3);
    perp_scene_close(r.s);
    if (!begin("gain_e1_drive", &r)) return;
    go("gain_e1_drive", &r, SOME(20));
    assert_below(r.most_energy / r.energy0 - 1, 1e-3);
    perp_scene_close(r.s);
}

/* They crashed. One runs; bodies of the other are in the same place, which is told. */
static void implicit_ends(void **state) {
    (void)state;
    run r;
    if (!begin("crash_min", &r)) return;
    go("crash_min", &r, SOME(91));
    perp_scene_close(r.s);
    if (!begin("crash_implicit", &r)) return;
    if (perp_world_step(r.w, NULL)) assert_non_null(strstr(perp_world_why(r.w), "overlap"));
    perp_scene_close(r.s);
}

static void motor_holds_at_the_limit(void **state) {
    (void)state;
    run r;
    if (!begin("motorlimit", &r)) return;
    go("motorlimit", &r, 0);
    perp_body_def arm = end_of(&r, "arm");
    assert_near(atan2(arm.X_WB.p.y, arm.X_WB.p.x), 0.5, 1e-9);
    assert_near(arm.w_W.z, 0, 1e-9);
    perp_scene_close(r.s);
}

static void refused_before_the_first_step(void **state) {
    (void)state;
    char path[PATH_SIZE];
    perp_scene *s = NULL;
    perp_refusal why;
    if (!find_scene("hertz", path)) return;
    assert_int_not_equal(perp_scene_open(path, NULL, &s, &why), PERP_OK);
    assert_null(s);
    assert_non_null(strstr(why.text, "hertz is for spheres"));
}

/* Steps took seconds and more. */
static void steps_end(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t steps;
    } slow[] = {{"slow_step", 40}, {"cart", 100}, {"domino", 100}, {"feeder25", 1000}};
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        run r;
        if (!begin(slow[i].name, &r)) return;
        go(slow[i].name, &r, SOME(slow[i].steps));
        perp_scene_close(r.s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounces_as_high),
                                       cmocka_unit_test(leaves_the_wall),
                                       cmocka_unit_test(stays_on_the_turntable),
                                       cmocka_unit_test(cradles_keep_energy),
                                       cmocka_unit_test(contacts_do_not_gain),
                                       cmocka_unit_test(implicit_ends),
                                       cmocka_unit_test(motor_holds_at_the_limit),
                                       cmocka_unit_test(refused_before_the_first_step),
                                       cmocka_unit_test(steps_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
