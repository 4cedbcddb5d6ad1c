/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file solve.h
 *  Solving a problem by name: what to ask, what comes back, measured. */
#ifndef PERP_SOLVE_H
#define PERP_SOLVE_H

#include "perp/judge.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a solver ended, in its own words. The library believes only the residual. */
typedef enum perp_outcome {
    PERP_OUTCOME_SOLVED,     /**< the solver thinks it is solved */
    PERP_OUTCOME_RAY,        /**< pivoting ended on a ray; proves infeasibility only for copositive-plus M */
    PERP_OUTCOME_LIMIT,      /**< iteration limit */
    PERP_OUTCOME_NUMERICS,   /**< numerical trouble: singular basis, not finite */
    PERP_OUTCOME_TOO_LARGE,  /**< beyond the sizes this solver takes */
    PERP_OUTCOME_STOPPED,    /**< the watch said so, or time was up */
    PERP_OUTCOME_MEMORY,     /**< memory was refused on the way */
    PERP_OUTCOME_INFEASIBLE, /**< there is a proof that no answer exists, see perp_problem_contradict() */
    PERP_OUTCOME_COUNT       /**< number of outcomes */
} perp_outcome;

/** Words for an outcome. */
PERP_API const char *perp_outcome_text(perp_outcome o);

/** What a solve reported. */
typedef struct perp_solve_info {
    perp_outcome outcome;
    int iterations;       /**< pivots, sweeps, Newton steps, bases tried: the unit is the solver's */
    int factorisations;   /**< of matrices of the problem's size; 0 where there are none */
    bool warm;            /**< the guess was used and led to the answer */
    double residual;      /**< measured by the library after the solve, see perp_problem_residual() */
    double seconds;       /**< wall time of the solver; 0 inside a world, whose results may not depend on clocks */
    const char *solver;   /**< name of the solver whose answer it is */
    char story[240];      /**< in words: what a chain or `auto` chose, what failed and why, what was done about it */
    perp_verdict verdict; /**< on the answer, by perp_solve() only */
} perp_solve_info;

/** Looks on while a solver iterates: for convergence curves and for stopping. */
typedef struct perp_watch {
    /** Called once per iteration with the current answer (perp_problem_size() numbers, borrowed until it returns), from
     *  the thread that solves. False: stop, with what there is. */
    bool (*look)(int iteration, const double *z, void *ctx);
    void *ctx; /**< handed to it */
} perp_watch;

/** A setting of a solver by name. */
typedef struct perp_setting {
    const char *name; /**< a field of the solver's table, such as "max_pivots" */
    double value;
} perp_setting;

/** How to solve. {0} is: auto, default settings. */
typedef struct perp_solve_options {
    const char *solver; /**< name, or several with commas between: tried in turn until one is measured to have solved.
                             NULL: "auto" */
    double tol; /**< figure of the verdict (perp_verdict) that counts as solved; also handed to the solver as its `tol`.
                             0: 1e-9 */
    double time_limit;            /**< seconds for the whole call; 0: none */
    const perp_watch *watch;      /**< NULL: none */
    const perp_setting *settings; /**< of the first solver named, nsetting of them */
    int nsetting;
    bool warm;            /**< z holds a guess worth using; without it z is set to a neutral start first */
    perp_allocator alloc; /**< {0}: malloc and free */
    /** Asked once per iteration; true: end now with the best so far. Cheaper than a watch, which is shown every iterate.
     *  NULL: nobody asks. */
    bool (*stop)(void *ctx);
    void *stop_ctx; /**< handed to it */
} perp_solve_options;

/** Solves a problem and judges the answer (judge.h). What a solver claims and the judge denies is refined on its active
 *  set, with residuals in twice the precision; if that does not do, the solver goes on with a tighter tolerance.
 *  @param options  NULL: all defaults
 *  @param z        perp_problem_size() numbers: guess in if options->warm, answer out: the best by measure of all tried,
 *                  always finite
 *  @param info     may be NULL
 *  @return PERP_OK if solved to tol by the judge's measure; PERP_E_SOLVE if not (z and info tell how far it came);
 *  PERP_E_ARG: malformed (see perp_problem_check()); PERP_E_NAME: no such solver or setting; PERP_E_FIT: no solver named
 *  takes this class, nor a class it converts to without loss; PERP_E_MEMORY.
 *
 *      double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, z[2];
 *      perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
 *      if (!perp_solve(&p, NULL, z, NULL)) ...                       // z = (4/3, 7/3)
 */
PERP_API perp_status perp_solve(const perp_problem *p, const perp_solve_options *options, double *z,
                                perp_solve_info *info);

/** Runs one solver with its default settings and measures the answer, without judging it.
 *  @param z  guess in (zeros for none), answer out
 *  @return PERP_OK if the solver ran, whatever its outcome; PERP_E_NAME, PERP_E_FIT (class not taken), PERP_E_MEMORY,
 *  PERP_E_ARG. */
PERP_API perp_status perp_problem_solve(const perp_problem *p, const char *solver, double *z, perp_solve_info *info);

#ifdef __cplusplus
}
#endif
#endif
