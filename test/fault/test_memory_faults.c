/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_memory_faults.c - every allocation refused once
 * Method   A scenario is a list of calls: a world with every kind of part, steps in which contacts come and go, a
 *          clone, states. It is run with the k-th allocation refused, for k = 0, 1, 2, ... until none is
 *          (`make test`: every fifth). The call that
 *          fails says PERP_E_MEMORY and why and changes nothing; then the scenario is either given up, and nothing may
 *          leak, or the call is made again, and the run must end with the hash of an undisturbed one.
 * Valid    Memory of third-party libraries (hulls of polyhedra) does not come through the hook. */
#include "unit/world_help.h"

#include "cone_world.h"
#include "fault/allocator.h"
#include "thorough.h"

#define NBALL 12 /* more than the first capacity of an array */
#define NSTEP 14
#define LONG  4096

typedef struct scenario {
    int dim;
    perp_world_def def;
    perp_world *w, *clone;
    perp_body_id floor, conveyor, swing, box, ball[NBALL], extra;
    perp_shape_id hull;
    perp_joint_id hinge, slider;
    int material;
    char state[LONG * 4];
    size_t state_size;
    uint64_t end, end_clone;
} scenario;

typedef perp_status (*step_of)(scenario *s, int i);

static perp_status create(scenario *s, int i) {
    (void)i;
    char why[200] = "";
    perp_status st = perp_world_create_why(&s->def, &s->w, why, sizeof why);
    if (st) {
        assert_null(s->w);
        assert_non_null(strstr(why, "memory"));
    }
    return st;
}

static perp_status add_obstacle(scenario *s, int i) {
    (void)i;
    perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
    d.name = "floor";
    return perp_body_add(s->w, &d, &s->floor);
}

static perp_status add_conveyor(scenario *s, int i) {
    (void)i;
    perp_body_def d = perp_body_def_default(PERP_BODY_KINEMATIC);
    d.name = "conveyor";
    d.X_WB = at_height(s->dim, 0, -0.5);
    d.v_W = perp_v3(0.2, 0, 0); /* has a motion from the start */
    return perp_body_add(s->w, &d, &s->conveyor);
}

static perp_status add_swing(scenario *s, int i) {
    (void)i;
    perp_body_def d = perp_body_def_default(PERP_BODY_KINEMATIC);
    d.X_WB = at_height(s->dim, 8.1, 1);
    return perp_body_add(s->w, &d, &s->swing);
}

static perp_status add_ball(scenario *s, int i) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    char name[20];
    snprintf(name, sizeof name, "ball %d", i);
    d.name = name;
    d.X_WB = at_height(s->dim, 0.9 * i, 0.2501 + 0.0001 * i); /* they land one after the other */
    d.particle = i == 3;
    return perp_body_add(s->w, &d, &s->ball[i]);
}

static perp_status add_box_body(scenario *s, int i) {
    (void)i;
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.name = "box";
    d.X_WB = at_height(s->dim, -1, 0.25);
    d.v_W = perp_v3(0.5, 0, 0);
    return perp_body_add(s->w, &d, &s->box);
}

static perp_status add_material(scenario *s, int i) {
    (void)i;
    return perp_material_add(s->w, &s->material);
}

static perp_status set_laws(scenario *s, int i) {
    (void)i;
    double mu = s->dim == 2 ? 0.3 : 0; /* in 3D only the spheres rub, to be quick */
    perp_status st = perp_pair_set_all(s->w, (perp_pair_law){.mu = mu});
    return st ? st : perp_pair_set(s->w, 0, s->material, (perp_pair_law){.mu = 0.1, .restitution = 0.2});
}

