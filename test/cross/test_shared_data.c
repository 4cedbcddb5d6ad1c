/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_shared_data.c - `auto` on problems of other projects, where a folder with them lies beside the source
 *
 * $PERP_SHARED/data, or ../shared/data: fclib/ holds friction problems (files of FCLIB and Siconos), lcp/ LCPs and
 * mixed LCPs, all of which have solutions; findings/problems/ what once deceived the judge. Without the folder there is nothing to do, and the test says so. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "perp/solver.h"

enum { MAX_FILES = 256, PATH_SIZE = 512 };

#ifdef PERP_TEST_SHORT
#define LARGEST_FILE 200000 /* bytes: sanitizers make the largest problems take minutes */
#else
#define LARGEST_FILE (1 << 30)
#endif

/* perp's tolerance, and what is demanded of the measures. Solvers for cones stop when a fifth of Siconos' measure is
 * below the tolerance, too. */
typedef struct demand {
    double tol, siconos, natural;
} demand;

static const demand friction = {2e-9, 1e-8, 1e-7};
static const demand lcp = {1e-10, 1e-10, 1e-10}; /* here `siconos` is the raw natural map over max(1, |q|) */

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Problem files of data/NAME in the order of their names; 0 and a message if there is no such folder. */
static size_t files_of(const char *name, char path[][PATH_SIZE]) {
    const char *shared = getenv("PERP_SHARED");
    if (!shared) shared = PERP_TEST_DIR "/../../shared";
    char dir[PATH_SIZE];
    DIR *d = snprintf(dir, sizeof dir, "%s/data/%s", shared, name) < PATH_SIZE ? opendir(dir) : NULL;
    if (!d) {
        print_message("skipped: no shared data (%s)\n", dir);
        return 0;
    }
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d)) && n < MAX_FILES;) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || (strcmp(dot, ".dat") && strcmp(dot, ".hdf5"))) continue;
        struct stat s;
        if (snprintf(path[n], PATH_SIZE, "%s/%s", dir, e->d_name) >= PATH_SIZE || stat(path[n], &s)) continue;
        if (s.st_size <= LARGEST_FILE) n++;
    }
    closedir(d);
    qsort(path, n, PATH_SIZE, by_name);
    return n;
}

static double mid(double lo, double hi, double x) { return fmax(lo, fmin(hi, x)); }

/* Largest |z_i - mid(lo_i, hi_i, z_i - w_i)| over max(1, max |q_i|), in plain loops: a second opinion on the judge. */
static double plain_residual(const perp_problem *p, const double *z) {
    bool mixed = p->cls == PERP_MLCP;
    if (!mixed && p->cls != PERP_LCP) return INFINITY;
    int n = mixed ? p->as.mlcp.n : p->as.lcp.n;
    const double *M = mixed ? p->as.mlcp.M : p->as.lcp.M, *q = mixed ? p->as.mlcp.q : p->as.lcp.q;
    double worst = 0, size = 1;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++) w += M[i + (ptrdiff_t)n * j] * z[j];
        double lo = mixed ? p->as.mlcp.lo[i] : 0, hi = mixed ? p->as.mlcp.hi[i] : INFINITY;
        worst = fmax(worst, fabs(z[i] - mid(lo, hi, z[i] - w)));
        size = fmax(size, fabs(q[i]));
    }
    return worst / size;
}

/* Solves one file by auto; false, with what came out printed, if it is not good enough. */
static bool good(const char *path, const demand *wanted) {
    perp_stored *s;
    perp_refusal why;
    if (perp_problem_read(path, NULL, &s, NULL, &why)) {
        print_error("%s\n", why.text);
        return false;
    }
    const perp_problem *p = perp_stored_problem(s);
    double *z = calloc((size_t)perp_problem_size(p) + 1, sizeof *z);
    assert_non_null(z);
    perp_solve_options options = {.tol = wanted->tol};
    perp_solve_info info = {0};
    perp_status status = perp_solve(p, &options, z, &info);
    perp_measures m = {.siconos = INFINITY, .natural = INFINITY};
    bool measured = !perp_problem_measure(p, z, &m);
    bool enough =
        !status && info.verdict.solved && measured && m.siconos <= wanted->siconos && m.natural <= wanted->natural;
    if (p->cls == PERP_LCP || p->cls == PERP_MLCP) enough = enough && plain_residual(p, z) <= wanted->siconos;
    if (!enough)
        print_error("%s: %s, measures %.1e (Siconos') and %.1e (unit-free): %s\n", path, perp_status_name(status),
                    m.siconos, m.natural, info.story);
    free(z);
    perp_stored_free(s);
    return enough;
}

static void all_of(const char *name, const demand *wanted) {
    static char path[MAX_FILES][PATH_SIZE];
    size_t n = files_of(name, path), lost = 0;
    for (size_t i = 0; i < n; i++) lost += !good(path[i], wanted);
    if (n) print_message("%s: %zu of %zu problems solved\n", name, n - lost, n);
    assert_int_equal(lost, 0);
}

static void solves_friction_problems(void **state) {
    (void)state;
    all_of("fclib", &friction);
}

static void solves_lcps(void **state) {
    (void)state;
    all_of("lcp", &lcp);
}

/* data/findings/problems: what once passed and should not have. Two walls and a matrix of zeros have no answer, and that is
 * proven; the others are solved, to two tolerances. */
static void findings(void **state) {
    (void)state;
    static char path[MAX_FILES][PATH_SIZE];
    size_t n = files_of("findings/problems", path);
    for (size_t i = 0; i < n; i++) {
        const char *file = strrchr(path[i], '/') + 1;
        bool none = !strncmp(file, "sq", 2) || !strncmp(file, "mzero", 5);
        perp_stored *s;
        assert_int_equal(perp_problem_read(path[i], NULL, &s, NULL, NULL), PERP_OK);
        const perp_problem *p = perp_stored_problem(s);
        double *z = calloc((size_t)perp_problem_size(p) + 1, sizeof *z);
        assert_non_null(z);
        for (double tol = 1e-8; tol > 5e-10; tol /= 10) {
            perp_solve_options options = {.tol = tol};
            perp_solve_info info;
            perp_status status = perp_solve(p, &options, z, &info);
            bool right = none ? status == PERP_E_SOLVE && info.outcome == PERP_OUTCOME_INFEASIBLE
                              : status == PERP_OK && info.verdict.solved;
            print_message("%s: %s, figure %.1e, %d blind\n", file, perp_outcome_text(info.outcome), info.verdict.figure,
                          info.verdict.blind);
            assert_true(right);
        }
        free(z);
        perp_stored_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves_friction_problems), cmocka_unit_test(solves_lcps),
                                       cmocka_unit_test(findings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
