/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_expr.c - expressions: values, laziness, limits, and every complaint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/allocator.h"
#include "input/expr_program.h"

#define PI 3.14159265358979323846

static const perp_allocator plain = {0};
static const char *const variables[] = {"t", "mass", "x_1", "deg2"};
static const char *const functions[] = {"uniform", "mean", "broken"};
static const pp_expr_names names = {variables, 4, functions, 3, true};
static const double values[] = {0.5, 3, -2, 7};

typedef struct calls {
    int n;
    char last[64];
} calls;

static bool call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    calls *c = ctx;
    c->n++;
    if (i == 2) {
        (void)snprintf(why, why_size, "found %d arguments", narg);
        return false;
    }
    double sum = i;
    for (int k = 0; k < narg; k++) {
        if (arg[k].text) (void)snprintf(c->last, sizeof c->last, "%s", arg[k].text);
        sum += arg[k].text ? (double)strlen(arg[k].text) : arg[k].number;
    }
    *out = sum;
    return true;
}

static pp_expr *compile(const char *text) {
    char why[400];
    size_t where = 0;
    pp_expr *x = pp_expr_compile(&plain, text, strlen(text), &names, why, sizeof why, &where);
    if (!x) fail_msg("%s: byte %zu: %s", text, where, why);
    return x;
}

static double value(const char *text) {
    pp_expr *x = compile(text);
    double v = 0;
    char why[100] = "";
    calls c = {0};
    bool ok = pp_expr_eval(x, values, call, &c, &v, why, sizeof why);
    pp_expr_free(&plain, x);
    if (!ok) fail_msg("%s: %s", text, why);
    return v;
}

static void refused(const char *text, size_t length, size_t where, const char *words) {
    char why[400] = "";
    size_t at = 12345;
    pp_expr *x = pp_expr_compile(&plain, text, length, &names, why, sizeof why, &at);
    assert_null(x);
    assert_string_equal(why, words);
    assert_int_equal(at, where);
}

