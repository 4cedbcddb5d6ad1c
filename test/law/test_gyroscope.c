/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_gyroscope.c - a rotor whose axis is held by a hinge, at steps in which it turns by radians
 * What the hinge must undo is not how far its anchors part, which lie on the axis, but by how much the rotor's axis leaves
 * that of its ring: a free rotor nutates by its spin times the ratio of its inertias in each step. The axes came to lie
 * the wrong way round within a few steps, while the laws of every step held. */
#include "../unit/world_help.h"

/* A rotor of 1 kg at 200 rad/s on the end of an arm of 0.2 m that turns freely about the origin, let go: it goes round, and
 * nods. */
static void test_precession(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world_def d = perp_world_def_default(3);
        d.h = (double[]){0.005, 0.01, 0.02}[k];
        perp_world *w = world_of(&d);
        perp_body_def rotor = perp_body_def_default(PERP_BODY_DYNAMIC), ring = rotor;
        rotor.I_B = perp_m3_diag(2e-3, 1e-3, 1e-3);
        rotor.X_WB.p = perp_v3(0.2, 0, 0);
        rotor.w_W = perp_v3(200, 0, 0);
        ring.mass = 0.2;
        ring.I_B = perp_m3_diag(1e-4, 1e-3, 1e-3);
        ring.X_WB.p = perp_v3(0.1, 0, 0);
        perp_body_id r = add_def(w, &rotor), a = add_def(w, &ring);
        perp_joint_def pivot = perp_joint_def_default(PERP_JOINT_SPHERICAL),
                       hinge = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        pivot.b = a;
        pivot.X_BJ = perp_pose_at(-0.1, 0, 0);
        add_joint(w, &pivot);
        hinge.a = a;
        hinge.b = r;
        hinge.X_AJ = perp_pose_at(0.1, 0, 0);
        hinge.X_AJ.q = hinge.X_BJ.q = perp_q_axis_angle(perp_v3(0, 1, 0), acos(-1.0) / 2); /* z along the arm */
        add_joint(w, &hinge);
        double round = 0, last = 0, error = 0, lowest = 0;
        for (int i = 0; i < (int)lround(1 / d.h); i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            perp_pose X;
            OK(w, perp_body_pose(w, r, &X));
            double at = atan2(X.p.y, X.p.x);
            round += at - last - 2 * acos(-1.0) * nearbyint((at - last) / (2 * acos(-1.0)));
            last = at;
            error = fmax(error, c.joint_error);
            lowest = fmin(lowest, X.p.z);
        }
        print_message("h = %g: %.3f rad round, down to %.3f, joints part by %.1e\n", d.h, round, lowest, error);
        BELOW(error, 0.04);
        NEAR(round, 3.865, 0.06); /* with steps of 1 ms */
        NEAR(lowest, -0.133, 0.01);
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_precession)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
