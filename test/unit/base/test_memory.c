/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_memory.c - allocator hook, growing arrays, arena */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/memory.h"

/* Counts calls and live blocks; refuses from the call number `refuse` on (0: never). */
typedef struct counter {
    int calls, live, refuse;
} counter;

static void *counted_alloc(size_t size, void *ctx) {
    counter *c = ctx;
    assert_true(size > 0);
    c->calls++;
    if ((c->refuse && c->calls >= c->refuse) || size > SIZE_MAX / 2) return NULL;
    c->live++;
    return malloc(size);
}

static void counted_free(void *p, void *ctx) {
    assert_non_null(p);
    ((counter *)ctx)->live--;
    free(p);
}

static perp_allocator counting(counter *c) {
    perp_allocator a = {counted_alloc, counted_free, c};
    return a;
}

static void test_hook(void **state) {
    (void)state;
    counter c = {0};
    perp_allocator a = counting(&c), none = {0};
    void *p = pp_alloc(&a, 0); /* counted_alloc asserts that at least a byte is asked for */
    assert_non_null(p);
    assert_int_equal(c.live, 1);
    pp_free(&a, p);
    pp_free(&a, NULL); /* counted_free asserts that it is not called */
    assert_int_equal(c.live, 0);
    p = pp_alloc(&none, 10); /* malloc */
    assert_non_null(p);
    memset(p, 1, 10);
    pp_free(&none, p);
}

static void test_grow(void **state) {
    (void)state;
    counter c = {0};
    perp_allocator a = counting(&c);
    int *x = NULL, cap = 0;
    assert_true(PP_GROW(&a, x, cap, 0, 0)); /* nothing needed, nothing done */
    assert_int_equal(c.calls, 0);
    for (int n = 0; n < 1000; n++) {
        assert_true(PP_GROW(&a, x, cap, n, n + 1));
        assert_true(cap > n);
        assert_int_equal(x[n], 0); /* the new part is zero */
        x[n] = 3 * n + 1;
    }
    for (int n = 0; n < 1000; n++) assert_int_equal(x[n], 3 * n + 1);
    for (int n = 1000; n < cap; n++) assert_int_equal(x[n], 0);
    assert_true(c.calls <= 9); /* doubling from 8: 8 ... 1024 */
    assert_int_equal(c.live, 1);

    int *before = x, cap_before = cap;
    c.refuse = c.calls + 1;
    bool grew = PP_GROW(&a, x, cap, 1000, 100000);
    assert_false(grew); /* refused: all as it was */
    assert_ptr_equal(x, before);
    assert_int_equal(cap, cap_before);
    for (int n = 0; n < 1000; n++) assert_int_equal(x[n], 3 * n + 1);
    assert_true(PP_GROW(&a, x, cap, 1000, cap)); /* enough room: the allocator is not asked */
    c.refuse = 0;
    assert_true(PP_GROW(&a, x, cap, 1000, 5000)); /* more than doubling */
    assert_true(cap >= 5000);
    assert_int_equal(x[999], 2998);
    pp_free(&a, x);
    assert_int_equal(c.live, 0);
}

static void test_grow_overflow(void **state) {
    (void)state;
    counter c = {0};
    perp_allocator a = counting(&c);
    void *x = NULL;
    int cap = 0;
    bool grew = PP_GROW_BY(&a, x, cap, 0, INT32_MAX, SIZE_MAX / 16);
    assert_false(grew); /* the product does not fit: refused, not wrapped */
    assert_int_equal(cap, 0);
    assert_null(x);
    assert_int_equal(c.calls, 0);
}

static void test_arena_alignment(void **state) {
    (void)state;
    counter c = {0};
    pp_arena a;
    pp_arena_init(&a, counting(&c));
    char *last = NULL;
    size_t last_size = 0;
    for (size_t size = 1; size < 3000; size = size * 3 / 2 + 1) {
        char *p = pp_arena_get(&a, size);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, (int)(size % 128), size); /* address sanitizer watches */
        for (size_t i = 0; last && i < last_size; i++)
            assert_int_equal(last[i], (int)(last_size % 128)); /* no overlap */
        last = p;
        last_size = size;
    }
    char *z = pp_arena_zero(&a, 1000);
    for (int i = 0; i < 1000; i++) assert_int_equal(z[i], 0);
    assert_null(pp_arena_get(&a, SIZE_MAX)); /* refused, not wrapped */
    assert_null(pp_arena_get(&a, SIZE_MAX - 200));
    assert_null(pp_arena_zero(&a, SIZE_MAX));
    double *d = PP_ARENA_ARRAY(&a, double, 0); /* an empty array is an address all the same */
    assert_non_null(d);
    pp_arena_free(&a);
    assert_int_equal(c.live, 0);
}

