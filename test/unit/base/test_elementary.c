/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_elementary.c - the library's own elementary functions against those of the C library with long numbers
 * Method   many arguments: in the range where the function is used, in all of the numbers (random bits), and near the seams of the method. The error in
 *          units in the last place is below one. Special values as in C17, annex F. A table of results that every machine must give to the bit. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/elementary.h"
#include "oracle/random_problem.h"

#ifdef PERP_TEST_SHORT
#define SAMPLES 2000
#else
#define SAMPLES 10000
#endif

/* Any finite number: random bits. */
static double any_number(void) {
    for (;;) {
        uint64_t bits = 0;
        for (int k = 0; k < 4; k++) bits = bits << 16 | (uint64_t)rp_int(1 << 16);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) return x;
    }
}

static double ulps(double got, long double want) {
    const double near = (double)want;
    if (isnan(near)) return isnan(got) ? 0 : INFINITY;
    if (isinf(near) || isinf(got)) return got == near ? 0 : INFINITY;
    const double size = fabs(near),
                 unit = size < DBL_MAX ? nextafter(size, INFINITY) - size : size - nextafter(size, 0);
    return (double)(fabsl((long double)got - want) / (long double)unit);
}

typedef struct one {
    const char *name;
    double (*own)(double);
    long double (*reference)(long double);
    double lo, hi; /* equal: all numbers */
} one;

static const one functions[] = {
    {"sin", pp_sin, sinl, -4, 4},
    {"sin", pp_sin, sinl, -2e6, 2e6},
    {"sin", pp_sin, sinl, 0, 0},
    {"cos", pp_cos, cosl, -4, 4},
    {"cos", pp_cos, cosl, -2e6, 2e6},
    {"cos", pp_cos, cosl, 0, 0},
    {"tan", pp_tan, tanl, -4, 4},
    {"tan", pp_tan, tanl, -2e6, 2e6},
    {"tan", pp_tan, tanl, 0, 0},
    {"asin", pp_asin, asinl, -1, 1},
    {"asin", pp_asin, asinl, 0.9999, 1},
    {"acos", pp_acos, acosl, -1, 1},
    {"acos", pp_acos, acosl, 0.9999, 1},
    {"atan", pp_atan, atanl, -3, 3},
    {"atan", pp_atan, atanl, 0, 0},
    {"sinh", pp_sinh, sinhl, -2, 2},
    {"sinh", pp_sinh, sinhl, -711, 711},
    {"cosh", pp_cosh, coshl, -2, 2},
    {"cosh", pp_cosh, coshl, -711, 711},
    {"tanh", pp_tanh, tanhl, -2, 2},
    {"tanh", pp_tanh, tanhl, -45, 45},
    {"exp", pp_exp, expl, -2, 2},
    {"exp", pp_exp, expl, -750, 712},
    {"exp2", pp_exp2, exp2l, -3, 3},
    {"exp2", pp_exp2, exp2l, -1080, 1026},
    {"log", pp_log, logl, 0.5, 2},
    {"log", pp_log, logl, 0.99, 1.01},
    {"log", pp_log, logl, 0, 0},
    {"log2", pp_log2, log2l, 0.5, 2},
    {"log2", pp_log2, log2l, 0, 0},
    {"log10", pp_log10, log10l, 0.5, 2},
    {"log10", pp_log10, log10l, 0, 0},
    {"log1p", pp_log1p, log1pl, -0.9, 1},
    {"log1p", pp_log1p, log1pl, -1e-3, 1e-3},
    {"log1p", pp_log1p, log1pl, 0, 0},
    {"cbrt", pp_cbrt, cbrtl, -8, 8},
    {"cbrt", pp_cbrt, cbrtl, 0, 0},
    {"tgamma", pp_tgamma, tgammal, 0, 3},
    {"tgamma", pp_tgamma, tgammal, 3, 172},
    {"erfc", pp_erfc, erfcl, -3, 3},
    {"erfc", pp_erfc, erfcl, -7, 28},
};

static void check_one(const one *f, double x) {
    const double error = ulps(f->own(x), f->reference((long double)x));
    if (!(error < 1)) fail_msg("%s(%a): %a, %g ulp", f->name, x, f->own(x), error);
}

