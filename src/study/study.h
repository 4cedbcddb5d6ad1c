/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* study.h - a study: a scene, what varies, what is measured, and what is searched for. docs/studies.md describes the file.
 *
 *   read.c     the file, strictly                     plan.c   a trial's number -> values of its parameters
 *   draw.c     random numbers of a trial              trial.c  values -> run -> one row of results
 *   ensemble.c workers                                file*.c  rows in HDF5
 *   table.c    rows in memory, by cell; expressions over trials
 *
 * Trials are numbered K = sample * cells + cell, the last variable fastest. So the first `cells` trials are one sample of
 * every cell, and a study that is cut short has covered all of them evenly. */
#ifndef PP_STUDY_H
#define PP_STUDY_H

#include "input/fields.h"
#include "measure/measure.h"
#include "perp/ensemble.h"
#include "perp/random.h"

#define PP_STUDY_VERSION   1
#define PP_STUDY_NAMES     64  /* most axes, most draws, most measures */
#define PP_STUDY_VARIABLES 256 /* most parameters of a scene (200) and what expressions know beside them */
#define PP_STUDY_TRIALS    1e8 /* most trials: a byte for each is kept in memory */
#define PP_STUDY_PATH      1200

/* A range or a value that a class gives to a parameter. */
typedef struct pp_study_range {
    int parameter;
    double lo, hi; /* drawn from (lo, hi]; equal: the value itself */
} pp_study_range;

/* A variable: values of a parameter, or classes. */
typedef struct pp_study_axis {
    const char *name;
    int n;
    int parameter;         /* index among the scene's; -1: classes */
    double *value;         /* n values; of classes their numbers 0, 1, ... */
    const char **label;    /* n names of classes; NULL: none */
    pp_study_range *range; /* of all classes, and where those of class i begin: n + 1 */
    int *first;
    int nrange;
} pp_study_axis;

/* What is drawn for each trial. */
typedef struct pp_study_draw {
    int parameter;
    bool of_class; /* uniform over the range that the trial's class gives */
    uint32_t node;
    pp_expr *x;
} pp_study_draw;

typedef enum pp_study_method { PP_DRAW_RANDOM, PP_DRAW_LATIN, PP_DRAW_SOBOL } pp_study_method;

typedef struct pp_study_named {
    const char *name;
    uint32_t node;
} pp_study_named;

typedef struct pp_study {
    perp_allocator alloc;
    char path[PP_STUDY_PATH], scene_path[PP_STUDY_PATH];
    char root[PP_STUDY_PATH]; /* folder that all files of the study lie in */
    char *data;               /* text of the study file */
    size_t size;
    pp_tree tree;
    const char *title, *about, *source; /* into the tree; "" where not given */

    perp_scene *scene;      /* with `set` applied */
    const char **parameter; /* names, of the scene */
    double *base;           /* their values in the scene as it stands */
    int nparameter;
    /* Parameters that trials set. The others keep the value of the scene, which may be an expression of parameters that are set. */
    bool touched[PP_STUDY_VARIABLES];

    pp_study_axis *axis;
    int naxis, cap_axis;
    uint64_t cells;
    pp_study_draw *draw;
    int ndraw, cap_draw;
    uint64_t count, seed, stride; /* samples for each cell; seed of the draws; see pp_study_values() */
    pp_study_method method;

    uint32_t end;      /* condition that ends a trial early; 0: none */
    int64_t end_steps; /* it must hold after so many steps in succession */
    pp_study_named *measure;
    int nmeasure, cap_measure;

    uint32_t values, report, checks, design, estimate; /* nodes, read by the files that use them; 0: not given */
    bool narrowed; /* only some values of an axis are run: checks of the others do not apply */
    int refine;    /* steps of h/refine instead of h; 1 unless a caller sets it before it makes a pool */
} pp_study;

/* Options that replace what the study file says. */
typedef struct pp_study_options {
    const perp_definition *define; /* parameters of the scene; over `set` */
    int ndefine;
    int64_t count, seed;     /* samples for each cell, seed of the draws; -1: as the file says */
    const char *const *only; /* "AXIS=VALUE": only this value of a variable */
    int nonly;
    const char *text; /* the study itself, in place of a file; `path` is then for messages. NULL: read the file */
    /* nfile > 0: nothing is read from the disk; file[0] is the study, file[1] the scene, then what the scene names. */
    const perp_source_file *file;
    int nfile;
    const char *
        root; /* scene, data and what the scene names must lie in this folder; NULL: that of the study; "/": anywhere */
} pp_study_options;

/* Reads a study and opens its scene. On failure *out is NULL. */
perp_status pp_study_open(const char *path, const pp_study_options *o, pp_study **out, perp_refusal *why);
void pp_study_close(pp_study *s);
/* Index of a parameter of the scene by name; -1: there is none. */
int pp_study_parameter(const pp_study *s, const char *name);
int pp_study_axis_find(const pp_study *s, const char *name);
int pp_study_measure_find(const pp_study *s, const char *name);
/* Error report: the key of a map is not a parameter of the scene. */
perp_status pp_study_no_parameter(const pp_study *s, uint32_t node, const char *path, perp_refusal *why);
/* Compiles the expression of a scalar node. Owned by the caller (pp_expr_free). */
perp_status pp_study_compile(const pp_study *s, uint32_t node, const char *key, const pp_expr_names *names,
                             pp_expr **out, perp_refusal *why);
/* A number: an expression of the scene's parameters as they stand. */
perp_status pp_study_number(const pp_study *s, uint32_t node, const char *path, double *out, perp_refusal *why);
/* Error report: not enough memory for the part `key` of the study. */
static inline perp_status pp_study_no_memory(const pp_study *s, const char *key, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){s->path, 0, 0}, key, "not enough memory");
}
/* Number of trials. */
static inline uint64_t pp_study_trials(const pp_study *s) { return s->cells * s->count; }

