/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* options.c - the command line, read by the table of the command.
 *
 * Long options with = or a space, short letters (flags may be joined, a value may follow its letter at once), -- ends
 * the options. Short cuts of long names are not taken: what works today would mean something else once another option
 * is added. Every mistake is one line that names the option, what was found and what is allowed, before anything is
 * done. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

const cli_option cli_common[] = {
    {.name = "json", .kind = CLI_FLAG, .help = "Print the result as one JSON object; an error as {\"error\": ...}."},
    {.name = "help", .letter = 'h', .kind = CLI_FLAG, .help = "Print this help."},
    {.name = NULL},
};

const cli_command *options_command(const char *name) {
    for (int i = 0; cli_commands[i]; i++)
        if (!strcmp(cli_commands[i]->name, name)) return cli_commands[i];
    return NULL;
}

/* ---- complaints ---- */

static void complain(const cli_args *a, int code, const char *prefix, const perp_refusal *why) {
    fflush(stdout); /* what was printed before it stands before it */
    fprintf(stderr, "%s%s\n", prefix, why->text);
    if (!a || !a->json) return;
    json j;
    json_begin(&j, stdout);
    json_object(&j);
    json_refusal(&j, "error", why, code);
    json_end(&j, '}');
}

int cli_refuse(const cli_args *a, const perp_refusal *why) {
    int code = why->status == PERP_E_MEMORY ? CLI_MACHINE : CLI_BAD_INPUT;
    complain(a, code, "perp: ", why);
    return code;
}

int cli_refuse_writing(const cli_args *a, const perp_refusal *why) {
    int code = why->status == PERP_E_MEMORY || why->status == PERP_E_IO ? CLI_MACHINE : CLI_BAD_INPUT;
    complain(a, code, "perp: ", why);
    return code;
}

int cli_refuse_say(const cli_args *a, int code, const char *format, ...) {
    perp_refusal why = {.status = code == CLI_MACHINE ? PERP_E_IO : PERP_E_ARG};
    va_list list;
    va_start(list, format);
    vsnprintf(why.text, sizeof why.text, format, list);
    va_end(list);
    complain(a, code, "perp: ", &why);
    return code;
}

int cli_mistake(const cli_args *a, const char *key, const char *found, const char *allowed) {
    perp_refusal why = {.status = PERP_E_ARG};
    snprintf(why.key, sizeof why.key, "%s", key);
    snprintf(why.found, sizeof why.found, "%s", found);
    snprintf(why.allowed, sizeof why.allowed, "%s", allowed);
    snprintf(why.text, sizeof why.text, "%s%sfound %s%s%s", why.key, *key ? ": " : "", why.found,
             *allowed ? "; allowed: " : "", why.allowed);
    char prefix[64];
    snprintf(prefix, sizeof prefix, "perp%s%s: ", a && a->command ? " " : "", a && a->command ? a->command->name : "");
    complain(a, CLI_BAD_INPUT, prefix, &why);
    return CLI_BAD_INPUT;
}

/* ---- did you mean ---- */

enum { WORD = 40 };

/* Letters to change, add, drop or swap to make b of a; both shorter than WORD. */
static int distance(const char *a, const char *b) {
    int na = (int)strlen(a), nb = (int)strlen(b), row[3][WORD + 1];
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *two = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int d = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < d) d = before[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two[j - 2] + 1 < d)
                d = two[j - 2] + 1;
            now[j] = d;
        }
    }
    return row[na % 3][nb];
}

const char *cli_suggest(const char *written, const char *const *words) {
    size_t n = strlen(written);
    if (n == 0 || n >= WORD) return NULL;
    const char *best = NULL;
    int least = 1 + (int)n / 3;
    for (int i = 0; words[i]; i++) {
        if (strlen(words[i]) >= WORD) continue;
        if (n >= 2 && !strncmp(written, words[i], n)) return words[i]; /* a short cut */
        int d = distance(written, words[i]);
        if (d < least || (d == least && !best)) least = d, best = words[i];
    }
    return best;
}

/* ---- what is allowed ---- */

