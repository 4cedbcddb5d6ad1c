/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_sensor.c - sensors against closed forms: bodies at rest, in free fall, on a pendulum; arms and stacks that carry their weight; impacts by
 * their momentum. */
#include "unit/world_help.h"

#define G 9.81

static perp_site_id site_on(perp_world *w, perp_body_id b, perp_pose X) {
    perp_site_def d = perp_site_def_default();
    perp_site_id id;
    d.body = b;
    d.X_BS = X;
    OK(w, perp_site_add(w, &d, &id));
    return id;
}

static perp_sensor_id sensor(perp_world *w, const perp_sensor_def *d) {
    perp_sensor_id id;
    OK(w, perp_sensor_add(w, d, &id));
    return id;
}

static perp_sensor_id at_site(perp_world *w, perp_sensor_kind kind, perp_site_id site) {
    perp_sensor_def d = perp_sensor_def_default(kind);
    d.site = site;
    return sensor(w, &d);
}

static perp_sensor_id on_joint(perp_world *w, perp_sensor_kind kind, perp_joint_id j) {
    perp_sensor_def d = perp_sensor_def_default(kind);
    d.joint = j;
    return sensor(w, &d);
}

static perp_sensor_id between(perp_world *w, perp_sensor_kind kind, perp_body_id a, perp_body_id b, perp_site_id site) {
    perp_sensor_def d = perp_sensor_def_default(kind);
    d.a = a;
    d.b = b;
    d.site = site;
    return sensor(w, &d);
}

static perp_vec3 read3(const perp_world *w, perp_sensor_id s) {
    double x[PERP_SENSOR_MAX_SIZE];
    OK(NULL, perp_sensor_read(w, s, x));
    return perp_v3(x[0], x[1], x[2]);
}

static double read1(const perp_world *w, perp_sensor_id s) {
    double x[PERP_SENSOR_MAX_SIZE];
    OK(NULL, perp_sensor_read(w, s, x));
    return x[0];
}

#define NEAR3(v, e, tolerance)           \
    do {                                 \
        perp_vec3 v3_ = (v), e3_ = (e);  \
        NEAR(v3_.x, e3_.x, (tolerance)); \
        NEAR(v3_.y, e3_.y, (tolerance)); \
        NEAR(v3_.z, e3_.z, (tolerance)); \
    } while (0)

/* A box lies on the floor: the accelerometer reads g upwards in axes of its site, the contacts carry the weight. */
static void test_rest(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def wd = perp_world_def_default(dim);
        perp_world *w = world_of(&wd);
        add_floor(w);
        perp_body_id box = add_mass(w, 2, 1, at_height(dim, 0.3, 0.5));
        add_shape(w, box, perp_shape_box(0.5, 0.5, 0.5));
        perp_quat turn = perp_q_axis_angle(dim == 2 ? perp_v3(0, 0, 1) : perp_v3_unit(perp_v3(1, 2, 3)), 0.7);
        perp_site_id site = site_on(w, box, (perp_pose){perp_v3(0.1, 0.2, 0), turn});
        perp_sensor_id a = at_site(w, PERP_SENSOR_ACCELEROMETER, site), g = at_site(w, PERP_SENSOR_GYROSCOPE, site);
        perp_sensor_id F = between(w, PERP_SENSOR_CONTACT_FORCE, (perp_body_id){0}, box, (perp_site_id){0}),
                       T = between(w, PERP_SENSOR_CONTACT_TORQUE, (perp_body_id){0}, box, (perp_site_id){0});
        perp_sensor_id Fs = between(w, PERP_SENSOR_CONTACT_FORCE, (perp_body_id){0}, box, site);
        NEAR3(read3(w, a), perp_v3(0, 0, 0), 0); /* before the first step */
        NEAR3(read3(w, F), perp_v3(0, 0, 0), 0);
        run(w, 50);
        perp_vec3 here = perp_q_rotate(perp_q_conj(turn), up(dim));
        NEAR3(read3(w, a), perp_v3_scale(G, here), 1e-8);
        NEAR3(read3(w, g), perp_v3(0, 0, 0), 1e-9);
        NEAR3(read3(w, F), perp_v3_scale(2 * G, up(dim)), 1e-7);
        NEAR3(read3(w, Fs), perp_v3_scale(2 * G, here), 1e-7);
        NEAR3(read3(w, T), perp_v3(0, 0, 0), 1e-7);
        perp_world_destroy(w);
    }
}

