/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_solve.c - the front door: names, settings, conversions on the way, solvers that lie, watches, clocks, memory */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "fault/allocator.h"
#include "oracle/random_problem.h"
#include "perp/solver.h"
#include "problem/stored.h"
#include "solver/common/solver.h"

#define MOST 400

static double natural_of(const perp_problem *p, const double *z) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    return m.natural;
}

static void assert_finite(int n, const double *z) {
    for (int i = 0; i < n; i++) assert_true(isfinite(z[i]));
}

static const double M2[] = {2, 1, 1, 2}, q2[] = {-5, -6};
static const perp_problem two = {.cls = PERP_LCP, .as.lcp = {2, M2, q2}}; /* z = (4/3, 7/3) */

/* --- solvers that are up to something --- */

typedef struct settings {
    double gain, tol;
    int mode;
} settings;

enum { LIE, NANS, INFINITIES, NONSENSE, NEAR, SLOPPY, SLOW, REFUSED, WANDER, MODES };

static struct {
    settings got[4]; /* what the runs were handed */
    double start[MOST];
    int runs;
} seen;

static perp_outcome act(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                        perp_solve_info *info) {
    (void)work;
    int n = perp_problem_size(p), mode = ((const settings *)set)->mode;
    double tol = ((const settings *)set)->tol;
    seen.got[seen.runs++ % 4] = *(const settings *)set;
    if (n <= MOST) memcpy(seen.start, z, sizeof *z * (size_t)n);
    info->iterations = 1;
    info->factorisations = 2;
    switch (mode) {
    case LIE:
        for (int i = 0; i < n; i++) z[i] = 1;
        return PERP_OUTCOME_SOLVED;
    case NANS:
        for (int i = 0; i < n; i++) z[i] = NAN;
        return PERP_OUTCOME_SOLVED;
    case INFINITIES:
        for (int i = 0; i < n; i++) z[i] = i % 2 ? INFINITY : 1e308;
        return PERP_OUTCOME_SOLVED;
    case NONSENSE: info->iterations = 5; return (perp_outcome)99;
    case SLOW:
        for (int i = 0;; i++)
            if (!perp_call_look(call, i, z)) return PERP_OUTCOME_STOPPED;
    case REFUSED: return PERP_OUTCOME_MEMORY;
    case WANDER:
        for (int i = 0; i < n; i++) z[i] = 1e300;
        return PERP_OUTCOME_LIMIT;
    default: break;
    }
    (void)perp_problem_solve(p, "enumerate", z, NULL);
    for (int i = 0; i < n; i++) z[i] += mode == NEAR ? 1e-3 : 100 * tol; /* SLOPPY: a loose idea of its tolerance */
    return perp_call_look(call, 1, z) ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_STOPPED;
}

static perp_field table[MODES][3];
static perp_solver_type types[MODES];
static const char *const names[MODES] = {"liar",   "nans", "infinities", "nonsense", "near",
                                         "sloppy", "slow", "refused",    "wander"};

static int set_up(void **state) {
    (void)state;
    for (int m = 0; m < MODES; m++) {
        table[m][0] = (perp_field){"gain", PERP_FIELD_DOUBLE, offsetof(settings, gain), 0.5, 0, 1, "a gain"};
        table[m][1] = (perp_field){"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-11, 1e-16, 1, "tolerance"};
        table[m][2] = (perp_field){"mode", PERP_FIELD_INT, offsetof(settings, mode), m, m, m, "what it is up to"};
        types[m] = (perp_solver_type){.abi = PERP_ABI,
                                      .name = names[m],
                                      .source = "test_solve.c",
                                      .takes = PERP_LCP | PERP_MLCP,
                                      .fields = table[m],
                                      .nfield = 3,
                                      .settings_size = sizeof(settings),
                                      .solve = act};
        if (perp_solver_register(&types[m])) return -1;
    }
    return 0;
}

static perp_status solve(const perp_problem *p, const char *solver, double *z, perp_solve_info *info) {
    perp_solve_options o = {.solver = solver};
    memset(&seen, 0, sizeof seen);
    return perp_solve(p, &o, z, info);
}

/* --- --- */

static void test_simple(void **state) {
    (void)state;
    double z[2] = {NAN, 7};
    perp_solve_info info;
    assert_int_equal(solve(&two, "lemke", z, &info), PERP_OK);
    assert_near(z[0], 4.0 / 3, 1e-12);
    assert_near(z[1], 7.0 / 3, 1e-12);
    assert_string_equal(info.solver, "lemke");
    assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);
    assert_true(info.seconds > 0 && info.residual < 1e-12);
    assert_int_equal(solve(&two, " pgs ,lemke", z, NULL), PERP_OK);
    perp_problem none = {.cls = PERP_LCP};
    assert_int_equal(solve(&none, "lemke", NULL, NULL), PERP_OK);
    if (perp_solver_find("auto")) assert_int_equal(perp_solve(&two, NULL, z, &info), PERP_OK);
}

