/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_closure.c - the message names joints that contradict each other, and the world is unchanged
 * There is no solution if driven bodies move apart while joints connect them to one body, or if a chain is pulled beyond its length.
 * Redundant joints that agree, loops that were not assembled exactly, and mechanisms that are driven twice in the same way do not stop a
 * run. Motors without force limit that contradict each other yield. Steppers that fail in a jam name the contradicting contacts in the
 * same words. */
#include <string.h>

#include "oracle/random_problem.h"
#include "unit/world_help.h"

static int few(int n) { /* as long_run() in check.h */
#ifdef PERP_TEST_SHORT
    return n < 8 ? n : n / 8;
#else
    return n;
#endif
}

static const char *const steppers[] = {"stewart-trinkle", "anitescu-potra", "second-order", "viscoelastic",
                                       "implicit",        "quasistatic",    "planar-2.5d",  "nonconvex-lcp"};
enum { STEPPERS = sizeof steppers / sizeof *steppers, ANY_DIM = 6 };

static perp_world *new_world(int dim, const char *stepper) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = stepper;
    d.h = 0.01;
    d.gravity_W = perp_v3(0, -9.81, 0);
    return world_of(&d);
}

static perp_body_id body(perp_world *w, perp_body_kind kind, const char *name, perp_vec3 at, perp_vec3 v) {
    perp_body_def d = perp_body_def_default(kind);
    d.name = name;
    d.X_WB.p = at;
    d.v_W = v;
    if (kind == PERP_BODY_DYNAMIC) {
        d.mass = 1;
        d.I_B = perp_m3_diag(0.1, 0.1, 0.1);
    }
    return add_def(w, &d);
}

static void tie(perp_world *w, perp_joint_kind kind, const char *name, perp_body_id a, perp_vec3 at_a, perp_body_id b,
                perp_vec3 at_b) {
    perp_joint_def j = perp_joint_def_default(kind);
    j.name = name;
    j.a = a;
    j.b = b;
    j.X_AJ.p = at_a;
    j.X_BJ.p = at_b;
    add_joint(w, &j);
}

/* The step fails with a sentence that has all of these in it, and again; nothing has moved. */
static void told(perp_world *w, perp_body_id b, const char *one, const char *two, const char *driven) {
    for (int k = 0; k < 2; k++) {
        perp_pose before = pose_of(w, b);
        double t = perp_world_time(w);
        perp_certificate c;
        assert_int_equal(perp_world_step(w, &c), PERP_E_SOLVE);
        const char *why = perp_world_why(w),
                   *parts[] = {"no solution exists: ", one, two, "contradict each other", driven};
        for (int i = 0; i < 5; i++)
            if (!strstr(why, parts[i])) fail_msg("\"%s\" is not in: %s", parts[i], why);
        perp_pose after = pose_of(w, b);
        assert_memory_equal(&before, &after, sizeof before);
        assert_true(perp_world_time(w) == t);
    }
}

/* A beam on two driven bodies that part, or come closer, slowly or fast. */
static void torn_apart(void **state) {
    (void)state;
    static const double speed[] = {0.5, -0.5, 1e-3, 30};
    for (int k = 0; k < STEPPERS; k++)
        for (int dim = 2; dim <= (k < ANY_DIM ? 3 : 2); dim++)
            for (int i = 0; i < 4; i++) {
                perp_world *w = new_world(dim, steppers[k]);
                perp_body_id left = body(w, PERP_BODY_KINEMATIC, "left", perp_v3(-0.5, 0, 0), perp_v3(-speed[i], 0, 0)),
                             right = body(w, PERP_BODY_KINEMATIC, "right", perp_v3(0.5, 0, 0), perp_v3(speed[i], 0, 0)),
                             beam = body(w, PERP_BODY_DYNAMIC, "beam", perp_v3(0, 0, 0), perp_v3(0, 0, 0));
                perp_joint_kind kind = i % 2 ? PERP_JOINT_FIXED : PERP_JOINT_REVOLUTE;
                tie(w, kind, "west", left, perp_v3(0, 0, 0), beam, perp_v3(-0.5, 0, 0));
                tie(w, kind, "east", right, perp_v3(0, 0, 0), beam, perp_v3(0.5, 0, 0));
                told(w, beam, "joint 0 (west)", "joint 1 (east)", "; driven: left, right");
                perp_world_destroy(w);
            }
}

