/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* urdf.c - URDF: links and joints as the Robot Operating System describes them.
 *
 * Links become bodies in the order of the tree: a parent before its children, children in the order of their joints in the file. The frame of a link is
 * the frame of the joint to its parent. rpy are rotations about the fixed axes x, then y, then z. Elements of other programs (gazebo, transmission, ...)
 * are listed in the report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/model/robot.h"

/* A link of the file. */
typedef struct urdf_link {
    const pp_xml *at;
    const char *name;
    int joint; /* joint to its parent; -1: none */
    int body;  /* -1: not reached yet */
} urdf_link;

typedef struct urdf_joint {
    const pp_xml *at;
    const char *name;
    int parent, child, type;
} urdf_joint;

typedef struct urdf {
    pp_import *m;
    urdf_link *link;
    int nlink, cap_link;
    urdf_joint *joint;
    int njoint, cap_joint;
} urdf;

enum { REVOLUTE, CONTINUOUS, PRISMATIC, FIXED, FLOATING, PLANAR, SPHERICAL }; /* the last one is of Bullet */
static const char *const types[] = {"revolute", "continuous", "prismatic", "fixed",
                                    "floating", "planar",     "spherical", NULL};

static perp_status need_name(pp_import *m, const pp_xml *e, const char **out) {
    *out = pp_xml_get(e, "name");
    if (*out && (*out)[0]) return PERP_OK;
    return pp_robot_wrong(m, e, NULL, *out ? "an empty name" : "no name", "name=\"...\"");
}

static int find_link(const urdf *u, const char *name) {
    for (int i = 0; i < u->nlink; i++)
        if (!strcmp(u->link[i].name, name)) return i;
    return -1;
}

static perp_status collect_links(urdf *u, const pp_xml *root) {
    pp_import *m = u->m;
    for (const pp_xml *e = pp_xml_child(root, "link"); e; e = pp_xml_again(e)) {
        const char *name;
        perp_status s = need_name(m, e, &name);
        if (s) return s;
        if (find_link(u, name) >= 0) {
            char found[160];
            (void)snprintf(found, sizeof found, "\"%.100s\"", name);
            return pp_robot_wrong(m, e, "name", found, "a name that no other link has");
        }
        if (u->nlink == PP_ROBOT_BODIES) return pp_robot_say(m, PERP_E_ARG, e, "found more than %d links", u->nlink);
        if (!PP_GROW(&m->alloc, u->link, u->cap_link, u->nlink, u->nlink + 1)) return pp_robot_no_memory(m);
        u->link[u->nlink++] = (urdf_link){e, name, -1, -1};
    }
    if (u->nlink == 0) return pp_robot_wrong(m, root, NULL, "no link", "at least one <link>");
    return PERP_OK;
}

/* The link that <parent link="..."> or <child link="..."> names. */
static perp_status end_of(urdf *u, const pp_xml *joint, const char *which, int *out) {
    pp_import *m = u->m;
    const pp_xml *e = pp_xml_child(joint, which);
    const char *name = e ? pp_xml_get(e, "link") : NULL;
    char allowed[64];
    (void)snprintf(allowed, sizeof allowed, "<%s link=\"...\">", which);
    if (!name) return pp_robot_wrong(m, joint, NULL, e ? "an end without link" : "a missing end", allowed);
    *out = find_link(u, name);
    if (*out >= 0) return PERP_OK;
    if (!strcmp(name, "world") && !strcmp(which, "parent")) { /* many files take it for granted */
        if (!PP_GROW(&m->alloc, u->link, u->cap_link, u->nlink, u->nlink + 1)) return pp_robot_no_memory(m);
        *out = u->nlink;
        u->link[u->nlink++] = (urdf_link){e, "world", -1, -1};
        return PERP_OK;
    }
    const char *best = NULL;
    for (int i = 0; i < u->nlink && !best; i++) {
        const char *one[] = {u->link[i].name, NULL};
        best = pp_suggest(name, one);
    }
    char found[160], words[200];
    (void)snprintf(found, sizeof found, "\"%.100s\"", name);
    (void)snprintf(words, sizeof words, best ? "the name of a link (did you mean %.100s?)" : "the name of a link",
                   best ? best : "");
    return pp_robot_wrong(m, e, "link", found, words);
}

