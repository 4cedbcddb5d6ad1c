/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sensor.c - sensors: adding, removing, reading. stage/solve/sense.c collects their data in each step. */
#include <string.h>

#include "model/state.h"
#include "world/lifetime.h"

enum { COOKIE = 0x70770024 };

/* Properties of a kind of sensor. */
typedef struct kind_of_sensor {
    const char *name;
    int size;
    bool joint, body, site; /* which of these it needs */
} kind_of_sensor;

static const kind_of_sensor kinds[PERP_SENSOR_KIND_COUNT] = {
    [PERP_SENSOR_JOINT_POSITION] = {"joint-position", 1, true, false, false},
    [PERP_SENSOR_JOINT_VELOCITY] = {"joint-velocity", 1, true, false, false},
    [PERP_SENSOR_JOINT_FORCE] = {"joint-force", 1, true, false, false},
    [PERP_SENSOR_FORCE] = {"force", 3, false, true, false},
    [PERP_SENSOR_TORQUE] = {"torque", 3, false, true, false},
    [PERP_SENSOR_CONTACT_FORCE] = {"contact-force", 3, false, true, false},
    [PERP_SENSOR_CONTACT_TORQUE] = {"contact-torque", 3, false, true, false},
    [PERP_SENSOR_ACCELEROMETER] = {"accelerometer", 3, false, false, true},
    [PERP_SENSOR_GYROSCOPE] = {"gyroscope", 3, false, false, true},
};

static bool is_kind(perp_sensor_kind kind) { return (int)kind >= 0 && kind < PERP_SENSOR_KIND_COUNT; }

perp_sensor_def perp_sensor_def_default(perp_sensor_kind kind) {
    return (perp_sensor_def){.kind = kind, .cookie = COOKIE};
}
int perp_sensor_size(perp_sensor_kind kind) { return is_kind(kind) ? kinds[kind].size : 0; }
const char *perp_sensor_kind_name(perp_sensor_kind kind) { return is_kind(kind) ? kinds[kind].name : NULL; }

static int slot_of(const perp_world *w, perp_sensor_id id) {
    if (id.gen == 0 || id.slot >= (uint32_t)w->robot.nsensor || !pp_alive(id.gen)) return -1;
    return w->robot.sensor[id.slot].gen == id.gen ? (int)id.slot : -1;
}

static int site_slot(const perp_world *w, perp_site_id id) {
    if (id.gen == 0 || id.slot >= (uint32_t)w->robot.nsite || !pp_alive(id.gen)) return -1;
    return w->robot.site[id.slot].gen == id.gen ? (int)id.slot : -1;
}

/* Slots of the joint, bodies and site of a sensor. */
static perp_status find_parts(perp_world *w, const perp_sensor_def *d, pp_sensor *s) {
    const kind_of_sensor *k = &kinds[d->kind];
    if (k->joint) {
        s->joint = pp_joint_slot(w, d->joint);
        if (s->joint < 0) return pp_fail(w, PERP_E_ARG, "perp_sensor_add: the joint id is stale or was never given");
        int n = perp_joint_ncoord(w->joint[s->joint].def.kind, w->def.dim);
        if (d->coord < 0 || d->coord >= n)
            return pp_fail(w, PERP_E_ARG, "coordinate of the sensor is %d; its joint has %d", d->coord, n);
        s->coord = d->coord;
    }
    if (k->body) {
        s->b = pp_body_slot(w, d->b);
        if (s->b < 0) return pp_fail(w, PERP_E_ARG, "perp_sensor_add: the id of body b is stale or was never given");
        if (d->a.gen != 0) s->a = pp_body_slot(w, d->a);
        if (d->a.gen != 0 && s->a < 0)
            return pp_fail(w, PERP_E_ARG, "perp_sensor_add: the id of body a is stale or was never given");
        if (s->a == s->b) return pp_fail(w, PERP_E_ARG, "bodies a and b of the sensor are the same");
        s->joints_only = d->joints_only;
    }
    if (k->site || (k->body && d->site.gen != 0)) {
        s->site = site_slot(w, d->site);
        if (s->site < 0) return pp_fail(w, PERP_E_ARG, "perp_sensor_add: the site id is stale or was never given");
    }
    return PERP_OK;
}

