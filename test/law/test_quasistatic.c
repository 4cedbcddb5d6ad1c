/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Bodies without inertia, and planar bodies on three points: closed forms, balance, what is not unique, what has no
 * balance, and the two models' agreement. */
#include "../unit/world_help.h"

#include "perp/scene.h"

static perp_world *planar_world(const char *stepper, perp_form form, double h) {
    perp_world_def d = perp_world_def_default(2);
    d.stepper = stepper;
    d.form = form;
    d.h = h;
    d.gravity_W = perp_v3(0, 0, 0);
    d.friction_directions = 32;
    return world_of(&d);
}

static perp_body_id add_puck(perp_world *w, double mass, double inertia, double radius, double mu) {
    perp_body_id b = add_mass(w, mass, inertia, perp_pose_at(0, 0, 0));
    add_shape(w, b, perp_shape_sphere(radius));
    perp_support s = perp_support_circle(radius, 0.3, mu);
    OK(w, perp_body_set_support(w, b, &s));
    return b;
}

static perp_body_id add_driven(perp_world *w, perp_shape_def s, perp_pose X, perp_vec3 v) {
    perp_body_def d = perp_body_def_default(PERP_BODY_KINEMATIC);
    d.X_WB = X;
    d.v_W = v;
    perp_body_id b = add_def(w, &d);
    add_shape(w, b, s);
    return b;
}

/* The spin of a puck on a circle of points falls by mu g m r/I, wherever the points lie on it. */
static void spinning_puck(void **state) {
    (void)state;
    for (int form = 0; form < 3; form++) {
        perp_world *w = planar_world("planar-2.5d", (perp_form)form, 1e-3);
        perp_body_id b = add_puck(w, 2, 0.01, 0.1, 0.25);
        OK(w, perp_body_set_velocity(w, b, perp_v3(0, 0, 0), perp_v3(0, 0, 12)));
        perp_certificate c = go(w, 100);
        perp_vec3 v, om;
        OK(w, perp_body_velocity(w, b, &v, &om));
        double slowing = 0.25 * 9.81 * 2 * 0.1 / 0.01, tol = form == PERP_FORM_CONE ? 1e-6 : 2e-2;
        NEAR(om.z, 12 - 0.1 * slowing, tol);
        NEAR(perp_v3_norm(v), 0, 1e-9);
        NEAR(c.ledger.friction, c.ledger.kinetic_after - c.ledger.kinetic_before, 1e-12);
        go(w, 400);
        OK(w, perp_body_velocity(w, b, &v, &om));
        NEAR(om.z, 0, 1e-12); /* it has stopped and stays */
        perp_world_destroy(w);
    }
}

/* Models that choose among contacts know nothing of points of support: they are refused. */
static void models_that_do_not_fit(void **state) {
    (void)state;
    const char *const stepper[] = {"planar-2.5d", "quasistatic"}, *const model[] = {"standard", "lnc", "peg-mixed"};
    for (int k = 0; k < 6; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.stepper = stepper[k % 2];
        d.contact_model = model[k / 2];
        char why[200] = "";
        perp_world *w;
        assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
        assert_non_null(strstr(why, model[k / 2]));
    }
}

/* Friction of supports is that of space: true cones, unless pyramids are asked for. */
static void form_of_choice(void **state) {
    (void)state;
    const char *const stepper[] = {"planar-2.5d", "quasistatic", "stewart-trinkle"};
    for (int k = 0; k < 6; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.stepper = stepper[k % 3];
        d.friction_directions = k < 3 ? 0 : 8;
        perp_world *w = world_of(&d);
        d = perp_world_get_def(w);
        assert_int_equal(d.form, k < 2 ? PERP_FORM_CONE : PERP_FORM_LCP);
        perp_world_destroy(w);
    }
}

/* A force below the friction of the points does not move the body; one above moves it with the rest. */
static void held_by_friction(void **state) {
    (void)state;
    perp_world *w = planar_world("planar-2.5d", PERP_FORM_CONE, 0.01);
    perp_body_id b = add_puck(w, 1, 0.005, 0.1, 0.3);
    OK(w, perp_body_set_force(w, b, perp_v3(2, 2, 0), perp_v3(0, 0, 0))); /* 2.83 < 2.943 */
    go(w, 100);
    perp_pose X;
    OK(w, perp_body_pose(w, b, &X));
    NEAR(perp_v3_norm(X.p), 0, 1e-12);
    OK(w, perp_body_set_force(w, b, perp_v3(3, 4, 0), perp_v3(0, 0, 0)));
    go(w, 100);
    perp_vec3 v;
    OK(w, perp_body_velocity(w, b, &v, NULL));
    NEAR(perp_v3_norm(v), 5 - 0.3 * 9.81, 1e-8);
    NEAR(v.y / v.x, 4.0 / 3, 1e-8);
    perp_world_destroy(w);
}

