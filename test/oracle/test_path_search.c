/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_path_search.c - path-search against lemke, enumeration and closed forms: random linear problems of every family,
 * contact problems with redundant rows, bounds and free variables, scales, sparse form, nonlinear problems of the
 * literature from many starts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "fault/allocator.h"
#include "oracle/random_problem.h"
#include "problem/convert/convert.h"
#include "solver/common/solver.h"

#ifdef PERP_TEST_SHORT
#define ROUNDS(n) ((n) / 8)
#else
#define ROUNDS(n) (n)
#endif

enum { MOST = 60 };
static double M[MOST * MOST], q[MOST], z[MOST], y[MOST], lo[MOST], hi[MOST];
static rp_step step;

static perp_solve_info solve_set(const perp_solver_type *t, const perp_problem *p, double *x, const char *name,
                                 double value) {
    pp_settings set;
    perp_solve_info info;
    perp_measures m;
    pp_settings_default(t, 0, &set);
    if (name) assert_int_equal(perp_fields_set(t->fields, t->nfield, &set, name, value), PERP_OK);
    pp_arena_mark mark = pp_arena_here(&arena);
    assert_int_equal(pp_solve(t, &set, p, x, &arena, &info), PERP_OK);
    pp_arena_release(&arena, mark);
    assert_int_equal(perp_problem_measure(p, x, &m), PERP_OK);
    info.residual = m.natural; /* unit-free from here on */
    return info;
}

static perp_solve_info solve(const perp_problem *p, double *x) {
    return solve_set(&pp_solver_path_search, p, x, NULL, 0);
}

static void must(const perp_solve_info *i, double limit, const char *what, int round) {
    if (i->residual <= limit) return; /* what it says of itself does not count */
    fail_msg("%s %d: %s, residual %g, %d paths, %s", what, round, perp_outcome_text(i->outcome), i->residual,
             i->iterations, i->story);
}

/* As rp_lcp(), of any size up to MOST; COPOSITIVE: entries >= 0 beside a positive semidefinite part, q made backwards. */
enum { COPOSITIVE = RP_KINDS, KINDS };
static void family(int kind, int n) {
    static double B[MOST * MOST];
    bool whole = kind == RP_DEGENERATE, half = kind == RP_PSD || whole || (kind == RP_BACKWARD && rp_int(2));
    bool skew = kind == RP_ASYMMETRIC || whole || kind == COPOSITIVE || (kind == RP_BACKWARD && rp_int(2));
    int rank = half ? (n + 1) / 2 : n;
    for (int i = 0; i < n * rank; i++) B[i] = whole ? rp_int(3) - 1 : rp_sym();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double dot = i == j && !half ? 0.05 : 0;
            for (int k = 0; k < rank; k++) dot += B[i + n * k] * B[j + n * k];
            M[i + n * j] = dot;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double s = !skew ? 0 : whole ? rp_int(3) - 1 : 2 * rp_sym(), e = kind == COPOSITIVE ? 3 * rp_unit() : 0;
            M[i + n * j] += s + e, M[j + n * i] += e - s;
        }
    for (int i = 0; i < n; i++) {
        y[i] = rp_int(2) ? (whole ? rp_int(3) : rp_unit()) : 0;
        q[i] = y[i] > 0 ? 0 : rp_int(3) ? (whole ? rp_int(3) : rp_unit()) : 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) q[i] -= M[i + n * j] * y[j];
    for (int i = 0; i < n; i++) {
        if (kind == RP_P || kind == RP_ASYMMETRIC) q[i] = rp_sym();
        z[i] = y[i] = 0;
    }
}

static void test_families(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int round = 0; round < ROUNDS(200); round++) {
            int n = 1 + rp_int(MOST);
            family(kind, n);
            perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
            perp_solve_info lemke = solve_set(&pp_solver_lemke, &p, y, NULL, 0), info = solve(&p, z);
            must(&lemke, 1e-10, "lemke on family", kind);
            must(&info, 1e-10, "family", kind);
            if (kind == RP_P || kind == RP_ASYMMETRIC) /* one answer only */
                for (int i = 0; i < n; i++) assert_true(fabs(z[i] - y[i]) < 1e-7 * (1 + fabs(y[i])));
            for (int i = 0; i < n; i++) z[i] = 0; /* without the crash it is all pivoting, and still one path */
            info = solve_set(&pp_solver_path_search, &p, z, "crash", 0);
            must(&info, 1e-10, "pivots only, family", kind);
            assert_true(info.iterations <= 1 || kind == COPOSITIVE || kind == RP_DEGENERATE);
        }
}

