/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mesh_stl.c - STL files: triangles without shared vertices, in text or binary.
 *
 * Vertices that are equal to the last bit are merged, which makes a closed surface closed again. Normals are passed
 * over, also broken ones: the order of the corners tells the side. Binary: 80 bytes of header, the number n of
 * triangles, then per triangle 12 little-endian floats (normal, three corners) and two bytes of attributes. */
#include "mesh/mesh_read.h"

#include <stdio.h>
#include <string.h>

/* ---- text ---- */

/* The next word on this or a later line. At the end of the file the word has no bytes. */
static pp_mesh_word next(pp_mesh_reader *r) {
    for (;;) {
        pp_mesh_skip_blanks(r);
        if (r->at >= r->size || !pp_mesh_line_ended(r)) return pp_mesh_take(r);
        pp_mesh_skip_line(r);
    }
}

static perp_status expect(pp_mesh_reader *r, const char *word) {
    pp_mesh_word w = next(r);
    return pp_mesh_is(r, w, word) ? PERP_OK : pp_mesh_refuse_word(r, w, PERP_E_ARG, "facet", word);
}

static perp_status read_corner(pp_mesh_reader *r) {
    double x[3];
    perp_status s = expect(r, "vertex");
    if (s) return s;
    pp_location at = pp_mesh_place(r, r->at - 6);
    for (int i = 0; i < 3 && !s; i++) s = pp_mesh_number(r, next(r), "vertex", &x[i]);
    if (s) return s;
    int v = 0;
    s = pp_mesh_merge_vertex(r, at, "vertex", perp_v3(x[0], x[1], x[2]), &v);
    return s ? s : pp_mesh_add_corner(r, at, "vertex", v);
}

/* After the word facet. */
static perp_status read_facet(pp_mesh_reader *r) {
    perp_status s = expect(r, "normal");
    for (int i = 0; i < 3 && !s; i++) { /* they are not used, but must be present */
        pp_mesh_word w = next(r);
        if (w.length == 0 || pp_mesh_is(r, w, "outer")) {
            s = pp_mesh_refuse_word(r, w, PERP_E_ARG, "facet", "the three numbers of the normal");
        }
    }
    if (!s) s = expect(r, "outer");
    if (!s) s = expect(r, "loop");
    for (int i = 0; i < 3 && !s; i++) s = read_corner(r);
    if (!s) s = expect(r, "endloop");
    if (!s) s = pp_mesh_end_face(r, pp_mesh_place(r, r->at), "facet");
    if (!s) s = expect(r, "endfacet");
    return s;
}

perp_status pp_mesh_read_stl_text(pp_mesh_reader *r) {
    for (bool inside = false;;) {
        pp_mesh_word w = next(r);
        perp_status s = PERP_OK;
        if (!inside && w.length == 0) return PERP_OK;
        if (!inside && pp_mesh_is(r, w, "solid")) {
            inside = true;
            pp_mesh_skip_line(r); /* the name of the solid */
            s = pp_mesh_begin_group(r);
        } else if (inside && pp_mesh_is(r, w, "endsolid")) {
            inside = false;
            pp_mesh_skip_line(r);
        } else if (inside && pp_mesh_is(r, w, "facet")) {
            s = read_facet(r);
        } else {
            s = pp_mesh_refuse_word(r, w, PERP_E_ARG, NULL, inside ? "facet or endsolid" : "solid or the end");
        }
        if (s) return s;
    }
}

/* ---- binary ---- */

static double real(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

perp_status pp_mesh_read_stl_binary(pp_mesh_reader *r) {
    const size_t n = (r->size - 84) / 50;
    const pp_location at = {r->file, 0, 0};
    for (size_t i = 0; i < n; i++) {
        char key[64];
        size_t byte = 84 + 50 * i;
        (void)snprintf(key, sizeof key, "triangle %zu at byte %zu", i + 1, byte);
        for (size_t corner = 0; corner < 3; corner++) {
            const char *p = r->data + byte + 12 * (corner + 1);
            perp_vec3 x = perp_v3(real(p), real(p + 4), real(p + 8));
            if (!perp_v3_finite(x)) {
                return pp_complain(r->why, PERP_E_ARG, at, key, "a number that is not finite", "finite numbers");
            }
            int v = 0;
            perp_status s = pp_mesh_merge_vertex(r, at, key, x, &v);
            if (!s) s = pp_mesh_add_corner(r, at, key, v);
            if (s) return s;
        }
        perp_status s = pp_mesh_end_face(r, at, key);
        if (s) return s;
    }
    return PERP_OK;
}
