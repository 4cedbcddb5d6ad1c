/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_mesh.c - shapes from mesh files: a convex mesh, a mesh of convex groups, or a closed mesh cut into convex parts.
 *
 * Problem  A mesh is a surface; shapes of the world are convex. Determine whether the mesh is the surface of its convex hull, and
 *          the largest deviation if not.
 * Method   If the middle of a face lies on a plane of the hull, all corners of the face do. So the mesh is convex if
 *          every face's middle lies on the
 *          hull's surface, and covers it if its area is the hull's. Groups are looked at one by one; cutting is
 *          perp_mesh_parts(). Each file is looked at once for each way to take it apart; scaling keeps convexity.
 * Valid    to 1e-6 of the size.
 * Cost     faces of the mesh times faces of the hull. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

#define FLAT 1e-6

/* A convex part as found in the file. */
typedef struct piece {
    int first, n;  /* its vertices */
    double inside; /* how far a face lies inside the hull at most */
    double area, hull_area, size;
} piece;

struct pp_mesh_cache {
    pp_mesh_cache *next;
    int file, parts;   /* PP_PARTS_... */
    perp_vec3 *vertex; /* of the hulls */
    int nvertex, cap_vertex;
    piece *piece;
    int npiece, cap_piece;
    perp_mass whole; /* cut: of unit density */
};

static void cache_free(const perp_allocator *a, pp_mesh_cache *m) {
    pp_free(a, m->vertex);
    pp_free(a, m->piece);
    pp_free(a, m);
}

void pp_mesh_cache_free(pp_reader *r) {
    while (r->mesh) {
        pp_mesh_cache *m = r->mesh;
        r->mesh = m->next;
        cache_free(r->alloc, m);
    }
}

/* Twice the area of a polygon in space, along its normal. */
static perp_vec3 area(const perp_vec3 *vertex, const int *corner, int n) {
    perp_vec3 sum = {0, 0, 0};
    for (int i = 1; i + 1 < n; i++)
        sum = perp_v3_add(sum, perp_v3_cross(perp_v3_sub(vertex[corner[i]], vertex[corner[0]]),
                                             perp_v3_sub(vertex[corner[i + 1]], vertex[corner[0]])));
    return sum;
}

static perp_vec3 middle(const perp_vec3 *vertex, const int *corner, int n) {
    perp_vec3 m = {0, 0, 0};
    for (int i = 0; i < n; i++) m = perp_v3_axpy(m, 1.0 / n, vertex[corner[i]]);
    return m;
}

typedef struct plane {
    perp_vec3 n;
    double d;
} plane;

/* hull: as the world keeps it, with outward faces. False if memory is refused. */
static bool measure(const perp_allocator *a, const pp_mesh *m, const perp_shape_view *hull, piece *out) {
    const perp_vec3 *p = hull->def.points;
    plane *face = pp_alloc(a, (size_t)hull->nface * sizeof *face);
    if (!face) return false;
    for (int k = 0; k < hull->nface; k++) {
        const int *corner = hull->face + hull->face_start[k];
        int n = hull->face_start[k + 1] - hull->face_start[k];
        perp_vec3 twice = area(p, corner, n);
        face[k].n = perp_v3_unit(twice);
        face[k].d = perp_v3_dot(face[k].n, middle(p, corner, n));
        out->hull_area += perp_v3_norm(twice) / 2;
    }
    for (int f = 0; f < m->nface; f++) {
        const int *corner = m->face + m->face_start[f];
        int n = m->face_start[f + 1] - m->face_start[f];
        perp_vec3 mid = middle(m->vertex, corner, n);
        double depth = INFINITY;
        for (int k = 0; k < hull->nface && depth > 0; k++) depth = fmin(depth, face[k].d - perp_v3_dot(face[k].n, mid));
        if (depth > out->inside) out->inside = depth;
        out->area += perp_v3_norm(area(m->vertex, corner, n)) / 2;
    }
    for (int i = 0; i < hull->def.npoint; i++) out->size = fmax(out->size, perp_v3_norm(perp_v3_sub(p[i], p[0])));
    pp_free(a, face);
    return true;
}

