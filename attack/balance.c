/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* balance.c - the audit's own energies and momenta
 *
 * Method   Energy: kinetic, of gravity, of springs between points and in joints, from poses and velocities. What nothing drives may not
 *          gain more than the change that the time of velocities makes: a step that takes forces at its start has velocities
 *          up to half a step off, so that energy swings by h/2 f.v, which is computed as well and left free.
 *          Momentum: bodies that touch nothing fixed or driven form groups; a group gains g h of momentum in a step and no more.
 *          Angular momentum, in two ways, of which one must be right (see angular_of_poses).
 * Validity Rigid surfaces; forces that are gravity or springs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"

static perp_vec3 up(const attack_run *run) { return run->info->dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1); }

static perp_vec3 spin_momentum(const attack_run *run, int i, const attack_frame *f) {
    const perp_recorded_body *b = &run->body[i];
    if (b->particle) return perp_v3(0, 0, 0);
    if (run->info->dim == 2) return perp_v3(0, 0, b->I_B.c[2].z * f->w[i].z);
    perp_vec3 w = perp_q_unrotate(f->X[i].q, f->w[i]);
    return perp_q_rotate(f->X[i].q, perp_m3_mul_v(b->I_B, w));
}

void attack_joint_frames(const attack_run *run, int joint, const attack_frame *f, perp_pose *A, perp_pose *B) {
    const perp_recorded_joint *j = &run->joint[joint];
    *A = j->a < 0 ? j->X_AJ : perp_pose_mul(f->X[j->a], j->X_AJ);
    *B = perp_pose_mul(f->X[j->b], j->X_BJ);
}

double attack_coordinate(const attack_run *run, int joint, const attack_frame *f) {
    perp_pose A, B;
    attack_joint_frames(run, joint, f, &A, &B);
    if (run->joint[joint].kind == PERP_JOINT_PRISMATIC) {
        perp_vec3 axis = run->info->dim == 2 ? perp_v3(1, 0, 0) : perp_v3(0, 0, 1);
        return perp_v3_dot(perp_v3_sub(B.p, A.p), perp_q_rotate(A.q, axis));
    }
    perp_vec3 x = perp_q_unrotate(A.q, perp_q_rotate(B.q, perp_v3(1, 0, 0)));
    return atan2(x.y, x.x);
}

/* A point of a body and its velocity; body -1: the world. */
static perp_vec3 end_of(const attack_frame *f, int body, perp_vec3 at, perp_vec3 *v) {
    if (v) *v = perp_v3(0, 0, 0);
    if (body < 0) return at;
    perp_vec3 r = perp_q_rotate(f->X[body].q, at);
    if (v) *v = perp_v3_add(f->v[body], perp_v3_cross(f->w[body], r));
    return perp_v3_add(f->X[body].p, r);
}

static double spring_energy(attack_run *run, const attack_frame *f, double h, double *swing) {
    double sum = 0;
    for (int i = 0; i < run->facts->nspring; i++) {
        const attack_spring *s = &run->facts->spring[i];
        perp_vec3 va, vb, a = end_of(f, s->a, s->at_a, &va), b = end_of(f, s->b, s->at_b, &vb);
        perp_vec3 line = perp_v3_sub(b, a), v = perp_v3_sub(vb, va);
        double length = perp_v3_norm(line), x = length - s->rest;
        sum += 0.5 * s->stiffness * x * x;
        *swing += 0.5 * h * s->stiffness * fabs(x) * perp_v3_norm(v);
    }
    for (int i = 0; i < run->info->njoint && i < run->facts->njoint; i++) {
        double k = run->facts->joint[i].stiffness;
        double c = attack_coordinate(run, i, f);
        if (run->joint[i].kind == PERP_JOINT_REVOLUTE)
            c += 2 * 3.14159265358979323846 * round((run->angle[i] - c) / (2 * 3.14159265358979323846));
        run->angle[i] = c;
        if (k > 0) sum += 0.5 * k * (c - run->facts->joint[i].rest) * (c - run->facts->joint[i].rest);
    }
    return sum;
}

