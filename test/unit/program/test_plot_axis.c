/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Ranges, ticks and their words, scales and thinning of plots. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plot/plot_axis.h"

#define MINUS "\xe2\x88\x92"
#define TIMES "\xc3\x97"

static plot_axis made(double lo, double hi, bool log, int most) {
    plot_axis a;
    plot_axis_span(&a, plot_range_none(), log, false, lo, hi);
    plot_axis_ticks(&a, most);
    return a;
}

/* Words of all ticks with blanks between them, for one comparison. */
static const char *words(const plot_axis *a) {
    static char all[1024];
    all[0] = 0;
    for (int i = 0; i < a->ntick; i++) {
        if (i) strcat(all, " ");
        strcat(all, a->word[i]);
    }
    return all;
}

static void expect(double lo, double hi, int most, const char *ticks, const char *note) {
    plot_axis a = made(lo, hi, false, most);
    assert_string_equal(words(&a), ticks);
    assert_string_equal(a.note, note);
}

static void ticks_are_round(void **state) {
    (void)state;
    expect(0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0", "");
    expect(0, 1, 5, "0.0 0.5 1.0", "");
    expect(0, 10, 11, "0 1 2 3 4 5 6 7 8 9 10", "");
    expect(-1, 1, 5, MINUS "1.0 " MINUS "0.5 0.0 0.5 1.0", "");
    expect(0.03, 0.17, 8, "0.04 0.06 0.08 0.10 0.12 0.14 0.16", "");
    expect(0, 2500, 6, "0 500 1000 1500 2000 2500", "");
    expect(99, 101, 3, "99 100 101", "");
}

static void common_powers_of_ten_are_split_off(void **state) {
    (void)state;
    expect(0, 0.004, 5, "0 1 2 3 4", TIMES "10^{" MINUS "3}");
    expect(0, 2.5e-5, 6, "0 5 10 15 20 25", TIMES "10^{" MINUS "6}");
    expect(0, 0.0008, 5, "0 200 400 600 800", TIMES "10^{" MINUS "6}");
    expect(-3e6, 3e6, 4, MINUS "2 0 2", TIMES "10^{6}");
    expect(0, 4e9, 5, "0 1 2 3 4", TIMES "10^{9}");
    expect(0, 4e-290, 5, "0 10 20 30 40", TIMES "10^{" MINUS "291}");
    expect(0, 40000, 5, "0 10000 20000 30000 40000", "");
}

static void common_offsets_are_split_off(void **state) {
    (void)state;
    expect(9.81, 9.81 + 4e-6, 5, "0 1 2 3 4", TIMES "10^{" MINUS "6} + 9.81");
    expect(10 - 2e-7, 10 + 2e-7, 5, MINUS "200 " MINUS "100 0 100 200", TIMES "10^{" MINUS "9} + 10");
    expect(-5 - 2e-7, -5 + 2e-7, 5, MINUS "200 " MINUS "100 0 100 200", TIMES "10^{" MINUS "9} " MINUS " 5");
    expect(1e9, 1e9 + 4, 5, "0 1 2 3 4", "+ 1" TIMES "10^{9}");
    expect(100, 104, 5, "100 101 102 103 104", "");
}

static void ticks_lie_within_and_are_even(void **state) {
    (void)state;
    uint64_t seed = 12345;
    for (int k = 0; k < 20000; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double lo = ((double)(seed >> 11) / 9007199254740992.0 - 0.5) * pow(10, (double)(k % 41) - 20);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double span =
            (0.001 + (double)(seed >> 11) / 9007199254740992.0) * fmax(fabs(lo), 1e-20) * pow(10, (double)(k % 7) - 5);
        int most = 2 + k % 9;
        plot_axis a = made(lo, lo + span, false, most);
        assert_in_range(a.ntick, 0, most);
        if (most >= 3) assert_true(a.ntick >= 1);
        for (int i = 0; i < a.ntick; i++) {
            assert_true(a.tick[i] >= a.lo - 1e-6 * span && a.tick[i] <= a.hi + 1e-6 * span);
            if (i > 1) assert_true(fabs(a.tick[i] - 2 * a.tick[i - 1] + a.tick[i - 2]) < 1e-3 * span);
            assert_true(strlen(a.word[i]) < 24);
            for (int j = 0; j < i; j++) assert_string_not_equal(a.word[i], a.word[j]);
        }
    }
}

static void counts_have_whole_ticks(void **state) {
    (void)state;
    plot_axis a;
    plot_axis_span(&a, plot_range_none(), false, false, -0.1, 2.1);
    a.whole = true;
    plot_axis_ticks(&a, 8);
    assert_string_equal(words(&a), "0 1 2");
}

static void log_ticks_are_decades(void **state) {
    (void)state;
    plot_axis a = made(1e-3, 10, true, 8);
    assert_string_equal(words(&a), "10^{" MINUS "3} 10^{" MINUS "2} 10^{" MINUS "1} 10^{0} 10^{1}");
    assert_int_equal(a.nminor, 4 * 8);
    assert_true(fabs(a.minor[0] - 2e-3) < 1e-15);
    a = made(1e-24, 1e-9, true, 6); /* too many: every third, the others small */
    assert_string_equal(words(&a), "10^{" MINUS "24} 10^{" MINUS "21} 10^{" MINUS "18} 10^{" MINUS "15} 10^{" MINUS
                                   "12} 10^{" MINUS "9}");
    assert_int_equal(a.nminor, 10);
    a = made(0.15, 6, true, 6); /* few decades: 2 and 5 too */
    assert_string_equal(words(&a), "0.2 0.5 1 2 5");
    a = made(2, 4, true, 6); /* none at all: as a linear axis */
    assert_string_equal(words(&a), "2.0 2.5 3.0 3.5 4.0");
    a = made(1e-300, 1e300, true, 8);
    assert_true(a.ntick >= 5 && a.ntick <= 8);
}

static plot_axis spanned(const double *v, int n, bool log) {
    plot_range r = plot_range_none();
    plot_range_add(&r, v, n, log);
    plot_axis a;
    plot_axis_span(&a, r, log, true, NAN, NAN);
    return a;
}

static void spans_fit_the_data(void **state) {
    (void)state;
    double v[5] = {1, NAN, 3, INFINITY, -INFINITY};
    plot_axis a = spanned(v, 5, false);
    assert_true(fabs(a.lo - 0.9) < 1e-12 && fabs(a.hi - 3.1) < 1e-12);
    double constant[3] = {5, 5, 5 * (1 + 1e-14)};
    a = spanned(constant, 3, false);
    assert_true(fabs(a.lo - 4.5) < 1e-9 && fabs(a.hi - 5.5) < 1e-9);
    double zero[2] = {0, 1e-310};
    a = spanned(zero, 2, false);
    assert_true(a.lo == -1 && a.hi == 1);
    a = spanned(zero, 0, false);
    assert_true(a.lo == 0 && a.hi == 1);
    double decades[4] = {0, -1, 3e-5, 2e-2};
    a = spanned(decades, 4, true);
    assert_true(fabs(a.lo - 1e-5) < 1e-19 && fabs(a.hi - 0.1) < 1e-15);
    double power[1] = {1e-16};
    a = spanned(power, 1, true);
    assert_true(fabs(plot_axis_place(&a, 1e-16) - 0.5) < 1e-12);
    a = spanned(zero, 1, true);
    assert_true(a.lo > 0 && a.hi > a.lo);
    double huge[2] = {-1e300, 1e300};
    a = spanned(huge, 2, false);
    assert_true(isfinite(a.hi - a.lo));
    plot_axis_ticks(&a, 6);
    assert_true(a.ntick >= 3);
}

static void given_ends_hold(void **state) {
    (void)state;
    double v[2] = {1, 3};
    plot_range r = plot_range_none();
    plot_range_add(&r, v, 2, false);
    plot_axis a;
    plot_axis_span(&a, r, false, true, 0, NAN);
    assert_true(a.lo == 0 && a.hi > 3);
    plot_axis_span(&a, r, false, true, NAN, 2);
    assert_true(a.lo < 1 && a.hi == 2);
    plot_axis_span(&a, r, false, true, 7, NAN); /* beyond the data */
    assert_true(a.lo == 7 && a.hi > 7);
    plot_axis_span(&a, r, false, true, NAN, -7);
    assert_true(a.hi == -7 && a.lo < -7);
    plot_axis_span(&a, r, true, true, -1, 0); /* what a log axis cannot have is not taken */
    assert_true(a.lo == 1 && a.hi == 10);
}

static void places_are_on_scale(void **state) {
    (void)state;
    plot_axis a = made(2, 4, false, 5);
    assert_true(plot_axis_place(&a, 2) == 0 && plot_axis_place(&a, 4) == 1 && plot_axis_place(&a, 2.5) == 0.25);
    a = made(1e-4, 1, true, 5);
    assert_true(fabs(plot_axis_place(&a, 1e-2) - 0.5) < 1e-15);
}

enum { LONG = 100000 };
static plot_point point[LONG];

static void thinning_keeps_peaks(void **state) {
    (void)state;
    for (int i = 0; i < LONG; i++) {
        point[i].x = 400.0 * i / LONG;
        point[i].y = 100 + 20 * sin(i * 1.3);
    }
    point[54321].y = 190;
    point[7].y = -50;
    plot_point first = point[0], last = point[LONG - 1];
    double where = point[54321].x;
    long n = plot_thin(point, LONG, 0.3, 0.02);
    assert_in_range(n, 400, 4 * 4000 / 3 + 8);
    assert_memory_equal(&point[0], &first, sizeof first);
    assert_memory_equal(&point[n - 1], &last, sizeof last);
    int high = 0, low = 0;
    for (long i = 0; i < n; i++) {
        high += point[i].y == 190 && point[i].x == where;
        low += point[i].y == -50;
        if (i) assert_true(point[i].x >= point[i - 1].x);
    }
    assert_int_equal(high, 1);
    assert_int_equal(low, 1);
}

/* Distance of p from the segment a b. */
static double away(plot_point p, plot_point a, plot_point b) {
    double dx = b.x - a.x, dy = b.y - a.y, l = dx * dx + dy * dy;
    double t = l > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / l : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

static plot_point spiral(int i, int way) {
    double t = way * i * 0.01, r = 100 * exp(-0.02 * fabs(t));
    return (plot_point){200 + r * cos(t), 150 + r * sin(t)};
}

static void thinning_keeps_curves(void **state) {
    (void)state;
    enum { N = 5000 };
    long n = 0;
    for (int way = -1; way <= 1; way += 2) {
        for (int i = 0; i < N; i++) point[i] = spiral(i, way);
        n = plot_thin(point, N, 0.3, 0.02);
        long at = 0;
        assert_true(n < N / 3);
        for (int i = 0; i < N;
             i++) { /* every point of the curve lies near the part of the thinned one that replaces it */
            plot_point p = spiral(i, way);
            double best = INFINITY;
            long from = at;
            for (long k = from; k + 1 < n && k < from + 8; k++) {
                double d = away(p, point[k], point[k + 1]);
                if (d < best) best = d, at = k;
            }
            assert_true(best < 0.05);
        }
    }
    for (int i = 0; i < 1000; i++) point[i] = (plot_point){i * 0.5, 3 + i * 0.25};
    assert_int_equal(plot_thin(point, 1000, 0.3, 0.02), 2);                            /* a straight line is its ends */
    for (int i = 0; i < 1000; i++) point[i] = (plot_point){i < 500 ? i : 1000 - i, 3}; /* there and back again */
    n = plot_thin(point, 1000, 0.3, 0.02);
    assert_true(n >= 3 && point[1].x > 498);
    for (int i = 0; i < 10; i++) point[i] = (plot_point){1, 1};
    assert_in_range(plot_thin(point, 10, 0.3, 0.02), 1, 2);
    assert_int_equal(plot_thin(point, 1, 0.3, 0.02), 1);
    assert_int_equal(plot_thin(point, 0, 0.3, 0.02), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(common_powers_of_ten_are_split_off),
        cmocka_unit_test(common_offsets_are_split_off),
        cmocka_unit_test(ticks_lie_within_and_are_even),
        cmocka_unit_test(counts_have_whole_ticks),
        cmocka_unit_test(log_ticks_are_decades),
        cmocka_unit_test(spans_fit_the_data),
        cmocka_unit_test(given_ends_hold),
        cmocka_unit_test(places_are_on_scale),
        cmocka_unit_test(thinning_keeps_peaks),
        cmocka_unit_test(thinning_keeps_curves),
    };
    return cmocka_run_group_tests_name("plot_axis", tests, NULL, NULL);
}
