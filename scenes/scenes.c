/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scenes.c - see scenes.h */
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>

static void must(const perp_world *w, perp_status st, const char *what) {
    if (!st) return;
    fprintf(stderr, "scene: %s: %s: %s\n", what, perp_status_name(st), w ? perp_world_why(w) : "");
    exit(2);
}

scene scene_new(perp_world_def def) {
    scene s = {0};
    char why[256];
    perp_status st = perp_world_create_why(&def, &s.w, why, sizeof why);
    if (st) {
        fprintf(stderr, "scene: %s\n", why);
        exit(2);
    }
    return s;
}

void scene_end(scene *s) {
    perp_world_destroy(s->w);
    s->w = NULL;
}

perp_body_id scene_body(scene *s, const perp_body_def *def) {
    perp_body_id id;
    must(s->w, perp_body_add(s->w, def, &id), "body");
    if (s->nbody < SCENE_MAX) s->body[s->nbody++] = id;
    return id;
}

void scene_shape(scene *s, perp_body_id b, perp_shape_def def) {
    must(s->w, perp_shape_add(s->w, b, &def, NULL), "shape");
}

perp_joint_id scene_joint(scene *s, const perp_joint_def *def) {
    perp_joint_id id;
    must(s->w, perp_joint_add(s->w, def, &id), "joint");
    if (s->njoint < SCENE_MAX) s->joint[s->njoint++] = id;
    return id;
}

static perp_body_id floor_body(scene *s, perp_vec3 normal) {
    perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
    d.name = "floor";
    perp_body_id id = scene_body(s, &d);
    scene_shape(s, id, perp_shape_halfspace(normal, 0));
    return id;
}

static void friction(scene *s, double mu) { must(s->w, perp_pair_set_all(s->w, (perp_pair_law){.mu = mu}), "law"); }

static double rod_inertia(double m, double L) { return m * L * L / 12; }

scene scene_particle_wall(perp_world_def def, bool moving) {
    def.gravity_W = perp_v3(1, 0, 0);
    scene s = scene_new(def);
    perp_body_def p = perp_body_def_default(PERP_BODY_DYNAMIC);
    p.particle = true;
    scene_shape(&s, scene_body(&s, &p), perp_shape_particle(perp_v3(0, 0, 0)));
    perp_body_def wall = perp_body_def_default(moving ? PERP_BODY_KINEMATIC : PERP_BODY_OBSTACLE);
    wall.X_WB = perp_pose_at(11, 0, 0);
    if (moving) wall.v_W = perp_v3(-1, 0, 0);
    scene_shape(&s, scene_body(&s, &wall), perp_shape_halfspace(perp_v3(-1, 0, 0), 0));
    return s;
}

/* A rod of length 1 whose frame lies at its middle, x along it; its start is at (x, y). */
static perp_body_def rod(double x, double y, double angle) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.X_WB = perp_pose_2d(x + 0.5 * cos(angle), y + 0.5 * sin(angle), angle);
    d.I_B = perp_m3_diag(1, 1, rod_inertia(1, 1));
    return d;
}

static void hinge(scene *s, perp_body_id a, perp_vec3 at_A, perp_body_id b, perp_vec3 at_B) {
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.a = a;
    j.b = b;
    j.X_AJ.p = at_A;
    j.X_BJ.p = at_B;
    scene_joint(s, &j);
}

static const perp_body_id the_world = {0, 0};

scene scene_double_pendulum(perp_world_def def) {
    scene s = scene_new(def);
    perp_body_def a = rod(0, 0, 0), b = rod(1, 0, 0);
    perp_body_id A = scene_body(&s, &a), B = scene_body(&s, &b);
    hinge(&s, the_world, perp_v3(0, 0, 0), A, perp_v3(-0.5, 0, 0));
    hinge(&s, A, perp_v3(0.5, 0, 0), B, perp_v3(-0.5, 0, 0));
    return s;
}

