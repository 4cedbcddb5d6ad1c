/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_rows.c - joints as rows: gradients against differences, Williams' table, turns, extras, wrenches,
 * refusals. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/joint_rows.h"

#define PI  3.14159265358979323846
#define EPS 1e-5 /* of central differences: their error is about EPS^2, and 1e-16/EPS by rounding */

#define NEAR(x, y, tolerance)                                                                                    \
    do {                                                                                                         \
        double x_ = (x), y_ = (y);                                                                               \
        if (!(fabs(x_ - y_) <= (tolerance))) fail_msg("%s = %.17g, not %.17g (off by %g)", #x, x_, y_, x_ - y_); \
    } while (0)

static uint64_t seed = 88172645463325252ull;

/* Uniform in [-1, 1]. */
static double any(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static perp_vec3 any_vec(int dim) {
    perp_vec3 v = {any(), any(), any()};
    if (dim == 2) v.z = 0;
    return v;
}

static perp_vec3 any_spin(int dim) {
    perp_vec3 v = {any(), any(), any()};
    if (dim == 2) v.x = v.y = 0;
    return v;
}

static perp_quat any_turn(int dim) { return perp_q_exp(perp_v3_scale(2, any_spin(dim))); }

static perp_pose any_pose(int dim) {
    perp_pose X = {any_vec(dim), any_turn(dim)};
    return X;
}

static double angle_of(perp_quat q) { return 2 * atan2(q.z, q.w); }

/* A dynamic rigid body. */
static pp_joint_side side_at(int dim, int block, perp_pose X) {
    pp_joint_side s = {X, dim == 2 ? angle_of(X.q) : 0, any_vec(dim), any_spin(dim), block, dim == 2 ? 3 : 6};
    return s;
}

static pp_joint_side moved(pp_joint_side s, double h) {
    s.X_WB.p = perp_v3_axpy(s.X_WB.p, h, s.v);
    s.X_WB.q = perp_q_mul(perp_q_exp(perp_v3_scale(h, s.w)), s.X_WB.q);
    s.theta += h * s.w.z;
    return s;
}

/* J of one side times its velocity, by degrees of freedom. */
static double times(const double J[6], const pp_joint_side *s, int dim) {
    double nu[6] = {s->v.x, s->v.y, dim == 2 ? s->w.z : s->v.z, s->w.x, s->w.y, s->w.z}, r = 0;
    for (int i = 0; i < s->ndof; i++) r += J[i] * nu[i];
    return r;
}

static double row_rate(const perp_joint_row *r, const pp_joint_side *a, const pp_joint_side *b, int dim) {
    return times(r->row.J[0], a, dim) + times(r->row.J[1], b, dim);
}

/* Orientation of Jb in Ja that the kind allows. */
static perp_quat allowed_turn(perp_joint_kind kind, int dim) {
    perp_quat z = perp_q_axis_angle(perp_v3(0, 0, 1), 3 * any());
    switch (kind) {
    case PERP_JOINT_FIXED:
    case PERP_JOINT_PRISMATIC: return perp_q_identity();
    case PERP_JOINT_UNIVERSAL: return perp_q_mul(z, perp_q_axis_angle(perp_v3(1, 0, 0), 3 * any()));
    case PERP_JOINT_SPHERICAL: return any_turn(dim);
    default: return z;
    }
}

/* A definition with random frames, and a B such that Jb has the pose X_ab in Ja. */
static perp_joint_def any_joint(perp_joint_kind kind, int dim, perp_pose X_ab, pp_joint_side *a, pp_joint_side *b) {
    perp_joint_def d = perp_joint_def_default(kind);
    d.X_AJ = any_pose(dim);
    d.X_BJ = any_pose(dim);
    *a = side_at(dim, 0, any_pose(dim));
    *b = side_at(dim, 1, perp_pose_mul(perp_pose_mul(perp_pose_mul(a->X_WB, d.X_AJ), X_ab), perp_pose_inverse(d.X_BJ)));
    return d;
}

static void all_extras(perp_joint_def *d, int ncoord) {
    for (int i = 0; i < ncoord; i++) {
        d->axis[i].limited = true;
        d->axis[i].lo = -100;
        d->axis[i].hi = 100;
        d->axis[i].motor = true;
        d->axis[i].motor_force = 7;
        d->axis[i].stiffness = 3;
        d->axis[i].damping = 2;
        d->axis[i].friction = 5;
    }
}

static void defaults_and_counts(void **state) {
    (void)state;
    const int n3[] = {0, 1, 1, 2, 0, 2, 3}, n2[] = {0, 1, 1, -1, -1, -1, -1};
    const int t3[] = {3, 3, 2, 2, 3, 3, 1};
    char why[256];
    for (int k = 0; k < PERP_JOINT_COUPLING; k++) {
        assert_int_equal(perp_joint_ncoord((perp_joint_kind)k, 3), n3[k]);
        assert_int_equal(perp_joint_ncoord((perp_joint_kind)k, 2), n2[k]);
        assert_int_equal(pp_joint_ntranslation((perp_joint_kind)k, 3), t3[k]);
        perp_joint_def d = perp_joint_def_default((perp_joint_kind)k);
        assert_int_equal(pp_joint_check(&d, 3, why, sizeof why), PERP_OK);
        assert_int_equal(pp_joint_check(&d, 2, why, sizeof why), n2[k] < 0 ? PERP_E_ARG : PERP_OK);
        pp_joint_side a, b;
        perp_pose X = {{0, 0, 0}, {1, 0, 0, 0}};
        d = any_joint((perp_joint_kind)k, 3, X, &a, &b);
        perp_joint_row row[PP_JOINT_MAX_ROWS];
        double coord[3] = {0};
        assert_int_equal(pp_joint_rows(&d, 3, &a, &b, coord, 0.01, INFINITY, row),
                         6 - (k == PERP_JOINT_SPHERICAL ? 3 : n3[k])); /* no extras by default */
    }
    assert_int_equal(perp_joint_ncoord(PERP_JOINT_KIND_COUNT, 3), -1);
    assert_int_equal(perp_joint_ncoord(PERP_JOINT_COUPLING, 3), 0);
    assert_int_equal(perp_joint_ncoord(PERP_JOINT_TENDON, 2), 1);
    assert_int_equal(perp_joint_ncoord((perp_joint_kind)-1, 3), -1);
    assert_int_equal(perp_joint_ncoord(PERP_JOINT_FIXED, 4), -1);
    assert_int_equal(pp_joint_ntranslation(PERP_JOINT_FIXED, 2), 2);
    assert_int_equal(pp_joint_ntranslation(PERP_JOINT_PRISMATIC, 2), 1);
}

/* Bilateral rows are the gradients of the errors: for any displacement, and any rotation the kind allows (the universal
 * row also for those it does not). */
static void rows_are_gradients_of_errors(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < PERP_JOINT_COUPLING; k++) {
            perp_joint_kind kind = (perp_joint_kind)k;
            if (perp_joint_ncoord(kind, dim) < 0) continue;
            for (int trial = 0; trial < 50; trial++) {
                perp_pose X = {perp_v3_scale(3, any_vec(dim)), allowed_turn(kind, dim)};
                if (kind == PERP_JOINT_UNIVERSAL && trial % 2) X.q = any_turn(3);
                pp_joint_side a, b;
                perp_joint_def d = any_joint(kind, dim, X, &a, &b);
                double coord[3], lo[6], hi[6], phi[6];
                pp_joint_side a0 = moved(a, -EPS), b0 = moved(b, -EPS), a1 = moved(a, EPS), b1 = moved(b, EPS);
                int n = pp_joint_errors(&d, dim, &a0, &b0, lo);
                assert_int_equal(n, pp_joint_errors(&d, dim, &a1, &b1, hi));
                assert_int_equal(n, pp_joint_errors(&d, dim, &a, &b, phi));
                pp_joint_coords(&d, dim, &a, &b, NULL, coord);
                perp_joint_row row[PP_JOINT_MAX_ROWS];
                assert_int_equal(pp_joint_rows(&d, dim, &a, &b, coord, 0.01, INFINITY, row), n);
                for (int i = 0; i < n; i++) {
                    NEAR(row_rate(&row[i], &a, &b, dim), (hi[i] - lo[i]) / (2 * EPS), 1e-8);
                    NEAR(row[i].b, phi[i] / 0.01, 1e-12);
                    assert_int_equal(row[i].kind, PERP_ROW_JOINT);
                    assert_true(row[i].lo == -INFINITY && row[i].hi == INFINITY && row[i].compliance == 0);
                    assert_true(row[i].b_kin == 0 && row[i].joint == -1);
                    assert_true(row[i].row.block[0] == 0 && row[i].row.block[1] == 1);
                }
            }
        }
}

/* Rates and the rows of extras are the gradients of the coordinates, also when the locked rotations are violated. */
static void rates_are_gradients_of_coordinates(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < PERP_JOINT_COUPLING; k++) {
            perp_joint_kind kind = (perp_joint_kind)k;
            int n = perp_joint_ncoord(kind, dim);
            for (int trial = 0; trial < 50 && n > 0; trial++) {
                perp_pose X = {perp_v3_scale(3, any_vec(dim)), allowed_turn(kind, dim)};
                if (dim == 3) X.q = perp_q_mul(perp_q_exp(perp_v3_scale(0.5, any_vec(3))), X.q);
                pp_joint_side a, b;
                perp_joint_def d = any_joint(kind, dim, X, &a, &b);
                all_extras(&d, n);
                double lo[3], hi[3], coord[3], rate[3];
                pp_joint_side a0 = moved(a, -EPS), b0 = moved(b, -EPS), a1 = moved(a, EPS), b1 = moved(b, EPS);
                pp_joint_coords(&d, dim, &a, &b, NULL, coord);
                pp_joint_coords(&d, dim, &a0, &b0, coord, lo);
                pp_joint_coords(&d, dim, &a1, &b1, coord, hi);
                pp_joint_rates(&d, dim, &a, &b, rate);
                perp_joint_row row[PP_JOINT_MAX_ROWS];
                double phi[6];
                int first = pp_joint_errors(&d, dim, &a, &b, phi);
                assert_int_equal(pp_joint_rows(&d, dim, &a, &b, coord, 0.01, INFINITY, row), first + 5 * n);
                for (int i = 0; i < n; i++) {
                    NEAR(rate[i], (hi[i] - lo[i]) / (2 * EPS), 2e-8);
                    const perp_joint_row *r = row + first + 5 * i;
                    const perp_row_kind kinds[] = {PERP_ROW_LIMIT, PERP_ROW_LIMIT, PERP_ROW_MOTOR, PERP_ROW_SPRING,
                                                   PERP_ROW_FRICTION};
                    for (int j = 0; j < 5; j++) {
                        assert_int_equal(r[j].kind, kinds[j]);
                        NEAR(row_rate(&r[j], &a, &b, dim), j == 1 ? -rate[i] : rate[i], 1e-12);
                    }
                }
            }
        }
}

