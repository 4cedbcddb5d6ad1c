/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_math.c - rotations, frames, 3x3 matrices, inertia, torque-free rotation */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/turn_free.h"
#include "perp/math.h"

#define PI 3.14159265358979323846

static uint64_t seed = 1;
/* Uniform in (-1, 1); the same numbers in every run. */
static double rnd(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}
static perp_vec3 rnd_vec(void) {
    double x = rnd(), y = rnd(), z = rnd();
    return perp_v3(x, y, z);
}
static perp_vec3 rnd_unit(void) {
    perp_vec3 v = rnd_vec();
    while (perp_v3_norm(v) > 1 || perp_v3_norm(v) < 0.1) v = rnd_vec();
    return perp_v3_unit(v);
}
static perp_quat rnd_quat(void) {
    perp_vec3 axis = rnd_unit();
    return perp_q_axis_angle(axis, PI * rnd());
}

static double v_dist(perp_vec3 a, perp_vec3 b) { return perp_v3_norm(perp_v3_sub(a, b)); }
static double m_dist(perp_mat3 a, perp_mat3 b) {
    double d = 0;
    for (int j = 0; j < 3; j++) d = fmax(d, v_dist(a.c[j], b.c[j]));
    return d;
}
/* Distance of two quaternions as rotations: q and -q are the same. */
static double q_dist(perp_quat a, perp_quat b) {
    double s = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
    perp_quat d = {a.w - s * b.w, a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
    return perp_q_norm(d);
}
static perp_mat3 outer(perp_mat3 V, perp_vec3 lambda) { /* V diag(lambda) V^T */
    return perp_m3_mul(perp_m3_mul(V, perp_m3_diag(lambda.x, lambda.y, lambda.z)), perp_m3_transpose(V));
}
#define SMALL(x, bound) assert_true(fabs(x) <= (bound)) /* false for NaN */

static void test_exp_log(void **state) {
    (void)state;
    const double angle[] = {0,   1e-300, 1e-160, 1e-30, 1e-12,     1e-8,      1e-5,       9.99e-3, 1.0001e-2,
                            0.1, 1,      2,      3,     PI - 1e-3, PI - 1e-8, PI - 1e-14, PI};
    for (size_t k = 0; k < sizeof angle / sizeof *angle; k++) {
        for (int i = 0; i < 50; i++) {
            perp_vec3 axis = rnd_unit(), phi = perp_v3_scale(angle[k], axis);
            perp_quat q = perp_q_exp(phi);
            SMALL(perp_q_norm(q) - 1, 4e-16);
            perp_vec3 back = perp_q_log(q);
            /* At pi the axis may come back turned round: the same rotation. */
            double err = fmin(v_dist(back, phi), angle[k] > PI - 1e-13 ? v_dist(back, perp_v3_neg(phi)) : 1e9);
            SMALL(err, 2e-15 * angle[k]); /* relative, also for the tiniest angles */
            assert_true(perp_v3_norm(back) <= PI * (1 + 4e-16));
            perp_quat minus = {-q.w, -q.x, -q.y, -q.z};
            if (angle[k] < PI - 1e-13) SMALL(v_dist(perp_q_log(minus), back), 0);
        }
    }
    perp_quat one = perp_q_exp(perp_v3(0, 0, 0));
    assert_true(one.w == 1 && one.x == 0 && one.y == 0 && one.z == 0);
    perp_vec3 zero = perp_q_log(one);
    assert_true(zero.x == 0 && zero.y == 0 && zero.z == 0);
    /* Angles beyond pi come back the short way. */
    SMALL(v_dist(perp_q_log(perp_q_exp(perp_v3(0, 0, 5))), perp_v3(0, 0, 5 - 2 * PI)), 2e-15);
}

/* exp(phi) turns v as Rodrigues' formula says. */
static void test_exp_meaning(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        perp_vec3 k = rnd_unit(), v = rnd_vec();
        double a = 3 * rnd();
        perp_vec3 kxv = perp_v3_cross(k, v);
        perp_vec3 expect = perp_v3_axpy(perp_v3_axpy(v, sin(a), kxv), 1 - cos(a), perp_v3_cross(k, kxv));
        SMALL(v_dist(perp_q_rotate(perp_q_exp(perp_v3_scale(a, k)), v), expect), 2e-15);
        SMALL(v_dist(perp_q_rotate(perp_q_axis_angle(perp_v3_scale(7, k), a), v), expect), 2e-15);
    }
    perp_quat q = perp_q_axis_angle(perp_v3(0, 0, 0), 1);
    assert_true(q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0);
    q = perp_q_axis_angle(perp_v3(0, 1e-200, 0), 1); /* only the direction counts */
    SMALL(q_dist(q, perp_q_exp(perp_v3(0, 1, 0))), 2e-16);
    q = perp_q_axis_angle(perp_v3(0, 0, -1e200), 1);
    SMALL(q_dist(q, perp_q_exp(perp_v3(0, 0, -1))), 2e-16);
}

