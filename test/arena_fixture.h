/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* arena_fixture.h - an arena for a whole group of tests: cmocka_run_group_tests(tests, arena_setup, arena_teardown). */
#ifndef PERP_TEST_ARENA_FIXTURE_H
#define PERP_TEST_ARENA_FIXTURE_H

#include "base/memory.h"

static pp_arena arena;

static int arena_setup(void **state) {
    (void)state;
    pp_arena_init(&arena, (perp_allocator){0});
    return 0;
}

static int arena_teardown(void **state) {
    (void)state;
    pp_arena_free(&arena);
    return 0;
}

#endif
