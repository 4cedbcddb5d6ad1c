/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_judge.c - the verdict: fakes that residuals relative to the answer let pass are rejected, honest answers accepted,
 * other units change nothing, and scales follow their definition */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "fault/allocator.h"
#include "perp/judge.h"
#include "perp/solve.h"
#include "unit/sparse_help.h"

#define BODIES   12
#define CONTACTS 16
#define ROWS     (3 * CONTACTS + 4)
#define DOFS     (3 * BODIES)

/* Bodies in the plane, x, y and a turn each, with contacts of which the normal is up and the tangent right: in global
 * form, condensed, and as an LCP of the normals. */
typedef struct pile {
    int nb, nc, nrow;
    double mass[BODIES], inertia[BODIES];
    int below[CONTACTS], above[CONTACTS]; /* -1: the ground */
    double lever[CONTACTS];               /* x of the contact from the centre of the one above */
    double arm[CONTACTS];                 /* y of it */
    double mu[CONTACTS], q_n[CONTACTS];
    int row_body[4]; /* bounded rows: turn of a body */
    double row_b[4], lo[4], hi[4];
    double fall[BODIES]; /* momentum down */
    /* made */
    double M[DOFS], H[DOFS * ROWS], W[ROWS * ROWS], f[DOFS], b[ROWS], q[ROWS], M_n[CONTACTS * CONTACTS],
        q_lcp[CONTACTS];
    int start[3][ROWS + DOFS + 1], index[3][ROWS * (ROWS + DOFS)];
    double value[3][ROWS * (ROWS + DOFS)];
    perp_problem global, local, lcp;
} pile;

static pile a, b;

static perp_sparse columns(pile *p, int which, int rows, int cols, const double *dense) {
    return sparse_of(rows, cols, dense, p->start[which], p->index[which], p->value[which]);
}

static void fill_jacobian(pile *p, int n) {
    memset(p->H, 0, sizeof p->H);
    for (int k = 0; k < p->nrow; k++) p->H[3 * p->row_body[k] + 2 + n * k] = 1, p->b[k] = p->row_b[k];
    for (int c = 0; c < p->nc; c++) {
        int normal = p->nrow + 2 * c, up = p->above[c], down = p->below[c];
        p->b[normal] = p->q_n[c], p->b[normal + 1] = 0;
        if (up >= 0) {
            p->H[3 * up + 1 + n * normal] = 1, p->H[3 * up + 2 + n * normal] = p->lever[c];
            p->H[3 * up + n * (normal + 1)] = 1, p->H[3 * up + 2 + n * (normal + 1)] = -p->arm[c];
        }
        if (down >= 0) p->H[3 * down + 1 + n * normal] = -1, p->H[3 * down + n * (normal + 1)] = -1;
    }
}

static void make(pile *p) {
    int n = 3 * p->nb, m = p->nrow + 2 * p->nc;
    static double full[DOFS * DOFS];
    fill_jacobian(p, n);
    memset(full, 0, sizeof full);
    for (int i = 0; i < n; i++) p->M[i] = full[i + n * i] = i % 3 < 2 ? p->mass[i / 3] : p->inertia[i / 3];
    for (int i = 0; i < n; i++) p->f[i] = i % 3 == 1 ? -p->fall[i / 3] : 0;
    for (int k = 0; k < m; k++) {
        p->q[k] = p->b[k];
        for (int i = 0; i < n; i++) p->q[k] += p->H[i + n * k] * p->f[i] / p->M[i];
        for (int l = 0; l < m; l++) {
            p->W[k + m * l] = 0;
            for (int i = 0; i < n; i++) p->W[k + m * l] += p->H[i + n * k] * p->H[i + n * l] / p->M[i];
        }
    }
    for (int i = 0; i < p->nc; i++) {
        p->q_lcp[i] = p->q[p->nrow + 2 * i];
        for (int k = 0; k < p->nc; k++) p->M_n[i + p->nc * k] = p->W[p->nrow + 2 * i + m * (p->nrow + 2 * k)];
    }
    perp_cone cone = {.dim = 2, .ncontact = p->nc, .nrow = p->nrow, .lo = p->lo, .hi = p->hi, .mu = p->mu};
    p->local = p->global = (perp_problem){.cls = PERP_CONE, .as.cone = cone};
    p->local.as.cone.W = columns(p, 0, m, m, p->W);
    p->local.as.cone.q = p->q;
    p->global.as.cone.global = true;
    p->global.as.cone.M = columns(p, 1, n, n, full);
    p->global.as.cone.H = columns(p, 2, n, m, p->H);
    p->global.as.cone.f = p->f;
    p->global.as.cone.b = p->b;
    p->lcp = (perp_problem){.cls = PERP_LCP, .as.lcp = {p->nc, p->M_n, p->q_lcp}};
}

