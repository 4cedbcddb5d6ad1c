/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* search.c - minimisation without derivatives: the methods by name, the checks of what is asked, the result. */
#include "search/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EVALUATIONS_DEFAULT 1000
#define X_TOLERANCE_DEFAULT \
    1e-6                 /* fraction of the range: finer than a design is ever made, coarser than noise of rounding */
#define STEP_DEFAULT 0.1 /* fraction of the range */
#define STEP_MAX     0.5 /* fraction of the range: then at least one of the two directions is within the bounds */

typedef struct method {
    bool nlopt;          /* of NLopt */
    bool population;     /* option population applies */
    const char *instead; /* takes no constraints; NULL: it does */
} method;

/* The same order in both tables. */
static const char *const NAMES[] = {
    "nelder-mead", "cma-es", "bobyqa", "cobyla", "crs", "direct", "isres", "sbplx", "nlopt-nelder-mead", NULL};
static const method METHODS[] = {
    {false, false, NULL},
    {false, true, NULL},
    {true, false, "its model of f is smooth, and a penalty is not; use cobyla or nelder-mead"},
    {true, false, NULL},
    {true, true, NULL},
    {true, false, NULL},
    {true, true, NULL},
    {true, false,
     "it moves a few parameters at a time and gets stuck where constraints meet; use nelder-mead, crs or cobyla"},
    {true, false, NULL},
};

static const char PACKAGE[] = "libnlopt-dev";

const char *const *perp_search_methods(void) { return NAMES; }

static int find(const char *name) {
    for (int k = 0; NAMES[k]; k++)
        if (strcmp(NAMES[k], name) == 0) return k;
    return -1;
}

bool perp_search_available(const char *name, const char **package) {
    const int k = name ? find(name) : -1;
    const bool missing = k >= 0 && METHODS[k].nlopt && !pp_search_nlopt_built();
    if (package) *package = missing ? PACKAGE : NULL;
    return k >= 0 && !missing;
}

/* ---- checks ---- */

static perp_status refuse(perp_refusal *why, const char *key, int i, double found, const char *allowed) {
    char path[64], number[32];
    if (i < 0)
        (void)snprintf(path, sizeof path, "search.%s", key);
    else
        (void)snprintf(path, sizeof path, "search.%s[%d]", key, i);
    (void)snprintf(number, sizeof number, "%.17g", found);
    return pp_complain(why, PERP_E_ARG, (pp_location){0}, path, number, allowed);
}

static perp_status check_problem(const perp_search_problem *p, perp_refusal *why) {
    if (p->n < 1 || p->n > PERP_SEARCH_MAX) return refuse(why, "n", -1, p->n, "1 to 1000 parameters");
    if (p->nconstraint < 0 || p->nconstraint > PERP_SEARCH_MAX)
        return refuse(why, "nconstraint", -1, p->nconstraint, "0 to 1000 constraints");
    if (!p->lower || !p->upper || !p->values)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){0}, "search",
                               "The problem needs lower, upper and values.");
    for (int i = 0; i < p->n; i++) {
        if (!isfinite(p->lower[i])) return refuse(why, "lower", i, p->lower[i], "a finite number");
        if (!isfinite(p->upper[i])) return refuse(why, "upper", i, p->upper[i], "a finite number");
        if (!(p->lower[i] < p->upper[i])) return refuse(why, "upper", i, p->upper[i], "a number above the lower bound");
        if (!isfinite(p->upper[i] - p->lower[i]))
            return refuse(why, "upper", i, p->upper[i], "a range upper - lower that is a finite number");
        if (p->start && !(p->start[i] >= p->lower[i] && p->start[i] <= p->upper[i]))
            return refuse(why, "start", i, p->start[i], "a number within the bounds");
        if (p->step && !(isfinite(p->step[i]) && p->step[i] > 0))
            return refuse(why, "step", i, p->step[i], "a number > 0");
    }
    return PERP_OK;
}

static perp_status check_options(const perp_search_options *o, int k, int n, perp_refusal *why) {
    if (o->restarts < 0) return refuse(why, "restarts", -1, o->restarts, "0 or more");
    if (o->evaluations < 0) return refuse(why, "evaluations", -1, o->evaluations, "1 or more, or 0 for the default");
    if (!(o->x_tolerance >= 0 && o->x_tolerance < 1))
        return refuse(why, "x_tolerance", -1, o->x_tolerance, "0 <= x_tolerance < 1, a fraction of the range");
    if (!(o->f_tolerance >= 0 && isfinite(o->f_tolerance)))
        return refuse(why, "f_tolerance", -1, o->f_tolerance, "a number >= 0");
    const int least = METHODS[k].nlopt ? n + 1 : 4;
    if (o->population != 0 && METHODS[k].population &&
        (o->population < least || o->population > PP_SEARCH_POPULATION_MAX))
        return refuse(why, "population", -1, o->population,
                      METHODS[k].nlopt ? "n + 1 to 1000000 points, or 0 for the default"
                                       : "4 to 1000000 points, or 0 for the default");
    if (o->population < 0) return refuse(why, "population", -1, o->population, "0 or more");
    return PERP_OK;
}