static void has_the_right_value(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } t[] = {
        {"1", 1},
        {" 12.5e-1\n", 1.25},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"2*3+1", 7},
        {"10-4-3", 3},
        {"100/10/5", 2},
        {"7%4*2", 6},
        {"2*7%4", 2},
        {"2^3^2", 512},
        {"(2^3)^2", 64},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^-1", 0.5},
        {"2^-2^2", 0.0625},
        {"-2^-2", -0.25},
        {"2*-3", -6},
        {"1 - -1", 2},
        {"1--1", 2},
        {"+-+1", -1},
        {"!0", 1},
        {"!5", 0},
        {"!!5", 1},
        {"!0 + 1", 2},
        {"-!0", -1},
        {"!2^2", 0},
        {"1 < 2", 1},
        {"2 <= 1", 0},
        {"2 >= 2", 1},
        {"2 > 2", 0},
        {"1 == 1", 1},
        {"1 != 1", 0},
        {"1 + 1 == 2", 1},
        {"1 < 2 == 2 > 1", 1},
        {"1 || 0 && 0", 1},
        {"(1 || 0) && 0", 0},
        {"3 && 4", 1},
        {"0 || 7", 1},
        {"3 || 0", 1},
        {"0 || 0", 0},
        {"1/(-0.0 && 1)", INFINITY}, /* a truth value has no sign */
        {"-0.0 && 1", 0},
        {"1 == 1 && 2 == 2", 1},
        {"1 ? 2 : 3", 2},
        {"0 ? 2 : 3", 3},
        {"0 ? 2 : 0 ? 3 : 4", 4},
        {"0 ? 2 : 1 ? 3 : 4", 3},
        {"1 ? 0 ? 5 : 6 : 7", 6},
        {"1 ? 1 ? 5 : 6 : 7", 5},
        {"0 || 1 ? 2 : 3", 2},
        {"(0 ? 1 : 2) * 5", 10},
        {"1 + (1 ? 2 : 3) + 4", 7},
        {"max(1 ? 2 : 3, 0 ? 9 : 1)", 2},
        {"t", 0.5},
        {"mass*x_1", -6},
        {"deg2", 7},
        {"pi", PI},
        {"e", 2.71828182845904523536},
        {"180*deg", 180 * (PI / 180)},
        {"-inf", -INFINITY},
        {"1/0", INFINITY},
        {"-1/0", -INFINITY},
        {"inf > 1e308", 1},
        {"-7 % 4", -3},
        {"mod(-7, 4)", 1},
        {"mod(7, -4)", -1},
        {"mod(8, 4)", 0},
        {"mod(7.5, 2)", 1.5},
        {"abs(-3)", 3},
        {"sign(-3)", -1},
        {"sign(3)", 1},
        {"sign(0)", 0},
        {"floor(-1.5)", -2},
        {"ceil(-1.5)", -1},
        {"round(2.5)", 3},
        {"round(-2.5)", -3},
        {"min(3)", 3},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 4, 1, 5)", 5},
        {"pow(2, 10)", 1024},
        {"hypot(3, 4)", 5},
        {"clamp(5, 0, 1)", 1},
        {"clamp(-5, 0, 1)", 0},
        {"clamp(0.5, 0, 1)", 0.5},
        {"lerp(2, 4, 0.25)", 2.5},
        {"linear(1.25, 0, 5, 1, 7, 2, 3)", 6},
        {"linear(-1, 0, 5, 1, 7)", 5},
        {"linear(1, 0, 5, 1, 7)", 7},
        {"linear(9, 0, 5, 1, 7)", 7},
        {"smooth(0.5, 0, 4, 2, 8)", 4.625},
        {"smooth(1, 0, 4, 2, 8)", 6},
        {"smooth(2.5, 0, 4, 2, 8, 3, 6)", 7},
        {"step(-1)", 0},
        {"step(0)", 1},
        {"step(2)", 1},
        {"sqrt(16)", 4},
        {"exp(0)", 1},
        {"log(1)", 0},
        {"log2(8)", 3},
        {"log10(1000)", 3},
        {"atan2(0, -1)", PI},
        {"uniform(1, 2)", 3},
        {"mean()", 1},
        {"mean(\"abc\", 2) + 1", 7},
        {"mean('a\"c')", 4},
        {"1e3", 1000},
        {"min (1 , 2)", 1},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        double v = value(t[i].text);
        if (v != t[i].value) fail_msg("%s = %.17g instead of %.17g", t[i].text, v, t[i].value);
    }
    static const struct {
        const char *name;
        double (*f)(double);
    } f[] = {{"sin", sin},   {"cos", cos},   {"tan", tan},   {"asin", asin}, {"acos", acos},
             {"atan", atan}, {"sinh", sinh}, {"cosh", cosh}, {"tanh", tanh}, {"sqrt", sqrt},
             {"cbrt", cbrt}, {"exp", exp},   {"log", log},   {"log2", log2}, {"log10", log10}};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "%s(t)", f[i].name);
        assert_true(value(text) == f[i].f(0.5));
    }
}

static void nan_goes_through(void **state) {
    (void)state;
    static const char *const t[] = {
        "0/0",
        "0/0 < 1",
        "0/0 == 0/0",
        "0/0 != 1",
        "!(0/0)",
        "(0/0) ? 1 : 2",
        "0/0 && 1",
        "1 && 0/0",
        "0/0 || 1",
        "0 || 0/0",
        "min(1, 0/0)",
        "min(0/0, 1)",
        "max(1, 0/0)",
        "max(0/0, 1)",
        "clamp(0/0, 0, 1)",
        "clamp(1, 0/0, 1)",
        "clamp(1, 2, 1)",
        "sign(0/0)",
        "step(0/0)",
        "linear(0/0, 0, 1, 1, 2)",
        "linear(0.5, 0, 1, 0/0, 2)",
        "linear(0.5, 1, 1, 0, 2)",
        "smooth(9, 0, 1, 0, 2)",
        "linear(1, 0, 1, 1, 2, 3)",
        "sqrt(-1)",
        "acos(2)",
        "inf - inf",
        "mod(1, 0)",
        "1 % 0",
        "1 + ((0/0) ? 1 : 2) * 3",
        "round(0/0)",
        "1 <= 0/0",
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (!isnan(value(t[i]))) fail_msg("%s is a number", t[i]);
    assert_true(value("0 && 0/0") == 0); /* not looked at */
    assert_true(value("1 || 0/0") == 1);
    assert_true(value("1 ? 2 : 0/0") == 2);
}

static void only_what_is_chosen_is_evaluated(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int calls;
    } t[] = {
        {"1 ? uniform() : mean() + mean()", 1},
        {"0 ? uniform() : mean() + mean()", 2},
        {"0 && uniform()", 0},
        {"1 && uniform()", 1},
        {"1 || uniform()", 0},
        {"0 || uniform()", 1},
        {"0/0 ? uniform() : mean()", 0},
        {"1 ? 2 : broken()", 0},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        pp_expr *x = compile(t[i].text);
        calls c = {0};
        double v;
        char why[64];
        assert_true(pp_expr_eval(x, values, call, &c, &v, why, sizeof why));
        assert_int_equal(c.n, t[i].calls);
        pp_expr_free(&plain, x);
    }
}

