/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_profile.c - performance profiles of solvers over a set of problems
 *   c(p,s) is what solver s spent on problem p (time, iterations or factorisations), infinite if it did not solve it;
 *   r(p,s) = c(p,s) / min over s of c(p,s);   drawn: the part of all problems with r(p,s) <= x, over x
 * Valid    where a curve begins tells how often the solver was the best one; where it ends, how many it solves at all. A
 *          problem that a solver was not tried on counts as one it does not solve.
 * Cost     sorting the table of results.
 * Source   Dolan, More (2002), Benchmarking optimization software with performance profiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot_solve.h"

/* ---- shared with plot_convergence.c ---- */

perp_status plot_solved_memory(plot_solved *d) {
    return pp_complain_say(d->why, PERP_E_MEMORY, (pp_location){0}, "", "not enough memory for the plot");
}

perp_status plot_solved_open(plot_solved *d, const plot_request *q,
                             perp_status (*read)(const char *, solve_figures *, perp_refusal *), perp_refusal *why) {
    *d = (plot_solved){.q = q, .why = why};
    pp_arena_init(&d->arena, (perp_allocator){0});
    d->file = PP_ARENA_ZERO(&d->arena, solve_figures, q->nrecording);
    if (!d->file) return plot_solved_memory(d);
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < q->nrecording; i++) s = read(q->recording[i], &d->file[i], why);
    return s;
}

void plot_solved_close(plot_solved *d) {
    for (int i = 0; d->file && i < d->q->nrecording; i++) solve_figures_free(&d->file[i]);
    pp_arena_free(&d->arena);
}

static char *copy(plot_solved *d, const char *text, size_t n) {
    char *out = pp_arena_get(&d->arena, n + 1);
    if (!out) return NULL;
    memcpy(out, text, n);
    out[n] = 0;
    return out;
}

const char *plot_solved_label(plot_solved *d, int file, const char *solver) {
    const plot_request *q = d->q;
    if (q->nrecording == 1) return solver;
    const char *name = q->label ? q->label[file] : q->recording[file];
    if (!q->label && strrchr(name, '/')) name = strrchr(name, '/') + 1;
    size_t room = strlen(name) + strlen(solver) + 4;
    char *out = pp_arena_get(&d->arena, room);
    if (out) snprintf(out, room, "%s (%s)", solver, name);
    return out;
}

const char *plot_solved_argument(plot_solved *d, const char *what, const char *name) {
    size_t n = strlen(name), m = strlen(what);
    if (strncmp(what, name, n) != 0) return NULL;
    if (!what[n]) return "";
    if (what[n] != '(' || what[m - 1] != ')' || m < n + 3) return NULL;
    return copy(d, what + n + 1, m - n - 2);
}

perp_status plot_solved_draw(plot_solved *d, const plot_panel *panel, int npanel, plot_report *report) {
    const plot_request *q = d->q;
    plot_figure f = plot_requested(q, panel, npanel);
    perp_status s = plot_write(&f, q->output, d->why);
    if (s) return s;
    *report = (plot_report){.panels = npanel};
    plot_size(&f, &report->width, &report->height);
    for (int i = 0; i < npanel; i++) {
        report->lines += panel[i].nline;
        for (int k = 0; k < panel[i].nline; k++) report->points += panel[i].line[k].n;
    }
    return PERP_OK;
}

/* ---- profiles ---- */

static const struct cost {
    const char *name, *word;
    double least; /* a nanosecond; no iteration counts as one */
} costs[] = {{"seconds", "time", 1e-9}, {"iterations", "iterations", 1}, {"factorisations", "factorisations", 1}};

typedef struct entry {
    const char *problem;
    int solver;
    double cost; /* INFINITY: not solved */
} entry;

typedef struct profile {
    const char **solver;
    int nsolver;
    entry *entry;
    long nentry;
    double *best; /* for each entry: the least cost of its problem */
    long nproblem;
} profile;

