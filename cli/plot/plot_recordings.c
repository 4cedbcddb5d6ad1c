/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_recordings.c - from recordings to panels: what to draw, by name, as a figure or as CSV
 *   WHAT is the name of a quantity (over time), FIRST:SECOND (the second over the first), several of either with commas
 *   (in one panel), or a group (plot_group.c)
 * Method   every quantity is read once into a column for each recording; panels are lists of pairs of columns. With
 *          several recordings each has its colour, and the quantities of a panel their dashes.
 * Cost     8 bytes for each number that is drawn. */
#include "plot/plot_data.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

plot_request plot_request_default(void) {
    plot_request q = {.from = NAN, .to = NAN, .xmin = NAN, .xmax = NAN, .ymin = NAN, .ymax = NAN, .grid = true};
    return q;
}

plot_figure plot_requested(const plot_request *q, const plot_panel *panel, int npanel) {
    return (plot_figure){.title = q->title,
                         .panel = panel,
                         .npanel = npanel,
                         .width = q->width,
                         .height = q->height,
                         .font = q->font,
                         .dpi = q->dpi,
                         .legend = q->legend,
                         .grid = q->grid,
                         .dark = q->dark};
}

/* ---- quantities ---- */

perp_status plot_no_memory(plot_data *d) {
    pp_complain_say(d->why, PERP_E_MEMORY, (pp_location){0}, "", "not enough memory for the plot");
    return PERP_E_MEMORY;
}

const char *plot_say(plot_data *d, const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *out = n < 0 ? NULL : pp_arena_get(&d->arena, (size_t)n + 1);
    if (out) vsnprintf(out, (size_t)n + 1, format, again);
    va_end(again);
    return out;
}

/* The array with room for one more element, in the arena. Without memory the array as it is; then *cap is `used`. */
static void *grown(plot_data *d, void *array, int *cap, int used, size_t size) {
    if (used < *cap) return array;
    int more = *cap ? 2 * *cap : 16;
    void *larger = pp_arena_zero(&d->arena, (size_t)more * size);
    if (!larger) return array;
    if (used) memcpy(larger, array, (size_t)used * size);
    *cap = more;
    return larger;
}
#define GROW(d, array, cap, used) ((array) = grown((d), (array), &(cap), (used), sizeof *(array)), (used) < (cap))

int plot_get_made(plot_data *d, const char *name, const char *unit) {
    if (!name) return -1;
    for (int i = 0; i < d->nquantity; i++)
        if (!strcmp(d->quantity[i].name, name)) return i;
    if (!GROW(d, d->quantity, d->cap_quantity, d->nquantity)) return -1;
    plot_quantity *k = &d->quantity[d->nquantity];
    k->name = name;
    k->unit = unit;
    k->v = pp_arena_zero(&d->arena, (size_t)d->nsource * sizeof *k->v);
    return k->v ? d->nquantity++ : -1;
}

double *plot_numbers(plot_data *d, int quantity, int s) {
    double **v = &d->quantity[quantity].v[s], *known = *v;
    if (known) return known;
    long n = d->source[s].n;
    *v = pp_arena_get(&d->arena, (size_t)(n + 1) * sizeof **v);
    for (long i = 0; *v && i < n; i++) (*v)[i] = NAN;
    return *v;
}

/* All frames of a series, of which those within from..to are kept. */
static perp_status read_series(plot_data *d, const plot_source *s, const char *name, double **out) {
    double *v = pp_arena_get(&d->arena, (size_t)(s->info->frames + 1) * sizeof *v);
    if (!v) return plot_no_memory(d);
    *out = v + s->first;
    return perp_recording_series(s->r, name, v, d->why);
}

perp_status plot_get_series(plot_data *d, const char *name, int *out) {
    for (int i = 0; i < d->nquantity; i++)
        if (!strcmp(d->quantity[i].name, name)) return *out = i, PERP_OK;
    const char *own = plot_say(d, "%s", name);
    int k = plot_get_made(d, own, perp_recording_unit(d->source[0].r, name));
    if (k < 0) return plot_no_memory(d);
    for (int s = 0; s < d->nsource; s++) {
        perp_status status = read_series(d, &d->source[s], name, &d->quantity[k].v[s]);
        if (!status) continue;
        d->nquantity--; /* the caller may try it as something else */
        return status;
    }
    *out = k;
    return PERP_OK;
}

