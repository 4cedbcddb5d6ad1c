/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_peg_loose.c - worlds with a loose tolerance: fewer rounds, and relaxation sweeps instead of factorisations
 * Balls poured into a box, cubes on a heap. Required at a tolerance: no step is divided, laws hold to the tolerance, the overlap is at most
 * a few times the tolerance times the way of the fastest ball in a step, and the motion as a whole is that of a world with 1e-8. */
#include <stdlib.h>

#include "check.h"
#include "peg_scenes.h"
#include "perp/problem_file.h"
#include "perp/solver.h"

#define RADIUS 0.1
#define STEP   5e-3

static perp_world *loose_world(double tolerance) {
    perp_world_def d = perp_world_def_default(3);
    d.form = PERP_FORM_CONE;
    d.h = STEP;
    d.contact_model = "peg";
    d.tolerance = tolerance;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3, .restitution = 0}));
    add_fixed(w, perp_shape_halfspace(perp_v3(0, 0, 1), 0), perp_pose_identity());
    return w;
}

/* side x side x layers balls, a little out of line, above a floor within four walls. */
static perp_world *pour(int side, int layers, double tolerance, perp_body_id *ball) {
    perp_world *w = loose_world(tolerance);
    double half = 1.2 * RADIUS * side;
    for (int s = 0; s < 2; s++) {
        double sign = s ? 1 : -1;
        add_fixed(w, perp_shape_halfspace(perp_v3(-sign, 0, 0), 0), perp_pose_at(sign * half, 0, 0));
        add_fixed(w, perp_shape_halfspace(perp_v3(0, -sign, 0), 0), perp_pose_at(0, sign * half, 0));
    }
    for (int i = 0; i < side * side * layers; i++) {
        int x = i % side, y = i / side % side, z = i / (side * side);
        double off = 0.02 * RADIUS * (i * 37 % 11 - 5), pitch = 2.3 * RADIUS;
        ball[i] = add_free(w, perp_shape_sphere(RADIUS),
                           perp_pose_at(pitch * (x - 0.5 * (side - 1)) + off,
                                        pitch * (y - 0.5 * (side - 1)) - 0.7 * off, 1.2 * RADIUS + pitch * z),
                           none);
    }
    return w;
}

static double mean_height(const perp_world *w, const perp_body_id *ball, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        perp_pose X;
        assert_int_equal(perp_body_pose(w, ball[i], &X), PERP_OK);
        sum += X.p.z;
    }
    return sum / n;
}

/* A large problem with a tolerance of three digits is solved by sweeps, without factorisations, and the judge accepts the answer. */
static void look(const perp_captured *c, void *ctx) {
    int *swept = ctx;
    if (c->problem->ncontact <= 300 || *swept) return;
    perp_stored *s;
    assert_int_equal(perp_step_convert(c->problem, PERP_CONE, NULL, NULL, &s), PERP_OK);
    const perp_problem *p = perp_stored_problem(s);
    double *z = calloc((size_t)perp_problem_size(p), sizeof *z);
    assert_non_null(z);
    perp_solve_options o = {.solver = "auto", .tol = 1e-3};
    perp_solve_info info;
    perp_measures m;
    if (perp_solve(p, &o, z, &info)) fail_msg("%s", info.story);
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    print_message("%d contacts: %s\n", c->problem->ncontact, info.story);
    assert_below(m.natural, 1e-3);
    assert_int_equal(info.factorisations, 0);
    *swept = info.iterations;
    free(z);
    perp_stored_free(s);
}

