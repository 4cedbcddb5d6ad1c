/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* write_world.c - a world as the text of a scene: stages and settings, materials and laws, then the lists. See write_body.c
 * for the entries of the lists, and write.c for what is done with the text. */
#include "scene/write/write_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/plugin.h"
#include "scene/write/scribe.h"

/* ---- error reports, names ---- */

void pp_scribe_no_memory(pp_scribe *s) {
    if (!s->st)
        s->st = pp_complain_say(s->why, PERP_E_MEMORY, (pp_location){s->path, 0, 0}, "", "out of memory for the scene");
}

void pp_scribe_user(pp_scribe *s, const char *list, int index, const char *key, const char *what, const char *owner) {
    s->user = true;
    if (s->functions || s->st) return;
    char way[64], found[256];
    (void)snprintf(way, sizeof way, "%s[%d].%s", list, index, key);
    (void)snprintf(found, sizeof found, "%s%s%s, which is a function of the program", what, *owner ? " " : "", owner);
    s->st = pp_complain(s->why, PERP_E_ARG, (pp_location){s->path, 0, 0}, way, found,
                        "what a file can hold: constants, sinusoids, tables, springs, controllers and convex functions "
                        "that perp has");
}

pp_name pp_scribe_material(int material) {
    pp_name name = {""};
    if (material > 0) (void)snprintf(name.text, sizeof name.text, "material-%d", material);
    return name;
}

pp_name pp_scribe_body(const pp_scribe *s, perp_body_id b) {
    static const pp_name none = {""};
    return b.gen ? s->body_name[b.slot] : none; /* slots have no gaps */
}

/* Makes a valid name that is not in use: invalid characters are replaced by -, and a number is appended. */
static bool give_name(pp_scribe *s, pp_names *taken, const char *wanted, int index, pp_name *out) {
    enum { ROOM = 16 }; /* for the number */
    char base[PP_NAME_MAX - ROOM];
    size_t n = 0;
    for (const char *p = wanted; *p && n + 1 < sizeof base; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'), digit = *p >= '0' && *p <= '9';
        if (n == 0 && !letter) base[n++] = 'n';
        if (n + 1 < sizeof base) base[n++] = letter || digit || *p == '_' ? *p : '-';
    }
    base[n] = 0;
    (void)snprintf(out->text, sizeof out->text, "%s", base);
    for (int k = 2; pp_name_reserved(out->text) || pp_names_find(taken, out->text, NULL); k++)
        (void)snprintf(out->text, sizeof out->text, "%s-%d", base, k);
    return pp_names_add(&s->alloc, taken, out->text, (uint32_t)index);
}

/* Own names of the i-th part of each kind; NULL or "": none. */
static const char *own_of_body(const pp_scribe *s, int i) { return perp_body_name(s->w, s->body[i]); }
static const char *own_of_joint(const pp_scribe *s, int i) {
    perp_joint_def d;
    return perp_joint_get(s->w, s->joint[i], &d) ? NULL : d.name;
}
static const char *own_of_actuator(const pp_scribe *s, int i) {
    perp_actuator_def d;
    return perp_actuator_get(s->w, s->actuator[i], &d) ? NULL : d.name;
}
static const char *own_of_site(const pp_scribe *s, int i) {
    perp_site_def d;
    return perp_site_get(s->w, s->site[i], &d) ? NULL : d.name;
}
static const char *own_of_sensor(const pp_scribe *s, int i) {
    perp_sensor_def d;
    return perp_sensor_get(s->w, s->sensor[i], &d) ? NULL : d.name;
}

/* Parts of one kind that get names. */
typedef struct named {
    const char *word; /* for those without a name: word-7 */
    int n;
    const char *(*own)(const pp_scribe *s, int i);
    const bool *needed; /* which of those without a name need one; NULL: all */
    pp_name *out;
} named;

