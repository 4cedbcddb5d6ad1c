/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_settings.c - which solvers, and which of their settings: --solver NAME,NAME and --set NAME.FIELD=VALUE. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/solve.h"

enum { MOST = 64, NAME = 64 };

static const char *near_word(const char *written, const char *const *words, char *out, size_t size) {
    const char *near = cli_suggest(written, words);
    *out = 0;
    if (near) snprintf(out, size, " (did you mean %s?)", near);
    return out;
}

static int unknown_solver(const cli_args *a, const char *key, const char *written) {
    const char *words[MOST + 1];
    char safe[80], found[96], near[96], allowed[200];
    int n = 0;
    for (int i = 0; i < perp_solver_count() && n < MOST; i++) words[n++] = perp_solver_at(i)->name;
    words[n] = NULL;
    snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, written));
    snprintf(allowed, sizeof allowed, "a solver (perp solve --list shows them)%s",
             near_word(written, words, near, sizeof near));
    return cli_mistake(a, key, found, allowed);
}

static bool has(const solve_choice *c, const perp_solver_type *type) {
    for (int i = 0; i < c->nsolver; i++)
        if (c->solver[i] == type) return true;
    return false;
}

static int choose_solvers(const cli_args *a, solve_choice *c) {
    const char *list = cli_text(a, "solver", "auto");
    if (!strcmp(list, "all")) {
        c->all = true;
        for (int i = 0; i < perp_solver_count() && c->nsolver < MOST; i++) c->solver[c->nsolver++] = perp_solver_at(i);
        return CLI_OK;
    }
    for (const char *p = list;; p++) {
        size_t n = strcspn(p, ",");
        char name[NAME];
        snprintf(name, sizeof name, "%.*s", n < NAME ? (int)n : NAME - 1, p);
        const perp_solver_type *type = perp_solver_find(name);
        if (!strcmp(name, "all") || !strcmp(name, "none")) {
            char found[NAME + 32];
            snprintf(found, sizeof found, "%s together with other names", name);
            return cli_mistake(a, "--solver", found, "this name alone");
        }
        if (!type) return unknown_solver(a, "--solver", name);
        if (has(c, type)) {
            char found[NAME + 16];
            snprintf(found, sizeof found, "%s twice", name);
            return cli_mistake(a, "--solver", found, "every solver once");
        }
        c->solver[c->nsolver++] = type;
        p += n;
        if (!*p || c->nsolver == MOST) return CLI_OK;
    }
}

static bool read_value(const perp_field *f, const char *text, double *out) {
    if (f->type == PERP_FIELD_BOOL && (!strcmp(text, "true") || !strcmp(text, "false")))
        return *out = text[0] == 't', true;
    if (!*text || text[strspn(text, "+-.0123456789eE")]) return false;
    char *end;
    *out = strtod(text, &end);
    if (*end || !(*out >= f->min && *out <= f->max)) return false;
    return f->type == PERP_FIELD_DOUBLE || *out == floor(*out);
}

static void allowed_value(const perp_field *f, char *out, size_t size) {
    if (f->type == PERP_FIELD_BOOL)
        snprintf(out, size, "true or false: %s", f->help);
    else
        snprintf(out, size, "%s from %.6g to %.6g: %s", f->type == PERP_FIELD_INT ? "a whole number" : "a number",
                 f->min, f->max, f->help);
}

static int bad_field(const cli_args *a, const char *key, const perp_solver_type *type, const char *field) {
    const char *words[MOST + 1];
    char safe[80], found[96], near[96], allowed[200];
    int n = 0;
    for (; n < type->nfield && n < MOST; n++) words[n] = type->fields[n].name;
    words[n] = NULL;
    snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, field));
    snprintf(allowed, sizeof allowed, "a setting of it (perp solve --list shows them)%s",
             near_word(field, words, near, sizeof near));
    return cli_mistake(a, key, found, allowed);
}

