/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file fit.h
 *  Estimation on plain callbacks: least squares with bounds and error bars, profiles, samples of a posterior, moving windows.
 *
 *  These functions do not use worlds. A callback evaluates many points in one call; it may do so in parallel. The requested
 *  points, and so all results, depend only on the arguments: they have the same bits on every run and for any number of
 *  threads. Arrays are owned by the caller unless stated otherwise. Matrices are column-major. Lists of points are rows: point i
 *  begins at x + i n. */
#ifndef PERP_FIT_H
#define PERP_FIT_H

#include "perp/base.h"
#include "perp/input.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Least-squares problem: find the x within bounds with the least sum of squares of residuals and of deviations from the
 *  prior. */
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
     *  NAN in a row of r: that point could not be evaluated. False: stop with PERP_E_STOPPED. */
    bool (*residuals)(void *ctx, int count, const double *x, double *r);
    /** Derivatives J (m x n, column-major) of the residuals at x; false: stop. NULL: central differences, all points of one
     *  Jacobian in one call of `residuals`. */
    bool (*jacobian)(void *ctx, const double *x, double *J);
    void *ctx; /**< passed to both */
} perp_fit_problem;

/** Further results. An array may be NULL if it is not needed. */
typedef struct perp_fit_details {
    double *sd; /**< n: standard errors; INFINITY: not identified by these data; 0: fixed or at a bound */
    /** n: standard deviations of the estimate over repeated noise with the same prior mean. Equal to sd without a prior, smaller
     *  with one. sd is the uncertainty of the true value; sampling_sd is the scatter of estimates from repeated experiments. */
    double *sampling_sd;
    double *correlation; /**< n x n; NAN where a standard error is not finite or 0; 1 on the diagonal */
    int *bound;          /**< n: -1, 1: at its lower, upper bound, which is active; 2: fixed; 0: free */
    /** n x n. Column k < ndirection: a direction that the data do not determine. Moving the parameters along it does not change
     *  the residuals to first order. The component that is largest relative to its scale is +-1 scale. */
    double *direction;
    int ndirection; /**< out */
    double
        *difference_error; /**< n: relative difference of derivatives with a whole and a half step; 0 with `jacobian` */
    double *residual;      /**< m: at the optimum, as the callback returns them */
    double *weight;        /**< m: of the robust loss, in 0 .. 1; 1 for "square" */
} perp_fit_details;

/** Options of a fit. Zero, NULL: the default. Start from perp_fit_options_default() and change fields. */
typedef struct perp_fit_options {
    int iterations; /**< largest number of steps from one start; default 200 */
    /** Default 1e-8. The search ends if a step would move the parameters by less than tolerance sqrt(dof) standard errors, or
     *  by less than tolerance times their size. */
    double tolerance;
    double difference; /**< step of differences, relative to the scale or the value; default 1e-6 */
    const char *loss;  /**< "square", "huber", "cauchy", "tukey"; NULL: "square" */
    double loss_scale; /**< in standard deviations; default 1.345, 2.385, 4.685 (95 % efficient for normal noise) */
    int starts;    /**< additional random starts, drawn from the prior, else between finite bounds, else around start */
    uint64_t seed; /**< of the extra starts */
    bool noise_known;          /**< false: the covariance is multiplied by cost/dof. Not used with a robust loss */
    perp_allocator alloc;      /**< {0}: malloc and free */
    perp_fit_details *details; /**< NULL: not needed; borrowed until the call returns */
} perp_fit_options;

/** All defaults as numbers, with noise_known = true. */
PERP_API perp_fit_options perp_fit_options_default(void);

/** Result of a fit. */
typedef struct perp_fit_result {
    double cost;    /**< sum (not half) of the losses of the residuals, which are their squares for "square", and of the
                             squared deviations from the prior in standard deviations */
    double chi2;    /**< sum of squares of the residuals alone, without loss or prior */
    int dof;        /**< number of residuals and priors, minus identified free parameters */
    int rank;       /**< number of identified free parameters */
    int iterations; /**< steps tried, over all starts */
    int evaluations;    /**< points evaluated */
    bool converged;     /**< the best start's search met the tolerance */
    const char *reason; /**< why the best start's search ended, one clause; a constant text */
    int agreeing;       /**< of the 1 + starts searches: those that ended at the least cost, to 1e-6 relative */
    double
        difference_error; /**< largest of the details' difference_error; above 1e-3 derivatives have errors by a kink or
                                  by noise */
    bool rough; /**< residuals jump as parameters change; derivatives use longer steps, which average over jumps */
} perp_fit_result;

/** Solves a least-squares problem. x (n): the optimum. covariance (n x n, or NULL): inverse of the information J'J + prior, over
 *  the free parameters (rows of others are 0). A parameter that the data do not identify has INFINITY on the diagonal and NAN in
 *  the rest of its row. result, why: may be NULL. PERP_E_ARG: a bad problem or option, see `why`; PERP_E_SOLVE: no start could be
 *  evaluated; PERP_E_STOPPED: a callback returned false; PERP_E_MEMORY. A search that ended early is not an error: see
 *  `converged`. */
PERP_API perp_status perp_fit(const perp_fit_problem *problem, const perp_fit_options *options, double *x,
                              double *covariance, perp_fit_result *result, perp_refusal *why);

