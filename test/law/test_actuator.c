/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_actuator.c - actuators and excluded pairs against closed forms
 * Method   One body on one joint: its steps are a recurrence of two numbers that is solved here by hand, clipping included. Each is run
 *          in 2D and 3D and in all forms of the step problem. */
#include "unit/world_help.h"

typedef struct setting {
    int dim;
    perp_form form;
} setting;
static setting settings[] = {{2, PERP_FORM_LCP},  {2, PERP_FORM_MLCP}, {2, PERP_FORM_CONE},
                             {3, PERP_FORM_MLCP}, {3, PERP_FORM_CONE}, {3, PERP_FORM_LCP}};

#define INERTIA 0.7

static perp_world *empty(const setting *s, double h) {
    perp_world_def d = perp_world_def_default(s->dim);
    d.start = PERP_START_PLAIN; /* the recurrence as printed */
    d.gravity_W = perp_v3(0, 0, 0);
    d.form = s->form;
    d.h = h;
    return world_of(&d);
}

/* A wheel on a hinge about z through its centre. */
static perp_joint_id wheel(perp_world *w) {
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = add_mass(w, 2, INERTIA, perp_pose_identity());
    return add_joint(w, &j);
}

static perp_actuator_id act(perp_world *w, const perp_actuator_def *d) {
    perp_actuator_id id;
    OK(w, perp_actuator_add(w, d, &id));
    return id;
}

static double clip(double x, double lo, double hi) { return fmin(fmax(x, lo), hi); }

/* One step: v+ with I (v+ - v) = h clip(f0 - k (x + h v+) - d v+, lo, hi). Unclipped it is linear; clipped the force is known. */
static void expected(double *x, double *v, double h, double f0, double k, double d, double lo, double hi) {
    double free = (INERTIA * *v + h * (f0 - k * *x)) / (INERTIA + h * (h * k + d));
    double f = f0 - k * (*x + h * free) - d * free;
    if (f != clip(f, lo, hi)) free = *v + h * clip(f, lo, hi) / INERTIA;
    *v = free;
    *x += h * free;
}

/* Far beyond h^2 k/I = 4, where an explicit controller explodes: the servo follows the recurrence, clipped at first. */
static void test_position(void **state) {
    const setting *s = *state;
    const double h = 0.01, kp = 2e5, kv = 30, gear = -3, F = 40;
    perp_world *w = empty(s, h);
    perp_joint_id j = wheel(w);
    perp_actuator_def d = perp_actuator_def_default(PERP_ACTUATOR_POSITION);
    d.joint = j;
    d.kp = kp;
    d.kv = kv;
    d.gear = gear;
    d.force_lo = -F;
    d.force_hi = F / 2;
    d.joint_hi = 100;
    d.ctrl = 9;
    d.ctrl_lo = -6;
    d.ctrl_hi = 6; /* so the target is l = 6, x = -2 */
    perp_actuator_id a = act(w, &d);
    /* the joint feels gear f: from -1.5 F to 3 F, and no more than 100 */
    double x = 0, v = 0, lo = gear * F / 2, hi = 100, worst = 0;
    bool clipped = false, loose = false;
    for (int i = 0; i < 300; i++) {
        double before = v, force;
        perp_certificate c = run(w, 1);
        expected(&x, &v, h, gear * kp * 6, gear * gear * kp, gear * gear * kv, lo, hi);
        worst = fmax(worst, fabs(coord_of(w, j, 0) - x));
        OK(w, perp_actuator_force(w, a, &force));
        NEAR(force, INERTIA * (v - before) / h, 2e-5); /* gear^2 kp times the rounding of angles, 1e-11 */
        clipped |= fabs(force - lo) < 1e-9;
        loose |= fabs(force) > 1e-6 && force > lo + 1 && force < hi - 1;
        NEAR(c.ledger.motor, 0.5 * INERTIA * (v * v - before * before), 1e-6);
        NEAR(c.ledger.remainder, 0, 1e-9);
        NEAR(c.law.joint, 0, 1e-8);
    }
    BELOW(worst, 1e-8);
    assert_true(clipped && loose);
    NEAR(x, -2, 1e-6);
    perp_world_destroy(w);
}

