/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_body.c - bodies, shapes and materials: slots and ids, poses, velocities, mass, laws of pairs */
#include "unit/world_help.h"

static const perp_vec3 zero = {0, 0, 0};

static bool same(perp_body_id a, perp_body_id b) { return a.slot == b.slot && a.gen == b.gen; }

static void test_slots(void **state) {
    (void)state;
    perp_world *w = weightless(3, 1e-3);
    perp_body_id b[5], list[5];
    for (int i = 0; i < 5; i++) b[i] = add_mass(w, 1, 1, perp_pose_at(i, 0, 0));
    assert_int_equal(perp_world_body_count(w), 5);
    OK(w, perp_body_remove(w, b[1]));
    OK(w, perp_body_remove(w, b[3]));
    assert_int_equal(perp_world_body_count(w), 3);
    assert_int_equal(perp_world_bodies(w, list, 5), 3);
    assert_true(same(list[0], b[0]));
    assert_true(same(list[1], b[2]));
    assert_true(same(list[2], b[4]));
    memset(list, 0, sizeof list);
    assert_int_equal(perp_world_bodies(w, list, 1), 3); /* the number, though only one is written */
    assert_int_equal(list[1].gen, 0);
    perp_body_id c = add_mass(w, 1, 1, perp_pose_at(9, 0, 0)); /* the first free slot, another generation */
    assert_int_equal(c.slot, b[1].slot);
    assert_true(c.gen != b[1].gen);
    NEAR(pose_of(w, c).p.x, 9, 0);
    perp_pose X;
    assert_int_equal(perp_body_pose(w, b[1], &X), PERP_E_ARG);
    for (int i = 0; i < 100; i++) { /* old ids stay stale however often the slot is used */
        OK(w, perp_body_remove(w, c));
        assert_int_equal(perp_body_remove(w, c), PERP_E_ARG);
        c = add_mass(w, 1, 1, perp_pose_identity());
        assert_int_equal(perp_body_pose(w, b[1], &X), PERP_E_ARG);
    }
    perp_body_id d = add_mass(w, 1, 1, perp_pose_identity());
    assert_int_equal(d.slot, b[3].slot);
    d = add_mass(w, 1, 1, perp_pose_identity());
    assert_int_equal(d.slot, 5);
    perp_world_destroy(w);
}

static void test_name(void **state) {
    (void)state;
    perp_world *w = weightless(2, 1e-3);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    char name[] = "first";
    d.name = name;
    perp_body_id a = add_def(w, &d);
    name[0] = 'X'; /* copied */
    assert_string_equal(perp_body_name(w, a), "first");
    d.name = NULL;
    perp_body_id b = add_def(w, &d);
    assert_string_equal(perp_body_name(w, b), "");
    OK(w, perp_body_remove(w, a));
    assert_null(perp_body_name(w, a));
    perp_world_destroy(w);
}

/* If a body is removed, its shapes, joints and forces are removed, too. Nothing of it acts any more. */
static void test_remove_takes_along(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 1e-2);
        perp_body_id a = add_mass(w, 1, 1, perp_pose_at(0, 0, 0)), b = add_mass(w, 1, 1, perp_pose_at(1, 0, 0));
        perp_shape_id s = add_shape(w, b, perp_shape_sphere(0.5)), sa = add_shape(w, a, perp_shape_sphere(0.5));
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_FIXED);
        j.a = a;
        j.b = b;
        j.X_AJ.p.x = 1;
        perp_joint_id ji = add_joint(w, &j);
        j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.b = b;
        j.X_AJ.p.x = 1;
        perp_joint_id hinge = add_joint(w, &j);
        perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
        f.a = b;
        f.b = a;
        f.stiffness = 100;
        perp_force_id fi = add_force(w, &f);
        f = perp_force_def_default(PERP_FORCE_PD);
        f.joint = hinge;
        f.kp = 1;
        perp_force_id pd = add_force(w, &f);
        run(w, 3);
        OK(w, perp_body_set_velocity(w, a, perp_v3(1, 0, 0), zero));
        OK(w, perp_body_remove(w, b));
        double x;
        perp_wrench p;
        assert_int_equal(perp_shape_body(w, s).gen, 0);
        assert_int_equal(perp_joint_read(w, ji, &x, NULL), PERP_E_ARG);
        assert_int_equal(perp_joint_impulse(w, hinge, &p), PERP_E_ARG);
        assert_int_equal(perp_force_remove(w, fi), PERP_E_ARG);
        assert_int_equal(perp_force_set_target(w, pd, 0, 0), PERP_E_ARG);
        assert_true(same(perp_shape_body(w, sa), a));
        run(w, 10);
        NEAR(velocity_of(w, a).x, 1, 0); /* free */
        j = perp_joint_def_default(PERP_JOINT_FIXED);
        j.b = a;
        j.X_AJ = pose_of(w, a);
        perp_joint_id again = add_joint(w, &j);
        assert_int_equal(again.slot, ji.slot);
        assert_true(again.gen != ji.gen);
        perp_world_destroy(w);
    }
}

