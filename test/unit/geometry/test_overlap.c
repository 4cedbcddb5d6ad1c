/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_overlap.c - the certificate's overlap measure against closed forms and against the hull of the Minkowski
 * difference */
#include "perp/world.h"
#include "unit/collision_help.h"

static void near(double a, double b, double tol) {
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g is not %.17g to %g", a, b, tol);
}

/* Signed separation both ways; the two must agree. */
static double sep(const pp_geometry *a, perp_pose X, const pp_geometry *b, perp_pose Y) {
    pp_placed p = put(a, X, 0, 0), q = put(b, Y, 0, 1);
    double d = pp_separation(&p, &q), e = pp_separation(&q, &p);
    if (d < INFINITY && d < 0) near(d, e, 1e-13);
    assert_true((d > 0) == (e > 0) || fabs(d - e) < 1e-13);
    return d;
}

static void closed_forms(void **state) {
    (void)state;
    perp_pose o = perp_pose_identity();
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *s = make_sphere(dim, 0.5), *t = make_sphere(dim, 0.25), *p = make_particle(dim);
        pp_geometry *b = make_box(dim, 1, 2, 3), *h = make_plane(dim, perp_v3(0, 2, 0), 0.5);
        near(sep(s, o, t, perp_pose_at(1, 0, 0)), 0.25, 1e-15);
        near(sep(s, o, t, perp_pose_at(0, 0.7, 0)), -0.05, 1e-15);
        near(sep(s, o, t, o), -0.75, 0);
        near(sep(s, o, p, perp_pose_at(0.4, 0, 0)), -0.1, 1e-15);
        assert_true(isinf(sep(p, o, p, o)) && sep(p, o, p, o) > 0);
        assert_true(isinf(sep(h, o, h, o)) && sep(h, o, h, o) > 0);
        near(sep(h, o, s, perp_pose_at(3, 1.25, 0)), 0.25, 1e-15);
        near(sep(h, o, p, perp_pose_at(3, 0.25, 0)), -0.25, 1e-15);
        near(sep(h, perp_pose_2d(0, 1, PI / 2), b, perp_pose_at(2, 0, 0)), -3.5, 1e-14); /* x >= -0.5 */
        near(sep(h, o, b, perp_pose_at(9, 2.25, 0)), -0.25, 1e-15);
        near(sep(h, o, b, perp_pose_2d(9, 2, PI / 4)), 2 - 0.5 - 3 / sqrt(2), 1e-15);
        near(sep(b, o, s, perp_pose_at(1.25, 0, 0)), -0.25, 1e-15); /* over a face */
        near(sep(b, o, s, perp_pose_at(1.3, 2.4, 0)), 0, 1e-15);    /* beside an edge (3D) or corner (2D) */
        near(sep(b, o, s, perp_pose_at(1.18, 2.24, 0)), -0.2, 1e-15);
        near(sep(b, o, s, perp_pose_at(0.875, 0, 0)), -0.625, 1e-15); /* centre inside */
        near(sep(b, o, p, perp_pose_at(0.5, 1.9, 0)), -0.1, 1e-15);
        near(sep(b, o, p, perp_pose_at(0.5, 2.1, 0)), 0.1, 1e-15);
        near(sep(b, o, b, perp_pose_at(1.75, 1, 0)), -0.25, 1e-15);
        near(sep(b, o, b, perp_pose_at(2, 0, 0)), 0, 1e-15);
        assert_true(sep(b, o, b, perp_pose_at(2.5, 0, 0)) == 0.5);
        near(sep(b, o, b, o), -2, 1e-15);
        if (dim == 3) near(sep(b, o, s, perp_pose_at(1.1, 2.2, 3.2)), 0.3 - 0.5, 1e-15); /* corner: |(1, 2, 2)|/10 */
        pp_geometry *all[] = {s, t, p, b, h};
        for (int k = 0; k < 5; k++) pp_geometry_destroy(all[k], &plain_alloc);
    }
    /* two unit-edge cubes, edge against edge at right angles: the axis is (1, 1, 0)/sqrt 2 only through a cross
     * product */
    pp_geometry *c = make_box(3, 0.5, 0.5, 0.5);
    perp_quat up = perp_q_axis_angle(perp_v3(0, 0, 1), PI / 4);                  /* an edge along z points to +x */
    perp_quat lie = perp_q_mul(perp_q_axis_angle(perp_v3(1, 0, 0), PI / 2), up); /* an edge along y points to -x */
    perp_pose X = {{0, 0, 0}, up}, Y = {{sqrt(2) - 0.01, 0, 0}, lie};
    near(sep(c, X, c, Y), -0.01, 1e-14);
    Y.p.x = sqrt(2) + 0.01;
    near(sep(c, X, c, Y), 0.01, 1e-14);
    pp_geometry_destroy(c, &plain_alloc);
}

