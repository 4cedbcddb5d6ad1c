/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sdf_joint.c - links and joints of SDF as trees of bodies.
 *
 * Links of static models are fixed to the world; a link without a joint moves freely. SDF asks for no tree: joints are taken one by one, those of the world first, then screws, which cannot close
 * loops. The child hangs on the parent if it hangs on nothing yet; else the parent hangs on the child, if it hangs on nothing; else the joint closes a loop. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/sdf.h"

enum { REVOLUTE, CONTINUOUS, PRISMATIC, FIXED, BALL, UNIVERSAL, REVOLUTE2, SCREW, GEARBOX };
static const char *const types[] = {"revolute",  "continuous", "prismatic", "fixed",   "ball",
                                    "universal", "revolute2",  "screw",     "gearbox", NULL};
static const char *const joint_words[] = {
    "parent", "child", "axis", "axis2", "pose", "thread_pitch", "screw_thread_pitch", "physics", "sensor", NULL};
static const char *const axis_words[] = {
    "xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position", NULL};
static const char *const limit_words[] = {"lower", "upper", "effort", "velocity", "stiffness", "dissipation", NULL};
static const char *const dynamics_words[] = {"damping", "friction", "spring_stiffness", "spring_reference", NULL};

/* ---- the tree ---- */

bool pp_sdf_is_fixed(const pp_sdf *s, int link) { return link == 0 || s->frame[s->frame[link].scope].fixed; }

/* What a link hangs on; 0: the world, or nothing. */
static int above(const pp_sdf *s, int link) {
    int up = s->frame[link].up;
    return up < 0 ? 0 : s->joint[up].back ? s->joint[up].child : s->joint[up].parent;
}

static bool hangs(const pp_sdf *s, int link) { return pp_sdf_is_fixed(s, link) || s->frame[link].up >= 0; }

static int top(const pp_sdf *s, int link) {
    while (above(s, link) > 0) link = above(s, link);
    return link;
}

static perp_status end_of(pp_sdf *s, const pp_sdf_frame *f, const char *which, int *out) {
    pp_value v = pp_robot_value(f->at, which);
    int frame = 0;
    if (!v.text || !v.text[0]) return pp_value_wrong(s->m, f->at, which, "the name of a link");
    perp_status r = pp_sdf_find(s, v.at, v.attribute, v.text, f->home, &frame);
    return r ? r : pp_sdf_link_of(s, frame, 0, out);
}

static perp_status add_joint(pp_sdf *s, int frame) {
    pp_import *m = s->m;
    const pp_sdf_frame *f = &s->frame[frame];
    pp_sdf_joint j = {.frame = frame, .type = -1};
    const char *type = pp_xml_get(f->at, "type");
    perp_status r = pp_sdf_words(m, f->at, joint_words, 7);
    if (!r && !type) r = pp_robot_wrong(m, f->at, "type", "nothing", "a type of joint");
    if (!r) r = pp_robot_word(m, f->at, "type", type, types, &j.type);
    if (!r) r = end_of(s, f, "parent", &j.parent);
    if (!r) r = end_of(s, f, "child", &j.child);
    if (r) return r;
    if (j.child == 0) return pp_value_wrong(m, f->at, "child", "a link, or a frame that moves with one");
    if (j.type == GEARBOX) return pp_robot_note(m, PERP_IMPORT_IGNORED, f->at, "joints of type gearbox");
    if (j.parent == j.child || (pp_sdf_is_fixed(s, j.parent) && pp_sdf_is_fixed(s, j.child)))
        return pp_robot_note(m, PERP_IMPORT_IGNORED, f->at, "joints between what moves as one");
    if (!PP_GROW(&m->alloc, s->joint, s->cap_joint, s->njoint, s->njoint + 1)) return pp_robot_no_memory(m);
    s->joint[s->njoint++] = j;
    return PERP_OK;
}

perp_status pp_sdf_joints(pp_sdf *s) {
    perp_status r = PERP_OK;
    for (int i = 1; i < s->nframe && !r; i++)
        if (s->frame[i].kind == PP_SDF_JOINT) r = add_joint(s, i);
    for (int k = 0; k < 3 * s->njoint && !r; k++) {
        int i = k % s->njoint;
        pp_sdf_joint *j = &s->joint[i];
        if (k / s->njoint != (pp_sdf_is_fixed(s, j->parent) ? 0 : j->type == SCREW ? 1 : 2)) continue;
        if (!hangs(s, j->child) && top(s, j->parent) != j->child) {
            s->frame[j->child].up = i;
        } else if (!hangs(s, j->parent) && top(s, j->child) != j->parent) {
            s->frame[j->parent].up = i;
            j->back = true;
        } else {
            j->loop = true;
        }
    }
    return r;
}

