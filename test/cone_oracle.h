/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_oracle.h - a plug-in that solves small cone problems by a dense proximal Newton method, apart from the library's
 * own solvers: what worlds with true cones are tested with and compared by.
 *   outer   v = W x + q + a (x - x_k), Coulomb's law between x and v; then a falls
 *   inner   semismooth Newton on Alart and Curnier's equations, full steps first, then a line search
 * Rows are scaled to unit inverse mass. Cubic in the rows. */
#ifndef TEST_CONE_ORACLE_H
#define TEST_CONE_ORACLE_H

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "perp/plugin.h"

typedef struct oracle {
    const perp_cone *p;
    int m;
    double *W, *q, *s;      /* scaled: m x m, m; r = s x */
    double *x, *xk, *v, *F; /* m each */
    double *D;              /* m x 3: rows of the derivative of the projection within a contact */
    double *J, *dx, *xt;    /* m x m, m, m */
    int *piv;
    double a;
} oracle;

typedef struct oracle_settings {
    double tol;
} oracle_settings;

static const perp_field oracle_fields[] = {
    {"tol", PERP_FIELD_DOUBLE, offsetof(oracle_settings, tol), 1e-10, 1e-15, 1, "residual at which to stop"},
};

/* SOLVED if there are a W and a q to work with. */
static perp_outcome oracle_matrix(oracle *o, const perp_call *call) {
    const perp_cone *p = o->p;
    int n = p->M.rows, m = o->m;
    double *M = perp_call_memory(call, sizeof(double) * (size_t)(n * n + 1));
    double *X = perp_call_memory(call, sizeof(double) * (size_t)(n * (m + 1)));
    int *piv = perp_call_memory(call, sizeof(int) * (size_t)(n + 1));
    if (!M || !X || !piv) return PERP_OUTCOME_MEMORY;
    memset(M, 0, sizeof(double) * (size_t)(n * n));
    memset(X, 0, sizeof(double) * (size_t)(n * (m + 1)));
    for (int j = 0; j < n; j++)
        for (int k = p->M.start[j]; k < p->M.start[j + 1]; k++) M[p->M.index[k] + n * j] = p->M.value[k];
    for (int j = 0; j < m; j++)
        for (int k = p->H.start[j]; k < p->H.start[j + 1]; k++) X[p->H.index[k] + n * j] = p->H.value[k];
    memcpy(X + n * m, p->f, sizeof(double) * (size_t)n);
    if (!pp_lu(n, M, n, piv)) return PERP_OUTCOME_NUMERICS;
    pp_lu_solve(n, M, n, piv, m + 1, X, n);
    for (int j = 0; j <= m; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int k = p->H.start[i]; k < p->H.start[i + 1]; k++) sum += p->H.value[k] * X[p->H.index[k] + n * j];
            if (j < m)
                o->W[i + m * j] = sum + (i == j && p->compliance ? p->compliance[i] : 0);
            else
                o->q[i] = sum + p->b[i];
        }
    for (int i = 0; i < m; i++) { /* one scale per contact */
        int first = i < p->nrow ? i : i - (i - p->nrow) % p->dim, rows = i < p->nrow ? 1 : p->dim;
        double mean = 0;
        for (int k = 0; k < rows; k++) mean += o->W[(first + k) * (m + 1)] / rows;
        o->s[i] = mean > 0 ? 1 / sqrt(mean) : 1;
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) o->W[i + m * j] *= o->s[i] * o->s[j];
    for (int i = 0; i < m; i++) o->q[i] *= o->s[i];
    return PERP_OUTCOME_SOLVED;
}

/* F and D at x; the largest |F|. */
static double oracle_law(oracle *o, const double *x, double *F) {
    const perp_cone *p = o->p;
    int m = o->m;
    double most = 0;
    for (int i = 0; i < m; i++) {
        o->v[i] = o->q[i] + o->a * (x[i] - o->xk[i]);
        for (int j = 0; j < m; j++) o->v[i] += o->W[i + m * j] * x[j];
    }
    memset(o->D, 0, sizeof(double) * (size_t)(3 * m));
    for (int i = 0; i < p->nrow; i++) {
        double lo = p->lo ? p->lo[i] / o->s[i] : -INFINITY, hi = p->hi ? p->hi[i] / o->s[i] : INFINITY;
        double y = x[i] - o->v[i];
        o->D[3 * i] = y > lo && y < hi ? 1 : 0;
        F[i] = x[i] - (y < lo ? lo : y > hi ? hi : y);
    }
    for (int c = 0; c < p->ncontact; c++) {
        int at = p->nrow + p->dim * c, two = p->dim == 3;
        double mu = p->mu[c], y[3] = {0, 0, 0}, *D = o->D + 3 * at;
        for (int k = 0; k < p->dim; k++) y[k] = x[at + k] - o->v[at + k];
        double R = mu * fmax(0, y[0]), size = hypot(y[1], y[2]);
        if (y[0] <= 0) {
            y[0] = y[1] = y[2] = 0;
        } else if (size <= R) {
            D[0] = D[3 + 1] = 1;
            if (two) D[6 + 2] = 1;
        } else {
            double t[2] = {y[1] / size, y[2] / size}, k = R / size;
            D[0] = 1;
            D[3] = mu * t[0];
            D[3 + 1] = k * (1 - t[0] * t[0]);
            D[3 + 2] = -k * t[0] * t[1];
            if (two) D[6] = mu * t[1], D[6 + 1] = D[3 + 2], D[6 + 2] = k * (1 - t[1] * t[1]);
            y[1] = R * t[0];
            y[2] = R * t[1];
        }
        for (int k = 0; k < p->dim; k++) F[at + k] = x[at + k] - y[k];
    }
    for (int i = 0; i < m; i++)
        if (!(fabs(F[i]) <= most)) most = fabs(F[i]);
    return most;
}

