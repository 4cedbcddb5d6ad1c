/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_svg_compact.c - shorter SVG files: what is written, what is left alone, and that nothing moves by more than half the
 * grid */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plot/svg_compact.h"

static void becomes(const char *from, const char *to) {
    char text[600];
    (void)snprintf(text, sizeof text, "%s", from);
    text[svg_compact(text, strlen(text))] = 0;
    assert_string_equal(text, to);
}

static void test_words(void **state) {
    (void)state;
    becomes("<path style=\"stroke:none;\" d=\"M 0.34375 0 L 0.34375 -6.890625 L 3.09375 0 Z M 0.34375 0 \"/>",
            "<path style=\"stroke:none;\" d=\"m.34 0v-6.89l2.75 6.89z\"/>");
    becomes("<path d=\"M 1 1 C 1.5 1.25 2.001 3 4 5 C 4 5 4 5 4.1 5.004 \"/>",
            "<path d=\"m1 1c.5.25 1 2 3 4 0 0 0 0 .1 0\"/>");
    becomes("<path d=\"M 10 10 L 10.001 10.002 L 20 30 L 30 30 \"/>", "<path d=\"m10 10 0 0 10 20h10\"/>");
    becomes("<path d=\"M 5 5 L 5 5 \"/>", "<path d=\"m5 5 0 0\"/>"); /* a dot stays */
    becomes("<use xlink:href=\"#glyph0-1\" x=\"160.195312\" y=\"-14.101562\"/>",
            "<use xlink:href=\"#glyph0-1\" x=\"160.2\" y=\"-14.1\"/>");
}

static void test_left_alone(void **state) {
    (void)state;
    const char *const same[] = {
        "",
        "<",
        "<svg>",
        "<path d=\"",
        "<path d=\"\"/>",
        "<path d=\"M 1\"/>",
        "<path d=\"A 1 1 0 0 0 2 2\"/>",
        "<path d=\"M 1e9 0 L 1 1\"/>",
        "<path d=\"M nan 0\"/>",
        "<rect x=\"0.123456\" width=\"1.234567\"/>",
        "<g transform=\"matrix(0.123456,0,0,1,0,0)\"/>",
        "<use x=\"abc\"/>",
        "<path d=\"L\"/>",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) becomes(same[i], same[i]);
}

/* Reads relative commands back. */
static int points_of(const char *d, double (*out)[2]) {
    double x = 0, y = 0;
    char command = 'm';
    int n = 0;
    for (const char *p = d; *p;) {
        if (strchr("mlhv", *p)) command = *p++;
        char *after;
        const double a = strtod(p, &after);
        assert_true(after != p);
        p = after;
        if (command == 'h') {
            x += a;
        } else if (command == 'v') {
            y += a;
        } else {
            x += a;
            y += strtod(p, &after);
            assert_true(after != p);
            p = after;
            if (command == 'm') command = 'l';
        }
        out[n][0] = x;
        out[n++][1] = y;
        while (*p == ' ') p++;
    }
    return n;
}

/* A long line: every point stays where it was, to half the grid, also the last. */
static void test_no_drift(void **state) {
    (void)state;
    enum { N = 2000 };
    static char text[40 * N];
    static double was[N][2], is[N + 1][2];
    unsigned long seed = 7;
    int n = snprintf(text, sizeof text, "<path d=\"");
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 2; k++) {
            seed = seed * 1103515245ul + 12345ul;
            was[i][k] = (double)(seed >> 8 & 0xffff) / 65536 + (i - 1000) * 2.37; /* no two fall together */
        }
        n += snprintf(text + n, sizeof text - (size_t)n, "%c %.6f %.6f ", i ? 'L' : 'M', was[i][0], was[i][1]);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "\"/>");
    const size_t size = svg_compact(text, (size_t)n);
    assert_true(size < (size_t)n / 2);
    text[size - 3] = 0;
    assert_int_equal(points_of(text + 9, is), N);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) assert_near(is[i][k], was[i][k], SVG_GRID / 2 + 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_left_alone),
                                       cmocka_unit_test(test_no_drift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
