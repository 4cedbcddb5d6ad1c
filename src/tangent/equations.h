/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* equations.h - the equations of a step at given modes, and their derivatives by velocity and impulses. */
#ifndef PP_TANGENT_EQUATIONS_H
#define PP_TANGENT_EQUATIONS_H

#include "tangent/modes.h"
#include "tangent/system.h"

/* A step problem at its answer, with the modes of its laws. Equations, and unknown impulses, are numbered alike: joint rows
 * first, then contacts in turn, each with its normal row first. */
typedef struct pp_equations {
    perp_step_solution at; /* nu, and the impulses of the contacts that are posed */
    int njoint, ncontact, n;
    const int *joint_mode;   /* see pp_joint_mode() */
    const pp_mode *mode;     /* by contact: none is open */
    const int *first;        /* by contact: its normal equation */
    double *mass;            /* by equation: inverse mass of its row; of parts of friction the largest of its contact */
    const perp_row *end_row; /* by contact: derivative of the gap at the end over h by the velocity, */
    const bool *gap_holds;   /* if that is what its normal law is about; else the row of the problem */
    /* PP_FRICTION_ROWS by contact: derivatives of the slip by the velocity, if it is a displacement (stage/pose/slip.c); else the rows of
     * the problem are */
    const perp_row *slip_row;
    const bool *slip_finite;
    const perp_row
        *joint_end; /* by joint row: derivative of its error at the end over h by the velocity; NULL: as its row */
} pp_equations;

/* Fills mass from the problem. */
void pp_equations_scale(pp_equations *e, const perp_step_problem *p);
/* Numbers of a slightly different problem, at the same velocity and impulses. The equations are smooth functions of them:
 * the equations themselves (for sliding contacts: the slip), then mu of all contacts.
 * value: pp_equations_count(); momentum: ndof, M nu - momentum - G p. */
static inline int pp_equations_count(const pp_equations *e) { return e->n + e->ncontact; }
void pp_equations_values(const pp_equations *e, const perp_step_problem *p, double *value, double *momentum);
/* Converts changes of those numbers, in the problem of the answer p, to changes of the equations: the first n of `change`. */
void pp_equations_chain(const pp_equations *e, const perp_step_problem *p, double *change);
/* Derivatives in the problem of the answer: fills the equations of s and the rows that the impulses act along. */
void pp_equations_derive(const pp_equations *e, const perp_step_problem *p, pp_system *s);

#endif
