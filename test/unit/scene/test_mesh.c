/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_mesh.c - meshes from OBJ and STL: vertices, faces, merging, telling the formats apart, limits, complaints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/allocator.h"
#include "mesh/mesh.h"

static const perp_allocator plain = {0};

static pp_mesh read_bytes(const char *file, const char *data, size_t size) {
    pp_mesh m;
    perp_refusal w;
    if (pp_mesh_read(&plain, file, data, size, &m, &w)) fail_msg("%s", w.text);
    return m;
}
static pp_mesh read_text(const char *file, const char *text) { return read_bytes(file, text, strlen(text)); }

static void refused_bytes(const char *file, const char *data, size_t size, perp_status s, const char *words) {
    pp_mesh m;
    perp_refusal w;
    memset(&m, 0x55, sizeof m);
    perp_status e = pp_mesh_read(&plain, file, data, size, &m, &w);
    if (!e) fail_msg("not refused: %s", words);
    assert_string_equal(w.text, words);
    assert_int_equal(e, s);
    assert_int_equal(w.status, s);
    assert_null(m.vertex);
    assert_null(m.face);
    assert_null(m.face_start);
}
static void refused(const char *text, perp_status s, const char *words) {
    refused_bytes("m.obj", text, strlen(text), s, words);
}

static void has_vertex(const pp_mesh *m, int i, double x, double y, double z) {
    assert_true(m->vertex[i].x == x && m->vertex[i].y == y && m->vertex[i].z == z);
}

/* The corners of a face, then -1. */
static void has_face(const pp_mesh *m, int f, ...) {
    va_list args;
    va_start(args, f);
    for (int i = m->face_start[f]; i < m->face_start[f + 1]; i++) assert_int_equal(m->face[i], va_arg(args, int));
    assert_int_equal(va_arg(args, int), -1);
    va_end(args);
}

#define FOUR "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

static void reads_obj(void **state) {
    (void)state;
    pp_mesh m = read_text("m.obj", "# a comment \\\n"
                                   "mtllib C:\\odd\\\n"
                                   "o thing\n"
                                   "v 0 0 0\n"
                                   "v 1.5 0 -2e1 1.0\r\n"
                                   "  v\t0 1 0 0.5 0.5 0.5 # blue\n"
                                   "v +0 .0 1. 1 0 0 0\n"
                                   "\n"
                                   "vn 0 0 \\\n 1\n"
                                   "vt 0 0\n"
                                   "g a b\ns off\nusemtl x\n"
                                   "f 1 2 3\n"
                                   "f 1/1 2/2/2 3//3 -1\n"
                                   "f \\\n 4 \\\r\n -3 -4");
    assert_int_equal(m.nvertex, 4);
    has_vertex(&m, 0, 0, 0, 0);
    has_vertex(&m, 1, 1.5, 0, -20);
    has_vertex(&m, 2, 0, 1, 0);
    has_vertex(&m, 3, 0, 0, 1);
    assert_int_equal(m.nface, 3);
    assert_int_equal(m.nface_index, 10);
    has_face(&m, 0, 0, 1, 2, -1);
    has_face(&m, 1, 0, 1, 2, 3, -1);
    has_face(&m, 2, 3, 1, 0, -1);
    pp_mesh_free(&m);
    assert_null(m.vertex);
    pp_mesh_free(&m);
    pp_mesh_free(NULL);

    m = read_text("m.obj", "\xef\xbb\xbf" FOUR "f 1 2 3\rf 1 2 4\r"); /* a byte order mark; old ends of lines */
    assert_int_equal(m.nface, 2);
    pp_mesh_free(&m);

    /* indices count over the vertices above the line */
    m = read_text("m.obj", FOUR "f -4 -3 -2\nv 9 9 9\nf -1 -2 1\n");
    assert_int_equal(m.nvertex, 5);
    has_face(&m, 0, 0, 1, 2, -1);
    has_face(&m, 1, 4, 3, 0, -1);
    pp_mesh_free(&m);

    /* vertices of no face are dropped, equal ones are kept apart */
    m = read_text("m", "v 7 7 7\n" FOUR "v 1 0 0\nv 8 8 8\nf 2 3 4\nf 2 6 4\n");
    assert_int_equal(m.nvertex, 4);
    has_vertex(&m, 0, 0, 0, 0);
    has_vertex(&m, 3, 1, 0, 0);
    has_face(&m, 0, 0, 1, 2, -1);
    has_face(&m, 1, 0, 3, 2, -1);
    pp_mesh_free(&m);
}

