/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* urdf_geometry.c - collision and visual elements of URDF: shapes, colours, and where their meshes lie. */
#define _POSIX_C_SOURCE 200809L /* access */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "robot/robot.h"

#define PATH_BYTES 1024

static bool there(const char *path) { return access(path, R_OK) == 0; }

static perp_status keep_path(pp_import *m, const char *path, const char **out) {
    *out = pp_pool_text(&m->pool, path, strlen(path));
    return *out ? PERP_OK : pp_robot_no_memory(m);
}

/* Searches the folder of the file and those above it for a folder with the name of the package, and whether one of them is itself the package.
 * rest: the path in the package. */
static bool search_up(const char *file, const char *package, size_t n, const char *rest, char *out) {
    char folder[PATH_BYTES];
    if (!pp_source_folder(file, folder, sizeof folder)) return false;
    for (int up = 0; up < 16; up++) {
        if (snprintf(out, PATH_BYTES, "%s/%.*s/%s", folder, (int)n, package, rest) < PATH_BYTES && there(out))
            return true;
        if (snprintf(out, PATH_BYTES, "%s/%s", folder, rest) < PATH_BYTES && there(out)) return true;
        char *slash = strrchr(folder, '/');
        if (!strcmp(folder, "/")) return false;
        size_t length = strlen(folder);
        bool climbs = !strcmp(folder, ".") || (length >= 2 && !strcmp(folder + length - 2, ".."));
        if (climbs) { /* relative, and at its top */
            if (length + 4 > sizeof folder) return false;
            if (!strcmp(folder, "."))
                memcpy(folder, "..", 3);
            else
                memcpy(folder + length, "/..", 4);
        } else if (!slash) {
            memcpy(folder, ".", 2);
        } else if (slash == folder) {
            folder[1] = 0;
        } else {
            *slash = 0;
        }
    }
    return false;
}

perp_status pp_urdf_mesh_path(pp_import *m, const pp_xml *e, const char *named, const char **out) {
    char path[PATH_BYTES];
    static const char *const prefix[] = {"package://", "model://", NULL};
    for (int k = 0; prefix[k]; k++) {
        size_t n = strlen(prefix[k]);
        if (strncmp(named, prefix[k], n) != 0) continue;
        const char *package = named + n, *slash = strchr(package, '/');
        if (!slash) return pp_robot_wrong(m, e, "filename", named, "package://name/path");
        size_t length = (size_t)(slash - package);
        for (int i = 0; i < m->options.npackage; i++) {
            const perp_import_package *p = &m->options.package[i];
            if (strlen(p->name) != length || strncmp(p->name, package, length) != 0) continue;
            if (snprintf(path, sizeof path, "%s%s", p->folder, slash) >= (int)sizeof path) break;
            return keep_path(m, path, out);
        }
        if (search_up(m->path, package, length, slash + 1, path)) return keep_path(m, path, out);
        return pp_robot_say(m, PERP_E_IO, e,
                            "found %s, but no package %.*s in the folders above the file; allowed: a package there, or "
                            "--package %.*s=FOLDER",
                            named, (int)length, package, (int)length, package);
    }
    if (!strncmp(named, "file://", 7)) named += 7;
    if (!pp_source_beside(m->path, named, path, sizeof path))
        return pp_robot_wrong(m, e, "filename", "a path that is too long", "at most 1024 bytes");
    return keep_path(m, path, out);
}

/* The mesh of that file and scale, new if there is none. */
static perp_status mesh_of(pp_import *m, const pp_xml *e, int *out) {
    const char *named = pp_xml_get(e, "filename"), *path;
    perp_vec3 scale = {1, 1, 1};
    if (!named || !named[0]) return pp_robot_wrong(m, e, "filename", "nothing", "the name of a mesh file");
    perp_status s = pp_robot_vector(m, e, "scale", pp_xml_get(e, "scale"), &scale);
    if (s) return s;
    if (scale.x == 0 || scale.y == 0 || scale.z == 0)
        return pp_robot_wrong(m, e, "scale", "a factor of 0", "factors that are not 0");
    s = pp_urdf_mesh_path(m, e, named, &path);
    if (s) return s;
    pp_model *d = &m->model;
    for (int i = 0; i < d->nmesh; i++) {
        perp_vec3 c = d->mesh[i].scale;
        if (!strcmp(d->mesh[i].path, path) && c.x == scale.x && c.y == scale.y && c.z == scale.z) {
            *out = i;
            return PERP_OK;
        }
    }
    if (!PP_GROW(&m->alloc, d->mesh, d->cap_mesh, d->nmesh, d->nmesh + 1)) return pp_robot_no_memory(m);
    d->mesh[d->nmesh] =
        (pp_model_mesh){.name = named, .path = path, .at = e, .scale = scale, .ref = perp_pose_identity()};
    *out = d->nmesh++;
    return PERP_OK;
}

/* A length; 0 makes the shape one without size. */
static perp_status length_of(pp_import *m, const pp_xml *e, const char *attribute, double *out, bool *empty) {
    const char *text = pp_xml_get(e, attribute);
    if (!text) return pp_robot_wrong(m, e, attribute, "nothing", "a number > 0");
    perp_status s = pp_robot_number(m, e, attribute, text, out);
    *empty = *empty || *out == 0;
    return s ? s : *out >= 0 ? PERP_OK : pp_robot_wrong(m, e, attribute, text, "a number > 0");
}

