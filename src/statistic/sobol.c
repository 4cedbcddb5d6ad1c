/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sobol.c - Sobol's sequence, each point by itself
 *   x_j = (g_0 v_j0) xor (g_1 v_j1) xor ...   with g the Gray code of the index and v_jk = m_jk / 2^(k+1)
 * Method   direction numbers m by the recurrence of a primitive polynomial modulo 2 of degree s,
 *          m_k = 2 a_1 m_(k-1) xor ... xor 2^(s-1) a_(s-1) m_(k-s+1) xor 2^s m_(k-s) xor m_(k-s),
 *          from the first s numbers of Joe and Kuo, which make pairs of dimensions even as well. The shift is an exclusive or with
 *          one random number for each dimension; it keeps how many points fall in each dyadic slice.
 * Valid    up to PERP_SOBOL_DIMENSIONS dimensions, 2^32 points, steps of 2^-32 (2^-53 with a shift).
 * Cost     dim x (bits of index) operations, after 32 x dim to make the direction numbers of a point.
 * Source   Sobol, USSR Comput. Math. Math. Phys. 7 (1967); Antonov, Saleev, ibid. 19 (1979); Joe, Kuo, SIAM J. Sci. Comput. 30
 *          (2008) 2635 (numbers: new-joe-kuo-6). */
#include "perp/random.h"

#define BITS   32 /* of an index */
#define DEGREE 8  /* largest degree of a polynomial in the table */

typedef struct direction {
    uint8_t degree, inner; /* the polynomial's inner coefficients a_1 .. a_(s-1) as bits, a_1 highest */
    uint8_t m[DEGREE];     /* odd, m[k] < 2^(k+1) */
} direction;

static const direction table[PERP_SOBOL_DIMENSIONS - 1] = {
    /* dimensions 2, 3, ...; all m of the first are 1 */
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
};

/* v[k], k < n, as fractions of 2^32. */
static void directions(int dimension, int n, uint32_t v[BITS]) {
    if (dimension == 0) {
        for (int k = 0; k < n; k++) v[k] = 1u << (BITS - 1 - k);
        return;
    }
    const direction *d = &table[dimension - 1];
    int s = d->degree;
    for (int k = 0; k < n; k++) {
        if (k < s) {
            v[k] = (uint32_t)d->m[k] << (BITS - 1 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (int i = 1; i < s; i++)
            if (d->inner >> (s - 1 - i) & 1) v[k] ^= v[k - i];
    }
}

perp_status perp_sobol_point(uint64_t seed, uint64_t index, int dim, double *out) {
    if (index >> BITS || dim < 1 || dim > PERP_SOBOL_DIMENSIONS) return PERP_E_ARG;
    uint32_t gray = (uint32_t)index ^ (uint32_t)(index >> 1);
    int n = 0;
    while (n < BITS && gray >> n) n++;
    for (int j = 0; j < dim; j++) {
        uint32_t v[BITS] = {0}, x = 0;
        directions(j, n, v);
        for (int k = 0; k < n; k++)
            if (gray >> k & 1) x ^= v[k];
        uint64_t fraction = (uint64_t)x << BITS; /* of 2^64 */
        if (seed) fraction ^= perp_random_split(seed, (uint64_t)j);
        out[j] = (double)(fraction >> 11) * 0x1p-53;
    }
    return PERP_OK;
}