/* In free fall, spinning about a principal axis through the centre, an accelerometer off the axis reads w^2 r inwards. */
static void test_fall(void **state) {
    (void)state;
    perp_world_def wd = perp_world_def_default(3);
    wd.h = 1e-4;
    perp_world *w = world_of(&wd);
    perp_body_id b = add_mass(w, 2, 1, perp_pose_identity());
    OK(w, perp_body_set_velocity(w, b, perp_v3(1, 2, 3), perp_v3(0, 0, 5)));
    perp_sensor_id centre = at_site(w, PERP_SENSOR_ACCELEROMETER, site_on(w, b, perp_pose_identity())),
                   off = at_site(w, PERP_SENSOR_ACCELEROMETER, site_on(w, b, perp_pose_at(0.2, 0, 0))),
                   gyro = at_site(w, PERP_SENSOR_GYROSCOPE, site_on(w, b, perp_pose_at(0.2, 0, 0)));
    run(w, 100);
    NEAR3(read3(w, centre), perp_v3(0, 0, 0), 1e-10);
    NEAR3(read3(w, gyro), perp_v3(0, 0, 5), 1e-12);
    /* the mean over a step in axes of its end: half a step of turn, and its square */
    NEAR3(read3(w, off), perp_v3(-25 * 0.2, 25 * 0.2 * 5 * wd.h / 2, 0), 25 * 0.2 * (5 * wd.h) * (5 * wd.h));
    perp_world_destroy(w);
}

typedef struct pendulum {
    perp_world *w;
    perp_joint_id hinge;
    perp_sensor_id a, q, v, F;
} pendulum;

enum { MASS = 3 };
#define LENGTH  0.8
#define INERTIA 0.2

/* Hangs on the world by a hinge about y; its angle is 0 where it hangs down. */
static pendulum make_pendulum(double h, double angle) {
    perp_world_def wd = perp_world_def_default(3);
    wd.h = h;
    pendulum p = {.w = world_of(&wd)};
    perp_quat about_y = perp_q_axis_angle(perp_v3(1, 0, 0), -PI / 2); /* z of the joint becomes y */
    perp_quat q = perp_q_axis_angle(perp_v3(0, 1, 0), angle);
    perp_body_id b = add_mass(p.w, MASS, INERTIA, (perp_pose){perp_q_rotate(q, perp_v3(0, 0, -LENGTH)), q});
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = b;
    j.X_AJ = (perp_pose){perp_v3(0, 0, 0), about_y};
    j.X_BJ = (perp_pose){perp_v3(0, 0, LENGTH), about_y};
    p.hinge = add_joint(p.w, &j);
    perp_site_id site = site_on(p.w, b, perp_pose_identity());
    p.a = at_site(p.w, PERP_SENSOR_ACCELEROMETER, site);
    p.q = on_joint(p.w, PERP_SENSOR_JOINT_POSITION, p.hinge);
    p.v = on_joint(p.w, PERP_SENSOR_JOINT_VELOCITY, p.hinge);
    p.F = between(p.w, PERP_SENSOR_FORCE, (perp_body_id){0}, b, site);
    return p;
}

/* Largest error of the accelerometer over half a second. In axes of the bob: z along the rod to the hinge, x forwards. */
static double pendulum_error(double h) {
    pendulum p = make_pendulum(h, 1.0);
    double worst = 0, alpha_of = MASS * G * LENGTH / (INERTIA + MASS * LENGTH * LENGTH);
    for (int i = 0; i < (int)lround(0.5 / h); i++) {
        run(p.w, 1);
        double q, v;
        OK(p.w, perp_joint_read(p.w, p.hinge, &q, &v));
        NEAR(read1(p.w, p.q), q, 0);
        NEAR(read1(p.w, p.v), v, 0);
        /* the centre moves by -LENGTH d/dt of the rod's direction: forwards is -x */
        perp_vec3 e = perp_v3(LENGTH * alpha_of * sin(q) - G * sin(q), 0, LENGTH * v * v + G * cos(q));
        perp_vec3 a = read3(p.w, p.a);
        worst = fmax(worst, perp_v3_norm(perp_v3_sub(a, e)));
        /* what accelerates the bob beside gravity is the force of the hinge */
        NEAR3(perp_v3_scale(1.0 / MASS, read3(p.w, p.F)), a, 30 * h);
    }
    perp_world_destroy(p.w);
    return worst;
}