static void test_pose(void **state) {
    (void)state;
    perp_world *w = weightless(2, 0.1);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.X_WB = perp_pose_2d(1, 2, 0.5);
    d.w_W = perp_v3(0, 0, 4);
    perp_body_id b = add_def(w, &d);
    double angle;
    OK(w, perp_body_angle(w, b, &angle));
    NEAR(angle, 0.5, 1e-15);
    run(w, 50); /* 20 rad: three turns and more, not wrapped */
    OK(w, perp_body_angle(w, b, &angle));
    NEAR(angle, 20.5, 1e-12);
    NEAR(2 * atan2(pose_of(w, b).q.z, pose_of(w, b).q.w), remainder(20.5, 4 * PI), 1e-12);
    OK(w, perp_body_set_pose(w, b, perp_pose_2d(-3, 4, 1)));
    OK(w, perp_body_angle(w, b, &angle));
    NEAR(angle, 1, 1e-15);
    NEAR(pose_of(w, b).p.x, -3, 0);
    NEAR(pose_of(w, b).p.y, 4, 0);
    perp_pose nearly = perp_pose_2d(0, 0, 1);
    nearly.q.w *= 1 + 1e-7; /* near enough to be meant: made unit */
    nearly.q.z *= 1 + 1e-7;
    OK(w, perp_body_set_pose(w, b, nearly));
    NEAR(perp_q_norm(pose_of(w, b).q), 1, 1e-15);
    perp_body_def o = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id wall = add_def(w, &o);
    OK(w, perp_body_set_pose(w, wall, perp_pose_2d(7, 0, 0)));
    NEAR(pose_of(w, wall).p.x, 7, 0);
    perp_world_destroy(w);
}

/* A pose that is set acts: bodies moved into contact collide, away from it do not. */
static void test_set_pose_acts(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def wd = perp_world_def_default(dim);
        perp_world *w = world_of(&wd);
        perp_body_id floor = add_floor(w), b = add_mass(w, 1, 1, at_height(dim, 0, 5));
        add_shape(w, b, perp_shape_sphere(0.5));
        run(w, 1);
        const perp_contact *c;
        assert_int_equal(perp_world_contacts(w, &c), 0);
        OK(w, perp_body_set_velocity(w, b, zero, zero));
        OK(w, perp_body_set_pose(w, b, at_height(dim, 0, 0.5)));
        perp_certificate cert = run(w, 1);
        assert_int_equal(perp_world_contacts(w, &c), 1);
        assert_int_equal(cert.contacts, 1);
        NEAR(c[0].impulse_C[0], 9.81e-3, 1e-12);
        NEAR(c[0].gap, 0, 1e-15);
        NEAR(c[0].gap_end, 0, 1e-15);
        assert_int_equal(c[0].state, PERP_CONTACT_SLIDING); /* pressed, without friction */
        assert_true(same(perp_shape_body(w, c[0].a), floor) && same(perp_shape_body(w, c[0].b), b));
        perp_vec3 n = up(dim);
        NEAR(perp_v3_dot(c[0].n_W, n), 1, 1e-15); /* from A, the floor, to B */
        OK(w, perp_body_set_pose(w, b, at_height(dim, 0, 5)));
        run(w, 1);
        assert_int_equal(perp_world_contacts(w, &c), 0);
        OK(w, perp_body_set_pose(w, b, at_height(dim, 0, 0.3)));
        NEAR(perp_world_overlap(w), 0.2, 1e-12);
        perp_world_destroy(w);
    }
}

