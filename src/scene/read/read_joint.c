/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_joint.c - joints into the world.
 *
 * Given by a world point, both frames are put there as the bodies stand now: X_AJ = X_WA^-1 X_WJ, X_BJ = X_WB^-1 X_WJ,
 * so all coordinates are zero. Given by frames in the bodies, points are moved from the frame as written to the centre
 * of mass. */
#include "scene/scene_internal.h"

#include "base/elementary.h"

static perp_status read_motor(pp_reader *r, pp_item at, perp_joint_axis *out) {
    pp_motor_in in = {0};
    pp_push_key(r, "motor");
    perp_status s = pp_read_map(r, &pp_map_motor, &at, 1, &in);
    if (s) return s;
    pp_pop(r);
    out->motor = true;
    out->motor_speed = in.speed;
    out->motor_force = in.force;
    return PERP_OK;
}

static perp_status read_spring(pp_reader *r, pp_item at, perp_joint_axis *out) {
    pp_spring_in in = {0};
    pp_push_key(r, "spring");
    perp_status s = pp_read_map(r, &pp_map_spring, &at, 1, &in);
    if (!s && !PP_GIVEN(&in, stiffness) && !PP_GIVEN(&in, damping))
        s = pp_wrong(r, at, "neither stiffness nor damping", "stiffness, damping or both");
    if (s) return s;
    pp_pop(r);
    out->stiffness = in.stiffness;
    out->rest = in.rest;
    out->damping = in.damping;
    return PERP_OK;
}

/* limits: NULL for none; motor, spring: node 0 for none. */
static perp_status read_axis(pp_reader *r, const pp_numbers *limits, pp_item limits_at, pp_item motor, pp_item spring,
                             perp_joint_axis *out) {
    if (limits_at.node) {
        out->limited = true;
        out->lo = limits->v[0];
        out->hi = limits->v[1];
        if (!(out->lo <= out->hi)) {
            pp_push_key(r, "limits");
            return pp_wrong(r, limits_at, "the first above the second", "the smaller limit first");
        }
        if (out->lo == INFINITY || out->hi == -INFINITY) {
            pp_push_key(r, "limits");
            return pp_wrong(r, limits_at, "two limits that leave no value between them",
                            "-inf as the first, inf as the second, or finite numbers");
        }
    }
    perp_status s = PERP_OK;
    if (motor.node) s = read_motor(r, motor, out);
    if (!s && spring.node) s = read_spring(r, spring, out);
    return s;
}

static perp_status read_axes(pp_reader *r, const pp_joint_in *in, perp_joint_def *d) {
    int n = perp_joint_ncoord(d->kind, r->dim);
    bool direct = PP_GIVEN(in, limits) || PP_GIVEN(in, motor) || PP_GIVEN(in, spring) || PP_GIVEN(in, friction) ||
                  PP_GIVEN(in, armature);
    if (direct && !PP_GIVEN(in, axes)) {
        d->axis[0].friction = in->friction;
        d->axis[0].armature = in->armature;
        return read_axis(r, &in->limits, PP_ITEM(in, limits), PP_ITEM(in, motor), PP_ITEM(in, spring), &d->axis[0]);
    }
    if (!PP_GIVEN(in, axes)) return PERP_OK;
    pp_push_key(r, "axes");
    if (direct)
        return pp_wrong(r, in->axes, "axes beside limits, motor, spring, friction or armature", "one of the two");
    if (pp_at(in->axes)->length != (uint32_t)n) {
        char found[64];
        pp_yaml_found(in->axes.tree, in->axes.node, found, sizeof found);
        return pp_wrong_say(r, PERP_E_ARG, in->axes, "found %s; allowed: a list of %d, one for each coordinate", found,
                            n);
    }
    int i = 0;
    for (pp_item v = pp_first(in->axes); v.node; v = pp_next(v), i++) {
        pp_axis_in a = {0};
        pp_push_index(r, i);
        perp_status s = pp_read_map(r, &pp_map_axis, &v, 1, &a);
        d->axis[i].friction = a.friction;
        d->axis[i].armature = a.armature;
        if (!s) s = read_axis(r, &a.limits, PP_ITEM(&a, limits), PP_ITEM(&a, motor), PP_ITEM(&a, spring), &d->axis[i]);
        if (s) return s;
        pp_pop(r);
    }
    pp_pop(r);
    return PERP_OK;
}

