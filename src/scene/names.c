/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* names.c - a table of names: open addressing over FNV hashes, texts in one block. Constant time for each name; about
 * 40 bytes and the
 * text per name. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "scene/scene_internal.h"

static uint32_t hash(const char *name) {
    uint64_t h = pp_hash(PP_HASH_START, name, strlen(name));
    return (uint32_t)(h ^ h >> 32);
}

bool pp_names_find(const pp_names *t, const char *name, uint32_t *id) {
    if (t->nslot == 0) return false;
    uint32_t h = hash(name), mask = (uint32_t)t->nslot - 1;
    for (uint32_t i = h & mask; t->slot[i]; i = (i + 1) & mask) {
        const struct pp_names_entry *e = &t->entry[t->slot[i] - 1];
        if (e->hash != h || strcmp(t->text + e->text, name) != 0) continue;
        if (id) *id = e->id;
        return true;
    }
    return false;
}

static void put(pp_names *t, uint32_t entry) {
    uint32_t mask = (uint32_t)t->nslot - 1, i = t->entry[entry].hash & mask;
    while (t->slot[i]) i = (i + 1) & mask;
    t->slot[i] = entry + 1;
}

bool pp_names_add(const perp_allocator *a, pp_names *t, const char *name, uint32_t id) {
    int length = (int)strlen(name) + 1;
    if (!PP_GROW(a, t->entry, t->cap, t->n, t->n + 1) || !PP_GROW(a, t->text, t->cap_text, t->ntext, t->ntext + length))
        return false;
    if (2 * (t->n + 1) > t->nslot) {
        int more = t->nslot ? 2 * t->nslot : 64;
        uint32_t *slot = pp_alloc(a, (size_t)more * sizeof *slot);
        if (!slot) return false;
        memset(slot, 0, (size_t)more * sizeof *slot);
        pp_free(a, t->slot);
        t->slot = slot;
        t->nslot = more;
        for (int i = 0; i < t->n; i++) put(t, (uint32_t)i);
    }
    memcpy(t->text + t->ntext, name, (size_t)length);
    t->entry[t->n] = (struct pp_names_entry){hash(name), (uint32_t)t->ntext, id};
    t->ntext += length;
    put(t, (uint32_t)t->n++);
    return true;
}

void pp_names_free(const perp_allocator *a, pp_names *t) {
    pp_free(a, t->entry);
    pp_free(a, t->slot);
    pp_free(a, t->text);
    memset(t, 0, sizeof *t);
}

perp_status pp_names_missing(pp_reader *r, const pp_names *t, pp_item at, const char *name, const char *what) {
    char wanted[100], found[128], allowed[256], shown[PP_NAME_MAX + 16];
    (void)snprintf(found, sizeof found, "\"%s\"", pp_printable(wanted, sizeof wanted, name, strlen(name)));
    pp_writer w = {allowed, sizeof allowed, 0};
    pp_write(&w, "the name of %s", what);
    const char **words = pp_alloc(r->alloc, ((size_t)t->n + 1) * sizeof *words);
    if (!words) return pp_no_memory(r);
    for (int i = 0; i < t->n; i++) words[i] = t->text + t->entry[i].text;
    words[t->n] = NULL;
    const char *near = pp_suggest(name, words);
    if (near) pp_write(&w, " (did you mean %s?)", pp_printable(shown, sizeof shown, near, strlen(near)));
    if (t->n == 0) pp_write(&w, " (there is none)");
    pp_free(r->alloc, words);
    return pp_wrong(r, at, found, allowed);
}
