/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_viscoelastic.c - springs and dampers at contacts: energy kept and accounted for, micro-slip and slip, stability
 * at any stiffness, rigid contacts and joints in the same step, saved states, refusals. */
#include "unit/world_help.h"

#include "model/world_data.h"

static perp_world *world(int dim, perp_form form, double h, perp_pair_law law) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = "viscoelastic";
    d.form = form;
    d.h = h;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, law));
    add_floor(w);
    return w;
}

static double total(const perp_world *w) {
    double k, g, s;
    perp_world_energy(w, &k, &g, &s);
    return k + g + s;
}

/* Bounces without loss: kinetic, gravity and what springs() hold stay, in flight and in touch, and every step's account
 * closes. A damper takes what the contacts' work and the springs' energy say. */
static void energy(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        int dim = k & 1 ? 3 : 2;
        double K = 2e4, C = k & 2 ? 20 : 0, lost = 0, off = 0;
        perp_world *w = world(dim, k & 1 ? PERP_FORM_CONE : PERP_FORM_LCP, 4e-3,
                              (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = K, .damping = C});
        perp_body_id b = add_mass(w, 1, 0.4, at_height(dim, 0, 1.2));
        add_shape(w, b, perp_shape_sphere(1));
        double start = total(w), before = start, held = 0, deepest = 0;
        for (int i = 0; i < 300; i++) {
            perp_certificate c = run(w, 1);
            double spring;
            perp_world_energy(w, NULL, NULL, &spring);
            deepest = fmax(deepest, spring);
            BELOW(fabs(c.ledger.remainder), 1e-12);
            double dissipated = -(c.ledger.normal + c.ledger.friction + c.ledger.drift + c.ledger.sampling);
            NEAR(c.ledger.spring, held - spring, 1e-12);
            lost += dissipated;
            assert_true(dissipated > -1e-6);
            NEAR(before - total(w), dissipated, 1e-9);
            off = fmax(off, fabs(total(w) - start));
            before = total(w);
            held = spring;
        }
        assert_true(deepest > 0.5); /* of 2 J: steps do end in touch */
        if (C == 0) BELOW(off, 1e-5);
        if (C > 0) assert_true(lost > 0.5);
        perp_world_destroy(w);
    }
}

static const double mu = 0.5, Kt = 1e4, g = 9.81;

/* A block at rest on its springs: two contacts in 2D, four in 3D. */
static perp_world *block_world(int dim, perp_form form, perp_body_id *b) {
    int n = dim == 2 ? 2 : 4;
    perp_pair_law law = {.mu = mu,
                         .compliance = PERP_LINEAR,
                         .stiffness = 1e6 / n,
                         .damping = 1500.0 / n,
                         .stiffness_t = Kt / n,
                         .damping_t = 100.0 / n};
    perp_world *w = world(dim, form, 5e-3, law);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.particle = true;
    d.X_WB = at_height(dim, 0, 0.5 - g / 1e6);
    *b = add_def(w, &d);
    add_shape(w, *b, perp_shape_box(0.5, 0.5, 0.5));
    return w;
}

