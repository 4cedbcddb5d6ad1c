/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_mesh.c - triangles and lines of every kind of shape
 * Method   flat faces become fans of triangles with the face's normal; surfaces with the topology of a ball become a
 *          grid of rings about the x axis, each vertex with the normal of the true surface.
 * Cost     proportional to faces, or to the square of the detail. */
#include "render/render_mesh.h"

#define PI 3.14159265358979323846

/* Room for what a mesh will hold; counts start at 0. */
static bool make_room(pp_arena *arena, render_mesh *m, int vertices, int triangles, int edges) {
    *m = (render_mesh){.vertex = PP_ARENA_ARRAY(arena, render_vertex, vertices),
                       .edge = PP_ARENA_ARRAY(arena, render_edge, edges)};
    m->triangle = pp_arena_get(arena, (size_t)(triangles > 0 ? triangles : 1) * sizeof *m->triangle);
    return m->vertex && m->edge && m->triangle;
}

static void add_triangle(render_mesh *m, int a, int b, int c) {
    int *t = m->triangle[m->ntriangle++];
    t[0] = a, t[1] = b, t[2] = c;
}

/* ---- flat faces ---- */

static perp_vec3 corner(const perp_recorded_shape *s, int k) {
    return perp_v3(s->vertex[3 * k], s->vertex[3 * k + 1], s->vertex[3 * k + 2]);
}

/* Normal of a face by Newell's sum, which is valid also if corners lie on a line. */
static perp_vec3 face_normal(const perp_recorded_shape *s, int f) {
    perp_vec3 n = {0, 0, 0};
    int first = s->face_start[f], end = s->face_start[f + 1];
    for (int i = first; i < end; i++) {
        perp_vec3 a = corner(s, s->face[i]), b = corner(s, s->face[i + 1 < end ? i + 1 : first]);
        n = perp_v3_add(n, perp_v3_cross(a, b));
    }
    return perp_v3_unit(n);
}

/* Faces around each corner, and all their normals. */
typedef struct vicinity {
    const perp_recorded_shape *s;
    int *first, *face; /* of corner v: face[first[v]] to face[first[v + 1] - 1] */
    perp_vec3 *normal; /* of each face */
} vicinity;

static bool look_around(pp_arena *arena, const perp_recorded_shape *s, vicinity *a) {
    int corners = s->face_start[s->nface];
    *a = (vicinity){s, PP_ARENA_ZERO(arena, int, s->nvertex + 2), PP_ARENA_ARRAY(arena, int, corners),
                    PP_ARENA_ARRAY(arena, perp_vec3, s->nface)};
    if (!a->first || !a->face || !a->normal) return false;
    for (int i = 0; i < corners; i++) a->first[s->face[i] + 2]++;
    for (int v = 0; v < s->nvertex; v++) a->first[v + 2] += a->first[v + 1];
    for (int f = 0; f < s->nface; f++) { /* first[v + 1] runs from the begin of v to its end */
        a->normal[f] = face_normal(s, f);
        for (int i = s->face_start[f]; i < s->face_start[f + 1]; i++) a->face[a->first[s->face[i] + 1]++] = f;
    }
    return true;
}

/* The face that has the edge from b to a; -1 if none has. */
static int face_beyond(const vicinity *r, int a, int b) {
    const perp_recorded_shape *s = r->s;
    for (int k = r->first[b]; k < r->first[b + 1]; k++)
        for (int f = r->face[k], first = s->face_start[f], end = s->face_start[f + 1], i = first; i < end; i++)
            if (s->face[i] == b && s->face[i + 1 < end ? i + 1 : first] == a) return f;
    return -1;
}

/* The normal at a corner of a face: the mean over those around the corner that hardly turn away from it. */
static perp_vec3 corner_normal(const vicinity *r, int face, int v, double crease) {
    perp_vec3 sum = {0, 0, 0}, n = r->normal[face];
    for (int k = r->first[v]; k < r->first[v + 1]; k++)
        if (perp_v3_dot(n, r->normal[r->face[k]]) > crease) sum = perp_v3_add(sum, r->normal[r->face[k]]);
    return perp_v3_unit(sum);
}

