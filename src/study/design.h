/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* design.h - a search over the parameters of a study: each design is judged by the trials of the plan.
 *
 * Trials of design i are numbered i * T + K, with K = 0 .. T - 1 the trials of the plan. So a file of results holds the
 * whole history. Searches are deterministic: a search is continued by running it again with rows of the file as answers.
 *
 * Levels. Some levels are proofs: necessary conditions on the parameters, which a design must meet before it is run. Others are guesses, which
 * exclude no design: drawn designs that meet more of them are run first. The last level is the trials themselves. */
#ifndef PP_STUDY_DESIGN_H
#define PP_STUDY_DESIGN_H

#include "perp/search.h"
#include "study/table.h"

enum { PP_DESIGN_STAGES = 8, PP_DESIGN_LEVELS = 16, PP_DESIGN_CONSTRAINTS = 32, PP_DESIGN_REQUIRE = 32 };

/* A condition on the parameters of a design, or trials with some parameters set. */
typedef struct pp_design_level {
    const char *name;
    bool proof; /* a design that fails it is not run; else: a guess */
    uint32_t node[PP_DESIGN_REQUIRE];
    pp_expr *require[PP_DESIGN_REQUIRE];
    int nrequire;
    bool trials; /* the trials of the plan, with these parameters set: */
    int set[PP_DESIGN_REQUIRE];
    double value[PP_DESIGN_REQUIRE];
    int nset;
} pp_design_level;

/* A method and its limits; see perp_search_options. */
typedef struct pp_design_stage {
    const char *method; /* of perp_search, or "sample" */
    int restarts, evaluations, population;
    double x_tolerance, f_tolerance;
    double steps; /* first steps as a part of those of the parameters */
    uint64_t seed;
} pp_design_stage;

typedef struct pp_design {
    const pp_study *study;
    int n;                         /* free parameters */
    int parameter[PP_STUDY_NAMES]; /* index among the scene's */
    double lower[PP_STUDY_NAMES], upper[PP_STUDY_NAMES], start[PP_STUDY_NAMES], step[PP_STUDY_NAMES];
    pp_aggregate *objective; /* to be minimised; NULL: designs only pass or fail */
    bool maximise;
    pp_aggregate *constraint[PP_DESIGN_CONSTRAINTS]; /* each <= 0 */
    int nconstraint;
    pp_design_level level[PP_DESIGN_LEVELS];
    int nlevel;
    int require;                             /* measure that must not be 0 in every trial; -1: none */
    pp_design_stage stage[PP_DESIGN_STAGES]; /* methods one after the other, each from the best point so far */
    int nstage;
    bool sample; /* stage[0] alone: designs drawn from the bounds, `evaluations` of them */
    int enough;  /* sample: designs that pass everything after which no other is run; 0: all are run */
    bool common; /* all designs see the same draws */
    /* verification */
    int64_t verify_count, verify_seed; /* samples for each cell with another seed; 0: as in the search, -1: seed + 1 */
    bool verify_half;                  /* run the best with h/2 */
    uint32_t checks;                   /* node: what the result should be; 0: not given */
} pp_design;

/* Reads the key `design` of a study. The trials of the study then set the free parameters, too. */
perp_status pp_design_read(pp_study *s, pp_design *out, perp_refusal *why);
void pp_design_free(pp_design *d);
/* Trials for one design. */
static inline uint64_t pp_design_trials(const pp_design *d) { return pp_study_trials(d->study); }
/* Values of all parameters of trial K of design i at point x. level: whose parameters are set; -1: none. */
typedef struct pp_design_trial {
    uint64_t design, K;
    int level;
    const double *x;
} pp_design_trial;
perp_status pp_design_values(const pp_design *d, pp_design_trial t, double *value, perp_refusal *why);
/* Point of design i of the method "sample". */
void pp_design_point(const pp_design *d, uint64_t i, double *x);
/* Does a design meet a level? */
perp_status pp_design_meets(const pp_design *d, int level, const double *x, bool *out, perp_refusal *why);
/* Objective (negated where it is to be maximised) and constraints of the trials of one design. */
perp_status pp_design_judge(const pp_design *d, const pp_table *t, const double *x, double *f, double *g,
                            perp_refusal *why);

#endif
