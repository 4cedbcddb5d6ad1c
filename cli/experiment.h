/* experiment.h - an experiment: a folder with scenes, what is measured in their recordings, and what it should be.
 *
 * experiment.yaml is read strictly (experiment_read.c); its scenes are run and its expressions evaluated on the
 * recordings (experiment_run.c, experiment_eval.c); results become a table, JSON, plots and a documentation page
 * (command_experiment.c, experiment_plot.c, experiment_page.c). docs/experiments.md describes the file key by key. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "cli.h"
#include "input/input.h"

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

typedef struct exp_run {
    const char *name, *scene, *label;
    uint32_t set; /* map of parameters; 0: none */
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
} exp_line;

typedef struct exp_plot {
    const char *file, *title, *about, *xlabel, *ylabel, *legend;
    uint32_t what, runs, lines;
    exp_expr from, to, when; /* when: drawn only where this is not zero */
    bool drawn;
    bool logx, logy, equal, marks, together;
    exp_line *line;
    int nline, cap_line;
} exp_plot;

typedef struct experiment {
    char name[128], folder[EXPERIMENT_PATH], file[EXPERIMENT_PATH];
    char *data;
    pp_tree tree;
    const char *title, *source, *about; /* strings point into the tree */
    exp_run *run;
    exp_named *value, *series;
    exp_check *check;
    exp_plot *plot;
    int nrun, nvalue, nseries, ncheck, nplot;
    int cap_run, cap_value, cap_series, cap_check, cap_plot;
    /* names that expressions may use: parameters that all runs share, then values */
    const char **known;
    double *known_value;
    int nknown;
    char temporary[EXPERIMENT_PATH]; /* folder of recordings that are not kept; "" if none */
    bool failed;                     /* a run ended early: checks were not evaluated */
} experiment;

static const perp_allocator experiment_memory = {0}; /* malloc and free */

/* ---- experiment_read.c ---- */
/* Reads folder/name/experiment.yaml. On failure nothing needs freeing. */
perp_status experiment_read(const char *folder, const char *name, experiment *e, perp_refusal *why);
void experiment_free(experiment *e);

/* ---- experiment_run.c ---- */
/* Opens every scene to learn its parameters, and compiles all expressions: what is wrong with them shows before
 * anything runs. */
perp_status experiment_prepare(experiment *e, const perp_definition *define, int ndefine, perp_refusal *why);
/* Runs the scenes and opens their recordings. keep: folder for them, NULL: a temporary one. Returns an exit code; the
 * complaint is in why. */
int experiment_run(experiment *e, const char *keep, bool progress, perp_refusal *why);
/* Removes the temporary folder, if there is one. */
void experiment_sweep(experiment *e);
/* Makes a folder and those above it. */
bool experiment_folder(const char *path, perp_refusal *why);

/* ---- experiment_eval.c ---- */
perp_status experiment_compile(experiment *e, perp_refusal *why);
/* Values, then checks. True in *ok if all checks that apply hold. */
perp_status experiment_evaluate(experiment *e, bool *ok, perp_refusal *why);
/* One expression, which need not have been compiled. */
perp_status experiment_number(experiment *e, exp_expr *x, const char *key, double *out, perp_refusal *why);
/* The series named by a text such as "run: {block.x} - t"; *out is to be freed, *run tells of which run it is. */
perp_status experiment_series(experiment *e, uint32_t node, const char *key, double **out, int *run, perp_refusal *why);
/* Evaluates a constant or an expression of given variables. */
perp_status experiment_plain(const experiment *e, uint32_t node, const char *key, const char *const *name,
                             const double *value, int n, double *out, perp_refusal *why);

/* ---- experiment_plot.c ---- */
/* Path of a plot below a folder: FOLDER/PREFIXfile, .svg where the file has no ending. */
bool experiment_plot_path(const exp_plot *p, const char *folder, const char *prefix, char *out, size_t size);
perp_status experiment_plots(experiment *e, const char *folder, const char *prefix, perp_refusal *why);

/* ---- experiment_page.c ---- */
perp_status experiment_page(const experiment *e, const char *path, perp_refusal *why);
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
