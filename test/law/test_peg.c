/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The contact model "peg" on scenes whose motion is known: Williams' corners, seams and stacks, ties of corners, spawned
 * overlap, restitution, driven bodies, joints, and shapes of all kinds together. In every step the contacts that push
 * must touch at the end of it. */
#include "peg_scenes.h"

/* Williams 5.1: a triangle dropped on the tip of a fixed one, a little to the right of it: it must go down on the right.
 * References: event-located ODE. */
static void triangle_drops(void **state) {
    (void)state;
    const struct {
        double x, angle, end_x, end_y, end_angle, at_5ms;
    } drop[] = {{1.3, -0.2, 3.272673345, -1.425519042, -1.047919123, 5e-4},
                {1.1, 0, 2.906887244, -0.791351921, -1.047197551, 2e-3}};
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 11; k++) {
            perp_world *w = peg_world(2, 1.5 / steps_in_1_5[k], PERP_START_STAGGERED, 9.81);
            add_fixed(w, triangle(4.9), perp_pose_identity());
            perp_shape_def s = triangle(2.45);
            perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
            b.X_WB = perp_pose_2d(drop[d].x, 7, drop[d].angle);
            b.I_B = perp_m3_diag(1, 1, 0.6495); /* as given, not that of the triangle */
            perp_body_id body = add_def(w, &b);
            add_shape(w, body, s);
            watched f = run_watched(w, steps_in_1_5[k]);
            double off = miss(w, body, drop[d].end_x, drop[d].end_y), h = 1.5 / steps_in_1_5[k];
            BELOW(off, 0.1); /* the other side is metres away */
            if (steps_in_1_5[k] == 300) BELOW(off, drop[d].at_5ms);
            if (steps_in_1_5[k] == 300) NEAR(angle_of(w, body), drop[d].end_angle, drop[d].at_5ms);
            BELOW(f.overlap, 1e-9 + 1e-6 * h);
            BELOW(f.touch.distance, 1e-8 + 2e-6 * h); /* at 10 m/s the tolerance of the solver counts */
            assert_true(f.touch.pushing > 0);
            perp_world_destroy(w);
        }
}

/* A box slides over the edge of another, tips and falls. */
static void corner_slide(void **state) {
    (void)state;
    for (int k = 0; k < 11; k++) {
        double h = 1.5 / steps_in_1_5[k];
        perp_world *w = peg_world(2, h, PERP_START_STAGGERED, 9.81);
        add_fixed(w, perp_shape_box(2, 2, 0), perp_pose_at(0, -2, 0));
        perp_body_id b = add_free(w, perp_shape_box(0.5, 0.5, 0), perp_pose_at(1, 0.5, 0), perp_v3(1, 0, 0));
        watched f = run_watched(w, steps_in_1_5[k]);
        double off = miss(w, b, 2.551269369, 0.215017670);
        BELOW(off, 2e-4 + 40 * h * h);
        if (k == 4) BELOW(off, 2e-4); /* 5 ms */
        BELOW(f.overlap, 1e-9);
        BELOW(f.touch.distance, 1e-8);
        if (k == 4) {
            run_watched(w, 100);
            BELOW(miss(w, b, 3.202846185, -1.988837752), 2e-4);
            NEAR(angle_of(w, b), -1.901727725, 2e-4);
        }
        perp_world_destroy(w);
    }
}

/* Two boxes side by side are one floor: nothing happens at the seam. */
static void seam_slide(void **state) {
    (void)state;
    for (int k = 0; k < 11; k++) {
        perp_world *w = peg_world(2, 1.5 / steps_in_1_5[k], PERP_START_PLAIN, 9.81);
        add_fixed(w, perp_shape_box(2, 2, 0), perp_pose_at(-2, -2, 0));
        add_fixed(w, perp_shape_box(2, 2, 0), perp_pose_at(2, -2, 0));
        perp_body_id b = add_free(w, perp_shape_box(0.5, 0.5, 0), perp_pose_at(-1, 0.5, 0), perp_v3(2, 0, 0));
        watched f = run_watched(w, steps_in_1_5[k]);
        BELOW(miss(w, b, 2, 0.5), 1e-9);
        NEAR(angle_of(w, b), 0, 1e-9);
        BELOW(f.touch.distance, 1e-9);
        perp_world_destroy(w);
    }
}