/* Depth from the hull of all differences of vertices: the face nearest to the origin. */
static double minkowski_depth(const pp_placed *a, const pp_placed *b) {
    static perp_vec3 p[PP_HULL_MAX];
    int n = 0;
    for (int i = 0; i < a->g->nvert; i++)
        for (int j = 0; j < b->g->nvert; j++)
            p[n++] = perp_v3_sub(perp_pose_apply(b->X_WS, b->g->vert[j]), perp_pose_apply(a->X_WS, a->g->vert[i]));
    perp_shape_def d = a->g->dim == 2 ? perp_shape_polygon(p, n) : perp_shape_polyhedron(p, n);
    pp_geometry *g = make(&d, a->g->dim);
    double least = INFINITY;
    for (int f = 0; f < g->nface; f++)
        if (g->face_d[f] < least) least = g->face_d[f];
    pp_geometry_destroy(g, &plain_alloc);
    return least;
}

static void random_polytopes(void **state) {
    (void)state;
    int deep = 0, apart = 0;
    for (int trial = 0; trial < 1500; trial++) {
        int dim = 2 + trial % 2;
        pp_geometry *a = random_poly(dim), *b = random_poly(dim);
        pp_placed p = put(a, random_pose(dim, 0.7), 0, 0), q = put(b, random_pose(dim, 0.7), 0, 1);
        double depth = minkowski_depth(&p, &q), s = sep(a, p.X_WS, b, q.X_WS), d = gjk_distance(&p, &q);
        if (depth > 1e-12) {
            near(s, -depth, 1e-12);
            deep++;
        } else if (depth < -1e-12) {
            assert_true(s > 0 && s <= d + 1e-12 && d > 0);
            apart++;
        }
        pp_geometry_destroy(a, &plain_alloc);
        pp_geometry_destroy(b, &plain_alloc);
    }
    assert_true(deep > 300 && apart > 300);
}

static void random_spheres(void **state) {
    (void)state;
    int in = 0, out = 0;
    for (int trial = 0; trial < 2000; trial++) {
        int dim = 2 + trial % 2;
        pp_geometry *a = random_poly(dim), *point = make_particle(dim), *ball = make_sphere(dim, 0.3);
        pp_placed p = put(a, random_pose(dim, 0.6), 0, 0), q = put(point, random_pose(dim, 0.6), 0, 1);
        double d = gjk_distance(&p, &q), s = sep(a, p.X_WS, point, q.X_WS);
        near(sep(a, p.X_WS, ball, q.X_WS), s - 0.3, 1e-15);
        if (d > 1e-10) {
            near(s, d, 1e-12);
            out++;
        } else if (s < 0) { /* least distance to a plane, all in front */
            near(s, -minkowski_depth(&p, &q), 1e-13);
            in++;
        }
        pp_geometry_destroy(a, &plain_alloc);
        pp_geometry_destroy(point, &plain_alloc);
        pp_geometry_destroy(ball, &plain_alloc);
    }
    assert_true(in > 300 && out > 300);
}

/* Separations do not depend on where and how the pair stands. */
static void invariance(void **state) {
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        int dim = 2 + trial % 2;
        pp_geometry *a = random_poly(dim), *b = trial % 3 ? random_poly(dim) : make_sphere(dim, 0.4);
        perp_pose X = random_pose(dim, 0.6), Y = random_pose(dim, 0.6), M = random_pose(dim, 10);
        double s = sep(a, X, b, Y), t = sep(a, perp_pose_mul(M, X), b, perp_pose_mul(M, Y));
        if (s <= 0) near(s, t, 1e-13);
        assert_true((s > 0) == (t > 0));
        pp_geometry_destroy(a, &plain_alloc);
        pp_geometry_destroy(b, &plain_alloc);
    }
}