static void test_bad_questions(void **state) {
    (void)state;
    double z[2] = {0};
    perp_solve_info info;
    char lengthy[200];
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[199] = 0;
    const char *bad[] = {"nobody", "lemke,nobody", "", "lemke,", ",lemke", "lemke,,pgs", lengthy};
    for (int i = 0; i < 7; i++) assert_int_equal(solve(&two, bad[i], z, &info), PERP_E_NAME);
    assert_int_equal(solve(&two, "lemke", NULL, &info), PERP_E_ARG);
    assert_int_equal(solve(NULL, "lemke", z, &info), PERP_E_ARG);
    const double wrong[] = {NAN, 1};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M2, wrong}};
    assert_int_equal(solve(&p, "lemke", z, &info), PERP_E_ARG);
    assert_true(info.residual == INFINITY);
    const perp_setting unknown = {"gian", 1}, beyond = {"gain", 2}, nan = {"gain", NAN};
    perp_solve_options o = {.solver = "liar", .settings = &unknown, .nsetting = 1};
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_E_NAME);
    o.settings = &beyond;
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_E_ARG);
    o.settings = &nan;
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_E_ARG);
    o = (perp_solve_options){.solver = "lemke", .tol = -1};
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_E_ARG);
    o.tol = NAN;
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_E_ARG);
    o = (perp_solve_options){.solver = "lemke", .time_limit = NAN};
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_E_ARG);
}

/* The judge decides: what claims success and has none is passed over, and the story names it. */
static void test_liars(void **state) {
    (void)state;
    double z[2];
    perp_solve_info info;
    const int liars[] = {LIE, NANS, INFINITIES, NONSENSE, REFUSED, WANDER, NEAR};
    for (int i = 0; i < 7; i++) {
        char list[64];
        const char *name = names[liars[i]];
        bool refused = liars[i] == REFUSED;
        snprintf(list, sizeof list, "%s,lemke", name);
        assert_int_equal(solve(&two, list, z, &info), PERP_OK);
        assert_below(natural_of(&two, z), 1e-9);
        assert_string_equal(info.solver, "lemke");
        assert_int_equal(strncmp(info.story, name, strlen(name)), 0);
        assert_non_null(strstr(info.story, "; then lemke"));
        if (!refused) assert_non_null(strstr(info.story, "measured"));
        /* alone */
        assert_int_equal(solve(&two, name, z, &info), refused ? PERP_E_MEMORY : PERP_E_SOLVE);
        assert_finite(2, z);
        assert_null(strstr(info.story, "then"));
        if (!refused) assert_string_equal(info.solver, name);
        assert_false(info.verdict.solved);
    }
    assert_int_equal(solve(&two, "liar,lemke", z, &info), PERP_OK);
    assert_non_null(strstr(info.story, "liar: says solved, measured "));
    assert_true(info.iterations > 1 && info.factorisations >= 2); /* summed */
    /* the best answer by measure is kept, whatever its place in the list, and the info belongs to it */
    const char *order[] = {"near,liar,nans", "liar,near,nans", "nans,liar,wander,near", "refused,near,wander"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(solve(&two, order[i], z, &info), i == 3 ? PERP_E_MEMORY : PERP_E_SOLVE);
        assert_string_equal(info.solver, "near");
        assert_near(z[0], 4.0 / 3, 2e-3);
        assert_near(info.residual, perp_problem_residual(&two, z), 0);
    }
    char many[240] = "liar"; /* a long story is cut */
    for (int i = 0; i < 40; i++) strcat(many, ",liar");
    assert_int_equal(solve(&two, many, z, &info), PERP_E_SOLVE);
    assert_true(strlen(info.story) < sizeof info.story && seen.runs == 41);
}