/* Three pucks in a row, driven at one end: all move as the driver does, and the driver's work is that of friction. */
static void row_of_pucks(void **state) {
    (void)state;
    perp_world *w = planar_world("quasistatic", PERP_FORM_CONE, 0.01);
    perp_body_id puck[3];
    for (int i = 0; i < 3; i++) {
        puck[i] = add_puck(w, 1 + i, 0.005, 0.1, 0.3);
        OK(w, perp_body_set_pose(w, puck[i], perp_pose_at(0.2 * i, 0, 0)));
    }
    add_driven(w, perp_shape_box(0.1, 0.5, 0), perp_pose_at(-0.2, 0, 0), perp_v3(0.5, 0, 0));
    perp_certificate c = go(w, 50);
    for (int i = 0; i < 3; i++) {
        perp_pose X;
        OK(w, perp_body_pose(w, puck[i], &X));
        NEAR(X.p.x, 0.2 * i + 0.25, 1e-9);
        NEAR(X.p.y, 0, 1e-9);
    }
    NEAR(c.ledger.kinematic, 0.3 * 9.81 * 6 * 0.25, 1e-6); /* force times way */
    NEAR(c.ledger.friction, -c.ledger.kinematic, 1e-6);
    assert_int_equal(c.ambiguous, 0);
    perp_world_destroy(w);
}

/* A block on an incline below the angle of friction stays; above it no forces balance, at once and told so. */
static void incline(void **state) {
    (void)state;
    for (int steep = 0; steep < 2; steep++) {
        perp_world_def d = perp_world_def_default(3);
        d.stepper = "quasistatic";
        d.form = PERP_FORM_CONE;
        double slope = steep ? 0.35 : 0.25; /* mu is 0.3 */
        d.gravity_W = perp_v3(9.81 * sin(slope), 0, -9.81 * cos(slope));
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
        perp_body_def fixed = perp_body_def_default(PERP_BODY_OBSTACLE);
        add_shape(w, add_def(w, &fixed), perp_shape_halfspace(perp_v3(0, 0, 1), 0));
        perp_body_id b = add_mass(w, 2, 0.1, perp_pose_at(0, 0, 0.05));
        add_shape(w, b, perp_shape_box(0.1, 0.1, 0.05));
        perp_certificate c;
        if (!steep) {
            c = go(w, 20);
            perp_pose X;
            OK(w, perp_body_pose(w, b, &X));
            NEAR(X.p.x, 0, 1e-9);
            assert_int_equal(c.ambiguous, 0);
        } else {
            assert_int_equal(perp_world_step(w, &c), PERP_E_SOLVE);
            assert_non_null(strstr(perp_world_why(w), "balance"));
        }
        perp_world_destroy(w);
    }
}

/* A step that fails, with "no equilibrium" and the name of a body in its message. */
static void no_equilibrium(perp_world *w, const char *name) {
    perp_certificate c;
    assert_int_equal(perp_world_step(w, &c), PERP_E_SOLVE);
    if (!strstr(perp_world_why(w), "no equilibrium") || !strstr(perp_world_why(w), name))
        fail_msg("%s", perp_world_why(w));
    perp_world_destroy(w);
}

static perp_body_id add_named(perp_world *w, const char *name, perp_pose X) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.mass = 2;
    d.I_B = perp_m3_diag(0.1, 0.1, 0.1);
    d.X_WB = X;
    d.name = name;
    return add_def(w, &d);
}

/* A body that hangs beside its pin. */
static void hang_up(perp_world *w, perp_body_id b, perp_pose X) {
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    perp_quat q = perp_world_dim(w) == 3 ? perp_q_exp(perp_v3(PI / 2, 0, 0)) : perp_pose_identity().q; /* level */
    j.b = b;
    j.X_AJ = (perp_pose){perp_v3_add(X.p, perp_v3(0.3, 0, 0)), q};
    j.X_BJ = (perp_pose){perp_v3(0.3, 0, 0), q};
    add_joint(w, &j);
}

