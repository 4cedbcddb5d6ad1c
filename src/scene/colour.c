/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* colour.c - colours by name or as #rrggbb. */
#include <string.h>

#include "perp/shape.h"
#include "scene/table.h"

/* Names and values of the web (CSS). */
static const struct {
    const char *name;
    uint32_t value;
} colours[] = {
    {"black", PERP_COLOUR(0, 0, 0)},        {"white", PERP_COLOUR(255, 255, 255)}, {"grey", PERP_COLOUR(128, 128, 128)},
    {"silver", PERP_COLOUR(192, 192, 192)}, {"red", PERP_COLOUR(255, 0, 0)},       {"orange", PERP_COLOUR(255, 165, 0)},
    {"gold", PERP_COLOUR(255, 215, 0)},     {"yellow", PERP_COLOUR(255, 255, 0)},  {"olive", PERP_COLOUR(128, 128, 0)},
    {"green", PERP_COLOUR(0, 128, 0)},      {"lime", PERP_COLOUR(0, 255, 0)},      {"teal", PERP_COLOUR(0, 128, 128)},
    {"cyan", PERP_COLOUR(0, 255, 255)},     {"blue", PERP_COLOUR(0, 0, 255)},      {"navy", PERP_COLOUR(0, 0, 128)},
    {"purple", PERP_COLOUR(128, 0, 128)},   {"magenta", PERP_COLOUR(255, 0, 255)}, {"pink", PERP_COLOUR(255, 192, 203)},
    {"brown", PERP_COLOUR(165, 42, 42)},
};
#define COUNT (int)(sizeof colours / sizeof *colours)

const char *pp_colour_name(int i) { return i >= 0 && i < COUNT ? colours[i].name : NULL; }

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

uint32_t pp_colour_of(const char *text) {
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(text, colours[i].name)) return colours[i].value;
    if (text[0] != '#' || strlen(text) != 7) return 0;
    uint32_t rgb = 0;
    for (int i = 1; i < 7; i++) {
        if (digit(text[i]) < 0) return 0;
        rgb = rgb << 4 | (uint32_t)digit(text[i]);
    }
    return 0xff000000u | rgb;
}
