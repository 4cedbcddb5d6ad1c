/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* motion.c - prescribed motion of kinematic bodies
 * Problem  Give the pose of a body at any time, as a pure function, with the angle counted over all turns in 2D.
 * Method   constant: p(0) + v t, exp(w t) q(0).  sinusoid: motion_sinusoid.c.  table: linear between positions, along
 *          the shortest arc between orientations, constant outside.  user: called and checked each time.
 *          In 2D the angle is a closed form too (for a table: the sum of the shortest arcs). The orientation of a user function
 *          does not determine whole turns; its angle is continued from the previous one by the nearest turn.
 * Valid    user in 2D: less than half a turn per step.
 * Cost     Closed forms and tables: a few functions, log2(ntable) comparisons. Sinusoids about several axes:
 *          Runge-Kutta steps over [t0, t1] in an advance, over [0, t] in a start, up to 500 per radian of the fastest
 *          term.
 * Source   Berard 5.3 (sinusoids). A motion is one block of memory: the struct, and its arrays behind it. */
#include "model/motion.h"

#include <string.h>

#include "base/refuse.h"
#include "model/motion_sinusoid.h"
#include "math/turn_free.h"
#include "base/elementary.h"

#define TWO_PI         6.283185307179586476925
#define UNIT_TOLERANCE 1e-6
/* Limit on the integration steps of a start with zero mean; more would take seconds. */
#define MOST_STEPS 2e7

struct pp_motion {
    perp_motion_def def; /* terms and table point behind the struct */
    size_t size;         /* of the whole block */
    int dim;
    perp_pose X0;                   /* pose the body was given, its quaternion made unit */
    perp_quat q0;                   /* that quaternion as given */
    const perp_pose_at_time *given; /* table as given; def.table has unit quaternions */
    double theta0;                  /* its angle in 2D, in [-pi, pi] */
    double *theta;                  /* 2D table: angles, without jumps; NULL otherwise */
    bool closed;                    /* sinusoid: all angular terms have the axis `axis` */
    perp_vec3 axis;
    double angle0;     /* closed: subtracted from the angle */
    double rate;       /* see pp_sinusoid_rate */
    perp_quat q_start; /* not closed: orientation at t = 0 */
};

perp_motion_def perp_motion_def_default(perp_motion_kind kind) {
    perp_motion_def d = {.kind = kind, .zero_mean = true, .cookie = PP_MOTION_COOKIE};
    return d;
}

/* The error in a pose, as text, or NULL. */
static const char *fault_of(perp_pose X, int dim) {
    if (!perp_v3_finite(X.p)) return "its position is not finite";
    if (!perp_q_finite(X.q)) return "its quaternion is not finite";
    if (!(fabs(perp_q_norm(X.q) - 1) <= UNIT_TOLERANCE)) return "its quaternion is not unit";
    if (dim == 2 && X.p.z != 0) return "its z is not zero in 2D";
    if (dim == 2 && (X.q.x != 0 || X.q.y != 0)) return "it is turned out of the plane in 2D";
    return NULL;
}

static perp_status check_constant(const perp_motion_def *d, int dim, char *why, size_t size) {
    if (!perp_v3_finite(d->v_W))
        return pp_refuse(why, size, PERP_E_ARG, "v_W = (%g, %g, %g) is not finite", d->v_W.x, d->v_W.y, d->v_W.z);
    if (!perp_v3_finite(d->w_W))
        return pp_refuse(why, size, PERP_E_ARG, "w_W = (%g, %g, %g) is not finite", d->w_W.x, d->w_W.y, d->w_W.z);
    if (dim == 2 && d->v_W.z != 0) return pp_refuse(why, size, PERP_E_ARG, "v_W.z = %g must be zero in 2D", d->v_W.z);
    if (dim == 2 && (d->w_W.x != 0 || d->w_W.y != 0))
        return pp_refuse(why, size, PERP_E_ARG, "w_W = (%g, %g, %g) must be along z in 2D", d->w_W.x, d->w_W.y,
                         d->w_W.z);
    return PERP_OK;
}