/* The message names bodies without equilibrium: in the air, on a slope, beside their pin, pulled over the plane. */
static void unbalanced_loads(void **state) {
    (void)state;
    enum { AIR, SLOPE, PIN };
    for (int kind = AIR; kind <= PIN; kind++)
        for (int dim = 2; dim < 4; dim++) {
            perp_world_def d = perp_world_def_default(dim);
            d.stepper = "quasistatic";
            double slope = kind == SLOPE ? atan(0.3) + 1e-3 : 0;
            d.gravity_W = perp_v3_add(perp_v3_scale(-9.81 * cos(slope), up(dim)),
                                      perp_v3_scale(9.81 * sin(slope), perp_v3(1, 0, 0)));
            perp_world *w = world_of(&d);
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
            add_floor(w);
            perp_shape_def cube = perp_shape_box(0.1, 0.1, dim == 2 ? 0 : 0.1);
            if (kind != SLOPE) add_shape(w, add_named(w, "rests", at_height(dim, 3, 0.1)), cube);
            perp_pose X = at_height(dim, 0, kind == SLOPE ? 0.1 : 0.6);
            perp_body_id b = add_named(w, "cube", X);
            add_shape(w, b, cube);
            if (kind == PIN) hang_up(w, b, X);
            no_equilibrium(w, "cube");
        }
    perp_world *w = planar_world("quasistatic", PERP_FORM_CONE, 0.01);
    perp_body_id b = add_puck(w, 1, 0.005, 0.1, 0.3);
    OK(w, perp_body_set_force(w, b, perp_v3(0.301 * 9.81, 0, 0), perp_v3(0, 0, 0)));
    no_equilibrium(w, "body 0");
}

/* What the laws leave open: a free body everything, one on a frictionless floor all but the height and the tilt, one
 * that sticks nothing; one pushed with exactly the force of friction may slide at any speed. */
static void open_motions(void **state) {
    (void)state;
    perp_certificate c;
    for (int kind = 0; kind < 3; kind++) {
        perp_world_def d = perp_world_def_default(3);
        d.stepper = "quasistatic";
        d.form = PERP_FORM_CONE;
        if (kind == 0) d.gravity_W = perp_v3(0, 0, 0);
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = kind == 2 ? 0.5 : 0}));
        perp_body_def fixed = perp_body_def_default(PERP_BODY_OBSTACLE);
        add_shape(w, add_def(w, &fixed), perp_shape_halfspace(perp_v3(0, 0, 1), 0));
        perp_body_id b = add_mass(w, 1, 0.1, perp_pose_at(0, 0, kind == 0 ? 1 : 0.1));
        add_shape(w, b, perp_shape_box(0.1, 0.1, 0.1));
        OK(w, perp_world_step(w, &c));
        static const int open[] = {6, 3, 0};
        assert_int_equal(c.ambiguous, open[kind]);
        perp_pose X;
        OK(w, perp_body_pose(w, b, &X));
        NEAR(perp_v3_norm(perp_v3_sub(X.p, perp_v3(0, 0, kind == 0 ? 1 : 0.1))), 0, 1e-12); /* the least motion: none */
        perp_world_destroy(w);
    }
    perp_world *w = planar_world("quasistatic", PERP_FORM_CONE, 0.01);
    perp_body_id b = add_puck(w, 1, 0.005, 0.1, 0.3);
    OK(w, perp_body_set_force(w, b, perp_v3(0.3 * 9.81, 0, 0), perp_v3(0, 0, 0)));
    OK(w, perp_world_step(w, &c));
    assert_int_equal(c.ambiguous, 1);
    perp_world_destroy(w);
}

