/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The narrow phase of Williams chapter 3: nearest points, applicability, feasibility, orientation of edges. */
#include "unit/collision_help.h"

#include "method/disjunction/williams_detect.h"

#ifdef PERP_TEST_SHORT
#define CASES 50
#else
#define CASES 1000
#endif

#define NEAR(x, y, tolerance)                                                               \
    do {                                                                                    \
        double x_ = (x), y_ = (y);                                                          \
        if (!(fabs(x_ - y_) <= (tolerance))) fail_msg("%s = %.17g, not %.17g", #x, x_, y_); \
    } while (0)

static pp_arena arena;

static pp_geometry *geometry(perp_shape_def d, int dim) {
    pp_geometry *g;
    char why[256];
    if (pp_geometry_create(&d, dim, &plain_alloc, &g, why, sizeof why)) fail_msg("%s", why);
    return g;
}

static pp_solid solid(const pp_geometry *g, perp_pose X) {
    pp_placed p = {.g = g, .X_WS = X};
    pp_solid s;
    assert_true(pp_polytope_place(&p, &arena, &s));
    return s;
}

static double apart(perp_vec3 a, perp_vec3 b) { return perp_v3_norm(perp_v3_sub(a, b)); }

/* No point of the segments is nearer than those given; the parameters are sampled finely around them and everywhere. */
static void segments(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) {
        perp_vec3 p = random_vec(1), q = random_vec(1), r = random_vec(1), s = random_vec(1), a, b;
        if (k % 7 == 0) q = p; /* a point */
        if (k % 5 == 0) s = r; /* the other one: the printed algorithm forgets it */
        if (k % 3 == 0) s = perp_v3_axpy(r, uniform(-2, 2), perp_v3_sub(q, p)); /* parallel */
        pp_segment_segment(p, q, r, s, &a, &b);
        double d = apart(a, b);
        NEAR(apart(pp_point_segment(p, q, a), a), 0, 1e-12); /* on the segments */
        NEAR(apart(pp_point_segment(r, s, b), b), 0, 1e-12);
        NEAR(apart(pp_point_segment(p, q, b), b), d, 1e-9); /* each is the nearest to the other */
        NEAR(apart(pp_point_segment(r, s, a), a), d, 1e-9);
        for (int m = 0; m < 50; m++) {
            perp_vec3 x = perp_v3_axpy(p, m / 49.0, perp_v3_sub(q, p));
            if (apart(pp_point_segment(r, s, x), x) < d - 1e-9) fail_msg("case %d: a nearer pair", k);
        }
    }
}

/* Distance to a face of a box by clamping. */
static void faces(void **state) {
    (void)state;
    pp_geometry *g = geometry(perp_shape_box(1, 2, 3), 3);
    for (int k = 0; k < CASES; k++) {
        perp_pose X = random_pose(3, 2);
        pp_solid s = solid(g, X);
        perp_vec3 x_S = random_vec(5), x = perp_pose_apply(X, x_S);
        for (int f = 0; f < g->nface; f++) {
            perp_vec3 n = g->face_n[f], y = x_S;
            y.x = fabs(n.x) > 0.5 ? n.x : fmax(-1, fmin(1, y.x));
            y.y = fabs(n.y) > 0.5 ? 2 * n.y : fmax(-2, fmin(2, y.y));
            y.z = fabs(n.z) > 0.5 ? 3 * n.z : fmax(-3, fmin(3, y.z));
            NEAR(apart(pp_point_facet(&s, f, x), perp_pose_apply(X, y)), 0, 1e-12);
        }
    }
    pp_geometry_destroy(g, &plain_alloc);
}

static int vertex_at(const pp_solid *s, perp_vec3 x) {
    for (int v = 0; v < s->g->nvert; v++)
        if (apart(s->v[v], x) < 1e-9) return v;
    fail_msg("no such vertex");
    return -1;
}

static int facet_facing(const pp_solid *s, perp_vec3 n) {
    for (int f = 0; f < s->g->nface; f++)
        if (perp_v3_dot(s->n[f], n) > 1 - 1e-9) return f;
    fail_msg("no such facet");
    return -1;
}