/* Which value of each axis a cell has: naxis indices. */
void pp_study_cell(const pp_study *s, uint64_t cell, int *index);
/* Values of all parameters of the scene for one trial, and (index may be NULL) which value of each axis it has.
 *
 * Draws are made in the order of the file from a stream that begins at (seed << 32) + stride * group + number, where
 * number is that of the trial (group 0 and stride 0 in a sweep) or of the sample (group: the design). value holds the
 * values of the parameters that are not touched, when this is called. */
typedef struct pp_study_trial {
    uint64_t number; /* K */
    uint64_t group;  /* number of the design; 0 in a sweep */
    bool by_sample;  /* draws are numbered by the sample, not by K */
} pp_study_trial;
perp_status pp_study_values(const pp_study *s, pp_study_trial t, double *value, perp_refusal *why);

/* ---- draw.c ---- */

/* Numbers in [0, 1) for one trial: a stream, or the coordinates of a point of a sample that fills the space. */
typedef struct pp_draw_source {
    pp_study_method method;
    perp_random stream;
    double point[PERP_SOBOL_DIMENSIONS]; /* not for random: coordinates */
    int used;                            /* of them */
} pp_draw_source;
double pp_draw_next(pp_draw_source *d);
double pp_draw_next_normal(pp_draw_source *d);
/* uniform() and normal() of expressions; ctx is a pp_draw_source. */
extern const char *const pp_draw_functions[2];
bool pp_draw_call(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size);

/* ---- trial.c ---- */

typedef enum pp_outcome {
    PP_TRIAL_DONE,       /* ran to the end of the scene */
    PP_TRIAL_ENDED,      /* its end condition was met */
    PP_TRIAL_UNSOLVED,   /* a step was not solved */
    PP_TRIAL_REFUSED,    /* the scene does not take these values */
    PP_TRIAL_UNMEASURED, /* a measure could not be evaluated */
    PP_OUTCOMES
} pp_outcome;
#define PP_TRIAL_WHY 200 /* bytes of the reason in a row */

/* The result of a trial: this struct, followed by nparameter values and nmeasure measures. */
typedef struct pp_row {
    uint64_t number, hash; /* hash: of the final state */
    double t_end;          /* time at the end [T] */
    double law, overlap, joint_error,
        remainder;  /* worst law residual; deepest overlap [L]; joint error; energy remainder */
    double seconds; /* processor time; not part of the digest */
    uint32_t steps;
    uint8_t outcome; /* pp_outcome */
    char why[PP_TRIAL_WHY];
    double value[]; /* parameters, measures */
} pp_row;
static inline size_t pp_row_size(const pp_study *s) {
    return sizeof(pp_row) + sizeof(double) * (size_t)(s->nparameter + s->nmeasure);
}
const char *pp_outcome_word(int outcome); /* "done", "ended early", ... */
/* Whether the trial has measures. Fractions and means use only such trials. */
static inline bool pp_row_measured(const pp_row *r) {
    return r->outcome == PP_TRIAL_DONE || r->outcome == PP_TRIAL_ENDED;
}

/* The runner of one worker: a trace, measures and the end condition, compiled for its scene. */
typedef struct pp_runner pp_runner;
perp_status pp_runner_new(const pp_study *s, perp_scene *scene, pp_runner **out, perp_refusal *why);
void pp_runner_free(pp_runner *r);
/* Callbacks of a running trial, in its thread: to record it, or to show its progress. If either returns false, the trial ends as
 * stopped. */
typedef struct pp_runner_watch {
    bool (*begin)(void *ctx, perp_scene *scene, uint64_t steps); /* values are set; steps: most that there will be */
    bool (*stepped)(void *ctx, const perp_certificate *c);       /* after each step that was solved */
    void *ctx;
} pp_runner_watch;
/* Sets the callbacks of the following trials. @param w copied; NULL: none */
void pp_runner_set_watch(pp_runner *r, const pp_runner_watch *w);
/* The touched parameters among `value`, for perp_scene_set_many(); their number. */
int pp_study_settings(const pp_study *s, const double *value, perp_scene_value *out);
/* Runs one trial. `value`: all parameters; those that trials set are set in the scene, and the row gets the resulting values of all.
 * False only if the run was stopped. */
bool pp_runner_run(pp_runner *r, perp_scene *scene, uint64_t number, const double *value, pp_row *row);

/* Runners for all workers of an ensemble. */
typedef struct pp_worker_pool {
    const pp_study *study;
    perp_ensemble *ensemble;
    pp_runner **runner;
    int n;
} pp_worker_pool;
perp_status pp_worker_pool_new(const pp_study *s, int workers, pp_worker_pool *out, perp_refusal *why);
void pp_worker_pool_free(pp_worker_pool *c);

/* Trials of a list of numbers, in its order. */
typedef struct pp_worker_pool_job {
    const uint64_t *number; /* NULL: first, first + 1, ... */
    uint64_t first, count;
    /* Writes the values of all parameters; from a worker's thread. NULL: those of the plan, pp_study_values() */
    perp_status (*values)(void *ctx, uint64_t number, double *value, perp_refusal *why);
    bool (*done)(void *ctx, const pp_row *row); /* calling thread, in order; false: end */
    bool (*stop)(void *ctx);                    /* as of perp_trials */
    void *ctx;
} pp_worker_pool_job;
/* The scene of a worker (ensemble.c). */
perp_scene *pp_ensemble_scene(const perp_ensemble *e, int worker);
perp_status pp_worker_pool_run(pp_worker_pool *c, const pp_worker_pool_job *job, perp_refusal *why);

#endif
