/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* estimate_print.c - output of perp estimate: data, unknowns by each method, directions that the data do not determine, predictions. */
#include <math.h>
#include <string.h>

#include "perp/statistic.h"
#include "estimate/estimation.h"

static const char *name_of(const estimation *s, int k) { return s->e.study->parameter[s->e.unknown[k].parameter]; }

static void print_data(const estimation *s, FILE *to) {
    const pp_estimate *e = &s->e;
    int rows = 0, fitted = 0;
    for (int i = 0; i < e->ncase; i++)
        if (e->cases[i].fit) fitted++, rows += e->cases[i].nrow;
    fprintf(to, "  data       %d row%s", rows, rows == 1 ? "" : "s");
    if (e->ncase > 1 || e->left_out) fprintf(to, " in %d cases", fitted);
    fprintf(to, ", %d number%s compared\n", e->m, e->m == 1 ? "" : "s");
    if (e->begin != 0) fprintf(to, "             the first row, at %.9g, is taken as the start of the run\n", e->begin);
    if (e->gaps)
        fprintf(to, "             about %d row%s missing in %d place%s: the others are compared\n", e->lost,
                e->lost == 1 ? " is" : "s are", e->gaps, e->gaps == 1 ? "" : "s");
    if (e->missing) fprintf(to, "             %d missing: left out\n", e->missing);
    if (e->off_grid)
        fprintf(to, "             %d rows lie between two steps: the run is interpolated linearly there\n",
                e->off_grid);
    if (e->left_out) fprintf(to, "             %d cases are not used\n", e->left_out);
}

static void print_values(const estimation *s, const found *f, FILE *to) {
    for (int k = 0; k < s->e.n; k++) {
        char error[64] = "", interval[96] = "", remark[64] = "";
        if (isnan(f->x[k])) continue; /* a start, by a method that goes along the data */
        if (isfinite(f->sd[k]) && f->sd[k] > 0) snprintf(error, sizeof error, "+- %.3g", f->sd[k]);
        double range = s->e.unknown[k].upper - s->e.unknown[k].lower;
        if (isinf(f->sd[k]) || f->sd[k] > range) snprintf(error, sizeof error, "not identified by these data");
        if (!isnan(f->lo[k]) && !isnan(f->hi[k]) && (f->lo[k] != 0 || f->hi[k] != 0))
            snprintf(interval, sizeof interval, "  95 %%: %.9g .. %.9g", f->lo[k], f->hi[k]);
        if (f->bound[k] == 1 || f->bound[k] == -1) snprintf(remark, sizeof remark, "  at its bound");
        fprintf(to, "    %-18s %-16.10g %s%s%s\n", name_of(s, k), f->x[k], error, interval, remark);
    }
}

/* A direction along which no residual changes, to first order: by how much the others move with the first. */
static void print_direction(const estimation *s, const double *d, FILE *to) {
    int n = 0, said = 0, first = -1;
    for (int k = 0; k < s->e.n; k++)
        if (fabs(d[k]) > 1e-6) n++, first = first < 0 ? k : first;
    if (n == 1) {
        fprintf(to, "    %s has no influence on what was measured\n", name_of(s, first));
        return;
    }
    fprintf(to, "    these data do not distinguish");
    for (int k = 0; k < s->e.n; k++)
        if (fabs(d[k]) > 1e-6) fprintf(to, "%s %s", said++ == 0 ? "" : said == n ? " and" : ",", name_of(s, k));
    fprintf(to, ": they fit as well with %s + 1", name_of(s, first));
    for (int k = first + 1; k < s->e.n; k++)
        if (fabs(d[k]) > 1e-6)
            fprintf(to, ", %s %c %.3g", name_of(s, k), d[k] / d[first] < 0 ? '-' : '+', fabs(d[k] / d[first]));
    fprintf(to, " (small changes in these proportions)\n");
}

