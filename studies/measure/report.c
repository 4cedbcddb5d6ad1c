/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* report.c - prints tables of measured quantities. */
#include "report.h"

#include <math.h>
#include <string.h>

#define AGREES 2.0 /* combined standard errors */

void report_add(report *r, report_row row) {
    if (r->rows < REPORT_ROWS) r->row[r->rows++] = row;
}

void report_add_mean(report *r, const char *name, const char *unit, const char *how, cluster_mean m, double factor) {
    report_add(r, (report_row){name, unit, how, factor * m.mean, factor * m.se, factor * m.spread, m.n});
}

double report_distance(double a, double se_a, double b, double se_b) { return fabs(a - b) / hypot(se_a, se_b); }

/* Writes a number as text, nothing for NaN. */
static const char *number(double x, char *text, size_t size) {
    if (isnan(x))
        text[0] = '\0';
    else
        snprintf(text, size, "%.4g", x);
    return text;
}

static bool find(const table *t, const char *name, double *value, double *se) {
    static const char *const want[2] = {"value", "se"};
    int column[2];
    char why[160];
    if (!t || !table_columns(t, want, 2, column, why, sizeof why)) return false;
    for (int i = 0; i < t->rows; i++) {
        if (strcmp(t->key[i], name) != 0) continue;
        *value = table_at(t, i, column[0]);
        *se = table_at(t, i, column[1]);
        return true;
    }
    return false;
}

int report_print(const report *r, const table *reference, bool csv, FILE *out) {
    int off = 0;
    if (csv)
        fprintf(out, "quantity,unit,value,se,spread,n,reference,distance\n");
    else
        fprintf(out, "%-22s %10s %10s %9s %5s %10s %9s  %s\n", "quantity", "value", "st. error", "spread", "n",
                "reference", "distance", "from");
    for (int i = 0; i < r->rows; i++) {
        const report_row *q = &r->row[i];
        double value = NAN, se = 0, distance = NAN;
        if (find(reference, q->name, &value, &se)) distance = report_distance(q->value, q->se, value, se);
        bool bad = !isnan(value) && !(distance <= AGREES);
        off += bad;
        char a[5][32], label[64];
        number(q->value, a[0], sizeof a[0]), number(q->se, a[1], sizeof a[1]), number(q->spread, a[2], sizeof a[2]);
        number(value, a[3], sizeof a[3]), number(distance, a[4], sizeof a[4]);
        if (!isnan(distance)) snprintf(a[4], sizeof a[4], "%.2f%s", distance, bad && !csv ? " !" : "");
        snprintf(label, sizeof label, "%s%s%s", q->name, *q->unit ? " " : "", q->unit);
        if (csv)
            fprintf(out, "%s,%s,%s,%s,%s,%d,%s,%s\n", q->name, q->unit, a[0], a[1], a[2], q->n, a[3], a[4]);
        else
            fprintf(out, "%-22s %10s %10s %9s %5d %10s %9s  %s\n", label, a[0], a[1], a[2], q->n, a[3], a[4], q->how);
    }
    return off;
}
