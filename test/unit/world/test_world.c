/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_world.c - the world: time, starts, settings, queries; kinematic bodies; steps that fail or are divided */
#include "unit/world_help.h"

static const perp_vec3 zero = {0, 0, 0};

static void test_time(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.h = 0.25;
        perp_world *w = world_of(&d);
        assert_int_equal(perp_world_dim(w), dim);
        assert_int_equal(perp_world_steps(w), 0);
        NEAR(perp_world_time(w), 0, 0);
        assert_string_equal(perp_world_why(w), "");
        assert_null(perp_world_problem(w));
        assert_null(perp_world_failed_problem(w));
        perp_certificate c = run(w, 4);
        NEAR(perp_world_time(w), 1, 0);
        NEAR(c.t, 1, 0);
        NEAR(c.h, 0.25, 0);
        OK(w, perp_world_set_h(w, 0.5));
        c = run(w, 1);
        NEAR(perp_world_time(w), 1.5, 0);
        NEAR(c.h, 0.5, 0);
        assert_int_equal(perp_world_steps(w), 5);
        perp_world_destroy(w);
    }
}

/* Free fall: plainly started positions err by a h t/2, staggered ones not at all, also when h changes on the way. */
static void test_starts(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int staggered = 0; staggered < 2; staggered++) {
            perp_world_def d = perp_world_def_default(dim);
            d.h = 0.1;
            d.start = staggered ? PERP_START_STAGGERED : PERP_START_PLAIN;
            perp_world *w = world_of(&d);
            perp_body_id b = add_mass(w, 1, 1, perp_pose_identity());
            OK(w, perp_body_set_velocity(w, b, perp_v3(1, 0, 0), zero));
            run(w, 10);
            NEAR(height_of(w, b), -9.81 / 2 - (staggered ? 0 : 9.81 * 0.1 / 2), 1e-13);
            NEAR(pose_of(w, b).p.x, 1, 1e-14);
            perp_vec3 v = velocity_of(w, b);
            NEAR(dim == 2 ? v.y : v.z, -9.81, 1e-13); /* of the time of the pose, in both */
            if (staggered) {
                OK(w, perp_world_set_h(w, 0.05));
                run(w, 20);
                NEAR(height_of(w, b), -9.81 * 2, 1e-12);
                v = velocity_of(w, b);
                NEAR(dim == 2 ? v.y : v.z, -9.81 * 2, 1e-12);
            }
            perp_world_destroy(w);
        }
}

/* A staggered start beside contacts and joints: bodies at rest stay at rest, without an impulse. */
static void test_staggered_rest(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.start = PERP_START_STAGGERED;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
        add_floor(w);
        perp_body_id box = add_mass(w, 1, 0.1, at_height(dim, 0, 0.5)), rod = add_mass(w, 1, 0.1, at_height(dim, 5, 2));
        add_shape(w, box, perp_shape_box(0.5, 0.5, 0.5));
        perp_joint_def j = perp_joint_def_default(dim == 2 ? PERP_JOINT_REVOLUTE : PERP_JOINT_SPHERICAL);
        j.b = rod;
        j.X_AJ = at_height(dim, 5, 2.5);
        j.X_BJ.p = perp_v3_scale(0.5, up(dim));
        perp_joint_id ji = add_joint(w, &j);
        for (int i = 0; i < 10; i++) {
            run(w, 1);
            NEAR(height_of(w, box), 0.5, 1e-14);
            NEAR(height_of(w, rod), 2, 1e-14);
            perp_wrench p;
            OK(w, perp_joint_impulse(w, ji, &p));
            NEAR(dim == 2 ? p.force.y : p.force.z, 9.81e-3, 1e-12);
        }
        perp_world_destroy(w);
    }
}

