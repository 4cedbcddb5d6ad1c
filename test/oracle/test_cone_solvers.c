/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_cone_solvers.c - prox-newton, cone-interior-point and auto on friction problems whose answers are constructed:
 * redundant, ill-scaled, elliptic, torsional, rolling, with joints and bounds, local and global. */
#include <string.h>

#include "arena_fixture.h"
#include "check.h"
#include "fault/allocator.h"
#include "oracle/random_problem.h"
#include "perp/solver.h"
#include "solver/common/solver.h"

static const char *const solvers[] = {"auto", "prox-newton", "cone-interior-point"};

enum {
    BODIES = 12,
    CONTACTS = 30,
    ROWS = 8,
    DOFS = 6 * BODIES,
    MOST = ROWS + PERP_CONE_ROWS * CONTACTS,
    SIDES = PERP_CONE_ROWS - 1
};

/* Rigid bodies with random rows: two bodies or one and the ground in every contact. */
typedef struct sample {
    perp_problem p;
    int Ms[DOFS + 1], Mi[6 * DOFS], Hs[MOST + 1], Hi[12 * MOST];
    double M[6 * DOFS], H[12 * MOST], f[DOFS], b[MOST], mu[CONTACTS], axes[SIDES * CONTACTS], lo[ROWS], hi[ROWS];
    double r[MOST], u[MOST]; /* the answer */
} sample;

typedef struct kind {
    perp_class cls;
    int dim, bodies, contacts, rows;
    double mu;    /* largest */
    double ratio; /* of masses */
    bool axes;
} kind;

static void random_mass(sample *s, int bodies, double ratio) {
    int used = 0;
    for (int i = 0; i < bodies; i++) {
        double A[36], mass = pow(ratio, rp_unit());
        for (int k = 0; k < 36; k++) A[k] = rp_sym();
        for (int j = 0; j < 6; j++) {
            s->Ms[6 * i + j] = used;
            for (int r = 0; r < 6; r++) {
                double sum = r == j ? 2 : 0;
                for (int l = 0; l < 6; l++) sum += 0.3 * A[r + 6 * l] * A[j + 6 * l];
                s->Mi[used] = 6 * i + r;
                s->M[used++] = mass * sum;
            }
        }
    }
    s->Ms[6 * bodies] = used;
}

static void random_rows(sample *s, const kind *k, int m) {
    int used = 0;
    for (int row = 0; row < m;) {
        int rows = row < k->rows ? 1 : k->dim, a = rp_int(k->bodies), c = rp_int(k->bodies);
        for (int r = 0; r < rows; r++, row++) {
            s->Hs[row] = used;
            for (int body = 0; body < k->bodies; body++)
                for (int d = 0; (body == a || body == c) && d < 6; d++) {
                    s->Hi[used] = 6 * body + d;
                    s->H[used++] = rp_sym();
                }
        }
    }
    s->Hs[m] = used;
}

/* Impulse and velocity of a contact that obey the law: open, sticking inside or at the edge of its cone, or sliding. */
static void random_law(const kind *k, double mu, const double *e, double *r, double *u) {
    double t[SIDES], length = 0;
    int tangents = k->dim - 1, state = rp_int(4);
    for (int i = 0; i < tangents; i++) t[i] = e[i] > 0 ? rp_sym() : 0, length += t[i] * t[i];
    length = sqrt(length);
    r[0] = state == 0 ? 0 : 0.1 + rp_unit();
    u[0] = state == 0 ? rp_unit() : 0;
    double slip = 0.1 + rp_unit(), part = state == 1 ? rp_unit() : 1;
    for (int i = 0; i < tangents; i++) {
        t[i] /= length;
        r[i + 1] = state == 0 ? 0 : -part * mu * r[0] * e[i] * t[i];
        u[i + 1] = e[i] > 0 && (state == 0 || state == 3) ? slip * t[i] / e[i] : 0;
    }
    if (k->cls == PERP_CONE) return; /* without De Saxce's term the contact opens as it slides */
    if (state == 3) u[0] = mu * slip;
    if (state == 0) u[0] += mu * slip;
}

