/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tangents against closed forms, and against central differences of whole runs */
#include "tangent_help.h"

/* A particle of mass 1 falls on a floor with friction 0.2 and slides, pulled by (5, -9.81). */
static perp_world *particle(perp_body_id *body) {
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.05;
    d.start = PERP_START_PLAIN; /* Berard's numbers */
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    add_floor(w);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.particle = true;
    b.X_WB = perp_pose_at(0, 3, 0);
    *body = add_def(w, &b);
    add_shape(w, *body, perp_shape_particle(perp_v3(0, 0, 0)));
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.2}));
    OK(w, perp_body_set_force(w, *body, perp_v3(5, -9.81, 0), perp_v3(0, 0, 0)));
    return w;
}

static void particle_by_friction(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++) {
        perp_body_id b;
        perp_world *w = particle(&b);
        perp_tangent *t = tangent_of(w, 1, (perp_tangent_method)m);
        seed(t, w, 0, (perp_parameter){.kind = PERP_PARAMETER_MU, .material = {0, 0}});
        for (int i = 0; i < 100; i++) OK(w, perp_tangent_step(t, w, NULL));
        NEAR(moved(t, 0, b).x, -120.85125, m < 2 ? 1e-9 : 2e-6);
        NEAR(moved(t, 0, b).y, 0, 1e-9);
        perp_tangent_state r = perp_tangent_report(t);
        assert_int_equal(r.steps, 100);
        assert_int_equal(r.differenced, m < 2 ? 0 : 100);
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

/* A block on three points, pushed beside its middle: studied by two other codes. */
static perp_world *block(perp_form form, perp_body_id *body) {
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.02;
    d.stepper = "planar-2.5d";
    d.form = form;
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 0.5;
    b.I_B = perp_m3_diag(8e-4, 8e-4, 8e-4);
    b.v_W = perp_v3(0.3, 0.1, 0);
    b.w_W = perp_v3(0, 0, 2);
    *body = add_def(w, &b);
    perp_support s = perp_support_circle(0.04, PI / 2, 0.33);
    OK(w, perp_body_set_support(w, *body, &s));
    perp_force_def f = perp_force_def_default(PERP_FORCE_CONSTANT);
    f.b = *body;
    f.point_B = perp_v3(0, 0.015, 0);
    f.wrench.force = perp_v3(2, 0, 0);
    (void)add_force(w, &f);
    return w;
}

static void block_by_friction(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++) {
        perp_body_id b;
        perp_world *w = block(PERP_FORM_CONE, &b);
        perp_tangent *t = tangent_of(w, 1, (perp_tangent_method)m);
        seed(t, w, 0, (perp_parameter){.kind = PERP_PARAMETER_SUPPORT_MU, .body = b, .index = -1});
        for (int i = 0; i < 60; i++) OK(w, perp_tangent_step(t, w, NULL));
        perp_pose X = pose_of(w, b);
        NEAR(X.p.x, 0.96368107, 1e-8);
        NEAR(X.p.y, 0.01401871, 1e-8);
        NEAR(moved(t, 0, b).x, -6.8583215, 1e-6);
        NEAR(moved(t, 0, b).y, -0.0977572, 1e-6);
        NEAR(turned(t, 0, b).z, -4.8651926, 1e-6);
        perp_tangent_state r = perp_tangent_report(t);
        assert_int_equal(r.differenced, m < 2 ? 0 : 60);
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

static void double_pendulum(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.005;
    scene s = scene_double_pendulum(d);
    aim a[] = {{.body = s.body[0], .dv = {0, 0.5, 0}, .dw = {0, 0, 1}},
               {.body = s.body[1], .dv = {0.2, -1, 0}, .dw = {0, 0, 3}},
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = s.body[1]}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_INERTIA, .body = s.body[0], .index = 2}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0})};
    agree("double pendulum", s.w, a, 5, 200, 1e-6);
}

