/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file filter.h
 *  Filters: estimates of a state and of parameters after each row of data.
 *
 *  Unknown parameters are part of the state x (n numbers): `advance` does not change them, and they make a random walk with
 *  walk_sd. There are three methods: a bootstrap particle filter (any distribution, many particles), an unscented Kalman filter
 *  (2 n + 1 points, one mode) and an ensemble Kalman filter (many numbers, few members). The conventions are those of fit.h:
 *  batches, arrays of the caller, lists of points as rows, the same bits on every run and for any number of threads. */
#ifndef PERP_FILTER_H
#define PERP_FILTER_H

#include "perp/base.h"
#include "perp/input.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The system and its data. */
typedef struct perp_filter_problem {
    int n;                    /**< numbers of the state, including parameters */
    int m;                    /**< numbers of a row of data */
    int rows;                 /**< at least 1 */
    const double *time;       /**< rows, not decreasing [T] */
    const double *data;       /**< rows x m, row after row; NAN: missing */
    const double *noise_sd;   /**< m, > 0: of the data, normal */
    const double *mean;       /**< n: of the state at time[0], before its data */
    const double *covariance; /**< n x n, column-major: of the same */
    const double *walk_sd;    /**< n: s.d. of the random walk from row to row, applied after advance; NULL: none */
    const double *lower;      /**< n, or NULL: bounds; points are reflected there (Kalman: moved there) */
    const double *upper;      /**< n, or NULL */
    /** Makes x admissible, such as a unit quaternion, after the bounds; NULL: nothing to do. */
    void (*constrain)(void *ctx, double *x);
    /** States at t1 from states at t0, count rows of n. NAN in a row: that state could not be advanced. False: stop with
     *  PERP_E_STOPPED. */
    bool (*advance)(void *ctx, int count, const double *in, double *out, double t0, double t1);
    /** Measurements without noise at time t: count rows of m. NAN in a row: not measurable. False: stop. */
    bool (*observe)(void *ctx, int count, const double *x, double t, double *y);
    void *ctx; /**< passed to all */
} perp_filter_problem;

/** Options of a filter. Zero, NULL: the default. */
typedef struct perp_filter_options {
    const char *method; /**< "particle", "unscented", "ensemble"; NULL: "particle" */
    int particles;      /**< or members, at least 8; default 1000; not used by "unscented" */
    double
        resample; /**< particles are resampled if less than this fraction is effective; default 0.5; 1: at every row */
    double alpha, beta,
        kappa;            /**< of the unscented transform; alpha 0: 1. Default 1, 0, 0: 2 n points of equal weight */
    uint64_t seed;        /**< of all random numbers */
    perp_allocator alloc; /**< {0}: malloc and free */
} perp_filter_options;

/** Estimates after each row. An array may be NULL if it is not needed. */
typedef struct perp_filter_result {
    double *mean;           /**< rows x n */
    double *sd;             /**< rows x n */
    double *covariance;     /**< rows x n x n */
    double *effective;      /**< rows: effective particles before resampling; members; points */
    double *log_likelihood; /**< rows: ln of the density of this row's data given those before */
    double total;           /**< out: sum of log_likelihood, for comparing models */
    int evaluations;        /**< out: states advanced */
    int failed;             /**< out: particles or members that could not be advanced or observed, over all rows */
} perp_filter_result;

/** Runs a filter. result, why: may be NULL. PERP_E_ARG: a bad problem or option, see `why`; PERP_E_SOLVE: no particle is left, a
 *  point of the unscented filter failed, or its covariance is no longer positive definite; PERP_E_STOPPED; PERP_E_MEMORY. */
PERP_API perp_status perp_filter(const perp_filter_problem *problem, const perp_filter_options *options,
                                 perp_filter_result *result, perp_refusal *why);

#ifdef __cplusplus
}
#endif
#endif
