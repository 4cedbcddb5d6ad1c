/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_cone_again.c - Newton's systems with the factors of an earlier one, against factors of their own. */
#include "oracle/convex_help.h"
#include "solver/cone/cone_linear.h"

enum { ROWS = 100, CHANGED = 3, STEPS = 3 * CHANGED + 5 };

/* Sticking: E = I, C = a I, both a little off. */
static void stick(const pp_cone *c, double *C, double *E) {
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        for (int a = 0; a < rows * rows; a++) {
            double on = a % (rows + 1) == 0;
            C[16 * i + a] = 0.3 * on + 0.05 * rp_sym();
            E[16 * i + a] = on + 0.05 * rp_sym();
        }
    }
}

/* Open: E = 0, C = I. */
static void let_go(const pp_cone *c, int i, double *C, double *E) {
    int rows = pp_cone_rows(c, i);
    for (int a = 0; a < rows * rows; a++) C[16 * i + a] = a % (rows + 1) == 0, E[16 * i + a] = 0;
}

/* Three blocks of three rows that open change the system by rank nine: ten steps would do exactly, in body and in
 * contact space. */
static void test_few_changes(void **state) {
    (void)state;
    static rp_step s;
    for (int round = 0; round < long_run(300); round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        perp_call call = {.arena = &arena, .deadline = INFINITY};
        pp_arena_mark mark = pp_arena_here(&arena);
        pp_cone c;
        pp_cone_linear old, own;
        bool singular;
        double C[16 * ROWS], E[16 * ROWS], C1[16 * ROWS], E1[16 * ROWS], b[ROWS], x[ROWS], y[ROWS], r[ROWS];
        double size = 0, left = 0, whole = 0;
        assert_true(pp_cone_make(&c, &p, &call, &singular));
        assert_true(pp_cone_linear_make(&old, &c, &call) && pp_cone_linear_make(&own, &c, &call));
        assert_true(pp_cone_again_room(&old, STEPS, &call));
        stick(&c, C, E);
        assert_true(pp_cone_linear_factor(&old, C, E));
        memcpy(C1, C, sizeof C);
        memcpy(E1, E, sizeof E);
        for (int i = 0; i < CHANGED && i < c.nblock; i++) let_go(&c, rp_int(c.nblock), C1, E1);
        assert_true(pp_cone_linear_factor(&own, C1, E1));
        for (int i = 0; i < c.m; i++) b[i] = rp_sym();
        assert_below(pp_cone_linear_solve(&own, b, x, 1e-13, 5), 1e-9);
        double told = pp_cone_again_solve(&old, C1, E1, b, y, 1e-10);
        assert_below(told, 1e-9);
        pp_cone_linear_product(&own, y, r); /* what it tells is true */
        for (int i = 0; i < c.m; i++) left += (b[i] - r[i]) * (b[i] - r[i]), whole += b[i] * b[i];
        assert_near(sqrt(left / whole), told, 1e-11);
        for (int i = 0; i < c.m; i++) size = fmax(size, fabs(x[i]));
        for (int i = 0; i < c.m; i++) assert_near(y[i], x[i], 1e-6 * size);
        pp_arena_release(&arena, mark);
    }
}

/* Where much has changed, or there is no room, nothing is tried; and the factors keep their own E: after that they
 * solve their own system as before. */
static void test_many_changes(void **state) {
    (void)state;
    static rp_step s;
    int tried = 0;
    for (int round = 0; round < 40; round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        perp_call call = {.arena = &arena, .deadline = INFINITY};
        pp_arena_mark mark = pp_arena_here(&arena);
        pp_cone c;
        pp_cone_linear k;
        bool singular;
        double C[16 * ROWS], E[16 * ROWS], C1[16 * ROWS], E1[16 * ROWS], b[ROWS], x[ROWS], y[ROWS];
        assert_true(pp_cone_make(&c, &p, &call, &singular) && pp_cone_linear_make(&k, &c, &call));
        assert_int_equal(pp_cone_again_worth(&k), 0); /* small: a factorisation costs next to nothing */
        for (int i = 0; i < c.m; i++) b[i] = rp_sym();
        stick(&c, C, E);
        assert_true(pp_cone_linear_factor(&k, C, E));
        assert_true(isinf(pp_cone_again_solve(&k, C, E, b, y, 1e-10)));
        assert_true(pp_cone_again_room(&k, STEPS, &call));
        assert_true(pp_cone_linear_factor(&k, C, E));
        double first = pp_cone_linear_solve(&k, b, x, 1e-13, 5);
        for (int i = 0; i < c.nblock; i++) let_go(&c, i, C1, E1);
        if (c.nblock > CHANGED) tried++, assert_true(isinf(pp_cone_again_solve(&k, C1, E1, b, y, 1e-10)));
        assert_below(pp_cone_again_solve(&k, C, E, b, y, 1e-10), fmax(1e-10, 2 * first));
        pp_arena_release(&arena, mark);
    }
    assert_true(tried > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_changes),
        cmocka_unit_test(test_many_changes),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
