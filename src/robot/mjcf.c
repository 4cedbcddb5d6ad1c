/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mjcf.c - MJCF, the files of MuJoCo: includes, settings, and the order of the sections.
 *
 * Sections may stand several times and in any order, so they are read in the order that they need each other: compiler and options, defaults, assets, bodies,
 * the rest. Included files are put in place of <include> first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/mjcf.h"

/* ---- includes ---- */

static perp_status expand(pp_import *m, pp_xml *e, int depth);

/* An included file lies beside the main file, or, where there is none, beside the file that includes it. */
static perp_status read_include(pp_import *m, const pp_xml *include, pp_xml **root) {
    const char *file = pp_xml_get(include, "file");
    char path[1024];
    if (!file || !file[0]) return pp_robot_wrong(m, include, "file", "nothing", "the name of a file");
    perp_refusal first;
    if (!pp_source_beside(m->path, file, path, sizeof path))
        return pp_robot_wrong(m, include, "file", "a path that is too long", "at most 1024 bytes");
    perp_status s = pp_robot_read_file(m, path, path, root);
    if (s != PERP_E_IO) return s;
    memcpy(&first, m->why, sizeof first);
    if (pp_source_beside(include->file, file, path, sizeof path)) s = pp_robot_read_file(m, path, path, root);
    if (s == PERP_E_IO) return pp_robot_say(m, s, include, "%s", first.text);
    return s;
}

/* Puts what is in the file in place of the element `at` points to; *at: what comes after. */
static perp_status splice(pp_import *m, pp_xml *parent, pp_xml **at, int depth) {
    pp_xml *include = *at, *root, *last;
    if (depth >= PP_ROBOT_INCLUDES)
        return pp_robot_wrong(m, include, "file", "includes deeper than 16 files", "at most 16, and no circle");
    perp_status s = read_include(m, include, &root);
    if (!s) s = expand(m, root, depth + 1);
    if (s) return s;
    for (pp_xml *c = root->first; c; c = c->next) c->parent = parent;
    last = root->first ? root->last : NULL;
    *at = root->first ? root->first : include->next;
    if (last) last->next = include->next;
    if (parent->last == include) parent->last = last; /* NULL only if nothing is left behind it */
    return PERP_OK;
}

static perp_status expand(pp_import *m, pp_xml *e, int depth) {
    pp_xml **at = &e->first;
    perp_status s = PERP_OK;
    while (*at && !s) {
        if (!strcmp((*at)->name, "include")) {
            pp_xml *behind = (*at)->next;
            s = splice(m, e, at, depth);
            while (!s && *at && *at != behind) at = &(*at)->next; /* what was put in is expanded already */
            continue;
        }
        s = expand(m, *at, depth);
        at = &(*at)->next;
    }
    for (pp_xml *c = e->first; c; c = c->next) e->last = c;
    return s;
}

/* ---- settings ---- */

static perp_status read_compiler(pp_mjcf *f, const pp_xml *e) {
    static const char *const angles[] = {"degree", "radian", NULL}, *const from[] = {"false", "true", "auto", NULL};
    static const char *const coordinates[] = {"local", NULL};
    pp_import *m = f->m;
    int angle = f->radian, k = 0;
    perp_status s = pp_robot_word(m, e, "angle", pp_xml_get(e, "angle"), angles, &angle);
    f->radian = angle == 1;
    if (!s) s = pp_robot_word(m, e, "coordinate", pp_xml_get(e, "coordinate"), coordinates, &k);
    if (!s) s = pp_robot_word(m, e, "inertiafromgeom", pp_xml_get(e, "inertiafromgeom"), from, &f->from_geoms);
    if (!s) s = pp_mjcf_bool(m, e, "autolimits", pp_xml_get(e, "autolimits"), &f->autolimits);
    if (!s) s = pp_mjcf_bool(m, e, "strippath", pp_xml_get(e, "strippath"), &f->strippath);
    if (!s) s = pp_mjcf_bool(m, e, "balanceinertia", pp_xml_get(e, "balanceinertia"), &f->balance);
    if (!s) s = pp_mjcf_bool(m, e, "fitaabb", pp_xml_get(e, "fitaabb"), &f->fit_box);
    if (!s) s = pp_robot_number(m, e, "boundmass", pp_xml_get(e, "boundmass"), &f->bound_mass);
    if (!s) s = pp_robot_number(m, e, "boundinertia", pp_xml_get(e, "boundinertia"), &f->bound_inertia);
    if (!s) s = pp_robot_number(m, e, "settotalmass", pp_xml_get(e, "settotalmass"), &f->total_mass);
    if (!s)
        s = pp_robot_numbers(m, e, "inertiagrouprange", pp_xml_get(e, "inertiagrouprange"), 2, 2, f->group_range, NULL);
    if (s) return s;
    const char *euler = pp_xml_get(e, "eulerseq"), *dir = pp_xml_get(e, "meshdir");
    if (euler && (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3))
        return pp_robot_wrong(m, e, "eulerseq", euler, "three letters of x, y, z, X, Y, Z");
    if (euler) memcpy(f->euler, euler, 4);
    if (!dir) dir = pp_xml_get(e, "assetdir");
    if (dir) f->meshdir = dir;
    return PERP_OK;
}