/* A setting reaches the solver: with one sweep allowed another solver must help. */
static void test_settings(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.warm_start = false;
    d.solver = "pgs";
    d.fallback[0] = "lemke";
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
    add_floor(w);
    perp_body_id b = add_mass(w, 1, 0.1, perp_pose_at(0, 0, 0.5));
    add_shape(w, b, perp_shape_box(0.5, 0.5, 0.5));
    OK(w, perp_body_set_velocity(w, b, perp_v3(1, 0, 0), zero));
    perp_certificate c = run(w, 1);
    assert_string_equal(c.solver, "pgs");
    assert_int_equal(c.fallbacks, 0);
    assert_true(c.iterations > 1);
    OK(w, perp_world_set(w, "pgs.max_sweeps", 1));
    perp_world *clone; /* settings are cloned too */
    assert_int_equal(perp_world_clone(w, &clone), PERP_OK);
    for (int i = 0; i < 2; i++) {
        c = run(i ? clone : w, 1);
        assert_int_equal(c.fallbacks, 1);
        assert_string_equal(c.solver, "lemke");
    }
    assert_int_equal(perp_world_hash(w), perp_world_hash(clone));
    OK(w, perp_world_set(w, "pgs.max_sweeps", 5000));
    OK(w, perp_world_set(w, "lemke.max_pivots", 1000));
    c = run(w, 1);
    assert_string_equal(c.solver, "pgs");
    perp_world_destroy(w);
    perp_world_destroy(clone);
}

static void test_problem(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.form = PERP_FORM_LCP;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
        add_floor(w);
        perp_body_id b = add_mass(w, 2, 0.1, at_height(dim, 0, 0.5));
        add_shape(w, b, perp_shape_sphere(0.5));
        perp_certificate c = run(w, 1);
        const perp_step_problem *p = perp_world_problem(w);
        assert_non_null(p);
        assert_null(perp_world_failed_problem(w));
        assert_int_equal(p->dim, dim);
        assert_int_equal(p->nblock, 1);
        assert_int_equal(p->ndof, dim == 2 ? 3 : 6);
        assert_int_equal(p->ncontact, 1);
        assert_int_equal(p->contact[0].nd, dim == 2 ? 2 : 8);
        NEAR(p->h, d.h, 0);
        NEAR(p->M[0], 2, 0);
        NEAR(p->momentum[dim - 1], -2 * 9.81 * d.h, 1e-15);
        assert_int_equal(c.unknowns, dim == 2 ? 4 : 10);
        assert_int_equal(c.separating + c.sticking + c.sliding, c.contacts);
        assert_int_equal(c.sticking, 1);
        assert_int_equal(c.substeps, 1);
        BELOW(c.overlap, 1e-15);
        NEAR(c.joint_error, 0, 0);
        BELOW(c.residual, 1e-12);
        perp_world_destroy(w);
    }
}

/* A ball pushed by a driven wall takes its speed; the certificate has the deepest overlap and its shapes. */
static void test_pushed(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 0.01);
        perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
        k.v_W = perp_v3(0.7, 0, 0);
        k.X_WB.p.x = -1;
        perp_body_id wall = add_def(w, &k);
        perp_shape_id sw = add_shape(w, wall, perp_shape_box(0.1, 3, 3));
        perp_body_id b = add_mass(w, 1, 1, perp_pose_identity());
        perp_shape_id sb = add_shape(w, b, perp_shape_sphere(0.5));
        run(w, 200);
        NEAR(velocity_of(w, b).x, 0.7, 1e-12);
        NEAR(velocity_of(w, wall).x, 0.7, 1e-12);
        NEAR(pose_of(w, wall).p.x, -1 + 0.7 * 2, 1e-12);
        NEAR(pose_of(w, b).p.x, pose_of(w, wall).p.x + 0.6, 1e-12);
        OK(w, perp_body_set_pose(w, b, perp_pose_at(pose_of(w, wall).p.x + 0.5, 0, 0)));
        NEAR(perp_world_overlap(w), 0.1, 1e-12);
        OK(w, perp_body_set_pose(w, b, perp_pose_at(-10, 0, 0)));
        perp_body_id c = add_mass(w, 1, 1, perp_pose_at(-10.8, 0, 0));
        add_shape(w, c, perp_shape_sphere(0.5));
        perp_certificate cert;
        OK(w, perp_world_step(w, &cert)); /* placed in overlap, they come apart at a modest speed */
        double first = cert.overlap;
        assert_true(first < 0.2 && first > 0.1);
        for (int i = 0; i < 100; i++) OK(w, perp_world_step(w, &cert));
        BELOW(cert.overlap, 1e-9);
        BELOW(perp_v3_norm(velocity_of(w, b)), 1);
        (void)sw;
        (void)sb;
        perp_world_destroy(w);
    }
}