static perp_body_id block_2d(scene *s, double mass, double length, double width, perp_pose X, perp_vec3 v,
                             int material) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.mass = mass;
    d.I_B = perp_m3_diag(1, 1, mass * (length * length + width * width) / 12);
    d.X_WB = X;
    d.v_W = v;
    perp_body_id id = scene_body(s, &d);
    perp_shape_def box = perp_shape_box(length / 2, width / 2, 1);
    box.material = material;
    scene_shape(s, id, box);
    return id;
}

scene scene_pendulum_on_block(perp_world_def def) {
    scene s = scene_new(def);
    floor_body(&s, perp_v3(0, 1, 0));
    perp_body_id C = block_2d(&s, 5, 0.4, 0.2, perp_pose_2d(0, 0.1, 0), perp_v3(0, 0, 0), 0);
    perp_body_def a = rod(0, 0.1, 0), b = rod(1, 0.1, 0);
    perp_body_id A = scene_body(&s, &a), B = scene_body(&s, &b);
    hinge(&s, C, perp_v3(0, 0, 0), A, perp_v3(-0.5, 0, 0));
    hinge(&s, A, perp_v3(0.5, 0, 0), B, perp_v3(-0.5, 0, 0));
    return s;
}

scene scene_full_planar(perp_world_def def) {
    scene s = scene_new(def);
    int belt_material, pusher_material;
    must(s.w, perp_material_add(s.w, &belt_material), "material");
    must(s.w, perp_material_add(s.w, &pusher_material), "material");
    must(s.w, perp_pair_set(s.w, 0, belt_material, (perp_pair_law){.mu = 0.3}), "law");
    must(s.w, perp_pair_set(s.w, 0, pusher_material, (perp_pair_law){.mu = 0}), "law");
    perp_body_def belt = perp_body_def_default(PERP_BODY_KINEMATIC);
    belt.v_W = perp_v3(-0.5, 0, 0);
    perp_shape_def ground = perp_shape_halfspace(perp_v3(0, 1, 0), 0);
    ground.material = belt_material;
    scene_shape(&s, scene_body(&s, &belt), ground);
    perp_body_def pusher = perp_body_def_default(PERP_BODY_KINEMATIC);
    pusher.X_WB = perp_pose_2d(-0.3, 0.1, 0);
    pusher.v_W = perp_v3(0.4, 0, 0);
    perp_shape_def tip = perp_shape_particle(perp_v3(0, 0, 0));
    tip.material = pusher_material;
    scene_shape(&s, scene_body(&s, &pusher), tip);
    perp_body_id C = block_2d(&s, 10, 0.4, 0.2, perp_pose_2d(0, 0.1, 0), perp_v3(0, 0, 0), 0);
    perp_body_def a = rod(0, 0.1, acos(-1.0));
    perp_body_id A = scene_body(&s, &a);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.particle = true;
    b.mass = 0.5;
    b.X_WB = perp_pose_2d(-1, -0.44905, 0);
    perp_body_id B = scene_body(&s, &b);
    hinge(&s, C, perp_v3(0, 0, 0), A, perp_v3(-0.5, 0, 0));
    perp_force_def spring = perp_force_def_default(PERP_FORCE_SPRING);
    spring.a = A;
    spring.b = B;
    spring.point_A = perp_v3(0.5, 0, 0);
    spring.stiffness = 100;
    spring.rest_length = 0.5;
    spring.drag = 1;
    must(s.w, perp_force_add(s.w, &spring, NULL), "spring");
    return s;
}

