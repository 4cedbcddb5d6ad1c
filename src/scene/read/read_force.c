/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_force.c - force elements into the world: applied forces, springs, controllers, expressions. */
#include <stdio.h>

#include "scene/scene_internal.h"

enum { CONSTANT, SINUSOID, SPRING, PD, EXPRESSION }; /* as in keys_joint.c */

static perp_status find(pp_reader *r, const char *key, pp_item at, const char *name, bool or_world, perp_body_id *out) {
    pp_push_key(r, key);
    perp_status s = pp_find_body(r, at, name, or_world, out);
    if (!s) pp_pop(r);
    return s;
}

/* Refuses a force without force, torque, stiffness, ...: it would have no effect, which is a mistake in the scene. */
static perp_status nothing(pp_reader *r, const pp_force_in *in, const char *found, const char *allowed) {
    return pp_wrong(r, in->got.self, found, allowed);
}

static perp_status no_torque_on_particle(pp_reader *r, pp_item torque, perp_body_id b) {
    perp_body_def d;
    if (!torque.node || perp_body_get(r->w, b, &d) || !d.particle) return PERP_OK;
    pp_push_key(r, "torque");
    return pp_wrong(r, torque, "a torque on a particle, which does not turn", "a force");
}

static perp_status set_wrench(pp_reader *r, const pp_force_in *in, perp_force_def *d) {
    perp_status s = find(r, "body", PP_ITEM(in, body), in->body.text, false, &d->b);
    if (!s && !PP_GIVEN(in, force) && !PP_GIVEN(in, torque))
        s = nothing(r, in, "neither force nor torque", "force, torque or both");
    if (!s) s = no_torque_on_particle(r, PP_ITEM(in, torque), d->b);
    if (s) return s;
    d->wrench = (perp_wrench){in->force, in->torque};
    d->body_frame = in->frame == 1;
    d->omega = in->omega;
    d->phase = in->phase;
    if (PP_GIVEN(in, at)) d->point_B = perp_v3_sub(in->at, pp_shift_of(r, d->b));
    return PERP_OK;
}

static perp_status set_spring(pp_reader *r, const pp_force_in *in, perp_force_def *d) {
    perp_status s = find(r, "a", PP_ITEM(in, a), in->a.text, true, &d->a);
    if (!s) s = find(r, "b", PP_ITEM(in, b), in->b.text, false, &d->b);
    if (!s && !PP_GIVEN(in, stiffness) && !PP_GIVEN(in, damping) && !PP_GIVEN(in, drag))
        s = nothing(r, in, "no stiffness, damping or drag", "one of them or more");
    if (s) return s;
    d->point_A = perp_v3_sub(in->at_a, pp_shift_of(r, d->a));
    d->point_B = perp_v3_sub(in->at_b, pp_shift_of(r, d->b));
    d->stiffness = in->stiffness;
    d->rest_length = in->rest_length;
    d->damping = in->damping;
    d->drag = in->drag;
    return PERP_OK;
}

perp_status pp_find_coordinate(pp_reader *r, pp_item joint_at, const char *joint, pp_item coordinate_at,
                               int64_t coordinate, perp_joint_id *out) {
    uint32_t id;
    pp_push_key(r, "joint");
    if (!pp_names_find(&r->joint, joint, &id)) return pp_names_missing(r, &r->joint, joint_at, joint, "a joint");
    *out = r->joint_of[id];
    perp_joint_def d;
    int n = perp_joint_get(r->w, *out, &d) ? 0 : perp_joint_ncoord(d.kind, r->dim);
    if (n == 0)
        return pp_wrong(r, joint_at, "a joint without coordinates", "a joint that moves along or about an axis");
    pp_pop(r);
    if (coordinate < n) return PERP_OK;
    char found[32], allowed[96];
    (void)snprintf(found, sizeof found, "%d", (int)coordinate);
    (void)snprintf(allowed, sizeof allowed,
                   n == 1 ? "0: the joint has one coordinate" : "0 to %d: the joint has %d coordinates", n - 1, n);
    pp_push_key(r, "coordinate");
    return pp_wrong(r, coordinate_at, found, allowed);
}

