/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* thorough.h - how much of a test that repeats itself is run, and with which seeds
 * All of it in `make nightly`, which sets PERP_TEST_WHOLE; a part that takes seconds in `make test`. Seeds are fixed in
 * `make test` and new in each `make nightly`, which sets PERP_TEST_SEED and prints how many of them pass. */
#ifndef PERP_TEST_THOROUGH_H
#define PERP_TEST_THOROUGH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline bool thorough(void) {
    const char *whole = getenv("PERP_TEST_WHOLE");
    return whole && *whole;
}

/* Of many like cases every how manieth is tried: every one in `make nightly`, else every `usual`-th, and every `slow`-th
 * in builds that are slow on purpose (sanitizers, coverage). Both are primes, so that no pattern of the cases is always
 * missed. */
static inline int stride_of(int usual, int slow) {
    if (thorough()) return 1;
#ifdef PERP_TEST_SHORT
    (void)usual;
    return slow;
#else
    (void)slow;
    return usual;
#endif
}

/* `x`, or if PERP_TEST_SEED is set, 64 random bits that depend on both (the mixing function of SplitMix64). */
static inline uint64_t seed_of(uint64_t x) {
    static bool known, given; /* asked once: this is called for every random number */
    static uint64_t fresh;
    if (!known) {
        const char *text = getenv("PERP_TEST_SEED");
        given = text && *text;
        fresh = given ? strtoull(text, NULL, 10) : 0;
        known = true;
    }
    if (!given) return x;
    uint64_t z = x + 0x9e3779b97f4a7c15u * (fresh + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
