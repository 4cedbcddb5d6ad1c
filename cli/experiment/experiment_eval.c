/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* experiment_eval.c - the numbers of an experiment: expressions with functions that look into recordings
 *
 * A text argument names a series over the frames of a run: "run: block.x", or an expression of series in braces,
 * "run: {block.x} - v0*t"; the run may be left out where there is only one. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "experiment/experiment.h"
#include "measure/formula.h"

/* ---- series ---- */

/* The one run that "sweep[conditions]" means. */
static bool find_in_sweep(const experiment *e, const exp_choice *c, int *run, char *why, size_t why_size) {
    const exp_sweep *s = &e->sweep[c->sweep];
    int n = 0;
    for (int i = 0; i < s->nrun; i++) {
        int fits = experiment_fits(e, s, i, c->where, e->self, why, why_size);
        if (fits < 0) return false;
        if (fits) *run = s->first + i;
        n += fits;
    }
    if (n != 1)
        snprintf(why, why_size, "found %d runs of %s[%.*s]; allowed: conditions that one run fits", n, s->name,
                 (int)c->where.n, c->where.s);
    return n == 1;
}

static bool no_such_run(const experiment *e, pp_span text, char *why, size_t why_size) {
    char list[300] = "";
    size_t at = 0;
    for (int i = 0; i < e->nrun && e->run[i].sweep < 0 && at + 80 < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", e->run[i].name);
    for (int i = 0; i < e->nsweep && at + 80 < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s[...]", at ? ", " : "", e->sweep[i].name);
    snprintf(why, why_size, "found \"%.*s\"; allowed: RUN: SERIES with the run one of %s", (int)text.n, text.s, list);
    return false;
}

/* Splits "run: rest". Only a plain name before the colon is a run, or "sweep[...]", so that c ? a : b is left alone. */
static bool find_run(const experiment *e, pp_span text, int *run, pp_span *rest, char *why, size_t why_size) {
    exp_choice c;
    *rest = pp_span_trimmed(text);
    if (experiment_choice(e, text.s, text.n, &c) && c.rest.n > 0 && *c.rest.s == ':') {
        *rest = pp_span_trimmed((pp_span){c.rest.s + 1, c.rest.n - 1});
        return find_in_sweep(e, &c, run, why, why_size);
    }
    const char *colon = memchr(text.s, ':', text.n);
    pp_span name = {text.s, colon ? (size_t)(colon - text.s) : 0};
    name = pp_span_trimmed(name);
    bool plain = name.n > 0;
    for (size_t i = 0; i < name.n; i++)
        plain = plain && (isalnum((unsigned char)name.s[i]) || name.s[i] == '_' || name.s[i] == '-');
    *run = e->self >= 0 ? e->self : 0;
    if (plain) {
        *rest = pp_span_trimmed((pp_span){colon + 1, text.n - (size_t)(colon + 1 - text.s)});
        for (int i = 0; i < e->nrun; i++)
            if (pp_span_is(name, e->run[i].name)) {
                *run = i;
                return true;
            }
    } else if (e->nrun == 1 || e->self >= 0) {
        return true;
    }
    return no_such_run(e, text, why, why_size);
}

typedef struct columns {
    double *of[PP_BRACES_MAX];
    int n;
} columns;

static bool evaluate_series(experiment *e, int run, pp_span text, int limit, double *out, char *why, size_t why_size);

static double *new_column(const exp_run *r) {
    return pp_alloc(&experiment_memory, sizeof(double) * (size_t)(r->frames ? r->frames : 1));
}

/* What stands in braces: a series of this run, or "run: series" of another, taken at the times of this one (none beyond
 * its ends). */
static bool read_column(experiment *e, int run, pp_span text, int limit, double *out, char *why, size_t why_size) {
    const exp_run *r = &e->run[run];
    int keep = e->self, other;
    pp_span rest;
    bool there = memchr(text.s, ':', text.n) != NULL;
    if (!there) return evaluate_series(e, run, text, limit, out, why, why_size);
    e->self = run;
    bool good = find_run(e, text, &other, &rest, why, why_size);
    e->self = keep;
    if (!good || other == run) return good && evaluate_series(e, run, rest, limit, out, why, why_size);
    const exp_run *o = &e->run[other];
    double *y = o->rec && o->frames ? new_column(o) : NULL;
    if (!y) {
        snprintf(why, why_size, "found run %s, which has nothing recorded; allowed: one that has", o->name);
        return false;
    }
    good = evaluate_series(e, other, rest, limit, y, why, why_size);
    const pp_samples there_y = {o->time, y, o->frames};
    for (uint64_t f = 0; good && f < r->frames; f++)
        if (!pp_value_at(&there_y, r->time[f], &out[f])) out[f] = NAN;
    pp_free(&experiment_memory, y);
    return good;
}

/* Reads what stands in braces into columns. */
static bool read_columns(experiment *e, int run, const pp_braces *braces, int limit, columns *c, char *why,
                         size_t why_size) {
    for (; c->n < braces->n; c->n++) {
        double *column = c->of[c->n] = new_column(&e->run[run]);
        if (!column) {
            snprintf(why, why_size, "not enough memory");
            return false;
        }
        if (!read_column(e, run, braces->name[c->n], limit, column, why, why_size)) {
            c->n++; /* to be freed */
            return false;
        }
    }
    return true;
}

/* An expression of series: variables are t, the columns, and the variables of the experiment. */
static bool combine(experiment *e, int run, const columns *c, const char *code, double *out, char *why,
                    size_t why_size) {
    const exp_run *r = &e->run[run];
    int n = 1 + c->n + e->nknown + r->nparameter;
    const char **name = pp_alloc(&experiment_memory, sizeof *name * (size_t)n);
    double *value = pp_alloc(&experiment_memory, sizeof *value * (size_t)n);
    pp_expr *x = NULL;
    bool good = name && value;
    if (!good) snprintf(why, why_size, "not enough memory");
    if (good) {
        size_t where = 0;
        name[0] = "t";
        for (int i = 0; i < c->n; i++) name[1 + i] = pp_braces_variable[i];
        for (int i = 0; i < e->nknown; i++) {
            name[1 + c->n + i] = e->known[i];
            value[1 + c->n + i] = e->known_value[i];
        }
        n = 1 + c->n + e->nknown;
        for (int i = 0; i < r->nparameter; i++) { /* those that other runs have otherwise */
            bool known = false;
            for (int k = 0; k < e->nknown; k++) known = known || !strcmp(e->known[k], r->parameter[i].name);
            if (known || !strcmp(r->parameter[i].name, "t")) continue;
            name[n] = r->parameter[i].name;
            value[n++] = r->parameter[i].value;
        }
        pp_expr_names names = {.variable = name, .nvariable = n, .function = pp_formula_functions, .nfunction = 1};
        x = pp_expr_compile(&experiment_memory, code, strlen(code), &names, why, why_size, &where);
        good = x != NULL;
    }
    for (uint64_t f = 0; good && f < r->frames; f++) {
        value[0] = r->time[f];
        for (int i = 0; i < c->n; i++) value[1 + i] = c->of[i][f];
        good = pp_expr_eval(x, value, pp_formula_call, NULL, &out[f], why, why_size);
    }
    if (x) pp_expr_free(&experiment_memory, x);
    pp_free(&experiment_memory, (void *)name);
    pp_free(&experiment_memory, value);
    return good;
}

/* @param limit only the first `limit` named series may be used, so that no series can refer to itself */
static bool evaluate_series(experiment *e, int run, pp_span text, int limit, double *out, char *why, size_t why_size) {
    const exp_run *r = &e->run[run];
    for (int i = 0; i < limit; i++)
        if (pp_span_is(text, e->series[i].name)) {
            uint32_t n = e->series[i].node;
            pp_span inner = {pp_yaml_text(&e->tree, n), e->tree.node[n].length};
            return evaluate_series(e, run, pp_span_trimmed(inner), i, out, why, why_size);
        }
    if (pp_is_formula(text)) {
        pp_braces braces;
        columns c = {.n = 0};
        bool good = pp_braces_out(text, &braces, why, why_size) &&
                    read_columns(e, run, &braces, limit, &c, why, why_size) &&
                    combine(e, run, &c, braces.code, out, why, why_size);
        for (int i = 0; i < c.n; i++) pp_free(&experiment_memory, c.of[i]);
        return good;
    }
    char name[256];
    perp_refusal refused;
    if (text.n >= sizeof name) {
        snprintf(why, why_size, "found the name of a series that is too long");
        return false;
    }
    memcpy(name, text.s, text.n);
    name[text.n] = 0;
    if (perp_recording_series(r->rec, name, out, &refused)) {
        snprintf(why, why_size, "%s", refused.text);
        return false;
    }
    return true;
}

/* ---- functions ---- */

static bool parameter(const exp_run *r, pp_span name, double *out, char *why, size_t why_size) {
    for (int i = 0; i < r->nparameter; i++)
        if (pp_span_is(name, r->parameter[i].name)) {
            *out = r->parameter[i].value;
            return true;
        }
    snprintf(why, why_size, "found \"%.*s\"; allowed: a parameter of %s", (int)name.n, name.s, r->scene);
    return false;
}

/* The measure of the runs that "sweep[conditions].measure" means. *n < 0: the text is none of these. */
static bool sweep_column(experiment *e, const char *text, double **out, int *n, char *why, size_t why_size) {
    exp_choice c;
    *out = NULL;
    *n = -1;
    if (!experiment_choice(e, text, strlen(text), &c) || c.rest.n < 2 || *c.rest.s != '.') return true;
    const exp_sweep *s = &e->sweep[c.sweep];
    pp_span name = pp_span_trimmed((pp_span){c.rest.s + 1, c.rest.n - 1});
    int m = experiment_find_measure(s, name.s, name.n);
    *out = pp_alloc(&experiment_memory, sizeof **out * (size_t)(s->nrun + 1));
    if (m < 0 || !*out) {
        snprintf(why, why_size, "found \"%.*s\"; allowed: a measure of %s", (int)name.n, name.s, s->name);
        return false;
    }
    *n = 0;
    for (int i = 0; i < s->nrun; i++) {
        int fits = experiment_fits(e, s, i, c.where, e->self, why, why_size);
        if (fits < 0) return false;
        if (fits && !e->run[s->first + i].skipped) (*out)[(*n)++] = s->result[i * s->nmeasure + m];
    }
    return true;
}

/* A function of the measures of several runs; times mean nothing here. */
static double over_sweep(pp_function f, double *x, int n, double second) {
    double *zero = pp_alloc(&experiment_memory, sizeof *zero * (size_t)(n + 1)), out = NAN;
    for (int i = 0; zero && i <= n; i++) zero[i] = 0;
    const pp_samples all = {zero, x, (uint64_t)n};
    if (f == PP_FN_QUANTILE)
        out = pp_quantile(x, (uint64_t)n, second);
    else if (zero && f >= PP_FN_LARGEST && f <= PP_FN_COUNT && f != PP_FN_INTEGRAL)
        out = pp_aggregate_range(f, &all, -1, 1);
    else if (n == 1 && (f == PP_FN_FIRST || f == PP_FN_LAST))
        out = x[0];
    pp_free(&experiment_memory, zero);
    return out;
}

static bool call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size);

/* sum("expression of k", from, to): the variables are those of the expression it stands in, and k. */
static bool call_sum(experiment *e, const pp_expr_arg *arg, double *out, char *why, size_t why_size) {
    const exp_scope *outer = e->scope;
    double from = 0, to = -1;
    if (!pp_sum_bounds(arg, &from, &to, why, why_size)) return false;
    const char **name = pp_alloc(&experiment_memory, sizeof *name * (size_t)(outer->n + 1));
    double *value = pp_alloc(&experiment_memory, sizeof *value * (size_t)(outer->n + 1));
    pp_expr *x = NULL;
    if (name && value) {
        for (int i = 0; i < outer->n; i++) name[1 + i] = outer->name[i], value[1 + i] = outer->value[i];
        name[0] = "k"; /* hides a variable of its name */
        const pp_expr_names names = {.variable = name,
                                     .nvariable = outer->n + 1,
                                     .function = pp_function_names,
                                     .nfunction = PP_FN_SUM,
                                     .text_arguments = true};
        size_t where;
        x = pp_expr_compile(&experiment_memory, arg[0].text, strlen(arg[0].text), &names, why, why_size, &where);
    } else {
        snprintf(why, why_size, "not enough memory");
    }
    *out = 0;
    bool good = x != NULL;
    for (double k = from; good && k <= to; k++) {
        double term = NAN;
        value[0] = k;
        good = pp_expr_eval(x, value, call, e, &term, why, why_size);
        *out += term;
    }
    if (x) pp_expr_free(&experiment_memory, x);
    pp_free(&experiment_memory, (void *)name);
    pp_free(&experiment_memory, value);
    return good;
}

/* A function of a series of one run. */
static bool call_series(experiment *e, pp_function f, const pp_expr_arg *arg, int narg, double *out, char *why,
                        size_t why_size) {
    int run;
    pp_span rest;
    if (!find_run(e, pp_span_of(arg[0].text), &run, &rest, why, why_size)) return false;
    const exp_run *r = &e->run[run];
    if (f == PP_FN_PARAMETER) return parameter(r, rest, out, why, why_size);
    if (r->skipped) {
        *out = NAN; /* runs with --long only */
        return true;
    }
    if (!r->rec || r->frames == 0) {
        snprintf(why, why_size, "found %s where nothing has run yet; allowed: parameter(\"...\")",
                 pp_function_names[f]);
        return false;
    }
    double *y = new_column(r), *room = f == PP_FN_QUANTILE ? new_column(r) : NULL;
    bool good = y && (room || f != PP_FN_QUANTILE);
    if (!good) snprintf(why, why_size, "not enough memory");
    good = good && evaluate_series(e, run, rest, e->nseries, y, why, why_size);
    const pp_samples s = {r->time, y, r->frames};
    if (good && !pp_function_apply(f, &s, arg, narg, room, out)) {
        snprintf(why, why_size, "found t = %g; allowed: %g to %g, the times of run %s", arg[1].number, r->time[0],
                 r->time[r->frames - 1], r->name);
        good = false;
    }
    pp_free(&experiment_memory, y);
    pp_free(&experiment_memory, room);
    return good;
}

static bool call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    experiment *e = ctx;
    pp_function f = (pp_function)i;
    if (!pp_function_fits(f, arg, narg, why, why_size)) return false;
    if (f == PP_FN_NORM) return pp_norm(arg, narg, out, why, why_size);
    if (f == PP_FN_ORDER) {
        *out = log2(fabs(arg[0].number / arg[1].number));
        return true;
    }
    if (f == PP_FN_SUM) return call_sum(e, arg, out, why, why_size);
    int many;
    double *column;
    bool found = sweep_column(e, arg[0].text, &column, &many, why, why_size);
    if (found && many >= 0) *out = over_sweep(f, column, many, narg > 1 ? arg[1].number : NAN);
    pp_free(&experiment_memory, column);
    if (!found || many >= 0) return found;
    return call_series(e, f, arg, narg, out, why, why_size);
}

