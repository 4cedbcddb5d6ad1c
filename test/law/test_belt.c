/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Surfaces that move along themselves: conveyor belts. Closed forms of Coulomb's law, and the same run with a floor that moves as
 * a whole, with every stepper, contact model and form. */
#include <stdio.h>
#include <string.h>

#include "check.h"

static const double g = 10, mu = 0.5, speed = 2;

static perp_vec3 up(int dim) { return dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1); }
/* Of the belt: askew in space, so that no axis is special. */
static perp_vec3 along(int dim) { return dim == 2 ? perp_v3(1, 0, 0) : perp_v3(0.6, 0.8, 0); }

/* Sums of the ledger and the worst of the certificate. */
typedef struct account {
    double drive, friction, normal, gravity, remainder, gain, creep, law;
} account;

static void step(scene *s, account *a) {
    perp_certificate c;
    if (perp_world_step(s->w, &c)) fail_msg("%s", perp_world_why(s->w));
    assert_true(c.accepted);
    a->drive += c.ledger.kinematic;
    a->friction += c.ledger.friction;
    a->normal += c.ledger.normal;
    a->gravity += c.ledger.gravity;
    a->remainder += fabs(c.ledger.remainder);
    a->gain += c.gain;
    a->creep = fmax(a->creep, c.creep);
    const double law[] = {c.law.momentum, c.law.normal, c.law.cone, c.law.dissipation};
    for (int i = 0; i < 4; i++) a->law = fmax(a->law, law[i]);
}

/* A box of mass 1 on a belt that is inclined by `angle` in the x-z plane, x-y in 2D, and runs uphill at `v`. */
static scene box_on_belt(perp_world_def d, double friction, double angle, double v) {
    d.gravity_W = perp_v3_scale(-g, up(d.dim));
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = friction}), PERP_OK);
    perp_quat q = d.dim == 2 ? perp_pose_2d(0, 0, angle).q : perp_q_axis_angle(perp_v3(0, 1, 0), -angle);
    perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
    b.X_WB.q = q;
    perp_shape_def belt = perp_shape_box(50, d.dim == 2 ? 1 : 50, 1);
    belt.X_BS.p = perp_v3_scale(-1, up(d.dim));
    belt.surface_velocity = perp_v3_scale(v, angle == 0 ? along(d.dim) : perp_v3(1, 0, 0)); /* in the body frame */
    scene_shape(&s, scene_body(&s, &b), belt);
    perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
    m.mass = 1;
    m.I_B = perp_m3_diag(1e-2, 1e-2, 1e-2);
    m.X_WB = (perp_pose){perp_v3_scale(0.1, perp_q_rotate(q, up(d.dim))), q};
    scene_shape(&s, scene_body(&s, &m), perp_shape_box(0.1, 0.1, 0.1));
    return s;
}

/* A box that is put down at rest slides for v/(mu g), over v^2/(2 mu g) of the floor, and is carried on at v. Friction turns m v^2/2
 * into heat, the drive of the belt does m v^2. */
static void box_reaches_the_speed_of_the_belt(void **state) {
    (void)state;
    static const char *const stepper[] = {"stewart-trinkle", "anitescu-potra", "second-order"};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 3; k++)
            for (int staggered = 0; staggered < 2; staggered++) {
                perp_world_def d = world_def(dim, 1e-2, staggered ? PERP_START_STAGGERED : PERP_START_PLAIN);
                d.stepper = stepper[k];
                if (staggered && k == 2) continue; /* it has both at one time by itself */
                scene s = box_on_belt(d, mu, 0, speed);
                account a = {0};
                for (int i = 0; i < 40; i++) step(&s, &a);
                bool exact = staggered || k == 2; /* for constant acceleration */
                double t = speed / (mu * g), way = speed * speed / (2 * mu * g);
                assert_near(t, 0.4, 1e-15);
                assert_near(perp_v3_dot(velocity(&s, 1), along(dim)), speed, staggered ? 0.026 : 1e-9);
                assert_near(perp_v3_dot(position(&s, 1), along(dim)), way, exact ? 1e-9 : speed * d.h);
                double heat = -a.friction, drive = a.drive; /* then it moves with the belt: no slip and no work */
                for (int i = 0; i < 60; i++) step(&s, &a);
                assert_near(perp_v3_norm(perp_v3_sub(velocity(&s, 1), perp_v3_scale(speed, along(dim)))), 0, 1e-9);
                assert_near(perp_v3_dot(position(&s, 1), along(dim)), speed * 1.0 - way, exact ? 1e-9 : speed * d.h);
                if (!staggered) {
                    assert_near(a.drive, speed * speed, 1e-9);
                    assert_near(-a.friction, speed * speed / 2, 1e-9);
                    assert_near(a.drive, drive, 1e-9);
                    assert_near(-a.friction, heat, 1e-9);
                } else { /* impulses reach from half a step before the start on */
                    assert_near(a.drive, speed * speed, speed * mu * g * d.h / 2 + 1e-9);
                    assert_near(-a.friction, speed * speed / 2, speed * mu * g * d.h / 2);
                }
                assert_below(a.remainder, 1e-11);
                assert_below(a.gain, 1e-12);
                assert_below(a.creep, 1e-13);
                assert_below(a.law, 1e-8);
                scene_end(&s);
            }
}