static void test_matrix_of_quat(void **state) {
    (void)state;
    for (int i = 0; i < 500; i++) {
        perp_quat q = rnd_quat();
        if (i % 5 == 1) q = perp_q_exp(perp_v3_scale(PI, rnd_unit())); /* half turns: w = 0 */
        if (i % 5 == 2) q = perp_q_exp(perp_v3_scale(PI, perp_v3(i % 3 == 0, i % 3 == 1, i % 3 == 2)));
        perp_mat3 R = perp_q_matrix(q);
        perp_vec3 v = rnd_vec();
        SMALL(v_dist(perp_m3_mul_v(R, v), perp_q_rotate(q, v)), 2e-15);
        SMALL(v_dist(perp_m3_tmul_v(R, v), perp_q_unrotate(q, v)), 2e-15);
        SMALL(m_dist(perp_m3_mul(R, perp_m3_transpose(R)), perp_m3_diag(1, 1, 1)), 2e-15);
        perp_quat back = perp_q_from_matrix(R);
        assert_true(back.w >= 0);
        SMALL(perp_q_norm(back) - 1, 4e-16);
        SMALL(q_dist(back, q), 1e-15);
    }
    double r = sqrt(0.5); /* a quarter turn about z: not exact as a quaternion, but its zeros are */
    perp_mat3 R = perp_q_matrix((perp_quat){r, 0, 0, r});
    assert_true(R.c[0].x == 0 && R.c[1].y == 0 && R.c[0].z == 0 && R.c[2].x == 0 && R.c[1].z == 0 && R.c[2].y == 0);
    SMALL(R.c[2].z - 1, 3e-16);
    SMALL(R.c[0].y - 1, 3e-16);
    SMALL(R.c[1].x + 1, 3e-16);
}

