/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The kept set of hard cone problems (problems/hard, captured by bench/hard.c): `auto`, called as the step called it, solves each of
 * them to the tolerance of the step, by the judge's residual, and all together with bounded work. */
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/problem_file.h"
#include "solver/common/solver.h"

#define FOLDER   PERP_TEST_DIR "/../problems/hard"
#define SLACK    2     /* of the tolerance: the judge sums in another order */
#define ROUNDING 1e-11 /* residual that rounding of gaps explains */
#define LEAST    40    /* problems that there must be */
#define MOST     1.3e9 /* multiplications of all; 6.5e8 when the set was made, 1.3e9 before the stages were made few */

/* The tolerance and the choice of loads of the step are in the title. */
static double solve_file(const char *path) {
    perp_stored *s;
    perp_refusal why;
    if (perp_problem_read(path, NULL, &s, NULL, &why)) fail_msg("%s", why.text);
    const perp_problem *p = perp_stored_problem(s);
    size_t n = (size_t)perp_problem_size(p);
    double *z = calloc(n + 1, sizeof *z), tol = 1e-9;
    int loads = PP_LOADS_ANY;
    assert_non_null(z);
    if (sscanf(perp_stored_title(s), "tol %lf loads %d", &tol, &loads) == 2 && perp_stored_guess(s))
        memcpy(z, perp_stored_guess(s), n * sizeof *z);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    pp_work work = {.limit = INFINITY};
    perp_call call = {.arena = &arena, .deadline = INFINITY, .work = &work, .loads = (pp_load_choice)loads};
    pp_settings settings;
    perp_solve_info info;
    perp_measures m;
    pp_settings_default(&pp_solver_auto, tol, &settings);
    assert_int_equal(pp_solve_within(&call, &pp_solver_auto, &settings, p, z, &info), PERP_OK);
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    if (!(m.natural <= fmax(SLACK * tol, ROUNDING)))
        fail_msg("%s: %.1e, asked for %.1e: %s", path, m.natural, tol, info.story);
    pp_arena_free(&arena);
    free(z);
    perp_stored_free(s);
    return work.done;
}

static void all_are_solved(void **state) {
    (void)state;
    DIR *d = opendir(FOLDER);
    assert_non_null(d);
    int count = 0;
    double work = 0;
    for (struct dirent *e; (e = readdir(d)); count++) {
        char path[1024];
        if (!strstr(e->d_name, ".h5")) {
            count--;
            continue;
        }
        snprintf(path, sizeof path, FOLDER "/%s", e->d_name);
        work += solve_file(path);
    }
    closedir(d);
    print_message("%d problems, %.3g multiplications\n", count, work);
    assert_true(count >= LEAST);
    assert_below(work, MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_are_solved)};
    return cmocka_run_group_tests_name("kept set of hard problems", tests, NULL, NULL);
}