char *options_allowed(const cli_option *o, char *out, size_t size) {
    switch (o->kind) {
    case CLI_FLAG: snprintf(out, size, "--%s alone", o->name); break;
    case CLI_TEXT: snprintf(out, size, "%s", o->argument ? o->argument : "text"); break;
    case CLI_FILE: snprintf(out, size, "a path"); break;
    case CLI_DEFINE: snprintf(out, size, "NAME=VALUE"); break;
    case CLI_CHOICE: {
        size_t n = (size_t)snprintf(out, size, "%s", o->choices[0]);
        for (int i = 1; o->choices[i] && n < size; i++) n += (size_t)snprintf(out + n, size - n, ", %s", o->choices[i]);
        break;
    }
    case CLI_NUMBER:
    case CLI_WHOLE: {
        const char *what = o->kind == CLI_WHOLE ? "a whole number" : "a number";
        bool any = o->min == 0 && o->max == 0, lo = !any && isfinite(o->min), hi = !any && isfinite(o->max);
        if (lo && hi)
            snprintf(out, size, "%s from %.12g to %.12g", what, o->min, o->max);
        else if (lo)
            snprintf(out, size, "%s >= %.12g", what, o->min);
        else if (hi)
            snprintf(out, size, "%s <= %.12g", what, o->max);
        else
            snprintf(out, size, "%s", what);
        break;
    }
    }
    return out;
}

/* Decimal only: strtod() by itself also takes hexadecimal numbers, words for infinity and blanks before the number. */
static bool read_number(const char *s, double *x) {
    if (!*s || s[strspn(s, "+-.0123456789eE")]) return false;
    char *end;
    *x = strtod(s, &end);
    return !*end && isfinite(*x);
}

static bool value_fits(const cli_option *o, const char *value) {
    switch (o->kind) {
    case CLI_FLAG:
    case CLI_TEXT: return true;
    case CLI_FILE: return *value != 0;
    case CLI_DEFINE: {
        const char *equals = strchr(value, '=');
        return equals && equals > value && equals[1];
    }
    case CLI_CHOICE:
        for (int i = 0; o->choices[i]; i++)
            if (!strcmp(o->choices[i], value)) return true;
        return false;
    case CLI_NUMBER:
    case CLI_WHOLE: {
        double x;
        if (!read_number(value, &x)) return false;
        if (o->kind == CLI_WHOLE && (x != floor(x) || fabs(x) > 9007199254740992.0)) return false;
        return (o->min == 0 && o->max == 0) || (x >= o->min && x <= o->max);
    }
    }
    return false;
}

/* ---- reading ---- */

static const cli_option *by_name(const cli_command *c, const char *name, size_t length) {
    const cli_option *table[2] = {c->option, cli_common};
    for (int k = 0; k < 2; k++)
        for (const cli_option *o = table[k]; o && o->name; o++)
            if (strlen(o->name) == length && !memcmp(o->name, name, length)) return o;
    return NULL;
}

static const cli_option *by_letter(const cli_command *c, char letter) {
    const cli_option *table[2] = {c->option, cli_common};
    for (int k = 0; k < 2; k++)
        for (const cli_option *o = table[k]; o && o->name; o++)
            if (o->letter && o->letter == letter) return o;
    return NULL;
}

static char *quoted(char *out, size_t size, const char *text) {
    char safe[200];
    snprintf(out, size, "\"%s\"", cli_printable(safe, sizeof safe, text));
    return out;
}

int options_unknown_command(const cli_args *a, const char *name) {
    const char *words[33];
    char found[256], allowed[512];
    int n = 0, k = 0;
    for (; n < 32 && cli_commands[n]; n++) {
        words[n] = cli_commands[n]->name;
        k += snprintf(allowed + k, sizeof allowed - (size_t)k, "%s%s", n ? ", " : "", words[n]);
    }
    words[n] = NULL;
    const char *near = cli_suggest(name, words);
    if (near) snprintf(allowed + k, sizeof allowed - (size_t)k, " (did you mean %s?)", near);
    return cli_mistake(a, "", quoted(found, sizeof found, name), allowed);
}

