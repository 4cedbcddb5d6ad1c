/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ncp_problems.c - small nonlinear complementarity problems of the literature
 * Formulas are written out from the papers named; solutions are those printed, or in closed form. Tests check that they
 * are solutions and that J is the derivative of F. */
#include "ncp_problems.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ncp_make.h"

bool ncp_room(ncp_problem *p, int n, int nstart, int nsolution, bool bounds, int nnz, int ndata) {
    size_t room = (size_t)n;
    p->n = n;
    p->nstart = nstart;
    p->nsolution = nsolution;
    p->accuracy = 1e-12;
    p->numbers = calloc(room * (size_t)(nstart + nsolution) + 1, sizeof *p->numbers);
    p->lo = bounds ? calloc(room + 1, sizeof *p->lo) : NULL;
    p->hi = bounds ? calloc(room + 1, sizeof *p->hi) : NULL;
    p->pattern = nnz > 0 ? calloc(room + 1 + (size_t)nnz, sizeof *p->pattern) : NULL;
    p->data = calloc((size_t)ndata + 1, sizeof *p->data);
    bool ok = p->numbers && p->data && (!bounds || (p->lo && p->hi)) && (nnz == 0 || p->pattern);
    if (!ok) ncp_problem_free(p);
    return ok;
}

void ncp_finish(ncp_problem *p, bool (*F)(const double *, double *, void *),
                bool (*J)(const double *, double *, void *)) {
    p->start = p->numbers;
    p->solution = p->numbers + (ptrdiff_t)p->n * p->nstart;
    p->problem = (perp_problem){.cls = PERP_NCP};
    p->problem.as.ncp = (perp_ncp){.n = p->n, .lo = p->lo, .hi = p->hi, .F = F, .J = J, .ctx = p};
    if (!p->pattern) return;
    p->problem.as.ncp.start = p->pattern;
    p->problem.as.ncp.index = p->pattern + p->n + 1;
}

void ncp_problem_free(ncp_problem *p) {
    free(p->numbers);
    free(p->lo);
    free(p->hi);
    free(p->pattern);
    free(p->data);
    p->numbers = p->lo = p->hi = p->data = NULL;
    p->pattern = NULL;
}

/* nstart x n numbers by rows. */
static void fill_starts(ncp_problem *p, const double *x) {
    memcpy(p->numbers, x, sizeof *x * (size_t)p->n * (size_t)p->nstart);
}
static void fill_solutions(ncp_problem *p, const double *x) {
    memcpy(ncp_solution(p, 0), x, sizeof *x * (size_t)p->n * (size_t)p->nsolution);
}

/* --- Kojima and Shindo; Josephy: quadratic in x1, x2 and linear in x3, x4. They differ in two rows. --------------- */

static bool kojima_F(const double *x, double *w, void *ctx) {
    const double *c = ((const ncp_problem *)ctx)->data; /* coefficients of x3 in w2, of x4 and 1 in w3 */
    double a = x[0] * x[0], b = x[1] * x[1], ab = x[0] * x[1];
    w[0] = 3 * a + 2 * ab + 2 * b + x[2] + 3 * x[3] - 6;
    w[1] = 2 * a + x[0] + b + c[0] * x[2] + 2 * x[3] - 2;
    w[2] = 3 * a + ab + 2 * b + 2 * x[2] + c[1] * x[3] - c[2];
    w[3] = a + 3 * b + 2 * x[2] + 3 * x[3] - 3;
    return true;
}

static bool kojima_J(const double *x, double *v, void *ctx) {
    const double *c = ((const ncp_problem *)ctx)->data;
    const double J[16] = {6 * x[0] + 2 * x[1],
                          4 * x[0] + 1,
                          6 * x[0] + x[1],
                          2 * x[0],
                          2 * x[0] + 4 * x[1],
                          2 * x[1],
                          x[0] + 4 * x[1],
                          6 * x[1],
                          1,
                          c[0],
                          2,
                          2,
                          3,
                          2,
                          c[1],
                          3};
    memcpy(v, J, sizeof J);
    return true;
}

static const double four_starts[] = {0, 0, 0, 0, 1, 1, 1, 1, 100, 100, 100, 100, 1, 0,
                                     1, 0, 1, 0, 0, 0, 0, 1, 1,   0,   5,   0,   0, 5};

