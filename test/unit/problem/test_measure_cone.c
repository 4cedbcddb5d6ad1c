/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_measure_cone.c - the judge of cone problems: answers built to be exact, errors of a known size, the definition
 * of every figure written again in another way, and what must not change the figures */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fault/allocator.h"
#include "oracle/random_problem.h"
#include "perp/problem.h"
#include "problem/judge/cone_judge.h"
#include "unit/sparse_help.h"

#define DOFS 40
#define ROWS 68

/* A cone problem in both forms with room for everything, and an exact answer r with velocities u. */
typedef struct made {
    int dim, nc, nrow, m, n;
    double lo[ROWS], hi[ROWS], mu[ROWS], axes[ROWS], compliance[ROWS];
    double M[DOFS * DOFS], H[DOFS * ROWS], f[DOFS], b[ROWS];
    double W[ROWS * ROWS], q[ROWS], r[ROWS], u[ROWS];
    int start[3][ROWS + DOFS + 1], index[3][ROWS * (ROWS + DOFS)];
    double value[3][ROWS * (ROWS + DOFS)];
    perp_problem local, global;
} made;

static made a, b;

static perp_sparse columns(made *p, int which, int rows, int cols, const double *dense) {
    return sparse_of(rows, cols, dense, p->start[which], p->index[which], p->value[which]);
}

/* X = A^-1 B by Gauss-Jordan with pivoting; A n x n, B n x m. */
static void solve_dense(int n, const double *A, int m, const double *B, double *X) {
    static double w[DOFS][DOFS + ROWS + 1];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) w[i][j] = A[i + n * j];
        for (int j = 0; j < m; j++) w[i][n + j] = B[i + n * j];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(w[i][k]) > fabs(w[best][k])) best = i;
        for (int j = 0; j < n + m; j++) {
            double t = w[k][j];
            w[k][j] = w[best][j], w[best][j] = t;
        }
        for (int j = n + m - 1; j >= k; j--) w[k][j] /= w[k][k];
        for (int i = 0; i < n; i++)
            for (int j = n + m - 1; i != k && j >= k; j--) w[i][j] -= w[i][k] * w[k][j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) X[i + n * j] = w[i][n + j];
}

/* Fills the perp_problems of both forms from the numbers. */
static void wrap(made *p, perp_class cls, bool axes, bool compliance) {
    perp_cone c = {.dim = p->dim, .ncontact = p->nc, .nrow = p->nrow, .lo = p->lo, .hi = p->hi, .mu = p->mu};
    if (axes) c.axes = p->axes;
    p->local = p->global = (perp_problem){.cls = cls, .as.cone = c};
    p->local.as.cone.W = columns(p, 0, p->m, p->m, p->W);
    p->local.as.cone.q = p->q;
    c.global = true;
    c.M = columns(p, 1, p->n, p->n, p->M);
    c.H = columns(p, 2, p->n, p->m, p->H);
    c.f = p->f, c.b = p->b;
    if (compliance) c.compliance = p->compliance;
    p->global.as.cone = c;
}

/* W = H'M^-1 H + C, and b so that r gives u; q the same in local form. */
static void condense(made *p) {
    static double X[DOFS * (ROWS + 1)], B[DOFS * (ROWS + 1)];
    int n = p->n, m = p->m;
    memcpy(B, p->H, sizeof(double) * (size_t)(n * m));
    memcpy(B + n * m, p->f, sizeof(double) * (size_t)n);
    solve_dense(n, p->M, m + 1, B, X);
    for (int i = 0; i < m; i++) {
        double free_velocity = 0, moved = 0;
        for (int k = 0; k < n; k++) free_velocity += p->H[k + n * i] * X[k + n * m];
        for (int j = 0; j < m; j++) {
            double sum = i == j ? p->compliance[i] : 0;
            for (int k = 0; k < n; k++) sum += p->H[k + n * i] * X[k + n * j];
            p->W[i + m * j] = sum;
            moved += sum * p->r[j];
        }
        p->q[i] = p->u[i] - moved;
        p->b[i] = p->q[i] - free_velocity;
    }
}

