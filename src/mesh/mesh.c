/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mesh.c - building a mesh with its checks, and detecting the format.
 *
 * Detection: a binary STL with n triangles has 84 + 50 n bytes, with n at byte 80. No text can have that size by chance: four bytes of text make n more
 * than 10^8, which exceeds the limit on files. A text STL begins with the word solid, which OBJ does not have. A file that is neither is a damaged binary
 * STL if the name ends in .stl or there are zero bytes, otherwise an OBJ. A repeated corner of a face is found by a mark per vertex, so a face of any size costs a
 * constant per corner. Vertices that no face uses are dropped: they are not part of the surface.
 * Cost: linear in the bytes; at most one block of scratch per vertex. */
#include "mesh/mesh_read.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

perp_status pp_mesh_no_memory(pp_mesh_reader *r) {
    pp_location at = {r->file, 0, 0};
    return pp_complain_say(r->why, PERP_E_MEMORY, at, NULL, "no memory for the mesh");
}

static perp_status too_many(pp_mesh_reader *r, pp_location at, const char *key, const char *what, int most) {
    char found[64], allowed[32];
    (void)snprintf(found, sizeof found, "more than %d %s", most, what);
    (void)snprintf(allowed, sizeof allowed, "at most %d", most);
    return pp_complain(r->why, PERP_E_ARG, at, key, found, allowed);
}

perp_status pp_mesh_add_vertex(pp_mesh_reader *r, pp_location at, const char *key, perp_vec3 p) {
    pp_mesh *m = r->mesh;
    if (m->nvertex == PP_MESH_VERTICES) return too_many(r, at, key, "vertices", PP_MESH_VERTICES);
    if (!PP_GROW(&m->alloc, m->vertex, m->cap_vertex, m->nvertex, m->nvertex + 1) ||
        !PP_GROW(&m->alloc, r->mark, r->cap_mark, m->nvertex, m->nvertex + 1))
        return pp_mesh_no_memory(r);
    r->mark[m->nvertex] = 0;
    m->vertex[m->nvertex++] = p;
    return PERP_OK;
}

/* The slot of the hash table for a vertex at p: its own, or the free one where it would be stored. */
static int *slot_of(const pp_mesh_reader *r, perp_vec3 p) {
    uint64_t h = pp_hash_double(pp_hash_double(pp_hash_double(PP_HASH_START, p.x), p.y), p.z);
    uint32_t mask = (uint32_t)r->cap_table - 1, i = (uint32_t)(h ^ h >> 32) & mask;
    for (;; i = (i + 1) & mask) {
        int v = r->table[i] - 1;
        if (v < 0) return &r->table[i];
        const perp_vec3 *q = &r->mesh->vertex[v];
        if (q->x == p.x && q->y == p.y && q->z == p.z) return &r->table[i];
    }
}

static bool room_in_table(pp_mesh_reader *r) {
    if (2 * (r->ntable + 1) <= r->cap_table) return true;
    int before = r->cap_table, n = before ? 2 * before : 256, *old = r->table;
    int *fresh = pp_alloc(&r->mesh->alloc, (size_t)n * sizeof *fresh);
    if (!fresh) return false;
    memset(fresh, 0, (size_t)n * sizeof *fresh);
    r->table = fresh;
    r->cap_table = n;
    for (int i = 0; i < before; i++)
        if (old[i]) *slot_of(r, r->mesh->vertex[old[i] - 1]) = old[i];
    pp_free(&r->mesh->alloc, old);
    return true;
}

perp_status pp_mesh_merge_vertex(pp_mesh_reader *r, pp_location at, const char *key, perp_vec3 p, int *out) {
    if (!room_in_table(r)) return pp_mesh_no_memory(r);
    int *s = slot_of(r, p);
    if (*s == 0) {
        perp_status e = pp_mesh_add_vertex(r, at, key, p);
        if (e) return e;
        *s = r->mesh->nvertex;
        r->ntable++;
    }
    *out = *s - 1;
    return PERP_OK;
}

