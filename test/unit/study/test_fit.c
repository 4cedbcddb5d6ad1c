/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_fit.c - least squares: closed forms, published problems, bounds, kinks, failed points, the particle of the study */
#include "unit/fit_help.h"

#include "fit/fit.h"

/* ---- linear regression against the closed form ---- */

#define LINE 40
static double line_t[LINE], line_y[LINE];

static bool line_residuals(void *ctx, int count, const double *x, double *r) {
    const double *sd = ctx;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < LINE; i++) r[LINE * k + i] = (x[2 * k] + x[2 * k + 1] * line_t[i] - line_y[i]) / *sd;
    return true;
}

static void make_line(uint64_t seed, double sd) {
    perp_random random = perp_random_start(seed);
    for (int i = 0; i < LINE; i++) {
        line_t[i] = 0.1 * i;
        line_y[i] = 2 - 3 * line_t[i] + sd * perp_random_normal(&random);
    }
}

/* a, b, their covariance for unit noise, sum of squares */
static void line_closed_form(double *a, double *b, double C[3], double *sum) {
    double s = LINE, st = 0, stt = 0, sy = 0, sty = 0;
    for (int i = 0; i < LINE; i++)
        st += line_t[i], stt += line_t[i] * line_t[i], sy += line_y[i], sty += line_t[i] * line_y[i];
    double det = s * stt - st * st;
    *a = (stt * sy - st * sty) / det, *b = (s * sty - st * sy) / det;
    C[0] = stt / det, C[1] = -st / det, C[2] = s / det;
    *sum = 0;
    for (int i = 0; i < LINE; i++) *sum += pow(*a + *b * line_t[i] - line_y[i], 2);
}

static void test_line(void **state) {
    (void)state;
    double sd = 0.3, start[2] = {0, 0}, x[2], C[4], a, b, c[3], sum, errors[2], correlation[4];
    make_line(7, sd);
    line_closed_form(&a, &b, c, &sum);
    perp_fit_details details = {.sd = errors, .correlation = correlation};
    perp_fit_options o = perp_fit_options_default();
    o.details = &details;
    perp_fit_problem p = {.n = 2, .m = LINE, .start = start, .residuals = line_residuals, .ctx = &sd};
    perp_fit_result result;
    perp_refusal why;
    assert_int_equal(perp_fit(&p, &o, x, C, &result, &why), PERP_OK);
    assert_true(result.converged);
    near(x[0], a, 1e-9);
    near(x[1], b, 1e-9);
    near(C[0], sd * sd * c[0], 1e-8);
    near(C[1], sd * sd * c[1], 1e-8);
    near(C[3], sd * sd * c[2], 1e-8);
    near(errors[1], sd * sqrt(c[2]), 1e-8);
    near(correlation[2], c[1] / sqrt(c[0] * c[2]), 1e-8);
    near(result.cost, sum / (sd * sd), 1e-9 * result.cost);
    near(result.chi2, result.cost, 1e-12 * result.cost);
    assert_int_equal(result.dof, LINE - 2);
    assert_int_equal(result.rank, 2);
    o.noise_known = false; /* the noise from the data */
    assert_int_equal(perp_fit(&p, &o, x, C, &result, &why), PERP_OK);
    near(C[0], sum / (LINE - 2) * c[0], 1e-8);
    near(C[1], sum / (LINE - 2) * c[1], 1e-8);
}

/* A prior counts as a measurement: posterior of a straight line by hand. */
static void test_prior(void **state) {
    (void)state;
    double sd = 0.3, start[2] = {0, 0}, x[2], C[4], mean[2] = {0, -2}, prior_sd[2] = {INFINITY, 0.05};
    make_line(7, sd);
    double B[3] = {0}, g[2] = {0}; /* information, and its product with the optimum */
    for (int i = 0; i < LINE; i++) {
        double w = 1 / (sd * sd), t = line_t[i];
        B[0] += w, B[1] += w * t, B[2] += w * t * t, g[0] += w * line_y[i], g[1] += w * t * line_y[i];
    }
    double D[3] = {B[0], B[1], B[2]};
    B[2] += 1 / (0.05 * 0.05), g[1] += -2 / (0.05 * 0.05);
    double det = B[0] * B[2] - B[1] * B[1];
    double sampling[2];
    perp_fit_details details = {.sampling_sd = sampling};
    perp_fit_options o = perp_fit_options_default();
    o.details = &details;
    perp_fit_problem p = {.n = 2,
                          .m = LINE,
                          .start = start,
                          .prior_mean = mean,
                          .prior_sd = prior_sd,
                          .residuals = line_residuals,
                          .ctx = &sd};
    perp_fit_result result;
    assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
    near(x[0], (B[2] * g[0] - B[1] * g[1]) / det, 1e-9);
    near(x[1], (B[0] * g[1] - B[1] * g[0]) / det, 1e-9);
    near(C[0], B[2] / det, 1e-9);
    near(C[3], B[0] / det, 1e-9);
    double v[2] = {-B[1] / det, B[0] / det}; /* second row of the inverse: C D C */
    near(sampling[1], sqrt(v[0] * v[0] * D[0] + 2 * v[0] * v[1] * D[1] + v[1] * v[1] * D[2]), 1e-9);
    assert_int_equal(result.dof, LINE + 1 - 2);
    assert_true(result.cost > result.chi2);
}

