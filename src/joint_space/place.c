/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* place.c - q and v of a world, and the world of q and v
 * Method   Root to leaf. With X_J(q) the pose of Jb in Ja, a link's body stands at X_WA X_AJ X_J(q) X_BJ^-1, or, reversed, at
 *          X_WB X_BJ X_J(q)^-1 X_AJ^-1. Quaternions are made unit at each link, so joints hold to rounding however long
 *          the chain is. Velocities: twist of B = twist of A + sum of columns times rates. */
#include "joint_space/joint_space_internal.h"
#include "model/coupling.h"

#include "model/joint_geometry.h"
#include "base/elementary.h"

static perp_vec3 axis_of(perp_quat q, int i) {
    return perp_q_rotate(q, perp_v3(i == 0 ? 1 : 0, i == 1 ? 1 : 0, i == 2 ? 1 : 0));
}

static perp_quat quat_at(const double *q) { return (perp_quat){q[0], q[1], q[2], q[3]}; }

/* Pose of Jb in Ja. */
static perp_pose joint_pose(const pp_link *l, const double *q) {
    double t[3] = {0, 0, 0};
    for (int i = 0; i < l->ntrans; i++) t[l->axis[i]] = q[i];
    perp_pose X = {perp_v3(t[0], t[1], t[2]), perp_q_identity()};
    const double *r = q + l->ntrans;
    if (l->turn == PP_LINK_TWIST) X.q = (perp_quat){pp_cos(r[0] / 2), 0, 0, pp_sin(r[0] / 2)};
    if (l->turn == PP_LINK_CROSS)
        X.q = perp_q_mul((perp_quat){pp_cos(r[0] / 2), 0, 0, pp_sin(r[0] / 2)},
                         (perp_quat){pp_cos(r[1] / 2), pp_sin(r[1] / 2), 0, 0});
    if (l->turn == PP_LINK_BALL) X.q = quat_at(r);
    return X;
}

static const pp_motion_of *parent_of(const perp_joint_space *s, int i) {
    return s->link[i].parent >= 0 ? &s->at[s->link[i].parent] : &s->base[i];
}

/* 2D: the angle of Jb in Ja when both bodies are at angle 0. */
static double frames_angle(const pp_link *l) {
    return pp_joint_plane_angle(l->X_BJ.q) - pp_joint_plane_angle(l->X_AJ.q);
}

/* Pose of a link's body from that of its parent. A particle keeps its orientation. */
static void place_body(const perp_joint_space *s, int i) {
    const pp_link *l = &s->link[i];
    const pp_motion_of *p = parent_of(s, i);
    pp_motion_of *c = &s->at[i];
    perp_pose X_J = joint_pose(l, s->q + l->q), X_JJ;
    if (!l->reversed) {
        X_JJ = perp_pose_mul(perp_pose_mul(p->X, l->X_AJ), X_J); /* Jb */
        if (!l->particle) c->X.q = perp_q_unit(perp_q_mul(X_JJ.q, perp_q_conj(l->X_BJ.q)));
        s->pivot[i] = X_JJ.p;
        c->X.p = perp_v3_sub(X_JJ.p, perp_q_rotate(c->X.q, l->X_BJ.p));
    } else {
        perp_pose X_WB = perp_pose_mul(p->X, l->X_BJ);
        if (!l->particle) c->X.q = perp_q_unit(perp_q_mul(X_WB.q, perp_q_conj(perp_q_mul(l->X_AJ.q, X_J.q))));
        s->pivot[i] = X_WB.p;
        perp_quat q_WJ = perp_q_mul(c->X.q, l->X_AJ.q);
        perp_vec3 origin = perp_v3_sub(X_WB.p, perp_q_rotate(q_WJ, X_J.p)); /* of Ja */
        c->X.p = perp_v3_sub(origin, perp_q_rotate(c->X.q, l->X_AJ.p));
    }
    if (s->dim == 2) { /* rounding must not leave the plane; angles count turns */
        c->X.p.z = 0;
        if (!l->particle) {
            double turn = (l->turn == PP_LINK_TWIST ? s->q[l->q + l->ntrans] : 0) - frames_angle(l);
            c->theta = l->reversed ? p->theta - turn : p->theta + turn;
            c->X.q.x = c->X.q.y = 0;
        }
    }
}

