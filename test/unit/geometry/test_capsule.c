/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Capsules: mass against slices, contacts against closest points by another road, rest and rolling. */
#include "unit/collision_help.h"
#include "base/memory.h"
#include "perp/perp.h"

static pp_arena arena;
static pp_pair_list found;

static pp_geometry *make_capsule(int dim, double r, double h) {
    perp_shape_def d = perp_shape_capsule(r, h);
    return make(&d, dim);
}

static int detect(int dim, int n, const pp_placed *p) {
    pp_arena_reset(&arena);
    assert_int_equal(run_detector(dim, n, p, NULL, NULL, &arena, &found), PERP_OK);
    return found.n;
}

/* Slices across the axis, integrated by Gauss' rule on many pieces: no closed form of a ball is used. */
static void test_mass(void **state) {
    (void)state;
    const double node[2] = {-0.57735026918962576451, 0.57735026918962576451};
    for (int dim = 2; dim <= 3; dim++)
        for (int trial = 0; trial < 5; trial++) {
            double r = uniform(0.1, 2), h = uniform(0.05, 3), density = uniform(0.5, 2);
            double m = 0, along = 0, across = 0;
            for (int piece = 0; piece < 3; piece++) /* cap, bar, cap; in the caps x = -+h -+ r sin(a) */
                for (int k = 0; k < 4000; k++)
                    for (int g = 0; g < 2; g++) {
                        double u = (k + 0.5 + 0.5 * node[g]) / 4000, x, rho, weight;
                        if (piece == 1) {
                            x = (2 * u - 1) * h;
                            rho = r;
                            weight = 2 * h / 8000;
                        } else {
                            double a = u * PI / 2;
                            x = (piece - 1) * (h + r * sin(a));
                            rho = r * cos(a);
                            weight = r * cos(a) * PI / 2 / 8000;
                        }
                        double area = dim == 2 ? 2 * rho : PI * rho * rho;
                        m += weight * area;
                        along += weight * area * (dim == 2 ? rho * rho / 3 : rho * rho / 2);
                        across += weight * area * ((dim == 2 ? rho * rho / 3 : rho * rho / 4) + x * x);
                    }
            perp_shape_def d = perp_shape_capsule(r, h);
            perp_mass got;
            assert_int_equal(perp_shape_mass(&d, dim, density, &got, NULL, 0), PERP_OK);
            assert_true(fabs(got.mass - density * m) <= 1e-11 * m);
            assert_true(perp_v3_norm(got.com_B) == 0);
            assert_true(fabs(got.I_B.c[2].z - density * across) <= 1e-11 * across);
            if (dim == 3) {
                assert_true(fabs(got.I_B.c[0].x - density * along) <= 1e-11 * along);
                assert_true(got.I_B.c[1].y == got.I_B.c[2].z && got.I_B.c[0].y == 0 && got.I_B.c[1].z == 0);
            }
        }
}

static void test_refused(void **state) {
    (void)state;
    const struct {
        double r, h;
        perp_status s;
    } list[] = {{0, 1, PERP_E_GEOMETRY},   {-1, 1, PERP_E_GEOMETRY},  {NAN, 1, PERP_E_ARG},
                {1, 0, PERP_E_GEOMETRY},   {1, -1, PERP_E_GEOMETRY},  {1, NAN, PERP_E_ARG},
                {1, INFINITY, PERP_E_ARG}, {INFINITY, 1, PERP_E_ARG}, {1, 1e60, PERP_E_GEOMETRY}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int dim = 2; dim <= 3; dim++) {
            perp_shape_def d = perp_shape_capsule(list[i].r, list[i].h);
            pp_geometry *g = NULL;
            char why[128] = "";
            assert_int_equal(pp_geometry_create(&d, dim, &plain_alloc, &g, why, sizeof why), list[i].s);
            assert_true(g == NULL && *why);
        }
}

static pp_geometry *other(int dim, int kind) {
    switch (kind) {
    case 0: return make_sphere(dim, uniform(0.05, 0.5));
    case 1: return make_particle(dim);
    case 2: return make_capsule(dim, uniform(0.05, 0.4), uniform(0.05, 1));
    default: return random_poly(dim);
    }
}

static double lowest(const pp_placed *p, perp_vec3 n) {
    double least = INFINITY;
    for (int v = 0; v < p->g->nvert; v++) least = fmin(least, perp_v3_dot(n, perp_pose_apply(p->X_WS, p->g->vert[v])));
    return least;
}
/* Separation of the cores along n, from A to B. */
static double along_normal(const pp_placed *a, const pp_placed *b, perp_vec3 n) {
    return lowest(b, n) + lowest(a, perp_v3_neg(n));
}

