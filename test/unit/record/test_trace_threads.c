/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Traces in several threads at once, each with its own scene: the same series as alone. Run under the thread
 * sanitizer. */
#include <pthread.h>

#include "record/trace.h"
#include "unit/recording_help.h"

enum { THREADS = 4, TRIALS = 3, STEPS = 40 };

typedef struct job {
    const char *text, *name;
    double value[STEPS + 1];
    bool done;
} job;

/* Complaints make lists of names: they must not meet either. */
static void *run_job(void *arg) {
    job *j = arg;
    perp_refusal why = {0};
    perp_scene *s = scene_of(j->text);
    pp_trace *t = NULL;
    bool good = !pp_trace_new(s, 1, &t, &why) && !pp_trace_need(t, j->name, NULL, &why) &&
                !pp_trace_need(t, "ledger.friction", NULL, &why) && !pp_trace_need(t, "contacts.count", NULL, &why) &&
                pp_trace_need(t, "blok.x", NULL, &why) == PERP_E_NAME;
    for (int trial = 0; good && trial < TRIALS; trial++) {
        perp_scene *again = scene_of(j->text);
        perp_certificate c;
        good = !pp_trace_reset(t, again, &why) && !pp_trace_first(t, &why);
        for (int i = 0; good && i < STEPS; i++)
            good = !perp_world_step(perp_scene_world(again), &c) && !pp_trace_step(t, &c, &why);
        good = good && !perp_recording_series(pp_trace_recording(t), j->name, j->value, &why);
        perp_scene_close(s);
        s = again;
    }
    pp_trace_free(t);
    perp_scene_close(s);
    j->done = good;
    return NULL;
}

static void traces_in_threads(void **state) {
    (void)state;
    job alone[2] = {{.text = pile_text, .name = "ball.x"}, {.text = cart_text, .name = "pivot.rate"}}, jobs[THREADS];
    pthread_t thread[THREADS];
    for (int k = 0; k < 2; k++) run_job(&alone[k]);
    for (int k = 0; k < THREADS; k++) {
        jobs[k] = (job){.text = alone[k % 2].text, .name = alone[k % 2].name};
        assert_int_equal(pthread_create(&thread[k], NULL, run_job, &jobs[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < THREADS; k++) {
        assert_true(jobs[k].done && alone[k % 2].done);
        assert_memory_equal(jobs[k].value, alone[k % 2].value, sizeof jobs[k].value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(traces_in_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
