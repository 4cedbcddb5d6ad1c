/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* experiment_sweep.c - sweeps: a scene run for every combination of some variables, and choosing among these runs */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "measure/functions.h"

enum { RUNS_MAX = 500 };

const char *const experiment_takes[] = {"largest", "smallest", "mean", "median", "total", "quartiles", NULL};

static bool same(const char *name, const char *s, size_t n) { return strlen(name) == n && !memcmp(name, s, n); }

int experiment_find_sweep(const experiment *e, const char *name, size_t length) {
    for (int i = 0; i < e->nsweep; i++)
        if (same(e->sweep[i].name, name, length)) return i;
    return -1;
}

int experiment_find_axis(const exp_sweep *s, const char *name, size_t length) {
    for (int i = 0; i < s->naxis; i++)
        if (same(s->axis[i].name, name, length)) return i;
    return -1;
}

int experiment_find_measure(const exp_sweep *s, const char *name, size_t length) {
    for (int i = 0; i < s->nmeasure; i++)
        if (same(s->measure_of[i].name, name, length)) return i;
    return -1;
}

/* ---- making runs ---- */

static perp_status no_memory(const experiment *e, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){e->file, 0, 0}, "", "not enough memory");
}

static const char **word_slot(exp_instead *x, const char *axis) {
    for (int i = 0; override_name(i); i++)
        if (!strcmp(axis, override_name(i))) return override_value(x, i);
    return NULL;
}

static perp_status read_axes(experiment *e, exp_sweep *s, perp_refusal *why) {
    const pp_tree *t = &e->tree;
    char path[200], found[160];
    s->nrun = 1;
    for (uint32_t k = t->node[s->over].first; k; k = t->node[t->node[k].next].next) {
        uint32_t v = t->node[k].next;
        snprintf(path, sizeof path, "sweeps.%s.over.%s", s->name, pp_yaml_text(t, k));
        if (s->naxis == EXPERIMENT_AXES)
            return pp_complain(why, PERP_E_ARG, pp_yaml_place(t, k), path, "a seventh variable", "at most 6");
        bool plain = t->node[v].kind == PP_NODE_LIST && t->node[v].length > 0;
        for (uint32_t i = plain ? t->node[v].first : 0; i; i = t->node[i].next)
            plain = plain && t->node[i].kind == PP_NODE_SCALAR && t->node[i].length > 0;
        if (!plain)
            return pp_complain(why, PERP_E_ARG, pp_yaml_place(t, v), path, pp_yaml_found(t, v, found, sizeof found),
                               "a list of numbers or words");
        exp_instead words = {0};
        exp_axis *a = &s->axis[s->naxis++];
        *a = (exp_axis){pp_yaml_text(t, k), v, (int)t->node[v].length, word_slot(&words, pp_yaml_text(t, k)) != NULL};
        s->nrun *= a->n;
        if (s->nrun > RUNS_MAX)
            return pp_complain(why, PERP_E_ARG, pp_yaml_place(t, k), path, "more than 500 runs of a sweep", "fewer");
    }
    return PERP_OK;
}

/* Run i of the sweep: its values, and the words among them. */
static void place_run(const experiment *e, const exp_sweep *s, int i, exp_run *r) {
    const pp_tree *t = &e->tree;
    int rest = i;
    *r = (exp_run){.name = s->run_name[i],
                   .label = s->run_name[i],
                   .scene = s->scene ? s->scene : "scene.yaml",
                   .set = s->set,
                   .instead = s->instead,
                   .only_long = s->only_long,
                   .may_fail = s->may_fail,
                   .sweep = (int)(s - e->sweep),
                   .first = i};
    for (int a = s->naxis - 1; a >= 0; a--) {
        uint32_t v = t->node[s->axis[a].list].first;
        for (int k = rest % s->axis[a].n; k > 0; k--) v = t->node[v].next;
        rest /= s->axis[a].n;
        r->axis_text[a] = pp_yaml_text(t, v);
        r->axis_value[a] = NAN;
        if (s->axis[a].word) *word_slot(&r->instead, s->axis[a].name) = r->axis_text[a];
    }
}

perp_status experiment_sweep_runs(experiment *e, perp_refusal *why) {
    for (int k = 0; k < e->nsweep; k++) {
        exp_sweep *s = &e->sweep[k];
        perp_status st = read_axes(e, s, why);
        if (st) return st;
        s->first = e->nrun;
        s->run_name = pp_alloc(&experiment_memory, sizeof *s->run_name * (size_t)s->nrun);
        s->result = pp_alloc(&experiment_memory, sizeof *s->result * (size_t)(s->nrun * s->nmeasure + 1));
        if (!s->run_name || !s->result || !PP_GROW(&experiment_memory, e->run, e->cap_run, e->nrun, e->nrun + s->nrun))
            return no_memory(e, why);
        for (int i = 0; i < s->nrun * s->nmeasure; i++) s->result[i] = NAN;
        for (int i = 0; i < s->nrun; i++) {
            snprintf(s->run_name[i], sizeof s->run_name[i], "%.48s-%d", s->name, i);
            place_run(e, s, i, &e->run[e->nrun++]);
        }
    }
    return PERP_OK;
}

