/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* open.c - see open.h */
#include "study/open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Is the operand a scene and not a study? A file that cannot be read is left to the reader of studies. */
static bool is_scene(const char *path) {
    static const perp_allocator plain = {0};
    char *data;
    size_t size;
    pp_tree t;
    if (pp_source_read(&plain, path, path, &data, &size, NULL)) return false;
    bool scene = false;
    if (!pp_yaml_parse(&plain, path, data, size, &t, NULL)) {
        scene = t.node[1].kind == PP_NODE_MAP && pp_yaml_get(&t, 1, "perp") && !pp_yaml_get(&t, 1, "perp-study");
        pp_yaml_free(&t);
    }
    pp_free(&plain, data);
    return scene;
}

int study_open(const cli_args *a, study_kind kind, study_args *x, pp_study **out) {
    bool runs_trials = kind == STUDY_SWEEP, samples = kind != STUDY_ESTIMATE;
    perp_refusal why = {0};
    *x = (study_args){.path = cli_operand(a, 0)};
    x->o = (pp_study_options){.count = -1, .seed = -1, .only = x->only};
    x->o.ndefine = cli_definitions(a, &x->o.define);
    x->o.root = cli_root(a);
    if (samples && cli_given(a, "count")) x->o.count = (int64_t)cli_number(a, "count", 1);
    if (samples && cli_given(a, "seed")) x->o.seed = (int64_t)cli_number(a, "seed", 1);
    for (int i = 0; runs_trials && i < cli_count(a, "only"); i++) {
        if (i == STUDY_ONLY) return cli_mistake(a, "--only", "more than 16 times", "at most 16 times");
        x->only[x->o.nonly++] = cli_nth(a, "only", i);
    }
    if (runs_trials && is_scene(x->path)) {
        int code = sweep_scene_study(a, x->path, &x->text);
        if (code) return code;
        x->o.text = x->text;
        perp_status st = pp_study_open("command line", &x->o, out, &why);
        return st ? cli_refuse(a, &why) : CLI_OK;
    }
    static const char *const of_scenes[] = {"vary", "sample", "measure", "end"};
    for (int i = 0; runs_trials && i < 4; i++)
        if (cli_given(a, of_scenes[i]))
            return cli_mistake(a, of_scenes[i], "with a study file",
                               "with a scene; a study file contains these settings");
    return pp_study_open(x->path, &x->o, out, &why) ? cli_refuse(a, &why) : CLI_OK;
}

int study_open_again(const cli_args *a, const study_args *x, int64_t seed, int64_t count, int refine, pp_study **out) {
    perp_refusal why = {0};
    pp_study_options o = x->o;
    if (seed >= 0) o.seed = seed;
    if (count > 0) o.count = count;
    if (pp_study_open(x->text ? "command line" : x->path, &o, out, &why)) return cli_refuse(a, &why);
    (*out)->refine = refine;
    return CLI_OK;
}

void study_args_free(study_args *x) {
    free(x->text);
    x->text = NULL;
}

const char *const study_progress_words[] = {"auto", "always", "never", NULL};

bool study_progress(const cli_args *a) {
    const char *when = cli_text(a, "progress", "auto");
    bool shown = !strcmp(when, "always") || (!strcmp(when, "auto") && cli_terminal(stderr));
    return shown && !cli_given(a, "quiet");
}

void study_print_title(const pp_study *s, FILE *to) {
    fprintf(to, "%s%s%s\n", cli_style(to, "1"), *s->title ? s->title : perp_scene_title(s->scene), cli_style(to, ""));
}

void study_print_failed(const uint64_t outcome[PP_OUTCOMES], FILE *to) {
    uint64_t failed = 0;
    for (int i = PP_TRIAL_UNSOLVED; i < PP_OUTCOMES; i++) failed += outcome[i];
    if (!failed) {
        fprintf(to, "  failed     none\n");
        return;
    }
    fprintf(to, "  %sfailed     %llu:", cli_style(to, "31"), (unsigned long long)failed);
    for (int i = PP_TRIAL_UNSOLVED; i < PP_OUTCOMES; i++)
        fprintf(to, "%s %llu %s", i == PP_TRIAL_UNSOLVED ? "" : ",", (unsigned long long)outcome[i],
                pp_outcome_word(i));
    fprintf(to, "%s\n", cli_style(to, ""));
}

bool study_output(const cli_args *a, const char *suffix, char *out, size_t size) {
    const char *given = cli_text(a, "output", NULL);
    if (given) return snprintf(out, size, "%s", given) < (int)size;
    const char *path = cli_operand(a, 0), *name = strrchr(path, '/'), *dot;
    name = name ? name + 1 : path;
    dot = strrchr(name, '.');
    int n = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    return snprintf(out, size, "%.*s%s.h5", n, name, suffix) < (int)size;
}

