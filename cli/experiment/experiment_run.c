/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* experiment_run.c - parameters of the runs of an experiment, and the runs themselves */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/experiment.h"

static perp_status no_memory(const experiment *e, perp_refusal *why) {
    pp_complain_say(why, PERP_E_MEMORY, (pp_location){e->file, 0, 0}, "", "not enough memory");
    return PERP_E_MEMORY;
}

static bool temporary_folder(experiment *e, perp_refusal *why) {
    return *e->temporary || override_folder(e->temporary, sizeof e->temporary, "experiment", why);
}

/* A scene that includes the one given and says otherwise about some of its words. */
static perp_status write_wrapper(experiment *e, exp_run *r, const char *scene, perp_refusal *why) {
    int n = snprintf(r->scene_path, sizeof r->scene_path, "%s/%s.yaml", e->temporary, r->name);
    if (n < 0 || (size_t)n >= sizeof r->scene_path)
        return pp_complain(why, PERP_E_ARG, (pp_location){e->file, 0, 0}, "runs", "a path that is too long",
                           "a shorter one");
    return override_write(r->scene_path, scene, &r->instead, why);
}

/* Path of what the run opens: its scene, or a file that overrides keys of it. */
static perp_status find_scene(experiment *e, exp_run *r, perp_refusal *why) {
    char path[EXPERIMENT_PATH];
    int n = snprintf(path, sizeof path, "%s/%s", e->folder, r->scene);
    if (n < 0 || (size_t)n >= sizeof path)
        return pp_complain(why, PERP_E_ARG, (pp_location){e->file, 0, 0}, "runs", "a path that is too long",
                           "a shorter one");
    if (pp_source_is_within(e->root, "experiments", path, why) == PERP_E_ARG) return PERP_E_ARG;
    memcpy(r->scene_path, path, (size_t)n + 1);
    if (!override_any(&r->instead)) return PERP_OK;
    if (!temporary_folder(e, why)) return PERP_E_IO;
    return write_wrapper(e, r, path, why);
}

/* Keeps the parameters of the scene as it is opened with the given definitions. */
static perp_status learn_parameters(experiment *e, exp_run *r, const perp_definition *define, int ndefine,
                                    perp_refusal *why) {
    perp_scene *scene;
    perp_scene_options o = {.define = define, .ndefine = ndefine, .root = e->root};
    perp_status s = perp_scene_open(r->scene_path, &o, &scene, why);
    if (s) return s;
    int n = perp_scene_parameter_count(scene);
    if (!PP_GROW(&experiment_memory, r->parameter, r->cap_parameter, 0, n)) s = no_memory(e, why);
    for (int i = 0; !s && i < n; i++) {
        perp_scene_parameter p = perp_scene_parameter_at(scene, i);
        snprintf(r->parameter[i].name, sizeof r->parameter[i].name, "%s", p.name);
        r->parameter[i].value = p.value;
    }
    if (!s) r->nparameter = n;
    perp_scene_close(scene);
    return s;
}

/* ---- variables of a sweep ---- */

static int axis_of(const experiment *e, const exp_run *r, const char *name) {
    return r->sweep < 0 ? -1 : experiment_find_axis(&e->sweep[r->sweep], name, strlen(name));
}

/* The node of the name of a variable, and that of the value which the run has. */
static uint32_t axis_key(const experiment *e, const exp_sweep *w, int a) {
    const pp_tree *t = &e->tree;
    uint32_t k = t->node[w->over].first;
    while (a-- > 0) k = t->node[t->node[k].next].next;
    return k;
}

static uint32_t axis_node(const experiment *e, const exp_sweep *w, int a, const exp_run *r) {
    uint32_t v = e->tree.node[w->axis[a].list].first;
    while (v && pp_yaml_text(&e->tree, v) != r->axis_text[a]) v = e->tree.node[v].next;
    return v;
}

/* A parameter of the scene and the expression it is set to, as nodes of the file. */
typedef struct setting {
    uint32_t name, value;
    const char *key; /* path in the file, for messages */
} setting;

/* Sets one parameter to an expression of the others.
 * @param all the parameters of the run; NULL ends the list of names
 * @param x receives the value */