void attack_energy(attack_run *run, const attack_frame *f, bool first) {
    double T = 0, V = 0, swing = 0, h = run->info->h, g = run->facts->gravity;
    for (int i = 0; i < run->info->nbody; i++) {
        const perp_recorded_body *b = &run->body[i];
        if (b->kind != PERP_BODY_DYNAMIC) continue;
        T += 0.5 * b->mass * perp_v3_dot(f->v[i], f->v[i]) + 0.5 * perp_v3_dot(f->w[i], spin_momentum(run, i, f));
        V += b->mass * g * perp_v3_dot(up(run), f->X[i].p);
        swing += 0.5 * h * b->mass * g * fabs(perp_v3_dot(up(run), f->v[i]));
        if (first) run->fall += 0.5 * b->mass * g * g * h * h;
    }
    V += spring_energy(run, f, h, &swing);
    double E = T + V;
    if (first) {
        run->energy_low = run->energy_first = E;
        run->potential_low = run->potential_high = V;
    }
    run->kinetic = fmax(run->kinetic, T);
    run->potential_low = fmin(run->potential_low, V);
    run->potential_high = fmax(run->potential_high, V);
    run->sampling = fmax(run->sampling, swing);
    double from = run->facts->compliant ? run->energy_first : run->energy_low; /* layers give back what they took */
    if (E - from > run->gain) {
        run->gain = E - from;
        run->gain_t = f->t;
    }
    run->loss = fmax(run->loss, run->energy_first - E);
    run->energy_low = fmin(run->energy_low, E);
}

void attack_energy_end(const attack_run *run, attack_findings *out) {
    double ref = fmax(fmax(run->kinetic, run->potential_high - run->potential_low), run->fall);
    if (!(ref > 0)) return;
    double free = 2 * run->sampling;
    out->gain = run->facts->driven || run->facts->forces || !run->facts->inertia ? 0 : fmax(0, run->gain - free) / ref;
    out->gain_t = run->gain_t;
    if (run->facts->lossless && !run->facts->driven && !run->facts->forces) out->loss = fmax(0, run->loss - free) / ref;
}

/* ---- momentum ---- */

static int root(int *of, int i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
}

/* Groups of bodies that may act on each other; *fixed: something in it is not free. */
static void make_groups(const attack_run *run, const bool *near, int *of, bool *fixed) {
    int n = run->info->nbody;
    for (int i = 0; i < n; i++) of[i] = i, fixed[i] = false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (near[i * n + k] && run->body[i].kind == PERP_BODY_DYNAMIC && run->body[k].kind == PERP_BODY_DYNAMIC)
                of[root(of, i)] = root(of, k);
    for (int j = 0; j < run->info->njoint; j++) {
        int a = run->joint[j].a, b = run->joint[j].b;
        if (a >= 0 && run->body[a].kind == PERP_BODY_DYNAMIC && run->body[b].kind == PERP_BODY_DYNAMIC)
            of[root(of, a)] = root(of, b);
    }
    for (int s = 0; s < run->facts->nspring; s++) {
        int a = run->facts->spring[s].a, b = run->facts->spring[s].b;
        if (a >= 0 && run->body[a].kind == PERP_BODY_DYNAMIC && run->body[b].kind == PERP_BODY_DYNAMIC)
            of[root(of, a)] = root(of, b);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (near[i * n + k] && run->body[k].kind != PERP_BODY_DYNAMIC) fixed[root(of, i)] = true;
    for (int j = 0; j < run->info->njoint; j++) {
        int a = run->joint[j].a, b = run->joint[j].b;
        if (a < 0 || run->body[a].kind != PERP_BODY_DYNAMIC) fixed[root(of, b)] = true;
        if (a >= 0 && run->body[b].kind != PERP_BODY_DYNAMIC) fixed[root(of, a)] = true;
    }
    for (int s = 0; s < run->facts->nspring; s++) {
        int a = run->facts->spring[s].a, b = run->facts->spring[s].b;
        if (a < 0 || run->body[a].kind != PERP_BODY_DYNAMIC) fixed[root(of, b)] = true;
    }
}

static void worst(double x, double t, double *most, double *at) {
    if (!(x > *most)) return;
    *most = x;
    *at = t;
}

/* A body alone: where it went against its velocities. */
static void flight(const attack_run *run, int i, const attack_frame *f0, const attack_frame *f1, attack_findings *out) {
    double h = f1->t - f0->t;
    perp_vec3 way = perp_v3_sub(f1->X[i].p, f0->X[i].p), mean = perp_v3_scale(0.5 * h, perp_v3_add(f0->v[i], f1->v[i]));
    double off = perp_v3_norm(perp_v3_sub(way, mean)), may = 0.5 * h * h * run->facts->gravity * (1 + 1e-6);
    double unit = perp_v3_norm(mean) + 1e-6 * (perp_v3_norm(f0->X[i].p) + perp_v3_norm(f1->X[i].p)) + may;
    worst(fmax(0, off - may) / unit, f1->t, &out->flight, &out->flight_t);
}

/* Angular momentum of a body about its centre over a step: that of the free rotation which takes one orientation to the other. The
 * rotation vector of a step is found by a chord method, each time with the rotation followed in small parts; a rotation of constant axis
 * is met at once. */
static perp_vec3 spin_between(const attack_run *run, int i, const attack_frame *f0, const attack_frame *f1) {
    enum { ROUNDS = 30 };
    const perp_recorded_body *b = &run->body[i];
    double h = f1->t - f0->t;
    if (b->particle) return perp_v3(0, 0, 0);
    perp_quat turn = perp_q_mul(f1->X[i].q, perp_q_conj(f0->X[i].q));
    perp_vec3 way = perp_q_log(turn.w < 0 ? (perp_quat){-turn.w, -turn.x, -turn.y, -turn.z} : turn), w;
    if (run->info->dim == 2) return perp_v3(0, 0, b->I_B.c[2].z * way.z / h);
    w = perp_v3_scale(1 / h, way);
    int parts = 8 + (int)(64 * perp_v3_norm(way)); /* of a sixtieth of a radian */
    perp_mat3 inverse = perp_m3_inverse(b->I_B);
    perp_vec3 L = perp_v3(0, 0, 0);
    for (int round = 0; round < ROUNDS; round++) {
        perp_quat q = f0->X[i].q;
        L = perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, w)));
        for (int k = 0; k < parts; k++) { /* midpoint rule with the angular momentum fixed */
            perp_vec3 at = perp_q_rotate(q, perp_m3_mul_v(inverse, perp_q_unrotate(q, L)));
            perp_quat mid = perp_q_mul(perp_q_exp(perp_v3_scale(h / (2 * parts), at)), q);
            at = perp_q_rotate(mid, perp_m3_mul_v(inverse, perp_q_unrotate(mid, L)));
            q = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(h / parts, at)), q));
        }
        perp_quat left = perp_q_mul(f1->X[i].q, perp_q_conj(q));
        if (left.w < 0) left = (perp_quat){-left.w, -left.x, -left.y, -left.z};
        perp_vec3 miss = perp_q_log(left);
        if (perp_v3_norm(miss) < 1e-13) break;
        w = perp_v3_axpy(w, 1 / h, miss);
    }
    return L;
}

