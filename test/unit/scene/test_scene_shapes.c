/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_scene_shapes.c - capsules, regular bodies, polygons and meshes in parts: from the scene file to
 * the world. */
#include "unit/scene_help.h"

static perp_scene *scene_with(const char *text, const char *name, const char *mesh) {
    perp_source_file f[2] = {{"s.yaml", text, strlen(text)}, {name, mesh, strlen(mesh)}};
    perp_scene_options o = {.file = f, .nfile = 2};
    perp_scene *s = NULL;
    perp_refusal why;
    if (perp_scene_open("s.yaml", &o, &s, &why)) fail_msg("%s", why.text);
    return s;
}

static void simple_shapes(void **state) {
    (void)state;
    perp_scene *s = scene_of(HEAD3 "bodies:\n  - kind: obstacle\n    shapes:\n"
                                   "      - {type: capsule, radius: 0.25, length: 3, at: [1, 0, 0]}\n"
                                   "      - {type: prism, sides: 5, radius: 1, height: 2}\n"
                                   "      - {type: cylinder, radius: 1, height: 2}\n"
                                   "      - {type: cone, radius: 1, height: 4, sides: 8}\n"
                                   "      - {type: platonic, solid: icosahedron, radius: 2}\n"
                                   "      - {type: platonic, solid: cube, radius: 2}\n");
    perp_shape_view v = shape_of(s, 0);
    assert_int_equal(v.def.kind, PERP_SHAPE_CAPSULE);
    assert_true(v.def.radius == 0.25 && v.def.half_length == 1.5 && v.def.npoint == 0 && v.def.X_BS.p.x == 1);
    assert_int_equal(shape_of(s, 1).nface, 7);
    assert_int_equal(shape_of(s, 2).nface, 34);
    v = shape_of(s, 3);
    assert_int_equal(v.nface, 9);
    double low = 9, high = -9;
    for (int i = 0; i < v.def.npoint; i++) {
        low = fmin(low, v.def.points[i].z);
        high = fmax(high, v.def.points[i].z);
    }
    assert_true(low == -1 && high == 3);
    assert_int_equal(shape_of(s, 4).nface, 20);
    assert_int_equal(shape_of(s, 5).nface, 6);
    perp_scene_close(s);
    s = scene_of(HEAD2 "bodies: [{name: a, density: 2, shape: {type: capsule, radius: 1, length: 2}}]\n");
    assert_near(body_of(s, "a").mass, 2 * (4 + 3.14159265358979323846), 1e-14);
    perp_scene_close(s);
}

/* An L is two shapes; its mass is not that of the parts, which overlap, but 3 squares. */
static void polygon_in_parts(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        HEAD2
        "bodies:\n"
        "  - {name: ell, density: 2, at: [10, 0], turn: 90*deg,\n"
        "     shapes: [{type: sphere, radius: 0.1, at: [-1, 0], group: 4},\n"
        "              {type: polygon, parts: cut, group: 2, at: [1, 0],\n"
        "               points: [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]}]}\n"
        "  - {name: bare, density: 2, shape: {type: polygon, parts: cut, points: [[0, 2], [1, 2], [1, 1], [2, 1], "
        "[2, 0], [0, 0]]}}\n"
        "  - {name: one, density: 2, shape: {type: polygon, points: [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, "
        "2]]}}\n");
    assert_int_equal(perp_world_shapes(perp_scene_world(s), NULL, 0), 6);
    for (int i = 1; i < 5; i++) {
        perp_shape_view v = shape_of(s, i);
        assert_true(v.def.kind == PERP_SHAPE_POLYGON && v.def.npoint == 4 && v.def.group == (i < 3 ? 2u : 1u));
    }
    perp_body_def d = body_of(s, "bare");
    assert_near(d.mass, 6, 1e-14);
    assert_vec(d.X_WB.p, 5.0 / 6, 5.0 / 6, 0, 1e-15);
    /* squares of inertia m/6 about their middles, at distances from the common centre */
    double I = 3 * (2.0 / 6);
    const double at[3][2] = {{0.5, 0.5}, {1.5, 0.5}, {0.5, 1.5}};
    for (int k = 0; k < 3; k++) I += 2 * (pow(at[k][0] - 5.0 / 6, 2) + pow(at[k][1] - 5.0 / 6, 2));
    assert_near(d.I_B.c[2].z, I, 1e-13);
    double ball = 2 * 3.14159265358979323846 * 0.01, m = 6 + ball, x = (6 * (1 + 5.0 / 6) - ball) / m, y = 5 / m;
    d = body_of(s, "ell");
    assert_near(d.mass, m, 1e-14);
    assert_vec(d.X_WB.p, 10 - y, x, 0, 1e-14);
    assert_near(body_of(s, "one").mass, 7, 1e-14); /* the hull */
    perp_scene_close(s);
}

