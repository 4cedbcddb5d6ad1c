/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scope.c - the numbers of a scene: literals, expressions of parameters and repeat variables, random numbers.
 *
 * Method   A literal is read at once. An expression is compiled and kept in a small cache by the place where it
 *          stands, so that the
 *          entries of a repeat compile each of theirs once; the cache holds as long as the names of the variables are
 *          the same.
 *          Random numbers come from a stream per entry and turn of its repeat (splitmix64, Steele, Lea and Flood
 *          2014), so adding an entry
 *          does not change the others' draws. Normal numbers: Box and Muller (1958), one per pair of draws. */
#include <stdio.h>
#include <string.h>

#include "input/text.h"
#include "scene/scene_internal.h"
#include "base/elementary.h"

static const char *const functions[] = {"uniform", "normal"};
enum { UNIFORM, NORMAL, NFUNCTION };

static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

void pp_random_start(pp_reader *r, int list, int position, uint64_t index) {
    uint64_t s = mix(r->seed + 0x9e3779b97f4a7c15ull);
    s = mix(s ^ ((uint64_t)list + 1) * 0xd1342543de82ef95ull);
    s = mix(s ^ ((uint64_t)position + 1) * 0xaf251af3b0f025b5ull);
    r->random = mix(s ^ (index + 1) * 0x9e6c63d0876a9a47ull);
    r->may_random = true;
}

/* In [0, 1). */
static double draw(pp_reader *r) {
    r->random += 0x9e3779b97f4a7c15ull;
    return (double)(mix(r->random) >> 11) * 0x1p-53;
}

double pp_random_uniform(pp_reader *r, double lo, double hi) { return lo + (hi - lo) * draw(r); }

static bool call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    pp_reader *r = ctx;
    if (!r->may_random) {
        (void)snprintf(why, why_size, "found the random function %s(); allowed: only in bodies, joints and forces",
                       functions[i]);
        return false;
    }
    if (narg != 2) {
        (void)snprintf(why, why_size, "found %d argument%s of %s(); allowed: 2", narg, narg == 1 ? "" : "s",
                       functions[i]);
        return false;
    }
    double a = arg[0].number, b = arg[1].number;
    if (i == UNIFORM && !(a <= b)) {
        (void)snprintf(why, why_size, "found uniform(%.6g, %.6g); allowed: the smaller number first", a, b);
        return false;
    }
    if (i != UNIFORM && !(b >= 0)) {
        (void)snprintf(why, why_size, "found normal(%.6g, %.6g); allowed: a deviation >= 0", a, b);
        return false;
    }
    if (i == UNIFORM) {
        *out = pp_random_uniform(r, a, b);
    } else {
        double u = 1 - draw(r), v = draw(r); /* u > 0 */
        *out = a + b * sqrt(-2 * pp_log(u)) * pp_cos(6.283185307179586476925 * v);
    }
    return true;
}

/* words: "found X; allowed: Y" of the language, or another sentence; where: byte of the text. */
static perp_status complain(pp_reader *r, pp_item at, char *words, size_t where) {
    if (!strncmp(words, "no memory", 9)) return pp_no_memory(r);
    pp_node node[2]; /* a tree of one node that stands further to the right: point into the expression */
    pp_tree tree;
    if (where > 0 && at.node && !memchr(pp_text_of(at), '\n', pp_at(at)->length)) {
        node[0] = node[1] = *pp_at(at);
        node[1].column += (uint32_t)where + (node[1].plain ? 0 : 1);
        tree = *at.tree;
        tree.node = node;
        at = (pp_item){&tree, 1};
    }
    const char *found, *allowed;
    if (!pp_split_words(words, &found, &allowed)) return pp_wrong_say(r, PERP_E_ARG, at, "%s", words);
    return pp_wrong(r, at, found, allowed);
}

static pp_expr_names names_of(const pp_reader *r) {
    return (pp_expr_names){
        .variable = r->variable, .nvariable = r->nvariable, .function = functions, .nfunction = NFUNCTION};
}

