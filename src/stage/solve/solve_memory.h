/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_memory.h - what rounds of a step need not compute again: they pose the same rows with other right-hand sides. */
#ifndef PP_SOLVE_MEMORY_H
#define PP_SOLVE_MEMORY_H

#include "problem/convert/cone_condensed.h"
#include "problem/convert/convert.h"

/* Of the last problem that was solved. Everything is compared number by number with the next one before it is used, so results do not
 * depend on it. It keeps its memory. All zero: nothing. */
typedef struct pp_solve_memory {
    perp_row *row; /* rows as pp_figure_row() lists them, and their figures */
    pp_row_figure *figure;
    int njoint, n, cap_row, cap_figure;
    double *masses; /* M, Minv and momentum */
    int nmasses, cap_masses;
    pp_cone_memory *island; /* by island: what its cone problem was condensed to */
    int cap_island;
} pp_solve_memory;

void pp_solve_memory_destroy(pp_solve_memory *m, const perp_allocator *a);

/* Figures of all rows. m: NULL if there is none */
void pp_row_figures(const perp_step_problem *p, pp_solve_memory *m, const perp_allocator *a, pp_row_figure *out);

/* Of island k; NULL if there is no memory. */
pp_cone_memory *pp_island_memory(pp_solve_memory *m, int k, const perp_allocator *a);

#endif
