/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sdf.c - SDFormat, the models and worlds of Gazebo: versions 1.2 to 1.12.
 *
 * A file holds a world, or models. Models may be within models, and in other files. Everything that has a name becomes a frame. Joints connect links to trees. */
#define _POSIX_C_SOURCE 200809L /* access */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "robot/sdf.h"

static const char *const world_words[] = {"model",   "include",    "frame",  "joint", "gravity",
                                          "physics", "light",      "plugin", "scene", "state",
                                          "actor",   "population", "road",   "gui",   NULL};
static const char *const model_words[] = {"model",  "include", "frame",       "joint",
                                          "link",   "pose",    "static",      "self_collide",
                                          "plugin", "gripper", "enable_wind", "allow_auto_disable",
                                          NULL};

static perp_status collect(pp_sdf *s, const pp_xml *e, int home, int depth);

/* ---- frames ---- */

/* The name with those of the models around it. */
static const char *full_name(pp_sdf *s, int scope, const char *name) {
    const char *outer = scope > 0 ? s->frame[scope].full : "";
    size_t n = strlen(outer), k = strlen(name);
    char *out = pp_pool_get(&s->m->pool, n + k + 2);
    if (!out) return NULL;
    memcpy(out, outer, n);
    if (n > 0) out[n++] = '-';
    memcpy(out + n, name, k + 1);
    return out;
}

/* Adds a frame and returns its number; 0: it is refused. name NULL: that of the element. */
static int add(pp_sdf *s, const pp_xml *e, pp_sdf_kind kind, const char *name, int home) {
    pp_import *m = s->m;
    int scope = s->frame[home].kind == PP_SDF_MODEL ? home : s->frame[home].scope;
    if (!name) name = pp_xml_get(e, "name");
    if (!name || !name[0]) {
        (void)pp_robot_wrong(m, e, NULL, name ? "an empty name" : "no name", "name=\"...\"");
        return 0;
    }
    for (int i = 1; i < s->nframe; i++)
        if (s->frame[i].scope == scope && s->frame[i].kind == kind && !strcmp(s->frame[i].name, name)) {
            (void)pp_robot_say(m, PERP_E_ARG, e, "found a second %s of the name \"%.80s\"; allowed: names of their own",
                               e->name, name);
            return 0;
        }
    if (s->nframe == PP_ROBOT_BODIES) {
        (void)pp_robot_say(m, PERP_E_ARG, e, "found more than %d names; allowed: at most %d", s->nframe, s->nframe);
        return 0;
    }
    /* if a file has one model only, names of its parts do not begin with the name of the model */
    const char *full = kind == PP_SDF_MODEL && s->alone && scope == 0 ? "" : full_name(s, scope, name);
    if (!full || !PP_GROW(&m->alloc, s->frame, s->cap_frame, s->nframe, s->nframe + 1)) {
        (void)pp_robot_no_memory(m);
        return 0;
    }
    s->frame[s->nframe] = (pp_sdf_frame){
        .at = e, .name = name, .full = full, .kind = kind, .scope = scope, .home = home, .up = -1, .body = -1};
    return s->nframe++;
}

/* Adds a model. include: the element that includes it; NULL: it is in the file itself. */
static perp_status add_model(pp_sdf *s, const pp_xml *e, const pp_xml *include, int home, int depth) {
    pp_import *m = s->m;
    const char *name = pp_robot_value(include, "name").text;
    bool merge = false;
    perp_status r = PERP_OK;
    if (depth > PP_XML_DEPTH) return pp_robot_wrong(m, e, NULL, "models too deep", "at most 400 levels");
    if (include && pp_xml_get(include, "merge")) r = pp_sdf_bool(m, include, "merge", &merge);
    if (r) return r;
    if (merge && pp_robot_value(include, "placement_frame").text)
        return pp_robot_wrong(m, include, "merge", "merge and placement_frame", "one of the two");
    int k = add(s, e, merge ? PP_SDF_FRAME : PP_SDF_MODEL, name && name[0] ? name : NULL, home);
    if (!k) return m->why->status;
    pp_sdf_frame *f = &s->frame[k];
    const pp_sdf_frame *outer = &s->frame[f->scope];
    f->include = include;
    f->fixed = outer->fixed;
    f->self = outer->self;
    bool fixed = false;
    r = pp_sdf_bool(m, e, "static", &fixed);
    if (!r) r = pp_sdf_bool(m, include, "static", &fixed);
    f->fixed = f->fixed || fixed;
    if (!r) r = pp_sdf_bool(m, e, "self_collide", &f->self);
    if (!r) r = pp_sdf_words(m, e, model_words, 8);
    return r ? r : collect(s, e, k, depth + 1);
}

/* ---- included files ---- */

static bool there(const char *path) { return access(path, R_OK) == 0; }

