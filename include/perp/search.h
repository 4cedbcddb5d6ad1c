/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file search.h
 *  Minimisation without derivatives, with bounds and constraints, of a function that is given as a callback.
 *
 *      minimise f(x)   subject to   lower <= x <= upper,   g_j(x) <= 0
 *
 *  These functions do not use worlds. docs/study-methods-search.md says which method to choose. */
#ifndef PERP_SEARCH_H
#define PERP_SEARCH_H

#include "perp/base.h"
#include "perp/input.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Largest number of parameters and of constraints. */
#define PERP_SEARCH_MAX 1000

/** A minimisation problem. All pointers are borrowed until perp_search() returns. */
typedef struct perp_search_problem {
    int n;               /**< parameters, 1 to PERP_SEARCH_MAX */
    const double *lower; /**< n, finite */
    const double *upper; /**< n, finite, lower < upper */
    const double *start; /**< n, within the bounds; NULL: the middle of the bounds */
    /** n, > 0: first step of the simplex, of the trust region, or standard deviation of the first population. NULL: a
     *  tenth of the range. More than half of the range counts as half of it. */
    const double *step;
    int nconstraint; /**< constraints g_j(x) <= 0, 0 to PERP_SEARCH_MAX. Scale them to comparable sizes: the violation of
                          a point is the sum of its positive g_j. */
    /** Computes the values at `count` points. x: count rows of n, each within the bounds; f: count; g: count rows of
     *  nconstraint (NULL if there are none). NAN or an infinity in f or g: the point could not be evaluated, and counts
     *  as worse than every point that could. The points of one call may be evaluated in parallel. Returns false to end
     *  the search; the values of that call are not used. */
    bool (*values)(void *ctx, int count, const double *x, double *f, double *g);
    void *ctx; /**< passed to values */
} perp_search_problem;

/** Options of a search. {0} gives the defaults, which are stated with each field. */
typedef struct perp_search_options {
    const char *method; /**< a name of perp_search_methods(); NULL: nelder-mead */
    /** Largest number of restarts after convergence; default 0. Local methods restart at the best point with the first steps,
     *  and stop after two successive restarts without improvement. cma-es restarts at a random point with twice the population,
     *  crs and isres at random points. direct does not restart. */
    int restarts;
    int evaluations;      /**< limit on the number of points, never exceeded; 0: 1000 */
    double x_tolerance;   /**< converged if points differ by less than this fraction of the range; 0: 1e-6 */
    double f_tolerance;   /**< converged if values differ by less than this [unit of f]; 0: not used */
    uint64_t seed;        /**< of the random numbers of cma-es, crs and isres; other methods use none */
    int population;       /**< of cma-es (at least 4), crs and isres (at least n + 1); 0: the default of the method */
    perp_allocator alloc; /**< {0}: malloc and free. NLopt itself always uses malloc. */
} perp_search_options;

/** Result of a search. */
typedef struct perp_search_result {
    double f;        /**< at the best point; NAN if no point could be evaluated */
    int evaluations; /**< number of evaluated points, including those that failed */
    int restarts;    /**< number of restarts */
    bool feasible;   /**< all g_j <= 0 at the best point, without a tolerance */
    /** Why the search ended; a constant text:
     *  - "converged": by one of the tolerances, after the last restart;
     *  - "evaluations": the limit was reached;
     *  - "stopped": values() returned false;
     *  - "start-failed": bobyqa and cobyla need a start that can be evaluated;
     *  - "round-off": NLopt could make no further progress because of rounding errors. */
    const char *reason;
} perp_search_result;

/** Minimises. x (n) becomes the best of all evaluated points: the feasible one with the smallest f; if none is feasible, the one
 *  with the smallest violation. If no point could be evaluated, x is the start. o (NULL: all defaults), r and why may be NULL.
 *
 *  The points depend only on the problem, the options and the values. If the caller answers the first points from a log, the
 *  search continues with the same bits.
 *
 *  PERP_E_ARG: the problem or an option is not valid. PERP_E_NAME: no such method. PERP_E_FIT: the method needs a library that
 *  this build lacks; or it does not support constraints; or it is crs or isres, and another search by one of these two is
 *  running in this process. (NLopt has one global random generator. These methods set its seed, which affects other users of
 *  NLopt in the process.) PERP_E_MEMORY. In all these cases `why` has a sentence, and x and r are not written; values() may have
 *  been called if memory ran out. */
PERP_API perp_status perp_search(const perp_search_problem *p, const perp_search_options *o, double *x,
                                 perp_search_result *r, perp_refusal *why);

/** Names of all methods, NULL at the end; also of those whose library is missing in this build. */
PERP_API const char *const *perp_search_methods(void);

/** Whether this build has the method. If not, *package (may be NULL) becomes the Debian name of the missing package, or NULL if
 *  there is no such method. */
PERP_API bool perp_search_available(const char *method, const char **package);

#ifdef __cplusplus
}
#endif
#endif
