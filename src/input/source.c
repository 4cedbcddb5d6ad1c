/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* source.c - whole files into memory.
 *
 * Only plain files are read: the size is known before, nothing blocks, and a device cannot hand out bytes for ever. */
#define _POSIX_C_SOURCE 200809L /* open, fstat, read, strerror_r */
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

perp_status pp_source_cannot(perp_refusal *why, const char *named, int error) {
    char words[128] = "";
    if (strerror_r(error, words, sizeof words) != 0) (void)snprintf(words, sizeof words, "error %d", error);
    pp_location at = {named, 0, 0};
    return pp_complain_say(why, PERP_E_IO, at, NULL, "cannot be read: %s", words);
}

static const char *kind(mode_t m) {
    if (S_ISDIR(m)) return "a folder";
    if (S_ISFIFO(m)) return "a pipe";
    if (S_ISSOCK(m)) return "a socket";
    return "a device";
}

/* Reads until `size` bytes are there or the file ends; *got: how many. */
static int read_up_to(int fd, char *data, size_t size, size_t *got) {
    for (*got = 0; *got < size;) {
        ssize_t n = read(fd, data + *got, size - *got);
        if (n == 0) break;
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) *got += (size_t)n;
    }
    return 0;
}

perp_status pp_source_read_open(const perp_allocator *a, int fd, const char *named, char **data, size_t *size,
                                perp_refusal *why) {
    pp_location at = {named, 0, 0};
    struct stat st;
    if (fstat(fd, &st) != 0) return pp_source_cannot(why, named, errno);
    if (!S_ISREG(st.st_mode)) return pp_complain(why, PERP_E_IO, at, NULL, kind(st.st_mode), "a file");
    if (st.st_size < 0 || (uintmax_t)st.st_size > PP_SOURCE_MAX) {
        char found[64], allowed[64];
        (void)snprintf(found, sizeof found, "%jd bytes", (intmax_t)st.st_size);
        (void)snprintf(allowed, sizeof allowed, "at most %u bytes", PP_SOURCE_MAX);
        return pp_complain(why, PERP_E_IO, at, NULL, found, allowed);
    }
    size_t want = (size_t)st.st_size, got = 0;
    char *p = pp_alloc(a, want + 1); /* one byte more: it detects that the file grew, and then holds the final zero */
    if (!p) return pp_complain_say(why, PERP_E_MEMORY, at, NULL, "no memory for its %zu bytes", want);
    int error = read_up_to(fd, p, want + 1, &got);
    if (error || got != want) {
        pp_free(a, p);
        if (error) return pp_source_cannot(why, named, error);
        return pp_complain_say(why, PERP_E_IO, at, NULL, "changed its size while it was read");
    }
    p[want] = 0;
    *data = p;
    *size = want;
    return PERP_OK;
}

perp_status pp_source_read(const perp_allocator *a, const char *path, const char *named, char **data, size_t *size,
                           perp_refusal *why) {
    *data = NULL;
    *size = 0;
    int fd;
    do fd = open(path, PP_SOURCE_OPEN);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return pp_source_cannot(why, named, errno);
    perp_status s = pp_source_read_open(a, fd, named, data, size, why);
    (void)close(fd);
    return s;
}

bool pp_source_beside(const char *from, const char *name, char *out, size_t size) {
    size_t folder = 0;
    if (name[0] != '/' && from) {
        const char *slash = strrchr(from, '/');
        if (slash) folder = (size_t)(slash - from) + 1;
    }
    size_t n = strlen(name);
    if (n == 0 || size == 0 || folder >= size || n >= size - folder) return false;
    if (folder > 0) memcpy(out, from, folder);
    memcpy(out + folder, name, n + 1);
    return true;
}
