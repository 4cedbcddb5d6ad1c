/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mix.c - Anderson acceleration of the rounds of joints in a step
 * Problem  x = g(x), where x are the right-hand sides of the joint rows for the end of the step. If rows rotate within the step
 *          and large impulses act along them (a chain that is stretched or squeezed), the plain iteration reduces the
 *          residuals g(x) - x slowly, or oscillates.
 * Method   Anderson: of the affine combinations of the last rounds (weights sum to 1), take the one with the smallest
 *          combined residual, which would be exact if g were linear, and continue from it as a plain round would. Rows are
 *          weighted by their effective masses, so that lengths and angles can be added.
 * Source   Anderson, J. ACM 12 (1965) 547; Walker, Ni, SIAM J. Numer. Anal. 49 (2011) 1715. */
#include "problem/mix.h"

#include <math.h>

#include "problem/rows.h"

#define DEPENDENT \
    1e-8 /* [1] a difference of rounds is left out if it is linearly dependent on the others up to this fraction */

bool pp_mix_new(pp_arena *a, int n, pp_mix *s) {
    *s = (pp_mix){.n = n};
    for (int k = 0; k < PP_MIXED_ROUNDS; k++) {
        s->value[k] = PP_ARENA_ARRAY(a, double, n);
        s->miss[k] = PP_ARENA_ARRAY(a, double, n);
        s->basis[k] = PP_ARENA_ARRAY(a, double, n);
        if (!s->value[k] || !s->miss[k] || !s->basis[k]) return false;
    }
    s->weight = PP_ARENA_ARRAY(a, double, n);
    return s->weight != NULL;
}

void pp_mix_weigh(pp_mix *s, const perp_step_problem *p) {
    for (int i = 0; i < s->n; i++) {
        double W = pp_row_inverse_mass(p, &p->joint[i].row);
        s->weight[i] = W > 0 ? 1 / W : 0;
    }
}

static double dot(const pp_mix *s, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < s->n; i++) sum += s->weight[i] * a[i] * b[i];
    return sum;
}

void pp_mix_step(pp_mix *s, const double *miss, double *value, bool mix) {
    int now = s->rounds++ % PP_MIXED_ROUNDS, have = s->rounds < PP_MIXED_ROUNDS ? s->rounds : PP_MIXED_ROUNDS;
    for (int i = 0; i < s->n; i++) {
        s->value[now][i] = value[i];
        s->miss[now][i] = miss[i];
    }
    if (!mix) return;
    /* differences of the rounds from the newest, made orthogonal one by one; the same combinations of values follow */
    double left[PP_MIXED_ROUNDS] = {0}, R[PP_MIXED_ROUNDS][PP_MIXED_ROUNDS] = {{0}};
    int column[PP_MIXED_ROUNDS] = {0}, n = 0;
    for (int k = 1; k < have; k++) { /* newest first */
        int at = (now - k + PP_MIXED_ROUNDS) % PP_MIXED_ROUNDS;
        double *d = s->basis[n];
        for (int i = 0; i < s->n; i++) d[i] = s->miss[at][i] - miss[i];
        double whole = dot(s, d, d);
        for (int j = 0; j < n; j++) {
            R[j][n] = dot(s, s->basis[j], d);
            for (int i = 0; i < s->n; i++) d[i] -= R[j][n] * s->basis[j][i];
        }
        double size = dot(s, d, d);
        if (!(size > DEPENDENT * DEPENDENT * whole)) continue;
        R[n][n] = sqrt(size);
        for (int i = 0; i < s->n; i++) d[i] /= R[n][n];
        left[n] = dot(s, d, miss);
        column[n++] = at;
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int l = j + 1; l < n; l++) left[j] -= R[j][l] * left[l];
        left[j] /= R[j][j];
    }
    const double *newest = s->value[now];
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < n; j++) value[i] -= left[j] * (s->value[column[j]][i] - newest[i]);
}
