/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* seconds.h - wall time for the benchmarks; the file that includes it asks for POSIX. */
#ifndef BENCH_SECONDS_H
#define BENCH_SECONDS_H

#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
