/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_range.c - three headers that decide what a request gets: Range, Host and Origin. */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "view/view.h"

/* Digits as a number that stops growing at the largest there is; NULL: there are none. */
static const char *read_whole(const char *s, uint64_t *x) {
    if (*s < '0' || *s > '9') return NULL;
    for (*x = 0; *s >= '0' && *s <= '9'; s++) {
        uint64_t digit = (uint64_t)(*s - '0');
        *x = *x > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *x * 10 + digit;
    }
    return s;
}

static const char *skip_blanks(const char *s) { return s + strspn(s, " \t"); }

view_range_kind view_range(const char *header, uint64_t size, uint64_t *first, uint64_t *length) {
    *first = 0;
    *length = size;
    if (!header || strncasecmp(header, "bytes=", 6) != 0) return VIEW_WHOLE;
    const char *s = skip_blanks(header + 6);
    uint64_t a = 0, b = UINT64_MAX;
    bool tail = *s == '-';
    if (!tail && !(s = read_whole(s, &a))) return VIEW_WHOLE;
    if (*s++ != '-') return VIEW_WHOLE;
    bool bounded = *s >= '0' && *s <= '9';
    if (bounded) s = read_whole(s, &b);
    if (*skip_blanks(s) || (tail && !bounded) || (!tail && b < a)) return VIEW_WHOLE;
    if (tail) { /* the last b bytes */
        if (b == 0 || size == 0) return VIEW_OUTSIDE;
        *length = b < size ? b : size;
        *first = size - *length;
        return VIEW_PART;
    }
    if (a >= size) return VIEW_OUTSIDE;
    *first = a;
    *length = (b < size ? b + 1 : size) - a;
    return VIEW_PART;
}

bool view_host_is_loopback(const char *host) {
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (strncasecmp(host, names[i], n) != 0) continue;
        const char *port = host + n;
        if (!*port) return true;
        size_t digits = *port == ':' ? strspn(port + 1, "0123456789") : 0;
        if (digits >= 1 && digits <= 5 && !port[1 + digits]) return true;
    }
    return false;
}

bool view_origin_is_own(const char *origin, const char *host) {
    static const char scheme[] = "http://";
    if (!origin) return true;
    return host && !strncasecmp(origin, scheme, sizeof scheme - 1) && !strcasecmp(origin + sizeof scheme - 1, host);
}
