/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf_body.c - bodies of MJCF: frames, inertials, joints, sites, and the corrections by the compiler's settings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/mjcf.h"

static const char *const body_attributes[] = {"name",  "childclass", "mocap",    "pos",  "quat",  "axisangle", "xyaxes",
                                              "zaxis", "euler",      "gravcomp", "user", "sleep", NULL};
static const char *const joint_attributes[] = {"name",
                                               "class",
                                               "type",
                                               "group",
                                               "pos",
                                               "axis",
                                               "springdamper",
                                               "limited",
                                               "actuatorfrclimited",
                                               "solreflimit",
                                               "solimplimit",
                                               "solreffriction",
                                               "solimpfriction",
                                               "stiffness",
                                               "range",
                                               "actuatorfrcrange",
                                               "actuatorgravcomp",
                                               "margin",
                                               "ref",
                                               "springref",
                                               "armature",
                                               "damping",
                                               "frictionloss",
                                               "user",
                                               NULL};
static const char *const inertial_attributes[] = {"pos",   "quat", "axisangle",   "xyaxes",      "zaxis",
                                                  "euler", "mass", "diaginertia", "fullinertia", NULL};

/* ---- inertials ---- */

static perp_status read_inertial(pp_mjcf *f, const pp_xml *e, pp_model_body *b) {
    pp_import *m = f->m;
    pp_mjcf_element x = {f, e, -1};
    double mass, diagonal[3], full[6];
    int is_diagonal, is_full;
    perp_pose X;
    perp_status s = pp_mjcf_known(m, e, inertial_attributes);
    if (!s && !pp_xml_get(e, "mass")) s = pp_robot_wrong(m, e, "mass", "nothing", "a number > 0");
    if (!s) s = pp_mjcf_number(&x, "mass", &mass);
    if (!s && mass < 0) s = pp_robot_wrong(m, e, "mass", pp_xml_get(e, "mass"), "a number >= 0");
    if (!s) s = pp_mjcf_pose(&x, &X);
    if (!s) s = pp_robot_numbers(m, e, "diaginertia", pp_xml_get(e, "diaginertia"), 3, 3, diagonal, &is_diagonal);
    if (!s) s = pp_robot_numbers(m, e, "fullinertia", pp_xml_get(e, "fullinertia"), 6, 6, full, &is_full);
    if (s) return s;
    if (is_diagonal && is_full) return pp_robot_wrong(m, e, NULL, "diaginertia and fullinertia", "one of the two");
    if (!is_diagonal && !is_full && mass > 0)
        return pp_robot_wrong(m, e, NULL, "an inertial without moments", "diaginertia or fullinertia");
    perp_mat3 I = is_full ? pp_inertia_of(full)
                          : perp_m3_diag(is_diagonal ? diagonal[0] : 0, is_diagonal ? diagonal[1] : 0,
                                         is_diagonal ? diagonal[2] : 0);
    b->inertial = e;
    b->given = true;
    b->mass = perp_mass_move(X, (perp_mass){mass, {0, 0, 0}, I});
    return PERP_OK;
}

/* Settings of the compiler that change masses. */
static perp_status correct(pp_mjcf *f, pp_model_body *b) {
    perp_mat3 V;
    perp_vec3 d;
    if (b->mass.mass < f->bound_mass) b->mass.mass = f->bound_mass;
    if (!(f->bound_inertia > 0) && !f->balance) return PERP_OK;
    d = perp_m3_eigen(b->mass.I_B, &V);
    perp_vec3 was = d;
    d = perp_v3(fmax(d.x, f->bound_inertia), fmax(d.y, f->bound_inertia), fmax(d.z, f->bound_inertia));
    if (f->balance && d.x + d.y < d.z) d.x = d.y = d.z = (d.x + d.y + d.z) / 3;
    if (d.x == was.x && d.y == was.y && d.z == was.z) return PERP_OK;
    b->mass.I_B = perp_m3_mul(perp_m3_mul(V, perp_m3_diag(d.x, d.y, d.z)), perp_m3_transpose(V));
    return pp_robot_note(f->m, PERP_IMPORT_REPAIRED, b->inertial ? b->inertial : b->at,
                         "%s: moments changed as boundinertia or balanceinertia of the model asks", b->name);
}