/* Below mu N the block creeps to F/K_t and comes back when let go; above it slides with F - mu N. */
static void micro_slip(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        int dim = k ? 3 : 2;
        perp_body_id b;
        perp_world *w = block_world(dim, k == 2 ? PERP_FORM_CONE : PERP_FORM_LCP, &b);
        double F = 0.6 * mu * g; /* applied at once: the force of the springs overshoots by a third */
        perp_vec3 along = dim == 2 ? perp_v3(1, 0, 0) : perp_v3(0.6, 0.8, 0);
        OK(w, perp_body_set_force(w, b, perp_v3_scale(F, along), perp_v3(0, 0, 0)));
        run(w, 80);
        perp_vec3 p = pose_of(w, b).p;
        NEAR(p.x, F / Kt * along.x, 1e-4 * F / Kt);
        NEAR(p.y - (dim == 2 ? 0.5 - g / 1e6 : 0), F / Kt * along.y, 1e-4 * F / Kt);
        OK(w, perp_body_set_force(w, b, perp_v3(0, 0, 0), perp_v3(0, 0, 0)));
        run(w, 80);
        NEAR(pose_of(w, b).p.x, 0, 1e-4 * F / Kt);

        /* a pyramid that follows the slip has its full size along it */
        F = 1.5 * mu * g;
        OK(w, perp_body_set_force(w, b, perp_v3_scale(F, along), perp_v3(0, 0, 0)));
        run(w, 20);
        perp_vec3 v0, v1;
        OK(w, perp_body_velocity(w, b, &v0, NULL));
        perp_certificate c = run(w, 20);
        OK(w, perp_body_velocity(w, b, &v1, NULL));
        NEAR(perp_v3_dot(perp_v3_sub(v1, v0), along) / 0.1, F - mu * g, 1e-4 * g);
        assert_int_equal(c.substeps, 1); /* steady sliding needs no short parts */
        assert_int_equal(c.sliding, dim == 2 ? 2 : 4);

        /* what slid springs back by mu N/K_t only */
        OK(w, perp_body_set_force(w, b, perp_v3(0, 0, 0), perp_v3(0, 0, 0)));
        OK(w, perp_body_set_velocity(w, b, perp_v3(0, 0, 0), perp_v3(0, 0, 0)));
        double from = pose_of(w, b).p.x;
        run(w, 100);
        NEAR(pose_of(w, b).p.x, from - mu * g / Kt * along.x, 1e-3 * mu * g / Kt);
        perp_world_destroy(w);
    }
}

/* Any stiffness and any step: energy does not grow, and what falls comes to rest at m g/K. A box may not turn over. */
static void stable(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        double K = pow(10, 3 + 2.5 * k), h = k & 1 ? 0.1 : 0.01;
        perp_world_def d = perp_world_def_default(3);
        d.stepper = "viscoelastic";
        d.h = h;
        d.max_halvings = 4;
        d.form = k & 2 ? PERP_FORM_CONE : PERP_FORM_LCP;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.4,
                                                   .compliance = PERP_LINEAR,
                                                   .stiffness = K,
                                                   .damping = sqrt(K),
                                                   .stiffness_t = K / 2,
                                                   .damping_t = sqrt(K)}));
        add_floor(w);
        perp_body_id b = add_mass(w, 2, 1.0 / 3, perp_pose_at(0, 0, 0.6));
        add_shape(w, b, perp_shape_box(0.5, 0.5, 0.5));
        OK(w, perp_body_set_velocity(w, b, perp_v3(0.3, 0.1, -1), perp_v3(0, 0, 0)));
        double E = total(w);
        for (int i = 0; i < (int)(4 / h); i++) {
            perp_certificate c = run(w, 1);
            double now = total(w);
            BELOW(now, E + 1e-9 * fabs(E));
            E = now;
            BELOW(fabs(c.ledger.remainder), 1e-9);
        }
        NEAR(height_of(w, b) - 0.5, -2 * g / (4 * K), 1e-3 * g / K + 1e-12);
        perp_world_destroy(w);
    }
}

/* A ball whose contact would be resolved by all parts that there may be. With a sixth of the work that they take, parts become longer as
 * the work runs out, and every step has an answer. */
static void little_work(void **state) {
    (void)state;
    int parts[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.stepper = "viscoelastic";
        d.h = 0.02;
        if (k) d.work_limit = 2e5;
        perp_world *w = world_of(&d);
        OK(w, perp_world_set(w, "viscoelastic.per_contact", 1000));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 2e4, .damping = 20}));
        add_floor(w);
        perp_body_id b = add_mass(w, 1, 0.4, at_height(2, 0, 1.2));
        add_shape(w, b, perp_shape_sphere(1));
        double E = total(w);
        for (int i = 0; i < 50; i++) {
            perp_certificate c = run(w, 1);
            if (c.substeps > parts[k]) parts[k] = c.substeps;
            BELOW(total(w), E + 1e-9);
            E = total(w);
        }
        perp_world_destroy(w);
    }
    print_message("most parts %d, with little work %d\n", parts[0], parts[1]);
    assert_true(parts[1] < parts[0] / 2);
}