/* Faces that meet at an angle with a cosine above `crease` are one smooth surface, without a line between them. */
static bool make_surface(pp_arena *arena, const perp_recorded_shape *s, double crease, render_mesh *m) {
    int corners = s->nface > 0 ? s->face_start[s->nface] : 0;
    vicinity r;
    if (!make_room(arena, m, corners, corners, corners)) return false;
    if (corners == 0) return true;
    if (!look_around(arena, s, &r)) return false;
    m->curved = crease < 1;
    for (int f = 0; f < s->nface; f++) {
        int first = s->face_start[f], end = s->face_start[f + 1], base = m->nvertex;
        for (int i = first; i < end; i++) {
            int a = s->face[i], b = s->face[i + 1 < end ? i + 1 : first];
            perp_vec3 n = m->curved ? corner_normal(&r, f, a, crease) : r.normal[f];
            m->vertex[m->nvertex++] = (render_vertex){corner(s, a), n};
            if (i >= first + 2) add_triangle(m, base, base + i - first - 1, base + i - first);
            int other = a < b ? face_beyond(&r, a, b) : -1; /* each edge once */
            if (other >= 0 && !(perp_v3_dot(r.normal[f], r.normal[other]) > crease))
                m->edge[m->nedge++] = (render_edge){{corner(s, a), corner(s, b)}, {r.normal[f], r.normal[other]}, 1};
        }
    }
    return true;
}

static bool make_faces(pp_arena *arena, const perp_recorded_shape *s, int detail, render_mesh *m) {
    (void)detail;
    return make_surface(arena, s, 2, m);
}

/* Curved shapes that are recorded as a mesh: edges sharper than 35 degrees are drawn as edges. */
static bool make_smooth(pp_arena *arena, const perp_recorded_shape *s, int detail, render_mesh *m) {
    (void)detail;
    return make_surface(arena, s, 0.82, m);
}

/* ---- surfaces with the topology of a ball ---- */

/* A point of the unit sphere about the x axis, and the row it is in, onto the surface. */
typedef render_vertex (*onto)(const perp_recorded_shape *s, perp_vec3 u, bool positive_half);

/* Vertices of a ring: so that poles, middle and quarters are among them. */
static int ring_size(int detail) { return detail < 8 ? 8 : (detail + 3) / 4 * 4; }

/* Rings about the x axis from +x to -x. The middle ring is made twice, once for each half, so that the halves may be
 * apart. */
static bool make_rings(pp_arena *arena, const perp_recorded_shape *s, int detail, onto f, render_mesh *m) {
    int around = ring_size(detail), half = around / 4, rows = 2 * (half + 1);
    if (!make_room(arena, m, rows * around, 2 * (rows - 1) * around, 2 * around)) return false;
    m->curved = true;
    for (int row = 0; row < rows; row++) {
        bool positive = row <= half;
        double theta = PI / 2 * (positive ? row : row - 1) / half;
        for (int k = 0; k < around; k++) {
            double phi = 2 * PI * k / around;
            perp_vec3 u = perp_v3(cos(theta), sin(theta) * cos(phi), sin(theta) * sin(phi));
            m->vertex[m->nvertex++] = f(s, u, positive);
        }
    }
    for (int row = 0; row + 1 < rows; row++)
        for (int k = 0; k < around; k++) {
            int a = row * around + k, b = row * around + (k + 1) % around, c = a + around, d = b + around;
            if (row > 0) add_triangle(m, a, c, b); /* at the poles one of the two has no area */
            if (row + 2 < rows) add_triangle(m, b, c, d);
        }
    return true;
}

/* A mark along one of the rings. */
static void mark_ring(render_mesh *m, int around, int ring, double weight) {
    for (int k = 0; k < around; k++) {
        const render_vertex *a = &m->vertex[ring * around + k], *b = &m->vertex[ring * around + (k + 1) % around];
        m->edge[m->nedge++] = (render_edge){{a->p, b->p}, {a->n, b->n}, weight};
    }
}

static render_vertex on_sphere(const perp_recorded_shape *s, perp_vec3 u, bool positive) {
    (void)positive;
    return (render_vertex){perp_v3_scale(s->radius, u), u};
}

static bool make_sphere(pp_arena *arena, const perp_recorded_shape *s, int detail, render_mesh *m) {
    if (!make_rings(arena, s, detail, on_sphere, m)) return false;
    mark_ring(m, ring_size(detail), ring_size(detail) / 4, 0.45); /* the equator: shows that it rolls */
    return true;
}

