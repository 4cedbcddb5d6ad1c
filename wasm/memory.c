/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* memory.c - memset(), memcpy() and memmove() of the module. Those of emscripten's C library go through memory in words; the instructions
 * for whole ranges (memory.fill, memory.copy) are as fast as the machine's own functions, but cost a call out of the module. Most ranges of a step
 * are vectors and matrices of 24 to 96 bytes: these are done by vectors of 16 bytes here, from both ends, so that no loop is needed. */
#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

enum { SHORT = 96 /* bytes; from here on the instruction is faster */ };

void *memset(void *to, int c, size_t n) {
    uint8_t *p = to, *end = p + n;
    if (n > SHORT) return __builtin_memset(to, c, n);
    if (n >= 16) {
        const v128_t v = wasm_i8x16_splat((int8_t)c);
        wasm_v128_store(p, v);
        wasm_v128_store(end - 16, v);
        if (n <= 32) return to;
        wasm_v128_store(p + 16, v);
        wasm_v128_store(end - 32, v);
        if (n <= 64) return to;
        wasm_v128_store(p + 32, v);
        wasm_v128_store(end - 48, v);
        return to;
    }
    if (n >= 8) {
        const v128_t v = wasm_i8x16_splat((int8_t)c);
        wasm_v128_store64_lane(p, v, 0);
        wasm_v128_store64_lane(end - 8, v, 0);
        return to;
    }
    for (size_t k = 0; k < n; k++) ((volatile uint8_t *)p)[k] = (uint8_t)c; /* volatile: not turned into a call of itself */
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    uint8_t *p = to, *end = p + n;
    const uint8_t *q = from, *last = q + n;
    if (n > SHORT) return __builtin_memcpy(to, from, n);
    if (n >= 16) {
        wasm_v128_store(p, wasm_v128_load(q));
        wasm_v128_store(end - 16, wasm_v128_load(last - 16));
        if (n <= 32) return to;
        wasm_v128_store(p + 16, wasm_v128_load(q + 16));
        wasm_v128_store(end - 32, wasm_v128_load(last - 32));
        if (n <= 64) return to;
        wasm_v128_store(p + 32, wasm_v128_load(q + 32));
        wasm_v128_store(end - 48, wasm_v128_load(last - 48));
        return to;
    }
    if (n >= 8) {
        wasm_v128_store64_lane(p, wasm_v128_load64_zero(q), 0);
        wasm_v128_store64_lane(end - 8, wasm_v128_load64_zero(last - 8), 0);
        return to;
    }
    for (size_t k = 0; k < n; k++) ((volatile uint8_t *)p)[k] = q[k];
    return to;
}

void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
