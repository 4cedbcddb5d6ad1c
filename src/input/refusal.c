/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* refusal.c - an error report about an input, as fields and as one line that is safe to print.
 *
 * Every part goes through pp_printable(), so that no byte of an input reaches a terminal as a control; parts that are
 * too long are cut with "...". */
#include "input/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at p (n >= 1 bytes are there) that may be shown as it is; 0 if it must not be: broken,
 * overlong, a surrogate, a control (C0, DEL, C1), a line or paragraph separator, a mark that turns the direction of
 * writing. */
static size_t showable(const unsigned char *p, size_t n) {
    if (p[0] < 0x80) return p[0] >= 0x20 && p[0] != 0x7f;
    size_t k = p[0] >= 0xc2 && p[0] <= 0xdf ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4 : 0;
    if (k == 0 || k > n) return 0;
    uint32_t c = p[0] & (0x7fu >> k);
    for (size_t i = 1; i < k; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if ((k == 3 && c < 0x800) || (k == 4 && c < 0x10000) || c > 0x10ffff) return 0;
    if (c >= 0xd800 && c <= 0xdfff) return 0;
    if (c < 0xa0 || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069)) return 0;
    if (c == 0x061c || c == 0x200e || c == 0x200f || c == 0xfeff) return 0;
    return k;
}

char *pp_printable(char *out, size_t size, const char *text, size_t length) {
    static const char hex[] = "0123456789abcdef";
    if (size == 0) return out;
    size_t n = 0, cut = 0; /* written; where "..." still fits */
    for (size_t i = 0; i < length;) {
        const unsigned char *p = (const unsigned char *)text + i;
        size_t k = showable(p, length - i), u = k ? k : 4;
        if (n + u >= size) {
            for (n = cut; n < cut + 3 && n + 1 < size; n++) out[n] = '.';
            break;
        }
        if (k) {
            memcpy(out + n, p, k);
        } else {
            out[n] = '\\';
            out[n + 1] = 'x';
            out[n + 2] = hex[p[0] >> 4];
            out[n + 3] = hex[p[0] & 15];
        }
        n += u;
        i += k ? k : 1;
        if (n + 3 < size) cut = n;
    }
    out[n] = 0;
    return out;
}

static void show(char *out, size_t size, const char *text) { (void)pp_printable(out, size, text, strlen(text)); }

/* Adds words to a line of `size` bytes; what does not fit is cut. */
static void add(char *line, size_t size, const char *words) {
    size_t n = strlen(line);
    show(line + n, size - n, words);
}

static perp_refusal begin(perp_status s, pp_location at, const char *key) {
    perp_refusal r = {0};
    r.status = s;
    r.line = at.line > 0 ? at.line : 0;
    r.column = at.line > 0 && at.column > 0 ? at.column : 0;
    if (at.file) show(r.file, sizeof r.file, at.file);
    if (key) show(r.key, sizeof r.key, key);
    char number[16];
    if (r.file[0]) {
        add(r.text, sizeof r.text, r.file);
        add(r.text, sizeof r.text, ":");
    } else if (r.line > 0) {
        add(r.text, sizeof r.text, "line ");
    }
    if (r.line > 0) {
        (void)snprintf(number, sizeof number, "%d:", r.line);
        add(r.text, sizeof r.text, number);
    }
    if (r.column > 0) {
        (void)snprintf(number, sizeof number, "%d:", r.column);
        add(r.text, sizeof r.text, number);
    }
    if (r.text[0]) add(r.text, sizeof r.text, " ");
    if (r.key[0]) {
        add(r.text, sizeof r.text, r.key);
        add(r.text, sizeof r.text, ": ");
    }
    return r;
}

perp_status pp_complain(perp_refusal *why, perp_status s, pp_location at, const char *key, const char *found,
                        const char *allowed) {
    if (!why) return s;
    perp_refusal r = begin(s, at, key); /* apart from *why: the words may lie in there */
    if (found) show(r.found, sizeof r.found, found);
    if (allowed) show(r.allowed, sizeof r.allowed, allowed);
    if (r.found[0]) {
        add(r.text, sizeof r.text, "found ");
        add(r.text, sizeof r.text, r.found);
    }
    if (r.allowed[0]) {
        add(r.text, sizeof r.text, r.found[0] ? "; allowed: " : "allowed: ");
        add(r.text, sizeof r.text, r.allowed);
    }
    if (!r.found[0] && !r.allowed[0]) add(r.text, sizeof r.text, perp_status_text(s));
    *why = r;
    return s;
}

perp_status pp_complain_say(perp_refusal *why, perp_status s, pp_location at, const char *key, const char *format,
                            ...) {
    if (!why) return s;
    char sentence[sizeof why->text];
    va_list args;
    va_start(args, format);
    if (vsnprintf(sentence, sizeof sentence, format, args) < 0) sentence[0] = 0;
    va_end(args);
    perp_refusal r = begin(s, at, key);
    add(r.text, sizeof r.text, sentence);
    *why = r;
    return s;
}
