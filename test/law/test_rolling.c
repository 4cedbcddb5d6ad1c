/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_rolling.c - rolling friction: two more parts of the friction ellipsoid, the moments about the tangents
 *     (p_t/e_t)^2 + (p_o/e_o)^2 + (p_r/e_r)^2 + |p_roll|^2/e_roll^2 <= (mu p_n)^2, of all points the one that dissipates most.
 * Closed forms for a ball of radius r, mass m, inertia I on a plane that slopes by a. Slip s = v - r w, s = k w. With D = sqrt(k^2 + e^2)
 * the friction is F = -mu N k/D and the moment mu N e^2/D, so that
 *     m (r + k) w' = m g sin a - mu N k/D,    I w' = mu N (r k - e^2)/D,    N = m g cos a.
 * Both have one root k, which the motion keeps: w' is constant. Level ground, small e: k = e^2 m r/(I + m r^2), and a solid ball slows down
 * by 5/7 g mu e/r. At rest F = m g sin a and the moment r F fit in the ellipsoid as long as tan a <= mu e/sqrt(r^2 + e^2). */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "law/ball_scenes.h"
#include "perp/problem_file.h"

static const double g = 9.81, I = BALL_INERTIA;
static const perp_pair_law rolls_and_spins = {.mu = 0.4, .e_t = 1, .e_o = 0.8, .e_r = 0.2, .e_roll = 0.1};

static perp_world_def cones_by(double h, const char *stepper, perp_start start) {
    perp_world_def d = world_def(3, h, start);
    d.form = PERP_FORM_CONE;
    d.stepper = stepper;
    return d;
}

static perp_quat about(perp_vec3 axis, double angle) { return perp_q_axis_angle(axis, angle); }

static scene with_floor(perp_world_def d, perp_pair_law law) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, law), PERP_OK);
    add_floor(&s, perp_q_identity());
    return s;
}

static double rolling_moment(const perp_contact *c) { return hypot(c->roll_impulse[0], c->roll_impulse[1]); }

/* What the second equation of the head leaves of the first, at k: zero at the motion. */
static double left_over(double mu, double e, double slope, double k) {
    double push = mu * g * cos(slope) / sqrt(k * k + e * e);
    return (1 + k) * push * (k - e * e) / I - (g * sin(slope) - push * k);
}

/* Slip over rate of turning, and the rate's change, of a ball that rolls on a slope. */
static double creep(double mu, double e, double slope, double *rate) {
    double lo = 0, hi = 1;
    while (left_over(mu, e, slope, hi) < 0) hi *= 2;
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (lo + hi);
        if (left_over(mu, e, slope, mid) < 0)
            lo = mid;
        else
            hi = mid;
    }
    *rate = mu * g * cos(slope) * (lo - e * e) / sqrt(lo * lo + e * e) / I;
    return lo;
}

/* Exact at every step to rest, and at rest for ever. The work of friction is the energy that is lost. */
static void rolls_to_rest(void **state) {
    (void)state;
    static const char *const stepper[] = {"stewart-trinkle", "anitescu-potra", "second-order", "implicit",
                                          "first-order"};
    static const double length[] = {0.002, 0.05, 0.7};
    for (int k = 0; k < 5; k++)
        for (int j = 0; j < 3; j++) {
            const double mu = 0.4, e = length[j], h = 0.01, w0 = j == 0 ? 0.2 : 3;
            double slower, ratio = creep(mu, e, 0, &slower);
            scene s = with_floor(cones_by(h, stepper[k], PERP_START_PLAIN), (perp_pair_law){.mu = mu, .e_roll = e});
            add_ball(&s, perp_v3(0, 0, 1), perp_v3((1 + ratio) * w0, 0, 0), perp_v3(0, w0, 0));
            if (j == 0) assert_near(-slower, 5.0 / 7 * g * mu * e, 2 * e * e * g * mu * e);
            int stops = (int)ceil(w0 / -slower / h); /* the step in which it does */
            for (int i = 1; i <= stops + 20; i++) {
                perp_certificate c;
                assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
                double expected = fmax(0, w0 + slower * h * i);
                assert_near(spin(&s, 1).y, expected, 1e-9);
                assert_near(velocity(&s, 1).x, (1 + ratio) * expected, 1e-9);
                assert_near(c.ledger.remainder, 0, 1e-11);
                assert_near(c.ledger.friction, c.ledger.kinetic_after - c.ledger.kinetic_before, 1e-8);
                const perp_contact *p = only_contact(&s);
                if (i < stops)
                    assert_near(rolling_moment(p), mu * e * e / sqrt(ratio * ratio + e * e) * p->impulse_C[0], 1e-9);
                if (i != stops) assert_int_equal(p->state, i < stops ? PERP_CONTACT_SLIDING : PERP_CONTACT_STICKING);
                if (i > stops) assert_near(rolling_moment(p), 0, 1e-12);
            }
            assert_near(velocity(&s, 1).z, 0, 1e-12);
            scene_end(&s);
        }
}

