/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* packing.c - growth of `auto` with the size of a pile: close-packed spheres at rest in an open bin, true cones
 * The friction problem of one step under gravity, made directly: layers of n x n and (n - 1) x (n - 1) spheres in the
 * hollows of the layer below, touching each other, the floor and the walls. Solved from nothing, then once more from
 * that answer after the bodies have been pushed a little. Prints times, and the growth as an exponent of the number of
 * spheres. Usage: packing [largest n, 4 to 15; default 10] */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perp/solver.h"

#define RADIUS  0.01 /* m */
#define MASS    0.01 /* kg */
#define STEP    1e-3 /* s */
#define MU      0.5
#define GRAVITY 9.81
#define TOL     1e-8

typedef struct packing {
    int spheres, contacts, most; /* room for `most` contacts */
    double (*at)[3];
    int (*body)[2];         /* -1: the bin */
    double (*normal)[3];    /* from the first to the second */
    int *start, *index;     /* H */
    double *value, *mu, *b; /* H, friction, gaps over h: none */
    int *mass_start, *mass_index;
    double *mass, *f;
    perp_problem p;
} packing;

static void *room(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) exit(3);
    return p;
}

static void touch(packing *k, int a, int b, double x, double y, double z) {
    if (k->contacts == k->most) exit(3);
    k->body[k->contacts][0] = a;
    k->body[k->contacts][1] = b;
    memcpy(k->normal[k->contacts++], (double[3]){x, y, z}, sizeof(double[3]));
}

/* All pairs: this is not what is timed. */
static void find_contacts(packing *k, double width) {
    for (int i = 0; i < k->spheres; i++) {
        const double *x = k->at[i];
        if (x[2] < 1.001 * RADIUS) touch(k, -1, i, 0, 0, 1);
        for (int axis = 0; axis < 2; axis++) {
            if (x[axis] < 1.001 * RADIUS) touch(k, -1, i, axis == 0, axis == 1, 0);
            if (x[axis] > width - 1.001 * RADIUS) touch(k, -1, i, -(axis == 0), -(axis == 1), 0);
        }
        for (int j = 0; j < i; j++) {
            double d[3], length = 0;
            for (int a = 0; a < 3; a++) d[a] = x[a] - k->at[j][a], length += d[a] * d[a];
            length = sqrt(length);
            if (length < 2.002 * RADIUS) touch(k, j, i, d[0] / length, d[1] / length, d[2] / length);
        }
    }
}

