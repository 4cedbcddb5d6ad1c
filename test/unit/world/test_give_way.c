/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Rigid rows of a jammed island get a temporary compliance. Tests: its size, the rows that get it, and that the certificate reports their
 * opening as a violation of the rigid laws. */
#include "unit/world_help.h"

#include <string.h>

#include "oracle/random_problem.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "stage/solve/give_way.h"
#include "stage/solve/solve.h"
#include "model/world_data.h"

#define PART 1e-6 /* of its inverse mass that a row is lent: what give_way.c states */

static rp_step s;
static double nu[6 * RP_BLOCKS], p_joint[RP_ROWS], p_contact[3 * RP_ROWS], p_spin[RP_ROWS], sigma[RP_ROWS];

static const perp_step_solution answer = {
    .nu = nu, .p_joint = p_joint, .p_contact = p_contact, .p_spin = p_spin, .sigma = sigma};

/* A frame with a random problem in which no row has to open. */
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

/* A motor without force limit that got a temporary compliance does not count as a servo, which has its own compliance. */
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

#define SPEED 0.5 /* that is asked for [L/T] */

/* Two bodies at rest in space, of mass 1 and `light`, without rows. */
static void two_bodies(double light) {

    memset(&s, 0, sizeof s);
    for (int b = 0; b < 2; b++) {
        s.ndof[b] = 6;
        s.offset[b] = 6 * b;
        for (int i = 0; i < 6; i++) {
            double m = b ? light : 1;
            s.M[36 * b + 7 * i] = m;
            s.Minv[36 * b + 7 * i] = 1 / m;
        }
    }
    s.p = (perp_step_problem){.dim = 3,
                              .h = 0.01,
                              .nblock = 2,
                              .ndof = 12,
                              .block_ndof = s.ndof,
                              .block_offset = s.offset,
                              .M = s.M,
                              .Minv = s.Minv,
                              .momentum = s.momentum,
                              .joint = s.joint,
                              .contact = s.contact};
}

/* A row that can only push, between bodies a and b (-1: an obstacle or a driven body), along d and, on b, about m. */
static void add_stop(int a, int b, perp_vec3 d, perp_vec3 m, double speed) {
    perp_joint_row *r = &s.joint[s.p.njoint++];
    *r = (perp_joint_row){.row = {.block = {a, b}, .J = {{-d.x, -d.y, -d.z}, {d.x, d.y, d.z, m.x, m.y, m.z}}},
                          .b = -speed,
                          .b_kin = -speed,
                          .hi = INFINITY,
                          .kind = PERP_ROW_LIMIT,
                          .joint = -1};
}

static perp_status solve_jam(perp_world *w, double *give) {
    perp_step_residual law = {0};
    int rows;
    pp_frame f = {.w = w, .s0 = &w->state, .s1 = &w->state, .h = 0.01, .pose = {.problem = s.p}};
    pp_arena_reset(&w->arena);
    perp_status st = pp_solve_step(&f, &(pp_solve_options){.no_lift = true});
    *give = st ? 0 : pp_gave_way(&f, NULL, &law, &rows);
    return st;
}

/* Four stops push a heavy body from the corners of a tetrahedron, one of them by a light body in between. They contradict each other by four
 * times their speed. A row gives way by its inverse mass, so the two rows of the light body give half of that each, nearly: the relative
 * speed of two bodies that move at the speed that is asked for, one against the other. Faster is nothing that rows ask for themselves. */
static void rows_give_way_at_twice_the_speeds(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    const double r = 1 / sqrt(3), light = 1e-3;
    const perp_vec3 n[4] = {{r, r, r}, {r, -r, -r}, {-r, r, -r}, {-r, -r, r}}, none = {0, 0, 0};
    two_bodies(light);
    for (int i = 0; i < 3; i++) add_stop(-1, 0, n[i], none, SPEED);
    add_stop(-1, 1, n[3], none, SPEED);
    add_stop(1, 0, n[3], none, 0);
    double give, sum = 3 + 1 / light + (1 + 1 / light); /* of the inverse masses along the four normals */
    OK(w, solve_jam(w, &give));
    print_message("star: a row gives way at %.6g of the speed\n", give / SPEED);
    NEAR(give, 4 * SPEED * (1 + 1 / light) / sum, 1e-4 * SPEED);
    assert_true(give > 1.99 * SPEED);
    perp_world_destroy(w);
}

/* A lever that is pressed at its short arm against a stop at its long one, ten times as long: the stop would give way at 5 times the
 * speed. Nothing moves that fast, so this is not accepted as an answer. */
static void a_lever_does_not_give_way(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    const perp_vec3 y = {0, 1, 0}, down = {0, -1, 0}, none = {0, 0, 0};
    const double arm = 20;
    two_bodies(1);
    s.M[35 + 36] = 1e-4, s.Minv[35 + 36] = 1e4; /* it turns easily */
    add_stop(-1, 1, y, perp_v3(0, 0, 0.1 * arm), SPEED);
    add_stop(-1, 1, down, perp_v3(0, 0, -arm), 0);
    add_stop(-1, 1, y, none, 0);
    add_stop(-1, 1, down, none, 0);
    double give;
    perp_status st = solve_jam(w, &give);
    print_message("lever: %s %s, %g\n", perp_status_name(st), perp_world_why(w), give / SPEED);
    assert_int_equal(st, PERP_E_SOLVE);
    assert_non_null(strstr(perp_world_why(w), "more than twice the speeds of the problem"));
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_rows_are_lent_a_millionth),   cmocka_unit_test(what_gives_way_violates_its_law),
        cmocka_unit_test(rebounds_are_not_lent_anything),    cmocka_unit_test(a_motor_that_gives_is_no_servo),
        cmocka_unit_test(rows_give_way_at_twice_the_speeds), cmocka_unit_test(a_lever_does_not_give_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
