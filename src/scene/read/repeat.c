/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* repeat.c - an entry made many times, with a variable for each level of the nesting.
 *
 * repeat: n has the variable i; repeat: {i: n, j: m} is nested, the last fastest, and a count may use the variables
 * before it, so that {row: 10, k: 10 - row} is a triangle. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

#define MOST_TURNS (2 * PP_SCENE_BODIES) /* loops that make nothing count too */

typedef struct turns {
    pp_item entry;
    int list, position;
    pp_make make; /* NULL: only count the entries */
    void *ctx;
    pp_item count[PP_SCENE_REPEATS];
    int n;
    bool named;     /* the variables have names of their own */
    uint32_t scope; /* of the first count; the others follow, the entry's own is last */
    uint64_t done;  /* entries made */
    int64_t steps;  /* steps of all loops */
} turns;

static const pp_key count_key = {
    .name = "repeat", .type = PP_T_WHOLE, .ranged = true, .min = 0, .max = PP_SCENE_BODIES};

static perp_status level(pp_reader *r, turns *t, int k) {
    if (k == t->n) {
        pp_random_start(r, t->list, t->position, t->done++);
        return t->make(r, t->entry, t->ctx);
    }
    double n = 0;
    int base = r->nvariable - r->nrepeat, v = base + k, ncrumb = r->ncrumb;
    pp_push_key(r, "repeat");
    if (t->named) pp_push_key(r, r->variable[v]);
    r->may_random = false;
    int all = r->nvariable, repeats = r->nrepeat;
    r->nvariable = v; /* only the variables of the levels around */
    r->nrepeat = k;
    r->scope = t->scope + (uint32_t)k;
    perp_status s = pp_read_number(r, t->count[k], &count_key, &n);
    if (s) return s;
    r->ncrumb = ncrumb;
    r->nvariable = all;
    r->nrepeat = repeats;
    r->scope = t->scope + PP_SCENE_REPEATS;
    if (!t->make && k == t->n - 1) { /* an entry for each step of the innermost loop */
        t->steps += (int64_t)n;
        t->done += (uint64_t)n;
        return PERP_OK;
    }
    for (int64_t i = 0; i < (int64_t)n; i++) {
        if (++t->steps > MOST_TURNS) {
            pp_push_key(r, "repeat");
            return pp_wrong(r, t->count[0], "more than 2000000 repetitions", "fewer");
        }
        r->value[v] = (double)i;
        s = level(r, t, k + 1);
        if (s) return s;
    }
    r->value[v] = 0;
    return PERP_OK;
}

/* Counts the entries before the first is made: a scene with too many is refused at once. */
static perp_status count_entries(pp_reader *r, const turns *t, pp_item rep) {
    turns counted = *t;
    counted.make = NULL;
    perp_status s = level(r, &counted, 0);
    if (s || counted.done <= PP_SCENE_BODIES) return s;
    char found[64], allowed[64];
    (void)snprintf(found, sizeof found, "%llu repetitions", (unsigned long long)counted.done);
    (void)snprintf(allowed, sizeof allowed, "at most %d", PP_SCENE_BODIES);
    pp_push_key(r, "repeat");
    r->nrepeat = 0; /* the place is the whole entry, not one of its repetitions */
    return pp_wrong(r, rep, found, allowed);
}

static perp_status name_variable(pp_reader *r, pp_item key, int k) {
    const char *name = pp_text_of(key);
    bool good =
        strlen(name) == pp_at(key)->length && strlen(name) < PP_NAME_MAX && pp_name_good(name) && !strchr(name, '-');
    if (!good)
        return pp_wrong_word(r, PERP_E_ARG, key, "the variable", name,
                             (const char *const[]){"letters", "digits and _", NULL});
    bool taken = pp_reserved(name);
    for (int i = 0; i < r->nvariable - r->nrepeat; i++) taken |= !strcmp(r->variable[i], name);
    if (taken)
        return pp_wrong_say(r, PERP_E_ARG, key, "found the variable `%s`; allowed: a name that is not in use", name);
    memcpy(r->repeat_name[k].text, name, strlen(name) + 1);
    return PERP_OK;
}

perp_status pp_repeat(pp_reader *r, pp_item entry, int list, int position, pp_make make, void *ctx) {
    turns t = {.entry = entry, .list = list, .position = position, .make = make, .ctx = ctx};
    pp_item rep = {entry.tree, pp_is_map(entry) ? pp_yaml_get(entry.tree, entry.node, "repeat") : 0};
    perp_status s = PERP_OK;
    if (rep.node) {
        pp_push_key(r, "repeat");
        t.named = pp_is_map(rep);
        if (t.named) {
            const pp_key k = {.name = "repeat", .type = PP_T_REPEAT};
            if (pp_at(rep)->length < 1 || pp_at(rep)->length > PP_SCENE_REPEATS) return pp_wrong_kind(r, rep, &k);
            for (pp_item key = pp_first(rep); key.node; key = pp_next(pp_next(key))) {
                s = name_variable(r, key, t.n);
                if (s) return s;
                t.count[t.n++] = pp_next(key);
            }
        } else {
            for (int i = 0; i < r->nvariable; i++)
                if (!strcmp(r->variable[i], "i"))
                    return pp_wrong_say(r, PERP_E_ARG, rep,
                                        "found the variable `i`, which is also a parameter; allowed: {k: n} with a "
                                        "name that is not in use");
            strcpy(r->repeat_name[0].text, "i");
            t.count[t.n++] = rep;
        }
        pp_pop(r);
    }
    int base = r->nvariable;
    for (int k = 0; k < t.n; k++) {
        r->variable[base + k] = r->repeat_name[k].text;
        r->value[base + k] = 0;
    }
    r->nvariable = base + t.n;
    r->nrepeat = t.n;
    uint32_t scope = r->scope;
    if (t.n) {
        t.scope = r->scope_last + 1;
        r->scope_last += PP_SCENE_REPEATS + 1;
        r->scope = t.scope + PP_SCENE_REPEATS;
        s = count_entries(r, &t, rep);
        if (s) return s;
    }
    s = level(r, &t, 0);
    if (s) return s; /* the complaint has been made with the variables as they are */
    r->nvariable = base;
    r->nrepeat = 0;
    r->may_random = false;
    r->scope = scope;
    return PERP_OK;
}
