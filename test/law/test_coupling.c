/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_coupling.c - couplings and tendons against closed forms and against equations in one reduced coordinate. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "perp/joint_space.h"
#include "perp/perp.h"

#define G 9.81

static perp_world *world_with(const char *stepper, double h, double gravity) {
    perp_world_def d = perp_world_def_default(3);
    d.h = h;
    d.stepper = stepper;
    d.gravity_W = perp_v3(0, 0, -gravity);
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    return w;
}

static perp_body_id body_at(perp_world *w, perp_vec3 p, double mass, double I) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_body_id id;
    d.X_WB.p = p;
    d.mass = mass;
    d.I_B = perp_m3_diag(I, I, I);
    if (perp_body_add(w, &d, &id)) fail_msg("%s", perp_world_why(w));
    return id;
}

static perp_joint_id add(perp_world *w, const perp_joint_def *d) {
    perp_joint_id id;
    if (perp_joint_add(w, d, &id)) fail_msg("%s", perp_world_why(w));
    return id;
}

/* A wheel about the world's z, or a slide along it. */
static perp_joint_id on_axis(perp_world *w, perp_joint_kind kind, double x, double mass, double I) {
    perp_joint_def d = perp_joint_def_default(kind);
    d.b = body_at(w, perp_v3(x, 0, 0), mass, I);
    d.X_AJ.p = perp_v3(x, 0, 0);
    return add(w, &d);
}

static perp_joint_term term(perp_joint_id j, double c) {
    perp_joint_term t = {.joint = j, .c = {c}};
    return t;
}

static perp_joint_def sum_of(perp_joint_kind kind, const perp_joint_term *t, int n) {
    perp_joint_def d = perp_joint_def_default(kind);
    d.term = t;
    d.nterm = n;
    return d;
}

static void drive(perp_world *w, perp_joint_id j, double force) {
    perp_actuator_def m = perp_actuator_def_default(PERP_ACTUATOR_FORCE);
    m.joint = j;
    m.ctrl = force;
    if (perp_actuator_add(w, &m, NULL)) fail_msg("%s", perp_world_why(w));
}

static void run(perp_world *w, double duration, perp_certificate *sum) {
    perp_certificate c;
    while (perp_world_time(w) < duration - 1e-9) {
        if (perp_world_step(w, &c)) fail_msg("%s", perp_world_why(w));
        perp_certificate_add(sum, &c);
    }
}

static double at(const perp_world *w, perp_joint_id j) {
    double q[PERP_JOINT_MAX_COORD];
    assert_int_equal(perp_joint_read(w, j, q, NULL), PERP_OK);
    return q[0];
}

static double error_of(const perp_world *w, perp_joint_id j) {
    double p, a;
    assert_int_equal(perp_joint_error(w, j, &p, &a), PERP_OK);
    return fmax(p, a);
}

static const char *const steppers[] = {"stewart-trinkle", "anitescu-potra", "second-order"};

/* Three wheels geared -2 and 3, and a rack that the last one drives: the first feels I1 + 4 I2 + 36 I3 + 36 r^2 m. */
static void a_gear_train_has_one_inertia(void **state) {
    (void)state;
    const double I[3] = {0.2, 0.3, 0.5}, m = 1.5, r = 0.1, felt = 0.2 + 4 * 0.3 + 36 * (0.5 + r * r * m);
    for (int k = 0; k < 3; k++) {
        perp_world *w = world_with(steppers[k], 0.01, 0);
        perp_joint_id wheel[3], rack = {0, 0}, gear[3];
        for (int i = 0; i < 3; i++) wheel[i] = on_axis(w, PERP_JOINT_REVOLUTE, i, 1, I[i]);
        rack = on_axis(w, PERP_JOINT_PRISMATIC, 3, m, 0.7);
        const perp_joint_term t[3][2] = {{term(wheel[1], 1), term(wheel[0], 2)},
                                         {term(wheel[2], 1), term(wheel[1], -3)},
                                         {term(rack, 1), term(wheel[2], -r)}};
        for (int i = 0; i < 3; i++) {
            perp_joint_def d = sum_of(PERP_JOINT_COUPLING, t[i], 2);
            gear[i] = add(w, &d);
        }
        drive(w, wheel[0], 40);
        perp_certificate sum = {0};
        run(w, 1, &sum);
        double q = 0.5 * 40 / felt;
        assert_near(at(w, wheel[0]), q, 1e-9);
        assert_near(at(w, wheel[1]), -2 * q, 1e-9);
        assert_near(at(w, wheel[2]), -6 * q, 1e-9);
        assert_near(at(w, rack), -6 * r * q, 1e-9);
        for (int i = 0; i < 3; i++) assert_below(error_of(w, gear[i]), 1e-13);
        assert_below(sum.joint_error, 1e-13);
        assert_below(fabs(sum.ledger.remainder), 1e-12);
        assert_below(fabs(sum.ledger.joint), 1e-10); /* ideal gears do no work */
        perp_world_destroy(w);
    }
}

