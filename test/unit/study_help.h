/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* study_help.h - a small scene, studies of it from texts, their trials in tables. */
#ifndef PERP_TEST_STUDY_HELP_H
#define PERP_TEST_STUDY_HELP_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/table.h"
#include "check.h"

static const char scene_text[] =
    "perp: 1\ndim: 2\nh: 0.01\nduration: 0.2\nparameters: {a: 0, b: {default: 2*a, about: follows}, mu: 0.3, v: 1}\n"
    "law: {mu: mu}\nbodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}\n"
    "  - {name: block, density: 1, at: [a, 1], velocity: [v, 0], shape: {type: sphere, radius: 1}}\n";

static inline pp_study *open_study(const char *text, perp_refusal *why) {
    const perp_source_file file[2] = {{"study.yaml", text, strlen(text)},
                                      {"scene.yaml", scene_text, sizeof scene_text - 1}};
    pp_study_options o = {.count = -1, .seed = -1, .file = file, .nfile = 2};
    pp_study *s = NULL;
    perp_status st = pp_study_open("study.yaml", &o, &s, why);
    if (st) print_error("%s\n", why->text);
    return s;
}

static const char plan[] = "perp-study: 1\nscene: scene.yaml\nvary:\n"
                           "  floor: {class: {low: {mu: [0, 0.25]}, high: {mu: [0.5, 0.75]}}}\n"
                           "  a: {from: -1, to: 1, count: 3}\n"
                           "sample: {count: 4, seed: 7, mu: uniform, v: 'uniform(2, 3) + sample'}\n"
                           "measure: {x: 'last(\"block.x\")', twice: b, far: x > 0}\n";

typedef struct kept {
    pp_table t;
    pp_study_file *file;
} kept;

static inline bool keep(void *ctx, const pp_row *row) {
    kept *k = ctx;
    if (k->file) assert_int_equal(pp_study_file_add(k->file, row, NULL), PERP_OK);
    return !pp_table_add(&k->t, row, NULL);
}

static inline double over(const pp_study *s, const pp_table *t, const char *text) {
    /* the expression stands in a study of its own, with the same names */
    char whole[2000];
    perp_refusal why = {0};
    double x = NAN;
    snprintf(whole, sizeof whole, "%stitle: '%s'\n", plan, text);
    pp_study *own = open_study(whole, &why);
    assert_non_null(own);
    pp_aggregate *o;
    uint32_t node = pp_yaml_get(&own->tree, 1, "title");
    if (pp_aggregate_new(own, node, "title", NULL, 0, &o, &why)) fail_msg("%s", why.text);
    assert_int_equal(pp_aggregate_eval(o, t, NULL, &x, &why), PERP_OK);
    pp_aggregate_free(o);
    pp_study_close(own);
    (void)s;
    return x;
}

/* A study over the scene above, given by its further lines. */
static inline pp_study *open_lines(const char *lines) {
    char text[2000];
    perp_refusal why = {0};
    snprintf(text, sizeof text, "perp-study: 1\nscene: scene.yaml\n%s", lines);
    pp_study *s = open_study(text, &why);
    assert_non_null(s);
    return s;
}

static inline void values_of(const pp_study *s, uint64_t k, double *value) {
    perp_refusal why;
    memcpy(value, s->base, sizeof *value * 4);
    assert_int_equal(pp_study_values(s, (pp_study_trial){.number = k}, value, &why), PERP_OK);
}

/* Runs all trials of a study with one worker into a table. */
static inline void run_all(const pp_study *s, pp_table *t) {
    perp_refusal why = {0};
    pp_worker_pool pool;
    kept k = {.file = NULL};
    pp_table_init(&k.t, s);
    perp_status made = pp_worker_pool_new(s, 1, &pool, &why);
    if (made) fail_msg("%s", why.text);
    assert_int_equal(
        pp_worker_pool_run(&pool, &(pp_worker_pool_job){.count = pp_study_trials(s), .done = keep, .ctx = &k}, &why),
        PERP_OK);
    pp_worker_pool_free(&pool);
    *t = k.t;
}

#endif