/* What every contact of a pair must be; returns the smallest gap. */
static double check_contacts(const pp_placed *p, int n) {
    double least = INFINITY;
    for (int k = 0; k < n; k++) {
        const pp_pair *c = &found.pair[k];
        assert_true(fabs(perp_v3_norm(c->n_W) - 1) < 1e-12);
        assert_true(fabs(perp_v3_dot(c->n_W, perp_v3_sub(c->b_W, c->a_W)) - c->gap) < 1e-9);
        assert_true(c->gap <= p[0].reach + p[1].reach);
        if (k) assert_true(c[-1].feature < c->feature);
        least = fmin(least, c->gap);
    }
    return least;
}

/* Apart: the least gap is the distance; no contact is closer. Overlapping cores: the gap is minus the depth, along a
 * normal that no other of many directions beats. Both orders of the shapes agree. */
static void test_against_closest_points(void **state) {
    (void)state;
#ifdef PERP_TEST_SHORT
    const int trials = 3000;
#else
    const int trials = 30000;
#endif
    int deep = 0, apart = 0;
    for (int trial = 0; trial < trials; trial++) {
        int dim = 2 + trial % 2;
        pp_geometry *a = make_capsule(dim, uniform(0.02, 0.4), uniform(0.05, 1)), *b = other(dim, trial / 2 % 5);
        double far = uniform(0, 1) < 0.3 ? 0.3 : 1.5;
        pp_placed p[2] = {put(a, random_pose(dim, far), 5, 0), put(b, random_pose(dim, far), 5, 1)};
        if (trial % 7 == 0) p[1].X_WS.q = p[0].X_WS.q; /* parallel */
        double rr = a->radius + b->radius, core = gjk_distance(&p[0], &p[1]);
        int n = detect(dim, 2, p);
        assert_true(n >= 1);
        double gap = check_contacts(p, n);
        if (core > 1e-9) {
            apart++;
            if (!(fabs(gap - (core - rr)) < 1e-9))
                fail_msg("trial %d dim %d kind %d: gap %.12g, distance %.12g", trial, dim, trial / 2 % 5, gap,
                         core - rr);
        } else if (b->nvert > 1) {
            deep++;
            const pp_pair *c = &found.pair[0];
            for (int k = 1; k < n; k++)
                if (found.pair[k].gap < c->gap) c = &found.pair[k];
            double depth = -along_normal(&p[0], &p[1], c->n_W); /* that this normal needs */
            assert_true(depth >= -1e-9);
            for (int s = 0; s < 300; s++) {
                double d = -along_normal(&p[0], &p[1], random_unit(dim));
                if (!(d >= depth - 1e-9)) fail_msg("trial %d: depth %.9g, but %.9g would do", trial, depth, d);
            }
            assert_true(-c->gap - rr <= depth + 1e-9);
        }
        pp_placed q[2] = {p[1], p[0]};
        double before = gap;
        assert_int_equal(detect(dim, 2, q), n);
        assert_true(fabs(check_contacts(q, n) - before) < 1e-12);
        pp_geometry_destroy(a, &plain_alloc);
        pp_geometry_destroy(b, &plain_alloc);
    }
    assert_true(deep > trials / 50 && apart > trials / 4);
}

/* Where it lies flat there are two contacts, which it keeps when it tilts a little, with the same features. */
static void test_flat(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *c = make_capsule(dim, 0.1, 1), *wide = make_box(dim, 3, 0.5, 0.5),
                    *low = make_box(dim, 0.4, 0.5, 0.5), *plane = make_plane(dim, perp_v3(0, 1, 0), 0),
                    *twin = make_capsule(dim, 0.1, 1), *brief = make_capsule(dim, 0.1, 0.5);
        const struct {
            const pp_geometry *g;
            double y, end[2];
        } on[] = {{wide, 0.6, {-1, 1}},
                  {low, 0.6, {-0.4, 0.4}},
                  {plane, 0.1, {-1, 1}},
                  {twin, 0.2, {-0.75, 1}},
                  {brief, 0.2, {-0.25, 0.75}}};
        for (int k = 0; k < 5; k++) {
            uint64_t feature[2] = {0, 0};
            double shift = k > 2 ? 0.25 : 0;
            for (int tilt = -3; tilt <= 3; tilt++) {
                double angle = tilt * 1e-4;
                pp_placed p[2] = {put(c, perp_pose_2d(0, on[k].y + 1e-3, angle), 1e-2, 0),
                                  put(on[k].g, perp_pose_2d(shift, 0, 0), 0, 1)};
                assert_int_equal(detect(dim, 2, p), 2);
                bool swap = found.pair[0].b_W.x > found.pair[1].b_W.x;
                for (int e = 0; e < 2; e++) {
                    const pp_pair *x = &found.pair[swap ? 1 - e : e];
                    assert_true(fabs(x->b_W.x - on[k].end[e]) < 1e-2 && x->n_W.y < -0.999);
                    if (tilt == -3) feature[e] = x->feature;
                    assert_true(k > 2 || x->feature == feature[e]);
                }
            }
        }
        pp_geometry *all[] = {c, wide, low, plane, twin, brief};
        for (int k = 0; k < 6; k++) pp_geometry_destroy(all[k], &plain_alloc);
    }
}