/* dx = -[(I - D) + D (W + a)]^-1 F */
static bool oracle_newton(oracle *o) {
    int m = o->m;
    for (int i = 0; i < m; i++) {
        bool bounded = i < o->p->nrow;
        int first = bounded ? i : i - (i - o->p->nrow) % o->p->dim, rows = bounded ? 1 : o->p->dim;
        for (int j = 0; j < m; j++) {
            double sum = i == j;
            for (int k = 0; k < rows; k++)
                sum += o->D[3 * i + k] * (o->W[first + k + m * j] + (first + k == j ? o->a - 1 : 0));
            o->J[i + m * j] = sum;
        }
        o->dx[i] = -o->F[i];
    }
    if (!pp_lu(m, o->J, m, o->piv)) return false;
    pp_lu_solve(m, o->J, m, o->piv, 1, o->dx, m);
    return true;
}

/* Newton from x_k, by full steps or by a line search; true if F fell to `target`. */
static bool oracle_inner(oracle *o, double target, bool search, int *steps) {
    int m = o->m;
    memcpy(o->x, o->xk, sizeof(double) * (size_t)m);
    double e = oracle_law(o, o->x, o->F);
    for (int k = 0; k < 30 && e > target; k++, (*steps)++) {
        if (!oracle_newton(o)) return false;
        double length = 1, now = INFINITY;
        for (int cut = 0; cut < (search ? 12 : 1); cut++, length *= 0.5) {
            for (int i = 0; i < m; i++) o->xt[i] = o->x[i] + length * o->dx[i];
            now = oracle_law(o, o->xt, o->F);
            if (now < (1 - 1e-3 * length) * e) break;
        }
        memcpy(o->x, o->xt, sizeof(double) * (size_t)m);
        e = now;
        if (!isfinite(e)) return false;
    }
    return e <= target;
}

static perp_outcome oracle_solve(const perp_problem *problem, const void *settings, double *z, void *work,
                                 const perp_call *call, perp_solve_info *info) {
    (void)work;
    oracle o = {.p = &problem->as.cone, .m = perp_problem_size(problem)};
    int m = o.m;
    double *pool = perp_call_memory(call, sizeof(double) * (size_t)(2 * m * m + 11 * m + 1));
    o.piv = perp_call_memory(call, sizeof(int) * (size_t)(m + 1));
    if (!pool || !o.piv) return PERP_OUTCOME_MEMORY;
    double **part[] = {&o.q, &o.s, &o.x, &o.xk, &o.v, &o.F, &o.dx, &o.xt};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++, pool += m) *part[i] = pool;
    o.D = pool, o.W = pool + 3 * m, o.J = o.W + m * m;
    perp_outcome ready = o.p->global ? oracle_matrix(&o, call) : PERP_OUTCOME_NUMERICS;
    if (ready != PERP_OUTCOME_SOLVED) return ready;
    double unit = 0, tol = ((const oracle_settings *)settings)->tol;
    for (int i = 0; i < m; i++) {
        o.xk[i] = z[i] / o.s[i];
        unit = fmax(unit, fmax(fabs(o.q[i]), fabs(o.xk[i])));
        info->warm |= z[i] != 0;
    }
    double a = info->warm ? 1e-3 : 1, e = INFINITY;
    for (int outer = 0; outer < 200 && a < 1e4; outer++) {
        o.a = 0;
        e = oracle_law(&o, o.xk, o.F);
        if (e <= tol * unit) break;
        o.a = a;
        double target = fmax(1e-2 * e, 0.1 * tol * unit);
        bool ok =
            oracle_inner(&o, target, false, &info->iterations) || oracle_inner(&o, target, true, &info->iterations);
        if (ok) memcpy(o.xk, o.x, sizeof(double) * (size_t)m);
        a = ok ? fmax(1e-9, 0.1 * a) : 4 * a;
    }
    for (int i = 0; i < m; i++) {
        z[i] = o.xk[i] * o.s[i];
        unit = fmax(unit, fabs(o.xk[i]));
    }
    return e <= tol * unit ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_LIMIT;
}

static const perp_solver_type cone_oracle = {.abi = PERP_ABI,
                                             .name = "cone-oracle",
                                             .source = "test",
                                             .takes = PERP_CONE,
                                             .fields = oracle_fields,
                                             .nfield = 1,
                                             .settings_size = sizeof(oracle_settings),
                                             .solve = oracle_solve};

#endif
