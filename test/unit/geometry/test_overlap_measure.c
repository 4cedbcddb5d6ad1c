/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_overlap_measure.c - areas and volumes of intersections: closed forms, parts that add up to the whole, invariance */
#include "unit/collision_help.h"

#include <stdlib.h>

#include "geometry/measure/overlap_measure.h"
#include "perp/world.h"

#ifdef PERP_TEST_SHORT
#define TRIALS(n) ((n) / 5)
#else
#define TRIALS(n) (n)
#endif

static pp_arena arena;

static void near(double a, double b, double tol) {
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g is not %.17g to %g", a, b, tol);
}

static double measure(const pp_geometry *a, perp_pose X, const pp_geometry *b, perp_pose Y) {
    pp_placed p = put(a, X, 0, 0), q = put(b, Y, 0, 1);
    double m = -1, n = -1;
    assert_int_equal(pp_overlap_measure(&p, &q, &arena, &m), PERP_OK);
    assert_int_equal(pp_overlap_measure(&q, &p, &arena, &n), PERP_OK);
    assert_true(m >= 0 && isfinite(m));
    near(m, n, 1e-11 * (1 + m)); /* in either order */
    return m;
}

static pp_geometry *make_capsule(int dim, double r, double h) {
    perp_shape_def d = perp_shape_capsule(r, h);
    return make(&d, dim);
}

static void drop(pp_geometry *g) { pp_geometry_destroy(g, &plain_alloc); }

static void polytopes(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        pp_geometry *a = make_box(dim, 1, 0.5, 0.25), *b = make_box(dim, 0.5, 0.5, 0.5);
        double deep = dim == 3 ? 0.5 : 1; /* extent along z of the intersection */
        near(measure(a, perp_pose_identity(), b, perp_pose_at(1.4, 0, 0)), 0.1 * 1 * deep, 1e-15);
        near(measure(a, perp_pose_identity(), b, perp_pose_at(1.25, 0.75, 0)), 0.25 * 0.25 * deep, 1e-15);
        near(measure(a, perp_pose_identity(), b, perp_pose_identity()), 1 * 1 * deep, 1e-15);
        near(measure(a, perp_pose_identity(), a, perp_pose_identity()), 2 * 1 * deep, 1e-15); /* every face shared */
        near(measure(a, perp_pose_identity(), b, perp_pose_at(1.5, 0, 0)), 0, 1e-15);         /* faces touch */
        near(measure(a, perp_pose_identity(), b, perp_pose_at(5, 0, 0)), 0, 0);
        /* two squares (bars) of one centre turned by 45 degrees: an octagon of inradius 1/2 */
        perp_pose turned = perp_pose_2d(0, 0, PI / 4);
        near(measure(b, perp_pose_identity(), b, turned), 2 * (sqrt(2) - 1), 1e-15);
        pp_geometry *h = make_plane(dim, perp_v3(1, 0, 0), 0.3);
        near(measure(a, perp_pose_identity(), h, perp_pose_identity()), 1.3 * 1 * deep, 1e-15);
        perp_pose tilted = perp_pose_2d(0, 0, 0.3); /* through the centre: half of it */
        pp_geometry *middle = make_plane(dim, perp_v3(1, 0, 0), 0);
        near(measure(a, perp_pose_identity(), middle, tilted), 1 * 1 * deep, 1e-15);
        drop(a), drop(b), drop(h), drop(middle);
    }
}

