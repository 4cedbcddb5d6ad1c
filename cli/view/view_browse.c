/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_browse.c - shows an address in the user's browser, and leaves it alone from then on.
 *
 * The address has a secret in it, and every user of the machine can read the arguments of every program. So the browser is
 * started with a small page in a folder that only this user can enter; the page leads to the address. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view/view.h"

enum { PATH_BYTES = 4096 }; /* realpath() needs as many */

extern char **environ;

/* Starts a program with the address; what it prints is not ours to show. */
static bool start(const char *program, const char *url) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return false;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attr;
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP); /* Ctrl-C is for perp, not for the browser */
    char *const argv[] = {(char *)program, (char *)url, NULL};
    pid_t child;
    bool ok = !posix_spawnp(&child, program, &actions, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

static bool given(const char *variable) {
    const char *value = getenv(variable);
    return value && *value;
}

/* ---- the page that leads to the address ---- */

static char folder[900], page[940]; /* "": there is none */

static bool write_page(const char *url) {
    int fd = open(page, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
    if (!to && fd >= 0) close(fd);
    if (!to) return false;
    fprintf(to,
            "<!doctype html>\n<meta charset=\"utf-8\"><title>perp view</title>\n"
            "<meta name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0; url=%s\">\n"
            "<p><a href=\"%s\">perp view</a></p>\n",
            url, url);
    return !fclose(to);
}

static bool make_page(const char *url) {
    const char *parent = given("XDG_RUNTIME_DIR") ? getenv("XDG_RUNTIME_DIR") : NULL;
    if (!parent || access(parent, W_OK | X_OK)) parent = given("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    view_browse_end();
    int n = snprintf(folder, sizeof folder, "%s/perp-view-XXXXXX", parent);
    if (n < 0 || (size_t)n >= sizeof folder || !mkdtemp(folder)) { /* mode 0700 */
        folder[0] = 0;
        return false;
    }
    snprintf(page, sizeof page, "%s/open.html", folder);
    if (write_page(url)) return true;
    view_browse_end();
    return false;
}

void view_browse_end(void) {
    if (page[0]) unlink(page);
    if (folder[0]) rmdir(folder);
    page[0] = folder[0] = 0;
}

/* The address of the page as a file. What is no plain letter is escaped. */
static void file_address(char *out, size_t size) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-_.~";
    char whole[PATH_BYTES];
    const char *path = realpath(page, whole) ? whole : page;
    size_t n = (size_t)snprintf(out, size, "file://");
    for (; *path && n + 4 < size; path++) {
        if (strchr(plain, *path))
            out[n++] = *path;
        else
            n += (size_t)snprintf(out + n, size - n, "%%%02X", (unsigned char)*path);
    }
    out[n] = 0;
}

void view_browse(const char *url) {
    if (!given("DISPLAY") && !given("WAYLAND_DISPLAY")) return;
    char name[1024], address[3 * PATH_BYTES];
    if (!make_page(url)) {
        fprintf(stderr, "perp: note: no browser is opened, because there is no folder for a private file: %s\n",
                strerror(errno));
        return;
    }
    file_address(address, sizeof address);
    snprintf(name, sizeof name, "%s", given("BROWSER") ? getenv("BROWSER") : "");
    name[strcspn(name, ":")] = 0; /* a list: the first of it */
    if (*name && !strpbrk(name, " %") && start(name, address)) return;
    start("xdg-open", address);
}