scene scene_hanging_rod(perp_world_def def) {
    scene s = scene_new(def);
    const double r = 0.1, L = 0.5, angle = acos(-1.0) / 5;
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.I_B = perp_m3_diag((3 * r * r + L * L) / 12, (3 * r * r + L * L) / 12, r * r / 2);
    d.X_WB = (perp_pose){{-0.25 * sin(angle), 0, -0.25 * cos(angle)}, perp_q_axis_angle(perp_v3(0, 1, 0), angle)};
    perp_body_id rod_id = scene_body(&s, &d);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_SPHERICAL);
    j.b = rod_id;
    j.X_BJ.p = perp_v3(0, 0, 0.25);
    scene_joint(&s, &j);
    return s;
}

scene scene_momentum_chain(perp_world_def def) {
    def.gravity_W = perp_v3(0, 0, 0);
    scene s = scene_new(def);
    const double mass[] = {1.5, 1, 0.25, 0.12, 0.8};
    for (int i = 0; i < 5; i++)
        block_2d(&s, mass[i], 0.5, 0.5, perp_pose_2d(i, 0, 0), perp_v3(i == 0 ? 2 : 0, 0, 0), 0);
    return s;
}

static perp_body_id solid(scene *s, perp_shape_def shape, double mass, perp_pose X, perp_vec3 v, perp_vec3 om) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    int dim = perp_world_dim(s->w);
    must(s->w, perp_body_def_mass(&d, &shape, dim, 1), "mass");
    double scale = mass / d.mass;
    d.mass = mass;
    d.I_B = perp_m3_scale(scale, d.I_B);
    d.X_WB = X;
    d.v_W = v;
    d.w_W = om;
    perp_body_id id = scene_body(s, &d);
    scene_shape(s, id, shape);
    return id;
}

static const perp_vec3 zero = {0, 0, 0};

/* Tilted plane through the origin; X turns things onto it. */
static perp_quat tilted_plane(scene *s, double angle) {
    floor_body(s, perp_v3(sin(angle), 0, cos(angle)));
    return perp_q_axis_angle(perp_v3(0, 1, 0), angle);
}

scene scene_incline(perp_world_def def, double angle, double mu) {
    scene s = scene_new(def);
    friction(&s, mu);
    perp_quat q = tilted_plane(&s, angle);
    perp_pose X = {perp_q_rotate(q, perp_v3(0, 0, 0.025)), q};
    solid(&s, perp_shape_box(0.05, 0.1, 0.025), 1, X, zero, zero);
    return s;
}

scene scene_sliding_stop(perp_world_def def, double v0, double mu) {
    scene s = scene_new(def);
    friction(&s, mu);
    floor_body(&s, perp_v3(0, 1, 0));
    block_2d(&s, 1, 0.2, 0.1, perp_pose_2d(0, 0.05, 0), perp_v3(v0, 0, 0), 0);
    return s;
}

scene scene_rolling_incline(perp_world_def def, double angle, double mu) {
    scene s = scene_new(def);
    friction(&s, mu);
    perp_quat q = tilted_plane(&s, angle);
    perp_pose X = {perp_q_rotate(q, perp_v3(0, 0, 0.1)), q};
    solid(&s, perp_shape_sphere(0.1), 1, X, zero, zero);
    return s;
}

scene scene_spinning_body(perp_world_def def) {
    def.gravity_W = zero;
    scene s = scene_new(def);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.I_B = perp_m3_diag(1, 2, 3);
    d.w_W = perp_v3(0.1, 2, 0.1);
    scene_body(&s, &d);
    return s;
}

scene scene_painleve_rod(perp_world_def def, double mu) {
    scene s = scene_new(def);
    friction(&s, mu);
    floor_body(&s, perp_v3(0, 1, 0));
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    double c = 1 / sqrt(5), sn = 2 / sqrt(5);
    d.X_WB = perp_pose_2d(-0.5 * c, 0.5 * sn, atan2(2, -1)); /* tip at the origin, ahead of the rest */
    d.v_W = perp_v3(1, 0, 0);
    d.I_B = perp_m3_diag(1, 1, rod_inertia(1, 1));
    scene_shape(&s, scene_body(&s, &d), perp_shape_particle(perp_v3(-0.5, 0, 0)));
    return s;
}

