/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* count_malloc.h - counts every call on the heap in the process, third-party libraries included; include it in one file
 * of a test. The program gets a malloc of its own, which counts and passes on to that of the C library under its other
 * name. Works where the C library is glibc and no sanitizer has taken malloc over; elsewhere COUNTS_MALLOC is 0 and the
 * count stays 0. One thread only. */
#ifndef TEST_COUNT_MALLOC_H
#define TEST_COUNT_MALLOC_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static long malloc_count;
static inline long malloc_calls(void) { return malloc_count; }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COUNTS_MALLOC 0
#endif
#endif
#if !defined(COUNTS_MALLOC) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_MALLOC 1
#define EXPORTED      __attribute__((visibility("default"))) /* or shared libraries would not see these */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *p);

EXPORTED void *malloc(size_t size) {
    malloc_count++;
    return __libc_malloc(size);
}

EXPORTED void *calloc(size_t n, size_t size) {
    malloc_count++;
    return __libc_calloc(n, size);
}

EXPORTED void *realloc(void *p, size_t size) {
    malloc_count++;
    return __libc_realloc(p, size);
}

EXPORTED void *aligned_alloc(size_t align, size_t size) {
    malloc_count++;
    return __libc_memalign(align, size);
}

EXPORTED void *memalign(size_t align, size_t size);
void *memalign(size_t align, size_t size) {
    malloc_count++;
    return __libc_memalign(align, size);
}

EXPORTED int posix_memalign(void **out, size_t align, size_t size);
int posix_memalign(void **out, size_t align, size_t size) {
    malloc_count++;
    *out = __libc_memalign(align, size);
    return *out ? 0 : ENOMEM;
}

EXPORTED void free(void *p) {
    if (p) malloc_count++;
    __libc_free(p);
}
#endif
#ifndef COUNTS_MALLOC
#define COUNTS_MALLOC 0
#endif

#endif
