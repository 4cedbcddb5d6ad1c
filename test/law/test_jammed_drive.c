/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A driven piston pushes a box along a floor, until the box is at a wall: from there on no motion satisfies the laws. The piston moves
 * on into the box, the box stays in place, and the certificate reports the two shapes and the depth.
 *
 * A belt drags a ball below a roof that comes down. With mu above the tangent of half the angle between them the wedge locks itself:
 * the ball stops, the belt slides on below it, and the certificate reports the two shapes. With less friction the ball slips and
 * nothing jams. */
#include "peg_scenes.h"

#include "model/world_data.h"
#include "perp/scene.h"
#include "thorough.h"

#define SPEED 0.5

typedef struct rig {
    perp_world *w;
    perp_body_id box, piston;
    perp_shape_id box_shape, piston_shape;
} rig;

/* The piston is at the box after 0.02 s; the box is at the wall, if there is one, after 0.06 s. */
static rig press(int dim, const char *stepper, double mu, bool wall) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = stepper;
    d.h = 0.01;
    d.gravity_W = perp_v3(0, -9.81, 0);
    d.max_halvings = 2;
    rig r = {.w = world_of(&d)};
    OK(r.w, perp_pair_set_all(r.w, (perp_pair_law){.mu = mu}));
    add_fixed(r.w, perp_shape_halfspace(perp_v3(0, 1, 0), 0), perp_pose_identity());
    if (wall) add_fixed(r.w, perp_shape_halfspace(perp_v3(-1, 0, 0), -0.27), perp_pose_identity());
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 1;
    b.I_B = perp_m3_diag(0.04, 0.04, 0.04);
    b.X_WB = perp_pose_at(0, 0.25, 0);
    r.box = add_def(r.w, &b);
    r.box_shape = add_shape(r.w, r.box, perp_shape_box(0.25, 0.25, 0.25));
    perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
    k.X_WB = perp_pose_at(-0.36, 0.25, 0);
    k.v_W = perp_v3(SPEED, 0, 0);
    r.piston = add_def(r.w, &k);
    r.piston_shape = add_shape(r.w, r.piston, perp_shape_box(0.1, 0.2, 0.15));
    return r;
}

static void jam(int dim, const char *stepper, double mu) {
    rig r = press(dim, stepper, mu, true);
    perp_certificate sum = {0};
    for (int i = 1; i <= 9; i++) {
        perp_certificate c;
        OK(r.w, perp_world_step(r.w, &c));
        double x = pose_of(r.w, r.box).p.x;
        print_message("%dD, %s, mu %g, step %d: x = %g, %d jams, %.3g deep, laws %.1e of %.2g\n", dim, stepper, mu, i,
                      x, c.jams, c.jam_depth, c.law.normal, c.law.scale);
        perp_certificate_add(&sum, &c);
        BELOW(c.law.normal, 1e-6);
        if (i <= 6) {
            assert_int_equal(c.jams, 0);
            assert_true(c.jam_depth == 0);
            assert_int_equal(c.jam_shape[0], -1);
            NEAR(x, fmax(0, SPEED * (0.01 * i - 0.02)), 1e-7);
            continue;
        }
        assert_true(c.jams > 0 && c.jams <= c.substeps);
        NEAR(c.jam_depth, SPEED * (0.01 * i - 0.06), 1e-7);
        assert_int_equal(c.jam_shape[0], (int)r.piston_shape.slot);
        assert_int_equal(c.jam_shape[1], (int)r.box_shape.slot);
        NEAR(x, 0.02, 1e-7);
        BELOW(perp_v3_norm(velocity_of(r.w, r.box)), 1e-6);
    }
    assert_true(sum.jams >= 3);
    NEAR(sum.jam_depth, SPEED * 0.03, 1e-7);
    assert_int_equal(sum.jam_shape[0], (int)r.piston_shape.slot);
    perp_world_destroy(r.w);
}

static const char *const steppers[] = {"stewart-trinkle", "anitescu-potra", "first-order"};
#define NSTEPPER (int)(sizeof steppers / sizeof *steppers)

static void who_is_jammed_how_deep(void **state) {
    (void)state;
    for (int k = 0; k < NSTEPPER; k++) {
        jam(2, steppers[k], 0);
        jam(2, steppers[k], 0.5);
    }
    for (int k = 0; k < shorter(8) && k < NSTEPPER; k++) jam(3, steppers[k], 0.5);
}

