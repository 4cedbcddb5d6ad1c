/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file random.h
 *  Seeded random numbers that are the same on every machine, and low-discrepancy points.
 *
 *  There is no hidden state: all results depend only on the arguments, so any thread can make any point. */
#ifndef PERP_RANDOM_H
#define PERP_RANDOM_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A stream of random numbers (splitmix64). A copy repeats the same numbers. */
typedef struct perp_random {
    uint64_t state;
} perp_random;

/** The stream that begins at a seed. State 1 gives first 0x910a2dec89025cc1. */
PERP_API perp_random perp_random_start(uint64_t state);

/** The next 64 random bits. */
PERP_API uint64_t perp_random_next(perp_random *r);

/** Uniform in [0, 1): the upper 53 of the next 64 bits, times 2^-53. */
PERP_API double perp_random_uniform(perp_random *r);

/** Uniform between a and b: a + (b - a) u. */
PERP_API double perp_random_between(perp_random *r, double a, double b);

/** Standard normal: sqrt(-2 ln u1) cos(2 pi u2), two uniform numbers for each. u1 = 0 counts as 2^-53. */
PERP_API double perp_random_normal(perp_random *r);

/** An independent seed for part `index` of a task with the seed `seed`: streams of neighbouring parts are not correlated. */
PERP_API uint64_t perp_random_split(uint64_t seed, uint64_t index);

/** Point `index` (0 .. count-1) of a Latin hypercube of `count` points in [0, 1)^dim: in every dimension each of the count
 *  slices of equal width contains exactly one point. out (dim numbers) is owned by the caller. count, dim and seed must be the
 *  same for all points of one hypercube. PERP_E_ARG: index, count or dim out of range (count up to 2^40). */
PERP_API perp_status perp_latin_point(uint64_t seed, uint64_t count, uint64_t index, int dim, double *out);

/** Largest dimension of Sobol points. */
#define PERP_SOBOL_DIMENSIONS 40

/** Point `index` (from 0, below 2^32) of the Sobol sequence in [0, 1)^dim, with a digital shift made from `seed`; seed 0: no
 *  shift, and point 0 is the origin. Any 2^k successive points that begin at a multiple of 2^k have one point in each of the
 *  2^k slices of every dimension. out (dim numbers) is owned by the caller. PERP_E_ARG: index or dim out of range. */
PERP_API perp_status perp_sobol_point(uint64_t seed, uint64_t index, int dim, double *out);

#ifdef __cplusplus
}
#endif
#endif