/* Figure 3.4: both lower corners of a tilted square are applicable only with the relaxation. */
static void applicability(void **state) {
    (void)state;
    pp_geometry *g = geometry(perp_shape_box(1, 1, 1), 2), *c = geometry(perp_shape_box(1, 1, 1), 3);
    double tilt = 0.1;
    pp_solid s = solid(g, perp_pose_2d(0, 0, tilt));
    int low = vertex_at(&s, perp_pose_apply(perp_pose_2d(0, 0, tilt), perp_v3(-1, -1, 0))),
        high = vertex_at(&s, perp_pose_apply(perp_pose_2d(0, 0, tilt), perp_v3(1, -1, 0)));
    NEAR(pp_applicable_vertex(&s, low, perp_v3(0, 1, 0)), sin(tilt), 1e-12);
    NEAR(pp_applicable_vertex(&s, high, perp_v3(0, 1, 0)), -sin(tilt), 1e-12);
    pp_solid cube = solid(c, perp_pose_at(0, 0, 0)); /* 3D: three neighbours, two of them level */
    NEAR(pp_applicable_vertex(&cube, vertex_at(&cube, perp_v3(1, 1, -1)), perp_v3(0, 0, 1)), 0, 1e-12);
    NEAR(pp_applicable_vertex(&cube, vertex_at(&cube, perp_v3(1, 1, 1)), perp_v3(0, 0, 1)), -1, 1e-12);
    pp_geometry_destroy(g, &plain_alloc);
    pp_geometry_destroy(c, &plain_alloc);
}

/* A corner above a corner: the facet that faces it is primary, the side is not; deep under a facet, or on the far side of
 * a thin body, is not feasible. The relaxation comes from the reach. */
static void primary(void **state) {
    (void)state;
    pp_geometry *g = geometry(perp_shape_box(1, 1, 0), 2), *thin = geometry(perp_shape_box(1, 0.02, 0), 2);
    pp_solid B = solid(g, perp_pose_at(0, -1, 0)), A = solid(g, perp_pose_2d(1, 1 + 0.01, 0));
    pp_near_features c = pp_near_features_of(&A, 0.05, &B, 0.05);
    NEAR(c.epsilon, 0.1, 1e-15);
    int v = vertex_at(&A, perp_v3(0, 0.01, 0)), top = facet_facing(&B, perp_v3(0, 1, 0));
    pp_potential p = pp_vertex_facet(&c, 1, top, v);
    assert_true(p.primary);
    NEAR(p.gap, 0.01, 1e-15);
    NEAR(p.n_W.y, -1, 1e-15); /* from A to B */
    NEAR(perp_v3_dot(p.n_W, perp_v3_sub(p.b_W, p.a_W)), p.gap, 1e-15);
    assert_false(pp_vertex_facet(&c, 1, facet_facing(&B, perp_v3(1, 0, 0)), v).primary);   /* behind by 1 */
    assert_false(pp_vertex_facet(&c, 1, top, vertex_at(&A, perp_v3(0, 2.01, 0))).primary); /* points away */
    pp_solid T = solid(thin, perp_pose_at(0, -0.02, 0));
    c = pp_near_features_of(&A, 0.05, &T, 0.05);
    assert_true(pp_vertex_facet(&c, 1, facet_facing(&T, perp_v3(0, 1, 0)), v).primary);
    pp_solid under = solid(g, perp_pose_2d(1, -1.05, 0)); /* below the thin body, within reach of its top */
    c = pp_near_features_of(&under, 0.05, &T, 0.05);
    assert_false(
        pp_vertex_facet(&c, 1, facet_facing(&T, perp_v3(0, 1, 0)), vertex_at(&under, perp_v3(0, -0.05, 0))).primary);
    pp_geometry_destroy(g, &plain_alloc);
    pp_geometry_destroy(thin, &plain_alloc);
}

static int edge_between(const pp_solid *s, perp_vec3 a, perp_vec3 b) {
    for (int e = 0; e < s->g->nedge; e++) {
        const int *v = s->g->edge[e];
        if ((apart(s->v[v[0]], a) < 1e-9 && apart(s->v[v[1]], b) < 1e-9) ||
            (apart(s->v[v[0]], b) < 1e-9 && apart(s->v[v[1]], a) < 1e-9))
            return e;
    }
    fail_msg("no such edge");
    return -1;
}

/* Two roofs, ridge over ridge, crossing at any angle: the normal goes from the one to the other whatever the directions
 * of the edges, and exchanging the bodies turns it round. Parallel ridges have none. */
