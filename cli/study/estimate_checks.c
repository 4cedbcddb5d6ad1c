/* estimate_checks.c - what the results of an estimate should be: value("mu"), sd("mu", "mpec"), chi2(), ... compared with
 * references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/estimation.h"

enum { F_VALUE, F_SD, F_SAMPLING, F_SCATTER, F_PREDICTED, F_LATE, F_COST, F_CHI2, F_DOF, F_SECONDS, F_OFF, F_N };
static const char *const functions[F_N] = {"value", "sd",   "sampling_sd", "scatter", "predicted", "late",
                                           "cost",  "chi2", "dof",         "seconds", "off"};

typedef struct check_in {
    const char *what, *unit, *published, *note;
    uint32_t value, reference, limit, below, above;
} check_in;
#define FIELD(field, kind, required) \
    { #field, offsetof(check_in, field), PP_FIELD_##kind, required }
static const pp_field fields[] = {
    FIELD(what, TEXT, true),   FIELD(unit, TEXT, false),       FIELD(published, TEXT, false), FIELD(note, TEXT, false),
    FIELD(value, EXPR, true),  FIELD(reference, EXPR, false),  FIELD(limit, EXPR, false),     FIELD(below, EXPR, false),
    FIELD(above, EXPR, false), {NULL, 0, PP_FIELD_TEXT, false}};

/* Mean over the second half of the rows. */
static double late(const estimation *s, const found *f, int k) {
    double sum = 0;
    int n = 0;
    for (int r = f->rows / 2; r < f->rows; r++) sum += f->mean[r * s->e.n + k], n++;
    return n ? sum / n : NAN;
}

static bool call(void *ctx, int f, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    const estimation *s = ctx;
    bool of_unknown = f < F_COST, of_quantity = f == F_OFF;
    int least = of_unknown || of_quantity, label = least, k = -1, m = 0;
    bool good = narg >= least && narg <= least + 1 && !(of_quantity && narg > 1);
    for (int i = 0; good && i < narg; i++) good = arg[i].text != NULL;
    if (!good) {
        snprintf(why, why_size, "found other arguments of %s; allowed: %s", functions[f],
                 of_quantity ? "(\"quantity\")"
                 : least     ? "(\"unknown\") or (\"unknown\", \"method\")"
                             : "() or (\"method\")");
        return false;
    }
    if (of_quantity) {
        for (int i = 0; i < s->e.nobserved && k < 0; i++)
            if (!strcmp(arg[0].text, s->e.observed[i].rotation ? s->e.observed[i].body : s->e.observed[i].column))
                k = i;
        *out = k >= 0 && s->checked ? s->check_mean[k] : NAN;
        return true;
    }
    for (int i = 0; of_unknown && i < s->e.n; i++)
        if (!strcmp(arg[0].text, s->e.study->parameter[s->e.unknown[i].parameter])) k = i;
    if (of_unknown && k < 0) {
        snprintf(why, why_size, "found \"%.60s\"; allowed: an unknown of the study", arg[0].text);
        return false;
    }
    while (narg > label && m < s->nmethod && strcmp(s->found[m].label, arg[label].text) &&
           strcmp(s->found[m].name, arg[label].text))
        m++;
    *out = NAN; /* of a method that was not asked for this time */
    if (m == s->nmethod) return true;
    const found *x = &s->found[m];
    const double value[F_N] = {[F_VALUE] = k < 0 ? 0 : x->x[k],
                               [F_SD] = k < 0 ? 0 : x->sd[k],
                               [F_SAMPLING] = k < 0 ? 0 : x->sampling_sd[k],
                               [F_SCATTER] = k < 0 ? 0 : x->scatter[k],
                               [F_PREDICTED] = k < 0 ? 0 : x->predicted[k],
                               [F_LATE] = k < 0 ? 0 : late(s, x, k),
                               [F_COST] = x->cost,
                               [F_CHI2] = x->chi2,
                               [F_DOF] = x->dof,
                               [F_SECONDS] = x->seconds};
    *out = value[f];
    return true;
}

static perp_status number(estimation *s, uint32_t node, const char *key, double *out, perp_refusal *why) {
    const pp_study *y = s->e.study;
    char words[512];
    size_t where = 0;
    pp_expr_names names = {.variable = y->parameter,
                           .nvariable = y->nparameter,
                           .function = functions,
                           .nfunction = F_N,
                           .text_arguments = true};
    pp_expr *x = pp_expr_compile(&y->alloc, pp_yaml_text(&y->tree, node), y->tree.node[node].length, &names, words,
                                 sizeof words, &where);
    if (!x) return pp_field_complain(&y->tree, node, where, key, words, why);
    bool good = pp_expr_eval(x, y->base, call, s, out, words, sizeof words);
    pp_expr_free(&y->alloc, x);
    return good ? PERP_OK : pp_field_complain(&y->tree, node, 0, key, words, why);
}

static perp_status check_one(estimation *s, uint32_t map, const char *key, FILE *to, json *j, bool *ok,
                             perp_refusal *why) {
    check_in in = {0};
    double got = NAN, expected = NAN, limit = NAN;
    perp_status st = pp_fields_read(&s->e.study->tree, map, key, fields, &in, why);
    int bounds = (in.limit != 0) + (in.below != 0) + (in.above != 0);
    if (!st && (bounds != 1 || (in.limit != 0) != (in.reference != 0)))
        st = pp_field_refuse(&s->e.study->tree, map, key, "one of: reference with limit, below, above", why);
    if (!st) st = number(s, in.value, key, &got, why);
    if (!st && in.reference) st = number(s, in.reference, key, &expected, why);
    if (!st) st = number(s, in.limit ? in.limit : in.below ? in.below : in.above, key, &limit, why);
    if (st) return st;
    bool good = in.limit ? fabs(got - expected) <= limit : in.below ? got <= limit : got >= limit;
    *ok = *ok && good;
    if (to) {
        char reference[40] = "";
        if (!isnan(expected)) snprintf(reference, sizeof reference, "%.9g", expected);
        fprintf(to, "  %-46.46s %14.9g %14s %s%-9.3g %s%s%s\n", in.what, got, reference,
                in.limit   ? "   "
                : in.below ? "<= "
                           : ">= ",
                limit, cli_style(to, good ? "32" : "31"), good ? "ok" : "missed", cli_style(to, ""));
    }
    if (j) {
        json_object(j);
        json_field_string(j, "what", in.what);
        json_field_number(j, "value", got);
        json_field_number(j, "reference", expected);
        json_field_number(j, "limit", limit);
        json_field_bool(j, "ok", good);
        json_end(j, '}');
    }
    return PERP_OK;
}

perp_status estimate_checks(estimation *s, FILE *to, json *j, bool *ok, perp_refusal *why) {
    const pp_tree *t = &s->e.study->tree;
    int n = 0;
    *ok = true;
    if (j) json_key(j, "checks"), json_array(j);
    if (s->e.checks && t->node[s->e.checks].kind != PP_NODE_LIST)
        return pp_field_refuse(t, s->e.checks, "estimate.checks", "a list", why);
    if (to && s->e.checks) fprintf(to, "\n  %-46s %14s %14s    %s\n", "check", "measured", "reference", "limit");
    perp_status st = PERP_OK;
    for (uint32_t v = s->e.checks ? t->node[s->e.checks].first : 0; !st && v; v = t->node[v].next) {
        char key[64];
        snprintf(key, sizeof key, "estimate.checks[%d]", n++);
        st = check_one(s, v, key, to, j, ok, why);
    }
    if (j) json_end(j, ']');
    return st;
}
