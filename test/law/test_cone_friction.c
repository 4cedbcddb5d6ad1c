/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_cone_friction.c - Coulomb's law with true cones, in worlds: the same in every direction of the plane
 * Closed forms: a block slides down a slope with g (sin a - mu cos a), whatever the direction; a sphere that slides and
 * spins rolls from t = 2 |c|/(7 mu g) on with v = v0 - 2 c/7, c the velocity of its lowest point at the start (Whittaker,
 * Analytical dynamics; Routh, Advanced part, 1905, 273). Pyramids come near it as their edges grow in number. */
#include "check.h"
#include "cone_world.h"

static const double pi = 3.14159265358979323846, g = 9.81;

/* Gravity as seen on a slope of angle a that falls in direction phi of the plane z = 0. */
static perp_vec3 slope(double a, double phi) {
    return perp_v3(g * sin(a) * cos(phi), g * sin(a) * sin(phi), -g * cos(a));
}

static scene with_floor(perp_world_def d, double mu) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}), PERP_OK);
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(perp_v3(0, 0, 1), 0));
    return s;
}

/* A flat block on the floor, turned by `turn` about the vertical. Body 1. */
static scene block(perp_world_def d, double mu, double turn) {
    scene s = with_floor(d, mu);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def box = perp_shape_box(0.1, 0.1, 0.02);
    assert_int_equal(perp_body_def_mass(&b, &box, 3, 1000), PERP_OK);
    b.X_WB.p = perp_v3(0, 0, 0.02);
    b.X_WB.q = (perp_quat){cos(turn / 2), 0, 0, sin(turn / 2)};
    scene_shape(&s, scene_body(&s, &b), box);
    return s;
}

static scene ball(perp_world_def d, double mu, perp_vec3 v, perp_vec3 w) {
    scene s = with_floor(d, mu);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def sphere = perp_shape_sphere(0.1);
    assert_int_equal(perp_body_def_mass(&b, &sphere, 3, 1000), PERP_OK);
    b.X_WB.p = perp_v3(0, 0, 0.1);
    b.v_W = v;
    b.w_W = w;
    scene_shape(&s, scene_body(&s, &b), sphere);
    return s;
}

/* Friction of every contact is mu p_n against the slip v. */
static void friction_opposes(const scene *s, perp_vec3 v, double mu) {
    const perp_contact *c;
    int n = perp_world_contacts(s->w, &c), pressed = 0;
    double speed = perp_v3_norm(v);
    for (int i = 0; i < n; i++) {
        if (c[i].state == PERP_CONTACT_SEPARATING) continue;
        double along = c[i].n_W.z > 0 ? 1 : -1; /* impulse is on B, which may be the floor */
        perp_vec3 f = perp_v3_scale(
            along, perp_v3_add(perp_v3_scale(c[i].impulse_C[1], c[i].t_W), perp_v3_scale(c[i].impulse_C[2], c[i].o_W)));
        double limit = mu * c[i].impulse_C[0];
        assert_int_equal(c[i].state, PERP_CONTACT_SLIDING);
        assert_near(distance(f, perp_v3_scale(-limit / speed, v)), 0, 1e-7 * limit);
        pressed++;
    }
    assert_true(pressed >= 2);
}

static const double directions[] = {0, 0.3, 0.7853981633974483, 1.2, 2.5, 4.1};
enum { NDIRECTION = sizeof directions / sizeof *directions };

/* The same speed straight down the slope, in whatever direction of the plane that is, however the block is turned. */
static void every_direction_alike(void **state) {
    (void)state;
    const double a = 0.6, mu = 0.4, h = 1e-2, acc = g * (sin(a) - mu * cos(a));
    const int n = 50;
    for (int which = 0; which < CONE_SOLVERS; which++)
        for (int k = 0; k < NDIRECTION; k++) {
            double phi = directions[k];
            perp_world_def d = cone_world(world_def(3, h, PERP_START_PLAIN), which);
            d.tolerance = 1e-10; /* a round that starts from the answer of the last ends as soon as it is good enough */
            d.gravity_W = slope(a, phi);
            scene s = block(d, mu, k % 2 ? 0.2 : phi);
            run_figures f = run_steps(&s, n);
            perp_vec3 v = velocity(&s, 1);
            assert_near(distance(v, perp_v3(acc * n * h * cos(phi), acc * n * h * sin(phi), 0)), 0, 1e-9);
            assert_near(perp_v3_norm(spin(&s, 1)), 0, 1e-9);
            friction_opposes(&s, v, mu);
            assert_below(f.remainder, 1e-11);
            assert_int_equal(f.substeps + f.fallbacks, 0);
            scene_end(&s);
        }
}

