/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_scene_files.c - scenes of several files: includes, meshes, from the disk and from memory. */
#include <sys/stat.h>

#include "unit/scene_help.h"

#define CUBE                                                                   \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n" \
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
/* the same with a corner pushed in to (0.6, 0.6, 0.6) */
#define DENTED                                                                       \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 0.6 0.6 0.6\nv 0 1 1\n" \
    "f 4 3 2 1\nf 5 6 7\nf 5 7 8\nf 1 2 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 7\nf 7 4 8\nf 4 1 5 8\n"
#define OPEN_BOX                                                               \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n" \
    "f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"

#define FILE_OF(path, text) \
    { path, text, sizeof(text) - 1 }

static perp_scene *open_files(const perp_source_file *f, int n, perp_refusal *why) {
    perp_scene_options o = {.file = f, .nfile = n};
    perp_scene *s = NULL;
    (void)perp_scene_open(f[0].path, &o, &s, why);
    return s;
}

static const perp_source_file files[] = {
    FILE_OF("top/main.yaml", "perp: 1\ntitle: mine\ninclude: [parts/a.yaml, ./parts/../common.yaml]\nduration: 2\n"
                             "parameters: {mu: 0.5, extra: 2*mu}\nlaw: {mu: mu}\nmaterials: [wood, steel]\n"
                             "stages: {tolerance: 1e-7, settings: {lemke: {tries: 3}}}\n"
                             "templates: {ball: {mass: 3, shape: {type: sphere, radius: 1}}}\n"
                             "bodies: [{name: last, like: ball}]\n"),
    FILE_OF(
        "top/parts/a.yaml",
        "include: ../common.yaml\ntitle: part\nseed: 3\nbodies:\n  - {name: second, like: ball, at: [0, 0, width]}\n"),
    FILE_OF("top/common.yaml",
            "perp: 1\ndim: 3\nh: 0.002\nduration: 1\nparameters: {width: 4, mu: {default: 0.1, unit: none, max: 1}}\n"
            "law: {mu: 0.9, restitution: 0.25}\nmaterials: [steel]\nlaws: [{pair: [steel, default], mu: 0.8}]\n"
            "stages: {solver: lemke, max_halvings: 3, settings: {lemke: {max_pivots: 50, tries: 2}}}\n"
            "templates: {ball: {mass: 1, shape: {type: sphere, radius: 1}}}\n"
            "bodies: [{name: first, mass: 1, shape: {type: mesh, file: meshes/cube.obj, scale: [1, 2, 3]}}]\n"),
    FILE_OF("top/meshes/cube.obj", CUBE),
};

static void check_included(const perp_scene *s) {
    perp_world *w = perp_scene_world(s);
    perp_world_def d = perp_world_get_def(w);
    perp_body_id id[3];
    double x;
    assert_string_equal(perp_scene_title(s), "mine");
    assert_true(perp_scene_duration(s) == 2 && d.h == 0.002 && d.dim == 3 && d.tolerance == 1e-7);
    assert_int_equal(d.max_halvings, 3);
    assert_int_equal(perp_world_get(w, "lemke.max_pivots", &x), PERP_OK);
    assert_true(x == 50);
    assert_int_equal(perp_world_get(w, "lemke.tries", &x), PERP_OK);
    assert_true(x == 3);
    assert_int_equal(perp_world_bodies(w, id, 3), 3);
    assert_string_equal(perp_body_name(w, id[0]), "first"); /* read once, although included twice */
    assert_string_equal(perp_body_name(w, id[1]), "second");
    assert_string_equal(perp_body_name(w, id[2]), "last");
    assert_true(body_of(s, "second").mass == 3 && body_of(s, "second").X_WB.p.z == 4);
    assert_int_equal(perp_scene_parameter_count(s), 3);
    perp_scene_parameter p = perp_scene_parameter_at(s, 1);
    assert_string_equal(p.name, "mu");
    assert_string_equal(p.unit, "none");
    assert_true(p.value == 0.5 && p.max == 1 && perp_scene_parameter_at(s, 2).value == 1);
    perp_pair_law l;
    assert_int_equal(perp_material_count(w), 3);
    assert_int_equal(perp_pair_get(w, 0, 2, &l), PERP_OK); /* wood */
    assert_true(l.mu == 0.5 && l.restitution == 0.25);
    assert_int_equal(perp_pair_get(w, 0, 1, &l), PERP_OK);
    assert_true(l.mu == 0.8);
    assert_vec(body_of(s, "first").X_WB.p, 0.5, 1, 1.5, 1e-15); /* centre of mass of the scaled cube */
    assert_near(body_of(s, "first").I_B.c[2].z, (1 + 4) / 12.0, 1e-15);
}