/* Columns of a link, from the axes of its frames. */
static void set_columns(const perp_joint_space *s, int i) {
    const pp_link *l = &s->link[i];
    perp_quat q_p = parent_of(s, i)->X.q, q_c = s->at[i].X.q;
    perp_quat q_a = perp_q_mul(l->reversed ? q_c : q_p, l->X_AJ.q),
              q_b = perp_q_mul(l->reversed ? q_p : q_c, l->X_BJ.q);
    const perp_vec3 zero = {0, 0, 0};
    pp_column *c = s->column + l->v;
    for (int k = 0; k < l->ntrans; k++) *c++ = (pp_column){.ang = zero, .lin = axis_of(q_a, l->axis[k])};
    for (int k = 0; k < l->nturn; k++) {
        pp_column t = {.lin = zero};
        if (l->turn == PP_LINK_BALL) {
            t.ang = axis_of(q_b, k);
            t.in_b = true;
        } else if (k == 0) {
            t.ang = s->dim == 2 ? perp_v3(0, 0, 1) : axis_of(q_a, 2);
        } else {
            t.ang = axis_of(q_b, 0);
            t.in_b = true;
        }
        *c++ = t;
    }
}

static void move_body(const perp_joint_space *s, int i) {
    const pp_link *l = &s->link[i];
    const pp_motion_of *p = parent_of(s, i);
    pp_motion_of *c = &s->at[i];
    c->w = l->particle ? perp_v3(0, 0, 0) : p->w;
    c->v = perp_v3_add(p->v, perp_v3_cross(p->w, perp_v3_sub(pp_link_carried(s, i), p->X.p)));
    for (int k = l->v; k < l->v + l->nv; k++) {
        perp_vec3 lin, ang;
        pp_column_of(s, i, k, &lin, &ang);
        c->v = perp_v3_axpy(c->v, s->vel[k], lin);
        c->w = perp_v3_axpy(c->w, s->vel[k], ang);
    }
}

void pp_joint_space_forward(perp_joint_space *s) {
    for (int i = 0; i < s->nlink; i++) {
        place_body(s, i);
        set_columns(s, i);
        move_body(s, i);
        s->I_W[i] = s->dim == 2 || s->link[i].particle ? s->I_B[i] : perp_inertia_rotate(s->at[i].X.q, s->I_B[i]);
    }
}

static pp_motion_of motion_in(const perp_world *w, int slot) {
    pp_motion_of m = {.X = perp_pose_identity()};
    if (slot < 0) return m;
    m.X = w->state.X[slot];
    m.theta = w->state.theta[slot];
    m.v = pp_shown_v(&w->state, slot);
    m.w = pp_shown_w(&w->state, slot);
    return m;
}

void pp_joint_space_base(perp_joint_space *s, const perp_world *w) {
    s->gravity_W = w->def.gravity_W;
    for (int i = 0; i < s->nlink; i++) {
        pp_link *l = &s->link[i];
        const pp_body *b = &w->body[l->body];
        for (int k = 0; l->joint >= 0 && k < PERP_JOINT_MAX_COORD; k++)
            l->armature[k] = w->joint[l->joint].def.axis[k].armature;
        if (l->parent < 0) s->base[i] = motion_in(w, l->parent_body);
        s->mass[i] = b->mass;
        s->I_B[i] = b->particle ? perp_m3_diag(0, 0, 0) : b->I_B;
        s->no_gravity[i] = b->no_gravity;
        if (b->particle) s->at[i] = motion_in(w, l->body); /* its orientation */
    }
    for (int k = 0; k < s->nloop; k++) {
        s->loop_def[k] = w->joint[s->loop[k]].def;
        s->loop_base[2 * k] = motion_in(w, s->loop_a[k]);
        s->loop_base[2 * k + 1] = motion_in(w, s->loop_b[k]);
    }
}

