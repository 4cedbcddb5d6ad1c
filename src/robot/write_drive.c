/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_drive.c - loops, gravity compensation, actuators and sites of a model as entries of its scene. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/write.h"

/* ---- loops ---- */

/* The type of the scene's joint; NULL: it closes no loop. */
static const char *closes(const pp_import *m, const pp_model_equality *q) {
    if (!q->active) return NULL;
    return !strcmp(q->type, "connect") ? "spherical"
           : !strcmp(q->type, "weld")  ? "fixed"
           : m->model.sdf              ? q->type
                                       : NULL;
}

perp_status pp_put_loops(pp_writing *w) {
    pp_import *m = w->m;
    pp_text *t = &w->t;
    perp_status s = PERP_OK;
    for (int i = 0; i < m->model.nequality && !s; i++) {
        pp_model_equality *q = &m->model.equality[i];
        const char *type = closes(m, q);
        if (!type) continue;
        int link[2] = {m->link_of[q->body[0]], m->link_of[q->body[1]]};
        perp_pose X[2];
        for (int k = 0; k < 2; k++) X[k] = perp_pose_mul(m->X_link[q->body[k]], q->X[k]);
        if (link[0] == link[1] || (m->link[link[0]].kinematic && m->link[link[1]].kinematic)) {
            s = pp_robot_note(m, PERP_IMPORT_IGNORED, q->at, "<%s> between what moves as one", q->type);
            continue;
        }
        int a = link[1] == 0 ? 1 : 0, b = 1 - a; /* the world is the first */
        pp_text_add(t, "  - {type: %s", type);
        if (link[a] > 0) pp_text_add(t, ", a: %s", m->link[link[a]].name);
        pp_text_add(t, ", b: %s, at_a: ", m->link[link[b]].name);
        pp_text_vector(t, 3, X[a].p);
        pp_put_turn(t, "turn_a", X[a].q);
        pp_text_add(t, ", at_b: ");
        pp_text_vector(t, 3, X[b].p);
        pp_put_turn(t, "turn_b", X[b].q);
        pp_text_add(t, m->model.sdf ? "}\n" : ", collide: true}\n"); /* MuJoCo filters nothing for it */
    }
    return s;
}

/* ---- gravity compensation ---- */

perp_status pp_put_gravity_compensation(pp_writing *w) {
    const pp_import *m = w->m;
    pp_text *t = &w->t;
    bool any = false;
    for (int i = 1; i < m->model.nbody; i++) {
        const pp_model_body *b = &m->model.body[i];
        int link = m->link_of[i];
        if (b->gravcomp == 0 || link == 0 || m->link[link].kinematic || !(b->mass.mass > 0)) continue;
        perp_vec3 force = perp_v3_scale(-b->gravcomp * b->mass.mass, m->model.gravity);
        if (perp_v3_norm(force) == 0) continue;
        if (!any) pp_text_add(t, "forces:\n");
        any = true;
        pp_text_add(t, "  - {type: constant, body: %s, force: ", m->link[link].name);
        pp_text_vector(t, 3, force);
        pp_put_vector(t, "at", perp_pose_apply(m->X_link[i], b->mass.com_B));
        pp_text_add(t, "}\n");
    }
    return PERP_OK;
}

/* ---- names of one list ---- */

const char *pp_own_name(pp_writing *w, const char *name, const char *otherwise, const char *const *others, int n) {
    char out[PP_SCENE_LETTERS], tried[PP_SCENE_LETTERS + 12];
    pp_scene_letters_of(w->m, name && name[0] ? name : otherwise, out);
    memcpy(tried, out, strlen(out) + 1);
    for (int k = 2, i = 0; i < n; i++) {
        if (strcmp(others[i], tried) != 0) continue;
        (void)snprintf(tried, sizeof tried, "%s-%d", out, k++);
        i = -1;
    }
    return pp_pool_text(&w->m->pool, tried, strlen(tried));
}

/* ---- actuators ---- */

static void put_range(pp_text *t, const char *key, double a, double b) {
    if (!(a > -INFINITY) && !(b < INFINITY)) return;
    pp_text_add(t, ", %s: [", key);
    pp_text_number(t, a);
    pp_text_add(t, ", ");
    pp_text_number(t, b);
    pp_text_add(t, "]");
}

/* With x = sign q + offset the coordinate of the scene, l = gear sign (x - offset); l of the scene is gear sign x. */
static void put_law(pp_text *t, const pp_model_actuator *a, const pp_written *j) {
    double gear = a->gear * j->sign, scale = a->gain, offset = a->bias[0];
    const char *type = a->bias[1] < 0 ? "position" : a->bias[2] < 0 ? "velocity" : "force";
    pp_text_add(t, ", type: %s, joint: %s", type, j->name);
    if (j->coordinate > 0) pp_text_add(t, ", coordinate: %d", j->coordinate);
    if (gear != 1) pp_put_number(t, "gear", gear);
    if (a->bias[1] < 0) {
        pp_put_number(t, "kp", -a->bias[1]);
        if (a->bias[2] != 0) pp_put_number(t, "kv", -a->bias[2]);
        scale = a->gain == -a->bias[1] ? 1 : a->gain / -a->bias[1];
        offset = a->bias[0] / -a->bias[1] + gear * j->offset;
    } else if (a->bias[2] < 0) {
        pp_put_number(t, "kv", -a->bias[2]);
        scale = a->gain == -a->bias[2] ? 1 : a->gain / -a->bias[2];
        offset = a->bias[0] / -a->bias[2];
    }
    if (scale != 1) pp_put_number(t, "ctrl_scale", scale);
    if (offset != 0) pp_put_number(t, "ctrl_offset", offset);
}

