/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_lcp_families.c - random LCPs by family: they are what they claim to be, lemke solves all, and agrees with the
 * oracle where the answer is unique. The study in full: bench/lcp_families.c. */
#include <string.h>

#include "check.h"
#include "lcp_families.h"
#include "linalg/linalg.h"
#include "perp/plugin.h"

enum { MOST = LCP_FAMILY_MOST, ENUMERATED = 10 };

#define SOLVED 1e-8 /* unit-free natural residual */

static lcp_source *source(lcp_family f, unsigned seed) {
    lcp_source *s = lcp_source_new(f, seed);
    assert_non_null(s);
    return s;
}

static double natural(const lcp_instance *p, const double *z) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(&p->problem, z, &m), PERP_OK);
    return m.natural;
}

/* The same seed gives the same problems, another one others; sizes are in range; planted solutions are solutions. */
static void test_sources(void **state) {
    (void)state;
    for (int f = 0; f < LCP_FAMILIES; f++) {
        lcp_source *a = source((lcp_family)f, 3), *b = source((lcp_family)f, 3), *c = source((lcp_family)f, 4);
        int same = 0, most = 0, least = MOST;
        for (int i = 0; i < 60; i++) {
            lcp_instance p, q, r;
            assert_true(lcp_source_next(a, &p) && lcp_source_next(b, &q) && lcp_source_next(c, &r));
            assert_int_equal(p.n, q.n);
            assert_string_equal(p.kind, q.kind);
            assert_memory_equal(p.problem.as.lcp.M, q.problem.as.lcp.M, sizeof(double) * (size_t)(p.n * p.n));
            assert_memory_equal(p.problem.as.lcp.q, q.problem.as.lcp.q, sizeof(double) * (size_t)p.n);
            same += p.n == r.n && memcmp(p.problem.as.lcp.q, r.problem.as.lcp.q, sizeof(double) * (size_t)p.n) == 0;
            assert_in_range(p.n, 1, MOST);
            most = p.n > most ? p.n : most;
            least = p.n < least ? p.n : least;
            if (p.known) assert_below(natural(&p, p.known), 1e-13);
            assert_true((p.known != NULL) == (f != LCP_FAMILY_P && f != LCP_FAMILY_CONTACT));
        }
        if (!(same < 30 && least <= 12 && most >= 40))
            fail_msg("%s: %d the same, sizes %d to %d", lcp_family_name((lcp_family)f), same, least, most);
        lcp_source_free(a), lcp_source_free(b), lcp_source_free(c);
    }
}

/* Smallest eigenvalue of (M + M')/2 over the largest |eigenvalue|. */
static double least_eigenvalue(const lcp_instance *p) {
    static double A[MOST * MOST], lambda[MOST], work[64 * MOST];
    int n = p->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + n * j] = 0.5 * (p->problem.as.lcp.M[i + n * j] + p->problem.as.lcp.M[j + n * i]);
    assert_true(pp_eigen_work(n) <= 64 * MOST);
    assert_true(pp_eigen(n, A, n, lambda, work));
    double most = fmax(fabs(lambda[0]), fabs(lambda[n - 1]));
    return most > 0 ? lambda[0] / most : 0;
}

/* Determinant by elimination with row exchanges. */
static double determinant(int m, double *A) {
    double d = 1;
    for (int k = 0; k < m; k++) {
        int p = k;
        for (int i = k + 1; i < m; i++)
            if (fabs(A[i + m * k]) > fabs(A[p + m * k])) p = i;
        if (A[p + m * k] == 0) return 0;
        for (int j = 0; j < m && p != k; j++) {
            double t = A[k + m * j];
            A[k + m * j] = A[p + m * j], A[p + m * j] = t;
        }
        d *= p == k ? A[k + m * k] : -A[k + m * k];
        for (int i = k + 1; i < m; i++)
            for (int j = m - 1; j >= k; j--) A[i + m * j] -= A[i + m * k] / A[k + m * k] * A[k + m * j];
    }
    return d;
}

static bool has_positive_minors(const lcp_instance *p) {
    double A[ENUMERATED * ENUMERATED];
    for (unsigned set = 1; set < 1u << p->n; set++) {
        int index[ENUMERATED], m = 0;
        for (int i = 0; i < p->n; i++)
            if (set >> i & 1) index[m++] = i;
        for (int j = 0; j < m; j++)
            for (int i = 0; i < m; i++) A[i + m * j] = p->problem.as.lcp.M[index[i] + p->n * index[j]];
        if (!(determinant(m, A) > 0)) return false;
    }
    return true;
}

