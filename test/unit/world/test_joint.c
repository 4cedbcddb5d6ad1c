/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint.c - joints in a running world: what they keep, their extras against closed forms, redundancy, correction,
 * impulses Method   Most scenes are one body on one joint, whose steps are known recurrences; each is run in 2D and 3D,
 * with the joints eliminated
 *          (LCP) and kept as variables (mixed LCP). */
#include "unit/world_help.h"

#include "scenes.h"

static const perp_vec3 zero = {0, 0, 0};
#define G 9.81

typedef struct setting {
    int dim;
    perp_form form;
} setting;
static setting settings[] = {{2, PERP_FORM_LCP}, {2, PERP_FORM_MLCP}, {3, PERP_FORM_LCP}, {3, PERP_FORM_MLCP}};

static perp_world *world_with(const setting *s, double h) {
    perp_world_def d = perp_world_def_default(s->dim);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.form = s->form;
    d.h = h;
    return world_of(&d);
}

/* Orientation whose joint axis (x in 2D, z in 3D, for sliders) points up. */
static perp_quat slider_up(int dim) {
    return dim == 2 ? perp_q_axis_angle(perp_v3(0, 0, 1), PI / 2) : perp_q_identity();
}

/* A body of mass m on a vertical slider from the world. */
static perp_joint_id slider(perp_world *w, double m, perp_joint_axis axis, perp_body_id *b) {
    int dim = perp_world_dim(w);
    *b = add_mass(w, m, 0.3, perp_pose_identity());
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_PRISMATIC);
    j.b = *b;
    j.X_AJ.q = j.X_BJ.q = slider_up(dim);
    j.axis[0] = axis;
    return add_joint(w, &j);
}

/* A body with inertia I on a hinge about z through its centre. */
static perp_joint_id wheel(perp_world *w, double I, perp_joint_axis axis, perp_body_id *b) {
    *b = add_mass(w, 2, I, perp_pose_identity());
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = *b;
    j.axis[0] = axis;
    return add_joint(w, &j);
}

static perp_joint_axis plain(void) { return perp_joint_def_default(PERP_JOINT_REVOLUTE).axis[0]; }

static void test_limits(void **state) {
    const setting *s = *state;
    perp_world *w = world_with(s, 0.01);
    perp_joint_axis axis = plain();
    axis.limited = true;
    axis.lo = -0.3;
    axis.hi = 0.2;
    perp_body_id b, r;
    perp_joint_id j = slider(w, 2, axis, &b);
    axis.hi = 1.5;
    perp_joint_id hinge = wheel(w, 3, axis, &r);
    OK(w, perp_body_set_velocity(w, r, zero, perp_v3(0, 0, 4)));
    double least = 0, most = 0;
    for (int i = 0; i < 100; i++) {
        run(w, 1);
        least = fmin(least, coord_of(w, j, 0));
        most = fmax(most, coord_of(w, hinge, 0));
    }
    NEAR(least, -0.3, 1e-12); /* reached, not passed */
    NEAR(coord_of(w, j, 0), -0.3, 1e-12);
    NEAR(rate_of(w, j, 0), 0, 1e-12);
    perp_wrench p;
    OK(w, perp_joint_impulse(w, j, &p));
    NEAR(perp_v3_dot(p.force, up(s->dim)), 2 * G * 0.01, 1e-12); /* the stop carries the weight */
    NEAR(most, 1.5, 1e-12);
    NEAR(rate_of(w, hinge, 0), 0, 1e-12); /* no rebound */
    /* a limit that moves past the body pushes it; an upper limit pushes down */
    axis.lo = -INFINITY;
    axis.hi = -0.5;
    OK(w, perp_joint_set_axis(w, j, 0, &axis));
    run(w, 1);
    NEAR(coord_of(w, j, 0), -0.5, 1e-9);
    axis.limited = false;
    OK(w, perp_joint_set_axis(w, j, 0, &axis));
    OK(w, perp_body_set_velocity(w, b, zero, zero));
    run(w, 10);
    NEAR(rate_of(w, j, 0), -G * 0.1, 1e-9); /* free again */
    perp_world_destroy(w);
}

