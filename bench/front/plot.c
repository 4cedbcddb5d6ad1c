/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot.c - draws the work-precision front
 *
 *     front_plot RUNS.csv overlap|coulomb FIGURE.png
 *
 * A panel for each scene: error against processor time per simulated second. A point is one setting of one engine at one step size: medians
 * over seeds. The line of an engine joins its own front: the points that no other of its points beats in both time and error. Other points
 * are left out; settings that were not solved, exploded or were ended by the limit in some seed, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "plot/plot.h"

enum { SCENES = 16, SEEDS = 32, POINTS = 200, LINE = 600, FIELDS = 18 };

static const char *const engines[] = {"perp", "perp-3d", "ode", "bullet", "mujoco", "box2d"};
static const char *const names[] = {"perp", "perp, planar scene in 3D", "ODE", "Bullet", "MuJoCo", "Box2D"};
enum { ENGINES = 6 };

/* Errors below these are drawn there: rounding of single precision, and less than anyone can use. */
#define LEAST_OVERLAP 1e-8
#define LEAST_COULOMB 1e-6

typedef struct point {
    char setting[40];
    double h, time[SEEDS], error[SEEDS];
    int seeds;
    bool failed; /* in some seed */
} point;

typedef struct curve {
    point *at;
    int n;
    double x[POINTS], y[POINTS]; /* its front */
    int nfront;
} curve;

typedef struct scene {
    char name[32];
    curve curve[ENGINES];
} scene;

static void die(const char *what, const char *why) {
    fprintf(stderr, "front_plot: %s: %s\n", what, why);
    exit(2);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static point *find_point(scene *s, int engine, const char *setting, double h) {
    curve *c = &s->curve[engine];
    if (!c->at) c->at = calloc(POINTS, sizeof *c->at);
    if (!c->at) die("memory", "refused");
    for (int k = 0; k < c->n; k++)
        if (!strcmp(c->at[k].setting, setting) && c->at[k].h == h) return &c->at[k];
    if (c->n == POINTS) die(s->name, "has too many settings");
    point *p = &c->at[c->n++];
    snprintf(p->setting, sizeof p->setting, "%s", setting);
    p->h = h;
    return p;
}

/* scene, seed, engine, setting, h, steps, status, mean_ms, median_ms, worst_ms, settled_ms, overlap, overlap_end, coulomb, ... */
static int read_runs(const char *path, bool coulomb, scene *list) {
    FILE *f = fopen(path, "r");
    char line[LINE], *field[FIELDS];
    int n = 0;
    if (!f) die(path, "cannot be read");
    while (fgets(line, sizeof line, f)) {
        int fields = 0, engine = 0, s = 0;
        for (char *at = strtok(line, ",\n"); at && fields < FIELDS; at = strtok(NULL, ",\n")) field[fields++] = at;
        if (fields < 7 || !strcmp(field[0], "scene")) continue;
        while (engine < ENGINES && strcmp(engines[engine], field[2])) engine++;
        if (engine == ENGINES) die(field[2], "is no engine that is drawn");
        while (s < n && strcmp(list[s].name, field[0])) s++;
        if (s == SCENES) die(path, "has too many scenes");
        if (s == n) snprintf(list[n++].name, sizeof list[0].name, "%s", field[0]);
        point *p = find_point(&list[s], engine, field[3], strtod(field[4], NULL));
        if (strcmp(field[6], "done")) p->failed = true;
        if (p->failed || p->seeds == SEEDS) continue;
        double error = strtod(field[coulomb ? 13 : 11], NULL);
        p->time[p->seeds] = strtod(field[7], NULL) / p->h;
        p->error[p->seeds++] = isnan(error) ? 0 : error;
    }
    fclose(f);
    return n;
}

/* The points of an engine that no other of its points beats, from left to right. */
static void make_front(curve *c, double least) {
    double x[POINTS], y[POINTS];
    int n = 0;
    for (int k = 0; k < c->n; k++) {
        if (c->at[k].failed) continue;
        x[n] = median(c->at[k].time, c->at[k].seeds);
        y[n++] = fmax(least, median(c->at[k].error, c->at[k].seeds));
    }
    for (double last = 0;;) {
        int best = -1;
        for (int k = 0; k < n; k++)
            if (x[k] > last && (best < 0 || x[k] < x[best] || (x[k] == x[best] && y[k] < y[best]))) best = k;
        if (best < 0) return;
        last = x[best];
        if (c->nfront && y[best] >= c->y[c->nfront - 1]) continue;
        c->x[c->nfront] = x[best];
        c->y[c->nfront++] = y[best];
    }
}

int main(int argc, char **argv) {
    static scene list[SCENES];
    static plot_line line[SCENES][ENGINES];
    plot_panel panel[SCENES];
    perp_refusal why;
    if (argc != 4 || (strcmp(argv[2], "overlap") && strcmp(argv[2], "coulomb")))
        die("usage", "front_plot RUNS.csv overlap|coulomb FIGURE.png");
    bool coulomb = !strcmp(argv[2], "coulomb");
    int n = read_runs(argv[1], coulomb, list);
    if (!n) die(argv[1], "holds no runs");
    for (int s = 0; s < n; s++) {
        int lines = 0;
        for (int e = 0; e < ENGINES; e++) {
            curve *c = &list[s].curve[e];
            make_front(c, coulomb ? LEAST_COULOMB : LEAST_OVERLAP);
            line[s][lines++] = (plot_line){
                .x = c->x, .y = c->y, .n = c->nfront, .label = names[e], .colour = e, .mark = 'o', .dash = 1};
        }
        panel[s] = (plot_panel){.title = list[s].name,
                                .xlabel = "processor time per simulated second [ms]",
                                .ylabel = coulomb ? "Coulomb residual" : "deepest overlap [m]",
                                .line = line[s],
                                .nline = lines,
                                .logx = true,
                                .logy = true,
                                .shared = true,
                                .xmin = NAN,
                                .xmax = NAN,
                                .ymin = (coulomb ? LEAST_COULOMB : LEAST_OVERLAP) / 3,
                                .ymax = NAN};
    }
    plot_figure figure = {.panel = panel,
                          .npanel = n,
                          .width = 190,
                          .font = 8,
                          .dpi = 105,
                          .legend = "above",
                          .grid = true,
                          .columns = 5};
    if (plot_write(&figure, argv[3], &why)) die(argv[3], why.text);
    for (int s = 0; s < n; s++)
        for (int e = 0; e < ENGINES; e++) free(list[s].curve[e].at);
    return 0;
}