/* Two links between a fixed point and a driven one, 1.9 of their 2 m apart at the start. */
static void pulled_straight(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int dim = 2; dim <= 3; dim++) {
            perp_world *w = new_world(dim, steppers[k]);
            double drop = sqrt(1 - 0.95 * 0.95), turn = acos(0.95);
            perp_body_id hand = body(w, PERP_BODY_KINEMATIC, "hand", perp_v3(1.9, 0, 0), perp_v3(0.5, 0, 0)),
                         none = {0, 0}, link[2];
            for (int i = 0; i < 2; i++) {
                link[i] = body(w, PERP_BODY_DYNAMIC, NULL, perp_v3(0.475 + 0.95 * i, -drop / 2, 0), perp_v3(0, 0, 0));
                perp_pose X = {perp_v3(0.475 + 0.95 * i, -drop / 2, 0), perp_q_exp(perp_v3(0, 0, i ? turn : -turn))};
                OK(w, perp_body_set_pose(w, link[i], X));
            }
            tie(w, PERP_JOINT_REVOLUTE, "root", none, perp_v3(0, 0, 0), link[0], perp_v3(-0.5, 0, 0));
            tie(w, PERP_JOINT_REVOLUTE, "mid", link[0], perp_v3(0.5, 0, 0), link[1], perp_v3(-0.5, 0, 0));
            tie(w, PERP_JOINT_REVOLUTE, "tip", link[1], perp_v3(0.5, 0, 0), hand, perp_v3(0, 0, 0));
            for (int i = 0; i < 19; i++) OK(w, perp_world_step(w, NULL)); /* taut at 0.2 s */
            perp_certificate c;
            if (perp_world_step(w, &c) == PERP_OK) told(w, link[0], "(root)", "(tip)", "; driven: hand");
            perp_world_destroy(w);
        }
}

/* A rigid motion: turns about a point and goes on. */
typedef struct screw {
    perp_vec3 centre, v, w;
    perp_pose X;
} screw;

static void along_screw(double t, perp_pose *X, void *ctx) {
    const screw *s = ctx;
    perp_quat q = perp_q_exp(perp_v3_scale(t, s->w));
    perp_vec3 arm = perp_q_rotate(q, perp_v3_sub(s->X.p, s->centre));
    *X = (perp_pose){perp_v3_axpy(perp_v3_add(s->centre, arm), t, s->v), perp_q_unit(perp_q_mul(q, s->X.q))};
}

static perp_vec3 random_vector(int dim, double size) {
    perp_vec3 v = {size * rp_sym(), size * rp_sym(), 0};
    if (dim == 3) v.z = size * rp_sym();
    return v;
}

#define MOST 4

/* A body on two to four driven ones, by joints of random kinds. All driven bodies move as one, or the last one moves away from the
 * others. gap: error of the joints at the start [L]. Returns what a few steps come to. */
static perp_status random_ties(int dim, const char *stepper, double gap, double parts, perp_world **w) {
    static const perp_joint_kind kinds[2][3] = {{PERP_JOINT_REVOLUTE, PERP_JOINT_FIXED, PERP_JOINT_REVOLUTE},
                                                {PERP_JOINT_REVOLUTE, PERP_JOINT_FIXED, PERP_JOINT_SPHERICAL}};
    static screw motion[MOST];
    *w = new_world(dim, stepper);
    int n = 2 + (int)(3 * rp_unit());
    perp_vec3 centre = random_vector(dim, 2), v = random_vector(dim, 3),
              spin = dim == 2 ? perp_v3(0, 0, 4 * rp_sym()) : random_vector(dim, 4);
    perp_body_id middle = body(*w, PERP_BODY_DYNAMIC, "middle", perp_v3(0, 0, 0), perp_v3(0, 0, 0));
    perp_vec3 last = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        perp_vec3 at = perp_v3_axpy(random_vector(dim, 0.3), 1, perp_v3(i % 2 ? 0.7 : -0.7, i / 2 ? 0.7 : -0.7, 0));
        perp_vec3 more = i == n - 1 ? perp_v3_scale(parts, perp_v3_unit(perp_v3_sub(at, last))) : perp_v3(0, 0, 0);
        motion[i] = (screw){centre, perp_v3_add(v, more), spin, perp_pose_at(at.x, at.y, at.z)};
        perp_body_id driven = body(*w, PERP_BODY_KINEMATIC, NULL, at, perp_v3(0, 0, 0));
        perp_motion_def m = perp_motion_def_default(PERP_MOTION_USER);
        m.pose = along_screw;
        m.ctx = &motion[i];
        OK(*w, perp_body_set_motion(*w, driven, &m));
        tie(*w, kinds[dim - 2][(int)(3 * rp_unit())], NULL, driven, random_vector(dim, gap), middle, at);
        last = at;
    }
    perp_status st = PERP_OK;
    for (int i = 0; !st && i < 5; i++) st = perp_world_step(*w, NULL);
    return st;
}