static perp_status read_option(pp_mjcf *f, const pp_xml *e) {
    static const char *const flags[] = {"disable", "enable", NULL};
    pp_model *d = &f->m->model;
    int contact = 1, gravity = 1, parent = 1;
    perp_status s = pp_robot_number(f->m, e, "timestep", pp_xml_get(e, "timestep"), &d->h);
    if (!s && !(d->h > 0)) s = pp_robot_wrong(f->m, e, "timestep", pp_xml_get(e, "timestep"), "a number > 0");
    if (!s) s = pp_robot_vector(f->m, e, "gravity", pp_xml_get(e, "gravity"), &d->gravity);
    for (const pp_xml *g = pp_xml_child(e, "flag"); g && !s; g = pp_xml_again(g)) {
        s = pp_robot_word(f->m, g, "contact", pp_xml_get(g, "contact"), flags, &contact);
        if (!s) s = pp_robot_word(f->m, g, "gravity", pp_xml_get(g, "gravity"), flags, &gravity);
        if (!s) s = pp_robot_word(f->m, g, "filterparent", pp_xml_get(g, "filterparent"), flags, &parent);
    }
    if (!contact) d->contact_off = true;
    if (!parent) d->filter_parent_off = true;
    if (!gravity) d->gravity = perp_v3(0, 0, 0);
    double medium = 0;
    static const char *const air[] = {"density", "viscosity", "wind"};
    for (int i = 0; i < 3 && !s; i++) {
        const char *text = pp_xml_get(e, air[i]);
        if (text && strtod(text, NULL) != medium)
            s = pp_robot_note(f->m, PERP_IMPORT_IGNORED, e, "forces of the medium (%s)", air[i]);
    }
    return s;
}

/* ---- what is passed over ---- */

static perp_status note_passed(pp_mjcf *f, const pp_xml *e) {
    static const char *const soft[] = {
        "solref",     "solimp",           "solreflimit", "solimplimit", "solreffriction", "solimpfriction",
        "solmix",     "margin",           "gap",         "impratio",    "cone",           "noslip_iterations",
        "integrator", "actuatorgravcomp", "fluidshape"};
    for (const pp_xml *c = e->first; c; c = c->next) {
        for (size_t i = 0; i < sizeof soft / sizeof *soft; i++)
            if (pp_xml_get(c, soft[i])) {
                perp_status s = pp_robot_note(f->m, PERP_IMPORT_IGNORED, c, "the attribute %s%s", soft[i],
                                              i < 12 ? ": contacts and limits of perp are hard" : "");
                if (s) return s;
            }
        perp_status s = note_passed(f, c);
        if (s) return s;
    }
    return PERP_OK;
}

static perp_status check_sections(pp_mjcf *f) {
    static const char *const known[] = {"compiler", "option",    "size",    "visual",    "statistic",  "asset",
                                        "default",  "worldbody", "contact", "equality",  "tendon",     "actuator",
                                        "sensor",   "keyframe",  "custom",  "extension", "deformable", NULL};
    for (const pp_xml *e = f->root->first; e; e = e->next) {
        bool is = false;
        for (int i = 0; known[i] && !is; i++) is = !strcmp(known[i], e->name);
        if (!is) {
            const char *near = pp_suggest(e->name, known);
            char found[128], allowed[160];
            (void)snprintf(found, sizeof found, "<%.100s>", e->name);
            (void)snprintf(allowed, sizeof allowed, near ? "a section of MJCF (did you mean %s?)" : "a section of MJCF",
                           near ? near : "");
            return pp_robot_wrong(f->m, e, NULL, found, allowed);
        }
        perp_status s = PERP_OK;
        if (!strcmp(e->name, "deformable")) s = pp_robot_wrong(f->m, e, NULL, "deformable bodies", "rigid ones");
        if (s) return s;
    }
    return PERP_OK;
}

perp_status pp_mjcf_read(pp_import *m, pp_xml *root) {
    pp_mjcf f = {.m = m,
                 .root = root,
                 .autolimits = true,
                 .euler = "xyz",
                 .meshdir = "",
                 .from_geoms = PP_GEOMS_AUTO,
                 .group_range = {0, 5}};
    m->model.format = "MJCF";
    m->model.h = 0.002; /* MuJoCo's default */
    const char *name = pp_xml_get(root, "model");
    m->model.name = name ? name : "";
    perp_status s = expand(m, root, 0);
    if (!s) s = check_sections(&f);
    for (const pp_xml *e = root->first; e && !s; e = e->next) {
        if (!strcmp(e->name, "compiler")) s = read_compiler(&f, e);
        if (!s && !strcmp(e->name, "option")) s = read_option(&f, e);
    }
    if (!s) s = note_passed(&f, root);
    if (!s) s = pp_mjcf_defaults(&f);
    if (!s) s = pp_mjcf_assets(&f);
    if (!s) s = pp_mjcf_bodies(&f);
    if (!s) s = pp_mjcf_fit(&f);
    if (!s) s = pp_mjcf_others(&f);
    if (!s) s = pp_mjcf_masses(&f);
    if (!s) s = pp_mjcf_damping(&f);
    for (int i = 0; i < f.nclass; i++) pp_free(&m->alloc, f.class[i].at);
    pp_free(&m->alloc, f.class);
    return s;
}
