/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mesh_text.c - lines, words and numbers of a mesh file in text.
 *
 * Lines end in \n, \r\n or \r; a \ right before that joins the next line. Any bytes are safe: what is not a blank is
 * part of a word. */
#include "mesh/mesh_read.h"
#include "input/text.h"

#include <stdio.h>
#include <string.h>

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }

/* Bytes of the end of line at i; 0 if there is none. */
static size_t line_end(const pp_mesh_reader *r, size_t i) {
    if (i >= r->size) return 0;
    if (r->data[i] == '\n') return 1;
    if (r->data[i] != '\r') return 0;
    return i + 1 < r->size && r->data[i + 1] == '\n' ? 2 : 1;
}

/* Bytes of a \ with the end of line after it. */
static size_t joint(const pp_mesh_reader *r, size_t i) {
    if (i >= r->size || r->data[i] != '\\') return 0;
    size_t n = line_end(r, i + 1);
    return n ? n + 1 : 0;
}

static void new_line(pp_mesh_reader *r, size_t bytes) {
    r->at += bytes;
    r->line_start = r->seen = r->at;
    r->column = 1;
    r->line++;
}

void pp_mesh_skip_blanks(pp_mesh_reader *r) {
    while (r->at < r->size) {
        size_t j = joint(r, r->at);
        if (j)
            new_line(r, j);
        else if (blank(r->data[r->at]))
            r->at++;
        else
            break;
    }
}

bool pp_mesh_line_ended(const pp_mesh_reader *r) { return r->at >= r->size || line_end(r, r->at) > 0; }

void pp_mesh_skip_line(pp_mesh_reader *r) {
    while (!pp_mesh_line_ended(r)) r->at++;
    if (r->at < r->size) new_line(r, line_end(r, r->at));
}

pp_mesh_word pp_mesh_take(pp_mesh_reader *r) {
    pp_mesh_word w = {r->at, 0};
    while (!pp_mesh_line_ended(r) && !blank(r->data[r->at]) && !joint(r, r->at)) r->at++;
    w.length = r->at - w.at;
    return w;
}

bool pp_mesh_is(const pp_mesh_reader *r, pp_mesh_word w, const char *word) {
    if (strlen(word) != w.length) return false;
    for (size_t i = 0; i < w.length; i++) {
        char c = r->data[w.at + i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != word[i]) return false;
    }
    return true;
}

pp_location pp_mesh_place(pp_mesh_reader *r, size_t at) {
    if (at <
        r->seen) { /* else it counts from the last position, so that many positions on a long line cost no more than one */
        r->seen = r->line_start;
        r->column = 1;
    }
    for (; r->seen < at; r->seen++)
        if (((unsigned char)r->data[r->seen] & 0xc0) != 0x80) r->column++;
    return (pp_location){r->file, r->line, r->column};
}

perp_status pp_mesh_refuse_word(pp_mesh_reader *r, pp_mesh_word w, perp_status s, const char *key,
                                const char *allowed) {
    char shown[64];
    const char *end = w.at >= r->size ? "the end of the file" : "the end of the line";
    const char *found = w.length ? pp_printable(shown, sizeof shown, r->data + w.at, w.length) : end;
    return pp_complain(r->why, s, pp_mesh_place(r, w.at), key, found, allowed);
}

perp_status pp_mesh_number(pp_mesh_reader *r, pp_mesh_word w, const char *key, double *out) {
    const char *p = r->data + w.at;
    size_t sign = w.length > 0 && (p[0] == '-' || p[0] == '+');
    double x = 0;
    size_t n = pp_number_scan(p + sign, w.length - sign, &x);
    if (n == 0 || n + sign != w.length || !isfinite(x)) {
        return pp_mesh_refuse_word(r, w, PERP_E_ARG, key, "a finite number");
    }
    *out = sign && p[0] == '-' ? -x : x;
    return PERP_OK;
}
