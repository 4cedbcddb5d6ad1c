/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_measure.c - the judge of complementarity problems and quadratic programmes: answers by hand, answers built to be
 * exact, the same problem in four classes, and units that must not matter */
#include <math.h>
#include <string.h>

#include "check.h"
#include "fault/allocator.h"
#include "oracle/random_problem.h"
#include "perp/problem.h"
#include "unit/sparse_help.h"

#define N 24

static double worst(const perp_measures *m) {
    return fmax(fmax(fmax(m->natural, m->fischer), fmax(m->complementarity, m->dissipation)),
                fmax(m->infeasible_z, m->infeasible_w));
}

static perp_measures measure(const perp_problem *p, const double *z) {
    perp_measures m;
    char why[200];
    if (perp_problem_check(p, why, sizeof why)) fail_msg("%s", why);
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    return m;
}

static void assert_same(const perp_measures *x, const perp_measures *y, double tol) {
    assert_near(x->natural, y->natural, tol * (1 + y->natural));
    assert_near(x->fischer, y->fischer, tol * (1 + y->fischer));
    assert_near(x->complementarity, y->complementarity, tol * (1 + y->complementarity));
    assert_near(x->infeasible_z, y->infeasible_z, tol * (1 + y->infeasible_z));
    assert_near(x->infeasible_w, y->infeasible_w, tol * (1 + y->infeasible_w));
    assert_true(x->dissipation == 0 && y->dissipation == 0);
}

/* A mixed LCP with an exact answer z, and the same as sparse matrix and callback. */
typedef struct mixed {
    int n, nnz;
    double M[N * N], q[N], lo[N], hi[N], z[N], w[N], z_scale[N], w_scale[N], value[N * N];
    int start[N + 1], index[N * N];
    perp_problem dense, sparse, ncp;
    bool undefined;
} mixed;

static mixed a, b;

static bool F(const double *z, double *w, void *ctx) {
    const mixed *p = ctx;
    for (int i = 0; i < p->n; i++) {
        w[i] = p->q[i];
        for (int j = 0; j < p->n; j++) w[i] += p->M[i + p->n * j] * z[j];
    }
    return !p->undefined;
}

static bool J_sparse(const double *z, double *value, void *ctx) {
    (void)z;
    const mixed *p = ctx;
    memcpy(value, p->value, sizeof(double) * (size_t)p->nnz);
    return true;
}

static bool J_dense(const double *z, double *value, void *ctx) {
    (void)z;
    const mixed *p = ctx;
    memcpy(value, p->M, sizeof(double) * (size_t)(p->n * p->n));
    return true;
}

static void wrap(mixed *p, bool scaled) {
    p->nnz = 0;
    for (int j = 0; j < p->n; j++) {
        p->start[j] = p->nnz;
        for (int i = 0; i < p->n; i++)
            if (p->M[i + p->n * j] != 0) p->index[p->nnz] = i, p->value[p->nnz++] = p->M[i + p->n * j];
    }
    p->start[p->n] = p->nnz;
    p->dense = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {p->n, p->M, p->q, p->lo, p->hi}};
    p->sparse =
        (perp_problem){.cls = PERP_SPARSE_MLCP,
                       .as.sparse_mlcp = {p->n, {p->n, p->n, p->start, p->index, p->value}, p->q, p->lo, p->hi}};
    p->ncp = (perp_problem){.cls = PERP_NCP, .as.ncp = {.n = p->n, .lo = p->lo, .hi = p->hi, .F = F, .ctx = p}};
    perp_problem *all[] = {&p->dense, &p->sparse, &p->ncp};
    for (int k = 0; k < 3 && scaled; k++) all[k]->z_scale = p->z_scale, all[k]->w_scale = p->w_scale;
}