/* Uphill with enough friction: it speeds up at g (mu cos a - sin a), then sticks. With too little it slides down whatever the speed of
 * the belt, at g (sin a - mu cos a). */
static void box_on_an_inclined_belt(void **state) {
    (void)state;
    const double a = 0.35;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 3; k++) {
            double friction = k == 0 ? 0.8 : 0.2, v = k == 2 ? 10 : 1;
            scene s = box_on_belt(world_def(dim, 5e-3, PERP_START_STAGGERED), friction, a, v);
            perp_vec3 e = dim == 2 ? perp_v3(cos(a), sin(a), 0) : perp_v3(cos(a), 0, sin(a)), from = position(&s, 1);
            account sum = {0};
            for (int i = 0; i < 200; i++) step(&s, &sum);
            double acc = g * (friction * cos(a) - sin(a)), t = 1;
            double way = acc > 0 ? v * t - v * v / (2 * acc) : acc * t * t / 2;
            assert_near(perp_v3_dot(perp_v3_sub(position(&s, 1), from), e), way, acc > 0 ? v * 5e-3 : 1e-9);
            if (acc > 0) assert_near(perp_v3_dot(velocity(&s, 1), e), v, 1e-9);
            assert_below(sum.gain, 1e-10);
            assert_below(sum.creep, 1e-13);
            assert_below(sum.remainder, 1e-10);
            assert_true(sum.drive > 0 && sum.friction < 0);
            scene_end(&s);
        }
}

static void swings(double t, perp_vec3 *v, void *ctx) {
    (void)ctx;
    *v = perp_v3(0.3 * sin(4 * t), 0, 0);
}

/* What sticks to a belt that swings goes where the belt goes: the integral of its velocity. */
static void what_sticks_follows_a_belt_in_time(void **state) {
    (void)state;
    static const char *const stepper[] = {"stewart-trinkle", "second-order"};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 2; k++) {
            perp_world_def d = world_def(dim, 1e-2, k ? PERP_START_PLAIN : PERP_START_STAGGERED);
            d.stepper = stepper[k];
            d.gravity_W = perp_v3_scale(-g, up(dim));
            scene s = scene_new(d);
            assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}), PERP_OK);
            perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
            perp_shape_def belt = perp_shape_halfspace(up(dim), 0);
            belt.surface_motion = swings;
            scene_shape(&s, scene_body(&s, &b), belt);
            perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
            m.X_WB.p = perp_v3_scale(0.1, up(dim));
            m.I_B = perp_m3_diag(1e-2, 1e-2, 1e-2);
            scene_shape(&s, scene_body(&s, &m), perp_shape_box(0.1, 0.1, 0.1));
            account a = {0};
            for (int i = 0; i < 200; i++) step(&s, &a);
            assert_near(position(&s, 1).x, 0.3 / 4 * (1 - cos(8)), k ? 2e-5 : 1e-9);
            assert_below(a.creep, k ? 1e-6 : 1e-13);
            assert_below(a.gain, 1e-9);
            assert_below(a.remainder, 1e-11);
            scene_end(&s);
        }
}

