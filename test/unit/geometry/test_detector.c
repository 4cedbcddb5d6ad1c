/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_detector.c - the plain detector: closed forms for every pair of kinds, and random pairs against other
 * algorithms */
#include "fault/allocator.h"
#include "unit/collision_help.h"

#include <stdlib.h>

static void near(double a, double b, double tol) {
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g is not %.17g to %g", a, b, tol);
}
static void near_v(perp_vec3 a, perp_vec3 b, double tol) {
    near(a.x, b.x, tol);
    near(a.y, b.y, tol);
    near(a.z, b.z, tol);
}

static pp_arena arena;
static pp_pair_list found;

static int set_up(void **state) {
    (void)state;
    pp_arena_init(&arena, plain_alloc);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    pp_arena_free(&arena);
    pp_free(&plain_alloc, found.pair);
    memset(&found, 0, sizeof found);
    return 0;
}

/* What every list must satisfy. */
static void check_list(int dim, const pp_placed *p) {
    for (int k = 0; k < found.n; k++) {
        const pp_pair *c = &found.pair[k];
        assert_true(c->i < c->j);
        if (k > 0) {
            const pp_pair *b = c - 1;
            assert_true(b->i < c->i || (b->i == c->i && (b->j < c->j || (b->j == c->j && b->feature < c->feature))));
        }
        assert_true(perp_v3_finite(c->a_W) && perp_v3_finite(c->b_W) && perp_v3_finite(c->n_W) && isfinite(c->gap));
        near(perp_v3_norm(c->n_W), 1, 1e-14);
        assert_true(c->gap <= p[c->i].reach + p[c->j].reach);
        perp_vec3 d = perp_v3_sub(c->b_W, c->a_W);
        near(perp_v3_dot(c->n_W, d), c->gap, 1e-13);
        near(perp_v3_norm(perp_v3_axpy(d, -c->gap, c->n_W)), 0, 1e-12); /* both on the normal line */
        if (dim == 2) assert_true(c->n_W.z == 0 && c->a_W.z == 0 && c->b_W.z == 0);
    }
}

static int detect(int dim, int n, const pp_placed *p) {
    pp_arena_reset(&arena);
    assert_int_equal(run_detector(dim, n, p, NULL, NULL, &arena, &found), PERP_OK);
    check_list(dim, p);
    return found.n;
}

/* Two shapes; half the reach each. */
static int detect2(const pp_geometry *a, perp_pose X, const pp_geometry *b, perp_pose Y, double reach) {
    pp_placed p[2] = {put(a, X, reach / 2, 0), put(b, Y, reach / 2, 1)};
    return detect(a->dim, 2, p);
}

static double least_gap(void) {
    double least = INFINITY;
    for (int k = 0; k < found.n; k++)
        if (found.pair[k].gap < least) least = found.pair[k].gap;
    return least;
}

static bool has_point(perp_vec3 b, double gap, double tol) {
    for (int k = 0; k < found.n; k++)
        if (perp_v3_norm(perp_v3_sub(found.pair[k].b_W, b)) <= tol && fabs(found.pair[k].gap - gap) <= tol) return true;
    return false;
}

static void only(perp_vec3 a, perp_vec3 b, perp_vec3 n, double gap, uint64_t feature) {
    assert_int_equal(found.n, 1);
    near_v(found.pair[0].a_W, a, 1e-14);
    near_v(found.pair[0].b_W, b, 1e-14);
    near_v(found.pair[0].n_W, n, 1e-14);
    near(found.pair[0].gap, gap, 1e-14);
    assert_true(found.pair[0].feature == feature);
}

static void spheres(void **state) {
    (void)state;
    perp_pose o = perp_pose_identity();
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *s = make_sphere(dim, 0.5), *t = make_sphere(dim, 0.25), *p = make_particle(dim);
        detect2(s, o, t, perp_pose_at(1, 0, 0), 0.3);
        only(perp_v3(0.5, 0, 0), perp_v3(0.75, 0, 0), perp_v3(1, 0, 0), 0.25, 0);
        assert_int_equal(detect2(s, o, t, perp_pose_at(1, 0, 0), 0.2), 0);
        detect2(t, perp_pose_at(0, 0.7, 0), s, o, 0);
        only(perp_v3(0, 0.45, 0), perp_v3(0, 0.5, 0), perp_v3(0, -1, 0), -0.05, 0);
        detect2(s, o, p, perp_pose_at(0, 0.6, 0), 0.1001);
        only(perp_v3(0, 0.5, 0), perp_v3(0, 0.6, 0), perp_v3(0, 1, 0), 0.1, 0);
        assert_int_equal(detect2(p, o, p, o, 1), 0);
        perp_vec3 up = dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1);
        detect2(s, o, t, o, 1); /* coincident centres: a fixed direction */
        only(perp_v3_scale(0.5, up), perp_v3_scale(-0.25, up), up, -0.75, 0);
        detect2(s, o, p, o, 0);
        only(perp_v3_scale(0.5, up), perp_v3(0, 0, 0), up, -0.5, 0);
        pp_geometry *all[] = {s, t, p};
        for (int k = 0; k < 3; k++) pp_geometry_destroy(all[k], &plain_alloc);
    }
}