/* ---- expressions of the file ---- */

static perp_status complain_at(const experiment *e, uint32_t node, size_t where, const char *key, const char *words,
                               perp_refusal *why) {
    pp_location p = pp_yaml_place(&e->tree, node);
    p.column += (int)where + (e->tree.node[node].plain ? 0 : 1);
    return pp_complain_say(why, PERP_E_ARG, p, key, "%s", words);
}

static perp_status compile(experiment *e, exp_expr *x, const char *key, perp_refusal *why) {
    if (!x->node || x->code) return PERP_OK;
    pp_expr_names names = {.variable = e->known,
                           .nvariable = e->nknown,
                           .function = pp_function_names,
                           .nfunction = PP_FN_N,
                           .text_arguments = true};
    char words[512];
    size_t where = 0;
    x->code = pp_expr_compile(&experiment_memory, pp_yaml_text(&e->tree, x->node), e->tree.node[x->node].length, &names,
                              words, sizeof words, &where);
    return x->code ? PERP_OK : complain_at(e, x->node, where, key, words, why);
}

static perp_status evaluate(experiment *e, const exp_expr *x, const char *key, double *out, perp_refusal *why) {
    char words[1024];
    const exp_scope known = {e->known, e->known_value, e->nknown};
    e->scope = &known;
    bool good = pp_expr_eval(x->code, e->known_value, call, e, out, words, sizeof words);
    e->scope = NULL;
    return good ? PERP_OK : complain_at(e, x->node, 0, key, words, why);
}

