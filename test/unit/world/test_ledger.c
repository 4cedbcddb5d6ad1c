/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_ledger.c - the energy account of every step
 * Method   The entries are summed here, not read from the remainder, and compared with the change of kinetic energy
 *          that the world itself tells. Impulses act on the inertia of the start and the free turn after them keeps
 *          the energy, so this is an identity, in 3D to the rounding that the entry `turning` holds. Single entries are
 *          compared with closed forms.
 * Valid    Gravity gives what the height lost. Its impulse does the work m g h (v + v+)/2, and positions move by h v+: the entry
 *          `sampling` has the difference, m g h (v+ - v)/2 in each step, which adds up to m g h (v_end - v_start)/2. */
#include "unit/world_help.h"

#include "scenes.h"
#include "thorough.h"

static double sum_of(const perp_ledger *l) {
    return l->gravity + l->applied + l->spring + l->damping + l->kinematic + l->joint + l->motor + l->joint_loss +
           l->normal + l->friction + l->turning + l->start + l->sampling + l->drift;
}

static double absolute_of(const perp_ledger *l) {
    return fabs(l->gravity) + fabs(l->applied) + fabs(l->spring) + fabs(l->kinematic) + fabs(l->joint) +
           fabs(l->motor) + fabs(l->joint_loss) + fabs(l->normal) + fabs(l->friction) + fabs(l->turning) +
           fabs(l->sampling) + fabs(l->drift);
}

static double kinetic_of(const perp_world *w) {
    double k;
    perp_world_energy(w, &k, NULL, NULL);
    return k;
}

/* Worst mismatch of the account over n steps, relative to the larger of the energies and of the sum of all amounts; of
 * a scene that has come to rest only the rounding is left, which is compared with what it has had. */
static double worst_account(perp_world *w, int n, const char *name) {
    double worst = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        double before = kinetic_of(w);
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        double after = kinetic_of(w);
        const perp_ledger *l = &c.ledger;
        largest = fmax(largest, fmax(before, after));
        double scale = fmax(fmax(before, after), fmax(absolute_of(l), 1e-18 * largest));
        if (scale == 0) continue;
        scale +=
            2e-3 * c.extent.fall / (9.81 * c.h * c.h); /* poses are rounded: a thousandth of the weight over a metre */
        double miss = fabs(after - before - sum_of(l)) / scale;
        if (!(miss <= 1e-11)) fail_msg("%s, step %d: the account is off by %g of %g", name, i, miss, scale);
        if (miss > worst) worst = miss;
        NEAR(l->kinetic_before, before, 1e-13 * scale);
        NEAR(l->kinetic_after, after, 1e-13 * scale);
        NEAR(l->remainder, after - before - sum_of(l), 1e-13 * scale);
        if (perp_world_dim(w) == 2) NEAR(l->turning, 0, 0);
    }
    return worst;
}

static perp_world_def def_2d(int variant) {
    perp_world_def d = perp_world_def_default(2);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.joint_correction = variant == 1;
    d.form = variant == 2 ? PERP_FORM_MLCP : PERP_FORM_LCP;
    d.stepper = variant == 2 ? "anitescu-potra" : "stewart-trinkle";
    return d;
}

static void test_scenes_2d(void **state) {
    (void)state;
    double worst = 0;
    for (int v = 0; v < 3; v++) {
        scene s = scene_momentum_chain(def_2d(v));
        worst = fmax(worst, worst_account(s.w, 2500, "momentum chain"));
        scene_end(&s);
        s = scene_pendulum_on_block(def_2d(v));
        worst = fmax(worst, worst_account(s.w, 1000, "pendulum on block"));
        scene_end(&s);
        s = scene_full_planar(def_2d(v));
        worst = fmax(worst, worst_account(s.w, 1000, "everything planar"));
        scene_end(&s);
        s = scene_sliding_stop(def_2d(v), 1, 0.3);
        worst = fmax(worst, worst_account(s.w, 500, "sliding stop"));
        scene_end(&s);
        s = scene_double_pendulum(def_2d(v));
        worst = fmax(worst, worst_account(s.w, 1000, "double pendulum"));
        scene_end(&s);
        for (unsigned seed = 1; seed <= 30; seed++) {
            char name[40];
            snprintf(name, sizeof name, "random 2D %u", seed);
            s = scene_random(def_2d(v), (unsigned)seed_of(seed), scene_view_plain(), false);
            worst = fmax(worst, worst_account(s.w, 300, name));
            scene_end(&s);
        }
    }
    print_message("2D: the account is off by at most %.2g\n", worst);
}

