/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Whole figures: each kind of panel once, with the same bytes every time. PERP_PLOT_SAMPLES=FOLDER leaves them there
 * as PNG too, to be looked at. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

static char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = 0;
    fclose(file);
    return data;
}

/* Draws the figure twice and compares; returns the SVG (free). Also on dark paper, and as PNG if samples are asked
 * for. */
static char *drawn(plot_figure *f, const char *name) {
    perp_refusal why = {0};
    char path[2][256];
    size_t size[2];
    char *data[2];
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "plot-kinds-%s-%d.svg", name, i);
        assert_int_equal(plot_write(f, path[i], &why), PERP_OK);
        data[i] = read_all(path[i], &size[i]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(data[0], data[1], size[0]);
    assert_null(strstr(data[0], "nan"));
    assert_null(strstr(data[0], "inf"));
    const char *samples = getenv("PERP_PLOT_SAMPLES");
    for (int dark = 0; dark < 2; dark++) {
        f->dark = dark;
        snprintf(path[0], sizeof path[0], "%s%s%s%s.png", samples ? samples : "plot-kinds-", samples ? "/maps-" : "",
                 name, dark ? "-dark" : "");
        if (samples) assert_int_equal(plot_write(f, path[0], &why), PERP_OK);
        snprintf(path[0], sizeof path[0], "plot-kinds-%s-0.svg", name);
        if (dark) assert_int_equal(plot_write(f, path[0], &why), PERP_OK);
    }
    f->dark = false;
    free(data[1]);
    return data[0];
}

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *s = text; (s = strstr(s, what)) != NULL; s += strlen(what)) n++;
    return n;
}

/* A line of numbers, evenly spaced. */
static void spaced(double *v, int n, double from, double to) {
    for (int i = 0; i < n; i++) v[i] = from + (to - from) * i / (n - 1);
}

enum { N = 20 };
static double centre[N], chance[9][N * N];

/* Something like a map of grasps: certain in the middle, shorter_step_useless outside, in 28ths. */
static void make_chances(void) {
    spaced(centre, N, -0.95, 0.95);
    for (int k = 0; k < 9; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                double x = centre[i], y = centre[j], r = hypot(x * (1 + 0.1 * (k / 3)), y + 0.25 * sin(3 * x));
                double p = 1 / (1 + exp((r - 0.3 - 0.05 * k) * 9));
                chance[k][j * N + i] = round(28 * p) / 28;
            }
}

static const double half[1] = {0.5};

static plot_panel empty_panel(void) { return (plot_panel){.xmin = NAN, .xmax = NAN, .ymin = NAN, .ymax = NAN}; }

static void a_map(void **state) {
    (void)state;
    make_chances();
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 5 - j; i++) chance[4][j * N + i] = NAN;
    plot_map m = {N, N, centre, centre, chance[4], 0, 1, "fraction held", half, 1, false, false};
    plot_panel p = empty_panel();
    p.map = &m;
    p.xlabel = "x [m]";
    p.ylabel = "y [m]";
    plot_figure f = {.title = "Grasps that hold", .panel = &p, .npanel = 1};
    char *svg = drawn(&f, "map");
    assert_true(count(svg, "<path") > 200);
    free(svg);
    p.equal = true;
    f.width = 110;
    free(drawn(&f, "map-equal"));
}

static void a_grid_of_maps(void **state) {
    (void)state;
    make_chances();
    static const char *const title[9] = {"low / low",    "low / medium",    "low / high",
                                         "medium / low", "medium / medium", "medium / high",
                                         "high / low",   "high / medium",   "high / high"};
    plot_map m[9];
    plot_panel p[9];
    for (int k = 0; k < 9; k++) {
        m[k] = (plot_map){N, N, centre, centre, chance[k], 0, 1, "fraction held", half, 1, false, false};
        p[k] = empty_panel();
        p[k].map = &m[k];
        p[k].title = title[k];
        p[k].xlabel = "x [m]";
        p[k].ylabel = "y [m]";
        p[k].shared = p[k].equal = true;
    }
    plot_figure f = {.title = "Friction of finger / floor", .panel = p, .npanel = 9, .columns = 3};
    char *shared = drawn(&f, "grid");
    for (int k = 0; k < 9; k++) m[k].hi = 1 + k; /* other ranges: a bar for each */
    f.width = 230;
    char *own = drawn(&f, "grid-own-bars");
    assert_true(count(own, "<path") > count(shared, "<path") + 8 * 200);
    free(shared);
    free(own);
    for (int k = 0; k < 9; k++) {
        m[k].hi = 1;
        p[k].shared = p[k].equal = false;
    }
    f.npanel = 5;
    f.width = 0;
    f.columns = 2;
    free(drawn(&f, "grid-not-shared"));
}

