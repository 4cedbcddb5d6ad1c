/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure_cone.c - the judge of friction contact problems and cone programmes
 * Problem  contact: x in K = {|x_T| <= mu x_N}, v^ = v + mu |v_T| n in the dual cone {mu |v_T| <= v_N}, x . v^ = 0, in
 *          the metric of the axes (cone_judge.h); without the term for PERP_CONE_QP. Bounded rows: lo <= r <= hi
 *          complementary to u.
 * Method   velocities from the data, then each contact by itself: natural map x - P(x - rho v^), Fischer-Burmeister
 *          function of the Jordan algebra between (x_N, x_T/mu) and rho (v^_N, mu v_T), both in the Lorentz cone at a
 *          solution; x . v^; distances to the cones; x_T . v_T + mu x_N |v_T|. All figures are homogeneous in (x, rho
 *          v), so that the unit is divided out at the end.
 * Valid    mu = 0 too: the cone is then a ray, and tangential impulses are errors.
 * Cost     one product with W (two with H and a solve with M in global form) and O(m); no allocation.
 * Source   De Saxce, Feng (1998); Acary, Brogliato, Numerical Methods for Nonsmooth Dynamical Systems (2008), 13;
 *          Fukushima, Luo, Tseng (2002) for the Jordan algebra. */
#include <math.h>

#include "problem/judge/cone_judge.h"
#include "problem/law.h"
#include "base/elementary.h"

#define DIM PERP_CONE_ROWS

static double dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Euclidean; the long way only where squares would leave the range of numbers. */
static double norm(int n, const double *x) {
    double most = 0, sum = dot(n, x, x);
    if (sum > 1e-280 && sum < 1e280) return sqrt(sum);
    sum = 0;
    for (int i = 0; i < n; i++) pp_worsen(&most, x[i]);
    if (!(most > 0) || most == INFINITY) return most;
    for (int i = 0; i < n; i++) sum += (x[i] / most) * (x[i] / most);
    return most * sqrt(sum);
}

/* Projection of y on K, in place. The polar cone is tested first: for mu = 0 every y with y_N <= 0 lies in it, also
 * those that |y_T| <= mu y_N would let pass for y_T = 0. */
static void project(int dim, double mu, double *y) {
    double slip = norm(dim - 1, y + 1);
    if (y[0] <= -mu * slip) {
        for (int i = 0; i < dim; i++) y[i] = 0;
        return;
    }
    if (slip <= mu * y[0]) return;
    y[0] = mu > 1 ? (y[0] / mu + slip) / (1 / mu + mu) : (y[0] + mu * slip) / (1 + mu * mu); /* mu^2 may overflow */
    for (int i = 1; i < dim; i++) y[i] *= mu * y[0] / slip;
}

/* |x - P(x - rho v)| */
static double natural(int dim, double mu, double rho, const double *x, const double *v) {
    double y[DIM] = {0};
    for (int i = 0; i < dim; i++) y[i] = x[i] - rho * v[i];
    project(dim, mu, y);
    for (int i = 0; i < dim; i++) y[i] = x[i] - y[i];
    return norm(dim, y);
}

/* |a_T - a_0 t|^2 + |b_T - b_0 t|^2 for sign 1, with + for sign -1: the square root of an eigenvalue of a^2 + b^2, t
 * the direction of its vector part. As a sum of squares it keeps its digits where the eigenvalue is nearly 0. */
static double eigenvalue_root(int dim, const double *a, const double *b, const double *t, double sign) {
    double d[2 * DIM];
    for (int i = 1; i < dim; i++) {
        d[i - 1] = a[i] - sign * a[0] * t[i];
        d[dim - 1 + i - 1] = b[i] - sign * b[0] * t[i];
    }
    return norm(2 * (dim - 1), d);
}

/* |a + b - (a^2 + b^2)^(1/2)| in the Jordan algebra of the Lorentz cone. */
static double fischer_lorentz(int dim, const double *a, const double *b) {
    double t[DIM] = {0}, f[DIM];
    for (int i = 1; i < dim; i++) t[i] = a[0] * a[i] + b[0] * b[i];
    double length = norm(dim - 1, t + 1);
    for (int i = 1; i < dim; i++) t[i] = length > 0 ? t[i] / length : i == 1;
    double low = eigenvalue_root(dim, a, b, t, 1), high = eigenvalue_root(dim, a, b, t, -1);
    f[0] = a[0] + b[0] - (high + low) / 2;
    for (int i = 1; i < dim; i++) f[i] = a[i] + b[i] - (high - low) / 2 * t[i];
    return norm(dim, f);
}