/* Shapes of all kinds, on bodies that meet the floor. */
static perp_status add_ball_shape(scenario *s, int i) {
    perp_vec3 flat[5], solid[8];
    for (int k = 0; k < 5; k++) flat[k] = perp_v3(0.25 * cos(1.3 * k), 0.25 * sin(1.3 * k), 0);
    for (int k = 0; k < 8; k++) solid[k] = perp_v3(k & 1 ? 0.25 : -0.2, k & 2 ? 0.2 : -0.2, k & 4 ? 0.2 : -0.25);
    perp_shape_def d = perp_shape_sphere(0.25);
    if (i % 4 == 1) d = perp_shape_box(0.25, 0.25, 0.25);
    if (i % 4 == 2) d = s->dim == 2 ? perp_shape_polygon(flat, 5) : perp_shape_polyhedron(solid, 8);
    if (i % 4 == 3) d = perp_shape_particle(perp_v3_scale(-0.25, up(s->dim)));
    d.material = i % 4 == 0 ? s->material : 0;
    return perp_shape_add(s->w, s->ball[i], &d, NULL);
}

static perp_status add_floor_shape(scenario *s, int i) {
    (void)i;
    perp_shape_def d = perp_shape_halfspace(up(s->dim), 0);
    return perp_shape_add(s->w, s->floor, &d, NULL);
}

static perp_status add_conveyor_shape(scenario *s, int i) {
    (void)i;
    perp_shape_def d = perp_shape_box(50, 0.4999, 0.4999);
    d.mask = 0;
    return perp_shape_add(s->w, s->conveyor, &d, NULL);
}

static perp_status add_box_shape(scenario *s, int i) {
    (void)i;
    perp_shape_def d = perp_shape_box(0.25, 0.25, 0.25);
    return perp_shape_add(s->w, s->box, &d, &s->hull);
}

static perp_status add_joint_to(scenario *s, int i) {
    perp_joint_def d = perp_joint_def_default(s->dim == 2 ? PERP_JOINT_REVOLUTE : PERP_JOINT_SPHERICAL);
    d.a = s->ball[i];
    d.b = s->ball[i + 1];
    d.X_AJ.p = perp_v3(0.45, 0, 0);
    d.X_BJ.p = perp_v3(-0.45, 0, 0);
    d.name = "link";
    return perp_joint_add(s->w, &d, NULL);
}

static perp_status add_hinge(scenario *s, int i) {
    (void)i;
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    d.b = s->ball[8];
    d.X_AJ = at_height(s->dim, 7.2, 0.2501 + 0.0001 * 8);
    d.axis[0].motor = true;
    d.axis[0].motor_speed = 1;
    d.axis[0].motor_force = 2;
    d.axis[0].limited = true;
    d.axis[0].hi = 0.01;
    return perp_joint_add(s->w, &d, &s->hinge);
}

static perp_status add_slider(scenario *s, int i) {
    (void)i;
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_PRISMATIC);
    d.a = s->swing;
    d.b = s->ball[9];
    perp_pose X_WJ = at_height(s->dim, 8.1, 0.2501 + 0.0001 * 9);
    d.X_AJ = perp_pose_mul(perp_pose_inverse(at_height(s->dim, 8.1, 1)), X_WJ);
    d.axis[0].stiffness = 10;
    d.axis[0].damping = 1;
    d.axis[0].friction = 0.5;
    return perp_joint_add(s->w, &d, &s->slider);
}

static void push(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    (void)w;
    (void)ctx;
    out->force.x = 0.1 * sin(t);
}

static perp_status add_forces(scenario *s, int i) {
    static const perp_force_kind kind[] = {PERP_FORCE_CONSTANT, PERP_FORCE_SINUSOID, PERP_FORCE_SPRING, PERP_FORCE_PD,
                                           PERP_FORCE_USER};
    perp_force_def d = perp_force_def_default(kind[i % 5]);
    d.b = s->ball[i];
    d.wrench.force = perp_v3(0.1, 0.1, 0);
    d.omega = 3;
    d.a = d.kind == PERP_FORCE_SPRING ? s->box : (perp_body_id){0, 0};
    d.stiffness = 1;
    d.damping = 0.1;
    d.joint = s->hinge;
    d.kp = 1;
    d.kd = 0.1;
    d.max_force = 1;
    d.user = push;
    return perp_force_add(s->w, &d, NULL);
}