static void a_map_with_numbers(void **state) {
    (void)state;
    double x[6], y[5], v[30];
    spaced(x, 6, 1, 6);
    spaced(y, 5, 1, 5);
    for (int k = 0; k < 30; k++) v[k] = k == 17 ? NAN : sin(0.4 * k) * 1.3;
    plot_map m = {6, 5, x, y, v, -1, 1, "cost", NULL, 0, true, false};
    plot_panel p = empty_panel();
    p.map = &m;
    p.xlabel = "number of parts";
    p.ylabel = "number of grooves";
    plot_figure f = {.panel = &p, .npanel = 1, .width = 110, .height = 70};
    free(drawn(&f, "numbers"));
    for (int k = 0; k < 30; k++) v[k] = 3e-5 * k;
    m.lo = m.hi = 0;
    free(drawn(&f, "numbers-small"));
}

static void a_map_on_log_axes(void **state) {
    (void)state;
    enum { NX = 24, NY = 16 };
    double x[NX], y[NY], v[NX * NY];
    static const double level[4] = {-4, -2, 0, 1.5};
    for (int i = 0; i < NX; i++) x[i] = pow(10, -3 + 4.0 * i / (NX - 1) + 0.05 * sin(i));
    for (int j = 0; j < NY; j++) y[j] = 0.1 * j * (1 + 0.05 * j);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) v[j * NX + i] = 3 - pow(log10(x[i]) + 1, 2) - 3 * pow(y[j] - 1, 2);
    plot_map m = {NX, NY, x, y, v, -5, 2, "log-likelihood", level, 4, false, false};
    double truth_x = 0.1, truth_y = 1;
    plot_line l = {.x = &truth_x, .y = &truth_y, .n = 1, .label = "best", .colour = 1, .mark = 'x', .size = 4};
    plot_panel p = empty_panel();
    p.map = &m;
    p.logx = true;
    p.line = &l;
    p.nline = 1;
    p.xlabel = "step [s]";
    p.ylabel = "friction";
    plot_figure f = {.panel = &p, .npanel = 1};
    free(drawn(&f, "log"));
    for (int k = 0; k < NX * NY; k++) v[k] = pow(10, v[k]);
    static const double power[2] = {1e-2, 1};
    m = (plot_map){NX, NY, x, y, v, 0, 0, "likelihood", power, 2, false, true};
    free(drawn(&f, "log-colours"));
}

static void intervals(void **state) {
    (void)state;
    enum { M = 12 };
    double x[M], y[4][M], low[4][M], high[4][M];
    spaced(x, M, 0.1, 1.2);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < M; i++) {
            y[k][i] = 1 / (1 + exp(8 * (x[i] - 0.4 - 0.15 * k)));
            double d = 0.04 + 0.25 * y[k][i] * (1 - y[k][i]);
            low[k][i] = fmax(0, y[k][i] - d);
            high[k][i] = fmin(1, y[k][i] + d);
        }
    y[1][5] = NAN;
    high[2][3] = NAN;
    static const char mark[4] = {'o', 0, '.', 's'};
    static const char *const label[4] = {"marks on a line", "line", "marks", "steps"};
    plot_line l[4];
    for (int k = 0; k < 4; k++)
        l[k] = (plot_line){
            .x = x, .y = y[k], .n = M, .label = label[k], .colour = k, .mark = mark[k], .low = low[k], .high = high[k]};
    plot_panel p = empty_panel();
    p.line = l;
    p.nline = 4;
    p.xlabel = "friction";
    p.ylabel = "fraction";
    plot_figure f = {.panel = &p, .npanel = 1, .grid = true};
    free(drawn(&f, "intervals"));
}

static void histograms(void **state) {
    (void)state;
    enum { BINS = 24 };
    double edge[BINS + 1], y[2][BINS], low[BINS], high[BINS];
    spaced(edge, BINS + 1, 0.1, 0.34);
    for (int i = 0; i < BINS; i++) {
        double at = (edge[i] + edge[i + 1]) / 2;
        y[0][i] = round(120 * exp(-pow((at - 0.2) / 0.03, 2) / 2));
        y[1][i] = round(70 * exp(-pow((at - 0.24) / 0.04, 2) / 2));
        low[i] = fmax(0, y[1][i] - sqrt(y[1][i]));
        high[i] = y[1][i] + sqrt(y[1][i]);
    }
    y[0][12] = NAN;
    double line_x[2] = {0.2, 0.2}, line_y[2] = {1, 130};
    plot_line l[3] = {
        {.x = edge, .y = y[0], .n = BINS, .label = "least squares", .colour = 0, .mark = 'h'},
        {.x = edge, .y = y[1], .n = BINS, .label = "filter", .colour = 1, .mark = 'h', .low = low, .high = high},
        {.x = line_x, .y = line_y, .n = 2, .label = "truth", .colour = PLOT_INK, .dash = 2}};
    plot_panel p = empty_panel();
    p.line = l;
    p.nline = 3;
    p.xlabel = "friction";
    p.ylabel = "trials";
    plot_figure f = {.panel = &p, .npanel = 1, .grid = true};
    free(drawn(&f, "histogram"));
    p.logy = true;
    free(drawn(&f, "histogram-log"));
}

