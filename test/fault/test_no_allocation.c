/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_no_allocation.c - once a scene is steady, a step does not touch the heap
 * Method   Two counts over 200 steps after 50 to warm up: calls of the world's allocator, and calls of malloc and its
 *          sisters anywhere in the process, third-party libraries included (count_malloc.h).
 * Valid    With sanitizers, which bring a malloc of their own, and with other C libraries than glibc only the first
 *          count is made. */
#include "unit/world_help.h"

#include "cone_world.h"
#include "count_malloc.h"
#include "fault/allocator.h"
#include "scenes.h"

static const perp_vec3 none = {0, 0, 0};

static perp_body_id box_2d(scene *s, double x, double y, double half) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.X_WB = perp_pose_2d(x, y, 0);
    perp_body_id b = scene_body(s, &d);
    scene_shape(s, b, perp_shape_box(half, half, half));
    return b;
}

static scene stack(perp_world_def d) {
    scene s = scene_new(d);
    OK(s.w, perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.5}));
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(perp_v3(0, 1, 0), 0));
    for (int i = 0; i < 6; i++) box_2d(&s, 0.02 * (i % 2), 0.5 + i, 0.5);
    return s;
}

/* Four links of length 1 in a square, the first one the ground: three bodies, four hinges. */
static scene closed_chain(perp_world_def d) {
    scene s = scene_new(d);
    const perp_pose X[3] = {perp_pose_2d(0, -0.5, -PI / 2), perp_pose_2d(0.5, -1, 0), perp_pose_2d(1, -0.5, PI / 2)};
    for (int i = 0; i < 3; i++) {
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.X_WB = X[i];
        b.I_B = perp_m3_diag(0.1, 0.1, 1.0 / 12);
        b.v_W = i == 1 ? perp_v3(1, 0, 0) : perp_v3(0.5, 0, 0);
        b.w_W = i == 1 ? none : perp_v3(0, 0, 1);
        scene_body(&s, &b);
    }
    for (int i = 0; i <= 3; i++) {
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        if (i > 0) j.a = s.body[i - 1];
        j.X_AJ.p = i > 0 ? perp_v3(0.5, 0, 0) : none;
        j.b = i < 3 ? s.body[i] : s.body[2];
        if (i == 3) { /* back to the ground */
            j.a = (perp_body_id){0, 0};
            j.X_AJ.p = perp_v3(1, 0, 0);
        }
        j.X_BJ.p = perp_v3(i < 3 ? -0.5 : 0.5, 0, 0);
        scene_joint(&s, &j);
    }
    return s;
}

static scene tower(perp_world_def d) { return scene_tower(d, 20, 0, 0.3); }
static scene soft_tower(perp_world_def d) {
    d.stepper = "first-order";
    scene s = scene_tower(d, 9, 0.001, 0.3);
    OK(s.w,
       perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.3, .compliance = PERP_HERTZ, .stiffness = 1e9, .damping = 9}));
    return s;
}
static scene visco_tower(perp_world_def d) {
    d.stepper = "viscoelastic"; /* many parts in some steps, none in others */
    scene s = scene_tower(d, 5, 0.001, 0.3);
    OK(s.w, perp_pair_set_all(
                s.w, (perp_pair_law){
                         .mu = 0.3, .compliance = PERP_LINEAR, .stiffness = 1e5, .damping = 200, .stiffness_t = 1e5}));
    return s;
}
static scene on_foundation(perp_world_def d) {
    d.stepper = "first-order";
    scene s = scene_stack(d, 1, 1, 0);
    OK(s.w, perp_pair_set_all(s.w, (perp_pair_law){.compliance = PERP_FOUNDATION, .stiffness = 1e6, .damping = 1e4}));
    return s;
}
static scene soft_pendulum(perp_world_def d) {
    d.stepper = "first-order";
    scene s = scene_double_pendulum(d);
    OK(s.w, perp_world_set(s.w, "first-order.curvature", 0.5));
    return s;
}
static scene second_order_block(perp_world_def d) {
    d.stepper = "second-order";
    return scene_pendulum_on_block(d);
}
static scene second_order_pendulum(perp_world_def d) {
    d.stepper = "second-order";
    return scene_double_pendulum(d);
}
static scene second_order_slide(perp_world_def d) {
    d.stepper = "second-order";
    return scene_flat_slide(d, 6, 0.3);
}
static scene short_tower(perp_world_def d) { return scene_tower(d, 6, 0, 0.3); }
static scene two_cubes(perp_world_def d) { return scene_mass_ratio(d, 3, 0.5); }
static scene pinch(perp_world_def d) { return scene_pinch_hold(d, 5, 0.5); }
static scene slide(perp_world_def d) { return scene_flat_slide(d, 6, 0.3); }

typedef struct steady {
    const char *name;
    int dim;
    scene (*make)(perp_world_def);
    perp_form form;
    bool correction;
    perp_start start;
} steady;