static void rolling(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int slips = 0; slips < 2; slips++) {
            perp_world_def d = perp_world_def_default(dim);
            d.h = 0.01;
            d.gravity_W = dim == 2 ? perp_v3(3, -9, 0) : perp_v3(3, 0.5, -9);
            perp_world *w = world_of(&d);
            perp_body_id floor = add_floor(w);
            (void)floor;
            perp_body_id disc = add_mass(w, 2, 0.01, at_height(dim, 0, 0.1));
            add_shape(w, disc, perp_shape_sphere(0.1));
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = slips ? 0.05 : 0.6}));
            aim a[] = {along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                       along_parameter(
                           (perp_parameter){.kind = PERP_PARAMETER_INERTIA, .body = disc, .index = dim == 2 ? 2 : 1}),
                       {.body = disc, .dp = {1, 0, 0}, .dv = {0.3, dim == 3, 0}, .dw = {0, 0, 1}},
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_FORCE, .body = disc, .index = 5}),
                       along_parameter(friction_of_all)};
            agree("rolling", w, a, 5, 60, 1e-6);
        }
}

static void incline(void **state) {
    (void)state;
    for (int form = 0; form < 3; form++)
        for (int slips = 0; slips < 2; slips++) {
            perp_world_def d = perp_world_def_default(3);
            d.h = 0.01;
            d.form = (perp_form[]){PERP_FORM_LCP, PERP_FORM_MLCP, PERP_FORM_CONE}[form];
            scene s = scene_incline(d, PI / 12, slips ? 0.125 : 0.375);
            aim a[] = {along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                       along_parameter(friction_of_all),
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = s.body[1]})};
            agree("incline", s.w, a, 3, 40, 1e-6);
        }
}

/* A box that slides on a plane with cone friction, straight on; and one on three feet, which spins too. */
static void sliding_in_space(void **state) {
    (void)state;
    for (int feet = 0; feet < 2; feet++)
        for (int form = 0; form < 2; form++) {
            perp_world_def d = perp_world_def_default(3);
            d.h = 0.01;
            d.start = PERP_START_PLAIN; /* the witness of the start has an error of 1e-6 */
            d.form = form ? PERP_FORM_LCP : PERP_FORM_CONE;
            perp_world *w = world_of(&d);
            perp_body_id floor = add_floor(w);
            perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
            bd.mass = 1.5;
            bd.I_B = perp_m3_diag(0.01, 0.013, 0.02);
            bd.X_WB = perp_pose_at(0, 0, 0.05);
            bd.v_W = feet ? perp_v3(2, 0.3, 0) : perp_v3(2, 0, 0);
            bd.w_W = perp_v3(0, 0, feet ? 3 : 0);
            perp_body_id b = add_def(w, &bd);
            const perp_vec3 at[3] = {{0.1, 0, -0.04}, {-0.05, 0.08, -0.04}, {-0.05, -0.08, -0.04}};
            for (int i = 0; i < 3 && feet; i++) {
                perp_shape_def foot = perp_shape_sphere(0.01);
                foot.X_BS.p = at[i];
                add_shape(w, b, foot);
            }
            if (!feet) add_shape(w, b, perp_shape_box(0.1, 0.08, 0.05));
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
            aim a[] = {along_parameter(friction_of_all),
                       {.body = b, .dp = {1, 1, 0}, .dv = {1, feet, 0}},
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = b}),
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_FORCE, .body = b, .index = 0}),
                       {.body = floor, .turn = {0, 1, 0}}, /* the plane is tilted about the origin */
                       {.body = b, .turn = {0, 0, 1}, .dw = {0, 0, 1}}};
            agree("sliding in space", w, a, feet ? 6 : 4, 30, 1e-6);
        }
}

/* A body that turns freely, and a tumbling box that meets the floor with a corner, in the air and at the touch. */
static void turning(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.h = 0.02;
    scene s = scene_spinning_body(d);
    aim a[] = {{.body = s.body[0], .turn = {1, 0.2, -0.3}, .dw = {0.3, -1, 0.5}, .dv = {1, 0, 0}},
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_INERTIA, .body = s.body[0], .index = 0}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_INERTIA, .body = s.body[0], .index = 3}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_FORCE, .body = s.body[0], .index = 4})};
    agree("spinning body", s.w, a, 4, 100, 1e-6);
    d.h = 0.005;
    s = scene_tumbling(d);
    aim b[] = {{.body = s.body[1], .turn = {1, 0.2, -0.3}, .dw = {0.3, -1, 0.5}, .dv = {1, 0, 0}},
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 2}),
               {.body = s.body[2], .dw = {0.3, -1, 0.5}, .dv = {1, 0, 0}}};
    agree("tumbling", s.w, b, 3, 60, 1e-6);
}