/* min (x - 3)^2/2 + (y + 1)^2/2 with 0 <= x + y <= 1, -2 <= y: x = 2.5, y = -1.5, slack multiplier -0.5 */
static const int I_start[] = {0, 1, 2}, I_index[] = {0, 1}, A_index[] = {0, 0};
static const double ones[] = {1, 1}, qp_c[] = {-3, 1}, qp_lo[] = {-INFINITY, -2}, row_lo[] = {0}, row_hi[] = {1};
static const perp_problem qp = {.cls = PERP_QP,
                                .as.qp = {.n = 2,
                                          .m = 1,
                                          .Q = {2, 2, I_start, I_index, ones},
                                          .c = qp_c,
                                          .lo = qp_lo,
                                          .A = {1, 2, I_start, A_index, ones},
                                          .row_lo = row_lo,
                                          .row_hi = row_hi}};

/* The first solver gets the settings, all get the tolerance; if none is given, their own finer tolerance stays. */
static void test_settings(void **state) {
    (void)state;
    double z[3];
    const perp_setting gain = {"gain", 0.25}, tol = {"tol", 1e-13};
    perp_solve_options o = {.solver = "liar,nans", .settings = &gain, .nsetting = 1, .tol = 1e-6};
    memset(&seen, 0, sizeof seen);
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_E_SOLVE);
    assert_true(seen.got[0].gain == 0.25 && seen.got[0].tol == 1e-6);
    assert_true(seen.got[1].gain == 0.5 && seen.got[1].tol == 1e-6);
    o.settings = &tol;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_E_SOLVE);
    assert_true(seen.got[0].tol == 1e-13 && seen.got[1].tol == 1e-6);
    assert_int_equal(solve(&two, "liar", z, NULL), PERP_E_SOLVE);
    assert_true(seen.got[0].tol == 1e-11);
    /* the answer of a solver that misses its tolerance is refined on its active set, */
    perp_solve_info info;
    o = (perp_solve_options){.solver = "sloppy", .tol = 1e-9};
    memset(&seen, 0, sizeof seen);
    assert_int_equal(perp_solve(&two, &o, z, &info), PERP_OK);
    assert_int_equal(seen.runs, 1);
    assert_non_null(strstr(info.story, "refined"));
    assert_true(info.verdict.solved && info.verdict.figure < 1e-14 && info.verdict.laws == 2);
    /* or, where there is none, run again with a finer one */
    memset(&seen, 0, sizeof seen);
    assert_int_equal(perp_solve(&qp, &o, z, NULL), PERP_OK);
    assert_int_equal(seen.runs, 2);
    assert_true(seen.got[0].tol == 1e-9 && seen.got[1].tol < 1e-11);
    o.tol = 1e-2; /* what counts as solved is what was asked for */
    o.solver = "near";
    assert_int_equal(perp_solve(&two, &o, z, NULL), PERP_OK);
}

/* --- conversions on the way --- */

static rp_step step;

static perp_stored *random_cone(int dim) {
    rp_options o = {.dim = dim, .blocks = 1 + rp_int(2), .contacts = 1 + rp_int(2), .mu = 1, .limits = 1};
    rp_step_make(&step, &o);
    perp_stored *s = pp_stored_new(NULL);
    assert_int_equal(pp_stored_set_step(s, &step.p), PERP_OK);
    return s;
}

static void test_conversions(void **state) {
    (void)state;
    double z[MOST];
    perp_solve_info info;
    assert_int_equal(solve(&qp, "enumerate", z, &info), PERP_OK);
    assert_near(z[0], 2.5, 1e-12);
    assert_near(z[1], -1.5, 1e-12);
    assert_near(z[2], -0.5, 1e-12);
    assert_string_equal(info.solver, "enumerate");
    assert_non_null(strstr(info.story, "as mlcp"));
    for (int k = 0; k < long_run(40); k++) {
        perp_stored *s = random_cone(2), *other;
        const perp_problem *p = perp_stored_problem(s);
        assert_int_equal(solve(p, "lemke", z, &info), PERP_OK);
        assert_below(natural_of(p, z), 1e-9);
        assert_int_equal(perp_problem_convert(p, PERP_SPARSE_MLCP, 0, NULL, &other), PERP_OK);
        assert_int_equal(solve(perp_stored_problem(other), "liar,lemke", z, &info), PERP_OK);
        assert_non_null(strstr(info.story, "then lemke (as "));
        perp_stored_free(other);
        perp_stored_free(s);
    }
}

