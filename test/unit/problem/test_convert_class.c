/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_convert_class.c - problems converted from class to class: the same solutions, answers taken back, guesses taken
 * forth, pyramids that approach the cone, and memory refused anywhere */
#include "check.h"

#include <string.h>

#include "fault/allocator.h"
#include "oracle/random_problem.h"
#include "perp/solver.h"
#include "problem/stored.h"

#define MOST 400
#define GOOD 1e-10

static double natural_of(const perp_problem *p, const double *z) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    return m.natural;
}

static perp_stored *convert(const perp_problem *p, perp_class to, int facets) {
    perp_stored *s;
    assert_int_equal(perp_problem_convert(p, to, facets, NULL, &s), PERP_OK);
    assert_int_equal(perp_stored_problem(s)->cls, to);
    assert_int_equal(perp_problem_check(perp_stored_problem(s), NULL, 0), PERP_OK);
    return s;
}

/* Solves the mixed LCP that p becomes and takes the answer back to z, which must then solve p. Also: the answer taken
 * forth again solves the mixed LCP, and the sparse layout and the callback say the same as the dense one. */
static void solve_by(const char *solver, const perp_problem *p, double *z) {
    static double x[MOST], again[MOST], w[MOST], v[MOST];
    perp_stored *dense = convert(p, PERP_MLCP, 8), *sparse = convert(p, PERP_SPARSE_MLCP, 8),
                *ncp = convert(p, PERP_NCP, 8);
    const perp_problem *d = perp_stored_problem(dense);
    int n = perp_problem_size(d);
    assert_true(n <= MOST);
    memset(x, 0, sizeof x);
    assert_int_equal(perp_problem_solve(d, solver, x, NULL), PERP_OK);
    assert_below(natural_of(d, x), GOOD);
    assert_below(natural_of(perp_stored_problem(sparse), x), GOOD);
    assert_below(natural_of(perp_stored_problem(ncp), x), GOOD);
    assert_int_equal(perp_stored_answer(dense, x, z), PERP_OK);
    assert_below(natural_of(p, z), GOOD);
    pp_stored_forth(dense, z, again);
    assert_below(natural_of(d, again), GOOD);
    assert_int_equal(perp_stored_answer(sparse, again, v), PERP_OK);
    for (int i = 0; i < perp_problem_size(p); i++) assert_near(v[i], z[i], 1e-12 * (1 + fabs(z[i])));
    const perp_ncp *f = &perp_stored_problem(ncp)->as.ncp;
    assert_true(f->F(x, w, f->ctx));
    for (int i = 0; i < n; i++) {
        double sum = d->as.mlcp.q[i];
        for (int j = 0; j < n; j++) sum += d->as.mlcp.M[i + n * j] * x[j];
        assert_near(w[i], sum, 1e-12 * (1 + fabs(sum)));
    }
    perp_stored_free(dense);
    perp_stored_free(sparse);
    perp_stored_free(ncp);
}

/* LCP -> mixed -> sparse -> dense -> LCP gives back every number; the callback's derivative is M. */
static void test_layouts(void **state) {
    (void)state;
    for (int k = 0; k < 60; k++) {
        int n = 1 + rp_int(12);
        double M[24 * 24], q[24], zs[24], ws[24], J[24 * 24];
        rp_lcp(k % RP_KINDS, n, M, q);
        for (int i = 0; i < n; i++) zs[i] = 0.5 + rp_unit(), ws[i] = 0.5 + rp_unit();
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}, .z_scale = zs, .w_scale = ws};
        perp_stored *a = convert(&p, PERP_MLCP, 0), *b = convert(perp_stored_problem(a), PERP_SPARSE_MLCP, 0);
        perp_stored *c = convert(perp_stored_problem(b), PERP_MLCP, 0),
                    *d = convert(perp_stored_problem(c), PERP_LCP, 0);
        const perp_lcp *l = &perp_stored_problem(d)->as.lcp;
        assert_memory_equal(l->M, M, sizeof(double) * (size_t)(n * n));
        assert_memory_equal(l->q, q, sizeof(double) * (size_t)n);
        assert_memory_equal(perp_stored_problem(d)->z_scale, zs, sizeof(double) * (size_t)n);
        assert_memory_equal(perp_stored_problem(d)->w_scale, ws, sizeof(double) * (size_t)n);
        assert_true(l->M != M && l->q != q); /* copies */
        const perp_sparse *S = &perp_stored_problem(b)->as.sparse_mlcp.M;
        for (int e = 0; e < S->start[n]; e++) assert_true(S->value[e] != 0);
        perp_stored *e = convert(&p, PERP_NCP, 0), *f = convert(perp_stored_problem(b), PERP_NCP, 0);
        const perp_ncp *dense = &perp_stored_problem(e)->as.ncp, *sparse = &perp_stored_problem(f)->as.ncp;
        assert_null(dense->start);
        assert_true(dense->J(q, J, dense->ctx));
        assert_memory_equal(J, M, sizeof(double) * (size_t)(n * n));
        assert_true(sparse->J(q, J, sparse->ctx));
        assert_memory_equal(J, S->value, sizeof(double) * (size_t)S->start[n]);
        perp_stored *all[] = {a, b, c, d, e, f};
        for (int i = 0; i < 6; i++) perp_stored_free(all[i]);
        double z[24];
        solve_by("lemke", &p, z);
    }
}

