/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tangents at their limits: modes about to change, loads that are open, steps without equations, what is refused */
#include "tangent_help.h"

/* A particle of mass 1 falls on a floor with friction 0.2 and slides, pulled by (5, -9.81). */
static perp_world *particle(perp_body_id *body) {
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.05;
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    add_floor(w);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.particle = true;
    b.X_WB = perp_pose_at(0, 3, 0);
    *body = add_def(w, &b);
    add_shape(w, *body, perp_shape_particle(perp_v3(0, 0, 0)));
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.2}));
    OK(w, perp_body_set_force(w, *body, perp_v3(5, -9.81, 0), perp_v3(0, 0, 0)));
    return w;
}

/* Random scenes: every step by itself, at its modes and by differences, from the same direction. Where the two differ a
 * mode is near a change, and the flag is up. */
static int one_by_one(perp_world *w, perp_body_id body, int steps, int *flagged, int *differenced) {
    int compared = 0;
    perp_tangent *t = tangent_of(w, 1, PERP_TANGENT_AUTO);
    perp_vec3 dv = perp_world_dim(w) == 2 ? perp_v3(1, 0.3, 0) : perp_v3(1, 0.3, 0.2);
    OK(w, perp_tangent_set_velocity(t, 0, body, dv, perp_v3(0, 0, 0.5)));
    seed(t, w, 0, (perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0});
    for (int i = 0; i < steps; i++) {
        perp_world *other;
        perp_body_id id[SCENE_MAX];
        OK(w, perp_world_clone(w, &other));
        perp_tangent_def rd = perp_tangent_def_default();
        rd.method = PERP_TANGENT_STEPS;
        rd.difference = witness;
        perp_tangent *r;
        OK(other, perp_world_tangent(other, &rd, &r));
        seed(r, other, 0, (perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0});
        int n = perp_world_bodies(w, id, SCENE_MAX);
        for (int k = 0; k < n; k++) {
            perp_vec3 x[4];
            perp_body_def d;
            OK(w, perp_body_get(w, id[k], &d));
            if (d.kind != PERP_BODY_DYNAMIC) continue;
            OK(w, perp_tangent_pose(t, 0, id[k], &x[0], &x[1]));
            OK(w, perp_tangent_velocity(t, 0, id[k], &x[2], &x[3]));
            OK(w, perp_tangent_set_pose(r, 0, id[k], x[0], x[1]));
            OK(w, perp_tangent_set_velocity(r, 0, id[k], x[2], x[3]));
        }
        OK(w, perp_tangent_step(t, w, NULL));
        OK(other, perp_tangent_step(r, other, NULL));
        perp_tangent_state s = perp_tangent_report(t), o = perp_tangent_report(r);
        double off = fmax(unlike(w, t, r, 0, false), unlike(w, t, r, 0, true));
        bool near = s.near_change || o.near_change || s.margin < 1e-3; /* differences reach farther */
        *flagged += near;
        *differenced += s.differences;
        compared += !near && !s.differences;
        if (!near && !(off <= 1e-5)) fail_msg("step %d: off by %g, margin %g", i, off, s.margin);
        perp_tangent_free(r);
        perp_world_destroy(other);
    }
    perp_tangent_free(t);
    return compared;
}

static void random_scenes(void **state) {
    (void)state;
    int compared = 0, flagged = 0, differenced = 0, steps = 0;
    for (unsigned k = 0; k < 40; k++) {
        perp_world_def d = perp_world_def_default(k % 2 ? 3 : 2);
        d.start = PERP_START_PLAIN; /* directions of each step alone: velocities are those that it works with */
        d.h = 0.01;
        scene s = scene_random(d, k / 2, scene_view_plain(), false);
        perp_body_id b = {0, 0};
        for (int i = 0; i < s.nbody; i++) {
            perp_body_def bd;
            OK(s.w, perp_body_get(s.w, s.body[i], &bd));
            if (bd.kind == PERP_BODY_DYNAMIC && !bd.particle) b = s.body[i];
        }
        compared += one_by_one(s.w, b, 40, &flagged, &differenced);
        steps += 40;
        scene_end(&s);
    }
    BELOW(0.5 * steps, compared);
}

