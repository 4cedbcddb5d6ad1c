/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* chain.c - perp_solve(): tries solvers in order, checks each result independently, keeps the best solution
 * Problem  A caller names solvers. Some do not support the class, some fail, some claim success and did not solve the problem.
 * Method   For each solver: converts the problem if the solver supports another class with exactly the same solutions (never a pyramid for
 *          a cone); runs it within the caller's memory, watch and time; converts its solution back to the given problem; checks it
 *          (judge.c). The chain ends with the first solution that violates no law. If the judge rejects a claimed solution, it is refined
 *          on its active set (refine.c). If that fails, the solver continues from its solution with a tighter tolerance, as long as that
 *          helps.
 * Valid    Any problem that perp_problem_check() accepts.
 * Cost     That of the solvers, one check of the data and one measurement per solution. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "problem/judge/measure.h"
#include "problem/stored.h"
#include "solver/auto/find_contradiction.h"
#include "solver/auto/refine.h"
#include "solver/common/solver.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Default tolerance of perp_solve(). */
#define DEFAULT_TOL 1e-9
/* [unknowns] Largest problem that is made dense for a solver that supports nothing else: a matrix of 0.2 GB, as a mixed
 * LCP of 0.8 GB. */
#define DENSE_MOST 5000
/* [1] Factor of the tolerance of a solver that runs again, if its claimed solution misses the tolerance by at most
 * PP_REFINE_WITHIN. */
#define TIGHTER 1e-3

/* Longest name of a solver in a list. */
#define NAME_MOST 64

typedef struct chain {
    const perp_problem *p;
    const perp_solve_options *o;
    int n;
    double tol;
    pp_arena arena;
    perp_call call;
    perp_watch watch; /* the caller's watch, called by look() */
    perp_judge *judge;
    perp_stored *as;      /* the problem as the present solver sees it; NULL: as given */
    double *seen;         /* n: a converted iterate, for the caller's watch */
    double *start;        /* n: start of every solver */
    double *z;            /* n: answer of the present solver */
    double *best;         /* n: the caller's z */
    double natural;       /* score of the best: figure of the verdict */
    double own;           /* residual of the present answer relative to itself */
    int tried;            /* number of solvers that ran */
    bool stopped;         /* by the watch or the stop function */
    bool refused;         /* memory was refused somewhere */
    perp_solve_info info; /* sums, and the report of the best */
} chain;

static bool look(int iteration, const double *z, void *ctx) {
    chain *c = ctx;
    if (c->as) {
        (void)perp_stored_answer(c->as, z, c->seen);
        z = c->seen;
    }
    if (!c->o->watch->look(iteration, z, c->o->watch->ctx)) c->stopped = true;
    return !c->stopped;
}

static bool asked_to_stop(void *ctx) {
    chain *c = ctx;
    if (c->o->stop(c->o->stop_ctx)) c->stopped = true;
    return c->stopped;
}

/* --- names of solvers --- */

/* The next name of a comma-separated list, without surrounding spaces. Returns false after the last. A name that is too
 * long or empty becomes one that no solver has. */
static bool next_name(const char **list, char name[NAME_MOST]) {
    if (!*list) return false;
    const char *from = *list, *comma = strchr(from, ','), *to = comma ? comma : from + strlen(from);
    *list = comma ? comma + 1 : NULL;
    while (from < to && *from == ' ') from++;
    while (to > from && to[-1] == ' ') to--;
    size_t length = (size_t)(to - from) < NAME_MOST ? (size_t)(to - from) : 0;
    memcpy(name, from, length);
    name[length] = 0;
    return true;
}

/* Settings of a solver: its defaults, the tolerance, and for the first solver those of the caller. If no tolerance is
 * given, a solver may use its own finer one. */