/* lo = hi is a lock. */
static void test_limit_as_lock(void **state) {
    const setting *s = *state;
    perp_world *w = world_with(s, 0.01);
    perp_joint_axis axis = plain();
    axis.limited = true;
    axis.lo = axis.hi = 0;
    perp_body_id b, r;
    perp_joint_id j = slider(w, 2, axis, &b), hinge = wheel(w, 1, axis, &r);
    OK(w, perp_body_set_force(w, r, zero, perp_v3(0, 0, 5)));
    run(w, 50);
    NEAR(coord_of(w, j, 0), 0, 1e-12);
    NEAR(coord_of(w, hinge, 0), 0, 1e-12);
    perp_world_destroy(w);
}

/* A motor accelerates with its full force until it has reached its speed, then keeps the speed with the force needed. */
static void test_motor(void **state) {
    const setting *s = *state;
    const double h = 0.01, F = 50, m = 2;
    perp_world *w = world_with(s, h);
    perp_joint_axis axis = plain();
    axis.motor = true;
    axis.motor_speed = 3;
    axis.motor_force = F;
    perp_body_id b, r;
    perp_joint_id j = slider(w, m, axis, &b);
    axis.motor_force = 4;
    perp_joint_id hinge = wheel(w, 2, axis, &r);
    perp_wrench p;
    for (int i = 1; i <= 200; i++) {
        perp_certificate c = run(w, 1);
        double v = fmin(3, (F / m - G) * h * i), om = fmin(3, 4.0 / 2 * h * i);
        NEAR(rate_of(w, j, 0), v, 1e-11);
        NEAR(rate_of(w, hinge, 0), om, 1e-11);
        OK(w, perp_joint_impulse(w, j, &p));
        double up_force = perp_v3_dot(p.force, up(s->dim)) / h;
        if (v < 3) NEAR(up_force, F, 1e-9);
        OK(w, perp_joint_impulse(w, hinge, &p));
        if (om < 3) NEAR(p.torque.z / h, 4, 1e-9);
        assert_true(c.ledger.motor > 0);
    }
    OK(w, perp_joint_impulse(w, j, &p));
    NEAR(perp_v3_dot(p.force, up(s->dim)) / h, m * G, 1e-9); /* at speed: the weight alone */
    axis.motor_force = 10;                                   /* less than the weight: it sinks with (F - m g)/m */
    OK(w, perp_joint_set_axis(w, j, 0, &axis));
    double v = rate_of(w, j, 0);
    run(w, 10);
    NEAR(rate_of(w, j, 0), v + 10 * h * (10 / m - G), 1e-11);
    axis.motor_force = INFINITY; /* as strong as needed: there in one step, also backwards */
    axis.motor_speed = -7;
    OK(w, perp_joint_set_axis(w, j, 0, &axis));
    run(w, 1);
    NEAR(rate_of(w, j, 0), -7, 1e-11);
    perp_world_destroy(w);
}

/* The implicit spring-damper: (m + h c + h^2 k) v+ = m v - h k (x - rest) - h m g, step by step. */
static void test_spring_recurrence(void **state) {
    const setting *s = *state;
    const double h = 0.02, m = 2, k = 80, c = 3;
    perp_world *w = world_with(s, h);
    perp_joint_axis axis = plain();
    axis.stiffness = k;
    axis.damping = c;
    axis.rest = 0.1;
    perp_body_id b;
    perp_joint_id j = slider(w, m, axis, &b);
    double x = 0, v = 0;
    for (int i = 0; i < 300; i++) {
        run(w, 1);
        v = (m * v - h * k * (x - 0.1) - h * m * G) / (m + h * c + h * h * k);
        x += h * v;
        NEAR(rate_of(w, j, 0), v, 1e-11);
        NEAR(coord_of(w, j, 0), x, 1e-11);
    }
    axis.stiffness = 1e12; /* stiff beyond any explicit method: goes to rest at once */
    axis.damping = 0;
    OK(w, perp_joint_set_axis(w, j, 0, &axis));
    run(w, 3);
    NEAR(coord_of(w, j, 0), 0.1, 1e-9);
    perp_world_destroy(w);
}

/* Its path tends to the closed form of the damped oscillator with first order. */
static void test_spring_order(void **state) {
    const setting *s = *state;
    const double I = 1.5, k = 60, c = 2, T = 1;
    double error[3];
    for (int i = 0; i < 3; i++) {
        perp_world *w = world_with(s, 0.002 / (1 << i));
        perp_joint_axis axis = plain();
        axis.stiffness = k;
        axis.damping = c;
        axis.rest = 0.5;
        perp_body_id b;
        perp_joint_id j = wheel(w, I, axis, &b);
        run(w, 500 << i);
        double d = c / (2 * I), om = sqrt(k / I - d * d);
        double exact = 0.5 - 0.5 * exp(-d * T) * (cos(om * T) + d / om * sin(om * T));
        error[i] = fabs(coord_of(w, j, 0) - exact);
        perp_world_destroy(w);
    }
    BELOW(error[0], 0.02);
    NEAR(error[0] / error[1], 2, 0.15);
    NEAR(error[1] / error[2], 2, 0.08);
}

