/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_staggered.c - default settings: steps are exact for constant acceleration and of second order between impacts, and
 * velocities and energies belong to the time of the poses */
#include "unit/world_help.h"

#include "perp/scene.h"

static const double g = 9.81;
static const perp_vec3 zero = {0, 0, 0};

static perp_world *new_world(int dim, double h) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = h;
    return world_of(&d);
}

static double energy_of(const perp_world *w) {
    double kinetic, gravity, spring;
    perp_world_energy(w, &kinetic, &gravity, &spring);
    return kinetic + gravity + spring;
}

/* What is chosen where nothing is said. */
static void chosen(void **state) {
    (void)state;
    static const struct {
        const char *stepper;
        perp_start start;
    } at[] = {{"stewart-trinkle", PERP_START_STAGGERED}, {"anitescu-potra", PERP_START_STAGGERED},
              {"second-order", PERP_START_PLAIN},        {"implicit", PERP_START_PLAIN},
              {"quasistatic", PERP_START_PLAIN},         {"first-order", PERP_START_PLAIN},
              {"viscoelastic", PERP_START_PLAIN}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        perp_world_def d = perp_world_def_default(3);
        d.stepper = at[i].stepper;
        perp_world *w = world_of(&d);
        assert_int_equal(perp_world_get_def(w).start, at[i].start);
        perp_world_destroy(w);
    }
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(2);
        if (k == 0) d.geometry = PERP_GEOMETRY_END;
        if (k == 1) d.error_tolerance = 1e-3;
        perp_world *w = world_of(&d);
        assert_int_equal(perp_world_get_def(w).start, PERP_START_PLAIN);
        perp_world_destroy(w);
    }
}

/* A body is thrown; on the way it is given a velocity, then pushed by a force, then let go. Every frame is exact. */
static void thrown_and_pushed(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const double h = 0.01, push = 3;
        perp_world *w = new_world(dim, h);
        perp_body_id b = add_mass(w, 2, 1, at_height(dim, 0, 10)), other = add_mass(w, 1, 1, at_height(dim, 5, 10));
        OK(w, perp_body_set_velocity(w, b, perp_v3_scale(4, up(dim)), perp_v3(0, 0, 3)));
        double z = 10, v = 4, x = 0, vx = 0, ax = 0;
        for (int i = 1; i <= 60; i++) {
            if (i == 21) {
                v = 5;
                OK(w, perp_body_set_velocity(w, b, perp_v3_add(perp_v3_scale(v, up(dim)), perp_v3(vx, 0, 0)),
                                             perp_v3(0, 0, 3)));
            }
            if (i == 31 || i == 51) {
                ax = i == 31 ? push : 0;
                OK(w, perp_body_set_force(w, b, perp_v3(2 * ax, 0, 0), zero));
            }
            run(w, 1);
            z += h * v - g * h * h / 2;
            v -= g * h;
            x += h * vx + ax * h * h / 2;
            vx += ax * h;
            perp_vec3 now = velocity_of(w, b);
            NEAR(height_of(w, b), z, 1e-12);
            NEAR(dim == 2 ? now.y : now.z, v, 1e-12);
            NEAR(pose_of(w, b).p.x, x, 1e-12);
            NEAR(now.x, vx, 1e-12);
            NEAR(spin_of(w, b).z, 3, 1e-12);
            NEAR(height_of(w, other), 10 - g * h * h * i * i / 2, 1e-12);
        }
        perp_world_destroy(w);
    }
}

/* A block at rest on a floor is pushed from t = 0.1 on, and slides; the other block stays at rest to the last digit. */
static void pushed_block(void **state) {
    (void)state;
    const double h = 0.01, mu = 0.3, force = 5, a = force - mu * g;
    perp_world *w = new_world(3, h);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu}));
    add_floor(w);
    perp_body_id b = add_mass(w, 1, 0.01, at_height(3, 0, 0.1)), rests = add_mass(w, 1, 0.01, at_height(3, 9, 0.1));
    add_shape(w, b, perp_shape_box(0.2, 0.2, 0.1));
    add_shape(w, rests, perp_shape_box(0.2, 0.2, 0.1));
    for (int i = 1; i <= 50; i++) {
        if (i == 11) OK(w, perp_body_set_force(w, b, perp_v3(force, 0, 0), zero));
        run(w, 1);
        double t = i > 10 ? h * (i - 10) : 0;
        NEAR(pose_of(w, b).p.x, a * t * t / 2, 1e-9);
        NEAR(velocity_of(w, b).x, a * t, 1e-9);
        NEAR(perp_v3_norm(velocity_of(w, rests)), 0, 1e-13);
    }
    perp_world_destroy(w);
}

