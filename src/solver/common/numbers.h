/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* numbers.h - tuned numbers that mean the same in several solvers */
#ifndef PP_NUMBERS_H
#define PP_NUMBERS_H

/* [1] Part of the decrease that the slope promises which a step of a line search must make (Armijo). */
#define PP_ARMIJO 1e-4
/* [1] Relative difference of A x and B x, for a few vectors x, up to which the matrices A and B are the same. */
#define PP_SAME_MATRIX 1e-10
/* [1] Time of a multiplication in solutions with factors, and in products, in units of that within a factorisation. */
#define PP_SOLVE_SLOWER 3.5

#endif