/* The default start of a step has the exact speed at the ends of steps, and no jerk where the ball stops. */
static void stops_on_time(void **state) {
    (void)state;
    const double mu = 0.4, e = 0.05, h = 0.01, w0 = 3;
    double slower, ratio = creep(mu, e, 0, &slower), end = w0 / -slower;
    perp_world_def d = cones_by(h, NULL, PERP_START_STAGGERED);
    scene s = with_floor(d, (perp_pair_law){.mu = mu, .e_roll = e});
    add_ball(&s, perp_v3(0, 0, 1), perp_v3((1 + ratio) * w0, 0, 0), perp_v3(0, w0, 0));
    for (int i = 1; i * h < end + 0.2; i++) {
        run_steps(&s, 1);
        double t = i * h, expected = fmax(0, w0 + slower * t);
        assert_near(spin(&s, 1).y, expected, fabs(t - end) < 2 * h ? 2 * h * -slower : 1e-9);
        if (t > end + 2 * h) assert_near(velocity(&s, 1).x, 0, 1e-12);
    }
    assert_near(position(&s, 1).x, (1 + ratio) * w0 * end / 2, 1e-4);
    scene_end(&s);
}

/* A ball rests on a slope below the limit, and rolls down with the rate of the closed form above it. */
static void holds_on_a_slope(void **state) {
    (void)state;
    static const double length[] = {0.01, 0.3, 1.5};
    const double mu = 0.6, h = 0.01;
    for (int j = 0; j < 3; j++)
        for (int above = 0; above < 2; above++) {
            double e = length[j], most = atan(mu * e / sqrt(1 + e * e)), slope = most * (above ? 1.001 : 0.999);
            perp_world_def d = cones_by(h, NULL, PERP_START_PLAIN);
            d.gravity_W = perp_v3(g * sin(slope), 0, -g * cos(slope));
            scene s = with_floor(d, (perp_pair_law){.mu = mu, .e_roll = e});
            add_ball(&s, perp_v3(0, 0, 1), perp_v3(0, 0, 0), perp_v3(0, 0, 0));
            perp_sensor_def felt = perp_sensor_def_default(PERP_SENSOR_CONTACT_TORQUE);
            felt.b = s.body[1];
            perp_sensor_id sensor;
            assert_int_equal(perp_sensor_add(s.w, &felt, &sensor), PERP_OK);
            run_steps(&s, 100);
            double rate, ratio = creep(mu, e, slope, &rate);
            assert_near(spin(&s, 1).y, above ? rate * 100 * h : 0, above ? 1e-8 : 1e-12);
            assert_near(velocity(&s, 1).x, above ? (1 + ratio) * rate * 100 * h : 0, above ? 1e-8 : 1e-12);
            if (above) assert_true(rate > 0);
            if (!above) {
                double torque[3]; /* friction and moment together turn a ball at rest about nothing */
                assert_int_equal(perp_sensor_read(s.w, sensor, torque), PERP_OK);
                assert_near(torque[1], 0, 1e-9);
                assert_near(rolling_moment(only_contact(&s)), g * h * sin(slope), 1e-9);
            }
            scene_end(&s);
        }
}

