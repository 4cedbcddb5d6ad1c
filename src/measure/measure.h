/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure.h - named expressions over one run, and the condition that ends a run: compiled once, evaluated for each of
 * many trials.
 *
 *     opening: last("right.x") - last("left.x") - 10                a function of a series
 *     drift:   maxabs("{block.x} - v0*t", 0.1, 0.5)                 of an expression of series in braces
 *     misses:  sum("(at('part.x', 0.25*k) - goal)^2", 1, 8)         over whole k; texts within it in single quotes
 *     success: abs(opening - 27.457) < 0.3                          measures before it are variables
 *
 * Variables are the caller's names (parameters of the scene, say), then failed (1: the run ended early), steps and t_end
 * (steps made, time of the last frame), then the measures before. docs/experiments.md lists the functions. */
#ifndef PP_RUN_MEASURE_H
#define PP_RUN_MEASURE_H

#include "measure/formula.h"
#include "record/trace.h"

/* A text of the user, and where it stands. Borrowed during the call that takes it. */
typedef struct pp_measure_def {
    const char *name; /* of the measure; not used for conditions */
    const char *text;
    size_t length;
    pp_location place; /* of the first byte of the text; line 0: not known */
    const char *key;   /* for complaints: "measure.opening" */
} pp_measure_def;
/* The text of a scalar in a YAML tree. */
pp_measure_def pp_measure_text(const pp_tree *tree, uint32_t node, const char *name, const char *key);

/* Names of the caller's variables, borrowed during the call. Values are given at evaluation in this order. */
typedef struct pp_measure_names {
    const char *const *name;
    int n;
} pp_measure_names;

typedef struct pp_measures pp_measures;

/* Compiles n measures and declares to the trace, which must not have frames yet, the series they use. The trace is not
 * kept. PERP_E_ARG with place and key for what is wrong in the texts, also for series that do not exist and for a name
 * that is taken; PERP_E_MEMORY.
 * a: NULL: malloc and free; borrowed until pp_measures_free() */
perp_status pp_measures_new(const perp_allocator *a, const pp_measure_def *def, int n, const pp_measure_names *names,
                            pp_trace *trace, pp_measures **out, perp_refusal *why);
/* NULL is fine. */
void pp_measures_free(pp_measures *m);
/* Evaluates all measures on the frames of a trace that has the series by the same numbers: the trace of compilation,
 * after any reset, or one whose series were declared in the same order. Allocates only where a run is longer than any
 * before it. One thread at a time.
 * value:  of the caller's variables
 * failed: the run ended early. What cannot be measured is NaN then, and otherwise a complaint (PERP_E_ARG).
 * result: room for n numbers */
perp_status pp_measures_eval(pp_measures *m, const pp_trace *trace, const double *value, bool failed, double *result,
                             perp_refusal *why);

/* A condition on the last frame: '{lock.speed} < 1e-6 && t > 0.1'. Variables are t, what stands in braces, the caller's
 * names and steps; norm(...) beside the functions of the language. */
typedef struct pp_condition pp_condition;
perp_status pp_condition_new(const perp_allocator *a, const pp_measure_def *def, const pp_measure_names *names,
                             pp_trace *trace, pp_condition **out, perp_refusal *why);
void pp_condition_free(pp_condition *c);
/* Its value at the last frame; NaN if there is none. Allocates nothing. One thread at a time. */
double pp_condition_value(pp_condition *c, const pp_trace *trace, const double *value);
/* Does it hold at the last frame? What is not a number does not hold. Likewise. */
bool pp_condition_met(pp_condition *c, const pp_trace *trace, const double *value);

#endif
