/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_block_order.c - orders of elimination: permutations of every graph, little fill on large ones, and the same from every
 * thread. */
#include <pthread.h>
#include <string.h>

#include "arena_fixture.h"
#include "check.h"
#include "linalg/block_order.h"

enum { SIDE = 48, N = SIDE * SIDE, THREADS = 4 };
static int start[N + 1], list[5 * N];

/* A square grid with side^2 nodes. */
static int make_grid(int side) {
    int used = 0;
    for (int i = 0; i < side * side; i++) {
        const int x = i % side, y = i / side;
        start[i] = used;
        list[used++] = i;
        if (x > 0) list[used++] = i - 1;
        if (x + 1 < side) list[used++] = i + 1;
        if (y > 0) list[used++] = i - side;
        if (y + 1 < side) list[used++] = i + side;
    }
    start[side * side] = used;
    return side * side;
}

static void check_permutation(int n, const int *order, const int *place) {
    for (int k = 0; k < n; k++) assert_true(order[k] >= 0 && order[k] < n && place[order[k]] == k);
}

/* Entries of the factor below the diagonal, by elimination on sets. */
static long fill_of(int n, const int *place) {
    static unsigned char linked[N][N / 8 + 1];
    long count = 0;
    memset(linked, 0, sizeof linked);
    for (int i = 0; i < n; i++)
        for (int s = start[i]; s < start[i + 1]; s++)
            linked[place[i]][place[list[s]] / 8] |= (unsigned char)(1 << place[list[s]] % 8);
    for (int k = 0; k < n; k++) {
        int first = -1;
        for (int i = k + 1; i < n; i++)
            if (linked[k][i / 8] >> i % 8 & 1) {
                count++;
                if (first < 0) first = i;
            }
        if (first >= 0) /* the others become neighbours of the first, which passes them on */
            for (int w = 0; w <= n / 8; w++) linked[first][w] |= linked[k][w];
    }
    return count;
}

static void test_small_and_large(void **state) {
    (void)state;
    static int order[N], place[N];
    const int sides[] = {1, 2, 7, 38, 39, SIDE}; /* 38^2 < 1500 < 39^2 */
    for (int k = 0; k < 6; k++) {
        const int n = make_grid(sides[k]);
        pp_arena_reset(&arena);
        const pp_arena_mark before = pp_arena_here(&arena);
        assert_true(pp_block_order(n, start, list, order, place, &arena));
        check_permutation(n, order, place);
        assert_true(before.block == NULL || pp_arena_here(&arena).used == before.used);
        if (n > 1500) /* 31 n log2(n)/8 is the bound of nested dissection; row by row it would be n^1.5 */
            assert_true((double)fill_of(n, place) < 0.3 * n * sides[k]);
    }
    assert_true(pp_block_order(0, start, list, order, place, &arena));
}

typedef struct job {
    int order[N], place[N];
    bool done;
} job;

static void *work(void *arg) {
    job *j = arg;
    pp_arena own;
    pp_arena_init(&own, (perp_allocator){0});
    j->done = pp_block_order(N, start, list, j->order, j->place, &own);
    pp_arena_free(&own);
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    static job jobs[THREADS], alone;
    pthread_t thread[THREADS];
    make_grid(SIDE);
    work(&alone);
    assert_true(alone.done);
    for (int round = 0; round < 5; round++) {
        for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&thread[t], NULL, work, &jobs[t]), 0);
        for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(thread[t], NULL), 0);
        for (int t = 0; t < THREADS; t++)
            assert_true(jobs[t].done && memcmp(jobs[t].order, alone.order, sizeof alone.order) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_and_large), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