int study_results(const cli_args *a, const char *path, const pp_study *s, const study_args *x, uint64_t trials,
                  bool resume, pp_study_file **out) {
    perp_refusal why = {0};
    struct stat st;
    bool there = !stat(path, &st);
    perp_status status;
    if (there && !resume && cli_given(a, "force")) {
        pp_study_file *old;
        if (pp_study_file_open(path, &old, &why)) return cli_refuse(a, &why); /* only a file of results is replaced */
        pp_study_file_close(old);
        if (remove(path))
            return cli_refuse_say(a, CLI_MACHINE, "%s: the file cannot be removed: %s", path, strerror(errno));
        there = false;
    }
    if (there && !resume)
        return cli_refuse_say(a, CLI_BAD_INPUT,
                              "%s: found a file; allowed: a name that is free, --resume to continue it, or --force to "
                              "replace a study",
                              path);
    if (there) {
        status = pp_study_file_extend(path, s, pp_study_plan(s, &x->o, trials == 0), out, &why);
        if (!status && trials > pp_study_file_info(*out)->trials) status = pp_study_file_expect(*out, trials, &why);
        return status ? cli_refuse(a, &why) : CLI_OK;
    }
    status = pp_study_file_create(path, s, &x->o, trials, out, &why);
    return status ? cli_refuse_writing(a, &why) : CLI_OK;
}

int study_load(const cli_args *a, pp_study_file *const *f, int n, pp_table *out) {
    perp_refusal why = {0};
    return pp_table_load(out, f, n, &why) ? cli_refuse(a, &why) : CLI_OK;
}

/* Definitions that make the scene of a trial. text: room for numbers. */
static int trial_definitions(const pp_study *s, const double *value, char (*text)[32], perp_definition *define) {
    int n = 0;
    for (int i = 0; i < perp_scene_definition_count(s->scene); i++) /* -D, and `set` of the study */
        if (!s->touched[pp_study_parameter(s, perp_scene_definition_at(s->scene, i).name)])
            define[n++] = perp_scene_definition_at(s->scene, i);
    for (int i = 0; i < s->nparameter; i++) {
        if (!s->touched[i]) continue;
        snprintf(text[i], sizeof text[i], "%.17g", value[i]);
        define[n++] = (perp_definition){s->parameter[i], text[i]};
    }
    return n;
}

/* Runs the scene of a trial once more with a recorder: from the texts that the trial itself was made of. */
static void record(const cli_args *a, const pp_study *s, const perp_scene *scene, const pp_row *row, const char *path,
                   simulate_result *out) {
    perp_definition define[2 * PP_STUDY_VARIABLES];
    char text[PP_STUDY_VARIABLES][32];
    int nfile = perp_scene_file_count(scene);
    perp_source_file *file = malloc(sizeof *file * (size_t)nfile);
    for (int i = 0; file && i < nfile; i++) file[i] = perp_scene_file_at(scene, i);
    simulate_options o = {.scene = s->scene_path,
                          .output = path,
                          .force = cli_given(a, "force"),
                          .define = define,
                          .ndefine = trial_definitions(s, row->value, text, define),
                          .file = file,
                          .nfile = file ? nfile : 0,
                          .stop = cli_interrupted};
    if (row->outcome == PP_TRIAL_ENDED) o.duration = (double)row->steps * perp_world_h(perp_scene_world(scene));
    simulate(&o, out);
    free(file);
}

static void print_trial(const pp_study *s, const pp_row *row) {
    printf("trial %llu: %s, %u steps, t = %.6g%s%s\n", (unsigned long long)row->number, pp_outcome_word(row->outcome),
           row->steps, row->t_end, row->why[0] ? ": " : "", row->why);
    for (int i = 0; i < s->nparameter; i++) printf("  %-20s %.15g\n", s->parameter[i], row->value[i]);
    for (int i = 0; i < s->nmeasure; i++) printf("  %-20s %.15g\n", s->measure[i].name, row->value[s->nparameter + i]);
}

int study_record_trial(const cli_args *a, const pp_study *s, uint64_t number, const double *given, const char *path) {
    double value[PP_STUDY_VARIABLES];
    perp_refusal why = {0};
    simulate_result result = {0};
    pp_worker_pool pool;
    memcpy(value, given ? given : s->base, sizeof *value * (size_t)s->nparameter);
    if (!given && pp_study_values(s, (pp_study_trial){.number = number}, value, &why)) return cli_refuse(a, &why);
    pp_row *row = malloc(pp_row_size(s));
    if (!row) return cli_refuse_say(a, CLI_MACHINE, "not enough memory");
    if (pp_worker_pool_new(s, 1, &pool, &why)) {
        free(row);
        return cli_refuse(a, &why);
    }
    (void)pp_runner_run(pool.runner[0], pp_ensemble_scene(pool.ensemble, 0), number, value, row);
    if (path) record(a, s, pp_ensemble_scene(pool.ensemble, 0), row, path, &result);
    pp_worker_pool_free(&pool);
    print_trial(s, row);
    int code = row->outcome >= PP_TRIAL_UNSOLVED ? CLI_FAILED : CLI_OK;
    if (path && result.code && result.code != CLI_FAILED) code = cli_refuse(a, &result.why);
    if (path && !result.code && result.hash != row->hash)
        code = cli_refuse_say(a, CLI_FAILED, "the recorded run ended in another state than the trial");
    if (path && !result.code) printf("recording  %s\n", path);
    free(row);
    return code;
}