static void test_frame(void **state) {
    (void)state;
    perp_vec3 t, o;
    perp_vec3 odd = {0.173, 0.689, 0.704}; /* a(n) = n: the direction where no t is better than another */
    for (int k = 0; k < 300; k++) {
        double c = odd.z * odd.z;
        odd = perp_v3_unit(perp_v3_add(odd, perp_v3_unit(perp_v3(0.5 * c * (1 - c), c, 1 - c))));
    }
    for (int i = 0; i < 5000; i++) {
        perp_vec3 n = rnd_unit();
        if (i % 4 == 0) n = perp_v3_unit(perp_v3_axpy(odd, pow(0.1, i % 17), rnd_vec()));
        perp_v3_frame(n, &t, &o);
        SMALL(perp_v3_norm(t) - 1, 1e-15);
        SMALL(perp_v3_norm(o) - 1, 1e-15);
        SMALL(perp_v3_dot(n, t), 1e-15);
        SMALL(perp_v3_dot(n, o), 1e-15);
        SMALL(v_dist(perp_v3_cross(n, t), o), 1e-15); /* right-handed */
        perp_vec3 t2, o2;
        perp_v3_frame(n, &t2, &o2);
        assert_memory_equal(&t, &t2, sizeof t);
        perp_v3_frame(perp_v3_neg(n), &t2, &o2);
        SMALL(v_dist(t2, perp_v3_neg(t)), 0);
    }
    for (int i = 0; i < 200; i++) { /* the plane's rule, to the bit, and continuous across it */
        double a = 0.1 * i;
        perp_vec3 n = {cos(a), sin(a), 0};
        perp_v3_frame(n, &t, &o);
        assert_true(t.x == -n.y && t.y == n.x && t.z == 0 && o.x == 0 && o.y == 0 && o.z == 1);
        perp_vec3 t2, o2;
        perp_v3_frame(perp_v3_unit(perp_v3(n.x, n.y, i % 2 ? 1e-9 : -1e-9)), &t2, &o2);
        SMALL(v_dist(t, t2), 3e-9);
        SMALL(v_dist(o, o2), 3e-9);
    }
    for (int s = -1; s <= 1; s += 2) { /* axes are exact */
        perp_v3_frame(perp_v3(0, 0, s), &t, &o);
        assert_true(t.x == s && t.y == 0 && t.z == 0 && o.x == 0 && o.y == 1 && o.z == 0);
        perp_v3_frame(perp_v3(s, 0, 0), &t, &o);
        assert_true(t.x == 0 && t.y == s && t.z == 0 && o.z == 1);
        perp_v3_frame(perp_v3(0, s, 0), &t, &o);
        assert_true(t.x == -s && t.y == 0 && t.z == 0 && o.z == 1);
    }
    for (int i = 0; i < 100; i++) { /* a floor that is nearly level has nearly the frame of the level one */
        perp_v3_frame(perp_v3_unit(perp_v3(1e-6 * rnd(), 1e-6 * rnd(), 1)), &t, &o);
        SMALL(v_dist(t, perp_v3(1, 0, 0)), 1e-5);
        SMALL(v_dist(o, perp_v3(0, 1, 0)), 1e-5);
    }
}

static void test_inverse(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        perp_mat3 m = {{rnd_vec(), rnd_vec(), rnd_vec()}};
        m = perp_m3_add(m, perp_m3_diag(3, -3, 3)); /* regular, not symmetric */
        SMALL(m_dist(perp_m3_mul(m, perp_m3_inverse(m)), perp_m3_diag(1, 1, 1)), 2e-14);
        SMALL(m_dist(perp_m3_mul(perp_m3_inverse(m), m), perp_m3_diag(1, 1, 1)), 2e-14);
    }
    perp_mat3 d = perp_m3_inverse(perp_m3_diag(2, 4, -8));
    assert_true(d.c[0].x == 0.5 && d.c[1].y == 0.25 && d.c[2].z == -0.125);
    assert_false(perp_v3_finite(perp_m3_inverse(perp_m3_diag(1, 0, 1)).c[1]));
}

static void check_eigen(perp_mat3 m, double scale) {
    perp_mat3 V;
    perp_vec3 l = perp_m3_eigen(m, &V), l2 = perp_m3_eigen(m, NULL);
    assert_memory_equal(&l, &l2, sizeof l);
    assert_true(l.x <= l.y && l.y <= l.z);
    SMALL(m_dist(perp_m3_mul(perp_m3_transpose(V), V), perp_m3_diag(1, 1, 1)), 3e-15);
    SMALL(perp_v3_dot(perp_v3_cross(V.c[0], V.c[1]), V.c[2]) - 1, 3e-15); /* a rotation */
    SMALL(m_dist(outer(V, l), m), 4e-15 * scale);
}

