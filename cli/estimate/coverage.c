/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* coverage.c - do the error bars hold what they promise? Data are made anew many times by the scene itself, with the parameters as the
 * study has them as the truth and normal noise of the stated deviations; each time the fit is repeated, and it is counted how often
 * the 95 % intervals hold the truth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perp/random.h"
#include "perp/statistic.h"
#include "estimate/estimation.h"

#define TWO_SIDED 1.959963984540054 /* normal quantile for 95 % */

/* All data as one list, case after case; missing ones stay missing. */
static void write_data(estimation *s, const double *exact, uint64_t seed) {
    perp_random random = perp_random_start(seed << 32);
    for (int c = 0; c < s->e.ncase; c++) {
        const pp_case *x = &s->e.cases[c];
        for (int i = 0; i < x->nrow * s->e.columns; i++) {
            double sd = s->e.observed[i % s->e.columns].sd;
            if (!isnan(x->y[i])) x->y[i] = exact[i] + sd * perp_random_normal(&random);
        }
        exact += x->nrow * s->e.columns;
    }
}

/* What the scene gives without noise, in the places of the data. */
static void find_exact(const estimation *s, const double *residual, double *exact) {
    for (int c = 0; c < s->e.ncase; c++) {
        const pp_case *x = &s->e.cases[c];
        const double *r = residual + x->first;
        for (int i = 0; i < x->nrow * s->e.columns; i++)
            exact[i] = isnan(x->y[i]) ? NAN : x->y[i] + *r++ * s->e.observed[i % s->e.columns].sd;
        exact += x->nrow * s->e.columns;
    }
}

static perp_status check(const estimation *s, perp_refusal *why) {
    pp_location at = {s->e.study->path, 0, 0};
    for (int k = 0; k < s->e.nobserved; k++)
        if (s->e.observed[k].rotation)
            return pp_complain_say(why, PERP_E_FIT, at, "", "--coverage does not make rotations");
    for (int i = 0; i < s->e.ncase; i++)
        if (!s->e.cases[i].fit)
            return pp_complain_say(why, PERP_E_FIT, at, "", "--coverage needs data of fitted cases only");
    return PERP_OK;
}

perp_status estimate_coverage(estimation *s, int count, coverage *out, perp_refusal *why) {
    int n = s->e.n, numbers = 0;
    double truth[PP_STUDY_NAMES];
    perp_status st = check(s, why);
    if (st) return st;
    for (int c = 0; c < s->e.ncase; c++) numbers += s->e.cases[c].nrow * s->e.columns;
    double *residual = malloc(sizeof *residual * (size_t)s->e.m), *exact = malloc(sizeof *exact * (size_t)numbers);
    *out = (coverage){.count = count};
    for (int k = 0; k < n; k++) truth[k] = s->e.study->base[s->e.unknown[k].parameter];
    if (!residual || !exact)
        st = pp_complain_say(why, PERP_E_MEMORY, (pp_location){s->e.study->path, 0, 0}, "", "not enough memory");
    else if (!pp_rollouts_residuals(s->runs, false, 1, truth, residual))
        st = PERP_E_STOPPED;
    if (!st) find_exact(s, residual, exact);
    for (int i = 1; !st && i <= count; i++) {
        found *f = calloc(1, sizeof *f);
        write_data(s, exact, (uint64_t)i);
        free(s->residual);
        s->residual = NULL;
        st = f ? estimate_least_squares(s, &s->method[0], f, why) : PERP_E_MEMORY;
        for (int k = 0; !st && k < n; k++) {
            double off = f->x[k] - truth[k];
            out->held[k] += fabs(off) <= TWO_SIDED * f->sd[k];
            out->square[k] += off * off / count;
            out->sd[k] += f->sd[k] / count;
        }
        if (f) found_free(f);
        free(f);
    }
    s->fit = NULL;
    free(residual);
    free(exact);
    return st;
}

void coverage_print(const estimation *s, const coverage *c, FILE *to) {
    fprintf(to, "  %d sets of data made by the scene, normal noise; intervals of 95 %%\n", c->count);
    fprintf(to, "  %-18s %14s %14s %14s %18s\n", "unknown", "rms error", "mean s.d.", "covered", "95 % interval");
    for (int k = 0; k < s->e.n; k++) {
        double lo, hi;
        (void)perp_wilson(c->held[k], c->count, 0.95, &lo, &hi);
        fprintf(to, "  %-18s %14.4g %14.4g %12.1f %% %7.1f .. %.1f %%\n",
                s->e.study->parameter[s->e.unknown[k].parameter], sqrt(c->square[k]), c->sd[k],
                100.0 * c->held[k] / c->count, 100 * lo, 100 * hi);
    }
}

void coverage_json(const estimation *s, const coverage *c, FILE *to) {
    json j;
    json_begin(&j, to);
    json_object(&j);
    json_field_whole(&j, "count", c->count);
    json_key(&j, "unknowns");
    json_object(&j);
    for (int k = 0; k < s->e.n; k++) {
        json_key(&j, s->e.study->parameter[s->e.unknown[k].parameter]);
        json_object(&j);
        json_field_whole(&j, "held", c->held[k]);
        json_field_number(&j, "rms_error", sqrt(c->square[k]));
        json_field_number(&j, "mean_sd", c->sd[k]);
        json_end(&j, '}');
    }
    json_end(&j, '}');
    json_end(&j, '}');
}
