/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_cone_library.c - Coulomb's law through the solver library alone: problems made by hand, no world
 * A sphere on a plane is stepped by hand: M v+ = M v + h f + H r, u = H'v+ and the law of a contact with torsion, an
 * ellipsoid |(p_t/e_t, p_o/e_o, p_r/e_r)| <= mu p_n (Berard 3.82). Of all impulses in it the one that dissipates
 * most is
 *
 *     p = -mu p_n E^2 s/|E s|,   s = (slip along t, slip along o, spin about the normal),  E = diag(e_t, e_o, e_r)
 *
 * (Lagrange: the gradient of the bound, E^-2 p, is along -s.) With W = diag(7/(2m), 7/(2m), 1/I) of a solid sphere it
 * obeys s' = -mu m g W E^2 s/|E s|, so that d ln s_i/d ln s_j = W_i e_i^2/(W_j e_j^2): the components are powers
 * of each other, and all end at one moment. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "perp/solver.h"

static const double g = 9.81;

enum { DOF = 6, ROWS = 4 };

/* A solid sphere of unit mass and radius on the plane z = 0. Rows: normal, two tangents at its foot, torsion. */
typedef struct ball {
    double mu, axes[3];
    double M[DOF], v[DOF]; /* masses; velocity of the centre, angular velocity */
} ball;

static const int one_each[DOF + 1] = {0, 1, 2, 3, 4, 5, 6}, diagonal[DOF] = {0, 1, 2, 3, 4, 5};
static const int H_start[ROWS + 1] = {0, 1, 3, 5, 6}, H_index[] = {2, 0, 4, 1, 3, 5};
static const double H_value[] = {1, 1, -1, 1, 1, 1};

static ball new_ball(double mu, double e_t, double e_o, double e_r) {
    return (ball){.mu = mu, .axes = {e_t, e_o, e_r}, .M = {1, 1, 1, 0.4, 0.4, 0.4}};
}

static perp_problem ball_problem(const ball *b, const double *f, const double *zero) {
    perp_problem p = {.cls = PERP_CONE};
    p.as.cone = (perp_cone){.dim = ROWS,
                            .ncontact = 1,
                            .mu = &b->mu,
                            .axes = b->axes,
                            .global = true,
                            .M = {DOF, DOF, one_each, diagonal, b->M},
                            .H = {DOF, ROWS, H_start, H_index, H_value},
                            .f = f,
                            .b = zero};
    return p;
}

/* Solves and checks the answer from outside. */
static void solve(const perp_problem *p, const char *solver, double *r) {
    perp_solve_options o = {.solver = solver, .tol = 1e-13};
    perp_solve_info info;
    perp_measures m;
    if (perp_solve(p, &o, r, &info)) fail_msg("%s: residual %.3g, %s", solver, info.residual, info.story);
    assert_int_equal(perp_problem_measure(p, r, &m), PERP_OK);
    assert_below(m.natural, 1e-12);
}

/* One step of h; r: the impulses. */
static void step(ball *b, double h, const char *solver, double *r) {
    double f[DOF];
    const double zero[ROWS] = {0};
    for (int i = 0; i < DOF; i++) f[i] = b->M[i] * b->v[i];
    f[2] -= h * g;
    perp_problem p = ball_problem(b, f, zero);
    solve(&p, solver, r);
    assert_int_equal(perp_cone_velocity(&p.as.cone, r, NULL, b->v), PERP_OK);
    assert_near(b->v[2], 0, 1e-12);
    assert_near(r[0], h * g, 1e-12);
}

/* Slip along t and o, and spin. */
static void slip(const ball *b, double *s) {
    s[0] = b->v[0] - b->v[4];
    s[1] = b->v[1] + b->v[3];
    s[2] = b->v[5];
}

