/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_condensed.h - the cone problem of a step without the rows whose state is known: bilateral rows and bodies are eliminated.
 *
 * A robot has many bilateral rows (joints, rotors) and few contacts. Most servos do not reach their force limits, and most joints not
 * their stops. Such rows are bilateral or open; which ones is guessed, and checked afterwards. The condensed problem has only the others, in
 * local form, in their order in pp_step_cone. */
#ifndef PP_CONE_CONDENSED_H
#define PP_CONE_CONDENSED_H

#include "problem/convert/to_cone.h"

/* What a row is taken for. */
typedef enum pp_row_use {
    PP_ROW_KEPT, /* a row of the condensed problem */
    PP_ROW_FREE, /* bilateral: eliminated */
    PP_ROW_OPEN  /* without impulse: left out */
} pp_row_use;

/* Columns of L from `begin` to before `end`. */
typedef struct pp_cone_span {
    int begin, end;
} pp_cone_span;

/* Eliminated rows in groups, which act on the same bodies. */
typedef struct pp_cone_groups {
    int n;
    int *begin; /* n + 1: first row of each */
    int *
        first; /* n + 1: first span of each: where its rows have numbers in L, at last in the columns of their own group */
    pp_cone_span *span;
    int *width;    /* n: numbers in a row of L, of all spans one after the other */
    ptrdiff_t *at; /* n + 1: where its rows begin in L */
} pp_cone_groups;

typedef struct pp_cone_condensed {
    perp_problem problem; /* to hand to a solver if n > 0; PERP_CONE, local form */
    int n;                /* its size */
    const pp_step_cone *cone;
    int ne;          /* eliminated rows */
    int *eliminated; /* ne: rows of the cone problem, in the order of elimination */
    int *kept;       /* n: rows of the cone problem */
    pp_cone_groups groups;
    double *L;       /* by groups: Cholesky factor of the eliminated part of W */
    const double *Y; /* n x ne, by kept rows: L^-1 W_er */
    double *y;       /* ne: L^-1 of the velocities of the eliminated rows without impulses */
    double *nu, *x;  /* scratch: ndof, ne */
    double *full;    /* rows of the cone problem: impulses */
    pp_row_use *use; /* rows of the cone problem: what they are taken for in the next try */
    bool wrong;      /* it differs from what they were taken for in this one */
} pp_cone_condensed;

/* What a problem was condensed to, and the matrices that it was: rounds pose the same matrices again with other right-hand sides. All zero:
 * nothing. It keeps its memory. */
typedef struct pp_cone_memory {
    char *bytes;
    int cap;
    int all, nnz, nblock; /* rows, numbers in H, bodies; all 0: nothing is remembered */
    int ne, n;            /* rows that are eliminated, that are kept */
    bool compliant;
    /* within `bytes`: the matrices */
    double *H, *Minv, *compliance;
    int *start, *index;
    pp_row_use *use;
    /* and the results; Y: n x ne, L^-1 W_er by kept rows */
    double *L, *Y, *S;
    int *eliminated, *kept;
    pp_cone_groups groups;
} pp_cone_memory;
void pp_cone_memory_destroy(pp_cone_memory *m, const perp_allocator *a);

/* What the rows are at the impulses z of all rows: use, one for each row. */
void pp_cone_condensed_choose(const pp_step_cone *cone, const double *z, pp_row_use *use);

/* Can so many rows be eliminated that it is worth while? */
bool pp_cone_condensed_pays(const pp_step_cone *cone, const pp_row_use *use);

/* use: borrowed. *held: rows depend on each other, nearly or exactly, so that elimination would cost digits; then c is not set. Everything
 * is allocated from the arena; the cone problem is borrowed. memory: of the problem before, which may have the same matrices; then the results are the same to the
 * last bit, and c borrows them from it. NULL: none. PERP_E_MEMORY; PERP_E_SOLVE if numbers are not finite. */
perp_status pp_cone_condense(const pp_step_cone *cone, pp_row_use *use, pp_arena *arena, pp_cone_memory *memory,
                             pp_cone_condensed *c, bool *held);

/* Impulses of the kept rows out of those of all rows. */
void pp_cone_condensed_gather(const pp_cone_condensed *c, const double *all, double *kept);

/* Impulses of all rows from those of the kept rows; they are overwritten by the next call. */
const double *pp_cone_condensed_expand(const pp_cone_condensed *c, const double *kept);

/* Are the rows, at all impulses that were expanded and checked, what they were taken for? Those that are not become kept rows in c->use. */
bool pp_cone_condensed_holds(pp_cone_condensed *c);

#endif
