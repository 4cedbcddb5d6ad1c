/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* auto_cone.c - auto for friction contact problems and cone QPs
 * Method   A single block has a closed-form solution. Otherwise the stages of the table `cascade` run in order until a solution is within tol
 *          or the caller accepts the best one. The core is proximal Newton (cone_newton.c): from the guess, then from a cold start, and as
 *          last resort alternately with and without jumps until the budget is used up. Three stages save time on large problems: sweeps if
 *          few digits are required (cone_sweep.c), the test whether all bodies or all but a few can be at rest (cone_equilibrium.c,
 *          cone_part.c), and splitting (cone_admm.c). A cone QP is convex; there interior points come first. Solutions with few contacts,
 *          and of bodies at rest, are polished to rounding. On request, loads are selected that depend on the problem alone
 *          (cone_select.c). In local form the bodies behind W are searched first (cone_bodies.c). All stages share the order of the
 *          unknowns, memory and scaling.
 * Valid    See the methods. The best point by the strictest of the measures is always returned.
 * Cost     Warm start 1 to 10 factorisations, cold start 10 to 150, hard problems some hundred; never more than affordable(). */
#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "solver/auto/auto.h"
#include "solver/cone/cone_admm.h"
#include "solver/cone/cone_bodies.h"
#include "solver/interior/cone_interior.h"
#include "solver/cone/cone_newton.h"
#include "solver/cone/cone_part.h"
#include "solver/interior/cone_equilibrium.h"
#include "solver/cone/cone_select.h"
#include "solver/relax/cone_sweep.h"
#include "solver/auto/find_contradiction.h"
#include "solver/common/solver.h"

/* Constants: [unit] meaning. Evidence: `tools/perturb` doubles and halves each (docs/constants.md); "no effect" means less than 5 % of
 * the work and no problem lost. Constants for large factors and sweeps have effects on FCLIB's files and bench/motion.
 * Weights are those of the proximal term, unit-free; measures are unit-free residuals; work is in multiplications. */

/* ---- sizes that decide which stages apply ---- */
/* [multiplications] If a factorisation costs more work, splitting is tried first. FCLIB: total time doubles without this. */
#define LARGE_WORK 3e7
#define CG_WORK    6e8 /* [multiplications] If a factorisation costs more work, splitting uses conjugate gradients. */
/* [multiplications] If a factorisation costs less work, Newton from a guess comes before splitting. */
#define GUESS_WORK 5e9
#define SWEPT_TOL  1e-7 /* [1] From this tolerance on, sweeps come first and solutions are not polished. */

/* ---- the core ---- */
/* [steps] Newton steps near a solution: from a guess, after splitting, at rest. Halved: work + 7 %. */
#define WARM_STEPS 40
/* [steps] Newton steps from a cold start, before the last resort; its first turn has twice as many. Doubled: - 9 %. */
#define COLD_STEPS  150
#define MOST_WORK   3e11 /* [multiplications] Largest work of all factorisations of a solve: minutes. */
#define LEAST_STEPS 100  /* [steps] Factorisations that a solve may make even if they are large. */
#define MOST_STEPS  6000 /* [steps] Largest number of factorisations of a solve; RockPile takes 720. */
#define WARM_PULL   1e-3 /* [1] Largest first weight near a point. */
#define PULL_PER    10   /* [1] First weight near a point, divided by its measure. */
#define LEAST_PULL  1e-6 /* [1] Smallest first weight near a point; also for impulses that nearly hold all bodies. */
/* [rows] Contacts and rows up to which existence of a solution is checked: pivoting costs their cube. */
#define MOST_ASKED 200

/* ---- stages for large problems and cone QPs ---- */
#define SPLIT_STEPS    200  /* [steps] Iterations of splitting with factors. */
#define SPLIT_TO       1e-6 /* [1] Measure at which splitting with factors hands over to Newton. */
#define CG_STEPS       400  /* [steps] Iterations of splitting with conjugate gradients. */
#define CG_TO          0.2  /* [1] Fraction of tol as their target, so that Newton is not needed. */
#define INTERIOR_STEPS 70   /* [steps] Interior point steps on a cone QP. No effect. */
/* [steps] Newton steps after them. Halved: work + 5 %, because existence is checked with such QPs. */
#define POLISH_STEPS 60
#define SWEPT_FOR    20   /* [factorisations] Number of factorisations that sweeps may cost. */
#define MOST_SWEEPS  1500 /* [sweeps] Largest number of sweeps. */
#define LEAST_SWEEPS 50   /* [sweeps] With fewer affordable sweeps Newton is faster. */
#define TURNS        4 /* [turns] Number of turns of sweeps with Newton in between: each helps if the other is slow. */
#define TURN_STEPS   8 /* [steps] Newton steps of a turn. */
#define WORTH_TURN   0.9 /* [1] A turn that leaves more than this fraction of the measure is the last one. */

