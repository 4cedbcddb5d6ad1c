/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_help.c - perp help: the list, a command, the manual page, the completion. */
#include "options.h"

static const cli_option options[] = {
    {.name = "man", .kind = CLI_FLAG, .help = "Print the manual page, in troff."},
    {.name = "bash", .kind = CLI_FLAG, .help = "Print the completion script for bash."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp help run", "everything about perp run"},
    {"perp help --man > perp.1", "write the manual page; man -l perp.1 shows it"},
    {"eval \"$(perp help --bash)\"", "complete commands, options and files with the tab key in this shell"},
    {NULL, NULL},
};

static int run(const cli_args *a) {
    const char *name = cli_operand(a, 0);
    bool man = cli_given(a, "man"), bash = cli_given(a, "bash");
    if (man && bash) return cli_mistake(a, "--man", "together with --bash", "one of the two");
    if ((man || bash) && name)
        return cli_mistake(a, man ? "--man" : "--bash", "with a command", "the option alone, for all commands");
    const cli_command *c = name ? options_command(name) : NULL;
    if (name && !c) return options_unknown_command(a, name);
    if (man)
        help_man(stdout);
    else if (bash)
        help_bash(stdout);
    else if (cli_json(a))
        help_json(stdout, c);
    else if (c)
        help_command(stdout, c);
    else
        help_list(stdout);
    return CLI_OK;
}

const cli_command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .min_operand = 0,
    .max_operand = 1,
    .summary = "print the help of a command",
    .about = "Without a command prints the list of commands. perp COMMAND --help prints the same as perp help COMMAND. "
             "Help, manual page "
             "and completion are made from the same tables that the options are read by.",
    .option = options,
    .example = examples,
    .run = run,
};
