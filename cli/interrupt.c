/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* interrupt.c - Ctrl-C and other signals that end a run.
 *
 * The first SIGINT, SIGTERM or SIGHUP only sets a flag: the run stops its present step and closes the recording after the step
 * before it. The second signal has its usual effect. A signal that was ignored when the program started (nohup, a shell's
 * background job) stays ignored. While a file is loaded, there is nothing to close and the flag is not checked; then the first
 * signal ends the program at once (cli_loading). */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <unistd.h>

#include "cli.h"

static volatile sig_atomic_t came, loading;
static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

static void handle(int which) {
    (void)which;
    if (loading) _exit(CLI_INTERRUPTED);
    came = 1;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigemptyset(&usual.sa_mask);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction now;
        if (!sigaction(caught[i], NULL, &now) && now.sa_handler == handle) sigaction(caught[i], &usual, NULL);
    }
}

void cli_catch_interrupt(void) {
    struct sigaction ours = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction before;
        if (!sigaction(caught[i], NULL, &before) && before.sa_handler == SIG_IGN) continue;
        sigaction(caught[i], &ours, NULL);
    }
}

void cli_loading(bool on) {
    if (on && came) _exit(CLI_INTERRUPTED); /* the signal came earlier, and loading would not check for it */
    loading = on;
}

bool cli_interrupted(void) { return came != 0; }