/* What the angles are: built from known ones, they come back. */
static void coordinates_mean_what_they_say(void **state) {
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        double s = 3 * any(), t = 3 * any(), x = any(), y = any(), z = any(), coord[3];
        pp_joint_side a, b;
        perp_quat Rz = perp_q_axis_angle(perp_v3(0, 0, 1), s);
        perp_pose X = {{x, y, z}, Rz};
        perp_joint_def d = any_joint(PERP_JOINT_PLANAR, 3, X, &a, &b);
        pp_joint_coords(&d, 3, &a, &b, NULL, coord);
        NEAR(coord[0], x, 1e-14);
        NEAR(coord[1], y, 1e-14);
        NEAR(coord[2], s, 1e-14);
        d.kind = PERP_JOINT_CYLINDRICAL;
        pp_joint_coords(&d, 3, &a, &b, NULL, coord);
        NEAR(coord[0], z, 1e-14);
        NEAR(coord[1], s, 1e-14);
        X.q = perp_q_mul(Rz, perp_q_axis_angle(perp_v3(1, 0, 0), t));
        d = any_joint(PERP_JOINT_UNIVERSAL, 3, X, &a, &b);
        pp_joint_coords(&d, 3, &a, &b, NULL, coord);
        NEAR(coord[0], s, 1e-14);
        NEAR(coord[1], t, 1e-14);
        X = perp_pose_2d(x, y, s);
        d = any_joint(PERP_JOINT_PRISMATIC, 2, X, &a, &b);
        pp_joint_coords(&d, 2, &a, &b, NULL, coord);
        NEAR(coord[0], x, 1e-14);
        double phi[6];
        assert_int_equal(pp_joint_errors(&d, 2, &a, &b, phi), 2);
        NEAR(phi[0], y, 1e-14);
        NEAR(phi[1], s, 1e-14);
    }
}