static void half_spaces(void **state) {
    (void)state;
    perp_pose o = perp_pose_identity();
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *h = make_plane(dim, perp_v3(0, 3, 0), 0.5), *s = make_sphere(dim, 0.25), *p = make_particle(dim);
        pp_geometry *b = make_box(dim, 1, 0.5, 2);
        detect2(h, o, s, perp_pose_at(2, 0.875, 0), 0.25);
        only(perp_v3(2, 0.5, 0), perp_v3(2, 0.625, 0), perp_v3(0, 1, 0), 0.125, 0);
        detect2(s, perp_pose_at(2, 0.875, 0), h, o, 0.25);
        only(perp_v3(2, 0.625, 0), perp_v3(2, 0.5, 0), perp_v3(0, -1, 0), 0.125, 0);
        assert_int_equal(detect2(h, o, s, perp_pose_at(2, 0.875, 0), 0.1), 0);
        detect2(h, o, p, perp_pose_at(-1, 0.25, 0), 0);
        only(perp_v3(-1, 0.5, 0), perp_v3(-1, 0.25, 0), perp_v3(0, 1, 0), -0.25, 0);
        detect2(h, o, b, perp_pose_at(7, 1.25, 0), 0.3); /* the lower vertices */
        assert_int_equal(found.n, dim == 2 ? 2 : 4);
        for (int k = 0; k < found.n; k++) {
            int v = (int)found.pair[k].feature;
            near_v(found.pair[k].b_W, perp_pose_apply(perp_pose_at(7, 1.25, 0), b->vert[v]), 0);
            assert_true(found.pair[k].gap == 0.25 && found.pair[k].n_W.y == 1 && found.pair[k].n_W.x == 0);
        }
        assert_int_equal(detect2(h, o, b, perp_pose_at(7, 1.25, 0), 1.3), b->nvert);
        assert_int_equal(detect2(h, o, b, perp_pose_at(7, 1.25, 0), 0.2), 0);
        assert_int_equal(detect2(h, o, h, o, 1), 0);
        /* turned and moved half-space */
        detect2(h, perp_pose_2d(1, 0, PI / 2), s, perp_pose_at(0, 5, 0), 1);
        only(perp_v3(0.5, 5, 0), perp_v3(0.25, 5, 0), perp_v3(-1, 0, 0), 0.25, 0);
        pp_geometry *all[] = {h, s, p, b};
        for (int k = 0; k < 4; k++) pp_geometry_destroy(all[k], &plain_alloc);
    }
}

static void sphere_on_box(void **state) {
    (void)state;
    perp_pose o = perp_pose_identity();
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *b = make_box(dim, 1, 2, 3), *s = make_sphere(dim, 0.5), *p = make_particle(dim);
        int right = dim == 2 ? 1 : 5; /* face of normal +x */
        detect2(b, o, s, perp_pose_at(1.75, 1, 0), 0.25);
        only(perp_v3(1, 1, 0), perp_v3(1.25, 1, 0), perp_v3(1, 0, 0), 0.25, pp_feature(PP_VERTEX_FACE, 0, right, 0));
        detect2(s, perp_pose_at(1.75, 1, 0), b, o, 0.25);
        only(perp_v3(1.25, 1, 0), perp_v3(1, 1, 0), perp_v3(-1, 0, 0), 0.25, pp_feature(PP_VERTEX_FACE, 1, right, 0));
        detect2(b, o, p, perp_pose_at(0.75, 1, 0), 0); /* inside */
        only(perp_v3(1, 1, 0), perp_v3(0.75, 1, 0), perp_v3(1, 0, 0), -0.25, pp_feature(PP_VERTEX_FACE, 0, right, 0));
        detect2(b, o, s, perp_pose_at(1.6, 2.8, 0), 0.6); /* corner in 2D, edge in 3D */
        assert_int_equal(found.n, 1);
        near_v(found.pair[0].n_W, perp_v3(0.6, 0.8, 0), 1e-15);
        near(found.pair[0].gap, 0.5, 1e-15);
        near_v(found.pair[0].a_W, perp_v3(1, 2, 0), 1e-15);
        assert_int_equal(pp_feature_kind(found.pair[0].feature), dim == 2 ? PP_VERTEX_VERTEX : PP_VERTEX_EDGE);
        if (dim == 2) assert_int_equal(pp_feature_a(found.pair[0].feature), 2);
        assert_int_equal(detect2(b, o, s, perp_pose_at(1.6, 2.8, 0), 0.49), 0);
        detect2(b, o, p, perp_pose_at(1, 2, 0), 0); /* on the corner: some face's normal */
        assert_int_equal(found.n, 1);
        near(found.pair[0].gap, 0, 0);
        if (dim == 3) {
            detect2(s, perp_pose_at(1.1, 2.2, 3.2), b, o, 0);
            assert_int_equal(found.n, 1);
            near_v(found.pair[0].n_W, perp_v3(-1.0 / 3, -2.0 / 3, -2.0 / 3), 1e-14);
            near(found.pair[0].gap, -0.2, 1e-14);
            assert_true(found.pair[0].feature == pp_feature(PP_VERTEX_VERTEX, 0, 0, 7));
        }
        pp_geometry *all[] = {b, s, p};
        for (int k = 0; k < 3; k++) pp_geometry_destroy(all[k], &plain_alloc);
    }
}