static void test_accuracy(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) skip(); /* the reference is the C library in long double, which has no more digits here */
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const one *f = &functions[i];
        for (int k = 0; k < SAMPLES; k++) {
            const double x = f->lo < f->hi ? f->lo + (f->hi - f->lo) * rp_unit() : any_number();
            check_one(f, f->own == pp_erfc || f->own != pp_tgamma ? x : fabs(x));
        }
    }
}

/* Multiples of a quarter turn, and the number of all that is closest to one; table nodes and their neighbours. */
static void test_seams(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) skip(); /* no reference: see test_accuracy */
    const double closest = 0x1.6ac5b262ca1ffp+849;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const one *f = &functions[i];
        if (f->lo < f->hi && f->lo > -2e6) {
            for (int j = -2048; j <= 2048; j++) {
                const double x = f->own == pp_tgamma ? fabs(j / 64.0) + 0x1p-20 : j / 64.0;
                check_one(f, x);
                check_one(f, f->own == pp_tgamma ? x : nextafter(x, -INFINITY));
                check_one(f, nextafter(x, INFINITY));
            }
            continue;
        }
        if (f->own != pp_sin && f->own != pp_cos && f->own != pp_tan) continue;
        check_one(f, closest);
        check_one(f, -closest);
        for (int k = -3000; k <= 3000; k++) {
            const double x = k * 1.5707963267948966, far = ldexp(x, 20 + (k & 511));
            check_one(f, x);
            check_one(f, far);
            check_one(f, x * 333333);
        }
    }
}

static void test_two_arguments(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) skip(); /* no reference: see test_accuracy */
    for (int k = 0; k < 4 * SAMPLES; k++) {
        const int kind = k % 4;
        const double a = any_number(), x = kind == 0   ? pp_exp(20 * rp_sym())
                                           : kind == 1 ? fabs(a)
                                                       : 1 + 1e-6 * rp_sym();
        const double y = kind == 0   ? 20 * rp_sym()
                         : kind == 1 ? 710 * rp_sym() / (fabs(log(x)) + 1e-9)
                                     : 1e9 * rp_sym();
        double error = ulps(pp_pow(x, y), powl((long double)x, (long double)y));
        if (!(error < 1)) fail_msg("pow(%a, %a): %g ulp", x, y, error);
        const double p = kind == 0 ? rp_sym() : kind == 1 ? a : kind == 2 ? ldexp(rp_sym(), -1060) : a;
        const double q = kind == 0   ? rp_sym()
                         : kind == 1 ? any_number()
                         : kind == 2 ? ldexp(rp_sym(), -1060)
                                     : a * rp_sym();
        error = ulps(pp_hypot(p, q), hypotl((long double)p, (long double)q));
        if (!(error < 1)) fail_msg("hypot(%a, %a): %g ulp", p, q, error);
        error = ulps(pp_atan2(p, q), atan2l((long double)p, (long double)q));
        if (!(error < 1)) fail_msg("atan2(%a, %a): %g ulp", p, q, error);
    }
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

/* The functions of the C library have the special values of the standard. */
static void test_special_values(void **state) {
    (void)state;
    static double (*const own[])(double) = {pp_sin,  pp_cos,   pp_tan,   pp_asin, pp_acos, pp_atan,
                                            pp_sinh, pp_cosh,  pp_tanh,  pp_exp,  pp_exp2, pp_log,
                                            pp_log2, pp_log10, pp_log1p, pp_cbrt, pp_erfc};
    static double (*const theirs[])(double) = {sin, cos,  tan, asin, acos,  atan,  sinh, cosh, tanh,
                                               exp, exp2, log, log2, log10, log1p, cbrt, erfc};
    const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 2, -2};
    for (size_t f = 0; f < sizeof own / sizeof *own; f++)
        for (size_t k = 0; k < 7; k++) {
            const double a = own[f](special[k]), b = theirs[f](special[k]);
            if (!(same(a, b) || (isfinite(a) && fabs(a - b) <= 2 * DBL_EPSILON * fabs(b))))
                fail_msg("function %zu of %g: %g, not %g", f, special[k], a, b);
        }
    const double values[] = {0.0, -0.0, 1,        -1,        2,   -2,     3,       -3,        0.5,       -0.5,
                             2.5, -2.5, INFINITY, -INFINITY, NAN, 0x1p60, -0x1p60, 0x1p-1074, -0x1p-1074};
    const size_t n = sizeof values / sizeof *values;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double x = values[i], y = values[j];
            assert_true(same(pp_pow(x, y), pow(x, y)) ||
                        fabs(pp_pow(x, y) - pow(x, y)) <= DBL_EPSILON * fabs(pow(x, y)));
            assert_true(same(pp_hypot(x, y), hypot(x, y)) ||
                        fabs(pp_hypot(x, y) - hypot(x, y)) <= DBL_EPSILON * hypot(x, y));
            assert_true(same(pp_atan2(x, y), atan2(x, y)) ||
                        fabs(pp_atan2(x, y) - atan2(x, y)) <= DBL_EPSILON * fabs(atan2(x, y)));
        }
    assert_true(isnan(pp_tgamma(-1)) && isnan(pp_tgamma(NAN)) && isinf(pp_tgamma(0)) && isinf(pp_tgamma(INFINITY)));
}

