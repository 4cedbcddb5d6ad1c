/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_world_def.c - the definition of a world: what is unset, what is given, and what its header says */
#include <stdio.h>
#include <string.h>

#include "unit/world_help.h"

static perp_world_def made_of(const perp_world_def *d) {
    perp_world *w = world_of(d);
    perp_world_def got = perp_world_get_def(w);
    perp_world_destroy(w);
    return got;
}

static void same(const perp_world_def *a, const perp_world_def *b) {
    assert_string_equal(a->solver, b->solver);
    assert_int_equal(a->form, b->form);
    assert_int_equal(a->no_fallback, b->no_fallback);
    for (int i = 0; i < PERP_FALLBACK_MAX; i++) {
        assert_int_equal(!a->fallback[i], !b->fallback[i]);
        if (a->fallback[i]) assert_string_equal(a->fallback[i], b->fallback[i]);
    }
}

/* Nothing is named: NULL in the default definition, and what perp chooses afterwards. */
static void test_unset(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        assert_null(d.solver);
        for (int i = 0; i < PERP_FALLBACK_MAX; i++) assert_null(d.fallback[i]);
        assert_false(d.no_fallback);
        perp_world_def got = made_of(&d);
        assert_string_equal(got.solver, dim == 2 ? "lemke" : "auto");
        assert_int_equal(got.form, dim == 2 ? PERP_FORM_LCP : PERP_FORM_CONE);
        assert_int_equal(got.no_fallback, dim == 3);
        if (dim == 2) assert_string_equal(got.fallback[2], "auto");
        d.detector = d.contact_model = d.stepper = NULL;
        perp_world_def again = made_of(&d);
        assert_string_equal(again.detector, got.detector);
        assert_string_equal(again.contact_model, got.contact_model);
        assert_string_equal(again.stepper, got.stepper);
        same(&again, &got);
    }
}

/* Names are compared by their characters, not by their addresses: a literal, a copy, and the name from another world. */
static void test_names_not_addresses(void **state) {
    (void)state;
    char copy[] = "lemke";
    perp_world_def plane = perp_world_def_default(2), d = perp_world_def_default(3);
    const char *told = made_of(&plane).solver;
    d.solver = "lemke";
    perp_world_def literal = made_of(&d);
    assert_int_equal(literal.form, PERP_FORM_LCP); /* lemke takes no cones */
    d.solver = copy;
    perp_world_def copied = made_of(&d);
    d.solver = told;
    perp_world_def from_world = made_of(&d);
    same(&literal, &copied);
    same(&literal, &from_world);
}

/* A world made of another's definition has the same chain of solvers, also if that is one solver alone. */
static void test_definition_again(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < 4; kind++) {
            perp_world_def d = perp_world_def_default(dim);
            if (kind > 0) d.solver = "pgs";
            if (kind == 2) d.no_fallback = true;
            if (kind == 3) d.fallback[0] = "lemke", d.form = PERP_FORM_LCP;
            perp_world_def first = made_of(&d), second = made_of(&first);
            same(&first, &second);
            if (kind == 2) assert_null(first.fallback[0]);
            if (kind == 3) assert_true(!strcmp(first.fallback[0], "lemke") && !first.fallback[1]);
        }
}

/* Full and half edges. */
static void test_box(void **state) {
    (void)state;
    const perp_shape_def a = perp_shape_box(0.5, 1, 1.5), b = perp_shape_box_edges(1, 2, 3);
    assert_true(a.half_size.x == b.half_size.x && a.half_size.y == b.half_size.y && a.half_size.z == b.half_size.z);
    assert_int_equal(a.kind, b.kind);
}

/* ---- the comments of world.h ---- */

static char header[60000];

/* The words in quotes in the comment of a field of perp_world_def, up to the first full stop or "or registered". */
static int listed(const char *field, char name[][40], int most) {
    char declared[80];
    (void)snprintf(declared, sizeof declared, "const char *%s;", field);
    const char *at = strstr(strstr(header, "typedef struct perp_world_def"), declared);
    if (!at) fail_msg("world.h has no line with \"%s\"", declared);
    const char *end = strstr(at, "*/"), *from = strstr(at, "one of ");
    int n = 0;
    assert_true(end && from && from < end);
    for (const char *p = strchr(from, '"'); p && p < end && n < most; p = strchr(strchr(p + 1, '"') + 1, '"'))
        (void)snprintf(name[n++], 40, "%.*s", (int)strcspn(p + 1, "\""), p + 1);
    return n;
}

static void check_list(const char *field, const char *const *registry, int count) {
    char name[40][40];
    const int n = listed(field, name, 40);
    for (int i = 0; i < n; i++) {
        bool there = false;
        for (int k = 0; k < count; k++) there |= !strcmp(name[i], registry[k]);
        if (!there) fail_msg("world.h lists the %s \"%s\", which does not exist", field, name[i]);
    }
    for (int k = 0; k < count; k++) {
        bool there = false;
        for (int i = 0; i < n; i++) there |= !strcmp(name[i], registry[k]);
        if (!there) fail_msg("world.h does not list the %s \"%s\"", field, registry[k]);
    }
}

static void test_header(void **state) {
    (void)state;
    FILE *f = fopen(PERP_TEST_DIR "/../include/perp/world.h", "r");
    assert_non_null(f);
    header[fread(header, 1, sizeof header - 1, f)] = 0;
    (void)fclose(f);
    const char *name[64];
    int n = 0;
    perp_stepper_info info;
    while (perp_stepper_at(n, &info)) name[n++] = info.name;
    check_list("stepper", name, n);
    for (n = 0; perp_contact_model_at(n); n++) name[n] = perp_contact_model_at(n);
    check_list("contact_model", name, n);
    for (n = 0; n < perp_solver_count(); n++) name[n] = perp_solver_at(n)->name;
    check_list("solver", name, n);
    perp_world_def d = perp_world_def_default(2);
    name[0] = made_of(&d).detector;
    check_list("detector", name, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unset),
        cmocka_unit_test(test_names_not_addresses),
        cmocka_unit_test(test_definition_again),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
