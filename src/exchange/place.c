/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* place.c - atomic replacement of a file.
 *
 * Method  The bytes are written to a new file beside the target and flushed to disk; then the new file is renamed to the target, which
 *         is atomic. If anything fails before that, the old file stays. */
#define _POSIX_C_SOURCE 200809L /* open, fsync, strerror_r */
#include "exchange/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 1000 /* names of a file beside the target */

static perp_status cannot(perp_refusal *why, const char *path, int error) {
    char words[128] = "";
    if (strerror_r(error, words, sizeof words) != 0) (void)snprintf(words, sizeof words, "error %d", error);
    return pp_complain_say(why, PERP_E_IO, (pp_location){path, 0, 0}, NULL, "cannot be written: %s", words);
}

static int write_all(int fd, const char *data, size_t size) {
    while (size > 0) {
        ssize_t n = write(fd, data, size < (1u << 30) ? size : (1u << 30));
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        }
    }
    return fsync(fd) == 0 ? 0 : errno;
}

/* Flushes the folder, so that the renaming survives a power failure. Not all systems support this. */
static void sync_folder(const char *path, char *name) {
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 1;
    memcpy(name, slash ? path : ".", n);
    name[n] = 0;
    int fd = open(n ? name : "/", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

static perp_status place(const char *path, char *name, size_t room, const void *data, size_t size, perp_refusal *why) {
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        const char *found = S_ISDIR(st.st_mode) ? "a folder" : "a device or a pipe";
        return pp_complain(why, PERP_E_IO, (pp_location){path, 0, 0}, NULL, found, "a file");
    }
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        (void)snprintf(name, room, "%s.new-%ld-%d", path, (long)getpid(), i);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST && errno != EINTR) break;
    }
    if (fd < 0) return cannot(why, path, errno);
    int error = write_all(fd, data, size);
    if (close(fd) != 0 && !error) error = errno;
    if (!error && rename(name, path) != 0) error = errno;
    if (error) {
        (void)unlink(name);
        return cannot(why, path, error);
    }
    sync_folder(path, name);
    return PERP_OK;
}

perp_status pp_place_file(const char *path, const void *data, size_t size, perp_refusal *why) {
    size_t room = strlen(path) + 64;
    char *name = malloc(room);
    if (!name) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, NULL, "no memory for its name");
    perp_status s = place(path, name, room, data, size, why);
    free(name);
    return s;
}

void pp_image_add(pp_image *m, const void *data, size_t size) {
    if (m->failed || size == 0) return;
    if (size > m->cap - m->size) {
        size_t cap = m->cap ? m->cap : 4096;
        while (cap < SIZE_MAX / 2 && cap - m->size < size) cap *= 2;
        char *fresh = cap - m->size >= size ? realloc(m->data, cap) : NULL;
        if (!fresh) {
            m->failed = true;
            return;
        }
        m->data = fresh;
        m->cap = cap;
    }
    memcpy(m->data + m->size, data, size);
    m->size += size;
}

void pp_image_free(pp_image *m) {
    free(m->data);
    *m = (pp_image){0};
}
