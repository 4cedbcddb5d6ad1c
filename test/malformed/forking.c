/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* forking.c - the program perp, started once and forked for each call. With sanitizers a start takes many times as long as the refusal of a bad input,
 * and there are hundreds of these. test/cli/helper, perp_in, talks to it.
 *
 *   perp_forking OUT ERR <requests >answers
 *
 * A request is a list of texts, each with a NUL behind it: the number of arguments, a folder, the arguments. A child process calls main() of perp in that
 * folder, with stdout in the file OUT and stderr in ERR (whole paths). The answer is a line with the exit code, or 128 and the number of the signal. */
#define _POSIX_C_SOURCE 200809L
#define main            perp_main
#include "main.c" /* cli/main.c */
#undef main

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS = 64, LENGTH = 4096 };

/* The next text of the requests. False: there is none. */
static bool next(char *text) {
    int n = 0, c;
    while ((c = getchar()) > 0 && n < LENGTH - 1) text[n++] = (char)c;
    text[n] = 0;
    return c == 0;
}

static bool redirect(int fd, const char *path, int how) {
    int file = open(path, how, 0666);
    bool ok = file >= 0 && dup2(file, fd) == fd;
    if (file >= 0) close(file);
    return ok;
}

static void be_perp(const char *folder, const char *out, const char *err, int argc, char **argv) {
    const int make = O_WRONLY | O_CREAT | O_TRUNC;
    if (!redirect(0, "/dev/null", O_RDONLY) || !redirect(1, out, make) || !redirect(2, err, make) || chdir(folder))
        _exit(125);
    exit(perp_main(argc, argv));
}

int main(int argc, char **argv) {
    static char folder[LENGTH], count[LENGTH], text[ARGUMENTS][LENGTH];
    if (argc != 3) return 2;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* makes HDF5 ready, once for all */
    while (next(count)) {
        char *argument[ARGUMENTS + 2] = {(char *)(void *)"perp"};
        int n = atoi(count);
        if (n < 0 || n > ARGUMENTS || !next(folder)) return 2;
        for (int i = 0; i < n; i++) {
            if (!next(text[i])) return 2;
            argument[i + 1] = text[i];
        }
        pid_t child = fork();
        if (child == 0) be_perp(folder, argv[1], argv[2], n + 1, argument);
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) return 2;
        printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        fflush(stdout);
    }
    return 0;
}
