/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* estimate_checks.c - what the results of an estimate should be: value("mu"), sd("mu", "mpec"), chi2(), ... compared with
 * references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/check.h"
#include "estimate/estimation.h"

enum { F_VALUE, F_SD, F_SAMPLING, F_SCATTER, F_PREDICTED, F_LATE, F_COST, F_CHI2, F_DOF, F_SECONDS, F_OFF, F_N };
static const char *const functions[F_N] = {"value", "sd",   "sampling_sd", "scatter", "predicted", "late",
                                           "cost",  "chi2", "dof",         "seconds", "off"};

/* Mean over the second half of the rows. */
static double late(const estimation *s, const found *f, int k) {
    double sum = 0;
    int n = 0;
    for (int r = f->rows / 2; r < f->rows; r++) sum += f->mean[r * s->e.n + k], n++;
    return n ? sum / n : NAN;
}

static bool call(void *ctx, int f, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    const estimation *s = ctx;
    bool of_unknown = f < F_COST, of_quantity = f == F_OFF;
    int least = of_unknown || of_quantity, label = least, k = -1, m = 0;
    bool good = narg >= least && narg <= least + 1 && !(of_quantity && narg > 1);
    for (int i = 0; good && i < narg; i++) good = arg[i].text != NULL;
    if (!good) {
        snprintf(why, why_size, "found other arguments of %s; allowed: %s", functions[f],
                 of_quantity ? "(\"quantity\")"
                 : least     ? "(\"unknown\") or (\"unknown\", \"method\")"
                             : "() or (\"method\")");
        return false;
    }
    if (of_quantity) {
        for (int i = 0; i < s->e.nobserved && k < 0; i++)
            if (!strcmp(arg[0].text, s->e.observed[i].rotation ? s->e.observed[i].body : s->e.observed[i].column))
                k = i;
        *out = k >= 0 && s->checked ? s->check_mean[k] : NAN;
        return true;
    }
    for (int i = 0; of_unknown && i < s->e.n; i++)
        if (!strcmp(arg[0].text, s->e.study->parameter[s->e.unknown[i].parameter])) k = i;
    if (of_unknown && k < 0) {
        snprintf(why, why_size, "found \"%.60s\"; allowed: an unknown of the study", arg[0].text);
        return false;
    }
    while (narg > label && m < s->nmethod && strcmp(s->found[m].label, arg[label].text) &&
           strcmp(s->found[m].name, arg[label].text))
        m++;
    *out = NAN; /* a check of a method that was not requested */
    if (m == s->nmethod) return true;
    const found *x = &s->found[m];
    const double value[F_N] = {[F_VALUE] = k < 0 ? 0 : x->x[k],
                               [F_SD] = k < 0 ? 0 : x->sd[k],
                               [F_SAMPLING] = k < 0 ? 0 : x->sampling_sd[k],
                               [F_SCATTER] = k < 0 ? 0 : x->scatter[k],
                               [F_PREDICTED] = k < 0 ? 0 : x->predicted[k],
                               [F_LATE] = k < 0 ? 0 : late(s, x, k),
                               [F_COST] = x->cost,
                               [F_CHI2] = x->chi2,
                               [F_DOF] = x->dof,
                               [F_SECONDS] = x->seconds};
    *out = value[f];
    return true;
}

perp_status estimate_checks(estimation *s, FILE *to, json *j, bool *ok, perp_refusal *why) {
    study_check *c;
    int n;
    check_language l = {s->e.study, functions, F_N, call, s};
    perp_status st = check_all(&l, s->e.checks, "estimate.checks", &c, &n, why);
    for (int i = 0; !st && i < n; i++) c[i].applies = !(s->chosen && isnan(c[i].got));
    if (!st && to) checks_print(c, n, to, false);
    if (!st && j) checks_json(c, n, j);
    if (!st) *ok = checks_hold(c, n);
    free(c);
    return st;
}
