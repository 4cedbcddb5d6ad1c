/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_step_cone.c - a step problem as a cone problem: matrices, the way back, guesses, the judge of the disc */
#include "check.h"

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "problem/convert/convert.h"
#include "problem/rows.h"
#include "problem/convert/cone_condensed.h"
#include "problem/convert/to_cone.h"
#include "stage/solve/solve_memory.h"

typedef struct answer {
    perp_step_solution s;
    double nu[6 * RP_BLOCKS], p_joint[RP_ROWS], p_contact[3 * RP_ROWS], sigma[RP_ROWS];
} answer;

static perp_step_solution *room(answer *a) {
    memset(a, 0, sizeof *a);
    a->s = (perp_step_solution){.nu = a->nu, .p_joint = a->p_joint, .p_contact = a->p_contact, .sigma = a->sigma};
    return &a->s;
}

static rp_step some_problem(int round) {
    const rp_options o = {.dim = 2 + round % 2,
                          .blocks = 1 + rp_int(RP_BLOCKS),
                          .contacts = rp_int(8),
                          .bilateral = rp_int(3),
                          .springs = round % 3 ? 0 : 2,
                          .limits = rp_int(3),
                          .boxes = rp_int(3),
                          .fixed = rp_int(2),
                          .mu = round % 5 ? 0.8 : 0,
                          .mass_ratio = 100};
    rp_step s;
    rp_step_make(&s, &o);
    for (int i = 0; i < s.p.ncontact; i++) {
        if (rp_int(3)) s.contact[i].nd = PERP_CONE_DIRECTIONS;
        if (rp_int(4) == 0) s.contact[i].nd = 0;
    }
    return s;
}

static void repoint(rp_step *s) { /* a copied one points into the original */
    s->p.block_ndof = s->ndof;
    s->p.block_offset = s->offset;
    s->p.M = s->M, s->p.Minv = s->Minv, s->p.momentum = s->momentum;
    s->p.joint = s->joint, s->p.contact = s->contact;
}

static bool rubs(const perp_contact_row *c) { return c->nd != 0 && c->mu > 0; }

/* M v = f + H r and u = H'v + b + C r hold for the velocity and the rows of the step, whatever r is. */
static void same_equations(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        rp_step s = some_problem(round);
        repoint(&s);
        pp_step_cone c;
        assert_int_equal(pp_step_to_cone(&s.p, &arena, &c), PERP_OK);
        const perp_cone *k = &c.problem.as.cone;
        int cones = 0;
        for (int i = 0; i < s.p.ncontact; i++) cones += rubs(&s.contact[i]);
        assert_int_equal(k->ncontact, cones);
        assert_int_equal(k->nrow, s.p.njoint + s.p.ncontact - cones);
        assert_int_equal(c.n, k->nrow + s.p.dim * cones);
        assert_int_equal(perp_problem_size(&c.problem), c.n);
        double r[4 * RP_ROWS];
        for (int i = 0; i < c.n; i++) r[i] = rp_unit();
        answer a;
        pp_step_cone_recover(&c, r, room(&a));
        for (int j = 0; j < s.p.ndof; j++) { /* momentum, by columns of M and H; entries in order */
            for (int e = k->M.start[j] + 1; e < k->M.start[j + 1]; e++) assert_true(k->M.index[e - 1] < k->M.index[e]);
            double left = 0;
            for (int e = k->M.start[j]; e < k->M.start[j + 1]; e++) left += k->M.value[e] * a.nu[k->M.index[e]];
            double right = k->f[j]; /* M is symmetric: column j is row j */
            for (int i = 0; i < c.n; i++)
                for (int e = k->H.start[i]; e < k->H.start[i + 1]; e++)
                    if (k->H.index[e] == j) right += k->H.value[e] * r[i];
            assert_near(left, right, 1e-9 * (1 + fabs(left)));
        }
        for (int i = 0; i < c.n; i++) {
            double u = k->b[i] + (k->compliance ? k->compliance[i] * r[i] : 0);
            for (int e = k->H.start[i]; e < k->H.start[i + 1]; e++) u += k->H.value[e] * a.nu[k->H.index[e]];
            double expected = NAN;
            if (i < s.p.njoint) {
                const perp_joint_row *row = &s.joint[i];
                expected = pp_row_dot(&s.p, &row->row, a.nu) + row->b + row->compliance * a.p_joint[i];
                assert_true(k->lo[i] == row->lo && k->hi[i] == row->hi);
            }
            for (int q = 0; q < s.p.ncontact; q++) {
                const perp_contact_row *row = &s.contact[q];
                double w[3] = {pp_row_dot(&s.p, &row->n, a.nu) + row->b_n, pp_row_dot(&s.p, &row->t, a.nu) + row->b_t,
                               s.p.dim == 3 ? pp_row_dot(&s.p, &row->o, a.nu) + row->b_o : 0};
                int rows = rubs(row) ? s.p.dim : 1;
                if (i >= c.at[q] && i < c.at[q] + rows) expected = w[i - c.at[q]];
                if (rows > 1) assert_near(a.sigma[q], hypot(w[1], w[2]), 1e-12);
            }
            assert_near(u, expected, 1e-11);
        }
        pp_arena_reset(&arena);
    }
}

