/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file fit.h
 *  Estimation on plain callbacks: least squares with bounds and error bars, profiles, samples of a posterior, moving windows.
 *
 *  Nothing here knows of worlds. A callback evaluates many points in one call; the caller may do that in parallel. The points
 *  asked for, and so all results, depend on the arguments alone: the same bits on every run and for any number of threads.
 *  Arrays are owned by the caller unless said. Matrices are column-major. Lists of points are rows: point i begins at x + i n. */
#ifndef PERP_FIT_H
#define PERP_FIT_H

#include "perp/base.h"
#include "perp/input.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is fitted: the x with the least sum of squares of residuals, and of deviations from the prior, within bounds. */
typedef struct perp_fit_problem {
    int n;               /**< parameters */
    int m;               /**< residuals */
    const double *lower; /**< n, or NULL: none; may be -INFINITY. lower = upper: the parameter is fixed there */
    const double *upper; /**< n, or NULL: none; may be INFINITY */
    const double *start; /**< n, finite; moved to the nearest bound if it is outside */
    const double *scale; /**< n, > 0: typical sizes, for differences and steps; NULL: from start, bounds and prior */
    const double *prior_mean; /**< n; NULL: no prior */
    const double *prior_sd;   /**< n, > 0, INFINITY for a parameter without a prior; NULL: no prior */
    /** Residuals, already divided by their standard deviations, at `count` points: x has count rows of n, r count rows of m. A
     *  NAN in a row of r: that point could not be evaluated. False: end everything with PERP_E_STOPPED. */
    bool (*residuals)(void *ctx, int count, const double *x, double *r);
    /** Derivatives J (m x n, column-major) of the residuals at x; false: end. NULL: central differences, all points of one
     *  Jacobian in one call of `residuals`. */
    bool (*jacobian)(void *ctx, const double *x, double *J);
    void *ctx; /**< handed to both */
} perp_fit_problem;

/** Further results; each array may be NULL: not wanted. */
typedef struct perp_fit_details {
    double *sd; /**< n: standard errors; INFINITY: not identified by these data; 0: fixed or at a bound */
    /** n: standard deviations of the estimate over repeated noise while the prior's mean stays the same. Equal to sd without a
     *  prior; smaller with one. sd tells how far the truth may be, this how far another experiment's estimate may be. */
    double *sampling_sd;
    double *correlation; /**< n x n; NAN where a standard error is not finite or 0; 1 on the diagonal */
    int *bound;          /**< n: -1, 1: at its lower, upper bound, which holds it back; 2: fixed; 0: free */
    /** n x n. Column k < ndirection: a direction in which the data say nothing. Moving the parameters along it does not change
     *  the residuals to first order; the component that is largest as a multiple of its scale is +-1 scale. */
    double *direction;
    int ndirection; /**< out */
    double *
        difference_error; /**< n: relative difference between derivatives with the whole and the half step; 0 with `jacobian` */
    double *residual; /**< m: at the optimum, as the callback gives them */
    double *weight;   /**< m: of the robust loss, in 0 .. 1; 1 for "square" */
} perp_fit_details;

/** How it is fitted. Zero, NULL: the default. Fill it by perp_fit_options_default() and change what differs. */
typedef struct perp_fit_options {
    int iterations; /**< most steps from one start; default 200 */
    double
        tolerance; /**< default 1e-8: end when a step would move the parameters by less than tolerance sqrt(dof) standard
                           errors, or by less than tolerance of their size */
    double difference;    /**< step of differences, relative to the scale or the value; default 1e-6 */
    const char *loss;     /**< "square", "huber", "cauchy", "tukey"; NULL: "square" */
    double loss_scale;    /**< in standard deviations; default 1.345, 2.385, 4.685 (95 % efficient for normal noise) */
    int starts;           /**< extra seeded starts, from the prior, else between finite bounds, else about start */
    uint64_t seed;        /**< of the extra starts */
    bool noise_known;     /**< false: the covariance is multiplied by cost/dof. Not used with a robust loss */
    perp_allocator alloc; /**< {0}: malloc and free */
    perp_fit_details *details; /**< NULL: not wanted; borrowed until the call returns */
} perp_fit_options;

