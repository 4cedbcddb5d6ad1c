/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_law.h - one contact by itself: the friction law with a small matrix, solved exactly. */
#ifndef PP_CONE_LAW_H
#define PP_CONE_LAW_H

#include <stdbool.h>

/* x in the cone |x_T| <= mu x_N complementary to v = W x + q: Coulomb's law, or, if associated, v in the dual cone and
 * perpendicular to x. W: dim x dim, column-major, dim 2 .. 4. False, and x = 0, if no answer was found. */
bool pp_law_solve(int dim, const double *W, double mu, bool associated, const double *q, double *x);

/* x - P(x - v^) of one contact, written to e; its norm is returned. */
double pp_law_natural(int dim, double mu, bool associated, const double *x, const double *v, double *e);

#endif
