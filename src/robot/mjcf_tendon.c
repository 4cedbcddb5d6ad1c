/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf_tendon.c - tendons of MJCF, and the polynomials of equalities between joints and tendons. */
#include <string.h>

#include "robot/mjcf.h"

/* The joints of a fixed tendon. */
static perp_status read_terms(pp_import *m, const pp_xml *e, pp_model_tendon *out) {
    int n = 0;
    for (const pp_xml *k = e->first; k; k = k->next) n++;
    if (n == 0) return pp_robot_wrong(m, e, NULL, "no joints", "one or more <joint>");
    out->term = pp_pool_get(&m->pool, sizeof *out->term * (size_t)n);
    if (!out->term) return pp_robot_no_memory(m);
    for (const pp_xml *k = e->first; k; k = k->next) {
        pp_model_term t = {pp_xml_get(k, "joint"), 0};
        if (strcmp(k->name, "joint") != 0) return pp_robot_wrong(m, k, NULL, k->name, "joint");
        if (!t.joint) return pp_robot_wrong(m, k, "joint", "nothing", "the name of a joint");
        int joint = pp_model_find_joint(m, t.joint);
        if (joint < 0) return pp_robot_missing(m, k, "joint", t.joint, "a joint", pp_model_joint_name);
        if (m->model.joint[joint].kind > PP_SLIDE)
            return pp_robot_wrong(m, k, "joint", "a ball or free joint", "a hinge or slide");
        if (!pp_xml_get(k, "coef")) return pp_robot_wrong(m, k, "coef", "nothing", "a number");
        perp_status s = pp_robot_number(m, k, "coef", pp_xml_get(k, "coef"), &t.coefficient);
        if (s) return s;
        if (t.coefficient != 0) out->term[out->nterm++] = t;
    }
    return PERP_OK;
}

/* stiffness and damping may be polynomials: the first number is the linear one. */
static perp_status read_first(const pp_mjcf_element *x, const char *attribute, double *out) {
    double v[16];
    int got;
    pp_import *m = x->f->m;
    const char *text = pp_mjcf_get_as(x, "tendon", attribute);
    perp_status s = pp_robot_numbers(m, x->e, attribute, text, 1, 16, v, &got);
    if (s || !got) return s;
    if (v[0] < 0) return pp_robot_wrong(m, x->e, attribute, text, "a number >= 0");
    *out = v[0];
    for (int i = 1; i < got && !s; i++)
        if (v[i] != 0) s = pp_robot_note(m, PERP_IMPORT_IGNORED, x->e, "powers of %s above the first", attribute);
    return s;
}

static perp_status read_range(const pp_mjcf_element *x, pp_model_tendon *out) {
    static const char *const words[] = {"false", "true", "auto", NULL};
    pp_import *m = x->f->m;
    int k = 2, got = 0;
    perp_status s = pp_robot_word(m, x->e, "limited", pp_mjcf_get_as(x, "tendon", "limited"), words, &k);
    if (!s) s = pp_robot_numbers(m, x->e, "range", pp_mjcf_get_as(x, "tendon", "range"), 2, 2, out->range, &got);
    if (s) return s;
    if (k == 2 && got && !x->f->autolimits)
        return pp_robot_wrong(m, x->e, "limited", "a range, but not whether it holds",
                              "true or false, as autolimits is off");
    out->limited = k == 1 || (k == 2 && got);
    if (out->limited && !(out->range[0] <= out->range[1]))
        return pp_robot_wrong(m, x->e, "range", "the larger number first", "the smaller number first");
    return PERP_OK;
}

static perp_status read_tendon(pp_mjcf *f, const pp_xml *e) {
    pp_import *m = f->m;
    pp_model *d = &m->model;
    const char *name = pp_xml_get(e, "name");
    pp_model_tendon t = {.name = name ? name : "", .at = e, .spatial = !strcmp(e->name, "spatial")};
    if (!t.spatial && strcmp(e->name, "fixed") != 0) return pp_robot_wrong(m, e, NULL, e->name, "fixed or spatial");
    pp_mjcf_element x = {f, e, 0};
    perp_status s = pp_mjcf_class_of(f, e, "class", 0, &x.class);
    if (!t.spatial && !s) {
        int got = 0;
        s = read_terms(m, e, &t);
        if (!s) s = read_range(&x, &t);
        if (!s) s = read_first(&x, "stiffness", &t.stiffness);
        if (!s) s = read_first(&x, "damping", &t.damping);
        if (!s) s = read_first(&x, "frictionloss", &t.friction);
        t.rest[0] = -1;
        if (!s)
            s = pp_robot_numbers(m, e, "springlength", pp_mjcf_get_as(&x, "tendon", "springlength"), 1, 2, t.rest,
                                 &got);
        if (got == 1) t.rest[1] = t.rest[0];
        t.rest_given = got > 0 && t.rest[0] != -1;
    }
    if (s) return s;
    if (!PP_GROW(&m->alloc, d->tendon, d->cap_tendon, d->ntendon, d->ntendon + 1)) return pp_robot_no_memory(m);
    d->tendon[d->ntendon++] = t;
    return PERP_OK;
}

perp_status pp_mjcf_tendons(pp_mjcf *f, const pp_xml *section) {
    perp_status s = PERP_OK;
    for (const pp_xml *e = section->first; e && !s; e = e->next) s = read_tendon(f, e);
    return s;
}

perp_status pp_mjcf_polynomial(const pp_mjcf_element *x, pp_model_equality *q) {
    pp_import *m = x->f->m;
    bool joint = !strcmp(x->e->name, "joint");
    const char *key[2] = {joint ? "joint1" : "tendon1", joint ? "joint2" : "tendon2"};
    q->polynomial[1] = 1;
    for (int k = 0; k < 2; k++) {
        const char *name = pp_xml_get(x->e, key[k]);
        if (!name && k == 0)
            return pp_robot_wrong(m, x->e, key[0], "nothing", joint ? "the name of a joint" : "the name of a tendon");
        if (!name) continue;
        int of = joint ? pp_model_find_joint(m, name) : pp_model_find_tendon(m, name);
        if (of < 0 && joint) return pp_robot_missing(m, x->e, key[k], name, "a joint", pp_model_joint_name);
        if (of < 0) return pp_robot_wrong(m, x->e, key[k], name, "the name of a tendon");
        if (joint && m->model.joint[of].kind > PP_SLIDE)
            return pp_robot_wrong(m, x->e, key[k], "a ball or free joint", "a hinge or slide");
    }
    return pp_robot_numbers(m, x->e, "polycoef", pp_mjcf_get_as(x, "equality", "polycoef"), 1, PP_POLYNOMIAL,
                            q->polynomial, NULL);
}
