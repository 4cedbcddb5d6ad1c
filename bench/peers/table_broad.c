/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* table_broad.c - the broad phase of moving spheres: perp beside Bullet, and how both grow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

#define WARM_UP 20 /* steps before the clock counts: trees take shape, lists grow */
#define STEPS   60

/* Settings of Bullet's tree. The first is its default; the table also names the best. */
static const struct variant {
    const char *name;
    double margin;
    bool deferred;
} variants[] = {{"default", 0.05, false},   {"margin 0.02", 0.02, false}, {"margin 0.1", 0.1, false},
                {"margin 0.2", 0.2, false}, {"margin 0.4", 0.4, false},   {"deferred", 0.05, true}};
#define VARIANTS ((int)(sizeof variants / sizeof *variants))

typedef struct figures {
    double perp, detect, bullet[VARIANTS];    /* median seconds per step */
    double exact[VARIANTS];                   /* Bullet with the exact box test of its pairs */
    double neighbours, pairs, held[VARIANTS]; /* pairs that meet, and those that Bullet keeps */
    bool same;
} figures;

static void boxes_at(int n, const double *p, double grow, peer_box *box) {
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            box[i].lo[a] = (float)(p[3 * i + a] - 0.5 - grow);
            box[i].hi[a] = (float)(p[3 * i + a] + 0.5 + grow);
        }
}

static int by_numbers(const void *a, const void *b) {
    const peer_pair *x = a, *y = b;
    return x->i != y->i ? (x->i > y->i) - (x->i < y->i) : (x->j > y->j) - (x->j < y->j);
}

/* What Bullet holds, after an exact test of the boxes, must be the very pairs that perp found. */
static bool same_pairs(const peer_pair *theirs, int ntheirs, const perp_side *s) {
    const peer_pair *ours;
    if (perp_side_pairs(s, &ours) != ntheirs) return false;
    peer_pair *sorted = peer_memory((size_t)ntheirs, sizeof *sorted);
    for (int k = 0; k < ntheirs; k++) sorted[k] = theirs[k];
    qsort(sorted, (size_t)ntheirs, sizeof *sorted, by_numbers);
    bool same = true;
    for (int k = 0; same && k < ntheirs; k++) same = sorted[k].i == ours[k].i && sorted[k].j == ours[k].j;
    free(sorted);
    return same;
}

/* Times of single steps. */
typedef struct times {
    double perp[STEPS], detect[STEPS], bullet[VARIANTS][STEPS], exact[VARIANTS][STEPS];
    int ndetect;
} times;

/* All of Bullet's settings at step k; before 0 it only warms up. */
static void bullet_side(figures *f, times *t, int nvariant, bullet_broad **bullet, const peer_box *box,
                        const perp_side *s, int k) {
    for (int v = 0; v < nvariant; v++) {
        const peer_pair *pair;
        double start = peer_cpu();
        bullet_broad_step(bullet[v], box);
        double middle = peer_cpu();
        int n = bullet_broad_exact(bullet[v], &pair);
        double end = peer_cpu();
        if (k < 0) continue;
        t->bullet[v][k] = middle - start;
        t->exact[v][k] = end - start;
        f->held[v] = bullet_broad_held(bullet[v]);
        if (k % 10 == 0) f->same &= same_pairs(pair, n, s);
    }
}

/* Medians over the steps. */
static void sum_up(figures *f, times *t, int nvariant) {
    for (int v = 0; v < nvariant; v++) {
        f->bullet[v] = peer_median(t->bullet[v], STEPS);
        f->exact[v] = peer_median(t->exact[v], STEPS);
    }
    f->perp = peer_median(t->perp, STEPS);
    f->detect = peer_median(t->detect, t->ndetect);
}

/* One packing. nvariant: how many of Bullet's settings are tried. detect: perp's whole detector, too. */
static figures measure(int n, double pace, uint64_t seed, int nvariant, bool detect) {
    figures f = {.same = true};
    double *home = peer_memory(3 * (size_t)n, sizeof *home), *p = peer_memory(3 * (size_t)n, sizeof *p);
    peer_box *box = peer_memory((size_t)n, sizeof *box);
    times *t = peer_memory(1, sizeof *t);
    bullet_broad *bullet[VARIANTS];
    const peer_pair *pair;
    peer_packing(n, seed, home);
    perp_side *s = perp_side_create(n, false);
    for (int k = -WARM_UP; k < STEPS; k++) {
        peer_move(n, home, pace, k + WARM_UP, seed, p);
        boxes_at(n, p, pace, box);
        perp_side_place(s, NULL, p, pace);
        for (int v = 0; k == -WARM_UP && v < nvariant; v++)
            bullet[v] = bullet_broad_create(n, box, variants[v].margin, variants[v].deferred);
        double start = peer_cpu();
        perp_side_broad(s, box);
        if (k >= 0) t->perp[k] = peer_cpu() - start;
        bullet_side(&f, t, nvariant, bullet, box, s, k);
        if (!detect) continue;
        start = peer_cpu();
        perp_side_detect(s);
        if (k >= 0) t->detect[t->ndetect++] = peer_cpu() - start;
    }
    f.pairs = perp_side_pairs(s, &pair);
    f.neighbours = peer_neighbours(n, p);
    sum_up(&f, t, nvariant);
    for (int v = 0; v < nvariant; v++) bullet_broad_destroy(bullet[v]);
    perp_side_destroy(s);
    free(home);
    free(p);
    free(box);
    free(t);
    return f;
}

