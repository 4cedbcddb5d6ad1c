/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* svg_compact.c - shorter SVG files
 * Problem  cairo writes every coordinate with six decimals, every path command with absolute coordinates, and the outlines of
 *          all letters. A plot of a few lines has 90 kB, of which the letters are 60.
 * Method   one pass over the text. Coordinates of paths (d="...") are rounded to the grid first and then written as
 *          differences of whole numbers of the grid, so that errors do not add up. The attributes x and y of letters are
 *          rounded. Everything else is copied: transformations and colours keep their digits.
 * Valid    paths of the commands M, L, C and Z, as cairo writes them; others are copied as they are. What is rewritten never
 *          becomes longer, or it is copied.
 * Bits     figures that differ by less than the grid become the same file. */
#include "plot/svg_compact.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_POINT 100 /* grid lines in a point: 1/SVG_GRID */
#define FARTHEST  1e6 /* coordinates beyond are copied [pt] */

typedef struct output {
    char *at, *end;
    bool full;    /* it would become longer than it was */
    char command; /* command of the next numbers if they have no letter; 0: none */
    bool parted;  /* the last character was a letter: no blank is needed */
    bool dot;     /* the last number has a decimal point */
} output;

static void put(output *o, const char *text, size_t n) {
    if ((size_t)(o->end - o->at) < n) {
        o->full = true;
        return;
    }
    memcpy(o->at, text, n);
    o->at += n;
}

/* k/100 in the shortest way. Returns the length. */
static int shortest(long k, char text[32]) {
    const unsigned long u = k < 0 ? 0ul - (unsigned long)k : (unsigned long)k, whole = u / PER_POINT,
                        rest = u % PER_POINT;
    int n = k < 0 ? snprintf(text, 2, "-") : 0;
    if (whole || !rest) n += snprintf(text + n, (size_t)(32 - n), "%lu", whole);
    if (rest % 10)
        n += snprintf(text + n, (size_t)(32 - n), ".%02lu", rest);
    else if (rest)
        n += snprintf(text + n, (size_t)(32 - n), ".%lu", rest / 10);
    return n;
}

static void put_number(output *o, long k) {
    char text[32];
    const int n = shortest(k, text);
    /* a sign parts two numbers, and so does a second decimal point */
    if (!o->parted && text[0] != '-' && !(text[0] == '.' && o->dot)) put(o, " ", 1);
    put(o, text, (size_t)n);
    o->parted = false;
    o->dot = memchr(text, '.', (size_t)n) != NULL;
}

static void put_command(output *o, char c) {
    if (o->command == c) return;
    put(o, &c, 1);
    o->parted = true;
    o->command = c;
}

/* Reads the `n` coordinates after a command, on the grid. */
static bool read_grid(const char **at, const char *end, int n, long *out) {
    for (int i = 0; i < n; i++) {
        char *after;
        const double x = strtod(*at, &after);
        if (after == *at || after > end || !(fabs(x) < FARTHEST)) return false;
        out[i] = lround(x * PER_POINT);
        *at = after;
    }
    return true;
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && *p == ' ') p++;
    return p;
}

/* The path from..end, in at most as many bytes at o. False: it holds something else, or would become longer. */
static bool rewrite_path(output *o, const char *from, const char *end) {
    const char *begin = o->at;
    long here[2] = {0, 0}, start[2] = {0, 0}, c[6];
    bool drawn = true; /* the last subpath has something beside its start */
    for (const char *p = skip_blanks(from, end); p < end; p = skip_blanks(p, end)) {
        const char command = *p++;
        if (command == 'M') {
            if (!read_grid(&p, end, 2, c)) return false;
            if (skip_blanks(p, end) == end && o->at > begin) break; /* cairo ends closed paths so; it draws nothing */
            put_command(o, 'm');
            put_number(o, c[0] - here[0]);
            put_number(o, c[1] - here[1]);
            o->command = 'l'; /* what follows a start without a letter */
            memcpy(here, c, sizeof here);
            memcpy(start, c, sizeof start);
            drawn = false;
        } else if (command == 'L') {
            if (!read_grid(&p, end, 2, c)) return false;
            const long dx = c[0] - here[0], dy = c[1] - here[1];
            if (!dx && !dy && drawn) continue;
            if (dx && !dy) {
                put_command(o, 'h');
                put_number(o, dx);
            } else if (dy && !dx) {
                put_command(o, 'v');
                put_number(o, dy);
            } else {
                put_command(o, 'l');
                put_number(o, dx);
                put_number(o, dy);
            }
            memcpy(here, c, sizeof here);
            drawn = true;
        } else if (command == 'C') {
            if (!read_grid(&p, end, 6, c)) return false;
            put_command(o, 'c');
            for (int i = 0; i < 6; i++) put_number(o, c[i] - here[i % 2]);
            memcpy(here, c + 4, sizeof here);
            drawn = true;
        } else if (command == 'Z') {
            put_command(o, 'z');
            o->command = 0;
            memcpy(here, start, sizeof here);
            drawn = true;
        } else {
            return false;
        }
    }
    return !o->full;
}

/* One coordinate. */
static bool rewrite_number(output *o, const char *from, const char *end) {
    long k;
    if (!read_grid(&from, end, 1, &k) || from != end) return false;
    o->parted = true;
    put_number(o, k);
    return !o->full;
}

/* Does the text continue with this word? */
static bool next_is(const char *p, const char *end, const char *word) {
    const size_t n = strlen(word);
    return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

size_t svg_compact(char *svg, size_t size) {
    char *spare = malloc(size + 1), *to = svg;
    if (!spare) return size; /* the file stays as it was */
    memcpy(spare, svg, size);
    spare[size] = 0; /* for strtod() */
    const char *p = spare, *end = spare + size;
    bool letter = false; /* within <use ...> */
    while (p < end) {
        if (*p == '<') letter = next_is(p, end, "<use ");
        const bool path = next_is(p, end, " d=\""),
                   place = letter && (next_is(p, end, " x=\"") || next_is(p, end, " y=\""));
        if (!path && !place) {
            *to++ = *p++;
            continue;
        }
        const char *from = p + 4, *close = memchr(from, '"', (size_t)(end - from));
        if (!close) close = end;
        memcpy(to, p, 4);
        to += 4;
        output o = {.at = to, .end = to + (close - from)};
        if (path ? rewrite_path(&o, from, close) : rewrite_number(&o, from, close)) {
            to = o.at;
        } else {
            memcpy(to, from, (size_t)(close - from));
            to += close - from;
        }
        p = close;
    }
    free(spare);
    return (size_t)(to - svg);
}