/* Supports: what is refused, and that samples lie in the body and carry it. */
static void supports(void **state) {
    (void)state;
    perp_world *w = planar_world("planar-2.5d", PERP_FORM_LCP, 0.01);
    perp_body_id b = add_mass(w, 1, 0.1, perp_pose_at(0, 0, 0));
    add_shape(w, b, perp_shape_box(0.3, 0.1, 0));
    perp_support s = perp_support_circle(0.1, 0, 0.3), got;
    assert_false(perp_body_get_support(w, b, &got));
    OK(w, perp_body_set_support(w, b, &s));
    assert_true(perp_body_get_support(w, b, &got));
    s.point_B[0] = s.point_B[1];
    assert_int_equal(perp_body_set_support(w, b, &s), PERP_E_ARG);
    s = perp_support_circle(0.1, 0, 0.3);
    for (int i = 0; i < 3; i++) s.point_B[i].x += 0.2;
    assert_int_equal(perp_body_set_support(w, b, &s), PERP_E_ARG);
    assert_non_null(strstr(perp_world_why(w), "outside"));
    s = perp_support_circle(0.1, 0, -1);
    assert_int_equal(perp_body_set_support(w, b, &s), PERP_E_ARG);
    double left = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        OK(w, perp_support_sample(w, b, seed, 0.3, &s));
        OK(w, perp_body_set_support(w, b, &s)); /* holds the centre of mass */
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(s.point_B[i].x) <= 0.3 && fabs(s.point_B[i].y) <= 0.1);
            left += s.point_B[i].x;
        }
    }
    NEAR(left / 600, 0, 0.03); /* neither side is preferred */
    perp_world_destroy(w);
    perp_world_def d = perp_world_def_default(2);
    w = world_of(&d);
    b = add_mass(w, 1, 0.1, perp_pose_at(0, 0, 0));
    s = perp_support_circle(0.1, 0, 0.3);
    assert_int_equal(perp_body_set_support(w, b, &s), PERP_E_FIT);
    perp_world_destroy(w);
}

/* A pushed disc follows the slow limit: with inertia the path comes to that without, with the square of the speed. */
static void slow_limit(void **state) {
    (void)state;
    double y[4];
    for (int run = 0; run < 4; run++) {
        double v = run == 3 ? 0.4 : 0.4 / (1 << run);
        perp_world *w = planar_world(run == 3 ? "quasistatic" : "planar-2.5d", PERP_FORM_CONE, 0.0005 / v);
        perp_body_id b = add_puck(w, 1, 0.005, 0.1, 0.3);
        add_driven(w, perp_shape_sphere(0.02), perp_pose_at(-0.115, -0.03, 0), perp_v3(v, 0, 0));
        go(w, 200);
        perp_pose X;
        OK(w, perp_body_pose(w, b, &X));
        y[run] = X.p.y;
        perp_world_destroy(w);
    }
    double e1 = fabs(y[1] - y[3]), e2 = fabs(y[2] - y[3]);
    assert_true(y[3] > 0.01); /* it is pushed aside */
    BELOW(e2, e1 / 2.5);
}

/* Turn of a slab that a disc has pushed off its centre, 25 steps of 0.01 s; every one has a balance of forces. */
static double pushed_turn(perp_form form, int directions, double off) {
    perp_world_def d = perp_world_def_default(2);
    d.stepper = "quasistatic";
    d.form = form;
    d.h = 0.01;
    d.gravity_W = perp_v3(0, 0, 0);
    d.friction_directions = directions;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
    add_driven(w, perp_shape_sphere(0.05), perp_pose_at(-0.151, off, 0), perp_v3(0.1, 0, 0));
    perp_body_id slab = add_mass(w, 1, 0.005, perp_pose_at(0, 0, 0));
    add_shape(w, slab, perp_shape_box(0.1, 0.15, 0));
    perp_support s = perp_support_circle(0.1, 0.2, 0.5);
    OK(w, perp_body_set_support(w, slab, &s));
    go(w, 25);
    double angle = NAN;
    OK(w, perp_body_angle(w, slab, &angle));
    perp_world_destroy(w);
    return angle;
}

/* Pyramids that turn with the slip make two motions take turns for ever here; they must come to an end, and near the one
 * of true cones where they have many edges. */
static void pushed_off_centre(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double off = 0.02 + 0.06 * k, cone = pushed_turn(PERP_FORM_CONE, 8, off);
        assert_true(cone < -0.005);
        assert_true(pushed_turn(PERP_FORM_LCP, 4, off) < 0);
        assert_true(pushed_turn(PERP_FORM_LCP, 8, off) < 0);
        NEAR(pushed_turn(PERP_FORM_LCP, 32, off), cone, 0.15 * fabs(cone));
    }
}

