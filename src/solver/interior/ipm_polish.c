/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipm_polish.c - final accuracy: Newton on the natural map from a near solution
 *   F(z) = z - P(z - w) = 0,  w = M z + q,  P the projection on the boxes and cones
 * Method   D is the derivative of P at z - w: [(I - D) + D (M + a I)] dz = -F, full steps. For boxes D is 0 or 1, so a step puts active
 *          variables on their bounds and solves the rest exactly: an active-set method. a is a proximal weight (in the matrix only): if
 *          the active set does not determine the solution, as with redundant rows, steps stay short, and repeating them with the same
 *          factors converges nevertheless. If that does not help and the caller requests it, other weights are tried.
 * Valid    Near a solution; degenerate pairs (z_i = w_i = 0) may be counted on either side.
 * Cost     A factorisation per active set.
 * Source   Qi, Sun, Math. Prog. 58 (1993); Facchinei, Pang (2003) chapters 8, 12.4. */
#include <math.h>
#include <string.h>

#include "solver/interior/ipm.h"
#include "solver/common/lorentz.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [steps] Largest number of steps of a round. */
#define STEPS 10
/* [steps] Number of successive steps without progress that end a round. */
#define STALLS 2
/* [1] Fraction to which a step should reduce the residual. */
#define BETTER 0.5
/* [1] Weights a, tried in this order: the usual one; nearly zero for systems that are regular but ill-conditioned;
 * larger ones for systems that are not. */
static const double centre[] = {1e-9, 1e-13, 1e-7, 1e-5};

/* Writes F to s->rhs, D to s->E, C = I - D + a D. Returns true if neither D nor a has changed since the last call. */
static bool natural(pp_ipm *s, const double *z, double a, bool first) {
    int n = s->n, nbox = s->nbox, dim = s->dim;
    bool same = !first;
    pp_ipm_multiply(s, z, s->w);
    for (int i = 0; i < n; i++) s->w[i] += s->q[i];
    for (int i = 0; i < nbox; i++) {
        double y = z[i] - s->w[i], D = y > s->lo[i] && y < s->hi[i];
        double x = y < s->lo[i] ? s->lo[i] : y > s->hi[i] ? s->hi[i] : y;
        same = same && D == s->E[i];
        s->rhs[i] = D != 0 ? -s->w[i] : x - z[i];
        s->E[i] = D;
        s->C[i] = 1 - D + a * D;
    }
    for (int c = 0; c < s->ncone; c++) {
        ptrdiff_t i = nbox + (ptrdiff_t)c * dim, b = nbox + (ptrdiff_t)c * dim * dim;
        double y[PP_LORENTZ_MAX], x[PP_LORENTZ_MAX], D[PP_LORENTZ_MAX * PP_LORENTZ_MAX];
        for (int k = 0; k < dim; k++) y[k] = z[i + k] - s->w[i + k];
        pp_lorentz_project(dim, y, x);
        pp_lorentz_project_derivative(dim, y, D, dim);
        for (int k = 0; k < dim; k++) s->rhs[i + k] = x[k] - z[i + k];
        for (int k = 0; k < dim * dim; k++) {
            same = same && D[k] == s->E[b + k];
            s->E[b + k] = D[k];
            s->C[b + k] = (k % (dim + 1) == 0 ? 1 : 0) - D[k] + a * D[k];
        }
    }
    return same;
}

/* One round with one a. The point is left in z. */
static bool round_of(pp_ipm *s, double *z, double a, int steps) {
    double least = INFINITY;
    for (int k = 0, stalls = 0; k < steps && stalls < STALLS; k++) {
        if (!perp_call_look(s->call, s->info->iterations, NULL))
            return false; /* a dense factor may be most of a step's work */
        bool same = natural(s, z, a, k == 0);
        if (!same && !pp_ipm_factor(s, s->C, s->E)) return false;
        if (!pp_ipm_solve(s, s->C, s->E, s->rhs)) return false;
        for (int i = 0; i < s->n; i++) z[i] += s->rhs[i];
        double figure = pp_ipm_consider(s, z);
        if (s->least <= s->tol) return true;
        if (!isfinite(figure)) return false;
        stalls = figure < BETTER * least ? 0 : stalls + 1;
        least = fmin(least, figure);
    }
    return false;
}

bool pp_ipm_polish(pp_ipm *s, double *z, bool thorough) {
    memcpy(s->saved, z, sizeof *z * (size_t)s->n);
    for (size_t k = 0; k < (thorough ? sizeof centre / sizeof *centre : 1); k++) {
        if (s->op && centre[k] < centre[0]) continue; /* operators are factorised without full pivoting */
        memcpy(z, s->saved, sizeof *z * (size_t)s->n);
        if (round_of(s, z, centre[k], STEPS)) return true;
    }
    return false;
}
