/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The ring between a run and its server: what it keeps, what it drops, what each side gets to know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/live_ring.h"

static void publish(live_ring *r, unsigned char mark, size_t size) {
    live_frame *f = live_frame_new(size);
    assert_non_null(f);
    memset(f->data, mark, size);
    live_ring_publish(r, f);
}

static char *text(const char *s) { return strcpy(malloc(strlen(s) + 1), s); }

static live_ring *ring(int frames, size_t bytes, bool paused) {
    live_ring *r = live_ring_new(frames, bytes, paused);
    assert_non_null(r);
    live_ring_begin(r, text("scene"));
    return r;
}

/* The frames from `from` on are first ... first + count - 1, marked with their numbers. */
static void holds(live_ring *r, uint64_t from, uint64_t first, int count) {
    live_batch b;
    live_ring_take(r, 0, from, 1 << 20, &b);
    assert_int_equal(b.first, first);
    assert_int_equal(b.count, count);
    for (int i = 0; i < count; i++) assert_int_equal(b.frame[i]->data[0], (first + (uint64_t)i) & 0xff);
    live_ring_give_back(r, &b);
}

static void old_frames_go(void **state) {
    (void)state;
    live_ring *r = ring(5, 1000, false);
    holds(r, 0, 0, 0);
    for (unsigned i = 0; i < 3; i++) publish(r, (unsigned char)i, 10);
    holds(r, 0, 0, 3);
    holds(r, 2, 2, 1);
    holds(r, 3, 3, 0);
    for (unsigned i = 3; i < 12; i++) publish(r, (unsigned char)i, 10);
    holds(r, 0, 7, 5); /* five frames; the number of the first one shows how many were dropped */
    publish(r, 12, 985);
    holds(r, 0, 11, 2); /* 995 bytes */
    publish(r, 13, 5000);
    holds(r, 0, 13, 1); /* the last one is always there */
    live_ring_free(r);
}

static void a_frame_outlives_the_ring_s_memory_of_it(void **state) {
    (void)state;
    live_ring *r = ring(2, 1000, false);
    publish(r, 0, 10);
    live_batch b;
    live_ring_take(r, 0, 0, 1000, &b);
    for (unsigned i = 1; i < 9; i++) publish(r, (unsigned char)i, 10);
    live_ring_begin(r, text("another"));
    assert_int_equal(b.count, 1);
    for (int k = 0; k < 10; k++) assert_int_equal(b.frame[0]->data[k], 0);
    live_ring_give_back(r, &b);
    live_ring_free(r);
}

static void an_answer_is_bounded(void **state) {
    (void)state;
    live_ring *r = ring(500, 1 << 20, false);
    for (unsigned i = 0; i < 200; i++) publish(r, (unsigned char)i, 100);
    holds(r, 0, 0, LIVE_BATCH);
    holds(r, 190, 190, 10);
    live_batch b;
    live_ring_take(r, 0, 10, 250, &b);
    assert_int_equal(b.count, 3); /* the one that passes the limit is the last */
    live_ring_give_back(r, &b);
    live_ring_take(r, 0, 10, 0, &b);
    assert_int_equal(b.count, 1);
    live_ring_give_back(r, &b);
    live_ring_free(r);
}

static void runs_are_told_apart(void **state) {
    (void)state;
    live_ring *r = ring(10, 1000, false);
    for (unsigned i = 0; i < 4; i++) publish(r, (unsigned char)i, 1);
    live_ring_begin(r, text("again"));
    publish(r, 0, 1);
    publish(r, 1, 1);
    live_batch b;
    live_ring_take(r, 1, 1, 1000, &b); /* of the run before */
    assert_int_equal(b.run, 2);
    assert_int_equal(b.first, 0);
    assert_int_equal(b.count, 2);
    live_ring_give_back(r, &b);
    holds(r, 4, 0, 2); /* beyond the end: the asker knows another run */
    uint64_t changes = live_ring_changes(r);
    assert_true(live_ring_news(r, 1, 2, changes));
    assert_false(live_ring_news(r, 2, 2, changes));
    assert_true(live_ring_news(r, 2, 1, changes));
    size_t n;
    char *scene = live_ring_scene(r, &n);
    assert_string_equal(scene, "again");
    assert_int_equal(n, 5);
    free(scene);
    live_ring_free(r);
}

static bool order(live_ring *r, const char *word) { return live_ring_command(r, word, strlen(word)); }

static live_state state_of(live_ring *r) {
    live_batch b;
    live_ring_take(r, 0, 0, 0, &b);
    live_ring_give_back(r, &b);
    return b.state;
}

static void commands_are_heard(void **state) {
    (void)state;
    live_ring *r = ring(10, 1000, true);
    assert_int_equal(state_of(r), LIVE_PAUSED);
    assert_int_equal(live_ring_ask(r, 0.01), LIVE_HOLD);
    assert_false(order(r, "steps"));
    assert_false(order(r, ""));
    assert_true(order(r, "step") && order(r, "step"));
    assert_int_equal(live_ring_ask(r, 10), LIVE_ONE_STEP);
    assert_int_equal(live_ring_ask(r, 10), LIVE_ONE_STEP);
    assert_int_equal(live_ring_ask(r, 0.01), LIVE_HOLD);
    assert_true(order(r, "step") && order(r, "resume")); /* the step is part of what follows */
    assert_int_equal(live_ring_ask(r, 10), LIVE_GO);
    assert_int_equal(live_ring_ask(r, 10), LIVE_GO);
    assert_int_equal(state_of(r), LIVE_RUNNING);
    assert_true(order(r, "step")); /* of a run that goes: it stops after it */
    assert_int_equal(live_ring_ask(r, 10), LIVE_ONE_STEP);
    assert_int_equal(live_ring_ask(r, 0.01), LIVE_HOLD);
    assert_true(order(r, "reset"));
    assert_int_equal(live_ring_ask(r, 10), LIVE_AGAIN);
    live_ring_begin(r, text("again"));
    assert_int_equal(state_of(r), LIVE_PAUSED); /* as it was */
    live_ring_end(r, LIVE_FAILED, "step 7 failed");
    assert_int_equal(state_of(r), LIVE_FAILED);
    assert_false(live_ring_rest(r, 0.01));
    assert_true(order(r, "reset"));
    assert_true(live_ring_rest(r, 10));
    assert_false(live_ring_rest(r, 0.01)); /* told once */
    live_ring_begin(r, text("again"));
    live_batch b;
    live_ring_take(r, 0, 0, 0, &b);
    assert_string_equal(b.message, "");
    live_ring_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(old_frames_go),
                                       cmocka_unit_test(a_frame_outlives_the_ring_s_memory_of_it),
                                       cmocka_unit_test(an_answer_is_bounded), cmocka_unit_test(runs_are_told_apart),
                                       cmocka_unit_test(commands_are_heard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
