/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* builtin.h - the table of built-in solvers. */
#ifndef PP_BUILTIN_H
#define PP_BUILTIN_H

#include "solver/common/solver.h"

extern const perp_solver_type *const pp_builtin[];
extern const int pp_nbuiltin;

#endif
