/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tower.c - a tower of spheres: time per step
 *
 * n unit spheres dropped 0.05 m apart onto each other, mu 0.5, true friction cones, h = 10 ms, 5 s. Prints the
 * median and the slowest step while they fall and bounce to rest (first second) and at rest, with the size of the
 * problem, and beside it what RPI-MATLAB-Simulator needs for the tower of 20 on Octave on a like machine: 143 ms per
 * step (published with the scene).
 *
 *   tower [n] [seconds] [--quiet]      --quiet: no clock, for counting instructions */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"
#include "seconds.h"

/* Median and maximum in ms; sorts. */
static double report(const char *what, double *ms, int n, int unknowns, int warm) {
    qsort(ms, (size_t)n, sizeof *ms, ascending);
    printf("%-10s %6d steps  median %8.4f ms  slowest %8.4f ms  up to %d unknowns, %d solved from the guess\n", what, n,
           ms[n / 2], ms[n - 1], unknowns, warm);
    return ms[n / 2];
}

int main(int argc, char **argv) {
    const double reference = 143; /* ms per step, RPI-MATLAB-Simulator, 20 spheres */
    int n = argc > 1 ? atoi(argv[1]) : 20;
    double duration = argc > 2 ? atof(argv[2]) : 5;
    bool quiet = argc > 3 && !strcmp(argv[3], "--quiet");
    if (n < 1 || n > SCENE_MAX - 2 || !(duration > 0)) {
        fprintf(stderr, "usage: tower [n <= %d] [seconds] [--quiet]\n", SCENE_MAX - 2);
        return 2;
    }
    perp_world_def d = perp_world_def_default(3);
    d.h = 1e-2;
    scene s = scene_tower(d, n, 0.05, 0.5);
    int steps = (int)(duration / d.h), falling = steps < 100 ? steps : 100, unknowns = 0, warm[2] = {0, 0};
    double *ms = calloc((size_t)steps, sizeof *ms), overlap = 0;
    if (!ms) return 2;
    for (int i = 0; i < steps; i++) {
        perp_certificate c;
        double t = quiet ? 0 : seconds();
        if (perp_world_step(s.w, &c)) {
            fprintf(stderr, "%s\n", perp_world_why(s.w));
            exit(1);
        }
        ms[i] = quiet ? 0 : 1e3 * (seconds() - t);
        warm[i >= falling] += c.iterations <= 2;
        if (c.unknowns > unknowns) unknowns = c.unknowns;
        if (c.overlap > overlap) overlap = c.overlap;
    }
    perp_pose top;
    if (perp_body_pose(s.w, s.body[n], &top)) exit(1);
    printf("tower of %d: height error %.1e m, deepest overlap %.1e m\n", n, top.p.z - (n - 0.5), overlap);
    if (!quiet) {
        double worst = report("falling", ms, falling, unknowns, warm[0]);
        if (steps > falling) {
            double rest = report("at rest", ms + falling, steps - falling, unknowns, warm[1]);
            if (rest > worst) worst = rest;
        }
        if (n == 20)
            printf("against %.0f ms per step: %.0f times faster (worse of the two medians)\n", reference,
                   reference / worst);
    }
    free(ms);
    scene_end(&s);
    return 0;
}
