/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_cone_law.c - one contact solved exactly: every case of the law, random matrices of all sorts, against the natural
 * map, solutions built backwards, and the closed form in the plane. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracle/random_problem.h"
#include "solver/cone/cone.h"
#include "solver/cone/cone_law.h"

enum { DEFINITE, NEARLY_SINGULAR, SINGULAR, UNSYMMETRIC, KINDS };

/* Symmetric part positive semidefinite, mean diagonal 1. */
static void random_matrix(int kind, int dim, double *W) {
    int rank = kind == SINGULAR ? 1 + rp_int(dim - 1) : dim;
    double B[PP_CONE_SQUARE], trace = 0;
    for (int i = 0; i < dim * rank; i++) B[i] = rp_sym();
    for (int k = 0; k < rank && kind == NEARLY_SINGULAR; k++) {
        double f = pow(10, -4 * rp_unit());
        for (int i = 0; i < dim; i++) B[i + dim * k] *= f;
    }
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            W[i + dim * j] = 0;
            for (int k = 0; k < rank; k++) W[i + dim * j] += B[i + dim * k] * B[j + dim * k];
            if (i == j) trace += W[i + dim * j];
        }
    for (int i = 0; i < dim * dim; i++) W[i] *= dim / trace;
    for (int i = 0; i < dim && kind == UNSYMMETRIC; i++)
        for (int j = 0; j < i; j++) {
            double s = 1e-3 * rp_sym();
            W[i + dim * j] += s, W[j + dim * i] -= s;
        }
}

/* Rounding, except with the associated law at the border of two cases that W hardly distinguishes. */
static double allowed(int kind, bool associated) { return associated && kind == NEARLY_SINGULAR ? 1e-9 : 1e-12; }

static double random_mu(void) {
    switch (rp_int(5)) {
    case 0: return 0;
    case 1: return 10 * rp_unit();
    case 2: return pow(10, -8 * rp_unit());
    default: return rp_unit();
    }
}

static void multiply(int dim, const double *W, const double *x, const double *q, double *v) {
    for (int i = 0; i < dim; i++) {
        v[i] = q[i];
        for (int j = 0; j < dim; j++) v[i] += W[i + dim * j] * x[j];
    }
}