/* q and v of a free body or ball, from the motions of its sides. */
static void read_turning(const pp_link *l, const pp_motion_of *a, const pp_motion_of *b, double *q, double *v) {
    perp_quat q_a = perp_q_mul(a->X.q, l->X_AJ.q), q_b = perp_q_mul(b->X.q, l->X_BJ.q);
    perp_vec3 p_a = perp_pose_apply(a->X, l->X_AJ.p), p_b = perp_pose_apply(b->X, l->X_BJ.p), d = perp_v3_sub(p_b, p_a);
    perp_vec3 v_b = perp_v3_add(b->v, perp_v3_cross(b->w, perp_v3_sub(p_b, b->X.p)));
    perp_vec3 v_a = perp_v3_add(a->v, perp_v3_cross(a->w, perp_v3_sub(p_b, a->X.p)));
    for (int i = 0; i < l->ntrans; i++) {
        perp_vec3 e = axis_of(q_a, l->axis[i]);
        q[i] = perp_v3_dot(d, e);
        v[i] = perp_v3_dot(perp_v3_sub(v_b, v_a), e);
    }
    q += l->ntrans;
    v += l->ntrans;
    perp_vec3 w = perp_v3_sub(b->w, a->w);
    if (l->turn == PP_LINK_TWIST) { /* in the plane; a 3D twist is a joint's coordinate */
        q[0] = b->theta - a->theta + frames_angle(l);
        v[0] = w.z;
    }
    if (l->turn == PP_LINK_BALL) {
        perp_quat r = perp_q_unit(perp_q_mul(perp_q_conj(q_a), q_b));
        q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
        for (int k = 0; k < 3; k++) v[k] = perp_v3_dot(w, axis_of(q_b, k));
    }
}

void pp_joint_space_from_world(perp_joint_space *s, const perp_world *w) {
    for (int i = 0; i < s->nlink; i++) {
        const pp_link *l = &s->link[i];
        double *q = s->q + l->q, *v = s->vel + l->v;
        const pp_joint *j = l->joint >= 0 ? &w->joint[l->joint] : NULL;
        bool whole = j && l->nv == pp_joint_kind_of(j->def.kind, s->dim)->ncoord && l->turn != PP_LINK_BALL;
        if (!whole) { /* the coordinates are not those of the joint */
            pp_motion_of child = motion_in(w, l->body), parent = motion_in(w, l->parent_body);
            read_turning(l, l->reversed ? &child : &parent, l->reversed ? &parent : &child, q, v);
            continue;
        }
        pp_joint_side a = pp_shown_side(w, &w->state, j->a), b = pp_shown_side(w, &w->state, j->b);
        pp_joint_coords(&j->def, s->dim, &a, &b, w->state.coord[l->joint], q);
        pp_joint_rates(&j->def, s->dim, &a, &b, v);
    }
}

perp_status pp_joint_space_take(perp_joint_space *s, perp_world *w, const double *q, const double *v) {
    for (int i = 0; q && i < s->nq; i++)
        if (!isfinite(q[i])) return pp_fail(w, PERP_E_ARG, "q[%d] is %g; it must be finite", i, q[i]);
    for (int i = 0; v && i < s->nv; i++)
        if (!isfinite(v[i])) return pp_fail(w, PERP_E_ARG, "v[%d] is %g; it must be finite", i, v[i]);
    for (int i = 0; q && i < s->nlink; i++) {
        const pp_link *l = &s->link[i];
        if (l->turn == PP_LINK_BALL && !(perp_q_norm(quat_at(q + l->q + l->ntrans)) > 0))
            return pp_fail(w, PERP_E_ARG, "q[%d] to q[%d] are a quaternion of length 0", l->q + l->ntrans,
                           l->q + l->ntrans + 3);
    }
    pp_joint_space_base(s, w);
    if (!q || !v) pp_joint_space_from_world(s, w);
    if (q) memcpy(s->q, q, (size_t)s->nq * sizeof *q);
    if (v) memcpy(s->vel, v, (size_t)s->nv * sizeof *v);
    for (int i = 0; q && i < s->nlink; i++) {
        const pp_link *l = &s->link[i];
        if (l->turn != PP_LINK_BALL) continue;
        double *r = s->q + l->q + l->ntrans;
        perp_quat unit = perp_q_unit(quat_at(r));
        r[0] = unit.w, r[1] = unit.x, r[2] = unit.y, r[3] = unit.z;
    }
    return PERP_OK;
}

perp_status perp_joint_space_place(perp_joint_space *s, perp_world *w, const double *q, const double *v) {
    perp_status st = pp_joint_space_check(s, w);
    if (!st) st = pp_joint_space_take(s, w, q, v);
    if (!st) pp_joint_space_forward(s);
    return st;
}

void perp_joint_space_read(const perp_joint_space *s, double *q, double *v) {
    if (q) memcpy(q, s->q, (size_t)s->nq * sizeof *q);
    if (v) memcpy(v, s->vel, (size_t)s->nv * sizeof *v);
}

