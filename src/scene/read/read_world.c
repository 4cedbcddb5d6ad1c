/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_world.c - all keys of a scene except the lists: version, dimension, step, stages and their settings, materials and laws,
 * templates, recording. It makes the world and then reads the lists into it. */
#include <stdio.h>
#include <string.h>

#include "perp/plugin.h"
#include "scene/put.h"
#include "scene/scene_internal.h"

/* The values of a key in all files, the scene's own first. @return how many */
static int layers(const pp_reader *r, const char *key, pp_item *out) {
    int n = 0;
    for (int i = r->ndoc - 1; i >= 0; i--) {
        pp_item v = {&r->doc[i]->tree, pp_yaml_get(&r->doc[i]->tree, 1, key)};
        if (v.node) out[n++] = v;
    }
    return n;
}

/* The maps under a key in all files; each must be one. */
static perp_status map_layers(pp_reader *r, const char *key, pp_item *out, int *n) {
    *n = layers(r, key, out);
    for (int i = 0; i < *n; i++) {
        if (pp_is_map(out[i])) continue;
        pp_push_key(r, key);
        return pp_wrong_kind(r, out[i], pp_key_find(&pp_map_top, key));
    }
    return PERP_OK;
}

/* Version and dimension, which all files must agree on; neither is an expression of parameters. */
static perp_status read_version(pp_reader *r) {
    pp_item at[PP_SCENE_FILES];
    int n = layers(r, "perp", at);
    pp_key any = *pp_key_find(&pp_map_top, "perp");
    any.ranged = false;
    for (int i = 0; i < n; i++) {
        double x;
        pp_push_key(r, "perp");
        perp_status s = pp_read_number(r, at[i], &any, &x);
        if (s) return s;
        char found[64];
        pp_yaml_found(at[i].tree, at[i].node, found, sizeof found);
        if (x != 1) return pp_wrong(r, at[i], found, x > 1 ? "1 (a newer perp is needed)" : "1");
        pp_pop(r);
    }
    pp_item root = {&r->doc[r->ndoc - 1]->tree, 1};
    if (!pp_yaml_get(root.tree, 1, "perp"))
        return pp_wrong(r, root, "no key `perp`", "perp: 1, the version of the format");
    n = layers(r, "dim", at);
    if (n == 0) return pp_wrong(r, root, "no key `dim`", "dim: 2 or dim: 3");
    for (int i = n - 1; i >= 0; i--) {
        double x;
        pp_push_key(r, "dim");
        perp_status s = pp_read_number(r, at[i], pp_key_find(&pp_map_top, "dim"), &x);
        if (s) return s;
        if (r->dim && r->dim != (int)x) {
            char found[32], allowed[64];
            (void)snprintf(found, sizeof found, "%d", (int)x);
            (void)snprintf(allowed, sizeof allowed, "%d, as in the file included", r->dim);
            return pp_wrong(r, at[i], found, allowed);
        }
        r->dim = (int)x;
        pp_pop(r);
    }
    return PERP_OK;
}

/* A stage with settings: a solver or the stepper. */
typedef struct stage {
    const char *name;
    const perp_field *fields;
    int nfield;
} stage;

static stage stage_of(const char *name) {
    const perp_solver_type *s = perp_solver_find(name);
    if (s) return (stage){s->name, s->fields, s->nfield};
    perp_stepper_info p;
    for (int i = 0; perp_stepper_at(i, &p); i++)
        if (!strcmp(p.name, name)) return (stage){p.name, p.fields, p.nfield};
    return (stage){NULL, NULL, 0};
}

