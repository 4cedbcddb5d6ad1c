/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rotate_free.c - torque-free rotation of a rigid body over one time step
 *   dPi/dt = Pi x Omega,  dq/dt = q (0, Omega)/2,  Omega = I^-1 Pi         Pi, Omega: momentum and velocity in body
 *   axes
 * Method   implicit midpoint in the body frame, Pi+ = Pi + h Pi_m x Omega_m, with the Cayley update of the orientation,
 *          q+ = q normalise(1, h Omega_m/2). The equation for Pi+ is Pi+ = cay(-h Omega_m) Pi, so momentum in space is
 *          kept exactly; energy is quadratic in Pi, and its change h Omega_m . (Pi_m x Omega_m) is zero. Three such
 *          steps of lengths c h, (1 - 2c) h, c h, c = 1/(2 - 2^(1/3)), make fourth order. Newton's method solves for
 *          Pi_m. The velocity is taken from the momentum at the start, so that it cannot drift by the rounding of the
 *          steps. Where |w| h > 1, as many such triples as make it at most one each.
 *          A body with two equal moments along its own axes has a closed form, exact for every h: it precesses about L
 *          by h |L|/I_t and spins about its axis by h w_a (1 - I_a/I_t). So has one with three (a turn by h w).
 * Valid    inertia symmetric, positive definite; |w| h up to MOST_PARTS unless it has a closed form.
 * Cost     some nine 3x3 solves for each triple.
 * Source   Yoshida, Phys. Lett. A 150 (1990) 262, eq. (2.11)-(2.12); Austin, Krishnaprasad, Wang, J. Comput. Phys. 107
 *          (1993)
 *          105 (midpoint rule for the rigid body). */
#include "math/turn_free.h"

/* c and 1 - 2c */
#define OUTER 1.3512071919596576340476878
#define INNER (-1.7024143839193152680953756)

#define NEWTON_MAX 20
/* Relative change of Pi_m below which the next change, its square, is below rounding. */
#define NEWTON_SMALL 1e-9

/* dx with J dx = F, by cofactors. */
static inline perp_vec3 solve(perp_vec3 J0, perp_vec3 J1, perp_vec3 J2, perp_vec3 F) {
    perp_vec3 r0 = perp_v3_cross(J1, J2), r1 = perp_v3_cross(J2, J0), r2 = perp_v3_cross(J0, J1);
    double det = perp_v3_dot(J0, r0);
    return perp_v3(r0.x / det * F.x + r0.y / det * F.y + r0.z / det * F.z,
                   r1.x / det * F.x + r1.y / det * F.y + r1.z / det * F.z,
                   r2.x / det * F.x + r2.y / det * F.y + r2.z / det * F.z);
}

/* Solves Pi_m = Pi + h/2 Pi_m x I^-1 Pi_m. */
static inline bool midpoint(const perp_mat3 *I_inv, double h, perp_vec3 Pi, perp_vec3 *Pi_m) {
    perp_vec3 x = Pi;
    double s = -h / 2;
    for (int k = 0; k < NEWTON_MAX; k++) {
        perp_vec3 O = perp_m3_mul_v(*I_inv, x);
        perp_vec3 F = perp_v3_sub(perp_v3_axpy(x, s, perp_v3_cross(x, O)), Pi);
        /* dF = dx - h/2 (x x I^-1 dx - O x dx), by columns; the sums with 0 make no -0, as sums of matrices would not */
        perp_vec3 A = perp_v3_cross(x, I_inv->c[0]), B = perp_v3_cross(x, I_inv->c[1]),
                  C = perp_v3_cross(x, I_inv->c[2]);
        perp_vec3 dx = solve(perp_v3(1 + s * A.x, 0 + s * (A.y - O.z), 0 + s * (A.z + O.y)),
                             perp_v3(0 + s * (B.x + O.z), 1 + s * B.y, 0 + s * (B.z - O.x)),
                             perp_v3(0 + s * (C.x - O.y), 0 + s * (C.y + O.x), 1 + s * C.z), F);
        x = perp_v3_sub(x, dx);
        double change = perp_v3_norm(dx);
        if (change <= NEWTON_SMALL * perp_v3_norm(x)) {
            *Pi_m = x;
            return true;
        }
        if (!isfinite(change)) return false;
    }
    return false;
}

/* More would cost more than a step is worth; a body that spins so fast has a closed form or is refused. */
#define MOST_PARTS 1024

/* L_W = c w + R (I - c 1) R^T w, c the mean moment: only what is left of the inertia goes through the rounding of R. */
static perp_vec3 momentum(perp_mat3 I_B, perp_quat q, perp_vec3 w_W) {
    double c = (I_B.c[0].x + I_B.c[1].y + I_B.c[2].z) / 3;
    I_B.c[0].x -= c;
    I_B.c[1].y -= c;
    I_B.c[2].z -= c;
    return perp_v3_axpy(perp_q_rotate(q, perp_m3_mul_v(I_B, perp_q_unrotate(q, w_W))), c, w_W);
}

static double entry(perp_mat3 m, int i) { return i == 0 ? m.c[0].x : i == 1 ? m.c[1].y : m.c[2].z; }

static bool diagonal(perp_mat3 m) {
    return m.c[0].y == 0 && m.c[0].z == 0 && m.c[1].x == 0 && m.c[1].z == 0 && m.c[2].x == 0 && m.c[2].y == 0;
}

