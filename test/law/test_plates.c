/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_plates.c - a particle on a plate that vibrates (Berard ch. 5): the step of the whole program against the same step
 * written out for one particle, and the speed of a field in closed form.
 * For one particle W = 1/m in every direction, so the step is explicit: the normal impulse closes the gap to the plate
 * at the end of the step, friction takes the slip against the plate's velocity, or mu p_n of it. */
#include "check.h"

static const double omega = 207.34511513692635, g = 980.665; /* 66 pi, cm/s^2 */

typedef struct field {
    double turn[2], push[3]; /* amplitudes: angular about x and z; along x, y, z */
    double phase[5];
} field;

/* About one axis only, so that the orientation has a closed form: a swing about z with thrusts along all axes. */
static const field thrown = {{0, 60}, {100, -50, 1536.54}, {0, 0, 0.3, 1.1, 6.5374}};

static perp_vec3 place(const field *f, double t) {
    double w2 = omega * omega;
    return perp_v3(-f->push[0] * sin(omega * t + f->phase[2]) / w2, -f->push[1] * sin(omega * t + f->phase[3]) / w2,
                   -f->push[2] * sin(omega * t + f->phase[4]) / w2);
}

static double angle_at(const field *f, double t) {
    return -f->turn[1] * sin(omega * t + f->phase[1]) / (omega * omega);
}

static scene plate(const field *f, double h, perp_driven driven, perp_form form, perp_vec3 at) {
    perp_world_def d = world_def(3, h, PERP_START_PLAIN);
    d.gravity_W = perp_v3(0, 0, -g);
    d.form = form;
    d.driven = driven;
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.3}), PERP_OK);
    perp_body_def b = perp_body_def_default(PERP_BODY_KINEMATIC);
    perp_body_id id = scene_body(&s, &b);
    scene_shape(&s, id, perp_shape_halfspace(perp_v3(0, 0, 1), 0));
    const perp_sinusoid terms[4] = {{true, 2, f->turn[1], omega, f->phase[1]},
                                    {false, 0, f->push[0], omega, f->phase[2]},
                                    {false, 1, f->push[1], omega, f->phase[3]},
                                    {false, 2, f->push[2], omega, f->phase[4]}};
    perp_motion_def m = perp_motion_def_default(PERP_MOTION_SINUSOID);
    m.terms = terms;
    m.nterm = 4;
    assert_int_equal(perp_body_set_motion(s.w, id, &m), PERP_OK);
    perp_body_def part = perp_body_def_default(PERP_BODY_DYNAMIC);
    part.particle = true;
    part.X_WB.p = at;
    scene_shape(&s, scene_body(&s, &part), perp_shape_particle(perp_v3(0, 0, 0)));
    return s;
}

static perp_vec3 turned(double angle, perp_vec3 v) {
    return perp_v3(cos(angle) * v.x - sin(angle) * v.y, sin(angle) * v.x + cos(angle) * v.y, v.z);
}

/* Friction as the documents print it: it takes the slip against the velocity of the plate at the end of the step. */
static perp_vec3 against_end(const field *f, double t1, double h, perp_vec3 x, perp_vec3 free, double most) {
    perp_vec3 p1 = place(f, t1), drift = perp_v3_scale(1 / h, perp_v3_sub(place(f, t1 + h / 2), place(f, t1 - h / 2)));
    double spin = (angle_at(f, t1 + h / 2) - angle_at(f, t1 - h / 2)) / h;
    perp_vec3 r = perp_v3_sub(x, p1), slip = perp_v3(free.x - drift.x + spin * r.y, free.y - drift.y - spin * r.x, 0);
    double speed = perp_v3_norm(slip), taken = speed <= most ? 1 : most / speed;
    return perp_v3_axpy(free, -taken, slip);
}

/* Friction takes the displacement in the frame of the plate: all of it, or it acts against it with what it has. The
 * displacement is seen from axes that turned half-way. With w the velocity relative to that of sticking and H the half turn,
 * w = w_free - most H' w/|w|, whence |w| and the direction of w. */
