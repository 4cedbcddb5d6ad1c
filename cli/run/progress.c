/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* progress.c - the line of a running simulation: bar, simulated time, speed, worst figures so far, time left. */
#include <math.h>
#include <string.h>

#include "run/progress.h"

void progress_begin(progress *p, bool on, uint64_t done, uint64_t total, double end) {
    double now = on ? pp_clock() : 0;
    *p = (progress){.on = on, .begun = now, .last = now, .end = end, .done0 = done, .last_done = done, .total = total};
}

/* The bar, `width` cells; in UTF-8 the last cell is filled by eighths. */
static void draw_bar(char *out, size_t size, double part, int width) {
    static const char *const eighth[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
    bool fine = cli_utf8();
    *out = 0;
    double cells = part * width;
    int full = (int)cells, rest = (int)(8 * (cells - full)), n = 0, used = full;
    for (int i = 0; i < full; i++) n += snprintf(out + n, size - (size_t)n, "%s", fine ? "\u2588" : "#");
    if (fine && full < width && rest > 0) n += snprintf(out + n, size - (size_t)n, "%s", eighth[rest]), used++;
    for (int i = used; i < width; i++) n += snprintf(out + n, size - (size_t)n, fine ? "\u00b7" : ".");
}

static void left(char *out, size_t size, double s) {
    if (!(s >= 0) || s > 360000)
        snprintf(out, size, "-:--");
    else if (s < 3600)
        snprintf(out, size, "%d:%02d", (int)s / 60, (int)s % 60);
    else
        snprintf(out, size, "%d:%02d:%02d", (int)s / 3600, (int)s / 60 % 60, (int)s % 60);
}

static void draw(progress *p, uint64_t done, double t, double law, double overlap) {
    double part = p->total > 0 ? (double)done / (double)p->total : 1;
    char bar[256], time[16], rest[160], line[512];
    left(time, sizeof time, p->rate > 0 ? ceil((double)(p->total - done) / p->rate) : NAN);
    char rate[32];
    cli_rate(rate, sizeof rate, p->rate);
    int n = snprintf(rest, sizeof rest, " %3.0f %%  t %.4g of %.4g  %s steps/s  laws %.2g  overlap %.2g  %s left",
                     floor(100 * part), t, p->end, rate, law, overlap, time);
    int columns = cli_width(stderr), cells = columns - 1 - n;
    if (cells > 24) cells = 24;
    if (columns == p->columns && cells > p->cells) cells = p->cells;
    p->columns = columns;
    p->cells = cells;
    if (cells < 4) cells = 0; /* a narrow terminal has no bar */
    draw_bar(bar, sizeof bar, part, cells);
    snprintf(line, sizeof line, "%s%.*s", bar, columns > 1 ? columns - 1 : 0, cells ? rest : rest + 1);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    p->drawn = true;
}

void progress_step(progress *p, double now, uint64_t done, double t, double law, double overlap) {
    if (!p->on || now - p->last < 0.1) return;
    double fresh = (double)(done - p->last_done) / (now - p->last);
    /* an average over some seconds: steps differ in cost, and the time left should not jump */
    double weight = 1 - exp(-(now - p->last) / 3);
    double mean = (double)(done - p->done0) / (now - p->begun);
    p->rate = now - p->begun < 3 ? mean : p->rate + weight * (fresh - p->rate);
    p->last = now;
    p->last_done = done;
    draw(p, done, t, law, overlap);
}

void progress_end(progress *p) {
    if (!p->drawn) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->drawn = false;
}
