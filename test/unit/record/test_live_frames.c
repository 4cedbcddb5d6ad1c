/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A run that is watched in memory: the live frames have the same bits as a recording of the same frames. */
#include "record/live_frames.h"
#include "record/reader.h"
#include "unit/recording_help.h"

#define FILE_T "record-live.h5"
enum { EVERY = 4, BODIES = 7 };

/* The number in a column of the frame that the recorder holds. */
static double number(const perp_recorder *live, pp_dataset d) {
    double x;
    assert_int_equal(live->column[d].waiting, 1);
    memcpy(&x, live->column[d].row, sizeof x);
    return x;
}

static void same_frame(const perp_recorder *live, perp_recording *r, uint64_t frame) {
    perp_refusal why = {0};
    perp_pose pose[BODIES];
    perp_vec3 v[BODIES], w[BODIES];
    perp_certificate c;
    const perp_recorded_contact *contact;
    int n;
    assert_int_equal(perp_recording_poses(r, frame, pose, &why), PERP_OK);
    assert_int_equal(perp_recording_twists(r, frame, v, w, &why), PERP_OK);
    const double *p = (const double *)live->column[PP_D_POSITION].row;
    const double *q = (const double *)live->column[PP_D_ORIENTATION].row;
    const double *spin = (const double *)live->column[PP_D_SPIN].row;
    for (int i = 0; i < BODIES; i++) {
        assert_memory_equal(p + 3 * i, &pose[i].p, sizeof pose[i].p);
        assert_memory_equal(q + 4 * i, &pose[i].q, sizeof pose[i].q);
        assert_memory_equal(spin + 3 * i, &w[i], sizeof w[i]);
    }
    assert_int_equal(perp_recording_certificate(r, frame, &c, &why), PERP_OK);
    assert_true(number(live, PP_D_TIME) == c.t);
    assert_true(number(live, PP_D_CERT_H) == c.h);
    assert_true(number(live, PP_D_CERT_OVERLAP) == c.overlap);
    assert_true(number(live, PP_D_CERT_NORMAL) == c.law.normal);
    assert_true(number(live, PP_D_LEDGER_GRAVITY) == c.ledger.gravity);
    assert_true(number(live, PP_D_LEDGER_FRICTION) == c.ledger.friction);
    assert_true(number(live, PP_D_LEDGER_AFTER) == c.ledger.kinetic_after);
    assert_int_equal(perp_recording_contacts(r, frame, &contact, &n, &why), PERP_OK);
    assert_int_equal(live->column[PP_D_CONTACT_IMPULSE].waiting, n);
    for (int i = 0; i < n; i++) {
        const double *impulse = (const double *)live->column[PP_D_CONTACT_IMPULSE].row + 3 * i;
        const int32_t *body = (const int32_t *)live->column[PP_D_CONTACT_BODY].row + 2 * i;
        assert_memory_equal(impulse, contact[i].impulse_C, sizeof contact[i].impulse_C);
        assert_true(body[0] == contact[i].body[0] && body[1] == contact[i].body[1]);
    }
}

static void holds_what_a_recording_holds(void **state) {
    (void)state;
    const perp_record_choice choice = {PERP_RECORD_ALL, EVERY, 1};
    record_run(FILE_T, pile_text, &choice);
    perp_recording *r = reading(FILE_T);
    perp_scene *s = scene_of(pile_text);
    perp_world *w = perp_scene_world(s);
    perp_refusal why = {0};
    perp_recorder *live = NULL;
    assert_int_equal(pp_live_frames_new("pile", s, NULL, &live, &why), PERP_OK);
    uint64_t frame = 0, frames = perp_recording_about(r)->frames;
    assert_int_equal(pp_live_frames_replace(live, &why), PERP_OK);
    same_frame(live, r, frame++);
    for (int step = 1; frame < frames; step++) {
        perp_certificate c;
        assert_int_equal(perp_world_step(w, &c), PERP_OK);
        pp_recorder_count(live, &c);
        if (step % EVERY) continue;
        assert_int_equal(pp_live_frames_replace(live, &why), PERP_OK);
        same_frame(live, r, frame++);
    }
    assert_true(frame > 10);
    pp_recorder_free(live);
    perp_scene_close(s);
    perp_recording_close(r);
    remove(FILE_T);
}

