/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_scene_memory.c - a scene whose k-th allocation is refused, for every k: PERP_E_MEMORY, a message, and nothing
 * left behind; and how much a scene of 10,000 bodies takes. */
#include "fault/allocator.h"
#include "unit/scene_help.h"

#define CUBE                                                                   \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n" \
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"

static const char rich[] =
    HEAD3 "title: everything\ninclude: more.yaml\nparameters: {a: 1, b: {default: 2*a, unit: m, about: x}}\nmaterials: "
          "[steel]\n"
          "law: {mu: a/2}\nlaws: [{pair: [steel, steel], mu: 1}]\nstages: {form: lcp, settings: {lemke: {tries: 3}}}\n"
          "templates: {ball: {mass: a, shape: {type: sphere, radius: b/10}}}\n"
          "bodies:\n"
          "  - {repeat: 9, like: ball, name: 'b${i}', at: ['uniform(0, 1)', 2*i, a], material: steel}\n"
          "  - {name: two, mass: 1, shapes: [{type: box, size: [1, 1, 1]}, {type: polyhedron, points: {random: 9, in: "
          "[1, 1, 1]}}]}\n"
          "  - {mass: 1, shape: {type: mesh, file: cube.obj}}\n"
          "  - {kind: kinematic, motion: {type: expression, at: [a*t, 0, 0], turn: {axis: [0, 0, 1], angle: b*t}}}\n"
          "  - {kind: kinematic, motion: {type: sinusoid, terms: [{axis: x, amplitude: a, omega: b}]}}\n"
          "  - {kind: kinematic, motion: {type: table, rows: [[0, 0, 0, 0, 1, 0, 0, 0]]}}\n"
          "joints:\n  - {name: j, type: revolute, a: b0, b: b1, at: [0, 0, 0]}\n"
          "forces:\n  - {name: f, type: expression, body: two, force: [x, 0, 0], at: [0, 0, z]}\n"
          "  - {type: pd, joint: j, kp: 1}\n";

static const perp_source_file files[] = {{"s.yaml", rich, sizeof rich - 1},
                                         {"more.yaml", "bodies: [{kind: obstacle, name: floor}]\n", 40},
                                         {"cube.obj", CUBE, sizeof CUBE - 1}};

static perp_status try(counter *c, const char *text, perp_refusal *why) {
    const perp_definition define = {"a", "3"};
    perp_scene_options o = {.file = files, .nfile = 3, .define = &define, .ndefine = 1, .alloc = counting(c)};
    perp_source_file f[3] = {files[0], files[1], files[2]};
    if (text) f[0] = (perp_source_file){"s.yaml", text, strlen(text)};
    o.file = f;
    perp_scene *s = NULL;
    perp_status st = perp_scene_open("s.yaml", &o, &s, why);
    assert_true((st == PERP_OK) == (s != NULL));
    perp_scene_close(s);
    return st;
}

static void every_allocation(void **state) {
    (void)state;
    perp_refusal why;
    counter c = {.refuse = -1};
    perp_status st = try(&c, NULL, &why);
    if (st) fail_msg("%s", why.text);
    assert_int_equal(c.live, 0);
    long calls = c.calls;
    assert_true(calls > 100);
    for (long k = 0; k < calls; k++) {
        c = (counter){.refuse = k};
        st = try(&c, NULL, &why);
        if (c.live != 0) fail_msg("refusing allocation %ld leaves %ld blocks", k, c.live);
        /* room that is only given back when possible may be refused without harm */
        if (st != PERP_E_MEMORY && st != PERP_OK)
            fail_msg("refusing allocation %ld: %s: %s", k, perp_status_name(st), why.text);
        if (st && !why.text[0]) fail_msg("refusing allocation %ld gives no message", k);
    }
}

/* Mistakes in the file leave nothing behind either. */
static void mistakes(void **state) {
    (void)state;
    const char *bad[] = {
        HEAD3 "bodies: [{mass: 1, shape: {type: sphere, radius: -1}}]\nparameters: {a: 1}\n",
        HEAD3 "parameters: {a: 1}\nbodies: [{name: x, mass: a, inertia: [1, 1, 1]}]\nforces: [{type: expression, body: "
              "x, force: [1, x, y*]}]\n",
        HEAD3
        "parameters: {a: 1}\ninclude: more.yaml\nbodies: [{kind: kinematic, motion: {type: table, rows: [[0], 1]}}]\n",
        HEAD3 "parameters: {a: 1}\ntemplates: {q: {mass: 1}}\nbodies: [{repeat: 3, like: p}]\n",
        HEAD3 "parameters: {a: 1}\nbodies: [{mass: 1, shape: {type: mesh, file: more.yaml}}]\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        perp_refusal why;
        counter c = {.refuse = -1};
        assert_int_not_equal(try(&c, bad[i], &why), PERP_OK);
        assert_int_equal(c.live, 0);
        assert_true(why.text[0] != 0);
    }
}

/* Bytes in use, now and at most. */
typedef struct tally {
    size_t now, most;
} tally;

static void *tally_alloc(size_t size, void *ctx) {
    tally *t = ctx;
    char *p = malloc(size + 16);
    if (!p) return NULL;
    memcpy(p, &size, sizeof size);
    t->now += size;
    if (t->now > t->most) t->most = t->now;
    return p + 16;
}

static void tally_free(void *p, void *ctx) {
    tally *t = ctx;
    size_t size;
    memcpy(&size, (char *)p - 16, sizeof size);
    t->now -= size;
    free((char *)p - 16);
}

#define MANY 10000

static void load(const char *text, const char *what) {
    tally t = {0, 0};
    perp_source_file f = {"s.yaml", text, strlen(text)};
    perp_scene_options o = {.file = &f, .nfile = 1, .alloc = {tally_alloc, tally_free, &t}};
    perp_scene *s;
    perp_refusal why;
    if (perp_scene_open("s.yaml", &o, &s, &why)) fail_msg("%s", why.text);
    assert_int_equal(perp_world_body_count(perp_scene_world(s)), MANY);
    print_message("%s: %zu bytes per body at most, %zu stay\n", what, t.most / MANY, t.now / MANY);
    assert_true(t.most < 2000u * MANY);
    assert_true(t.now < 1200u * MANY);
    perp_scene_close(s);
    assert_int_equal(t.now, 0);
}

static void many_bodies(void **state) {
    (void)state;
    load(HEAD3 "bodies:\n  - {repeat: 10000, name: 'body${i}', at: [i % 100, floor(i/100), 'uniform(1, 2)'], mass: 1, "
               "shape: {type: sphere, radius: 0.1}}\n",
         "by repeat");
    size_t size = 200u * MANY, n;
    char *text = malloc(size);
    assert_non_null(text);
    n = (size_t)snprintf(text, size, "%s", HEAD3 "bodies:\n");
    for (int i = 0; i < MANY; i++)
        n += (size_t)snprintf(
            text + n, size - n,
            "  - name: body%d\n    at: [%d, %d, 1.5]\n    mass: 1\n    shape: {type: sphere, radius: 0.1}\n", i,
            i % 100, i / 100);
    load(text, "written");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(many_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
