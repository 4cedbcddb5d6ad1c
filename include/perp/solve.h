/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file solve.h
 *  Solving a problem with solvers chosen by name; the answer is measured by the library. */
#ifndef PERP_SOLVE_H
#define PERP_SOLVE_H

#include "perp/judge.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Termination status that a solver returns. The library relies only on the residual, which it measures itself. */
typedef enum perp_outcome {
    PERP_OUTCOME_SOLVED,     /**< the solver's own test of convergence holds */
    PERP_OUTCOME_RAY,        /**< pivoting ended on a ray; proves infeasibility only for copositive-plus M */
    PERP_OUTCOME_LIMIT,      /**< iteration limit */
    PERP_OUTCOME_NUMERICS,   /**< numerical failure: singular basis, numbers that are not finite */
    PERP_OUTCOME_TOO_LARGE,  /**< too large, or not supported by this solver */
    PERP_OUTCOME_STOPPED,    /**< stopped by a callback or by the time limit */
    PERP_OUTCOME_MEMORY,     /**< out of memory */
    PERP_OUTCOME_INFEASIBLE, /**< there is a proof that no solution exists, see perp_problem_contradict() */
    PERP_OUTCOME_COUNT       /**< number of outcomes */
} perp_outcome;

/** Text for an outcome. */
PERP_API const char *perp_outcome_text(perp_outcome o);

/** Report of a solve. */
typedef struct perp_solve_info {
    perp_outcome outcome;
    int iterations;       /**< pivots, sweeps, Newton steps or bases, depending on the solver */
    int factorisations;   /**< of matrices of the problem's size; 0 if the solver makes none */
    bool warm;            /**< the guess was used and led to the answer */
    double residual;      /**< measured by the library after the solve, see perp_problem_residual() */
    double seconds;       /**< wall time of the solver; 0 inside a world, whose results may not depend on clocks */
    const char *solver;   /**< name of the solver that gave the answer */
    char story[240];      /**< a text: what a chain or `auto` chose, what failed and why, and what was tried next */
    perp_verdict verdict; /**< on the answer; set by perp_solve() only */
} perp_solve_info;

/** Callback for the iterates of a solver: for convergence curves, and to stop it. */
typedef struct perp_watch {
    /** Called once per iteration with the current iterate (perp_problem_size() numbers, borrowed until it returns), in the
     *  thread that solves. False: stop with the present iterate. */
    bool (*look)(int iteration, const double *z, void *ctx);
    void *ctx; /**< passed to `look` */
} perp_watch;

/** A setting of a solver by name. */
typedef struct perp_setting {
    const char *name; /**< a field of the solver's table, such as "max_pivots" */
    double value;
} perp_setting;

/** Options of perp_solve(). {0}: auto with default settings. */
typedef struct perp_solve_options {
    const char *solver; /**< a name, or several separated by commas: tried in turn until an answer meets `tol`. NULL:
                             "auto" */
    double
        tol; /**< largest figure of the verdict (perp_verdict) that counts as solved; also passed to the solver as its
                             `tol`. 0: 1e-9 */
    double time_limit;            /**< seconds for the whole call; 0: none */
    const perp_watch *watch;      /**< NULL: none */
    const perp_setting *settings; /**< of the first solver named, nsetting of them */
    int nsetting;
    bool warm;            /**< true: z is an initial guess; false: z is first set to a neutral start */
    perp_allocator alloc; /**< {0}: malloc and free */
    /** Called once per iteration; true: stop with the best answer so far. Cheaper than a watch, which needs every iterate. May
     *  be NULL. */
    bool (*stop)(void *ctx);
    void *stop_ctx; /**< passed to `stop` */
} perp_solve_options;

/** Solves a problem and judges the answer (judge.h). If a solver reports success and the judge rejects the answer, it is refined
 *  on its active set, with residuals in twice the precision. If that is not enough, the solver continues with a tighter
 *  tolerance.
 *  @param options  NULL: all defaults
 *  @param z        perp_problem_size() numbers: initial guess on entry if options->warm; on return the best of all answers,
 *                  as measured, always finite
 *  @param info     may be NULL
 *  @return PERP_OK if solved to tol by the judge's measure; PERP_E_SOLVE if not (z and info describe the best answer);
 *  PERP_E_ARG: malformed (see perp_problem_check()); PERP_E_NAME: no such solver or setting; PERP_E_FIT: none of the solvers
 *  supports this class, or a class to which it can be converted exactly; PERP_E_MEMORY.
 *
 *      double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, z[2];
 *      perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
 *      if (!perp_solve(&p, NULL, z, NULL)) ...                       // z = (4/3, 7/3)
 */
PERP_API perp_status perp_solve(const perp_problem *p, const perp_solve_options *options, double *z,
                                perp_solve_info *info);

/** Runs one solver with its default settings and measures the answer, without judging it.
 *  @param z  initial guess on entry (zeros for none), answer on return
 *  @return PERP_OK if the solver ran, whatever its outcome; PERP_E_NAME, PERP_E_FIT (class not supported), PERP_E_MEMORY,
 *  PERP_E_ARG. */
PERP_API perp_status perp_problem_solve(const perp_problem *p, const char *solver, double *z, perp_solve_info *info);

#ifdef __cplusplus
}
#endif
#endif
