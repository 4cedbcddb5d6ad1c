/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* inspect.c - the contents of a world, as definitions that make the same contents */
#include <string.h>

#include "geometry/shape/implicit_function.h"
#include "stage/stepper.h"
#include "stage/frame.h"
#include "world/lifetime.h"
#include "step/stagger.h"

double perp_world_h(const perp_world *w) { return w->def.h; }
perp_world_def perp_world_get_def(const perp_world *w) { return w->def; }

const char *perp_stage_name(perp_stage s) {
    static const char *const name[PERP_STAGE_COUNT] = {"control", "collision", "contact",    "stepper",
                                                       "solver",  "update",    "certificate"};
    return (int)s >= 0 && s < PERP_STAGE_COUNT ? name[s] : "unknown stage";
}

void perp_world_timing(const perp_world *w, double *seconds) { memcpy(seconds, w->last.timing, sizeof w->last.timing); }

static bool same_name(const char *name, const char *wanted) { return name && strcmp(name, wanted) == 0; }

perp_body_id perp_body_find(const perp_world *w, const char *name) {
    for (int i = 0; name && i < w->nbody; i++)
        if (pp_alive(w->body[i].gen) && same_name(w->body[i].name, name))
            return (perp_body_id){(uint32_t)i, w->body[i].gen};
    return (perp_body_id){0, 0};
}

static perp_body_id body_id(const perp_world *w, int slot) {
    return slot < 0 ? (perp_body_id){0, 0} : (perp_body_id){(uint32_t)slot, w->body[slot].gen};
}

perp_status perp_body_get(const perp_world *w, perp_body_id id, perp_body_def *out) {
    int slot = pp_body_slot(w, id);
    if (slot < 0 || !out) return PERP_E_ARG;
    const pp_body *b = &w->body[slot];
    *out = perp_body_def_default(b->kind);
    out->X_WB = w->state.X[slot];
    out->v_W = pp_shown_v(&w->state, slot);
    out->w_W = pp_shown_w(&w->state, slot);
    out->mass = b->mass;
    out->I_B = b->I_B;
    out->particle = b->particle;
    out->no_gravity = b->no_gravity;
    out->name = b->name;
    out->label = b->label;
    return PERP_OK;
}

int perp_world_shapes(const perp_world *w, perp_shape_id *out, int max) {
    int n = 0;
    for (int i = 0; i < w->nshape; i++) {
        if (!pp_alive(w->shape[i].gen)) continue;
        if (n < max) out[n] = (perp_shape_id){(uint32_t)i, w->shape[i].gen};
        n++;
    }
    return n;
}

perp_status perp_shape_get(const perp_world *w, perp_shape_id id, perp_shape_view *out) {
    int slot = pp_shape_slot(w, id);
    if (slot < 0 || !out) return PERP_E_ARG;
    const pp_shape *s = &w->shape[slot];
    const pp_geometry *g = s->g;
    *out = (perp_shape_view){.body = body_id(w, s->body)};
    perp_shape_def *d = &out->def;
    *d = perp_shape_particle(s->X_BS.p); /* for the cookie */
    d->kind = g->kind;
    d->X_BS = s->X_BS;
    d->radius = g->radius;
    if (g->kind == PERP_SHAPE_CAPSULE) d->half_length = g->vert[1].x;
    if (g->kind == PERP_SHAPE_CYLINDER) d->half_length = g->half.z;
    if (g->kind == PERP_SHAPE_ELLIPSOID || g->kind == PERP_SHAPE_SUPERELLIPSOID) d->half_size = g->half;
    memcpy(d->exponent, g->exponent, sizeof d->exponent);
    if (g->kind == PERP_SHAPE_INTERSECTION) {
        d->function = g->function;
        d->nfunction = g->nfunction;
        d->bound = g->bound;
    }
    d->normal = g->normal;
    d->offset = g->offset;
    d->material = s->material;
    d->group = s->group;
    d->mask = s->mask;
    for (int i = 0; i < w->nbelt; i++) {
        const pp_belt_def *b = &w->belt[i];
        if (b->shape != slot) continue;
        d->surface_velocity = b->v_B;
        d->surface_motion = b->motion;
        d->surface_ctx = b->ctx;
    }
    d->visual = s->visual;
    d->colour = s->colour;
    bool corners = pp_is_implicit(g) || g->kind == PERP_SHAPE_BOX || g->kind == PERP_SHAPE_POLYGON ||
                   g->kind == PERP_SHAPE_POLYHEDRON;
    if (!corners) return PERP_OK;
    d->points = g->vert;
    d->npoint = g->nvert;
    if (g->kind == PERP_SHAPE_BOX) /* its corners are at +-half_size */
        d->half_size = perp_v3(fabs(g->vert[0].x), fabs(g->vert[0].y), fabs(g->vert[0].z));
    if (w->def.dim == 3) {
        out->nface = g->nface;
        out->face_start = g->face_start;
        out->face = g->face_vert;
    }
    return PERP_OK;
}