#define FACET(a, b, c) \
    "facet normal 0 0 1\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c "\n endloop\nendfacet\n"

static void reads_stl_text(void **state) {
    (void)state;
    static const char text[] = "solid a name of many words facet\n" FACET("0 0 0", "1 0 0", "0 1 0")
        FACET("1 0 -0", "1e0 1 0.0", "0 1 0") "endsolid a name\n";
    static const char *const names[] = {"m.stl", "m.STL", "m", "m.obj"}; /* the content tells */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pp_mesh m = read_text(names[i], text);
        assert_int_equal(m.nvertex, 4);
        has_vertex(&m, 3, 1, 1, 0);
        assert_int_equal(m.nface, 2);
        has_face(&m, 0, 0, 1, 2, -1);
        has_face(&m, 1, 1, 3, 2, -1);
        pp_mesh_free(&m);
    }
    pp_mesh m = read_text(
        "m.stl", "\n  SOLID\nFacet NORMAL nan nan nan OUTER loop vertex 0 0 0 vertex 1 0 0\r\n"
                 "vertex 0 1 0 endloop endfacet endsolid\nsolid b\n" FACET("5 5 5", "6 6 6", "7 8 9") "endsolid");
    assert_int_equal(m.nface, 2);
    assert_int_equal(m.nvertex, 6);
    pp_mesh_free(&m);
}

/* A binary STL of n triangles in a zigzag along an axis, with the header "solid ...", as some programs write it. */
static char *zigzag(uint32_t n, int axis, size_t *size) {
    *size = 84 + (size_t)50 * n;
    char *data = calloc(1, *size);
    assert_non_null(data);
    strcpy(data, "solid of binary");
    for (int i = 0; i < 4; i++) data[80 + i] = (char)(n >> 8 * i & 0xff);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < 3; c++) {
            float x[3] = {0, 0, 0};
            x[axis] = (float)(i + c);
            x[(axis + 1) % 3] = (float)((i + c) % 2);
            for (int k = 0; k < 3; k++) {
                uint32_t bits;
                memcpy(&bits, &x[k], 4);
                char *p = data + 84 + (size_t)50 * i + 12 * (c + 1) + 4 * (size_t)k;
                for (int b = 0; b < 4; b++) p[b] = (char)(bits >> 8 * b & 0xff);
            }
        }
    return data;
}

static void reads_stl_binary(void **state) {
    (void)state;
    size_t size;
    for (int axis = 0; axis < 3; axis++) {
        char *far = zigzag(20000, axis, &size);
        pp_mesh m = read_bytes("m.stl", far, size);
        assert_int_equal(m.nvertex, 20002); /* merged only if all three numbers are equal */
        pp_mesh_free(&m);
        free(far);
    }
    char *data = zigzag(1000, 0, &size);
    pp_mesh m = read_bytes("m.obj", data, size); /* the content tells */
    assert_int_equal(m.nface, 1000);
    assert_int_equal(m.nvertex, 1002);
    has_vertex(&m, 1001, 1001, 1, 0);
    has_face(&m, 999, 999, 1000, 1001, -1);
    pp_mesh_free(&m);
    refused_bytes("m.stl", data, size - 1, PERP_E_ARG,
                  "m.stl: found 50083 bytes that are no text; allowed: 50084 in a binary STL of 1000 triangles");
    refused_bytes("m", data, 83, PERP_E_ARG,
                  "m: found 83 bytes that are no text; allowed: at least 84 in a binary STL");
    data[84 + 50 * 7 + 12 + 2] = (char)0xc0; /* infinite, then not a number */
    data[84 + 50 * 7 + 12 + 3] = (char)0x7f;
    refused_bytes("m.stl", data, size, PERP_E_ARG,
                  "m.stl: triangle 8 at byte 434: found a number that is not finite; allowed: finite numbers");
    free(data);
    data = zigzag(3, 0, &size);
    memcpy(data + 84 + 12, data + 84 + 24, 12);
    refused_bytes("m.stl", data, size, PERP_E_GEOMETRY,
                  "m.stl: triangle 1 at byte 84: found a face with the same corner twice; allowed: different corners");
    free(data);
    data = zigzag(0, 0, &size);
    refused_bytes("m.stl", data, size, PERP_E_GEOMETRY, "m.stl: found no faces; allowed: at least one");
    free(data);
}