/* Against a constant load a velocity servo runs slower by load/kv; a force accelerates evenly. */
static void test_velocity_and_force(void **state) {
    const setting *s = *state;
    const double h = 0.005, kv = 4, load = 6, ctrl = 5, gear = 2;
    perp_world *w = empty(s, h);
    perp_joint_id servo = wheel(w), pushed = wheel(w);
    perp_actuator_def d = perp_actuator_def_default(PERP_ACTUATOR_VELOCITY);
    d.joint = servo;
    d.kv = kv;
    d.gear = gear;
    d.ctrl = ctrl;
    act(w, &d);
    perp_joint_def jd;
    OK(w, perp_joint_get(w, servo, &jd));
    OK(w, perp_body_set_force(w, jd.b, perp_v3(0, 0, 0), perp_v3(0, 0, -load)));
    d = perp_actuator_def_default(PERP_ACTUATOR_FORCE);
    d.joint = pushed;
    d.gear = gear;
    d.ctrl = 3;
    d.force_hi = 1.5;
    perp_actuator_id motor = act(w, &d);
    double work = 0, force;
    for (int i = 0; i < 400; i++) work += run(w, 1).ledger.applied;
    NEAR(rate_of(w, servo, 0), (ctrl - load / (gear * kv)) / gear, 1e-9); /* gear kv (ctrl - gear v) = load */
    NEAR(rate_of(w, pushed, 0), 2 * 1.5 * gear / INERTIA, 1e-9);
    OK(w, perp_actuator_force(w, motor, &force));
    NEAR(force, 1.5 * gear, 1e-12);
    double v = rate_of(w, pushed, 0), lost = 0, vs = 0, x = 0;
    for (int i = 0; i < 400; i++) { /* work of the load, at mean velocities */
        double before = vs;
        expected(&x, &vs, h, gear * kv * ctrl - load, 0, gear * gear * kv, -INFINITY, INFINITY);
        lost += h * load * 0.5 * (before + vs);
    }
    NEAR(work, 0.5 * INERTIA * v * v - lost, 1e-6);
    perp_world_destroy(w);
}