/* Two wheels on a plate that floats, geared to each other by a coupling, beside a pair of bodies that is another island. A torque between plate and one wheel: angular
 * momentum stays 0, so plate and wheels turn in a fixed ratio, and q'' = torque/(Ib a^2 + 2 I (1 - a)^2) with a = 2 I/(Ib + 2 I). */
static void a_floating_gear_keeps_momentum(void **state) {
    (void)state;
    const double I = 0.3, m = 1, r = 0.5, Ib = 2 + 2 * m * r * r, a = 2 * I / (Ib + 2 * I), torque = 0.7;
    for (int k = 0; k < 3; k++) {
        perp_world *w = world_with(steppers[k], 0.005, 0);
        perp_joint_def apart = perp_joint_def_default(PERP_JOINT_FIXED),
                       d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        apart.a = body_at(w, perp_v3(0, 5, 0), 1, 1);
        apart.b = body_at(w, perp_v3(0, 6, 0), 1, 1);
        apart.X_AJ.p = perp_v3(0, 1, 0);
        (void)add(w, &apart);
        perp_joint_id j[2];
        d.a = body_at(w, perp_v3(0, 0, 0), 3, 2);
        for (int i = 0; i < 2; i++) {
            d.X_AJ.p = perp_v3(i ? r : -r, 0, 0);
            d.b = body_at(w, d.X_AJ.p, m, I);
            j[i] = add(w, &d);
        }
        const perp_joint_term t[2] = {term(j[0], 1), term(j[1], -1)};
        perp_joint_def both = sum_of(PERP_JOINT_COUPLING, t, 2);
        perp_joint_id c = add(w, &both);
        drive(w, j[0], torque);
        perp_certificate sum = {0};
        run(w, 1, &sum);
        assert_near(at(w, j[0]), 0.5 * torque / (Ib * a * a + 2 * I * (1 - a) * (1 - a)), 1e-5);
        assert_near(at(w, j[1]), at(w, j[0]), 1e-13);
        assert_below(error_of(w, c), 1e-13);
        if (k != 1) assert_below(sum.joint_error, 1e-12); /* anitescu-potra linearises its joints once */
        assert_below(fabs(sum.ledger.remainder), 1e-12);
        perp_vec3 P, L;
        perp_world_momentum(w, &P, &L);
        /* velocities of the first two steppers are those of half a step before, moved to the time of the poses */
        assert_below(perp_v3_norm(P) + perp_v3_norm(L), k == 2 ? 1e-12 : 1e-6);
        perp_world_destroy(w);
    }
}

/* The certificate and the world measure the error of a coupling that does not hold yet; a step removes it. */
static void errors_of_couplings_are_seen(void **state) {
    (void)state;
    perp_world *w = world_with("stewart-trinkle", 0.01, 0);
    perp_joint_id j = on_axis(w, PERP_JOINT_REVOLUTE, 0, 1, 1);
    const perp_joint_term t = term(j, 1);
    perp_joint_def d = sum_of(PERP_JOINT_COUPLING, &t, 1);
    d.offset = -0.02;
    perp_joint_id c = add(w, &d);
    assert_near(error_of(w, c), 0.02, 1e-15);
    assert_near(perp_world_joint_error(w), 0.02, 1e-15);
    perp_certificate sum = {0};
    run(w, 0.02, &sum);
    assert_near(at(w, j), 0.02, 1e-14);
    assert_below(perp_world_joint_error(w), 1e-14);
    perp_world_destroy(w);
}

