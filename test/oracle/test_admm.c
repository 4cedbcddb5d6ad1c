/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_admm.c - alternating directions against interior points and closed forms; and the conjugate gradients under them
 * against factors. */
#include "oracle/convex_help.h"
#include "solver/cone/cone_cg.h"
#include "solver/cone/cone_linear.h"

#define SOLVER (&pp_solver_admm)
#define MOST   100 /* rows of a random problem */

/* Solves with one setting changed. */
static perp_solve_info solve_with(const perp_problem *p, double tol, const char *name, double value, double *z) {
    pp_settings set;
    perp_solve_info info;
    pp_settings_default(SOLVER, tol, &set);
    assert_int_equal(perp_fields_set(SOLVER->fields, SOLVER->nfield, &set, name, value), PERP_OK);
    pp_arena_mark mark = pp_arena_here(&arena);
    assert_int_equal(pp_solve(SOLVER, &set, p, z, &arena, &info), PERP_OK);
    pp_arena_release(&arena, mark);
    return info;
}

/* Largest difference of the velocities two answers make, over their size. */
static double apart(const perp_problem *p, const double *r, const double *l) {
    double u[MOST], v[MOST], size = 1, most = 0;
    int m = perp_problem_size(p);
    assert_int_equal(perp_cone_velocity(&p->as.cone, r, u, NULL), PERP_OK);
    assert_int_equal(perp_cone_velocity(&p->as.cone, l, v, NULL), PERP_OK);
    for (int i = 0; i < m; i++) size = fmax(size, fabs(u[i])), most = fmax(most, fabs(u[i] - v[i]));
    return most / size;
}

static void test_agrees_with_interior_point(void **state) {
    (void)state;
    static rp_step s;
    for (int round = 0; round < long_run(300); round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        double r[MOST] = {0}, l[MOST] = {0};
        assert_true(perp_problem_size(&p) <= MOST);
        must_solve(&pp_solver_interior_point, &p, 1e-10, l);
        must_solve(SOLVER, &p, 1e-9, r);
        assert_below(apart(&p, r, l), 3e-5); /* error ~ sqrt(residual) at worst */
    }
}

/* Coulomb's law on piles at rest, twins, joints, limits, springs: all solved, by ADMM and Newton together. */
static void test_coulomb(void **state) {
    (void)state;
    static rp_step s;
    int count = long_run(400), lost = 0;
    for (int round = 0; round < count; round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        double r[MOST] = {0};
        p.cls = PERP_CONE;
        perp_solve_info info = solve_to(SOLVER, &p, 1e-9, r);
        bool good = natural_of(&p, r) <= 1e-9;
        assert_true(good == (info.outcome == PERP_OUTCOME_SOLVED)); /* it knows */
        lost += !good;
    }
    assert_true(lost <= count / 100);
}

/* Both kinds of linear systems lead to the same velocities of a cone QP; without acceleration and polish it still
 * converges, if not as far, and takes longer. */
static void test_variants(void **state) {
    (void)state;
    static rp_step s;
    long plain = 0, quick = 0;
    for (int round = 0; round < 100; round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        double r[MOST] = {0}, l[MOST] = {0}, z[MOST] = {0};
        perp_solve_info a = solve_with(&p, 1e-9, "system", 1, r), b = solve_with(&p, 1e-9, "system", 2, l);
        assert_int_equal(a.outcome, PERP_OUTCOME_SOLVED);
        assert_int_equal(b.outcome, PERP_OUTCOME_SOLVED);
        assert_below(natural_of(&p, l), 1e-9);
        assert_below(apart(&p, r, l), 3e-5);
        perp_solve_info c = solve_with(&p, 1e-6, "memory", 0, z);
        assert_int_equal(c.outcome, PERP_OUTCOME_SOLVED);
        assert_below(natural_of(&p, z), 1e-6);
        memset(z, 0, sizeof z);
        plain += c.iterations;
        quick += solve_with(&p, 1e-6, "memory", 10, z).iterations;
    }
    assert_true(plain > 2 * quick);
}

static void test_sliding_block(void **state) {
    (void)state;
    must_slide_a_block(SOLVER, 6);
}

