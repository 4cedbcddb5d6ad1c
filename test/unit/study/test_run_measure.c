/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Measures over a run in memory: every function against numbers worked out here from the series, complaints with their
 * places, no memory in the steady state; the condition that ends a run. */
#include "measure/measure.h"

#include "fault/allocator.h"
#include "unit/recording_help.h"

enum { STEPS = 50, MEASURES = 32 };

/* A ball in free flight and a block that slides to rest: x(t) is smooth, contacts come and go. */
static const char flight[] =
    "perp: 1\n"
    "dim: 2\n"
    "h: 0.01\n"
    "duration: 0.5\n"
    "gravity: [0, -10]\n"
    "parameters: {v0: {default: 2, min: 0}, mu: 0.5}\n"
    "law: {mu: mu}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}\n"
    "  - {name: ball, at: [0, 5], velocity: [v0, 3], mass: 1, shape: {type: sphere, radius: 0.1}}\n"
    "  - {name: block, at: [0, 0.1], velocity: [v0, 0], mass: 5, shape: {type: box, size: [0.4, 0.2]}}\n";

static const char *const variable[] = {"v0", "mu"};
static const pp_measure_names names = {variable, 2};
static const double value[] = {2, 0.5};

typedef struct run {
    perp_scene *s;
    pp_trace *t;
    double time[STEPS + 1], x[STEPS + 1], vx[STEPS + 1], y[STEPS + 1];
} run;

static run begin(const perp_allocator *alloc) {
    perp_refusal why = {0};
    run r = {0};
    perp_source_file file = {"test.yaml", flight, strlen(flight)};
    perp_scene_options o = {.file = &file, .nfile = 1};
    if (alloc) o.alloc = *alloc;
    SUCCEEDS(perp_scene_open("test.yaml", &o, &r.s, &why));
    SUCCEEDS(pp_trace_new(r.s, 1, &r.t, &why));
    return r;
}

static void go(run *r, int steps) {
    perp_refusal why = {0};
    perp_certificate c;
    perp_world *w = perp_scene_world(r->s);
    for (int i = 0; i <= steps; i++) {
        if (i > 0) {
            assert_int_equal(perp_world_step(w, &c), PERP_OK);
            SUCCEEDS(pp_trace_step(r->t, &c, &why));
        } else {
            SUCCEEDS(pp_trace_first(r->t, &why));
        }
        perp_pose X;
        perp_vec3 v;
        perp_body_pose(w, perp_body_find(w, "ball"), &X);
        r->y[i] = X.p.y;
        perp_body_pose(w, perp_body_find(w, "block"), &X);
        perp_body_velocity(w, perp_body_find(w, "block"), &v, NULL);
        r->time[i] = perp_world_time(w);
        r->x[i] = X.p.x;
        r->vx[i] = v.x;
    }
}

static void end(run *r) {
    pp_trace_free(r->t);
    perp_scene_close(r->s);
}

static pp_measure_def def_of(const char *name, const char *text) {
    return (pp_measure_def){
        .name = name, .text = text, .length = strlen(text), .place = {"study.yaml", 7, 12}, .key = "measure.m"};
}

/* Compiles, runs the scene and evaluates; returns the number of measures. */
static int evaluate(run *r, const char *const (*text)[2], double *result) {
    perp_refusal why = {0};
    pp_measure_def def[MEASURES];
    pp_measures *m;
    int n = 0;
    for (; text[n][0]; n++) def[n] = def_of(text[n][0], text[n][1]);
    SUCCEEDS(pp_measures_new(NULL, def, n, &names, r->t, &m, &why));
    go(r, STEPS);
    SUCCEEDS(pp_measures_eval(m, r->t, value, false, result, &why));
    pp_measures_free(m);
    return n;
}

static void near(double a, double b) {
    if (!(fabs(a - b) <= 1e-13 * (1 + fabs(b)))) fail_msg("%.17g, expected %.17g", a, b);
}