/* ---- bodies at rest ---- */
#define NEARLY_HELD 1e-3 /* [1] Measure of impulses that nearly hold all bodies; then a few Newton steps are made. */
#define HELD_STEPS  10  /* [steps] Newton steps from such impulses; WARM_STEPS if most of them need no factorisation. */
#define FIRST_AWAY  0.1 /* [1] Fraction of the bodies that may move at first. */
#define MOST_AWAY   0.25 /* [1] Fraction of the bodies that may move in the end. */
#define ROUNDS      12   /* [rounds] Number of rounds in which more bodies are released. */
#define PART_TOL    0.1  /* [1] Fraction of tol to which the moving bodies are solved. */

/* ---- polishing ---- */
#define EXACT_STEPS     4  /* [steps] Newton steps that polish an answer to PP_EXACT. */
#define POLISHED_WITHIN 10 /* [1] Solutions within this multiple of tol are polished, too. */
#define SLOW            1e-2 /* [1] Velocity of a loaded row that counts as rest, relative to the largest without loads. */

#define TELL(w, ...)                                            \
    do {                                                        \
        if (!(w)->call->terse) pp_tell((w)->info, __VA_ARGS__); \
    } while (0)

typedef struct work {
    pp_cone c;
    pp_cone_linear linear;
    pp_cone_newton newton;
    perp_solve_info *info;
    const perp_call *call;
    double tol;
    double *best, least; /* best point of all, and its measure */
    double *out;
    bool part;                   /* part of a problem: must not be divided again */
    bool *away;                  /* nnode: bodies that move while all others are tested for rest; NULL: none */
    double *push;                /* m: impulses of blocks that touch these bodies */
    bool moving;                 /* the others cannot be at rest */
    double *rested;              /* m: impulses that nearly hold the others; NULL: none */
    double *speed;               /* nnode: speeds of the other bodies in the last test for rest; NULL: not kept */
    pp_load_choice loads;        /* which loads are required */
    bool selected;               /* the best point has loads that depend on the problem alone */
    bool taken;                  /* the best point misses tol, but the caller accepts it */
    const double *guess;         /* m: start for stages; NULL: none */
    double *from, pull;          /* m: last point of Newton with jumps, and its weight */
    const perp_problem *problem; /* as given */
} work;

/* Number of factorisations that may still be made: the budget of the solve minus those of its stages. */
static int affordable(const work *w) {
    double each = 1 + pp_block_lu_work(w->linear.lu), all = fmin(fmax(MOST_WORK / each, LEAST_STEPS), MOST_STEPS);
    double left = all - w->linear.factorisations;
    return left > 0 ? (int)left : 0;
}

/* Newton from `from` (NULL: cold start). Returns true if solved. */
static bool newton(work *w, const double *from, double pull, int steps, const char *what, perp_outcome *outcome) {
    pp_cone_newton *n = &w->newton;
    size_t bytes = sizeof(double) * (size_t)w->c.m;
    int afford = affordable(w);
    n->tol = w->tol;
    n->pull = pull;
    n->max_steps = steps < afford ? steps : afford;
    n->steps = 0;
    n->out = w->out;
    n->ask = !w->part;
    if (from)
        memmove(n->x, from, bytes);
    else
        memset(n->x, 0, bytes);
    *outcome = pp_cone_newton_run(n);
    w->info->iterations += n->steps;
    TELL(w, "%s: %d steps to %.1e", what, n->steps, n->measure);
    if (n->measure < w->least) {
        w->least = n->measure;
        memcpy(w->best, n->best, bytes);
    }
    return w->least <= w->tol;
}

/* First weight of the proximal term near a point with this measure: the better the point, the smaller the weight. */
static double weight_near(double measure) { return fmax(LEAST_PULL, fmin(WARM_PULL, PULL_PER * measure)); }

/* Measures a point, and keeps it if it is the best of all. Returns true if it is good enough. */
static bool keep(work *w, const double *x) {
    pp_cone_apply(&w->c, x, w->newton.v);
    for (int i = 0; i < w->c.m; i++) w->newton.v[i] += w->c.q[i];
    double now = pp_cone_strictest(&w->newton.figure, x, w->newton.v);
    if (now < w->least) {
        w->least = now;
        /* `best` is also a start for stages, which elsewhere may be NULL; here it is not */
        memcpy(w->best, x, sizeof *x * (size_t)w->c.m); /* NOLINT(clang-analyzer-core.NonNullParamChecker) */
    }
    return w->least <= w->tol;
}

/* Does the caller accept the best point although it misses tol? A step's tol is stricter than what the step accepts.
 * Called after a stage has failed, because the next one costs more than this check. */
static bool accepted_by_world(work *w) {
    const perp_call *call = w->call;
    if (!call->enough || w->part || !(w->least < INFINITY)) return false;
    double *z = PP_CALL_ARRAY(call, double, w->c.m);
    if (!z) return false;
    pp_cone_unscale(&w->c, w->best, z);
    w->taken = call->enough(z, call->enough_ctx);
    if (w->taken) TELL(w, "which meets the tolerance of the caller");
    return w->taken;
}