/* Names of those that have one, then of those that need one. */
static bool name_parts(pp_scribe *s, const named *p) {
    pp_names taken = {0};
    bool ok = true;
    for (int turn = 0; turn < 2 && ok; turn++)
        for (int i = 0; i < p->n && ok; i++) {
            const char *own = p->own(s, i);
            bool has = own && *own;
            char made[32];
            (void)snprintf(made, sizeof made, "%s-%d", p->word, i);
            if (turn == 0 ? has : !has && (!p->needed || p->needed[i]))
                ok = give_name(s, &taken, has ? own : made, i, &p->out[i]);
        }
    pp_names_free(&s->alloc, &taken);
    return ok;
}

/* Bodies that joints or forces name, and joints that controllers name. */
static void mark_spoken_of(const pp_scribe *s, bool *body, bool *joint) {
    for (int i = 0; i < s->njoint; i++) {
        perp_joint_def d;
        if (perp_joint_get(s->w, s->joint[i], &d)) continue;
        if (d.a.gen) body[d.a.slot] = true;
        if (d.b.gen) body[d.b.slot] = true;
        for (int k = 0; k < d.nterm; k++) joint[d.term[k].joint.slot] = true;
    }
    for (int i = 0; i < s->nforce; i++) {
        perp_force_def d;
        if (perp_force_get(s->w, s->force[i], &d)) continue;
        if (d.a.gen) body[d.a.slot] = true;
        if (d.b.gen) body[d.b.slot] = true;
        if (d.joint.gen) joint[d.joint.slot] = true;
    }
    pp_mark_sites(s, body);
    pp_mark_actuators(s, body, joint);
    pp_mark_sensors(s, body, joint);
}

static bool give_names(pp_scribe *s) {
    int n = s->nbody + s->njoint + s->nactuator;
    bool *spoken = pp_alloc(&s->alloc, (size_t)n * sizeof *spoken); /* no entry refers to actuators */
    if (!spoken) return false;
    memset(spoken, 0, (size_t)n * sizeof *spoken);
    mark_spoken_of(s, spoken, spoken + s->nbody);
    const named parts[] = {{"body", s->nbody, own_of_body, spoken, s->body_name},
                           {"joint", s->njoint, own_of_joint, spoken + s->nbody, s->joint_name},
                           {"actuator", s->nactuator, own_of_actuator, spoken + s->nbody + s->njoint, s->actuator_name},
                           {"site", s->nsite, own_of_site, NULL, s->site_name},
                           {"sensor", s->nsensor, own_of_sensor, NULL, s->sensor_name}};
    bool ok = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && ok; i++) ok = name_parts(s, &parts[i]);
    pp_free(&s->alloc, spoken);
    return ok;
}

/* ---- what there is ---- */

static void *array(pp_scribe *s, int n, size_t size) {
    void *p = pp_alloc(&s->alloc, (size_t)n * size);
    if (p) memset(p, 0, (size_t)n * size);
    return p;
}

static void close_scribe(pp_scribe *s) {
    void *const owned[] = {s->body,       s->joint,         s->force,       s->shape,      s->actuator,
                           s->site,       s->sensor,        s->first_shape, s->by_body,    s->body_name,
                           s->joint_name, s->actuator_name, s->site_name,   s->sensor_name};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) pp_free(&s->alloc, owned[i]);
}

/* Shapes of a body together, each body's in the order of their slots. */
static void sort_shapes(pp_scribe *s) {
    for (int i = 0; i < s->nshape; i++) s->first_shape[perp_shape_body(s->w, s->shape[i]).slot + 1]++;
    for (int b = 0; b < s->nbody; b++) s->first_shape[b + 1] += s->first_shape[b];
    for (int i = 0; i < s->nshape; i++) s->by_body[s->first_shape[perp_shape_body(s->w, s->shape[i]).slot]++] = i;
    for (int b = s->nbody; b > 0; b--) s->first_shape[b] = s->first_shape[b - 1];
    s->first_shape[0] = 0;
}

