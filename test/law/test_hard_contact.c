/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* painleve-rod, pinch-hold, mass-ratio, tower: contact problems that soft or sloppy solvers get wrong */
#include "check.h"
#include "thorough.h"
#include "perp/scene.h"

/* In the Painleve paradox no finite force is consistent; the step finds the impulse that stops the tip, whatever h. */
static void painleve(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double mu = (double[]){1.4, 3}[k], last = INFINITY;
        for (double h = 1e-2; h > 1e-7; h /= 10) {
            perp_world_def d = world_def(2, h, PERP_START_PLAIN);
            d.geometry = PERP_GEOMETRY_ONCE; /* the tip stops in one step exactly where gaps are linearised */
            scene s = scene_painleve_rod(d, mu);
            run_steps(&s, 1);
            const perp_contact *c;
            assert_int_equal(perp_world_contacts(s.w, &c), 1);
            perp_vec3 v = velocity(&s, 1), w = spin(&s, 1);
            perp_vec3 impulse =
                perp_v3_add(perp_v3_scale(c[0].impulse_C[0], c[0].n_W), perp_v3_scale(c[0].impulse_C[1], c[0].t_W));
            double error =
                distance(v, perp_v3(0.6, 0.3, 0)) + fabs(w.z + 1.341640786) + distance(impulse, perp_v3(-0.4, 0.3, 0));
            assert_below(error, 20 * h + 1e-8); /* first order in h: weight acts during the step */
            assert_true(error < last);
            last = error;
            /* the tip stands: v + w x r at r from the centre to the tip */
            perp_vec3 r = perp_v3_scale(0.5 / sqrt(5), perp_v3(1, -2, 0));
            perp_vec3 tip = perp_v3_add(v, perp_v3_cross(w, r));
            assert_below(perp_v3_norm(tip),
                         1e-12 +
                             4e-16 / h); /* the gap is known to rounding, its share of the velocity to that over h */
            scene_end(&s);
        }
    }
}

/* Held by friction alone between two pads for a minute. */
static void pinch_hold(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double h = (double[]){5e-3, 1e-2}[k];
        scene s = scene_pinch_hold(world_def(3, h, PERP_START_PLAIN), 12, 0.7);
        run_figures f = run_steps(&s, long_run((int)(60 / h)));
        print_message("pinch-hold, h = %g: drift %.2e m\n", h, perp_v3_norm(position(&s, 0)));
        assert_below(perp_v3_norm(position(&s, 0)), 1e-9);
        assert_below(f.overlap, 1e-9);
        scene_end(&s);
    }
    /* too weak a grip lets it slide down at g - 2 mu N/m */
    scene s = scene_pinch_hold(world_def(3, 1e-3, PERP_START_STAGGERED), 0.2, 0.7);
    run_steps(&s, 50);
    double a = 9.81 - 2 * 0.7 * 0.2 / 0.045;
    assert_near(position(&s, 0).z, -0.5 * a * 0.05 * 0.05, 1e-9);
    scene_end(&s);
}

static void mass_ratio(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double ratio = (double[]){1000, 1000, 1e4, 1e6}[k], mu = (double[]){0, 0.5, 0.5, 0.5}[k];
        perp_world_def d = world_def(3, 5e-3, PERP_START_PLAIN);
        d.friction_directions = 4; /* nothing slides */
        scene s = scene_mass_ratio(d, ratio, mu);
        run_figures f = run_steps(&s, long_run(ratio < 1e5 && thorough() ? 1000 : 200));
        assert_below(f.overlap, 1e-9);
        assert_near(position(&s, 1).z, 0.5, 1e-9);
        assert_near(position(&s, 2).z, 1.5, 1e-9);
        assert_below(hypot(position(&s, 2).x, position(&s, 2).y), 1e-9);
        /* at a million the weight above is only just resolved in the light box: some steps are halved */
        if (ratio < 1e5) assert_int_equal(f.substeps, 0);
        scene_end(&s);
    }
}

static void tower(void **state) {
    (void)state;
    scene s = scene_tower(world_def(3, 1e-2, PERP_START_PLAIN), 20, 0.05, 0.5);
    run_figures f = run_steps(&s, 500);
    assert_below(f.overlap, 1e-9);
    for (int i = 0; i < 20; i++) assert_near(position(&s, i + 1).z, 0.5 + i, 1e-9);
    assert_int_equal(f.substeps, 0);
    assert_int_equal(f.fallbacks, 0);
    scene_end(&s);
}

/* A table of 64 kg, its legs 0.7 m long, with five cubes of 0.3 m on it, each a little aside of the one below. */
static scene loaded_table(perp_world_def d) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 1}), PERP_OK);
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE), table = perp_body_def_default(PERP_BODY_DYNAMIC);
    scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(perp_v3(0, 0, 1), 0));
    table.mass = 64;
    table.I_B = perp_m3_diag(7.8, 7.8, 10.2);
    table.X_WB.p.z = 0.6625;
    perp_body_id id = scene_body(&s, &table);
    perp_shape_def top = perp_shape_box(0.5, 0.5, 0.05), leg = perp_shape_box(0.05, 0.05, 0.35);
    top.X_BS.p.z = 0.75 - 0.6625;
    scene_shape(&s, id, top);
    for (int k = 0; k < 4; k++) {
        leg.X_BS.p = perp_v3(k % 2 ? 0.45 : -0.45, k / 2 ? 0.45 : -0.45, 0.35 - 0.6625);
        scene_shape(&s, id, leg);
    }
    for (int i = 0; i < 5; i++) {
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.mass = 13.5;
        b.I_B = perp_m3_diag(0.2025, 0.2025, 0.2025);
        b.X_WB.p = perp_v3(0.05 * i, 0.02 * i, 0.95 + 0.3 * i);
        scene_shape(&s, scene_body(&s, &b), perp_shape_box(0.15, 0.15, 0.15));
    }
    return s;
}

