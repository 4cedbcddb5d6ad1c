/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* shots.c - shots at a plate of 5 mm, a thousand of each kind in `make study-shots`: see test/shots.h
 *
 *     shots [SHOTS]                                          (50)
 *
 * Printed: how many hit, steps that failed, bodies that ended on the other side or inside, the deepest overlap at the end
 * of a step, the mean number of parts of a step and the most. Ends with 1 if something is wrong. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../test/shots.h"
#include "seconds.h"

int main(int argc, char **argv) {
    long shots = argc > 1 ? strtol(argv[1], NULL, 10) : 50;
    if (argc > 2 || shots < 1) {
        fprintf(stderr, "usage: shots [SHOTS]\n");
        return 2;
    }
    int bad = 0;
    printf("%-3s %-13s %-6s %6s %6s %7s %8s %7s %9s %7s %5s %6s\n", "", "shot", "plate", "shots", "hits", "failed",
           "through", "inside", "overlap", "parts", "most", "s");
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < SHOT_KINDS; kind++)
            for (int light = 0; light < 2; light++) {
                shot_figures f = {0};
                double start = seconds();
                for (long k = 0; k < shots; k++) {
                    uint64_t seed = witness_random;
                    shot s;
                    if (!shot_new(dim, kind, light, &s)) {
                        fprintf(stderr, "shots: %s\n", s.w ? perp_world_why(s.w) : "no world");
                        return 1;
                    }
                    if (!shot_run(&s, &f) && bad++ < 20)
                        fprintf(stderr, "wrong: %dD %s, seed %llu: %s\n", dim, shot_name[kind],
                                (unsigned long long)seed, perp_world_why(s.w));
                    perp_world_destroy(s.w);
                }
                printf("%dD  %-13s %-6s %6ld %6ld %7ld %8ld %7ld %9.1e %7.2f %5.0f %6.1f\n", dim, shot_name[kind],
                       light ? "light" : "fixed", f.shots, f.hits, f.failed, f.through, f.inside, f.overlap,
                       1 + (double)f.substeps / (double)(f.shots * SHOT_STEPS), f.slowest, seconds() - start);
            }
    return bad > 0;
}