/* Turning B by minus the error, along the rows, removes any error of rotation at once. */
static void rotation_errors_are_true_angles(void **state) {
    (void)state;
    const perp_joint_kind kinds[] = {PERP_JOINT_FIXED, PERP_JOINT_REVOLUTE, PERP_JOINT_PLANAR};
    for (int k = 0; k < 3; k++)
        for (int trial = 0; trial < 100; trial++) {
            perp_pose X = {any_vec(3), perp_q_exp(perp_v3_scale(1.7, any_vec(3)))};
            pp_joint_side a, b;
            perp_joint_def d = any_joint(kinds[k], 3, X, &a, &b);
            double coord[3] = {0}, phi[6];
            perp_joint_row row[PP_JOINT_MAX_ROWS];
            int n = pp_joint_rows(&d, 3, &a, &b, coord, 1, INFINITY, row);
            int first = pp_joint_ntranslation(kinds[k], 3);
            b.w = perp_v3(0, 0, 0);
            for (int i = first; i < n; i++) /* rotation rows are orthonormal: this solves J w + b = 0 */
                b.w = perp_v3_axpy(b.w, -row[i].b, perp_v3(row[i].row.J[1][3], row[i].row.J[1][4], row[i].row.J[1][5]));
            b = moved(b, 1);
            assert_int_equal(pp_joint_errors(&d, 3, &a, &b, phi), n);
            for (int i = first; i < n; i++) NEAR(phi[i], 0, 1e-14);
        }
    /* opposite axes: half a turn, not zero */
    perp_pose X = {{0, 0, 0}, {0, 1, 0, 0}};
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    pp_joint_side a = side_at(3, 0, perp_pose_identity()), b = side_at(3, 1, X);
    double phi[6];
    assert_int_equal(pp_joint_errors(&d, 3, &a, &b, phi), 5);
    NEAR(hypot(phi[3], phi[4]), PI, 1e-14);
}

static int rank_of(double m[6][12], int rows) {
    int rank = 0;
    for (int c = 0; c < 12 && rank < rows; c++) {
        int best = rank;
        for (int i = rank; i < rows; i++)
            if (fabs(m[i][c]) > fabs(m[best][c])) best = i;
        if (fabs(m[best][c]) < 1e-10) continue;
        for (int j = 0; j < 12; j++) {
            double t = m[best][j];
            m[best][j] = m[rank][j];
            m[rank][j] = t;
        }
        for (int i = rank + 1; i < rows; i++) {
            double f = m[i][c] / m[rank][c];
            for (int j = 0; j < 12; j++) m[i][j] -= f * m[rank][j];
        }
        rank++;
    }
    return rank;
}