static bool not_1_2(int i, int j, const void *ctx) {
    (void)ctx;
    return !(i == 1 && j == 2);
}

static void deepest(void **state) {
    (void)state;
    pp_geometry *g = make_box(3, 0.5, 0.5, 0.5), *h = make_plane(3, perp_v3(0, 0, 1), 0);
    pp_placed p[4] = {put(h, perp_pose_identity(), 0, 10), put(g, perp_pose_at(0, 0, 0.45), 0, 11),
                      put(g, perp_pose_at(0, 0, 1.25), 0, 12), put(g, perp_pose_at(5, 0, 0.6), 0, 13)};
    int which[2];
    p[0].moves = false;
    near(pp_deepest_overlap(4, p, NULL, NULL, which), 0.2, 1e-15);
    assert_int_equal(which[0], 11);
    assert_int_equal(which[1], 12);
    near(pp_deepest_overlap(4, p, not_1_2, NULL, which), 0.05, 1e-15);
    assert_int_equal(which[0], 10);
    assert_int_equal(which[1], 11);
    p[1].body = 12; /* boxes of one body */
    near(pp_deepest_overlap(4, p, NULL, NULL, which), 0.05, 1e-15);
    p[1].moves = false; /* nor two that stand still */
    assert_true(pp_deepest_overlap(4, p, NULL, NULL, which) == 0);
    assert_int_equal(which[0], -1);
    assert_int_equal(which[1], -1);
    p[1].body = 11;
    p[2].mask = 2;
    assert_true(pp_deepest_overlap(4, p, NULL, NULL, which) == 0);
    p[1].group = 2;
    near(pp_deepest_overlap(4, p, NULL, NULL, which), 0.2, 1e-15);
    p[1].mask = 4;
    assert_true(pp_deepest_overlap(4, p, NULL, NULL, which) == 0);
    p[3].X_WS.p.z = NAN; /* a broken pose is reported, not overlooked */
    assert_true(isinf(pp_deepest_overlap(4, p, NULL, NULL, which)));
    pp_geometry_destroy(g, &plain_alloc);
    pp_geometry_destroy(h, &plain_alloc);
}

/* Pairs that overlap come deepest first; those that never touch are left out. */
static void pairs_that_overlap(void **state) {
    (void)state;
    perp_world_def wd = perp_world_def_default(2);
    perp_world *w;
    assert_int_equal(perp_world_create(&wd, &w), PERP_OK);
    assert_int_equal(perp_world_overlaps(w, NULL, 0), 0);
    const double x[] = {0, 1.9, 3.5, 10};
    perp_shape_id id[4];
    for (int i = 0; i < 4; i++) {
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        d.X_WB.p = perp_v3(x[i], 0, 0);
        perp_body_id b;
        perp_shape_def ball = perp_shape_sphere(1);
        assert_int_equal(perp_body_add(w, &d, &b), PERP_OK);
        assert_int_equal(perp_shape_add(w, b, &ball, &id[i]), PERP_OK);
        ball.visual = true;
        ball.X_BS.p = perp_v3(-9, 0, 0);
        assert_int_equal(perp_shape_add(w, b, &ball, NULL), PERP_OK);
    }
    perp_overlap o[3];
    assert_int_equal(perp_world_overlaps(w, o, 3), 2);
    assert_true(fabs(o[0].depth - 0.4) < 1e-12 && o[0].a.slot == id[1].slot && o[0].b.slot == id[2].slot);
    assert_true(fabs(o[1].depth - 0.1) < 1e-12 && o[1].a.slot == id[0].slot && o[1].b.slot == id[1].slot);
    assert_int_equal(perp_world_overlaps(w, o + 2, 1), 2);
    assert_true(o[2].depth == o[0].depth);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_overlap), cmocka_unit_test(closed_forms), cmocka_unit_test(random_polytopes),
        cmocka_unit_test(random_spheres),     cmocka_unit_test(invariance),   cmocka_unit_test(deepest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
