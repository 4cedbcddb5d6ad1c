/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf_geom.c - geoms of MJCF, their meshes and colours.
 *
 * If a geom has a primitive type and names a mesh, the primitive is fitted to the mesh: it has the principal axes and the moments of inertia of the mesh, as
 * in MuJoCo. */
#define _POSIX_C_SOURCE 200809L /* access */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "robot/mjcf.h"

static const char *const types[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder",
                                    "box",   "mesh",   "hfield",  "sdf",       NULL};
enum { HFIELD = 7, SDF = 8 };
static const char *const attributes[] = {
    "name",    "class",        "type",   "pos",        "quat",      "axisangle", "xyaxes",   "zaxis",    "euler",
    "contype", "conaffinity",  "condim", "group",      "priority",  "size",      "material", "friction", "mass",
    "density", "shellinertia", "solmix", "solref",     "solimp",    "margin",    "gap",      "fromto",   "hfield",
    "mesh",    "fitscale",     "rgba",   "fluidshape", "fluidcoef", "user",      NULL};

/* ---- assets ---- */

/* Name of a file without folders and without its end. */
static char *stem(pp_import *m, const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    return pp_pool_text(&m->pool, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* A mesh lies where meshdir says, seen from the main file, or, where there is none, from the file that names it. */
static perp_status mesh_path(pp_mjcf *f, const pp_xml *e, const char *file, const char **out) {
    pp_import *m = f->m;
    char path[1024], beside[1024];
    const char *slash = strrchr(file, '/');
    if (f->strippath && slash) file = slash + 1;
    const char *dir = file[0] == '/' ? "" : f->meshdir;
    size_t n = strlen(dir);
    int length = snprintf(path, sizeof path, "%s%s%s", dir, n > 0 && dir[n - 1] != '/' ? "/" : "", file);
    if (length >= (int)sizeof path || !pp_source_beside(m->path, path, beside, sizeof beside))
        return pp_robot_wrong(m, e, "file", "a path that is too long", "at most 1024 bytes");
    char other[1024];
    if (access(beside, R_OK) != 0 && pp_source_beside(e->file, path, other, sizeof other) && access(other, R_OK) == 0)
        memcpy(beside, other, sizeof beside);
    *out = pp_pool_text(&m->pool, beside, strlen(beside));
    return *out ? PERP_OK : pp_robot_no_memory(m);
}

/* Vertices that are written in the file itself. */
static perp_status inline_vertices(pp_mjcf *f, const pp_xml *e, const char *text, pp_model_mesh *mesh) {
    pp_import *m = f->m;
    int most = (int)(strlen(text) / 2 + 1);
    double *v = pp_alloc(&m->alloc, sizeof *v * (size_t)most);
    if (!v) return pp_robot_no_memory(m);
    int n = pp_xml_numbers(text, v, most);
    perp_status s = PERP_OK;
    if (n < 12 || n % 3) s = pp_robot_wrong(m, e, "vertex", "something else", "at least 4 points of 3 numbers");
    mesh->mesh.alloc = m->alloc;
    if (!s) mesh->mesh.vertex = pp_alloc(&m->alloc, sizeof(perp_vec3) * (size_t)(n / 3));
    if (!s && !mesh->mesh.vertex) s = pp_robot_no_memory(m);
    if (!s) mesh->mesh.nvertex = n / 3;
    for (int i = 0; i < n / 3 && !s; i++) mesh->mesh.vertex[i] = perp_v3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    pp_free(&m->alloc, v);
    return s;
}

static perp_status add_mesh(pp_mjcf *f, const pp_xml *e) {
    pp_import *m = f->m;
    pp_model *d = &m->model;
    pp_model_mesh mesh = {.at = e, .scale = {1, 1, 1}, .ref = perp_pose_identity()};
    pp_mjcf_element x = {f, e, 0};
    double q[4];
    int got;
    perp_status s = pp_mjcf_class_of(f, e, "class", 0, &x.class);
    if (!s) s = pp_mjcf_vector(&x, "scale", &mesh.scale);
    if (!s) s = pp_mjcf_vector(&x, "refpos", &mesh.ref.p);
    if (!s) s = pp_robot_numbers(m, e, "refquat", pp_mjcf_get(&x, "refquat"), 4, 4, q, &got);
    if (!s && got) mesh.ref.q = perp_q_unit((perp_quat){q[0], q[1], q[2], q[3]});
    if (s) return s;
    const char *file = pp_xml_get(e, "file"), *vertex = pp_xml_get(e, "vertex"), *inertia = pp_mjcf_get(&x, "inertia");
    mesh.name = pp_xml_get(e, "name");
    if (!mesh.name && file) mesh.name = stem(m, file);
    if (!mesh.name) return pp_robot_wrong(m, e, NULL, "a mesh without file and without name", "file=\"...\"");
    mesh.shell = inertia && !strcmp(inertia, "shell");
    if (pp_model_find_mesh(m, mesh.name) >= 0) return PERP_OK; /* MuJoCo takes the first one of a repeated include */
    if (!(mesh.scale.x != 0 && mesh.scale.y != 0 && mesh.scale.z != 0))
        return pp_robot_wrong(m, e, "scale", "a factor of 0", "factors that are not 0");
    if (file)
        s = mesh_path(f, e, file, &mesh.path);
    else if (vertex)
        s = inline_vertices(f, e, vertex, &mesh);
    else
        s = pp_robot_note(m, PERP_IMPORT_IGNORED, e, "mesh %s, which has neither file nor vertices", mesh.name);
    if (s || (!file && !vertex)) {
        pp_mesh_free(&mesh.mesh);
        return s;
    }
    if (!PP_GROW(&m->alloc, d->mesh, d->cap_mesh, d->nmesh, d->nmesh + 1)) {
        pp_mesh_free(&mesh.mesh);
        return pp_robot_no_memory(m);
    }
    d->mesh[d->nmesh++] = mesh;
    return PERP_OK;
}

perp_status pp_mjcf_assets(pp_mjcf *f) {
    perp_status s = PERP_OK;
    for (const pp_xml *a = pp_xml_child(f->root, "asset"); a; a = pp_xml_again(a))
        for (const pp_xml *e = pp_xml_child(a, "mesh"); e && !s; e = pp_xml_again(e)) s = add_mesh(f, e);
    return s;
}

static const pp_xml *find_material(const pp_mjcf *f, const char *name) {
    for (const pp_xml *a = pp_xml_child(f->root, "asset"); a; a = pp_xml_again(a))
        for (const pp_xml *e = pp_xml_child(a, "material"); e; e = pp_xml_again(e)) {
            const char *own = pp_xml_get(e, "name");
            if (own && !strcmp(own, name)) return e;
        }
    return NULL;
}

static perp_status read_colour(pp_mjcf *f, const pp_mjcf_element *x, pp_model_geom *g) {
    const char *rgba = pp_mjcf_get(x, "rgba"), *name = pp_mjcf_get(x, "material");
    double v[4] = {0.5, 0.5, 0.5, 1}; /* of numbers that are missing */
    int got;
    if (rgba && !rgba[strspn(rgba, " \t\r\n")]) rgba = NULL; /* empty, as some programs write it: none */
    if (!rgba && name) {
        const pp_xml *e = find_material(f, name);
        if (!e) {
            char found[160];
            (void)snprintf(found, sizeof found, "\"%.100s\"", name);
            return pp_robot_wrong(f->m, x->e, "material", found, "the name of a material");
        }
        pp_mjcf_element material = {f, e, 0};
        perp_status s = pp_mjcf_class_of(f, e, "class", 0, &material.class);
        if (s) return s;
        rgba = pp_mjcf_get(&material, "rgba");
    }
    perp_status s = pp_robot_numbers(f->m, x->e, "rgba", rgba, 1, 4, v, &got);
    if (!s && got) g->colour = pp_robot_colour(v);
    return s;
}

/* ---- geoms ---- */

static perp_status read_size(pp_mjcf *f, const pp_mjcf_element *x, pp_model_geom *g) {
    static const int need[] = {0, 1, 2, 3, 2, 3, 0};
    bool along = false;
    double half = 0;
    perp_status s = PERP_OK;
    bool lengthy = g->kind == PP_GEOM_CAPSULE || g->kind == PP_GEOM_CYLINDER || g->kind == PP_GEOM_ELLIPSOID ||
                   g->kind == PP_GEOM_BOX;
    if (lengthy) s = pp_mjcf_fromto(x, &g->X_B, &half, &along);
    if (s || g->mesh >= 0) return s;
    int got, last = g->kind == PP_GEOM_CAPSULE || g->kind == PP_GEOM_CYLINDER ? 1 : 2;
    int least = along ? last : need[g->kind];
    const char *text = pp_mjcf_get(x, "size");
    if (!text && least > 0) return pp_robot_wrong(f->m, x->e, "size", "nothing", "the size of the geom");
    if (g->kind == PP_GEOM_PLANE) return PERP_OK;
    s = pp_robot_numbers(f->m, x->e, "size", text, 1, 3, g->size, &got);
    if (s) return s;
    if (along && last == 2 && got == 1) g->size[1] = g->size[0];
    if (along) g->size[last] = half;
    for (int i = 0; i < need[g->kind]; i++) {
        bool given = i < got || (along && (i == last || last == 2));
        if (given && g->size[i] > 0) continue;
        char found[120], allowed[64];
        (void)snprintf(found, sizeof found, "\"%.80s\"", text);
        (void)snprintf(allowed, sizeof allowed, least == 1 ? "a number > 0" : "%d numbers > 0", least);
        return pp_robot_wrong(f->m, x->e, "size", found, allowed);
    }
    return PERP_OK;
}

static perp_status read_contact(pp_mjcf *f, const pp_mjcf_element *x, pp_model_geom *g) {
    int contype = 1, conaffinity = 1, got;
    double friction[3], mass = -1;
    perp_status s = pp_mjcf_whole(x, "contype", &contype);
    if (!s) s = pp_mjcf_whole(x, "conaffinity", &conaffinity);
    if (!s) s = pp_mjcf_whole(x, "condim", &g->condim);
    if (!s) s = pp_mjcf_whole(x, "priority", &g->priority);
    if (!s) s = pp_mjcf_whole(x, "group", &g->group);
    if (!s) s = pp_robot_numbers(f->m, x->e, "friction", pp_mjcf_get(x, "friction"), 1, 3, friction, &got);
    if (!s) s = pp_mjcf_number(x, "mass", &mass);
    if (!s) s = pp_mjcf_number(x, "density", &g->density);
    if (s) return s;
    for (int i = 0; i < got; i++) g->friction[i] = friction[i];
    if (!(g->friction[0] >= 0))
        return pp_robot_wrong(f->m, x->e, "friction", pp_mjcf_get(x, "friction"), "numbers >= 0");
    if (g->condim != 1 && g->condim != 3 && g->condim != 4 && g->condim != 6)
        return pp_robot_wrong(f->m, x->e, "condim", pp_mjcf_get(x, "condim"), "1, 3, 4 or 6");
    if (pp_mjcf_get(x, "mass") && !(mass >= 0))
        return pp_robot_wrong(f->m, x->e, "mass", pp_mjcf_get(x, "mass"), "a number >= 0");
    if (!(g->density >= 0)) return pp_robot_wrong(f->m, x->e, "density", pp_mjcf_get(x, "density"), "a number >= 0");
    g->contype = (uint32_t)contype;
    g->conaffinity = (uint32_t)conaffinity;
    g->visual = contype == 0 && conaffinity == 0;
    g->mass = mass;
    g->weighs = g->group >= f->group_range[0] && g->group <= f->group_range[1] && f->from_geoms != PP_GEOMS_NO &&
                g->kind != PP_GEOM_PLANE;
    bool shell = false;
    s = pp_mjcf_bool(f->m, x->e, "shellinertia", pp_mjcf_get(x, "shellinertia"), &shell);
    if (!s && shell)
        s = pp_robot_note(f->m, PERP_IMPORT_APPROXIMATED, x->e,
                          "shellinertia: the mass of a shell is spread over its volume");
    return s;
}

perp_status pp_mjcf_geom(pp_mjcf *f, const pp_xml *e, int class, int body, perp_pose X) {
    pp_import *m = f->m;
    pp_mjcf_element x = {f, e, class};
    int type = PP_GEOM_SPHERE;
    perp_status s = pp_mjcf_known(m, e, attributes);
    if (!s) s = pp_mjcf_class_of(f, e, "class", class, &x.class);
    if (!s) s = pp_robot_word(m, e, "type", pp_mjcf_get(&x, "type"), types, &type);
    if (s) return s;
    if (type == HFIELD || type == SDF) return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "geoms of type %s", types[type]);
    pp_model_geom *added = pp_model_add_geom(m, e, body, (pp_geom_kind)type);
    if (!added) return m->why->status;
    pp_model_geom g = *added;
    const char *mesh = pp_mjcf_get(&x, "mesh");
    if (mesh && type != PP_GEOM_PLANE) {
        g.mesh = pp_model_find_mesh(m, mesh);
        if (g.mesh < 0) {
            const char *best = NULL;
            for (int i = 0; i < m->model.nmesh && !best; i++)
                best = pp_suggest(mesh, (const char *const[]){m->model.mesh[i].name, NULL});
            char found[160], allowed[200];
            (void)snprintf(found, sizeof found, "\"%.100s\"", mesh);
            (void)snprintf(allowed, sizeof allowed,
                           best ? "the name of a mesh (did you mean %.100s?)" : "the name of a mesh", best ? best : "");
            return pp_robot_wrong(m, e, "mesh", found, allowed);
        }
    } else if (type == PP_GEOM_MESH) {
        return pp_robot_wrong(m, e, "mesh", "nothing", "the name of a mesh");
    }
    s = pp_mjcf_pose(&x, &g.X_B);
    if (!s) s = read_size(f, &x, &g);
    if (!s) s = read_contact(f, &x, &g);
    if (!s) s = read_colour(f, &x, &g);
    g.X_B = perp_pose_mul(X, g.X_B);
    m->model.geom[m->model.ngeom - 1] = g;
    return s;
}

/* ---- primitives for meshes ---- */

/* Half edges of the box with the moments of the mesh, longest last, and its frame. */
static void inertia_box(perp_mass whole, double *half, perp_pose *X) {
    perp_mat3 V;
    perp_vec3 d = perp_m3_eigen(whole.I_B, &V); /* ascending: the longest edge first */
    double I[] = {d.z, d.y, d.x};
    perp_vec3 x = V.c[2], y = V.c[1], z = perp_v3_cross(x, y);
    for (int i = 0; i < 3; i++) half[i] = sqrt(fmax(0, 6 * (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]) / whole.mass)) / 2;
    perp_mat3 R = {{x, y, z}};
    *X = (perp_pose){whole.com_B, perp_q_unit(perp_q_from_matrix(R))};
}