/* Splitting, which needs one factorisation or none, then Newton from its result. from: NULL: cold start. */
static bool split(work *w, const double *from, perp_outcome *outcome) {
    pp_cone_cg cg = {0};
    bool iterate = pp_block_lu_work(w->linear.lu) > CG_WORK;
    pp_cone_admm k = {.c = &w->c,
                      .figure = &w->newton.figure,
                      .linear = iterate ? NULL : &w->linear,
                      .cg = iterate ? &cg : NULL,
                      .call = w->call,
                      .tol = iterate ? CG_TO * w->tol : fmax(SPLIT_TO, w->tol),
                      .penalty = from ? 0.1 : 1,
                      .relaxation = 1.6,
                      .memory = 10,
                      .rebalance = 20,
                      .max_iterations = iterate ? CG_STEPS : SPLIT_STEPS,
                      .iterations = w->newton.iterations,
                      .out = w->out};
    k.max_iterations += k.iterations;
    if ((iterate && !pp_cone_cg_make(&cg, &w->c, w->call)) || !pp_cone_admm_make(&k)) {
        *outcome = PERP_OUTCOME_MEMORY;
        return false;
    }
    memset(w->newton.dx, 0, sizeof(double) * (size_t)w->c.m);
    pp_cone_admm_start(&k, from ? from : w->newton.dx);
    *outcome = pp_cone_admm_run(&k);
    int done = k.iterations - w->newton.iterations;
    w->info->iterations += done;
    w->newton.iterations = k.iterations;
    TELL(w, "splitting: %d iterations to %.1e", done, k.measure);
    if (*outcome == PERP_OUTCOME_STOPPED || *outcome == PERP_OUTCOME_MEMORY || !(k.measure < 1e-3)) return false;
    if (keep(w, k.best)) return true;
    return newton(w, k.best, weight_near(k.measure), WARM_STEPS, "Newton", outcome);
}

/* Interior points, then Newton from their result. */
static bool interior(work *w, perp_outcome *outcome) {
    pp_cone_interior k = {.c = &w->c,
                          .linear = &w->linear,
                          .call = w->call,
                          .tol = fmax(PP_CONE_FOLD_TOL, w->tol),
                          .shift = PP_INTERIOR_SHIFT,
                          .feasible = 1,
                          .max_steps = INTERIOR_STEPS,
                          .iterations = w->newton.iterations,
                          .out = w->out};
    if (!pp_cone_interior_make(&k)) {
        *outcome = PERP_OUTCOME_MEMORY;
        return false;
    }
    *outcome = pp_cone_interior_run(&k);
    w->info->iterations += k.steps;
    w->newton.iterations = k.iterations;
    TELL(w, "interior points: %d steps to %.1e", k.steps, k.measure);
    if (*outcome == PERP_OUTCOME_STOPPED || !(k.measure < 1e-2)) return false;
    return newton(w, k.best, weight_near(k.measure), POLISH_STEPS, "Newton", outcome);
}

/* Can all bodies be at rest, except those in `away`? from: NULL: cold start. */
static bool rest(work *w, const double *from, perp_outcome *outcome) {
    pp_cone_rest k = {.c = &w->c,
                      .linear = &w->linear,
                      .figure = &w->newton.figure,
                      .call = w->call,
                      .from = from,
                      .away = w->away,
                      .push = w->push,
                      .fully = w->away != NULL,
                      .speed = w->speed,
                      .tol = w->tol,
                      .iterations = w->newton.iterations,
                      .out = w->out};
    *outcome = pp_cone_rest_run(&k);
    w->newton.iterations = k.iterations;
    w->info->iterations += k.steps;
    w->moving = k.moving;
    w->rested = k.measure <= NEARLY_HELD ? k.best : NULL;
    if (k.steps == 0) return false;
    TELL(w, *outcome == PERP_OUTCOME_SOLVED ? "at rest: %d steps to %.1e" : "not at rest: %d steps, %.1e", k.steps,
         k.measure);
    return k.measure < INFINITY && keep(w, k.best);
}

/* Number of sweeps that cost as much as Newton would, SWEPT_FOR factorisations; few if factors are small. A sweep
 * passes all entries four times, and its multiplications take about four times as long as those of a factorisation. */
static int worthwhile_sweeps(const work *w) {
    const pp_cone *c = &w->c;
    if (w->tol < SWEPT_TOL || c->associated) return 0;
    double each = 0;
    for (int i = 0; i < c->nblock; i++)
        for (int s = c->row[i]; s < c->row[i + 1]; s++) {
            int o = c->entry[s].other;
            each += 4.0 * pp_cone_rows(c, i) * (c->body ? c->node[o + 1] - c->node[o] : pp_cone_rows(c, o));
        }
    double most = SWEPT_FOR * pp_block_lu_work(w->linear.lu) / (4 * each);
    return most < MOST_SWEEPS ? (int)most : MOST_SWEEPS;
}

