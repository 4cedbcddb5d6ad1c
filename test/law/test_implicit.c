/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_implicit.c - the geometrically implicit step against closed forms, and against the printed mixed NCP
 * Witness  (3.82), (3.83) with the signs of (3.78), (3.79): velocities, contact points, multipliers and impulses as unknowns
 *          of one problem, written down here without any part of the stepper and handed to the suite's NCP solvers. */
#include "unit/world_help.h"

#include "count_malloc.h"
#include "perp/solve.h"

static perp_world *world(int dim, const char *stepper, perp_form form, double h) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = stepper;
    d.form = form;
    d.h = h;
    perp_world *w;
    char why[200];
    if (perp_world_create_why(&d, &w, why, sizeof why)) fail_msg("%s", why);
    return w;
}

static perp_body_id add(perp_world *w, perp_body_def d, perp_shape_def s) {
    perp_body_id b;
    OK(w, perp_body_add(w, &d, &b));
    OK(w, perp_shape_add(w, b, &s, NULL));
    return b;
}

static perp_body_def solid(perp_shape_def s, int dim, perp_vec3 at) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    assert_int_equal(perp_body_def_mass(&d, &s, dim, 1000), PERP_OK);
    d.X_WB.p = at;
    return d;
}

static void floor_of(perp_world *w, int dim) {
    add(w, perp_body_def_default(PERP_BODY_OBSTACLE),
        perp_shape_halfspace(dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1), 0));
}

static double kinetic(const perp_world *w) {
    double k;
    perp_world_energy(w, &k, NULL, NULL);
    return k;
}

/* A disc written as ellipse, superellipse and intersection rolls for ever. */
static void rolling(void **state) {
    (void)state;
    const perp_function f = {.kind = PERP_FUNCTION_SPHERE, .radius = 1};
    const perp_shape_def shape[] = {perp_shape_sphere(1), perp_shape_ellipsoid(1, 1, 1),
                                    perp_shape_superellipsoid(1, 1, 1, 2, 2), perp_shape_intersection(&f, 1, 1)};
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        perp_world *w = world(2, "implicit", PERP_FORM_LCP, 0.01);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.4}));
        floor_of(w, 2);
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        d.mass = 1;
        d.I_B.c[2].z = 0.5;
        d.X_WB.p = perp_v3(0, 1, 0);
        d.v_W = perp_v3(-3, 0, 0);
        d.w_W = perp_v3(0, 0, 3);
        add(w, d, shape[k]);
        for (int i = 0; i < 200; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            BELOW(c.overlap, 1e-12);
        }
        NEAR(kinetic(w), 6.75, 1e-9);
        perp_world_destroy(w);
    }
}

/* A cylinder stands on its rim, then rolls on its side. */
static void cylinder(void **state) {
    (void)state;
    perp_shape_def s = perp_shape_cylinder(0.1, 0.2);
    for (int lying = 0; lying < 2; lying++) {
        perp_world *w = world(3, "implicit", PERP_FORM_CONE, 0.005);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
        floor_of(w, 3);
        perp_body_def d = solid(s, 3, perp_v3(0, 0, lying ? 0.1 : 0.2));
        if (lying) {
            d.X_WB.q = perp_q_axis_angle(perp_v3(1, 0, 0), PI / 2);
            d.v_W = perp_v3(1, 0, 0);
            d.w_W = perp_v3(0, 10, 0);
        }
        perp_body_id b = add(w, d, s);
        double before = kinetic(w);
        for (int i = 0; i < 100; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            BELOW(c.overlap, 1e-9);
        }
        perp_pose X;
        OK(w, perp_body_pose(w, b, &X));
        NEAR(X.p.z, lying ? 0.1 : 0.2, 1e-10);
        NEAR(X.p.x, lying ? 0.5 : 0, 1e-8);
        NEAR(kinetic(w), before, 1e-8 * (1 + before));
        perp_world_destroy(w);
    }
}

