/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* newton.h - semismooth Newton iteration shared by fischer-newton and minmap-newton: scaling, globalisation, restarts */
#ifndef PP_NEWTON_H
#define PP_NEWTON_H

#include "solver/newton/newton_system.h"

/* One complementarity pair as an equation psi(x, f) = 0, and its derivatives da = dpsi/dx >= 0, db = dpsi/df >= 0. At
 * a kink of psi the derivatives are their limits along (dx, df). Returns true at a kink. */
typedef bool (*pp_newton_law)(double x, double f, double lo, double hi, double dx, double df, double *psi, double *da,
                              double *db);

/* Fischer-Burmeister with Billups' composition for two bounds (solver_fischer_newton.c). */
bool pp_newton_fischer(double x, double f, double lo, double hi, double dx, double df, double *psi, double *da,
                       double *db);
/* mid(x - hi, f, x - lo) (solver_minmap_newton.c) */
bool pp_newton_mid(double x, double f, double lo, double hi, double dx, double df, double *psi, double *da, double *db);

/* Settings of both solvers, and their table of fields. */
typedef struct pp_newton_settings {
    int max_steps;
    int restarts;
    int memory;
    int watchdog;
    double tol;
} pp_newton_settings;
extern const perp_field pp_newton_fields[];
#define PP_NEWTON_FIELDS 5

/* Solves p from z with Newton directions of `law`. Merit and fallback directions always use Fischer-Burmeister. */
perp_outcome pp_newton_run(const perp_problem *p, pp_newton_law law, const pp_newton_settings *set, double *z,
                           const perp_call *call, perp_solve_info *info);

#endif