/* Boxes in the plane that tumble, meet and bounce. */
static void boxes_in_the_plane(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.01;
        d.geometry = k & 1 ? PERP_GEOMETRY_ONCE : PERP_GEOMETRY_ITERATED;
        d.impacts = PERP_IMPACTS_PLAIN; /* ordered, they divide the step */
        perp_world *w = world_of(&d);
        add_floor(w);
        perp_body_id b[2];
        for (int i = 0; i < 2; i++) {
            b[i] = add_mass(w, 1 + i, 0.02, perp_pose_2d(0.05 * i, 0.3 + 0.4 * i, 0.3 + i));
            add_shape(w, b[i], perp_shape_box(0.15, 0.1, 1));
            OK(w, perp_body_set_velocity(w, b[i], perp_v3(0.5, -1, 0), perp_v3(0, 0, 1 - 3 * i)));
        }
        perp_parameter e = {.kind = PERP_PARAMETER_RESTITUTION, .material = {0, 0}};
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.4, .restitution = k & 2 ? 0.3 : 0}));
        aim a[] = {{.body = b[0], .dp = {1, 1, 0}, .turn = {0, 0, 1}},
                   {.body = b[1], .dv = {1, 1, 0}, .dw = {0, 0, 1}},
                   along_parameter(k & 2 ? e : friction_of_all),
                   along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = b[0]})};
        agree("boxes in the plane", w, a, 4, k & 1 ? 15 : 30, 1e-6); /* once: step 18 is divided */
    }
}

/* Motors, limits, springs and friction of joints; a controller; a spring between points. */
static void driven_joints(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int drive = SCENE_PLAIN; drive <= SCENE_SPRINGS; drive++) {
            perp_world_def d = perp_world_def_default(dim);
            d.h = 0.005;
            scene s = scene_linkage(d, 5, (scene_drive)drive, 0.3);
            aim a[] = {{.body = s.body[2], .dv = {1, 0, 0}, .dw = {0, 0, 0}},
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = s.body[3]})};
            /* a closed ring in space has rows too many, whose errors differ a little: a derivative has to be told by steps */
            int differenced = agree_by(PERP_TANGENT_AUTO, "linkage", s.w, a, 3, 20, dim == 2 ? 1e-6 : 1e-5);
            if (dim == 2) assert_int_equal(differenced, 0);
        }
}

static void push_by_hand(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    perp_pose X;
    perp_vec3 v;
    perp_body_id b = *(const perp_body_id *)ctx;
    (void)perp_body_pose(w, b, &X);
    (void)perp_body_velocity(w, b, &v, NULL);
    out->force = perp_v3(-3 * X.p.x * X.p.x - 0.5 * v.x, -X.p.y * v.y, 0);
    out->torque = perp_v3(0, 0, sin(t) * X.p.x);
}

/* Forces that see the state: springs with dampers, a controller, a function of the user. */
static void forces(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.005;
    scene s = scene_double_pendulum(d);
    perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
    f.b = s.body[1];
    f.point_A = perp_v3(2, 1, 0);
    f.point_B = perp_v3(0.5, 0, 0);
    f.stiffness = 20;
    f.rest_length = 0.5;
    f.damping = 0.3;
    f.drag = 0.1;
    perp_force_id spring = add_force(s.w, &f);
    f = perp_force_def_default(PERP_FORCE_PD);
    f.joint = s.joint[1];
    f.kp = 5;
    f.kd = 0.5;
    f.target = 0.3;
    perp_force_id pd = add_force(s.w, &f);
    f = perp_force_def_default(PERP_FORCE_USER);
    f.b = s.body[0];
    f.user = push_by_hand;
    f.ctx = &s.body[0];
    (void)add_force(s.w, &f);
    aim a[] = {{.body = s.body[0], .dv = {0, 0.5, 0}, .dw = {0, 0, 1}},
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_STIFFNESS, .force = spring}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_REST, .force = spring}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_DAMPING, .force = spring}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_TARGET, .force = pd})};
    agree("forces", s.w, a, 5, 100, 1e-6);
}

