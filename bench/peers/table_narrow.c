/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* table_narrow.c - the narrow phase of resting cubes: perp beside Bullet on the same pairs, and how both grow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

#define WARM_UP 3
#define ROUNDS  25
#define TREMBLE 1e-6  /* cubes move by this much from round to round, so that no engine gets the same numbers twice */
#define REACH   0.005 /* of each cube; a hundredth between two */

typedef struct figures {
    double narrow, detect, bullet_narrow, bullet_detect; /* median seconds */
    int pairs, contacts, bullet_contacts;
} figures;

static void stir(int n, const peer_pose *rest, uint64_t *seed, peer_pose *pose) {
    memcpy(pose, rest, sizeof *pose * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) pose[i].p[a] += peer_uniform(seed, -TREMBLE, TREMBLE);
}

static double timed_narrow(perp_side *s, int npair, const peer_pair *pair) {
    double start = peer_cpu();
    perp_side_narrow(s, npair, pair);
    return peer_cpu() - start;
}

static double timed_detect(perp_side *s) {
    double start = peer_cpu();
    perp_side_detect(s);
    return peer_cpu() - start;
}

static double timed_bullet(bullet_narrow *b, void (*run)(bullet_narrow *)) {
    double start = peer_cpu();
    run(b);
    return peer_cpu() - start;
}

static figures measure(int n, peer_heap heap, int rounds) {
    figures f = {0};
    uint64_t seed = 0xc0be5;
    peer_pose *rest = peer_memory((size_t)n, sizeof *rest), *pose = peer_memory((size_t)n, sizeof *pose);
    double *took[4];
    for (int k = 0; k < 4; k++) took[k] = peer_memory((size_t)rounds, sizeof *took[k]);
    peer_cubes(n, heap, seed, rest);
    peer_pair *pair;
    f.pairs = peer_cube_pairs(n, rest, REACH, &pair);
    bullet_narrow *b = bullet_narrow_create(n, rest, f.pairs, pair);
    perp_side *s = perp_side_create(n, true);
    for (int k = -WARM_UP; k < rounds; k++) {
        int at = k < 0 ? 0 : k;
        stir(n, rest, &seed, pose);
        bullet_narrow_place(b, pose);
        perp_side_place(s, pose, NULL, REACH);
        took[0][at] = timed_bullet(b, bullet_narrow_run);
        took[1][at] = timed_narrow(s, f.pairs, pair);
        f.contacts = perp_side_contacts(s);
        took[2][at] = timed_bullet(b, bullet_detect_run);
        took[3][at] = timed_detect(s);
    }
    f.bullet_contacts = bullet_narrow_contacts(b, false);
    f.bullet_narrow = peer_median(took[0], rounds);
    f.narrow = peer_median(took[1], rounds);
    f.bullet_detect = peer_median(took[2], rounds);
    f.detect = peer_median(took[3], rounds);
    bullet_narrow_destroy(b);
    perp_side_destroy(s);
    for (int k = 0; k < 4; k++) free(took[k]);
    free(pair);
    free(rest);
    free(pose);
    return f;
}

static void print(const char *name, const figures *f) {
    printf("| %s | %d | %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, f->pairs, f->contacts,
           f->bullet_contacts, 1e3 * f->narrow, 1e3 * f->bullet_narrow, f->narrow / f->bullet_narrow, 1e3 * f->detect,
           1e3 * f->bullet_detect, f->detect / f->bullet_detect);
    fflush(stdout);
}

bool peer_table_narrow(const peer_options *o) {
    static const double size[] = {2500, 5000, 10000, 20000};
    double n[4], narrow[4], detect[4], bullet[4];
    int count = o->quick ? 200 : 2000, rounds = ROUNDS * o->repeats;
    printf("\n### Narrow phase, %d resting cubes\n\n", count);
    printf(
        "| heap | pairs | contacts, perp | contacts, Bullet | narrow, perp [ms] | narrow, Bullet [ms] | perp/Bullet | "
        "all detection, perp [ms] | all detection, Bullet [ms] | perp/Bullet "
        "|\n|---|---|---|---|---|---|---|---|---|---|\n");
    figures f = measure(count, PEER_COLUMNS, rounds);
    print("columns", &f);
    f = measure(count, PEER_BONDED, rounds);
    print("bonded", &f);
    f = measure(count, PEER_CROWDED, rounds);
    print("crowded", &f);
    f = measure(count, PEER_TILTED, rounds);
    print("tilted", &f);
    if (!(o->parts & PEER_GROWTH)) return true;
    printf("\n### Growth with the number of cubes, bonded\n\n"
           "| cubes | perp, narrow phase [ms] | perp, whole detector [ms] | Bullet, all detection [ms] "
           "|\n|---|---|---|---|\n");
    for (int k = 0; k < 4; k++) {
        n[k] = o->quick ? size[k] / 10 : size[k];
        f = measure((int)n[k], PEER_BONDED, 9);
        narrow[k] = f.narrow;
        detect[k] = f.detect;
        bullet[k] = f.bullet_detect;
        printf("| %.0f | %.2f | %.2f | %.2f |\n", n[k], 1e3 * f.narrow, 1e3 * f.detect, 1e3 * f.bullet_detect);
        fflush(stdout);
    }
    printf("| exponent | %.2f | %.2f | %.2f |\n", peer_exponent(n, narrow, 4), peer_exponent(n, detect, 4),
           peer_exponent(n, bullet, 4));
    return true;
}