static perp_status settings_of(const chain *c, const perp_solver_type *type, bool first, pp_settings *s) {
    double own;
    pp_settings_default(type, c->tol, s);
    if (c->o->tol == 0) {
        pp_settings defaults;
        pp_settings_default(type, 0, &defaults);
        if (!perp_fields_get(type->fields, type->nfield, &defaults, "tol", &own) && own < c->tol) *s = defaults;
    }
    for (int i = 0; first && i < c->o->nsetting; i++) {
        const perp_setting *set = &c->o->settings[i];
        perp_status status = perp_fields_set(type->fields, type->nfield, s, set->name, set->value);
        if (status) return status;
    }
    return PERP_OK;
}

/* Checks all input before any work. */
static perp_status check(const chain *c, const char *solvers, const double *z) {
    const perp_solve_options *o = c->o;
    if (!(o->tol >= 0) || !(o->time_limit >= 0) || o->nsetting < 0 || (o->nsetting > 0 && !o->settings))
        return PERP_E_ARG;
    perp_status status = perp_problem_check(c->p, NULL, 0);
    if (status) return status;
    if (!z && perp_problem_size(c->p) > 0) return PERP_E_ARG;
    char name[NAME_MOST];
    bool first = true;
    while (next_name(&solvers, name)) {
        const perp_solver_type *type = perp_solver_find(name);
        pp_settings unused;
        if (!type) return PERP_E_NAME;
        status = settings_of(c, type, first, &unused);
        if (status) return status;
        first = false;
    }
    return PERP_OK;
}

/* The class in which a solver sees the problem: as given, or the cheapest conversion; 0 if there is none. */
static perp_class class_for(const perp_solver_type *type, const perp_problem *p) {
    if (type->takes & (unsigned)p->cls) return p->cls;
    bool was_dense = p->cls == PERP_LCP || p->cls == PERP_MLCP;
    const perp_class sparse_first[] = {PERP_CONE, PERP_CONE_QP, PERP_SPARSE_MLCP, PERP_MLCP, PERP_LCP, PERP_NCP};
    const perp_class dense_first[] = {PERP_LCP, PERP_MLCP, PERP_SPARSE_MLCP, PERP_NCP};
    const perp_class *order = was_dense ? dense_first : sparse_first;
    int count = was_dense ? 4 : 6;
    for (int k = 0; k < count; k++)
        if ((type->takes & (unsigned)order[k]) && pp_convert_lossless(p, order[k])) return order[k];
    return (perp_class)0;
}

/* --- starts --- */

static double into(const double *lo, const double *hi, int i, double otherwise_lo) {
    double low = lo ? lo[i] : otherwise_lo, high = hi ? hi[i] : INFINITY;
    return low > 0 ? low : high < 0 ? high : 0;
}

/* Zeros, moved into the bounds. */
static void neutral(const perp_problem *p, double *z) {
    int n = perp_problem_size(p);
    for (int i = 0; i < n; i++) z[i] = 0;
    const double *lo = NULL, *hi = NULL;
    int bounded = n;
    double otherwise = -INFINITY;
    switch (p->cls) {
    case PERP_LCP: return;
    case PERP_MLCP: lo = p->as.mlcp.lo, hi = p->as.mlcp.hi; break;
    case PERP_SPARSE_MLCP: lo = p->as.sparse_mlcp.lo, hi = p->as.sparse_mlcp.hi; break;
    case PERP_NCP: lo = p->as.ncp.lo, hi = p->as.ncp.hi, otherwise = 0; break;
    case PERP_QP: lo = p->as.qp.lo, hi = p->as.qp.hi, bounded = p->as.qp.n; break;
    case PERP_CONE:
    case PERP_CONE_QP: lo = p->as.cone.lo, hi = p->as.cone.hi, bounded = p->as.cone.nrow; break;
    }
    for (int i = 0; i < bounded; i++) z[i] = into(lo, hi, i, otherwise);
}

/* --- one solver --- */