static void make(mixed *p, bool scaled) {
    memset(p, 0, sizeof *p);
    p->n = 1 + rp_int(N);
    for (int i = 0; i < p->n; i++) {
        int kind = rp_int(6), at = rp_int(3); /* lower, both, upper, free, fixed, ordinary */
        p->lo[i] = kind == 5 ? 0 : kind == 2 || kind == 3 ? -INFINITY : rp_sym();
        p->hi[i] = kind == 0 || kind == 3 || kind == 5 ? INFINITY
                   : kind == 4                         ? p->lo[i]
                   : kind == 2                         ? rp_sym()
                                                       : p->lo[i] + 1;
        p->z[i] = p->lo[i] > -INFINITY  ? p->lo[i] + rp_unit() * (kind != 4)
                  : p->hi[i] < INFINITY ? p->hi[i] - rp_unit()
                                        : rp_sym();
        if (kind == 4) p->w[i] = rp_sym();
        if (at == 1 && p->lo[i] > -INFINITY) p->z[i] = p->lo[i], p->w[i] = rp_unit();
        if (at == 2 && p->hi[i] < INFINITY) p->z[i] = p->hi[i], p->w[i] = -rp_unit();
        for (int j = 0; j < p->n; j++) p->M[i + p->n * j] = rp_int(2) ? rp_sym() : 0;
        p->M[i + p->n * i] += 1;
        p->z_scale[i] = exp(2 * rp_sym()), p->w_scale[i] = exp(2 * rp_sym());
    }
    for (int i = 0; i < p->n; i++) {
        p->q[i] = p->w[i];
        for (int j = 0; j < p->n; j++) p->q[i] -= p->M[i + p->n * j] * p->z[j];
    }
    wrap(p, scaled);
}

static void test_by_hand(void **state) {
    (void)state;
    double M[] = {4, 1, 0, 2}, q[] = {-8, 3}, z[] = {2, 0}; /* w = (0, 5) */
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    perp_measures m = measure(&p, z);
    assert_true(worst(&m) == 0 && m.raw == 0 && m.siconos == 0 && m.largest == 2);
    assert_true(m.w_unit == 8 && m.z_unit == 2); /* max |q|, over max |M| */
    z[0] = 2.25, z[1] = -0.5;                    /* w = (1, 4.25) */
    m = measure(&p, z);
    assert_true(m.natural == 0.25 && m.raw == 1); /* in units z = (1.125, -0.25), w = (0.125, 0.53125) */
    assert_true(m.infeasible_z == 0.25 && m.infeasible_w == 0);
    assert_near(m.complementarity, 1.125 * 0.125, 1e-16);
    assert_near(m.fischer, hypot(0.25, 0.53125) + 0.25 - 0.53125, 1e-15);
    assert_near(m.siconos, 1 / hypot(8, 3), 1e-16);
    double zs[] = {0.5, 2}, ws[] = {1, 2};
    p.z_scale = zs, p.w_scale = ws; /* z = (4.5, -0.25), w = (1, 2.125), unit 8 */
    m = measure(&p, z);
    assert_true(m.z_unit == 8 && m.w_unit == 8 && m.natural == 0.125 && m.infeasible_z == 0.03125);
    assert_true(perp_problem_residual(&p, z) == 1);
    q[0] = q[1] = 0; /* nothing to compare with: over 1 */
    p.z_scale = p.w_scale = NULL;
    z[0] = z[1] = 0;
    m = measure(&p, z);
    assert_true(worst(&m) == 0 && m.w_unit == 1 && m.z_unit == 0.25);
    /* one row of each kind of bounds, M = 1, q = -4 or 4 */
    const struct {
        double lo, hi, q, z, natural, infeasible_z, infeasible_w, complementarity;
    } c[] = {
        {-1, 1, -4, 1, 0, 0, 0, 0},                     /* at hi, w = -3 */
        {-1, 1, -4, 0, 0.25, 0, 0, 0.25},               /* a = 1, w = -4 */
        {-1, 1, 4, 0, 0.25, 0, 0, 0.25},                /* the other side */
        {-1, 1, 4, -1, 0, 0, 0, 0},                     /* */
        {-1, 1, 4, -1.5, 0.125, 0.125, 0, 0.078125},    /* beyond: a = -0.5, w = 2.5 */
        {-INFINITY, INFINITY, -4, 3, 0.25, 0, 0.25, 0}, /* free, w = -1 */
        {-INFINITY, 6, 4, 6, 2.5, 0, 2.5, 0},           /* w = 10 at an upper bound */
        {2, 2, -4, 2, 0, 0, 0, 0},                      /* fixed, any w */
        {0, INFINITY, -4, 0, 1, 0, 1, 0},               /* w = -4 */
    };
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        double one = 1;
        perp_problem s = {.cls = PERP_MLCP, .as.mlcp = {1, &one, &c[k].q, &c[k].lo, &c[k].hi}};
        m = measure(&s, &c[k].z);
        assert_near(m.natural, c[k].natural, 1e-15);
        assert_near(m.infeasible_z, c[k].infeasible_z, 1e-15);
        assert_near(m.infeasible_w, c[k].infeasible_w, 1e-15);
        assert_near(m.complementarity, c[k].complementarity, 1e-15);
        assert_true((m.fischer < 1e-15) == (m.natural == 0));
    }
}