/* ---- choosing ---- */

static void trim(const char **s, size_t *n) {
    while (*n > 0 && isspace((unsigned char)**s)) ++*s, --*n;
    while (*n > 0 && isspace((unsigned char)(*s)[*n - 1])) --*n;
}

bool experiment_choice(const experiment *e, const char *text, size_t length, exp_choice *out) {
    trim(&text, &length);
    size_t n = 0;
    while (n < length && (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')) n++;
    *out = (exp_choice){
        .sweep = experiment_find_sweep(e, text, n), .where = {text + n, 0}, .rest = {text + n, length - n}};
    if (out->sweep < 0) return false;
    out->rest = pp_span_trimmed(out->rest);
    if (out->rest.n == 0 || *out->rest.s != '[') return true;
    const char *end = memchr(out->rest.s, ']', out->rest.n);
    if (!end) return false;
    out->where = (pp_span){out->rest.s + 1, (size_t)(end - out->rest.s) - 1};
    out->rest = pp_span_trimmed((pp_span){end + 1, out->rest.n - (size_t)(end + 1 - out->rest.s)});
    return true;
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); }

/* One condition: NAME, NAME=VALUE, NAME<=VALUE, NAME>=VALUE. */
static int fits_one(const experiment *e, const exp_sweep *s, int i, pp_span condition, int self, char *why,
                    size_t why_size) {
    const char *text = condition.s;
    size_t n = condition.n, name = 0;
    while (name < n && (isalnum((unsigned char)text[name]) || text[name] == '_')) name++;
    int a = experiment_find_axis(s, text, name);
    const char *rest = text + name;
    size_t nrest = n - name;
    trim(&rest, &nrest);
    char sign = nrest > 0 ? *rest : 0;
    size_t skip = sign == '=' ? 1 : (sign == '<' || sign == '>') && nrest > 1 && rest[1] == '=' ? 2 : 0;
    if (a < 0 || (nrest > 0 && !skip)) {
        snprintf(why, why_size, "found \"%.*s\"; allowed: conditions on variables of %s: NAME=VALUE, <=, >=, or NAME",
                 (int)n, text, s->name);
        return -1;
    }
    const exp_run *r = &e->run[s->first + i];
    if (nrest == 0) {
        const exp_run *mine = self >= 0 ? &e->run[self] : NULL;
        const exp_sweep *from = mine && mine->sweep >= 0 ? &e->sweep[mine->sweep] : NULL;
        int b = from ? experiment_find_axis(from, text, name) : -1;
        if (b < 0) {
            snprintf(why, why_size, "found \"%.*s\" but this run has no such variable; allowed: NAME=VALUE", (int)n,
                     text);
            return -1;
        }
        return s->axis[a].word ? !strcmp(r->axis_text[a], mine->axis_text[b])
                               : near(r->axis_value[a], mine->axis_value[b]);
    }
    rest += skip;
    nrest -= skip;
    trim(&rest, &nrest);
    if (s->axis[a].word) return sign == '=' && same(r->axis_text[a], rest, nrest);
    char number[64], *end;
    snprintf(number, sizeof number, "%.*s", (int)(nrest < 60 ? nrest : 60), rest);
    double x = strtod(number, &end), y = r->axis_value[a];
    if (end == number || *end) {
        snprintf(why, why_size, "found \"%s\"; allowed: a number", number);
        return -1;
    }
    return near(x, y) || (sign == '<' && y < x) || (sign == '>' && y > x);
}

int experiment_fits(const experiment *e, const exp_sweep *s, int i, pp_span conditions, int self, char *why,
                    size_t why_size) {
    pp_span left = pp_span_trimmed(conditions);
    while (left.n > 0) {
        const char *comma = memchr(left.s, ',', left.n);
        pp_span one = {left.s, comma ? (size_t)(comma - left.s) : left.n};
        size_t used = comma ? one.n + 1 : one.n;
        left = (pp_span){left.s + used, left.n - used};
        int fits = fits_one(e, s, i, pp_span_trimmed(one), self, why, why_size);
        if (fits != 1) return fits;
    }
    return 1;
}

/* ---- taking one number of many ---- */

double experiment_take(const char *how, double *x, int n, int *missing) {
    int m = 0;
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(x[i])) x[m++] = x[i];
    if (missing) *missing = n - m;
    if (m == 0) return NAN;
    for (int i = 0; i < m; i++) sum += x[i];
    if (how && !strcmp(how, "mean")) return sum / m;
    if (how && !strcmp(how, "total")) return sum;
    if (how && (!strcmp(how, "median") || !strcmp(how, "quartiles"))) return pp_quantile(x, (uint64_t)m, 0.5);
    return pp_quantile(x, (uint64_t)m, how && !strcmp(how, "smallest") ? 0 : 1);
}
