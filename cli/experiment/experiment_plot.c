/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* experiment_plot.c - the plots of an experiment: quantities of its recordings, or lines worked out from them */
#include <math.h>
#include <string.h>

#include "experiment/experiment.h"
#include "measure/functions.h"
#include "plot/plot.h"

bool experiment_plot_path(const exp_plot *p, const char *folder, const char *prefix, char *out, size_t size) {
    const char *ending = strrchr(p->file, '.') ? "" : ".svg";
    int n = snprintf(out, size, "%s/%s%s%s", folder, prefix, p->file, ending);
    return n > 0 && (size_t)n < size;
}

static perp_status no_memory(const experiment *e, perp_refusal *why) {
    pp_complain_say(why, PERP_E_MEMORY, (pp_location){e->file, 0, 0}, "", "not enough memory");
    return PERP_E_MEMORY;
}

enum { RUNS_MAX = 64, WHAT_MAX = 64 };

static perp_status choose_runs(const experiment *e, const exp_plot *p, const char *key, const char **recording,
                               const char **label, int *n, perp_refusal *why) {
    const pp_tree *t = &e->tree;
    *n = 0;
    if (!p->runs)
        for (int i = 0; i < e->nrun && i < RUNS_MAX; i++, ++*n) {
            recording[i] = e->run[i].recording;
            label[i] = e->run[i].label;
        }
    for (uint32_t v = p->runs ? t->node[p->runs].first : 0; v && *n < RUNS_MAX; v = t->node[v].next) {
        int i = 0;
        while (i < e->nrun && (t->node[v].kind != PP_NODE_SCALAR || strcmp(pp_yaml_text(t, v), e->run[i].name) != 0))
            i++;
        char found[160];
        if (i == e->nrun)
            return pp_complain(why, PERP_E_NAME, pp_yaml_place(t, v), key, pp_yaml_found(t, v, found, sizeof found),
                               "the name of a run");
        recording[*n] = e->run[i].recording;
        label[(*n)++] = e->run[i].label;
    }
    return PERP_OK;
}

static perp_status plot_quantities(experiment *e, exp_plot *p, const char *key, const char *path, perp_refusal *why) {
    const pp_tree *t = &e->tree;
    const char *recording[RUNS_MAX], *label[RUNS_MAX], *what[WHAT_MAX];
    plot_request q = plot_request_default();
    perp_status s = choose_runs(e, p, key, recording, label, &q.nrecording, why);
    if (s) return s;
    for (uint32_t v = t->node[p->what].first; v && q.nwhat < WHAT_MAX; v = t->node[v].next)
        what[q.nwhat++] = t->node[v].kind == PP_NODE_SCALAR ? pp_yaml_text(t, v) : "";
    q.recording = recording;
    q.label = q.nrecording > 1 ? label : NULL;
    q.what = what;
    q.output = path;
    q.title = p->title;
    q.xlabel = p->xlabel;
    q.ylabel = p->ylabel;
    q.logx = p->logx;
    q.logy = p->logy;
    q.equal = p->equal;
    q.marks = p->marks;
    q.together = p->together;
    if (p->legend) q.legend = p->legend;
    if (p->from.node) s = experiment_number(e, &p->from, key, &q.from, why);
    if (!s && p->to.node) s = experiment_number(e, &p->to, key, &q.to, why);
    return s ? s : plot_recordings(&q, why);
}

/* A list of expressions, or a series. */
static perp_status numbers(experiment *e, uint32_t node, const char *key, double **out, long *n, perp_refusal *why) {
    const pp_tree *t = &e->tree;
    if (t->node[node].kind == PP_NODE_SCALAR) {
        int run = 0;
        perp_status s = experiment_series(e, node, key, out, &run, why);
        *n = s ? 0 : (long)e->run[run].frames;
        return s;
    }
    *out = pp_alloc(&experiment_memory, sizeof **out * (t->node[node].length + 1));
    if (!*out) return no_memory(e, why);
    *n = 0;
    perp_status s = PERP_OK;
    for (uint32_t v = t->node[node].first; !s && v; v = t->node[v].next) {
        exp_expr x = {.node = v};
        s = experiment_number(e, &x, key, &(*out)[(*n)++], why);
        if (x.code) pp_expr_free(&experiment_memory, x.code);
    }
    return s;
}

