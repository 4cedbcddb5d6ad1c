/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* box_qp.c - a small convex quadratic program between bounds
 *   least  g'd + d'B d/2  with  low <= d <= high,  low <= 0 <= high
 * Method   primal active set from d = 0: minimise over the free variables by Cholesky, stop at the first bound that is met, fix that
 *          variable; at a minimum free the variable whose gradient points inwards most. B is scaled to unit diagonal and gets a
 *          ridge of RIDGE, so that directions in which it is singular stay where they are.
 * Valid    B positive semidefinite. A variable with B_jj = 0 does not move.
 * Cost     n^3/3 a pass, usually a few passes, at most 20 n + 50.
 * Source   Nocedal, Wright, Numerical Optimization (2nd ed.), 16.5. */
#include <math.h>

#include "fit/fit.h"
#include "linalg/linalg.h"

#define RIDGE \
    1e-12 /* far below the square of the relative accuracy of derivatives, 1e-10, times any useful information */

size_t pp_box_qp_work(int n) { return (size_t)n * (size_t)n * 2 + 4 * (size_t)n; }

typedef struct qp {
    int n;
    double *B, *L;            /* scaled, n x n; factor */
    double *s, *g, *d, *step; /* scales; gradient at d; point; step towards the minimum */
    const double *low, *high;
    int *side;
    double noise; /* gradients up to this are rounding */
} qp;

/* Moves towards the minimum over the free variables. False if a bound was met on the way. */
static bool move(qp *q) {
    int n = q->n, k = 0;
    for (int j = 0; j < n; j++)
        if (!q->side[j]) {
            int i = 0;
            for (int l = 0; l < n; l++)
                if (!q->side[l]) q->L[i++ + n * k] = q->B[l + n * j];
            q->L[k + n * k] += RIDGE;
            q->step[k++] = -q->g[j];
        }
    if (k == 0 || !pp_cholesky(k, q->L, n)) return true;
    pp_cholesky_solve(k, q->L, n, 1, q->step, n);
    double length = 1;
    int hit = -1, i = 0;
    for (int j = 0; j < n; j++)
        if (!q->side[j]) {
            double by = q->step[i++];
            double limit = (by > 0 ? q->high[j] : q->low[j]) / q->s[j] - q->d[j];
            if (fabs(by) * length > fabs(limit)) length = fabs(limit) / fabs(by), hit = by > 0 ? j + n : j;
        }
    i = 0;
    for (int j = 0; j < n; j++)
        if (!q->side[j]) {
            double by = length * q->step[i++];
            q->d[j] += by;
            for (int l = 0; l < n; l++) q->g[l] += q->B[l + n * j] * by;
        }
    if (hit < 0) return true;
    int j = hit % n;
    q->side[j] = hit >= n ? 1 : -1;
    q->d[j] = (hit >= n ? q->high[j] : q->low[j]) / q->s[j];
    return false;
}

/* Frees the variable that gains most by leaving its bound; false if none does. */
static bool release(qp *q) {
    int best = -1;
    double most = q->noise;
    for (int j = 0; j < q->n; j++) {
        if (!q->side[j] || !(q->s[j] > 0) || !(q->low[j] < q->high[j])) continue;
        double inwards = q->side[j] > 0 ? q->g[j] : -q->g[j];
        if (inwards > most) most = inwards, best = j;
    }
    if (best >= 0) q->side[best] = 0;
    return best >= 0;
}

double pp_box_qp(const pp_box_qp_data *p, double *d, int *side, double *work) {
    const int n = p->n;
    const double *B = p->B, *g = p->g, *low = p->low, *high = p->high;
    size_t nn = (size_t)n * (size_t)n;
    qp q = {.n = n, .B = work, .L = work + nn, .s = work + 2 * nn, .d = d, .low = low, .high = high, .side = side};
    q.g = q.s + n;
    q.step = q.g + n;
    for (int j = 0; j < n; j++) {
        q.s[j] = B[j + n * j] > 0 && low[j] < high[j] ? 1 / sqrt(B[j + n * j]) : 0;
        q.g[j] = g[j] * q.s[j];
        q.noise = fmax(q.noise, 1e-14 * fabs(q.g[j]));
        d[j] = 0;
        side[j] = q.s[j] > 0 ? 0 : low[j] < 0 ? 1 : -1; /* variables that cannot move are never freed */
        if (q.s[j] > 0 && high[j] == 0 && g[j] < 0) side[j] = 1;
        if (q.s[j] > 0 && low[j] == 0 && g[j] > 0) side[j] = -1;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) q.B[i + n * j] = B[i + n * j] * q.s[i] * q.s[j];
    for (int pass = 0, limit = 20 * n + 50; pass < limit; pass++)
        if (move(&q) && !release(&q)) break;
    double fall = 0;
    for (int j = 0; j < n; j++) fall -= 0.5 * d[j] * (g[j] * q.s[j] + q.g[j]); /* g'd + d'Bd/2 = d'(g + (g + Bd))/2 */
    for (int j = 0; j < n; j++) {
        d[j] = side[j] > 0 ? high[j] : side[j] < 0 ? low[j] : d[j] * q.s[j];
        if (!(q.s[j] > 0)) d[j] = 0, side[j] = 0;
    }
    return fall;
}