static bool has_end(const char *name, const char *end) {
    size_t n = strlen(name), k = strlen(end);
    return n > k && !strcmp(name + n - k, end);
}

/* The tree of a file, read once. */
static perp_status read_once(pp_sdf *s, const pp_xml *e, const char *path, const pp_xml **root) {
    pp_import *m = s->m;
    pp_xml *new;
    perp_refusal *why = m->why, inner = {0};
    for (int i = 0; i < s->nfile; i++)
        if (!strcmp(s->file[i].path, path)) {
            *root = s->file[i].root;
            return PERP_OK;
        }
    m->why = &inner;
    perp_status r = pp_robot_read_file(m, path, path, &new);
    m->why = why;
    if (r == PERP_E_MEMORY) return pp_robot_no_memory(m);
    if (r) return pp_robot_say(m, r, e, "%s", inner.text);
    if (!PP_GROW(&m->alloc, s->file, s->cap_file, s->nfile, s->nfile + 1)) return pp_robot_no_memory(m);
    s->file[s->nfile++] = (pp_sdf_file){new->file, new};
    *root = new;
    return PERP_OK;
}

/* The SDF file of a folder: the one of the newest version that model.config names, or model.sdf. path: in and out. */
static perp_status file_of_folder(pp_sdf *s, const pp_xml *e, char *path) {
    size_t n = strlen(path);
    const pp_xml *config, *best = NULL;
    if (n + 14 > PP_ROBOT_PATH) return pp_robot_wrong(s->m, e, NULL, "a path that is too long", "at most 1024 bytes");
    memcpy(path + n, "/model.config", 14);
    if (there(path)) {
        perp_status r = read_once(s, e, path, &config);
        if (r) return r;
        for (const pp_xml *c = pp_xml_child(config, "sdf"); c; c = pp_xml_again(c)) {
            const char *a = best ? pp_xml_get(best, "version") : NULL, *b = pp_xml_get(c, "version");
            if (!best || (a && b && (strlen(b) > strlen(a) || (strlen(b) == strlen(a) && strcmp(b, a) > 0)))) best = c;
        }
    }
    const char *name = best && best->text[0] ? best->text : "model.sdf";
    if (n + 2 + strlen(name) > PP_ROBOT_PATH)
        return pp_robot_wrong(s->m, e, NULL, "a path that is too long", "at most 1024 bytes");
    memcpy(path + n + 1, name, strlen(name) + 1);
    return PERP_OK;
}

/* The file that <include> names. */
static perp_status included_file(pp_sdf *s, const pp_xml *e, char *path) {
    pp_import *m = s->m;
    const char *uri = pp_robot_value(e, "uri").text;
    pp_package p;
    if (!uri || !uri[0]) return pp_value_wrong(m, e, "uri", "the name of a model");
    if (!pp_robot_package(uri, &p)) {
        perp_status r = pp_robot_file_path(m, e, uri, path);
        if (r || has_end(uri, ".sdf") || has_end(uri, ".world") || has_end(uri, ".xml")) return r;
        if (there(path) || strchr(uri, '/')) return file_of_folder(s, e, path);
        p = (pp_package){uri, "", (int)strlen(uri)};
    }
    static const char *const rest[] = {"model.config", "model.sdf"};
    bool whole = !p.rest[0] || !strncmp(uri, "http", 4);
    for (int k = 0; k < 2; k++) {
        if (whole) p.rest = rest[k];
        if (!pp_robot_find(m, e->file, &p, false, path)) continue;
        if (!whole) return PERP_OK;
        path[strlen(path) - strlen(p.rest) - 1] = 0;
        return file_of_folder(s, e, path);
    }
    return pp_robot_say(m, PERP_E_IO, e,
                        "found %.200s, but no model %.*s in the folders above the file; allowed: a folder of that name "
                        "there, or --package %.*s=FOLDER",
                        uri, p.length, p.name, p.length, p.name);
}

static perp_status check_version(pp_import *m, const pp_xml *root) {
    const char *version = pp_xml_get(root, "version");
    char found[64];
    if (!strcmp(root->name, "sdf") && version && !strncmp(version, "1.", 2) && !pp_sdf_before(root, 2) &&
        pp_sdf_before(root, 13))
        return PERP_OK;
    if (strcmp(root->name, "sdf") != 0) {
        (void)snprintf(found, sizeof found, "<%.40s>", root->name);
        return pp_robot_wrong(m, root, NULL, found, "<sdf> as the first element");
    }
    return pp_robot_wrong(m, root, "version", version ? version : "nothing", "1.2 to 1.12");
}

