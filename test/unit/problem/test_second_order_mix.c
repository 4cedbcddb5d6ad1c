/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Rounds x = g(x) that are mixed: a linear map whose own rounds shrink by 0.97, with rows of very different weights. */
#include "unit/world_help.h"

#include "problem/mix.h"

#define N 5

/* g(x) - x of a map with the fixed point (1, 2, 3, 4, 5); mass blocks of the rows are 1 and 1e6. */
static void misses(const double *x, double *miss) {
    const double shrink[N] = {0.97, -0.9, 0.5, 0.2, 0};
    for (int i = 0; i < N; i++) {
        double off = x[i] - (i + 1), coupled = i > 0 ? 0.1 * (x[i - 1] - i) : 0;
        miss[i] = shrink[i] * off + coupled - off;
    }
}

static double rounds_to(double tol, bool mix) {
    double M[36 * N] = {0}, Minv[36 * N] = {0};
    int ndof[N], offset[N];
    perp_joint_row row[N];
    memset(row, 0, sizeof row);
    for (int i = 0; i < N; i++) {
        ndof[i] = 3;
        offset[i] = 3 * i;
        for (int k = 0; k < 3; k++) Minv[36 * i + 7 * k] = i % 2 ? 1e-6 : 1, M[36 * i + 7 * k] = i % 2 ? 1e6 : 1;
        row[i].row.block[0] = -1;
        row[i].row.block[1] = i;
        row[i].row.J[1][0] = 1;
    }
    perp_step_problem p = {.dim = 2,
                           .h = 1,
                           .nblock = N,
                           .ndof = 3 * N,
                           .block_ndof = ndof,
                           .block_offset = offset,
                           .M = M,
                           .Minv = Minv,
                           .joint = row,
                           .njoint = N};
    pp_mix s;
    double room[3 * PP_MIXED_ROUNDS + 1][N];
    s = (pp_mix){.n = N, .weight = room[3 * PP_MIXED_ROUNDS]};
    for (int k = 0; k < PP_MIXED_ROUNDS; k++) {
        s.value[k] = room[3 * k];
        s.miss[k] = room[3 * k + 1];
        s.basis[k] = room[3 * k + 2];
    }
    pp_mix_weigh(&s, &p);
    double x[N] = {0}, miss[N];
    for (int round = 1; round < 2000; round++) {
        misses(x, miss);
        double most = 0;
        for (int i = 0; i < N; i++) most = fmax(most, fabs(x[i] - (i + 1)));
        if (most < tol) return round;
        for (int i = 0; i < N; i++) x[i] += miss[i];
        pp_mix_step(&s, miss, x, mix);
    }
    return INFINITY;
}

/* Five unknowns: the sixth mixture is exact, but for rounding. Plain rounds take hundreds. */
static void mixed_rounds_end(void **state) {
    (void)state;
    BELOW(rounds_to(1e-9, true), 10);
    assert_true(rounds_to(1e-9, false) > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mixed_rounds_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
