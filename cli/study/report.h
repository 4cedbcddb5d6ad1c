/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* report.h - the report of a study: tables, maps, plots, histograms and checks, as its file defines them. */
#ifndef CLI_STUDY_REPORT_H
#define CLI_STUDY_REPORT_H

#include "cli.h"
#include "study/check.h"
#include "study/table.h"

enum { REPORT_AXES = 8, REPORT_BY = 3 };
typedef enum report_kind {
    REPORT_MAP,
    REPORT_TABLE,
    REPORT_PLOT,
    REPORT_HISTOGRAM,
    REPORT_SCATTER,
    REPORT_LINES
} report_kind;
typedef enum report_show {
    SHOW_AUTO, /* fraction if the measure is 0 or 1 in all trials, else mean */
    SHOW_FRACTION,
    SHOW_MEAN,
    SHOW_MEDIAN,
    SHOW_DEVIATION,
    SHOW_SMALLEST,
    SHOW_LARGEST,
    SHOW_TOTAL
} report_show;

/* A curve through points that are expressions over trials. */
typedef struct report_line {
    const char *label;
    int n;
    pp_aggregate **x, **y; /* n each */
    double *at;            /* n abscissas, then n ordinates, once they are evaluated */
} report_line;

typedef struct report_entry {
    report_kind kind;
    int measure;             /* index among parameters and measures */
    int x, y, by[REPORT_BY]; /* axes; -1: none. A table has rows y and columns x. Scatter: columns of the trials */
    int nby;
    report_show show;
    const char *measure_name, *title, *about, *file, *xlabel, *ylabel;
    double contour; /* NAN: none */
    int bins;
    bool logx, logy;
    report_line *line; /* of REPORT_LINES */
    int nline;
    char key[32];
} report_entry;

/* A check and its expressions over trials. */
typedef struct report_check {
    pp_aggregate *value, *reference, *bound;
} report_check;

/* Named expressions over trials, for checks and curves. Later ones may use earlier ones. */
typedef struct report_values {
    const char *name[PP_STUDY_NAMES];
    pp_aggregate *x[PP_STUDY_NAMES];
    double value[PP_STUDY_NAMES];
    int n;
} report_values;

typedef struct report {
    const pp_study *study;
    report_values values;
    report_entry *entry;
    int nentry;
    study_check *check;   /* what is told */
    report_check *source; /* how each is computed */
    int ncheck;
} report;

/* Reads `values`, `report` and `checks` of a study; errors in them are reported before any trial runs. Without `report` there is a
 * table, and a map if two variables vary. */
perp_status report_read(const pp_study *s, report *out, perp_refusal *why);
void report_free(report *r);
/* Evaluates values, curves and checks; true in *ok if all checks hold. */
perp_status report_evaluate(report *r, const pp_table *t, bool *ok, perp_refusal *why);
/* Tables and checks as text or Markdown. */
perp_status report_print(const report *r, const pp_table *t, FILE *to, bool markdown, perp_refusal *why);
void report_json(const report *r, const pp_table *t, json *j);
/* Figures into a folder, named by the entries; *n: how many. figure.c */
perp_status report_figures(const report *r, const pp_table *t, const char *folder, int *n, perp_refusal *why);
/* Markdown page with tables and figures. page.c */
perp_status report_page(const report *r, const pp_table *t, const char *path, const char *figures, perp_refusal *why);
/* File name of the figure of an entry, such as map-success.svg. */
void report_file_name(const report *r, int entry, char *out, size_t size);

/* ---- values.c: expressions over trials ---- */

perp_status report_values_read(const pp_study *s, report_values *out, perp_refusal *why);
void report_values_free(report_values *v);
perp_status report_values_evaluate(report_values *v, const pp_table *t, perp_refusal *why);
/* The curves at the list `list` of an entry. The caller frees the entry with report_lines_free(), also after an error. */
perp_status report_lines_read(const report *r, uint32_t list, report_entry *e, perp_refusal *why);
void report_lines_free(report_entry *e);
perp_status report_lines_evaluate(const report *r, report_entry *e, const pp_table *t, perp_refusal *why);

/* ---- grid.c: trials by cell ---- */

/* What is shown of the trials of each combination of some axes, the last fastest. */
typedef struct grid {
    uint64_t cells;
    pp_cell *cell;
    double *value, *low, *high; /* what is shown, and its interval: Wilson's, or twice the standard error of the mean */
    report_show show;
} grid;
perp_status grid_make(const pp_table *t, int measure, const int *axis, int naxis, report_show show, grid *out,
                      perp_refusal *why);
/* The same for cells of any kind. */
typedef struct grid_cells {
    uint64_t n;
    uint64_t (*of)(const void *ctx, const pp_row *row); /* the cell of a trial; n or more: it is in none */
    const void *ctx;
} grid_cells;
perp_status grid_make_of(const pp_table *t, int measure, const grid_cells *cells, report_show show, grid *out,
                         perp_refusal *why);
void grid_free(grid *g);
/* Least and largest of what is shown, with the ends of the intervals if asked; lo < hi. A fraction has 0 and 1. */
void grid_range(const grid *g, bool intervals, double *lo, double *hi);
/* "fraction", "mean", ... */
const char *report_show_word(report_show s);
/* Name of combination k of the variables of `by`: "surface medium, jaw high". */
void report_combination(const pp_study *s, const report_entry *e, uint64_t k, char *out, size_t size);
/* How value i of an axis is written. */
void report_axis_value(const pp_study *s, int axis, int i, char *out, size_t size);

#endif
