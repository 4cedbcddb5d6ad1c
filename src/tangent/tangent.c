/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tangent.c - tangents: creation, directions, and the step that advances them
 *
 * Problem  Let a step of the world be z+ = F(z, theta), z the poses and velocities. Wanted: the images dF
 *          of given directions (dz, dtheta), step after step.
 * Method   The step is solved as usual and inspected before it is committed (step/watch.h). Then the directions are
 *          advanced: at the modes of its answer (modes.c, posed.c, system.c) or by differences (difference.c). */
#include "tangent/tangent_internal.h"

#include <string.h>

#include "stage/stepper.h"
#include "tangent/modes.h"
#include "step/watch.h"
#include "base/elementary.h"

enum { COOKIE = 0x70770010 };

perp_tangent_def perp_tangent_def_default(void) {
    return (perp_tangent_def){.directions = 1, .difference = 1e-5, .nearness = 1e-6, .cookie = COOKIE};
}

static perp_status check_def(perp_world *w, const perp_tangent_def *d) {
    if (!d || d->cookie != COOKIE)
        return pp_fail(w, PERP_E_ARG, "the tangent definition was not made by perp_tangent_def_default()");
    if (!(d->directions >= 1 && d->directions <= 10000))
        return pp_fail(w, PERP_E_ARG, "a tangent has 1 to 10000 directions, not %d", d->directions);
    if (!((int)d->method >= 0 && d->method <= PERP_TANGENT_RUNS))
        return pp_fail(w, PERP_E_ARG, "tangent method %d does not exist", (int)d->method);
    if (!(d->difference > 0 && d->difference <= 0.01))
        return pp_fail(w, PERP_E_ARG, "difference is %g; it must be more than 0 and at most 0.01", d->difference);
    if (!(d->nearness >= 0)) return pp_fail(w, PERP_E_ARG, "nearness is %g; it must not be negative", d->nearness);
    return PERP_OK;
}

static perp_tangent_state fresh(void) {
    return (perp_tangent_state){.margin = INFINITY, .which = -1, .why = "", .least_margin = INFINITY};
}

perp_status perp_world_tangent(perp_world *w, const perp_tangent_def *def, perp_tangent **out) {
    if (!out) return pp_fail(w, PERP_E_ARG, "perp_world_tangent: out is NULL");
    *out = NULL;
    perp_status st = check_def(w, def);
    if (st) return st;
    perp_tangent *t = pp_alloc(&w->alloc, sizeof *t);
    if (!t) return pp_fail(w, PERP_E_MEMORY, "out of memory for a tangent");
    *t = (perp_tangent){.alloc = w->alloc, .def = *def, .dim = w->def.dim, .nbody = w->nbody, .state = fresh()};
    size_t nb = (size_t)w->nbody, all = 6 * nb * (size_t)def->directions * sizeof *t->dq;
    t->gen = pp_alloc(&t->alloc, nb * sizeof *t->gen);
    t->kind = pp_alloc(&t->alloc, nb * sizeof *t->kind);
    t->particle = pp_alloc(&t->alloc, nb * sizeof *t->particle);
    t->dq = pp_alloc(&t->alloc, all);
    t->dv = pp_alloc(&t->alloc, all);
    t->next_q = pp_alloc(&t->alloc, all);
    t->next_v = pp_alloc(&t->alloc, all);
    t->ddv = pp_alloc(&t->alloc, all);
    t->next_ddv = pp_alloc(&t->alloc, all);
    bool ok = t->gen && t->kind && t->particle && t->dq && t->dv && t->ddv && t->next_q && t->next_v && t->next_ddv;
    if (!ok) {
        perp_tangent_free(t);
        return pp_fail(w, PERP_E_MEMORY, "out of memory for %d directions of %d bodies", def->directions, w->nbody);
    }
    for (int i = 0; i < w->nbody; i++) {
        t->gen[i] = w->body[i].gen;
        t->kind[i] = w->body[i].kind;
        t->particle[i] = w->body[i].particle;
    }
    perp_tangent_clear(t);
    *out = t;
    return PERP_OK;
}

void perp_tangent_free(perp_tangent *t) {
    if (!t) return;
    pp_tangent_runs_end(t);
    pp_free(&t->alloc, t->gen);
    pp_free(&t->alloc, t->kind);
    pp_free(&t->alloc, t->particle);
    pp_free(&t->alloc, t->dq);
    pp_free(&t->alloc, t->dv);
    pp_free(&t->alloc, t->next_q);
    pp_free(&t->alloc, t->next_v);
    pp_free(&t->alloc, t->ddv);
    pp_free(&t->alloc, t->next_ddv);
    pp_free(&t->alloc, t->seed);
    perp_allocator a = t->alloc;
    pp_free(&a, t);
}

