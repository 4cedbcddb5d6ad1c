/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* grid.c - trials by cell: counts, means, medians and intervals for every combination of some variables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/functions.h"
#include "perp/statistic.h"
#include "study/report.h"

#define CONFIDENCE 0.95
#define TWO_SIDED  1.959963984540054 /* normal quantile of the same confidence */

static const char *const words[] = {"auto", "fraction", "mean", "median", "deviation", "smallest", "largest", "total"};
const char *report_show_word(report_show s) { return words[s]; }

void report_axis_value(const pp_study *s, int axis, int i, char *out, size_t size) {
    const pp_study_axis *x = &s->axis[axis];
    if (x->label)
        snprintf(out, size, "%s", x->label[i]);
    else
        snprintf(out, size, "%.6g", x->value[i]);
}

void report_combination(const pp_study *s, const report_entry *e, uint64_t combination, char *out, size_t size) {
    size_t at = 0;
    int index[REPORT_BY];
    for (int k = e->nby - 1; k >= 0; k--) {
        index[k] = (int)(combination % (uint64_t)s->axis[e->by[k]].n);
        combination /= (uint64_t)s->axis[e->by[k]].n;
    }
    out[0] = 0;
    for (int k = 0; k < e->nby && at + 80 < size; k++) {
        char value[64];
        report_axis_value(s, e->by[k], index[k], value, sizeof value);
        at += (size_t)snprintf(out + at, size - at, "%s%s %s", k ? ", " : "", s->axis[e->by[k]].name, value);
    }
}

/* Combinations of variables of a study, the last fastest. */
typedef struct combinations {
    const pp_study *study;
    const int *axis;
    int naxis;
} combinations;

static uint64_t combination_of(const void *ctx, const pp_row *r) {
    const combinations *x = ctx;
    int index[PP_STUDY_NAMES];
    uint64_t at = 0;
    pp_study_cell(x->study, r->number % x->study->cells, index);
    for (int i = 0; i < x->naxis; i++) at = at * (uint64_t)x->study->axis[x->axis[i]].n + (uint64_t)index[x->axis[i]];
    return at;
}

/* Values put together by cell, to take medians. */
static bool medians(const pp_table *t, grid *g, const grid_cells *cells, int measure) {
    uint64_t *first = calloc((size_t)g->cells + 2, sizeof *first);
    double *v = malloc(sizeof *v * (size_t)(t->n + 1));
    bool ok = first && v;
    for (int pass = 0; ok && pass < 2; pass++) {
        for (uint64_t i = 0; i < t->n; i++) {
            const pp_row *r = pp_table_row(t, i);
            double x = r->value[measure];
            if (!pp_row_measured(r) || isnan(x)) continue;
            uint64_t c = cells->of(cells->ctx, r);
            if (c >= g->cells) continue;
            if (pass == 0)
                first[c + 2]++;
            else
                v[first[c + 1]++] = x;
        }
        for (uint64_t c = 0; pass == 0 && c < g->cells; c++) first[c + 2] += first[c + 1];
    }
    for (uint64_t c = 0; ok && c < g->cells; c++) {
        g->value[c] = pp_quantile(v + first[c], first[c + 1] - first[c], 0.5);
    }
    free(first);
    free(v);
    return ok;
}

static void conclude(grid *g, uint64_t c) {
    const pp_cell *x = &g->cell[c];
    double n = (double)(x->trials - x->missing), half = TWO_SIDED * pp_cell_deviation(x) / sqrt(n);
    g->low[c] = g->high[c] = NAN;
    switch (g->show) {
    case SHOW_AUTO:
    case SHOW_FRACTION:
        g->value[c] = pp_cell_fraction(x);
        if (n > 0) (void)perp_wilson((int64_t)x->nonzero, (int64_t)n, CONFIDENCE, &g->low[c], &g->high[c]);
        break;
    case SHOW_MEAN:
        g->value[c] = pp_cell_mean(x);
        if (n > 1) g->low[c] = g->value[c] - half, g->high[c] = g->value[c] + half;
        break;
    case SHOW_DEVIATION: g->value[c] = pp_cell_deviation(x); break;
    case SHOW_SMALLEST: g->value[c] = x->smallest; break;
    case SHOW_LARGEST: g->value[c] = x->largest; break;
    case SHOW_TOTAL: g->value[c] = n > 0 ? x->sum : NAN; break;
    case SHOW_MEDIAN: break;
    }
}

perp_status grid_make_of(const pp_table *t, int measure, const grid_cells *cells, report_show show, grid *g,
                         perp_refusal *why) {
    *g = (grid){.cells = cells->n, .show = show};
    g->cell = malloc(sizeof *g->cell * (size_t)g->cells);
    g->value = malloc(sizeof *g->value * 3 * (size_t)g->cells);
    bool ok = g->cell && g->value, binary = true;
    if (ok) g->low = g->value + g->cells, g->high = g->low + g->cells;
    for (uint64_t c = 0; ok && c < g->cells; c++) pp_cell_begin(&g->cell[c]);
    for (uint64_t i = 0; ok && i < t->n; i++) {
        const pp_row *r = pp_table_row(t, i);
        double x = r->value[measure];
        uint64_t c = cells->of(cells->ctx, r);
        if (c < g->cells) pp_cell_add(&g->cell[c], r, x);
        binary = binary && (!pp_row_measured(r) || isnan(x) || x == 0 || x == 1);
    }
    if (show == SHOW_AUTO) g->show = binary ? SHOW_FRACTION : SHOW_MEAN;
    for (uint64_t c = 0; ok && c < g->cells; c++) conclude(g, c);
    if (ok && show == SHOW_MEDIAN) ok = medians(t, g, cells, measure);
    if (ok) return PERP_OK;
    grid_free(g);
    return pp_study_no_memory(t->study, "report", why);
}

perp_status grid_make(const pp_table *t, int measure, const int *axis, int naxis, report_show show, grid *g,
                      perp_refusal *why) {
    combinations x = {t->study, axis, naxis};
    grid_cells cells = {1, combination_of, &x};
    for (int i = 0; i < naxis; i++) cells.n *= (uint64_t)t->study->axis[axis[i]].n;
    return grid_make_of(t, measure, &cells, show, g, why);
}

void grid_range(const grid *g, bool intervals, double *lo, double *hi) {
    *lo = INFINITY, *hi = -INFINITY;
    for (uint64_t c = 0; c < g->cells; c++) {
        const double x[] = {g->value[c], intervals ? g->low[c] : NAN, intervals ? g->high[c] : NAN};
        for (int i = 0; i < 3; i++) {
            if (!isfinite(x[i])) continue;
            if (x[i] < *lo) *lo = x[i];
            if (x[i] > *hi) *hi = x[i];
        }
    }
    if (g->show == SHOW_FRACTION || *lo > *hi) *lo = 0, *hi = 1;
    if (!(*lo < *hi)) *hi = *lo + 1;
    if (!(*lo < *hi)) *hi = *lo + fabs(*lo); /* too large for 1 to count */
}

void grid_free(grid *g) {
    free(g->cell);
    free(g->value);
    *g = (grid){0};
}
