/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve.h - perp solve: solves problem files, prints the results and writes them to files.
 *
 * command_solve.c reads the command line and loops over the problems; solve_find.c finds files, solve_settings.c reads names and
 * settings of solvers, solve_run.c solves and measures, solve_print.c prints; solve_write.c writes tables
 * of results and histories of residuals, solve_read.c reads them for plots. */
#ifndef SOLVE_H
#define SOLVE_H

#include "cli.h"
#include "perp/solver.h"

/* ---- files of problems (solve_find.c) ---- */

typedef struct solve_file {
    char *path;
    bool searched; /* found in a folder: passed over if it is a recording or something else in HDF5 */
} solve_file;

typedef struct solve_files {
    solve_file *file;
    int count, cap;
} solve_files;

/* Files as given, and those of folders (and folders in them) that end as problems do, by name. Refuses what is not
 * there, and folders without any. */
perp_status solve_find(const char *operand, solve_files *out, perp_refusal *why);
void solve_files_free(solve_files *f);

/* ---- solvers and their settings (solve_settings.c) ---- */

typedef struct solve_set {
    const perp_solver_type *type;
    perp_setting setting;
} solve_set;

typedef struct solve_choice {
    const perp_solver_type *solver[64]; /* in the order of the list */
    int nsolver;
    bool all; /* every one that takes the class */
    solve_set *set;
    int nset;
} solve_choice;

/* Reads --solver and --set; returns CLI_OK, or another code after a complaint. */
int solve_choose(const cli_args *a, solve_choice *out);
void solve_choice_free(solve_choice *c);
/* All solvers with the classes they take and their settings. */
void solve_list(bool as_json);

/* ---- solving (solve_run.c) ---- */

/* A problem as it is solved. */
typedef struct solve_problem {
    const char *path;
    perp_problem_format format;
    perp_stored *stored;
    perp_stored *pyramid;        /* the same with friction pyramids; NULL: cones as they are */
    const perp_problem *problem; /* of one of the two */
    perp_judge *judge;           /* of `problem` */
} solve_problem;

/* Reads it; facets > 0: cones in space become pyramids with so many sides. */
perp_status solve_open(const char *path, int facets, solve_problem *out, perp_refusal *why);
void solve_close(solve_problem *p);

/* One point of a history. */
typedef struct solve_point {
    int iteration;
    double seconds, natural, siconos;
} solve_point;

typedef struct solve_history {
    const char *problem, *solver; /* borrowed */
    solve_point *point;
    int count, cap;
} solve_history;

#define SOLVE_TOL 1e-9 /* figure that counts as solved if none is asked for: perp_solve()'s own */

typedef struct solve_options {
    double tol, time_limit;      /* 0: the library's own; none */
    bool warm, traced, progress; /* progress: a line on stderr while it solves */
    int repeat;                  /* times to solve; the fastest counts */
} solve_options;

/* What a solver made of a problem. */
typedef struct solve_row {
    const char *problem; /* path; borrowed */
    perp_class cls;
    int size, contacts;
    const char *solver;
    perp_status status; /* of perp_solve() */
    perp_solve_info info;
    perp_measures measures;
    perp_verdict verdict;     /* on the answer, at the tolerance asked for */
    perp_contradiction proof; /* of a problem that was not solved: what is known of its answers */
    double seconds;           /* wall time, less what watching took */
    double processor;         /* processor time of all threads, of the fastest try [s] */
    bool pyramid;
    perp_measures cone; /* with a pyramid: the answer as one of the cone problem */
    solve_history history;
} solve_row;

bool solve_fits(const perp_solver_type *type, const perp_problem *p);
/* Solves; *z (perp_problem_size() of p->problem) is the answer. */
perp_status solve_run(const solve_problem *p, const perp_solver_type *type, const solve_choice *choice,
                      const solve_options *o, double *z, solve_row *out);
/* "solved", "claims it" (measured otherwise), "limit", "ray", "numerics", "too large", "stopped", "memory", "no fit". */
const char *solve_word(const solve_row *r);

/* ---- telling (solve_print.c) ---- */

typedef struct solve_table {
    FILE *to;
    int width;   /* of the names of problems */
    size_t skip; /* letters of the folder that all have in common */
    const char *last;
} solve_table;

void solve_table_begin(solve_table *t, FILE *to, const solve_files *files);
void solve_table_row(solve_table *t, const solve_row *r);
void solve_table_story(solve_table *t, const solve_row *r);
/* Why there is no answer, if that is known: the laws that fight, and what an answer would need. */
void solve_table_proof(solve_table *t, const solve_row *r);
/* A line on laws that are violated, or beyond the precision of numbers; nothing where all hold. */
void solve_table_verdict(solve_table *t, const solve_row *r);
/* One line for each solver: how many it solved of those it was tried on, and how long it took. */
void solve_table_sum(solve_table *t, const solve_row *row, int nrow);
void solve_json_row(json *j, const solve_row *r);

/* ---- the answer (solve_answer.c) ---- */

/* Does the name end in .csv or .json? */
bool solve_answer_fits(const char *path);
/* Fields "rows" and "contacts", or "z", of the open object. */
void solve_json_answer(json *j, const solve_problem *p, const double *z);
void solve_print_answer(FILE *to, const solve_problem *p, const double *z);
/* The answer z of row r as a CSV or JSON file, by its name. */
perp_status solve_write_answer(const char *path, const solve_problem *p, const solve_row *r, const double *z,
                               perp_refusal *why);

/* ---- files of figures (solve_write.c) ---- */

/* Is the end of the name one that can be written? Traces: .csv and .h5; results: .csv. */
bool solve_name_fits(const char *path, bool trace);
perp_status solve_write_results(const char *path, const solve_row *row, int nrow, perp_refusal *why);
perp_status solve_write_traces(const char *path, const solve_row *row, int nrow, perp_refusal *why);

/* ---- reading them again (solve_read.c) ---- */

typedef struct solve_figure {
    const char *problem, *solver;
    bool solved;
    double cost[3]; /* seconds, iterations, factorisations */
} solve_figure;

typedef struct solve_figures {
    solve_figure *row;
    solve_history *trace;
    int nrow, ntrace, cap_row, cap_trace;
    char *text; /* holds the names */
} solve_figures;

/* Reads a table of results, or histories. */
perp_status solve_read_results(const char *path, solve_figures *out, perp_refusal *why);
perp_status solve_read_traces(const char *path, solve_figures *out, perp_refusal *why);
void solve_figures_free(solve_figures *f);

#endif