/* ---- published problems (More, Garbow, Hillstrom, ACM Trans. Math. Softw. 7, 1981) ---- */

static bool rosenbrock(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++, x += 2, r += 2) r[0] = 10 * (x[1] - x[0] * x[0]), r[1] = 1 - x[0];
    return true;
}

static bool bard(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    const double y[15] = {.14, .18, .22, .25, .29, .32, .35, .39, .37, .58, .73, .96, 1.34, 2.10, 4.39};
    for (int k = 0; k < count; k++, x += 3, r += 15)
        for (int i = 0; i < 15; i++) {
            double u = i + 1, v = 15 - i, w = fmin(u, v);
            r[i] = y[i] - (x[0] + u / (v * x[1] + w * x[2]));
        }
    return true;
}

static bool osborne(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    const double y[33] = {.844, .908, .932, .936, .925, .908, .881, .850, .818, .784, .751,
                          .718, .685, .658, .628, .603, .580, .558, .538, .522, .506, .490,
                          .478, .467, .457, .448, .438, .431, .424, .420, .414, .411, .406};
    for (int k = 0; k < count; k++, x += 5, r += 33)
        for (int i = 0; i < 33; i++) r[i] = y[i] - (x[0] + x[1] * exp(-10 * i * x[3]) + x[2] * exp(-10 * i * x[4]));
    return true;
}

static bool rosenbrock_jacobian(void *ctx, const double *x, double *J) {
    (void)ctx;
    J[0] = -20 * x[0], J[1] = -1, J[2] = 10, J[3] = 0;
    return true;
}

static void test_published(void **state) {
    (void)state;
    double x[5];
    perp_fit_result result;
    perp_fit_options o = perp_fit_options_default();
    const double rs[2] = {-1.2, 1};
    perp_fit_problem r = {.n = 2, .m = 2, .start = rs, .residuals = rosenbrock};
    for (int k = 0; k < 2; k++) { /* with differences, and with derivatives */
        assert_int_equal(perp_fit(&r, &o, x, NULL, &result, NULL), PERP_OK);
        assert_true(result.converged && result.cost < 1e-20 && result.iterations < 60);
        near(x[0], 1, 1e-9);
        near(x[1], 1, 1e-9);
        r.jacobian = rosenbrock_jacobian;
    }
    const double bs[3] = {1, 1, 1};
    perp_fit_problem b = {.n = 3, .m = 15, .start = bs, .residuals = bard};
    assert_int_equal(perp_fit(&b, &o, x, NULL, &result, NULL), PERP_OK);
    assert_true(result.converged && result.iterations < 30);
    near(result.cost, 8.21487e-3, 1e-8); /* published with its digits cut off */
    near(x[0], 0.08241, 1e-5);
    near(x[1], 1.1330, 1e-4);
    near(x[2], 2.3437, 1e-4);
    const double os[5] = {0.5, 1.5, -1, 0.01, 0.02};
    perp_fit_problem q = {.n = 5, .m = 33, .start = os, .residuals = osborne};
    assert_int_equal(perp_fit(&q, &o, x, NULL, &result, NULL), PERP_OK);
    assert_true(result.converged && result.iterations < 100);
    near(result.cost, 5.46489e-5, 1e-10);
    const double found[5] = {0.3754, 1.9358, -1.4647, 0.01287, 0.02212}, digit[5] = {1e-4, 1e-4, 1e-4, 1e-5, 1e-5};
    for (int j = 0; j < 5; j++) near(x[j], found[j], digit[j]);
}

/* ---- bounds ---- */