perp_status pp_mjcf_masses(pp_mjcf *f) {
    pp_import *m = f->m;
    pp_model *d = &m->model;
    perp_status s = PERP_OK;
    for (int i = 0; i < d->ngeom && !s; i++) { /* as tree.c would, but before the corrections */
        const pp_model_geom *g = &d->geom[i];
        pp_model_body *b = &d->body[g->body];
        perp_mass add;
        if (!g->weighs || g->body == 0 || (b->given && b->inertial)) continue;
        s = pp_robot_geom_mass(m, g, &add);
        if (s || !(add.mass > 0)) continue;
        b->mass = b->mass.mass > 0 ? perp_mass_add(b->mass, add) : add;
    }
    double total = 0;
    for (int i = 1; i < d->nbody && !s; i++) {
        d->body[i].given = true;
        s = correct(f, &d->body[i]);
        total += d->body[i].mass.mass;
    }
    if (s || !(f->total_mass > 0) || !(total > 0)) return s;
    for (int i = 1; i < d->nbody; i++) {
        d->body[i].mass.mass *= f->total_mass / total;
        d->body[i].mass.I_B = perp_m3_scale(f->total_mass / total, d->body[i].mass.I_B);
    }
    return PERP_OK;
}

/* ---- joints ---- */

/* A range with `limited`: true, false, or auto, which means that the range is given. */
static perp_status read_limited(pp_mjcf *f, const pp_mjcf_element *x, const char *attribute, const char *range,
                                bool *out) {
    static const char *const words[] = {"false", "true", "auto", NULL};
    int k = 2;
    bool given = pp_mjcf_get(x, range) != NULL;
    perp_status s = pp_robot_word(f->m, x->e, attribute, pp_mjcf_get(x, attribute), words, &k);
    if (!s && k == 2 && given && !f->autolimits)
        s = pp_robot_wrong(f->m, x->e, attribute, "a range, but not whether it holds",
                           "true or false, as autolimits is off");
    *out = k == 1 || (k == 2 && given);
    return s;
}

/* stiffness and damping may be polynomials: the first number is the linear one. */
static perp_status read_first(pp_mjcf *f, const pp_mjcf_element *x, const char *attribute, double *out) {
    double v[16];
    int got;
    perp_status s = pp_robot_numbers(f->m, x->e, attribute, pp_mjcf_get(x, attribute), 1, 16, v, &got);
    if (s || !got) return s;
    *out = v[0];
    if (v[0] < 0) return pp_robot_wrong(f->m, x->e, attribute, pp_mjcf_get(x, attribute), "a number >= 0");
    for (int i = 1; i < got; i++)
        if (v[i] != 0) return pp_robot_note(f->m, PERP_IMPORT_IGNORED, x->e, "higher terms of %s", attribute);
    return PERP_OK;
}

static perp_status read_drive(pp_mjcf *f, const pp_mjcf_element *x, pp_model_joint *j) {
    double v[2];
    int got;
    bool limited;
    perp_status s = read_limited(f, x, "limited", "range", &j->limited);
    if (!s) s = pp_robot_numbers(f->m, x->e, "range", pp_mjcf_get(x, "range"), 2, 2, j->range, &got);
    if (!s && j->limited && !got) s = pp_robot_wrong(f->m, x->e, "limited", "a limit without a range", "range=\"...\"");
    if (!s) s = pp_mjcf_number(x, "ref", &j->ref);
    if (!s) s = pp_mjcf_number(x, "springref", &j->springref);
    if (!s) s = read_first(f, x, "stiffness", &j->stiffness);
    if (!s) s = read_first(f, x, "damping", &j->damping);
    if (!s) s = read_first(f, x, "frictionloss", &j->friction);
    if (!s) s = read_first(f, x, "armature", &j->armature);
    if (!s) s = read_limited(f, x, "actuatorfrclimited", "actuatorfrcrange", &limited);
    if (!s) s = pp_robot_numbers(f->m, x->e, "actuatorfrcrange", pp_mjcf_get(x, "actuatorfrcrange"), 2, 2, v, &got);
    if (s) return s;
    if (limited && got) memcpy(j->effort, v, sizeof j->effort);
    if (pp_mjcf_get(x, "springdamper")) {
        s = pp_robot_note(f->m, PERP_IMPORT_IGNORED, x->e, "springdamper of joints");
        if (s) return s;
    }
    if ((j->kind == PP_HINGE || j->kind == PP_BALL) && !f->radian) {
        j->range[0] *= PP_DEGREE;
        j->range[1] *= PP_DEGREE;
        j->ref *= PP_DEGREE;
        j->springref *= PP_DEGREE;
    }
    if (!j->limited || j->range[0] <= j->range[1]) return PERP_OK;
    return pp_robot_wrong(f->m, x->e, "range", pp_mjcf_get(x, "range"), "the smaller number first");
}

