/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_expression.c - any bytes as an expression: compiled, evaluated, or refused with words. */
#include "input/input.h"

#include <stdlib.h>
#include <string.h>

static bool call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    (void)ctx, (void)why, (void)why_size;
    *out = i;
    for (int k = 0; k < narg; k++) *out += arg[k].text ? (double)strlen(arg[k].text) : arg[k].number;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const variable[] = {"t", "i", "mu"}, *const function[] = {"at", "uniform"};
    const perp_allocator a = {0};
    pp_expr_names names = {variable, 3, function, 2, size % 2 == 0};
    char why[256] = "";
    size_t where = 0;
    pp_expr *x = pp_expr_compile(&a, (const char *)data, size, &names, why, sizeof why, &where);
    if (!x) {
        if (why[0] == 0 || where > size) abort(); /* refused without a word, or at no place */
        return 0;
    }
    double value[3] = {0.5, 3, -1}, out, again;
    why[0] = 0;
    if (pp_expr_eval(x, value, call, NULL, &out, why, sizeof why)) {
        if (!pp_expr_eval(x, value, call, NULL, &again, why, sizeof why)) abort();
        if (memcmp(&out, &again, sizeof out) != 0 && out == out) abort(); /* the same twice, but for NaN */
    } else if (why[0] == 0) {
        abort();
    }
    pp_expr_free(&a, x);
    return 0;
}
