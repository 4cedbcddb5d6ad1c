/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sdf_frame.c - names and poses of SDF.
 *
 * A name is looked for in the model that uses it, and, with :: in it, in models within that one. A pose is given in the frame that relative_to names. Without it, that of a link,
 * frame or model is given in the model around it, that of a frame with attached_to in that frame, and that of a joint in its child. */
#include <stdio.h>
#include <string.h>

#include "robot/sdf.h"

/* ---- values ---- */

perp_status pp_sdf_bool(pp_import *m, const pp_xml *e, const char *key, bool *out) {
    static const char *const words[] = {"false", "true", "0", "1", "False", "True", NULL};
    pp_value v = pp_robot_value(e, key);
    int k = *out;
    perp_status s = pp_robot_word(m, v.at, v.attribute, v.text && v.text[0] ? v.text : NULL, words, &k);
    *out = k & 1;
    return s;
}

perp_status pp_sdf_words(pp_import *m, const pp_xml *e, const char *const *words, int read) {
    perp_status s = PERP_OK;
    for (const pp_xml *c = e ? e->first : NULL; c && !s; c = c->next) {
        int k = 0;
        while (words[k] && strcmp(words[k], c->name) != 0) k++;
        const char *near = words[k] || strchr(c->name, ':') ? NULL : pp_suggest(c->name, words);
        if (near)
            s = pp_robot_say(m, PERP_E_ARG, c, "found <%.60s>; allowed: an element of <%s> (did you mean %s?)", c->name,
                             e->name, near);
        else if (!words[k] || k >= read)
            s = pp_robot_note(m, PERP_IMPORT_IGNORED, c, "elements <%s> of <%s>", c->name, e->name);
    }
    return s;
}

bool pp_sdf_before(const pp_xml *e, int minor) {
    while (e->parent) e = e->parent;
    const char *text = pp_xml_get(e, "version");
    int n = 0;
    for (const char *p = text ? text + 2 : ""; *p >= '0' && *p <= '9' && n < 100; p++) n = 10 * n + *p - '0';
    return n < minor;
}

/* ---- names ---- */

/* Of that name in a model; 0: none. */
static int find(const pp_sdf *s, int scope, const char *name) {
    int best = 0;
    for (int i = 1; i < s->nframe; i++) {
        const pp_sdf_frame *f = &s->frame[i];
        if (f->scope == scope && !strcmp(f->name, name) && (!best || f->kind < s->frame[best].kind)) best = i;
    }
    if (best) return best;
    for (int i = 1; i < s->nframe; i++) {
        const pp_sdf_frame *f = &s->frame[i];
        size_t n = strlen(f->name);
        if (f->scope != scope || f->kind != PP_SDF_MODEL || strncmp(name, f->name, n) != 0 ||
            strncmp(name + n, "::", 2) != 0)
            continue;
        if (!strcmp(name + n + 2, "__model__")) return i;
        best = find(s, i, name + n + 2);
        if (best) return best;
    }
    return 0;
}

perp_status pp_sdf_find(pp_sdf *s, const pp_xml *e, const char *attribute, const char *name, int home, int *out) {
    int scope = s->frame[home].kind == PP_SDF_MODEL ? home : s->frame[home].scope;
    bool world = !strcmp(name, "world");
    *out = !strcmp(name, "__model__") ? home : world ? 0 : find(s, scope, name);
    if (*out > 0 || world) return PERP_OK;
    const char *best = NULL;
    for (int i = 1; i < s->nframe && !best; i++) {
        const char *one[] = {s->frame[i].name, NULL};
        if (s->frame[i].scope == scope) best = pp_suggest(name, one);
    }
    char found[160], allowed[200];
    (void)snprintf(found, sizeof found, "\"%.100s\"", name);
    (void)snprintf(allowed, sizeof allowed,
                   best ? "the name of a frame of this model (did you mean %.100s?)"
                        : "the name of a frame of this model",
                   best ? best : "");
    return pp_robot_wrong(s->m, e, attribute, found, allowed);
}

/* The first link of a model, its own before those of models in it; home: or what was merged from there. 0: none. */
static int first_link(const pp_sdf *s, int home) {
    int inner = 0;
    for (int i = 1; i < s->nframe; i++) {
        const pp_sdf_frame *f = &s->frame[i];
        if (f->home != home) continue;
        if (f->kind == PP_SDF_LINK) return i;
        if (f->kind == PP_SDF_MODEL && !inner) inner = first_link(s, i);
    }
    return inner;
}

perp_status pp_sdf_link_of(pp_sdf *s, int frame, int depth, int *out) {
    const pp_sdf_frame *f = &s->frame[frame];
    const char *key = f->kind == PP_SDF_MODEL ? "canonical_link" : f->kind == PP_SDF_JOINT ? "child" : "attached_to";
    *out = frame;
    if (frame == 0 || f->kind == PP_SDF_LINK) return PERP_OK;
    if (depth > PP_XML_DEPTH) return pp_robot_say(s->m, PERP_E_ARG, f->at, "found a circle of frames; allowed: none");
    pp_value v = pp_robot_value(f->at, key);
    if (f->kind == PP_SDF_FRAME && f->include) v.text = NULL;
    if (!v.text || !v.text[0]) {
        if (f->kind == PP_SDF_FRAME && !f->include) return pp_sdf_link_of(s, f->home, depth + 1, out);
        *out = first_link(s, frame);
        return PERP_OK;
    }
    int of;
    perp_status e = pp_sdf_find(s, v.at, v.attribute, v.text, f->kind == PP_SDF_MODEL ? frame : f->home, &of);
    return e ? e : pp_sdf_link_of(s, of, depth + 1, out);
}