/* ---- axes ---- */

/* A bound that may be infinite: files write inf, 1e16 or more. */
static perp_status read_bound(pp_import *m, const pp_xml *e, const char *key, double *out) {
    const char *text = pp_robot_value(e, key).text;
    double x;
    if (!text || strstr(text, "inf")) return PERP_OK;
    perp_status r = pp_value_number(m, e, key, &x);
    if (!r && fabs(x) < 1e16) *out = x;
    return r;
}

static perp_status read_limit(pp_import *m, const pp_xml *e, int type, pp_model_joint *j) {
    double effort = INFINITY;
    j->range[0] = -INFINITY;
    j->range[1] = INFINITY;
    perp_status r = pp_sdf_words(m, e, limit_words, 4);
    if (!r) r = read_bound(m, e, "lower", &j->range[0]);
    if (!r) r = read_bound(m, e, "upper", &j->range[1]);
    if (!r) r = read_bound(m, e, "effort", &effort);
    if (!r) r = read_bound(m, e, "velocity", &j->velocity);
    if (r) return r;
    if (effort >= 0) {
        j->effort[0] = -effort;
        j->effort[1] = effort;
    }
    if (j->velocity < 0) j->velocity = INFINITY;
    j->limited = type != CONTINUOUS && (isfinite(j->range[0]) || isfinite(j->range[1]));
    return pp_robot_check_range(m, e, j);
}

/* Of a joint that this one follows: in the scene its second coordinate has a name of its own. */
static perp_status read_mimic(pp_sdf *s, const pp_sdf_frame *f, const pp_xml *e, pp_model_joint *j) {
    pp_import *m = s->m;
    double zero = 0;
    int leader;
    const char *axis = pp_xml_get(e, "axis");
    perp_status r = pp_robot_mimic(m, e, j);
    if (!r) r = pp_value_number(m, e, "reference", &zero);
    if (!r) r = pp_sdf_find(s, e, "joint", j->mimic, f->home, &leader);
    if (r) return r;
    char name[400];
    (void)snprintf(name, sizeof name, "%.300s%s", s->frame[leader].full,
                   axis && !strcmp(axis, "axis2") ? "-axis2" : "");
    j->mimic = pp_pool_text(&m->pool, name, strlen(name));
    j->mimic_offset -= j->mimic_factor * zero;
    return j->mimic ? PERP_OK : pp_robot_no_memory(m);
}

/* Direction of an axis of a joint, in a link. */
static perp_status direction(pp_sdf *s, int frame, const pp_xml *e, int link, perp_vec3 *out) {
    pp_import *m = s->m;
    const pp_xml *xyz = e ? pp_xml_child(e, "xyz") : NULL;
    const pp_sdf_frame *f = &s->frame[frame];
    const char *in = pp_xml_get(xyz, "expressed_in");
    bool model = pp_sdf_before(f->at, 5);
    int of = frame;
    *out = perp_v3(0, 0, 1);
    perp_status r = pp_sdf_bool(m, e, "use_parent_model_frame", &model);
    if (!r && in && in[0])
        r = pp_sdf_find(s, xyz, "expressed_in", in, f->home, &of);
    else if (model)
        of = f->home;
    if (!r && xyz) r = pp_robot_vector(m, xyz, NULL, xyz->text, out);
    if (r) return r;
    if (!(perp_v3_norm(*out) > 1e-12)) return pp_robot_wrong(m, xyz, NULL, "the zero vector", "a direction");
    *out = perp_q_rotate(pp_sdf_between(s, link, of).q, perp_v3_unit(*out));
    return PERP_OK;
}

