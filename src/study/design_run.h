/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* design_run.h - runs a search: points of a minimiser, or drawn designs level by level. All rows go into a file. */
#ifndef PP_STUDY_DESIGN_RUN_H
#define PP_STUDY_DESIGN_RUN_H

#include "study/design.h"

enum { PP_DESIGN_PASSED = -1, PP_DESIGN_NOT_RUN = -2 };

/* One design of the history. */
typedef struct pp_design_record {
    double f;         /* objective as written in the study; NAN: not evaluated */
    double violation; /* sum of positive constraints */
    int level;        /* sample: first level it failed. Minimisers: the proof it failed. Else one of: */
    uint64_t failed;  /* trials that were not solved, refused or not measured */
} pp_design_record;

/* Did a design pass all levels up to this one? */
static inline bool pp_design_record_passed(const pp_design_record *r, int level) {
    return r->level == PP_DESIGN_PASSED || r->level > level;
}

/* Work of one level over all designs. */
typedef struct pp_design_work {
    uint64_t entered, passed, trials;
    double seconds; /* processor time */
} pp_design_work;

typedef struct pp_design_search {
    const pp_design *design;
    pp_worker_pool *pool;
    pp_study_file *file; /* rows are added; NULL: none is kept */
    bool all_trials;     /* sample: run all trials of a design, also after one failed */
    bool (*stop)(void *ctx);
    void (*tick)(void *ctx); /* after each trial, in order */
    void *ctx;
    /* filled: */
    pp_table known; /* rows that were in the file, by number */
    double *x;      /* designs: count rows of n */
    pp_design_record *record;
    uint64_t count, cap;
    pp_design_work work[PP_DESIGN_LEVELS];
    uint64_t trials, reused; /* run; answered from the file */
    uint64_t best;           /* index; UINT64_MAX: none */
    perp_search_result result;
    perp_refusal why; /* the error that ended it */
    perp_status status;
} pp_design_search;

/* Reads the rows of the file, so that they are not run again. */
perp_status pp_design_search_begin(pp_design_search *h, perp_refusal *why);
/* Runs the whole search. PERP_E_STOPPED if it was interrupted; the results so far are then in the struct. */
perp_status pp_design_search_run(pp_design_search *h, perp_refusal *why);
void pp_design_search_free(pp_design_search *h);
/* Judges a point with fresh trials that are not kept: for verification. The pool may be of another study (another seed,
 * another step). */
perp_status pp_design_search_verify(const pp_design *d, pp_worker_pool *pool, const double *x, double *f,
                                    uint64_t *failed, perp_refusal *why);

#endif
