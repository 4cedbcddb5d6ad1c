/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* table.h - the trials of a study in memory, and expressions over many of them: fraction("success", "y > 0"). */
#ifndef PP_STUDY_TABLE_H
#define PP_STUDY_TABLE_H

#include "study/file.h"

/* Trials in the order of their numbers. */
typedef struct pp_table {
    const pp_study *study;
    uint64_t n, cap;
    char *row; /* n rows of row_size bytes */
    size_t row_size;
} pp_table;

void pp_table_init(pp_table *t, const pp_study *s);
void pp_table_free(pp_table *t);
perp_status pp_table_add(pp_table *t, const pp_row *row, perp_refusal *why);
/* All rows of some files, in order of their numbers, each once. */
perp_status pp_table_load(pp_table *t, pp_study_file *const *f, int n, perp_refusal *why);
/* The row of a trial in a table sorted by numbers, as pp_table_load leaves it; NULL: it is not there. */
const pp_row *pp_table_find(const pp_table *t, uint64_t number);
static inline const pp_row *pp_table_row(const pp_table *t, uint64_t i) {
    return (const pp_row *)(const void *)(t->row + i * t->row_size);
}

/* Counts of some trials, and sums of a measure over them. */
typedef struct pp_cell {
    uint64_t trials;  /* with an outcome that can be measured */
    uint64_t failed;  /* unsolved, refused, not measured: not among `trials` */
    uint64_t nonzero; /* trials whose measure is not 0 */
    uint64_t missing; /* trials whose measure is NaN: not in what follows */
    double sum, square, smallest, largest;
} pp_cell;
void pp_cell_begin(pp_cell *c);
void pp_cell_add(pp_cell *c, const pp_row *row, double measure);
double pp_cell_fraction(const pp_cell *c); /* NaN without trials */
double pp_cell_mean(const pp_cell *c);
double pp_cell_deviation(const pp_cell *c); /* of one trial */

/* Expressions over trials. Functions: count, fraction, total, mean, median, deviation, smallest, largest,
 * quantile(measure, part), lower, upper (ends of Wilson's interval), each of ("measure") or ("measure", "condition"),
 * trials() and failed() of ("condition"). The name of a measure alone is its mean. A condition is an expression of parameters, measures, `trial`, `sample`,
 * `cell`, variables by name (classes by their place from 0), names of classes, `steps`, `t_end`, `outcome`. */
typedef struct pp_aggregate pp_aggregate;
perp_status pp_aggregate_new(const pp_study *s, uint32_t node, const char *key, const char *const *name, int nname,
                             pp_aggregate **out, perp_refusal *why);
void pp_aggregate_free(pp_aggregate *x);
/* `value`: of the further names given at compilation. */
perp_status pp_aggregate_eval(pp_aggregate *x, const pp_table *t, const double *value, double *out, perp_refusal *why);

#endif
