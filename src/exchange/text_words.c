/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* text_words.c - words and numbers of a problem file in text, each with its place. Any bytes are safe. */
#include "exchange/exchange.h"
#include "input/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

pp_words pp_words_begin(pp_exchange *x) { return (pp_words){.x = x, .line = 1}; }

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

pp_word pp_words_next(pp_words *w) {
    const char *d = w->x->data;
    size_t size = w->x->size;
    for (; w->at < size && (blank(d[w->at]) || d[w->at] == '\n'); w->at++)
        if (d[w->at] == '\n') {
            w->line++;
            w->line_start = w->at + 1;
        }
    pp_word t = {d + w->at, 0, {w->x->file, w->line, 0}};
    size_t column = w->at - w->line_start + 1;
    t.place.column = column > INT_MAX ? INT_MAX : (int)column;
    while (w->at < size && !blank(d[w->at]) && d[w->at] != '\n') w->at++;
    t.length = (size_t)(d + w->at - t.text);
    return t;
}

pp_word pp_words_peek(const pp_words *w) {
    pp_words copy = *w;
    return pp_words_next(&copy);
}

void pp_words_skip_line(pp_words *w) {
    while (w->at < w->x->size && w->x->data[w->at] != '\n') w->at++;
}

bool pp_word_is(pp_word t, const char *text) { return t.length == strlen(text) && memcmp(t.text, text, t.length) == 0; }

bool pp_word_value(pp_word t, double *out) {
    size_t sign = t.length > 0 && (t.text[0] == '-' || t.text[0] == '+');
    double v = 0;
    size_t n = pp_number_scan(t.text + sign, t.length - sign, &v);
    if (n == 0 || n + sign != t.length || !isfinite(v)) return false;
    *out = sign && t.text[0] == '-' ? -v : v;
    return true;
}

int pp_words_left(const pp_words *w) {
    size_t n = (w->x->size - w->at + 1) / 2; /* a word and what parts it from the next take two bytes */
    return n > INT_MAX ? INT_MAX : (int)n;
}

perp_status pp_words_refuse(const pp_words *w, pp_word t, const char *key, const char *allowed) {
    char shown[64];
    const char *found = t.length ? pp_printable(shown, sizeof shown, t.text, t.length) : "the end of the file";
    return pp_complain(w->x->why, PERP_E_ARG, t.place, key, found, allowed);
}

perp_status pp_words_integer(pp_words *w, const char *key, int lo, int hi, int *out) {
    pp_word t = pp_words_next(w);
    double v = 0;
    if (!pp_word_value(t, &v) || v != floor(v) || v < lo || v > hi) {
        char allowed[64];
        if (hi < lo)
            (void)snprintf(allowed, sizeof allowed, "as many as the file can hold");
        else if (lo == hi)
            (void)snprintf(allowed, sizeof allowed, "%d", lo);
        else
            (void)snprintf(allowed, sizeof allowed, "a whole number from %d to %d", lo, hi);
        return pp_words_refuse(w, t, key, allowed);
    }
    *out = (int)v;
    return PERP_OK;
}

perp_status pp_words_number(pp_words *w, const char *key, double *out) {
    pp_word t = pp_words_next(w);
    return pp_word_value(t, out) ? PERP_OK : pp_words_refuse(w, t, key, "a finite number");
}

perp_status pp_words_numbers(pp_words *w, const char *key, int n, double *out) {
    for (int i = 0; i < n; i++) {
        pp_word t = pp_words_next(w);
        if (pp_word_value(t, &out[i])) continue;
        char at[96];
        (void)snprintf(at, sizeof at, "%s[%d]", key, i);
        return pp_words_refuse(w, t, at, "a finite number");
    }
    return PERP_OK;
}

perp_status pp_words_expect(pp_words *w, const char *key, const char *text) {
    pp_word t = pp_words_next(w);
    return pp_word_is(t, text) ? PERP_OK : pp_words_refuse(w, t, key, text);
}