static void functions_of_the_caller(void **state) {
    (void)state;
    calls c = {0};
    double v = 7;
    char why[64] = "";
    pp_expr *x = compile("mean(\"first\", 'second')");
    assert_true(pp_expr_eval(x, values, call, &c, &v, why, sizeof why));
    assert_string_equal(c.last, "second");
    assert_true(v == 12);
    assert_false(pp_expr_constant(x));
    assert_false(pp_expr_eval(x, values, NULL, NULL, &v, why, sizeof why));
    assert_string_equal(why, "found a function that cannot be used here");
    pp_expr_free(&plain, x);
    x = compile("1 + broken(1, 2)");
    v = 7;
    assert_false(pp_expr_eval(x, values, call, &c, &v, why, sizeof why));
    assert_string_equal(why, "found 2 arguments");
    assert_true(v == 7);
    assert_false(pp_expr_eval(x, values, call, &c, &v, NULL, 0));
    pp_expr_free(&plain, x);
    /* names of the caller go before those of the language */
    static const char *const own[] = {"e"}, *const own_function[] = {"sin"};
    pp_expr_names n = {own, 1, own_function, 1, false};
    x = pp_expr_compile(&plain, "sin(e)", 6, &n, why, sizeof why, NULL);
    assert_non_null(x);
    double e = 40;
    assert_true(pp_expr_eval(x, &e, call, &c, &v, why, sizeof why));
    assert_true(v == 40);
    pp_expr_free(&plain, x);
    size_t where = 0;
    assert_null(pp_expr_compile(&plain, "sin(\"a\")", 8, &n, why, sizeof why, &where));
    assert_string_equal(why, "found a text in sin(); allowed: a number or an expression");
    assert_int_equal(where, 4);
}

static void tells_what_it_uses(void **state) {
    (void)state;
    pp_expr *x = compile("1 ? t : mass"), *y = compile("sin(pi)^2"), *z = compile("2*deg2");
    assert_true(pp_expr_uses(x, 0));
    assert_true(pp_expr_uses(x, 1));
    assert_false(pp_expr_uses(x, 2));
    assert_false(pp_expr_constant(x));
    assert_true(pp_expr_constant(y));
    assert_false(pp_expr_uses(y, 0));
    assert_false(pp_expr_uses(z, 0));
    assert_true(pp_expr_uses(z, 3));
    double v;
    assert_true(pp_expr_eval(y, NULL, NULL, NULL, &v, NULL, 0));
    pp_expr_free(&plain, x);
    pp_expr_free(&plain, y);
    pp_expr_free(&plain, z);
    pp_expr_free(&plain, NULL);
}

#define KNOWN "t, mass, x_1, deg2, pi, e, inf, deg"
#define FUNCTIONS                                                                                                   \
    "uniform, mean, broken, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, sqrt, cbrt, exp, log, log2, " \
    "log10, abs, sign, floor, ceil, round, min, max, pow, mod, hypot, clamp, lerp, step, linear, smooth"