/* A fast disc hits a rod off its centre, so that the rod whirls past it: contacts add no energy, supports or not. */
static void whirled_rod(void **state) {
    (void)state;
    perp_world *w = planar_world("planar-2.5d", PERP_FORM_LCP, 0.002);
    perp_body_id rod = add_mass(w, 0.8, 0.001, perp_pose_at(-0.333406, -0.026577, 0)),
                 disc = add_mass(w, 5.9, 0.03, perp_pose_at(0, 0, 0));
    add_shape(w, rod, perp_shape_capsule(0.0210463974, 0.0289387964));
    add_shape(w, disc, perp_shape_sphere(0.101429216));
    perp_support s = perp_support_circle(0.05, 0.3, 0.3);
    OK(w, perp_body_set_support(w, rod, &s));
    OK(w, perp_body_set_support(w, disc, &s));
    OK(w, perp_body_set_pose(w, rod,
                             (perp_pose){perp_v3(-0.333406, -0.026577, 0), perp_q_exp(perp_v3(0, 0, 2.44828635))}));
    OK(w, perp_body_set_velocity(w, disc, perp_v3(-6.14078129, 0.247283488, 0), perp_v3(0, 0, -0.825802497)));
    double gain = 0;
    for (int i = 0; i < 40; i++) gain += go(w, 1).gain;
    BELOW(gain, 1e-6 * 0.5 * 5.9 * 37.7);
    perp_world_destroy(w);
}

/* Many pucks in touch, with pyramids: pivoting has the work that it needs, since the same with cones is another law. */
static void packed_pucks(void **state) {
    (void)state;
    perp_world *w = planar_world("planar-2.5d", PERP_FORM_LCP, 0.005);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.6}));
    for (int i = 0; i < 9; i++) {
        perp_body_id b = add_puck(w, 1 + 0.1 * i, 0.005, 0.1, 0.3);
        double x = 0.2 * (i % 3) + 0.1 * (i / 3 % 2), y = 0.2 * sin(PI / 3) * (i / 3);
        OK(w, perp_body_set_pose(w, b, perp_pose_at(x, y, 0)));
        OK(w, perp_body_set_velocity(w, b, perp_v3(0.3 - x, 0.2 - y, 0), perp_v3(0, 0, 5 - i)));
    }
    add_driven(w, perp_shape_box(0.1, 0.5, 0), perp_pose_at(-0.2, 0.2, 0), perp_v3(0.5, 0, 0));
    go(w, 20);
    perp_world_destroy(w);
}

/* A wall that leans over pushes a ball against a box on the floor, off its middle. Directions of friction turn with every round of
 * the balance, each by a little less than the one before it: 80 rounds were not enough. */
static void pushed_ball(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.stepper = "quasistatic";
    d.h = 0.005;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.304590354}));
    add_floor(w);
    perp_body_def wall = perp_body_def_default(PERP_BODY_KINEMATIC);
    wall.X_WB = perp_pose_at(0.68, 0, 0);
    wall.v_W = perp_v3(-0.594480537, 0, 0);
    add_shape(w, add_def(w, &wall), perp_shape_halfspace(perp_v3_unit(perp_v3(-1, 0, -0.152600365)), 0));
    perp_body_id ball = add_mass(w, 16, 0.1, perp_pose_at(0.32, -0.32, 0.125646931)),
                 box = add_mass(w, 0.065, 2e-5, perp_pose_at(0, -0.32, 0.0143987256));
    OK(w, perp_body_set_pose(w, box,
                             (perp_pose){perp_v3(0, -0.32, 0.0143987256), perp_q_exp(perp_v3(0, 0, 0.113297252))}));
    add_shape(w, ball, perp_shape_sphere(0.125646931));
    add_shape(w, box, perp_shape_box(0.0234561105, 0.0200256994, 0.0143987256));
    go(w, 200);
    perp_world_destroy(w);
}

/* Without weight only the forces of joints say how large the masses of the rounds may be: a motor that its limit holds back, dry friction, a
 * spring. The chain was taken for one without balance. */
static void loads_of_joints(void **state) {
    (void)state;
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(PERP_TEST_DIR "/law/scenes/driven-chain.yaml", NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        assert_true(c.accepted);
    }
    perp_scene_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_puck),     cmocka_unit_test(held_by_friction),
        cmocka_unit_test(row_of_pucks),      cmocka_unit_test(models_that_do_not_fit),
        cmocka_unit_test(incline),           cmocka_unit_test(open_motions),
        cmocka_unit_test(supports),          cmocka_unit_test(slow_limit),
        cmocka_unit_test(pushed_off_centre), cmocka_unit_test(unbalanced_loads),
        cmocka_unit_test(whirled_rod),       cmocka_unit_test(packed_pucks),
        cmocka_unit_test(loads_of_joints),   cmocka_unit_test(pushed_ball),
        cmocka_unit_test(form_of_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
