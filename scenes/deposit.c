/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* deposit.c - a settled pile of spheres: each one falls onto those before it and rolls to where it lies; see scenes.h
 * Stages   fall (one sphere, downhill over those that lie), the bin's cells, the scene
 * Source   Visscher and Bolsterli (1972), Random packing of equal and unequal spheres in two and three dimensions:
 *          spheres dropped one by one, each ending at a lowest place. Here the way down is a sequence of small moves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"
#include "uniform.h"

#define MOVE   0.2   /* m, longest move */
#define STILL  1e-14 /* m, shortest move that counts */
#define MOVES  20000
#define SWEEPS 2000 /* of a projection */
#define NEAR   64   /* spheres and walls that a move may meet */

typedef struct heap {
    double side, (*at)[3], *radius;
    int n;
    int wide, high, *first, *next; /* cells of 1 m, and the spheres in each */
} heap;

static void *room(size_t count, size_t size) {
    void *p = calloc(count, size);
    if (p) return p;
    fprintf(stderr, "deposit: no memory\n");
    exit(3);
}

static int cell_of(const heap *h, const double *x) { return ((int)x[2] * h->wide + (int)x[1]) * h->wide + (int)x[0]; }

/* What a sphere at x may not go into within `reach`: normals towards it, and gaps. */
static int obstacles(const heap *h, const double *x, double r, double reach, double normal[][3], double *gap) {
    static const double wall[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    double off[5] = {x[2] - r, x[0] - r, h->side - r - x[0], x[1] - r, h->side - r - x[1]};
    int m = 0;
    for (int i = 0; i < 5; i++)
        if (off[i] < reach) memcpy(normal[m], wall[i], sizeof wall[i]), gap[m++] = off[i];
    for (int k = (int)x[2] - 2; k <= (int)x[2] + 2; k++)
        for (int j = (int)x[1] - 2; j <= (int)x[1] + 2; j++)
            for (int i = (int)x[0] - 2; i <= (int)x[0] + 2; i++) {
                if (i < 0 || j < 0 || k < 0 || i >= h->wide || j >= h->wide || k >= h->high) continue;
                for (int b = h->first[(k * h->wide + j) * h->wide + i]; b >= 0; b = h->next[b]) {
                    double d[3], length = 0;
                    for (int a = 0; a < 3; a++) d[a] = x[a] - h->at[b][a], length += d[a] * d[a];
                    length = sqrt(length);
                    if (length - r - h->radius[b] >= reach || m == NEAR) continue;
                    for (int a = 0; a < 3; a++) normal[m][a] = d[a] / length;
                    gap[m++] = length - r - h->radius[b];
                }
            }
    return m;
}

/* From x downwards: each move is the one nearest to MOVE straight down that enters nothing. Distances to spheres are
 * convex, so that none is entered by the true motion, either. */
static void fall(const heap *h, double r, double *x) {
    double normal[NEAR][3], gap[NEAR], push[NEAR];
    for (int k = 0; k < MOVES; k++) {
        int m = obstacles(h, x, r, 1.01 * MOVE, normal, gap);
        double d[3] = {0, 0, -MOVE}, moved = 0;
        memset(push, 0, sizeof push);
        for (int sweep = 0; sweep < SWEEPS; sweep++) { /* Hildreth's method */
            double most = 0;
            for (int i = 0; i < m; i++) {
                double left = normal[i][0] * d[0] + normal[i][1] * d[1] + normal[i][2] * d[2] + gap[i];
                double change = fmax(0, push[i] - left) - push[i];
                push[i] += change;
                most = fmax(most, fabs(change));
                for (int a = 0; a < 3; a++) d[a] += change * normal[i][a];
            }
            if (most < 0.1 * STILL) break;
        }
        for (int a = 0; a < 3; a++) x[a] += d[a], moved += d[a] * d[a];
        if (sqrt(moved) < STILL) break;
    }
}

static void pile_up(heap *h, int n, uint64_t *rng) {
    double top = 0;
    for (; h->n < n; h->n++) {
        double r = h->radius[h->n] = scene_uniform(rng, 0.45, 0.5), *x = h->at[h->n];
        x[0] = scene_uniform(rng, r, h->side - r);
        x[1] = scene_uniform(rng, r, h->side - r);
        x[2] = top + 1.2;
        fall(h, r, x);
        top = fmax(top, x[2]);
        int cell = cell_of(h, x);
        h->next[h->n] = h->first[cell];
        h->first[cell] = h->n;
    }
}

scene scene_deposited(perp_world_def def, int n, double mu, unsigned seed, double swell) {
    int across = 1;
    while (across * across * across < n) across++;
    if (across > 2) across--;                                        /* a little taller than wide, as scene_pile() */
    heap h = {.side = 1.05 * across + 0.1, .high = 4 * across + 16}; /* three times as high as a pile gets */
    h.wide = (int)h.side + 1;
    size_t cells = (size_t)(h.wide * h.wide * h.high), count = (size_t)n;
    h.at = room(count, sizeof *h.at);
    h.radius = room(count, sizeof *h.radius);
    h.next = room(count, sizeof *h.next);
    h.first = room(cells, sizeof *h.first);
    for (size_t i = 0; i < cells; i++) h.first[i] = -1;
    uint64_t rng = 0xde9051 + 7919ull * seed;
    pile_up(&h, n, &rng);

    scene s = scene_new(def);
    if (perp_pair_set_all(s.w, (perp_pair_law){.mu = mu})) exit(2);
    scene_bin(&s, h.side, 3);
    for (int k = 0; k < n; k++) {
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        perp_shape_def shape = perp_shape_sphere(swell * h.radius[k]);
        if (perp_body_def_mass(&d, &shape, 3, scene_grain_density)) exit(2);
        d.X_WB.p = perp_v3(h.at[k][0], h.at[k][1], h.at[k][2]);
        scene_shape(&s, scene_body(&s, &d), shape);
    }
    free(h.at);
    free(h.radius);
    free(h.next);
    free(h.first);
    return s;
}

perp_world_def scene_posing(double h) {
    perp_world_def d = perp_world_def_default(3);
    d.h = h;
    d.form = PERP_FORM_CONE;
    d.stepper = "anitescu-potra";
    d.contact_model = "one-plane";
    d.solver = "gauss-seidel";
    d.no_fallback = true;
    d.max_halvings = 0;
    d.tolerance = 0.9;
    d.start = PERP_START_PLAIN; /* the problem is that of the velocities as they are */
    return d;
}

perp_stored *scene_posed(scene *s) {
    perp_stored *stored = NULL;
    if (perp_world_set(s->w, "gauss-seidel.max_sweeps", 1) || perp_world_step(s->w, NULL) ||
        perp_step_convert(perp_world_problem(s->w), PERP_CONE, NULL, NULL, &stored)) {
        fprintf(stderr, "deposit: posing failed: %s\n", perp_world_why(s->w));
        exit(2);
    }
    scene_end(s);
    return stored;
}
