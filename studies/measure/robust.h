/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* robust.h - least squares with a robust loss and standard errors by cluster; means by cluster.
 *
 * Observations come in groups (an impact, a flight), groups in clusters (a toss). Errors of one cluster may depend on
 * each other in any way; those of different clusters do not. */
#ifndef STUDY_ROBUST_H
#define STUDY_ROBUST_H

#include <stdbool.h>

enum { ROBUST_UNKNOWNS = 8, ROBUST_RESIDUALS = 512 }; /* most unknowns; most residuals of a group */

typedef struct robust_problem {
    int groups, unknowns, clusters;
    /* Residuals of a group at theta, at most ROBUST_RESIDUALS; returns their number, which does not depend on theta. */
    int (*residuals)(const void *ctx, int group, const double *theta, double *r);
    int (*cluster)(const void *ctx, int group); /* 0 .. clusters - 1 */
    const void *ctx;
    const double *step; /* unknowns: steps of the central differences */
    double huber;       /* groups beyond this many scales weigh less, as 1/distance (Huber); 0: all weigh the same */
} robust_problem;

typedef struct robust_fit {
    double theta[ROBUST_UNKNOWNS];
    double se[ROBUST_UNKNOWNS];      /* by the jackknife over clusters */
    double se_rows[ROBUST_UNKNOWNS]; /* as if all residuals were independent, for comparison */
    double correlation[ROBUST_UNKNOWNS][ROBUST_UNKNOWNS];
    double scale; /* robust standard deviation of one residual */
    int iterations;
    bool converged;
    int unidentified; /* unknown that these data do not determine, beside those before it; -1: none */
} robust_fit;

/* Fits from the values that fit->theta holds. Returns false if an unknown is not identified or it does not converge. */
bool robust_solve(const robust_problem *p, robust_fit *fit);

/* Inverse of the symmetric n x n matrix H. Returns the first unknown whose pivot is too small, -1 if there is none. */
int robust_invert(int n, double H[ROBUST_UNKNOWNS][ROBUST_UNKNOWNS], double inverse[ROBUST_UNKNOWNS][ROBUST_UNKNOWNS]);

typedef struct cluster_mean {
    int n, clusters;
    double mean;
    double spread; /* standard deviation of single values */
    double se;     /* standard error of the mean, by cluster */
} cluster_mean;

/* Mean of x[0..n-1]; cluster[i] names the cluster of x[i], in ascending order. NaN where n or clusters are too few. */
cluster_mean robust_mean(const double *x, const int *cluster, int n);
/* Median; sorts x. */
double robust_median(double *x, int n);

#endif
