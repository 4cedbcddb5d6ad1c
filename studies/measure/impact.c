/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact.c - balance of momentum at impacts of one corner
 *   I dw = (r - c) x P,   P = m dv_c        c: centre of mass, r: point of the corner that touches, dv_c = dv + dw x c
 * Method   divided by the mass: in body axes K dw = (r - c) x dv_c, K = diag(k). All six velocity changes have noise, so the residual is
 *          the distance from them to the nearest ones that an impulse through the corner can make, in the metric of kinetic energy,
 *          |dv_c|^2 + dw'K dw: with e = K^1/2 dw - K^-1/2 (r - c) x dv_c its square is e'S^-1 e, S = I + K^-1/2 [r - c]x [r - c]x' K^-1/2.
 *          Friction and restitution of an impact follow from P and from the velocity u of the touching point before and after it.
 * Valid    one point touches, for a time in which the pose does not change and gravity does nothing. Friction is |P_t|/P_n
 *          only where the slip keeps its sense; where it turns, mu is larger than the ratio.
 *          The law is the same for a body twice as large: the core must be known from elsewhere.
 * Cost     nothing.
 * Source   README of the data; any text on impact with friction. */
#include "impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HUBER   1.5  /* scales; impacts with larger misfits weigh less */
#define NOISE_V 1e-3 /* [m/s], s.d. of fitted velocities, README of the data */
#define NOISE_W 2e-2 /* [rad/s] */

typedef struct body_problem {
    const toss_set *set;
    const int *impact; /* which ones */
    cube cube;         /* core; radius if it is fixed */
    int unknowns;
} body_problem;

/* From the middle of the cube to the touching point, world axes. */
static perp_vec3 lever(const cube *c, perp_quat q_WB) {
    perp_vec3 r_W = perp_q_rotate(q_WB, cube_lowest_corner(c, q_WB));
    r_W.z -= c->radius;
    return r_W;
}

/* e -> L^-1 e with L L' = S, so that |L^-1 e|^2 = e'S^-1 e. S is positive definite. */
static void whiten(double S[3][3], double *e) {
    double L[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double x = S[i][j];
            for (int k = 0; k < j; k++) x -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(x) : x / L[j][j];
        }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < i; k++) e[i] -= L[i][k] * e[k];
        e[i] /= L[i][i];
    }
}

static int body_residuals(const void *ctx, int group, const double *theta, double *e) {
    const body_problem *p = ctx;
    const toss_impact *i = &p->set->impact[p->impact[group]];
    cube c = p->cube;
    if (p->unknowns > IMPACT_RADIUS) c.radius = theta[IMPACT_RADIUS];
    perp_quat q = i->X_WB.q;
    perp_vec3 com_B = perp_v3(0, 0, theta[IMPACT_COM]);
    perp_vec3 r_B = perp_v3_sub(perp_q_unrotate(q, lever(&c, q)), com_B);
    perp_vec3 dw_B = perp_q_unrotate(q, perp_v3_sub(i->w_W[1], i->w_W[0]));
    perp_vec3 dv_B = perp_q_unrotate(q, perp_v3_sub(i->v_W[1], i->v_W[0]));
    perp_vec3 torque = perp_v3_cross(r_B, perp_v3_add(dv_B, perp_v3_cross(dw_B, com_B)));
    double root[3] = {sqrt(theta[IMPACT_KX]), sqrt(theta[IMPACT_KY]), sqrt(theta[IMPACT_KZ])}, S[3][3];
    const double r[3] = {r_B.x, r_B.y, r_B.z}, square = perp_v3_dot(r_B, r_B);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) S[a][b] = (a == b) + ((a == b ? square : 0) - r[a] * r[b]) / (root[a] * root[b]);
    e[0] = root[0] * dw_B.x - torque.x / root[0];
    e[1] = root[1] * dw_B.y - torque.y / root[1];
    e[2] = root[2] * dw_B.z - torque.z / root[2];
    whiten(S, e);
    return 3;
}