static perp_status settle_one(experiment *e, exp_run *r, setting set, const exp_scope *all, double *x,
                              perp_refusal *why) {
    const pp_tree *t = &e->tree;
    const char *parameter = pp_yaml_text(t, set.name);
    int i = 0;
    while (i < all->n && strcmp(all->name[i], parameter) != 0) i++;
    if (i == all->n) {
        const char *near = pp_suggest(parameter, all->name);
        char allowed[300];
        snprintf(allowed, sizeof allowed, "a parameter of %s%s%s%s", r->scene, near ? "; did you mean " : "",
                 near ? near : "", near ? "?" : "");
        return pp_complain(why, PERP_E_NAME, pp_yaml_place(t, set.name), set.key, parameter, allowed);
    }
    perp_status s = experiment_plain(e, set.value, set.key, all, x, why);
    if (!s && !isfinite(*x))
        s = pp_complain(why, PERP_E_ARG, pp_yaml_place(t, set.value), set.key, "a number that is not finite",
                        "a finite number");
    if (s) return s;
    snprintf(r->define_value[r->ndefine], sizeof r->define_value[0], "%.17g", *x);
    r->define[r->ndefine] = (perp_definition){parameter, r->define_value[r->ndefine]};
    r->ndefine++;
    return PERP_OK;
}

/* Evaluates what the run sets from the parameters as they are without it, and adds it to the definitions from the
 * command line. So a run that sets h/2 has half of the h that -D gives. */
static perp_status settle(experiment *e, exp_run *r, const perp_definition *define, int ndefine, perp_refusal *why) {
    const pp_tree *t = &e->tree;
    int nset = r->set ? (int)t->node[r->set].length : 0;
    size_t room = (size_t)(nset + ndefine + EXPERIMENT_AXES);
    const char **name = pp_alloc(&experiment_memory, sizeof *name * (size_t)(r->nparameter + 1));
    double *value = pp_alloc(&experiment_memory, sizeof *value * (size_t)(r->nparameter + 1));
    r->define = pp_alloc(&experiment_memory, sizeof *r->define * room);
    r->define_value = pp_alloc(&experiment_memory, sizeof *r->define_value * room);
    perp_status s = name && value && r->define && r->define_value ? PERP_OK : no_memory(e, why);
    for (int i = 0; !s && i < r->nparameter; i++) {
        name[i] = r->parameter[i].name;
        value[i] = r->parameter[i].value;
    }
    if (!s) name[r->nparameter] = NULL;
    const exp_scope all = {name, value, r->nparameter};
    for (int i = 0; !s && i < ndefine; i++)
        if ((!nset || !pp_yaml_get(t, r->set, define[i].name)) && axis_of(e, r, define[i].name) < 0)
            r->define[r->ndefine++] = define[i];
    for (uint32_t k = nset ? t->node[r->set].first : 0; !s && k; k = t->node[t->node[k].next].next) {
        if (axis_of(e, r, pp_yaml_text(t, k)) >= 0) continue;
        char key[200];
        double x;
        snprintf(key, sizeof key, "runs.%s.set.%s", r->name, pp_yaml_text(t, k));
        s = settle_one(e, r, (setting){k, t->node[k].next, key}, &all, &x, why);
    }
    const exp_sweep *w = r->sweep >= 0 ? &e->sweep[r->sweep] : NULL;
    for (int a = 0; !s && w && a < w->naxis; a++) {
        if (w->axis[a].word) continue;
        char key[200];
        snprintf(key, sizeof key, "sweeps.%s.over.%s", w->name, w->axis[a].name);
        s = settle_one(e, r, (setting){axis_key(e, w, a), axis_node(e, w, a, r), key}, &all, &r->axis_value[a], why);
    }
    pp_free(&experiment_memory, (void *)name);
    pp_free(&experiment_memory, value);
    return s;
}

static const exp_parameter *find_parameter(const exp_run *r, const char *name) {
    for (int i = 0; i < r->nparameter; i++)
        if (!strcmp(r->parameter[i].name, name)) return &r->parameter[i];
    return NULL;
}