perp_status experiment_number(experiment *e, exp_expr *x, const char *key, double *out, perp_refusal *why) {
    perp_status s = compile(e, x, key, why);
    return s ? s : evaluate(e, x, key, out, why);
}

perp_status experiment_plain(const experiment *e, uint32_t node, const char *key, const exp_scope *variables,
                             double *out, perp_refusal *why) {
    char words[512], found[160];
    size_t where = 0;
    if (e->tree.node[node].kind != PP_NODE_SCALAR)
        return pp_complain(why, PERP_E_ARG, pp_yaml_place(&e->tree, node), key,
                           pp_yaml_found(&e->tree, node, found, sizeof found), "a number or an expression");
    pp_expr_names names = {.variable = variables->name, .nvariable = variables->n};
    pp_expr *x = pp_expr_compile(&experiment_memory, pp_yaml_text(&e->tree, node), e->tree.node[node].length, &names,
                                 words, sizeof words, &where);
    if (!x) return complain_at(e, node, where, key, words, why);
    bool good = pp_expr_eval(x, variables->value, NULL, NULL, out, words, sizeof words);
    pp_expr_free(&experiment_memory, x);
    return good ? PERP_OK : complain_at(e, node, 0, key, words, why);
}

perp_status experiment_series(experiment *e, uint32_t node, const char *key, double **out, int *run,
                              perp_refusal *why) {
    char words[1024];
    pp_span rest, text = {pp_yaml_text(&e->tree, node), e->tree.node[node].length};
    *out = NULL;
    if (!find_run(e, text, run, &rest, words, sizeof words)) return complain_at(e, node, 0, key, words, why);
    *out = new_column(&e->run[*run]);
    if (!*out) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){e->file, 0, 0}, key, "not enough memory");
    if (evaluate_series(e, *run, rest, e->nseries, *out, words, sizeof words)) return PERP_OK;
    pp_free(&experiment_memory, *out);
    *out = NULL;
    return complain_at(e, node, 0, key, words, why);
}