static void print_correlations(const estimation *s, const found *f, FILE *to) {
    int n = s->e.n;
    if (!f->correlation || n < 2) return;
    double largest = 0;
    int a = 0, b = 1;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (fabs(f->correlation[i + j * n]) > largest) largest = fabs(f->correlation[i + j * n]), a = i, b = j;
    if (n > 8) {
        fprintf(to, "    largest correlation: %.3f of %s and %s\n", f->correlation[a + b * n], name_of(s, a),
                name_of(s, b));
        return;
    }
    fprintf(to, "    correlations");
    for (int i = 0; i < n; i++) fprintf(to, " %10.10s", name_of(s, i));
    fprintf(to, "\n");
    for (int i = 0; i < n; i++) {
        fprintf(to, "    %12.12s", name_of(s, i));
        for (int j = 0; j <= i; j++) {
            double c = f->correlation[i + j * n];
            isnan(c) ? fprintf(to, " %10s", "-") : fprintf(to, " %10.3f", c);
        }
        fprintf(to, "\n");
    }
}

/* How far half of the time step moves the unknowns. */
static void print_half(const estimation *s, const found *f, FILE *to) {
    double most = 0;
    if (!s->half) return;
    fprintf(to, "    with half of the time step\n");
    for (int k = 0; k < s->e.n; k++) {
        double moved = (f->half[k] - f->x[k]) / f->sd[k];
        fprintf(to, "    %-18s %-16.10g moved by %.2g standard errors\n", name_of(s, k), f->half[k], moved);
        if (isfinite(moved)) most = fmax(most, fabs(moved));
    }
    if (most > 1)
        fprintf(to, "    the time step is too long for these data: errors of a first-order method halve with it\n");
}

/* chi-square, with a remark if the model does not explain the data. */
static void print_fit(const estimation *s, const found *f, FILE *to) {
    double p = f->dof > 0 ? 1 - perp_chi2_cdf(f->chi2, f->dof) : NAN;
    fprintf(to, "    chi^2 %.6g with %d degrees of freedom", f->chi2, f->dof);
    if (p < 1e-3)
        fprintf(to, ": residuals are %.3g times the noise, so the model does not explain the data to their noise%s",
                sqrt(f->chi2 / f->dof), s->half ? "" : " (--half-step tells whether the time step is the reason)");
    fprintf(to, "\n");
    if (f->rough)
        fprintf(to, "    the run jumps a little as the unknowns change, as when an impact moves to another step: "
                    "derivatives are "
                    "taken over longer steps\n");
    if (f->by_case) fprintf(to, "    errors by case; from rows alone they would be");
    for (int k = 0; f->by_case && k < s->e.n; k++) fprintf(to, " %.2g", f->row_sd[k]);
    if (f->by_case) fprintf(to, "\n");
}

static void print_along(const estimation *s, const found *f, FILE *to) {
    for (int i = 0; i < s->e.nconstant; i++) {
        int k = s->e.constant[i];
        double first = 0, all = 0;
        int n = 0;
        for (int r = 0; r < f->rows; r++) {
            all += f->mean[r * s->e.n + k];
            if (r >= f->rows / 2) first += f->mean[r * s->e.n + k], n++;
        }
        fprintf(to, "    %-18s mean over the run %.6g, over its second half %.6g\n", name_of(s, k), all / f->rows,
                first / n);
        if (!strcmp(f->name, "window"))
            fprintf(to, "    %-18s scatter over %d windows %.3g, predicted %.3g\n", "", f->rows, f->scatter[k],
                    f->predicted[k]);
    }
}

static void print_check(const estimation *s, FILE *to) {
    if (!s->checked && !s->check_failed) return;
    fprintf(to, "\n  predictions of %d cases that were not fitted: how far they are off, mean over rows and cases\n",
            s->checked);
    for (int k = 0; k < s->e.nobserved; k++)
        fprintf(to, "    %-18s %.4g +- %.2g\n",
                s->e.observed[k].rotation ? s->e.observed[k].body : s->e.observed[k].column, s->check_mean[k],
                s->check_error[k]);
    if (s->check_failed) fprintf(to, "    %llu cases could not be run\n", (unsigned long long)s->check_failed);
}