static bool square(const double *z, double *w, void *ctx) {
    (void)ctx;
    w[0] = z[0] * z[0] - 2;
    return true;
}

/* A cone in space is never replaced by a pyramid behind the user's back, nor an NCP by anything. */
static void test_no_fit(void **state) {
    (void)state;
    double z[MOST];
    perp_solve_info info;
    perp_problem ncp = {.cls = PERP_NCP, .as.ncp = {.n = 1, .F = square}};
    assert_int_equal(solve(&ncp, "lemke,enumerate", z, &info), PERP_E_FIT);
    assert_non_null(strstr(info.story, "lemke: does not support class ncp"));
    const int start[] = {0, 1, 2, 3}, index[] = {0, 1, 2};
    const double W[] = {1, 1, 1}, q[] = {-1, 1, 1};
    double mu[] = {0.5};
    perp_problem cone = {.cls = PERP_CONE,
                         .as.cone = {.dim = 3, .ncontact = 1, .mu = mu, .W = {3, 3, start, index, W}, .q = q}};
    assert_int_equal(solve(&cone, "lemke", z, &info), PERP_E_FIT);
    assert_finite(3, z);
    mu[0] = 0; /* without friction there is an exact way */
    assert_int_equal(solve(&cone, "lemke", z, &info), PERP_OK);
    assert_near(z[0], 1, 1e-12);
}

/* --- starts, watches, clocks --- */