static bool open_scribe(pp_scribe *s) {
    const perp_world *w = s->w;
    s->nbody = perp_world_body_count(w);
    s->njoint = perp_world_joints(w, NULL, 0);
    s->nforce = perp_world_force_count(w);
    s->nshape = perp_world_shapes(w, NULL, 0);
    s->nactuator = perp_world_actuators(w, NULL, 0);
    s->nsite = perp_world_sites(w, NULL, 0);
    s->nsensor = perp_world_sensors(w, NULL, 0);
    s->body = array(s, s->nbody, sizeof *s->body);
    s->joint = array(s, s->njoint, sizeof *s->joint);
    s->force = array(s, s->nforce, sizeof *s->force);
    s->shape = array(s, s->nshape, sizeof *s->shape);
    s->first_shape = array(s, s->nbody + 1, sizeof *s->first_shape);
    s->by_body = array(s, s->nshape, sizeof *s->by_body);
    s->body_name = array(s, s->nbody, sizeof *s->body_name);
    s->joint_name = array(s, s->njoint, sizeof *s->joint_name);
    s->actuator = array(s, s->nactuator, sizeof *s->actuator);
    s->site = array(s, s->nsite, sizeof *s->site);
    s->sensor = array(s, s->nsensor, sizeof *s->sensor);
    s->actuator_name = array(s, s->nactuator, sizeof *s->actuator_name);
    s->site_name = array(s, s->nsite, sizeof *s->site_name);
    s->sensor_name = array(s, s->nsensor, sizeof *s->sensor_name);
    if (!s->body || !s->joint || !s->force || !s->shape || !s->first_shape || !s->by_body || !s->body_name ||
        !s->joint_name || !s->actuator || !s->site || !s->sensor || !s->actuator_name || !s->site_name ||
        !s->sensor_name)
        return false;
    perp_world_bodies(w, s->body, s->nbody);
    perp_world_joints(w, s->joint, s->njoint);
    perp_world_forces(w, s->force, s->nforce);
    perp_world_shapes(w, s->shape, s->nshape);
    perp_world_actuators(w, s->actuator, s->nactuator);
    perp_world_sites(w, s->site, s->nsite);
    perp_world_sensors(w, s->sensor, s->nsensor);
    sort_shapes(s);
    return give_names(s);
}

/* Numbers of the shapes, as they are counted over the bodies, in the order of their slots; NULL if that is the same. */
static char *shape_order(pp_scribe *s) {
    bool same = true;
    for (int i = 0; i < s->nshape; i++) same = same && s->by_body[i] == i;
    if (same) return NULL;
    int *place = array(s, s->nshape, sizeof *place);
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text, .failed = !place};
    if (!place) s->no_memory_for_text = true;
    for (int i = 0; place && i < s->nshape; i++) place[s->by_body[i]] = i;
    for (int i = 0; place && i < s->nshape; i++) pp_text_add(&t, "%s%d", i ? ", " : "[", place[i]);
    pp_text_add(&t, "]");
    pp_free(&s->alloc, place);
    char *text = pp_text_take(&t);
    return text;
}

/* ---- stages ---- */

static bool same_chain(const perp_world_def *a, const perp_world_def *b) {
    if (strcmp(a->solver, b->solver) != 0) return false;
    for (int i = 0; i < PERP_FALLBACK_MAX; i++) {
        if (!a->fallback[i] != !b->fallback[i]) return false;
        if (a->fallback[i] && strcmp(a->fallback[i], b->fallback[i]) != 0) return false;
    }
    return true;
}

/* Whether a world without given form and solvers would choose those of this one. */
static bool chosen_by_itself(pp_scribe *s) {
    perp_world_def d = s->def, plain = perp_world_def_default(s->dim);
    perp_world *w;
    d.form = plain.form;
    d.solver = plain.solver;
    memcpy(d.fallback, plain.fallback, sizeof d.fallback);
    d.no_fallback = plain.no_fallback;
    d.friction_directions = 0;
    perp_status st = perp_world_create(&d, &w);
    if (st == PERP_E_MEMORY) s->no_memory_for_text = true;
    if (st) return false;
    perp_world_def got = perp_world_get_def(w);
    perp_world_destroy(w);
    return got.form == s->def.form && got.friction_directions == s->def.friction_directions &&
           same_chain(&got, &s->def);
}

