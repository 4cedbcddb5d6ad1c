/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf_other.c - what MJCF has beside bodies: contact pairs, equalities, tendons, actuators, keyframes. */
#include <string.h>

#include "robot/mjcf.h"

static const char *geom_name(const pp_import *m, int i) { return i < m->model.ngeom ? m->model.geom[i].name : NULL; }

static perp_status body_of(pp_import *m, const pp_xml *e, const char *attribute, int *out) {
    const char *name = pp_xml_get(e, attribute);
    if (!name) return pp_robot_wrong(m, e, attribute, "nothing", "the name of a body");
    *out = pp_model_find_body(m, name);
    return *out >= 0 ? PERP_OK : pp_robot_missing(m, e, attribute, name, "a body", pp_model_body_name);
}

static perp_status geom_of(pp_import *m, const pp_xml *e, const char *attribute, int *out) {
    const char *name = pp_xml_get(e, attribute);
    if (!name) return pp_robot_wrong(m, e, attribute, "nothing", "the name of a geom");
    *out = pp_model_find_geom(m, name);
    return *out >= 0 ? PERP_OK : pp_robot_missing(m, e, attribute, name, "a geom", geom_name);
}

static perp_status read_contact(pp_import *m, const pp_xml *section) {
    pp_model *d = &m->model;
    for (const pp_xml *e = section->first; e; e = e->next) {
        pp_model_pair p = {0, 0};
        perp_status s = PERP_OK;
        if (!strcmp(e->name, "exclude")) {
            s = body_of(m, e, "body1", &p.a);
            if (!s) s = body_of(m, e, "body2", &p.b);
            if (!s && !PP_GROW(&m->alloc, d->exclude, d->cap_exclude, d->nexclude, d->nexclude + 1))
                s = pp_robot_no_memory(m);
            if (!s) d->exclude[d->nexclude++] = p;
        } else if (!strcmp(e->name, "pair")) {
            s = geom_of(m, e, "geom1", &p.a);
            if (!s) s = geom_of(m, e, "geom2", &p.b);
            if (!s && !PP_GROW(&m->alloc, d->pair, d->cap_pair, d->npair, d->npair + 1)) s = pp_robot_no_memory(m);
            if (!s) d->pair[d->npair++] = p;
        } else {
            s = pp_robot_wrong(m, e, NULL, e->name, "exclude or pair");
        }
        if (s) return s;
    }
    return PERP_OK;
}

static perp_status read_equality(pp_mjcf *f, const pp_xml *section) {
    pp_import *m = f->m;
    pp_model *d = &m->model;
    for (const pp_xml *e = section->first; e; e = e->next) {
        static const char *const a[] = {"body1", "joint1", "tendon1", "site1", "flex"}, *const b[] = {"body2", "joint2",
                                                                                                      "tendon2",
                                                                                                      "site2"};
        pp_model_equality q = {.type = e->name, .at = e, .active = true};
        for (int i = 0; i < 5 && !q.a; i++) q.a = pp_xml_get(e, a[i]);
        for (int i = 0; i < 4 && !q.b; i++) q.b = pp_xml_get(e, b[i]);
        pp_mjcf_element x = {f, e, 0};
        perp_status s = pp_mjcf_class_of(f, e, "class", 0, &x.class);
        if (!s) s = pp_mjcf_bool(m, e, "active", pp_mjcf_get(&x, "active"), &q.active);
        if (s) return s;
        if (!PP_GROW(&m->alloc, d->equality, d->cap_equality, d->nequality, d->nequality + 1))
            return pp_robot_no_memory(m);
        d->equality[d->nequality++] = q;
    }
    return PERP_OK;
}

static perp_status read_tendons(pp_import *m, const pp_xml *section) {
    pp_model *d = &m->model;
    for (const pp_xml *e = section->first; e; e = e->next) {
        const char *name = pp_xml_get(e, "name");
        if (!PP_GROW(&m->alloc, d->tendon, d->cap_tendon, d->ntendon, d->ntendon + 1)) return pp_robot_no_memory(m);
        d->tendon[d->ntendon++] = (pp_model_tendon){name ? name : "", e, !strcmp(e->name, "spatial")};
    }
    return PERP_OK;
}