/* A soft ball on a rigid block on a rigid floor, and a pendulum beside it: rigid pairs keep their law. */
static void mixed(void **state) {
    (void)state;
    perp_world *w = world(2, PERP_FORM_LCP, 2e-3, (perp_pair_law){.mu = 0.3});
    int soft;
    OK(w, perp_material_add(w, &soft));
    double K = 1e5;
    OK(w, perp_pair_set(w, 0, soft, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = K, .damping = 300}));
    perp_body_id block = add_mass(w, 2, 1, perp_pose_at(0, 0.5, 0)),
                 ball = add_mass(w, 1, 0.1, perp_pose_at(0, 1.6, 0));
    add_shape(w, block, perp_shape_box(0.5, 0.5, 0));
    perp_shape_def s = perp_shape_sphere(0.5);
    s.material = soft;
    add_shape(w, ball, s);
    perp_body_id bob = add_mass(w, 1, 0.1, perp_pose_at(6, 5, 0));
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = bob;
    j.X_AJ.p = perp_v3(5, 5, 0);
    j.X_BJ.p = perp_v3(-1, 0, 0);
    add_joint(w, &j);
    double joint = 0;
    for (int i = 0; i < 1000; i++) {
        perp_certificate c = run(w, 1);
        joint = fmax(joint, c.joint_error);
        BELOW(fabs(c.ledger.remainder), 1e-10);
    }
    BELOW(joint, 1e-4);
    NEAR(height_of(w, block), 0.5, 1e-9);
    NEAR(height_of(w, ball), 1.5 - g / K, 1e-7);
    perp_world_destroy(w);
}

/* A state taken in mid impact, with deflections along the surface, goes on with the same bits; so does a clone. */
static void resumes(void **state) {
    (void)state;
    perp_world *w[3];
    for (int k = 0; k < 2; k++) {
        w[k] = world(3, PERP_FORM_CONE, 1e-3,
                     (perp_pair_law){.mu = 0.6,
                                     .compliance = PERP_LINEAR,
                                     .stiffness = 5e3,
                                     .damping = 20,
                                     .stiffness_t = 4e3,
                                     .damping_t = 5});
        perp_body_id b = add_mass(w[k], 1, 0.4, perp_pose_at(0, 0, 1.001));
        add_shape(w[k], b, perp_shape_sphere(1));
        OK(w[k], perp_body_set_velocity(w[k], b, perp_v3(0.4, 0.2, -2), perp_v3(0, 1, 3)));
    }
    run(w[0], 12);
    const perp_contact *c;
    assert_int_equal(perp_world_contacts(w[0], &c), 1);
    assert_true(c[0].gap < -1e-3 && fabs(c[0].impulse_C[1]) + fabs(c[0].impulse_C[2]) > 1e-3);
    size_t size = perp_world_state_size(w[0]);
    void *saved = malloc(size);
    OK(w[0], perp_world_get_state(w[0], saved, size));
    OK(w[1], perp_world_set_state(w[1], saved, size));
    free(saved);
    double a[3], b[3];
    perp_world_energy(w[0], a, a + 1, a + 2);
    perp_world_energy(w[1], b, b + 1, b + 2);
    assert_memory_equal(a, b, sizeof a);
    assert_true(a[2] > 0.1);
    assert_int_equal(perp_world_clone(w[0], &w[2]), PERP_OK);
    for (int k = 0; k < 3; k++) run(w[k], 100);
    assert_true(perp_world_hash(w[0]) == perp_world_hash(w[1]));
    assert_true(perp_world_hash(w[0]) == perp_world_hash(w[2]));
    for (int k = 0; k < 3; k++) perp_world_destroy(w[k]);
}

/* Speed after over speed before at damping ratio zeta >= 1. */
static double ratio_over(double zeta) {
    if (zeta == 1) return exp(-2);
    double s = sqrt(zeta * zeta - 1);
    return pow((zeta + s) / (zeta - s), -zeta / s);
}

