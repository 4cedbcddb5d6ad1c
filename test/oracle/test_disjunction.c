/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The disjunctive contact problem against an oracle: all branches of small frictionless problems are enumerated by sets of
 * contacts that push, each a linear solve judged by hand, and compared with what the complementarity problem says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "method/disjunction/disjunction.h"
#include "problem/rows.h"

#define MOST 6 /* contacts */
#ifdef PERP_TEST_SHORT
#define CASES 30
#else
#define CASES 400
#endif

static uint64_t seed = 7;
static double uniform(double lo, double hi) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

/* One free body of three degrees of freedom and contacts with the world; all arrays in one place. */
typedef struct small {
    perp_step_problem p;
    perp_contact_row row[MOST];
    int ndof[1], offset[1];
    double M[36], Minv[36], momentum[3];
    pp_disjunction d;
    bool plain[MOST];
    pp_group group[4];
    int member[16];
    double nu[3], impulse[3 * MOST], sigma[MOST];
    perp_step_solution s;
} small;

static void make(small *x, int ncontact) {
    memset(x, 0, sizeof *x);
    x->ndof[0] = 3;
    const double inertia[3] = {uniform(0.5, 2), 0, uniform(0.1, 1)};
    for (int i = 0; i < 3; i++) {
        double m = i < 2 ? inertia[0] : inertia[2];
        x->M[i + 6 * i] = m;
        x->Minv[i + 6 * i] = 1 / m;
        x->momentum[i] = m * uniform(-1, 1);
    }
    for (int i = 0; i < ncontact; i++) {
        double a = uniform(0, 6.28), lever = uniform(-0.5, 0.5);
        perp_contact_row *r = &x->row[i];
        r->n = (perp_row){.block = {-1, 0}, .J = {{0}, {cos(a), sin(a), lever}}};
        r->t = (perp_row){.block = {-1, 0}, .J = {{0}, {-sin(a), cos(a), lever}}};
        r->o = (perp_row){.block = {-1, -1}};
        r->b_n = uniform(-0.3, 0.5);
        r->contact = i;
    }
    x->p = (perp_step_problem){.dim = 2,
                               .h = 0.01,
                               .nblock = 1,
                               .ndof = 3,
                               .block_ndof = x->ndof,
                               .block_offset = x->offset,
                               .M = x->M,
                               .Minv = x->Minv,
                               .momentum = x->momentum,
                               .ncontact = ncontact,
                               .contact = x->row};
    x->d =
        (pp_disjunction){.ncontact = ncontact, .gamma = 4, .plain = x->plain, .group = x->group, .member = x->member};
    x->s = (perp_step_solution){.nu = x->nu, .p_contact = x->impulse, .sigma = x->sigma};
}

static void add_group(small *x, int primary, int count, const int *contact) {
    x->group[x->d.ngroup++] = (pp_group){x->d.nmember, count, primary};
    for (int k = 0; k < count; k++) x->member[x->d.nmember++] = contact[k];
}

/* (4.17): contacts 0, 1 of one vertex, 2, 3 of the other, one U beside them; which are primary is random. */
static void vertex_vertex(small *x) {
    make(x, 5);
    const int one[2] = {0, 1}, two[2] = {2, 3}, cross1[2] = {0, 3}, cross2[2] = {1, 2};
    add_group(x, uniform(0, 1) < 0.5 ? 1 : 2, 2, one);
    add_group(x, uniform(0, 1) < 0.5 ? 1 : 2, 2, two);
    add_group(x, 0, 2, cross1);
    add_group(x, 0, 2, cross2);
    x->plain[4] = true;
}

/* (4.9): a vertex near three facets. */
static void vertex_facets(small *x) {
    make(x, 4);
    const int all[3] = {0, 1, 2};
    add_group(x, 1 + (int)uniform(0, 3), 3, all);
    x->plain[3] = true;
}

