/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* recording_file.c - properties of a recording's file that do not need the recording to be read. */
#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* The first bytes of a file; none of what is not a file: reading a pipe would wait for a writer. */
static size_t read_head(const char *path, unsigned char *head, size_t room) {
    struct stat st;
    FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!f) return 0;
    size_t n = fread(head, 1, room, f);
    fclose(f);
    return n;
}

bool recording_signature(const char *path) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8];
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return false;
    return st.st_size == 0 ||
           (read_head(path, head, sizeof head) == sizeof head && !memcmp(head, signature, sizeof head));
}

bool recording_likely(const char *path) {
    unsigned char head[1];
    size_t n = strlen(path);
    return (read_head(path, head, 1) == 1 && head[0] == 0x89) || (n > 3 && !strcmp(path + n - 3, ".h5"));
}

/* A process that writes a recording holds a lock on it. */
bool recording_busy(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool busy = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) close(fd);
    return busy;
}
