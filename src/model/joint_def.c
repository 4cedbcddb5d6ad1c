/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_def.c - defaults of a joint definition, and its check
 * Problem  Refuse an invalid definition, with a sentence that names the field and its value.
 * Valid    Every field is checked, also those that are switched off, because they may be switched on later. */
#include "base/refuse.h"
#include "model/joint_geometry.h"

perp_joint_def perp_joint_def_default(perp_joint_kind kind) {
    perp_joint_def d = {
        .kind = kind, .X_AJ = perp_pose_identity(), .X_BJ = perp_pose_identity(), .cookie = PP_JOINT_COOKIE};
    for (int i = 0; i < PERP_JOINT_MAX_COORD; i++) {
        d.axis[i].lo = -INFINITY;
        d.axis[i].hi = INFINITY;
        d.axis[i].motor_force = INFINITY;
    }
    return d;
}

static bool in_range(perp_joint_kind kind) { return (int)kind >= 0 && (int)kind < PERP_JOINT_KIND_COUNT; }

int perp_joint_ncoord(perp_joint_kind kind, int dim) {
    if (!in_range(kind) || (dim != 2 && dim != 3)) return -1;
    const pp_joint_kind_data *k = pp_joint_kind_of(kind, dim);
    return k->exists ? k->ncoord : -1;
}

int pp_joint_ntranslation(perp_joint_kind kind, int dim) {
    const pp_joint_kind_data *k = pp_joint_kind_of(kind, dim);
    return (int)k->lock[0] + (int)k->lock[1] + (int)k->lock[2];
}

static perp_status check_frame(const char *name, perp_pose X, int dim, char *why, size_t size) {
    if (!perp_v3_finite(X.p))
        return pp_refuse(why, size, PERP_E_ARG, "%s.p = (%g, %g, %g) is not finite", name, X.p.x, X.p.y, X.p.z);
    if (!perp_q_finite(X.q))
        return pp_refuse(why, size, PERP_E_ARG, "%s.q = (%g, %g, %g, %g) is not finite", name, X.q.w, X.q.x, X.q.y,
                         X.q.z);
    double n = perp_q_norm(X.q);
    if (!(fabs(n - 1) <= 1e-6)) return pp_refuse(why, size, PERP_E_ARG, "%s.q has length %.9g instead of 1", name, n);
    if (dim == 2 && X.p.z != 0) return pp_refuse(why, size, PERP_E_ARG, "%s.p.z = %g must be zero in 2D", name, X.p.z);
    if (dim == 2 && (X.q.x != 0 || X.q.y != 0))
        return pp_refuse(why, size, PERP_E_ARG, "%s.q = (%g, %g, %g, %g) turns out of the plane in 2D", name, X.q.w,
                         X.q.x, X.q.y, X.q.z);
    return PERP_OK;
}

static bool in_use(const perp_joint_axis *ax) {
    return ax->limited || ax->motor || ax->stiffness > 0 || ax->damping > 0 || ax->friction > 0 || ax->armature > 0;
}

static perp_status check_axis(int i, const perp_joint_axis *ax, char *why, size_t size) {
    if (isnan(ax->lo) || ax->lo == INFINITY)
        return pp_refuse(why, size, PERP_E_ARG, "axis[%d].lo = %g is no lower limit", i, ax->lo);
    if (isnan(ax->hi) || ax->hi == -INFINITY)
        return pp_refuse(why, size, PERP_E_ARG, "axis[%d].hi = %g is no upper limit", i, ax->hi);
    if (ax->lo > ax->hi)
        return pp_refuse(why, size, PERP_E_ARG, "axis[%d].lo = %g is above axis[%d].hi = %g", i, ax->lo, i, ax->hi);
    if (!isfinite(ax->motor_speed))
        return pp_refuse(why, size, PERP_E_ARG, "axis[%d].motor_speed = %g is not finite", i, ax->motor_speed);
    if (!(ax->motor_force >= 0))
        return pp_refuse(why, size, PERP_E_ARG, "axis[%d].motor_force = %g must be >= 0", i, ax->motor_force);
    if (!isfinite(ax->rest)) return pp_refuse(why, size, PERP_E_ARG, "axis[%d].rest = %g is not finite", i, ax->rest);
    const struct {
        const char *name;
        double value;
    } sizes[] = {
        {"stiffness", ax->stiffness}, {"damping", ax->damping}, {"friction", ax->friction}, {"armature", ax->armature}};
    for (int k = 0; k < 4; k++)
        if (!(sizes[k].value >= 0 && isfinite(sizes[k].value)))
            return pp_refuse(why, size, PERP_E_ARG, "axis[%d].%s = %g must be finite and >= 0", i, sizes[k].name,
                             sizes[k].value);
    return PERP_OK;
}

/* Checks the fields that are special to couplings and tendons. The caller checks ids. */
static perp_status check_terms(const perp_joint_def *def, const char *kind, char *why, size_t size) {
    if (!pp_kind_couples(def->kind)) {
        if (def->nterm == 0) return PERP_OK;
        return pp_refuse(why, size, PERP_E_ARG, "nterm = %d, but a %s joint has no terms", def->nterm, kind);
    }
    if (def->nterm < 1 || !def->term)
        return pp_refuse(why, size, PERP_E_ARG, "nterm = %d; a %s has at least 1 term", def->nterm, kind);
    if (!isfinite(def->offset)) return pp_refuse(why, size, PERP_E_ARG, "offset = %g is not finite", def->offset);
    if (def->axis[0].armature > 0)
        return pp_refuse(why, size, PERP_E_ARG, "axis[0].armature = %g, but a tendon has none; its joints may have it",
                         def->axis[0].armature);
    for (int i = 0; i < def->nterm; i++) {
        bool any = false;
        for (int k = 0; k < PERP_JOINT_TERM_DEGREE; k++) {
            if (!isfinite(def->term[i].c[k]))
                return pp_refuse(why, size, PERP_E_ARG, "term[%d].c[%d] = %g is not finite", i, k, def->term[i].c[k]);
            any = any || def->term[i].c[k] != 0;
        }
        if (!any) return pp_refuse(why, size, PERP_E_ARG, "term[%d].c is zero: the term does nothing", i);
    }
    return PERP_OK;
}

perp_status pp_joint_check(const perp_joint_def *def, int dim, char *why, size_t why_size) {
    if (def->cookie != PP_JOINT_COOKIE)
        return pp_refuse(why, why_size, PERP_E_ARG, "joint definition was not made by perp_joint_def_default()");
    if (!in_range(def->kind))
        return pp_refuse(why, why_size, PERP_E_ARG, "joint kind %d does not exist", (int)def->kind);
    const pp_joint_kind_data *k = pp_joint_kind_of(def->kind, dim);
    if (!k->exists) return pp_refuse(why, why_size, PERP_E_ARG, "joint kind %s does not exist in %dD", k->name, dim);
    perp_status s = check_frame("X_AJ", def->X_AJ, dim, why, why_size);
    if (!s) s = check_frame("X_BJ", def->X_BJ, dim, why, why_size);
    if (!s) s = check_terms(def, k->name, why, why_size);
    for (int i = 0; i < PERP_JOINT_MAX_COORD && !s; i++) {
        s = check_axis(i, &def->axis[i], why, why_size);
        if (!s && i >= k->ncoord && in_use(&def->axis[i]))
            s = pp_refuse(why, why_size, PERP_E_ARG, "axis[%d] is in use, but a %s joint has %d coordinate%s in %dD", i,
                          k->name, k->ncoord, k->ncoord == 1 ? "" : "s", dim);
    }
    return s;
}