static void test_velocity_and_force(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 0.5);
        perp_body_id b = add_mass(w, 2, 4, perp_pose_identity());
        OK(w, perp_body_set_velocity(w, b, perp_v3(1, -1, 0), perp_v3(0, 0, 3)));
        NEAR(velocity_of(w, b).y, -1, 0);
        NEAR(spin_of(w, b).z, 3, 0);
        double k, g, s;
        perp_world_energy(w, &k, &g, &s);
        NEAR(k, 0.5 * 2 * 2 + 0.5 * 4 * 9, 1e-14);
        NEAR(g, 0, 0);
        NEAR(s, 0, 0);
        perp_world_energy(w, NULL, NULL, NULL);
        OK(w, perp_body_set_force(w, b, perp_v3(6, 0, 0), perp_v3(0, 0, -8)));
        run(w, 1);
        NEAR(velocity_of(w, b).x, 1 + 0.5 * 3, 1e-14);
        NEAR(spin_of(w, b).z, 3 - 0.5 * 2, 1e-14);
        run(w, 1); /* until changed */
        NEAR(velocity_of(w, b).x, 4, 1e-14);
        OK(w, perp_body_set_force(w, b, zero, zero));
        run(w, 1);
        NEAR(velocity_of(w, b).x, 4, 1e-14);
        perp_world_destroy(w);
    }
}

static void test_momentum_and_energy(void **state) {
    (void)state;
    perp_world_def wd = perp_world_def_default(3);
    wd.gravity_W = perp_v3(1, 2, -3);
    perp_world *w = world_of(&wd);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.mass = 2;
    d.I_B = perp_m3_diag(1, 2, 2.5);
    d.X_WB = (perp_pose){{1, 0, 2}, perp_q_axis_angle(perp_v3(1, 0, 0), PI / 2)}; /* body z is -y of the world */
    d.v_W = perp_v3(0, 3, 0);
    d.w_W = perp_v3(0, 5, 0);
    add_def(w, &d);
    perp_vec3 p, L;
    perp_world_momentum(w, &p, &L);
    NEAR(p.y, 6, 1e-14);
    NEAR(L.x, -12, 1e-13); /* r x m v = (1, 0, 2) x (0, 6, 0) = (-12, 0, 6) */
    NEAR(L.y, 2.5 * 5, 1e-13);
    NEAR(L.z, 6, 1e-13);
    double k, g;
    perp_world_energy(w, &k, &g, NULL);
    NEAR(k, 9 + 0.5 * 2.5 * 25, 1e-13);
    NEAR(g, -2 * (1 * 1 - 3 * 2), 1e-13); /* -m g . x */
    perp_body_def light = d;
    light.no_gravity = true;
    perp_body_id b = add_def(w, &light);
    perp_world_energy(w, NULL, &g, NULL);
    NEAR(g, 10, 1e-13); /* gravity does not act on it and gives it no energy */
    run(w, 10);
    NEAR(velocity_of(w, b).x, 0, 0);
    perp_world_momentum(w, NULL, NULL);
    perp_world_destroy(w);
}

static void test_particle(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 0.1);
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        d.particle = true;
        d.I_B = perp_m3_diag(NAN, NAN, NAN); /* ignored */
        perp_body_id b = add_def(w, &d);
        OK(w, perp_body_set_force(w, b, perp_v3(1, 0, 0), perp_v3(0, 0, 1)));
        run(w, 10);
        NEAR(velocity_of(w, b).x, 1, 1e-14);
        NEAR(spin_of(w, b).z, 0, 0);
        NEAR(pose_of(w, b).q.w, 1, 0);
        assert_int_equal(perp_body_set_velocity(w, b, zero, perp_v3(0, 0, 1)), PERP_E_ARG);
        assert_int_equal(perp_world_problem(w)->ndof, dim);
        perp_world_destroy(w);
    }
}

