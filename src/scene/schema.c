/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* schema.c - the JSON Schema (draft 2020-12) of scene files, from the tables the reader uses.
 *
 * The schema cannot express the dimension of a scene or the values of expressions: vectors may have two or three numbers, and a
 * number may be a text. The reader checks these. */
#include <stdio.h>
#include <string.h>

#include "perp/scene.h"
#include "scene/table.h"

/* A text in quotes. */
static void quoted(pp_writer *t, const char *text) {
    pp_write(t, "\"");
    for (const char *p = text; *p; p++) pp_write(t, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    pp_write(t, "\"");
}

static void describe(pp_writer *t, const pp_key *k) {
    char text[1024];
    pp_writer d = {text, sizeof text, 0};
    pp_write(&d, "%s", k->help);
    if (k->dims) pp_write(&d, " Only in %s.", k->dims == PP_2D ? "2D" : "3D");
    if (k->unit) pp_write(&d, " Unit: %s.", k->unit);
    if (k->standard) pp_write(&d, " Default: %s.", k->standard);
    pp_write(t, "\"description\":");
    quoted(t, text);
}

static void number(pp_writer *t, const pp_key *k, const char *type) {
    pp_write(t, "\"type\":[\"%s\",\"string\"]", type);
    if (!k->ranged) return;
    pp_write(t, ",\"%s\":%.15g", k->above ? "exclusiveMinimum" : "minimum", k->min);
    if (isfinite(k->max)) pp_write(t, ",\"maximum\":%.15g", k->max);
}

static void list_of(pp_writer *t, const char *item, int least, int most) {
    pp_write(t, "\"type\":\"array\",\"items\":%s,\"minItems\":%d,\"maxItems\":%d", item, least, most);
}

#define ANY_NUMBER "{\"type\":[\"number\",\"string\"]}"

static void numbers(pp_writer *t, const pp_key *k) {
    unsigned count = k->count2 | k->count3;
    bool first = true;
    pp_write(t, "\"anyOf\":[");
    for (int n = 1; n < 32; n++) {
        if (!(count >> n & 1u)) continue;
        pp_write(t, "%s", first ? "" : ",");
        first = false;
        if (n == 1) {
            pp_write(t, ANY_NUMBER);
        } else {
            pp_write(t, "{");
            list_of(t, ANY_NUMBER, n, n);
            pp_write(t, "}");
        }
    }
    pp_write(t, "]");
}

static void words(pp_writer *t, const pp_key *k) {
    pp_write(t, "\"enum\":[");
    for (int i = 0; k->choice ? k->choice[i] != NULL : k->list(i) != NULL; i++) {
        if (i) pp_write(t, ",");
        quoted(t, k->choice ? k->choice[i] : k->list(i));
    }
    pp_write(t, "]");
}

static void reference_to(pp_writer *t, const pp_map *m) { pp_write(t, "\"$ref\":\"#/$defs/%s\"", m->name); }

/* Types whose values are described by the same text for every key. */
static const char *const fixed[] = {
    [PP_T_BOOL] = "\"type\":\"boolean\"",
    [PP_T_TEXT] = "\"type\":[\"string\",\"number\",\"boolean\"]",
    [PP_T_LABEL] = "\"type\":[\"string\",\"number\",\"boolean\"]",
    [PP_T_NAME] = "\"type\":\"string\",\"pattern\":\"^[A-Za-z]([A-Za-z0-9_-]|\\\\$\\\\{[^}]*\\\\})*$\"",
    [PP_T_REF] = "\"type\":\"string\",\"minLength\":1",
    [PP_T_FILE] = "\"type\":\"string\",\"minLength\":1",
    [PP_T_NAMES] = "\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1}",
    [PP_T_SETTINGS] = "\"type\":\"object\",\"additionalProperties\":{\"type\":\"object\",\"additionalProperties\":{"
                      "\"type\":[\"number\",\"string\",\"boolean\"]}}",
    [PP_T_FILES] = "\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":\"string\"}}]",
    [PP_T_WHOLES] = "\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":0}",
    [PP_T_SERIES] = "\"type\":\"array\",\"items\":" ANY_NUMBER,
    [PP_T_CURVE] =
        "\"type\":\"array\",\"minItems\":2,\"items\":{\"type\":\"array\",\"minItems\":2,\"items\":" ANY_NUMBER "}",
    [PP_T_REPEAT] = "\"anyOf\":[{\"type\":[\"integer\",\"string\"],\"minimum\":0},{\"type\":\"object\","
                    "\"minProperties\":1,\"maxProperties\":8,"
                    "\"additionalProperties\":{\"type\":[\"integer\",\"string\"]}}]",
    [PP_T_WHAT] = "\"anyOf\":[{\"const\":\"all\"},{\"type\":\"array\",\"items\":{\"enum\":[\"poses\",\"twists\","
                  "\"joints\",\"contacts\",\"certificate\",\"ledger\",\"solver\"]}}]",
    [PP_T_WATCH] = "\"type\":\"object\",\"additionalProperties\":{\"type\":[\"number\",\"string\"]}",
    [PP_T_FORMULA] = "\"type\":[\"number\",\"string\"]",
};

