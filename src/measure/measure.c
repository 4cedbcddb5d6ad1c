/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure.c - see measure.h
 * Method   every text argument is worked out at compilation: a plain series becomes its number in the trace, an
 *          expression of series or of k a program of its own. At evaluation the functions find what their text means by
 *          the pointer of the text. The values of an expression of series are kept for the other uses of the same text
 *          in that evaluation, unless it depends on the k of a sum.
 * Cost     one pass over the frames for each expression of series, and one for each function of a series. */
#include "measure/measure.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/measure_compile.h"
#include "base/elementary.h"

enum { NOWN = 3 }; /* failed, steps, t_end */
static const char *const own_name[NOWN] = {"failed", "steps", "t_end"};

/* What a text argument means. */
typedef struct meaning {
    const char *text; /* the pointer with which its function is called */
    enum { PLAIN, FORMULA, TERM, VARIABLE } kind;
    int number;           /* PLAIN: of the series; VARIABLE: of the value */
    pp_formula_code code; /* FORMULA; TERM: only x */
    int nknown;           /* values before it */
    bool within_sum;
    bool uses_k;     /* FORMULA: changes from term to term */
    double *column;  /* FORMULA: at all frames */
    int cap_column;  /* room of it */
    uint64_t filled; /* evaluation for which column was worked out */
} meaning;

typedef struct program {
    pp_expr *x;
    pp_location place;
    char *key, *file;
} program;

struct pp_measures {
    perp_allocator alloc;
    program *program;
    int n;
    meaning *text;
    int ntext, cap_text;
    int ncaller;
    /* values: of the caller, own, measures. The same again with room for k; for expressions of series with t and the
     * series before them */
    double *value, *inner, *row;
    double *room; /* for quantiles */
    int cap_room;
    double k; /* of the sum that is being worked out */
    uint64_t evaluation;
    const pp_trace *trace; /* of the evaluation */
};

/* ---- compiling ---- */

typedef struct compiling {
    pp_measures *m;
    pp_trace *trace;
    const char **name; /* of all values */
    char words[1024];
} compiling;

static bool resolve(compiling *c, const pp_expr *x, int nknown, bool within_sum);

static bool no_memory(compiling *c) {
    snprintf(c->words, sizeof c->words, "no memory");
    return false;
}

static bool find_variable(compiling *c, const char *name, int *number) {
    for (int i = 0; i < c->m->ncaller; i++)
        if (!strcmp(c->name[i], name)) {
            *number = i;
            return true;
        }
    snprintf(c->words, sizeof c->words, "found parameter(\"%.100s\"); allowed: a parameter of the scene", name);
    return false;
}

/* The terms of a sum: their program, and what the texts in it mean. */
static bool compile_term(compiling *c, meaning *t) {
    const pp_known known = {c->name, t->nknown, "k"};
    for (int i = 0; i < t->nknown; i++)
        if (!strcmp(c->name[i], "k")) {
            snprintf(c->words, sizeof c->words,
                     "found sum() where k is a variable already; allowed: another name for that variable");
            return false;
        }
    size_t where;
    t->code.x = pp_measure_compile(&c->m->alloc, pp_span_of(t->text), &known, true, c->words, sizeof c->words, &where);
    return t->code.x && resolve(c, t->code.x, t->nknown, true);
}

static bool compile_series(compiling *c, meaning *t) {
    pp_span text = pp_span_trimmed(pp_span_of(t->text));
    if (!pp_is_formula(text)) return pp_series_need(c->trace, text, &t->number, c->words, sizeof c->words);
    t->kind = FORMULA;
    const pp_known known = {c->name, t->nknown, t->within_sum ? "k" : NULL};
    if (!pp_formula_compile(&c->m->alloc, text, &known, c->trace, &t->code, c->words, sizeof c->words)) return false;
    t->uses_k = t->within_sum && pp_expr_uses(t->code.x, 1 + t->code.n + t->nknown);
    return true;
}

/* Works out what the texts of a program mean. */
static bool resolve(compiling *c, const pp_expr *x, int nknown, bool within_sum) {
    pp_measures *m = c->m;
    const char *text;
    int f;
    for (int i = 0; (text = pp_expr_text(x, i, &f)); i++) {
        meaning t = {.text = text, .kind = PLAIN, .nknown = nknown, .within_sum = within_sum};
        bool good;
        if (f == PP_FN_PARAMETER) {
            t.kind = VARIABLE;
            good = find_variable(c, text, &t.number);
        } else if (f == PP_FN_SUM) {
            t.kind = TERM;
            good = compile_term(c, &t);
        } else {
            good = compile_series(c, &t);
        }
        if (good && !PP_GROW(&m->alloc, m->text, m->cap_text, m->ntext, m->ntext + 1)) good = no_memory(c);
        if (good)
            m->text[m->ntext++] = t;
        else
            pp_expr_free(&m->alloc, t.code.x);
        if (!good) return false;
    }
    return true;
}

