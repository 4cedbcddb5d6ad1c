/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_force.c - force elements against closed forms
 * Method   Forces are taken at the start of a step and held over it, so a run of them is a known recurrence or
 *          converges with first order (second order where the start is staggered); both are checked: the value at one
 *          h, and the ratio of errors at h and h/2. */
#include "unit/world_help.h"

static const perp_vec3 zero = {0, 0, 0};

static perp_vec3 about_z(double w) { return perp_v3(0, 0, w); }

/* A constant force off the centre: acceleration F/m, and a torque r x F that turns with the body or not. */
static void test_constant(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 0.1);
        perp_body_id b = add_mass(w, 2, 5, perp_pose_2d(1, 1, PI / 2));
        perp_force_def f = perp_force_def_default(PERP_FORCE_CONSTANT);
        f.b = b;
        f.wrench.force = perp_v3(0, 4, 0);
        f.wrench.torque = about_z(1);
        f.point_B = perp_v3(0, -3, 0); /* (3, 0, 0) from the centre in the world */
        perp_force_id id = add_force(w, &f);
        perp_certificate c = run(w, 1);
        NEAR(velocity_of(w, b).y, 0.1 * 4 / 2, 1e-15);
        NEAR(velocity_of(w, b).x, 0, 1e-15);
        NEAR(spin_of(w, b).z, 0.1 * (3 * 4 + 1) / 5, 1e-14);
        perp_vec3 v = velocity_of(w, b);
        NEAR(c.ledger.applied, 0.5 * (v.y * 0.4 + spin_of(w, b).z * 1.3), 1e-14);
        OK(w, perp_force_remove(w, id));
        assert_int_equal(perp_force_remove(w, id), PERP_E_ARG);
        run(w, 1);
        NEAR(velocity_of(w, b).y, v.y, 0); /* gone */
        perp_world_destroy(w);
    }
}

/* In body axes the force turns with the body: one that is spun at a fixed rate goes round a circle of velocities. */
static void test_body_frame(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            double h = 0.01 / (1 << k);
            perp_world *w = weightless(dim, h);
            perp_body_id b = add_mass(w, 1, 1, perp_pose_identity());
            OK(w, perp_body_set_velocity(w, b, zero, about_z(2)));
            perp_force_def f = perp_force_def_default(PERP_FORCE_CONSTANT);
            f.b = b;
            f.wrench.force = perp_v3(3, 0, 0);
            f.body_frame = true;
            add_force(w, &f);
            run(w, (int)lround(0.7 / h));
            perp_vec3 v = velocity_of(w, b);
            error[k] = hypot(v.x - 1.5 * sin(1.4), v.y - 1.5 * (1 - cos(1.4))); /* integral of 3 (cos 2t, sin 2t) */
            NEAR(spin_of(w, b).z, 2, 1e-14);
            perp_world_destroy(w);
        }
        BELOW(error[0], 0.04);
        NEAR(error[0] / error[1], 2, 0.05);
    }
    /* 3D: force and torque about an axis that is tilted */
    perp_world *w = weightless(3, 0.1);
    perp_quat q = perp_q_axis_angle(perp_v3(1, 2, 3), 1);
    perp_body_id b = add_mass(w, 1, 2, (perp_pose){{0, 0, 0}, q});
    perp_force_def f = perp_force_def_default(PERP_FORCE_CONSTANT);
    f.b = b;
    f.wrench = (perp_wrench){{1, 2, 3}, {4, 5, 6}};
    f.body_frame = true;
    add_force(w, &f);
    run(w, 1);
    perp_vec3 v = perp_q_unrotate(q, velocity_of(w, b)), om = perp_q_unrotate(q, spin_of(w, b));
    NEAR(perp_v3_norm(perp_v3_sub(v, perp_v3(0.1, 0.2, 0.3))), 0, 1e-15);
    NEAR(perp_v3_norm(perp_v3_sub(om, perp_v3(0.2, 0.25, 0.3))), 0, 1e-15);
    perp_world_destroy(w);
}