static void accelerate(double t, perp_pose *X, void *ctx) {
    *X = perp_pose_identity();
    X->p.x = 0.5 * *(const double *)ctx * t * t;
}

/* A tray that is driven ever faster takes a box along as long as friction suffices, a < mu g; beyond that the box gets
 * mu g. */
static void test_tray(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int fast = 0; fast < 2; fast++) {
            perp_world_def d = perp_world_def_default(dim);
            d.start = PERP_START_PLAIN;
            perp_world *w = world_of(&d);
            const double mu = 0.3;
            double a = fast ? 5 : 2; /* mu g = 2.94 */
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu}));
            perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
            perp_body_id tray = add_def(w, &k);
            add_shape(w, tray, perp_shape_halfspace(up(dim), 0));
            perp_motion_def m = perp_motion_def_default(PERP_MOTION_USER);
            m.pose = accelerate;
            m.ctx = &a;
            OK(w, perp_body_set_motion(w, tray, &m));
            perp_body_id b = add_mass(w, 1, 1.0 / 150, at_height(dim, 0, 0.1));
            add_shape(w, b, perp_shape_box(0.2, 0.1, 0.1));
            perp_certificate c = run(w, 500);
            NEAR(pose_of(w, tray).p.x, 0.5 * a * 0.25, 1e-12);
            if (fast) {
                /* in the first step the tray has the mean speed a h/2, which friction can give; from then on the box
                 * lags */
                NEAR(velocity_of(w, b).x, a * d.h / 2 + mu * 9.81 * (0.5 - d.h), 1e-10);
                assert_int_equal(c.sliding, c.contacts);
            } else {
                NEAR(pose_of(w, b).p.x, pose_of(w, tray).p.x, 1e-10);
                NEAR(velocity_of(w, b).x, a * (0.5 - d.h / 2), 1e-10); /* the mean speed of the tray over the step */
                assert_int_equal(c.sticking, c.contacts);
            }
            perp_world_destroy(w);
        }
}

/* Contacts that the speeds at the start do not announce: a motor of any strength throws a box, from rest and without
 * weight, at a ball within one step. */
static void test_sudden(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 0.01);
        perp_body_id box = add_mass(w, 5, 1, perp_pose_identity()), ball = add_mass(w, 1, 1, perp_pose_at(1.01, 0, 0)),
                     next = add_mass(w, 1, 1, perp_pose_at(2.02, 0, 0));
        add_shape(w, box, perp_shape_box(0.5, 0.5, 0.5));
        add_shape(w, ball, perp_shape_sphere(0.5));
        add_shape(w, next, perp_shape_sphere(0.5));
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        j.b = box;
        if (dim == 3) j.X_AJ.q = j.X_BJ.q = perp_q_axis_angle(perp_v3(0, 1, 0), PI / 2);
        j.axis[0].motor = true;
        j.axis[0].motor_speed = 5;
        add_joint(w, &j);
        perp_certificate c = run(w, 1);
        NEAR(velocity_of(w, box).x, 5, 1e-9);
        assert_int_equal(c.substeps, 1);
        BELOW(c.overlap, 1e-12);
        NEAR(velocity_of(w, ball).x, 4, 1e-9); /* 0.01 of its 0.05 was free way */
        NEAR(velocity_of(w, next).x, 3, 1e-9);
        perp_world_destroy(w);
    }
}