/* f(q) of the second pendulum, and its derivatives. */
static double follow(double q) { return 0.1 + 0.5 * q + 0.2 * q * q - 0.1 * q * q * q; }
static double slope(double q) { return 0.5 + 0.4 * q - 0.3 * q * q; }
static double bend(double q) { return 0.4 - 0.6 * q; }

/* Acceleration of the first pendulum, when the second one follows: Lagrange's equation in q. */
static double reduced(double q, double v) {
    const double m[2] = {2, 1}, l[2] = {0.5, 0.3}, I[2] = {0.1 + 2 * 0.25, 0.05 + 0.09};
    double s = slope(q), mass = I[0] + I[1] * s * s;
    return (-m[0] * G * l[0] * sin(q) - m[1] * G * l[1] * s * sin(follow(q)) - I[1] * s * bend(q) * v * v) / mass;
}

static double pendulum_miss(double h) {
    const double m[2] = {2, 1}, l[2] = {0.5, 0.3}, I[2] = {0.1, 0.05}, start[2] = {0.9, follow(0.9)};
    perp_world *w = world_with("second-order", h, G);
    perp_joint_id j[2];
    for (int i = 0; i < 2; i++) { /* about -y: positive angles go to +x */
        perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        perp_quat turn = perp_q_axis_angle(perp_v3(0, -1, 0), start[i]),
                  z_to_y = perp_q_axis_angle(perp_v3(1, 0, 0), 0.5 * 3.14159265358979323846);
        d.b = body_at(w, perp_v3(3 * i, 0, 0), m[i], I[i]);
        d.X_AJ = (perp_pose){perp_v3(3 * i, 0, 0), z_to_y};
        d.X_BJ = (perp_pose){perp_v3(0, 0, l[i]), z_to_y};
        perp_vec3 arm = perp_q_rotate(turn, perp_v3(0, 0, -l[i]));
        assert_int_equal(perp_body_set_pose(w, d.b, (perp_pose){perp_v3(3 * i + arm.x, 0, arm.z), turn}), PERP_OK);
        j[i] = add(w, &d);
        assert_near(at(w, j[i]), start[i], 1e-14);
    }
    const perp_joint_term t[2] = {{.joint = j[1], .c = {1}}, {.joint = j[0], .c = {-0.5, -0.2, 0.1}}};
    perp_joint_def d = sum_of(PERP_JOINT_COUPLING, t, 2);
    d.offset = -0.1;
    perp_joint_id c = add(w, &d);
    perp_certificate sum = {0};
    run(w, 1, &sum);
    double q = 0.9, v = 0;
    for (int i = 0; i < 4000; i++) { /* Runge-Kutta of fourth order, error 1e-12 */
        double k = 1.0 / 4000, a1 = reduced(q, v), v2 = v + 0.5 * k * a1, a2 = reduced(q + 0.5 * k * v, v2),
               v3 = v + 0.5 * k * a2, a3 = reduced(q + 0.5 * k * v2, v3), v4 = v + k * a3, a4 = reduced(q + k * v3, v4);
        q += k / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += k / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    assert_below(error_of(w, c), 1e-13);
    assert_below(sum.joint_error, 1e-12);
    assert_near(at(w, j[1]), follow(at(w, j[0])), 1e-13);
    assert_below(fabs(sum.ledger.remainder), 1e-12);
    double miss = fabs(at(w, j[0]) - q);
    perp_world_destroy(w);
    return miss;
}

/* Two pendulums, the second at a polynomial of the first: the motion is that of the reduced equation, to second order in h. */
static void a_polynomial_is_the_reduced_equation(void **state) {
    (void)state;
    double coarse = pendulum_miss(0.01), fine = pendulum_miss(0.005);
    assert_below(coarse, 2e-3);
    assert_below(fine, 0.3 * coarse);
}

/* A servo on q0 + 2 q1 against springs on both: each joint feels its coefficient times the force. */
static void a_tendon_carries_a_servo(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world *w = world_with(steppers[k], 0.01, 0);
        perp_joint_id j[2];
        const double stiff[2] = {30, 50};
        for (int i = 0; i < 2; i++) {
            j[i] = on_axis(w, i ? PERP_JOINT_PRISMATIC : PERP_JOINT_REVOLUTE, i, 1, 1);
            perp_joint_axis a = {.lo = -INFINITY, .hi = INFINITY, .motor_force = INFINITY};
            a.stiffness = stiff[i], a.damping = 12;
            assert_int_equal(perp_joint_set_axis(w, j[i], 0, &a), PERP_OK);
        }
        const perp_joint_term t[2] = {term(j[0], 1), term(j[1], 2)};
        perp_joint_def d = sum_of(PERP_JOINT_TENDON, t, 2);
        perp_joint_id tendon = add(w, &d);
        perp_actuator_def s = perp_actuator_def_default(PERP_ACTUATOR_POSITION);
        perp_actuator_id id;
        s.joint = tendon;
        s.kp = 100, s.kv = 10, s.ctrl = 1;
        assert_int_equal(perp_actuator_add(w, &s, &id), PERP_OK);
        perp_certificate sum = {0};
        run(w, 12, &sum);
        double soft = 1 / stiff[0] + 4 / stiff[1], F = 100 / (1 + 100 * soft), felt;
        assert_near(at(w, j[0]), F / stiff[0], 1e-9);
        assert_near(at(w, j[1]), 2 * F / stiff[1], 1e-9);
        assert_near(at(w, tendon), F * soft, 1e-9);
        assert_int_equal(perp_actuator_force(w, id, &felt), PERP_OK);
        assert_near(felt, F, 1e-7);
        assert_below(fabs(sum.ledger.remainder), 1e-11);
        perp_world_destroy(w);
    }
}