/* ---- lines ---- */

/* The lines of a plot as they grow, each with columns of its own. */
typedef struct lines {
    const exp_plot *plot;
    const char *key; /* of the plot, for messages */
    plot_line *line;
    double **column; /* two for each line */
    char (*label)[96];
    int n, cap_line, cap_column, cap_label;
} lines;

static bool grow(lines *l) {
    return PP_GROW(&experiment_memory, l->line, l->cap_line, l->n, l->n + 1) &&
           PP_GROW(&experiment_memory, l->column, l->cap_column, 2 * l->n, 2 * l->n + 2) &&
           PP_GROW(&experiment_memory, l->label, l->cap_label, l->n, l->n + 1);
}

static void free_lines(lines *l) {
    for (int i = 0; i < 2 * l->n; i++) pp_free(&experiment_memory, l->column[i]);
    pp_free(&experiment_memory, l->line);
    pp_free(&experiment_memory, l->column);
    pp_free(&experiment_memory, l->label);
}

/* The points of one line. */
typedef struct points {
    double *x, *y;
    long n;
} points;

static void free_points(points p) {
    pp_free(&experiment_memory, p.x);
    pp_free(&experiment_memory, p.y);
}

/* How one line is drawn. */
typedef struct look {
    const char *label; /* NULL: it is not in the legend */
    int colour;        /* as plot_line.colour */
    bool dashed;
} look;

/* Takes over the columns of p. plot_lines() sets the labels of the lines, when the list no longer moves. */
static bool add_line(lines *l, const exp_line *from, points p, look how) {
    if (!grow(l)) {
        free_points(p);
        return false;
    }
    l->column[2 * l->n] = p.x;
    l->column[2 * l->n + 1] = p.y;
    snprintf(l->label[l->n], sizeof l->label[0], "%s", how.label ? how.label : "");
    l->line[l->n++] = (plot_line){.x = p.x,
                                  .y = p.y,
                                  .n = p.n,
                                  .colour = how.colour,
                                  .mark = (from->marks || l->plot->marks) && !(from->sweep && how.dashed) ? 'o' : 0,
                                  .dashed = how.dashed,
                                  .dash = how.dashed    ? 2
                                          : from->sweep ? 1
                                                        : 0};
    return true;
}

static perp_status plain_line(experiment *e, const exp_line *from, lines *l, perp_refusal *why) {
    points p = {0};
    long ny = 0;
    perp_status s = numbers(e, from->x, l->key, &p.x, &p.n, why);
    if (!s) s = numbers(e, from->y, l->key, &p.y, &ny, why);
    if (s) {
        free_points(p);
        return s;
    }
    if (ny < p.n) p.n = ny;
    return add_line(l, from, p, (look){from->label, PLOT_NEXT, from->dashed}) ? PERP_OK : no_memory(e, why);
}

/* ---- lines of a sweep ---- */

typedef struct chosen {
    const exp_sweep *s;
    exp_choice c;
    int by, x, y;         /* axes, measure; by < 0: one line */
    const char *by_value; /* the value of `by` that this line shows; NULL: one line for all runs */
} chosen;

