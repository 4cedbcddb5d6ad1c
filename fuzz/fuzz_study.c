/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_study.c - any bytes as a study file, as a table of data, and as a file of results: refused with one line or read, never a crash. The
 * first byte chooses. The seal has to refuse results that perp did not write; fuzz_results.c goes on beneath it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "study/csv.h"
#include "study/design.h"
#include "study/file.h"

static const char scene[] = "perp: 1\ndim: 2\nduration: 0.01\nparameters: {mu: 0.3, v: 1, m: 1, twice: 2*m}\nlaw: {mu: mu}\nbodies:\n"
                            "  - {name: block, mass: m, inertia: 1, velocity: [v, 0], shape: {type: sphere, radius: 1}}\n";

static void told(perp_status s, const perp_refusal *why) {
    if (s && (why->text[0] == 0 || strchr(why->text, '\n'))) abort(); /* one line, and never none */
}

static void expressions(const pp_study *s) {
    const pp_tree *t = &s->tree;
    if (!s->checks || t->node[s->checks].kind != PP_NODE_LIST) return;
    for (uint32_t v = t->node[s->checks].first; v; v = t->node[v].next) {
        uint32_t node = t->node[v].kind == PP_NODE_MAP ? pp_yaml_get(t, v, "value") : 0;
        perp_refusal why = {0};
        pp_aggregate *x = NULL;
        if (node) told(pp_aggregate_new(s, node, "checks", NULL, 0, &x, &why), &why);
        pp_aggregate_free(x);
    }
}

static void as_study(const char *data, size_t size) {
    const perp_source_file file[2] = {{"study.yaml", data, size}, {"scene.yaml", scene, sizeof scene - 1}};
    pp_study_options o = {.count = -1, .seed = -1, .file = file, .nfile = 2};
    perp_refusal why = {0};
    pp_study *s = NULL;
    perp_status st = pp_study_open("study.yaml", &o, &s, &why);
    told(st, &why);
    if (st) return;
    expressions(s);
    uint64_t last = pp_study_trials(s) - 1;
    double value[PP_STUDY_VARIABLES];
    memcpy(value, s->base, sizeof *value * (size_t)s->nparameter);
    told(pp_study_values(s, (pp_study_trial){.number = last}, value, &why), &why);
    pp_design d;
    st = pp_design_read(s, &d, &why);
    told(st, &why);
    if (!st) {
        bool met;
        for (int l = 0; l < d.nlevel; l++) told(pp_design_meets(&d, l, d.start, &met, &why), &why);
        pp_design_free(&d);
    }
    pp_runner *r;
    st = pp_runner_new(s, s->scene, &r, &why);
    told(st, &why);
    if (!st) pp_runner_free(r);
    pp_study_close(s);
}

static void as_table(const uint8_t *data, size_t size) {
    static const perp_allocator plain = {0};
    perp_refusal why = {0};
    pp_csv t;
    char *text = pp_alloc(&plain, size + 1);
    if (!text) return;
    memcpy(text, data, size);
    text[size] = 0;
    perp_status st = pp_csv_parse(&plain, "rows.csv", text, size, &t, &why);
    told(st, &why);
    if (st) return;
    for (int i = 0; i < t.nrow; i++)
        for (int k = 0; k < t.ncolumn; k++) {
            double x;
            told(pp_csv_number(&t, i, k, &x, &why), &why);
        }
    pp_csv_free(&t);
}

static void as_results(const uint8_t *data, size_t size) {
    perp_refusal why = {0};
    pp_study_file *f = NULL;
    perp_status st = pp_study_file_open_memory("study.h5", data, size, &f, &why);
    told(st, &why);
    if (!st) pp_study_file_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    switch (data[0] % 3) {
    case 0: as_results(data + 1, size - 1); break;
    case 1: as_study((const char *)data + 1, size - 1); break;
    default: as_table(data + 1, size - 1);
    }
    return 0;
}