static int unknown(const cli_args *a, const char *written) {
    const cli_command *c = a->command;
    const char *words[128];
    char found[256], allowed[256];
    int n = 0;
    for (const cli_option *o = c->option; o && o->name && n < 120; o++) words[n++] = o->name;
    for (const cli_option *o = cli_common; o->name; o++) words[n++] = o->name;
    words[n] = NULL;
    const char *near = NULL;
    if (!strncmp(written, "--", 2)) {
        char name[WORD];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(written + 2, "="), written + 2);
        near = cli_suggest(name, words);
    }
    if (near)
        snprintf(allowed, sizeof allowed, "an option of perp %s (did you mean --%s?)", c->name, near);
    else
        snprintf(allowed, sizeof allowed, "an option of perp %s (perp %s --help lists them)", c->name, c->name);
    return cli_mistake(a, "", quoted(found, sizeof found, written), allowed);
}

/* Takes one option with its value (NULL: none). */
static int take(cli_args *a, const cli_option *o, const char *value) {
    char key[64], found[256], allowed[512];
    snprintf(key, sizeof key, "--%s", o->name);
    options_allowed(o, allowed, sizeof allowed);
    if (o->kind == CLI_FLAG) {
        if (value) {
            char text[220];
            snprintf(found, sizeof found, "the value %s", quoted(text, sizeof text, value));
            return cli_mistake(a, key, found, allowed);
        }
    } else if (!value) {
        return cli_mistake(a, key, "nothing", allowed);
    } else if (!value_fits(o, value)) {
        const char *near = o->kind == CLI_CHOICE ? cli_suggest(value, o->choices) : NULL;
        size_t n = strlen(allowed);
        if (near) snprintf(allowed + n, sizeof allowed - n, " (did you mean %s?)", near);
        return cli_mistake(a, key, quoted(found, sizeof found, value), allowed);
    } else if (!o->many && o->kind != CLI_DEFINE && cli_given(a, o->name)) {
        return cli_mistake(a, key, "twice", "once");
    }
    if (o == &cli_common[0]) a->json = true;
    if (o == &cli_common[1]) a->help = true;
    a->given[a->ngiven].option = o;
    a->given[a->ngiven++].value = value;
    return CLI_OK;
}

/* The next word as a value. A word that is itself an option of the command is a forgotten value. */
static const char *next_value(const cli_args *a, const char *word) {
    if (!word || !strcmp(word, "--")) return NULL;
    if (!strncmp(word, "--", 2) && by_name(a->command, word + 2, strcspn(word + 2, "="))) return NULL;
    return word;
}

static int read_long(cli_args *a, char **argv, int *i) {
    const char *word = argv[*i];
    size_t length = strcspn(word + 2, "=");
    const cli_option *o = by_name(a->command, word + 2, length);
    if (!o) return unknown(a, word);
    if (word[2 + length] == '=') return take(a, o, word + 3 + length);
    if (o->kind == CLI_FLAG) return take(a, o, NULL);
    const char *value = next_value(a, argv[*i + 1]);
    if (value) ++*i;
    return take(a, o, value);
}

static int read_short(cli_args *a, char **argv, int *i) {
    for (const char *p = argv[*i] + 1; *p; p++) {
        const cli_option *o = by_letter(a->command, *p);
        if (!o) {
            char word[3] = {'-', *p, 0};
            return unknown(a, (unsigned char)*p < 128 ? word : argv[*i]);
        }
        int code;
        if (o->kind == CLI_FLAG) {
            if ((code = take(a, o, NULL))) return code;
            continue;
        }
        const char *value = p[1] ? p + 1 : next_value(a, argv[*i + 1]);
        if (value && !p[1]) ++*i;
        return take(a, o, value);
    }
    return CLI_OK;
}

static int check_operands(const cli_args *a) {
    const cli_command *c = a->command;
    char found[256], text[220], allowed[256];
    int n = 0;
    for (const char *p = c->operands; p && *p && n < (int)sizeof allowed - 8; p++)
        n += snprintf(allowed + n, sizeof allowed - (size_t)n, *p == '\n' ? ", or " : "%c", *p);
    if (!n) snprintf(allowed, sizeof allowed, "nothing");
    for (int i = 0; i < a->noperand; i++)
        if (a->operand[i] && !*a->operand[i]) return cli_mistake(a, "", "\"\"", allowed);
    if (a->noperand < c->min_operand) {
        if (a->noperand == 0) return cli_mistake(a, "", "nothing to work on", allowed);
        snprintf(found, sizeof found, "only %s", quoted(text, sizeof text, a->operand[a->noperand - 1]));
        return cli_mistake(a, "", found, allowed);
    }
    if (c->max_operand >= 0 && a->noperand > c->max_operand)
        return cli_mistake(a, "", quoted(found, sizeof found, a->operand[c->max_operand]), allowed);
    return CLI_OK;
}