/* --- QP --- */

typedef struct qp {
    perp_problem p;
    int start[12], index[100], A_start[12], A_index[100];
    double value[100], A_value[100], c[10], lo[10], hi[10], row_lo[8], row_hi[8];
} qp;

/* n variables, m rows of every kind (two-sided, one-sided, equation, none), feasible at a known point. */
static void random_qp(qp *a, int n, int m, bool bounds) {
    double B[100], x[10];
    memset(a, 0, sizeof *a);
    int rank = 1 + rp_int(n);
    for (int i = 0; i < n * rank; i++) B[i] = rp_sym();
    for (int j = 0; j < n; j++) {
        x[j] = rp_sym();
        a->c[j] = rp_sym();
        a->lo[j] = rp_int(3) ? -2 - rp_unit() : -INFINITY;
        a->hi[j] = rp_int(3) ? 2 + rp_unit() : INFINITY;
        if (rp_int(6) == 0) a->lo[j] = a->hi[j] = x[j];
        a->start[j + 1] = n * (j + 1);
        for (int i = 0; i < n; i++) {
            double sum = i == j ? 0.01 : 0;
            for (int k = 0; k < rank; k++) sum += B[i + n * k] * B[j + n * k];
            a->index[n * j + i] = i;
            a->value[n * j + i] = sum;
        }
    }
    double Ax[8] = {0};
    int nnz = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            if (rp_int(4) == 0) continue;
            a->A_index[nnz] = i;
            a->A_value[nnz] = rp_sym();
            Ax[i] += a->A_value[nnz++] * x[j];
        }
        a->A_start[j + 1] = nnz;
    }
    for (int i = 0; i < m; i++) {
        int kind = rp_int(5);
        a->row_lo[i] = kind == 0 || kind == 1 ? Ax[i] - 0.3 * rp_unit() : kind == 3 ? Ax[i] : -INFINITY;
        a->row_hi[i] = kind == 0 || kind == 2 ? Ax[i] + 0.3 * rp_unit() : kind == 3 ? Ax[i] : INFINITY;
    }
    a->p = (perp_problem){.cls = PERP_QP,
                          .as.qp = {.n = n,
                                    .m = m,
                                    .Q = {n, n, a->start, a->index, a->value},
                                    .c = a->c,
                                    .lo = bounds ? a->lo : NULL,
                                    .hi = bounds ? a->hi : NULL,
                                    .A = {m, n, a->A_start, a->A_index, a->A_value},
                                    .row_lo = a->row_lo,
                                    .row_hi = a->row_hi}};
}

/* The optimality conditions of perp_qp, spelled out: largest violation. */
static double qp_error(const perp_qp *p, const double *z) {
    double worst = 0, g[10], Ax[8] = {0};
    for (int j = 0; j < p->n; j++) g[j] = p->c[j];
    for (int j = 0; j < p->n; j++) {
        for (int k = p->Q.start[j]; k < p->Q.start[j + 1]; k++) g[p->Q.index[k]] += p->Q.value[k] * z[j];
        for (int k = p->A.start[j]; k < p->A.start[j + 1]; k++) {
            Ax[p->A.index[k]] += p->A.value[k] * z[j];
            g[j] -= p->A.value[k] * z[p->n + p->A.index[k]];
        }
    }
    for (int j = 0; j < p->n; j++) {
        double lo = p->lo ? p->lo[j] : -INFINITY, hi = p->hi ? p->hi[j] : INFINITY;
        worst = fmax(worst, fmax(lo - z[j], z[j] - hi));
        worst = fmax(worst, fmin(fmax(0, g[j]), z[j] - lo)); /* a slope > 0 only at lo */
        worst = fmax(worst, fmin(fmax(0, -g[j]), hi - z[j]));
    }
    for (int i = 0; i < p->m; i++) {
        double y = z[p->n + i];
        worst = fmax(worst, fmax(p->row_lo[i] - Ax[i], Ax[i] - p->row_hi[i]));
        worst = fmax(worst, fmin(fmax(0, y), Ax[i] - p->row_lo[i]));
        worst = fmax(worst, fmin(fmax(0, -y), p->row_hi[i] - Ax[i]));
    }
    return worst;
}

