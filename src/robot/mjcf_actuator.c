/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf_actuator.c - actuators of MJCF.
 *
 * MuJoCo's kinds of actuator are shorthands of one, whose force is gain ctrl + bias[0] + bias[1] l + bias[2] l', with l = gear q. Defaults of all kinds change
 * the same numbers, so that an actuator is made by applying the defaults of its class from main downwards, then its own element. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/mjcf.h"

static const char *const kinds[] = {"general",  "motor",  "position", "velocity", "intvelocity", "damper",
                                    "cylinder", "muscle", "adhesion", "dcmotor",  "plugin",      NULL};
enum { GENERAL, MOTOR, POSITION, VELOCITY };

/* An actuator while elements are applied to it. */
typedef struct making {
    pp_model_actuator *a;
    int ctrl_limited, force_limited; /* as LIMITED below */
    bool ctrl_given, force_given;
    double inherit; /* inheritrange; 0: the range is its own */
} making;
enum { NOT_LIMITED, IS_LIMITED, LIMITED_AUTO };

static int kind_of(const pp_xml *e) {
    for (int i = 0; kinds[i]; i++)
        if (!strcmp(kinds[i], e->name)) return i;
    return -1;
}

static perp_status numbers(pp_mjcf *f, const pp_xml *e, const char *attribute, int least, int n, double *out,
                           bool *given) {
    int got;
    perp_status s = pp_robot_numbers(f->m, e, attribute, pp_xml_get(e, attribute), least, n, out, &got);
    if (given && got > 0) *given = true;
    return s;
}

static perp_status gains(pp_mjcf *f, const pp_xml *e, pp_model_actuator *a) {
    double gain[10] = {a->gain}, bias[10] = {a->bias[0], a->bias[1], a->bias[2]};
    perp_status s = numbers(f, e, "gainprm", 1, 10, gain, NULL);
    if (!s) s = numbers(f, e, "biasprm", 1, 10, bias, NULL);
    if (s) return s;
    a->gain = gain[0];
    memcpy(a->bias, bias, sizeof a->bias);
    const char *gain_kind = pp_xml_get(e, "gaintype"), *bias_kind = pp_xml_get(e, "biastype"),
               *dynamics = pp_xml_get(e, "dyntype");
    if (gain_kind) a->gain_kind = gain_kind;
    if (bias_kind) a->bias_kind = bias_kind;
    if (dynamics) a->dynamics = dynamics;
    return PERP_OK;
}

static perp_status not_negative(pp_mjcf *f, const pp_xml *e, const char *attribute, double *out, bool *given) {
    perp_status s = numbers(f, e, attribute, 1, 1, out, given);
    if (!s && *out < 0) return pp_robot_wrong(f->m, e, attribute, pp_xml_get(e, attribute), "a number >= 0");
    return s;
}

static perp_status position(pp_mjcf *f, const pp_xml *e, pp_model_actuator *a) {
    double kv = 0, ratio = 0, lag = 0;
    bool is_kv = false, is_ratio = false, is_lag = false;
    perp_status s = not_negative(f, e, "kp", &a->gain, NULL);
    if (!s) s = not_negative(f, e, "kv", &kv, &is_kv);
    if (!s) s = not_negative(f, e, "dampratio", &ratio, &is_ratio);
    if (!s) s = not_negative(f, e, "timeconst", &lag, &is_lag);
    if (s) return s;
    if (is_kv && is_ratio) return pp_robot_wrong(f->m, e, NULL, "kv and dampratio", "one of the two");
    a->bias[1] = -a->gain;
    if (is_kv) a->bias[2] = -kv;
    if (is_ratio) a->bias[2] = ratio; /* > 0: a ratio, see damping_of() */
    if (is_lag) a->dynamics = lag > 0 ? "filter" : "none";
    a->gain_kind = "fixed";
    a->bias_kind = "affine";
    return PERP_OK;
}

