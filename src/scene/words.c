/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* words.c - what the value of a key may be, in words, from its line in the table. */
#include <stdio.h>
#include <string.h>

#include "scene/table.h"

static void range(pp_writer *t, const pp_key *k) {
    if (!k->ranged) return;
    if (isfinite(k->max) && k->min == k->max)
        pp_write(t, ": %.15g", k->min);
    else if (k->type == PP_T_WHOLE && k->max == k->min + 1)
        pp_write(t, ": %.15g or %.15g", k->min, k->max);
    else if (isfinite(k->max))
        pp_write(t, k->above ? " above %.15g, up to %.15g" : " from %.15g to %.15g", k->min, k->max);
    else
        pp_write(t, " %s %.15g", k->above ? ">" : ">=", k->min);
}

static void counts(pp_writer *t, unsigned count) {
    bool some = false;
    for (int n = 1; n < 32; n++) {
        if (!(count >> n & 1u)) continue;
        if (n == 1)
            pp_write(t, "a number");
        else
            pp_write(t, "%s%d numbers", some ? (count & 2u) ? " or a list of " : " or " : "a list of ", n);
        some = true;
    }
}

static void by_dim(pp_writer *t, int dim, const char *two, const char *three) {
    if (dim)
        pp_write(t, "%s", dim == 2 ? two : three);
    else
        pp_write(t, "2D: %s; 3D: %s", two, three);
}

static void choices(pp_writer *t, const pp_key *k) {
    int n = 0;
    while (k->choice[n]) n++;
    for (int i = 0; i < n; i++) pp_write(t, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", k->choice[i]);
}

static void listed(pp_writer *t, const pp_key *k) {
    for (int i = 0; k->list(i); i++) pp_write(t, "%s%s", i ? ", " : "", k->list(i));
}

char *pp_key_words(const pp_key *k, int dim, char *out, size_t size) {
    pp_writer w = {out, size, 0}, *t = &w;
    out[0] = 0;
    switch (k->type) {
    case PP_T_TAG: pp_write(t, "one of the types below"); break;
    case PP_T_NUMBER:
        pp_write(t, "a number");
        range(t, k);
        if (k->infinite) pp_write(t, ", or inf");
        break;
    case PP_T_WHOLE:
        pp_write(t, "a whole number");
        range(t, k);
        break;
    case PP_T_BOOL: pp_write(t, "true or false"); break;
    case PP_T_CHOICE: choices(t, k); break;
    case PP_T_STAGE: listed(t, k); break;
    case PP_T_STAGES:
        pp_write(t, "a list of: ");
        listed(t, k);
        break;
    case PP_T_TEXT: pp_write(t, "a text"); break;
    case PP_T_LABEL: pp_write(t, "a text of at most 95 bytes on one line"); break;
    case PP_T_COLOUR:
        pp_write(t, "\"#rrggbb\" in quotes, or");
        for (int i = 0; pp_colour_name(i); i++) pp_write(t, "%s %s", i ? "," : "", pp_colour_name(i));
        break;
    case PP_T_NAME: pp_write(t, "a name: letters, digits, - and _, a letter first, at most 95"); break;
    case PP_T_REF: pp_write(t, "the name of %s", k->of); break;
    case PP_T_NAMES: pp_write(t, "a list of names"); break;
    case PP_T_VECTOR:
        by_dim(t, dim, "a list of 2 numbers", "a list of 3 numbers");
        range(t, k);
        break;
    case PP_T_ANGULAR: by_dim(t, dim, "a number", "a list of 3 numbers"); break;
    case PP_T_TURN:
        by_dim(t, dim, "a number (the angle)",
               "{axis: [x, y, z], angle: a}, {euler: [rx, ry, rz]} or a list of 4 numbers (w, x, y, z)");
        break;
    case PP_T_NUMBERS:
        if (dim || k->count2 == k->count3 || !k->count2) {
            counts(t, dim == 2 ? k->count2 : k->count3);
        } else {
            pp_write(t, "2D: ");
            counts(t, k->count2);
            pp_write(t, "; 3D: ");
            counts(t, k->count3);
        }
        break;
    case PP_T_MAP: pp_write(t, "a map: %s", k->map->name); break;
    case PP_T_LIST: pp_write(t, "a list of maps: %s", k->map->name); break;
    case PP_T_TABLE: pp_write(t, "a map from names to maps: %s", k->map->name); break;
    case PP_T_PARAMETERS: pp_write(t, "a map from names to numbers, or to maps: %s", k->map->name); break;
    case PP_T_SETTINGS: pp_write(t, "a map from solvers and steppers to maps of settings"); break;
    case PP_T_FILES: pp_write(t, "the name of a file, or a list of them"); break;
    case PP_T_FILE: pp_write(t, "the name of a file"); break;
    case PP_T_POINTS:
        by_dim(t, dim, "a list of points [x, y]", "a list of points [x, y, z]");
        pp_write(t, ", or {random: n, in: [...]}");
        break;
    case PP_T_ROWS: by_dim(t, dim, "a list of rows of 4 numbers", "a list of rows of 8 numbers"); break;
    case PP_T_WHOLES: pp_write(t, "a list of whole numbers"); break;
    case PP_T_SERIES: pp_write(t, "a list of numbers"); break;
    case PP_T_CURVE: pp_write(t, "a list of lists of numbers"); break;
    case PP_T_REPEAT: pp_write(t, "a whole number >= 0, or a map from up to 8 names to such"); break;
    case PP_T_WHAT:
        pp_write(t, "all, or a list of: poses, twists, joints, contacts, certificate, ledger, solver");
        break;
    case PP_T_WATCH: pp_write(t, "a map from names to expressions of series"); break;
    case PP_T_FORMULA: pp_write(t, "an expression"); break;
    case PP_T_FORMULAS: by_dim(t, dim, "a list of 2 expressions", "a list of 3 expressions"); break;
    case PP_T_FORMULA_ANGULAR: by_dim(t, dim, "an expression", "a list of 3 expressions"); break;
    case PP_T_FORMULA_TURN: by_dim(t, dim, "an expression", "{axis: [...], angle: ...} of expressions"); break;
    }
    return out;
}
