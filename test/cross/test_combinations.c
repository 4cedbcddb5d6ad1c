/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Every combination of dimension, stepper, contact model, form and solver that the library says exists takes a few steps
 * of a small scene, with friction, and its answers are accepted; every other one is refused with a reason. Driven by the
 * lists of the library: a new stepper, model or solver is tested as soon as it is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { STEPS = 3 };

/* A ball, or disc, that rests on the floor and is pushed along it. Some steppers take only what gives way, some nothing
 * that does: `compliant`. */
static scene pushed(const perp_combination *c, bool compliant) {
    perp_world_def d = world_def(c->dim, 2e-3, PERP_START_PLAIN);
    d.stepper = c->stepper;
    d.contact_model = c->contact_model;
    d.form = c->form;
    d.solver = c->solver;
    d.no_fallback = true;
    d.friction_directions = 4;
    d.tolerance = 1e-6; /* sweeps need not go far */
    scene s = scene_new(d);
    perp_pair_law law = {.mu = 0.3};
    if (compliant) {
        law.compliance = PERP_LINEAR;
        law.stiffness = 1e4;
        law.damping = 10;
    }
    if (perp_pair_set_all(s.w, law)) {
        scene_end(&s);
        return (scene){.w = NULL};
    }
    perp_vec3 up = c->dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1);
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(up, 0));
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def ball = perp_shape_sphere(0.5);
    assert_int_equal(perp_body_def_mass(&b, &ball, c->dim, 1), PERP_OK);
    b.X_WB.p = perp_v3_scale(0.5, up);
    b.v_W = perp_v3(0.1, 0, 0);
    scene_shape(&s, scene_body(&s, &b), ball);
    return s;
}

/* Steps the scene; PERP_E_FIT if it is not one for this stepper. */
static perp_status run(const perp_combination *c, bool compliant) {
    scene s = pushed(c, compliant);
    if (!s.w) return PERP_E_FIT;
    perp_status st = PERP_OK;
    for (int i = 0; !st && i < STEPS; i++) {
        perp_certificate cert;
        st = perp_world_step(s.w, &cert);
        if (!st) assert_true(cert.accepted);
        if (!st) assert_true(perp_v3_finite(position(&s, 1)) && perp_v3_norm(position(&s, 1)) < 1);
    }
    if (st && st != PERP_E_FIT)
        print_error("%dD, %s, %s, form %d, %s: %s\n", c->dim, c->stepper, c->contact_model, (int)c->form, c->solver,
                    perp_world_why(s.w));
    scene_end(&s);
    return st;
}

static void all_that_exist_run_and_others_say_why(void **state) {
    (void)state;
    int exist = 0, refused = 0, failed = 0;
    perp_combination c;
    for (int i = 0; perp_combination_at(i, &c); i++) {
        if (!c.exists) {
            assert_true(strlen(c.why) > 10); /* a sentence */
            refused++;
            continue;
        }
        assert_int_equal(c.why[0], 0);
        perp_status st = run(&c, false);
        perp_status gives = run(&c, true); /* of those that take either kind, both */
        if (st == PERP_E_FIT || (gives && gives != PERP_E_FIT)) st = gives;
        if (st) {
            print_error("%dD, %s, %s, form %d, %s: %s\n", c.dim, c.stepper, c.contact_model, (int)c.form, c.solver,
                        perp_status_text(st));
            failed++;
        }
        exist++;
    }
    print_message("%d combinations run, %d refused, of %d\n", exist, refused, perp_combination_count());
    assert_int_equal(exist + refused, perp_combination_count());
    assert_int_equal(failed, 0);
    assert_true(exist > 300 && refused > 100);
}

/* What is in the table names every stepper, model and solver, and is as long as it says. */
static void table_is_whole(void **state) {
    (void)state;
    size_t n = perp_combinations(NULL, 0);
    char *text = malloc(n + 1), cut[16];
    assert_non_null(text);
    assert_int_equal(perp_combinations(text, n + 1), n);
    assert_int_equal(strlen(text), n);
    assert_int_equal(perp_combinations(cut, sizeof cut), n);
    assert_memory_equal(cut, text, sizeof cut - 1);
    perp_stepper_info s;
    for (int i = 0; perp_stepper_at(i, &s); i++) assert_non_null(strstr(text, s.name));
    for (int i = 0; perp_contact_model_at(i); i++) assert_non_null(strstr(text, perp_contact_model_at(i)));
    for (int i = 0; i < perp_solver_count(); i++)
        if (perp_solver_at(i)->takes & (PERP_LCP | PERP_MLCP | PERP_CONE))
            assert_non_null(strstr(text, perp_solver_at(i)->name));
    assert_null(perp_contact_model_at(-1));
    perp_combination c;
    assert_false(perp_combination_at(-1, &c));
    assert_false(perp_combination_at(perp_combination_count(), &c));
    free(text);
}

/* docs/combinations.md is what this program says. */
static void document_is_of_today(void **state) {
    (void)state;
    size_t n = perp_combinations(NULL, 0);
    char *text = malloc(n + 1), *file = malloc(n + 2);
    assert_true(text && file);
    perp_combinations(text, n + 1);
    FILE *f = fopen(PERP_TEST_DIR "/../docs/combinations.md", "rb");
    if (!f) fail_msg("there is no docs/combinations.md");
    size_t got = fread(file, 1, n + 2, f);
    fclose(f);
    if (got != n || memcmp(text, file, n) != 0)
        fail_msg("docs/combinations.md is old; write it anew: perp info --combinations > docs/combinations.md");
    free(text);
    free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_exist_run_and_others_say_why),
        cmocka_unit_test(table_is_whole),
        cmocka_unit_test(document_is_of_today),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
