/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* elementary.h - the functions of <math.h> that C libraries round differently, in one implementation for all machines
 * A run has the same bits with every compiler, C library and processor. So the library calls these, and of <math.h> only what IEEE 754
 * or its definition fixes to the last bit: sqrt, fabs, floor, ceil, trunc, round, fmod, ldexp, frexp, nextafter, copysign, and
 * comparisons. tools/check-math looks for others.
 * Valid    arguments and results as in C17, annex F: zeros, infinities, NaN. errno is not set. The error is below one unit in the last
 *          place. Exceptions are noted.
 * Method   additions and multiplications that round in one way everywhere, none of them fused, and short tables. What must be known beyond
 *          53 bits is a pair of numbers (double_double.h): reduced arguments, squares, logarithms of powers. */
#ifndef PP_ELEMENTARY_H
#define PP_ELEMENTARY_H

double pp_sin(double x);
double pp_cos(double x);
/* Both, with the same bits. */
void pp_sin_cos(double x, double *sin_x, double *cos_x);
double pp_tan(double x);
double pp_asin(double x);
double pp_acos(double x);
double pp_atan(double x);
double pp_atan2(double y, double x);
double pp_sinh(double x);
double pp_cosh(double x);
double pp_tanh(double x);
double pp_exp(double x);
double pp_exp2(double x);
double pp_log(double x);
double pp_log2(double x);
double pp_log10(double x);
double pp_log1p(double x);
double pp_pow(double x, double y);
double pp_cbrt(double x);
double pp_hypot(double x, double y);
/* Gamma function of x > 0; NaN below 0. */
double pp_tgamma(double x);
double pp_erfc(double x);

#endif