static perp_status set_sinusoid(scenario *s, int i) {
    (void)i;
    perp_sinusoid term[] = {{.axis = 0, .amplitude = 1, .omega = 7},
                            {.angular = true, .axis = 2, .amplitude = 0.1, .omega = 5}};
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
    d.terms = term;
    d.nterm = 2;
    d.zero_mean = false;
    return perp_body_set_motion(s->w, s->swing, &d);
}

static perp_status set_table(scenario *s, int i) {
    (void)i;
    perp_pose_at_time at[] = {{0, at_height(s->dim, 0, -0.5)}, {1, at_height(s->dim, 1, -0.5)}};
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_TABLE);
    d.table = at;
    d.ntable = 2;
    return perp_body_set_motion(s->w, s->conveyor, &d);
}

static perp_status step(scenario *s, int i) {
    (void)i;
    return perp_world_step(s->w, NULL);
}

static perp_status overlap(scenario *s, int i) {
    (void)i;
    double depth = perp_world_overlap(s->w); /* has no status: infinite when it could not be found */
    assert_true(depth >= 0);
    return isinf(depth) ? PERP_E_MEMORY : PERP_OK;
}

static perp_status remove_and_add(scenario *s, int i) {
    (void)i;
    if (s->extra.gen == 0) OK(s->w, perp_body_remove(s->w, s->ball[1])); /* with its joint; takes no memory */
    s->extra = s->ball[1];
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.name = "another";
    d.X_WB = at_height(s->dim, 0.9, 0.2501);
    return perp_body_add(s->w, &d, &s->ball[1]);
}

static perp_status clone(scenario *s, int i) {
    (void)i;
    perp_status st = perp_world_clone(s->w, &s->clone);
    if (st) assert_null(s->clone);
    return st;
}

static perp_status step_clone(scenario *s, int i) {
    (void)i;
    return perp_world_step(s->clone, NULL);
}

static perp_status get_state(scenario *s, int i) {
    (void)i;
    s->state_size = perp_world_state_size(s->w);
    assert_true(s->state_size <= sizeof s->state);
    return perp_world_get_state(s->w, s->state, sizeof s->state);
}

static perp_status set_state(scenario *s, int i) {
    (void)i;
    return perp_world_set_state(s->clone, s->state, s->state_size);
}

static const struct {
    step_of call;
    int times;
    bool of_clone; /* fails in the clone: the sentence is there */
    bool silent;   /* has no sentence */
} play[] = {
    {create, 1, false, true},
    {add_obstacle, 1, false, false},
    {add_conveyor, 1, false, false},
    {add_swing, 1, false, false},
    {add_ball, NBALL, false, false},
    {add_box_body, 1, false, false},
    {add_material, 1, false, false},
    {set_laws, 1, false, false},
    {add_floor_shape, 1, false, false},
    {add_conveyor_shape, 1, false, false},
    {step, 2, false, false}, /* before there is much */
    {add_box_shape, 1, false, false},
    {step, 2, false, false},
    {add_ball_shape, NBALL, false, false},
    {add_joint_to, 2, false, false},
    {add_hinge, 1, false, false},
    {add_slider, 1, false, false},
    {add_forces, 10, false, false},
    {set_sinusoid, 1, false, false},
    {set_table, 1, false, false},
    {step, NSTEP, false, false},
    {overlap, 1, false, true},
    {remove_and_add, 1, false, false},
    {add_joint_to, 2, false, false},
    {step, 3, false, false},
    {clone, 1, false, true},
    {step_clone, 3, true, false},
    {step, 2, false, false},
    {get_state, 1, false, false},
    {set_state, 1, true, false},
    {step, 3, false, false},
    {step_clone, 3, true, false},
};

static uint64_t hash_of(const perp_world *w) { return w ? perp_world_hash(w) : 0; }