/** The least cost as a function of one parameter. */
typedef struct perp_fit_profile_result {
    int count; /**< in: number of values, 0 or at least 2 */
    double
        *value; /**< out, count: values of the parameter, increasing; from 1.5 half intervals below to 1.5 above, within
                        bounds */
    double *cost; /**< out, count: least cost with the other parameters free */
    double *x;    /**< out, count rows of n: the parameters there; NULL: not needed */
    double
        rise; /**< in: rise of the cost at the ends of the interval; 0: 3.8415, for 95 % (times cost/dof if the noise is
                        unknown) */
    double lo,
        hi; /**< out: ends of the interval; if the cost does not rise so far: the bound, or -INFINITY, INFINITY */
    bool lo_open, hi_open; /**< out: the cost does not rise so far on this side */
    double least;          /**< out: least cost found. If it is below that of the given x, x was not the optimum */
    int evaluations;       /**< out: points evaluated */
} perp_fit_profile_result;

/** Profile of parameter `which` around the optimum x (n, from perp_fit with the same problem and options). Each fit starts from
 *  the result of its neighbour. Errors as perp_fit. */
PERP_API perp_status perp_fit_profile(const perp_fit_problem *problem, const perp_fit_options *options, const double *x,
                                      int which, perp_fit_profile_result *result, perp_refusal *why);

/** A density to be sampled. */
typedef struct perp_sample_problem {
    int n;               /**< dimension */
    const double *lower; /**< n, or NULL: none. Points outside have density 0 and are never evaluated */
    const double *upper; /**< n, or NULL: none */
    /** Logarithm of the density, up to a constant, at `count` points: x has count rows of n. -INFINITY or NAN: density 0. False:
     *  stop. */
    bool (*log_density)(void *ctx, int count, const double *x, double *out);
    void *ctx;
} perp_sample_problem;

/** Options of sampling. */
typedef struct perp_sample_options {
    int walkers;              /**< even, at least 2 n + 2; 0: the larger of 32 and 4 n, even */
    int burn_in;              /**< steps of all walkers that are discarded; 0: as many as steps */
    int steps;                /**< steps of all walkers that are kept, at least 8; 0: 1000 */
    int thin;                 /**< keep every thin-th step; 0: 1 */
    uint64_t seed;            /**< of all random numbers */
    const double *start;      /**< n: mean of the walkers' first positions, such as the optimum of a fit */
    const double *covariance; /**< n x n: of the walkers' first positions, such as that of a fit */
    perp_allocator alloc;     /**< {0}: malloc and free */
} perp_sample_options;

/** Result of sampling. An array may be NULL if it is not needed. */
typedef struct perp_sample_result {
    int draws;          /**< out: steps kept x walkers */
    double *mean;       /**< n */
    double *covariance; /**< n x n */
    double *effective;  /**< n: effective sample size of each parameter */
    double *r_hat;      /**< n: split R-hat over the walkers; above 1.01 to 1.05 it has not converged */
    double acceptance;  /**< out: fraction of accepted moves; 0.2 to 0.5 is usual */
    int evaluations;    /**< out: points evaluated */
} perp_sample_result;

/** Number of points that perp_sample_posterior() will write: steps / thin x walkers after defaults; 0 if the options are bad. */
PERP_API int perp_sample_count(const perp_sample_problem *problem, const perp_sample_options *options);

/** Samples the density by an ensemble of walkers with stretch and differential moves. sample (perp_sample_count rows of n; NULL:
 *  not needed): walkers of the first step kept, then of the second, ... result, why: may be NULL. PERP_E_ARG, PERP_E_MEMORY,
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
        *prior_sd; /**< n: at row 0; used by the first window, and with the arrival cost by all; or NULL */
    const double
        *walk_sd; /**< n: s.d. of the random walk from row to row; it reduces the weight of old rows. NULL: 0 */
    /** Residuals of rows first .. last, each * (last - first + 1) per point, for `count` values of z at row `first`. A missing
     *  datum has the residual 0. NAN: could not be evaluated. False: stop. */
    bool (*residuals)(void *ctx, int first, int last, int count, const double *z, double *r);
    /** z at row `to` from z at row `from` for `count` points: the state is advanced, the parameters stay. False: stop. */
    bool (*advance)(void *ctx, int from, int to, int count, const double *z, double *out);
    void *ctx;
} perp_window_problem;

/** Length and spacing of windows. */
typedef struct perp_window_options {
    int length; /**< rows of a window */
    int stride; /**< rows from window to window; 0: 1 */
    bool
        arrival; /**< arrival cost: rows that have left the window still count, linearised at the estimate when they left;
                               needs the square loss */
    perp_fit_options fit; /**< of each window; `details` is not used */
} perp_window_options;

/** Results of windows: row i of each array is window i, which begins at row i * stride. An array may be NULL if it is not
 *  needed. */
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

/** Fits one window after another; each starts from the result of the previous one. Errors as perp_fit. */
PERP_API perp_status perp_fit_window(const perp_window_problem *problem, const perp_window_options *options,
                                     perp_window_result *result, perp_refusal *why);

#ifdef __cplusplus
}
#endif
#endif
