/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* help_man.c - writes the manual page from the tables of the commands, in the man macros of troff */
#include <ctype.h>
#include <string.h>

#include "options.h"

/* Writes n characters of s and escapes those that troff interprets: backslashes, hyphens, quotes, and a dot at the start
 * of a line. */
static void put_n(FILE *to, const char *s, size_t n, bool start) {
    for (size_t i = 0; i < n; i++) {
        if (start && (s[i] == '.' || s[i] == '\'')) fputs("\\&", to);
        start = false;
        if (s[i] == '\\')
            fputs("\\e", to);
        else if (s[i] == '-')
            fputs("\\-", to);
        else if (s[i] == '~')
            fputs("\\(ti", to);
        else if (s[i] == '^')
            fputs("\\(ha", to);
        else if (s[i] == '`')
            fputs("\\(ga", to);
        else if (s[i] == '\'')
            fputs("\\(aq", to);
        else if (s[i] == '"')
            fputs("\\(dq", to);
        else
            fputc(s[i], to);
    }
}

static void put(FILE *to, const char *s, bool start) { put_n(to, s, strlen(s), start); }

/* Writes paragraphs. Lines of the source are broken at blanks before column 100. */
static void put_text(FILE *to, const char *s) {
    int column = 0;
    while (*s) {
        if (s[0] == '\n' && s[1] == '\n') {
            fputs("\n.PP\n", to);
            s += strspn(s, "\n ");
            column = 0;
            continue;
        }
        if (*s == ' ' || *s == '\n') {
            s++;
            continue;
        }
        size_t n = strcspn(s, " \n");
        if (column > 0 && column + 1 + (int)n > 100)
            fputc('\n', to), column = 0;
        else if (column > 0)
            fputc(' ', to), column++;
        put_n(to, s, n, column == 0);
        column += (int)n;
        s += n;
    }
    fputc('\n', to);
}

/* Writes a usage line: words in capitals are italic, options are bold. */
static void put_usage(FILE *to, const char *name, const char *operands, size_t n) {
    fprintf(to, "\\fBperp %s\\fR [\\fIOPTION\\fR...]", name);
    for (size_t i = 0; i < n;) {
        if (i == 0) fputc(' ', to);
        size_t k = 0;
        while (i + k < n && (isupper((unsigned char)operands[i + k]) || (k > 0 && operands[i + k] == '_'))) k++;
        if (k > 1) {
            fprintf(to, "\\fI%.*s\\fR", (int)k, operands + i);
            i += k;
        } else if (operands[i] == '-' && i + 1 < n && operands[i + 1] == '-') {
            k = strcspn(operands + i, " ]\n");
            fputs("\\fB", to);
            put_n(to, operands + i, k, false);
            fputs("\\fR", to);
            i += k;
        } else {
            put_n(to, operands + i, 1, false);
            i++;
        }
    }
    fputc('\n', to);
}

static void put_usages(FILE *to, const cli_command *c) {
    const char *p = c->operands ? c->operands : "";
    bool more = true;
    for (bool first = true; more; first = false) {
        size_t n = strcspn(p, "\n");
        if (!first) fputs(".br\n", to);
        put_usage(to, c->name, p, n);
        more = p[n] != 0;
        p += n + more;
    }
}

static void put_option(FILE *to, const cli_option *o) {
    fputs(".TP\n", to);
    if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", to);
    put(to, o->name, false);
    fputs("\\fR", to);
    if (o->kind != CLI_FLAG) {
        fputs(" \\fI", to);
        put(to, o->argument ? o->argument : "VALUE", false);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    put_text(to, o->help);
}

static const char *const exits[][2] = {
    {"0", "Success."},
    {"1", "A step could not be solved, or a check failed."},
    {"2", "Bad input: a scene, a recording or an option. Nothing was written."},
    {"3", "The disk is full or not writable, or memory ran out."},
    {"130", "Ended by Ctrl-C, SIGTERM or SIGHUP; everything recorded so far is safe."},
};

static const char *const files[][2] = {
    {"SCENE.yaml",
     "A scene. perp info --reference prints the reference of its keys, perp info --schema a JSON Schema for editors."},
    {"RECORDING.h5", "A recording: an HDF5 file that holds the run and its scene; h5dump, h5py and the like read it."},
    {"RECORDING.h5-journal", "Exists for a moment at each commit. If a killed run left one, it belongs to the "
                             "recording: keep the two together."},
    {"RECORDING.h5.old", "A recording while it is being replaced by perp run --force."},
    {"RECORDING-failed-step-NUMBER.h5",
     "The problem of a step that could not be solved, as perp run saves it; perp solve and perp info read it."},
};

void help_man(FILE *to) {
    fprintf(to,
            "'\\\" t\n.\\\" Written by: perp help --man\n.TH PERP 1 \"\" \"perp %s\" \"User Commands\"\n.nh\n.ad l\n"
            ".SH NAME\nperp \\- rigid bodies with frictional contact, every step certified\n.SH SYNOPSIS\n",
            perp_version());
    for (int i = 0; cli_commands[i]; i++) {
        if (i > 0) fputs(".br\n", to);
        put_usages(to, cli_commands[i]);
    }
    fputs(".SH DESCRIPTION\n", to);
    put_text(
        to,
        "perp simulates rigid bodies that touch, stick, slip, roll and part. It solves the laws of contact exactly, as "
        "complementarity problems, and measures after every step how well they hold. Scenes are YAML files, recordings "
        "HDF5 files.\n\n"
        "Results are printed on standard output, complaints on standard error, one line each: where, what was found, "
        "what is "
        "allowed. Options may stand before or after other arguments; a long option takes its value after a blank or =; "
        "-- ends "
        "the options.");
    fputs(".SH COMMANDS\n", to);
    for (int i = 0; cli_commands[i]; i++) {
        const cli_command *c = cli_commands[i];
        fprintf(to, ".SS %s\n", c->name);
        put_usages(to, c);
        fputs(".PP\n", to);
        put_text(to, c->about);
        for (const cli_option *o = c->option; o && o->name; o++) put_option(to, o);
    }
    fputs(".SS Options of every command\n", to);
    for (const cli_option *o = cli_common; o->name; o++) put_option(to, o);
    fputs(".SH EXIT STATUS\n", to);
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++) {
        fprintf(to, ".TP\n.B %s\n", exits[i][0]);
        put_text(to, exits[i][1]);
    }
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, nothing is coloured.\n.SH FILES\n", to);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        fputs(".TP\n.I ", to);
        put(to, files[i][0], true);
        fputc('\n', to);
        put_text(to, files[i][1]);
    }
    fputs(".SH EXAMPLES\n", to);
    for (int i = 0; cli_commands[i]; i++)
        for (const cli_example *e = cli_commands[i]->example; e && e->line; e++) {
            fputs(".TP\n.B ", to);
            put(to, e->line, true);
            fputc('\n', to);
            put_text(to, e->about);
        }
    fputs(".SH SEE ALSO\n.BR h5dump (1)\n", to);
}