typedef struct options {
    int dim;
    perp_class cls;
    int axes;       /* 0: circular, 1: elliptic, 2: elliptic, some 0 */
    bool rows;      /* bounded rows too */
    bool soft;      /* compliance */
    bool chained;   /* M not of small blocks */
    double unequal; /* unsymmetric part of M */
} options;

static void random_rows(made *p, options o) {
    p->nrow = o.rows ? 1 + rp_int(5) : 0;
    for (int k = 0; k < p->nrow; k++) {
        int kind = rp_int(5);
        p->lo[k] = kind == 0 || kind == 2 ? -INFINITY : rp_sym();
        p->hi[k] = kind == 0 || kind == 1 ? INFINITY
                   : kind == 4            ? p->lo[k]
                                          : (kind == 2 ? 0 : p->lo[k]) + 2 * rp_unit();
        int at = rp_int(3); /* inside, at lo, at hi */
        double inside = kind == 3 ? p->lo[k] + rp_unit() * (p->hi[k] - p->lo[k]) : rp_sym();
        if (kind == 1) inside = p->lo[k] + rp_unit();
        if (kind == 2) inside = p->hi[k] - rp_unit();
        if (kind == 4) inside = p->lo[k];
        p->r[k] = inside, p->u[k] = kind == 4 ? rp_sym() : 0;
        if (at == 1 && p->lo[k] > -INFINITY) p->r[k] = p->lo[k], p->u[k] = rp_unit();
        if (at == 2 && p->hi[k] < INFINITY) p->r[k] = p->hi[k], p->u[k] = -rp_unit();
    }
}

/* An exact contact: open, sticking, sliding, or on an edge between them. */
static void random_contact(made *p, options o, int c) {
    int d = p->dim, at = p->nrow + d * c, status = rp_int(5);
    double *r = p->r + at, *u = p->u + at, *e = p->axes + (d - 1) * c, t[PERP_CONE_ROWS - 1], length = 0;
    p->mu[c] = rp_int(5) == 0 ? 0 : 1.5 * rp_unit();
    for (int i = 0; i < d - 1; i++) {
        e[i] = o.axes == 0 ? 1 : o.axes == 2 && rp_int(3) == 0 ? 0 : 0.2 + 2 * rp_unit();
        t[i] = rp_sym() * (e[i] > 0);
        length += t[i] * t[i];
    }
    if (length == 0 && status == 3)
        status = 0; /* neither load nor slip: nothing to compare with, if it is the only contact */
    if (length == 0) length = 1;
    r[0] = status == 0 || status == 3 ? 0 : 0.1 + rp_unit(); /* open, or touching without load */
    u[0] = status == 0 ? rp_unit() : 0;
    double load = p->mu[c] * r[0] * (status == 1 ? rp_unit() : 1), slip = status == 2 || r[0] == 0 ? rp_unit() : 0;
    for (int i = 0; i < d - 1; i++) {
        t[i] /= sqrt(length);
        r[1 + i] = e[i] * load * t[i];
        u[1 + i] = e[i] > 0 ? -slip * t[i] / e[i] : rp_sym();
    }
    if (p->mu[c] == 0)
        for (int i = 1; i < d; i++) u[i] = rp_sym();
    if (o.cls == PERP_CONE_QP) { /* the row feels mu |e u_T| more */
        double v = 0;
        for (int i = 1; i < d; i++) v += pow(e[i - 1] * u[i], 2);
        u[0] += p->mu[c] * sqrt(v);
    }
}

static void random_mass(made *p, options o) {
    int n = p->n = o.chained ? DOFS : 4 * (3 + rp_int(4)), size = 4;
    memset(p->M, 0, sizeof p->M);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            bool linked = o.chained ? abs(i - j) <= 2 : i / size == j / size;
            if (linked) p->M[i + n * j] = i == j ? 3 + 20 * rp_unit() : rp_sym() * 0.5;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) p->M[i + n * j] = p->M[j + n * i] + o.unequal * rp_sym() * (p->M[j + n * i] != 0);
    if (!o.chained) { /* dofs of one body apart in memory: swap two far ones */
        int x = 0, y = n - 1;
        for (int k = 0; k < n; k++) {
            double t = p->M[x + n * k];
            p->M[x + n * k] = p->M[y + n * k], p->M[y + n * k] = t;
        }
        for (int k = 0; k < n; k++) {
            double t = p->M[k + n * x];
            p->M[k + n * x] = p->M[k + n * y], p->M[k + n * y] = t;
        }
    }
    for (int i = 0; i < n; i++) p->f[i] = rp_sym();
}

