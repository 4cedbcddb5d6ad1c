/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf_sensor.c - the section <sensor> of MJCF, and its sensors as entries of the scene
 *
 * A force or torque sensor in MuJoCo measures the action of the parent on the site's body, by the joint between them. A body without a joint is
 * a part of its parent in the scene, so there is nothing to measure: such a sensor is left out. */
#include <string.h>

#include "robot/mjcf.h"
#include "robot/write.h"

/* Kinds that perp has too. */
static const struct known_sensor {
    const char *type;
    perp_sensor_kind kind;
    const char *on; /* attribute that names what it is on */
} known[] = {{"jointpos", PERP_SENSOR_JOINT_POSITION, "joint"},
             {"jointvel", PERP_SENSOR_JOINT_VELOCITY, "joint"},
             {"jointactuatorfrc", PERP_SENSOR_JOINT_FORCE, "joint"},
             {"force", PERP_SENSOR_FORCE, "site"},
             {"torque", PERP_SENSOR_TORQUE, "site"},
             {"accelerometer", PERP_SENSOR_ACCELEROMETER, "site"},
             {"gyro", PERP_SENSOR_GYROSCOPE, "site"}};
enum { KNOWN = sizeof known / sizeof *known };

static const char *joint_name(const pp_import *m, int i) { return i < m->model.njoint ? m->model.joint[i].name : NULL; }
static const char *site_name(const pp_import *m, int i) { return i < m->model.nsite ? m->model.site[i].name : NULL; }

/* The number of what a sensor is on, by name; -1: none. */
static int find(const pp_import *m, const char *(*name_at)(const pp_import *m, int i), const char *name) {
    for (int i = 0; name_at(m, i); i++)
        if (!strcmp(name_at(m, i), name)) return i;
    return -1;
}

perp_status pp_mjcf_sensors(pp_mjcf *f, const pp_xml *section) {
    pp_import *m = f->m;
    pp_model *d = &m->model;
    for (const pp_xml *e = section->first; e; e = e->next) {
        int k = 0;
        while (k < KNOWN && strcmp(known[k].type, e->name) != 0) k++;
        if (k == KNOWN) {
            perp_status s = pp_robot_note(m, PERP_IMPORT_IGNORED, e, "sensors <%s>", e->name);
            if (s) return s;
            continue;
        }
        const char *name = pp_xml_get(e, "name"), *target = pp_xml_get(e, known[k].on);
        bool joint = !strcmp(known[k].on, "joint");
        const char *(*names)(const pp_import *m, int i) = joint ? joint_name : site_name;
        if (!target)
            return pp_robot_wrong(m, e, known[k].on, "nothing", joint ? "the name of a joint" : "the name of a site");
        if (find(m, names, target) < 0)
            return pp_robot_missing(m, e, known[k].on, target, joint ? "a joint" : "a site", names);
        if (pp_xml_get(e, "cutoff")) {
            perp_status s = pp_robot_note(m, PERP_IMPORT_IGNORED, e, "the attribute cutoff of sensors");
            if (s) return s;
        }
        if (!PP_GROW(&m->alloc, d->sensor, d->cap_sensor, d->nsensor, d->nsensor + 1)) return pp_robot_no_memory(m);
        d->sensor[d->nsensor++] = (pp_model_sensor){name, e, known[k].kind, target};
    }
    return PERP_OK;
}

/* ---- the scene ---- */

/* ", joint: ..."; *why: why the scene cannot have it. */
static perp_status put_joint(pp_writing *w, const pp_model_sensor *x, const char **why) {
    int j = find(w->m, joint_name, x->target);
    const pp_written *to = j < 0 ? NULL : &w->joint[j];
    if (!to || !to->name || to->sign == 0) {
        *why = "their joint has no such coordinate in the scene";
        return PERP_OK;
    }
    pp_text_add(&w->t, ", joint: %s", to->name);
    if (to->coordinate > 0) pp_text_add(&w->t, ", coordinate: %d", to->coordinate);
    perp_status s = PERP_OK;
    if (to->sign < 0 || (to->offset != 0 && x->kind == PERP_SENSOR_JOINT_POSITION))
        s = pp_robot_note(w->m, PERP_IMPORT_APPROXIMATED, x->at,
                          "sensors <%s>: they read the coordinate of the scene, which has another sign or zero",
                          x->at->name);
    if (!s && x->kind == PERP_SENSOR_JOINT_FORCE)
        s = pp_robot_note(w->m, PERP_IMPORT_APPROXIMATED, x->at,
                          "sensors <%s>: they read all that acts along the coordinate, springs and limits too",
                          x->at->name);
    return s;
}

/* ", a: ..., b: ..." of the joint that the site's body hangs by. */
static void put_bodies(pp_writing *w, const pp_model_site *site, const char **why) {
    const pp_import *m = w->m;
    int link = m->link_of[site->body];
    const pp_link *l = &m->link[link];
    if (link == 0 || l->body != site->body || l->kinematic || !(w->chain[link].type || w->chain[link].split)) {
        *why = "their body has no joint to its parent";
        return;
    }
    const char *parent = l->parent > 0 ? m->link[l->parent].name : NULL;
    if (w->chain[link].split) parent = w->between[l->joint + l->njoint - 2];
    if (parent) pp_text_add(&w->t, ", a: %s", parent);
    pp_text_add(&w->t, ", b: %s, joints_only: true", l->name);
}

perp_status pp_put_sensors(pp_writing *w) {
    pp_import *m = w->m;
    const pp_model *d = &m->model;
    pp_text *t = &w->t;
    int n = 0;
    const char **name = pp_pool_get(&m->pool, sizeof *name * (size_t)(d->nsensor + 1));
    if (!name) return pp_robot_no_memory(m);
    for (int i = 0; i < d->nsensor; i++) {
        const pp_model_sensor *x = &d->sensor[i];
        const char *why = NULL;
        int start = t->n, site = find(m, site_name, x->target);
        perp_status s = PERP_OK;
        name[n] = pp_own_name(w, x->name, x->at->name, name, n);
        if (!name[n]) return pp_robot_no_memory(m);
        pp_text_add(t, "%s  - {name: %s, type: %s", n == 0 ? "sensors:\n" : "", name[n],
                    perp_sensor_kind_name(x->kind));
        if (perp_sensor_size(x->kind) == 1)
            s = put_joint(w, x, &why);
        else if (x->kind == PERP_SENSOR_FORCE || x->kind == PERP_SENSOR_TORQUE)
            put_bodies(w, &d->site[site], &why);
        if (!s && perp_sensor_size(x->kind) == 3) pp_text_add(t, ", site: %s", w->site[site]);
        pp_text_add(t, "}\n");
        n++;
        if (!s && why) {
            n--;
            if (t->data) t->data[t->n = start] = 0;
            s = pp_robot_note(m, PERP_IMPORT_IGNORED, x->at, "sensors <%s>: %s", x->at->name, why);
        }
        if (s) return s;
    }
    return PERP_OK;
}