/* A tendon's limit stops two driven joints at once, at the limit to rounding; its force is known. */
static void a_tendon_has_limits(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world *w = world_with(steppers[k], 0.01, 0);
        perp_joint_id j[2];
        for (int i = 0; i < 2; i++) j[i] = on_axis(w, PERP_JOINT_PRISMATIC, i, 1 + i, 1);
        const perp_joint_term t[2] = {term(j[0], 1), term(j[1], 1)};
        perp_joint_def d = sum_of(PERP_JOINT_TENDON, t, 2);
        d.axis[0].limited = true, d.axis[0].lo = -1, d.axis[0].hi = 0.3;
        perp_joint_id tendon = add(w, &d);
        drive(w, j[0], 1);
        drive(w, j[1], 1);
        perp_certificate sum = {0};
        run(w, 3, &sum);
        assert_near(at(w, tendon), 0.3, 1e-12);
        perp_wrench p;
        assert_int_equal(perp_joint_impulse(w, tendon, &p), PERP_OK);
        assert_near(p.force.x, -0.01, 1e-9); /* 1 N at both masses, q0' = -q1' */
        assert_below(sum.law.joint, 1e-9);
        perp_world_destroy(w);
    }
}

/* Two coupled fingers press a box between them and hold it: contacts and a row of four bodies in one island. */
static void coupled_fingers_hold_a_box(void **state) {
    (void)state;
    perp_world *w = world_with(NULL, 0.005, G);
    assert_int_equal(perp_pair_set_all(w, (perp_pair_law){.mu = 0.8}), PERP_OK);
    perp_joint_id j[2];
    for (int i = 0; i < 2; i++) {
        perp_joint_def d = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        perp_shape_def pad = perp_shape_box(0.01, 0.02, 0.02);
        double side = i ? 1 : -1;
        perp_quat to_x =
            perp_q_axis_angle(perp_v3(0, 1, 0), -side * 0.5 * 3.14159265358979323846); /* z towards the box */
        d.b = body_at(w, perp_v3(side * 0.04, 0, 0), 0.2, 1e-4);
        d.X_AJ = (perp_pose){perp_v3(side * 0.04, 0, 0), to_x};
        d.X_BJ = (perp_pose){perp_v3(0, 0, 0), to_x};
        j[i] = add(w, &d);
        assert_int_equal(perp_shape_add(w, d.b, &pad, NULL), PERP_OK);
    }
    const perp_joint_term t[2] = {term(j[0], 1), term(j[1], -1)};
    perp_joint_def d = sum_of(PERP_JOINT_COUPLING, t, 2);
    perp_joint_id c = add(w, &d);
    perp_shape_def box = perp_shape_box(0.03, 0.02, 0.02);
    perp_body_id held = body_at(w, perp_v3(0, 0, 0), 0.3, 1e-4);
    assert_int_equal(perp_shape_add(w, held, &box, NULL), PERP_OK);
    drive(w, j[0], 20);
    perp_certificate sum = {0};
    run(w, 1, &sum);
    perp_pose X;
    assert_int_equal(perp_body_pose(w, held, &X), PERP_OK);
    assert_near(X.p.x, 0, 1e-9);
    assert_near(X.p.z, 0, 1e-9);
    assert_below(error_of(w, c), 1e-12);
    assert_below(sum.overlap, 1e-9);
    perp_world_destroy(w);
}