static perp_status read_shape(pp_import *m, const pp_xml *e, pp_model_geom *g, bool *empty) {
    static const char *const kinds[] = {"box", "cylinder", "sphere", "capsule", "mesh", NULL};
    static const pp_geom_kind kind_of[] = {PP_GEOM_BOX, PP_GEOM_CYLINDER, PP_GEOM_SPHERE, PP_GEOM_CAPSULE,
                                           PP_GEOM_MESH};
    int k = -1;
    for (int i = 0; kinds[i]; i++)
        if (!strcmp(e->name, kinds[i])) k = i;
    if (k < 0) return pp_robot_wrong(m, e, NULL, e->name, "box, cylinder, sphere, capsule or mesh");
    g->kind = kind_of[k];
    perp_status s = PERP_OK;
    if (g->kind == PP_GEOM_MESH) return mesh_of(m, e, &g->mesh);
    if (g->kind == PP_GEOM_BOX) {
        const char *text = pp_xml_get(e, "size");
        if (!text) return pp_robot_wrong(m, e, "size", "nothing", "3 numbers > 0");
        s = pp_robot_numbers(m, e, "size", text, 3, 3, g->size, NULL);
        for (int i = 0; i < 3 && !s; i++) {
            if (g->size[i] < 0) s = pp_robot_wrong(m, e, "size", text, "3 numbers > 0");
            *empty = *empty || g->size[i] == 0;
            g->size[i] /= 2;
        }
        return s;
    }
    s = length_of(m, e, "radius", &g->size[0], empty);
    if (!s && g->kind != PP_GEOM_SPHERE) s = length_of(m, e, "length", &g->size[1], empty);
    g->size[1] /= 2;
    return s;
}

/* The colour of a visual: its own, or that of the material of that name at the top of the file. */
static perp_status read_colour(pp_import *m, const pp_xml *e, pp_model_geom *g) {
    const pp_xml *material = pp_xml_child(e, "material"), *colour = pp_xml_child(material, "color");
    const char *name = material ? pp_xml_get(material, "name") : NULL;
    const pp_xml *root = e;
    while (root->parent) root = root->parent;
    for (const pp_xml *top = pp_xml_child(root, "material"); top && name && !colour; top = pp_xml_again(top)) {
        const char *other = pp_xml_get(top, "name");
        if (other && !strcmp(other, name)) colour = pp_xml_child(top, "color");
    }
    const char *text = colour ? pp_xml_get(colour, "rgba") : NULL;
    double rgba[4];
    int got;
    perp_status s = pp_robot_numbers(m, colour ? colour : e, "rgba", text, 3, 4, rgba, &got);
    if (!s && got) g->colour = pp_robot_colour(rgba);
    return s;
}

/* <contact> of Bullet on the link. */
static perp_status read_contact(pp_import *m, const pp_xml *link, pp_model_geom *g) {
    const pp_xml *mu = pp_xml_child(pp_xml_child(link, "contact"), "lateral_friction");
    if (!mu) return pp_robot_note(m, PERP_IMPORT_ASSUMED, NULL, "friction is not given: mu = %g", g->friction[0]);
    return pp_robot_number(m, mu, "value", pp_xml_get(mu, "value"), &g->friction[0]);
}

perp_status pp_urdf_geometry(pp_import *m, const pp_xml *e, int body, bool visual) {
    const pp_xml *geometry = pp_xml_child(e, "geometry");
    if (!geometry || !geometry->first) return pp_robot_wrong(m, e, NULL, "no geometry", "<geometry> with a shape");
    pp_model_geom g = {0};
    pp_model_geom *added = pp_model_add_geom(m, e, body, PP_GEOM_SPHERE);
    if (!added) return m->why->status;
    g = *added;
    bool empty = false;
    perp_status s = read_shape(m, geometry->first, &g, &empty);
    if (!s && empty) {
        m->model.ngeom--;
        return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "a shape without size");
    }
    if (s && visual && s != PERP_E_MEMORY) { /* errors in visual elements do not refuse the model */
        m->model.ngeom--;
        return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "a visual: %s", m->why->text);
    }
    const pp_xml *o = pp_xml_child(e, "origin");
    perp_vec3 rpy = {0, 0, 0};
    if (!s && o) s = pp_robot_vector(m, o, "xyz", pp_xml_get(o, "xyz"), &g.X_B.p);
    if (!s && o) s = pp_robot_vector(m, o, "rpy", pp_xml_get(o, "rpy"), &rpy);
    g.X_B.q =
        perp_q_mul(perp_q_axis_angle(perp_v3(0, 0, 1), rpy.z),
                   perp_q_mul(perp_q_axis_angle(perp_v3(0, 1, 0), rpy.y), perp_q_axis_angle(perp_v3(1, 0, 0), rpy.x)));
    g.visual = visual;
    if (!s && visual) {
        g.contype = g.conaffinity = 0;
        s = read_colour(m, e, &g);
    } else if (!s) {
        s = read_contact(m, e->parent, &g);
    }
    m->model.geom[m->model.ngeom - 1] = g;
    return s;
}