static void test_scenes_3d(void **state) {
    (void)state;
    double worst = 0;
    for (unsigned seed = 1; seed <= 12; seed++) {
        perp_world_def d = perp_world_def_default(3);
        d.start = PERP_START_PLAIN; /* numbers of the step as printed */
        d.friction_directions = 4;
        d.joint_correction = seed % 3 == 0;
        char name[40];
        snprintf(name, sizeof name, "random 3D %u", seed);
        scene s = scene_random(d, (unsigned)seed_of(seed), scene_view_plain(), false);
        worst = fmax(worst, worst_account(s.w, 200, name));
        scene_end(&s);
    }
    print_message("3D: the account is off by at most %.2g\n", worst);
}

/* The entry `turning` of a box thrown with spin and of a tumbling pair is rounding, however long the step. */
static void test_turning(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world_def d = perp_world_def_default(3);
        d.start = PERP_START_PLAIN; /* numbers of the step as printed */
        d.h = 16e-3 / (1 << 2 * k);
        scene s = scene_tumbling(d);
        double largest = 0, absolute = 0;
        int n = (int)(1 / d.h);
        for (int i = 0; i < n; i++) {
            perp_certificate c;
            OK(s.w, perp_world_step(s.w, &c));
            absolute += fabs(c.ledger.turning);
            largest = fmax(largest, c.ledger.kinetic_after);
        }
        print_message("h = %g ms: turning %.3g in absolute values, of the largest kinetic energy\n", d.h * 1e3,
                      absolute / largest);
        BELOW(absolute, 1e-15 * n * largest);
        scene_end(&s);
    }
}

/* Free bodies leave none: torque-free rotation keeps its energy. */
static void test_no_turning(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.h = 0.01;
    scene s = scene_spinning_body(d);
    double start = kinetic_of(s.w);
    for (int i = 0; i < 1000; i++) {
        perp_certificate c = run(s.w, 1);
        NEAR(c.ledger.turning, 0, 1e-14 * start);
        NEAR(c.ledger.kinetic_after, start, 1e-12 * start);
    }
    scene_end(&s);
}

/* Gravity: the loss of height; sampling: what the impulse at the mean velocity does less. */
static void test_gravity(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.start = PERP_START_PLAIN; /* numbers of the step as printed */
        perp_world *w = world_of(&d);
        const double m = 2, g = 9.81, h = d.h;
        perp_body_id b = add_mass(w, m, 1, at_height(dim, 0, 10));
        OK(w, perp_body_set_velocity(w, b, perp_v3_scale(5, up(dim)), perp_v3(0, 0, 1)));
        double sum = 0, sampled = 0;
        for (int i = 0; i < 1000; i++) {
            double v0 = perp_v3_dot(velocity_of(w, b), up(dim));
            perp_certificate c = run(w, 1);
            double v1 = perp_v3_dot(velocity_of(w, b), up(dim));
            NEAR(c.ledger.gravity, -m * g * h * v1, 1e-12);
            NEAR(c.ledger.sampling, m * g * h * 0.5 * (v1 - v0), 1e-14);
            NEAR(c.ledger.drift, 0, 1e-14);
            sum += c.ledger.gravity;
            sampled += c.ledger.sampling;
        }
        double dz = height_of(w, b) - 10, v = perp_v3_dot(velocity_of(w, b), up(dim));
        NEAR(sum, -m * g * dz, 1e-10);
        NEAR(sampled, m * g * h / 2 * (v - 5), 1e-10);
        perp_world_destroy(w);
    }
    /* downhill at a steady speed the two agree in every step: mu = tan(angle) */
    perp_world_def d = perp_world_def_default(3);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    scene s = scene_incline(d, 0.3, tan(0.3));
    OK(s.w, perp_body_set_velocity(s.w, s.body[1], perp_v3(cos(0.3), 0, -sin(0.3)), perp_v3(0, 0, 0)));
    for (int i = 0; i < 100; i++) {
        double z = pose_of(s.w, s.body[1]).p.z;
        perp_certificate c = run(s.w, 1);
        NEAR(c.ledger.gravity, -9.81 * (pose_of(s.w, s.body[1]).p.z - z), 1e-9 * c.ledger.gravity);
        NEAR(c.ledger.friction, -c.ledger.gravity, 1e-9 * c.ledger.gravity);
    }
    scene_end(&s);
}

/* Friction only removes energy. In sum, it removes the kinetic energy of the bodies that it stops. */
static void test_friction(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    scene s = scene_sliding_stop(d, 2, 0.4);
    double start = kinetic_of(s.w), sum = 0, normal = 0;
    for (int i = 0; i < 1000; i++) {
        perp_certificate c = run(s.w, 1);
        BELOW(c.ledger.friction, 1e-15 * start);
        sum += c.ledger.friction;
        normal += c.ledger.normal;
    }
    NEAR(sum, -start, 1e-9 * start);
    NEAR(normal, 0, 1e-9 * start);
    NEAR(kinetic_of(s.w), 0, 1e-20);
    scene_end(&s);
    d = perp_world_def_default(3);
    s = scene_flat_slide(d, 6, 0.3);
    start = kinetic_of(s.w);
    for (int i = 0; i < 500; i++) BELOW(run(s.w, 1).ledger.friction, 1e-15 * start);
    scene_end(&s);
    s = scene_rolling_incline(d, 0.2, 0.5); /* rolling: the contact point does not slip, friction does no work */
    for (int i = 0; i < 500; i++) {
        perp_certificate c = run(s.w, 1);
        NEAR(c.ledger.friction, 0, 1e-4 * (c.ledger.kinetic_after + 1e-4));
    }
    scene_end(&s);
}

