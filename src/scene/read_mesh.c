/* read_mesh.c - convex shapes from mesh files.
 *
 * Problem  A mesh is a surface; the world takes convex bodies. Say whether the mesh is the surface of its convex
 *          hull, or how far it is not.
 * Method   If the middle of a face lies on a plane of the hull, all corners of the face do. So the mesh is convex if
 *          every face's middle lies on the
 *          hull's surface, and covers it if its area is the hull's. Each file is looked at once; scaling keeps
 *          convexity.
 * Valid    to 1e-6 of the size.
 * Cost     faces of the mesh times faces of the hull. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

#define FLAT 1e-6

struct pp_mesh_cache {
    pp_mesh_cache *next;
    int file;
    perp_vec3 *vertex; /* of the hull */
    int nvertex;
    double inside; /* how far a face lies inside the hull at most */
    double area, hull_area, size;
};

void pp_mesh_cache_free(pp_reader *r) {
    while (r->mesh) {
        pp_mesh_cache *m = r->mesh;
        r->mesh = m->next;
        pp_free(r->alloc, m->vertex);
        pp_free(r->alloc, m);
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
static bool measure(const perp_allocator *a, const pp_mesh *m, const perp_shape_view *hull, pp_mesh_cache *out) {
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
        for (int i = 0; i < m->nface_index; i++) used[m->face[i]] = 1;
        for (int i = 0; i < m->nvertex; i++)
            if (used[i]) p[n++] = m->vertex[i];
    }
    pp_free(a, used);
    if (n < 0) pp_free(a, p);
    *out = n < 0 ? NULL : p;
    return n;
}

/* The hull, made by a world of its own, which then forgets it. */
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

static perp_status keep(pp_reader *r, int file, const pp_mesh *m, const perp_shape_view *hull) {
    pp_mesh_cache *c = pp_alloc(r->alloc, sizeof *c);
    perp_vec3 *vertex = pp_alloc(r->alloc, (size_t)hull->def.npoint * sizeof *vertex);
    if (c && vertex) {
        *c = (pp_mesh_cache){.next = r->mesh, .file = file, .vertex = vertex, .nvertex = hull->def.npoint};
        memcpy(vertex, hull->def.points, (size_t)hull->def.npoint * sizeof *vertex);
    }
    if (!c || !vertex || !measure(r->alloc, m, hull, c)) {
        pp_free(r->alloc, c);
        pp_free(r->alloc, vertex);
        return pp_no_memory(r);
    }
    r->mesh = c;
    return PERP_OK;
}

static perp_status look(pp_reader *r, pp_item at, int file, const pp_mesh *m) {
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
    else if (s)
        s = pp_wrong_say(r, s, at, "%s", why);
    else
        s = keep(r, file, m, &hull);
    perp_world_destroy(w);
    return s;
}

perp_status pp_read_mesh(pp_reader *r, const pp_shape_in *in, pp_shape_draft *out) {
    pp_item at = PP_ITEM(in, file);
    int file;
    pp_push_key(r, "file");
    perp_status s = pp_scene_file_read(r, at, &file);
    if (s) return s;
    const pp_mesh_cache *c = r->mesh;
    while (c && c->file != file) c = c->next;
    if (!c) {
        pp_mesh m;
        const pp_scene_file *f = &r->s->file[file];
        memset(&m, 0, sizeof m);
        s = pp_mesh_read(r->alloc, f->path, f->data, f->size, &m, r->why);
        if (s) return s;
        s = look(r, at, file, &m);
        pp_mesh_free(&m);
        if (s) return s;
        c = r->mesh;
    }
    if (!in->hull && !(c->inside <= FLAT * c->size))
        return pp_wrong_say(r, PERP_E_GEOMETRY, at,
                            "found a mesh that is not convex: a face lies %.3g inside its convex hull; allowed: a "
                            "convex mesh, or hull: true",
                            c->inside);
    if (!in->hull && !(fabs(c->area - c->hull_area) <= FLAT * c->hull_area))
        return pp_wrong_say(r, PERP_E_GEOMETRY, at,
                            "found a mesh whose faces have the area %.6g, while its convex hull has %.6g; allowed: a "
                            "closed surface, or hull: true",
                            c->area, c->hull_area);
    pp_pop(r);
    perp_vec3 scale = in->scale.n == 3 ? perp_v3(in->scale.v[0], in->scale.v[1], in->scale.v[2])
                                       : perp_v3(in->scale.v[0], in->scale.v[0], in->scale.v[0]);
    if (scale.x == 0 || scale.y == 0 || scale.z == 0) {
        pp_push_key(r, "scale");
        return pp_wrong(r, PP_ITEM(in, scale), "a factor of 0", "factors that are not 0");
    }
    out->first = r->npoints;
    perp_vec3 *p = pp_more_points(r, c->nvertex);
    if (!p) return PERP_E_MEMORY;
    for (int i = 0; i < c->nvertex; i++)
        p[i] = perp_v3(scale.x * c->vertex[i].x, scale.y * c->vertex[i].y, scale.z * c->vertex[i].z);
    out->def = perp_shape_polyhedron(NULL, c->nvertex);
    return PERP_OK;
}
