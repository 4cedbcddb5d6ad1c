/* experiment_plot.c - the plots of an experiment: quantities of its recordings, or lines worked out from them */
#include <math.h>
#include <string.h>

#include "experiment.h"
#include "plot.h"

bool experiment_plot_path(const exp_plot *p, const char *folder, const char *prefix, char *out, size_t size) {
    const char *ending = strrchr(p->file, '.') ? "" : ".svg";
    int n = snprintf(out, size, "%s/%s%s%s", folder, prefix, p->file, ending);
    return n > 0 && (size_t)n < size;
}

static perp_status no_memory(const experiment *e, perp_refusal *why) {
    pp_complain_say(why, PERP_E_MEMORY, (pp_place){e->file, 0, 0}, "", "not enough memory");
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

static perp_status plot_lines(experiment *e, exp_plot *p, const char *key, const char *path, perp_refusal *why) {
    plot_line *line = pp_alloc(&experiment_memory, sizeof *line * (size_t)(p->nline + 1));
    double **column = pp_alloc(&experiment_memory, sizeof *column * (size_t)(2 * p->nline + 1));
    perp_status s = line && column ? PERP_OK : no_memory(e, why);
    for (int i = 0; column && i < 2 * p->nline; i++) column[i] = NULL;
    for (int i = 0; !s && i < p->nline; i++) {
        long nx = 0, ny = 0;
        s = numbers(e, p->line[i].x, key, &column[2 * i], &nx, why);
        if (!s) s = numbers(e, p->line[i].y, key, &column[2 * i + 1], &ny, why);
        line[i] = (plot_line){.x = column[2 * i],
                              .y = column[2 * i + 1],
                              .n = nx < ny ? nx : ny,
                              .label = p->line[i].label,
                              .colour = -1,
                              .mark = p->line[i].marks || p->marks ? 'o' : 0,
                              .dashed = p->line[i].dashed};
    }
    double from = NAN, to = NAN;
    if (!s && p->from.node) s = experiment_number(e, &p->from, key, &from, why);
    if (!s && p->to.node) s = experiment_number(e, &p->to, key, &to, why);
    if (!s) {
        plot_panel panel = {.xlabel = p->xlabel,
                            .ylabel = p->ylabel,
                            .line = line,
                            .nline = p->nline,
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
    for (int i = 0; column && i < 2 * p->nline; i++) pp_free(&experiment_memory, column[i]);
    pp_free(&experiment_memory, column);
    pp_free(&experiment_memory, line);
    return s;
}

perp_status experiment_plots(experiment *e, const char *folder, const char *prefix, perp_refusal *why) {
    if (e->nplot && !experiment_folder(folder, why)) return PERP_E_IO;
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < e->nplot; i++) {
        char path[EXPERIMENT_PATH], key[64];
        snprintf(key, sizeof key, "plots[%d]", i);
        if (!experiment_plot_path(&e->plot[i], folder, prefix, path, sizeof path))
            return pp_complain(why, PERP_E_IO, (pp_place){0}, key, "a path that is too long", "a shorter one");
        double wanted = 1;
        if (e->plot[i].when.node) s = experiment_number(e, &e->plot[i].when, key, &wanted, why);
        e->plot[i].drawn = !s && wanted != 0;
        if (!e->plot[i].drawn) continue;
        s = e->plot[i].what ? plot_quantities(e, &e->plot[i], key, path, why)
                            : plot_lines(e, &e->plot[i], key, path, why);
    }
    return s;
}