static int by_problem(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int c = strcmp(x->problem, y->problem);
    if (c) return c;
    if (x->solver != y->solver) return x->solver < y->solver ? -1 : 1;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

static int solver_index(profile *p, const char *name) {
    for (int i = 0; i < p->nsolver; i++)
        if (!strcmp(p->solver[i], name)) return i;
    p->solver[p->nsolver] = name;
    return p->nsolver++;
}

/* All results as one list, sorted by problem, each solver once: the best it did on that problem. */
static perp_status collect(plot_solved *d, int cost, profile *p) {
    long n = 0, kept = 0;
    for (int i = 0; i < d->q->nrecording; i++) n += d->file[i].nrow;
    *p = (profile){.solver = PP_ARENA_ZERO(&d->arena, const char *, n), .entry = PP_ARENA_ZERO(&d->arena, entry, n)};
    p->best = PP_ARENA_ZERO(&d->arena, double, n);
    if (!p->solver || !p->entry || !p->best) return plot_solved_memory(d);
    for (int i = 0; i < d->q->nrecording; i++)
        for (int k = 0; k < d->file[i].nrow; k++) {
            const solve_figure *r = &d->file[i].row[k];
            const char *label = plot_solved_label(d, i, r->solver);
            if (!label) return plot_solved_memory(d);
            double c = fmax(r->cost[cost], costs[cost].least);
            p->entry[p->nentry++] = (entry){r->problem, solver_index(p, label), r->solved ? c : INFINITY};
        }
    qsort(p->entry, (size_t)p->nentry, sizeof *p->entry, by_problem);
    for (long i = 0; i < p->nentry; i++) {
        const entry *e = &p->entry[i], *last = kept ? &p->entry[kept - 1] : NULL;
        bool same = last && !strcmp(last->problem, e->problem);
        if (same && last->solver == e->solver) continue;
        if (!same) p->nproblem++;
        p->entry[kept++] = *e;
    }
    p->nentry = kept;
    for (long i = 0, j; i < kept; i = j) {
        double least = INFINITY;
        for (j = i; j < kept && !strcmp(p->entry[j].problem, p->entry[i].problem); j++)
            least = fmin(least, p->entry[j].cost);
        for (long k = i; k < j; k++) p->best[k] = least;
    }
    return PERP_OK;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The steps of one solver, from x = 1 to `end`. */
static bool make_steps(plot_solved *d, const profile *p, int solver, double end, plot_line *out) {
    double *ratio = PP_ARENA_ARRAY(&d->arena, double, p->nproblem), *x, *y;
    if (!ratio) return false;
    long n = 0, k = 0;
    for (long i = 0; i < p->nentry; i++)
        if (p->entry[i].solver == solver && isfinite(p->entry[i].cost)) ratio[n++] = p->entry[i].cost / p->best[i];
    qsort(ratio, (size_t)n, sizeof *ratio, ascending);
    x = PP_ARENA_ARRAY(&d->arena, double, n + 2);
    y = PP_ARENA_ARRAY(&d->arena, double, n + 2);
    if (!x || !y) return false;
    x[0] = 1, y[0] = 0; /* raised below if it was the best of some */
    for (long i = 0; i < n; i++) {
        if (ratio[i] > x[k]) k++, x[k] = ratio[i];
        y[k] = (double)(i + 1) / (double)p->nproblem;
    }
    if (x[k] < end) k++, x[k] = end, y[k] = y[k - 1];
    *out = (plot_line){.x = x, .y = y, .n = k + 1, .label = p->solver[solver], .colour = PLOT_NEXT, .mark = 's'};
    return true;
}

static double largest_ratio(const profile *p) {
    double r = 1;
    for (long i = 0; i < p->nentry; i++)
        if (isfinite(p->entry[i].cost)) r = fmax(r, p->entry[i].cost / p->best[i]);
    return fmin(r, 1e12);
}

static perp_status draw(plot_solved *d, int cost, plot_report *report) {
    const plot_request *q = d->q;
    profile p = {0};
    perp_status s = collect(d, cost, &p);
    if (s) return s;
    if (p.nproblem == 0)
        return pp_complain(d->why, PERP_E_ARG, (pp_location){q->recording[0], 0, 0}, NULL, "no results",
                           "at least one");
    plot_line *line = PP_ARENA_ZERO(&d->arena, plot_line, p.nsolver);
    char *xlabel = pp_arena_get(&d->arena, 80), *ylabel = pp_arena_get(&d->arena, 80);
    if (!line || !xlabel || !ylabel) return plot_solved_memory(d);
    double end = fmax(10, pow(10, ceil(log10(largest_ratio(&p)) - 1e-9)));
    for (int i = 0; i < p.nsolver; i++)
        if (!make_steps(d, &p, i, end, &line[i])) return plot_solved_memory(d);
    snprintf(xlabel, 80, "%s, as a multiple of the best solver's", costs[cost].word);
    snprintf(ylabel, 80, "part of %ld problem%s solved", p.nproblem, p.nproblem == 1 ? "" : "s");
    plot_panel panel = {.line = line,
                        .nline = p.nsolver,
                        .logx = true,
                        .logy = q->logy,
                        .xlabel = q->xlabel ? q->xlabel : xlabel,
                        .ylabel = q->ylabel ? q->ylabel : ylabel,
                        .xmin = isnan(q->xmin) ? 1 : q->xmin,
                        .xmax = isnan(q->xmax) ? end : q->xmax,
                        .ymin = isnan(q->ymin) && !q->logy ? 0 : q->ymin,
                        .ymax = isnan(q->ymax) ? 1.02 : q->ymax};
    return plot_solved_draw(d, &panel, 1, report);
}

/* Index of the cost of that name; "": the first. -1: there is no such cost. */
static int find_cost(const char *word) {
    if (word && !*word) return 0;
    for (int i = 0; word && i < 3; i++)
        if (!strcmp(word, costs[i].name)) return i;
    return -1;
}

perp_status plot_profile(const plot_request *q, plot_report *report, perp_refusal *why) {
    perp_status s = plot_check_output(q->output, why);
    if (s) return s;
    plot_solved d;
    s = plot_solved_open(&d, q, solve_read_results, why);
    int cost = s ? 0 : find_cost(plot_solved_argument(&d, q->what[0], "profile"));
    if (!s && cost < 0)
        s = pp_complain(why, PERP_E_ARG, (pp_location){0}, "what", q->what[0],
                        "profile(seconds), profile(iterations) or profile(factorisations)");
    if (!s) s = draw(&d, cost, report);
    plot_solved_close(&d);
    return s;
}