/* Parts of balls and discs that are known. */
static void balls(void **state) {
    (void)state;
    double r = 0.7, ball = 4 * PI / 3 * r * r * r, disc = PI * r * r;
    pp_geometry *s = make_sphere(3, r), *cube = make_box(3, 2, 2, 2), *h = make_plane(3, perp_v3(0, 0, 1), 0);
    perp_pose O = perp_pose_identity();
    near(measure(s, perp_pose_at(0, 0, 0), cube, O), ball, 1e-14);
    near(measure(s, perp_pose_at(2, 0, 0), cube, O), ball / 2, 1e-14);
    near(measure(s, perp_pose_at(2, -2, 0), cube, O), ball / 4, 1e-14);
    near(measure(s, perp_pose_at(2, -2, 2), cube, O), ball / 8, 1e-14);
    for (int k = -8; k <= 8; k++) { /* caps */
        double in = r * (1 + k / 8.), cap = PI * in * in * (3 * r - in) / 3;
        near(measure(s, perp_pose_at(0, 0, r - in), h, O), cap, 1e-14);
        near(measure(s, perp_pose_at(2 + r - in, 0.3, -0.2), cube, O), cap, 1e-14);
    }
    pp_geometry *small = make_box(3, 0.1, 0.2, 0.3), *big = make_sphere(3, 1);
    near(measure(big, perp_pose_at(0.1, 0.2, 0), small, O), 8 * 0.1 * 0.2 * 0.3, 1e-15);
    /* the lens of two balls is two caps; and one inside the other */
    for (int k = 1; k < 10; k++) {
        double d = 0.3 + 1.4 * k / 10, x = (d * d + 1 - r * r) / (2 * d), ca = 1 - x, cb = r - (d - x);
        near(measure(big, O, s, perp_pose_at(0, d, 0)), PI * ca * ca * (3 - ca) / 3 + PI * cb * cb * (3 * r - cb) / 3,
             1e-14);
    }
    near(measure(big, O, s, perp_pose_at(0.3, 0, 0)), ball, 1e-15);
    double thin = 1e-9, lens = measure(big, O, big, perp_pose_at(0, 2 - thin, 0)); /* PI (R/2) t^2, to first order */
    near(lens / (PI * thin * thin / 2), 1, 1e-6);
    pp_geometry *d2 = make_sphere(2, r), *square = make_box(2, 2, 2, 0), *line = make_plane(2, perp_v3(0, 1, 0), 0);
    near(measure(d2, perp_pose_at(0, 0, 0), square, O), disc, 1e-14);
    near(measure(d2, perp_pose_at(2, 0, 0), square, O), disc / 2, 1e-14);
    near(measure(d2, perp_pose_at(2, 2, 0), square, O), disc / 4, 1e-14);
    for (int k = -7; k <= 7; k++) { /* segments */
        double y = r * k / 8., seg = r * r * acos(y / r) - y * sqrt(r * r - y * y);
        near(measure(d2, perp_pose_at(0, y, 0), line, O), seg, 1e-14);
        near(measure(d2, perp_pose_at(0, 2 * y, 0), d2, O),
             2 * r * r * acos(fabs(y) / r) - 2 * fabs(y) * sqrt(r * r - y * y), 1e-14);
    }
    drop(s), drop(cube), drop(h), drop(small), drop(big), drop(d2), drop(square), drop(line);
}

