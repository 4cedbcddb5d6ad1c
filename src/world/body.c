/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* body.c - bodies: adding, removing, reading, placing */
#include <string.h>

#include "stage/frame.h"
#include "world/lifetime.h"
#include "step/stagger.h"
#include "base/elementary.h"

perp_body_def perp_body_def_default(perp_body_kind kind) {
    return (perp_body_def){.kind = kind,
                           .X_WB = {{0, 0, 0}, {1, 0, 0, 0}},
                           .mass = 1,
                           .I_B = perp_m3_diag(1, 1, 1),
                           .cookie = PP_COOKIE_BODY};
}

perp_status perp_body_def_mass(perp_body_def *def, const perp_shape_def *shape, int dim, double density) {
    perp_mass m;
    perp_status st = perp_shape_mass(shape, dim, density, &m, NULL, 0);
    if (st) return st;
    /* gyration radius as the size that the offset is compared with; a particle has none and must sit at the origin */
    double trace = m.I_B.c[0].x + m.I_B.c[1].y + m.I_B.c[2].z, size = sqrt(trace / m.mass);
    if (!(perp_v3_norm(m.com_B) <= 1e-9 * size)) return PERP_E_GEOMETRY;
    def->mass = m.mass;
    def->I_B = m.I_B;
    if (shape->kind == PERP_SHAPE_PARTICLE) def->particle = true;
    return PERP_OK;
}

int pp_body_slot(const perp_world *w, perp_body_id id) {
    if (id.gen == 0 || id.slot >= (uint32_t)w->nbody || !pp_alive(id.gen)) return -1;
    return w->body[id.slot].gen == id.gen ? (int)id.slot : -1;
}

int pp_slot_claim(const void *array, int n, int dead, size_t size) {
    for (int i = 0; dead > 0 && i < n; i++)
        if (!pp_alive(*(const uint32_t *)(const void *)((const char *)array + (size_t)i * size))) return i;
    return n;
}

char *pp_copy_name(const perp_allocator *a, const char *name, bool *ok) {
    if (!name) return NULL;
    char *s = pp_copy_text(a, name);
    if (!s) *ok = false;
    return s;
}

perp_status pp_check_vector(perp_world *w, const char *what, perp_vec3 v, bool is_angular) {
    if (!perp_v3_finite(v)) return pp_fail(w, PERP_E_ARG, "%s is (%g, %g, %g); it must be finite", what, v.x, v.y, v.z);
    if (w->def.dim == 2 && (is_angular ? v.x != 0 || v.y != 0 : v.z != 0))
        return pp_fail(w, PERP_E_ARG, "%s is (%g, %g, %g), which leaves the plane of a 2D world", what, v.x, v.y, v.z);
    return PERP_OK;
}

perp_status pp_check_pose(perp_world *w, const char *what, perp_pose *X) {
    if (!perp_v3_finite(X->p) || !perp_q_finite(X->q)) return pp_fail(w, PERP_E_ARG, "%s is not finite", what);
    double n = perp_q_norm(X->q);
    if (!(fabs(n - 1) <= 1e-6)) return pp_fail(w, PERP_E_ARG, "%s has a quaternion of norm %g; it must be 1", what, n);
    if (w->def.dim == 2 && (X->p.z != 0 || X->q.x != 0 || X->q.y != 0))
        return pp_fail(w, PERP_E_ARG, "%s leaves the plane of a 2D world", what);
    X->q = pp_unit_once(X->q);
    return PERP_OK;
}

static double planar_angle(perp_quat q) { return 2 * pp_atan2(q.z, q.w); }

static perp_status check_inertia(perp_world *w, const perp_body_def *d) {
    if (w->def.dim == 2) {
        double I = d->I_B.c[2].z;
        if (!(I > 0) || !isfinite(I))
            return pp_fail(w, PERP_E_ARG, "inertia about z is %g; it must be positive and finite", I);
        return PERP_OK;
    }
    perp_mat3 m = d->I_B;
    for (int i = 0; i < 3; i++)
        if (!perp_v3_finite(m.c[i])) return pp_fail(w, PERP_E_ARG, "inertia is not finite");
    double size = fabs(m.c[0].x) + fabs(m.c[1].y) + fabs(m.c[2].z);
    double skew = fabs(m.c[0].y - m.c[1].x) + fabs(m.c[0].z - m.c[2].x) + fabs(m.c[1].z - m.c[2].y);
    if (!(skew <= 1e-9 * size)) return pp_fail(w, PERP_E_ARG, "inertia is not symmetric");
    perp_vec3 e = perp_m3_eigen(m, NULL);
    if (!(e.x > 0) || !(e.x > 1e-12 * e.z))
        return pp_fail(w, PERP_E_ARG, "inertia has principal moments (%g, %g, %g); they must be positive", e.x, e.y,
                       e.z);
    if (e.x + e.y < e.z * (1 - 1e-9))
        return pp_fail(w, PERP_E_ARG,
                       "inertia has principal moments (%g, %g, %g): no body has one larger than the sum of the others",
                       e.x, e.y, e.z);
    return PERP_OK;
}

