/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* packing.c - spheres and cubes as they lie in a heap, and how they move. */
#include <math.h>
#include <stdlib.h>

#include "peers.h"

#define FILLED  0.64 /* share of the volume: random packings of equal spheres; fewer when they move, at the rim */
#define ROUNDS  80   /* of pushing apart */
#define REACH   1.0  /* how far a moving sphere goes from its place [diameters]: farther than any margin */
#define LATERAL 0.04 /* gap between cubes of a layer [edges] */
#define CROWDED 0.03 /* the same, so narrow that turned neighbours come within reach of each other but do not meet */
#define TURN    0.03 /* largest turn of a bonded cube about z [rad] */
#define TILT    1e-4 /* of a tilted cube about x and y [rad] */
#define NEAR    1.05

/* Cells of unit size that hold the spheres: `first` of a cell and `next` of a sphere, -1 ends. */
typedef struct cells {
    int side;
    int *first, *next;
} cells;

static int cell_along(const cells *c, double x) {
    int k = (int)floor(x);
    return k < 0 ? 0 : k >= c->side ? c->side - 1 : k;
}

static cells cells_fill(int n, const double *p, double width) {
    cells c = {.side = (int)ceil(width)};
    size_t count = (size_t)c.side * (size_t)c.side * (size_t)c.side;
    c.first = peer_memory(count, sizeof *c.first);
    c.next = peer_memory((size_t)n, sizeof *c.next);
    for (size_t k = 0; k < count; k++) c.first[k] = -1;
    for (int i = 0; i < n; i++) {
        int k =
            (cell_along(&c, p[3 * i]) * c.side + cell_along(&c, p[3 * i + 1])) * c.side + cell_along(&c, p[3 * i + 2]);
        c.next[i] = c.first[k];
        c.first[k] = i;
    }
    return c;
}

static void cells_free(cells *c) {
    free(c->first);
    free(c->next);
}

/* Calls `with` for every other sphere in the cells around sphere i. */
static void around(const cells *c, const double *p, int i, void (*with)(int i, int j, void *ctx), void *ctx) {
    int at[3];
    for (int a = 0; a < 3; a++) at[a] = cell_along(c, p[3 * i + a]);
    for (int x = at[0] - 1; x <= at[0] + 1; x++)
        for (int y = at[1] - 1; y <= at[1] + 1; y++)
            for (int z = at[2] - 1; z <= at[2] + 1; z++) {
                if (x < 0 || y < 0 || z < 0 || x >= c->side || y >= c->side || z >= c->side) continue;
                for (int j = c->first[(x * c->side + y) * c->side + z]; j >= 0; j = c->next[j])
                    if (j != i) with(i, j, ctx);
            }
}

typedef struct push {
    const double *p;
    double *by; /* 3 n */
} push;

static void push_apart(int i, int j, void *ctx) {
    push *s = ctx;
    double d[3], r2 = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = s->p[3 * i + a] - s->p[3 * j + a];
        r2 += d[a] * d[a];
    }
    if (r2 >= 1 || r2 == 0) return;
    double r = sqrt(r2);
    for (int a = 0; a < 3; a++) s->by[3 * i + a] += 0.4 * (1 - r) / r * d[a];
}

void peer_packing(int n, uint64_t seed, double *p) {
    const double pi = 3.14159265358979323846;
    double width = cbrt(n * pi / 6 / FILLED);
    double *by = peer_memory(3 * (size_t)n, sizeof *by);
    for (int i = 0; i < 3 * n; i++) p[i] = peer_uniform(&seed, 0, width);
    for (int k = 0; k < ROUNDS; k++) {
        cells c = cells_fill(n, p, width);
        for (int i = 0; i < 3 * n; i++) by[i] = 0;
        push s = {p, by};
        for (int i = 0; i < n; i++) around(&c, p, i, push_apart, &s);
        for (int i = 0; i < 3 * n; i++) p[i] = fmin(width - 0.5, fmax(0.5, p[i] + by[i]));
        cells_free(&c);
    }
    free(by);
}

typedef struct tally {
    const double *p;
    long near;
} tally;

