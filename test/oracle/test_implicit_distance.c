/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Shapes given by functions: derivatives against differences, closest points (implicit_closest.c) against support
 * functions (implicit_depth.c, another method) and against points sampled on both surfaces, mass against quadrature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/narrow/implicit_closest.h"
#include "geometry/shape/implicit_function.h"
#include "perp/shape.h"
#include "thorough.h"

#ifdef PERP_TEST_SHORT
#define PAIRS 60
#else
#define PAIRS 120
#endif

static const perp_allocator plain = {0};
static uint64_t seed = 1;

static double uniform(double lo, double hi) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return lo + (hi - lo) * (double)(seed >> 11) / 9007199254740992.0;
}

static perp_vec3 random_vector(int dim, double size) {
    return perp_v3(uniform(-size, size), uniform(-size, size), dim == 3 ? uniform(-size, size) : 0);
}

static perp_quat random_turn(int dim) {
    if (dim == 2) return perp_q_axis_angle(perp_v3(0, 0, 1), uniform(-3, 3));
    return perp_q_exp(random_vector(3, 2));
}

/* exp(x) + exp(-x) + y^2 + z^2/4 - 3: convex, of the user. */
static double bowl(perp_vec3 x, perp_vec3 *g, perp_mat3 *H, const void *ctx) {
    double s = *(const double *)ctx;
    *g = perp_v3(s * (exp(x.x) - exp(-x.x)), s * 2 * x.y, s * x.z / 2);
    *H = perp_m3_diag(s * (exp(x.x) + exp(-x.x)), 2 * s, s / 2);
    return s * (exp(x.x) + exp(-x.x) + x.y * x.y + x.z * x.z / 4 - 3);
}
static const double bowl_scale = 0.7;

enum { ELLIPSOID, SUPER, SUPER_2, CYLINDER, LENS, USER, SPHERE, CAPSULE, BOX, PARTICLE, KINDS };
static const char *const kind_name[KINDS] = {
    "ellipsoid", "superellipsoid", "superellipsoid t = 2", "cylinder", "lens", "user", "sphere", "capsule",
    "box",       "point"};

static pp_geometry *make(int dim, int kind) {
    perp_shape_def d = perp_shape_sphere(1);
    perp_vec3 h = perp_v3(uniform(0.3, 1.5), uniform(0.3, 1.5), uniform(0.3, 1.5));
    perp_function f[3] = {{.kind = PERP_FUNCTION_ELLIPSOID, .half_size = h, .X_SF = {{0.2, 0.1, 0}, {1, 0, 0, 0}}},
                          {.kind = PERP_FUNCTION_SPHERE, .radius = 1, .X_SF = {{-0.3, 0, 0}, {0}}},
                          {.kind = PERP_FUNCTION_HALFSPACE, .normal = {1, 2, 0}, .offset = 0.25}};
    perp_function user = {.kind = PERP_FUNCTION_USER, .user = bowl, .ctx = &bowl_scale};
    switch (kind) {
    case ELLIPSOID: d = perp_shape_ellipsoid(h.x, h.y, h.z); break;
    case SUPER: d = perp_shape_superellipsoid(h.x, h.y, h.z, uniform(2, 5), uniform(2.2, 5)); break;
    case SUPER_2: d = perp_shape_superellipsoid(h.x, h.y, h.z, uniform(2, 4), 2); break;
    case CYLINDER: d = perp_shape_cylinder(h.x, h.y); break;
    case LENS: d = perp_shape_intersection(f, 3, 2); break;
    case USER: d = perp_shape_intersection(&user, 1, 2.5); break;
    case CAPSULE: d = perp_shape_capsule(h.x / 2, h.y); break;
    case BOX: d = perp_shape_box(h.x, h.y, h.z); break;
    case PARTICLE: d = perp_shape_particle(perp_v3(0, 0, 0)); break;
    default: break;
    }
    pp_geometry *g;
    char why[200] = "";
    if (pp_geometry_create(&d, dim, &plain, &g, why, sizeof why)) fail_msg("%s: %s", kind_name[kind], why);
    return g;
}