/* The optimum of Rosenbrock's function with x <= 0.5 has x = 0.5 exactly and y = 0.25; with y <= 0.1 as well both are at bounds or y
 * is at its bound and x solves a cubic. */
static void test_bounds(void **state) {
    (void)state;
    double x[2], C[4], sd[2], lower[2] = {-2, -2}, upper[2] = {0.5, 2}, start[2] = {-1.2, 1};
    int bound[2];
    perp_fit_details details = {.bound = bound, .sd = sd};
    perp_fit_options o = perp_fit_options_default();
    o.details = &details;
    perp_fit_problem p = {.n = 2, .m = 2, .lower = lower, .upper = upper, .start = start, .residuals = rosenbrock};
    perp_fit_result result;
    assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
    assert_true(result.converged && x[0] == 0.5 && bound[0] == 1 && bound[1] == 0 && sd[0] == 0 && result.rank == 1);
    near(x[1], 0.25, 1e-9);
    near(result.cost, 0.25, 1e-12);
    near(C[3], 0.01, 1e-9); /* y alone: 1/10^2 */
    upper[1] =
        0.1; /* 100 (0.1 - x^2)^2 + (1 - x)^2 least on x <= 0.5: a cubic, solved here by bisection of its slope */
    double lo = 0, hi = 0.5;
    for (int k = 0; k < 100; k++) {
        double z = 0.5 * (lo + hi);
        *(-400 * z * (0.1 - z * z) - 2 * (1 - z) > 0 ? &hi : &lo) = z;
    }
    assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
    assert_true(result.converged && x[1] == 0.1 && bound[1] == 1 && bound[0] == 0);
    near(x[0], lo, 1e-7);
    lower[0] = upper[0] = 0.3; /* fixed */
    assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
    assert_true(x[0] == 0.3 && bound[0] == 2 && C[0] == 0);
    near(x[1], 0.09, 1e-9);
    start[1] = 50; /* a start beyond the bounds, at the bound that holds */
    upper[1] = 0.05;
    assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
    assert_true(x[1] == 0.05 && bound[1] == 1 && result.rank == 0 && result.converged);
}

/* Random bounded linear problems: the optimum must satisfy the conditions of optimality, computed here. */
typedef struct linear {
    int n, m;
    double A[12 * 6], b[12];
} linear;

static bool linear_residuals(void *ctx, int count, const double *x, double *r) {
    const linear *l = ctx;
    for (int k = 0; k < count; k++, x += l->n, r += l->m)
        for (int i = 0; i < l->m; i++) {
            r[i] = -l->b[i];
            for (int j = 0; j < l->n; j++) r[i] += l->A[i + 12 * j] * x[j];
        }
    return true;
}

static void test_bounded_linear(void **state) {
    (void)state;
    perp_random random = perp_random_start(3);
    int active = 0;
    for (int round = 0; round < 200; round++) {
        linear l = {.n = 1 + (int)(perp_random_next(&random) % 6), .m = 12};
        double lower[6], upper[6], start[6] = {0}, x[6], r[12], scale[6];
        for (int i = 0; i < 12 * 6; i++) l.A[i] = perp_random_normal(&random);
        for (int i = 0; i < 12; i++) l.b[i] = 2 * perp_random_normal(&random);
        for (int j = 0; j < 6; j++)
            lower[j] = -perp_random_uniform(&random), upper[j] = perp_random_uniform(&random), scale[j] = 1;
        perp_fit_problem p = {.n = l.n,
                              .m = l.m,
                              .lower = lower,
                              .upper = upper,
                              .start = start,
                              .scale = scale,
                              .residuals = linear_residuals,
                              .ctx = &l};
        perp_fit_result result;
        assert_int_equal(perp_fit(&p, NULL, x, NULL, &result, NULL), PERP_OK);
        assert_true(result.converged);
        linear_residuals(&l, 1, x, r);
        for (int j = 0; j < l.n; j++) {
            double g = 0;
            for (int i = 0; i < 12; i++) g += l.A[i + 12 * j] * r[i];
            active += x[j] == lower[j] || x[j] == upper[j];
            if (x[j] == lower[j])
                assert_true(g > -1e-7);
            else if (x[j] == upper[j])
                assert_true(g < 1e-7);
            else
                near(g, 0, 1e-7);
        }
    }
    assert_true(active > 50);
}

/* The quadratic program between bounds against all 3^n sets of active bounds, also with a singular matrix. */
static double qp_value(int n, const double *B, const double *g, const double *d) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += g[i] * d[i];
        for (int j = 0; j < n; j++) sum += 0.5 * d[i] * B[i + n * j] * d[j];
    }
    return sum;
}