/* Williams Table 2.1 for coincident frames. His velocity is that of A relative to B, ours the other way round. */
static void table_of_williams(void **state) {
    (void)state;
    static const struct {
        perp_joint_kind kind;
        const char *columns; /* of (2.10): XYZ translations, xyz rotations */
    } table[] = {{PERP_JOINT_FIXED, "XYZxyz"},
                 {PERP_JOINT_REVOLUTE, "XYZxy"},
                 {PERP_JOINT_PRISMATIC, "XYxyz"},
                 {PERP_JOINT_CYLINDRICAL, "XYxy"},
                 {PERP_JOINT_SPHERICAL, "XYZ"},
                 {PERP_JOINT_PLANAR, "Zxy"}}; /* the last as joint.h says; it is not in the table */
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        for (int trial = 0; trial < 20; trial++) {
            pp_joint_side a, b;
            perp_joint_def d = any_joint(table[k].kind, 3, perp_pose_identity(), &a, &b);
            double coord[3] = {0}, m[6][12];
            perp_joint_row row[PP_JOINT_MAX_ROWS];
            int n = pp_joint_rows(&d, 3, &a, &b, coord, 0.01, INFINITY, row);
            assert_int_equal(n, (int)strlen(table[k].columns));
            perp_mat3 R = perp_q_matrix(perp_q_mul(a.X_WB.q, d.X_AJ.q));
            perp_vec3 r_a = perp_q_rotate(a.X_WB.q, d.X_AJ.p), r_b = perp_q_rotate(b.X_WB.q, d.X_BJ.p);
            for (int i = 0; i < n; i++) {
                char c = table[k].columns[i];
                bool turn = c >= 'x';
                perp_vec3 e = R.c[turn ? c - 'x' : c - 'X'], zero = {0, 0, 0};
                perp_vec3 G_A[2] = {turn ? zero : e, turn ? e : perp_v3_cross(r_a, e)};
                perp_vec3 G_B[2] = {perp_v3_neg(turn ? zero : e), perp_v3_neg(turn ? e : perp_v3_cross(r_b, e))};
                const double *JA = row[i].row.J[0], *JB = row[i].row.J[1];
                const double ga[6] = {G_A[0].x, G_A[0].y, G_A[0].z, G_A[1].x, G_A[1].y, G_A[1].z};
                const double gb[6] = {G_B[0].x, G_B[0].y, G_B[0].z, G_B[1].x, G_B[1].y, G_B[1].z};
                for (int j = 0; j < 6; j++) {
                    NEAR(JA[j], -ga[j], 1e-13);
                    NEAR(JB[j], -gb[j], 1e-13);
                    m[i][j] = JA[j];
                    m[i][6 + j] = JB[j];
                }
                NEAR(row[i].b, 0, 1e-11);
            }
            assert_int_equal(rank_of(m, n), n);
        }
    /* universal: three translations and one rotation about what is perpendicular to both axes */
    pp_joint_side a, b;
    perp_joint_def d = any_joint(PERP_JOINT_UNIVERSAL, 3, perp_pose_identity(), &a, &b);
    double coord[3] = {0};
    perp_joint_row row[PP_JOINT_MAX_ROWS];
    assert_int_equal(pp_joint_rows(&d, 3, &a, &b, coord, 0.01, INFINITY, row), 4);
    perp_mat3 R = perp_q_matrix(perp_q_mul(a.X_WB.q, d.X_AJ.q));
    NEAR(row[3].row.J[1][3], -R.c[1].x, 1e-13);
    NEAR(row[3].row.J[1][4], -R.c[1].y, 1e-13);
    NEAR(row[3].row.J[1][5], -R.c[1].z, 1e-13);
}

/* The free motions of a kind violate none of its rows. */
static void free_motions_are_free(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < PERP_JOINT_COUPLING; k++) {
            perp_joint_kind kind = (perp_joint_kind)k;
            if (perp_joint_ncoord(kind, dim) < 0) continue;
            for (int trial = 0; trial < 20; trial++) {
                perp_pose X = {{0, 0, 0}, allowed_turn(kind, dim)};
                if (kind == PERP_JOINT_CYLINDRICAL || (kind == PERP_JOINT_PRISMATIC && dim == 3)) X.p.z = 2 * any();
                if (kind == PERP_JOINT_PRISMATIC && dim == 2) X.p.x = 2 * any();
                if (kind == PERP_JOINT_PLANAR) X.p = perp_v3(any(), any(), 0);
                pp_joint_side a, b;
                perp_joint_def d = any_joint(kind, dim, X, &a, &b);
                perp_pose J = perp_pose_mul(a.X_WB, d.X_AJ);
                perp_vec3 p_b = perp_pose_apply(b.X_WB, d.X_BJ.p);
                /* relative velocity of Jb in Ja */
                perp_vec3 u = {0, 0, 0}, s = {0, 0, 0};
                perp_quat q_b = perp_q_mul(b.X_WB.q, d.X_BJ.q);
                if (kind == PERP_JOINT_REVOLUTE || kind == PERP_JOINT_CYLINDRICAL || kind == PERP_JOINT_PLANAR)
                    s.z = any();
                if (kind == PERP_JOINT_CYLINDRICAL || (kind == PERP_JOINT_PRISMATIC && dim == 3)) u.z = any();
                if (kind == PERP_JOINT_PRISMATIC && dim == 2) u.x = any();
                if (kind == PERP_JOINT_PLANAR) u = perp_v3(any(), any(), 0);
                if (kind == PERP_JOINT_SPHERICAL) s = any_vec(3);
                s = perp_q_rotate(J.q, s);
                if (kind == PERP_JOINT_UNIVERSAL) {
                    s = perp_v3_scale(any(), perp_q_rotate(J.q, perp_v3(0, 0, 1)));
                    s = perp_v3_axpy(s, any(), perp_q_rotate(q_b, perp_v3(1, 0, 0)));
                }
                b.w = perp_v3_add(a.w, s);
                perp_vec3 v = perp_v3_add(a.v, perp_v3_cross(a.w, perp_v3_sub(p_b, a.X_WB.p)));
                v = perp_v3_add(v, perp_q_rotate(J.q, u));
                b.v = perp_v3_sub(v, perp_v3_cross(b.w, perp_v3_sub(p_b, b.X_WB.p)));
                double coord[3];
                pp_joint_coords(&d, dim, &a, &b, NULL, coord);
                perp_joint_row row[PP_JOINT_MAX_ROWS];
                int n = pp_joint_rows(&d, dim, &a, &b, coord, 1, INFINITY, row);
                for (int i = 0; i < n; i++) {
                    NEAR(row_rate(&row[i], &a, &b, dim), 0, 1e-13);
                    NEAR(row[i].b, 0, 1e-13);
                }
            }
        }
}