static bool name_free(compiling *c, const char *name, int nknown) {
    for (int i = 0; i < nknown; i++)
        if (!strcmp(c->name[i], name)) {
            snprintf(c->words, sizeof c->words, "found the name %.100s, which is taken; allowed: another name", name);
            return false;
        }
    return true;
}

static perp_status compile_one(compiling *c, const pp_measure_def *def, int i, perp_refusal *why) {
    pp_measures *m = c->m;
    program *p = &m->program[i];
    int nknown = m->ncaller + NOWN + i;
    size_t where = 0;
    p->place = def->place;
    p->key = pp_copy_text(&m->alloc, def->key ? def->key : "");
    p->file = pp_copy_text(&m->alloc, def->place.file ? def->place.file : "");
    p->place.file = p->file;
    bool good = (p->key && p->file) || no_memory(c);
    good = good && name_free(c, def->name, nknown);
    const pp_known known = {c->name, nknown, NULL};
    if (good) {
        p->x = pp_measure_compile(&m->alloc, (pp_span){def->text, def->length}, &known, false, c->words,
                                  sizeof c->words, &where);
        good = p->x && resolve(c, p->x, nknown, false);
        if (p->x) where = 0; /* the place within a text is not known */
    }
    c->name[nknown] = def->name;
    return good ? PERP_OK : pp_measure_complain(&def->place, where, def->key, c->words, why);
}

perp_status pp_measures_new(const perp_allocator *a, const pp_measure_def *def, int n, const pp_measure_names *names,
                            pp_trace *trace, pp_measures **out, perp_refusal *why) {
    static const perp_allocator plain = {0};
    if (!a) a = &plain;
    *out = NULL;
    const pp_location nowhere = {"", 0, 0};
    pp_measures *m = pp_alloc(a, sizeof *m);
    if (!m) return pp_measure_complain(&nowhere, 0, "", "no memory", why);
    size_t all = (size_t)(names->n + NOWN + n);
    *m = (pp_measures){.alloc = *a, .n = n, .ncaller = names->n};
    compiling c = {.m = m, .trace = trace};
    m->program = pp_alloc(a, sizeof *m->program * (size_t)n);
    m->value = pp_alloc(a, sizeof *m->value * all);
    m->inner = pp_alloc(a, sizeof *m->inner * (all + 1));
    m->row = pp_alloc(a, sizeof *m->row * (all + 2 + PP_BRACES_MAX));
    c.name = pp_alloc(a, sizeof *c.name * all);
    if (m->program) memset(m->program, 0, sizeof *m->program * (size_t)n);
    perp_status st = PERP_OK;
    if (!m->program || !m->value || !m->inner || !m->row || !c.name)
        st = pp_measure_complain(&nowhere, 0, "", "no memory", why);
    for (int i = 0; !st && i < names->n; i++) c.name[i] = names->name[i];
    for (int i = 0; !st && i < NOWN; i++) c.name[names->n + i] = own_name[i];
    for (int i = 0; !st && i < n; i++) st = compile_one(&c, &def[i], i, why);
    pp_free(a, (void *)c.name);
    if (st)
        pp_measures_free(m);
    else
        *out = m;
    return st;
}

void pp_measures_free(pp_measures *m) {
    if (!m) return;
    const perp_allocator a = m->alloc;
    for (int i = 0; m->program && i < m->n; i++) {
        pp_expr_free(&a, m->program[i].x);
        pp_free(&a, m->program[i].key);
        pp_free(&a, m->program[i].file);
    }
    for (int i = 0; i < m->ntext; i++) {
        pp_expr_free(&a, m->text[i].code.x);
        pp_free(&a, m->text[i].column);
    }
    void *const owned[] = {m->program, m->text, m->value, m->inner, m->row, m->room};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) pp_free(&a, owned[i]);
    pp_free(&a, m);
}

/* ---- evaluating ---- */