static void random_sphere_pairs(void **state) {
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        int dim = 2 + trial % 2;
        bool first = trial % 3 == 0;
        pp_geometry *a = random_poly(dim), *b = trial % 5 ? make_sphere(dim, uniform(0.05, 0.5)) : make_particle(dim);
        pp_placed p[2] = {put(a, random_pose(dim, 0.7), 2, 0), put(b, random_pose(dim, 0.7), 2, 1)};
        if (first) {
            pp_placed t = p[0];
            p[0] = p[1];
            p[1] = t;
        }
        double d = gjk_distance(&p[0], &p[1]), s = pp_separation(&p[0], &p[1]);
        detect(dim, 2, p);
        assert_true(s < 4);
        assert_int_equal(found.n, 1);
        near(found.pair[0].gap, d > 1e-9 ? d - b->radius : s, 1e-12);
        near(found.pair[0].gap, s, 1e-12);
        /* moved by the gap along the normal, the two just touch */
        p[1].X_WS.p = perp_v3_axpy(p[1].X_WS.p, -found.pair[0].gap, found.pair[0].n_W);
        near(pp_separation(&p[0], &p[1]), 0, 1e-12);
        pp_geometry_destroy(a, &plain_alloc);
        pp_geometry_destroy(b, &plain_alloc);
    }
}

static void box_on_box_2d(void **state) {
    (void)state;
    perp_pose o = perp_pose_identity();
    pp_geometry *b = make_box(2, 1, 0.5, 0), *s = make_box(2, 0.25, 0.25, 0);
    detect2(b, o, s, perp_pose_at(0.5, 0.875, 0), 0.25); /* inside the edge */
    assert_int_equal(found.n, 2);
    for (int k = 0; k < 2; k++) {
        assert_true(found.pair[k].n_W.x == 0 && found.pair[k].n_W.y == 1 && found.pair[k].gap == 0.125);
        assert_true(found.pair[k].feature == pp_feature(PP_VERTEX_FACE, 0, 2, k));
    }
    near_v(found.pair[0].b_W, perp_v3(0.25, 0.625, 0), 0);
    near_v(found.pair[1].b_W, perp_v3(0.75, 0.625, 0), 0);
    detect2(s, perp_pose_at(0.5, 0.875, 0), b, o, 0.25); /* the other way round */
    assert_int_equal(found.n, 2);
    assert_true(found.pair[0].n_W.y == -1 && found.pair[0].feature == pp_feature(PP_VERTEX_FACE, 1, 2, 0));
    detect2(b, o, s, perp_pose_at(1, 0.75, 0), 0.25); /* half over the end, touching */
    assert_int_equal(found.n, 2);
    assert_true(has_point(perp_v3(0.75, 0.5, 0), 0, 0) && has_point(perp_v3(1, 0.5, 0), 0, 0));
    assert_true(found.pair[1].feature == pp_feature(PP_VERTEX_FACE, 1, 0, 2)); /* corner 2 of b under edge 0 of s */
    detect2(b, o, s, perp_pose_at(-1, 0.75, 0), 0.25);                         /* the other end */
    assert_int_equal(found.n, 2);
    assert_true(has_point(perp_v3(-0.75, 0.5, 0), 0, 0) && has_point(perp_v3(-1, 0.5, 0), 0, 0));
    assert_true(found.pair[1].feature == pp_feature(PP_VERTEX_FACE, 1, 0, 3));
    detect2(s, o, s, perp_pose_at(0, 0.5, 0), 0.1); /* flush: no doubles */
    assert_int_equal(found.n, 2);
    detect2(s, o, s, perp_pose_at(1e-9, 0.5, 0), 0.1);
    assert_int_equal(found.n, 2);
    detect2(s, o, s, perp_pose_at(0.5, 0.5, 0), 0.1); /* corner to corner, touching: some face */
    assert_true(found.n >= 1);
    near(least_gap(), 0, 1e-15);
    detect2(s, o, s, perp_pose_at(0.53, 0.54, 0), 0.1); /* corner to corner, apart */
    only(perp_v3(0.25, 0.25, 0), perp_v3(0.28, 0.29, 0), perp_v3(0.6, 0.8, 0), 0.05,
         pp_feature(PP_VERTEX_VERTEX, 0, 2, 0));
    assert_int_equal(detect2(s, o, s, perp_pose_at(0.53, 0.54, 0), 0.0499), 0);
    detect2(s, o, s, o, 0.1); /* one inside the other: something finite */
    assert_true(found.n >= 1);
    near(least_gap(), -0.5, 1e-15);
    pp_geometry_destroy(b, &plain_alloc);
    pp_geometry_destroy(s, &plain_alloc);
}