static void colour(pp_writer *t) {
    pp_write(t, "\"anyOf\":[{\"type\":\"string\",\"pattern\":\"^#[0-9A-Fa-f]{6}$\"},{\"enum\":[");
    for (int i = 0; pp_colour_name(i); i++) {
        if (i) pp_write(t, ",");
        quoted(t, pp_colour_name(i));
    }
    pp_write(t, "]}]");
}

static void value(pp_writer *t, const pp_key *k) {
    switch (k->type) {
    case PP_T_BOOL:
    case PP_T_TEXT:
    case PP_T_LABEL:
    case PP_T_NAME:
    case PP_T_REF:
    case PP_T_FILE:
    case PP_T_NAMES:
    case PP_T_SETTINGS:
    case PP_T_FILES:
    case PP_T_WHOLES:
    case PP_T_SERIES:
    case PP_T_CURVE:
    case PP_T_REPEAT:
    case PP_T_WHAT:
    case PP_T_WATCH:
    case PP_T_FORMULA: pp_write(t, "%s", fixed[k->type]); break;
    case PP_T_TAG: break; /* written by the form itself */
    case PP_T_NUMBER: number(t, k, "number"); break;
    case PP_T_WHOLE: number(t, k, "integer"); break;
    case PP_T_CHOICE:
    case PP_T_STAGE: words(t, k); break;
    case PP_T_STAGES:
        pp_write(t, "\"type\":\"array\",\"maxItems\":4,\"items\":{");
        words(t, k);
        pp_write(t, "}");
        break;
    case PP_T_COLOUR: colour(t); break;
    case PP_T_VECTOR:
    case PP_T_FORMULAS: list_of(t, ANY_NUMBER, 2, 3); break;
    case PP_T_ANGULAR:
    case PP_T_FORMULA_ANGULAR:
        pp_write(t, "\"anyOf\":[" ANY_NUMBER ",{");
        list_of(t, ANY_NUMBER, 3, 3);
        pp_write(t, "}]");
        break;
    case PP_T_TURN:
    case PP_T_FORMULA_TURN:
        pp_write(t, "\"anyOf\":[" ANY_NUMBER ",{");
        if (k->type == PP_T_TURN) {
            list_of(t, ANY_NUMBER, 4, 4);
            pp_write(t, "},{");
        }
        reference_to(t, k->map);
        pp_write(t, "}]");
        break;
    case PP_T_NUMBERS: numbers(t, k); break;
    case PP_T_MAP: reference_to(t, k->map); break;
    case PP_T_LIST:
        pp_write(t, "\"type\":\"array\",\"items\":{");
        reference_to(t, k->map);
        pp_write(t, "}");
        break;
    case PP_T_TABLE:
        pp_write(t, "\"type\":\"object\",\"additionalProperties\":{");
        reference_to(t, k->map);
        pp_write(t, "}");
        break;
    case PP_T_PARAMETERS:
        pp_write(t, "\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z_][A-Za-z0-9_]*$\"},"
                    "\"additionalProperties\":{\"anyOf\":[" ANY_NUMBER ",{");
        reference_to(t, k->map);
        pp_write(t, "}]}");
        break;
    case PP_T_POINTS:
        pp_write(t, "\"anyOf\":[{\"type\":\"array\",\"minItems\":1,\"maxItems\":10000,\"items\":{");
        list_of(t, ANY_NUMBER, 2, 3);
        pp_write(t, "}},{");
        reference_to(t, k->map);
        pp_write(t, "}]");
        break;
    case PP_T_ROWS:
        pp_write(t, "\"type\":\"array\",\"minItems\":1,\"items\":{");
        list_of(t, ANY_NUMBER, 4, 8);
        pp_write(t, "}");
        break;
    }
}

