/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A run in memory: every series of a trace has the same bits as that of a recording of the same run, error messages are the same, and the next
 * trial allocates nothing. */
#include "record/trace.h"

#include "fault/allocator.h"
#include "unit/recording_help.h"

#define FILE_T      "trace.h5"
#define EXPERIMENTS PERP_TEST_DIR "/../experiments/"
enum { STEPS_MAX = 150 };

static perp_scene *opened(const char *path_or_text, const perp_allocator *alloc) {
    perp_refusal why = {0};
    perp_scene *s = NULL;
    perp_source_file file = {"test.yaml", path_or_text, strlen(path_or_text)};
    bool text = strchr(path_or_text, '\n') != NULL;
    perp_scene_options o = {.file = text ? &file : NULL, .nfile = text ? 1 : 0};
    if (alloc) o.alloc = *alloc;
    SUCCEEDS(perp_scene_open(text ? "test.yaml" : path_or_text, &o, &s, &why));
    return s;
}

static uint64_t steps_of(const perp_scene *s) {
    return perp_scene_steps(s) < STEPS_MAX ? perp_scene_steps(s) : STEPS_MAX;
}

static void run(pp_trace *t, const perp_scene *s, uint64_t n) {
    perp_refusal why = {0};
    perp_certificate c;
    SUCCEEDS(pp_trace_first(t, &why));
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(perp_world_step(perp_scene_world(s), &c), PERP_OK);
        SUCCEEDS(pp_trace_step(t, &c, &why));
    }
}

static perp_recording *recorded(const char *what, int every) {
    perp_refusal why = {0};
    perp_recorder *r;
    perp_scene *s = opened(what, NULL);
    const perp_record_choice all = {PERP_RECORD_ALL, every, 0};
    remove(FILE_T);
    SUCCEEDS(perp_recorder_create(FILE_T, s, &all, &r, &why));
    advance(s, r, steps_of(s));
    SUCCEEDS(perp_recorder_close(r, true, &why));
    perp_scene_close(s);
    return reading(FILE_T);
}

/* All series of the file, by name, from the trace as well. */
static void same_series(perp_recording *file, pp_trace *t) {
    perp_refusal why = {0};
    perp_recording *r = pp_trace_recording(t);
    size_t n = (size_t)perp_recording_about(file)->frames;
    assert_int_equal(perp_recording_about(r)->frames, n);
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    const char *name;
    for (int i = 0; (name = perp_recording_series_name(file, i)); i++) {
        SUCCEEDS(perp_recording_series(file, name, a, &why));
        SUCCEEDS(perp_recording_series(r, name, b, &why));
        if (!strcmp(name, "timing.seconds")) continue;
        if (memcmp(a, b, n * sizeof *a) != 0)
            for (size_t f = 0; f < n; f++)
                if (memcmp(&a[f], &b[f], sizeof *a) != 0)
                    fail_msg("%s, frame %zu: %.17g in the file, %.17g in the trace", name, f, a[f], b[f]);
    }
    free(a);
    free(b);
}

static void same_about(const perp_recording *file, const perp_recording *trace) {
    const perp_recording_info *a = perp_recording_about(file), *b = perp_recording_about(trace);
    assert_string_equal(a->title, b->title);
    assert_string_equal(a->program, b->program);
    assert_string_equal(a->units.length, b->units.length);
    assert_int_equal(a->dim, b->dim);
    assert_int_equal(a->nbody, b->nbody);
    assert_int_equal(a->nshape, b->nshape);
    assert_int_equal(a->njoint, b->njoint);
    assert_true(a->h == b->h && a->duration == b->duration && a->t0 == b->t0 && a->t1 == b->t1);
    assert_true(a->step0 == b->step0 && a->step1 == b->step1 && a->choice.every == b->choice.every);
    for (int i = 0; i < a->nbody; i++) {
        perp_recorded_body x = perp_recording_body(file, i), y = perp_recording_body(trace, i);
        assert_string_equal(x.name, y.name);
        assert_true(x.kind == y.kind && x.particle == y.particle && x.mass == y.mass);
        assert_memory_equal(&x.I_B, &y.I_B, sizeof x.I_B);
    }
    for (int i = 0; i < a->njoint; i++) {
        perp_recorded_joint x = perp_recording_joint(file, i), y = perp_recording_joint(trace, i);
        assert_string_equal(x.name, y.name);
        assert_true(x.kind == y.kind && x.a == y.a && x.b == y.b && x.ncoord == y.ncoord);
        assert_true(x.first_coord == y.first_coord);
        assert_memory_equal(&x.X_BJ, &y.X_BJ, sizeof x.X_BJ);
    }
}