static perp_status check_terms(const perp_motion_def *d, int dim, char *why, size_t size) {
    if (d->nterm < 1 || !d->terms)
        return pp_refuse(why, size, PERP_E_ARG, "sinusoidal motion without terms (nterm = %d)", d->nterm);
    for (int i = 0; i < d->nterm; i++) {
        const perp_sinusoid *s = &d->terms[i];
        if (s->axis < 0 || s->axis > 2)
            return pp_refuse(why, size, PERP_E_ARG, "terms[%d].axis = %d is not 0, 1 or 2", i, s->axis);
        if (dim == 2 && s->angular != (s->axis == 2))
            return pp_refuse(why, size, PERP_E_ARG,
                             "terms[%d] is %s with axis %d: in 2D linear terms have axis 0 or 1, angular ones 2", i,
                             s->angular ? "angular" : "linear", s->axis);
        if (!(s->omega > 0 && isfinite(s->omega)))
            return pp_refuse(why, size, PERP_E_ARG, "terms[%d].omega = %g must be finite and > 0", i, s->omega);
        if (!isfinite(s->phase))
            return pp_refuse(why, size, PERP_E_ARG, "terms[%d].phase = %g is not finite", i, s->phase);
        if (!isfinite(s->amplitude))
            return pp_refuse(why, size, PERP_E_ARG, "terms[%d].amplitude = %g is not finite", i, s->amplitude);
        if (!isfinite(s->amplitude / (s->omega * s->omega)))
            return pp_refuse(why, size, PERP_E_ARG, "terms[%d]: amplitude %g and omega %g give an infinite excursion",
                             i, s->amplitude, s->omega);
    }
    return PERP_OK;
}

static perp_status check_table(const perp_motion_def *d, int dim, char *why, size_t size) {
    if (d->ntable < 1 || !d->table)
        return pp_refuse(why, size, PERP_E_ARG, "motion by table without entries (ntable = %d)", d->ntable);
    for (int i = 0; i < d->ntable; i++) {
        const perp_pose_at_time *e = &d->table[i];
        if (!isfinite(e->t)) return pp_refuse(why, size, PERP_E_ARG, "table[%d].t = %g is not finite", i, e->t);
        if (i > 0 && !(e->t > d->table[i - 1].t))
            return pp_refuse(why, size, PERP_E_ARG, "table[%d].t = %g is not after table[%d].t = %g", i, e->t, i - 1,
                             d->table[i - 1].t);
        const char *fault = fault_of(e->X_WB, dim);
        if (fault) return pp_refuse(why, size, PERP_E_ARG, "table[%d].X_WB cannot be used: %s", i, fault);
    }
    return PERP_OK;
}

static perp_status check(const perp_motion_def *d, int dim, perp_pose X_W0, char *why, size_t size) {
    if (d->cookie != PP_MOTION_COOKIE)
        return pp_refuse(why, size, PERP_E_ARG, "motion definition was not made by perp_motion_def_default()");
    const char *fault = fault_of(X_W0, dim);
    if (fault) return pp_refuse(why, size, PERP_E_ARG, "pose of the body cannot be used for a motion: %s", fault);
    switch (d->kind) {
    case PERP_MOTION_CONSTANT: return check_constant(d, dim, why, size);
    case PERP_MOTION_USER:
        return d->pose ? PERP_OK : pp_refuse(why, size, PERP_E_ARG, "user motion without a function (pose is NULL)");
    case PERP_MOTION_SINUSOID: return check_terms(d, dim, why, size);
    case PERP_MOTION_TABLE: return check_table(d, dim, why, size);
    }
    return pp_refuse(why, size, PERP_E_ARG, "motion kind %d does not exist", (int)d->kind);
}

/* Angle of a planar orientation, in [-pi, pi]. */
static double plane_angle(perp_quat q) { return q.w < 0 ? 2 * pp_atan2(-q.z, -q.w) : 2 * pp_atan2(q.z, q.w); }

/* Difference, in whole turns as an angle, of two unwrapped angles of nearly the same orientation. */
static double whole_turns(double angle, double other) { return TWO_PI * round((angle - other) / TWO_PI); }

/* Determines whether the orientation has a closed form, and its initial value. */
static perp_status prepare_sinusoid(pp_motion *m, char *why, size_t size) {
    const perp_sinusoid *term = m->def.terms;
    int n = m->def.nterm, axis = -1;
    m->closed = true;
    for (int i = 0; i < n; i++) {
        if (!term[i].angular) continue;
        if (axis >= 0 && term[i].axis != axis) m->closed = false;
        axis = term[i].axis;
    }
    if (m->closed) {
        m->axis = axis == 0 ? perp_v3(1, 0, 0) : axis == 1 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1);
        m->angle0 = m->def.zero_mean ? 0 : pp_sinusoid_angle(term, n, 0);
        return PERP_OK;
    }
    m->rate = pp_sinusoid_rate(term, n);
    m->q_start = m->X0.q;
    if (!m->def.zero_mean) return PERP_OK;
    double nstep = pp_sinusoid_zero_mean_steps(term, n);
    if (!(nstep <= MOST_STEPS))
        return pp_refuse(
            why, size, PERP_E_ARG,
            "zero_mean would take %.3g integration steps over the slowest period: set it to false, or bring the "
            "frequencies closer together",
            nstep);
    m->q_start = perp_q_unit(perp_q_mul(pp_sinusoid_zero_mean(term, n), m->X0.q));
    return PERP_OK;
}