/* A turntable carries a box around: it comes back to where it was after a turn, whatever the step is. */
static void test_turntable(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(3);
        int n = k ? 800 : 100;
        d.h = 2 * PI / n;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
        perp_body_def t = perp_body_def_default(PERP_BODY_KINEMATIC);
        t.w_W = perp_v3(0, 0, 1);
        perp_body_id table = add_def(w, &t);
        add_shape(w, table, perp_shape_halfspace(perp_v3(0, 0, 1), 0));
        perp_body_id b = add_mass(w, 1, 0.01, perp_pose_at(0.5, 0, 0.1));
        add_shape(w, b, perp_shape_box(0.1, 0.1, 0.1));
        OK(w, perp_body_set_velocity(w, b, perp_v3(0, 0.5, 0), perp_v3(0, 0, 1)));
        run(w, n);
        perp_vec3 p = pose_of(w, b).p;
        NEAR(hypot(p.x - 0.5, p.y), 0, 1e-11);
        NEAR(spin_of(w, b).z, 1, 1e-6);
        NEAR(fabs(pose_of(w, table).q.w), 1, 1e-12); /* a full turn */
        perp_world_destroy(w);
    }
}

/* Motions by table and by sinusoids, and a new motion from where the body is. */
static void test_motions(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = weightless(dim, 0.01);
        perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
        perp_body_id a = add_def(w, &k), b = add_def(w, &k);
        perp_pose_at_time table[] = {{0.5, perp_pose_at(0, 0, 0)}, {1.5, perp_pose_2d(2, 4, 1)}};
        perp_motion_def m = perp_motion_def_default(PERP_MOTION_TABLE);
        m.table = table;
        m.ntable = 2;
        OK(w, perp_body_set_motion(w, a, &m));
        table[1].X_WB.p.x = 1000; /* copied */
        perp_sinusoid term[] = {{.axis = 1, .amplitude = 8, .omega = 2, .phase = 0.3},
                                {.angular = true, .axis = 2, .amplitude = 3, .omega = 5}};
        m = perp_motion_def_default(PERP_MOTION_SINUSOID);
        m.terms = term;
        m.nterm = 2;
        OK(w, perp_body_set_motion(w, b, &m));
        term[0].amplitude = 0;
        run(w, 100);
        NEAR(pose_of(w, a).p.x, 1, 1e-12);
        NEAR(pose_of(w, a).p.y, 2, 1e-12);
        NEAR(velocity_of(w, a).y, 4, 1e-10);
        NEAR(pose_of(w, b).p.y, -8 * sin(2 * 1 + 0.3) / 4, 1e-12);
        NEAR(2 * atan2(pose_of(w, b).q.z, pose_of(w, b).q.w), -3 * sin(5) / 25, 1e-12);
        NEAR(spin_of(w, b).z, -3 * cos(5 * 0.995) / 5, 1e-3); /* the mean over the last step */
        run(w, 100);
        NEAR(pose_of(w, a).p.x, 2, 1e-12); /* held after the end */
        NEAR(velocity_of(w, a).x, 0, 0);
        m = perp_motion_def_default(PERP_MOTION_CONSTANT);
        m.v_W = perp_v3(0, -1, 0);
        OK(w, perp_body_set_motion(w, a, &m));
        NEAR(pose_of(w, a).p.y, 4, 1e-12); /* from where it is */
        run(w, 50);
        NEAR(pose_of(w, a).p.y, 3.5, 1e-12);
        NEAR(pose_of(w, a).p.x, 2, 1e-12);
        perp_world_destroy(w);
    }
}

typedef struct journal {
    int info, warnings;
    char last[256];
} journal;