/* Applies an element of defaults, or the actuator's own. */
static perp_status apply(pp_mjcf *f, const pp_xml *e, making *k) {
    static const char *const words[] = {"false", "true", "auto", NULL};
    pp_model_actuator *a = k->a;
    double gear[6] = {a->gear};
    perp_status s = numbers(f, e, "gear", 1, 6, gear, NULL);
    a->gear = gear[0];
    if (!s) s = numbers(f, e, "ctrlrange", 2, 2, a->ctrl_range, &k->ctrl_given);
    if (!s) s = numbers(f, e, "forcerange", 2, 2, a->force_range, &k->force_given);
    if (!s) s = numbers(f, e, "inheritrange", 1, 1, &k->inherit, NULL);
    if (!s) s = pp_robot_word(f->m, e, "ctrllimited", pp_xml_get(e, "ctrllimited"), words, &k->ctrl_limited);
    if (!s) s = pp_robot_word(f->m, e, "forcelimited", pp_xml_get(e, "forcelimited"), words, &k->force_limited);
    if (s) return s;
    switch (kind_of(e)) {
    case GENERAL: return gains(f, e, a);
    case MOTOR:
        a->gain = 1;
        a->bias[0] = a->bias[1] = a->bias[2] = 0;
        a->gain_kind = "fixed";
        a->bias_kind = a->dynamics = "none";
        return PERP_OK;
    case POSITION: return position(f, e, a);
    case VELOCITY:
        s = not_negative(f, e, "kv", &a->gain, NULL);
        a->bias[0] = a->bias[1] = 0;
        a->bias[2] = -a->gain;
        a->gain_kind = "fixed";
        a->bias_kind = "affine";
        a->dynamics = "none";
        return s;
    default: return PERP_OK;
    }
}

static perp_status apply_class(pp_mjcf *f, int class, making *k) {
    perp_status s = f->class[class].parent >= 0 ? apply_class(f, f->class[class].parent, k) : PERP_OK;
    for (int i = 0; i < f->class[class].nat && !s; i++)
        for (const pp_xml *e = f->class[class].at[i]->first; e && !s; e = e->next)
            if (kind_of(e) >= 0) s = apply(f, e, k);
    return s;
}

/* Ranges that hold; others are infinite. */
static perp_status ranges(pp_mjcf *f, const pp_xml *e, const making *k) {
    pp_model_actuator *a = k->a;
    const struct {
        int limited;
        bool given;
        double *range;
        const char *name;
    } both[] = {{k->ctrl_limited, k->ctrl_given, a->ctrl_range, "ctrlrange"},
                {k->force_limited, k->force_given, a->force_range, "forcerange"}};
    for (int i = 0; i < 2; i++) {
        bool holds = both[i].limited == IS_LIMITED || (both[i].limited == LIMITED_AUTO && both[i].given);
        if (!holds) {
            both[i].range[0] = -INFINITY;
            both[i].range[1] = INFINITY;
        } else if (!(both[i].range[0] <= both[i].range[1])) {
            return pp_robot_wrong(f->m, e, both[i].name, "the larger number first", "the smaller number first");
        }
    }
    if (!(k->inherit > 0) || k->ctrl_given || a->joint < 0) return PERP_OK;
    const pp_model_joint *j = &f->m->model.joint[a->joint];
    if (!j->limited)
        return pp_robot_wrong(f->m, e, "inheritrange", "a joint without a range", "an actuator of a joint with limits");
    double mean = 0.5 * (j->range[0] + j->range[1]), half = 0.5 * (j->range[1] - j->range[0]) * k->inherit;
    a->ctrl_range[0] = mean - half;
    a->ctrl_range[1] = mean + half;
    return PERP_OK;
}

/* Why perp does not support an actuator; NULL: it does. */
static const char *missing(const pp_import *m, const pp_model_actuator *a) {
    bool joint = !strcmp(a->on, "joint") || !strcmp(a->on, "jointinparent");
    if (!joint && a->tendon < 0) return "they do not act on a joint or a fixed tendon";
    if (a->tendon >= 0 && a->bias[2] > 0) return "dampratio needs the inertia that a tendon feels";
    if (a->joint >= 0 && m->model.joint[a->joint].kind > PP_SLIDE) return "they act on ball or free joints";
    if (kind_of(a->at) > VELOCITY) return "perp has no such kind";
    if (strcmp(a->gain_kind, "fixed") != 0) return "their gain is not fixed";
    if (strcmp(a->bias_kind, "none") != 0 && strcmp(a->bias_kind, "affine") != 0) return "their bias is not affine";
    if (!strcmp(a->dynamics, "integrator") || !strcmp(a->dynamics, "muscle") || !strcmp(a->dynamics, "user"))
        return "ctrl drives a state of their own";
    if (a->bias[1] > 0) return "they push away from where they are";
    if (a->bias[2] > 0 && a->gain != -a->bias[1]) return "they push along their speed";
    if (a->gear == 0) return "their gear is 0";
    return NULL;
}

