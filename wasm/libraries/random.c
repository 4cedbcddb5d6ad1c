/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* random.c - the sequence of rand() of the GNU C library, for METIS
 * Problem  METIS orders a large system with numbers of rand(). Another sequence gives another order of the same quality, and a
 *          factorisation that differs in its last bits.
 * Method   additive feedback r[i] = r[i - 3] + r[i - 31] modulo 2^32, of which the upper 31 bits are shown. The first 31 numbers
 *          are those of the generator 16807 r modulo 2^31 - 1, the next three repeat the first, and 310 numbers are dropped.
 * Source   the documented algorithm of random(3), type 3; Park, Miller, Comm. ACM 31 (1988) 1192. */
#include <stdint.h>

#define LAG     31
#define NEAR    3
#define DROPPED 310

int perp_glibc_rand(void);
void perp_glibc_srand(unsigned seed);

static uint32_t state[LAG];
static int at; /* of the oldest number */
static int seeded;

static uint32_t next(void) {
    /* the number NEAR places back from the one that is made */
    const uint32_t sum = state[at] + state[(at + LAG - NEAR) % LAG];
    state[at] = sum;
    at = (at + 1) % LAG;
    return sum;
}

void perp_glibc_srand(unsigned seed) {
    int64_t r = seed ? (int32_t)seed : 1;
    for (int i = 0; i < LAG; i++) {
        state[i] = (uint32_t)r;
        r = 16807 * r % 2147483647;
        if (r < 0) r += 2147483647;
    }
    at = NEAR;
    seeded = 1;
    for (int i = 0; i < DROPPED; i++) (void)next();
}

int perp_glibc_rand(void) {
    if (!seeded) perp_glibc_srand(1);
    return (int)(next() >> 1);
}