/* The same in space, over a seam of four, at an angle to all of them. */
static void seam_slide_in_space(void **state) {
    (void)state;
    for (int k = 0; k < 11; k += 3) {
        perp_world *w = peg_world(3, 1.5 / steps_in_1_5[k], PERP_START_PLAIN, 9.81);
        for (int i = 0; i < 4; i++)
            add_fixed(w, perp_shape_box(2, 2, 2), perp_pose_at(i & 1 ? 2 : -2, i & 2 ? 2 : -2, -2));
        perp_pose X = perp_pose_at(-1, -0.7, 0.5);
        X.q = perp_q_axis_angle(perp_v3(0, 0, 1), 0.3);
        perp_body_id b = add_free(w, perp_shape_box(0.5, 0.4, 0.5), X, perp_v3(2, 1.1, 0));
        watched f = run_watched(w, steps_in_1_5[k]);
        perp_vec3 p = pose_of(w, b).p;
        BELOW(perp_v3_norm(perp_v3_sub(p, perp_v3(2, -0.7 + 1.65, 0.5))), 1e-9);
        BELOW(perp_v3_norm(spin_of(w, b)), 1e-9);
        BELOW(f.touch.distance, 1e-9);
        perp_world_destroy(w);
    }
}

/* Nine boxes dropped on each other without friction, none above the other's middle: they come to rest and stay. */
static void box_stack(void **state) {
    (void)state;
    static const double x[9] = {0.07, -0.09, 0.04, -0.02, 0.1, -0.06, 0.03, -0.1, 0.08};
    perp_world *w = peg_world(2, 5e-3, PERP_START_PLAIN, 9.81);
    add_fixed(w, perp_shape_box(0.5, 0.5, 0), perp_pose_at(0, 0.5, 0));
    perp_body_id b[9];
    for (int i = 0; i < 9; i++)
        b[i] = add_free(w, perp_shape_box(0.5, 0.5, 0), perp_pose_at(x[i], 1.75 + 1.25 * i, 0), none);
    watched f = run_watched(w, 1000);
    perp_pose X[9];
    for (int i = 0; i < 9; i++) X[i] = pose_of(w, b[i]);
    watched g = run_watched(w, shorter(1000));
    for (int i = 0; i < 9; i++) {
        NEAR(X[i].p.x, x[i], 1e-9);
        NEAR(X[i].p.y, 1.5 + i, 1e-9);
        BELOW(miss(w, b[i], X[i].p.x, X[i].p.y), 1e-10);
        NEAR(angle_of(w, b[i]), 0, 1e-10);
    }
    BELOW(f.overlap, 1e-9);
    BELOW(g.overlap, 1e-10);
    BELOW(f.touch.distance, 1e-8);
    BELOW(g.touch.distance, 1e-9);
    perp_world_destroy(w);
}

/* A tip that comes down on a tip must choose a side, or stay; never sink. */
static void apex_on_apex(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = peg_world(dim, 5e-3, PERP_START_PLAIN, 9.81);
        perp_vec3 p[4] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 0}};
        perp_shape_def s = perp_shape_polygon(p, 3);
        if (dim == 3) {
            p[0] = perp_v3(-1, -1, -1), p[1] = perp_v3(1, -1, -1), p[2] = perp_v3(0, 1, -1), p[3] = perp_v3(0, 0, 1);
            s = perp_shape_polyhedron(p, 4);
        }
        perp_mass m;
        OK(w, perp_shape_mass(&s, dim, 1, &m, NULL, 0));
        s.X_BS.p = perp_v3_neg(m.com_B);
        perp_pose X = at_height(dim, 0, 3);
        X.q = perp_q_axis_angle(dim == 2 ? perp_v3(0, 0, 1) : perp_v3(1, 0, 0), PI);
        perp_body_id b;
        add_fixed(w, s, perp_pose_identity());
        b = add_free(w, s, X, none);
        watched f = run_watched(w, 300);
        BELOW(f.overlap, 1e-8);
        BELOW(f.touch.distance, 1e-8);
        assert_true(height_of(w, b) < 3);
        perp_world_destroy(w);
    }
}