static perp_status read_actuator(pp_mjcf *f, const pp_xml *e) {
    static const char *const on[] = {"joint", "jointinparent", "tendon", "site", "slidersite", "body", "refsite", NULL};
    pp_import *m = f->m;
    pp_model *d = &m->model;
    const char *name = pp_xml_get(e, "name");
    pp_model_actuator a = {.name = name ? name : "",
                           .type = e->name,
                           .on = "",
                           .target = "",
                           .at = e,
                           .joint = -1,
                           .tendon = -1,
                           .gear = 1,
                           .gain = 1,
                           .gain_kind = "fixed",
                           .bias_kind = "none",
                           .dynamics = "none"};
    making k = {.a = &a, .ctrl_limited = LIMITED_AUTO, .force_limited = LIMITED_AUTO};
    if (kind_of(e) < 0) return pp_robot_wrong(m, e, NULL, e->name, "a kind of actuator");
    for (int i = 0; on[i] && !a.on[0]; i++)
        if (pp_xml_get(e, on[i])) {
            a.on = on[i];
            a.target = pp_xml_get(e, on[i]);
        }
    if (!strncmp(a.on, "joint", 5)) {
        for (int i = 0; i < d->njoint && a.joint < 0; i++)
            if (!strcmp(d->joint[i].name, a.target)) a.joint = i;
        if (a.joint < 0) return pp_robot_wrong(m, e, a.on, a.target, "the name of a joint");
    }
    if (!strcmp(a.on, "tendon")) {
        a.tendon = pp_model_find_tendon(m, a.target);
        if (a.tendon < 0) return pp_robot_wrong(m, e, a.on, a.target, "the name of a tendon");
        if (d->tendon[a.tendon].spatial) a.tendon = -1;
    }
    int class;
    perp_status s = pp_mjcf_class_of(f, e, "class", 0, &class);
    if (!s) s = apply_class(f, class, &k);
    if (!s) s = apply(f, e, &k);
    if (!s) s = ranges(f, e, &k);
    if (s) return s;
    if (!strcmp(a.bias_kind, "none")) a.bias[0] = a.bias[1] = a.bias[2] = 0;
    a.missing = missing(m, &a);
    if (!PP_GROW(&m->alloc, d->actuator, d->cap_actuator, d->nactuator, d->nactuator + 1)) return pp_robot_no_memory(m);
    d->actuator[d->nactuator++] = a;
    return PERP_OK;
}

perp_status pp_mjcf_actuators(pp_mjcf *f, const pp_xml *section) {
    perp_status s = PERP_OK;
    for (const pp_xml *e = section->first; e && !s; e = e->next) s = read_actuator(f, e);
    return s;
}

/* ---- damping that is given as a ratio ---- */

/* Effective inertia of a hinge or slide with all joints at their reference: that of all bodies below it, plus the armature. */
static double inertia_felt(const pp_import *m, int joint, const perp_pose *X_W) {
    const pp_model *d = &m->model;
    const pp_model_joint *j = &d->joint[joint];
    perp_vec3 axis = perp_q_rotate(X_W[j->body].q, j->axis_B), p = perp_pose_apply(X_W[j->body], j->p_B);
    double sum = j->armature;
    for (int b = j->body; b < d->nbody; b++) {
        int up = b;
        while (up > j->body) up = d->body[up].parent; /* parents come first */
        if (up != j->body || !(d->body[b].mass.mass > 0)) continue;
        const perp_mass *mass = &d->body[b].mass;
        sum += j->kind == PP_SLIDE ? mass->mass : 0;
        if (j->kind == PP_SLIDE) continue;
        perp_vec3 u = perp_q_unrotate(X_W[b].q, axis), r = perp_v3_sub(perp_pose_apply(X_W[b], mass->com_B), p);
        perp_vec3 out = perp_v3_cross(axis, r);
        sum += perp_v3_dot(u, perp_m3_mul_v(mass->I_B, u)) + mass->mass * perp_v3_dot(out, out);
    }
    return sum;
}

perp_status pp_mjcf_damping(pp_mjcf *f) {
    pp_import *m = f->m;
    pp_model *d = &m->model;
    bool any = false;
    for (int i = 0; i < d->nactuator; i++) any = any || (d->actuator[i].bias[2] > 0 && d->actuator[i].joint >= 0);
    if (!any) return PERP_OK;
    perp_pose *X_W = pp_alloc(&m->alloc, sizeof *X_W * (size_t)d->nbody);
    if (!X_W) return pp_robot_no_memory(m);
    X_W[0] = perp_pose_identity();
    for (int b = 1; b < d->nbody; b++) X_W[b] = perp_pose_mul(X_W[d->body[b].parent], d->body[b].X_P);
    for (int i = 0; i < d->nactuator; i++) {
        pp_model_actuator *a = &d->actuator[i];
        if (!(a->bias[2] > 0) || a->joint < 0 || a->missing) continue;
        double felt = inertia_felt(m, a->joint, X_W) / (a->gear * a->gear);
        a->bias[2] = -2 * a->bias[2] * sqrt(-a->bias[1] * felt);
    }
    pp_free(&m->alloc, X_W);
    return PERP_OK;
}