/* Smallest x'Mx over random x >= 0 with few entries, over the largest |M_ij|. */
static double least_form(const lcp_instance *p, uint64_t *seed) {
    double least = 0, size = 0;
    for (int i = 0; i < p->n * p->n; i++) size = fmax(size, fabs(p->problem.as.lcp.M[i]));
    for (int round = 0; round < 20; round++) {
        double x[MOST], sum = 0;
        for (int i = 0; i < p->n; i++) {
            *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
            x[i] = (double)(*seed >> 60) < 5 ? (double)(*seed >> 11 & 1023) / 1024 : 0;
        }
        for (int j = 0; j < p->n; j++)
            for (int i = 0; i < p->n; i++) sum += x[i] * p->problem.as.lcp.M[i + p->n * j] * x[j];
        least = fmin(least, sum);
    }
    return size > 0 ? least / size : 0;
}

/* Matrices are of the class that the family is named after. */
static void test_classes(void **state) {
    (void)state;
    uint64_t seed = 1;
    int indefinite = 0;
    for (int f = 0; f < LCP_FAMILIES; f++) {
        lcp_source *s = source((lcp_family)f, 5);
        lcp_instance p;
        for (int i = 0; i < long_run(120); i++) {
            assert_true(lcp_source_next(s, &p));
            if (f == LCP_FAMILY_P && p.n <= ENUMERATED) assert_true(has_positive_minors(&p));
            if (f == LCP_FAMILY_PSD && p.n <= 60) assert_true(least_eigenvalue(&p) > -1e-12);
            if (f == LCP_FAMILY_COPOSITIVE && p.n <= 60) indefinite += least_eigenvalue(&p) < -1e-6;
            assert_true(f == LCP_FAMILY_P || least_form(&p, &seed) > -1e-9);
        }
        lcp_source_free(s);
    }
    assert_true(indefinite > long_run(20));
}

static void solved_by(const char *solver, const lcp_instance *p, int index, const double *known) {
    double z[MOST] = {0};
    perp_solve_info info;
    assert_int_equal(perp_problem_solve(&p->problem, solver, z, &info), PERP_OK);
    double r = natural(p, z), off = known ? lcp_difference(p, z, known) : 0;
    if (!(r <= SOLVED))
        fail_msg("%s: number %d, %s, n = %d: %g, %s", solver, index, p->kind, p->n, r, perp_outcome_text(info.outcome));
    if (!(off <= 1e-6)) fail_msg("%s: number %d, %s, n = %d: off by %g", solver, index, p->kind, p->n, off);
}

/* lemke solves what theory says it must, which is all of these; so does path-search. */
static void test_solved(void **state) {
    (void)state;
    for (int f = 0; f < LCP_FAMILIES; f++) {
        lcp_source *s = source((lcp_family)f, 1);
        lcp_instance p;
        for (int i = 0; i < long_run(240); i++) {
            assert_true(lcp_source_next(s, &p) && p.must);
            bool unique = p.unique_z || p.unique_w;
            double oracle[MOST] = {0};
            const double *known = unique ? p.known : NULL;
            if (p.n <= ENUMERATED && unique) {
                perp_solve_info info;
                assert_int_equal(perp_problem_solve(&p.problem, "enumerate", oracle, &info), PERP_OK);
                assert_below(natural(&p, oracle), SOLVED);
                if (known) assert_below(lcp_difference(&p, oracle, known), 1e-9);
                known = oracle;
            }
            solved_by("lemke", &p, i, known);
            if (p.n <= 60) solved_by("path-search", &p, i, known);
        }
        lcp_source_free(s);
    }
}

/* Bimatrix games with positive payments are copositive, not copositive-plus: from z = 0 Lemke's path ends on a ray at
 * once. The example is Cottle, Pang, Stone 4.4.23. */
static void test_games(void **state) {
    (void)state;
    static double M[24 * 24], q[24];
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        const double example[2][4] = {{10, 20, 30, 15}, {10, 20, 30, 15}};
        int a = round ? 1 + round % 12 : 2, b = round ? 1 + round / 12 % 12 : 2, n = a + b;
        memset(M, 0, sizeof M);
        for (int i = 0; i < a; i++)
            for (int j = 0; j < b; j++)
                for (int k = 0; k < 2; k++) {
                    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
                    double pay = round ? 1 + (double)(seed >> 40) * 0x1p-21 : example[k][2 * i + j];
                    M[k ? a + j + n * i : i + n * (a + j)] = pay;
                }
        for (int i = 0; i < n; i++) q[i] = -1;
        lcp_instance p = {.n = n, .kind = "game", .problem = {.cls = PERP_LCP, .as.lcp = {n, M, q}}};
        solved_by("lemke", &p, round, NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_solved),
        cmocka_unit_test(test_games),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