static perp_status check_def(perp_world *w, const perp_body_def *d, perp_pose *X) {
    if (!d || d->cookie != PP_COOKIE_BODY)
        return pp_fail(w, PERP_E_ARG, "the body definition was not made by perp_body_def_default()");
    if (d->kind != PERP_BODY_OBSTACLE && d->kind != PERP_BODY_KINEMATIC && d->kind != PERP_BODY_DYNAMIC)
        return pp_fail(w, PERP_E_ARG, "body kind %d does not exist", (int)d->kind);
    *X = d->X_WB;
    perp_status st = pp_check_pose(w, "X_WB", X);
    if (!st) st = pp_check_vector(w, "v_W", d->v_W, false);
    if (!st) st = pp_check_vector(w, "w_W", d->w_W, true);
    if (st) return st;
    bool moving = perp_v3_norm(d->v_W) > 0 || perp_v3_norm(d->w_W) > 0;
    if (d->kind == PERP_BODY_OBSTACLE && moving)
        return pp_fail(w, PERP_E_ARG, "an obstacle has a velocity; make it kinematic");
    if (d->kind != PERP_BODY_DYNAMIC) return PERP_OK;
    if (!(d->mass > 0) || !isfinite(d->mass))
        return pp_fail(w, PERP_E_ARG, "mass is %g; it must be positive and finite", d->mass);
    if (d->particle && perp_v3_norm(d->w_W) > 0)
        return pp_fail(w, PERP_E_ARG, "a particle cannot have an angular velocity");
    return d->particle ? PERP_OK : check_inertia(w, d);
}

static void set_inertia(perp_world *w, pp_body *b, const perp_body_def *d) {
    if (w->def.dim == 2) {
        b->I_B = perp_m3_diag(0, 0, b->particle ? 0 : d->I_B.c[2].z);
        b->I_inv_most = b->particle ? 0 : 1 / d->I_B.c[2].z;
        return;
    }
    b->isotropic = true;
    if (b->particle) return;
    perp_mat3 t = perp_m3_transpose(d->I_B);
    b->I_B = perp_m3_scale(0.5, perp_m3_add(d->I_B, t));
    b->I_inv_B = perp_m3_inverse(b->I_B);
    b->I_inv_most = perp_m3_eigen(b->I_inv_B, NULL).z;
    const perp_vec3 *c = b->I_B.c;
    b->isotropic = c[0].x == c[1].y && c[1].y == c[2].z && c[0].y == 0 && c[0].z == 0 && c[1].z == 0;
}

/* A motion for a body that stands at X now. A constant motion is defined by its pose at t = 0, so that is moved
 * back. */
static perp_status make_motion(perp_world *w, const perp_motion_def *def, perp_pose *X, double *theta,
                               pp_motion **out) {
    perp_pose X0 = *X;
    double t = w->state.t;
    if (def->kind == PERP_MOTION_CONSTANT && perp_v3_finite(def->v_W) && perp_v3_finite(def->w_W)) {
        X0.p = perp_v3_axpy(X0.p, -t, def->v_W);
        X0.q = pp_unit_once(perp_q_mul(perp_q_exp(perp_v3_scale(-t, def->w_W)), X0.q));
    }
    perp_status st = pp_motion_create(def, w->def.dim, X0, &w->alloc, out, w->why, sizeof w->why);
    if (st || pp_motion_start(*out, t, X, theta)) return st;
    pp_motion_destroy(*out, &w->alloc);
    *out = NULL;
    return pp_fail(w, PERP_E_ARG,
                   "the motion gives a pose that is not finite, not planar in 2D or not a unit quaternion at t = %g",
                   t);
}