static perp_status read_joint(pp_mjcf *f, const pp_xml *e, int class, int body, perp_pose X) {
    static const char *const types[] = {"hinge", "slide", "ball", "free", NULL};
    pp_import *m = f->m;
    pp_mjcf_element x = {f, e, class};
    int kind = PP_HINGE;
    bool free = !strcmp(e->name, "freejoint");
    perp_status s = free ? PERP_OK : pp_mjcf_known(m, e, joint_attributes);
    if (!s && body == 0) s = pp_robot_wrong(m, e, NULL, "a joint of the world", "joints of bodies");
    if (!s && !free) s = pp_mjcf_class_of(f, e, "class", class, &x.class);
    if (!s && !free) s = pp_robot_word(m, e, "type", pp_mjcf_get(&x, "type"), types, &kind);
    if (s) return s;
    if (free) kind = PP_FREE;
    pp_model_joint *j = pp_model_add_joint(m, pp_xml_get(e, "name"), e, body, (pp_joint_kind)kind);
    if (!j) return m->why->status;
    if (kind == PP_FREE) {
        if (m->model.body[body].parent == 0) return PERP_OK;
        return pp_robot_wrong(m, e, NULL, "a free joint within a tree", "free joints on bodies of the world only");
    }
    perp_vec3 axis = {0, 0, 1};
    s = pp_mjcf_vector(&x, "pos", &j->p_B);
    if (!s) s = pp_mjcf_vector(&x, "axis", &axis);
    if (!s && !(perp_v3_norm(axis) > 1e-14)) s = pp_robot_wrong(m, e, "axis", "the zero vector", "a direction");
    if (s) return s;
    j->p_B = perp_pose_apply(X, j->p_B);
    j->axis_B = perp_q_rotate(X.q, perp_v3_unit(axis));
    return read_drive(f, &x, j);
}

/* ---- the tree ---- */

static perp_status read_site(pp_mjcf *f, const pp_xml *e, int class, int body, perp_pose X) {
    pp_import *m = f->m;
    pp_model *d = &m->model;
    pp_mjcf_element x = {f, e, class};
    perp_pose own;
    double half;
    bool along;
    perp_status s = pp_mjcf_class_of(f, e, "class", class, &x.class);
    if (!s) s = pp_mjcf_pose(&x, &own);
    if (!s) s = pp_mjcf_fromto(&x, &own, &half, &along);
    if (s) return s;
    if (!PP_GROW(&m->alloc, d->site, d->cap_site, d->nsite, d->nsite + 1)) return pp_robot_no_memory(m);
    const char *name = pp_xml_get(e, "name");
    d->site[d->nsite++] = (pp_model_site){name ? name : "", body, perp_pose_mul(X, own)};
    return PERP_OK;
}

/* Reads the contents of a body: first its own parts, then its child bodies, so that its joints are contiguous even if the file mixes them. */
typedef enum pass { OWN, BODIES } pass;
static perp_status read_children(pp_mjcf *f, const pp_xml *e, int class, int body, perp_pose X, pass which, int depth);

static perp_status read_all(pp_mjcf *f, const pp_xml *e, int class, int body, int depth) {
    perp_status s = read_children(f, e, class, body, perp_pose_identity(), OWN, depth);
    return s ? s : read_children(f, e, class, body, perp_pose_identity(), BODIES, depth);
}