/* Two free bodies collide: momentum, linear and angular, is conserved, and they do not overlap. */
static void collision(void **state) {
    (void)state;
    perp_world_def def = perp_world_def_default(3);
    def.stepper = "implicit";
    def.form = PERP_FORM_CONE;
    def.h = 0.01;
    def.gravity_W = perp_v3(0, 0, 0);
    perp_world *w;
    assert_int_equal(perp_world_create(&def, &w), PERP_OK);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
    perp_shape_def e = perp_shape_ellipsoid(0.3, 0.2, 0.1), s = perp_shape_superellipsoid(0.2, 0.2, 0.25, 3, 4);
    perp_body_def a = solid(e, 3, perp_v3(-0.5, 0.05, 0)), b = solid(s, 3, perp_v3(0.5, 0, 0.03));
    a.v_W = perp_v3(2, 0, 0);
    a.w_W = perp_v3(1, -2, 0.5);
    b.X_WB.q = perp_q_exp(perp_v3(0.4, 0.3, 0.2));
    add(w, a, e);
    add(w, b, s);
    perp_vec3 p0, L0, p, L;
    perp_world_momentum(w, &p0, &L0);
    double before = kinetic(w), pressed = 0;
    for (int i = 0; i < 60; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        BELOW(c.overlap, 1e-11);
        pressed += c.sticking + c.sliding;
    }
    perp_world_momentum(w, &p, &L);
    assert_true(pressed > 0);
    NEAR(perp_v3_norm(perp_v3_sub(p, p0)), 0, 1e-10 * perp_v3_norm(p0));
    /* impulses act at the end poses on both bodies at one point; free flight moves L about the origin by rounding alone,
     * the step of contact by h v x p, which is along p for each body only to first order */
    NEAR(perp_v3_norm(perp_v3_sub(L, L0)), 0, 0.02 * (1 + perp_v3_norm(L0)));
    BELOW(kinetic(w), before);
    perp_world_destroy(w);
}

/* A union: two ellipsoids on one body come to rest on both. */
static void dumbbell(void **state) {
    (void)state;
    perp_world *w = world(3, "implicit", PERP_FORM_CONE, 0.005);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5}));
    floor_of(w, 3);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.I_B = perp_m3_diag(0.02, 0.1, 0.1);
    d.X_WB.p = perp_v3(0, 0, 0.13);
    d.X_WB.q = perp_q_axis_angle(perp_v3(0, 1, 0), 0.05);
    perp_shape_def s = perp_shape_ellipsoid(0.15, 0.2, 0.1);
    perp_body_id b;
    OK(w, perp_body_add(w, &d, &b));
    for (int k = -1; k <= 1; k += 2) {
        s.X_BS.p = perp_v3(0.3 * k, 0, 0);
        OK(w, perp_shape_add(w, b, &s, NULL));
    }
    perp_certificate c;
    for (int i = 0; i < 200; i++) OK(w, perp_world_step(w, &c));
    perp_pose X;
    OK(w, perp_body_pose(w, b, &X));
    NEAR(X.p.z, 0.1, 1e-9);
    assert_int_equal(c.sticking + c.sliding, 2);
    BELOW(kinetic(w), 1e-12);
    perp_world_destroy(w);
}

/* An ellipsoid given by the user's function moves as the built-in one. */
static double own_ellipsoid(perp_vec3 x, perp_vec3 *g, perp_mat3 *H, const void *ctx) {
    const double *a = ctx;
    *g = perp_v3(2 * x.x / (a[0] * a[0]), 2 * x.y / (a[1] * a[1]), 2 * x.z / (a[2] * a[2]));
    *H = perp_m3_diag(2 / (a[0] * a[0]), 2 / (a[1] * a[1]), 2 / (a[2] * a[2]));
    return 0.5 * perp_v3_dot(*g, x) - 1;
}

static void user_function(void **state) {
    (void)state;
    static const double axes[3] = {0.3, 0.2, 0.15};
    const perp_function f = {.kind = PERP_FUNCTION_USER, .user = own_ellipsoid, .ctx = axes};
    perp_shape_def built_in = perp_shape_ellipsoid(axes[0], axes[1], axes[2]);
    perp_pose end[2];
    for (int k = 0; k < 2; k++) {
        perp_world *w = world(3, "implicit", PERP_FORM_CONE, 0.01);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
        floor_of(w, 3);
        perp_body_def d = solid(built_in, 3, perp_v3(0, 0, 0.35));
        d.X_WB.q = perp_q_exp(perp_v3(0.3, 0.5, 0));
        d.v_W = perp_v3(1, 0.5, 0);
        perp_body_id b = add(w, d, k ? perp_shape_intersection(&f, 1, 0.3) : built_in);
        for (int i = 0; i < 60; i++) OK(w, perp_world_step(w, NULL));
        OK(w, perp_body_pose(w, b, &end[k]));
        perp_world_destroy(w);
    }
    NEAR(perp_v3_norm(perp_v3_sub(end[0].p, end[1].p)), 0, 1e-7);
}

