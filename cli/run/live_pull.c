/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_pull.c - see live_pull.h
 *
 *   F = m (rate^2 (hand - x) - 2 rate x')        x: the point that is held; critically damped
 *
 * m is the effective mass at the point: 1/m = 1/M + |r|^2 tr(I^-1), a bound for all directions, with r from the centre of mass. The
 * force is constant over a step, as all forces are, so the spring must be slow compared with the step: with constant forces a
 * critically damped spring is unstable from rate h = 2 (sqrt(2) - 1) = 0.83 on. RATE_STEPS keeps the rate eight times below. */
#include "run/live_pull.h"

#include <math.h>
#include <stdlib.h>

#define FOLLOW_SECONDS 0.05 /* 1/rate in wall time: the body follows a hand within two tenths of a second [s] */
#define RATE_STEPS     0.1  /* most of rate h */

double live_pull_rate(double speed, double h) {
    return fmin(1 / (FOLLOW_SECONDS * (speed > 0 ? speed : 1)), RATE_STEPS / h);
}

static double trace_of_inverse(perp_mat3 m) {
    perp_vec3 r0 = perp_v3_cross(m.c[1], m.c[2]), r1 = perp_v3_cross(m.c[2], m.c[0]),
              r2 = perp_v3_cross(m.c[0], m.c[1]);
    return (r0.x + r1.y + r2.z) / perp_v3_dot(m.c[0], r0);
}

static double mass_at(const perp_world *w, const perp_body_def *d, perp_vec3 point_B) {
    double turning = 0;
    if (!d->particle) turning = perp_world_dim(w) == 2 ? 1 / d->I_B.c[2].z : trace_of_inverse(d->I_B);
    return 1 / (1 / d->mass + perp_v3_dot(point_B, point_B) * turning);
}

static void pull(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    const live_pull *p = ctx;
    perp_pose X;
    perp_vec3 v, turn;
    (void)t;
    *out = (perp_wrench){{0, 0, 0}, {0, 0, 0}};
    if (perp_body_pose(w, p->body, &X) || perp_body_velocity(w, p->body, &v, &turn)) return;
    perp_vec3 lever = perp_q_rotate(X.q, p->grip.point_B);
    perp_vec3 stretch = perp_v3_sub(p->grip.hand_W, perp_v3_add(X.p, lever));
    perp_vec3 speed = perp_v3_add(v, perp_v3_cross(turn, lever));
    out->force = perp_v3_axpy(perp_v3_scale(p->mass * p->rate * p->rate, stretch), -2 * p->mass * p->rate, speed);
    out->torque = perp_v3_cross(lever, out->force);
}

static perp_body_id body_of(const perp_world *w, int number) {
    int n = perp_world_body_count(w);
    perp_body_id found = {0, 0}, *all = number >= 0 && number < n ? malloc((size_t)n * sizeof *all) : NULL;
    if (all) {
        perp_world_bodies(w, all, n);
        found = all[number];
    }
    free(all);
    return found;
}

static bool same_place(perp_vec3 a, perp_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

perp_status live_pull_set(live_pull *p, perp_world *w, const live_grip *grip) {
    bool keeps = p->grip.held && grip->held && grip->body == p->grip.body && same_place(grip->point_B, p->grip.point_B);
    if (!keeps && p->force.gen != 0) {
        perp_force_remove(w, p->force);
        p->force = (perp_force_id){0, 0};
    }
    p->grip = *grip;
    if (keeps || !grip->held) return PERP_OK;
    perp_body_def def;
    p->body = body_of(w, grip->body);
    if (p->body.gen == 0 || perp_body_get(w, p->body, &def) || def.kind != PERP_BODY_DYNAMIC) return PERP_OK;
    p->mass = mass_at(w, &def, grip->point_B);
    perp_force_def force = perp_force_def_default(PERP_FORCE_USER);
    force.b = p->body;
    force.user = pull;
    force.ctx = p;
    return perp_force_add(w, &force, &p->force);
}
