/* solver.h - the built-in solvers and the one place that calls a solver. */
#ifndef PP_SOLVER_H
#define PP_SOLVER_H

#include "base/memory.h"
#include "perp/plugin.h"

/* One line each in builtin.c */
extern const perp_solver_type pp_solver_lemke, pp_solver_pgs, pp_solver_enumerate;

/* Runs a solver with workspace from the arena and measures its answer. PERP_E_FIT if the class is not taken,
 * PERP_E_MEMORY. A z that is not finite is replaced by zeros. */
perp_status pp_solve(const perp_solver_type *type, const void *settings, const perp_problem *p, double *z,
                     pp_arena *arena, perp_solve_info *info);

#endif
