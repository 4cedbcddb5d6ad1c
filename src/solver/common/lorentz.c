/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* lorentz.c - Jordan algebra of the second-order cone in few dimensions
 *   L = {x : x_0 >= |x_T|},  x o y = (x'y, x_0 y_T + y_0 x_T),  det x = x_0^2 - |x_T|^2
 * Method   Closed forms. det is computed as (x_0 - |x_T|)(x_0 + |x_T|), which is accurate near the boundary.
 * Valid    Dimensions 1 to PP_LORENTZ_MAX; divisions, scalings and steps for points inside L.
 * Source   Alizadeh, Goldfarb, Second-order cone programming, Math. Prog. 95 (2003), sections 4-5; Andersen, Roos,
 *          Terlaky, Math. Prog. 95 (2003) for scaling and step length; Fukushima, Luo, Tseng, SIAM J. Optim. 12 (2002)
 *          for the projection. */
#include "solver/common/lorentz.h"

#include <math.h>

#include "base/elementary.h"

static double norm_T(int dim, const double *x) {
    if (dim == 1) return 0;
    if (dim == 2) return fabs(x[1]);
    if (dim == 3) return pp_hypot(x[1], x[2]);
    double t = pp_hypot(x[1], x[2]);
    for (int i = 3; i < dim; i++) t = pp_hypot(t, x[i]);
    return t;
}

static double dot_T(int dim, const double *x, const double *y) {
    double s = 0;
    for (int i = 1; i < dim; i++) s += x[i] * y[i];
    return s;
}

static double det(int dim, const double *x) {
    double t = norm_T(dim, x);
    return (x[0] - t) * (x[0] + t);
}

double pp_lorentz_least(int dim, const double *x) { return x[0] - norm_T(dim, x); }

void pp_lorentz_product(int dim, const double *x, const double *y, double *out) {
    double x0 = x[0], y0 = y[0], first = x0 * y0 + dot_T(dim, x, y);
    for (int i = 1; i < dim; i++) out[i] = x0 * y[i] + y0 * x[i];
    out[0] = first;
}

void pp_lorentz_divide(int dim, const double *x, const double *b, double *y) {
    double first = (x[0] * b[0] - dot_T(dim, x, b)) / det(dim, x), x0 = x[0];
    for (int i = 1; i < dim; i++) y[i] = (b[i] - first * x[i]) / x0;
    y[0] = first;
}

/* The map that takes x to e takes dx to rho; e + a rho leaves L where 1 + a (rho_0 - |rho_T|) = 0. */
double pp_lorentz_step(int dim, const double *x, const double *dx) {
    double n = sqrt(det(dim, x)), rho[PP_LORENTZ_MAX] = {0};
    rho[0] = (x[0] * dx[0] - dot_T(dim, x, dx)) / (n * n);
    double f = (rho[0] * n + dx[0]) / (x[0] + n);
    for (int i = 1; i < dim; i++) rho[i] = (dx[i] - f * x[i]) / n;
    double least = pp_lorentz_least(dim, rho);
    return least < 0 ? -1 / least : INFINITY;
}

bool pp_lorentz_nt_make(int dim, const double *x, const double *z, pp_lorentz_nt *nt) {
    if (!(pp_lorentz_least(dim, x) > 0) || !(pp_lorentz_least(dim, z) > 0)) return false;
    double nx = sqrt(det(dim, x)), nz = sqrt(det(dim, z)), dot = 1;
    if (!(nx > 0 && nz > 0 && isfinite(nx) && isfinite(nz))) return false;
    dot += (x[0] / nx) * (z[0] / nz);
    for (int i = 1; i < dim; i++) dot += (x[i] / nx) * (z[i] / nz);
    double gamma = sqrt(0.5 * dot), square = 0;
    for (int i = 1; i < dim; i++) {
        nt->w[i] = (z[i] / nz - x[i] / nx) / (2 * gamma);
        square += nt->w[i] * nt->w[i];
    }
    nt->w[0] = sqrt(1 + square); /* exactly on the hyperboloid, whatever was rounded */
    nt->eta = sqrt(nz / nx);
    pp_lorentz_nt_apply(dim, nt, x, nt->lambda);
    return isfinite(nt->eta) && isfinite(nt->w[0]);
}

/* eta_0 [w_0, s w_T'; s w_T, I + w_T w_T'/(1 + w_0)] x, s = 1 or -1 */
static void hyperbolic(int dim, const pp_lorentz_nt *nt, double factor, double sign, const double *x, double *out) {
    double along = sign * dot_T(dim, nt->w, x), x0 = x[0], f = x0 + along / (1 + nt->w[0]);
    for (int i = 1; i < dim; i++) out[i] = factor * (x[i] + sign * f * nt->w[i]);
    out[0] = factor * (nt->w[0] * x0 + along);
}

void pp_lorentz_nt_apply(int dim, const pp_lorentz_nt *nt, const double *x, double *out) {
    hyperbolic(dim, nt, nt->eta, 1, x, out);
}

void pp_lorentz_nt_undo(int dim, const pp_lorentz_nt *nt, const double *x, double *out) {
    hyperbolic(dim, nt, 1 / nt->eta, -1, x, out);
}

void pp_lorentz_nt_square(int dim, const pp_lorentz_nt *nt, double *T, int ld) {
    double f = nt->eta * nt->eta;
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++) {
            double J = i != j ? 0 : i == 0 ? 1 : -1;
            T[i + ld * j] = f * (2 * nt->w[i] * nt->w[j] - J);
        }
}

void pp_lorentz_project(int dim, const double *y, double *out) {
    double t = norm_T(dim, y), y0 = y[0];
    double f = y0 <= -t ? 0 : t <= y0 ? 1 : 0.5 * (1 + y0 / t); /* polar cone first: y = 0 has y_0 = -t too */
    for (int i = 1; i < dim; i++) out[i] = f * y[i];
    out[0] = f == 0 ? 0 : f == 1 ? y0 : f * t;
}

void pp_lorentz_project_derivative(int dim, const double *y, double *D, int ld) {
    double t = norm_T(dim, y);
    bool polar = y[0] <= -t, inside = t <= y[0];
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++) {
            double *d = &D[i + ld * j];
            if (polar || inside) {
                *d = !polar && i == j;
            } else if (i == 0 || j == 0) {
                *d = 0.5 * (i + j == 0 ? 1 : y[i + j] / t);
            } else {
                double c = y[0] / t;
                *d = 0.5 * ((i == j ? 1 + c : 0) - c * (y[i] / t) * (y[j] / t));
            }
        }
}