scene scene_pinch_hold(perp_world_def def, double force, double mu) {
    scene s = scene_new(def);
    friction(&s, mu);
    const double r = 0.004, half = 0.01, m = 0.045;
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.mass = m;
    d.I_B = perp_m3_diag(m * r * r / 2, m * (half * half / 3 + r * r / 4), m * (half * half / 3 + r * r / 4));
    perp_body_id held = scene_body(&s, &d);
    for (int k = -1; k <= 1; k += 2) {
        perp_shape_def ball = perp_shape_sphere(r);
        ball.X_BS.p = perp_v3(k * half, 0, 0);
        scene_shape(&s, held, ball);
    }
    for (int k = -1; k <= 1; k += 2) {
        perp_body_id pad =
            solid(&s, perp_shape_box(0.02, 0.005, 0.01), 0.1, perp_pose_at(0, k * (r + 0.005), 0), zero, zero);
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        j.b = pad;
        perp_quat along_y = perp_q_axis_angle(perp_v3(1, 0, 0), -acos(-1.0) / 2); /* z of the joint frame along y */
        j.X_AJ = (perp_pose){{0, k * (r + 0.005), 0}, along_y};
        j.X_BJ.q = along_y;
        scene_joint(&s, &j);
        must(s.w, perp_body_set_force(s.w, pad, perp_v3(0, -k * force, 0), zero), "force");
    }
    return s;
}

scene scene_flat_slide(perp_world_def def, double v0, double mu) {
    scene s = scene_new(def);
    friction(&s, mu);
    floor_body(&s, perp_v3(0, 0, 1));
    solid(&s, perp_shape_box(0.05, 0.05, 0.05), 1, perp_pose_at(0, 0, 0.05), perp_v3(v0, 0, 0), zero);
    return s;
}

scene scene_mass_ratio(perp_world_def def, double ratio, double mu) {
    scene s = scene_new(def);
    friction(&s, mu);
    floor_body(&s, perp_v3(0, 0, 1));
    solid(&s, perp_shape_box(0.5, 0.5, 0.5), 1, perp_pose_at(0, 0, 0.5), zero, zero);
    solid(&s, perp_shape_box(0.5, 0.5, 0.5), ratio, perp_pose_at(0, 0, 1.5), zero, zero);
    return s;
}

scene scene_tower(perp_world_def def, int n, double gap, double mu) {
    scene s = scene_new(def);
    friction(&s, mu);
    floor_body(&s, perp_v3(0, 0, 1));
    for (int i = 0; i < n; i++)
        solid(&s, perp_shape_sphere(0.5), 1, perp_pose_at(0, 0, 0.5 + i + gap * (i + 1)), zero, zero);
    return s;
}

scene scene_tumbling(perp_world_def def) {
    scene s = scene_new(def);
    friction(&s, 0.4);
    floor_body(&s, perp_v3(0, 0, 1));
    perp_pose X = {{0, 0, 0.6}, perp_q_axis_angle(perp_v3(1, 2, 3), 0.7)};
    solid(&s, perp_shape_box(0.1, 0.15, 0.25), 2, X, perp_v3(1, 0.5, 0), perp_v3(4, -6, 3));
    perp_pose Y = perp_pose_at(3, 0, 5), Z = perp_pose_at(3, 0.4, 5);
    perp_body_id a = solid(&s, perp_shape_box(0.05, 0.2, 0.1), 1, Y, perp_v3(0, 0, 2), perp_v3(3, 1, 0));
    perp_body_id b = solid(&s, perp_shape_box(0.05, 0.2, 0.1), 1, Z, perp_v3(0, 0, 3.2), perp_v3(3, 0, 0));
    hinge(&s, a, perp_v3(0, 0.2, 0), b, perp_v3(0, -0.2, 0));
    return s;
}
