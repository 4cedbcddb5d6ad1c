/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf_other.c - further sections of MJCF: contact pairs, equalities, tendons, keyframes. */
#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "robot/mjcf.h"

/* [1] Largest distance of two points that count as one, as a fraction of the lengths that lead to them: files have six digits. */
#define ROUNDED 1e-6

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

/* Friction of an explicit pair; values that it does not give are those of its geoms. */
static perp_status pair_friction(pp_mjcf *f, const pp_xml *e, pp_model_pair *p) {
    pp_mjcf_element x = {f, e, 0};
    double v[5] = {1, 1, 0.005, 0.0001, 0.0001};
    int got = 0;
    perp_status s = pp_mjcf_class_of(f, e, "class", 0, &x.class);
    if (!s) s = pp_mjcf_whole(&x, "condim", &p->condim);
    if (!s && p->condim && p->condim != 1 && p->condim != 3 && p->condim != 4 && p->condim != 6)
        s = pp_robot_wrong(f->m, e, "condim", pp_mjcf_get(&x, "condim"), "1, 3, 4 or 6");
    if (!s) s = pp_robot_numbers(f->m, e, "friction", pp_mjcf_get(&x, "friction"), 1, 5, v, &got);
    p->friction[0] = got > 0 ? v[0] : -1;
    p->friction[1] = got > 2 ? v[2] : -1;
    p->friction[2] = got > 3 ? v[3] : -1;
    if (!s && ((got > 1 && v[1] != v[0]) || (got > 4 && v[4] != v[3])))
        s = pp_robot_note(f->m, PERP_IMPORT_APPROXIMATED, e,
                          "friction of a pair that differs along its two tangents: the first number is taken for both");
    return s;
}

static perp_status read_contact(pp_mjcf *f, const pp_xml *section) {
    pp_import *m = f->m;
    pp_model *d = &m->model;
    for (const pp_xml *e = section->first; e; e = e->next) {
        pp_model_pair p = {.friction = {-1, -1, -1}};
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
            if (!s) s = pair_friction(f, e, &p);
            if (!s && !PP_GROW(&m->alloc, d->pair, d->cap_pair, d->npair, d->npair + 1)) s = pp_robot_no_memory(m);
            if (!s) d->pair[d->npair++] = p;
        } else {
            s = pp_robot_wrong(m, e, NULL, e->name, "exclude or pair");
        }
        if (s) return s;
    }
    return PERP_OK;
}

/* A body with all joints at their reference. */
static perp_pose reference_pose(const pp_import *m, int body) {
    perp_pose X = perp_pose_identity();
    for (int b = body; b > 0; b = m->model.body[b].parent) X = perp_pose_mul(m->model.body[b].X_P, X);
    return X;
}

static const char *site_name(const pp_import *m, int i) { return i < m->model.nsite ? m->model.site[i].name : NULL; }

/* Frames of an equality between two sites; *is: whether it names sites. */
static perp_status between_sites(pp_import *m, const pp_xml *e, pp_model_equality *q, bool *is) {
    static const char *const key[] = {"site1", "site2"};
    *is = pp_xml_get(e, "site1") || pp_xml_get(e, "site2");
    for (int k = 0; *is && k < 2; k++) {
        const char *name = pp_xml_get(e, key[k]);
        int i = 0;
        if (!name) return pp_robot_wrong(m, e, key[k], "nothing", "the name of a site");
        while (i < m->model.nsite && strcmp(m->model.site[i].name, name) != 0) i++;
        if (i == m->model.nsite) return pp_robot_missing(m, e, key[k], name, "a site", site_name);
        q->body[k] = m->model.site[i].body;
        q->X[k] = m->model.site[i].X_B;
    }
    return PERP_OK;
}

/* Sum of the lengths from the world to a point of a body [L]. */
static double way_to(const pp_import *m, int body, perp_vec3 at) {
    double sum = perp_v3_norm(at);
    for (int b = body; b > 0; b = m->model.body[b].parent) sum += perp_v3_norm(m->model.body[b].X_P.p);
    return sum;
}

