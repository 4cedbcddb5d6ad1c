/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* auto.h - the parts of the solver "auto". */
#ifndef PP_AUTO_H
#define PP_AUTO_H

#include "solver/common/call.h"

/* [contacts and joint rows] Up to this number exact methods (pivoting, polishing, unique loads) cost little. */
#define PP_FEW_CONTACTS 50
/* [rows] Largest dense problem for pivoting and for factors of an active set. Both cost the cube of the size, some
 * seconds at this size. */
#define PP_PIVOTING_MOST 1200

/* Friction contact problems and cone QPs: exact for one contact, Newton from a guess, interior points from a cold
 * start, Newton again. loads: which loads are selected among those that satisfy the laws (cone_select.h). info->story
 * explains the path taken. */
perp_outcome pp_auto_cone(const perp_problem *p, double tol, pp_load_choice loads, double *z, const perp_call *call,
                          perp_solve_info *info);

/* All other classes: a list of solvers by class and size, each measured. */
perp_outcome pp_auto_chain(const perp_problem *p, double tol, double *z, const perp_call *call, perp_solve_info *info);

#endif