/* Friction that stops a block does not push it back, in any frame. */
static void stops(void **state) {
    (void)state;
    const double mu = 0.3;
    for (int k = 0; k < 7; k++) {
        const double h = 0.01, v0 = 0.5 + 0.007 * k;
        perp_world *w = new_world(2, h);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu}));
        add_floor(w);
        perp_body_id b = add_mass(w, 1, 0.01, at_height(2, 0, 0.05));
        add_shape(w, b, perp_shape_box(0.1, 0.05, 0));
        OK(w, perp_body_set_velocity(w, b, perp_v3(v0, 0, 0), zero));
        for (int i = 1; i <= 40; i++) {
            run(w, 1);
            double v = velocity_of(w, b).x, exact = fmax(0, v0 - mu * g * h * i);
            assert_true(v >= -1e-13);
            NEAR(v, exact, exact > mu * g * h ? 1e-12 : mu * g * h);
        }
        NEAR(velocity_of(w, b).x, 0, 1e-13);
        NEAR(pose_of(w, b).p.x, v0 * v0 / (2 * mu * g), mu * g * h * h);
        perp_world_destroy(w);
    }
}

/* A ball that falls on the floor: no frame shows it leave, and it rests. */
static void lands(void **state) {
    (void)state;
    const double h = 0.01;
    perp_world *w = new_world(3, h);
    add_floor(w);
    perp_body_id b = add_mass(w, 1, 0.01, at_height(3, 0, 1));
    add_shape(w, b, perp_shape_sphere(0.1));
    const double hit = sqrt(2 * 0.9 / g);
    for (int i = 1; i <= 60; i++) {
        run(w, 1);
        double v = velocity_of(w, b).z;
        assert_true(v <= 1e-12);
        if (h * i < hit) NEAR(v, -g * h * i, h * (i + 1) < hit ? 1e-12 : 5);
        if (h * i > hit + 2 * h) NEAR(v, 0, 1e-13);
    }
    perp_world_destroy(w);
}

/* A ball that bounces, its impact not ordered within the step. From the frame after the impact on gravity alone acts, so the velocity
 * changes by g h from frame to frame. */
static void bounces_off(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const double h = 0.01;
        perp_world_def d = perp_world_def_default(dim);
        d.h = h;
        d.impacts = PERP_IMPACTS_PLAIN;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = 0.8}));
        add_floor(w);
        perp_body_id b = add_mass(w, 1, 0.01, at_height(dim, 0, 1));
        add_shape(w, b, perp_shape_sphere(0.1));
        int bounces = 0;
        double before = 0;
        for (int i = 1; i <= 80; i++) {
            run(w, 1);
            double v = perp_v3_dot(velocity_of(w, b), up(dim));
            if (before < 0 && v > 0)
                bounces++;
            else
                NEAR(v - before, -g * h, 1e-12);
            before = v;
        }
        assert_int_equal(bounces, 1);
        perp_world_destroy(w);
    }
}

/* Bodies that spin so fast that their rotation in a step could explain how their corners meet others. Elastic impacts, not ordered within
 * the step: every frame has the energy of the start. */
static void bounces_while_it_spins(void **state) {
    (void)state;
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(PERP_TEST_DIR "/law/scenes/spinning-bounce.yaml", NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    double before = energy_of(w);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        run(w, 1);
        NEAR(energy_of(w) / before, 1, 1e-12); /* 0.0063 off where such impacts count as accelerations */
    }
    perp_scene_close(s);
}