static void note(perp_log_level level, const char *text, void *ctx) {
    journal *j = ctx;
    j->info += level == PERP_LOG_INFO;
    j->warnings += level == PERP_LOG_WARNING;
    snprintf(j->last, sizeof j->last, "%s", text);
}

/* Solvers that fail on purpose: always, or when some entry of q is larger than a limit; what they do solve, lemke
 * solves for them. */
static double q_limit = INFINITY;
static bool always_fails;

static size_t fussy_work(const perp_problem *p, const void *settings) {
    (void)settings;
    union {
        double align;
        char bytes[PERP_SETTINGS_MAX];
    } own = {0};
    const perp_solver_type *lemke = perp_solver_find("lemke");
    perp_fields_default(lemke->fields, lemke->nfield, &own);
    return lemke->work_size(p, &own);
}

static perp_outcome fussy_solve(const perp_problem *p, const void *settings, double *z, void *work,
                                const perp_call *call, perp_solve_info *info) {
    (void)settings;
    union {
        double align;
        char bytes[PERP_SETTINGS_MAX];
    } own = {0};
    const perp_solver_type *lemke = perp_solver_find("lemke");
    perp_fields_default(lemke->fields, lemke->nfield, &own);
    int n = p->cls == PERP_LCP ? p->as.lcp.n : p->as.mlcp.n;
    const double *q = p->cls == PERP_LCP ? p->as.lcp.q : p->as.mlcp.q;
    bool refuses = always_fails;
    for (int i = 0; i < n; i++) refuses |= fabs(q[i]) > q_limit;
    if (!refuses) return lemke->solve(p, &own, z, work, call, info);
    for (int i = 0; i < n; i++) z[i] = i % 2 ? NAN : 1e3; /* garbage, boldly called solved */
    return PERP_OUTCOME_SOLVED;
}

static const perp_solver_type fussy = {.abi = PERP_ABI,
                                       .name = "fussy",
                                       .source = "this test",
                                       .takes = PERP_LCP | PERP_MLCP,
                                       .work_size = fussy_work,
                                       .solve = fussy_solve};

static perp_world *fussy_world(int dim, double h, perp_form form, journal *j, perp_body_id *ball) {
    perp_status st = perp_solver_register(&fussy);
    assert_true(st == PERP_OK || st == PERP_E_NAME);
    q_limit = INFINITY;
    always_fails = false;
    perp_world_def d = perp_world_def_default(dim);
    d.h = h;
    d.start = PERP_START_PLAIN; /* parts of a step are the steps of another world */
    d.form = form;
    d.contact_model = "one-plane"; /* one problem a step */
    d.solver = "fussy";
    d.no_fallback = true;
    if (j) d.log = (perp_log){note, j};
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
    add_floor(w);
    *ball = add_mass(w, 1, 0.1, at_height(dim, 0, 0.5));
    add_shape(w, *ball, perp_shape_sphere(0.5));
    return w;
}