/* Bodies on top of each other; contact i carries what lies above it. */
static void make_stack(pile *p, int n, const double *mass) {
    memset(p, 0, sizeof *p);
    p->nb = p->nc = n;
    for (int i = 0; i < n; i++) {
        p->mass[i] = p->inertia[i] = mass[i];
        p->fall[i] = 0.0981 * mass[i];
        p->below[i] = i - 1, p->above[i] = i;
        p->mu[i] = 0.5;
    }
    make(p);
}

/* Impulses of a stack at rest: normals alone (LCP), or with tangents. */
static void loads(const pile *p, double *normals, double *r) {
    double sum = 0;
    memset(r, 0, sizeof *r * (size_t)(p->nrow + 2 * p->nc));
    for (int i = p->nc - 1; i >= 0; i--) {
        sum += p->fall[i];
        normals[i] = r[p->nrow + 2 * i] = sum;
    }
}

static perp_verdict judged(const perp_problem *p, const double *z, double tol) {
    perp_verdict v;
    perp_law law[ROWS];
    assert_int_equal(perp_problem_judge(p, z, tol, &v, law), PERP_OK);
    assert_int_equal(v.laws, perp_problem_laws(p));
    assert_true(v.solved == (v.violated == 0));
    int violated = 0, rounding = 0;
    double most = 0;
    for (int i = 0; i < v.laws; i++) {
        violated += law[i].state == PERP_LAW_VIOLATED;
        rounding += law[i].state == PERP_LAW_ROUNDING;
        most = fmax(most, law[i].violation / law[i].scale);
        assert_true(law[i].scale > 0 && law[i].island >= 0 && law[i].island < v.islands);
    }
    assert_int_equal(violated, v.violated);
    assert_int_equal(rounding, v.rounding);
    assert_true(most == v.figure);
    return v;
}

static double natural(const perp_problem *p, const double *z) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    return m.natural;
}

/* All three forms are to be rejected, with a figure of at least `least`. */
static void rejected(const pile *p, const double *normals, const double *r, double least) {
    const perp_problem *form[] = {&p->local, &p->global, &p->lcp};
    for (int k = 0; k < 3; k++) {
        perp_verdict v = judged(form[k], k < 2 ? r : normals, 1e-8);
        assert_false(v.solved);
        assert_true(v.figure >= least && v.worst_violation >= least && v.worst >= 0);
    }
}

static void accepted(const pile *p, const double *normals, const double *r) {
    const perp_problem *form[] = {&p->local, &p->global, &p->lcp};
    for (int k = 0; k < 3; k++) {
        perp_verdict v = judged(form[k], k < 2 ? r : normals, 1e-8);
        if (!v.solved) fail_msg("form %d: figure %g, law %d", k, v.figure, v.worst);
        assert_true(v.worst_violation == 0);
    }
}

/* A body between two walls that approach: impulses of 1e9 hide the velocity, relative to themselves. */
static void test_walls(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        int m = 2 * dim, start[7] = {0}, index[12];
        double value[12], mu[] = {0.5, 0.5}, q[6] = {0}, r[6] = {0};
        for (int k = 0; k < m; k++) {
            start[k + 1] = start[k] + 2;
            int first = k % dim;
            index[start[k]] = first, index[start[k] + 1] = first + dim;
            value[start[k]] = value[start[k] + 1] = 1;
            if (first != 1) value[start[k] + (k < dim)] = -1; /* W = (1, -1; -1, 1), along the first tangent 1 1; 1 1 */
        }
        q[0] = q[dim] = -1;
        r[0] = r[dim] = 1e9;
        perp_problem p = {.cls = PERP_CONE,
                          .as.cone = {.dim = dim, .ncontact = 2, .mu = mu, .W = {m, m, start, index, value}, .q = q}};
        assert_below(natural(&p, r), 1e-8); /* which is what fooled */
        perp_verdict v = judged(&p, r, 1e-8);
        assert_near(v.figure, 1, 1e-12);
        assert_int_equal(v.violated, 2);
        assert_false(v.solved);
        assert_int_equal(v.islands, 1);
        r[0] = r[dim] = 1e17; /* so large that q is lost in their difference, which is 0 */
        v = judged(&p, r, 1e-8);
        assert_true(!v.solved && v.violated == 2 && v.blind == 2 && v.figure > 1);
    }
    double M[] = {1, -1, -1, 1}, q[] = {-1, -1}, z[] = {1e9, 1e9};
    perp_problem lcp = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    perp_verdict v = judged(&lcp, z, 1e-8);
    assert_near(v.figure, 1, 1e-12);
    assert_int_equal(v.violated, 2);
}