static void make(made *p, options o) {
    memset(p, 0, sizeof *p);
    p->dim = o.dim;
    p->nc = 1 + rp_int(10);
    random_rows(p, o);
    p->m = p->nrow + p->dim * p->nc;
    for (int c = 0; c < p->nc; c++) random_contact(p, o, c);
    random_mass(p, o);
    for (int k = 0; k < p->m; k++) {
        if (o.soft) p->compliance[k] = rp_unit() * (rp_int(2) == 0);
        int body = 4 * rp_int(p->n / 4), other = 4 * rp_int(p->n / 4);
        for (int i = 0; i < 4; i++) {
            p->H[body + i + p->n * k] = rp_sym();
            p->H[other + i + p->n * k] = rp_sym();
        }
    }
    condense(p);
    wrap(p, o.cls, o.axes > 0, o.soft);
}

static options random_options(int round) {
    return (options){.dim = 2 + round % (PERP_CONE_ROWS - 1),
                     .cls = rp_int(3) ? PERP_CONE : PERP_CONE_QP,
                     .axes = rp_int(3),
                     .rows = rp_int(2),
                     .soft = rp_int(2),
                     .chained = rp_int(4) == 0,
                     .unequal = rp_int(2) ? 0.1 : 0};
}

static perp_measures measure(const perp_problem *p, const double *r) {
    perp_measures m;
    char why[200];
    if (perp_problem_check(p, why, sizeof why)) fail_msg("%s", why);
    assert_int_equal(perp_problem_measure(p, r, &m), PERP_OK);
    return m;
}

static double worst(const perp_measures *m) {
    return fmax(fmax(fmax(m->natural, m->fischer), fmax(m->complementarity, m->dissipation)),
                fmax(fmax(m->infeasible_z, m->infeasible_w), m->siconos));
}

static void test_exact_and_perturbed(void **state) {
    (void)state;
    for (int round = 0; round < long_run(1500); round++) {
        options o = random_options(round);
        make(&a, o);
        for (int form = 0; form < 2; form++) {
            const perp_problem *p = form ? &a.global : &a.local;
            perp_measures m = measure(p, a.r);
            if (!(worst(&m) < 1e-12) || !(m.natural < 1e-13))
                fail_msg("round %d form %d dim %d: natural %g fischer %g compl %g diss %g z %g w %g siconos %g", round,
                         form, o.dim, m.natural, m.fischer, m.complementarity, m.dissipation, m.infeasible_z,
                         m.infeasible_w, m.siconos);
            assert_below(perp_problem_residual(p, a.r), 1e-12);
        }
        /* an impulse that is off by eps of the unit, along no special direction */
        double eps = 1e-6, r[ROWS];
        perp_measures m = measure(&a.local, a.r);
        for (int k = 0; k < a.m; k++) r[k] = a.r[k] + eps * m.z_unit * (rp_int(2) ? 1 : -1) * (0.5 + rp_unit());
        m = measure(&a.local, r);
        if (!(m.natural > 1e-3 * eps && m.natural < 1e3 * eps && m.fischer > 1e-3 * eps && m.fischer < 1e5 * eps))
            fail_msg("round %d: natural %g, fischer %g of an answer that is off by %g", round, m.natural, m.fischer,
                     eps);
    }
}

