/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Different worlds in different threads, and a solver registered meanwhile: the same results as alone. Run under the
 * thread sanitizer. */
#include <pthread.h>

#include "check.h"

#define THREADS 4

static uint64_t run_alone(int k) {
    scene s = k % 2 ? scene_pendulum_on_block(world_def(2, 2e-3, PERP_START_PLAIN))
                    : scene_tower(world_def(3, 1e-2, PERP_START_PLAIN), 5, 0.05, 0.5);
    for (int i = 0; i < 100; i++)
        if (perp_world_step(s.w, NULL)) return 0;
    uint64_t h = perp_world_hash(s.w);
    scene_end(&s);
    return h;
}

typedef struct job {
    int k;
    uint64_t hash;
} job;

static void *run_job(void *arg) {
    job *j = arg;
    j->hash = run_alone(j->k);
    return NULL;
}

static size_t no_work(const perp_problem *p, const void *settings) {
    (void)p;
    (void)settings;
    return 8;
}

static perp_outcome give_up(const perp_problem *p, const void *settings, double *z, void *work, const perp_call *call,
                            perp_solve_info *info) {
    (void)p;
    (void)settings;
    (void)z;
    (void)work;
    (void)call;
    (void)info;
    return PERP_OUTCOME_LIMIT;
}

static const perp_solver_type late = {
    .abi = PERP_ABI, .name = "late", .source = "this test", .takes = PERP_LCP, .work_size = no_work, .solve = give_up};

static void worlds_in_threads(void **state) {
    (void)state;
    uint64_t alone[2] = {run_alone(0), run_alone(1)};
    pthread_t thread[THREADS];
    job jobs[THREADS];
    for (int k = 0; k < THREADS; k++) {
        jobs[k] = (job){k, 0};
        assert_int_equal(pthread_create(&thread[k], NULL, run_job, &jobs[k]), 0);
    }
    assert_int_equal(perp_solver_register(&late), PERP_OK);
    assert_int_equal(perp_solver_register(&late), PERP_E_NAME);
    assert_ptr_equal(perp_solver_find("late"), &late);
    for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < THREADS; k++) assert_true(jobs[k].hash == alone[k % 2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_in_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
