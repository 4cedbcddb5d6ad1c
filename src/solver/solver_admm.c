#include <stddef.h>
#include <string.h>
#include "solver/cone_admm.h"
#include "solver/cone_newton.h"
#include "solver/solver.h"
#ifdef KNOBS
#include <stdlib.h>
static double knob(const char *n, double d) { const char *s = getenv(n); return s ? atof(s) : d; }
#else
#define knob(n, d) (d)
#endif
typedef struct settings {
    int max_iterations, memory, rebalance, polish_steps;
    bool polish;
    double tol, penalty, relaxation;
} settings;

static const perp_field fields[] = {
    {"max_iterations", PERP_FIELD_INT, offsetof(settings, max_iterations), 2000, 1, 1e9, "iterations"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-9, 1e-15, 1, "unit-free residual at which to stop"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const settings *s = set;
    (void)work;
    pp_cone c;
    pp_cone_linear linear;
    pp_cone_figure figure;
    bool singular;
    info->iterations = 0;
    info->warm = false;
    if (!pp_cone_make(&c, p, call, &singular)) return singular ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_MEMORY;
    pp_cone_admm k = {.c = &c, .figure = &figure, .linear = &linear, .call = call, .tol = s->tol, .penalty = knob("P", 1), .relaxation = knob("RELAX", 1.6),
      .memory = (int)knob("MEM", 10), .rebalance = (int)knob("BAL", 50), .max_iterations = (int)knob("ITS", s->max_iterations)};
    if (!pp_cone_linear_make(&linear, &c, call) || !pp_cone_figure_make(&figure, &c, call) || !pp_cone_admm_make(&k)) return PERP_OUTCOME_MEMORY;
    perp_outcome o = pp_cone_admm_run(&k);
    double *answer = k.best;
    pp_tell(info, "%d iterations to %.1e, p %.1e, %d acc %d rej", k.iterations, k.measure, k.penalty, k.accelerated, k.rejected);
    if (o != PERP_OUTCOME_STOPPED && k.measure > s->tol && knob("POLISH", 1) > 0) {
        pp_cone_newton n = {.c = &c, .linear = &linear, .call = call, .tol = s->tol, .pull = knob("PULL", 1e-4),
                            .max_steps = 30, .iterations = k.iterations, .out = k.out};
        if (!pp_cone_newton_make(&n)) return PERP_OUTCOME_MEMORY;
        memcpy(n.x, k.best, sizeof *n.x * (size_t)c.m);
        o = pp_cone_newton_run(&n);
        answer = n.best;
        pp_tell(info, " then %d Newton to %.1e", n.steps, n.measure);
    }
    pp_cone_unscale(&c, answer, z);
    info->iterations = k.iterations;
    info->factorisations = linear.factorisations;
    return o;
}

const perp_solver_type pp_solver_admm = {
    .abi = PERP_ABI,
    .name = "admm",
    .source = "",
    .takes = PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};
