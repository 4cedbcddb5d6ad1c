/* test_study.c - studies: numbers of trials, values, draws, results in files, expressions over trials, early end, workers. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/csv.h"
#include "study/table.h"
#include "check.h"

static const char scene_text[] =
    "perp: 1\ndim: 2\nh: 0.01\nduration: 0.2\nparameters: {a: 0, b: {default: 2*a, about: follows}, mu: 0.3, v: 1}\n"
    "law: {mu: mu}\nbodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}\n"
    "  - {name: block, density: 1, at: [a, 1], velocity: [v, 0], shape: {type: sphere, radius: 1}}\n";

static pp_study *open_study(const char *text, perp_refusal *why) {
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

typedef struct kept {
    pp_table t;
    pp_study_file *file;
} kept;

static bool keep(void *ctx, const pp_row *row) {
    kept *k = ctx;
    if (k->file) assert_int_equal(pp_study_file_add(k->file, row, NULL), PERP_OK);
    return !pp_table_add(&k->t, row, NULL);
}

static double over(const pp_study *s, const pp_table *t, const char *text) {
    /* the expression stands in a study of its own, with the same names */
    char whole[2000];
    perp_refusal why = {0};
    double x = NAN;
    snprintf(whole, sizeof whole, "%stitle: '%s'\n", plan, text);
    pp_study *own = open_study(whole, &why);
    assert_non_null(own);
    pp_over *o;
    uint32_t node = pp_yaml_get(&own->tree, 1, "title");
    if (pp_over_new(own, node, "title", NULL, 0, &o, &why)) fail_msg("%s", why.text);
    assert_int_equal(pp_over_eval(o, t, NULL, &x, &why), PERP_OK);
    pp_over_free(o);
    pp_study_close(own);
    (void)s;
    return x;
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
        pp_crew crew;
        kept *k = workers == 1 ? &a : &b;
        assert_int_equal(pp_crew_new(s, workers, &crew, &why), PERP_OK);
        pp_crew_job job = {.count = 24, .done = keep, .ctx = k};
        assert_int_equal(pp_crew_run(&crew, &job, &why), PERP_OK);
        pp_crew_free(&crew);
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
    assert_int_equal(pp_study_file_study(f, &again, &why), PERP_OK);
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
    snprintf(other, sizeof other, "%s# another study\n", plan);
    pp_study *o = open_study(other, &why);
    pp_study_file *f;
    (void)remove("unit-extend.h5");
    assert_int_equal(pp_study_file_create("unit-extend.h5", s, NULL, 24, &f, &why), PERP_OK);
    pp_study_file_close(f);
    assert_int_equal(pp_study_file_create("unit-extend.h5", s, NULL, 24, &f, &why), PERP_E_IO);
    assert_int_equal(pp_study_file_extend("unit-extend.h5", o, pp_study_plan(o, NULL), &f, &why), PERP_E_ARG);
    assert_int_equal(pp_study_file_extend("unit-extend.h5", s, pp_study_plan(s, NULL), &f, &why), PERP_OK);
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
    assert_int_equal(pp_csv_read(&plain, "unit.csv", &t, &why), PERP_OK);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_extend), cmocka_unit_test(test_csv),
                                       cmocka_unit_test(test_even)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
