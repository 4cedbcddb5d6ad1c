/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_rules.c - what the rules of the steppers do to the energy, against closed forms; gains and lost rebounds */
#include "unit/world_help.h"

#include "scenes.h"

static double energy_of(const perp_world *w) {
    double k, g, s;
    perp_world_energy(w, &k, &g, &s);
    return k + g + s;
}

/* n steps, added up; every account closes by itself. */
static perp_certificate add_up(perp_world *w, int n) {
    perp_certificate sum = {0};
    for (int i = 0; i < n; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        perp_certificate_add(&sum, &c);
    }
    return sum;
}

/* The change of all energy is what the entries beside the potentials say. */
static void closes(const perp_world *w, const perp_certificate *c, double start, double tol) {
    const perp_ledger *l = &c->ledger;
    double others = l->applied + l->damping + l->kinematic + l->joint + l->motor + l->joint_loss + l->normal +
                    l->friction + l->turning + l->start + l->sampling + l->drift;
    NEAR(energy_of(w) - start, others, tol);
    NEAR(l->remainder, 0, tol);
}

/* An elastic ball in half kicks: every bounce gains m g h |v|/2, v: speed of impact. */
static void test_half_kick_bounce(void **state) {
    (void)state;
    const double h = 0.01, g = 9.81, m = 2;
    perp_world_def d = perp_world_def_default(2);
    d.h = h;
    d.stepper = "second-order";
    d.impacts = PERP_IMPACTS_PLAIN; /* ordered, they gain nothing */
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = 1}));
    add_floor(w);
    perp_body_id b = add_mass(w, m, 1, at_height(2, 0, 1.1));
    add_shape(w, b, perp_shape_sphere(0.1));
    double start = energy_of(w), expected = 0, before = 0;
    perp_certificate sum = {0};
    for (int i = 0; i < 300; i++) {
        perp_certificate c = run(w, 1);
        double v = velocity_of(w, b).y;
        if (v > 0 && before < 0) expected += m * g * h * v / 2; /* it leaves as fast as it came */
        before = v;
        perp_certificate_add(&sum, &c);
    }
    assert_true(expected > 0.5);
    NEAR(sum.ledger.drift, energy_of(w) - start, 1e-12);
    NEAR(sum.ledger.drift, expected, 0.03 * expected); /* the speed of impact lies within the step */
    closes(w, &sum, start, 1e-12);
    assert_true(sum.extent.drift >= sum.ledger.drift);
    perp_world_destroy(w);
}

/* A linear spring along its line: nothing drifts in steps of one length, and E + S is kept; a spring that swings drifts by
 * the second order in h over a given time. */
static void test_springs(void **state) {
    (void)state;
    double drift[3];
    for (int i = 0; i < 6; i++) {
        int k = i % 3, swings = i / 3;
        const double h = 0.01 / (1 << k);
        perp_world_def d = perp_world_def_default(2);
        d.h = h;
        perp_world *w = world_of(&d);
        perp_body_id b = add_mass(w, 1, 1, perp_pose_at(swings, 0, 0));
        perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
        f.b = b;
        f.point_A = perp_v3(0, 1, 0);
        f.stiffness = 50;
        f.rest_length = 0.8;
        add_force(w, &f);
        double start = energy_of(w);
        perp_certificate c = add_up(w, (int)(2 / h + 0.5));
        closes(w, &c, start, 1e-11);
        if (!swings) NEAR(c.extent.drift, 0, 1e-12);
        drift[k] = c.extent.drift;
        perp_world_destroy(w);
    }
    NEAR(drift[0] / drift[1], 4, 0.4);
    NEAR(drift[1] / drift[2], 4, 0.4);
    assert_true(drift[0] > 1e-5);
}

/* A spring in a joint, by the rule of its row (backward Euler): a mass on a slide, x+ = x + h v+, m v+ = m v - h k x+. In each
 * step the rule takes m (v+ - v)^2/2 + k (x+ - x)^2/2, and nothing else. */
static void test_joint_spring(void **state) {
    (void)state;
    const double h = 0.01, k = 400, m = 1.5, damping = 3;
    for (int damped = 0; damped < 2; damped++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = h;
        d.start = PERP_START_PLAIN;
        d.gravity_W = perp_v3(0, 0, 0);
        perp_world *w = world_of(&d);
        perp_body_id b = add_mass(w, m, 1, perp_pose_at(0.2, 0, 0));
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        j.b = b;
        j.axis[0].stiffness = k;
        j.axis[0].damping = damped ? damping : 0;
        perp_joint_id id;
        OK(w, perp_joint_add(w, &j, &id));
        double x = coord_of(w, id, 0), v = 0, start = energy_of(w);
        NEAR(start, 0.5 * k * x * x, 1e-12);
        for (int i = 0; i < 40; i++) {
            perp_certificate c = run(w, 1);
            double x1 = coord_of(w, id, 0), v1 = (x1 - x) / h;
            double taken = 0.5 * m * (v1 - v) * (v1 - v) + 0.5 * k * (x1 - x) * (x1 - x);
            double lost = damped ? h * damping * v1 * v1 : 0;
            NEAR(c.ledger.spring, 0.5 * k * (x * x - x1 * x1), 1e-12);
            NEAR(c.ledger.drift + c.ledger.joint_loss, -taken - lost, 1e-12);
            if (!damped) NEAR(c.ledger.joint_loss, 0, 1e-14);
            if (damped) NEAR(c.ledger.joint_loss, -h * damping * v1 * 0.5 * (v + v1), 1e-12);
            NEAR(c.ledger.remainder, 0, 1e-12);
            x = x1, v = v1;
        }
        perp_world_destroy(w);
    }
}

