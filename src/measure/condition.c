/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* condition.c - the condition that ends a run, looked at after every step. Cost: one pass over its program. */
#include <math.h>
#include <string.h>

#include "measure/measure_compile.h"

struct pp_condition {
    perp_allocator alloc;
    pp_formula_code code;
    int ncaller;
    double *row; /* t, series, caller's, steps */
};

perp_status pp_condition_new(const perp_allocator *a, const pp_measure_def *def, const pp_measure_names *names,
                             pp_trace *trace, pp_condition **out, perp_refusal *why) {
    static const perp_allocator plain = {0};
    char words[1024] = "no memory";
    if (!a) a = &plain;
    *out = NULL;
    pp_condition *c = pp_alloc(a, sizeof *c);
    if (!c) return pp_measure_complain(&def->place, 0, def->key, words, why);
    *c = (pp_condition){.alloc = *a, .ncaller = names->n};
    const pp_known known = {names->name, names->n, "steps"};
    pp_span text = pp_span_trimmed((pp_span){def->text, def->length});
    bool good = pp_formula_compile(a, text, &known, trace, &c->code, words, sizeof words);
    if (good) {
        c->row = pp_alloc(a, sizeof *c->row * (size_t)(2 + c->code.n + names->n));
        good = c->row != NULL;
        if (!good) memcpy(words, "no memory", 10);
    }
    if (good) {
        *out = c;
        return PERP_OK;
    }
    pp_condition_free(c);
    return pp_measure_complain(&def->place, 0, def->key, words, why);
}

void pp_condition_free(pp_condition *c) {
    if (!c) return;
    const perp_allocator a = c->alloc;
    pp_expr_free(&a, c->code.x);
    pp_free(&a, c->row);
    pp_free(&a, c);
}

double pp_condition_value(pp_condition *c, const pp_trace *trace, const double *value) {
    uint64_t frames = pp_trace_frames(trace);
    if (frames == 0) return NAN;
    double *row = c->row, result = NAN;
    *row++ = pp_trace_time(trace)[frames - 1];
    for (int i = 0; i < c->code.n; i++) *row++ = pp_trace_now(trace, c->code.need[i]);
    for (int i = 0; i < c->ncaller; i++) *row++ = value[i];
    *row = (double)pp_trace_steps(trace);
    char words[200];
    return pp_expr_eval(c->code.x, c->row, pp_formula_call, NULL, &result, words, sizeof words) ? result : NAN;
}

bool pp_condition_met(pp_condition *c, const pp_trace *trace, const double *value) {
    double x = pp_condition_value(c, trace, value);
    return !isnan(x) && x != 0;
}
