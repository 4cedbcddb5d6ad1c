/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed_blocks.c - the blocks of a sealed file: reading with a check, changed blocks in memory.
 *
 * Problem: HDF5 reads and writes any range of bytes; the file on disk must not change between commits, and HDF5 must not get damaged
 * bytes. Method: an entry for each block of 64 KiB. A block that was written since the last commit, or that comes from a journal, has
 * its bytes in memory. Any other block is read completely and compared with its hash; some of the last ones are cached. HDF5 gets
 * bytes only from checked buffers, never from a second reading of the file.
 * Cost: reading: one hash (several GB/s) and one copy on top of the reading itself; memory: 24 bytes a block, the
 * changed blocks, 2 MiB.
 *
 * The hash mixes 8-byte words in four lanes by multiplication. Every step is one-to-one in the word as in the lane, and
 * so is the joining of the lanes, so that damage within any one word is always found, and other accidental damage
 * missed once in 2^64. It is no protection against forgery. */
#define _GNU_SOURCE
#include "record/sealed_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

const perp_allocator pp_sealed_memory = {0};

/* ---- hash ---- */

static inline uint64_t rotate(uint64_t x, int r) { return x << r | x >> (64 - r); }

static inline uint64_t word(const unsigned char *p) {
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

#define MIX_A 0x9e3779b97f4a7c15u /* odd, of no pattern: 2^64 / golden ratio */
#define MIX_B 0xd1342543de82ef95u

static inline uint64_t mix(uint64_t lane, uint64_t w) { return rotate(lane ^ (w * MIX_A), 29) * MIX_B; }

uint64_t pp_seal_hash(const void *data, size_t size) {
    const unsigned char *p = data;
    uint64_t a = 1, b = 2, c = 3, d = 4;
    size_t n = size;
    for (; n >= 32; n -= 32, p += 32) {
        a = mix(a, word(p));
        b = mix(b, word(p + 8));
        c = mix(c, word(p + 16));
        d = mix(d, word(p + 24));
    }
    for (; n >= 8; n -= 8, p += 8) a = mix(a, word(p));
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) last |= (uint64_t)p[i] << (8 * i);
    uint64_t h = mix(mix(mix(mix(mix(mix(0, a), b), c), d), last), size);
    h = (h ^ h >> 32) * MIX_A;
    return h ^ h >> 29;
}

/* ---- trouble and transfers ---- */

bool pp_sealed_say(pp_sealed *s, perp_status status, const char *format, ...) {
    if (s->trouble[0]) return false; /* what follows is mostly a consequence of the first */
    va_list args;
    va_start(args, format);
    vsnprintf(s->trouble, sizeof s->trouble, format, args);
    va_end(args);
    s->trouble_status = status;
    return false;
}