/* ---- a column of particles, one on the other ------------------------------------------------------------------- */

#define COLUMN 40

typedef struct column {
    perp_problem p;
    double M[9 * COLUMN], H[6 * COLUMN], f[3 * COLUMN], b[3 * COLUMN], mu[COLUMN];
    int Ms[3 * COLUMN + 1], Mi[9 * COLUMN], Hs[3 * COLUMN + 1], Hi[6 * COLUMN];
} column;

/* Particle i presses on particle i - 1, the lowest on the ground; gravity g for one unit of time, all pushed sideways
 * at speed `push`. M is not diagonal, to make nodes of three dofs. */
static void column_make(column *c, double g, double push, double mu) {
    int n = 3 * COLUMN, used = 0;
    for (int i = 0; i < n; i++) {
        c->Ms[i] = 3 * i;
        for (int a = 0; a < 3; a++) {
            c->Mi[3 * i + a] = 3 * (i / 3) + a;
            c->M[3 * i + a] = i % 3 == a ? 2 : 0.1;
        }
        c->Hs[i] = used; /* row i % 3 of contact i / 3 */
        if (i >= 3) c->Hi[used] = i - 3, c->H[used++] = -1;
        c->Hi[used] = i, c->H[used++] = 1;
        c->b[i] = 0;
    }
    c->Ms[n] = 3 * n, c->Hs[n] = used;
    for (int i = 0; i < COLUMN; i++) {
        double v[3] = {-g, push, 0};
        c->mu[i] = mu;
        for (int a = 0; a < 3; a++) {
            c->f[3 * i + a] = 0;
            for (int k = 0; k < 3; k++) c->f[3 * i + a] += (a == k ? 2 : 0.1) * v[k];
        }
    }
    c->p = (perp_problem){.cls = PERP_CONE,
                          .as.cone = {.dim = 3,
                                      .ncontact = COLUMN,
                                      .mu = c->mu,
                                      .global = true,
                                      .M = {n, n, c->Ms, c->Mi, c->M},
                                      .H = {n, n, c->Hs, c->Hi, c->H},
                                      .f = c->f,
                                      .b = c->b}};
}

/* The same in local form, with M = I: W = H'H, in the room of M. */
static void column_local(column *c) {
    int n = 3 * COLUMN, used = 0;
    for (int j = 0; j < n; j++) {
        c->Ms[j] = used;
        for (int i = j - 3; i <= j + 3; i += 3) {
            if (i < 0 || i >= n) continue;
            c->Mi[used] = i;
            c->M[used++] = i != j ? -1 : i < 3 ? 1 : 2;
        }
    }
    c->Ms[n] = used;
    c->p.as.cone.global = false;
    c->p.as.cone.W = (perp_sparse){n, n, c->Ms, c->Mi, c->M};
    c->p.as.cone.q = c->b;
}

/* Held by friction: contact i carries all that is above it, whichever system is solved. */
static void test_column(void **state) {
    (void)state;
    static column c;
    column_make(&c, 1, 0.1, 0.9);
    for (int system = 1; system <= 2; system++) {
        double r[3 * COLUMN] = {0};
        perp_solve_info info = solve_with(&c.p, 1e-10, "system", system, r);
        assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);
        for (int i = 0; i < COLUMN; i++) {
            double weight[3] = {0};
            for (int j = i; j < COLUMN; j++)
                for (int a = 0; a < 3; a++) weight[a] += c.f[3 * j + a];
            for (int a = 0; a < 3; a++) assert_near(r[3 * i + a], -weight[a], 1e-6 * COLUMN);
        }
    }
}

