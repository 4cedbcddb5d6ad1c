/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_convergence.c - residuals over iterations and over time, a line for each solver
 *   two panels for each problem of the histories; iterations and times that differ by much get logarithmic axes
 * Valid    a residual of zero has no place on a logarithmic axis and is drawn at LOWEST. */
#include <math.h>
#include <string.h>

#include "plot/plot_solve.h"

#define LOWEST 1e-17
/* Ends of lines that differ by more than this factor can be distinguished only on a logarithmic axis. */
#define SPREAD 12
enum { PROBLEMS = 6 }; /* more do not fit on a page */

typedef struct request {
    bool siconos;
    const char *problem; /* NULL: all */
} request;

/* The last part of a path without its ending. */
static const char *brief(plot_solved *d, const char *path) {
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *out = pp_arena_get(&d->arena, n + 1);
    if (!out) return path;
    memcpy(out, name, n);
    out[n] = 0;
    return out;
}

static bool named(const char *path, const char *name) {
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t n = strlen(name);
    return !strcmp(path, name) || !strcmp(base, name) || (!strncmp(base, name, n) && base[n] == '.');
}

/* Two lines, over iterations and over time; both share the residuals. */
static bool make_lines(plot_solved *d, const solve_history *h, const char *label, bool siconos, plot_line *a,
                       plot_line *b) {
    double *iteration = PP_ARENA_ARRAY(&d->arena, double, h->count), *seconds, *y;
    seconds = PP_ARENA_ARRAY(&d->arena, double, h->count);
    y = PP_ARENA_ARRAY(&d->arena, double, h->count);
    if (!iteration || !seconds || !y || !label) return false;
    for (int i = 0; i < h->count; i++) {
        double r = siconos ? h->point[i].siconos : h->point[i].natural;
        iteration[i] = h->point[i].iteration;
        seconds[i] = h->point[i].seconds;
        y[i] = r < LOWEST ? LOWEST : r;
    }
    *a = (plot_line){.x = iteration, .y = y, .n = h->count, .label = label, .colour = PLOT_NEXT};
    *b = *a;
    b->x = seconds;
    return true;
}

/* Do the lines end at places that only a logarithmic axis shows well? */
static bool spread(const plot_line *line, int n) {
    double lo = INFINITY, hi = 0;
    for (int i = 0; i < n; i++) {
        double end = line[i].n ? line[i].x[line[i].n - 1] : 0;
        if (end > 0) lo = fmin(lo, end), hi = fmax(hi, end);
    }
    return hi > SPREAD * lo;
}

static perp_status make_panels(plot_solved *d, const request *r, const char *problem, bool titled, plot_panel *two) {
    const plot_request *q = d->q;
    int n = 0;
    for (int i = 0; i < q->nrecording; i++) n += d->file[i].ntrace;
    plot_line *line[2] = {PP_ARENA_ZERO(&d->arena, plot_line, n), PP_ARENA_ZERO(&d->arena, plot_line, n)};
    if (!line[0] || !line[1]) return plot_solved_memory(d);
    n = 0;
    for (int i = 0; i < q->nrecording; i++)
        for (int k = 0; k < d->file[i].ntrace; k++) {
            const solve_history *h = &d->file[i].trace[k];
            if (strcmp(h->problem, problem) != 0) continue;
            if (!make_lines(d, h, plot_solved_label(d, i, h->solver), r->siconos, &line[0][n], &line[1][n]))
                return plot_solved_memory(d);
            n++;
        }
    static const char *const xlabel[] = {"iterations (pivots, sweeps, Newton steps)", "time [s]"};
    for (int k = 0; k < 2; k++)
        two[k] = (plot_panel){.line = line[k],
                              .nline = n,
                              .title = titled && k == 0 ? brief(d, problem) : NULL,
                              .logx = q->logx || spread(line[k], n),
                              .logy = true,
                              .xlabel = q->xlabel ? q->xlabel : xlabel[k],
                              .ylabel = q->ylabel    ? q->ylabel
                                        : r->siconos ? "residual, Siconos' measure"
                                                     : "residual, natural map",
                              .xmin = q->xmin,
                              .xmax = q->xmax,
                              .ymin = q->ymin,
                              .ymax = q->ymax};
    return PERP_OK;
}

/* The problems that are to be drawn, each once; at most PROBLEMS + 1 are looked for. */
static int list_problems(const plot_solved *d, const request *r, const char **out) {
    int n = 0;
    for (int i = 0; i < d->q->nrecording; i++)
        for (int k = 0; k < d->file[i].ntrace && n <= PROBLEMS; k++) {
            const char *problem = d->file[i].trace[k].problem;
            bool known = r->problem && !named(problem, r->problem);
            for (int j = 0; j < n; j++) known = known || !strcmp(out[j], problem);
            if (!known) out[n++] = problem;
        }
    return n;
}

/* "siconos", "natural", or the name of a problem, with commas between them. */
static perp_status read_request(plot_solved *d, request *r) {
    const char *text = plot_solved_argument(d, d->q->what[0], "convergence");
    *r = (request){0};
    if (!text)
        return pp_complain(d->why, PERP_E_ARG, (pp_location){0}, "what", d->q->what[0],
                           "convergence, convergence(siconos), convergence(PROBLEM)");
    char *copy = pp_arena_get(&d->arena, strlen(text) + 1);
    if (!copy) return plot_solved_memory(d);
    memcpy(copy, text, strlen(text) + 1);
    while (copy && *copy) {
        char *comma = strchr(copy, ',');
        if (comma) *comma = 0;
        if (!strcmp(copy, "siconos") || !strcmp(copy, "natural"))
            r->siconos = copy[0] == 's';
        else
            r->problem = copy;
        copy = comma ? comma + 1 : NULL;
    }
    return PERP_OK;
}

static perp_status draw(plot_solved *d, plot_report *report) {
    request r;
    const char *problem[PROBLEMS + 1];
    pp_location at = {d->q->recording[0], 0, 0};
    perp_status s = read_request(d, &r);
    if (s) return s;
    int n = list_problems(d, &r, problem);
    if (n == 0 && r.problem)
        return pp_complain(d->why, PERP_E_ARG, at, "convergence", r.problem, "the name of a problem in it");
    if (n == 0) return pp_complain(d->why, PERP_E_ARG, at, NULL, "no histories", "at least one");
    if (n > PROBLEMS)
        return pp_complain_say(d->why, PERP_E_ARG, at, "",
                               "found more than %d problems; allowed: convergence(PROBLEM) to draw one of them",
                               PROBLEMS);
    plot_panel panel[2 * PROBLEMS];
    bool titled = n > 1 || !d->q->title;
    for (int i = 0; !s && i < n; i++) s = make_panels(d, &r, problem[i], titled, &panel[2 * i]);
    return s ? s : plot_solved_draw(d, panel, 2 * n, report);
}

perp_status plot_convergence(const plot_request *q, plot_report *report, perp_refusal *why) {
    perp_status s = plot_check_output(q->output, why);
    if (s) return s;
    plot_solved d;
    s = plot_solved_open(&d, q, solve_read_traces, why);
    if (!s) s = draw(&d, report);
    plot_solved_close(&d);
    return s;
}