static perp_status set_pd(pp_reader *r, const pp_force_in *in, perp_force_def *d) {
    perp_status s =
        pp_find_coordinate(r, PP_ITEM(in, joint), in->joint.text, PP_ITEM(in, coordinate), in->coordinate, &d->joint);
    if (s) return s;
    if (!PP_GIVEN(in, kp) && !PP_GIVEN(in, kd)) return nothing(r, in, "neither kp nor kd", "kp, kd or both");
    d->coord = (int)in->coordinate;
    d->kp = in->kp;
    d->kd = in->kd;
    d->target = in->target;
    d->target_rate = in->target_rate;
    d->max_force = in->max_force;
    return PERP_OK;
}

static perp_status set_expression(pp_reader *r, const pp_force_in *in, perp_force_def *d) {
    const char *const *dynamic = r->dim == 2 ? pp_dynamic_2d : pp_dynamic_3d;
    int n = 0;
    while (dynamic[n]) n++;
    perp_status s = find(r, "body", PP_ITEM(in, body), in->body.text, false, &d->b);
    if (!s && !PP_GIVEN(in, force_of) && !PP_GIVEN(in, torque_of))
        s = nothing(r, in, "neither force nor torque", "force, torque or both");
    if (!s) s = no_torque_on_particle(r, PP_ITEM(in, torque_of), d->b);
    if (s) return s;
    pp_formula *f = pp_formula_new(r, n);
    if (!f) return PERP_E_MEMORY;
    f->body = d->b;
    f->body_frame = in->frame == 1;
    f->at_given = PP_GIVEN(in, at_of);
    f->shift = pp_shift_of(r, d->b);
    if (PP_GIVEN(in, force_of)) {
        pp_push_key(r, "force");
        s = pp_formula_vector(r, in->force_of, dynamic, f, 0);
        if (s) return s;
        pp_pop(r);
    }
    if (PP_GIVEN(in, torque_of)) {
        pp_push_key(r, "torque");
        if (r->dim == 2)
            s = pp_formula_part(r, in->torque_of, dynamic, f, 5);
        else
            s = pp_formula_vector(r, in->torque_of, dynamic, f, 3);
        if (s) return s;
        pp_pop(r);
    }
    if (f->at_given) {
        pp_push_key(r, "at");
        s = pp_formula_vector(r, in->at_of, dynamic, f, 6);
        if (s) return s;
        pp_pop(r);
    }
    d->user = pp_formula_force;
    d->ctx = f;
    return PERP_OK;
}

static perp_status make_force(pp_reader *r, pp_item entry, void *ctx) {
    static const perp_force_kind kinds[] = {PERP_FORCE_CONSTANT, PERP_FORCE_SINUSOID, PERP_FORCE_SPRING, PERP_FORCE_PD,
                                            PERP_FORCE_USER};
    (void)ctx;
    pp_force_in in = {0};
    perp_status s = pp_read_map(r, &pp_map_force, &entry, 1, &in);
    if (!s) s = pp_check_entry(r, PP_FORCES, &r->force, PP_ITEM(&in, name), in.name.text, entry);
    if (s) return s;
    perp_force_def d = perp_force_def_default(kinds[in.got.variant]);
    switch (in.got.variant) {
    case SPRING: s = set_spring(r, &in, &d); break;
    case PD: s = set_pd(r, &in, &d); break;
    case EXPRESSION: s = set_expression(r, &in, &d); break;
    default: s = set_wrench(r, &in, &d); /* constant, sinusoid */
    }
    if (s) return s;
    s = perp_force_add(r->w, &d, NULL);
    if (s) return pp_wrong_world(r, s, entry);
    if (PP_GIVEN(&in, name) && !pp_names_add(r->alloc, &r->force, in.name.text, 0)) return pp_no_memory(r);
    return PERP_OK;
}

static perp_status make_forces(pp_reader *r, pp_item entry) {
    return pp_repeat(r, entry, PP_FORCES, r->position[PP_FORCES]++, make_force, NULL);
}

perp_status pp_read_forces(pp_reader *r, pp_item list) { return pp_read_each(r, list, make_forces); }
