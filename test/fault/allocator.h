/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* allocator.h - an allocator that counts, and refuses on demand */
#ifndef PERP_TEST_ALLOCATOR_H
#define PERP_TEST_ALLOCATOR_H

#include <stdlib.h>

#include "perp/base.h"

typedef struct counter {
    long calls;   /* allocations asked for */
    long live;    /* blocks handed out and not yet returned */
    long refuse;  /* number of the call that is refused, counted from 0; -1: none */
    long refused; /* how many were */
} counter;

static inline void *counter_alloc(size_t size, void *ctx) {
    counter *c = ctx;
    if (c->calls++ == c->refuse) {
        c->refused++;
        return NULL;
    }
    void *p = malloc(size);
    if (p) c->live++;
    return p;
}

static inline void counter_free(void *p, void *ctx) {
    ((counter *)ctx)->live--;
    free(p);
}

static inline perp_allocator counting(counter *c) { return (perp_allocator){counter_alloc, counter_free, c}; }

#endif
