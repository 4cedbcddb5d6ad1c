/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_key.c - keyframes of a model as entries of its scene.
 *
 * Links stand in the scene in the order of the model's bodies, which is that of joint space: depth first. So the numbers of a keyframe stay in their order, link by link. They are
 * those of the joints of the scene; three hinges that became a ball joint give its quaternion. */
#include <stdio.h>
#include <string.h>

#include "robot/write.h"

/* Pose of a link in its parent, with the joints where pp_model_at_key() put them. */
static perp_pose in_parent(const pp_import *m, int link) {
    int body = m->link[link].body, parent = m->model.body[body].parent;
    return perp_pose_mul(m->X_link[parent], pp_robot_kinematics(m, body, NULL));
}

static void put_next(pp_text *t, bool *first, double x) {
    if (!*first) pp_text_add(t, ", ");
    *first = false;
    pp_text_number(t, x);
}

static void put_quaternion(pp_text *t, bool *first, perp_quat q) {
    q = perp_q_unit(q);
    const double v[] = {q.w, q.x, q.y, q.z};
    for (int i = 0; i < 4; i++) put_next(t, first, v[i]);
}

static void put_q(pp_writing *w, int link, bool *first) {
    const pp_import *m = w->m;
    const pp_chain *c = &w->chain[link];
    pp_text *t = &w->t;
    for (int i = 0; c->split && i < m->link[link].njoint; i++) {
        const pp_model_joint *j = &m->model.joint[m->link[link].joint + i];
        pp_chain part;
        pp_robot_chain_part(m, link, i, &part);
        if (j->kind == PP_BALL)
            put_quaternion(t, first, perp_q_mul(perp_q_conj(part.X_B.q), perp_q_mul(j->X.q, part.X_B.q)));
        else
            put_next(t, first, j->q);
    }
    if (c->split) return;
    if (!c->type) {
        perp_pose X = in_parent(m, link);
        const double p[] = {X.p.x, X.p.y, X.p.z};
        for (int i = 0; i < 3; i++) put_next(t, first, p[i]);
        put_quaternion(t, first, X.q);
    } else if (!strcmp(c->type, "spherical")) {
        put_quaternion(t, first, perp_q_mul(perp_q_conj(c->X_A.q), perp_q_mul(in_parent(m, link).q, c->X_B.q)));
    }
    for (int i = 0; i < c->ncoordinate; i++)
        put_next(t, first, c->sign[i] * m->model.joint[c->coordinate[i]].q + c->offset[i]);
}

/* False: the velocities of its joints are no velocities of the scene's. */
static bool put_v(pp_writing *w, int link, const double *v, bool *first) {
    const pp_import *m = w->m;
    const pp_chain *c = &w->chain[link];
    const pp_model_joint *j = &m->model.joint[m->link[link].joint];
    if (c->split) {
        for (int i = 0; i < m->link[link].njoint; i++)
            if (j[i].kind == PP_BALL) return false;
        for (int i = 0; i < m->link[link].njoint; i++) put_next(&w->t, first, v[j[i].v_at]);
        return true;
    }
    if (j->kind == PP_FREE)
        for (int i = 0; i < 6; i++) put_next(&w->t, first, v[j->v_at + i]);
    if (j->kind == PP_BALL) { /* in axes of the body; those of the scene are in axes of the joint's frame */
        const double *a = v + j->v_at;
        perp_vec3 u = perp_q_unrotate(c->X_B.q, perp_v3(a[0], a[1], a[2]));
        put_next(&w->t, first, u.x);
        put_next(&w->t, first, u.y);
        put_next(&w->t, first, u.z);
    }
    for (int i = 0; i < c->ncoordinate; i++)
        put_next(&w->t, first, c->sign[i] * v[m->model.joint[c->coordinate[i]].v_at]);
    return c->ncoordinate > 0 || j->kind == PP_FREE || j->kind == PP_BALL;
}

/* Whether a weld or connect joins bodies that no joint of the tree joins. These then have other coordinates in the scene than in the model. */
static perp_status joins_parts(pp_writing *w, bool *out) {
    const pp_import *m = w->m;
    int *part = pp_pool_get(&w->m->pool, sizeof *part * (size_t)m->nlink);
    *out = false;
    if (!part) return pp_robot_no_memory(w->m);
    for (int l = 1; l < m->nlink; l++) {
        bool free = !m->link[l].kinematic && !w->chain[l].type && !w->chain[l].split;
        part[l] = free ? l : m->link[l].kinematic ? 0 : part[m->link[l].parent];
    }
    for (int i = 0; i < m->model.nequality; i++) {
        const pp_model_equality *q = &m->model.equality[i];
        if (!q->active || (strcmp(q->type, "connect") != 0 && strcmp(q->type, "weld") != 0)) continue;
        if (part[m->link_of[q->body[0]]] != part[m->link_of[q->body[1]]]) *out = true;
    }
    return PERP_OK;
}

static perp_status put_key(pp_writing *w, int key, const char *name) {
    pp_import *m = w->m;
    const pp_model_key *k = &m->model.key[key];
    pp_text *t = &w->t;
    bool first = true, kept = true;
    pp_model_at_key(m, key);
    pp_text_add(t, "  - {name: %s, q: [", name);
    for (int l = 1; l < m->nlink; l++)
        if (!m->link[l].kinematic) put_q(w, l, &first);
    pp_text_add(t, "]");
    if (k->v) {
        int start = t->n;
        first = true;
        pp_text_add(t, ", v: [");
        for (int l = 1; l < m->nlink; l++)
            if (!m->link[l].kinematic) kept = put_v(w, l, k->v, &first) && kept;
        pp_text_add(t, "]");
        if (!kept && t->data) t->data[t->n = start] = 0;
    }
    if (k->ctrl && w->nactuator > 0) {
        pp_text_add(t, ", ctrl: [");
        first = true;
        for (int i = 0; i < w->nactuator; i++) put_next(t, &first, k->ctrl[w->actuator[i]]);
        pp_text_add(t, "]");
    }
    pp_text_add(t, "}\n");
    return kept
               ? PERP_OK
               : pp_robot_note(m, PERP_IMPORT_IGNORED, k->at, "velocities of keyframes: joints in a row are one joint");
}

perp_status pp_put_keyframes(pp_writing *w) {
    pp_import *m = w->m;
    pp_model *d = &m->model;
    bool other;
    if (d->nkey == 0) return PERP_OK;
    perp_status s = joins_parts(w, &other);
    if (s) return s;
    if (other)
        return pp_robot_note(m, PERP_IMPORT_IGNORED, d->key[0].at,
                             "%d keyframes: <weld> or <connect> joins bodies that move freely", d->nkey);
    pp_model_joint *kept = pp_pool_get(&m->pool, sizeof *kept * (size_t)(d->njoint + 1));
    const char **name = pp_pool_get(&m->pool, sizeof *name * (size_t)d->nkey);
    if (!kept || !name) return pp_robot_no_memory(m);
    if (d->njoint > 0) memcpy(kept, d->joint, sizeof *kept * (size_t)d->njoint);
    pp_text_add(&w->t, "keyframes:\n");
    for (int k = 0; k < d->nkey && !s; k++) {
        name[k] = pp_own_name(w, d->key[k].name, "key", name, k);
        s = name[k] ? put_key(w, k, name[k]) : pp_robot_no_memory(m);
    }
    if (d->njoint > 0) memcpy(d->joint, kept, sizeof *kept * (size_t)d->njoint);
    return s;
}