/* Steppers and models without equations that are known: by differences of steps, with the reason. */
static void by_steps(void **state) {
    (void)state;
    static const struct {
        const char *stepper, *model, *why;
        perp_geometry geometry;
        bool modes;
    } way[] = {{"stewart-trinkle", NULL, "geometry end", PERP_GEOMETRY_END, false},
               {"stewart-trinkle", "standard", "contact model standard", PERP_GEOMETRY_ITERATED, false},
               {"implicit", NULL, "stepper implicit", PERP_GEOMETRY_ITERATED, false},
               {"second-order", NULL, "stepper second-order", PERP_GEOMETRY_ITERATED, false},
               {"anitescu-potra", NULL, NULL, PERP_GEOMETRY_ITERATED, true}};
    for (int k = 0; k < 5; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.01;
        d.stepper = way[k].stepper;
        d.contact_model = way[k].model;
        d.geometry = way[k].geometry;
        scene s = scene_sliding_stop(d, 2, 0.3);
        perp_world *w;
        OK(s.w, perp_world_clone(s.w, &w));
        aim a[] = {along_parameter(friction_of_all), {.body = s.body[1], .dp = {1, 0, 0}, .dv = {1, 0, 0}}};
        int n = agree_by(PERP_TANGENT_AUTO, way[k].stepper, s.w, a, 2, 30, 1e-6);
        assert_int_equal(n, way[k].modes ? 0 : 30);
        perp_tangent *t = tangent_of(w, 1, PERP_TANGENT_MODES);
        uint64_t before = perp_world_hash(w);
        perp_status st = perp_tangent_step(t, w, NULL);
        assert_int_equal(st, way[k].modes ? PERP_OK : PERP_E_FIT);
        if (!way[k].modes) {
            assert_true(perp_world_hash(w) == before); /* neither has moved */
            if (!strstr(perp_world_why(w), way[k].why)) fail_msg("said: %s", perp_world_why(w));
            assert_int_equal(perp_tangent_report(t).steps, 0);
        }
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

/* A box on a plane whose slope is the friction: the limit of sticking. */
static void limit_of_sticking(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++)
        for (int k = -1; k <= 1; k++) {
            perp_world_def d = perp_world_def_default(3);
            d.start = PERP_START_PLAIN;
            d.h = 0.01;
            d.form = form ? PERP_FORM_CONE : PERP_FORM_LCP;
            scene s = scene_incline(d, PI / 12, tan(PI / 12) * (1 + 0.1 * k));
            perp_tangent *t = tangent_of(s.w, 1, PERP_TANGENT_AUTO);
            seed(t, s.w, 0, friction_of_all);
            for (int i = 0; i < 5; i++) OK(s.w, perp_tangent_step(t, s.w, NULL));
            perp_tangent_state r = perp_tangent_report(t);
            if (r.near_change != (k == 0)) fail_msg("form %d, %d: margin %g", form, k, r.margin);
            if (k == 0) BELOW(r.margin, 1e-9);
            if (k == 0) assert_int_equal(r.what, PERP_MARGIN_FRICTION);
            if (k != 0) BELOW(0.005, r.margin);
            assert_int_equal(r.changes, k == 0 ? 5 : 0);
            perp_tangent_free(t);
            scene_end(&s);
        }
}

/* A ball just above the floor at the end of a step, and one that lies on it without weight. */
static void limit_of_touching(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.01;
        d.gravity_W = perp_v3(0, k == 3 ? 0 : -10, 0);
        perp_world *w = world_of(&d);
        add_floor(w);
        /* it falls by 1e-3 in the first step */
        double gap = k == 0 ? 1e-3 : k == 1 ? 2e-3 : k == 2 ? 0.5e-3 : 0;
        perp_body_id b = add_mass(w, 1, 0.01, perp_pose_at(0, 0.1 + gap, 0));
        add_shape(w, b, perp_shape_sphere(0.1));
        perp_tangent *t = tangent_of(w, 1, PERP_TANGENT_MODES);
        OK(w, perp_tangent_step(t, w, NULL));
        perp_tangent_state r = perp_tangent_report(t);
        bool near = k == 0 || k == 3;
        if (r.near_change != near) fail_msg("case %d: margin %g", k, r.margin);
        assert_int_equal(r.what, PERP_MARGIN_CONTACT);
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

/* What is not a parameter, or has no two sides, and what a tangent refuses. */
static void refusals(void **state) {
    (void)state;
    perp_body_id b;
    perp_world *w = particle(&b);
    perp_tangent_def td = perp_tangent_def_default();
    perp_tangent *t = NULL;
    td.directions = 0;
    assert_int_equal(perp_world_tangent(w, &td, &t), PERP_E_ARG);
    assert_null(t);
    td = (perp_tangent_def){.directions = 1};
    assert_int_equal(perp_world_tangent(w, &td, &t), PERP_E_ARG);
    t = tangent_of(w, 2, PERP_TANGENT_RUNS);
    const perp_parameter bad[] = {{.kind = PERP_PARAMETER_MU, .material = {0, 7}},
                                  {.kind = PERP_PARAMETER_RESTITUTION, .material = {0, 0}}, /* 0: one side only */
                                  {.kind = PERP_PARAMETER_SUPPORT_MU, .body = b},
                                  {.kind = PERP_PARAMETER_INERTIA, .body = b, .index = 2},
                                  {.kind = PERP_PARAMETER_MASS},
                                  {.kind = PERP_PARAMETER_GRAVITY, .index = 3},
                                  {.kind = PERP_PARAMETER_MOTOR_SPEED},
                                  {.kind = PERP_PARAMETER_ELEMENT},
                                  {.kind = PERP_PARAMETER_KIND_COUNT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(perp_tangent_seed(t, w, 0, &bad[i], 1), PERP_E_ARG);
        assert_true(strncmp(perp_world_why(w), "parameter: ", 11) == 0);
    }
    perp_parameter mass = {.kind = PERP_PARAMETER_MASS, .body = b};
    double value;
    OK(w, perp_parameter_get(w, &mass, &value));
    NEAR(value, 1, 0);
    assert_int_equal(perp_tangent_seed(t, w, 2, &mass, 1), PERP_E_ARG);
    assert_int_equal(perp_tangent_seed(t, w, 0, &mass, NAN), PERP_E_ARG);
    assert_int_equal(perp_tangent_set_pose(t, 0, b, perp_v3(0, 0, 1), perp_v3(0, 0, 0)), PERP_E_ARG); /* not planar */
    assert_int_equal(perp_tangent_set_pose(t, 0, b, perp_v3(0, 0, 0), perp_v3(0, 0, 1)), PERP_E_ARG); /* a particle */
    OK(w, perp_tangent_step(t, w, NULL));
    assert_int_equal(perp_tangent_seed(t, w, 0, &mass, 1), PERP_E_ARG); /* runs have begun */
    perp_body_id more = add_mass(w, 1, 1, perp_pose_at(5, 5, 0));
    assert_int_equal(perp_tangent_step(t, w, NULL), PERP_E_ARG); /* other bodies */
    assert_int_equal(perp_tangent_pose(t, 0, more, NULL, NULL), PERP_E_ARG);
    perp_tangent_free(t);
    perp_tangent_free(NULL);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenes), cmocka_unit_test(by_steps),
                                       cmocka_unit_test(limit_of_sticking), cmocka_unit_test(limit_of_touching),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
