/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* estimation.h - methods of perp estimate: each takes the same data and unknowns and gives one result. */
#ifndef CLI_STUDY_ESTIMATION_H
#define CLI_STUDY_ESTIMATION_H

#include "cli.h"
#include "study/estimate.h"
#include "study/open.h"

enum { METHODS_MOST = 12 };

/* Settings of a method; which of them count depends on it. */
typedef struct method {
    const char *name;
    int64_t iterations, starts, seed, length, stride, particles, walkers, steps, burn_in, evaluations;
    bool arrival, noise_known, rollout_start;
    double resample, bound;
    uint32_t bound_node;
    const char *errors; /* "rows" or "cases"; NULL: cases if there are several */
} method;

/* What a method found. Arrays have a number for each unknown. */
typedef struct found {
    const char *name; /* of the method */
    char label[64];   /* with what tells it from others: "window 20" */
    bool ok;
    char why[400]; /* why not, or a remark */
    double x[PP_STUDY_NAMES], sd[PP_STUDY_NAMES], sampling_sd[PP_STUDY_NAMES], row_sd[PP_STUDY_NAMES];
    double lo[PP_STUDY_NAMES], hi[PP_STUDY_NAMES]; /* profile or posterior interval; NAN: none */
    int bound[PP_STUDY_NAMES];                     /* -1, 1: at its bound */
    double *correlation;                           /* n x n; NULL: none */
    double cost, chi2;
    int dof, evaluations, ndirection;
    double direction[8][PP_STUDY_NAMES]; /* combinations that the data do not identify */
    double seconds;
    bool by_case; /* sd are errors by case */
    bool failed;  /* nothing was found; why says why */
    bool rough;   /* least squares: derivatives are of longer steps, because the run jumps as unknowns change */
    double half[PP_STUDY_NAMES]; /* least squares: values with half of the time step; NAN: not asked for */
    /* estimates along the data: windows, filters */
    int rows;
    double *t, *mean, *deviation;                              /* rows; rows x n; rows x n */
    double scatter[PP_STUDY_NAMES], predicted[PP_STUDY_NAMES]; /* windows: s.d. over windows; mean of their s.d. */
    /* posterior */
    double effective[PP_STUDY_NAMES], r_hat[PP_STUDY_NAMES];
    double *draws; /* ndraw x n */
    int ndraw;
} found;
void found_free(found *f);

typedef struct estimation {
    pp_estimate e;
    pp_rollouts *runs;
    method method[METHODS_MOST];
    found found[METHODS_MOST];
    int nmethod;
    const found *fit; /* the least-squares result, once there; other methods start from it */
    double *residual; /* of that fit: e.m numbers */
    bool profile, half;
    bool chosen; /* methods were chosen by --method: checks of others do not apply */
    /* check of predictions on cases not fitted: root mean square and mean of |residual| * s.d. of each quantity */
    int checked;
    double check_mean[PP_OBSERVED_MAX], check_error[PP_OBSERVED_MAX];
    uint64_t check_failed;
} estimation;

/* methods.c: which methods a study asks for, and --method. */
perp_status methods_read(estimation *s, const cli_args *a, perp_refusal *why);
extern const char *const method_names[];

/* fit.c */
perp_status estimate_least_squares(estimation *s, const method *m, found *f, perp_refusal *why);
/* Again with half of the time step, from the values found: f->half. */
perp_status estimate_half(estimation *s, const method *m, found *f, perp_refusal *why);
perp_status estimate_check(estimation *s, const found *f, perp_refusal *why);
/* coverage.c: how often intervals hold the truth, over data made anew */
typedef struct coverage {
    int count, held[PP_STUDY_NAMES];
    double square[PP_STUDY_NAMES], sd[PP_STUDY_NAMES]; /* mean squared error; mean standard error */
} coverage;
perp_status estimate_coverage(estimation *s, int count, coverage *out, perp_refusal *why);
void coverage_print(const estimation *s, const coverage *c, FILE *to);
void coverage_json(const estimation *s, const coverage *c, FILE *to);
/* along.c */
perp_status estimate_window(estimation *s, const method *m, found *f, perp_refusal *why);
perp_status estimate_filter(estimation *s, const method *m, found *f, perp_refusal *why);
/* posterior.c */
perp_status estimate_posterior(estimation *s, const method *m, found *f, perp_refusal *why);
/* program.c: the MPEC */
perp_status estimate_program(estimation *s, const method *m, found *f, perp_refusal *why);

/* estimate_print.c */
void estimate_print(const estimation *s, FILE *to);
void estimate_json(const estimation *s, json *j);
/* estimate_checks.c: `estimate.checks`; *ok: all hold. Before the methods ran (nmethod 0) it tests their spelling. */
perp_status estimate_checks(estimation *s, FILE *to, json *j, bool *ok, perp_refusal *why);
/* estimate_figure.c */
perp_status estimate_figures(const estimation *s, const char *folder, perp_refusal *why);

#endif
