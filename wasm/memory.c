/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* memory.c - memset(), memcpy() and memmove() of the module. Those of emscripten's C library go through memory in words; the instructions
 * for whole ranges (memory.fill, memory.copy) are as fast as the machine's own functions, but cost a call out of the module, so that short ranges are
 * done by vectors of 16 bytes here. */
#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

enum { SHORT = 256 /* bytes; from about here on the instruction is faster */ };

void *memset(void *to, int c, size_t n) {
    uint8_t *p = to;
    if (n > SHORT) return __builtin_memset(to, c, n);
    if (n >= 16) { /* the last vector may overlap the one before */
        const v128_t v = wasm_i8x16_splat((int8_t)c);
        for (size_t k = 0; k + 16 <= n; k += 16) wasm_v128_store(p + k, v);
        wasm_v128_store(p + n - 16, v);
        return to;
    }
    for (size_t k = 0; k < n; k++) ((volatile uint8_t *)p)[k] = (uint8_t)c; /* volatile: not turned into a call of itself */
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    uint8_t *p = to;
    const uint8_t *q = from;
    if (n > SHORT) return __builtin_memcpy(to, from, n);
    if (n >= 16) {
        const v128_t last = wasm_v128_load(q + n - 16);
        for (size_t k = 0; k + 16 <= n; k += 16) wasm_v128_store(p + k, wasm_v128_load(q + k));
        wasm_v128_store(p + n - 16, last);
        return to;
    }
    size_t k = 0;
    if (n >= 8) {
        wasm_v128_store64_lane(p, wasm_v128_load64_zero(q), 0);
        k = 8;
    }
    for (; k < n; k++) ((volatile uint8_t *)p)[k] = q[k];
    return to;
}

void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