static void test_mass_of_shape(void **state) {
    (void)state;
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def box = perp_shape_box(1, 2, 3);
    assert_int_equal(perp_body_def_mass(&d, &box, 3, 2), PERP_OK);
    NEAR(d.mass, 96, 1e-12);
    NEAR(d.I_B.c[0].x, 96 * (16 + 36) / 12.0, 1e-10);
    assert_int_equal(perp_body_def_mass(&d, &box, 2, 2), PERP_OK);
    NEAR(d.mass, 16, 1e-12);
    NEAR(d.I_B.c[2].z, 16 * (4 + 16) / 12.0, 1e-12);
    box.X_BS.p.x = 0.1;
    perp_body_def before = d;
    assert_int_equal(perp_body_def_mass(&d, &box, 3, 2), PERP_E_GEOMETRY); /* its centre is not the origin */
    assert_memory_equal(&before, &d, sizeof d);
    perp_shape_def half = perp_shape_halfspace(perp_v3(0, 0, 1), 0);
    assert_int_equal(perp_body_def_mass(&d, &half, 3, 2), PERP_E_GEOMETRY);
    perp_shape_def point = perp_shape_particle(zero);
    assert_int_equal(perp_body_def_mass(&d, &point, 3, 2), PERP_OK);
    assert_true(d.particle);
    NEAR(d.mass, 2, 0);
}

/* Groups and masks: shapes that do not see each other pass through. */
static void test_masks(void **state) {
    (void)state;
    const struct {
        uint32_t group, mask;
        bool touches;
    } cases[] = {{1, ~0u, true}, {2, ~0u, true}, {1, 2, false}, {1, 0, false}, {0, ~0u, false}, {6, 5, true}};
    for (int dim = 2; dim <= 3; dim++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            perp_world_def wd = perp_world_def_default(dim);
            wd.h = 0.01;
            perp_world *w = world_of(&wd);
            add_floor(w); /* group 1, mask all */
            perp_body_id b = add_mass(w, 1, 1, at_height(dim, 0, 0.51));
            perp_shape_def s = perp_shape_sphere(0.5);
            s.group = cases[i].group;
            s.mask = cases[i].mask;
            add_shape(w, b, s);
            run(w, 50);
            if (cases[i].touches)
                NEAR(height_of(w, b), 0.5, 1e-9);
            else
                BELOW(height_of(w, b), -0.5);
            perp_world_destroy(w);
        }
}

/* Laws of pairs: each of three blocks slides by its own law. */
static void test_materials(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def wd = perp_world_def_default(dim);
        perp_world *w = world_of(&wd);
        int rough, late;
        OK(w, perp_pair_set(w, 0, 0, (perp_pair_law){.mu = 0.1}));
        OK(w, perp_material_add(w, &rough));
        assert_int_equal(rough, 1);
        OK(w, perp_pair_set(w, rough, 0, (perp_pair_law){.mu = 0.3})); /* both orders */
        add_floor(w);
        perp_body_id b[3];
        OK(w, perp_material_add(w, &late));
        OK(w, perp_material_add(w, NULL));
        for (int i = 0; i < 3; i++) {
            b[i] = add_mass(w, 1, 1, at_height(dim, 2 * i, 0.5));
            OK(w, perp_body_set_velocity(w, b[i], perp_v3(1, 0, 0), zero));
            perp_shape_def s = perp_shape_box(0.5, 0.5, 0.5);
            s.material = i == 2 ? late : i;
            add_shape(w, b[i], s);
        }
        run(w, 100);
        NEAR(velocity_of(w, b[0]).x, 1 - 0.1 * 9.81 * 0.1, 1e-9);
        NEAR(velocity_of(w, b[1]).x, 1 - 0.3 * 9.81 * 0.1, 1e-9);
        NEAR(velocity_of(w, b[2]).x, 1, 1e-9); /* materials that came later have the law of all pairs, none so far */
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.2}));
        int last;
        OK(w, perp_material_add(w, &last));
        run(w, 100);
        NEAR(velocity_of(w, b[2]).x, 1 - 0.2 * 9.81 * 0.1, 1e-9);
        const perp_contact *c;
        int n = perp_world_contacts(w, &c);
        assert_int_equal(n, dim == 2 ? 6 : 12);
        for (int i = 0; i < n; i++) NEAR(c[i].mu, 0.2, 0);
        perp_shape_def s = perp_shape_sphere(0.1); /* a material to come */
        s.material = last;
        perp_body_id ball = add_mass(w, 1, 1, at_height(dim, -3, 0.1));
        add_shape(w, ball, s);
        run(w, 1);
        n = perp_world_contacts(w, &c);
        for (int i = 0; i < n; i++) NEAR(c[i].mu, 0.2, 0);
        perp_world_destroy(w);
    }
}