/* A box whose side passes the side of another at the distance zero falls freely. */
static void corner_over_corner(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = peg_world(dim, 5e-3, PERP_START_PLAIN, 9.81);
        add_fixed(w, perp_shape_box(0.5, 0.5, 0.5), perp_pose_identity());
        perp_body_id b = add_free(w, perp_shape_box(0.5, 0.5, 0.5), at_height(dim, 1, 2), none);
        run_watched(w, 200);
        NEAR(height_of(w, b), 2 - 9.81 / 2 * (1 + 5e-3), 1e-9);
        NEAR(pose_of(w, b).p.x, 1, 1e-9);
        perp_world_destroy(w);
    }
}

/* A box falls into a slot exactly as wide as it is, and comes to rest on its floor. */
static void slot_of_its_width(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = peg_world(dim, 5e-3, PERP_START_PLAIN, 9.81);
        add_floor(w);
        for (int s = -1; s <= 1; s += 2) add_fixed(w, perp_shape_box(0.5, 0.5, 0.5), at_height(dim, s, 0.5));
        perp_body_id b = add_free(w, perp_shape_box(0.5, 0.5, 0.5), at_height(dim, 0, 2), none);
        watched f = run_watched(w, 300);
        NEAR(height_of(w, b), 0.5, 1e-8);
        NEAR(pose_of(w, b).p.x, 0, 1e-9);
        BELOW(f.overlap, 1e-9);
        perp_world_destroy(w);
    }
}

/* Bodies placed in each other come apart, and not like an explosion. */
static void spawned_overlap(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int friction = 0; friction < 2; friction++) {
            perp_world *w = peg_world_with(dim, 5e-3, 0.5 * friction);
            add_floor(w);
            perp_body_id b[6];
            for (int i = 0; i < 6; i++) {
                perp_pose X = at_height(dim, 0.3 * (i % 2), 0.5 + 0.35 * i);
                X.q = perp_q_axis_angle(dim == 2 ? perp_v3(0, 0, 1) : perp_v3(1, 2, 3), 0.4 * i);
                b[i] = add_free(w, perp_shape_box(0.3, 0.2, 0.25), X, none);
            }
            assert_true(perp_world_overlap(w) > 0.05);
            double fastest = 0;
            perp_certificate c = {0};
            for (int k = 0; k < 400; k++) {
                OK(w, perp_world_step(w, &c));
                for (int i = 0; i < 6; i++) fastest = fmax(fastest, perp_v3_norm(velocity_of(w, b[i])));
            }
            BELOW(fastest, 9);
            BELOW(c.overlap, 1e-8);
            perp_world_destroy(w);
        }
}

