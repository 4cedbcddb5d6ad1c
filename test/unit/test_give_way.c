/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Rigid rows of a jammed island are lent a compliance: how much, to which rows, and that what they give is told as a violation of
 * rigid laws. */
#include "world_help.h"

#include <string.h>

#include "oracle/random_problem.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "stage/solve/give_way.h"
#include "model/world_data.h"

#define PART 1e-6 /* of its inverse mass that a row is lent: what give_way.c states */

static rp_step s;
static double nu[6 * RP_BLOCKS], p_joint[RP_ROWS], p_contact[3 * RP_ROWS], p_spin[RP_ROWS], sigma[RP_ROWS];

static const perp_step_solution answer = {
    .nu = nu, .p_joint = p_joint, .p_contact = p_contact, .p_spin = p_spin, .sigma = sigma};

/* A frame with a random problem in which nothing is asked to open. */
static pp_frame frame_of(perp_world *w, int dim) {
    rp_options o = {.dim = dim,
                    .blocks = 2 + rp_int(4),
                    .contacts = 1 + rp_int(6),
                    .bilateral = 3,
                    .springs = 1,
                    .limits = 2,
                    .boxes = 2,
                    .mu = 0.5,
                    .mass_ratio = 1e3};
    rp_step_make(&s, &o);
    for (int i = 0; i < s.p.ncontact; i++) s.contact[i].b_n_kin = s.contact[i].b_n = fmax(0, s.contact[i].b_n);
    for (int i = 0; i < s.p.njoint; i++) {
        bool lower = s.joint[i].lo > -INFINITY, upper = s.joint[i].hi < INFINITY;
        s.joint[i].kind = s.joint[i].compliance > 0 ? PERP_ROW_SPRING
                          : !lower && !upper        ? PERP_ROW_JOINT
                          : lower && upper          ? PERP_ROW_MOTOR
                                                    : PERP_ROW_LIMIT;
    }
    return (pp_frame){.w = w, .pose = {.problem = s.p}, .solve = {.solution = answer}};
}

static bool rigid(const perp_joint_row *r) { return r->kind == PERP_ROW_JOINT || r->kind == PERP_ROW_LIMIT; }

static void rigid_rows_are_lent_a_millionth(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    perp_world *w = world_of(&d);
    for (int round = 0; round < 300; round++) {
        pp_frame f = frame_of(w, 2 + round % 2);
        pp_island *island;
        int n;
        OK(w, pp_islands_split(&f.pose.problem, &w->arena, &island, &n));
        for (int k = 0; k < n; k++) {
            bool gives = false, again = true, any = island[k].p.ncontact > 0;
            for (int i = 0; i < island[k].p.njoint; i++) any |= rigid(&island[k].p.joint[i]);
            OK(w, pp_give_way(&f, &island[k], &gives));
            assert_int_equal(gives, any);
            OK(w, pp_give_way(&f, &island[k], &again));
            assert_false(again);
            for (int i = 0; i < island[k].p.ncontact; i++)
                assert_true(island[k].p.contact[i].compliance ==
                            f.pose.problem.contact[island[k].contact[i]].compliance);
        }
        for (int i = 0; i < s.p.ncontact; i++) {
            double W = pp_row_inverse_mass(&s.p, &s.contact[i].n);
            NEAR(f.pose.problem.contact[i].compliance, PART * W, 1e-12 * PART * W);
            NEAR(f.solve.lent_contact[i], PART * W, 1e-12 * PART * W);
            assert_true(f.pose.problem.contact[i].compliance_f == s.contact[i].compliance_f);
        }
        for (int i = 0; i < s.p.njoint; i++) {
            double lent = rigid(&s.joint[i]) ? PART * pp_row_inverse_mass(&s.p, &s.joint[i].row) : 0;
            NEAR(f.solve.lent_joint[i], lent, 1e-12 * lent);
            NEAR(f.pose.problem.joint[i].compliance, s.joint[i].compliance + lent,
                 1e-12 * (s.joint[i].compliance + lent));
        }
        pp_arena_reset(&w->arena);
    }
    perp_world_destroy(w);
}