void perp_tangent_clear(perp_tangent *t) {
    size_t all = 6 * (size_t)t->nbody * (size_t)t->def.directions;
    for (size_t i = 0; i < all; i++) t->dq[i] = t->dv[i] = t->ddv[i] = 0;
    t->nseed = 0;
    pp_tangent_runs_end(t);
    t->state = fresh();
}

/* Slot of a body whose pose or velocity a direction may change; -1: none. */
static int slot_of(const perp_tangent *t, int direction, perp_body_id b) {
    if (direction < 0 || direction >= t->def.directions || b.slot >= (uint32_t)t->nbody) return -1;
    return pp_alive(b.gen) && t->gen[b.slot] == b.gen ? (int)b.slot : -1;
}

perp_status perp_tangent_seed(perp_tangent *t, perp_world *w, int direction, const perp_parameter *p, double rate) {
    if (direction < 0 || direction >= t->def.directions)
        return pp_fail(w, PERP_E_ARG, "the tangent has no direction %d", direction);
    if (!isfinite(rate)) return pp_fail(w, PERP_E_ARG, "the rate of a parameter is %g; it must be finite", rate);
    if (t->run) return pp_fail(w, PERP_E_ARG, "the runs of the tangent have begun: seeds come before the first step");
    perp_status st = pp_parameter_check(w, p, true);
    if (st) return st;
    if (!PP_GROW(&t->alloc, t->seed, t->cap_seed, t->nseed, t->nseed + 1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a direction");
    t->seed[t->nseed++] = (pp_seed){direction, *p, rate};
    return PERP_OK;
}

/* Vectors of a direction: finite, and in 2D in the plane. */
static bool fits(const perp_tangent *t, int slot, perp_vec3 move, perp_vec3 turn) {
    if (!perp_v3_finite(move) || !perp_v3_finite(turn)) return false;
    if (t->dim == 2 && (move.z != 0 || turn.x != 0 || turn.y != 0)) return false;
    return !t->particle[slot] || (turn.x == 0 && turn.y == 0 && turn.z == 0);
}

perp_status perp_tangent_set_pose(perp_tangent *t, int direction, perp_body_id b, perp_vec3 dp, perp_vec3 turn) {
    int slot = slot_of(t, direction, b);
    if (slot < 0 || t->run || t->kind[slot] == PERP_BODY_KINEMATIC || !fits(t, slot, dp, turn)) return PERP_E_ARG;
    double *x = pp_tangent_at(t, t->dq, direction, slot);
    pp_put3(x, dp);
    pp_put3(x + 3, turn);
    return PERP_OK;
}

perp_status perp_tangent_set_velocity(perp_tangent *t, int direction, perp_body_id b, perp_vec3 dv, perp_vec3 dw) {
    int slot = slot_of(t, direction, b);
    if (slot < 0 || t->run || t->kind[slot] != PERP_BODY_DYNAMIC || !fits(t, slot, dv, dw)) return PERP_E_ARG;
    double *x = pp_tangent_at(t, t->dv, direction, slot);
    pp_put3(x, dv);
    pp_put3(x + 3, dw);
    memset(pp_tangent_at(t, t->ddv, direction, slot), 0, 6 * sizeof *x);
    return PERP_OK;
}

static perp_status read(const perp_tangent *t, double *array, int direction, perp_body_id b, perp_vec3 *a,
                        perp_vec3 *c) {
    int slot = slot_of(t, direction, b);
    if (slot < 0) return PERP_E_ARG;
    const double *x = pp_tangent_at(t, array, direction, slot);
    if (a) *a = pp_first3(x);
    if (c) *c = pp_first3(x + 3);
    return PERP_OK;
}

perp_status perp_tangent_pose(const perp_tangent *t, int direction, perp_body_id b, perp_vec3 *dp, perp_vec3 *turn) {
    return read(t, t->dq, direction, b, dp, turn);
}

perp_status perp_tangent_velocity(const perp_tangent *t, int direction, perp_body_id b, perp_vec3 *dv, perp_vec3 *dw) {
    perp_vec3 v, w, later_v, later_w;
    perp_status st = read(t, t->dv, direction, b, &v, &w);
    if (!st) st = read(t, t->ddv, direction, b, &later_v, &later_w);
    if (st) return st;
    if (dv) *dv = perp_v3_add(v, later_v);
    if (dw) *dw = perp_v3_add(w, later_w);
    return PERP_OK;
}

perp_tangent_state perp_tangent_report(const perp_tangent *t) { return t->state; }

/* Was the tangent made for this world? */
static perp_status check_world(const perp_tangent *t, perp_world *w) {
    bool same = w->nbody == t->nbody && w->def.dim == t->dim;
    for (int i = 0; same && i < w->nbody; i++) same = w->body[i].gen == t->gen[i] && w->body[i].kind == t->kind[i];
    if (!same) return pp_fail(w, PERP_E_ARG, "the bodies of the world are not those that the tangent was made for");
    for (int i = 0; i < t->nseed; i++) {
        perp_status st = pp_parameter_check(w, &t->seed[i].parameter, true);
        if (st) return st;
    }
    return PERP_OK;
}

/* Context of the inspection of a solved step. */
typedef struct looking {
    perp_tangent *t;
    perp_world *w;
    const perp_certificate *cert;
} looking;

static void take_margin(perp_tangent *t, const perp_tangent_state *m) {
    t->state.margin = m->margin;
    t->state.what = m->what;
    t->state.which = m->which;
    t->state.near_change = m->margin < t->def.nearness;
}

/* Advances the directions. */
static perp_status carry(pp_frame *const *frame, int n, void *ctx) {
    const looking *l = ctx;
    perp_tangent *t = l->t;
    perp_world *w = l->w;
    perp_tangent_method m = t->def.method;
    pp_loads loads;
    pp_arena_mark mark = pp_arena_here(&w->arena);
    perp_status st = pp_modes_margin(frame, n, t->def.nearness, &loads);
    if (st) return st;
    take_margin(t, &loads.best);
    t->why[0] = 0;
    t->state.differences = true;
    if (m == PERP_TANGENT_RUNS) return pp_tangent_runs(t, w, l->cert);
    if (m == PERP_TANGENT_STEPS) return pp_tangent_steps(t, w, l->cert);
    bool open = false;
    st = pp_tangent_modes(t, frame, n, &loads, &open);
    pp_arena_release(&w->arena, mark);
    if (open) take_margin(t, &loads.given);
    t->state.differences = st == PERP_E_FIT;
    if (st != PERP_E_FIT || m == PERP_TANGENT_MODES) return st;
    memcpy(t->why, w->why, sizeof t->why);
    return pp_tangent_steps(t, w, l->cert);
}

perp_status perp_tangent_step(perp_tangent *t, perp_world *w, perp_certificate *cert) {
    perp_certificate scratch;
    if (!cert) cert = &scratch;
    perp_status st = check_world(t, w);
    if (!st && t->def.method == PERP_TANGENT_RUNS && !t->run) st = pp_tangent_runs_begin(t, w);
    if (st) return st;
    perp_tangent_state before = t->state;
    looking l = {t, w, cert};
    pp_watch watch = {carry, &l};
    st = pp_step_watched(w, cert, &watch);
    if (st) {
        t->state = before;
        return st;
    }
    double *q = t->dq, *v = t->dv, *later = t->ddv;
    t->dq = t->next_q;
    t->dv = t->next_v;
    t->ddv = t->next_ddv;
    t->next_q = q;
    t->next_v = v;
    t->next_ddv = later;
    t->state.why = t->why;
    t->state.steps++;
    t->state.changes += t->state.near_change;
    t->state.differenced += t->state.differences;
    t->state.least_margin = fmin(t->state.least_margin, t->state.margin);
    return PERP_OK;
}

void pp_tangent_turned(perp_pose *X, double *theta, const double *dq, double by, int dim) {
    X->p = perp_v3_axpy(X->p, by, pp_first3(dq));
    if (dim == 2) {
        if (dq[5] == 0) return;
        *theta += by * dq[5];
        X->q = (perp_quat){pp_cos(*theta / 2), 0, 0, pp_sin(*theta / 2)};
        return;
    }
    X->q = perp_q_unit(perp_q_mul(perp_q_exp(perp_v3_scale(by, pp_first3(dq + 3))), X->q));
}

void pp_tangent_move_state(const perp_tangent *t, const perp_world *w, int direction, double by_q, double by_v,
                           pp_state *s) {
    for (int i = 0; i < t->nbody; i++) {
        if (!pp_alive(t->gen[i]) || t->kind[i] == PERP_BODY_KINEMATIC) continue;
        const double *dq = pp_tangent_at(t, t->dq, direction, i), *dv = pp_tangent_at(t, t->dv, direction, i);
        if (by_q != 0) pp_tangent_turned(&s->X[i], &s->theta[i], dq, by_q, w->def.dim);
        if (by_v == 0 || t->kind[i] != PERP_BODY_DYNAMIC) continue;
        s->v[i] = perp_v3_axpy(s->v[i], by_v, pp_first3(dv));
        s->w[i] = perp_v3_axpy(s->w[i], by_v, pp_first3(dv + 3));
        const double *later = pp_tangent_at(t, t->ddv, direction, i);
        s->dv[i] = perp_v3_axpy(s->dv[i], by_v, pp_first3(later));
        s->dw[i] = perp_v3_axpy(s->dw[i], by_v, pp_first3(later + 3));
    }
}

/* Radius of a body, or its radius of gyration if that is larger: it may have no shapes. A particle: 0 [L]. */
static double size_of(const pp_body *b) {
    double trace = b->I_B.c[0].x + b->I_B.c[1].y + b->I_B.c[2].z, gyration = b->particle ? 0 : sqrt(trace / b->mass);
    return isfinite(b->radius) ? fmax(b->radius, gyration) : gyration;
}

void pp_tangent_sizes(const perp_world *w, const pp_state *s, double *length, double *speed) {
    double g = fmax(perp_v3_norm(w->def.gravity_W), w->def.dim == 2 ? w->def.press : 0);
    *length = 0;
    *speed = w->def.h * g;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC) continue;
        double r = size_of(b);
        *length = fmax(*length, r);
        *speed = fmax(*speed, perp_v3_norm(s->v[i]) + r * perp_v3_norm(s->w[i]));
    }
    if (!(*speed > 0)) *speed = *length > 0 ? *length / w->def.h : 1;
    if (!(*length > 0)) *length = *speed * w->def.h; /* particles */
}

