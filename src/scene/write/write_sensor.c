/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_sensor.c - sensors of a world as entries of a scene. See write_body.c. */
#include <stdio.h>

#include "perp/sensor.h"
#include "scene/write/scribe.h"

/* Ids of all sensors, to be freed; NULL without memory, or if there are none. */
static perp_sensor_id *sensors_of(const pp_scribe *s, int *n) {
    *n = perp_world_sensors(s->w, NULL, 0);
    perp_sensor_id *id = *n ? pp_alloc(&s->alloc, (size_t)*n * sizeof *id) : NULL;
    if (id) perp_world_sensors(s->w, id, *n);
    return id;
}

void pp_mark_sensors(const pp_scribe *s, bool *body, bool *joint) {
    int n;
    perp_sensor_id *id = sensors_of(s, &n);
    for (int i = 0; id && i < n; i++) {
        perp_sensor_def d;
        if (perp_sensor_get(s->w, id[i], &d)) continue;
        if (d.joint.gen) joint[d.joint.slot] = true;
        if (d.a.gen) body[d.a.slot] = true;
        if (d.b.gen) body[d.b.slot] = true;
    }
    pp_free(&s->alloc, id);
}

char *pp_write_sensors(pp_scribe *s) {
    int n;
    perp_sensor_id *id = sensors_of(s, &n);
    if (!n) return NULL;
    if (!id) s->starved = true;
    pp_text t = {.alloc = &s->alloc, .any = &s->starved};
    for (int i = 0; id && i < n && !s->st; i++) {
        perp_sensor_def d;
        if (perp_sensor_get(s->w, id[i], &d)) continue; /* cannot be: the id was just read */
        pp_sensor_in in;
        pp_put_blank(&pp_map_sensor, &in);
        if (d.name && *d.name && pp_name_good(d.name))
            (void)snprintf(in.name.text, sizeof in.name.text, "%s", d.name);
        else
            (void)snprintf(in.name.text, sizeof in.name.text, "sensor-%d", i);
        if (d.joint.gen) in.joint = s->joint_name[d.joint.slot]; /* slots have no gaps */
        in.coordinate = d.coord;
        if (d.a.gen) in.a = pp_scribe_body(s, d.a);
        if (d.b.gen) in.b = pp_scribe_body(s, d.b);
        in.joints_only = d.joints_only;
        if (d.site.gen) in.site = pp_scribe_site(s, d.site);
        pp_text_add(&t, "\n  - ");
        pp_put_map(&t, &pp_map_sensor, s->dim, (int)d.kind, &in, NULL);
    }
    pp_free(&s->alloc, id);
    return pp_text_take(&t);
}