static void pushing_is_no_jam(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < NSTEPPER; k++) {
            rig r = press(dim, steppers[k], 0.5, false);
            for (int i = 1; i <= 9; i++) {
                perp_certificate c;
                OK(r.w, perp_world_step(r.w, &c));
                assert_int_equal(c.jams, 0);
            }
            NEAR(pose_of(r.w, r.box).p.x, SPEED * 0.07, 1e-7);
            perp_world_destroy(r.w);
        }
}

#define RADIUS 0.1
#define ROOF   0.2 /* its slope */
#define STEPS  12

/* The ball rests on the belt, a millimetre below the roof. The belt drags a box as well, far from the roof. */
static rig wedge(int dim, double mu, bool surface, perp_body_id *other) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = 0.01;
    d.gravity_W = perp_v3(0, -9.81, 0);
    rig r = {.w = world_of(&d)};
    OK(r.w, perp_pair_set_all(r.w, (perp_pair_law){.mu = mu}));
    perp_vec3 down = perp_v3_scale(1 / hypot(1, ROOF), perp_v3(-ROOF, -1, 0));
    perp_vec3 ball = perp_v3(0, RADIUS, 0), top = perp_v3_axpy(ball, -(RADIUS + 0.001), down);
    add_fixed(r.w, perp_shape_halfspace(down, perp_v3_dot(down, top)), perp_pose_identity());
    perp_body_def k = perp_body_def_default(surface ? PERP_BODY_OBSTACLE : PERP_BODY_KINEMATIC);
    perp_shape_def belt = perp_shape_box(20, 0.1, 1);
    k.X_WB = perp_pose_at(0, -0.1, 0);
    *(surface ? &belt.surface_velocity : &k.v_W) = perp_v3(SPEED, 0, 0);
    r.piston = add_def(r.w, &k);
    r.piston_shape = add_shape(r.w, r.piston, belt);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 1;
    b.I_B = perp_m3_diag(0.005, 0.005, 0.005);
    b.X_WB = perp_pose_at(0, RADIUS, 0);
    r.box = add_def(r.w, &b);
    r.box_shape = add_shape(r.w, r.box, perp_shape_sphere(RADIUS));
    b.X_WB = perp_pose_at(-2, RADIUS, 0);
    *other = add_def(r.w, &b);
    add_shape(r.w, *other, perp_shape_box(RADIUS, RADIUS, RADIUS));
    return r;
}

static void drag(int dim, double mu, bool locks) {
    perp_body_id other;
    rig r = wedge(dim, mu, false, &other);
    perp_certificate sum = {0};
    for (int i = 1; i <= STEPS; i++) {
        perp_certificate c;
        OK(r.w, perp_world_step(r.w, &c));
        perp_certificate_add(&sum, &c);
        BELOW(c.overlap, 1e-9);
        BELOW(c.ledger.friction + c.ledger.normal, 1e-9); /* where the belt stands it does no work either */
    }
    print_message("%dD, mu %g: x = %g, %d jams, %.3g deep\n", dim, mu, pose_of(r.w, r.box).p.x, sum.jams,
                  sum.jam_depth);
    assert_true((sum.jams > 0) == locks);
    if (locks) {
        assert_int_equal(sum.jam_shape[0], (int)r.piston_shape.slot);
        assert_int_equal(sum.jam_shape[1], (int)r.box_shape.slot);
        assert_true(sum.jam_depth == 0);
        BELOW(perp_v3_norm(velocity_of(r.w, r.box)), 1e-6);
    }
    /* the belt stands for what is stuck alone */
    NEAR(velocity_of(r.w, other).x, fmin(SPEED, mu * 9.81 * 0.01 * STEPS), 1e-9);
    perp_world_destroy(r.w);
}

static void what_is_dragged_into_a_wedge_stops(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        drag(dim, 0.5, true);
        drag(dim, 0.09, false); /* tan(atan(0.2)/2) = 0.099 */
    }
}

/* A surface that moves on a body at rest drags the ball as well. After the first jammed step none is divided. */
static void what_a_surface_drags_into_a_wedge_stops(void **state) {
    (void)state;
    perp_body_id other;
    rig r = wedge(2, 0.5, true, &other);
    int jams = 0, most = 0;
    for (int i = 1; i <= STEPS; i++) {
        perp_certificate c;
        OK(r.w, perp_world_step(r.w, &c));
        if (jams > 0 && c.substeps > most) most = c.substeps;
        jams += c.jams;
    }
    print_message("belt: %d jams, %d parts at most\n", jams, most);
    assert_true(jams > 0);
    assert_int_equal(most, 1);
    perp_world_destroy(r.w);
}

/* `second-order` has velocities of its own at the end of a step, which the piston, the box and the wall contradict. It goes on, and
 * the box stands between the two. */
