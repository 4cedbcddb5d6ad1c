/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* set.c - new values for the parameters of an open scene: a new world is made from the parsed files.
 *
 * Method   The first call parses the files in the scene and stores trees, compiled expressions and meshes. Every call reads the
 *          trees into a new world, as opening does, so the result is that of opening with the same definitions. The old world is
 *          destroyed only after the new one is complete.
 * Cost     about a third of opening for a scene of few bodies: nothing is parsed, and most expressions are already compiled.
 *          Memory: the trees, as long as the scene is open; it does not grow from call to call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/put.h"
#include "scene/scene_internal.h"

/* The definitions of the scene with the new values: in place of those of the same name, the others behind them. Strings
 * are borrowed, of new names from `set`. NULL: no memory. */
static pp_definition *merge(const perp_scene *s, const perp_scene_value *set, int n, int *count) {
    pp_definition *list = pp_alloc(&s->alloc, sizeof *list * (size_t)(s->ndefinition + n + 1));
    if (!list) return NULL;
    if (s->ndefinition > 0) memcpy(list, s->definition, sizeof *list * (size_t)s->ndefinition);
    *count = s->ndefinition;
    for (int i = 0; i < n; i++) {
        int at = *count; /* if a name occurs several times, the last value is used */
        for (int k = 0; k < *count; k++)
            if (!strcmp(list[k].name, set[i].name)) at = k;
        if (at == *count) list[(*count)++] = (pp_definition){.name = (char *)(uintptr_t)set[i].name};
        list[at].text = NULL;
        list[at].number = set[i].value;
    }
    return list;
}

/* Room for `n` definitions, with names of their own behind those that the scene has; they do not count yet. */
static bool make_room(perp_scene *s, const pp_definition *list, int n) {
    if (!PP_GROW(&s->alloc, s->definition, s->cap_definition, s->ndefinition, n)) return false;
    for (int i = s->ndefinition; i < n; i++) {
        s->definition[i] = (pp_definition){.name = pp_copy_text(&s->alloc, list[i].name)};
        if (s->definition[i].name) continue;
        while (i-- > s->ndefinition) pp_free(&s->alloc, s->definition[i].name);
        return false;
    }
    return true;
}

/* Sets the new definitions, or, if the scene was refused, restores the old ones. */
static void keep_definitions(perp_scene *s, const pp_definition *list, int n, bool refused) {
    for (int i = 0; i < n; i++) {
        pp_definition *d = &s->definition[i];
        if (refused) {
            if (i >= s->ndefinition) pp_free(&s->alloc, d->name);
        } else if (!list[i].text) {
            pp_free(&s->alloc, d->text);
            d->text = NULL;
            d->number = list[i].number;
        }
    }
    if (!refused) s->ndefinition = n;
}

/* The reader with the parsed files, made at the first setting. */
static perp_status need_reader(perp_scene *s, perp_refusal *why) {
    if (s->reader) return PERP_OK;
    pp_reader *r = pp_alloc(&s->alloc, sizeof *r);
    if (!r) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){s->file[0].path, 0, 0}, NULL, "out of memory");
    memset(r, 0, sizeof *r);
    r->s = s;
    r->alloc = &s->alloc;
    r->why = why;
    perp_status st = pp_parse_documents(r);
    if (st)
        pp_reader_free(r);
    else
        s->reader = r;
    return st;
}

static void forget_names(pp_names *t) {
    t->n = t->ntext = 0;
    if (t->nslot) memset(t->slot, 0, (size_t)t->nslot * sizeof *t->slot);
}

/* Resets the reader to its state after parsing; memory, compiled expressions and meshes stay. Scopes are numbered in the order of the
 * files, so compiled expressions stay valid. */
static void rewind_reader(pp_reader *r) {
    pp_names *const names[] = {&r->body, &r->joint, &r->force, &r->material, &r->template};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) forget_names(names[i]);
    r->w = NULL;
    r->dim = 0;
    r->nvariable = r->nrepeat = r->ncrumb = 0;
    r->scope = r->scope_last = 0;
    r->seed = r->random = 0;
    r->may_random = false;
    r->nbody_of = r->njoint_of = r->nshift = r->nshape = r->npoints = r->nfunction = 0;
    memset(r->total, 0, sizeof r->total);
    memset(r->position, 0, sizeof r->position);
}

