/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* numbers.h - tuned numbers with the same meaning in several solvers */
#ifndef PP_NUMBERS_H
#define PP_NUMBERS_H

/* [1] Fraction of the predicted decrease that a step of a line search must achieve (Armijo). */
#define PP_ARMIJO 1e-4
/* [1] Two matrices A and B are equal if A x and B x differ by less than this, relatively, for a few vectors x. */
#define PP_SAME_MATRIX 1e-10
/* [1] Time of a multiplication in solutions with factors and in products, relative to that in a factorisation. */
#define PP_SOLVE_SLOWER 3.5

#endif