static perp_status add_include(pp_sdf *s, const pp_xml *e, int home, int depth) {
    static const char *const words[] = {"uri", "name", "pose", "static", "placement_frame", "plugin", NULL};
    pp_import *m = s->m;
    char path[PP_ROBOT_PATH];
    const pp_xml *root;
    if (s->includes == PP_ROBOT_INCLUDES)
        return pp_robot_wrong(m, e, NULL, "includes deeper than 16 files", "at most 16, and no circle");
    perp_status r = pp_sdf_words(m, e, words, 5);
    if (!r) r = included_file(s, e, path);
    if (!r) r = read_once(s, e, path, &root);
    if (!r) r = check_version(m, root);
    const pp_xml *model = r ? NULL : pp_xml_child(root, "model");
    if (!r && !model && root->first)
        return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "included <%s>", root->first->name);
    if (!r && !model) r = pp_robot_wrong(m, root, NULL, "no model", "<model>");
    if (r) return r;
    s->includes++;
    r = add_model(s, model, e, home, depth);
    s->includes--;
    return r;
}

/* ---- the whole ---- */

static perp_status collect(pp_sdf *s, const pp_xml *e, int home, int depth) {
    perp_status r = PERP_OK;
    for (const pp_xml *c = e->first; c && !r; c = c->next) {
        if (!strcmp(c->name, "model")) r = add_model(s, c, NULL, home, depth);
        if (!strcmp(c->name, "include")) r = add_include(s, c, home, depth);
        int kind = !strcmp(c->name, "link")    ? PP_SDF_LINK
                   : !strcmp(c->name, "frame") ? PP_SDF_FRAME
                   : !strcmp(c->name, "joint") ? PP_SDF_JOINT
                                               : -1;
        if (kind >= 0 && !add(s, c, (pp_sdf_kind)kind, NULL, home)) r = s->m->why->status;
    }
    return r;
}

static perp_status read_world(pp_sdf *s, const pp_xml *e) {
    pp_import *m = s->m;
    pp_model *d = &m->model;
    const pp_xml *physics = pp_xml_child(e, "physics");
    double g[3];
    int got;
    perp_status r = pp_sdf_words(m, e, world_words, 6);
    d->gravity = perp_v3(0, 0, -9.8);                                /* of a world that does not say */
    if (!r) r = pp_value_numbers(m, physics, "gravity", 3, g, &got); /* up to version 1.5 */
    if (!r && got) d->gravity = perp_v3(g[0], g[1], g[2]);
    if (!r) r = pp_value_numbers(m, e, "gravity", 3, g, &got);
    if (!r && got) d->gravity = perp_v3(g[0], g[1], g[2]);
    if (!r) r = pp_value_above(m, physics, "max_step_size", &d->h);
    return r ? r : collect(s, e, 0, 0);
}

static perp_status read_all(pp_sdf *s, const pp_xml *root) {
    static const char *const words[] = {"world", "model", "include", "actor", "light", NULL};
    pp_import *m = s->m;
    const pp_xml *world = pp_xml_child(root, "world"), *in = world ? world : root;
    int models = 0;
    perp_status r = check_version(m, root);
    if (!r) r = pp_sdf_words(m, root, words, 3);
    if (!r && world && pp_xml_again(world))
        r = pp_robot_wrong(m, pp_xml_again(world), NULL, "a second world", "one world");
    if (r) return r;
    for (const pp_xml *c = in->first; c; c = c->next)
        models += !strcmp(c->name, "model") || !strcmp(c->name, "include");
    s->alone = models == 1;
    const char *name = pp_xml_get(world ? world : pp_xml_child(root, "model"), "name");
    if (name) m->model.name = name;
    r = world ? read_world(s, world) : collect(s, root, 0, 0);
    bool any = false;
    for (int i = 1; i < s->nframe; i++) any = any || s->frame[i].kind == PP_SDF_LINK;
    if (!r) r = pp_sdf_poses(s);
    if (!r && !any) r = pp_robot_wrong(m, in, NULL, "no link", "at least one <link>");
    if (!r) r = pp_sdf_joints(s);
    if (!r) r = pp_sdf_bodies(s);
    return r ? r : pp_robot_check_mimics(m);
}

perp_status pp_sdf_read(pp_import *m, const pp_xml *root) {
    pp_sdf s = {.m = m};
    m->model.format = "SDF";
    m->model.sdf = true;
    if (!PP_GROW(&m->alloc, s.frame, s.cap_frame, 0, 1)) return pp_robot_no_memory(m);
    s.frame[s.nframe++] = (pp_sdf_frame){.at = root,
                                         .name = "world",
                                         .full = "",
                                         .kind = PP_SDF_MODEL,
                                         .scope = -1,
                                         .X = perp_pose_identity(),
                                         .up = -1};
    perp_status r = read_all(&s, root);
    pp_free(&m->alloc, s.frame);
    pp_free(&m->alloc, s.joint);
    pp_free(&m->alloc, s.file);
    return r;
}