void attack_motion(attack_run *run, const attack_frame *f0, const attack_frame *f1) {
    double h = f1->t - f0->t;
    for (int i = 0; i < run->info->nbody; i++) {
        run->v_step[i] = perp_v3_scale(1 / h, perp_v3_sub(f1->X[i].p, f0->X[i].p));
        run->spin_step[i] = spin_between(run, i, f0, f1);
    }
}

/* What a group gained of angular momentum about its centre at the frame f0, by the motion before it and after it, from poses alone.
 * Impulses that act at the poses x of a frame, between a step with velocity v- and one with v+, change sum x cross m v by
 * sum x cross p: nothing, if p and -p act at one point, and nothing by gravity about the centre. v- and v+ are the displacements of
 * the steps over h. Velocities of a frame do not tell this: to be of its time they have half of the change of the step before added,
 * which with forces P between bodies is 1/2 h (v_b - v_a) cross P of angular momentum, of second order, that comes and goes. */
static perp_vec3 angular_of_poses(const attack_run *run, int *of, int r, const attack_frame *f0, const attack_frame *f1,
                                  perp_vec3 centre) {
    perp_vec3 L = {0, 0, 0};
    double h = f1->t - f0->t;
    for (int i = 0; i < run->info->nbody; i++) {
        if (root(of, i) != r) continue;
        perp_vec3 v = perp_v3_scale(1 / h, perp_v3_sub(f1->X[i].p, f0->X[i].p)), x = perp_v3_sub(f0->X[i].p, centre);
        L = perp_v3_add(L, perp_v3_scale(run->body[i].mass, perp_v3_cross(x, perp_v3_sub(v, run->v_step[i]))));
        L = perp_v3_add(L, perp_v3_sub(spin_between(run, i, f0, f1), run->spin_step[i]));
    }
    return L;
}