perp_status perp_body_add(perp_world *w, const perp_body_def *d, perp_body_id *out) {
    if (out) *out = (perp_body_id){0, 0};
    perp_pose X = perp_pose_identity();
    perp_status st = check_def(w, d, &X);
    if (st) return st;
    if (!PP_GROW(&w->alloc, w->body, w->room.cap_body, w->nbody, w->nbody + 1) ||
        !pp_state_grow(w, w->nbody + 1, w->njoint))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a body");
    pp_body b = {.kind = d->kind,
                 .particle = d->kind == PERP_BODY_DYNAMIC && d->particle,
                 .no_gravity = d->no_gravity,
                 .mass = d->mass};
    bool ok = true;
    b.name = pp_copy_name(&w->alloc, d->name, &ok);
    if (ok) b.label = pp_copy_name(&w->alloc, d->label, &ok);
    if (!ok) pp_free(&w->alloc, b.name);
    if (!ok) return pp_fail(w, PERP_E_MEMORY, "out of memory for the name of a body");
    if (d->kind == PERP_BODY_DYNAMIC) set_inertia(w, &b, d);
    bool moving = perp_v3_norm(d->v_W) > 0 || perp_v3_norm(d->w_W) > 0;
    if (d->kind == PERP_BODY_KINEMATIC && moving) {
        perp_motion_def m = perp_motion_def_default(PERP_MOTION_CONSTANT);
        m.v_W = d->v_W;
        m.w_W = d->w_W;
        st = make_motion(w, &m, &X, &(double){0}, &b.motion);
        if (st) {
            pp_free(&w->alloc, b.name);
            pp_free(&w->alloc, b.label);
            return st;
        }
    }
    int slot = pp_slot_claim(w->body, w->nbody, w->room.dead_body, sizeof *w->body);
    b.gen = w->body[slot].gen + 1; /* a fresh slot is zeroed */
    w->body[slot] = b;
    if (slot == w->nbody)
        w->nbody++;
    else
        w->room.dead_body--;
    w->state.X[slot] = X;
    w->state.theta[slot] = w->def.dim == 2 ? planar_angle(X.q) : 0;
    pp_velocity_was_set(&w->state, slot, d->v_W, d->w_W);
    w->state.mark[slot] = PP_VELOCITY_SET;
    if (out) *out = (perp_body_id){(uint32_t)slot, b.gen};
    return PERP_OK;
}

static perp_status stale(perp_world *w, const char *what) {
    return pp_fail(w, PERP_E_ARG, "%s: the body id is stale or was never given", what);
}

perp_status perp_body_remove(perp_world *w, perp_body_id id) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return stale(w, "perp_body_remove");
    for (int i = 0; i < w->nforce; i++)
        if (pp_alive(w->force[i].gen) && (w->force[i].a == slot || w->force[i].b == slot)) pp_force_drop(w, i);
    for (int i = 0; i < w->njoint; i++)
        if (pp_alive(w->joint[i].gen) && (w->joint[i].a == slot || w->joint[i].b == slot)) pp_joint_drop(w, i);
    for (int i = 0; i < w->nshape; i++)
        if (pp_alive(w->shape[i].gen) && w->shape[i].body == slot) pp_shape_drop(w, i);
    for (int i = 0; i < w->robot.nsite; i++)
        if (pp_alive(w->robot.site[i].gen) && w->robot.site[i].body == slot) pp_site_drop(w, i);
    pp_exclude_drop(w, slot);
    pp_sensor_drop_of(w, -1, slot, -1);
    pp_body *b = &w->body[slot];
    pp_motion_destroy(b->motion, &w->alloc);
    pp_free(&w->alloc, b->name);
    pp_free(&w->alloc, b->label);
    pp_free(&w->alloc, b->support);
    b->support = NULL;
    b->motion = NULL;
    b->name = b->label = NULL;
    b->gen++;
    w->room.dead_body++;
    pp_forget(w);
    return PERP_OK;
}

perp_status perp_body_pose(const perp_world *w, perp_body_id id, perp_pose *X) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return PERP_E_ARG;
    *X = w->state.X[slot];
    return PERP_OK;
}

perp_status perp_body_angle(const perp_world *w, perp_body_id id, double *angle) {
    int slot = pp_body_slot(w, id);
    if (slot < 0 || w->def.dim != 2) return PERP_E_ARG;
    *angle = w->state.theta[slot];
    return PERP_OK;
}

