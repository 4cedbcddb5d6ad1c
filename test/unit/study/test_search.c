/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_search.c - perp_search: what it refuses, what it hands to the callback, restarts, seeds, memory, eigenvalues. */
#include "unit/search_help.h"

#include <float.h>
#include <stdlib.h>

#include "search/search.h"

/* ---- wrong input ---- */

static bool never(void *ctx, int count, const double *x, double *f, double *g) {
    (void)count;
    (void)x;
    (void)f;
    (void)g;
    *(bool *)ctx = true;
    return false;
}

static void refused(const perp_search_problem *p, const perp_search_options *o, perp_status s, const char *text) {
    double x[2] = {7, 7};
    perp_search_result r = {.f = 5};
    perp_refusal why = {0};
    bool called = false;
    perp_search_problem q = *p;
    q.ctx = &called;
    assert_int_equal(perp_search(&q, o, x, &r, &why), s);
    assert_string_equal(why.text, text);
    assert_int_equal(why.status, s);
    assert_true(!called && x[0] == 7 && x[1] == 7 && r.f == 5);
    assert_int_equal(perp_search(&q, o, x, NULL, NULL), s);
}

static void test_refused(void **state) {
    (void)state;
    const double lower[] = {0, -1}, upper[] = {1, 1}, inside[] = {0.5, 0};
    const perp_search_problem good = {.n = 2, .lower = lower, .upper = upper, .values = never};
    const perp_search_options o = {0};
    perp_search_problem p = good;
#define SAYS(set, text)                    \
    do {                                   \
        p = good;                          \
        set;                               \
        refused(&p, &o, PERP_E_ARG, text); \
    } while (0)
    SAYS(p.n = 0, "search.n: found 0; allowed: 1 to 1000 parameters");
    SAYS(p.n = 1001, "search.n: found 1001; allowed: 1 to 1000 parameters");
    SAYS(p.nconstraint = -1, "search.nconstraint: found -1; allowed: 0 to 1000 constraints");
    SAYS(p.lower = NULL, "search: The problem needs lower, upper and values.");
    SAYS(p.upper = NULL, "search: The problem needs lower, upper and values.");
    SAYS(p.values = NULL, "search: The problem needs lower, upper and values.");
    SAYS(p.lower = upper, "search.upper[0]: found 1; allowed: a number above the lower bound");
    SAYS(p.start = upper + 1; p.n = 1;
         p.upper = inside, "search.start[0]: found 1; allowed: a number within the bounds");
    const double infinite[] = {1, INFINITY}, wide[] = {-1e308, -1.5e308}, wide_up[] = {1, 1e308};
    SAYS(p.upper = infinite, "search.upper[1]: found inf; allowed: a finite number");
    const double minus[] = {-INFINITY, 0}, nan_start[] = {0.5, NAN}, step[] = {0.1, 0}, bad_step[] = {INFINITY, 1};
    SAYS(p.lower = minus, "search.lower[0]: found -inf; allowed: a finite number");
    SAYS(p.lower = wide;
         p.upper = wide_up, "search.upper[1]: found 1e+308; allowed: a range upper - lower that is a finite number");
    SAYS(p.start = nan_start, "search.start[1]: found nan; allowed: a number within the bounds");
    SAYS(p.step = step, "search.step[1]: found 0; allowed: a number > 0");
    SAYS(p.step = bad_step, "search.step[0]: found inf; allowed: a number > 0");
    p = good;
#define SAYS_OF(field, value, text)                                     \
    do {                                                                \
        perp_search_options q = {.method = "cma-es", .field = (value)}; \
        refused(&p, &q, PERP_E_ARG, "search." #field ": found " text);  \
    } while (0)
    SAYS_OF(restarts, -1, "-1; allowed: 0 or more");
    SAYS_OF(evaluations, -5, "-5; allowed: 1 or more, or 0 for the default");
    SAYS_OF(x_tolerance, -0.5, "-0.5; allowed: 0 <= x_tolerance < 1, a fraction of the range");
    SAYS_OF(x_tolerance, 1, "1; allowed: 0 <= x_tolerance < 1, a fraction of the range");
    SAYS_OF(f_tolerance, -1, "-1; allowed: a number >= 0");
    SAYS_OF(f_tolerance, INFINITY, "inf; allowed: a number >= 0");
    SAYS_OF(population, 3, "3; allowed: 4 to 1000000 points, or 0 for the default");
    SAYS_OF(population, -1, "-1; allowed: 4 to 1000000 points, or 0 for the default");
    perp_search_options other = {.population = -1}; /* nelder-mead has none, but this is a mistake */
    refused(&p, &other, PERP_E_ARG, "search.population: found -1; allowed: 0 or more");
    perp_search_options name = {.method = "neldermead"};
    refused(&p, &name, PERP_E_NAME,
            "search.method: found neldermead; allowed: nelder-mead, cma-es, bobyqa, cobyla, crs, direct, isres, sbplx, "
            "nlopt-nelder-mead (did you mean nelder-mead?)");
    double x[2];
    perp_refusal why;
    assert_int_equal(perp_search(NULL, &o, x, NULL, &why), PERP_E_ARG);
    assert_string_equal(why.text, "search: A problem and room for x are needed.");
    assert_int_equal(perp_search(&good, &o, NULL, NULL, &why), PERP_E_ARG);
}

/* Without NLopt its methods are refused with the name of the package; with it, too small a population is. */
static void test_nlopt_refused(void **state) {
    (void)state;
    const double lower[] = {0, -1}, upper[] = {1, 1};
    const perp_search_problem p = {.n = 2, .lower = lower, .upper = upper, .values = never};
    perp_search_options o = {.method = "crs", .population = 2};
    if (perp_search_available("crs", NULL))
        refused(&p, &o, PERP_E_ARG,
                "search.population: found 2; allowed: n + 1 to 1000000 points, or 0 for the default");
    else
        refused(
            &p, &o, PERP_E_FIT,
            "search.method: crs needs the library NLopt, which this build of perp lacks. Install the Debian package "
            "libnlopt-dev and build perp again, or use nelder-mead or cma-es.");
}

/* ---- one random search of NLopt at a time ---- */

typedef struct nested {
    test_log l;
    const char *inner;
    perp_status status;
    perp_refusal why;
} nested;

static bool search_within(void *ctx, int count, const double *x, double *f, double *g) {
    nested *t = ctx;
    if (t->l.calls == 0) {
        test_log l = {0};
        perp_search_problem p = test_problem(&FUNCTIONS[3], &l);
        perp_search_options o = {.method = t->inner, .evaluations = 50};
        double best[2];
        t->status = perp_search(&p, &o, best, NULL, &t->why);
    }
    return test_values(&t->l, count, x, f, g);
}

static void test_nested(void **state) {
    (void)state;
    if (!perp_search_available("crs", NULL)) {
        print_message("left out, this build has no NLopt\n");
        return;
    }
    static const struct {
        const char *outer, *inner;
        perp_status status;
    } cases[] = {{"crs", "isres", PERP_E_FIT}, {"isres", "crs", PERP_E_FIT},  {"crs", "cma-es", PERP_OK},
                 {"crs", "bobyqa", PERP_OK},   {"cma-es", "crs", PERP_OK},    {"nelder-mead", "cma-es", PERP_OK},
                 {"cobyla", "isres", PERP_OK}, {"direct", "direct", PERP_OK}, {"crs", "crs", PERP_E_FIT}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        nested t = {.inner = cases[k].inner};
        perp_search_problem p = test_problem(&FUNCTIONS[3], &t.l);
        p.values = search_within;
        p.ctx = &t;
        perp_search_options o = {.method = cases[k].outer, .evaluations = 60};
        double x[2];
        assert_int_equal(perp_search(&p, &o, x, NULL, NULL), PERP_OK);
        assert_int_equal(t.status, cases[k].status);
        if (t.status) assert_non_null(strstr(t.why.text, "Run it after the other, or use cma-es."));
    }
}

/* ---- calls ---- */

/* The first simplex is one call of n + 1 points; a population one call. Start and steps are where they are asked for. */
static void test_calls(void **state) {
    (void)state;
    double row[20 * 3];
    const double step[] = {0.5, 2}, big[] = {1000, 1000};
    const test_function *t = &FUNCTIONS[3]; /* branin: bounds (-5, 0), (10, 15), start (2.5, 7.5) */
    test_log l = {.row = row, .cap = 20};
    perp_search_problem p = test_problem(t, &l);
    perp_search_options o = {.evaluations = 200};
    double x[2];
    perp_search_result r;
    p.step = step;
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_int_equal(l.first, 3);
    const double simplex[] = {2.5, 7.5, 3, 7.5, 2.5, 9.5};
    for (int k = 0; k < 3; k++) assert_memory_equal(row + 3 * k, simplex + 2 * k, 2 * sizeof *row);

    /* without steps a tenth of the range, without a start the middle; too large a step is half of the range */
    l = (test_log){.row = row, .cap = 20};
    p = test_problem(t, &l);
    p.start = NULL;
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_true(row[0] == 2.5 && row[1] == 7.5 && row[3] == 4 && row[7] == 9);
    l = (test_log){.row = row, .cap = 20};
    p = test_problem(t, &l);
    p.step = big;
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_true(row[3] == 10 && row[7] == 15);
    /* at the upper bound steps go down */
    l = (test_log){.row = row, .cap = 20};
    p = test_problem(t, &l);
    p.start = t->upper;
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_true(row[3] == 8.5 && row[7] == 13.5);

    /* cma-es: 4 + floor(3 ln 2) = 6 points, and the start in the first call */
    l = (test_log){.row = row, .cap = 20};
    p = test_problem(t, &l);
    o.method = "cma-es";
    o.evaluations = 6 * 30 + 1;
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_true(l.first == 7 && l.largest == 7 && l.calls == 30 && r.evaluations == 181);
    assert_true(row[0] == 2.5 && row[1] == 7.5);
    o.population = 40;
    l = (test_log){0};
    p = test_problem(t, &l);
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_true(l.first == 41 && r.evaluations == 181); /* 41 + 40 + 40 + 40 + 20: the last is cut off */
}

/* ---- restarts ---- */

static void test_restarts(void **state) {
    (void)state;
    test_log l = {0};
    perp_search_problem p = test_problem(&FUNCTIONS[0], &l);
    double x[TEST_MAX];
    perp_search_result r, once;
    perp_search_options o = {.evaluations = 100000};
    assert_int_equal(perp_search(&p, &o, x, &once, NULL), PERP_OK);
    assert_true(once.restarts == 0 && strcmp(once.reason, "converged") == 0);
    o.restarts = 50; /* a parabola: the restarts soon bring nothing */
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_true(r.restarts >= 2 && r.restarts < 10 && strcmp(r.reason, "converged") == 0);
    assert_true(r.f <= once.f && r.evaluations > once.evaluations);
    o.restarts = 1;
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_int_equal(r.restarts, 1);
    /* cma-es doubles the population */
    l = (test_log){0};
    p = test_problem(&FUNCTIONS[5], &l);
    o = (perp_search_options){.method = "cma-es", .evaluations = 100000, .restarts = 3};
    assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
    assert_true(r.restarts == 3 && l.largest == 7 * 8);
}

/* The tolerances end the search, the f tolerance sooner than a tiny x tolerance. */
static void test_tolerances(void **state) {
    (void)state;
    for (const char *const *m = perp_search_methods(); *m; m++) {
        if (!perp_search_available(*m, NULL) || strcmp(*m, "direct") == 0) continue;
        test_log l = {0};
        perp_search_problem p = test_problem(&FUNCTIONS[4], &l);
        double x[TEST_MAX];
        perp_search_result coarse, fine, by_f;
        perp_search_options o = {.method = *m, .evaluations = 100000, .x_tolerance = 1e-2};
        assert_int_equal(perp_search(&p, &o, x, &coarse, NULL), PERP_OK);
        o.x_tolerance = 1e-6;
        assert_int_equal(perp_search(&p, &o, x, &fine, NULL), PERP_OK);
        o.f_tolerance = 1e-2;
        assert_int_equal(perp_search(&p, &o, x, &by_f, NULL), PERP_OK);
        print_message("%-18s x 1e-2: %5d, 1e-6: %5d, f 1e-2: %5d evaluations; f off by %.1e %.1e %.1e\n", *m,
                      coarse.evaluations, fine.evaluations, by_f.evaluations, coarse.f - 7.25, fine.f - 7.25,
                      by_f.f - 7.25);
        assert_true(strcmp(coarse.reason, "converged") == 0 && strcmp(fine.reason, "converged") == 0);
        assert_true(strcmp(by_f.reason, "converged") == 0);
        assert_true(coarse.evaluations < fine.evaluations && by_f.evaluations <= fine.evaluations);
        assert_true(fine.f <= coarse.f && fine.f - 7.25 < 1e-5); /* slopes 2, 4 and 3 at the bounds */
    }
}

/* Another seed, another path; the same seed, the same bits. */
static void test_seeds(void **state) {
    (void)state;
    static const char *const random[] = {"cma-es", "crs", "isres"};
    for (int k = 0; k < 3; k++) {
        if (!perp_search_available(random[k], NULL)) continue;
        double x[3][2], row[3][200 * 3];
        memset(row, 0, sizeof row);
        for (int i = 0; i < 3; i++) {
            test_log l = {.row = row[i], .cap = 200};
            perp_search_problem p = test_problem(&FUNCTIONS[3], &l);
            perp_search_options o = {.method = random[k], .evaluations = 200, .seed = i < 2 ? 11 : 11 + (1ull << 32)};
            assert_int_equal(perp_search(&p, &o, x[i], NULL, NULL), PERP_OK);
        }
        assert_memory_equal(row[0], row[1], sizeof row[0]);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_not_equal(row[0], row[2], sizeof row[0]);
    }
}

/* ---- the strategy does not depend on the axes ---- */

static void ellipsoid_straight(int n, const double *x, double *f, double *g) {
    (void)g;
    *f = 0;
    for (int i = 0; i < n; i++) *f += pow(1e6, (double)i / (n - 1)) * x[i] * x[i];
}

static void ellipsoid_turned(int n, const double *x, double *f, double *g) {
    double y[TEST_MAX], sum = 0;
    for (int i = 0; i < n; i++) sum += (i + 1) * x[i];
    double square = n * (n + 1) * (2 * n + 1) / 6.0;
    for (int i = 0; i < n; i++) y[i] = x[i] - 2 * sum * (i + 1) / square;
    ellipsoid_straight(n, y, f, g);
}

/* Condition 1e6 in 10 dimensions to 1e-9: as many evaluations for every turn of the axes. */
static void test_turned(void **state) {
    (void)state;
    double mean[2] = {0, 0};
    const int runs = long_run(16);
    for (int which = 0; which < 2; which++)
        for (int k = 0; k < runs; k++) {
            test_function t = {"turned", 10, 0, which ? ellipsoid_turned : ellipsoid_straight, {0}, {0}, {0}, 0, 0, 0};
            for (int i = 0; i < 10; i++) {
                t.lower[i] = -10;
                t.upper[i] = 10;
                t.start[i] = 3;
            }
            test_log l = {0};
            perp_search_problem p = test_problem(&t, &l);
            perp_search_options o = {
                .method = "cma-es", .evaluations = 30000, .seed = (uint64_t)k, .x_tolerance = 1e-9};
            double x[10];
            perp_search_result r;
            assert_int_equal(perp_search(&p, &o, x, &r, NULL), PERP_OK);
            assert_string_equal(r.reason, "converged");
            assert_below(r.f, 1e-9);
            mean[which] += r.evaluations / (double)runs;
        }
    print_message("ellipsoid of condition 1e6 in 10 dimensions: %.0f evaluations straight, %.0f turned\n", mean[0],
                  mean[1]);
    assert_below(mean[0], 10000);
    assert_near(mean[1] / mean[0], 1, 0.15);
}

/* ---- memory ---- */

/* Refuses memory after `left` blocks. */
typedef struct failing_allocator {
    int left, live;
} failing_allocator;

static void *some(size_t size, void *ctx) {
    failing_allocator *a = ctx;
    if (a->left-- <= 0) return NULL;
    a->live++;
    return malloc(size);
}

static void release(void *p, void *ctx) {
    ((failing_allocator *)ctx)->live--;
    free(p);
}

static void test_memory(void **state) {
    (void)state;
    for (const char *const *m = perp_search_methods(); *m; m++) {
        if (!perp_search_available(*m, NULL)) continue;
        for (int which = 0; which < 2; which++) {
            bool done = false;
            for (int k = 0; !done; k++) {
                test_log l = {0};
                perp_search_problem p = test_problem(&FUNCTIONS[which ? 7 : 5], &l);
                failing_allocator a = {.left = k};
                perp_search_options o = {.method = *m, .evaluations = 400, .restarts = 2, .alloc = {some, release, &a}};
                double x[TEST_MAX];
                perp_refusal why = {0};
                perp_status s = perp_search(&p, &o, x, NULL, &why);
                done = s != PERP_E_MEMORY;
                if (!done) assert_non_null(strstr(why.text, "memory"));
                assert_true(s == PERP_E_MEMORY || s == PERP_OK || (which && s == PERP_E_FIT));
                assert_int_equal(a.live, 0);
                assert_true(k < 20);
            }
        }
    }
}

/* ---- eigenvalues ---- */

/* The second difference: eigenvalues 2 - 2 cos(k pi / (n + 1)), eigenvectors sin(i k pi / (n + 1)). */
static void test_eigen(void **state) {
    (void)state;
    enum { N = 30 };
    double A[N * N], V[N * N], d[N];
    bool found[N] = {false};
    const double pi = acos(-1);
    for (int i = 0; i < N * N; i++) {
        int r = i / N, c = i % N;
        A[i] = r == c ? 2 : abs(r - c) == 1 ? -1 : 0;
    }
    pp_search_eigen(N, A, d, V);
    for (int j = 0; j < N; j++) {
        int k = (int)lround(acos(1 - d[j] / 2) * (N + 1) / pi); /* which it is */
        assert_true(k >= 1 && k <= N && !found[k - 1]);
        found[k - 1] = true;
        assert_near(d[j], 2 - 2 * cos(k * pi / (N + 1)), N * 4 * DBL_EPSILON); /* backward stable: n |A| eps */
        double sign = V[j] > 0 ? 1 : -1, norm = sqrt(2.0 / (N + 1));
        for (int i = 0; i < N; i++) assert_near(sign * V[i * N + j], norm * sin((i + 1) * k * pi / (N + 1)), 1e-13);
    }
    /* graded over 16 decades: the small eigenvalue of [[1, 1e-8], [1e-8, 3e-16]] is 2e-16 to all digits */
    double B[] = {1, 1e-8, 1e-8, 3e-16}, W[4], e[2];
    pp_search_eigen(2, B, e, W);
    assert_near(fmin(e[0], e[1]) / 2e-16, 1, 1e-9);
    assert_near(fmax(e[0], e[1]), 1, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_nlopt_refused), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_calls),   cmocka_unit_test(test_restarts),      cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_seeds),   cmocka_unit_test(test_turned),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_eigen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
