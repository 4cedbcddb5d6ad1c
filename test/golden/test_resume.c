/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A run that was interrupted and resumed is the run that was not, to the bit: the state, and every dataset but the
 * timing. */
#include "unit/recording_help.h"
#include "record/writer.h"

#define WHOLE "resume-whole.h5"
#define PARTS "resume-parts.h5"

/* Opens the recording's own scene and resumes into it. */
static perp_recorder *resume(const char *path, perp_scene **s) {
    perp_refusal why = {0};
    perp_recording *in = reading(path);
    perp_recorder *r = NULL;
    SUCCEEDS(perp_recording_scene(in, s, &why));
    perp_recording_close(in);
    SUCCEEDS(perp_recorder_resume(path, *s, &r, &why));
    return r;
}

/* Runs n steps in one go; then in parts that end after the steps in `stop` (ascending, ended by 0), each time `lost`
 * further steps that no commit keeps are made and forgotten. */
static void compare(const char *text, const perp_record_choice *choice, uint64_t n, const uint64_t *stop,
                    uint64_t lost) {
    perp_refusal why = {0};
    perp_scene *s = scene_of(text);
    perp_recorder *r;
    remove(WHOLE);
    remove(PARTS);
    SUCCEEDS(perp_recorder_create(WHOLE, s, choice, &r, &why));
    advance(s, r, n);
    perp_certificate total = *perp_recorder_total(r);
    uint64_t hash = perp_world_hash(perp_scene_world(s)), frames = perp_recorder_frames(r);
    SUCCEEDS(perp_recorder_close(r, true, &why));
    perp_scene_close(s);

    s = scene_of(text);
    SUCCEEDS(perp_recorder_create(PARTS, s, choice, &r, &why));
    for (; *stop; stop++) {
        uint64_t now = perp_world_steps(perp_scene_world(s));
        assert_true(now <= *stop);
        advance(s, r, *stop - now);
        SUCCEEDS(perp_recorder_commit(r, &why));
        advance(s, r, lost);
        pp_recorder_free(r); /* as if killed: nothing is committed */
        perp_scene_close(s);
        r = resume(PARTS, &s);
        assert_int_equal(perp_world_steps(perp_scene_world(s)), *stop);
    }
    advance(s, r, n - perp_world_steps(perp_scene_world(s)));
    assert_int_equal(perp_world_hash(perp_scene_world(s)), hash);
    assert_int_equal(perp_recorder_frames(r), frames);
    const perp_certificate *t = perp_recorder_total(r);
    assert_string_equal(t->solver, total.solver);
    assert_int_equal(t->iterations, total.iterations);
    assert_memory_equal(&t->ledger, &total.ledger, sizeof total.ledger);
    assert_memory_equal(&t->law, &total.law, sizeof total.law);
    assert_memory_equal(t->overlap_shape, total.overlap_shape, sizeof total.overlap_shape);
    assert_true(t->overlap == total.overlap && t->h == total.h && t->t == total.t);
    SUCCEEDS(perp_recorder_close(r, true, &why));
    perp_scene_close(s);
    assert_same_recording(WHOLE, PARTS);
    remove(WHOLE);
    remove(PARTS);
}

static void at_frames(void **state) {
    (void)state;
    const uint64_t stop[] = {1, 2, 37, 60, 99, 0};
    compare(pile_text, NULL, 100, stop, 0);
}

static void steps_after_the_commit_are_made_again(void **state) {
    (void)state;
    const uint64_t stop[] = {10, 45, 0};
    compare(pile_text, NULL, 100, stop, 7);
}

/* A commit between frames keeps the steps since the last frame. */
static void between_frames(void **state) {
    (void)state;
    const uint64_t stop[] = {3, 5, 8, 51, 0};
    compare(cart_text, NULL, 100, stop, 3);
}

static void before_the_first_step(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_scene *s = scene_of(cart_text);
    perp_recorder *r;
    remove(PARTS);
    SUCCEEDS(perp_recorder_create(PARTS, s, NULL, &r, &why));
    pp_recorder_free(r);
    perp_scene_close(s);
    r = resume(PARTS, &s);
    advance(s, r, perp_scene_steps(s));
    uint64_t hash = perp_world_hash(perp_scene_world(s));
    SUCCEEDS(perp_recorder_close(r, true, &why));
    perp_scene_close(s);
    assert_int_equal(record_run(WHOLE, cart_text, NULL), hash);
    assert_same_recording(WHOLE, PARTS);
    remove(WHOLE);
    remove(PARTS);
}

/* What is recorded, how often and how packed does not matter. */
static void any_choice(void **state) {
    (void)state;
    const perp_record_choice choices[] = {{0, 1, 1},
                                          {PERP_RECORD_ALL, 7, 0},
                                          {PERP_RECORD_POSES | PERP_RECORD_CONTACTS, 3, 9},
                                          {PERP_RECORD_CERTIFICATE, 2, 1}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const uint64_t stop[] = {11, 42, 70, 0};
        compare(pile_text, &choices[i], 84, stop, 2);
    }
}

static void another_scene_is_refused(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_recorder *r;
    record_run(PARTS, cart_text, NULL);
    perp_scene *s = scene_of(pile_text);
    REFUSED(perp_recorder_resume(PARTS, s, &r, &why), PERP_E_ARG,
            PARTS ": scene: found another scene than the one recorded (its dimension); allowed: the recording's own");
    assert_null(r);
    perp_scene_close(s);
    char changed[sizeof cart_text];
    memcpy(changed, cart_text, sizeof changed);
    *strstr(changed, "mu: 0.3") = 'M', memcpy(strstr(changed, "Mu: 0.3"), "mu: 0.2", 7);
    s = scene_of(changed);
    uint64_t before = perp_world_hash(perp_scene_world(s));
    REFUSED(perp_recorder_resume(PARTS, s, &r, &why), PERP_E_ARG,
            PARTS
            ": scene: found another scene than the one recorded (the text of its files); allowed: the recording's own");
    assert_int_equal(perp_world_hash(perp_scene_world(s)), before);
    perp_scene_close(s);
    remove(PARTS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_frames),      cmocka_unit_test(steps_after_the_commit_are_made_again),
        cmocka_unit_test(between_frames), cmocka_unit_test(before_the_first_step),
        cmocka_unit_test(any_choice),     cmocka_unit_test(another_scene_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
