/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Tokens of the viewer's server: random, and compared as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/view.h"

static void tokens(void **state) {
    (void)state;
    char a[VIEW_TOKEN + 1], b[VIEW_TOKEN + 1];
    assert_true(view_make_token(a) && view_make_token(b));
    assert_int_equal(strlen(a), VIEW_TOKEN);
    assert_int_equal(strspn(a, "0123456789abcdef"), VIEW_TOKEN);
    assert_true(strcmp(a, b) != 0);
    assert_true(view_same_token(a, VIEW_TOKEN, a));
    assert_false(view_same_token(a, VIEW_TOKEN, b));
    assert_false(view_same_token(a, VIEW_TOKEN - 1, a));
    assert_false(view_same_token("", 0, ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tokens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