/* A value may use the parameters and the values before it; checks and plots may use all. */
perp_status experiment_compile(experiment *e, perp_refusal *why) {
    int shared = e->nknown;
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < e->nvalue; i++) {
        char key[128];
        snprintf(key, sizeof key, "values.%s", e->value[i].name);
        s = compile(e, &e->value[i].x, key, why);
        for (int k = 0; k < e->nknown; k++) /* a value hides a parameter of its name */
            if (!strcmp(e->known[k], e->value[i].name)) e->known[k] = k < shared ? "" : e->known[k];
        e->known[e->nknown] = e->value[i].name;
        e->known_value[e->nknown++] = NAN;
    }
    for (int i = 0; !s && i < e->ncheck; i++) {
        exp_check *c = &e->check[i];
        const struct {
            exp_expr *x;
            const char *name;
        } part[] = {{&c->value, "value"}, {&c->reference, "reference"}, {&c->limit, "limit"},
                    {&c->below, "below"}, {&c->above, "above"},         {&c->when, "if"}};
        for (int k = 0; !s && k < 6; k++) {
            char key[128];
            snprintf(key, sizeof key, "checks[%d].%s", i, part[k].name);
            s = compile(e, part[k].x, key, why);
        }
    }
    return s;
}

static perp_status evaluate_check(experiment *e, int i, perp_refusal *why) {
    exp_check *c = &e->check[i];
    char key[64];
    snprintf(key, sizeof key, "checks[%d]", i);
    double applies = 1;
    c->expected = c->error = NAN;
    perp_status s = c->when.node ? evaluate(e, &c->when, key, &applies, why) : PERP_OK;
    c->applies = applies != 0;
    if (!s && !c->applies) { /* then there may be nothing to measure */
        if (evaluate(e, &c->value, key, &c->got, NULL)) c->got = NAN;
        return PERP_OK;
    }
    if (!s) s = evaluate(e, &c->value, key, &c->got, why);
    if (!s && c->reference.node) s = evaluate(e, &c->reference, key, &c->expected, why);
    const exp_expr *bound = c->limit.node ? &c->limit : c->below.node ? &c->below : &c->above;
    if (!s) s = evaluate(e, bound, key, &c->bound, why);
    if (s) return s;
    c->error = c->got - c->expected;
    /* written so that NaN never passes */
    if (c->limit.node) c->ok = fabs(c->error) <= c->bound;
    if (c->below.node) c->ok = c->got <= c->bound;
    if (c->above.node) c->ok = c->got >= c->bound;
    return PERP_OK;
}