/* The orientation whose z (in 2D: x) is the direction: by the shortest turn. */
static perp_quat along(perp_vec3 a, int dim) {
    double most = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    a = perp_v3_unit(perp_v3(a.x / most, a.y / most, a.z / most));
    if (dim == 2) return perp_pose_2d(0, 0, pp_atan2(a.y, a.x)).q;
    if (a.z < -1 + 1e-15) return (perp_quat){0, 1, 0, 0};
    return perp_q_unit((perp_quat){1 + a.z, -a.y, a.x, 0});
}

/* 2D: products of planar poses are planar but for the sign of zeros. */
static perp_pose planar(perp_pose X, int dim) {
    if (dim == 2) {
        X.p.z = 0;
        X.q.x = X.q.y = 0;
    }
    return X;
}

static perp_status place_by_point(pp_reader *r, const pp_joint_in *in, perp_joint_def *d) {
    perp_pose X_WJ = {in->at, {1, 0, 0, 0}}, X_WA = perp_pose_identity(), X_WB = perp_pose_identity();
    pp_item axis = PP_ITEM(in, axis);
    if (axis.node && PP_GIVEN(in, turn)) {
        pp_push_key(r, "axis");
        return pp_wrong(r, axis, "axis and turn", "one of the two");
    }
    if (axis.node) {
        if (r->dim == 2 && d->kind != PERP_JOINT_PRISMATIC) {
            pp_push_key(r, "axis");
            return pp_wrong(r, axis, "an axis in the plane",
                            "in 2D only for prismatic joints: the others turn about z");
        }
        if (!(fmax(fabs(in->axis.x), fmax(fabs(in->axis.y), fabs(in->axis.z))) > 0)) {
            pp_push_key(r, "axis");
            return pp_wrong(r, axis, "an axis of zeros", "a direction");
        }
        X_WJ.q = along(in->axis, r->dim);
    }
    if (PP_GIVEN(in, turn)) X_WJ.q = in->turn;
    if (d->a.gen) (void)perp_body_pose(r->w, d->a, &X_WA);
    (void)perp_body_pose(r->w, d->b, &X_WB);
    d->X_AJ = planar(d->a.gen ? perp_pose_mul(perp_pose_inverse(X_WA), X_WJ) : X_WJ, r->dim);
    d->X_BJ = planar(perp_pose_mul(perp_pose_inverse(X_WB), X_WJ), r->dim);
    return PERP_OK;
}

static perp_status place(pp_reader *r, const pp_joint_in *in, perp_joint_def *d) {
    bool frames = PP_GIVEN(in, at_a) || PP_GIVEN(in, at_b) || PP_GIVEN(in, turn_a) || PP_GIVEN(in, turn_b);
    if (PP_GIVEN(in, at)) {
        if (!frames) return place_by_point(r, in, d);
        return pp_wrong(r, in->got.self, "at beside at_a, turn_a, at_b or turn_b",
                        "a world point, or a frame in each body");
    }
    if (!frames) return pp_wrong(r, in->got.self, "no place of the joint", "at, or at_a and at_b");
    if (PP_GIVEN(in, axis) || PP_GIVEN(in, turn))
        return pp_wrong(r, in->got.self, "axis or turn without at", "turn_a and turn_b, or at");
    d->X_AJ = (perp_pose){perp_v3_sub(in->at_a, pp_shift_of(r, d->a)), in->turn_a};
    d->X_BJ = (perp_pose){perp_v3_sub(in->at_b, pp_shift_of(r, d->b)), in->turn_b};
    return PERP_OK;
}