int perp_material_count(const perp_world *w) { return w->nmaterial; }

perp_status perp_pair_get(const perp_world *w, int a, int b, perp_pair_law *law) {
    if (a < 0 || b < 0 || a >= w->nmaterial || b >= w->nmaterial || !law) return PERP_E_ARG;
    *law = w->law[a * w->nmaterial + b];
    return PERP_OK;
}

int perp_world_joints(const perp_world *w, perp_joint_id *out, int max) {
    int n = 0;
    for (int i = 0; i < w->njoint; i++) {
        if (!pp_alive(w->joint[i].gen)) continue;
        if (n < max) out[n] = (perp_joint_id){(uint32_t)i, w->joint[i].gen};
        n++;
    }
    return n;
}

perp_joint_id perp_joint_find(const perp_world *w, const char *name) {
    for (int i = 0; name && i < w->njoint; i++)
        if (pp_alive(w->joint[i].gen) && same_name(w->joint[i].name, name))
            return (perp_joint_id){(uint32_t)i, w->joint[i].gen};
    return (perp_joint_id){0, 0};
}

perp_status perp_joint_get(const perp_world *w, perp_joint_id id, perp_joint_def *out) {
    int slot = pp_joint_slot(w, id);
    if (slot < 0 || !out) return PERP_E_ARG;
    const pp_joint *j = &w->joint[slot];
    *out = j->def;
    out->a = body_id(w, j->a);
    out->b = body_id(w, j->b);
    out->name = j->name;
    return PERP_OK;
}

perp_status perp_body_get_force(const perp_world *w, perp_body_id id, perp_vec3 *force_W, perp_vec3 *torque_W) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return PERP_E_ARG;
    if (force_W) *force_W = w->body[slot].force_W;
    if (torque_W) *torque_W = w->body[slot].torque_W;
    return PERP_OK;
}

bool perp_body_get_motion(const perp_world *w, perp_body_id id, perp_motion_def *out, perp_pose *from) {
    int slot = pp_body_slot(w, id);
    if (slot < 0 || !w->body[slot].motion || !out) return false;
    perp_pose X;
    *out = pp_motion_definition(w->body[slot].motion, &X);
    if (from) *from = X;
    return true;
}

int perp_world_force_count(const perp_world *w) { return perp_world_forces(w, NULL, 0); }

int perp_world_forces(const perp_world *w, perp_force_id *out, int max) {
    int n = 0;
    for (int i = 0; i < w->nforce; i++) {
        if (!pp_alive(w->force[i].gen)) continue;
        if (n < max) out[n] = (perp_force_id){(uint32_t)i, w->force[i].gen};
        n++;
    }
    return n;
}

perp_status perp_force_get(const perp_world *w, perp_force_id id, perp_force_def *out) {
    int slot = pp_force_slot(w, id);
    if (slot < 0 || !out) return PERP_E_ARG;
    const pp_force *f = &w->force[slot];
    *out = f->def;
    out->a = body_id(w, f->a);
    out->b = body_id(w, f->b);
    out->joint = f->joint < 0 ? (perp_joint_id){0, 0} : (perp_joint_id){(uint32_t)f->joint, w->joint[f->joint].gen};
    return PERP_OK;
}

perp_status perp_world_get(const perp_world *w, const char *name, double *value) {
    const char *dot = name ? strrchr(name, '.') : NULL;
    for (int i = 0; dot && i < w->chosen.nsolver; i++) {
        const perp_solver_type *s = w->chosen.solver[i];
        if (strlen(s->name) == (size_t)(dot - name) && strncmp(s->name, name, (size_t)(dot - name)) == 0)
            return perp_fields_get(s->fields, s->nfield, w->chosen.settings[i].bytes, dot + 1, value);
    }
    const pp_stepper_type *s = w->chosen.stepper;
    if (dot && strlen(s->name) == (size_t)(dot - name) && strncmp(s->name, name, (size_t)(dot - name)) == 0)
        return perp_fields_get(s->fields, s->nfield, w->chosen.stepper_settings.bytes, dot + 1, value);
    return PERP_E_NAME;
}