static bool kojima(ncp_problem *p, int josephy) {
    if (!ncp_room(p, 4, 7, josephy ? 1 : 2, false, 0, 3)) return false;
    p->source = josephy ? "Josephy, Newton's method for generalized equations (1979)"
                        : "Kojima, Shindo, Extensions of Newton and quasi-Newton methods to PC1 equations (1986)";
    const double both[] = {sqrt(6) / 2, 0, 0, 0.5, 1, 0, 3, 0};
    p->data[0] = josephy ? 3 : 10;
    p->data[1] = josephy ? 3 : 9;
    p->data[2] = josephy ? 1 : 9;
    fill_starts(p, four_starts);
    fill_solutions(p, both);
    p->isolated = true;
    ncp_finish(p, kojima_F, kojima_J);
    return true;
}

/* --- Mathiesen: a Walrasian equilibrium; activity x1 and prices x2, x3, x4. Solutions (t, 0, 0, 0), 0 <= t <= 3. ---- */

static bool mathiesen_F(const double *x, double *w, void *ctx) {
    (void)ctx;
    if (!(x[1] > -1 && x[2] > -1)) return false;
    w[0] = -x[1] + x[2] + x[3];
    w[1] = x[0] - (4.5 * x[2] + 2.7 * x[3]) / (x[1] + 1);
    w[2] = 5 - x[0] - (0.5 * x[2] + 0.3 * x[3]) / (x[2] + 1);
    w[3] = 3 - x[0];
    return true;
}

static bool mathiesen_J(const double *x, double *v, void *ctx) {
    (void)ctx;
    if (!(x[1] > -1 && x[2] > -1)) return false;
    double a = x[1] + 1, b = x[2] + 1, n1 = 4.5 * x[2] + 2.7 * x[3], n2 = 0.5 * x[2] + 0.3 * x[3];
    const double J[16] = {0, 1, -1,       -1,       -1, n1 / (a * a), 0, 0, 1, -4.5 / a, -(0.5 * b - n2) / (b * b),
                          0, 1, -2.7 / a, -0.3 / b, 0};
    memcpy(v, J, sizeof J);
    return true;
}

