/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad.c - how the time of the broad phase grows with the number of moving spheres
 *
 *     broad [N,N,...]                                        (1000,3000,10000,30000)
 *
 * Spheres of diameter 1 (their boxes 2 % larger) as dense as a settled pile, about six neighbours each, on a floor: each
 * goes to and fro about its place. Three speeds, in diameters per call: a pile that creeps, one that flows, one that is
 * shaken so that every box leaves its neighbourhood in every call. Printed: pairs, milliseconds per call (least of the
 * repetitions and mean) and the exponent of growth from size to size. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "geometry/broad/broad.h"
#include "seconds.h"

#define MAX_SIZES 8
#define CALLS     60
#define WARM      20

static const struct {
    const char *name;
    double speed;
} motion[] = {{"creeping", 0.001}, {"flowing", 0.02}, {"shaken", 0.3}};

typedef struct spheres {
    int n;
    pp_placed *placed;
    pp_box *box;
    perp_vec3 *home, *at, *v;
} spheres;

static uint64_t seed;
static double uniform(void) { /* xorshift; -1 to 1 */
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

static void *get(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (!p) {
        fprintf(stderr, "broad: out of memory\n");
        exit(1);
    }
    return p;
}

static spheres make(int n, double speed) {
    size_t m = (size_t)n + 1;
    spheres s = {n,
                 get(m, sizeof *s.placed),
                 get(m, sizeof *s.box),
                 get(m, sizeof *s.home),
                 get(m, sizeof *s.at),
                 get(m, sizeof *s.v)};
    int side = (int)ceil(cbrt(n));
    int *where = get(m, sizeof *where); /* bodies are not numbered by where they lie */
    seed = 88172645463325252u;
    for (int i = 0; i < n; i++) where[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)((uniform() + 1) / 2 * (i + 1)), swap = where[i];
        where[i] = where[j];
        where[j] = swap;
    }
    for (int i = 0; i <= n; i++) {
        s.placed[i] = (pp_placed){.body = i, .moves = i < n, .slot = i, .group = 1, .mask = ~0u};
        if (i == n) break;
        int x = where[i] % side, y = where[i] / side % side, z = where[i] / side / side;
        s.home[i] = perp_v3(x + 0.1 * uniform(), y + 0.1 * uniform(), z + 0.1 * uniform());
        s.at[i] = s.home[i];
        perp_vec3 u = perp_v3_unit(perp_v3(uniform(), uniform(), uniform()));
        s.v[i] = perp_v3_scale(speed * (1 + 0.5 * uniform()), u);
    }
    s.box[n] = (pp_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, -0.5}};
    free(where);
    return s;
}

static double to_and_fro(double x, double home, double *v) {
    if (fabs(x + *v - home) > 0.3) *v = -*v;
    return x + *v;
}

static void move(spheres *s) {
    for (int i = 0; i < s->n; i++) {
        perp_vec3 *x = &s->at[i];
        *x = perp_v3(to_and_fro(x->x, s->home[i].x, &s->v[i].x), to_and_fro(x->y, s->home[i].y, &s->v[i].y),
                     to_and_fro(x->z, s->home[i].z, &s->v[i].z));
        perp_vec3 r = {0.51, 0.51, 0.51};
        s->box[i] = (pp_box){perp_v3_sub(*x, r), perp_v3_add(*x, r)};
    }
}

static void measure(int n, double speed, int *pairs, double *least, double *mean) {
    const perp_allocator a = {0};
    spheres s = make(n, speed);
    pp_broad *b = pp_broad_create(&a);
    pp_couple_list list = {0};
    *least = INFINITY;
    *mean = 0;
    for (int k = 0; k < WARM + CALLS; k++) {
        move(&s);
        double start = seconds();
        if (!b || pp_broad_pairs(b, n + 1, s.box, s.placed, NULL, NULL, &a, &list)) exit(1);
        double took = 1e3 * (seconds() - start);
        if (k < WARM) continue;
        *least = fmin(*least, took);
        *mean += took / CALLS;
    }
    *pairs = list.n;
    pp_broad_destroy(b, &a);
    free(list.couple);
    free(s.placed);
    free(s.box);
    free(s.home);
    free(s.at);
    free(s.v);
}

int main(int argc, char **argv) {
    int size[MAX_SIZES] = {1000, 3000, 10000, 30000}, nsize = 4;
    if (argc > 1) {
        nsize = 0;
        for (char *t = argv[1]; *t && nsize < MAX_SIZES; t += *t == ',') {
            size[nsize] = (int)strtol(t, &t, 10);
            if (size[nsize++] < 1 || (*t && *t != ',')) {
                fprintf(stderr, "broad: sizes are whole numbers with commas between them\n");
                return 2;
            }
        }
    }
    printf("%-10s %8s %9s %10s %10s %8s\n", "motion", "spheres", "pairs", "least ms", "mean ms", "growth");
    for (size_t m = 0; m < sizeof motion / sizeof *motion; m++) {
        double before = 0;
        for (int k = 0; k < nsize; k++) {
            int pairs;
            double least, mean;
            measure(size[k], motion[m].speed, &pairs, &least, &mean);
            printf("%-10s %8d %9d %10.3f %10.3f", motion[m].name, size[k], pairs, least, mean);
            if (k) printf(" %8.2f", log(mean / before) / log((double)size[k] / size[k - 1]));
            printf("\n");
            before = mean;
        }
    }
    return 0;
}
