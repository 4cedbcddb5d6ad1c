/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* table.c - see table.h */
#include "study/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/functions.h"
#include "perp/statistic.h"

#define CONFIDENCE 0.95 /* of intervals that functions give */

void pp_table_init(pp_table *t, const pp_study *s) { *t = (pp_table){.study = s, .row_size = pp_row_size(s)}; }

void pp_table_free(pp_table *t) {
    if (t->study) pp_free(&t->study->alloc, t->row);
    *t = (pp_table){0};
}

static perp_status reserve(pp_table *t, uint64_t need, perp_refusal *why) {
    if (need <= t->cap) return PERP_OK;
    uint64_t cap = t->cap ? 2 * t->cap : 64;
    if (cap < need) cap = need;
    char *row = pp_alloc(&t->study->alloc, t->row_size * (size_t)cap);
    if (!row) return pp_study_no_memory(t->study, "", why);
    if (t->n) memcpy(row, t->row, t->row_size * (size_t)t->n);
    pp_free(&t->study->alloc, t->row);
    t->row = row;
    t->cap = cap;
    return PERP_OK;
}

perp_status pp_table_add(pp_table *t, const pp_row *row, perp_refusal *why) {
    perp_status st = reserve(t, t->n + 1, why);
    if (!st) memcpy(t->row + t->n++ * t->row_size, row, t->row_size);
    return st;
}

static int by_number(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x); /* the number is the first field of a row */
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

perp_status pp_table_load(pp_table *t, pp_study_file *const *f, int n, perp_refusal *why) {
    _Static_assert(offsetof(pp_row, number) == 0, "rows are sorted by their first field");
    perp_status st = PERP_OK;
    for (int i = 0; !st && i < n; i++) {
        uint64_t rows = pp_study_file_info(f[i])->rows;
        if (!pp_study_file_fits(f[i], t->study))
            return pp_complain(why, PERP_E_ARG, (pp_location){t->study->path, 0, 0}, "",
                               "results with other parameters or measures", "parts of one study");
        st = reserve(t, t->n + rows, why);
        if (!st && rows) st = pp_study_file_rows(f[i], 0, rows, true, t->row + t->n * t->row_size, why);
        if (!st) t->n += rows;
    }
    if (st || t->n == 0) return st;
    qsort(t->row, (size_t)t->n, t->row_size, by_number);
    uint64_t kept = 1;
    for (uint64_t i = 1; i < t->n; i++) {
        if (pp_table_row(t, i)->number == pp_table_row(t, kept - 1)->number) continue;
        if (kept != i) memcpy(t->row + kept * t->row_size, t->row + i * t->row_size, t->row_size);
        kept++;
    }
    t->n = kept;
    return PERP_OK;
}

/* ---- cells ---- */

void pp_cell_begin(pp_cell *c) { *c = (pp_cell){.smallest = NAN, .largest = NAN}; }

void pp_cell_add(pp_cell *c, const pp_row *row, double x) {
    if (!pp_row_measured(row)) {
        c->failed++;
        return;
    }
    c->trials++;
    if (isnan(x)) {
        c->missing++;
        return;
    }
    c->nonzero += x != 0;
    c->sum += x;
    c->square += x * x;
    if (!(c->smallest <= x)) c->smallest = x;
    if (!(c->largest >= x)) c->largest = x;
}

double pp_cell_fraction(const pp_cell *c) {
    uint64_t n = c->trials - c->missing;
    return n ? (double)c->nonzero / (double)n : NAN;
}

double pp_cell_mean(const pp_cell *c) {
    uint64_t n = c->trials - c->missing;
    return n ? c->sum / (double)n : NAN;
}

double pp_cell_deviation(const pp_cell *c) {
    double n = (double)(c->trials - c->missing), mean = c->sum / n;
    double v = n > 1 ? (c->square - n * mean * mean) / (n - 1) : NAN;
    return sqrt(v > 0 ? v : v <= 0 ? 0 : NAN);
}

/* ---- expressions over trials ---- */

enum {
    F_COUNT,
    F_FRACTION,
    F_TOTAL,
    F_MEAN,
    F_MEDIAN,
    F_DEVIATION,
    F_SMALLEST,
    F_LARGEST,
    F_LOWER,
    F_UPPER,
    F_QUANTILE,
    F_TRIALS,
    F_FAILED,
    F_N
};
static const char *const functions[F_N] = {"count",     "fraction", "total",   "mean",  "median",
                                           "deviation", "smallest", "largest", "lower", "upper",
                                           "quantile",  "trials",   "failed"};

enum { CONDITIONS = 32, OWN = 6 };
static const char *const own_names[OWN] = {"trial", "sample", "cell", "steps", "t_end", "outcome"};

struct pp_aggregate {
    const pp_study *study;
    uint32_t node;
    char key[160];
    pp_expr *x;
    struct {
        char *text;
        pp_expr *x;
    } condition[CONDITIONS]; /* compiled at its first use */
    int ncondition;
    int nname;             /* names that the caller gave; measures come after them */
    const pp_table *table; /* while it is evaluated */
};

