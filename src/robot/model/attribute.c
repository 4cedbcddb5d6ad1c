/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* attribute.c - values of a model file: numbers, vectors, words, colours. */
#include <stdio.h>
#include <string.h>

#include "robot/model/robot.h"

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

/* The first n numbers of a text in which commas may stand and more numbers follow. */
static bool first_numbers(const char *text, int n, double *out) {
    char copy[200];
    double v[16];
    if (strlen(text) >= sizeof copy || n > 16) return false;
    memcpy(copy, text, strlen(text) + 1);
    for (char *p = copy; *p; p++)
        if (*p == ',') *p = ' ';
    if (pp_xml_numbers(copy, v, 16) < n) return false;
    memcpy(out, v, sizeof *v * (size_t)n);
    return true;
}

perp_status pp_robot_numbers(pp_import *m, const pp_xml *e, const char *attribute, const char *text, int least, int n,
                             double *out, int *got) {
    if (got) *got = 0;
    if (!text) return PERP_OK;
    int count = pp_xml_numbers(text, out, n);
    if (got) *got = count;
    if (count >= least) return PERP_OK;
    if (m->options.repair && first_numbers(text, n, out)) {
        if (got) *got = n;
        return pp_robot_note(m, PERP_IMPORT_REPAIRED, e,
                             "numbers with commas between them, or too many: \"%s\" became the first %d", text, n);
    }
    return wrong_numbers(m, e, attribute, text, least, n);
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

pp_value pp_robot_value(const pp_xml *e, const char *key) {
    const char *text = pp_xml_get(e, key);
    const pp_xml *child = e && !text ? pp_xml_child(e, key) : NULL;
    return child ? (pp_value){child, NULL, child->text} : (pp_value){e, key, text};
}

perp_status pp_value_numbers(pp_import *m, const pp_xml *e, const char *key, int n, double *out, int *got) {
    pp_value v = pp_robot_value(e, key);
    return pp_robot_numbers(m, v.at, v.attribute, v.text, n, n, out, got);
}

perp_status pp_value_number(pp_import *m, const pp_xml *e, const char *key, double *out) {
    return pp_value_numbers(m, e, key, 1, out, NULL);
}

perp_status pp_value_wrong(pp_import *m, const pp_xml *e, const char *key, const char *allowed) {
    pp_value v = pp_robot_value(e, key);
    return pp_robot_wrong(m, v.at, v.attribute, v.text && v.text[0] ? v.text : "nothing", allowed);
}

perp_status pp_value_above(pp_import *m, const pp_xml *e, const char *key, double *out) {
    perp_status s = pp_value_number(m, e, key, out);
    return s || *out >= 0 ? s : pp_value_wrong(m, e, key, "a number >= 0");
}

perp_quat pp_robot_rpy(const double *r) {
    perp_quat x = perp_q_axis_angle(perp_v3(1, 0, 0), r[0]), y = perp_q_axis_angle(perp_v3(0, 1, 0), r[1]),
              z = perp_q_axis_angle(perp_v3(0, 0, 1), r[2]);
    return perp_q_mul(z, perp_q_mul(y, x));
}