/** The defaults written out, with noise_known = true. */
PERP_API perp_fit_options perp_fit_options_default(void);

/** How a fit ended. */
typedef struct perp_fit_result {
    double cost;    /**< sum (not half) of the losses of the residuals, which are their squares for "square", and of the
                             squared deviations from the prior in standard deviations */
    double chi2;    /**< sum of squares of the residuals alone, without loss or prior */
    int dof;        /**< residuals and priors less identified free parameters */
    int rank;       /**< identified among the free parameters */
    int iterations; /**< steps tried, over all starts */
    int evaluations;    /**< points evaluated */
    bool converged;     /**< the best start's search met the tolerance */
    const char *reason; /**< why the best start's search ended, one clause; a constant text */
    int agreeing;       /**< of the 1 + starts searches: those that ended at the least cost, to 1e-6 relative */
    double
        difference_error; /**< largest of the details' difference_error; above 1e-3 a kink or noise spoils derivatives */
    bool
        rough; /**< the residuals jump as parameters change, so derivatives are of longer steps, which average over jumps */
} perp_fit_result;

/** Fits. x (n): the optimum. covariance (n x n, or NULL): inverse of the information J'J + prior, over the parameters that are
 *  free (rows of others are 0); a parameter that the data do not identify has INFINITY on the diagonal and NAN beside it.
 *  result, why: may be NULL. PERP_E_ARG: a bad problem or option, said in `why`; PERP_E_SOLVE: no start could be evaluated;
 *  PERP_E_STOPPED: a callback said so; PERP_E_MEMORY. A search that ended early is no error: see `converged`. */
PERP_API perp_status perp_fit(const perp_fit_problem *problem, const perp_fit_options *options, double *x,
                              double *covariance, perp_fit_result *result, perp_refusal *why);

/** The least cost as a function of one parameter. */
typedef struct perp_fit_profile_result {
    int count; /**< in: values wanted, 0 or at least 2 */
    double
        *value; /**< out, count: of the parameter, rising; from 1.5 half intervals below to 1.5 above, within bounds */
    double *cost; /**< out, count: least cost with the other parameters free */
    double *x;    /**< out, count rows of n: where; NULL: not wanted */
    double
        rise; /**< in: of the cost at the ends of the interval; 0: 3.8415, for 95 % (times cost/dof if the noise is unknown) */
    double lo, hi; /**< out: where the cost has risen so far; the bound, or -INFINITY, INFINITY, if it does not */
    bool lo_open, hi_open; /**< out: it does not rise so far on this side */
    double least;          /**< out: least cost seen. Below that of the given optimum: that was not the optimum */
    int evaluations;       /**< out: points evaluated */
} perp_fit_profile_result;

/** Profile of parameter `which` about the optimum x (n, from perp_fit with the same problem and options). Each fit starts from its
 *  neighbour. Errors as perp_fit. */
PERP_API perp_status perp_fit_profile(const perp_fit_problem *problem, const perp_fit_options *options, const double *x,
                                      int which, perp_fit_profile_result *result, perp_refusal *why);

/** A density to be sampled. */
typedef struct perp_sample_problem {
    int n;               /**< dimension */
    const double *lower; /**< n, or NULL: none. Points outside have density 0 and are never evaluated */
    const double *upper; /**< n, or NULL: none */
    /** Logarithm of the density, up to a constant, at `count` points: x has count rows of n. -INFINITY or NAN: density 0. False:
     *  end. */
    bool (*log_density)(void *ctx, int count, const double *x, double *out);
    void *ctx;
} perp_sample_problem;

/** How it is sampled. */
typedef struct perp_sample_options {
    int walkers;              /**< even, at least 2 n + 2; 0: the larger of 32 and 4 n, even */
    int burn_in;              /**< steps of all walkers that are thrown away; 0: as many as steps */
    int steps;                /**< steps of all walkers that are kept, at least 8; 0: 1000 */
    int thin;                 /**< keep every thin-th step; 0: 1 */
    uint64_t seed;            /**< of everything */
    const double *start;      /**< n: where the walkers begin, such as the optimum of a fit */
    const double *covariance; /**< n x n: of the walkers' first positions, such as that of a fit */
    perp_allocator alloc;     /**< {0}: malloc and free */
} perp_sample_options;