static void capsules(void **state) {
    (void)state;
    double r = 0.4, l = 1.5; /* half length of the axis, which is along x */
    perp_pose O = perp_pose_identity(), up = {{0, 0, 0}, perp_q_axis_angle(perp_v3(0, 0, 1), PI / 2)};
    pp_geometry *c = make_capsule(3, r, l), *h = make_plane(3, perp_v3(0, 0, 1), 0), *bar = make_box(3, 9, 9, 9);
    double whole = 2 * l * PI * r * r + 4 * PI / 3 * r * r * r;
    near(measure(c, perp_pose_at(0, 0, -5), h, O), whole, 1e-14);
    near(measure(c, O, bar, O), whole, 1e-14);
    for (int k = -7; k <= 7; k++) { /* lying in the plane: segments of the cylinder and the cap of a ball */
        double z = r * k / 8., seg = r * r * acos(z / r) - z * sqrt(r * r - z * z),
               cap = PI * (r - z) * (r - z) * (2 * r + z) / 3;
        near(measure(c, perp_pose_at(0.1, 7, z), h, perp_pose_identity()), 2 * l * seg + cap, 1e-14);
    }
    pp_geometry *wall = make_plane(3, perp_v3(1, 0, 0), 0); /* across it */
    near(measure(c, perp_pose_at(1, 0, 0), wall, O), (l - 1) * PI * r * r + 2 * PI / 3 * r * r * r, 1e-14);
    near(measure(c, perp_pose_at(l + r / 2, 0, 0), wall, O), PI * r * r / 4 * (3 * r - r / 2) / 3, 1e-14);
    /* Steinmetz: two cylinders that cross at an angle share 16 r^3/(3 sin) */
    for (int k = 1; k <= 3; k++) {
        perp_pose Y = {{0.1, 0.05, 0}, perp_q_axis_angle(perp_v3(0, 0, 1), PI / 2 * k / 3 + (k == 1 ? 0.3 : 0))};
        double angle = PI / 2 * k / 3 + (k == 1 ? 0.3 : 0);
        near(measure(c, O, c, Y), 16 * r * r * r / (3 * sin(angle)), 1e-10);
    }
    near(measure(c, O, c, perp_pose_mul(perp_pose_at(0, 0, 2.01 * r), up)), 0, 0);
    /* side by side: lens of discs along the bar, lens of balls at the ends */
    double d = 0.5, lens2 = 2 * r * r * acos(d / (2 * r)) - d / 2 * sqrt(4 * r * r - d * d);
    double in = 2 * r - d, lens3 = PI * in * in * (d + 4 * r) / 12;
    near(measure(c, O, c, perp_pose_at(0, 0.3, 0.4)), 2 * l * lens2 + lens3, 1e-11);
    /* in line: what they share is a capsule too */
    near(measure(c, O, c, perp_pose_at(2, 0, 0)), PI * r * r + 4 * PI / 3 * r * r * r, 1e-11);
    pp_geometry *s = make_sphere(3, r), *huge = make_sphere(3, 3);
    near(measure(c, O, s, perp_pose_at(0.3, 0, 0)), 4 * PI / 3 * r * r * r, 1e-11);
    near(measure(c, O, huge, perp_pose_at(0, 0.2, 0.1)), whole, 1e-11);
    near(measure(c, O, s, perp_pose_at(0, d, 0)), measure(c, O, s, perp_pose_at(0.2, 0, d)), 1e-11);
    /* beside an end: a ball with a ball, as far as the half of it that is beyond the bar */
    near(measure(c, O, s, perp_pose_at(l + d, 0, 0)), PI * in * in * (d + 4 * r) / 12, 1e-11);
    pp_geometry *c2 = make_capsule(2, r, l), *disc = make_sphere(2, r), *box2 = make_box(2, 9, 9, 0);
    near(measure(c2, O, box2, O), 4 * l * r + PI * r * r, 1e-14);
    near(measure(c2, O, box2, perp_pose_at(9, 0, 0)), 2 * l * r + PI * r * r / 2, 1e-14);
    near(measure(c2, O, disc, perp_pose_at(0.2, 0, 0)), PI * r * r, 1e-14);
    near(measure(c2, O, disc, perp_pose_at(l + d, 0, 0)), lens2, 1e-14);
    near(measure(c2, O, c2, up), 4 * r * r, 1e-14);
    near(measure(c2, O, c2, perp_pose_at(2, 0, 0)), 2 * r + PI * r * r, 1e-14);
    near(measure(c2, O, c2, perp_pose_at(0, d, 0)), 2 * l * (2 * r - d) + lens2, 1e-14);
    drop(c), drop(h), drop(bar), drop(wall), drop(s), drop(huge), drop(c2), drop(disc), drop(box2);
}

