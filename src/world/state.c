/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* state.c - the changing part of a world: room for it, getting, setting, cloning, hashing
 *
 * A saved state is a header (magic, version, counts), the arrays of pp_state and the warm-start memory. Numbers are native doubles, so
 * a state can be read only by the same program on the same kind of machine. */
#include <string.h>

#include "base/hash.h"
#include "stage/contact_model.h"
#include "stage/frame.h"
#include "stage/solve/sense.h"
#include "world/lifetime.h"
#include "step/stagger.h"

typedef struct saved_header {
    uint64_t magic, layout; /* layout: hash of the kinds of elements in the slots */
    uint64_t size, check;   /* total number of bytes; hash of all bytes, computed with check = 0 */
    double t, lag, substep, elastic_energy, late_energy;
    uint64_t step;
    int32_t nbody, njoint, nwarm_contact, nwarm_joint;
    uint64_t last_resorts;
} saved_header;

static const uint64_t saved_magic = 0x7065727073743039ull; /* "perpst09" */

static uint64_t layout(const perp_world *w) {
    uint64_t h = pp_hash(PP_HASH_START, &w->def.dim, sizeof w->def.dim);
    for (int i = 0; i < w->nbody; i++) {
        h = pp_hash(h, &w->body[i].gen, sizeof w->body[i].gen);
        h = pp_hash(h, &w->body[i].kind, sizeof w->body[i].kind);
    }
    for (int i = 0; i < w->njoint; i++) {
        h = pp_hash(h, &w->joint[i].gen, sizeof w->joint[i].gen);
        h = pp_hash(h, &w->joint[i].def.kind, sizeof w->joint[i].def.kind);
    }
    return h;
}

static uint64_t checksum(saved_header h, const char *rest, size_t size) {
    h.check = 0;
    return pp_hash(pp_hash(PP_HASH_START, &h, sizeof h), rest, size);
}

static size_t saved_size(int nb, int nj, int wc, int wj) {
    return sizeof(saved_header) +
           (size_t)nb * (sizeof(perp_pose) + sizeof(double) + 4 * sizeof(perp_vec3) + sizeof(unsigned char)) +
           (size_t)nj * sizeof(double[PERP_JOINT_MAX_COORD]) + (size_t)wc * sizeof(pp_memory_contact) +
           (size_t)wj * sizeof(pp_memory_joint);
}

size_t perp_world_state_size(const perp_world *w) {
    return saved_size(w->nbody, w->njoint, w->warm.ncontact, w->warm.njoint);
}

/* The arrays of a state in the order of the file, for writing and reading. */
typedef struct span {
    void *data;
    size_t size;
} span;

enum { SPANS = 10 };

static int spans(const perp_world *w, int wc, int wj, span out[SPANS]) {
    const pp_state *s = &w->state;
    size_t nb = (size_t)w->nbody, nj = (size_t)w->njoint;
    span all[SPANS] = {{s->X, nb * sizeof *s->X},
                       {s->theta, nb * sizeof *s->theta},
                       {s->v, nb * sizeof *s->v},
                       {s->w, nb * sizeof *s->w},
                       {s->dv, nb * sizeof *s->dv},
                       {s->dw, nb * sizeof *s->dw},
                       {s->coord, nj * sizeof *s->coord},
                       {w->warm.contact, (size_t)wc * sizeof *w->warm.contact},
                       {w->warm.joint, (size_t)wj * sizeof *w->warm.joint},
                       {s->mark, nb * sizeof *s->mark}};
    memcpy(out, all, sizeof all);
    return SPANS;
}

perp_status perp_world_get_state(const perp_world *w, void *buf, size_t size) {
    size_t need = perp_world_state_size(w);
    if (!buf || size < need) return PERP_E_ARG;
    char *p = (char *)buf + sizeof(saved_header);
    span part[SPANS];
    int n = spans(w, w->warm.ncontact, w->warm.njoint, part);
    for (int i = 0; i < n; i++) {
        pp_copy_bytes(p, part[i].data, part[i].size);
        p += part[i].size;
    }
    saved_header h;
    memset(&h, 0, sizeof h); /* padding too: the same state gives the same bytes */
    h.magic = saved_magic;
    h.layout = layout(w);
    h.size = need;
    h.t = w->state.t;
    h.lag = w->state.lag;
    h.substep = w->state.substep;
    h.elastic_energy = w->state.elastic_energy;
    h.late_energy = w->state.late_energy;
    h.step = w->state.step;
    h.last_resorts = w->state.last_resorts;
    h.nbody = w->nbody;
    h.njoint = w->njoint;
    h.nwarm_contact = w->warm.ncontact;
    h.nwarm_joint = w->warm.njoint;
    h.check = checksum(h, (const char *)buf + sizeof h, need - sizeof h);
    memcpy(buf, &h, sizeof h);
    return PERP_OK;
}