/* One measure of one run. Variables are those of all expressions, the parameters of the run, `failed` (the run ended early), `seconds` and
 * `processor_seconds` (time of the run) and the measures before it. In a run that ended early, a quantity that cannot be measured has no
 * value. */
static perp_status measure(experiment *e, const exp_sweep *s, int i, int k, perp_refusal *why) {
    const exp_run *r = &e->run[s->first + i];
    double *result = s->result + i * s->nmeasure;
    int room = e->nknown + r->nparameter + s->nmeasure + 3, n = 0;
    const char **name = pp_alloc(&experiment_memory, sizeof *name * (size_t)room);
    double *value = pp_alloc(&experiment_memory, sizeof *value * (size_t)room);
    char words[1024], key[200];
    size_t where = 0;
    perp_status st = PERP_OK;
    snprintf(key, sizeof key, "sweeps.%s.measure.%s", s->name, s->measure_of[k].name);
    if (!name || !value) {
        st = pp_complain_say(why, PERP_E_MEMORY, (pp_location){e->file, 0, 0}, key, "not enough memory");
    } else {
        for (int j = 0; j < k; j++) name[n] = s->measure_of[j].name, value[n++] = result[j];
        name[n] = "failed", value[n++] = r->ended_early;
        name[n] = "seconds", value[n++] = r->result.seconds - r->result.recording_seconds;
        name[n] = "processor_seconds", value[n++] = r->result.processor_seconds;
        for (int j = 0; j < r->nparameter; j++) name[n] = r->parameter[j].name, value[n++] = r->parameter[j].value;
        for (int j = 0; j < e->nknown; j++) name[n] = e->known[j], value[n++] = e->known_value[j];
        uint32_t node = s->measure_of[k].node;
        pp_expr_names names = {.variable = name,
                               .nvariable = n,
                               .function = pp_function_names,
                               .nfunction = PP_FN_N,
                               .text_arguments = true};
        const exp_scope scope = {name, value, n};
        pp_expr *x = pp_expr_compile(&experiment_memory, pp_yaml_text(&e->tree, node), e->tree.node[node].length,
                                     &names, words, sizeof words, &where);
        e->self = s->first + i;
        e->scope = &scope;
        if (!x || (!pp_expr_eval(x, value, call, e, &result[k], words, sizeof words) && !r->ended_early))
            st = complain_at(e, node, x ? 0 : where, key, words, why);
        e->self = -1;
        e->scope = NULL;
        if (x) pp_expr_free(&experiment_memory, x);
    }
    pp_free(&experiment_memory, (void *)name);
    pp_free(&experiment_memory, value);
    return st;
}

