/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quasistatic_balance.h - checks whether forces can balance the loads of a quasistatic step. */
#ifndef PP_QUASISTATIC_BALANCE_H
#define PP_QUASISTATIC_BALANCE_H

#include "stage/stepper.h"

/* A proof that loads are not balanced. */
typedef struct pp_imbalance {
    int block; /* of the body whose load does the most work along the motion; -1: no proof */
    int rows;  /* number of contacts and joint rows of its island */
    /* balance would need impulses of at least this multiple of the load; INFINITY: no impulses are enough */
    double least;
} pp_imbalance;

/* Searches a proof that no impulses of the rows of f->pose.problem balance `force` (ndof, impulses of the loads) at any
 * velocities. sweeps: largest number of sweeps. Returns PERP_OK or PERP_E_MEMORY. */
perp_status pp_find_imbalance(const pp_frame *f, const double *force, int sweeps, pp_imbalance *out);

/* Smallest size of balancing impulses that the motion d allows: 0 if d proves nothing, INFINITY if no impulses balance.
 * In units of the load, sqrt(force . Minv force). Also used by tests. */
double pp_imbalance_check(const perp_step_problem *p, const double *force, const double *d);

#endif