/* ---- the printed problem ---- */

/* One body of centre q, mass m and moment I, ball of radius r, over fixed balls (Berard 3.5.3.2). Unknowns: nu (6), and of
 * each contact a1 (3), a2 (3), l1, l2, p_n, p_t, p_o, p_r, sigma. */
typedef struct printed {
    int contacts;
    double h, m, I, r, mu, e_r;
    perp_vec3 q, v, w, force;
    perp_vec3 centre[2];
    double radius[2];
} printed;
enum { CONTACT = 13 };

static perp_vec3 vec(const double *x) { return perp_v3(x[0], x[1], x[2]); }
static void put(double *to, perp_vec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

static bool equations(const double *z, double *F, void *ctx) {
    const printed *p = ctx;
    perp_vec3 nu = vec(z), om = vec(z + 3), q = perp_v3_axpy(p->q, p->h, nu);
    perp_vec3 lin = perp_v3_sub(perp_v3_scale(p->m, perp_v3_sub(nu, p->v)), perp_v3_scale(p->h, p->force));
    perp_vec3 ang = perp_v3_scale(p->I, perp_v3_sub(om, p->w));
    for (int c = 0; c < p->contacts; c++) {
        const double *x = z + 6 + CONTACT * c;
        double *G = F + 6 + CONTACT * c, l1 = x[6], l2 = x[7], pn = x[8], pt = x[9], po = x[10], pr = x[11], s = x[12];
        perp_vec3 a1 = vec(x), a2 = vec(x + 3), d1 = perp_v3_sub(a1, q), d2 = perp_v3_sub(a2, p->centre[c]);
        perp_vec3 gf = perp_v3_scale(2, d1), gg = perp_v3_scale(2, d2), n = perp_v3_unit(gg), t, o;
        perp_v3_frame(n, &t, &o);
        put(G, perp_v3_axpy(perp_v3_sub(a1, a2), l1, gf)); /* (3.76) */
        put(G + 3, perp_v3_axpy(gf, l2, gg));              /* (3.77) */
        double f1 = perp_v3_dot(d1, d1) - p->r * p->r, g2 = perp_v3_dot(d2, d2) - p->radius[c] * p->radius[c];
        perp_vec3 far = perp_v3_sub(a2, q);
        G[6] = -f1;                                 /* (3.78) */
        G[7] = -g2;                                 /* (3.79) */
        G[8] = perp_v3_dot(far, far) - p->r * p->r; /* (3.80) */
        perp_vec3 slip = perp_v3_add(nu, perp_v3_cross(om, d1));
        G[9] = p->mu * pn * perp_v3_dot(t, slip) + pt * s;
        G[10] = p->mu * pn * perp_v3_dot(o, slip) + po * s;
        G[11] = p->e_r * p->e_r * p->mu * pn * perp_v3_dot(n, om) + pr * s;
        G[12] = p->mu * p->mu * pn * pn - pt * pt - po * po - pr * pr / (p->e_r * p->e_r);
        perp_vec3 push = perp_v3_add(perp_v3_scale(pn, n), perp_v3_add(perp_v3_scale(pt, t), perp_v3_scale(po, o)));
        lin = perp_v3_sub(lin, push);
        ang = perp_v3_sub(ang, perp_v3_axpy(perp_v3_cross(d1, push), pr, n));
    }
    put(F, lin);
    put(F + 3, ang);
    return true;
}

/* A step of the world from where it stands, and the same step as the printed problem, started from the contacts there. */
static void compare_step(perp_world *w, perp_body_id ball, printed p, const char *solver) {
    perp_body_velocity(w, ball, &p.v, &p.w);
    perp_pose X;
    OK(w, perp_body_pose(w, ball, &X));
    p.q = X.p;
    enum { MOST = 6 + 2 * CONTACT };
    double z[MOST] = {0}, lo[MOST], hi[MOST];
    int n = 6 + CONTACT * p.contacts;
    put(z, p.v);
    put(z + 3, p.w);
    const perp_contact *seen;
    int ns = perp_world_contacts(w, &seen);
    for (int i = 0; i < n; i++) {
        int k = i < 6 ? 0 : (i - 6) % CONTACT;
        lo[i] = i < 6 || (k != 6 && k != 7 && k != 8 && k != 12) ? -INFINITY : 0;
        hi[i] = INFINITY;
    }
    for (int c = 0; c < p.contacts; c++) {
        double *x = z + 6 + CONTACT * c;
        perp_vec3 u = perp_v3_unit(perp_v3_sub(p.q, p.centre[c]));
        put(x, perp_v3_axpy(p.q, -p.r, u));
        put(x + 3, perp_v3_axpy(p.centre[c], p.radius[c], u));
        x[7] = p.r / p.radius[c];
        assert_true(c < ns);
        memcpy(x + 8, seen[c].impulse_C, 3 * sizeof *x); /* of the step before: a guess, frames alike */
        x[11] = seen[c].spin_impulse;
        x[12] = 0.1;
    }
    perp_problem problem = {.cls = PERP_NCP, .as.ncp = {.n = n, .lo = lo, .hi = hi, .F = equations, .ctx = &p}};
    perp_solve_info info = {0};
    perp_status st =
        perp_solve(&problem, &(perp_solve_options){.solver = solver, .tol = 1e-12, .warm = true}, z, &info);
    if (st || info.outcome != PERP_OUTCOME_SOLVED)
        fail_msg("%s: %s, residual %g", solver, perp_outcome_text(info.outcome), info.residual);
    OK(w, perp_world_step(w, NULL));
    perp_vec3 v, om;
    perp_body_velocity(w, ball, &v, &om);
    NEAR(perp_v3_norm(perp_v3_sub(v, vec(z))), 0, 2e-9);
    NEAR(perp_v3_norm(perp_v3_sub(om, vec(z + 3))), 0, 2e-9);
}

static void printed_problem(void **state) {
    (void)state;
    const char *solver[] = {"path-search", "fischer-newton"};
    for (int k = 0; k < 2; k++) {
        perp_world_def def = perp_world_def_default(3);
        def.stepper = "implicit";
        def.form = PERP_FORM_CONE;
        def.h = 0.01;
        def.tolerance = 1e-11;
        def.gravity_W = perp_v3(0, 0, 0);
        perp_world *w;
        assert_int_equal(perp_world_create(&def, &w), PERP_OK);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.2, .e_r = 0.3}));
        printed p = {.contacts = 2,
                     .h = 0.01,
                     .m = 1,
                     .I = 0.4,
                     .r = 1,
                     .mu = 0.2,
                     .e_r = 0.3,
                     .force = {1, 2.6, -9.81},
                     .centre = {{0, 0, 0}, {0, 11.4, 0}},
                     .radius = {10, 9}};
        for (int c = 0; c < 2; c++) {
            perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
            d.X_WB.p = p.centre[c];
            add(w, d, perp_shape_sphere(p.radius[c]));
        }
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        d.mass = p.m;
        d.I_B = perp_m3_diag(0.4, 0.4, 0.4);
        d.X_WB.p = perp_v3(0, 6.62105263157895, 8.78417110772903);
        perp_body_id ball = add(w, d, perp_shape_sphere(1));
        OK(w, perp_body_set_force(w, ball, p.force, perp_v3(0, 0, 0)));
        for (int at = 0; at < 3; at++) { /* sliding on one and rolling on the other; sliding on both at the end */
            for (int i = 0; i < (at < 2 ? 100 : 105); i++) OK(w, perp_world_step(w, NULL));
            compare_step(w, ball, p, solver[k]);
        }
        perp_world_destroy(w);
    }
}