static bool fits(int dim, int kind) { return dim == 3 || kind != CYLINDER; }

static void derivatives(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (!fits(dim, kind)) continue;
            pp_geometry *g = make(dim, kind);
            for (int k = 0; k < pp_function_count(g); k++)
                for (int trial = 0; trial < 20; trial++) {
                    perp_vec3 x = random_vector(dim, 1.3), grad;
                    perp_mat3 H;
                    double e = 1e-5;
                    pp_function_at(g, k, x, &grad, &H);
                    for (int i = 0; i < dim; i++) {
                        perp_vec3 u = perp_v3(i == 0, i == 1, i == 2), gp, gm;
                        double fp = pp_function_at(g, k, perp_v3_axpy(x, e, u), &gp, NULL);
                        double fm = pp_function_at(g, k, perp_v3_axpy(x, -e, u), &gm, NULL);
                        double slope = i == 0 ? grad.x : i == 1 ? grad.y : grad.z;
                        assert_true(fabs((fp - fm) / (2 * e) - slope) < 1e-7 * (1 + fabs(slope)));
                        perp_vec3 d = perp_v3_scale(1 / (2 * e), perp_v3_sub(gp, gm));
                        double off = perp_v3_norm(perp_v3_sub(d, H.c[i])), size = perp_v3_norm(H.c[i]);
                        if (kind == CAPSULE && off > 1e-3) continue; /* over the end of its segment it jumps */
                        if (!(off < 2e-4 * (1 + size)))
                            fail_msg("%s: column %d of the Hessian is off by %g of %g", kind_name[kind], i, off, size);
                    }
                }
            pp_geometry_destroy(g, &plain);
        }
}

/* A point of the surface in direction d from the origin of S. */
static perp_vec3 surface_point(const pp_geometry *g, perp_vec3 d) {
    double lo = 0, hi = 4;
    for (int k = 0; k < 50; k++) {
        double mid = (lo + hi) / 2, most = -INFINITY;
        for (int f = 0; f < pp_function_count(g); f++)
            most = fmax(most, pp_function_at(g, f, perp_v3_scale(mid, d), NULL, NULL));
        *(most <= 0 ? &lo : &hi) = mid;
    }
    return perp_v3_scale(lo, d);
}

static double least_sampled(const pp_placed *a, const pp_placed *b, int n) {
    enum { MOST = 400 };
    static perp_vec3 p[2][MOST];
    const pp_placed *s[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            p[k][i] = perp_pose_apply(s[k]->X_WS, surface_point(s[k]->g, perp_v3_unit(random_vector(a->g->dim, 1))));
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) least = fmin(least, perp_v3_norm(perp_v3_sub(p[0][i], p[1][j])));
    return least;
}

static pp_placed placed(const pp_geometry *g, perp_vec3 at, perp_quat q) {
    return (pp_placed){.g = g, .X_WS = {at, q}, .moves = true, .group = 1, .mask = 1};
}