plot_sketch *plot_add_sketch(plot_data *d, const char *ylabel) {
    if (!ylabel || !GROW(d, d->sketch, d->cap_sketch, d->nsketch)) return NULL;
    plot_sketch *k = &d->sketch[d->nsketch++];
    k->ylabel = ylabel;
    return k;
}

perp_status plot_add_curve(plot_data *d, plot_sketch *k, int x, int y, const char *label, int colour, int dash) {
    if (!k || !label || y < 0 || !GROW(d, k->curve, k->cap_curve, k->ncurve)) return plot_no_memory(d);
    k->curve[k->ncurve++] = (plot_curve){x, y, label, colour, dash, 0};
    return PERP_OK;
}

const char *plot_with_unit(plot_data *d, const char *name, const char *unit) {
    char text[64]; /* in the units of the scene */
    if (!unit || !*unit) return plot_say(d, "%s", name);
    perp_unit_text(unit, d->source[0].info->units, text, sizeof text);
    return *name ? plot_say(d, "%s [%s]", name, text) : plot_say(d, "[%s]", text);
}

/* ---- what is asked for ---- */

/* Is it, with its colon or comma, the name of a series of the first recording? */
static bool is_series(const plot_data *d, const char *name) {
    const char *s;
    if (!name[strcspn(name, ":,")]) return false; /* there is no colon or comma to be mistaken */
    for (int i = 0; (s = perp_recording_series_name(d->source[0].r, i)); i++)
        if (!strcmp(s, name)) return true;
    return false;
}

/* The first `c` outside parentheses, or NULL. */
static char *outside(char *s, char c) {
    int depth = 0;
    for (; *s; s++) {
        if (*s == '(') depth++;
        if (*s == ')') depth--;
        if (*s == c && depth <= 0) return s;
    }
    return NULL;
}

