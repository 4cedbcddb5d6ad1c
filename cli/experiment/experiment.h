/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* experiment.h - an experiment: a folder with scenes, what is measured in their recordings, and what it should be.
 *
 * experiment.yaml is read strictly (experiment_read.c); its scenes are run and its expressions evaluated on the
 * recordings (experiment_run.c, experiment_eval.c); results become a table, JSON, plots and a documentation page
 * (command_experiment.c, experiment_plot.c, experiment_page.c). docs/experiments.md describes the file key by key. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "scene_override.h"
#include "cli.h"
#include "input/input.h"
#include "measure/formula.h"

#define EXPERIMENT_VERSION 1
#define EXPERIMENT_PATH    1200

/* An expression of the file; node 0: not given. */
typedef struct exp_expr {
    uint32_t node;
    pp_expr *code;
} exp_expr;

typedef struct exp_parameter {
    char name[64];
    double value;
} exp_parameter;

/* Values that a run may give in place of those of its scene. */
typedef override_values exp_instead;

enum { EXPERIMENT_AXES = 6 };

typedef struct exp_run {
    const char *name, *scene, *label;
    uint32_t set; /* map of parameters; 0: none */
    exp_instead instead;
    bool only_long; /* runs with --long only */
    bool may_fail;  /* if a step is not solved, the run ends and the experiment goes on */
    int sweep;      /* which sweep it belongs to; -1: none */
    int first;      /* number within the sweep */
    const char *axis_text[EXPERIMENT_AXES];
    double axis_value[EXPERIMENT_AXES]; /* NAN for words */
    bool skipped, ended_early;
    /* filled by experiment_prepare: */
    char scene_path[EXPERIMENT_PATH];
    exp_parameter *parameter; /* as the run has them */
    int nparameter, cap_parameter;
    perp_definition *define; /* what the scene is opened with */
    char (*define_value)[32];
    int ndefine;
    /* filled by experiment_run: */
    char recording[EXPERIMENT_PATH];
    perp_recording *rec;
    double *time;
    uint64_t frames;
    simulate_result result;
} exp_run;

typedef struct exp_named { /* of values and series */
    const char *name;
    exp_expr x;    /* values */
    uint32_t node; /* series: the scalar */
    double value;
} exp_named;

/* A variable of a sweep and the list of its values. The variable is a parameter of the scene, or one of the names
 * of exp_instead. */
typedef struct exp_axis {
    const char *name;
    uint32_t list;
    int n;
    bool word;
} exp_axis;

/* One scene run for every combination of some variables, and what is measured in each of these runs. */
typedef struct exp_sweep {
    const char *name, *scene;
    uint32_t over, set, measure;
    exp_instead instead;
    bool only_long, may_fail;
    exp_axis axis[EXPERIMENT_AXES];
    int naxis;
    int first, nrun; /* its runs in experiment.run; the last variable runs fastest */
    exp_named *measure_of;
    int nmeasure, cap_measure;
    double *result; /* nrun x nmeasure */
    char (*run_name)[64];
} exp_sweep;

typedef struct exp_check {
    const char *what, *unit, *published, *note;
    exp_expr value, reference, limit, below, above, when; /* when: applies only where this is not zero */
    /* filled by experiment_evaluate: */
    bool applies, ok;
    double got, expected, error, bound; /* expected and error are NAN without a reference */
} exp_check;

typedef struct exp_line {
    const char *label;
    uint32_t x, y; /* a text (series) or a list of expressions (points) */
    bool dashed, marks;
    /* of a sweep: x is a variable, y a measure, and there is a line for each value of `by`. With `each`, x and y
     * are series of every run */
    const char *sweep, *by, *take;
    bool each;
} exp_line;

/* A measure of a sweep against its variables; or several measures side by side. */
typedef struct exp_table {
    const char *title, *about, *sweep, *rows, *columns, *take, *unit;
    uint32_t value; /* a name or a list of names */
    exp_expr when;
    bool shown;
} exp_table;

typedef struct exp_plot {
    const char *file, *title, *about, *xlabel, *ylabel, *legend;
    uint32_t what, runs, lines;
    exp_expr from, to, when; /* when: drawn only where this is not zero */
    bool drawn;
    bool logx, logy, equal, marks, together;
    exp_line *line;
    int nline, cap_line;
} exp_plot;

/* The variables that an expression may use, and their values. */
typedef struct exp_scope {
    const char *const *name;
    const double *value;
    int n;
} exp_scope;

typedef struct experiment {
    char name[128], folder[EXPERIMENT_PATH], file[EXPERIMENT_PATH];
    char root
        [EXPERIMENT_PATH]; /* folder that all scenes and their files must lie in: that of the experiments, which share files */
    char *data;
    pp_tree tree;
    const char *title, *source, *about; /* strings point into the tree */
    exp_run *run;
    exp_named *value, *series;
    exp_check *check;
    exp_plot *plot;
    exp_sweep *sweep;
    exp_table *table;
    int nrun, nvalue, nseries, ncheck, nplot, nsweep, ntable;
    int cap_run, cap_value, cap_series, cap_check, cap_plot, cap_sweep, cap_table;
    bool take_long; /* --long was given: also runs that take long */
    int self;       /* run that an expression refers to if it names none; -1: none */
    /* names that expressions may use: parameters that all runs share, then values */
    const char **known;
    double *known_value;
    int nknown;
    const exp_scope *scope;          /* of the expression that is being evaluated, for those within sum() */
    char temporary[EXPERIMENT_PATH]; /* folder of recordings that are not kept; "" if none */
    bool failed;                     /* a run ended early: checks were not evaluated */
} experiment;

