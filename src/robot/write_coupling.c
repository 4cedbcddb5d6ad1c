/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_coupling.c - equalities between joints, mimic joints and fixed tendons as joints of the scene, of type coupling and tendon.
 *
 * A coordinate of the scene is x = sign q + offset, q that of the model. A polynomial in q - q0 is expanded in powers of x. */
#include <math.h>
#include <string.h>

#include "robot/write.h"

/* A sum of polynomials, term by term. */
typedef struct sum {
    pp_writing *w;
    pp_text t; /* terms */
    int n;
    double offset;
    bool lost; /* a joint has no such coordinate in the scene */
} sum;

/* Adds factor * sum_k a[k] (q - q0)^k of a joint of the model. */
static void add_term(sum *to, int joint, const double a[PP_POLYNOMIAL], double q0, double factor) {
    const pp_written *j = joint >= 0 ? &to->w->joint[joint] : NULL;
    if (!j || !j->name || j->sign == 0) {
        to->lost = true;
        return;
    }
    /* q - q0 = sign x - d: Horner's rule for polynomials */
    double c[PP_POLYNOMIAL] = {0}, d = j->sign * j->offset + q0;
    for (int k = PP_POLYNOMIAL - 1; k >= 0; k--) {
        for (int i = PP_POLYNOMIAL - 1; i >= 0; i--) c[i] = (i ? j->sign * c[i - 1] : 0) - d * c[i];
        c[0] += a[k];
    }
    int degree = 0;
    for (int i = 1; i < PP_POLYNOMIAL; i++)
        if (c[i] != 0) degree = i;
    to->offset += factor * c[0];
    if (degree == 0) return;
    pp_text *t = &to->t;
    pp_text_add(t, "%s{joint: %s", to->n++ ? ", " : "", j->name);
    if (j->coordinate > 0) pp_text_add(t, ", coordinate: %d", j->coordinate);
    pp_text_add(t, degree > 1 ? ", c: [" : ", c: ");
    for (int i = 1; i <= degree; i++) {
        if (i > 1) pp_text_add(t, ", ");
        pp_text_number(t, factor * c[i]);
    }
    pp_text_add(t, degree > 1 ? "]}" : "}");
}

static const double identity[PP_POLYNOMIAL] = {0, 1};

static double reference(const pp_import *m, int joint) { return m->model.joint[joint].ref; }

/* Adds factor * (L - L0) of a fixed tendon; L0: at the reference. */
static void add_tendon(sum *to, const pp_model_tendon *d, double factor) {
    const pp_import *m = to->w->m;
    for (int i = 0; i < d->nterm; i++) {
        int joint = pp_model_find_joint(m, d->term[i].joint);
        add_term(to, joint, identity, joint >= 0 ? reference(m, joint) : 0, factor * d->term[i].coefficient);
    }
}

/* The entry of a coupling, unless it has no terms or lost one. */
static perp_status put_coupling(sum *of, const pp_xml *at, const char *what) {
    pp_text *t = &of->w->t;
    perp_status s = PERP_OK;
    if (of->lost || of->n == 0)
        s = pp_robot_note(of->w->m, PERP_IMPORT_IGNORED, at, "%s: a joint has no such coordinate in the scene", what);
    else {
        pp_text_add(t, "  - {type: coupling, terms: [%s]", of->t.data);
        if (of->offset != 0) pp_put_number(t, "offset", of->offset);
        pp_text_add(t, "}\n");
    }
    if (!s && of->t.failed) s = pp_robot_no_memory(of->w->m);
    pp_text_free(&of->t);
    return s;
}

static perp_status put_equality(pp_writing *w, const pp_model_equality *q) {
    pp_import *m = w->m;
    sum of = {.w = w, .t = {.alloc = &m->alloc}};
    if (!strcmp(q->type, "joint")) {
        int a = pp_model_find_joint(m, q->a), b = q->b ? pp_model_find_joint(m, q->b) : -1;
        add_term(&of, a, identity, a >= 0 ? reference(m, a) : 0, 1);
        if (q->b)
            add_term(&of, b, q->polynomial, b >= 0 ? reference(m, b) : 0, -1);
        else
            of.offset -= q->polynomial[0];
        return put_coupling(&of, q->at, "equality constraints <joint>");
    }
    int a = pp_model_find_tendon(m, q->a), b = q->b ? pp_model_find_tendon(m, q->b) : -1;
    bool linear = !q->b || (q->polynomial[2] == 0 && q->polynomial[3] == 0 && q->polynomial[4] == 0);
    if (a < 0 || m->model.tendon[a].spatial || (b >= 0 && m->model.tendon[b].spatial) || !linear)
        return pp_robot_note(m, PERP_IMPORT_IGNORED, q->at, "equality constraints <tendon> of %s",
                             linear ? "spatial tendons" : "powers of a length above the first");
    add_tendon(&of, &m->model.tendon[a], 1);
    of.offset -= q->polynomial[0];
    if (b >= 0) add_tendon(&of, &m->model.tendon[b], -q->polynomial[1]);
    return put_coupling(&of, q->at, "equality constraints <tendon>");
}