/* A number without an operator: true. */
static bool literal(const char *text, size_t length, double *out) {
    size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');
    double x;
    size_t n = pp_number_scan(text + sign, length - sign, &x);
    if (n == 0 || n + sign != length || !isfinite(x)) return false;
    *out = text[0] == '-' ? -x : x;
    return true;
}

bool pp_is_literal(pp_item at) {
    double x;
    return pp_is_scalar(at) && literal(pp_text_of(at), pp_at(at)->length, &x);
}

perp_status pp_evaluate(pp_reader *r, pp_item at, double *out) {
    const char *text = pp_text_of(at);
    size_t length = pp_at(at)->length, where = 0;
    if (literal(text, length, out)) return PERP_OK;
    pp_cached *c = &r->cache[(at.node ^ (uint32_t)((uintptr_t)at.tree >> 6)) & (PP_SCENE_CACHE - 1)];
    char why[512] = "";
    if (c->tree != at.tree || c->node != at.node || c->scope != r->scope || !c->x) {
        pp_expr_free(r->alloc, c->x);
        pp_expr_names names = names_of(r);
        c->x = pp_expr_compile(r->alloc, text, length, &names, why, sizeof why, &where);
        if (!c->x) return complain(r, at, why, where);
        c->tree = at.tree;
        c->node = at.node;
        c->scope = r->scope;
    }
    if (!pp_expr_eval(c->x, r->value, call, r, out, why, sizeof why)) return complain(r, at, why, 0);
    return PERP_OK;
}

perp_status pp_evaluate_text(pp_reader *r, pp_item at, const char *text, size_t length, double *out) {
    char why[512] = "";
    size_t where = 0;
    if (literal(text, length, out)) return PERP_OK;
    pp_expr_names names = names_of(r);
    pp_expr *x = pp_expr_compile(r->alloc, text, length, &names, why, sizeof why, &where);
    if (!x) return complain(r, at, why, at.node ? (size_t)(text - pp_text_of(at)) + where : 0);
    bool ok = pp_expr_eval(x, r->value, call, r, out, why, sizeof why);
    pp_expr_free(r->alloc, x);
    return ok ? PERP_OK : complain(r, at, why, 0);
}

perp_status pp_compile(pp_reader *r, pp_item at, const char *const *dynamic, pp_expr **out) {
    const char *all[PP_SCENE_DYNAMIC + PP_SCENE_VARIABLES];
    int n = 0;
    while (dynamic[n]) {
        all[n] = dynamic[n];
        n++;
    }
    int ndynamic = n;
    for (int i = 0; i < r->nvariable; i++) all[n++] = r->variable[i];
    pp_expr_names names = {.variable = all, .nvariable = n};
    char why[512] = "";
    size_t where = 0;
    pp_expr *x = pp_expr_compile(r->alloc, pp_text_of(at), pp_at(at)->length, &names, why, sizeof why, &where);
    if (!x) return complain(r, at, why, where);
    for (int i = 0; i < ndynamic; i++)
        for (int k = ndynamic; k < n; k++)
            if (pp_expr_uses(x, i) && !strcmp(all[i], all[k])) {
                pp_expr_free(r->alloc, x);
                return pp_wrong_say(
                    r, PERP_E_ARG, at,
                    "found the name %s, which here is a quantity that changes with time, and also a parameter "
                    "or repeat variable; allowed: another name for the latter",
                    all[i]);
            }
    *out = x;
    return PERP_OK;
}

void pp_scope_changed(pp_reader *r) { r->scope = ++r->scope_last; }

void pp_scope_free(pp_reader *r) {
    for (int i = 0; i < PP_SCENE_CACHE; i++) pp_expr_free(r->alloc, r->cache[i].x);
}

bool pp_reserved(const char *name) {
    for (int i = 0; i < NFUNCTION; i++)
        if (!strcmp(functions[i], name)) return true;
    return pp_expr_word(name);
}