static void test_eigen(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++) { /* random, of both signs, and with one eigenvalue far from the others */
        perp_mat3 R = perp_q_matrix(rnd_quat());
        perp_vec3 l = {rnd(), rnd(), rnd()};
        if (i % 3 == 1) l.x *= 1e6;
        if (i % 3 == 2) l.y = l.z;
        perp_mat3 m = outer(R, l);
        m.c[1].x = m.c[0].y; /* symmetric to the bit */
        m.c[2].x = m.c[0].z;
        m.c[2].y = m.c[1].z;
        double scale = fmax(1, fabs(l.x));
        check_eigen(m, scale);
        perp_vec3 got = perp_m3_eigen(m, NULL);
        SMALL(got.x + got.y + got.z - (l.x + l.y + l.z), 1e-14 * scale);
        SMALL(fmin(fabs(got.x - l.x), fmin(fabs(got.y - l.x), fabs(got.z - l.x))), 1e-14 * scale);
    }
    perp_mat3 V;
    perp_vec3 l = perp_m3_eigen(perp_m3_diag(3, 1, 2), &V); /* diagonal: exact */
    assert_true(l.x == 1 && l.y == 2 && l.z == 3);
    assert_true(fabs(V.c[0].y) == 1 && fabs(V.c[1].z) == 1 && fabs(V.c[2].x) == 1);
    check_eigen(perp_m3_diag(2, 2, 2), 1);
    check_eigen(perp_m3_diag(0, 0, 0), 1);
    check_eigen(perp_m3_diag(1e200, -1e200, 0), 1e200);
    perp_mat3 ones = {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}; /* 0, 0, 3 */
    check_eigen(ones, 1);
    l = perp_m3_eigen(ones, NULL);
    SMALL(l.x, 1e-15);
    SMALL(l.y, 1e-15);
    SMALL(l.z - 3, 1e-15);
    perp_mat3 swap = {{{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}}; /* zero diagonal: -1, 0, 1 */
    check_eigen(swap, 1);
    l = perp_m3_eigen(swap, NULL);
    SMALL(l.x + 1, 1e-15);
    SMALL(l.z - 1, 1e-15);
    perp_mat3 odd = perp_m3_scale(NAN, ones); /* comes back, with NaN */
    l = perp_m3_eigen(odd, NULL);
    assert_true(isnan(l.x) || isnan(l.y) || isnan(l.z));
}

static perp_mass box(double m, double a, double b, double c) { /* full edges */
    perp_mass r = {
        m, {0, 0, 0}, perp_m3_diag(m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12)};
    return r;
}
static perp_pose at(double x, double y, double z) { return perp_pose_at(x, y, z); }