static void fill(pp_arena *a) {
    for (size_t i = 0; i < 300; i++) assert_non_null(pp_arena_get(a, 100 + 13 * i));
}

static void test_arena_warm(void **state) {
    (void)state;
    counter c = {0};
    pp_arena a;
    pp_arena_init(&a, counting(&c));
    fill(&a);
    assert_true(c.live > 1); /* it grew in several blocks */
    pp_arena_reset(&a);
    assert_int_equal(c.live, 1); /* made one */
    int calls = c.calls;
    for (int k = 0; k < 5; k++) {
        fill(&a);
        pp_arena_reset(&a);
    }
    assert_int_equal(c.calls, calls); /* the heap is not touched any more */
    pp_arena_free(&a);
    assert_int_equal(c.live, 0);
}

static void test_arena_mark(void **state) {
    (void)state;
    counter c = {0};
    pp_arena a;
    pp_arena_init(&a, counting(&c));
    pp_arena_mark empty = pp_arena_here(&a);
    char *kept = pp_arena_get(&a, 64);
    memset(kept, 7, 64);
    pp_arena_mark m = pp_arena_here(&a);
    char *first = pp_arena_get(&a, 64);
    pp_arena_release(&a, m);
    assert_ptr_equal(pp_arena_get(&a, 64), first); /* the same place again */
    pp_arena_release(&a, m);
    fill(&a); /* over several blocks */
    pp_arena_release(&a, m);
    int calls = c.calls;
    for (int k = 0; k < 100; k++) { /* a loop that marks and releases does not grow */
        pp_arena_mark here = pp_arena_here(&a);
        assert_non_null(pp_arena_get(&a, 3000));
        pp_arena_release(&a, here);
    }
    assert_int_equal(c.calls, calls);
    for (int i = 0; i < 64; i++) assert_int_equal(kept[i], 7); /* older than the mark: untouched */
    pp_arena_release(&a, empty);
    pp_arena_reset(&a);
    assert_int_equal(c.live, 1);
    pp_arena_free(&a);
    assert_int_equal(c.live, 0);
    pp_arena_free(&a); /* twice is fine */
}

static void test_arena_refusal(void **state) {
    (void)state;
    for (int refuse = 1; refuse < 6; refuse++) {
        counter c = {.refuse = refuse};
        pp_arena a;
        pp_arena_init(&a, counting(&c));
        char *got[64];
        int n = 0;
        while (n < 64 && (got[n] = pp_arena_get(&a, 2000))) {
            memset(got[n], n, 2000);
            n++;
        }
        assert_true(n < 64);
        for (int i = 0; i < n; i++) assert_int_equal(got[i][1999], i); /* what was given stays */
        pp_arena_reset(&a);                                            /* its one big block may be refused too */
        c.refuse = 0;
        fill(&a); /* works again as soon as there is memory */
        pp_arena_free(&a);
        assert_int_equal(c.live, 0);
    }
}

static void test_hash(void **state) {
    (void)state;
    /* published test vectors of 64-bit FNV-1a */
    assert_true(pp_hash(PP_HASH_START, "", 0) == 0xcbf29ce484222325ull);
    assert_true(pp_hash(PP_HASH_START, "a", 1) == 0xaf63dc4c8601ec8cull);
    assert_true(pp_hash(PP_HASH_START, "foobar", 6) == 0x85944171f73967e8ull);
    assert_true(pp_hash_double(1, 0.0) == pp_hash_double(1, -0.0));
    assert_true(pp_hash_double(1, 1.0) != pp_hash_double(1, 1.0000000000000002));
}

static void test_status(void **state) {
    (void)state;
    assert_string_equal(perp_status_name(PERP_OK), "PERP_OK");
    assert_string_equal(perp_status_name(PERP_E_GEOMETRY), "PERP_E_GEOMETRY");
    for (int s = 0; s >= -7; s--) {
        assert_string_not_equal(perp_status_name((perp_status)s), "unknown status");
        assert_string_not_equal(perp_status_text((perp_status)s), "unknown status");
    }
    assert_string_equal(perp_status_name((perp_status)-99), "unknown status");
    assert_string_equal(perp_status_text((perp_status)-99), "unknown status");
    int major = -1, minor = -1, patch = -1;
    assert_int_equal(sscanf(perp_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(major, PERP_VERSION_MAJOR);
    assert_int_equal(minor, PERP_VERSION_MINOR);
    assert_int_equal(patch, PERP_VERSION_PATCH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hook),          cmocka_unit_test(test_grow),
        cmocka_unit_test(test_grow_overflow), cmocka_unit_test(test_arena_alignment),
        cmocka_unit_test(test_arena_warm),    cmocka_unit_test(test_arena_mark),
        cmocka_unit_test(test_arena_refusal), cmocka_unit_test(test_hash),
        cmocka_unit_test(test_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