/* Files that were handed over and not used, for files that are needed now. */
static perp_source_file *spare_files(const perp_scene *s) {
    int n = s->nspare > 0 ? s->nspare : 1;
    perp_source_file *f = pp_alloc(&s->alloc, sizeof *f * (size_t)n);
    if (f)
        f[0] = (perp_source_file){s->file[0].path, s->file[0].data, s->file[0].size}; /* none is left: not the disk */
    for (int i = 0; f && i < s->nspare; i++)
        f[i] = (perp_source_file){s->spare[i].path, s->spare[i].data, s->spare[i].size};
    return f;
}

/* Takes over what the new reading has made. Texts stay where they are: they do not depend on parameters. */
static void take_over(perp_scene *s, perp_scene *made) {
    perp_world *world = s->world;
    pp_formula *formula = s->formula;
    s->world = made->world;
    s->formula = made->formula;
    made->world = world;
    made->formula = formula;
    s->duration = made->duration;
    s->steps = made->steps;
    s->record = made->record;
    for (int i = 0; i < s->nparameter; i++) {
        perp_scene_parameter *to = &s->parameter[i];
        const perp_scene_parameter *from = &made->parameter[i];
        to->value = from->value;
        to->initial = from->initial;
        to->min = from->min;
        to->max = from->max;
    }
}

/* Reads the trees into a new scene, and takes its contents over if there was no error. */
static perp_status read_again(perp_scene *s, const pp_definition *given, int n, perp_refusal *why) {
    pp_reader *r = s->reader;
    perp_scene made = {.alloc = s->alloc, .file = s->file, .nfile = s->nfile, .cap_file = s->cap_file};
    perp_scene_options options = {.alloc = s->alloc, .log = s->log, .root = s->root};
    perp_source_file *file = NULL;
    if (s->from_memory) {
        file = spare_files(s);
        options.file = file;
        options.nfile = s->nspare > 0 ? s->nspare : 1;
    }
    rewind_reader(r);
    r->s = &made;
    r->options = &options;
    r->given = given;
    r->ngiven = n;
    r->kept = s->parameter;
    r->why = why;
    perp_status st = file || !s->from_memory ? pp_read_world(r) : pp_no_memory(r);
    r->s = s;
    r->options = NULL;
    r->given = NULL;
    r->ngiven = 0;
    r->kept = NULL;
    r->why = NULL;
    s->file = made.file; /* a mesh that only these values need may have been read */
    s->nfile = made.nfile;
    s->cap_file = made.cap_file;
    if (!st) take_over(s, &made);
    if (!st) perp_world_set_stop(s->world, &s->stop);
    for (int i = 0; i < made.nparameter; i++) /* their texts are borrowed */
        made.parameter[i].name = made.parameter[i].unit = made.parameter[i].about = NULL;
    pp_scene_free_content(&made); /* the old world, or what was made so far of the new one */
    pp_free(&s->alloc, file);
    return st;
}

perp_status perp_scene_set_many(perp_scene *s, const perp_scene_value *set, int n, perp_refusal *why) {
    perp_refusal unheard;
    if (!why) why = &unheard;
    memset(why, 0, sizeof *why);
    const pp_location at = {s->file[0].path, 0, 0};
    bool bad = n < 0 || (n > 0 && !set);
    for (int i = 0; !bad && i < n; i++) bad = !set[i].name;
    if (bad) return pp_complain_say(why, PERP_E_ARG, at, NULL, "a parameter to be set has no name");
    if (s->borrows_world)
        return pp_complain_say(why, PERP_E_ARG, at, NULL,
                               "the scene was made from a world of a program, so it has no parameters");
    int count = 0;
    pp_definition *list = merge(s, set, n, &count);
    if (!list || !make_room(s, list, count)) {
        pp_free(&s->alloc, list);
        return pp_complain_say(why, PERP_E_MEMORY, at, NULL, "out of memory");
    }
    perp_status st = need_reader(s, why);
    if (!st) st = read_again(s, list, count, why);
    keep_definitions(s, list, count, st != PERP_OK);
    pp_free(&s->alloc, list);
    return st;
}

void perp_scene_set_stop(perp_scene *s, const perp_stop *stop) {
    s->stop = stop ? *stop : (perp_stop){NULL, NULL};
    perp_world_set_stop(s->world, &s->stop);
}

perp_status perp_scene_set(perp_scene *s, const char *name, double value, perp_refusal *why) {
    const perp_scene_value one = {name, value};
    return perp_scene_set_many(s, &one, 1, why);
}