/* A motor that is too weak for its load, and one that is not; a pendulum on its stop. */
static void motors(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.005;
        scene s = scene_double_pendulum(d);
        perp_joint_axis axis = {
            .motor = k < 2, .motor_speed = 2, .motor_force = k ? 1 : 100, .friction = k == 2 ? 0.5 : 0};
        axis.limited = k == 2;
        axis.lo = -0.1;
        axis.hi = 1;
        OK(s.w, perp_joint_set_axis(s.w, s.joint[0], 0, &axis));
        perp_parameter p = {.kind = k == 0   ? PERP_PARAMETER_MOTOR_SPEED
                                    : k == 1 ? PERP_PARAMETER_MOTOR_FORCE
                                             : PERP_PARAMETER_JOINT_FRICTION,
                            .joint = s.joint[0]};
        aim a[] = {{.body = s.body[1], .dv = {0, 0.5, 0}, .dw = {0, 0, 1}},
                   along_parameter(p),
                   along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 1})};
        agree("motors", s.w, a, 3, 60, 1e-6);
    }
}

/* Contacts of other shapes: edges that cross, ellipsoids, capsules, a disc on a disc, in motion. */
static void shapes(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        perp_world_def d = perp_world_def_default(3);
        d.h = 0.005;
        perp_world *w = world_of(&d);
        perp_body_def od = perp_body_def_default(PERP_BODY_OBSTACLE);
        od.X_WB.q = perp_q_axis_angle(perp_v3(0, 1, 0), PI / 4 + 0.05);
        perp_body_id ground = add_def(w, &od);
        add_shape(w, ground, k == 2 ? perp_shape_sphere(0.5) : perp_shape_box(0.5, 1, 0.5));
        perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        bd.I_B = perp_m3_diag(0.01, 0.013, 0.017);
        double top = k == 2 ? 0.5 : 0.5 * sqrt(2) * cos(0.05);
        bd.X_WB = perp_pose_at(0.02, 0.01, top + 0.1);
        bd.v_W = perp_v3(0.1, 0.3, -0.5);
        bd.w_W = perp_v3(0.3, 0.2, 1);
        if (k == 0)
            bd.X_WB.q = perp_q_mul(perp_q_axis_angle(perp_v3(0, 0, 1), 1.3), perp_q_axis_angle(perp_v3(0, 1, 0), 0.8));
        if (k == 0) bd.X_WB.p.z = top + 0.16;
        perp_body_id b = add_def(w, &bd);
        if (k == 0) add_shape(w, b, perp_shape_box(0.1, 0.3, 0.1));
        if (k == 1) add_shape(w, b, perp_shape_sphere(0.09));
        if (k == 2) add_shape(w, b, perp_shape_capsule(0.09, 0.1));
        if (k == 3) add_shape(w, b, perp_shape_capsule(0.09, 0.2));
        if (k == 4) add_shape(w, b, perp_shape_box(0.05, 0.05, 0.095));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.4,
                                                   .e_t = k == 1 ? 0.5 : 0,
                                                   .e_r = k == 1 ? 0.02 : 0,
                                                   .e_roll = k == 1 || k == 3 ? 0.01 : 0}));
        aim a[] = {{.body = b, .dp = {1, 1, 0}, .turn = {1, 0.3, 0.4}},
                   {.body = b, .dv = {1, 1, 0}, .dw = {0, 0.3, 1}},
                   {.body = ground, .dp = {0, 0, 1}, .turn = {0, 0.1, 0.2}},
                   along_parameter(friction_of_all)};
        witness = 3e-6; /* a floor that is tilted is curved in what it does */
        agree("shapes", w, a, 4, 40, 1e-6);
        witness = 1e-5;
    }
}