static void test_exact_and_perturbed(void **state) {
    (void)state;
    for (int round = 0; round < long_run(2000); round++) {
        make(&a, round % 2);
        perp_problem dense_j = a.ncp, sparse_j = a.ncp;
        dense_j.as.ncp.J = J_dense;
        sparse_j.as.ncp.J = J_sparse, sparse_j.as.ncp.start = a.start, sparse_j.as.ncp.index = a.index;
        const perp_problem *all[] = {&a.dense, &a.sparse, &dense_j, &sparse_j, &a.ncp};
        double z[N], eps = 1e-6;
        perp_measures off = {0};
        for (int i = 0; i < a.n; i++) z[i] = a.z[i] + eps * (rp_int(2) ? 1 : -1) * (0.5 + rp_unit());
        for (int k = 0; k < 5; k++) {
            perp_measures m = measure(all[k], a.z), n = measure(all[k], z);
            assert_below(worst(&m), 3e-14);
            assert_below(perp_problem_residual(all[k], a.z), 1e-13);
            if (k == 0) {
                off = n;
                assert_true(off.natural > 1e-4 * eps && off.natural < 1e4 * eps && off.fischer > 1e-4 * eps);
            } else { /* differences: the unit is known to a few digits only */
                assert_same(&n, &off, k == 4 ? 1e-6 : 1e-14);
                assert_near(perp_problem_residual(all[k], z), perp_problem_residual(&a.dense, z), 1e-14);
                assert_near(n.raw, off.raw, 1e-14);
                assert_near(n.z_unit, off.z_unit, (k == 4 ? 1e-6 : 1e-15) * off.z_unit);
                assert_near(n.siconos, off.siconos, 1e-14);
            }
        }
        if (a.dense.z_scale) assert_near(off.natural * off.z_unit, perp_problem_residual(&a.dense, z), 1e-14);
        assert_near(off.raw, perp_mlcp_residual(&a.dense.as.mlcp, z), 1e-14);
    }
}

/* z in units of 1/x, w in units of 1/y. */
static void test_units(void **state) {
    (void)state;
    for (int round = 0; round < long_run(500); round++) {
        make(&a, round % 2);
        double z[N], y[N], zu = pow(10, 6 * rp_sym()), wu = pow(10, 6 * rp_sym());
        for (int i = 0; i < a.n; i++) z[i] = a.z[i] + rp_sym() * pow(10, -8 * rp_unit());
        perp_measures before = measure(&a.dense, z);
        b = a;
        for (int i = 0; i < a.n; i++) {
            b.lo[i] *= zu, b.hi[i] *= zu, b.q[i] *= wu, b.z_scale[i] *= zu, b.w_scale[i] *= wu, y[i] = z[i] * zu;
            for (int j = 0; j < a.n; j++) b.M[i + a.n * j] *= wu / zu;
        }
        wrap(&b, round % 2);
        perp_measures after = measure(&b.dense, y);
        assert_same(&after, &before, 1e-12);
        after = measure(&b.sparse, y);
        assert_same(&after, &before, 1e-12);
    }
}

