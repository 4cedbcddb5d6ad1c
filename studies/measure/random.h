/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* random.h - random numbers of the measuring programs: splitmix64, the same bits on every machine. */
#ifndef STUDY_RANDOM_H
#define STUDY_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Uniform in [0, 1). */
static inline double random_uniform(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Standard normal. */
static inline double random_normal(uint64_t *state) {
    double u = 1 - random_uniform(state), v = random_uniform(state); /* u > 0 */
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

#endif
