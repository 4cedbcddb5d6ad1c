/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* shape.c - what URDF and SDF have in common: shapes, where their meshes lie, inertias, limits, joints that follow others. */
#define _POSIX_C_SOURCE 200809L /* access */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "robot/model/robot.h"

static bool there(const char *path) { return access(path, R_OK) == 0; }

static perp_status keep_path(pp_import *m, const char *path, const char **out) {
    *out = pp_pool_text(&m->pool, path, strlen(path));
    return *out ? PERP_OK : pp_robot_no_memory(m);
}

/* Looks in the folder of the file and in those above it: for a folder that is called as the package, also in `models`, and for a folder that is the
 * package, if any may be. */
static bool search_up(const char *file, const pp_package *p, bool any, char *out) {
    char folder[PP_ROBOT_PATH];
    if (!pp_source_folder(file, folder, sizeof folder)) return false;
    for (int up = 0; up < 16; up++) {
        for (int k = 0; k < 2; k++)
            if (snprintf(out, PP_ROBOT_PATH, "%s/%s%.*s/%s", folder, k ? "models/" : "", p->length, p->name, p->rest) <
                    PP_ROBOT_PATH &&
                there(out))
                return true;
        if (any && snprintf(out, PP_ROBOT_PATH, "%s/%s", folder, p->rest) < PP_ROBOT_PATH && there(out)) return true;
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

bool pp_robot_package(const char *named, pp_package *out) {
    static const char *const prefix[] = {"package://", "model://", "https://", "http://"};
    for (int k = 0; k < 4; k++) {
        size_t n = strlen(prefix[k]);
        if (strncmp(named, prefix[k], n) != 0) continue;
        const char *name = named + n + strspn(named + n, "/"), *models = k > 1 ? strstr(name, "/models/") : NULL,
                   *files;
        if (models) name = models + 8;
        out->name = name;
        out->length = (int)strcspn(name, "/");
        files = models ? strstr(name, "/files/") : NULL;
        out->rest = files ? files + 7 : name[out->length] ? name + out->length + 1 : "";
        return true;
    }
    return false;
}

bool pp_robot_find(const pp_import *m, const char *file, const pp_package *p, bool any, char *out) {
    for (int i = 0; i < m->options.npackage; i++) {
        const perp_import_package *o = &m->options.package[i];
        if (strlen(o->name) != (size_t)p->length || strncmp(o->name, p->name, (size_t)p->length) != 0) continue;
        if (snprintf(out, PP_ROBOT_PATH, "%s/%s", o->folder, p->rest) < PP_ROBOT_PATH) return any || there(out);
    }
    return search_up(file, p, any, out);
}

perp_status pp_robot_file_path(pp_import *m, const pp_xml *e, const char *named, char *path) {
    pp_package p;
    if (pp_robot_package(named, &p)) {
        if (!p.rest[0]) return pp_robot_wrong(m, e, "filename", named, "package://name/path");
        if (pp_robot_find(m, e->file, &p, true, path)) return PERP_OK;
        for (const char *rest = p.rest; (rest = strchr(rest, '/')) != NULL && strchr(++rest, '/');) {
            pp_package moved = {p.name, rest, p.length}; /* to another place in the package */
            if (search_up(e->file, &moved, true, path))
                return pp_robot_note(m, PERP_IMPORT_ASSUMED, e, "%s is taken from %s", named, path);
        }
        return pp_robot_say(m, PERP_E_IO, e,
                            "found %s, but no package %.*s in the folders above the file; allowed: a package there, or "
                            "--package %.*s=FOLDER",
                            named, p.length, p.name, p.length, p.name);
    }
    if (!strncmp(named, "file://", 7)) named += 7;
    if (!pp_source_beside(e->file, named, path, PP_ROBOT_PATH))
        return pp_robot_wrong(m, e, "filename", "a path that is too long", "at most 1024 bytes");
    return PERP_OK;
}

/* The mesh of that file and scale, new if there is none. */
static perp_status mesh_of(pp_import *m, const pp_xml *e, int *out) {
    const char *key = m->model.sdf ? "uri" : "filename", *named = pp_robot_value(e, key).text, *path;
    pp_value factor = pp_robot_value(e, "scale");
    perp_vec3 scale = {1, 1, 1};
    char found[PP_ROBOT_PATH];
    if (!named || !named[0]) return pp_robot_wrong(m, e, key, "nothing", "the name of a mesh file");
    perp_status s = pp_robot_vector(m, factor.at, factor.attribute, factor.text, &scale);
    if (s) return s;
    if (scale.x == 0 || scale.y == 0 || scale.z == 0)
        return pp_robot_wrong(m, factor.at, factor.attribute, "a factor of 0", "factors that are not 0");
    s = pp_robot_file_path(m, e, named, found);
    if (!s) s = keep_path(m, found, &path);
    if (s) return s;
    pp_model *d = &m->model;
    for (int i = 0; i < d->nmesh; i++) {
        perp_vec3 c = d->mesh[i].scale;
        if (d->mesh[i].path && !strcmp(d->mesh[i].path, path) && c.x == scale.x && c.y == scale.y && c.z == scale.z) {
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
static perp_status length_of(pp_import *m, const pp_xml *e, const char *key, double *out, bool *empty) {
    perp_status s = pp_value_number(m, e, key, out);
    *empty = *empty || *out == 0;
    return s || (pp_robot_value(e, key).text && *out >= 0) ? s : pp_value_wrong(m, e, key, "a number > 0");
}

/* Three of them. */
static perp_status lengths_of(pp_import *m, const pp_xml *e, const char *key, double *out, bool *empty) {
    int got;
    perp_status s = pp_value_numbers(m, e, key, 3, out, &got);
    if (!s && !got) s = pp_value_wrong(m, e, key, "3 numbers > 0");
    for (int i = 0; i < 3 && !s; i++) {
        if (out[i] < 0) s = pp_value_wrong(m, e, key, "3 numbers > 0");
        *empty = *empty || out[i] == 0;
    }
    return s;
}

static perp_status plane_of(pp_import *m, const pp_xml *e, pp_model_geom *g) {
    double v[3] = {0, 0, 1};
    perp_vec3 x, y;
    perp_status s = pp_value_numbers(m, e, "normal", 3, v, NULL);
    perp_vec3 z = perp_v3(v[0], v[1], v[2]);
    if (!s && !(perp_v3_norm(z) > 1e-12)) s = pp_value_wrong(m, e, "normal", "a direction");
    if (s) return s;
    z = perp_v3_unit(z);
    perp_v3_frame(z, &x, &y);
    perp_mat3 R = {{x, perp_v3_cross(z, x), z}};
    if (z.z < 1) g->X_B.q = perp_q_unit(perp_q_from_matrix(R));
    return PERP_OK;
}

perp_status pp_robot_shape(pp_import *m, const pp_xml *e, pp_model_geom *g, bool *empty) {
    static const char *const kinds[] = {"box", "cylinder", "sphere", "capsule", "mesh", "plane", "ellipsoid"};
    static const pp_geom_kind kind_of[] = {PP_GEOM_BOX,  PP_GEOM_CYLINDER, PP_GEOM_SPHERE,   PP_GEOM_CAPSULE,
                                           PP_GEOM_MESH, PP_GEOM_PLANE,    PP_GEOM_ELLIPSOID};
    int k = -1;
    for (int i = 0; i < (m->model.sdf ? 7 : 6); i++)
        if (!strcmp(e->name, kinds[i])) k = i;
    if (k < 0)
        return pp_robot_wrong(m, e, NULL, e->name,
                              m->model.sdf ? "box, capsule, cone, cylinder, ellipsoid, mesh, plane, polyline or sphere"
                                           : "box, cylinder, sphere, capsule, mesh or plane");
    g->kind = kind_of[k];
    perp_status s = PERP_OK;
    if (g->kind == PP_GEOM_MESH) return mesh_of(m, e, &g->mesh);
    if (g->kind == PP_GEOM_PLANE) return plane_of(m, e, g);
    if (g->kind == PP_GEOM_ELLIPSOID) return lengths_of(m, e, "radii", g->size, empty);
    if (g->kind == PP_GEOM_BOX) {
        s = lengths_of(m, e, "size", g->size, empty);
        for (int i = 0; i < 3; i++) g->size[i] /= 2;
        return s;
    }
    s = length_of(m, e, "radius", &g->size[0], empty);
    if (!s && g->kind != PP_GEOM_SPHERE) s = length_of(m, e, "length", &g->size[1], empty);
    g->size[1] /= 2;
    return s;
}

/* ---- inertias and joints ---- */

perp_status pp_robot_inertial(pp_import *m, const pp_xml *e, double mass, double moment, perp_pose X,
                              pp_model_body *b) {
    static const char *const part[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const pp_xml *inertia = pp_xml_child(e, "inertia");
    double v[6] = {moment, moment, moment};
    perp_status s = PERP_OK;
    for (int i = 0; i < 6 && !s; i++) s = pp_value_number(m, inertia, part[i], &v[i]);
    if (s) return s;
    b->inertial = inertia ? inertia : e;
    if (mass == 0) {
        for (int i = 0; i < 6; i++)
            if (v[i] != 0) return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "link %s: an inertia without mass", b->name);
        return PERP_OK;
    }
    b->given = true;
    b->mass = perp_mass_move(X, (perp_mass){mass, {0, 0, 0}, pp_inertia_of(v)});
    return PERP_OK;
}

perp_status pp_robot_check_range(pp_import *m, const pp_xml *limit, pp_model_joint *j) {
    if (j->range[0] <= j->range[1]) return PERP_OK;
    char found[96];
    if (m->options.repair) {
        j->limited = false;
        return pp_robot_note(m, PERP_IMPORT_REPAIRED, limit, "joint %s: limits from %g to %g became none", j->name,
                             j->range[0], j->range[1]);
    }
    (void)snprintf(found, sizeof found, "%g above %g", j->range[0], j->range[1]);
    pp_value v = pp_robot_value(limit, "lower");
    return pp_robot_wrong(m, v.at, v.attribute, found, "lower <= upper; --repair takes them as no limits");
}

perp_status pp_robot_mimic(pp_import *m, const pp_xml *e, pp_model_joint *j) {
    j->mimic = pp_xml_get(e, "joint");
    j->mimic_at = e;
    j->mimic_factor = 1;
    if (!j->mimic) return pp_robot_wrong(m, e, "joint", "nothing", "the name of a joint");
    perp_status s = pp_value_number(m, e, "multiplier", &j->mimic_factor);
    return s ? s : pp_value_number(m, e, "offset", &j->mimic_offset);
}

perp_status pp_robot_check_mimics(pp_import *m) {
    for (int i = 0; i < m->model.njoint; i++) {
        const pp_model_joint *j = &m->model.joint[i];
        bool known = !j->mimic;
        for (int k = 0; k < m->model.njoint && !known; k++) known = !strcmp(m->model.joint[k].name, j->mimic);
        if (known) continue;
        char found[160];
        (void)snprintf(found, sizeof found, "\"%.100s\"", j->mimic);
        return pp_robot_wrong(m, j->mimic_at, "joint", found, "the name of a joint that moves");
    }
    return PERP_OK;
}
