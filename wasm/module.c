/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* module.c - what the WebAssembly module shows to perp.js
 * JavaScript passes and reads numbers only. Structures are described by tables (name, type, offset), which are made from
 * the headers here, so that perp.js knows no offset by itself. Strings are UTF-8 and end with a zero. Results of more
 * than one number are left in `result`, and the sentence of the last refusal in `why`: a module is used by one thread. */
#include <emscripten.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "perp/actuator.h"
#include "perp/perp.h"
#include "perp/scene.h"
#include "perp/view.h"

#include "module.h"

#define SHOWN EMSCRIPTEN_KEEPALIVE

perp_refusal js_why;
perp_certificate js_certificate;
static perp_certificate part;
static union {
    perp_world_view view;
    perp_scene_parameter parameter;
    perp_shape_view shape;
    perp_body_def body;
    double number[3];
    uint64_t hash;
} result;

static const js_field certificate_fields[] = {
#define C(type, name) JS_FIELD(perp_certificate, type, name)
    C("d", t),
    C("d", h),
    C("b", accepted),
    C("d", law.momentum),
    C("d", law.joint),
    C("d", law.normal),
    C("d", law.cone),
    C("d", law.dissipation),
    C("d", law.scale),
    C("d", joint_error),
    C("d", error),
    C("i", ambiguous),
    C("d", overlap),
    C("d", compression),
    C("i", rebounds_limited),
    C("i", rebounds_given_up),
    C("d", gain),
    C("d", gain_part),
    C("i2", gain_shape),
    C("d", rebound_lost),
    C("d", creep),
    C("d", twist),
    C("i2", overlap_shape),
    C("i", jams),
    C("d", jam_depth),
    C("i2", jam_shape),
    C("i", motor_yields),
    C("i", yield_joint),
    C("i", gives),
    C("d", give),
    C("i", contacts),
    C("i", separating),
    C("i", sticking),
    C("i", sliding),
    C("i", unknowns),
    C("i", substeps),
    C("i", rejected),
    C("i", fallbacks),
    C("s", solver),
    C("i", iterations),
    C("d", residual),
    C("d", ledger.kinetic_before),
    C("d", ledger.kinetic_after),
    C("d", ledger.gravity),
    C("d", ledger.spring),
    C("d", ledger.applied),
    C("d", ledger.damping),
    C("d", ledger.kinematic),
    C("d", ledger.joint),
    C("d", ledger.motor),
    C("d", ledger.armature),
    C("d", ledger.joint_loss),
    C("d", ledger.normal),
    C("d", ledger.friction),
    C("d", ledger.turning),
    C("d", ledger.start),
    C("d", ledger.sampling),
    C("d", ledger.drift),
    C("d", ledger.remainder),
    C("d", extent.kinetic),
    C("d", extent.low),
    C("d", extent.high),
    C("d", extent.fall),
    C("d", extent.drift),
    C("d", extent.drift_t),
#undef C
    {NULL, NULL, sizeof(perp_certificate)},
};

static const js_field contact_fields[] = {
#define C(type, name) JS_FIELD(perp_contact, type, name)
    C("u", a.slot),
    C("u", b.slot),
    C("U", feature),
    C("d3", a_W),
    C("d3", b_W),
    C("d3", n_W),
    C("d3", t_W),
    C("d3", o_W),
    C("d", gap),
    C("d", mu),
    C("d", restitution),
    C("d3", impulse_C),
    C("d", gap_end),
    C("i", state),
    C("d", spin_impulse),
    C("d2", roll_impulse),
    C("d", restitution_t),
#undef C
    {NULL, NULL, sizeof(perp_contact)},
};

static const js_field view_fields[] = {
#define C(type, name) JS_FIELD(perp_world_view, type, name)
    C("i", nslot),
    C("p", pose),
    C("p", twist),
    C("i", nctrl),
    C("p", ctrl),
#undef C
    {NULL, NULL, sizeof(perp_world_view)},
};