/* Points on both surfaces, normals along the gap, and the gap that support functions know. */
static void check_pair(int dim, int ka, int kb, long *apart, long *over) {
    pp_geometry *ga = make(dim, ka), *gb = make(dim, kb);
    perp_vec3 away = perp_v3_unit(random_vector(dim, 1)), far = random_vector(dim, 50);
    pp_placed A = placed(ga, far, random_turn(dim)), B = placed(gb, far, random_turn(dim));
    /* until they are a little apart, or overlap a little */
    double wanted = uniform(-0.05, 0.3), lo = 0, hi = 6;
    for (int k = 0; k < 40; k++) {
        double mid = (lo + hi) / 2;
        B.X_WS.p = perp_v3_axpy(far, mid, away);
        *(pp_implicit_separation(&A, &B) < wanted ? &lo : &hi) = mid;
    }
    pp_closest c = {0};
    bool found = pp_closest_points(&A, &B, &c);
    double other = pp_implicit_separation(&A, &B);
    if (!found) fail_msg("%dD %s and %s, %g apart: no points found", dim, kind_name[ka], kind_name[kb], other);
    /* an overlap may have several ways out; the certificate takes the shortest */
    if (!(fabs(c.gap - other) < 2e-9) && !(other < 0 && c.gap < other))
        fail_msg("%dD %s and %s: gap %.12g, by support functions %.12g (%g was meant)", dim, kind_name[ka],
                 kind_name[kb], c.gap, other, wanted);
    for (int s = 0; s < 2; s++) {
        const pp_placed *p = s ? &B : &A;
        perp_vec3 x = perp_pose_unapply(p->X_WS, s ? c.b_W : c.a_W);
        double most = -INFINITY;
        for (int k = 0; k < pp_function_count(p->g); k++) most = fmax(most, pp_function_at(p->g, k, x, NULL, NULL));
        assert_true(fabs(most) < 1e-12 * 100); /* 50 from the origin */
    }
    if (c.gap > 0) {
        ++*apart;
        double sampled = least_sampled(&A, &B, 40);
        assert_true(sampled > c.gap - 1e-9);
    } else {
        ++*over;
    }
    /* from a pose nearby the same points */
    pp_closest warm = c;
    A.X_WS.p = perp_v3_add(A.X_WS.p, random_vector(dim, 1e-3));
    A.X_WS.q = perp_q_unit(perp_q_mul(perp_q_exp(dim == 3 ? random_vector(3, 1e-3) : perp_v3(0, 0, 1e-3)), A.X_WS.q));
    pp_closest cold = {0};
    bool both = pp_closest_points(&A, &B, &warm) && pp_closest_points(&A, &B, &cold);
    assert_true(both);
    if (cold.gap > 0) assert_true(fabs(cold.gap - warm.gap) < 1e-11);
    pp_geometry_destroy(ga, &plain);
    pp_geometry_destroy(gb, &plain);
}

static bool strictly_convex(int kind) { return kind != CYLINDER && kind != CAPSULE && kind != BOX && kind != LENS; }

static void closest_points(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        long apart = 0, over = 0;
        for (int n = 0; n < PAIRS; n++) {
            int ka = (int)uniform(0, KINDS), kb = (int)uniform(0, KINDS);
            bool slow = ka == LENS || ka == USER || kb == LENS || kb == USER;
            if (!fits(dim, ka) || !fits(dim, kb) || (!strictly_convex(ka) && !strictly_convex(kb))) continue;
            if ((ka == PARTICLE && kb == PARTICLE) || (slow && n % 20)) continue;
            check_pair(dim, ka, kb, &apart, &over);
        }
        assert_true(apart > PAIRS / 10 && over > 0); /* both kinds were met */
    }
}

/* ---- round shapes: ball, ellipsoid, superellipsoid up to the power 6, flat spots on flat spots among them ---- */

static pp_geometry *make_round(int dim, double scale) {
    static const double power[] = {2, 4, 6, 3.3};
    perp_vec3 h = perp_v3(scale * uniform(0.4, 1), scale * uniform(0.4, 1), scale * uniform(0.4, 1));
    perp_shape_def d = perp_shape_superellipsoid(h.x, h.y, h.z, power[(int)uniform(0, 4)], power[(int)uniform(0, 4)]);
    if (uniform(0, 1) < 0.2) d = perp_shape_sphere(h.x);
    if (uniform(0, 1) < 0.2) d = perp_shape_ellipsoid(h.x, h.y, h.z);
    pp_geometry *g;
    assert_int_equal(pp_geometry_create(&d, dim, &plain, &g, NULL, 0), PERP_OK);
    return g;
}

/* By any amount, down to nothing: then flat spots face each other. */
static perp_quat any_turn(int dim) {
    double size = uniform(0, 1) < 0.5 ? 2 : uniform(0, 1) < 0.3 ? 0 : pow(10, uniform(-14, -1));
    if (dim == 2) return perp_q_axis_angle(perp_v3(0, 0, 1), uniform(-size, size));
    return perp_q_exp(random_vector(3, size));
}