/* Nearest point of the cone, as the nearest of the candidates apex, point itself, foot on the nearest generator. */
static void nearest(int dim, double mu, const double *y, double *x) {
    double slip = 0, best = INFINITY;
    for (int i = 1; i < dim; i++) slip += y[i] * y[i];
    slip = sqrt(slip);
    double foot = (y[0] + mu * slip) / (1 + mu * mu);
    double candidate[3][2] = {{0, 0}, {y[0], slip}, {foot, mu * foot}};
    for (int k = 0; k < 3; k++) {
        double *c = candidate[k], far = hypot(c[0] - y[0], c[1] - slip);
        if (c[0] < 0 || c[1] > mu * c[0] * (1 + 1e-15) || far >= best) continue;
        best = far;
        x[0] = c[0];
        for (int i = 1; i < dim; i++) x[i] = slip > 0 ? c[1] * y[i] / slip : 0;
    }
}

/* Every figure again, from dense W and the definitions in problem.h. Circular cones, no rows. */
static void test_definitions(void **state) {
    (void)state;
    for (int round = 0; round < long_run(600); round++) {
        int d = 2 + round % (PERP_CONE_ROWS - 1);
        perp_class cls = rp_int(2) ? PERP_CONE : PERP_CONE_QP;
        make(&a, (options){.dim = d, .cls = cls});
        double r[ROWS], q2 = 0, r2 = 0, u2 = 0, map2 = 0, unit = 0, natural = 0, raw = 0, residual = 0, compl = 0;
        double out = 0, dual = 0, diss = 0, big = 0;
        for (int k = 0; k < a.m; k++) r[k] = rp_int(4) ? rp_sym() : 0;
        for (int c = 0; c < a.nc; c++) {
            int at = d * c;
            double u[PERP_CONE_ROWS] = {0}, hat[PERP_CONE_ROWS], y[PERP_CONE_ROWS], x[PERP_CONE_ROWS], slip = 0,
                   mean = 0, rn = 0, qn = 0, mu = a.mu[c], e1 = 0, e2 = 0, dot = 0;
            for (int i = 0; i < d; i++) {
                u[i] = a.q[at + i];
                for (int k = 0; k < a.m; k++) u[i] += a.W[at + i + a.m * k] * r[k];
                mean += a.W[(at + i) * (1 + a.m)] / d;
                rn += pow(r[at + i], 2), qn += pow(a.q[at + i], 2), u2 += u[i] * u[i];
                big = fmax(big, fabs(r[at + i]));
                if (i) slip += u[i] * u[i];
            }
            r2 += rn, q2 += qn;
            memcpy(hat, u, sizeof hat);
            slip = sqrt(slip);
            if (cls == PERP_CONE) hat[0] += mu * slip;
            for (int i = 0; i < d; i++) dot += r[at + i] * hat[i];
            for (int i = 0; i < d; i++) y[i] = r[at + i] - hat[i] / mean;
            nearest(d, mu, y, x);
            for (int i = 0; i < d; i++) e1 += pow(r[at + i] - x[i], 2);
            for (int i = 0; i < d; i++) y[i] = r[at + i] - hat[i];
            nearest(d, mu, y, x);
            for (int i = 0; i < d; i++) e2 += pow(r[at + i] - x[i], 2);
            unit = fmax(unit, fmax(sqrt(rn), sqrt(qn) / mean));
            natural = fmax(natural, sqrt(e1)), raw = fmax(raw, sqrt(e2)), residual = fmax(residual, sqrt(e1) * mean);
            map2 += e2;
            compl = fmax(compl, fabs(dot) / mean);
            diss = fmax(diss, fabs(dot - r[at] * hat[0] + mu * r[at] * slip) / mean);
            nearest(d, mu, r + at, x);
            e1 = 0;
            for (int i = 0; i < d; i++) e1 += pow(r[at + i] - x[i], 2);
            out = fmax(out, sqrt(e1));
            if (mu > 0) { /* the dual cone is the cone of 1/mu */
                nearest(d, 1 / mu, hat, x);
                e2 = 0;
                for (int i = 0; i < d; i++) e2 += pow(hat[i] - x[i], 2);
                dual = fmax(dual, sqrt(e2) / mean);
            } else
                dual = fmax(dual, fmax(0, -hat[0]) / mean);
        }
        perp_measures m = measure(&a.local, r);
        assert_near(m.z_unit, unit, 1e-13 * unit);
        assert_near(m.natural, natural / unit, 1e-12);
        assert_near(m.raw, raw, 1e-12 * (1 + raw));
        assert_near(m.complementarity, compl / unit / unit, 1e-12);
        assert_near(m.dissipation, diss / unit / unit, 1e-12);
        assert_near(m.infeasible_z, out / unit, 1e-12);
        assert_near(m.infeasible_w, dual / unit, 1e-12);
        assert_near(m.siconos, sqrt(map2) / sqrt(fmax(q2, fmax(r2, u2))), 1e-12);
        assert_true(m.largest == big);
        assert_near(perp_problem_residual(&a.local, r), residual, 1e-12 * (1 + residual));
    }
}