perp_status pp_mesh_add_corner(pp_mesh_reader *r, pp_location at, const char *key, int v) {
    pp_mesh *m = r->mesh;
    if (m->nface_index == 3 * PP_MESH_VERTICES) return too_many(r, at, key, "corners of faces", 3 * PP_MESH_VERTICES);
    if (r->mark[v] == m->nface + 1 && r->lenient) return PERP_OK;
    if (r->mark[v] == m->nface + 1) {
        return pp_complain(r->why, PERP_E_GEOMETRY, at, key, "a face with the same corner twice", "different corners");
    }
    if (!PP_GROW(&m->alloc, m->face, m->cap_index, m->nface_index, m->nface_index + 1)) return pp_mesh_no_memory(r);
    r->mark[v] = m->nface + 1;
    m->face[m->nface_index++] = v;
    return PERP_OK;
}

perp_status pp_mesh_end_face(pp_mesh_reader *r, pp_location at, const char *key) {
    pp_mesh *m = r->mesh;
    int corners = m->nface_index - m->face_start[m->nface];
    if (corners < 3 && r->lenient) { /* dropped; its marks must not count for the next face */
        for (int i = m->face_start[m->nface]; i < m->nface_index; i++) r->mark[m->face[i]] = 0;
        m->nface_index = m->face_start[m->nface];
        return PERP_OK;
    }
    if (corners < 3) {
        char found[64];
        (void)snprintf(found, sizeof found, "a face with %d corner%s", corners, corners == 1 ? "" : "s");
        return pp_complain(r->why, PERP_E_GEOMETRY, at, key, found, "3 or more");
    }
    if (!PP_GROW(&m->alloc, m->face_start, m->cap_face, m->nface + 1, m->nface + 2)) return pp_mesh_no_memory(r);
    m->face_start[++m->nface] = m->nface_index;
    return PERP_OK;
}

perp_status pp_mesh_begin_group(pp_mesh_reader *r) {
    pp_mesh *m = r->mesh;
    if (m->group_start && m->nface == m->group_start[m->ngroup]) return PERP_OK; /* the one before has no faces */
    int n = m->group_start ? m->ngroup + 1 : 0;
    if (!PP_GROW(&m->alloc, m->group_start, m->cap_group, n, n + 1)) return pp_mesh_no_memory(r);
    m->ngroup = n;
    m->group_start[n] = m->nface;
    return PERP_OK;
}

/* Drops vertices that no face uses; the others keep their order. */
static void drop_unused(pp_mesh_reader *r) {
    pp_mesh *m = r->mesh;
    for (int i = 0; i < m->nvertex; i++) r->mark[i] = -1;
    for (int i = 0; i < m->nface_index; i++) r->mark[m->face[i]] = 0;
    int n = 0;
    for (int i = 0; i < m->nvertex; i++)
        if (r->mark[i] == 0) {
            m->vertex[n] = m->vertex[i];
            r->mark[i] = n++;
        }
    for (int i = 0; i < m->nface_index; i++) m->face[i] = r->mark[m->face[i]];
    m->nvertex = n;
}