static void count_near(int i, int j, void *ctx) {
    tally *s = ctx;
    double r2 = 0;
    for (int a = 0; a < 3; a++) r2 += pow(s->p[3 * i + a] - s->p[3 * j + a], 2);
    s->near += r2 <= NEAR * NEAR;
}

double peer_neighbours(int n, const double *p) {
    double width = 0;
    for (int i = 0; i < 3 * n; i++) width = fmax(width, p[i]);
    double *scaled = peer_memory(3 * (size_t)n, sizeof *scaled);
    for (int i = 0; i < 3 * n; i++) scaled[i] = p[i] / NEAR; /* so that cells of unit size are wide enough */
    cells c = cells_fill(n, scaled, width / NEAR);
    tally s = {p, 0};
    for (int i = 0; i < n; i++) around(&c, scaled, i, count_near, &s);
    cells_free(&c);
    free(scaled);
    return (double)s.near / n;
}

/* A wave between -1 and 1 with straight flanks and period 4. */
static double triangle(double x) {
    double f = x - 4 * floor(x / 4);
    return f < 1 ? f : f < 3 ? 2 - f : f - 4;
}

void peer_move(int n, const double *home, double pace, int k, uint64_t seed, double *p) {
    for (int i = 0; i < n; i++) {
        double d[3], r = 0;
        for (int a = 0; a < 3; a++) {
            d[a] = peer_uniform(&seed, -1, 1);
            r += d[a] * d[a];
        }
        r = sqrt(r) + 1e-9;
        double at = REACH * triangle(peer_uniform(&seed, 0, 4) + k * pace / REACH);
        for (int a = 0; a < 3; a++) p[3 * i + a] = home[3 * i + a] + at * d[a] / r;
    }
}

/* Five layers of side x side cubes, however many: so that a cube has the same number of neighbours in all heaps. */
static int layer_side(int n) { return (int)ceil(sqrt(n / 5.0)); }

void peer_cubes(int n, peer_heap heap, uint64_t seed, peer_pose *pose) {
    double pitch = 1 + (heap == PEER_CROWDED ? CROWDED : LATERAL);
    bool bonded = heap != PEER_COLUMNS;
    int side = layer_side(n);
    for (int k = 0; k < n; k++) {
        int x = k % side, y = k / side % side, layer = k / side / side;
        double shift = bonded && layer % 2 ? 0.5 : 0, turn = bonded ? peer_uniform(&seed, -TURN, TURN) : 0;
        double tilt[2] = {0, 0}, l = 1;
        for (int a = 0; heap == PEER_TILTED && a < 2; a++) tilt[a] = peer_uniform(&seed, -TILT / 2, TILT / 2);
        if (heap == PEER_TILTED) l = sqrt(1 + tilt[0] * tilt[0] + tilt[1] * tilt[1]);
        pose[k] = (peer_pose){{pitch * (x + shift), pitch * (y + shift), (1 - PEER_DEPTH) * layer + 0.5},
                              {cos(turn / 2) / l, tilt[0] / l, tilt[1] / l, sin(turn / 2) / l}};
    }
}

/* Half the extent of a unit cube turned about z, along x and y. */
static double half_extent(const peer_pose *p) {
    double c = p->q[0] * p->q[0] - p->q[3] * p->q[3], s = 2 * p->q[0] * p->q[3];
    return (fabs(c) + fabs(s)) / 2;
}

static bool boxes_meet(const peer_pose *a, const peer_pose *b, double grow) {
    double xy = half_extent(a) + half_extent(b) + 2 * grow;
    return fabs(a->p[0] - b->p[0]) <= xy && fabs(a->p[1] - b->p[1]) <= xy && fabs(a->p[2] - b->p[2]) <= 1 + 2 * grow;
}

int peer_cube_pairs(int n, const peer_pose *pose, double grow, peer_pair **out) {
    int count = 0, cap = 20 * n, window = 2 * layer_side(n) * layer_side(n); /* who meets is at most a layer apart */
    peer_pair *pair = peer_memory((size_t)cap, sizeof *pair);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n && j <= i + window; j++) {
            if (!boxes_meet(&pose[i], &pose[j], grow)) continue;
            if (count == cap) peer_die("cubes", "more pairs than expected");
            pair[count++] = (peer_pair){i, j};
        }
    *out = pair;
    return count;
}