static int split_definitions(cli_args *a) {
    for (int i = 0; i < a->ngiven; i++) {
        const cli_option *o = a->given[i].option;
        if (!o || o->kind != CLI_DEFINE) continue;
        const char *value = a->given[i].value, *equals = strchr(value, '=');
        size_t n = (size_t)(equals - value);
        char *name = malloc(n + 1);
        if (!name) return cli_refuse_say(a, CLI_MACHINE, "no memory for the command line");
        memcpy(name, value, n);
        name[n] = 0;
        a->define[a->ndefine].name = name;
        a->define[a->ndefine++].value = equals + 1;
    }
    return CLI_OK;
}

int options_parse(const cli_command *c, int argc, char **argv, cli_args *out) {
    /* a joined word of letters gives at most as many options as it has letters */
    size_t room = 1;
    for (int i = 0; i < argc; i++) room += 1 + (argv[i][0] == '-' && argv[i][1] != '-' ? strlen(argv[i]) : 0);
    *out = (cli_args){.command = c};
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0;
         i++) { /* so that mistakes before them are told the right way */
        if (!strcmp(argv[i], "--json")) out->json = true;
        if (!strcmp(argv[i], "--help")) out->help = true;
    }
    out->given = calloc(room, sizeof *out->given);
    out->operand = calloc(room, sizeof *out->operand);
    out->define = calloc(room, sizeof *out->define);
    if (!out->given || !out->operand || !out->define)
        return cli_refuse_say(out, CLI_MACHINE, "no memory for the command line");
    if (out->help) return CLI_OK;
    bool options = true;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        int code = CLI_OK;
        if (options && !strcmp(word, "--"))
            options = false;
        else if (options && !strncmp(word, "--", 2))
            code = read_long(out, argv, &i);
        else if (options && word[0] == '-' && word[1])
            code = read_short(out, argv, &i);
        else
            out->operand[out->noperand++] = word;
        if (code) return code;
        if (out->help) return CLI_OK;
    }
    int code = check_operands(out);
    return code ? code : split_definitions(out);
}

void options_free(cli_args *a) {
    for (int i = 0; i < a->ndefine; i++) free((void *)a->define[i].name);
    free(a->given);
    free(a->operand);
    free(a->define);
    *a = (cli_args){0};
}

/* ---- asking ---- */

static const cli_option *known(const cli_args *a, const char *name) {
    const cli_option *o = by_name(a->command, name, strlen(name));
    assert(o && "an option that the command's table does not have");
    return o;
}

int cli_count(const cli_args *a, const char *option) {
    const cli_option *o = known(a, option);
    int n = 0;
    for (int i = 0; i < a->ngiven; i++) n += a->given[i].option == o;
    return n;
}

const char *cli_nth(const cli_args *a, const char *option, int i) {
    const cli_option *o = known(a, option);
    for (int k = 0; k < a->ngiven; k++)
        if (a->given[k].option == o && i-- == 0) return a->given[k].value;
    return NULL;
}

bool cli_given(const cli_args *a, const char *option) { return cli_count(a, option) > 0; }

const char *cli_text(const cli_args *a, const char *option, const char *fallback) {
    int n = cli_count(a, option);
    return n ? cli_nth(a, option, n - 1) : fallback;
}

double cli_number(const cli_args *a, const char *option, double fallback) {
    const char *text = cli_text(a, option, NULL);
    return text ? strtod(text, NULL) : fallback;
}

int cli_operands(const cli_args *a) { return a->noperand; }
const char *cli_operand(const cli_args *a, int i) { return i >= 0 && i < a->noperand ? a->operand[i] : NULL; }
bool cli_json(const cli_args *a) { return a->json; }

const char *cli_root(const cli_args *a) { return cli_given(a, "allow-outside") ? "/" : NULL; }

int cli_definitions(const cli_args *a, const perp_definition **out) {
    *out = a->define;
    return a->ndefine;
}
