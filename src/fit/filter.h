/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* filter.h - internals of the filters: one interface, three methods. */
#ifndef PP_FIT_FILTER_H
#define PP_FIT_FILTER_H

#include "base/memory.h"
#include "perp/filter.h"

typedef struct pp_filter {
    const perp_filter_problem *p;
    perp_filter_options o; /* defaults filled in */
    perp_filter_result *result;
    perp_refusal *why;
    pp_arena arena;
    int n, m, count;    /* count: points */
    double *x, *next;   /* count x n */
    double *y;          /* count x m */
    double *weight;     /* count, sum 1 */
    double *mean, *C;   /* n, n x n */
    double *L, *work;   /* n x n */
    double *S, *gain;   /* m x m, n x m: Kalman */
    double *innovation; /* m */
    int *used;          /* m: which of a row's data are there */
    int evaluations, failed;
} pp_filter;

/* The whole run of each method. */
perp_status pp_filter_particle(pp_filter *f);
perp_status pp_filter_unscented(pp_filter *f);
perp_status pp_filter_ensemble(pp_filter *f);

/* filter.c */
/* First cloud: count points of N(mean, covariance), admissible. */
perp_status pp_filter_cloud(pp_filter *f);
/* x from row - 1 to row; for clouds: walked and made admissible, each point with its own random numbers. */
perp_status pp_filter_advance(pp_filter *f, int row, bool walk);
/* f->y at a row. */
perp_status pp_filter_observe(pp_filter *f, int row);
void pp_filter_admit(const pp_filter *f, double *x, bool reflect);
bool pp_filter_finite(int n, const double *x);
/* Mean and covariance of f->x with f->weight. */
void pp_filter_moments(pp_filter *f);
/* Writes a row of the result from f->mean and f->C. */
void pp_filter_write(pp_filter *f, int row, double effective, double log_likelihood);
/* Data of a row that are there; their number. */
int pp_filter_data(pp_filter *f, int row);
/* f->S (k x k, of the data used, noise included) factorised; ln density of f->innovation; f->gain (n x k: covariance of state and data)
 * becomes the Kalman gain. False: S is not positive definite. */
bool pp_filter_gain(pp_filter *f, int k, double *log_likelihood);
uint64_t pp_filter_stream(const pp_filter *f, int row, int what);
perp_status pp_filter_fail(pp_filter *f, int row, const char *words);

#endif
