/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf_default.c - attributes of MJCF elements, with their defaults.
 *
 * An attribute that an element lacks is looked up in the element of the same name in its class, then in the class above, up to main. Nothing is
 * copied: a class is the list of its <default> elements. Actuators of all kinds share their defaults. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/mjcf.h"

#include "base/elementary.h"

static int find_class(const pp_mjcf *f, const char *name) {
    for (int i = 0; i < f->nclass; i++)
        if (!strcmp(f->class[i].name, name)) return i;
    return -1;
}

static perp_status add_default(pp_mjcf *f, const pp_xml *e, int parent) {
    pp_import *m = f->m;
    const char *name = pp_xml_get(e, "class");
    if (!name && parent < 0) name = "main";
    if (!name)
        return pp_robot_wrong(m, e, "class", "nothing", "the name of a class: defaults within defaults have one");
    int k = find_class(f, name);
    if (k >= 0 && f->class[k].parent != parent) {
        char found[160];
        (void)snprintf(found, sizeof found, "\"%.100s\", which is the name of another class", name);
        return pp_robot_wrong(m, e, "class", found, "a name of its own");
    }
    if (k < 0) {
        if (f->nclass == PP_MJCF_CLASSES) return pp_robot_wrong(m, e, NULL, "one class more", "at most 4096 classes");
        if (!PP_GROW(&m->alloc, f->class, f->cap_class, f->nclass, f->nclass + 1)) return pp_robot_no_memory(m);
        k = f->nclass++;
        f->class[k] = (pp_mjcf_class){.name = name, .parent = parent};
    }
    if (!PP_GROW(&m->alloc, f->class[k].at, f->class[k].cap_at, f->class[k].nat, f->class[k].nat + 1))
        return pp_robot_no_memory(m);
    f->class[k].at[f->class[k].nat++] = e;
    perp_status s = PERP_OK;
    for (const pp_xml *c = pp_xml_child(e, "default"); c && !s; c = pp_xml_again(c)) s = add_default(f, c, k);
    return s;
}

perp_status pp_mjcf_defaults(pp_mjcf *f) {
    perp_status s = PERP_OK;
    for (const pp_xml *e = pp_xml_child(f->root, "default"); e && !s; e = pp_xml_again(e)) {
        const char *name = pp_xml_get(e, "class");
        if (name && f->nclass > 0 && strcmp(name, f->class[0].name) != 0)
            s = pp_robot_wrong(f->m, e, "class", name, "main, as of all defaults at the top of the file");
        else
            s = add_default(f, e, -1);
    }
    if (!s && f->nclass == 0) { /* a class without defaults */
        if (!PP_GROW(&f->m->alloc, f->class, f->cap_class, 0, 1)) return pp_robot_no_memory(f->m);
        f->class[f->nclass++] = (pp_mjcf_class){.name = "main", .parent = -1};
    }
    return s;
}

perp_status pp_mjcf_class_of(pp_mjcf *f, const pp_xml *e, const char *attribute, int otherwise, int *out) {
    const char *name = pp_xml_get(e, attribute);
    *out = otherwise;
    if (!name) return PERP_OK;
    *out = find_class(f, name);
    if (*out >= 0) return PERP_OK;
    const char *best = NULL;
    for (int i = 0; i < f->nclass && !best; i++) {
        const char *one[] = {f->class[i].name, NULL};
        best = pp_suggest(name, one);
    }
    char found[160], allowed[200];
    (void)snprintf(found, sizeof found, "\"%.100s\"", name);
    (void)snprintf(allowed, sizeof allowed,
                   best ? "the name of a class of defaults (did you mean %.100s?)" : "the name of a class of defaults",
                   best ? best : "");
    return pp_robot_wrong(f->m, e, attribute, found, allowed);
}

static bool actuator(const char *name) {
    static const char *const kinds[] = {"general",  "motor",  "position", "velocity", "intvelocity",
                                        "cylinder", "muscle", "adhesion", "damper"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i], name)) return true;
    return false;
}

const char *pp_mjcf_get(const pp_mjcf_element *x, const char *attribute) {
    return pp_mjcf_get_as(x, x->e->name, attribute);
}

const char *pp_mjcf_get_as(const pp_mjcf_element *x, const char *name, const char *attribute) {
    const char *v = pp_xml_get(x->e, attribute);
    bool shared = actuator(name);
    for (int c = x->class; c >= 0 && !v; c = x->f->class[c].parent)
        for (int i = x->f->class[c].nat - 1; i >= 0 && !v; i--)
            for (const pp_xml *d = x->f->class[c].at[i]->first; d; d = d->next) {
                if (strcmp(d->name, name) != 0 && !(shared && actuator(d->name))) continue;
                const char *later = pp_xml_get(d, attribute);
                if (later) v = later;
            }
    return v;
}

perp_status pp_mjcf_number(const pp_mjcf_element *x, const char *attribute, double *out) {
    return pp_robot_number(x->f->m, x->e, attribute, pp_mjcf_get(x, attribute), out);
}

perp_status pp_mjcf_vector(const pp_mjcf_element *x, const char *attribute, perp_vec3 *out) {
    return pp_robot_vector(x->f->m, x->e, attribute, pp_mjcf_get(x, attribute), out);
}

perp_status pp_mjcf_whole(const pp_mjcf_element *x, const char *attribute, int *out) {
    const char *text = pp_mjcf_get(x, attribute);
    double v;
    if (!text) return PERP_OK;
    perp_status s = pp_robot_number(x->f->m, x->e, attribute, text, &v);
    if (s) return s;
    if (v != floor(v) || fabs(v) > 2147483647) return pp_robot_wrong(x->f->m, x->e, attribute, text, "a whole number");
    *out = (int)v;
    return PERP_OK;
}