static void assert_same(const perp_measures *x, const perp_measures *y, double tol) {
    assert_near(x->natural, y->natural, tol * (1 + y->natural));
    assert_near(x->fischer, y->fischer, tol * (1 + y->fischer));
    assert_near(x->complementarity, y->complementarity, tol * (1 + y->complementarity));
    assert_near(x->infeasible_z, y->infeasible_z, tol * (1 + y->infeasible_z));
    assert_near(x->infeasible_w, y->infeasible_w, tol * (1 + y->infeasible_w));
    assert_near(x->dissipation, y->dissipation, tol * (1 + y->dissipation));
}

static void random_answer(const made *p, double *r) {
    for (int k = 0; k < p->m; k++) r[k] = rp_int(3) ? a.r[k] + rp_sym() * pow(10, -6 * rp_unit()) : a.r[k];
}

static void test_forms_agree(void **state) {
    (void)state;
    for (int round = 0; round < long_run(400); round++) {
        make(&a, random_options(round));
        double r[ROWS], u[ROWS], u2[ROWS], v[DOFS];
        random_answer(&a, r);
        perp_measures local = measure(&a.local, r), global = measure(&a.global, r);
        assert_same(&local, &global, 1e-12);
        assert_near(local.siconos, global.siconos, 1e-12);
        assert_near(local.raw, global.raw, 1e-11 * (1 + local.raw));
        assert_int_equal(perp_cone_velocity(&a.local.as.cone, r, u, NULL), PERP_OK);
        assert_int_equal(perp_cone_velocity(&a.global.as.cone, r, u2, v), PERP_OK);
        for (int k = 0; k < a.m; k++) assert_near(u2[k], u[k], 1e-11 * (1 + fabs(u[k])));
        for (int i = 0; i < a.n; i++) { /* M v = f + H r */
            double left = -a.f[i];
            for (int k = 0; k < a.n; k++) left += a.M[i + a.n * k] * v[k];
            for (int k = 0; k < a.m; k++) left -= a.H[i + a.n * k] * r[k];
            assert_near(left, 0, 1e-12);
        }
        assert_int_equal(perp_cone_velocity(&a.local.as.cone, r, u, v), PERP_E_ARG); /* no bodies in local form */
        assert_int_equal(perp_cone_velocity(&a.global.as.cone, r, NULL, NULL), PERP_OK);
        assert_int_equal(perp_cone_velocity(&a.global.as.cone, NULL, u, v), PERP_E_ARG);
        assert_int_equal(perp_cone_velocity(NULL, r, u, v), PERP_E_ARG);
    }
}

/* Impulses in units of 1/x, velocities of 1/y; a torsional row and its axis in another unit of length too. */
static void test_units(void **state) {
    (void)state;
    for (int round = 0; round < long_run(400); round++) {
        make(&a, random_options(round));
        double r[ROWS], s[ROWS], force = pow(10, 6 * rp_sym()), speed = pow(10, 6 * rp_sym()), length[ROWS];
        random_answer(&a, r);
        perp_measures before = measure(&a.local, r);
        b = a;
        bool axes = a.local.as.cone.axes;
        for (int k = 0; k < a.m; k++) length[k] = 1;
        for (int k = 0; k < a.nrow; k++) length[k] = pow(10, 2 * rp_sym()); /* each row may be a torque */
        for (int c = 0; axes && c < a.nc; c++)
            for (int i = 1; i < a.dim; i++) {
                double l = pow(10, 2 * rp_sym());
                length[a.nrow + a.dim * c + i] = l;
                b.axes[(a.dim - 1) * c + i - 1] *= l;
            }
        for (int k = 0; k < a.m; k++) {
            s[k] = r[k] * force * length[k];
            b.q[k] = a.q[k] * speed / length[k];
            for (int i = 0; i < a.m; i++) b.W[i + a.m * k] *= speed / force / length[i] / length[k];
        }
        for (int k = 0; k < a.nrow; k++) b.lo[k] *= force * length[k], b.hi[k] *= force * length[k];
        wrap(&b, a.local.cls, axes, false);
        perp_measures after = measure(&b.local, s);
        assert_same(&after, &before, 1e-11);
        assert_near(after.z_unit / force, before.z_unit, 1e-12 * before.z_unit);
        assert_near(after.w_unit / speed, before.w_unit, 1e-12 * before.w_unit);
    }
}