void estimate_print(const estimation *s, FILE *to) {
    study_print_title(s->e.study, to);
    print_data(s, to);
    for (int i = 0; i < s->nmethod; i++) {
        const found *f = &s->found[i];
        char time[64];
        cli_seconds(time, sizeof time, f->seconds);
        fprintf(to, "\n  %s%s%s  %s", cli_style(to, "1"), f->label, cli_style(to, ""), time);
        if (f->why[0]) fprintf(to, "; %s", f->why);
        fprintf(to, "\n");
        if (f->failed || (!f->ok && strcmp(f->name, "least-squares") && strcmp(f->name, "sample"))) continue;
        bool window = !strcmp(f->name, "window");
        if (!window) print_values(s, f, to);
        if (f->rows) print_along(s, f, to);
        if (!strcmp(f->name, "least-squares")) {
            print_fit(s, f, to);
            for (int d = 0; d < f->ndirection; d++) print_direction(s, f->direction[d], to);
            print_half(s, f, to);
            print_correlations(s, f, to);
        }
        if (!strcmp(f->name, "mpec")) fprintf(to, "    sum of squares %.9g\n", f->cost);
    }
    print_check(s, to);
    uint64_t failed = pp_rollouts_failed(s->runs);
    fprintf(to, "\n  runs       %llu", (unsigned long long)pp_rollouts_count(s->runs));
    if (failed) fprintf(to, ", %llu failed: %s", (unsigned long long)failed, pp_rollouts_why(s->runs));
    fprintf(to, "\n");
}

static void json_along(const estimation *s, const found *f, json *j) {
    json_key(j, "along");
    json_array(j);
    for (int r = 0; r < f->rows; r++) {
        json_object(j);
        json_field_number(j, "t", f->t[r]);
        for (int i = 0; i < s->e.nconstant; i++) {
            int k = s->e.constant[i];
            json_key(j, name_of(s, k));
            json_array(j);
            json_number(j, f->mean[r * s->e.n + k]);
            json_number(j, f->deviation[r * s->e.n + k]);
            json_end(j, ']');
        }
        json_end(j, '}');
    }
    json_end(j, ']');
}

void estimate_json(const estimation *s, json *j) {
    json_field_whole(j, "residuals", s->e.m);
    json_field_whole(j, "missing", s->e.missing);
    json_field_whole(j, "off_grid", s->e.off_grid);
    json_field_whole(j, "rows_lost", s->e.lost);
    json_key(j, "methods");
    json_array(j);
    for (int i = 0; i < s->nmethod; i++) {
        const found *f = &s->found[i];
        json_object(j);
        json_field_string(j, "name", f->name);
        json_field_string(j, "label", f->label);
        json_field_bool(j, "ok", f->ok);
        json_field_string(j, "remark", f->why);
        json_field_number(j, "cost", f->cost);
        json_field_number(j, "chi2", f->chi2);
        json_field_whole(j, "degrees_of_freedom", f->dof);
        json_field_whole(j, "evaluations", f->evaluations);
        json_field_number(j, "seconds", f->seconds);
        json_key(j, "unknowns");
        json_object(j);
        for (int k = 0; k < s->e.n; k++) {
            json_key(j, name_of(s, k));
            json_object(j);
            json_field_number(j, "value", f->x[k]);
            json_field_number(j, "sd", f->sd[k]);
            json_field_number(j, "sampling_sd", f->sampling_sd[k]);
            json_field_number(j, "low", f->lo[k]);
            json_field_number(j, "high", f->hi[k]);
            json_field_number(j, "scatter", f->scatter[k]);
            if (f->draws) json_field_number(j, "effective", f->effective[k]);
            if (f->draws) json_field_number(j, "r_hat", f->r_hat[k]);
            json_field_whole(j, "bound", f->bound[k]);
            if (!isnan(f->half[k])) json_field_number(j, "half_step", f->half[k]);
            if (!strcmp(f->name, "least-squares")) json_field_bool(j, "identified", isfinite(f->sd[k]));
            json_end(j, '}');
        }
        json_end(j, '}');
        if (!strcmp(f->name, "least-squares")) json_field_bool(j, "rough", f->rough);
        if (f->rows) json_along(s, f, j);
        json_end(j, '}');
    }
    json_end(j, ']');
}
