/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* dynamics.c - mass matrix, bias, inverse and forward dynamics of the forest
 * Method   Vectors are in axes of W, moments about each body's own centre of mass, so that nothing depends on how far the
 *          bodies are from the origin. Mass matrix: composite rigid bodies. Inverse dynamics: recursive Newton-Euler
 *          with true accelerations; gravity is a force, since it does not act on every body.
 *          Acceleration of B relative to A, with u = sum lin_k rate_k the velocity of the origin P of Jb in A:
 *            a_P (fixed in B) = a_P (fixed in A) + 2 w_A x u + sum lin_k a_k
 *            alpha_B = alpha_A + sum ang_k a_k + sum (w_F x ang_k) rate_k,   F = A or B, in which ang_k is fixed.
 *          A reversed link has the same equations, solved for A.
 * Source   Featherstone (2008), chapters 5 and 6; the equations in this form derived here. */
#include "joint_space/joint_space_internal.h"

/* c about the point that lies at `by` from its own: c is moved to the other point. */
static void add_moved(pp_composite *to, const pp_composite *c, perp_vec3 by) {
    /* about the new point the centre is at by + mc/m; I' = I + m(...): with mc about the old point,
     * I' = I + (2 mc.by + m by.by) 1 - (mc by' + by mc' + m by by') */
    perp_vec3 mc = c->mc;
    double d = 2 * perp_v3_dot(mc, by) + c->m * perp_v3_dot(by, by);
    const double b[3] = {by.x, by.y, by.z}, k[3] = {mc.x, mc.y, mc.z};
    to->m += c->m;
    to->mc = perp_v3_add(to->mc, perp_v3_axpy(mc, c->m, by));
    for (int j = 0; j < 3; j++) {
        double col[3];
        for (int i = 0; i < 3; i++) col[i] = (i == j ? d : 0) - (k[i] * b[j] + b[i] * k[j] + c->m * b[i] * b[j]);
        to->I.c[j] = perp_v3_add(to->I.c[j], perp_v3_add(c->I.c[j], perp_v3(col[0], col[1], col[2])));
    }
}

static perp_vec3 from_parent(const perp_joint_space *s, int i) {
    return perp_v3_sub(pp_link_carried(s, i), s->at[s->link[i].parent].X.p);
}

/* Momentum of a composite that moves with the twist (lin, ang) of its point. */
static void momentum(const pp_composite *c, perp_vec3 lin, perp_vec3 ang, perp_vec3 *p, perp_vec3 *L) {
    *p = perp_v3_add(perp_v3_scale(c->m, lin), perp_v3_cross(ang, c->mc));
    *L = perp_v3_add(perp_m3_mul_v(c->I, ang), perp_v3_cross(c->mc, lin));
}

/* Rotors turn with one velocity each: they are on the diagonal. */
static void add_armature(const perp_joint_space *s, const int *map, double *M, int ld) {
    for (int i = 0; i < s->nlink; i++)
        for (int k = 0; k < s->link[i].nv && k < PERP_JOINT_MAX_COORD; k++) {
            int at = map ? map[s->link[i].v + k] : s->link[i].v + k;
            if (at >= 0) M[(size_t)at * (size_t)ld + (size_t)at] += s->link[i].armature[k];
        }
}

