/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene.c - opening and closing scenes, and reading their properties. See include/perp/scene.h and docs/scene.md. */
#include "perp/scene.h"

#include <float.h>
#include <string.h>

#include "scene/scene_internal.h"

void pp_reader_free(pp_reader *r) {
    if (!r) return;
    const perp_allocator *a = r->alloc;
    pp_scope_free(r);
    for (int i = 0; i < r->ndoc; i++) {
        pp_yaml_free(&r->doc[i]->tree);
        pp_free(a, r->doc[i]);
    }
    pp_free(a, r->doc);
    pp_names_free(a, &r->body);
    pp_names_free(a, &r->joint);
    pp_names_free(a, &r->force);
    pp_names_free(a, &r->material);
    pp_names_free(a, &r->template);
    pp_free(a, r->template_item);
    pp_free(a, r->declared);
    pp_free(a, r->body_of);
    pp_free(a, r->joint_of);
    pp_free(a, r->shift);
    pp_free(a, r->shape);
    pp_free(a, r->points);
    pp_free(a, r->function);
    pp_mesh_cache_free(r);
    pp_free(a, r);
}

static perp_status keep_definitions(pp_reader *r) {
    perp_scene *s = r->s;
    int n = r->options ? r->options->ndefine : 0;
    if (n == 0) return PERP_OK;
    if (!PP_GROW(r->alloc, s->definition, s->cap_definition, 0, n)) return pp_no_memory(r);
    for (int i = 0; i < n; i++) {
        const perp_definition *from = &r->options->define[i];
        pp_definition *d = &s->definition[i];
        *d = (pp_definition){.name = pp_copy_text(r->alloc, from->name), .text = pp_copy_text(r->alloc, from->value)};
        s->ndefinition = i + 1;
        if (!d->name || !d->text) return pp_no_memory(r);
    }
    r->given = s->definition;
    r->ngiven = n;
    return PERP_OK;
}

static perp_status check_options(const char *path, const perp_scene_options *o, perp_refusal *why) {
    const pp_location nowhere = {path ? path : "", 0, 0};
    if (o && (!o->alloc.alloc != !o->alloc.free))
        return pp_complain_say(why, PERP_E_ARG, nowhere, NULL, "the allocator has one function without the other");
    bool bad = o && (o->ndefine < 0 || (o->ndefine > 0 && !o->define) || o->nfile < 0 || (o->nfile > 0 && !o->file));
    for (int i = 0; !bad && o && i < o->ndefine; i++) bad = !o->define[i].name || !o->define[i].value;
    for (int i = 0; !bad && o && i < o->nfile; i++) bad = !o->file[i].path || (o->file[i].size > 0 && !o->file[i].data);
    if (bad)
        return pp_complain_say(why, PERP_E_ARG, nowhere, NULL,
                               "the options have a NULL where a text or a list must be");
    if (!path && !(o && o->nfile > 0)) return pp_complain_say(why, PERP_E_ARG, nowhere, NULL, "no path was given");
    return PERP_OK;
}

/* Combinations that the stepper does not support are refused now, not when two shapes meet in a later step. */
static perp_status check_ready(pp_reader *r, const char *path) {
    perp_status s = perp_world_ready(r->s->world);
    if (!s) return PERP_OK;
    const char *file = r->s->nfile > 0 ? r->s->file[0].path : path;
    return pp_complain_say(r->why, s, (pp_location){file, 0, 0}, "stages.stepper", "%s", perp_world_why(r->s->world));
}

perp_status perp_scene_open(const char *path, const perp_scene_options *options, perp_scene **out, perp_refusal *why) {
    static const perp_allocator plain = {0};
    perp_refusal unheard;
    if (!why) why = &unheard;
    memset(why, 0, sizeof *why);
    if (!out)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){"", 0, 0}, NULL, "no place for the scene was given");
    *out = NULL;
    perp_status s = check_options(path, options, why);
    if (s) return s;
    const perp_allocator alloc = options ? options->alloc : plain;
    perp_scene *scene = pp_alloc(&alloc, sizeof *scene);
    pp_reader *r = pp_alloc(&alloc, sizeof *r);
    if (!scene || !r) {
        pp_free(&alloc, scene);
        pp_free(&alloc, r);
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, NULL, "out of memory for the scene");
    }
    memset(scene, 0, sizeof *scene);
    memset(r, 0, sizeof *r);
    scene->alloc = alloc;
    r->s = scene;
    r->alloc = &scene->alloc;
    r->options = options;
    r->why = why;
    if (options) scene->log = options->log;
    scene->from_memory = options && options->nfile > 0;
    bool rooted = options && options->root;
    if (rooted) scene->root = pp_copy_text(r->alloc, options->root);
    s = rooted && !scene->root ? pp_no_memory(r) : pp_read_documents(r, path);
    if (!s) s = keep_definitions(r);
    if (!s) s = pp_read_world(r);
    if (!s) s = pp_keep_spare_files(r);
    if (!s) s = check_ready(r, path);
    pp_reader_free(r);
    if (s) {
        perp_scene_close(scene);
        return s;
    }
    *out = scene;
    return PERP_OK;
}

