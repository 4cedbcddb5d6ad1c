/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Piles in which few spheres move while all others stand still: `auto` finds answers to Coulomb's law, in which most do
 * stand still. Solved as a whole, they all creep in one of these piles, and for another there is no answer to 1e-8. */
#include "check.h"

#include <stdlib.h>

#include "perp/problem_file.h"

#define SPHERES 200
#define TOL     1e-8
#define STEP_H  0.01 /* T */
#define FEW     30   /* spheres that move; the others stand */

/* Spheres that move faster than a millionth of what gravity makes in the step. */
static int moving(const perp_cone *p, const double *r) {
    double *v = malloc(sizeof *v * (size_t)p->M.rows);
    assert_non_null(v);
    assert_int_equal(perp_cone_velocity(p, r, NULL, v), PERP_OK);
    int count = 0;
    for (int i = 0; i < p->M.rows; i += 6) {
        double most = 0;
        for (int k = i; k < i + 6; k++) most = fmax(most, fabs(v[k]));
        count += most > 1e-6 * 9.81 * STEP_H;
    }
    free(v);
    return count;
}

static void few_move(void **state) {
    (void)state;
    static const struct {
        double mu;
        unsigned seed;
    } pile[] = {{0.5, 2}, {0.3, 1}, {0.3, 2}, {0.3, 3}, {0.3, 5}};
    for (size_t k = 0; k < sizeof pile / sizeof *pile; k++) {
        scene s = scene_deposited(scene_posing(STEP_H), SPHERES, pile[k].mu, pile[k].seed, 1 + 1e-4);
        perp_stored *stored = scene_posed(&s);
        const perp_problem *p = perp_stored_problem(stored);
        double *r = calloc((size_t)perp_problem_size(p), sizeof *r);
        assert_non_null(r);
        perp_solve_options o = {.tol = TOL};
        perp_solve_info info;
        perp_measures ms;
        perp_status st = perp_solve(p, &o, r, &info);
        assert_int_equal(perp_problem_measure(p, r, &ms), PERP_OK);
        int count = moving(&p->as.cone, r);
        if (st || !(ms.natural <= TOL) || count > FEW)
            fail_msg("mu %g, seed %u: %s, %d of %d move, %.1e: %s", pile[k].mu, pile[k].seed, perp_status_name(st),
                     count, SPHERES, ms.natural, info.story);
        free(r);
        perp_stored_free(stored);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_move)};
    return cmocka_run_group_tests_name("few bodies of a pile move", tests, NULL, NULL);
}