/* A light body on a heavy one: without its load it falls through, and the heavy one's load hides that. */
static void test_light_on_heavy(void **state) {
    (void)state;
    const double ratio[] = {1e8, 1e12};
    for (int k = 0; k < 2; k++) {
        double mass[] = {ratio[k], 1}, normals[2], r[4];
        make_stack(&a, 2, mass);
        loads(&a, normals, r);
        accepted(&a, normals, r);
        normals[1] = r[2] = 0;
        assert_below(natural(&a.local, r), 2 / ratio[k]);
        assert_true(judged(&a.local, r, 1e-8).figure > 0.1 && judged(&a.global, r, 1e-8).figure > 0.1);
        rejected(&a, normals, r,
                 0.1 / sqrt(ratio[k])); /* rows of an LCP may be anything: masses are all that is known */
    }
}

static void test_one_load_missing(void **state) {
    (void)state;
    double mass[10], normals[10], r[20];
    for (int i = 0; i < 10; i++) mass[i] = 1 + 0.1 * i;
    make_stack(&a, 10, mass);
    for (int i = 0; i < 10; i++) {
        loads(&a, normals, r);
        accepted(&a, normals, r);
        normals[i] = r[2 * i] = 0;
        rejected(&a, normals, r, 0.1);
        loads(&a, normals, r);
        for (int k = 0; k < 10; k++)
            normals[k] *= 1 + 1e-11 * (k % 3 - 1), r[2 * k] = normals[k]; /* of a solver at 1e-10 */
        accepted(&a, normals, r);
        normals[i] *= 1 + 1e-6, r[2 * i] = normals[i];
        rejected(&a, normals, r, 1e-8);
    }
}

/* Heavy bodies on light ones: sweeps that stop early leave loads too small, the lowest most of all. */
static void test_stopped_early(void **state) {
    (void)state;
    double mass[8], normals[8], r[16];
    for (int i = 0; i < 8; i++) mass[i] = pow(1e8, i / 7.0);
    make_stack(&a, 8, mass);
    loads(&a, normals, r);
    for (int k = 0; k < 2; k++) { /* honest: as good as rounding allows, and that is told */
        perp_verdict v = judged(k ? &a.global : &a.local, r, 1e-15);
        assert_true(v.solved && v.blind > 0 && v.figure < 1e-6);
    }
    double missing = 4e-9 * normals[7];
    for (int i = 0; i < 8; i++) r[2 * i] = normals[i] -= missing * (8 - i) / 8;
    assert_below(natural(&a.local, r), 1e-8);
    rejected(&a, normals, r, 1e-5);
    assert_true(judged(&a.local, r, 1e-8).figure > 0.01);
}

/* Other units of mass, length and time: r and f are M L/T, b is L/T or 1/T, turning rows have lengths in H. */
static void change_units(const pile *from, pile *to, double M, double L, double T, const double *r, double *r_new) {
    *to = *from;
    for (int i = 0; i < from->nb; i++) to->mass[i] *= M, to->inertia[i] *= M * L * L, to->fall[i] *= M * L / T;
    for (int i = 0; i < from->nc; i++) to->lever[i] *= L, to->arm[i] *= L, to->q_n[i] *= L / T;
    for (int i = 0; i < from->nrow; i++) to->row_b[i] /= T, to->lo[i] *= M * L * L / T, to->hi[i] *= M * L * L / T;
    make(to);
    for (int i = 0; i < from->nrow + 2 * from->nc; i++) r_new[i] = r[i] * (i < from->nrow ? M * L * L / T : M * L / T);
}