static perp_status read_settings_of(pp_reader *r, pp_item at, const stage *type) {
    const char *words[PP_MAP_KEYS + 1] = {NULL};
    for (int i = 0; i < type->nfield && i < PP_MAP_KEYS; i++) words[i] = type->fields[i].name;
    for (pp_item key = pp_first(at); key.node; key = pp_next(pp_next(key))) {
        const perp_field *f = NULL;
        for (int i = 0; i < type->nfield; i++)
            if (!strcmp(type->fields[i].name, pp_text_of(key))) f = &type->fields[i];
        if (!f) return pp_wrong_word(r, PERP_E_NAME, key, "the setting", pp_text_of(key), words);
        pp_push_key(r, f->name);
        pp_item v = pp_next(key);
        double x = 0;
        perp_status s;
        if (f->type == PERP_FIELD_BOOL) {
            const pp_key k = {.name = f->name, .type = PP_T_BOOL};
            bool yes = false;
            s = pp_read_value(r, v, &k, &yes);
            x = yes;
        } else {
            const pp_key k = {.name = f->name,
                              .type = f->type == PERP_FIELD_INT ? PP_T_WHOLE : PP_T_NUMBER,
                              .ranged = true,
                              .min = f->min,
                              .max = f->max};
            s = pp_read_number(r, v, &k, &x);
        }
        if (s) return s;
        char name[160];
        (void)snprintf(name, sizeof name, "%s.%s", type->name, f->name);
        s = perp_world_set(r->w, name, x);
        if (s) return pp_wrong_world(r, s, v);
        pp_pop(r);
    }
    return PERP_OK;
}

static perp_status read_settings(pp_reader *r, pp_item at) {
    const perp_world_def def = perp_world_get_def(r->w);
    const char *words[PERP_FALLBACK_MAX + 3] = {def.solver, def.stepper};
    int n = 2;
    for (int i = 0; i < PERP_FALLBACK_MAX && def.fallback[i]; i++) words[n++] = def.fallback[i];
    words[n] = NULL;
    const pp_key map_key = {.name = "settings", .type = PP_T_SETTINGS};
    if (!pp_is_map(at)) return pp_wrong_kind(r, at, &map_key);
    for (pp_item key = pp_first(at); key.node; key = pp_next(pp_next(key))) {
        stage type = {NULL, NULL, 0};
        for (int i = 0; i < n; i++)
            if (!strcmp(words[i], pp_text_of(key))) type = stage_of(words[i]);
        if (!type.name) return pp_wrong_word(r, PERP_E_NAME, key, "the stage", pp_text_of(key), words);
        pp_push_key(r, type.name);
        pp_item v = pp_next(key);
        char found[256];
        if (!pp_is_map(v))
            return pp_wrong(r, v, pp_yaml_found(v.tree, v.node, found, sizeof found), "a map of settings");
        perp_status s = read_settings_of(r, v, &type);
        if (s) return s;
        pp_pop(r);
    }
    return PERP_OK;
}

static perp_status read_fallback(pp_reader *r, const pp_stages_in *in, perp_world_def *def) {
    pp_item list = PP_ITEM(in, fallback);
    if (!list.node) return PERP_OK;
    pp_push_key(r, "fallback");
    pp_key one = *pp_key_find(&pp_map_stages, "fallback");
    if (pp_at(list)->length > PERP_FALLBACK_MAX) return pp_wrong(r, list, "more than 4 solvers", "at most 4");
    one.type = PP_T_STAGE;
    memset(def->fallback, 0, sizeof def->fallback);
    def->no_fallback = pp_at(list)->length == 0;
    int i = 0;
    for (pp_item v = pp_first(list); v.node; v = pp_next(v), i++) {
        pp_push_index(r, i);
        perp_status s = pp_read_value(r, v, &one, &def->fallback[i]);
        if (s) return s;
        pp_pop(r);
    }
    pp_pop(r);
    return PERP_OK;
}