static bool mathiesen(ncp_problem *p, int unused) {
    (void)unused;
    if (!ncp_room(p, 4, 7, 4, false, 0, 0)) return false;
    p->source = "Mathiesen, An algorithm based on a sequence of linear complementarity problems (1987)";
    const double some[] = {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
    fill_starts(p, four_starts);
    fill_solutions(p, some);
    ncp_finish(p, mathiesen_F, mathiesen_J);
    return true;
}

/* The same economy with the first price 1 and goods endowed b2 = 1, b3 = data[0], budget share a = 3/4: activity y,
 * prices p2, p3. If b3 < 3/4: y = b3, p2 = (1 - a) b3/(a (b2 - b3)), p3 = 1 - p2; else y = a b2, p2 = 1, p3 = 0. */
static bool numeraire_F(const double *x, double *w, void *ctx) {
    double b3 = ((const ncp_problem *)ctx)->data[0];
    if (!(x[1] > 0)) return false;
    w[0] = x[1] + x[2] - 1;
    w[1] = 1 - x[0] - 0.25 * (x[1] + b3 * x[2]) / x[1];
    w[2] = b3 - x[0];
    return true;
}

static bool numeraire_J(const double *x, double *v, void *ctx) {
    double b3 = ((const ncp_problem *)ctx)->data[0];
    if (!(x[1] > 0)) return false;
    const double J[9] = {0, -1, -1, 1, 0.25 * b3 * x[2] / (x[1] * x[1]), 0, 1, -0.25 * b3 / x[1], 0};
    memcpy(v, J, sizeof J);
    return true;
}

static bool numeraire(ncp_problem *p, int tenths) {
    if (!ncp_room(p, 3, 5, 1, false, 0, 1)) return false;
    p->source = "Mathiesen (1987), first price as numeraire; closed form";
    const double starts[] = {1, 1, 1, 0.1, 0.1, 0.1, 0.5, 1, 0, 10, 10, 10, 0, 0.5, 2};
    double b3 = tenths / 10.0, *s = ncp_solution(p, 0);
    p->data[0] = b3;
    bool scarce = b3 < 0.75;
    s[0] = scarce ? b3 : 0.75;
    s[1] = scarce ? b3 / (3 * (1 - b3)) : 1;
    s[2] = 1 - s[1];
    fill_starts(p, starts);
    p->isolated = true;
    ncp_finish(p, numeraire_F, numeraire_J);
    return true;
}

/* --- Billups: the merit of Fischer-Burmeister has a minimum near 0 that solves nothing. ---------------------------- */

static bool billups_F(const double *x, double *w, void *ctx) {
    (void)ctx;
    w[0] = (x[0] - 1) * (x[0] - 1) - 1.01;
    return true;
}
static bool billups_J(const double *x, double *v, void *ctx) {
    (void)ctx;
    v[0] = 2 * (x[0] - 1);
    return true;
}
static bool billups(ncp_problem *p, int unused) {
    (void)unused;
    if (!ncp_room(p, 1, 4, 1, false, 0, 0)) return false;
    p->source = "Billups, Algorithms for complementarity problems and generalized equations (1995) 1.3";
    const double starts[] = {0, 0.5, 3, 100};
    fill_starts(p, starts);
    ncp_solution(p, 0)[0] = 1 + sqrt(1.01);
    p->isolated = true;
    ncp_finish(p, billups_F, billups_J);
    return true;
}

/* --- Watson's fourth problem: the gradient of exp(sum (x_i - i + 2)^2), i = 1 .. 5 ---------------------------------- */

static double watson_exp(const double *x) {
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += (x[i] - i + 1) * (x[i] - i + 1);
    return exp(sum);
}
static bool watson_F(const double *x, double *w, void *ctx) {
    (void)ctx;
    double e = watson_exp(x);
    for (int i = 0; i < 5; i++) w[i] = 2 * (x[i] - i + 1) * e;
    return isfinite(e);
}
static bool watson_J(const double *x, double *v, void *ctx) {
    (void)ctx;
    double e = watson_exp(x);
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) v[i + 5 * j] = (4 * (x[i] - i + 1) * (x[j] - j + 1) + (i == j ? 2 : 0)) * e;
    return isfinite(e);
}
static bool watson(ncp_problem *p, int unused) {
    (void)unused;
    if (!ncp_room(p, 5, 4, 1, false, 0, 0)) return false;
    p->source = "Watson, Solving the nonlinear complementarity problem by a homotopy method (1979), problem 4";
    const double starts[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 2, 2, 3, 3, 3, 3, 3};
    const double solution[] = {0, 0, 1, 2, 3};
    fill_starts(p, starts);
    fill_solutions(p, solution);
    p->isolated = true;
    ncp_finish(p, watson_F, watson_J);
    return true;
}

/* --- Nash-Cournot: firm i makes q_i at marginal cost c_i + (K q_i)^(1/beta_i), price (5000/Q)^(1/gamma) ------------ */

static const double nash_c[] = {10, 8, 6, 4, 2, 5, 3, 8, 5, 1, 3, 7, 4, 6, 3};
static const double nash_beta[] = {1.2, 1.1, 1, 0.9, 0.8, 1.2, 1, 0.9, 0.6, 1.5, 1, 0.7, 1.1, 0.95, 0.75};

/* Row and, if J is not NULL, its derivatives. */
static bool nash(const double *q, double *w, double *J, const ncp_problem *p) {
    int n = p->n, first = n == 5 ? 0 : 5;
    double gamma = n == 5 ? 1.1 : 1.2, K = p->data[0], Q = 0;
    for (int i = 0; i < n; i++) {
        if (!(q[i] >= 0)) return false; /* powers of negative quantities */
        Q += q[i];
    }
    if (!(Q > 0)) return false;
    double price = pow(5000 / Q, 1 / gamma), slope = -price / (gamma * Q), bend = -slope * (1 + 1 / gamma) / Q;
    for (int i = 0; i < n; i++) {
        double b = nash_beta[first + i], cost = pow(q[i] * K, 1 / b);
        if (w) w[i] = nash_c[first + i] + cost - price - q[i] * slope;
        for (int j = 0; J && j < n; j++) J[i + n * j] = -slope - q[i] * bend;
        if (J) J[i + n * i] += (q[i] > 0 ? cost / (b * q[i]) : 0) - slope;
    }
    return true;
}
static bool nash_F(const double *q, double *w, void *ctx) { return nash(q, w, NULL, ctx); }
static bool nash_J(const double *q, double *v, void *ctx) { return nash(q, NULL, v, ctx); }

