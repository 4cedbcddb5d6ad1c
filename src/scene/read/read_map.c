/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_map.c - reads a map of a scene file into its struct by its table: allowed keys, required keys, types of values.
 *
 * A map may have layers: a body and its templates, a file and those it includes. The first layer that has a key wins.
 * Values are read in the order of the table, so what random functions draw does not depend on the order in which keys
 * are written. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

pp_item pp_item_at(const pp_got *g, size_t offset) {
    for (int i = 0; i < g->map->nkey; i++)
        if (g->map->key[i].offset == offset && g->item[i].node) return g->item[i];
    return (pp_item){NULL, 0};
}

const pp_key *pp_key_find(const pp_map *m, const char *name) {
    for (int i = 0; i < m->nkey; i++)
        if (!strcmp(m->key[i].name, name)) return &m->key[i];
    return NULL;
}

/* A key that is not in the table, or not for this form of the map. */
static perp_status unknown(pp_reader *r, const pp_map *m, pp_item key, int variant, bool template) {
    const char *words[PP_MAP_KEYS + 1];
    int n = 0;
    for (int i = 0; i < m->nkey; i++)
        if (pp_key_fits(&m->key[i], r->dim, variant) && !(template && m->key[i].own)) words[n++] = m->key[i].name;
    words[n] = NULL;
    char after[64] = "";
    const pp_key *known = pp_key_find(m, pp_text_of(key));
    if (known && r->dim && !pp_key_fits(known, r->dim, -1))
        (void)snprintf(after, sizeof after, ", which is for %s only", r->dim == 2 ? "3D" : "2D");
    else if (variant >= 0 && known)
        (void)snprintf(after, sizeof after, " with type: %s", m->variant[variant].name);
    else if (strchr(pp_text_of(key), ')')) /* the rest of f(a, b) */
        (void)snprintf(after, sizeof after, " (an expression with a comma must be in quotes here)");
    return pp_wrong_word_of(r, PERP_E_ARG, key, "the key", pp_text_of(key), after, words);
}

static bool is_key(const pp_key *k, const char *name, int dim, int variant) {
    return k->name[0] == name[0] && !strcmp(k->name, name) && pp_key_fits(k, dim, variant);
}

static int find(const pp_map *m, pp_item key, int dim, int variant) {
    const char *name = pp_text_of(key);
    uint8_t *hint = &key.tree->node[key.node].hint; /* the same when a map is read again */
    if (*hint < m->nkey && is_key(&m->key[*hint], name, dim, variant)) return *hint;
    for (int i = 0; i < m->nkey; i++)
        if (is_key(&m->key[i], name, dim, variant)) return *hint = (uint8_t)i;
    return -1;
}

static perp_status wrong_map(pp_reader *r, pp_item at, const pp_map *m) {
    char found[256], allowed[64];
    (void)snprintf(allowed, sizeof allowed, "a map: %s", m->name);
    return pp_wrong(r, at, pp_yaml_found(at.tree, at.node, found, sizeof found), allowed);
}

perp_status pp_check_keys(pp_reader *r, const pp_map *m, pp_item at, int variant, bool template) {
    if (!pp_is_map(at)) return wrong_map(r, at, m);
    for (pp_item key = pp_first(at); key.node; key = pp_next(pp_next(key))) {
        int i = find(m, key, r->dim, variant);
        if (i < 0 || (template && m->key[i].own) || strlen(pp_text_of(key)) != pp_at(key)->length)
            return unknown(r, m, key, variant, template);
    }
    return PERP_OK;
}

