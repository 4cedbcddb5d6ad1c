/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* motion_sinusoid.c - positions and orientations from sums of sinusoids of linear and angular acceleration
 * Problem  Given p'' and the angular acceleration as sums of A sin(omega t + phase) along world axes, find p(t) and
 *          q(t).
 * Method   Positions and angular velocities are integrals without constant or linear part, in closed form. The
 *          orientation solves q' = 1/2 (0, w) q by the classical fourth-order Runge-Kutta method, made unit after each
 *          step. Start with zero mean: one period from the identity, as Euler angles R = Rz(c) Ry(b) Rx(a); for each
 *          the offset -(max + min)/2; q(0) is the product qz(c) qy(b) qx(a) of the offsets. For the example printed
 *          as [0.999999, -0.00116298, 3.04478e-09, -4.24925e-06] this gives (0.9999993237, -0.0011630048, 4.9419e-09,
 *          -4.249253e-06). Signs differ by convention. The other differences come from the extrema, which are found here by
 *          a parabola through the three samples about each.
 * Valid    Local error of a step below (rate dt)^5/120. Zero mean: angles well below pi/2, because Euler angles have a
 *          singularity there. The offsets are of first order, so the remaining asymmetry is of second order in the angles, as
 *          in the source.
 * Cost     Two evaluations of all angular terms per step; rate dt is about 1/250 over a span of 0.02/rate, never below
 *          1/500.
 * Source   Berard 5.3, (5.13), (2.15). The printed "sum" of quaternions is a product. */
#include "model/motion_sinusoid.h"

#include <assert.h>

#include "base/elementary.h"

#define TWO_PI     6.283185307179586476925
#define TRUNCATION 1e-13 /* truncation error of an orientation over one call, ten times below the guaranteed accuracy */
#define FINEST     (1.0 / 500) /* smallest rate dt; there the local error is at rounding level */

static void add_to(perp_vec3 *v, int axis, double x) {
    if (axis == 0)
        v->x += x;
    else if (axis == 1)
        v->y += x;
    else
        v->z += x;
}

perp_vec3 pp_sinusoid_displacement(const perp_sinusoid *term, int n, double t) {
    perp_vec3 d = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        const perp_sinusoid *s = &term[i];
        if (!s->angular) add_to(&d, s->axis, -s->amplitude * pp_sin(s->omega * t + s->phase) / (s->omega * s->omega));
    }
    return d;
}

double pp_sinusoid_angle(const perp_sinusoid *term, int n, double t) {
    double a = 0;
    for (int i = 0; i < n; i++) {
        const perp_sinusoid *s = &term[i];
        if (s->angular) a -= s->amplitude * pp_sin(s->omega * t + s->phase) / (s->omega * s->omega);
    }
    return a;
}

perp_vec3 pp_sinusoid_spin(const perp_sinusoid *term, int n, double t) {
    perp_vec3 w = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        const perp_sinusoid *s = &term[i];
        if (s->angular) add_to(&w, s->axis, -s->amplitude * pp_cos(s->omega * t + s->phase) / s->omega);
    }
    return w;
}

double pp_sinusoid_rate(const perp_sinusoid *term, int n) {
    double fastest = 0, spin = 0;
    for (int i = 0; i < n; i++) {
        if (!term[i].angular) continue;
        if (term[i].omega > fastest) fastest = term[i].omega;
        spin += fabs(term[i].amplitude) / term[i].omega;
    }
    return fastest + 0.5 * spin;
}

double pp_sinusoid_steps(double rate, double span) {
    double x = rate * fabs(span);
    double n = ceil(sqrt(sqrt(x * x * x * x * x / (120 * TRUNCATION)))); /* n (x/n)^5/120 = TRUNCATION */
    double most = ceil(x / FINEST);
    if (n > most) n = most;
    return n >= 1 ? n : 1;
}

/* 1/2 (0, w) q */
static perp_quat slope(perp_vec3 w, perp_quat q) {
    perp_quat half = {0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z};
    return perp_q_mul(half, q);
}