/* x(t) under F sin(omega t + phase): first order from a plain start, second from a staggered one. */
static void test_sinusoid(void **state) {
    (void)state;
    const double A = 3, om = 5, ph = 0.4, T = 1.2;
    double x = A / om * cos(ph) * T - A / (om * om) * (sin(om * T + ph) - sin(ph));
    for (int dim = 2; dim <= 3; dim++)
        for (int staggered = 0; staggered < 2; staggered++) {
            double error[3];
            for (int k = 0; k < 3; k++) {
                perp_world_def d = perp_world_def_default(dim);
                d.gravity_W = zero;
                d.h = 0.01 / (1 << k);
                d.start = staggered ? PERP_START_STAGGERED : PERP_START_PLAIN;
                perp_world *w = world_of(&d);
                perp_body_id b = add_mass(w, 1, 1, perp_pose_identity());
                perp_force_def f = perp_force_def_default(PERP_FORCE_SINUSOID);
                f.b = b;
                f.wrench.force.x = A;
                f.omega = om;
                f.phase = ph;
                add_force(w, &f);
                run(w, (int)lround(T / d.h));
                error[k] = fabs(pose_of(w, b).p.x - x);
                perp_world_destroy(w);
            }
            BELOW(error[0], staggered ? 1e-3 : 2e-2);
            NEAR(error[0] / error[1], staggered ? 4 : 2, staggered ? 0.1 : 0.1);
            NEAR(error[1] / error[2], staggered ? 4 : 2, staggered ? 0.05 : 0.05);
        }
}

/* A mass on a spring. The step is the symplectic Euler method: it turns by the angle t with cos t = 1 - (w h)^2/2 per
 * step, so its frequency is asin(w h/2) 2/h, above w by a relative (w h)^2/24. */
static void test_spring_frequency(void **state) {
    (void)state;
    const double k = 50, m = 2, om = sqrt(k / m);
    for (int dim = 2; dim <= 3; dim++) {
        double error[2], peak[2];
        for (int i = 0; i < 2; i++) {
            double h = 0.02 / (1 << i);
            perp_world *w = weightless(dim, h);
            perp_body_id b = add_mass(w, m, 1, perp_pose_at(1.3, 0, 0));
            perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
            f.b = b;
            f.stiffness = k;
            f.rest_length = 1; /* to the origin of the world */
            add_force(w, &f);
            double last = 0.3, first = 0, zeros = 0, now = 0, x_max = 0;
            while (zeros < 41) { /* 20 periods, timed by interpolated zeros */
                run(w, 1);
                double x = pose_of(w, b).p.x - 1, t = perp_world_time(w);
                if ((x < 0) != (last < 0)) {
                    now = t - h * x / (x - last);
                    if (zeros++ == 0) first = now;
                }
                last = x;
                x_max = fmax(x_max, fabs(x));
            }
            double measured = 20 * 2 * PI / (now - first);
            NEAR(measured, 2 / h * asin(om * h / 2), 1e-4);
            error[i] = measured / om - 1;
            peak[i] = x_max;
            double kin, spring;
            perp_world_energy(w, &kin, NULL, &spring);
            NEAR(kin + spring, 0.5 * k * 0.09, 0.5 * k * 0.09 * om * h); /* swings by O(h), does not drift */
            NEAR(spring, 0.5 * k * last * last, 1e-12);
            perp_world_destroy(w);
        }
        NEAR(error[0] / error[1], 4, 0.3);
        BELOW(peak[0], 0.3 * (1 + 0.1));
    }
}

/* The whole path of the oscillator converges with second order from a staggered start, with first from a plain one. */
static void test_spring_order(void **state) {
    (void)state;
    const double k = 50, m = 2, om = sqrt(k / m), T = 3;
    for (int staggered = 0; staggered < 2; staggered++) {
        double error[3];
        for (int i = 0; i < 3; i++) {
            perp_world_def d = perp_world_def_default(2);
            d.gravity_W = zero;
            d.h = 0.01 / (1 << i);
            d.start = staggered ? PERP_START_STAGGERED : PERP_START_PLAIN;
            perp_world *w = world_of(&d);
            perp_body_id b = add_mass(w, m, 1, perp_pose_at(1.3, 0, 0));
            perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
            f.b = b;
            f.stiffness = k;
            f.rest_length = 1;
            add_force(w, &f);
            run(w, (int)lround(T / d.h));
            error[i] = fabs(pose_of(w, b).p.x - 1 - 0.3 * cos(om * T));
            perp_world_destroy(w);
        }
        NEAR(error[0] / error[1], staggered ? 4 : 2, 0.2);
        NEAR(error[1] / error[2], staggered ? 4 : 2, 0.1);
    }
}

/* Between two bodies: equal and opposite at their points, momentum kept; a spring of zero length has no direction and
 * does nothing. */