/* By hand, with no code of the library: are the laws met to tol? */
static bool lawful(const small *x, const double *nu, const double *p, double tol) {
    double psi[MOST];
    bool may[MOST] = {false};
    for (int i = 0; i < x->p.ncontact; i++) {
        const double *J = x->row[i].n.J[1];
        psi[i] = J[0] * nu[0] + J[1] * nu[1] + J[2] * nu[2] + x->row[i].b_n;
        if (p[i] < -tol) return false;
        if (x->plain[i] && (psi[i] < -tol || (p[i] > tol && psi[i] > tol))) return false;
        may[i] = x->plain[i] || p[i] <= tol;
    }
    for (int g = 0; g < x->d.ngroup; g++) {
        const int *c = x->member + x->group[g].first;
        double most = -INFINITY;
        for (int k = 0; k < x->group[g].count; k++) most = fmax(most, psi[c[k]]);
        if (most < -tol) return false;
        for (int k = 0; k < x->group[g].primary; k++)
            if (fabs(psi[c[k]]) <= tol && most <= tol) may[c[k]] = true;
    }
    for (int i = 0; i < x->p.ncontact; i++)
        if (!may[i]) return false;
    return true;
}

/* Velocity that makes the gaps of the contacts in the set zero; false if they depend on each other. */
static bool solve_set(const small *x, int set, double *nu, double *p) {
    int c[MOST], n = 0;
    double A[3][4];
    for (int i = 0; i < x->p.ncontact; i++) {
        p[i] = 0;
        if (set >> i & 1) c[n++] = i;
    }
    if (n > 3) return false;
    for (int k = 0; k < 3; k++) nu[k] = x->momentum[k] * x->Minv[7 * k];
    for (int i = 0; i < n; i++) {
        const double *a = x->row[c[i]].n.J[1];
        A[i][n] = -(a[0] * nu[0] + a[1] * nu[1] + a[2] * nu[2] + x->row[c[i]].b_n);
        for (int j = 0; j < n; j++) {
            const double *b = x->row[c[j]].n.J[1];
            A[i][j] = a[0] * x->Minv[0] * b[0] + a[1] * x->Minv[7] * b[1] + a[2] * x->Minv[14] * b[2];
        }
    }
    for (int k = 0; k < n; k++) { /* positive definite: no pivoting */
        if (!(A[k][k] > 1e-9)) return false;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            double f = A[i][k] / A[k][k];
            for (int j = k; j <= n; j++) A[i][j] -= f * A[k][j];
        }
    }
    for (int i = 0; i < n; i++) {
        p[c[i]] = A[i][n] / A[i][i];
        for (int k = 0; k < 3; k++) nu[k] += x->Minv[7 * k] * x->row[c[i]].n.J[1][k] * p[c[i]];
    }
    return true;
}

typedef struct answers {
    int n;
    double nu[64][3];
} answers;

static void enumerate(small *x, answers *out) {
    double nu[3], p[MOST];
    out->n = 0;
    for (int set = 0; set < 1 << x->p.ncontact; set++) {
        if (!solve_set(x, set, nu, p)) continue;
        bool good = lawful(x, nu, p, 1e-10);
        memcpy(x->nu, nu, sizeof nu); /* the library's judge says the same */
        for (int i = 0; i < x->p.ncontact; i++) x->impulse[3 * i] = p[i];
        double r = pp_disjunction_residual(&x->d, &x->p, &x->s);
        if (good != (r < 1e-8)) fail_msg("judge says %g of an answer that is %s", r, good ? "right" : "wrong");
        if (good) memcpy(out->nu[out->n++], nu, sizeof nu);
    }
}

static bool among(const answers *a, const double *nu) {
    for (int k = 0; k < a->n; k++)
        if (fabs(nu[0] - a->nu[k][0]) + fabs(nu[1] - a->nu[k][1]) + fabs(nu[2] - a->nu[k][2]) < 1e-7) return true;
    return false;
}

typedef struct tally {
    int solvable, lemke, newton, path, every, slacks;
} tally;

/* Runs a solver on a form. True if what it found is lawful; then it must be among the answers. An answer to the exact
 * form is always lawful, and one to Berard's, with slack variables, too. */