/* Least value with the free variables (side 0) unbounded, by elimination; INFINITY if they leave their bounds. */
static double qp_face(int n, const double *B, const double *g, const double *low, const double *high, const int *side) {
    double A[4 * 5] = {0}, d[4] = {0};
    int who[4], k = 0;
    for (int j = 0; j < n; j++) {
        if (side[j] == 0)
            who[k++] = j;
        else
            d[j] = side[j] > 0 ? high[j] : low[j];
    }
    for (int a = 0; a < k; a++) {
        for (int b = 0; b < k; b++) A[a + 4 * b] = B[who[a] + n * who[b]];
        A[a + 16] = -g[who[a]];
        for (int j = 0; j < n; j++) A[a + 16] -= B[who[a] + n * j] * d[j];
    }
    for (int c = 0; c < k; c++)
        for (int a = 0; a < k; a++) {
            if (a == c) continue;
            double factor = A[a + 4 * c] / A[c + 4 * c];
            for (int b = 0; b < 5; b++) A[a + 4 * b] -= factor * A[c + 4 * b];
        }
    for (int a = 0; a < k; a++) {
        d[who[a]] = A[a + 16] / A[a + 4 * a];
        if (!(d[who[a]] >= low[who[a]] && d[who[a]] <= high[who[a]])) return INFINITY;
    }
    return qp_value(n, B, g, d);
}

static void test_box_qp(void **state) {
    (void)state;
    perp_random random = perp_random_start(12);
    for (int round = 0; round < 500; round++) {
        int n = 1 + (int)(perp_random_next(&random) % 4), side[4];
        double M[16], B[16] = {0}, g[4], low[4], high[4], d[4], work[64];
        assert_true(pp_box_qp_work(n) <= 64);
        for (int i = 0; i < 16; i++) M[i] = perp_random_normal(&random);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < 4; k++) B[i + n * j] += M[i + 4 * k] * M[j + 4 * k];
        for (int j = 0; j < n; j++)
            g[j] = 3 * perp_random_normal(&random), low[j] = -perp_random_uniform(&random),
            high[j] = perp_random_uniform(&random);
        if (round % 5 == 0) low[0] = 0;
        double fall = pp_box_qp(&(pp_box_qp_data){n, B, g, low, high}, d, side, work), best = INFINITY;
        int faces = (int)lround(pow(3, n));
        for (int f = 0; f < faces; f++) {
            int at[4], rest = f;
            for (int j = 0; j < n; j++, rest /= 3) at[j] = rest % 3 - 1;
            best = fmin(best, qp_face(n, B, g, low, high, at));
        }
        near(qp_value(n, B, g, d), best, 1e-10);
        near(-fall, best, 1e-10);
        for (int j = 0; j < n; j++) assert_true(d[j] >= low[j] && d[j] <= high[j]);
    }
}

/* At a bound derivatives are one-sided, of second order: r = exp(x) - 1 - c with x >= 0 has its optimum at the bound itself. */
static bool exponential(void *ctx, int count, const double *x, double *r) {
    double slope = *(double *)ctx;
    for (int k = 0; k < count; k++) {
        assert_true(x[k] >= 0 && x[k] <= 1);
        r[k] = exp(slope * x[k]) - (slope > 0 ? 1 : exp(slope));
    }
    return true;
}

static void test_derivative_at_bound(void **state) {
    (void)state;
    double start = 0.4, lower = 0, upper = 1, x, C, error, slope = 2;
    perp_fit_details details = {.difference_error = &error};
    perp_fit_options o = perp_fit_options_default();
    o.details = &details;
    perp_fit_problem p = {
        .n = 1, .m = 1, .lower = &lower, .upper = &upper, .start = &start, .residuals = exponential, .ctx = &slope};
    assert_int_equal(perp_fit(&p, &o, &x, &C, NULL, NULL), PERP_OK);
    near(x, 0, 1e-9);
    near(C, 0.25, 1e-6); /* slope 2 at 0 */
    slope = -2;
    assert_int_equal(perp_fit(&p, &o, &x, &C, NULL, NULL), PERP_OK);
    near(x, 1, 1e-9);
    near(C, exp(4) / 4, 1e-4);
    assert_true(error < 1e-6);
    start = 0,
    slope = 2; /* from the bound itself, with a longer step: the error of a formula of first order would show */
    o.difference = 1e-3;
    assert_int_equal(perp_fit(&p, &o, &x, &C, NULL, NULL), PERP_OK);
    near(C, 0.25, 1e-5);
}