static int body_cluster(const void *ctx, int group) {
    const body_problem *p = ctx;
    return p->set->impact[p->impact[group]].toss;
}

bool impact_fit_body(const toss_set *s, const bool *use, bool fix_radius, cube *c, robust_fit *fit) {
    static const double step[IMPACT_UNKNOWNS] = {1e-6, 1e-7, 1e-7, 1e-7, 1e-6}; /* [m], [m^2], [m] */
    int *which = malloc(sizeof *which * (size_t)(s->impacts + 1)), n = 0;
    if (!which) return false;
    for (int i = 0; i < s->impacts; i++)
        if (s->impact[i].corners == 1 && (!use || use[s->impact[i].toss])) which[n++] = i;
    body_problem body = {s, which, *c, fix_radius ? IMPACT_RADIUS : IMPACT_UNKNOWNS};
    robust_problem p = {n, body.unknowns, s->tosses, body_residuals, body_cluster, &body, step, HUBER};
    *fit = (robust_fit){.theta = {c->com_z, c->k[0], c->k[1], c->k[2], c->radius}};
    bool ok = n > IMPACT_UNKNOWNS && robust_solve(&p, fit);
    free(which);
    if (!ok) return false;
    c->com_z = fit->theta[IMPACT_COM];
    memcpy(c->k, fit->theta + IMPACT_KX, sizeof c->k);
    c->radius = fit->theta[IMPACT_RADIUS];
    return true;
}

/* mu and restitution of an impact; slip: tangential velocities of the touching point before and after, or NULL. */
static void ratios(const cube *c, const toss_impact *i, double *mu, double *restitution, perp_vec3 *u) {
    perp_vec3 r_W = lever(c, i->X_WB.q), com_W = perp_q_rotate(i->X_WB.q, perp_v3(0, 0, c->com_z)), v[2];
    for (int k = 0; k < 2; k++) {
        u[k] = perp_v3_add(i->v_W[k], perp_v3_cross(i->w_W[k], r_W));
        v[k] = perp_v3_add(i->v_W[k], perp_v3_cross(i->w_W[k], com_W));
    }
    perp_vec3 P = perp_v3_sub(v[1], v[0]);
    *mu = hypot(P.x, P.y) / P.z;
    *restitution = -u[1].z / u[0].z;
}

/* Standard deviations of both figures from the noise of the twelve velocities. */
static void noise(const cube *c, const toss_impact *i, double *mu_sd, double *restitution_sd) {
    double mu0, e0, mu, e, mu2 = 0, e2 = 0;
    perp_vec3 u[2];
    ratios(c, i, &mu0, &e0, u);
    for (int k = 0; k < 12; k++) {
        toss_impact j = *i;
        perp_vec3 *x = k < 6 ? &j.v_W[k / 3] : &j.w_W[k / 3 - 2];
        double d = k < 6 ? NOISE_V : NOISE_W;
        *x = perp_v3_add(*x, perp_v3(k % 3 == 0 ? d : 0, k % 3 == 1 ? d : 0, k % 3 == 2 ? d : 0));
        ratios(c, &j, &mu, &e, u);
        mu2 += (mu - mu0) * (mu - mu0);
        e2 += (e - e0) * (e - e0);
    }
    *mu_sd = sqrt(mu2);
    *restitution_sd = sqrt(e2);
}

int impact_measure(const toss_set *s, const cube *c, impact_figures *out) {
    int n = 0;
    for (int i = 0; i < s->impacts; i++) {
        if (s->impact[i].corners != 1) continue;
        impact_figures *f = &out[n++];
        perp_vec3 u[2];
        *f = (impact_figures){.toss = s->impact[i].toss};
        ratios(c, &s->impact[i], &f->mu, &f->restitution, u);
        noise(c, &s->impact[i], &f->mu_sd, &f->restitution_sd);
        f->approach = -u[0].z;
        f->keeps = (u[0].x * u[1].x + u[0].y * u[1].y) / (hypot(u[0].x, u[0].y) * hypot(u[1].x, u[1].y));
    }
    return n;
}
