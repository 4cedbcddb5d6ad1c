/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_refusal.c - complaints, what is safe to print, likeness of words, numbers, and files. */
#define _POSIX_C_SOURCE 200809L /* mkfifo, mkdtemp, ftruncate */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fault/allocator.h"
#include "input/input.h"
#include "input/text.h"

static const perp_allocator plain = {0};

/* ---- complaints ---- */

static void complaint_has_all_parts(void **state) {
    (void)state;
    perp_refusal w;
    memset(&w, 0x55, sizeof w);
    pp_location at = {"pile.yaml", 12, 7};
    assert_int_equal(pp_complain(&w, PERP_E_ARG, at, "bodies[3].mass", "-1", "a number > 0"), PERP_E_ARG);
    assert_string_equal(w.text, "pile.yaml:12:7: bodies[3].mass: found -1; allowed: a number > 0");
    assert_int_equal(w.status, PERP_E_ARG);
    assert_string_equal(w.file, "pile.yaml");
    assert_int_equal(w.line, 12);
    assert_int_equal(w.column, 7);
    assert_string_equal(w.key, "bodies[3].mass");
    assert_string_equal(w.found, "-1");
    assert_string_equal(w.allowed, "a number > 0");
    assert_int_equal(pp_complain(NULL, PERP_E_IO, at, "k", "f", "a"), PERP_E_IO);
}

static void complaint_leaves_out_what_is_missing(void **state) {
    (void)state;
    static const struct {
        pp_location at;
        const char *key, *found, *allowed, *text;
    } t[] = {
        {{"f", 0, 0}, "k", "x", "y", "f: k: found x; allowed: y"},
        {{"f", 3, 0}, "k", "x", "y", "f:3: k: found x; allowed: y"},
        {{"f", 0, 4}, "k", "x", "y", "f: k: found x; allowed: y"},
        {{NULL, 0, 0}, "k", "x", "y", "k: found x; allowed: y"},
        {{NULL, 2, 5}, "k", "x", "y", "line 2:5: k: found x; allowed: y"},
        {{"f", 1, 2}, NULL, "x", "y", "f:1:2: found x; allowed: y"},
        {{"f", 1, 2}, "", "x", NULL, "f:1:2: found x"},
        {{"f", 1, 2}, "", NULL, "y", "f:1:2: allowed: y"},
        {{"f", 1, 2}, "k", "", "", "f:1:2: k: argument not finite, out of range, or a stale id"},
        {{NULL, 0, 0}, NULL, "x", "y", "found x; allowed: y"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        perp_refusal w;
        pp_complain(&w, PERP_E_ARG, t[i].at, t[i].key, t[i].found, t[i].allowed);
        assert_string_equal(w.text, t[i].text);
    }
}

static void complaint_says_a_sentence(void **state) {
    (void)state;
    perp_refusal w;
    pp_location at = {"f.yaml", 1, 2};
    assert_int_equal(pp_complain_say(&w, PERP_E_IO, at, "k", "%d of %s\n", 3, "them"), PERP_E_IO);
    assert_string_equal(w.text, "f.yaml:1:2: k: 3 of them\\x0a");
    assert_string_equal(w.found, "");
    assert_string_equal(w.allowed, "");
    assert_int_equal(pp_complain_say(NULL, PERP_E_IO, at, "k", "x"), PERP_E_IO);
}

static void complaint_is_cut_and_printable(void **state) {
    (void)state;
    char file[3000];
    memset(file, 'f', sizeof file - 1);
    file[sizeof file - 1] = 0;
    perp_refusal w;
    pp_location at = {file, 2147483647, 2147483647};
    pp_complain(&w, PERP_E_ARG, at, file, file, file);
    assert_int_equal(strlen(w.file), sizeof w.file - 1);
    assert_string_equal(w.file + sizeof w.file - 5, "f...");
    assert_int_equal(strlen(w.allowed), sizeof w.allowed - 1);
    assert_string_equal(w.text + strlen(w.text) - 4, "f...");
    assert_true(strlen(w.text) > 255 + 255 + 255 + 511); /* all four parts fit, cut as they are */
    pp_complain_say(&w, PERP_E_ARG, at, file, "%s", file);
    assert_int_equal(strlen(w.text), sizeof w.text - 1);
    assert_string_equal(w.text + strlen(w.text) - 4, "f...");

    at = (pp_location){"a\nb", 1, 1};
    pp_complain(&w, PERP_E_ARG, at, "k\t", "x\x1b[31m\xff", NULL);
    assert_string_equal(w.text, "a\\x0ab:1:1: k\\x09: found x\\x1b[31m\\xff");
    /* the words may lie in the complaint itself */
    pp_complain(&w, PERP_E_ARG, (pp_location){w.file, 2, 2}, w.key, w.found, w.found);
    assert_string_equal(w.text, "a\\x0ab:2:2: k\\x09: found x\\x1b[31m\\xff; allowed: x\\x1b[31m\\xff");
}

static void printable_escapes_and_cuts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length, size;
        const char *out;
    } t[] = {
        {"abc", 3, 10, "abc"},
        {"abcdef", 6, 7, "abcdef"},
        {"abcdefg", 7, 7, "abc..."},
        {"abcdefg", 7, 4, "..."},
        {"abcdefg", 7, 3, ".."},
        {"abcdefg", 7, 1, ""},
        {"", 0, 5, ""},
        {"a\0b", 3, 20, "a\\x00b"},
        {"\x7f\r\n", 3, 20, "\\x7f\\x0d\\x0a"},
        {"gr\xc3\xbc\xc3\x9f", 6, 20, "gr\xc3\xbc\xc3\x9f"},
        {"\xe2\x82\xac", 3, 20, "\xe2\x82\xac"},
        {"\xf0\x9f\x98\x80", 4, 20, "\xf0\x9f\x98\x80"},
        {"\xc3", 1, 20, "\\xc3"},                            /* cut off */
        {"\xc0\x80", 2, 20, "\\xc0\\x80"},                   /* overlong */
        {"\xe0\x80\x80", 3, 20, "\\xe0\\x80\\x80"},          /* overlong */
        {"\xe0\x9f\xbf", 3, 20, "\\xe0\\x9f\\xbf"},          /* overlong */
        {"\xed\xa0\x80", 3, 20, "\\xed\\xa0\\x80"},          /* surrogate */
        {"\xf4\x90\x80\x80", 4, 20, "\\xf4\\x90\\x80\\x80"}, /* beyond the last character */
        {"\xc2\x85", 2, 20, "\\xc2\\x85"},                   /* next line */
        {"\xe2\x80\xae", 3, 20, "\\xe2\\x80\\xae"},          /* writes backwards */
        {"\x80", 1, 20, "\\x80"},
        {"aa\xc3\xbc\xc3\xbc", 6, 7, "aa\xc3\xbc\xc3\xbc"},
        {"aa\xc3\xbc\xc3\xbc\xc3\xbc", 8, 8, "aa\xc3\xbc..."}, /* never through a character */
        {"\x01\x01\x01", 3, 9, "\\x01..."},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char out[32];
        memset(out, '#', sizeof out);
        assert_ptr_equal(pp_printable(out, t[i].size, t[i].text, t[i].length), out);
        assert_string_equal(out, t[i].out);
        assert_int_equal(out[t[i].size], '#');
    }
    char none = 'x';
    pp_printable(&none, 0, "abc", 3);
    assert_int_equal(none, 'x');
}

