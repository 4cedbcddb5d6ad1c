/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_print.c - what solvers made of problems, as a table for people and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/solve.h"

enum { NARROW = 16, WIDE = 40 };

/* The last part of a path, as much as fits. */
static const char *short_name(const char *path, int width, char *out, size_t size) {
    size_t n = strlen(path), most = (size_t)width;
    char part[WIDE + 8];
    if (n <= most)
        snprintf(part, sizeof part, "%.*s", WIDE, path);
    else
        snprintf(part, sizeof part, "..%s", path + n - (most - 2));
    return cli_printable(out, size, part);
}

/* Letters of the folder that all paths have in common. */
static size_t common_folder(const solve_files *files) {
    if (files->count == 0) return 0;
    const char *first = files->file[0].path;
    size_t n = strlen(first);
    for (int i = 1; i < files->count; i++) {
        size_t k = 0;
        while (k < n && first[k] == files->file[i].path[k]) k++;
        n = k;
    }
    while (n > 0 && first[n - 1] != '/') n--;
    return n;
}

void solve_table_begin(solve_table *t, FILE *to, const solve_files *files) {
    *t = (solve_table){.to = to, .width = NARROW, .skip = common_folder(files)};
    for (int i = 0; i < files->count; i++) {
        int n = (int)(strlen(files->file[i].path) - t->skip);
        if (n > t->width) t->width = n < WIDE ? n : WIDE;
    }
}

static const char *brief_seconds(double s, char *out, size_t size) {
    if (!(s >= 0) || s > 1e9)
        snprintf(out, size, "-");
    else if (s < 0.9995e-3)
        snprintf(out, size, "%.3g us", 1e6 * s);
    else if (s < 0.9995)
        snprintf(out, size, "%.3g ms", 1e3 * s);
    else
        snprintf(out, size, "%.4g s", s);
    return out;
}

/* Two digits; a figure that there is not as a dash. */
static const char *brief_residual(double x, bool there, char *out, size_t size) {
    if (!there)
        snprintf(out, size, "-");
    else if (!isfinite(x))
        snprintf(out, size, "inf");
    else
        snprintf(out, size, x == 0 ? "0" : "%.1e", x);
    return out;
}

static bool has_cones(const solve_row *r) { return r->pyramid || r->cls == PERP_CONE || r->cls == PERP_CONE_QP; }

void solve_table_row(solve_table *t, const solve_row *r) {
    char name[200], time[24], figure[24], natural[24], siconos[24], size[16];
    bool first = !t->last, same = t->last == r->problem;
    bool ran = r->status == PERP_OK || r->status == PERP_E_SOLVE;
    if (first)
        fprintf(t->to, "%s%-*s %-11s %6s  %-20s %-9s %6s %6s %9s %8s %8s %8s%s\n", cli_style(t->to, "1"), t->width,
                "problem", "class", "size", "solver", "status", "its", "factor", "time", "figure", "natural", "siconos",
                cli_style(t->to, ""));
    t->last = r->problem;
    snprintf(size, sizeof size, "%d", r->size);
    const char *style = r->status ? cli_style(t->to, "31") : "";
    fprintf(t->to, "%-*s %-11s %6s  %-20s %s%-9s%s %6d %6d %9s %8s %8s %8s\n", t->width,
            same ? "" : short_name(r->problem + t->skip, t->width, name, sizeof name),
            same ? "" : perp_class_name(r->cls), same ? "" : size, r->solver, style, solve_word(r),
            *style ? cli_style(t->to, "") : "", r->info.iterations, r->info.factorisations,
            ran ? brief_seconds(r->seconds, time, sizeof time) : "-",
            brief_residual(r->verdict.figure, ran, figure, sizeof figure),
            brief_residual(r->measures.natural, ran, natural, sizeof natural),
            brief_residual(r->pyramid ? r->cone.siconos : r->measures.siconos, ran && has_cones(r), siconos,
                           sizeof siconos));
    fflush(t->to);
}

void solve_table_story(solve_table *t, const solve_row *r) {
    char text[2 * sizeof r->info.story];
    if (*r->info.story) fprintf(t->to, "  %s: %s\n", r->solver, cli_printable(text, sizeof text, r->info.story));
    fflush(t->to);
}

/* The law by its name: a contact or row of a cone problem, or a row. */
static const char *law_name(const solve_row *r, int law, char *out, size_t size) {
    bool cones = r->cls == PERP_CONE || r->cls == PERP_CONE_QP;
    int rows = r->verdict.laws - r->contacts;
    if (cones && law >= rows)
        snprintf(out, size, "contact %d", law - rows);
    else
        snprintf(out, size, "row %d", law);
    return out;
}

void solve_table_verdict(solve_table *t, const solve_row *r) {
    const perp_verdict *v = &r->verdict;
    char name[32];
    bool ran = r->status == PERP_OK || r->status == PERP_E_SOLVE;
    if (!ran || (v->violated == 0 && v->rounding == 0 && v->blind == 0)) return;
    fprintf(t->to, "  %s: %d of %d laws violated, %d within rounding, %d below rounding (blind); worst %s\n", r->solver,
            v->violated, v->laws, v->rounding, v->blind, law_name(r, v->worst, name, sizeof name));
    fflush(t->to);
}

