/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_space_memory.c - joint spaces, sites, keyframes and actuators when memory is refused, and that a joint space takes none once made
 * Method   Every allocation is refused once, in turn: PERP_E_MEMORY, nothing leaks, and the same call again succeeds. */
#include "unit/world_help.h"

#include "fault/allocator.h"

/* A closed chain of three bodies and four hinges, and a free body. */
static perp_world *chain(counter *c) {
    perp_world_def d = perp_world_def_default(3);
    d.gravity_W = perp_v3(0, 0, 0);
    d.alloc = counting(c);
    perp_world *w = world_of(&d);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    perp_body_id b[3];
    for (int i = 0; i < 3; i++) {
        b[i] = add_mass(w, 1, 1, perp_pose_2d(i == 1 ? 0.5 : i == 2, i == 1 ? 1 : 0.5, i == 1 ? 0 : (1 - i) * PI / 2));
        j.a = i ? b[i - 1] : (perp_body_id){0, 0};
        j.X_AJ = i ? perp_pose_2d(0.5, 0, 0) : perp_pose_identity();
        j.b = b[i];
        j.X_BJ = perp_pose_2d(-0.5, 0, 0);
        add_joint(w, &j);
    }
    j.a = (perp_body_id){0, 0};
    j.X_AJ = perp_pose_at(1, 0, 0);
    j.b = b[2];
    j.X_BJ = perp_pose_2d(0.5, 0, 0);
    add_joint(w, &j);
    add_mass(w, 1, 1, perp_pose_at(0, 0, 5));
    return w;
}

static void test_refused(void **state) {
    (void)state;
    bool any = true;
    for (long at = 0; any; at++) {
        counter c = {.refuse = -1};
        perp_world *w = chain(&c), *copy = NULL;
        perp_joint_space *s = NULL;
        perp_site_def d = perp_site_def_default();
        d.name = "tool";
        double q[1] = {2};
        perp_keyframe k = {.name = "home", .q = q, .nq = 1};
        perp_body_id body[4];
        perp_joint_id joint[4];
        perp_world_bodies(w, body, 4);
        perp_world_joints(w, joint, 4);
        perp_actuator_def servo = perp_actuator_def_default(PERP_ACTUATOR_POSITION);
        servo.joint = joint[1];
        servo.kp = 1;
        servo.name = "servo";
        long live = c.live;
        c = (counter){.live = live, .refuse = at};
        int refused = 0;
#define AGAIN(call)                                   \
    for (perp_status st_; (st_ = (call)) != PERP_OK;) \
        if (st_ != PERP_E_MEMORY || refused++ > 0) fail_msg("%s: %s", perp_status_name(st_), perp_world_why(w));
        AGAIN(perp_world_joint_space(w, NULL, &s));
        AGAIN(perp_site_add(w, &d, NULL));
        AGAIN(perp_keyframe_add(w, &k));
        AGAIN(perp_actuator_add(w, &servo, NULL));
        AGAIN(perp_world_exclude(w, body[0], body[3]));
        AGAIN(perp_world_clone(w, &copy));
        any = c.refused > 0;
        assert_int_equal(perp_world_keyframe_count(copy), 1);
        assert_true(perp_site_find(copy, "tool").gen != 0 && perp_actuator_find(copy, "servo").gen != 0);
        assert_int_equal(perp_world_exclude_count(copy), 1);
        perp_joint_space_free(s);
        perp_world_destroy(copy);
        perp_world_destroy(w);
        assert_int_equal(c.live, 0);
    }
}

static void test_no_allocation(void **state) {
    (void)state;
    counter c = {.refuse = -1};
    perp_world *w = chain(&c);
    perp_joint_space *s;
    OK(w, perp_world_joint_space(w, NULL, &s));
    assert_int_equal(perp_joint_space_nq(s), 10);
    assert_int_equal(perp_joint_space_nv(s), 9);
    double q[10], v[9], M[81], work[81], tau[9] = {0}, J[54], C[27];
    long before = c.calls;
    for (int i = 0; i < 5; i++) {
        OK(w, perp_joint_space_get(s, w, q, v));
        q[0] += 0.05;
        OK(w, perp_joint_space_project(s, w, q, v, NULL));
        OK(w, perp_joint_space_set(s, w, q, v, 1e-12));
        perp_joint_space_mass_matrix(s, M);
        perp_joint_space_bias(s, tau);
        perp_joint_space_inverse_dynamics(s, v, tau);
        OK(w, perp_joint_space_forward_dynamics(s, tau, tau, work));
        perp_joint_link l;
        OK(w, perp_joint_space_link(s, 2, &l));
        OK(w, perp_joint_space_jacobian(s, l.body, tau, J));
        OK(w, perp_joint_space_centre_jacobian(s, 0, C));
    }
    assert_int_equal(c.calls, before);
    perp_joint_space_free(s);
    perp_world_destroy(w);
    assert_int_equal(c.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_no_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