static steady scenes[] = {
    {"tower", 3, tower, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"tower, mixed", 3, short_tower, PERP_FORM_MLCP, false, PERP_START_PLAIN},
    {"stack", 2, stack, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"stack, mixed", 2, stack, PERP_FORM_MLCP, false, PERP_START_PLAIN},
    {"two cubes", 3, two_cubes, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"slide", 3, slide, PERP_FORM_LCP, false, PERP_START_STAGGERED},
    {"pendulum on block", 2, scene_pendulum_on_block, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"pendulum on block, mixed, corrected", 2, scene_pendulum_on_block, PERP_FORM_MLCP, true, PERP_START_PLAIN},
    {"pinch", 3, pinch, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"pinch, mixed", 3, pinch, PERP_FORM_MLCP, false, PERP_START_PLAIN},
    {"closed chain", 2, closed_chain, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"closed chain, corrected", 2, closed_chain, PERP_FORM_LCP, true, PERP_START_PLAIN},
    {"double pendulum, corrected", 2, scene_double_pendulum, PERP_FORM_LCP, true, PERP_START_STAGGERED},
    {"hanging rod, corrected", 3, scene_hanging_rod, PERP_FORM_LCP, true, PERP_START_PLAIN},
    {"everything planar", 2, scene_full_planar, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"short tower, cones", 3, short_tower, PERP_FORM_CONE, false, PERP_START_PLAIN},
    {"stack, cones", 2, stack, PERP_FORM_CONE, false, PERP_START_PLAIN},
    {"slide, cones", 3, slide, PERP_FORM_CONE, false, PERP_START_STAGGERED},
    {"pinch, cones", 3, pinch, PERP_FORM_CONE, false, PERP_START_PLAIN},
    {"soft tower", 3, soft_tower, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"soft tower, cones", 3, soft_tower, PERP_FORM_CONE, false, PERP_START_PLAIN},
    {"viscoelastic tower", 3, visco_tower, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"viscoelastic tower, cones", 3, visco_tower, PERP_FORM_CONE, false, PERP_START_PLAIN},
    {"foundation", 3, on_foundation, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"soft pendulum", 2, soft_pendulum, PERP_FORM_MLCP, false, PERP_START_PLAIN},
    {"pendulum on block, second order", 2, second_order_block, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"double pendulum, second order", 2, second_order_pendulum, PERP_FORM_LCP, false, PERP_START_PLAIN},
    {"slide, second order, cones", 3, second_order_slide, PERP_FORM_CONE, false, PERP_START_PLAIN},
    {"everything planar, cones", 2, scene_full_planar, PERP_FORM_CONE, true, PERP_START_PLAIN},
};

static void test_steady(void **state) {
    const steady *t = *state;
    counter c = {.refuse = -1};
    perp_world_def d = perp_world_def_default(t->dim);
    d.alloc = counting(&c);
    d.form = t->form;
    if (t->form == PERP_FORM_CONE) d = cone_world(d, 1);
    d.joint_correction = t->correction;
    d.start = t->start;
    scene s = t->make(d);
    run(s.w, 50);
    long hook = c.calls, heap = malloc_count;
    for (int i = 0; i < 200; i++) {
        perp_certificate cert;
        perp_status st = perp_world_step(s.w, &cert);
        if (st || !cert.accepted) fail_msg("step %d: %s", i, perp_world_why(s.w));
        if (c.calls != hook || malloc_count != heap)
            fail_msg("step %d allocates: %ld calls of the allocator, %ld of the heap (%d contacts, %d substeps, %d "
                     "fallbacks)",
                     i, c.calls - hook, malloc_count - heap, cert.contacts, cert.substeps, cert.fallbacks);
    }
    scene_end(&s);
    assert_int_equal(c.live, 0);
}

/* The counts count: a scene is built, and a step in which contacts begin allocates. */
static void test_counts(void **state) {
    (void)state;
    counter c = {.refuse = -1};
    perp_world_def d = perp_world_def_default(3);
    d.alloc = counting(&c);
    long heap = malloc_count;
    scene s = scene_tower(d, 20, 0.001, 0.3);
    run(s.w, 1);
    assert_true(c.calls > 20);
    if (COUNTS_MALLOC)
        assert_true(malloc_count - heap >= c.calls);
    else
        print_message("only the allocator hook is counted: this build has another malloc than glibc's\n");
    scene_end(&s);
}

int main(void) {
    enum { N = sizeof scenes / sizeof *scenes };
    struct CMUnitTest tests[N + 1] = {cmocka_unit_test(test_counts)};
    for (int i = 0; i < N; i++)
        tests[1 + i] =
            (struct CMUnitTest){.name = scenes[i].name, .test_func = test_steady, .initial_state = &scenes[i]};
    return cmocka_run_group_tests_name("no allocation", tests, NULL, NULL);
}
