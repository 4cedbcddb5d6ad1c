/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tools.c - clock, medians, random numbers. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "peers.h"

void peer_die(const char *what, const char *why) {
    fprintf(stderr, "peers: %s: %s\n", what, why);
    exit(1);
}

void *peer_memory(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) peer_die("memory", "refused");
    return p;
}

double peer_cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double peer_median(double *x, int n) {
    if (n == 0) return NAN;
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* xorshift with a multiplied output (Vigna, xorshift64*): the upper 53 bits make the number. */
double peer_uniform(uint64_t *state, double lo, double hi) {
    uint64_t s = *state ? *state : 0x9e3779b97f4a7c15ull;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    *state = s;
    return lo + (hi - lo) * (double)(s * 0x2545f4914f6cdd1dull >> 11) * 0x1p-53;
}

double peer_exponent(const double *x, const double *y, int n) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