/* Sweeps, if a few digits are enough. from: NULL: cold start. *to: their result. */
static bool sweeps(work *w, int most, const double *from, const double **to, perp_outcome *outcome) {
    pp_cone_sweep *k = PP_CALL_ARRAY(w->call, pp_cone_sweep, 1);
    *to = from;
    *outcome = PERP_OUTCOME_MEMORY;
    if (!k) return false;
    *k = (pp_cone_sweep){.figure = &w->newton.figure, .call = w->call, .out = w->out};
    k->how = (pp_relax){.max_sweeps = most, .tol = w->tol};
    if (!pp_cone_sweep_make(k, &w->c)) return false;
    if (from)
        memcpy(k->on.x, from, sizeof *from * (size_t)w->c.m);
    else
        memset(k->on.x, 0, sizeof *k->on.x * (size_t)w->c.m);
    int before = w->info->iterations;
    *outcome = pp_cone_sweep_run(k, w->info);
    w->newton.iterations += w->info->iterations - before;
    TELL(w, "%d sweeps to %.1e", w->info->iterations - before, k->measure);
    if (k->measure < INFINITY) *to = k->on.x;
    return keep(w, k->on.x);
}

/* A single block. Only the data it needs are made, because a step of a part on a plate is no more than this. */
static bool alone(work *w) {
    pp_cone_newton *n = &w->newton; /* its figure and v are used */
    n->x = PP_CALL_ARRAY(w->call, double, w->c.m);
    n->v = PP_CALL_ARRAY(w->call, double, w->c.m);
    if (!n->x || !n->v || !pp_cone_figure_make(&n->figure, &w->c, w->call)) return false;
    pp_cone_figure_aim(&n->figure, w->tol);
    if (!pp_cone_solve_block(&w->c, 0, w->c.q, n->x) || !keep(w, n->x)) return false;
    TELL(w, "closed form");
    return true;
}

/* Is the best point good enough, or nearly, and can it be improved to rounding at low cost? This is so with few
 * contacts, where it takes one or two Newton steps, and for bodies at rest, which should not move even within tol. Not
 * if few digits are required. */
static bool should_be_exact(const work *w) {
    const pp_cone *c = &w->c;
    if (!(w->least <= POLISHED_WITHIN * w->tol) || w->tol >= SWEPT_TOL) return false;
    if (c->nblock - c->nrow <= PP_FEW_CONTACTS) return true;
    double *v = w->newton.v;
    pp_cone_apply(c, w->best, v);
    for (int i = 0; i < c->nblock; i++)
        for (int r = c->first[i]; w->best[c->first[i]] != 0 && r < c->first[i + 1]; r++)
            if (!(fabs(v[r] + c->q[r]) <= SLOW)) return false;
    return true;
}

/* Selects loads that do not depend on how the best point was found. again: free loads of a valid guess stay. Returns
 * false if there are none, or no better ones. */
static bool take_loads(work *w, bool again) {
    pp_cone_select k = {.newton = &w->newton, .from = w->best, .tol = w->tol};
    bool found = again ? pp_cone_select_again(&k) : pp_cone_select_run(&k);
    w->info->iterations += k.steps;
    TELL(w, found ? "loads: %d steps to %.1e" : "no loads selected: %d steps, %.1e", k.steps, k.measure);
    if (!found || (again && !(k.measure < w->least))) return false;
    w->least = k.measure;
    memcpy(w->best, w->newton.x, sizeof(double) * (size_t)w->c.m);
    return true;
}

/* A solution with the free loads of the guess: Newton corrections that do not change them. Returns false if the guess
 * is too far away. */
static bool keep_loads(work *w, const double *guess) {
    if (w->c.associated || w->c.nblock - w->c.nrow > PP_FEW_CONTACTS || w->tol >= SWEPT_TOL) return false;
    memcpy(w->best, guess, sizeof *guess * (size_t)w->c.m);
    w->least = INFINITY;
    w->selected = take_loads(w, true) && w->least <= w->tol;
    w->info->warm = w->selected;
    return w->selected;
}

/* The same if loads matter. A caller that asks again, for more accuracy or because gaps have hardly changed, has
 * selected the guess. */
static bool select_loads(work *w, bool guessed) {
    const pp_cone *c = &w->c;
    double *v = w->newton.v;
    pp_cone_apply(c, w->best, v);
    for (int i = 0; i < c->m; i++) v[i] += c->q[i];
    if (c->nblock - c->nrow > PP_FEW_CONTACTS || !pp_cone_select_matters(c, w->best, v)) return false;
    return take_loads(w, guessed);
}

/* One more Newton phase from a solution: the equations of its open, sticking and sliding contacts, with loads as close
 * to its own as possible. A second step returns sliding contacts to their circles. Kept if it is better. */
static void make_exact(work *w) {
    if (w->least <= PP_EXACT) return;
    pp_cone_newton *n = &w->newton;
    size_t bytes = sizeof(double) * (size_t)w->c.m;
    n->tol = PP_EXACT;
    n->ask = false;
    n->pull = PP_POLISH_PULL;
    n->max_steps = EXACT_STEPS;
    n->steps = 0;
    memcpy(n->x, w->best, bytes);
    (void)pp_cone_newton_run(n);
    w->info->iterations += n->steps;
    TELL(w, "polish: %d steps to %.1e", n->steps, n->measure);
    if (!(n->measure < w->least)) return;
    w->least = n->measure;
    memcpy(w->best, n->best, bytes);
}