/* A guess is the impulses themselves where they are allowed, else the nearest allowed; and it comes back. */
static void guess_and_back(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        rp_step s = some_problem(round);
        repoint(&s);
        pp_step_cone c;
        assert_int_equal(pp_step_to_cone(&s.p, &arena, &c), PERP_OK);
        answer from, to;
        room(&from);
        room(&to);
        for (int j = 0; j < s.p.njoint; j++) from.p_joint[j] = 2 * rp_sym();
        for (int i = 0; i < 3 * s.p.ncontact; i++) from.p_contact[i] = rp_sym();
        double r[4 * RP_ROWS];
        pp_step_cone_guess(&c, &(perp_step_solution){.p_joint = from.p_joint, .p_contact = from.p_contact}, r);
        pp_step_cone_recover(&c, r, &to.s);
        for (int j = 0; j < s.p.njoint; j++) {
            const perp_joint_row *row = &s.joint[j];
            assert_true(to.p_joint[j] == fmin(fmax(from.p_joint[j], row->lo), row->hi));
        }
        for (int i = 0; i < s.p.ncontact; i++) {
            const double *x = from.p_contact + 3 * i, *y = to.p_contact + 3 * i;
            double limit = rubs(&s.contact[i]) ? s.contact[i].mu * fmax(0, x[0]) : 0;
            double o = s.p.dim == 3 ? x[2] : 0;
            assert_true(y[0] == fmax(0, x[0]));
            assert_below(hypot(y[1], y[2]), limit * (1 + 1e-15));
            assert_near(y[1] * o, y[2] * x[1], 1e-15); /* the same direction */
            if (hypot(x[1], o) <= limit) assert_true(y[1] == x[1] && y[2] == o);
        }
        pp_arena_reset(&arena);
    }
}

/* Velocity of row i of the cone problem. */
static double velocity_of(const pp_step_cone *c, int i, const double *r, const double *nu) {
    const perp_cone *k = &c->problem.as.cone;
    double u = k->b[i] + (k->compliance ? k->compliance[i] * r[i] : 0);
    for (int e = k->H.start[i]; e < k->H.start[i + 1]; e++) u += k->H.value[e] * nu[k->H.index[e]];
    return u;
}

/* Joints of a robot with rows of all kinds; bilateral rows are taken for such, boxes too in every other round, and limits for open ones. */
static rp_step some_robot(int round, int redundant, pp_row_use *use) {
    const rp_options o = {.dim = 3,
                          .blocks = RP_BLOCKS,
                          .contacts = 3,
                          .bilateral = 6,
                          .redundant = redundant,
                          .springs = 3,
                          .limits = 3,
                          .boxes = 3,
                          .fixed = 1,
                          .mu = 0.8,
                          .mass_ratio = 10};
    rp_step s;
    rp_step_make(&s, &o);
    for (int i = 0; i < s.p.ncontact; i++) s.contact[i].nd = PERP_CONE_DIRECTIONS;
    for (int i = 0; i < 4 * RP_ROWS; i++) use[i] = PP_ROW_KEPT;
    for (int j = 0; j < s.p.njoint; j++) {
        const perp_joint_row *r = &s.joint[j];
        if (!isfinite(r->lo) && !isfinite(r->hi)) use[j] = PP_ROW_FREE;
        if (isfinite(r->lo) && isfinite(r->hi) && r->lo < r->hi && round % 2) use[j] = PP_ROW_FREE;
        if (isfinite(r->lo) && !isfinite(r->hi)) use[j] = PP_ROW_OPEN;
    }
    return s;
}