static perp_status collect_joints(urdf *u, const pp_xml *root) {
    pp_import *m = u->m;
    for (const pp_xml *e = pp_xml_child(root, "joint"); e; e = pp_xml_again(e)) {
        urdf_joint j = {.at = e, .type = -1};
        perp_status s = need_name(m, e, &j.name);
        if (!s && !pp_xml_get(e, "type")) s = pp_robot_wrong(m, e, "type", "nothing", "a type of joint");
        if (!s) s = pp_robot_word(m, e, "type", pp_xml_get(e, "type"), types, &j.type);
        if (!s) s = end_of(u, e, "parent", &j.parent);
        if (!s) s = end_of(u, e, "child", &j.child);
        if (s) return s;
        for (int i = 0; i < u->njoint; i++)
            if (!strcmp(u->joint[i].name, j.name)) {
                char found[160];
                (void)snprintf(found, sizeof found, "\"%.100s\"", j.name);
                return pp_robot_wrong(m, e, "name", found, "a name that no other joint has");
            }
        if (u->link[j.child].joint >= 0)
            return pp_robot_say(m, PERP_E_ARG, e,
                                "found a second joint for the link %s, which hangs on %s; allowed: a tree, so one "
                                "parent for each link",
                                u->link[j.child].name, u->joint[u->link[j.child].joint].name);
        if (!PP_GROW(&m->alloc, u->joint, u->cap_joint, u->njoint, u->njoint + 1)) return pp_robot_no_memory(m);
        u->link[j.child].joint = u->njoint;
        u->joint[u->njoint++] = j;
    }
    return PERP_OK;
}

static perp_status read_inertial(pp_import *m, const pp_xml *link, pp_model_body *b) {
    const pp_xml *e = pp_xml_child(link, "inertial");
    if (!e) return PERP_OK;
    const pp_xml *mass = pp_xml_child(e, "mass");
    double value = 0;
    if (!mass || !pp_xml_get(mass, "value")) return pp_robot_wrong(m, e, NULL, "no mass", "<mass value=\"...\">");
    perp_status s = pp_value_above(m, mass, "value", &value);
    perp_pose X;
    if (!s) s = pp_urdf_origin(m, e, &X);
    return s ? s : pp_robot_inertial(m, e, value, 0, X, b);
}

/* ---- joints ---- */

static perp_status read_limit(pp_import *m, const urdf_joint *u, pp_model_joint *j) {
    const pp_xml *e = pp_xml_child(u->at, "limit");
    if (!e) {
        if (u->type == CONTINUOUS) return PERP_OK;
        return pp_robot_note(m, PERP_IMPORT_ASSUMED, u->at, "joint %s has no <limit>: it moves without limits",
                             u->name);
    }
    double effort = INFINITY;
    perp_status s = pp_value_number(m, e, "lower", &j->range[0]);
    if (!s) s = pp_value_number(m, e, "upper", &j->range[1]);
    if (!s) s = pp_value_number(m, e, "effort", &effort);
    if (!s) s = pp_value_number(m, e, "velocity", &j->velocity);
    j->effort[0] = -effort;
    j->effort[1] = effort;
    if (s || u->type == CONTINUOUS) return s;
    j->limited = true;
    return pp_robot_check_range(m, e, j);
}

static perp_status read_dynamics(pp_import *m, const urdf_joint *u, pp_model_joint *j) {
    const pp_xml *e = pp_xml_child(u->at, "dynamics"), *mimic = pp_xml_child(u->at, "mimic");
    perp_status s = pp_value_above(m, e, "damping", &j->damping);
    if (!s) s = pp_value_above(m, e, "friction", &j->friction);
    return s || !mimic ? s : pp_robot_mimic(m, mimic, j);
}

static perp_status read_axis(pp_import *m, const urdf_joint *u, perp_vec3 *out) {
    const pp_xml *e = pp_xml_child(u->at, "axis");
    *out = perp_v3(1, 0, 0);
    if (!e) return PERP_OK;
    perp_status s = pp_robot_vector(m, e, "xyz", pp_xml_get(e, "xyz"), out);
    if (s) return s;
    if (!(perp_v3_norm(*out) > 1e-12)) return pp_robot_wrong(m, e, "xyz", "the zero vector", "a direction");
    *out = perp_v3_unit(*out);
    return PERP_OK;
}

/* The joint of a link: none if it is fixed, several if it is planar. */
static perp_status read_joint(pp_import *m, const urdf_joint *u, int body) {
    perp_pose X;
    perp_vec3 axis, t, o;
    perp_status s = pp_urdf_origin(m, u->at, &X);
    if (s) return s;
    m->model.body[body].X_P = X;
    if (u->type == FIXED) return PERP_OK; /* its axis means nothing */
    s = read_axis(m, u, &axis);
    if (s) return s;
    if (u->type == FLOATING) return pp_model_add_joint(m, u->name, u->at, body, PP_FREE) ? PERP_OK : m->why->status;
    if (u->type == SPHERICAL) return pp_model_add_joint(m, u->name, u->at, body, PP_BALL) ? PERP_OK : m->why->status;
    if (u->type == PLANAR) {
        perp_v3_frame(axis, &t, &o);
        const perp_vec3 dir[] = {t, o, axis};
        for (int i = 0; i < 3; i++) {
            pp_model_joint *j = pp_model_add_joint(m, u->name, u->at, body, i < 2 ? PP_SLIDE : PP_HINGE);
            if (!j) return m->why->status;
            j->axis_B = dir[i];
        }
        return PERP_OK;
    }
    pp_model_joint *j = pp_model_add_joint(m, u->name, u->at, body, u->type == PRISMATIC ? PP_SLIDE : PP_HINGE);
    if (!j) return m->why->status;
    j->axis_B = axis;
    s = read_limit(m, u, j);
    return s ? s : read_dynamics(m, u, j);
}