/* What springs of a group may add to the angular momentum of the velocities of a frame. These have half of the change of the step before
 * added, 1/2 h F of each spring at both of its ends, which is of a time when the ends were up to h v nearer or farther: 1/2 h^2 dv cross F,
 * in either frame. Where the step was divided for their stiffness, poses alone do not tell better. */
static double spring_slack(const attack_run *run, int *of, int r, const attack_frame *f0, const attack_frame *f1) {
    double h = f1->t - f0->t, sum = 0;
    for (int i = 0; i < run->facts->nspring; i++) {
        const attack_spring *s = &run->facts->spring[i];
        if (root(of, s->b) != r || s->a < 0) continue;
        const attack_frame *f[2] = {f0, f1};
        double force = 0, speed = 0;
        for (int k = 0; k < 2; k++) {
            perp_vec3 line = perp_v3_sub(end_of(f[k], s->b, s->at_b, NULL), end_of(f[k], s->a, s->at_a, NULL));
            force = fmax(force, s->stiffness * fabs(perp_v3_norm(line) - s->rest));
            speed = fmax(speed, perp_v3_norm(perp_v3_sub(f[k]->v[s->b], f[k]->v[s->a])));
        }
        sum += h * h * (force + s->stiffness * h * speed) * speed;
    }
    return sum;
}

void attack_momentum(const attack_run *run, const attack_frame *f0, const attack_frame *f1, const bool *near,
                     attack_findings *out) {
    int n = run->info->nbody, *of = malloc((size_t)n * sizeof *of);
    bool *fixed = malloc((size_t)n * sizeof *fixed);
    if (of && fixed) make_groups(run, near, of, fixed);
    double h = f1->t - f0->t, g = run->facts->gravity;
    for (int r = 0; of && fixed && r < n; r++) {
        if (root(of, r) != r || fixed[r] || run->body[r].kind != PERP_BODY_DYNAMIC) continue;
        perp_vec3 P = {0, 0, 0}, L = {0, 0, 0}, centre = {0, 0, 0};
        double p = 0, l = 0, mass = 0;
        int members = 0;
        for (int i = 0; i < n; i++)
            if (root(of, i) == r)
                centre = perp_v3_axpy(centre, run->body[i].mass, f0->X[i].p), mass += run->body[i].mass;
        centre = perp_v3_scale(1 / mass, centre);
        for (int i = 0; i < n; i++) {
            if (root(of, i) != r) continue;
            members++;
            double m = run->body[i].mass;
            perp_vec3 kick = perp_v3_scale(-m * g * h, up(run)), x0 = perp_v3_sub(f0->X[i].p, centre),
                      x1 = perp_v3_sub(f1->X[i].p, centre);
            perp_vec3 p0 = perp_v3_scale(m, f0->v[i]), p1 = perp_v3_scale(m, f1->v[i]), s0 = spin_momentum(run, i, f0),
                      s1 = spin_momentum(run, i, f1);
            P = perp_v3_add(P, perp_v3_sub(perp_v3_sub(p1, p0), kick));
            p += perp_v3_norm(p0) + perp_v3_norm(p1) + perp_v3_norm(kick);
            L = perp_v3_add(
                L, perp_v3_sub(perp_v3_sub(perp_v3_cross(x1, p1), perp_v3_cross(x0, p0)), perp_v3_cross(x0, kick)));
            L = perp_v3_add(L, perp_v3_sub(s1, s0));
            l += (perp_v3_norm(x0) + perp_v3_norm(x1)) * (perp_v3_norm(p0) + perp_v3_norm(p1)) + perp_v3_norm(s0) +
                 perp_v3_norm(s1);
        }
        if (p > 0) worst(perp_v3_norm(P) / p, f1->t, &out->momentum, &out->momentum_t);
        perp_vec3 by_poses = angular_of_poses(run, of, r, f0, f1, centre);
        if (perp_v3_norm(by_poses) < perp_v3_norm(L)) L = by_poses;
        if (run->info->dim == 2) L = perp_v3(0, 0, L.z);
        /* positions of a free group may be of another moment than its velocities, by half a step of fall */
        double slack = mass * g * h * (0.5 * g * h * h + p / mass * h) + spring_slack(run, of, r, f0, f1);
        if (l > 1e-9 * p) worst(fmax(0, perp_v3_norm(L) - slack) / (l + slack), f1->t, &out->angular, &out->angular_t);
        if (members == 1) flight(run, r, f0, f1, out);
    }
    free(of);
    free(fixed);
}
