/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A step has a budget of work: one that uses it up fails with a sentence, leaves the world as it was and its problem to be
 * saved, in the same way in every run; the budget does not change a step that needs less. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "stage/frame.h"
#include "stage/certify/certify.h"

/* A heap of bodies of very different masses, thrown together. */
static scene heap_of(perp_shape_def shape, double work_limit, double time_limit) {
    perp_world_def d = world_def(2, 5e-3, PERP_START_PLAIN);
    d.work_limit = work_limit;
    d.time_limit = time_limit;
    scene s = scene_new(d);
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(perp_v3(0, 1, 0), 0));
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.5}), PERP_OK);
    for (int i = 0; i < 15; i++) {
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        assert_int_equal(perp_body_def_mass(&b, &shape, 2, i % 3 ? 1 : 1000), PERP_OK);
        b.X_WB.p = perp_v3(0.2 * (i % 5) + 0.02 * (i / 5), 0.1 + 0.2 * (i / 5), 0);
        b.v_W = perp_v3(i % 2 ? 1 : -1, -1, 0);
        scene_shape(&s, scene_body(&s, &b), shape);
    }
    return s;
}

static scene heap(double work_limit, double time_limit) {
    return heap_of(perp_shape_sphere(0.1), work_limit, time_limit);
}

static void fails_in_time(void **state) {
    (void)state;
    char why[2][512];
    for (int k = 0; k < 2; k++) {
        scene s = heap(1e6, 0);
        uint64_t before = perp_world_hash(s.w);
        assert_int_equal(perp_world_step(s.w, NULL), PERP_E_SOLVE);
        snprintf(why[k], sizeof why[k], "%s", perp_world_why(s.w));
        assert_non_null(strstr(why[k], "work_limit = 1e+06"));
        assert_true(perp_world_hash(s.w) == before);
        const perp_step_problem *p = perp_world_failed_problem(s.w);
        assert_true(p && p->ncontact > 0);
        scene_end(&s);
    }
    assert_string_equal(why[0], why[1]);
}

/* Given up anywhere: before the first problem is posed, between posing and solving it, in any part. */
static void fails_at_any_point(void **state) {
    (void)state;
    int failed = 0;
    for (double limit = 1; limit < 3e7; limit *= 1.5)
        for (int k = 0; k < 4; k++) {
            scene s = heap_of(k & 1 ? perp_shape_box(0.1, 0.1, 0) : perp_shape_sphere(0.1), limit, 0);
            if (k & 2) assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.5, .restitution = 1}), PERP_OK);
            perp_certificate c;
            perp_status st = PERP_OK;
            uint64_t before = 0;
            for (int i = 0; i < 5 && !st; i++) {
                before = perp_world_hash(s.w);
                st = perp_world_step(s.w, &c);
            }
            if (st) {
                assert_int_equal(st, PERP_E_SOLVE);
                assert_non_null(strstr(perp_world_why(s.w), "work"));
                assert_true(perp_world_hash(s.w) == before);
                failed++;
            }
            scene_end(&s);
        }
    assert_true(failed > 10);
}

/* Impacts in their order may be too many for the budget. All at once need a small part of it, so the step goes on with that. */
static void too_many_impacts(void **state) {
    (void)state;
    double need = 0; /* work of the step with most impacts */
    int at = -1, parts = 0, fewer = 0;
    for (int pass = 0; pass < 2; pass++) {
        scene s = heap_of(perp_shape_sphere(0.1), pass ? 0.3 * need : 0, 0);
        assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.restitution = 0.9}), PERP_OK);
        for (int i = 0; i < (pass ? at + 1 : 20); i++) {
            perp_certificate c;
            assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
            if (pass) fewer = c.substeps;
            if (pass || !(s.w->run.work.done > need)) continue;
            need = s.w->run.work.done;
            at = i;
            parts = c.substeps;
        }
        scene_end(&s);
    }
    print_message("step %d: %g of work for %d parts, then %d\n", at, need, parts, fewer);
    assert_true(parts > 10 && fewer < parts);
}

