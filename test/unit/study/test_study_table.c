/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_study_table.c - expressions over trials, parts of a study, files that do not belong together; with rows made by hand. */
#include "unit/study_help.h"

/* A row of the study `plan` with these three measures. */
static void add_row(pp_table *t, uint64_t number, int outcome, double x, double twice, double far) {
    union {
        pp_row row;
        char room[sizeof(pp_row) + 7 * sizeof(double)];
    } u;
    memset(&u, 0, sizeof u);
    u.row.number = number;
    u.row.outcome = (uint8_t)outcome;
    u.row.steps = (uint32_t)number;
    u.row.t_end = 0.5;
    const double v[7] = {(double)(number % 3) - 1, 0, 0.1, 2, x, twice, far};
    memcpy((char *)&u + offsetof(pp_row, value), v, sizeof v);
    if (outcome >= PP_TRIAL_UNSOLVED) snprintf(u.row.why, sizeof u.row.why, "reason %d", (int)number);
    assert_int_equal(pp_table_add(t, &u.row, NULL), PERP_OK);
}

/* Expressions over trials, against numbers found by hand: 12 trials of 6 cells, of which 2 failed and one has no x. */
static void test_over(void **state) {
    (void)state;
    perp_refusal why = {0};
    pp_study *s = open_study(plan, &why);
    pp_table t;
    pp_table_init(&t, s);
    for (uint64_t k = 0; k < 10; k++) add_row(&t, k, PP_TRIAL_DONE, (double)(k * k), k == 9 ? NAN : 1, k < 7);
    add_row(&t, 10, PP_TRIAL_UNSOLVED, 1e6, 1e6, 1);
    add_row(&t, 11, PP_TRIAL_REFUSED, NAN, NAN, NAN);
    assert_true(over(s, &t, "trials()") == 12);
    assert_true(over(s, &t, "failed()") == 2);
    assert_true(over(s, &t, "failed(\"outcome == 3\")") == 1);
    assert_true(over(s, &t, "count(\"far\")") == 7);
    assert_near(over(s, &t, "fraction(\"far\")"), 0.7, 1e-15);
    /* Wilson's interval of 7 of 10, z = 1.959964: (0.7 + z^2/20 -+ z sqrt(0.021 + z^2/400))/(1 + z^2/10) */
    assert_near(over(s, &t, "lower(\"far\")"), 0.396778, 1e-6);
    assert_near(over(s, &t, "upper(\"far\")"), 0.892209, 1e-6);
    assert_true(over(s, &t, "total(\"x\")") == 285);
    assert_near(over(s, &t, "mean(\"x\")"), 28.5, 1e-12);
    assert_near(over(s, &t, "median(\"x\")"), 20.5, 1e-12);
    assert_near(over(s, &t, "deviation(\"x\")"), sqrt((15333 - 10 * 28.5 * 28.5) / 9), 1e-12);
    assert_true(over(s, &t, "smallest(\"x\")") == 0 && over(s, &t, "largest(\"x\")") == 81);
    assert_near(over(s, &t, "quantile(\"x\", 0.25)"), 4 + 0.25 * 5, 1e-12);
    assert_true(over(s, &t, "quantile(\"x\", 1)") == 81 && isnan(over(s, &t, "quantile(\"x\", 1.5)")));
    /* missing measures are not counted */
    assert_near(over(s, &t, "mean(\"twice\")"), 1, 1e-15);
    assert_near(over(s, &t, "fraction(\"twice\")"), 1, 1e-15);
    assert_near(over(s, &t, "upper(\"twice\")"), 1, 1e-15);
    assert_near(over(s, &t, "lower(\"twice\")"), 9 / (9 + 3.8414588), 1e-6); /* n/(n + z^2) */
    /* conditions: class 1 has cells 3, 4, 5; sample 1 has trials 6 to 11 */
    assert_true(over(s, &t, "total(\"x\", \"floor == high\")") == 9 + 16 + 25 + 81);
    assert_true(over(s, &t, "total(\"x\", \"floor == low\")") == 0 + 1 + 4 + 36 + 49 + 64);
    assert_true(over(s, &t, "total(\"x\", \"sample == 1\")") == 36 + 49 + 64 + 81);
    assert_true(over(s, &t, "trials(\"cell == 5\")") == 2);
    assert_true(over(s, &t, "total(\"x\", \"trial > 7.5 && t_end == 0.5\")") == 64 + 81);
    assert_true(over(s, &t, "total(\"x\", \"steps == 4 || far > 1\")") == 16);
    assert_true(over(s, &t, "total(\"x\", \"a == 1\")") == 4 + 25 + 64);
    assert_true(isnan(over(s, &t, "mean(\"x\", \"trial > 100\")")));
    assert_true(isnan(over(s, &t, "deviation(\"x\", \"trial == 3\")")));
    pp_table_free(&t);
    pp_study_close(s);
}

