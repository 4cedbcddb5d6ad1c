/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_solve.h - figures about solvers: what plot_convergence.c and plot_profile.c share. */
#ifndef PLOT_SOLVE_H
#define PLOT_SOLVE_H

#include "base/memory.h"
#include "input/input.h"
#include "plot/plot.h"
#include "solve/solve.h"

/* The files of a plot and the memory of its figure. */
typedef struct plot_solved {
    const plot_request *q;
    pp_arena arena;
    solve_figures *file; /* q->nrecording */
    perp_refusal *why;
} plot_solved;

/* Reads all files. */
perp_status plot_solved_open(plot_solved *d, const plot_request *q,
                             perp_status (*read)(const char *, solve_figures *, perp_refusal *), perp_refusal *why);
void plot_solved_close(plot_solved *d);
perp_status plot_solved_memory(plot_solved *d); /* reports that there is none */
/* The name of a solver in the legend: with the file's, if there are several. NULL: no memory. */
const char *plot_solved_label(plot_solved *d, int file, const char *solver);
/* The text between the brackets of "name(text)"; "" if there are none; NULL if it is not that name. */
const char *plot_solved_argument(plot_solved *d, const char *what, const char *name);
/* Draws the panels as requested. */
perp_status plot_solved_draw(plot_solved *d, const plot_panel *panel, int npanel, plot_report *report);

#endif