static void test_undefined(void **state) {
    (void)state;
    make(&a, false);
    perp_measures m;
    double z[N];
    a.undefined = true;
    assert_int_equal(perp_problem_measure(&a.ncp, a.z, &m), PERP_OK);
    assert_true(m.natural == INFINITY && m.raw == INFINITY && perp_problem_residual(&a.ncp, a.z) == INFINITY);
    a.undefined = false;
    const perp_problem *all[] = {&a.dense, &a.sparse, &a.ncp};
    for (int k = 0; k < 3; k++)
        for (int inf = 0; inf < 2; inf++) {
            memcpy(z, a.z, sizeof z);
            z[rp_int(a.n)] = inf ? INFINITY : NAN;
            assert_int_equal(perp_problem_measure(all[k], z, &m), PERP_OK);
            assert_true(m.natural == INFINITY && m.largest == INFINITY);
            assert_true(perp_problem_residual(all[k], z) == INFINITY);
        }
    assert_int_equal(perp_problem_measure(&a.dense, NULL, &m), PERP_E_ARG);
    assert_int_equal(perp_problem_measure(&a.dense, z, NULL), PERP_E_ARG);
    assert_int_equal(perp_problem_measure(NULL, z, &m), PERP_E_ARG);
    assert_int_equal(perp_judge_new(&a.dense, NULL, NULL), PERP_E_ARG);
    assert_int_equal(perp_judge_measure(NULL, z, &m), PERP_E_ARG);
    a.q[0] = NAN;
    assert_int_equal(perp_problem_measure(&a.dense, a.z, &m), PERP_E_ARG);
    assert_true(m.natural == INFINITY);
    const perp_problem nothing[] = {{.cls = PERP_LCP}, {.cls = PERP_MLCP}, {.cls = PERP_SPARSE_MLCP}, {.cls = PERP_QP}};
    for (int k = 0; k < 4; k++) {
        m = measure(&nothing[k], NULL);
        assert_true(worst(&m) == 0 && m.largest == 0 && perp_problem_residual(&nothing[k], NULL) == 0);
    }
    perp_judge_free(NULL);
}

/* ---- quadratic programmes ---- */

typedef struct qp {
    int n, m, start[2][N + 1], index[2][N * N];
    double Q[N * N], A[N * N], c[N], lo[N], hi[N], row_lo[N], row_hi[N], z[2 * N], value[2][N * N];
    perp_problem p;
} qp;

static qp x, y;

static perp_sparse columns(qp *p, int which, int rows, int cols, const double *dense) {
    return sparse_of(rows, cols, dense, p->start[which], p->index[which], p->value[which]);
}

static void wrap_qp(qp *p) {
    p->p = (perp_problem){.cls = PERP_QP,
                          .as.qp = {p->n, p->m, columns(p, 0, p->n, p->n, p->Q), p->c, p->lo, p->hi,
                                    columns(p, 1, p->m, p->n, p->A), p->row_lo, p->row_hi}};
}

/* A value with bounds around it, and what a multiplier may be there. */
static double bounded(double value, double *lo, double *hi) {
    int at = rp_int(5); /* between, at lo, at hi, equal, none */
    *lo = at == 1 || at == 3 ? value : at == 4 ? -INFINITY : value - 0.1 - rp_unit();
    *hi = at == 2 || at == 3 ? value : at == 4 ? INFINITY : value + 0.1 + rp_unit();
    return at == 1 ? rp_unit() : at == 2 ? -rp_unit() : at == 3 ? rp_sym() : 0;
}

static void make_qp(qp *p, bool linear) {
    memset(p, 0, sizeof *p);
    int n = p->n = 1 + rp_int(N), m = p->m = rp_int(N);
    double R[N * N], g[N];
    for (int k = 0; k < n * n; k++) R[k] = rp_sym();
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n / 2 + 1; k++) sum += R[i + n * k] * R[j + n * k];
            p->Q[i + n * j] = p->Q[j + n * i] = linear ? 0 : sum;
        }
    for (int i = 0; i < n; i++) p->z[i] = rp_sym(), g[i] = bounded(p->z[i], p->lo + i, p->hi + i);
    for (int i = 0; i < m; i++) {
        double ax = 0;
        for (int j = 0; j < n; j++) {
            p->A[i + m * j] = i == j || rp_int(2) ? rp_sym() : 0;
            ax += p->A[i + m * j] * p->z[j];
        }
        p->z[n + i] = bounded(ax, p->row_lo + i, p->row_hi + i);
    }
    for (int i = 0; i < n; i++) {
        p->c[i] = g[i];
        for (int j = 0; j < n; j++) p->c[i] -= p->Q[i + n * j] * p->z[j];
        for (int k = 0; k < m; k++) p->c[i] += p->A[k + m * i] * p->z[n + k];
    }
    wrap_qp(p);
}