static void test_qp(void **state) {
    (void)state;
    static qp a;
    for (int k = 0; k < long_run(160); k++) {
        random_qp(&a, 1 + rp_int(6), rp_int(6), k % 3 > 0);
        double z[20];
        solve_by("enumerate", &a.p, z);
        assert_below(qp_error(&a.p.as.qp, z), 1e-9);
    }
    /* by hand: min (x - 3)^2/2 with 0 <= x <= 1 as a row, y = Q x + c = -2 at the upper end */
    const int start[] = {0, 1}, index[] = {0};
    const double one[] = {1}, c[] = {-3}, lo[] = {0}, hi[] = {1};
    perp_problem p = {.cls = PERP_QP,
                      .as.qp = {1, 1, {1, 1, start, index, one}, c, NULL, NULL, {1, 1, start, index, one}, lo, hi}};
    double z[2];
    solve_by("enumerate", &p, z);
    assert_near(z[0], 1, 1e-12);
    assert_near(z[1], -2, 1e-12);
}

/* --- cones --- */

static rp_step step;

/* A random step problem as a stored cone problem. */
static perp_stored *random_cone(int dim, bool joints) {
    rp_options o = {.dim = dim, .blocks = 1 + rp_int(3), .contacts = 1 + rp_int(4), .mu = 1.2, .mass_ratio = 100};
    if (joints) o.bilateral = rp_int(2), o.limits = rp_int(3), o.boxes = rp_int(2), o.fixed = rp_int(2);
    rp_step_make(&step, &o);
    perp_stored *s = pp_stored_new(NULL);
    assert_non_null(s);
    assert_int_equal(pp_stored_set_step(s, &step.p), PERP_OK);
    assert_true(perp_stored_step(s) != &step.p && perp_stored_step(s)->njoint == step.p.njoint);
    return s;
}

/* Plane problems and their cones are one and the same: Coulomb's law is met to the last digits. With axes too, which in
 * the plane only multiply mu. */
static void test_plane_cones(void **state) {
    (void)state;
    double z[MOST], axes[RP_ROWS];
    for (int k = 0; k < long_run(160); k++) {
        perp_stored *s = random_cone(2, k % 2);
        perp_problem p = *perp_stored_problem(s);
        for (int i = 0; i < p.as.cone.ncontact; i++) axes[i] = rp_int(6) ? 0.2 + rp_unit() : 0;
        if (k % 3 == 0) p.as.cone.axes = axes;
        solve_by("lemke", &p, z);
        perp_stored *local;
        assert_int_equal(perp_cone_condense(&p, NULL, &local), PERP_OK);
        assert_below(natural_of(perp_stored_problem(local), z), GOOD);
        solve_by("lemke", perp_stored_problem(local), z);
        perp_stored_free(local);
        perp_stored_free(s);
    }
}

/* A block on a slope of one in one, by hand: inverse mass 2, approach 1, slip 3 before, mu = 0.5. r_N = 0.5, it slides
 * on with 3 - 2 * 0.25 = 2.5; residuals of a wrong answer are velocities. */
static void test_scales(void **state) {
    (void)state;
    const int start[] = {0, 1, 2}, index[] = {0, 1};
    const double W[] = {2, 2}, q[] = {-1, 3}, mu[] = {0.5};
    perp_problem p = {.cls = PERP_CONE,
                      .as.cone = {.dim = 2, .ncontact = 1, .mu = mu, .W = {2, 2, start, index, W}, .q = q}};
    perp_stored *s = convert(&p, PERP_MLCP, 0);
    const perp_problem *m = perp_stored_problem(s);
    double r[2], z[4] = {0.5, 0, 0.25, 2.5};
    assert_int_equal(perp_problem_size(m), 4);
    assert_below(perp_problem_residual(m, z), 1e-15);
    assert_int_equal(perp_stored_answer(s, z, r), PERP_OK);
    assert_near(r[0], 0.5, 0);
    assert_near(r[1], -0.25, 0);
    z[0] = 0.6; /* 0.1 of impulse too much: the contact opens with 0.2, and friction is short of 0.05, worth 0.1 */
    assert_near(perp_problem_residual(m, z), 0.2, 1e-14);
    z[0] = 0.5, z[2] = 0.15, z[3] = 2.7; /* friction alone short of 0.1, worth 0.2 */
    assert_near(perp_problem_residual(m, z), 0.2, 1e-14);
    perp_stored_free(s);
}