/* Bodies that overlap at the start are pushed apart: no frame shows more than the speed that they have. */
static void pushed_out(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.01;
    d.gravity_W = zero;
    perp_world *w = world_of(&d);
    perp_body_id b[2];
    for (int i = 0; i < 2; i++) {
        b[i] = add_mass(w, 1, 1, perp_pose_at(0.9 * i, 0, 0));
        add_shape(w, b[i], perp_shape_sphere(0.5));
    }
    run(w, 1);
    double v = velocity_of(w, b[1]).x, x = pose_of(w, b[1]).p.x;
    NEAR(v, (x - 0.9) / d.h, 1e-12);
    run(w, 1);
    NEAR(velocity_of(w, b[1]).x, v, 1e-12);
    perp_world_destroy(w);
}

/* A rod swings on a hinge: angle, rate and energy have errors of second order in every frame. */
static double swing(double h, double *rate_error, double *energy_error) {
    perp_world *w = new_world(2, h);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.I_B = perp_m3_diag(1, 1, 1.0 / 12);
    d.X_WB = perp_pose_at(0.5, 0, 0);
    d.v_W = perp_v3(0, 0.5, 0); /* it begins with 1 rad/s */
    d.w_W = perp_v3(0, 0, 1);
    perp_body_id rod = add_def(w, &d);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = rod;
    j.X_BJ.p = perp_v3(-0.5, 0, 0);
    perp_joint_id id = add_joint(w, &j);
    int n = (int)(1 / h + 0.5);
    double angle = 0, rate = 1, start = energy_of(w), most = 0;
    *rate_error = *energy_error = 0;
    for (int i = 0; i < n; i++) {
        run(w, 1);
        for (int k = 0; k < 20; k++) { /* Runge and Kutta: 3/2 g cos(angle) turns it down */
            double s = h / 20, a1 = -1.5 * g * cos(angle), a2 = -1.5 * g * cos(angle + s / 2 * rate),
                   a3 = -1.5 * g * cos(angle + s / 2 * rate + s * s / 4 * a1),
                   a4 = -1.5 * g * cos(angle + s * rate + s * s / 2 * a2);
            angle += s * rate + s * s / 6 * (a1 + a2 + a3);
            rate += s / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        }
        most = fmax(most, fabs(coord_of(w, id, 0) - angle));
        *rate_error = fmax(*rate_error, fabs(rate_of(w, id, 0) - rate));
        *energy_error = fmax(*energy_error, fabs(energy_of(w) - start));
    }
    perp_world_destroy(w);
    return most;
}

static void pendulum(void **state) {
    (void)state;
    double angle[3], rate[3], energy[3];
    for (int k = 0; k < 3; k++) angle[k] = swing(0.01 / (1 << k), &rate[k], &energy[k]);
    for (int k = 0; k < 2; k++) {
        NEAR(log2(angle[k] / angle[k + 1]), 2, 0.15);
        NEAR(log2(rate[k] / rate[k + 1]), 2, 0.15);
        NEAR(log2(energy[k] / energy[k + 1]), 2, 0.3);
    }
    BELOW(angle[2], 1e-3);
}

/* A motor of limited torque speeds a wheel up to its speed: no frame shows more than that. */
static void motor(void **state) {
    (void)state;
    const double h = 0.01, torque = 2.4, speed = 1.01;
    perp_world *w = new_world(2, h);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = add_mass(w, 1, 1, perp_pose_identity());
    j.axis[0].motor = true;
    j.axis[0].motor_speed = speed;
    j.axis[0].motor_force = torque;
    perp_joint_id id = add_joint(w, &j);
    for (int i = 1; i <= 60; i++) {
        run(w, 1);
        double exact = fmin(speed, torque * h * i);
        BELOW(rate_of(w, id, 0), speed + 1e-12);
        NEAR(rate_of(w, id, 0), exact, 1e-11);
    }
    perp_world_destroy(w);
}