/* The surface of an L of three unit cubes along x and y, in quads. */
static const char ell_obj[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                              "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                              "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\n"
                              "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
/* The same as two boxes that overlap in nothing, each a group. */
static const char boxes_obj[] =
    "o long\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    "o short\ng inner\nv 0 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
    "f 12 11 10 9\nf 13 14 15 16\nf 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n";

static void mesh_in_parts(void **state) {
    (void)state;
    const char *const ways[] = {"cut", "groups"}, *const mesh[] = {ell_obj, boxes_obj};
    perp_body_def d[2];
    for (int k = 0; k < 2; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       HEAD3 "bodies:\n  - {name: a, density: 3, shape: {type: mesh, file: m.obj, parts: %s, "
                             "scale: [1, 2, -3], turn: {euler: [0.3, 0.2, 0.1]}}}\n"
                             "  - {name: b, kind: obstacle, shape: {type: mesh, file: m.obj, parts: %s}}\n",
                       ways[k], ways[k]);
        perp_scene *s = scene_with(text, "m.obj", mesh[k]);
        assert_int_equal(perp_world_shapes(perp_scene_world(s), NULL, 0), 4);
        for (int i = 0; i < 4; i++) assert_int_equal(shape_of(s, i).nface, k == 0 ? shape_of(s, i).nface : 6);
        d[k] = body_of(s, "a");
        assert_near(d[k].mass, 3 * 3 * 6, 1e-12);
        perp_scene_close(s);
    }
    assert_vec(d[0].X_WB.p, d[1].X_WB.p.x, d[1].X_WB.p.y, d[1].X_WB.p.z, 1e-13);
    for (int k = 0; k < 3; k++) assert_vec(d[0].I_B.c[k], d[1].I_B.c[k].x, d[1].I_B.c[k].y, d[1].I_B.c[k].z, 1e-11);
}

static void mesh_refused(void **state) {
    (void)state;
    const struct {
        const char *keys, *mesh, *says;
    } list[] = {
        {"parts: cut, hull: true", ell_obj,
         "s.yaml:4:83: bodies[0].shape.hull: found hull: true beside parts: cut; allowed: one of the two"},
        {"parts: groups", ell_obj,
         "s.yaml:4:58: bodies[0].shape.file: found a mesh with a group, number 1, that is not convex: a face lies "
         "0.354 inside "
         "its convex hull; allowed: a convex group, parts: cut, or hull: true"},
        {"parts: cut", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 1 2 3\n",
         "s.yaml:4:58: bodies[0].shape.file: faces 1 and 3 are turned against each other: both run the same way along "
         "their edge"},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       HEAD3 "bodies: [{name: a, density: 3, shape: {type: mesh, file: m.obj, %s}}]\n", list[k].keys);
        perp_source_file f[2] = {{"s.yaml", text, strlen(text)}, {"m.obj", list[k].mesh, strlen(list[k].mesh)}};
        perp_scene_options o = {.file = f, .nfile = 2};
        perp_scene *s = NULL;
        perp_refusal why;
        assert_int_not_equal(perp_scene_open("s.yaml", &o, &s, &why), PERP_OK);
        assert_string_equal(why.text, list[k].says);
        assert_null(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_shapes),
        cmocka_unit_test(polygon_in_parts),
        cmocka_unit_test(mesh_in_parts),
        cmocka_unit_test(mesh_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