/* Dampers that let nothing swing: the ball leaves before the surface is back, and the slower the stronger they are. */
static void overdamped(void **state) {
    (void)state;
    const double zeta[] = {1, 3, 10}, K = 1e4, v = 1;
    for (int k = 0; k < 3; k++) {
        perp_world *w =
            world(2, PERP_FORM_CONE, 0.02,
                  (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = K, .damping = 2 * zeta[k] * sqrt(K)});
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        d.no_gravity = true;
        d.X_WB = perp_pose_at(0, 1.002, 0);
        d.v_W = perp_v3(0, -v, 0);
        perp_body_id b = add_def(w, &d);
        add_shape(w, b, perp_shape_sphere(1));
        run(w, 40);
        perp_vec3 end;
        OK(w, perp_body_velocity(w, b, &end, NULL));
        NEAR(end.y / v, ratio_over(zeta[k]), 1e-3);
        perp_world_destroy(w);
    }
}

/* Two balls in free space and in a frame that moves: an elastic impact exchanges their speeds, momentum stays, and the
 * frame does not matter. */
static void two_balls(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(3);
        d.stepper = "viscoelastic";
        d.h = 5e-3;
        d.gravity_W = perp_v3(0, 0, 0);
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.2, .compliance = PERP_LINEAR, .stiffness = 3e4}));
        perp_body_id b[2];
        perp_vec3 frame = k ? perp_v3(3, -2, 1) : perp_v3(0, 0, 0);
        for (int i = 0; i < 2; i++) {
            b[i] = add_mass(w, 1, 0.1, perp_pose_at(1.01 * i, 0, 0));
            add_shape(w, b[i], perp_shape_sphere(0.5));
            OK(w, perp_body_set_velocity(w, b[i], perp_v3_add(frame, perp_v3(i ? -1 : 2, 0, 0)), perp_v3(0, 0, 0)));
        }
        for (int i = 0; i < 20; i++) {
            run(w, 1);
            perp_vec3 P;
            perp_world_momentum(w, &P, NULL);
            NEAR(perp_v3_norm(perp_v3_sub(P, perp_v3_axpy(perp_v3(1, 0, 0), 2, frame))), 0, 1e-13);
        }
        perp_vec3 v[2];
        for (int i = 0; i < 2; i++) OK(w, perp_body_velocity(w, b[i], &v[i], NULL));
        NEAR(v[0].x - frame.x, -1, 1e-9);
        NEAR(v[1].x - frame.x, 2, 1e-9);
        perp_world_destroy(w);
    }
}

/* A floor that is driven up at a constant speed is a floor at rest, seen from above. */
static void driven_floor(void **state) {
    (void)state;
    double x[2], v[2], up_speed = 0.7;
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.stepper = "viscoelastic";
        d.h = 2e-3;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(
                  w, (perp_pair_law){.mu = 0.3, .compliance = PERP_LINEAR, .stiffness = 1e4, .damping = 20}));
        perp_body_def f = perp_body_def_default(PERP_BODY_KINEMATIC);
        f.v_W = perp_v3(0, k ? up_speed : 0, 0);
        perp_body_id floor = add_def(w, &f), b = add_mass(w, 1, 0.4, perp_pose_at(0, 0.3, 0));
        add_shape(w, floor, perp_shape_box(5, 0.1, 0));
        add_shape(w, b, perp_shape_sphere(0.1));
        OK(w, perp_body_set_velocity(w, b, perp_v3(0.5, f.v_W.y - 2, 0), perp_v3(0, 0, 0)));
        run(w, 60);
        perp_vec3 end;
        OK(w, perp_body_velocity(w, b, &end, NULL));
        x[k] = pose_of(w, b).p.y - pose_of(w, floor).p.y;
        v[k] = end.y - f.v_W.y;
        perp_world_destroy(w);
    }
    assert_true(v[0] > 0.5);
    NEAR(x[1], x[0], 1e-9);
    NEAR(v[1], v[0], 1e-8);
}