/* Another step on the way keeps a fall exact; a state that is taken and set goes on with the same bits. */
static void other_steps_and_states(void **state) {
    (void)state;
    perp_world *w = new_world(3, 0.01), *copy = new_world(3, 0.01);
    perp_body_id b = add_mass(w, 1, 1, at_height(3, 0, 0));
    (void)add_mass(copy, 1, 1, at_height(3, 0, 0));
    run(w, 10);
    size_t size = perp_world_state_size(w);
    void *buf = malloc(size);
    assert_non_null(buf);
    OK(w, perp_world_get_state(w, buf, size));
    OK(copy, perp_world_set_state(copy, buf, size));
    free(buf);
    run(w, 10);
    run(copy, 10);
    assert_true(perp_world_hash(w) == perp_world_hash(copy));
    OK(w, perp_world_set_h(w, 0.003));
    perp_certificate c = go(w, 100);
    NEAR(height_of(w, b), -g / 2 * 0.5 * 0.5, 1e-12);
    NEAR(velocity_of(w, b).z, -g * 0.5, 1e-12);
    NEAR(c.ledger.drift, 0, 1e-12);
    NEAR(c.ledger.remainder, 0, 1e-12);
    NEAR(energy_of(w), 0, 1e-12);
    perp_world_destroy(w);
    perp_world_destroy(copy);
}

/* A force that is set in every step is a function of time: second order. */
static void steered(void **state) {
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        const double h = 0.02 / (1 << k);
        perp_world_def d = perp_world_def_default(2);
        d.h = h;
        d.gravity_W = zero;
        perp_world *w = world_of(&d);
        perp_body_id b = add_mass(w, 1, 1, perp_pose_identity());
        int n = (int)(1 / h + 0.5);
        for (int i = 0; i < n; i++) {
            OK(w, perp_body_set_force(w, b, perp_v3(cos(3 * h * i), 0, 0), zero));
            run(w, 1);
        }
        error[k] = fabs(pose_of(w, b).p.x - (1 - cos(3.0)) / 9);
        perp_world_destroy(w);
    }
    NEAR(log2(error[0] / error[1]), 2, 0.2);
}

/* Momentum and angular momentum about the origin of all bodies, as shown. */
static void momenta(const perp_world *w, const perp_body_id *b, int n, perp_vec3 *p, perp_vec3 *l) {
    *p = *l = zero;
    for (int i = 0; i < n; i++) {
        double m = i + 1.0, I = 0.02 * m;
        perp_vec3 mv = perp_v3_scale(m, velocity_of(w, b[i]));
        *p = perp_v3_add(*p, mv);
        *l = perp_v3_add(*l, perp_v3_axpy(perp_v3_cross(pose_of(w, b[i]).p, mv), I, spin_of(w, b[i])));
    }
}

/* Three balls meet as they fall. A blow between them takes nothing from the momenta that are shown: in every frame they are what
 * gravity has made of them up to its time. */
static void meet_in_the_air(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        int dim = 2 + k % 2;
        const double h = 0.01, mu = k < 2 ? 0 : 0.5;
        perp_world *w = new_world(dim, h);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu}));
        perp_body_id b[3];
        for (int i = 0; i < 3; i++) {
            b[i] = add_mass(w, i + 1, 0.02 * (i + 1), at_height(dim, 0.25 * i, 10 + 0.03 * i));
            add_shape(w, b[i], perp_shape_sphere(0.1));
            OK(w, perp_body_set_velocity(w, b[i], perp_v3(1 - i, 0.2 * i, 0), perp_v3(0, 0, 2 - i)));
        }
        perp_vec3 p0, l0, p, l;
        momenta(w, b, 3, &p0, &l0);
        double torque = 0, mass = 6;
        for (int i = 0; i < 3; i++) torque += (i + 1) * 0.25 * i;
        for (int i = 1; i <= 30; i++) {
            perp_certificate c = go(w, 1);
            double t = h * i;
            momenta(w, b, 3, &p, &l);
            NEAR(perp_v3_norm(perp_v3_sub(p, perp_v3_axpy(p0, -mass * g * t, up(dim)))), 0, 1e-10);
            double turned = -g * (torque * t + p0.x * t * t / 2); /* of the horizontal motion of the centre */
            if (dim == 2) NEAR(l.z - l0.z, turned, 1e-10);
            NEAR(c.ledger.remainder, 0, 1e-10);
        }
        perp_world_destroy(w);
    }
}

static void count_halvings(perp_log_level level, const char *text, void *count) {
    (void)level;
    *(int *)count += strstr(text, "is halved") != NULL;
}