static void test_units(void **state) {
    (void)state;
    const double unit[] = {1e-9, 1e9};
    double mass[] = {1, 30, 0.2, 5}, normals[4], r[12] = {0}, other[12], z[4];
    make_stack(&a, 4, mass);
    for (int i = 0; i < 4; i++) a.lever[i] = 0.1 * i, a.arm[i] = -0.3, a.q_n[i] = 0.01 * i;
    a.nrow = 2;
    a.row_body[0] = 0, a.row_b[0] = 0.3, a.lo[0] = -INFINITY, a.hi[0] = INFINITY;
    a.row_body[1] = 2, a.row_b[1] = -0.2, a.lo[1] = -0.001, a.hi[1] = 0.001;
    make(&a);
    loads(&a, normals, r);
    for (int i = 0; i < 10; i++) r[i] += 0.01 * sin(i + 1);
    for (int i = 0; i < 4; i++) z[i] = normals[i] + 0.01 * sin(i + 1);
    double figure[] = {judged(&a.local, r, 1e-8).figure, judged(&a.global, r, 1e-8).figure,
                       judged(&a.lcp, z, 1e-8).figure};
    assert_near(figure[0], figure[1], 1e-12 * figure[0]);
    for (int k = 0; k < 8; k++) {
        double M = unit[k & 1], L = unit[k >> 1 & 1], T = unit[k >> 2], z_new[4];
        change_units(&a, &b, M, L, T, r, other);
        for (int i = 0; i < 4; i++) z_new[i] = z[i] * M * L / T;
        assert_near(judged(&b.local, other, 1e-8).figure / figure[0], 1, 1e-9);
        assert_near(judged(&b.global, other, 1e-8).figure / figure[1], 1, 1e-9);
        assert_near(judged(&b.lcp, z_new, 1e-8).figure / figure[2], 1, 1e-9);
    }
    /* rows of an LCP may have units of their own */
    double D[] = {1e-9, 1e9, 1, 1e5}, M[16], q[4], z_new[4];
    for (int i = 0; i < 4; i++) {
        q[i] = D[i] * a.q_lcp[i], z_new[i] = z[i] / D[i];
        for (int k = 0; k < 4; k++) M[i + 4 * k] = D[i] * a.M_n[i + 4 * k] * D[k];
    }
    perp_problem scaled = {.cls = PERP_LCP, .as.lcp = {4, M, q}};
    assert_near(judged(&scaled, z_new, 1e-8).figure / figure[2], 1, 1e-9);
}

/* The error of a slow island beside a fast one is relative to its own speed; that of a law without velocity to the speed of its neighbours;
 * below the floor, to the floor. */
static void test_scales(void **state) {
    (void)state;
    double mass[] = {1, 1, 1, 1};
    perp_law law[4];
    perp_verdict v;
    double r[8] = {0};
    make_stack(&a, 4, mass);
    a.below[2] = -1; /* two stacks of two */
    a.fall[2] = a.fall[3] = 1e-12;
    a.fall[1] = a.fall[0]; /* the upper one of the first falls as the lower: no velocity */
    make(&a);
    assert_int_equal(perp_problem_judge(&a.global, r, 1e-8, &v, law), PERP_OK);
    assert_int_equal(v.islands, 2);
    assert_true(law[0].island == 0 && law[1].island == 0 && law[2].island == 1 && law[3].island == 1);
    assert_near(law[0].scale, a.fall[0], 1e-15);
    assert_near(law[1].scale, a.fall[0], 1e-15);
    assert_near(law[2].scale, 1e-12, 1e-24);
    assert_near(law[3].scale, 1e-12, 1e-24);
    assert_true(law[2].state == PERP_LAW_VIOLATED && law[3].state == PERP_LAW_HOLDS);
    assert_near(v.figure, 1, 1e-12);
    a.q_n[3] = 1e-20; /* below the floor, but above nothing */
    a.below[2] = 1, a.fall[2] = a.fall[3] = a.fall[0];
    a.q_n[2] = 1e-7;
    make(&a);
    assert_int_equal(perp_problem_judge(&a.global, r, 1e-8, &v, law), PERP_OK);
    assert_near(law[2].scale, 1e-6 * law[0].scale, 1e-6 * 1e-6 * law[0].scale + 1.1e-7);
    assert_int_equal(v.islands, 1);
    memset(a.fall, 0, sizeof a.fall), memset(a.q_n, 0, sizeof a.q_n); /* nothing moves: compared with 1 */
    make(&a);
    v = judged(&a.local, r, 1e-8);
    assert_true(v.solved && v.figure == 0);
    r[0] = 1;
    assert_false(judged(&a.local, r, 1e-8).solved);
}

