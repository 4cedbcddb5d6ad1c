/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* yaml_tree.c - looking into a tree: the value of a key, and words for what stands at a node. */
#include "input/input.h"
#include "input/text.h"

#include <stdio.h>
#include <string.h>

uint32_t pp_yaml_get(const pp_tree *t, uint32_t map, const char *key) {
    if (map == 0 || t->node[map].kind != PP_NODE_MAP) return 0;
    size_t length = strlen(key);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        const pp_node *n = &t->node[k];
        if (n->length == length && memcmp(t->text + n->text, key, length) == 0) return n->next;
    }
    return 0;
}

/* A number or a truth value as it would be written by hand. */
static bool bare(const char *text, size_t length) {
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) return true;
    size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');
    double unused;
    size_t n = pp_number_scan(text + sign, length - sign, &unused);
    return n > 0 && n + sign == length;
}

#define SHOWN 100u /* bytes of a text that are shown; more would hide the message */

static char *found_text(const char *text, size_t length, bool plain, char *out, size_t size) {
    if (plain && length == 0) return pp_printable(out, size, "nothing", 7);
    size_t room = size < SHOWN ? size : SHOWN;
    if (plain && bare(text, length)) return pp_printable(out, room, text, length);
    if (size < 8) return pp_printable(out, size, "a text", 6);
    out[0] = '"';
    (void)pp_printable(out + 1, room - 2, text, length);
    size_t n = strlen(out);
    out[n] = '"';
    out[n + 1] = 0;
    return out;
}

static char *found_map(const pp_tree *t, uint32_t map, char *out, size_t size) {
    uint32_t pairs = t->node[map].length, k = t->node[map].first;
    char words[4 * 48 + 64];
    (void)snprintf(words, sizeof words, "a map with the key%s ", pairs == 1 ? "" : "s");
    for (uint32_t i = 0; i < pairs && i < 4; i++, k = pp_yaml_next_key(t, k)) {
        size_t n = strlen(words);
        if (i > 0) {
            memcpy(words + n, ", ", 3);
            n += 2;
        }
        if (i == 3 && pairs > 4)
            (void)snprintf(words + n, sizeof words - n, "...");
        else
            (void)pp_printable(words + n, 46, pp_yaml_text(t, k), t->node[k].length);
    }
    return pp_printable(out, size, words, strlen(words));
}

char *pp_yaml_found(const pp_tree *t, uint32_t n, char *out, size_t size) {
    const pp_node *p = &t->node[n];
    if (size == 0) return out;
    if (n == 0) return pp_printable(out, size, "nothing", 7);
    if (p->kind == PP_NODE_SCALAR) return found_text(pp_yaml_text(t, n), p->length, p->plain, out, size);
    if (p->length == 0) {
        const char *words = p->kind == PP_NODE_MAP ? "an empty map" : "an empty list";
        return pp_printable(out, size, words, strlen(words));
    }
    if (p->kind == PP_NODE_MAP) return found_map(t, n, out, size);
    char words[32];
    (void)snprintf(words, sizeof words, "a list of %u", p->length);
    return pp_printable(out, size, words, strlen(words));
}