static void velocities_of_the_end_jam(void **state) {
    (void)state;
    rig r = press(2, "second-order", 0.3, true);
    perp_certificate sum = {0};
    int jams = 0;
    for (int i = 1; i <= 12; i++) {
        perp_certificate c;
        OK(r.w, perp_world_step(r.w, &c));
        jams += c.jams;
        perp_certificate_add(&sum, &c);
        BELOW(pose_of(r.w, r.box).p.x, 0.02 + 1e-6);
        if (c.jams == 0) continue;
        NEAR(c.jam_depth, SPEED * (0.01 * i - 0.06), 1e-6);
        BELOW(perp_v3_norm(velocity_of(r.w, r.box)), 1e-9);
    }
    print_message("second-order: %d parts jammed, %d gave way by up to %.3g of the speeds\n", jams, sum.gives,
                  sum.give);
    assert_true(jams > 0 && sum.gives == 0 && sum.give == 0);
    perp_world_destroy(r.w);
}

/* A jam lasts for many steps. Once a problem was proven to have no solution, the next step looks for such a proof before solvers use up
 * their limits. */
static void only_the_first_jam_is_dear(void **state) {
    (void)state;
    rig r = press(3, "stewart-trinkle", 0.5, true);
    double first = 0, last = 0;
    for (int i = 1; i <= 12; i++) {
        perp_certificate c;
        OK(r.w, perp_world_step(r.w, &c));
        last = r.w->run.work.done;
        if (c.jams > 0 && first == 0) first = last;
    }
    print_message("work of the first jammed step %g, of the last %g\n", first, last);
    BELOW(last, first / 4);
    perp_world_destroy(r.w);
}

/* A piston pushes two links, one hinged to the other and this to the world, in line against their hinges. `second-order` repeats a part
 * until its joints hold. Once the first answer went on jammed, the others begin there, and they end when joints get no better. */
static void rounds_of_a_jammed_part_stay_jammed(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.stepper = "second-order";
    d.h = 0.01;
    d.gravity_W = perp_v3(0, -9.81, 0);
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.4}));
    add_fixed(w, perp_shape_halfspace(perp_v3(0, 1, 0), 0), perp_pose_identity());
    perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
    k.X_WB = perp_pose_at(-0.54, 0.05, 0);
    k.v_W = perp_v3(SPEED, 0, 0);
    add_shape(w, add_def(w, &k), perp_shape_box(0.05, 0.04, 0.04));
    perp_body_id link[2];
    for (int i = 0; i < 2; i++) {
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.mass = 3;
        b.I_B = perp_m3_diag(0.025, 0.025, 0.025);
        b.X_WB = perp_pose_at(-0.32 * i, 0.05, 0);
        link[i] = add_def(w, &b);
        add_shape(w, link[i], perp_shape_box(0.15, 0.05, 0.05));
    }
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = link[0];
    j.X_AJ = perp_pose_at(0.15, 0.05, 0);
    j.X_BJ = perp_pose_at(0.15, 0, 0);
    OK(w, perp_joint_add(w, &j, NULL));
    j.a = link[0];
    j.b = link[1];
    j.X_AJ = perp_pose_at(-0.16, 0, 0);
    j.X_BJ = perp_pose_at(0.16, 0, 0);
    OK(w, perp_joint_add(w, &j, NULL));
    int jams = 0;
    for (int i = 1; i <= 12; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        jams += c.jams;
        print_message("step %d: %d jams, work %.3g, joints %.2g\n", i, c.jams, w->run.work.done, c.joint_error);
        if (jams > 1) BELOW(w->run.work.done, 6e7); /* 4e7; each round anew: 1.1e8 */
    }
    assert_true(jams > 0);
    perp_world_destroy(w);
}

/* Work of all steps of a scene; *last: certificate of the last one; *most: work of the most expensive step. */
static double work_of(const char *path, perp_certificate *last, double *parts, double *most) {
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(path, NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    double work = 0, all = 0, largest = 0;
    perp_certificate c;
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        OK(w, perp_world_step(w, &c));
        work += w->run.work.done;
        largest = fmax(largest, w->run.work.done);
        all += c.substeps;
    }
    if (last) *last = c;
    if (parts) *parts = all;
    if (most) *most = largest;
    print_message("%s: work %g, of one step up to %g, %g parts\n", path, work, largest, all);
    perp_scene_close(s);
    return work;
}

/* An arm leans on a floor that rotates below it and is locked by friction: with one contact the problem of many parts of a step has no
 * solution. After all bases were tried, no other method is called. */