static perp_status fit(pp_mjcf *f, pp_model_geom *g) {
    perp_status s = pp_model_need_mesh(f->m, g->mesh);
    if (s) return s;
    double h[3], scale = 1;
    perp_pose X;
    pp_mjcf_element x = {f, g->at, 0};
    s = pp_mjcf_number(&x, "fitscale", &scale);
    if (s) return s;
    if (f->fit_box)
        return pp_robot_wrong(f->m, g->at, "type", "a primitive that is fitted to the box of a mesh (fitaabb)",
                              "a fit by its inertia");
    inertia_box(f->m->model.mesh[g->mesh].whole, h, &X);
    double r = (h[0] + h[1]) / 2;
    const double size[][3] = {[PP_GEOM_SPHERE] = {(h[0] + h[1] + h[2]) / 3, 0, 0},
                              [PP_GEOM_CAPSULE] = {r, fmax(0, h[2] - r / 2), 0},
                              [PP_GEOM_ELLIPSOID] = {h[0], h[1], h[2]},
                              [PP_GEOM_CYLINDER] = {r, h[2], 0},
                              [PP_GEOM_BOX] = {h[0], h[1], h[2]}};
    for (int i = 0; i < 3; i++) g->size[i] = scale * size[g->kind][i];
    if (g->kind == PP_GEOM_CAPSULE && !(g->size[1] > 0)) g->kind = PP_GEOM_SPHERE;
    g->X_B = perp_pose_mul(g->X_B, X);
    g->mesh = -1;
    return PERP_OK;
}

perp_status pp_mjcf_fit(pp_mjcf *f) {
    perp_status s = PERP_OK;
    for (int i = 0; i < f->m->model.ngeom && !s; i++) {
        pp_model_geom *g = &f->m->model.geom[i];
        if (g->mesh < 0 || g->kind == PP_GEOM_MESH) continue;
        s = fit(f, g);
        if (s && g->visual && s != PERP_E_MEMORY) { /* what is only drawn is no reason to refuse */
            s = pp_robot_note(f->m, PERP_IMPORT_IGNORED, g->at, "a visual: %s", f->m->why->text);
            g->kind = PP_GEOM_SPHERE;
            g->size[0] = 1e-6;
            g->mesh = -1;
        }
    }
    return s;
}