/* Newton from a point close to a solution, with few factorisations if they are large. */
static bool close_by(work *w, const double *from, double pull, const char *what, perp_outcome *o) {
    if (!pp_cone_again_room(&w->linear, pp_cone_again_worth(&w->linear), w->call)) {
        *o = PERP_OUTCOME_MEMORY;
        return false;
    }
    w->newton.near_solution = true;
    w->newton.factored = 0; /* factors made before this memory existed */
    bool done = newton(w, from, pull, w->linear.most > 0 ? WARM_STEPS : HELD_STEPS, what, o);
    w->newton.near_solution = false;
    return done;
}

/* From a guess, if factors are so large that the test for rest comes first. */
static bool from_guess_of_many(work *w, const double *guess, perp_outcome *o) {
    if (keep(w, guess) || rest(w, guess, o)) return true;
    if (*o != PERP_OUTCOME_LIMIT) return false;
    return pp_block_lu_work(w->linear.lu) > GUESS_WORK ? split(w, guess, o)
                                                       : close_by(w, guess, LEAST_PULL, "Newton from the guess", o);
}

static perp_outcome solve(const perp_problem *p, double tol, pp_load_choice loads, bool part, double *z,
                          const perp_call *call, perp_solve_info *info);

/* ---- few bodies move ------------------------------------------------------------------------------------------- */

/* Adds the bodies that moved most to those in `away`. Returns their number. */
static int let_go(work *w, double join) {
    double most = 0;
    int count = 0;
    for (int i = 0; i < w->c.nnode; i++) most = fmax(most, w->speed[i]);
    for (int i = 0; i < w->c.nnode; i++) {
        w->away[i] = w->away[i] || w->speed[i] > join * most;
        count += w->away[i];
    }
    return count;
}

/* Solves the impulses of the bodies in `away`, as if all others were obstacles, into w->push. */
static bool solve_away(work *w, perp_outcome *o) {
    pp_cone_part part;
    perp_call call = *w->call;
    perp_solve_info info = {0};
    call.watch = NULL;
    call.terse = call.by_speed = true;
    *o = PERP_OUTCOME_MEMORY;
    if (!pp_cone_part_make(&part, &w->c, w->away, &call)) return false;
    int m = perp_problem_size(&part.p);
    double *r = PP_CALL_ARRAY(&call, double, m);
    if (!r) return false;
    memset(r, 0, sizeof *r * (size_t)m);
    memset(w->push, 0, sizeof *w->push * (size_t)w->c.m);
    *o = part.nblock > 0 ? solve(&part.p, PART_TOL * w->tol, PP_LOADS_ANY, true, r, &call, &info) : PERP_OUTCOME_SOLVED;
    if (*o == PERP_OUTCOME_LIMIT || *o == PERP_OUTCOME_NUMERICS) TELL(w, "moving bodies not solved");
    w->info->iterations += info.iterations;
    pp_cone_part_put(&part, &w->c, r, w->push);
    return *o == PERP_OUTCOME_SOLVED;
}

/* Releases bodies that move at `join` of the fastest, in rounds, until all others are at rest. speed: speeds when all
 * were tested. Returns false if they do not come to rest. */
static bool let_move(work *w, const double *speed, double join, perp_outcome *o) {
    size_t nodes = (size_t)w->c.nnode;
    (void)pp_cone_rest_impossible(&w->c, w->tol, w->away);
    memcpy(w->speed, speed, sizeof *speed * nodes);
    for (int round = 0; round < ROUNDS; round++) {
        int count = let_go(w, join);
        TELL(w, "%d bodies move", count);
        if (count > MOST_AWAY * w->c.nnode || !solve_away(w, o)) return false;
        if (rest(w, NULL, o)) return true;
        if (*o != PERP_OUTCOME_LIMIT) return false;
        if (w->moving) continue;
        return w->rested && close_by(w, w->rested, LEAST_PULL, "Newton", o);
    }
    return false;
}

/* If few bodies move, most others are exactly at rest. But interior points and Newton leave them creeping under nearly
 * equal loads and do not converge. So the moving bodies are found first. Bodies that move in the test for rest are
 * solved separately, as if the others were obstacles, and the others are tested again with these impulses. Newton
 * finishes when they are nearly at rest. The choice of released bodies is a guess: first all that move about as fast as
 * the fastest, then only those that move as fast as it, which takes more rounds. */