/* ---- kinks, plateaus and failed points ---- */

/* r = (|x - 1/3| - 0.2 (x - 1/3), 0.1 (x - 1)): least at the kink 1/3, to the right the slope of the sum of squares is positive. */
static bool kinked(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++) {
        double z = x[k] - 1.0 / 3;
        r[2 * k] = 5 + fabs(z) - 0.2 * z, r[2 * k + 1] = 0.1 * (x[k] - 1);
    }
    return true;
}

static void test_kink(void **state) {
    (void)state;
    perp_fit_result result;
    for (double start = -3; start < 3; start += 0.37) {
        double x;
        perp_fit_problem p = {.n = 1, .m = 2, .start = &start, .residuals = kinked};
        assert_int_equal(perp_fit(&p, NULL, &x, NULL, &result, NULL), PERP_OK);
        near(x, 1.0 / 3, 1e-5);
        assert_true(result.evaluations < 400);
    }
}

/* Beyond x = 2 nothing changes (sticking); below -1 nothing can be evaluated. Optimum 0.7. */
static bool plateau(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 4; i++) {
            double z = fmin(x[k], 2);
            r[4 * k + i] = z < -1 ? NAN : (i + 1) * (exp(z) - exp(0.7)) + (i % 2 ? 0.1 : -0.2);
        }
    return true;
}

static void test_plateau(void **state) {
    (void)state;
    perp_fit_result result;
    double best = log(exp(0.7) + (0.2 - 0.2 + 0.6 - 0.4) / 30); /* sum of (i+1)(...) = 0 */
    const double starts[] = {10, 3, 2.1, 0, -0.9, -0.9999999};
    for (int k = 0; k < 6; k++) {
        double x;
        perp_fit_problem p = {.n = 1, .m = 4, .start = &starts[k], .residuals = plateau};
        assert_int_equal(perp_fit(&p, NULL, &x, NULL, &result, NULL), PERP_OK);
        assert_true(result.converged);
        near(x, best, 1e-8);
    }
    double bad = -2, x;
    perp_fit_problem p = {.n = 1, .m = 4, .start = &bad, .residuals = plateau};
    perp_refusal why;
    assert_int_equal(perp_fit(&p, NULL, &x, NULL, &result, &why), PERP_E_SOLVE);
    assert_non_null(strstr(why.text, "not finite"));
    perp_fit_options o = perp_fit_options_default(); /* other starts can be evaluated */
    o.starts = 8;
    double lower = -3, upper = 4;
    p.lower = &lower, p.upper = &upper;
    assert_int_equal(perp_fit(&p, &o, &x, NULL, &result, &why), PERP_OK);
    near(x, best, 1e-8);
    assert_true(result.agreeing >= 3);
}

/* Ten coefficients that all begin on their plateaus leave them after one common search, not after one search each (14 points). One
 * of them is still stuck then, because its optimum lies just below its limit. */
enum { MANY = 10 };
static bool plateaus(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < MANY; j++) {
            double limit = j == 7 ? 0.2 : 0.5, z = fmin(x[MANY * k + j], limit), best = j == 7 ? 0.15 : 0.04 * (j + 1);
            r[2 * (MANY * k + j)] = 30 * (exp(z) - exp(best)) + 0.5;
            r[2 * (MANY * k + j) + 1] = 30 * (exp(z) - exp(best)) - 0.5;
        }
    return true;
}

static void test_plateaus(void **state) {
    (void)state;
    double x[MANY], start[MANY], lower[MANY], upper[MANY];
    for (int j = 0; j < MANY; j++) start[j] = 1, lower[j] = 0, upper[j] = 1;
    perp_fit_problem p = {
        .n = MANY, .m = 2 * MANY, .start = start, .lower = lower, .upper = upper, .residuals = plateaus};
    perp_fit_result result;
    assert_int_equal(perp_fit(&p, NULL, x, NULL, &result, NULL), PERP_OK);
    assert_true(result.converged);
    for (int j = 0; j < MANY; j++) near(x[j], j == 7 ? 0.15 : 0.04 * (j + 1), 1e-7);
    assert_true(result.evaluations < 230);
}

/* A curve of slope 1 made of pieces of slope 1/2 and small jumps, at other places for each residual: tiny differences see 1/2. Two
 * parameters, the level and the slope of a line; closed form of the smooth line beside it. */
