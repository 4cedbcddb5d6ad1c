/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* refine.h - an answer made as exact as its active set allows. */
#ifndef PP_REFINE_H
#define PP_REFINE_H

#include "solver/common/call.h"

/* [1] Residual, in units of tol and relative to the answer, up to which a claim of success is refined. */
#define PP_REFINE_WITHIN 1e4

/* Refines z, an answer of p that the judge denies, until he accepts it at tol or nothing more is to be had; z is the best
 * by his figure, and never worse than before. Problems without active sets (NCP, QP) are left alone. Takes memory from
 * the call. PERP_E_MEMORY. */
perp_status pp_refine(const perp_call *call, const perp_problem *p, perp_judge *judge, double tol, double *z,
                      perp_solve_info *info);

/* Cones, in cone_refine.c. */
perp_status pp_refine_cone(const perp_call *call, const perp_problem *p, perp_judge *judge, double tol, double *z,
                           perp_solve_info *info);

#endif