/* A vehicle on tracks: the surface below runs backwards at v, so the vehicle comes to v. A belt on a dynamic body. */
static void tracks_drive_their_body(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = world_def(dim, 1e-2, PERP_START_PLAIN);
        d.gravity_W = perp_v3_scale(-g, up(dim));
        scene s = scene_new(d);
        assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}), PERP_OK);
        perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
        scene_shape(&s, scene_body(&s, &b), perp_shape_halfspace(up(dim), 0));
        perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
        m.X_WB.p = perp_v3_scale(0.1, up(dim));
        m.I_B = perp_m3_diag(1e-1, 1e-1, 1e-1);
        perp_shape_def track = perp_shape_box(0.5, 0.1, 0.1);
        track.surface_velocity = perp_v3(-speed, 0, 0);
        scene_shape(&s, scene_body(&s, &m), track);
        account a = {0};
        for (int i = 0; i < 100; i++) step(&s, &a);
        assert_near(velocity(&s, 1).x, speed, 1e-9);
        assert_near(position(&s, 1).x, speed * 1.0 - speed * speed / (2 * mu * g), speed * d.h);
        assert_near(a.drive, speed * speed, 1e-9);
        assert_near(-a.friction, speed * speed / 2, 1e-9);
        assert_below(a.creep, 1e-13);
        perp_shape_id id;
        assert_int_equal(perp_world_shapes(s.w, &id, 1), 2);
        perp_shape_id both[2];
        perp_world_shapes(s.w, both, 2);
        assert_int_equal(perp_shape_set_surface_velocity(s.w, both[1], perp_v3(0, 0, 0)), PERP_OK); /* brakes */
        for (int i = 0; i < 50; i++) step(&s, &a);
        assert_near(velocity(&s, 1).x, 0, 1e-9);
        scene_end(&s);
    }
}

/* Thrown across a belt: seen from the belt it slides straight on and stops there after |v_rel|/(mu g). */
static void slides_straight_as_the_belt_sees_it(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        perp_world_def d = world_def(3, 1e-2, k == 1 ? PERP_START_PLAIN : PERP_START_STAGGERED);
        if (k == 1) d.stepper = "second-order";
        if (k == 2) d.form = PERP_FORM_LCP;
        if (k == 3) d.stepper = "anitescu-potra";
        d.gravity_W = perp_v3(0, 0, -g);
        scene s = scene_new(d);
        assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}), PERP_OK);
        perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_shape_def belt = perp_shape_halfspace(up(3), 0);
        belt.surface_velocity = perp_v3(speed, 0, 0);
        scene_shape(&s, scene_body(&s, &b), belt);
        perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
        m.particle = true;
        m.X_WB.p = perp_v3(0, 0, 0.1);
        m.v_W = perp_v3(0, 1, 0);
        scene_shape(&s, scene_body(&s, &m), perp_shape_sphere(0.1));
        double rel = hypot(speed, 1), stop = rel / (mu * g), way = rel * rel / (2 * mu * g);
        account a = {0};
        for (int i = 0; i < 40; i++) step(&s, &a);
        assert_true(stop > 0.4);
        double slid = rel * 0.4 - mu * g * 0.08, left = rel - mu * g * 0.4;
        assert_near(position(&s, 1).x, speed * (0.4 - slid / rel), 1e-9);
        assert_near(position(&s, 1).y, slid / rel, 1e-9);
        assert_near(velocity(&s, 1).y, left / rel, 1e-9);
        assert_below(a.gain, 1e-12);
        for (int i = 0; i < 60; i++) step(&s, &a);
        assert_near(position(&s, 1).x, speed * (1 - way / rel), speed * d.h * d.h);
        assert_near(position(&s, 1).y, way / rel, speed * d.h * d.h);
        assert_near(velocity(&s, 1).x, speed, 1e-9);
        assert_below(a.creep, 1e-13);
        scene_end(&s);
    }
}

/* ---- the floor that moves as a whole ---- */