perp_status perp_sensor_add(perp_world *w, const perp_sensor_def *def, perp_sensor_id *out) {
    if (out) *out = (perp_sensor_id){0, 0};
    if (!def || def->cookie != COOKIE)
        return pp_fail(w, PERP_E_ARG, "the sensor definition was not made by perp_sensor_def_default()");
    if (!is_kind(def->kind)) return pp_fail(w, PERP_E_ARG, "sensor kind %d does not exist", (int)def->kind);
    pp_sensor s = {.kind = def->kind, .joint = -1, .a = -1, .b = -1, .site = -1};
    perp_status st = find_parts(w, def, &s);
    if (st) return st;
    if (!PP_GROW(&w->alloc, w->robot.sensor, w->robot.cap_sensor, w->robot.nsensor, w->robot.nsensor + 1))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for a sensor");
    bool ok = true;
    s.name = pp_copy_name(&w->alloc, def->name, &ok);
    if (!ok) return pp_fail(w, PERP_E_MEMORY, "out of memory for the name of a sensor");
    int slot = pp_slot_claim(w->robot.sensor, w->robot.nsensor, w->robot.dead_sensor, sizeof *w->robot.sensor);
    s.gen = w->robot.sensor[slot].gen + 1;
    w->robot.sensor[slot] = s;
    if (slot == w->robot.nsensor)
        w->robot.nsensor++;
    else
        w->robot.dead_sensor--;
    if (out) *out = (perp_sensor_id){(uint32_t)slot, s.gen};
    return PERP_OK;
}

static void drop(perp_world *w, int slot) {
    pp_sensor *s = &w->robot.sensor[slot];
    pp_free(&w->alloc, s->name);
    *s = (pp_sensor){.gen = s->gen + 1, .joint = -1, .a = -1, .b = -1, .site = -1};
    w->robot.dead_sensor++;
}

perp_status perp_sensor_remove(perp_world *w, perp_sensor_id id) {
    int slot = slot_of(w, id);
    if (slot < 0) return pp_fail(w, PERP_E_ARG, "perp_sensor_remove: the sensor id is stale or was never given");
    drop(w, slot);
    return PERP_OK;
}

void pp_sensor_drop_of(perp_world *w, int joint, int body, int site) {
    for (int i = 0; i < w->robot.nsensor; i++) {
        const pp_sensor *s = &w->robot.sensor[i];
        if (pp_alive(s->gen) && ((joint >= 0 && s->joint == joint) || (site >= 0 && s->site == site) ||
                                 (body >= 0 && (s->a == body || s->b == body))))
            drop(w, i);
    }
}

int perp_world_sensors(const perp_world *w, perp_sensor_id *out, int max) {
    int n = 0;
    for (int i = 0; i < w->robot.nsensor; i++) {
        if (!pp_alive(w->robot.sensor[i].gen)) continue;
        if (n < max) out[n] = (perp_sensor_id){(uint32_t)i, w->robot.sensor[i].gen};
        n++;
    }
    return n;
}

perp_sensor_id perp_sensor_find(const perp_world *w, const char *name) {
    for (int i = 0; name && i < w->robot.nsensor; i++)
        if (pp_alive(w->robot.sensor[i].gen) && w->robot.sensor[i].name && strcmp(w->robot.sensor[i].name, name) == 0)
            return (perp_sensor_id){(uint32_t)i, w->robot.sensor[i].gen};
    return (perp_sensor_id){0, 0};
}

static perp_body_id body_id(const perp_world *w, int slot) {
    return slot < 0 ? (perp_body_id){0, 0} : (perp_body_id){(uint32_t)slot, w->body[slot].gen};
}

perp_status perp_sensor_get(const perp_world *w, perp_sensor_id id, perp_sensor_def *out) {
    int slot = slot_of(w, id);
    if (slot < 0 || !out) return PERP_E_ARG;
    const pp_sensor *s = &w->robot.sensor[slot];
    *out = perp_sensor_def_default(s->kind);
    if (s->joint >= 0) out->joint = (perp_joint_id){(uint32_t)s->joint, w->joint[s->joint].gen};
    out->coord = s->coord;
    out->a = body_id(w, s->a);
    out->b = body_id(w, s->b);
    out->joints_only = s->joints_only;
    if (s->site >= 0) out->site = (perp_site_id){(uint32_t)s->site, w->robot.site[s->site].gen};
    out->name = s->name;
    return PERP_OK;
}