static void refused(void **state) {
    (void)state;
    perp_world_def base = perp_world_def_default(3);
    base.stepper = "viscoelastic";
    char why[256];
    perp_world *w;
    perp_world_def d = base;
    d.start = PERP_START_STAGGERED;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
    d = base;
    d.error_tolerance = 1e-6;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
    assert_non_null(strstr(why, "per_contact"));
    d = base;
    d.joint_correction = true;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
    d = base;
    d.contact_model = "corrective";
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
    base.form = PERP_FORM_CONE;
    w = world_of(&base);
    for (int k = PERP_HERTZ; k <= PERP_FOUNDATION; k++)
        assert_int_equal(perp_pair_set_all(w, (perp_pair_law){.compliance = (perp_compliance)k, .stiffness = 1e3}),
                         PERP_E_FIT);
    assert_int_equal(perp_pair_set_all(w, (perp_pair_law){.mu = 1, .e_r = 0.1}), PERP_E_FIT);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 1e3, .restitution = 0.5}));
    assert_int_equal(perp_world_step(w, NULL), PERP_E_FIT);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 1e3, .layer = 0.5}));
    assert_int_equal(perp_world_step(w, NULL), PERP_E_FIT);
    assert_non_null(strstr(perp_world_why(w), "layer"));
    perp_world_destroy(w);
}

/* A ball meets the floor 3e-6 s before the end of the third step. A contact may be met late by a hundredth of the parts that resolve it, 7.9e-6 s
 * here, so no part is shorter: in parts of nearly no time bodies at rest have no speeds beside rounding, and their laws cannot be met to a part
 * of these. The ball leaves as fast as it came. */
static void meets_at_the_end(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.stepper = "viscoelastic";
    d.h = 0.01;
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 1e4}));
    add_floor(w);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 1;
    b.I_B = perp_m3_diag(0.4, 0.4, 0.4);
    b.X_WB = at_height(2, 0, 0.1 + 0.03 - 3e-6);
    b.v_W = perp_v3(0, -1, 0);
    perp_body_id ball = add_def(w, &b);
    add_shape(w, ball, perp_shape_sphere(0.1));
    for (int i = 1; i <= 10; i++) {
        (void)run(w, 1);
        assert_true(w->state.substep > 7.8e-6);
    }
    NEAR(velocity_of(w, ball).y, 1, 1e-5);
    perp_world_destroy(w);
}

/* Two links, hinged to each other, tumble by 1 rad in a step. Joints are rows of the start of a part, so a step taken whole
 * would tear the hinge open, and close it in the next one with a blow. A part opens it by a hundredth of its arm at the most, and what is
 * open is brought back over the time of a step: a tenth of the arm for some ten parts. That adds no energy. */
static void tumbling_links(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.stepper = "viscoelastic";
        d.h = 0.01;
        d.gravity_W = perp_v3(0, 0, 0);
        perp_world *w = world_of(&d);
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        double start = 0, open = 0, most = 0;
        for (int i = 0; i < 2; i++) {
            perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
            b.mass = i ? 1 : 0.1;
            b.I_B = perp_m3_diag(0.003 * b.mass, 0.003 * b.mass, 0.003 * b.mass);
            b.X_WB = perp_pose_at(0.2 * i, 0, 0);
            b.w_W = perp_v3(0, 0, 100);
            b.v_W = perp_v3(0, 100 * (b.X_WB.p.x - 0.2 / 1.1), 0); /* about the centre of both */
            start += 0.5 * (b.mass * b.v_W.y * b.v_W.y + b.I_B.c[2].z * 100 * 100);
            *(i ? &j.b : &j.a) = add_def(w, &b);
        }
        j.X_AJ = perp_pose_at(0.1, 0, 0);
        j.X_BJ = perp_pose_at(-0.1, 0, 0);
        OK(w, perp_joint_add(w, &j, NULL));
        for (int i = 0; i < 100; i++) {
            perp_certificate c = run(w, 1);
            open = fmax(open, c.joint_error);
            most = fmax(most, c.ledger.kinetic_after);
        }
        print_message("%dD, tumbling links: open by %.3g m, at most %.4g J of %.4g J\n", dim, open, most, start);
        BELOW(open, 0.1 * 0.1);
        BELOW(most, start);
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy),      cmocka_unit_test(micro_slip),     cmocka_unit_test(stable),
        cmocka_unit_test(mixed),       cmocka_unit_test(resumes),        cmocka_unit_test(overdamped),
        cmocka_unit_test(two_balls),   cmocka_unit_test(driven_floor),   cmocka_unit_test(refused),
        cmocka_unit_test(little_work), cmocka_unit_test(tumbling_links), cmocka_unit_test(meets_at_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
