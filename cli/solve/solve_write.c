/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_write.c - results of solvers and histories of residuals as files: CSV for spreadsheets and scripts, HDF5 for
 * long histories.
 *
 * Results, a line for each problem and solver:  problem,class,size,contacts,solver,status,iterations,factorisations,
 *   seconds,natural,siconos,complementarity,largest,figure,violated,rounding,blind,worst
 * Histories, a line for each iteration:         problem,solver,iteration,seconds,natural,siconos
 * The HDF5 form has the attributes format = "perp trace" and version = 1, the last four columns as datasets of those
 * names, `start` (where each history begins, and the end), and the names as `problems` and `solvers`, one on a line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/h5_write.h"
#include "solve/solve.h"

static bool ends(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

bool solve_name_fits(const char *path, bool trace) {
    return ends(path, ".csv") || (trace && (ends(path, ".h5") || ends(path, ".hdf5")));
}

/* ---- CSV ---- */

static void put(pp_image *m, const char *text) { pp_image_add(m, text, strlen(text)); }

/* In quotes where it needs them (RFC 4180). */
static void put_field(pp_image *m, const char *text, const char *after) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        put(m, text);
    } else {
        put(m, "\"");
        for (; *text; text++) pp_image_add(m, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
        put(m, "\"");
    }
    put(m, after);
}

static void put_number(pp_image *m, double x, const char *after) {
    char text[40];
    snprintf(text, sizeof text, "%.10g%s", x, after);
    put(m, text);
}

static void put_whole(pp_image *m, int x) {
    char text[16];
    snprintf(text, sizeof text, "%d,", x);
    put(m, text);
}

static perp_status finish(const char *path, pp_image *m, perp_refusal *why) {
    perp_status s = m->failed
                        ? pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "no memory to write it")
                        : pp_place_file(path, m->data, m->size, why);
    pp_image_free(m);
    return s;
}

perp_status solve_write_results(const char *path, const solve_row *row, int nrow, perp_refusal *why) {
    pp_image m = {0};
    put(&m, "problem,class,size,contacts,solver,status,iterations,factorisations,seconds,natural,siconos,"
            "complementarity,largest,figure,violated,rounding,blind,worst\n");
    for (int i = 0; i < nrow; i++) {
        const solve_row *r = &row[i];
        put_field(&m, r->problem, ",");
        put_field(&m, perp_class_name(r->cls), ",");
        put_whole(&m, r->size);
        put_whole(&m, r->contacts);
        put_field(&m, r->solver, ",");
        put_field(&m, solve_word(r), ",");
        put_whole(&m, r->info.iterations);
        put_whole(&m, r->info.factorisations);
        put_number(&m, r->seconds, ",");
        put_number(&m, r->measures.natural, ",");
        put_number(&m, r->measures.siconos, ",");
        put_number(&m, r->measures.complementarity, ",");
        put_number(&m, r->measures.largest, ",");
        put_number(&m, r->verdict.figure, ",");
        put_whole(&m, r->verdict.violated);
        put_whole(&m, r->verdict.rounding);
        put_whole(&m, r->verdict.blind);
        put_number(&m, r->verdict.worst, "\n");
    }
    return finish(path, &m, why);
}

static void traces_csv(const solve_row *row, int nrow, pp_image *m) {
    put(m, "problem,solver,iteration,seconds,natural,siconos\n");
    for (int i = 0; i < nrow; i++) {
        const solve_history *h = &row[i].history;
        for (int k = 0; k < h->count; k++) {
            put_field(m, h->problem, ",");
            put_field(m, h->solver, ",");
            put_whole(m, h->point[k].iteration);
            put_number(m, h->point[k].seconds, ",");
            put_number(m, h->point[k].natural, ",");
            put_number(m, h->point[k].siconos, "\n");
        }
    }
}

/* ---- HDF5 ---- */

typedef struct columns {
    int *iteration, *start;
    double *value[3]; /* seconds, natural, siconos */
    pp_image problems, solvers;
    size_t points;
    int traces;
} columns;

static void columns_free(columns *c) {
    free(c->iteration);
    free(c->start);
    for (int k = 0; k < 3; k++) free(c->value[k]);
    pp_image_free(&c->problems);
    pp_image_free(&c->solvers);
}

/* Writes the name on one line, also if it contains line breaks. */
static void put_line(pp_image *m, const char *name) {
    for (; *name; name++) pp_image_add(m, *name == '\n' || *name == '\r' ? " " : name, 1);
    put(m, "\n");
}

static bool gather(const solve_row *row, int nrow, columns *c) {
    *c = (columns){0};
    for (int i = 0; i < nrow; i++) c->points += (size_t)row[i].history.count;
    c->iteration = malloc((c->points + 1) * sizeof *c->iteration);
    c->start = malloc(((size_t)nrow + 1) * sizeof *c->start);
    bool ok = c->iteration && c->start && c->points < 1u << 30;
    for (int k = 0; k < 3; k++) ok = (c->value[k] = malloc((c->points + 1) * sizeof(double))) && ok;
    int at = 0;
    for (int i = 0; ok && i < nrow; i++) {
        const solve_history *h = &row[i].history;
        if (!h->count) continue;
        c->start[c->traces++] = at;
        for (int k = 0; k < h->count; k++, at++) {
            c->iteration[at] = h->point[k].iteration;
            c->value[0][at] = h->point[k].seconds;
            c->value[1][at] = h->point[k].natural;
            c->value[2][at] = h->point[k].siconos;
        }
        put_line(&c->problems, h->problem);
        put_line(&c->solvers, h->solver);
    }
    if (ok) c->start[c->traces] = at;
    return ok && !c->problems.failed && !c->solvers.failed;
}

static perp_status traces_h5(const char *path, const solve_row *row, int nrow, pp_image *out, perp_refusal *why) {
    columns c;
    if (!gather(row, nrow, &c)) {
        columns_free(&c);
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "no memory to write it");
    }
    pp_image_add(&c.problems, "", 1);
    pp_image_add(&c.solvers, "", 1);
    pp_h5_writer w = pp_h5_begin();
    pp_h5_put_text(&w, "format", "perp trace");
    pp_h5_put_int(&w, "version", 1);
    pp_h5_put_ints(&w, "start", c.start, (size_t)c.traces + 1, -1);
    pp_h5_put_ints(&w, "iteration", c.iteration, c.points, -1);
    pp_h5_put_doubles(&w, "seconds", c.value[0], c.points, -1);
    pp_h5_put_doubles(&w, "natural", c.value[1], c.points, -1);
    pp_h5_put_doubles(&w, "siconos", c.value[2], c.points, -1);
    pp_h5_put_words(&w, "problems", c.problems.data ? c.problems.data : "");
    pp_h5_put_words(&w, "solvers", c.solvers.data ? c.solvers.data : "");
    perp_status s = pp_h5_end(&w, path, out, why);
    columns_free(&c);
    return s;
}

perp_status solve_write_traces(const char *path, const solve_row *row, int nrow, perp_refusal *why) {
    pp_image m = {0};
    if (ends(path, ".csv")) {
        traces_csv(row, nrow, &m);
    } else {
        perp_status s = traces_h5(path, row, nrow, &m, why);
        if (s) {
            pp_image_free(&m);
            return s;
        }
    }
    return finish(path, &m, why);
}