/* Reports the result of a solver; `words` is its own report. */
static void tell(chain *c, const perp_solver_type *type, const perp_solve_info *one, double natural,
                 const char *words) {
    char as[48] = "", own[sizeof one->story + 4] = "";
    bool solved = natural <= c->tol;
    if (c->as) (void)snprintf(as, sizeof as, " (as %s)", perp_class_name(c->as->problem.cls));
    if (one->story[0]) (void)snprintf(own, sizeof own, ": %s", one->story);
    const char *then = c->info.story[0] ? "then " : "";
    if (!solved)
        pp_tell(&c->info, "%s%s%s: says %s, measured %.2g%s", then, type->name, as, words, natural, own);
    else if (then[0] || as[0])
        pp_tell(&c->info, "%s%s%s%s", then, type->name, as, own);
    else if (own[0])
        pp_tell(&c->info, "%s", one->story);
}

/* Counts a run and keeps its answer if it is the best so far. */
static void count(chain *c, const perp_solve_info *one, double natural) {
    c->info.iterations += one->iterations;
    c->info.factorisations += one->factorisations;
    if (natural < c->natural || c->tried == 1) {
        c->info.outcome = one->outcome;
        c->info.warm = one->warm;
        c->info.solver = one->solver;
    }
    if (natural < c->natural) {
        c->natural = natural;
        if (c->n > 0) memcpy(c->best, c->z, sizeof *c->z * (size_t)c->n);
    }
}

/* Judges c->z. */
static perp_status judge(chain *c, double *score) {
    perp_verdict v;
    perp_measures m;
    perp_status status = perp_judge_verdict(c->judge, c->z, c->tol, &v, NULL);
    c->own = status || perp_judge_measure(c->judge, c->z, &m) ? INFINITY : m.natural;
    *score = status ? INFINITY : pp_verdict_score(&v, c->tol);
    for (int i = 0; i < c->n; i++)
        if (!isfinite(c->z[i])) *score = INFINITY; /* the conversion back overflowed */
    return status;
}

/* Does the judge reject a claim that is nearly true by the residual that solvers use? `auto` knows the judge. */
static bool matter_of_measures(const chain *c, const perp_solver_type *type, const perp_solve_info *one, double score) {
    return one->outcome == PERP_OUTCOME_SOLVED && score > c->tol && c->own <= PP_REFINE_WITHIN * c->tol &&
           type != &pp_solver_auto;
}

/* Refines a rejected solution on its active set. */
static perp_status refine(chain *c, perp_solve_info *one, double *score) {
    pp_arena_mark mark = pp_arena_here(&c->arena);
    double before = *score;
    perp_status status = pp_refine(&c->call, c->p, c->judge, c->tol, c->z, one);
    if (!status) status = judge(c, score);
    if (!status && *score < before) pp_tell(one, "refined from %.1e to %.1e", before, *score);
    pp_arena_release(&c->arena, mark);
    return status;
}

/* Runs a solver from `x`, in its own variables, and measures the solution in those of the problem. */
static perp_status run(chain *c, const perp_solver_type *type, const pp_settings *s, double *x, perp_solve_info *one,
                       double *natural) {
    const perp_problem *p = c->as ? &c->as->problem : c->p;
    c->call.judge = c->as ? NULL : c->judge;
    c->call.judged = c->p;
    perp_status status = pp_solve_within(&c->call, type, s, p, x, one);
    if (status) return status;
    if (c->as)
        (void)perp_stored_answer(c->as, x, c->z);
    else if (c->n > 0)
        memcpy(c->z, x, sizeof *x * (size_t)c->n);
    *natural = INFINITY;
    status = judge(c, natural);
    return !status && matter_of_measures(c, type, one, *natural) ? refine(c, one, natural) : status;
}

static bool time_is_up(const chain *c) { return c->call.deadline < INFINITY && pp_clock() > c->call.deadline; }