/* The expression of series at all frames, into its column. */
static bool fill_column(pp_measures *m, meaning *t, char *why, size_t why_size) {
    const pp_trace *trace = m->trace;
    uint64_t frames = pp_trace_frames(trace);
    if (t->filled == m->evaluation && !t->uses_k) return true;
    if (frames > INT_MAX || !PP_GROW(&m->alloc, t->column, t->cap_column, 0, (int)frames)) {
        snprintf(why, why_size, "no memory");
        return false;
    }
    const double *time = pp_trace_time(trace), *y[PP_BRACES_MAX];
    double *known = m->row + 1 + t->code.n;
    for (int i = 0; i < t->code.n; i++) y[i] = pp_trace_values(trace, t->code.need[i]);
    memcpy(known, m->value, sizeof *known * (size_t)t->nknown);
    known[t->nknown] = m->k;
    for (uint64_t f = 0; f < frames; f++) {
        m->row[0] = time[f];
        for (int i = 0; i < t->code.n; i++) m->row[1 + i] = y[i][f];
        if (!pp_expr_eval(t->code.x, m->row, pp_formula_call, NULL, &t->column[f], why, why_size)) return false;
    }
    t->filled = m->evaluation;
    return true;
}

static bool call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size);

static bool call_sum(pp_measures *m, const meaning *t, const pp_expr_arg *arg, double *out, char *why,
                     size_t why_size) {
    double from = 0, to = -1;
    if (!pp_sum_bounds(arg, &from, &to, why, why_size)) return false;
    memcpy(m->inner, m->value, sizeof *m->inner * (size_t)t->nknown);
    *out = 0;
    bool good = true;
    for (double k = from; good && k <= to; k++) {
        double term = NAN;
        m->inner[t->nknown] = m->k = k;
        good = pp_expr_eval(t->code.x, m->inner, call, m, &term, why, why_size);
        *out += term;
    }
    return good;
}

/* A function and what it is called with. */
typedef struct function_call {
    pp_function f;
    const pp_expr_arg *arg;
    int narg;
} function_call;

static bool call_series(pp_measures *m, function_call c, meaning *t, double *out, char *why, size_t why_size) {
    pp_samples s = {.time = pp_trace_time(m->trace), .n = pp_trace_frames(m->trace)};
    if (s.n == 0) {
        snprintf(why, why_size, "found %s of a run without frames", pp_function_names[c.f]);
        return false;
    }
    if (t->kind == FORMULA && !fill_column(m, t, why, why_size)) return false;
    s.y = t->kind == FORMULA ? t->column : pp_trace_values(m->trace, t->number);
    if (c.f == PP_FN_QUANTILE && (s.n > INT_MAX || !PP_GROW(&m->alloc, m->room, m->cap_room, 0, (int)s.n))) {
        snprintf(why, why_size, "no memory");
        return false;
    }
    if (pp_function_apply(c.f, &s, c.arg, c.narg, m->room, out)) return true;
    snprintf(why, why_size, "found t = %g; allowed: %g to %g, the times of the run", c.arg[1].number, s.time[0],
             s.time[s.n - 1]);
    return false;
}

static bool call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    pp_measures *m = ctx;
    pp_function f = (pp_function)i;
    if (!pp_function_fits(f, arg, narg, why, why_size)) return false;
    if (f == PP_FN_NORM) return pp_norm(arg, narg, out, why, why_size);
    if (f == PP_FN_ORDER) {
        *out = pp_log2(fabs(arg[0].number / arg[1].number));
        return true;
    }
    meaning *t = NULL;
    for (int k = 0; k < m->ntext && !t; k++)
        if (m->text[k].text == arg[0].text) t = &m->text[k];
    assert(t); /* every text was worked out at compilation */
    if (f == PP_FN_SUM) return call_sum(m, t, arg, out, why, why_size);
    if (f == PP_FN_PARAMETER) {
        *out = m->value[t->number];
        return true;
    }
    return call_series(m, (function_call){f, arg, narg}, t, out, why, why_size);
}

perp_status pp_measures_eval(pp_measures *m, const pp_trace *trace, const double *value, bool failed, double *result,
                             perp_refusal *why) {
    uint64_t frames = pp_trace_frames(trace);
    double *own = m->value + m->ncaller;
    char words[1024];
    m->trace = trace;
    m->k = NAN;
    m->evaluation++;
    if (m->ncaller > 0) memcpy(m->value, value, sizeof *value * (size_t)m->ncaller);
    own[0] = failed;
    own[1] = (double)pp_trace_steps(trace);
    own[2] = frames > 0 ? pp_trace_time(trace)[frames - 1] : NAN;
    for (int i = 0; i < m->n; i++) {
        const program *p = &m->program[i];
        result[i] = NAN;
        bool good = pp_expr_eval(p->x, m->value, call, m, &result[i], words, sizeof words);
        if (!good) result[i] = NAN;
        if (!good && (!failed || !strncmp(words, "no memory", 9)))
            return pp_measure_complain(&p->place, 0, p->key, words, why);
        own[NOWN + i] = result[i];
    }
    return PERP_OK;
}