/* Contacts in another order, tangents turned. */
static void test_order_and_frame(void **state) {
    (void)state;
    for (int round = 0; round < long_run(300); round++) {
        make(&a, (options){.dim = 3, .cls = PERP_CONE, .rows = rp_int(2)});
        double r[ROWS], s[ROWS], Q[ROWS][ROWS] = {{0}};
        random_answer(&a, r);
        perp_measures before = measure(&a.local, r);
        b = a;
        int shift = rp_int(a.nc);
        for (int k = 0; k < a.nrow; k++) Q[k][k] = 1;
        for (int c = 0; c < a.nc; c++) { /* row `to` of the new problem is a turned row `from` of the old */
            int to = a.nrow + 3 * c, from = a.nrow + 3 * ((c + shift) % a.nc);
            double angle = 7 * rp_unit();
            Q[to][from] = 1;
            Q[to + 1][from + 1] = Q[to + 2][from + 2] = cos(angle);
            Q[to + 1][from + 2] = -sin(angle), Q[to + 2][from + 1] = sin(angle);
            b.mu[c] = a.mu[(c + shift) % a.nc];
        }
        for (int i = 0; i < a.m; i++) {
            s[i] = b.q[i] = 0;
            for (int k = 0; k < a.m; k++) s[i] += Q[i][k] * r[k], b.q[i] += Q[i][k] * a.q[k];
            for (int j = 0; j < a.m; j++) {
                double sum = 0;
                for (int k = 0; k < a.m; k++)
                    for (int l = 0; l < a.m && Q[i][k] != 0; l++) sum += Q[i][k] * a.W[k + a.m * l] * Q[j][l];
                b.W[i + a.m * j] = sum;
            }
        }
        wrap(&b, PERP_CONE, false, false);
        perp_measures after = measure(&b.local, s);
        assert_same(&after, &before, 1e-12);
        assert_near(after.siconos, before.siconos, 1e-12);
    }
}