static void ridges(void **state) {
    (void)state;
    const perp_vec3 up[6] = {{-2, -1, -1}, {-2, 1, -1}, {-2, 0, 0}, {2, -1, -1}, {2, 1, -1}, {2, 0, 0}};
    perp_vec3 down[6];
    for (int k = 0; k < 6; k++) down[k] = perp_v3(up[k].x, up[k].y, -up[k].z);
    pp_geometry *gb = geometry(perp_shape_polyhedron(up, 6), 3), *ga = geometry(perp_shape_polyhedron(down, 6), 3);
    for (int k = 0; k < 24; k++) {
        double turn = 0.2 + 0.25 * k, gap = k % 3 == 0 ? -0.01 : 0.02;
        perp_pose Y = random_pose(3, 1), X = Y;
        X.q = perp_q_mul(Y.q, perp_q_axis_angle(perp_v3(0, 0, 1), turn));
        X.p = perp_pose_apply(Y, perp_v3(0, 0, gap));
        pp_solid A = solid(ga, X), B = solid(gb, Y);
        int ea = edge_between(&A, perp_pose_apply(X, perp_v3(-2, 0, 0)), perp_pose_apply(X, perp_v3(2, 0, 0))),
            eb = edge_between(&B, perp_pose_apply(Y, perp_v3(-2, 0, 0)), perp_pose_apply(Y, perp_v3(2, 0, 0)));
        perp_vec3 n, m, into = perp_q_rotate(Y.q, perp_v3(0, 0, -1));
        if (fabs(sin(turn)) < 0.1) continue;
        assert_true(pp_edge_normal(&A, ea, &B, eb, &n));
        NEAR(apart(n, into), 0, 1e-9);
        assert_true(pp_edge_normal(&B, eb, &A, ea, &m));
        NEAR(apart(m, perp_v3_neg(into)), 0, 1e-9);
        assert_true(pp_applicable_edges(&A, ea, &B, eb, n) > 0.5);
        pp_near_features c = pp_near_features_of(&A, 0.05, &B, 0.05);
        pp_potential p, flipped;
        assert_true(pp_edge_edge(&c, ea, eb, false, &p) && pp_edge_edge(&c, ea, eb, true, &flipped));
        NEAR(p.gap, gap, 1e-9);
        assert_true(p.primary);
        NEAR(flipped.gap, -gap, 1e-9);
        assert_true(p.feature != flipped.feature);
        NEAR(apart(perp_v3_axpy(p.a_W, p.gap, p.n_W), p.b_W), 0, 1e-12); /* forces on one line */
    }
    pp_solid A = solid(ga, perp_pose_at(0, 0, 0.1)), B = solid(gb, perp_pose_at(0, 0, 0));
    perp_vec3 n;
    int ea = edge_between(&A, perp_v3(-2, 0, 0.1), perp_v3(2, 0, 0.1)),
        eb = edge_between(&B, perp_v3(-2, 0, 0), perp_v3(2, 0, 0));
    assert_false(pp_edge_normal(&A, ea, &B, eb, &n));
    pp_geometry_destroy(ga, &plain_alloc);
    pp_geometry_destroy(gb, &plain_alloc);
}

/* 3.4: "left of the edge when looking onto it from outside", that is into the left face. */
static void orientation(void **state) {
    (void)state;
    pp_geometry *g = geometry(perp_shape_box(1, 1, 1), 3);
    pp_solid s = solid(g, random_pose(3, 1));
    for (int e = 0; e < g->nedge; e++) {
        perp_vec3 o = pp_edge_orientation(&s, e), v = perp_v3_sub(s.v[g->edge[e][1]], s.v[g->edge[e][0]]);
        perp_vec3 inward = perp_v3_unit(perp_v3_cross(s.n[g->edge[e][2]], v)); /* in the left face, from the edge */
        NEAR(perp_v3_dot(o, v), 0, 1e-12);
        NEAR(perp_v3_dot(o, inward), sqrt(0.5), 1e-12);
        assert_true(perp_v3_dot(o, perp_v3_cross(v, s.n[g->edge[e][3]])) < 0); /* away from the right one */
    }
    pp_geometry_destroy(g, &plain_alloc);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(segments),      cmocka_unit_test(faces),
                                       cmocka_unit_test(applicability), cmocka_unit_test(primary),
                                       cmocka_unit_test(ridges),        cmocka_unit_test(orientation)};
    pp_arena_init(&arena, plain_alloc);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pp_arena_free(&arena);
    return failed;
}
