/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* csv.c - see csv.h. Fields may stand in double quotes, "" within them is one quote. A byte order mark of UTF-8 is skipped. */
#include "study/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "input/text.h"

static perp_status bad(const pp_csv *t, int line, const char *key, const char *found, const char *allowed,
                       perp_refusal *why) {
    return pp_complain(why, PERP_E_ARG, (pp_location){t->file, line, 0}, key, found, allowed);
}

static perp_status no_memory(const pp_csv *t, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){t->file, 0, 0}, "", "not enough memory");
}

static char *trimmed(char *s) {
    while (*s == ' ' || *s == '\t') s++;
    size_t n = strlen(s);
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r')) s[--n] = 0;
    return s;
}

/* Cuts the next field off a line; NULL at its end. *broken: what is wrong with its quotes, if anything. */
static char *next_field(char **at, const char **broken) {
    char *s = *at;
    if (!s) return NULL;
    while (*s == ' ' || *s == '\t') s++;
    if (*s != '"') {
        char *comma = strchr(s, ',');
        if (comma) *comma = 0;
        *at = comma ? comma + 1 : NULL;
        return trimmed(s);
    }
    char *to = ++s, *from = s, *begin = s;
    for (; *from; from++) {
        if (*from == '"' && from[1] != '"') break;
        if (*from == '"') from++;
        *to++ = *from;
    }
    char *comma = *from ? strchr(from, ',') : NULL;
    if (*from != '"')
        *broken = "a quote that does not end";
    else
        for (char *rest = from + 1; *rest && rest != comma; rest++)
            if (*rest != ' ' && *rest != '\t' && *rest != '\r') *broken = "text after the quote that ends";
    *to = 0;
    *at = comma ? comma + 1 : NULL;
    return begin;
}

/* Refuses a line of names that has numbers, a name twice, or one long name because columns are not separated by commas. */
static perp_status check_names(const pp_csv *t, int number, perp_refusal *why) {
    int numbers = 0;
    for (int i = 0; i < t->ncolumn; i++) {
        double x;
        const char *s = t->name[i] + (t->name[i][0] == '-' || t->name[i][0] == '+');
        size_t n = strlen(s);
        numbers += n > 0 && pp_number_scan(s, n, &x) == n;
    }
    if (numbers == t->ncolumn)
        return bad(t, number, "", "numbers", "names of columns in the first line, then rows", why);
    if (t->ncolumn == 1 && strchr(t->name[0], ';'))
        return bad(t, number, "", "columns separated by semicolons", "commas between columns", why);
    if (t->ncolumn == 1 && strchr(t->name[0], '\t'))
        return bad(t, number, "", "columns separated by tabs", "commas between columns", why);
    for (int i = 1; i < t->ncolumn; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(t->name[i], t->name[k]))
                return bad(t, number, t->name[i],
                           *t->name[i] ? "the name of two columns" : "two columns without a name",
                           "one column of a name", why);
    return PERP_OK;
}

static perp_status read_names(pp_csv *t, char *line, int number, perp_refusal *why) {
    const char *broken = NULL;
    for (char *at = line, *f; (f = next_field(&at, &broken)) != NULL;) {
        if (t->ncolumn == PP_CSV_COLUMNS) return bad(t, number, "", "more than 256 columns", "fewer", why);
        t->name[t->ncolumn++] = f;
    }
    return broken ? bad(t, number, "", broken, "quotes in pairs about a field", why) : check_names(t, number, why);
}

static perp_status read_row(pp_csv *t, char *line, int number, perp_refusal *why) {
    const char *broken = NULL;
    int n = 0;
    for (char *at = line, *f; (f = next_field(&at, &broken)) != NULL; n++)
        if (n < t->ncolumn) t->field[(size_t)t->nrow * (size_t)t->ncolumn + (size_t)n] = f;
    if (broken) return bad(t, number, "", broken, "quotes in pairs about a field", why);
    if (n != t->ncolumn) {
        char found[64], allowed[64];
        (void)snprintf(found, sizeof found, "%d field%s", n, n == 1 ? "" : "s");
        (void)snprintf(allowed, sizeof allowed, "%d, as many as the first line has", t->ncolumn);
        return bad(t, number, "", found, allowed, why);
    }
    t->line[t->nrow++] = number;
    return PERP_OK;
}

