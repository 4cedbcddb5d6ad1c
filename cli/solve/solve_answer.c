/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_answer.c - the answer of a problem, for people and for files
 *
 * A cone problem has rows (joints, frictionless contacts) and contacts; its unknowns are one impulse for each row, then dim
 * impulses for each contact: along the normal n and the tangents t and o. Other problems have unknowns z.
 *   CSV    unknown,law,part,value: number of the unknown, "row 3", "contact 5" or "z", "n", "t", "o" or "", its value
 *   JSON   one object with how it was solved, "rows" and "contacts", or "z" */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/solve.h"
#include "whole_file.h"

bool solve_answer_fits(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".csv") || !strcmp(dot, ".json"));
}

static const perp_cone *cones_of(const perp_problem *p) {
    return p->cls == PERP_CONE || p->cls == PERP_CONE_QP ? &p->as.cone : NULL;
}

void solve_json_answer(json *j, const solve_problem *p, const double *z) {
    const perp_cone *c = cones_of(p->problem);
    int n = perp_problem_size(p->problem), rows = c ? c->nrow : n;
    json_key(j, c ? "rows" : "z");
    json_array(j);
    for (int i = 0; i < rows; i++) json_number(j, z[i]);
    json_end(j, ']');
    if (!c) return;
    json_key(j, "contacts");
    json_array(j);
    for (int i = 0; i < c->ncontact; i++) {
        json_array(j);
        for (int k = 0; k < c->dim; k++) json_number(j, z[rows + i * c->dim + k]);
        json_end(j, ']');
    }
    json_end(j, ']');
}

/* Lines of the table; `space`: columns for people instead of commas. */
static void lines(FILE *to, const perp_problem *p, const double *z, bool space) {
    static const char *const part[] = {"n", "t", "o", "r"};
    const perp_cone *c = cones_of(p);
    int n = perp_problem_size(p), rows = c ? c->nrow : 0;
    fprintf(to, space ? "  %7s  %-12s %-4s %s\n" : "%s,%s,%s,%s\n", "unknown", "law", "part", "value");
    for (int i = 0; i < n; i++) {
        char law[32] = "z", number[16];
        int k = c && i >= rows ? (i - rows) % c->dim : -1;
        if (c && i < rows) (void)snprintf(law, sizeof law, "row %d", i);
        if (k >= 0) (void)snprintf(law, sizeof law, "contact %d", (i - rows) / c->dim);
        (void)snprintf(number, sizeof number, "%d", i);
        fprintf(to, space ? "  %7s  %-12s %-4s %.17g\n" : "%s,%s,%s,%.17g\n", number, law,
                k >= 0 && k < 4 ? part[k] : "", z[i]);
    }
}

void solve_print_answer(FILE *to, const solve_problem *p, const double *z) { lines(to, p->problem, z, true); }

perp_status solve_write_answer(const char *path, const solve_problem *p, const solve_row *r, const double *z,
                               perp_refusal *why) {
    whole_file f;
    perp_status s = whole_file_begin(&f, path, why);
    if (s) return s;
    const char *dot = strrchr(path, '.');
    if (dot && !strcmp(dot, ".csv")) {
        lines(f.to, p->problem, z, false);
    } else {
        json j;
        json_begin(&j, f.to);
        json_object(&j);
        json_field_string(&j, "problem", p->path);
        json_field_string(&j, "class", perp_class_name(p->problem->cls));
        json_field_string(&j, "solver", r->solver);
        json_field_string(&j, "status", solve_word(r));
        json_field_bool(&j, "solved", r->status == PERP_OK);
        json_field_number(&j, "figure", r->verdict.figure);
        json_field_number(&j, "seconds", r->seconds);
        json_field_number(&j, "processor_seconds", r->processor);
        solve_json_answer(&j, p, z);
        json_end(&j, '}');
    }
    return whole_file_end(&f, true, why);
}
