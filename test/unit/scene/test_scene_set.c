/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Setting parameters of an open scene gives, bit by bit, the world of opening it with these definitions; refusals leave
 * it as it was; memory does not grow. */
#include "fault/allocator.h"
#include "unit/recording_help.h"

#define EXPERIMENTS PERP_TEST_DIR "/../experiments/"
enum { STEPS = 100 };

/* A scene with much that depends on parameters: repeats, a template, random numbers, formulas, a law, a default of
 * another parameter. */
static const char rich[] =
    "perp: 1\n"
    "title: many things\n"
    "dim: 2\n"
    "h: h\n"
    "duration: 10*h*n\n"
    "seed: 3\n"
    "parameters:\n"
    "  h: {default: 0.005, min: 1e-4, max: 0.1}\n"
    "  n: {default: 3, min: 0, max: 8}\n"
    "  mu: {default: 0.4, min: 0, max: 1, about: friction}\n"
    "  r: 0.1\n"
    "  twice: 2*r\n"
    "law: {mu: mu}\n"
    "templates:\n"
    "  round: {mass: twice, shape: {type: sphere, radius: r}}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}\n"
    "  - {name: 'ball-${i}', like: round, at: ['0.5*i + uniform(0, r)', 'r + 0.2*i'], velocity: [1, 0], repeat: {i: "
    "n}}\n"
    "  - {name: 'box-${k}', at: [-1 - k, 0.1], velocity: ['normal(0, mu)', 0], mass: 1, shape: {type: box, size: [0.2, "
    "0.2]}, repeat: {k: n - 1}}\n"
    "  - {name: mover, kind: kinematic, at: [5, 5], motion: {type: expression, at: ['mu*sin(t)', 't/n']}}\n"
    "  - {name: last, like: round, at: [0, 3 + twice]}\n"
    "  - {name: lever, at: [3, 2], density: 100, shapes: [{type: box, size: [0.4, twice]}, {type: sphere, radius: r, "
    "at: "
    "[0.5, 0]}]}\n"
    "joints:\n"
    "  - {name: pivot, type: revolute, b: lever, at: [3, 2]}\n"
    "forces:\n"
    "  - {type: constant, body: lever, force: [0, mu], at: [0.2, r]}\n"
    "  - {type: expression, body: last, force: ['mu*t', '-vy*twice']}\n";

static perp_scene *with(const char *what, const perp_definition *define, int n) {
    perp_refusal why = {0};
    perp_scene *s = NULL;
    bool text = strchr(what, '\n') != NULL;
    perp_source_file file = {"test.yaml", what, strlen(what)};
    perp_scene_options o = {.define = define, .ndefine = n, .file = text ? &file : NULL, .nfile = text ? 1 : 0};
    SUCCEEDS(perp_scene_open(text ? "test.yaml" : what, &o, &s, &why));
    return s;
}

static uint64_t after(const perp_scene *s, int steps) {
    for (int i = 0; i < steps; i++)
        if (perp_world_step(perp_scene_world(s), NULL)) break;
    return perp_world_hash(perp_scene_world(s));
}

static void same(const perp_scene *a, const perp_scene *b, int steps) {
    assert_int_equal(perp_world_hash(perp_scene_world(a)), perp_world_hash(perp_scene_world(b)));
    assert_true(perp_scene_duration(a) == perp_scene_duration(b));
    assert_int_equal(perp_scene_steps(a), perp_scene_steps(b));
    assert_string_equal(perp_scene_title(a), perp_scene_title(b));
    assert_int_equal(perp_scene_parameter_count(a), perp_scene_parameter_count(b));
    for (int i = 0; i < perp_scene_parameter_count(a); i++) {
        perp_scene_parameter x = perp_scene_parameter_at(a, i), y = perp_scene_parameter_at(b, i);
        assert_string_equal(x.name, y.name);
        assert_true(x.value == y.value && x.initial == y.initial && x.min == y.min && x.max == y.max);
    }
    perp_record_choice x = perp_scene_record(a), y = perp_scene_record(b);
    assert_true(x.what == y.what && x.every == y.every);
    uint64_t ha = after(a, steps), hb = after(b, steps);
    assert_int_equal(ha, hb);
}