perp_status pp_mjcf_bool(pp_import *m, const pp_xml *e, const char *attribute, const char *text, bool *out) {
    static const char *const words[] = {"false", "true", NULL};
    int k = *out;
    perp_status s = pp_robot_word(m, e, attribute, text, words, &k);
    *out = k == 1;
    return s;
}

perp_quat pp_mjcf_z_to(perp_vec3 v) {
    perp_vec3 axis = perp_v3(-v.y, v.x, 0); /* z x v */
    double s = perp_v3_norm(axis), angle = pp_atan2(s, v.z);
    if (s < 1e-10) axis = perp_v3(1, 0, 0);
    return perp_q_axis_angle(axis, angle);
}

static perp_quat euler(const pp_mjcf *f, const double *angle) {
    perp_quat q = perp_q_identity();
    for (int i = 0; i < 3; i++) {
        char c = f->euler[i];
        bool fixed = c == 'X' || c == 'Y' || c == 'Z';
        perp_vec3 axis = perp_v3(c == 'x' || c == 'X', c == 'y' || c == 'Y', c == 'z' || c == 'Z');
        perp_quat turn = perp_q_axis_angle(axis, f->radian ? angle[i] : angle[i] * PP_DEGREE);
        q = fixed ? perp_q_mul(turn, q) : perp_q_mul(q, turn);
    }
    return q;
}

enum { QUAT, AXISANGLE, XYAXES, ZAXIS, EULER };

/* The turn that the text of one of the attributes means. */
static perp_status turn_of(const pp_mjcf_element *x, int which, const char *attribute, const char *text,
                           perp_quat *out) {
    static const int count[] = {4, 4, 6, 3, 3};
    pp_import *m = x->f->m;
    double v[6];
    perp_status s = pp_robot_numbers(m, x->e, attribute, text, count[which], count[which], v, NULL);
    if (s) return s;
    perp_vec3 a = perp_v3(v[0], v[1], v[2]);
    bool zero = which == QUAT ? !(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3] > 0)
                              : which != EULER && !(perp_v3_norm(a) > 0);
    if (zero) return pp_robot_wrong(m, x->e, attribute, text, "numbers that are not all zero");
    if (which == QUAT) *out = perp_q_unit((perp_quat){v[0], v[1], v[2], v[3]});
    if (which == AXISANGLE) *out = perp_q_axis_angle(a, x->f->radian ? v[3] : v[3] * PP_DEGREE);
    if (which == ZAXIS) *out = pp_mjcf_z_to(perp_v3_unit(a));
    if (which == EULER) *out = perp_q_unit(euler(x->f, v));
    if (which != XYAXES) return PERP_OK;
    perp_vec3 X = perp_v3_unit(a), y = perp_v3(v[3], v[4], v[5]);
    y = perp_v3_axpy(y, -perp_v3_dot(X, y), X);
    if (!(perp_v3_norm(y) > 0)) return pp_robot_wrong(m, x->e, attribute, text, "two directions that are not parallel");
    y = perp_v3_unit(y);
    perp_mat3 R = {{X, y, perp_v3_cross(X, y)}};
    *out = perp_q_unit(perp_q_from_matrix(R));
    return PERP_OK;
}

perp_status pp_mjcf_pose(const pp_mjcf_element *x, perp_pose *out) {
    static const char *const ways[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    *out = perp_pose_identity();
    perp_status s = pp_mjcf_vector(x, "pos", &out->p);
    int own = 0, given = -1;
    for (int i = 0; i < 5; i++)
        if (pp_xml_get(x->e, ways[i])) {
            own++;
            given = i;
        }
    if (!s && own > 1)
        return pp_robot_wrong(x->f->m, x->e, ways[given], "two orientations",
                              "one of quat, axisangle, xyaxes, zaxis, euler");
    for (int i = 4; i >= 0 && given < 0; i--)
        if (pp_mjcf_get(x, ways[i])) given = i;
    if (s || given < 0) return s;
    return turn_of(x, given, ways[given], pp_mjcf_get(x, ways[given]), &out->q);
}

perp_status pp_mjcf_fromto(const pp_mjcf_element *x, perp_pose *out, double *half, bool *is) {
    const char *text = pp_mjcf_get(x, "fromto");
    double v[6];
    *is = text != NULL;
    if (!text) return PERP_OK;
    perp_status s = pp_robot_numbers(x->f->m, x->e, "fromto", text, 6, 6, v, NULL);
    if (s) return s;
    perp_vec3 a = perp_v3(v[0], v[1], v[2]), b = perp_v3(v[3], v[4], v[5]), d = perp_v3_sub(a, b);
    double length = perp_v3_norm(d);
    if (!(length > 1e-10)) return pp_robot_wrong(x->f->m, x->e, "fromto", text, "two different points");
    *half = length / 2;
    out->p = perp_v3_scale(0.5, perp_v3_add(a, b));
    out->q = pp_mjcf_z_to(perp_v3_scale(1 / length, d));
    return PERP_OK;
}

perp_status pp_mjcf_known(pp_import *m, const pp_xml *e, const char *const *list) {
    for (const pp_xml_attribute *a = e->attribute; a; a = a->next) {
        bool known = false;
        for (int i = 0; list[i] && !known; i++) known = !strcmp(list[i], a->name);
        if (known) continue;
        const char *near = pp_suggest(a->name, list);
        char found[160], allowed[200];
        (void)snprintf(found, sizeof found, "the attribute %.100s", a->name);
        (void)snprintf(allowed, sizeof allowed, near ? "attributes of <%s> (did you mean %s?)" : "attributes of <%s>",
                       e->name, near ? near : "");
        return pp_robot_wrong(m, e, NULL, found, allowed);
    }
    return PERP_OK;
}
