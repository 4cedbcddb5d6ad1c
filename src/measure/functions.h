/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* functions.h - functions that make one number of a series over time: at, first, largest, integral, crossing, ... */
#ifndef PP_FUNCTIONS_H
#define PP_FUNCTIONS_H

#include "input/input.h"

/* The functions of measures, in the order of pp_function_names. The first ones take a series. */
typedef enum pp_function {
    PP_FN_AT,
    PP_FN_FIRST,
    PP_FN_LAST,
    PP_FN_LARGEST,
    PP_FN_SMALLEST,
    PP_FN_MAXABS,
    PP_FN_MEAN,
    PP_FN_TOTAL,
    PP_FN_INTEGRAL,
    PP_FN_COUNT,
    PP_FN_TIME_OF_LARGEST,
    PP_FN_TIME_OF_SMALLEST,
    PP_FN_WHEN,
    PP_FN_QUANTILE,
    PP_FN_CROSSING,
    PP_FN_PARAMETER, /* takes the name of a parameter */
    PP_FN_ORDER,
    PP_FN_NORM,
    PP_FN_SUM, /* the last: an expression within sum() may use all functions before it */
    PP_FN_N
} pp_function;
extern const char *const pp_function_names[PP_FN_N];

/* Are number and kind of the arguments right? False with words in why. */
bool pp_function_fits(pp_function f, const pp_expr_arg *arg, int narg, char *why, size_t why_size);

/* A series: n values y at ascending times [T]. */
typedef struct pp_samples {
    const double *time, *y;
    uint64_t n;
} pp_samples;

/* Applies a function of a series, PP_FN_AT to PP_FN_CROSSING, with its further arguments arg[1] ...; n > 0.
 * False: the time of PP_FN_AT lies outside the run by more than rounding. */
bool pp_function_apply(pp_function f, const pp_samples *s, const pp_expr_arg *arg, int narg, double *room, double *out);
/* Linear between frames. False outside the times of the series. */
bool pp_value_at(const pp_samples *s, double t, double *out);
/* PP_FN_LARGEST to PP_FN_WHEN without PP_FN_INTEGRAL, over the frames with from <= t <= to; NAN where there are none, and
 * for NaN in the series. */
double pp_aggregate_range(pp_function f, const pp_samples *s, double from, double to);
/* The value below which a part of n numbers lies, linear between them; NAN if one is NaN. x is put in order. */
double pp_quantile(double *x, uint64_t n, double part);

/* norm(a, b, ...): false with words in why if an argument is a text. */
bool pp_norm(const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size);

/* The whole numbers from arg[1] to arg[2] of sum("...", from, to), both included; none if to < from. False with words in
 * why if these are not whole, or too many. */
bool pp_sum_bounds(const pp_expr_arg *arg, double *from, double *to, char *why, size_t why_size);

#endif