static void box_on_box_3d(void **state) {
    (void)state;
    perp_pose o = perp_pose_identity();
    pp_geometry *b = make_box(3, 1, 1, 0.5), *s = make_box(3, 0.25, 0.25, 0.25), *plank = make_box(3, 2, 0.25, 0.25);
    perp_vec3 up = perp_v3(0, 0, 1);
    detect2(b, o, s, perp_pose_at(0.5, 0.25, 0.875), 0.25);
    assert_int_equal(found.n, 4);
    for (int k = 0; k < 4; k++) {
        near_v(found.pair[k].n_W, up, 0);
        assert_true(found.pair[k].gap == 0.125);
        assert_true(found.pair[k].feature ==
                    pp_feature(PP_VERTEX_FACE, 0, 3, 2 * k)); /* lower vertices are the even ones */
    }
    detect2(b, o, s, perp_pose_at(1, 0.25, 0.75), 0.25); /* half over an edge */
    assert_int_equal(found.n, 4);
    assert_true(has_point(perp_v3(0.75, 0, 0.5), 0, 1e-15) && has_point(perp_v3(1, 0, 0.5), 0, 1e-15));
    assert_true(has_point(perp_v3(0.75, 0.5, 0.5), 0, 1e-15) && has_point(perp_v3(1, 0.5, 0.5), 0, 1e-15));
    detect2(b, o, s, perp_pose_at(1, 1, 0.75), 0.25); /* over a corner: vertex, two crossings, corner */
    assert_int_equal(found.n, 4);
    assert_true(has_point(perp_v3(1, 1, 0.5), 0, 1e-15) && has_point(perp_v3(0.75, 0.75, 0.5), 0, 1e-15));
    assert_true(pp_feature_owner(found.pair[1].feature) == 1); /* the corner of b under the lower face of s */
    assert_int_equal(pp_feature_kind(found.pair[2].feature), PP_EDGE_EDGE);
    detect2(s, o, s, perp_pose_at(0, 0, 0.5), 0.1); /* flush */
    assert_int_equal(found.n, 4);
    detect2(s, o, s, perp_pose_at(1e-9, -1e-9, 0.5), 0.1);
    assert_int_equal(found.n, 4);
    perp_pose turned = {{0, 0, 0.5 + 0.01}, perp_q_axis_angle(up, PI / 4)}; /* octagon */
    detect2(s, o, s, turned, 0.1);
    assert_int_equal(found.n, 8);
    for (int k = 0; k < 8; k++) {
        assert_int_equal(pp_feature_kind(found.pair[k].feature), PP_EDGE_EDGE);
        near_v(found.pair[k].n_W, up, 1e-15);
        near(found.pair[k].gap, 0.01, 1e-15);
        double r = hypot(found.pair[k].b_W.x, found.pair[k].b_W.y);
        near(r, 0.25 / cos(PI / 8), 1e-14);
    }
    perp_pose across = {{0, 0, 0.5}, perp_q_axis_angle(up, PI / 2)}; /* crossed planks: no vertex near */
    detect2(plank, o, plank, across, 0.1);
    assert_int_equal(found.n, 4);
    perp_quat tilt = perp_q_axis_angle(perp_v3(1, 1, 0), 1e-3);
    across.q = perp_q_mul(tilt, across.q);
    across.p.z = 0.502;
    detect2(plank, o, plank, across, 0.1); /* tilted: an edge pair gives the plane, the other crossings still count */
    assert_int_equal(found.n, 4);
    near(least_gap(), gjk_distance(&(pp_placed){.g = plank, .X_WS = o}, &(pp_placed){.g = plank, .X_WS = across}),
         1e-12);
    assert_int_equal(detect2(b, o, s, perp_pose_at(0.5, 0.25, 0.875), 0.12), 0);
    pp_geometry *all[] = {b, s, plank};
    for (int k = 0; k < 3; k++) pp_geometry_destroy(all[k], &plain_alloc);
}

static void edges_and_corners_3d(void **state) {
    (void)state;
    perp_pose o = perp_pose_identity();
    pp_geometry *c = make_box(3, 0.5, 0.5, 0.5);
    detect2(c, o, c, perp_pose_at(1.06, 1.08, 0.25), 0.2); /* parallel edges: both ends of the common part */
    assert_int_equal(found.n, 2);
    for (int k = 0; k < 2; k++) {
        near_v(found.pair[k].n_W, perp_v3(0.6, 0.8, 0), 1e-14);
        near(found.pair[k].gap, 0.1, 1e-14);
        assert_int_equal(pp_feature_kind(found.pair[k].feature), PP_VERTEX_EDGE);
    }
    assert_true(has_point(perp_v3(0.56, 0.58, 0.5), 0.1, 1e-14) && has_point(perp_v3(0.56, 0.58, -0.25), 0.1, 1e-14));
    detect2(c, o, c, perp_pose_at(1.01, 1.02, 1.02), 0.2); /* corners: |(1, 2, 2)|/100 */
    only(perp_v3(0.5, 0.5, 0.5), perp_v3(0.51, 0.52, 0.52), perp_v3(1.0 / 3, 2.0 / 3, 2.0 / 3), 0.03,
         pp_feature(PP_VERTEX_VERTEX, 0, 7, 0));
    perp_quat up = perp_q_axis_angle(perp_v3(0, 0, 1), PI / 4),
              lie = perp_q_mul(perp_q_axis_angle(perp_v3(1, 0, 0), PI / 2), up);
    for (int k = -1; k <= 1; k += 2) { /* crossed edges, apart and overlapping */
        perp_pose X = {{0, 0, 0}, up}, Y = {{sqrt(2) + 0.01 * k, 0, 0}, lie};
        detect2(c, X, c, Y, 0.02);
        assert_int_equal(pp_feature_kind(found.pair[0].feature), PP_EDGE_EDGE);
        assert_int_equal(found.n, 1);
        near_v(found.pair[0].n_W, perp_v3(1, 0, 0), 1e-14);
        near(found.pair[0].gap, 0.01 * k, 1e-14);
        near_v(found.pair[0].a_W, perp_v3(sqrt(0.5), 0, 0), 1e-14);
    }
    detect2(c, o, c, perp_pose_at(1, 1, 0), 0.1); /* touching along an edge, at a corner, everywhere at once */
    assert_true(found.n >= 2);
    near(least_gap(), 0, 1e-15);
    detect2(c, o, c, perp_pose_at(1, 1, 1), 0.1);
    assert_true(found.n >= 1);
    near(least_gap(), 0, 1e-15);
    detect2(c, o, c, o, 0.1);
    assert_true(found.n >= 1);
    near(least_gap(), -1, 1e-15);
    pp_geometry_destroy(c, &plain_alloc);
}