perp_status experiment_measures(experiment *e, perp_refusal *why) {
    perp_status st = PERP_OK;
    for (int k = 0; k < e->nsweep; k++) {
        const exp_sweep *s = &e->sweep[k];
        for (int i = 0; !st && i < s->nrun; i++)
            for (int m = 0; !st && m < s->nmeasure && !e->run[s->first + i].skipped; m++) st = measure(e, s, i, m, why);
    }
    return st;
}

static perp_status evaluate_values(experiment *e, perp_refusal *why) {
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < e->nvalue; i++) {
        char key[128];
        snprintf(key, sizeof key, "values.%s", e->value[i].name);
        s = evaluate(e, &e->value[i].x, key, &e->value[i].value, why);
        e->known_value[e->nknown - e->nvalue + i] = e->value[i].value;
    }
    return s;
}

/* Measures of sweeps may use values, and values may use measures. */
perp_status experiment_evaluate(experiment *e, bool *ok, perp_refusal *why) {
    *ok = true;
    perp_status s = evaluate_values(e, why);
    if (!s) s = experiment_measures(e, why);
    if (!s && e->nsweep > 0) s = evaluate_values(e, why);
    for (int i = 0; !s && i < e->ncheck; i++) {
        s = evaluate_check(e, i, why);
        if (!s && e->check[i].applies && !e->check[i].ok) *ok = false;
    }
    return s;
}
