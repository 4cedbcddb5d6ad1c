/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* find_contradiction.h - searches proofs that a problem has no solution, within a call. */
#ifndef PP_FIND_CONTRADICTION_H
#define PP_FIND_CONTRADICTION_H

#include "perp/contradiction.h"
#include "solver/common/call.h"

/* Multipliers y (perp_problem_size() of them, zeros if there are none) and what they prove. island: by island of the
 * judge's laws, whether it may take part; NULL: all. Returns PERP_OK or PERP_E_MEMORY. */
perp_status pp_find_contradiction(const perp_call *call, const perp_problem *p, perp_judge *judge, const bool *island,
                                  double *y, perp_contradiction *out);

/* Does a friction problem without a proof have a solution, or may it have none? */
perp_status pp_check_existence(const perp_call *call, const perp_problem *p, perp_judge *judge, perp_existence *out);

#endif