/* Cone QP in the plane: the same W with other laws, and they differ where it slides: u leaves along mu |u_T|. */
static void test_cone_qp(void **state) {
    (void)state;
    double z[MOST];
    for (int k = 0; k < long_run(100); k++) {
        perp_stored *s = random_cone(2, k % 2);
        perp_problem p = *perp_stored_problem(s);
        p.cls = PERP_CONE_QP;
        solve_by("lemke", &p, z);
        perp_stored_free(s);
    }
    const int start[] = {0, 1, 2}, index[] = {0, 1};
    const double W[] = {1, 1}, q[] = {-1, 3}, mu[] = {0.5}, none[] = {0};
    perp_problem p = {.cls = PERP_CONE_QP,
                      .as.cone = {.dim = 2, .ncontact = 1, .mu = mu, .W = {2, 2, start, index, W}, .q = q}};
    solve_by("enumerate", &p, z); /* along the edge (1, -1/2): 1.25 r_N = 1 + 1.5 */
    assert_near(z[0], 2, 1e-12);
    assert_near(z[1], -1, 1e-12);
    p.as.cone.mu = none; /* without friction both laws are one */
    perp_stored *s = convert(&p, PERP_CONE, 0);
    solve_by("enumerate", perp_stored_problem(s), z);
    assert_near(z[0], 1, 1e-12);
    assert_near(z[1], 0, 0);
    perp_stored_free(s);
}

/* 3D without friction is exact; with one axis it is a wedge; torsion is out of reach. */
static void test_which(void **state) {
    (void)state;
    double z[MOST];
    for (int k = 0; k < long_run(60); k++) {
        perp_stored *s = random_cone(3, true), *none;
        perp_problem p = *perp_stored_problem(s);
        int nc = p.as.cone.ncontact;
        double mu[RP_ROWS], axes[2 * RP_ROWS];
        for (int i = 0; i < nc; i++) {
            mu[i] = k % 2 ? rp_unit() : 0;
            axes[2 * i] = axes[2 * i + 1] = 0;
            axes[2 * i + rp_int(2)] = rp_int(4) ? 0.5 + rp_unit() : 0;
        }
        p.as.cone.mu = mu;
        if (k % 2) p.as.cone.axes = axes;
        assert_true(pp_convert_lossless(&p, PERP_MLCP));
        bool friction = false;
        for (int i = 0; i < nc; i++) friction = friction || (mu[i] > 0 && axes[2 * i] + axes[2 * i + 1] > 0);
        assert_int_equal(pp_convert_lossless(&p, PERP_CONE_QP), !friction || k % 2 == 0);
        solve_by("lemke", &p, z);
        assert_int_equal(perp_problem_convert(&p, PERP_LCP, 4, NULL, &none), PERP_E_FIT);
        assert_null(none);
        perp_stored_free(s);
    }
    const int start[] = {0, 1, 2, 3, 4}, index[] = {0, 1, 2, 3};
    const double W[] = {1, 1, 1, 1}, q[] = {-1, 1, 0, 1}, mu[] = {0.5};
    double axes[] = {1, 1, 0.1};
    perp_problem p = {
        .cls = PERP_CONE,
        .as.cone = {.dim = 4, .ncontact = 1, .mu = mu, .axes = axes, .W = {4, 4, start, index, W}, .q = q}};
    perp_stored *s;
    assert_int_equal(perp_problem_convert(&p, PERP_MLCP, 8, NULL, &s), PERP_E_FIT);
    axes[2] = 0;
    assert_int_equal(perp_problem_convert(&p, PERP_MLCP, 7, NULL, &s), PERP_E_ARG);
    assert_int_equal(perp_problem_convert(&p, PERP_MLCP, 2, NULL, &s), PERP_E_ARG);
    solve_by("enumerate", &p, z); /* along a direction of the pyramid it is exact */
    assert_near(z[0], 1, 1e-12);
    assert_near(z[1], -0.5, 1e-12);
    assert_near(z[3], 0, 0);
    axes[1] = 0, axes[2] = 0.1; /* tangent and torsion: an ellipse as any other */
    s = convert(&p, PERP_MLCP, 8);
    perp_stored_free(s);
    axes[0] = 0; /* torsion alone: a wedge */
    assert_true(pp_convert_lossless(&p, PERP_MLCP));
    solve_by("enumerate", &p, z);
    assert_near(z[3], -0.05, 1e-12);
    p.cls = PERP_LCP, p.as.lcp = (perp_lcp){1, W, q};
    assert_int_equal(perp_problem_convert(&p, PERP_CONE, 0, NULL, &s), PERP_E_FIT);
    assert_int_equal(perp_problem_convert(&p, PERP_QP, 0, NULL, &s), PERP_E_FIT);
    assert_int_equal(perp_cone_condense(&p, NULL, &s), PERP_E_FIT);
    assert_int_equal(perp_problem_convert(NULL, PERP_LCP, 0, NULL, &s), PERP_E_ARG);
    s = pp_stored_new(NULL);
    assert_true(pp_stored_copy(s, &p));
    assert_int_equal(perp_stored_answer(s, z, z), PERP_E_ARG); /* not converted */
    assert_string_equal(perp_stored_title(s), "");
    assert_true(pp_stored_set_title(s, "four feet"));
    assert_true(pp_stored_set_guess(s, q));
    assert_string_equal(perp_stored_title(s), "four feet");
    assert_true(perp_stored_guess(s)[0] == -1 && !perp_stored_step(s));
    perp_stored_free(s);
    perp_stored_free(NULL);
}