static void suggests_the_nearest_word(void **state) {
    (void)state;
    static const char *const words[] = {"mass",     "density", "velocity", "restitution", "friction_directions",
                                        "material", "at",      "group",    "block",       NULL};
    static const char *const pairs[][2] = {
        {"masss", "mass"},
        {"mas", "mass"},
        {"amss", "mass"},
        {"MASS", "mass"},
        {"dnesity", "density"},
        {"velocty", "velocity"},
        {"rest", "restitution"},
        {"blok", "block"},
        {"matreial", "material"},
        {"Groups", "group"},
        {"AT", "at"},
        {"friction-directions", "friction_directions"},
        {"velocity_of_it", "velocity"},
        {"mess", "mass"},
    };
    static const char *const strangers[] = {"", "x", "colour", "au", "ma", "foo", "zzzzzzzzzzzz"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *s = pp_suggest(pairs[i][0], words);
        assert_non_null(s);
        assert_string_equal(s, pairs[i][1]);
    }
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) assert_null(pp_suggest(strangers[i], words));
    char longest[400];
    memset(longest, 'm', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_null(pp_suggest(longest, words));
    static const char *const tie[] = {"bat", "cat", NULL};
    assert_string_equal(pp_suggest("aat", tie), "bat");
    assert_int_equal(pp_word_unlike("ab", "ba"), PP_UNLIKE); /* one slip, but in a word of two letters */
    assert_int_equal(pp_word_unlike("abc", "acb"), 1);       /* a swap is one slip */
    assert_int_equal(pp_word_unlike("kitten_s", "sitting_s"), 3);
}