enum { STAIRS = 40 };
static double stairs(double x, int i) {
    const double width = 1e-4;
    return 0.5 * x + 0.5 * width * floor(x / width + 0.37 * i);
}
static bool line_of_stairs(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < STAIRS; i++) {
            double s = (i - 19.5) / 20, noise = (i * 7) % 5 - 2;
            r[k * STAIRS + i] =
                (stairs(x[2 * k] + s * x[2 * k + 1], i) - stairs(0.7 + 0.4 * s, i)) / 0.01 + noise / sqrt(2);
        }
    return true;
}

static void test_rough(void **state) {
    (void)state;
    const double start[2] = {1, 1};
    double x[2], C[4], sums[3] = {0}, rhs[2] = {0};
    perp_fit_problem p = {.n = 2, .m = STAIRS, .start = start, .residuals = line_of_stairs};
    perp_fit_result result;
    assert_int_equal(perp_fit(&p, NULL, x, C, &result, NULL), PERP_OK);
    assert_true(result.rough);
    for (int i = 0; i < STAIRS; i++) {
        double s = (i - 19.5) / 20, noise = ((i * 7) % 5 - 2) / sqrt(2);
        sums[0] += 1e4, sums[1] += 1e4 * s, sums[2] += 1e4 * s * s;
        rhs[0] -= 100 * noise, rhs[1] -= 100 * s * noise;
    }
    double det = sums[0] * sums[2] - sums[1] * sums[1];
    double sd[2] = {sqrt(sums[2] / det), sqrt(sums[0] / det)};
    double level = 0.7 + (sums[2] * rhs[0] - sums[1] * rhs[1]) / det;
    double slope = 0.4 + (sums[0] * rhs[1] - sums[1] * rhs[0]) / det;
    near(sqrt(C[0]) / sd[0], 1, 0.05);
    near(sqrt(C[3]) / sd[1], 1, 0.05);
    near(x[0], level, 0.2 * sd[0]);
    near(x[1], slope, 0.2 * sd[1]);
}

/* sin has many optima: more starts find the best one. */
static bool waves(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 30; i++) r[30 * k + i] = sin(x[k] * 0.2 * i) - sin(3.1 * 0.2 * i);
    return true;
}

static void test_starts(void **state) {
    (void)state;
    double start = 8.3, lower = 0.1, upper = 10, x, again;
    perp_fit_problem p = {.n = 1, .m = 30, .lower = &lower, .upper = &upper, .start = &start, .residuals = waves};
    perp_fit_options o = perp_fit_options_default();
    perp_fit_result result;
    assert_int_equal(perp_fit(&p, &o, &x, NULL, &result, NULL), PERP_OK);
    assert_true(fabs(x - 3.1) > 0.1);
    o.starts = 40, o.seed = 5;
    assert_int_equal(perp_fit(&p, &o, &x, NULL, &result, NULL), PERP_OK);
    near(x, 3.1, 1e-8);
    assert_int_equal(perp_fit(&p, &o, &again, NULL, &result, NULL), PERP_OK);
    assert_memory_equal(&x, &again, sizeof x);
}

/* ---- the particle of the study (studies, 5.1): mu and the start from noisy positions ---- */

typedef struct particle {
    bool start_free;
    double rows[2 * PARTICLE_ROWS];
} particle;

static bool particle_residuals(void *ctx, int count, const double *x, double *r) {
    const particle *p = ctx;
    for (int k = 0; k < count; k++, r += 2 * PARTICLE_ROWS) {
        const double *z = x + (p->start_free ? 5 : 1) * k, known[4] = {0, 3, 0, 0};
        particle_path(z[0], p->start_free ? z + 1 : known, r);
        for (int i = 0; i < 2 * PARTICLE_ROWS; i++) r[i] -= p->rows[i];
    }
    return true;
}

