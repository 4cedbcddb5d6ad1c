/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint.c - joints of a world: adding, removing, reading */
#include <string.h>

#include "model/coupling.h"
#include "model/joint_geometry.h"
#include "stage/frame.h"
#include "stage/stepper.h"
#include "world/lifetime.h"
#include "step/stagger.h"

int pp_joint_slot(const perp_world *w, perp_joint_id id) {
    if (id.slot >= (uint32_t)w->njoint || !pp_alive(id.gen)) return -1;
    return w->joint[id.slot].gen == id.gen ? (int)id.slot : -1;
}

/* Whether the sum of coupling or tendon j contains a coordinate of joint `slot`. */
static bool sums_up(const pp_joint *j, int slot) {
    for (int k = 0; k < j->def.nterm; k++)
        if (j->term[k].joint.slot == (uint32_t)slot) return true;
    return false;
}

void pp_joint_drop(perp_world *w, int slot) {
    for (int i = 0; i < w->njoint; i++)
        if (pp_alive(w->joint[i].gen) && sums_up(&w->joint[i], slot)) pp_joint_drop(w, i);
    for (int i = 0; i < w->nforce; i++)
        if (pp_alive(w->force[i].gen) && w->force[i].def.kind == PERP_FORCE_PD && w->force[i].joint == slot)
            pp_force_drop(w, i);
    for (int i = 0; i < w->robot.nactuator; i++)
        if (pp_alive(w->robot.actuator[i].gen) && w->robot.actuator[i].joint == slot) pp_actuator_drop(w, i);
    pp_sensor_drop_of(w, slot, -1, -1);
    pp_free(&w->alloc, w->joint[slot].name);
    pp_free(&w->alloc, w->joint[slot].term);
    w->joint[slot].name = NULL;
    w->joint[slot].term = NULL;
    w->joint[slot].def.nterm = 0;
    w->joint[slot].gen++;
    w->room.dead_joint++;
    pp_forget(w);
}

void pp_forget(perp_world *w) {
    w->last.ncontact = 0;
    w->warm.ncontact = w->warm.njoint = 0;
    w->last.has_problem = false;
    for (int i = 0; i < w->nbody; i++) pp_force_was_set(&w->state, i); /* the joint may have supported them */
}

/* Refuses armature if the stepper does not support it. */
static perp_status check_armature(perp_world *w, const perp_joint_def *def) {
    for (int c = 0; c < PERP_JOINT_MAX_COORD && !w->chosen.stepper->armature; c++)
        if (def->axis[c].armature > 0)
            return pp_fail(w, PERP_E_FIT,
                           "axis[%d].armature = %g: stepper %s has none; stewart-trinkle, anitescu-potra and "
                           "second-order have",
                           c, def->axis[c].armature, w->chosen.stepper->name);
    return PERP_OK;
}

/* The two bodies of a joint. */
static perp_status find_sides(perp_world *w, const perp_joint_def *def, pp_joint *j) {
    j->b = pp_body_slot(w, def->b);
    if (j->b < 0) return pp_fail(w, PERP_E_ARG, "perp_joint_add: body b is stale or was never given");
    if (def->a.gen != 0) {
        j->a = pp_body_slot(w, def->a);
        if (j->a < 0) return pp_fail(w, PERP_E_ARG, "perp_joint_add: body a is stale or was never given");
    }
    if (j->a == j->b) return pp_fail(w, PERP_E_ARG, "perp_joint_add: a body cannot be joined to itself");
    bool moves = w->body[j->b].kind == PERP_BODY_DYNAMIC || (j->a >= 0 && w->body[j->a].kind == PERP_BODY_DYNAMIC);
    if (!moves) return pp_fail(w, PERP_E_ARG, "perp_joint_add: at least one of the bodies must be dynamic");
    return PERP_OK;
}

/* The joints of a coupling or tendon. */
static perp_status find_terms(perp_world *w, const perp_joint_def *def, pp_joint *j) {
    const char *kind = pp_joint_kind_name(def->kind);
    if (!w->chosen.stepper->couplings)
        return pp_fail(w, PERP_E_FIT,
                       "joint kind %s: stepper %s has none; stewart-trinkle, anitescu-potra and second-order have",
                       kind, w->chosen.stepper->name);
    if (w->def.joint_correction)
        return pp_fail(w, PERP_E_FIT, "joint kind %s: joint_correction corrects joints between bodies only", kind);
    if (def->a.gen != 0 || def->b.gen != 0)
        return pp_fail(w, PERP_E_ARG, "perp_joint_add: a %s has no bodies of its own", kind);
    for (int k = 0; k < def->nterm; k++) {
        int of = pp_joint_slot(w, def->term[k].joint);
        if (of < 0) return pp_fail(w, PERP_E_ARG, "term[%d].joint is stale or was never given", k);
        int n = perp_joint_ncoord(w->joint[of].def.kind, w->def.dim);
        if (pp_couples(&w->joint[of]))
            return pp_fail(w, PERP_E_ARG, "term[%d].joint is a %s; terms are coordinates of joints between bodies", k,
                           pp_joint_kind_name(w->joint[of].def.kind));
        if (def->term[k].coord < 0 || def->term[k].coord >= n)
            return pp_fail(w, PERP_E_ARG, "term[%d].coord is %d; this joint has %d coordinates", k, def->term[k].coord,
                           n);
    }
    j->term = pp_alloc(&w->alloc, (size_t)def->nterm * sizeof *j->term);
    if (!j->term) return pp_fail(w, PERP_E_MEMORY, "out of memory for a joint");
    memcpy(j->term, def->term, (size_t)def->nterm * sizeof *j->term);
    j->def.term = j->term;
    return PERP_OK;
}