static void test_not_finite(void **state) {
    (void)state;
    double mass[] = {1, 2}, normals[2], r[4];
    perp_verdict v;
    make_stack(&a, 2, mass);
    loads(&a, normals, r);
    r[3] = NAN, normals[1] = INFINITY;
    rejected(&a, normals, r, INFINITY);
    assert_int_equal(perp_problem_judge(&a.local, r, 0, &v, NULL), PERP_E_ARG);
    assert_int_equal(perp_problem_judge(&a.local, r, NAN, &v, NULL), PERP_E_ARG);
    assert_int_equal(perp_problem_judge(&a.local, NULL, 1e-8, &v, NULL), PERP_E_ARG);
    assert_int_equal(perp_problem_judge(&a.local, r, 1e-8, NULL, NULL), PERP_E_ARG);
}

/* ---- steps ---- */

#define ONE_STEP 4

typedef struct step {
    int ndof[ONE_STEP], offset[ONE_STEP];
    double M[36 * ONE_STEP], Minv[36 * ONE_STEP], momentum[3 * ONE_STEP];
    perp_contact_row contact[ONE_STEP];
    perp_step_problem p;
    double nu[3 * ONE_STEP], p_contact[3 * ONE_STEP], sigma[ONE_STEP];
    perp_step_solution s;
} step;

/* A stack of bodies as a step, at rest. */
static void make_step(step *s, int n, const double *mass, int nd) {
    memset(s, 0, sizeof *s);
    double sum = 0;
    for (int i = n - 1; i >= 0; i--) {
        s->ndof[i] = 3, s->offset[i] = 3 * i;
        for (int k = 0; k < 3; k++) s->M[36 * i + 7 * k] = mass[i], s->Minv[36 * i + 7 * k] = 1 / mass[i];
        s->momentum[3 * i + 1] = -0.1 * mass[i];
        sum += 0.1 * mass[i];
        perp_contact_row *c = &s->contact[i];
        *c = (perp_contact_row){.n = {.block = {i - 1, i}, .J = {{0, -1}, {0, 1}}},
                                .t = {.block = {i - 1, i}, .J = {{-1}, {1}}},
                                .mu = 0.3,
                                .nd = nd};
        s->p_contact[3 * i] = sum;
    }
    s->p =
        (perp_step_problem){2, 0.01, n, 3 * n, s->ndof, s->offset, s->M, s->Minv, s->momentum, 0, NULL, n, s->contact};
    s->s = (perp_step_solution){.nu = s->nu, .p_contact = s->p_contact, .sigma = s->sigma};
}

static void test_step(void **state) {
    (void)state;
    static step s;
    perp_verdict v;
    perp_law law[2 * ONE_STEP];
    const double heavy[] = {1e8, 1, 1e-4, 1e-4};
    for (int nd = -1; nd <= 2; nd += 3) {
        make_step(&s, 4, heavy, nd);
        assert_int_equal(perp_step_problem_judge(&s.p, &s.s, 1e-8, NULL, &v, law), PERP_OK);
        if (!v.solved) fail_msg("figure %g of law %d", v.figure, v.worst);
        assert_true(v.laws == 8 && v.islands == 1);
        /* the topmost falls through: momentum of all bodies is right, one contact is not, with 1e-12 of the largest load */
        for (int i = 3; i >= 0; i--) s.p_contact[3 * i] -= 0.1 * heavy[3];
        s.p_contact[9] = 0, s.nu[10] = -0.1;
        assert_int_equal(perp_step_problem_judge(&s.p, &s.s, 1e-8, NULL, &v, law), PERP_OK);
        assert_true(!v.solved && v.violated == 1 && v.worst == 7 && law[7].state == PERP_LAW_VIOLATED);
        make_step(&s, 4, heavy, nd);
        s.nu[9] = 0.001; /* a body that moves without an impulse */
        assert_int_equal(perp_step_problem_judge(&s.p, &s.s, 1e-8, NULL, &v, law), PERP_OK);
        assert_false(v.solved);
        assert_true(law[3].state == PERP_LAW_VIOLATED);
        make_step(&s, 4, heavy, nd);
        s.nu[9] = NAN;
        assert_int_equal(perp_step_problem_judge(&s.p, &s.s, 1e-8, NULL, &v, law), PERP_OK);
        assert_true(!v.solved && v.figure == INFINITY);
    }
}

/* A body already moves at the speed of its motor. The motor then has to correct only the rounding of this speed, which is no scale for errors. Errors
 * are compared with the speed itself. */