static perp_status cut(pp_csv *t, size_t size, perp_refusal *why) {
    int lines = 1, number = 0;
    if (strlen(t->data) != size) return bad(t, 0, "", "a zero byte", "text", why);
    for (const char *c = t->data; *c; c++) lines += *c == '\n';
    if (lines == 1 && strchr(t->data, '\r') && strchr(t->data, '\r')[1])
        return bad(t, 1, "", "lines that end with a carriage return alone", "line feeds", why);
    if (lines > PP_CSV_ROWS) return bad(t, 0, "", "more than ten million lines", "fewer", why);
    t->line = pp_alloc(&t->alloc, sizeof *t->line * (size_t)lines);
    if (!t->line) return no_memory(t, why);
    perp_status st = PERP_OK;
    char *text = t->data + (strncmp(t->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0); /* byte order mark */
    for (char *at = text, *next; !st && at; at = next) {
        next = strchr(at, '\n');
        if (next) *next++ = 0;
        number++;
        char *line = trimmed(at);
        if (!*line || *line == '#') continue;
        if (t->ncolumn > 0) {
            st = read_row(t, line, number, why);
            continue;
        }
        st = read_names(t, line, number, why);
        if (st) break;
        t->field = pp_alloc(&t->alloc, sizeof *t->field * (size_t)t->ncolumn * (size_t)lines);
        if (!t->field) st = no_memory(t, why);
    }
    if (!st && t->ncolumn == 0) st = bad(t, 0, "", "no line of names", "names of columns, then rows", why);
    return st;
}

perp_status pp_csv_parse(const perp_allocator *a, const char *name, char *data, size_t size, pp_csv *t,
                         perp_refusal *why) {
    *t = (pp_csv){.alloc = *a, .data = data};
    t->file = pp_copy_text(a, name);
    perp_status st = t->file ? cut(t, size, why)
                             : pp_complain_say(why, PERP_E_MEMORY, (pp_location){name, 0, 0}, "", "not enough memory");
    if (st) pp_csv_free(t);
    return st;
}

perp_status pp_csv_read(const perp_allocator *a, const char *root, const char *path, pp_csv *t, perp_refusal *why) {
    size_t size = 0;
    char *data = NULL;
    *t = (pp_csv){.alloc = *a};
    perp_status st = pp_source_read_within(a, root, "study", path, &data, &size, why);
    return st ? st : pp_csv_parse(a, path, data, size, t, why);
}

void pp_csv_free(pp_csv *t) {
    pp_free(&t->alloc, t->data);
    pp_free(&t->alloc, (void *)t->field);
    pp_free(&t->alloc, t->line);
    pp_free(&t->alloc, t->file);
    *t = (pp_csv){.alloc = t->alloc};
}

int pp_csv_column(const pp_csv *t, const char *name) {
    for (int i = 0; i < t->ncolumn; i++)
        if (!strcmp(t->name[i], name)) return i;
    return -1;
}

perp_status pp_csv_no_column(const pp_csv *t, const char *name, pp_location at, const char *key, perp_refusal *why) {
    char allowed[400] = "", found[160];
    const char *words[PP_CSV_COLUMNS + 1] = {NULL};
    size_t n = 0;
    for (int i = 0; i < t->ncolumn; i++) {
        words[i] = t->name[i];
        if (n + strlen(t->name[i]) + 90 < sizeof allowed)
            n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%s%s", i ? ", " : "", t->name[i]);
    }
    const char *near = pp_suggest(name, words);
    if (near) (void)snprintf(allowed + n, sizeof allowed - n, "; did you mean %.40s?", near);
    (void)snprintf(found, sizeof found, "the column `%.60s`, which %.60s does not have", name, t->file);
    return pp_complain(why, PERP_E_ARG, at, key, found, allowed);
}

perp_status pp_csv_number(const pp_csv *t, int row, int column, double *out, perp_refusal *why) {
    static const char *const missing[] = {"", "nan", "NaN", "NAN", "NA", "-", NULL};
    const char *s = pp_csv_text(t, row, column);
    double x = 0;
    for (int i = 0; missing[i]; i++)
        if (!strcmp(s, missing[i])) {
            *out = NAN;
            return PERP_OK;
        }
    size_t length = strlen(s), sign = s[0] == '-' || s[0] == '+', n = pp_number_scan(s + sign, length - sign, &x);
    if (n == 0 || n + sign != length || !isfinite(x)) {
        char shown[80];
        return bad(t, t->line[row], t->name[column], pp_printable(shown, sizeof shown, s, length),
                   "a finite number, or nothing where it is missing", why);
    }
    *out = s[0] == '-' ? -x : x;
    return PERP_OK;
}