/* Plays the scenario; a refused call is made again, or ends it. True if it came to the end. */
static bool run_scenario(scenario *s, counter *c, bool again) {
    for (size_t k = 0; k < sizeof play / sizeof *play; k++)
        for (int i = 0; i < play[k].times; i++) {
            uint64_t before = hash_of(s->w), before_clone = hash_of(s->clone);
            int bodies = s->w ? perp_world_body_count(s->w) : 0;
            perp_status st = play[k].call(s, i);
            if (!st) continue;
            if (st != PERP_E_MEMORY || c->refused != 1)
                fail_msg("call %zu, time %d, with allocation %ld refused (%ld were): %s: %s", k, i, c->refuse,
                         c->refused, perp_status_name(st), s->w ? perp_world_why(s->w) : "");
            if (!play[k].silent) {
                const char *why = perp_world_why(play[k].of_clone ? s->clone : s->w);
                if (!strstr(why, "memory") && !strstr(why, "allocation"))
                    fail_msg("call %zu: \"%s\" does not speak of memory", k, why);
            }
            if (play[k].call != remove_and_add) {
                assert_int_equal(hash_of(s->w), before);
                assert_int_equal(s->w ? perp_world_body_count(s->w) : 0, bodies);
            }
            assert_int_equal(hash_of(s->clone), before_clone);
            if (!again) return false;
            st = play[k].call(s, i);
            if (st) fail_msg("call %zu, time %d, again: %s", k, i, perp_status_name(st));
        }
    s->end = hash_of(s->w);
    s->end_clone = hash_of(s->clone);
    return true;
}

static void end_scenario(scenario *s, counter *c) {
    perp_world_destroy(s->w);
    perp_world_destroy(s->clone);
    if (c->live != 0) fail_msg("%ld blocks leaked with allocation %ld refused", c->live, c->refuse);
}

static void faults_in(perp_world_def def) {
    counter free_run = {.refuse = -1};
    scenario *ref = calloc(1, sizeof *ref), *s = malloc(sizeof *s);
    assert_true(ref && s);
    def.alloc = counting(&free_run);
    ref->dim = def.dim;
    ref->def = def;
    assert_true(run_scenario(ref, &free_run, false));
    assert_int_equal(ref->end,
                     ref->end_clone); /* the clone was given the state of the original, and both made three steps */
    const perp_contact *contact;
    assert_true(perp_world_contacts(ref->w, &contact) > 8); /* more than the first capacity */
    end_scenario(ref, &free_run);
    for (int again = 0; again < 2; again++) {
        long k = 0, stride = stride_of(11, 43);
        for (bool reached = true; reached; k += stride) {
            counter c = {.refuse = k};
            memset(s, 0, sizeof *s);
            def.alloc.ctx = &c;
            s->dim = def.dim;
            s->def = def;
            if (run_scenario(s, &c, again != 0) && (s->end != ref->end || s->end_clone != ref->end))
                fail_msg("with allocation %ld refused the run ends differently", k);
            reached = c.refused > 0;
            end_scenario(s, &c);
        }
        assert_true(k > free_run.calls); /* up to the last */
    }
    free(s);
    free(ref);
}

static void test_2d(void **state) {
    (void)state;
    faults_in(perp_world_def_default(2));
}

static void test_3d(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.friction_directions = 4;
    faults_in(d);
}

static void test_mlcp_corrected(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.form = PERP_FORM_MLCP;
    d.joint_correction = true;
    faults_in(d);
}

static void test_staggered(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.start = PERP_START_STAGGERED;
    d.stepper = "anitescu-potra";
    faults_in(d);
}

static void test_cones(void **state) {
    (void)state;
    faults_in(cone_world(perp_world_def_default(2), 1));
    faults_in(cone_world(perp_world_def_default(3), 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_2d),        cmocka_unit_test(test_3d),    cmocka_unit_test(test_mlcp_corrected),
        cmocka_unit_test(test_staggered), cmocka_unit_test(test_cones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