static const char *const solvers[] = {"auto", "prox-newton", "gauss-seidel", "fixed-point"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* I = 0.4, w0 = 10, mu = 0.2, e_r = 0.3: the spin falls by mu e_r m g/I in a unit of time and ends at 6.795786612. */
static void torsion(void **state) {
    (void)state;
    const double w0 = 10, mu = 0.2, e_r = 0.3, T = 0.4 * w0 / (mu * e_r * g);
    assert_near(T, 6.795786612, 5e-10);
    for (int k = 0; k < SOLVERS; k++)
        for (int fine = 0; fine < 3; fine++) {
            double h = 0.1 / (1 << fine), r[ROWS], end = 0;
            ball b = new_ball(mu, 1, 1, e_r);
            b.v[5] = w0;
            int n = 0;
            for (; b.v[5] > 1e-12 && n < 1000; n++) {
                step(&b, h, solvers[k], r);
                double still = w0 - (n + 1) * h * w0 / T; /* a straight line, whatever h is */
                assert_near(b.v[5], still > 0 ? still : 0, 1e-10);
                assert_near(fabs(b.v[0]) + fabs(b.v[1]) + fabs(b.v[3]) + fabs(b.v[4]), 0, 1e-12);
                end += h * -r[3] / (mu * e_r * r[0]); /* of the last step only the part that was needed */
            }
            assert_below(fabs(n * h - T), h); /* first order in h */
            assert_near(end, T, 1e-9);
            step(&b, h, solvers[k], r);
            assert_near(b.v[5], 0, 1e-12); /* it does not start again */
        }
}

/* The law as an ordinary differential equation, to rounding: fourth-order Runge-Kutta with a tiny step. */
static void rates(const double *s, const double *axes, double mu, double *out) {
    const double W[3] = {3.5, 3.5, 2.5};
    double D = 0;
    for (int i = 0; i < 3; i++) D += axes[i] * axes[i] * s[i] * s[i];
    D = sqrt(D);
    for (int i = 0; i < 3; i++) out[i] = -mu * g * W[i] * axes[i] * axes[i] * s[i] / D;
}

static void witness(double *s, const double *axes, double mu, double t) {
    const int n = 20000;
    double h = t / n, k[4][3], x[3];
    for (int j = 0; j < n; j++) {
        rates(s, axes, mu, k[0]);
        for (int q = 1; q < 4; q++) {
            for (int i = 0; i < 3; i++) x[i] = s[i] + (q == 3 ? h : h / 2) * k[q - 1][i];
            rates(x, axes, mu, k[q]);
        }
        for (int i = 0; i < 3; i++) s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static double off(const double *a, const double *b) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* The impulse of a step is the one of the law, for the velocity at its end. */
static void dissipates_most(const ball *b, const double *r) {
    double s[3], D = 0;
    slip(b, s);
    for (int i = 0; i < 3; i++) D += pow(b->axes[i] * s[i], 2);
    for (int i = 0; i < 3; i++)
        assert_near(r[1 + i], -b->mu * r[0] * b->axes[i] * b->axes[i] * s[i] / sqrt(D), 1e-10 * r[0]);
}

static void sliding_and_spinning(void **state) {
    (void)state;
    const struct {
        double axes[3], s[3];
    } run[] = {{{1, 1, 0.3}, {0.6, -0.3, 10}}, {{1, 0.6, 0.9}, {2, 3, -4}}, {{0.5, 1, 1.2}, {-1, 2, 3}}};
    const double mu = 0.2, t = 0.4;
    for (size_t c = 0; c < sizeof run / sizeof *run; c++) {
        double end[3], error[3], power[3];
        memcpy(end, run[c].s, sizeof end);
        witness(end, run[c].axes, mu, t);
        /* the witness obeys the closed form of the path */
        double alpha[2];
        for (int i = 0; i < 2; i++) {
            alpha[i] = 3.5 * pow(run[c].axes[i], 2) / (2.5 * pow(run[c].axes[2], 2));
            assert_near(end[i], run[c].s[i] * pow(end[2] / run[c].s[2], alpha[i]), 1e-11);
        }
        for (int fine = 0; fine < 3; fine++) {
            int n = 40 << fine;
            double h = t / n, r[ROWS], s[3];
            ball b = new_ball(mu, run[c].axes[0], run[c].axes[1], run[c].axes[2]);
            b.v[0] = run[c].s[0]; /* not rolling: the slip is that of the centre */
            b.v[1] = run[c].s[1];
            b.v[5] = run[c].s[2];
            for (int k = 0; k < n; k++) {
                step(&b, h, solvers[(fine + (int)c) % SOLVERS], r);
                dissipates_most(&b, r);
            }
            slip(&b, s);
            error[fine] = off(s, end);
            power[fine] = 0;
            for (int i = 0; i < 2; i++) {
                power[fine] += fabs(s[i] - run[c].s[i] * pow(s[2] / run[c].s[2], alpha[i]));
                /* friction turns the ball as it slows it: 2/7 of the lost slip is lost by the centre */
                assert_near(b.v[i], run[c].s[i] + 2.0 / 7 * (s[i] - run[c].s[i]), 1e-11);
            }
        }
        print_message("sliding and spinning %zu: off the ODE by %.2e, %.2e, %.2e; off the closed path by %.2e, %.2e, "
                      "%.2e\n",
                      c, error[0], error[1], error[2], power[0], power[1], power[2]);
        for (int i = 1; i < 3; i++) {
            assert_near(error[i - 1] / error[i], 2, 0.15);
            assert_near(power[i - 1] / power[i], 2, 0.15);
        }
        assert_below(error[2], 0.02 * off(end, run[c].s));
    }
}

/* Slip and spin end together: before the moment both are there, after it none. */
static void all_ends_at_once(void **state) {
    (void)state;
    const double mu = 0.2, h = 1e-3;
    ball b = new_ball(mu, 1, 0.8, 0.9);
    double r[ROWS], s[3], before[3] = {0};
    b.v[0] = 1;
    b.v[1] = -0.5;
    b.v[5] = 2;
    int n = 0;
    for (; n < 5000; n++) {
        step(&b, h, "auto", r);
        slip(&b, s);
        if (fabs(s[0]) + fabs(s[1]) + fabs(s[2]) < 1e-10) break;
        memcpy(before, s, sizeof s);
    }
    assert_true(n > 100 && n < 4999);
    for (int i = 0; i < 3; i++) assert_true(fabs(before[i]) > 1e-9);
    for (int i = 0; i < 5; i++) step(&b, h, "auto", r);
    slip(&b, s);
    assert_near(fabs(s[0]) + fabs(s[1]) + fabs(s[2]), 0, 1e-10);
    assert_near(fabs(r[1]) + fabs(r[2]) + fabs(r[3]), 0, 1e-12);
}

/* A block of mass m without rotation, sliding between the axes of an ellipse. With u the slip before and
 * k = mu p_n/(m |E u+|), u+_i = u_i/(1 + k e_i^2): one equation for k, solved here by halving. */
static void elliptic_friction(void **state) {
    (void)state;
    const double mu = 0.6, m = 2.5, p_n = 0.4, axes[2] = {1, 0.35};
    for (int k = 0; k < SOLVERS; k++)
        for (int turn = 0; turn < 16; turn++) {
            double phi = 0.05 + 6.283185307179586 * turn / 16, u0[2] = {2 * cos(phi), 2 * sin(phi)};
            double lo = 0, hi = 10, u[2];
            for (int i = 0; i < 200; i++) {
                double mid = 0.5 * (lo + hi), D = 0;
                for (int j = 0; j < 2; j++) D += pow(axes[j] * u0[j] / (1 + mid * axes[j] * axes[j]), 2);
                *(mid * sqrt(D) < mu * p_n / m ? &lo : &hi) = mid;
            }
            for (int j = 0; j < 2; j++) u[j] = u0[j] / (1 + lo * axes[j] * axes[j]);
            const int start[] = {0, 1, 2, 3}, index[] = {0, 1, 2};
            const double W[] = {1 / m, 1 / m, 1 / m}, q[] = {-p_n / m, u0[0], u0[1]};
            perp_problem p = {.cls = PERP_CONE};
            p.as.cone =
                (perp_cone){.dim = 3, .ncontact = 1, .mu = &mu, .axes = axes, .W = {3, 3, start, index, W}, .q = q};
            double r[3];
            solve(&p, solvers[k], r);
            assert_near(r[0], p_n, 1e-11);
            double best = 0, taken = r[1] * u[0] + r[2] * u[1];
            for (int j = 0; j < 2; j++) {
                assert_near(u0[j] + r[1 + j] / m, u[j], 1e-11);
                assert_near(r[1 + j], -lo * axes[j] * axes[j] * m * u[j], 1e-11);
            }
            for (int i = 0; i < 1000; i++) { /* no point of the ellipse takes more */
                double a = 6.283185307179586 * i / 1000;
                best = fmin(best, mu * p_n * (axes[0] * cos(a) * u[0] + axes[1] * sin(a) * u[1]));
            }
            assert_true(taken <= best + 1e-12);
            /* not against the slip, as a round cone would be */
            if (turn % 4) assert_true(fabs(r[1] * u[1] - r[2] * u[0]) > 1e-3);
        }
}

/* A plate on three feet that slides and turns, with elliptic or round friction; six degrees of freedom. */
typedef struct tripod {
    double mu[3], axes[6], M[DOF], H[6 * 9], f[DOF], b[9];
    int start[10], index[54];
} tripod;

static perp_problem tripod_problem(tripod *t, double phi, double spin, bool elliptic) {
    memset(t, 0, sizeof *t);
    const double foot[3][2] = {{0.5, 0.1}, {-0.3, 0.4}, {-0.2, -0.45}}, height = 0.2, v = 1, h = 0.05;
    const double M[DOF] = {1, 1, 1, 0.1, 0.12, 0.2};
    memcpy(t->M, M, sizeof M);
    for (int c = 0; c < 3; c++) {
        const double p[3] = {foot[c][0], foot[c][1], -height};
        t->mu[c] = 0.3;
        t->axes[2 * c] = 1;
        t->axes[2 * c + 1] = elliptic ? 0.6 : 1;
        for (int k = 0; k < 3; k++) { /* rows: z, x, y at the foot */
            int d = (k + 2) % 3, column = 3 * c + k;
            double *J = t->H + 6 * column;
            J[d] = 1;
            J[3 + (d + 1) % 3] = p[(d + 2) % 3]; /* p x e_d */
            J[3 + (d + 2) % 3] = -p[(d + 1) % 3];
        }
    }
    for (int i = 0; i <= 9; i++) t->start[i] = 6 * i;
    for (int i = 0; i < 54; i++) t->index[i] = i % 6;
    t->f[0] = v * cos(phi);
    t->f[1] = v * sin(phi);
    t->f[2] = -h * g;
    t->f[5] = M[5] * spin;
    perp_problem p = {.cls = PERP_CONE};
    p.as.cone = (perp_cone){.dim = 3,
                            .ncontact = 3,
                            .mu = t->mu,
                            .axes = t->axes,
                            .global = true,
                            .M = {DOF, DOF, one_each, diagonal, t->M},
                            .H = {DOF, 9, t->start, t->index, t->H},
                            .f = t->f,
                            .b = t->b};
    return p;
}

static void velocity_of(const perp_problem *p, int facets, double *v) {
    double r[9];
    if (!facets) {
        solve(p, "auto", r);
    } else {
        perp_stored *s;
        assert_int_equal(perp_problem_convert(p, PERP_MLCP, facets, NULL, &s), PERP_OK);
        const perp_problem *q = perp_stored_problem(s);
        double *z = calloc((size_t)perp_problem_size(q), sizeof *z);
        assert_non_null(z);
        solve(q, "auto", z);
        assert_int_equal(perp_stored_answer(s, z, r), PERP_OK);
        free(z);
        perp_stored_free(s);
    }
    assert_int_equal(perp_cone_velocity(&p->as.cone, r, NULL, v), PERP_OK);
}

/* The nearest of n edges is at most pi/n away: the velocity errs by as much of what friction changes, first order. */
static void pyramids_come_near(void **state) {
    (void)state;
    static const int facets[] = {4, 8, 16, 32, 64};
    enum { N = sizeof facets / sizeof *facets, PHI = 12 };
    for (int elliptic = 0; elliptic < 2; elliptic++) {
        double error[N] = {0}, change = 0;
        for (int k = 0; k < PHI; k++) {
            tripod t;
            perp_problem p = tripod_problem(&t, 0.21 + 2.399963 * k, 1.5 * (k % 3), elliptic);
            double cone[DOF], pyramid[DOF];
            velocity_of(&p, 0, cone);
            change = fmax(change, hypot(cone[0] - t.f[0], cone[1] - t.f[1]));
            for (int i = 0; i < N; i++) {
                velocity_of(&p, facets[i], pyramid);
                for (int j = 0; j < DOF; j++) error[i] += t.M[j] * pow(pyramid[j] - cone[j], 2) / PHI;
            }
        }
        for (int i = 0; i < N; i++) {
            error[i] = sqrt(error[i]);
            print_message("%s cone, %2d facets: velocity off by %.2e\n", elliptic ? "elliptic" : "round", facets[i],
                          error[i]);
            assert_below(error[i], 3.1415926535897932 / facets[i] * change);
        }
        double order = log(error[0] / error[N - 1]) / log((double)facets[N - 1] / facets[0]);
        print_message("order %.2f\n", order);
        assert_true(order > 0.9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torsion),           cmocka_unit_test(sliding_and_spinning), cmocka_unit_test(all_ends_at_once),
        cmocka_unit_test(elliptic_friction), cmocka_unit_test(pyramids_come_near),
    };
    return cmocka_run_group_tests_name("cones, library alone", tests, NULL, NULL);
}