/* The staggered start of a fall: velocities are shifted back by g h/2 before the first step. The user does not see this: energies belong to the time of the poses, and
 * the remainder is zero. */
static void test_staggered_start(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.h = 0.02;
    perp_world *w = world_of(&d);
    (void)add_mass(w, 2, 1, at_height(3, 0, 3));
    double start = energy_of(w);
    for (int k = 1; k <= 3; k++) {
        perp_certificate c = run(w, 1);
        double v = 9.81 * d.h * k, before = v - 9.81 * d.h;
        NEAR(c.ledger.start, 0, 0);
        NEAR(c.ledger.sampling, 0, 1e-13);
        NEAR(c.ledger.drift, 0, 1e-13);
        NEAR(c.ledger.kinetic_before, before * before, 1e-13); /* mass 2 */
        NEAR(c.ledger.kinetic_after, v * v, 1e-13);
        NEAR(energy_of(w), start, 1e-12);
        if (k == 1) closes(w, &c, start, 1e-13);
    }
    perp_world_destroy(w);
}

/* Steps of another length: 1/2 (h - h0) m g v drifts once. */
static void test_other_length(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.01;
    d.start = PERP_START_PLAIN;
    perp_world *w = world_of(&d);
    perp_body_id b = add_mass(w, 3, 1, at_height(2, 0, 3));
    NEAR(add_up(w, 20).ledger.drift, 0, 1e-13);
    double v = velocity_of(w, b).y;
    OK(w, perp_world_set_h(w, 0.004));
    perp_certificate c = run(w, 1);
    NEAR(c.ledger.drift, 0.5 * (0.004 - 0.01) * 3 * -9.81 * v, 1e-13);
    NEAR(run(w, 1).ledger.drift, 0, 1e-13);
    perp_world_destroy(w);
}

/* A row of three balls with small gaps and restitution 1. The impacts of one step are solved together, so energy is lost. The
 * certificate must tell exactly that energy. */
static void test_lost_rebound(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.gravity_W = perp_v3(0, 0, 0);
    d.impacts = PERP_IMPACTS_PLAIN; /* ordered, they lose none */
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = 1}));
    perp_body_id b[3];
    for (int i = 0; i < 3; i++) {
        b[i] = add_mass(w, 1, 1, perp_pose_at(1.0001 * i, 0, 0));
        add_shape(w, b[i], perp_shape_sphere(0.5));
    }
    OK(w, perp_body_set_velocity(w, b[0], perp_v3(1, 0, 0), perp_v3(0, 0, 0)));
    double lost = 0, k;
    for (int i = 0; i < 20; i++) lost += run(w, 1).rebound_lost;
    perp_world_energy(w, &k, NULL, NULL);
    assert_true(lost > 0.01);
    NEAR(lost, 0.5 - k, 1e-12);
    perp_world_destroy(w);
}

/* Bodies that are placed in overlap are pushed apart: the contact adds all the energy that they get. Another pair, which only loses
 * energy, does not hide that. */
static void test_gain(void **state) {
    (void)state;
    perp_world *w = weightless(2, 1e-2);
    perp_body_id b[4];
    for (int i = 0; i < 4; i++) {
        b[i] = add_mass(w, 1, 1, perp_pose_at(i < 2 ? 0.9 * i : 20 + i, 0, 0));
        add_shape(w, b[i], perp_shape_sphere(0.5));
    }
    OK(w, perp_body_set_velocity(w, b[2], perp_v3(100, 0, 0), perp_v3(0, 0, 0)));
    perp_certificate c = run(w, 1);
    double apart = 0;
    for (int i = 0; i < 2; i++) apart += 0.5 * perp_v3_dot(velocity_of(w, b[i]), velocity_of(w, b[i]));
    assert_true(apart > 1e-3);
    assert_true(c.ledger.normal < -1000); /* of all contacts together */
    NEAR(c.gain, apart, 1e-12 * apart);
    NEAR(c.gain_part, 1, 0); /* they had none before */
    assert_true(c.gain_shape[0] + c.gain_shape[1] == 1 && c.gain_shape[0] >= 0 &&
                c.gain_shape[1] >= 0); /* slots 0 and 1 */
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_kick_bounce),
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_joint_spring),
        cmocka_unit_test(test_staggered_start),
        cmocka_unit_test(test_other_length),
        cmocka_unit_test(test_lost_rebound),
        cmocka_unit_test(test_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
