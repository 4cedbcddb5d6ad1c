/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_plugin.c - solvers by name, their settings, and what happens to solvers that lie */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "solver/common/solver.h"

typedef struct my_settings {
    double level;
    int count;
    bool flag;
} my_settings;

static const perp_field my_fields[] = {
    {"level", PERP_FIELD_DOUBLE, offsetof(my_settings, level), 0.5, -1, 2, "a number"},
    {"count", PERP_FIELD_INT, offsetof(my_settings, count), 3, 0, 10, "a whole number"},
    {"flag", PERP_FIELD_BOOL, offsetof(my_settings, flag), 1, 0, 1, "yes or no"},
};

static size_t no_work(const perp_problem *p, const void *s) {
    (void)p, (void)s;
    return 0;
}
/* Says it is done and has done nothing of the kind. */
static perp_outcome lie(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                        perp_solve_info *info) {
    const my_settings *s = set;
    (void)work, (void)call;
    for (int i = 0; i < p->as.lcp.n; i++) z[i] = s->level;
    info->iterations = s->count;
    info->residual = 0; /* nobody believes it */
    return PERP_OUTCOME_SOLVED;
}
static perp_outcome poison(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                           perp_solve_info *info) {
    (void)set, (void)work, (void)call;
    for (int i = 0; i < p->as.lcp.n; i++) z[i] = i ? INFINITY : NAN;
    info->warm = true;
    return PERP_OUTCOME_SOLVED;
}
static perp_outcome nonsense(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                             perp_solve_info *info) {
    (void)p, (void)set, (void)z, (void)work, (void)call, (void)info;
    return (perp_outcome)99;
}

#define MY(name_, takes_, solve_)                                                                                 \
    {                                                                                                             \
        .abi = PERP_ABI, .name = name_, .source = "this test", .takes = takes_, .fields = my_fields, .nfield = 3, \
        .settings_size = sizeof(my_settings), .work_size = no_work, .solve = solve_                               \
    }
static const perp_solver_type liar = MY("liar", PERP_LCP, lie);
static const perp_solver_type poisoner = MY("poisoner", PERP_LCP, poison);
static const perp_solver_type babbler = MY("babbler", PERP_LCP | PERP_MLCP, nonsense);

static void test_builtin(void **state) {
    (void)state;
    const char *names[] = {"auto", "lemke", "pgs", "enumerate"};
    assert_true(perp_solver_count() >= 4);
    for (int i = 0; i < 4; i++) {
        const perp_solver_type *t = perp_solver_find(names[i]);
        assert_non_null(t);
        assert_ptr_equal(t, perp_solver_at(i));
        assert_int_equal(t->abi, PERP_ABI);
        assert_int_equal(t->takes & (PERP_LCP | PERP_MLCP), PERP_LCP | PERP_MLCP);
        assert_true(strlen(t->source) > 5 && t->settings_size <= PERP_SETTINGS_MAX);
    }
    assert_null(perp_solver_find("lemk"));
    assert_null(perp_solver_find(""));
    assert_null(perp_solver_find(NULL));
    assert_null(perp_solver_at(-1));
    assert_null(perp_solver_at(perp_solver_count()));
}

