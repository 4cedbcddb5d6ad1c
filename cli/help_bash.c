/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* help_bash.c - the tables of the commands as a completion script for bash. It needs nothing but bash itself. */
#include <string.h>

#include "options.h"

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *p = text; p && (p = strstr(p, word)); p += n) {
        bool before = p > text && p[-1] >= 'A' && p[-1] <= 'Z', after = p[n] >= 'A' && p[n] <= 'Z';
        if (!before && !after) return true;
    }
    return false;
}

/* Which files the word for an argument stands for. */
static void put_files(FILE *to, const char *words) {
    bool scene = has_word(words, "SCENE"), recording = has_word(words, "RECORDING");
    bool problem = has_word(words, "PROBLEM"), figures = has_word(words, "TRACE") || has_word(words, "RESULTS");
    bool known = scene || recording || problem || figures;
    if (has_word(words, "FILE") || (has_word(words, "FOLDER") && !known))
        fputs("_perp_files", to);
    else if (known)
        fprintf(to, "_perp_files%s%s%s%s", scene ? " yaml yml" : "", recording || problem || figures ? " h5" : "",
                problem ? " hdf5 dat" : "", figures ? " csv" : "");
    else if (has_word(words, "COMMAND"))
        fputs("COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))", to);
    else
        fputs(":", to);
}

static void put_value(FILE *to, const cli_command *c, const cli_option *o) {
    fprintf(to, "    '%s --%s'", c->name, o->name);
    if (o->letter) fprintf(to, " | '%s -%c'", c->name, o->letter);
    fputs(") ", to);
    if (o->kind == CLI_CHOICE) {
        fputs("COMPREPLY=($(compgen -W \"", to);
        for (int i = 0; o->choices[i]; i++) fprintf(to, "%s%s", i ? " " : "", o->choices[i]);
        fputs("\" -- \"$cur\"))", to);
    } else if (o->kind == CLI_FILE) {
        bool known = o->argument && (has_word(o->argument, "SCENE") || has_word(o->argument, "RECORDING"));
        if (known)
            put_files(to, o->argument);
        else
            fputs("_perp_files", to);
    } else {
        fputs(":", to);
    }
    fputs("; return ;;\n", to);
}

void help_bash(FILE *to) {
    fputs("# bash completion for perp, written by: perp help --bash\n"
          "# Files ending in one of the suffixes, and folders; without a suffix all files.\n"
          "_perp_files() {\n"
          "    local IFS=$'\\n' suffix\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    if [ $# -eq 0 ]; then COMPREPLY=($(compgen -f -- \"$cur\")); return; fi\n"
          "    COMPREPLY=($(compgen -d -- \"$cur\"))\n"
          "    for suffix in \"$@\"; do COMPREPLY+=($(compgen -f -X \"!*.$suffix\" -- \"$cur\")); done\n"
          "}\n"
          "_perp() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
          "    local commands=\"",
          to);
    for (int i = 0; cli_commands[i]; i++) fprintf(to, "%s%s", i ? " " : "", cli_commands[i]->name);
    fputs("\"\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\")); return; fi\n"
          "    # readline takes the = of --option=value for a word of its own\n"
          "    if [ \"$cur\" = = ]; then cur=\n"
          "    elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    case \"$command $prev\" in\n",
          to);
    for (int i = 0; cli_commands[i]; i++)
        for (const cli_option *o = cli_commands[i]->option; o && o->name; o++)
            if (o->kind != CLI_FLAG) put_value(to, cli_commands[i], o);
    fputs("    esac\n"
          "    case \"$command $cur\" in\n",
          to);
    for (int i = 0; cli_commands[i]; i++) {
        fprintf(to, "    '%s -'*) COMPREPLY=($(compgen -W \"", cli_commands[i]->name);
        for (const cli_option *o = cli_commands[i]->option; o && o->name; o++) fprintf(to, "--%s ", o->name);
        for (const cli_option *o = cli_common; o->name; o++) fprintf(to, "--%s%s", o->name, o[1].name ? " " : "");
        fputs("\" -- \"$cur\")) ;;\n", to);
        fprintf(to, "    '%s '*) ", cli_commands[i]->name);
        put_files(to, cli_commands[i]->operands ? cli_commands[i]->operands : "");
        fputs(" ;;\n", to);
    }
    fputs("    esac\n}\ncomplete -F _perp perp\n", to);
}