static void test_spring_between(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 0.01);
        perp_body_id a = add_mass(w, 1, 2, perp_pose_2d(0, 0, 0.3)), b = add_mass(w, 3, 1, perp_pose_2d(2, 1, -0.4));
        perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
        f.a = a;
        f.b = b;
        f.point_A = perp_v3(0.5, 0.2, 0);
        f.point_B = perp_v3(-0.1, 0.3, 0);
        f.stiffness = 30;
        f.rest_length = 0.5;
        f.damping = 2; /* no drag: that is not along the line and, as Berard has it, leaves a couple */
        add_force(w, &f);
        perp_vec3 p, L0, L;
        perp_world_momentum(w, &p, &L0);
        run(w, 300);
        perp_world_momentum(w, &p, &L);
        NEAR(perp_v3_norm(p), 0, 1e-13);
        NEAR(perp_v3_norm(perp_v3_sub(L, L0)), 0,
             0.02); /* the line of the force moves during the step: kept to first order */
        assert_true(perp_v3_norm(velocity_of(w, a)) + fabs(spin_of(w, a).z) > 1e-3);
        perp_world_destroy(w);

        w = weightless(dim, 0.01);
        b = add_mass(w, 1, 1, perp_pose_identity());
        f = perp_force_def_default(PERP_FORCE_SPRING);
        f.b = b;
        f.stiffness = 10;
        f.rest_length = 1;
        f.damping = 3;
        add_force(w, &f);
        run(w, 10);
        NEAR(pose_of(w, b).p.x, 0, 0);
        OK(w, perp_body_set_pose(w, b, perp_pose_at(0.5, 0, 0)));
        run(w, 1);
        assert_true(velocity_of(w, b).x > 0); /* pushes out */
        perp_world_destroy(w);
    }
}

/* Damping along the line and drag on the whole velocity: v decays as (1 - c h/m)^n, which tends to exp(-c t/m) with
 * first order. */
static void test_dampers(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            double h = 0.01 / (1 << i), c = 4, m = 2;
            int n = (int)lround(1 / h);
            perp_world *w = weightless(dim, h);
            perp_body_id along = add_mass(w, m, 1, perp_pose_at(5, 0, 0)),
                         across = add_mass(w, m, 1, perp_pose_at(5, 0, 0));
            OK(w, perp_body_set_velocity(w, along, perp_v3(1, 0, 0), zero));
            OK(w, perp_body_set_velocity(w, across, perp_v3(0.5, 1, 0), zero));
            perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
            f.b = along;
            f.damping = c;
            add_force(w, &f);
            f = perp_force_def_default(PERP_FORCE_SPRING);
            f.b = across;
            f.drag = c;
            add_force(w, &f);
            run(w, n);
            double decay = pow(1 - c * h / m, n);
            NEAR(velocity_of(w, along).x, decay, 1e-13);
            NEAR(velocity_of(w, across).x, 0.5 * decay, 1e-13);
            NEAR(velocity_of(w, across).y, decay, 1e-13);
            error[i] = fabs(velocity_of(w, along).x - exp(-c / m));
            perp_world_destroy(w);
        }
        NEAR(error[0] / error[1], 2, 0.05);
        /* a damper along its line does not feel motion across it: at the first step v is at right angles */
        perp_world *w = weightless(dim, 0.01);
        perp_body_id b = add_mass(w, 1, 1, perp_pose_at(5, 0, 0));
        OK(w, perp_body_set_velocity(w, b, perp_v3(0, 1, 0), zero));
        perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
        f.b = b;
        f.damping = 7;
        add_force(w, &f);
        run(w, 1);
        NEAR(velocity_of(w, b).y, 1, 0);
        perp_world_destroy(w);
    }
}

/* PD control of a hinge: it reaches its target and stays there. Far from the target it acts with its largest force. */
static void test_pd(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 1e-3);
        perp_body_id b = add_mass(w, 1, 0.5, perp_pose_identity());
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.b = b;
        perp_joint_id hinge = add_joint(w, &j);
        perp_force_def f = perp_force_def_default(PERP_FORCE_PD);
        f.joint = hinge;
        f.kp = 50;
        f.kd = 10; /* critical: 2 sqrt(50 * 0.5) */
        f.target = 9;
        f.max_force = 4;
        perp_force_id pd = add_force(w, &f);
        run(w, 100);
        NEAR(rate_of(w, hinge, 0), 4 / 0.5 * 0.1, 1e-12); /* clipped: w = F t/I */
        run(w, 14900);
        NEAR(coord_of(w, hinge, 0), 9, 1e-6); /* beyond a turn: angles are counted */
        NEAR(rate_of(w, hinge, 0), 0, 1e-6);
        OK(w, perp_force_set_target(w, pd, -1, 0));
        run(w, 100);
        NEAR(rate_of(w, hinge, 0), -4 / 0.5 * 0.1, 1e-6); /* clipped the other way too */
        run(w, 14900);
        NEAR(coord_of(w, hinge, 0), -1, 1e-6);
        /* a body that is placed anew is seen where it is */
        OK(w, perp_body_set_pose(w, b, perp_pose_2d(0, 0, -1.02)));
        OK(w, perp_body_set_velocity(w, b, zero, zero));
        run(w, 1);
        NEAR(spin_of(w, b).z, 1e-3 * 50 * 0.02 / 0.5, 1e-9);
        OK(w, perp_joint_remove(w, hinge));
        assert_int_equal(perp_force_remove(w, pd), PERP_E_ARG); /* went with its joint */
        perp_world_destroy(w);
    }
}