static render_vertex on_capsule(const perp_recorded_shape *s, perp_vec3 u, bool positive) {
    perp_vec3 p = perp_v3_scale(s->radius, u);
    p.x += positive ? s->half_length : -s->half_length;
    return (render_vertex){p, u};
}

static bool make_capsule(pp_arena *arena, const perp_recorded_shape *s, int detail, render_mesh *m) {
    return make_rings(arena, s, detail, on_capsule, m);
}

static bool make_nothing(pp_arena *arena, const perp_recorded_shape *s, int detail, render_mesh *m) {
    (void)s, (void)detail;
    return make_room(arena, m, 0, 0, 0);
}

/* ---- the table; what is not in it is drawn by the mesh that the recording has of it ---- */

static bool (*const maker[PERP_SHAPE_KIND_COUNT])(pp_arena *, const perp_recorded_shape *, int, render_mesh *) = {
    [PERP_SHAPE_PARTICLE] = make_nothing, [PERP_SHAPE_SPHERE] = make_sphere,   [PERP_SHAPE_HALFSPACE] = make_nothing,
    [PERP_SHAPE_BOX] = make_faces,        [PERP_SHAPE_POLYGON] = make_nothing, [PERP_SHAPE_POLYHEDRON] = make_faces,
    [PERP_SHAPE_CAPSULE] = make_capsule,
};

bool render_mesh_make(pp_arena *arena, const perp_recorded_shape *s, int detail, render_mesh *out) {
    bool known = (int)s->kind >= 0 && s->kind < PERP_SHAPE_KIND_COUNT && maker[s->kind];
    return (known ? maker[s->kind] : make_smooth)(arena, s, detail, out);
}

int render_mesh_detail(double radius_px) {
    if (!(radius_px > 1)) return 8;
    double n = PI / acos(1 - fmin(0.12 / radius_px, 0.5)); /* chords leave the circle by 0.12 pixels */
    return n < 12 ? 12 : n > 160 ? 160 : (int)ceil(n);
}

/* ---- 2D ---- */

int render_outline_make(pp_arena *arena, const perp_recorded_shape *s, int detail, perp_vec3 **points) {
    bool round = s->kind == PERP_SHAPE_SPHERE || s->kind == PERP_SHAPE_CAPSULE;
    if (s->kind == PERP_SHAPE_HALFSPACE || s->kind == PERP_SHAPE_PARTICLE) return *points = NULL, 0;
    int half = detail < 8 ? 4 : (detail + 1) / 2, n = round ? 2 * (half + 1) : s->nvertex;
    perp_vec3 *p = *points = PP_ARENA_ARRAY(arena, perp_vec3, n);
    if (!p) return -1;
    for (int i = 0; i < n; i++) {
        if (!round) {
            p[i] = corner(s, i);
            continue;
        }
        bool right = i <= half;
        double phi = -PI / 2 + PI * (right ? i : i - 1) / half,
               shift = s->kind == PERP_SHAPE_CAPSULE ? s->half_length : 0;
        p[i] = perp_v3(s->radius * cos(phi) + (right ? shift : -shift), s->radius * sin(phi), 0);
    }
    return n;
}

/* ---- sizes ---- */

int render_cover(const perp_recorded_shape *s, perp_vec3 *centre_S, double *radius, int max) {
    if (s->kind == PERP_SHAPE_HALFSPACE || max < 1) return 0;
    if (s->kind == PERP_SHAPE_CAPSULE && max >= 2) {
        for (int i = 0; i < 2; i++) {
            centre_S[i] = perp_v3(i ? s->half_length : -s->half_length, 0, 0);
            radius[i] = s->radius;
        }
        return 2;
    }
    if (s->nvertex > 0 && s->nvertex <= max) {
        for (int i = 0; i < s->nvertex; i++) centre_S[i] = corner(s, i), radius[i] = 0;
        return s->nvertex;
    }
    centre_S[0] = perp_v3(0, 0, 0);
    radius[0] = render_reach(s);
    return 1;
}

double render_reach(const perp_recorded_shape *s) {
    double r = 0;
    for (int i = 0; i < s->nvertex; i++) r = fmax(r, perp_v3_norm(corner(s, i)));
    if (s->kind == PERP_SHAPE_SPHERE || s->kind == PERP_SHAPE_CAPSULE) r = s->radius;
    return s->kind == PERP_SHAPE_CAPSULE ? r + s->half_length : r;
}