static const char flying[] = "perp: 1\n"
                             "dim: 2\n"
                             "h: 0.002\n"
                             "duration: 0.5\n"
                             "seed: %d\n"
                             "stages: {contact_model: standard}\n"
                             "gravity: [0, -9.81]\n"
                             "law: {mu: 0.3, restitution: 0.9, restitution_t: 0.8}\n"
                             "bodies:\n"
                             "  - {at: [-0.1, 0.0], velocity: [1, 1], spin: 9, mass: 1, inertia: 0.003, shape:\n"
                             "       {type: polygon, points: {random: 7, in: [0.1, 0.06]}}}\n"
                             "  - {at: [0.1, 0.02], velocity: [-1, 1.2], spin: -30, mass: 2, inertia: 0.01, shape: "
                             "{type: regular, radius: 0.1, sides: 7}}\n"
                             "  - {at: [0.1, 0.42], velocity: [-0.5, -1.2], spin: 30, mass: 3, inertia: 0.01, shape: "
                             "{type: regular, radius: 0.1, sides: 6}}\n"
                             "  - {at: [-0.1, 0.4], velocity: [0.2, -1.2], spin: 30, mass: 4, inertia: 0.003, shape:\n"
                             "       {type: polygon, points: {random: 5, in: [0.08, 0.06]}}}\n";

/* Polygons that tumble and bounce off each other as they fall. Steps of the contact model standard are halved now and then; velocities lie
 * half of the whole step behind the poses in either half, also where impacts are put in their order. */
static void momentum_of_halved_steps(void **state) {
    (void)state;
    int halved = 0;
    for (int seed = 1; seed <= 16; seed++) {
        char text[sizeof flying + 16];
        snprintf(text, sizeof text, flying, seed);
        const perp_source_file file = {.path = "flying.yaml", .data = text, .size = strlen(text)};
        perp_scene_options o = {.file = &file, .nfile = 1, .log = {.line = count_halvings, .ctx = &halved}};
        perp_scene *s;
        perp_refusal why;
        if (perp_scene_open("flying.yaml", &o, &s, &why)) fail_msg("%s", why.text);
        perp_world *w = perp_scene_world(s);
        perp_body_id b[4];
        assert_int_equal(perp_world_bodies(w, b, 4), 4);
        perp_vec3 start = zero, p;
        for (int i = 0; i < 4; i++) start = perp_v3_axpy(start, i + 1, velocity_of(w, b[i]));
        for (uint64_t k = 1; k <= perp_scene_steps(s); k++) {
            (void)go(w, 1);
            p = perp_v3(0, 10 * g * 0.002 * (double)k, 0);
            for (int i = 0; i < 4; i++) p = perp_v3_axpy(p, i + 1, velocity_of(w, b[i]));
            NEAR(perp_v3_norm(perp_v3_sub(p, start)), 0, 1e-10);
        }
        perp_scene_close(s);
    }
    print_message("%d steps halved\n", halved);
    assert_true(halved > 0);
}

/* A pentagon hits a steep wall and tumbles along it by most of a radian in a step, from corner to corner. Each corner is met by an impact:
 * half of that is no acceleration, and velocities that had it added would show energy that comes back in the next frame. What is left is
 * up to half a step of gravity, m g h |v| / 2 at either end. */
static void tumbles(void **state) {
    (void)state;
    const double h = 0.01, radius = 0.05;
    perp_vec3 corner[5];
    int n = perp_points_regular(5, radius, corner, 5);
    for (int k = 0; k < 8; k++) {
        perp_world *w = new_world(2, h);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.6}));
        perp_body_def wall = perp_body_def_default(PERP_BODY_OBSTACLE);
        wall.X_WB = perp_pose_at(-0.36, 0, 0);
        add_shape(w, add_def(w, &wall), perp_shape_halfspace(perp_v3(1, 0.2, 0), 0));
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        perp_shape_def s = perp_shape_polygon(corner, n);
        assert_int_equal(perp_body_def_mass(&d, &s, 2, 1 / (radius * radius)), PERP_OK);
        d.X_WB = (perp_pose){perp_v3(0.02, 0.36, 0), perp_q_exp(perp_v3(0, 0, 0.15 * k))};
        perp_body_id b = add_def(w, &d);
        add_shape(w, b, s);
        OK(w, perp_body_set_velocity(w, b, perp_v3(-8.7, 9.9, 0), zero));
        double low = INFINITY, most = 0;
        for (int i = 1; i <= 50; i++) {
            (void)go(w, 1);
            most = fmax(most, perp_v3_norm(velocity_of(w, b)));
            BELOW(energy_of(w), low + d.mass * g * h * most);
            low = fmin(low, energy_of(w));
        }
        perp_world_destroy(w);
    }
}

