/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_linear.h - a step problem of unbounded joint rows, solved for one right-hand side after another */
#ifndef PP_SOLVE_LINEAR_H
#define PP_SOLVE_LINEAR_H

#include "stage/frame.h"

/* The factors of a step problem, in the arena. */
typedef struct pp_linear_system pp_linear_system;

/* Makes the factors of the problem that is posed in the frame, and room for its solution. *out: NULL if a row is bounded or a contact is posed,
 * or if the problems of the step are captured or watched. PERP_E_MEMORY; PERP_E_SOLVE if numbers are not finite. */
perp_status pp_linear_new(pp_frame *f, pp_linear_system **out);

/* Solves the problem with the present b of f->pose.joint_row: f->solve.solution. The solution is not judged. PERP_E_STOPPED; PERP_E_SOLVE if the
 * work of the step is used up. */
perp_status pp_linear_solve(pp_frame *f, pp_linear_system *s);

/* Measures the laws: f->solve.residual and acceptance. True if the last solution is accepted. Otherwise pp_solve_step() may refine it, or give the
 * reason of the failure. */
bool pp_linear_accepted(pp_frame *f, pp_linear_system *s);

#endif
