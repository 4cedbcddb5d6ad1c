/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hash.h - 64-bit FNV-1a over bytes, for state hashes. */
#ifndef PP_HASH_H
#define PP_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PP_HASH_START 14695981039346656037ull

static inline uint64_t pp_hash(uint64_t h, const void *data, size_t size) {
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * 1099511628211ull;
    return h;
}

/* -0.0 and 0.0 are the same number and hash alike. */
static inline uint64_t pp_hash_double(uint64_t h, double x) {
    double y = x + 0.0;
    return pp_hash(h, &y, sizeof y);
}

#endif