static const js_field parameter_fields[] = {
#define C(type, name) JS_FIELD(perp_scene_parameter, type, name)
    C("s", name),
    C("s", unit),
    C("s", about),
    C("d", value),
    C("d", initial),
    C("d", min),
    C("d", max),
#undef C
    {NULL, NULL, sizeof(perp_scene_parameter)},
};

static const js_field body_fields[] = {
#define C(type, name) JS_FIELD(perp_body_def, type, name)
    C("i", kind),
    C("d", mass),
    C("s", name),
#undef C
    {NULL, NULL, sizeof(perp_body_def)},
};

static const js_field shape_fields[] = {
#define C(type, name) JS_FIELD(perp_shape_view, type, name)
    C("u", body.slot),
    C("i", def.kind),
    C("d7", def.X_BS),
    C("d", def.radius),
    C("d", def.half_length),
    C("d3", def.half_size),
    C("d2", def.exponent),
    C("d3", def.normal),
    C("d", def.offset),
    C("p", def.points),
    C("i", def.npoint),
    C("i", def.material),
    C("b", def.visual),
    C("u", def.colour),
    C("i", nface),
    C("p", face_start),
    C("p", face),
#undef C
    {NULL, NULL, sizeof(perp_shape_view)},
};

static const js_field refusal_fields[] = {
#define C(type, name) JS_FIELD(perp_refusal, type, name)
    C("i", status),
    C("c", file),
    C("i", line),
    C("i", column),
    C("c", key),
    C("c", found),
    C("c", allowed),
    C("c", text),
#undef C
    {NULL, NULL, sizeof(perp_refusal)},
};

/* The tables, in the order in which perp.js names them. */
SHOWN const js_field *perp_js_table(int which) {
    static const js_field *const table[] = {certificate_fields, contact_fields, view_fields,   parameter_fields,
                                         body_fields,        shape_fields,   refusal_fields, js_dataset_fields,
                                         js_attribute_fields};
    return which >= 0 && which < (int)(sizeof table / sizeof *table) ? table[which] : NULL;
}

SHOWN const perp_refusal *perp_js_why(void) { return &js_why; }
SHOWN const char *perp_js_status_name(int status) { return perp_status_name((perp_status)status); }
SHOWN const char *perp_js_status_text(int status) { return perp_status_text((perp_status)status); }
SHOWN const char *perp_js_version(void) { return perp_version(); }
SHOWN void *perp_js_result(void) { return &result; }
SHOWN const perp_certificate *perp_js_certificate(void) { return &js_certificate; }

/* Scene. file: nfile triples of pointers and a size (path, data, size); the first is the scene. define: ndefine pairs of strings. */
SHOWN perp_scene *perp_js_open(const perp_source_file *file, int nfile, const perp_definition *define, int ndefine) {
    perp_scene *s = NULL;
    perp_scene_options options = {.define = define, .ndefine = ndefine, .file = file, .nfile = nfile};
    memset(&js_why, 0, sizeof js_why);
    perp_scene_open(file[0].path, &options, &s, &js_why);
    return s;
}
SHOWN void perp_js_close(perp_scene *s) { perp_scene_close(s); }
SHOWN int perp_js_set(perp_scene *s, const perp_scene_value *set, int n) {
    memset(&js_why, 0, sizeof js_why);
    return perp_scene_set_many(s, set, n, &js_why);
}
SHOWN const char *perp_js_title(perp_scene *s) { return perp_scene_title(s); }
SHOWN const char *perp_js_about(perp_scene *s) { return perp_scene_about(s); }
SHOWN double perp_js_duration(perp_scene *s) { return perp_scene_duration(s); }
SHOWN double perp_js_scene_steps(perp_scene *s) { return (double)perp_scene_steps(s); }
/* Units of length (0), mass (1) and time (2), as the scene notes them. */
SHOWN const char *perp_js_unit(perp_scene *s, int which) {
    const perp_units u = perp_scene_units(s);
    return which == 0 ? u.length : which == 1 ? u.mass : u.time;
}
SHOWN int perp_js_parameter_count(perp_scene *s) { return perp_scene_parameter_count(s); }
SHOWN void perp_js_parameter(perp_scene *s, int i) { result.parameter = perp_scene_parameter_at(s, i); }
/* Text that the caller frees, NULL without memory. */
SHOWN char *perp_js_schema(void) {
    const size_t size = perp_scene_schema(NULL, 0) + 1;
    char *text = malloc(size);
    if (text) perp_scene_schema(text, size);
    return text;
}