/* The keys of one form of a map; variant -1: the map has only one. */
static void form(pp_writer *t, const pp_map *m, int variant) {
    if (variant >= 0) {
        pp_write(t, "\"title\":");
        quoted(t, m->variant[variant].name);
        pp_write(t, ",\"description\":");
        quoted(t, m->variant[variant].about);
        pp_write(t, ",");
    }
    pp_write(t, "\"properties\":{");
    bool first = true;
    for (int i = 0; i < m->nkey; i++) {
        const pp_key *k = &m->key[i];
        if (!pp_key_fits(k, 0, variant)) continue;
        pp_write(t, first ? "\n" : ",\n");
        first = false;
        quoted(t, k->name);
        pp_write(t, ":{");
        describe(t, k);
        pp_write(t, ",");
        if (k->type == PP_T_TAG) {
            pp_write(t, "\"const\":");
            quoted(t, m->variant[variant].name);
        } else {
            value(t, k);
        }
        pp_write(t, "}");
    }
    pp_write(t, "},\"required\":[");
    first = true;
    for (int i = 0; i < m->nkey; i++) {
        const pp_key *k = &m->key[i];
        /* what an included file, or a template, may give is not required of a file by itself */
        if (!k->required || !pp_key_fits(k, 0, variant) || (m == &pp_map_top && strcmp(k->name, "perp") != 0)) continue;
        pp_write(t, first ? "" : ",");
        first = false;
        quoted(t, k->name);
    }
    pp_write(t, "],\"additionalProperties\":false");
}

static void map(pp_writer *t, const pp_map *m) {
    pp_write(t, "\"type\":\"object\",\"description\":");
    quoted(t, m->about);
    pp_write(t, ",");
    if (!m->variant) {
        form(t, m, -1);
        return;
    }
    pp_write(t, "\"required\":[\"type\"],\"oneOf\":[");
    for (int v = 0; m->variant[v].name; v++) {
        pp_write(t, v ? ",\n{" : "\n{");
        form(t, m, v);
        pp_write(t, "}");
    }
    pp_write(t, "]");
}

size_t perp_scene_schema(char *buf, size_t size) {
    static const pp_map *const parts[] = {
        &pp_map_parameter, &pp_map_stages,  &pp_map_law,    &pp_map_pair_law, &pp_map_record,   &pp_map_body,
        &pp_map_shape,     &pp_map_turn,    &pp_map_points, &pp_map_motion,   &pp_map_term,     &pp_map_formula_turn,
        &pp_map_joint,     &pp_map_coupled, &pp_map_axis,   &pp_map_motor,    &pp_map_spring,   &pp_map_force,
        &pp_map_function,  &pp_map_model,   &pp_map_site,   &pp_map_sensor,   &pp_map_keyframe, &pp_map_actuator,
        &pp_map_exclude,   &pp_map_control};
    pp_writer t = {buf, size, 0};
    if (size) buf[0] = 0;
    pp_write(&t, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n\"title\":\"perp scene\",\n");
    map(&t, &pp_map_top);
    pp_write(&t, ",\n\"$defs\":{");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        pp_write(&t, i ? ",\n" : "\n");
        quoted(&t, parts[i]->name);
        pp_write(&t, ":{");
        map(&t, parts[i]);
        pp_write(&t, "}");
    }
    pp_write(&t, "}}\n");
    return t.n;
}
