/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* jacobian.c - poses and twists of bodies in the configuration, Jacobians of points and of centres of mass */
#include "joint_space/joint_space_internal.h"

/* The link of a body; false if the body is not known. */
static bool link_at(const perp_joint_space *s, perp_body_id b, int *link) {
    if (!pp_joint_space_knows(s, b)) return false;
    *link = s->link_of[b.slot];
    return true;
}

perp_status perp_joint_space_pose(const perp_joint_space *s, perp_body_id b, double pose[7]) {
    int i;
    if (!link_at(s, b, &i) || i < 0) return PERP_E_ARG;
    perp_pose X = s->at[i].X;
    const double x[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    memcpy(pose, x, sizeof x);
    return PERP_OK;
}

perp_status perp_joint_space_twist(const perp_joint_space *s, perp_body_id b, double twist[6]) {
    int i;
    if (!link_at(s, b, &i) || i < 0) return PERP_E_ARG;
    perp_vec3 v = s->at[i].v, w = s->at[i].w;
    const double x[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    memcpy(twist, x, sizeof x);
    return PERP_OK;
}

/* Adds to J (rows of nv numbers) scale times the velocity of the point of a link, and if `turn` three more rows: its angular
 * velocity. A particle between the link and its root transmits translation but no rotation. */
static void add_point(const perp_joint_space *s, int link, perp_vec3 point, double scale, bool turn, double *J) {
    size_t n = (size_t)s->nv;
    for (int a = link; a >= 0; a = s->link[a].parent) {
        if (s->link[a].particle) {
            turn = false;
            point = pp_link_carried(s, a);
        }
        for (int k = s->link[a].v; k < s->link[a].v + s->link[a].nv; k++) {
            perp_vec3 lin, ang;
            pp_column_of(s, a, k, &lin, &ang);
            lin = perp_v3_add(lin, perp_v3_cross(ang, perp_v3_sub(point, s->at[a].X.p)));
            double *at = J + k;
            at[0] += scale * lin.x;
            at[n] += scale * lin.y;
            at[2 * n] += scale * lin.z;
            if (!turn) continue;
            at[3 * n] += scale * ang.x;
            at[4 * n] += scale * ang.y;
            at[5 * n] += scale * ang.z;
        }
    }
}

perp_status perp_joint_space_jacobian(const perp_joint_space *s, perp_body_id b, const double point_B[3], double *J) {
    int link;
    if (!link_at(s, b, &link)) return PERP_E_ARG;
    memset(J, 0, 6 * (size_t)s->nv * sizeof *J);
    if (link < 0) return PERP_OK;
    perp_vec3 point = perp_pose_apply(s->at[link].X, perp_v3(point_B[0], point_B[1], point_B[2]));
    add_point(s, link, point, 1, true, J);
    return PERP_OK;
}

static bool below(const perp_joint_space *s, int link, int top) {
    while (link >= 0 && link != top) link = s->link[link].parent;
    return link == top;
}

perp_status perp_joint_space_subtree(const perp_joint_space *s, int link, double *mass, double centre_W[3]) {
    if (link < -1 || link >= s->nlink) return PERP_E_ARG;
    double m = 0;
    perp_vec3 c = {0, 0, 0};
    for (int i = link < 0 ? 0 : link; i < s->nlink; i++) {
        if (link >= 0 && !below(s, i, link)) break; /* depth first: a subtree is one run of links */
        m += s->mass[i];
        c = perp_v3_axpy(c, s->mass[i] / m, perp_v3_sub(s->at[i].X.p, c)); /* running mean */
    }
    if (mass) *mass = m;
    if (centre_W) centre_W[0] = c.x, centre_W[1] = c.y, centre_W[2] = c.z;
    return PERP_OK;
}

perp_status perp_joint_space_centre_jacobian(const perp_joint_space *s, int link, double *J) {
    double m;
    if (perp_joint_space_subtree(s, link, &m, NULL)) return PERP_E_ARG;
    memset(J, 0, 3 * (size_t)s->nv * sizeof *J);
    for (int i = link < 0 ? 0 : link; i < s->nlink; i++) {
        if (link >= 0 && !below(s, i, link)) break;
        add_point(s, i, s->at[i].X.p, s->mass[i] / m, false, J);
    }
    return PERP_OK;
}