perp_status perp_world_set_state(perp_world *w, const void *buf, size_t size) {
    saved_header h;
    if (!buf || size < sizeof h) return pp_fail(w, PERP_E_ARG, "the state has %zu bytes, less than its header", size);
    memcpy(&h, buf, sizeof h);
    if (h.magic != saved_magic) return pp_fail(w, PERP_E_ARG, "this is not a saved state");
    if (h.nbody != w->nbody || h.njoint != w->njoint || h.layout != layout(w))
        return pp_fail(w, PERP_E_ARG,
                       "the state is of another world: it has %d bodies and %d joints, this world %d and %d, or they "
                       "were added in "
                       "another order",
                       h.nbody, h.njoint, w->nbody, w->njoint);
    bool sane = h.nwarm_contact >= 0 && h.nwarm_joint >= 0 &&
                h.size == saved_size(h.nbody, h.njoint, h.nwarm_contact, h.nwarm_joint) && h.size <= size &&
                isfinite(h.t) && isfinite(h.lag) && isfinite(h.substep) && isfinite(h.elastic_energy) &&
                isfinite(h.late_energy) &&
                h.check == checksum(h, (const char *)buf + sizeof h, (size_t)h.size - sizeof h);
    if (!sane) return pp_fail(w, PERP_E_ARG, "the state is damaged");
    pp_warm *m = &w->warm;
    if (!PP_GROW(&w->alloc, m->contact, m->cap_contact, m->cap_contact, h.nwarm_contact) ||
        !PP_GROW(&w->alloc, m->joint, m->cap_joint, m->cap_joint, h.nwarm_joint))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the state");
    m->ncontact = h.nwarm_contact;
    m->njoint = h.nwarm_joint;
    const char *p = (const char *)buf + sizeof h;
    span part[SPANS];
    int n = spans(w, m->ncontact, m->njoint, part);
    for (int i = 0; i < n; i++) {
        pp_copy_bytes(part[i].data, p, part[i].size);
        p += part[i].size;
    }
    w->state.t = h.t;
    w->state.lag = h.lag;
    w->state.substep = h.substep;
    w->state.elastic_energy = h.elastic_energy;
    w->state.late_energy = h.late_energy;
    w->state.step = h.step;
    w->state.last_resorts = h.last_resorts;
    w->last.ncontact = 0; /* contacts of the last step are not part of a state */
    w->last.has_problem = w->last.failed = false;
    pp_sense_nothing(w);
    pp_twists_refresh(w);
    return PERP_OK;
}

uint64_t perp_world_hash(const perp_world *w) {
    const pp_state *s = &w->state;
    uint64_t h = pp_hash_double(PP_HASH_START, s->t);
    h = pp_hash(h, &s->step, sizeof s->step);
    for (int i = 0; i < w->nbody; i++) {
        if (!pp_alive(w->body[i].gen)) continue;
        const perp_vec3 v = pp_shown_v(s, i), om = pp_shown_w(s, i);
        const double x[] = {s->X[i].p.x, s->X[i].p.y, s->X[i].p.z, s->X[i].q.w, s->X[i].q.x, s->X[i].q.y, s->X[i].q.z,
                            s->theta[i], v.x,         v.y,         v.z,         om.x,        om.y,        om.z};
        for (size_t k = 0; k < sizeof x / sizeof *x; k++) h = pp_hash_double(h, x[k]);
    }
    for (int i = 0; i < w->njoint; i++)
        for (int k = 0; pp_alive(w->joint[i].gen) && k < PERP_JOINT_MAX_COORD; k++)
            h = pp_hash_double(h, s->coord[i][k]);
    return h;
}

/* Copies the arrays of a world into another one without arrays. On failure `to` has the copies made so far; destroying it frees
 * them. */
static bool clone_bodies(const perp_world *w, perp_world *to) {
    const perp_allocator *a = &to->alloc;
    if (!PP_GROW(a, to->body, to->room.cap_body, 0, w->nbody)) return false;
    for (int i = 0; i < w->nbody; i++) {
        bool ok = true;
        to->body[i] = w->body[i];
        to->body[i].motion = NULL;
        to->body[i].support = NULL;
        to->body[i].name = pp_copy_name(a, w->body[i].name, &ok);
        to->body[i].label = ok ? pp_copy_name(a, w->body[i].label, &ok) : NULL;
        to->nbody = i + 1;
        if (!ok || (w->body[i].motion && pp_motion_clone(w->body[i].motion, a, &to->body[i].motion))) return false;
        if (!w->body[i].support) continue;
        size_t size = 3 * sizeof *w->body[i].support;
        to->body[i].support = pp_alloc(a, size);
        if (!to->body[i].support) return false;
        memcpy(to->body[i].support, w->body[i].support, size);
    }
    to->room.dead_body = w->room.dead_body;
    return true;
}

