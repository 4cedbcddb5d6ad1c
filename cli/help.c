/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* help.c - the tables of the commands as help on the terminal and as JSON. */
#include <math.h>
#include <string.h>

#include "options.h"

/* Prints text broken into lines of at most `width` columns. The first line begins at column `at`, the others at
 * `indent`; blank lines part paragraphs. */
static void wrap(FILE *to, const char *text, int at, int indent, int width) {
    int column = at;
    bool fresh = true; /* nothing on this line yet */
    for (const char *p = text; *p;) {
        if (*p == '\n' && p[1] == '\n') {
            fprintf(to, "\n\n%*s", indent, "");
            column = indent;
            fresh = true;
            p += strspn(p, "\n ");
            continue;
        }
        size_t blank = strspn(p, " \n");
        if (blank > 0 && !(p[0] == '\n' && p[1] == '\n')) {
            p += blank;
            continue;
        }
        int n = (int)strcspn(p, " \n");
        if (!fresh && column + 1 + n > width) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
            fresh = true;
        }
        fprintf(to, "%s%.*s", fresh ? "" : " ", n, p);
        column += n + !fresh;
        fresh = false;
        p += n;
    }
    fputc('\n', to);
}

static int columns(FILE *to) {
    int n = cli_width(to);
    return n > 100 ? 100 : n < 40 ? 40 : n;
}

void help_list(FILE *to) {
    fprintf(to,
            "perp %s: rigid bodies with frictional contact, every step certified\n\nusage: perp COMMAND [OPTION...] "
            "[ARGUMENT...]\n\n",
            perp_version());
    for (int i = 0; cli_commands[i]; i++)
        fprintf(to, "  %s%-12s%s%s\n", cli_style(to, "1"), cli_commands[i]->name, cli_style(to, ""),
                cli_commands[i]->summary);
    fprintf(to, "\nperp help COMMAND, or perp COMMAND --help, prints the options of a command.\n");
}

static void print_usage(FILE *to, const cli_command *c) {
    const char *p = c->operands ? c->operands : "", *word = "usage:";
    do {
        size_t n = strcspn(p, "\n");
        fprintf(to, "%-6s perp %s [OPTION...]%s%.*s\n", word, c->name, n ? " " : "", (int)n, p);
        word = "";
        p += n;
    } while (*p++);
}

static void print_option(FILE *to, const cli_option *o, int width) {
    enum { INDENT = 28 };
    char head[80];
    int n = o->letter ? snprintf(head, sizeof head, "  -%c, ", o->letter) : snprintf(head, sizeof head, "      ");
    n += snprintf(head + n, sizeof head - (size_t)n, "--%s", o->name);
    if (o->kind != CLI_FLAG)
        n += snprintf(head + n, sizeof head - (size_t)n, " %s", o->argument ? o->argument : "VALUE");
    fputs(head, to);
    if (n > INDENT - 2)
        fprintf(to, "\n%*s", INDENT, "");
    else
        fprintf(to, "%*s", INDENT - n, "");
    wrap(to, o->help, INDENT, INDENT, width);
}

void help_command(FILE *to, const cli_command *c) {
    int width = columns(to);
    print_usage(to, c);
    fputc('\n', to);
    wrap(to, c->about, 0, 0, width);
    fprintf(to, "\nOptions\n");
    for (const cli_option *o = c->option; o && o->name; o++) print_option(to, o, width);
    for (const cli_option *o = cli_common; o->name; o++) print_option(to, o, width);
    if (c->example && c->example->line) {
        fprintf(to, "\nExamples\n");
        for (const cli_example *e = c->example; e->line; e++) {
            fprintf(to, "  %s\n      ", e->line);
            wrap(to, e->about, 6, 6, width);
        }
    }
}

static void json_option(json *j, const cli_option *o) {
    static const char *const kind[] = {"flag", "text", "file", "number", "whole", "choice", "define"};
    char letter[2] = {o->letter, 0}, allowed[512];
    json_object(j);
    json_field_string(j, "name", o->name);
    if (o->letter) json_field_string(j, "letter", letter);
    json_field_string(j, "kind", kind[o->kind]);
    if (o->kind != CLI_FLAG) {
        json_field_string(j, "argument", o->argument ? o->argument : "VALUE");
        json_field_string(j, "allowed", options_allowed(o, allowed, sizeof allowed));
    }
    json_field_bool(j, "many", o->many || o->kind == CLI_DEFINE);
    json_field_string(j, "help", o->help);
    json_end(j, '}');
}

static void json_command(json *j, const cli_command *c) {
    json_object(j);
    json_field_string(j, "name", c->name);
    json_field_string(j, "operands", c->operands ? c->operands : "");
    json_field_string(j, "summary", c->summary);
    json_field_string(j, "about", c->about);
    json_key(j, "options");
    json_array(j);
    for (const cli_option *o = c->option; o && o->name; o++) json_option(j, o);
    for (const cli_option *o = cli_common; o->name; o++) json_option(j, o);
    json_end(j, ']');
    json_end(j, '}');
}

void help_json(FILE *to, const cli_command *c) {
    json j;
    json_begin(&j, to);
    json_object(&j);
    json_field_string(&j, "version", perp_version());
    json_key(&j, "commands");
    json_array(&j);
    for (int i = 0; cli_commands[i]; i++)
        if (!c || c == cli_commands[i]) json_command(&j, cli_commands[i]);
    json_end(&j, ']');
    json_end(&j, '}');
}