void perp_joint_space_look(const perp_joint_space *s, const double **q, const double **v) {
    if (q) *q = s->q;
    if (v) *v = s->vel;
}

perp_status perp_joint_space_get(perp_joint_space *s, perp_world *w, double *q, double *v) {
    perp_status st = perp_joint_space_place(s, w, NULL, NULL);
    if (!st) perp_joint_space_read(s, q, v);
    return st;
}

void pp_joint_space_write(const perp_joint_space *s, perp_world *w) {
    for (int i = 0; i < s->nlink; i++) {
        const pp_link *l = &s->link[i];
        const pp_motion_of *m = &s->at[i];
        w->state.X[l->body] = m->X;
        if (s->dim == 2 && !l->particle) w->state.theta[l->body] = m->theta;
        pp_velocity_was_set(&w->state, l->body, m->v, m->w);
    }
    for (int i = 0; i < s->nlink; i++) { /* whole turns of joint angles */
        const pp_link *l = &s->link[i];
        if (l->joint < 0 || l->turn == PP_LINK_BALL) continue;
        double *coord = w->state.coord[l->joint];
        if (l->nv == pp_joint_kind_of(w->joint[l->joint].def.kind, s->dim)->ncoord)
            memcpy(coord, s->q + l->q, (size_t)l->nq * sizeof *coord);
    }
    for (int k = 0; k < s->nloop; k++) {
        const pp_joint *j = &w->joint[s->loop[k]];
        pp_joint_side a = pp_side(w, &w->state, j->a, NULL), b = pp_side(w, &w->state, j->b, NULL);
        double *coord = w->state.coord[s->loop[k]], now[PERP_JOINT_MAX_COORD] = {0};
        pp_joint_coords(&j->def, s->dim, &a, &b, coord, now);
        memcpy(coord, now, sizeof now);
    }
    for (int i = 0; i < w->njoint; i++)
        if (pp_alive(w->joint[i].gen) && w->joint[i].def.kind == PERP_JOINT_TENDON)
            pp_joint_coords_at(w, &w->state, &w->state, i, w->state.coord[i]);
}

perp_status perp_joint_space_set(perp_joint_space *s, perp_world *w, const double *q, const double *v,
                                 double tolerance) {
    perp_status st = perp_joint_space_place(s, w, q, v);
    if (st) return st;
    double miss = perp_joint_space_loop_error(s);
    if (!(miss <= tolerance))
        return pp_fail(
            w, PERP_E_ARG,
            "q does not close the loops: a joint misses by %.3g, allowed is %g; see perp_joint_space_project()", miss,
            tolerance);
    pp_joint_space_write(s, w);
    return PERP_OK;
}

void perp_joint_space_integrate(const perp_joint_space *s, const double *q, const double *v, double dt, double *out) {
    for (int i = 0; i < s->nlink; i++) {
        const pp_link *l = &s->link[i];
        int plain = l->turn == PP_LINK_BALL ? l->ntrans : l->nv;
        for (int k = 0; k < plain; k++) out[l->q + k] = q[l->q + k] + dt * v[l->v + k];
        if (l->turn != PP_LINK_BALL) continue;
        const double *w = v + l->v + plain;
        double *r = out + l->q + plain;
        perp_quat turned =
            perp_q_unit(perp_q_mul(quat_at(q + l->q + plain), perp_q_exp(perp_v3(dt * w[0], dt * w[1], dt * w[2]))));
        r[0] = turned.w, r[1] = turned.x, r[2] = turned.y, r[3] = turned.z;
    }
}

void perp_joint_space_difference(const perp_joint_space *s, const double *q_a, const double *q_b, double dt,
                                 double *v) {
    for (int i = 0; i < s->nlink; i++) {
        const pp_link *l = &s->link[i];
        int plain = l->turn == PP_LINK_BALL ? l->ntrans : l->nv;
        for (int k = 0; k < plain; k++) v[l->v + k] = (q_b[l->q + k] - q_a[l->q + k]) / dt;
        if (l->turn != PP_LINK_BALL) continue;
        perp_quat a = quat_at(q_a + l->q + plain), b = quat_at(q_b + l->q + plain);
        perp_vec3 r = perp_q_log(perp_q_unit(perp_q_mul(perp_q_conj(a), b)));
        double *w = v + l->v + plain;
        w[0] = r.x / dt, w[1] = r.y / dt, w[2] = r.z / dt;
    }
}