static uint32_t whole(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool ends_in_stl(const char *name) {
    size_t n = name ? strlen(name) : 0;
    if (n < 4 || name[n - 4] != '.') return false;
    for (int i = 0; i < 3; i++) {
        char c = name[n - 3 + (size_t)i];
        if (c != "stl"[i] && c != "STL"[i]) return false;
    }
    return true;
}

static bool begins_with_solid(const pp_mesh_reader *r) {
    pp_mesh_reader look = *r;
    for (;;) {
        pp_mesh_skip_blanks(&look);
        if (look.at == look.size || !pp_mesh_line_ended(&look)) break;
        pp_mesh_skip_line(&look);
    }
    return pp_mesh_is(&look, pp_mesh_take(&look), "solid");
}

static bool begins_as_xml(const pp_mesh_reader *r) {
    size_t i = r->at;
    while (i < r->size && (r->data[i] == ' ' || r->data[i] == '\t' || r->data[i] == '\n' || r->data[i] == '\r')) i++;
    return i < r->size && r->data[i] == '<';
}

static perp_status read_any(pp_mesh_reader *r) {
    pp_location at = {r->file, 0, 0};
    if (r->size == 0) return pp_complain(r->why, PERP_E_ARG, at, NULL, "an empty file", "a mesh (OBJ, STL or COLLADA)");
    if (r->size > PP_SOURCE_MAX) return pp_complain(r->why, PERP_E_ARG, at, NULL, "more than 256 MiB", "less");
    if (r->size >= 84 && r->size == 84 + (size_t)50 * whole(r->data + 80)) return pp_mesh_read_stl_binary(r);
    bool zeros = memchr(r->data, 0, r->size < 1024 ? r->size : 1024) != NULL;
    if (!zeros && begins_as_xml(r)) return pp_mesh_read_dae(r);
    if (!zeros && begins_with_solid(r)) return pp_mesh_read_stl_text(r);
    if (zeros || ends_in_stl(r->file)) {
        char found[96], allowed[96];
        (void)snprintf(found, sizeof found, "%zu bytes that are no text", r->size);
        if (r->size < 84)
            (void)snprintf(allowed, sizeof allowed, "at least 84 in a binary STL");
        else
            (void)snprintf(allowed, sizeof allowed, "%ju in a binary STL of %u triangles",
                           (uintmax_t)84 + (uintmax_t)50 * whole(r->data + 80), whole(r->data + 80));
        if (!zeros) (void)snprintf(found, sizeof found, "%zu bytes that do not begin with solid", r->size);
        return pp_complain(r->why, PERP_E_ARG, at, NULL, found, allowed);
    }
    return pp_mesh_read_obj(r);
}

static perp_status read_mesh(const perp_allocator *a, const char *file, const char *data, size_t size, bool lenient,
                             pp_mesh *out, perp_refusal *why) {
    memset(out, 0, sizeof *out);
    if (a) out->alloc = *a;
    pp_mesh_reader r = {0};
    r.mesh = out;
    r.why = why;
    r.file = file;
    r.data = data;
    r.size = size;
    r.line = r.column = 1;
    r.lenient = lenient;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) r.at = r.line_start = r.seen = 3; /* a byte order mark */
    perp_status s = PERP_OK;
    if (!PP_GROW(&out->alloc, out->face_start, out->cap_face, 0, 1)) /* zeroed: the first face begins at 0 */
        s = pp_mesh_no_memory(&r);
    if (!s) s = pp_mesh_begin_group(&r);
    if (!s) s = read_any(&r);
    if (!s) s = pp_mesh_begin_group(&r); /* ends the last one */
    if (!s && out->nface == 0)
        s = pp_complain(why, PERP_E_GEOMETRY, (pp_location){file, 0, 0}, NULL, "no faces", "at least one");
    if (!s) drop_unused(&r);
    pp_free(&out->alloc, r.mark);
    pp_free(&out->alloc, r.table);
    if (s) pp_mesh_free(out);
    return s;
}

perp_status pp_mesh_read(const perp_allocator *a, const char *file, const char *data, size_t size, pp_mesh *out,
                         perp_refusal *why) {
    return read_mesh(a, file, data, size, false, out, why);
}

perp_status pp_mesh_read_lenient(const perp_allocator *a, const char *file, const char *data, size_t size, pp_mesh *out,
                                 perp_refusal *why) {
    return read_mesh(a, file, data, size, true, out, why);
}

void pp_mesh_free(pp_mesh *m) {
    if (!m) return;
    pp_free(&m->alloc, m->vertex);
    pp_free(&m->alloc, m->face_start);
    pp_free(&m->alloc, m->face);
    pp_free(&m->alloc, m->group_start);
    memset(m, 0, sizeof *m);
}