/* One contact by hand: W = 2 I, mu = 0.5, sliding along the first tangent. */
static void test_by_hand(void **state) {
    (void)state;
    double W[] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, mu = 0.5, r[3] = {1, -0.5, 0}, q[3] = {-2, 4, 0};
    memset(&a, 0, sizeof a);
    a.dim = 3, a.nc = 1, a.m = 3, a.mu[0] = mu;
    memcpy(a.W, W, sizeof W);
    memcpy(a.q, q, sizeof q); /* u = (0, 3, 0) */
    wrap(&a, PERP_CONE, false, false);
    perp_measures m = measure(&a.local, r);
    assert_below(worst(&m), 1e-15);
    assert_true(m.largest == 1);
    assert_near(m.z_unit, sqrt(20) / 2, 1e-15);
    assert_near(m.w_unit, sqrt(20), 1e-15);
    r[1] = 0; /* u = (0, 4, 0), u^ = (2, 4, 0): friction is missing */
    m = measure(&a.local, r);
    assert_near(m.dissipation, 0.5 * (0.5 * 4) / 5, 1e-15);
    assert_near(m.complementarity, 0.5 * 2 / 5, 1e-15);
    assert_true(m.infeasible_z == 0 && m.infeasible_w < 1e-15);
    /* r - rho u^ = (0, -2, 0), whose foot on the cone is (0.8, -0.4, 0) */
    assert_near(m.natural, hypot(0.2, 0.4) / sqrt(5), 1e-15);
    assert_near(perp_problem_residual(&a.local, r), 2 * hypot(0.2, 0.4), 1e-15);
    /* without friction the same tangential impulse is an error of its own size; a contact that would have to pull is open */
    a.mu[0] = 0, r[0] = 1, r[1] = 0.25;
    m = measure(&a.local, r);
    assert_near(m.infeasible_z * m.z_unit, 0.25, 1e-15);
    assert_near(m.natural * m.z_unit, 0.25, 1e-15);
    a.q[0] = 5, a.q[1] = 0, r[0] = r[1] = 0; /* y = (-5/2, 0, 0): not inside the cone, though |y_T| <= mu |y_N| */
    m = measure(&a.local, r);
    assert_true(worst(&m) == 0);
    a.q[0] = -5;
    m = measure(&a.local, r);
    assert_near(m.natural, 1, 1e-15);
    assert_near(m.infeasible_w, 1, 1e-15);
    /* very large mu: the cone is nearly the half space, and mu^2 is no number */
    a.mu[0] = 1e200, a.q[1] = 3, r[0] = 2.5, r[1] = -1.5;
    m = measure(&a.local, r);
    assert_below(m.natural, 1e-15);
    /* no rows at all; all zero */
    a.local.as.cone.ncontact = a.local.as.cone.W.rows = a.local.as.cone.W.cols = 0;
    assert_int_equal(perp_problem_measure(&a.local, NULL, &m), PERP_OK);
    assert_true(worst(&m) == 0 && m.z_unit == 1 && m.w_unit == 1);
    assert_true(perp_problem_residual(&a.local, NULL) == 0);
}

/* An elliptic cone is a circular one in the metric of its axes. A torsional row of axis 0 is none. */
static void test_axes(void **state) {
    (void)state;
    for (int round = 0; round < long_run(300); round++) {
        int d = 2 + round % (PERP_CONE_ROWS - 1);
        make(&a, (options){.dim = d, .cls = PERP_CONE, .axes = 1});
        double r[ROWS], x[ROWS], e[ROWS];
        random_answer(&a, r);
        perp_measures with = measure(&a.local, r);
        b = a;
        for (int k = 0; k < a.m; k++) e[k] = k % d ? a.axes[(d - 1) * (k / d) + k % d - 1] : 1;
        for (int k = 0; k < a.m; k++) {
            x[k] = r[k] / e[k], b.q[k] *= e[k];
            for (int i = 0; i < a.m; i++) b.W[i + a.m * k] *= e[i] * e[k];
        }
        wrap(&b, PERP_CONE, false, false);
        perp_measures without = measure(&b.local, x);
        assert_same(&with, &without, 1e-12);
        assert_near(with.siconos, without.siconos, 1e-12);
        /* axis 0: slip along it is free, and an impulse along it is an error that is seen */
        for (int c = 0; c < a.nc; c++) a.axes[(d - 1) * c] = 0;
        for (int k = 0; k < a.m; k++) r[k] = a.r[k] * (k % d != 1);
        r[1] = 1e-3;
        perp_measures m = measure(&a.local, r);
        assert_true(m.infeasible_z * m.z_unit >= 0.999e-3 * sqrt(a.W[1 + a.m] / a.W[0]));
        assert_true(m.natural >= 0.1e-3 * sqrt(a.W[1 + a.m] / a.W[0]) / m.z_unit);
    }
}