/* A parameter that has one value in all runs is known by its name alone. */
static perp_status share_parameters(experiment *e, perp_refusal *why) {
    size_t room = (size_t)(e->run[0].nparameter + e->nvalue + 2);
    e->known = pp_alloc(&experiment_memory, sizeof *e->known * room);
    e->known_value = pp_alloc(&experiment_memory, sizeof *e->known_value * room);
    if (!e->known || !e->known_value) return no_memory(e, why);
    for (int i = 0; i < e->run[0].nparameter; i++) {
        const exp_parameter *p = &e->run[0].parameter[i];
        bool shared = true;
        for (int k = 1; k < e->nrun; k++) {
            const exp_parameter *q = find_parameter(&e->run[k], p->name);
            shared = shared && q && q->value == p->value;
        }
        if (!shared) continue;
        e->known[e->nknown] = p->name;
        e->known_value[e->nknown++] = p->value;
    }
    e->known[e->nknown] = "long"; /* for checks of what runs only then */
    e->known_value[e->nknown++] = e->take_long;
    return PERP_OK;
}

perp_status experiment_prepare(experiment *e, const perp_definition *define, int ndefine, perp_refusal *why) {
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < e->nrun; i++) {
        exp_run *r = &e->run[i];
        r->skipped = r->only_long && !e->take_long;
        s = find_scene(e, r, why);
        if (!s) s = learn_parameters(e, r, define, ndefine, why);
        if (!s) s = settle(e, r, define, ndefine, why);
        if (!s && (r->set || r->sweep >= 0)) s = learn_parameters(e, r, r->define, r->ndefine, why);
    }
    if (!s) s = share_parameters(e, why);
    return s ? s : experiment_compile(e, why);
}

bool experiment_folder(const char *path, perp_refusal *why) {
    char part[EXPERIMENT_PATH];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) {
        pp_complain(why, PERP_E_IO, (pp_location){0}, "", "a path that is too long", "a shorter one");
        return false;
    }
    size_t n = strlen(part);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] != '/' && i != n) continue;
        char c = part[i];
        part[i] = 0;
        struct stat st;
        if (mkdir(part, 0777) && (stat(part, &st) || !S_ISDIR(st.st_mode))) {
            pp_complain_say(why, PERP_E_IO, (pp_location){part, 0, 0}, "", "the folder cannot be made: %s",
                            strerror(errno));
            return false;
        }
        part[i] = c;
    }
    return true;
}

void experiment_clean_up(experiment *e) { override_remove(e->temporary); }

static perp_status open_recording(experiment *e, exp_run *r, perp_refusal *why) {
    perp_status s = perp_recording_open(r->recording, &r->rec, why);
    if (s) return s;
    r->frames = perp_recording_about(r->rec)->frames;
    r->time = pp_alloc(&experiment_memory, sizeof *r->time * (size_t)(r->frames ? r->frames : 1));
    if (!r->time) return no_memory(e, why);
    return perp_recording_series(r->rec, "time", r->time, why);
}

int experiment_run(experiment *e, const char *keep, bool progress, perp_refusal *why) {
    if (keep ? !experiment_folder(keep, why) : !temporary_folder(e, why)) return CLI_MACHINE;
    for (int i = 0; i < e->nrun; i++) {
        exp_run *r = &e->run[i];
        if (r->skipped) continue;
        const char *folder = keep ? keep : e->temporary;
        int n = snprintf(r->recording, sizeof r->recording, "%s/%s.h5", folder, r->name);
        if (n < 0 || (size_t)n >= sizeof r->recording) {
            pp_complain(why, PERP_E_IO, (pp_location){0}, "", "a path that is too long", "a shorter one");
            r->recording[0] = 0;
            return CLI_BAD_INPUT;
        }
        simulate_options o = {.scene = r->scene_path,
                              .root = e->root,
                              .output = r->recording,
                              .force = true, /* a result of the same experiment before */
                              .define = r->define,
                              .ndefine = r->ndefine,
                              .progress = progress,
                              .stop = cli_interrupted};
        simulate(&o, &r->result);
        r->ended_early = r->result.code == CLI_FAILED && r->may_fail;
        if (r->result.code && !r->ended_early) {
            *why = r->result.why;
            return r->result.code;
        }
        if (r->result.interrupted) return CLI_INTERRUPTED;
        perp_status s = open_recording(e, r, why);
        if (s) return s == PERP_E_MEMORY ? CLI_MACHINE : CLI_BAD_INPUT;
    }
    return CLI_OK;
}
