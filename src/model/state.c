/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* state.c - the changing part of a world: memory for it, copies, and changes by the user between steps */
#include "model/state.h"

bool pp_state_grow(perp_world *w, int nbody, int njoint) {
    const perp_allocator *a = &w->alloc;
    pp_state *s = &w->state;
    /* seven arrays share one capacity: each grows with its own copy of it, and the common one is set after all have grown */
    int old = w->room.cap_state_body, cap[7] = {old, old, old, old, old, old, old};
    if (nbody > old) {
        if (!PP_GROW(a, s->X, cap[0], old, nbody) || !PP_GROW(a, s->theta, cap[1], old, nbody) ||
            !PP_GROW(a, s->v, cap[2], old, nbody) || !PP_GROW(a, s->w, cap[3], old, nbody) ||
            !PP_GROW(a, s->dv, cap[4], old, nbody) || !PP_GROW(a, s->dw, cap[5], old, nbody) ||
            !PP_GROW(a, s->mark, cap[6], old, nbody))
            return false;
        w->room.cap_state_body = cap[0];
    }
    return PP_GROW(a, s->coord, w->room.cap_state_joint, w->room.cap_state_joint, njoint);
}

void pp_state_release(pp_state *s, const perp_allocator *a) {
    pp_free(a, s->X);
    pp_free(a, s->theta);
    pp_free(a, s->v);
    pp_free(a, s->w);
    pp_free(a, s->dv);
    pp_free(a, s->dw);
    pp_free(a, s->mark);
    pp_free(a, s->coord);
}

perp_status pp_state_new(perp_world *w, pp_state *s) {
    pp_arena *a = &w->arena;
    memset(s, 0, sizeof *s);
    s->X = PP_ARENA_ARRAY(a, perp_pose, w->nbody);
    s->theta = PP_ARENA_ARRAY(a, double, w->nbody);
    s->v = PP_ARENA_ARRAY(a, perp_vec3, w->nbody);
    s->w = PP_ARENA_ARRAY(a, perp_vec3, w->nbody);
    s->dv = PP_ARENA_ARRAY(a, perp_vec3, w->nbody);
    s->dw = PP_ARENA_ARRAY(a, perp_vec3, w->nbody);
    s->mark = PP_ARENA_ARRAY(a, unsigned char, w->nbody);
    s->coord = pp_arena_get(a, sizeof *s->coord * (size_t)(w->njoint > 0 ? w->njoint : 1));
    bool ok = s->X && s->theta && s->v && s->w && s->dv && s->dw && s->mark && s->coord;
    return ok ? PERP_OK : pp_fail(w, PERP_E_MEMORY, "out of memory for %d bodies", w->nbody);
}

void pp_state_copy(const perp_world *w, pp_state *to, const pp_state *from) {
    size_t nb = (size_t)w->nbody, nj = (size_t)w->njoint;
    to->t = from->t;
    to->step = from->step;
    to->lag = from->lag;
    to->substep = from->substep;
    to->elastic_energy = from->elastic_energy;
    to->last_resorts = from->last_resorts;
    to->late_energy = from->late_energy;
    pp_copy_bytes(to->X, from->X, nb * sizeof *to->X);
    pp_copy_bytes(to->theta, from->theta, nb * sizeof *to->theta);
    pp_copy_bytes(to->v, from->v, nb * sizeof *to->v);
    pp_copy_bytes(to->w, from->w, nb * sizeof *to->w);
    pp_copy_bytes(to->dv, from->dv, nb * sizeof *to->dv);
    pp_copy_bytes(to->dw, from->dw, nb * sizeof *to->dw);
    pp_copy_bytes(to->mark, from->mark, nb * sizeof *to->mark);
    pp_copy_bytes(to->coord, from->coord, nj * sizeof *to->coord);
}

void pp_twists_refresh(perp_world *w) {
    int n = w->nbody < w->last.cap_twist ? w->nbody : w->last.cap_twist;
    for (int i = 0; i < n; i++) w->last.twist[i] = (pp_shown_twist){pp_shown_v(&w->state, i), pp_shown_w(&w->state, i)};
}

void pp_velocity_was_set(pp_state *s, int slot, perp_vec3 v, perp_vec3 w) {
    s->v[slot] = v;
    s->w[slot] = w;
    s->dv[slot] = s->dw[slot] = perp_v3(0, 0, 0);
    s->mark[slot] |= PP_VELOCITY_SET;
}

void pp_pose_was_set(pp_state *s, int slot) { pp_velocity_was_set(s, slot, pp_shown_v(s, slot), pp_shown_w(s, slot)); }

void pp_force_was_set(pp_state *s, int slot) {
    if (!(s->mark[slot] & (PP_FORCE_SET | PP_FORCE_VARIES))) s->mark[slot] |= PP_FORCE_JUMPED;
    s->mark[slot] |= PP_FORCE_SET;
}

void pp_forces_were_set(pp_state *s, int a, int b) {
    if (a >= 0) pp_force_was_set(s, a);
    if (b >= 0) pp_force_was_set(s, b);
}

pp_joint_side pp_shown_side(const perp_world *w, const pp_state *s, int slot) {
    pp_joint_side side = pp_side(w, s, slot, NULL);
    if (slot < 0) return side;
    side.v = pp_shown_v(s, slot);
    side.w = pp_shown_w(s, slot);
    return side;
}
