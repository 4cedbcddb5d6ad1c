/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* belt.c - surface velocities: conveyor belts
 * Problem  The surface of a shape may move along itself while its body is at rest or has another motion. Friction then acts against the
 *          velocity of the body plus that of the surface.
 * Method   The velocity is given in the body frame. At a contact its tangential part enters the friction rows like the motion of kinematic
 *          bodies, in b_t and b_o (formulate.c). The ledger enters p b as the work of the drive, so the friction entry is the work of the
 *          true slip. The normal part is ignored.
 *          A step uses the mean over its time by Simpson's rule. So a sticking body is carried as far as the belt runs, to fourth order
 *          in the step if the velocity depends on time.
 * Valid    Every stepper and contact model, because all of them use the friction rows of formulate.c.
 * Cost     Up to six evaluations for each moving surface and substep. */
#include "stage/control/belt.h"
#include "math/turn_free.h"

static bool at_time(const pp_belt_def *b, int dim, double t, perp_vec3 *v) {
    *v = b->v_B;
    if (!b->motion) return true;
    *v = perp_v3(NAN, NAN, NAN); /* detects a function that writes nothing */
    b->motion(t, v, b->ctx);
    return perp_v3_finite(*v) && (dim == 3 || v->z == 0);
}

/* Mean velocity from t0 to t1; *bad: a time at which the function failed. */
static bool mean(const pp_belt_def *b, int dim, double t0, double t1, perp_vec3 *v, double *bad) {
    if (!b->motion) {
        *v = b->v_B;
        return true;
    }
    const double weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    *v = perp_v3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        perp_vec3 x;
        *bad = t0 + 0.5 * i * (t1 - t0);
        if (!at_time(b, dim, *bad, &x)) return false;
        *v = perp_v3_axpy(*v, weight[i], x);
    }
    return true;
}

static bool velocities(const pp_frame *f, const pp_belt_def *b, struct pp_belt *out, double *bad) {
    int dim = f->w->def.dim;
    double t = f->s0->t, h = f->h, part = f->s0->substep;
    bool instant = f->purpose == PP_END_KICK || f->purpose == PP_IMPACT;
    *bad = t;
    if (instant && !at_time(b, dim, t, &out->now_B)) return false;
    if (!instant && f->w->def.driven == PERP_DRIVEN_END && !f->task.half) {
        *bad = t + h;
        if (!at_time(b, dim, *bad, &out->now_B)) return false;
    } else if (!instant && !mean(b, dim, t, t + h, &out->now_B, bad)) {
        return false;
    }
    out->before_B = out->now_B;
    *bad = t;
    if (f->task.half) return at_time(b, dim, t, &out->before_B);
    if (f->purpose == PP_END_KICK) return mean(b, dim, t - h, t, &out->before_B, bad);
    if (f->purpose == PP_STEP && part > 0) return mean(b, dim, t - part, t, &out->before_B, bad);
    return true;
}

perp_status pp_belts(pp_frame *f) {
    perp_world *w = f->w;
    f->control.belt = NULL;
    if (w->nbelt == 0) return PERP_OK;
    struct pp_belt *belt = PP_ARENA_ZERO(&w->arena, struct pp_belt, w->nshape);
    if (!belt) return pp_fail(w, PERP_E_MEMORY, "out of memory for the step");
    for (int i = 0; i < w->nbelt; i++) {
        int shape = w->belt[i].shape, body = w->shape[shape].body;
        double bad = 0;
        if (velocities(f, &w->belt[i], &belt[shape], &bad)) continue;
        const char *name = w->body[body].name;
        return pp_fail(w, PERP_E_ARG,
                       "body %d (%s): its surface velocity is not finite, or not planar in 2D, at t = %g", body,
                       name ? name : "", bad);
    }
    f->control.belt = belt;
    return PERP_OK;
}

/* Body to world. For a driven body that rotates in the step, the orientation half-way, as for slip on driven bodies
 * (formulate.c). */
static perp_quat orientation(const pp_frame *f, int body) {
    const pp_body *b = &f->w->body[body];
    const pp_state *at = f->demand.levers ? f->demand.levers : f->s1;
    if (b->kind != PERP_BODY_KINEMATIC || !b->motion || f->purpose != PP_STEP || f->task.half || f->control.end_v)
        return at->X[body].q;
    perp_quat q0 = f->s0->X[body].q, q1 = f->s1->X[body].q;
    perp_vec3 turn = pp_q_log_near(perp_q_mul(q1, perp_q_conj(q0)), perp_v3_scale(f->h, f->s1->w[body]));
    return perp_q_mul(perp_q_exp(perp_v3_scale(0.5, turn)), q0);
}

perp_vec3 pp_belt_slip(const pp_frame *f, const int shape[2], bool before) {
    perp_vec3 v = {0, 0, 0};
    for (int k = 0; f->control.belt && k < 2; k++) {
        const struct pp_belt *b = &f->control.belt[shape[k]];
        perp_vec3 s = before ? b->before_B : b->now_B;
        if (s.x == 0 && s.y == 0 && s.z == 0) continue;
        v = perp_v3_axpy(v, k ? 1 : -1, perp_q_rotate(orientation(f, f->w->shape[shape[k]].body), s));
    }
    return v;
}

double pp_belt_fastest(const pp_frame *f) {
    double most = 0;
    for (int i = 0; f->control.belt && i < f->w->nshape; i++) most = fmax(most, perp_v3_norm(f->control.belt[i].now_B));
    return most;
}