/* A ball that keeps all its speed keeps its height, and never gains energy. With the step's own energy E = v^2/2 + g x
 * - g h v/2, which free flight and the reflection both keep exactly, over any number of bounces. */
static void test_elastic(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def wd = perp_world_def_default(dim);
        wd.h = 1e-3;
        wd.start = PERP_START_PLAIN; /* its own energy is that of the plain step */
        perp_world *w = world_of(&wd);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = 1}));
        add_floor(w);
        perp_body_id b = add_mass(w, 1, 1, at_height(dim, 0, 1.5));
        add_shape(w, b, perp_shape_sphere(0.5));
        const double g = 9.81, h = wd.h, start = g * 1.5;
        int bounces = 0;
        double last = 0, peak = 0, lowest_peak = INFINITY, highest_peak = 0;
        while (bounces < 100) {
            OK(w, perp_world_step(w, NULL));
            perp_vec3 vel = velocity_of(w, b);
            double v = dim == 2 ? vel.y : vel.z, x = height_of(w, b);
            NEAR(v * v / 2 + g * x - g * h * v / 2, start, 1e-11 * start);
            peak = fmax(peak, x);
            if (v > 0 && last <= 0) {
                bounces++;
                if (bounces > 1) {
                    lowest_peak = fmin(lowest_peak, peak);
                    highest_peak = fmax(highest_peak, peak);
                }
                peak = 0;
            }
            last = v;
        }
        BELOW(highest_peak, 1.5 + g * h * h);
        BELOW(1.5 - g * h * h, lowest_peak);
        perp_world_destroy(w);
    }
}

/* Restitution one half: the speed after each impact is half that before, to rounding. */
static void test_restitution(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int e10 = 1; e10 <= 9; e10 += 2) {
            double e = 0.1 * e10;
            perp_world_def wd = perp_world_def_default(dim);
            wd.start = PERP_START_PLAIN; /* speeds that it works with */
            wd.stepper = e10 == 3 ? "anitescu-potra" : "stewart-trinkle";
            wd.impacts = PERP_IMPACTS_PLAIN; /* from step to step */
            perp_world *w = world_of(&wd);
            OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = e}));
            add_floor(w);
            perp_body_id b = add_mass(w, 1, 1, at_height(dim, 0, 1.5));
            add_shape(w, b, perp_shape_sphere(0.5));
            double last = 0;
            for (int bounces = 0; bounces < 3;) {
                OK(w, perp_world_step(w, NULL));
                perp_vec3 vel = velocity_of(w, b);
                double v = dim == 2 ? vel.y : vel.z;
                if (v > 0 && last < 0) {
                    NEAR(v, -e * last, 1e-12);
                    bounces++;
                }
                last = v;
            }
            perp_world_destroy(w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_name),
        cmocka_unit_test(test_remove_takes_along),
        cmocka_unit_test(test_pose),
        cmocka_unit_test(test_set_pose_acts),
        cmocka_unit_test(test_velocity_and_force),
        cmocka_unit_test(test_momentum_and_energy),
        cmocka_unit_test(test_particle),
        cmocka_unit_test(test_mass_of_shape),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_elastic),
        cmocka_unit_test(test_restitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