static void test_mass(void **state) {
    (void)state;
    /* Two halves of a box of 2 x 3 x 4 make the box; so do its halves the other ways. */
    perp_mass whole = box(6, 2, 3, 4);
    perp_mass sum[3] = {
        perp_mass_add(perp_mass_move(at(-0.5, 0, 0), box(3, 1, 3, 4)), perp_mass_move(at(0.5, 0, 0), box(3, 1, 3, 4))),
        perp_mass_add(perp_mass_move(at(0, -0.75, 0), box(3, 2, 1.5, 4)),
                      perp_mass_move(at(0, 0.75, 0), box(3, 2, 1.5, 4))),
        perp_mass_add(perp_mass_move(at(0, 0, 1.5), box(1.5, 2, 3, 1)),
                      perp_mass_move(at(0, 0, -0.5), box(4.5, 2, 3, 3)))};
    for (int i = 0; i < 3; i++) {
        SMALL(sum[i].mass - 6, 0);
        SMALL(v_dist(sum[i].com_B, whole.com_B), 1e-16);
        SMALL(m_dist(sum[i].I_B, whole.I_B), 1e-14);
    }
    /* A hole is a negative mass: the box less its right half is the left half. */
    perp_mass left = perp_mass_add(whole, perp_mass_move(at(0.5, 0, 0), box(-3, 1, 3, 4)));
    SMALL(left.mass - 3, 0);
    SMALL(v_dist(left.com_B, perp_v3(-0.5, 0, 0)), 1e-15);
    SMALL(m_dist(left.I_B, box(3, 1, 3, 4).I_B), 1e-14);
    /* An empty start of a sum changes nothing. */
    perp_mass none = {0, {0, 0, 0}, perp_m3_diag(0, 0, 0)}, moved = perp_mass_move(at(1, 2, 3), whole);
    perp_mass same = perp_mass_add(none, moved);
    SMALL(v_dist(same.com_B, moved.com_B), 0);
    SMALL(m_dist(same.I_B, moved.I_B), 0);

    /* Parallel axes: inertia about a point p is I + m (|d|^2 1 - d d^T). Two unlike bodies in general places: the
     * inertia of the sum about the origin is the sum of the inertias about the origin. */
    for (int i = 0; i < 100; i++) {
        perp_pose Xa = {rnd_vec(), rnd_quat()}, Xb = {rnd_vec(), rnd_quat()};
        perp_mass part[3];
        part[0] = perp_mass_move(Xa, box(2, 1, 2, 3));
        part[1] = perp_mass_move(Xb, box(5, 0.3, 0.2, 1));
        part[2] = perp_mass_add(part[0], part[1]);
        perp_mat3 about[3];
        for (int k = 0; k < 3; k++) {
            perp_mat3 D = perp_m3_skew(part[k].com_B);
            about[k] = perp_m3_add(part[k].I_B, perp_m3_scale(-part[k].mass, perp_m3_mul(D, D)));
        }
        SMALL(m_dist(perp_m3_add(about[0], about[1]), about[2]), 2e-14);
        perp_vec3 first = perp_v3_add(perp_v3_scale(2, part[0].com_B), perp_v3_scale(5, part[1].com_B));
        SMALL(v_dist(perp_v3_scale(7, part[2].com_B), first), 1e-14);
        /* the other order, and moving after adding instead of before */
        perp_mass swapped = perp_mass_add(part[1], part[0]);
        SMALL(v_dist(swapped.com_B, part[2].com_B), 1e-15);
        SMALL(m_dist(swapped.I_B, part[2].I_B), 2e-15);
        perp_pose Y = {rnd_vec(), rnd_quat()};
        perp_mass late = perp_mass_move(Y, part[2]);
        perp_mass early = perp_mass_add(perp_mass_move(Y, part[0]), perp_mass_move(Y, part[1]));
        SMALL(v_dist(late.com_B, early.com_B), 2e-15);
        SMALL(m_dist(late.I_B, early.I_B), 2e-14);
        /* kinetic energy is the same in all axes; results symmetric to the bit */
        perp_vec3 w = rnd_vec();
        perp_mat3 I_W = perp_inertia_rotate(Xa.q, part[1].I_B);
        perp_vec3 w_B = perp_q_unrotate(Xa.q, w);
        SMALL(perp_v3_dot(w, perp_m3_mul_v(I_W, w)) - perp_v3_dot(w_B, perp_m3_mul_v(part[1].I_B, w_B)), 1e-14);
        perp_mat3 I_Wt = perp_m3_transpose(I_W), sum_t = perp_m3_transpose(part[2].I_B);
        assert_memory_equal(&I_W, &I_Wt, sizeof I_W);
        assert_memory_equal(&part[2].I_B, &sum_t, sizeof sum_t);
    }
}

static perp_vec3 momentum(perp_mat3 I_B, perp_quat q, perp_vec3 w_W) {
    return perp_m3_mul_v(perp_inertia_rotate(q, I_B), w_W);
}

/* The body of the reference: I = diag(1, 2, 3), w_B = (0.1, 2, 0.1), near the unstable middle axis. */
static const perp_vec3 start_w = {0.1, 2, 0.1};