static void turns_are_counted(void **state) {
    (void)state;
    const double step = 2.5;
    for (int way = -1; way <= 1; way += 2) {
        double last[3] = {0}, last2[1] = {0}, lastu[2] = {0};
        for (int i = 1; i <= 200; i++) {
            double angle = way * step * i;
            perp_joint_def d = perp_joint_def_default(PERP_JOINT_PLANAR);
            pp_joint_side a = side_at(3, 0, perp_pose_identity());
            perp_pose X = perp_pose_2d(30, 0.2, angle);
            if (i % 3 == 0) X.q = (perp_quat){-X.q.w, -X.q.x, -X.q.y, -X.q.z}; /* the same orientation */
            pp_joint_side b = side_at(3, 1, X);
            pp_joint_coords(&d, 3, &a, &b, last, last);
            NEAR(last[2], angle, 1e-12);
            NEAR(last[0], 30, 1e-14); /* displacements are not wrapped */
            double fresh[3];
            pp_joint_coords(&d, 3, &a, &b, NULL, fresh);
            assert_true(fabs(fresh[2]) <= PI + 1e-15);
            NEAR(sin(fresh[2] - angle), 0, 1e-12);

            d = perp_joint_def_default(PERP_JOINT_UNIVERSAL);
            b = side_at(3, 1, perp_pose_identity());
            b.X_WB.q = perp_q_mul(perp_q_axis_angle(perp_v3(0, 0, 1), angle),
                                  perp_q_axis_angle(perp_v3(1, 0, 0), -0.7 * angle));
            pp_joint_coords(&d, 3, &a, &b, lastu, lastu);
            NEAR(lastu[0], angle, 1e-12);
            NEAR(lastu[1], -0.7 * angle, 1e-12);

            d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
            d.X_AJ = perp_pose_2d(0, 0, 3);
            d.X_BJ = perp_pose_2d(0, 0, -3);
            a = side_at(2, 0, perp_pose_identity());
            b = side_at(2, 1, X);
            b.theta = angle + 6; /* frames coincide at 6 */
            pp_joint_coords(&d, 2, &a, &b, last2, last2);
            NEAR(last2[0], angle, 1e-12);
        }
    }
    /* bodies that have turned before the joint was made: the angle is still within half a turn, and no error */
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    pp_joint_side a = side_at(2, 0, perp_pose_identity()), b = side_at(2, 1, perp_pose_2d(0, 0, 0.25));
    b.theta = 0.25 - 14 * PI;
    double coord[3], phi[6];
    pp_joint_coords(&d, 2, &a, &b, NULL, coord);
    NEAR(coord[0], 0.25, 1e-13);
    d.kind = PERP_JOINT_FIXED;
    assert_int_equal(pp_joint_errors(&d, 2, &a, &b, phi), 3);
    NEAR(phi[2], 0.25, 1e-13);
}

/* Numbers of the extras, on a revolute joint of the plane whose A is kinematic and turns. */
static void extras_have_the_right_numbers(void **state) {
    (void)state;
    const double h = 0.01, x = 0.4;
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    perp_joint_axis *ax = &d.axis[0];
    all_extras(&d, 1);
    ax->lo = 0.1;
    ax->hi = 0.5;
    ax->motor_speed = 2;
    ax->rest = -0.2;
    pp_joint_side a = {perp_pose_identity(), 0, {0.5, 0, 0}, {0, 0, 1.5}, -1, 0};
    pp_joint_side b = {perp_pose_2d(0, 0, x), x, {0, 0, 0}, {0, 0, 0}, 4, 3};
    perp_joint_row row[PP_JOINT_MAX_ROWS], *r = row + 2;
    assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, INFINITY, row), 7);
    assert_true(row[0].row.block[0] == -1 && row[0].row.block[1] == 4);
    NEAR(row[0].b_kin, -0.5, 1e-15); /* locked motion: recorded, not added */
    assert_true(row[0].b == 0);
    NEAR(r[0].b, (x - 0.1) / h, 1e-12); /* limits: likewise */
    NEAR(r[0].b_kin, -1.5, 1e-15);
    assert_true(r[0].lo == 0 && r[0].hi == INFINITY && r[0].row.J[1][2] == 1);
    NEAR(r[1].b, (0.5 - x) / h, 1e-12);
    NEAR(r[1].b_kin, 1.5, 1e-15);
    assert_true(r[1].lo == 0 && r[1].hi == INFINITY && r[1].row.J[1][2] == -1);
    NEAR(r[2].b, -1.5 - 2, 1e-15); /* motor: relative speed */
    NEAR(r[2].hi, h * 7, 1e-15);
    NEAR(r[2].lo, -h * 7, 1e-15);
    NEAR(r[4].b, -1.5, 1e-15); /* friction */
    NEAR(r[4].hi, h * 5, 1e-15);
    NEAR(r[4].lo, -h * 5, 1e-15);
    /* spring: for any speed of B, the impulse that makes w = 0 is the implicit one */
    for (double speed = -1; speed <= 1; speed += 0.5) {
        double p = -(r[3].row.J[1][2] * speed + r[3].b) / r[3].compliance;
        double x_end = x + h * speed; /* x holds the motion of A already */
        NEAR(p, -h * (3 * (x_end + 0.2) + 2 * (speed - 1.5)), 1e-14);
    }
    assert_true(r[3].lo == -INFINITY && r[3].hi == INFINITY);
    for (int i = 0; i < 7; i++) /* no numbers for a side without a block */
        for (int j = 0; j < 6; j++) assert_true(row[i].row.J[0][j] == 0);
    /* unlimited motor: it keeps the limits itself, without rows of theirs */
    ax->motor_force = INFINITY;
    assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, INFINITY, row), 5);
    assert_true(r[0].hi == INFINITY && r[0].lo == -INFINITY && r[0].kind == PERP_ROW_MOTOR);
    assert_true(pp_motor_keeps_limits(ax));
    NEAR(pp_motor_within_limits(ax, 0.5, h, h, -1), 0, 1e-15);
    NEAR(pp_motor_within_limits(ax, 0.1, h, h, 1), 0, 1e-15);
    NEAR(pp_motor_within_limits(ax, 0.3, 1, 1, -0.1), -0.1, 1e-15);
    NEAR(pp_motor_within_limits(ax, 0.6, 1e-6, h, -1), 0.1 / h, 1e-12); /* back over the time of a whole step */
    NEAR(pp_motor_within_limits(ax, 0.05, 1e-6, h, 0), -0.05 / h, 1e-12);
    ax->motor_force = 7;
    /* a damper alone, and a spring alone */
    ax->stiffness = 0;
    assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, INFINITY, row), 7);
    NEAR(r[3].b, -1.5, 1e-15);
    NEAR(r[3].compliance, 1 / (h * 2), 1e-10);
    ax->stiffness = 3;
    ax->damping = 0;
    assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, INFINITY, row), 7);
    NEAR(r[3].b, (x + 0.2) / h, 1e-10);
    NEAR(r[3].compliance, 1 / (h * h * 3), 1e-8);
}