static void random_contradictions(void **state) {
    (void)state;
    for (int trial = 0; trial < few(200); trial++) {
        const char *stepper = steppers[trial % ANY_DIM];
        double parts = exp(2 * rp_sym()) * (rp_sym() > 0 ? 1 : -1);
        perp_world *w;
        perp_status st = random_ties(2 + trial / ANY_DIM % 2, stepper, 0, parts, &w);
        if (st != PERP_E_SOLVE || !strstr(perp_world_why(w), "no solution exists"))
            fail_msg("trial %d, %s, %g: %s: %s", trial, stepper, parts, perp_status_name(st), perp_world_why(w));
        perp_world_destroy(w);
    }
}

/* Assembled exactly, to a nanometre, and to a millimetre. */
static void random_redundant(void **state) {
    (void)state;
    static const double gap[] = {0, 1e-9, 1e-3};
    for (int trial = 0; trial < few(300); trial++) {
        const char *stepper = steppers[trial % ANY_DIM];
        perp_world *w;
        perp_status st = random_ties(2 + trial / ANY_DIM % 2, stepper, gap[trial % 3], 0, &w);
        /* on two spherical joints the body may hang askew, which has no equilibrium */
        if (st && !strstr(perp_world_why(w), "no equilibrium"))
            fail_msg("trial %d, %s: %s: %s", trial, stepper, perp_status_name(st), perp_world_why(w));
        perp_world_destroy(w);
    }
}

/* A four-bar in space with a driven crank, all axes along z: three rows too many. The crank goes all the way round. */
static void four_bar(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int trial = 0; trial < 4; trial++) {
            perp_world *w = new_world(3, steppers[k]);
            double a = 0.2 + 0.1 * rp_unit(), b = 1 + 0.1 * rp_unit(), c = 0.8 + 0.1 * rp_unit(), reach = 1 - a;
            /* crank along +x from the origin, the fixed pivot of the rocker at (1, 0) */
            double along = (b * b - c * c + reach * reach) / (2 * reach), up = sqrt(b * b - along * along);
            static screw turning;
            turning = (screw){perp_v3(0, 0, 0), perp_v3(0, 0, 0), perp_v3(0, 0, 5), perp_pose_at(a / 2, 0, 0)};
            perp_body_id crank = body(w, PERP_BODY_KINEMATIC, "crank", perp_v3(a / 2, 0, 0), perp_v3(0, 0, 0)),
                         none = {0, 0};
            perp_motion_def m = perp_motion_def_default(PERP_MOTION_USER);
            m.pose = along_screw;
            m.ctx = &turning;
            OK(w, perp_body_set_motion(w, crank, &m));
            perp_body_id rod = body(w, PERP_BODY_DYNAMIC, "rod", perp_v3(a + along / 2, up / 2, 0), perp_v3(0, 0, 0)),
                         rocker = body(w, PERP_BODY_DYNAMIC, "rocker", perp_v3((a + along + 1) / 2, up / 2, 0),
                                       perp_v3(0, 0, 0));
            tie(w, PERP_JOINT_REVOLUTE, "pin", crank, perp_v3(a / 2, 0, 0), rod, perp_v3(-along / 2, -up / 2, 0));
            tie(w, PERP_JOINT_REVOLUTE, "elbow", rod, perp_v3(along / 2, up / 2, 0), rocker,
                perp_v3((a + along - 1) / 2, up / 2, 0));
            tie(w, PERP_JOINT_REVOLUTE, "foot", none, perp_v3(1, 0, 0), rocker,
                perp_v3((1 - a - along) / 2, -up / 2, 0));
            for (int i = 0; i < 150; i++) {
                perp_certificate cert;
                OK(w, perp_world_step(w, &cert));
                if (k == 0) BELOW(cert.joint_error, 1e-9);
            }
            perp_world_destroy(w);
        }
}