/* Names that conditions know: parameters, measures, axes that are classes, names of classes, and a row's own. */
static int condition_names(const pp_study *s, const char **name) {
    int n = 0;
    for (int i = 0; i < s->nparameter; i++) name[n++] = s->parameter[i];
    for (int i = 0; i < s->nmeasure; i++) name[n++] = s->measure[i].name;
    for (int i = 0; i < OWN; i++) name[n++] = own_names[i];
    for (int a = 0; a < s->naxis; a++)
        if (s->axis[a].label) name[n++] = s->axis[a].name;
    for (int a = 0; a < s->naxis; a++)
        for (int i = 0; s->axis[a].label && i < s->axis[a].n && n < 2 * PP_STUDY_VARIABLES; i++)
            name[n++] = s->axis[a].label[i];
    return n;
}

static void condition_values(const pp_study *s, const pp_row *r, double *value) {
    int n = s->nparameter + s->nmeasure, index[PP_STUDY_NAMES];
    uint64_t cell = r->number % s->cells;
    memcpy(value, r->value, sizeof *value * (size_t)n);
    const double own[OWN] = {(double)r->number, (double)(r->number / s->cells), (double)cell, r->steps, r->t_end,
                             r->outcome};
    for (int i = 0; i < OWN; i++) value[n++] = own[i];
    pp_study_cell(s, cell, index);
    for (int a = 0; a < s->naxis; a++)
        if (s->axis[a].label) value[n++] = index[a];
    for (int a = 0; a < s->naxis; a++)
        for (int i = 0; s->axis[a].label && i < s->axis[a].n && n < 2 * PP_STUDY_VARIABLES; i++) value[n++] = i;
}

static pp_expr *condition(pp_aggregate *x, const char *text, char *why, size_t why_size) {
    for (int i = 0; i < x->ncondition; i++)
        if (!strcmp(x->condition[i].text, text)) return x->condition[i].x;
    if (x->ncondition == CONDITIONS) {
        (void)snprintf(why, why_size, "found more than %d conditions in one expression", CONDITIONS);
        return NULL;
    }
    const char *name[2 * PP_STUDY_VARIABLES];
    size_t where;
    pp_expr_names names = {.variable = name, .nvariable = condition_names(x->study, name)};
    pp_expr *c = pp_expr_compile(&x->study->alloc, text, strlen(text), &names, why, why_size, &where);
    char *copy = c ? pp_copy_text(&x->study->alloc, text) : NULL;
    if (!copy) {
        pp_expr_free(&x->study->alloc, c);
        return NULL;
    }
    x->condition[x->ncondition].text = copy;
    x->condition[x->ncondition++].x = c;
    return c;
}

typedef struct chosen {
    pp_cell cell;
    double *value; /* of trials that have one */
    uint64_t n;
} chosen;

/* The trials that a condition holds for; measure < 0: only counted. */
static bool choose(pp_aggregate *x, int measure, const char *text, chosen *c, char *why, size_t why_size) {
    const pp_table *t = x->table;
    const pp_study *s = x->study;
    pp_expr *when = NULL;
    double variable[2 * PP_STUDY_VARIABLES];
    if (text && !(when = condition(x, text, why, why_size))) return false;
    c->value = pp_alloc(&s->alloc, sizeof *c->value * (size_t)(t->n + 1));
    if (!c->value) {
        (void)snprintf(why, why_size, "not enough memory");
        return false;
    }
    pp_cell_begin(&c->cell);
    for (uint64_t i = 0; i < t->n; i++) {
        const pp_row *r = pp_table_row(t, i);
        double holds = 1, y = measure >= 0 ? r->value[measure] : 0;
        if (when) {
            condition_values(s, r, variable);
            if (!pp_expr_eval(when, variable, NULL, NULL, &holds, why, why_size)) return false;
        }
        if (holds == 0 || isnan(holds)) continue;
        pp_cell_add(&c->cell, r, y);
        if (pp_row_measured(r) && !isnan(y)) c->value[c->n++] = y;
    }
    return true;
}

static double conclude(int f, chosen *c, double part) {
    double lo = NAN, hi = NAN;
    uint64_t n = c->cell.trials - c->cell.missing;
    if (n && (f == F_LOWER || f == F_UPPER))
        (void)perp_wilson((int64_t)c->cell.nonzero, (int64_t)n, CONFIDENCE, &lo, &hi);
    switch (f) {
    case F_COUNT: return (double)c->cell.nonzero;
    case F_FRACTION: return pp_cell_fraction(&c->cell);
    case F_TOTAL: return c->cell.sum;
    case F_MEAN: return pp_cell_mean(&c->cell);
    case F_MEDIAN: return pp_quantile(c->value, c->n, 0.5);
    case F_DEVIATION: return pp_cell_deviation(&c->cell);
    case F_SMALLEST: return c->cell.smallest;
    case F_LARGEST: return c->cell.largest;
    case F_LOWER: return lo;
    case F_UPPER: return hi;
    case F_QUANTILE: return part >= 0 && part <= 1 ? pp_quantile(c->value, c->n, part) : NAN;
    case F_TRIALS: return (double)(c->cell.trials + c->cell.failed);
    case F_FAILED: return (double)c->cell.failed;
    default: return NAN;
    }
}

