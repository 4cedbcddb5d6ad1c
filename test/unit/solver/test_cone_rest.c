/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_cone_rest.c - `auto` on bodies that can be at rest: a tower of plates with redundant corners, at rest, sliding off, and with gaps; closed forms of both. */
#include "check.h"

#include <string.h>

#include "perp/solver.h"

#define PLATES  20
#define CORNERS 4
#define N       (6 * PLATES)
#define C       (CORNERS * PLATES)
#define THICK   0.02 /* m */
#define HALF    0.5  /* m: half of a side */
#define MASS    3.0  /* kg */
#define STEP    0.01 /* s */

typedef struct tower {
    int mass_start[N + 1], mass_index[N], start[3 * C + 1], index[36 * C];
    double mass[N], f[N], value[36 * C], mu[C], b[3 * C];
    perp_problem p;
} tower;

static void fill_row(tower *t, int row, int *used, int plate, const double *direction, const double *corner) {
    t->start[row] = *used;
    for (int below = 1; below >= 0; below--) {
        if (plate - below < 0) continue;
        double sign = below ? -1 : 1, z = below ? THICK / 2 : -THICK / 2, arm[3] = {corner[0], corner[1], z};
        for (int d = 0; d < 6; d++) {
            int a = (d + 1) % 3, c = (d + 2) % 3;
            double entry = d < 3 ? direction[d] : arm[a] * direction[c] - arm[c] * direction[a];
            t->index[*used] = 6 * (plate - below) + d;
            t->value[(*used)++] = sign * entry;
        }
    }
}

/* gravity: m/s^2. The lowest contacts have mu = floor, the others 0.8. */
static void make(tower *t, const double *gravity, double floor) {
    static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    int used = 0;
    memset(t, 0, sizeof *t);
    for (int i = 0; i < C; i++) {
        double corner[2] = {i % 2 ? HALF : -HALF, i / 2 % 2 ? HALF : -HALF};
        for (int r = 0; r < 3; r++) fill_row(t, 3 * i + r, &used, i / CORNERS, axis[r], corner);
        t->mu[i] = i < CORNERS ? floor : 0.8;
    }
    t->start[3 * C] = used;
    for (int i = 0; i < N; i++) {
        double side = 4 * HALF * HALF;
        t->mass_start[i] = t->mass_index[i] = i;
        t->mass[i] = i % 6 < 3 ? MASS : i % 6 == 5 ? MASS * (side + side) / 12 : MASS * (side + THICK * THICK) / 12;
        t->f[i] = i % 6 < 3 ? MASS * gravity[i % 6] * STEP : 0;
    }
    t->mass_start[N] = N;
    t->p = (perp_problem){.cls = PERP_CONE,
                          .as.cone = {.dim = 3,
                                      .ncontact = C,
                                      .mu = t->mu,
                                      .global = true,
                                      .M = {N, N, t->mass_start, t->mass_index, t->mass},
                                      .H = {N, 3 * C, t->start, t->index, t->value},
                                      .f = t->f,
                                      .b = t->b}};
}

static perp_solve_info solve(const tower *t, double *r, double *v, bool warm) {
    perp_solve_options o = {.tol = 1e-9, .warm = warm};
    perp_solve_info info;
    assert_int_equal(perp_solve(&t->p, &o, r, &info), PERP_OK);
    assert_int_equal(perp_cone_velocity(&t->p.as.cone, r, NULL, v), PERP_OK);
    return info;
}

/* Every joint carries the weight above it and nothing moves. The solution for a slightly different weight is a sufficient guess. */
static void stands(void **state) {
    (void)state;
    static tower t;
    double r[3 * C] = {0}, v[N], g[3] = {1, 2, -9.81};
    make(&t, g, 0.5);
    perp_solve_info info = solve(&t, r, v, false);
    if (!strstr(info.story, "at rest") || strstr(info.story, "not at rest")) fail_msg("story: %s", info.story);
    for (int i = 0; i < N; i++) assert_below(fabs(v[i]), 1e-7);
    for (int k = 0; k < PLATES; k++) {
        double sum[3] = {0};
        for (int i = CORNERS * k; i < CORNERS * (k + 1); i++)
            for (int d = 0; d < 3; d++) sum[d] += r[3 * i + (d + 1) % 3];
        for (int d = 0; d < 3; d++) assert_below(fabs(sum[d] + (PLATES - k) * MASS * STEP * g[d]), 1e-6);
    }
    for (int i = 0; i < N; i++) t.f[i] *= 1 + 1e-4 * sin(i);
    info = solve(&t, r, v, true);
    if (!(info.warm && info.iterations <= 5))
        fail_msg("%d: %s", info.iterations, info.story);         /* three of them to rounding */
    for (int i = 0; i < N; i++) assert_below(fabs(v[i]), 1e-13); /* at rest to rounding, not to tol */
}

/* Beyond friction of the floor the whole slides as one: v = h (g_t - mu |g_n|). */
static void slides(void **state) {
    (void)state;
    static tower t;
    double r[3 * C] = {0}, v[N], g[3] = {3, 4, -9.81};
    make(&t, g, 0.3);
    perp_solve_info info = solve(&t, r, v, false);
    if (!strstr(info.story, "not at rest")) fail_msg("story: %s", info.story);
    double speed = STEP * (5 - 0.3 * 9.81);
    for (int i = 0; i < N; i++) assert_below(fabs(v[i] - speed * (i % 6 == 0 ? 0.6 : i % 6 == 1 ? 0.8 : 0)), 1e-6);
}

/* A gap below one corner of each plate: those carry nothing, the others everything. */
static void gaps_carry_nothing(void **state) {
    (void)state;
    static tower t;
    double r[3 * C] = {0}, v[N], g[3] = {0, 0, -9.81};
    make(&t, g, 0.5);
    for (int k = 0; k < PLATES; k++) t.b[3 * CORNERS * k + 9] = 0.2;
    (void)solve(&t, r, v, false);
    for (int i = 0; i < N; i++) assert_below(fabs(v[i]), 1e-7);
    for (int k = 0; k < PLATES; k++) assert_below(fabs(r[3 * CORNERS * k + 9]), 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stands), cmocka_unit_test(slides),
                                       cmocka_unit_test(gaps_carry_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
