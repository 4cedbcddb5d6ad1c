/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Worlds made in C as scene files: random worlds with everything that a world can have read back to the same hash after every
 * step; what a file cannot hold is refused by name; nothing is written over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fault/allocator.h"
#include "perp/perp.h"
#include "thorough.h"

#define FILE_W "write-scene.yaml"

static uint64_t seed;

static double uniform(double lo, double hi) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}
static int below(int n) { return (int)uniform(0, n) % n; }
static bool sometimes(void) { return below(3) == 0; }

static perp_pose random_pose(int dim, double size) {
    if (dim == 2) return perp_pose_2d(uniform(-size, size), uniform(-size, size), uniform(-9, 9));
    perp_vec3 axis = {uniform(-1, 1), uniform(-1, 1), uniform(0.1, 1)};
    return (perp_pose){{uniform(-size, size), uniform(-size, size), uniform(-size, size)},
                       perp_q_axis_angle(axis, uniform(-4, 4))};
}
static perp_vec3 random_vector(int dim, double size) {
    return perp_v3(uniform(-size, size), uniform(-size, size), dim == 3 ? uniform(-size, size) : 0);
}
static perp_vec3 random_spin(int dim, double size) {
    return dim == 3 ? random_vector(3, size) : perp_v3(0, 0, uniform(-size, size));
}