/* A mean over the step differs from the value at its end by half a step: first order. */
static void test_pendulum(void **state) {
    (void)state;
    double e[3];
    for (int i = 0; i < 3; i++) e[i] = pendulum_error(0.004 / (1 << i));
    BELOW(e[2], 0.05);
    for (int i = 0; i < 2; i++) NEAR(e[i] / e[i + 1], 2, 0.2);
}

/* An arm that a motor, a servo or a spring holds level: torque m g l on its hinge, force m g of the world on it. */
static void test_arm(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        pendulum p = make_pendulum(0.002, PI / 2);
        perp_joint_def j;
        OK(p.w, perp_joint_get(p.w, p.hinge, &j));
        perp_sensor_id along = on_joint(p.w, PERP_SENSOR_JOINT_FORCE, p.hinge);
        perp_site_id at_hinge = site_on(p.w, j.b, perp_pose_at(0, 0, LENGTH));
        perp_sensor_id F = between(p.w, PERP_SENSOR_FORCE, (perp_body_id){0}, j.b, (perp_site_id){0}),
                       T = between(p.w, PERP_SENSOR_TORQUE, (perp_body_id){0}, j.b, at_hinge),
                       M = between(p.w, PERP_SENSOR_TORQUE, (perp_body_id){0}, j.b, (perp_site_id){0});
        if (how == 0) {
            perp_joint_axis axis = {.motor = true, .motor_force = INFINITY};
            OK(p.w, perp_joint_set_axis(p.w, p.hinge, 0, &axis));
        } else {
            perp_actuator_def d = perp_actuator_def_default(how == 1 ? PERP_ACTUATOR_POSITION : PERP_ACTUATOR_FORCE);
            d.joint = p.hinge;
            d.kp = 1e9;
            d.kv = 1e6;
            d.gear = 2;
            double q;
            OK(p.w, perp_joint_read(p.w, p.hinge, &q, NULL));
            d.ctrl = how == 1 ? 2 * q : MASS * G * LENGTH / 2;
            OK(p.w, perp_actuator_add(p.w, &d, NULL));
        }
        run(p.w, how == 2 ? 1 : 200);
        /* a positive angle takes the arm from below to -x, against gravity */
        NEAR(read1(p.w, along), MASS * G * LENGTH, 1e-4);
        NEAR3(read3(p.w, F), perp_v3(0, 0, MASS * G), 1e-4);
        NEAR3(read3(p.w, T), perp_v3(0, MASS * G * LENGTH, 0), 1e-4);
        NEAR3(read3(p.w, M), perp_v3(0, 0, 0), 1e-4); /* of all that acts, about the centre of mass */
        perp_world_destroy(p.w);
    }
}

/* Three boxes on each other: each pushes the one above by all the weight there; the sum of the contacts of one is its own weight. */
/* A weight that hangs on a limit of its slider: the limit pushes against gravity, whichever way the coordinate points. */
static void test_limits(void **state) {
    (void)state;
    for (int upper = 0; upper < 2; upper++) {
        perp_world_def wd = perp_world_def_default(3);
        perp_world *w = world_of(&wd);
        perp_body_id b = add_mass(w, 2, 1, at_height(3, 0, 0));
        perp_joint_def d = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        d.b = b;
        d.X_AJ.q = d.X_BJ.q = perp_q_axis_angle(perp_v3(1, 0, 0), upper ? PI : 0); /* along -z or z */
        d.axis[0] = (perp_joint_axis){.limited = true, .lo = upper ? -1 : 0, .hi = upper ? 0 : 1};
        perp_joint_id j;
        OK(w, perp_joint_add(w, &d, &j));
        perp_sensor_id along = on_joint(w, PERP_SENSOR_JOINT_FORCE, j);
        run(w, 10);
        NEAR(read1(w, along), (upper ? -2 : 2) * G, 1e-9);
        perp_world_destroy(w);
    }
}