/* Bodies that fly at each other and collide, and collide again: momentum stays. */
static void momentum(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < 4; kind++) { /* friction, restitution */
            perp_world *w = peg_world(dim, 5e-3, PERP_START_PLAIN, 0);
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = kind & 1 ? 0.5 : 0, .restitution = kind & 2 ? 0.7 : 0}));
            for (int i = 0; i < 6; i++) {
                double a = i * PI / 3;
                perp_vec3 out = perp_v3(cos(a), sin(a), dim == 3 ? 0.1 * (i % 3) : 0);
                perp_pose X = {out, perp_q_axis_angle(dim == 2 ? perp_v3(0, 0, 1) : perp_v3(1, 2, 3), 0.7 * i)};
                perp_shape_def s = i % 3 == 2 ? perp_shape_sphere(0.25) : perp_shape_box(0.3, 0.2, 0.25);
                perp_vec3 turn = dim == 2 ? perp_v3(0, 0, 1 - i) : perp_v3(0.5, 1 - i, 0.3 * i);
                add_solid(w, PERP_BODY_DYNAMIC, s, 1 + i, X, perp_v3_scale(-1 - 0.1 * i, out), turn);
            }
            perp_vec3 p0, l0, p1, l1;
            perp_world_momentum(w, &p0, &l0);
            watched f = {0};
            double worst = 0, turning = 0;
            for (int k = 0; k < 200; k++) {
                perp_certificate c = {0};
                OK(w, perp_world_step(w, &c));
                watch_contacts(w, 1e-9, &f.touch);
                perp_world_momentum(w, &p1, &l1);
                worst = fmax(worst, perp_v3_norm(perp_v3_sub(p1, p0)));
                turning = fmax(turning, perp_v3_norm(perp_v3_sub(l1, l0)));
            }
            assert_true(f.touch.pushing + f.touch.skipped > 3);
            BELOW(worst, 1e-12);
            BELOW(turning, 1e-12);
            print_message("%dD, mu %g, e %g: angular momentum kept to %.1e\n", dim, kind & 1 ? 0.5 : 0,
                          kind & 2 ? 0.7 : 0, turning);
            perp_world_destroy(w);
        }
}

/* What is thrown back keeps its share of the speed, flat and round. */
static void restitution(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < 3; kind++) {
            perp_world *w = peg_world(dim, 5e-3, PERP_START_PLAIN, 0);
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0, .restitution = 0.5}));
            add_fixed(w, perp_shape_box(2, 0.5, 2), perp_pose_at(0, -0.5, 0));
            perp_body_id b = add_free(w,
                                      kind == 0   ? perp_shape_box(0.5, 0.5, 0.5)
                                      : kind == 1 ? perp_shape_sphere(0.5)
                                                  : perp_shape_capsule(0.5, 0.3),
                                      perp_pose_at(0.1, 0.812, 0), perp_v3(0.3, -2, 0));
            run(w, 100);
            NEAR(velocity_of(w, b).y, 1, 1e-8);
            NEAR(velocity_of(w, b).x, 0.3, 1e-9);
            BELOW(perp_v3_norm(spin_of(w, b)), 1e-8);
            perp_world_destroy(w);
        }
}

/* A driven wall pushes a box ahead of it; a driven belt carries one along until it has its speed. */
static void driven_bodies(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = peg_world(dim, 5e-3, PERP_START_PLAIN, 9.81);
        int belt;
        OK(w, perp_material_add(w, &belt));
        OK(w, perp_pair_set(w, 0, belt, (perp_pair_law){.mu = 0.5, .restitution = 0}));
        add_floor(w);
        perp_body_id wall = add_solid(w, PERP_BODY_KINEMATIC, perp_shape_box(0.1, 0.5, 0.5), 0, at_height(dim, -1, 0.6),
                                      perp_v3(1, 0, 0), none);
        perp_body_id pushed = add_free(w, perp_shape_box(0.2, 0.2, 0.2), at_height(dim, 0, 0.2), none);
        perp_shape_def s = perp_shape_box(50, 0.5, 0.5);
        s.material = belt;
        add_solid(w, PERP_BODY_KINEMATIC, s, 0, at_height(dim, 0, 4.5), perp_v3(2, 0, 0), none);
        perp_body_id carried = add_free(w, perp_shape_box(0.2, 0.2, 0.2), at_height(dim, -30, 5.2), none);
        watched f = run_watched(w, 60); /* 0.3 s: still sliding */
        NEAR(velocity_of(w, carried).x, 0.5 * 9.81 * 0.3, 1e-8);
        f = run_watched(w, 240);
        NEAR(velocity_of(w, carried).x, 2, 1e-9);
        NEAR(velocity_of(w, pushed).x, 1, 1e-9);
        NEAR(pose_of(w, pushed).p.x - pose_of(w, wall).p.x, 0.3, 1e-9);
        BELOW(f.overlap, 1e-9);
        BELOW(f.touch.distance, 1e-8);
        perp_world_destroy(w);
    }
}