/* The corners that faces use, each once. */
static int used_corners(const perp_allocator *a, const pp_mesh *m, perp_vec3 **out) {
    unsigned char *used = pp_alloc(a, (size_t)m->nvertex + 1);
    perp_vec3 *p = pp_alloc(a, (size_t)(m->nvertex + 1) * sizeof *p);
    int n = -1;
    if (used && p) {
        memset(used, 0, (size_t)m->nvertex + 1);
        n = 0;
        for (int i = m->face_start[0]; i < m->face_start[m->nface]; i++) used[m->face[i]] = 1;
        for (int i = 0; i < m->nvertex; i++)
            if (used[i]) p[n++] = m->vertex[i];
    }
    pp_free(a, used);
    if (n < 0) pp_free(a, p);
    *out = n < 0 ? NULL : p;
    return n;
}

/* The hull, made by a temporary world. */
static perp_status hull_of(pp_reader *r, const perp_vec3 *corner, int n, perp_world **w, perp_shape_view *out,
                           char *why, size_t size) {
    perp_world_def def = perp_world_def_default(3);
    def.alloc = *r->alloc;
    perp_status s = perp_world_create_why(&def, w, why, size);
    if (s) return s;
    perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_shape_def d = perp_shape_polyhedron(corner, n);
    perp_body_id body;
    perp_shape_id shape;
    s = perp_body_add(*w, &b, &body);
    if (!s) s = perp_shape_add(*w, body, &d, &shape);
    if (!s) return perp_shape_get(*w, shape, out);
    (void)snprintf(why, size, "%s", perp_world_why(*w));
    return s;
}

/* Room for a piece of n vertices more; NULL without memory. */
static piece *more(pp_reader *r, pp_mesh_cache *c, int n) {
    if (!PP_GROW(r->alloc, c->vertex, c->cap_vertex, c->nvertex, c->nvertex + n) ||
        !PP_GROW(r->alloc, c->piece, c->cap_piece, c->npiece, c->npiece + 1)) {
        (void)pp_no_memory(r);
        return NULL;
    }
    piece *p = &c->piece[c->npiece++];
    *p = (piece){.first = c->nvertex, .n = n};
    c->nvertex += n;
    return p;
}

static perp_status keep(pp_reader *r, const pp_mesh *m, const perp_shape_view *hull, pp_mesh_cache *c) {
    piece *p = more(r, c, hull->def.npoint);
    if (!p) return PERP_E_MEMORY;
    memcpy(c->vertex + p->first, hull->def.points, (size_t)p->n * sizeof *c->vertex);
    return measure(r->alloc, m, hull, p) ? PERP_OK : pp_no_memory(r);
}

/* The faces of m as one convex part. */
static perp_status look(pp_reader *r, pp_item at, const pp_mesh *m, pp_mesh_cache *c) {
    perp_vec3 *corner;
    int n = used_corners(r->alloc, m, &corner);
    if (n < 0) return pp_no_memory(r);
    if (n > PP_SCENE_POINTS) {
        pp_free(r->alloc, corner);
        return pp_wrong_say(r, PERP_E_ARG, at, "found a mesh with %d corners; allowed: at most %d", n, PP_SCENE_POINTS);
    }
    char why[256] = "";
    perp_world *w = NULL;
    perp_shape_view hull = {0};
    perp_status s = hull_of(r, corner, n, &w, &hull, why, sizeof why);
    pp_free(r->alloc, corner);
    if (s == PERP_E_MEMORY)
        s = pp_no_memory(r);
    else if (s && c->parts == PP_PARTS_GROUPS)
        s = pp_wrong_say(r, s, at, "group %d: %s", c->npiece + 1, why);
    else if (s)
        s = pp_wrong_say(r, s, at, "%s", why);
    else
        s = keep(r, m, &hull, c);
    perp_world_destroy(w);
    return s;
}