static void test_starts(void **state) {
    (void)state;
    const double q[] = {1, 1, 1}, lo[] = {2, -INFINITY, -1}, hi[] = {3, -4, 1}, M[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    perp_problem p = {.cls = PERP_MLCP, .as.mlcp = {3, M, q, lo, hi}};
    double z[3] = {9, 9, 9};
    solve(&p, "liar", z, NULL);
    assert_true(seen.start[0] == 2 && seen.start[1] == -4 && seen.start[2] == 0);
    perp_solve_options o = {.solver = "liar,nans", .warm = true};
    double guess[3] = {2.5, NAN, 0.5};
    memcpy(z, guess, sizeof z);
    perp_solve(&p, &o, z, NULL);
    assert_true(seen.start[0] == 2.5 && seen.start[1] == 0 && seen.start[2] == 0.5); /* the second solver too */
    /* through a conversion: the multiplier -0.5 of a row with two ends is 0 and 0.5 */
    double x[3] = {2.5, -1.5, -0.5};
    o.solver = "liar";
    perp_solve(&qp, &o, x, NULL);
    assert_true(seen.start[0] == 2.5 && seen.start[1] == -1.5 && seen.start[2] == 0 && seen.start[3] == 0.5);
}

typedef struct witness {
    const perp_problem *p;
    int looks, stop_at;
    double natural;
} witness;

static bool look(int iteration, const double *z, void *ctx) {
    (void)iteration;
    witness *w = ctx;
    w->natural = natural_of(w->p, z);
    return ++w->looks != w->stop_at;
}

static void test_watch(void **state) {
    (void)state;
    double z[3];
    perp_solve_info info;
    witness w = {.p = &qp};
    perp_watch watch = {look, &w};
    perp_solve_options o = {.solver = "sloppy", .watch = &watch, .tol = 1e-6};
    assert_int_equal(perp_solve(&qp, &o, z, &info), PERP_OK);
    assert_true(w.looks >= 1); /* it saw an answer of the QP, not of the mixed LCP that was solved */
    assert_below(w.natural, 1e-6);
    w = (witness){.p = &two, .stop_at = 3};
    o = (perp_solve_options){.solver = "slow,lemke", .watch = &watch};
    assert_int_equal(perp_solve(&two, &o, z, &info), PERP_E_SOLVE); /* stop means stop: nobody comes after */
    assert_int_equal(w.looks, 3);
    assert_int_equal(info.outcome, PERP_OUTCOME_STOPPED);
    assert_non_null(strstr(info.story, "stopped by the watch"));
    watch.look = NULL;
    o.solver = "lemke";
    assert_int_equal(perp_solve(&two, &o, z, &info), PERP_OK);
}

static bool third_time(void *ctx) { return ++*(int *)ctx == 3; }

static void test_stop(void **state) {
    (void)state;
    double z[2];
    int asked = 0;
    perp_solve_info info;
    perp_solve_options o = {.solver = "slow,lemke", .stop = third_time, .stop_ctx = &asked};
    assert_int_equal(perp_solve(&two, &o, z, &info), PERP_E_SOLVE);
    assert_int_equal(asked, 3); /* nobody comes after, and nobody asks again */
    assert_int_equal(info.outcome, PERP_OUTCOME_STOPPED);
    assert_finite(2, z);
}

static void test_time_limit(void **state) {
    (void)state;
    double z[2], start = pp_clock();
    perp_solve_info info;
    perp_solve_options o = {.solver = "slow,lemke", .time_limit = 0.02};
    assert_int_equal(perp_solve(&two, &o, z, &info), PERP_E_SOLVE);
    assert_below(pp_clock() - start, 10); /* a busy machine may be late */
    assert_non_null(strstr(info.story, "time is up"));
    assert_finite(2, z);
    o.time_limit = 100;
    o.solver = "lemke";
    assert_int_equal(perp_solve(&two, &o, z, &info), PERP_OK);
}

/* --- memory --- */

static void refuse_each(const perp_problem *p, const char *solver) {
    for (long k = 0;; k++) {
        counter c = {.refuse = k};
        double z[MOST];
        perp_solve_options o = {.solver = solver, .alloc = counting(&c)};
        perp_status status = perp_solve(p, &o, z, NULL);
        assert_int_equal(status, c.refused ? PERP_E_MEMORY : PERP_OK);
        assert_int_equal(c.live, 0);
        assert_finite(perp_problem_size(p), z);
        if (!c.refused) break;
    }
}

static void test_memory(void **state) {
    (void)state;
    perp_stored *cone = random_cone(2);
    refuse_each(&two, "lemke");
    refuse_each(&two, "enumerate");
    refuse_each(&qp, "enumerate");
    refuse_each(perp_stored_problem(cone), "lemke");
    perp_stored_free(cone);
}

/* --- work --- */

/* A step ends by the work that its solvers count, so factors must count for what they cost. */
static void test_work(void **state) {
    (void)state;
    enum { N = 120 };
    static double M[N * N], q[N], z[N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) M[i + N * j] = i == j ? N : sin(1 + 7 * i + 3 * j) + sin(1 + 3 * i + 7 * j);
        q[i] = -1 - 0.5 * sin(i); /* all are positive */
    }
    const perp_problem p = {.cls = PERP_LCP, .as.lcp = {N, M, q}};
    const perp_solver_type *const dense[] = {&pp_solver_lemke, &pp_solver_path_search, &pp_solver_fischer_newton,
                                             &pp_solver_minmap_newton, &pp_solver_interior_point};
    for (size_t k = 0; k < sizeof dense / sizeof *dense; k++) {
        pp_arena arena;
        pp_arena_init(&arena, (perp_allocator){0});
        pp_work work = {.limit = INFINITY};
        perp_call call = {.arena = &arena, .deadline = INFINITY, .work = &work};
        pp_settings set;
        perp_solve_info info;
        pp_settings_default(dense[k], 0, &set);
        memset(z, 0, sizeof z);
        assert_int_equal(pp_solve_call(&call, dense[k], &set, &p, z, &info), PERP_OK);
        assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);
        int factors = info.factorisations > 0 ? info.factorisations : 1;
        print_message("%s: %d iterations, %d factorisations, %.3g of work, factors %.3g\n", dense[k]->name,
                      info.iterations, info.factorisations, work.done, factors * pp_dense_work(N, 0));
        assert_true(work.done >= factors * pp_dense_work(N, 0));
        pp_arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple),   cmocka_unit_test(test_bad_questions), cmocka_unit_test(test_liars),
        cmocka_unit_test(test_settings), cmocka_unit_test(test_conversions),   cmocka_unit_test(test_no_fit),
        cmocka_unit_test(test_starts),   cmocka_unit_test(test_watch),         cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_stop),     cmocka_unit_test(test_memory),        cmocka_unit_test(test_work),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