/* What an actuator acts on, in the scene. */
static const pp_written *acts_on(const pp_writing *w, const pp_model_actuator *a) {
    return a->tendon >= 0 ? &w->tendon[a->tendon] : &w->joint[a->joint];
}

/* Why the scene cannot have it; NULL: it can. */
static const char *left_out(const pp_writing *w, const pp_model_actuator *a) {
    if (a->missing) return a->missing;
    const pp_written *j = acts_on(w, a);
    if (!j->name || j->sign == 0) return "their joint has no such coordinate in the scene";
    for (int i = 0; i < w->nactuator; i++)
        if (acts_on(w, &w->m->model.actuator[w->actuator[i]]) == j) return "another one acts on the same coordinate";
    return NULL;
}

perp_status pp_put_actuators(pp_writing *w) {
    pp_import *m = w->m;
    pp_model *d = &m->model;
    pp_text *t = &w->t;
    const char **name = pp_pool_get(&m->pool, sizeof *name * (size_t)(d->nactuator + 1));
    w->actuator = pp_pool_get(&m->pool, sizeof *w->actuator * (size_t)(d->nactuator + 1));
    if (!name || !w->actuator) return pp_robot_no_memory(m);
    for (int i = 0; i < d->nactuator; i++) {
        pp_model_actuator *a = &d->actuator[i];
        if (a->joint >= 0) /* joints may have moved in the list since it was read */
            for (a->joint = 0; a->joint < d->njoint && strcmp(d->joint[a->joint].name, a->target) != 0;) a->joint++;
        if (!a->missing && a->joint == d->njoint) a->missing = "their joint does not move";
        const char *why = left_out(w, a);
        if (why) {
            perp_status s =
                pp_robot_note(m, PERP_IMPORT_IGNORED, a->at, "actuators <%s> on a %s: %s", a->type, a->on, why);
            if (s) return s;
            continue;
        }
        if (!strncmp(a->dynamics, "filter", 6)) {
            perp_status s = pp_robot_note(m, PERP_IMPORT_APPROXIMATED, a->at,
                                          "actuators with a time constant: their ctrl acts at once");
            if (s) return s;
        }
        const pp_written *j = acts_on(w, a);
        static const double any[2] = {-INFINITY, INFINITY};
        const double *effort = a->tendon >= 0 ? any : d->joint[a->joint].effort;
        const char *own = pp_own_name(w, a->name, "actuator", name, w->nactuator);
        if (!own) return pp_robot_no_memory(m);
        if (w->nactuator == 0) pp_text_add(t, "actuators:\n");
        pp_text_add(t, "  - {name: %s", own);
        put_law(t, a, j);
        if (m->key >= 0 && d->key[m->key].ctrl && d->key[m->key].ctrl[i] != 0)
            pp_put_number(t, "ctrl", d->key[m->key].ctrl[i]);
        put_range(t, "ctrl_range", a->ctrl_range[0], a->ctrl_range[1]);
        put_range(t, "force_range", a->force_range[0], a->force_range[1]);
        put_range(t, "joint_force_range", j->sign > 0 ? effort[0] : -effort[1], j->sign > 0 ? effort[1] : -effort[0]);
        pp_text_add(t, "}\n");
        name[w->nactuator] = own;
        w->actuator[w->nactuator++] = i;
    }
    return PERP_OK;
}

/* ---- sites ---- */

static void put_site(pp_writing *w, const char *name, int link, perp_pose X, bool model) {
    pp_text *t = &w->t;
    pp_text_add(t, "  - {name: %s", name);
    if (link > 0) pp_text_add(t, ", body: %s", w->m->link[link].name);
    pp_put_vector(t, "at", X.p);
    pp_put_turn(t, "turn", X.q);
    pp_text_add(t, model ? ", model: true}\n" : "}\n");
}

perp_status pp_put_sites(pp_writing *w) {
    pp_import *m = w->m;
    int n = 0, most = m->model.nsite + m->nlink;
    const char **name = pp_pool_get(&m->pool, sizeof *name * (size_t)(most + 1));
    if (!name) return pp_robot_no_memory(m);
    w->site = name;
    for (int i = 0; i < m->model.nsite; i++) {
        const pp_model_site *site = &m->model.site[i];
        if (n == 0) pp_text_add(&w->t, "sites:\n");
        name[n] = pp_own_name(w, site->name, "site", name, n);
        if (!name[n]) return pp_robot_no_memory(m);
        put_site(w, name[n++], m->link_of[site->body], perp_pose_mul(m->X_link[site->body], site->X_B), false);
    }
    for (int l = 1; l < m->nlink; l++) { /* the frame of a free body in its model, which keyframes place */
        if (m->link[l].kinematic || w->chain[l].type || w->chain[l].split) continue;
        if (n == 0) pp_text_add(&w->t, "sites:\n");
        name[n] = pp_own_name(w, m->link[l].name, "body", name, n);
        if (!name[n]) return pp_robot_no_memory(m);
        put_site(w, name[n++], l, perp_pose_identity(), true);
    }
    return PERP_OK;
}