#define OK(w, call)                                             \
    do {                                                        \
        if (call) fail_msg("%s: %s", #call, perp_world_why(w)); \
    } while (0)

static void add_shape(perp_world *w, perp_body_id b, int dim, bool fixed) {
    perp_vec3 point[12];
    int n = 5 + below(8);
    for (int i = 0; i < n; i++) point[i] = random_vector(dim, 0.4);
    perp_shape_def d;
    switch (below(fixed ? 6 : 5)) {
    case 0: d = perp_shape_sphere(uniform(0.1, 0.4)); break;
    case 1: d = perp_shape_box(uniform(0.1, 0.4), uniform(0.1, 0.4), uniform(0.1, 0.4)); break;
    case 2: d = perp_shape_capsule(uniform(0.1, 0.2), uniform(0.1, 0.4)); break;
    case 3: d = dim == 2 ? perp_shape_polygon(point, n) : perp_shape_polyhedron(point, n); break;
    case 4: d = perp_shape_particle(random_vector(dim, 0.3)); break;
    default: d = perp_shape_halfspace(dim == 2 ? perp_v3(uniform(-1, 1), 3, 0) : perp_v3(uniform(-1, 1), 0.3, 3), -3);
    }
    if (d.kind != PERP_SHAPE_PARTICLE && d.kind != PERP_SHAPE_HALFSPACE) d.X_BS = random_pose(dim, 0.2);
    d.material = below(perp_material_count(w));
    if (sometimes()) d.group = (uint32_t)below(8);
    if (sometimes()) d.mask = (uint32_t)below(100);
    if (sometimes()) d.colour = PERP_COLOUR(below(256), below(256), below(256));
    if (fixed && sometimes()) d.surface_velocity = random_vector(dim, 0.5);
    d.visual = below(10) == 0;
    OK(w, perp_shape_add(w, b, &d, NULL));
}

static void set_motion(perp_world *w, perp_body_id b, int dim) {
    static perp_pose_at_time table[4];
    perp_sinusoid term[3];
    perp_motion_def d = perp_motion_def_default(
        (const perp_motion_kind[]){PERP_MOTION_CONSTANT, PERP_MOTION_SINUSOID, PERP_MOTION_TABLE}[below(3)]);
    d.v_W = random_vector(dim, 0.3);
    d.w_W = random_spin(dim, 0.3);
    for (int i = 0; i < 3; i++) {
        bool angular = sometimes();
        term[i] = (perp_sinusoid){angular,
                                  dim == 3  ? below(3)
                                  : angular ? 2
                                            : below(2),
                                  uniform(-1, 1), uniform(1, 9), uniform(-3, 3)};
    }
    d.terms = term;
    d.nterm = 1 + below(3);
    d.zero_mean = sometimes();
    for (int i = 0; i < 4; i++) table[i] = (perp_pose_at_time){0.01 * i * i - 0.005, random_pose(dim, 1)};
    table[1].X_WB.q.w *= 1 + 1e-9; /* a quaternion that is not quite unit, as a user may have it */
    d.table = table;
    d.ntable = 4;
    OK(w, perp_body_set_motion(w, b, &d));
}

static perp_body_id add_body(perp_world *w, int dim, int i) {
    static const char *const names[] = {NULL, "cart", "left arm", "cart", "", "world", "3rd", "b\xc3\xa4r", "x"};
    perp_body_kind kind = i == 0 ? PERP_BODY_OBSTACLE : i < 3 ? PERP_BODY_KINEMATIC : PERP_BODY_DYNAMIC;
    perp_body_def d = perp_body_def_default(kind);
    d.X_WB = random_pose(dim, 3);
    d.name = names[below(9)];
    if (kind != PERP_BODY_OBSTACLE && below(4)) {
        d.v_W = random_vector(dim, 1);
        d.w_W = random_spin(dim, 1);
    }
    d.mass = uniform(0.5, 2);
    if (dim == 2) {
        d.I_B = perp_m3_diag(1, 1, uniform(0.1, 1));
    } else {
        perp_mat3 R = perp_q_matrix(random_pose(3, 1).q);
        perp_mat3 I = perp_m3_diag(uniform(0.5, 1), uniform(0.5, 1), uniform(0.5, 0.9));
        if (sometimes())
            d.I_B = I;
        else
            d.I_B = perp_m3_mul(R, perp_m3_mul(I, perp_m3_transpose(R)));
    }
    if (kind == PERP_BODY_DYNAMIC && below(6) == 0) d.particle = true, d.w_W = perp_v3(0, 0, 0);
    d.no_gravity = below(5) == 0;
    perp_body_id b;
    OK(w, perp_body_add(w, &d, &b));
    if (kind == PERP_BODY_KINEMATIC && sometimes()) set_motion(w, b, dim);
    if (kind == PERP_BODY_DYNAMIC && sometimes())
        OK(w, perp_body_set_force(w, b, random_vector(dim, 2), d.particle ? perp_v3(0, 0, 0) : random_spin(dim, 2)));
    return b;
}

static perp_joint_id add_joint(perp_world *w, int dim, perp_body_id a, perp_body_id b) {
    perp_joint_kind kind;
    do kind = (perp_joint_kind)below(PERP_JOINT_COUPLING);
    while (perp_joint_ncoord(kind, dim) < 0);
    perp_joint_def d = perp_joint_def_default(kind);
    d.a = a;
    d.b = b;
    d.X_AJ = random_pose(dim, 0.5);
    perp_pose X_WA = perp_pose_identity(), X_WB;
    if (a.gen) OK(w, perp_body_pose(w, a, &X_WA));
    OK(w, perp_body_pose(w, b, &X_WB));
    d.X_BJ = perp_pose_mul(perp_pose_inverse(X_WB), perp_pose_mul(X_WA, d.X_AJ));
    if (dim == 2) d.X_BJ.p.z = 0, d.X_BJ.q.x = d.X_BJ.q.y = 0;
    for (int i = 0; i < perp_joint_ncoord(kind, dim); i++) {
        perp_joint_axis *x = &d.axis[i];
        if (sometimes()) x->limited = true, x->lo = uniform(-1, -0.1), x->hi = sometimes() ? INFINITY : uniform(0.1, 1);
        if (sometimes()) x->motor = true, x->motor_speed = uniform(-1, 1), x->motor_force = uniform(0, 2);
        if (sometimes()) x->stiffness = uniform(0, 9), x->rest = uniform(-1, 1), x->damping = uniform(0, 1);
        if (sometimes()) x->friction = uniform(0, 1);
    }
    d.collide = sometimes();
    d.name = sometimes() ? "hinge" : sometimes() ? "no good name!" : NULL;
    perp_joint_id id;
    OK(w, perp_joint_add(w, &d, &id));
    return id;
}

static void add_force(perp_world *w, int dim, perp_body_id a, perp_body_id b, const perp_joint_id *joint) {
    perp_force_kind kind = (perp_force_kind)below(4);
    perp_joint_def jd;
    if (kind == PERP_FORCE_PD && (!joint || perp_joint_get(w, *joint, &jd) || perp_joint_ncoord(jd.kind, dim) < 1))
        kind = PERP_FORCE_SPRING;
    perp_force_def d = perp_force_def_default(kind);
    d.b = b;
    if (kind == PERP_FORCE_SPRING) d.a = a;
    d.point_A = random_vector(dim, 0.3);
    d.point_B = random_vector(dim, 0.3);
    d.wrench.force = random_vector(dim, 1);
    perp_body_def bd;
    OK(w, perp_body_get(w, b, &bd));
    if (!bd.particle && sometimes()) d.wrench.torque = random_spin(dim, 1);
    d.body_frame = sometimes();
    d.omega = uniform(1, 9);
    d.phase = uniform(0, 3);
    d.stiffness = sometimes() ? 0 : uniform(0, 20);
    d.rest_length = uniform(0, 1);
    d.damping = sometimes() ? 0 : uniform(0, 1);
    d.drag = sometimes() ? 0 : uniform(0, 1);
    if (kind == PERP_FORCE_PD) d.joint = *joint;
    d.kp = uniform(0, 9);
    d.kd = uniform(0, 1);
    d.target = uniform(-1, 1);
    d.target_rate = uniform(-1, 1);
    if (sometimes()) d.max_force = uniform(0, 9);
    OK(w, perp_force_add(w, &d, NULL));
}

static perp_pair_law random_law(const perp_world *w) {
    bool bounce = sometimes();
    perp_pair_law law = {.mu = uniform(0, 1), .restitution = bounce ? uniform(0, 1) : 0};
    if (bounce && sometimes() && perp_world_get_def(w).impacts != PERP_IMPACTS_PLAIN) law.restitution_t = uniform(0, 1);
    if (perp_world_dim(w) == 3 && perp_world_get_def(w).form == PERP_FORM_CONE && sometimes())
        law.e_t = uniform(0.5, 2), law.e_r = uniform(0, 0.1), law.e_roll = uniform(0, 0.1);
    return law;
}

/* An actuator on every joint that has a coordinate, and a pair that never touches. */
static void add_actuators(perp_world *w) {
    perp_joint_id joint[16];
    perp_body_id body[16];
    perp_actuator_id mine;
    int n = perp_world_joints(w, joint, 16), nb = perp_world_bodies(w, body, 16);
    for (int i = 0; i < n; i++) {
        perp_joint_def j;
        OK(w, perp_joint_get(w, joint[i], &j));
        int nc = perp_joint_ncoord(j.kind, perp_world_dim(w));
        perp_actuator_def d = perp_actuator_def_default((perp_actuator_kind)(i % 3));
        d.joint = joint[i];
        d.coord = nc - 1;
        d.gear = 1.7 - i;
        d.kp = d.kind == PERP_ACTUATOR_POSITION ? 10.0 / 3 : 0;
        d.kv = d.kind == PERP_ACTUATOR_FORCE ? 0 : 0.7;
        d.ctrl = 0.1 * i;
        d.name = i ? NULL : "drive";
        if (i == 0) d.ctrl_lo = -0.3, d.ctrl_hi = 1.0 / 3;
        if (i == 1) d.force_hi = 7;
        if (i == 2) d.joint_lo = -5, d.joint_hi = 5;
        if (nc > 0) OK(w, perp_actuator_add(w, &d, &mine));
    }
    OK(w, perp_world_exclude(w, body[nb - 1], body[nb - 2]));
}

/* Sites on the world and on the last body, and a keyframe of the joints as they are. */
static void add_sites(perp_world *w, int dim) {
    perp_body_id body[16];
    int n = perp_world_bodies(w, body, 16);
    perp_site_def d = perp_site_def_default();
    d.name = "corner";
    d.X_BS.p = perp_v3(0.1, 0.7, dim == 3 ? -0.3 : 0);
    OK(w, perp_site_add(w, &d, NULL));
    d.name = NULL;
    d.body = body[n - 1];
    d.model = true;
    d.X_BS.q = dim == 2 ? perp_pose_2d(0, 0, 1.1).q : perp_q_axis_angle(perp_v3(1, 2, 3), 0.4);
    OK(w, perp_site_add(w, &d, NULL));
    perp_joint_space *s;
    OK(w, perp_world_joint_space(w, NULL, &s));
    double q[100], v[100], ctrl[2] = {1.0 / 3, -7};
    perp_keyframe k = {.name = "home", .q = q, .v = v, .ctrl = ctrl, .nctrl = 2};
    k.nq = perp_joint_space_nq(s);
    k.nv = perp_joint_space_nv(s);
    OK(w, perp_joint_space_get(s, w, q, v));
    perp_joint_space_free(s);
    OK(w, perp_keyframe_add(w, &k));
}

static perp_world *random_world(int dim) {
    perp_world_def wd = perp_world_def_default(dim);
    wd.h = uniform(0.001, 0.01);
    wd.gravity_W = random_vector(dim, 9);
    wd.press = uniform(1, 9);
    if (sometimes()) wd.start = (perp_start)below(3);
    if (sometimes()) wd.stepper = "anitescu-potra";
    if (sometimes()) wd.form = (perp_form)below(3);
    if (sometimes()) wd.friction_directions = 4 + below(9);
    if (sometimes()) wd.geometry = PERP_GEOMETRY_ONCE;
    if (sometimes()) wd.impacts = (perp_impacts)below(5);
    if (sometimes()) wd.driven = PERP_DRIVEN_END;
    if (sometimes()) wd.warm_start = false;
    wd.work_limit = sometimes() ? 1e8 : 2e8; /* steps without an answer end soon */
    perp_world *w;
    if (perp_world_create(&wd, &w)) { /* stages that do not go together */
        wd = perp_world_def_default(dim);
        OK(w, perp_world_create(&wd, &w));
    }
    double value;
    if (!perp_world_get(w, "lemke.max_pivots", &value)) OK(w, perp_world_set(w, "lemke.max_pivots", 777));
    if (!perp_world_get(w, "auto.unique_loads", &value) && sometimes())
        OK(w, perp_world_set(w, "auto.unique_loads", value == 0));
    for (int i = below(4); i > 0; i--) OK(w, perp_material_add(w, NULL));
    if (below(2)) OK(w, perp_pair_set_all(w, random_law(w)));
    for (int i = perp_material_count(w); i > 1; i--) OK(w, perp_pair_set(w, below(i), below(i), random_law(w)));

    enum { N = 9 };
    perp_body_id b[N];
    for (int i = 0; i < N; i++) b[i] = add_body(w, dim, i);
    for (int i = 0; i < 14; i++) { /* shapes of the bodies in any order */
        int k = below(N);
        add_shape(w, b[k], dim, k == 0);
    }
    perp_joint_id joint[4];
    perp_body_def bd;
    int nj = 0;
    for (int i = 4; i < N && nj < 4; i++) {
        perp_body_id world = {0, 0};
        if (perp_body_get(w, b[i], &bd) || bd.particle || sometimes()) continue;
        joint[nj++] = add_joint(w, dim, sometimes() ? world : b[i - 1], b[i]);
        if (!perp_body_get(w, b[i - 1], &bd) && bd.particle) OK(w, perp_joint_remove(w, joint[--nj]));
    }
    for (int i = 0; i < 5; i++) {
        perp_body_id world = {0, 0};
        add_force(w, dim, sometimes() ? world : b[below(3)], b[3 + below(N - 3)], nj ? &joint[below(nj)] : NULL);
    }
    if (below(2)) OK(w, perp_body_remove(w, b[3 + below(N - 3)])); /* leaves gaps */
    if (below(2)) {
        perp_body_id late = add_body(w, dim, 3 + below(3)); /* into the first gap */
        add_shape(w, late, dim, false);
    }
    add_actuators(w);
    add_sites(w, dim);
    return w;
}

/* Definitions of two worlds, number by number: what few steps depend on counts too. */
#define SAME(field)                                                                          \
    do {                                                                                     \
        if (memcmp(&a.field, &b.field, sizeof a.field) != 0) fail_msg("%s differs", #field); \
    } while (0)
#define SAME_NUMBER(field)                                                                                      \
    do {                                                                                                        \
        if (!(a.field == b.field)) fail_msg("%s is %.17g and %.17g", #field, (double)a.field, (double)b.field); \
    } while (0)

static void same_laws(const perp_world *w, const perp_world *v) {
    int n = perp_material_count(w);
    assert_int_equal(n, perp_material_count(v));
    for (int i = 0; i < n * n; i++) {
        perp_pair_law a, b;
        assert_int_equal(perp_pair_get(w, i / n, i % n, &a), PERP_OK);
        assert_int_equal(perp_pair_get(v, i / n, i % n, &b), PERP_OK);
        if (a.e_t == 0) a.e_t = 1; /* 0 stands for 1 */
        if (a.e_o == 0) a.e_o = 1;
        if (b.e_t == 0) b.e_t = 1;
        if (b.e_o == 0) b.e_o = 1;
        SAME_NUMBER(mu);
        SAME_NUMBER(restitution);
        SAME_NUMBER(restitution_t);
        SAME_NUMBER(e_t);
        SAME_NUMBER(e_o);
        SAME_NUMBER(e_r);
        SAME_NUMBER(e_roll);
        SAME_NUMBER(compliance);
        SAME_NUMBER(stiffness);
        SAME_NUMBER(damping);
        SAME_NUMBER(layer);
    }
}

static void same_joints(const perp_world *w, const perp_world *v) {
    perp_joint_id in_w[16], in_v[16];
    int n = perp_world_joints(w, in_w, 16);
    assert_int_equal(n, perp_world_joints(v, in_v, 16));
    for (int i = 0; i < n; i++) {
        perp_joint_def a, b;
        assert_int_equal(perp_joint_get(w, in_w[i], &a), PERP_OK);
        assert_int_equal(perp_joint_get(v, in_v[i], &b), PERP_OK);
        SAME_NUMBER(kind);
        SAME_NUMBER(collide);
        SAME(X_AJ.p);
        SAME(X_AJ.q);
        SAME(X_BJ.p);
        SAME(X_BJ.q);
        for (int k = 0; k < perp_joint_ncoord(a.kind, perp_world_dim(w)); k++) {
            SAME_NUMBER(axis[k].limited);
            SAME_NUMBER(axis[k].motor);
            SAME_NUMBER(axis[k].stiffness);
            SAME_NUMBER(axis[k].damping);
            SAME_NUMBER(axis[k].friction);
            if (a.axis[k].limited) {
                SAME_NUMBER(axis[k].lo);
                SAME_NUMBER(axis[k].hi);
            }
            if (a.axis[k].motor) {
                SAME_NUMBER(axis[k].motor_speed);
                SAME_NUMBER(axis[k].motor_force);
            }
            if (a.axis[k].stiffness > 0) SAME_NUMBER(axis[k].rest);
        }
    }
}

static void same_sites(const perp_world *w, const perp_world *v) {
    perp_site_id in_w[16], in_v[16];
    int n = perp_world_sites(w, in_w, 16);
    assert_int_equal(n, perp_world_sites(v, in_v, 16));
    for (int i = 0; i < n; i++) {
        perp_site_def a, b;
        assert_int_equal(perp_site_get(w, in_w[i], &a), PERP_OK);
        assert_int_equal(perp_site_get(v, in_v[i], &b), PERP_OK);
        SAME(X_BS.p);
        SAME(X_BS.q);
        SAME_NUMBER(model);
        assert_int_equal(a.body.gen > 0, b.body.gen > 0);
        if (a.name) assert_string_equal(a.name, b.name);
    }
    perp_actuator_id act_w[16], act_v[16];
    n = perp_world_actuators(w, act_w, 16);
    assert_int_equal(n, perp_world_actuators(v, act_v, 16));
    for (int i = 0; i < n; i++) {
        perp_actuator_def a, b;
        assert_int_equal(perp_actuator_get(w, act_w[i], &a), PERP_OK);
        assert_int_equal(perp_actuator_get(v, act_v[i], &b), PERP_OK);
        SAME_NUMBER(kind);
        SAME_NUMBER(coord);
        SAME_NUMBER(gear);
        SAME_NUMBER(kp);
        SAME_NUMBER(kv);
        SAME_NUMBER(ctrl);
        SAME_NUMBER(ctrl_lo);
        SAME_NUMBER(ctrl_hi);
        SAME_NUMBER(force_lo);
        SAME_NUMBER(force_hi);
        SAME_NUMBER(joint_lo);
        SAME_NUMBER(joint_hi);
    }
    assert_int_equal(perp_world_exclude_count(w), perp_world_exclude_count(v));
    n = perp_world_keyframe_count(w);
    assert_int_equal(n, perp_world_keyframe_count(v));
    for (int i = 0; i < n; i++) {
        perp_keyframe a, b;
        assert_int_equal(perp_keyframe_get(w, i, &a), PERP_OK);
        assert_int_equal(perp_keyframe_get(v, i, &b), PERP_OK);
        assert_string_equal(a.name, b.name);
        SAME_NUMBER(nq);
        SAME_NUMBER(nv);
        SAME_NUMBER(nctrl);
        for (int k = 0; k < a.nq; k++) SAME_NUMBER(q[k]);
        for (int k = 0; k < a.nv; k++) SAME_NUMBER(v[k]);
        for (int k = 0; k < a.nctrl; k++) SAME_NUMBER(ctrl[k]);
    }
}

static void same_forces(const perp_world *w, const perp_world *v) {
    perp_force_id in_w[16], in_v[16];
    int n = perp_world_forces(w, in_w, 16);
    assert_int_equal(n, perp_world_forces(v, in_v, 16));
    for (int i = 0; i < n; i++) {
        perp_force_def a, b;
        assert_int_equal(perp_force_get(w, in_w[i], &a), PERP_OK);
        assert_int_equal(perp_force_get(v, in_v[i], &b), PERP_OK);
        SAME_NUMBER(kind);
        if (a.kind == PERP_FORCE_PD) {
            SAME_NUMBER(coord);
            SAME_NUMBER(kp);
            SAME_NUMBER(kd);
            SAME_NUMBER(target);
            SAME_NUMBER(target_rate);
            SAME_NUMBER(max_force);
        } else if (a.kind == PERP_FORCE_SPRING) {
            SAME(point_A);
            SAME(point_B);
            SAME_NUMBER(stiffness);
            SAME_NUMBER(rest_length);
            SAME_NUMBER(damping);
            SAME_NUMBER(drag);
        } else {
            SAME(wrench.force);
            SAME(wrench.torque);
            SAME(point_B);
            SAME_NUMBER(body_frame);
            if (a.kind == PERP_FORCE_SINUSOID) SAME_NUMBER(omega);
            if (a.kind == PERP_FORCE_SINUSOID) SAME_NUMBER(phase);
        }
    }
}

static void same_stages(const perp_world *w, const perp_world *v) {
    perp_world_def a = perp_world_get_def(w), b = perp_world_get_def(v);
    if (isinf(a.work_limit)) a.work_limit = 0; /* both: no limit */
    assert_string_equal(a.stepper, b.stepper);
    assert_string_equal(a.contact_model, b.contact_model);
    assert_string_equal(a.solver, b.solver);
    SAME(gravity_W);
    SAME_NUMBER(h);
    SAME_NUMBER(start);
    SAME_NUMBER(geometry);
    SAME_NUMBER(driven);
    SAME_NUMBER(impacts);
    SAME_NUMBER(form);
    SAME_NUMBER(friction_directions);
    SAME_NUMBER(friction_frame);
    SAME_NUMBER(tolerance);
    SAME_NUMBER(max_halvings);
    SAME_NUMBER(work_limit);
    SAME_NUMBER(time_limit);
    SAME_NUMBER(error_tolerance);
    SAME_NUMBER(warm_start);
    SAME_NUMBER(joint_correction);
    if (a.dim == 2) SAME_NUMBER(press);
}

static void same_definitions(const perp_world *w, const perp_world *v) {
    same_stages(w, v);
    same_laws(w, v);
    same_joints(w, v);
    same_forces(w, v);
    same_sites(w, v);
}

static perp_scene *written_again(const perp_world *w, uint64_t which) {
    perp_refusal why;
    perp_scene *s = NULL;
    remove(FILE_W);
    if (perp_world_write_scene(w, FILE_W, NULL, &why)) fail_msg("world %d: %s", (int)which, why.text);
    if (perp_scene_open(FILE_W, NULL, &s, &why)) fail_msg("world %d: %s", (int)which, why.text);
    if (perp_world_hash(w) != perp_world_hash(perp_scene_world(s))) fail_msg("world %d: another hash", (int)which);
    same_definitions(w, perp_scene_world(s));
    return s;
}

/* A turned and moved obstacle, other targets, another step, ...: what a program does between steps. */
static void meddle(perp_world *w, int dim) {
    perp_body_id b[16];
    int n = perp_world_bodies(w, b, 16);
    perp_body_def d;
    int k = below(n);
    OK(w, perp_body_get(w, b[k], &d));
    if (d.kind == PERP_BODY_KINEMATIC) set_motion(w, b[k], dim);
    if (d.kind == PERP_BODY_DYNAMIC && below(2))
        OK(w, perp_body_set_force(w, b[k], random_vector(dim, 1), perp_v3(0, 0, 0)));
    if (d.kind == PERP_BODY_OBSTACLE) OK(w, perp_body_set_pose(w, b[k], random_pose(dim, 3)));
    if (sometimes()) OK(w, perp_world_set_h(w, uniform(0.001, 0.01)));
}

static void test_random_worlds(void **state) {
    (void)state;
    int solved = 0, gone_on = 0, worlds = long_run(160);
    for (int i = 0; i < worlds; i += stride_of(3, 1)) { /* with sanitizers there are few */
        seed = (uint64_t)i;
        for (int k = 0; k < 4; k++) uniform(0, 1);
        int dim = 2 + i % 2;
        perp_world *w = random_world(dim);
        for (int turn = 0; turn < 3; turn++) {
            perp_scene *s = written_again(w, (uint64_t)i);
            for (int k = 0; k < 4; k++) {
                perp_status a = perp_world_step(w, NULL), b = perp_world_step(perp_scene_world(s), NULL);
                if (a != b) fail_msg("world %d, turn %d: step ends with %d and %d", i, turn, (int)a, (int)b);
                if (perp_world_hash(w) != perp_world_hash(perp_scene_world(s)))
                    fail_msg("world %d, turn %d: another world after step %d", i, turn, k + 1);
                solved += a == PERP_OK;
                gone_on++;
            }
            perp_scene_close(s);
            meddle(w, dim);
        }
        perp_world_destroy(w);
    }
    if (solved < gone_on / 2) fail_msg("only %d of %d steps were solved: the worlds test nothing", solved, gone_on);
}

/* Slots without gaps change nothing but the ids. */
static void test_renumber(void **state) {
    (void)state;
    for (int i = 0; i < long_run(60); i++) {
        seed = (uint64_t)(1000 + i);
        for (int k = 0; k < 4; k++) uniform(0, 1);
        perp_world *w = random_world(2 + i % 2), *packed;
        for (int k = 0; k < 3; k++) (void)perp_world_step(w, NULL);
        perp_body_id b[16];
        int n = perp_world_bodies(w, b, 16);
        OK(w, perp_body_remove(w, b[n / 2]));
        for (int k = 0; k < 2; k++) (void)perp_world_step(w, NULL);
        OK(w, perp_world_clone(w, &packed));
        OK(packed, perp_world_renumber(packed, NULL));
        n = perp_world_bodies(packed, b, 16);
        for (int k = 0; k < n; k++) assert_int_equal(b[k].slot, k);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(perp_world_step(w, NULL), perp_world_step(packed, NULL));
            if (perp_world_hash(w) != perp_world_hash(packed)) fail_msg("world %d: another after step %d", i, k + 1);
        }
        const int twice[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        if (perp_world_shapes(packed, NULL, 0) > 1) {
            assert_int_equal(perp_world_renumber(packed, twice), PERP_E_ARG);
            assert_non_null(strstr(perp_world_why(packed), "each once"));
        }
        perp_world_destroy(packed);
        perp_world_destroy(w);
    }
}

static void move(double t, perp_pose *X, void *ctx) {
    (void)ctx;
    *X = perp_pose_at(t, 0, 0);
}
static void push(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    (void)w, (void)t, (void)ctx;
    *out = (perp_wrench){{1, 0, 0}, {0, 0, 0}};
}
static double ball(perp_vec3 x, perp_vec3 *gradient, perp_mat3 *hessian, const void *ctx) {
    (void)ctx;
    *gradient = perp_v3_scale(2, x);
    *hessian = perp_m3_diag(2, 2, 2);
    return perp_v3_dot(x, x) - 1;
}

static void refused(const perp_world *w, const char *words) {
    perp_refusal why;
    remove(FILE_W);
    assert_int_equal(perp_world_write_scene(w, FILE_W, NULL, &why), PERP_E_ARG);
    if (!strstr(why.text, words)) fail_msg("%s\nhas not: %s", why.text, words);
    FILE *f = fopen(FILE_W, "r");
    assert_null(f);
}

static void test_functions_are_refused(void **state) {
    (void)state;
    perp_world_def wd = perp_world_def_default(3);
    perp_world *w;
    perp_body_id b;
    wd.stepper = "implicit";
    OK(w, perp_world_create(&wd, &w));
    perp_body_def d = perp_body_def_default(PERP_BODY_KINEMATIC);
    d.name = "crank";
    OK(w, perp_body_add(w, &d, &b));
    perp_motion_def m = perp_motion_def_default(PERP_MOTION_USER);
    m.pose = move;
    OK(w, perp_body_set_motion(w, b, &m));
    refused(w,
            FILE_W ": bodies[0].motion: found the motion of body crank, which is a function of the program; allowed: ");
    m = perp_motion_def_default(PERP_MOTION_CONSTANT);
    OK(w, perp_body_set_motion(w, b, &m));
    d = perp_body_def_default(PERP_BODY_DYNAMIC);
    OK(w, perp_body_add(w, &d, &b));
    perp_force_def f = perp_force_def_default(PERP_FORCE_USER);
    f.b = b;
    f.user = push;
    perp_force_id id;
    OK(w, perp_force_add(w, &f, &id));
    refused(w, "forces[0].user: found the force on body body-1, which is a function of the program");
    OK(w, perp_force_remove(w, id));
    perp_function g = {.kind = PERP_FUNCTION_USER, .user = ball};
    perp_shape_def s = perp_shape_intersection(&g, 1, 2);
    OK(w, perp_shape_add(w, b, &s, NULL));
    refused(w, "bodies[1].shape: found a convex function of body, which is a function of the program");
    perp_world_destroy(w);
}

static void test_words_and_files(void **state) {
    (void)state;
    perp_world_def wd = perp_world_def_default(2);
    perp_world *w;
    perp_refusal why;
    wd.work_limit = INFINITY; /* a file says 0: no limit */
    OK(w, perp_world_create(&wd, &w));
    perp_scene_words words = perp_scene_words_default();
    words.title = "a \"title\" \\ with\nall: [sorts] of # letters";
    words.about = "about";
    words.units = (perp_units){"mm", "g", "ms"};
    words.duration = 2.5;
    words.record = (perp_record_choice){PERP_RECORD_POSES | PERP_RECORD_SOLVER, 7, 3};
    remove(FILE_W);
    assert_int_equal(perp_world_write_scene(w, FILE_W, &words, &why), PERP_OK);
    perp_scene *s;
    if (perp_scene_open(FILE_W, NULL, &s, &why)) fail_msg("%s", why.text);
    assert_string_equal(perp_scene_title(s), words.title);
    assert_string_equal(perp_scene_about(s), "about");
    assert_string_equal(perp_scene_units(s).mass, "g");
    assert_true(perp_scene_duration(s) == 2.5);
    assert_true(perp_world_get_def(perp_scene_world(s)).work_limit == 0);
    perp_record_choice c = perp_scene_record(s);
    assert_true(c.what == words.record.what && c.every == 7 && c.compression == 3);
    perp_scene_close(s);

    assert_int_equal(perp_world_write_scene(w, FILE_W, &words, &why), PERP_E_IO); /* it is there */
    assert_string_equal(why.text, FILE_W ": cannot be created: File exists");
    assert_int_equal(perp_world_write_scene(w, "no-such-folder/a.yaml", NULL, &why), PERP_E_IO);
    assert_int_equal(perp_world_write_scene(w, NULL, NULL, &why), PERP_E_ARG);
    words.duration = NAN;
    assert_int_equal(perp_world_write_scene(w, "write-scene-2.yaml", &words, &why), PERP_E_ARG);
    words.duration = 1;
    words.units.length = "two words";
    assert_int_equal(perp_world_write_scene(w, "write-scene-2.yaml", &words, &why), PERP_E_ARG);
    assert_non_null(strstr(why.text, "units: found two words"));

    assert_int_equal(perp_scene_of_world(w, NULL, &s, &why), PERP_OK);
    assert_ptr_equal(perp_scene_world(s), w);
    assert_int_equal(perp_scene_file_count(s), 1);
    assert_non_null(strstr(perp_scene_file_at(s, 0).data, "dim: 2\n"));
    assert_int_equal(perp_scene_set(s, "mu", 1, &why), PERP_E_ARG);
    perp_scene_close(s);
    OK(w, perp_world_step(w, NULL)); /* it outlives the scene */
    perp_world_destroy(w);
}

/* Every allocation that is refused ends the writing with PERP_E_MEMORY, and leaves nothing behind: no memory, no file. */
static void test_no_memory(void **state) {
    (void)state;
    perp_world_def wd = perp_world_def_default(3);
    counter count = {.refuse = -1};
    wd.alloc = counting(&count);
    perp_world *w;
    perp_body_id b[3];
    perp_refusal why;
    OK(w, perp_world_create(&wd, &w));
    OK(w, perp_material_add(w, NULL));
    OK(w, perp_pair_set(w, 0, 1, (perp_pair_law){.mu = 1}));
    for (int i = 0; i < 3; i++) {
        perp_body_def d = perp_body_def_default(i ? PERP_BODY_DYNAMIC : PERP_BODY_KINEMATIC);
        d.X_WB = perp_pose_at(i, 0, 0);
        OK(w, perp_body_add(w, &d, &b[i]));
    }
    perp_shape_def cube = perp_shape_box(0.1, 0.1, 0.1);
    for (int i = 2; i >= 0; i--) OK(w, perp_shape_add(w, b[i], &cube, NULL));
    perp_sinusoid term = {false, 0, 1, 2, 3};
    perp_motion_def m = perp_motion_def_default(PERP_MOTION_SINUSOID);
    m.terms = &term;
    m.nterm = 1;
    OK(w, perp_body_set_motion(w, b[0], &m));
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.a = b[1];
    j.b = b[2];
    j.X_AJ = perp_pose_at(1, 0, 0);
    j.axis[0].motor = true;
    OK(w, perp_joint_add(w, &j, NULL));
    perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
    f.b = b[1];
    OK(w, perp_force_add(w, &f, NULL));
    OK(w, perp_world_step(w, NULL));
    remove(FILE_W);
    long live = count.live;
    for (long k = 0;; k++) {
        count.refuse = count.calls + k;
        count.refused = 0;
        perp_status st = perp_world_write_scene(w, FILE_W, NULL, &why);
        assert_int_equal(count.live, live);
        if (st ==
            PERP_OK) { /* a block that the reader can do without may be refused: the text was proved all the same */
            assert_int_equal(remove(FILE_W), 0);
            if (count.refused > 0) continue;
            assert_true(k > 100);
            break;
        }
        if (st != PERP_E_MEMORY) fail_msg("refused allocation %ld: %d %s", k, (int)st, why.text);
        FILE *file = fopen(FILE_W, "r");
        assert_null(file);
    }
    count.refuse = -1;
    perp_world_destroy(w);
    assert_int_equal(count.live, 0);
}

/* Keys of written files that are damaged by hand. */
static void test_bad_keys(void **state) {
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"state: \"AAA\"", "state: found a text that is no base64; allowed: what perp wrote"},
        {"state: \"AAAA\"", "state: the state has 3 bytes, less than its header"},
        {"shape_order: [0, 1]", "shape_order: found a list of 2; allowed: a list of all 1 shapes"},
        {"shape_order: [1]", "each once"},
        {"shape_order: 7", "allowed: a list of whole numbers"},
        {"joints: [{type: revolute, b: a, at_a: [0, 0], turn_a: {quaternion: [1, 0, 0, 0]}}]", "found a list of 4"},
        {"joints: [{type: revolute, b: a, at_a: [0, 0], turn_a: {quaternion: [2, 0]}}]",
         "X_AJ.q has length 2 instead of 1"},
        {"forces: [{type: user, body: a}]", "forces[0].type: found a function of the program that wrote this"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 2\nduration: 1\nbodies: [{name: a, mass: 1, shape: {type: sphere, radius: 1}}]\n%s\n",
                 bad[i].text);
        perp_source_file file = {"bad.yaml", text, strlen(text)};
        perp_scene_options o = {.file = &file, .nfile = 1};
        perp_scene *s;
        perp_refusal why;
        if (!perp_scene_open("bad.yaml", &o, &s, &why)) fail_msg("%s is taken", bad[i].text);
        if (!strstr(why.text, bad[i].words)) fail_msg("%s\nsays %s\nand not %s", bad[i].text, why.text, bad[i].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds),
        cmocka_unit_test(test_renumber),
        cmocka_unit_test(test_functions_are_refused),
        cmocka_unit_test(test_words_and_files),
        cmocka_unit_test(test_bad_keys),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