static void test_register(void **state) {
    (void)state;
    int before = perp_solver_count();
    assert_int_equal(perp_solver_register(&liar), PERP_OK);
    assert_int_equal(perp_solver_count(), before + 1);
    assert_ptr_equal(perp_solver_find("liar"), &liar);
    assert_ptr_equal(perp_solver_at(before), &liar);
    assert_int_equal(perp_solver_register(&liar), PERP_E_NAME);
    perp_solver_type copy = liar; /* another with the name of a built-in one */
    copy.name = "lemke";
    assert_int_equal(perp_solver_register(&copy), PERP_E_NAME);
    assert_int_equal(perp_solver_register(NULL), PERP_E_ARG);
#define REFUSED(change)                                            \
    do {                                                           \
        copy = liar;                                               \
        copy.name = "other";                                       \
        change;                                                    \
        assert_int_equal(perp_solver_register(&copy), PERP_E_ARG); \
        assert_null(perp_solver_find("other"));                    \
    } while (0)
    REFUSED(copy.abi = PERP_ABI + 1);
    REFUSED(copy.abi = 0);
    REFUSED(copy.name = NULL);
    REFUSED(copy.name = "");
    REFUSED(copy.name = "two words");
    REFUSED(copy.name = "a.b");
    REFUSED(copy.solve = NULL);
    REFUSED(copy.takes = 0);
    REFUSED(copy.fields = NULL);
    REFUSED(copy.nfield = -1);
    REFUSED(copy.settings_size = PERP_SETTINGS_MAX + 1);
    REFUSED(copy.settings_size = offsetof(my_settings, flag)); /* the last field lies outside */
    perp_field fields[3];
    memcpy(fields, my_fields, sizeof fields);
    fields[1].name = "level"; /* twice */
    REFUSED(copy.fields = fields);
    memcpy(fields, my_fields, sizeof fields);
    fields[0].value = 3; /* default out of range */
    REFUSED(copy.fields = fields);
    assert_int_equal(perp_solver_count(), before + 1);
}

static void test_liars_are_caught(void **state) {
    (void)state;
    assert_int_equal(perp_solver_register(&poisoner), PERP_OK);
    assert_int_equal(perp_solver_register(&babbler), PERP_OK);
    double M[] = {2, 0, 0, 2}, q[] = {-2, 4}, z[2] = {0}, lo[] = {0, 0}, hi[] = {1, 1};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    perp_solve_info info;
    assert_int_equal(perp_problem_solve(&p, "liar", z, &info), PERP_OK);
    assert_true(z[0] == 0.5 && info.iterations == 3); /* it ran, with its defaults */
    assert_true(info.residual == 1);                  /* w = (-1, 5) */
    assert_int_equal(perp_problem_solve(&p, "poisoner", z, &info), PERP_OK);
    assert_true(z[0] == 0 && z[1] == 0 && info.residual == 2 && !info.warm);
    assert_int_equal(info.outcome, PERP_OUTCOME_NUMERICS);
    assert_int_equal(perp_problem_solve(&p, "babbler", z, &info), PERP_OK);
    assert_int_equal(info.outcome, PERP_OUTCOME_NUMERICS);
    perp_problem m = {.cls = PERP_MLCP, .as.mlcp = {2, M, q, lo, hi}};
    assert_int_equal(perp_problem_solve(&m, "liar", z, &info), PERP_E_FIT);
    assert_int_equal(perp_problem_solve(&m, "nobody", z, &info), PERP_E_NAME);
    assert_int_equal(perp_problem_solve(&m, NULL, z, &info), PERP_E_NAME);
    assert_int_equal(perp_problem_solve(&m, "lemke", NULL, &info), PERP_E_ARG);
    z[0] = z[1] = NAN; /* a guess that is not finite counts as none */
    assert_int_equal(perp_problem_solve(&m, "lemke", z, NULL), PERP_OK);
    assert_true(z[0] == 1 && z[1] == 0);
    q[0] = NAN;
    for (int i = 0; i < perp_solver_count(); i++)
        assert_int_equal(perp_problem_solve(&p, perp_solver_at(i)->name, z, &info), PERP_E_ARG);
}

static void test_fields(void **state) {
    (void)state;
    my_settings s = {-9, -9, false};
    double v = 0;
    perp_fields_default(my_fields, 3, &s);
    assert_true(s.level == 0.5 && s.count == 3 && s.flag);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, "level", 2), PERP_OK);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, "count", 10), PERP_OK);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, "flag", 0), PERP_OK);
    assert_true(s.level == 2 && s.count == 10 && !s.flag);
    assert_int_equal(perp_fields_get(my_fields, 3, &s, "count", &v), PERP_OK);
    assert_true(v == 10);
    assert_int_equal(perp_fields_get(my_fields, 3, &s, "flag", &v), PERP_OK);
    assert_true(v == 0);
    assert_int_equal(perp_fields_get(my_fields, 3, &s, "level", &v), PERP_OK);
    assert_true(v == 2);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, "level", 2.1), PERP_E_ARG);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, "level", NAN), PERP_E_ARG);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, "count", 2.5), PERP_E_ARG);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, "flag", 0.5), PERP_E_ARG);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, "nothing", 0), PERP_E_NAME);
    assert_int_equal(perp_fields_set(my_fields, 3, &s, NULL, 0), PERP_E_NAME);
    assert_int_equal(perp_fields_get(my_fields, 3, &s, "nothing", &v), PERP_E_NAME);
    assert_true(s.level == 2 && s.count == 10 && !s.flag);
}