static pp_study_file *file_of(const char *path, const pp_study *s, const pp_table *t, uint64_t of, uint64_t rest) {
    perp_refusal why = {0};
    pp_study_file *f;
    (void)remove(path);
    assert_int_equal(pp_study_file_create(path, s, NULL, 24, &f, &why), PERP_OK);
    for (uint64_t i = t->n; i-- > 0;) /* in no order */
        if (i % of == rest) assert_int_equal(pp_study_file_add(f, pp_table_row(t, i), &why), PERP_OK);
    assert_int_equal(pp_study_file_commit(f, &why), PERP_OK);
    return f;
}

/* Parts in any order are the whole; the same trial twice counts once; with another result it is refused. */
static void test_parts(void **state) {
    (void)state;
    perp_refusal why = {0};
    pp_study *s = open_study(plan, &why);
    pp_table t, other, back;
    uint64_t whole = 0, parts = 0;
    pp_table_init(&t, s);
    pp_table_init(&other, s);
    for (uint64_t k = 0; k < 24; k++) add_row(&t, k, k % 5 == 4 ? PP_TRIAL_UNSOLVED : PP_TRIAL_DONE, (double)k, 1, 0);
    for (uint64_t k = 0; k < 24; k++) add_row(&other, k, PP_TRIAL_DONE, k == 17 ? 1 : (double)k, 1, 0);
    pp_study_file *f[4] = {file_of("unit-whole.h5", s, &t, 1, 0), file_of("unit-part0.h5", s, &t, 2, 0),
                           file_of("unit-part1.h5", s, &t, 2, 1), file_of("unit-other.h5", s, &other, 24, 17)};
    assert_int_equal(pp_study_digest(f, 1, &whole, &why), PERP_OK);
    pp_study_file *const turned[3] = {f[2], f[0], f[1]};
    assert_int_equal(pp_study_digest(turned, 3, &parts, &why), PERP_OK);
    assert_int_equal(whole, parts);
    assert_int_equal(pp_study_digest(f + 1, 1, &parts, &why), PERP_OK);
    assert_true(whole != parts);
    pp_study_file *const wrong[2] = {f[0], f[3]};
    assert_int_equal(pp_study_digest(wrong, 2, &parts, &why), PERP_E_ARG);
    assert_non_null(strstr(why.text, "trial 17 is there twice with different results"));
    pp_table_init(&back, s);
    assert_int_equal(pp_table_load(&back, turned, 3, &why), PERP_OK);
    assert_int_equal(back.n, 24);
    for (uint64_t k = 0; k < 24; k++) {
        const pp_row *r = pp_table_row(&back, k);
        assert_int_equal(r->number, k);
        assert_int_equal(r->steps, k);
        assert_true(r->value[4] == (double)k);
        char reason[40] = "";
        if (k % 5 == 4) snprintf(reason, sizeof reason, "reason %d", (int)k);
        assert_string_equal(r->why, reason);
    }
    for (int i = 0; i < 4; i++) pp_study_file_close(f[i]);
    pp_table_free(&back);
    pp_table_free(&t);
    pp_table_free(&other);
    pp_study_close(s);
    (void)remove("unit-whole.h5"), (void)remove("unit-part0.h5"), (void)remove("unit-part1.h5");
    (void)remove("unit-other.h5");
}

/* A file whose rows are of another study is refused, also if it says that it is of the same plan. */
static void test_misfit(void **state) {
    (void)state;
    perp_refusal why = {0};
    pp_study *s = open_study(plan, &why), *o = open_lines("vary: {a: [1]}\nmeasure: {x: 'last(\"block.x\")'}\n");
    pp_table none, t;
    pp_table_init(&none, s);
    pp_table_init(&t, o);
    pp_study_file *f = file_of("unit-misfit.h5", s, &none, 1, 0);
    assert_false(pp_study_file_fits(f, o));
    assert_int_equal(pp_table_load(&t, &f, 1, &why), PERP_E_ARG);
    pp_study_file_close(f);
    assert_int_equal(pp_study_file_extend("unit-misfit.h5", o, pp_study_plan(s, NULL, false), &f, &why), PERP_E_ARG);
    pp_study_close(s);
    pp_study_close(o);
    (void)remove("unit-misfit.h5");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_over), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_misfit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