/* Any matrix at all: what it calls solved is, it finds at least as much as lemke on the whole, and never an answer that
 * enumeration says is not there. */
static void test_any_matrix(void **state) {
    (void)state;
    int solved = 0, lemke = 0, less = 0, neither = 0;
    for (int round = 0; round < ROUNDS(1500); round++) {
        int n = 1 + rp_int(6);
        for (int i = 0; i < n * n; i++) M[i] = rp_sym();
        double x[6] = {0};
        for (int i = 0; i < n; i++) q[i] = rp_sym(), z[i] = y[i] = 0;
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        perp_solve_info a = solve(&p, z), b = solve_set(&pp_solver_lemke, &p, y, NULL, 0),
                        c = solve_set(&pp_solver_enumerate, &p, x, NULL, 0);
        bool ours = a.residual <= 1e-9, theirs = b.residual <= 1e-9;
        assert_int_equal(ours, a.outcome == PERP_OUTCOME_SOLVED);
        for (int i = 0; i < n; i++) assert_true(isfinite(z[i]) && z[i] >= 0);
        assert_false(ours && !(c.residual <= 1e-9));
        solved += ours, lemke += theirs, less += theirs && !ours, neither += !ours && !theirs;
    }
    print_message("any matrix: solved %d, lemke %d, %d of these not by path-search\n", solved, lemke, less);
    assert_true(solved >= lemke && less <= ROUNDS(1500) / 100 && neither > 0);
}

static void to_sparse(const perp_mlcp *m, perp_problem *out) {
    int n = m->n, *start = PP_ARENA_ARRAY(&arena, int, n + 1), *index = PP_ARENA_ARRAY(&arena, int, n *n), count = 0;
    double *value = PP_ARENA_ARRAY(&arena, double, n *n);
    for (int j = 0; j < n; j++) {
        start[j] = count;
        for (int i = 0; i < n; i++)
            if (m->M[i + n * j] != 0) index[count] = i, value[count++] = m->M[i + n * j];
    }
    start[n] = count;
    out->cls = PERP_SPARSE_MLCP;
    out->as.sparse_mlcp = (perp_sparse_mlcp){n, {n, n, start, index, value}, m->q, m->lo, m->hi};
}

/* Contacts with friction, twins of contacts, redundant joints, mass ratios to 1e5: as LCP, mixed, and sparse. Without
 * friction the motion is that of lemke. */
static void test_contacts(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS(800); round++) {
        int mode = round % 8;
        rp_options o = {.dim = 2 + mode % 2,
                        .blocks = 1 + rp_int(5),
                        .contacts = 1 + rp_int(10),
                        .rest = rp_int(2),
                        .twins = rp_int(2),
                        .nd = 3 + rp_int(4),
                        .mass_ratio = round % 3 ? 1 : 1e5};
        if (mode & 2) o.mu = 1;
        if (mode & 4) {
            o.boxes = rp_int(2), o.limits = rp_int(2), o.springs = rp_int(2), o.fixed = rp_int(2), o.upper = rp_int(2);
            o.bilateral = rp_int(3), o.redundant = rp_int(2);
        }
        rp_step_make(&step, &o);
        double nu[4][36];
        for (int form = 0; form < 4; form++) {
            pp_arena_reset(&arena);
            pp_converted c;
            assert_int_equal(pp_convert(&step.p, form == 1 ? PERP_LCP : PERP_MLCP, &arena, &c), PERP_OK);
            double *x = PP_ARENA_ZERO(&arena, double, c.n);
            perp_problem p = c.problem;
            if (form == 3) to_sparse(&c.problem.as.mlcp, &p);
            perp_solve_info info = solve_set(form == 0 ? &pp_solver_lemke : &pp_solver_path_search, &p, x, NULL, 0);
            must(&info, 1e-9, form == 0 ? "lemke" : form == 1 ? "LCP" : form == 2 ? "mixed" : "sparse", round);
            double p_joint[RP_ROWS], p_contact[3 * RP_ROWS], sigma[RP_ROWS];
            perp_step_solution out = {.nu = nu[form], .p_joint = p_joint, .p_contact = p_contact, .sigma = sigma};
            assert_int_equal(pp_recover(&c, x, &arena, &out), PERP_OK);
            perp_step_residual r = perp_step_problem_residual(&step.p, &out);
            double worst = fmax(fmax(fmax(r.momentum, r.joint), fmax(r.normal, r.cone)), r.dissipation) / r.scale;
            if (!(worst <= 1e-8)) fail_msg("round %d, form %d: the laws miss by %g", round, form, worst);
            for (int i = 0; i < step.p.ndof && o.mu == 0; i++) assert_true(fabs(nu[form][i] - nu[0][i]) < 1e-7);
        }
    }
}

