/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* main.c - perp COMMAND ...: finds the command, reads its options, runs it. */
#define _POSIX_C_SOURCE 200809L /* SIGXFSZ */
#include <errno.h>
#include <hdf5.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

const cli_command *const cli_commands[] = {&command_run,
                                           &command_info,
                                           &command_plot,
                                           &command_render,
                                           &command_solve,
                                           &command_experiment,
                                           &command_refine,
                                           &command_compare,
                                           &command_sweep,
                                           &command_design,
                                           &command_estimate,
                                           &command_study,
                                           &command_view,
                                           &command_import,
                                           &command_version,
                                           &command_help,
                                           NULL};

static bool wants_json(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--json")) return true;
    return false;
}

static int dispatch(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "help";
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) name = "version";
    const cli_command *c = options_command(name);
    if (!c) {
        cli_args none = {.json = wants_json(argc, argv)};
        return options_unknown_command(&none, name);
    }
    cli_args args;
    int code = options_parse(c, argc > 2 ? argc - 2 : 0, argv + (argc > 2 ? 2 : argc), &args);
    if (!code && args.help) {
        if (args.json)
            help_json(stdout, c);
        else
            help_command(stdout, c);
    } else if (!code) {
        code = c->run(&args);
    }
    options_free(&args);
    return code;
}

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, "");               /* numbers stay as in C */
    signal(SIGXFSZ, SIG_IGN);              /* a file size limit is reported as a write error instead of a signal */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its last words at exit would be about files we have refused */
    int code = dispatch(argc, argv);
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "perp: standard output cannot be written%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
        if (code == CLI_OK || code == CLI_INTERRUPTED) code = CLI_MACHINE;
    }
    return code;
}