static void test_failed_step(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int form = 0; form < 2; form++) {
            journal j = {0};
            perp_body_id b;
            perp_world *w = fussy_world(dim, 0.01, form ? PERP_FORM_MLCP : PERP_FORM_LCP, &j, &b);
            run(w, 3);
            OK(w, perp_body_set_velocity(w, b, perp_v3(1, 0, 0), zero));
            uint64_t before = perp_world_hash(w);
            always_fails = true;
            for (int i = 0; i < 2; i++) {
                perp_certificate c;
                assert_int_equal(perp_world_step(w, &c), PERP_E_SOLVE);
                assert_int_equal(perp_world_hash(w), before);
                assert_int_equal(perp_world_steps(w), 3);
                assert_non_null(strstr(perp_world_why(w), "fussy"));
                const perp_step_problem *p = perp_world_failed_problem(w);
                assert_non_null(p);
                assert_int_equal(p->ncontact, 1);
                assert_int_equal(p->nblock, 1);
                assert_ptr_equal(p, perp_world_problem(w));
                assert_false(c.accepted);
                assert_int_equal(c.contacts, 1);
                assert_int_equal(c.unknowns, dim == 2 ? 4 : 10);
                assert_string_equal(c.solver, "fussy");
                assert_true(c.law.normal > 1e-4 || c.law.momentum > 1e-4); /* the residual of the best that was found */
                assert_true(c.residual > 1e-4);
                assert_true(c.t > perp_world_time(w) && c.h > 0);
            }
            assert_int_equal(j.warnings, 2);
            assert_int_equal(j.info, 2 * 8); /* halved eight times */
            assert_non_null(strstr(j.last, "failed"));
            always_fails = false;
            perp_certificate c = run(w, 1); /* and it goes on as if nothing had been */
            assert_true(c.accepted);
            assert_null(perp_world_failed_problem(w));
            assert_string_equal(perp_world_why(w), "");
            perp_body_id calm_ball;
            perp_world *calm = fussy_world(dim, 0.01, form ? PERP_FORM_MLCP : PERP_FORM_LCP, NULL, &calm_ball);
            run(calm, 3);
            OK(calm, perp_body_set_velocity(calm, calm_ball, perp_v3(1, 0, 0), zero));
            run(calm, 1);
            assert_int_equal(perp_world_hash(w), perp_world_hash(calm));
            perp_world_destroy(calm);
            perp_world_destroy(w);
        }
}

/* A step that is solved only in parts: the same as steps of that size, added up. */
static void test_substeps(void **state) {
    (void)state;
    const double h = 1.0 / 128; /* halves are exact */
    for (int dim = 2; dim <= 3; dim++)
        for (int parts = 2; parts <= 8; parts *= 2) {
            perp_body_id b, fine_ball;
            perp_world *w = fussy_world(dim, h, PERP_FORM_LCP, NULL, &b),
                       *fine = fussy_world(dim, h / parts, PERP_FORM_LCP, NULL, &fine_ball);
            perp_joint_def j =
                perp_joint_def_default(PERP_JOINT_FIXED); /* with an impulse that adds up over the parts */
            j.X_AJ = at_height(dim, 5, 5);
            j.b = add_mass(w, 2, 1, at_height(dim, 5, 5));
            perp_joint_id ji = add_joint(w, &j);
            j.b = add_mass(fine, 2, 1, at_height(dim, 5, 5));
            add_joint(fine, &j);
            perp_body_id falls = add_mass(w, 1, 1, at_height(dim, 9, 9)),
                         fine_falls = add_mass(fine, 1, 1, at_height(dim, 9, 9));
            q_limit =
                1.5 * 9.81 * h / parts; /* the weight over the whole step, and over parts/2 of them, is too much */
            perp_certificate c = run(w, 1), sum = {0};
            assert_int_equal(c.substeps, parts);
            NEAR(c.h, h, 1e-18);
            NEAR(c.t, h, 1e-18);
            NEAR(perp_world_time(w), h, 0);
            assert_int_equal(perp_world_steps(w), 1);
            assert_string_equal(perp_world_why(w), "");
            for (int i = 0; i < parts; i++) {
                perp_certificate one = run(fine, 1);
                sum.ledger.gravity += one.ledger.gravity;
                sum.ledger.kinetic_after = one.ledger.kinetic_after;
            }
            perp_pose X = pose_of(w, b), Y = pose_of(fine, fine_ball);
            NEAR(X.p.x, Y.p.x, 0);
            NEAR(X.p.y, Y.p.y, 0);
            NEAR(X.p.z, Y.p.z, 0);
            NEAR(height_of(w, falls), height_of(fine, fine_falls), 0);
            assert_true(c.ledger.gravity > 1e-4);
            NEAR(c.ledger.gravity, sum.ledger.gravity, 1e-15 * c.ledger.gravity);
            NEAR(c.ledger.kinetic_before, 0, 0);
            NEAR(c.ledger.kinetic_after, sum.ledger.kinetic_after, 0);
            NEAR(c.ledger.remainder, 0,
                 1e-14 * parts); /* each part rounds heights of about 1 under weights of about 40 */
            perp_wrench p;
            OK(w, perp_joint_impulse(w, ji, &p));
            NEAR(dim == 2 ? p.force.y : p.force.z, 2 * 9.81 * h, 1e-15);
            q_limit = INFINITY;
            c = run(w, 1);
            assert_int_equal(c.substeps, 1);
            perp_world_destroy(w);
            perp_world_destroy(fine);
        }
}

