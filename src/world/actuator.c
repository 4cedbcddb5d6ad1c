/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* actuator.c - actuators and their ctrl; pairs of bodies that never touch */
#include <string.h>

#include "model/actuator.h"
#include "model/coupling.h"
#include "model/state.h"
#include "world/lifetime.h"

enum { COOKIE = 0x70770022 };

perp_actuator_def perp_actuator_def_default(perp_actuator_kind kind) {
    return (perp_actuator_def){.kind = kind,
                               .gear = 1,
                               .ctrl_scale = 1,
                               .ctrl_lo = -INFINITY,
                               .ctrl_hi = INFINITY,
                               .force_lo = -INFINITY,
                               .force_hi = INFINITY,
                               .joint_lo = -INFINITY,
                               .joint_hi = INFINITY,
                               .cookie = COOKIE};
}

static int slot_of(const perp_world *w, perp_actuator_id id) {
    if (id.gen == 0 || id.slot >= (uint32_t)w->robot.nactuator || !pp_alive(id.gen)) return -1;
    return w->robot.actuator[id.slot].gen == id.gen ? (int)id.slot : -1;
}

/* Row of a live actuator in robot.ctrl. */
static int row_of(const perp_world *w, int slot) {
    int row = 0;
    for (int i = 0; i < slot; i++) row += pp_alive(w->robot.actuator[i].gen);
    return row;
}

static perp_status check_range(perp_world *w, const char *what, double lo, double hi) {
    if (!(lo <= hi) || lo == INFINITY || hi == -INFINITY)
        return pp_fail(w, PERP_E_ARG, "%s of the actuator is [%g, %g]; the smaller number comes first", what, lo, hi);
    return PERP_OK;
}

static perp_status check(perp_world *w, const perp_actuator_def *d) {
    if (!d || d->cookie != COOKIE)
        return pp_fail(w, PERP_E_ARG, "the actuator definition was not made by perp_actuator_def_default()");
    if (!((int)d->kind >= 0 && d->kind < PERP_ACTUATOR_KIND_COUNT))
        return pp_fail(w, PERP_E_ARG, "actuator kind %d does not exist", (int)d->kind);
    int joint = pp_joint_slot(w, d->joint);
    if (joint < 0) return pp_fail(w, PERP_E_ARG, "perp_actuator_add: the joint id is stale or was never given");
    int n = perp_joint_ncoord(w->joint[joint].def.kind, w->def.dim);
    if (d->coord < 0 || d->coord >= n)
        return pp_fail(w, PERP_E_ARG, "coordinate of the actuator is %d; its joint has %d", d->coord, n);
    if (w->joint[joint].actuator[d->coord] >= 0)
        return pp_fail(w, PERP_E_ARG, "coordinate %d of the joint has an actuator already", d->coord);
    if (!isfinite(d->gear) || d->gear == 0)
        return pp_fail(w, PERP_E_ARG, "gear of the actuator is %g; it must be finite and not 0", d->gear);
    if (!(d->kp >= 0 && isfinite(d->kp))) return pp_fail(w, PERP_E_ARG, "kp is %g; it must be finite and >= 0", d->kp);
    if (!(d->kv >= 0 && isfinite(d->kv))) return pp_fail(w, PERP_E_ARG, "kv is %g; it must be finite and >= 0", d->kv);
    if (!isfinite(d->ctrl)) return pp_fail(w, PERP_E_ARG, "ctrl is %g; it must be finite", d->ctrl);
    if (!isfinite(d->ctrl_scale) || !isfinite(d->ctrl_offset))
        return pp_fail(w, PERP_E_ARG, "scale and offset of ctrl are %g and %g; they must be finite", d->ctrl_scale,
                       d->ctrl_offset);
    perp_status st = check_range(w, "the range of ctrl", d->ctrl_lo, d->ctrl_hi);
    if (!st) st = check_range(w, "the range of force", d->force_lo, d->force_hi);
    if (!st) st = check_range(w, "the range of force on the joint", d->joint_lo, d->joint_hi);
    return st;
}