/* Dry friction: holds a load below its limit for good, lets one above it go with the difference, and stops what
 * slides. */
static void test_friction(void **state) {
    const setting *s = *state;
    const double h = 0.01, m = 2;
    for (int strong = 0; strong < 2; strong++) {
        perp_world *w = world_with(s, h);
        perp_joint_axis axis = plain();
        axis.friction = strong ? 1.01 * m * G : 0.99 * m * G;
        perp_body_id b;
        perp_joint_id j = slider(w, m, axis, &b);
        perp_certificate c = run(w, 500);
        NEAR(rate_of(w, j, 0), strong ? 0 : -0.01 * G * 5, 1e-10);
        if (strong) NEAR(coord_of(w, j, 0), 0, 1e-12);
        if (!strong) assert_true(c.ledger.joint_loss < 0);
        perp_world_destroy(w);
    }
    perp_world *w = world_with(s, h);
    perp_joint_axis axis = plain();
    axis.friction = 3;
    perp_body_id b;
    perp_joint_id j = wheel(w, 2, axis, &b);
    OK(w, perp_body_set_velocity(w, b, zero, perp_v3(0, 0, 3)));
    run(w, 100);
    NEAR(rate_of(w, j, 0), 3 - 1.5, 1e-11);
    run(w, 200);
    NEAR(rate_of(w, j, 0), 0, 1e-12); /* stops, and does not turn back */
    NEAR(coord_of(w, j, 0), 3, 0.02); /* w^2/(2 alpha) */
    perp_world_destroy(w);
}

/* Angles count turns, both ways, and between two bodies that both turn. */
static void test_turns(void **state) {
    const setting *s = *state;
    perp_world_def d = perp_world_def_default(s->dim);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.h = 0.01;
    d.form = s->form;
    d.gravity_W = zero;
    perp_world *w = world_of(&d);
    perp_body_id a, b, c;
    perp_joint_id j = wheel(w, 1, plain(), &a), back = wheel(w, 1, plain(), &b);
    OK(w, perp_body_set_velocity(w, a, zero, perp_v3(0, 0, 10)));
    OK(w, perp_body_set_velocity(w, b, zero, perp_v3(0, 0, -10)));
    c = add_mass(w, 1, 1, perp_pose_2d(0, 0, 2.5));
    OK(w, perp_body_set_velocity(w, c, zero, perp_v3(0, 0, -20)));
    perp_joint_def jd = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    jd.a = a;
    jd.b = c;
    perp_joint_id rel = add_joint(w, &jd);
    run(w, 1000);
    NEAR(coord_of(w, j, 0), 100, 1e-9); /* 16 turns */
    NEAR(coord_of(w, back, 0), -100, 1e-9);
    NEAR(coord_of(w, rel, 0), 2.5 - 300, 1e-9);
    NEAR(rate_of(w, rel, 0), -30, 1e-11);
    perp_world_destroy(w);
}

