/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* formula.c - expressions that are evaluated during the run: motions of kinematic bodies, forces, ctrl of actuators.
 *
 * They read only their own constants and the world they are called with, so clones of a world may use them at the same time. If a
 * result is not finite, the world refuses the step with its own message. */
#include <string.h>

#include "input/text.h"
#include "scene/put.h"
#include "scene/scene_internal.h"

const char *const pp_dynamic_time[] = {"t", NULL};
const char *const pp_dynamic_2d[] = {"t", "x", "y", "angle", "vx", "vy", "wz", NULL};
const char *const pp_dynamic_3d[] = {"t",  "x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                     "vx", "vy", "vz", "wx", "wy", "wz", NULL};

pp_formula *pp_formula_new(pp_reader *r, int ndynamic) {
    pp_formula *f = pp_alloc(r->alloc, sizeof *f);
    double *value = pp_alloc(r->alloc, (size_t)(r->nvariable + 1) * sizeof *value);
    if (!f || !value) {
        pp_free(r->alloc, f);
        pp_free(r->alloc, value);
        (void)pp_no_memory(r);
        return NULL;
    }
    memset(f, 0, sizeof *f);
    memcpy(value, r->value, (size_t)r->nvariable * sizeof *value);
    f->value = value;
    f->nvalue = r->nvariable;
    f->ndynamic = ndynamic;
    f->dim = r->dim;
    f->next = r->s->formula;
    r->s->formula = f;
    return f;
}

void pp_formulas_free(perp_scene *s) {
    while (s->formula) {
        pp_formula *f = s->formula;
        s->formula = f->next;
        for (int i = 0; i < PP_FORMULA_PARTS; i++) {
            pp_expr_free(&s->alloc, f->part[i]);
            pp_free(&s->alloc, f->text[i]);
        }
        pp_free(&s->alloc, f->value);
        pp_free(&s->alloc, f);
    }
}

/* The value of a variable of the reader by its name; false if there is none. */
static bool value_of(const pp_reader *r, const char *name, size_t length, double *out) {
    for (int i = 0; i < r->nvariable; i++)
        if (strlen(r->variable[i]) == length && !memcmp(r->variable[i], name, length)) {
            *out = r->value[i];
            return true;
        }
    return false;
}

static bool is_dynamic(const char *const *dynamic, const char *name, size_t length) {
    for (; *dynamic; dynamic++)
        if (strlen(*dynamic) == length && !memcmp(*dynamic, name, length)) return true;
    return false;
}

static bool word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* An expression with numbers in place of the variables of the reader, so that it means the same in another scene. It
 * compiles, so that its words are names, functions (before a bracket) or constants. NULL: no memory. */
static char *with_numbers(const pp_reader *r, const char *text, const char *const *dynamic) {
    pp_text out = {.alloc = r->alloc};
    size_t most = strlen(text) + 1; /* memory for all values at once, whatever their number */
    for (const char *p = text; *p; p++)
        if (word(*p) && !word(p[1])) most += PP_NUMBER_TEXT;
    if (most > INT32_MAX || !PP_GROW(out.alloc, out.data, out.cap, 0, (int)most)) return NULL;
    while (*text) {
        double x;
        size_t n = pp_number_scan(text, strlen(text), &x); /* 1e-3 has no name e in it */
        if (n == 0)
            while (word(text[n])) n++;
        const char *after = text + n + strspn(text + n, " \t\n");
        if (n > 0 && !is_dynamic(dynamic, text, n) && *after != '(' && value_of(r, text, n, &x)) {
            char number[PP_NUMBER_TEXT];
            pp_number_text(x, number, sizeof number);
            pp_text_add(&out, signbit(x) || isnan(x) ? "(%s)" : "%s", isnan(x) ? "0/0" : number);
        } else {
            if (n == 0) n = 1;
            pp_text_add(&out, "%.*s", (int)n, text);
        }
        text += n;
    }
    return pp_text_take(&out);
}

perp_status pp_formula_part(pp_reader *r, pp_item at, const char *const *dynamic, pp_formula *f, int i) {
    const pp_key k = {.name = "", .type = PP_T_FORMULA};
    if (!pp_is_scalar(at) || pp_at(at)->length == 0) return pp_wrong_kind(r, at, &k);
    perp_status s = pp_compile(r, at, dynamic, &f->part[i]);
    if (s) return s;
    f->text[i] = with_numbers(r, pp_text_of(at), dynamic);
    return f->text[i] ? PERP_OK : pp_no_memory(r);
}

perp_status pp_formula_vector(pp_reader *r, pp_item at, const char *const *dynamic, pp_formula *f, int first) {
    const pp_key k = {.name = "", .type = PP_T_FORMULAS};
    if (!pp_is_list(at) || pp_at(at)->length != (uint32_t)r->dim) return pp_wrong_kind(r, at, &k);
    int i = 0;
    for (pp_item v = pp_first(at); v.node; v = pp_next(v), i++) {
        pp_push_index(r, i);
        perp_status s = pp_formula_part(r, v, dynamic, f, first + i);
        if (s) return s;
        pp_pop(r);
    }
    return PERP_OK;
}

static double part(const pp_formula *f, int i, const double *value, double otherwise) {
    double x = NAN;
    if (!f->part[i]) return otherwise;
    if (!pp_expr_eval(f->part[i], value, NULL, NULL, &x, NULL, 0)) return NAN;
    return x;
}

static perp_vec3 vector(const pp_formula *f, int first, const double *value, perp_vec3 otherwise) {
    return perp_v3(part(f, first, value, otherwise.x), part(f, first + 1, value, otherwise.y),
                   part(f, first + 2, value, otherwise.z));
}

void pp_formula_motion(double t, perp_pose *X, void *ctx) {
    const pp_formula *f = ctx;
    double value[PP_SCENE_DYNAMIC + PP_SCENE_VARIABLES] = {t};
    memcpy(value + f->ndynamic, f->value, (size_t)f->nvalue * sizeof *value);
    *X = f->X;
    X->p = vector(f, 0, value, f->X.p);
    if (!f->part[6]) return;
    double angle = part(f, 6, value, 0);
    if (f->dim == 2) {
        X->q = perp_pose_2d(0, 0, angle).q;
        return;
    }
    perp_vec3 axis = vector(f, 3, value, perp_v3(0, 0, 1));
    bool fine = perp_v3_finite(axis) && perp_v3_norm(axis) > 0 && isfinite(angle);
    X->q = fine ? perp_q_axis_angle(axis, angle) : (perp_quat){NAN, NAN, NAN, NAN};
}

void pp_formula_belt(double t, perp_vec3 *v_B, void *ctx) {
    const pp_formula *f = ctx;
    double value[PP_SCENE_DYNAMIC + PP_SCENE_VARIABLES] = {t};
    memcpy(value + f->ndynamic, f->value, (size_t)f->nvalue * sizeof *value);
    *v_B = vector(f, 0, value, perp_v3(0, 0, 0));
}

double pp_formula_ctrl(const perp_world *w, double t, void *ctx) {
    const pp_formula *f = ctx;
    double value[PP_SCENE_DYNAMIC + PP_SCENE_VARIABLES] = {t};
    (void)w;
    memcpy(value + f->ndynamic, f->value, (size_t)f->nvalue * sizeof *value);
    return part(f, 0, value, NAN);
}

void pp_formula_force(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    const pp_formula *f = ctx;
    double value[PP_SCENE_DYNAMIC + PP_SCENE_VARIABLES];
    perp_pose X = perp_pose_identity();
    perp_vec3 v = {0, 0, 0}, om = {0, 0, 0};
    double angle = 0;
    (void)perp_body_pose(w, f->body, &X);
    (void)perp_body_velocity(w, f->body, &v, &om);
    if (f->dim == 2) {
        (void)perp_body_angle(w, f->body, &angle);
        const double now[] = {t, X.p.x, X.p.y, angle, v.x, v.y, om.z};
        memcpy(value, now, sizeof now);
    } else {
        const double now[] = {t, X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z, v.x, v.y, v.z, om.x, om.y, om.z};
        memcpy(value, now, sizeof now);
    }
    memcpy(value + f->ndynamic, f->value, (size_t)f->nvalue * sizeof *value);
    const perp_vec3 zero = {0, 0, 0};
    perp_vec3 force = vector(f, 0, value, zero), torque = vector(f, 3, value, zero);
    if (f->body_frame) {
        force = perp_q_rotate(X.q, force);
        torque = perp_q_rotate(X.q, torque);
    }
    if (f->at_given) {
        perp_vec3 arm = perp_q_rotate(X.q, perp_v3_sub(vector(f, 6, value, zero), f->shift));
        torque = perp_v3_add(torque, perp_v3_cross(arm, force));
    }
    *out = (perp_wrench){force, torque};
}