/* What the start would be if it were left open. */
static perp_start open_start(pp_scribe *s) {
    perp_world_def d = s->def;
    perp_world *w;
    d.start = PERP_START_AUTO;
    perp_status st = perp_world_create(&d, &w);
    if (st == PERP_E_MEMORY) s->no_memory_for_text = true;
    if (st) return PERP_START_AUTO;
    d = perp_world_get_def(w);
    perp_world_destroy(w);
    return d.start;
}

/* Settings of a stage that are not those of a new world. */
static void put_settings_of(const pp_scribe *s, const perp_world *fresh, pp_text *t, const char *stage,
                            const perp_field *field, int n) {
    bool first = true;
    for (int i = 0; i < n; i++) {
        char name[160];
        double now = 0, new = 0;
        (void)snprintf(name, sizeof name, "%s.%s", stage, field[i].name);
        if (perp_world_get(s->w, name, &now) || perp_world_get(fresh, name, &new) || now == new) continue;
        if (first)
            pp_text_add(t, "%s%s: {%s: ", t->n > 1 ? ", " : "", stage, field[i].name);
        else
            pp_text_add(t, ", %s: ", field[i].name);
        first = false;
        if (field[i].type == PERP_FIELD_BOOL)
            pp_text_add(t, now != 0 ? "true" : "false");
        else
            pp_text_number(t, now);
    }
    if (!first) pp_text_add(t, "}");
}

static char *settings_of(pp_scribe *s) {
    perp_world *fresh;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    if (perp_world_create(&s->def, &fresh)) { /* it was made of this definition, so that only memory can fail */
        pp_scribe_no_memory(s);
        return NULL;
    }
    pp_text_add(&t, "{");
    for (int i = -1; i < PERP_FALLBACK_MAX; i++) {
        const char *name = i < 0 ? s->def.solver : s->def.fallback[i];
        const perp_solver_type *type = name ? perp_solver_find(name) : NULL;
        if (type) put_settings_of(s, fresh, &t, type->name, type->fields, type->nfield);
    }
    perp_stepper_info p;
    for (int i = 0; perp_stepper_at(i, &p); i++)
        if (!strcmp(p.name, s->def.stepper)) put_settings_of(s, fresh, &t, p.name, p.fields, p.nfield);
    perp_world_destroy(fresh);
    bool none = t.n <= 1;
    pp_text_add(&t, "}");
    char *text = pp_text_take(&t);
    if (!none) return text;
    pp_free(&s->alloc, text);
    return NULL;
}