/* Adds a hinge or slide along an axis of a joint to the body of the link that hangs on it. */
static perp_status add_axis(pp_sdf *s, const pp_sdf_joint *u, const char *which, pp_joint_kind kind,
                            const char *suffix) {
    pp_import *m = s->m;
    const pp_sdf_frame *f = &s->frame[u->frame];
    const pp_xml *e = pp_xml_child(f->at, which), *dynamics = e ? pp_xml_child(e, "dynamics") : NULL;
    int link = u->back ? u->parent : u->child;
    char name[400];
    perp_vec3 axis;
    if (!e) return pp_robot_wrong(m, f->at, which, "nothing", "the axis of the joint");
    (void)snprintf(name, sizeof name, "%.300s%s", f->full, suffix);
    const char *kept = pp_pool_text(&m->pool, name, strlen(name));
    if (!kept) return pp_robot_no_memory(m);
    perp_status r = pp_sdf_words(m, e, axis_words, 5);
    if (!r) r = direction(s, u->frame, e, link, &axis);
    if (r) return r;
    pp_model_joint *j = pp_model_add_joint(m, kept, f->at, s->frame[link].body, kind);
    if (!j) return m->why->status;
    j->p_B = pp_sdf_between(s, link, u->frame).p;
    j->axis_B = perp_v3_scale(u->back ? -1 : 1, axis);
    if (u->type == SCREW && kind == PP_SLIDE) return PERP_OK; /* the rest is about the angle */
    r = read_limit(m, pp_xml_child(e, "limit"), u->type, j);
    if (!r) r = pp_sdf_words(m, dynamics, dynamics_words, 4);
    if (!r) r = pp_value_above(m, dynamics, "damping", &j->damping);
    if (!r) r = pp_value_above(m, dynamics, "friction", &j->friction);
    if (!r) r = pp_value_above(m, dynamics, "spring_stiffness", &j->stiffness);
    if (!r) r = pp_value_number(m, dynamics, "spring_reference", &j->springref);
    const pp_xml *mimic = pp_xml_child(e, "mimic");
    return r || !mimic ? r : read_mimic(s, f, mimic, j);
}

/* A slide that follows the hinge. thread_pitch: angle by length of a left-handed thread; screw_thread_pitch: length of a turn of a right-handed one. */
static perp_status add_screw(pp_sdf *s, const pp_sdf_joint *u) {
    pp_import *m = s->m;
    const pp_xml *e = s->frame[u->frame].at;
    double turns = -1, pitch = 0;
    perp_status r = pp_value_number(m, e, "thread_pitch", &turns);
    if (!r && turns == 0) r = pp_value_wrong(m, e, "thread_pitch", "a number other than 0");
    pitch = -1 / turns;
    if (!r && pp_robot_value(e, "screw_thread_pitch").text) {
        r = pp_value_number(m, e, "screw_thread_pitch", &pitch);
        pitch /= 6.283185307179586;
    }
    if (!r) r = add_axis(s, u, "axis", PP_SLIDE, "-slide");
    if (r) return r;
    int slide = m->model.njoint - 1;
    r = add_axis(s, u, "axis", PP_HINGE, "");
    if (r) return r;
    pp_model_joint *j = &m->model.joint[slide];
    j->mimic = j[1].name;
    j->mimic_at = e;
    j->mimic_factor = pitch;
    return PERP_OK;
}

static perp_status read_joint(pp_sdf *s, const pp_sdf_joint *u) {
    pp_import *m = s->m;
    int link = u->back ? u->parent : u->child;
    if (u->type == FIXED) return PERP_OK;
    if (u->type == SCREW) return add_screw(s, u);
    if (u->type == BALL) {
        const pp_sdf_frame *f = &s->frame[u->frame];
        pp_model_joint *j = pp_model_add_joint(m, f->full, f->at, s->frame[link].body, PP_BALL);
        if (j) j->p_B = pp_sdf_between(s, link, u->frame).p;
        return j ? PERP_OK : m->why->status;
    }
    bool two = u->type == UNIVERSAL || u->type == REVOLUTE2, last = two && u->back;
    perp_status r =
        add_axis(s, u, last ? "axis2" : "axis", u->type == PRISMATIC ? PP_SLIDE : PP_HINGE, last ? "-axis2" : "");
    if (!r && two) r = add_axis(s, u, last ? "axis" : "axis2", PP_HINGE, last ? "" : "-axis2");
    return r;
}

/* ---- loops ---- */

