/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rounding.h - below which part of its terms a computed figure is rounding, or nothing */
#ifndef PP_ROUNDING_H
#define PP_ROUNDING_H

/* [1] Part of its terms below which a difference is rounding: some hundred units of it. */
#define PP_ROUNDING 1e-13
/* [1] A number that is left of an elimination is rounding if it is below this part of its original size, divided by the smallest relative pivot, or
 * below PP_NEGLIGIBLE of its size. */
#define PP_ELIMINATED 1e-14
/* [1] Part of the size at hand below which a direction, a slip, a friction or a time is none, though it may be more than rounding. */
#define PP_NEGLIGIBLE 1e-12
/* [1] Part of the size at hand below which a speed, a work, a depth or the violation of a law is none: solvers leave residuals. */
#define PP_RESIDUAL 1e-9
/* [1] Finest relative residual that a solver is asked for: below it only rounding is left. */
#define PP_FINEST_TOL 1e-15

#endif
