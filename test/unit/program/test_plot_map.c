/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Contours by marching squares, and the colour scale of heat maps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "plot/plot_contour.h"
#include "plot/plot_scale.h"

enum { NX = 41, NY = 37 };
static double x[NX], y[NY], v[NX * NY];

typedef double function(double x, double y);
static double cone(double a, double b) { return hypot(a - 0.1, b + 0.05); }
static double saddle(double a, double b) { return (a - 0.013) * (b + 0.017); }
static double two_hills(double a, double b) {
    return exp(-20 * (pow(a - 0.5, 2) + b * b)) + exp(-20 * (pow(a + 0.5, 2) + b * b));
}

/* A grid over -1..1 with uneven spacing, up to 1.5 times as wide at one end. */
static void fill(function *f) {
    for (int i = 0; i < NX; i++) {
        double t = (double)i / (NX - 1);
        x[i] = -1 + 2 * t * (0.8 + 0.2 * t);
    }
    for (int j = 0; j < NY; j++) y[j] = -1 + 2.0 * j / (NY - 1);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) v[j * NX + i] = f(x[i], y[j]);
}

static double step_between(const plot_contour *c, long i) {
    plot_point a = c->p[i], b = c->p[(i + 1) % c->n];
    return hypot(b.x - a.x, b.y - a.y);
}

#define CELL 0.082 /* the diagonal of the largest cell of fill() is 0.0816 */

static void circle_is_found(void **state) {
    (void)state;
    fill(cone);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    for (double r = 0.15; r < 0.86; r += 0.1) {
        plot_contour *c = NULL;
        assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, r, &c), 1);
        assert_true(c->closed);
        double length = 0;
        for (long i = 0; i < c->n; i++) {
            /* the function has slope 1 and curvature 1 / r: linear interpolation is off by cell^2 / (8 r) at most */
            assert_true(fabs(cone(c->p[i].x, c->p[i].y) - r) < CELL * CELL / (8 * r));
            assert_true(step_between(c, i) < CELL);
            length += step_between(c, i);
        }
        assert_true(fabs(length / (2 * 3.141592653589793 * r) - 1) < 0.02);
    }
    pp_arena_free(&arena);
}

static void closed_curves_are_apart(void **state) {
    (void)state;
    fill(two_hills);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    plot_contour *c = NULL;
    assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, 0.5, &c), 2);
    for (int k = 0; k < 2; k++) {
        assert_true(c[k].closed);
        for (long i = 0; i < c[k].n; i++) assert_true((c[k].p[i].x > 0) == (c[k].p[0].x > 0));
    }
    assert_true((c[0].p[0].x > 0) != (c[1].p[0].x > 0));
    assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, 2, &c), 0);
    assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, -1, &c), 0);
    pp_arena_free(&arena);
}

/* The area where a function is above the level lies on one side: lines of a saddle end at the edge and do not cross. */
static void open_curves_end_at_the_edge(void **state) {
    (void)state;
    fill(saddle);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    for (int k = 0; k < 4; k++) {
        static const double level[4] = {-0.2, -1e-3, 1e-3, 0.2};
        plot_contour *c = NULL;
        assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, level[k], &c), 2);
        for (int m = 0; m < 2; m++) {
            assert_false(c[m].closed);
            plot_point end[2] = {c[m].p[0], c[m].p[c[m].n - 1]};
            for (int e = 0; e < 2; e++) assert_true(fabs(end[e].x) == 1 || fabs(end[e].y) == 1);
            for (long i = 0; i + 1 < c[m].n; i++) {
                assert_true(step_between(&c[m], i) < CELL);
                assert_true(fabs(saddle(c[m].p[i].x, c[m].p[i].y) - level[k]) < 1e-12); /* linear along each edge */
            }
        }
    }
    pp_arena_free(&arena);
}

/* Four points: every pattern of above and below, with the saddles decided by the mean. */
static void squares_are_complete(void **state) {
    (void)state;
    double gx[2] = {0, 1}, gy[2] = {0, 1};
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    for (int pattern = 0; pattern < 16; pattern++) {
        for (int heavy = 0; heavy < 2; heavy++) {
            double q[4];
            for (int k = 0; k < 4; k++) q[k] = pattern >> k & 1 ? (heavy ? 3 : 1) : (heavy ? -1 : -3);
            plot_contour *c = NULL;
            long n = plot_contours(&arena, &(plot_field){2, 2, gx, gy, q}, 0, &c);
            bool none = pattern == 0 || pattern == 15, cross = pattern == 6 || pattern == 9; /* rows of two: 0 1, 2 3 */
            assert_int_equal(n, none ? 0 : cross ? 2 : 1);
            for (long k = 0; k < n && cross; k++) {
                /* the lines cut off the corners that the mean is not with: its value there has the other sign */
                double mx = (c[k].p[0].x + c[k].p[1].x) / 2, my = (c[k].p[0].y + c[k].p[1].y) / 2;
                bool corner_above = q[(my > 0.5 ? 2 : 0) + (mx > 0.5 ? 1 : 0)] > 0;
                assert_int_equal(corner_above, !heavy);
            }
        }
    }
    pp_arena_free(&arena);
}