static perp_vec3 any_way(int dim) {
    if (uniform(0, 1) < 0.5) return perp_v3_unit(random_vector(dim, 1));
    int axis = (int)uniform(0, dim);
    perp_vec3 n = perp_v3_scale(pow(10, uniform(-14, -1)), random_vector(dim, 1));
    return perp_v3_unit(perp_v3_add(n, perp_v3(axis == 0, axis == 1, axis == 2)));
}

static double along(const pp_placed *a, const pp_placed *b, perp_vec3 n) {
    return perp_v3_dot(n, perp_v3_sub(b->X_WS.p, a->X_WS.p)) -
           pp_implicit_support(a->g, perp_q_unrotate(a->X_WS.q, n)) -
           pp_implicit_support(b->g, perp_q_unrotate(b->X_WS.q, perp_v3_neg(n)));
}

/* The conditions of closest points, each looked at by itself: on both surfaces, normals of both along n, the gap that
 * support functions tell for n, and no direction near or far with a larger one. For bodies that are apart the points say this already, since
 * their difference bounds what support functions tell for any direction; a few directions then check the support functions. */
static void check_round(int dim, const pp_placed *A, const pp_placed *B, const pp_closest *c, double scale) {
    assert_true(fabs(perp_v3_norm(c->n_W) - 1) < 1e-14);
    for (int s = 0; s < 2; s++) {
        const pp_placed *p = s ? B : A;
        perp_vec3 grad, out = s ? perp_v3_neg(c->n_W) : c->n_W;
        double f = pp_function_at(p->g, 0, perp_pose_unapply(p->X_WS, s ? c->b_W : c->a_W), &grad, NULL);
        grad = perp_v3_unit(perp_q_rotate(p->X_WS.q, grad));
        assert_true(fabs(f) < 1e-10 * scale);
        assert_true(perp_v3_norm(perp_v3_sub(grad, out)) < 1e-9);
    }
    assert_true(perp_v3_norm(perp_v3_sub(perp_v3_axpy(c->a_W, c->gap, c->n_W), c->b_W)) < 1e-10 * scale);
    assert_true(fabs(along(A, B, c->n_W) - c->gap) < 1e-10 * scale);
    for (int k = 0, directions = c->gap > 0 ? 20 : thorough() ? 300 : 100; k < directions; k++) {
        double far = k % 2 ? 0.02 : c->gap > 0 ? 3 : 0.02; /* an overlap may have other ways out */
        perp_vec3 n = perp_v3_unit(perp_v3_add(c->n_W, random_vector(dim, far * uniform(0, 1))));
        if (along(A, B, n) > c->gap + 1e-10 * scale)
            fail_msg("%dD powers %g %g and %g %g: gap %.12g, along another direction %.12g, %g", dim, A->g->exponent[0],
                     A->g->exponent[1], B->g->exponent[0], B->g->exponent[1], c->gap, along(A, B, n), far);
    }
}