/* Exact where the value is a number. */
static void test_exact(void **state) {
    (void)state;
    double factorial = 1;
    for (int n = 1; n <= 22; n++) { /* 22! is the last that is a number */
        assert_true(pp_tgamma(n) == factorial);
        factorial *= n;
    }
    for (int k = -1074; k < 1024; k++) {
        assert_true(pp_exp2(k) == ldexp(1, k));
        assert_true(pp_log2(ldexp(1, k)) == k);
        assert_true(pp_pow(2, k) == ldexp(1, k));
    }
    for (int k = 1; k < 2000; k++) {
        const double x = k;
        assert_true(pp_cbrt(x * x * x) == x);
        assert_true(pp_pow(x, 2) == x * x && pp_pow(x * x, 0.5) == x);
        assert_true(pp_hypot(3 * x, 4 * x) == 5 * x);
    }
    for (int k = 0; k <= 22; k++) assert_true(pp_log10(pp_pow(10, k)) == k);
}

/* Together they have the bits of one and the other. */
static void test_sin_cos(void **state) {
    (void)state;
    for (int k = 0; k < 4 * SAMPLES; k++) {
        const double x = k % 4 == 0   ? 0.8 * rp_sym()
                         : k % 4 == 1 ? 20 * rp_sym()
                         : k % 4 == 2 ? 2e6 * rp_sym()
                                      : any_number();
        double s, c;
        pp_sin_cos(x, &s, &c);
        assert_true(same(s, pp_sin(x)) && same(c, pp_cos(x)));
    }
    const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 5; k++) {
        double s, c;
        pp_sin_cos(special[k], &s, &c);
        assert_true(same(s, pp_sin(special[k])) && same(c, pp_cos(special[k])));
    }
}

/* The same bits everywhere: a sum of the bits of many results, as this library has given it on arm64 (gcc, clang) and WebAssembly. */
static void test_bits(void **state) {
    (void)state;
    uint64_t hash = 1469598103934665603ULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int k = 0; k < 1000; k++) {
            const one *f = &functions[i];
            const double part = (k + 0.5) / 1000;
            const double x = f->lo < f->hi ? f->lo + (f->hi - f->lo) * part : ldexp(1 + part, k - 500), y = f->own(x);
            const double both[3] = {isnan(y) ? 0 : y, pp_pow(1 + part, k - 500), pp_atan2(part, k - 500.5)};
            for (int j = 0; j < 3; j++) {
                uint64_t bits;
                memcpy(&bits, &both[j], sizeof bits);
                hash = (hash ^ bits) * 1099511628211ULL;
            }
        }
    if (hash != 0xd38ca7e2899db505ULL)
        fail_msg("the bits of the elementary functions changed: 0x%016llx", (unsigned long long)hash);
}

int main(void) {
    rp_seed = 26;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),       cmocka_unit_test(test_seams), cmocka_unit_test(test_two_arguments),
        cmocka_unit_test(test_special_values), cmocka_unit_test(test_exact), cmocka_unit_test(test_sin_cos),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests_name("elementary", tests, NULL, NULL);
}
