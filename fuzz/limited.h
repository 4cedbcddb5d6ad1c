/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* limited.h - memory for a fuzzed reader: limited, and counted, so that a leak shows. */
#ifndef FUZZ_LIMITED_H
#define FUZZ_LIMITED_H

#include <stddef.h>
#include <stdlib.h>

/* What a small file asks for must be refused for its size, not run out of the machine's memory. */
#define MEMORY (64u << 20)
static size_t given;

static void *limited(size_t size, void *ctx) {
    (void)ctx;
    if (size > MEMORY || given > MEMORY - size) return NULL;
    size_t *p = malloc(size + sizeof(max_align_t));
    if (!p) return NULL;
    *p = size;
    given += size;
    return (char *)p + sizeof(max_align_t);
}

static void give_back(void *p, void *ctx) {
    (void)ctx;
    void *block = (char *)p - sizeof(max_align_t);
    given -= *(size_t *)block;
    free(block);
}

#endif