static void need_all_of(pp_trace *t, const perp_recording *file) {
    perp_refusal why = {0};
    const char *name;
    for (int i = 0; (name = perp_recording_series_name(file, i)); i++) SUCCEEDS(pp_trace_need(t, name, NULL, &why));
}

/* The trace is filled twice: the second time after a reset to the world of another opening. */
static void compare(const char *what, int every) {
    perp_refusal why = {0};
    perp_recording *file = recorded(what, every);
    perp_scene *s = opened(what, NULL), *again = opened(what, NULL);
    pp_trace *t;
    SUCCEEDS(pp_trace_new(s, every, &t, &why));
    need_all_of(t, file);
    run(t, s, steps_of(s));
    same_series(file, t);
    same_about(file, pp_trace_recording(t));
    perp_scene_close(s);
    SUCCEEDS(pp_trace_reset(t, again, &why));
    assert_int_equal(pp_trace_frames(t), 0);
    run(t, again, steps_of(again));
    same_series(file, t);
    same_about(file, pp_trace_recording(t));
    pp_trace_free(t);
    perp_scene_close(again);
    perp_recording_close(file);
    remove(FILE_T);
}

static void same_as_files(void **state) {
    (void)state;
    compare(pile_text, 1);
    compare(pile_text, 3);
    compare(cart_text, 5);
    compare(cart_text, 1);
    compare(EXPERIMENTS "grasp/scene.yaml", 1);
    compare(EXPERIMENTS "incline/scene.yaml", 1);
    compare(EXPERIMENTS "plate-circle/scene.yaml", 1);
    compare(EXPERIMENTS "double-pendulum/scene.yaml", 1);
}

/* Both begin in the middle of a run: contacts of the step before belong to no frame. */
static void from_the_middle(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_certificate c;
    perp_scene *s = scene_of(pile_text);
    perp_world *w = perp_scene_world(s);
    const perp_contact *contact;
    for (int i = 0; i < 30; i++) assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    assert_true(perp_world_contacts(w, &contact) > 0);
    pp_trace *t;
    perp_recorder *r;
    const perp_record_choice all = {PERP_RECORD_ALL, 1, 0};
    SUCCEEDS(pp_trace_new(s, 1, &t, &why));
    SUCCEEDS(pp_trace_need_all(t, &why));
    remove(FILE_T);
    SUCCEEDS(perp_recorder_create(FILE_T, s, &all, &r, &why));
    SUCCEEDS(pp_trace_first(t, &why));
    for (int i = 0; i < 20; i++) {
        assert_int_equal(perp_world_step(w, &c), PERP_OK);
        SUCCEEDS(perp_recorder_step(r, &c, &why));
        SUCCEEDS(pp_trace_step(t, &c, &why));
    }
    SUCCEEDS(perp_recorder_close(r, true, &why));
    perp_recording *file = reading(FILE_T), *trace = pp_trace_recording(t);
    double a[21], b[21];
    const char *name;
    same_about(file, trace);
    for (int i = 0; (name = perp_recording_series_name(file, i)); i++) {
        if (!strncmp(name, "contact(", 8) || !strcmp(name, "timing.seconds")) continue;
        SUCCEEDS(perp_recording_series(file, name, a, &why));
        SUCCEEDS(perp_recording_series(trace, name, b, &why));
        if (memcmp(a, b, sizeof a) != 0) fail_msg("%s differs", name);
    }
    perp_recording_close(file);
    pp_trace_free(t);
    perp_scene_close(s);
    remove(FILE_T);
}

