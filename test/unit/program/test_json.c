/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer of the program: commas, indentation, escapes, numbers that JSON does not have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

static char *written;
static FILE *begin(json *j) {
    FILE *f = tmpfile();
    assert_non_null(f);
    json_begin(j, f);
    return f;
}

static const char *end(FILE *f) {
    long n = ftell(f);
    rewind(f);
    free(written);
    written = malloc((size_t)n + 1);
    assert_non_null(written);
    assert_int_equal(fread(written, 1, (size_t)n, f), n);
    written[n] = 0;
    fclose(f);
    return written;
}

static void nests(void **state) {
    (void)state;
    json j;
    FILE *f = begin(&j);
    json_object(&j);
    json_field_whole(&j, "a", -3);
    json_key(&j, "b");
    json_array(&j);
    json_number(&j, 0.5);
    json_object(&j);
    json_end(&j, '}');
    json_array(&j);
    json_end(&j, ']');
    json_null(&j);
    json_end(&j, ']');
    json_field_bool(&j, "c", true);
    json_field_string(&j, "d", "");
    json_end(&j, '}');
    assert_string_equal(
        end(f),
        "{\n  \"a\": -3,\n  \"b\": [\n    0.5,\n    {},\n    [],\n    null\n  ],\n  \"c\": true,\n  \"d\": \"\"\n}\n");
}

static const char *string(const char *s) {
    json j;
    FILE *f = begin(&j);
    json_array(&j);
    json_string(&j, s);
    json_end(&j, ']');
    return end(f);
}

static void escapes(void **state) {
    (void)state;
    assert_string_equal(string("a\"b\\c/\n\t\r\x01\x7f"), "[\n  \"a\\\"b\\\\c/\\n\\t\\u000d\\u0001\\u007f\"\n]\n");
    assert_string_equal(string("\xc3\xb6 \xe2\x8a\xa5 \xf0\x9f\x98\x80"),
                        "[\n  \"\xc3\xb6 \xe2\x8a\xa5 \xf0\x9f\x98\x80\"\n]\n");
}

/* Cut, too long, surrogate, beyond the last character, stray: each bad byte becomes one replacement, the rest is
 * kept. */
static void broken_utf8(void **state) {
    (void)state;
    assert_string_equal(string("a\xc3"), "[\n  \"a\\ufffd\"\n]\n");
    assert_string_equal(string("\x80z"), "[\n  \"\\ufffdz\"\n]\n");
    assert_string_equal(string("\xc0\xaf"), "[\n  \"\\ufffd\\ufffd\"\n]\n");
    assert_string_equal(string("\xe0\x80\xaf"), "[\n  \"\\ufffd\\ufffd\\ufffd\"\n]\n");
    assert_string_equal(string("\xed\xa0\x80"), "[\n  \"\\ufffd\\ufffd\\ufffd\"\n]\n");
    assert_string_equal(string("\xf4\x90\x80\x80"), "[\n  \"\\ufffd\\ufffd\\ufffd\\ufffd\"\n]\n");
    assert_string_equal(string("\xe2\x8a"), "[\n  \"\\ufffd\\ufffd\"\n]\n");
}

static const char *number(double x) {
    json j;
    FILE *f = begin(&j);
    json_array(&j);
    json_number(&j, x);
    json_end(&j, ']');
    return end(f);
}

static void numbers(void **state) {
    (void)state;
    static const double x[] = {
        0.1, -1e-300, 4.9406564584124654e-324, 1.7976931348623157e308, 1.0 / 3, 123456789012345680.0};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) assert_true(strtod(number(x[i]) + 4, NULL) == x[i]);
    assert_string_equal(number(NAN), "[\n  null\n]\n");
    assert_string_equal(number(INFINITY), "[\n  null\n]\n");
    assert_string_equal(number(-INFINITY), "[\n  null\n]\n");
}

static int clean(void **state) {
    (void)state;
    free(written);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nests), cmocka_unit_test(escapes),
                                       cmocka_unit_test(broken_utf8), cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, clean);
}
