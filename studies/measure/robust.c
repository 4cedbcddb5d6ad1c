/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* robust.c - Gauss-Newton with Huber weights on groups, standard errors by cluster
 *   min over theta of sum over groups of rho(|r_g(theta)|)
 * Method   residuals and Jacobians by central differences; weights w_g = min(1, c s sqrt(m)/|r_g|) with m residuals in the
 *          group, s the robust scale from the median of |r_g|, both taken anew in each iteration. Standard errors are
 *          those of the jackknife: each cluster is left out in turn, which moves the answer by d_c = (H - H_c)^-1 u_c in
 *          one step of Gauss-Newton, with the information H = sum w J'J and the score u = sum w J'r of the cluster; the
 *          covariance is (C - 1)/C sum d_c d_c'. With few clusters it is larger, and truer, than H^-1 (sum u u') H^-1.
 * Valid    smooth residuals and a start near the answer.
 * Cost     2 n + 1 residuals of all groups in each iteration, mostly fewer than 10 iterations.
 * Source   Huber, Robust Statistics (1981), chapter 7; Bell, McCaffrey (2002), bias reduction in standard errors for linear
 *          regression with multi-stage samples. */
#include "robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N ROBUST_UNKNOWNS

enum { ITERATIONS = 50 };
#define SMALL_STEP 1e-9 /* converged: all changes are below this many standard errors by rows, or below it relatively */
#define SINGULAR   1e-9 /* a pivot of the information with unit diagonal below this: not identified */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double robust_median(double *x, int n) {
    if (n < 1) return NAN;
    qsort(x, (size_t)n, sizeof *x, by_value);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

cluster_mean robust_mean(const double *x, const int *cluster, int n) {
    cluster_mean m = {n, 0, NAN, NAN, NAN};
    if (n < 1) return m;
    double sum = 0, squares = 0, part = 0, moved = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    m.mean = sum / n;
    for (int i = 0, from = 0; i < n; i++) {
        double d = x[i] - m.mean;
        squares += d * d;
        part += d;
        if (i + 1 < n && cluster[i + 1] == cluster[i]) continue;
        int left = n - (i + 1 - from); /* without this cluster the mean moves by -part/left */
        moved += left > 0 ? part / left * (part / left) : 0;
        part = 0;
        from = i + 1;
        m.clusters++;
    }
    if (n > 1) m.spread = sqrt(squares / (n - 1));
    if (m.clusters > 1) m.se = sqrt(moved * (m.clusters - 1) / m.clusters);
    return m;
}

