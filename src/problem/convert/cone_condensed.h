/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_condensed.h - the cone problem of a step without the rows whose state is known: bilateral rows and bodies are eliminated.
 *
 * A robot has many bilateral rows (joints, rotors) and few contacts. Most servos are below their force limits, and most joints are away from
 * their stops. Rows of such servos act like bilateral rows, and rows of such stops are open. The state of each row is guessed, and checked
 * with the solution. The condensed problem contains the other rows only, in local form, in their order in pp_step_cone. */
#ifndef PP_CONE_CONDENSED_H
#define PP_CONE_CONDENSED_H

#include "problem/convert/to_cone.h"

/* Assumed state of a row. */
typedef enum pp_row_use {
    PP_ROW_KEPT, /* a row of the condensed problem */
    PP_ROW_FREE, /* bilateral, or between its bounds: eliminated */
    PP_ROW_OPEN  /* without impulse: left out */
} pp_row_use;

typedef struct pp_cone_condensed {
    perp_problem problem; /* to hand to a solver if n > 0; PERP_CONE, local form */
    int n;                /* its size */
    const pp_step_cone *cone;
    int ne;          /* eliminated rows */
    int *eliminated; /* ne: rows of the cone problem, in the order of elimination */
    int *kept;       /* n: rows of the cone problem */
    int *first;      /* ne: column of the first number of a row of L */
    double *L;       /* ne x ne, by rows: Cholesky factor of the eliminated part of W */
    double *nu, *x;  /* scratch: ndof, ne */
    double *full;    /* rows of the cone problem: impulses */
    pp_row_use *use; /* rows of the cone problem: assumed states for the next try */
    bool wrong;      /* some of them differ from those of this try */
} pp_cone_condensed;

/* Guesses the state of each row from the impulses z of all rows: sets use, one for each row. */
void pp_cone_condensed_choose(const pp_step_cone *cone, const double *z, pp_row_use *use);

/* Are enough rows eliminated for condensing to save time? */
bool pp_cone_condensed_pays(const pp_step_cone *cone, const pp_row_use *use);

/* Condenses the problem. use: borrowed. *held: rows depend on each other, nearly or exactly, so elimination would lose digits; then c is not
 * set. All memory comes from the arena; the cone problem is borrowed. Returns PERP_E_MEMORY, or PERP_E_SOLVE if a number is not finite. */
perp_status pp_cone_condense(const pp_step_cone *cone, pp_row_use *use, pp_arena *arena, pp_cone_condensed *c,
                             bool *held);

/* Copies the impulses of the kept rows from those of all rows. */
void pp_cone_condensed_gather(const pp_cone_condensed *c, const double *all, double *kept);

/* Impulses of all rows from those of the kept rows; they are overwritten by the next call. */
const double *pp_cone_condensed_expand(const pp_cone_condensed *c, const double *kept);

/* Were the assumed states right in all solutions checked so far? Checks the solution that was expanded last; rows with a wrong state become kept
 * rows in c->use. */
bool pp_cone_condensed_holds(pp_cone_condensed *c);

#endif
