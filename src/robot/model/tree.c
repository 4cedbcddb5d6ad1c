/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tree.c - from bodies of a model to links: bodies that move as one.
 *
 * Bodies without joints belong to the link of their parent; everything that is fixed to the world is link 0. A moving body in perp must have a mass, so
 *   - a link without mass and without children is fixed to its parent: its joints are dropped, and a note says so;
 *   - the joints of a link without mass and with one child become joints of that child, before its own;
 *   - others are refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/model/robot.h"

/* ---- mass of each body ---- */

static perp_status body_masses(pp_import *m) {
    pp_model *d = &m->model;
    bool *some = pp_alloc(&m->alloc, (size_t)d->nbody);
    if (!some) return pp_robot_no_memory(m);
    memset(some, 0, (size_t)d->nbody);
    perp_status s = PERP_OK;
    for (int i = 0; i < d->ngeom && !s; i++) {
        const pp_model_geom *g = &d->geom[i];
        pp_model_body *b = &d->body[g->body];
        perp_mass add;
        if (!g->weighs || b->given || g->body == 0) continue;
        s = pp_robot_geom_mass(m, g, &add);
        if (s || !(add.mass > 0)) continue;
        b->mass = some[g->body] ? perp_mass_add(b->mass, add) : add;
        some[g->body] = true;
    }
    pp_free(&m->alloc, some);
    return s;
}

/* ---- links ---- */

static bool has_joints(const pp_import *m, int body) {
    for (int i = 0; i < m->model.njoint; i++)
        if (m->model.joint[i].body == body) return true;
    return false;
}

static perp_status add_link(pp_import *m, int body, int parent) {
    if (!PP_GROW(&m->alloc, m->link, m->cap_link, m->nlink, m->nlink + 1)) return pp_robot_no_memory(m);
    pp_link *l = &m->link[m->nlink++];
    *l = (pp_link){.body = body, .parent = parent, .X_W = perp_pose_identity()};
    l->kinematic = m->model.body[body].mocap;
    for (int i = m->model.njoint - 1; i >= 0; i--)
        if (m->model.joint[i].body == body) {
            l->joint = i;
            l->njoint++;
        }
    return PERP_OK;
}

static void add_mass(pp_link *l, perp_mass more) {
    if (!(more.mass > 0)) return;
    l->mass = l->mass.mass > 0 ? perp_mass_add(l->mass, more) : more;
}

static perp_status make_links(pp_import *m) {
    pp_model *d = &m->model;
    m->nlink = 0;
    perp_status s = add_link(m, 0, 0);
    m->link_of[0] = 0;
    m->X_link[0] = perp_pose_identity();
    for (int b = 1; b < d->nbody && !s; b++) {
        int parent = d->body[b].parent;
        if (has_joints(m, b) || d->body[b].mocap) {
            m->link_of[b] = m->nlink;
            m->X_link[b] = perp_pose_identity();
            s = add_link(m, b, m->link_of[parent]);
        } else {
            m->link_of[b] = m->link_of[parent];
            m->X_link[b] = perp_pose_mul(m->X_link[parent], d->body[b].X_P);
        }
        if (!s && m->link_of[b] > 0) add_mass(&m->link[m->link_of[b]], perp_mass_move(m->X_link[b], d->body[b].mass));
    }
    return s;
}

/* ---- links without mass ---- */

static bool touches(const pp_import *m, int link) {
    for (int i = 0; i < m->model.ngeom; i++)
        if (m->link_of[m->model.geom[i].body] == link && !m->model.geom[i].visual) return true;
    return false;
}

static void drop_joints(pp_import *m, int body) {
    pp_model *d = &m->model;
    int n = 0;
    for (int i = 0; i < d->njoint; i++)
        if (d->joint[i].body != body) d->joint[n++] = d->joint[i];
    d->njoint = n;
}

