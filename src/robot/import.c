/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* import.c - opening a model: detection of the format, the steps to a scene, and notes about elements that are left out. */
#include <stdio.h>
#include <string.h>

#include "robot/model/robot.h"

bool perp_import_is_model(const char *data, size_t size) {
    size_t i = 0;
    if (size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3)) i = 3;
    while (i < size && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n')) i++;
    return i < size && data[i] == '<';
}

static void blank(char *from, const char *to) {
    for (; from < to; from++)
        if (*from != '\n') *from = ' ';
}

/* Blanks comments, and an XML declaration that is not at the start: others read files in which these are not as XML wants them. */
static void mend(char *data, char *end) {
    static const struct {
        const char *open, *close;
    } part[] = {{"<![CDATA[", "]]>"}, {"<!--", "-->"}, {"<?xml ", "?>"}};
    for (char *p = data; (p = memchr(p, '<', (size_t)(end - p))) != NULL; p++) {
        for (int k = 0; k < 3; k++) {
            if (strncmp(p, part[k].open, strlen(part[k].open)) != 0) continue;
            char *to = strstr(p + strlen(part[k].open), part[k].close);
            if (!to) return;
            to += strlen(part[k].close);
            if (k == 1 || (k == 2 && p > data)) blank(p, to);
            p = to - 1;
            break;
        }
    }
}

/* The tree of a text. What is not XML may be mended. */
static perp_status parse(pp_import *m, const char *named, const char *data, size_t size, pp_xml **root) {
    perp_status s = pp_xml_parse(&m->pool, named, data, size, root, m->why);
    if (!s || s == PERP_E_MEMORY || !m->options.repair) return s;
    char *copy = pp_alloc(&m->alloc, size + 1);
    if (!copy) return pp_robot_no_memory(m);
    memcpy(copy, data, size);
    copy[size] = 0;
    mend(copy, copy + size);
    s = pp_xml_parse(&m->pool, named, copy, size, root, m->why);
    pp_free(&m->alloc, copy);
    if (s) return s;
    return pp_robot_note(
        m, PERP_IMPORT_REPAIRED, *root,
        "comments with -- in them, or a declaration that is not at the start, which XML does not allow");
}

perp_status pp_robot_read_file(pp_import *m, const char *path, const char *named, pp_xml **root) {
    char *data = NULL;
    size_t size = 0;
    if (m->nxml == PP_ROBOT_FILES)
        return pp_complain(m->why, PERP_E_ARG, (pp_location){named, 0, 0}, NULL, "one file more", "at most 256 files");
    m->nxml++;
    const char *kept = pp_pool_text(&m->pool, named, strlen(named));
    if (!kept) return pp_robot_no_memory(m);
    perp_status s = pp_source_read(&m->alloc, path, kept, &data, &size, m->why);
    if (!s) s = parse(m, kept, data, size, root);
    pp_free(&m->alloc, data);
    return s;
}

/* Notes about all elements that perp does not support. */
perp_status pp_note_unused(pp_import *m) {
    const pp_model *d = &m->model;
    perp_status s = PERP_OK;
    int effort = 0;
    for (int i = 0; i < d->njoint && !s; i++) {
        const pp_model_joint *j = &d->joint[i];
        effort += d->nactuator == 0 && j->effort[1] < 1e300;
    }
    int spatial = 0;
    for (int i = 0; i < d->ntendon; i++) spatial += d->tendon[i].spatial;
    const struct {
        int n;
        const char *what;
    } list[] = {{effort, "joints with a limit on the force of their drives"}, {spatial, "spatial tendons"}};
    for (size_t i = 0; i < sizeof list / sizeof *list && !s; i++)
        if (list[i].n > 0) s = pp_robot_note(m, PERP_IMPORT_IGNORED, NULL, "%d %s", list[i].n, list[i].what);
    for (int i = 0; i < d->nequality && !s; i++) {
        const pp_model_equality *q = &d->equality[i];
        bool kept = d->sdf || !strcmp(q->type, "connect") || !strcmp(q->type, "weld") || !strcmp(q->type, "joint") ||
                    !strcmp(q->type, "tendon"); /* of these the writer tells what it leaves out */
        if (!kept || !q->active)
            s = pp_robot_note(m, PERP_IMPORT_IGNORED, q->at, "equality constraints <%s>%s", q->type,
                              q->active ? "" : " that are not active");
    }
    return s;
}