static void limits_only_within_reach(void **state) {
    (void)state;
    const double h = 0.01;
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    d.axis[0].limited = true;
    d.axis[0].lo = 0.1;
    d.axis[0].hi = 0.5;
    pp_joint_side a = {perp_pose_identity(), 0, {0, 0, 0}, {0, 0, 0}, -1, 0};
    pp_joint_side b = {perp_pose_2d(0, 0, 0), 0, {0, 0, 0}, {0, 0, 0}, 0, 3};
    perp_joint_row row[PP_JOINT_MAX_ROWS];
    static const struct {
        double x, margin;
        int rows;
        double sign; /* of the only limit row */
    } c[] = {{0.3, 10, 2, 0}, {0.3, 21, 4, 0}, {0.15, 10, 3, 1},     {0.45, 10, 3, -1},
             {0.05, 0, 3, 1}, {0.6, 0, 3, -1}, {0.3, INFINITY, 4, 0}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        double x = c[i].x;
        assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, c[i].margin, row), c[i].rows);
        if (c[i].rows == 3) assert_true(row[2].row.J[1][2] == c[i].sign);
    }
    double x = 0.05;
    assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, 0, row), 3);
    NEAR(row[2].b, -5, 1e-12); /* violated: driven back within the step */
    d.axis[0].lo = -INFINITY;  /* one-sided */
    assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, INFINITY, row), 3);
    assert_true(row[2].row.J[1][2] == -1);
    d.axis[0].hi = INFINITY;
    assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, INFINITY, row), 2);
    b.block = -1;
    b.ndof = 0;
    assert_int_equal(pp_joint_rows(&d, 2, &a, &b, &x, h, INFINITY, row), 0); /* nothing can move */
}

/* The impulse on B, taken as a wrench at the origin of Jb, and its opposite on A at the same point do the work p J nu.
 * And what is read out does not depend on which side has the block. */