static char *fallback_of(pp_scribe *s) {
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_text_add(&t, "[");
    for (int i = 0; i < PERP_FALLBACK_MAX && s->def.fallback[i]; i++)
        pp_text_add(&t, "%s%s", i ? ", " : "", s->def.fallback[i]);
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

static const char *unless_default(const char *name, const char *standard) {
    return name && standard && !strcmp(name, standard) ? NULL : name;
}

static char *stages_of(pp_scribe *s) {
    const perp_world_def *d = &s->def, plain = perp_world_def_default(s->dim);
    pp_stages_in in;
    pp_put_blank(&pp_map_stages, &in);
    bool open = chosen_by_itself(s);
    in.detector = unless_default(d->detector, plain.detector);
    in.contact_model = unless_default(d->contact_model, plain.contact_model);
    in.stepper = unless_default(d->stepper, plain.stepper);
    in.geometry = (int)d->geometry;
    in.driven = (int)d->driven;
    in.impacts = (int)d->impacts;
    in.friction_frame = (int)d->friction_frame;
    if (!open) {
        in.solver = d->solver;
        in.form = (int)d->form;
        in.friction_directions = d->friction_directions;
    }
    in.tolerance = d->tolerance;
    in.error_tolerance = d->error_tolerance;
    in.max_halvings = d->max_halvings;
    in.work_limit = isfinite(d->work_limit) ? d->work_limit : 0; /* 0: no limit */
    in.time_limit = isfinite(d->time_limit) ? d->time_limit : 0;
    in.warm_start = d->warm_start;
    in.joint_correction = d->joint_correction;
    if (d->joint_correction) {
        in.correction_position = d->correction_position;
        in.correction_velocity = d->correction_velocity;
    }
    char *fallback = open ? NULL : fallback_of(s), *settings = settings_of(s);
    const pp_nested nested[] = {{"fallback", fallback}, {"settings", settings}, {NULL, NULL}};
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_put_map(&t, &pp_map_stages, s->dim, -1, &in, nested);
    pp_free(&s->alloc, fallback);
    pp_free(&s->alloc, settings);
    char *text = pp_text_take(&t);
    if (!text || strcmp(text, "{}") != 0) return text;
    pp_free(&s->alloc, text);
    return NULL;
}

/* ---- laws ---- */

static void set_law(const perp_pair_law *law, pp_law_in *in) {
    in->mu = law->mu;
    in->restitution = law->restitution;
    in->restitution_t = law->restitution_t;
    in->e_t = law->e_t > 0 ? law->e_t : 1; /* 0 stands for 1 */
    in->e_o = law->e_o > 0 ? law->e_o : 1;
    in->e_r = law->e_r;
    in->e_roll = law->e_roll;
    in->compliance = (int)law->compliance;
    in->stiffness = law->stiffness;
    in->damping = law->damping;
    in->stiffness_t = law->stiffness_t;
    in->damping_t = law->damping_t;
    in->layer = law->layer;
}

/* A law as text; `pair` NULL: of all. */
static void put_law(pp_scribe *s, pp_text *t, const perp_pair_law *law, const char *pair) {
    const pp_map *map = pair ? &pp_map_pair_law : &pp_map_law;
    pp_law_in in;
    pp_put_blank(map, &in);
    set_law(law, &in);
    const pp_nested nested[] = {{"pair", pair}, {NULL, NULL}};
    pp_put_map(t, map, s->dim, -1, &in, nested);
}

static bool same_law(const perp_pair_law *a, const perp_pair_law *b) {
    return a->mu == b->mu && a->restitution == b->restitution && a->restitution_t == b->restitution_t &&
           a->e_t == b->e_t && a->e_o == b->e_o && a->e_r == b->e_r && a->e_roll == b->e_roll &&
           a->compliance == b->compliance && a->stiffness == b->stiffness && a->damping == b->damping &&
           a->stiffness_t == b->stiffness_t && a->damping_t == b->damping_t && a->layer == b->layer;
}

static char *materials_of(pp_scribe *s) {
    int n = perp_material_count(s->w);
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    if (n <= 1) return NULL;
    for (int i = 1; i < n; i++) pp_text_add(&t, "%s%s", i > 1 ? ", " : "[", pp_scribe_material(i).text);
    pp_text_add(&t, "]");
    return pp_text_take(&t);
}

/* The law that a new material would have with all others. */
static perp_pair_law law_of_all(pp_scribe *s) {
    perp_pair_law law = {0};
    perp_world *w = NULL;
    int m = 0;
    if (perp_world_clone(s->w, &w) || perp_material_add(w, &m)) pp_scribe_no_memory(s);
    if (!s->st) (void)perp_pair_get(w, m, m, &law);
    perp_world_destroy(w);
    return law;
}

static char *laws_of(pp_scribe *s, const perp_pair_law *all) {
    int n = perp_material_count(s->w);
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            perp_pair_law law;
            char pair[2 * PP_NAME_MAX + 8];
            if (perp_pair_get(s->w, a, b, &law) || same_law(&law, all)) continue;
            (void)snprintf(pair, sizeof pair, "[%s, %s]", a ? pp_scribe_material(a).text : "default",
                           b ? pp_scribe_material(b).text : "default");
            pp_text_add(&t, "\n  - ");
            put_law(s, &t, &law, pair);
        }
    bool none = !t.failed && t.n == 0;
    char *text = none ? NULL : pp_text_take(&t);
    return text;
}

/* ---- the whole ---- */

