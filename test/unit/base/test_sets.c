/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_sets.c - disjoint sets against labels that are merged one by one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sets.h"

#define N 60

/* Random joins: two members are in one set exactly if they have the same label, and the smallest one stands for the set. */
static void test_joins(void **state) {
    (void)state;
    unsigned seed = 1;
    for (int run = 0; run < 50; run++) {
        int parent[N], label[N];
        pp_sets_make(parent, N);
        for (int i = 0; i < N; i++) label[i] = i;
        for (int k = 0; k < run; k++) {
            seed = 1664525u * seed + 1013904223u;
            int i = (int)(seed >> 16) % N;
            seed = 1664525u * seed + 1013904223u;
            int j = (int)(seed >> 16) % N;
            int from = label[i] > label[j] ? label[i] : label[j], to = label[i] + label[j] - from;
            pp_sets_join(parent, i, j);
            for (int m = 0; m < N; m++)
                if (label[m] == from) label[m] = to;
        }
        for (int i = 0; i < N; i++) assert_int_equal(pp_set_of(parent, i), label[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_joins)};
    return cmocka_run_group_tests_name("disjoint sets", tests, NULL, NULL);
}