static double fischer(int dim, double mu, double rho, const double *x, const double *v) {
    double a[DIM] = {x[0]}, b[DIM] = {rho * v[0]};
    if (mu == 0 || dim == 1) { /* a ray: the normal parts as numbers, and x_T should be 0 */
        a[0] = pp_fischer(a[0], b[0]);
        for (int i = 1; i < dim; i++) a[i] = x[i];
        return norm(dim, a);
    }
    for (int i = 1; i < dim; i++) {
        a[i] = x[i] / mu;
        b[i] = rho * mu * v[i];
    }
    return fischer_lorentz(dim, a, b);
}

/* What is summed beside the largest figures: squares of the parts of Siconos' measure. */
typedef struct sums {
    double map, q, r, u;
    double unit; /* largest |x| and rho |q| */
} sums;

static void unit_of(sums *s, double x, double q, double rho) {
    pp_worsen(&s->unit, x);
    pp_worsen(&s->unit, rho * q);
}

static void measure_row(const pp_cone_judge *j, int k, const double *r, perp_measures *m, sums *s) {
    double lo = j->p.lo ? j->p.lo[k] : -INFINITY, hi = j->p.hi ? j->p.hi[k] : INFINITY;
    double g = j->weight[k], rho = j->rho[k], u = j->u[k];
    pp_law_measure(g * r[k], g * rho * u, g * lo, g * hi, m);
    unit_of(s, g * r[k], g * j->q[k], rho);
    double raw = pp_natural(r[k], u, lo, hi);
    pp_worsen(&m->raw, raw);
    s->map += raw * raw, s->q += j->q[k] * j->q[k], s->r += r[k] * r[k], s->u += u * u;
}

/* A contact in the metric of its axes. Rows of axis 0 are left out of the cone, where no impulse may be along them. */
typedef struct contact {
    int dim; /* rows that are left */
    double mu, rho;
    double x[DIM], v[DIM], hat[DIM], q[DIM]; /* impulse, velocity, v^, velocity without impulses */
    double stray;                            /* size of the impulses along axes 0 */
} contact;

static void contact_values(const pp_cone_judge *j, int c, const double *r, contact *k) {
    int dim = j->p.dim, at = j->p.nrow + dim * c;
    *k = (contact){.mu = j->p.mu[c], .rho = j->rho[j->p.nrow + c]};
    double stray[DIM];
    int strays = 0;
    for (int i = 0; i < dim; i++) {
        double x = j->to_x[at + i] * r[at + i], e = j->to_v[at + i];
        if (!(e > 0)) {
            stray[strays++] = x;
            continue;
        }
        k->x[k->dim] = x;
        k->hat[k->dim] = k->v[k->dim] = e * j->u[at + i];
        k->q[k->dim++] = e * j->q[at + i];
    }
    k->stray = norm(strays, stray);
    if (!j->associated) k->hat[0] += k->mu * norm(k->dim - 1, k->v + 1);
}

/* Length of a vector of the contact whose part along axes 0 is the stray impulse. */
static double with_stray(const contact *k, double length) { return k->stray > 0 ? pp_hypot(length, k->stray) : length; }

static void measure_contact(const contact *k, perp_measures *m, sums *s) {
    int dim = k->dim;
    double mu = k->mu, rho = k->rho, slip = norm(dim - 1, k->v + 1), y[DIM];
    unit_of(s, with_stray(k, norm(dim, k->x)), norm(dim, k->q), rho);
    pp_worsen(&m->natural, with_stray(k, natural(dim, mu, rho, k->x, k->hat)));
    pp_worsen(&m->fischer, with_stray(k, fischer(dim, mu, rho, k->x, k->hat)));
    pp_worsen(&m->complementarity, rho * dot(dim, k->x, k->hat));
    pp_worsen(&m->dissipation, rho * (dot(dim - 1, k->x + 1, k->v + 1) + mu * k->x[0] * slip));
    for (int i = 0; i < dim; i++) y[i] = k->x[i];
    project(dim, mu, y);
    for (int i = 0; i < dim; i++) y[i] -= k->x[i];
    pp_worsen(&m->infeasible_z, with_stray(k, norm(dim, y)));
    for (int i = 0; i < dim; i++) y[i] = -k->hat[i]; /* Moreau: the distance to the dual cone is |P_K(-v^)| */
    project(dim, mu, y);
    pp_worsen(&m->infeasible_w, rho * norm(dim, y));
    double raw = with_stray(k, natural(dim, mu, 1, k->x, k->hat));
    pp_worsen(&m->raw, raw);
    s->map += raw * raw;
    s->q += dot(dim, k->q, k->q);
    s->r += dot(dim, k->x, k->x) + k->stray * k->stray;
    s->u += dot(dim, k->v, k->v);
}