/* ---- refusals, memory ---- */

static void refused(void **state) {
    (void)state;
    perp_world *w = world(3, "stewart-trinkle", PERP_FORM_CONE, 0.01);
    perp_body_id b;
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    OK(w, perp_body_add(w, &d, &b));
    perp_shape_def e = perp_shape_ellipsoid(1, 1, 2);
    assert_int_equal(perp_shape_add(w, b, &e, NULL), PERP_E_GEOMETRY);
    assert_non_null(strstr(perp_world_why(w), "implicit"));
    perp_world_destroy(w);

    w = world(3, "implicit", PERP_FORM_CONE, 0.01);
    perp_shape_def box = perp_shape_box(1, 1, 1);
    add(w, d, box);
    d.X_WB.p = perp_v3(5, 0, 0);
    add(w, d, box);
    assert_int_equal(perp_world_step(w, NULL), PERP_E_FIT);
    assert_non_null(strstr(perp_world_why(w), "flat"));
    assert_int_equal(perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 1}), PERP_E_FIT);
    perp_world_destroy(w);

    perp_world_def def = perp_world_def_default(2);
    def.stepper = "implicit";
    def.start = PERP_START_STAGGERED;
    char why[200];
    assert_int_equal(perp_world_create_why(&def, &w, why, sizeof why), PERP_E_FIT);
    assert_non_null(strstr(why, "plain"));
    def.start = PERP_START_PLAIN;
    def.contact_model = "standard";
    assert_int_equal(perp_world_create_why(&def, &w, why, sizeof why), PERP_E_FIT);
    const perp_function out = {.kind = PERP_FUNCTION_HALFSPACE, .normal = {1, 0, 0}, .offset = -1};
    perp_shape_def bad = perp_shape_intersection(&out, 1, 1);
    perp_mass m;
    assert_int_equal(perp_shape_mass(&bad, 3, 1, &m, why, sizeof why), PERP_E_GEOMETRY);
    assert_non_null(strstr(why, "origin"));
    const perp_function endless = {.kind = PERP_FUNCTION_CYLINDER, .radius = 1};
    bad = perp_shape_intersection(&endless, 1, 5);
    assert_int_equal(perp_shape_mass(&bad, 3, 1, &m, why, sizeof why), PERP_E_GEOMETRY);
    assert_non_null(strstr(why, "beyond"));
}

