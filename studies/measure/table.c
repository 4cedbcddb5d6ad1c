/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* table.c - reads comma-separated values: a header line, then one line per row with as many cells.
 * Valid    lines of up to LINE_MAX_CHARS characters, no quotes. What the data sets of the studies need and no more. */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_CHARS = 4096 };

void table_free(table *t) {
    free(t->key);
    free(t->value);
    *t = (table){0};
}

double table_at(const table *t, int row, int column) {
    return t->value[(size_t)row * (size_t)t->columns + (size_t)column];
}

int table_column(const table *t, const char *name) {
    for (int i = 0; i < t->columns; i++)
        if (!strcmp(t->name[i], name)) return i;
    return -1;
}

bool table_columns(const table *t, const char *const *name, int n, int *column, char *why, size_t why_size) {
    for (int i = 0; i < n; i++) {
        column[i] = table_column(t, name[i]);
        if (column[i] < 0) return snprintf(why, why_size, "there is no column %s", name[i]), false;
    }
    return true;
}

/* Next cell of a line, cut off at the comma; NULL after the last. */
static char *next_cell(char **at) {
    char *cell = *at;
    if (!cell) return NULL;
    char *comma = strchr(cell, ',');
    if (comma) *comma = '\0';
    *at = comma ? comma + 1 : NULL;
    return cell;
}

static bool read_header(table *t, char *line) {
    for (char *cell; (cell = next_cell(&line)); t->columns++) {
        if (t->columns == TABLE_COLUMNS || strlen(cell) >= TABLE_NAME) return false;
        snprintf(t->name[t->columns], TABLE_NAME, "%s", cell);
    }
    return t->columns > 0;
}

static bool read_row(table *t, int row, char *line) {
    int n = 0;
    for (char *cell; (cell = next_cell(&line)); n++) {
        if (n == t->columns) return false;
        if (n == 0) snprintf(t->key[row], TABLE_NAME, "%.*s", TABLE_NAME - 1, cell);
        char *end;
        double x = strtod(cell, &end);
        t->value[(size_t)row * (size_t)t->columns + (size_t)n] = end != cell && !*end ? x : NAN;
    }
    return n == t->columns;
}

static bool grow(table *t, int *room) {
    if (t->rows < *room) return true;
    int more = *room ? 2 * *room : 128;
    void *key = realloc(t->key, sizeof *t->key * (size_t)more);
    if (key) t->key = key;
    void *value = realloc(t->value, sizeof *t->value * (size_t)more * (size_t)t->columns);
    if (value) t->value = value;
    if (!key || !value) return false;
    *room = more;
    return true;
}

bool table_read(const char *path, table *t, char *why, size_t why_size) {
    *t = (table){0};
    FILE *f = fopen(path, "r");
    if (!f) return snprintf(why, why_size, "%s: cannot be opened", path), false;
    char line[LINE_MAX_CHARS];
    int room = 0, number = 0;
    bool ok = true;
    while (ok && fgets(line, sizeof line, f)) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        if (number == 1)
            ok = read_header(t, line);
        else if ((ok = grow(t, &room)) && (ok = read_row(t, t->rows, line)))
            t->rows++;
    }
    ok = ok && number > 0 && !ferror(f);
    fclose(f);
    if (ok) return true;
    snprintf(why, why_size, "%s:%d: found a line that does not fit; allowed: a header, then rows with as many cells",
             path, number);
    table_free(t);
    return false;
}