/* ---- numbers ---- */

static void same_as_strtod(const char *text) {
    double x = -1, y = strtod(text, NULL);
    size_t n = pp_number_scan(text, strlen(text), &x);
    assert_int_equal(n, strlen(text));
    if (memcmp(&x, &y, sizeof x) != 0) fail_msg("%s: %a instead of %a", text, x, y);
}

static uint64_t seed = 88172645463325252ull;
static uint64_t random_bits(void) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 2685821657736338717ull;
}

static void numbers_are_the_nearest(void **state) {
    (void)state;
    static const char *const hard[] = {
        "0",
        "0.0",
        "000",
        "1",
        "0.1",
        "123456.789",
        ".5",
        "5.",
        "1e5",
        "1E-5",
        "1e+5",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e-400",
        "1e400",
        "0e999999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0.500000000000000166533453693773481063544750213623046875",
        "8.5",
        "3.14159265358979323846264338327950288",
        "12345678901234567890123456789e-29",
        "100000000000000000000000000000000000000000e-30",
        "0.000000000000000000000000000000000000000000000000000000000000000000001",
    };
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) same_as_strtod(hard[i]);
    char text[2000];
    for (int i = 0; i < 100000; i++) { /* all doubles, shortened or not */
        uint64_t b = random_bits() & 0x7fffffffffffffffull;
        double x;
        memcpy(&x, &b, sizeof x);
        if (!isfinite(x)) continue;
        (void)snprintf(text, sizeof text, "%.*e", (int)(random_bits() % 25), x);
        same_as_strtod(text);
        (void)snprintf(text, sizeof text, "%.*f", (int)(random_bits() % 12), (double)(random_bits() >> 20) / 1e6);
        same_as_strtod(text);
    }
    /* halfway between 1 and the next double: one digit very far behind decides */
    for (int zeros = 700; zeros < 1300; zeros += 37) {
        (void)snprintf(text, sizeof text, "1.00000000000000011102230246251565404236316680908203125%0*d", zeros, 0);
        double x;
        assert_int_equal(pp_number_scan(text, strlen(text), &x), strlen(text));
        assert_true(x == 1);
        text[strlen(text) - 1] = '1';
        assert_int_equal(pp_number_scan(text, strlen(text), &x), strlen(text));
        assert_true(x == 1 + 0x1p-52);
    }
    memset(text, '7', 1500); /* more digits than are kept, before the point */
    strcpy(text + 1500, "e-1400");
    same_as_strtod(text);
}

static void numbers_end_where_they_end(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length, bytes;
        double value;
    } t[] = {
        {"12abc", 5, 2, 12}, {"1e", 2, 1, 1},     {"1e+", 3, 1, 1},  {"1.5.2", 5, 3, 1.5},
        {"", 0, 0, -7},      {".", 1, 0, -7},     {"-1", 2, 0, -7},  {"e5", 2, 0, -7},
        {"inf", 3, 0, -7},   {"nan", 3, 0, -7},   {"1,5", 3, 1, 1},  {"0x10", 4, 1, 0},
        {"1234", 2, 2, 12},  {"1e55", 3, 3, 1e5}, {".e5", 3, 0, -7}, {"1 ", 2, 1, 1},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        double x = -7;
        assert_int_equal(pp_number_scan(t[i].text, t[i].length, &x), t[i].bytes);
        assert_true(x == t[i].value);
    }
}

static void numbers_do_not_know_the_locale(void **state) {
    (void)state;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    bool set = false;
    for (size_t i = 0; i < sizeof comma / sizeof *comma && !set; i++) set = setlocale(LC_ALL, comma[i]) != NULL;
    double x = 0, y = 0;
    assert_int_equal(pp_number_scan("1.25", 4, &x), 4);
    assert_int_equal(pp_number_scan("0.12345678901234567890123456789", 31, &y), 31); /* the way through strtod */
    (void)setlocale(LC_ALL, "C");
    assert_true(x == 1.25);
    assert_true(y == 0.12345678901234567890123456789);
    if (!set) skip(); /* no such locale here */
}