/* By elimination without exchange, after scaling to unit diagonal. */
int robust_invert(int n, double H[N][N], double inverse[N][N]) {
    double d[N], a[N][2 * N];
    memset(a, 0, sizeof a);
    for (int i = 0; i < n; i++) {
        if (!(H[i][i] > 0)) return i;
        d[i] = 1 / sqrt(H[i][i]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i][j] = H[i][j] * d[i] * d[j];
        a[i][n + i] = 1;
    }
    for (int i = 0; i < n; i++) {
        double pivot = a[i][i];
        if (!(pivot > SINGULAR)) return i;
        for (int j = 0; j < 2 * n; j++) a[i][j] /= pivot;
        for (int k = 0; k < n; k++) {
            double f = a[k][i];
            if (k == i || f == 0) continue;
            for (int j = 0; j < 2 * n; j++) a[k][j] -= f * a[i][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) inverse[i][j] = a[i][n + j] * d[i] * d[j];
    return -1;
}

static double norm(const double *r, int m) {
    double s = 0;
    for (int i = 0; i < m; i++) s += r[i] * r[i];
    return sqrt(s);
}

/* Median of the norm of m standard normal numbers (Wilson and Hilferty). */
static double median_norm(int m) { return sqrt(m * pow(1 - 2.0 / (9.0 * m), 3)); }

/* Robust standard deviation of one residual: the median over groups of |r|/median_norm. */
static double scale_of(const robust_problem *p, const double *theta, double *work) {
    double r[ROBUST_RESIDUALS];
    for (int g = 0; g < p->groups; g++) {
        int m = p->residuals(p->ctx, g, theta, r);
        work[g] = norm(r, m) / median_norm(m);
    }
    return robust_median(work, p->groups);
}

typedef struct part { /* of one cluster */
    double H[N][N];   /* sum of w J'J */
    double u[N];      /* sum of w J'r */
    int groups;
} part;

typedef struct sums {
    part *part;     /* clusters */
    double H[N][N]; /* over all clusters */
    double g[N];
    double squares; /* sum of w r'r */
    int residuals;
} sums;

/* Adds the group to the part of its cluster, with its weight. */
static void add_group(const robust_problem *p, int group, const double *theta, double scale, sums *s) {
    double r[ROBUST_RESIDUALS], up[ROBUST_RESIDUALS], down[ROBUST_RESIDUALS], J[N][ROBUST_RESIDUALS], th[N];
    int m = p->residuals(p->ctx, group, theta, r), n = p->unknowns;
    memcpy(th, theta, sizeof th);
    for (int a = 0; a < n; a++) {
        th[a] = theta[a] + p->step[a];
        p->residuals(p->ctx, group, th, up);
        th[a] = theta[a] - p->step[a];
        p->residuals(p->ctx, group, th, down);
        th[a] = theta[a];
        for (int i = 0; i < m; i++) J[a][i] = (up[i] - down[i]) / (2 * p->step[a]);
    }
    double size = norm(r, m), limit = p->huber * scale * sqrt(m);
    double w = p->huber > 0 && size > limit ? limit / size : 1;
    part *c = &s->part[p->cluster(p->ctx, group)];
    c->groups++;
    for (int a = 0; a < n; a++) {
        for (int i = 0; i < m; i++) c->u[a] += w * J[a][i] * r[i];
        for (int b = 0; b < n; b++)
            for (int i = 0; i < m; i++) c->H[a][b] += w * J[a][i] * J[b][i];
    }
    s->squares += w * size * size;
    s->residuals += m;
}

static void add_all(const robust_problem *p, const double *theta, double scale, sums *s) {
    part *parts = s->part;
    memset(parts, 0, sizeof *parts * (size_t)p->clusters);
    *s = (sums){.part = parts};
    for (int g = 0; g < p->groups; g++) add_group(p, g, theta, scale, s);
    for (int c = 0; c < p->clusters; c++)
        for (int a = 0; a < p->unknowns; a++) {
            s->g[a] += parts[c].u[a];
            for (int b = 0; b < p->unknowns; b++) s->H[a][b] += parts[c].H[a][b];
        }
}

/* Covariance by the jackknife: without cluster c one Gauss-Newton step leads to theta + (H - H_c)^-1 u_c. A cluster without
 * which an unknown is not identified makes its standard error infinite. */
static void jackknife(const robust_problem *p, const sums *s, double inverse[N][N], robust_fit *fit) {
    int n = p->unknowns, clusters = 0;
    double V[N][N] = {{0}}, rest[N][N], without[N][N];
    bool lost = false;
    for (int c = 0; c < p->clusters; c++) clusters += s->part[c].groups > 0;
    for (int c = 0; c < p->clusters; c++) {
        const part *one = &s->part[c];
        if (one->groups == 0) continue;
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) rest[a][b] = s->H[a][b] - one->H[a][b];
        if (robust_invert(n, rest, without) >= 0) {
            lost = true;
            break;
        }
        double d[N] = {0};
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) d[a] += without[a][b] * one->u[b];
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) V[a][b] += d[a] * d[b] * (clusters - 1) / clusters;
    }
    double variance = s->squares / (s->residuals - n);
    for (int a = 0; a < n; a++) {
        fit->se[a] = lost ? INFINITY : sqrt(V[a][a]);
        fit->se_rows[a] = sqrt(variance * inverse[a][a]);
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) fit->correlation[a][b] = lost ? NAN : V[a][b] / (fit->se[a] * fit->se[b]);
}

bool robust_solve(const robust_problem *p, robust_fit *fit) {
    fit->iterations = 0;
    fit->converged = false;
    fit->unidentified = -1;
    sums s = {.part = calloc((size_t)p->clusters + 1, sizeof *s.part)};
    double *work = malloc(sizeof *work * (size_t)(p->groups > 0 ? p->groups : 1)), inverse[N][N] = {{0}};
    bool ok = s.part && work && p->groups > 0 && p->clusters > 1;
    while (ok && !fit->converged && fit->iterations < ITERATIONS) {
        fit->iterations++;
        fit->scale = scale_of(p, fit->theta, work);
        add_all(p, fit->theta, fit->scale, &s);
        fit->unidentified = robust_invert(p->unknowns, s.H, inverse);
        if (fit->unidentified >= 0) break;
        fit->converged = true;
        for (int a = 0; a < p->unknowns; a++) {
            double d = 0;
            for (int b = 0; b < p->unknowns; b++) d -= inverse[a][b] * s.g[b];
            if (!(fabs(d) <= SMALL_STEP * fmax(fabs(fit->theta[a]), fit->scale * sqrt(inverse[a][a]))))
                fit->converged = false;
            fit->theta[a] += d;
        }
    }
    ok = ok && fit->converged;
    if (ok) jackknife(p, &s, inverse, fit);
    free(s.part);
    free(work);
    return ok;
}