/* A double pendulum of boxes swings against a wall and comes to rest at it. */
static void jointed(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = peg_world(dim, 5e-3, PERP_START_PLAIN, 9.81);
        perp_body_id b[2];
        for (int i = 0; i < 2; i++) b[i] = add_free(w, perp_shape_box(0.5, 0.1, 0.1), at_height(dim, 0.5 + i, 2), none);
        for (int i = 0; i < 2; i++) {
            perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
            if (i) j.a = b[0];
            j.b = b[i];
            perp_quat q = dim == 2 ? perp_q_identity() : perp_q_axis_angle(perp_v3(1, 0, 0), PI / 2);
            j.X_AJ = (perp_pose){i ? perp_v3(0.5, 0, 0) : at_height(dim, 0, 2).p, q};
            j.X_BJ = (perp_pose){perp_v3(-0.5, 0, 0), q};
            add_joint(w, &j);
        }
        add_fixed(w, perp_shape_box(0.5, 3, 3), at_height(dim, -0.9, 0));
        watched f = run_watched(w, 600);
        BELOW(f.overlap, 1e-8);
        BELOW(f.touch.distance, 1e-8);
        assert_true(f.touch.pushing > 0);
        BELOW(perp_world_joint_error(w), 1e-2);
        perp_world_destroy(w);
    }
}

/* Every kind of shape in one container. */
static void all_kinds(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int friction = 0; friction < 2; friction++) {
            perp_world *w = peg_world_with(dim, 5e-3, 0.5 * friction);
            add_floor(w);
            for (int s = -1; s <= 1; s += 2) add_fixed(w, perp_shape_box(0.1, 2, 2), at_height(dim, 0.7 * s, 1.5));
            if (dim == 3)
                for (int s = -1; s <= 1; s += 2)
                    add_fixed(w, perp_shape_box(0.6, 0.1, 2), perp_pose_at(0, 0.5 * s, 1.5));
            for (int i = 0; i < 10; i++) {
                perp_shape_def s = i % 5 == 0   ? perp_shape_box(0.15, 0.1, 0.12)
                                   : i % 5 == 1 ? perp_shape_sphere(0.12)
                                   : i % 5 == 2 ? perp_shape_capsule(0.08, 0.1)
                                   : i % 5 == 3 ? perp_shape_particle(none)
                                   : dim == 2   ? triangle(0.3)
                                                : perp_shape_box(0.1, 0.1, 0.1);
                perp_pose X = at_height(dim, 0.21 * (i % 3 - 1), 0.3 + 0.3 * i);
                if (i % 5 != 3) X.q = perp_q_axis_angle(dim == 2 ? perp_v3(0, 0, 1) : perp_v3(1, -1, 0.5), 0.5 * i);
                add_free(w, s, X, none);
            }
            watched f = run_watched(w, 300);
            BELOW(f.overlap, 1e-8);
            BELOW(f.touch.distance, 1e-8);
            assert_true(f.touch.pushing > 100 && f.touch.skipped > 100);
            perp_world_destroy(w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangle_drops),
        cmocka_unit_test(corner_slide),
        cmocka_unit_test(seam_slide),
        cmocka_unit_test(seam_slide_in_space),
        cmocka_unit_test(box_stack),
        cmocka_unit_test(apex_on_apex),
        cmocka_unit_test(corner_over_corner),
        cmocka_unit_test(slot_of_its_width),
        cmocka_unit_test(spawned_overlap),
        cmocka_unit_test(momentum),
        cmocka_unit_test(restitution),
        cmocka_unit_test(driven_bodies),
        cmocka_unit_test(jointed),
        cmocka_unit_test(all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
