/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* geom_mass.c - meshes of a model, and the mass of its geoms.
 *
 * A closed mesh has the mass of its volume; an open one has the mass of its hull, with a note if the mass is used. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/model/robot.h"

#define PI 3.14159265358979323846

/* The mesh into the frame of the geom: scaled, then out of its own frame. */
static bool transform(pp_model_mesh *mesh) {
    perp_vec3 f = mesh->scale;
    for (int i = 0; i < mesh->mesh.nvertex; i++) {
        perp_vec3 v = mesh->mesh.vertex[i];
        v = perp_pose_unapply(mesh->ref, perp_v3(f.x * v.x, f.y * v.y, f.z * v.z));
        if (!perp_v3_finite(v)) return false;
        mesh->mesh.vertex[i] = v;
    }
    return true;
}

/* Reverses the faces of a mesh that is mirrored by an odd number of negative factors. */
static void turn_faces(pp_mesh *g) {
    for (int f = 0; f < g->nface; f++)
        for (int i = g->face_start[f], k = g->face_start[f + 1] - 1; i < k; i++, k--) {
            int x = g->face[i];
            g->face[i] = g->face[k];
            g->face[k] = x;
        }
}

static perp_status hull_mass(pp_import *m, pp_model_mesh *mesh) {
    perp_shape_def d = perp_shape_polyhedron(mesh->hull, mesh->nhull);
    char why[200];
    perp_status s = perp_shape_mass(&d, 3, 1, &mesh->whole, why, sizeof why);
    return s == PERP_E_MEMORY ? pp_robot_no_memory(m) : s ? pp_robot_say(m, s, mesh->at, "%s", why) : PERP_OK;
}