/* Any shape of bounded size. Its measure is computed from its mass. */
static pp_geometry *any_shape(int dim, int kind, double *whole) {
    perp_vec3 at[14];
    perp_shape_def d;
    if (kind == 0)
        d = perp_shape_sphere(uniform(0.3, 1));
    else if (kind == 1)
        d = perp_shape_capsule(uniform(0.2, 0.6), uniform(0.2, 1));
    else if (kind == 2)
        d = perp_shape_box(uniform(0.3, 1), uniform(0.3, 1), uniform(0.3, 1));
    else {
        int n = 6 + (int)uniform(0, 8);
        for (int k = 0; k < n; k++) {
            at[k] = perp_v3_scale(uniform(0.5, 1), random_unit(dim));
            if (dim == 2) at[k].z = 0;
        }
        d = dim == 2 ? perp_shape_polygon(at, n) : perp_shape_polyhedron(at, n);
    }
    perp_mass m;
    char why[128];
    assert_int_equal(perp_shape_mass(&d, dim, 1, &m, why, sizeof why), PERP_OK);
    *whole = m.mass;
    return make(&d, dim);
}

/* A shape and the two sides of a plane; a shape and the two halves of a box, or the eight of it. */
static void parts_add_up(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS(600); trial++) {
        int dim = 2 + trial % 2;
        double whole;
        pp_geometry *g = any_shape(dim, trial / 2 % 4, &whole);
        perp_pose X = random_pose(dim, 0.5), Y = random_pose(dim, 0.5);
        perp_vec3 n = random_unit(dim);
        double offset = uniform(-0.7, 0.7);
        pp_geometry *side = make_plane(dim, n, offset), *other = make_plane(dim, perp_v3_neg(n), -offset);
        near(measure(g, X, side, Y) + measure(g, X, other, Y), whole, 1e-13);
        double hx = uniform(0.2, 1.2), hy = uniform(0.2, 1.2), hz = uniform(0.2, 1.2), cut = uniform(-hx, hx), sum = 0;
        pp_geometry *box = make_box(dim, hx, hy, hz);
        for (int k = 0; k < 8; k++) {
            if (dim == 2 && k & 4) continue;
            double x0 = k & 1 ? -hx : cut, x1 = k & 1 ? cut : hx, y0 = k & 2 ? -hy : 0.1 * hy,
                   y1 = k & 2 ? 0.1 * hy : hy;
            double z0 = k & 4 ? -hz : 0, z1 = k & 4 ? 0 : hz;
            perp_pose at = perp_pose_mul(Y, perp_pose_at((x0 + x1) / 2, (y0 + y1) / 2, dim == 2 ? 0 : (z0 + z1) / 2));
            pp_geometry *part = make_box(dim, (x1 - x0) / 2, (y1 - y0) / 2, (z1 - z0) / 2);
            sum += measure(g, X, part, at);
            drop(part);
        }
        near(sum, measure(g, X, box, Y), 1e-13);
        drop(g), drop(side), drop(other), drop(box);
    }
}

/* Overlap does not depend on the place of the pair, and it exists exactly if the depth is positive. */
static void invariance(void **state) {
    (void)state;
    int apart = 0, quadratures = 0;
    for (int trial = 0; trial < TRIALS(500); trial++) {
        int dim = 2 + trial % 2, ka = trial / 2 % 4, kb = trial / 8 % 4;
        double va, vb;
        pp_geometry *a = any_shape(dim, ka, &va), *b = any_shape(dim, kb, &vb);
        bool quadrature = dim == 3 && ka <= 1 && kb <= 1 && ka + kb > 0;
        quadratures += quadrature;
        perp_pose X = random_pose(dim, 0.7), Y = random_pose(dim, 0.7), M = random_pose(dim, 10);
        double m = measure(a, X, b, Y), n = measure(a, perp_pose_mul(M, X), b, perp_pose_mul(M, Y));
        near(m, n, quadrature ? 1e-10 : 2e-13);
        assert_true(m <= fmin(va, vb) * (1 + 1e-10));
        pp_placed p = put(a, X, 0, 0), q = put(b, Y, 0, 1);
        double s = pp_separation(&p, &q);
        if (s > 0) near(m, 0, 1e-13);
        if (s < -1e-3) assert_true(m > 1e-9);
        apart += s > 0;
        near(measure(a, X, a, X), va, quadrature ? 1e-10 : 1e-12); /* with itself: all of it */
        drop(a), drop(b);
    }
    assert_true(apart > TRIALS(500) / 20 && quadratures > TRIALS(500) / 20);
}

