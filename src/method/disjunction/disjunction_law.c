/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* disjunction_law.c - residual of the disjunctive normal laws, independent of all solvers and conversions
 * Problem  Impulses p_i and the end velocity nu are given. How far are they from satisfying U, I and X?
 * Method   Computed directly from the rows: psi_i = n_i nu + b_n, and W_i p_i, the velocity that the impulse alone causes. So all
 *          residuals are velocities.
 *            U      |min(psi_i, W_i p_i)|
 *            I, X   amount by which the largest gap is below zero
 *            force  for a contact in no U: min(W_i p_i, e_i). Each I that allows the contact a force has a violation: |psi_i|, or a positive
 *                   gap of another of its contacts, both beyond the slack (corners that coincide differ only by rounding).
 *                   e_i is the smallest of these violations, INFINITY if no I allows a force. Also -W_i p_i if p_i < 0.
 * Source   Williams 4.2.2, the three conditions of an I constraint. */
#include <math.h>

#include "method/disjunction/disjunction.h"
#include "problem/rows.h"

static double gap_of(const perp_step_problem *p, int i, const double *nu) {
    return pp_row_dot(p, &p->contact[i].n, nu) + p->contact[i].b_n;
}

static void worsen(double *most, double x) {
    if (isnan(x)) x = INFINITY;
    if (x > *most) *most = x;
}

/* Violation of group g by a force at its member k. */
static double violation(const pp_disjunction *d, const pp_group *g, int k, const perp_step_problem *p,
                        const double *nu) {
    double worst = fmax(0, fabs(gap_of(p, d->member[g->first + k], nu)) - d->slack);
    for (int m = 0; m < g->count; m++)
        if (m != k) worsen(&worst, gap_of(p, d->member[g->first + m], nu) - d->slack);
    return worst;
}

/* Smallest violation over all groups that allow contact i a force. */
static double least_violation(const pp_disjunction *d, int i, const perp_step_problem *p, const double *nu) {
    double least = INFINITY;
    for (int g = 0; g < d->ngroup; g++)
        for (int k = 0; k < d->group[g].primary; k++)
            if (d->member[d->group[g].first + k] == i) least = fmin(least, violation(d, &d->group[g], k, p, nu));
    return least;
}

double pp_disjunction_residual(const pp_disjunction *d, const perp_step_problem *p, const perp_step_solution *s) {
    double worst = 0;
    for (int i = 0; i < d->ncontact; i++) {
        double force = pp_row_inverse_mass(p, &p->contact[i].n) * s->p_contact[3 * i];
        if (d->plain[i]) {
            double psi = gap_of(p, i, s->nu);
            worsen(&worst, isnan(psi + force) ? NAN : fabs(fmin(psi, force)));
            continue;
        }
        worsen(&worst, -force);
        if (force > 0) worsen(&worst, fmin(force, least_violation(d, i, p, s->nu)));
        if (isnan(force)) worsen(&worst, INFINITY);
    }
    for (int g = 0; g < d->ngroup; g++) {
        double most = -INFINITY;
        for (int k = 0; k < d->group[g].count; k++)
            most = fmax(most, gap_of(p, d->member[d->group[g].first + k], s->nu));
        worsen(&worst, -most);
    }
    return worst;
}
