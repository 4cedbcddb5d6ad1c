/* count_malloc.h - counts every allocation of the process, third-party libraries included; include it in one file of
 * a test. Works where the C library is glibc and no sanitizer has taken malloc over; elsewhere COUNTS_MALLOC is 0
 * and the count stays 0. */
#ifndef TEST_COUNT_MALLOC_H
#define TEST_COUNT_MALLOC_H

#include <stddef.h>
#include <stdlib.h>

static long malloc_count;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COUNTS_MALLOC 0
#endif
#endif
#if !defined(COUNTS_MALLOC) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_MALLOC 1
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
#define EXPORTED __attribute__((visibility("default"))) /* or shared libraries would not see these */
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
#endif
#ifndef COUNTS_MALLOC
#define COUNTS_MALLOC 0
#endif

#endif