/* Two motors on one axis that turn an arm both ways, and one that turns a truss: they yield, and the joints hold. */
static void motors_yield(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int dim = 2; dim <= 3; dim++)
            for (int truss = 0; truss < 2; truss++) {
                perp_world *w = new_world(dim, steppers[k]);
                perp_body_id none = {0, 0}, arm[2] = {{0, 0}, {0, 0}};
                for (int i = 0; i <= truss; i++)
                    arm[i] = body(w, PERP_BODY_DYNAMIC, NULL, perp_v3(0.25 + 0.5 * i, 0.5, 0), perp_v3(0, 0, 0));
                perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
                j.axis[0] = (perp_joint_axis){.motor = true, .motor_speed = 1, .motor_force = INFINITY};
                j.b = arm[0];
                j.X_BJ.p = perp_v3(-0.25, -0.5, 0);
                add_joint(w, &j);
                if (truss) {
                    tie(w, PERP_JOINT_REVOLUTE, NULL, arm[0], perp_v3(0.25, 0.5, 0), arm[1], perp_v3(-0.25, 0.5, 0));
                    tie(w, PERP_JOINT_REVOLUTE, NULL, none, perp_v3(1, 0, 0), arm[1], perp_v3(0.25, -0.5, 0));
                } else {
                    j.axis[0].motor_speed = -1;
                    add_joint(w, &j);
                }
                for (int i = 0; i < 20; i++) {
                    perp_certificate c;
                    OK(w, perp_world_step(w, &c));
                    assert_true(c.motor_yields > 0);
                    BELOW(c.joint_error, k == 1 ? 1e-3 : 1e-9); /* anitescu-potra: linearised */
                    BELOW(c.law.joint, 1e-8 * fmax(1, c.law.scale));
                }
                perp_world_destroy(w);
            }
}

/* A box crushed between two driven ones. They meet it after 0.12 s. `viscoelastic` has a proof that rigid contacts cannot hold; `first-order`
 * has it too, and goes on: the driven bodies move into the box, and the certificate says so. */
static void crushed(void **state) {
    (void)state;
    static const char *const name[] = {"first-order", "viscoelastic"};
    for (int k = 0; k < 2; k++) {
        perp_world *w = new_world(2, name[k]);
        perp_body_id box = body(w, PERP_BODY_DYNAMIC, "box", perp_v3(0, 0.25, 0), perp_v3(0, 0, 0)), press[2];
        perp_body_id floor = body(w, PERP_BODY_OBSTACLE, "floor", perp_v3(0, 0, 0), perp_v3(0, 0, 0));
        add_shape(w, floor, perp_shape_halfspace(perp_v3(0, 1, 0), 0));
        add_shape(w, box, perp_shape_box(0.25, 0.25, 0.25));
        for (int i = 0; i < 2; i++) {
            double side = i ? 1 : -1;
            press[i] = body(w, PERP_BODY_KINEMATIC, i ? "right" : "left", perp_v3(side * 0.41, 0.25, 0),
                            perp_v3(-side * 0.5, 0, 0));
            add_shape(w, press[i], perp_shape_box(0.1, 0.2, 0.1));
        }
        for (int i = 0; i < 11; i++) OK(w, perp_world_step(w, NULL));
        perp_certificate c;
        if (k == 1) {
            if (perp_world_step(w, &c) == PERP_OK) told(w, box, "box on left", "box on right", "; driven: ");
        } else {
            int jams = 0;
            for (int i = 0; i < 3; i++) {
                OK(w, perp_world_step(w, &c));
                jams += c.jams;
            }
            assert_true(jams > 0 && c.jam_depth > 0);
            BELOW(fabs(pose_of(w, box).p.x), 1e-6); /* it is where it was */
        }
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torn_apart),       cmocka_unit_test(pulled_straight), cmocka_unit_test(random_contradictions),
        cmocka_unit_test(random_redundant), cmocka_unit_test(four_bar),        cmocka_unit_test(motors_yield),
        cmocka_unit_test(crushed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