static void test_free_reference(void **state) {
    (void)state;
    perp_mat3 I = perp_m3_diag(1, 2, 3);
    perp_quat q = perp_q_identity();
    perp_vec3 w = start_w, L0 = {0.1, 4, 0.3};
    double worst_E = 0, worst_L = 0, worst_q = 0;
    for (int k = 1; k <= 60000; k++) {
        perp_quat turned = q;
        assert_true(pp_turn_free(I, 1e-3, &turned, w));
        assert_true(perp_rotate_free(I, 1e-3, &q, &w));
        assert_memory_equal(&turned, &q, sizeof q); /* the same to the last bit */
        perp_vec3 L = momentum(I, q, w);
        worst_E = fmax(worst_E, fabs(perp_v3_dot(w, L) / 2 - 4.02) / 4.02);
        worst_L = fmax(worst_L, v_dist(L, L0) / perp_v3_norm(L0));
        worst_q = fmax(worst_q, fabs(perp_q_norm(q) - 1));
        if (k == 1000) SMALL(v_dist(perp_q_unrotate(q, w), perp_v3(-0.073263308, 2.001157787, 0.091955628)), 1e-9);
    }
    SMALL(worst_E, 1e-12);
    SMALL(worst_L, 1e-12);
    SMALL(worst_q, 4e-16);
}

/* Energy and momentum hold for a long rod with inertia far from diagonal, at large steps, and for any start. */
static void test_free_conservation(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        double thin = i % 2 ? 1e-3 : 0.5;
        perp_mat3 I = perp_inertia_rotate(rnd_quat(), perp_m3_diag(thin, 1, 1.2));
        perp_quat q = rnd_quat();
        perp_vec3 w = rnd_vec(), L0 = momentum(I, q, w);
        double E0 = perp_v3_dot(w, L0) / 2;
        for (int k = 0; k < 2000; k++) {
            perp_quat turned = q;
            assert_true(pp_turn_free(I, 0.05, &turned, w));
            assert_true(perp_rotate_free(I, 0.05, &q, &w));
            assert_memory_equal(&turned, &q, sizeof q);
            perp_vec3 L = momentum(I, q, w);
            SMALL(v_dist(L, L0), 1e-12 * perp_v3_norm(L0));
            SMALL(perp_v3_dot(w, L) / 2 - E0, 1e-12 / thin * E0);
        }
    }
}

/* A kept rotation is perp_rotate_free() of what was noted, and is taken for nothing else: one bit of another start, time or body is another. */
static void test_kept_turn(void **state) {
    (void)state;
    const perp_mat3 I = perp_inertia_rotate(rnd_quat(), perp_m3_diag(1, 2, 3)), same = I;
    for (int i = 0; i < 100; i++) {
        pp_free_turn t;
        perp_quat q0 = rnd_quat(), q = q0;
        perp_vec3 w0 = rnd_vec(), w = w0;
        pp_keep_turn(&t, &I, 0.01, &q0, &w0);
        assert_true(pp_rotate_kept(&t) && perp_rotate_free(I, 0.01, &q, &w));
        assert_memory_equal(&t.to, &q, sizeof q);
        assert_memory_equal(&t.w_to, &w, sizeof w);
        assert_true(pp_turn_starts(&t, &I, 0.01, &q0, &w0));
        assert_false(pp_turn_starts(&t, &same, 0.01, &q0, &w0) || pp_turn_starts(&t, &I, -0.01, &q0, &w0));
        double *const part[] = {&q0.w, &q0.x, &q0.y, &q0.z, &w0.x, &w0.y, &w0.z};
        for (int k = 0; k < 7; k++) {
            double was = *part[k];
            *part[k] = nextafter(was, 2);
            assert_false(pp_turn_starts(&t, &I, 0.01, &q0, &w0));
            *part[k] = was;
        }
    }
}

static perp_vec3 after(perp_mat3 I, perp_quat q0, perp_vec3 w0, double T, int n, perp_quat *q_out) {
    perp_quat q = q0;
    perp_vec3 w = w0;
    for (int k = 0; k < n; k++) assert_true(perp_rotate_free(I, T / n, &q, &w));
    *q_out = q;
    return w;
}