/* World */
SHOWN perp_world *perp_js_world(perp_scene *s) { return perp_scene_world(s); }
/* n steps; the certificate holds the worst figures and the sums of those that were taken, of a failed step its own. */
SHOWN int perp_js_step(perp_world *w, int n) {
    memset(&js_certificate, 0, sizeof js_certificate);
    if (n == 1) return perp_world_step(w, &js_certificate);
    for (int i = 0; i < n; i++) {
        const perp_status s = perp_world_step(w, &part);
        if (s) {
            js_certificate = part;
            return s;
        }
        perp_certificate_add(&js_certificate, &part);
    }
    return PERP_OK;
}
SHOWN const char *perp_js_world_why(const perp_world *w) { return perp_world_why(w); }
SHOWN double perp_js_time(const perp_world *w) { return perp_world_time(w); }
SHOWN double perp_js_steps(const perp_world *w) { return (double)perp_world_steps(w); }
SHOWN int perp_js_dim(const perp_world *w) { return perp_world_dim(w); }
SHOWN double perp_js_h(const perp_world *w) { return perp_world_h(w); }
SHOWN int perp_js_set_h(perp_world *w, double h) { return perp_world_set_h(w, h); }
SHOWN int perp_js_look(perp_world *w) { return perp_world_look(w, &result.view); }
SHOWN const perp_contact *perp_js_contacts(const perp_world *w, int *count) {
    const perp_contact *contact = NULL;
    *count = perp_world_contacts(w, &contact);
    return contact;
}
SHOWN void perp_js_energy(const perp_world *w) {
    perp_world_energy(w, &result.number[0], &result.number[1], &result.number[2]);
}
SHOWN void perp_js_gravity(const perp_world *w) {
    const perp_vec3 g = perp_world_get_def(w).gravity_W;
    result.number[0] = g.x, result.number[1] = g.y, result.number[2] = g.z;
}
SHOWN double perp_js_overlap(const perp_world *w) { return perp_world_overlap(w); }
SHOWN void perp_js_hash(const perp_world *w) { result.hash = perp_world_hash(w); }
SHOWN int perp_js_state_size(const perp_world *w) { return (int)perp_world_state_size(w); }
SHOWN int perp_js_get_state(const perp_world *w, void *buf, int size) {
    return perp_world_get_state(w, buf, (size_t)size);
}
SHOWN int perp_js_set_state(perp_world *w, const void *buf, int size) {
    return perp_world_set_state(w, buf, (size_t)size);
}

/* Bodies and shapes: the i-th, in order of slots. ids: room for all of them. */
SHOWN int perp_js_bodies(const perp_world *w, perp_body_id *ids, int max) { return perp_world_bodies(w, ids, max); }
SHOWN int perp_js_body(const perp_world *w, const perp_body_id *id) { return perp_body_get(w, *id, &result.body); }
SHOWN int perp_js_shapes(const perp_world *w, perp_shape_id *ids, int max) { return perp_world_shapes(w, ids, max); }
SHOWN int perp_js_shape(const perp_world *w, const perp_shape_id *id) { return perp_shape_get(w, *id, &result.shape); }
/* Sets the velocity of a body, for somebody who drags it. */
SHOWN int perp_js_set_velocity(perp_world *w, const perp_body_id *id, const perp_vec3 *v_and_w) {
    return perp_body_set_velocity(w, *id, v_and_w[0], v_and_w[1]);
}
SHOWN int perp_js_set_pose(perp_world *w, const perp_body_id *id, const perp_pose *X_WB) {
    return perp_body_set_pose(w, *id, *X_WB);
}