static perp_status put_mimic(pp_writing *w, int joint) {
    const pp_model_joint *j = &w->m->model.joint[joint];
    int of = pp_model_find_joint(w->m, j->mimic);
    sum s = {.w = w, .t = {.alloc = &w->m->alloc}};
    const double law[PP_POLYNOMIAL] = {j->mimic_offset, j->mimic_factor};
    add_term(&s, joint, identity, 0, 1);
    add_term(&s, of, law, 0, -1);
    return put_coupling(&s, j->at, "mimic joints");
}

/* Does a tendon do anything by itself, or is it driven? */
static bool matters(const pp_model *d, int tendon) {
    const pp_model_tendon *t = &d->tendon[tendon];
    for (int i = 0; i < d->nactuator; i++)
        if (d->actuator[i].tendon == tendon && !d->actuator[i].missing) return true;
    return t->limited || t->stiffness > 0 || t->damping > 0 || t->friction > 0;
}

static perp_status put_tendon(pp_writing *w, int i, const char *const *names, int n) {
    pp_import *m = w->m;
    const pp_model_tendon *d = &m->model.tendon[i];
    pp_text *t = &w->t;
    sum of = {.w = w, .t = {.alloc = &m->alloc}};
    double rest = d->rest[0];
    for (int k = 0; k < d->nterm; k++) {
        int joint = pp_model_find_joint(m, d->term[k].joint);
        add_term(&of, joint, identity, 0, d->term[k].coefficient);
        if (joint >= 0 && !d->rest_given)
            rest = (k ? rest : 0) + d->term[k].coefficient * m->model.joint[joint].springref;
    }
    perp_status s = PERP_OK;
    bool band = d->rest_given && d->rest[0] != d->rest[1], spring = d->stiffness > 0 && !band;
    if (d->stiffness > 0 && band)
        s = pp_robot_note(m, PERP_IMPORT_IGNORED, d->at, "springs of tendons that are slack over a range of lengths");
    if (!s && (of.lost || of.n == 0)) {
        s = pp_robot_note(m, PERP_IMPORT_IGNORED, d->at, "fixed tendons: a joint has no such coordinate in the scene");
    } else if (!s) {
        const char *name = pp_own_name(w, d->name, "tendon", names, n);
        if (!name) return pp_robot_no_memory(m);
        w->tendon[i] = (pp_written){.name = name, .sign = 1};
        pp_text_add(t, "  - {name: %s, type: tendon, terms: [%s]", name, of.t.data);
        if (of.offset != 0) pp_put_number(t, "offset", of.offset);
        if (d->limited) {
            pp_text_add(t, ", limits: [");
            pp_text_number(t, d->range[0]);
            pp_text_add(t, ", ");
            pp_text_number(t, d->range[1]);
            pp_text_add(t, "]");
        }
        if (spring || d->damping > 0) {
            pp_text_add(t, ", spring: {stiffness: ");
            pp_text_number(t, spring ? d->stiffness : 0);
            pp_put_number(t, "rest", spring ? rest : 0);
            pp_put_number(t, "damping", d->damping);
            pp_text_add(t, "}");
        }
        if (d->friction > 0) pp_put_number(t, "friction", d->friction);
        pp_text_add(t, "}\n");
    }
    if (!s && of.t.failed) s = pp_robot_no_memory(m);
    pp_text_free(&of.t);
    return s;
}

perp_status pp_put_couplings(pp_writing *w) {
    pp_import *m = w->m;
    const pp_model *d = &m->model;
    perp_status s = PERP_OK;
    const char **names = pp_pool_get(&m->pool, sizeof *names * (size_t)(d->njoint + d->ntendon + 1));
    w->tendon = pp_pool_get(&m->pool, sizeof *w->tendon * (size_t)(d->ntendon + 1));
    if (!names || !w->tendon) return pp_robot_no_memory(m);
    memset(w->tendon, 0, sizeof *w->tendon * (size_t)(d->ntendon + 1));
    int n = 0;
    for (int i = 0; i < d->njoint; i++)
        if (w->joint[i].name) names[n++] = w->joint[i].name;
    for (int i = 0; i < d->nequality && !s; i++) {
        const pp_model_equality *q = &d->equality[i];
        if (q->active && (!strcmp(q->type, "joint") || !strcmp(q->type, "tendon"))) s = put_equality(w, q);
    }
    for (int i = 0; i < d->njoint && !s; i++)
        if (d->joint[i].mimic) s = put_mimic(w, i);
    for (int i = 0; i < d->ntendon && !s; i++) {
        if (d->tendon[i].spatial || !matters(d, i)) continue;
        s = put_tendon(w, i, names, n);
        if (w->tendon[i].name) names[n++] = w->tendon[i].name;
    }
    return s;
}
