/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* flight.c - gravity, centre of mass and ratios of inertia from free flight
 *   middle of the cube = p + v t + a t^2/2 - R(t) c,       I w' = (I w) x w
 * Method   path: linear least squares with the measured orientation R(t); p and v of a flight are eliminated by
 *          projection. Turning: the torque-free motion is integrated from an orientation and a spin that are fitted to each
 *          flight by themselves (variable projection), and the ratios of the moments are fitted to what is left.
 * Valid    rows whose lowest corner is at least CLEAR above the board; the first rows of a toss may still feel the hand.
 *          Drag and the lean of the axes are two constant accelerations, the same for all tosses.
 * Cost     path: nothing; turning: about a second for 120 tosses.
 * Source   README of the data; Golub, Pereyra (1973) for variable projection. */
#include "flight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLEAR 3e-3 /* [m] above the board */
enum {
    RELEASE = 2,  /* first rows of a toss, left out */
    SHORTEST = 8, /* rows of a flight */
    LONGEST = ROBUST_RESIDUALS / 3,
    INNER = 4 /* Gauss-Newton iterations for orientation and spin of a flight; the second is exact to 1e-6 rad */
};

typedef struct flight {
    int toss, from, rows;
} flight;

typedef struct flights {
    const toss_set *set;
    flight *flight;
    int count;
} flights;

static bool find_flights(const toss_set *s, const cube *c, flights *out) {
    int room = 0;
    for (int i = 0; i < s->tosses; i++) room += s->toss[i].rows / SHORTEST + 1;
    *out = (flights){s, malloc(sizeof(flight) * (size_t)(room + 1)), 0};
    if (!out->flight) return false;
    for (int i = 0; i < s->tosses; i++) {
        const toss *t = &s->toss[i];
        for (int from = RELEASE, to; from < t->rows; from = to) {
            for (to = from; to < t->rows && to - from < LONGEST && cube_gap(c, t->X_WB[to]) > CLEAR;) to++;
            if (to - from >= SHORTEST) out->flight[out->count++] = (flight){i, from, to - from};
            if (to == from) to++;
        }
    }
    return true;
}

static int cluster_of(const void *ctx, int group) { return ((const flights *)ctx)->flight[group].toss; }

/* Takes mean and trend out of every third of n numbers, y[0], y[3], ... */
static void detrend(double *y, int n) {
    double middle = (n - 1) / 2.0, mean = 0, slope = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        mean += y[3 * i] / n;
        slope += (i - middle) * y[3 * i];
        squares += (i - middle) * (i - middle);
    }
    for (int i = 0; i < n; i++) y[3 * i] -= mean + slope / squares * (i - middle);
}

static int path_residuals(const void *ctx, int group, const double *theta, double *r) {
    const flights *f = ctx;
    const flight *one = &f->flight[group];
    const toss *t = &f->set->toss[one->toss];
    perp_vec3 left = perp_v3(-t->ahead_W.y, t->ahead_W.x, 0), a = perp_v3(0, 0, -theta[FLIGHT_G]);
    a = perp_v3_axpy(perp_v3_axpy(a, theta[FLIGHT_LEFT], left), -theta[FLIGHT_BACK], t->ahead_W);
    for (int i = 0; i < one->rows; i++) {
        double time = i / TOSS_RATE;
        perp_vec3 p = perp_pose_apply(t->X_WB[one->from + i], perp_v3(0, 0, theta[FLIGHT_COM]));
        p = perp_v3_axpy(p, -time * time / 2, a);
        r[3 * i] = p.x;
        r[3 * i + 1] = p.y;
        r[3 * i + 2] = p.z;
    }
    for (int axis = 0; axis < 3; axis++) detrend(r + axis, one->rows);
    return 3 * one->rows;
}