/** What came of it. Arrays may be NULL: not wanted. */
typedef struct perp_sample_result {
    int draws;          /**< out: steps kept x walkers */
    double *mean;       /**< n */
    double *covariance; /**< n x n */
    double *effective;  /**< n: effective sample size of each parameter */
    double *r_hat;      /**< n: split R-hat over the walkers; above 1.01 to 1.05 it has not converged */
    double acceptance;  /**< out: share of moves accepted; 0.2 to 0.5 is usual */
    int evaluations;    /**< out: points evaluated */
} perp_sample_result;

/** Number of points that perp_sample_posterior() will write: steps / thin x walkers after defaults; 0 if the options are bad. */
PERP_API int perp_sample_count(const perp_sample_problem *problem, const perp_sample_options *options);

/** Samples the density by an ensemble of walkers with stretch and differential moves. sample (perp_sample_count rows of n; NULL:
 *  not wanted): walkers of the first step kept, then of the second, ... result, why: may be NULL. PERP_E_ARG, PERP_E_MEMORY,
 *  PERP_E_STOPPED as above; PERP_E_SOLVE: fewer than 2 n + 2 of the first positions have a density above 0. */
PERP_API perp_status perp_sample_posterior(const perp_sample_problem *problem, const perp_sample_options *options,
                                           double *sample, perp_sample_result *result, perp_refusal *why);

/** Estimation over a window that moves along the rows of the data. Unknown z: the state at the window's first row (states
 *  numbers), then the parameters (parameters numbers); n = states + parameters. */
typedef struct perp_window_problem {
    int states, parameters;
    int rows;            /**< of the data */
    int each;            /**< residuals of one row */
    const double *lower; /**< n, or NULL: none */
    const double *upper; /**< n, or NULL: none */
    const double *start; /**< n: at row 0 */
    const double *scale; /**< n, > 0; NULL: from start, bounds and prior */
    const double *prior_mean,
        *prior_sd;         /**< n: at row 0, for the first window, and for all with the arrival cost; or NULL */
    const double *walk_sd; /**< n: s.d. by which each number walks from row to row; forgets the past. NULL: 0 */
    /** Residuals of rows first .. last, each * (last - first + 1) a point, for `count` values of z at row `first`. A missing
     *  datum has the residual 0. NAN: could not be evaluated. False: end. */
    bool (*residuals)(void *ctx, int first, int last, int count, const double *z, double *r);
    /** z at row `to` from z at row `from` for `count` points: the state goes on, the parameters stay. False: end. */
    bool (*advance)(void *ctx, int from, int to, int count, const double *z, double *out);
    void *ctx;
} perp_window_problem;

/** How windows are laid. */
typedef struct perp_window_options {
    int length;   /**< rows of a window */
    int stride;   /**< rows from window to window; 0: 1 */
    bool arrival; /**< rows that have left the window count, linearised at the estimate with which they left; needs
                               the square loss */
    perp_fit_options fit; /**< of each window; `details` is not used */
} perp_window_options;

/** Windows: row i of each array is window i, from row i * stride. Arrays may be NULL: not wanted. */
typedef struct perp_window_result {
    double *z;          /**< windows x n */
    double *sd;         /**< windows x n; INFINITY: not identified */
    double *covariance; /**< windows x n x n */
    double *cost;       /**< windows */
    int *converged;     /**< windows: 0 or 1 */
    int evaluations;    /**< out: points evaluated */
} perp_window_result;

/** Number of windows: 1 + (rows - length) / stride; 0 if the problem or the options are bad. */
PERP_API int perp_window_count(const perp_window_problem *problem, const perp_window_options *options);

/** Fits one window after another, each from the one before. Errors as perp_fit. */
PERP_API perp_status perp_fit_window(const perp_window_problem *problem, const perp_window_options *options,
                                     perp_window_result *result, perp_refusal *why);

#ifdef __cplusplus
}
#endif
#endif