static void round_pairs(void **state) {
    (void)state;
    long over = 0;
    for (int trial = 0, most = (thorough() ? 25 : 5) * PAIRS; trial < most; trial++) {
        int dim = 2 + trial % 2;
        double scale = trial % 5 ? 0.1 : pow(10, uniform(-3, 3));
        pp_geometry *ga = make_round(dim, scale), *gb = make_round(dim, scale);
        perp_vec3 away = any_way(dim);
        pp_placed A = placed(ga, random_vector(dim, scale), any_turn(dim)), B = placed(gb, A.X_WS.p, any_turn(dim));
        double least = fmin(ga->thickness, gb->thickness), wanted = uniform(-0.2, trial % 3 ? 0.2 : 4) * least;
        double touch = pp_implicit_support(ga, perp_q_unrotate(A.X_WS.q, away)) +
                       pp_implicit_support(gb, perp_q_unrotate(B.X_WS.q, perp_v3_neg(away)));
        B.X_WS.p = perp_v3_axpy(A.X_WS.p, touch + wanted, away);
        pp_closest c = {0};
        if (!pp_closest_points(&A, &B, &c))
            fail_msg("%dD trial %d: powers %g %g and %g %g, %g of the thickness apart: none found", dim, trial,
                     ga->exponent[0], ga->exponent[1], gb->exponent[0], gb->exponent[1], wanted / least);
        check_round(dim, &A, &B, &c, scale);
        if (c.gap > 0) assert_true(c.gap > wanted - 1e-12 * scale);
        over += c.gap < 0;
        /* moved a little, from the points before */
        pp_closest warm = c;
        double by = pow(10, uniform(-9, -2));
        A.X_WS.p = perp_v3_add(A.X_WS.p, random_vector(dim, by * scale));
        A.X_WS.q = perp_q_unit(perp_q_mul(perp_q_exp(dim == 3 ? random_vector(3, by) : perp_v3(0, 0, by)), A.X_WS.q));
        if (!pp_closest_points(&A, &B, &warm)) fail_msg("%dD trial %d: none found after a move by %g", dim, trial, by);
        check_round(dim, &A, &B, &warm, scale);
        /* the same seen from elsewhere, and from the other side */
        perp_pose X = {random_vector(dim, 3 * scale), random_turn(dim)};
        pp_placed TA = placed(ga, perp_v3(0, 0, 0), perp_q_identity()), TB = TA;
        TA.X_WS = perp_pose_mul(X, A.X_WS);
        TB.g = gb;
        TB.X_WS = perp_pose_mul(X, B.X_WS);
        pp_closest cold = {0}, turned = {0};
        assert_true(pp_closest_points(&A, &B, &cold) && pp_closest_points(&TB, &TA, &turned));
        if (cold.gap > 0) {
            assert_true(fabs(turned.gap - cold.gap) < 1e-11 * scale);
            assert_true(perp_v3_norm(perp_v3_add(turned.n_W, perp_q_rotate(X.q, cold.n_W))) < 1e-7);
        }
        pp_geometry_destroy(ga, &plain);
        pp_geometry_destroy(gb, &plain);
    }
    assert_true(over > PAIRS);
}

static void round_over_plane(void **state) {
    (void)state;
    for (int trial = 0, most = (thorough() ? 25 : 5) * PAIRS; trial < most; trial++) {
        int dim = 2 + trial % 2;
        pp_geometry *g = make_round(dim, 1), *gh;
        perp_vec3 up = any_way(dim);
        perp_shape_def h = perp_shape_halfspace(up, uniform(-1, 1));
        assert_int_equal(pp_geometry_create(&h, dim, &plain, &gh, NULL, 0), PERP_OK);
        pp_placed P = placed(gh, random_vector(dim, 1), trial % 3 ? perp_q_identity() : random_turn(dim));
        pp_placed B = placed(g, random_vector(dim, 3), any_turn(dim));
        bool first = trial % 2;
        pp_closest c = {0};
        assert_true(pp_closest_points(first ? &P : &B, first ? &B : &P, &c));
        assert_true(fabs(c.gap - pp_implicit_separation(&P, &B)) < 1e-14 * 10);
        perp_vec3 n = first ? c.n_W : perp_v3_neg(c.n_W), x = first ? c.b_W : c.a_W, grad;
        double f = pp_function_at(g, 0, perp_pose_unapply(B.X_WS, x), &grad, NULL);
        assert_true(fabs(f) < 1e-13);
        assert_true(perp_v3_norm(perp_v3_add(n, perp_v3_unit(perp_q_rotate(B.X_WS.q, grad)))) < 1e-13);
        pp_geometry_destroy(g, &plain);
        pp_geometry_destroy(gh, &plain);
    }
}