static bool let_few_move(work *w, perp_outcome *o) {
    static const double join[] = {0.1, 0.5};
    size_t nodes = (size_t)w->c.nnode;
    w->away = PP_CALL_ARRAY(w->call, bool, nodes);
    w->push = PP_CALL_ARRAY(w->call, double, w->c.m);
    double *speed = PP_CALL_ARRAY(w->call, double, nodes);
    *o = PERP_OUTCOME_MEMORY;
    if (!w->away || !w->push || !speed) return false;
    *o = PERP_OUTCOME_LIMIT;
    memset(w->push, 0, sizeof *w->push * (size_t)w->c.m);
    if (pp_cone_rest_impossible(&w->c, w->tol, w->away) > 0)
        memset(w->speed, 0, sizeof *w->speed * nodes); /* the test of all bodies was too expensive */
    else if (!w->moving && (rest(w, NULL, o) || !w->moving))
        return w->least <= w->tol;
    if (let_go(w, join[0]) > FIRST_AWAY * w->c.nnode) return false; /* not few */
    memcpy(speed, w->speed, sizeof *speed * nodes);
    for (size_t k = 0; k < sizeof join / sizeof *join; k++)
        if (let_move(w, speed, join[k], o) || *o == PERP_OUTCOME_STOPPED || *o == PERP_OUTCOME_MEMORY) break;
    return w->least <= w->tol;
}