/* Error at h, h/2, h/4 against a run with tiny steps: the slope is four, for velocity and orientation. */
static void test_free_order(void **state) {
    (void)state;
    perp_mat3 I = perp_inertia_rotate(perp_q_exp(perp_v3(0.3, -0.2, 0.5)), perp_m3_diag(1, 2, 3));
    perp_quat q0 = perp_q_exp(perp_v3(1, 2, -0.5)), qe, q;
    perp_vec3 w0 = {1, 1.5, -0.7};
    perp_vec3 we = after(I, q0, w0, 2, 20000, &qe);
    double ew[4], eq[4];
    for (int k = 0; k < 4; k++) {
        perp_vec3 w = after(I, q0, w0, 2, 20 << k, &q);
        ew[k] = v_dist(w, we);
        eq[k] = q_dist(q, qe);
    }
    for (int k = 1; k < 4; k++) {
        double sw = log2(ew[k - 1] / ew[k]), sq = log2(eq[k - 1] / eq[k]);
        assert_true(sw > 3.8 && sw < 4.3);
        assert_true(sq > 3.8 && sq < 4.3);
    }
}

/* The symmetric top has a closed form: w precesses about L at the rate |L|/I_t, in W, and the body spins about its own
 * axis a at w_a (1 - I_a/I_t) besides. It is met in one step of any length along each axis, and step by step where the
 * axes of the inertia are not those of the body. */
static void test_free_symmetric_top(void **state) {
    (void)state;
    for (int a = 0; a < 3; a++)
        for (int tilted = 0; tilted < 2; tilted++) {
            perp_vec3 axis = perp_v3(a == 0, a == 1, a == 2), across = perp_v3(a == 1, a == 2, a == 0);
            perp_mat3 I = perp_m3_diag(a == 0 ? 1 : 2, a == 1 ? 1 : 2, a == 2 ? 1 : 2);
            perp_vec3 w0 = perp_v3_axpy(perp_v3_scale(1.7, axis), 0.6, across);
            perp_vec3 L = perp_v3_axpy(perp_v3_scale(1.7, axis), 1.2, across);
            double t = tilted ? 3 : 300;
            perp_quat to = tilted ? perp_q_exp(perp_v3(0.4, -0.3, 0.9)) : perp_q_identity(), q;
            perp_vec3 w = after(perp_inertia_rotate(to, I), perp_q_conj(to), w0, t, tilted ? 3000 : 1, &q);
            perp_quat turn = perp_q_axis_angle(L, t * perp_v3_norm(L) / 2);
            SMALL(v_dist(w, perp_q_rotate(turn, w0)), 1e-11);
            perp_quat spun = perp_q_mul(turn, perp_q_axis_angle(axis, t * 1.7 * 0.5));
            SMALL(q_dist(perp_q_mul(q, to), spun), 1e-11);
        }
}

/* Turning the world, or relabelling the body's axes, turns the motion and does nothing else; time runs back as well. */
static void test_free_invariance(void **state) {
    (void)state;
    for (int i = 0; i < 50; i++) {
        perp_mat3 I = perp_inertia_rotate(rnd_quat(), perp_m3_diag(1, 2, 2.5));
        perp_quat q0 = rnd_quat(), r = rnd_quat(), q1, q2;
        perp_vec3 w0 = rnd_vec();
        perp_vec3 w1 = after(I, q0, w0, 1, 20, &q1);
        perp_vec3 w2 = after(I, perp_q_mul(r, q0), perp_q_rotate(r, w0), 1, 20, &q2);
        SMALL(v_dist(perp_q_rotate(r, w1), w2), 2e-14);
        SMALL(q_dist(perp_q_mul(r, q1), q2), 2e-14);
        w2 = after(perp_inertia_rotate(perp_q_conj(r), I), perp_q_mul(q0, r), w0, 1, 20, &q2);
        SMALL(v_dist(w1, w2), 2e-14);
        SMALL(q_dist(perp_q_mul(q1, r), q2), 2e-14);
        w2 = after(I, q1, w1, -1, 20, &q2);
        SMALL(v_dist(w2, w0), 5e-14);
        SMALL(q_dist(q2, q0), 5e-14);
    }
}