/* Is a claim of success nearly true, and can the tolerance be tightened? */
static bool worth_another(const chain *c, const perp_solver_type *type, const perp_solve_info *one, double natural,
                          pp_settings *s) {
    double own;
    if (!matter_of_measures(c, type, one, natural) || c->stopped || time_is_up(c)) return false;
    return !perp_fields_get(type->fields, type->nfield, s, "tol", &own) &&
           !perp_fields_set(type->fields, type->nfield, s, "tol", TIGHTER * own);
}

static perp_status attempt(chain *c, const perp_solver_type *type, pp_settings *s) {
    double *x = c->as ? PP_ARENA_ARRAY(&c->arena, double, perp_problem_size(&c->as->problem))
                      : PP_ARENA_ARRAY(&c->arena, double, c->n);
    if (!x) return PERP_E_MEMORY;
    if (c->as && c->o->warm)
        pp_stored_forth(c->as, c->start, x);
    else if (c->as)
        neutral(&c->as->problem, x);
    else if (c->n > 0)
        memcpy(x, c->start, sizeof *x * (size_t)c->n);
    perp_solve_info one;
    double natural = INFINITY;
    perp_status status = run(c, type, s, x, &one, &natural);
    if (status) return status;
    c->tried++;
    count(c, &one, natural);
    for (double before = INFINITY; natural < before && worth_another(c, type, &one, natural, s);) {
        before = natural;
        status = run(c, type, s, x, &one, &natural);
        if (status) return status;
        count(c, &one, natural);
    }
    tell(c, type, &one, natural, perp_outcome_text(one.outcome));
    return PERP_OK;
}

/* Tries one solver. Its failure is reported and is no error of the chain. */
static void try_solver(chain *c, const perp_solver_type *type, bool first) {
    perp_class cls = class_for(type, c->p);
    const char *then = c->info.story[0] ? "then " : "";
    pp_settings s;
    (void)settings_of(c, type, first, &s); /* checked before */
    if (!cls) {
        pp_tell(&c->info, "%s%s: does not support class %s", then, type->name, perp_class_name(c->p->cls));
        return;
    }
    bool dense = cls == PERP_MLCP || cls == PERP_LCP;
    if (cls != c->p->cls && dense && c->n > DENSE_MOST) {
        pp_tell(&c->info, "%s%s: supports dense matrices only, and %d rows are too many", then, type->name, c->n);
        c->tried++;
        return;
    }
    perp_status status = PERP_OK;
    if (cls != c->p->cls) status = perp_problem_convert(c->p, cls, 0, &c->o->alloc, &c->as);
    pp_arena_mark mark = pp_arena_here(&c->arena);
    if (!status) status = attempt(c, type, &s);
    pp_arena_release(&c->arena, mark);
    perp_stored_free(c->as);
    c->as = NULL;
    if (status == PERP_E_MEMORY) c->refused = true;
    if (status) {
        c->tried++;
        pp_tell(&c->info, "%s%s: %s", then, type->name, perp_status_text(status));
    }
}

static perp_status prepare(chain *c, double *z) {
    c->n = perp_problem_size(c->p);
    c->best = z;
    c->natural = INFINITY;
    if (!c->o->warm) neutral(c->p, z);
    for (int i = 0; i < c->n; i++)
        if (!isfinite(z[i])) z[i] = 0;
    c->seen = PP_ARENA_ARRAY(&c->arena, double, c->n);
    c->start = PP_ARENA_ARRAY(&c->arena, double, c->n);
    c->z = PP_ARENA_ARRAY(&c->arena, double, c->n);
    if (!c->seen || !c->start || !c->z) return PERP_E_MEMORY;
    if (c->n > 0) memcpy(c->start, z, sizeof *z * (size_t)c->n);
    return perp_judge_new(c->p, &c->o->alloc, &c->judge);
}