/* A block with rounded sides falls, tips and comes to rest on a flat spot, where the closest point runs far for the least turn.
 * Steps settle, halved once at the most, and nothing overlaps. */
static void flat_spots(void **state) {
    (void)state;
    const double power[] = {4, 6, 10}, mu[] = {0, 0.03, 0.5};
    for (int k = 0; k < 36; k++) {
        int dim = 2 + k % 2;
        bool soft = k / 18;
        perp_world_def def = perp_world_def_default(dim);
        def.stepper = soft ? "implicit-compliant" : "implicit";
        def.h = 0.005;
        def.max_halvings = 1;
        perp_world *w;
        assert_int_equal(perp_world_create(&def, &w), PERP_OK);
        perp_pair_law law = {.mu = mu[k / 2 % 3]};
        if (soft)
            law = (perp_pair_law){.mu = mu[k / 2 % 3], .compliance = PERP_LINEAR, .stiffness = 1e5, .damping = 20};
        OK(w, perp_pair_set_all(w, law));
        floor_of(w, dim);
        perp_shape_def s = perp_shape_superellipsoid(0.06, 0.04, 0.03, power[k / 6 % 3], power[k / 6 % 3]);
        perp_body_def d = solid(s, dim, dim == 2 ? perp_v3(0, 0.06, 0) : perp_v3(0, 0, 0.06));
        d.X_WB.q = perp_q_exp(dim == 2 ? perp_v3(0, 0, 0.2) : perp_v3(0.2, 0.1, 0));
        d.w_W = dim == 2 ? perp_v3(0, 0, 1) : perp_v3(0.5, 0.3, 2);
        d.v_W = perp_v3(0.3, 0, 0);
        add(w, d, s);
        for (int i = 0; i < 300; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            if (!soft) BELOW(c.overlap, 1e-9);
        }
        perp_world_destroy(w);
    }
}

/* Eggs thrown into a corner, where friction on both sides is enough to wedge them: every step has an answer. */
static void wedges(void **state) {
    (void)state;
    for (int k = 0; k < 24; k++) {
        int dim = 2 + k % 2;
        perp_world *w = world(dim, "implicit", PERP_FORM_CONE, 0.005);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 1.5}));
        floor_of(w, dim);
        add(w, perp_body_def_default(PERP_BODY_OBSTACLE), perp_shape_halfspace(perp_v3(1, 0, 0), 0));
        perp_shape_def egg = perp_shape_ellipsoid(0.1, 0.06, 0.05);
        perp_body_def d = solid(egg, dim, dim == 2 ? perp_v3(0.2, 0.12, 0) : perp_v3(0.2, 0, 0.12));
        d.v_W = perp_v3(-1 - 0.1 * k, 0, 0);
        d.w_W = dim == 2 ? perp_v3(0, 0, 0.8 * k - 10) : perp_v3(0.3 * k, 0.8 * k - 10, 1);
        add(w, d, egg);
        for (int i = 0; i < 200; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            BELOW(c.overlap, 1e-6);
        }
        perp_world_destroy(w);
    }
}

