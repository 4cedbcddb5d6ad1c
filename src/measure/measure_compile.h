/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure_compile.h - what measure.c, compile.c and condition.c share. */
#ifndef PP_MEASURE_COMPILE_H
#define PP_MEASURE_COMPILE_H

#include "measure/measure.h"

/* An expression of series, compiled. Its variables: t, the series, then the names that are known where it stands. */
typedef struct pp_formula_code {
    pp_expr *x;
    int need[PP_BRACES_MAX]; /* numbers of the series in the trace */
    int n;
} pp_formula_code;

/* Names that are known at one place: the first `n` of a list, and `last` if it is not NULL. */
typedef struct pp_known {
    const char *const *name;
    int n;
    const char *last;
} pp_known;

/* Each returns false, or NULL, with words in why: "no memory..." if there is none. */
bool pp_formula_compile(const perp_allocator *a, pp_span text, const pp_known *known, pp_trace *trace,
                        pp_formula_code *out, char *why, size_t why_size);
/* Declares the series of a plain name. */
bool pp_series_need(pp_trace *trace, pp_span name, int *need, char *why, size_t why_size);
pp_expr *pp_measure_compile(const perp_allocator *a, pp_span text, const pp_known *known, bool within_sum, char *why,
                            size_t why_size, size_t *where);

/* The complaint about a text: at byte `where` of it. */
perp_status pp_measure_complain(const pp_location *place, size_t where, const char *key, const char *words,
                                perp_refusal *why);

#endif