static char *units_of(pp_scribe *s, const perp_scene_words *words) {
    const perp_units *u = &words->units;
    pp_units_in in;
    pp_put_blank(&pp_map_units, &in);
    if (u->length && *u->length) in.length = u->length;
    if (u->mass && *u->mass) in.mass = u->mass;
    if (u->time && *u->time) in.time = u->time;
    if (!in.length && !in.mass && !in.time) return NULL;
    pp_text t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    pp_put_map(&t, &pp_map_units, s->dim, -1, &in, NULL);
    return pp_text_take(&t);
}

static char *record_of(pp_scribe *s, const perp_record_choice *c) {
    pp_record_in in;
    pp_text what = {.alloc = &s->alloc, .any = &s->no_memory_for_text},
            t = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    if (c->what == PERP_RECORD_ALL && c->every == 1 && c->compression == 1) return NULL;
    pp_put_blank(&pp_map_record, &in);
    in.every = c->every;
    in.compression = c->compression;
    for (int i = 0; c->what != PERP_RECORD_ALL && pp_record_words[i]; i++)
        if (c->what >> i & 1u) pp_text_add(&what, "%s%s", what.n ? ", " : "[", pp_record_words[i]);
    if (what.n) pp_text_add(&what, "]");
    t.failed = what.failed;
    const pp_nested nested[] = {{"what", what.data}, {NULL, NULL}};
    pp_put_map(&t, &pp_map_record, s->dim, -1, &in, nested);
    pp_text_free(&what);
    return pp_text_take(&t);
}

static void compose(pp_scribe *s, const perp_scene_words *words, const char *state, pp_text *out) {
    pp_top_in in;
    pp_put_blank(&pp_map_top, &in);
    in.perp = 1;
    in.dim = s->dim;
    if (words->title && *words->title) in.title = words->title;
    if (words->about && *words->about) in.about = words->about;
    in.h = s->def.h;
    in.duration = words->duration;
    in.gravity = s->def.gravity_W;
    in.press = s->def.press;
    if (open_start(s) != s->def.start) in.start = (int)s->def.start;
    in.state = state;
    const perp_pair_law all = law_of_all(s), none = {0};
    pp_text law = {.alloc = &s->alloc, .any = &s->no_memory_for_text};
    if (!same_law(&all, &none)) put_law(s, &law, &all, NULL);
    const pp_nested nested[] = {{"units", units_of(s, words)},        {"stages", stages_of(s)},
                                {"materials", materials_of(s)},       {"law", law.n ? pp_text_take(&law) : NULL},
                                {"laws", laws_of(s, &all)},           {"bodies", pp_write_bodies(s)},
                                {"joints", pp_write_joints(s)},       {"forces", pp_write_forces(s)},
                                {"actuators", pp_write_actuators(s)}, {"exclude", pp_write_exclude(s)},
                                {"sites", pp_write_sites(s)},         {"sensors", pp_write_sensors(s)},
                                {"keyframes", pp_write_keyframes(s)}, {"record", record_of(s, &words->record)},
                                {"shape_order", shape_order(s)},      {NULL, NULL}};
    if (!s->st) pp_put_lines(out, &pp_map_top, s->dim, &in, nested);
    for (int i = 0; nested[i].key; i++) pp_free(&s->alloc, (void *)(uintptr_t)nested[i].text);
}

perp_status pp_world_compose(const perp_world *w, const pp_compose_options *how, bool *user, char **text,
                             perp_refusal *why) {
    pp_scribe s = {.w = w, .def = perp_world_get_def(w), .path = how->path, .why = why, .functions = how->functions};
    s.alloc = s.def.alloc;
    s.def.log = (perp_log){0}; /* temporary worlds have no log */
    s.dim = s.def.dim;
    pp_text out = {.alloc = &s.alloc, .any = &s.no_memory_for_text};
    *text = NULL;
    if (open_scribe(&s))
        compose(&s, how->words, how->state, &out);
    else
        pp_scribe_no_memory(&s);
    close_scribe(&s);
    *text = pp_text_take(&out);
    if (!*text || s.no_memory_for_text) pp_scribe_no_memory(&s);
    if (s.st) {
        pp_free(&s.alloc, *text);
        *text = NULL;
    }
    *user = s.user;
    return s.st;
}