/* Joint space keeps couplings as it closes loops; a copy of the world goes on with the same bits. */
static void joint_space_and_copies_know_them(void **state) {
    (void)state;
    perp_world *w = world_with("second-order", 0.01, 0), *copy;
    perp_joint_id j[2];
    for (int i = 0; i < 2; i++) j[i] = on_axis(w, PERP_JOINT_REVOLUTE, i, 1, 1);
    const perp_joint_term t[2] = {{.joint = j[1], .c = {1}}, {.joint = j[0], .c = {-1, -0.5}}};
    perp_joint_def d = sum_of(PERP_JOINT_COUPLING, t, 2);
    perp_joint_id c = add(w, &d);
    perp_joint_space *s;
    if (perp_world_joint_space(w, NULL, &s)) fail_msg("%s", perp_world_why(w));
    assert_int_equal(perp_joint_space_nq(s), 2);
    assert_int_equal(perp_joint_space_nloop(s), 1);
    double q[2] = {0.4, 0}, v[2] = {1, 0};
    const bool hold[2] = {true, false};
    assert_int_equal(perp_joint_space_set(s, w, q, v, 1e-9), PERP_E_ARG);
    if (perp_joint_space_project(s, w, q, v, hold)) fail_msg("%s", perp_world_why(w));
    assert_near(q[1], 0.4 + 0.5 * 0.16, 1e-13);
    assert_near(v[1], v[0] * 1.4, 1e-13);
    assert_int_equal(perp_joint_space_set(s, w, q, v, 1e-9), PERP_OK);
    perp_joint_space_free(s);
    assert_int_equal(perp_world_clone(w, &copy), PERP_OK);
    perp_certificate sum = {0};
    run(w, 0.5, &sum);
    run(copy, 0.5, &sum);
    assert_true(perp_world_hash(w) == perp_world_hash(copy));
    perp_joint_def got;
    assert_int_equal(perp_joint_get(copy, c, &got), PERP_OK);
    assert_int_equal(got.nterm, 2);
    assert_near(got.term[1].c[1], -0.5, 0);
    perp_world_destroy(copy);
    /* they go with their joints, and slots may be made again */
    assert_int_equal(perp_joint_remove(w, j[0]), PERP_OK);
    assert_int_equal(perp_joint_get(w, c, &got), PERP_E_ARG);
    assert_int_equal(perp_world_renumber(w, NULL), PERP_OK);
    run(w, 0.6, &sum);
    perp_world_destroy(w);
}

