/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_soft_newton.c - Newton's method over the velocities of soft rows: the judge accepts its answers, which are unique;
 * what it leaves to others */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "method/first_order/first_order.h"

static double nu[6 * RP_BLOCKS], p_joint[RP_ROWS], p_contact[3 * RP_ROWS], sigma[RP_ROWS], p_spin[RP_ROWS];
static const perp_step_solution room = {
    .nu = nu, .p_joint = p_joint, .p_contact = p_contact, .sigma = sigma, .p_spin = p_spin};

/* Rows of all kinds with compliances over many decades. */
static void make_soft(rp_step *s, int dim, double mu, double stiffest) {
    rp_options o = {.dim = dim,
                    .blocks = 1 + rp_int(RP_BLOCKS),
                    .contacts = 8 + rp_int(RP_ROWS - 8),
                    .springs = rp_int(3),
                    .limits = rp_int(4),
                    .boxes = rp_int(3),
                    .mu = mu,
                    .mass_ratio = 10};
    rp_step_make(s, &o);
    for (int i = 0; i < s->p.ncontact; i++) {
        s->contact[i].compliance = pow(10, -stiffest * rp_unit() + 2);
        s->contact[i].b_n -= rp_unit(); /* many are pressed */
    }
    for (int j = 0; j < s->p.njoint; j++) s->joint[j].compliance = pow(10, -stiffest * rp_unit() + 2);
}

static double worst_of(const perp_step_residual *r) {
    return fmax(fmax(fmax(r->momentum, r->joint), fmax(r->normal, r->cone)), r->dissipation);
}

static void answers(void **state) {
    (void)state;
    int pressed = 0;
    for (int trial = 0; trial < 400; trial++) {
        rp_step s;
        make_soft(&s, 2 + trial % 2, 0, 6);
        pp_arena_reset(&arena);
        perp_step_solution x = room;
        assert_true(pp_soft_newton(&s.p, NULL, &arena, &x));
        perp_step_residual r = perp_step_problem_residual(&s.p, &x);
        if (!(worst_of(&r) <= 1e-10 * r.scale)) fail_msg("trial %d: %g of %g", trial, worst_of(&r), r.scale);
        /* from its own answer and from a remote guess it finds the same solution */
        double again[6 * RP_BLOCKS];
        memcpy(again, nu, sizeof nu);
        for (int i = 0; i < s.p.ncontact; i++) {
            pressed += p_contact[3 * i] > 0;
            if (trial % 3 == 0) p_contact[3 * i] = 10 * rp_unit();
        }
        perp_step_solution guess = room;
        double other[6 * RP_BLOCKS];
        x.nu = other;
        assert_true(pp_soft_newton(&s.p, &guess, &arena, &x));
        for (int i = 0; i < s.p.ndof; i++) assert_true(fabs(other[i] - again[i]) <= 1e-9 * (r.scale + fabs(again[i])));
    }
    assert_true(pressed > 400);
}

/* Friction that something makes slip, rigid rows, rows too stiff for doubles, few rows. */
static void declines(void **state) {
    (void)state;
    rp_step s;
    make_soft(&s, 3, 0.5, 4);
    pp_arena_reset(&arena);
    perp_step_solution x = room;
    for (int i = 0; i < s.p.ncontact; i++) s.contact[i].mu = 0.3, s.contact[i].b_t += 1;
    assert_false(pp_soft_newton(&s.p, NULL, &arena, &x));
    make_soft(&s, 3, 0, 4);
    assert_true(pp_soft_newton(&s.p, NULL, &arena, &x));
    s.contact[0].compliance = 0;
    assert_false(pp_soft_newton(&s.p, NULL, &arena, &x));
    s.contact[0].compliance = 1e-15;
    assert_false(pp_soft_newton(&s.p, NULL, &arena, &x));
    s.contact[0].compliance = 1;
    s.p.ncontact = 4;
    s.p.njoint = 0;
    assert_false(pp_soft_newton(&s.p, NULL, &arena, &x));
}

/* Contacts with friction that nothing makes slip need none. */
static void needs_no_friction(void **state) {
    (void)state;
    rp_step s;
    make_soft(&s, 3, 0, 4);
    s.p.njoint = 0;
    for (int i = 0; i < s.p.ndof; i++) s.momentum[i] = 0;
    for (int i = 0; i < s.p.ncontact; i++) {
        s.contact[i].mu = 0.3;
        s.contact[i].nd = PERP_CONE_DIRECTIONS;
        s.contact[i].b_t = s.contact[i].b_o = 0;
        s.contact[i].b_n = 1; /* open */
    }
    pp_arena_reset(&arena);
    perp_step_solution x = room;
    assert_true(pp_soft_newton(&s.p, NULL, &arena, &x));
    perp_step_residual r = perp_step_problem_residual(&s.p, &x);
    assert_true(worst_of(&r) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers), cmocka_unit_test(declines),
                                       cmocka_unit_test(needs_no_friction)};
    return cmocka_run_group_tests_name("soft newton", tests, arena_setup, arena_teardown);
}