static void wrench_balances_power(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < PERP_JOINT_COUPLING; k++) {
            perp_joint_kind kind = (perp_joint_kind)k;
            if (perp_joint_ncoord(kind, dim) < 0) continue;
            for (int trial = 0; trial < 20; trial++) {
                perp_pose X = {any_vec(dim), any_turn(dim)};
                pp_joint_side a, b;
                perp_joint_def d = any_joint(kind, dim, X, &a, &b);
                all_extras(&d, perp_joint_ncoord(kind, dim));
                perp_vec3 p_b = perp_pose_apply(b.X_WB, d.X_BJ.p);
                perp_vec3 v_b = perp_v3_add(b.v, perp_v3_cross(b.w, perp_v3_sub(p_b, b.X_WB.p)));
                perp_vec3 v_a = perp_v3_add(a.v, perp_v3_cross(a.w, perp_v3_sub(p_b, a.X_WB.p)));
                double coord[3];
                pp_joint_coords(&d, dim, &a, &b, NULL, coord);
                perp_joint_row row[PP_JOINT_MAX_ROWS], only_a[PP_JOINT_MAX_ROWS], only_b[PP_JOINT_MAX_ROWS];
                int n = pp_joint_rows(&d, dim, &a, &b, coord, 0.01, INFINITY, row);
                pp_joint_side ka = a, kb = b;
                ka.block = kb.block = -1;
                ka.ndof = kb.ndof = 0;
                assert_int_equal(pp_joint_rows(&d, dim, &a, &kb, coord, 0.01, INFINITY, only_a), n);
                assert_int_equal(pp_joint_rows(&d, dim, &ka, &b, coord, 0.01, INFINITY, only_b), n);
                for (int i = 0; i < n; i++) {
                    double p = any();
                    perp_wrench w = pp_joint_row_wrench(&row[i], dim, &b, &d, p);
                    double on_b = perp_v3_dot(w.force, v_b) + perp_v3_dot(w.torque, b.w);
                    double on_a = -perp_v3_dot(w.force, v_a) - perp_v3_dot(w.torque, a.w);
                    NEAR(on_b, p * times(row[i].row.J[1], &b, dim), 1e-13);
                    NEAR(on_a, p * times(row[i].row.J[0], &a, dim), 1e-13);
                    /* kinematic sides: the same rate, by b_kin */
                    NEAR(only_a[i].b_kin, times(row[i].row.J[1], &b, dim), 1e-13);
                    NEAR(only_b[i].b_kin, times(row[i].row.J[0], &a, dim), 1e-13);
                    perp_wrench wa = pp_joint_row_wrench(&only_a[i], dim, &kb, &d, p);
                    perp_wrench wb = pp_joint_row_wrench(&only_b[i], dim, &b, &d, p);
                    NEAR(perp_v3_norm(perp_v3_sub(wa.force, w.force)), 0, 1e-14);
                    NEAR(perp_v3_norm(perp_v3_sub(wa.torque, w.torque)), 0, 1e-13);
                    assert_memory_equal(&wb, &w, sizeof w);
                }
            }
        }
}

/* The plane is a slice of space: 2D rows are those of 3D joints between bodies that lie in the plane. */
static void plane_is_a_slice_of_space(void **state) {
    (void)state;
    /* z of the frames of a 3D prismatic joint along x of those in the plane, and x along y */
    perp_quat swap = perp_q_from_matrix((perp_mat3){{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}});
    for (int trial = 0; trial < 50; trial++) {
        pp_joint_side a, b;
        perp_joint_def d = any_joint(PERP_JOINT_REVOLUTE, 2, perp_pose_2d(any(), any(), 3 * any()), &a, &b);
        all_extras(&d, 1);
        pp_joint_side a3 = a, b3 = b;
        a3.ndof = b3.ndof = 6;
        double c2[3], c3[3], r2[3], r3[3];
        pp_joint_coords(&d, 2, &a, &b, NULL, c2);
        pp_joint_coords(&d, 3, &a3, &b3, NULL, c3);
        pp_joint_rates(&d, 2, &a, &b, r2);
        pp_joint_rates(&d, 3, &a3, &b3, r3);
        NEAR(c2[0], c3[0], 1e-13);
        NEAR(r2[0], r3[0], 1e-13);
        perp_joint_row row2[PP_JOINT_MAX_ROWS], row3[PP_JOINT_MAX_ROWS];
        assert_int_equal(pp_joint_rows(&d, 2, &a, &b, c2, 0.01, INFINITY, row2), 2 + 5);
        assert_int_equal(pp_joint_rows(&d, 3, &a3, &b3, c3, 0.01, INFINITY, row3), 5 + 5);
        for (int i = 0; i < 7; i++) {
            const perp_joint_row *p = &row2[i], *s = &row3[i < 2 ? i : i + 3];
            for (int k = 0; k < 2; k++) {
                NEAR(p->row.J[k][0], s->row.J[k][0], 1e-14);
                NEAR(p->row.J[k][1], s->row.J[k][1], 1e-14);
                NEAR(p->row.J[k][2], s->row.J[k][5], 1e-14);
            }
            NEAR(p->b, s->b, 1e-11);
            assert_true(p->compliance == s->compliance && p->lo == s->lo && p->hi == s->hi && p->kind == s->kind);
        }
        d.kind = PERP_JOINT_PRISMATIC;
        d.axis[0] = perp_joint_def_default(PERP_JOINT_PRISMATIC).axis[0];
        perp_joint_def d3 = d;
        d3.X_AJ.q = perp_q_mul(d.X_AJ.q, swap);
        d3.X_BJ.q = perp_q_mul(d.X_BJ.q, swap);
        pp_joint_coords(&d, 2, &a, &b, NULL, c2);
        pp_joint_coords(&d3, 3, &a3, &b3, NULL, c3);
        pp_joint_rates(&d, 2, &a, &b, r2);
        pp_joint_rates(&d3, 3, &a3, &b3, r3);
        NEAR(c2[0], c3[0], 1e-14);
        NEAR(r2[0], r3[0], 1e-14);
        double phi2[6], phi3[6];
        assert_int_equal(pp_joint_errors(&d, 2, &a, &b, phi2), 2);
        assert_int_equal(pp_joint_errors(&d3, 3, &a3, &b3, phi3), 5);
        NEAR(phi2[0], phi3[0], 1e-14);
        NEAR(phi2[1], phi3[3], 1e-13); /* about y of the turned frame, which is z */
    }
}