/* Impact: a plastic one of equal masses removes half of the energy, an elastic one nothing, one with restitution e (1 -
 * e^2)/2. */
static void test_impact(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k <= 4; k++) {
            double e = 0.25 * k, total = 0, normal = 0;
            perp_world *w = weightless(dim, 0.01);
            OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = e}));
            perp_body_id b[2];
            for (int i = 0; i < 2; i++) {
                b[i] = add_mass(w, 3, 1, perp_pose_at(2 * i, 0, 0));
                add_shape(w, b[i], perp_shape_sphere(0.5));
            }
            OK(w, perp_body_set_velocity(w, b[0], perp_v3(2, 0, 0), perp_v3(0, 0, 0)));
            for (int i = 0; i < 100; i++) {
                perp_certificate c = run(w, 1);
                normal += c.ledger.normal;
                total += sum_of(&c.ledger);
                NEAR(c.rebound_lost, 0,
                     1e-13); /* the contact removes the energy that belongs to its restitution, and adds none */
                NEAR(c.gain, 0, 1e-13);
            }
            NEAR(normal, -6 * (1 - e * e) / 2, 1e-12);
            NEAR(total, normal, 1e-14);
            NEAR(velocity_of(w, b[1]).x, 1 + e, 1e-12);
            perp_world_destroy(w);
        }
}

/* The energy that a driven belt gives to a box has two entries: the work of the belt, and the heat of friction. */
static void test_belt(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.start = PERP_START_PLAIN; /* numbers of the step as printed */
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.25}));
        perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
        k.v_W = perp_v3(1.5, 0, 0);
        perp_body_id belt = add_def(w, &k);
        add_shape(w, belt, perp_shape_halfspace(up(dim), 0));
        perp_body_id b = add_mass(w, 2, 0.02, at_height(dim, 0, 0.1));
        add_shape(w, b, perp_shape_box(0.2, 0.1, 0.1));
        double kinematic = 0, friction = 0;
        for (int i = 0; i < 1000; i++) {
            perp_certificate c = run(w, 1);
            kinematic += c.ledger.kinematic;
            friction += c.ledger.friction;
            BELOW(c.ledger.friction, 1e-14);
        }
        double K = 0.5 * 2 * 1.5 * 1.5;
        NEAR(kinetic_of(w), K, 1e-9);
        NEAR(kinematic, 2 * K, 1e-9); /* half of what the belt spends goes into heat */
        NEAR(friction, -K, 1e-9);
        perp_world_destroy(w);
    }
}

/* A run's certificate: worst figures, added counts and energies. */
static void test_sum(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.h = 2e-3;
    scene s = scene_full_planar(d);
    perp_certificate run = {0};
    double overlap = 0, joint_error = 0, gravity = 0, remainder = 0;
    int iterations = 0;
    for (int i = 0; i < 200; i++) {
        perp_certificate c;
        assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
        perp_certificate_add(&run, &c);
        overlap = fmax(overlap, c.overlap);
        joint_error = fmax(joint_error, c.joint_error);
        gravity += c.ledger.gravity;
        remainder += c.ledger.remainder;
        iterations += c.iterations;
    }
    assert_true(run.accepted);
    assert_int_equal(run.substeps, 200);
    assert_int_equal(run.iterations, iterations);
    assert_true(fabs(run.h - 0.4) < 1e-12 && fabs(run.t - 0.4) < 1e-12);
    assert_true(run.overlap == overlap && run.joint_error == joint_error);
    assert_true(run.ledger.gravity == gravity && run.ledger.remainder == remainder);
    double kinetic;
    perp_world_energy(s.w, &kinetic, NULL, NULL);
    assert_true(run.ledger.kinetic_before == 0);
    assert_true(fabs(run.ledger.kinetic_after - kinetic) <= 1e-12 * kinetic);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_2d),  cmocka_unit_test(test_scenes_3d), cmocka_unit_test(test_turning),
        cmocka_unit_test(test_no_turning), cmocka_unit_test(test_gravity),   cmocka_unit_test(test_friction),
        cmocka_unit_test(test_impact),     cmocka_unit_test(test_belt),      cmocka_unit_test(test_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
