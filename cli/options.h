/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* options.h - between main.c, options.c and help.c: the list of commands and what was parsed. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli.h"

/* All commands in the order of the list, ended by NULL. */
extern const cli_command *const cli_commands[];
/* --json and --help, which every command has; ended by a name of NULL. */
extern const cli_option cli_common[];

struct cli_args {
    const cli_command *command; /* NULL: none was named */
    struct {
        const cli_option *option;
        const char *value; /* NULL for a flag */
    } * given;
    int ngiven;
    const char **operand;
    int noperand;
    perp_definition *define;
    int ndefine;
    bool json, help;
};

/* Reads what follows the command's name. Returns CLI_OK, or another code after the complaint was printed. */
int options_parse(const cli_command *c, int argc, char **argv, cli_args *out);
void options_free(cli_args *a);

/* The command of that name, or NULL. */
const cli_command *options_command(const char *name);
int options_unknown_command(const cli_args *a, const char *name); /* the complaint; returns 2 */

/* What an option takes, in words: "a number >= 0", "one of auto, always, never". */
char *options_allowed(const cli_option *o, char *out, size_t size);

/* help.c */
void help_list(FILE *to);
void help_command(FILE *to, const cli_command *c);
void help_json(FILE *to, const cli_command *c); /* NULL: all */
/* help_man.c, help_bash.c */
void help_man(FILE *to);
void help_bash(FILE *to);

#endif