void pp_scene_free_content(perp_scene *s) {
    const perp_allocator a = s->alloc;
    if (!s->borrows_world) perp_world_destroy(s->world);
    pp_formulas_free(s);
    for (int i = 0; i < s->nparameter; i++) {
        pp_free(&a, (void *)(uintptr_t)s->parameter[i].name);
        pp_free(&a, (void *)(uintptr_t)s->parameter[i].unit);
        pp_free(&a, (void *)(uintptr_t)s->parameter[i].about);
    }
    pp_free(&a, s->parameter);
    for (int i = 0; i < s->nwatch; i++) {
        pp_free(&a, (void *)(uintptr_t)s->watch[i].name);
        pp_free(&a, (void *)(uintptr_t)s->watch[i].text);
    }
    pp_free(&a, s->watch);
    pp_free(&a, s->title);
    pp_free(&a, s->about);
    for (int i = 0; i < 3; i++) pp_free(&a, s->unit[i]);
}

static void free_files(const perp_allocator *a, pp_scene_file *file, int n) {
    for (int i = 0; i < n; i++) {
        pp_free(a, file[i].path);
        pp_free(a, file[i].data);
    }
    pp_free(a, file);
}

void perp_scene_close(perp_scene *s) {
    if (!s) return;
    const perp_allocator a = s->alloc;
    pp_scene_free_content(s);
    pp_reader_free(s->reader);
    free_files(&a, s->file, s->nfile);
    free_files(&a, s->spare, s->nspare);
    for (int i = 0; i < s->ndefinition; i++) {
        pp_free(&a, s->definition[i].name);
        pp_free(&a, s->definition[i].text);
    }
    pp_free(&a, s->definition);
    pp_free(&a, s->shown);
    pp_free(&a, s->root);
    pp_free(&a, s);
}

perp_world *perp_scene_world(const perp_scene *s) { return s->world; }
const char *perp_scene_title(const perp_scene *s) { return s->title; }
const char *perp_scene_about(const perp_scene *s) { return s->about; }
perp_units perp_scene_units(const perp_scene *s) { return (perp_units){s->unit[0], s->unit[1], s->unit[2]}; }
double perp_scene_duration(const perp_scene *s) { return s->duration; }
double perp_steps_of(double duration, double h) {
    double n = duration / h, whole = round(n);
    return fabs(n - whole) <= 1e-9 + 4 * DBL_EPSILON * n ? whole : ceil(n);
}
uint64_t perp_scene_steps(const perp_scene *s) { return s->steps; }
perp_record_choice perp_scene_record(const perp_scene *s) { return s->record; }

int perp_scene_watch_count(const perp_scene *s) { return s->nwatch; }
perp_scene_watch perp_scene_watch_at(const perp_scene *s, int i) {
    if (i < 0 || i >= s->nwatch) return (perp_scene_watch){"", "", 0, 0, 0};
    return s->watch[i];
}

int perp_scene_parameter_count(const perp_scene *s) { return s->nparameter; }
perp_scene_parameter perp_scene_parameter_at(const perp_scene *s, int i) {
    if (i < 0 || i >= s->nparameter) return (perp_scene_parameter){"", "", "", 0, 0, 0, 0};
    return s->parameter[i];
}

int perp_scene_file_count(const perp_scene *s) { return s->nfile; }
perp_source_file perp_scene_file_at(const perp_scene *s, int i) {
    if (i < 0 || i >= s->nfile) return (perp_source_file){"", "", 0};
    return (perp_source_file){s->file[i].path, s->file[i].data, s->file[i].size};
}

int perp_scene_definition_count(const perp_scene *s) { return s->ndefinition; }
perp_definition perp_scene_definition_at(const perp_scene *s, int i) {
    if (i < 0 || i >= s->ndefinition) return (perp_definition){"", ""};
    pp_definition *d = &s->definition[i];
    if (!d->text) pp_number_text(d->number, d->shown, sizeof d->shown);
    return (perp_definition){d->name, d->text ? d->text : d->shown};
}