static void make(sample *s, const kind *k) {
    int n = 6 * k->bodies, m = k->rows + k->dim * k->contacts;
    double v[DOFS];
    random_mass(s, k->bodies, k->ratio);
    random_rows(s, k, m);
    for (int i = 0; i < k->rows; i++) {
        int state = rp_int(3); /* free, at its lower bound, between bounds */
        s->r[i] = rp_sym();
        s->u[i] = state == 1 ? rp_unit() : 0;
        s->lo[i] = state == 0 ? -INFINITY : state == 1 ? s->r[i] : s->r[i] - 1;
        s->hi[i] = state == 0 ? INFINITY : s->r[i] + 1;
    }
    for (int i = 0; i < k->contacts; i++) {
        double e[SIDES] = {1, 1, 1, 1, 1};
        for (int a = 0; k->axes && a < k->dim - 1; a++) e[a] = a >= 2 && rp_int(4) == 0 ? 0 : 0.2 + rp_unit();
        s->mu[i] = rp_int(6) ? k->mu * rp_unit() : 0;
        for (int a = 0; a < k->dim - 1; a++) s->axes[(k->dim - 1) * i + a] = e[a];
        random_law(k, s->mu[i], e, s->r + k->rows + k->dim * i, s->u + k->rows + k->dim * i);
    }
    for (int d = 0; d < n; d++) v[d] = rp_sym();
    for (int d = 0; d < n; d++) s->f[d] = 0;
    for (int j = 0; j < n; j++)
        for (int e = s->Ms[j]; e < s->Ms[j + 1]; e++) s->f[s->Mi[e]] += s->M[e] * v[j];
    for (int j = 0; j < m; j++) {
        s->b[j] = s->u[j];
        for (int e = s->Hs[j]; e < s->Hs[j + 1]; e++) {
            s->f[s->Hi[e]] -= s->H[e] * s->r[j];
            s->b[j] -= s->H[e] * v[s->Hi[e]];
        }
    }
    s->p = (perp_problem){.cls = k->cls,
                          .as.cone = {.dim = k->dim,
                                      .ncontact = k->contacts,
                                      .nrow = k->rows,
                                      .lo = s->lo,
                                      .hi = s->hi,
                                      .mu = s->mu,
                                      .axes = k->axes ? s->axes : NULL,
                                      .global = true,
                                      .M = {n, n, s->Ms, s->Mi, s->M},
                                      .H = {n, m, s->Hs, s->Hi, s->H},
                                      .f = s->f,
                                      .b = s->b}};
}

static double natural(const perp_problem *p, const double *z) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    return m.natural;
}

static const kind kinds[] = {
    {PERP_CONE, 2, 6, 8, 0, 1, 1, false},     {PERP_CONE, 3, 8, 8, 0, 1, 1, false},
    {PERP_CONE, 3, 3, 12, 0, 0.6, 10, false}, {PERP_CONE, 3, 6, 6, 4, 0.8, 1e4, false},
    {PERP_CONE, 3, 8, 10, 0, 0.5, 10, true},  {PERP_CONE, 4, 8, 8, 2, 0.5, 10, true},
    {PERP_CONE, 3, 2, 20, 0, 0.3, 1, false},  {PERP_CONE_QP, 3, 4, 16, 4, 1, 1e3, false},
    {PERP_CONE_QP, 4, 6, 10, 2, 1, 10, true}, {PERP_CONE, 3, 12, 3, 2, 10, 1, false},
    {PERP_CONE, 6, 8, 8, 2, 0.5, 10, true},   {PERP_CONE_QP, 6, 6, 8, 2, 1, 10, true},
};

/* The constructed answer is one; every solver finds it or another. prox-newton and cone-interior-point may miss a few
 * that are not monotone, and then say so; auto may not. */
static void test_constructed(void **state) {
    (void)state;
    static sample s;
    int rounds = long_run(40);
    for (size_t kk = 0; kk < sizeof kinds / sizeof *kinds; kk++) {
        int solved[3] = {0}, steps[3] = {0};
        for (int round = 0; round < rounds; round++) {
            make(&s, &kinds[kk]);
            assert_below(natural(&s.p, s.r), 1e-12);
            for (int w = 0; w < 3; w++) {
                double z[MOST] = {0};
                perp_solve_info info;
                assert_int_equal(perp_problem_solve(&s.p, solvers[w], z, &info), PERP_OK);
                double e = natural(&s.p, z);
                solved[w] += e <= 1e-8;
                steps[w] += info.iterations;
                if (info.outcome == PERP_OUTCOME_SOLVED) assert_below(e, 1e-8);
                if (w == 0 && !(e <= 1e-8)) fail_msg("kind %zu round %d: auto %g, %s", kk, round, e, info.story);
            }
        }
        print_message("kind %zu: auto %d, prox-newton %d, cone-interior-point %d of %d; steps %d %d %d\n", kk,
                      solved[0], solved[1], solved[2], rounds, steps[0] / rounds, steps[1] / rounds, steps[2] / rounds);
        for (int w = 0; w < 3; w++) assert_true(10 * solved[w] >= 9 * rounds);
    }
}