perp_status perp_body_velocity(const perp_world *w, perp_body_id id, perp_vec3 *v, perp_vec3 *om) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return PERP_E_ARG;
    if (v) *v = pp_shown_v(&w->state, slot);
    if (om) *om = pp_shown_w(&w->state, slot);
    return PERP_OK;
}

perp_status perp_body_set_pose(perp_world *w, perp_body_id id, perp_pose X) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return stale(w, "perp_body_set_pose");
    if (w->body[slot].kind == PERP_BODY_KINEMATIC)
        return pp_fail(w, PERP_E_ARG, "a kinematic body is placed by its motion");
    perp_status st = pp_check_pose(w, "X_WB", &X);
    if (st) return st;
    w->state.X[slot] = X;
    if (w->def.dim == 2) w->state.theta[slot] = planar_angle(X.q);
    if (w->body[slot].kind == PERP_BODY_DYNAMIC) pp_pose_was_set(&w->state, slot);
    return PERP_OK;
}

perp_status perp_body_set_velocity(perp_world *w, perp_body_id id, perp_vec3 v, perp_vec3 om) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return stale(w, "perp_body_set_velocity");
    if (w->body[slot].kind != PERP_BODY_DYNAMIC)
        return pp_fail(w, PERP_E_ARG, "only a dynamic body can be given a velocity");
    perp_status st = pp_check_vector(w, "v_W", v, false);
    if (!st) st = pp_check_vector(w, "w_W", om, true);
    if (st) return st;
    if (w->body[slot].particle && perp_v3_norm(om) > 0)
        return pp_fail(w, PERP_E_ARG, "a particle cannot have an angular velocity");
    pp_velocity_was_set(&w->state, slot, v, om);
    return PERP_OK;
}

perp_status perp_body_set_force(perp_world *w, perp_body_id id, perp_vec3 force, perp_vec3 torque) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return stale(w, "perp_body_set_force");
    if (w->body[slot].kind != PERP_BODY_DYNAMIC)
        return pp_fail(w, PERP_E_ARG, "only a dynamic body can be pushed by a force");
    perp_status st = pp_check_vector(w, "force_W", force, false);
    if (!st) st = pp_check_vector(w, "torque_W", torque, true);
    if (st) return st;
    bool same = perp_v3_norm(perp_v3_sub(force, w->body[slot].force_W)) == 0 &&
                perp_v3_norm(perp_v3_sub(torque, w->body[slot].torque_W)) == 0;
    if (!same) pp_force_was_set(&w->state, slot);
    w->body[slot].force_W = force;
    w->body[slot].torque_W = torque;
    return PERP_OK;
}

perp_status perp_body_set_motion(perp_world *w, perp_body_id id, const perp_motion_def *def) {
    int slot = pp_body_slot(w, id);
    if (slot < 0) return stale(w, "perp_body_set_motion");
    pp_body *b = &w->body[slot];
    if (b->kind != PERP_BODY_KINEMATIC) return pp_fail(w, PERP_E_ARG, "only a kinematic body can be given a motion");
    if (!def) return pp_fail(w, PERP_E_ARG, "perp_body_set_motion: def is NULL");
    pp_motion *m = NULL;
    perp_pose X = w->state.X[slot];
    double theta = w->state.theta[slot];
    perp_status st = make_motion(w, def, &X, &theta, &m);
    if (st) return st;
    pp_motion_destroy(b->motion, &w->alloc);
    b->motion = m;
    w->state.X[slot] = X;
    w->state.theta[slot] = theta;
    w->state.mark[slot] |= PP_VELOCITY_SET;
    return PERP_OK;
}

const char *perp_body_name(const perp_world *w, perp_body_id id) {
    int slot = pp_body_slot(w, id);
    return slot < 0 ? NULL : w->body[slot].name ? w->body[slot].name : "";
}

int perp_world_bodies(const perp_world *w, perp_body_id *out, int max) {
    int n = 0;
    for (int i = 0; i < w->nbody; i++) {
        if (!pp_alive(w->body[i].gen)) continue;
        if (n < max) out[n] = (perp_body_id){(uint32_t)i, w->body[i].gen};
        n++;
    }
    return n;
}

int perp_world_body_count(const perp_world *w) { return perp_world_bodies(w, NULL, 0); }
