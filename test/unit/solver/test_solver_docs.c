/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_solver_docs.c - docs/solvers.md and docs/solvers/NAME.md agree with the registry: the solvers, their problem classes, their settings with defaults and
 * ranges. The test prints a missing line as it should be. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perp/solver.h"

#define DOCS    PERP_TEST_DIR "/../docs/"
#define CLASSES 7

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        print_error("%s is missing\n", path);
        return NULL;
    }
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    assert_true(size >= 0);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), (size_t)size);
    text[size] = 0;
    (void)fclose(f);
    return text;
}

/* Is `line` a whole line of the text? */
static bool has_line(const char *text, const char *line) {
    size_t n = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if ((at == text || at[-1] == '\n') && (at[n] == '\n' || at[n] == 0)) return true;
    return false;
}

static bool expect_line(const char *path, const char *text, const char *line) {
    if (has_line(text, line)) return true;
    print_error("%s lacks the line\n%s\n", path, line);
    return false;
}

/* Lines that begin with `start`. */
static int count_lines(const char *text, const char *start) {
    int count = 0;
    for (const char *at = text; at && *at; at = strchr(at, '\n')) {
        if (*at == '\n') at++;
        if (strncmp(at, start, strlen(start)) == 0) count++;
    }
    return count;
}

/* As a person writes it: 1e-9, not 1e-09. */
static void write_number(char to[32], double value) {
    char from[32];
    (void)snprintf(from, sizeof from, "%g", value);
    const char *e = strchr(from, 'e');
    size_t head = e ? (size_t)(e - from) + 1 : strlen(from);
    memcpy(to, from, head);
    to += head;
    if (e) {
        e++;
        if (*e == '-') *to++ = '-';
        while (*e == '-' || *e == '+' || (*e == '0' && e[1])) e++;
        while (*e) *to++ = *e++;
    }
    *to = 0;
}

static const perp_class classes[CLASSES] = {PERP_LCP, PERP_MLCP, PERP_SPARSE_MLCP, PERP_NCP,
                                            PERP_QP,  PERP_CONE, PERP_CONE_QP};

static void table_of_classes(void **state) {
    (void)state;
    const char *path = DOCS "solvers.md";
    char *text = read_text(path), line[400] = "| solver |";
    assert_non_null(text);
    bool good = true;
    unsigned all = 0;
    for (int c = 0; c < CLASSES; c++) {
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " %s |", perp_class_name(classes[c]));
        all |= classes[c];
    }
    assert_int_equal(all, PERP_CLASS_ALL); /* a new class needs a column */
    good &= expect_line(path, text, line);
    for (int i = 0; i < perp_solver_count(); i++) {
        const perp_solver_type *t = perp_solver_at(i);
        (void)snprintf(line, sizeof line, "| [%s](solvers/%s.md) |", t->name, t->name);
        for (int c = 0; c < CLASSES; c++)
            (void)snprintf(line + strlen(line), sizeof line - strlen(line), " %s |", t->takes & classes[c] ? "x" : " ");
        good &= expect_line(path, text, line);
    }
    assert_int_equal(count_lines(text, "| ["), perp_solver_count());
    free(text);
    assert_true(good);
}

/* One row of a table of settings. */
static void write_field(char *line, size_t size, const perp_field *f) {
    char value[32], min[32], max[32];
    write_number(value, f->value);
    write_number(min, f->min);
    write_number(max, f->max);
    assert_null(strchr(f->help, '|')); /* it would end the cell */
    (void)snprintf(line, size, "| `%s` | %s | %s %s %s | %s |", f->name, value, min,
                   f->type == PERP_FIELD_BOOL ? "or" : "to", max, f->help);
}

static bool check_page(const perp_solver_type *t) {
    char path[1024], line[600];
    (void)snprintf(path, sizeof path, DOCS "solvers/%s.md", t->name);
    char *text = read_text(path);
    if (!text) return false;
    (void)snprintf(line, sizeof line, "# %s", t->name);
    bool good = expect_line(path, text, line);
    (void)snprintf(line, sizeof line, "Classes:");
    for (int c = 0, before = 0; c < CLASSES; c++)
        if (t->takes & classes[c])
            (void)snprintf(line + strlen(line), sizeof line - strlen(line), "%s `%s`", before++ ? "," : "",
                           perp_class_name(classes[c]));
    good &= expect_line(path, text, line);
    const char *section[] = {"## Method", "## When", "## Cost", "## Settings", "## Source"};
    for (size_t i = 0; i < sizeof section / sizeof *section; i++) good &= expect_line(path, text, section[i]);
    for (int i = 0; i < t->nfield; i++) {
        write_field(line, sizeof line, &t->fields[i]);
        good &= expect_line(path, text, line);
    }
    if (count_lines(text, "| `") != t->nfield) {
        print_error("%s has %d rows of settings, the solver %d settings\n", path, count_lines(text, "| `"), t->nfield);
        good = false;
    }
    free(text);
    return good;
}

static void pages(void **state) {
    (void)state;
    bool good = true;
    for (int i = 0; i < perp_solver_count(); i++) good &= check_page(perp_solver_at(i));
    assert_true(good);
}

/* Every file of the folder is the page of a solver. */
static void no_page_too_many(void **state) {
    (void)state;
    DIR *folder = opendir(DOCS "solvers");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *e; (e = readdir(folder));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, ".md") != 0) continue;
        char name[256];
        (void)snprintf(name, sizeof name, "%.*s", (int)(n - 3), e->d_name);
        if (!perp_solver_find(name)) print_error("docs/solvers/%s: no such solver\n", e->d_name);
        assert_non_null(perp_solver_find(name));
        count++;
    }
    (void)closedir(folder);
    assert_int_equal(count, perp_solver_count());
}

/* Links within the project lead somewhere. */
static bool check_links(const char *folder, const char *file) {
    char path[1200];
    bool good = true;
    (void)snprintf(path, sizeof path, "%s%s", folder, file);
    char *text = read_text(path);
    if (!text) return false;
    for (const char *at = text; (at = strstr(at, "]("));) {
        at += 2;
        size_t n = strcspn(at, ")#");
        if (n == 0 || strncmp(at, "http", 4) == 0) continue;
        (void)snprintf(path, sizeof path, "%s%.*s", folder, (int)n, at);
        if (access(path, R_OK) == 0) continue;
        print_error("%s%s: no file %.*s\n", folder, file, (int)n, at);
        good = false;
    }
    free(text);
    return good;
}

static void links(void **state) {
    (void)state;
    bool good = check_links(DOCS, "solvers.md");
    for (int i = 0; i < perp_solver_count(); i++) {
        char file[128];
        (void)snprintf(file, sizeof file, "%s.md", perp_solver_at(i)->name);
        good &= check_links(DOCS "solvers/", file);
    }
    assert_true(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_classes),
        cmocka_unit_test(pages),
        cmocka_unit_test(no_page_too_many),
        cmocka_unit_test(links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
