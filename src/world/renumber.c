/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* renumber.c - slots without gaps, and shapes in another order
 *
 * Method   Three maps from old to new slots: of bodies, shapes and joints. Everything that is indexed by a slot, or contains one, is
 *          moved by its map. If the order of shapes does not change, all maps are monotone. Every loop over slots then visits the
 *          same elements in the same order, and the world continues with the same bits.
 * Cost     linear in the slots; allocates the maps and a copy of the shapes. */
#include <string.h>

#include "stage/frame.h"
#include "world/lifetime.h"

typedef struct maps {
    int *body, *shape, *joint; /* slot now -> slot after; -1: dead */
    pp_shape *moved;           /* the shapes in their new order */
    int nbody, nshape, njoint; /* after */
} maps;

static void free_maps(const perp_allocator *a, maps *m) {
    pp_free(a, m->body);
    pp_free(a, m->shape);
    pp_free(a, m->joint);
    pp_free(a, m->moved);
}

/* Numbers the live elements in their order. The first field of an element is its generation. @return how many */
static int count_on(const void *array, int n, size_t size, int *map) {
    int living = 0;
    for (int i = 0; i < n; i++) {
        bool alive = pp_alive(*(const uint32_t *)(const void *)((const char *)array + (size_t)i * size));
        map[i] = alive ? living++ : -1;
    }
    return living;
}

/* Changes the map of the live shapes to the given order; false if it is not a permutation. map: on entry their places in the present
 * order. */
static bool order_shapes(const int *order, int n, int nslot, int *map, int *place) {
    for (int k = 0; k < n; k++) place[k] = -1;
    for (int k = 0; k < n; k++) {
        if (order[k] < 0 || order[k] >= n || place[order[k]] >= 0) return false;
        place[order[k]] = k;
    }
    for (int i = 0; i < nslot; i++)
        if (map[i] >= 0) map[i] = place[map[i]];
    return true;
}

static void move_bodies(perp_world *w, const maps *m) {
    pp_state *s = &w->state;
    for (int i = 0; i < w->nbody; i++) {
        int to = m->body[i];
        if (to < 0) continue; /* a dead body owns no memory */
        w->body[to] = w->body[i];
        w->body[to].gen = 1;
        s->X[to] = s->X[i];
        s->theta[to] = s->theta[i];
        s->v[to] = s->v[i];
        s->w[to] = s->w[i];
        s->dv[to] = s->dv[i];
        s->dw[to] = s->dw[i];
        s->mark[to] = s->mark[i];
    }
    /* fresh slots are zeroed */
    if (w->nbody > m->nbody) memset(w->body + m->nbody, 0, (size_t)(w->nbody - m->nbody) * sizeof *w->body);
    w->nbody = m->nbody;
    w->room.dead_body = 0;
}

static void move_shapes(perp_world *w, const maps *m) {
    for (int i = 0; i < w->nshape; i++) {
        if (m->shape[i] < 0) continue;
        pp_shape *to = &m->moved[m->shape[i]];
        *to = w->shape[i];
        to->gen = 1;
        to->body = m->body[to->body];
    }
    if (w->nshape) memset(w->shape, 0, (size_t)w->nshape * sizeof *w->shape);
    if (m->nshape) memcpy(w->shape, m->moved, (size_t)m->nshape * sizeof *w->shape);
    w->nshape = m->nshape;
    w->room.dead_shape = 0;
    for (int i = 0; i < w->nbelt; i++) w->belt[i].shape = m->shape[w->belt[i].shape];
}

static int body_after(const maps *m, int slot) { return slot < 0 ? slot : m->body[slot]; }

static void move_joints(perp_world *w, const maps *m) {
    for (int i = 0; i < w->njoint; i++) {
        int to = m->joint[i];
        if (to < 0) continue;
        w->joint[to] = w->joint[i];
        w->joint[to].gen = 1;
        w->joint[to].a = body_after(m, w->joint[to].a);
        w->joint[to].b = body_after(m, w->joint[to].b);
        for (int k = 0; k < w->joint[to].def.nterm; k++) {
            perp_joint_id *of = &w->joint[to].term[k].joint;
            *of = (perp_joint_id){(uint32_t)m->joint[of->slot], 1};
        }
        memmove(w->state.coord[to], w->state.coord[i], sizeof w->state.coord[i]);
        w->last.joint_impulse[to] = w->last.joint_impulse[i];
    }
    if (w->njoint > m->njoint) memset(w->joint + m->njoint, 0, (size_t)(w->njoint - m->njoint) * sizeof *w->joint);
    w->njoint = m->njoint;
    w->room.dead_joint = 0;
}

static void move_forces(perp_world *w, const maps *m) {
    int n = 0;
    for (int i = 0; i < w->nforce; i++) {
        if (!pp_alive(w->force[i].gen)) continue;
        pp_force f = w->force[i];
        f.gen = 1;
        f.a = body_after(m, f.a);
        f.b = body_after(m, f.b);
        if (f.joint >= 0) f.joint = m->joint[f.joint];
        w->force[n++] = f;
    }
    if (w->nforce > n) memset(w->force + n, 0, (size_t)(w->nforce - n) * sizeof *w->force);
    w->nforce = n;
    w->room.dead_force = 0;
}