/* Motion of B relative to A along the rows of friction: slip along t and o, turning about n, t, o. */
static void motion_of(const scene *s, const perp_contact *c, double out[5]) {
    double sign = c->n_W.z > 0 ? 1 : -1;
    perp_vec3 r = {0, 0, -1}, w = spin(s, 1);
    perp_vec3 v = perp_v3_scale(sign, perp_v3_add(velocity(s, 1), perp_v3_cross(w, r)));
    w = perp_v3_scale(sign, w);
    out[0] = perp_v3_dot(v, c->t_W);
    out[1] = perp_v3_dot(v, c->o_W);
    out[2] = perp_v3_dot(w, c->n_W);
    out[3] = perp_v3_dot(w, c->t_W);
    out[4] = perp_v3_dot(w, c->o_W);
}

static void assert_law(const scene *s, const double e[5], double mu, double h) {
    const perp_contact *c = only_contact(s);
    double m[5], sigma = 0,
                 p[5] = {c->impulse_C[1], c->impulse_C[2], c->spin_impulse, c->roll_impulse[0], c->roll_impulse[1]};
    motion_of(s, c, m);
    for (int a = 0; a < 5; a++) sigma += e[a] * e[a] * m[a] * m[a];
    sigma = sqrt(sigma);
    assert_true(sigma > 0.05);
    for (int a = 0; a < 5; a++)
        assert_near(p[a], -mu * c->impulse_C[0] * e[a] * e[a] * m[a] / sigma, 1e-7 * mu * g * h);
}

/* p = -mu p_n e^2 s/|e s|, straight from the law, for several ellipsoids. */
static void law_of_motion(void **state) {
    (void)state;
    static const double e[][5] = {
        {1, 1, 0, 0.1, 0.1}, {1, 1, 0.3, 0.2, 0.2}, {0.4, 1.2, 0.7, 0.05, 0.05}, {1, 1, 0.02, 1.5, 1.5}};
    for (int k = 0; k < 4; k++) {
        const double mu = 0.3, h = 0.01;
        perp_pair_law law = {.mu = mu, .e_t = e[k][0], .e_o = e[k][1], .e_r = e[k][2], .e_roll = e[k][3]};
        scene s = with_floor(cones_by(h, NULL, PERP_START_PLAIN), law);
        add_ball(&s, perp_v3(0, 0, 1), perp_v3(3, 1, 0), perp_v3(0.5, -0.3, 8));
        for (int i = 0; i < 20; i++) {
            run_steps(&s, 1);
            assert_law(&s, e[k], mu, h);
        }
        scene_end(&s);
    }
}

/* On a driven ball the moment opposes the motion relative to it, and the account of energy closes with the work of the drive. */
static void on_a_driven_body(void **state) {
    (void)state;
    const double mu = 0.3, h = 1e-3, e[5] = {1, 1, 0, 0.4, 0.4};
    for (int stepper = 0; stepper < 2; stepper++) {
        scene s = scene_new(cones_by(h, stepper ? "second-order" : NULL, PERP_START_PLAIN));
        assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu, .e_roll = e[3]}), PERP_OK);
        perp_body_def plate = perp_body_def_default(PERP_BODY_KINEMATIC);
        plate.w_W = perp_v3(0.02, 1, 0);
        scene_shape(&s, scene_body(&s, &plate), perp_shape_sphere(1));
        add_ball(&s, perp_v3(0, 0, 2), perp_v3(1, 0, 0), perp_v3(0, 0, 0)); /* its slip is zero, its turning is not */
        for (int i = 0; i < 5; i++) {
            perp_certificate c;
            assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
            assert_near(c.ledger.remainder, 0, 1e-11);
            const perp_contact *p = only_contact(&s);
            perp_vec3 moment =
                perp_v3_scale(p->n_W.z > 0 ? 1 : -1, perp_v3_add(perp_v3_scale(p->roll_impulse[0], p->t_W),
                                                                 perp_v3_scale(p->roll_impulse[1], p->o_W)));
            assert_true(moment.y > 0.5 * mu * e[3] * p->impulse_C[0]); /* the ball is taken along */
            assert_true(c.ledger.friction < 0 && c.ledger.kinematic > 0);
        }
        scene_end(&s);
    }
}