static void large_problems_are_swept(void **state) {
    (void)state;
    enum { SIDE = 7 };
    perp_world *w = loose_world(1e-3);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) { /* balls that touch, each with a velocity of its own */
        perp_vec3 v = {0.1 * (i * 7 % 5 - 2), 0.1 * (i * 11 % 7 - 3), 0.1 * (i * 13 % 5 - 3)};
        add_free(w, perp_shape_sphere(RADIUS),
                 perp_pose_at(2 * RADIUS * (i % SIDE), 2 * RADIUS * (i / SIDE % SIDE),
                              RADIUS * (1 + 2 * (i / (SIDE * SIDE)))),
                 v);
    }
    int swept = 0;
    perp_capture capture = {look, &swept};
    perp_world_set_capture(w, &capture);
    OK(w, perp_world_step(w, NULL));
    assert_true(swept > 0);
    perp_world_destroy(w);
}

static void few_digits_hold(void **state) {
    (void)state;
    enum { SIDE = 6, LAYERS = 5, N = SIDE * SIDE * LAYERS };
    perp_body_id ball[N];
    const double tolerance = 1e-3;
    perp_world *w = pour(SIDE, LAYERS, tolerance, ball);
    double fastest = sqrt(2 * 9.81 * 2.3 * RADIUS * LAYERS), deepest = 0;
    int steps = shorter(80);
    for (int i = 0; i < steps; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        assert_int_equal(c.substeps, 1);
        deepest = fmax(deepest, c.overlap);
    }
    print_message("%d balls, %d steps: overlap %.1e m\n", N, steps, deepest);
    assert_below(deepest, 4 * tolerance * fastest * STEP);
    perp_world_destroy(w);
}

/* Cubes every way up, in round layers turned against each other: corners and edges meet, and none lands flat. */
static void cubes_make_a_heap(void **state) {
    (void)state;
    enum { LAYER = 7, N = 6 * LAYER };
    const double tolerance = 4e-5, edge = 2 * RADIUS, golden = 2.3999632297286533;
    perp_world *w = loose_world(tolerance);
    for (int i = 0; i < N; i++) {
        double out = 1.13 * edge * sqrt(i % LAYER + 0.5);
        perp_vec3 axis = {sin(1.7 * i), cos(2.9 * i), sin(0.6 * i + 1)};
        perp_pose X = perp_pose_at(out * cos(golden * i), out * sin(golden * i), edge + 1.75 * edge * (i / LAYER));
        X.q = perp_q_exp(perp_v3_scale(1.3 + sin(5.1 * i), axis));
        add_free(w, perp_shape_box(RADIUS, RADIUS, RADIUS), X, none);
    }
    double fastest = sqrt(2 * 9.81 * 1.75 * edge * N / LAYER), deepest = 0;
    int steps = shorter(120), parts = 0;
    for (int i = 0; i < steps; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        parts += c.substeps;
        deepest = fmax(deepest, c.overlap);
    }
    print_message("%d cubes, %d steps in %d parts: overlap %.1e m\n", N, steps, parts, deepest);
    assert_below(deepest, 4 * tolerance * fastest * STEP);
    assert_true(parts <= steps + steps / 20);
    perp_world_destroy(w);
}

/* Single balls go other ways after many knocks; the pile as a whole does not. */
static void same_pile_as_with_many(void **state) {
    (void)state;
    enum { SIDE = 3, LAYERS = 3, N = SIDE * SIDE * LAYERS };
    const double tolerance[] = {1e-8, 1e-3};
    double height[2];
    for (int t = 0; t < 2; t++) {
        perp_body_id ball[N];
        perp_world *w = pour(SIDE, LAYERS, tolerance[t], ball);
        for (int i = 0; i < shorter(60); i++) OK(w, perp_world_step(w, NULL));
        height[t] = mean_height(w, ball, N);
        perp_world_destroy(w);
    }
    print_message("mean height %.6f m with 1e-8, %.6f m with 1e-3\n", height[0], height[1]);
    assert_below(fabs(height[0] - height[1]), 2e-3 * height[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_digits_hold), cmocka_unit_test(cubes_make_a_heap),
                                       cmocka_unit_test(same_pile_as_with_many),
                                       cmocka_unit_test(large_problems_are_swept)};
    return cmocka_run_group_tests_name("peg with few digits", tests, NULL, NULL);
}