/* What the cone is for: a pyramid of four directions is weaker between them, and pulls the block aside. */
static void pyramid_deviates(void **state) {
    (void)state;
    const double a = 0.6, mu = 0.4, h = 1e-2, acc = g * (sin(a) - mu * cos(a));
    perp_world_def d = world_def(3, h, PERP_START_PLAIN);
    d.friction_directions = 4;
    d.friction_frame = PERP_FRICTION_FIXED;
    for (int k = 1; k < NDIRECTION; k++) {
        d.gravity_W = slope(a, directions[k]);
        scene s = block(d, mu, 0);
        run_steps(&s, 50);
        perp_vec3 v = velocity(&s, 1);
        assert_true(distance(v, perp_v3(acc * 0.5 * cos(directions[k]), acc * 0.5 * sin(directions[k]), 0)) > 0.05);
        scene_end(&s);
    }
}

/* The angle of friction is the same all round: just below it nothing moves, just above it the block goes. */
static void sticks_up_to_the_cone(void **state) {
    (void)state;
    const double mu = 0.5, limit = atan(mu);
    for (int which = 0; which < CONE_SOLVERS; which++)
        for (int k = 0; k < NDIRECTION; k++) {
            perp_world_def d = cone_world(world_def(3, 1e-2, PERP_START_PLAIN), which);
            d.gravity_W = slope(limit - 1e-4, directions[k]);
            scene s = block(d, mu, 0.2);
            perp_vec3 from = position(&s, 1);
            run_steps(&s, 100);
            assert_below(distance(position(&s, 1), from), 1e-9);
            scene_end(&s);
            d.gravity_W = slope(limit + 1e-3, directions[k]);
            s = block(d, mu, 0.2);
            run_steps(&s, 100);
            double acc = g * (sin(limit + 1e-3) - mu * cos(limit + 1e-3));
            assert_near(perp_v3_norm(velocity(&s, 1)), acc, 1e-9);
            scene_end(&s);
        }
}

/* Slides along a straight slip direction at constant deceleration, then rolls for ever. */
static void sphere_comes_to_roll(void **state) {
    (void)state;
    const double mu = 0.3, r = 0.1;
    const struct {
        perp_vec3 v, w;
    } start[] = {
        {{1, 0, 0}, {0, 0, 0}},     /* thrown without spin: 5/7 of its speed is left */
        {{0.6, 0.8, 0}, {0, 0, 5}}, /* a spin about the vertical has no part in it */
        {{1, 0.2, 0}, {9, 4, -2}},  /* a path that bends */
        {{0.5, 0, 0}, {0, -20, 0}}  /* back spin: it returns */
    };
    for (int which = 0; which < CONE_SOLVERS; which++)
        for (size_t k = 0; k < sizeof start / sizeof *start; k++) {
            perp_vec3 v0 = start[k].v, w0 = start[k].w;
            perp_vec3 c = perp_v3_add(v0, perp_v3_cross(w0, perp_v3(0, 0, -r)));
            double T = 2 * perp_v3_norm(c) / (7 * mu * g), error[3];
            perp_vec3 roll = perp_v3_axpy(v0, -2.0 / 7, c);
            if (k == 0) assert_near(roll.x, 5.0 / 7, 1e-15);
            for (int fine = 0; fine < 3; fine++) {
                double h = T / (20.37 * (1 << fine)); /* T is not a multiple of it */
                scene s = ball(cone_world(world_def(3, h, PERP_START_PLAIN), which), mu, v0, w0);
                int n = 0, sliding = 0;
                perp_certificate cert;
                for (; n * h < 1.5 * T; n++) {
                    assert_int_equal(perp_world_step(s.w, &cert), PERP_OK);
                    sliding += cert.sliding;
                    assert_true(cert.ledger.friction <= 1e-12);
                }
                assert_near(sliding * h, T, h); /* it slips until T */
                assert_int_equal(cert.sticking, 1);
                assert_near(distance(velocity(&s, 1), roll), 0, 1e-9);
                perp_vec3 w = spin(&s, 1);
                assert_near(distance(perp_v3_cross(w, perp_v3(0, 0, r)), roll), 0, 1e-9);
                assert_near(w.z, w0.z, 1e-9);
                /* x(t) = v0 t - mu g t^2/2 c/|c| until T, then straight on */
                double t = n * h;
                perp_vec3 x = perp_v3_axpy(perp_v3_scale(T, v0), -T / 7, c);
                x = perp_v3_axpy(x, t - T, roll);
                error[fine] = distance(position(&s, 1), perp_v3(x.x, x.y, r));
                scene_end(&s);
            }
            assert_below(error[0], 0.2 * perp_v3_norm(c) * T / 20);
            for (int i = 1; i < 3; i++) assert_near(error[i - 1] / error[i], 2, 0.2); /* first order in h */
        }
}