/* Two sites of a connect may be apart because of rounded digits. Then the second is moved to the first, as MuJoCo does with an anchor. Otherwise several loops of a mechanism would
 * contradict each other. */
static perp_status join_sites(pp_import *m, const pp_xml *e, pp_model_equality *q) {
    perp_pose X = perp_pose_mul(perp_pose_inverse(reference_pose(m, q->body[1])), reference_pose(m, q->body[0]));
    perp_vec3 first = perp_pose_apply(X, q->X[0].p);
    double apart = perp_v3_norm(perp_v3_sub(first, q->X[1].p)),
           length = fmax(way_to(m, q->body[0], q->X[0].p), way_to(m, q->body[1], q->X[1].p));
    if (!(apart <= ROUNDED * length)) return PERP_OK; /* intended: the loop is open at the reference */
    q->X[1].p = first;
    if (apart <= PP_ROUNDING * length) return PERP_OK;
    return pp_robot_note(m, PERP_IMPORT_APPROXIMATED, e,
                         "connect: %s and %s are %.2g apart at the reference, which is rounding; taken as one point",
                         pp_xml_get(e, "site1"), pp_xml_get(e, "site2"), apart);
}

/* Frames of connect and weld that two bodies name. The second body is where it is with all joints at their reference, unless a weld says otherwise. */
static perp_status between_bodies(pp_import *m, const pp_xml *e, bool weld, pp_model_equality *q) {
    perp_vec3 anchor = {0, 0, 0};
    double v[7] = {0};
    int got = 0;
    perp_status s = body_of(m, e, "body1", &q->body[0]);
    if (!s && pp_xml_get(e, "body2")) s = body_of(m, e, "body2", &q->body[1]);
    if (!s) s = pp_robot_vector(m, e, "anchor", pp_xml_get(e, "anchor"), &anchor);
    if (!s && weld) s = pp_robot_numbers(m, e, "relpose", pp_xml_get(e, "relpose"), 7, 7, v, &got);
    if (s) return s;
    perp_pose X = perp_pose_mul(perp_pose_inverse(reference_pose(m, q->body[0])), reference_pose(m, q->body[1]));
    perp_quat turn = {v[3], v[4], v[5], v[6]};
    if (weld) {
        if (got && perp_q_norm(turn) > 0) X = (perp_pose){{v[0], v[1], v[2]}, perp_q_unit(turn)};
        q->X[0] = X;
        q->X[1] = perp_pose_identity();
    } else {
        q->X[0] = (perp_pose){anchor, perp_q_identity()};
        q->X[1] = perp_pose_mul(perp_pose_inverse(X), q->X[0]);
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
        bool weld = !strcmp(e->name, "weld"), sites = false;
        perp_status s = pp_mjcf_class_of(f, e, "class", 0, &x.class);
        if (!s) s = pp_mjcf_bool(m, e, "active", pp_mjcf_get_as(&x, "equality", "active"), &q.active);
        if (!s && (!strcmp(e->name, "joint") || !strcmp(e->name, "tendon"))) s = pp_mjcf_polynomial(&x, &q);
        if (!s && (weld || !strcmp(e->name, "connect"))) {
            s = between_sites(m, e, &q, &sites);
            if (!s && !sites) s = between_bodies(m, e, weld, &q);
            if (!s && sites && !weld) s = join_sites(m, e, &q);
        }
        if (s) return s;
        if (!PP_GROW(&m->alloc, d->equality, d->cap_equality, d->nequality, d->nequality + 1))
            return pp_robot_no_memory(m);
        d->equality[d->nequality++] = q;
    }
    return PERP_OK;
}

/* Numbers of a joint among the coordinates and velocities of a keyframe. */
static int width_of(const pp_model_joint *j) { return j->kind == PP_FREE ? 7 : j->kind == PP_BALL ? 4 : 1; }
static int rates_of(const pp_model_joint *j) { return j->kind == PP_FREE ? 6 : j->kind == PP_BALL ? 3 : 1; }

