/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_dictionary.c - exchanges in a dictionary keep its equations, however late a column sees them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/random_problem.h"
#include "solver/pivot/dictionary.h"

enum { N = 24, EXCHANGES = 5 * N }; /* more than are remembered, so some are forgotten on the way */

typedef struct subject {
    pp_dictionary d;
    void *room;
    double M[N * N], q[N], cover[N];
    double value[2 * N + 1]; /* of z, w and the artificial variable: w = q + M z + cover a */
} subject;

/* Any values of z and a, and the w that goes with them. */
static void choose_values(subject *s) {
    double a = rp_sym();
    for (int i = 0; i < N; i++) s->value[i] = rp_sym();
    for (int i = 0; i < N; i++) {
        double w = s->q[i] + s->cover[i] * a;
        for (int j = 0; j < N; j++) w += s->M[i + N * j] * s->value[j];
        s->value[N + i] = w;
    }
    s->value[2 * N] = a;
}

static void begin(subject *s) {
    pp_workspace count = {0};
    pp_dictionary_lay_out(&s->d, N, &count);
    s->room = malloc(count.used);
    assert_non_null(s->room);
    pp_workspace c = {s->room, 0};
    pp_dictionary_lay_out(&s->d, N, &c);
    s->d.count = 0;
    for (int i = 0; i < N * N; i++) s->M[i] = rp_sym();
    for (int i = 0; i < N; i++) s->q[i] = rp_sym(), s->cover[i] = 1 + rp_unit();
    memcpy(s->d.T, s->M, sizeof s->M);
    memcpy(s->d.T + N * N, s->cover, sizeof s->cover);
    memcpy(s->d.b, s->q, sizeof s->q);
    pp_dictionary_start(&s->d);
    choose_values(s);
}

/* Largest error of basic = b + T nonbasic at those values. */
static double error(subject *s) {
    double x[N], most = 0;
    memcpy(x, s->d.b, sizeof x);
    for (int j = 0; j <= N; j++) {
        const double *c = pp_dictionary_column(&s->d, j);
        for (int i = 0; i < N; i++) x[i] += c[i] * s->value[s->d.nonbasic[j]];
    }
    for (int i = 0; i < N; i++) most = fmax(most, fabs(x[i] - s->value[s->d.basic[i]]));
    return most;
}

/* Exchanges the variable of a column with that of the row of its largest entry, so that rounding stays small. The
 * artificial variable stays where it is. */
static void exchange(subject *s, int col) {
    const double *c = pp_dictionary_column(&s->d, col);
    int row = -1;
    for (int i = 0; i < N; i++)
        if (row < 0 || fabs(c[i]) > fabs(c[row])) row = i;
    pp_dictionary_pivot(&s->d, row, col);
}

static void test_equations_hold(void **state) {
    (void)state;
    rp_seed = 7;
    subject s;
    begin(&s);
    assert_true(s.d.most < EXCHANGES);
    for (int k = 0; k < EXCHANGES; k++) {
        exchange(&s, rp_int(N));
        if (k % 17 == 0) assert_true(error(&s) < 1e-9);
    }
    assert_true(error(&s) < 1e-9);
    assert_int_equal(s.d.count, EXCHANGES);
    assert_false(s.d.whole);
    free(s.room);
}

/* The same exchanges give the same bits, whether columns are computed after each exchange or at the end. */
static void test_late_is_the_same(void **state) {
    (void)state;
    rp_seed = 11;
    subject late, early;
    begin(&late);
    rp_seed = 11;
    begin(&early);
    for (int k = 0; k < EXCHANGES; k++) {
        int col = (7 * k) % N;
        exchange(&late, col);
        exchange(&early, col);
        for (int j = 0; j <= N; j++) (void)pp_dictionary_column(&early.d, j);
    }
    for (int j = 0; j <= N; j++)
        assert_memory_equal(pp_dictionary_column(&late.d, j), pp_dictionary_column(&early.d, j), N * sizeof(double));
    assert_memory_equal(late.d.b, early.d.b, sizeof late.q);
    free(late.room);
    free(early.room);
}

/* Another right side and another covering vector, with exchanges remembered (few) and forgotten (many). */
static void another_side(int exchanges, bool whole) {
    rp_seed = 13;
    subject s;
    begin(&s);
    for (int k = 0; k < exchanges; k++) exchange(&s, (5 * k) % N);
    assert_true(s.d.whole == whole);
    for (int i = 0; i < N; i++) s.q[i] = rp_sym();
    choose_values(&s);
    pp_dictionary_point(&s.d, s.q);
    assert_true(error(&s) < 1e-9);
    for (int k = 0; k < N; k++) { /* the inverse basis is what a unit of q_k does */
        double before[N];
        memcpy(before, s.d.b, sizeof before);
        s.q[k] += 1;
        pp_dictionary_point(&s.d, s.q);
        for (int i = 0; i < N; i++) assert_true(fabs(s.d.b[i] - before[i] - pp_dictionary_inverse(&s.d, i, k)) < 1e-9);
    }
    double by[N];
    for (int i = 0; i < N; i++) by[i] = i + 1;
    pp_dictionary_cover(&s.d, by);
    assert_memory_equal(pp_dictionary_column(&s.d, -1 - s.d.place[2 * N]), by, sizeof by);
    free(s.room);
}

static void test_another_side(void **state) {
    (void)state;
    another_side(N, true);
    another_side(EXCHANGES, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equations_hold),
        cmocka_unit_test(test_late_is_the_same),
        cmocka_unit_test(test_another_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