static void cross(const double *a, const double *b, double *c) {
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Rows of H: the direction, and its moment about the centre of each sphere. */
static void fill_rows(packing *k) {
    int used = 0;
    for (int i = 0; i < k->contacts; i++) {
        double frame[3][3], axis[3] = {0}, length = 0;
        memcpy(frame[0], k->normal[i], sizeof frame[0]);
        axis[fabs(frame[0][0]) < 0.7 ? 0 : 1] = 1;
        cross(frame[0], axis, frame[1]);
        for (int a = 0; a < 3; a++) length += frame[1][a] * frame[1][a];
        for (int a = 0; a < 3; a++) frame[1][a] /= sqrt(length);
        cross(frame[0], frame[1], frame[2]);
        for (int r = 0; r < 3; r++) {
            double moment[3];
            cross(frame[0], frame[r], moment);
            k->start[3 * i + r] = used;
            for (int side = 0; side < 2; side++) {
                if (k->body[i][side] < 0) continue;
                for (int d = 0; d < 6; d++) {
                    k->index[used] = 6 * k->body[i][side] + d;
                    k->value[used++] = d < 3 ? (side ? 1 : -1) * frame[r][d] : -RADIUS * moment[d - 3];
                }
            }
        }
        k->mu[i] = MU;
    }
    k->start[3 * k->contacts] = used;
}

static packing make(int n, int layers) {
    packing k = {0};
    for (int l = 0; l < layers; l++) k.spheres += (n - l % 2) * (n - l % 2);
    int dofs = 6 * k.spheres, at = 0;
    k.most = 8 * k.spheres;
    size_t N = (size_t)k.spheres, C = (size_t)k.most;
    k.at = room(N, sizeof *k.at);
    k.body = room(C, sizeof *k.body);
    k.normal = room(C, sizeof *k.normal);
    k.start = room(3 * C + 1, sizeof *k.start);
    k.index = room(36 * C, sizeof *k.index);
    k.value = room(36 * C, sizeof *k.value);
    k.mu = room(C, sizeof *k.mu);
    k.b = room(3 * C, sizeof *k.b);
    k.mass_start = room(6 * N + 1, sizeof *k.mass_start);
    k.mass_index = room(6 * N, sizeof *k.mass_index);
    k.mass = room(6 * N, sizeof *k.mass);
    k.f = room(6 * N, sizeof *k.f);
    for (int l = 0; l < layers; l++)
        for (int i = 0; i < (n - l % 2) * (n - l % 2); i++) {
            double in = RADIUS * (1 + l % 2);
            int x = i % (n - l % 2), y = i / (n - l % 2);
            k.at[at][0] = in + 2 * RADIUS * x;
            k.at[at][1] = in + 2 * RADIUS * y;
            k.at[at++][2] = RADIUS * (1 + l * sqrt(2));
        }
    find_contacts(&k, 2 * RADIUS * n);
    fill_rows(&k);
    for (int i = 0; i < dofs; i++) {
        k.mass_start[i] = k.mass_index[i] = i;
        k.mass[i] = i % 6 < 3 ? MASS : 0.4 * MASS * RADIUS * RADIUS;
        k.f[i] = i % 6 == 2 ? -k.mass[i] * GRAVITY * STEP : 0;
    }
    k.mass_start[dofs] = dofs;
    k.p = (perp_problem){.cls = PERP_CONE,
                         .as.cone = {.dim = 3,
                                     .ncontact = k.contacts,
                                     .mu = k.mu,
                                     .global = true,
                                     .M = {dofs, dofs, k.mass_start, k.mass_index, k.mass},
                                     .H = {dofs, 3 * k.contacts, k.start, k.index, k.value},
                                     .f = k.f,
                                     .b = k.b}};
    return k;
}

static void end(packing *k) {
    void *all[] = {k->at, k->body, k->normal,     k->start,      k->index, k->value,
                   k->mu, k->b,    k->mass_start, k->mass_index, k->mass,  k->f};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Best of a few runs, seconds of the processor. */
static double timed(const packing *k, bool warm, const double *guess, double *z, perp_solve_info *info, bool *solved) {
    double best = INFINITY, spent = 0;
    for (int run = 0; run < 5 && spent < 3; run++) {
        perp_solve_options o = {.tol = TOL, .warm = warm};
        memcpy(z, guess, sizeof *z * 3 * (size_t)k->contacts);
        clock_t start = clock();
        *solved = perp_solve(&k->p, &o, z, info) == PERP_OK;
        double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        spent += took;
        if (took < best) best = took;
    }
    return best;
}

int main(int argc, char **argv) {
    static const int sizes[][2] = {{4, 4}, {6, 7}, {10, 9}, {15, 16}};
    int largest = argc > 1 ? atoi(argv[1]) : 10, failed = 0;
    double first = 0, first_n = 0;
    printf("spheres contacts    cold      its  natural  siconos  exponent     warm      its\n");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s][0] <= largest; s++) {
        packing k = make(sizes[s][0], sizes[s][1]);
        size_t m = 3 * (size_t)k.contacts;
        double *z = room(m, sizeof *z), *zero = room(m, sizeof *z), *answer = room(m, sizeof *z);
        perp_solve_info cold = {0}, warm = {0};
        bool solved = false, again = false;
        double took = timed(&k, false, zero, z, &cold, &solved);
        perp_measures measures;
        if (perp_problem_measure(&k.p, z, &measures)) exit(3);
        memcpy(answer, z, m * sizeof *z);
        for (int i = 0; i < 6 * k.spheres; i++) k.f[i] += 1e-6 * MASS * GRAVITY * STEP * sin(i);
        double rewarmed = timed(&k, true, answer, z, &warm, &again);
        printf("%7d %8d %8.4f s %5d %8.1e %8.1e", k.spheres, k.contacts, took, cold.iterations, measures.natural,
               measures.siconos);
        if (first > 0)
            printf("  %8.2f", log(took / first) / log(k.spheres / first_n));
        else
            printf("  %8s", "");
        printf(" %8.4f s %5d%s\n", rewarmed, warm.iterations, solved && again ? "" : "  NOT SOLVED");
        fflush(stdout);
        if (first == 0) first = took, first_n = k.spheres;
        failed += !solved || !again;
        free(z);
        free(zero);
        free(answer);
        end(&k);
    }
    return failed ? 1 : 0;
}
