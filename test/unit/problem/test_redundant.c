/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_redundant.c - rows of joints that follow from others, on random mechanisms in the plane: trees, loops that share bodies, joints beside each other, couplings
 * The rank of all rows at once is the witness of the rank found part by part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/linalg.h"
#include "oracle/random_problem.h"
#include "problem/loops.h"
#include "problem/redundant.h"
#include "problem/rows.h"

enum { BODIES = 12, ROWS = 90, DOFS = 3 * BODIES };

/* A mechanism at random places. */
typedef struct mechanism {
    perp_step_problem p;
    int ndof[BODIES], offset[BODIES];
    double M[36 * BODIES], Minv[36 * BODIES], at[2 * BODIES];
    perp_joint_row row[ROWS];
    perp_row list[ROWS];
    int nlist, joints;
} mechanism;

static void *get(size_t size, void *ctx) {
    (void)ctx;
    return malloc(size);
}
static void give_back(void *p, void *ctx) {
    (void)ctx;
    free(p);
}

static void new_mechanism(mechanism *m, int bodies) {
    memset(m, 0, sizeof *m);
    m->p = (perp_step_problem){.dim = 2, .h = 0.01, .nblock = bodies, .ndof = 3 * bodies};
    for (int i = 0; i < bodies; i++) {
        m->ndof[i] = 3;
        m->offset[i] = 3 * i;
        for (int k = 0; k < 3; k++) m->M[36 * i + 7 * k] = exp(rp_sym());
        for (int k = 0; k < 3; k++) m->Minv[36 * i + 7 * k] = 1 / m->M[36 * i + 7 * k];
        for (int k = 0; k < 2; k++) m->at[2 * i + k] = rp_sym();
    }
    m->p.block_ndof = m->ndof;
    m->p.block_offset = m->offset;
    m->p.M = m->M;
    m->p.Minv = m->Minv;
    m->p.joint = m->row;
}

static perp_joint_row *new_row(mechanism *m, double b) {
    perp_joint_row *r = &m->row[m->p.njoint++];
    *r = (perp_joint_row){
        .row.block = {-1, -1}, .b = b, .lo = -INFINITY, .hi = INFINITY, .joint = m->joints, .coord = -1};
    return r;
}

/* A pin between bodies a and b, -1: the ground; fixed: it does not turn. */
static void join(mechanism *m, int a, int b, bool fixed) {
    const int body[2] = {a, b};
    double x[2] = {rp_sym(), rp_sym()};
    for (int k = 0; k < 2 + fixed; k++) {
        perp_joint_row *r = new_row(m, rp_sym());
        for (int side = 0; side < 2; side++) {
            double sign = side ? 1 : -1, *J = r->row.J[side];
            r->row.block[side] = body[side];
            if (body[side] < 0) continue;
            const double *at = m->at + 2 * body[side];
            if (k < 2) J[k] = sign;
            J[2] = sign * (k == 0 ? at[1] - x[1] : k == 1 ? x[0] - at[0] : 1);
        }
    }
    m->joints++;
}

/* The angles of three bodies one after the other: c0 (t1 - t0) + c1 (t2 - t1) = 0. */
static void couple(mechanism *m, int a, int b, int c) {
    double c0 = 1 + rp_unit(), c1 = 1 + rp_unit();
    perp_joint_row *r = new_row(m, rp_sym());
    perp_row *more = &m->list[m->nlist++];
    *more = (perp_row){.block = {c, -1}};
    more->J[0][2] = c1;
    r->row.block[0] = a;
    r->row.block[1] = b;
    r->row.J[0][2] = -c0;
    r->row.J[1][2] = c0 - c1;
    r->row.more = more;
    m->joints++;
}

static double weight_of(const mechanism *m, int i) { return pp_row_inverse_mass(&m->p, &m->row[i].row); }

/* Dependent rows among all, by one factorisation of everything. */
static int witness(const mechanism *m) {
    static double W[ROWS * ROWS], work[2 * ROWS * ROWS + 2 * ROWS];
    int n = m->p.njoint;
    for (int k = 0; k < n; k++) {
        double nu[DOFS] = {0};
        pp_row_spread(&m->p, &m->row[k].row, 1, nu);
        for (int i = 0; i < n; i++) W[i + n * k] = pp_row_dot(&m->p, &m->row[i].row, nu);
    }
    pp_psd f;
    assert_true(pp_psd_factor(&f, n, W, n, PP_RANK_TOL, work));
    return n - f.rank;
}

/* J'p */
static void push(const mechanism *m, const double *p, double *out) {
    memset(out, 0, sizeof *out * (size_t)m->p.ndof);
    for (int i = 0; i < m->p.njoint; i++) pp_row_push(&m->p, &m->row[i].row, p[i], out);
}