/* figure/unit^power; what is no number is INFINITY. */
static void over(double *figure, double unit, int power) {
    for (int i = 0; i < power; i++) *figure /= unit;
    if (!(*figure < INFINITY)) *figure = INFINITY;
}

void pp_cone_judge_measure(pp_cone_judge *j, const double *r, perp_measures *out) {
    const perp_cone *p = &j->p;
    pp_measures_lost(out);
    if (!pp_all_finite(j->m, r)) return;
    pp_cone_judge_velocity(j, r, j->u, NULL);
    if (!pp_all_finite(j->m, j->u)) return;
    *out = (perp_measures){0};
    sums s = {0};
    double stiffest = 0;
    for (int k = 0; k < p->nrow; k++) measure_row(j, k, r, out, &s);
    for (int c = 0; c < p->ncontact; c++) {
        contact k;
        contact_values(j, c, r, &k);
        measure_contact(&k, out, &s);
    }
    for (int k = 0; k < j->m; k++) pp_worsen(&out->largest, r[k]);
    for (int i = p->ncontact > 0 ? p->nrow : 0; i < p->nrow + p->ncontact; i++) pp_worsen(&stiffest, j->rho[i]);
    double unit = s.unit > 0 ? s.unit : 1, all = fmax(fmax(s.q, s.r), s.u);
    over(&out->natural, unit, 1);
    over(&out->fischer, unit, 1);
    over(&out->infeasible_z, unit, 1);
    over(&out->infeasible_w, unit, 1);
    over(&out->complementarity, unit, 2);
    over(&out->dissipation, unit, 2);
    out->siconos = !(all < INFINITY) ? INFINITY : all > 0 ? sqrt(s.map) / sqrt(all) : 0;
    out->z_unit = unit;
    out->w_unit = stiffest > 0 ? unit / stiffest : 1;
}

static double row_violation(const pp_cone_judge *j, int k, const double *r) {
    double lo = j->p.lo ? j->p.lo[k] : -INFINITY, hi = j->p.hi ? j->p.hi[k] : INFINITY;
    return pp_natural(r[k], j->rho[k] * j->u[k], lo, hi) / j->rho[k];
}

static double contact_violation(const pp_cone_judge *j, int c, const double *r) {
    contact k;
    contact_values(j, c, r, &k);
    return with_stray(&k, natural(k.dim, k.mu, k.rho, k.x, k.hat)) / k.rho;
}

double pp_cone_judge_residual(pp_cone_judge *j, const double *r) {
    const perp_cone *p = &j->p;
    double most = 0;
    if (!pp_all_finite(j->m, r)) return INFINITY;
    pp_cone_judge_velocity(j, r, j->u, NULL);
    for (int k = 0; k < p->nrow; k++) pp_worsen(&most, row_violation(j, k, r));
    for (int c = 0; c < p->ncontact; c++) pp_worsen(&most, contact_violation(j, c, r));
    return most;
}

void pp_cone_judge_violations(pp_cone_judge *j, const double *r, double *violation) {
    const perp_cone *p = &j->p;
    bool finite = pp_all_finite(j->m, r);
    if (finite) pp_cone_judge_velocity(j, r, j->u, NULL);
    finite = finite && pp_all_finite(j->m, j->u);
    for (int i = 0; i < p->nrow + p->ncontact; i++)
        violation[i] = !finite       ? INFINITY
                       : i < p->nrow ? fabs(row_violation(j, i, r))
                                     : contact_violation(j, i - p->nrow, r);
}

double pp_cone_residual(const perp_problem *p, const double *r) {
    pp_cone_judge *j = NULL;
    double most = INFINITY;
    if (pp_cone_judge_new(p, NULL, &j) == PERP_OK) most = pp_cone_judge_residual(j, r);
    pp_cone_judge_free(j);
    return most;
}