static perp_status read_actuators(pp_import *m, const pp_xml *section) {
    static const char *const on[] = {"joint", "jointinparent", "tendon", "site", "slidersite", "body", NULL};
    pp_model *d = &m->model;
    for (const pp_xml *e = section->first; e; e = e->next) {
        const char *name = pp_xml_get(e, "name");
        pp_model_actuator a = {.name = name ? name : "", .type = e->name, .on = "", .target = "", .at = e};
        for (int i = 0; on[i]; i++)
            if (pp_xml_get(e, on[i])) {
                a.on = on[i];
                a.target = pp_xml_get(e, on[i]);
            }
        if (!strncmp(a.on, "joint", 5)) {
            bool known = false;
            for (int i = 0; i < d->njoint && !known; i++) known = !strcmp(d->joint[i].name, a.target);
            if (!known) return pp_robot_wrong(m, e, a.on, a.target, "the name of a joint");
        }
        if (!PP_GROW(&m->alloc, d->actuator, d->cap_actuator, d->nactuator, d->nactuator + 1))
            return pp_robot_no_memory(m);
        d->actuator[d->nactuator++] = a;
    }
    return PERP_OK;
}

static perp_status read_keys(pp_import *m, const pp_xml *section) {
    pp_model *d = &m->model;
    for (const pp_xml *e = pp_xml_child(section, "key"); e; e = pp_xml_again(e)) {
        const char *name = pp_xml_get(e, "name");
        if (!PP_GROW(&m->alloc, d->key, d->cap_key, d->nkey, d->nkey + 1)) return pp_robot_no_memory(m);
        d->key[d->nkey++] = (pp_model_key){name ? name : "", e};
    }
    return PERP_OK;
}

static const char *key_name(const pp_import *m, int i) { return i < m->model.nkey ? m->model.key[i].name : NULL; }

/* Numbers of a joint among the coordinates of a keyframe. */
static int width_of(const pp_model_joint *j) { return j->kind == PP_FREE ? 7 : j->kind == PP_BALL ? 4 : 1; }

perp_status pp_mjcf_key(pp_import *m, const char *name) {
    const pp_model *d = &m->model;
    int k = -1, n = 0, got = 0;
    for (int i = 0; i < d->nkey && k < 0; i++)
        if (!strcmp(d->key[i].name, name)) k = i;
    if (k < 0 && d->nbody > 0) return pp_robot_missing(m, d->body[0].at, "key", name, "a keyframe", key_name);
    const char *text = pp_xml_get(d->key[k].at, "qpos");
    if (!text) return PERP_OK; /* all joints at their reference */
    for (int i = 0; i < d->njoint; i++) n += width_of(&d->joint[i]);
    double *q = pp_alloc(&m->alloc, sizeof *q * (size_t)(n + 1));
    if (!q) return pp_robot_no_memory(m);
    perp_status s = pp_robot_numbers(m, d->key[k].at, "qpos", text, n, n, q, &got);
    for (int i = 0, at = 0; i < d->njoint && !s; i++) {
        pp_model_joint *j = &d->joint[i];
        const double *v = q + at, *turn = v + (j->kind == PP_FREE ? 3 : 0);
        at += width_of(j);
        j->placed = true;
        j->q = v[0];
        if (j->kind != PP_FREE && j->kind != PP_BALL) continue;
        perp_quat r = {turn[0], turn[1], turn[2], turn[3]};
        if (!(perp_q_norm(r) > 0))
            s = pp_robot_wrong(m, d->key[k].at, "qpos", "a quaternion of zeros", "one that is not zero");
        j->X = (perp_pose){j->kind == PP_FREE ? perp_v3(v[0], v[1], v[2]) : perp_v3(0, 0, 0),
                           s ? perp_q_identity() : perp_q_unit(r)};
    }
    pp_free(&m->alloc, q);
    return s;
}

perp_status pp_mjcf_others(pp_mjcf *f) {
    perp_status s = PERP_OK;
    for (const pp_xml *e = f->root->first; e && !s; e = e->next) {
        if (!strcmp(e->name, "contact")) s = read_contact(f->m, e);
        if (!strcmp(e->name, "equality")) s = read_equality(f, e);
        if (!strcmp(e->name, "tendon")) s = read_tendons(f->m, e);
        if (!strcmp(e->name, "actuator")) s = read_actuators(f->m, e);
        if (!strcmp(e->name, "keyframe")) s = read_keys(f->m, e);
    }
    return s;
}