static perp_status read_tag(pp_reader *r, const pp_map *m, const pp_item *layer, int nlayer, int *variant) {
    pp_item tag = {NULL, 0};
    for (int i = 0; i < nlayer && !tag.node; i++)
        tag = (pp_item){layer[i].tree, pp_yaml_get(layer[i].tree, layer[i].node, "type")};
    const char *words[16];
    int n = 0;
    for (int i = 0; m->variant[i].name; i++)
        if (pp_variant_fits(&m->variant[i], r->dim)) words[n++] = m->variant[i].name;
    words[n] = NULL;
    if (!tag.node || !pp_is_scalar(tag) || pp_at(tag)->length == 0) {
        char found[256] = "no key `type`", allowed[256] = "";
        pp_writer t = {allowed, sizeof allowed, 0};
        for (int i = 0; i < n; i++) pp_write(&t, "%s%s", i ? ", " : tag.node ? "" : "type: ", words[i]);
        if (tag.node) pp_yaml_found(tag.tree, tag.node, found, sizeof found);
        if (tag.node) pp_push_key(r, "type");
        return pp_wrong(r, tag.node ? tag : layer[0], found, allowed);
    }
    for (int i = 0; m->variant[i].name; i++)
        if (!strcmp(m->variant[i].name, pp_text_of(tag)) && pp_variant_fits(&m->variant[i], r->dim)) {
            *variant = i;
            return PERP_OK;
        }
    pp_push_key(r, "type");
    if (!strcmp(pp_text_of(tag), PP_USER_TYPE))
        return pp_wrong(r, tag, "a function of the program that wrote this",
                        "what a file can hold; a recording of such a world goes on with perp_recorder_resume_world()");
    for (int i = 0; m->variant[i].name; i++)
        if (!strcmp(m->variant[i].name, pp_text_of(tag)))
            return pp_wrong_word(r, PERP_E_ARG, tag, r->dim == 2 ? "the 3D type" : "the 2D type", pp_text_of(tag),
                                 words);
    return pp_wrong_word(r, PERP_E_ARG, tag, NULL, pp_text_of(tag), words);
}

static void set_default(const pp_key *k, void *field) {
    switch (k->type) {
    case PP_T_NUMBER: *(double *)field = k->value; break;
    case PP_T_WHOLE: *(int64_t *)field = (int64_t)k->value; break;
    case PP_T_BOOL: *(bool *)field = k->value != 0; break;
    case PP_T_CHOICE: *(int *)field = (int)k->value; break;
    default: assert(false); /* a default in the table is for numbers, truth values and choices */
    }
}

static perp_status missing(pp_reader *r, const pp_key *k, pp_item map) {
    char found[96], allowed[512];
    (void)snprintf(found, sizeof found, "no key `%s`", k->name);
    return pp_wrong(r, map, found, pp_key_words(k, r->dim, allowed, sizeof allowed));
}

perp_status pp_read_map(pp_reader *r, const pp_map *m, const pp_item *layer, int nlayer, void *out) {
    pp_got *g = out;
    assert(m->nkey <= PP_MAP_KEYS);
    g->map = m;
    g->variant = -1;
    g->self = layer[0];
    for (int l = 0; l < nlayer; l++)
        if (!pp_is_map(layer[l])) return wrong_map(r, layer[l], m);
    if (m->variant) {
        perp_status s = read_tag(r, m, layer, nlayer, &g->variant);
        if (s) return s;
    }
    for (int l = 0; l < nlayer; l++)
        for (pp_item key = pp_first(layer[l]); key.node; key = pp_next(pp_next(key))) {
            int i = find(m, key, r->dim, g->variant);
            if (i < 0 || strlen(pp_text_of(key)) != pp_at(key)->length) return unknown(r, m, key, g->variant, false);
            if (g->item[i].node) continue;
            g->item[i] = pp_next(key);
            g->layer[i] = (uint8_t)l;
        }
    for (int i = 0; i < m->nkey; i++) {
        const pp_key *k = &m->key[i];
        if (!pp_key_fits(k, r->dim, g->variant)) continue;
        void *field = (char *)out + k->offset;
        if (g->item[i].node) {
            pp_push_key(r, k->name);
            perp_status s = pp_read_value(r, g->item[i], k, field);
            if (s) return s;
            pp_pop(r);
        } else if (k->required) {
            return missing(r, k, layer[0]);
        } else if (k->has_value) {
            set_default(k, field);
        }
    }
    return PERP_OK;
}