/* Every kind keeps what it locks, to second order in h, and leaves free what it does not. */
static void test_kinds(void **state) {
    const setting *s = *state;
    for (int kind = 0; kind < PERP_JOINT_COUPLING; kind++) {
        int ncoord = perp_joint_ncoord((perp_joint_kind)kind, s->dim);
        if (ncoord < 0) continue;
        double worst[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            perp_world *w = world_with(s, 2e-3 / (1 << k));
            perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
            if (s->dim == 3) d.I_B = perp_m3_diag(0.2, 0.3, 0.4);
            perp_body_id a = add_def(w, &d);
            d.X_WB = s->dim == 2 ? perp_pose_2d(1, 0.2, 0.4)
                                 : (perp_pose){{1, 0.2, -0.3}, perp_q_axis_angle(perp_v3(1, 1, 0), 0.4)};
            d.v_W = perp_v3(0.3, -0.5, 0);
            d.w_W = s->dim == 2 ? perp_v3(0, 0, 2) : perp_v3(1, -1, 2);
            perp_body_id b = add_def(w, &d);
            perp_joint_def j = perp_joint_def_default((perp_joint_kind)kind);
            j.a = a;
            j.b = b;
            perp_pose X_WJ = s->dim == 2 ? perp_pose_2d(0.5, 0.1, 0.7)
                                         : (perp_pose){{0.5, 0.1, 0}, perp_q_axis_angle(perp_v3(0, 1, 0.3), 0.7)};
            j.X_AJ = X_WJ;
            j.X_BJ = perp_pose_mul(perp_pose_inverse(d.X_WB), X_WJ);
            j.X_AJ.q = perp_q_unit(j.X_AJ.q);
            j.X_BJ.q = perp_q_unit(j.X_BJ.q);
            if (s->dim == 2) j.X_BJ.q.x = j.X_BJ.q.y = 0;
            perp_joint_id id = add_joint(w, &j);
            double x[PERP_JOINT_MAX_COORD], rate[PERP_JOINT_MAX_COORD], travel[PERP_JOINT_MAX_COORD] = {0};
            for (int i = 0; i < 200 << k; i++) {
                perp_certificate c = run(w, 1);
                double position, angle;
                OK(w, perp_joint_error(w, id, &position, &angle));
                worst[k] = fmax(worst[k], fmax(position, angle));
                NEAR(c.joint_error, perp_world_joint_error(w), 0);
                BELOW(perp_world_joint_error(w), fmax(position, angle) + 1e-15);
                OK(w, perp_joint_read(w, id, x, rate));
                for (int n = 0; n < ncoord; n++) travel[n] = fmax(travel[n], fabs(x[n]));
            }
            for (int n = 0; n < ncoord; n++) assert_true(travel[n] > 1e-2);
            double kin;
            perp_world_energy(w, &kin, NULL, NULL);
            assert_true(kin > 0.01);
            perp_world_destroy(w);
        }
        BELOW(worst[0], 1e-4);
        if (worst[0] > 1e-9) BELOW(worst[1], 0.3 * worst[0]); /* second order */
    }
}

/* Coordinates and their rates belong together: x(t + h) - x(t) is h times the rate, to second order. */
static void test_rates(void **state) {
    const setting *s = *state;
    if (s->dim == 2) return;
    perp_world *w = world_with(s, 1e-4);
    perp_body_id b = add_mass(w, 1, 0.3, perp_pose_identity());
    OK(w, perp_body_set_velocity(w, b, zero, perp_v3(0.5, 0, 1)));
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_UNIVERSAL);
    j.b = b;
    perp_joint_id id = add_joint(w, &j);
    for (int i = 0; i < 100; i++) {
        double x0[3], x1[3], r1[3];
        OK(w, perp_joint_read(w, id, x0, NULL));
        run(w, 1);
        OK(w, perp_joint_read(w, id, x1, r1));
        for (int k = 0; k < 2; k++) NEAR((x1[k] - x0[k]) / 1e-4, r1[k], 1e-3);
    }
    perp_world_destroy(w);
}

/* The same joint twice, or a hinge and the ball joint it implies: the motion is that of one, the impulses share the
 * load. */
static void test_duplicates(void **state) {
    const setting *s = *state;
    perp_world *w[2];
    perp_body_id a[2], b[2];
    perp_joint_id j[2][2];
    for (int k = 0; k < 2; k++) {
        w[k] = world_with(s, 1e-3);
        a[k] = add_mass(w[k], 1, 0.1, perp_pose_at(0.5, 0, 0));
        b[k] = add_mass(w[k], 2, 0.2, perp_pose_at(1.5, 0, 0));
        for (int copy = 0; copy <= k; copy++) {
            perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
            if (s->dim == 3)
                d.X_AJ.q = d.X_BJ.q = perp_q_axis_angle(perp_v3(1, 0, 0), PI / 2); /* turn about -y: it swings in x-z */
            d.b = a[k];
            d.X_BJ.p.x = -0.5;
            j[k][copy] = add_joint(w[k], &d);
            d.a = a[k];
            d.b = b[k];
            d.X_AJ.p.x = 0.5;
            add_joint(w[k], &d);
            if (copy == 1 && s->dim == 3) {
                d.kind = PERP_JOINT_SPHERICAL;
                add_joint(w[k], &d);
            }
        }
    }
    for (int i = 0; i < 400; i++) {
        run(w[0], 1);
        run(w[1], 1);
        NEAR(perp_v3_norm(perp_v3_sub(velocity_of(w[0], b[0]), velocity_of(w[1], b[1]))), 0, 1e-9);
        NEAR(perp_v3_norm(perp_v3_sub(spin_of(w[0], a[0]), spin_of(w[1], a[1]))), 0, 1e-9);
        perp_wrench one, first, second;
        OK(w[0], perp_joint_impulse(w[0], j[0][0], &one));
        OK(w[1], perp_joint_impulse(w[1], j[1][0], &first));
        OK(w[1], perp_joint_impulse(w[1], j[1][1], &second));
        NEAR(perp_v3_norm(perp_v3_sub(one.force, perp_v3_add(first.force, second.force))), 0, 1e-9);
    }
    assert_true(perp_v3_norm(velocity_of(w[0], b[0])) > 1);
    perp_world_destroy(w[0]);
    perp_world_destroy(w[1]);
}

