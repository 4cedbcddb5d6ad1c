/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_command.c - see live_command.h */
#include "run/live_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number and what ends it: a space, or the end of the text. */
static bool read_number(const char **at, double *out) {
    char *end;
    if (strspn(*at, "+-.0123456789") == 0) return false; /* no inf, nan, spaces or hexadecimal digits */
    *out = strtod(*at, &end);
    if (end == *at || (*end && *end != ' ') || !isfinite(*out)) return false;
    *at = *end ? end + 1 : end;
    return true;
}

static bool read_drag(const char *at, live_grip *grip) {
    double body, x[6];
    if (!read_number(&at, &body) || body < 0 || body > 1e9 || body != floor(body)) return false;
    for (int i = 0; i < 6; i++)
        if (!read_number(&at, &x[i])) return false;
    *grip = (live_grip){true, (int)body, {x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    return *at == 0;
}

static bool read_set(const char *at, live_command *out) {
    const char *equal = strchr(at, '=');
    if (!equal || equal == at || (size_t)(equal - at) >= sizeof out->name) return false;
    memcpy(out->name, at, (size_t)(equal - at));
    out->name[equal - at] = 0;
    at = equal + 1;
    return read_number(&at, &out->value) && *at == 0;
}

bool live_command_read(const char *text, size_t length, live_command *out) {
    static const char *const word[] = {"pause", "resume", "step", "reset", "drag ", "drop", "set "};
    char line[LIVE_COMMAND_LENGTH];
    *out = (live_command){.order = LIVE_PAUSE};
    if (length == 0 || length >= sizeof line || memchr(text, 0, length) || text[length - 1] == ' ') return false;
    memcpy(line, text, length);
    line[length] = 0;
    for (int i = LIVE_PAUSE; i <= LIVE_SET; i++) {
        size_t n = strlen(word[i]);
        bool open = word[i][n - 1] == ' ';
        if (open ? strncmp(line, word[i], n) : strcmp(line, word[i])) continue;
        out->order = (live_order)i;
        if (i == LIVE_DRAG) return read_drag(line + n, &out->grip);
        if (i == LIVE_SET) return read_set(line + n, out);
        return true;
    }
    return false;
}