/* Turned as a whole, or with the bodies in the other order, the scene does the same. */
static void turns_with_the_scene(void **state) {
    (void)state;
    const perp_pair_law law = {.mu = 0.3, .e_t = 1, .e_o = 0.3, .e_r = 0.2, .e_roll = 0.15};
    perp_vec3 end[3], turning[3];
    for (int k = 0; k < 3; k++) {
        perp_quat q = k == 1 ? about(perp_v3(0.6, 0, 0.8), 1.1) : perp_q_identity();
        perp_world_def d = cones(0.01);
        d.gravity_W = perp_q_rotate(q, d.gravity_W);
        scene s = scene_new(d);
        assert_int_equal(perp_pair_set_all(s.w, law), PERP_OK);
        if (k < 2) add_floor(&s, q);
        add_ball(&s, perp_q_rotate(q, perp_v3(0, 0, 1)), perp_q_rotate(q, perp_v3(2, 1.5, 0)),
                 perp_q_rotate(q, perp_v3(0, 1, 5)));
        if (k == 2) add_floor(&s, q);
        run_steps(&s, 60);
        int ball = k < 2 ? 1 : 0;
        end[k] = perp_q_unrotate(q, position(&s, ball));
        turning[k] = perp_q_unrotate(q, spin(&s, ball));
        scene_end(&s);
    }
    assert_true(fabs(end[0].y) > 0.1);
    for (int k = 1; k < 3; k++) {
        assert_near(distance(end[0], end[k]), 0, 1e-7);
        assert_near(distance(turning[0], turning[k]), 0, 1e-7);
    }
}

static void refused(int dim, perp_form form, const char *stepper, const char *word) {
    perp_world_def d = world_def(dim, 0.01, PERP_START_PLAIN);
    d.form = form;
    d.stepper = stepper;
    scene s = scene_new(d);
    perp_pair_law law = {.mu = 1, .e_roll = 0.1};
    assert_int_equal(perp_pair_set_all(s.w, law), PERP_E_FIT);
    assert_non_null(strstr(perp_world_why(s.w), word));
    assert_non_null(strstr(perp_world_why(s.w), "e_roll"));
    assert_int_equal(perp_pair_set(s.w, 0, 0, law), PERP_E_FIT);
    law.e_roll = -1;
    assert_int_equal(perp_pair_set_all(s.w, law), PERP_E_ARG);
    scene_end(&s);
}

static void refuses_what_it_cannot(void **state) {
    (void)state;
    refused(2, PERP_FORM_CONE, NULL, "3D");
    refused(3, PERP_FORM_LCP, NULL, "form cone");
    refused(3, PERP_FORM_MLCP, NULL, "form cone");
    refused(3, PERP_FORM_CONE, "quasistatic", "quasistatic");
    refused(3, PERP_FORM_CONE, "viscoelastic", "viscoelastic");
}

static void solvers_agree(void **state) {
    (void)state;
    assert_solvers_agree(rolls_and_spins);
}