/* Mixed problems made backwards, positive definite, with every kind of bounds: the answer is known. Then in units far
 * apart, with and without scales that say so. */
static void test_mixed(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS(600); round++) {
        int n = 1 + rp_int(30), extreme = round % 3;
        family(RP_ASYMMETRIC, n);
        double known[MOST], zs[MOST], ws[MOST];
        for (int i = 0; i < n; i++) {
            int kind = rp_int(5), where = rp_int(3);
            lo[i] = kind == 0 || kind == 3 ? -INFINITY : kind == 1 ? 0 : rp_sym();
            hi[i] = kind == 0 || kind == 1 ? INFINITY : kind == 3 ? rp_sym() : kind == 4 ? lo[i] : lo[i] + rp_unit();
            bool low = lo[i] > -INFINITY, high = hi[i] < INFINITY;
            known[i] = low && high ? 0.5 * (lo[i] + hi[i]) : low ? lo[i] + rp_unit() : high ? hi[i] - 1 : rp_sym();
            q[i] = 0;
            if (where == 0 && low) known[i] = lo[i], q[i] = rp_unit();
            if (where == 1 && high) known[i] = hi[i], q[i] = -rp_unit();
            zs[i] = extreme ? pow(10, 5 * rp_sym()) : 1;
            ws[i] = extreme ? pow(10, 5 * rp_sym()) : 1;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) q[i] -= M[i + n * j] * known[j];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) M[i + n * j] *= ws[i] / zs[j];
            q[i] *= ws[i], lo[i] *= zs[i], hi[i] *= zs[i];
        }
        perp_problem p = {.cls = PERP_MLCP, .as.mlcp = {n, M, q, lo, hi}};
        if (extreme == 1) p.z_scale = zs, p.w_scale = ws;
        perp_solve_info info = solve(&p, z);
        must(&info, 1e-10, "mixed", round);
        for (int i = 0; i < n; i++) {
            assert_true(z[i] >= lo[i] && z[i] <= hi[i]);
            if (extreme < 2) assert_true(fabs(z[i] / zs[i] - known[i]) < 1e-7);
        }
    }
}

/* With a guess near the solution no pivots are needed. */
static void test_warm(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS(200); round++) {
        int n = 4 + rp_int(40);
        family(RP_ASYMMETRIC, n);
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        perp_solve_info info = solve(&p, z);
        must(&info, 1e-10, "cold", round);
        bool zero = true;
        for (int i = 0; i < n; i++) q[i] += 1e-8 * rp_sym(), zero &= z[i] == 0;
        info = solve(&p, z);
        must(&info, 1e-10, "warm", round);
        assert_true(zero || (info.warm && info.factorisations <= 3));
    }
}

/* No answer: x - y >= 1 and y - x >= 1; the ray is told, for M positive semidefinite a proof. */
static void test_no_answer(void **state) {
    (void)state;
    double C[] = {1, -1, -1, 1}, r[] = {-1, -1}, x[2] = {0};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, C, r}};
    perp_solve_info info = solve(&p, x);
    assert_int_equal(info.outcome, PERP_OUTCOME_RAY);
    assert_true(info.residual > 0.1 && isfinite(x[0]) && isfinite(x[1]));
    perp_problem none = {.cls = PERP_LCP, .as.lcp = {0, NULL, NULL}};
    assert_int_equal(solve(&none, NULL).outcome, PERP_OUTCOME_SOLVED);
}