static void functions(void **state) {
    (void)state;
    static const char *const text[][2] = {{"a", "last(\"block.x\")"},
                                          {"b", "first('block.vx')"},
                                          {"c", "a - 2*b"},
                                          {"d", "at(\"block.x\", 0.123)"},
                                          {"e", "largest(\"{block.x} - v0*t\")"},
                                          {"f", "smallest(\"{block.x} - v0*t\", 0.1, 0.3)"},
                                          {"g", "mean(\"block.x\", 0, 0.1)"},
                                          {"h", "total(\"block.x\")"},
                                          {"i", "integral(\"block.vx\", 0.105, 0.317)"},
                                          {"j", "count(\"{block.vx} > 1\")"},
                                          {"k1", "when(\"{block.vx} < 1\")"},
                                          {"l", "crossing(\"ball.y\", 5.3)"},
                                          {"m", "quantile(\"block.vx\", 0.25)"},
                                          {"n", "parameter(\"mu\") + parameter(\"v0\")"},
                                          {"o", "norm(3, 4) + order(8, 1)"},
                                          {"p", "largest(\"norm({block.vx}, {block.vy})\")"},
                                          {"q", "steps + t_end + failed"},
                                          {"r", "sum(\"k^2\", 1, 10)"},
                                          {"s", "sum(\"(at('block.x', 0.05*k) - k*mu)^2\", 2, 6)"},
                                          {"u", "sum(\"last('{block.x}*k')\", -1, 3)"},
                                          {"v", "sum(\"k\", 3, 2)"},
                                          {"w", "time_of_largest(\"ball.y\")"},
                                          {"x", "maxabs(\"{ball.vy}\")"},
                                          {"y", "largest(\"t\")"},
                                          {NULL, NULL}};
    double got[MEASURES], e = -INFINITY, f = INFINITY, g = 0, h = 0, i = 0, s = 0;
    run r = begin(NULL);
    evaluate(&r, text, got);
    near(got[0], r.x[STEPS]);
    near(got[1], 2);
    near(got[2], r.x[STEPS] - 4);
    near(got[3], 0.7 * r.x[12] + 0.3 * r.x[13]);
    int j = 0, under = -1, above = -1, top = 0;
    for (int k = 0; k <= STEPS; k++) {
        e = fmax(e, r.x[k] - 2 * r.time[k]);
        if (k >= 10 && k <= 30) f = fmin(f, r.x[k] - 2 * r.time[k]);
        if (k <= 10) g += r.x[k] / 11;
        h += r.x[k];
        j += r.vx[k] > 1;
        if (under < 0 && r.vx[k] < 1) under = k;
        if (above < 0 && r.y[k] >= 5.3) above = k;
        if (r.y[k] > r.y[top]) top = k;
    }
    for (int k = 0; k < 212; k++) { /* midpoints of a fine grid within the frames: exact for lines */
        double t = 0.105 + 0.001 * (k + 0.5), part = t / 0.01 - floor(t / 0.01);
        int at = (int)floor(t / 0.01);
        i += 0.001 * ((1 - part) * r.vx[at] + part * r.vx[at + 1]);
    }
    near(got[4], e);
    near(got[5], f);
    near(got[6], g);
    near(got[7], h);
    near(got[8], i);
    near(got[9], j);
    near(got[10], r.time[under]);
    near(got[11], r.time[above - 1] + 0.01 * (5.3 - r.y[above - 1]) / (r.y[above] - r.y[above - 1]));
    assert_true(r.vx[STEPS] == r.vx[STEPS - 1] || r.vx[STEPS] < r.vx[STEPS - 1]); /* it slows down: sorted backwards */
    near(got[12], 0.5 * r.vx[37] + 0.5 * r.vx[38]);
    near(got[13], 2.5);
    near(got[14], 8);
    near(got[15], 2);
    near(got[16], STEPS + 0.5);
    near(got[17], 385);
    for (int k = 2; k <= 6; k++) s += (r.x[5 * k] - 0.5 * k) * (r.x[5 * k] - 0.5 * k);
    near(got[18], s);
    near(got[19], r.x[STEPS] * 5);
    near(got[20], 0);
    near(got[21], r.time[top]);
    near(got[22], 3);
    near(got[23], 0.5);
    end(&r);
}

static void refused(const char *name, const char *text, const char *words) {
    perp_refusal why = {0};
    run r = begin(NULL);
    pp_measure_def def[2] = {def_of("first_one", "1"), def_of(name, text)};
    pp_measures *m = NULL;
    perp_status st = pp_measures_new(NULL, def, 2, &names, r.t, &m, &why);
    if (st) {
        assert_null(m);
    } else {
        double result[2];
        go(&r, 3);
        st = pp_measures_eval(m, r.t, value, false, result, &why);
        assert_int_equal(pp_measures_eval(m, r.t, value, true, result, &why), PERP_OK); /* of a failed run: none */
        assert_true(isnan(result[1]));
    }
    assert_int_equal(st, PERP_E_ARG);
    if (strncmp(why.text, words, strlen(words)) != 0) fail_msg("%s\nsays:     %s\nexpected: %s", text, why.text, words);
    pp_measures_free(m);
    end(&r);
}

