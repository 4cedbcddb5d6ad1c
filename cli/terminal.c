/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - what the terminal can show, and text made fit for it. */
#define _POSIX_C_SOURCE 200809L
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

bool cli_utf8(void) { return !strcmp(nl_langinfo(CODESET), "UTF-8"); }

bool cli_terminal(FILE *to) { return isatty(fileno(to)); }

bool cli_colour(FILE *to) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no && *no) || (term && !strcmp(term, "dumb"))) return false;
    return isatty(fileno(to));
}

const char *cli_style(FILE *to, const char *style) {
    static const struct {
        const char *style, *escape;
    } known[] = {{"", "\033[0m"},    {"1", "\033[1m"},   {"2", "\033[2m"},
                 {"31", "\033[31m"}, {"32", "\033[32m"}, {"33", "\033[33m"}};
    if (!cli_colour(to)) return "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].style, style)) return known[i].escape;
    return "";
}

int cli_width(FILE *to) {
    struct winsize size;
    if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) || size.ws_col == 0) return 80;
    return size.ws_col;
}

/* Bytes of the UTF-8 character at s, 0 if broken. Control characters of the second block (U+0080 to U+009F) count as
 * broken. */
static int good_utf8(const unsigned char *s) {
    int n = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xc2 && s[1] < 0xa0) return 0;
    return n;
}

char *cli_printable(char *out, size_t size, const char *text) {
    size_t n = 0;
    bool utf8 = cli_utf8();
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        char piece[8];
        int length = *s < 0x80 ? 1 : good_utf8(s), width;
        if (length == 0 || *s < 0x20 || *s == 0x7f) {
            width = snprintf(piece, sizeof piece, "\\x%02x", *s);
            length = 1;
        } else if (length > 1 && !utf8) {
            width = snprintf(piece, sizeof piece, "?");
        } else {
            width = snprintf(piece, sizeof piece, "%.*s", length, (const char *)s);
        }
        if (n + (size_t)width + 4 > size) { /* room for the dots and the end */
            if (size >= 4 && n + 4 <= size) n += (size_t)snprintf(out + n, size - n, "...");
            break;
        }
        memcpy(out + n, piece, (size_t)width);
        n += (size_t)width;
        s += length;
    }
    if (size > 0) out[n < size ? n : size - 1] = 0;
    return out;
}

char *cli_quote(char *out, size_t size, const char *path) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+,:@%";
    if (*path && *path != '-' && !path[strspn(path, plain)]) {
        snprintf(out, size, "%s", path);
        return out;
    }
    size_t n = (size_t)snprintf(out, size, *path == '-' ? "'./" : "'");
    for (const char *p = path; *p && n + 8 < size; p++)
        n += (size_t)snprintf(out + n, size - n, *p == '\'' ? "'\\''" : "%c", *p);
    if (n + 1 < size) snprintf(out + n, size - n, "'");
    return out;
}

char *cli_bytes(char *out, size_t size, double bytes) {
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
    int k = 0;
    while (bytes >= 999.5 && k < 4) bytes /= 1000, k++;
    snprintf(out, size, k == 0 || bytes >= 99.95 ? "%.0f %s" : bytes >= 9.995 ? "%.1f %s" : "%.2f %s", bytes, unit[k]);
    return out;
}

char *cli_rate(char *out, size_t size, double x) {
    double unit = x >= 1000 && x < 1e15 ? pow(10, floor(log10(x)) - 2) : 1;
    if (x >= 100 && x < 1e15)
        snprintf(out, size, "%.0f", round(x / unit) * unit);
    else
        snprintf(out, size, "%.3g", x);
    return out;
}

char *cli_seconds(char *out, size_t size, double s) {
    if (!(s >= 0) || s > 1e9)
        snprintf(out, size, "-");
    else if (s < 0.0995)
        snprintf(out, size, "%.2g ms", 1e3 * s);
    else if (s < 59.95)
        snprintf(out, size, "%.3g s", s);
    else if (s < 3599.5)
        snprintf(out, size, "%.0f min %02.0f s", floor((s + 0.5) / 60), floor(fmod(s + 0.5, 60)));
    else
        snprintf(out, size, "%.0f h %02.0f min", floor((s + 30) / 3600), floor(fmod(s + 30, 3600) / 60));
    return out;
}
