/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* parameters.c - declared parameters: defaults, ranges, and values given from outside.
 *
 * The order is that of the first declaration, included files first; a file that declares a parameter of an included
 * file again changes only the keys it gives. Each default, and each value from outside, may use the parameters before
 * it. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

static bool good_name(const char *name) {
    if (!((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z') || name[0] == '_')) return false;
    for (const char *p = name; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_'))
            return false;
    return strlen(name) < PP_NAME_MAX;
}

static perp_status check_name(pp_reader *r, pp_item key) {
    const char *name = pp_text_of(key);
    bool good = strlen(name) == pp_at(key)->length && good_name(name);
    if (good && !pp_reserved(name)) return PERP_OK;
    char found[128], shown[96];
    (void)snprintf(found, sizeof found, "the parameter `%s`",
                   pp_printable(shown, sizeof shown, name, pp_at(key)->length));
    return pp_wrong(r, key, found,
                    good ? "a name that is not a constant or a function of expressions"
                         : "a name of letters, digits and _, not a digit first");
}

/* The value for a parameter from outside, or NULL; the last one counts. */
static const pp_definition *defined(const pp_reader *r, const char *name) {
    const pp_definition *d = NULL;
    for (int i = 0; i < r->ngiven; i++)
        if (!strcmp(r->given[i].name, name)) d = &r->given[i];
    return d;
}

static void range_words(const pp_declaration *in, char *out, size_t size) {
    bool lo = in->min > -INFINITY, hi = in->max < INFINITY;
    if (lo && hi)
        (void)snprintf(out, size, "a number from %.15g to %.15g", in->min, in->max);
    else if (lo)
        (void)snprintf(out, size, "a number >= %.15g", in->min);
    else if (hi)
        (void)snprintf(out, size, "a number <= %.15g", in->max);
    else
        (void)snprintf(out, size, "a finite number");
}

static pp_location outside(const pp_definition *d, char *shown, size_t size) {
    char number[PP_NUMBER_TEXT];
    if (!d->text) pp_number_text(d->number, number, sizeof number);
    (void)snprintf(shown, size, "-D %s=%s", d->name, d->text ? d->text : number);
    return (pp_location){shown, 0, 0};
}

/* The value of a definition, an expression of the parameters so far. */
static perp_status evaluate(pp_reader *r, const pp_definition *d, double *out) {
    char why[512], file[200];
    size_t where;
    pp_expr_names names = {.variable = r->variable, .nvariable = r->nvariable};
    char number[PP_NUMBER_TEXT];
    const char *text = d->text ? d->text : number;
    *out = d->number;
    if (!d->text && isfinite(d->number)) return PERP_OK;
    if (!d->text) pp_number_text(d->number, number, sizeof number); /* refused by its name */
    pp_expr *e = pp_expr_compile(r->alloc, text, strlen(text), &names, why, sizeof why, &where);
    if (!e && !strncmp(why, "no memory", 9)) return pp_no_memory(r);
    if (!e) {
        const char *what, *may;
        pp_location at = outside(d, file, sizeof file);
        if (!pp_split_words(why, &what, &may)) return pp_complain_say(r->why, PERP_E_ARG, at, NULL, "%s", why);
        return pp_complain(r->why, PERP_E_ARG, at, NULL, what, may);
    }
    (void)pp_expr_eval(e, r->value, NULL, NULL, out, why, sizeof why);
    pp_expr_free(r->alloc, e);
    return PERP_OK;
}

static perp_status check_range(pp_reader *r, const pp_definition *d, const pp_declaration *in, double x) {
    if (isfinite(x) && x >= in->min && x <= in->max) return PERP_OK;
    char file[200], allowed[128], found[128];
    range_words(in, allowed, sizeof allowed);
    (void)snprintf(found, sizeof found, "%.15g", x);
    return pp_complain(r->why, PERP_E_ARG, outside(d, file, sizeof file), NULL, found, allowed);
}

static perp_status keep(pp_reader *r, const char *name, const pp_declaration *in, double value) {
    perp_scene *s = r->s;
    if (!PP_GROW(r->alloc, s->parameter, s->cap_parameter, s->nparameter, s->nparameter + 1)) return pp_no_memory(r);
    perp_scene_parameter *p = &s->parameter[s->nparameter];
    if (r->kept)
        *p = r->kept[s->nparameter];
    else
        *p = (perp_scene_parameter){.name = pp_copy_text(r->alloc, name),
                                    .unit = pp_copy_text(r->alloc, in->unit ? in->unit : ""),
                                    .about = pp_copy_text(r->alloc, in->about ? in->about : "")};
    s->nparameter++;
    if (!p->name || !p->unit || !p->about) return pp_no_memory(r);
    p->value = value;
    p->initial = in->initial;
    p->min = in->min;
    p->max = in->max;
    r->variable[r->nvariable] = p->name;
    r->value[r->nvariable++] = value;
    pp_scope_changed(r);
    return PERP_OK;
}

static bool fixed(pp_item at) { return !at.node || pp_is_literal(at); }

/* Reads the nodes of one parameter in all files, the scene's own first. A short form stands for its default. */
static perp_status declare(pp_reader *r, pp_item key, const pp_item *layer, int nlayer, pp_declaration *out) {
    const char *name = pp_text_of(key);
    pp_item map[PP_SCENE_FILES], number = {NULL, 0};
    int nmap = 0;
    bool decided = false; /* which default holds */
    for (int i = 0; i < nlayer; i++) {
        pp_item v = {layer[i].tree, pp_yaml_get(layer[i].tree, layer[i].node, name)};
        if (!v.node) continue;
        if (!pp_is_map(v) && !decided) number = v;
        decided |= !pp_is_map(v) || pp_yaml_get(v.tree, v.node, "default") != 0;
        if (pp_is_map(v)) map[nmap++] = v;
    }
    perp_status s = check_name(r, key);
    if (s) return s;
    pp_push_key(r, name);
    pp_parameter_in in = {.min = -INFINITY, .max = INFINITY};
    pp_key keys[8]; /* with a short form, no map need have the default */
    pp_map relaxed = pp_map_parameter;
    assert(relaxed.nkey <= 8);
    memcpy(keys, relaxed.key, (size_t)relaxed.nkey * sizeof *keys);
    for (int i = 0; i < relaxed.nkey; i++) keys[i].required &= !number.node;
    relaxed.key = keys;
    in.got.map = &relaxed;
    if (nmap > 0) s = pp_read_map(r, &relaxed, map, nmap, &in);
    const pp_key *k = pp_key_find(&pp_map_parameter, "default");
    pp_item at = number.node ? number : PP_ITEM(&in, initial);
    if (!s && number.node) s = pp_read_number(r, number, k, &in.initial);
    if (s) return s;
    *out = (pp_declaration){in.initial, in.min,   in.max,
                            in.unit,    in.about, fixed(at) && fixed(PP_ITEM(&in, min)) && fixed(PP_ITEM(&in, max))};
    if (!(in.min <= in.max)) return pp_wrong(r, PP_ITEM(&in, min), "min above max", "min <= max");
    if (!(in.initial >= in.min && in.initial <= in.max)) {
        char found[64], allowed[128];
        range_words(out, allowed, sizeof allowed);
        (void)snprintf(found, sizeof found, "%.15g", in.initial);
        return pp_wrong(r, at, found, allowed);
    }
    pp_pop(r);
    return PERP_OK;
}

/* A parameter: its declaration, which is read again only if it depends on other parameters, and its value. */
static perp_status read_one(pp_reader *r, pp_item key, const pp_item *layer, int nlayer) {
    const char *name = pp_text_of(key);
    int i = r->nvariable;
    perp_status s = PERP_OK;
    if (!PP_GROW(r->alloc, r->declared, r->cap_declared, i, i + 1)) return pp_no_memory(r);
    pp_declaration *p = &r->declared[i];
    if (i >= r->ndeclared || !p->fixed) s = declare(r, key, layer, nlayer, p);
    if (s) return s;
    if (i >= r->ndeclared) r->ndeclared = i + 1;
    double value = p->initial;
    const pp_definition *d = defined(r, name);
    if (d) s = evaluate(r, d, &value);
    if (d && !s) s = check_range(r, d, p, value);
    return s ? s : keep(r, name, p, value);
}

static bool known(const pp_reader *r, const char *name) {
    for (int i = 0; i < r->nvariable; i++)
        if (!strcmp(r->variable[i], name)) return true;
    return false;
}

/* Every definition must be of a declared parameter. */
static perp_status check_definitions(pp_reader *r) {
    const char *words[PP_SCENE_PARAMETERS + 1];
    for (int i = 0; i < r->nvariable; i++) words[i] = r->variable[i];
    words[r->nvariable] = NULL;
    for (int i = 0; i < r->ngiven; i++) {
        const pp_definition *d = &r->given[i];
        if (known(r, d->name)) continue;
        perp_refusal told = {0}, *why = r->why;
        r->why = &told;
        perp_status s = pp_wrong_word(r, PERP_E_ARG, (pp_item){NULL, 0}, "the parameter", d->name, words);
        r->why = why;
        char file[200];
        return pp_complain(r->why, s, outside(d, file, sizeof file), NULL, told.found, told.allowed);
    }
    return PERP_OK;
}

perp_status pp_read_parameters(pp_reader *r, const pp_item *layer, int nlayer) {
    pp_push_key(r, "parameters");
    for (int l = nlayer - 1; l >= 0; l--) /* the files that were read first declare first */
        for (pp_item key = pp_first(layer[l]); key.node; key = pp_next(pp_next(key))) {
            if (known(r, pp_text_of(key))) continue;
            if (r->nvariable >= PP_SCENE_PARAMETERS)
                return pp_wrong(r, key, "one parameter more", "at most 200 parameters");
            perp_status s = read_one(r, key, layer, nlayer);
            if (s) return s;
        }
    pp_pop(r);
    return check_definitions(r);
}
