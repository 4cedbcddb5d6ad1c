/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mesh_obj.c - OBJ files: v and f lines.
 *
 * v x y z, with a weight (4 numbers), a colour (6) or both (7) passed over. f with corners v, v/vt, v//vn or v/vt/vn;
 * v counts from 1 over the vertices above the line, or from -1 backwards. A line g or o begins a group;
 * normals, texture, smoothing and materials are passed over; any other keyword is refused, because it could be part of the surface
 * (curves, patches, lines). */
#include "mesh/mesh_read.h"

#include <stdio.h>
#include <string.h>

/* The next word of the line. At its end or at a comment the word has no bytes. */
static pp_mesh_word next(pp_mesh_reader *r) {
    pp_mesh_skip_blanks(r);
    if (r->at < r->size && r->data[r->at] == '#') return (pp_mesh_word){r->at, 0};
    return pp_mesh_take(r);
}

static perp_status read_vertex(pp_mesh_reader *r, pp_location at) {
    double x[7] = {0};
    int n = 0;
    for (pp_mesh_word w; (w = next(r)).length > 0; n++) {
        if (n == 7) return pp_mesh_refuse_word(r, w, PERP_E_ARG, "v", "at most 7 numbers");
        perp_status s = pp_mesh_number(r, w, "v", &x[n]);
        if (s) return s;
    }
    if (n < 3 || n == 5) {
        char found[32];
        (void)snprintf(found, sizeof found, "%d number%s", n, n == 1 ? "" : "s");
        return pp_complain(r->why, PERP_E_ARG, at, "v", found, "x y z, then a weight, a colour or both");
    }
    return pp_mesh_add_vertex(r, at, "v", perp_v3(x[0], x[1], x[2]));
}

/* Reads a whole number with or without a minus sign. Its size is limited to a value outside any range. Returns its
 * length in bytes; 0: there is no number. */
static size_t scan_whole(const char *p, size_t length, long *out) {
    size_t i = length > 0 && p[0] == '-', first = i;
    long v = 0;
    for (; i < length && p[i] >= '0' && p[i] <= '9'; i++)
        if (v < 100000000) v = 10 * v + (p[i] - '0');
    *out = first ? -v : v;
    return i > first ? i : 0;
}

/* v, v/vt, v//vn or v/vt/vn */
static bool scan_corner(const char *p, size_t length, long *v) {
    long unused;
    size_t i = scan_whole(p, length, v);
    if (i == 0) return false;
    for (int part = 0; part < 2 && i < length && p[i] == '/'; part++) {
        i++;
        size_t n = scan_whole(p + i, length - i, &unused);
        if (n == 0 && (part == 1 || i == length || p[i] != '/')) return false;
        i += n;
    }
    return i == length;
}

static perp_status read_face(pp_mesh_reader *r, pp_location at) {
    const int n = r->mesh->nvertex;
    for (pp_mesh_word w; (w = next(r)).length > 0;) {
        long v;
        if (!scan_corner(r->data + w.at, w.length, &v)) {
            return pp_mesh_refuse_word(r, w, PERP_E_ARG, "f", "v, v/vt, v//vn or v/vt/vn, all whole numbers");
        }
        if (v == 0 || v > n || v < -n) {
            char allowed[96] = "a vertex above this line, but there is none";
            if (n > 0) (void)snprintf(allowed, sizeof allowed, "1 to %d, or -%d to -1: the vertices above", n, n);
            return pp_mesh_refuse_word(r, w, PERP_E_ARG, "f", allowed);
        }
        perp_status s = pp_mesh_add_corner(r, pp_mesh_place(r, w.at), "f", (int)(v > 0 ? v - 1 : n + v));
        if (s) return s;
    }
    return pp_mesh_end_face(r, at, "f");
}

static bool word_in(const pp_mesh_reader *r, pp_mesh_word w, const char *const *list) {
    for (; *list; list++)
        if (strlen(*list) == w.length && memcmp(*list, r->data + w.at, w.length) == 0) return true;
    return false;
}

perp_status pp_mesh_read_obj(pp_mesh_reader *r) {
    static const char *const numbers[] = {"vn", "vt", NULL}, *const groups[] = {"g", "o", NULL},
                             *const names[] = {"s", "usemtl", "mtllib", NULL};
    while (r->at < r->size) {
        pp_mesh_word w = next(r);
        pp_location at = pp_mesh_place(r, w.at);
        perp_status s = PERP_OK;
        if (w.length == 1 && r->data[w.at] == 'v')
            s = read_vertex(r, at);
        else if (w.length == 1 && r->data[w.at] == 'f')
            s = read_face(r, at);
        else if (word_in(r, w, groups))
            s = pp_mesh_begin_group(r);
        else if (word_in(r, w, numbers))
            while (next(r).length > 0) continue; /* over lines that a \ joins */
        else if (w.length > 0 && !r->lenient && !word_in(r, w, names))
            s = pp_mesh_refuse_word(r, w, PERP_E_ARG, NULL, "v, f, g, o, and vn, vt, s, usemtl, mtllib (passed over)");
        if (s) return s;
        pp_mesh_skip_line(r);
    }
    return PERP_OK;
}