static void gaps_are_left_out(void **state) {
    (void)state;
    fill(cone);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    int gi = 0, gj = NY / 2; /* a point near the circle of 0.5, on its right */
    while (x[gi] < 0.6) gi++;
    for (int kind = 0; kind < 3; kind++) {
        static const double none[3] = {NAN, INFINITY, -INFINITY};
        v[gj * NX + gi] = none[kind];
        plot_contour *c = NULL;
        assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, 0.5, &c), 1);
        assert_false(c->closed); /* it ends at the squares around the gap */
        for (long i = 0; i < c->n; i++) {
            bool inside =
                c->p[i].x > x[gi - 1] && c->p[i].x < x[gi + 1] && c->p[i].y > y[gj - 1] && c->p[i].y < y[gj + 1];
            assert_false(inside);
            assert_true(fabs(cone(c->p[i].x, c->p[i].y) - 0.5) < 0.01);
        }
    }
    for (int i = 0; i < NX * NY; i++) v[i] = NAN;
    plot_contour *c = NULL;
    assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, 0.5, &c), 0);
    assert_int_equal(plot_contours(&arena, &(plot_field){1, NY, x, y, v}, 0.5, &c), 0);
    assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, NAN, &c), 0);
    pp_arena_free(&arena);
}

/* Values that meet the level exactly at grid points make no points twice. */
static void levels_at_grid_points(void **state) {
    (void)state;
    fill(cone);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) v[j * NX + i] = fmax(abs(i - 20), abs(j - 18)); /* squares around the middle */
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    for (int r = 1; r < 15; r++) {
        plot_contour *c = NULL;
        assert_int_equal(plot_contours(&arena, &(plot_field){NX, NY, x, y, v}, r, &c), 1);
        assert_true(c->closed);
        for (long i = 0; i < c->n; i++) assert_true(step_between(c, i) > 0);
    }
    pp_arena_free(&arena);
}

/* ---- colours ---- */

static double distance(plot_lab a, plot_lab b) {
    return sqrt(pow(a.L - b.L, 2) + pow(a.a - b.a, 2) + pow(a.b - b.b, 2));
}

static double light(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }
static double coded(double c) { return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055; }

/* What eyes without red (0) or green (1) cones see (Vienot, Brettel, Mollon 1999). */
static plot_rgb dichromat(plot_rgb c, int kind) {
    static const double red[2] = {0.11238, 0.29275}, blue[2] = {0.00401, -0.02234};
    double r = light(c.r), g = light(c.g), b = light(c.b);
    double rg = red[kind] * r + (1 - red[kind]) * g, bb = b + blue[kind] * (r - g);
    return (plot_rgb){coded(rg), coded(rg), coded(fmin(fmax(bb, 0), 1))};
}

static void scale_is_uniform(void **state) {
    (void)state;
    for (int dark = 0; dark < 2; dark++) {
        plot_scale s;
        plot_scale_make(&s, dark ? 0.1 : 0);
        const int apart = 51; /* rounding to 8 bits moves a colour by up to 0.002, 1 % of these five steps */
        double least = INFINITY, most = 0;
        for (int k = 0; k + apart < PLOT_SCALE_STEPS; k += apart) {
            plot_lab a = plot_lab_of(s.colour[k]), b = plot_lab_of(s.colour[k + apart]);
            least = fmin(least, distance(a, b));
            most = fmax(most, distance(a, b));
            double grey = plot_lab_of(s.colour[0]).L +
                          (plot_lab_of(s.colour[PLOT_SCALE_STEPS - 1]).L - plot_lab_of(s.colour[0]).L) * k / 255.0;
            assert_true(fabs(a.L - grey) < 0.03); /* even in grey as well */
            for (int kind = 0; kind < 2; kind++) {
                plot_lab da = plot_lab_of(dichromat(s.colour[k], kind)),
                         db = plot_lab_of(dichromat(s.colour[k + apart], kind));
                assert_true(db.L > da.L + 0.05);
            }
        }
        assert_true(most < 1.05 * least);
        for (int k = 0; k + 1 < PLOT_SCALE_STEPS; k++)
            assert_true(plot_lab_of(s.colour[k + 1]).L > plot_lab_of(s.colour[k]).L - 0.001);
        for (int k = 1; k + 1 < PLOT_SCALE_STEPS; k++) { /* a colour that sRGB does not have would stick at an end */
            plot_rgb c = s.colour[k];
            assert_true(fmin(fmin(c.r, c.g), c.b) > 0 && fmax(fmax(c.r, c.g), c.b) < 1);
        }
    }
    assert_int_equal(plot_scale_step(-1), 0);
    assert_int_equal(plot_scale_step(0), 0);
    assert_int_equal(plot_scale_step(1), PLOT_SCALE_STEPS - 1);
    assert_int_equal(plot_scale_step(7), PLOT_SCALE_STEPS - 1);
    assert_int_equal(plot_scale_step(0.5), PLOT_SCALE_STEPS / 2);
}

/* The page of studies computes the same scale in TypeScript (viewer/src/study/scale.ts); its test expects these too. */
static void scale_is_that_of_the_viewer(void **state) {
    (void)state;
    static const int at[5] = {0, 64, 128, 192, 255};
    static const unsigned expected[5] = {0x2a1458, 0x2d568e, 0x10979c, 0x6dce80, 0xf3ec3f};
    plot_scale s;
    plot_scale_make(&s, 0);
    for (int i = 0; i < 5; i++) {
        plot_rgb c = s.colour[at[i]];
        unsigned found =
            (unsigned)lround(255 * c.r) << 16 | (unsigned)lround(255 * c.g) << 8 | (unsigned)lround(255 * c.b);
        assert_int_equal(found, expected[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circle_is_found),
        cmocka_unit_test(closed_curves_are_apart),
        cmocka_unit_test(open_curves_end_at_the_edge),
        cmocka_unit_test(squares_are_complete),
        cmocka_unit_test(gaps_are_left_out),
        cmocka_unit_test(levels_at_grid_points),
        cmocka_unit_test(scale_is_uniform),
        cmocka_unit_test(scale_is_that_of_the_viewer),
    };
    return cmocka_run_group_tests_name("plot_map", tests, NULL, NULL);
}