/* The nearest point of an ellipse to a plane is where its normal says: closed form. */
static void ellipse_over_plane(void **state) {
    (void)state;
    perp_shape_def e = perp_shape_ellipsoid(2, 0.5, 1), h = perp_shape_halfspace(perp_v3(0, 1, 0), 0.25);
    pp_geometry *ge, *gh;
    assert_int_equal(pp_geometry_create(&e, 2, &plain, &ge, NULL, 0), PERP_OK);
    assert_int_equal(pp_geometry_create(&h, 2, &plain, &gh, NULL, 0), PERP_OK);
    for (int k = 0; k < 20; k++) {
        double t = 0.3 * k, y = 0.2 * k - 1;
        pp_placed A = placed(gh, perp_v3(0, 0, 0), perp_q_identity());
        pp_placed B = placed(ge, perp_v3(3, y, 0), perp_q_axis_angle(perp_v3(0, 0, 1), t));
        pp_closest c = {0};
        assert_true(pp_closest_points(&A, &B, &c));
        double down = sqrt(4 * sin(t) * sin(t) + 0.25 * cos(t) * cos(t));
        assert_true(fabs(c.gap - (y - 0.25 - down)) < 1e-14 * 10);
        assert_true(fabs(c.n_W.y - 1) < 1e-15 * 10 && fabs(c.a_W.y - 0.25) < 1e-14);
    }
    pp_geometry_destroy(ge, &plain);
    pp_geometry_destroy(gh, &plain);
}

/* Mass, and moments of x^2, y^2, z^2 by slices: midpoint rule on a fine grid. */
static void masses(void **state) {
    (void)state;
    const perp_shape_def d[] = {perp_shape_ellipsoid(0.7, 1.1, 0.4), perp_shape_superellipsoid(0.7, 1.1, 0.4, 3, 5),
                                perp_shape_cylinder(0.6, 0.9), perp_shape_superellipsoid(0.8, 0.5, 0.9, 8, 2)};
    for (size_t k = 0; k < sizeof d / sizeof *d; k++) {
        pp_geometry *g;
        assert_int_equal(pp_geometry_create(&d[k], 3, &plain, &g, NULL, 0), PERP_OK);
        enum { N = 60 };
        const perp_quat askew = perp_q_exp(perp_v3(0.3, 0.5, 0.2));
        double sum = 0, xx = 0, yy = 0, zz = 0, w = 2 * g->bound / N;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int l = 0; l < N; l++) {
                    perp_vec3 at =
                        perp_v3((i + 0.5) * w - g->bound, (j + 0.5) * w - g->bound, (l + 0.5) * w - g->bound);
                    perp_vec3 x = perp_q_rotate(askew, at); /* flat sides must not lie along the grid */
                    double most = -INFINITY;
                    for (int f = 0; f < pp_function_count(g); f++)
                        most = fmax(most, pp_function_at(g, f, x, NULL, NULL));
                    if (most > 0) continue;
                    sum += w * w * w;
                    xx += w * w * w * x.x * x.x;
                    yy += w * w * w * x.y * x.y;
                    zz += w * w * w * x.z * x.z;
                }
        perp_mass m;
        assert_int_equal(perp_shape_mass(&d[k], 3, 1, &m, NULL, 0), PERP_OK);
        assert_true(fabs(m.mass - sum) < 0.01 * sum);
        assert_true(fabs(m.I_B.c[0].x - yy - zz) < 0.015 * (yy + zz));
        assert_true(fabs(m.I_B.c[1].y - xx - zz) < 0.015 * (xx + zz));
        assert_true(fabs(m.I_B.c[2].z - xx - yy) < 0.015 * (xx + yy));
        pp_geometry_destroy(g, &plain);
    }
    /* powers of 2 make the ellipsoid */
    const perp_shape_def e = perp_shape_ellipsoid(0.7, 1.1, 0.4), s = perp_shape_superellipsoid(0.7, 1.1, 0.4, 2, 2);
    for (int dim = 2; dim <= 3; dim++) {
        perp_mass me, ms;
        assert_int_equal(perp_shape_mass(&e, dim, 3, &me, NULL, 0), PERP_OK);
        assert_int_equal(perp_shape_mass(&s, dim, 3, &ms, NULL, 0), PERP_OK);
        assert_true(fabs(me.mass - ms.mass) < 1e-13 * me.mass);
        for (int c = 0; c < 3; c++) assert_true(perp_v3_norm(perp_v3_sub(me.I_B.c[c], ms.I_B.c[c])) < 1e-13 * me.mass);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives),        cmocka_unit_test(closest_points),
                                       cmocka_unit_test(round_pairs),        cmocka_unit_test(round_over_plane),
                                       cmocka_unit_test(ellipse_over_plane), cmocka_unit_test(masses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