/* Adds a checked joint to the world. */
static perp_status put_joint(perp_world *w, pp_joint *j, const perp_joint_def *def, perp_joint_id *out) {
    if (!PP_GROW(&w->alloc, w->joint, w->room.cap_joint, w->njoint, w->njoint + 1) ||
        !pp_state_grow(w, w->nbody, w->njoint + 1) ||
        !PP_GROW(&w->alloc, w->last.joint_impulse, w->last.cap_joint_impulse, w->last.cap_joint_impulse, w->njoint + 1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a joint");
    bool ok = true;
    j->name = pp_copy_name(&w->alloc, def->name, &ok);
    if (!ok) return pp_fail(w, PERP_E_MEMORY, "out of memory for the name of a joint");
    j->def.name = NULL;
    j->def.X_AJ.q = pp_unit_once(def->X_AJ.q);
    j->def.X_BJ.q = pp_unit_once(def->X_BJ.q);
    int first = 0; /* a coupling gets a slot after those of its joints, as in a scene */
    for (int k = 0; k < j->def.nterm; k++)
        if ((int)j->term[k].joint.slot >= first) first = (int)j->term[k].joint.slot + 1;
    int slot = first + pp_slot_claim(w->joint + first, w->njoint - first, w->room.dead_joint, sizeof *w->joint);
    j->gen = w->joint[slot].gen + 1;
    w->joint[slot] = *j;
    if (slot == w->njoint)
        w->njoint++;
    else
        w->room.dead_joint--;
    memset(w->state.coord[slot], 0, sizeof w->state.coord[slot]);
    memset(&w->last.joint_impulse[slot], 0, sizeof w->last.joint_impulse[slot]);
    pp_joint_coords_at(w, &w->state, &w->state, slot, w->state.coord[slot]); /* from 0 on */
    if (out) *out = (perp_joint_id){(uint32_t)slot, j->gen};
    return PERP_OK;
}

perp_status perp_joint_add(perp_world *w, const perp_joint_def *def, perp_joint_id *out) {
    if (out) *out = (perp_joint_id){0, 0};
    if (!def) return pp_fail(w, PERP_E_ARG, "perp_joint_add: def is NULL");
    perp_status st = pp_joint_check(def, w->def.dim, w->why, sizeof w->why);
    if (!st) st = check_armature(w, def);
    if (st) return st;
    pp_joint j = {.a = -1, .b = -1, .def = *def};
    for (int i = 0; i < PERP_JOINT_MAX_COORD; i++) j.actuator[i] = -1;
    st = pp_couples(&j) ? find_terms(w, def, &j) : find_sides(w, def, &j);
    if (!st) st = put_joint(w, &j, def, out);
    if (st) pp_free(&w->alloc, j.term);
    return st;
}

perp_status perp_joint_remove(perp_world *w, perp_joint_id id) {
    int slot = pp_joint_slot(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "perp_joint_remove: the joint id is stale or was never given");
    pp_joint_drop(w, slot);
    return PERP_OK;
}

perp_status perp_joint_read(const perp_world *w, perp_joint_id id, double *coord, double *rate) {
    int slot = pp_joint_slot(w, id);
    if (slot < 0) return PERP_E_ARG;
    if (coord) pp_joint_coords_at(w, &w->state, &w->state, slot, coord);
    if (rate) pp_joint_rates_at(w, &w->state, slot, rate);
    return PERP_OK;
}

perp_status perp_joint_impulse(const perp_world *w, perp_joint_id id, perp_wrench *out) {
    int slot = pp_joint_slot(w, id);
    if (slot < 0) return PERP_E_ARG;
    *out = w->last.joint_impulse[slot];
    return PERP_OK;
}

perp_status perp_joint_error(const perp_world *w, perp_joint_id id, double *position, double *angle) {
    int slot = pp_joint_slot(w, id);
    if (slot < 0) return PERP_E_ARG;
    const pp_joint *j = &w->joint[slot];
    double phi[6], p = 0, r = 0;
    int n = pp_joint_errors_at(w, &w->state, &w->state, slot, phi), nt = pp_joint_ntranslation(j->def.kind, w->def.dim);
    for (int i = 0; i < n; i++) *(i < nt ? &p : &r) += phi[i] * phi[i];
    if (position) *position = sqrt(p);
    if (angle) *angle = sqrt(r);
    return PERP_OK;
}

perp_status perp_joint_set_axis(perp_world *w, perp_joint_id id, int coord, const perp_joint_axis *axis) {
    int slot = pp_joint_slot(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "perp_joint_set_axis: the joint id is stale or was never given");
    pp_joint *j = &w->joint[slot];
    if (coord < 0 || coord >= perp_joint_ncoord(j->def.kind, w->def.dim) || !axis)
        return pp_fail(w, PERP_E_ARG, "coordinate is %d; this joint has %d", coord,
                       perp_joint_ncoord(j->def.kind, w->def.dim));
    perp_joint_def changed = j->def;
    changed.axis[coord] = *axis;
    perp_status st = pp_joint_check(&changed, w->def.dim, w->why, sizeof w->why);
    if (!st) st = check_armature(w, &changed);
    if (!st) {
        pp_joint_forces_were_set(w, slot);
        j->def = changed;
    }
    return st;
}
