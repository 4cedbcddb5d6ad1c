/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Every solver and both forms on the step problems of random scenes: the same velocities wherever those are unique.
 * Impulses need not agree, they are not unique. */
#include "thorough.h"
#include "unique.h"

#define SCENES long_run(200)
#define STEPS  40

typedef struct tally {
    int problems, contacts, several;
    int enumerated, pgs_converged;
    int pgs_other; /* problems where lemke's answers agree but pgs finds another that obeys the laws: these have several velocities too */
    double worst_mlcp, worst_enumerate, worst_pgs;
} tally;

static void compare(const perp_step_problem *p, tally *t) {
    double ref[64], other[64];
    assert_true(p->ndof <= 64);
    if (p->ncontact == 0) return;
    t->problems++;
    t->contacts += p->ncontact;
    if (!solve_apart(p, "lemke", PERP_LCP, 1 << 20, -1, ref))
        fail_msg("lemke did not solve an LCP of %d contacts", p->ncontact);
    bool mlcp = solve_apart(p, "lemke", PERP_MLCP, 1 << 20, -1, other);
    if (!mlcp) fail_msg("lemke did not solve a mixed LCP of %d contacts", p->ncontact);
    if (several_velocities(p, ref)) {
        t->several++;
        return;
    }
    t->worst_mlcp = fmax(t->worst_mlcp, largest_difference(p->ndof, ref, other));
    if (solve_apart(p, "enumerate", PERP_LCP, 13, -1, other)) {
        t->enumerated++;
        t->worst_enumerate = fmax(t->worst_enumerate, largest_difference(p->ndof, ref, other));
    }
    if (solve_apart(p, "pgs", PERP_LCP, 1 << 20, -1, other)) {
        double e = largest_difference(p->ndof, ref, other);
        t->pgs_converged++;
        if (e > 1e-8)
            t->pgs_other++;
        else
            t->worst_pgs = fmax(t->worst_pgs, e);
    }
}

static void agree(int dim) {
    tally t = {0};
    for (unsigned seed = 0; seed < (unsigned)SCENES; seed++) {
        perp_world_def d = world_def(dim, 5e-3, PERP_START_PLAIN);
        d.friction_directions = 4;
        scene s = scene_random(d, (unsigned)seed_of(seed), scene_view_plain(), false);
        for (int i = 0; i < STEPS; i++) {
            run_steps(&s, 1);
            if (i % 8 == 7) compare(perp_world_problem(s.w), &t);
        }
        scene_end(&s);
    }
    print_message("%dD: %d problems with %d contacts, %d of them with several velocities by lemke, %d by pgs; of the "
                  "others enumerate answered %d, pgs %d; "
                  "largest differences of velocity: mixed LCP %.2e, enumerate %.2e, pgs %.2e\n",
                  dim, t.problems, t.contacts, t.several, t.pgs_other, t.enumerated, t.pgs_converged - t.pgs_other,
                  t.worst_mlcp, t.worst_enumerate, t.worst_pgs);
    assert_true(t.problems > 2 * SCENES);
    /* with two directions friction is exact and these scenes are unique; in space several contacts of a body may share
     * its weight */
    assert_true(t.several <= (dim == 2 ? 0 : t.problems / 4));
    assert_true(t.pgs_other <= (dim == 2 ? 0 : t.problems / 200));
    assert_true(t.enumerated > SCENES / 4);
    assert_true(t.pgs_converged > t.problems / 2);
    assert_below(t.worst_mlcp, 1e-8);
    assert_below(t.worst_enumerate, 1e-8);
    assert_below(t.worst_pgs, 1e-8);
}

static void planar(void **state) {
    (void)state;
    agree(2);
}

static void spatial(void **state) {
    (void)state;
    agree(3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(planar), cmocka_unit_test(spatial)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