static const perp_allocator experiment_memory = {0}; /* malloc and free */

/* ---- experiment_read.c ---- */
/* Reads folder/name/experiment.yaml. On failure nothing needs freeing.
 * @param root experiment.root */
perp_status experiment_read(const char *folder, const char *root, const char *name, experiment *e, perp_refusal *why);
void experiment_free(experiment *e);

/* ---- experiment_run.c ---- */
/* Opens every scene to read its parameters, and compiles all expressions. So errors in them are found before
 * anything runs. */
perp_status experiment_prepare(experiment *e, const perp_definition *define, int ndefine, perp_refusal *why);
/* Runs the scenes and opens their recordings. keep: folder for them, NULL: a temporary one. Returns an exit code; the
 * complaint is in why. */
int experiment_run(experiment *e, const char *keep, bool progress, perp_refusal *why);
/* Removes the temporary folder, if there is one. */
void experiment_clean_up(experiment *e);
/* Makes a folder and those above it. */
bool experiment_folder(const char *path, perp_refusal *why);

/* ---- experiment_eval.c ---- */
perp_status experiment_compile(experiment *e, perp_refusal *why);
/* Evaluates values, then checks. *ok: all checks that apply hold. */
perp_status experiment_evaluate(experiment *e, bool *ok, perp_refusal *why);
/* One expression, which need not have been compiled. */
perp_status experiment_number(experiment *e, exp_expr *x, const char *key, double *out, perp_refusal *why);
/* Evaluates the series that a text such as "run: {block.x} - t" names. The caller frees *out; *run is the number
 * of its run. */
perp_status experiment_series(experiment *e, uint32_t node, const char *key, double **out, int *run, perp_refusal *why);
/* What is measured in every run of every sweep. */
perp_status experiment_measures(experiment *e, perp_refusal *why);
/* Evaluates a constant or an expression of the given variables. */
perp_status experiment_plain(const experiment *e, uint32_t node, const char *key, const exp_scope *variables,
                             double *out, perp_refusal *why);

/* ---- experiment_sweep.c ---- */
/* Makes the runs of all sweeps, after those of `runs`. */
perp_status experiment_sweep_runs(experiment *e, perp_refusal *why);
/* Index of a sweep, axis or measure by name; -1 if there is none. */
int experiment_find_sweep(const experiment *e, const char *name, size_t length);
int experiment_find_axis(const exp_sweep *s, const char *name, size_t length);
int experiment_find_measure(const exp_sweep *s, const char *name, size_t length);
/* Does run i of the sweep fit conditions such as "model=peg, h<=0.01, seed"? A variable alone: the same as in run
 * `self`. Returns 1 or 0; -1 with words in why for conditions that cannot be read. */
int experiment_fits(const experiment *e, const exp_sweep *s, int i, pp_span conditions, int self, char *why,
                    size_t why_size);
/* Splits "sweep[conditions].measure"; false if it does not begin with the name of a sweep. */
typedef struct exp_choice {
    int sweep;
    pp_span where; /* the conditions; empty: none */
    pp_span rest;  /* what follows the bracket, or the name if there is no bracket */
} exp_choice;
bool experiment_choice(const experiment *e, const char *text, size_t length, exp_choice *out);
/* Largest (NULL), "smallest", "mean", "median", "total" of n numbers; those that are NaN are left out and counted in
 * *missing (may be NULL). The order of x changes. */
double experiment_take(const char *how, double *x, int n, int *missing);
extern const char *const experiment_takes[]; /* ended by NULL; the last is "quartiles", of plots only */

/* ---- experiment_table.c ---- */
perp_status experiment_tables_check(experiment *e, perp_refusal *why);
perp_status experiment_tables_write(experiment *e, FILE *to, bool markdown, perp_refusal *why);

/* ---- experiment_plot.c ---- */
/* Path of a plot below a folder: FOLDER/PREFIXfile, .svg where the file has no ending. */
bool experiment_plot_path(const exp_plot *p, const char *folder, const char *prefix, char *out, size_t size);
perp_status experiment_plots(experiment *e, const char *folder, const char *prefix, perp_refusal *why);

/* ---- experiment_page.c ---- */
perp_status experiment_page(experiment *e, const char *path, perp_refusal *why);
typedef struct exp_summary {
    char name[128], title[256];
    int checks, held;
} exp_summary;
perp_status experiment_index(const exp_summary *s, int n, const char *path, perp_refusal *why);
/* How numbers are shown in tables. */
void experiment_show(char *out, size_t size, double x);
void experiment_show_error(char *out, size_t size, double x);
void experiment_show_limit(char *out, size_t size, const exp_check *c);

#endif
