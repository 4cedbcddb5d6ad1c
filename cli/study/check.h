/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* check.h - checks of a study: what a sweep, a search or an estimate gives is compared with a reference or a bound.
 *
 * The three commands differ in the functions that an expression may use; reading, judging and printing are the same. */
#ifndef CLI_STUDY_CHECK_H
#define CLI_STUDY_CHECK_H

#include "cli.h"
#include "study/study.h"

typedef enum check_kind { CHECK_LIMIT, CHECK_BELOW, CHECK_ABOVE } check_kind;

typedef struct study_check {
    const char *what, *unit, *published, *note; /* texts of the file; NULL: not given, but for `what` */
    uint32_t value, reference, bound;           /* nodes of expressions; reference only of CHECK_LIMIT */
    check_kind kind;
    double got, expected, limit;
    bool ok, applies; /* applies: false if it is about what was left out this time */
} study_check;

/* Reads one check at the map `map`. */
perp_status check_read(const pp_tree *t, uint32_t map, const char *key, study_check *out, perp_refusal *why);
/* What expressions of a list of checks may use besides the parameters of the study. */
typedef struct check_language {
    const pp_study *study;
    const char *const *function; /* names */
    int nfunction;
    pp_expr_call call; /* their values */
    void *ctx;
} check_language;
/* Reads the list at `list` (0: none) and evaluates it. The caller frees *out. */
perp_status check_all(const check_language *l, uint32_t list, const char *key, study_check **out, int *n,
                      perp_refusal *why);
/* Compares got with expected and limit; NaN never holds. */
void check_judge(study_check *c);
/* Do all that apply hold? */
bool checks_hold(const study_check *c, int n);
/* A table as text or Markdown, nothing if there are no checks. */
void checks_print(const study_check *c, int n, FILE *to, bool markdown);
/* Key "checks" with a list of objects. */
void checks_json(const study_check *c, int n, json *j);

#endif
