/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_sweep.h - Gauss-Seidel sweeps over a scaled cone problem to a few digits; the first stage of auto if that is
 * enough. */
#ifndef PP_CONE_SWEEP_H
#define PP_CONE_SWEEP_H

#include "solver/cone/cone_figure.h"
#include "solver/relax/relax.h"

typedef struct pp_cone_sweep {
    pp_cone_sweeps on; /* x: start in, best point out */
    const pp_cone_figure *figure;
    const perp_call *call;
    pp_relax how;    /* tol: of pp_cone_strictest(); max_sweeps */
    double measure;  /* of x at the end */
    double *out;     /* m: for the watch, may be NULL */
    double *inverse; /* nblock x square: W~_ii^-1; a zero at [0]: there is none */
} pp_cone_sweep;

/* Allocates in the call's memory; figure, call, how must be set; k must not be moved. Returns false if out of memory. */
bool pp_cone_sweep_make(pp_cone_sweep *k, const pp_cone *c);

/* Sweeps from k->on.x; info->iterations counts them. Coulomb's law: not for cone QPs. */
perp_outcome pp_cone_sweep_run(pp_cone_sweep *k, perp_solve_info *info);

#endif
