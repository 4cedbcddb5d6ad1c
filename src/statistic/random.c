/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* random.c - splitmix64, and Latin hypercubes whose points are made one by one
 * Method   splitmix64: a counter with an odd increment, scrambled by two multiplications. A Latin hypercube needs a random
 *          permutation of `count` slices for each dimension; it is a Feistel network on the next even number of bits, walked until
 *          it falls below count, so that a point needs neither memory nor the other points.
 * Valid    normal numbers reach 8.57 standard deviations (u1 has 53 bits).
 * Cost     a Latin point: dim times 4 walks of ROUNDS rounds at most on average.
 * Source   Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014; McKay, Beckman, Conover,
 *          Technometrics 21 (1979); Black, Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002 (cycle walking). */
#include "perp/random.h"

#include <math.h>

#include "base/elementary.h"

#define GAMMA    UINT64_C(0x9E3779B97F4A7C15) /* 2^64 over the golden ratio, odd */
#define TWO_PI   6.28318530717958647693
#define ROUNDS   6 /* of the Feistel network; 4 are enough for a random look, 6 leave a margin */
#define CUBE_MAX ((uint64_t)1 << 40)

static uint64_t scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

perp_random perp_random_start(uint64_t state) {
    perp_random r = {state};
    return r;
}

uint64_t perp_random_next(perp_random *r) { return scramble(r->state += GAMMA); }

double perp_random_uniform(perp_random *r) { return (double)(perp_random_next(r) >> 11) * 0x1p-53; }

double perp_random_between(perp_random *r, double a, double b) { return a + (b - a) * perp_random_uniform(r); }

double perp_random_normal(perp_random *r) {
    double u1 = perp_random_uniform(r), u2 = perp_random_uniform(r);
    if (u1 == 0) u1 = 0x1p-53;
    return sqrt(-2 * pp_log(u1)) * pp_cos(TWO_PI * u2);
}

uint64_t perp_random_split(uint64_t seed, uint64_t index) {
    return scramble(scramble(seed + GAMMA) + GAMMA * (index + 1));
}

/* Place of i in a random permutation of 0 .. count-1. */
static uint64_t permuted(uint64_t key, uint64_t count, uint64_t i) {
    int half = 1;
    while (((uint64_t)1 << (2 * half)) < count) half++;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t k = 1; k <= ROUNDS; k++) {
            uint64_t mixed = left ^ (scramble(key + GAMMA * k + right) & mask);
            left = right, right = mixed;
        }
        i = left << half | right;
    } while (i >= count);
    return i;
}

perp_status perp_latin_point(uint64_t seed, uint64_t count, uint64_t index, int dim, double *out) {
    if (count < 1 || count > CUBE_MAX || index >= count || dim < 1) return PERP_E_ARG;
    for (int j = 0; j < dim; j++) {
        uint64_t key = perp_random_split(seed, (uint64_t)j);
        perp_random within = perp_random_start(perp_random_split(key, index));
        double slice = (double)permuted(key, count, index), next = (slice + 1) / (double)count;
        double x = (slice + perp_random_uniform(&within)) / (double)count;
        out[j] = x < next ? x : nextafter(next, 0); /* rounding must not leave the slice */
    }
    return PERP_OK;
}