/* A contact that pushes with p and moves at -c p obeys the law that it was lent, and violates its own by c p. */
static void what_gives_way_violates_its_law(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    perp_world *w = world_of(&d);
    for (int round = 0; round < 300; round++) {
        pp_frame f = frame_of(w, 2 + round % 2);
        pp_island *island;
        perp_step_residual law = {0};
        int n, rows = -1;
        assert_true(pp_gave_way(&f, NULL, &law, &rows) == 0 && rows == 0); /* nothing was lent anything */
        OK(w, pp_islands_split(&f.pose.problem, &w->arena, &island, &n));
        bool gives;
        for (int k = 0; k < n; k++) OK(w, pp_give_way(&f, &island[k], &gives));
        double factor = round % 3 == 0 ? 1 : 10 * rp_unit(),
               most = 0; /* an answer that gives way by another part is told by that */
        perp_contact_row *row = PP_ARENA_ARRAY(&w->arena, perp_contact_row, s.p.ncontact);
        memset(nu, 0, sizeof nu), memset(p_joint, 0, sizeof p_joint), memset(p_contact, 0, sizeof p_contact);
        memcpy(row, f.pose.problem.contact, (size_t)s.p.ncontact * sizeof *row);
        f.pose.problem.contact = row;
        f.pose.problem.njoint = 0;
        for (int i = 0; i < s.p.ncontact; i++) {
            double p = p_contact[3 * i] = 1e3 * rp_unit();
            row[i].b_n = -factor * f.solve.lent_contact[i] * p;
            row[i].mu = 0;
            most = fmax(most, -row[i].b_n);
        }
        NEAR(pp_gave_way(&f, NULL, &law, &rows), most, 1e-9 * most);
        NEAR(law.normal, most, 1e-9 * most);
        assert_int_equal(rows, s.p.ncontact);
        pp_arena_reset(&w->arena);
    }
    perp_world_destroy(w);
}

static void rebounds_are_not_lent_anything(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    perp_world *w = world_of(&d);
    pp_frame f = frame_of(w, 2);
    s.contact[0].b_n = -1;
    pp_island *island;
    int n, given = 0;
    OK(w, pp_islands_split(&f.pose.problem, &w->arena, &island, &n));
    for (int k = 0; k < n; k++) {
        bool gives;
        OK(w, pp_give_way(&f, &island[k], &gives));
        for (int i = 0; i < island[k].p.ncontact; i++) given += !gives && island[k].contact[i] == 0;
    }
    assert_int_equal(given, 1);
    assert_true(f.pose.problem.contact[0].compliance == 0);
    perp_world_destroy(w);
}

/* A motor without force limit that was lent a compliance is not taken for a servo, which has one of its own. */
static void a_motor_that_gives_is_no_servo(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    perp_world *w = world_of(&d);
    pp_frame f = frame_of(w, 2);
    s.joint[0].kind = s.joint[1].kind = PERP_ROW_MOTOR;
    s.joint[0].lo = s.joint[1].lo = -INFINITY;
    s.joint[0].hi = s.joint[1].hi = INFINITY;
    s.joint[0].compliance = 0;
    s.joint[1].compliance = 1e3 * pp_row_inverse_mass(&s.p, &s.joint[1].row);
    pp_island *island;
    int n;
    bool gives;
    OK(w, pp_islands_split(&f.pose.problem, &w->arena, &island, &n));
    for (int k = 0; k < n; k++) OK(w, pp_give_way(&f, &island[k], &gives));
    assert_true(f.pose.problem.joint[0].compliance > 0);
    assert_false(pp_row_is_servo(&f, 0));
    assert_true(pp_row_is_servo(&f, 1));
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_rows_are_lent_a_millionth), cmocka_unit_test(what_gives_way_violates_its_law),
        cmocka_unit_test(rebounds_are_not_lent_anything), cmocka_unit_test(a_motor_that_gives_is_no_servo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
