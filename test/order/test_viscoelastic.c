/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_viscoelastic.c - `viscoelastic` against the closed form of an impact on a spring and damper that does not pull:
 * order two in the parts that the contact is divided into, whatever the step; the rigid limit; order one by the end rule. */
#include "unit/world_help.h"

/* d = (v/om) exp(-b t) sin(om t) of mass 1 and stiffness K until K d + C d' = 0; Schwager and Poeschel (2007). */
typedef struct impact {
    double b, om, lasts, ratio; /* decay, frequency, duration, speed after over speed before */
} impact;

static impact impact_of(double K, double zeta) {
    double w0 = sqrt(K);
    impact i = {.b = zeta * w0, .om = w0 * sqrt(1 - zeta * zeta)};
    i.lasts = atan2(2 * i.b * i.om, i.b * i.b - i.om * i.om) / i.om;
    i.ratio = exp(-i.b * i.lasts);
    return i;
}

static perp_world *world(int dim, double h, double g, double K, double C) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = h;
    d.stepper = "viscoelastic";
    d.form = dim == 3 ? PERP_FORM_CONE : PERP_FORM_LCP;
    d.gravity_W = perp_v3_scale(-g, up(dim));
    d.max_halvings = 16;
    perp_world *w = world_of(&d);
    add_floor(w);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = K, .damping = C}));
    return w;
}

static perp_body_id ball(perp_world *w, double gap, double speed) {
    perp_body_id b = add_mass(w, 1, 0.4, at_height(perp_world_dim(w), 0, 1 + gap));
    add_shape(w, b, perp_shape_sphere(1));
    OK(w, perp_body_set_velocity(w, b, perp_v3_scale(speed, up(perp_world_dim(w))), perp_v3(0, 0, 0)));
    return b;
}

static double speed_of(const perp_world *w, perp_body_id b) {
    perp_vec3 v;
    OK(w, perp_body_velocity(w, b, &v, NULL));
    return perp_v3_dot(v, up(perp_world_dim(w)));
}

/* One step that holds the whole impact: position and speed after it. */
static void order_two(void **state) {
    (void)state;
    const double K = 1e4, v = 2, gap = 0.003, h = 0.05, zeta[] = {0, 0.1, 0.5, 0.9};
    for (int dim = 2; dim <= 3; dim++)
        for (int z = 0; z < 4; z++) {
            impact is = impact_of(K, zeta[z]);
            double left = v / is.om * exp(-is.b * is.lasts) * sin(is.om * is.lasts); /* depth where it lets go */
            double x = -left + is.ratio * v * (h - gap / v - is.lasts);
            double error[3], turned[3];
            for (int k = 0; k < 3; k++) {
                perp_world *w = world(dim, h, 0, K, 2 * is.b);
                OK(w, perp_world_set(w, "viscoelastic.per_contact", 20 << k));
                perp_body_id b = ball(w, gap, -v);
                perp_certificate c = run(w, 1);
                error[k] = fabs(height_of(w, b) - 1 - x);
                turned[k] = fabs(speed_of(w, b) / v - is.ratio);
                print_message("%dD, zeta %g: %d parts, %d rejected, off by %.2e m, %.2e of the speed\n", dim, zeta[z],
                              c.substeps, c.rejected, error[k], turned[k]);
                assert_true(c.substeps < 100 << k);
                BELOW(fabs(c.ledger.remainder), 1e-12);
                perp_world_destroy(w);
            }
            BELOW(turned[0], 2e-3);
            for (int k = 0; k < 2; k++) {
                NEAR(log2(error[k] / error[k + 1]), 2, 0.1);
                if (z == 0)
                    BELOW(turned[k], 1e-10); /* no damper: the speed comes back whole */
                else
                    NEAR(log2(turned[k] / turned[k + 1]), 2, 0.1);
            }
        }
}

/* The same with one part a step, which resolves nothing: stable, and of order one once steps are short. */
static void order_one(void **state) {
    (void)state;
    const double K = 1e4, v = 2, T = 0.02, zeta = 0.3;
    impact is = impact_of(K, zeta);
    double x = -v / is.om * exp(-is.b * T) * sin(is.om * T), error[4];
    for (int k = 0; k < 4; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 2.5e-4 / (1 << k);
        d.stepper = "viscoelastic";
        d.gravity_W = perp_v3(0, 0, 0);
        d.max_halvings = 0;
        perp_world *w = world_of(&d);
        OK(w, perp_world_set(w, "viscoelastic.per_contact", 100000)); /* nothing counts as resolved */
        add_floor(w);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = K, .damping = 2 * is.b}));
        perp_body_id b = ball(w, 0, -v);
        perp_certificate c = run(w, (int)(T / d.h + 0.5));
        assert_int_equal(c.substeps, 1);
        error[k] = fabs(height_of(w, b) - 1 - x);
        perp_world_destroy(w);
    }
    for (int k = 0; k < 3; k++) NEAR(log2(error[k] / error[k + 1]), 1, 0.1);
}

/* Stiffness to infinity at a fixed damping ratio: Newton's restitution, exp(-b t_c), and the fall of a rigid ball; what
 * is left is the time of the contact. A step of 0.01 for stiffnesses up to 1e12. */
static void rigid_limit(void **state) {
    (void)state;
    const double g = 9.81, drop = 0.2, T = 0.4, zeta = 0.2;
    double ratio = impact_of(1, zeta).ratio, t0 = sqrt(2 * drop / g), v = ratio * g * t0, t = T - t0;
    double rigid = v * t - g * t * t / 2, error[3];
    for (int k = 0; k < 3; k++) {
        double K = pow(10, 6 + 3 * k);
        perp_world *w = world(2, 0.01, g, K, 2 * zeta * sqrt(K));
        OK(w, perp_world_set(w, "viscoelastic.per_contact", 200));
        perp_body_id b = ball(w, drop, 0);
        int parts = 0;
        for (int i = 0; i < 40; i++) parts += run(w, 1).substeps;
        error[k] = fabs(height_of(w, b) - 1 - rigid);
        print_message("stiffness %g: off by %.2e m, %d parts in 40 steps\n", K, error[k], parts);
        assert_true(parts < 300);
        perp_world_destroy(w);
    }
    NEAR(log10(error[0] / error[1]), 1.5, 0.1); /* like sqrt(m/K) ... */
    BELOW(error[2], 1e-4);                      /* ... down to what the parts leave */

    /* stewart-trinkle with that restitution comes to the same */
    perp_world_def d = perp_world_def_default(2);
    d.h = 1e-4;
    perp_world *w = world_of(&d);
    add_floor(w);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = ratio}));
    perp_body_id b = ball(w, drop, 0);
    run(w, 4000);
    NEAR(height_of(w, b) - 1, rigid, 1e-3);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_two), cmocka_unit_test(order_one),
                                       cmocka_unit_test(rigid_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