/* Nonlinear problems. */
static bool kojima(const double *v, double *w, void *ctx) {
    bool josephy = *(bool *)ctx;
    double a = v[0], b = v[1], c = v[2], d = v[3];
    w[0] = 3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6;
    w[1] = 2 * a * a + a + b * b + (josephy ? 3 : 10) * c + 2 * d - 2;
    w[2] = 3 * a * a + a * b + 2 * b * b + 2 * c + (josephy ? 3 : 9) * d - (josephy ? 1 : 9);
    w[3] = a * a + 3 * b * b + 2 * c + 3 * d - 3;
    return true;
}

static bool kojima_J(const double *v, double *J, void *ctx) {
    bool josephy = *(bool *)ctx;
    double a = v[0], b = v[1];
    const double value[] = {6 * a + 2 * b,
                            4 * a + 1,
                            6 * a + b,
                            2 * a,
                            2 * a + 4 * b,
                            2 * b,
                            a + 4 * b,
                            6 * b,
                            1,
                            josephy ? 3 : 10,
                            2,
                            2,
                            3,
                            2,
                            josephy ? 3 : 9,
                            3};
    memcpy(J, value, sizeof value);
    return true;
}

/* Kojima-Shindo: (sqrt(6)/2, 0, 0, 1/2), degenerate, and (1, 0, 3, 0). Josephy: the first alone. From a grid of starts. */
static void test_kojima_shindo(void **state) {
    (void)state;
    static const double at[] = {0, 0.5, 1, 3, 10, 100};
    for (int josephy = 0; josephy < 2; josephy++) {
        bool which = josephy;
        int found[2] = {0, 0}, paths = 0, again = 0, pivots, times;
        perp_problem p = {.cls = PERP_NCP, .as.ncp = {.n = 4, .F = kojima, .J = kojima_J, .ctx = &which}};
        for (int k = 0; k < 6 * 6 * 6 * 6; k++) {
            double v[4] = {at[k % 6], at[k / 6 % 6], at[k / 36 % 6], at[k / 216]};
            perp_solve_info info = solve(&p, v);
            must(&info, 1e-9, josephy ? "Josephy" : "Kojima-Shindo", k);
            bool first = fabs(v[0] - sqrt(1.5)) < 1e-4 && fabs(v[1]) < 1e-4 && fabs(v[2]) < 1e-4 &&
                         fabs(v[3] - 0.5) < 1e-4; /* degenerate: known to the root of the residual */
            bool second = fabs(v[0] - 1) < 1e-6 && fabs(v[1]) < 1e-6 && fabs(v[2] - 3) < 1e-6 && fabs(v[3]) < 1e-6;
            assert_true(first || (second && !josephy));
            found[second]++;
            paths += info.iterations;
            assert_int_equal(sscanf(info.story, "%d pivots, %d restarts", &pivots, &times), 2);
            again += times > 0;
        }
        print_message("%s: %d starts, %.1f paths each, %d with restarts, %d at the second answer\n",
                      josephy ? "Josephy" : "Kojima-Shindo", found[0] + found[1], paths / 1296.0, again, found[1]);
        which = josephy;
        p.as.ncp.J = NULL; /* differences do too */
        double v[4] = {0};
        perp_solve_info info = solve(&p, v);
        must(&info, 1e-9, "by differences", josephy);
    }
}

/* Answers (s, 0, 0, 0), 0 <= s <= 3: a whole segment. F is not defined at z_1 = -1, z_2 = -1. */
static bool mathiesen(const double *v, double *w, void *ctx) {
    (void)ctx;
    if (!(v[1] > -1 && v[2] > -1)) return false;
    w[0] = -v[1] + v[2] + v[3];
    w[1] = v[0] - (4.5 * v[2] + 2.7 * v[3]) / (v[1] + 1);
    w[2] = 5 - v[0] - (0.5 * v[2] + 0.3 * v[3]) / (v[2] + 1);
    w[3] = 3 - v[0];
    return true;
}