/* The smallest gap is the distance when apart, minus the depth when not; nothing is reported beyond the reach, and
 * nothing left out within it. */
static void random_polytope_pairs(void **state) {
    (void)state;
    int apart = 0, deep = 0, kinds[4] = {0};
    for (int trial = 0; trial < 6000; trial++) {
        int dim = 2 + trial % 2;
        pp_geometry *a = random_poly(dim), *b = random_poly(dim);
        pp_placed p[2] = {put(a, random_pose(dim, 1), 2, 0), put(b, random_pose(dim, 1), 2, 1)};
        double d = gjk_distance(&p[0], &p[1]), s = pp_separation(&p[0], &p[1]);
        detect(dim, 2, p);
        if (found.n == 0) fail_msg("trial %d: nothing found, distance %g, separation %g", trial, d, s);
        for (int k = 1; k < found.n; k++) near_v(found.pair[k].n_W, found.pair[0].n_W, 0); /* one plane */
        pp_geometry *point = make_particle(dim);
        for (int k = 0; k < found.n; k++) { /* the points lie on the surfaces */
            pp_placed on_a = put(point, perp_pose_identity(), 0, 2), on_b = on_a;
            on_a.X_WS.p = found.pair[k].a_W;
            on_b.X_WS.p = found.pair[k].b_W;
            near(pp_separation(&p[0], &on_a), 0, 1e-7);
            near(pp_separation(&p[1], &on_b), 0, 1e-7);
        }
        pp_geometry_destroy(point, &plain_alloc);
        double least = least_gap();
        if (d > 1e-9) {
            near(least, d, 1e-9 + 3e-6 * d);
            apart++;
            for (int k = 0; k < found.n; k++)
                if (found.pair[k].gap == least) kinds[pp_feature_kind(found.pair[k].feature)]++;
            p[0].reach = d * 0.49;
            p[1].reach = d * 0.49;
            assert_int_equal(detect(dim, 2, p), 0);
            p[0].reach = d * 0.51 + 1e-8;
            p[1].reach = d * 0.51 + 1e-8;
            assert_true(detect(dim, 2, p) > 0);
        } else if (s < 0) {
            near(least, s, 1e-9 - 3e-6 * s);
            deep++;
            perp_vec3 n = found.pair[0].n_W; /* moved out along the normal, the two just touch */
            p[1].X_WS.p = perp_v3_axpy(p[1].X_WS.p, -least * (1 + 1e-5) + 1e-8, n);
            assert_true(pp_separation(&p[0], &p[1]) > 0);
            p[0].reach = p[1].reach = 0;
            p[1].X_WS.p = perp_v3_axpy(p[1].X_WS.p, least * (1 + 1e-5) - 1e-8, n);
            assert_true(detect(dim, 2, p) > 0);
        }
        pp_geometry_destroy(a, &plain_alloc);
        pp_geometry_destroy(b, &plain_alloc);
    }
    assert_true(apart > 1000 && deep > 1000);
    for (int k = 0; k < 4; k++) assert_true(kinds[k] > 20); /* every kind of closest features came up */
}

/* Bodies moved at will within their reach: if they overlap, the pair had contacts. */
static void nothing_is_missed(void **state) {
    (void)state;
    int hits = 0;
    for (int trial = 0; trial < 4000; trial++) {
        int dim = 2 + trial % 2;
        pp_geometry *g[2];
        pp_placed p[2];
        for (int k = 0; k < 2; k++) {
            g[k] = uniform(0, 1) < 0.2   ? make_sphere(dim, 0.3)
                   : uniform(0, 1) < 0.1 ? make_particle(dim)
                                         : random_poly(dim);
            p[k] = put(g[k], random_pose(dim, 1), uniform(0, 0.3), k);
        }
        int n = detect(dim, 2, p);
        for (int move = 0; move < 8; move++) {
            pp_placed q[2] = {p[0], p[1]};
            for (int k = 0; k < 2; k++) { /* a shift and a turn about the origin of S, together at most the reach */
                double part = uniform(0, 1);
                perp_vec3 axis = dim == 2 ? perp_v3(0, 0, 1) : random_unit(3);
                perp_vec3 to = move % 2 ? random_unit(dim) : perp_v3_unit(perp_v3_sub(p[1 - k].X_WS.p, p[k].X_WS.p));
                if (g[k]->bound > 0)
                    q[k].X_WS.q =
                        perp_q_mul(perp_q_axis_angle(axis, (1 - part) * p[k].reach / g[k]->bound), p[k].X_WS.q);
                q[k].X_WS.p = perp_v3_axpy(p[k].X_WS.p, part * p[k].reach, to);
            }
            if (pp_separation(&q[0], &q[1]) > -1e-9) continue;
            if (n == 0) fail_msg("trial %d: overlap %g without a contact", trial, -pp_separation(&q[0], &q[1]));
            hits++;
        }
        pp_geometry_destroy(g[0], &plain_alloc);
        pp_geometry_destroy(g[1], &plain_alloc);
    }
    assert_true(hits > 2000);
}

