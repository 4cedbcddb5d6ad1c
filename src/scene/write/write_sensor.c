/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_sensor.c - sensors of a world as entries of a scene. See write_body.c. */
#include "perp/sensor.h"
#include "scene/write/scribe.h"

void pp_mark_sensors(const pp_scribe *s, bool *body, bool *joint) {
    for (int i = 0; i < s->nsensor; i++) {
        perp_sensor_def d;
        if (perp_sensor_get(s->w, s->sensor[i], &d)) continue;
        if (d.joint.gen) joint[d.joint.slot] = true;
        if (d.a.gen) body[d.a.slot] = true;
        if (d.b.gen) body[d.b.slot] = true;
    }
}

char *pp_write_sensors(pp_scribe *s) {
    if (!s->nsensor) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int i = 0; i < s->nsensor && !s->st; i++) {
        perp_sensor_def d;
        if (perp_sensor_get(s->w, s->sensor[i], &d)) continue; /* cannot be: the id was just read */
        pp_sensor_in in;
        pp_put_blank(&pp_map_sensor, &in);
        in.name = s->sensor_name[i];
        if (d.joint.gen) in.joint = s->joint_name[d.joint.slot]; /* slots have no gaps */
        in.coordinate = d.coord;
        if (d.a.gen) in.a = pp_scribe_body(s, d.a);
        if (d.b.gen) in.b = pp_scribe_body(s, d.b);
        in.joints_only = d.joints_only;
        if (d.site.gen) in.site = pp_scribe_site(s, d.site);
        pp_text_add(&t, "\n  - ");
        pp_put_map(&t, &pp_map_sensor, s->dim, (int)d.kind, &in, NULL);
    }
    return pp_text_take(&t);
}
