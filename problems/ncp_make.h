/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ncp_make.h - what the makers of NCPs share. */
#ifndef NCP_MAKE_H
#define NCP_MAKE_H

#include "ncp_problems.h"

typedef bool (*ncp_maker)(ncp_problem *p, int parameter);

/* Room: bounds if asked for, starts and solutions (zeroed), a pattern of nnz entries (0: dense), data. */
bool ncp_room(ncp_problem *p, int n, int nstart, int nsolution, bool bounds, int nnz, int ndata);
/* The parts of p->problem that follow from the rest. */
void ncp_finish(ncp_problem *p, bool (*F)(const double *, double *, void *),
                bool (*J)(const double *, double *, void *));

/* Starts and solutions to write to. */
static inline double *ncp_start(ncp_problem *p, int k) { return p->numbers + (ptrdiff_t)p->n * k; }
static inline double *ncp_solution(ncp_problem *p, int k) { return p->numbers + (ptrdiff_t)p->n * (p->nstart + k); }

/* Grids (ncp_grids.c); parameter: points along a side. */
bool ncp_torsion(ncp_problem *p, int side);
bool ncp_obstacle(ncp_problem *p, int side);
bool ncp_free_boundary(ncp_problem *p, int side);
bool ncp_bearing(ncp_problem *p, int side);

#endif