/* A shape that is split into layers by parallel planes, layer by layer: the growth of the volume with the offset of a
 * half-space is the area of the cut, so it never falls and its second difference is small. */
static void grows_with_depth(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS(60); trial++) {
        int dim = 2 + trial % 2;
        double whole, before = 0;
        pp_geometry *g = any_shape(dim, trial / 2 % 4, &whole);
        perp_pose X = random_pose(dim, 0.1);
        perp_vec3 n = random_unit(dim);
        for (int k = -40; k <= 40; k++) {
            pp_geometry *h = make_plane(dim, n, k / 20.);
            double m = measure(g, X, h, perp_pose_identity());
            assert_true(m >= before - 1e-14);
            before = m;
            drop(h);
        }
        near(before, whole, 1e-13);
        drop(g);
    }
}

static void in_a_world(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def wd = perp_world_def_default(dim);
        perp_world *w;
        assert_int_equal(perp_world_create(&wd, &w), PERP_OK);
        double total = -1, deepest = -1, side = dim == 2 ? 1 : 1;
        assert_int_equal(perp_world_overlap_total(w, &total, &deepest), PERP_OK);
        assert_true(total == 0 && deepest == 0);
        perp_shape_def box = perp_shape_box(0.5, 0.5, 0.5), ground = perp_shape_halfspace(perp_v3(0, 1, 0), 0);
        for (int k = 0; k < 50; k++) { /* a row of boxes, neighbours 0.01 deep, all 0.002 in the ground */
            perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
            bd.X_WB = perp_pose_at(0.99 * k, 0.498, 0);
            perp_body_id b;
            assert_int_equal(perp_body_add(w, &bd, &b), PERP_OK);
            assert_int_equal(perp_shape_add(w, b, &box, NULL), PERP_OK);
        }
        perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_body_id f;
        assert_int_equal(perp_body_add(w, &floor, &f), PERP_OK);
        assert_int_equal(perp_shape_add(w, f, &ground, NULL), PERP_OK);
        assert_int_equal(perp_world_overlap_total(w, &total, &deepest), PERP_OK);
        near(total, 49 * 0.01 * side + 50 * 0.002 * side, 1e-12);
        near(deepest, 0.01, 1e-14);
        assert_true(deepest == perp_world_overlap(w));
        assert_int_equal(perp_world_overlap_total(w, NULL, NULL), PERP_OK);
        perp_world_destroy(w);
    }
}

typedef struct counting {
    int left;
} counting;
static void *count_alloc(size_t size, void *ctx) {
    counting *c = ctx;
    return c->left-- == 0 ? NULL : malloc(size);
}
static void count_free(void *p, void *ctx) {
    (void)ctx;
    free(p);
}

/* Refused memory is said, not guessed around. */
static void refused_memory(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int ka = 0; ka < 4; ka++)
            for (int kb = 0; kb < 4; kb++) {
                double va, vb;
                pp_geometry *a = any_shape(dim, ka, &va), *b = any_shape(dim, kb, &vb);
                pp_placed p = put(a, perp_pose_identity(), 0, 0), q = put(b, perp_pose_at(0.2, 0.1, 0), 0, 1);
                perp_status st = PERP_E_MEMORY;
                for (int k = 0; st; k++) {
                    counting c = {k};
                    pp_arena mine;
                    pp_arena_init(&mine, (perp_allocator){count_alloc, count_free, &c});
                    double m;
                    st = pp_overlap_measure(&p, &q, &mine, &m);
                    assert_true(st == PERP_OK ? isfinite(m) : st == PERP_E_MEMORY && isinf(m));
                    pp_arena_free(&mine);
                    assert_true(k < 100);
                }
                drop(a), drop(b);
            }
}

static int set_up(void **state) {
    (void)state;
    pp_arena_init(&arena, plain_alloc);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    pp_arena_free(&arena);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(polytopes),        TEST(balls),      TEST(capsules),       TEST(parts_add_up), TEST(invariance),
        TEST(grows_with_depth), TEST(in_a_world), TEST(refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