/* A spring that is too stiff asks for many parts, and the impacts in each of the first tries use up the work. What is left is solved undivided. */
static void last_share(void **state) {
    (void)state;
    for (double limit = 2e7; limit < 5e7; limit *= 2) {
        scene s = heap(limit, 0);
        assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.restitution = 0.9}), PERP_OK);
        perp_force_def spring = perp_force_def_default(PERP_FORCE_SPRING);
        spring.b = s.body[2];
        spring.point_A = perp_v3(0.7, 1, 0);
        spring.point_B = perp_v3(0.05, 0.02, 0);
        spring.stiffness = 3e7;
        spring.rest_length = 0.5;
        perp_force_id id;
        assert_int_equal(perp_force_add(s.w, &spring, &id), PERP_OK);
        perp_certificate c;
        if (perp_world_step(s.w, &c)) fail_msg("%s", perp_world_why(s.w));
        print_message("limit %g: %d parts, work %g\n", limit, c.substeps, s.w->run.work.done);
        assert_in_range(c.substeps, 2, 127);
        assert_true(s.w->run.work.done < 2 * limit);
        scene_end(&s);
    }
}

/* A part that is given up once its contacts are known, and before they are solved, has no answer to tell of. */
static void answer_may_be_missing(void **state) {
    (void)state;
    scene s = heap(0, 0);
    perp_contact touch = {.restitution = 1};
    int shape[2] = {0, 1};
    pp_state at = {.t = 0};
    pp_frame f = {.w = s.w, .s0 = &at, .h = 1e-3, .contacts = {.at = &touch, .shape = shape, .n = 1}};
    perp_certificate c;
    pp_certify_answer(&f, &c);
    assert_int_equal(c.contacts, 1);
    assert_int_equal(c.separating + c.sticking + c.sliding, 0);
    scene_end(&s);
}

static void does_not_change_what_it_allows(void **state) {
    (void)state;
    scene a = heap(0, 0), b = heap(2.5e9, 1e3);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(perp_world_step(a.w, NULL), PERP_OK);
        assert_int_equal(perp_world_step(b.w, NULL), PERP_OK);
        assert_true(perp_world_hash(a.w) == perp_world_hash(b.w));
    }
    scene_end(&a);
    scene_end(&b);
}

static void ends_by_the_clock(void **state) {
    (void)state;
    scene s = heap(0, 1e-9);
    assert_int_equal(perp_world_step(s.w, NULL), PERP_E_SOLVE);
    assert_non_null(strstr(perp_world_why(s.w), "time_limit"));
    scene_end(&s);
}

/* Bodies far away do not take part in the heap, but the limit is that of a larger world. */
static void larger_worlds_have_more(void **state) {
    (void)state;
    for (int more = 0; more <= 285; more += 95) {
        scene s = heap(2.5e9, 0);
        for (int i = 0; i < more; i++) {
            perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
            b.particle = true;
            b.mass = 1;
            b.X_WB.p = perp_v3(i, 100, 0);
            assert_false(perp_body_add(s.w, &b, &(perp_body_id){0, 0}));
        }
        assert_int_equal(perp_world_step(s.w, NULL), PERP_OK);
        assert_near(s.w->run.work_limit, 2.5e9 * fmax(1, (15 + more) / 100.0), 1);
        scene_end(&s);
    }
}

static void limits_are_checked(void **state) {
    (void)state;
    perp_world *w;
    char why[256];
    perp_world_def d = perp_world_def_default(2);
    d.work_limit = -1;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_ARG);
    assert_non_null(strstr(why, "work_limit"));
    d = perp_world_def_default(2);
    d.time_limit = NAN;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_ARG);
    assert_non_null(strstr(why, "time_limit"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fails_in_time),         cmocka_unit_test(fails_at_any_point),
        cmocka_unit_test(too_many_impacts),      cmocka_unit_test(last_share),
        cmocka_unit_test(answer_may_be_missing), cmocka_unit_test(does_not_change_what_it_allows),
        cmocka_unit_test(ends_by_the_clock),     cmocka_unit_test(larger_worlds_have_more),
        cmocka_unit_test(limits_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
