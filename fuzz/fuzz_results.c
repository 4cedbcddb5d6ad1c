/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_results.c - files of study results with wrong contents, beneath the seal: the bytes are a list of edits of a small file of results;
 * see edits.h. What the commands read of a file is then read: it must be refused with one line, or answered. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <unistd.h>

#include "perp/perp.h"
#include "study/file_internal.h"
#include "study/table.h"
#include "edits.h"

static const char study_text[] = "perp-study: 1\nscene: scene.yaml\nvary: {kind: {class: {low: {mu: [0, 0.3]}, high: {mu: [0.3, 1]}}}, v: [1, 2]}\n"
                                 "sample: {count: 3, mu: uniform}\nmeasure: {x: 'last(\"block.x\")', far: x > 0.01}\n"
                                 "checks: [{what: far, value: 'fraction(\"far\", \"kind == low\") + quantile(\"x\", 0.3)', above: 0}]\n";
static const char scene_text[] = "perp: 1\ndim: 2\nh: 0.005\nduration: 0.01\nparameters: {mu: 0.3, v: 1}\nlaw: {mu: mu}\nbodies:\n"
                                 "  - {name: block, density: 1, velocity: [v, 0], shape: {type: sphere, radius: 1}}\n";

static const char *some_path(unsigned k) {
    static const char *const other[] = {"failures/number", "failures/why", "plan/parameter",  "plan/measure", "source/0",
                                        "source/1",        "source/options", "trials", "failures", "source"};
    enum { OTHER = sizeof other / sizeof *other };
    k %= PP_COLUMNS + OTHER;
    return k < PP_COLUMNS ? pp_study_columns[k].path : other[k - PP_COLUMNS];
}

static bool keep(void *ctx, const pp_row *row) {
    must(!pp_study_file_add(ctx, row, NULL));
    return true;
}

static void make_base(void) {
    char folder[] = "/tmp/perp-fuzz-XXXXXX", path[64];
    must(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/small.h5", folder);
    const perp_source_file file[2] = {{"study.yaml", study_text, sizeof study_text - 1},
                                      {"scene.yaml", scene_text, sizeof scene_text - 1}};
    pp_study_options o = {.count = -1, .seed = -1, .file = file, .nfile = 2};
    pp_study *s;
    pp_study_file *f;
    pp_worker_pool pool;
    perp_refusal why;
    must(!pp_study_open("study.yaml", &o, &s, &why));
    must(!pp_study_file_create(path, s, NULL, pp_study_trials(s), &f, &why));
    must(!pp_worker_pool_new(s, 1, &pool, &why));
    must(!pp_worker_pool_run(&pool, &(pp_worker_pool_job){.count = pp_study_trials(s), .done = keep, .ctx = f}, &why));
    pp_row *failed = calloc(1, pp_row_size(s)); /* one more trial, which failed: so there is a reason */
    must(failed != NULL);
    *failed = (pp_row){.number = pp_study_trials(s), .outcome = PP_TRIAL_UNSOLVED, .why = "because"};
    must(!pp_study_file_add(f, failed, &why));
    must(!pp_study_file_commit(f, &why));
    free(failed);
    pp_study_file_close(f);
    pp_worker_pool_free(&pool);
    pp_study_close(s);
    take_base(path);
    rmdir(folder);
}

static void read_rows(pp_study_file *f, const pp_study *s) {
    perp_refusal why = {0};
    pp_table t;
    uint64_t digest;
    pp_study_file *const both[2] = {f, f};
    pp_table_init(&t, s);
    perp_status st = pp_table_load(&t, both, 2, &why);
    told(st, &why);
    told(pp_study_digest(both, 2, &digest, &why), &why);
    uint32_t check = s->checks ? s->tree.node[s->checks].first : 0;
    uint32_t node = check ? pp_yaml_get(&s->tree, check, "value") : 0;
    pp_aggregate *x = NULL;
    double y;
    if (!st && node) told(st = pp_aggregate_new(s, node, "checks", NULL, 0, &x, &why), &why);
    if (!st && x) told(pp_aggregate_eval(x, &t, NULL, &y, &why), &why);
    pp_aggregate_free(x);
    for (uint64_t i = 0; i < t.n; i++) {
        const pp_row *r = pp_table_row(&t, i);
        int index[PP_STUDY_NAMES];
        must(memchr(r->why, 0, sizeof r->why) != NULL);
        pp_study_cell(s, r->number % s->cells, index);
        for (int a = 0; a < s->naxis; a++) must(index[a] >= 0 && index[a] < s->axis[a].n);
    }
    pp_table_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!base) make_base();
    pp_quiet q = pp_quiet_begin();
    bytes b = {data, size};
    size_t n = 0;
    unsigned char *image = edited(&b, &n);
    pp_quiet_end(q);
    if (!image) return 0;
    pp_study_file *f = NULL;
    pp_study *s = NULL;
    perp_refusal why = {0};
    perp_status st = pp_study_file_open_memory("study.h5", image, n, &f, &why);
    told(st, &why);
    if (!st) {
        st = pp_study_file_study(f, NULL, &s, &why);
        told(st, &why);
        if (!st) read_rows(f, s);
        pp_study_close(s);
        pp_study_file_close(f);
    }
    free(image);
    return 0;
}