double pp_tangent_pose_size(const perp_tangent *t, int direction, double length) {
    double size = 0;
    for (int i = 0; i < t->nbody; i++) {
        const double *x = pp_tangent_at(t, t->dq, direction, i);
        size = fmax(size, fmax(perp_v3_norm(pp_first3(x)) / length, perp_v3_norm(pp_first3(x + 3))));
    }
    return size;
}

double pp_tangent_velocity_size(const perp_tangent *t, const perp_world *w, int direction, double speed) {
    double size = 0;
    for (int i = 0; i < t->nbody; i++) {
        const double *x = pp_tangent_at(t, t->dv, direction, i);
        double r = t->kind[i] == PERP_BODY_DYNAMIC ? size_of(&w->body[i]) : 0;
        size = fmax(size, fmax(perp_v3_norm(pp_first3(x)) / speed, r * perp_v3_norm(pp_first3(x + 3)) / speed));
    }
    return size;
}

void pp_tangent_between(perp_tangent *t, const perp_world *w, int direction, const pp_state *before,
                        const pp_state *after, double reach) {
    double s = 1 / (2 * reach);
    for (int i = 0; i < t->nbody; i++) {
        double *q = pp_tangent_at(t, t->next_q, direction, i), *v = pp_tangent_at(t, t->next_v, direction, i),
               *later = pp_tangent_at(t, t->next_ddv, direction, i);
        if (t->kind[i] != PERP_BODY_DYNAMIC || !pp_alive(t->gen[i])) {
            memcpy(q, pp_tangent_at(t, t->dq, direction, i), 6 * sizeof *q);
            memset(v, 0, 6 * sizeof *v);
            memset(later, 0, 6 * sizeof *later);
            continue;
        }
        pp_put3(q, perp_v3_scale(s, perp_v3_sub(after->X[i].p, before->X[i].p)));
        perp_vec3 turn = w->def.dim == 2 ? perp_v3(0, 0, after->theta[i] - before->theta[i])
                                         : perp_q_log(perp_q_mul(after->X[i].q, perp_q_conj(before->X[i].q)));
        pp_put3(q + 3, perp_v3_scale(s, turn));
        pp_put3(v, perp_v3_scale(s, perp_v3_sub(after->v[i], before->v[i])));
        pp_put3(v + 3, perp_v3_scale(s, perp_v3_sub(after->w[i], before->w[i])));
        pp_put3(later, perp_v3_scale(s, perp_v3_sub(after->dv[i], before->dv[i])));
        pp_put3(later + 3, perp_v3_scale(s, perp_v3_sub(after->dw[i], before->dw[i])));
    }
}
