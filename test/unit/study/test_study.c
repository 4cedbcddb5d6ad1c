/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_study.c - studies: numbers of trials, values, draws, results in files, expressions over trials, early end, workers. */
#define _DEFAULT_SOURCE /* usleep */
#include <unistd.h>

#include "study/csv.h"
#include "unit/study_help.h"

/* splitmix64, written here again. */
static double next(uint64_t *s) {
    *s += 0x9E3779B97F4A7C15ull;
    uint64_t z = *s;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void test_plan(void **state) {
    (void)state;
    perp_refusal why = {0};
    pp_study *s = open_study(plan, &why);
    assert_non_null(s);
    assert_int_equal(s->cells, 6);
    assert_int_equal(pp_study_trials(s), 24);
    for (uint64_t k = 0; k < 24; k++) {
        double value[PP_STUDY_VARIABLES] = {0};
        uint64_t stream = (7ull << 32) + k, cell = k % 6;
        memcpy(value, s->base, sizeof *value * 4);
        assert_int_equal(pp_study_values(s, (pp_study_trial){.number = k}, value, &why), PERP_OK);
        double hi = cell < 3 ? 0.25 : 0.75;
        assert_true(value[0] == (double)(cell % 3) - 1);
        assert_true(value[2] == hi - 0.25 * next(&stream));
        assert_true(value[3] == 2 + next(&stream) + (double)(k / 6));
    }
    pp_study_close(s);
}

/* Rows by one worker and by three; into a file and back; a part of the rows in another file. */
static void test_rows(void **state) {
    (void)state;
    perp_refusal why = {0};
    pp_study *s = open_study(plan, &why);
    kept a = {0}, b = {0};
    pp_table_init(&a.t, s);
    pp_table_init(&b.t, s);
    (void)remove("unit-study.h5");
    assert_int_equal(pp_study_file_create("unit-study.h5", s, NULL, 24, &a.file, &why), PERP_OK);
    for (int workers = 1; workers <= 3; workers += 2) {
        pp_worker_pool pool;
        kept *k = workers == 1 ? &a : &b;
        assert_int_equal(pp_worker_pool_new(s, workers, &pool, &why), PERP_OK);
        pp_worker_pool_job job = {.count = 24, .done = keep, .ctx = k};
        assert_int_equal(pp_worker_pool_run(&pool, &job, &why), PERP_OK);
        pp_worker_pool_free(&pool);
        assert_int_equal(k->t.n, 24);
    }
    for (uint64_t i = 0; i < 24; i++) {
        const pp_row *x = pp_table_row(&a.t, i), *y = pp_table_row(&b.t, i);
        assert_int_equal(x->number, i);
        assert_int_equal(x->hash, y->hash);
        assert_memory_equal(x->value, y->value, sizeof(double) * 7);
        assert_true(x->value[1] == 2 * x->value[0]); /* the derived parameter follows */
        assert_true(x->value[5] == x->value[1]);
        assert_int_equal(x->outcome, PP_TRIAL_DONE);
        assert_int_equal(x->steps, 20);
    }
    assert_int_equal(pp_study_file_commit(a.file, &why), PERP_OK);
    pp_study_file_close(a.file);
    pp_study_file *f;
    pp_table back;
    pp_study *again;
    uint64_t digest = 0, twice = 0;
    assert_int_equal(pp_study_file_open("unit-study.h5", &f, &why), PERP_OK);
    assert_int_equal(pp_study_file_info(f)->rows, 24);
    assert_int_equal(pp_study_file_study(f, NULL, &again, &why), PERP_OK);
    assert_int_equal(pp_study_trials(again), 24);
    pp_table_init(&back, again);
    assert_int_equal(pp_table_load(&back, &f, 1, &why), PERP_OK);
    for (uint64_t i = 0; i < 24; i++)
        assert_memory_equal(pp_table_row(&back, i)->value, pp_table_row(&a.t, i)->value, sizeof(double) * 7);
    pp_study_file *const both[2] = {f, f};
    assert_int_equal(pp_study_digest(&f, 1, &digest, &why), PERP_OK);
    assert_int_equal(pp_study_digest(both, 2, &twice, &why), PERP_OK);
    assert_int_equal(digest, twice);
    pp_study_file_close(f);
    /* expressions over trials against sums made here */
    double sum = 0, n = 0, far = 0;
    for (uint64_t i = 0; i < 24; i++) {
        const double *v = pp_table_row(&a.t, i)->value;
        if (v[0] != 1) continue;
        sum += v[4], n++, far += v[6];
    }
    assert_true(fabs(over(s, &a.t, "mean(\"x\", \"a == 1\")") - sum / n) < 1e-12);
    assert_true(over(s, &a.t, "count(\"far\", \"a == 1\")") == far);
    assert_true(over(s, &a.t, "trials(\"floor == high\")") == 12);
    assert_true(over(s, &a.t, "failed()") == 0);
    assert_true(over(s, &a.t, "quantile(\"b\", 0)") == -2);
    pp_table_free(&back);
    pp_study_close(again);
    pp_table_free(&a.t);
    pp_table_free(&b.t);
    pp_study_close(s);
    (void)remove("unit-study.h5");
}

/* A file that lost its last rows has the digest of those that are there, and another plan is refused. */
static void test_extend(void **state) {
    (void)state;
    perp_refusal why = {0};
    pp_study *s = open_study(plan, &why);
    char other[1000];
    snprintf(other, sizeof other, "%send: '{block.speed} < 1e-9'\n", plan);
    pp_study *o = open_study(other, &why);
    pp_study_file *f;
    (void)remove("unit-extend.h5");
    assert_int_equal(pp_study_file_create("unit-extend.h5", s, NULL, 24, &f, &why), PERP_OK);
    pp_study_file_close(f);
    assert_int_equal(pp_study_file_create("unit-extend.h5", s, NULL, 24, &f, &why), PERP_E_IO);
    assert_int_equal(pp_study_file_extend("unit-extend.h5", o, pp_study_plan(o, NULL, false), &f, &why), PERP_E_ARG);
    assert_int_equal(pp_study_file_extend("unit-extend.h5", s, pp_study_plan(s, NULL, false), &f, &why), PERP_OK);
    pp_study_file_close(f);
    pp_study_close(s);
    pp_study_close(o);
    (void)remove("unit-extend.h5");
}

static void test_csv(void **state) {
    (void)state;
    static const perp_allocator plain = {0};
    perp_refusal why = {0};
    pp_csv t;
    double x;
    FILE *to = fopen("unit.csv", "w");
    fprintf(to, "# a comment\nt, \"a,b\" ,c\r\n\n0,1e-3,\n -1.5 ,nan,\"x \"\"y\"\"\"\n");
    fclose(to);
    assert_int_equal(pp_csv_read(&plain, ".", "unit.csv", &t, &why), PERP_OK);
    assert_int_equal(t.ncolumn, 3);
    assert_int_equal(t.nrow, 2);
    assert_int_equal(pp_csv_column(&t, "a,b"), 1);
    assert_int_equal(pp_csv_number(&t, 0, 1, &x, &why), PERP_OK);
    assert_true(x == 1e-3);
    assert_int_equal(pp_csv_number(&t, 0, 2, &x, &why), PERP_OK);
    assert_true(isnan(x));
    assert_int_equal(pp_csv_number(&t, 1, 0, &x, &why), PERP_OK);
    assert_true(x == -1.5);
    assert_string_equal(pp_csv_text(&t, 1, 2), "x \"y\"");
    assert_int_equal(pp_csv_number(&t, 1, 2, &x, &why), PERP_E_ARG);
    assert_string_equal(why.text,
                        "unit.csv:5: c: found x \"y\"; allowed: a finite number, or nothing where it is missing");
    pp_csv_free(&t);
    (void)remove("unit.csv");
}

/* Latin and Sobol samples: each quarter of the range holds one of four. */
static void test_even(void **state) {
    (void)state;
    static const char *const method[] = {"latin", "sobol"};
    for (int m = 0; m < 2; m++) {
        char text[500];
        perp_refusal why = {0};
        snprintf(text, sizeof text,
                 "perp-study: 1\nscene: scene.yaml\nsample: {count: 4, method: %s, mu: 'uniform(0, 4)', v: 'normal(0, "
                 "1)'}\n",
                 method[m]);
        pp_study *s = open_study(text, &why);
        assert_non_null(s);
        int hit[4] = {0}, left = 0;
        for (uint64_t k = 0; k < 4; k++) {
            double value[PP_STUDY_VARIABLES];
            memcpy(value, s->base, sizeof *value * 4);
            assert_int_equal(pp_study_values(s, (pp_study_trial){.number = k}, value, &why), PERP_OK);
            hit[(int)value[2]]++;
            left += value[3] < 0;
        }
        for (int i = 0; i < 4; i++) assert_int_equal(hit[i], 1);
        assert_int_equal(left, 2);
        pp_study_close(s);
    }
}

/* h = 0.01 and 20 steps: the step that ends a trial follows from the condition by hand. */
static void test_early_end(void **state) {
    (void)state;
    static const struct {
        const char *end;
        uint32_t steps;
        int outcome;
    } cases[] = {
        {"end: t > 0.045", 5, PP_TRIAL_ENDED},
        {"end: {when: t > 0.045, steps: 3}", 7, PP_TRIAL_ENDED},
        {"end: {when: \"mod(floor(t/0.01 + 0.5), 3) != 0\", steps: 2}", 2, PP_TRIAL_ENDED}, /* holds after 1, 2, 4, 5 */
        {"end: {when: \"mod(floor(t/0.01 + 0.5), 3) != 0\", steps: 3}", 20, PP_TRIAL_DONE}, /* never three in a row */
        {"end: {when: \"mod(floor(t/0.01 + 0.5), 3) == 2 || t > 0.105\", steps: 2}", 12, PP_TRIAL_ENDED},
        {"end: t > 1", 20, PP_TRIAL_DONE},
        {"end: \"{block.x} > v*0.1\"", 11, PP_TRIAL_ENDED}, /* parameters and series: x = v t without friction */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char lines[400];
        snprintf(lines, sizeof lines, "set: {mu: 0}\nmeasure: {x: 'last(\"block.x\")', n: steps}\n%s\n", cases[i].end);
        pp_study *s = open_lines(lines);
        pp_table t;
        run_all(s, &t);
        const pp_row *r = pp_table_row(&t, 0);
        assert_int_equal(r->outcome, cases[i].outcome);
        assert_int_equal(r->steps, cases[i].steps);
        assert_near(r->t_end, 0.01 * cases[i].steps, 1e-12);
        assert_near(r->value[4], 0.01 * cases[i].steps, 1e-9); /* measured at the end, v = 1 */
        assert_true(r->value[5] == cases[i].steps);
        pp_table_free(&t);
        pp_study_close(s);
    }
}

/* The worst figure of all steps is kept, and a trial that fails keeps its reason. */
static void test_figures(void **state) {
    (void)state;
    pp_study *s = open_lines("vary: {v: [0.3, 1, 2, 3]}\nmeasure: {x: 'last(\"certificate.law\")', c: "
                             "'largest(\"certificate.law\")', o: "
                             "'largest(\"certificate.overlap\")'}\n");
    pp_table t;
    run_all(s, &t);
    int fell = 0;
    for (uint64_t i = 0; i < t.n; i++) {
        const pp_row *r = pp_table_row(&t, i);
        assert_int_equal(r->outcome, PP_TRIAL_DONE);
        assert_true(r->law == r->value[5] && r->law > 0);
        assert_true(r->overlap == r->value[6]);
        assert_true(r->seconds > 0);
        fell += r->value[4] < r->value[5];
    }
    assert_true(fell > 0); /* the last step is not always the worst */
    pp_table_free(&t);
    pp_study_close(s);
    s = open_lines("measure: {x: 'at(\"block.x\", v)'}\nvary: {v: [0.1, 5, 0.05]}\n"); /* at 5 there is no frame */
    run_all(s, &t);
    assert_int_equal(pp_table_row(&t, 0)->outcome, PP_TRIAL_DONE);
    assert_int_equal(pp_table_row(&t, 1)->outcome, PP_TRIAL_UNMEASURED);
    assert_true(pp_table_row(&t, 1)->why[0] != 0 && isnan(pp_table_row(&t, 1)->value[4]));
    assert_int_equal(pp_table_row(&t, 2)->outcome, PP_TRIAL_DONE);
    assert_string_equal(pp_outcome_word(pp_table_row(&t, 1)->outcome), "not measured");
    pp_table_free(&t);
    pp_study_close(s);
}

/* What trials depend on is in the hash of the plan, and what they do not depend on is not. */
static void test_plan_hash(void **state) {
    (void)state;
    perp_refusal why = {0};
    const perp_source_file file[2] = {{"study.yaml", plan, sizeof plan - 1},
                                      {"scene.yaml", scene_text, sizeof scene_text - 1}};
    const char *only[] = {"floor=high"}, *low[] = {"floor=low"};
    const perp_definition define[] = {{"v", "1.5"}};
    pp_study_options o[] = {{.count = -1, .seed = -1},
                            {.count = 9, .seed = -1},
                            {.count = -1, .seed = 8},
                            {.count = -1, .seed = -1, .only = only, .nonly = 1},
                            {.count = -1, .seed = -1, .define = define, .ndefine = 1},
                            {.count = -1, .seed = -1, .only = low, .nonly = 1}};
    uint64_t hash[6];
    for (int i = 0; i < 6; i++) {
        pp_study *s;
        o[i].file = file;
        o[i].nfile = 2;
        assert_int_equal(pp_study_open("study.yaml", &o[i], &s, &why), PERP_OK);
        hash[i] = pp_study_plan(s, &o[i], false);
        pp_study_close(s);
    }
    /* texts, report and checks may change; measures, draws and the end of trials may not */
    static const char *const free_to[] = {"title: x\n", "report: [{table: x}]\n",
                                          "checks: [{what: a, value: failed(), below: 0}]\n", "# x\n"};
    static const char *const part_of[] = {"end: '{block.speed} < 1e-9'\n", "set: {b: 3}\n"};
    for (int i = 0; i < 6; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", plan, i < 4 ? free_to[i] : part_of[i - 4]);
        pp_study *s = open_study(text, &why);
        assert_non_null(s);
        assert_true((pp_study_plan(s, NULL, false) == hash[0]) == (i < 4));
        pp_study_close(s);
    }
    assert_true(hash[1] == hash[0]); /* more samples leave those before as they are */
    for (int i = 2; i < 6; i++) assert_true(hash[i] != hash[0]);
    assert_true(hash[3] != hash[5]);
    pp_study *four = open_lines("sample: {count: 4, method: latin, mu: 'uniform(0, 1)'}\n"), *five = NULL;
    pp_study_options more = {.count = 5, .seed = -1};
    const perp_source_file same[2] = {{"study.yaml", four->data, four->size}, file[1]};
    more.file = same, more.nfile = 2;
    assert_int_equal(pp_study_open("study.yaml", &more, &five, &why), PERP_OK);
    assert_true(pp_study_plan(four, NULL, false) !=
                pp_study_plan(five, NULL, false)); /* a Latin hypercube depends on the count */
    pp_study_close(four);
    pp_study_close(five);
}

/* One value of a variable, by number and by name of a class. */
static void test_only(void **state) {
    (void)state;
    perp_refusal why = {0};
    const perp_source_file file[2] = {{"study.yaml", plan, sizeof plan - 1},
                                      {"scene.yaml", scene_text, sizeof scene_text - 1}};
    const char *only[] = {"floor=high", "a=1"};
    pp_study_options o = {.count = -1, .seed = -1, .only = only, .nonly = 2, .file = file, .nfile = 2};
    pp_study *s;
    double value[PP_STUDY_VARIABLES];
    assert_int_equal(pp_study_open("study.yaml", &o, &s, &why), PERP_OK);
    assert_int_equal(s->cells, 1);
    for (uint64_t k = 0; k < 4; k++) {
        values_of(s, k, value);
        assert_true(value[0] == 1);
        assert_true(value[2] > 0.5 && value[2] <= 0.75); /* the class high */
    }
    pp_study_close(s);
    only[1] = "a=0.5";
    assert_int_equal(pp_study_open("study.yaml", &o, &s, &why), PERP_E_ARG);
    only[1] = "b=0";
    assert_int_equal(pp_study_open("study.yaml", &o, &s, &why), PERP_E_ARG);
}

/* A class may give one number; a draw of another parameter does not change it. */
static void test_class_number(void **state) {
    (void)state;
    pp_study *s = open_lines("vary: {floor: {class: {low: {mu: 0.1, v: [1, 2]}, high: {mu: 0.4, v: [3, 3]}}}}\n"
                             "sample: {count: 3, v: uniform}\n");
    double value[PP_STUDY_VARIABLES];
    for (uint64_t k = 0; k < 6; k++) {
        values_of(s, k, value);
        assert_true(value[2] == (k % 2 ? 0.4 : 0.1));
        assert_true(k % 2 ? value[3] == 3 : value[3] > 1 && value[3] <= 2);
    }
    pp_study_close(s);
}

/* Both ends of a range are taken; on a scale of logarithms the ratio is constant. */
static void test_span(void **state) {
    (void)state;
    pp_study *s =
        open_lines("vary: {a: {from: 0.1, to: 0.7, count: 7}, v: {from: 1, to: 1000, count: 4, scale: log}}\n");
    static const double v[] = {1, 10, 100, 1000};
    double value[PP_STUDY_VARIABLES];
    for (uint64_t k = 0; k < 28; k++) {
        values_of(s, k, value);
        assert_near(value[0], 0.1 + 0.1 * (double)(k / 4), 1e-15);
        assert_near(value[3], v[k % 4], 1e-12);
    }
    assert_true(value[0] == 0.7 && value[3] == 1000);
    pp_study_close(s);
}

/* Even samples differ from cell to cell, and each cell is even by itself. Beyond a hundred million trials: refused. */
static void test_even_cells(void **state) {
    (void)state;
    static const char *const method[] = {"latin", "sobol"};
    for (int m = 0; m < 2; m++) {
        char lines[300];
        snprintf(lines, sizeof lines, "vary: {a: [0, 1]}\nsample: {count: 8, method: %s, mu: 'uniform(0, 8)'}\n",
                 method[m]);
        pp_study *s = open_lines(lines);
        double value[PP_STUDY_VARIABLES];
        int hit[2][8] = {{0}}, same = 0, at[2];
        for (uint64_t k = 0; k < 16; k++) {
            values_of(s, k, value);
            at[k % 2] = (int)value[2];
            hit[k % 2][at[k % 2]]++;
            same += k % 2 == 1 && at[0] == at[1];
        }
        for (int i = 0; i < 8; i++) assert_true(hit[0][i] == 1 && hit[1][i] == 1);
        assert_true(same < 8);
        pp_study_close(s);
    }
    perp_refusal why = {0};
    static const char many[] = "perp-study: 1\nscene: scene.yaml\nsample: {count: 100000001}\n";
    const perp_source_file file[2] = {{"study.yaml", many, sizeof many - 1},
                                      {"scene.yaml", scene_text, sizeof scene_text - 1}};
    pp_study_options o = {.count = -1, .seed = -1, .file = file, .nfile = 2};
    pp_study *s = NULL;
    assert_int_equal(pp_study_open("study.yaml", &o, &s, &why), PERP_E_ARG);
    assert_null(s);
}

/* More trials than results may wait: with a slow first trial the others wait for it, and none is lost or changed. */
typedef struct order {
    uint64_t next;
    bool good;
} order;

static bool slow_first(void *ctx, int worker, perp_scene *own, uint64_t i, void *result) {
    (void)ctx, (void)worker, (void)own;
    if (i == 0) usleep(200000);
    *(uint64_t *)result = 7 * i + 1;
    return true;
}

static bool in_order(void *ctx, uint64_t i, const void *result) {
    order *o = ctx;
    o->good = o->good && i == o->next++ && *(const uint64_t *)result == 7 * i + 1;
    return true;
}

static void test_order(void **state) {
    (void)state;
    pp_study *s = open_lines("vary: {a: [1]}\n");
    perp_refusal why = {0};
    perp_ensemble *e;
    assert_int_equal(perp_ensemble_create(s->scene, 3, &e, &why), PERP_OK);
    order o = {.good = true};
    perp_trials t = {.count = 2000, .result_size = sizeof(uint64_t), .run = slow_first, .done = in_order, .ctx = &o};
    assert_int_equal(perp_ensemble_run(e, &t, &why), PERP_OK);
    assert_true(o.good);
    assert_int_equal(o.next, 2000);
    perp_ensemble_destroy(e);
    pp_study_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan),         cmocka_unit_test(test_rows),      cmocka_unit_test(test_extend),
        cmocka_unit_test(test_csv),          cmocka_unit_test(test_even),      cmocka_unit_test(test_early_end),
        cmocka_unit_test(test_figures),      cmocka_unit_test(test_plan_hash), cmocka_unit_test(test_only),
        cmocka_unit_test(test_class_number), cmocka_unit_test(test_span),      cmocka_unit_test(test_even_cells),
        cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