perp_status perp_actuator_add(perp_world *w, const perp_actuator_def *def, perp_actuator_id *out) {
    if (out) *out = (perp_actuator_id){0, 0};
    perp_status st = check(w, def);
    if (st) return st;
    pp_actuator a = {.joint = (int)def->joint.slot, .def = *def};
    int live = w->robot.nactuator - w->robot.dead_actuator;
    if (!PP_GROW(&w->alloc, w->robot.actuator, w->robot.cap_actuator, w->robot.nactuator, w->robot.nactuator + 1) ||
        !PP_GROW(&w->alloc, w->robot.ctrl, w->robot.cap_ctrl, live, live + 1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for an actuator");
    bool ok = true;
    a.name = pp_copy_name(&w->alloc, def->name, &ok);
    if (!ok) return pp_fail(w, PERP_E_MEMORY, "out of memory for the name of an actuator");
    a.def.name = NULL;
    int slot = pp_slot_claim(w->robot.actuator, w->robot.nactuator, w->robot.dead_actuator, sizeof *w->robot.actuator);
    a.gen = w->robot.actuator[slot].gen + 1;
    w->robot.actuator[slot] = a;
    if (slot == w->robot.nactuator)
        w->robot.nactuator++;
    else
        w->robot.dead_actuator--;
    double *ctrl = w->robot.ctrl + row_of(w, slot);
    memmove(ctrl + 1, ctrl, (size_t)(live - (ctrl - w->robot.ctrl)) * sizeof *ctrl);
    *ctrl = def->ctrl;
    pp_joint *j = &w->joint[a.joint];
    j->actuator[def->coord] = slot;
    pp_forces_were_set(&w->state, j->a, j->b);
    if (out) *out = (perp_actuator_id){(uint32_t)slot, a.gen};
    return PERP_OK;
}

void pp_actuator_drop(perp_world *w, int slot) {
    pp_actuator *a = &w->robot.actuator[slot];
    pp_joint *j = &w->joint[a->joint];
    int row = row_of(w, slot), live = w->robot.nactuator - w->robot.dead_actuator;
    memmove(w->robot.ctrl + row, w->robot.ctrl + row + 1, (size_t)(live - row - 1) * sizeof *w->robot.ctrl);
    j->actuator[a->def.coord] = -1;
    pp_forces_were_set(&w->state, j->a, j->b);
    pp_free(&w->alloc, a->name);
    a->name = NULL;
    a->gen++;
    w->robot.dead_actuator++;
}

perp_status perp_actuator_remove(perp_world *w, perp_actuator_id id) {
    int slot = slot_of(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "perp_actuator_remove: the actuator id is stale or was never given");
    pp_actuator_drop(w, slot);
    return PERP_OK;
}

int perp_world_actuators(const perp_world *w, perp_actuator_id *out, int max) {
    int n = 0;
    for (int i = 0; i < w->robot.nactuator; i++) {
        if (!pp_alive(w->robot.actuator[i].gen)) continue;
        if (n < max) out[n] = (perp_actuator_id){(uint32_t)i, w->robot.actuator[i].gen};
        n++;
    }
    return n;
}

perp_actuator_id perp_actuator_find(const perp_world *w, const char *name) {
    for (int i = 0; name && i < w->robot.nactuator; i++)
        if (pp_alive(w->robot.actuator[i].gen) && w->robot.actuator[i].name &&
            strcmp(w->robot.actuator[i].name, name) == 0)
            return (perp_actuator_id){(uint32_t)i, w->robot.actuator[i].gen};
    return (perp_actuator_id){0, 0};
}

perp_status perp_actuator_get(const perp_world *w, perp_actuator_id id, perp_actuator_def *out) {
    int slot = slot_of(w, id);
    if (slot < 0 || !out) return PERP_E_ARG;
    const pp_actuator *a = &w->robot.actuator[slot];
    *out = a->def;
    out->ctrl = w->robot.ctrl[row_of(w, slot)];
    out->joint = (perp_joint_id){(uint32_t)a->joint, w->joint[a->joint].gen};
    out->name = a->name;
    return PERP_OK;
}

static void give_ctrl(perp_world *w, pp_actuator *a, double *row, double ctrl) {
    *row = ctrl;
    if (a->def.ctrl == ctrl) return;
    a->def.ctrl = ctrl;
    pp_joint_forces_were_set(w, a->joint);
}

perp_status perp_actuator_set_ctrl(perp_world *w, perp_actuator_id id, double ctrl) {
    int slot = slot_of(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "perp_actuator_set_ctrl: the actuator id is stale or was never given");
    if (!isfinite(ctrl)) return pp_fail(w, PERP_E_ARG, "ctrl is %g; it must be finite", ctrl);
    give_ctrl(w, &w->robot.actuator[slot], w->robot.ctrl + row_of(w, slot), ctrl);
    return PERP_OK;
}

perp_status perp_actuator_set_ctrl_fn(perp_world *w, perp_actuator_id id, perp_ctrl_fn fn, void *ctx) {
    int slot = slot_of(w, id);
    if (slot < 0)
        return pp_fail(w, PERP_E_ARG, "perp_actuator_set_ctrl_fn: the actuator id is stale or was never given");
    w->robot.actuator[slot].def.ctrl_fn = fn;
    w->robot.actuator[slot].def.ctrl_ctx = ctx;
    return PERP_OK;
}

perp_status perp_world_set_ctrl(perp_world *w, const double *ctrl, int n) {
    int have = perp_world_actuators(w, NULL, 0);
    if (n != have || (n > 0 && !ctrl))
        return pp_fail(w, PERP_E_ARG, "ctrl has %d numbers; the world has %d actuators", n, have);
    for (int i = 0; i < n; i++)
        if (!isfinite(ctrl[i])) return pp_fail(w, PERP_E_ARG, "ctrl[%d] is %g; it must be finite", i, ctrl[i]);
    for (int i = 0, k = 0; i < w->robot.nactuator; i++)
        if (pp_alive(w->robot.actuator[i].gen)) {
            give_ctrl(w, &w->robot.actuator[i], w->robot.ctrl + k, ctrl[k]);
            k++;
        }
    return PERP_OK;
}

int perp_world_get_ctrl(const perp_world *w, double *ctrl, int max) {
    int n = w->robot.nactuator - w->robot.dead_actuator;
    for (int i = 0; i < n && i < max; i++) ctrl[i] = w->robot.ctrl[i];
    return n;
}

perp_status perp_actuator_force(const perp_world *w, perp_actuator_id id, double *force) {
    int slot = slot_of(w, id);
    if (slot < 0 || !force) return PERP_E_ARG;
    const pp_actuator *a = &w->robot.actuator[slot];
    *force = a->span > 0 ? a->impulse / a->span : 0;
    return PERP_OK;
}

static int find_pair(const perp_world *w, int a, int b) {
    for (int i = 0; i < w->robot.nexclude; i++)
        if ((w->robot.exclude[i].a == a && w->robot.exclude[i].b == b) ||
            (w->robot.exclude[i].a == b && w->robot.exclude[i].b == a))
            return i;
    return -1;
}

/* Slots of two different live bodies. */
static perp_status two_bodies(perp_world *w, const char *who, perp_body_id a, perp_body_id b, int slot[2]) {
    slot[0] = pp_body_slot(w, a);
    slot[1] = pp_body_slot(w, b);
    if (slot[0] < 0 || slot[1] < 0) return pp_fail(w, PERP_E_ARG, "%s: a body id is stale or was never given", who);
    if (slot[0] == slot[1]) return pp_fail(w, PERP_E_ARG, "%s: a body never touches itself", who);
    return PERP_OK;
}

perp_status perp_world_exclude(perp_world *w, perp_body_id a, perp_body_id b) {
    int slot[2];
    perp_status st = two_bodies(w, "perp_world_exclude", a, b, slot);
    if (st || find_pair(w, slot[0], slot[1]) >= 0) return st;
    if (!PP_GROW(&w->alloc, w->robot.exclude, w->robot.cap_exclude, w->robot.nexclude, w->robot.nexclude + 1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a pair of bodies");
    w->robot.exclude[w->robot.nexclude++] = (pp_body_pair){slot[0], slot[1]};
    pp_forget(w);
    return PERP_OK;
}

static void drop_pair(perp_world *w, int at) {
    for (int i = at; i + 1 < w->robot.nexclude; i++) w->robot.exclude[i] = w->robot.exclude[i + 1];
    w->robot.nexclude--;
}

perp_status perp_world_include(perp_world *w, perp_body_id a, perp_body_id b) {
    int slot[2];
    perp_status st = two_bodies(w, "perp_world_include", a, b, slot);
    if (st) return st;
    int at = find_pair(w, slot[0], slot[1]);
    if (at < 0) return pp_fail(w, PERP_E_ARG, "perp_world_include: the two bodies were not excluded");
    drop_pair(w, at);
    pp_forget(w);
    return PERP_OK;
}

void pp_exclude_drop(perp_world *w, int body) {
    for (int i = w->robot.nexclude - 1; i >= 0; i--)
        if (w->robot.exclude[i].a == body || w->robot.exclude[i].b == body) drop_pair(w, i);
}

int perp_world_exclude_count(const perp_world *w) { return w->robot.nexclude; }

perp_status perp_world_exclude_at(const perp_world *w, int i, perp_body_id *a, perp_body_id *b) {
    if (i < 0 || i >= w->robot.nexclude || !a || !b) return PERP_E_ARG;
    *a = (perp_body_id){(uint32_t)w->robot.exclude[i].a, w->body[w->robot.exclude[i].a].gen};
    *b = (perp_body_id){(uint32_t)w->robot.exclude[i].b, w->body[w->robot.exclude[i].b].gen};
    return PERP_OK;
}

bool pp_clone_actuators(const perp_world *w, perp_world *to) {
    const perp_allocator *a = &to->alloc;
    int live = w->robot.nactuator - w->robot.dead_actuator;
    if (!PP_GROW(a, to->robot.actuator, to->robot.cap_actuator, 0, w->robot.nactuator) ||
        !PP_GROW(a, to->robot.ctrl, to->robot.cap_ctrl, 0, live) ||
        !PP_GROW(a, to->robot.exclude, to->robot.cap_exclude, 0, w->robot.nexclude))
        return false;
    pp_copy_bytes(to->robot.exclude, w->robot.exclude, (size_t)w->robot.nexclude * sizeof *w->robot.exclude);
    to->robot.nexclude = w->robot.nexclude;
    pp_copy_bytes(to->robot.ctrl, w->robot.ctrl, (size_t)live * sizeof *w->robot.ctrl);
    for (int i = 0; i < w->robot.nactuator; i++) {
        bool ok = true;
        to->robot.actuator[i] = w->robot.actuator[i];
        to->robot.actuator[i].name = pp_copy_name(a, w->robot.actuator[i].name, &ok);
        to->robot.nactuator = i + 1;
        if (!ok) return false;
    }
    to->robot.dead_actuator = w->robot.dead_actuator;
    return true;
}
