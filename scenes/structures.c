/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* structures.c - stacks, walls, tables, cards, linkages and chains, with redundant contacts and joints; see scenes.h */
#include <stdio.h>
#include <stdlib.h>

#include "scenes.h"

static void must(const perp_world *w, perp_status st, const char *what) {
    if (!st) return;
    fprintf(stderr, "structure: %s: %s\n", what, perp_world_why(w));
    exit(2);
}

/* Along x and upwards: y is up in 2D, z in 3D. */
static perp_vec3 at(const scene *s, double x, double up) {
    return perp_world_dim(s->w) == 2 ? perp_v3(x, up, 0) : perp_v3(x, 0, up);
}

/* A turn in the plane of x and up, by `angle` from x towards up. */
static perp_quat turned(const scene *s, double angle) {
    return perp_world_dim(s->w) == 2 ? perp_q_axis_angle(perp_v3(0, 0, 1), angle)
                                     : perp_q_axis_angle(perp_v3(0, 1, 0), -angle);
}

static scene on_floor(perp_world_def def, double mu) {
    scene s = scene_new(def);
    must(s.w, perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}), "law");
    perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
    scene_shape(&s, scene_body(&s, &d), perp_shape_halfspace(at(&s, 0, 1), 0));
    return s;
}

/* A box with half edges hx along x, hz upwards and hy in depth, at (x, up), turned. */
static perp_body_id block(scene *s, double mass, double hx, double hz, double hy, double x, double up, double angle) {
    perp_shape_def box = perp_world_dim(s->w) == 2 ? perp_shape_box(hx, hz, 1) : perp_shape_box(hx, hy, hz);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    must(s->w, perp_body_def_mass(&d, &box, perp_world_dim(s->w), 1), "mass");
    d.I_B = perp_m3_scale(mass / d.mass, d.I_B);
    d.mass = mass;
    d.X_WB.p = at(s, x, up);
    d.X_WB.q = turned(s, angle);
    perp_body_id id = scene_body(s, &d);
    scene_shape(s, id, box);
    return id;
}

scene scene_stack(perp_world_def def, int n, double ratio, double mu) {
    scene s = on_floor(def, mu);
    for (int i = 0; i < n; i++)
        block(&s, pow(ratio, n > 1 ? (double)i / (n - 1) : 1), 0.5, 0.25, 0.5, 0.02 * (i % 2), 0.25 + 0.5 * i, 0);
    return s;
}

scene scene_wall(perp_world_def def, int rows, int cols, double mu) {
    scene s = on_floor(def, mu);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) block(&s, 1, 0.5, 0.25, 0.25, 1.01 * j + 0.505 * (i % 2), 0.25 + 0.5 * i, 0);
    return s;
}

scene scene_table(perp_world_def def, double load, double mu, perp_vec3 v) {
    scene s = on_floor(def, mu);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.I_B = perp_m3_diag(0.2, 0.2, 0.3);
    d.X_WB.p = at(&s, 0, 0.5);
    d.v_W = v;
    perp_body_id table = scene_body(&s, &d);
    bool plane = perp_world_dim(s.w) == 2;
    perp_shape_def top = plane ? perp_shape_box(0.6, 0.05, 1) : perp_shape_box(0.6, 0.6, 0.05);
    top.X_BS.p = at(&s, 0, 0.05);
    scene_shape(&s, table, top);
    for (int k = 0; k < (plane ? 2 : 4); k++) {
        perp_shape_def leg = plane ? perp_shape_box(0.05, 0.25, 1) : perp_shape_box(0.05, 0.05, 0.25);
        leg.X_BS.p = at(&s, k % 2 ? 0.5 : -0.5, -0.25);
        if (!plane) leg.X_BS.p.y = k / 2 ? 0.5 : -0.5;
        scene_shape(&s, table, leg);
    }
    block(&s, load, 0.2, 0.1, 0.2, 0.1, 0.7, 0);
    return s;
}