/* Four bars, the first one the ground, side 1 each but for the second, 0.8: a trapeze that swings. In 3D its parallel
 * hinges are redundant three times over. */
static perp_world *four_bar(const setting *s, perp_body_id body[3], perp_joint_id joint[4]) {
    perp_world_def d = perp_world_def_default(s->dim);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.gravity_W = perp_v3(0, -G, 0);
    d.form = s->form;
    perp_world *w = world_of(&d);
    const double c = 0.1, sn = sqrt(1 - 0.01); /* the legs lean inwards by 0.1 */
    const perp_vec3 corner[4] = {{0, 0, 0}, {c, -sn, 0}, {1 - c, -sn, 0}, {1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        perp_vec3 bar = perp_v3_sub(corner[i + 1], corner[i]);
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.X_WB = perp_pose_2d(0.5 * (corner[i].x + corner[i + 1].x), 0.5 * (corner[i].y + corner[i + 1].y),
                              atan2(bar.y, bar.x));
        b.I_B = perp_m3_diag(0.1, 0.1, 1.0 / 12);
        body[i] = add_def(w, &b);
    }
    OK(w, perp_body_set_force(w, body[1], perp_v3(5, 0, 0), zero));
    for (int i = 0; i < 4; i++) {
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        int a = i - 1, b = i < 3 ? i : 2;
        if (i == 3) a = -1;
        j.b = body[b];
        j.X_AJ.p = corner[i];
        j.X_BJ.p = perp_pose_unapply(pose_of(w, body[b]), corner[i]);
        j.X_BJ.p.z = 0;
        if (a >= 0) {
            j.a = body[a];
            j.X_AJ.p = perp_pose_unapply(pose_of(w, body[a]), corner[i]);
            j.X_AJ.p.z = 0;
        }
        joint[i] = add_joint(w, &j);
    }
    return w;
}

static void test_four_bar(void **state) {
    const setting *s = *state;
    setting flat = {2, PERP_FORM_LCP};
    perp_body_id b[3], ref[3];
    perp_joint_id j[4], ref_j[4];
    perp_world *w = four_bar(s, b, j), *r = four_bar(&flat, ref, ref_j);
    double travel = 0;
    for (int i = 0; i < 1000; i++) {
        run(w, 1);
        run(r, 1);
        for (int k = 0; k < 3; k++) {
            perp_vec3 v = velocity_of(w, b[k]), om = spin_of(w, b[k]);
            NEAR(perp_v3_norm(perp_v3_sub(v, velocity_of(r, ref[k]))), 0, 1e-9);
            NEAR(perp_v3_norm(perp_v3_sub(om, spin_of(r, ref[k]))), 0, 1e-9);
        }
        travel = fmax(travel, fabs(coord_of(w, j[0], 0)));
        BELOW(perp_world_joint_error(w), 1e-5);
    }
    assert_true(travel > 0.2);
    perp_world_destroy(w);
    perp_world_destroy(r);
}

/* A pivot that is driven at a constant speed: the pendulum swings as from a resting one, seen from the moving frame. */
static void test_kinematic_pivot(void **state) {
    const setting *s = *state;
    perp_world *w[2];
    perp_body_id b[2];
    perp_joint_id j[2];
    const perp_vec3 V = {0.7, 0, 0};
    for (int k = 0; k < 2; k++) {
        w[k] = world_with(s, 1e-3);
        perp_body_def p = perp_body_def_default(PERP_BODY_KINEMATIC);
        if (k) p.v_W = V;
        perp_body_id pivot = add_def(w[k], &p);
        b[k] = add_mass(w[k], 1, 0.1, perp_pose_at(0.5, 0, 0));
        if (k) OK(w[k], perp_body_set_velocity(w[k], b[k], V, zero));
        perp_joint_def d = perp_joint_def_default(s->dim == 2 ? PERP_JOINT_REVOLUTE : PERP_JOINT_SPHERICAL);
        d.a = pivot;
        d.b = b[k];
        d.X_BJ.p.x = -0.5;
        j[k] = add_joint(w[k], &d);
    }
    double kinematic = 0;
    for (int i = 1; i <= 1000; i++) {
        run(w[0], 1);
        perp_certificate c = run(w[1], 1);
        kinematic += c.ledger.kinematic;
        perp_vec3 d = perp_v3_sub(pose_of(w[1], b[1]).p, pose_of(w[0], b[0]).p);
        NEAR(d.x, 0.7 * 1e-3 * i, 1e-9);
        NEAR(d.y, 0, 1e-9);
        NEAR(d.z, 0, 1e-9);
        perp_wrench p, q;
        OK(w[0], perp_joint_impulse(w[0], j[0], &p));
        OK(w[1], perp_joint_impulse(w[1], j[1], &q));
        NEAR(perp_v3_norm(perp_v3_sub(p.force, q.force)), 0, 1e-9);
    }
    /* seen from the ground the pivot does work: the momentum it gave times its speed */
    perp_vec3 p0, p1;
    perp_world_momentum(w[0], &p0, NULL);
    perp_world_momentum(w[1], &p1, NULL);
    NEAR(kinematic, 0.7 * (p1.x - 0.7), 1e-9);
    perp_world_destroy(w[0]);
    perp_world_destroy(w[1]);
}

/* Fixed to a turning table: taken along, at most second order away from it. */
static void test_kinematic_table(void **state) {
    const setting *s = *state;
    perp_world_def d = perp_world_def_default(s->dim);
    d.start = PERP_START_PLAIN; /* numbers of the step as printed */
    d.gravity_W = zero;
    d.form = s->form;
    d.h = 1e-3;
    perp_world *w = world_of(&d);
    perp_body_def t = perp_body_def_default(PERP_BODY_KINEMATIC);
    t.w_W = perp_v3(0, 0, 3);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_FIXED);
    j.a = add_def(w, &t);
    j.b = add_mass(w, 1, 0.1, perp_pose_at(1, 0, 0));
    j.X_AJ.p.x = 1;
    perp_joint_id id = add_joint(w, &j);
    run(w, 1000);
    perp_vec3 p = pose_of(w, j.b).p;
    NEAR(hypot(p.x - cos(3), p.y - sin(3)), 0, 1e-5);
    NEAR(spin_of(w, j.b).z, 3, 1e-9);
    perp_wrench q;
    OK(w, perp_joint_impulse(w, id, &q));
    NEAR(perp_v3_norm(q.force) / d.h, 9, 0.02); /* m w^2 r */
    perp_world_destroy(w);
}