static void says_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t where;
        const char *words;
    } t[] = {
        {"", 0, "found nothing; allowed: a number or an expression"},
        {"  \n", 0, "found nothing; allowed: a number or an expression"},
        {"1 +", 3, "found the end; allowed: a number, a name or ("},
        {"*2", 0, "found *; allowed: a number, a name or ("},
        {"1 + * 2", 4, "found *; allowed: a number, a name or ("},
        {"()", 1, "found ); allowed: a number, a name or ("},
        {"(1", 2, "found the end; allowed: an operator or )"},
        {"(1 2)", 3, "found 2; allowed: an operator or )"},
        {"1)", 1, "found ); allowed: an operator or the end"},
        {"1 2", 2, "found 2; allowed: an operator or the end"},
        {"1, 2", 1, "found ,; allowed: an operator or the end"},
        {"t mass", 2, "found mass; allowed: an operator or the end"},
        {"1 ? 2", 5, "found the end; allowed: an operator or the : that belongs to ?"},
        {"1 ? 2 3", 6, "found 3; allowed: an operator or the : that belongs to ?"},
        {"1 ? : 3", 4, "found :; allowed: a number, a name or ("},
        {"1 : 2", 2, "found :; allowed: an operator or the end"},
        {"2m", 1, "found m right after a number; allowed: an operator such as *"},
        {"2(3)", 1, "found (; allowed: an operator or the end"},
        {"1.5.2", 3, "found . right after a number; allowed: an operator such as *"},
        {"1e", 1, "found e right after a number; allowed: an operator such as *"},
        {"0x10", 1, "found x right after a number; allowed: an operator such as *"},
        {".", 0, "found a point alone; allowed: digits before or after it"},
        {"1 + .", 4, "found a point alone; allowed: digits before or after it"},
        {"1e400", 0, "found 1e400; allowed: a number up to 1.7e308, or inf"},
        {"1 = 2", 2, "found =; allowed: == to compare"},
        {"1 & 2", 2, "found &; allowed: &&"},
        {"1 | 2", 2, "found |; allowed: ||"},
        {"2**3", 1, "found **; allowed: ^ for a power"},
        {"0 < t < 1", 6, "found < after another comparison; allowed: comparisons joined by &&"},
        {"1 == 1 != 0", 7, "found != after another comparison; allowed: comparisons joined by &&"},
        {"$t", 0, "found $; allowed: numbers, names, operators and parentheses"},
        {"1 + [2]", 4, "found [; allowed: numbers, names, operators and parentheses"},
        {"\xc2\xb5", 0, "found \xc2\xb5; allowed: numbers, names, operators and parentheses"},
        {"\xff", 0, "found \\xff; allowed: numbers, names, operators and parentheses"},
        {"1\x01", 1, "found \\x01; allowed: numbers, names, operators and parentheses"},
        {"~1", 0, "found ~; allowed: numbers, names, operators and parentheses"},
        {"masss", 0, "found the unknown name masss (did you mean mass?); allowed: " KNOWN},
        {"1 + Mass", 4, "found the unknown name Mass (did you mean mass?); allowed: " KNOWN},
        {"nan", 0, "found the unknown name nan; allowed: " KNOWN},
        {"zebra", 0, "found the unknown name zebra; allowed: " KNOWN},
        {"sine(1)", 0, "found the unknown name sine() (did you mean sin?); allowed: " FUNCTIONS},
        {"unifrom(1, 2)", 0, "found the unknown name unifrom() (did you mean uniform?); allowed: " FUNCTIONS},
        {"foo(1)", 0, "found the unknown name foo(); allowed: " FUNCTIONS},
        {"t(1)", 1, "found (; allowed: an operator such as * after a variable"},
        {"sin", 0, "found the function sin without arguments; allowed: sin(...)"},
        {"sin()", 0, "found 0 arguments of sin(); allowed: 1"},
        {"sin(1, 2)", 0, "found 2 arguments of sin(); allowed: 1"},
        {"atan2(1)", 0, "found 1 argument of atan2(); allowed: 2"},
        {"max()", 0, "found 0 arguments of max(); allowed: 1 to 255"},
        {"clamp(1, 2)", 0, "found 2 arguments of clamp(); allowed: 3"},
        {"sin(1", 5, "found the end; allowed: an operator, a comma or )"},
        {"sin(1 2)", 6, "found 2; allowed: an operator, a comma or )"},
        {"max(1,)", 6, "found ); allowed: a number, a name or ("},
        {"max(,1)", 4, "found ,; allowed: a number, a name or ("},
        {"\"a\"", 0, "found the text \"a\"; allowed: a number or an expression"},
        {"1 + 'a'", 4, "found the text 'a'; allowed: a number or an expression"},
        {"sin(\"a\")", 4, "found a text in sin(); allowed: a number or an expression"},
        {"mean(\"a\" + 1)", 9, "found +; allowed: , or ) after a text"},
        {"mean(1 + \"a\")", 9, "found the text \"a\"; allowed: a number or an expression"},
        {"mean(\"a)", 5, "found a text that does not end; allowed: \" at its end"},
        {"mean('a\")", 5, "found a text that does not end; allowed: ' at its end"},
        {"mean(\"a\nb\")", 7, "found \\x0a in a text; allowed: no control characters"},
        {"1 !", 2, "found !; allowed: an operator or the end"},
        {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg", 0,
         "found the unknown name aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeee...; allowed: " KNOWN},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) refused(t[i].text, strlen(t[i].text), t[i].where, t[i].words);
    refused("1\0", 2, 1, "found \\x00; allowed: numbers, names, operators and parentheses");
    refused("mean(\"\0\")", 9, 6, "found \\x00 in a text; allowed: no control characters");
}