/* Whatever the kept rows do: eliminated rows hold, the condensed matrix gives the velocities of the kept rows, and rows that are not what they
 * were taken for are found. */
static void condensed(void **state) {
    (void)state;
    int wrong = 0, right = 0;
    for (int round = 0; round < 200; round++) {
        pp_row_use use[4 * RP_ROWS], before[4 * RP_ROWS];
        rp_step s = some_robot(round, 0, use);
        repoint(&s);
        pp_step_cone c;
        pp_cone_condensed k;
        bool held;
        answer a;
        assert_int_equal(pp_step_to_cone(&s.p, &arena, &c), PERP_OK);
        memcpy(before, use, sizeof use);
        assert_int_equal(pp_cone_condense(&c, use, &arena, NULL, &k, &held), PERP_OK);
        if (held) continue; /* two bodies that many rows hold */
        double kept[4 * RP_ROWS], scale = 1;
        for (int i = 0; i < k.n; i++) kept[i] = rp_unit();
        const double *r = pp_cone_condensed_expand(&k, kept);
        for (int i = 0; i < c.n; i++) scale = fmax(scale, fabs(r[i]));
        pp_step_cone_recover(&c, r, room(&a));
        for (int i = 0; i < c.n; i++) {
            if (before[i] == PP_ROW_FREE) assert_near(velocity_of(&c, i, r, a.nu), 0, 1e-10 * scale);
            if (before[i] == PP_ROW_OPEN) assert_true(r[i] == 0);
        }
        const perp_cone *local = &k.problem.as.cone;
        for (int i = 0; i < k.n; i++) {
            double u = local->q[i];
            for (int e = local->W.start[i]; e < local->W.start[i + 1]; e++)
                u += local->W.value[e] * kept[local->W.index[e]];
            assert_true(r[k.kept[i]] == kept[i]);
            assert_near(u, velocity_of(&c, k.kept[i], r, a.nu), 1e-8 * scale);
        }
        bool holds = pp_cone_condensed_holds(&k), expected = true;
        for (int j = 0; j < s.p.njoint; j++) {
            const perp_joint_row *row = &s.joint[j];
            bool good = before[j] == PP_ROW_KEPT || (before[j] == PP_ROW_FREE ? r[j] >= row->lo && r[j] <= row->hi
                                                                              : velocity_of(&c, j, r, a.nu) >= 0);
            assert_true(use[j] == (good ? before[j] : PP_ROW_KEPT));
            expected = expected && good;
        }
        assert_true(holds == expected);
        *(holds ? &right : &wrong) += 1;
        pp_arena_reset(&arena);
    }
    assert_true(right > 5 && wrong > 5);
}

/* Rows that follow from others are not eliminated. */
static void dependent_rows_are_held(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        pp_row_use use[4 * RP_ROWS];
        rp_step s = some_robot(round, 1, use);
        repoint(&s);
        pp_step_cone c;
        pp_cone_condensed k;
        bool held;
        assert_int_equal(pp_step_to_cone(&s.p, &arena, &c), PERP_OK);
        assert_int_equal(pp_cone_condense(&c, use, &arena, NULL, &k, &held), PERP_OK);
        assert_true(held);
        pp_arena_reset(&arena);
    }
}

/* Two condensed problems, to the bit. */
static void assert_same_problem(const pp_cone_condensed *x, const pp_cone_condensed *y, const double *kept) {
    const perp_cone *a = &x->problem.as.cone, *b = &y->problem.as.cone;
    size_t n = (size_t)x->n;
    assert_int_equal(x->n, y->n);
    assert_memory_equal(a->q, b->q, n * sizeof *a->q);
    assert_memory_equal(a->W.value, b->W.value, n * n * sizeof *a->q);
    double all[4 * RP_ROWS];
    memcpy(all, pp_cone_condensed_expand(x, kept), (size_t)x->cone->n * sizeof *all);
    assert_memory_equal(pp_cone_condensed_expand(y, kept), all, (size_t)x->cone->n * sizeof *all);
}

/* Changes one number of the matrices: of a row, a mass or a compliance; or what a row is taken for. */
static void change(rp_step *s, int what, pp_row_use *use) {
    for (int j = 0; j < s->p.njoint; j++) {
        perp_joint_row *r = &s->joint[j];
        if (use[j] != PP_ROW_FREE || !(what == 2 ? r->compliance > 0 : r->row.block[1] >= 0)) continue;
        if (what == 0) r->row.J[1][0] += 0.5;
        if (what == 1) s->Minv[36 * r->row.block[1]] *= 2;
        if (what == 2) r->compliance *= 2;
        if (what == 3) use[j] = PP_ROW_KEPT;
        return;
    }
}