/* ---- the tree ---- */

static perp_status add_link(urdf *u, int link, int parent) {
    pp_import *m = u->m;
    urdf_link *l = &u->link[link];
    l->body = m->model.nbody;
    if (!pp_model_add_body(m, l->name, l->at, parent)) return m->why->status;
    perp_status s = PERP_OK;
    if (l->joint >= 0) {
        s = read_joint(m, &u->joint[l->joint], l->body);
    } else if (m->options.free_base && strcmp(l->name, "world") != 0) {
        if (!pp_model_add_joint(m, l->name, l->at, l->body, PP_FREE)) return m->why->status;
    } else if (strcmp(l->name, "world") != 0) {
        s = pp_robot_note(m, PERP_IMPORT_ASSUMED, l->at,
                          "the root link %s is fixed to the world; --free-base lets it move", l->name);
    }
    if (!s) s = read_inertial(m, l->at, &m->model.body[l->body]);
    for (const pp_xml *e = l->at->first; e && !s; e = e->next) {
        if (!strcmp(e->name, "collision")) s = pp_urdf_geometry(m, e, l->body, false);
        if (!strcmp(e->name, "visual")) s = pp_urdf_geometry(m, e, l->body, true);
    }
    return s;
}

/* All links below `link`, with an explicit stack, because the depth of files is not limited. */
static perp_status add_tree(urdf *u, int root) {
    int *stack = pp_alloc(&u->m->alloc, sizeof *stack * (size_t)(u->nlink + 1)), n = 0;
    if (!stack) return pp_robot_no_memory(u->m);
    stack[n++] = root;
    perp_status s = add_link(u, root, 0);
    while (n > 0 && !s) {
        int parent = stack[--n];
        for (int i = u->njoint - 1; i >= 0; i--) /* the first joint of the file on top of the stack */
            if (u->joint[i].parent == parent && u->link[u->joint[i].child].body == -1) {
                u->link[u->joint[i].child].body = -2; /* waits */
                stack[n++] = u->joint[i].child;
            }
        if (n > 0) {
            int next = stack[n - 1];
            s = add_link(u, next, u->link[u->joint[u->link[next].joint].parent].body);
        }
    }
    pp_free(&u->m->alloc, stack);
    return s;
}

static perp_status find_root(urdf *u, const pp_xml *e, int *root) {
    *root = -1;
    for (int i = 0; i < u->nlink; i++) {
        if (u->link[i].joint >= 0) continue;
        if (*root >= 0)
            return pp_robot_say(u->m, PERP_E_ARG, u->link[i].at,
                                "found a second link without a parent beside %s; allowed: one tree",
                                u->link[*root].name);
        *root = i;
    }
    if (*root >= 0) return PERP_OK;
    return pp_robot_say(u->m, PERP_E_ARG, e, "found a circle of links: each hangs on another; allowed: a tree");
}

static perp_status note_others(pp_import *m, const pp_xml *root) {
    static const char *const known[] = {"link", "joint", "material"};
    for (const pp_xml *e = root->first; e; e = e->next) {
        bool mine = false;
        for (int i = 0; i < 3; i++) mine = mine || !strcmp(e->name, known[i]);
        if (mine) continue;
        if (!strncmp(e->name, "xacro:", 6))
            return pp_robot_wrong(m, e, NULL, "xacro", "plain URDF: run the file through xacro first");
        perp_status s = pp_robot_note(m, PERP_IMPORT_IGNORED, e, "elements <%s>", e->name);
        if (s) return s;
    }
    return PERP_OK;
}

perp_status pp_urdf_read(pp_import *m, const pp_xml *root) {
    urdf u = {.m = m};
    int base;
    m->model.format = "URDF";
    const char *name = pp_xml_get(root, "name");
    if (name) m->model.name = name;
    perp_status s = note_others(m, root);
    if (!s) s = collect_links(&u, root);
    if (!s) s = collect_joints(&u, root);
    if (!s) s = find_root(&u, root, &base);
    if (!s) s = add_tree(&u, base);
    if (!s && m->model.nbody - 1 < u.nlink)
        for (int i = 0; i < u.nlink && !s; i++)
            if (u.link[i].body < 0)
                s = pp_robot_say(m, PERP_E_ARG, u.link[i].at,
                                 "found a link that does not hang on the root %s: a circle; allowed: a tree",
                                 u.link[base].name);
    if (!s) s = pp_robot_check_mimics(m);
    pp_free(&m->alloc, u.link);
    pp_free(&m->alloc, u.joint);
    return s;
}