/* One contact with W = 1/m: closed form u_T = q_T (1 - mu v_n/|q_T|), r_N = m v_n. The pyramid's slip may turn by
 * pi/facets, and its error falls accordingly. With elliptic axes the judge's figure falls likewise. */
static void test_pyramid_converges(void **state) {
    (void)state;
    const int start[] = {0, 1, 2, 3}, index[] = {0, 1, 2};
    const double m = 3, W[] = {1 / m, 1 / m, 1 / m}, mu[] = {0.6};
    double worst[8] = {0}, ellipse[8] = {0};
    for (int turn = 0; turn < 40; turn++) {
        double a = 0.17 * turn, q[] = {-1.5, 2 * cos(a), 2 * sin(a)}, axes[] = {1, 0.4}, r[3], u[3];
        perp_problem p = {.cls = PERP_CONE,
                          .as.cone = {.dim = 3, .ncontact = 1, .mu = mu, .W = {3, 3, start, index, W}, .q = q}};
        for (int level = 0; level < 6; level++) {
            for (int round = 0; round < 2; round++) {
                static double x[300];
                p.as.cone.axes = round ? axes : NULL;
                perp_stored *s = convert(&p, PERP_MLCP, 4 << level);
                memset(x, 0, sizeof x);
                assert_int_equal(perp_problem_solve(perp_stored_problem(s), "lemke", x, NULL), PERP_OK);
                assert_below(natural_of(perp_stored_problem(s), x), GOOD);
                assert_int_equal(perp_stored_answer(s, x, r), PERP_OK);
                perp_stored_free(s);
                if (round) {
                    ellipse[level] = fmax(ellipse[level], natural_of(&p, r));
                    continue;
                }
                assert_int_equal(perp_cone_velocity(&p.as.cone, r, u, NULL), PERP_OK);
                double f = 1 - mu[0] * 1.5 / 2;
                assert_near(r[0], 1.5 * m, 1e-10);
                worst[level] = fmax(worst[level], hypot(u[1] - f * q[1], u[2] - f * q[2]));
            }
        }
    }
    for (int level = 0; level < 6; level++) {
        double bound = 3.141592653589793 / (4 << level); /* turn of the slip */
        assert_below(worst[level], 2 * bound);
        assert_below(ellipse[level], 4 * bound);
    }
    assert_below(worst[5], worst[0] / 16);
    assert_below(ellipse[5], ellipse[0] / 16);
    assert_true(worst[0] > 0.1); /* a pyramid of four is far off, so there was something to converge */
}

/* --- condensing --- */

