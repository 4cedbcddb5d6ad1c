/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* check.h - checks of a study: compares results of a sweep, a search or an estimate with a reference or a bound
 *
 * The three commands differ only in the functions that an expression may call. */
#ifndef CLI_STUDY_CHECK_H
#define CLI_STUDY_CHECK_H

#include "cli.h"
#include "study/study.h"

typedef enum check_kind { CHECK_LIMIT, CHECK_BELOW, CHECK_ABOVE } check_kind;

typedef struct study_check {
    const char *what, *unit, *published, *note; /* texts of the file; NULL: not given. `what` is always given */
    uint32_t value, reference, bound;           /* nodes of expressions; reference only for CHECK_LIMIT */
    check_kind kind;
    double got, expected, limit;
    bool ok, applies; /* applies: false if this run left out what the check is about */
} study_check;

/* Reads one check at the map `map`. */
perp_status check_read(const pp_tree *t, uint32_t map, const char *key, study_check *out, perp_refusal *why);
/* Functions that expressions of checks may call, in addition to the parameters of the study. */
typedef struct check_language {
    const pp_study *study;
    const char *const *function; /* names */
    int nfunction;
    pp_expr_call call; /* evaluates one of them */
    void *ctx;
} check_language;
/* Reads the list at `list` (0: none) and evaluates it. The caller frees *out. */
perp_status check_all(const check_language *l, uint32_t list, const char *key, study_check **out, int *n,
                      perp_refusal *why);
/* Compares got with expected and limit, and sets ok. NaN fails. */
void check_judge(study_check *c);
/* Returns true if all checks that apply are ok. */
bool checks_hold(const study_check *c, int n);
/* Prints a table as text or Markdown. Prints nothing if there are no checks. */
void checks_print(const study_check *c, int n, FILE *to, bool markdown);
/* Writes the key "checks" with a list of objects. */
void checks_json(const study_check *c, int n, json *j);

#endif
