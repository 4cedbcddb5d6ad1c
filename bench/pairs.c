/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - random pairs of hulls, a million in `make study-pairs`, against a witness by brute force
 *
 *     pairs [PAIRS [MOVING]]                                 (50000 4000)
 *
 * Sizes from 1e-3 to 1e3, in 2D and 3D: anyhow, a vertex on a face, one inside the other, faces parallel, edges
 * collinear, a vertex on a vertex, both in the same place; touching, or apart or overlapping by anything from 1e-15 of
 * their size on. Printed: the largest errors as a part of the larger body; pairs with edges that are nearly, but not
 * quite, parallel apart from the others. Then pairs that move towards each other: one
 * step of "peg" each, and who was not noticed. Ends with 1 if something is wrong. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../test/pair_check.h"
#include "seconds.h"

#define LIMIT 1e-9

static int still(long pairs) {
    long bad = 0;
    printf("%-3s %-17s %8s %8s %4s %5s %9s %9s %9s %9s %9s %7s %9s\n", "", "pairs that are", "number", "apart", "NaN",
           "sign", "depth", "beyond", "short", "detector", "measure", "askew", "error");
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < PAIR_KINDS; kind++) {
            pair_figures f = {0};
            while (f.pairs + f.askew < pairs / (2 * PAIR_KINDS)) {
                uint64_t seed = witness_random;
                pp_geometry *ga, *gb;
                perp_pose Xa, Xb;
                if (!random_pair(dim, kind, &ga, &Xa, &gb, &Xb)) continue;
                if (!check_still(&f, ga, Xa, gb, Xb, LIMIT) && bad++ < 10)
                    fprintf(stderr, "wrong: %dD %s, seed %llu\n", dim, pair_kind_name[kind], (unsigned long long)seed);
                if (gb != ga) pp_geometry_destroy(gb, &pair_alloc);
                pp_geometry_destroy(ga, &pair_alloc);
            }
            printf("%dD  %-17s %8ld %8ld %4ld %5ld %9.1e %9.1e %9.1e %9.1e %9.1e %7ld %9.1e\n", dim,
                   pair_kind_name[kind], f.pairs, f.apart, f.nan, f.wrong_sign, f.plane_depth, f.plane_beyond,
                   f.plane_short, f.detector, f.measure_depth, f.askew, f.askew_error);
        }
    return bad > 0;
}

static int moving(long pairs) {
    long bad = 0;
    printf("\n%-3s %8s %9s %9s %7s %10s %10s %12s %9s\n", "", "moving", "meet", "in pass.", "failed", "missed",
           "in pass.", "of thickness", "allowed");
    for (int dim = 2; dim <= 3; dim++) {
        moving_figures f = {0};
        while (f.pairs < pairs / 2) {
            uint64_t seed = witness_random;
            moving_body m[2];
            if (!random_moving(dim, m)) continue;
            if (!check_moving(&f, m, 48) && bad++ < 10)
                fprintf(stderr, "wrong: moving, %dD, seed %llu\n", dim, (unsigned long long)seed);
            for (int s = 0; s < 2; s++) pp_geometry_destroy(m[s].g, &pair_alloc);
        }
        printf("%dD  %8ld %9ld %9ld %7ld %10ld %10ld %12.1e %9.1e\n", dim, f.pairs, f.meet_end, f.meet_way, f.failed,
               f.missed_end, f.missed_way, f.missed_depth, f.overlap);
    }
    return bad > 0;
}

int main(int argc, char **argv) {
    long pairs = argc > 1 ? strtol(argv[1], NULL, 10) : 50000, moves = argc > 2 ? strtol(argv[2], NULL, 10) : 4000;
    if (argc > 3 || pairs < 0 || moves < 0) {
        fprintf(stderr, "usage: pairs [PAIRS [MOVING]]\n");
        return 2;
    }
    double start = seconds();
    int bad = still(pairs);
    bad |= moving(moves);
    printf("%.0f s\n", seconds() - start);
    return bad;
}