/* From its own answer it has nothing to do; from that of a problem close by, little. */
static void test_warm_start(void **state) {
    (void)state;
    static column c;
    double r[3 * COLUMN] = {0}, z[3 * COLUMN] = {0};
    column_make(&c, 1, 0.6, 0.5);
    perp_solve_info cold = must_solve(SOLVER, &c.p, 1e-9, r);
    assert_false(cold.warm);
    memcpy(z, r, sizeof z);
    perp_solve_info again = must_solve(SOLVER, &c.p, 1e-9, z);
    assert_true(again.warm && again.iterations == 0);
    for (int i = 0; i < 3 * COLUMN; i++) assert_near(z[i], r[i], 1e-14 * COLUMN);
    for (int i = 0; i < 3 * COLUMN; i++) c.f[i] *= 1 + 1e-6 * rp_sym();
    perp_solve_info close = must_solve(SOLVER, &c.p, 1e-9, z);
    assert_true(close.warm && 2 * close.iterations <= cold.iterations);
}

/* Other units of mass, length and time: the same iterations, up to rounding. */
static void test_units(void **state) {
    (void)state;
    static column c;
    double r[3 * COLUMN] = {0}, z[3 * COLUMN] = {0};
    column_make(&c, 1, 0.6, 0.5);
    perp_solve_info a = must_solve(SOLVER, &c.p, 1e-9, r);
    for (int i = 0; i < 9 * COLUMN; i++) c.M[i] *= 0x1p20;
    for (int i = 0; i < 3 * COLUMN; i++) c.f[i] *= 0x1p10; /* velocities 2^-10 of what they were */
    perp_solve_info b = must_solve(SOLVER, &c.p, 1e-9, z);
    assert_int_equal(a.iterations, b.iterations);
    for (int i = 0; i < 3 * COLUMN; i++) assert_near(z[i], 0x1p10 * r[i], 1e-9 * 0x1p10 * COLUMN);
}

/* Nothing to solve: no contacts, or none that is touched; and mu = 0. */
static void test_plain_cases(void **state) {
    (void)state;
    int start[] = {0, 1, 2, 3}, index[] = {0, 1, 2};
    double W[] = {1, 1, 1}, q[] = {1, 3, 2}, mu = 0.5, r[3] = {0}, lo[] = {-1, 0, -0.5}, hi[] = {1, 9, 0.5};
    perp_problem p = {.cls = PERP_CONE,
                      .as.cone = {.dim = 3, .ncontact = 1, .mu = &mu, .W = {3, 3, start, index, W}, .q = q}};
    must_solve(SOLVER, &p, 1e-10, r);
    for (int i = 0; i < 3; i++) assert_near(r[i], 0, 1e-9);
    q[0] = -2, mu = 0;
    must_solve(SOLVER, &p, 1e-10, r);
    assert_near(r[0], 2, 1e-9);
    assert_true(r[1] == 0 && r[2] == 0);
    p.as.cone = (perp_cone){.dim = 2, .nrow = 3, .lo = lo, .hi = hi, .W = {3, 3, start, index, W}, .q = q};
    q[0] = -0.3, q[1] = 2, q[2] = -7;
    memset(r, 0, sizeof r);
    must_solve(SOLVER, &p, 1e-10, r); /* bounds: inside, lower, upper */
    assert_near(r[0], 0.3, 1e-9);
    assert_near(r[1], 0, 1e-9);
    assert_near(r[2], 0.5, 1e-9);
    p.as.cone.nrow = 0;
    p.as.cone.W.rows = p.as.cone.W.cols = 0;
    assert_int_equal(solve_to(SOLVER, &p, 1e-10, r).outcome, PERP_OUTCOME_SOLVED);
}

static bool stop_at_five(int iteration, const double *z, void *ctx) {
    *(int *)ctx = iteration;
    return isfinite(z[0]) && iteration < 5;
}

static void test_stops_when_told(void **state) {
    (void)state;
    static column c;
    double r[3 * COLUMN] = {0};
    int seen = -1;
    column_make(&c, 1, 0.6, 0.5);
    perp_watch watch = {stop_at_five, &seen};
    perp_solve_info info;
    perp_status s = perp_solve(&c.p, &(perp_solve_options){.solver = "admm", .watch = &watch}, r, &info);
    assert_int_equal(s, PERP_E_SOLVE);
    assert_int_equal(info.outcome, PERP_OUTCOME_STOPPED);
    assert_int_equal(seen, 5);
}

/* ---- conjugate gradients --------------------------------------------------------------------------------------- */