static void includes(void **state) {
    (void)state;
    perp_refusal why = {0};
    perp_scene *s = open_files(files, 4, &why);
    if (!s) fail_msg("%s", why.text);
    check_included(s);
    assert_int_equal(perp_scene_file_count(s), 4);
    assert_string_equal(perp_scene_file_at(s, 0).path, "top/main.yaml");
    assert_int_equal(perp_scene_file_at(s, 3).size, sizeof CUBE - 1);
    perp_scene_close(s);
}

static void write_text(const char *path, const perp_source_file *f) {
    FILE *o = fopen(path, "wb");
    if (!o) fail_msg("cannot write %s", path);
    assert_int_equal(fwrite(f->data, 1, f->size, o), f->size);
    assert_int_equal(fclose(o), 0);
}

/* The same files on the disk give the same world. So do the files that the opened scene returns. */
static void disk_and_memory(void **state) {
    (void)state;
    perp_refusal why = {0};
    const char *dirs[] = {"scene_files", "scene_files/top", "scene_files/top/parts", "scene_files/top/meshes"};
    for (int i = 0; i < 4; i++) (void)mkdir(dirs[i], 0777);
    for (int i = 0; i < 4; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "scene_files/%s", files[i].path);
        write_text(path, &files[i]);
    }
    perp_scene *memory = open_files(files, 4, &why), *disk = NULL, *again = NULL;
    if (perp_scene_open("scene_files/top/main.yaml", NULL, &disk, &why)) fail_msg("%s", why.text);
    check_included(disk);
    perp_source_file kept[4];
    assert_int_equal(perp_scene_file_count(disk), 4);
    for (int i = 0; i < 4; i++) kept[i] = perp_scene_file_at(disk, i);
    assert_string_equal(kept[0].path, "scene_files/top/main.yaml");
    again = open_files(kept, 4, &why);
    if (!again) fail_msg("%s", why.text);
    for (int i = 0; i < 20; i++) {
        assert_true(perp_world_hash(perp_scene_world(memory)) == perp_world_hash(perp_scene_world(disk)));
        assert_true(perp_world_hash(perp_scene_world(memory)) == perp_world_hash(perp_scene_world(again)));
        steps_of(memory, 1);
        steps_of(disk, 1);
        steps_of(again, 1);
    }
    perp_scene_close(memory);
    perp_scene_close(disk);
    perp_scene_close(again);
}

static void check_refused(const perp_source_file *f, int n, perp_status status, const char *text) {
    perp_refusal why = {0};
    perp_scene *s = open_files(f, n, &why);
    if (s) fail_msg("%s was let through", f[0].path);
    assert_string_equal(why.text, text);
    assert_int_equal(why.status, status);
}

#define BODY(shape) HEAD3 "bodies:\n  - {mass: 1, shape: " shape "}\n"

static void meshes(void **state) {
    (void)state;
    perp_refusal why = {0};
    const perp_source_file dented[] = {FILE_OF("m.yaml", BODY("{type: mesh, file: d.obj, hull: true}")),
                                       FILE_OF("d.obj", DENTED)};
    perp_scene *s = open_files(dented, 2, &why);
    if (!s) fail_msg("%s", why.text);
    assert_int_equal(shape_of(s, 0).def.npoint, 7); /* the corner pushed in is inside, the one it left is cut off */
    perp_scene_close(s);
    /* the middle of the face (1, 0, 0), (0.6, 0.6, 0.6), (1, 0, 1) lies 0.4/3 below the plane x = 1 */
    const perp_source_file refused[] = {FILE_OF("m.yaml", BODY("{type: mesh, file: d.obj}")), FILE_OF("d.obj", DENTED)};
    check_refused(refused, 2, PERP_E_GEOMETRY,
                  "m.yaml:5:41: bodies[0].shape.file: found a mesh that is not convex: a face lies 0.133 inside its "
                  "convex hull; allowed: a "
                  "convex mesh, parts: cut or groups, or hull: true");
    const perp_source_file lid[] = {FILE_OF("m.yaml", BODY("{type: mesh, file: o.obj}")), FILE_OF("o.obj", OPEN_BOX)};
    check_refused(lid, 2, PERP_E_GEOMETRY,
                  "m.yaml:5:41: bodies[0].shape.file: found a mesh whose faces have the area 5, while its convex hull "
                  "has 6; allowed: a closed "
                  "surface, or hull: true");
    const perp_source_file gone[] = {FILE_OF("m.yaml", BODY("{type: mesh, file: x.obj}"))};
    check_refused(
        gone, 1, PERP_E_IO,
        "m.yaml:5:41: bodies[0].shape.file: found \"x.obj\"; allowed: one of the files that were passed in memory");
}

