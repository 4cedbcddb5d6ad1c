/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* complain.c - error reports of the scene reader: file and place, path of keys, what was found and what is allowed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

void pp_push_key(pp_reader *r, const char *key) {
    if (r->ncrumb < (int)(sizeof r->crumb / sizeof *r->crumb)) r->crumb[r->ncrumb] = (pp_path_step){key, 0};
    r->ncrumb++;
}

void pp_push_index(pp_reader *r, int index) {
    if (r->ncrumb < (int)(sizeof r->crumb / sizeof *r->crumb)) r->crumb[r->ncrumb] = (pp_path_step){NULL, index};
    r->ncrumb++;
}

void pp_pop(pp_reader *r) { r->ncrumb--; }

/* bodies[3].shapes[0].radius (i = 4) */
static void way(const pp_reader *r, char *out, size_t size) {
    pp_writer t = {out, size, 0};
    out[0] = 0;
    for (int i = 0; i < r->ncrumb && i < (int)(sizeof r->crumb / sizeof *r->crumb); i++) {
        if (r->crumb[i].key)
            pp_write(&t, "%s%s", i ? "." : "", r->crumb[i].key);
        else
            pp_write(&t, "[%d]", r->crumb[i].index);
    }
    for (int i = 0; i < r->nrepeat; i++) {
        int v = r->nvariable - r->nrepeat + i;
        pp_write(&t, "%s%s = %.0f%s", i ? ", " : " (", r->variable[v], r->value[v], i + 1 == r->nrepeat ? ")" : "");
    }
}

static pp_location place(pp_item at) {
    if (at.tree && at.node) return pp_yaml_place(at.tree, at.node);
    return (pp_location){at.tree ? at.tree->file : "", 0, 0};
}

perp_status pp_wrong(pp_reader *r, pp_item at, const char *found, const char *allowed) {
    char key[256];
    way(r, key, sizeof key);
    return pp_complain(r->why, PERP_E_ARG, place(at), key, found, allowed);
}

perp_status pp_wrong_say(pp_reader *r, perp_status s, pp_item at, const char *format, ...) {
    char key[256], words[1024];
    way(r, key, sizeof key);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return pp_complain_say(r->why, s, place(at), key, "%s", words);
}

/* Detects what YAML makes of c ? a : b, or of f(a, b), without quotes. NULL: neither; otherwise the text that needs quotes. */
static const char *torn(pp_item at) {
    if (pp_is_map(at) && pp_first(at).node && strchr(pp_text_of(pp_first(at)), '?')) return "with a colon";
    for (pp_item v = pp_is_list(at) ? pp_first(at) : (pp_item){NULL, 0}; v.node; v = pp_next(v))
        if (pp_is_scalar(v) && strchr(pp_text_of(v), '(') && !strchr(pp_text_of(v), ')')) return "with a comma";
    return NULL;
}

perp_status pp_wrong_kind(pp_reader *r, pp_item at, const pp_key *k) {
    char text[256], found[320], allowed[512];
    const char *why = torn(at);
    pp_yaml_found(at.tree, at.node, text, sizeof text);
    (void)snprintf(found, sizeof found, why ? "%s (an expression %s must be in quotes here)" : "%s", text, why);
    return pp_wrong(r, at, found, pp_key_words(k, r->dim, allowed, sizeof allowed));
}

perp_status pp_wrong_world(pp_reader *r, perp_status s, pp_item at) {
    if (s == PERP_E_MEMORY) return pp_no_memory(r);
    const char *words = perp_world_why(r->w), *colon = strstr(words, ": ");
    if (!strncmp(words, "perp_", 5) && colon) words = colon + 2; /* the name of a C function says nothing here */
    return pp_wrong_say(r, s, at, "%s", words);
}

perp_status pp_no_memory(pp_reader *r) {
    pp_location nowhere = {r->s && r->s->nfile ? r->s->file[0].path : "", 0, 0};
    return pp_complain_say(r->why, PERP_E_MEMORY, nowhere, NULL, "out of memory for the scene");
}

perp_status pp_wrong_word_of(pp_reader *r, perp_status s, pp_item at, const char *what, const char *written,
                             const char *after, const char *const *words) {
    char found[256], allowed[512], shown[96];
    const char *near = pp_synonym(written, words);
    if (!near) near = pp_suggest(written, words);
    pp_printable(shown, sizeof shown, written, strlen(written));
    (void)snprintf(found, sizeof found, what ? "%s `%s`%s" : "%s\"%s\"%s", what ? what : "", shown, after);
    char meant[128] = "";
    if (near) (void)snprintf(meant, sizeof meant, "; did you mean %s?", near);
    /* the list is cut where it would push out the suggestion */
    size_t room = sizeof allowed - strlen(meant) - 8;
    pp_writer t = {allowed, sizeof allowed, 0};
    allowed[0] = 0;
    for (int i = 0; words[i]; i++) {
        if (t.n + strlen(words[i]) + 2 > room) {
            pp_write(&t, ", ...");
            break;
        }
        pp_write(&t, "%s%s", i ? ", " : "", words[i]);
    }
    if (!words[0]) pp_write(&t, "none");
    pp_write(&t, "%s", meant);
    char key[256];
    way(r, key, sizeof key);
    return pp_complain(r->why, s, place(at), key, found, allowed);
}

perp_status pp_wrong_word(pp_reader *r, perp_status s, pp_item at, const char *what, const char *written,
                          const char *const *words) {
    return pp_wrong_word_of(r, s, at, what, written, "", words);
}

bool pp_split_words(char *words, const char **found, const char **allowed) {
    char *middle = strstr(words, "; allowed: ");
    if (strncmp(words, "found ", 6) != 0 || !middle) return false;
    *middle = 0;
    *found = words + 6;
    *allowed = middle + 11;
    return true;
}