/* Williams' Algorithm 1 keeps the joints to its tolerance, where without it they drift by O(h^2). */
static void test_correction(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        bool on = k % 2;
        perp_world_def d = perp_world_def_default(k < 2 ? 3 : 2);
        d.start = PERP_START_PLAIN; /* numbers of the step as printed */
        d.h = 5e-3;
        d.joint_correction = on;
        d.geometry = PERP_GEOMETRY_ONCE; /* else nothing is left to correct */
        d.form = k < 4 ? PERP_FORM_LCP : PERP_FORM_MLCP;
        scene s = k < 2 ? scene_hanging_rod(d) : scene_double_pendulum(d);
        double worst = 0, worst_rate = 0;
        for (int i = 0; i < 400; i++) {
            perp_certificate c = run(s.w, 1);
            worst = fmax(worst, c.joint_error);
            double p, a;
            OK(s.w, perp_joint_error(s.w, s.joint[0], &p, &a));
            NEAR(a, 0, 0);
            /* velocity of the point of the first body at the pivot */
            perp_pose X = pose_of(s.w, s.body[0]);
            perp_vec3 arm = perp_q_rotate(X.q, k < 2 ? perp_v3(0, 0, 0.25) : perp_v3(-0.5, 0, 0));
            worst_rate = fmax(worst_rate, perp_v3_norm(perp_v3_add(velocity_of(s.w, s.body[0]),
                                                                   perp_v3_cross(spin_of(s.w, s.body[0]), arm))));
        }
        if (on) {
            BELOW(worst, 1e-10);
            BELOW(worst_rate, 1e-10);
        } else {
            assert_true(worst > 1e-7);
        }
        scene_end(&s);
    }
}