void pp_joint_space_mass(perp_joint_space *s, const int *map, double *M, int ld) {
    for (int i = 0; i < s->nlink; i++) s->composite[i] = (pp_composite){.m = s->mass[i], .I = s->I_W[i]};
    for (int i = s->nlink - 1; i >= 0; i--) {
        if (s->link[i].parent < 0) continue;
        pp_composite c = s->composite[i];
        if (s->link[i].particle) c = (pp_composite){.m = c.m}; /* a particle transmits translation but no rotation */
        add_moved(&s->composite[s->link[i].parent], &c, from_parent(s, i));
    }
    for (int i = 0; i < s->nlink; i++)
        for (int k = s->link[i].v; k < s->link[i].v + s->link[i].nv; k++) {
            int col = map ? map[k] : k;
            if (col < 0) continue;
            perp_vec3 lin, ang, p, L;
            pp_column_of(s, i, k, &lin, &ang);
            momentum(&s->composite[i], lin, ang, &p, &L);
            for (int a = i; a >= 0; a = s->link[a].parent) {
                int last = a == i ? k : s->link[a].v + s->link[a].nv - 1;
                for (int r = s->link[a].v; r <= last; r++) {
                    int row = map ? map[r] : r;
                    if (row < 0) continue;
                    pp_column_of(s, a, r, &lin, &ang);
                    double m = perp_v3_dot(lin, p) + perp_v3_dot(ang, L);
                    M[(size_t)col * (size_t)ld + (size_t)row] = M[(size_t)row * (size_t)ld + (size_t)col] = m;
                }
                if (s->link[a].particle) L = perp_v3(0, 0, 0);
                if (s->link[a].parent >= 0) L = perp_v3_add(L, perp_v3_cross(from_parent(s, a), p));
            }
        }
    add_armature(s, map, M, ld);
}

void perp_joint_space_mass_matrix(perp_joint_space *s, double *M) {
    memset(M, 0, (size_t)s->nv * (size_t)s->nv * sizeof *M);
    pp_joint_space_mass(s, NULL, M, s->nv);
}

void pp_joint_space_push(const perp_joint_space *s, int link, perp_vec3 force, perp_vec3 torque, double *tau) {
    for (int a = link; a >= 0; a = s->link[a].parent) {
        for (int k = s->link[a].v; k < s->link[a].v + s->link[a].nv; k++) {
            perp_vec3 lin, ang;
            pp_column_of(s, a, k, &lin, &ang);
            tau[k] += perp_v3_dot(lin, force) + perp_v3_dot(ang, torque);
        }
        if (s->link[a].particle) torque = perp_v3(0, 0, 0); /* a particle passes no torque on */
        if (s->link[a].parent >= 0) torque = perp_v3_add(torque, perp_v3_cross(from_parent(s, a), force));
    }
}

/* Acceleration of the point at r from a body's origin, fixed in it. */
static perp_vec3 point_acc(perp_vec3 acc, perp_vec3 alpha, perp_vec3 w, perp_vec3 r) {
    return perp_v3_add(acc, perp_v3_add(perp_v3_cross(alpha, r), perp_v3_cross(w, perp_v3_cross(w, r))));
}

/* acc and alpha of a link from those of its parent. */
static void accelerate(perp_joint_space *s, int i, const double *a) {
    const pp_link *l = &s->link[i];
    const pp_motion_of *c = &s->at[i], *p = l->parent >= 0 ? &s->at[l->parent] : &s->base[i];
    perp_vec3 zero = {0, 0, 0};
    perp_vec3 w_a = l->reversed ? c->w : p->w, w_b = l->reversed ? p->w : c->w;
    perp_vec3 turn = zero, slide = zero; /* relative accelerations */
    for (int k = l->v; k < l->v + l->nv; k++) {
        const pp_column *col = &s->column[k];
        double rate = s->vel[k], acc = a ? a[k] : 0;
        turn = perp_v3_axpy(turn, acc, col->ang);
        turn = perp_v3_axpy(turn, rate, perp_v3_cross(col->in_b ? w_b : w_a, col->ang));
        slide = perp_v3_axpy(slide, acc, col->lin);
        slide = perp_v3_axpy(slide, 2 * rate, perp_v3_cross(w_a, col->lin));
    }
    perp_vec3 acc = l->parent >= 0 ? s->acc[l->parent] : zero, alpha = l->parent >= 0 ? s->alpha[l->parent] : zero;
    double sign = l->reversed ? -1 : 1;
    acc = point_acc(acc, alpha, p->w, perp_v3_sub(s->pivot[i], p->X.p));
    acc = perp_v3_axpy(acc, sign, slide);
    alpha = l->particle ? zero : perp_v3_axpy(alpha, sign, turn);
    s->alpha[i] = alpha;
    s->acc[i] = point_acc(acc, alpha, c->w, perp_v3_sub(c->X.p, s->pivot[i]));
}