static perp_vec3 turn(perp_pose M, perp_vec3 v) { return perp_q_rotate(M.q, v); }

/* Turning both shapes turns the contacts; exchanging them flips the normals. Nothing else changes. */
static void equivariance(void **state) {
    (void)state;
    int compared = 0;
    for (int trial = 0; trial < 3000; trial++) {
        int dim = 2 + trial % 2;
        pp_geometry *g[2];
        for (int k = 0; k < 2; k++) g[k] = uniform(0, 1) < 0.15 ? make_sphere(dim, 0.3) : random_poly(dim);
        pp_placed p[2] = {put(g[0], random_pose(dim, 0.8), 0.2, 0), put(g[1], random_pose(dim, 0.8), 0.2, 1)};
        if (trial % 7 == 0) p[1].X_WS.q = p[0].X_WS.q; /* aligned */
        perp_pose M = random_pose(dim, 5);
        detect(dim, 2, p);
        pp_pair was[64];
        int n = found.n;
        assert_true(n <= 64);
        for (int k = 0; k < n; k++) was[k] = found.pair[k];
        pp_placed q[2] = {p[0], p[1]};
        for (int k = 0; k < 2; k++) q[k].X_WS = perp_pose_mul(M, p[k].X_WS);
        detect(dim, 2, q);
        assert_int_equal(found.n, n);
        for (int k = 0; k < n; k++) {
            assert_true(found.pair[k].feature == was[k].feature);
            near_v(found.pair[k].n_W, turn(M, was[k].n_W), 1e-9);
            near_v(found.pair[k].a_W, perp_pose_apply(M, was[k].a_W), 1e-9);
            near_v(found.pair[k].b_W, perp_pose_apply(M, was[k].b_W), 1e-9);
            near(found.pair[k].gap, was[k].gap, 1e-11);
        }
        pp_placed r[2] = {p[1], p[0]};
        detect(dim, 2, r);
        assert_int_equal(found.n, n);
        for (int k = 0; k < n; k++) { /* order may differ: look for the partner */
            int partner = -1;
            for (int m = 0; m < n; m++)
                if (perp_v3_norm(perp_v3_sub(found.pair[m].a_W, was[k].b_W)) < 1e-9 &&
                    fabs(found.pair[m].gap - was[k].gap) < 1e-9)
                    partner = m;
            assert_true(partner >= 0);
            near_v(found.pair[partner].n_W, perp_v3_neg(was[k].n_W), 1e-9);
            near_v(found.pair[partner].b_W, was[k].a_W, 1e-9);
            compared++;
        }
        pp_geometry_destroy(g[0], &plain_alloc);
        pp_geometry_destroy(g[1], &plain_alloc);
    }
    assert_true(compared > 2000);
}

/* A box that rests, with the noise of a simulation, keeps its contacts and their numbers. */
static void features_are_stable(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *b = make_box(dim, 1, 0.5, 1), *s = make_box(dim, 0.3, 0.25, 0.4);
        for (int where = 0; where < 4; where++) {
            uint64_t number[16];
            int n = 0;
            double x = where == 0   ? 0.1
                       : where == 1 ? 0.9
                       : where == 2 ? 0.3
                                    : 0.95,
                   turned = where == 3 && dim == 3 ? 0.3 : 0;
            for (int step = 0; step < 300; step++) {
                double e = step ? 1e-10 : 0, m = step ? 1e-5 : 0; /* normal to the face, along it */
                perp_pose Y =
                    perp_pose_at(x + uniform(-m, m), 0.75 + uniform(-e, e), 0.05 + (dim == 3 ? uniform(-m, m) : -0.05));
                Y.q = perp_q_exp(
                    perp_v3(dim == 3 ? uniform(-e, e) : 0, dim == 3 ? turned + uniform(-m, m) : 0, uniform(-e, e)));
                detect2(b, perp_pose_identity(), s, Y, 0.01);
                if (step == 0) n = found.n;
                if (step == 0 && turned == 0) assert_int_equal(n, dim == 2 ? 2 : 4);
                assert_int_equal(found.n, n);
                for (int k = 0; k < n; k++) {
                    if (step == 0) number[k] = found.pair[k].feature;
                    assert_true(number[k] == found.pair[k].feature);
                    near_v(found.pair[k].n_W, perp_v3(0, 1, 0), 0); /* the larger face gives the plane throughout */
                    near(found.pair[k].gap, 0, 1e-9);
                }
            }
        }
        pp_geometry_destroy(b, &plain_alloc);
        pp_geometry_destroy(s, &plain_alloc);
    }
}