static void test_step_at_speed(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        /* the required speed also contains the rounding of positions divided by a short step, which is larger than that of the speed */
        double unit = pow(10, 9 * (k / 2 - 1)), v = 0.1 / 3 * unit, mass = 2,
               ask = v * (1 + (k % 2 ? 100 : 1) * DBL_EPSILON);
        double M[36] = {0}, Minv[36] = {0}, momentum[3] = {mass * v, 0, 0}, nu[3] = {v, 0, 0}, p_joint[1] = {0};
        const int ndof[1] = {3}, offset[1] = {0};
        for (int i = 0; i < 3; i++) M[7 * i] = mass, Minv[7 * i] = 1 / mass;
        perp_joint_row motor = {.row = {.block = {-1, 0}, .J = {{0}, {1}}},
                                .b = -ask,
                                .lo = -INFINITY,
                                .hi = INFINITY,
                                .kind = PERP_ROW_MOTOR};
        perp_step_problem p = {.dim = 2,
                               .h = 0.01,
                               .nblock = 1,
                               .ndof = 3,
                               .block_ndof = ndof,
                               .block_offset = offset,
                               .M = M,
                               .Minv = Minv,
                               .momentum = momentum,
                               .njoint = 1,
                               .joint = &motor};
        perp_step_solution s = {.nu = nu, .p_joint = p_joint};
        perp_verdict verdict;
        assert_int_equal(perp_step_problem_judge(&p, &s, 1e-8, NULL, &verdict, NULL), PERP_OK);
        assert_true(verdict.solved);
        nu[0] = v * (1 + 1e-6); /* a motor that pushes for nothing */
        p_joint[0] = 1e-6 * mass * v;
        assert_int_equal(perp_step_problem_judge(&p, &s, 1e-8, NULL, &verdict, NULL), PERP_OK);
        assert_false(verdict.solved);
        assert_near(verdict.figure, 0.5e-6, 0.1e-6); /* terms: speed and what is asked for */
    }
}

/* The rounding of a contact's velocity is that of all impulses on its bodies: at least eps sum_j |W_ij| p_j. */
static void test_step_noise(void **state) {
    (void)state;
    static step s;
    perp_verdict v;
    perp_law law[2 * ONE_STEP];
    const double mass[] = {1, 2, 1e3, 1};
    enum { N = sizeof mass / sizeof *mass };
    make_step(&s, N, mass, 2);
    assert_int_equal(perp_step_problem_judge(&s.p, &s.s, 1e-8, NULL, &v, law), PERP_OK);
    for (int i = 0; i < N; i++) {
        double below = i > 0 ? 1 / mass[i - 1] : 0, above = 1 / mass[i], sum = (below + above) * s.p_contact[3 * i];
        if (i > 0) sum += below * s.p_contact[3 * (i - 1)];
        if (i < N - 1) sum += above * s.p_contact[3 * (i + 1)];
        assert_true(law[N + i].noise >= DBL_EPSILON * sum && law[N + i].noise <= 4 * DBL_EPSILON * sum);
    }
}

/* Memory that is refused is told, and nothing is lost. */
static void test_memory(void **state) {
    (void)state;
    double mass[] = {1, 2, 3}, normals[3], r[6];
    static step s;
    make_stack(&a, 3, mass);
    loads(&a, normals, r);
    make_step(&s, 3, mass, 2);
    const perp_problem *form[] = {&a.local, &a.global, &a.lcp};
    for (int k = 0; k < 4; k++)
        for (long refuse = 0;; refuse++) {
            counter c = {.refuse = refuse};
            perp_allocator alloc = counting(&c);
            perp_judge *j = NULL;
            perp_verdict v;
            perp_status st = k < 3 ? perp_judge_new(form[k], &alloc, &j)
                                   : perp_step_problem_judge(&s.p, &s.s, 1e-8, &alloc, &v, NULL);
            if (!st && k < 3) st = perp_judge_verdict(j, k < 2 ? r : normals, 1e-8, &v, NULL);
            perp_judge_free(j);
            assert_int_equal(c.live, 0);
            if (!st) {
                assert_true(refuse > 0 && c.refused == 0 && v.solved);
                break;
            }
            assert_int_equal(st, PERP_E_MEMORY);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_light_on_heavy),
        cmocka_unit_test(test_one_load_missing),
        cmocka_unit_test(test_stopped_early),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_step_at_speed),
        cmocka_unit_test(test_step_noise),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