static perp_status add_loop(pp_sdf *s, const pp_sdf_joint *u) {
    static const char *const scene[] = {"revolute", "revolute",  "prismatic", "weld",
                                        "connect",  "universal", "universal"};
    pp_import *m = s->m;
    pp_model *d = &m->model;
    const pp_sdf_frame *f = &s->frame[u->frame];
    const int link[2] = {u->parent, u->child};
    perp_pose X = pp_sdf_between(s, u->child, u->frame); /* of the joint in its child */
    perp_vec3 z, x, t;
    if (u->type == SCREW)
        return pp_robot_wrong(m, f->at, "type", "a screw that closes a loop",
                              "revolute, prismatic, fixed, ball or universal");
    if (u->type != FIXED && u->type != BALL) {
        perp_status r = direction(s, u->frame, pp_xml_child(f->at, "axis"), u->child, &z);
        perp_v3_frame(z, &x, &t);
        if (!r && u->type >= UNIVERSAL) r = direction(s, u->frame, pp_xml_child(f->at, "axis2"), u->child, &x);
        if (r) return r;
        if (fabs(perp_v3_dot(x, z)) > 1e-6)
            return pp_robot_wrong(m, f->at, "axis2", "two axes that close a loop", "axes at right angles");
        perp_mat3 R = {{x, perp_v3_cross(z, x), z}};
        X.q = perp_q_unit(perp_q_from_matrix(R));
        r = pp_robot_note(m, PERP_IMPORT_APPROXIMATED, f->at,
                          "joints that close a loop: their limits, springs, damping and friction are not kept");
        if (r) return r;
    }
    if (!PP_GROW(&m->alloc, d->equality, d->cap_equality, d->nequality, d->nequality + 1)) return pp_robot_no_memory(m);
    pp_model_equality q = {.type = scene[u->type], .a = f->full, .at = f->at, .active = true};
    for (int k = 0; k < 2; k++) {
        q.body[k] = s->frame[link[k]].body;
        q.X[k] = perp_pose_mul(pp_sdf_between(s, link[k], u->child), X);
    }
    d->equality[d->nequality++] = q;
    return PERP_OK;
}

/* ---- bodies ---- */

static perp_status add_link(pp_sdf *s, int link) {
    pp_import *m = s->m;
    pp_sdf_frame *f = &s->frame[link];
    int on = above(s, link);
    bool kinematic = false;
    f->body = m->model.nbody;
    pp_model_body *b = pp_model_add_body(m, f->full, f->at, s->frame[on].body);
    if (!b) return m->why->status;
    b->X_P = pp_sdf_between(s, on, link);
    perp_status r = pp_sdf_bool(m, f->at, "kinematic", &kinematic);
    if (!r && f->up >= 0) {
        r = read_joint(s, &s->joint[f->up]);
        if (!r && kinematic) r = pp_robot_note(m, PERP_IMPORT_IGNORED, f->at, "<kinematic> of links with joints");
    } else if (!r && kinematic) {
        b->mocap = !pp_sdf_is_fixed(s, link);
    } else if (!r && !pp_sdf_is_fixed(s, link) && !pp_model_add_joint(m, f->full, f->at, f->body, PP_FREE)) {
        return m->why->status;
    }
    return r ? r : pp_sdf_link(s, link);
}

/* All links that hang on one, itself first, by way of a stack: files may nest as deep as they like. */
static perp_status add_tree(pp_sdf *s, int root, int *stack) {
    perp_status r = PERP_OK;
    int n = 0;
    stack[n++] = root;
    while (n > 0 && !r) {
        int link = stack[--n];
        r = add_link(s, link);
        for (int i = s->njoint - 1; i >= 0; i--) { /* the first joint of the file on top of the stack */
            const pp_sdf_joint *j = &s->joint[i];
            int child = j->back ? j->parent : j->child;
            if (!j->loop && above(s, child) == link) stack[n++] = child;
        }
    }
    return r;
}

perp_status pp_sdf_bodies(pp_sdf *s) {
    pp_import *m = s->m;
    pp_model *d = &m->model;
    perp_status r = PERP_OK;
    int *stack = pp_alloc(&m->alloc, sizeof *stack * (size_t)(s->nframe + 1));
    if (!stack) return pp_robot_no_memory(m);
    s->frame[0].body = 0;
    for (int i = 1; i < s->nframe && !r; i++)
        if (s->frame[i].kind == PP_SDF_LINK && above(s, i) == 0) r = add_tree(s, i, stack);
    pp_free(&m->alloc, stack);
    for (int i = 0; i < s->njoint && !r; i++)
        if (s->joint[i].loop) r = add_loop(s, &s->joint[i]);
    for (int i = 1; i < s->nframe && !r; i++) {
        const pp_sdf_frame *f = &s->frame[i];
        int link;
        if (f->kind != PP_SDF_FRAME || f->include) continue;
        r = pp_sdf_link_of(s, i, 0, &link);
        if (r) break;
        if (!PP_GROW(&m->alloc, d->site, d->cap_site, d->nsite, d->nsite + 1)) return pp_robot_no_memory(m);
        d->site[d->nsite++] = (pp_model_site){f->full, s->frame[link].body, pp_sdf_between(s, link, i)};
    }
    return r;
}
