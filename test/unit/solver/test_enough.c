/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_enough.c - the callback `enough` of a call: an answer that misses the tolerance ends the search if the caller accepts it
 * Method   The friction problem of a pile of spheres, to a tolerance that sweeps do not reach. One caller accepts what the sweeps
 *          reach, another never accepts anything. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perp/problem_file.h"
#include "solver/auto/auto.h"
#include "solver/common/call.h"

#define TOL 1e-5

typedef struct caller {
    const perp_problem *p;
    double accepts; /* largest residual that the caller accepts */
    int asked;
    double shown; /* residual of the last answer */
} caller;

static bool enough(const double *z, void *ctx) {
    caller *c = ctx;
    perp_measures m;
    assert_int_equal(perp_problem_measure(c->p, z, &m), PERP_OK);
    c->asked++;
    c->shown = m.natural;
    return m.natural <= c->accepts;
}

static perp_outcome solve_for(caller *c, double *z, perp_solve_info *info) {
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    perp_call call = {.arena = &arena, .deadline = INFINITY, .enough = enough, .enough_ctx = c};
    *info = (perp_solve_info){0};
    memset(z, 0, sizeof *z * (size_t)perp_problem_size(c->p));
    perp_outcome o = pp_auto_cone(c->p, TOL, false, z, &call, info);
    pp_arena_free(&arena);
    return o;
}

static void accepted_early(void **state) {
    (void)state;
    scene s = scene_deposited(scene_posing(0.01), 100, 0.3, 1, 1 + 1e-4);
    perp_stored *stored = scene_posed(&s);
    const perp_problem *p = perp_stored_problem(stored);
    double *z = malloc(sizeof *z * (size_t)perp_problem_size(p));
    assert_non_null(z);
    perp_solve_info info;
    perp_measures m;
    caller strict = {.p = p, .accepts = 0}, lenient = {.p = p, .accepts = 100 * TOL};
    assert_int_equal(solve_for(&strict, z, &info), PERP_OUTCOME_SOLVED);
    print_message("strict: asked %d times, %d factorisations: %s\n", strict.asked, info.factorisations, info.story);
    assert_true(strict.asked > 0);
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    assert_true(m.natural <= TOL);
    assert_int_equal(solve_for(&lenient, z, &info), PERP_OUTCOME_SOLVED);
    print_message("lenient: asked %d times, %d factorisations: %s\n", lenient.asked, info.factorisations, info.story);
    assert_int_equal(lenient.asked, 1);
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    assert_true(m.natural == lenient.shown && m.natural > TOL && m.natural <= 100 * TOL);
    free(z);
    perp_stored_free(stored);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(accepted_early)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