/* Mass of the surface, per area: triangles have the second moments area/12 (sum of v v' over the corners + s s'), s their sum. */
static perp_mass surface_mass(const pp_mesh *g) {
    double area = 0, C[6] = {0}; /* xx, yy, zz, xy, xz, yz */
    perp_vec3 first = {0, 0, 0};
    for (int f = 0; f < g->nface; f++)
        for (int i = g->face_start[f] + 1; i + 1 < g->face_start[f + 1]; i++) {
            const perp_vec3 v[] = {g->vertex[g->face[g->face_start[f]]], g->vertex[g->face[i]],
                                   g->vertex[g->face[i + 1]]};
            double a = perp_v3_norm(perp_v3_cross(perp_v3_sub(v[1], v[0]), perp_v3_sub(v[2], v[0]))) / 2;
            perp_vec3 s = perp_v3_add(v[0], perp_v3_add(v[1], v[2]));
            area += a;
            first = perp_v3_axpy(first, a / 3, s);
            for (int k = 0; k < 4; k++) {
                perp_vec3 x = k < 3 ? v[k] : s;
                const double part[] = {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
                for (int n = 0; n < 6; n++) C[n] += a / 12 * part[n];
            }
        }
    if (!(area > 0)) return (perp_mass){0};
    perp_vec3 c = perp_v3_scale(1 / area, first);
    const double shift[] = {c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.x * c.z, c.y * c.z};
    for (int n = 0; n < 6; n++) C[n] -= area * shift[n];
    const double I[] = {C[1] + C[2], C[0] + C[2], C[0] + C[1], -C[3], -C[4], -C[5]};
    return (perp_mass){area, c, pp_inertia_of(I)};
}

perp_status pp_model_need_mesh(pp_import *m, int index) {
    pp_model_mesh *mesh = &m->model.mesh[index];
    if (mesh->read) return PERP_OK;
    perp_status s = PERP_OK;
    if (mesh->path) {
        char *data = NULL;
        size_t size = 0;
        perp_refusal why = {0};
        s = pp_source_read(&m->alloc, mesh->path, mesh->path, &data, &size, &why);
        if (!s) s = pp_mesh_read_lenient(&m->alloc, mesh->path, data, size, &mesh->mesh, &why);
        pp_free(&m->alloc, data);
        if (s == PERP_E_MEMORY) return pp_robot_no_memory(m);
        if (s) return pp_robot_say(m, s, mesh->at, "%s", why.text);
    }
    if (!transform(mesh)) return pp_robot_say(m, PERP_E_ARG, mesh->at, "the mesh is too large: a vertex is not finite");
    if (mesh->scale.x * mesh->scale.y * mesh->scale.z < 0) turn_faces(&mesh->mesh);
    s = pp_robot_hull(m, mesh);
    if (s) return s;
    const pp_mesh *g = &mesh->mesh;
    if (mesh->shell && g->nface > 0) {
        mesh->whole = surface_mass(g);
        mesh->closed = mesh->read = true;
        pp_mesh_free(&mesh->mesh);
        return PERP_OK;
    }
    perp_surface surface = {g->vertex, g->nvertex, g->face_start, g->face, g->nface};
    s = perp_mesh_mass(&surface, 1, &mesh->whole, NULL, 0);
    if (s == PERP_E_MEMORY) return pp_robot_no_memory(m);
    mesh->closed = !s;
    s = mesh->closed ? PERP_OK : hull_mass(m, mesh);
    mesh->read = !s;
    pp_mesh_free(&mesh->mesh); /* only the hull is needed from here on */
    return s;
}

/* Mass of unit density about the geom's own origin, axes as MuJoCo has them: capsules and cylinders along z. */
static perp_mass solid(const pp_model_geom *g) {
    const double *s = g->size;
    double r = s[0], h = s[1], m, x, z;
    switch (g->kind) {
    case PP_GEOM_SPHERE: s = (const double[]){r, r, r}; /* fall through */
    case PP_GEOM_ELLIPSOID:
        m = 4 * PI / 3 * s[0] * s[1] * s[2];
        return (perp_mass){m,
                           {0, 0, 0},
                           perp_m3_diag(m / 5 * (s[1] * s[1] + s[2] * s[2]), m / 5 * (s[0] * s[0] + s[2] * s[2]),
                                        m / 5 * (s[0] * s[0] + s[1] * s[1]))};
    case PP_GEOM_BOX:
        m = 8 * s[0] * s[1] * s[2];
        return (perp_mass){m,
                           {0, 0, 0},
                           perp_m3_diag(m / 3 * (s[1] * s[1] + s[2] * s[2]), m / 3 * (s[0] * s[0] + s[2] * s[2]),
                                        m / 3 * (s[0] * s[0] + s[1] * s[1]))};
    case PP_GEOM_CYLINDER:
        m = PI * r * r * 2 * h;
        x = m * (3 * r * r + 4 * h * h) / 12;
        return (perp_mass){m, {0, 0, 0}, perp_m3_diag(x, x, m * r * r / 2)};
    case PP_GEOM_CAPSULE: {
        double side = PI * r * r * 2 * h, ends = 4 * PI / 3 * r * r * r, l = 2 * h;
        z = side * r * r / 2 + ends * 2 * r * r / 5;
        x = side * (3 * r * r + l * l) / 12 + ends * (2 * r * r / 5 + 3 * r * l / 8 + l * l / 4);
        return (perp_mass){side + ends, {0, 0, 0}, perp_m3_diag(x, x, z)};
    }
    default: return (perp_mass){0};
    }
}

perp_status pp_robot_geom_mass(pp_import *m, const pp_model_geom *g, perp_mass *out) {
    perp_mass unit = {0};
    if (g->kind == PP_GEOM_MESH) {
        perp_status s = pp_model_need_mesh(m, g->mesh);
        if (s) return s;
        const pp_model_mesh *mesh = &m->model.mesh[g->mesh];
        unit = mesh->whole;
        if (!mesh->closed) {
            s = pp_robot_note(m, PERP_IMPORT_APPROXIMATED, g->at,
                              "mesh %s is not a closed surface: its mass is that of its convex hull", mesh->name);
            if (s) return s;
        }
    } else {
        unit = solid(g);
    }
    *out = (perp_mass){0};
    if (!(unit.mass > 0)) return PERP_OK;
    double density = g->mass >= 0 ? g->mass / unit.mass : g->density;
    unit.mass *= density;
    unit.I_B = perp_m3_scale(density, unit.I_B);
    *out = perp_mass_move(g->X_B, unit);
    return PERP_OK;
}

int pp_robot_ellipsoid(const double *half, perp_vec3 *out, double *error) {
    /* Corners of an icosahedron and the middles of its edges, put on the sphere. */
    const double g = 1.6180339887498949;
    perp_vec3 c[12];
    int n = 0;
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 4; s++) {
            double a = s & 1 ? 1 : -1, b = s & 2 ? g : -g;
            c[n++] = perp_v3_unit(k == 0 ? perp_v3(0, a, b) : k == 1 ? perp_v3(a, b, 0) : perp_v3(b, 0, a));
        }
    for (int i = 0; i < 12; i++) out[i] = c[i];
    for (int i = 0; i < 12; i++)
        for (int k = i + 1; k < 12; k++)
            if (perp_v3_dot(c[i], c[k]) > 0.4 && n < PP_ELLIPSOID_POINTS)
                out[n++] = perp_v3_unit(perp_v3_add(c[i], c[k]));
    /* The widest face of this polyhedron lies 0.0659 of the radius below the sphere (computed from its corners). */
    double most = fmax(half[0], fmax(half[1], half[2]));
    *error = 0.0659 * most;
    for (int i = 0; i < n; i++) out[i] = perp_v3(half[0] * out[i].x, half[1] * out[i].y, half[2] * out[i].z);
    return n;
}