/* C = p I + something, E = I + something: symmetric, or like Newton's. */
static void random_blocks(const pp_cone *c, bool symmetric, double *C, double *E) {
    for (int i = 0; i < c->nblock; i++) {
        int rows = pp_cone_rows(c, i);
        for (int a = 0; a < rows * rows; a++) {
            bool on = a % (rows + 1) == 0;
            C[16 * i + a] = (on ? 0.3 : 0) + (symmetric ? 0 : 0.1 * rp_sym());
            E[16 * i + a] = (on ? 1 : 0) + (symmetric ? 0 : 0.1 * rp_sym());
        }
    }
}

/* Against the factors, in body and contact space, symmetric and not. */
static void test_systems(void **state) {
    (void)state;
    static rp_step s;
    for (int round = 0; round < long_run(300); round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        perp_call call = {.arena = &arena, .deadline = INFINITY};
        pp_cone c;
        pp_cone_linear linear;
        pp_cone_cg cg;
        bool singular, symmetric = round % 3 == 0;
        double C[16 * MOST], E[16 * MOST], b[MOST], x[MOST], y[MOST], size = 0;
        assert_true(pp_cone_make(&c, &p, &call, &singular));
        assert_true(pp_cone_linear_make(&linear, &c, &call) && pp_cone_cg_make(&cg, &c, &call));
        assert_true(cg.symmetric_operator);
        random_blocks(&c, symmetric, C, E);
        assert_true(pp_cone_linear_factor(&linear, C, E) && pp_cone_cg_prepare(&cg, C, E));
        assert_true(symmetric ? cg.symmetric : !cg.symmetric || c.m == c.nrow); /* single rows always are */
        for (int i = 0; i < c.m; i++) b[i] = rp_sym();
        assert_below(pp_cone_linear_solve(&linear, b, x, 1e-13, 5), 1e-9);
        assert_below(pp_cone_cg_solve(&cg, b, y, 1e-11, 300), 1e-11);
        for (int i = 0; i < c.m; i++) size = fmax(size, fabs(x[i]));
        for (int i = 0; i < c.m; i++) assert_near(y[i], x[i], 1e-7 * size);
        int steps = cg.steps;
        assert_below(pp_cone_cg_solve(&cg, b, y, 1e-10, 300), 1e-10); /* it starts where it ended */
        assert_int_equal(cg.steps, steps);
    }
}

/* A column has no fill, so that the incomplete factors are the factors: P^-1 A = I, one step. */
static void test_no_fill(void **state) {
    (void)state;
    static column t;
    static double C[16 * COLUMN], E[16 * COLUMN];
    for (int form = 0; form < 4; form++) {
        pp_cone c;
        pp_cone_cg cg;
        bool singular;
        double b[3 * COLUMN], x[3 * COLUMN], y[3 * COLUMN], z[3 * COLUMN];
        pp_arena_reset(&arena);
        perp_call call = {.arena = &arena, .deadline = INFINITY};
        column_make(&t, 1, 0.1, 0.9);
        if (form >= 2) column_local(&t);
        assert_true(pp_cone_make(&c, &t.p, &call, &singular));
        assert_true(c.body == (form < 2));
        assert_true(pp_cone_cg_make(&cg, &c, &call));
        random_blocks(&c, form % 2 == 0, C, E);
        assert_true(pp_cone_cg_prepare(&cg, C, E));
        assert_false(cg.jacobi);
        assert_int_equal(cg.unknowns, 3 * COLUMN);
        for (int i = 0; i < cg.unknowns; i++) x[i] = rp_sym();
        pp_cone_cg_product(&cg, x, y);
        pp_cone_cg_precondition(&cg, y, z);
        for (int i = 0; i < cg.unknowns; i++) assert_near(z[i], x[i], 1e-10);
        for (int i = 0; i < c.m; i++) b[i] = rp_sym();
        assert_below(pp_cone_cg_solve(&cg, b, x, 1e-9, 3), 1e-9);
        assert_true(cg.steps <= 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_interior_point),
        cmocka_unit_test(test_coulomb),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_sliding_block),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_plain_cases),
        cmocka_unit_test(test_stops_when_told),
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_no_fill),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