/* Looser tolerances are taken for what they are. */
static void test_correction_tolerance(void **state) {
    (void)state;
    double worst[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.start = PERP_START_PLAIN; /* numbers of the step as printed */
        d.h = 5e-3;
        d.joint_correction = true;
        d.correction_position = k ? 1e-6 : 1e-12;
        d.geometry = PERP_GEOMETRY_ONCE;
        scene s = scene_double_pendulum(d);
        for (int i = 0; i < 400; i++) worst[k] = fmax(worst[k], run(s.w, 1).joint_error);
        scene_end(&s);
    }
    BELOW(worst[0], 1e-12);
    BELOW(worst[1], 1e-6);
    assert_true(worst[1] > worst[0]);
}

/* Impulses at rest: weight times h on B; on the ground as B the reverse; torques at the joint's point. */
static void test_impulse(void **state) {
    const setting *s = *state;
    perp_world *w = world_with(s, 0.01);
    perp_body_def g = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id ground = add_def(w, &g), b = add_mass(w, 3, 1, perp_pose_at(2, 0, 0)),
                 c = add_mass(w, 3, 1, perp_pose_at(2, 0, 0));
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_FIXED);
    j.b = b;
    j.X_AJ.p.x = 1.5;
    j.X_BJ.p.x = -0.5; /* a cantilever: the joint is half a unit beside the weight */
    perp_joint_id on_body = add_joint(w, &j);
    j.a = c;
    j.b = ground;
    j.X_AJ.p.x = -0.5;
    j.X_BJ.p.x = 1.5;
    perp_joint_id on_ground = add_joint(w, &j);
    run(w, 5);
    perp_wrench p;
    perp_vec3 e = up(s->dim), axis = s->dim == 2 ? perp_v3(0, 0, 1) : perp_v3(0, -1, 0); /* x cross up */
    OK(w, perp_joint_impulse(w, on_body, &p));
    NEAR(perp_v3_dot(p.force, e), 3 * G * 0.01, 1e-12);
    NEAR(perp_v3_norm(p.force), 3 * G * 0.01, 1e-12);
    NEAR(perp_v3_dot(p.torque, axis), 0.5 * 3 * G * 0.01, 1e-12); /* holds the moment of the weight about the joint */
    OK(w, perp_joint_impulse(w, on_ground, &p));
    NEAR(perp_v3_dot(p.force, e), -3 * G * 0.01, 1e-12);
    NEAR(perp_v3_dot(p.torque, axis), -0.5 * 3 * G * 0.01, 1e-12);
    perp_world_destroy(w);
}

static void test_error_readout(void **state) {
    const setting *s = *state;
    perp_world *w = world_with(s, 0.01);
    perp_body_id b = add_mass(w, 1, 1, perp_pose_identity());
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_FIXED);
    j.b = b;
    j.name = "weld";
    perp_joint_id id = add_joint(w, &j);
    OK(w, perp_body_set_pose(w, b, perp_pose_2d(0.03, -0.04, 0.2)));
    double p, a;
    OK(w, perp_joint_error(w, id, &p, &a));
    NEAR(p, 0.05, 1e-15);
    NEAR(a, 0.2, 1e-15);
    OK(w, perp_joint_error(w, id, NULL, NULL));
    NEAR(perp_world_joint_error(w), 0.2, 1e-15); /* the largest single one */
    run(w, 2);                                   /* stabilisation brings it back */
    BELOW(perp_world_joint_error(w), 1e-9);
    assert_int_equal(perp_joint_ncoord(PERP_JOINT_FIXED, s->dim), 0);
    OK(w, perp_joint_read(w, id, NULL, NULL));
    OK(w, perp_joint_remove(w, id));
    assert_int_equal(perp_joint_remove(w, id), PERP_E_ARG);
    NEAR(perp_world_joint_error(w), 0, 0);
    double v0 = perp_v3_dot(velocity_of(w, b), up(s->dim));
    run(w, 10);
    NEAR(perp_v3_dot(velocity_of(w, b), up(s->dim)), v0 - 0.1 * G, 1e-12); /* it falls */
    perp_world_destroy(w);
}

