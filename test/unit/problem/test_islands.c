/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Islands: every row and every block that has one in exactly one part, parts that share no block, and the same answer
 * apart as together */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "problem/convert/convert.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "solver/common/solver.h"

static rp_step s;

static perp_step_solution room(const perp_step_problem *p) {
    return (perp_step_solution){.nu = PP_ARENA_ZERO(&arena, double, p->ndof),
                                .p_joint = PP_ARENA_ZERO(&arena, double, p->njoint),
                                .p_contact = PP_ARENA_ZERO(&arena, double, 3 * p->ncontact),
                                .sigma = PP_ARENA_ZERO(&arena, double, p->ncontact)};
}

static void solve(const perp_step_problem *p, perp_step_solution *out) {
    pp_converted c;
    assert_int_equal(pp_convert(p, PERP_LCP, &arena, &c), PERP_OK);
    double *z = PP_ARENA_ZERO(&arena, double, c.n);
    perp_solve_info info;
    if (c.n > 0) {
        assert_int_equal(perp_problem_solve(&c.problem, "lemke", z, &info), PERP_OK);
        assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);
    }
    assert_int_equal(pp_recover(&c, z, &arena, out), PERP_OK);
}

static void options(int round, rp_options *o) {
    *o = (rp_options){.dim = 2 + round % 2,
                      .blocks = 1 + rp_int(RP_BLOCKS),
                      .contacts = rp_int(5),
                      .bilateral = rp_int(3),
                      .limits = rp_int(2),
                      .mass_ratio = 1};
}

/* Which island holds each block, row and contact; each at most once. */
static void check_partition(const perp_step_problem *p, const pp_island *island, int n) {
    int block[RP_BLOCKS], joints = 0, contacts = 0, last = -1;
    for (int i = 0; i < RP_BLOCKS; i++) block[i] = -1;
    for (int k = 0; k < n; k++) {
        const perp_step_problem *q = &island[k].p;
        assert_true(q->nblock > 0 && q->njoint + q->ncontact > 0);
        assert_true(island[k].block[0] > last); /* in order of their first blocks */
        last = island[k].block[0];
        int dof = 0;
        for (int i = 0; i < q->nblock; i++) {
            int b = island[k].block[i];
            assert_int_equal(block[b], -1);
            block[b] = k;
            assert_int_equal(q->block_ndof[i], p->block_ndof[b]);
            assert_int_equal(q->block_offset[i], dof);
            dof += q->block_ndof[i];
            assert_memory_equal(q->Minv + 36 * i, p->Minv + 36 * b, 36 * sizeof(double));
        }
        assert_int_equal(dof, q->ndof);
        joints += q->njoint;
        contacts += q->ncontact;
    }
    assert_int_equal(joints, p->njoint);
    assert_int_equal(contacts, p->ncontact);
    for (int k = 0; k < n; k++) /* rows see the same bodies under their new numbers */
        for (int i = 0; i < island[k].p.ncontact; i++) {
            const perp_row *a = &island[k].p.contact[i].t, *b = &p->contact[island[k].contact[i]].t;
            for (int e = 0; e < 2; e++) {
                if (b->block[e] < 0)
                    assert_true(a->block[e] < 0);
                else
                    assert_int_equal(island[k].block[a->block[e]], b->block[e]);
            }
        }
}

static void apart_as_together(void **state) {
    (void)state;
    int several = 0;
    for (int round = 0; round < 2000; round++) {
        pp_arena_reset(&arena);
        rp_options o;
        options(round, &o);
        rp_step_make(&s, &o);
        pp_island *island;
        int n;
        assert_int_equal(pp_islands_split(&s.p, &arena, &island, &n), PERP_OK);
        check_partition(&s.p, island, n);
        several += n > 1;
        /* without friction the velocity is unique */
        perp_step_solution whole = room(&s.p), parts = room(&s.p);
        solve(&s.p, &whole);
        perp_step_problem bare = s.p;
        bare.njoint = bare.ncontact = 0;
        pp_step_velocity(&bare, NULL, NULL, parts.nu);
        for (int k = 0; k < n; k++) {
            perp_step_solution part = room(&island[k].p), again = room(&island[k].p);
            solve(&island[k].p, &part);
            pp_island_scatter(&island[k], &s.p, &part, &parts);
            pp_island_gather(&island[k], &parts, &again);
            assert_memory_equal(again.p_joint, part.p_joint, (size_t)island[k].p.njoint * sizeof(double));
            assert_memory_equal(again.p_contact, part.p_contact, (size_t)island[k].p.ncontact * 3 * sizeof(double));
        }
        double size = 1;
        for (int i = 0; i < s.p.ndof; i++) size = fmax(size, fabs(whole.nu[i]));
        for (int i = 0; i < s.p.ndof; i++) assert_true(fabs(whole.nu[i] - parts.nu[i]) <= 1e-9 * size);
        perp_step_residual r = perp_step_problem_residual(&s.p, &parts);
        assert_true(fmax(fmax(r.normal, r.joint), r.momentum) <= 1e-9 * r.scale + 1e-12);
    }
    assert_true(several > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(apart_as_together)};
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