static void move_sites(perp_world *w, const maps *m) {
    int n = 0;
    for (int i = 0; i < w->robot.nsite; i++) {
        if (!pp_alive(w->robot.site[i].gen)) continue;
        pp_site site = w->robot.site[i];
        site.gen = 1;
        site.body = body_after(m, site.body);
        for (int k = 0; k < w->robot.nsensor; k++)
            if (w->robot.sensor[k].site == i) w->robot.sensor[k].site = n; /* n <= i, so no sensor is changed twice */
        w->robot.site[n++] = site;
    }
    if (w->robot.nsite > n) memset(w->robot.site + n, 0, (size_t)(w->robot.nsite - n) * sizeof *w->robot.site);
    w->robot.nsite = n;
    w->robot.dead_site = 0;
}

static void move_actuators(perp_world *w, const maps *m) {
    int n = 0;
    for (int i = 0; i < w->robot.nactuator; i++) {
        if (!pp_alive(w->robot.actuator[i].gen)) continue;
        pp_actuator a = w->robot.actuator[i];
        w->joint[a.joint].actuator[a.def.coord] = n; /* joints are moved later */
        a.gen = 1;
        a.joint = m->joint[a.joint];
        w->robot.actuator[n++] = a;
    }
    if (w->robot.nactuator > n)
        memset(w->robot.actuator + n, 0, (size_t)(w->robot.nactuator - n) * sizeof *w->robot.actuator);
    w->robot.nactuator = n;
    w->robot.dead_actuator = 0;
    for (int i = 0; i < w->robot.nexclude; i++)
        w->robot.exclude[i] = (pp_body_pair){m->body[w->robot.exclude[i].a], m->body[w->robot.exclude[i].b]};
}

static void move_sensors(perp_world *w, const maps *m) {
    int n = 0;
    for (int i = 0; i < w->robot.nsensor; i++) {
        if (!pp_alive(w->robot.sensor[i].gen)) continue;
        pp_sensor s = w->robot.sensor[i];
        s.gen = 1;
        s.a = body_after(m, s.a);
        s.b = body_after(m, s.b);
        if (s.joint >= 0) s.joint = m->joint[s.joint];
        w->robot.sensor[n++] = s;
    }
    if (w->robot.nsensor > n) memset(w->robot.sensor + n, 0, (size_t)(w->robot.nsensor - n) * sizeof *w->robot.sensor);
    w->robot.nsensor = n;
    w->robot.dead_sensor = 0;
}

/* Moves the stored impulses. They all belong to live shapes and joints, because removing anything drops them. */
static void move_memory(perp_world *w, const maps *m, bool forget_contacts) {
    pp_warm *k = &w->warm;
    if (forget_contacts) k->ncontact = 0;
    for (int i = 0; i < k->ncontact; i++) {
        k->contact[i].slot_a = (uint32_t)m->shape[k->contact[i].slot_a];
        k->contact[i].slot_b = (uint32_t)m->shape[k->contact[i].slot_b];
    }
    for (int i = 0; i < k->njoint; i++) {
        uint32_t slot = k->joint[i].key / PP_JOINT_MAX_ROWS, row = k->joint[i].key % PP_JOINT_MAX_ROWS;
        k->joint[i].key = (uint32_t)m->joint[slot] * PP_JOINT_MAX_ROWS + row;
    }
    w->last.ncontact = 0; /* the contacts of the last step have ids */
    w->last.has_problem = w->last.failed = false;
}

perp_status perp_world_renumber(perp_world *w, const int *shape_order) {
    const perp_allocator *a = &w->alloc;
    maps m = {.body = pp_alloc(a, sizeof *m.body * (size_t)w->nbody),
              .shape = pp_alloc(a, sizeof *m.shape * (size_t)w->nshape),
              .joint = pp_alloc(a, sizeof *m.joint * (size_t)w->njoint),
              .moved = pp_alloc(a, sizeof *m.moved * (size_t)w->nshape)};
    int *place = shape_order ? pp_alloc(a, sizeof *place * (size_t)w->nshape) : NULL;
    perp_status st = PERP_OK;
    if (!m.body || !m.shape || !m.joint || !m.moved || (shape_order && !place))
        st = pp_fail(w, PERP_E_MEMORY, "out of memory to renumber the world");
    if (!st) {
        m.nbody = count_on(w->body, w->nbody, sizeof *w->body, m.body);
        m.nshape = count_on(w->shape, w->nshape, sizeof *w->shape, m.shape);
        m.njoint = count_on(w->joint, w->njoint, sizeof *w->joint, m.joint);
        if (shape_order && !order_shapes(shape_order, m.nshape, w->nshape, m.shape, place))
            st = pp_fail(w, PERP_E_ARG, "shape_order is not a list of all numbers from 0 to %d, each once",
                         m.nshape - 1);
    }
    if (!st) {
        move_memory(w, &m, shape_order != NULL);
        move_forces(w, &m);
        move_sites(w, &m);
        move_actuators(w, &m);
        move_sensors(w, &m);
        move_joints(w, &m);
        move_shapes(w, &m);
        move_bodies(w, &m);
    }
    pp_free(a, place);
    free_maps(a, &m);
    return st;
}