static void test_mathiesen(void **state) {
    (void)state;
    perp_problem p = {.cls = PERP_NCP, .as.ncp = {.n = 4, .F = mathiesen}};
    for (int round = 0; round < ROUNDS(400); round++) {
        double v[4];
        for (int i = 0; i < 4; i++) v[i] = round == 0 ? 1 : 10 * rp_unit();
        perp_solve_info info = solve(&p, v);
        must(&info, 1e-9, "Mathiesen", round);
        assert_true(v[0] > -1e-9 && v[0] < 3 + 1e-6 && fabs(v[1]) < 1e-6 && fabs(v[2]) < 1e-6 && fabs(v[3]) < 1e-6);
    }
}

/* Cournot's oligopoly of Murphy, Sherali, Soyster (1982), five firms: not defined where nobody produces. */
static bool oligopoly(const double *v, double *w, void *ctx) {
    (void)ctx;
    double total = 0;
    for (int i = 0; i < 5; i++) total += v[i];
    if (!(total > 0)) return false;
    double price = pow(5000 / total, 1 / 1.1), slope = -price / (1.1 * total);
    for (int i = 0; i < 5; i++) {
        if (v[i] < 0) return false;
        w[i] = 10 - 2 * i + pow(v[i] / 5, 1 / (1.2 - 0.1 * i)) - price - v[i] * slope;
    }
    return true;
}

static void test_oligopoly(void **state) {
    (void)state;
    static const double known[] = {36.93, 41.82, 43.71, 42.66, 39.18};
    perp_problem p = {.cls = PERP_NCP, .as.ncp = {.n = 5, .F = oligopoly}};
    for (int round = 0; round < ROUNDS(200); round++) {
        double v[5], size = pow(10, 3 * rp_unit() - 1);
        for (int i = 0; i < 5; i++) v[i] = round == 0 ? 10 : size * rp_unit();
        perp_solve_info info = solve(&p, v);
        must(&info, 1e-9, "oligopoly", round);
        for (int i = 0; i < 5; i++) assert_true(fabs(v[i] - known[i]) < 0.01);
    }
}

/* A membrane over an obstacle with a source exp(u): -Lap u - exp(u) complementary to u - psi, N x N points, sparse. */
enum { N = 20 };
static bool membrane(const double *v, double *w, void *ctx) {
    (void)ctx;
    double h = 1.0 / (N + 1);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            int k = i + N * j;
            double sum = 4 * v[k];
            if (i > 0) sum -= v[k - 1];
            if (i < N - 1) sum -= v[k + 1];
            if (j > 0) sum -= v[k - N];
            if (j < N - 1) sum -= v[k + N];
            w[k] = sum / (h * h) - exp(v[k]);
        }
    return true;
}

static void test_obstacle(void **state) {
    (void)state;
    static double low[N * N], high[N * N], v[N * N], w[N * N];
    static int start[N * N + 1], index[5 * N * N];
    int count = 0, touching = 0, ceiling = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            int k = i + N * j;
            double x = (i + 1.0) / (N + 1), t = (j + 1.0) / (N + 1);
            start[k] = count;
            if (j > 0) index[count++] = k - N;
            if (i > 0) index[count++] = k - 1;
            index[count++] = k;
            if (i < N - 1) index[count++] = k + 1;
            if (j < N - 1) index[count++] = k + N;
            low[k] = 0.3 - 4 * ((x - 0.3) * (x - 0.3) + (t - 0.5) * (t - 0.5));
            high[k] = x > 0.7 ? 0.1 : INFINITY;
            v[k] = fmin(fmax(0, low[k]), high[k]);
        }
    start[N * N] = count;
    perp_problem p = {.cls = PERP_NCP,
                      .as.ncp = {.n = N * N, .lo = low, .hi = high, .F = membrane, .start = start, .index = index}};
    for (int crash = 0; crash < 2; crash++) {
        for (int k = 0; k < N * N; k++) v[k] = fmin(fmax(0, low[k]), high[k]);
        perp_solve_info info = solve_set(&pp_solver_path_search, &p, v, "crash", crash ? 20 : 0);
        must(&info, 1e-9, "obstacle", crash);
        print_message("obstacle of %d points: %d paths, %s\n", N * N, info.iterations, info.story);
        assert_true(membrane(v, w, NULL));
        touching = ceiling = 0;
        for (int k = 0; k < N * N; k++) touching += v[k] == low[k] && w[k] > 1e-6, ceiling += v[k] == high[k];
        assert_true(touching > 10 && ceiling > 0 && touching + ceiling < N * N / 2);
    }
}