static perp_status make_world(pp_reader *r, const pp_top_in *top) {
    perp_world_def def = perp_world_def_default(r->dim);
    pp_item layer[PP_SCENE_FILES];
    int n;
    perp_status s = map_layers(r, "stages", layer, &n);
    if (s) return s;
    pp_push_key(r, "stages");
    pp_item at = top->got.self;
    if (n > 0) {
        at = layer[0];
        pp_stages_in in = {
            .detector = def.detector, .contact_model = def.contact_model, .stepper = def.stepper, .solver = def.solver};
        s = pp_read_map(r, &pp_map_stages, layer, n, &in);
        if (!s) s = read_fallback(r, &in, &def);
        if (!s && !PP_GIVEN(&in, joint_correction) &&
            (PP_GIVEN(&in, correction_position) || PP_GIVEN(&in, correction_velocity)))
            s = pp_wrong(r, at, "correction_position or correction_velocity without joint_correction",
                         "joint_correction: true beside them");
        if (s) return s;
        def.detector = in.detector;
        def.contact_model = in.contact_model;
        def.geometry = (perp_geometry)in.geometry;
        def.driven = (perp_driven)in.driven;
        def.impacts = (perp_impacts)in.impacts;
        def.stepper = in.stepper;
        def.solver = in.solver;
        def.form = (perp_form)in.form;
        def.friction_directions = (int)in.friction_directions;
        def.friction_frame = (perp_friction_frame)in.friction_frame;
        def.tolerance = in.tolerance;
        def.error_tolerance = in.error_tolerance;
        def.max_halvings = (int)in.max_halvings;
        def.work_limit = in.work_limit;
        def.time_limit = in.time_limit;
        def.warm_start = in.warm_start;
        def.joint_correction = in.joint_correction;
        def.correction_position = in.correction_position;
        def.correction_velocity = in.correction_velocity;
    }
    def.h = top->h;
    if (r->dim == 2) def.press = top->press;
    if (PP_GIVEN(top, gravity)) def.gravity_W = top->gravity;
    def.start = (perp_start)top->start;
    def.alloc = *r->alloc;
    if (r->options) def.log = r->options->log;
    char why[256];
    s = perp_world_create_why(&def, &r->w, why, sizeof why);
    if (s == PERP_E_MEMORY) return pp_no_memory(r);
    if (s) return pp_wrong_say(r, s, at, "%s", why);
    r->s->world = r->w;
    pp_push_key(r, "settings");
    for (int i = n - 1; i >= 0 && !s; i--) { /* included files first, so that the scene's own values replace theirs */
        pp_item settings = {layer[i].tree, pp_yaml_get(layer[i].tree, layer[i].node, "settings")};
        if (settings.node) s = read_settings(r, settings);
    }
    if (s) return s;
    pp_pop(r);
    pp_pop(r);
    return PERP_OK;
}

