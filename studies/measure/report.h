/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* report.h - a table of measured quantities beside references, and sentences on quantities that disagree. */
#ifndef STUDY_REPORT_H
#define STUDY_REPORT_H

#include "robust.h"
#include "table.h"

#include <stdio.h>

typedef struct report_row {
    const char *name, *unit, *how; /* borrowed */
    double value, se;              /* standard error */
    double spread;                 /* between single observations; NaN: not a mean of such */
    int n;                         /* observations */
} report_row;

enum { REPORT_ROWS = 32 };

typedef struct report {
    report_row row[REPORT_ROWS];
    int rows;
} report;

void report_add(report *r, report_row row);
/* A mean, times factor. */
void report_add_mean(report *r, const char *name, const char *unit, const char *how, cluster_mean m, double factor);

/* Prints the table. reference has the columns quantity, value, se (0: not known); rows whose value is further from it than
 * two combined standard errors are marked. Returns how many are. csv: for machines. */
int report_print(const report *r, const table *reference, bool csv, FILE *out);

/* Combined standard errors between two values. */
double report_distance(double a, double se_a, double b, double se_b);

#endif