/* The tables of the built-in solvers: fields lie inside the struct, do not overlap, and take their limits. */
static void test_builtin_tables(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        const perp_solver_type *t = perp_solver_at(k);
        char owner[PERP_SETTINGS_MAX] = {0};
        union {
            double align;
            char bytes[PERP_SETTINGS_MAX];
        } set;
        memset(&set, 0xee, sizeof set);
        perp_fields_default(t->fields, t->nfield, &set);
        for (size_t i = t->settings_size; i < sizeof set; i++) assert_true((unsigned char)set.bytes[i] == 0xee);
        for (int i = 0; i < t->nfield; i++) {
            const perp_field *f = &t->fields[i];
            size_t size = f->type == PERP_FIELD_INT    ? sizeof(int)
                          : f->type == PERP_FIELD_BOOL ? sizeof(bool)
                                                       : sizeof(double);
            assert_true(f->offset % size == 0 && f->offset + size <= t->settings_size);
            for (size_t b = f->offset; b < f->offset + size; b++) assert_int_equal(owner[b]++, 0);
            assert_true(f->min <= f->value && f->value <= f->max && strlen(f->help) > 5);
            double v;
            const double ends[] = {f->min, f->max, f->value};
            for (int e = 0; e < 3; e++) {
                assert_int_equal(perp_fields_set(t->fields, t->nfield, &set, f->name, ends[e]), PERP_OK);
                assert_int_equal(perp_fields_get(t->fields, t->nfield, &set, f->name, &v), PERP_OK);
                assert_true(v == ends[e]);
            }
        }
        /* what is left uncovered is padding only */
        size_t covered = 0;
        for (size_t i = 0; i < t->settings_size; i++) covered += owner[i] != 0;
        assert_true(t->settings_size - covered < 8);
    }
}

static perp_solver_type many[64];
static char many_name[64][24];
static void *add_many(void *arg) {
    int start = *(int *)arg;
    for (int i = start; i < 64; i += 2) {
        perp_status s = perp_solver_register(&many[i]);
        if (s != PERP_OK && s != PERP_E_MEMORY) return arg;
        (void)perp_solver_find("many-63");
    }
    return NULL;
}

/* Two threads register until the table is full; every entry is there once. */
static void test_threads_and_full_table(void **state) {
    (void)state;
    for (int i = 0; i < 64; i++) {
        many[i] = liar;
        snprintf(many_name[i], sizeof many_name[i], "many-%d", i);
        many[i].name = many_name[i];
    }
    pthread_t thread[2];
    int start[2] = {0, 1};
    void *bad;
    for (int k = 0; k < 2; k++) assert_int_equal(pthread_create(&thread[k], NULL, add_many, &start[k]), 0);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(pthread_join(thread[k], &bad), 0);
        assert_null(bad);
    }
    assert_int_equal(perp_solver_count(), 64);
    for (int i = 0; i < 64; i++) {
        assert_non_null(perp_solver_at(i));
        assert_ptr_equal(perp_solver_find(perp_solver_at(i)->name), perp_solver_at(i));
    }
    perp_solver_type one_more = liar;
    one_more.name = "one-more";
    assert_int_equal(perp_solver_register(&one_more), PERP_E_MEMORY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin),          cmocka_unit_test(test_register),
        cmocka_unit_test(test_liars_are_caught), cmocka_unit_test(test_fields),
        cmocka_unit_test(test_builtin_tables),   cmocka_unit_test(test_threads_and_full_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
