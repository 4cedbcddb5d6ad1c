/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* auto.h - the parts of the solver "auto". */
#ifndef PP_AUTO_H
#define PP_AUTO_H

#include "solver/common/call.h"

/* [contacts and joint rows] Number up to which exact methods (pivoting, polishing, unique loads) cost little. */
#define PP_FEW_CONTACTS 50
/* [rows] Largest dense problem for pivoting and for factors of an active set: both cost the cube, some seconds here. */
#define PP_PIVOTING_MOST 1200

/* Friction contact problems and cone QPs: exact for one contact, Newton from a guess, interior points from nothing,
 * Newton again. loads: which of those that obey the laws (cone_select.h).
 * Explains itself in info->story. */
perp_outcome pp_auto_cone(const perp_problem *p, double tol, pp_load_choice loads, double *z, const perp_call *call,
                          perp_solve_info *info);

/* All other classes: a list of solvers by class and size, each measured. */
perp_outcome pp_auto_chain(const perp_problem *p, double tol, double *z, const perp_call *call, perp_solve_info *info);

#endif