/* The same servo in a staggered world and with the second-order stepper settles at its target under gravity: kp (c - x) = m g. */
static void test_other_steppers(void **state) {
    (void)state;
    static const char *const stepper[] = {NULL, "second-order", "anitescu-potra"};
    for (int i = 0; i < 3; i++) {
        perp_world_def wd = perp_world_def_default(3);
        wd.h = 0.005;
        wd.stepper = stepper[i];
        perp_world *w = world_of(&wd);
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        j.b = add_mass(w, 3, 1, perp_pose_identity());
        perp_joint_id slide = add_joint(w, &j);
        perp_actuator_def d = perp_actuator_def_default(PERP_ACTUATOR_POSITION);
        d.joint = slide;
        d.kp = 1e5;
        d.kv = 3e3;
        d.ctrl = 0.4;
        perp_actuator_id a = act(w, &d);
        double force;
        run(w, 400);
        NEAR(coord_of(w, slide, 0), 0.4 - 3 * 9.81 / 1e5, 1e-9);
        OK(w, perp_actuator_force(w, a, &force));
        NEAR(force, 3 * 9.81, 1e-6);
        /* derivatives at the modes are refused by name, differences of steps do them */
        perp_tangent_def td = perp_tangent_def_default();
        perp_tangent *t;
        td.method = PERP_TANGENT_MODES;
        OK(w, perp_world_tangent(w, &td, &t));
        assert_int_equal(perp_tangent_step(t, w, NULL), PERP_E_FIT);
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

static void test_refused(void **state) {
    (void)state;
    perp_world *w = weightless(2, 0.01), *copy;
    perp_joint_id j = wheel(w), other = wheel(w);
    perp_actuator_def d = perp_actuator_def_default(PERP_ACTUATOR_POSITION);
    perp_actuator_id id;
    assert_int_equal(perp_actuator_add(w, &d, &id), PERP_E_ARG); /* no joint */
    d.joint = other;
    d.kp = 1;
    d.name = "second";
    OK(w, perp_actuator_add(w, &d, &id));
    d.joint = j;
    d.name = "first";
    OK(w, perp_actuator_add(w, &d, &id));
    assert_int_equal(perp_actuator_add(w, &d, NULL), PERP_E_ARG);
    assert_non_null(strstr(perp_world_why(w), "has an actuator already"));
    OK(w, perp_actuator_remove(w, id));
#define WRONG(field, value, words)                                      \
    do {                                                                \
        perp_actuator_def bad = d;                                      \
        bad.field = (value);                                            \
        assert_int_equal(perp_actuator_add(w, &bad, NULL), PERP_E_ARG); \
        assert_non_null(strstr(perp_world_why(w), words));              \
    } while (0)
    WRONG(coord, 1, "coordinate of the actuator is 1; its joint has 1");
    WRONG(gear, 0, "gear");
    WRONG(kp, -1, "kp is -1");
    WRONG(kv, NAN, "kv is");
    WRONG(ctrl, INFINITY, "ctrl is inf");
    WRONG(force_lo, INFINITY, "the range of force");
    WRONG(cookie, 0, "perp_actuator_def_default");
    OK(w, perp_actuator_add(w, &d, &id));
    double ctrl[2] = {3, 4}, read[2] = {0, 0};
    assert_int_equal(perp_world_set_ctrl(w, ctrl, 1), PERP_E_ARG);
    OK(w, perp_world_set_ctrl(w, ctrl, 2));
    assert_int_equal(perp_world_get_ctrl(w, read, 2), 2);
    assert_true(read[0] == 3 && read[1] == 4);
    ctrl[1] = NAN;
    assert_int_equal(perp_world_set_ctrl(w, ctrl, 2), PERP_E_ARG);
    assert_int_equal(perp_actuator_set_ctrl(w, id, NAN), PERP_E_ARG);
    /* copies go the same way, with slots without gaps too; an actuator goes with its joint */
    OK(w, perp_world_clone(w, &copy));
    perp_joint_def jd;
    OK(w, perp_joint_get(w, other, &jd));
    OK(w, perp_body_remove(copy, jd.b));
    OK(copy, perp_world_renumber(copy, NULL));
    assert_int_equal(perp_world_actuators(copy, NULL, 0), 1);
    assert_int_equal(perp_actuator_find(copy, "second").gen, 0);
    run(w, 20);
    run(copy, 20);
    perp_joint_id left;
    perp_world_joints(copy, &left, 1);
    NEAR(coord_of(copy, left, 0), coord_of(w, j, 0), 0);
    BELOW(0.01, fabs(coord_of(w, j, 0)));
    perp_world_destroy(copy);
    perp_world_destroy(w);
}

/* A box falls through one that it is excluded from, and stands on it when it is not. */
static void test_exclude(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int excluded = 0; excluded < 2; excluded++) {
            perp_world_def wd = perp_world_def_default(dim);
            wd.h = 0.005;
            perp_world *w = world_of(&wd);
            add_floor(w);
            perp_body_id low = add_mass(w, 1, 1, at_height(dim, 0, 0.5)),
                         high = add_mass(w, 1, 1, at_height(dim, 0, 1.6));
            add_shape(w, low, perp_shape_box(0.5, 0.5, 0.5));
            add_shape(w, high, perp_shape_box(0.5, 0.5, 0.5));
            OK(w, perp_world_exclude(w, low, high));
            OK(w, perp_world_exclude(w, high, low)); /* the same pair */
            assert_int_equal(perp_world_exclude_count(w), 1);
            assert_int_equal(perp_world_exclude(w, low, low), PERP_E_ARG);
            if (!excluded) OK(w, perp_world_include(w, high, low));
            if (!excluded) assert_int_equal(perp_world_include(w, high, low), PERP_E_ARG);
            run(w, 200);
            NEAR(height_of(w, high), excluded ? 0.5 : 1.5, 1e-6);
            NEAR(perp_world_overlap(w), 0, 1e-6); /* of pairs that may touch */
            OK(w, perp_body_remove(w, low));
            assert_int_equal(perp_world_exclude_count(w), 0);
            perp_world_destroy(w);
        }
}

/* Impulses of joint rows, by island. */
typedef struct seen {
    int guesses, acting;
    double p[2][16];
} seen;

static void look(const perp_captured *c, void *ctx) {
    seen *s = ctx;
    double *last = s->p[c->island];
    for (int i = 0; i < c->problem->njoint; i++) {
        if (c->guess) assert_true(c->guess->p_joint[i] == last[i]);
        s->guesses += c->guess != NULL;
        last[i] = c->solution->p_joint[i];
        s->acting += last[i] != 0 && c->problem->joint[i].kind == PERP_ROW_MOTOR;
    }
}

/* Solvers begin with the impulses of the step before, also for servos and rotors, whose rows come after those of all joints. */
static void test_remembered(void **state) {
    (void)state;
    perp_world_def def = perp_world_def_default(3);
    def.geometry = PERP_GEOMETRY_ONCE; /* one solution of each island in a step */
    def.form = PERP_FORM_CONE;
    perp_world *w = world_of(&def);
    for (int k = 0; k < 2; k++) {
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.b = add_mass(w, 2, INERTIA, perp_pose_identity());
        j.axis[0].limited = true;
        j.axis[0].lo = -1;
        j.axis[0].hi = 1;
        j.axis[0].armature = 0.1;
        perp_actuator_def d = perp_actuator_def_default(PERP_ACTUATOR_POSITION);
        d.joint = add_joint(w, &j);
        d.kp = 100;
        d.kv = 1;
        d.force_lo = -2;
        d.force_hi = 2;
        d.ctrl = k ? 0.5 : -0.5;
        act(w, &d);
    }
    seen s = {0};
    perp_world_set_capture(w, &(perp_capture){look, &s});
    for (int n = 0; n < 10; n++) OK(w, perp_world_step(w, NULL));
    assert_true(s.guesses > 50 && s.acting > 10);
    perp_world_destroy(w);
}

#define EACH(f)                                                                                 \
    cmocka_unit_test_prestate(f, &settings[0]), cmocka_unit_test_prestate(f, &settings[1]),     \
        cmocka_unit_test_prestate(f, &settings[2]), cmocka_unit_test_prestate(f, &settings[3]), \
        cmocka_unit_test_prestate(f, &settings[4]), cmocka_unit_test_prestate(f, &settings[5])

int main(void) {
    const struct CMUnitTest tests[] = {EACH(test_position),
                                       EACH(test_velocity_and_force),
                                       cmocka_unit_test(test_other_steppers),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_remembered),
                                       cmocka_unit_test(test_exclude)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