static bool call(void *ctx, int f, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    pp_aggregate *x = ctx;
    bool plain = f == F_TRIALS || f == F_FAILED, part = f == F_QUANTILE;
    int most = plain ? 1 : part ? 3 : 2, least = plain ? 0 : part ? 2 : 1;
    bool good = narg >= least && narg <= most;
    for (int i = 0; good && i < narg; i++) good = (arg[i].text != NULL) == !(part && i == 1);
    if (!good) {
        (void)snprintf(why, why_size, "found other arguments of %s; allowed: %s", functions[f],
                       plain  ? "() or (\"condition\")"
                       : part ? "(\"measure\", part) or (\"measure\", part, \"condition\")"
                              : "(\"measure\") or (\"measure\", \"condition\")");
        return false;
    }
    int measure = -1;
    if (!plain) { /* a measure, or a parameter */
        int m = pp_study_measure_find(x->study, arg[0].text);
        measure = m >= 0 ? x->study->nparameter + m : pp_study_parameter(x->study, arg[0].text);
        if (measure < 0) {
            (void)snprintf(why, why_size, "found \"%.60s\"; allowed: a measure of the study", arg[0].text);
            return false;
        }
    }
    const char *when = narg == most && (plain ? narg == 1 : true) ? arg[most - 1].text : NULL;
    chosen c = {.value = NULL};
    good = choose(x, measure, when, &c, why, why_size);
    if (good) *out = conclude(f, &c, part ? arg[1].number : NAN);
    pp_free(&x->study->alloc, c.value);
    return good;
}

perp_status pp_aggregate_new(const pp_study *s, uint32_t node, const char *key, const char *const *name, int nname,
                             pp_aggregate **out, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    *out = NULL;
    if (t->node[node].kind != PP_NODE_SCALAR || t->node[node].length == 0)
        return pp_field_refuse(t, node, key, "an expression over trials, such as fraction(\"success\")", why);
    pp_aggregate *x = pp_alloc(&s->alloc, sizeof *x);
    if (!x) return pp_study_no_memory(s, "", why);
    memset(x, 0, sizeof *x);
    x->study = s;
    x->node = node;
    x->nname = nname;
    (void)snprintf(x->key, sizeof x->key, "%s", key);
    const char *all[PP_STUDY_VARIABLES];
    int n = 0;
    for (int i = 0; i < nname && n < PP_STUDY_VARIABLES; i++) all[n++] = name[i];
    for (int i = 0; i < s->nmeasure && n < PP_STUDY_VARIABLES; i++) all[n++] = s->measure[i].name;
    pp_expr_names names = {
        .variable = all, .nvariable = n, .function = functions, .nfunction = F_N, .text_arguments = true};
    perp_status st = pp_study_compile(s, node, key, &names, &x->x, why);
    /* Evaluated once without trials, so that wrong names and conditions are reported before any trial runs. */
    double unused, value[PP_STUDY_VARIABLES] = {0};
    pp_table none;
    pp_table_init(&none, s);
    if (!st) st = pp_aggregate_eval(x, &none, value, &unused, why);
    if (st)
        pp_aggregate_free(x);
    else
        *out = x;
    return st;
}

void pp_aggregate_free(pp_aggregate *x) {
    if (!x) return;
    for (int i = 0; i < x->ncondition; i++) {
        pp_free(&x->study->alloc, x->condition[i].text);
        pp_expr_free(&x->study->alloc, x->condition[i].x);
    }
    pp_expr_free(&x->study->alloc, x->x);
    pp_free(&x->study->alloc, x);
}

static double mean_of(const pp_table *t, int measure) {
    pp_cell c;
    pp_cell_begin(&c);
    for (uint64_t i = 0; i < t->n; i++) {
        const pp_row *r = pp_table_row(t, i);
        pp_cell_add(&c, r, r->value[t->study->nparameter + measure]);
    }
    return pp_cell_mean(&c);
}

perp_status pp_aggregate_eval(pp_aggregate *x, const pp_table *t, const double *value, double *out, perp_refusal *why) {
    char words[1024];
    double all[PP_STUDY_VARIABLES] = {0};
    int n = x->nname;
    for (int i = 0; i < n && i < PP_STUDY_VARIABLES; i++) all[i] = value[i];
    for (int i = 0; i < x->study->nmeasure && n + i < PP_STUDY_VARIABLES; i++)
        if (pp_expr_uses(x->x, n + i)) all[n + i] = mean_of(t, i);
    x->table = t;
    bool good = pp_expr_eval(x->x, all, call, x, out, words, sizeof words);
    x->table = NULL;
    return good ? PERP_OK : pp_field_complain(&x->study->tree, x->node, 0, x->key, words, why);
}

const pp_row *pp_table_find(const pp_table *t, uint64_t number) {
    uint64_t lo = 0, hi = t->n;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        const pp_row *r = pp_table_row(t, mid);
        if (r->number == number) return r;
        if (r->number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}