void solve_table_proof(solve_table *t, const solve_row *r) {
    const perp_contradiction *c = &r->proof;
    char name[32];
    if (c->existence == PERP_EXISTENCE_UNKNOWN || r->status == PERP_OK) return;
    fprintf(t->to, "  %s", perp_existence_text(c->existence));
    if (c->existence == PERP_EXISTENCE_NONE || c->existence == PERP_EXISTENCE_STRAINED) {
        fprintf(t->to, c->existence == PERP_EXISTENCE_NONE ? ", proven: " : ": ");
        for (int i = 0; i < c->nlaw && i < 8; i++)
            fprintf(t->to, "%s%s", i ? ", " : "", law_name(r, c->law[i], name, sizeof name));
        if (c->nlaw > 8) fprintf(t->to, " and %d more", c->nlaw - 8);
        fprintf(t->to, c->nlaw > 1 ? " contradict each other" : " cannot be met");
        if (c->least_impulse < INFINITY)
            fprintf(t->to, "; any solution needs impulses of %.1e in total", c->least_impulse);
    } else if (c->existence == PERP_EXISTENCE_SOME) {
        fprintf(t->to, ", which was not found");
    }
    fprintf(t->to, "\n");
    fflush(t->to);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void solve_table_sum(solve_table *t, const solve_row *row, int nrow) {
    double *time = malloc(((size_t)nrow + 1) * sizeof *time);
    bool first = true;
    for (int i = 0; time && i < perp_solver_count(); i++) {
        const char *name = perp_solver_at(i)->name;
        int tried = 0, solved = 0;
        for (int k = 0; k < nrow; k++) {
            if (strcmp(row[k].solver, name) != 0) continue;
            tried++;
            if (row[k].status == PERP_OK) time[solved++] = row[k].seconds;
        }
        if (!tried) continue;
        qsort(time, (size_t)solved, sizeof *time, ascending);
        char median[24] = "-";
        if (solved > 0) brief_seconds((time[(solved - 1) / 2] + time[solved / 2]) / 2, median, sizeof median);
        fprintf(t->to, "%s%-20s solved %d of %d, median time %s\n", first ? "\n" : "", name, solved, tried, median);
        first = false;
    }
    free(time);
}

/* ---- JSON ---- */

static void json_measures(json *j, const char *key, const perp_measures *m) {
    json_key(j, key);
    json_object(j);
    json_field_number(j, "natural", m->natural);
    json_field_number(j, "fischer", m->fischer);
    json_field_number(j, "complementarity", m->complementarity);
    json_field_number(j, "infeasible_z", m->infeasible_z);
    json_field_number(j, "infeasible_w", m->infeasible_w);
    json_field_number(j, "dissipation", m->dissipation);
    json_field_number(j, "raw", m->raw);
    json_field_number(j, "siconos", m->siconos);
    json_field_number(j, "largest", m->largest);
    json_end(j, '}');
}

static void json_verdict(json *j, const perp_verdict *v) {
    json_key(j, "verdict");
    json_object(j);
    json_field_number(j, "figure", v->figure);
    json_field_whole(j, "laws", v->laws);
    json_field_whole(j, "violated", v->violated);
    json_field_whole(j, "rounding", v->rounding);
    json_field_whole(j, "blind", v->blind);
    json_field_whole(j, "islands", v->islands);
    json_field_whole(j, "worst", v->worst);
    json_end(j, '}');
}

static void json_proof(json *j, const perp_contradiction *c) {
    json_key(j, "proof");
    json_object(j);
    json_field_string(j, "existence", perp_existence_text(c->existence));
    json_field_number(j, "closing", c->closing);
    json_field_number(j, "least_impulse", c->least_impulse);
    json_field_whole(j, "contradicting_laws", c->nlaw);
    json_key(j, "laws");
    json_array(j);
    for (int i = 0; i < c->nlaw && i < 8; i++) json_whole(j, c->law[i]);
    json_end(j, ']');
    json_end(j, '}');
}

void solve_json_row(json *j, const solve_row *r) {
    json_object(j);
    json_field_string(j, "solver", r->solver);
    json_field_string(j, "status", solve_word(r));
    json_field_bool(j, "solved", r->status == PERP_OK);
    json_field_string(j, "outcome", perp_outcome_text(r->info.outcome));
    json_field_whole(j, "iterations", r->info.iterations);
    json_field_whole(j, "factorisations", r->info.factorisations);
    json_field_bool(j, "warm", r->info.warm);
    json_field_number(j, "seconds", r->seconds);
    json_field_number(j, "processor_seconds", r->processor);
    if (r->status == PERP_OK || r->status == PERP_E_SOLVE) {
        json_verdict(j, &r->verdict);
        if (r->status == PERP_E_SOLVE && r->proof.existence != PERP_EXISTENCE_UNKNOWN) json_proof(j, &r->proof);
        json_measures(j, "residuals", &r->measures);
        if (r->pyramid) json_measures(j, "cone_residuals", &r->cone);
    }
    json_field_string(j, "story", r->info.story);
    json_end(j, '}');
}