static void test_particle(void **state) {
    (void)state;
    const double table[4][5] = {/* eps; mu and objective with the start known; free with the prior */
                                {5e-5, 0.200000067, 1.66879e-7, 0.200000358, 1.64438e-7},
                                {5e-3, 0.200006711, 1.66879e-3, 0.200035774, 1.64438e-3},
                                {5e-2, 0.200067109, 1.66879e-1, 0.200357724, 1.64438e-1},
                                {5e-1, 0.200671089, 16.6879, 0.203575410, 16.4437}};
    const double start[5] = {1, 0, 3, 0, 0}, sd[5] = {INFINITY, 1, 1, 1, 1},
                 lower[5] = {0, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int e = 0; e < 4; e++) {
        double eps = table[e][0], x[5], C[25], correlation[25], sampling[5];
        perp_fit_details details = {.correlation = correlation, .sampling_sd = sampling};
        perp_fit_options o = perp_fit_options_default();
        o.details = &details;
        perp_fit_result result;
        particle data = {.start_free = false};
        particle_rows(0.2, eps, 1, data.rows);
        perp_fit_problem p = {.n = 1,
                              .m = 2 * PARTICLE_ROWS,
                              .lower = lower,
                              .start = start,
                              .residuals = particle_residuals,
                              .ctx = &data};
        assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
        assert_true(result.converged);
        double noise = eps / sqrt(3); /* s.d. of the residuals, which are not divided by it */
        near(x[0], table[e][1], 6e-10 + 1e-3 * 1.0692e-3 * eps);
        near(result.cost, table[e][2], 6e-6 * table[e][2]);
        near(sqrt(C[0]) * noise, 1.0692e-3 * eps, 1e-7 * eps + 5e-4 * 1.0692e-3 * eps);
        data.start_free = true;
        p.n = 5;
        assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK); /* no prior */
        assert_true(result.converged);
        near(sqrt(C[0]) * noise, 5.898e-3 * eps, 2e-3 * 5.898e-3 * eps);
        near(correlation[3], 0.73, 0.006);
        p.prior_mean = start, p.prior_sd = sd;
        assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
        assert_true(result.converged);
        near(x[0], table[e][3], 1e-3 * 5.335e-3 * eps);
        near(result.cost, table[e][4], 6e-6 * table[e][4]);
        near(sampling[0] * noise, 5.335e-3 * eps, 2e-3 * 5.335e-3 * eps); /* the prior's mean is exact in this study */
    }
}

/* ---- what is refused; memory; bits ---- */

static bool stops(void *ctx, int count, const double *x, double *r) {
    int *left = ctx;
    return --*left > 0 && rosenbrock(NULL, count, x, r);
}

static void test_refused(void **state) {
    (void)state;
    double start[2] = {0, 0}, x[2], lower[2] = {1, 0}, upper[2] = {0, 1}, nan2[2] = {0, NAN}, zero[2] = {1, 0};
    perp_fit_problem good = {.n = 2, .m = 2, .start = start, .residuals = rosenbrock}, p = good;
    perp_fit_options o = perp_fit_options_default();
    perp_refusal why;
#define REFUSED(words)                                                              \
    do {                                                                            \
        assert_int_equal(perp_fit(&p, &o, x, NULL, NULL, &why), PERP_E_ARG);        \
        if (!strstr(why.text, words)) fail_msg("said %s, not %s", why.text, words); \
        p = good, o = perp_fit_options_default();                                   \
    } while (0)
    p.n = 0;
    REFUSED("n: found 0; allowed: at least one parameter");
    p.residuals = NULL;
    REFUSED("residuals: is missing");
    p.start = nan2;
    REFUSED("start[1]: found nan; allowed: a finite number");
    p.lower = lower, p.upper = upper;
    REFUSED("upper[0]: found 0; allowed: a number not below the lower bound");
    p.scale = zero;
    REFUSED("scale[1]: found 0; allowed: a number > 0");
    p.prior_mean = start;
    REFUSED("a prior needs both");
    p.prior_mean = start, p.prior_sd = zero;
    REFUSED("prior_sd[1]");
    o.loss = "hubert";
    REFUSED("loss: found hubert; allowed: square, huber, cauchy, tukey");
    o.tolerance = -1;
    REFUSED("tolerance");
    o.difference = NAN;
    REFUSED("difference");
    o.iterations = -3;
    REFUSED("iterations");
    o.starts = -1;
    REFUSED("starts");
    for (int k = 1; k < 12; k++) { /* a callback that ends it, at any moment */
        int left = k;
        p = good, p.residuals = stops, p.ctx = &left;
        perp_status s = perp_fit(&p, &o, x, NULL, NULL, &why);
        assert_int_equal(s, PERP_E_STOPPED);
    }
}

static void test_memory(void **state) {
    (void)state;
    double x[3], C[9];
    const double bs[3] = {1, 1, 1};
    perp_fit_problem b = {.n = 3, .m = 15, .start = bs, .residuals = bard};
    bool done = false;
    for (int k = 0; !done; k++) {
        failing f = {.left = k};
        perp_fit_options o = perp_fit_options_default();
        o.alloc = (perp_allocator){fail_alloc, fail_free, &f};
        perp_refusal why;
        perp_status s = perp_fit(&b, &o, x, C, NULL, &why);
        assert_int_equal(f.live, 0);
        assert_true(s == PERP_OK || s == PERP_E_MEMORY);
        done = s == PERP_OK;
        assert_true(k < 100);
    }
    near(x[1], 1.1330, 1e-4);
}