/* A problem condensed from the memory of one with the same matrices and other right-hand sides has the same numbers as without a memory. One with
 * other matrices is condensed anew. */
static void condensed_from_memory(void **state) {
    (void)state;
    pp_cone_memory memory = {0};
    int recalled = 0, anew = 0;
    for (int round = 0; round < 200; round++) {
        pp_row_use use[4 * RP_ROWS];
        rp_step s = some_robot(round, 0, use);
        repoint(&s);
        pp_step_cone c;
        pp_cone_condensed first, with, without;
        bool held;
        assert_int_equal(pp_step_to_cone(&s.p, &arena, &c), PERP_OK);
        assert_int_equal(pp_cone_condense(&c, use, &arena, &memory, &first, &held), PERP_OK);
        if (!held) {
            for (int j = 0; j < s.p.njoint; j++) s.joint[j].b += rp_sym();
            for (int i = 0; i < s.p.ncontact; i++) s.contact[i].b_n += rp_sym();
            for (int i = 0; i < s.p.ndof; i++) s.momentum[i] += rp_sym();
            if (round % 2) change(&s, round / 2 % 4, use);
            assert_int_equal(pp_step_to_cone(&s.p, &arena, &c), PERP_OK);
            const char *before = memory.bytes;
            assert_int_equal(pp_cone_condense(&c, use, &arena, &memory, &with, &held), PERP_OK);
            bool from_memory = (const char *)with.L >= before && (const char *)with.L < before + memory.cap;
            assert_true(from_memory == (round % 2 == 0));
            *(from_memory ? &recalled : &anew) += 1;
            if (!held) {
                double kept[4 * RP_ROWS];
                for (int i = 0; i < with.n; i++) kept[i] = rp_unit();
                assert_int_equal(pp_cone_condense(&c, use, &arena, NULL, &without, &held), PERP_OK);
                assert_same_problem(&with, &without, kept);
            }
        }
        pp_arena_reset(&arena);
    }
    assert_true(recalled > 5 && anew > 5);
    pp_cone_memory_destroy(&memory, &arena.alloc);
}

static void assert_figures(const perp_step_problem *p, const pp_row_figure *figure) {
    for (int i = 0; i < PP_FIGURES(p); i++) {
        pp_row_figure own = pp_step_figure(p, pp_figure_row(p, i));
        assert_memory_equal(&figure[i], &own, sizeof own);
    }
}

/* Figures of rows are the same with a memory as without, whatever changed since. The judge finds the same with them. */
static void figures_from_memory(void **state) {
    (void)state;
    pp_solve_memory memory = {0};
    for (int round = 0; round < 100; round++) {
        rp_step s = some_problem(round);
        repoint(&s);
        answer a;
        room(&a);
        for (int i = 0; i < s.p.ndof; i++) a.nu[i] = rp_sym();
        for (int j = 0; j < s.p.njoint; j++) a.p_joint[j] = rp_sym();
        for (int i = 0; i < s.p.ncontact; i++) a.p_contact[3 * i] = rp_unit();
        for (int what = 0; what < 5; what++) {
            pp_row_figure *figure = PP_ARENA_ARRAY(&arena, pp_row_figure, PP_FIGURES(&s.p));
            int block = rp_int(s.p.nblock);
            if (what == 1) s.Minv[36 * block] *= 2;
            if (what == 2) s.momentum[s.offset[block]] += 1;
            if (what == 3 && s.p.njoint) s.joint[rp_int(s.p.njoint)].row.J[1][0] += 0.5;
            if (what == 4 && s.p.ncontact) s.contact[rp_int(s.p.ncontact)].t.J[1][0] += 0.5;
            pp_row_figures(&s.p, &memory, &arena.alloc, figure);
            assert_figures(&s.p, figure);
            double scale = pp_step_scale(&s.p);
            assert_true(pp_step_scale_by(&s.p, figure) == scale);
            perp_step_residual x = pp_step_residual_at(&s.p, &a.s, scale),
                               y = pp_step_residual_by(&s.p, figure, &a.s, scale);
            assert_memory_equal(&x, &y, sizeof x);
        }
        pp_arena_reset(&arena);
    }
    pp_solve_memory_destroy(&memory, &arena.alloc);
}

