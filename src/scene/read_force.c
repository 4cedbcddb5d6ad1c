/* read_force.c - force elements into the world: applied forces, springs, controllers, expressions. */
#include "scene/scene_internal.h"

enum { CONSTANT, SINUSOID, SPRING, PD, EXPRESSION }; /* as in keys_joint.c */

static perp_status find(pp_reader *r, const char *key, pp_item at, const char *name, bool or_world, perp_body_id *out) {
    pp_push_key(r, key);
    perp_status s = pp_find_body(r, at, name, or_world, out);
    if (!s) pp_pop(r);
    return s;
}

static perp_status set_wrench(pp_reader *r, const pp_force_in *in, perp_force_def *d) {
    perp_status s = find(r, "body", PP_ITEM(in, body), in->body.text, false, &d->b);
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
    if (s) return s;
    d->point_A = perp_v3_sub(in->at_a, pp_shift_of(r, d->a));
    d->point_B = perp_v3_sub(in->at_b, pp_shift_of(r, d->b));
    d->stiffness = in->stiffness;
    d->rest_length = in->rest_length;
    d->damping = in->damping;
    d->drag = in->drag;
    return PERP_OK;
}

static perp_status set_pd(pp_reader *r, const pp_force_in *in, perp_force_def *d) {
    uint32_t id;
    pp_push_key(r, "joint");
    if (!pp_names_find(&r->joint, in->joint.text, &id))
        return pp_names_missing(r, &r->joint, PP_ITEM(in, joint), in->joint.text, "a joint");
    pp_pop(r);
    d->joint = r->joint_of[id];
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
    if (s) return s;
    pp_formula *f = pp_formula_new(r, n);
    if (!f) return PERP_E_MEMORY;
    f->body = d->b;
    f->body_frame = in->frame == 1;
    f->at_given = PP_GIVEN(in, at_of);
    f->shift = pp_shift_of(r, d->b);
    if (PP_GIVEN(in, force_of)) {
        pp_push_key(r, "force");
        s = pp_formula_vector(r, in->force_of, dynamic, &f->part[0]);
        if (s) return s;
        pp_pop(r);
    }
    if (PP_GIVEN(in, torque_of)) {
        pp_push_key(r, "torque");
        if (r->dim == 2)
            s = pp_formula_part(r, in->torque_of, dynamic, &f->part[5]);
        else
            s = pp_formula_vector(r, in->torque_of, dynamic, &f->part[3]);
        if (s) return s;
        pp_pop(r);
    }
    if (f->at_given) {
        pp_push_key(r, "at");
        s = pp_formula_vector(r, in->at_of, dynamic, &f->part[6]);
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

perp_status pp_read_forces(pp_reader *r, pp_item list) {
    int i = 0;
    for (pp_item entry = pp_first(list); entry.node; entry = pp_next(entry), i++) {
        pp_push_index(r, i);
        perp_status s = pp_repeat(r, entry, PP_FORCES, r->position[PP_FORCES]++, make_force, NULL);
        if (s) return s;
        pp_pop(r);
    }
    return PERP_OK;
}