static void complaints(void **state) {
    (void)state;
#define AT "study.yaml:7:12: measure.m: "
    refused("m", "last(\"blok.x\")", AT "found the series \"blok.x\"; allowed: time, step, BODY.x,");
    refused("m", "last(\"block.xx\")", AT "found the series \"block.xx\"; allowed: x, y, angle,");
    refused("m", "largest(\"{block.x} - w0\")", AT "found the unknown name w0");
    refused("m", "largest(\"{block.x - w0\")", AT "found { without }");
    refused("m", "1 + v1", "study.yaml:7:16: measure.m: found the unknown name v1");
    refused("m", "m + 1", AT "found the unknown name m"); /* not itself */
    refused("mu", "1", AT "found the name mu, which is taken; allowed: another name");
    refused("first_one", "1", AT "found the name first_one, which is taken; allowed: another name");
    refused("failed", "1", AT "found the name failed, which is taken; allowed: another name");
    refused("m", "parameter(\"nu\")", AT "found parameter(\"nu\"); allowed: a parameter of the scene");
    refused("m", "last(3)", AT "found other arguments of last; allowed: (\"series\")");
    refused("m", "norm('block.x')", AT "found other arguments of norm; allowed: numbers");
    refused("m", "sum(\"k\", 1)", AT "found other arguments of sum; allowed: (\"expression of k\", from, to)");
    refused("m", "sum(\"k\", 1, 2.5)", AT "found sum from 1 to 2.5; allowed: whole numbers");
    refused("m", "sum(\"k\", 1, inf)", AT "found sum from 1 to inf; allowed: whole numbers");
    refused("m", "sum(\"k\", 1, 1e9)", AT "found sum from 1 to 1e+09; allowed: at most 1000000 terms");
    refused("m", "sum(\"j\", 1, 2)", AT "found the unknown name j");
    refused("m", "sum(\"at('blok.x', k)\", 1, 2)", AT "found the series \"blok.x\"");
    refused("m", "at(\"block.x\", 7)", AT "found t = 7; allowed: 0 to 0.03, the times of the run");
#undef AT
}

/* A run that fails leaves what can be measured. */
static void failed_run(void **state) {
    (void)state;
    perp_refusal why = {0};
    run r = begin(NULL);
    pp_measure_def def[3] = {def_of("a", "at(\"block.x\", 0.4)"), def_of("b", "last(\"block.x\")"),
                             def_of("c", "failed ? -1 : b")};
    pp_measures *m;
    double result[3];
    SUCCEEDS(pp_measures_new(NULL, def, 3, &names, r.t, &m, &why));
    SUCCEEDS(pp_measures_eval(m, r.t, value, true, result, &why)); /* not even a first frame */
    assert_true(isnan(result[0]) && isnan(result[1]) && result[2] == -1);
    go(&r, 10);
    SUCCEEDS(pp_measures_eval(m, r.t, value, true, result, &why));
    assert_true(isnan(result[0]) && result[1] == r.x[10] && result[2] == -1);
    pp_measures_free(m);
    end(&r);
}

static void condition(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_certificate c;
    run r = begin(NULL);
    pp_condition *stop, *rest, *none;
    pp_measure_def def = def_of(NULL, "{block.vx} < 1 && t > 0.1 && mu > 0 || steps >= 40");
    SUCCEEDS(pp_condition_new(NULL, &def, &names, r.t, &stop, &why));
    def = def_of(NULL, "norm({block.vx}, {block.vy}) < 0.5");
    SUCCEEDS(pp_condition_new(NULL, &def, &names, r.t, &rest, &why));
    def = def_of(NULL, "0/0 * {block.vx} > 1");
    SUCCEEDS(pp_condition_new(NULL, &def, &names, r.t, &none, &why));
    def = def_of(NULL, "{blok.vx} < 1");
    pp_condition *bad = none;
    assert_int_equal(pp_condition_new(NULL, &def, &names, r.t, &bad, &why), PERP_E_ARG);
    assert_null(bad);
    assert_non_null(strstr(why.text, "study.yaml:7:12: measure.m: found the series \"blok.vx\""));
    assert_false(pp_condition_met(stop, r.t, value));
    SUCCEEDS(pp_trace_first(r.t, &why));
    perp_world *w = perp_scene_world(r.s);
    perp_body_id block = perp_body_find(w, "block");
    int met = 0, still = 0;
    for (int i = 1; i <= STEPS; i++) {
        assert_int_equal(perp_world_step(w, &c), PERP_OK);
        SUCCEEDS(pp_trace_step(r.t, &c, &why));
        perp_vec3 v;
        perp_body_velocity(w, block, &v, NULL);
        assert_int_equal(pp_condition_met(stop, r.t, value), (v.x < 1 && perp_world_time(w) > 0.1) || i >= 40);
        assert_int_equal(pp_condition_met(rest, r.t, value), hypot(v.x, v.y) < 0.5);
        assert_false(pp_condition_met(none, r.t, value));
        met += pp_condition_met(stop, r.t, value);
        still += pp_condition_met(rest, r.t, value);
    }
    assert_true(met > 5 && met < STEPS && still > 5 && still < met);
    pp_condition_free(stop);
    pp_condition_free(rest);
    pp_condition_free(none);
    end(&r);
}

