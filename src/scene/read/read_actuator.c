/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_actuator.c - actuators, and pairs of bodies that never touch, into the world. */
#include "perp/actuator.h"
#include "scene/scene_internal.h"

/* A range that was given, the smaller number first. */
static perp_status read_range(pp_reader *r, const char *key, pp_item at, const pp_numbers *x, double *lo, double *hi) {
    if (!at.node) return PERP_OK;
    *lo = x->v[0];
    *hi = x->v[1];
    if (*lo <= *hi && *lo<INFINITY && * hi> - INFINITY) return PERP_OK;
    pp_push_key(r, key);
    return pp_wrong(r, at, "the first above the second", "the smaller number first");
}

static perp_status make_actuator(pp_reader *r, pp_item entry) {
    pp_actuator_in in = {0};
    perp_status s = pp_read_map(r, &pp_map_actuator, &entry, 1, &in);
    if (s) return s;
    if (PP_GIVEN(&in, name) && perp_actuator_find(r->w, in.name.text).gen) {
        pp_push_key(r, "name");
        return pp_wrong_say(r, PERP_E_ARG, PP_ITEM(&in, name),
                            "found \"%s\"; allowed: a name that no other actuator has", in.name.text);
    }
    perp_actuator_def d = perp_actuator_def_default((perp_actuator_kind)in.got.variant);
    s = pp_find_coordinate(r, PP_ITEM(&in, joint), in.joint.text, PP_ITEM(&in, coordinate), in.coordinate, &d.joint);
    if (s) return s;
    d.coord = (int)in.coordinate;
    d.gear = in.gear;
    d.kp = in.kp;
    d.kv = in.kv;
    d.ctrl_scale = in.ctrl_scale;
    d.ctrl_offset = in.ctrl_offset;
    s = read_range(r, "ctrl_range", PP_ITEM(&in, ctrl_range), &in.ctrl_range, &d.ctrl_lo, &d.ctrl_hi);
    if (!s) s = read_range(r, "force_range", PP_ITEM(&in, force_range), &in.force_range, &d.force_lo, &d.force_hi);
    if (!s)
        s = read_range(r, "joint_force_range", PP_ITEM(&in, joint_force_range), &in.joint_force_range, &d.joint_lo,
                       &d.joint_hi);
    if (s) return s;
    d.name = PP_GIVEN(&in, name) ? in.name.text : NULL;
    perp_actuator_id id;
    s = perp_actuator_add(r->w, &d, &id);
    if (s) return pp_wrong_world(r, s, entry);
    return PP_GIVEN(&in, ctrl) ? pp_read_ctrl(r, in.ctrl, id) : PERP_OK;
}

static perp_status make_exclude(pp_reader *r, pp_item entry) {
    pp_exclude_in in = {0};
    perp_body_id a, b;
    perp_status s = pp_read_map(r, &pp_map_exclude, &entry, 1, &in);
    if (s) return s;
    pp_push_key(r, "a");
    s = pp_find_body(r, PP_ITEM(&in, a), in.a.text, false, &a);
    if (s) return s;
    pp_pop(r);
    pp_push_key(r, "b");
    s = pp_find_body(r, PP_ITEM(&in, b), in.b.text, false, &b);
    if (s) return s;
    pp_pop(r);
    s = perp_world_exclude(r->w, a, b);
    return s ? pp_wrong_world(r, s, entry) : PERP_OK;
}

perp_status pp_read_actuators(pp_reader *r, pp_item list) { return pp_read_each(r, list, make_actuator); }
perp_status pp_read_exclude(pp_reader *r, pp_item list) { return pp_read_each(r, list, make_exclude); }