/* An egg that turns over its tips rolls and hops without winning energy from its contact. */
static void no_gain(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = world(dim, "implicit", PERP_FORM_CONE, 0.01);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.8}));
        floor_of(w, dim);
        perp_shape_def egg = perp_shape_ellipsoid(0.1, 0.06, 0.06);
        perp_body_def d = solid(egg, dim, dim == 2 ? perp_v3(0, 0.11, 0) : perp_v3(0, 0, 0.11));
        d.v_W = perp_v3(0.9, 0, 0);
        d.w_W = dim == 2 ? perp_v3(0, 0, -11) : perp_v3(0, 11, 0);
        add(w, d, egg);
        double gain = 0, energy = kinetic(w) + d.mass * 9.81 * 0.11;
        for (int i = 0; i < 100; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            gain += c.gain;
        }
        BELOW(gain, 1e-3 * energy);
        perp_world_destroy(w);
    }
}

/* What is placed in overlap is not thrown out. */
static void placed_in_overlap(void **state) {
    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        perp_world *w = world(3, "implicit", PERP_FORM_CONE, 0.001);
        floor_of(w, 3);
        perp_shape_def egg = perp_shape_ellipsoid(0.1, 0.08, 0.06);
        perp_body_def fixed = perp_body_def_default(PERP_BODY_OBSTACLE);
        fixed.X_WB.p = perp_v3(1, 0, 0.06);
        add(w, fixed, egg);
        perp_body_id b =
            add(w, solid(egg, 3, pass ? perp_v3(1, 0, 0.16) : perp_v3(0, 0, 0.02)), egg); /* 0.02, 0.04 deep */
        for (int i = 0; i < 1000; i++) {
            OK(w, perp_world_step(w, NULL));
            perp_vec3 v;
            OK(w, perp_body_velocity(w, b, &v, NULL));
            if (i < 20) BELOW(perp_v3_norm(v), 0.16 * sqrt(9.81 * 0.2) + 0.01);
        }
        perp_pose X;
        OK(w, perp_body_pose(w, b, &X));
        assert_true(X.p.z > 0.0599);
        perp_world_destroy(w);
    }
}

/* A clone goes on with the same bits; once warm, a step does not touch the heap. */
static void clone_and_memory(void **state) {
    (void)state;
    perp_world *w = world(3, "implicit", PERP_FORM_CONE, 0.01), *copy;
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
    floor_of(w, 3);
    const perp_function lens[2] = {{.kind = PERP_FUNCTION_SPHERE, .radius = 0.4, .X_SF = {{0, 0, 0.3}, {0}}},
                                   {.kind = PERP_FUNCTION_SPHERE, .radius = 0.4, .X_SF = {{0, 0, -0.3}, {0}}}};
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.X_WB.p = perp_v3(0, 0, 0.3);
    d.X_WB.q = perp_q_exp(perp_v3(0.4, 0, 0));
    d.I_B = perp_m3_diag(0.02, 0.02, 0.03);
    add(w, d, perp_shape_intersection(lens, 2, 0.4));
    perp_shape_def egg = perp_shape_ellipsoid(0.2, 0.2, 0.3);
    add(w, solid(egg, 3, perp_v3(1, 0, 0.4)), egg);
    for (int i = 0; i < 30; i++) OK(w, perp_world_step(w, NULL));
    OK(w, perp_world_clone(w, &copy));
    long before = malloc_calls();
    for (int i = 0; i < 50; i++) OK(w, perp_world_step(w, NULL));
    if (COUNTS_MALLOC) assert_int_equal(malloc_calls() - before, 0);
    for (int i = 0; i < 50; i++) OK(copy, perp_world_step(copy, NULL));
    assert_true(perp_world_hash(w) == perp_world_hash(copy));
    perp_world_destroy(copy);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolling),  cmocka_unit_test(cylinder),          cmocka_unit_test(collision),
        cmocka_unit_test(dumbbell), cmocka_unit_test(user_function),     cmocka_unit_test(printed_problem),
        cmocka_unit_test(refused),  cmocka_unit_test(flat_spots),        cmocka_unit_test(wedges),
        cmocka_unit_test(no_gain),  cmocka_unit_test(placed_in_overlap), cmocka_unit_test(clone_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