/* A ball that does not turn, on a floor whose surface or which itself moves at `speed`. */
static scene carried(const perp_combination *c, bool compliant, bool surface) {
    perp_world_def d = world_def(c->dim, 5e-3, PERP_START_PLAIN);
    d.stepper = c->stepper;
    d.contact_model = c->contact_model;
    d.form = c->form;
    d.gravity_W = perp_v3_scale(-g, up(c->dim));
    scene s = scene_new(d);
    perp_pair_law law = {.mu = mu};
    if (compliant) {
        law.compliance = PERP_LINEAR;
        law.stiffness = 1e4;
        law.damping = 100;
    }
    if (perp_pair_set_all(s.w, law)) {
        scene_end(&s);
        return (scene){.w = NULL};
    }
    perp_vec3 v = perp_v3_scale(speed, along(c->dim));
    perp_body_def b = perp_body_def_default(surface ? PERP_BODY_OBSTACLE : PERP_BODY_KINEMATIC);
    perp_shape_def floor = perp_shape_halfspace(up(c->dim), 0);
    if (surface)
        floor.surface_velocity = v;
    else
        b.v_W = v;
    scene_shape(&s, scene_body(&s, &b), floor);
    perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
    m.particle = true;
    m.X_WB.p = perp_v3_scale(0.1, up(c->dim));
    scene_shape(&s, scene_body(&s, &m), perp_shape_sphere(0.1));
    return s;
}

/* The ball cannot tell a belt from a floor that moves as a whole. */
static bool same(const perp_combination *c, bool compliant) {
    scene belt = carried(c, compliant, true), floor = carried(c, compliant, false);
    if (!belt.w || !floor.w) {
        if (belt.w) scene_end(&belt);
        if (floor.w) scene_end(&floor);
        return false;
    }
    account a = {0}, b = {0};
    bool taken = true;
    for (int i = 0; i < 120 && taken; i++) {
        perp_certificate cert;
        if (i == 0 && perp_world_step(belt.w, &cert) == PERP_E_FIT) taken = false;
        if (!taken) break;
        if (i > 0) step(&belt, &a);
        if (i == 0 && perp_world_step(floor.w, &cert)) fail_msg("%s", perp_world_why(floor.w));
        if (i > 0) step(&floor, &b);
    }
    if (taken) {
        double off = perp_v3_norm(perp_v3_sub(velocity(&belt, 1), velocity(&floor, 1))) +
                     perp_v3_norm(perp_v3_sub(position(&belt, 1), position(&floor, 1)));
        bool arrived = fabs(perp_v3_dot(velocity(&belt, 1), along(c->dim)) - speed) < 1e-5;
        bool accounts = fabs(a.drive - b.drive) < 1e-6 && fabs(a.friction - b.friction) < 1e-6;
        if (!(off < 1e-6) || !arrived || !accounts || !(a.creep < 1e-6) || !(a.gain <= b.gain + 1e-9))
            fail_msg(
                "%dD, %s, %s, form %d, compliant %d: off %g, speed %g, drive %g %g, friction %g %g, creep %g, gain %g "
                "%g",
                c->dim, c->stepper, c->contact_model, (int)c->form, compliant, off,
                perp_v3_dot(velocity(&belt, 1), along(c->dim)), a.drive, b.drive, a.friction, b.friction, a.creep,
                a.gain, b.gain);
    }
    scene_end(&belt);
    scene_end(&floor);
    return taken;
}

static void belt_is_as_a_floor_that_moves(void **state) {
    (void)state;
    int n = 0;
    perp_combination c;
    for (int i = 0; perp_combination_at(i, &c); i++) {
        if (!c.exists || strcmp(c.solver, "auto") != 0) continue;
        bool rigid = same(&c, false), gives = same(&c, true);
        if (!rigid && !gives) fail_msg("%dD, %s, %s: not run", c.dim, c.stepper, c.contact_model);
        n += rigid + gives;
    }
    print_message("%d runs\n", n);
    assert_true(n > 40);
}

/* Springs along the surface are no drive: a floor that stands does no work, whatever its layer does. */
static void layers_are_no_drive(void **state) {
    (void)state;
    static const char *const stepper[] = {"viscoelastic", "implicit-compliant"};
    for (int k = 0; k < 2; k++) {
        perp_world_def d = world_def(2, 1e-3, PERP_START_PLAIN);
        d.stepper = stepper[k];
        d.gravity_W = perp_v3(0, -g, 0);
        scene s = scene_new(d);
        perp_pair_law law = {
            .mu = mu, .compliance = PERP_LINEAR, .stiffness = 1e4, .damping = 20, .stiffness_t = 1e4, .damping_t = 20};
        assert_int_equal(perp_pair_set_all(s.w, law), PERP_OK);
        perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_shape_def floor = perp_shape_halfspace(up(2), 0);
        scene_shape(&s, scene_body(&s, &b), floor);
        perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
        m.particle = true;
        m.X_WB.p = perp_v3(0, 0.099, 0);
        m.v_W = perp_v3(1, 0, 0);
        scene_shape(&s, scene_body(&s, &m), perp_shape_sphere(0.1));
        account a = {0};
        for (int i = 0; i < 300; i++) step(&s, &a);
        assert_near(a.drive, 0, 1e-12);
        assert_near(a.friction, -0.5, 0.01);
        assert_below(a.remainder, 1e-10);
        scene_end(&s);
    }
}