/* The problem of a step with a row of three bodies, kept in a file, is solved to the same impulses. */
static void problems_keep_long_rows(void **state) {
    (void)state;
    perp_world *w = world_with("stewart-trinkle", 0.01, 0);
    perp_joint_id j[3];
    for (int i = 0; i < 3; i++) j[i] = on_axis(w, PERP_JOINT_PRISMATIC, i, 1 + i, 1);
    const perp_joint_term t[3] = {term(j[0], 1), term(j[1], 2), term(j[2], -3)};
    perp_joint_def d = sum_of(PERP_JOINT_COUPLING, t, 3);
    perp_joint_id c = add(w, &d);
    drive(w, j[0], 5);
    assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    perp_wrench p;
    assert_int_equal(perp_joint_impulse(w, c, &p), PERP_OK);
    assert_near(p.force.x, -0.05 / (1 + 4 / 2.0 + 9 / 3.0), 1e-14); /* J Minv J' = 6 */
    const perp_step_problem *problem = perp_world_problem(w);
    assert_non_null(problem);
    int rows = problem->njoint, longest = 0;
    for (int i = 0; i < rows; i++)
        if (problem->joint[i].row.more) longest = i;
    assert_true(problem->joint[longest].row.more != NULL);
    perp_refusal why;
    perp_stored *kept;
    perp_problem_format format;
    if (perp_step_write("coupled.h5", problem, NULL, "coupled", &why)) fail_msg("%s", why.text);
    if (perp_problem_read("coupled.h5", NULL, &kept, &format, &why)) fail_msg("%s", why.text);
    const perp_problem *cone = perp_stored_problem(kept);
    assert_int_equal(perp_problem_size(cone), rows);
    double z[32] = {0};
    assert_int_equal(perp_solve(cone, NULL, z, NULL), PERP_OK);
    assert_near(z[longest], p.force.x, 1e-9);
    perp_stored_free(kept);
    (void)remove("coupled.h5");
    perp_world_destroy(w);
}

static void wrong_ones_are_refused(void **state) {
    (void)state;
    perp_world *w = world_with("first-order", 0.01, 0);
    perp_joint_id j = on_axis(w, PERP_JOINT_REVOLUTE, 0, 1, 1);
    perp_joint_term t = term(j, 1);
    perp_joint_def d = sum_of(PERP_JOINT_COUPLING, &t, 1);
    assert_int_equal(perp_joint_add(w, &d, NULL), PERP_E_FIT);
    assert_string_equal(perp_world_why(w), "joint kind coupling: stepper first-order has none; stewart-trinkle, "
                                           "anitescu-potra and second-order have");
    perp_world_destroy(w);
    w = world_with(NULL, 0.01, 0);
    j = on_axis(w, PERP_JOINT_REVOLUTE, 0, 1, 1);
    t = term(j, 0);
    assert_int_equal(perp_joint_add(w, &d, NULL), PERP_E_ARG);
    assert_string_equal(perp_world_why(w), "term[0].c is zero: the term does nothing");
    t = term(j, 1);
    t.coord = 1;
    assert_int_equal(perp_joint_add(w, &d, NULL), PERP_E_ARG);
    assert_string_equal(perp_world_why(w), "term[0].coord is 1; this joint has 1 coordinates");
    t.coord = 0;
    d.nterm = 0;
    assert_int_equal(perp_joint_add(w, &d, NULL), PERP_E_ARG);
    d.nterm = 1;
    t.joint = add(w, &d);
    assert_int_equal(perp_joint_add(w, &d, NULL), PERP_E_ARG);
    assert_string_equal(perp_world_why(w),
                        "term[0].joint is a coupling; terms are coordinates of joints between bodies");
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gear_train_has_one_inertia), cmocka_unit_test(a_floating_gear_keeps_momentum),
        cmocka_unit_test(errors_of_couplings_are_seen), cmocka_unit_test(a_polynomial_is_the_reduced_equation),
        cmocka_unit_test(a_tendon_carries_a_servo),     cmocka_unit_test(a_tendon_has_limits),
        cmocka_unit_test(coupled_fingers_hold_a_box),   cmocka_unit_test(joint_space_and_copies_know_them),
        cmocka_unit_test(problems_keep_long_rows),      cmocka_unit_test(wrong_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