/* All frames of a run behind each other in the columns are the datasets of a recording. */
static void holds_many_frames(void **state) {
    (void)state;
    const perp_record_choice choice = {PERP_RECORD_ALL & ~(unsigned)PERP_RECORD_TWISTS, EVERY, 1};
    record_run(FILE_T, pile_text, &choice);
    perp_recording *r = reading(FILE_T);
    perp_scene *s = scene_of(pile_text);
    perp_world *w = perp_scene_world(s);
    perp_refusal why = {0};
    perp_recorder *live = NULL;
    assert_int_equal(pp_live_frames_new("pile", s, &choice, &live, &why), PERP_OK);
    assert_null(live->column[PP_D_VELOCITY].row);
    assert_int_equal(pp_live_frames_add(live, &why), PERP_OK);
    const uint64_t frames = perp_recording_about(r)->frames;
    for (int step = 1; live->frames < frames; step++) {
        perp_certificate c;
        assert_int_equal(perp_world_step(w, &c), PERP_OK);
        pp_recorder_count(live, &c);
        if (step % EVERY == 0) assert_int_equal(pp_live_frames_add(live, &why), PERP_OK);
    }
    assert_int_equal(live->column[PP_D_CONTACT_GAP].waiting, perp_recording_about(r)->ncontact);
    for (int d = 0; d < PP_DATASET_COUNT; d++) {
        const pp_column *c = &live->column[d];
        if (!c->row || d == PP_D_SECONDS) continue;
        const size_t bytes = (size_t)c->waiting * c->size;
        char *there = test_malloc(bytes + 1);
        assert_int_equal(pp_recording_rows(r, (pp_dataset)d, 0, (uint64_t)c->waiting, -1, there, &why), PERP_OK);
        assert_memory_equal(there, c->row, bytes);
        test_free(there);
    }
    pp_live_frames_clear(live);
    assert_int_equal(pp_live_frames_add(live, &why), PERP_OK); /* contacts go on being counted */
    assert_int_equal(live->column[PP_D_STEP].waiting, 1);
    assert_int_equal(*(const uint64_t *)(const void *)live->column[PP_D_CONTACT_FIRST].row,
                     perp_recording_about(r)->ncontact);
    pp_recorder_free(live);
    perp_scene_close(s);
    perp_recording_close(r);
    remove(FILE_T);
}

typedef struct seen {
    perp_recording *r;
    int datasets, bodies, shapes;
} seen;

static bool look(void *ctx, const perp_recorder *live, pp_dataset d, size_t size, const void *data) {
    seen *s = ctx;
    s->datasets++;
    if (d == PP_D_BODY_NAME) {
        for (int i = 0; i < BODIES; i++, s->bodies++) {
            char name[64] = "";
            memcpy(name, (const char *)data + (size_t)i * size, size);
            assert_string_equal(name, perp_recording_body(s->r, i).name);
        }
    }
    if (d == PP_D_SHAPE_BODY)
        for (int i = 0; i < (int)live->extent[PP_N_SHAPES]; i++, s->shapes++)
            assert_int_equal(((const int32_t *)data)[i], perp_recording_shape(s->r, i).body);
    return true;
}

static bool refuse(void *ctx, const perp_recorder *live, pp_dataset d, size_t size, const void *data) {
    (void)live, (void)d, (void)size, (void)data;
    return ++*(int *)ctx < 3;
}

static void hands_over_what_does_not_change(void **state) {
    (void)state;
    record_run(FILE_T, pile_text, NULL);
    perp_scene *s = scene_of(pile_text);
    perp_refusal why = {0};
    perp_recorder *live = NULL;
    assert_int_equal(pp_live_frames_new("pile", s, NULL, &live, &why), PERP_OK);
    seen all = {.r = reading(FILE_T)};
    assert_int_equal(pp_recorder_hand_over(live, look, &all, &why), PERP_OK);
    assert_int_equal(all.bodies, BODIES);
    assert_int_equal(all.shapes, perp_recording_about(all.r)->nshape);
    assert_true(all.datasets > 25);
    int calls = 0;
    assert_int_equal(pp_recorder_hand_over(live, refuse, &calls, &why), PERP_E_MEMORY);
    assert_int_equal(calls, 3); /* none after the one that was refused */
    pp_recorder_free(live);
    perp_scene_close(s);
    perp_recording_close(all.r);
    remove(FILE_T);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_what_a_recording_holds),
                                       cmocka_unit_test(holds_many_frames),
                                       cmocka_unit_test(hands_over_what_does_not_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