/* A floor that is driven, and a block on it. */
static void driven_floor(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.01;
        d.driven = k ? PERP_DRIVEN_END : PERP_DRIVEN_MEAN;
        perp_world *w = world_of(&d);
        perp_body_def fd = perp_body_def_default(PERP_BODY_KINEMATIC);
        perp_body_id floor = add_def(w, &fd);
        add_shape(w, floor, perp_shape_box(5, 0.5, 1));
        perp_motion_def m = perp_motion_def_default(PERP_MOTION_SINUSOID);
        const perp_sinusoid term[2] = {{.axis = 0, .amplitude = 8, .omega = 9},
                                       {.axis = 1, .amplitude = 3, .omega = 7}};
        m.terms = term;
        m.nterm = 2;
        OK(w, perp_body_set_motion(w, floor, &m));
        perp_pose X = pose_of(w, floor);
        perp_body_id b = add_mass(w, 1, 0.02, perp_pose_2d(X.p.x, X.p.y + 0.6, 0));
        add_shape(w, b, perp_shape_box(0.2, 0.1, 1));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
        aim a[] = {along_parameter(friction_of_all),
                   along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                   {.body = b, .dp = {1, 0, 0}, .dv = {1, 0, 0}}};
        agree("driven floor", w, a, 3, 50, 1e-6);
    }
}

/* Pyramids: turned to the slip or fixed, where friction may lie between two of their directions. */
static void pyramids(void **state) {
    (void)state;
    perp_body_id b;
    perp_world *w = block(PERP_FORM_LCP, &b);
    aim by[] = {along_parameter((perp_parameter){.kind = PERP_PARAMETER_SUPPORT_MU, .body = b, .index = -1}),
                along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = b}),
                {.body = b, .turn = {0, 0, 1}, .dv = {1, 0, 0}}};
    agree("block, pyramids", w, by, 3, 60, 1e-6);
    for (int nd = 3; nd <= 6; nd++) {
        perp_world_def d = perp_world_def_default(3);
        d.h = 0.01;
        d.friction_directions = nd;
        d.friction_frame = PERP_FRICTION_FIXED;
        w = world_of(&d);
        add_floor(w);
        perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        bd.particle = true;
        bd.v_W = perp_v3(2, 0.8, 0);
        b = add_def(w, &bd);
        add_shape(w, b, perp_shape_particle(perp_v3(0, 0, 0)));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
        aim a[] = {along_parameter(friction_of_all), {.body = b, .dp = {1, 0, 0}, .dv = {0.3, 1, 0}}};
        agree("fixed pyramid", w, a, 2, 40, 1e-6);
    }
}

/* Stacks have loads that are not determined, but move nothing; a box that spins on four corners has some that do. */
static void open_loads(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world_def d = perp_world_def_default(k == 0 ? 2 : 3);
        d.h = 0.01;
        scene s = k < 2 ? scene_stack(d, 3, 2, 0.5) : scene_flat_slide(d, 2, 0.3);
        if (k == 2) OK(s.w, perp_body_set_velocity(s.w, s.body[1], perp_v3(2, 0.1, 0), perp_v3(0, 0, 2)));
        int b = k < 2 ? 3 : 1;
        aim a[] = {along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                   along_parameter((perp_parameter){.kind = PERP_PARAMETER_FORCE, .body = s.body[b], .index = 0}),
                   {.body = s.body[b], .dp = {1, 0, 0}}};
        /* Direction 2 moves no velocity. Rounding of gaps over h, the length of differences and the lever arms is 1e-16/(0.01*1e-5*0.1) = 1e-8 in a
         * step, of 0.01 that counts as no motion. */
        int differenced =
            agree_by(PERP_TANGENT_AUTO, k < 2 ? "stack" : "spinning slide", s.w, a, 3, 20, k < 2 ? 1e-6 : 5e-6);
        assert_int_equal(differenced, k == 2 ? 20 : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(particle_by_friction),
                                       cmocka_unit_test(block_by_friction),
                                       cmocka_unit_test(double_pendulum),
                                       cmocka_unit_test(rolling),
                                       cmocka_unit_test(incline),
                                       cmocka_unit_test(sliding_in_space),
                                       cmocka_unit_test(turning),
                                       cmocka_unit_test(boxes_in_the_plane),
                                       cmocka_unit_test(driven_joints),
                                       cmocka_unit_test(forces),
                                       cmocka_unit_test(motors),
                                       cmocka_unit_test(shapes),
                                       cmocka_unit_test(driven_floor),
                                       cmocka_unit_test(pyramids),
                                       cmocka_unit_test(open_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