/* Moves the joints of `from` to its child link `to`. Their places with all coordinates at their reference do not change. */
static void hand_down(pp_import *m, int from, int to) {
    pp_model *d = &m->model;
    perp_pose X = perp_pose_mul(m->X_link[d->body[to].parent], d->body[to].X_P); /* of `to` in `from` */
    pp_model_joint moved[8];
    int n = 0, k = 0;
    for (int i = 0; i < d->njoint; i++) {
        if (d->joint[i].body == from && n < 8) {
            pp_model_joint j = d->joint[i];
            j.body = to;
            j.p_B = perp_pose_unapply(X, j.p_B);
            j.axis_B = perp_q_unrotate(X.q, j.axis_B);
            moved[n++] = j;
        }
    }
    drop_joints(m, from);
    while (k < d->njoint && d->joint[k].body != to) k++;
    memmove(d->joint + k + n, d->joint + k, sizeof *d->joint * (size_t)(d->njoint - k));
    memcpy(d->joint + k, moved, sizeof *moved * (size_t)n);
    d->njoint += n;
}

/* Deals with one link without mass; *again: the links must be made anew. */
static perp_status without_mass(pp_import *m, bool *again) {
    pp_model *d = &m->model;
    *again = false;
    for (int l = m->nlink - 1; l > 0; l--) {
        const pp_link *k = &m->link[l];
        const pp_model_body *b = &d->body[k->body];
        int hang = 0, child = 0;
        if (k->mass.mass > 0 || k->kinematic) continue;
        for (int i = 1; i < m->nlink; i++)
            if (m->link[i].parent == l) {
                hang++;
                child = i;
            }
        *again = true;
        if (hang == 0 && strcmp(d->format, "MJCF") != 0) {
            perp_status s =
                pp_robot_note(m, PERP_IMPORT_APPROXIMATED, d->joint[k->joint].at,
                              "%s has no mass: its joint %s does not move", b->name, d->joint[k->joint].name);
            drop_joints(m, k->body);
            return s;
        }
        if (hang == 1 && k->njoint + m->link[child].njoint <= 6 && !touches(m, l)) {
            perp_status s =
                pp_robot_note(m, PERP_IMPORT_APPROXIMATED, b->at,
                              "%s has no mass: its joints belong to %s, and what is drawn of it does not move", b->name,
                              d->body[m->link[child].body].name);
            hand_down(m, k->body, m->link[child].body);
            return s;
        }
        if (hang == 0)
            return pp_robot_say(m, PERP_E_ARG, b->at, "found a body that moves and has no mass; allowed: mass > 0");
        return pp_robot_say(m, PERP_E_ARG, b->at,
                            "found a body that moves and has no mass, with %d bodies on it; allowed: mass > 0", hang);
    }
    return PERP_OK;
}

/* ---- where everything is at the start ---- */

static perp_pose kinematics(const pp_import *m, int body, const double *q, int most) {
    const pp_model *d = &m->model;
    perp_pose X = d->body[body].X_P;
    for (int i = 0; i < d->njoint && most > 0; i++) {
        const pp_model_joint *j = &d->joint[i];
        if (j->body != body) continue;
        most--;
        if (j->kind == PP_FREE) {
            if (j->placed) X = j->X;
            continue;
        }
        if (j->kind == PP_BALL) {
            perp_vec3 anchor = perp_pose_apply(X, j->p_B);
            if (j->placed) X.q = perp_q_unit(perp_q_mul(X.q, j->X.q));
            X.p = perp_v3_sub(anchor, perp_q_rotate(X.q, j->p_B));
            continue;
        }
        double by = (q ? q[i] : j->q) - j->ref;
        if (j->kind == PP_SLIDE) {
            X.p = perp_v3_add(X.p, perp_q_rotate(X.q, perp_v3_scale(by, j->axis_B)));
        } else {
            perp_vec3 anchor = perp_pose_apply(X, j->p_B);
            X.q = perp_q_unit(perp_q_mul(X.q, perp_q_axis_angle(j->axis_B, by)));
            X.p = perp_v3_sub(anchor, perp_q_rotate(X.q, j->p_B));
        }
    }
    return X;
}

perp_pose pp_robot_kinematics(const pp_import *m, int body, const double *q) {
    return kinematics(m, body, q, m->model.njoint);
}

perp_pose pp_robot_kinematics_part(const pp_import *m, int body, int n) { return kinematics(m, body, NULL, n); }

/* Puts a joint at q. False: it is there. */
static bool put_at(pp_import *m, int joint, double q) {
    if (joint < 0 || m->model.joint[joint].q == q || !isfinite(q)) return false;
    m->model.joint[joint].q = q;
    return true;
}

