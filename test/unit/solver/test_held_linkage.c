/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_held_linkage.c - contacts on a linkage that cannot move, as an LCP with the joints eliminated
 * Two bars, each pinned to the ground and both to each other, are a triangle: six rows for six degrees of freedom. Exact
 * elimination leaves nothing of a contact on a bar, neither mobility nor velocity. In floating point the pins are off by
 * rounding, of which b is made by division by h, and a velocity of -1e-13 that nothing can push back would be no LCP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "perp/solve.h"
#include "problem/convert/convert.h"

#ifdef PERP_TEST_SHORT
#define ROUNDS 200
#else
#define ROUNDS 2000
#endif
#define CONTACTS 3

static rp_step s;

typedef struct bar {
    double centre[2], turn, half; /* its axis is at the angle turn */
} bar;

static void at(const bar *b, double along, double *arm) {
    arm[0] = along * cos(b->turn);
    arm[1] = along * sin(b->turn);
}

static bar between(const double *from, const double *to) {
    double dx = to[0] - from[0], dy = to[1] - from[1];
    return (bar){{0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])}, atan2(dy, dx), 0.5 * hypot(dx, dy)};
}

/* Two rows: the end of bar `b` on that of bar `a`, or on the ground (-1) at `pin`, which moves with velocity `drive`. */
static void add_pin(const bar *bars, int a, int b, double end, const double *pin, const double *drive) {
    double arm[6] = {0}, error[2];
    at(&bars[b], end * bars[b].half, arm + 3);
    if (a >= 0) at(&bars[a], end * bars[a].half, arm);
    for (int k = 0; k < 2; k++) {
        double d[3] = {k == 0, k == 1, 0}, other = a >= 0 ? bars[a].centre[k] + arm[k] : pin[k];
        error[k] = bars[b].centre[k] + arm[3 + k] - other;
        perp_joint_row *j = &s.joint[s.p.njoint++];
        *j = (perp_joint_row){.lo = -INFINITY, .hi = INFINITY, .b = error[k] / s.p.h - (drive ? drive[k] : 0)};
        rp_row(&s, &j->row, a, b, d, arm);
    }
}

/* A triangle of bars of random shape, with contacts on them; speed: of the bars before the step, at random. */
static void make_triangle(double h, double mu, double speed, const double *drive) {
    double left[2] = {3 * rp_sym(), rp_sym()}, right[2] = {left[0] + 1 + rp_unit(), rp_sym()};
    double top[2] = {left[0] + rp_unit(), 1.5 + rp_unit()};
    bar bars[2] = {between(left, top), between(right, top)};
    memset(&s, 0, sizeof s);
    s.p = (perp_step_problem){.dim = 2,
                              .h = h,
                              .nblock = 2,
                              .ndof = 6,
                              .block_ndof = s.ndof,
                              .block_offset = s.offset,
                              .M = s.M,
                              .Minv = s.Minv,
                              .momentum = s.momentum,
                              .joint = s.joint,
                              .ncontact = CONTACTS,
                              .contact = s.contact};
    for (int i = 0; i < 2; i++) {
        double m = 0.5 + rp_unit(), inertia = m * bars[i].half * bars[i].half / 3;
        s.ndof[i] = 3;
        s.offset[i] = 3 * i;
        for (int k = 0; k < 3; k++) {
            s.M[36 * i + 7 * k] = k < 2 ? m : inertia;
            s.momentum[3 * i + k] = s.M[36 * i + 7 * k] * (speed * rp_sym() - (k == 1 ? 9.81 * h : 0));
        }
        rp_invert(3, s.M + 36 * (ptrdiff_t)i, s.Minv + 36 * (ptrdiff_t)i);
    }
    add_pin(bars, -1, 0, -1, left, drive);
    add_pin(bars, -1, 1, -1, right, drive);
    add_pin(bars, 0, 1, 1, NULL, NULL);
    for (int i = 0; i < CONTACTS; i++) {
        perp_contact_row *c = &s.contact[i];
        int on = rp_int(2);
        double arm[6] = {0}, angle = 3.141592653589793 * rp_sym(), n[3] = {cos(angle), sin(angle), 0},
               t[3] = {-n[1], n[0], 0};
        at(&bars[on], rp_sym() * bars[on].half, arm + 3);
        rp_row(&s, &c->n, -1, on, n, arm);
        rp_row(&s, &c->t, -1, on, t, arm);
        c->mu = mu;
        c->nd = mu > 0 ? 2 : 0;
    }
}

/* Nothing is left, to the bit: no mobility, and no velocity. */
static void test_nothing_is_left(void **state) {
    (void)state;
    static const double steps[] = {1e-2, 1e-3, 1e-4};
    for (int round = 0; round < ROUNDS; round++) {
        make_triangle(steps[round % 3], round % 2 ? 0.5 : 0, round % 5 ? 0 : 100, NULL);
        pp_arena_reset(&arena);
        pp_converted c;
        assert_int_equal(pp_convert(&s.p, PERP_LCP, &arena, &c), PERP_OK);
        int impulses = CONTACTS + c.nf;
        for (int i = 0; i < impulses; i++) {
            if (c.q[i] != 0) fail_msg("round %d: q[%d] is %g", round, i, c.q[i]);
            for (int j = 0; j < impulses; j++) assert_true(c.M[i + (ptrdiff_t)c.n * j] == 0);
        }
        double z[3 * CONTACTS + CONTACTS] = {0};
        char why[200];
        if (perp_problem_check(&c.problem, why, sizeof why)) fail_msg("round %d: %s", round, why);
        assert_int_equal(perp_problem_solve(&c.problem, "auto", z, NULL), PERP_OK);
    }
}

/* Driven pins move the whole mechanism slowly. This motion is larger than rounding. If a contact blocks it, the certificate reports that. */
static void test_what_is_driven_stays(void **state) {
    (void)state;
    int refused = 0, passed = 0;
    for (int round = 0; round < ROUNDS / 4; round++) {
        double drive[2] = {1e-7 * rp_sym(), 1e-7 * rp_sym()}, least = INFINITY;
        make_triangle(1e-2, 0, 0, drive);
        pp_arena_reset(&arena);
        pp_converted c;
        assert_int_equal(pp_convert(&s.p, PERP_LCP, &arena, &c), PERP_OK);
        for (int i = 0; i < CONTACTS; i++) {
            const double *n = s.contact[i].n.J[1];
            double expected = n[0] * drive[0] + n[1] * drive[1];
            least = fmin(least, expected);
            if (!(fabs(c.q[i] - expected) < 1e-9)) fail_msg("round %d: q is %g, not %g", round, c.q[i], expected);
        }
        if (fabs(least) < 1e-8) continue;
        double z[3 * CONTACTS + CONTACTS] = {0};
        perp_solve_info info;
        (void)perp_solve(&c.problem, NULL, z, &info);
        bool bad = info.outcome == PERP_OUTCOME_INFEASIBLE;
        assert_true(bad == (least < 0) && (bad || info.outcome == PERP_OUTCOME_SOLVED));
        refused += bad;
        passed += !bad;
    }
    assert_true(refused > ROUNDS / 100 && passed > ROUNDS / 100); /* both came up */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_what_is_driven_stays),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