/* Does a solution exist? Checked before the most expensive methods. Unknown for large problems. */
static perp_existence ask_existence(const work *w) {
    const perp_problem *p = w->problem;
    perp_judge *judge = pp_call_judge(w->call, p), *own = NULL;
    double *y = PP_CALL_ARRAY(w->call, double, w->c.m);
    perp_contradiction proof = {0};
    if (p->cls != PERP_CONE || w->c.nblock > MOST_ASKED || !y) return PERP_EXISTENCE_UNKNOWN;
    if (!judge && perp_judge_new(p, &w->call->arena->alloc, &own)) return PERP_EXISTENCE_UNKNOWN;
    if (own) judge = own;
    perp_status s = pp_find_contradiction(w->call, p, judge, NULL, y, &proof);
    if (!s && proof.existence == PERP_EXISTENCE_UNKNOWN) s = pp_check_existence(w->call, p, judge, &proof.existence);
    perp_judge_free(own);
    if (!s && proof.existence == PERP_EXISTENCE_NONE) TELL(w, "contacts contradict each other");
    return s ? PERP_EXISTENCE_UNKNOWN : proof.existence;
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

static bool few(const work *w) { return w->c.nblock - w->c.nrow <= PP_FEW_CONTACTS; }
static bool large(const work *w) { return pp_block_lu_work(w->linear.lu) >= LARGE_WORK; }

/* Contacts that open by themselves need no impulse. */
static bool nothing(work *w, perp_outcome *o) {
    (void)o;
    if (w->guess) return false;
    memset(w->newton.x, 0, sizeof(double) * (size_t)w->c.m);
    return keep(w, w->newton.x);
}

/* Sweeps and Newton alternately, if few digits are required. Their result is the guess for later stages. */
static bool sweeps_in_turns(work *w, perp_outcome *o) {
    int most = worthwhile_sweeps(w);
    bool warm = w->guess != NULL;
    for (int turn = 0; turn < TURNS && most >= LEAST_SWEEPS; turn++) {
        double before = w->least;
        if (turn > 0 && newton(w, w->guess, WARM_PULL, TURN_STEPS, "Newton", o)) return true;
        if (*o == PERP_OUTCOME_STOPPED) return true;
        if (turn > 0) w->guess = w->best;
        bool enough = sweeps(w, most, w->guess, &w->guess, o);
        w->info->warm = warm && enough && turn == 0;
        if (enough || *o == PERP_OUTCOME_STOPPED || *o == PERP_OUTCOME_MEMORY) return true;
        if (accepted_by_world(w)) return true;
        if (turn > 0 && !(w->least < WORTH_TURN * before)) break;
    }
    return false;
}

/* Newton from the guess: a few steps if little has changed. If it does not converge, it is stopped early. */
static bool from_guess(work *w, perp_outcome *o) {
    if (!w->guess) return false;
    if (pp_block_lu_work(w->linear.lu) > CG_WORK) return w->info->warm = from_guess_of_many(w, w->guess, o);
    return w->info->warm = newton(w, w->guess, weight_near(w->least), WARM_STEPS, "Newton from the guess", o);
}

/* Can all bodies be at rest, or all but a few? Tested with many contacts and no guess; with a guess only if factors are
 * large, because Newton from it would have found out. */
static bool at_rest(work *w, perp_outcome *o) {
    double before = w->least;
    if (few(w) || (w->guess && !large(w))) return false;
    bool divisible = w->c.body && w->c.p->global && !w->part && !w->c.associated && w->c.nrow == 0;
    if (divisible) {
        *o = PERP_OUTCOME_MEMORY;
        if (!(w->speed = PP_CALL_ARRAY(w->call, double, w->c.nnode))) return false;
        memset(w->speed, 0, sizeof *w->speed * (size_t)w->c.nnode);
    }
    if (rest(w, NULL, o) || *o == PERP_OUTCOME_STOPPED || *o == PERP_OUTCOME_MEMORY) return true;
    if (divisible && w->moving && (let_few_move(w, o) || *o == PERP_OUTCOME_STOPPED || *o == PERP_OUTCOME_MEMORY))
        return true;
    /* nearly at rest: contacts without load slow down interior points, not Newton; or a few bodies move */
    if (w->least < before && w->least <= NEARLY_HELD &&
        (close_by(w, w->best, LEAST_PULL, "Newton", o) || *o == PERP_OUTCOME_STOPPED || *o == PERP_OUTCOME_MEMORY))
        return true;
    return divisible && !w->away && let_few_move(w, o);
}

/* If factors are large, few of them are made. */
static bool by_splitting(work *w, perp_outcome *o) {
    return pp_block_lu_work(w->linear.lu) >= (w->c.associated ? CG_WORK : LARGE_WORK) && split(w, NULL, o);
}

/* A cone QP is convex. A problem in local form cannot be tested for rest: most resting ones are solved here. */
static bool by_interior_points(work *w, perp_outcome *o) {
    return (w->c.associated || (!few(w) && !w->c.p->global)) && interior(w, o);
}

/* Newton from a cold start, with jumps along directions of slow progress. */
static bool from_nothing(work *w, perp_outcome *o) {
    if (newton(w, NULL, 1, COLD_STEPS, "Newton", o)) return true;
    w->pull = w->newton.pull;
    w->from = PP_CALL_ARRAY(w->call, double, w->c.m);
    if (!w->from) *o = PERP_OUTCOME_MEMORY;
    if (w->from) memcpy(w->from, w->newton.x, sizeof(double) * (size_t)w->c.m);
    return false;
}

/* Two searches alternately, each continued for twice as long as its turn before: Newton without jumps from a cold
 * start, and Newton with jumps. Jumps help if Newton is slow and mislead it occasionally; which of the two converges is
 * not known in advance. Turns of doubled length cost at most a few times as much as the better one alone. If both get
 * stuck, contacts contradict each other by a little more than tol. If neither can make factors, numbers are not finite.
 * one: only the first turn. */
static bool in_turns(work *w, bool one, perp_outcome *o) {
    double *other = PP_CALL_ARRAY(w->call, double, w->c.m), pull = 1;
    *o = PERP_OUTCOME_MEMORY;
    if (!other || !w->from) return false;
    memset(other, 0, sizeof *other * (size_t)w->c.m);
    *o = PERP_OUTCOME_LIMIT;
    int stuck = 0;
    for (int steps = 2 * COLD_STEPS; affordable(w) > 0 && stuck < 2; steps = steps < MOST_STEPS ? 2 * steps : steps) {
        int factors = w->linear.factorisations;
        w->newton.plain = !w->newton.plain;
        if (newton(w, other, pull, steps, w->newton.plain ? "without jumps" : "with jumps", o)) return true;
        if (*o == PERP_OUTCOME_STOPPED) return false;
        double *swap = w->from, last = w->newton.pull;
        memcpy(other, w->newton.x, sizeof *other * (size_t)w->c.m);
        w->from = other, other = swap;
        pull = w->pull, w->pull = last < 1 ? last : 1; /* if it ended because of its weight, it starts again */
        stuck = w->newton.stuck || w->linear.factorisations == factors ? stuck + 1 : 0;
        if (one) break;
    }
    return false;
}

/* First existence of a solution is checked. A step poses a problem that may have no solution many times, with other
 * contacts and step lengths. So after the first failure only one turn is made. */
static bool last_resort(work *w, perp_outcome *o) {
    pp_work *count = w->call->work;
    if (w->part) return true; /* a part without solution cannot be used */
    perp_existence answer = ask_existence(w);
    bool doubt = answer != PERP_EXISTENCE_UNKNOWN && answer != PERP_EXISTENCE_SOME;
    if (answer == PERP_EXISTENCE_NONE && pp_call_judge(w->call, w->problem)) *o = PERP_OUTCOME_INFEASIBLE;
    if (answer == PERP_EXISTENCE_NONE) {
        if (count) count->wedged++;
        return true;
    }
    bool done = in_turns(w, doubt && count && count->wedged > 0, o);
    if (doubt && count && !done) count->wedged++;
    return done;
}

/* The stages in order. A stage returns true if the search ends with it. `tools/ablate` leaves out one row at a time. */
typedef struct stage {
    const char *name;
    bool (*run)(work *w, perp_outcome *o);
} stage;
static const stage cascade[] = {
    {"nothing", nothing},                    /* no guess */
    {"sweeps", sweeps_in_turns},             /* few digits required, large factors */
    {"warm start", from_guess},              /* a guess */
    {"rest", at_rest},                       /* many contacts, from nothing or with large factors */
    {"splitting", by_splitting},             /* large factors */
    {"interior points", by_interior_points}, /* cone QP; many contacts in local form */
    {"Newton", from_nothing},                /* always */
    {"last resort", last_resort},            /* always */
};

static perp_outcome stages(work *w, const double *guess) {
    perp_outcome o = PERP_OUTCOME_SOLVED;
    w->guess = guess;
    for (size_t i = 0; i < sizeof cascade / sizeof *cascade; i++) {
        int before = w->info->iterations;
        if (cascade[i].run(w, &o) || o == PERP_OUTCOME_STOPPED || o == PERP_OUTCOME_MEMORY) break;
        if (w->least <= w->tol || (w->info->iterations > before && accepted_by_world(w))) break;
    }
    return o;
}

/* Does the best point satisfy the laws with the given W, not only with the bodies that were found? True also if out of
 * memory. */
static bool holds_as_given(work *w, const pp_cone *given) {
    pp_cone_figure figure;
    if (!pp_cone_figure_make(&figure, given, w->call)) return true;
    pp_cone_figure_aim(&figure, w->tol);
    pp_cone_apply(given, w->best, w->newton.v);
    for (int i = 0; i < given->m; i++) w->newton.v[i] += given->q[i];
    return pp_cone_strictest(&figure, w->best, w->newton.v) <= w->tol;
}

/* Input of a solve. */
typedef struct wish {
    double tol;
    pp_load_choice loads;
    bool part; /* the problem is part of another one: must not be divided again */
    bool seek; /* search for bodies if the problem is in local form */
} wish;

/* *again: the solution is valid for the bodies that were found but misses tol for the given problem; then z is a guess. */
static perp_outcome solve_form(const perp_problem *p, const wish *a, double *z, const perp_call *call,
                               perp_solve_info *info, bool *again) {
    double tol = a->tol;
    pp_load_choice loads = a->loads;
    work w = {.info = info, .call = call, .tol = tol, .least = INFINITY, .loads = loads, .part = a->part, .problem = p};
    bool singular, guess = false;
    if (!pp_cone_make(&w.c, p, call, &singular)) return singular ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_MEMORY;
    pp_cone given = w.c; /* the given form, if the problem is solved by the bodies that were found */
    if (a->seek && !pp_cone_find_bodies(&w.c, call)) return PERP_OUTCOME_MEMORY;
    bool found = w.c.body && !given.body;
    if (found) TELL(&w, "bodies found: %d dofs, %d rows", w.c.ndof, w.c.m);
    w.newton = (pp_cone_newton){.c = &w.c, .linear = &w.linear, .call = call};
    w.best = PP_CALL_ARRAY(call, double, w.c.m);
    double *start = PP_CALL_ARRAY(call, double, w.c.m);
    if (!w.best || !start) return PERP_OUTCOME_MEMORY;
    if (w.c.nblock == 1 && alone(&w)) {
        pp_cone_unscale(&w.c, w.best, z);
        return PERP_OUTCOME_SOLVED;
    }
    if (!pp_cone_newton_make(&w.newton)) return PERP_OUTCOME_MEMORY;
    pp_cone_figure_aim(&w.newton.figure, tol);
    w.out = perp_call_watched(call) ? z : NULL;
    pp_cone_scale(&w.c, z, start);
    for (int i = 0; i < w.c.m; i++) guess |= start[i] != 0;
    memset(w.best, 0, sizeof *w.best * (size_t)w.c.m);
    perp_outcome o = PERP_OUTCOME_SOLVED;
    bool answered = guess && keep(&w, start);
    if (answered) TELL(&w, "the guess holds to %.1e", w.least);
    info->warm = answered;
    if (!answered || ((w.least > PP_EXACT || loads == PP_LOADS_NOW) && should_be_exact(&w))) {
        if (!pp_cone_linear_make(&w.linear, &w.c, call)) return PERP_OUTCOME_MEMORY;
        if (!answered && !(guess && loads == PP_LOADS_KEEP && keep_loads(&w, start)))
            o = stages(&w, guess ? start : NULL);
        if (should_be_exact(&w) && pp_block_lu_work(w.linear.lu) < LARGE_WORK) {
            /* the guess has the loads of a problem that has hardly changed */
            bool kept = answered && (loads == PP_LOADS_UNIQUE || loads == PP_LOADS_KEEP);
            bool select = loads != PP_LOADS_ANY && loads != PP_LOADS_LATER && !(kept && w.least <= PP_ROUNDING);
            if (!w.selected && !(select && select_loads(&w, kept))) make_exact(&w);
        }
    }
    pp_cone_unscale(&w.c, w.best, z);
    info->factorisations = w.linear.factorisations;
    *again = found && w.least <= tol && !w.taken && !holds_as_given(&w, &given);
    if (*again) TELL(&w, "not within tol for the given W");
    return w.least <= tol || w.taken ? PERP_OUTCOME_SOLVED : o == PERP_OUTCOME_SOLVED ? PERP_OUTCOME_NUMERICS : o;
}

static perp_outcome solve(const perp_problem *p, double tol, pp_load_choice loads, bool part, double *z,
                          const perp_call *call, perp_solve_info *info) {
    bool again = false, many = p->as.cone.nrow + p->as.cone.ncontact > PP_FEW_CONTACTS;
    wish a = {.tol = tol, .loads = loads, .part = part, .seek = !p->as.cone.global && many};
    perp_outcome o = solve_form(p, &a, z, call, info, &again);
    int before = info->factorisations;
    if (!again) return o;
    a.seek = false;
    o = solve_form(p, &a, z, call, info, &again);
    info->factorisations += before;
    return o;
}

perp_outcome pp_auto_cone(const perp_problem *p, double tol, pp_load_choice loads, double *z, const perp_call *call,
                          perp_solve_info *info) {
    return solve(p, tol, loads, false, z, call, info);
}
