/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* memory.h - the allocator hook, growing arrays, and the arena of a step.
 * Memory in perp is of two kinds only: arrays owned by an object, and one arena per world for the step. */
#ifndef PP_MEMORY_H
#define PP_MEMORY_H

#include <string.h>

#include "perp/base.h"

/* NULL if the allocator says so; size 0 asks for one byte. */
void *pp_alloc(const perp_allocator *a, size_t size);
/* NULL is fine. */
void pp_free(const perp_allocator *a, void *p);

/* A copy of a text; NULL if memory is refused. */
char *pp_copy_text(const perp_allocator *a, const char *text);

/* An array with room for at least `need` elements of `size` bytes in place of `array`: the first `used` are kept, the rest is
 * zero. *cap is the capacity. If memory is refused, `array` itself, and *cap stays below `need`. Capacities double, so a
 * steady scene stops allocating. */
void *pp_grown(const perp_allocator *a, void *array, int *cap, int used, int need, size_t size);
/* Makes `array` such an array. False, and nothing changed, if memory is refused. PP_GROW_BY: of elements of `size` bytes. `array`,
 * `cap` and `need` are evaluated more than once. */
#define PP_GROW_BY(a, array, cap, used, need, size) \
    ((array) = pp_grown((a), (array), &(cap), (used), (need), (size)), (cap) >= (need))
#define PP_GROW(a, array, cap, used, need) PP_GROW_BY(a, array, cap, used, need, sizeof *(array))

/* Asks for a place that will be read soon; does nothing where the compiler has no word for it. */
#if defined(__GNUC__)
#define PP_FETCH(p) __builtin_prefetch(p)
#else
#define PP_FETCH(p) ((void)(p))
#endif

/* Bump allocator for one step. Blocks never move while in use; pp_arena_reset() replaces several blocks by one of the
 * high-water size, so that after the first steps the heap is not touched. */
#define PP_ARENA_ALIGN 64u
typedef struct pp_arena_block {
    struct pp_arena_block *next; /* older */
    char *start;                 /* aligned */
    size_t size, used;
} pp_arena_block;
typedef struct pp_arena {
    perp_allocator alloc;
    pp_arena_block *head; /* newest block, the one in use */
    size_t total;         /* bytes in all blocks */
    size_t high;          /* most bytes ever in use since the last reset that grew */
} pp_arena;

void pp_arena_init(pp_arena *a, perp_allocator alloc);
/* The same as pp_arena_get() where the newest block has no room left. */
void *pp_arena_more(pp_arena *a, size_t size);
/* Builds with an address sanitizer fill what the arena hands out with PP_ARENA_FILL. The sanitizer sees an arena as one
 * allocation and would not notice that memory is read before it is written. Filled, a pointer has no valid address, an index
 * lies far outside of any array, a bool is neither true nor false, and a double is -5e303. */
#define PP_ARENA_FILL 0xFE
#if defined(__SANITIZE_ADDRESS__)
#define PP_ARENA_FILLS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PP_ARENA_FILLS 1
#endif
#endif
static inline void *pp_arena_fill(void *p, size_t size) {
#ifdef PP_ARENA_FILLS
    return p ? memset(p, PP_ARENA_FILL, size) : NULL;
#else
    (void)size;
    return p;
#endif
}

/* 64-byte aligned, contents undefined; NULL if memory is refused. Inline: a step of few bodies is hundreds of these. */
static inline void *pp_arena_get(pp_arena *a, size_t size) {
    pp_arena_block *b = a->head;
    if (!b || size > b->size - b->used) return pp_arena_fill(pp_arena_more(a, size), size);
    size_t whole = (size + PP_ARENA_ALIGN - 1) / PP_ARENA_ALIGN * PP_ARENA_ALIGN;
    if (whole > b->size - b->used) return pp_arena_fill(pp_arena_more(a, size), size);
    void *p = b->start + b->used;
    b->used += whole;
    return pp_arena_fill(p, size);
}
/* The same, zeroed. */
void *pp_arena_zero(pp_arena *a, size_t size);
#define PP_ARENA_ARRAY(a, type, n) ((type *)pp_arena_get((a), sizeof(type) * (size_t)((n) > 0 ? (n) : 1)))
#define PP_ARENA_ZERO(a, type, n)  ((type *)pp_arena_zero((a), sizeof(type) * (size_t)((n) > 0 ? (n) : 1)))
/* Forgets everything handed out. */
void pp_arena_reset(pp_arena *a);
void pp_arena_free(pp_arena *a);

/* Position in the arena: what was handed out after a mark is forgotten by pp_arena_release. */
typedef struct pp_arena_mark {
    pp_arena_block *block;
    size_t used;
} pp_arena_mark;
pp_arena_mark pp_arena_here(const pp_arena *a);
void pp_arena_release(pp_arena *a, pp_arena_mark m);

#endif