/* a + s b */
static perp_quat step_to(perp_quat a, double s, perp_quat b) {
    perp_quat r = {a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return r;
}

/* One step of dt from q; the angular velocity at its start, middle and end is given. */
static perp_quat runge_kutta(perp_vec3 w0, perp_vec3 w_mid, perp_vec3 w1, double dt, perp_quat q) {
    perp_quat k1 = slope(w0, q);
    perp_quat k2 = slope(w_mid, step_to(q, dt / 2, k1));
    perp_quat k3 = slope(w_mid, step_to(q, dt / 2, k2));
    perp_quat k4 = slope(w1, step_to(q, dt, k3));
    q = step_to(q, dt / 6, k1);
    q = step_to(q, dt / 3, k2);
    q = step_to(q, dt / 3, k3);
    return perp_q_unit(step_to(q, dt / 6, k4));
}

perp_quat pp_sinusoid_turn(const perp_sinusoid *term, int n, double t0, double t1, perp_quat q, double nstep) {
    double span = t1 - t0, dt = span / nstep;
    perp_vec3 w0 = pp_sinusoid_spin(term, n, t0);
    for (double i = 0; i < nstep; i++) { /* whole numbers: exact */
        perp_vec3 w_mid = pp_sinusoid_spin(term, n, t0 + span * ((i + 0.5) / nstep));
        perp_vec3 w1 = pp_sinusoid_spin(term, n, t0 + span * ((i + 1) / nstep));
        q = runge_kutta(w0, w_mid, w1, dt, q);
        w0 = w1;
    }
    return q;
}

static double slowest_period(const perp_sinusoid *term, int n) {
    double slowest = INFINITY;
    for (int i = 0; i < n; i++)
        if (term[i].angular && term[i].omega < slowest) slowest = term[i].omega;
    return TWO_PI / slowest; /* 0 without angular terms */
}

double pp_sinusoid_zero_mean_steps(const perp_sinusoid *term, int n) {
    return ceil(slowest_period(term, n) * pp_sinusoid_rate(term, n) / FINEST);
}

/* a, b, c of R = Rz(c) Ry(b) Rx(a); a and c are continued from the previous values in `angle` by the nearest turn. */
static void euler(perp_quat q, double angle[3]) {
    perp_mat3 R = perp_q_matrix(q);
    double a = pp_atan2(R.c[1].z, R.c[2].z), c = pp_atan2(R.c[0].y, R.c[0].x);
    double s = -R.c[0].z;
    angle[0] = a - TWO_PI * round((a - angle[0]) / TWO_PI);
    angle[1] = pp_asin(s > 1 ? 1 : s < -1 ? -1 : s);
    angle[2] = c - TWO_PI * round((c - angle[2]) / TWO_PI);
}

/* Extreme of the parabola through three equidistant samples of which the middle one is the largest or smallest. */
static double vertex(double e0, double e1, double e2) {
    double bend = e0 - 2 * e1 + e2;
    return bend != 0 ? e1 - (e2 - e0) * (e2 - e0) / (8 * bend) : e1;
}

perp_quat pp_sinusoid_zero_mean(const perp_sinusoid *term, int n) {
    double nstep = pp_sinusoid_zero_mean_steps(term, n), period = slowest_period(term, n), dt = period / nstep;
    assert(nstep >= 1);
    perp_quat q = perp_q_identity();
    double e0[3] = {0, 0, 0}, e1[3] = {0, 0, 0}, e2[3] = {0, 0, 0}; /* the last three samples, newest last */
    double lo[3] = {0, 0, 0}, hi[3] = {0, 0, 0};
    perp_vec3 w0 = pp_sinusoid_spin(term, n, 0);
    for (double i = 0; i < nstep; i++) {
        perp_vec3 w_mid = pp_sinusoid_spin(term, n, period * ((i + 0.5) / nstep));
        perp_vec3 w1 = pp_sinusoid_spin(term, n, period * ((i + 1) / nstep));
        q = runge_kutta(w0, w_mid, w1, dt, q);
        w0 = w1;
        euler(q, e2);
        for (int k = 0; k < 3; k++) {
            double top = e2[k], low = e2[k];
            if (i >= 1 && e1[k] > e0[k] && e1[k] >= e2[k]) top = vertex(e0[k], e1[k], e2[k]);
            if (i >= 1 && e1[k] < e0[k] && e1[k] <= e2[k]) low = vertex(e0[k], e1[k], e2[k]);
            if (top > hi[k]) hi[k] = top;
            if (low < lo[k]) lo[k] = low;
            e0[k] = e1[k];
            e1[k] = e2[k];
        }
    }
    perp_quat qx = perp_q_axis_angle(perp_v3(1, 0, 0), -(hi[0] + lo[0]) / 2);
    perp_quat qy = perp_q_axis_angle(perp_v3(0, 1, 0), -(hi[1] + lo[1]) / 2);
    perp_quat qz = perp_q_axis_angle(perp_v3(0, 0, 1), -(hi[2] + lo[2]) / 2);
    return perp_q_unit(perp_q_mul(qz, perp_q_mul(qy, qx)));
}