/* Neither an LCP nor a mixed one can hold a true cone; without friction there is none. */
static void refused_by_lcp(void **state) {
    (void)state;
    rp_options o = {.dim = 3, .blocks = 2, .contacts = 2, .mu = 0.5};
    rp_step s;
    rp_step_make(&s, &o);
    pp_converted c;
    s.contact[0].mu = s.contact[1].mu = 0.5;
    s.contact[1].nd = PERP_CONE_DIRECTIONS;
    assert_int_equal(pp_convert(&s.p, PERP_LCP, &arena, &c), PERP_E_FIT);
    assert_int_equal(pp_convert(&s.p, PERP_MLCP, &arena, &c), PERP_E_FIT);
    s.contact[1].mu = 0;
    assert_int_equal(pp_convert(&s.p, PERP_LCP, &arena, &c), PERP_OK);
    s.momentum[1] = NAN;
    pp_step_cone k;
    assert_int_equal(pp_step_to_cone(&s.p, &arena, &k), PERP_E_SOLVE);
}

/* The residual of the conversion is that of the library's judge. */
static void judged_alike(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        rp_step s = some_problem(round);
        repoint(&s);
        pp_step_cone c;
        assert_int_equal(pp_step_to_cone(&s.p, &arena, &c), PERP_OK);
        if (c.n == 0) continue;
        answer from, a;
        room(&from);
        for (int j = 0; j < s.p.njoint; j++) from.p_joint[j] = rp_sym();
        for (int i = 0; i < 3 * s.p.ncontact; i++) from.p_contact[i] = rp_sym();
        double r[4 * RP_ROWS];
        pp_step_cone_guess(&c, &(perp_step_solution){.p_joint = from.p_joint, .p_contact = from.p_contact},
                           r); /* so that nothing is cleaned on the way back */
        pp_step_cone_recover(&c, r, room(&a));
        double judge = perp_problem_residual(&c.problem, r);
        assert_near(pp_step_cone_residual(&c, &a.s, NULL), judge, 1e-10 * (1 + judge));
        pp_arena_reset(&arena);
    }
}

/* The judge of a step: the disc is what polygons with many corners come near, and in 2D the line. */
static void disc_and_polygon(void **state) {
    (void)state;
    for (int round = 0; round < 100; round++) {
        rp_options o = {.dim = 2 + round % 2, .blocks = 2, .contacts = 3, .mu = 0.8, .nd = 1024};
        rp_step s;
        rp_step_make(&s, &o);
        answer a;
        room(&a);
        for (int i = 0; i < s.p.ndof; i++) a.nu[i] = rp_sym();
        for (int i = 0; i < 3 * s.p.ncontact; i++) a.p_contact[i] = s.p.dim == 2 && i % 3 == 2 ? 0 : rp_unit();
        for (int i = 0; i < s.p.ncontact; i++) s.contact[i].nd = s.p.dim == 2 ? 2 : 1024;
        perp_step_residual polygon = perp_step_problem_residual(&s.p, &a.s);
        for (int i = 0; i < s.p.ncontact; i++) s.contact[i].nd = PERP_CONE_DIRECTIONS;
        perp_step_residual disc = perp_step_problem_residual(&s.p, &a.s);
        double tol = s.p.dim == 2 ? 1e-14 : 4e-3 * (1 + polygon.dissipation);
        assert_near(disc.cone, polygon.cone, tol);
        assert_near(disc.dissipation, polygon.dissipation, tol);
        assert_true(disc.normal == polygon.normal && disc.scale == polygon.scale);
        if (s.p.dim == 2) { /* nothing out of the plane */
            a.p_contact[2] = 0.25;
            a.p_contact[0] = 2;
            assert_true(perp_step_problem_residual(&s.p, &a.s).cone > 1e-3);
        }
        a.p_contact[1] = NAN;
        assert_true(perp_step_problem_residual(&s.p, &a.s).cone == INFINITY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_equations),      cmocka_unit_test(guess_and_back),
        cmocka_unit_test(condensed),           cmocka_unit_test(dependent_rows_are_held),
        cmocka_unit_test(refused_by_lcp),      cmocka_unit_test(judged_alike),
        cmocka_unit_test(disc_and_polygon),    cmocka_unit_test(condensed_from_memory),
        cmocka_unit_test(figures_from_memory),
    };
    return cmocka_run_group_tests_name("step problem as cones", tests, arena_setup, arena_teardown);
}