/* Unit quaternions, and in 2D angles without jumps. */
static void prepare_table(pp_motion *m, perp_pose_at_time *table) {
    for (int i = 0; i < m->def.ntable; i++) {
        table[i].X_WB.q = perp_q_unit(table[i].X_WB.q);
        if (!m->theta) continue;
        if (i == 0)
            m->theta[i] = plane_angle(table[i].X_WB.q);
        else
            m->theta[i] = m->theta[i - 1] + plane_angle(perp_q_mul(perp_q_conj(table[i - 1].X_WB.q), table[i].X_WB.q));
    }
}

perp_status pp_motion_create(const perp_motion_def *def, int dim, perp_pose X_W0, const perp_allocator *a,
                             pp_motion **out, char *why, size_t why_size) {
    *out = NULL;
    perp_status s = check(def, dim, X_W0, why, why_size);
    if (s) return s;
    int nterm = def->kind == PERP_MOTION_SINUSOID ? def->nterm : 0;
    int ntable = def->kind == PERP_MOTION_TABLE ? def->ntable : 0;
    size_t each = nterm ? sizeof(perp_sinusoid) : 2 * sizeof(perp_pose_at_time) + sizeof(double);
    size_t count = (size_t)(nterm + ntable), size = sizeof(pp_motion) + count * each;
    pp_motion *m = count < (SIZE_MAX - sizeof(pp_motion)) / each ? pp_alloc(a, size) : NULL;
    if (!m) {
        pp_refuse(why, why_size, PERP_E_ARG, "no memory for a motion of %d terms and %d table entries", nterm, ntable);
        return PERP_E_MEMORY;
    }
    memset(m, 0, sizeof *m);
    m->def = *def;
    m->size = size;
    m->dim = dim;
    m->X0 = X_W0;
    m->q0 = X_W0.q;
    m->X0.q = perp_q_unit(X_W0.q);
    m->theta0 = dim == 2 ? plane_angle(m->X0.q) : 0;
    m->def.terms = NULL;
    m->def.nterm = nterm;
    m->def.table = NULL;
    m->def.ntable = ntable;
    if (nterm) {
        perp_sinusoid *term = (perp_sinusoid *)(void *)(m + 1);
        memcpy(term, def->terms, (size_t)nterm * sizeof *term);
        m->def.terms = term;
        s = prepare_sinusoid(m, why, why_size);
    }
    if (ntable) {
        perp_pose_at_time *table = (perp_pose_at_time *)(void *)(m + 1);
        memcpy(table, def->table, (size_t)ntable * sizeof *table);
        memcpy(table + ntable, def->table, (size_t)ntable * sizeof *table);
        m->def.table = table;
        m->given = table + ntable;
        if (dim == 2) m->theta = (double *)(void *)(table + 2 * (size_t)ntable);
        prepare_table(m, table);
    }
    if (s) {
        pp_free(a, m);
        return s;
    }
    *out = m;
    return PERP_OK;
}

perp_status pp_motion_clone(const pp_motion *m, const perp_allocator *a, pp_motion **out) {
    pp_motion *c = pp_alloc(a, m->size);
    *out = c;
    if (!c) return PERP_E_MEMORY;
    memcpy(c, m, m->size);
    if (c->def.terms) c->def.terms = (const perp_sinusoid *)(const void *)(c + 1);
    if (c->def.table) c->def.table = (const perp_pose_at_time *)(const void *)(c + 1);
    if (c->given) c->given = c->def.table + c->def.ntable;
    if (c->theta) c->theta = (double *)(void *)((perp_pose_at_time *)(void *)(c + 1) + 2 * (size_t)c->def.ntable);
    return PERP_OK;
}

perp_motion_def pp_motion_definition(const pp_motion *m, perp_pose *X_W0) {
    perp_motion_def d = m->def;
    if (m->given) d.table = m->given;
    *X_W0 = (perp_pose){m->X0.p, m->q0};
    return d;
}

void pp_motion_destroy(pp_motion *m, const perp_allocator *a) { pp_free(a, m); }

static void at_table(const pp_motion *m, double t, perp_pose *X, double *theta) {
    const perp_pose_at_time *e = m->def.table;
    int lo = 0, hi = m->def.ntable - 1;
    if (t <= e[lo].t) hi = lo;
    if (t >= e[hi].t) lo = hi;
    while (hi - lo > 1) { /* e[lo].t <= t < e[hi].t */
        int mid = lo + (hi - lo) / 2;
        if (t >= e[mid].t)
            lo = mid;
        else
            hi = mid;
    }
    *X = e[lo].X_WB;
    *theta = m->theta ? m->theta[lo] : 0;
    if (lo == hi) return;
    double s = (t - e[lo].t) / (e[hi].t - e[lo].t);
    perp_vec3 arc = perp_q_log(perp_q_mul(perp_q_conj(X->q), e[hi].X_WB.q));
    X->p = perp_v3_axpy(perp_v3_scale(1 - s, X->p), s, e[hi].X_WB.p); /* exact at both ends */
    X->q = perp_q_unit(perp_q_mul(X->q, perp_q_exp(perp_v3_scale(s, arc))));
    if (m->theta) *theta = (1 - s) * m->theta[lo] + s * m->theta[hi];
}