/* A particle has no orientation: a prismatic joint is a wire for it, and nothing tries to turn it. */
static void particles_are_not_turned(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < PERP_JOINT_COUPLING; k++) {
            perp_joint_kind kind = (perp_joint_kind)k;
            if (perp_joint_ncoord(kind, dim) < 0) continue;
            perp_pose X = {any_vec(dim), any_turn(dim)};
            pp_joint_side a, b;
            perp_joint_def d = any_joint(kind, dim, X, &a, &b);
            all_extras(&d, perp_joint_ncoord(kind, dim));
            b.ndof = dim;
            b.w = perp_v3(0, 0, 0);
            double coord[3], phi[6];
            pp_joint_coords(&d, dim, &a, &b, NULL, coord);
            perp_joint_row row[PP_JOINT_MAX_ROWS];
            int n = pp_joint_rows(&d, dim, &a, &b, coord, 0.01, INFINITY, row);
            int displacements = kind == PERP_JOINT_PRISMATIC || kind == PERP_JOINT_CYLINDRICAL ? 1
                                : kind == PERP_JOINT_PLANAR                                    ? 2
                                                                                               : 0;
            assert_int_equal(n, pp_joint_ntranslation(kind, dim) + 5 * displacements);
            assert_int_equal(pp_joint_errors(&d, dim, &a, &b, phi), pp_joint_ntranslation(kind, dim));
            for (int i = 0; i < n; i++)
                for (int j = dim; j < 6; j++) assert_true(row[i].row.J[1][j] == 0);
        }
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    char why[256];
    perp_joint_def good = perp_joint_def_default(PERP_JOINT_REVOLUTE), d;
    good.X_AJ = perp_pose_2d(1, 2, 0.3);
    all_extras(&good, 1);
    good.axis[0].motor_force = INFINITY;
    good.axis[0].lo = -INFINITY;
    assert_int_equal(pp_joint_check(&good, 2, why, sizeof why), PERP_OK);
    assert_int_equal(pp_joint_check(&good, 3, why, sizeof why), PERP_OK);
#define REFUSED(dim, change, text)                                                       \
    do {                                                                                 \
        d = good;                                                                        \
        change;                                                                          \
        why[0] = 0;                                                                      \
        assert_int_equal(pp_joint_check(&d, (dim), why, sizeof why), PERP_E_ARG);        \
        if (strcmp(why, (text)) != 0) fail_msg("\"%s\" instead of \"%s\"", why, (text)); \
    } while (0)
    REFUSED(3, d.cookie = 0, "joint definition was not made by perp_joint_def_default()");
    REFUSED(3, d.kind = (perp_joint_kind)9, "joint kind 9 does not exist");
    REFUSED(3, d.kind = (perp_joint_kind)-1, "joint kind -1 does not exist");
    REFUSED(2, d.kind = PERP_JOINT_SPHERICAL, "joint kind spherical does not exist in 2D");
    REFUSED(3, d.X_AJ.p.y = NAN, "X_AJ.p = (1, nan, 0) is not finite");
    REFUSED(3, d.X_BJ.q.w = INFINITY, "X_BJ.q = (inf, 0, 0, 0) is not finite");
    REFUSED(3, d.X_BJ.q.w = 1.00001, "X_BJ.q has length 1.00001 instead of 1");
    REFUSED(3, d.X_BJ.q.w = 0, "X_BJ.q has length 0 instead of 1");
    REFUSED(2, d.X_AJ.p.z = 0.5, "X_AJ.p.z = 0.5 must be zero in 2D");
    REFUSED(2, d.X_BJ.q = ((perp_quat){0, 1, 0, 0}), "X_BJ.q = (0, 1, 0, 0) turns out of the plane in 2D");
    REFUSED(3, d.axis[0].lo = NAN, "axis[0].lo = nan is no lower limit");
    REFUSED(3, d.axis[0].lo = INFINITY, "axis[0].lo = inf is no lower limit");
    REFUSED(3, d.axis[0].hi = NAN, "axis[0].hi = nan is no upper limit");
    REFUSED(3, d.axis[0].lo = 101, "axis[0].lo = 101 is above axis[0].hi = 100");
    REFUSED(3, d.axis[0].motor_speed = INFINITY, "axis[0].motor_speed = inf is not finite");
    REFUSED(3, d.axis[0].motor_force = -1, "axis[0].motor_force = -1 must be >= 0");
    REFUSED(3, d.axis[0].motor_force = NAN, "axis[0].motor_force = nan must be >= 0");
    REFUSED(3, d.axis[0].rest = NAN, "axis[0].rest = nan is not finite");
    REFUSED(3, d.axis[0].stiffness = -1, "axis[0].stiffness = -1 must be finite and >= 0");
    REFUSED(3, d.axis[0].damping = INFINITY, "axis[0].damping = inf must be finite and >= 0");
    REFUSED(3, d.axis[0].friction = NAN, "axis[0].friction = nan must be finite and >= 0");
    REFUSED(3, d.axis[1].motor = true, "axis[1] is in use, but a revolute joint has 1 coordinate in 3D");
#undef REFUSED
    d = good;
    d.axis[0].friction = -1;
    assert_int_equal(pp_joint_check(&d, 3, NULL, 0), PERP_E_ARG); /* nobody wants the sentence */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_counts),
        cmocka_unit_test(rows_are_gradients_of_errors),
        cmocka_unit_test(rates_are_gradients_of_coordinates),
        cmocka_unit_test(coordinates_mean_what_they_say),
        cmocka_unit_test(rotation_errors_are_true_angles),
        cmocka_unit_test(table_of_williams),
        cmocka_unit_test(free_motions_are_free),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(extras_have_the_right_numbers),
        cmocka_unit_test(limits_only_within_reach),
        cmocka_unit_test(wrench_balances_power),
        cmocka_unit_test(plane_is_a_slice_of_space),
        cmocka_unit_test(particles_are_not_turned),
        cmocka_unit_test(bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