/* Velocities from W r + q and from M, H agree, whatever the shape of M: small blocks, one large part, unsymmetric. */
static void test_condense(void **state) {
    (void)state;
    enum { N = 90, M = 12 };
    static int start[N + 1], index[5 * N], H_start[M + 1], H_index[6 * M];
    static double value[5 * N], H_value[6 * M], f[N], b[M], c[M], r[M], u[M], v[M];
    const double mu[4] = {0.3, 0.5, 0, 1};
    for (int kind = 0; kind < 4; kind++) { /* diagonal; tridiagonal over all; the same unsymmetric; blocks of three */
        int nnz = 0;
        for (int j = 0; j < N; j++) {
            start[j] = nnz;
            for (int i = kind == 3 ? j / 3 * 3 : j - 1; i < N && i <= (kind == 3 ? j / 3 * 3 + 2 : j + 1); i++) {
                if (i < 0 || (kind == 0 && i != j)) continue;
                index[nnz] = i;
                value[nnz++] = i == j ? 3 + j % 5 : kind == 2 && i < j ? -0.7 : 1;
            }
        }
        start[N] = nnz;
        nnz = 0;
        for (int j = 0; j < M; j++) {
            H_start[j] = nnz;
            for (int k = 0; k < 6; k++) {
                H_index[nnz] = 15 * k + (k == 2 ? 0 : rp_int(15)); /* rows that meet at a dof */
                H_value[nnz++] = rp_sym();
            }
            b[j] = rp_sym(), c[j] = rp_int(2) ? 0 : rp_unit(), r[j] = rp_sym();
        }
        H_start[M] = nnz;
        for (int i = 0; i < N; i++) f[i] = rp_sym();
        perp_problem p = {.cls = PERP_CONE,
                          .as.cone = {.dim = 3,
                                      .ncontact = 4,
                                      .mu = mu,
                                      .global = true,
                                      .M = {N, N, start, index, value},
                                      .H = {N, M, H_start, H_index, H_value},
                                      .f = f,
                                      .b = b,
                                      .compliance = kind % 2 ? c : NULL}};
        perp_stored *s;
        assert_int_equal(perp_cone_condense(&p, NULL, &s), PERP_OK);
        const perp_cone *l = &perp_stored_problem(s)->as.cone;
        assert_false(l->global);
        assert_int_equal(perp_cone_velocity(&p.as.cone, r, u, NULL), PERP_OK);
        assert_int_equal(perp_cone_velocity(l, r, v, NULL), PERP_OK);
        bool symmetric = true;
        static double W[M * M];
        memset(W, 0, sizeof W);
        for (int j = 0; j < M; j++) {
            assert_near(u[j], v[j], 1e-12);
            for (int k = l->W.start[j]; k < l->W.start[j + 1]; k++) W[l->W.index[k] + M * j] = l->W.value[k];
        }
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++) symmetric = symmetric && W[i + M * j] == W[j + M * i];
        assert_int_equal(symmetric, kind != 2); /* to the bit if M is */
        perp_stored_free(s);
        if (kind == 0) { /* a body without mass */
            value[7] = 0;
            assert_int_not_equal(perp_cone_condense(&p, NULL, &s), PERP_OK);
            assert_null(s);
        }
    }
}

/* --- memory --- */

static void refuse_each(const perp_problem *p, perp_class to) {
    for (long k = 0;; k++) {
        counter c = {.refuse = k};
        perp_allocator a = counting(&c);
        perp_stored *s;
        perp_status status = perp_problem_convert(p, to, 4, &a, &s);
        if (status) {
            assert_int_equal(status, PERP_E_MEMORY);
            assert_null(s);
        }
        assert_int_equal(c.refused > 0, status != PERP_OK);
        perp_stored_free(s);
        assert_int_equal(c.live, 0);
        if (!c.refused) break;
    }
}

static void test_memory(void **state) {
    (void)state;
    static qp a;
    double M[24 * 24], q[24];
    const perp_class linear[] = {PERP_MLCP, PERP_SPARSE_MLCP, PERP_NCP};
    random_qp(&a, 6, 5, true);
    rp_lcp(RP_P, 6, M, q);
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {6, M, q}};
    perp_stored *cone = random_cone(3, true);
    for (int k = 0; k < 3; k++) {
        refuse_each(&p, linear[k]);
        refuse_each(&a.p, linear[k]);
        refuse_each(perp_stored_problem(cone), linear[k]);
    }
    refuse_each(&p, PERP_LCP);
    refuse_each(&a.p, PERP_QP);
    refuse_each(perp_stored_problem(cone), PERP_CONE);
    perp_stored_free(cone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_qp),
        cmocka_unit_test(test_plane_cones),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_cone_qp),
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_pyramid_converges),
        cmocka_unit_test(test_condense),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
