/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* force.c - force elements of a world: adding, checking, removing. control.c evaluates them. */
#include "model/coupling.h"
#include "stage/frame.h"
#include "world/lifetime.h"
#include "step/stagger.h"

enum { COOKIE_FORCE = 0x70770005 };

perp_force_def perp_force_def_default(perp_force_kind kind) {
    return (perp_force_def){.kind = kind, .max_force = INFINITY, .cookie = COOKIE_FORCE};
}

int pp_force_slot(const perp_world *w, perp_force_id id) {
    if (id.slot >= (uint32_t)w->nforce || !pp_alive(id.gen)) return -1;
    return w->force[id.slot].gen == id.gen ? (int)id.slot : -1;
}

void pp_force_drop(perp_world *w, int slot) {
    w->force[slot].gen++;
    w->room.dead_force++;
}

static perp_status check_not_negative(perp_world *w, const char *what, double x, bool infinite) {
    if (x >= 0 && (infinite || isfinite(x))) return PERP_OK;
    return pp_fail(w, PERP_E_ARG, "%s is %g; it must not be negative%s", what, x,
                   infinite ? "" : " and must be finite");
}

static perp_status check_finite(perp_world *w, const char *what, double x) {
    return isfinite(x) ? PERP_OK : pp_fail(w, PERP_E_ARG, "%s is %g; it must be finite", what, x);
}

static perp_status check_spring(perp_world *w, const perp_force_def *d) {
    perp_status st = pp_check_vector(w, "point_A", d->point_A, false);
    if (!st) st = pp_check_vector(w, "point_B", d->point_B, false);
    if (!st) st = check_not_negative(w, "stiffness", d->stiffness, false);
    if (!st) st = check_not_negative(w, "rest_length", d->rest_length, false);
    if (!st) st = check_not_negative(w, "damping", d->damping, false);
    if (!st) st = check_not_negative(w, "drag", d->drag, false);
    return st;
}

static perp_status check_drive(perp_world *w, const perp_force_def *d) {
    perp_status st = pp_check_vector(w, "wrench.force", d->wrench.force, false);
    if (!st) st = pp_check_vector(w, "wrench.torque", d->wrench.torque, true);
    if (!st) st = pp_check_vector(w, "point_B", d->point_B, false);
    if (!st) st = check_finite(w, "omega", d->omega);
    if (!st) st = check_finite(w, "phase", d->phase);
    return st;
}

static perp_status check_pd(perp_world *w, const perp_force_def *d, int *joint) {
    *joint = pp_joint_slot(w, d->joint);
    if (*joint < 0) return pp_fail(w, PERP_E_ARG, "perp_force_add: the joint id is stale or was never given");
    int n = perp_joint_ncoord(w->joint[*joint].def.kind, w->def.dim);
    if (d->coord < 0 || d->coord >= n)
        return pp_fail(w, PERP_E_ARG, "coord is %d; this joint has %d coordinates", d->coord, n);
    perp_status st = check_finite(w, "kp", d->kp);
    if (!st) st = check_finite(w, "kd", d->kd);
    if (!st) st = check_finite(w, "target", d->target);
    if (!st) st = check_finite(w, "target_rate", d->target_rate);
    if (!st) st = check_not_negative(w, "max_force", d->max_force, true);
    return st;
}

perp_status perp_force_add(perp_world *w, const perp_force_def *d, perp_force_id *out) {
    if (out) *out = (perp_force_id){0, 0};
    if (!d || d->cookie != COOKIE_FORCE)
        return pp_fail(w, PERP_E_ARG, "the force definition was not made by perp_force_def_default()");
    pp_force f = {.a = -1, .b = -1, .joint = -1, .def = *d};
    perp_status st = PERP_OK;
    switch (d->kind) {
    case PERP_FORCE_PD: st = check_pd(w, d, &f.joint); break;
    case PERP_FORCE_SPRING: st = check_spring(w, d); break;
    case PERP_FORCE_CONSTANT:
    case PERP_FORCE_SINUSOID: st = check_drive(w, d); break;
    case PERP_FORCE_USER: st = d->user ? PERP_OK : pp_fail(w, PERP_E_ARG, "user is NULL"); break;
    default: st = pp_fail(w, PERP_E_ARG, "force kind %d does not exist", (int)d->kind);
    }
    if (st) return st;
    if (d->kind != PERP_FORCE_PD) {
        f.b = pp_body_slot(w, d->b);
        if (f.b < 0) return pp_fail(w, PERP_E_ARG, "perp_force_add: body b is stale or was never given");
        if (d->kind == PERP_FORCE_SPRING && d->a.gen != 0) {
            f.a = pp_body_slot(w, d->a);
            if (f.a < 0) return pp_fail(w, PERP_E_ARG, "perp_force_add: body a is stale or was never given");
            if (f.a == f.b)
                return pp_fail(w, PERP_E_ARG, "perp_force_add: a spring needs two bodies, or a body and the world");
        }
        if (d->kind != PERP_FORCE_SPRING && w->body[f.b].kind != PERP_BODY_DYNAMIC)
            return pp_fail(w, PERP_E_ARG, "perp_force_add: only a dynamic body can be pushed by a force");
    }
    if (!PP_GROW(&w->alloc, w->force, w->room.cap_force, w->nforce, w->nforce + 1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a force");
    int slot = pp_slot_claim(w->force, w->nforce, w->room.dead_force, sizeof *w->force);
    f.gen = w->force[slot].gen + 1;
    w->force[slot] = f;
    if (slot == w->nforce)
        w->nforce++;
    else
        w->room.dead_force--;
    pp_forces_were_set(&w->state, f.a, f.b);
    if (f.joint >= 0) pp_joint_forces_were_set(w, f.joint);
    if (out) *out = (perp_force_id){(uint32_t)slot, f.gen};
    return PERP_OK;
}

perp_status perp_force_remove(perp_world *w, perp_force_id id) {
    int slot = pp_force_slot(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "perp_force_remove: the force id is stale or was never given");
    pp_force_drop(w, slot);
    return PERP_OK;
}

perp_status perp_force_set_target(perp_world *w, perp_force_id id, double target, double target_rate) {
    int slot = pp_force_slot(w, id);
    if (slot < 0 || w->force[slot].def.kind != PERP_FORCE_PD)
        return pp_fail(w, PERP_E_ARG, "perp_force_set_target: the id is stale or not that of a PD controller");
    perp_status st = check_finite(w, "target", target);
    if (!st) st = check_finite(w, "target_rate", target_rate);
    if (st) return st;
    const pp_joint *j = &w->joint[w->force[slot].joint];
    if (target != w->force[slot].def.target || target_rate != w->force[slot].def.target_rate)
        pp_forces_were_set(&w->state, j->a, j->b);
    w->force[slot].def.target = target;
    w->force[slot].def.target_rate = target_rate;
    return PERP_OK;
}
