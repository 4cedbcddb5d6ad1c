/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* path_crash.c - guesses the active bounds by projected Newton steps
 * Method   Bounds that z - F(z) would leave are active, the other rows are equations. One linear solve, projected on the bounds, shortened while
 *          the natural map does not decrease. Continues while that helps and the guess of the active set still changes. Whole sets of bounds
 *          change at once here; a path changes them one by one.
 * Valid    Anywhere; without success z is unchanged.
 * Cost     A factorisation per step.
 * Source   Dirkse, Ferris, Crash techniques for large-scale complementarity problems (1997); Bertsekas, Projected Newton
 *          methods (1982). */
#include "solver/pivot/path_crash.h"

#include <math.h>
#include <string.h>

#define SHORTER  0.5
#define SHORTEST 0.05
#define DECREASE 1e-2

/* Step to the point where the inactive rows vanish, in p->d; false if it does not exist. changed: the active set
 * differs from that of the step before. */
static bool newton(pp_path_model *m, pp_path_pivot *p, const double *z, const double *w, bool *changed) {
    int n = m->n;
    *changed = false;
    for (int i = 0; i < n; i++) {
        signed char at = (signed char)(z[i] - w[i] <= m->lo[i] ? PP_LOW : z[i] - w[i] >= m->hi[i] ? PP_HIGH : PP_MID);
        if (at != p->mode[i]) *changed = true;
        p->mode[i] = at;
        p->f.var[i] = i;
        p->d[i] = -w[i];
    }
    for (int i = 0; i < n; i++) { /* the unknown of an active column represents its row; its z_i is known */
        if (p->mode[i] == PP_MID) continue;
        double step = (p->mode[i] == PP_LOW ? m->lo[i] : m->hi[i]) - z[i];
        if (step != 0) pp_path_matrix_add_column(&p->A, i, -step, p->d);
    }
    if (!pp_path_factor_fresh(&p->f)) return false;
    pp_path_factor_solve(&p->f, p->d);
    for (int i = 0; i < n; i++) {
        if (!isfinite(p->d[i])) return false;
        if (p->mode[i] != PP_MID) p->d[i] = (p->mode[i] == PP_LOW ? m->lo[i] : m->hi[i]) - z[i];
    }
    return true;
}

int pp_path_crash(pp_path_model *m, pp_path_pivot *p, int steps, double lambda, double *z, double *w, double *trial,
                  double *trial_w) {
    int n = m->n;
    size_t bytes = sizeof *z * (size_t)n;
    double merit = pp_path_model_natural(m, z, w);
    for (int i = 0; i < n; i++) p->mode[i] = 2;
    for (int k = 0; k < steps; k++) {
        bool changed;
        if (!(merit > 0) || !perp_call_look(p->call, k, NULL) || !pp_path_model_J(m, z)) return k;
        p->A.lambda = lambda;
        if (!newton(m, p, z, w, &changed) || !changed) return k;
        double length = 1, next = INFINITY;
        for (; length > SHORTEST; length *= SHORTER) {
            for (int i = 0; i < n; i++) {
                double x = z[i] + length * p->d[i];
                trial[i] = x < m->lo[i] ? m->lo[i] : x > m->hi[i] ? m->hi[i] : x;
            }
            if (pp_path_model_F(m, trial, trial_w)) {
                next = pp_path_model_natural(m, trial, trial_w);
                if (next <= (1 - DECREASE * length) * merit) break;
            }
            next = INFINITY;
        }
        if (next == INFINITY) return k;
        memcpy(z, trial, bytes);
        memcpy(w, trial_w, bytes);
        merit = next;
    }
    return steps;
}