/* False as in motion.h. */
static bool at_user(const pp_motion *m, double t, perp_pose *X, double *theta) {
    perp_pose Y = {{NAN, NAN, NAN}, {0, 0, 0, 0}}; /* detects a function that writes nothing */
    m->def.pose(t, &Y, m->def.ctx);
    if (fault_of(Y, m->dim)) return false;
    Y.q = perp_q_unit(Y.q);
    *X = Y;
    *theta = m->dim == 2 ? plane_angle(Y.q) : 0;
    return true;
}

/* Pose and angle at t; all but the orientation of a sinusoid about several axes, which is left as it is. */
static bool at_time(const pp_motion *m, double t, perp_pose *X, double *theta) {
    switch (m->def.kind) {
    case PERP_MOTION_CONSTANT:
        X->p = perp_v3_axpy(m->X0.p, t, m->def.v_W);
        X->q = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(t, m->def.w_W)), m->X0.q));
        *theta = m->dim == 2 ? m->theta0 + m->def.w_W.z * t : 0;
        break;
    case PERP_MOTION_USER: return at_user(m, t, X, theta);
    case PERP_MOTION_SINUSOID:
        X->p = perp_v3_add(m->X0.p, pp_sinusoid_displacement(m->def.terms, m->def.nterm, t));
        *theta = 0;
        if (m->closed) {
            double angle = pp_sinusoid_angle(m->def.terms, m->def.nterm, t) - m->angle0;
            X->q = perp_q_unit(perp_q_mul(perp_q_axis_angle(m->axis, angle), m->X0.q));
            if (m->dim == 2) *theta = m->theta0 + angle;
        }
        break;
    case PERP_MOTION_TABLE: at_table(m, t, X, theta); break;
    }
    return true;
}

/* Sinusoids about several axes have no closed form for the orientation. */
static bool integrated(const pp_motion *m) { return m->def.kind == PERP_MOTION_SINUSOID && !m->closed; }

static perp_quat integrate(const pp_motion *m, double t0, double t1, perp_quat q) {
    return pp_sinusoid_turn(m->def.terms, m->def.nterm, t0, t1, q, pp_sinusoid_steps(m->rate, t1 - t0));
}

/* Whether a pose is finite: at very large times it may overflow. */
static bool sane(const pp_motion *m, const perp_pose *X, double theta) {
    return !fault_of(*X, m->dim) && isfinite(theta);
}

bool pp_motion_start(const pp_motion *m, double t, perp_pose *X, double *theta) {
    perp_pose Y = m->X0;
    double angle = 0;
    if (!isfinite(t) || !at_time(m, t, &Y, &angle)) return false;
    if (integrated(m)) Y.q = integrate(m, 0, t, m->q_start);
    if (!sane(m, &Y, angle)) return false;
    *X = Y;
    *theta = angle;
    return true;
}

bool pp_motion_advance(const pp_motion *m, double t0, double t1, perp_pose X0, double theta0, perp_pose *X1,
                       double *theta1) {
    perp_pose Y = X0;
    double angle = 0;
    if (!isfinite(t0) || !isfinite(t1) || !at_time(m, t1, &Y, &angle)) return false;
    if (integrated(m)) Y.q = integrate(m, t0, t1, X0.q);
    if (m->dim == 2) {
        if (m->def.kind == PERP_MOTION_USER) {
            angle += whole_turns(theta0, angle);
        } else { /* the body's angle may differ by whole turns from that of the motion, if it rotated before */
            perp_pose Z = X0;
            double before = 0;
            at_time(m, t0, &Z, &before);
            angle += whole_turns(theta0, before);
        }
    }
    if (!sane(m, &Y, angle)) return false;
    *X1 = Y;
    *theta1 = angle;
    return true;
}

perp_vec3 pp_motion_turn(const pp_motion *m, double t0, double t1, perp_quat q0, perp_quat q1) {
    perp_vec3 near = {0, 0, 0};
    if (m->def.kind == PERP_MOTION_CONSTANT) near = perp_v3_scale(t1 - t0, m->def.w_W);
    if (m->closed)
        near = perp_v3_scale(pp_sinusoid_angle(m->def.terms, m->def.nterm, t1) -
                                 pp_sinusoid_angle(m->def.terms, m->def.nterm, t0),
                             m->axis);
    return pp_q_log_near(perp_q_mul(q1, perp_q_conj(q0)), near);
}