/* Points of a batch evaluated backwards, as threads might: the same bits. */
static bool osborne_backwards(void *ctx, int count, const double *x, double *r) {
    for (int k = count - 1; k >= 0; k--) osborne(ctx, 1, x + 5 * k, r + 33 * k);
    return true;
}

static void test_bits(void **state) {
    (void)state;
    const double os[5] = {0.5, 1.5, -1, 0.01, 0.02};
    double x[5], y[5], C[25], D[25];
    perp_fit_problem q = {.n = 5, .m = 33, .start = os, .residuals = osborne};
    perp_fit_result one, two;
    assert_int_equal(perp_fit(&q, NULL, x, C, &one, NULL), PERP_OK);
    q.residuals = osborne_backwards;
    assert_int_equal(perp_fit(&q, NULL, y, D, &two, NULL), PERP_OK);
    assert_memory_equal(x, y, sizeof x);
    assert_memory_equal(C, D, sizeof C);
    assert_true(one.cost == two.cost && one.evaluations == two.evaluations);
}

/* ---- unknowns that share no residual ---- */

#define APART 8
/* Residuals 2j and 2j + 1 belong to unknown j. */
static bool apart(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++, x += APART, r += 2 * APART)
        for (int j = 0; j < APART; j++) {
            r[2 * j] = exp(0.1 * x[j]) - exp(0.1 * (j + 1));
            r[2 * j + 1] = 0.1 * x[j] * x[j];
        }
    return true;
}

/* Unknown by unknown, each with a fit of its own. */
static bool apart_one(void *ctx, int count, const double *x, double *r) {
    const int *j = ctx;
    for (int k = 0; k < count; k++) {
        r[2 * k] = exp(0.1 * x[k]) - exp(0.1 * (*j + 1));
        r[2 * k + 1] = 0.1 * x[k] * x[k];
    }
    return true;
}

static void test_groups(void **state) {
    (void)state;
    double start[APART] = {0}, x[APART], C[APART * APART];
    perp_fit_problem p = {.n = APART, .m = 2 * APART, .start = start, .residuals = apart};
    perp_fit_result all;
    for (int j = 0; j < APART; j++) start[j] = 0.1;
    assert_int_equal(perp_fit(&p, NULL, x, C, &all, NULL), PERP_OK);
    assert_true(all.converged);
    for (int j = 0; j < APART; j++) {
        double at, variance;
        perp_fit_problem q = {.n = 1, .m = 2, .start = start, .residuals = apart_one, .ctx = &j};
        assert_int_equal(perp_fit(&q, NULL, &at, &variance, NULL, NULL), PERP_OK);
        near(x[j], at, 1e-7);
        near(C[(APART + 1) * j], variance, 1e-5 * variance);
    }
    assert_true(all.evaluations < 8 * APART + 4 * all.iterations); /* 2 n + 1 for each of them without groups */
}

/* Linear apart from a residual that begins where x[0] exceeds 0.5: the first step lands where groups of the start see the optimum. */
static bool hidden(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++, x += APART, r += APART + 1) {
        for (int j = 0; j < APART; j++) r[j] = x[j] - 1;
        r[APART] = 0.8 * fmax(0, x[0] - 0.5);
    }
    return true;
}

static void test_hidden_residual(void **state) {
    (void)state;
    const double start[APART] = {0};
    double x[APART], C[APART * APART];
    perp_fit_problem p = {.n = APART, .m = APART + 1, .start = start, .residuals = hidden};
    assert_int_equal(perp_fit(&p, NULL, x, C, NULL, NULL), PERP_OK);
    near(x[0], (1 + 0.64 * 0.5) / 1.64, 1e-8);
    near(x[1], 1, 1e-8);
    near(C[0], 1 / 1.64, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),           cmocka_unit_test(test_prior),
        cmocka_unit_test(test_published),      cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_bounded_linear), cmocka_unit_test(test_kink),
        cmocka_unit_test(test_plateau),        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_particle),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_bits),
        cmocka_unit_test(test_box_qp),         cmocka_unit_test(test_derivative_at_bound),
        cmocka_unit_test(test_plateaus),       cmocka_unit_test(test_rough),
        cmocka_unit_test(test_groups),         cmocka_unit_test(test_hidden_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
