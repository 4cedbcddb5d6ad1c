/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* builtin.c - the table of the built-in solvers. */
#include "solver/front/builtin.h"

const perp_solver_type *const pp_builtin[] = {
#define PP_SOLVER(name) &pp_solver_##name,
#include "solver/common/builtin_list.h"
};
const int pp_nbuiltin = (int)(sizeof pp_builtin / sizeof *pp_builtin);