static perp_status read_body(pp_mjcf *f, const pp_xml *e, int class, int parent, perp_pose X, int depth) {
    pp_import *m = f->m;
    pp_mjcf_element x = {f, e, -1};
    perp_pose own;
    bool mocap = false;
    double gravcomp = 0;
    const char *name = pp_xml_get(e, "name");
    if (name && name[0] && pp_model_find_body(m, name) >= 0) {
        char found[160];
        (void)snprintf(found, sizeof found, "\"%.100s\"", name);
        return pp_robot_wrong(m, e, "name", found, "a name that no other body has");
    }
    perp_status s = pp_mjcf_known(m, e, body_attributes);
    if (!s) s = pp_mjcf_class_of(f, e, "childclass", class, &class);
    if (!s) s = pp_mjcf_pose(&x, &own);
    if (!s) s = pp_mjcf_bool(m, e, "mocap", pp_xml_get(e, "mocap"), &mocap);
    if (!s) s = pp_mjcf_number(&x, "gravcomp", &gravcomp);
    if (s) return s;
    int body = m->model.nbody;
    pp_model_body *b = pp_model_add_body(m, name ? name : "", e, parent);
    if (!b) return m->why->status;
    b->X_P = perp_pose_mul(X, own);
    b->mocap = mocap;
    b->gravcomp = gravcomp;
    const pp_xml *inertial = pp_xml_child(e, "inertial");
    if (inertial && f->from_geoms != PP_GEOMS_YES) s = read_inertial(f, inertial, b);
    return s ? s : read_all(f, e, class, body, depth);
}

static perp_status read_frame(pp_mjcf *f, const pp_xml *e, int class, int body, perp_pose X, pass which, int depth) {
    pp_mjcf_element x = {f, e, -1};
    perp_pose own;
    perp_status s = pp_mjcf_class_of(f, e, "childclass", class, &class);
    if (!s) s = pp_mjcf_pose(&x, &own);
    return s ? s : read_children(f, e, class, body, perp_pose_mul(X, own), which, depth);
}

static perp_status read_children(pp_mjcf *f, const pp_xml *e, int class, int body, perp_pose X, pass which, int depth) {
    static const char *const known[] = {"body",     "frame",  "geom",  "joint",  "freejoint", "site",
                                        "inertial", "camera", "light", "plugin", NULL};
    perp_status s = PERP_OK;
    if (depth > PP_XML_DEPTH) return pp_robot_wrong(f->m, e, NULL, "bodies too deep", "at most 400 levels");
    for (const pp_xml *c = e->first; c && !s; c = c->next) {
        int k = -1;
        for (int i = 0; known[i] && k < 0; i++)
            if (!strcmp(known[i], c->name)) k = i;
        if (k < 0) {
            const char *near = pp_suggest(c->name, known);
            char found[128], allowed[160];
            (void)snprintf(found, sizeof found, "<%.100s>", c->name);
            (void)snprintf(allowed, sizeof allowed,
                           near ? "body, frame, geom, joint, freejoint, site, inertial (did you mean %s?)"
                                : "body, frame, geom, joint, freejoint, site, inertial",
                           near ? near : "");
            return pp_robot_wrong(f->m, c, NULL, found, allowed);
        }
        if (k == 1) s = read_frame(f, c, class, body, X, which, depth + 1);
        if (k == 0 && which == BODIES) s = read_body(f, c, class, body, X, depth + 1);
        if (which == BODIES) continue;
        if (k == 2) s = pp_mjcf_geom(f, c, class, body, X);
        if (k == 3 || k == 4) s = read_joint(f, c, class, body, X);
        if (k == 5) s = read_site(f, c, class, body, X);
        if (k >= 7) s = pp_robot_note(f->m, PERP_IMPORT_IGNORED, c, "elements <%s>", c->name);
    }
    return s;
}

perp_status pp_mjcf_bodies(pp_mjcf *f) {
    perp_status s = PERP_OK;
    for (const pp_xml *e = pp_xml_child(f->root, "worldbody"); e && !s; e = pp_xml_again(e)) {
        int class = 0;
        s = pp_mjcf_class_of(f, e, "childclass", 0, &class);
        if (!s) s = read_all(f, e, class, 0, 0);
    }
    return s;
}