static void test_stack(void **state) {
    (void)state;
    const double m[3] = {5, 2, 3};
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def wd = perp_world_def_default(dim);
        perp_world *w = world_of(&wd);
        add_floor(w);
        perp_body_id b[3];
        for (int i = 0; i < 3; i++) {
            b[i] = add_mass(w, m[i], 1, at_height(dim, 0.1 * i, 0.5 + i));
            add_shape(w, b[i], perp_shape_box(0.5, 0.5, 0.5));
        }
        perp_sensor_id on[2], sum[3], back = between(w, PERP_SENSOR_FORCE, b[1], b[0], (perp_site_id){0});
        perp_sensor_id T = between(w, PERP_SENSOR_TORQUE, b[1], b[2], site_on(w, b[1], perp_pose_identity()));
        for (int i = 0; i < 2; i++) on[i] = between(w, PERP_SENSOR_FORCE, b[i], b[i + 1], (perp_site_id){0});
        for (int i = 0; i < 3; i++)
            sum[i] = between(w, PERP_SENSOR_CONTACT_FORCE, (perp_body_id){0}, b[i], (perp_site_id){0});
        perp_sensor_id some = between(w, PERP_SENSOR_CONTACT_FORCE, b[2], b[1], (perp_site_id){0});
        run(w, 50);
        NEAR3(read3(w, on[0]), perp_v3_scale((m[1] + m[2]) * G, up(dim)), 1e-6);
        NEAR3(read3(w, on[1]), perp_v3_scale(m[2] * G, up(dim)), 1e-6);
        NEAR3(read3(w, back), perp_v3_scale(-(m[1] + m[2]) * G, up(dim)), 1e-6);
        NEAR3(read3(w, some), perp_v3_scale(-m[2] * G, up(dim)), 1e-6);
        for (int i = 0; i < 3; i++) NEAR3(read3(w, sum[i]), perp_v3_scale(m[i] * G, up(dim)), 1e-6);
        /* the force on the top box acts at its centre, 0.1 beside that of the box below */
        NEAR3(read3(w, T), perp_v3_scale(0.1 * m[2] * G, dim == 2 ? perp_v3(0, 0, 1) : perp_v3(0, -1, 0)), 1e-6);
        perp_world_destroy(w);
    }
}

/* What contacts give a bouncing ball is its momentum, also in steps that impacts divide. */
static void test_momentum(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world_def wd = perp_world_def_default(3);
        wd.h = 0.01;
        wd.impacts = k ? PERP_IMPACTS_PLAIN : PERP_IMPACTS_SEQUENCE;
        perp_world *w = world_of(&wd);
        add_floor(w);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3, .restitution = 0.7}));
        perp_body_id b = add_mass(w, 2, 0.01, perp_pose_at(0, 0, 0.5));
        add_shape(w, b, perp_shape_sphere(0.1));
        OK(w, perp_body_set_velocity(w, b, perp_v3(1, 0, 0), perp_v3(0, 0, 0)));
        perp_sensor_id F = between(w, PERP_SENSOR_CONTACT_FORCE, (perp_body_id){0}, b, (perp_site_id){0});
        perp_vec3 got = {0, 0, 0}, v;
        const int n = 150;
        for (int i = 0; i < n; i++) {
            run(w, 1);
            got = perp_v3_axpy(got, wd.h, read3(w, F));
        }
        OK(w, perp_body_velocity(w, b, &v, NULL));
        perp_vec3 want = perp_v3(2 * (v.x - 1), 2 * v.y, 2 * (v.z + G * n * wd.h));
        NEAR3(got, want, 2 * G * wd.h); /* velocities that are shown are half a step ahead of impulses that act */
        BELOW(5, got.z);
        perp_world_destroy(w);
    }
}