/* Every parameter in turn is moved by a little, then all at once; the scene keeps the values from time to time. */
static void compare(const char *what) {
    perp_refusal why = {0};
    perp_scene *s = with(what, NULL, 0);
    int n = perp_scene_parameter_count(s), kept = 0, tried = 0;
    perp_definition define[32];
    char text[32][40], name[32][64];
    for (int i = 0; i < n && i < 32; i++) {
        perp_scene_parameter p = perp_scene_parameter_at(s, i);
        double value = p.value == floor(p.value) ? p.value + 1 : p.value * 1.01;
        if (value > p.max) value = (p.value + p.max) / 2;
        if (value < p.min) value = p.min;
        snprintf(text[kept], sizeof text[kept], "%.17g", value);
        snprintf(name[kept], sizeof name[kept], "%s", p.name);
        define[kept] = (perp_definition){name[kept], text[kept]};
        perp_scene *opened = NULL;
        perp_refusal no = {0};
        perp_scene_options o = {.define = define, .ndefine = kept + 1};
        perp_source_file file = {"test.yaml", what, strlen(what)};
        bool memory = strchr(what, '\n') != NULL;
        if (memory) o.file = &file, o.nfile = 1;
        uint64_t before = perp_world_hash(perp_scene_world(s));
        perp_status st = perp_scene_open(memory ? "test.yaml" : what, &o, &opened, &no);
        assert_int_equal(perp_scene_set(s, name[kept], value, &why), st);
        tried++;
        if (st) { /* together with the others it may not fit */
            assert_int_equal(perp_world_hash(perp_scene_world(s)), before);
            continue;
        }
        same(opened, s, kept % 4 ? 5 : STEPS);
        perp_scene_close(opened);
        kept++;
    }
    assert_true(tried > 0 && kept > 0);
    perp_scene_close(s);
}

static void as_opened(void **state) {
    (void)state;
    compare(rich);
    compare(EXPERIMENTS "grasp/scene.yaml");
    compare(EXPERIMENTS "incline/scene.yaml");
    compare(EXPERIMENTS "plate-circle/scene.yaml");
    compare(EXPERIMENTS "double-pendulum/scene.yaml");
    compare(EXPERIMENTS "tower/scene.yaml");
}

static void together(void **state) {
    (void)state;
    perp_refusal why = {0};
    const perp_definition given[] = {{"r", "0.05"}, {"twice", "3*r"}};
    const perp_definition all[] = {{"r", "0.07"}, {"twice", "3*r"}, {"n", "5"}, {"mu", "0.1"}};
    const perp_scene_value set[] = {{"mu", 0.9}, {"n", 5}, {"r", 0.07}, {"mu", 0.1}};
    perp_scene *a = with(rich, given, 2), *b = with(rich, all, 4);
    const char *title = perp_scene_title(a), *name = perp_scene_parameter_at(a, 2).name;
    (void)after(a, 7);
    SUCCEEDS(perp_scene_set_many(a, set, 4, &why));
    assert_ptr_equal(title, perp_scene_title(a)); /* texts stay where they are */
    assert_ptr_equal(name, perp_scene_parameter_at(a, 2).name);
    same(a, b, STEPS);
    assert_int_equal(perp_scene_definition_count(a), 4);
    assert_string_equal(perp_scene_definition_at(a, 0).value, "0.07");
    assert_string_equal(perp_scene_definition_at(a, 1).value, "3*r");
    assert_string_equal(perp_scene_definition_at(a, 2).name, "mu");
    SUCCEEDS(perp_scene_set_many(a, NULL, 0, &why)); /* the same world from its beginning */
    perp_scene *c = with(rich, all, 4);
    same(a, c, 10);
    perp_scene_close(a);
    perp_scene_close(b);
    perp_scene_close(c);
}