/* ---- poses ---- */

perp_status pp_sdf_pose(pp_sdf *s, const pp_xml *e, int home, int *rel, perp_pose *X) {
    static const char *const formats[] = {"euler_rpy", "quat_xyzw", NULL};
    pp_import *m = s->m;
    const pp_xml *p = e ? pp_xml_child(e, "pose") : NULL;
    const char *to = "relative_to", *name = pp_xml_get(p, to);
    double v[7] = {0};
    int format = 0, got = 0;
    bool degrees = false;
    *X = perp_pose_identity();
    if (!p) return PERP_OK;
    if (!name && pp_sdf_before(p, 7)) name = pp_xml_get(p, to = "frame");
    perp_status r = name && name[0] ? pp_sdf_find(s, p, to, name, home, rel) : PERP_OK;
    if (!r) r = pp_robot_word(m, p, "rotation_format", pp_xml_get(p, "rotation_format"), formats, &format);
    if (!r && pp_xml_get(p, "degrees")) r = pp_sdf_bool(m, p, "degrees", &degrees);
    if (!r && p->text[0]) r = pp_robot_numbers(m, p, NULL, p->text, 6 + format, 6 + format, v, &got);
    if (!r && name && *rel == 0 && home != 0)
        r = pp_robot_wrong(m, p, to, "\"world\" in a model", "the name of a frame of this model");
    if (r || !got) return r;
    if (degrees && format) return pp_robot_wrong(m, p, "degrees", "degrees and a quaternion", "one of the two");
    X->p = perp_v3(v[0], v[1], v[2]);
    for (int i = 3; i < 6 && degrees; i++) v[i] *= PP_DEGREE;
    X->q = format ? (perp_quat){v[6], v[3], v[4], v[5]} : pp_robot_rpy(v + 3);
    if (!(perp_q_norm(X->q) > 1e-12)) return pp_robot_wrong(m, p, NULL, p->text, "a quaternion that is not zero");
    X->q = perp_q_unit(X->q);
    return PERP_OK;
}

/* What the pose of a frame is relative to if the file does not say. */
static perp_status usual(pp_sdf *s, const pp_sdf_frame *f, int *rel) {
    pp_value v = pp_robot_value(f->at, f->kind == PP_SDF_JOINT ? "child" : "attached_to");
    *rel = f->home;
    if ((f->kind != PP_SDF_FRAME && f->kind != PP_SDF_JOINT) || f->include || !v.text || !v.text[0]) return PERP_OK;
    return pp_sdf_find(s, v.at, v.attribute, v.text, f->home, rel);
}

perp_pose pp_sdf_between(const pp_sdf *s, int a, int b) {
    perp_pose X_a = perp_pose_identity();
    for (int u = a;; u = s->frame[u].rel) { /* a frame that both depend on; X_a: that of a in u */
        perp_pose X = perp_pose_identity();
        int v = b;
        for (; v != u && v > 0; v = s->frame[v].rel) X = perp_pose_mul(s->frame[v].X, X);
        if (v == u) return u == a ? X : perp_pose_mul(perp_pose_inverse(X_a), X);
        X_a = perp_pose_mul(s->frame[u].X, X_a);
    }
}

/* Does the pose of the frame depend on itself? */
static perp_status check_circle(pp_sdf *s, int frame) {
    int n = 0;
    for (int k = frame; k > 0 && n <= PP_XML_DEPTH; k = s->frame[k].rel) n++;
    if (n <= PP_XML_DEPTH) return PERP_OK;
    return pp_robot_say(s->m, PERP_E_ARG, s->frame[frame].at,
                        "found a pose that depends on itself, or on more than 400 others; allowed: no circle");
}

/* The pose of a model is that of the frame in it that placement_frame names. */
static perp_status place(pp_sdf *s, int model) {
    pp_sdf_frame *f = &s->frame[model];
    pp_value v = pp_robot_value(f->include, "placement_frame");
    if (!v.text) v = pp_robot_value(f->at, "placement_frame");
    if (f->kind != PP_SDF_MODEL || !v.text || !v.text[0]) return PERP_OK;
    int frame;
    perp_status r = pp_sdf_find(s, v.at, v.attribute, v.text, model, &frame);
    if (!r && frame == 0) r = pp_robot_wrong(s->m, v.at, v.attribute, "\"world\"", "the name of a frame of this model");
    if (!r) f->X = perp_pose_mul(f->X, perp_pose_inverse(pp_sdf_between(s, model, frame)));
    return r;
}

perp_status pp_sdf_poses(pp_sdf *s) {
    perp_status r = PERP_OK;
    for (int i = 1; i < s->nframe && !r; i++) {
        pp_sdf_frame *f = &s->frame[i];
        r = usual(s, f, &f->rel);
        /* names in the pose of an included model are those of the file around it */
        if (!r)
            r = pp_sdf_pose(s, f->include && pp_xml_child(f->include, "pose") ? f->include : f->at, f->home, &f->rel,
                            &f->X);
    }
    for (int i = 1; i < s->nframe && !r; i++) r = check_circle(s, i);
    for (int i = s->nframe - 1; i > 0 && !r; i--) r = place(s, i); /* models within models first */
    return r;
}

perp_status pp_sdf_in_link(pp_sdf *s, const pp_xml *e, int link, perp_pose *X) {
    int rel = link;
    perp_status r = pp_sdf_pose(s, e, s->frame[link].home, &rel, X);
    if (!r) *X = perp_pose_mul(pp_sdf_between(s, link, rel), *X);
    return r;
}
