/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* refine.h - makes a solution as exact as its active set allows. */
#ifndef PP_REFINE_H
#define PP_REFINE_H

#include "solver/common/call.h"

/* [1] A claimed solution is refined if its residual, relative to the solution, is below this multiple of tol. */
#define PP_REFINE_WITHIN 1e4

/* Refines z, a solution of p that the judge rejects, until the judge accepts it at tol or no further improvement is
 * possible. z is the best by the judge's figure, and never worse than before. Problems without active sets (NCP, QP)
 * are not changed. Uses the call's memory. Returns PERP_OK or PERP_E_MEMORY. */
perp_status pp_refine(const perp_call *call, const perp_problem *p, perp_judge *judge, double tol, double *z,
                      perp_solve_info *info);

/* Cones, in cone_refine.c. */
perp_status pp_refine_cone(const perp_call *call, const perp_problem *p, perp_judge *judge, double tol, double *z,
                           perp_solve_info *info);

#endif
