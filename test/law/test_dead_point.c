/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A wall at speed v presses on a disc that turns about a pin at the distance e from its centre. As long as the disc follows,
 *     sin(angle) = v t/e,    rate = v/(e cos(angle)),
 * so the rate has no bound at the dead point t = e/v, and behind it the disc cannot be anywhere. The drive stalls there, and passes: that
 * is told as a jam, contacts add no energy, and the energy stays in proportion to that of the drive.
 *
 * A drive that moves the end of a lever 30 times faster than itself never stalls. */
#include "peg_scenes.h"

#define SPEED  0.5
#define RADIUS 0.3
#define OFFSET 0.03
#define H      0.0047 /* the dead point is within a step */

typedef struct rig {
    perp_world *w;
    perp_body_id disc;
    double inertia; /* about the pin */
    double mass;
} rig;

static rig crank(int dim, const char *stepper, double restitution) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = stepper;
    d.h = H;
    d.gravity_W = none;
    rig r = {.w = world_of(&d)};
    OK(r.w, perp_pair_set_all(r.w, (perp_pair_law){.restitution = restitution}));
    perp_shape_def ball = perp_shape_sphere(RADIUS);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    assert_int_equal(perp_body_def_mass(&b, &ball, dim, 10), PERP_OK);
    b.X_WB = perp_pose_at(0, OFFSET, 0);
    r.mass = b.mass;
    r.inertia = b.I_B.c[2].z + b.mass * OFFSET * OFFSET;
    r.disc = add_def(r.w, &b);
    add_shape(r.w, r.disc, ball);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = r.disc;
    j.X_BJ = perp_pose_at(0, -OFFSET, 0);
    OK(r.w, perp_joint_add(r.w, &j, NULL));
    perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
    k.X_WB = perp_pose_at(-RADIUS, 0, 0);
    k.v_W = perp_v3(SPEED, 0, 0);
    add_shape(r.w, add_def(r.w, &k), perp_shape_halfspace(perp_v3(1, 0, 0), 0));
    return r;
}

/* Angle of the disc from its start, clockwise. */
static double turned(const rig *r) {
    perp_vec3 p = pose_of(r->w, r->disc).p;
    return atan2(p.x, p.y);
}

static void stalls(int dim, double restitution, double most_energy) {
    rig r = crank(dim, "stewart-trinkle", restitution);
    const double dead = OFFSET / SPEED, along = 0.5 * r.mass * SPEED * SPEED;
    double most = 0, gain = 0, open = 0;
    int jams = 0;
    for (int i = 1; i * H < 2 * dead; i++) {
        perp_certificate c;
        OK(r.w, perp_world_step(r.w, &c));
        double t = i * H, rate = spin_of(r.w, r.disc).z;
        most = fmax(most, 0.5 * r.inertia * rate * rate);
        gain = fmax(gain, c.gain_part);
        open = fmax(open, c.joint_error);
        jams += c.jams;
        if (t < dead) assert_int_equal(c.jams, 0);
        if (t < dead && restitution == 0) NEAR(turned(&r), asin(SPEED * t / OFFSET), 1e-7);
    }
    print_message("%dD, e = %g: %d jams, energy at most %.3g of that of the drive's speed, gain %.2g, joint %.2g\n",
                  dim, restitution, jams, most / along, gain, open);
    assert_true(jams > 0);
    BELOW(most, most_energy * along);
    BELOW(gain, 1e-6);
    BELOW(open, 0.5 * OFFSET);
    perp_world_destroy(r.w);
}

/* Without the stall: 1e9 with restitution. */
static void a_drive_stalls_at_a_dead_point(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        stalls(dim, 0, 1e3);
        stalls(dim, 0.8, 1e4);
    }
}

/* A driven ball presses a rod of length L at L/30 from its pin. */
static void a_lever_is_no_dead_point(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.gravity_W = none;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = 0}));
        perp_shape_def rod = perp_shape_box(0.02, 1.5, 0.02);
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        assert_int_equal(perp_body_def_mass(&b, &rod, dim, 10), PERP_OK);
        b.X_WB = perp_pose_at(0, 1.5, 0);
        perp_body_id body = add_def(w, &b);
        add_shape(w, body, rod);
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.b = body;
        j.X_BJ = perp_pose_at(0, -1.5, 0);
        OK(w, perp_joint_add(w, &j, NULL));
        perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
        k.X_WB = perp_pose_at(-0.031, 0.1, 0);
        k.v_W = perp_v3(0.2, 0, 0);
        add_shape(w, add_def(w, &k), perp_shape_sphere(0.01));
        for (int i = 0; i < 30; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            assert_int_equal(c.jams, 0);
            BELOW(c.overlap, 1e-9);
        }
        double rate = -spin_of(w, body).z;
        print_message("%dD: the lever turns at %g rad/s\n", dim, rate);
        assert_true(rate > 1.8 && rate < 2.5); /* 0.2/0.1, a little more behind the corner of the rod */
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_drive_stalls_at_a_dead_point),
                                       cmocka_unit_test(a_lever_is_no_dead_point)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