static int choose_setting(const cli_args *a, const perp_definition *d, solve_choice *c) {
    char key[48], safe[80], found[96], name[NAME], allowed[400];
    const char *dot = strchr(d->name, '.');
    cli_printable(safe, sizeof safe, d->name);
    if (!dot) {
        snprintf(found, sizeof found, "\"%s\"", safe);
        return cli_mistake(a, "--set", found, "SOLVER.SETTING=VALUE");
    }
    snprintf(name, sizeof name, "%.*s", dot - d->name < NAME ? (int)(dot - d->name) : NAME - 1, d->name);
    const perp_solver_type *type = perp_solver_find(name);
    if (!type) return unknown_solver(a, "--set", name);
    snprintf(key, sizeof key, "--set %.40s", type->name);
    if (!has(c, type)) return cli_mistake(a, key, "a solver that --solver does not name", "the solvers of --solver");
    const perp_field *field = NULL;
    for (int i = 0; i < type->nfield; i++)
        if (!strcmp(type->fields[i].name, dot + 1)) field = &type->fields[i];
    if (!field) return bad_field(a, key, type, dot + 1);
    solve_set *set = &c->set[c->nset];
    *set = (solve_set){type, {field->name, 0}};
    if (!read_value(field, d->value, &set->setting.value)) {
        char place[128];
        snprintf(place, sizeof place, "--set %s.%s", type->name, field->name);
        snprintf(found, sizeof found, "\"%s\"", cli_printable(safe, sizeof safe, d->value));
        allowed_value(field, allowed, sizeof allowed);
        return cli_mistake(a, place, found, allowed);
    }
    c->nset++;
    return CLI_OK;
}

int solve_choose(const cli_args *a, solve_choice *out) {
    *out = (solve_choice){0};
    const perp_definition *define;
    int n = cli_definitions(a, &define), code = choose_solvers(a, out);
    out->set = calloc((size_t)n + 1, sizeof *out->set);
    if (!code && !out->set) code = cli_refuse_say(a, CLI_MACHINE, "no memory for the settings");
    for (int i = 0; !code && i < n; i++) code = choose_setting(a, &define[i], out);
    return code;
}

void solve_choice_free(solve_choice *c) {
    free(c->set);
    *c = (solve_choice){0};
}

/* ---- the list ---- */

static void list_fields(const perp_solver_type *type) {
    for (int i = 0; i < type->nfield; i++) {
        const perp_field *f = &type->fields[i];
        char value[40];
        if (f->type == PERP_FIELD_BOOL)
            snprintf(value, sizeof value, "%s", f->value != 0 ? "true" : "false");
        else
            snprintf(value, sizeof value, "%.6g", f->value);
        printf("    %-16s %-8s %s\n", f->name, value, f->help);
    }
}

static void json_fields(json *j, const perp_solver_type *type) {
    static const char *const kind[] = {"whole", "number", "bool"};
    json_key(j, "settings");
    json_array(j);
    for (int i = 0; i < type->nfield; i++) {
        const perp_field *f = &type->fields[i];
        json_object(j);
        json_field_string(j, "name", f->name);
        json_field_string(j, "type", kind[f->type]);
        json_field_number(j, "default", f->value);
        json_field_number(j, "min", f->min);
        json_field_number(j, "max", f->max);
        json_field_string(j, "help", f->help);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void list_one(json *j, const perp_solver_type *type) {
    if (j) {
        json_object(j);
        json_field_string(j, "name", type->name);
        json_field_string(j, "source", type->source);
        json_key(j, "takes");
        json_array(j);
    } else {
        printf("%s%s%s: ", cli_style(stdout, "1"), type->name, cli_style(stdout, ""));
    }
    bool first = true;
    for (unsigned c = 1; c < PERP_CLASS_ALL; c <<= 1) {
        if (!(type->takes & c)) continue;
        if (j)
            json_string(j, perp_class_name((perp_class)c));
        else
            printf("%s%s", first ? "" : ", ", perp_class_name((perp_class)c));
        first = false;
    }
    if (j) {
        json_end(j, ']');
        json_fields(j, type);
        json_end(j, '}');
    } else {
        printf("\n  %s\n", type->source);
        list_fields(type);
    }
}

void solve_list(bool as_json) {
    json j;
    json_begin(&j, stdout);
    if (as_json) {
        json_object(&j);
        json_key(&j, "solvers");
        json_array(&j);
    }
    for (int i = 0; i < perp_solver_count(); i++) list_one(as_json ? &j : NULL, perp_solver_at(i));
    if (!as_json) return;
    json_end(&j, ']');
    json_end(&j, '}');
}