/* PD between two free bodies acts on both, equal and opposite; on a slider in the world it is a linear force. */
static void test_pd_pairs(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 1e-3);
        perp_body_id a = add_mass(w, 1, 2, perp_pose_identity()), b = add_mass(w, 1, 1, perp_pose_identity());
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.a = a;
        j.b = b;
        perp_joint_id hinge = add_joint(w, &j);
        perp_force_def f = perp_force_def_default(PERP_FORCE_PD);
        f.joint = hinge;
        f.kd = 3;
        f.target_rate = 5;
        add_force(w, &f);
        run(w, 1);
        NEAR(spin_of(w, b).z, 1e-3 * 15, 1e-14);
        NEAR(spin_of(w, a).z, -1e-3 * 15 / 2, 1e-14);
        run(w, 5000);
        NEAR(rate_of(w, hinge, 0), 5, 1e-4);
        perp_vec3 L;
        perp_world_momentum(w, NULL, &L);
        NEAR(perp_v3_norm(L), 0, 1e-11);
        perp_body_id c = add_mass(w, 4, 1, perp_pose_at(3, 0, 0));
        j = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        j.b = c;
        j.X_AJ.p.x = 3;
        if (dim == 3) j.X_AJ.q = j.X_BJ.q = perp_q_axis_angle(perp_v3(0, 1, 0), PI / 2); /* its axis along x */
        perp_joint_id slider = add_joint(w, &j);
        f = perp_force_def_default(PERP_FORCE_PD);
        f.joint = slider;
        f.kp = 2;
        f.target = 10;
        add_force(w, &f);
        run(w, 1);
        NEAR(velocity_of(w, c).x, 1e-3 * 20 / 4, 1e-14);
        perp_world_destroy(w);
    }
}

typedef struct pull {
    perp_body_id b;
    int calls;
} pull;

/* Towards the origin, with a torque; reads the world it acts on. */
static void central(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    pull *p = ctx;
    perp_pose X;
    assert_int_equal(perp_body_pose(w, p->b, &X), PERP_OK);
    assert_true(t == perp_world_time(w));
    out->force = perp_v3_scale(-1, X.p);
    out->torque = about_z(0.5);
    p->calls++;
}

/* An orbit about the origin by a user's force: after a period 2 pi it is back, with an error of first order. */
static void test_user(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            int n = k ? 2000 : 1000;
            perp_world *w = weightless(dim, 2 * PI / n);
            perp_body_id b = add_mass(w, 1, 2, perp_pose_at(1, 0, 0));
            OK(w, perp_body_set_velocity(w, b, perp_v3(0, 1, 0), zero));
            pull ctx = {b, 0};
            perp_force_def f = perp_force_def_default(PERP_FORCE_USER);
            f.b = b;
            f.user = central;
            f.ctx = &ctx;
            add_force(w, &f);
            run(w, n);
            assert_int_equal(ctx.calls, n);
            perp_vec3 p = pose_of(w, b).p;
            error[k] = hypot(p.x - 1, p.y);
            NEAR(spin_of(w, b).z, 0.25 * 2 * PI, 1e-11);
            perp_world_destroy(w);
        }
        BELOW(error[0], 0.02);
        assert_true(error[1] < 0.6 * error[0]);
    }
}

/* A spring to a kinematic body pulls with the right force and does not move it. */
static void test_spring_to_kinematic(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 0.01);
        perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
        k.v_W = perp_v3(1, 0, 0);
        perp_body_id lead = add_def(w, &k), b = add_mass(w, 1, 1, perp_pose_at(-2, 0, 0));
        OK(w, perp_body_set_velocity(w, b, perp_v3(1, 0, 0), zero));
        perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
        f.a = lead;
        f.b = b;
        f.stiffness = 10;
        f.rest_length = 2;
        f.damping = 1;
        f.drag = 1;
        add_force(w, &f);
        run(w, 200); /* in balance: both at the same speed */
        NEAR(velocity_of(w, b).x, 1, 1e-12);
        NEAR(pose_of(w, b).p.x, 0, 1e-12);
        NEAR(pose_of(w, lead).p.x, 2, 1e-12);
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_body_frame),
        cmocka_unit_test(test_sinusoid),
        cmocka_unit_test(test_spring_frequency),
        cmocka_unit_test(test_spring_order),
        cmocka_unit_test(test_spring_between),
        cmocka_unit_test(test_dampers),
        cmocka_unit_test(test_pd),
        cmocka_unit_test(test_pd_pairs),
        cmocka_unit_test(test_user),
        cmocka_unit_test(test_spring_to_kinematic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