/* Pose of the sensor's site; without one, the axes of the world at the centre of mass of b. */
static perp_pose frame_of(const perp_world *w, const pp_sensor *s) {
    if (s->site < 0) return (perp_pose){w->state.X[s->b].p, perp_pose_identity().q};
    const pp_site *site = &w->robot.site[s->site];
    return perp_pose_mul(pp_shown_side(w, &w->state, site->body).X_WB, site->X_BS);
}

static perp_vec3 vector_of(const perp_world *w, const pp_sensor *s) {
    perp_pose X = frame_of(w, s);
    perp_vec3 v = {0, 0, 0};
    if (s->kind == PERP_SENSOR_GYROSCOPE) {
        v = pp_shown_side(w, &w->state, w->robot.site[s->site].body).w;
    } else if (s->span > 0) {
        v = s->push.force;
        if (s->kind == PERP_SENSOR_ACCELEROMETER) v = s->gained;
        if (s->kind == PERP_SENSOR_TORQUE || s->kind == PERP_SENSOR_CONTACT_TORQUE)
            v = perp_v3_add(s->push.torque, perp_v3_cross(perp_v3_sub(w->state.X[s->b].p, X.p), s->push.force));
        v = perp_v3_scale(1 / s->span, v);
        if (s->kind == PERP_SENSOR_ACCELEROMETER) v = perp_v3_sub(v, w->def.gravity_W);
    }
    v = perp_q_rotate(perp_q_conj(X.q), v);
    bool turning = s->kind == PERP_SENSOR_TORQUE || s->kind == PERP_SENSOR_CONTACT_TORQUE;
    return w->def.dim == 2 && turning ? perp_v3(0, 0, v.z) : v;
}

static void read_one(const perp_world *w, const pp_sensor *s, double *value) {
    if (kinds[s->kind].size == 3) {
        perp_vec3 v = vector_of(w, s);
        value[0] = v.x, value[1] = v.y, value[2] = v.z;
    } else if (s->kind == PERP_SENSOR_JOINT_FORCE) {
        value[0] = s->span > 0 ? s->along / s->span : 0;
    } else {
        double coord[PERP_JOINT_MAX_COORD] = {0}, rate[PERP_JOINT_MAX_COORD] = {0};
        (void)perp_joint_read(w, (perp_joint_id){(uint32_t)s->joint, w->joint[s->joint].gen}, coord, rate);
        value[0] = s->kind == PERP_SENSOR_JOINT_POSITION ? coord[s->coord] : rate[s->coord];
    }
}

perp_status perp_sensor_read(const perp_world *w, perp_sensor_id id, double *value) {
    int slot = slot_of(w, id);
    if (slot < 0 || !value) return PERP_E_ARG;
    read_one(w, &w->robot.sensor[slot], value);
    return PERP_OK;
}

int perp_world_sensor_data(const perp_world *w, double *value, int max) {
    int n = 0;
    for (int i = 0; i < w->robot.nsensor; i++) {
        const pp_sensor *s = &w->robot.sensor[i];
        if (!pp_alive(s->gen)) continue;
        double x[PERP_SENSOR_MAX_SIZE];
        read_one(w, s, x);
        for (int k = 0; k < kinds[s->kind].size; k++, n++)
            if (n < max) value[n] = x[k];
    }
    return n;
}

bool pp_clone_sensors(const perp_world *w, perp_world *to) {
    const perp_allocator *a = &to->alloc;
    if (!PP_GROW(a, to->robot.sensor, to->robot.cap_sensor, 0, w->robot.nsensor)) return false;
    for (int i = 0; i < w->robot.nsensor; i++) {
        bool ok = true;
        to->robot.sensor[i] = w->robot.sensor[i];
        to->robot.sensor[i].name = pp_copy_name(a, w->robot.sensor[i].name, &ok);
        to->robot.nsensor = i + 1;
        if (!ok) return false;
    }
    to->robot.dead_sensor = w->robot.dead_sensor;
    return true;
}