static void refused(void **state) {
    (void)state;
    const perp_source_file circle[] = {FILE_OF("a.yaml", HEAD3 "include: sub/b.yaml\n"),
                                       FILE_OF("sub/b.yaml", "include: [c.yaml]\n"),
                                       FILE_OF("sub/c.yaml", "include: ../a.yaml\n")};
    check_refused(circle, 3, PERP_E_ARG,
                  "sub/c.yaml:1:10: include: found a circle: a.yaml includes sub/b.yaml includes sub/c.yaml includes "
                  "a.yaml; allowed: files that "
                  "do not include each other");
    const perp_source_file dims[] = {FILE_OF("a.yaml", HEAD3 "include: b.yaml\n"), FILE_OF("b.yaml", "dim: 2\n")};
    check_refused(dims, 2, PERP_E_ARG, "a.yaml:2:6: dim: found 3; allowed: 2, as in the file included");
    const perp_source_file inner[] = {FILE_OF("a.yaml", HEAD3 "include: b.yaml\n"),
                                      FILE_OF("b.yaml", "bodies:\n  - {mess: 1}\n")};
    check_refused(
        inner, 2, PERP_E_ARG,
        "b.yaml:2:6: bodies[0]: found the key `mess`; allowed: name, like, label, repeat, kind, at, turn, velocity, "
        "spin, mass, density, inertia, centre, "
        "particle, gravity, force, torque, material, group, mask, shape, shapes, motion; did you mean mass?");
    const perp_source_file twice[] = {FILE_OF("a.yaml", HEAD3 "include: b.yaml\nbodies: [{name: x, kind: obstacle}]\n"),
                                      FILE_OF("b.yaml", "bodies:\n  - {name: x, kind: obstacle}\n")};
    check_refused(twice, 2, PERP_E_ARG,
                  "a.yaml:5:17: bodies[0].name: found \"x\"; allowed: a name that no other body has");
    perp_refusal why;
    perp_scene *s;
    assert_int_equal(perp_scene_open("no/such/file.yaml", NULL, &s, &why), PERP_E_IO);
    assert_null(s);
    assert_string_equal(why.text, "no/such/file.yaml: cannot be read: No such file or directory");
    assert_int_equal(perp_scene_open(".", NULL, &s, &why), PERP_E_IO);
    assert_string_equal(why.text, ".: found a folder; allowed: a file");
    assert_int_equal(perp_scene_open(NULL, NULL, &s, NULL), PERP_E_ARG);
    assert_int_equal(perp_scene_open("x", NULL, NULL, &why), PERP_E_ARG);
    perp_scene_close(NULL);
}

/* Seventeen files, each including the next. */
static void deep(void **state) {
    (void)state;
    perp_source_file f[17];
    static char path[17][24], text[17][64];
    for (int i = 0; i < 17; i++) {
        (void)snprintf(path[i], sizeof path[i], "%d.yaml", i);
        (void)snprintf(text[i], sizeof text[i], i == 0 ? HEAD3 "include: %d.yaml\n" : "include: %d.yaml\n", i + 1);
        if (i == 16) (void)snprintf(text[i], sizeof text[i], "h: 0.01\n");
        f[i] = (perp_source_file){path[i], text[i], strlen(text[i])};
    }
    check_refused(f, 17, PERP_E_ARG, "15.yaml:1:10: include: found includes deeper than 16 files; allowed: at most 16");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(includes), cmocka_unit_test(disk_and_memory),
        cmocka_unit_test(meshes),   cmocka_unit_test(refused),
        cmocka_unit_test(deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