/* n numbers, of the pool; NULL: the key has none. */
static perp_status key_numbers(pp_import *m, const pp_xml *e, const char *attribute, int n, double **out) {
    const char *text = pp_xml_get(e, attribute);
    *out = NULL;
    if (!text || n == 0) return PERP_OK;
    *out = pp_pool_get(&m->pool, sizeof **out * (size_t)n);
    if (!*out) return pp_robot_no_memory(m);
    return pp_robot_numbers(m, e, attribute, text, n, n, *out, NULL);
}

static perp_status read_keys(pp_import *m, const pp_xml *section) {
    pp_model *d = &m->model;
    for (const pp_xml *e = pp_xml_child(section, "key"); e; e = pp_xml_again(e)) {
        const char *name = pp_xml_get(e, "name");
        pp_model_key k = {.name = name ? name : "", .at = e};
        perp_status s = key_numbers(m, e, "qpos", d->nq, &k.q);
        if (!s) s = key_numbers(m, e, "qvel", d->nv, &k.v);
        if (!s) s = key_numbers(m, e, "ctrl", d->nactuator, &k.ctrl);
        if (s) return s;
        if (!PP_GROW(&m->alloc, d->key, d->cap_key, d->nkey, d->nkey + 1)) return pp_robot_no_memory(m);
        d->key[d->nkey++] = k;
    }
    return PERP_OK;
}

static void number_coordinates(pp_model *d) {
    d->nq = d->nv = 0;
    for (int i = 0; i < d->njoint; i++) {
        d->joint[i].q_at = d->nq;
        d->joint[i].v_at = d->nv;
        d->nq += width_of(&d->joint[i]);
        d->nv += rates_of(&d->joint[i]);
    }
}

static const char *key_name(const pp_import *m, int i) { return i < m->model.nkey ? m->model.key[i].name : NULL; }

void pp_model_at_key(pp_import *m, int key) {
    const pp_model *d = &m->model;
    const double *q = d->key[key].q;
    for (int i = 0; i < d->njoint; i++) {
        pp_model_joint *j = &d->joint[i];
        j->placed = q != NULL; /* else all joints are at their reference */
        j->q = q ? q[j->q_at] : j->ref;
        if (!q || (j->kind != PP_FREE && j->kind != PP_BALL)) continue;
        const double *v = q + j->q_at, *turn = v + (j->kind == PP_FREE ? 3 : 0);
        perp_quat r = {turn[0], turn[1], turn[2], turn[3]};
        j->X = (perp_pose){j->kind == PP_FREE ? perp_v3(v[0], v[1], v[2]) : perp_v3(0, 0, 0),
                           perp_q_norm(r) > 0 ? perp_q_unit(r) : perp_q_identity()}; /* as MuJoCo takes zeros */
    }
}

perp_status pp_mjcf_key(pp_import *m, const char *name) {
    const pp_model *d = &m->model;
    for (int i = 0; i < d->nkey && m->key < 0; i++)
        if (!strcmp(d->key[i].name, name)) m->key = i;
    if (m->key < 0) return pp_robot_missing(m, d->body[0].at, "key", name, "a keyframe", key_name);
    pp_model_at_key(m, m->key);
    return PERP_OK;
}

perp_status pp_mjcf_others(pp_mjcf *f) {
    perp_status s = PERP_OK;
    number_coordinates(&f->m->model);
    for (const pp_xml *e = f->root->first; e && !s; e = e->next) /* what others name comes first */
        if (!strcmp(e->name, "tendon")) s = pp_mjcf_tendons(f, e);
    for (const pp_xml *e = f->root->first; e && !s; e = e->next) {
        if (!strcmp(e->name, "contact")) s = read_contact(f, e);
        if (!strcmp(e->name, "equality")) s = read_equality(f, e);
        if (!strcmp(e->name, "actuator")) s = pp_mjcf_actuators(f, e);
    }
    for (const pp_xml *e = f->root->first; e && !s; e = e->next)
        if (!strcmp(e->name, "sensor")) s = pp_mjcf_sensors(f, e);
    for (const pp_xml *e = f->root->first; e && !s; e = e->next) /* they have a number for each actuator */
        if (!strcmp(e->name, "keyframe")) s = read_keys(f->m, e);
    return s;
}