/* A name that is neither a quantity nor a group. */
static perp_status unknown(plot_data *d, const char *what) {
    const char *words[32];
    int n = 0;
    for (; n < 31 && plot_groups[n].name; n++) words[n] = plot_groups[n].name;
    words[n] = NULL;
    char list[256] = "", found[200];
    for (int i = 0; i < n; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
    const char *near = pp_suggest(what, words);
    if (strchr(what, '.')) return PERP_E_NAME; /* the recording has reported similar names */
    char allowed[480];
    snprintf(allowed, sizeof allowed, "a quantity (--list names them) or %s%s%s%s", list, near ? "; did you mean " : "",
             near ? near : "", near ? "?" : "");
    pp_printable(found, sizeof found, what, strlen(what));
    return pp_complain(d->why, PERP_E_NAME, (pp_location){0}, "what", *what ? found : "nothing", allowed);
}

/* One curve: NAME or FIRST:SECOND. */
static perp_status add_one(plot_data *d, plot_sketch **k, char *what) {
    char *colon = is_series(d, what) ? NULL : outside(what, ':');
    int x = PLOT_TIME, y = 0;
    perp_status s = PERP_OK;
    if (colon) {
        *colon = 0;
        s = plot_get_series(d, what, &x);
        if (s == PERP_E_NAME) s = unknown(d, what);
        if (!s) what = colon + 1;
    }
    if (!s) {
        s = plot_get_series(d, what, &y);
        if (s == PERP_E_NAME) s = unknown(d, what);
    }
    if (s) return s;
    const plot_quantity *qy = &d->quantity[y];
    const char *ylabel = plot_with_unit(d, qy->name, qy->unit);
    const char *xlabel = x == PLOT_TIME ? NULL : plot_with_unit(d, d->quantity[x].name, d->quantity[x].unit);
    const char *label = x == PLOT_TIME ? qy->name : plot_say(d, "%s : %s", d->quantity[x].name, qy->name);
    if (!*k) {
        *k = plot_add_sketch(d, ylabel);
        if (!*k) return plot_no_memory(d);
        (*k)->xlabel = xlabel;
    } else {
        if (!(*k)->xlabel != !xlabel)
            return pp_complain(d->why, PERP_E_ARG, (pp_location){0}, "what", label,
                               "in one panel, either all over time or all FIRST:SECOND");
        /* several curves: the axis shows the unit if all have the same */
        const plot_curve *c = &(*k)->curve[0];
        bool same = true, same_x = true;
        for (int i = 0; i < (*k)->ncurve; i++) {
            same = same && !strcmp(d->quantity[(*k)->curve[i].y].unit, qy->unit);
            same_x = same_x && (x == PLOT_TIME || (*k)->curve[i].x == x);
        }
        (*k)->ylabel = same ? (*qy->unit ? plot_with_unit(d, "", qy->unit) : "") : "";
        if (!same)
            for (int i = 0; i < (*k)->ncurve && c; i++)
                (*k)->curve[i].label =
                    plot_with_unit(d, d->quantity[(*k)->curve[i].y].name, d->quantity[(*k)->curve[i].y].unit);
        if (!same) label = ylabel;
        if (!same_x)
            (*k)->xlabel = !strcmp(d->quantity[c->x].unit, d->quantity[x].unit) && *d->quantity[x].unit
                               ? plot_with_unit(d, "", d->quantity[x].unit)
                               : "";
        else if (x != PLOT_TIME)
            label = same ? qy->name : ylabel;
    }
    return plot_add_curve(d, *k, x, y, label, PLOT_NEXT, 0);
}

static perp_status add_what(plot_data *d, const char *what) {
    bool known = false;
    perp_status s = plot_add_group(d, what, &known);
    if (s || known) return s;
    char *copy = (char *)plot_say(d, "%s", what);
    if (!copy) return plot_no_memory(d);
    plot_sketch *k = NULL;
    if (is_series(d, copy)) return add_one(d, &k, copy);
    for (char *at = copy; at;) {
        char *comma = outside(at, ',');
        if (comma) *comma++ = 0;
        s = add_one(d, &k, at); /* adds a panel only the first time, so that k stays where it is */
        if (s) return s;
        at = comma;
    }
    return PERP_OK;
}

/* All panels into the first. */
static perp_status join(plot_data *d) {
    plot_sketch *all = &d->sketch[0];
    for (int i = 0; i < d->nsketch; i++) {
        plot_sketch *k = &d->sketch[i];
        if (k->nrow > 0 || !k->xlabel != !all->xlabel)
            return pp_complain(d->why, PERP_E_ARG, (pp_location){0}, "together",
                               k->nrow > 0 ? "states" : "curves over time and in the plane",
                               "panels whose axes fit together");
        if (i == 0) continue;
        if (strcmp(all->ylabel, k->ylabel) != 0) { /* the labels of the axes move to the lines */
            const char *unit = "";
            bool same = true;
            for (int pass = 0; pass < 2; pass++)
                for (int c = 0; c < (pass ? k : all)->ncurve; c++) {
                    const char *u = d->quantity[(pass ? k : all)->curve[c].y].unit;
                    if (pass == 0 && c == 0) unit = u;
                    same = same && !strcmp(unit, u);
                }
            all->ylabel = same && *unit ? plot_with_unit(d, "", unit) : "";
            if (!all->ylabel) return plot_no_memory(d);
        }
        if (all->xlabel && strcmp(all->xlabel, k->xlabel) != 0) all->xlabel = "";
        all->logy = all->logy || k->logy;
        all->equal = all->equal && k->equal;
        for (int c = 0; c < k->ncurve; c++) {
            perp_status s = plot_add_curve(d, all, k->curve[c].x, k->curve[c].y, k->curve[c].label, PLOT_NEXT, 0);
            if (s) return s;
        }
    }
    for (int c = 0; c < all->ncurve && d->nsketch > 1; c++) {
        all->curve[c].colour = PLOT_NEXT;
        all->curve[c].dash = 0;
        if (!*all->ylabel) {
            const plot_quantity *y = &d->quantity[all->curve[c].y];
            if (*y->unit && !strchr(all->curve[c].label, '['))
                all->curve[c].label = plot_with_unit(d, all->curve[c].label, y->unit);
        }
        if (!all->curve[c].label) return plot_no_memory(d);
    }
    d->nsketch = 1;
    return PERP_OK;
}

/* ---- opening ---- */

static const char *base_name(plot_data *d, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return plot_say(d, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

static perp_status open_source(plot_data *d, plot_source *s) {
    perp_status status = perp_recording_open(s->path, &s->r, d->why);
    if (status) return status;
    s->info = perp_recording_about(s->r);
    double *time = NULL;
    status = read_series(d, s, "time", &time);
    if (status) return status;
    long n = (long)s->info->frames, first = 0, end = n;
    while (first < end && time[first] < d->q->from) first++;
    while (end > first && time[end - 1] > d->q->to) end--;
    if (first == end) {
        char found[96], allowed[96];
        snprintf(found, sizeof found, "no frame from %g to %g", isnan(d->q->from) ? s->info->t0 : d->q->from,
                 isnan(d->q->to) ? s->info->t1 : d->q->to);
        snprintf(allowed, sizeof allowed, "times within %g to %g", s->info->t0, s->info->t1);
        return pp_complain(d->why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "", found, allowed);
    }
    s->first = (uint64_t)first;
    s->n = end - first;
    s->time = time + first;
    return PERP_OK;
}

static perp_status open_all(plot_data *d) {
    const plot_request *q = d->q;
    if (q->nrecording < 1)
        return pp_complain(d->why, PERP_E_ARG, (pp_location){0}, "recording", "none",
                           "one recording or more (files that end in .h5)");
    d->source = pp_arena_zero(&d->arena, (size_t)q->nrecording * sizeof *d->source);
    if (!d->source) return plot_no_memory(d);
    for (int i = 0; i < q->nrecording; i++) {
        plot_source *s = &d->source[i];
        d->nsource = i + 1;
        s->path = q->recording[i];
        s->label = q->label ? q->label[i] : base_name(d, s->path);
        if (!s->label) return plot_no_memory(d);
        perp_status status = open_source(d, s);
        if (status) return status;
    }
    for (int i = 0; i < d->nsource && !q->label; i++) /* names that are the same in different folders */
        for (int k = 0; k < i; k++)
            if (!strcmp(d->source[i].label, d->source[k].label)) {
                d->source[i].label = d->source[i].path;
                d->source[k].label = d->source[k].path;
            }
    return PERP_OK;
}

static void close_all(plot_data *d) {
    for (int i = 0; i < d->nsource; i++) perp_recording_close(d->source[i].r);
    pp_arena_free(&d->arena);
}

/* Opens the recordings and makes all panels. */
static perp_status prepare(plot_data *d, const plot_request *q, perp_refusal *why) {
    static const char *const usual[] = {"energy", "certificate"};
    memset(d, 0, sizeof *d);
    d->q = q;
    d->why = why;
    pp_arena_init(&d->arena, (perp_allocator){0});
    perp_status s = open_all(d);
    int n = q->nwhat > 0 ? q->nwhat : 2;
    for (int i = 0; !s && i < n; i++) s = add_what(d, q->nwhat > 0 ? q->what[i] : usual[i]);
    if (!s && d->nsketch == 0)
        s = pp_complain(why, PERP_E_ARG, (pp_location){d->source[0].path, 0, 0}, "what", "nothing to draw",
                        "a quantity (--list names them)");
    if (!s && q->together) s = join(d);
    return s;
}

/* ---- figures ---- */

static bool all_zero(const double *v, long n) {
    for (long i = 0; i < n; i++)
        if (!(v[i] == 0 || isnan(v[i]))) return false;
    return true;
}

/* Lines of a panel. One recording: a line for each curve. Several: colours tell recordings, dashes quantities; both in
 * the legend. */
static perp_status make_lines(plot_data *d, const plot_sketch *k, plot_panel *p, plot_report *report) {
    bool many = d->nsource > 1, mixed = many && k->ncurve > 1;
    plot_line *line =
        pp_arena_zero(&d->arena, (size_t)(k->ncurve * d->nsource + k->ncurve + d->nsource + 1) * sizeof *line);
    if (!line) return plot_no_memory(d);
    int n = 0;
    for (int c = 0; c < k->ncurve; c++) {
        const plot_curve *u = &k->curve[c];
        for (int s = 0; s < d->nsource; s++) {
            const double *y = d->quantity[u->y].v[s],
                         *x = u->x == PLOT_TIME ? d->source[s].time : d->quantity[u->x].v[s];
            if (!x || !y) continue;
            plot_line *l = &line[n++];
            *l = (plot_line){.x = x, .y = y, .n = d->source[s].n, .mark = d->q->marks ? 'o' : u->mark};
            l->colour = many ? s : u->colour;
            l->dash = mixed ? 1 + c % PLOT_DASHES : many ? 0 : u->dash;
            if (!mixed)
                l->label = many            ? d->source[s].label
                           : k->ncurve > 1 ? u->label
                           : d->q->label   ? d->source[s].label
                                           : NULL;
            if (p->logy && l->label && all_zero(y, l->n)) l->label = plot_say(d, "%s (zero)", l->label);
            if (report) report->lines++, report->points += l->n;
        }
    }
    for (int s = 0; mixed && s < d->nsource; s++)
        line[n++] = (plot_line){.label = d->source[s].label, .colour = s, .dash = 1};
    for (int c = 0; mixed && c < k->ncurve; c++) {
        const char *label = k->curve[c].label;
        bool zero = p->logy;
        for (int s = 0; s < d->nsource; s++)
            zero =
                zero && (!d->quantity[k->curve[c].y].v[s] || all_zero(d->quantity[k->curve[c].y].v[s], d->source[s].n));
        if (zero) label = plot_say(d, "%s (zero)", label);
        line[n++] = (plot_line){.label = label, .colour = PLOT_INK, .dash = 1 + c % PLOT_DASHES};
    }
    if (k->floor > 0 && p->logy && isnan(p->ymin)) {
        double low = INFINITY, high = 0;
        for (int i = 0; i < n; i++)
            for (long f = 0; f < line[i].n; f++) {
                if (line[i].y[f] > 0 && line[i].y[f] < low) low = line[i].y[f];
                if (line[i].y[f] > high) high = line[i].y[f];
            }
        if (low < k->floor && high > k->floor) p->ymin = k->floor;
    }
    p->line = line;
    p->nline = n;
    return PERP_OK;
}

/* The band chart of a recording: a state at a frame holds from the frame before. */
static perp_status make_bands(plot_data *d, const plot_sketch *k, plot_panel *p, plot_report *report) {
    static const char *const state[] = {"separating", "sticking", "sliding"};
    const plot_source *s = &d->source[k->source];
    long count = 0;
    for (int pass = 0; pass < 2; pass++) {
        plot_band *band = pass ? pp_arena_get(&d->arena, (size_t)(count + 1) * sizeof *band) : NULL;
        if (pass && !band) return plot_no_memory(d);
        p->band = band;
        p->nband = count;
        count = 0;
        for (int r = 0; r < k->nrow; r++) {
            const double *v = d->quantity[k->row[r]].v[k->source];
            for (long i = 1; i < s->n;) {
                long j = i;
                while (j < s->n && v[j] == v[i]) j++;
                if (!isnan(v[i])) {
                    if (band) band[count] = (plot_band){r, s->time[i - 1], s->time[j - 1], (int)v[i]};
                    count++;
                }
                i = j > i ? j : i + 1;
            }
        }
    }
    const char **row = pp_arena_get(&d->arena, (size_t)(k->nrow + 1) * sizeof *row);
    if (!row) return plot_no_memory(d);
    for (int r = 0; r < k->nrow; r++) { /* "state(block,floor)": block - floor */
        const char *name = d->quantity[k->row[r]].name;
        const char *open = strchr(name, '('), *comma = strchr(name, ',');
        row[r] = open && comma ? plot_say(d, "%.*s \xe2\x80\x93 %.*s", (int)(comma - open - 1), open + 1,
                                          (int)strlen(comma + 1) - 1, comma + 1)
                               : name;
        if (!row[r]) return plot_no_memory(d);
    }
    p->row = row;
    p->nrow = k->nrow;
    p->state = state;
    p->nstate = 3;
    p->logy = false;
    if (report) report->lines += k->nrow, report->points += count;
    return PERP_OK;
}

static perp_status make_panel(plot_data *d, const plot_sketch *k, plot_panel *p, plot_report *report) {
    const plot_request *q = d->q;
    bool over_time = !k->xlabel;
    const char *unit = perp_recording_unit(d->source[0].r, "time");
    const char *time = plot_with_unit(d, "time", unit);
    if (!time) return plot_no_memory(d);
    *p = (plot_panel){.title = k->title, .xmin = q->xmin, .xmax = q->xmax, .ymin = q->ymin, .ymax = q->ymax};
    p->xlabel = q->xlabel ? q->xlabel : over_time ? time : k->xlabel;
    p->ylabel = q->ylabel ? q->ylabel : k->ylabel;
    p->logx = q->logx;
    p->logy = q->logy || k->logy;
    p->equal = !over_time && (q->equal || k->equal) && !p->logx && !p->logy;
    p->shared = over_time;
    return k->nrow > 0 ? make_bands(d, k, p, report) : make_lines(d, k, p, report);
}

perp_status plot_recordings_report(const plot_request *q, plot_report *report, perp_refusal *why) {
    perp_status s = plot_check_output(q->output, why);
    if (s) return s;
    plot_data d;
    if (report) *report = (plot_report){0};
    s = prepare(&d, q, why);
    if (!s && !q->label) plot_label_by_parameters(&d);
    plot_panel *panel = s ? NULL : pp_arena_zero(&d.arena, (size_t)d.nsketch * sizeof *panel);
    if (!s && !panel) s = plot_no_memory(&d);
    for (int i = 0; !s && i < d.nsketch; i++) s = make_panel(&d, &d.sketch[i], &panel[i], report);
    if (!s) {
        plot_figure f = plot_requested(q, panel, d.nsketch);
        s = plot_write(&f, q->output, why);
        if (!s && report) {
            report->panels = d.nsketch;
            plot_size(&f, &report->width, &report->height);
        }
    }
    close_all(&d);
    return s;
}

perp_status plot_recordings(const plot_request *q, perp_refusal *why) { return plot_recordings_report(q, NULL, why); }

/* ---- CSV ---- */

typedef struct text {
    char *data;
    size_t size, room;
    bool failed;
} text;

static void put(text *t, const char *s, size_t n) {
    if (t->size + n + 1 > t->room && !t->failed) {
        size_t room = 2 * (t->size + n) + 4096;
        char *more = realloc(t->data, room);
        if (more)
            t->data = more, t->room = room;
        else
            t->failed = true;
    }
    if (t->failed) return;
    memcpy(t->data + t->size, s, n);
    t->size += n;
    t->data[t->size] = 0;
}

/* A field in quotes where it needs them (RFC 4180). */
static void put_field(text *t, const char *s) {
    if (!s[strcspn(s, ",\"\r\n")]) {
        put(t, s, strlen(s));
        return;
    }
    put(t, "\"", 1);
    for (; *s; s++) put(t, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    put(t, "\"", 1);
}

static void put_number(text *t, double v) {
    char buffer[40];
    if (isnan(v)) return;
    int n = snprintf(buffer, sizeof buffer, "%.17g", v);
    put(t, buffer, (size_t)n);
}

perp_status plot_recordings_csv(const plot_request *q, char **out, size_t *size, plot_report *report,
                                perp_refusal *why) {
    plot_data d;
    *out = NULL;
    *size = 0;
    perp_status s = prepare(&d, q, why);
    bool *used = s ? NULL : pp_arena_zero(&d.arena, (size_t)d.nquantity + 1);
    if (!s && !used) s = plot_no_memory(&d);
    if (!s) {
        for (int i = 0; i < d.nsketch; i++) {
            for (int c = 0; c < d.sketch[i].ncurve; c++) {
                used[d.sketch[i].curve[c].y] = true;
                if (d.sketch[i].curve[c].x != PLOT_TIME) used[d.sketch[i].curve[c].x] = true;
            }
            for (int r = 0; r < d.sketch[i].nrow; r++) used[d.sketch[i].row[r]] = true;
        }
        plot_report sum = {.panels = d.nsketch};
        text t = {0};
        if (d.nsource > 1) put(&t, "recording,", 10);
        put_field(&t, plot_with_unit(&d, "time", perp_recording_unit(d.source[0].r, "time")));
        for (int k = 0; k < d.nquantity; k++) {
            if (!used[k]) continue;
            const char *name = plot_with_unit(&d, d.quantity[k].name, d.quantity[k].unit);
            put(&t, ",", 1);
            put_field(&t, name ? name : "");
            sum.lines++;
        }
        put(&t, "\n", 1);
        for (int i = 0; i < d.nsource && !t.failed; i++) {
            for (long f = 0; f < d.source[i].n; f++) {
                if (d.nsource > 1) {
                    put_field(&t, d.source[i].label);
                    put(&t, ",", 1);
                }
                put_number(&t, d.source[i].time[f]);
                for (int k = 0; k < d.nquantity; k++) {
                    if (!used[k]) continue;
                    put(&t, ",", 1);
                    if (d.quantity[k].v[i]) put_number(&t, d.quantity[k].v[i][f]);
                }
                put(&t, "\n", 1);
                sum.points++;
            }
        }
        if (t.failed) {
            free(t.data);
            s = plot_no_memory(&d);
        } else {
            *out = t.data;
            *size = t.size;
            if (report) *report = sum;
        }
    }
    close_all(&d);
    return s;
}
