/* view_browse.c - shows an address in the user's browser, and leaves it alone from then on. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view.h"

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

void view_browse(const char *url) {
    if (!given("DISPLAY") && !given("WAYLAND_DISPLAY")) return;
    char name[1024];
    snprintf(name, sizeof name, "%s", given("BROWSER") ? getenv("BROWSER") : "");
    name[strcspn(name, ":")] = 0; /* a list: the first of it */
    if (*name && !strpbrk(name, " %") && start(name, url)) return;
    start("xdg-open", url);
}