scene scene_cards(perp_world_def def, int pairs, double mu) {
    scene s = on_floor(def, mu);
    const double length = 1, thick = 0.02, tilt = 0.35; /* from upright */
    const double half = 0.5 * length, c = cos(tilt), sn = sin(tilt);
    const double up = half * c + 0.5 * thick * sn, out = half * sn + 0.5 * thick * c; /* reach of a card */
    for (int i = 0; i < pairs; i++)
        for (int k = -1; k <= 1; k += 2)
            block(&s, 1, 0.5 * thick, half, 0.3, (2 * i + 1) * 2 * out + k * out, up, k * tilt);
    for (int i = 0; i + 1 < pairs; i++) /* a card across two points */
        block(&s, 1, 2.2 * out, 0.5 * thick, 0.3, (4 * i + 4) * out, 2 * up + 0.5 * thick, 0);
    return s;
}

/* A joint between a and b (slot 0: the world) at (x, up), its axis out of the plane. Frames from the poses of now. */
static perp_joint_def joint_at(const scene *s, perp_joint_kind kind, perp_body_id a, perp_body_id b, double x,
                               double up) {
    perp_joint_def j = perp_joint_def_default(kind);
    perp_pose X = {at(s, x, up), perp_q_identity()}, A = perp_pose_identity(), B;
    if (perp_world_dim(s->w) == 3) X.q = perp_q_axis_angle(perp_v3(1, 0, 0), acos(-1.0) / 2); /* z to -y */
    if (a.gen) must(s->w, perp_body_pose(s->w, a, &A), "pose");
    must(s->w, perp_body_pose(s->w, b, &B), "pose");
    j.a = a;
    j.b = b;
    j.X_AJ = perp_pose_mul(perp_pose_inverse(A), X);
    j.X_BJ = perp_pose_mul(perp_pose_inverse(B), X);
    return j;
}

scene scene_linkage(perp_world_def def, int bars, scene_drive drive, double mu) {
    scene s = on_floor(def, mu);
    const double pi = acos(-1.0), half = 0.4, r = half / sin(pi / bars), thick = 0.03;
    perp_body_id bar[SCENE_MAX] = {{0, 0}};
    double clear = 0.02 + thick + r; /* just above the floor */
    for (int i = 0; i < bars; i++) {
        double mid = 2 * pi * (i + 0.5) / bars + 0.3, in = r * cos(pi / bars);
        bar[i] = block(&s, 1 + i % 3, half - 0.02, thick, 0.05, in * cos(mid), clear + in * sin(mid), mid + pi / 2);
    }
    for (int i = 0; i < bars; i++) {
        double a = 2 * pi * (i + 1) / bars + 0.3;
        perp_joint_def j =
            joint_at(&s, PERP_JOINT_REVOLUTE, bar[i], bar[(i + 1) % bars], r * cos(a), clear + r * sin(a));
        if (drive == SCENE_MOTOR && i == 0)
            j.axis[0] = (perp_joint_axis){.motor = true, .motor_speed = 2, .motor_force = 15};
        if (drive == SCENE_LIMITS) j.axis[0] = (perp_joint_axis){.limited = true, .lo = -0.2, .hi = 0.15};
        if (drive == SCENE_SPRINGS && i % 2)
            j.axis[0] = (perp_joint_axis){.stiffness = 20, .damping = 0.5, .friction = 0.4};
        scene_joint(&s, &j);
        if (drive == SCENE_DOUBLED && i % 2) scene_joint(&s, &j); /* the same once more */
    }
    return s;
}

scene scene_chain(perp_world_def def, int links, double end_mass, double mu) {
    scene s = on_floor(def, mu);
    const double half = 0.2;
    perp_body_id before = {0, 0};
    for (int i = 0; i < links; i++) {
        double x = half + 2 * half * i, up = 0.35;
        perp_body_id b = block(&s, i + 1 == links ? end_mass : 1, half - 0.02, 0.05, 0.05, x, up, 0);
        perp_joint_kind kind = perp_world_dim(s.w) == 2 || i % 2 == 0 ? PERP_JOINT_REVOLUTE : PERP_JOINT_SPHERICAL;
        perp_joint_def j = joint_at(&s, kind, before, b, x - half, up);
        scene_joint(&s, &j);
        before = b;
    }
    return s;
}
