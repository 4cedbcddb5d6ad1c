/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plan.c - from the number of a trial to the values of its parameters. A function of the study and the number alone. */
#include <string.h>

#include "study/study.h"

void pp_study_cell(const pp_study *s, uint64_t cell, int *index) {
    for (int a = s->naxis - 1; a >= 0; a--) {
        uint64_t n = (uint64_t)s->axis[a].n;
        index[a] = (int)(cell % n);
        cell /= n;
    }
}

/* The range that the trial's classes give to a parameter, or NULL. */
static const pp_study_range *range_of(const pp_study *s, const int *index, int parameter) {
    for (int a = 0; a < s->naxis; a++) {
        const pp_study_axis *x = &s->axis[a];
        if (x->parameter >= 0) continue;
        for (int k = x->first[index[a]]; k < x->first[index[a] + 1]; k++)
            if (x->range[k].parameter == parameter) return &x->range[k];
    }
    return NULL;
}

static void begin_draws(const pp_study *s, pp_study_trial t, pp_draw_source *d) {
    uint64_t cell = t.number % s->cells, sample = t.number / s->cells;
    uint64_t number = t.by_sample ? sample : t.number;
    d->method = s->method;
    d->used = 0;
    d->stream = perp_random_start((s->seed << 32) + s->stride * t.group + number);
    uint64_t seed = perp_random_split(perp_random_split(s->seed, 1 + t.group), t.by_sample ? 0 : cell);
    if (s->method == PP_DRAW_LATIN) (void)perp_latin_point(seed, s->count, sample, PERP_SOBOL_DIMENSIONS, d->point);
    if (s->method == PP_DRAW_SOBOL) (void)perp_sobol_point(seed, sample, PERP_SOBOL_DIMENSIONS, d->point);
}

perp_status pp_study_values(const pp_study *s, pp_study_trial t, double *value, perp_refusal *why) {
    int index[PP_STUDY_NAMES];
    uint64_t cell = t.number % s->cells;
    pp_study_cell(s, cell, index);
    for (int a = 0; a < s->naxis; a++) {
        const pp_study_axis *x = &s->axis[a];
        if (x->parameter >= 0) {
            value[x->parameter] = x->value[index[a]];
            continue;
        }
        for (int k = x->first[index[a]]; k < x->first[index[a] + 1]; k++)
            if (x->range[k].lo == x->range[k].hi) value[x->range[k].parameter] = x->range[k].hi;
    }
    pp_draw_source d;
    begin_draws(s, t, &d);
    /* variables of the draws: the parameters, then sample, cell, trial */
    double variable[PP_STUDY_VARIABLES];
    int n = s->nparameter;
    memcpy(variable, value, sizeof *value * (size_t)n);
    variable[n] = (double)(t.number / s->cells);
    variable[n + 1] = (double)cell;
    variable[n + 2] = (double)t.number;
    for (int i = 0; i < s->ndraw; i++) {
        const pp_study_draw *w = &s->draw[i];
        double x = 0;
        char words[512];
        if (w->of_class) {
            const pp_study_range *r = range_of(s, index, w->parameter);
            x = r->hi - (r->hi - r->lo) * pp_draw_next(&d);
        } else if (!pp_expr_eval(w->x, variable, pp_draw_call, &d, &x, words, sizeof words)) {
            char path[160];
            pp_field_path(path, sizeof path, "sample", s->parameter[w->parameter]);
            return pp_field_complain(&s->tree, w->node, 0, path, words, why);
        }
        value[w->parameter] = variable[w->parameter] = x;
    }
    return PERP_OK;
}