/* A box on its corner (3D: edge) over a narrow table: two faces oppose the table alike, and rounding must not
 * choose. */
static void ties_do_not_flicker(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *b = make_box(dim, 0.25, 0.25, 0.25), *s = make_box(dim, 1, 1, 1);
        uint64_t number[16];
        int n = 0;
        for (int trial = 0; trial < 200; trial++) {
            perp_pose M = trial ? random_pose(dim, 1) : perp_pose_identity();
            detect2(b, M, s, perp_pose_mul(M, perp_pose_2d(0, 0.26 + sqrt(2), PI / 4)), 1);
            if (trial == 0) {
                n = found.n;
                assert_true(n >= (dim == 2 ? 2 : 4) && n <= 16);
            }
            assert_int_equal(found.n, n);
            for (int k = 0; k < n; k++) {
                if (trial == 0) number[k] = found.pair[k].feature;
                assert_true(number[k] == found.pair[k].feature);
            }
            near(least_gap(), 0.01, 1e-14);
        }
        pp_geometry_destroy(b, &plain_alloc);
        pp_geometry_destroy(s, &plain_alloc);
    }
}

/* Two edges of the upper polygon are almost one line: the plane goes to the larger lower face by a tie, the edge that
 * opposes it by another, and neither sees the corner below the second edge. The closest points do. */
static void ties_do_not_hide_the_closest_points(void **state) {
    (void)state;
    perp_vec3 v[5] = {{-1, 5e-6, 0}, {0, 0, 0}, {1, 5e-6, 0}, {1, 2, 0}, {-1, 2, 0}};
    perp_shape_def d = perp_shape_polygon(v, 5);
    pp_geometry *upper = make(&d, 2), *lower = make_box(2, 2, 1, 0);
    pp_placed p[2] = {put(lower, perp_pose_at(2.001, -1, 0), 1, 0), put(upper, perp_pose_at(0, 0.01, 0), 1, 1)};
    for (int swap = 0; swap < 2; swap++) {
        double sign = swap ? -1 : 1;
        pp_placed q[2] = {p[swap], p[1 - swap]};
        detect(2, 2, q);
        near(least_gap(), gjk_distance(&q[0], &q[1]), 1e-13);
        near_v(found.pair[0].n_W, perp_v3(-5e-6 * sign, sign, 0), 1e-10);
    }
    pp_geometry_destroy(upper, &plain_alloc);
    pp_geometry_destroy(lower, &plain_alloc);
}

/* Polygons and their prisms: the same normals and gaps, each point twice. */
static void prisms_agree_with_polygons(void **state) {
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        pp_geometry *g[2], *h[2];
        pp_placed p[2], q[2];
        for (int k = 0; k < 2; k++) {
            g[k] = random_poly(2);
            perp_vec3 v[128];
            for (int i = 0; i < g[k]->nvert; i++)
                for (int side = 0; side < 2; side++)
                    v[2 * i + side] = perp_v3(g[k]->vert[i].x, g[k]->vert[i].y, side ? 5 : -5);
            perp_shape_def d = perp_shape_polyhedron(v, 2 * g[k]->nvert);
            h[k] = make(&d, 3);
            p[k] = put(g[k], random_pose(2, 0.8), 0.2, k);
            q[k] = put(h[k], p[k].X_WS, 0.2, k);
        }
        int n = detect(2, 2, p);
        pp_pair flat[16];
        assert_true(n <= 16);
        for (int k = 0; k < n; k++) flat[k] = found.pair[k];
        assert_int_equal(detect(3, 2, q), 2 * n);
        for (int m = 0; m < 2 * n; m++) {
            const pp_pair *c = &found.pair[m];
            bool match = false;
            for (int k = 0; k < n && !match; k++) {
                perp_vec3 d = perp_v3_sub(c->a_W, flat[k].a_W), e = perp_v3_sub(c->b_W, flat[k].b_W);
                match = fabs(c->gap - flat[k].gap) < 1e-9 && hypot(d.x, d.y) < 1e-9 && hypot(e.x, e.y) < 1e-9 &&
                        perp_v3_norm(perp_v3_sub(c->n_W, flat[k].n_W)) < 1e-9 && fabs(fabs(d.z) - 5) < 1e-9;
            }
            assert_true(match);
        }
        for (int k = 0; k < 2; k++) {
            pp_geometry_destroy(g[k], &plain_alloc);
            pp_geometry_destroy(h[k], &plain_alloc);
        }
    }
}

static bool not_0_2(int i, int j, const void *ctx) {
    assert_true(i < j);
    return !(i == 0 && j == 2) && ctx != NULL;
}