static perp_status look_at_groups(pp_reader *r, pp_item at, const pp_mesh *m, pp_mesh_cache *c) {
    perp_status s = PERP_OK;
    for (int g = 0; g < m->ngroup && !s; g++) {
        pp_mesh part = *m; /* borrows */
        part.face_start = m->face_start + m->group_start[g];
        part.nface = m->group_start[g + 1] - m->group_start[g];
        s = look(r, at, &part, c);
    }
    return s;
}

static perp_status cut(pp_reader *r, pp_item at, const pp_mesh *m, pp_mesh_cache *c) {
    char why[320] = "";
    perp_surface surface = {m->vertex, m->nvertex, m->face_start, m->face, m->nface};
    perp_parts parts;
    perp_status s = perp_mesh_parts(&surface, r->alloc, &parts, why, sizeof why);
    if (!s) s = perp_mesh_mass(&surface, 1, &c->whole, why, sizeof why);
    if (s == PERP_E_MEMORY) return pp_no_memory(r);
    if (s) return pp_wrong_say(r, s, at, "%s", why);
    for (int k = 0; k < parts.npart && !s; k++) {
        piece *p = more(r, c, parts.start[k + 1] - parts.start[k]);
        if (!p) s = PERP_E_MEMORY;
        if (p) memcpy(c->vertex + p->first, parts.point + parts.start[k], (size_t)p->n * sizeof *c->vertex);
    }
    perp_parts_free(&parts);
    return s;
}

/* What the file holds, from the cache or newly read. */
static perp_status find(pp_reader *r, pp_item at, int file, int parts, const pp_mesh_cache **out) {
    for (*out = r->mesh; *out; *out = (*out)->next)
        if ((*out)->file == file && (*out)->parts == parts) return PERP_OK;
    pp_mesh m;
    const pp_scene_file *f = &r->s->file[file];
    memset(&m, 0, sizeof m);
    perp_status s = pp_mesh_read(r->alloc, f->path, f->data, f->size, &m, r->why);
    if (s) return s;
    pp_mesh_cache *c = pp_alloc(r->alloc, sizeof *c);
    if (!c) {
        pp_mesh_free(&m);
        return pp_no_memory(r);
    }
    *c = (pp_mesh_cache){.file = file, .parts = parts};
    s = parts == PP_PARTS_CUT      ? cut(r, at, &m, c)
        : parts == PP_PARTS_GROUPS ? look_at_groups(r, at, &m, c)
                                   : look(r, at, &m, c);
    pp_mesh_free(&m);
    if (s) {
        cache_free(r->alloc, c);
        return s;
    }
    c->next = r->mesh;
    r->mesh = c;
    *out = c;
    return PERP_OK;
}

static perp_status check_convex(pp_reader *r, pp_item at, const pp_mesh_cache *c) {
    for (int k = 0; k < c->npiece; k++) {
        const piece *p = &c->piece[k];
        char what[48] = "a mesh";
        if (c->parts == PP_PARTS_GROUPS) (void)snprintf(what, sizeof what, "a mesh with a group, number %d,", k + 1);
        if (!(p->inside <= FLAT * p->size))
            return pp_wrong_say(r, PERP_E_GEOMETRY, at,
                                "found %s that is not convex: a face lies %.3g inside its convex hull; allowed: a "
                                "convex %s, parts: cut%s, or hull: true",
                                what, p->inside, c->parts == PP_PARTS_GROUPS ? "group" : "mesh",
                                c->parts == PP_PARTS_GROUPS ? "" : " or groups");
        if (!(fabs(p->area - p->hull_area) <= FLAT * p->hull_area))
            return pp_wrong_say(r, PERP_E_GEOMETRY, at,
                                "found %s whose faces have the area %.6g, while its convex hull has %.6g; allowed: a "
                                "closed surface, or hull: true",
                                what, p->area, p->hull_area);
    }
    return PERP_OK;
}

