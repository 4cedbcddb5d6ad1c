/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Boxes fall into a steep notch with large friction and full restitution. Wedged between its sides they cannot leave with the speed of
 * Newton's rule, and the problem with it has no solution. They stop instead; every step is solved, no energy is gained, and the
 * certificate counts these parts. */
#include "peg_scenes.h"

static double next_random(uint64_t *s, double lo, double hi) {
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return lo + (hi - lo) * (double)(*s >> 11) * 0x1p-53;
}

static perp_world *notch(unsigned seed, double restitution, perp_impacts impacts) {
    uint64_t s = 7919 * seed + 11;
    for (int i = 0; i < 4; i++) (void)next_random(&s, 0, 1);
    perp_world_def d = perp_world_def_default(2);
    d.form = PERP_FORM_LCP;
    d.h = 5e-3;
    d.impacts = impacts;
    d.start = PERP_START_PLAIN; /* other velocities, other notches */
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = next_random(&s, 1.5, 4), .restitution = restitution}));
    double half = next_random(&s, 0.15, 0.6); /* angle of a side from upright [rad] */
    const perp_vec3 z = {0, 0, 1};
    for (int k = -1; k <= 1; k += 2)
        add_fixed(w, perp_shape_box(0.1, 2, 1),
                  (perp_pose){perp_v3(k * (0.1 / cos(half) + 2 * sin(half)), 2 * cos(half), 0),
                              perp_q_axis_angle(z, -k * half)});
    for (int i = 0; i < 2; i++) {
        double a = next_random(&s, 0.06, 0.12), b = next_random(&s, 0.06, 0.2), turn = next_random(&s, 0, 3);
        perp_pose X = {perp_v3(0, 1 + 0.5 * i, 0), perp_q_axis_angle(z, turn)};
        (void)add_solid(w, PERP_BODY_DYNAMIC, perp_shape_box(a, b, 1), 100, X, perp_v3(0, -2, 0),
                        perp_v3(0, 0, next_random(&s, -8, 8)));
    }
    return w;
}

static void every_step_is_solved(void **state) {
    (void)state;
    static const unsigned seed[] = {4, 34, 56, 76, 129}; /* each had a step without an answer */
    int told = 0; /* steps that went on without restitution: the certificate tells them */
    for (int n = 0; n < 2 * shorter(5) && n < 10; n++) {
        int k = n / 2;
        bool ordered = n % 2; /* then none is without an answer */
        perp_world *w = notch(seed[k], 1, ordered ? PERP_IMPACTS_SEQUENCE : PERP_IMPACTS_PLAIN);
        double kinetic, gravity, before, overlap = 0;
        perp_world_energy(w, &kinetic, &gravity, NULL);
        before = kinetic + gravity;
        int divided = 0, stopped = 0, limited = 0;
        for (int i = 0; i < 200; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            divided += c.substeps > 1;
            assert_true(c.rebounds_given_up >= 0 && (ordered || c.rebounds_given_up <= c.substeps));
            stopped += c.rebounds_given_up > 0;
            limited += c.rebounds_limited;
            overlap = fmax(overlap, c.overlap);
        }
        perp_world_energy(w, &kinetic, &gravity, NULL);
        print_message("notch %u: %d steps divided, %d without restitution, %d bounces limited, overlap %.1e m, energy "
                      "%.3g -> %.3g J\n",
                      seed[k], divided, stopped, limited, overlap, before, kinetic + gravity);
        told += ordered ? 0 : stopped;
        BELOW(overlap, 1e-8);
        assert_true(kinetic + gravity < before);
        perp_world_destroy(w);
    }
    assert_true(told > 0);
}

/* What comes to rest in a notch with full restitution leaves its sides at speeds of rounding, or is pressed back onto them before it has
 * left the gap that counts as touching. It is held there: it does not fly on into the sides, and every step has an answer. Seeds: the first
 * three of 1 to 200 with a step that had none, or with an overlap above the limit. */
static void rest_is_held(void **state) {
    (void)state;
    static const unsigned seed[] = {6, 90, 110};
    for (int n = 0; n < 3; n++) {
        perp_world *w = notch(seed[n], 1, PERP_IMPACTS_SEQUENCE);
        double overlap = 0;
        for (int i = 0; i < 200; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            overlap = fmax(overlap, c.overlap);
        }
        print_message("notch %u: overlap %.1e m\n", seed[n], overlap);
        BELOW(overlap, 1e-8);
        perp_world_destroy(w);
    }
}

/* Where nothing bounces, or nothing stands in the way of it, there is nothing to tell. */
static void nothing_to_tell(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world *w;
        if (k) {
            w = peg_world(2, 5e-3, PERP_START_PLAIN, 9.81);
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5, .restitution = 0.8}));
            add_fixed(w, perp_shape_box(1, 0.1, 1), (perp_pose){perp_v3(0, -0.1, 0), {1, 0, 0, 0}});
            (void)add_solid(w, PERP_BODY_DYNAMIC, perp_shape_sphere(0.1), 100,
                            (perp_pose){perp_v3(0, 0.5, 0), {1, 0, 0, 0}}, perp_v3(0, 0, 0), perp_v3(0, 0, 0));
        } else {
            w = notch(4, 0, PERP_IMPACTS_SEQUENCE);
        }
        perp_certificate sum = {0};
        double fastest = 0;
        for (int i = 0; i < 200; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            perp_certificate_add(&sum, &c);
            if (-c.ledger.normal > fastest) fastest = -c.ledger.normal;
        }
        assert_true(fastest > 0); /* it did land */
        assert_int_equal(sum.rebounds_limited, 0);
        assert_int_equal(sum.rebounds_given_up, 0);
        perp_world_destroy(w);
    }
}

/* A blunt wedge is driven down between two blocks that friction holds on the floor: they cannot give way, and no division of
 * the step changes that. The first of its parts finds out; the others, which are as long as they come, need not be divided
 * down to the last for it. */
static void driven_wedge(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.005;
    d.max_halvings = 5;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
    add_fixed(w, perp_shape_halfspace(perp_v3(0, 1, 0), 0), perp_pose_identity());
    perp_body_id block[2];
    for (int k = 0; k < 2; k++)
        block[k] = add_free(w, perp_shape_box(0.25, 0.25, 1), perp_pose_at(k ? 0.3 : -0.3, 0.25, 0), none);
    const perp_vec3 wedge[3] = {{0, -0.2, 0}, {0.44, 0.2, 0}, {-0.44, 0.2, 0}};
    add_solid(w, PERP_BODY_KINEMATIC, perp_shape_polygon(wedge, 3), 0, perp_pose_at(0, 0.665, 0), perp_v3(0, -2, 0),
              none);
    int parts[6];
    for (int i = 0; i < 6; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        parts[i] = c.substeps;
    }
    int first = 0;
    while (first < 5 && parts[first] == 1) first++;
    print_message("driven wedge: %d parts in step %d\n", parts[first], first);
    assert_true(parts[first] > 5);
    assert_true(parts[first] <= 2 * 5);
    for (int i = first + 1; i < 6; i++) assert_int_equal(parts[i], 1); /* it is inside already */
    for (int k = 0; k < 2; k++) BELOW(perp_v3_norm(velocity_of(w, block[k])), 1e-9);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_step_is_solved), cmocka_unit_test(rest_is_held),
                                       cmocka_unit_test(nothing_to_tell), cmocka_unit_test(driven_wedge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