static void who_is_tested(void **state) {
    (void)state;
    pp_geometry *s = make_sphere(3, 1);
    pp_placed p[3];
    for (int k = 0; k < 3; k++) p[k] = put(s, perp_pose_at(0.1 * k, 0, 0), 0, k);
    assert_int_equal(detect(3, 3, p), 3);
    pp_arena_reset(&arena);
    assert_int_equal(run_detector(3, 3, p, not_0_2, p, &arena, &found), PERP_OK);
    assert_int_equal(found.n, 2);
    assert_true(found.pair[0].i == 0 && found.pair[0].j == 1 && found.pair[1].i == 1 && found.pair[1].j == 2);
    p[0].body = 1;
    assert_int_equal(detect(3, 3, p), 2);
    p[0].body = 0;
    p[0].moves = p[1].moves = false;
    assert_int_equal(detect(3, 3, p), 2);
    p[2].moves = false;
    assert_int_equal(detect(3, 3, p), 0);
    p[0].moves = p[1].moves = p[2].moves = true;
    p[1].group = 2;
    p[2].mask = 1;
    assert_int_equal(detect(3, 3, p), 2);
    p[1].mask = 2;
    assert_int_equal(detect(3, 3, p), 1);
    assert_int_equal(detect(3, 0, NULL), 0);
    p[0].X_WS.p.x = NAN;
    pp_arena_reset(&arena);
    assert_int_equal(run_detector(3, 3, p, NULL, NULL, &arena, &found), PERP_E_ARG);
    assert_int_equal(found.n, 0);
    p[0].X_WS.p.x = 0;
    p[1].reach = NAN;
    assert_int_equal(run_detector(3, 3, p, NULL, NULL, &arena, &found), PERP_E_ARG);
    assert_string_equal(pp_detector_plain.name, "plain");
    assert_int_equal(pp_detector_plain.shapes, (1u << PERP_SHAPE_ELLIPSOID) - 1); /* those before the implicit ones */
    pp_geometry_destroy(s, &plain_alloc);
}

/* A pile of shapes of all kinds. */
static int pile(int dim, pp_geometry **g, pp_placed *p) {
    int n = 0;
    g[n] = make_plane(dim, perp_v3(0, 1, 0), 0);
    p[n] = put(g[n], perp_pose_identity(), 0, n);
    p[n].moves = false;
    for (n = 1; n < 30; n++) {
        g[n] = n % 4 == 0 ? make_sphere(dim, 0.3) : n % 9 == 0 ? make_particle(dim) : random_poly(dim);
        p[n] = put(g[n], random_pose(dim, 2), 0.1, n);
    }
    return n;
}

static void warm_calls_do_not_allocate(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *g[30];
        pp_placed p[30];
        int n = pile(dim, g, p);
        counter c = {.refuse = -1};
        perp_allocator a = counting(&c);
        pp_arena mine;
        pp_arena_init(&mine, a);
        pp_pair_list list = {0}, first = {0};
        pp_couple_list near_list = {0};
        pp_broad *broad = pp_broad_create(&a);
        for (int k = 0; k < 6; k++) {
            if (k == 3) c.calls = 0;
            pp_arena_reset(&mine);
            assert_int_equal(pp_detector_plain.detect(dim, n, p, NULL, NULL, broad, &near_list, &a, &mine, &list),
                             PERP_OK);
            if (k == 0) {
                assert_true(PP_GROW(&plain_alloc, first.pair, first.cap, 0, list.n));
                first.n = list.n;
                memcpy(first.pair, list.pair, (size_t)list.n * sizeof *list.pair);
            }
            assert_int_equal(list.n, first.n);
            assert_memory_equal(list.pair, first.pair,
                                (size_t)list.n * sizeof *list.pair); /* and they repeat to the bit */
        }
        assert_int_equal(c.calls, 0);
        assert_true(first.n > 50);
        pp_free(&plain_alloc, first.pair);
        pp_free(&a, list.pair);
        pp_free(&a, near_list.couple);
        pp_broad_destroy(broad, &a);
        pp_arena_free(&mine);
        assert_int_equal(c.live, 0);
        for (int k = 0;; k++) { /* refuse the k-th allocation */
            counter few = {.refuse = k};
            perp_allocator b = counting(&few);
            pp_arena_init(&mine, b);
            memset(&list, 0, sizeof list);
            memset(&near_list, 0, sizeof near_list);
            broad = pp_broad_create(&b);
            if (!broad) continue;
            perp_status s = pp_detector_plain.detect(dim, n, p, NULL, NULL, broad, &near_list, &b, &mine, &list);
            if (s) assert_true(s == PERP_E_MEMORY && list.n == 0);
            pp_free(&b, list.pair);
            pp_free(&b, near_list.couple);
            pp_broad_destroy(broad, &b);
            pp_arena_free(&mine);
            assert_int_equal(few.live, 0);
            if (s == PERP_OK) break;
            assert_true(k < 50);
        }
        for (int k = 0; k < n; k++) pp_geometry_destroy(g[k], &plain_alloc);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(spheres),
        TEST(half_spaces),
        TEST(sphere_on_box),
        TEST(random_sphere_pairs),
        TEST(box_on_box_2d),
        TEST(box_on_box_3d),
        TEST(edges_and_corners_3d),
        TEST(random_polytope_pairs),
        TEST(nothing_is_missed),
        TEST(equivariance),
        TEST(features_are_stable),
        TEST(ties_do_not_flicker),
        TEST(ties_do_not_hide_the_closest_points),
        TEST(prisms_agree_with_polygons),
        TEST(who_is_tested),
        TEST(warm_calls_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
