/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_time.c - time of the first impact of pairs of shapes
 * Problem  Find the first time at which the distance of two shapes falls to zero along their motion.
 * Method   Bodies move with constant acceleration and rotate freely. For constant forces this is the motion of a step. The distance
 *          cannot decrease faster than a bound of the relative speed of their points. Conservative advancement uses this bound, but
 *          advances by at least LEAST of the span. When the distance is no longer positive, false position finds the root in the
 *          bracket, to rounding.
 * Valid    An overlap that lasts less than LEAST of the span may be missed. Such contacts graze each other. If the work of the part is used
 *          up, no impact is found, and the next substep fails (pp_solve_step).
 * Cost     About 10 to SAMPLES distance evaluations for a pair that comes near, one for a pair that does not.
 * Source   Mirtich, thesis (Berkeley 1996) 2.3 (conservative advancement). */
#include "step/impact_time.h"
#include "model/budget.h"
#include "base/elementary.h"

#include <math.h>

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [samples] Largest number of samples of the span in the search for an impact. Half and double: other bits only. */
#define SAMPLES 512
/* [1] First sample of a pair that separates, as a fraction of the span. Each following interval is twice as long. Half
 * and double: other bits only. */
#define FIRST 1e-9
/* [iterations] Largest number of iterations of the root search for the time of an impact. Half and double: no effect. */
#define ROUNDS 200

#define LEAST (1.0 / SAMPLES)

typedef struct motion {
    const pp_frame *f;
    const double *a;
} motion;

/* Pose of the body of a placed shape after t. */
static perp_pose pose_after(const motion *m, int body, double t) {
    const pp_frame *f = m->f;
    const perp_world *w = f->w;
    const pp_body *b = &w->body[body];
    const pp_state *s = f->s0;
    perp_pose X = s->X[body];
    int k = f->control.block[body], dim = w->def.dim;
    if (b->kind == PERP_BODY_KINEMATIC && b->motion) {
        perp_pose moved;
        double angle;
        return pp_motion_advance(b->motion, s->t, s->t + t, X, s->theta[body], &moved, &angle) ? moved : X;
    }
    if (k < 0) return X;
    const double *a = m->a + f->control.block_offset[k];
    perp_vec3 acc = perp_v3(a[0], a[1], dim == 3 ? a[2] : 0);
    X.p = perp_v3_axpy(perp_v3_axpy(X.p, t, s->v[body]), 0.5 * t * t, acc);
    if (dim == 2) {
        double half =
            0.5 * (s->theta[body] + t * s->w[body].z + (f->control.block_ndof[k] == 3 ? 0.5 * t * t * a[2] : 0));
        double sine, cosine;
        pp_sin_cos(half, &sine, &cosine);
        X.q = (perp_quat){cosine, 0, 0, sine};
    } else if (f->control.block_ndof[k] == 6) {
        perp_vec3 om = perp_v3_axpy(s->w[body], 0.5 * t, perp_v3(a[3], a[4], a[5]));
        pp_budget_turn(f->w, b, t, om);
        if (b->isotropic || !perp_rotate_free(b->I_B, t, &X.q, &om))
            X.q = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(t, om)), X.q));
    }
    return X;
}

/* Bound of the speed of the points of a body within the span [L/T]. */
static double fastest(const motion *m, int body, double span) {
    const pp_frame *f = m->f;
    const perp_world *w = f->w;
    const pp_body *b = &w->body[body];
    int k = f->control.block[body], dim = w->def.dim;
    if (b->kind == PERP_BODY_KINEMATIC && b->motion) { /* sampled, with a safety factor of 2 */
        double most = 0;
        perp_pose last = pose_after(m, body, 0);
        double r = isfinite(b->radius) ? b->radius : 0;
        for (int i = 1; i <= 8; i++) {
            perp_pose X = pose_after(m, body, span * i / 8);
            double d = perp_v3_norm(perp_v3_sub(X.p, last.p)) +
                       r * perp_v3_norm(perp_q_log(perp_q_mul(X.q, perp_q_conj(last.q))));
            most = fmax(most, 8 * d / span);
            last = X;
        }
        return 2 * most;
    }
    if (k < 0) return 0;
    const double *a = m->a + f->control.block_offset[k];
    double lin = 0, ang = 0;
    for (int i = 0; i < f->control.block_ndof[k]; i++) {
        if (i < dim)
            lin += a[i] * a[i];
        else
            ang += a[i] * a[i];
    }
    double turn = perp_v3_norm(f->s0->w[body]) + span * sqrt(ang);
    if (dim == 3 && !b->isotropic) turn *= 2; /* free rotation can increase the angular speed */
    return perp_v3_norm(f->s0->v[body]) + span * sqrt(lin) + (isfinite(b->radius) ? b->radius * turn : 0);
}

