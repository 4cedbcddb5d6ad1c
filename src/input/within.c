/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* within.c - files that lie in a folder or below it, and no others.
 *
 * A scene or a study may come from somebody else. The files that it names are read only if they lie in its folder: neither
 * `..`, nor an absolute path, nor a symbolic link leads out of it. Other files are not opened, so no message can show
 * what is in them.
 *
 * Method   Both paths are resolved. The rest of the file's path then has no links in it, and is walked from the folder on
 *          without following any: a link that is put there meanwhile is not followed either. */
#define _GNU_SOURCE /* realpath, openat, O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/input.h"

#ifdef O_PATH
#define ONLY_PASS O_PATH /* needs no right to list the folder */
#else
#define ONLY_PASS O_RDONLY
#endif

/* Whether the path stays in the folder, judged by its text only; for files that do not exist. */
static bool written_within(const char *root, const char *path) {
    size_t n = strlen(root);
    if (!strcmp(root, ".") && path[0] != '/') n = 0;
    if (strncmp(path, root, n) != 0 || (n > 0 && root[n - 1] != '/' && path[n] != '/')) return false;
    int depth = 0;
    for (const char *p = path + n; *p && depth >= 0;) {
        while (*p == '/') p++;
        size_t part = strcspn(p, "/");
        if (part == 2 && p[0] == '.' && p[1] == '.')
            depth--;
        else if (part > 1 || (part == 1 && p[0] != '.'))
            depth++;
        p += part;
    }
    return depth >= 0;
}

/* Opens rest, a relative path without links; -1 and errno on failure. */
static int walk(const char *folder, const char *rest) {
    int at = open(folder, ONLY_PASS | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0) {
        char part[NAME_MAX + 1];
        size_t n = strcspn(rest, "/");
        bool last = !rest[n];
        if (n == 0 || n > NAME_MAX) errno = ENAMETOOLONG;
        int next = -1;
        if (n > 0 && n <= NAME_MAX) {
            memcpy(part, rest, n);
            part[n] = 0;
            int how = last ? PP_SOURCE_OPEN : ONLY_PASS | O_DIRECTORY | O_CLOEXEC;
            do next = openat(at, part, how | O_NOFOLLOW);
            while (next < 0 && errno == EINTR);
        }
        int reason = errno;
        (void)close(at);
        errno = reason;
        if (last || next < 0) return next;
        at = next;
        rest += n + 1;
    }
    return -1;
}

/* Resolves both; *rest: where the path of the file goes on behind that of the folder. */
static perp_status resolve(const char *root, const char *whose, const char *path, char *folder, char *file,
                           const char **rest, perp_refusal *why) {
    if (!realpath(root, folder)) return pp_source_cannot(why, path, errno);
    bool there = realpath(path, file) != NULL;
    int reason = errno;
    size_t n = !strcmp(folder, "/") ? 0 : strlen(folder);
    if (there ? strncmp(file, folder, n) != 0 || (file[n] && file[n] != '/') : n > 0 && !written_within(root, path)) {
        char found[64];
        (void)snprintf(found, sizeof found, "a file outside the folder of the %s", whose);
        return pp_complain(why, PERP_E_ARG, (pp_location){path, 0, 0}, NULL, found,
                           "files in that folder or below it, unless --allow-outside is given");
    }
    *rest = there && !file[n] ? "."
                              : file + n + 1; /* the path is the folder itself; reading it reports that it is no file */
    return there ? PERP_OK : pp_source_cannot(why, path, reason);
}

perp_status pp_source_is_within(const char *root, const char *whose, const char *path, perp_refusal *why) {
    char folder[PATH_MAX], file[PATH_MAX];
    const char *rest = "";
    return resolve(root, whose, path, folder, file, &rest, why);
}

perp_status pp_source_read_within(const perp_allocator *a, const char *root, const char *whose, const char *path,
                                  char **data, size_t *size, perp_refusal *why) {
    char folder[PATH_MAX], file[PATH_MAX];
    const char *rest = "";
    *data = NULL;
    *size = 0;
    perp_status s = resolve(root, whose, path, folder, file, &rest, why);
    if (s) return s;
    int fd = walk(folder, rest);
    if (fd < 0) return pp_source_cannot(why, path, errno);
    s = pp_source_read_open(a, fd, path, data, size, why);
    (void)close(fd);
    return s;
}

bool pp_source_folder(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + (slash == path) : 1;
    if (n >= size) return false;
    memcpy(out, slash ? path : ".", n);
    out[n] = 0;
    return true;
}