/* Joined bodies pass through each other unless the joint says that they collide. */
static void test_collide(void **state) {
    const setting *s = *state;
    for (int collide = 0; collide < 2; collide++) {
        perp_world_def d = perp_world_def_default(s->dim);
        d.start = PERP_START_PLAIN; /* numbers of the step as printed */
        d.gravity_W = zero;
        d.form = s->form;
        d.h = 0.01;
        perp_world *w = world_of(&d);
        perp_body_id a = add_mass(w, 1, 1, perp_pose_identity()), b = add_mass(w, 1, 1, perp_pose_at(1.5, 0, 0));
        add_shape(w, a, perp_shape_sphere(0.5));
        add_shape(w, b, perp_shape_sphere(0.5));
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        j.a = a;
        j.b = b;
        j.X_AJ.p.x = 1.5;
        if (s->dim == 3) j.X_AJ.q = j.X_BJ.q = perp_q_axis_angle(perp_v3(0, 1, 0), PI / 2);
        j.collide = collide;
        add_joint(w, &j);
        OK(w, perp_body_set_velocity(w, b, perp_v3(-1, 0, 0), zero));
        run(w, 200);
        double apart = pose_of(w, b).p.x - pose_of(w, a).p.x;
        NEAR(apart, collide ? 1 : -0.5, 1e-9);
        NEAR(perp_world_overlap(w), 0, 1e-9); /* of a pair that may overlap nothing is said */
        perp_world_destroy(w);
    }
}

/* A particle on a ball joint: a mathematical pendulum of length 1, whose small swings take 2 pi sqrt(1/g). */
static void test_particle_pendulum(void **state) {
    const setting *s = *state;
    perp_world *w = world_with(s, 1e-3);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.particle = true;
    d.X_WB = at_height(s->dim, 0.02, -sqrt(1 - 0.02 * 0.02));
    perp_body_id b = add_def(w, &d);
    perp_body_def rod = perp_body_def_default(PERP_BODY_DYNAMIC); /* light, its end carries the particle */
    rod.mass = 1e-6;
    rod.I_B = perp_m3_diag(1e-7, 1e-7, 1e-7);
    perp_vec3 along = d.X_WB.p;
    rod.X_WB.p = perp_v3_scale(0.5, along);
    perp_body_id r = add_def(w, &rod);
    perp_joint_def j = perp_joint_def_default(s->dim == 2 ? PERP_JOINT_REVOLUTE : PERP_JOINT_SPHERICAL);
    j.b = r;
    j.X_BJ.p = perp_v3_scale(-0.5, along);
    add_joint(w, &j);
    j.a = r;
    j.b = b;
    j.X_AJ.p = perp_v3_scale(0.5, along);
    j.X_BJ.p = zero;
    add_joint(w, &j);
    double T = 2 * PI / sqrt(G), last = 0.02, crossed = 0;
    int n = 0;
    while (n < 5) {
        run(w, 1);
        double x = pose_of(w, b).p.x;
        if ((x < 0) != (last < 0)) {
            crossed = perp_world_time(w) - 1e-3 * x / (x - last);
            n++;
        }
        last = x;
    }
    NEAR(crossed, T / 4 + 2 * T, 2e-3);
    BELOW(perp_world_joint_error(w), 1e-6);
    perp_world_destroy(w);
}

#define IN_ALL(f)                                                                           \
    {#f " 2D", f, NULL, NULL, &settings[0]}, {#f " 2D mixed", f, NULL, NULL, &settings[1]}, \
        {#f " 3D", f, NULL, NULL, &settings[2]}, {                                          \
#f " 3D mixed", f, NULL, NULL, &settings[3]                                         \
    }

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_ALL(test_limits),
        IN_ALL(test_limit_as_lock),
        IN_ALL(test_motor),
        IN_ALL(test_spring_recurrence),
        IN_ALL(test_spring_order),
        IN_ALL(test_friction),
        IN_ALL(test_turns),
        IN_ALL(test_kinds),
        IN_ALL(test_rates),
        IN_ALL(test_duplicates),
        IN_ALL(test_four_bar),
        IN_ALL(test_kinematic_pivot),
        IN_ALL(test_kinematic_table),
        IN_ALL(test_impulse),
        IN_ALL(test_error_readout),
        IN_ALL(test_collide),
        IN_ALL(test_particle_pendulum),
        cmocka_unit_test(test_correction),
        cmocka_unit_test(test_correction_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