static void test_refused(void **state) {
    (void)state;
    pendulum p = make_pendulum(0.002, 0.1);
    perp_joint_def j;
    OK(p.w, perp_joint_get(p.w, p.hinge, &j));
    perp_sensor_def d = {0};
    assert_int_equal(perp_sensor_add(p.w, &d, NULL), PERP_E_ARG); /* no cookie */
    d = perp_sensor_def_default(PERP_SENSOR_KIND_COUNT);
    assert_int_equal(perp_sensor_add(p.w, &d, NULL), PERP_E_ARG);
    d = perp_sensor_def_default(PERP_SENSOR_ACCELEROMETER);
    assert_int_equal(perp_sensor_add(p.w, &d, NULL), PERP_E_ARG); /* no site */
    d = perp_sensor_def_default(PERP_SENSOR_JOINT_FORCE);
    assert_int_equal(perp_sensor_add(p.w, &d, NULL), PERP_E_ARG); /* no joint */
    d.joint = p.hinge;
    d.coord = 1;
    assert_int_equal(perp_sensor_add(p.w, &d, NULL), PERP_E_ARG);
    d = perp_sensor_def_default(PERP_SENSOR_FORCE);
    assert_int_equal(perp_sensor_add(p.w, &d, NULL), PERP_E_ARG); /* no body */
    d.a = d.b = j.b;
    assert_int_equal(perp_sensor_add(p.w, &d, NULL), PERP_E_ARG); /* the same */
    assert_string_equal(perp_sensor_kind_name(PERP_SENSOR_GYROSCOPE), "gyroscope");
    assert_null(perp_sensor_kind_name(PERP_SENSOR_KIND_COUNT));
    assert_int_equal(perp_sensor_size(PERP_SENSOR_KIND_COUNT), 0);
    perp_world_destroy(p.w);
}

/* Sensors go with what they are on; clones, states and numbers without gaps keep the others. */
static void test_lifetime(void **state) {
    (void)state;
    pendulum p = make_pendulum(0.002, 0.1);
    perp_body_id gone = add_mass(p.w, 1, 1, perp_pose_at(5, 0, 0));
    perp_site_id place = site_on(p.w, gone, perp_pose_identity());
    (void)at_site(p.w, PERP_SENSOR_GYROSCOPE, place);
    perp_sensor_def d = perp_sensor_def_default(PERP_SENSOR_JOINT_FORCE);
    d.joint = p.hinge;
    d.name = "torque";
    perp_sensor_id last = sensor(p.w, &d);
    assert_int_equal(perp_world_sensors(p.w, NULL, 0), 6);
    assert_int_equal(perp_world_sensor_data(p.w, NULL, 0), 3 + 1 + 1 + 3 + 3 + 1);
    OK(p.w, perp_body_remove(p.w, gone));
    assert_int_equal(perp_world_sensors(p.w, NULL, 0), 5);
    run(p.w, 3);
    double x[9], y[9];
    assert_int_equal(perp_world_sensor_data(p.w, x, 9), 9);
    perp_world *c;
    OK(p.w, perp_world_clone(p.w, &c));
    assert_int_equal(perp_world_sensor_data(c, y, 9), 9);
    assert_memory_equal(x, y, sizeof x);
    OK(c, perp_world_renumber(c, NULL));
    assert_int_equal(perp_world_sensor_data(c, y, 9), 9);
    assert_memory_equal(x, y, sizeof x);
    perp_sensor_id found = perp_sensor_find(c, "torque");
    OK(c, perp_sensor_get(c, found, &d));
    assert_int_equal(d.kind, PERP_SENSOR_JOINT_FORCE);
    size_t size = perp_world_state_size(c);
    void *buf = malloc(size);
    assert_non_null(buf);
    OK(c, perp_world_get_state(c, buf, size));
    OK(c, perp_world_set_state(c, buf, size));
    free(buf);
    assert_int_equal(perp_world_sensor_data(c, y, 9), 9);
    NEAR(y[0], 0, 0); /* the last step is forgotten */
    NEAR(y[3], x[3], 0);
    perp_world_destroy(c);
    OK(p.w, perp_sensor_remove(p.w, last));
    assert_int_equal(perp_sensor_remove(p.w, last), PERP_E_ARG);
    assert_int_equal(perp_sensor_read(p.w, last, x), PERP_E_ARG);
    OK(p.w, perp_joint_remove(p.w, p.hinge));
    assert_int_equal(perp_world_sensors(p.w, NULL, 0), 2); /* accelerometer and force */
    perp_world_destroy(p.w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),    cmocka_unit_test(test_fall),     cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_arm),     cmocka_unit_test(test_stack),    cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_lifetime), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
