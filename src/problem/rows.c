/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rows.c - products of a constraint row with the inverse masses of its blocks
 * Method   straight code for blocks of six and of three unknowns, loops for others. Additions have one order in both. */
#include "problem/rows.h"

#include <stddef.h>

#include "linalg/kernel.h"

/* sum + J Mi J' of one block, whose Mi has the leading dimension 6. Columns of zeros of J, half of a row as a rule, are left out. */
static inline __attribute__((always_inline)) double add_mass(int nd, const double *J, const double *Mi, double sum) {
    PP_UNROLL(6)
    for (int d = 0; d < nd; d++) {
        if (J[d] == 0) continue;
        PP_UNROLL(6)
        for (int c = 0; c < nd; c++) sum += J[c] * Mi[6 * d + c] * J[d];
    }
    return sum;
}

double pp_row_inverse_mass(const perp_step_problem *s, const perp_row *row) {
    double sum = 0;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            if (b < 0) continue;
            const double *Mi = s->Minv + 36 * (ptrdiff_t)b, *J = row->J[k];
            switch (s->block_ndof[b]) {
            case 6: sum = add_mass(6, J, Mi, sum); break;
            case 3: sum = add_mass(3, J, Mi, sum); break;
            default: sum = add_mass(s->block_ndof[b], J, Mi, sum);
            }
        }
    return sum;
}

/* y = B x of one block, see pp_block_times(). */
static inline __attribute__((always_inline)) void block_times(int nd, const double *B, const double *x, double *y) {
    double sum[6] = {0};
    PP_UNROLL(6)
    for (int j = 0; j < nd; j++) {
        PP_UNROLL(6)
        for (int i = 0; i < nd; i++) sum[i] += B[i + 6 * j] * x[j];
    }
    PP_UNROLL(6)
    for (int i = 0; i < nd; i++) y[i] = sum[i];
}

void pp_block_times(int nd, const double *B, const double *x, double *y) {
    switch (nd) {
    case 6: block_times(6, B, x, y); break;
    case 3: block_times(3, B, x, y); break;
    default: block_times(nd, B, x, y);
    }
}

/* y += Mi J' p of one block. */
static inline __attribute__((always_inline)) void add_velocity(int nd, const double *J, const double *Mi, double p,
                                                               double *restrict y) {
    PP_UNROLL(6)
    for (int d = 0; d < nd; d++) {
        double x = J[d] * p;
        PP_UNROLL(6)
        for (int c = 0; c < nd; c++) y[c] += Mi[6 * d + c] * x;
    }
}

void pp_row_spread(const perp_step_problem *s, const perp_row *row, double p, double *nu) {
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            if (b < 0) continue;
            const double *Mi = s->Minv + 36 * (ptrdiff_t)b;
            double *y = nu + s->block_offset[b];
            switch (s->block_ndof[b]) {
            case 6: add_velocity(6, row->J[k], Mi, p, y); break;
            case 3: add_velocity(3, row->J[k], Mi, p, y); break;
            default: add_velocity(s->block_ndof[b], row->J[k], Mi, p, y);
            }
        }
}