/* The same words as those of a definition, and nothing has changed. */
static void refuse(const char *name, double value, const char *text) {
    perp_refusal why = {0}, as_definition = {0};
    perp_scene *s = with(rich, NULL, 0), *none;
    perp_definition define = {name, text};
    perp_source_file file = {"test.yaml", rich, strlen(rich)};
    perp_scene_options o = {.define = &define, .ndefine = 1, .file = &file, .nfile = 1};
    SUCCEEDS(perp_scene_set(s, "n", 4, &why));
    (void)after(s, 5);
    perp_world *w = perp_scene_world(s);
    uint64_t hash = perp_world_hash(w);
    perp_status st = perp_scene_open("test.yaml", &o, &none, &as_definition);
    assert_true(st != PERP_OK);
    assert_int_equal(perp_scene_set(s, name, value, &why), st);
    assert_string_equal(why.text, as_definition.text);
    assert_ptr_equal(perp_scene_world(s), w);
    assert_int_equal(perp_world_hash(w), hash);
    assert_true(perp_scene_parameter_at(s, 1).value == 4 && perp_scene_definition_count(s) == 1);
    assert_int_equal(perp_scene_set(s, name, value, NULL), st);
    SUCCEEDS(perp_scene_set(s, "mu", 0.2, &why));
    const perp_definition good[] = {{"n", "4"}, {"mu", "0.2"}};
    perp_scene *b = with(rich, good, 2);
    same(s, b, 20);
    perp_scene_close(s);
    perp_scene_close(b);
}

static void refused(void **state) {
    (void)state;
    refuse("mu", 1.5, "1.5");
    refuse("mu", -0.1, "-0.1");
    refuse("n", 2.5, "2.5"); /* not whole: wrong in the repeat, after bodies were made */
    refuse("r", -1, "-1");   /* wrong in a shape */
    refuse("nu", 1, "1");
    refuse("mu", NAN, "nan");
    refuse("mu", INFINITY, "inf");
    perp_refusal why = {0};
    perp_scene *s = with(rich, NULL, 0);
    const perp_scene_value nameless = {NULL, 1};
    assert_int_equal(perp_scene_set_many(s, &nameless, 1, &why), PERP_E_ARG);
    assert_int_equal(perp_scene_set_many(s, NULL, 1, &why), PERP_E_ARG);
    perp_scene_close(s);
}

/* Numbers arrive as they are. */
static void exact(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_scene *s = with(rich, NULL, 0);
    uint64_t x = 1;
    for (int i = 0; i < 200; i++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        double value = (double)(x >> 11) * 0x1p-53 * (i % 2 ? 1 : 1e-7);
        SUCCEEDS(perp_scene_set(s, "mu", value, &why));
        assert_true(perp_scene_parameter_at(s, 2).value == value);
    }
    perp_scene_close(s);
}