static bool nash_cournot(ncp_problem *p, int n) {
    if (!ncp_room(p, n, 4, 1, false, 0, 1)) return false;
    p->source = n == 5 ? "Murphy, Sherali, Soyster (1982), five firms"
                       : "Harker (1988) after Murphy, Sherali, Soyster, ten firms";
    const double five[] = {36.9325, 41.8182, 43.7066, 42.6592, 39.1790};
    const double ten[] = {7.4415, 4.0978, 2.5906, 0.9353, 17.9490, 4.0978, 1.3048, 5.5901, 3.2222, 1.6771};
    p->data[0] = n == 5 ? 0.2 : 10;
    for (int i = 0; i < n; i++) {
        ncp_start(p, 0)[i] = 1;
        ncp_start(p, 1)[i] = 10;
        ncp_start(p, 2)[i] = 100;
        ncp_start(p, 3)[i] = i + 1;
    }
    fill_solutions(p, n == 5 ? five : ten);
    p->accuracy = 1e-4; /* as printed */
    p->isolated = true;
    ncp_finish(p, nash_F, nash_J);
    return true;
}

/* --- Murty: the LCP on which pivoting takes 2^n - 1 steps ------------------------------------------------------------ */

static bool murty_F(const double *x, double *w, void *ctx) {
    int n = ((const ncp_problem *)ctx)->n;
    double above = 0;
    for (int i = n - 1; i >= 0; i--) {
        w[i] = x[i] + 2 * above - 1;
        above += x[i];
    }
    return true;
}
static bool murty_J(const double *x, double *v, void *ctx) {
    (void)x;
    int n = ((const ncp_problem *)ctx)->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) v[i + (ptrdiff_t)n * j] = i == j ? 1 : i < j ? 2 : 0;
    return true;
}
static bool murty(ncp_problem *p, int n) {
    if (!ncp_room(p, n, 3, 1, false, 0, 0)) return false;
    p->source = "Murty, Linear complementarity, linear and nonlinear programming (1988) 6.2";
    for (int i = 0; i < n; i++) {
        ncp_start(p, 1)[i] = 1;
        ncp_start(p, 2)[i] = 100;
    }
    ncp_solution(p, 0)[n - 1] = 1;
    p->isolated = true;
    ncp_finish(p, murty_F, murty_J);
    return true;
}

/* --- Hansen and Koopmans: a capital stock that optimal plans keep ---------------------------------------------------
 * Activities x (10), prices y of 2 capital goods, prices u of 2 resources. A x: capital used, B x: capital left, C x <=
 * r: resources; utility v = (x1 + 2.5 x2)^.2 (2.5 x3 + x4)^.2 (2 x5 + 3 x6)^.2, future worth alpha of the present:
 *     -grad v(x) + (A - alpha B)'y + C'u >= 0 _|_ x,    (B - A) x >= 0 _|_ y,    r - C x >= 0 _|_ u.
 * The model is theirs, the numbers of A, B, C, r are ours: capital wears by a tenth; activities 7 to 10 make capital. */

#define HK_X 10
static const double hk_alpha = 0.9, hk_wear = 0.1, hk_resource[2] = {0.8, 0.8};
static const double hk_A[2][HK_X] = {{1, 2, 1, 0.5, 1.5, 2, 0.6, 0.4, 0.7, 0.3},
                                     {0.5, 1, 2, 1, 1, 1.5, 0.3, 0.7, 0.4, 0.8}};
static const double hk_new[2][HK_X] = {{0, 0, 0, 0, 0, 0, 1, 0.8, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 1.1, 0.9}};
static const double hk_C[2][HK_X] = {{1, 1.5, 0.5, 1, 2, 1, 0.4, 0.2, 0.3, 0.6},
                                     {0.5, 1, 1.5, 0.5, 0.5, 2, 0.3, 0.5, 0.6, 0.2}};
static const double hk_weight[6] = {1, 2.5, 2.5, 1, 2, 3};

static double hk_B(int k, int j) { return (1 - hk_wear) * hk_A[k][j] + hk_new[k][j]; }