static void test_bad_answers_and_mass(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e308};
    for (int round = 0; round < long_run(60); round++) {
        options o = random_options(round);
        o.soft = false;
        make(&a, o);
        double r[ROWS];
        perp_measures m;
        for (int k = 0; k < 4; k++)
            for (int form = 0; form < 2; form++) {
                const perp_problem *p = form ? &a.global : &a.local;
                memcpy(r, a.r, sizeof r);
                r[rp_int(a.m)] = bad[k];
                assert_int_equal(perp_problem_measure(p, r, &m), PERP_OK);
                double *figure = (double *)&m;
                for (size_t i = 0; i < sizeof m / sizeof *figure; i++) assert_true(figure[i] == figure[i]);
                if (k < 3) assert_true(m.natural == INFINITY && m.siconos == INFINITY && m.largest == INFINITY);
                if (k < 3) assert_true(perp_problem_residual(p, r) == INFINITY);
                assert_true(perp_problem_residual(p, r) > 1e3);
            }
        /* a body whose mass matrix has two equal rows, and one without mass */
        for (int way = 0; way < 2; way++) {
            b = a;
            for (int k = 0; k < a.n; k++) b.M[1 + a.n * k] = way ? 0 : b.M[2 + a.n * k];
            wrap(&b, a.local.cls, false, false);
            double v[DOFS], u[ROWS];
            assert_int_equal(perp_problem_measure(&b.global, a.r, &m), PERP_E_ARG);
            assert_true(m.natural == INFINITY);
            assert_int_equal(perp_cone_velocity(&b.global.as.cone, a.r, u, v), PERP_E_ARG);
            assert_true(perp_problem_residual(&b.global, a.r) == INFINITY);
        }
    }
}

/* Singular but for rounding, where elimination ends at some 1e-17 instead of 0, is singular; badly scaled is not. */
static void test_nearly_singular_mass(void **state) {
    (void)state;
    const double R[3][2] = {{0.2, 0.3}, {0.4, 0.9}, {0.7, 1.5}};
    const double given[5][9] = {
        {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}, /* columns with equal differences: singular */
        {1.1, 0.7, 1.8, 0.3, 1.9, 2.2, 0.9, 0.2, 1.1}, /* the third row is the sum of the others: singular */
        {1, 0, 0, 0, 1e-18, 0, 0, 0, 1e18},            /* from dust to a moon: regular, as all below */
        {1, 1e-9, 0, 1e-9, 2e-18, 0, 0, 0, 1},         /* coupled, in odd units */
        {1, 0, 1e3, 0, 1, 0, 1e3, 0, 1e6 + 1e-4},      /* measured a long way from the centre of mass */
    };
    for (int k = 0; k < 6; k++) {
        memset(&a, 0, sizeof a);
        a.dim = 2, a.nc = 1, a.m = 2, a.n = 3;
        for (int i = 0; i < 9; i++)
            a.M[i] = k ? given[k - 1][i] : R[i % 3][0] * R[i / 3][0] + R[i % 3][1] * R[i / 3][1];
        a.H[0] = a.H[1 + 3] = a.H[2] = 1;
        wrap(&a, PERP_CONE, false, false);
        double r[2] = {0}, u[2], v[3];
        assert_int_equal(perp_cone_velocity(&a.global.as.cone, r, u, v), k < 3 ? PERP_E_ARG : PERP_OK);
    }
}

static void test_memory(void **state) {
    (void)state;
    for (int round = 0; round < 12; round++) {
        make(&a, random_options(round));
        for (int form = 0; form < 2; form++) {
            const perp_problem *p = form ? &a.global : &a.local;
            for (long refuse = 0;; refuse++) {
                counter c = {.refuse = refuse};
                perp_allocator alloc = counting(&c);
                perp_judge *j;
                perp_status s = perp_judge_new(p, &alloc, &j);
                if (s) {
                    assert_int_equal(s, PERP_E_MEMORY);
                    assert_null(j);
                    assert_true(c.refused == 1 && c.live == 0);
                    continue;
                }
                assert_true(refuse > 0 && c.refused == 0);
                long calls = c.calls;
                perp_measures m, again;
                assert_int_equal(perp_judge_measure(j, a.r, &m), PERP_OK);
                assert_int_equal(perp_judge_measure(j, a.r, &again), PERP_OK);
                assert_memory_equal(&m, &again, sizeof m); /* to the bit, and nothing is kept from the first */
                assert_true(c.calls == calls);
                assert_int_equal(perp_judge_measure(j, NULL, &m), PERP_E_ARG);
                perp_judge_free(j);
                assert_true(c.live == 0);
                break;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_and_perturbed),
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_forms_agree),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_order_and_frame),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_bad_answers_and_mass),
        cmocka_unit_test(test_nearly_singular_mass),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