bool flight_fit_path(const toss_set *s, const cube *c, robust_fit *fit, int *count) {
    static const double step[FLIGHT_UNKNOWNS] = {1e-2, 1e-2, 1e-2, 1e-4};
    flights f;
    if (!find_flights(s, c, &f)) return false;
    robust_problem p = {f.count, FLIGHT_UNKNOWNS, s->tosses, path_residuals, cluster_of, &f, step, 0};
    *fit = (robust_fit){.theta = {c->g, 0, 0, c->com_z}};
    bool ok = f.count > 0 && robust_solve(&p, fit);
    *count = f.count;
    free(f.flight);
    return ok;
}

/* Rotation vectors from the measured to the computed orientations of a flight that starts turned by x[0..2] from its first
 * row, with spin x[3..5] in body axes. */
static void turn_misfit(const toss *t, const flight *one, perp_mat3 I_B, const double *x, double *r) {
    perp_quat q = perp_q_mul(t->X_WB[one->from].q, perp_q_exp(perp_v3(x[0], x[1], x[2])));
    perp_vec3 w = perp_q_rotate(q, perp_v3(x[3], x[4], x[5]));
    for (int i = 0; i < one->rows; i++) {
        if (i > 0) perp_rotate_free(I_B, 1 / TOSS_RATE, &q, &w);
        perp_vec3 d = perp_q_log(perp_q_mul(perp_q_conj(t->X_WB[one->from + i].q), q));
        r[3 * i] = d.x;
        r[3 * i + 1] = d.y;
        r[3 * i + 2] = d.z;
    }
}

static int spin_residuals(const void *ctx, int group, const double *theta, double *r) {
    const flights *f = ctx;
    const flight *one = &f->flight[group];
    const toss *t = &f->set->toss[one->toss];
    perp_mat3 I_B = perp_m3_diag(theta[SPIN_X], theta[SPIN_Y], 1);
    int m = 3 * one->rows, last = one->from + one->rows - 1;
    perp_vec3 turn = perp_q_log(perp_q_mul(perp_q_conj(t->X_WB[one->from].q), t->X_WB[last].q));
    double per_row = TOSS_RATE / (one->rows - 1), moved[ROBUST_RESIDUALS] = {0}, J[6][ROBUST_RESIDUALS];
    double x[6] = {0, 0, 0, turn.x * per_row, turn.y * per_row, turn.z * per_row};
    turn_misfit(t, one, I_B, x, r);
    for (int k = 0; k < INNER; k++) {
        double H[ROBUST_UNKNOWNS][ROBUST_UNKNOWNS] = {{0}}, inverse[ROBUST_UNKNOWNS][ROBUST_UNKNOWNS], g[6] = {0};
        for (int a = 0; a < 6; a++) {
            double d = a < 3 ? 1e-5 : 1e-4, kept = x[a]; /* [rad], [rad/s] */
            x[a] += d;
            turn_misfit(t, one, I_B, x, moved);
            x[a] = kept;
            for (int i = 0; i < m; i++) J[a][i] = (moved[i] - r[i]) / d;
        }
        for (int a = 0; a < 6; a++)
            for (int i = 0; i < m; i++) {
                g[a] += J[a][i] * r[i];
                for (int b = 0; b < 6; b++) H[a][b] += J[a][i] * J[b][i];
            }
        if (robust_invert(6, H, inverse) >= 0) break;
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) x[a] -= inverse[a][b] * g[b];
        turn_misfit(t, one, I_B, x, r);
    }
    return m;
}

bool flight_fit_spin(const toss_set *s, const cube *c, robust_fit *fit, int *count) {
    static const double step[SPIN_UNKNOWNS] = {1e-3, 1e-3};
    flights f;
    if (!find_flights(s, c, &f)) return false;
    robust_problem p = {f.count, SPIN_UNKNOWNS, s->tosses, spin_residuals, cluster_of, &f, step, 0};
    *fit = (robust_fit){.theta = {1, 1}};
    bool ok = f.count > 0 && robust_solve(&p, fit);
    *count = f.count;
    free(f.flight);
    return ok;
}