static perp_vec3 against_path(const field *f, double t1, double h, perp_vec3 x, perp_vec3 free, double most) {
    perp_vec3 p0 = place(f, t1 - h), p1 = place(f, t1);
    double half = (angle_at(f, t1) - angle_at(f, t1 - h)) / 2;
    perp_vec3 stuck = perp_v3_scale(1 / h, perp_v3_sub(perp_v3_add(p1, turned(2 * half, perp_v3_sub(x, p0))), x));
    perp_vec3 slip = perp_v3(free.x - stuck.x, free.y - stuck.y, 0);
    double speed = perp_v3_norm(slip), along = most * cos(half), across = -most * sin(half), left = 0;
    if (speed > most) left = sqrt(speed * speed - across * across) - along;
    perp_vec3 w = perp_v3_scale(left / speed, turned(-atan2(across, left + along), slip));
    return perp_v3(stuck.x + w.x, stuck.y + w.y, free.z);
}

/* One step of a particle on the plate, written out. */
static void by_hand(const field *f, double t, double h, perp_driven driven, perp_vec3 *x, perp_vec3 *v) {
    perp_vec3 free = perp_v3(v->x, v->y, v->z - g * h);
    double pn = fmax(0, -((x->z - place(f, t + h).z) / h + free.z));
    *v = (driven == PERP_DRIVEN_MEAN ? against_path : against_end)(f, t + h, h, *x, free, 0.3 * pn);
    v->z = free.z + pn;
    *x = perp_v3_axpy(*x, h, *v);
}

/* To rounding that friction carries along, for both velocities of the plate, for the cone and for a pyramid that is
 * turned against the slip. Sticking, sliding and flying all occur. */
static void same_as_by_hand(void **state) {
    (void)state;
    const double h = 1e-4;
    for (int driven = 0; driven < 2; driven++)
        for (int form = 0; form < 2; form++) {
            perp_vec3 x = perp_v3_add(place(&thrown, 0), perp_v3(4, 0, 0)), v = {0, 0, 0};
            scene s = plate(&thrown, h, (perp_driven)driven, form ? PERP_FORM_CONE : PERP_FORM_LCP, x);
            int sticks = 0, slides = 0, flies = 0;
            for (int i = 0; i < long_run(2000); i++) {
                perp_certificate c;
                by_hand(&thrown, i * h, h, (perp_driven)driven, &x, &v);
                assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
                sticks += c.sticking;
                slides += c.sliding;
                flies += c.sticking + c.sliding == 0;
                assert_near(distance(position(&s, 1), x), 0, 1e-12);
            }
            assert_true(sticks > 20 && slides > 5 && flies > 50);
            scene_end(&s);
        }
}

/* With the mean velocity what sticks does not creep along the plate; with that at the end it follows too far. */
static void what_sticks_stays(void **state) {
    (void)state;
    const field gentle = {{0, 20}, {30, 20, 0}, {0, 0.2, 0.3, 1.1, 0}};
    for (int driven = 0; driven < 2; driven++) {
        perp_vec3 x = perp_v3_add(place(&gentle, 0), perp_v3(1, 0, 0));
        scene s = plate(&gentle, 1e-4, (perp_driven)driven, PERP_FORM_CONE, x);
        run_steps(&s, 100); /* from rest in the world to rest on the plate */
        double before[2], after[2], most = 0;
        for (int i = 0; i <= 400; i++) {
            perp_pose X;
            assert_int_equal(perp_body_pose(s.w, s.body[0], &X), PERP_OK);
            perp_vec3 on = perp_pose_apply(perp_pose_inverse(X), position(&s, 1));
            after[0] = on.x, after[1] = on.y;
            if (i == 0) before[0] = on.x, before[1] = on.y;
            most = fmax(most, hypot(after[0] - before[0], after[1] - before[1]));
            run_steps(&s, 1);
        }
        /* a step goes along the chord of the arc: second order in the turn of a step */
        if (driven == PERP_DRIVEN_MEAN)
            assert_near(most, 0, 1e-7);
        else
            assert_true(most > 1e-5 && most < 1e-4);
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_by_hand),
        cmocka_unit_test(what_sticks_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