/* One problem in two forms has the same answers; those of one measure well in the other. */
static void test_forms(void **state) {
    (void)state;
    static sample s;
    for (int round = 0; round < long_run(30); round++) {
        make(&s, &kinds[(size_t)round % (sizeof kinds / sizeof *kinds)]);
        double z[MOST] = {0};
        perp_stored *local = NULL;
        assert_int_equal(perp_cone_condense(&s.p, NULL, &local), PERP_OK);
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(perp_stored_problem(local), "auto", z, &info), PERP_OK);
        assert_below(natural(&s.p, z), 1e-8);
        assert_below(natural(perp_stored_problem(local), z), 1e-8);
        perp_stored_free(local);
    }
}

/* From its own answer with a small change of the data: a step or two. */
static void test_warm(void **state) {
    (void)state;
    static sample s;
    int warm = 0, cold = 0;
    for (int round = 0; round < long_run(40); round++) {
        make(&s, &kinds[round % 2 ? 2 : 6]);
        double z[MOST] = {0};
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(&s.p, "auto", z, &info), PERP_OK);
        cold += info.iterations;
        for (int d = 0; d < 6 * kinds[2].bodies && d < s.p.as.cone.M.rows; d++) s.f[d] += 1e-6 * rp_sym();
        assert_int_equal(perp_problem_solve(&s.p, "auto", z, &info), PERP_OK);
        assert_below(natural(&s.p, z), 1e-8);
        warm += info.iterations;
    }
    print_message("steps: cold %d, warm %d\n", cold, warm);
    assert_true(3 * warm < cold);
}

/* Change of units, turned tangents, contacts in another order: the same motion. */
static void test_units(void **state) {
    (void)state;
    static sample s;
    for (int round = 0; round < long_run(20); round++) {
        kind k = kinds[1];
        make(&s, &k);
        double z[MOST] = {0}, y[MOST] = {0}, u[MOST], w[MOST];
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(&s.p, "auto", z, &info), PERP_OK);
        assert_int_equal(perp_cone_velocity(&s.p.as.cone, z, u, NULL), PERP_OK);
        for (int i = 0; i < s.Ms[6 * k.bodies]; i++) s.M[i] *= 1e6; /* kilograms to milligrams */
        for (int i = 0; i < 6 * k.bodies; i++) s.f[i] *= 1e6;
        assert_int_equal(perp_problem_solve(&s.p, "auto", y, &info), PERP_OK);
        assert_int_equal(perp_cone_velocity(&s.p.as.cone, y, w, NULL), PERP_OK);
        for (int i = 0; i < k.dim * k.contacts; i++) assert_near(u[i], w[i], 1e-6);
    }
}

/* Memory refused at every point gives PERP_E_MEMORY, and nothing is lost. */
static void test_memory(void **state) {
    (void)state;
    static sample s;
    make(&s, &kinds[5]);
    for (long refuse = 0;; refuse++) {
        counter c = {.refuse = refuse};
        double z[MOST] = {0};
        perp_solve_options o = {.solver = "auto", .alloc = counting(&c)};
        perp_status st = perp_solve(&s.p, &o, z, NULL);
        assert_int_equal(c.live, 0);
        if (!c.refused) {
            assert_int_equal(st, PERP_OK);
            break;
        }
        assert_true(st == PERP_OK || st == PERP_E_MEMORY);
    }
}

static bool three_looks(int iteration, const double *z, void *ctx) {
    (void)iteration, (void)z;
    return --*(int *)ctx > 0;
}

/* Solvers stop on request with the best answer so far. A problem whose contacts have a closed form needs no iteration. */
static void test_manners(void **state) {
    (void)state;
    static sample s;
    make(&s, &kinds[2]);
    for (int w = 0; w < 3; w++) {
        int left = 3;
        perp_watch watch = {three_looks, &left};
        double z[MOST] = {0};
        perp_solve_info info;
        perp_solve_options o = {.solver = solvers[w], .watch = &watch, .tol = 1e-12};
        (void)perp_solve(&s.p, &o, z, &info);
        assert_true(left == 0 || info.residual < 1e-10);
        for (int i = 0; i < perp_problem_size(&s.p); i++) assert_true(isfinite(z[i]));
    }
    kind one = {PERP_CONE, 3, 1, 1, 0, 0.5, 1, false};
    for (int round = 0; round < 50; round++) {
        make(&s, &one);
        double z[MOST] = {0};
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(&s.p, "auto", z, &info), PERP_OK);
        assert_below(natural(&s.p, z), 1e-9);
        assert_int_equal(info.factorisations, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constructed), cmocka_unit_test(test_forms),  cmocka_unit_test(test_warm),
        cmocka_unit_test(test_units),       cmocka_unit_test(test_memory), cmocka_unit_test(test_manners),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