static void test_qp(void **state) {
    (void)state;
    for (int round = 0; round < long_run(1000); round++) {
        make_qp(&x, round % 4 == 0);
        int n = x.n, m = x.m;
        perp_measures r = measure(&x.p, x.z);
        assert_below(worst(&r), 1e-13);
        assert_below(r.raw, 1e-13);
        assert_below(perp_problem_residual(&x.p, x.z), 1e-13);
        double z[2 * N], eps = 1e-6, s[2 * N];
        for (int i = 0; i < n + m; i++) z[i] = x.z[i] + eps * (rp_int(2) ? 1 : -1) * (0.5 + rp_unit());
        r = measure(&x.p, z);
        assert_true(r.natural < 1e4 * eps && r.raw < 100 * eps);
        if (round % 4) assert_true(r.natural > 1e-5 * eps);
        assert_near(perp_problem_residual(&x.p, z), r.natural * r.w_unit, 1e-15);
        /* other units of x, of the objective, and of the rows */
        double length = pow(10, 3 * rp_sym()), cost = pow(10, 3 * rp_sym()), row = pow(10, 3 * rp_sym());
        y = x;
        for (int i = 0; i < n; i++) {
            s[i] = z[i] * length, y.lo[i] *= length, y.hi[i] *= length, y.c[i] *= cost / length;
            for (int j = 0; j < n; j++) y.Q[i + n * j] *= cost / length / length;
            for (int k = 0; k < m; k++) y.A[k + m * i] *= row / length;
        }
        for (int k = 0; k < m; k++) s[n + k] = z[n + k] * cost / row, y.row_lo[k] *= row, y.row_hi[k] *= row;
        wrap_qp(&y);
        perp_measures t = measure(&y.p, s);
        if (r.w_unit != 1 && r.z_unit != 1) assert_same(&t, &r, 1e-12); /* 1: the data know no unit */
    }
}

/* min x^2/2 - 3 x over x <= 1 as a bound, or as a row: y = 2 pulls at the upper end, so it is negative. */
static void test_qp_by_hand(void **state) {
    (void)state;
    int start[] = {0, 1}, index[] = {0};
    double one = 1, c = -3, hi = 1, no = -INFINITY, z[2] = {1, -2};
    perp_sparse I = {1, 1, start, index, &one};
    perp_problem bound = {.cls = PERP_QP, .as.qp = {.n = 1, .Q = I, .c = &c, .hi = &hi}};
    perp_problem row = {.cls = PERP_QP,
                        .as.qp = {.n = 1, .m = 1, .Q = I, .c = &c, .A = I, .row_lo = &no, .row_hi = &hi}};
    perp_measures m = measure(&bound, z);
    assert_true(worst(&m) == 0);
    m = measure(&row, z);
    assert_true(worst(&m) == 0);
    z[1] = 2; /* wrong sign: gradient 1 - 3 - 2 = -4, and y > 0 without a lower end of the row */
    m = measure(&row, z);
    assert_true(m.raw == 4 && m.infeasible_w == 4.0 / 3 && m.infeasible_z == 0);
    assert_near(m.siconos, 4.0 / 3, 1e-15);
    z[0] = 1.5, z[1] = -1.5; /* beyond the row by 0.5 */
    m = measure(&row, z);
    assert_near(m.infeasible_z, 0.5 / m.z_unit, 1e-15);
    assert_true(m.raw == 0.5);
    m = measure(&bound, z); /* gradient -1.5, 0.5 beyond the bound: natural map 0.5 */
    assert_true(m.raw == 0.5 && m.natural == 0.5 / m.z_unit);
}

static void test_memory(void **state) {
    (void)state;
    make(&a, false);
    make_qp(&x, false);
    perp_problem with_j = a.ncp;
    with_j.as.ncp.J = J_dense;
    const perp_problem *all[] = {&a.dense, &a.sparse, &a.ncp, &with_j, &x.p};
    for (int k = 0; k < 5; k++)
        for (long refuse = 0;; refuse++) {
            counter c = {.refuse = refuse};
            perp_allocator alloc = counting(&c);
            perp_judge *j;
            perp_status s = perp_judge_new(all[k], &alloc, &j);
            if (s) {
                assert_int_equal(s, PERP_E_MEMORY);
                assert_true(!j && c.refused == 1 && c.live == 0);
                continue;
            }
            long calls = c.calls;
            perp_measures m;
            assert_int_equal(perp_judge_measure(j, k == 4 ? x.z : a.z, &m), PERP_OK);
            assert_below(worst(&m), 1e-13);
            assert_true(c.calls == calls && refuse > 0);
            perp_judge_free(j);
            assert_true(c.live == 0);
            break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_exact_and_perturbed),
        cmocka_unit_test(test_units),   cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_qp),      cmocka_unit_test(test_qp_by_hand),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