/* The bodies of a joint, and where it sits. */
static perp_status read_bodies(pp_reader *r, const pp_joint_in *in, perp_joint_def *d) {
    pp_push_key(r, "a");
    perp_status s = pp_find_body(r, PP_ITEM(in, a), in->a.text, true, &d->a);
    if (s) return s;
    pp_pop(r);
    pp_push_key(r, "b");
    s = pp_find_body(r, PP_ITEM(in, b), in->b.text, false, &d->b);
    if (s) return s;
    pp_pop(r);
    return place(r, in, d);
}

/* Most terms that a coupling or tendon of a scene may have: a limit of the reader, far above the 4 that models use. */
#define MOST_TERMS 64

static perp_status read_terms(pp_reader *r, const pp_joint_in *in, perp_joint_term *term, perp_joint_def *d) {
    pp_push_key(r, "terms");
    uint32_t n = pp_at(in->terms)->length;
    if (n < 1 || n > MOST_TERMS)
        return pp_wrong_say(r, PERP_E_ARG, in->terms, "found a list of %u; allowed: a list of 1 to %d", (unsigned)n,
                            MOST_TERMS);
    int i = 0;
    for (pp_item v = pp_first(in->terms); v.node; v = pp_next(v), i++) {
        pp_coupled_in t = {0};
        pp_push_index(r, i);
        perp_status s = pp_read_map(r, &pp_map_coupled, &v, 1, &t);
        if (!s)
            s = pp_find_coordinate(r, PP_ITEM(&t, joint), t.joint.text, PP_ITEM(&t, coordinate), t.coordinate,
                                   &term[i].joint);
        if (s) return s;
        term[i].coord = (int)t.coordinate;
        for (int k = 0; k < t.c.n; k++) term[i].c[k] = t.c.v[k];
        pp_pop(r);
    }
    pp_pop(r);
    d->term = term;
    d->nterm = i;
    d->offset = in->offset;
    return PERP_OK;
}

static perp_status make_joint(pp_reader *r, pp_item entry, void *ctx) {
    (void)ctx;
    pp_joint_in in = {.turn = {1, 0, 0, 0}, .turn_a = {1, 0, 0, 0}, .turn_b = {1, 0, 0, 0}};
    perp_status s = pp_read_map(r, &pp_map_joint, &entry, 1, &in);
    if (!s) s = pp_check_entry(r, PP_JOINTS, &r->joint, PP_ITEM(&in, name), in.name.text, entry);
    if (s) return s;
    perp_joint_def d = perp_joint_def_default((perp_joint_kind)in.got.variant);
    perp_joint_term term[MOST_TERMS] = {{.coord = 0}};
    s = PP_GIVEN(&in, terms) ? read_terms(r, &in, term, &d) : read_bodies(r, &in, &d);
    if (!s) s = read_axes(r, &in, &d);
    if (s) return s;
    d.collide = in.collide;
    d.name = PP_GIVEN(&in, name) ? in.name.text : NULL;
    perp_joint_id id;
    s = perp_joint_add(r->w, &d, &id);
    if (s) return pp_wrong_world(r, s, entry);
    if (!d.name) return PERP_OK;
    if (!PP_GROW(r->alloc, r->joint_of, r->cap_joint_of, r->njoint_of, r->njoint_of + 1)) return pp_no_memory(r);
    r->joint_of[r->njoint_of] = id;
    if (!pp_names_add(r->alloc, &r->joint, in.name.text, (uint32_t)r->njoint_of)) return pp_no_memory(r);
    r->njoint_of++;
    return PERP_OK;
}

static perp_status make_joints(pp_reader *r, pp_item entry) {
    return pp_repeat(r, entry, PP_JOINTS, r->position[PP_JOINTS]++, make_joint, NULL);
}

perp_status pp_read_joints(pp_reader *r, pp_item list) { return pp_read_each(r, list, make_joints); }
