/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* estimate.h - parameters of a scene from measured data: what was measured, what is unknown, and rollouts that are compared.
 *
 *   estimate_read.c  the key `estimate` of a study       estimate_data.c  tables into cases
 *   rollout.c        unknowns -> runs -> residuals
 *
 * A case is one run of the scene that is compared with one table of rows. All cases share the unknowns; each may set
 * parameters of its own. Residuals are (simulated - measured)/s.d., in the order of cases, rows, quantities. */
#ifndef PP_STUDY_ESTIMATE_H
#define PP_STUDY_ESTIMATE_H

#include "study/csv.h"
#include "study/study.h"

enum { PP_OBSERVED_MAX = 32, PP_GIVEN_MAX = 64 };

/* A quantity that is compared: an expression of series, or a rotation. */
typedef struct pp_observed {
    const char *column; /* of the data; rotation: the first of four */
    uint32_t node;      /* the expression; rotation: 0 */
    double sd;
    bool rotation;
    const char *body, *columns[4]; /* rotation: which body, and its quaternion (w, x, y, z) in the data */
    int width;                     /* residuals of a row: 1, or 3 of a rotation */
} pp_observed;

/* An unknown parameter. */
typedef struct pp_unknown {
    int parameter; /* of the scene */
    double start, lower, upper, prior_mean, prior_sd;
    double step; /* of difference quotients; 0: chosen by the fit */
    double walk; /* s.d. of the walk from row to row, of filters */
} pp_unknown;

/* An entry of the state of a run: the parameter that sets it at the start, and the series that has it later. */
typedef struct pp_state_entry {
    int parameter;
    const char *series;
} pp_state_entry;

typedef struct pp_case {
    char name[64];
    bool fit, check; /* used in the fit; used to check predictions */
    double *value;   /* nparameter: base values with what the case gives */
    int nrow;
    double *t;        /* nrow: time of the run, from 0 [T] */
    double *y;        /* nrow x (columns of all quantities); NAN: missing */
    int first, count; /* its residuals */
} pp_case;

typedef struct pp_estimate {
    const pp_study *study;
    pp_observed observed[PP_OBSERVED_MAX];
    int nobserved, width, columns; /* residuals of a row; numbers of a row of data */
    pp_unknown unknown[PP_STUDY_NAMES];
    int n;
    pp_state_entry state[PP_STUDY_NAMES];
    int nstate;
    int constant[PP_STUDY_NAMES], nconstant; /* unknowns that do not set the state at the start */
    pp_case *cases;
    int ncase, cap_case;
    int m;                           /* residuals of all cases that are fitted */
    int missing, off_grid, left_out; /* data that are missing; rows whose time is no multiple of h; cases not used */
    int gaps, lost; /* places where rows are missing in tables with even times; rows that seem to be missing there */
    double begin;   /* time of the first row of a single table: the run starts at this time [T] */
    const char *loss;
    double loss_scale;
    uint32_t methods; /* node: one method or a list */
    uint32_t checks;  /* node: what the results should be */
    /* reading: */
    uint32_t data;
} pp_estimate;

perp_status pp_estimate_read(pp_study *s, pp_estimate *out, perp_refusal *why);
void pp_estimate_free(pp_estimate *e);
/* Reads the tables (estimate_data.c) and notes which parameters cases set. */
perp_status pp_estimate_load(pp_estimate *e, bool *touched, perp_refusal *why);

/* ---- rollout.c ---- */

typedef struct pp_rollouts pp_rollouts;
perp_status pp_rollouts_new(const pp_estimate *e, int workers, bool (*stop)(void), pp_rollouts **out,
                            perp_refusal *why);
void pp_rollouts_free(pp_rollouts *r);
/* From now on runs take steps of h/times. */
void pp_rollouts_refine(pp_rollouts *r, int times);
/* Residuals of all cases that are fitted (check: of those that are checked) at `count` points of the unknowns; a run that
 * fails makes its residuals NAN. x: count rows of n; out: count rows of m. False: stopped. */
bool pp_rollouts_residuals(pp_rollouts *r, bool check, int count, const double *x, double *out);
/* Parts of a run of case 0, for windows and filters: the state at row `first` and the constant unknowns (z: nstate +
 * nconstant numbers).
 * `out` gets the residuals of rows first .. last, `end` the state at row `last` (either may be NULL). */
typedef struct pp_part_run {
    int first, last;
    int count;
    const double *z;
    double *out, *end;
} pp_part_run;
bool pp_rollouts_parts(pp_rollouts *r, const pp_part_run *p);
/* Runs made so far, those that failed, and the sentence of the first failure. */
uint64_t pp_rollouts_count(const pp_rollouts *r);
uint64_t pp_rollouts_failed(const pp_rollouts *r);
const char *pp_rollouts_why(const pp_rollouts *r);

#endif