/* No solver solved the problem: searches a proof that there is no solution, in the islands in which laws are violated. */
static perp_status ask_why(chain *c) {
    int laws = perp_problem_laws(c->p);
    perp_law *law = PP_ARENA_ARRAY(&c->arena, perp_law, laws);
    bool *island = PP_ARENA_ZERO(&c->arena, bool, laws);
    double *y = PP_ARENA_ARRAY(&c->arena, double, c->n);
    perp_verdict v;
    perp_contradiction proof;
    if (!law || !island || !y) return PERP_E_MEMORY;
    perp_status status = perp_judge_verdict(c->judge, c->best, c->tol, &v, law);
    for (int i = 0; !status && i < laws; i++)
        if (law[i].state == PERP_LAW_VIOLATED) island[law[i].island] = true;
    if (!status) status = pp_find_contradiction(&c->call, c->p, c->judge, island, y, &proof);
    if (status) return status;
    if (proof.existence == PERP_EXISTENCE_UNKNOWN)
        status = pp_check_existence(&c->call, c->p, c->judge, &proof.existence);
    if (proof.existence == PERP_EXISTENCE_NONE) c->info.outcome = PERP_OUTCOME_INFEASIBLE;
    if (!status && proof.existence != PERP_EXISTENCE_UNKNOWN) {
        char before[sizeof c->info.story];
        (void)snprintf(before, sizeof before, "%s", c->info.story);
        c->info.story[0] = 0; /* the most important part comes first, because a story may be cut */
        pp_tell(&c->info, "%s", perp_existence_text(proof.existence));
        if (before[0]) pp_tell(&c->info, "%s", before);
    }
    return status;
}

static perp_status work(chain *c, const char *solvers, double *z) {
    perp_status status = prepare(c, z);
    if (status) return status;
    char name[NAME_MOST];
    for (bool first = true; next_name(&solvers, name); first = false) {
        try_solver(c, perp_solver_find(name), first);
        if (c->natural <= c->tol) return PERP_OK;
        if (c->stopped || time_is_up(c)) {
            pp_tell(&c->info, !c->stopped ? "time is up" : c->o->stop ? "told to stop" : "stopped by the watch");
            break;
        }
    }
    if (c->refused) return PERP_E_MEMORY;
    if (c->tried == 0) return PERP_E_FIT;
    bool claimed = c->info.outcome == PERP_OUTCOME_INFEASIBLE;
    if (claimed) c->info.outcome = PERP_OUTCOME_NUMERICS; /* the measure contradicts a claim of success */
    if (!c->stopped && !time_is_up(c)) status = ask_why(c);
    return status ? status : PERP_E_SOLVE;
}

perp_status perp_solve(const perp_problem *p, const perp_solve_options *options, double *z, perp_solve_info *info) {
    const perp_solve_options defaults = {0};
    chain c = {.p = p, .o = options ? options : &defaults};
    const char *solvers = c.o->solver ? c.o->solver : "auto";
    c.tol = c.o->tol > 0 ? c.o->tol : DEFAULT_TOL;
    c.info = (perp_solve_info){.outcome = PERP_OUTCOME_NUMERICS, .residual = INFINITY};
    perp_status status = check(&c, solvers, z);
    if (!status) {
        double start = pp_clock();
        pp_arena_init(&c.arena, c.o->alloc);
        c.watch = (perp_watch){look, &c};
        c.call = (perp_call){.arena = &c.arena, .deadline = c.o->time_limit > 0 ? start + c.o->time_limit : INFINITY};
        if (c.o->watch && c.o->watch->look) c.call.watch = &c.watch;
        if (c.o->stop) c.call.stop = asked_to_stop, c.call.stop_ctx = &c;
        status = work(&c, solvers, z);
        pp_arena_free(&c.arena);
        c.info.residual = perp_problem_residual(p, z);
        if (c.judge) (void)perp_judge_verdict(c.judge, z, c.tol, &c.info.verdict, NULL);
        perp_judge_free(c.judge);
        c.info.seconds = pp_clock() - start;
    }
    if (info) *info = c.info;
    return status;
}
