/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* reference.c - the reference of scene files in Markdown, from the tables the reader uses. */
#include <string.h>

#include "perp/scene.h"
#include "scene/table.h"

/* Text of a table cell: | would end it. */
static void cell(pp_writer *t, const char *text) {
    for (const char *p = text; *p; p++) pp_write(t, *p == '|' ? "\\|" : "%c", *p);
}

static void row(pp_writer *t, const pp_key *k) {
    char words[512];
    pp_write(t, "| `%s` | ", k->name);
    if (k->dims) pp_write(t, "%s: ", k->dims == PP_2D ? "2D" : "3D");
    cell(t, pp_key_words(k, 0, words, sizeof words));
    pp_write(t, " | %s | ", k->unit ? k->unit : "");
    cell(t, k->required ? "required" : k->standard ? k->standard : "");
    pp_write(t, " | ");
    cell(t, k->help);
    pp_write(t, " |\n");
}

static void head(pp_writer *t) { pp_write(t, "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n"); }

static bool everywhere(const pp_key *k) { return k->variants == 0; }

/* For a map with many types: whether all types except one or two have the key. */
#define MANY_TYPES 6
static bool nearly_everywhere(const pp_map *m, const pp_key *k) {
    int types = 0, missing = 0;
    for (; m->variant[types].name; types++) missing += !pp_key_fits(k, 0, types);
    return !everywhere(k) && types >= MANY_TYPES && missing <= 2;
}

/* Keys that all types but the same few have. */
static void nearly_all(pp_writer *t, const pp_map *m) {
    unsigned told = 0;
    for (int i = 0; i < m->nkey; i++) {
        const pp_key *k = &m->key[i];
        if (!nearly_everywhere(m, k)) continue;
        if (k->variants != told) {
            pp_write(t, "\nKeys of every type but");
            for (int v = 0, n = 0; m->variant[v].name; v++)
                if (!pp_key_fits(k, 0, v)) pp_write(t, "%s `%s`", n++ ? " and" : "", m->variant[v].name);
            pp_write(t, ":\n\n");
            head(t);
        }
        told = k->variants;
        row(t, k);
    }
}

static void section(pp_writer *t, const pp_map *m) {
    pp_write(t, "\n## %s (`%s`)\n\n%s\n\n", m->title, m->name, m->about);
    if (!m->variant) {
        head(t);
        for (int i = 0; i < m->nkey; i++) row(t, &m->key[i]);
        return;
    }
    pp_write(t, "| type | |\n|---|---|\n");
    for (int v = 0; m->variant[v].name; v++) {
        unsigned dims = m->variant[v].dims;
        pp_write(t, "| `%s` | %s%s |\n", m->variant[v].name,
                 dims == PP_2D   ? "2D. "
                 : dims == PP_3D ? "3D. "
                                 : "",
                 m->variant[v].about);
    }
    pp_write(t, "\nKeys of every type:\n\n");
    head(t);
    for (int i = 0; i < m->nkey; i++)
        if (everywhere(&m->key[i])) row(t, &m->key[i]);
    nearly_all(t, m);
    for (int v = 0; m->variant[v].name; v++) {
        bool some = false;
        for (int i = 0; i < m->nkey; i++) {
            const pp_key *k = &m->key[i];
            if (everywhere(k) || nearly_everywhere(m, k) || !pp_key_fits(k, 0, v)) continue;
            if (!some) {
                pp_write(t, "\nKeys of `type: %s`:\n\n", m->variant[v].name);
                head(t);
            }
            some = true;
            row(t, k);
        }
    }
}

size_t perp_scene_reference(char *buf, size_t size) {
    static const pp_map *const parts[] = {
        &pp_map_top,    &pp_map_parameter,    &pp_map_stages,   &pp_map_law,      &pp_map_pair_law, &pp_map_model,
        &pp_map_body,   &pp_map_turn,         &pp_map_shape,    &pp_map_function, &pp_map_points,   &pp_map_motion,
        &pp_map_term,   &pp_map_formula_turn, &pp_map_joint,    &pp_map_coupled,  &pp_map_axis,     &pp_map_motor,
        &pp_map_spring, &pp_map_force,        &pp_map_actuator, &pp_map_control,  &pp_map_exclude,  &pp_map_site,
        &pp_map_sensor, &pp_map_keyframe,     &pp_map_record};
    pp_writer t = {buf, size, 0};
    if (size) buf[0] = 0;
    pp_write(&t, "# Reference of keys\n\nUnits are the user's, written as L (length), M (mass), T (time), rad. Every "
                 "number may be an "
                 "expression.\n");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) section(&t, parts[i]);
    return t.n;
}