static bool stop_at_two(int iteration, const double *v, void *ctx) {
    (void)v;
    ++*(int *)ctx;
    return iteration < 2;
}

static void test_watch(void **state) {
    (void)state;
    bool which = false;
    int looks = 0;
    perp_watch watch = {stop_at_two, &looks};
    perp_problem p = {.cls = PERP_NCP, .as.ncp = {.n = 4, .F = kojima, .J = kojima_J, .ctx = &which}};
    double v[4] = {100, 100, 100, 100};
    pp_settings set;
    pp_settings_default(&pp_solver_path_search, 0, &set);
    assert_int_equal(perp_fields_set(pp_solver_path_search.fields, pp_solver_path_search.nfield, &set, "crash", 0), 0);
    perp_call call = {.arena = &arena, .watch = &watch, .deadline = INFINITY};
    perp_solve_info info;
    assert_int_equal(pp_solve_within(&call, &pp_solver_path_search, &set, &p, v, &info), PERP_OK);
    assert_int_equal(info.outcome, PERP_OUTCOME_STOPPED);
    assert_int_equal(looks, 3);
    call = (perp_call){.arena = &arena, .deadline = 0}; /* long past */
    assert_int_equal(pp_solve_within(&call, &pp_solver_path_search, &set, &p, v, &info), PERP_OK);
    assert_int_equal(info.outcome, PERP_OUTCOME_STOPPED);
    const perp_solver_type *both[] = {&pp_solver_lemke, &pp_solver_path_search};
    for (int k = 0; k < 2; k++) { /* lemke asks within a run of pivots, so one that takes many */
        for (int i = 0; i < MOST * MOST; i++) M[i] = i % (MOST + 1) == 0;
        for (int i = 0; i < MOST; i++) q[i] = -1 - rp_unit(), z[i] = y[i] = 0;
        perp_problem l = {.cls = PERP_LCP, .as.lcp = {MOST, M, q}};
        perp_solve_info plain = solve_set(both[k], &l, y, NULL, 0);
        must(&plain, 1e-10, "without a deadline", k);
        assert_true(k == 1 || plain.iterations > 40);
        pp_settings_default(both[k], 0, &set);
        assert_int_equal(pp_solve_within(&call, both[k], &set, &l, z, &info), PERP_OK);
        assert_int_equal(info.outcome, PERP_OUTCOME_STOPPED);
        for (int i = 0; i < MOST; i++) assert_true(isfinite(z[i]));
    }
}

/* Memory refused at the k-th request, for every k: said so, and nothing is left behind (the sanitizers look). */
static void test_memory(void **state) {
    (void)state;
    family(RP_PSD, 30);
    for (int i = 0; i < 30; i++) lo[i] = 0, hi[i] = INFINITY;
    perp_mlcp m = {30, M, q, lo, hi};
    pp_settings set;
    pp_settings_default(&pp_solver_path_search, 0, &set);
    for (int form = 0; form < 2; form++) {
        perp_problem p = {.cls = PERP_MLCP, .as.mlcp = m};
        pp_arena_reset(&arena);
        if (form) to_sparse(&m, &p);
        int refused = 0;
        for (long k = 0;; k++) {
            pp_arena small;
            perp_solve_info info;
            counter c = {.refuse = k};
            pp_arena_init(&small, counting(&c));
            memset(z, 0, sizeof z);
            perp_status s = pp_solve(&pp_solver_path_search, &set, &p, z, &small, &info);
            pp_arena_free(&small);
            assert_int_equal(c.live, 0);
            if (s == PERP_OK) break;
            assert_int_equal(s, PERP_E_MEMORY);
            refused++;
        }
        assert_true(refused > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),  cmocka_unit_test(test_any_matrix),    cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_mixed),     cmocka_unit_test(test_warm),          cmocka_unit_test(test_no_answer),
        cmocka_unit_test(test_mathiesen), cmocka_unit_test(test_kojima_shindo), cmocka_unit_test(test_oligopoly),
        cmocka_unit_test(test_obstacle),  cmocka_unit_test(test_watch),         cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
