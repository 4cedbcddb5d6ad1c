/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rebound.c - restitution and push-out of a contact within their limits */
#include "stage/pose/rebound.h"

#include <math.h>

#include "problem/rows.h"
#include "stage/stepper.h"

bool pp_orders_impacts(const perp_world *w) {
    if (w->def.impacts == PERP_IMPACTS_PLAIN || (w->chosen.stepper->step && !w->chosen.stepper->half_kicks))
        return false;
    for (int i = 0; i < w->nmaterial * w->nmaterial; i++)
        if (w->law[i].restitution > 0) return true;
    return false;
}

double pp_approach(const pp_frame *f, int i) {
    const perp_contact_row *r = &f->pose.problem.contact[i];
    return pp_row_dot(&f->pose.problem, &r->n, f->control.nu0) + r->b_n_kin;
}

double pp_push_out_bound(const pp_frame *f, pp_push_out limit, const perp_contact_row *row) {
    if (limit == PP_PUSH_FREE) return -INFINITY;
    double approach = pp_row_dot(&f->pose.problem, &row->n, f->control.nu0) + row->b_n_kin;
    switch (limit) {
    case PP_PUSH_BOUND: return row->b_n_kin + fmin(0, approach);
    case PP_PUSH_MEAN: return row->b_n_kin + approach;
    default: return row->b_n_kin;
    }
}

double pp_rebound_factor(const pp_frame *f, const int shape[2]) {
    if (f->demand.rebounds && f->demand.rebounds->none) return 0;
    for (int i = 0; f->demand.rebounds && i < f->demand.rebounds->n; i++) {
        const pp_rebound_limit *r = &f->demand.rebounds->pair[i];
        if (r->shape[0] == shape[0] && r->shape[1] == shape[1]) return r->factor;
    }
    return 1;
}