/* ---- files ---- */

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/perp-input-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(const char *name) {
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void reads_whole_files(void **state) {
    (void)state;
    const char *path = in_folder("f");
    static const char bytes[] = "a\0b\nc";
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, 5, f), 5);
    fclose(f);
    char *data = NULL;
    size_t size = 0;
    perp_refusal w;
    assert_int_equal(pp_source_read(&plain, path, "f", &data, &size, &w), PERP_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(data, bytes, 6);
    free(data);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(pp_source_read(&plain, path, "f", &data, &size, &w), PERP_OK);
    assert_int_equal(size, 0);
    assert_int_equal(data[0], 0);
    free(data);
    assert_int_equal(truncate(path, (off_t)PP_SOURCE_MAX + 1), 0);
    assert_int_equal(pp_source_read(&plain, path, "big", &data, &size, &w), PERP_E_IO);
    assert_string_equal(w.text, "big: found 268435457 bytes; allowed: at most 268435456 bytes");
    assert_null(data);
    assert_int_equal(remove(path), 0);
    assert_int_equal(pp_source_read(&plain, path, "gone.yaml", &data, &size, &w), PERP_E_IO);
    assert_string_equal(w.text, "gone.yaml: cannot be read: No such file or directory");
    assert_int_equal(w.status, PERP_E_IO);
}

static void refuses_what_is_no_file(void **state) {
    (void)state;
    char *data = NULL;
    size_t size = 0;
    perp_refusal w;
    assert_int_equal(pp_source_read(&plain, folder, "d", &data, &size, &w), PERP_E_IO);
    assert_string_equal(w.text, "d: found a folder; allowed: a file");
    assert_int_equal(pp_source_read(&plain, "/dev/zero", "/dev/zero", &data, &size, &w), PERP_E_IO);
    assert_string_equal(w.text, "/dev/zero: found a device; allowed: a file");
    const char *path = in_folder("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pp_source_read(&plain, path, "p", &data, &size, &w), PERP_E_IO); /* does not block */
    assert_string_equal(w.text, "p: found a pipe; allowed: a file");
    assert_int_equal(remove(path), 0);
    assert_null(data);
}

static void survives_without_memory(void **state) {
    (void)state;
    const char *path = in_folder("f");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fputs("abc", f) >= 0, 1);
    fclose(f);
    counter mind = {.refuse = 0};
    perp_allocator none = counting(&mind);
    char *data;
    size_t size;
    perp_refusal w;
    assert_int_equal(pp_source_read(&none, path, "f", &data, &size, &w), PERP_E_MEMORY);
    assert_string_equal(w.text, "f: no memory for its 3 bytes");
    assert_true(mind.refused == 1 && mind.live == 0);
    assert_null(data);
    assert_int_equal(remove(path), 0);
}

static void finds_what_is_beside(void **state) {
    (void)state;
    char out[32];
    assert_true(pp_source_beside("scenes/pile.yaml", "parts/a.stl", out, sizeof out));
    assert_string_equal(out, "scenes/parts/a.stl");
    assert_true(pp_source_beside("/x/y/pile.yaml", "../a.stl", out, sizeof out));
    assert_string_equal(out, "/x/y/../a.stl");
    assert_true(pp_source_beside("pile.yaml", "a.stl", out, sizeof out));
    assert_string_equal(out, "a.stl");
    assert_true(pp_source_beside(NULL, "a.stl", out, sizeof out));
    assert_string_equal(out, "a.stl");
    assert_true(pp_source_beside("scenes/pile.yaml", "/abs/a.stl", out, sizeof out));
    assert_string_equal(out, "/abs/a.stl");
    assert_false(pp_source_beside("scenes/pile.yaml", "", out, sizeof out));
    assert_true(pp_source_beside("ab/x", "cde", out, 7));
    assert_string_equal(out, "ab/cde");
    assert_false(pp_source_beside("ab/x", "cde", out, 6));
    assert_false(pp_source_beside("abcdefgh/x", "c", out, 6));
    assert_false(pp_source_beside("a", "b", out, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complaint_has_all_parts),        cmocka_unit_test(complaint_leaves_out_what_is_missing),
        cmocka_unit_test(complaint_says_a_sentence),      cmocka_unit_test(complaint_is_cut_and_printable),
        cmocka_unit_test(printable_escapes_and_cuts),     cmocka_unit_test(suggests_the_nearest_word),
        cmocka_unit_test(numbers_are_the_nearest),        cmocka_unit_test(numbers_end_where_they_end),
        cmocka_unit_test(numbers_do_not_know_the_locale), cmocka_unit_test(reads_whole_files),
        cmocka_unit_test(refuses_what_is_no_file),        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(finds_what_is_beside),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