/* Texts about the scene. A unit goes into labels: short, and one word. */
static perp_status read_words(pp_reader *r, const pp_top_in *top) {
    pp_item layer[PP_SCENE_FILES];
    int n;
    perp_status s = map_layers(r, "units", layer, &n);
    if (s) return s;
    pp_units_in in = {0};
    pp_push_key(r, "units");
    if (n > 0) s = pp_read_map(r, &pp_map_units, layer, n, &in);
    if (s) return s;
    const char *unit[3] = {in.length, in.mass, in.time};
    pp_item at[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    if (n > 0) at[0] = PP_ITEM(&in, length), at[1] = PP_ITEM(&in, mass), at[2] = PP_ITEM(&in, time);
    for (int i = 0; i < 3; i++) {
        size_t length = unit[i] ? strlen(unit[i]) : 0;
        if (length > 15 || (at[i].node && length == 0) || (length && strpbrk(unit[i], " \t\r\n^/")))
            return pp_wrong(r, at[i], unit[i], "a word of at most 15 letters, such as m, kg or s");
        r->s->unit[i] = pp_copy_text(r->alloc, unit[i] ? unit[i] : "");
        if (!r->s->unit[i]) return pp_no_memory(r);
    }
    pp_pop(r);
    r->s->title = pp_copy_text(r->alloc, top->title ? top->title : "");
    r->s->about = pp_copy_text(r->alloc, top->about ? top->about : "");
    return r->s->title && r->s->about ? PERP_OK : pp_no_memory(r);
}

static perp_status read_materials(pp_reader *r) {
    const pp_key list_key = *pp_key_find(&pp_map_top, "materials");
    pp_key name_key = list_key;
    name_key.type = PP_T_NAME;
    if (!pp_names_add(r->alloc, &r->material, "default", 0)) return pp_no_memory(r);
    pp_push_key(r, "materials");
    for (int d = 0; d < r->ndoc; d++) {
        pp_item list = {&r->doc[d]->tree, pp_yaml_get(&r->doc[d]->tree, 1, "materials")};
        if (!list.node) continue;
        if (!pp_is_list(list)) return pp_wrong_kind(r, list, &list_key);
        int i = 0, before = r->material.n; /* a file may name a material of another again */
        for (pp_item v = pp_first(list); v.node; v = pp_next(v), i++) {
            pp_name name;
            uint32_t id;
            pp_push_index(r, i);
            perp_status s = pp_read_name(r, v, &name_key, &name);
            if (s) return s;
            if (pp_names_find(&r->material, name.text, &id)) {
                if ((int)id >= before || id == 0)
                    return pp_wrong_say(r, PERP_E_ARG, v,
                                        "found \"%s\" again; allowed: every material once, `default` is there already",
                                        name.text);
            } else {
                int m;
                if (r->material.n >= 1000) return pp_wrong(r, v, "one material more", "at most 1000 materials");
                s = perp_material_add(r->w, &m);
                if (s) return pp_wrong_world(r, s, v);
                if (!pp_names_add(r->alloc, &r->material, name.text, (uint32_t)m)) return pp_no_memory(r);
            }
            pp_pop(r);
        }
    }
    pp_pop(r);
    return PERP_OK;
}

perp_status pp_read_material(pp_reader *r, pp_item at, const char *name, int *out) {
    uint32_t id;
    if (!pp_names_find(&r->material, name, &id)) return pp_names_missing(r, &r->material, at, name, "a material");
    *out = (int)id;
    return PERP_OK;
}

static perp_status read_pair(pp_reader *r, pp_item at, int pair[2]) {
    pp_key ref = {.name = "pair", .type = PP_T_REF, .of = "a material"};
    if (pp_at(at)->length != 2) {
        char found[128];
        return pp_wrong(r, at, pp_yaml_found(at.tree, at.node, found, sizeof found), "a list of 2 materials");
    }
    pp_item v = pp_first(at);
    for (int i = 0; i < 2; i++, v = pp_next(v)) {
        pp_name name;
        pp_push_index(r, i);
        perp_status s = pp_read_name(r, v, &ref, &name);
        if (!s) s = pp_read_material(r, v, name.text, &pair[i]);
        if (s) return s;
        pp_pop(r);
    }
    return PERP_OK;
}

static perp_pair_law law_of(const pp_law_in *in) {
    return (perp_pair_law){.mu = in->mu,
                           .restitution = in->restitution,
                           .restitution_t = in->restitution_t,
                           .e_t = in->e_t,
                           .e_o = in->e_o,
                           .e_r = in->e_r,
                           .e_roll = in->e_roll,
                           .compliance = (perp_compliance)in->compliance,
                           .stiffness = in->stiffness,
                           .damping = in->damping,
                           .stiffness_t = in->stiffness_t,
                           .damping_t = in->damping_t,
                           .layer = in->layer};
}

/* One file's laws. seen: the pairs so far, by their numbers, the smaller first. */
static perp_status read_pair_laws(pp_reader *r, pp_item list, pp_names *seen) {
    int i = 0;
    for (pp_item v = pp_first(list); v.node; v = pp_next(v), i++) {
        pp_law_in in = {0};
        int pair[2] = {0, 0};
        char name[32];
        pp_push_index(r, i);
        perp_status s = pp_read_map(r, &pp_map_pair_law, &v, 1, &in);
        if (s) return s;
        pp_push_key(r, "pair");
        s = read_pair(r, in.pair, pair);
        if (s) return s;
        bool up = pair[0] < pair[1];
        (void)snprintf(name, sizeof name, "%d %d", pair[!up], pair[up]);
        if (pp_names_find(seen, name, NULL))
            return pp_wrong(r, in.pair, "the pair of an entry above", "every pair once in a file");
        pp_pop(r);
        if (!pp_names_add(r->alloc, seen, name, 0)) return pp_no_memory(r);
        s = perp_pair_set(r->w, pair[0], pair[1], law_of(&in));
        if (s) return pp_wrong_world(r, s, v);
        pp_pop(r);
    }
    return PERP_OK;
}

static perp_status read_laws(pp_reader *r) {
    pp_item layer[PP_SCENE_FILES];
    int n;
    perp_status s = map_layers(r, "law", layer, &n);
    if (!s && n > 0) {
        pp_law_in in = {0};
        pp_push_key(r, "law");
        s = pp_read_map(r, &pp_map_law, layer, n, &in);
        if (!s) {
            s = perp_pair_set_all(r->w, law_of(&in));
            if (s) return pp_wrong_world(r, s, layer[0]);
            pp_pop(r);
        }
    }
    if (s) return s;
    pp_push_key(r, "laws");
    for (int d = 0; d < r->ndoc; d++) {
        pp_item list = {&r->doc[d]->tree, pp_yaml_get(&r->doc[d]->tree, 1, "laws")};
        if (!list.node) continue;
        if (!pp_is_list(list)) return pp_wrong_kind(r, list, pp_key_find(&pp_map_top, "laws"));
        pp_names seen = {0};
        s = read_pair_laws(r, list, &seen);
        pp_names_free(r->alloc, &seen);
        if (s) return s;
    }
    pp_pop(r);
    return PERP_OK;
}

const char *const pp_record_words[] = {"poses",       "twists", "joints", "contacts",
                                       "certificate", "ledger", "solver", NULL};

static perp_status read_what(pp_reader *r, pp_item at, unsigned *out) {
    const char *const *words = pp_record_words;
    const pp_key k = {.name = "what", .type = PP_T_WHAT};
    if (pp_is_scalar(at) && !strcmp(pp_text_of(at), "all")) {
        *out = PERP_RECORD_ALL;
        return PERP_OK;
    }
    if (!pp_is_list(at) || pp_at(at)->length == 0) return pp_wrong_kind(r, at, &k);
    *out = 0;
    int i = 0;
    for (pp_item v = pp_first(at); v.node; v = pp_next(v), i++) {
        int found = -1;
        pp_push_index(r, i);
        if (!pp_is_scalar(v) || pp_at(v)->length == 0) return pp_wrong_kind(r, v, &k);
        for (int w = 0; words[w]; w++)
            if (!strcmp(words[w], pp_text_of(v))) found = w;
        if (found < 0) return pp_wrong_word(r, PERP_E_ARG, v, NULL, pp_text_of(v), words);
        if (*out & 1u << found)
            return pp_wrong_say(r, PERP_E_ARG, v, "found \"%s\" again; allowed: each once", words[found]);
        *out |= 1u << found;
        pp_pop(r);
    }
    return PERP_OK;
}

static perp_status read_record(pp_reader *r, double h) {
    perp_record_choice *c = &r->s->record;
    pp_item layer[PP_SCENE_FILES];
    int n;
    perp_status s = map_layers(r, "record", layer, &n);
    *c = (perp_record_choice){PERP_RECORD_ALL, 1, 1};
    if (s || n == 0) return s;
    pp_record_in in = {0};
    pp_push_key(r, "record");
    s = pp_read_map(r, &pp_map_record, layer, n, &in);
    if (s) return s;
    c->every = (int)in.every;
    c->compression = (int)in.compression;
    pp_item interval = PP_ITEM(&in, interval);
    if (interval.node) {
        pp_push_key(r, "interval");
        if (PP_GIVEN(&in, every)) return pp_wrong(r, interval, "interval and every", "one of the two");
        double ratio = in.interval / h, every = round(ratio);
        if (!(every >= 1) || !(every <= 1e9) || !(fabs(ratio - every) <= 1e-9 * every)) {
            char found[64], allowed[96];
            (void)snprintf(found, sizeof found, "%.15g", in.interval);
            (void)snprintf(allowed, sizeof allowed, "a multiple of h = %.15g", h);
            return pp_wrong(r, interval, found, allowed);
        }
        c->every = (int)every;
        pp_pop(r);
    }
    if (PP_GIVEN(&in, what)) {
        pp_push_key(r, "what");
        s = read_what(r, in.what, &c->what);
        if (s) return s;
        pp_pop(r);
    }
    pp_pop(r);
    return PERP_OK;
}

static perp_status read_shape_order(pp_reader *r, pp_item list) {
    const pp_key one = {.name = "shape_order", .type = PP_T_WHOLE, .ranged = true, .min = 0, .max = 1e9};
    int n = perp_world_shapes(r->w, NULL, 0), i = 0;
    pp_push_key(r, "shape_order");
    if (pp_at(list)->length != (uint32_t)n) {
        char found[64], allowed[64];
        (void)snprintf(allowed, sizeof allowed, "a list of all %d shapes", n);
        return pp_wrong(r, list, pp_yaml_found(list.tree, list.node, found, sizeof found), allowed);
    }
    int *order = pp_alloc(r->alloc, (size_t)n * sizeof *order);
    if (!order) return pp_no_memory(r);
    perp_status s = PERP_OK;
    for (pp_item v = pp_first(list); v.node && !s; v = pp_next(v), i++) {
        double x = 0;
        pp_push_index(r, i);
        s = pp_read_number(r, v, &one, &x);
        order[i] = (int)x;
        if (!s) pp_pop(r);
    }
    if (!s) {
        s = perp_world_renumber(r->w, order);
        if (s) s = pp_wrong_world(r, s, list);
    }
    pp_free(r->alloc, order);
    if (!s) pp_pop(r);
    return s;
}

/* The state that a world had when it was written. */
static perp_status read_state(pp_reader *r, pp_item at, const char *text) {
    size_t size = 0;
    pp_push_key(r, "state");
    unsigned char *data = pp_base64_read(r->alloc, text, &size);
    if (!data) return size ? pp_no_memory(r) : pp_wrong(r, at, "a text that is no base64", "what perp wrote");
    perp_status s = perp_world_set_state(r->w, data, size);
    pp_free(r->alloc, data);
    if (s) return pp_wrong_world(r, s, at);
    pp_pop(r);
    return PERP_OK;
}

/* Names and texts only: which series there are, the recording knows. */
static perp_status read_watch(pp_reader *r) {
    const pp_key one = {.name = "watch", .type = PP_T_FORMULA}, named = {.name = "watch", .type = PP_T_NAME};
    pp_item layer[PP_SCENE_FILES];
    int n;
    perp_scene *scene = r->s;
    perp_status s = map_layers(r, "watch", layer, &n);
    if (s) return s;
    pp_push_key(r, "watch");
    for (int l = 0; l < n; l++)
        for (pp_item key = pp_first(layer[l]); key.node; key = pp_next(pp_next(key))) {
            pp_item value = pp_next(key);
            const char *name = pp_text_of(key);
            bool given = false;
            for (int i = 0; i < scene->nwatch; i++) given |= !strcmp(scene->watch[i].name, name);
            if (given) continue; /* the scene's own win over included ones */
            if (!pp_name_good(name)) return pp_wrong_kind(r, key, &named);
            pp_push_key(r, name);
            if (!pp_is_scalar(value) || pp_at(value)->length == 0 || strlen(pp_text_of(value)) != pp_at(value)->length)
                return pp_wrong_kind(r, value, &one);
            if (!PP_GROW(r->alloc, scene->watch, scene->cap_watch, scene->nwatch, scene->nwatch + 1))
                return pp_no_memory(r);
            perp_scene_watch *w = &scene->watch[scene->nwatch++];
            pp_location at = pp_yaml_place(value.tree, value.node);
            *w = (perp_scene_watch){.name = pp_copy_text(r->alloc, name),
                                    .text = pp_copy_text(r->alloc, pp_text_of(value)),
                                    .line = at.line,
                                    .column = at.column};
            if (!w->name || !w->text) return pp_no_memory(r);
            for (int d = 0; d < r->ndoc; d++)
                if (&r->doc[d]->tree == value.tree) w->file = r->doc[d]->file;
            pp_pop(r);
        }
    pp_pop(r);
    return PERP_OK;
}

static perp_status read_list(pp_reader *r, const char *key, perp_status (*read)(pp_reader *, pp_item)) {
    pp_push_key(r, key);
    for (int d = 0; d < r->ndoc; d++) {
        pp_item list = {&r->doc[d]->tree, pp_yaml_get(&r->doc[d]->tree, 1, key)};
        if (!list.node) continue;
        if (!pp_is_list(list)) return pp_wrong_kind(r, list, pp_key_find(&pp_map_top, key));
        perp_status s = read(r, list);
        if (s) return s;
    }
    pp_pop(r);
    return PERP_OK;
}

static perp_status count_steps(pp_reader *r, const pp_top_in *top) {
    double n = perp_steps_of(top->duration, top->h);
    if (!(n <= 1e15)) {
        pp_push_key(r, "duration");
        return pp_wrong(r, PP_ITEM(top, duration), "more than 1e15 steps", "duration / h up to 1e15");
    }
    r->s->duration = top->duration;
    r->s->steps = (uint64_t)n;
    return PERP_OK;
}

perp_status pp_read_world(pp_reader *r) {
    pp_item root[PP_SCENE_FILES] = {{NULL, 0}}, layer[PP_SCENE_FILES];
    int n;
    perp_status s = PERP_OK;
    for (int i = 0; i < r->ndoc; i++) root[i] = (pp_item){&r->doc[r->ndoc - 1 - i]->tree, 1};
    for (int i = r->ndoc - 1; i >= 0 && !s; i--) s = pp_check_keys(r, &pp_map_top, root[i], -1, false);
    if (!s) s = read_version(r);
    if (!s) s = map_layers(r, "parameters", layer, &n);
    if (!s) s = pp_read_parameters(r, layer, n);
    pp_top_in top = {0};
    if (!s) s = pp_read_map(r, &pp_map_top, root, r->ndoc, &top);
    if (!s) s = count_steps(r, &top);
    if (!s) s = read_words(r, &top);
    if (s) return s;
    r->seed = (uint64_t)top.seed;
    s = make_world(r, &top);
    if (!s) s = read_materials(r);
    if (!s) s = read_laws(r);
    if (!s) s = map_layers(r, "templates", layer, &n);
    if (!s) s = pp_read_templates(r, layer, n);
    if (!s) s = read_record(r, top.h);
    if (!s) s = read_watch(r);
    if (!s) s = read_list(r, "bodies", pp_read_bodies);
    if (!s) s = read_list(r, "joints", pp_read_joints);
    if (!s) s = read_list(r, "forces", pp_read_forces);
    if (!s) s = read_list(r, "actuators", pp_read_actuators);
    if (!s) s = read_list(r, "controls", pp_read_controls);
    if (!s) s = read_list(r, "exclude", pp_read_exclude);
    if (!s) s = read_list(r, "sites", pp_read_sites);
    if (!s) s = read_list(r, "sensors", pp_read_sensors);
    if (!s) s = read_list(r, "keyframes", pp_read_keyframes);
    if (!s && PP_GIVEN(&top, shape_order)) s = read_shape_order(r, top.shape_order);
    if (!s && PP_GIVEN(&top, state)) s = read_state(r, PP_ITEM(&top, state), top.state);
    return s;
}
