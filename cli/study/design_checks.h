/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* design_checks.h - checks of a search: best(), half(), passed("level"), ... compared with references. */
#ifndef CLI_STUDY_DESIGN_CHECKS_H
#define CLI_STUDY_DESIGN_CHECKS_H

#include "study/check.h"
#include "study/design_run.h"

/* The best design judged again. */
typedef struct verified {
    bool done;
    double f;        /* objective */
    uint64_t failed; /* trials that were not solved, refused or not measured */
} verified;

typedef struct design_result {
    const pp_design *design;
    const pp_design_search *hunt; /* NULL: not run yet; all functions then give NaN, so that only spelling is tested */
    verified half, fresh;         /* with h/2; on samples with another seed */
} design_result;

/* Evaluates `design.checks`. The caller frees *out. */
perp_status design_checks(const design_result *r, study_check **out, int *n, perp_refusal *why);
/* Designs that pass all levels up to this one; `level` = PP_DESIGN_LEVELS: everything. */
uint64_t design_passed(const pp_design_search *h, int level);
/* Designs that were run, or that a proof ruled out: with `enough` not all that were drawn. */
uint64_t designs_run(const pp_design_search *h);

#endif