/* The judge sees a wrong moment, and the problem comes back from a file as it was. */
static void look(const perp_captured *c, void *ctx) {
    seen *to = ctx;
    if (to->done || c->problem->ncontact < 5) return;
    to->done = true;
    assert_true(c->accepted);
    perp_step_solution s = *c->solution;
    double changed[16];
    assert_below(perp_step_problem_residual(c->problem, &s).dissipation, 1e-7);
    bool rolls = false;
    for (int i = 0; i < c->problem->ncontact; i++)
        for (int k = 0; k < 2 && c->problem->contact[i].e_roll > 0; k++) {
            rolls = true;
            memcpy(changed, s.p_roll, 2 * sizeof *changed * (size_t)c->problem->ncontact);
            changed[2 * i + k] += 1e-3;
            perp_step_solution wrong = s;
            wrong.p_roll = changed;
            perp_step_residual r = perp_step_problem_residual(c->problem, &wrong);
            assert_true(r.momentum > 1e-4);
            assert_true(fmax(r.cone, r.dissipation) > 1e-6);
        }
    assert_true(rolls);
    perp_refusal why;
    assert_int_equal(perp_step_write(to->path, c->problem, &s, "rolling", &why), PERP_OK);
    perp_stored *read = NULL;
    assert_int_equal(perp_problem_read(to->path, NULL, &read, NULL, &why), PERP_OK);
    const perp_step_problem *p = perp_stored_step(read);
    assert_int_equal(p->ncontact, c->problem->ncontact);
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *a = &p->contact[i], *b = &c->problem->contact[i];
        assert_true(a->e_roll == b->e_roll && a->b_roll[0] == b->b_roll[0] && a->b_roll[1] == b->b_roll[1]);
        if (b->e_roll > 0) assert_memory_equal(a->roll, b->roll, sizeof a->roll);
    }
    assert_int_equal(perp_stored_problem(read)->as.cone.dim, 6);
    perp_stored_free(read);
}

static void judged_and_stored(void **state) {
    (void)state;
    assert_captured(rolls_and_spins, look);
}

static void state_holds_moments(void **state) {
    (void)state;
    assert_state_continues(rolls_and_spins);
}

static scene one_ball(double e_roll) {
    scene s = with_floor(cones(0.01), (perp_pair_law){.mu = 0.4, .e_roll = e_roll});
    add_ball(&s, perp_v3(0, 0, 1), perp_v3(2, 1, 0), perp_v3(-1, 2, 0));
    return s;
}

/* A recording has the moments, and goes on after a part of the run. Without rolling friction it has no column for them. */
static void recorded(void **state) {
    (void)state;
    for (int rolls = 0; rolls < 2; rolls++) {
        char path[] = "test_rolling_XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        unlink(path);
        scene s = one_ball(rolls ? 0.1 : 0);
        perp_refusal why;
        perp_recorder *r = NULL;
        assert_int_equal(perp_recorder_create_world(path, s.w, NULL, &r, &why), PERP_OK);
        double moment[2] = {0, 0}, sum = 0;
        for (int i = 0; i < 6; i++) {
            if (i == 3) { /* closed in the middle, and continued by a world that is made again */
                assert_int_equal(perp_recorder_close(r, false, &why), PERP_OK);
                scene_end(&s);
                s = one_ball(rolls ? 0.1 : 0);
                assert_int_equal(perp_recorder_resume_world(path, s.w, &r, &why), PERP_OK);
            }
            perp_certificate c;
            assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
            assert_int_equal(perp_recorder_step(r, &c, &why), PERP_OK);
            memcpy(moment, only_contact(&s)->roll_impulse, sizeof moment);
            sum += rolling_moment(only_contact(&s));
        }
        assert_true((sum > 0) == (rolls == 1));
        assert_int_equal(perp_recorder_close(r, true, &why), PERP_OK);
        perp_recording *in = NULL;
        assert_int_equal(perp_recording_open(path, &in, &why), PERP_OK);
        const perp_recorded_contact *c;
        int n;
        assert_int_equal(perp_recording_contacts(in, 6, &c, &n, &why), PERP_OK);
        assert_int_equal(n, 1);
        assert_true(c->roll_impulse[0] == moment[0] && c->roll_impulse[1] == moment[1]);
        perp_recording_close(in);
        unlink(path);
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolls_to_rest),
        cmocka_unit_test(stops_on_time),
        cmocka_unit_test(holds_on_a_slope),
        cmocka_unit_test(law_of_motion),
        cmocka_unit_test(on_a_driven_body),
        cmocka_unit_test(turns_with_the_scene),
        cmocka_unit_test(refuses_what_it_cannot),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(judged_and_stored),
        cmocka_unit_test(state_holds_moments),
        cmocka_unit_test(recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
