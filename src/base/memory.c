/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* memory.c - see memory.h */
#include "base/memory.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void *pp_alloc(const perp_allocator *a, size_t size) {
    if (size == 0) size = 1;
    return a->alloc ? a->alloc(size, a->ctx) : malloc(size);
}

void pp_free(const perp_allocator *a, void *p) {
    if (!p) return;
    if (a->alloc)
        a->free(p, a->ctx);
    else
        free(p);
}

char *pp_copy_text(const perp_allocator *a, const char *text) {
    size_t n = strlen(text) + 1;
    char *s = pp_alloc(a, n);
    if (s) memcpy(s, text, n);
    return s;
}

void *pp_grown(const perp_allocator *a, void *array, int *cap, int used, int need, size_t size) {
    if (need <= *cap) return array;
    int bigger = *cap > INT_MAX / 2 ? need : 2 * *cap;
    if (bigger < need) bigger = need;
    if (bigger < 8) bigger = 8;
    if ((size_t)bigger > SIZE_MAX / size) return array;
    char *p = pp_alloc(a, (size_t)bigger * size);
    if (!p) return array;
    if (used > 0) memcpy(p, array, (size_t)used * size);
    memset(p + (size_t)used * size, 0, (size_t)(bigger - used) * size);
    pp_free(a, array);
    *cap = bigger;
    return p;
}

void pp_arena_init(pp_arena *a, perp_allocator alloc) {
    memset(a, 0, sizeof *a);
    a->alloc = alloc;
}

static pp_arena_block *new_block(pp_arena *a, size_t size) {
    if (size > SIZE_MAX - sizeof(pp_arena_block) - PP_ARENA_ALIGN) return NULL;
    char *raw = pp_alloc(&a->alloc, sizeof(pp_arena_block) + PP_ARENA_ALIGN + size);
    if (!raw) return NULL;
    pp_arena_block *b = (pp_arena_block *)(void *)raw;
    uintptr_t at = (uintptr_t)(raw + sizeof *b);
    b->start = raw + sizeof *b + (PP_ARENA_ALIGN - at % PP_ARENA_ALIGN) % PP_ARENA_ALIGN;
    b->size = size;
    b->used = 0;
    b->next = a->head;
    a->head = b;
    a->total += size;
    return b;
}

static size_t in_use(const pp_arena *a) {
    size_t n = 0;
    for (const pp_arena_block *b = a->head; b; b = b->next) n += b->used;
    return n;
}

/* Use only falls where something is released or reset: there the high water is read off. */
static void note_high(pp_arena *a) {
    size_t n = in_use(a);
    if (n > a->high) a->high = n;
}

void *pp_arena_more(pp_arena *a, size_t size) {
    if (size > SIZE_MAX - 2 * PP_ARENA_ALIGN) return NULL;
    size = (size + PP_ARENA_ALIGN - 1) / PP_ARENA_ALIGN * PP_ARENA_ALIGN;
    size_t want = a->total > 4096 ? a->total : 4096;
    pp_arena_block *b = new_block(a, want > size ? want : size);
    if (!b) return NULL;
    b->used = size;
    return b->start;
}

void *pp_arena_zero(pp_arena *a, size_t size) {
    void *p = pp_arena_get(a, size);
    if (p) memset(p, 0, size);
    return p;
}

void pp_arena_reset(pp_arena *a) {
    note_high(a);
    if (a->head && a->head->next) { /* several blocks: make them one, with head room */
        size_t want = a->high + a->high / 2;
        pp_arena_free(a);
        (void)new_block(a, want); /* refused: the next get tries again */
    }
    if (a->head) a->head->used = 0;
}

void pp_arena_free(pp_arena *a) {
    while (a->head) {
        pp_arena_block *b = a->head;
        a->head = b->next;
        pp_free(&a->alloc, b);
    }
    a->total = 0;
}

pp_arena_mark pp_arena_here(const pp_arena *a) {
    pp_arena_mark m = {a->head, a->head ? a->head->used : 0};
    return m;
}

/* Blocks newer than the mark stay (emptied) until the reset; only their contents are forgotten. */
void pp_arena_release(pp_arena *a, pp_arena_mark m) {
    note_high(a);
    if (!m.block) {
        for (pp_arena_block *b = a->head; b; b = b->next) b->used = 0;
        return;
    }
    for (pp_arena_block *b = a->head; b != m.block; b = b->next) {
        assert(b);
        b->used = 0;
    }
    m.block->used = m.used;
}
