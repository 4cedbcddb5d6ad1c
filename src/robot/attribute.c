/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* attribute.c - values of attributes of a model file: numbers, vectors, words, colours. */
#include <stdio.h>
#include <string.h>

#include "robot/robot.h"

static perp_status wrong_numbers(pp_import *m, const pp_xml *e, const char *attribute, const char *text, int least,
                                 int n) {
    char found[200], allowed[64];
    (void)snprintf(found, sizeof found, "\"%.150s\"", text);
    if (least == n)
        (void)snprintf(allowed, sizeof allowed, n == 1 ? "a finite number" : "%d finite numbers", n);
    else
        (void)snprintf(allowed, sizeof allowed, "%d to %d finite numbers", least, n);
    return pp_robot_wrong(m, e, attribute, found, allowed);
}

perp_status pp_robot_numbers(pp_import *m, const pp_xml *e, const char *attribute, const char *text, int least, int n,
                             double *out, int *got) {
    if (got) *got = 0;
    if (!text) return PERP_OK;
    int count = pp_xml_numbers(text, out, n);
    if (count < least) return wrong_numbers(m, e, attribute, text, least, n);
    if (got) *got = count;
    return PERP_OK;
}

perp_status pp_robot_vector(pp_import *m, const pp_xml *e, const char *attribute, const char *text, perp_vec3 *out) {
    double v[3];
    int got;
    perp_status s = pp_robot_numbers(m, e, attribute, text, 3, 3, v, &got);
    if (!s && got) *out = perp_v3(v[0], v[1], v[2]);
    return s;
}

perp_status pp_robot_number(pp_import *m, const pp_xml *e, const char *attribute, const char *text, double *out) {
    return pp_robot_numbers(m, e, attribute, text, 1, 1, out, NULL);
}

perp_status pp_robot_word(pp_import *m, const pp_xml *e, const char *attribute, const char *text,
                          const char *const *words, int *out) {
    char found[128], allowed[400];
    size_t n = 0;
    if (!text) return PERP_OK;
    for (int i = 0; words[i]; i++) {
        if (!strcmp(words[i], text)) {
            *out = i;
            return PERP_OK;
        }
        if (n < sizeof allowed)
            n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%s%s",
                                  i == 0         ? ""
                                  : words[i + 1] ? ", "
                                                 : " or ",
                                  words[i]);
    }
    const char *near = pp_suggest(text, words);
    if (near && n < sizeof allowed) (void)snprintf(allowed + n, sizeof allowed - n, " (did you mean %s?)", near);
    (void)snprintf(found, sizeof found, "\"%.100s\"", text);
    return pp_robot_wrong(m, e, attribute, found, allowed);
}

uint32_t pp_robot_colour(const double *rgb) {
    unsigned v[3];
    for (int i = 0; i < 3; i++) v[i] = (unsigned)(255 * (rgb[i] < 0 ? 0 : rgb[i] > 1 ? 1 : rgb[i]) + 0.5);
    return PERP_COLOUR(v[0], v[1], v[2]);
}