static perp_status choose(const experiment *e, const exp_line *from, const char *key, chosen *out, perp_refusal *why) {
    const pp_tree *t = &e->tree;
    pp_location at = pp_yaml_place(t, from->x);
    if (!experiment_choice(e, from->sweep, strlen(from->sweep), &out->c) || out->c.rest.n > 0)
        return pp_complain(why, PERP_E_NAME, at, key, from->sweep, "sweep: the name of a sweep, with or without [...]");
    out->s = &e->sweep[out->c.sweep];
    out->by = from->by ? experiment_find_axis(out->s, from->by, strlen(from->by)) : -1;
    if (from->by && out->by < 0) return pp_complain(why, PERP_E_NAME, at, key, from->by, "by: a variable of the sweep");
    if (from->each) return PERP_OK;
    out->x = experiment_find_axis(out->s, pp_yaml_text(t, from->x), t->node[from->x].length);
    out->y = experiment_find_measure(out->s, pp_yaml_text(t, from->y), t->node[from->y].length);
    if (out->x < 0 || out->y < 0 || out->s->axis[out->x].word)
        return pp_complain(why, PERP_E_NAME, at, key, "other names",
                           "x a variable of the sweep that is a number, y a measure");
    return PERP_OK;
}

static int fits(const experiment *e, const chosen *c, int i, const char *key, perp_refusal *why) {
    char words[300];
    const exp_run *r = &e->run[c->s->first + i];
    int f = experiment_fits(e, c->s, i, c->c.where, -1, words, sizeof words);
    if (f < 0) pp_complain_say(why, PERP_E_ARG, (pp_location){e->file, 0, 0}, key, "%s", words);
    if (f > 0 && (r->skipped || (c->by_value && strcmp(r->axis_text[c->by], c->by_value) != 0))) f = 0;
    return f;
}

/* x and one number of y for each value of x. Values of x at which every run ended early are left out.
 * @param part the quantile of the measure; NAN: the number that `take` asks for */
static perp_status sweep_line(experiment *e, const exp_line *from, const chosen *c, double part, look how, lines *l,
                              perp_refusal *why) {
    const exp_axis *axis = &c->s->axis[c->x];
    points p = {pp_alloc(&experiment_memory, sizeof *p.x * (size_t)(axis->n + 1)),
                pp_alloc(&experiment_memory, sizeof *p.y * (size_t)(axis->n + 1)), 0};
    double *some = pp_alloc(&experiment_memory, sizeof *some * (size_t)(c->s->nrun + 1));
    perp_status s = p.x && p.y && some ? PERP_OK : no_memory(e, why);
    uint32_t v = e->tree.node[axis->list].first;
    for (int k = 0; !s && k < axis->n; k++, v = e->tree.node[v].next) {
        int m = 0;
        for (int i = 0; !s && i < c->s->nrun; i++) {
            const exp_run *r = &e->run[c->s->first + i];
            int f = fits(e, c, i, l->key, why);
            if (f < 0) s = PERP_E_ARG;
            if (f <= 0 || strcmp(r->axis_text[c->x], pp_yaml_text(&e->tree, v)) != 0) continue;
            p.x[p.n] = r->axis_value[c->x];
            double got = c->s->result[i * c->s->nmeasure + c->y];
            if (!isnan(got)) some[m++] = got;
        }
        if (m == 0) continue;
        p.y[p.n++] = isnan(part) ? experiment_take(from->take, some, m, NULL) : pp_quantile(some, (uint64_t)m, part);
    }
    pp_free(&experiment_memory, some);
    if (s || p.n == 0) {
        free_points(p);
        return s;
    }
    return add_line(l, from, p, how) ? PERP_OK : no_memory(e, why);
}

/* Two series of each run; only the first of a colour is in the legend. */
static perp_status each_line(experiment *e, const exp_line *from, const chosen *c, look how, lines *l,
                             perp_refusal *why) {
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < c->s->nrun; i++) {
        points p = {0};
        int run = 0;
        int f = fits(e, c, i, l->key, why);
        if (f < 0) return PERP_E_ARG;
        if (f == 0) continue;
        e->self = c->s->first + i;
        s = experiment_series(e, from->x, l->key, &p.x, &run, why);
        if (!s) s = experiment_series(e, from->y, l->key, &p.y, &run, why);
        e->self = -1;
        if (s) {
            pp_free(&experiment_memory, p.x);
            return s;
        }
        p.n = (long)e->run[run].frames;
        if (!add_line(l, from, p, how)) s = no_memory(e, why);
        how.label = NULL;
    }
    return s;
}