/* Two bodies on a hinge that friction locks tumble, and a third one hangs on a universal joint. The rows of friction turn with the bodies, which is no
 * slip that was stopped: in every frame but the first, shown velocities are those of the poses to second order. No step is divided. */
static void locked_hinge(void **state) {
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        const double h = k ? 0.0025 : 0.005;
        perp_world_def d = perp_world_def_default(3);
        d.h = h;
        d.gravity_W = zero;
        perp_world *w = world_of(&d);
        perp_body_id b[3];
        const perp_vec3 spin = {3, 4, 5}, at[3] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.4, 0.1}};
        for (int i = 0; i < 3; i++) {
            perp_body_def m = perp_body_def_default(PERP_BODY_DYNAMIC);
            m.mass = 1 + i;
            m.I_B = perp_m3_diag(0.1, 0.2 + 0.05 * i, 0.25);
            m.X_WB.p = at[i];
            b[i] = add_def(w, &m);
            OK(w, perp_body_set_velocity(w, b[i], perp_v3_cross(spin, at[i]), i < 2 ? spin : perp_v3(-3, 2, 9)));
        }
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.a = b[0];
        j.b = b[1];
        j.X_AJ.p = perp_v3(0.25, 0, 0);
        j.X_BJ.p = perp_v3(-0.25, 0, 0);
        j.X_AJ.q = j.X_BJ.q = perp_q_axis_angle(perp_v3(0.6, 0.8, 0), 1);
        j.axis[0].friction = 50;
        add_joint(w, &j);
        perp_joint_def u = perp_joint_def_default(PERP_JOINT_UNIVERSAL);
        u.a = b[0];
        u.b = b[2];
        u.X_AJ.p = perp_v3(0, 0.2, 0);
        u.X_BJ.p = perp_v3(0, -0.2, -0.1);
        add_joint(w, &u);
        (void)run(w, 2);
        error[k] = 0;
        for (int step = 0; step < (int)(0.5 / h + 0.5); step++) {
            perp_vec3 before[3], shown[3];
            for (int i = 0; i < 3; i++) before[i] = pose_of(w, b[i]).p;
            assert_int_equal(run(w, 1).substeps, 1);
            for (int i = 0; i < 3; i++) shown[i] = velocity_of(w, b[i]);
            assert_int_equal(run(w, 1).substeps, 1);
            for (int i = 0; i < 3; i++) {
                perp_vec3 mean = perp_v3_scale(0.5 / h, perp_v3_sub(pose_of(w, b[i]).p, before[i]));
                error[k] = fmax(error[k], perp_v3_norm(perp_v3_sub(shown[i], mean)));
            }
        }
        perp_world_destroy(w);
    }
    print_message("error of shown velocities: %g, %g at half of the step\n", error[0], error[1]);
    BELOW(error[0], 3e-3); /* late by half a step: 0.05 */
    BELOW(error[1], error[0] / 3.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen),
        cmocka_unit_test(thrown_and_pushed),
        cmocka_unit_test(pushed_block),
        cmocka_unit_test(stops),
        cmocka_unit_test(lands),
        cmocka_unit_test(bounces_off),
        cmocka_unit_test(bounces_while_it_spins),
        cmocka_unit_test(pendulum),
        cmocka_unit_test(pushed_out),
        cmocka_unit_test(other_steps_and_states),
        cmocka_unit_test(motor),
        cmocka_unit_test(steered),
        cmocka_unit_test(meet_in_the_air),
        cmocka_unit_test(momentum_of_halved_steps),
        cmocka_unit_test(tumbles),
        cmocka_unit_test(locked_hinge),
    };
    return cmocka_run_group_tests_name("staggered", tests, NULL, NULL);
}
