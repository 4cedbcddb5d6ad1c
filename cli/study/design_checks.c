/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* design_checks.c - what a search should find: functions of its result for the expressions of `design.checks`. */
#include "study/design_checks.h"

#include <math.h>
#include <string.h>

enum { F_BEST, F_HALF, F_FRESH, F_DESIGNS, F_TRIALS, F_PASSED, F_PASSES, F_N };
static const char *const functions[F_N] = {"best", "half", "fresh", "designs", "trials", "passed", "passes"};
static const char *const allowed[F_N] = {"() or (\"parameter\")", "()",      "()", "()", "()",
                                         "() or (\"level\")",     "(number)"};

uint64_t design_passed(const pp_design_search *h, int level) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < h->count; i++) n += pp_design_record_passed(&h->record[i], level);
    return n;
}

uint64_t designs_run(const pp_design_search *h) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < h->count; i++) n += h->record[i].level != PP_DESIGN_NOT_RUN;
    return n;
}

/* Argument of best() and passed(): free parameter or level of this name; -1: there is none. */
static int find(const pp_design *d, int f, const char *name) {
    int n = f == F_BEST ? d->n : d->nlevel;
    for (int i = 0; i < n; i++)
        if (!strcmp(name, f == F_BEST ? d->study->parameter[d->parameter[i]] : d->level[i].name)) return i;
    return -1;
}

static double value_of(const design_result *r, int f, int which, double number) {
    const pp_design_search *h = r->hunt;
    if (!h) return NAN;
    switch (f) {
    case F_BEST:
        if (h->best == UINT64_MAX) return NAN;
        return which < 0 ? h->record[h->best].f : h->x[h->best * (uint64_t)r->design->n + (uint64_t)which];
    case F_HALF: return r->half.done ? r->half.f : NAN;
    case F_FRESH: return r->fresh.done ? r->fresh.f : NAN;
    case F_DESIGNS: return (double)designs_run(h);
    case F_TRIALS: return (double)(h->trials + h->reused);
    case F_PASSED: return (double)design_passed(h, which < 0 ? PP_DESIGN_LEVELS : which);
    default:
        if (!(number >= 0 && number < (double)h->count)) return NAN;
        return h->record[(uint64_t)number].level == PP_DESIGN_PASSED;
    }
}

static bool call(void *ctx, int f, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    const design_result *r = ctx;
    bool named = f == F_BEST || f == F_PASSED, numbered = f == F_PASSES;
    bool good = numbered ? narg == 1 && !arg[0].text : named ? narg == 0 || (narg == 1 && arg[0].text) : narg == 0;
    if (!good) {
        snprintf(why, why_size, "found other arguments of %s; allowed: %s", functions[f], allowed[f]);
        return false;
    }
    int which = named && narg ? find(r->design, f, arg[0].text) : -1;
    if (named && narg && which < 0) {
        snprintf(why, why_size, "found \"%.60s\"; allowed: %s", arg[0].text,
                 f == F_BEST ? "a parameter of `over`" : "the name of a level");
        return false;
    }
    *out = value_of(r, f, which, numbered ? arg[0].number : 0);
    return true;
}

perp_status design_checks(const design_result *r, study_check **out, int *n, perp_refusal *why) {
    design_result copy = *r;
    check_language l = {r->design->study, functions, F_N, call, &copy};
    return check_all(&l, r->design->checks, "design.checks", out, n, why);
}