int pp_read_all(int fd, void *data, size_t size, uint64_t at) {
    unsigned char *p = data;
    while (size > 0) {
        ssize_t n = pread(fd, p, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return ENODATA;
        p += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return 0;
}

int pp_write_all(int fd, const void *data, size_t size, uint64_t at) {
    const unsigned char *p = data;
    while (size > 0) {
        ssize_t n = pwrite(fd, p, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return ENOSPC;
        p += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return 0;
}

/* ---- buffers ---- */

static unsigned char *buffer_get(pp_sealed *s) {
    if (!s->spare) return pp_alloc(&pp_sealed_memory, PP_BLOCK);
    unsigned char *b = s->spare;
    memcpy(&s->spare, b, sizeof s->spare);
    s->nspare--;
    return b;
}

static void buffer_put(pp_sealed *s, unsigned char *b) {
    if (s->nspare >= PP_SEALED_SPARE) {
        pp_free(&pp_sealed_memory, b);
        return;
    }
    memcpy(b, &s->spare, sizeof s->spare);
    s->spare = b;
    s->nspare++;
}

bool pp_blocks_room(pp_sealed *s, int n) {
    if (n > s->nblock) {
        if (!PP_GROW(&pp_sealed_memory, s->block, s->cap_block, s->nblock, n))
            return pp_sealed_say(s, PERP_E_MEMORY, "not enough memory");
        for (int k = s->nblock; k < n; k++) s->block[k] = (pp_block){0};
        s->nblock = n;
    }
    return true;
}

unsigned char *pp_block_fresh(pp_sealed *s, int k) {
    if (s->block[k].data) return s->block[k].data;
    unsigned char *b = buffer_get(s);
    if (!b) {
        (void)pp_sealed_say(s, PERP_E_MEMORY, "not enough memory");
        return NULL;
    }
    s->block[k].data = b;
    s->pending++;
    return b;
}

void pp_block_drop(pp_sealed *s, int k) {
    if (!s->block[k].data) return;
    buffer_put(s, s->block[k].data);
    s->block[k].data = NULL;
    s->pending--;
}

void pp_blocks_free(pp_sealed *s) {
    for (int k = 0; k < s->nblock; k++) pp_free(&pp_sealed_memory, s->block[k].data);
    pp_free(&pp_sealed_memory, s->block);
    s->block = NULL;
    s->nblock = s->cap_block = 0;
    s->pending = 0;
    for (int i = 0; i < PP_SEALED_CACHE; i++) {
        pp_free(&pp_sealed_memory, s->cache[i]);
        s->cache[i] = NULL;
        s->cached[i] = -1;
    }
    while (s->spare) {
        unsigned char *b = s->spare;
        memcpy(&s->spare, b, sizeof s->spare);
        pp_free(&pp_sealed_memory, b);
    }
    s->nspare = 0;
}

/* ---- reading ---- */

static bool say_damaged(pp_sealed *s, int k, size_t size) {
    s->changed = s->fd >= 0 && !s->writable && pp_seal_changed(s);
    if (s->changed) return pp_sealed_say(s, PERP_E_IO, "was changed since it was opened; open it again");
    uint64_t from = (uint64_t)k * PP_BLOCK;
    return pp_sealed_say(s, PERP_E_ARG, "bytes %llu to %llu are damaged", (unsigned long long)from,
                         (unsigned long long)(from + size - 1));
}

/* Reads and checks block k of the last commit into out, which has room for a block. */
static bool load(pp_sealed *s, int k, unsigned char *out) {
    size_t size = pp_block_size(s->length, k);
    int e = pp_read_all(s->fd, out, size, (uint64_t)k * PP_BLOCK);
    if (e == ENODATA) return say_damaged(s, k, size);
    if (e) return pp_sealed_say(s, PERP_E_IO, "cannot be read: %s", strerror(e));
    if (pp_hash_differs(pp_seal_hash(out, size), s->block[k].hash)) return say_damaged(s, k, size);
    return true;
}

/* The checked bytes of block k of the last commit. NULL with trouble. */
static const unsigned char *committed(pp_sealed *s, int k) {
    if (s->image) {
        const unsigned char *p = s->image + (size_t)k * PP_BLOCK;
        if (!s->block[k].checked) {
            size_t size = pp_block_size(s->length, k);
            if (pp_hash_differs(pp_seal_hash(p, size), s->block[k].hash)) {
                (void)say_damaged(s, k, size);
                return NULL;
            }
            s->block[k].checked = true;
        }
        return p;
    }
    int i = k % PP_SEALED_CACHE;
    if (s->cached[i] == k) return s->cache[i];
    if (!s->cache[i]) s->cache[i] = pp_alloc(&pp_sealed_memory, PP_BLOCK);
    if (!s->cache[i]) {
        (void)pp_sealed_say(s, PERP_E_MEMORY, "not enough memory");
        return NULL;
    }
    s->cached[i] = -1;
    if (!load(s, k, s->cache[i])) return NULL;
    s->cached[i] = k;
    return s->cache[i];
}

bool pp_blocks_read(pp_sealed *s, uint64_t at, size_t size, void *out) {
    unsigned char *to = out;
    while (size > 0) {
        if (at >= s->eof) { /* space that HDF5 has allocated but not written */
            memset(to, 0, size);
            return true;
        }
        int k = (int)(at / PP_BLOCK);
        size_t off = (size_t)(at % PP_BLOCK), n = PP_BLOCK - off < size ? PP_BLOCK - off : size;
        if (k < s->nblock && s->block[k].data) {
            memcpy(to, s->block[k].data + off, n);
        } else {
            size_t have = pp_block_have(s, k), copy = 0;
            if (off < have) {
                const unsigned char *p = committed(s, k);
                if (!p) return false;
                copy = have - off < n ? have - off : n;
                memcpy(to, p + off, copy);
            }
            memset(to + copy, 0, n - copy);
        }
        to += n;
        at += n;
        size -= n;
    }
    return true;
}

/* ---- writing ---- */

bool pp_block_own(pp_sealed *s, int k) {
    if (s->block[k].data) return true;
    size_t have = pp_block_have(s, k);
    const unsigned char *p = have > 0 ? committed(s, k) : NULL;
    if (have > 0 && !p) return false;
    unsigned char *b = pp_block_fresh(s, k);
    if (!b) return false;
    if (p) memcpy(b, p, have);
    memset(b + have, 0, PP_BLOCK - have);
    return true;
}

bool pp_blocks_write(pp_sealed *s, uint64_t at, size_t size, const void *data) {
    if (at > PP_SEALED_LENGTH || size > PP_SEALED_LENGTH - at)
        return pp_sealed_say(s, PERP_E_IO, "cannot be written: %s", strerror(EFBIG));
    const unsigned char *from = data;
    uint64_t end = at + size;
    if (size > 0 && !pp_blocks_room(s, pp_block_count(end))) return false;
    while (size > 0) {
        int k = (int)(at / PP_BLOCK);
        size_t off = (size_t)(at % PP_BLOCK), n = PP_BLOCK - off < size ? PP_BLOCK - off : size;
        if (n == PP_BLOCK ? !pp_block_fresh(s, k) : !pp_block_own(s, k)) return false;
        memcpy(s->block[k].data + off, from, n);
        from += n;
        at += n;
        size -= n;
    }
    if (end > s->eof) s->eof = end;
    return true;
}