/* It stands: 36 contacts, most of them redundant. Once it rests, a step has nothing to find out, and the loads stay as
 * they were shared. */
static void table_at_rest(void **state) {
    (void)state;
    perp_world_def d = world_def(3, 5e-3, PERP_START_PLAIN);
    d.form = PERP_FORM_LCP;
    scene s = loaded_table(d);
    double first[64];
    const perp_contact *c;
    run_steps(&s, 2);
    int n = perp_world_contacts(s.w, &c), iterations = 0;
    assert_int_equal(n, 36);
    for (int i = 0; i < n; i++) first[i] = c[i].impulse_C[0];
    for (int k = 0; k < 60; k++) {
        perp_certificate cert;
        assert_int_equal(perp_world_step(s.w, &cert), PERP_OK);
        iterations += cert.iterations;
        assert_below(cert.overlap, 1e-12);
    }
    print_message("table at rest: %.1f iterations a step\n", iterations / 60.0);
    assert_below(iterations, 60 * 4);
    assert_int_equal(perp_world_contacts(s.w, &c), n);
    for (int i = 0; i < n; i++) assert_near(c[i].impulse_C[0], first[i], 1e-9);
    for (int i = 1; i < s.nbody; i++) assert_below(perp_v3_norm(velocity(&s, i)), 1e-12);
    scene_end(&s);
}

/* Faces that are all but flat meet a floor at points that jump about as the body turns, so that the end pose of an implicit step settles
 * to some 1e-6 of the speeds only. The shortest part takes the best of its rounds up to 1e-3 of the speeds, says so, and the run goes on.
 * part: fraction of a step over which such a velocity makes an overlap; 0: of the shortest part, at most 1e-7 m. enough: the run ends after so many rough
 * steps, each of which takes seconds; 0: with the scene. */
static void settles_roughly(const char *path, const perp_scene_options *o, double part, int enough) {
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(path, o, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    int rough = 0;
    for (uint64_t n = perp_scene_steps(s); n > 0 && (enough == 0 || rough < enough); n--) {
        perp_certificate c;
        if (perp_world_step(w, &c)) fail_msg("t = %g: %s", perp_world_time(w), perp_world_why(w));
        if (c.accepted) continue;
        rough++;
        assert_true(c.fallbacks > 0);
        print_message("t = %g: off by %.3g of %.3g m/s, overlap %.3g m\n", c.t, c.law.normal, c.law.scale, c.overlap);
        assert_true(c.law.normal > 1e-8 * c.law.scale);
        assert_below(c.law.normal, 1e-3 * c.law.scale);
        assert_below(c.overlap, part > 0 ? 1e-3 * c.law.scale * part * c.h : 1e-7);
    }
    print_message("%s: %d steps roughly\n", path, rough);
    assert_true(rough > 0);
    perp_scene_close(s);
}

static void flat_faces(void **state) {
    (void)state;
    settles_roughly(PERP_TEST_DIR "/law/scenes/flat-faces.yaml", NULL, 0, 0);
}

/* Where most of the work of a step is done and little of its time, longer parts take such an end pose as well. */
static void flat_faces_with_little_work(void **state) {
    (void)state;
    static const char *const work[] = {"3e8", "1.5e8"};
    for (int i = 0; i < (thorough() ? 2 : 1); i++) {
        const perp_definition d = {"work", work[i]};
        settles_roughly(PERP_TEST_DIR "/law/scenes/flat-faces.yaml", &(perp_scene_options){.define = &d, .ndefine = 1},
                        1, 0);
    }
}

/* The least change of all rounds may be a chance hit, to which no later round comes near. */
static void least_change_by_chance(void **state) {
    (void)state;
    settles_roughly(PERP_TEST_DIR "/law/scenes/jumping-change.yaml", NULL, 0, thorough() ? 0 : 3);
}

/* So do faces on a floor that gives way. */
static void flat_faces_on_layers(void **state) {
    (void)state;
    settles_roughly(PERP_TEST_DIR "/law/scenes/flat-faces-on-layers.yaml", NULL, 0, 0);
}

/* Without gravity friction slows bodies by a part of their speed in every step, down to 1e-160 m/s, where squares are no numbers any more. */
static void stops_without_gravity(void **state) {
    (void)state;
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(PERP_TEST_DIR "/law/scenes/stops-without-gravity.yaml", NULL, &s, &why))
        fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        if (perp_world_step(w, &c)) fail_msg("t = %g: %s", perp_world_time(w), perp_world_why(w));
        assert_true(c.accepted);
    }
    perp_scene_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(painleve),
                                       cmocka_unit_test(pinch_hold),
                                       cmocka_unit_test(mass_ratio),
                                       cmocka_unit_test(tower),
                                       cmocka_unit_test(table_at_rest),
                                       cmocka_unit_test(flat_faces),
                                       cmocka_unit_test(flat_faces_with_little_work),
                                       cmocka_unit_test(least_change_by_chance),
                                       cmocka_unit_test(flat_faces_on_layers),
                                       cmocka_unit_test(stops_without_gravity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