/* Velocity of a block and of a ball after a while on a slope, in a direction that no pyramid has. */
static void slide_both(perp_world_def d, double phi, perp_vec3 out[2]) {
    d.gravity_W = slope(0.6, phi);
    scene s = block(d, 0.4, 0.2);
    run_steps(&s, 30);
    out[0] = velocity(&s, 1);
    scene_end(&s);
    d.gravity_W = perp_v3(0, 0, -g);
    s = ball(d, 0.3, perp_v3(cos(phi), sin(phi), 0), perp_v3(4 * sin(phi), 7, 1));
    run_steps(&s, 8);
    out[1] = velocity(&s, 1);
    scene_end(&s);
}

/* An n-sided pyramid errs by the angle to its nearest edge, at most pi/n: first order in 1/n. */
static void pyramids_come_near(void **state) {
    (void)state;
    static const int nd[] = {4, 8, 16, 32, 64};
    enum { N = sizeof nd / sizeof *nd, PHI = 9 };
    const double change[2] = {0.4 * g * cos(0.6) * 0.3, 0.3 * g * 0.08}; /* of velocity, by friction */
    double error[N][2] = {{0}};
    for (int k = 0; k < PHI; k++) {
        double phi = 0.21 + 2.399963 * k; /* the golden angle: all round */
        perp_world_def d = world_def(3, 1e-2, PERP_START_PLAIN);
        d.friction_frame = PERP_FRICTION_FIXED;
        perp_vec3 cone[2], pyramid[2];
        slide_both(cone_world(d, 1), phi, cone);
        for (int i = 0; i < N; i++) {
            d.friction_directions = nd[i];
            slide_both(d, phi, pyramid);
            for (int j = 0; j < 2; j++) error[i][j] += pow(distance(cone[j], pyramid[j]), 2) / PHI;
        }
    }
    for (int j = 0; j < 2; j++) {
        double first = sqrt(error[0][j]), last = sqrt(error[N - 1][j]);
        double order = log(first / last) / log((double)nd[N - 1] / nd[0]);
        for (int i = 0; i < N; i++)
            print_message("%s, %2d directions: velocity off by %.3e\n", j ? "ball" : "block", nd[i], sqrt(error[i][j]));
        print_message("order %.2f\n", order);
        assert_true(order > 0.9);
        for (int i = 0; i < N; i++) assert_below(sqrt(error[i][j]), change[j] * pi / nd[i]);
    }
}

/* In 2D the cone is the LCP's law: worlds go the same way. */
static void planar_cone_is_the_lcp(void **state) {
    (void)state;
    for (int which = 0; which < CONE_SOLVERS; which++)
        for (int k = 0; k < 4; k++) {
            perp_world_def d = world_def(2, 2e-3, k == 1 ? PERP_START_STAGGERED : PERP_START_PLAIN);
            d.tolerance = 1e-10;
            scene s[2];
            for (int form = 0; form < 2; form++) {
                perp_world_def e = form ? cone_world(d, which) : d;
                s[form] = k < 2    ? scene_sliding_stop(e, 1, 0.3)
                          : k == 2 ? scene_full_planar(e)
                                   : scene_momentum_chain(e);
            }
            int slid = 0;
            for (int i = 0; i < long_run(400); i++) {
                perp_certificate c[2];
                for (int form = 0; form < 2; form++)
                    if (perp_world_step(s[form].w, &c[form])) fail_msg("%s", perp_world_why(s[form].w));
                slid += c[0].sliding;
                for (int b = 0; b < s[0].nbody; b++) {
                    assert_near(distance(position(&s[0], b), position(&s[1], b)), 0, 1e-8);
                    assert_near(distance(velocity(&s[0], b), velocity(&s[1], b)), 0, 1e-7);
                }
            }
            if (k < 3) assert_true(slid > 0);
            scene_end(&s[0]);
            scene_end(&s[1]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_direction_alike), cmocka_unit_test(pyramid_deviates),
        cmocka_unit_test(sticks_up_to_the_cone), cmocka_unit_test(sphere_comes_to_roll),
        cmocka_unit_test(pyramids_come_near),    cmocka_unit_test(planar_cone_is_the_lcp),
    };
    return cmocka_run_group_tests_name("cone friction", tests, NULL, NULL);
}
