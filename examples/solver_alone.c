/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_alone.c - the solver library by itself: no bodies, no world, one header.
 *
 * Three problems are written down as arrays and solved; what counts is the residual that the library measures from the
 * data, not what a solver says.
 *   1 a linear complementarity problem of two variables            expect z = (4/3, 7/3)
 *   2 a rod that slides on two points, one rougher than the other   expect v_y = 0.965665, w_z = -0.08829
 *   3 a nonlinear problem by callback (Kojima and Shindo)          expect (1, 0, 3, 0) or (sqrt(6)/2, 0, 0, 1/2)
 * Every residual is below 1e-9, else the program ends with 1. */
#include "perp/solver.h"

#include <math.h>
#include <stdio.h>

/* Solves by the solvers named (NULL: auto), prints what was measured. True if the judge is content. */
static bool solve(const char *title, const perp_problem *p, const char *solvers, double *z) {
    perp_solve_options options = {.solver = solvers};
    perp_solve_info info;
    perp_measures m = {.natural = INFINITY};
    perp_status status = perp_solve(p, &options, z, &info);
    if (status == PERP_OK || status == PERP_E_SOLVE) (void)perp_problem_measure(p, z, &m);
    printf("%s\n  %s by %s, %d iterations; %s\n", title, perp_status_name(status), info.solver ? info.solver : "nobody",
           info.iterations, info.story[0] ? info.story : "nothing to tell");
    printf("  natural map %.1e, complementarity %.1e, leaves its bounds by %.1e\n", m.natural, m.complementarity,
           m.infeasible_z);
    return status == PERP_OK && m.natural <= 1e-9;
}

/* 1  z >= 0, w = M z + q >= 0, z'w = 0. M is column-major. */
static bool linear(void) {
    const double M[] = {2, 1, 1, 2}, q[] = {-5, -6};
    const perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    double z[2] = {0};
    bool good = solve("linear complementarity problem", &p, "lemke", z);
    printf("  z = (%.6f, %.6f)\n", z[0], z[1]);
    return good && fabs(z[0] - 4.0 / 3) < 1e-12 && fabs(z[1] - 7.0 / 3) < 1e-12;
}

/* 2  A thin rod of 2 kg and 1 m lies along x and moves at 1 m/s along y. In a step of 10 ms gravity adds -0.0981 m/s along
 * z, which its two ends, on the floor with mu = 0.5 and 0.2, have to stop. Mass-matrix form: dofs v_x v_y v_z w_x w_y w_z,
 * six contact rows n t o at each end, columns of H the rows' directions: force d at the end r has the moment r x d. */
static bool friction(void) {
    const double g_h = 0.0981, m = 2, Ix = 1e-3, Iz = m / 12, x[2] = {0.5, -0.5}, mu[] = {0.5, 0.2};
    const int M_start[] = {0, 1, 2, 3, 4, 5, 6}, M_index[] = {0, 1, 2, 3, 4, 5};
    const double M[] = {m, m, m, Ix, Iz, Iz}, f[] = {0, m * 1.0, -m * g_h, 0, 0, 0}, b[6] = {0};
    /* at the end (x, 0, 0): n = z turns about -y by x, t = x turns nothing, o = y turns about z by x */
    const int H_start[] = {0, 2, 3, 5, 7, 8, 10}, H_index[] = {2, 4, 0, 1, 5, 2, 4, 0, 1, 5};
    const double H[] = {1, -x[0], 1, 1, x[0], 1, -x[1], 1, 1, x[1]};
    const perp_problem p = {.cls = PERP_CONE,
                            .as.cone = {.dim = 3,
                                        .ncontact = 2,
                                        .mu = mu,
                                        .global = true,
                                        .M = {6, 6, M_start, M_index, M},
                                        .H = {6, 6, H_start, H_index, H},
                                        .f = f,
                                        .b = b}};
    double r[6] = {0}, v[6] = {0};
    bool good = solve("friction with true cones, two contacts", &p, NULL, r);
    good = perp_cone_velocity(&p.as.cone, r, NULL, v) == PERP_OK && good;
    printf("  impulses (%.5f, %.5f, %.5f) and (%.5f, %.5f, %.5f) N s\n", r[0], r[1], r[2], r[3], r[4], r[5]);
    printf("  the rod goes on with v_y = %.6f m/s and turns with w_z = %.5f rad/s\n", v[1], v[5]);
    /* each end bears half the weight; friction is mu times that, against the motion */
    double p_n = m * g_h / 2, v_y = 1 - (mu[0] + mu[1]) * p_n / m, w_z = -(mu[0] * x[0] + mu[1] * x[1]) * p_n / Iz;
    return good && fabs(v[1] - v_y) < 1e-8 && fabs(v[5] - w_z) < 1e-8;
}

/* 3  z >= 0, F(z) >= 0, z'F(z) = 0 with any F. Without derivatives (J) the solvers take differences. */
static bool kojima_shindo(const double *z, double *w, void *ctx) {
    (void)ctx;
    double a = z[0], b = z[1], c = z[2], d = z[3];
    w[0] = 3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6;
    w[1] = 2 * a * a + a + b * b + 10 * c + 2 * d - 2;
    w[2] = 3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9;
    w[3] = a * a + 3 * b * b + 2 * c + 3 * d - 3;
    return true; /* false would say: not defined here */
}

static bool nonlinear(void) {
    const perp_problem p = {.cls = PERP_NCP, .as.ncp = {.n = 4, .F = kojima_shindo}};
    const double known[2][4] = {{1, 0, 3, 0}, {1.224744871391589, 0, 0, 0.5}};
    double z[4] = {0};
    bool good = solve("nonlinear problem by callback", &p, "path-search, fischer-newton", z), found = false;
    printf("  z = (%.6f, %.6f, %.6f, %.6f)\n", z[0], z[1], z[2], z[3]);
    for (int k = 0; k < 2; k++) {
        double off = 0;
        for (int i = 0; i < 4; i++) off = fmax(off, fabs(z[i] - known[k][i]));
        found = found || off < 1e-4; /* the second is degenerate: a small residual leaves more room in z */
    }
    return good && found;
}

int main(void) {
    bool good = linear();
    good = friction() && good;
    good = nonlinear() && good;
    if (!good) printf("not as expected\n");
    return good ? 0 : 1;
}