/* Puts joints that equalities and mimics bind where the other joints place them. */
static void follow_equalities(pp_import *m) {
    const pp_model *d = &m->model;
    bool again = true;
    for (int pass = 0; again && pass <= d->njoint; pass++) { /* one joint of a chain in each pass */
        again = false;
        for (int i = 0; i < d->nequality; i++) {
            const pp_model_equality *e = &d->equality[i];
            if (!e->active || strcmp(e->type, "joint") != 0) continue;
            int a = pp_model_find_joint(m, e->a), b = e->b ? pp_model_find_joint(m, e->b) : -1;
            if (a < 0 || (e->b && b < 0)) continue;
            double x = b >= 0 ? d->joint[b].q - d->joint[b].ref : 0, y = 0;
            for (int k = PP_POLYNOMIAL - 1; k >= 0; k--) y = y * x + e->polynomial[k];
            again |= put_at(m, a, d->joint[a].ref + (b >= 0 ? y : e->polynomial[0]));
        }
        for (int i = 0; i < d->njoint; i++) {
            const pp_model_joint *j = &d->joint[i];
            int of = j->mimic ? pp_model_find_joint(m, j->mimic) : -1;
            if (of >= 0) again |= put_at(m, i, j->mimic_factor * d->joint[of].q + j->mimic_offset);
        }
    }
}

static perp_status place(pp_import *m) {
    pp_model *d = &m->model;
    perp_status s = PERP_OK;
    for (int i = 0; i < d->njoint && !s; i++) {
        pp_model_joint *j = &d->joint[i];
        if (!j->placed) j->q = j->ref;
        double was = j->q;
        if (!j->limited || j->kind == PP_BALL || j->kind == PP_FREE) continue;
        if (j->q < j->range[0]) j->q = j->range[0];
        if (j->q > j->range[1]) j->q = j->range[1];
        if (j->q != was)
            s = pp_robot_note(m, PERP_IMPORT_ASSUMED, j->at, "joint %s starts at its limit %g: %g is out of its range",
                              j->name, j->q, was);
    }
    follow_equalities(m);
    for (int l = 1; l < m->nlink; l++) {
        pp_link *k = &m->link[l];
        int parent = d->body[k->body].parent;
        perp_pose X_P = perp_pose_mul(m->link[k->parent].X_W, m->X_link[parent]);
        k->X_W = perp_pose_mul(X_P, pp_robot_kinematics(m, k->body, NULL));
        k->X_W.q = perp_q_unit(k->X_W.q);
    }
    return s;
}

static perp_status check_inertias(pp_import *m) {
    for (int l = 1; l < m->nlink; l++) {
        pp_link *k = &m->link[l];
        const pp_model_body *b = &m->model.body[k->body];
        if (k->kinematic) continue;
        perp_status s = pp_robot_check_inertia(m, b->inertial ? b->inertial : b->at, b->name, false, &k->mass);
        if (s) return s;
    }
    return PERP_OK;
}

/* Of single bodies, before they are added up. What is fixed to the world needs none. */
static perp_status check_parts(pp_import *m) {
    for (int i = 1; i < m->model.nbody; i++) {
        pp_model_body *b = &m->model.body[i];
        if (!b->given || m->link_of[i] == 0 || !(b->mass.mass > 0)) continue;
        perp_status s = pp_robot_check_inertia(m, b->inertial ? b->inertial : b->at, b->name, true, &b->mass);
        if (s) return s;
    }
    return PERP_OK;
}

perp_status pp_robot_links(pp_import *m) {
    size_t n = (size_t)m->model.nbody;
    m->link_of = pp_alloc(&m->alloc, n * sizeof *m->link_of);
    m->X_link = pp_alloc(&m->alloc, n * sizeof *m->X_link);
    if (!m->link_of || !m->X_link) return pp_robot_no_memory(m);
    perp_status s = body_masses(m);
    bool again = true;
    while (!s && again) {
        s = make_links(m);
        if (!s) s = without_mass(m, &again);
    }
    if (!s) s = check_parts(m);
    if (!s) s = make_links(m); /* with what was repaired */
    if (!s) s = check_inertias(m);
    return s ? s : place(m);
}