static void what_has_no_basis_is_cheap(void **state) {
    (void)state;
    double parts, work = work_of(PERP_TEST_DIR "/law/scenes/locked-arm.yaml", NULL, &parts, NULL);
    BELOW(work / parts, 9e6); /* 5.0e6; with all methods: 1.5e7 */
}

/* Where the first kick of a part goes on jammed and the second has no answer, shorter parts are as jammed. */
static void second_kick_jams_with_the_first(void **state) {
    (void)state;
    perp_certificate c;
    BELOW(work_of(PERP_TEST_DIR "/law/scenes/both-kicks-jam.yaml", &c, NULL, NULL), 2e9); /* 1.1e9; divided: 3.4e9 */
    assert_int_equal(c.substeps, 1);
    assert_int_equal(c.jams, 1);
}

/* A driven wall presses bodies into a wedge, and their impacts do not end. The search for their order gets little work; then the step is solved
 * without it. */
static void impacts_in_a_lasting_jam_are_cheap(void **state) {
    (void)state;
#ifdef PERP_TEST_SHORT
    if (!thorough()) skip(); /* it takes a minute with sanitizers; builds without them run it */
#endif
    perp_certificate c;
    double most;
    work_of(PERP_TEST_DIR "/law/scenes/closing-wedge.yaml", &c, NULL, &most);
    assert_true(c.jam_depth > 0);
    BELOW(most, 4e8);
}

/* If the shortest part of a step has a solution only as a last resort, the longer parts after it may use the last resort at once. They are not
 * divided first. */
static void last_resort_is_found_once(void **state) {
    (void)state;
    perp_certificate c;
    double most;
    work_of(PERP_TEST_DIR "/law/scenes/locked-wedge.yaml", &c, NULL, &most);
    BELOW(most, 2e8); /* 6.4e7 in 9 parts; each one divided: 1.4e9 in 256 */
    assert_true(c.substeps < 20);
    BELOW(c.overlap, 1e-9);
}

/* While a jam lasts, most steps use the last resort at once: all but those after 1, 2, 4, 8 of the row. A saved state knows how long it
 * has lasted. */
static void a_lasting_jam_is_searched_seldom(void **state) {
    (void)state;
#ifdef PERP_TEST_SHORT
    if (!thorough()) skip(); /* it takes a minute with sanitizers; builds without them run it */
#endif
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(PERP_TEST_DIR "/law/scenes/lasting-lock.yaml", NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s), *copy = NULL;
    double searched = 0, at_once = 0;
    int nsearched = 0, nat_once = 0;
    static char saved[1 << 16];
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        uint64_t row = w->state.last_resorts;
        if (row == 3 && !copy) { /* a world that goes on from the saved state */
            assert_true(perp_world_state_size(w) <= sizeof saved);
            OK(w, perp_world_get_state(w, saved, sizeof saved));
            OK(w, perp_world_clone(w, &copy));
            copy->state.last_resorts = 0;
            OK(copy, perp_world_set_state(copy, saved, sizeof saved));
        }
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        if (row > 0 && (row & (row - 1)) == 0) searched += w->run.work.done, nsearched++;
        if (row == 3 || row > 4) at_once += w->run.work.done, nat_once++;
        if (copy) {
            OK(copy, perp_world_step(copy, NULL));
            assert_true(perp_world_hash(copy) == perp_world_hash(w));
        }
    }
    print_message("work of a step: %g in %d, %g in %d\n", searched / nsearched, nsearched, at_once / nat_once,
                  nat_once);
    assert_true(nsearched >= 3 && nat_once >= 3);
    BELOW(at_once / nat_once, 0.4 * searched / nsearched); /* 0.22 */
    perp_world_destroy(copy);
    perp_scene_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_is_jammed_how_deep),
                                       cmocka_unit_test(pushing_is_no_jam),
                                       cmocka_unit_test(what_is_dragged_into_a_wedge_stops),
                                       cmocka_unit_test(what_a_surface_drags_into_a_wedge_stops),
                                       cmocka_unit_test(velocities_of_the_end_jam),
                                       cmocka_unit_test(only_the_first_jam_is_dear),
                                       cmocka_unit_test(rounds_of_a_jammed_part_stay_jammed),
                                       cmocka_unit_test(what_has_no_basis_is_cheap),
                                       cmocka_unit_test(second_kick_jams_with_the_first),
                                       cmocka_unit_test(impacts_in_a_lasting_jam_are_cheap),
                                       cmocka_unit_test(last_resort_is_found_once),
                                       cmocka_unit_test(a_lasting_jam_is_searched_seldom)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