/* *k: the method. */
static perp_status check_method(const perp_search_options *o, int nconstraint, int *k, perp_refusal *why) {
    const char *name = o->method ? o->method : NAMES[0];
    *k = find(name);
    if (*k < 0) {
        const char *near = pp_suggest(name, NAMES);
        char allowed[300] = "";
        for (int i = 0; NAMES[i]; i++) {
            size_t at = strlen(allowed);
            (void)snprintf(allowed + at, sizeof allowed - at, "%s%s", i > 0 ? ", " : "", NAMES[i]);
        }
        size_t at = strlen(allowed);
        if (near) (void)snprintf(allowed + at, sizeof allowed - at, " (did you mean %s?)", near);
        return pp_complain(why, PERP_E_NAME, (pp_location){0}, "search.method", name, allowed);
    }
    if (METHODS[*k].nlopt && !pp_search_nlopt_built())
        return pp_complain_say(
            why, PERP_E_FIT, (pp_location){0}, "search.method",
            "%s needs the library NLopt, which this build of perp lacks. Install the Debian package %s "
            "and build perp again, or use nelder-mead or cma-es.",
            name, PACKAGE);
    if (nconstraint > 0 && METHODS[*k].instead)
        return pp_complain_say(why, PERP_E_FIT, (pp_location){0}, "search.method", "%s takes no constraints: %s.", name,
                               METHODS[*k].instead);
    return PERP_OK;
}

/* ---- the search ---- */

static const char *reason(pp_search_end end) {
    switch (end) {
    case PP_SEARCH_EVALUATIONS: return "evaluations";
    case PP_SEARCH_STOPPED: return "stopped";
    case PP_SEARCH_START_FAILED: return "start-failed";
    case PP_SEARCH_ROUND_OFF: return "round-off";
    default: return "converged";
    }
}

static void prepare(pp_search *s) {
    const perp_search_problem *p = s->p;
    for (int i = 0; i < s->n; i++) {
        s->range[i] = p->upper[i] - p->lower[i];
        s->start[i] = p->start ? p->start[i] : pp_search_project(s, i, p->lower[i] + 0.5 * s->range[i]);
        s->step[i] = p->step ? fmin(p->step[i], STEP_MAX * s->range[i]) : STEP_DEFAULT * s->range[i];
        s->best_x[i] = s->start[i];
    }
    if (s->o.evaluations == 0) s->o.evaluations = EVALUATIONS_DEFAULT;
    if (!(s->o.x_tolerance > 0)) s->o.x_tolerance = X_TOLERANCE_DEFAULT;
}

perp_status perp_search(const perp_search_problem *p, const perp_search_options *o, double *x, perp_search_result *r,
                        perp_refusal *why) {
    static const perp_search_options defaults = {0};
    if (!o) o = &defaults;
    if (!p || !x)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){0}, "search", "A problem and room for x are needed.");
    int k = 0;
    perp_status status = check_problem(p, why);
    if (!status) status = check_method(o, p->nconstraint, &k, why);
    if (!status) status = check_options(o, k, p->n, why);
    if (status) return status;

    pp_search s = {.p = p, .o = *o, .n = p->n, .m = p->nconstraint, .best_f = NAN, .best_violation = INFINITY};
    const size_t n = (size_t)p->n;
    double *block = pp_alloc(&s.o.alloc, (4 * n + (size_t)p->nconstraint) * sizeof *block);
    if (!block)
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "search", "There is no memory for the search.");
    s.start = block;
    s.step = block + n;
    s.range = block + 2 * n;
    s.best_x = block + 3 * n;
    s.best_g = block + 4 * n;
    prepare(&s);
    if (METHODS[k].nlopt)
        status = pp_search_nlopt(&s, NAMES[k], why);
    else
        status = k == 0 ? pp_search_nelder_mead(&s, why) : pp_search_cma_es(&s, why);
    if (!status) {
        memcpy(x, s.best_x, n * sizeof *x);
        if (r) *r = (perp_search_result){s.best_f, s.evaluations, s.restarts, s.best_violation <= 0, reason(s.end)};
    }
    pp_free(&s.o.alloc, block);
    return status;
}