static void now_and_all(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_certificate c;
    perp_scene *s = scene_of(pile_text);
    perp_world *w = perp_scene_world(s);
    pp_trace *t;
    int x, again, rate, normal;
    SUCCEEDS(pp_trace_new(s, 1, &t, &why));
    SUCCEEDS(pp_trace_need(t, "box-0.x", &x, &why));
    SUCCEEDS(pp_trace_need(t, "hinge.rate", &rate, &why));
    SUCCEEDS(pp_trace_need(t, "hinge.rate0", &again, &why)); /* another name of the same */
    assert_int_equal(rate, again);
    SUCCEEDS(pp_trace_need(t, "contact(box-0,floor).normal", &normal, &why));
    SUCCEEDS(pp_trace_need_all(t, &why));
    assert_true(pp_trace_needs(t) > 100);
    SUCCEEDS(pp_trace_first(t, &why));
    for (int i = 1; i <= 20; i++) {
        assert_int_equal(perp_world_step(w, &c), PERP_OK);
        SUCCEEDS(pp_trace_step(t, &c, &why));
        perp_pose X;
        double coordinate, turning;
        perp_body_pose(w, perp_body_find(w, "box-0"), &X);
        perp_joint_id hinge;
        assert_int_equal(perp_world_joints(w, &hinge, 1), 1);
        perp_joint_read(w, hinge, &coordinate, &turning);
        assert_true(pp_trace_now(t, x) == X.p.x && pp_trace_now(t, rate) == turning);
        assert_int_equal(pp_trace_frames(t), i + 1);
        assert_int_equal(pp_trace_steps(t), i);
        assert_true(pp_trace_time(t)[i] == perp_world_time(w));
        assert_true(pp_trace_values(t, x)[i] == X.p.x);
    }
    pp_trace_free(t);
    perp_scene_close(s);
}

static void complaints(void **state) {
    (void)state;
    perp_refusal why = {0}, of_file = {0};
    perp_certificate c;
    perp_recording *file = recorded(cart_text, 1);
    perp_scene *s = scene_of(cart_text);
    pp_trace *t;
    double value[300];
    SUCCEEDS(pp_trace_new(s, 1, &t, &why));
    static const char *const wrong[] = {"blok.x",   "block.xx",    "pivot.rat",
                                        "nonsense", "energy.totl", "contact(floor,blok).normal"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(pp_trace_need(t, wrong[i], NULL, &why), PERP_E_NAME);
        assert_int_equal(perp_recording_series(file, wrong[i], value, &of_file), PERP_E_NAME);
        assert_string_equal(why.found, of_file.found);
        assert_string_equal(why.allowed, of_file.allowed);
        assert_string_equal(why.key, of_file.key);
    }
    assert_non_null(strstr(why.allowed, "did you mean contact(floor,block).normal?"));
    SUCCEEDS(pp_trace_need(t, "block.x", NULL, &why));
    REFUSED(pp_trace_step(t, &c, &why), PERP_E_ARG, "test.yaml: found step 0 after 0; allowed: every step, in order");
    run(t, s, 3);
    REFUSED(pp_trace_need(t, "block.y", NULL, &why), PERP_E_ARG,
            "test.yaml: block.y: found a new series after the first frame; allowed: before it");
    SUCCEEDS(pp_trace_need(t, "block.x", NULL, &why));
    perp_recording *r = pp_trace_recording(t);
    SUCCEEDS(perp_recording_series(r, "block.x", value, &why));
    SUCCEEDS(perp_recording_series(r, "time", value, &why));
    REFUSED(perp_recording_series(r, "block.y", value, &why), PERP_E_NAME,
            "test.yaml: series: found \"block.y\", which was not declared before the run; allowed: declared series");
    perp_pose pose[8];
    int n;
    perp_scene *none;
    const perp_recorded_contact *contact;
    assert_int_equal(perp_recording_poses(r, 0, pose, &why), PERP_E_ARG);
    assert_int_equal(perp_recording_contacts(r, 0, &contact, &n, &why), PERP_E_ARG);
    assert_int_equal(perp_recording_certificate(r, 0, &c, &why), PERP_E_ARG);
    assert_int_equal(perp_recording_scene(r, &none, &why), PERP_E_ARG);
    assert_int_equal(perp_world_step(perp_scene_world(s), &c), PERP_OK);
    assert_int_equal(perp_world_step(perp_scene_world(s), &c), PERP_OK);
    REFUSED(pp_trace_step(t, &c, &why), PERP_E_ARG, "test.yaml: found step 5 after 3; allowed: every step, in order");
    pp_trace_free(t);
    REFUSED(pp_trace_new(s, 0, &t, &why), PERP_E_ARG, "test.yaml: every: found 0; allowed: a whole number >= 1");
    perp_scene_close(s);
    perp_recording_close(file);
    remove(FILE_T);
}