/* Scenes of several files, from memory: a file that only another value needs. */
static void files(void **state) {
    (void)state;
    perp_refusal why = {0};
    static const char main_text[] =
        "perp: 1\ninclude: part.yaml\nh: 0.01\nduration: 1\nparameters: {n: 0, g: 3}\ngravity: [0, 0, -g]\nbodies:\n"
        "  - {name: 'b-${i}', at: [i, 0, 2], density: 1000, shape: {type: mesh, file: tetra.obj}, repeat: {i: n}}\n";
    static const char part[] = "perp: 1\ndim: 3\nbodies:\n  - {name: ball, mass: 1, inertia: [1, 1, 1]}\n";
    static const char tetra[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    const perp_source_file file[] = {{"main.yaml", main_text, sizeof main_text - 1},
                                     {"part.yaml", part, sizeof part - 1},
                                     {"tetra.obj", tetra, sizeof tetra - 1}};
    perp_definition define[] = {{"n", "2"}, {"g", "5"}};
    perp_scene_options o = {.file = file, .nfile = 3},
                       twice = {.file = file, .nfile = 3, .define = define, .ndefine = 2};
    perp_scene *a, *b;
    SUCCEEDS(perp_scene_open("main.yaml", &o, &a, &why));
    assert_int_equal(perp_scene_file_count(a), 2);
    SUCCEEDS(perp_scene_open("main.yaml", &twice, &b, &why));
    SUCCEEDS(perp_scene_set(a, "g", 5, &why));
    SUCCEEDS(perp_scene_set(a, "n", 2, &why));
    assert_int_equal(perp_scene_file_count(a), 3);
    same(a, b, 10);
    SUCCEEDS(perp_scene_set(a, "n", 0, &why));
    SUCCEEDS(perp_scene_set(a, "n", 2, &why));
    perp_scene *c;
    SUCCEEDS(perp_scene_open("main.yaml", &twice, &c, &why));
    same(a, c, 10);
    o.nfile = 2;
    perp_scene *d;
    SUCCEEDS(perp_scene_open("main.yaml", &o, &d, &why));
    assert_int_equal(perp_scene_set(d, "n", 1, &why), PERP_E_IO);
    assert_non_null(strstr(why.text, "one of the files that were passed in memory"));
    perp_scene_close(a);
    perp_scene_close(b);
    perp_scene_close(c);
    perp_scene_close(d);
}

/* A recording of a scene that was set tells its values. */
static void recorded(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_scene *s = with(rich, NULL, 0), *again;
    perp_recorder *r;
    SUCCEEDS(perp_scene_set(s, "mu", 0.123456789012345678, &why));
    remove("scene-set.h5");
    SUCCEEDS(perp_recorder_create("scene-set.h5", s, NULL, &r, &why));
    advance(s, r, 5);
    SUCCEEDS(perp_recorder_close(r, true, &why));
    perp_recording *f = reading("scene-set.h5");
    SUCCEEDS(perp_recording_scene(f, &again, &why));
    assert_true(perp_scene_parameter_at(again, 2).value == 0.123456789012345678);
    assert_int_equal(after(again, 5), perp_world_hash(perp_scene_world(s)));
    perp_scene_close(again);
    perp_recording_close(f);
    perp_scene_close(s);
    remove("scene-set.h5");
}

static void memory(void **state) {
    (void)state;
    perp_refusal why = {0};
    counter count = {.refuse = -1};
    perp_source_file file = {"test.yaml", rich, strlen(rich)};
    perp_scene_options o = {.file = &file, .nfile = 1, .alloc = counting(&count)};
    perp_scene *s;
    SUCCEEDS(perp_scene_open("test.yaml", &o, &s, &why));
    long live = 0, calls = 0, most = 0;
    for (int i = 0; i < 50; i++) {
        const perp_scene_value set[] = {{"mu", 0.01 * i}, {"n", 4}, {"twice", 0.1 + 0.01 * i}};
        long before = count.calls;
        SUCCEEDS(perp_scene_set_many(s, set, 3, &why));
        calls = count.calls - before;
        if (i == 2) live = count.live, most = calls;
        if (i > 2) assert_int_equal(count.live, live);
        if (i > 2) assert_int_equal(calls, most);
    }
    /* every refused allocation leaves the scene as it was */
    uint64_t hash = perp_world_hash(perp_scene_world(s));
    for (long k = 0;; k++) {
        count.refuse = count.calls + k;
        count.refused = 0;
        perp_status st = perp_scene_set(s, "mu", 0.77, &why);
        if (!count.refused) {
            assert_int_equal(st, PERP_OK);
            break;
        }
        assert_int_equal(st, PERP_E_MEMORY);
        assert_int_equal(perp_world_hash(perp_scene_world(s)), hash);
        assert_true(count.live <= live); /* fewer: a compiled expression made room for one that could not be kept */
        assert_true(k < 2000);
    }
    perp_scene_close(s);
    assert_int_equal(count.live, 0);
    /* and so does one in the first setting, which parses */
    for (long k = 0;; k += 7) {
        count = (counter){.refuse = -1};
        SUCCEEDS(perp_scene_open("test.yaml", &o, &s, &why));
        live = count.live;
        count.refuse = count.calls + k;
        perp_status st = perp_scene_set(s, "mu", 0.77, &why);
        assert_int_equal(st, count.refused ? PERP_E_MEMORY : PERP_OK);
        bool done = !count.refused;
        perp_scene_close(s);
        assert_int_equal(count.live, 0);
        if (done) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_opened), cmocka_unit_test(together), cmocka_unit_test(refused), cmocka_unit_test(exact),
        cmocka_unit_test(files),     cmocka_unit_test(recorded), cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
