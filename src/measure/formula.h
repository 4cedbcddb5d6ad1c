/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* formula.h - expressions of series in braces: "{block.x} - v0*t". */
#ifndef PP_MEASURE_FORMULA_H
#define PP_MEASURE_FORMULA_H

#include "measure/functions.h"

/* Part of a text. */
typedef struct pp_span {
    const char *s;
    size_t n;
} pp_span;
pp_span pp_span_of(const char *text);
/* Without the spaces around it. */
pp_span pp_span_trimmed(pp_span a);
bool pp_span_is(pp_span a, const char *word);

enum { PP_BRACES_MAX = 24, PP_BRACES_TEXT = 2048 };

/* An expression with variables _0, _1, ... in place of what stands in braces. */
typedef struct pp_braces {
    pp_span name[PP_BRACES_MAX]; /* what stood in the braces, without spaces around; borrowed from the text */
    int n;
    char code[PP_BRACES_TEXT];
} pp_braces;
/* The names of these variables. */
extern const char *const pp_braces_variable[PP_BRACES_MAX];

/* A text with braces, or t alone, is an expression of series; any other is the name of a series. */
bool pp_is_formula(pp_span text);
/* Takes the braces out. False with words in why: a brace that does not end, too many of them, too long a text. */
bool pp_braces_out(pp_span text, pp_braces *out, char *why, size_t why_size);

/* Functions that expressions of series have beside those of the language: norm. */
extern const char *const pp_formula_functions[1];
bool pp_formula_call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size);

#endif