static void newton_euler(perp_joint_space *s, const double *a, double *tau) {
    perp_vec3 zero = {0, 0, 0};
    for (int i = 0; i < s->nlink; i++) {
        accelerate(s, i, a);
        perp_vec3 g = s->no_gravity[i] ? zero : s->gravity_W, w = s->at[i].w;
        s->force[i] = perp_v3_scale(s->mass[i], perp_v3_sub(s->acc[i], g));
        s->torque[i] =
            perp_v3_add(perp_m3_mul_v(s->I_W[i], s->alpha[i]), perp_v3_cross(w, perp_m3_mul_v(s->I_W[i], w)));
    }
    for (int i = s->nlink - 1; i >= 0; i--) {
        const pp_link *l = &s->link[i];
        for (int k = l->v; k < l->v + l->nv; k++) {
            perp_vec3 lin, ang;
            pp_column_of(s, i, k, &lin, &ang);
            tau[k] = perp_v3_dot(lin, s->force[i]) + perp_v3_dot(ang, s->torque[i]);
        }
        if (l->parent < 0) continue;
        perp_vec3 moment = perp_v3_cross(from_parent(s, i), s->force[i]);
        if (!l->particle) moment = perp_v3_add(moment, s->torque[i]);
        s->force[l->parent] = perp_v3_add(s->force[l->parent], s->force[i]);
        s->torque[l->parent] = perp_v3_add(s->torque[l->parent], moment);
    }
}

void perp_joint_space_bias(perp_joint_space *s, double *bias) { newton_euler(s, NULL, bias); }

void perp_joint_space_inverse_dynamics(perp_joint_space *s, const double *a, double *tau) {
    for (int k = 0; k < s->nv; k++) s->bias[k] = a[k]; /* tau may be a */
    newton_euler(s, s->bias, tau);
    for (int i = 0; i < s->nlink; i++)
        for (int k = 0; k < s->link[i].nv && k < PERP_JOINT_MAX_COORD; k++)
            tau[s->link[i].v + k] += s->link[i].armature[k] * s->bias[s->link[i].v + k];
}

perp_status perp_joint_space_forward_dynamics(perp_joint_space *s, const double *tau, double *a, double *work) {
    if (s->nv == 0) return PERP_OK;
    perp_joint_space_mass_matrix(s, work);
    newton_euler(s, NULL, s->bias);
    if (!pp_cholesky(s->nv, work, s->nv)) return PERP_E_SOLVE;
    for (int i = 0; i < s->nv; i++) a[i] = tau[i] - s->bias[i];
    pp_cholesky_solve(s->nv, work, s->nv, 1, a, s->nv);
    return PERP_OK;
}

perp_status perp_joint_space_add_force(const perp_joint_space *s, perp_body_id b, const double point_W[3],
                                       const double force_W[3], const double torque_W[3], double *tau) {
    if (!pp_joint_space_knows(s, b)) return PERP_E_ARG;
    int link = s->link_of[b.slot];
    if (link < 0) return PERP_OK;
    perp_vec3 f = perp_v3(force_W[0], force_W[1], force_W[2]), t = perp_v3(torque_W[0], torque_W[1], torque_W[2]);
    perp_vec3 arm = perp_v3_sub(perp_v3(point_W[0], point_W[1], point_W[2]), s->at[link].X.p);
    pp_joint_space_push(s, link, f, perp_v3_add(t, perp_v3_cross(arm, f)), tau);
    return PERP_OK;
}