/* Mass of unit density after x -> D x, D diagonal: second moments C scale with both of their axes. */
static perp_mass stretched(perp_mass m, perp_vec3 D) {
    double det = fabs(D.x * D.y * D.z), half = (m.I_B.c[0].x + m.I_B.c[1].y + m.I_B.c[2].z) / 2;
    double xx = D.x * D.x * det * (half - m.I_B.c[0].x), yy = D.y * D.y * det * (half - m.I_B.c[1].y),
           zz = D.z * D.z * det * (half - m.I_B.c[2].z), xy = D.x * D.y * det * m.I_B.c[0].y,
           xz = D.x * D.z * det * m.I_B.c[0].z, yz = D.y * D.z * det * m.I_B.c[1].z;
    perp_mass out = {det * m.mass,
                     {D.x * m.com_B.x, D.y * m.com_B.y, D.z * m.com_B.z},
                     {{{yy + zz, xy, xz}, {xy, xx + zz, yz}, {xz, yz, xx + yy}}}};
    return out;
}

/* The vertices of the pieces, scaled, into points. */
static void scaled(const pp_mesh_cache *c, perp_vec3 scale, perp_vec3 *p) {
    for (int i = 0; i < c->nvertex; i++)
        p[i] = perp_v3(scale.x * c->vertex[i].x, scale.y * c->vertex[i].y, scale.z * c->vertex[i].z);
}

static perp_status hand_parts(pp_reader *r, const pp_mesh_cache *c, perp_vec3 scale, pp_shape_parts *out) {
    out->list.alloc = *r->alloc;
    out->list.start = pp_alloc(r->alloc, (size_t)(c->npiece + 1) * sizeof *out->list.start);
    out->list.point = pp_alloc(r->alloc, (size_t)c->nvertex * sizeof *out->list.point);
    if (!out->list.start || !out->list.point) return pp_no_memory(r);
    for (int k = 0; k < c->npiece; k++) out->list.start[k] = c->piece[k].first; /* one after the other */
    out->list.start[c->npiece] = c->nvertex;
    out->list.npart = c->npiece;
    scaled(c, scale, out->list.point);
    out->has_whole = c->parts == PP_PARTS_CUT;
    if (out->has_whole) out->whole = stretched(c->whole, scale);
    return PERP_OK;
}

perp_status pp_read_mesh(pp_reader *r, const pp_shape_in *in, pp_shape_draft *out, pp_shape_parts *parts) {
    pp_item at = PP_ITEM(in, file);
    int file;
    if (in->hull && in->mesh_parts == PP_PARTS_CUT) {
        pp_push_key(r, "hull");
        return pp_wrong(r, PP_ITEM(in, hull), "hull: true beside parts: cut", "one of the two");
    }
    pp_push_key(r, "file");
    perp_status s = pp_scene_file_read(r, at, &file);
    if (s) return s;
    const pp_mesh_cache *c;
    s = find(r, at, file, in->mesh_parts, &c);
    if (!s && !in->hull && in->mesh_parts != PP_PARTS_CUT) s = check_convex(r, at, c);
    if (s) return s;
    pp_pop(r);
    perp_vec3 scale = in->scale.n == 3 ? perp_v3(in->scale.v[0], in->scale.v[1], in->scale.v[2])
                                       : perp_v3(in->scale.v[0], in->scale.v[0], in->scale.v[0]);
    if (scale.x == 0 || scale.y == 0 || scale.z == 0) {
        pp_push_key(r, "scale");
        return pp_wrong(r, PP_ITEM(in, scale), "a factor of 0", "factors that are not 0");
    }
    if (in->mesh_parts != PP_PARTS_ONE) return hand_parts(r, c, scale, parts);
    out->first = r->npoints;
    perp_vec3 *p = pp_more_points(r, c->nvertex);
    if (!p) return PERP_E_MEMORY;
    scaled(c, scale, p);
    out->def = perp_shape_polyhedron(NULL, c->nvertex);
    return PERP_OK;
}
