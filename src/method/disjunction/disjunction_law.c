/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* disjunction_law.c - the judge of the disjunctive normal laws, apart from every solver and conversion
 * Problem  impulses p_i and the end velocity nu are given. How far are they from U, I and X?
 * Method   straight from the rows: psi_i = n_i nu + b_n, and W_i p_i, the velocity that the impulse makes of its own, so
 *          that all figures are velocities.
 *            U      |min(psi_i, W_i p_i)|
 *            I, X   how far the largest gap is below zero
 *            force  a contact in no U: min(W_i p_i, e_i), where e_i is what is least wrong with a force there among the I
 *                   that allow it one: |psi_i|, or the gap of another contact of it above zero, both beyond the slack
 *                   (corners that lie on each other are told apart by rounding); INFINITY if none allows it. And
 *                   -W_i p_i if p_i < 0.
 * Source   Williams 4.2.2, the three demands on an I constraint. */
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

/* What speaks against a force at member k of a group. */
static double objection(const pp_disjunction *d, const pp_group *g, int k, const perp_step_problem *p,
                        const double *nu) {
    double worst = fmax(0, fabs(gap_of(p, d->member[g->first + k], nu)) - d->slack);
    for (int m = 0; m < g->count; m++)
        if (m != k) worsen(&worst, gap_of(p, d->member[g->first + m], nu) - d->slack);
    return worst;
}

/* The least objection over all groups that allow contact i a force. */
static double least_objection(const pp_disjunction *d, int i, const perp_step_problem *p, const double *nu) {
    double least = INFINITY;
    for (int g = 0; g < d->ngroup; g++)
        for (int k = 0; k < d->group[g].primary; k++)
            if (d->member[d->group[g].first + k] == i) least = fmin(least, objection(d, &d->group[g], k, p, nu));
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
        if (force > 0) worsen(&worst, fmin(force, least_objection(d, i, p, s->nu)));
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
