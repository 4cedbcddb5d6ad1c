/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quasistatic_balance.h - can anything balance the loads of a quasistatic step? */
#ifndef PP_QUASISTATIC_BALANCE_H
#define PP_QUASISTATIC_BALANCE_H

#include "stage/stepper.h"

/* A proof that loads are not balanced. */
typedef struct pp_imbalance {
    int block;    /* of the body whose load does the most work along the motion; -1: there is no proof */
    int rows;     /* contacts and joint rows of its island */
    double least; /* balance would need impulses of at least this many times the load; INFINITY: none are enough */
} pp_imbalance;

/* Looks for a proof that no impulses of the rows of f->pose.problem balance `force` (ndof, impulses of the loads), whatever the
 * velocities are; sweeps: how long at most. PERP_E_MEMORY. */
perp_status pp_find_imbalance(const pp_frame *f, const double *force, int sweeps, pp_imbalance *out);

/* Least size of impulses that balance has, by the motion d alone: 0 if d proves nothing, INFINITY if no impulses do. In units of
 * the load, sqrt(force . Minv force). For tests. */
double pp_imbalance_check(const perp_step_problem *p, const double *force, const double *d);

#endif