static void memory(void **state) {
    (void)state;
    perp_refusal why = {0};
    counter count = {.refuse = -1};
    perp_allocator alloc = counting(&count);
    pp_measure_def def[4] = {def_of("a", "quantile(\"{block.x} * v0\", 0.3)"),
                             def_of("b", "sum(\"at('{block.x} - k*t', 0.01*k)\", 0, 5)"),
                             def_of("c", "maxabs(\"{block.x} * v0\") + last('ball.y')"), def_of("d", "a + b + c")};
    run r = begin(NULL);
    size_t size = perp_world_state_size(perp_scene_world(r.s));
    void *start = malloc(size);
    assert_int_equal(perp_world_get_state(perp_scene_world(r.s), start, size), PERP_OK);
    pp_measures *m;
    double result[4], first[4];
    SUCCEEDS(pp_measures_new(&alloc, def, 4, &names, r.t, &m, &why));
    for (int trial = 0; trial < 3; trial++) {
        long before = count.calls;
        assert_int_equal(perp_world_set_state(perp_scene_world(r.s), start, size), PERP_OK);
        SUCCEEDS(pp_trace_reset(r.t, r.s, &why));
        go(&r, STEPS);
        SUCCEEDS(pp_measures_eval(m, r.t, value, false, result, &why));
        if (trial == 0) memcpy(first, result, sizeof first);
        if (trial > 0) assert_int_equal(count.calls, before);
        assert_memory_equal(first, result, sizeof first);
    }
    double other[2] = {4, 0.5}; /* another value of a variable, not what was kept */
    SUCCEEDS(pp_measures_eval(m, r.t, other, false, result, &why));
    assert_true(result[0] == 2 * first[0]);
    pp_measures_free(m);
    assert_int_equal(count.live, 0);
    free(start);
    end(&r);
    bool done = false;
    for (long k = 0; !done; k++) {
        run again = begin(NULL);
        pp_condition *stop = NULL;
        pp_measure_def ends = def_of(NULL, "{block.vx} < 1");
        count = (counter){.refuse = k};
        perp_status st = pp_measures_new(&alloc, def, 4, &names, again.t, &m, &why);
        if (!st) st = pp_condition_new(&alloc, &ends, &names, again.t, &stop, &why);
        if (!st) go(&again, 5);
        if (!st) st = pp_measures_eval(m, again.t, value, true, result, &why);
        assert_int_equal(st, count.refused ? PERP_E_MEMORY : PERP_OK);
        pp_measures_free(m);
        pp_condition_free(stop);
        assert_int_equal(count.live, 0);
        done = !count.refused;
        end(&again);
        assert_true(k < 200);
    }
}

/* Place and key from a YAML file. */
static void from_yaml(void **state) {
    (void)state;
    static const char text[] = "measure:\n  good: last(\"block.x\")\n  bad: '2 * nothing'\n  folded: >\n    1 + 1\n";
    perp_refusal why = {0};
    perp_allocator plain = {0};
    pp_tree tree;
    SUCCEEDS(pp_yaml_parse(&plain, "study.yaml", text, strlen(text), &tree, &why));
    uint32_t map = pp_yaml_get(&tree, 1, "measure");
    pp_measure_def def[2] = {pp_measure_text(&tree, pp_yaml_get(&tree, map, "good"), "good", "measure.good"),
                             pp_measure_text(&tree, pp_yaml_get(&tree, map, "bad"), "bad", "measure.bad")};
    run r = begin(NULL);
    pp_measures *m;
    assert_int_equal(pp_measures_new(NULL, def, 2, &names, r.t, &m, &why), PERP_E_ARG);
    assert_int_equal(why.line, 3);
    assert_int_equal(why.column, 13);
    assert_string_equal(why.key, "measure.bad");
    end(&r);
    pp_yaml_free(&tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions),  cmocka_unit_test(complaints),
                                       cmocka_unit_test(failed_run), cmocka_unit_test(condition),
                                       cmocka_unit_test(memory),     cmocka_unit_test(from_yaml)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