/* The second trial asks for no memory, and a refused allocation leaves nothing behind. */
static void memory(void **state) {
    (void)state;
    perp_refusal why = {0};
    counter count = {.refuse = -1};
    perp_allocator alloc = counting(&count);
    perp_scene *s = opened(pile_text, &alloc);
    size_t size = perp_world_state_size(perp_scene_world(s));
    void *start = malloc(size);
    assert_int_equal(perp_world_get_state(perp_scene_world(s), start, size), PERP_OK);
    for (int i = 0; i < 60; i++) assert_int_equal(perp_world_step(perp_scene_world(s), NULL), PERP_OK); /* it grows */
    assert_int_equal(perp_world_set_state(perp_scene_world(s), start, size), PERP_OK);
    pp_trace *t;
    long live = count.live, last = 0;
    SUCCEEDS(pp_trace_new(s, 1, &t, &why));
    SUCCEEDS(pp_trace_need_all(t, &why));
    for (int trial = 0; trial < 3; trial++) {
        long before = count.calls;
        run(t, s, 60);
        assert_int_equal(perp_world_set_state(perp_scene_world(s), start, size), PERP_OK);
        SUCCEEDS(pp_trace_reset(t, s, &why));
        last = count.calls - before;
    }
    assert_int_equal(last, 0);
    pp_trace_free(t);
    assert_int_equal(count.live, live);
    bool done = false;
    for (long k = 0; !done; k++) {
        count.refuse = count.calls + k;
        count.refused = 0;
        perp_status st = pp_trace_new(s, 1, &t, &why);
        if (!st) st = pp_trace_need(t, "box-0.x", NULL, &why);
        if (!st) st = pp_trace_need(t, "ball.speed", NULL, &why);
        if (!st) st = pp_trace_first(t, &why);
        pp_trace_free(t);
        assert_int_equal(st, count.refused ? PERP_E_MEMORY : PERP_OK);
        assert_int_equal(count.live, live);
        done = !count.refused;
        assert_true(k < 500);
    }
    count.refuse = -1;
    free(start);
    perp_scene_close(s);
}

/* A scene with another number of bodies: the series keep their numbers. */
static void other_build(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_scene *s = scene_of(cart_text), *other = scene_of(pile_text);
    char more[2000];
    const char *at = strstr(cart_text, "  - {name: rod");
    snprintf(more, sizeof more, "%.*s  - {name: ball, at: [3, 3], mass: 1, shape: {type: sphere, radius: 0.1}}\n%s",
             (int)(at - cart_text), cart_text, at);
    perp_scene *longer = scene_of(more);
    pp_trace *t;
    int x, rate;
    SUCCEEDS(pp_trace_new(s, 1, &t, &why));
    SUCCEEDS(pp_trace_need(t, "rod.x", &x, &why));
    SUCCEEDS(pp_trace_need(t, "pivot.rate", &rate, &why));
    run(t, s, 10);
    double rod = pp_trace_now(t, x), turning = pp_trace_now(t, rate);
    SUCCEEDS(pp_trace_reset(t, longer, &why));
    run(t, longer, 10);
    assert_true(pp_trace_now(t, x) == rod && pp_trace_now(t, rate) == turning);
    assert_int_equal(perp_recording_about(pp_trace_recording(t))->nbody, 4);
    assert_string_equal(perp_recording_about(pp_trace_recording(t))->title, "cart");
    assert_int_equal(pp_trace_reset(t, other, &why), PERP_E_NAME);
    pp_trace_free(t);
    perp_scene_close(s);
    perp_scene_close(longer);
    perp_scene_close(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_files), cmocka_unit_test(from_the_middle),
                                       cmocka_unit_test(now_and_all),   cmocka_unit_test(complaints),
                                       cmocka_unit_test(memory),        cmocka_unit_test(other_build)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
