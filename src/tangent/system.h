/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* system.h - the linear system of a step at given modes. */
#ifndef PP_TANGENT_SYSTEM_H
#define PP_TANGENT_SYSTEM_H

#include "base/memory.h"
#include "perp/step.h"

#define PP_MOST_ROWS 600 /* unknowns of an island: its matrix is dense, and its factor costs the cube of them */

/* One equation a . dnu + sum c dp = right-hand side, in velocities. */
typedef struct pp_equation {
    int nrow;
    perp_row row[PERP_CONE_ROWS - 1];
    double by[PERP_CONE_ROWS - 1]; /* factors of the rows */
    int np, p[PERP_CONE_ROWS];     /* unknowns */
    double c[PERP_CONE_ROWS];      /* their factors */
} pp_equation;

/* n unknown changes of impulses dp, each along a row of its own, and as many equations; and the changes of velocity
 *   M dnu = sum push dp + momentum. */
typedef struct pp_system {
    const perp_step_problem *p; /* blocks and masses */
    int n, directions;
    pp_equation *equation;
    const perp_row **push; /* by unknown */
    double *mass;          /* by unknown: inverse mass, which scales it */
    double *right;         /* n x directions */
    double *momentum;      /* ndof x directions */
    double *dnu;           /* ndof x directions: the answer */
} pp_system;

typedef enum pp_system_end {
    PP_SYSTEM_SOLVED,
    PP_SYSTEM_MEMORY,
    PP_SYSTEM_LARGE,       /* an island has more than PP_MOST_ROWS */
    PP_SYSTEM_OPEN,        /* the equations do not determine the velocity */
    PP_SYSTEM_CONTRADICTS, /* they contradict each other */
    PP_SYSTEM_NUMERICS     /* something is not finite */
} pp_system_end;

/* Solves for dnu, island by island. Scratch from the arena. */
pp_system_end pp_system_solve(pp_system *s, pp_arena *arena);

#endif
