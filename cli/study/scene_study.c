/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_study.c - a study of a scene, written from the options of the command line. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "study/sweep.h"

typedef struct text {
    char *s;
    size_t n, cap;
    bool failed;
} text;

static void add(text *t, const char *format, ...) PERP_PRINTF(2, 3);
static void add(text *t, const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    if (n >= 0 && t->n + (size_t)n + 1 > t->cap) {
        size_t cap = 2 * (t->cap + (size_t)n + 64);
        char *more = realloc(t->s, cap);
        t->failed = t->failed || !more;
        if (more) t->s = more, t->cap = cap;
    }
    if (n >= 0 && !t->failed) t->n += (size_t)vsnprintf(t->s + t->n, t->cap - t->n, format, again);
    va_end(again);
    va_end(list);
}

/* In single quotes, as YAML has them. */
static void add_quoted(text *t, const char *s) {
    add(t, "'");
    for (; *s; s++) add(t, *s == '\'' ? "''" : *s == '\n' ? " " : "%c", *s);
    add(t, "'");
}

/* NAME=REST; false after a complaint. */
static bool split(const cli_args *a, const char *option, const char *given, char *name, size_t size,
                  const char **rest) {
    const char *equal = strchr(given, '=');
    size_t n = equal ? (size_t)(equal - given) : 0;
    if (!equal || n == 0 || n >= size || !equal[1]) {
        cli_mistake(a, option, given, "NAME=VALUES");
        return false;
    }
    memcpy(name, given, n);
    name[n] = 0;
    *rest = equal + 1;
    return true;
}

static bool add_vary(const cli_args *a, text *t, const char *given) {
    char name[80];
    const char *rest;
    if (!split(a, "--vary", given, name, sizeof name, &rest)) return false;
    const char *c1 = strchr(rest, ':'), *c2 = c1 ? strchr(c1 + 1, ':') : NULL;
    add(t, "  %s: ", name);
    if (c2)
        add(t, "{from: '%.*s', to: '%.*s', count: '%s'}\n", (int)(c1 - rest), rest, (int)(c2 - c1 - 1), c1 + 1, c2 + 1);
    else
        add(t, "[%s]\n", rest);
    return true;
}

int sweep_scene_study(const cli_args *a, const char *scene, char **out) {
    text t = {0};
    char name[80];
    const char *rest;
    bool ok = true;
    add(&t, "perp-study: 1\nscene: ");
    add_quoted(&t, scene);
    add(&t, "\n");
    if (cli_count(a, "vary")) add(&t, "vary:\n");
    for (int i = 0; ok && i < cli_count(a, "vary"); i++) ok = add_vary(a, &t, cli_nth(a, "vary", i));
    if (cli_count(a, "sample") || cli_given(a, "count")) add(&t, "sample:\n  count: %.0f\n", cli_number(a, "count", 1));
    for (int i = 0; ok && i < cli_count(a, "sample"); i++) {
        ok = split(a, "--sample", cli_nth(a, "sample", i), name, sizeof name, &rest);
        if (!ok) break;
        add(&t, "  %s: ", name);
        add_quoted(&t, rest);
        add(&t, "\n");
    }
    if (cli_given(a, "end")) {
        add(&t, "end: ");
        add_quoted(&t, cli_text(a, "end", ""));
        add(&t, "\n");
    }
    if (cli_count(a, "measure")) add(&t, "measure:\n");
    for (int i = 0; ok && i < cli_count(a, "measure"); i++) {
        ok = split(a, "--measure", cli_nth(a, "measure", i), name, sizeof name, &rest);
        if (!ok) break;
        add(&t, "  %s: ", name);
        add_quoted(&t, rest);
        add(&t, "\n");
    }
    if (!ok || t.failed) {
        free(t.s);
        return ok ? cli_refuse_say(a, CLI_MACHINE, "not enough memory") : CLI_BAD_INPUT;
    }
    *out = t.s;
    return CLI_OK;
}