static perp_body_id add_capsule(perp_world *w, int dim, double r, double h, perp_vec3 at) {
    perp_shape_def s = perp_shape_capsule(r, h);
    perp_mass m;
    assert_int_equal(perp_shape_mass(&s, dim, 1000, &m, NULL, 0), PERP_OK);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = m.mass;
    b.I_B = m.I_B;
    b.X_WB.p = at;
    perp_body_id id;
    assert_int_equal(perp_body_add(w, &b, &id), PERP_OK);
    assert_int_equal(perp_shape_add(w, id, &s, NULL), PERP_OK);
    return id;
}

static perp_world *ground(int dim, bool box, double mu) {
    perp_world_def d = perp_world_def_default(dim);
    d.gravity_W = dim == 2 ? perp_v3(0, -10, 0) : perp_v3(0, 0, -10);
    d.h = 0.01;
    d.contact_model = "one-plane";
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    assert_int_equal(perp_pair_set_all(w, (perp_pair_law){.mu = mu}), PERP_OK);
    perp_body_def o = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_shape_def s = dim == 2 ? perp_shape_halfspace(perp_v3(0, 1, 0), 0) : perp_shape_halfspace(perp_v3(0, 0, 1), 0);
    if (box) {
        s = perp_shape_box(0.3, dim == 2 ? 0.5 : 5, 0.5);
        o.X_WB.p = dim == 2 ? perp_v3(0, -0.5, 0) : perp_v3(0, 0, -0.5);
    }
    perp_body_id id;
    assert_int_equal(perp_body_add(w, &o, &id), PERP_OK);
    assert_int_equal(perp_shape_add(w, id, &s, NULL), PERP_OK);
    return w;
}

/* On a plane, and across a beam that is narrower than the body: the body does not move. */
static void test_rests(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int box = 0; box < 2; box++) {
            perp_world *w = ground(dim, box, 0.5);
            perp_vec3 at = dim == 2 ? perp_v3(0.1, 0.1, 0) : perp_v3(0.1, 0, 0.1);
            perp_body_id b = add_capsule(w, dim, 0.1, 0.5, at);
            for (int k = 0; k < 300; k++) assert_int_equal(perp_world_step(w, NULL), PERP_OK);
            const perp_contact *c;
            assert_int_equal(perp_world_contacts(w, &c), 2);
            perp_pose X;
            assert_int_equal(perp_body_pose(w, b, &X), PERP_OK);
            assert_true(perp_v3_norm(perp_v3_sub(X.p, at)) < 1e-12 && fabs(X.q.w - 1) < 1e-12);
            perp_world_destroy(w);
        }
}

/* About its axis over the plane at v = w r: friction has nothing to do. A push is met by friction as on a cylinder:
 * from v and no spin it slides until it rolls at v m r^2 / (m r^2 + I) = const. */
static void test_rolls(void **state) {
    (void)state;
    perp_world *w = ground(3, false, 0.5);
    double r = 0.1, v = 0.7;
    perp_body_id b = add_capsule(w, 3, r, 0.5, perp_v3(0, 0, r));
    assert_int_equal(perp_body_set_velocity(w, b, perp_v3(0, v, 0), perp_v3(-v / r, 0, 0)), PERP_OK);
    for (int k = 0; k < 200; k++) assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    perp_pose X;
    assert_int_equal(perp_body_pose(w, b, &X), PERP_OK);
    assert_true(fabs(X.p.y - 2 * v) < 1e-9 && fabs(X.p.z - r) < 1e-11 && fabs(X.p.x) < 1e-11);
    perp_vec3 axis = perp_q_rotate(X.q, perp_v3(1, 0, 0));
    assert_true(fabs(axis.x - 1) < 1e-11);
    assert_int_equal(perp_body_set_velocity(w, b, perp_v3(0, v, 0), perp_v3(0, 0, 0)), PERP_OK);
    for (int k = 0; k < 200; k++) assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    perp_shape_def s = perp_shape_capsule(r, 0.5);
    perp_mass m;
    assert_int_equal(perp_shape_mass(&s, 3, 1000, &m, NULL, 0), PERP_OK);
    perp_vec3 v_W, w_W;
    perp_body_velocity(w, b, &v_W, &w_W);
    double end = v * m.mass * r * r / (m.mass * r * r + m.I_B.c[0].x);
    assert_true(fabs(v_W.y - end) < 1e-9 && fabs(w_W.x + end / r) < 1e-8);
    perp_world_destroy(w);
}

static int end(void **state) {
    (void)state;
    pp_arena_free(&arena);
    pp_free(&plain_alloc, found.pair);
    return 0;
}

int main(void) {
    pp_arena_init(&arena, plain_alloc);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass), cmocka_unit_test(test_refused), cmocka_unit_test(test_against_closest_points),
        cmocka_unit_test(test_flat), cmocka_unit_test(test_rests),   cmocka_unit_test(test_rolls),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