static bool clone_terms(const perp_allocator *a, const pp_joint *from, pp_joint *to) {
    if (from->def.nterm == 0) return true;
    size_t size = (size_t)from->def.nterm * sizeof *to->term;
    to->def.term = to->term = pp_alloc(a, size);
    if (!to->term) return false;
    memcpy(to->term, from->term, size);
    return true;
}

static bool clone_rest(const perp_world *w, perp_world *to) {
    const perp_allocator *a = &to->alloc;
    if (!PP_GROW(a, to->belt, to->room.cap_belt, 0, w->nbelt)) return false;
    pp_copy_bytes(to->belt, w->belt, (size_t)w->nbelt * sizeof *w->belt);
    to->nbelt = w->nbelt;
    if (!PP_GROW(a, to->shape, to->room.cap_shape, 0, w->nshape) ||
        !PP_GROW(a, to->joint, to->room.cap_joint, 0, w->njoint) ||
        !PP_GROW(a, to->force, to->room.cap_force, 0, w->nforce) || !pp_state_grow(to, w->nbody, w->njoint) ||
        !PP_GROW(a, to->last.joint_impulse, to->last.cap_joint_impulse, 0, w->njoint))
        return false;
    for (int i = 0; i < w->nshape; i++) {
        to->shape[i] = w->shape[i];
        to->shape[i].g = NULL;
        to->nshape = i + 1;
        if (w->shape[i].g && !pp_geometry_clone(w->shape[i].g, a, &to->shape[i].g)) return false;
    }
    for (int i = 0; i < w->njoint; i++) {
        bool ok = true;
        to->joint[i] = w->joint[i];
        to->joint[i].term = NULL;
        to->joint[i].name = pp_copy_name(a, w->joint[i].name, &ok);
        to->njoint = i + 1;
        if (!ok || !clone_terms(a, &w->joint[i], &to->joint[i])) return false;
    }
    pp_copy_bytes(to->force, w->force, (size_t)w->nforce * sizeof *w->force);
    to->nforce = w->nforce;
    to->room.dead_shape = w->room.dead_shape;
    to->room.dead_joint = w->room.dead_joint;
    to->room.dead_force = w->room.dead_force;
    int cells = w->nmaterial * w->nmaterial;
    if (!PP_GROW(a, to->law, to->room.cap_law, 0, cells)) return false;
    pp_copy_bytes(to->law, w->law, (size_t)cells * sizeof *w->law);
    to->nmaterial = w->nmaterial;
    to->law_all = w->law_all;
    pp_state_copy(w, &to->state, &w->state);
    pp_copy_bytes(to->last.joint_impulse, w->last.joint_impulse, (size_t)w->njoint * sizeof *w->last.joint_impulse);
    return true;
}

static bool clone_memory(const perp_world *w, perp_world *to) {
    const perp_allocator *a = &to->alloc;
    int nc = w->warm.ncontact, nj = w->warm.njoint;
    if (!PP_GROW(a, to->warm.contact, to->warm.cap_contact, 0, nc) ||
        !PP_GROW(a, to->warm.joint, to->warm.cap_joint, 0, nj) ||
        !PP_GROW(a, to->last.contact, to->last.cap_contact, 0, w->last.ncontact))
        return false;
    pp_copy_bytes(to->warm.contact, w->warm.contact, (size_t)nc * sizeof *w->warm.contact);
    pp_copy_bytes(to->warm.joint, w->warm.joint, (size_t)nj * sizeof *w->warm.joint);
    pp_copy_bytes(to->last.contact, w->last.contact, (size_t)w->last.ncontact * sizeof *w->last.contact);
    to->warm.ncontact = nc;
    to->warm.njoint = nj;
    to->last.ncontact = w->last.ncontact;
    return true;
}

perp_status perp_world_clone(const perp_world *w, perp_world **out) {
    if (!out) return PERP_E_ARG;
    *out = NULL;
    perp_world *to;
    perp_status st = perp_world_create(&w->def, &to);
    if (st) return st;
    memcpy(to->chosen.settings, w->chosen.settings, sizeof to->chosen.settings);
    to->chosen.stepper_settings = w->chosen.stepper_settings;
    to->chosen.start_automatic = w->chosen.start_automatic;
    if (!clone_bodies(w, to) || !clone_rest(w, to) || !pp_clone_sites(w, to) || !pp_clone_actuators(w, to) ||
        !pp_clone_sensors(w, to) || !clone_memory(w, to)) {
        perp_world_destroy(to);
        return PERP_E_MEMORY;
    }
    *out = to;
    return PERP_OK;
}