/* The median over repeats of the figure that lies `offset` bytes into each. */
static double median_of(const figures *f, int n, size_t offset) {
    double *x = peer_memory((size_t)n, sizeof *x);
    for (int r = 0; r < n; r++) memcpy(&x[r], (const char *)&f[r] + offset, sizeof *x);
    double m = peer_median(x, n);
    free(x);
    return m;
}

/* Medians over seeds. */
static figures repeat(int repeats, int n, double pace, int nvariant, bool detect) {
    figures *f = peer_memory((size_t)repeats, sizeof *f);
    for (int r = 0; r < repeats; r++) f[r] = measure(n, pace, 0xb0a7 + 977u * (unsigned)r, nvariant, detect);
    figures all = f[0];
    for (int r = 1; r < repeats; r++) all.same &= f[r].same;
    all.perp = median_of(f, repeats, offsetof(figures, perp));
    all.detect = median_of(f, repeats, offsetof(figures, detect));
    for (int v = 0; v < nvariant; v++) {
        all.bullet[v] = median_of(f, repeats, offsetof(figures, bullet) + (size_t)v * sizeof(double));
        all.exact[v] = median_of(f, repeats, offsetof(figures, exact) + (size_t)v * sizeof(double));
    }
    free(f);
    return all;
}

static int best_of(const figures *f) {
    int best = 0;
    for (int v = 1; v < VARIANTS; v++)
        if (f->exact[v] < f->exact[best]) best = v;
    return best;
}

bool peer_table_broad(const peer_options *o) {
    static const double pace[] = {0.05, 0.01, 0.001}; /* diameters a step */
    int n = o->quick ? 1000 : 10000;
    bool good = true;
    printf("\n### Broad phase, %d moving spheres\n\n", n);
    printf("| moved a step [radii] | neighbours | pairs | perp [ms] | Bullet [ms] | its pairs | perp/Bullet ");
    printf("| Bullet and exact test, best setting [ms] | setting | its pairs | perp/best | same pairs |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof pace / sizeof *pace; k++) {
        figures f = repeat(o->repeats, n, pace[k], VARIANTS, false);
        int best = best_of(&f);
        printf("| %g | %.1f | %.0f | %.2f | %.2f | %.0f | %.2f | %.2f | %s | %.0f | %.2f | %s |\n", 2 * pace[k],
               f.neighbours, f.pairs, 1e3 * f.perp, 1e3 * f.bullet[0], f.held[0], f.perp / f.bullet[0],
               1e3 * f.exact[best], variants[best].name, f.held[best], f.perp / f.exact[best], f.same ? "yes" : "NO");
        fflush(stdout);
        good &= f.same;
    }
    return good;
}

#define SIZES 4

bool peer_table_growth(const peer_options *o) {
    static const double size[SIZES] = {2500, 5000, 10000, 20000};
    double broad[SIZES], detect[SIZES], bullet[SIZES], n[SIZES];
    int few = o->repeats < 3 ? o->repeats : 3;
    bool good = true;
    printf("\n### Growth with the number of spheres\n\n");
    printf("| spheres | perp, broad phase [ms] | perp, whole detector [ms] | Bullet, broad phase [ms] |\n");
    printf("|---|---|---|---|\n");
    for (int k = 0; k < SIZES; k++) {
        n[k] = o->quick ? size[k] / 10 : size[k];
        figures f = repeat(few, (int)n[k], 0.01, 1, true);
        broad[k] = f.perp;
        detect[k] = f.detect;
        bullet[k] = f.bullet[0];
        good &= f.same;
        printf("| %.0f | %.2f | %.2f | %.2f |\n", n[k], 1e3 * broad[k], 1e3 * detect[k], 1e3 * bullet[k]);
        fflush(stdout);
    }
    printf("| exponent | %.2f | %.2f | %.2f |\n", peer_exponent(n, broad, SIZES), peer_exponent(n, detect, SIZES),
           peer_exponent(n, bullet, SIZES));
    return good;
}