static double seen_t[100];
static int seen;

static void watch(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    (void)ctx;
    assert_true(perp_world_time(w) == t); /* the world is as at the start of the step */
    if (seen < 100) seen_t[seen++] = t;
    out->force.x = 1;
}

/* A user's controller is called once per step, also if the step is divided. */
static void test_controller_once(void **state) {
    (void)state;
    const double h = 1.0 / 128;
    perp_body_id b;
    perp_world *w = fussy_world(2, h, PERP_FORM_LCP, NULL, &b);
    perp_force_def f = perp_force_def_default(PERP_FORCE_USER);
    f.user = watch;
    f.b = b;
    add_force(w, &f);
    q_limit = 0.7 * 9.81 * h;
    seen = 0;
    perp_certificate c = run(w, 3);
    q_limit = INFINITY;
    assert_int_equal(c.substeps, 2);
    assert_int_equal(seen, 3);
    NEAR(seen_t[2], 2 * h, 0);
    perp_world_destroy(w);
}

static int asked, patience;

static bool tired(void *ctx) {
    (void)ctx;
    return asked++ == patience; /* a later question would be answered no */
}

/* Boxes that fall on each other askew. */
static perp_world *heap(int dim, const char *stepper) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = 0.02;
    d.stepper = stepper;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
    add_floor(w);
    for (int i = 0; i < 5; i++) {
        perp_body_id b = add_mass(w, 1, 0.2, at_height(dim, 0.3 * i, 0.55 + 1.02 * i));
        add_shape(w, b, perp_shape_box(0.5, 0.5, 0.5));
    }
    return w;
}

/* A step that is stopped, wherever that is, leaves the world as it was, and taken again it ends as if nothing had
 * happened. */
static void test_stopped_step(void **state) {
    (void)state;
    const struct {
        int dim;
        const char *stepper;
    } kind[] = {{2, NULL}, {3, NULL}, {2, "second-order"}, {3, "anitescu-potra"}};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        perp_world *plain = heap(kind[k].dim, kind[k].stepper), *w = heap(kind[k].dim, kind[k].stepper);
        run(plain, 12);
        perp_world_set_stop(w, &(perp_stop){tired, NULL});
        int stops = 0, left = 12;
        patience = 0;
        while (left > 0) {
            uint64_t before = perp_world_hash(w);
            asked = 0;
            perp_certificate c;
            perp_status st = perp_world_step(w, &c);
            if (st == PERP_OK) { /* asked less often than that */
                left--;
                patience = 0;
                continue;
            }
            assert_int_equal(st, PERP_E_STOPPED);
            assert_int_equal(asked, patience + 1);
            assert_non_null(strstr(perp_world_why(w), "told to stop"));
            assert_null(perp_world_failed_problem(w));
            assert_true(perp_world_hash(w) == before);
            stops++;
            patience++;
        }
        BELOW(12, stops);
        assert_true(perp_world_hash(w) == perp_world_hash(plain));
        perp_world_destroy(plain);
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_staggered_rest),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_problem),
        cmocka_unit_test(test_pushed),
        cmocka_unit_test(test_tray),
        cmocka_unit_test(test_sudden),
        cmocka_unit_test(test_turntable),
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_failed_step),
        cmocka_unit_test(test_substeps),
        cmocka_unit_test(test_controller_once),
        cmocka_unit_test(test_stopped_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