/* A visual shape is not touched: what falls goes through it, and it carries no belt. */
static void visual_shapes_are_not_touched(void **state) {
    (void)state;
    scene s = scene_new(world_def(2, 1e-2, PERP_START_PLAIN));
    perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_shape_def ghost = perp_shape_halfspace(up(2), 0), seen = perp_shape_ellipsoid(1, 2, 0);
    ghost.visual = seen.visual = true;
    ghost.colour = PERP_COLOUR(1, 2, 255);
    b.label = "ghost";
    perp_body_id id = scene_body(&s, &b);
    scene_shape(&s, id, ghost);
    scene_shape(&s, id, seen); /* of a kind that the stepper would not take */
    perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
    m.X_WB.p = perp_v3(0, 0.1, 0);
    scene_shape(&s, scene_body(&s, &m), perp_shape_box(0.1, 0.1, 0));
    perp_shape_id shape[3];
    assert_int_equal(perp_world_shapes(s.w, shape, 3), 3);
    perp_shape_view v;
    assert_int_equal(perp_shape_get(s.w, shape[0], &v), PERP_OK);
    assert_true(v.def.visual);
    assert_int_equal(v.def.colour, 0xff0102ffu);
    perp_body_def got;
    assert_int_equal(perp_body_get(s.w, id, &got), PERP_OK);
    assert_string_equal(got.label, "ghost");
    assert_true(perp_world_overlap(s.w) == 0);
    for (int i = 0; i < 100; i++) {
        perp_certificate c;
        assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
        assert_int_equal(c.contacts, 0);
        assert_true(c.overlap == 0);
    }
    assert_true(position(&s, 1).y < -4);
    scene_end(&s);
}

static void not_a_number(double t, perp_vec3 *v, void *ctx) {
    (void)ctx;
    *v = perp_v3(t > 0.05 ? NAN : 0, 0, 0);
}

static void bad_belts_are_refused(void **state) {
    (void)state;
    scene s = scene_new(world_def(2, 1e-2, PERP_START_PLAIN));
    perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
    b.name = "belt";
    perp_body_id id = scene_body(&s, &b);
    perp_shape_def d = perp_shape_halfspace(up(2), 0);
    d.surface_velocity = perp_v3(NAN, 0, 0);
    assert_int_equal(perp_shape_add(s.w, id, &d, NULL), PERP_E_ARG);
    d.surface_velocity = perp_v3(0, 0, 1);
    assert_int_equal(perp_shape_add(s.w, id, &d, NULL), PERP_E_ARG);
    assert_string_equal(perp_world_why(s.w), "surface_velocity.z is 1; in 2D it must be 0");
    d.surface_velocity = perp_v3(0, 0, 0);
    d.surface_motion = not_a_number;
    scene_shape(&s, id, d);
    perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
    m.X_WB.p = perp_v3(0, 0.1, 0);
    scene_shape(&s, scene_body(&s, &m), perp_shape_box(0.1, 0.1, 0));
    perp_status st = PERP_OK;
    for (int i = 0; i < 10 && !st; i++) st = perp_world_step(s.w, NULL);
    assert_int_equal(st, PERP_E_ARG);
    assert_non_null(strstr(perp_world_why(s.w), "body 0 (belt): its surface velocity is not finite"));
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_reaches_the_speed_of_the_belt),
        cmocka_unit_test(box_on_an_inclined_belt),
        cmocka_unit_test(what_sticks_follows_a_belt_in_time),
        cmocka_unit_test(tracks_drive_their_body),
        cmocka_unit_test(slides_straight_as_the_belt_sees_it),
        cmocka_unit_test(belt_is_as_a_floor_that_moves),
        cmocka_unit_test(layers_are_no_drive),
        cmocka_unit_test(visual_shapes_are_not_touched),
        cmocka_unit_test(bad_belts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
