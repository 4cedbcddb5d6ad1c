/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Three headers of the viewer's server: which bytes a range means, which hosts are this machine, which origins its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/view.h"

static void ranges(void **state) {
    (void)state;
    static const struct {
        const char *header;
        uint64_t size;
        view_range_kind kind;
        uint64_t first, length;
    } table[] = {
        {NULL, 10, VIEW_WHOLE, 0, 10},
        {"bytes=0-0", 10, VIEW_PART, 0, 1},
        {"bytes=2-5", 10, VIEW_PART, 2, 4},
        {"Bytes= 2-5 ", 10, VIEW_PART, 2, 4},
        {"bytes=9-9", 10, VIEW_PART, 9, 1},
        {"bytes=9-", 10, VIEW_PART, 9, 1},
        {"bytes=0-100", 10, VIEW_PART, 0, 10},
        {"bytes=5-18446744073709551615", 10, VIEW_PART, 5, 5},
        {"bytes=5-18446744073709551616", 10, VIEW_PART, 5, 5},
        {"bytes=-3", 10, VIEW_PART, 7, 3},
        {"bytes=-30", 10, VIEW_PART, 0, 10},
        {"bytes=10-", 10, VIEW_OUTSIDE, 0, 0},
        {"bytes=10-20", 10, VIEW_OUTSIDE, 0, 0},
        {"bytes=18446744073709551616-", 10, VIEW_OUTSIDE, 0, 0},
        {"bytes=-0", 10, VIEW_OUTSIDE, 0, 0},
        {"bytes=0-", 0, VIEW_OUTSIDE, 0, 0},
        {"bytes=-1", 0, VIEW_OUTSIDE, 0, 0},
        {"bytes=5-2", 10, VIEW_WHOLE, 0, 10},
        {"bytes=", 10, VIEW_WHOLE, 0, 10},
        {"bytes=-", 10, VIEW_WHOLE, 0, 10},
        {"bytes=3", 10, VIEW_WHOLE, 0, 10},
        {"bytes=1-2,4-5", 10, VIEW_WHOLE, 0, 10},
        {"bytes=1-2x", 10, VIEW_WHOLE, 0, 10},
        {"bytes=--5", 10, VIEW_WHOLE, 0, 10},
        {"bytes=+1-2", 10, VIEW_WHOLE, 0, 10},
        {"byte=1-2", 10, VIEW_WHOLE, 0, 10},
        {"", 10, VIEW_WHOLE, 0, 10},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint64_t first, length;
        assert_int_equal(view_range(table[i].header, table[i].size, &first, &length), table[i].kind);
        if (table[i].kind == VIEW_OUTSIDE) continue;
        assert_int_equal(first, table[i].first);
        assert_int_equal(length, table[i].length);
    }
}

static void hosts(void **state) {
    (void)state;
    static const char *const ours[] = {"127.0.0.1", "127.0.0.1:1", "localhost:65535", "LocalHost", "[::1]", "[::1]:8"};
    static const char *const others[] = {"",
                                         "example.org",
                                         "127.0.0.2",
                                         "127.0.0.1.example.org",
                                         "127.0.0.1:",
                                         "localhost.",
                                         "localhost:8:8",
                                         "127.0.0.1:123456",
                                         "127.0.0.1 ",
                                         "::1",
                                         "[::1",
                                         "localhosts",
                                         "a@127.0.0.1",
                                         "127.0.0.1:8a"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) assert_true(view_host_is_loopback(ours[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(view_host_is_loopback(others[i]));
    assert_false(view_host_is_loopback(NULL));
}

static void origins(void **state) {
    (void)state;
    static const struct {
        const char *origin, *host;
        bool own;
    } table[] = {
        {NULL, "127.0.0.1:80", true},
        {"http://127.0.0.1:80", "127.0.0.1:80", true},
        {"HTTP://LocalHost:8", "localhost:8", true},
        {"http://[::1]:8", "[::1]:8", true},
        {"", "127.0.0.1:80", false},
        {"null", "127.0.0.1:80", false},
        {"http://", "", true},
        {"https://127.0.0.1:80", "127.0.0.1:80", false},
        {"http://127.0.0.1:81", "127.0.0.1:80", false},
        {"http://127.0.0.1", "127.0.0.1:80", false},
        {"http://localhost:80", "127.0.0.1:80", false},
        {"http://127.0.0.1:80/", "127.0.0.1:80", false},
        {"http://127.0.0.1:80.example.org", "127.0.0.1:80", false},
        {"http://127.0.0.1:80 http://example.org", "127.0.0.1:80", false},
        {"http://127.0.0.1:80", NULL, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(view_origin_is_own(table[i].origin, table[i].host), table[i].own);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges), cmocka_unit_test(hosts), cmocka_unit_test(origins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