/* Axis of the body about which it is symmetric, -1 if none. */
static int symmetry_axis(perp_mat3 I_B) {
    if (!diagonal(I_B)) return -1;
    for (int a = 0; a < 3; a++)
        if (entry(I_B, (a + 1) % 3) == entry(I_B, (a + 2) % 3)) return a;
    return -1;
}

/* q+ of a body that is symmetric about its axis a. */
static perp_quat precess(perp_mat3 I_B, int a, double h, perp_quat q, perp_vec3 L_W, perp_vec3 Pi) {
    double I_a = entry(I_B, a), I_t = entry(I_B, (a + 1) % 3);
    double spin = h * (1 / I_a - 1 / I_t) * (a == 0 ? Pi.x : a == 1 ? Pi.y : Pi.z);
    perp_quat own = perp_q_exp(perp_v3(a == 0 ? spin : 0, a == 1 ? spin : 0, a == 2 ? spin : 0));
    return perp_q_unit(perp_q_mul(perp_q_mul(perp_q_exp(perp_v3_scale(h / I_t, L_W)), q), own));
}

/* The turn over h in body axes, by n triples of midpoint steps; kept apart so that q is rounded only once. */
static bool tumble(const perp_mat3 *I_inv, double h, int n, perp_vec3 Pi, perp_quat *turn) {
    static const double part[3] = {OUTER, INNER, OUTER};
    *turn = perp_q_identity();
    for (int s = 0; s < 3 * n; s++) {
        double hs = part[s % 3] * h / n;
        perp_vec3 Pi_m;
        if (!midpoint(I_inv, hs, Pi, &Pi_m)) return false;
        perp_vec3 half = perp_v3_scale(hs / 2, perp_m3_mul_v(*I_inv, Pi_m));
        perp_quat cayley = perp_q_unit((perp_quat){1, half.x, half.y, half.z});
        *turn = perp_q_mul(*turn, cayley);
        Pi = perp_q_unrotate(cayley, Pi);
    }
    return true;
}

/* A free rotation. */
typedef struct rotation {
    bool isotropic;
    perp_mat3 I_inv; /* if not isotropic, as L_W */
    perp_vec3 L_W;
} rotation;

/* The orientation at the end. */
static bool rotate(perp_mat3 I_B, double h, perp_vec3 w_W, perp_quat *q_WB, rotation *r) {
    perp_quat q = *q_WB;
    int axis = symmetry_axis(I_B);
    r->isotropic = axis >= 0 && entry(I_B, axis) == entry(I_B, (axis + 1) % 3);
    if (r->isotropic) {
        *q_WB = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(h, w_W)), q));
        return true;
    }
    r->I_inv = perp_m3_inverse(I_B);
    double n = perp_q_norm(q);
    if (!(fabs(n - 1) <= 1e-15)) q = perp_q_unit(q); /* not needlessly: it would turn L by a last bit */
    r->L_W = momentum(I_B, q, w_W);
    perp_vec3 Pi = perp_q_unrotate(q, r->L_W);
    if (axis >= 0) {
        *q_WB = precess(I_B, axis, h, q, r->L_W, Pi);
        return true;
    }
    double parts = fmax(1, ceil(fabs(h) * perp_v3_norm(w_W)));
    perp_quat turn;
    if (!(parts <= MOST_PARTS) || !tumble(&r->I_inv, h, (int)parts, Pi, &turn)) return false;
    *q_WB = perp_q_unit(perp_q_mul(q, turn));
    return true;
}

bool pp_turn_free(perp_mat3 I_B, double h, perp_quat *q_WB, perp_vec3 w_W) {
    perp_quat q = *q_WB;
    rotation r;
    if (!rotate(I_B, h, w_W, &q, &r) || !perp_q_finite(q)) return false;
    if (!r.isotropic && !perp_v3_finite(r.L_W)) return false;
    *q_WB = q;
    return true;
}

bool perp_rotate_free(perp_mat3 I_B, double h, perp_quat *q_WB, perp_vec3 *w_W) {
    perp_quat q = *q_WB;
    rotation done;
    if (!rotate(I_B, h, *w_W, &q, &done)) return false;
    if (done.isotropic) {
        if (!perp_q_finite(q)) return false;
        *q_WB = q;
        return true;
    }
    perp_mat3 I_inv = done.I_inv;
    perp_vec3 L_W = done.L_W;
    /* w = R I^-1 R^T L, then refined against the very formula that reads L back in the next step: neither the rounding
     * of I^-1 nor that of |q| = 1 can add up over many steps. */
    perp_vec3 w = perp_q_rotate(q, perp_m3_mul_v(I_inv, perp_q_unrotate(q, L_W)));
    for (int k = 0; k < 2; k++) {
        perp_vec3 r = perp_v3_sub(L_W, momentum(I_B, q, w));
        w = perp_v3_add(w, perp_q_rotate(q, perp_m3_mul_v(I_inv, perp_q_unrotate(q, r))));
    }
    if (!perp_q_finite(q) || !perp_v3_finite(w)) return false;
    *q_WB = q;
    *w_W = w;
    return true;
}

void pp_keep_turn(pp_free_turn *t, const perp_mat3 *I_B, double time, const perp_quat *from, const perp_vec3 *w_from) {
    t->I_B = I_B;
    t->time = time;
    t->from = *from;
    t->w_from = *w_from;
}

bool pp_rotate_kept(pp_free_turn *t) {
    t->to = t->from;
    t->w_to = t->w_from;
    return perp_rotate_free(*t->I_B, t->time, &t->to, &t->w_to);
}