static double length(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

/* x and v that obey the law: open, stick, slide, or on an edge between them. */
static void random_pair(int dim, double mu, bool associated, double *x, double *v) {
    double t[PERP_CONE_ROWS - 1], n = 0;
    for (int i = 0; i < dim - 1; i++) t[i] = rp_sym(), n += t[i] * t[i];
    for (int i = 0; i < dim - 1; i++) t[i] /= sqrt(n);
    memset(x, 0, sizeof *x * (size_t)dim);
    memset(v, 0, sizeof *v * (size_t)dim);
    int how = rp_int(6);
    double load = rp_unit() + 0.01, pace = rp_unit() + 0.01, part = how == 4 ? 1 : rp_unit();
    if (how == 0 || how == 5) { /* open; 5: just touching */
        for (int i = 1; i < dim; i++) v[i] = rp_sym();
        v[0] = (associated ? mu * length(dim - 1, v + 1) : 0) + (how ? 0 : rp_unit());
        return;
    }
    x[0] = load;
    if (how == 1 || how == 4) { /* stick; 4: about to slip */
        for (int i = 1; i < dim; i++) x[i] = part * mu * load * t[i - 1];
        return;
    }
    for (int i = 1; i < dim; i++) x[i] = mu * load * t[i - 1], v[i] = -pace * t[i - 1];
    if (associated) v[0] = mu * pace;
}

static void test_projection(void **state) {
    (void)state;
    for (int run = 0; run < long_run(20000); run++) {
        int dim = 2 + rp_int(PERP_CONE_ROWS - 1);
        double mu = random_mu(), y[PERP_CONE_ROWS] = {0}, p[PERP_CONE_ROWS], z[PERP_CONE_ROWS], dot = 0;
        for (int i = 0; i < dim; i++) y[i] = rp_sym();
        memcpy(p, y, sizeof p);
        pp_cone_project(dim, mu, p);
        assert_below(length(dim - 1, p + 1), mu * p[0] + 1e-15);
        /* y - P y is perpendicular to P y, and no point of the cone lies on its other side */
        for (int i = 0; i < dim; i++) dot += (y[i] - p[i]) * p[i];
        assert_near(dot, 0, 1e-15 * (1 + mu));
        for (int i = 1; i < dim; i++) z[i] = rp_sym();
        z[0] = length(dim - 1, z + 1);
        for (int i = 1; i < dim; i++) z[i] *= mu;
        dot = 0;
        for (int i = 0; i < dim; i++) dot += (y[i] - p[i]) * z[i];
        assert_below(dot, 1e-14 * (1 + mu));
    }
}

/* Velocities at zero impulse at random. W singular: in its range, as they are for bodies. */
static void test_random(void **state) {
    (void)state;
    double worst = 0;
    for (int run = 0; run < long_run(120000); run++) {
        int dim = 2 + rp_int(PERP_CONE_ROWS - 1), kind = rp_int(KINDS);
        bool associated = rp_int(2);
        double W[PP_CONE_SQUARE], q[PERP_CONE_ROWS], x[PERP_CONE_ROWS], v[PERP_CONE_ROWS], e[PERP_CONE_ROWS],
            mu = random_mu(), zero[PERP_CONE_ROWS] = {0};
        random_matrix(kind, dim, W);
        for (int i = 0; i < dim; i++) q[i] = x[i] = rp_sym();
        if (kind == SINGULAR) multiply(dim, W, x, zero, q);
        if (!pp_law_solve(dim, W, mu, associated, q, x))
            fail_msg("run %d: dim %d kind %d mu %g associated %d: no answer", run, dim, kind, mu, associated);
        multiply(dim, W, x, q, v);
        double r = pp_law_natural(dim, mu, associated, x, v, e) / fmax(1, length(dim, x));
        if (r > worst) worst = r;
        if (!(r <= allowed(kind, associated)))
            fail_msg("run %d: dim %d kind %d mu %g associated %d: %g", run, dim, kind, mu, associated, r);
    }
    print_message("largest natural map of a random contact: %.1e\n", worst);
}

/* Built backwards. The associated law with a definite W has one answer; so has Coulomb's if mu |w_NT| < w_NN and the
 * rest of W is isotropic. */
static void test_known(void **state) {
    (void)state;
    for (int run = 0; run < long_run(60000); run++) {
        int dim = 2 + rp_int(PERP_CONE_ROWS - 1), kind = rp_int(KINDS);
        bool associated = rp_int(2);
        double W[PP_CONE_SQUARE], q[PERP_CONE_ROWS], x[PERP_CONE_ROWS], v[PERP_CONE_ROWS], y[PERP_CONE_ROWS],
            u[PERP_CONE_ROWS], e[PERP_CONE_ROWS], mu = random_mu();
        random_matrix(kind, dim, W);
        random_pair(dim, mu, associated, x, v);
        for (int i = 0; i < dim; i++) {
            q[i] = v[i];
            for (int j = 0; j < dim; j++) q[i] -= W[i + dim * j] * x[j];
        }
        /* a singular W with a slip outside of its range may have this solution only at rounding's mercy */
        if (!pp_law_solve(dim, W, mu, associated, q, y)) {
            fail_msg("run %d: dim %d kind %d mu %g associated %d: no answer", run, dim, kind, mu, associated);
        }
        multiply(dim, W, y, q, u);
        assert_below(pp_law_natural(dim, mu, associated, y, u, e), allowed(kind, associated) * fmax(1, length(dim, y)));
        if (associated && kind == DEFINITE) {
            double least = 0; /* (x - y)'W(x - y) = 0 as both are the minimum */
            for (int i = 0; i < dim; i++) least += (x[i] - y[i]) * (v[i] - u[i]);
            assert_near(least, 0, 1e-11 * fmax(1, length(dim, y)));
        }
    }
}

/* The plane, by hand: sliding against the direction of the free slip. */
static void test_plane(void **state) {
    (void)state;
    for (int run = 0; run < long_run(20000); run++) {
        double W[4], x[2], q[2] = {-rp_unit(), rp_sym()}, mu = 0.05 + rp_unit();
        random_matrix(DEFINITE, 2, W);
        if (W[0] < 0.1) continue;
        assert_true(pp_law_solve(2, W, mu, false, q, x));
        double b = q[1] - W[1] * q[0] / W[0], t = b > 0 ? -1 : 1;
        double S = W[3] - W[1] * W[2] / W[0], stick = -b / S, load = -(q[0] + W[2] * stick) / W[0];
        if (fabs(stick) <= mu * load) {
            assert_near(x[0], load, 1e-9 * (1 + load));
            assert_near(x[1], stick, 1e-9 * (1 + load));
        } else {
            load = -q[0] / (W[0] + mu * W[2] * t);
            assert_near(x[0], load, 1e-9 * (1 + load));
            assert_near(x[1], mu * load * t, 1e-9 * (1 + load));
        }
    }
}

/* Units: W, q in others, a turned tangent plane: the same answer. */
static void test_invariance(void **state) {
    (void)state;
    for (int run = 0; run < long_run(5000); run++) {
        double W[9], V[9], q[3], p[3], x[3], y[3], mu = random_mu(), a = 6 * rp_unit(), c = cos(a), s = sin(a);
        bool associated = rp_int(2);
        random_matrix(DEFINITE, 3, W);
        for (int i = 0; i < 3; i++) q[i] = rp_sym();
        if (associated || mu < 0.3) { /* one answer only, or nearly always */
            const double R[9] = {1, 0, 0, 0, c, s, 0, -s, c};
            for (int i = 0; i < 3; i++) {
                p[i] = 0;
                for (int j = 0; j < 3; j++) {
                    p[i] += R[i + 3 * j] * q[j];
                    V[i + 3 * j] = 0;
                    for (int k = 0; k < 9; k++) V[i + 3 * j] += R[i + 3 * (k % 3)] * W[k] * R[j + 3 * (k / 3)];
                }
            }
            assert_true(pp_law_solve(3, W, mu, associated, q, x));
            assert_true(pp_law_solve(3, V, mu, associated, p, y));
            double size = fmax(1, length(3, x)), u[3], v[3];
            multiply(3, W, x, q, u);
            multiply(3, V, y, p, v);
            if (size < 10) assert_near(u[0], v[0], 1e-8);
            if (size < 10) assert_near(length(2, u + 1), length(2, v + 1), 1e-8);
        }
        for (int i = 0; i < 9; i++) V[i] = W[i] * 1024;
        for (int i = 0; i < 3; i++) p[i] = q[i] * 1024;
        assert_true(pp_law_solve(3, W, mu, associated, q, x));
        assert_true(pp_law_solve(3, V, mu, associated, p, y));
        for (int i = 0; i < 3; i++) assert_near(x[i], y[i], 1e-7 * (1 + length(3, x)));
    }
}

static void test_refused(void **state) {
    (void)state;
    double W[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, x[3] = {7, 7, 7};
    assert_false(pp_law_solve(3, W, 0.5, false, q, x)); /* nothing pushes back */
    assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
    q[0] = NAN;
    W[0] = 1;
    assert_false(pp_law_solve(3, W, 0.5, false, q, x));
    q[0] = -1;
    W[4] = -0.01,
    q[1] = 0.2; /* not a matrix of bodies; a sliding answer may or may not exist: no nonsense either way */
    double v[3], e[3];
    if (pp_law_solve(3, W, 0.5, false, q, x)) {
        multiply(3, W, x, q, v);
        assert_below(pp_law_natural(3, 0.5, false, x, v, e), 1e-10);
    }
}

/* Bounded rows, and the measure over blocks. */
static void test_blocks(void **state) {
    (void)state;
    int first[] = {0, 1, 2, 5};
    double mu[] = {0, 0, 0.5}, lo[] = {-1, 0}, hi[] = {1, INFINITY}, diag[48] = {0}, x[5], v[5], e[4];
    pp_cone c = {.nblock = 3,
                 .nrow = 2,
                 .dim = 3,
                 .square = 16,
                 .m = 5,
                 .first = first,
                 .mu = mu,
                 .lo = lo,
                 .hi = hi,
                 .diag = diag};
    diag[0] = diag[16] = 1;
    for (int i = 0; i < 3; i++) diag[32 + 4 * i] = 1;
    double q[] = {-3, 2, -1, 0.2, 0.1};
    for (int i = 0; i < 3; i++) assert_true(pp_cone_solve_block(&c, i, q + first[i], x + first[i]));
    assert_true(x[0] == 1 && x[1] == 0 && x[2] == 1);
    assert_near(x[3], -0.2, 1e-15);
    for (int i = 0; i < 5; i++) v[i] = x[i] + q[i];
    assert_below(pp_cone_measure(&c, x, v), 1e-15);
    assert_true(pp_cone_natural(&c, 0, x, v, e) == 0);
    x[1] = 0.25;
    v[1] += 0.25;
    assert_near(pp_cone_measure(&c, x, v), 0.25 / sqrt(1.05), 1e-15);
    diag[16] = 0;
    q[1] = -1; /* a row that nothing moves, pushed without a bound */
    assert_false(pp_cone_solve_block(&c, 1, q + 1, x + 1));
    assert_true(x[1] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection), cmocka_unit_test(test_random),     cmocka_unit_test(test_known),
        cmocka_unit_test(test_plane),      cmocka_unit_test(test_invariance), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