static void test_free_special(void **state) {
    (void)state;
    /* isotropic: exact for any step, velocity untouched */
    perp_quat q = rnd_quat(), q0 = q;
    perp_vec3 w = {3, -40, 7}, w0 = w;
    assert_true(perp_rotate_free(perp_m3_diag(2, 2, 2), 1, &q, &w));
    assert_memory_equal(&w, &w0, sizeof w);
    SMALL(q_dist(q, perp_q_mul(perp_q_exp(w0), q0)), 1e-14);
    /* at rest: stays */
    w = perp_v3(0, 0, 0);
    q0 = q;
    assert_true(perp_rotate_free(perp_m3_diag(1, 2, 3), 0.1, &q, &w));
    SMALL(q_dist(q, q0), 4e-16);
    SMALL(perp_v3_norm(w), 0);
    /* about a principal axis: w stays, the angle errs by the order of the scheme only */
    q = perp_q_identity();
    w = perp_v3(0, 2, 0);
    for (int k = 0; k < 1000; k++) assert_true(perp_rotate_free(perp_m3_diag(1, 2, 3), 1e-3, &q, &w));
    SMALL(v_dist(w, perp_v3(0, 2, 0)), 1e-14);
    SMALL(q_dist(q, perp_q_exp(perp_v3(0, 2, 0))), 1e-11);
    /* a quaternion that is not quite unit comes back unit */
    q = (perp_quat){1.001, 0, 0, 0};
    assert_true(perp_rotate_free(perp_m3_diag(1, 2, 3), 1e-3, &q, &w));
    SMALL(perp_q_norm(q) - 1, 4e-16);
    /* |w| h = 1 works */
    w = perp_v3(3, 8, 5);
    assert_true(perp_rotate_free(perp_m3_diag(1, 2, 3), 0.1, &q, &w));
    /* failure changes nothing */
    perp_vec3 bad[3] = {{NAN, 1, 1}, {1, INFINITY, 0}, {1e308, 1e308, 1e308}};
    for (int i = 0; i < 3; i++) {
        perp_quat qb = q;
        w = bad[i];
        assert_false(perp_rotate_free(perp_m3_diag(1, 2, 3), 0.1, &qb, &w));
        assert_memory_equal(&qb, &q, sizeof q);
        assert_memory_equal(&w, &bad[i], sizeof w);
    }
    for (int i = 0; i < 1000; i++) { /* |w| h far above one: energy and momentum hold; beyond a thousand: refused */
        perp_mat3 I = perp_m3_diag(1, 2, 3);
        perp_vec3 w1 = perp_v3_scale(pow(10, 4 * fabs(rnd())), rnd_unit());
        perp_quat q1 = q;
        w = w1;
        bool turned = perp_rotate_free(I, 1, &q1, &w);
        assert_true(turned == (perp_v3_norm(w1) <= 1024));
        if (turned) {
            perp_vec3 L = momentum(I, q1, w), L1 = momentum(I, q, w1);
            SMALL(v_dist(L, L1), 1e-13 * perp_v3_norm(w1));
            SMALL(perp_v3_dot(L, w) - perp_v3_dot(L1, w1), 2e-12 * perp_v3_dot(L1, w1));
        } else {
            assert_memory_equal(&q1, &q, sizeof q);
            assert_memory_equal(&w1, &w, sizeof w);
        }
    }
    w = perp_v3(1, 2, 3);
    assert_false(perp_rotate_free(perp_m3_diag(1, 2, 0), 0.1, &q, &w)); /* singular inertia */
    assert_false(perp_rotate_free(perp_m3_diag(2, 2, 2), NAN, &q, &w));
    assert_false(perp_rotate_free(perp_m3_diag(1, 2, 2), NAN, &q, &w));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_log),
        cmocka_unit_test(test_exp_meaning),
        cmocka_unit_test(test_matrix_of_quat),
        cmocka_unit_test(test_frame),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_eigen),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_free_reference),
        cmocka_unit_test(test_kept_turn),
        cmocka_unit_test(test_free_conservation),
        cmocka_unit_test(test_free_order),
        cmocka_unit_test(test_free_symmetric_top),
        cmocka_unit_test(test_free_invariance),
        cmocka_unit_test(test_free_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
