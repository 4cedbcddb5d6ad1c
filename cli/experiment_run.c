/* experiment_run.c - parameters of the runs of an experiment, and the runs themselves */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment.h"

static perp_status no_memory(const experiment *e, perp_refusal *why) {
    pp_complain_say(why, PERP_E_MEMORY, (pp_place){e->file, 0, 0}, "", "not enough memory");
    return PERP_E_MEMORY;
}

static const char *scene_path(const experiment *e, const exp_run *r, char *out, size_t size) {
    int n = snprintf(out, size, "%s/%s", e->folder, r->scene);
    return n > 0 && (size_t)n < size ? out : NULL;
}

/* Keeps the parameters of the scene as it is opened with the given definitions. */
static perp_status learn_parameters(experiment *e, exp_run *r, const perp_definition *define, int ndefine,
                                    perp_refusal *why) {
    perp_scene *scene;
    perp_scene_options o = {.define = define, .ndefine = ndefine};
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

/* What the run sets, worked out from the parameters as they are without it, and put over the definitions from outside:
 * a run that sets h/2 has half of the h that was asked for. */
static perp_status settle(experiment *e, exp_run *r, const perp_definition *define, int ndefine, perp_refusal *why) {
    const pp_tree *t = &e->tree;
    int nset = r->set ? (int)t->node[r->set].length : 0;
    size_t room = (size_t)(nset + ndefine > 0 ? nset + ndefine : 1);
    const char **name = pp_alloc(&experiment_memory, sizeof *name * (size_t)(r->nparameter + 1));
    double *value = pp_alloc(&experiment_memory, sizeof *value * (size_t)(r->nparameter + 1));
    r->define = pp_alloc(&experiment_memory, sizeof *r->define * room);
    r->define_value = pp_alloc(&experiment_memory, sizeof *r->define_value * room);
    perp_status s = name && value && r->define && r->define_value ? PERP_OK : no_memory(e, why);
    for (int i = 0; !s && i < r->nparameter; i++) {
        name[i] = r->parameter[i].name;
        value[i] = r->parameter[i].value;
    }
    for (int i = 0; !s && i < ndefine; i++)
        if (!nset || !pp_yaml_get(t, r->set, define[i].name)) r->define[r->ndefine++] = define[i];
    for (uint32_t k = nset ? t->node[r->set].first : 0; !s && k; k = t->node[t->node[k].next].next) {
        char key[200];
        double x;
        snprintf(key, sizeof key, "runs.%s.set.%s", r->name, pp_yaml_text(t, k));
        int i = 0;
        while (i < r->nparameter && strcmp(name[i], pp_yaml_text(t, k)) != 0) i++;
        if (i == r->nparameter) {
            name[i] = NULL; /* ends the list */
            const char *near = pp_suggest(pp_yaml_text(t, k), name);
            char allowed[300];
            snprintf(allowed, sizeof allowed, "a parameter of %s%s%s%s", r->scene, near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
            s = pp_complain(why, PERP_E_NAME, pp_yaml_place(t, k), key, pp_yaml_text(t, k), allowed);
            break;
        }
        s = experiment_plain(e, t->node[k].next, key, name, value, r->nparameter, &x, why);
        if (!s && !isfinite(x))
            s = pp_complain(why, PERP_E_ARG, pp_yaml_place(t, t->node[k].next), key, "a number that is not finite",
                            "a finite number");
        if (s) break;
        snprintf(r->define_value[r->ndefine], sizeof r->define_value[0], "%.17g", x);
        r->define[r->ndefine] = (perp_definition){pp_yaml_text(t, k), r->define_value[r->ndefine]};
        r->ndefine++;
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
    size_t room = (size_t)(e->run[0].nparameter + e->nvalue + 1);
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
    return PERP_OK;
}

perp_status experiment_prepare(experiment *e, const perp_definition *define, int ndefine, perp_refusal *why) {
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < e->nrun; i++) {
        exp_run *r = &e->run[i];
        if (!scene_path(e, r, r->scene_path, sizeof r->scene_path))
            return pp_complain(why, PERP_E_ARG, (pp_place){e->file, 0, 0}, "runs", "a path that is too long",
                               "a shorter one");
        s = learn_parameters(e, r, define, ndefine, why);
        if (!s) s = settle(e, r, define, ndefine, why);
        if (!s && r->set) s = learn_parameters(e, r, r->define, r->ndefine, why);
    }
    if (!s) s = share_parameters(e, why);
    return s ? s : experiment_compile(e, why);
}

bool experiment_folder(const char *path, perp_refusal *why) {
    char part[EXPERIMENT_PATH];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) {
        pp_complain(why, PERP_E_IO, (pp_place){0}, "", "a path that is too long", "a shorter one");
        return false;
    }
    size_t n = strlen(part);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] != '/' && i != n) continue;
        char c = part[i];
        part[i] = 0;
        struct stat st;
        if (mkdir(part, 0777) && (stat(part, &st) || !S_ISDIR(st.st_mode))) {
            pp_complain_say(why, PERP_E_IO, (pp_place){part, 0, 0}, "", "the folder cannot be made: %s",
                            strerror(errno));
            return false;
        }
        part[i] = c;
    }
    return true;
}

static bool temporary_folder(experiment *e, perp_refusal *why) {
    const char *base = getenv("TMPDIR");
    snprintf(e->temporary, sizeof e->temporary, "%s/perp-experiment-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(e->temporary)) return true;
    pp_complain_say(why, PERP_E_IO, (pp_place){e->temporary, 0, 0}, "", "a temporary folder cannot be made: %s",
                    strerror(errno));
    *e->temporary = 0;
    return false;
}

void experiment_sweep(experiment *e) {
    DIR *d = *e->temporary ? opendir(e->temporary) : NULL;
    if (!d) return;
    for (const struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
        char path[EXPERIMENT_PATH + 260];
        snprintf(path, sizeof path, "%s/%s", e->temporary, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) unlink(path);
    }
    closedir(d);
    rmdir(e->temporary);
    *e->temporary = 0;
}

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
        const char *folder = keep ? keep : e->temporary;
        int n = snprintf(r->recording, sizeof r->recording, "%s/%s.h5", folder, r->name);
        if (n < 0 || (size_t)n >= sizeof r->recording) {
            pp_complain(why, PERP_E_IO, (pp_place){0}, "", "a path that is too long", "a shorter one");
            r->recording[0] = 0;
            return CLI_BAD_INPUT;
        }
        simulate_options o = {.scene = r->scene_path,
                              .output = r->recording,
                              .force = true, /* a result of the same experiment before */
                              .define = r->define,
                              .ndefine = r->ndefine,
                              .progress = progress,
                              .stop = cli_interrupted};
        simulate(&o, &r->result);
        if (r->result.code) {
            *why = r->result.why;
            return r->result.code;
        }
        if (r->result.interrupted) return CLI_INTERRUPTED;
        perp_status s = open_recording(e, r, why);
        if (s) return s == PERP_E_MEMORY ? CLI_MACHINE : CLI_BAD_INPUT;
    }
    return CLI_OK;
}