static double difference(const mechanism *m, const double *p, const double *q) {
    double a[DOFS], b[DOFS], most = 0;
    push(m, p, a);
    push(m, q, b);
    for (int i = 0; i < m->p.ndof; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static double norm_of(const mechanism *m, const double *p) {
    double sum = 0;
    for (int i = 0; i < m->p.njoint; i++) sum += p[i] * p[i] * weight_of(m, i);
    return sum;
}

/* What the impulses of a problem become, there and back. */
static void check_impulses(const mechanism *m, const pp_redundant *r) {
    double p[ROWS], q[ROWS];
    for (int i = 0; i < m->p.njoint; i++) p[i] = q[i] = rp_sym();
    pp_redundant_guess(r, q);
    pp_redundant_restore(r, q);
    assert_true(difference(m, p, q) < 1e-8);
    int none = 0;
    for (int i = 0; i < m->p.njoint; i++) none += q[i] == 0;
    assert_true(none >= r->dropped);
    double before = norm_of(m, q);
    pp_redundant_share(r, q);
    assert_true(difference(m, p, q) < 1e-8);
    assert_true(norm_of(m, q) <= before * (1 + 1e-12) && norm_of(m, q) <= norm_of(m, p) * (1 + 1e-12));
}

/* b of the rows that are kept: what is left of b cannot be met in any part of it. */
static void check_b(const mechanism *m, const pp_redundant *r) {
    for (int k = 0; k < r->nparts; k++) {
        const pp_redundant_part *part = &r->part[k];
        double x[ROWS], rest[ROWS] = {0}, tmp[2 * ROWS], zero[ROWS] = {0};
        for (int i = 0; i < part->n; i++) x[i] = m->row[part->row[i]].b;
        pp_psd_project(&part->factor, false, x, tmp);
        for (int i = 0; i < part->n; i++)
            rest[part->row[i]] = (m->row[part->row[i]].b - x[i]) / weight_of(m, part->row[i]);
        assert_true(difference(m, rest, zero) < 1e-8);
    }
}

static void check(mechanism *m) {
    pp_arena a;
    pp_redundant r;
    int part[ROWS];
    pp_arena_init(&a, (perp_allocator){get, give_back, NULL});
    assert_true(pp_loops_find(&m->p, &a, part) >= 0);
    assert_true(pp_redundant_find(&m->p, &a, &r));
    assert_int_equal(r.dropped, witness(m));
    if (r.dropped > 0) {
        assert_int_equal(r.kept.njoint, m->p.njoint - r.dropped);
        check_impulses(m, &r);
        check_b(m, &r);
    }
    pp_arena_free(&a);
}

static int random_body(int n) { return rp_int(n + 1) - 1; }

static void random_mechanisms(void **state) {
    (void)state;
    int redundant = 0;
    for (int trial = 0; trial < 3000; trial++) {
        static mechanism m;
        int n = 2 + rp_int(BODIES - 2);
        new_mechanism(&m, n);
        for (int i = 0; i < n; i++) { /* a tree, or two */
            int parent = random_body(i);
            join(&m, parent, i, rp_int(4) == 0);
        }
        for (int k = rp_int(4); k > 0; k--) { /* loops; a pin too many, or the same joint twice */
            int a = random_body(n), b = rp_int(n);
            if (a != b) join(&m, a, b, rp_int(2) == 0);
        }
        for (int k = rp_int(3); k > 0 && n > 3; k--) {
            int a = rp_int(n - 2);
            couple(&m, a, a + 1, a + 2);
        }
        redundant += witness(&m) > 0;
        check(&m);
    }
    assert_true(redundant > 300);
}

/* Joints of a tree, and beyond a bridge, are in no part; loops that share a body are parts of their own. */
static void parts_of_two_loops(void **state) {
    (void)state;
    static mechanism m;
    new_mechanism(&m, 8);
    static const int joint[10][2] = {{-1, 0}, {0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 0}, {4, 5}, {5, 6}, {5, 6}};
    static const int expected[10] = {-1, 0, 0, 0, 1, 1, 1, -1, 2, 2};
    for (int i = 0; i < 10; i++) join(&m, joint[i][0], joint[i][1], false);
    join(&m, 6, 7, true);
    pp_arena a;
    int part[ROWS], number[3] = {-1, -1, -1};
    pp_arena_init(&a, (perp_allocator){get, give_back, NULL});
    assert_int_equal(pp_loops_find(&m.p, &a, part), 3);
    for (int i = 0; i < m.p.njoint; i++) {
        int j = m.row[i].joint, e = j < 10 ? expected[j] : -1;
        if (e >= 0 && number[e] < 0) number[e] = part[i];
        assert_int_equal(part[i], e < 0 ? -1 : number[e]);
    }
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < k; l++) assert_int_not_equal(number[k], number[l]);
    pp_arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_mechanisms), cmocka_unit_test(parts_of_two_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
