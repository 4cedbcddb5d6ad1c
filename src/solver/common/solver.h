/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver.h - the built-in solvers and the functions that call a solver. */
#ifndef PP_SOLVER_H
#define PP_SOLVER_H

#include "base/memory.h"
#include "perp/plugin.h"
#include "solver/common/call.h"

#define PP_SOLVER(name) extern const perp_solver_type pp_solver_##name;
#include "solver/common/builtin_list.h"

/* Runs a solver with workspace from the arena and measures its solution. Returns PERP_E_FIT if the class is not
 * supported, PERP_E_MEMORY. A z that is not finite is replaced by zeros. The clock is not read. */
perp_status pp_solve(const perp_solver_type *type, const void *settings, const perp_problem *p, double *z,
                     pp_arena *arena, perp_solve_info *info);

/* The same within a call: its arena, watch, deadline and stop function. */
perp_status pp_solve_call(const perp_call *call, const perp_solver_type *type, const void *settings,
                          const perp_problem *p, double *z, perp_solve_info *info);

/* As that, `depth` one deeper and not measured: info->residual is INFINITY. */
perp_status pp_solve_within(const perp_call *call, const perp_solver_type *type, const void *settings,
                            const perp_problem *p, double *z, perp_solve_info *info);

/* Room for any settings struct, and its defaults with one "tol" put in if there is such a field and tol > 0. */
typedef union pp_settings {
    double align;
    char bytes[PERP_SETTINGS_MAX];
} pp_settings;
void pp_settings_default(const perp_solver_type *type, double tol, pp_settings *s);

/* Adds a sentence to info->story, "; " between; cut, never overrun. */
void pp_tell(perp_solve_info *info, const char *format, ...) PERP_PRINTF(2, 3);

#endif