static bool runs(small *x, const answers *a, pp_disjunction_form form, const char *solver, pp_arena *arena) {
    pp_mixed m;
    perp_solve_info info;
    double z[64] = {0};
    assert_int_equal(pp_mixed_build(&x->p, &x->d, form, arena, &m), PERP_OK);
    assert_true(m.n <= 64);
    assert_int_equal(perp_problem_solve(&m.problem, solver, z, &info), PERP_OK);
    assert_int_equal(pp_mixed_recover(&m, z, arena, &x->s), PERP_OK);
    double law = pp_disjunction_residual(&x->d, &x->p, &x->s);
    if (form != PP_DISJUNCTION_PUSHING && info.residual < 1e-10 && !(law < 1e-8))
        fail_msg("%s solves an exact form, residual %g, but the laws miss by %g", solver, info.residual, law);
    bool good = law < 1e-9;
    if (good && !among(a, x->nu)) fail_msg("%s found a lawful answer that is on no branch", solver);
    return good;
}

static void against_branches(void (*kind)(small *), int cases, tally *t) {
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    for (int k = 0; k < cases; k++) {
        small x;
        answers a;
        kind(&x);
        enumerate(&x, &a);
        pp_arena_reset(&arena);
        bool every = runs(&x, &a, PP_DISJUNCTION_EXACT, "enumerate", &arena);
        if (every && a.n == 0) fail_msg("an answer where there is none");
        if (!every && a.n > 0) fail_msg("%d answers, but the exact form has no solution", a.n);
        t->solvable += a.n > 0;
        t->every += every;
        t->lemke += runs(&x, &a, PP_DISJUNCTION_PUSHING, "lemke", &arena);
        t->newton += runs(&x, &a, PP_DISJUNCTION_EXACT, "fischer-newton", &arena);
        t->path += runs(&x, &a, PP_DISJUNCTION_EXACT, "path-search", &arena);
        t->slacks += runs(&x, &a, PP_DISJUNCTION_SLACKS, "fischer-newton", &arena) ||
                     runs(&x, &a, PP_DISJUNCTION_SLACKS, "path-search", &arena);
    }
    pp_arena_free(&arena);
}

static void facets(void **state) {
    (void)state;
    tally t = {0};
    against_branches(vertex_facets, CASES, &t);
    assert_true(t.solvable > CASES / 2);
    assert_true(t.lemke > t.solvable / 2);
    assert_true(t.newton > t.solvable / 4);
    assert_true(t.slacks > t.solvable / 4);
    print_message("vertex near three facets: %d problems, %d solvable; lemke %d, fischer-newton %d, path-search %d; "
                  "with slacks %d\n",
                  CASES, t.solvable, t.lemke, t.newton, t.path, t.slacks);
}

static void corners(void **state) {
    (void)state;
    int cases = CASES / 10;
    tally t = {0};
    against_branches(vertex_vertex, cases, &t);
    assert_true(t.solvable > cases / 4);
    assert_true(t.lemke > t.solvable / 2);
    print_message("vertex near vertex: %d problems, %d solvable; lemke %d, fischer-newton %d, path-search %d\n", cases,
                  t.solvable, t.lemke, t.newton, t.path);
}

/* One primary and one secondary: the primary must not push while it is violated and the secondary is at zero, which
 * (4.14) and the pushing form allow. */
static void no_push_when_violated(void **state) {
    (void)state;
    small x;
    make(&x, 2);
    const int both[2] = {0, 1};
    add_group(&x, 1, 2, both);
    for (int i = 0; i < 3; i++) x.momentum[i] = 0;
    for (int i = 0; i < 2; i++) x.row[i].n = (perp_row){.block = {-1, 0}, .J = {{0}, {1, 0, 0}}};
    x.row[0].b_n = -1;   /* needs a push of 1 */
    x.row[1].b_n = -0.5; /* one of 0.5 brings this to zero */
    x.nu[0] = 0.5;
    x.impulse[0] = 0.5 / x.Minv[0];
    assert_true(pp_disjunction_residual(&x.d, &x.p, &x.s) > 0.4);
    x.row[1].n.J[1][0] = -1; /* now the push makes it worse: the primary has to reach zero, the other is behind */
    x.nu[0] = 1;
    x.impulse[0] = 1 / x.Minv[0];
    assert_true(pp_disjunction_residual(&x.d, &x.p, &x.s) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(facets), cmocka_unit_test(corners),
                                       cmocka_unit_test(no_push_when_violated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
