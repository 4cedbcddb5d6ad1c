/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* json.c - writing JSON: commas, indentation and escapes in one place. Output is ASCII apart from UTF-8 that was good
 * already. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "cli.h"

enum { DEPTH = (int)(sizeof((json *)0)->first / sizeof(bool)) };

void json_begin(json *j, FILE *to) { *j = (json){.to = to}; }

static void indent(json *j) {
    if (j->flat) return;
    fputc('\n', j->to);
    for (int i = 0; i < j->depth; i++) fputs("  ", j->to);
}

/* What stands before a value: nothing after a key, else a comma and a new line within an array. */
static void before(json *j) {
    if (j->after_key) {
        j->after_key = false;
    } else if (j->depth > 0) {
        if (!j->first[j->depth - 1]) fputc(',', j->to);
        j->first[j->depth - 1] = false;
        indent(j);
    }
}

static void open_with(json *j, char c) {
    before(j);
    assert(j->depth < DEPTH);
    fputc(c, j->to);
    j->first[j->depth++] = true;
}

void json_object(json *j) { open_with(j, '{'); }
void json_array(json *j) { open_with(j, '['); }

void json_end(json *j, char closing) {
    assert(j->depth > 0 && !j->after_key);
    bool empty = j->first[--j->depth];
    if (!empty) indent(j);
    fputc(closing, j->to);
    if (j->depth == 0) fputc('\n', j->to);
}

/* Length of the UTF-8 character at s; 0 if it is broken, too long for its value, a surrogate or beyond U+10FFFF. */
static int utf8_length(const unsigned char *s) {
    int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)) return 0;
    return n;
}

static void put_string(FILE *to, const char *text) {
    fputc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", to);
            s++;
            continue;
        }
        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", to);
        else if (*s == '\t')
            fputs("\\t", to);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(to, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)n, to);
        s += n;
    }
    fputc('"', to);
}

void json_key(json *j, const char *key) {
    assert(j->depth > 0 && !j->after_key);
    before(j);
    put_string(j->to, key);
    fputs(": ", j->to);
    j->after_key = true;
}

void json_string(json *j, const char *s) {
    before(j);
    put_string(j->to, s);
}

void json_number(json *j, double x) {
    before(j);
    if (isfinite(x))
        fprintf(j->to, "%.*g", j->digits > 0 ? j->digits : 17, x);
    else
        fputs("null", j->to);
}

void json_whole(json *j, long long x) {
    before(j);
    fprintf(j->to, "%lld", x);
}

void json_bool(json *j, bool b) {
    before(j);
    fputs(b ? "true" : "false", j->to);
}

void json_null(json *j) {
    before(j);
    fputs("null", j->to);
}

void json_field_string(json *j, const char *key, const char *s) {
    json_key(j, key);
    json_string(j, s);
}

void json_field_number(json *j, const char *key, double x) {
    json_key(j, key);
    json_number(j, x);
}

void json_field_whole(json *j, const char *key, long long x) {
    json_key(j, key);
    json_whole(j, x);
}

void json_field_bool(json *j, const char *key, bool b) {
    json_key(j, key);
    json_bool(j, b);
}