/* data NULL: the file is read. */
static perp_status read_model(pp_import *m, const char *data, size_t size) {
    pp_xml *root;
    perp_status s = data ? parse(m, m->path, data, size, &root) : pp_robot_read_file(m, m->path, m->path, &root);
    if (s) return s;
    if (!pp_model_add_body(m, "world", root, 0)) return m->why->status;
    if (!strcmp(root->name, "robot")) return pp_urdf_read(m, root);
    if (!strcmp(root->name, "mujoco")) return pp_mjcf_read(m, root);
    if (!strcmp(root->name, "sdf")) return pp_sdf_read(m, root);
    char found[160];
    (void)snprintf(found, sizeof found, "<%.100s>", root->name);
    return pp_complain(m->why, PERP_E_ARG, pp_xml_place(root), NULL, found,
                       "<mujoco> (MJCF), <robot> (URDF) or <sdf> (SDF) as the first element");
}

/* The steps of the table in robot.h. */
static perp_status import(pp_import *m, const char *data, size_t size) {
    perp_status s = read_model(m, data, size);
    if (!s && m->options.key) s = pp_mjcf_key(m, m->options.key);
    if (!s && m->embed) s = pp_model_embed(m);
    if (!s) s = pp_robot_links(m);
    if (!s) s = pp_robot_filters(m);
    if (!s) s = pp_robot_write(m);
    return s ? s : pp_note_unused(m);
}

/* embed NULL: a scene of its own. */
static perp_status import_as(const char *path, const char *data, size_t size, const perp_import_options *options,
                             pp_embedding *embed, perp_import **out, perp_refusal *why) {
    pp_location at = {path, 0, 0};
    *out = NULL;
    perp_import_options o = options ? *options : (perp_import_options){0};
    if (o.corners == 0) o.corners = PERP_IMPORT_CORNERS;
    if (o.corners < 8 || o.corners > 10000)
        return pp_complain_say(why, PERP_E_ARG, at, NULL, "found %d corners; allowed: 8 to 10000", o.corners);
    pp_import *m = pp_alloc(&o.alloc, sizeof *m);
    if (!m) return pp_complain_say(why, PERP_E_MEMORY, at, NULL, "no memory for the model");
    memset(m, 0, sizeof *m);
    m->alloc = o.alloc;
    m->key = -1;
    m->options = o;
    m->embed = embed;
    m->why = why;
    m->model.gravity = perp_v3(0, 0, -9.81);
    pp_pool_init(&m->pool, &m->alloc);
    m->path = pp_pool_text(&m->pool, path, strlen(path));
    perp_status s = m->path ? import(m, data, size) : pp_robot_no_memory(m);
    m->why = NULL;
    m->options.package = NULL;
    m->options.key = NULL;
    m->embed = NULL;
    if (s) {
        perp_import_close(m);
        return s;
    }
    memset(why, 0, sizeof *why); /* of visuals that were left out */
    *out = m;
    return PERP_OK;
}

perp_status pp_robot_import(const char *path, const char *data, size_t size, const perp_import_options *options,
                            perp_import **out, perp_refusal *why) {
    return import_as(path, data, size, options, NULL, out, why);
}

perp_status pp_robot_embed(const char *path, const char *data, size_t size, const perp_import_options *options,
                           pp_embedding *embed, char **scene, perp_refusal *why) {
    perp_import_options o = *options;
    perp_import *m;
    o.free_base = o.free_base || embed->base == PP_BASE_FREE;
    *scene = NULL;
    perp_status s = import_as(path, data, size, &o, embed, &m, why);
    if (s) return s;
    *scene = m->scene;
    m->scene = NULL;
    perp_import_close(m);
    return PERP_OK;
}

perp_status perp_import_open(const char *path, const perp_import_options *options, perp_import **out,
                             perp_refusal *why) {
    perp_refusal unheard;
    if (!why) why = &unheard;
    memset(why, 0, sizeof *why);
    if (!out || !path)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){path ? path : "", 0, 0}, NULL,
                               "no path, or no place for the model, was given");
    return pp_robot_import(path, NULL, 0, options, out, why);
}

void perp_import_close(perp_import *m) {
    if (!m) return;
    perp_allocator a = m->alloc;
    pp_model_free(m);
    pp_free(&a, m->link_of);
    pp_free(&a, m->X_link);
    pp_free(&a, m->link);
    pp_free(&a, m->filter);
    pp_free(&a, m->friction);
    pp_free(&a, m->note);
    pp_free(&a, m->scene);
    pp_pool_free(&m->pool);
    pp_free(&a, m);
}

const char *perp_import_scene(const perp_import *m) { return m->scene; }