static void scatter(void **state) {
    (void)state;
    enum { M = 400 };
    static double at[2][2][M];
    long n[2] = {0, 0};
    uint64_t seed = 7;
    for (int i = 0; i < M; i++) {
        double u[3];
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            u[k] = (double)(seed >> 11) / 9007199254740992.0;
        }
        int fails = u[0] + 0.5 * u[1] + 0.15 * (u[2] - 0.5) > 0.8;
        at[fails][0][n[fails]] = u[0];
        at[fails][1][n[fails]++] = u[1];
    }
    plot_line l[2] = {
        {.x = at[0][0], .y = at[0][1], .n = n[0], .label = "held", .colour = 0, .mark = '.', .size = 1.8},
        {.x = at[1][0], .y = at[1][1], .n = n[1], .label = "failed", .colour = 1, .mark = 'x', .size = 2.2}};
    plot_panel p = empty_panel();
    p.line = l;
    p.nline = 2;
    p.xlabel = "angle [rad]";
    p.ylabel = "offset [m]";
    plot_figure f = {.panel = &p, .npanel = 1};
    free(drawn(&f, "scatter"));
}

static void a_grid_of_lines(void **state) {
    (void)state;
    enum { M = 50 };
    static double x[M], y[4][2][M];
    plot_line l[4][2];
    plot_panel p[4];
    static const char *const title[4] = {"position", "velocity", "force", "energy"};
    spaced(x, M, 0, 10);
    for (int k = 0; k < 4; k++) {
        p[k] = empty_panel();
        p[k].title = title[k];
        p[k].xlabel = "time [s]";
        p[k].ylabel = title[k];
        p[k].line = l[k];
        p[k].nline = 2;
        for (int c = 0; c < 2; c++) {
            for (int i = 0; i < M; i++) y[k][c][i] = pow(10, k - 4) * sin(x[i] + k + 0.5 * c);
            l[k][c] = (plot_line){.x = x, .y = y[k][c], .n = M, .label = c ? "perp" : "measured", .colour = PLOT_NEXT};
        }
    }
    plot_figure f = {.title = "A grid", .panel = p, .npanel = 4, .columns = 2, .grid = true};
    free(drawn(&f, "grid-lines"));
    for (int k = 0; k < 4; k++) p[k].shared = true;
    l[3][1].label = "other"; /* the legends differ */
    free(drawn(&f, "grid-lines-shared"));
}

static void too_small_is_refused(void **state) {
    (void)state;
    make_chances();
    plot_map m = {N, N, centre, centre, chance[0], 0, 1, "fraction", half, 1, false, false};
    plot_panel p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = empty_panel();
        p[k].map = &m;
    }
    plot_figure f = {.panel = p, .npanel = 3, .columns = 3, .width = 50};
    perp_refusal why = {0};
    assert_int_equal(plot_write(&f, "plot-kinds-small.svg", &why), PERP_E_ARG);
    f.width = 160;
    f.height = 10;
    assert_int_equal(plot_write(&f, "plot-kinds-small.svg", &why), PERP_E_ARG);
    f.height = 0;
    assert_int_equal(plot_write(&f, "plot-kinds-small.svg", &why), PERP_OK);
}

/* Single cells, nothing but gaps, values that are all the same, more cells than the paper has room for. */
static void odd_maps(void **state) {
    (void)state;
    double one = 0.3, none[4] = {NAN, INFINITY, -INFINITY, NAN}, two[2] = {1, 2}, same[4] = {5, 5, 5, 5};
    plot_map m[4] = {{1, 1, &one, &one, &one, 0, 0, NULL, NULL, 0, true, false},
                     {2, 2, two, two, none, 0, 0, NULL, half, 1, true, false},
                     {2, 2, two, two, same, 0, 0, "same", half, 1, true, false},
                     {0}};
    enum { MANY = 1500 };
    double *x = malloc(MANY * sizeof *x), *v = malloc((size_t)MANY * 40 * sizeof *v), y[40];
    assert_non_null(x);
    assert_non_null(v);
    spaced(x, MANY, 0, 1);
    spaced(y, 40, 0, 1);
    for (int j = 0; j < 40; j++)
        for (int i = 0; i < MANY; i++) v[j * MANY + i] = sin(30 * x[i] * y[j]);
    m[3] = (plot_map){MANY, 40, x, y, v, 0, 0, NULL, NULL, 0, true, false};
    plot_panel p[4];
    for (int k = 0; k < 4; k++) {
        p[k] = empty_panel();
        p[k].map = &m[k];
    }
    plot_figure f = {.panel = p, .npanel = 4, .columns = 2};
    free(drawn(&f, "odd"));
    free(x);
    free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map),
        cmocka_unit_test(a_grid_of_maps),
        cmocka_unit_test(a_map_with_numbers),
        cmocka_unit_test(a_map_on_log_axes),
        cmocka_unit_test(intervals),
        cmocka_unit_test(histograms),
        cmocka_unit_test(scatter),
        cmocka_unit_test(a_grid_of_lines),
        cmocka_unit_test(too_small_is_refused),
        cmocka_unit_test(odd_maps),
    };
    return cmocka_run_group_tests_name("plot_kinds", tests, NULL, NULL);
}