static perp_status sweep_lines(experiment *e, const exp_line *from, lines *l, perp_refusal *why) {
    chosen c = {0};
    perp_status s = choose(e, from, l->key, &c, why);
    int n = s || c.by < 0 ? 1 : c.s->axis[c.by].n;
    uint32_t v = s || c.by < 0 ? 0 : e->tree.node[c.s->axis[c.by].list].first;
    int base = l->n ? l->line[l->n - 1].colour + 1 : 0;
    for (int k = 0; !s && k < n; k++, v = v ? e->tree.node[v].next : 0) {
        const char *by = c.by_value = v ? pp_yaml_text(&e->tree, v) : NULL;
        char label[96];
        snprintf(label, sizeof label, "%s%s%s", from->label ? from->label : "", from->label && by ? " " : "",
                 by ? by : "");
        bool quartiles = from->take && !strcmp(from->take, "quartiles");
        look how = {label, base + k, from->dashed};
        if (from->each) {
            s = each_line(e, from, &c, how, l, why);
            continue;
        }
        s = sweep_line(e, from, &c, NAN, how, l, why);
        for (int q = 0; !s && quartiles && q < 2; q++)
            s = sweep_line(e, from, &c, q ? 0.75 : 0.25, (look){NULL, base + k, true}, l, why);
    }
    return s;
}

static perp_status plot_lines(experiment *e, exp_plot *p, const char *key, const char *path, perp_refusal *why) {
    lines l = {.plot = p, .key = key};
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < p->nline; i++)
        s = p->line[i].sweep ? sweep_lines(e, &p->line[i], &l, why) : plain_line(e, &p->line[i], &l, why);
    double from = NAN, to = NAN;
    if (!s && p->from.node) s = experiment_number(e, &p->from, key, &from, why);
    if (!s && p->to.node) s = experiment_number(e, &p->to, key, &to, why);
    for (int i = 0; i < l.n; i++) l.line[i].label = *l.label[i] ? l.label[i] : NULL;
    if (!s) {
        plot_panel panel = {.xlabel = p->xlabel,
                            .ylabel = p->ylabel,
                            .line = l.line,
                            .nline = l.n,
                            .logx = p->logx,
                            .logy = p->logy,
                            .equal = p->equal,
                            .xmin = from,
                            .xmax = to,
                            .ymin = NAN,
                            .ymax = NAN};
        plot_figure f = {
            .title = p->title, .panel = &panel, .npanel = 1, .height = 80, .legend = p->legend, .grid = true};
        s = plot_write(&f, path, why);
    }
    free_lines(&l);
    return s;
}

perp_status experiment_plots(experiment *e, const char *folder, const char *prefix, perp_refusal *why) {
    if (e->nplot && !experiment_folder(folder, why)) return PERP_E_IO;
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < e->nplot; i++) {
        char path[EXPERIMENT_PATH], key[64];
        snprintf(key, sizeof key, "plots[%d]", i);
        if (!experiment_plot_path(&e->plot[i], folder, prefix, path, sizeof path))
            return pp_complain(why, PERP_E_IO, (pp_location){0}, key, "a path that is too long", "a shorter one");
        double wanted = 1;
        if (e->plot[i].when.node) s = experiment_number(e, &e->plot[i].when, key, &wanted, why);
        e->plot[i].drawn = !s && wanted != 0;
        if (!e->plot[i].drawn) continue;
        s = e->plot[i].what ? plot_quantities(e, &e->plot[i], key, path, why)
                            : plot_lines(e, &e->plot[i], key, path, why);
    }
    return s;
}