/* Bound of the speed at which two shapes approach each other within the span [L/T]. It is the relative speed of their
 * bodies plus the speeds by rotation about the centres of mass. Rotation does not move a sphere at the centre. */
static double closing_speed(const motion *m, const pp_placed *a, const pp_placed *b, double span) {
    const pp_frame *f = m->f;
    const pp_placed *side[2] = {a, b};
    perp_vec3 v = {0, 0, 0}, acc = {0, 0, 0};
    double turning = 0;
    for (int k = 0; k < 2; k++) {
        int body = side[k]->body, blk = f->control.block[body], dim = f->w->def.dim;
        const pp_body *x = &f->w->body[body];
        if (x->kind == PERP_BODY_KINEMATIC && x->motion) return fastest(m, a->body, span) + fastest(m, b->body, span);
        if (blk < 0) continue;
        const double *y = m->a + f->control.block_offset[blk];
        v = perp_v3_axpy(v, k ? 1 : -1, f->s0->v[body]);
        acc = perp_v3_axpy(acc, k ? 1 : -1, perp_v3(y[0], y[1], dim == 3 ? y[2] : 0));
        const pp_shape *s = &f->w->shape[side[k]->slot];
        bool centred = side[k]->g->kind == PERP_SHAPE_SPHERE && perp_v3_norm(s->X_BS.p) == 0;
        if (!centred && isfinite(x->radius)) { /* the bound of fastest() without the motion of the centre */
            double ang = 0;
            for (int i = dim; i < f->control.block_ndof[blk]; i++) ang += y[i] * y[i];
            double turn = perp_v3_norm(f->s0->w[body]) + span * sqrt(ang);
            turning += x->radius * (dim == 3 && !x->isotropic ? 2 * turn : turn);
        }
    }
    return perp_v3_norm(v) + span * perp_v3_norm(acc) + turning;
}

/* Distance at time t, plus `more`. */
static double distance(const motion *m, const pp_impact_event *x, double t, double more) {
    pp_placed a = m->f->collide.placed[x->i], b = m->f->collide.placed[x->j];
    a.X_WS = perp_pose_mul(pose_after(m, a.body, t), m->f->w->shape[a.slot].X_BS);
    b.X_WS = perp_pose_mul(pose_after(m, b.body, t), m->f->w->shape[b.slot].X_BS);
    pp_budget_pair(m->f->w, a.g, b.g);
    return pp_separation(&a, &b) + more;
}

/* Root between lo, where the distance is d_lo > 0, and hi, where it is d_hi <= 0, by false position (Illinois rule).
 * Returns the last time found at which the distance is not negative. */
static double root(const motion *m, const pp_impact_event *x, double more, double lo, double d_lo, double hi,
                   double d_hi) {
    int side = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double t = lo + (hi - lo) * d_lo / (d_lo - d_hi);
        if (!(t > lo && t < hi)) t = 0.5 * (lo + hi);
        if (!(t > lo && t < hi)) break;
        double d = distance(m, x, t, more);
        if (d == 0) return t;
        if (d > 0) {
            lo = t, d_lo = d;
            if (side > 0) d_hi /= 2;
            side = 1;
        } else {
            hi = t, d_hi = d;
            if (side < 0) d_lo /= 2;
            side = -1;
        }
    }
    return lo;
}

/* First impact of one pair within `span`. */
static double meeting(const motion *m, const pp_impact_event *x, double span) {
    const pp_placed *a = &m->f->collide.placed[x->i], *b = &m->f->collide.placed[x->j];
    double touching = pp_touching(a->g, b->g, a->X_WS.p);
    double speed = closing_speed(m, a, b, span);
    bool open = !x->parting;
    double t = 0, d = open ? distance(m, x, 0, 0) : 0, least = open ? LEAST * span : FIRST * span;
    if (!(speed > 0)) return INFINITY;
    open = open && d > 0;
    while (t < span) {
        double next = fmin(span, t + fmax(d / speed, least));
        if (pp_budget_used(m->f->w, 0) || (open && d - speed * (span - t) > 0)) return INFINITY;
        double d_next = distance(m, x, next, 0);
        if (open && d > 0 && !(d_next > 0)) return root(m, x, 0, t, d, next, d_next);
        /* another point of the shape comes down before the present one has separated */
        if (!open && d_next < -touching)
            return root(m, x, 0.5 * touching, t, 0.5 * touching, next, d_next + 0.5 * touching);
        open = open || d_next > touching;
        least = fmin(2 * least, LEAST * span);
        t = next;
        d = d_next;
    }
    return INFINITY;
}

double pp_first_meeting(const pp_frame *f, const double *a, const pp_impact_event *pair, int n, double span,
                        int *which) {
    motion m = {f, a};
    double first = INFINITY;
    *which = -1;
    for (int i = 0; i < n; i++) {
        double t = meeting(&m, &pair[i], fmin(span, first));
        if (!(t < first)) continue;
        first = t;
        *which = i;
    }
    return first;
}