static bool hk_sums(const double *x, double s[3], double *v) {
    *v = 1;
    for (int g = 0; g < 3; g++) {
        s[g] = hk_weight[2 * g] * x[2 * g] + hk_weight[2 * g + 1] * x[2 * g + 1];
        if (!(s[g] > 0)) return false;
        *v *= pow(s[g], 0.2);
    }
    return true;
}

static bool hansen_F(const double *x, double *w, void *ctx) {
    (void)ctx;
    double s[3], v;
    if (!hk_sums(x, s, &v)) return false;
    const double *y = x + HK_X, *u = y + 2;
    for (int k = 0; k < 2; k++) w[HK_X + k] = 0, w[HK_X + 2 + k] = hk_resource[k];
    for (int j = 0; j < HK_X; j++) {
        w[j] = j < 6 ? -0.2 * v * hk_weight[j] / s[j / 2] : 0;
        for (int k = 0; k < 2; k++) {
            w[j] += (hk_A[k][j] - hk_alpha * hk_B(k, j)) * y[k] + hk_C[k][j] * u[k];
            w[HK_X + k] += (hk_B(k, j) - hk_A[k][j]) * x[j];
            w[HK_X + 2 + k] -= hk_C[k][j] * x[j];
        }
    }
    return true;
}

static bool hansen_J(const double *x, double *value, void *ctx) {
    (void)ctx;
    enum { N = HK_X + 4 };
    double s[3], v;
    if (!hk_sums(x, s, &v)) return false;
    memset(value, 0, sizeof *value * N * N);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double both = hk_weight[i] * hk_weight[j] / (s[i / 2] * s[j / 2]);
            value[i + N * j] = -0.2 * v * both * (i / 2 == j / 2 ? 0.2 - 1 : 0.2);
        }
    for (int j = 0; j < HK_X; j++)
        for (int k = 0; k < 2; k++) {
            value[j + N * (HK_X + k)] = hk_A[k][j] - hk_alpha * hk_B(k, j);
            value[j + N * (HK_X + 2 + k)] = hk_C[k][j];
            value[HK_X + k + N * j] = hk_B(k, j) - hk_A[k][j];
            value[HK_X + 2 + k + N * j] = -hk_C[k][j];
        }
    return true;
}

static bool hansen(ncp_problem *p, int unused) {
    (void)unused;
    if (!ncp_room(p, HK_X + 4, 4, 0, false, 0, 0)) return false;
    p->source = "Hansen, Koopmans, Capital stock invariant under optimization (1972); numbers of our own";
    for (int i = 0; i < HK_X + 4; i++) {
        ncp_start(p, 0)[i] = 1;
        ncp_start(p, 1)[i] = 0.1;
        ncp_start(p, 2)[i] = i < 6 ? 1 : 0;
        ncp_start(p, 3)[i] = 10;
    }
    ncp_finish(p, hansen_F, hansen_J);
    return true;
}

/* --- the table -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    ncp_maker make;
    int parameter;
} table[] = {
    {"kojima-shindo", kojima, 0},
    {"josephy", kojima, 1},
    {"mathiesen", mathiesen, 0},
    {"mathiesen-numeraire", numeraire, 5},
    {"mathiesen-numeraire-rich", numeraire, 20},
    {"hansen-koopmans", hansen, 0},
    {"nash-5", nash_cournot, 5},
    {"nash-10", nash_cournot, 10},
    {"billups", billups, 0},
    {"watson-4", watson, 0},
    {"murty-16", murty, 16},
    {"murty-64", murty, 64},
    {"bearing-200", ncp_bearing, 200},
    {"bearing-1000", ncp_bearing, 1000},
    {"torsion-20", ncp_torsion, 20},
    {"torsion-100", ncp_torsion, 100},
    {"obstacle-20", ncp_obstacle, 20},
    {"obstacle-50", ncp_obstacle, 50},
    {"obstacle-100", ncp_obstacle, 100},
    {"free-boundary-20", ncp_free_boundary, 20},
    {"free-boundary-50", ncp_free_boundary, 50},
    {"free-boundary-100", ncp_free_boundary, 100},
};

int ncp_problem_count(void) { return (int)(sizeof table / sizeof *table); }

bool ncp_problem_make(int i, ncp_problem *p) {
    memset(p, 0, sizeof *p);
    (void)snprintf(p->name, sizeof p->name, "%s", table[i].name);
    return table[i].make(p, table[i].parameter);
}