/* n times a, then b, then n times c */
static char *nested(int n, const char *a, const char *b, const char *c) {
    size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
    char *s = malloc((size_t)n * (la + lc) + lb + 1), *p = s;
    assert_non_null(s);
    for (int i = 0; i < n; i++, p += la) memcpy(p, a, la);
    memcpy(p, b, lb);
    p += lb;
    for (int i = 0; i < n; i++, p += lc) memcpy(p, c, lc);
    *p = 0;
    return s;
}

static void has_limits(void **state) {
    (void)state;
    static const struct {
        const char *a, *b, *c;
        size_t where;
    } deep[] = {{"(", "1", ")", 100}, {"-", "1", "", 100},     {"!", "1", "", 100},    {"+", "1", "", 100},
                {"", "1", "^1", 200}, {"sin(", "1", ")", 400}, {"1?1:", "1", "", 398}, {"1?", "1", ":1", 200}};
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        char *s = nested(50, deep[i].a, deep[i].b, deep[i].c); /* this deep is fine */
        (void)value(s);
        free(s);
        s = nested(500, deep[i].a, deep[i].b, deep[i].c);
        refused(s, strlen(s), deep[i].where, "found more than 100 levels of nesting; allowed: fewer");
        free(s);
    }
    char *s = nested(512, "", "1", "+1"); /* 1025 instructions */
    refused(s, strlen(s), strlen(s), "found more than 1024 operations; allowed: fewer");
    s[strlen(s) - 2] = 0;
    assert_true(value(s) == 512);
    free(s);
    s = nested(254, "", "max(1", ",1"); /* 255 arguments, the most */
    char *closed = nested(1, s, ")", "");
    assert_true(value(closed) == 1);
    free(s);
    free(closed);
    s = nested(256, "", "mean(1", ",1");
    refused(s, strlen(s), 517, "found an expression with more than 256 nested values; allowed: fewer");
    free(s);
    s = nested(255, "", "mean(1", ",1");
    closed = nested(1, s, ")", "");
    refused(closed, strlen(closed), 0, "found 256 arguments; allowed: at most 255");
    free(s);
    free(closed);
    s = nested(2048, " ", "1", " ");
    refused(s, strlen(s), 4096, "found 4097 bytes; allowed: at most 4096");
    s[strlen(s) - 1] = 0;
    assert_true(value(s) == 1);
    free(s);
    /* texts up to the limit fit */
    s = nested(4096 - 8, "", "mean(\"", "a");
    closed = nested(1, s, "\")", "");
    assert_int_equal(strlen(closed), 4096);
    assert_true(value(closed) == 4088 + 1);
    free(s);
    free(closed);
}

static void cuts_its_words(void **state) {
    (void)state;
    char why[20];
    memset(why, '#', sizeof why);
    assert_null(pp_expr_compile(&plain, "masss", 5, &names, why, 10, NULL));
    assert_string_equal(why, "found the");
    assert_int_equal(why[10], '#');
    assert_null(pp_expr_compile(&plain, "masss", 5, &names, NULL, 0, NULL));
    assert_null(pp_expr_compile(NULL, "t", 1, NULL, NULL, 0, NULL));
    /* a long list of names ends in dots */
    static const char *const many[] = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                                       "cccccccccccccccccccccccccccccc", "dddddddddddddddddddddddddddddd",
                                       "eeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "ffffffffffffffffffffffffffffff",
                                       "gggggggggggggggggggggggggggggg", "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhi"};
    pp_expr_names n = {many, 8, NULL, 0, false};
    char words[400];
    assert_null(pp_expr_compile(&plain, "x", 1, &n, words, sizeof words, NULL));
    assert_string_equal(words + strlen(words) - 38, "e, ffffffffffffffffffffffffffffff, ...");
}

static void survives_without_memory(void **state) {
    (void)state;
    counter mind = {.refuse = 0};
    perp_allocator none = counting(&mind);
    char why[64];
    assert_null(pp_expr_compile(&none, "1", 1, &names, why, sizeof why, NULL));
    assert_string_equal(why, "no memory for the expression");
    assert_true(mind.refused == 1 && mind.live == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_right_value),
        cmocka_unit_test(nan_goes_through),
        cmocka_unit_test(only_what_is_chosen_is_evaluated),
        cmocka_unit_test(functions_of_the_caller),
        cmocka_unit_test(tells_what_it_uses),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(has_limits),
        cmocka_unit_test(cuts_its_words),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