static void says_what_is_wrong_in_obj(void **state) {
    (void)state;
    static const struct {
        const char *text;
        perp_status s;
        const char *words;
    } t[] = {
        {"", PERP_E_ARG, "m.obj: found an empty file; allowed: a mesh (OBJ, STL or COLLADA)"},
        {"# nothing\n", PERP_E_GEOMETRY, "m.obj: found no faces; allowed: at least one"},
        {FOUR, PERP_E_GEOMETRY, "m.obj: found no faces; allowed: at least one"},
        {"v 0 0\n", PERP_E_ARG, "m.obj:1:1: v: found 2 numbers; allowed: x y z, then a weight, a colour or both"},
        {" v 0\n", PERP_E_ARG, "m.obj:1:2: v: found 1 number; allowed: x y z, then a weight, a colour or both"},
        {"v 1 2 3 4 5\n", PERP_E_ARG, "m.obj:1:1: v: found 5 numbers; allowed: x y z, then a weight, a colour or both"},
        {"v 1 2 3 4 5 6 7 8\n", PERP_E_ARG, "m.obj:1:17: v: found 8; allowed: at most 7 numbers"},
        {"v 0 0 nan\n", PERP_E_ARG, "m.obj:1:7: v: found nan; allowed: a finite number"},
        {"v 0 -inf 0\n", PERP_E_ARG, "m.obj:1:5: v: found -inf; allowed: a finite number"},
        {"v 0 0 1e999\n", PERP_E_ARG, "m.obj:1:7: v: found 1e999; allowed: a finite number"},
        {"v 0 0 1,5\n", PERP_E_ARG, "m.obj:1:7: v: found 1,5; allowed: a finite number"},
        {"v 0 0 --1\n", PERP_E_ARG, "m.obj:1:7: v: found --1; allowed: a finite number"},
        {"v 0 0 -\n", PERP_E_ARG, "m.obj:1:7: v: found -; allowed: a finite number"},
        {"v 0 0 0x1\n", PERP_E_ARG, "m.obj:1:7: v: found 0x1; allowed: a finite number"},
        {"v 0 0 1\x01\n", PERP_E_ARG, "m.obj:1:7: v: found 1\\x01; allowed: a finite number"},
        {"v \xc3\xbc 0 x\n", PERP_E_ARG, "m.obj:1:3: v: found \xc3\xbc; allowed: a finite number"},
        {"f 1 2 3\n", PERP_E_ARG, "m.obj:1:3: f: found 1; allowed: a vertex above this line, but there is none"},
        {FOUR "f 1 2 5\n", PERP_E_ARG, "m.obj:5:7: f: found 5; allowed: 1 to 4, or -4 to -1: the vertices above"},
        {FOUR "f 1 2 0\n", PERP_E_ARG, "m.obj:5:7: f: found 0; allowed: 1 to 4, or -4 to -1: the vertices above"},
        {FOUR "f 1 2 -5\n", PERP_E_ARG, "m.obj:5:7: f: found -5; allowed: 1 to 4, or -4 to -1: the vertices above"},
        {FOUR "f 1 \\\n 2 99999999999999999999\n", PERP_E_ARG,
         "m.obj:6:4: f: found 99999999999999999999; allowed: 1 to 4, or -4 to -1: the vertices above"},
        {FOUR "f 1 2 4294967297\n", PERP_E_ARG,
         "m.obj:5:7: f: found 4294967297; allowed: 1 to 4, or -4 to -1: the vertices above"},
        {FOUR "f 1 2 x\n", PERP_E_ARG, "m.obj:5:7: f: found x; allowed: v, v/vt, v//vn or v/vt/vn, all whole numbers"},
        {FOUR "f 1 2 3/\n", PERP_E_ARG,
         "m.obj:5:7: f: found 3/; allowed: v, v/vt, v//vn or v/vt/vn, all whole numbers"},
        {FOUR "f 1 2 3//\n", PERP_E_ARG,
         "m.obj:5:7: f: found 3//; allowed: v, v/vt, v//vn or v/vt/vn, all whole numbers"},
        {FOUR "f 1 2 /3\n", PERP_E_ARG,
         "m.obj:5:7: f: found /3; allowed: v, v/vt, v//vn or v/vt/vn, all whole numbers"},
        {FOUR "f 1 2 3/1/1/1\n", PERP_E_ARG,
         "m.obj:5:7: f: found 3/1/1/1; allowed: v, v/vt, v//vn or v/vt/vn, all whole numbers"},
        {FOUR "f 1 2 1.5\n", PERP_E_ARG,
         "m.obj:5:7: f: found 1.5; allowed: v, v/vt, v//vn or v/vt/vn, all whole numbers"},
        {FOUR "f 1 2\n", PERP_E_GEOMETRY, "m.obj:5:1: f: found a face with 2 corners; allowed: 3 or more"},
        {FOUR "f 1\n", PERP_E_GEOMETRY, "m.obj:5:1: f: found a face with 1 corner; allowed: 3 or more"},
        {FOUR "f\n", PERP_E_GEOMETRY, "m.obj:5:1: f: found a face with 0 corners; allowed: 3 or more"},
        {FOUR "f 1 2 3\nf 1 2 1\n", PERP_E_GEOMETRY,
         "m.obj:6:7: f: found a face with the same corner twice; allowed: different corners"},
        {FOUR "f 1 2 -4 3\n", PERP_E_GEOMETRY,
         "m.obj:5:7: f: found a face with the same corner twice; allowed: different corners"},
        {"curv 0 1 1 2\n", PERP_E_ARG,
         "m.obj:1:1: found curv; allowed: v, f, g, o, and vn, vt, s, usemtl, mtllib (passed over)"},
        {FOUR "l 1 2\n", PERP_E_ARG,
         "m.obj:5:1: found l; allowed: v, f, g, o, and vn, vt, s, usemtl, mtllib (passed over)"},
        {"V 0 0 0\n", PERP_E_ARG,
         "m.obj:1:1: found V; allowed: v, f, g, o, and vn, vt, s, usemtl, mtllib (passed over)"},
        {"# C:\\x\\\nbad\n", PERP_E_ARG,
         "m.obj:2:1: found bad; allowed: v, f, g, o, and vn, vt, s, usemtl, mtllib (passed over)"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) refused(t[i].text, t[i].s, t[i].words);
    assert_int_equal(pp_mesh_read(&plain, "m", "x", 1, &(pp_mesh){0}, NULL), PERP_E_ARG);
}

static void says_what_is_wrong_in_stl(void **state) {
    (void)state;
    static const struct {
        const char *text;
        perp_status s;
        const char *words;
    } t[] = {
        {"solid", PERP_E_ARG, "m.stl:1:6: found the end of the file; allowed: facet or endsolid"},
        {"solid a\n", PERP_E_ARG, "m.stl:2:1: found the end of the file; allowed: facet or endsolid"},
        {"solid a\nendsolid\n", PERP_E_GEOMETRY, "m.stl: found no faces; allowed: at least one"},
        {"solid a\nvertex 0 0 0\n", PERP_E_ARG, "m.stl:2:1: found vertex; allowed: facet or endsolid"},
        {"solid a\nfacet 0 0 1\n", PERP_E_ARG, "m.stl:2:7: facet: found 0; allowed: normal"},
        {"solid a\nfacet normal 0 0\nouter loop\n", PERP_E_ARG,
         "m.stl:3:1: facet: found outer; allowed: the three numbers of the normal"},
        {"solid a\nfacet normal 0", PERP_E_ARG,
         "m.stl:2:15: facet: found the end of the file; allowed: the three numbers of the normal"},
        {"solid a\nfacet normal \xc3\xbc\xc3\xbc 0 1 x\n", PERP_E_ARG, "m.stl:2:21: facet: found x; allowed: outer"},
        {"solid a\nfacet normal 0 0 1\nloop\n", PERP_E_ARG, "m.stl:3:1: facet: found loop; allowed: outer"},
        {"solid a\nfacet normal 0 0 1 outer\n", PERP_E_ARG,
         "m.stl:3:1: facet: found the end of the file; allowed: loop"},
        {"solid a\nfacet normal 0 0 1 outer loop vertex 0 0 x\n", PERP_E_ARG,
         "m.stl:2:42: vertex: found x; allowed: a finite number"},
        {"solid a\nfacet normal 0 0 1 outer loop vertex 0 0", PERP_E_ARG,
         "m.stl:2:41: vertex: found the end of the file; allowed: a finite number"},
        {"solid a\n" FACET("0 0 0", "1 0 0", "0 1 0\n vertex 1 1 0"), PERP_E_ARG,
         "m.stl:7:2: facet: found vertex; allowed: endloop"},
        {"solid a\nfacet normal 0 0 1 outer loop\nvertex 0 0 0 vertex 1 0 0 endloop", PERP_E_ARG,
         "m.stl:3:27: facet: found endloop; allowed: vertex"},
        {"solid a\n" FACET("0 0 0", "1 0 0", "-0 0 0"), PERP_E_GEOMETRY,
         "m.stl:6:3: vertex: found a face with the same corner twice; allowed: different corners"},
        {"solid a\n" FACET("0 0 0", "1 0 0", "0 1 inf"), PERP_E_ARG,
         "m.stl:6:14: vertex: found inf; allowed: a finite number"},
        {"solid a\n" FACET("0 0 0", "1 0 0", "0 1 0"), PERP_E_ARG,
         "m.stl:9:1: found the end of the file; allowed: facet or endsolid"},
        {"solid a\n" FACET("0 0 0", "1 0 0", "0 1 0") "endsolid\nmore", PERP_E_ARG,
         "m.stl:10:1: found more; allowed: solid or the end"},
        {FOUR "f 1 2 3\n", PERP_E_ARG,
         "m.stl: found 40 bytes that do not begin with solid; allowed: at least 84 in a binary STL"},
        {"solidus", PERP_E_ARG,
         "m.stl: found 7 bytes that do not begin with solid; allowed: at least 84 in a binary STL"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        refused_bytes("m.stl", t[i].text, strlen(t[i].text), t[i].s, t[i].words);
}

static void has_limits(void **state) {
    (void)state;
    char *s;
#ifndef PERP_TEST_SHORT
    /* one vertex too many: four million lines */
    const size_t line = strlen("v 0 0 0\n"), n = PP_MESH_VERTICES;
    s = malloc((n + 1) * line + 1);
    assert_non_null(s);
    for (size_t i = 0; i <= n; i++) memcpy(s + i * line, "v 0 0 0\n", line);
    refused_bytes("m.obj", s, (n + 1) * line, PERP_E_ARG,
                  "m.obj:4194305:1: v: found more than 4194304 vertices; allowed: at most 4194304");
    free(s);
#endif
    /* one face of very many corners on one line: all different, or the last one again */
    enum { CORNERS = 300000 };
    s = malloc(CORNERS * 8 + CORNERS * 8 + 16);
    assert_non_null(s);
    char *p = s;
    for (int i = 0; i < CORNERS; i++, p += 8) memcpy(p, "v 0 0 0\n", 8);
    *p++ = 'f';
    for (int i = 1; i <= CORNERS; i++) p += sprintf(p, " %d", i);
    pp_mesh m = read_bytes("m.obj", s, (size_t)(p - s));
    assert_int_equal(m.nface, 1);
    assert_int_equal(m.nface_index, CORNERS);
    pp_mesh_free(&m);
    p += sprintf(p, " 1");
    char words[128];
    (void)sprintf(words, "m.obj:300001:%d: f: found a face with the same corner twice; allowed: different corners",
                  (int)(p - s) - CORNERS * 8);
    refused_bytes("m.obj", s, (size_t)(p - s), PERP_E_GEOMETRY, words);
    free(s);
}

static void survives_without_memory(void **state) {
    (void)state;
    size_t size;
    char *data = zigzag(2000, 0, &size);
    counter mind = {0};
    perp_allocator a = counting(&mind);
    int refusals = 0;
    for (int n = 0;; n++) {
        pp_mesh m;
        perp_refusal w;
        mind = (counter){.refuse = n};
        perp_status e = pp_mesh_read(&a, "m.stl", data, size, &m, &w);
        if (!e) {
            assert_int_equal(m.nface, 2000);
            pp_mesh_free(&m);
            assert_int_equal(mind.live, 0);
            break;
        }
        assert_int_equal(e, PERP_E_MEMORY);
        assert_string_equal(w.text, "m.stl: no memory for the mesh");
        assert_int_equal(mind.live, 0);
        refusals++;
    }
    assert_true(refusals > 10);
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_obj),
        cmocka_unit_test(reads_stl_text),
        cmocka_unit_test(reads_stl_binary),
        cmocka_unit_test(says_what_is_wrong_in_obj),
        cmocka_unit_test(says_what_is_wrong_in_stl),
        cmocka_unit_test(has_limits),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
