/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_sensor.c - sensors into the world. */
#include "perp/sensor.h"
#include "scene/scene_internal.h"

static perp_status find_body(pp_reader *r, const char *key, pp_item at, const char *name, bool world,
                             perp_body_id *out) {
    pp_push_key(r, key);
    perp_status s = pp_find_body(r, at, name, world, out);
    if (!s) pp_pop(r);
    return s;
}

static perp_status find_site(pp_reader *r, pp_item at, const char *name, perp_site_id *out) {
    *out = perp_site_find(r->w, name);
    if (out->gen) return PERP_OK;
    pp_push_key(r, "site");
    return pp_wrong_say(r, PERP_E_ARG, at, "found \"%s\"; allowed: the name of a site", name);
}

static perp_status make_sensor(pp_reader *r, pp_item entry) {
    pp_sensor_in in = {0};
    perp_status s = pp_read_map(r, &pp_map_sensor, &entry, 1, &in);
    if (s) return s;
    if (perp_sensor_find(r->w, in.name.text).gen) {
        pp_push_key(r, "name");
        return pp_wrong_say(r, PERP_E_ARG, PP_ITEM(&in, name), "found \"%s\"; allowed: a name that no other sensor has",
                            in.name.text);
    }
    perp_sensor_def d = perp_sensor_def_default((perp_sensor_kind)in.got.variant);
    if (PP_GIVEN(&in, joint))
        s = pp_find_coordinate(r, PP_ITEM(&in, joint), in.joint.text, PP_ITEM(&in, coordinate), in.coordinate,
                               &d.joint);
    d.coord = (int)in.coordinate;
    bool touches = d.kind == PERP_SENSOR_CONTACT_FORCE || d.kind == PERP_SENSOR_CONTACT_TORQUE;
    if (!s && PP_GIVEN(&in, a)) s = find_body(r, "a", PP_ITEM(&in, a), in.a.text, !touches, &d.a);
    if (!s && PP_GIVEN(&in, b)) s = find_body(r, "b", PP_ITEM(&in, b), in.b.text, false, &d.b);
    if (!s && PP_GIVEN(&in, site)) s = find_site(r, PP_ITEM(&in, site), in.site.text, &d.site);
    if (s) return s;
    d.joints_only = in.joints_only;
    d.name = in.name.text;
    s = perp_sensor_add(r->w, &d, NULL);
    return s ? pp_wrong_world(r, s, entry) : PERP_OK;
}

perp_status pp_read_sensors(pp_reader *r, pp_item list) { return pp_read_each(r, list, make_sensor); }
