/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_problem.c - conversions of the step problem and the judge: both forms have the solutions of the laws, known answers, and no error is overlooked */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "problem/convert/convert.h"
#include "solver/common/reduce.h"
#include "solver/common/solver.h"

static rp_step s;

typedef struct answer {
    double nu[6 * RP_BLOCKS], p_joint[RP_ROWS], p_contact[3 * RP_ROWS], sigma[RP_ROWS];
    perp_step_residual r;
    double worst; /* largest law residual over the scale */
    perp_solve_info info;
    int n;
} answer;

static double worst_of(const perp_step_residual *r) {
    double w = fmax(fmax(fmax(r->momentum, r->joint), fmax(r->normal, r->cone)), r->dissipation);
    return isnan(w) ? INFINITY : w / r->scale;
}

static void solve(const perp_step_problem *p, perp_class cls, const answer *guess, answer *a) {
    union {
        double align;
        char bytes[PERP_SETTINGS_MAX];
    } settings = {0};
    perp_fields_default(pp_solver_lemke.fields, pp_solver_lemke.nfield, &settings);
    pp_arena_reset(&arena);
    pp_converted c;
    assert_int_equal(pp_convert(p, cls, &arena, &c), PERP_OK);
    char why[200];
    if (perp_problem_check(&c.problem, why, sizeof why)) fail_msg("%s", why);
    double *z = PP_ARENA_ZERO(&arena, double, c.n);
    if (guess) pp_guess(&c, guess->p_joint, guess->p_contact, guess->sigma, z);
    assert_int_equal(pp_solve(&pp_solver_lemke, &settings, &c.problem, z, &arena, &a->info), PERP_OK);
    perp_step_solution out = {.nu = a->nu, .p_joint = a->p_joint, .p_contact = a->p_contact, .sigma = a->sigma};
    assert_int_equal(pp_recover(&c, z, &arena, &out), PERP_OK);
    a->r = perp_step_problem_residual(p, &out);
    a->worst = worst_of(&a->r);
    a->n = c.n;
}

/* Joints that leave a contact almost, but not quite, without mobility lose all digits; they are left out of the
 * comparisons. */
static bool well_conditioned(const perp_step_problem *p) {
    pp_arena_reset(&arena);
    pp_converted c;
    assert_int_equal(pp_convert(p, PERP_LCP, &arena, &c), PERP_OK);
    if (c.ne > 0 && c.elim.least < 1e-4) return false;
    for (int i = 0; i < p->ncontact; i++) {
        double left = c.M[i + c.n * i] * c.z_scale[i];
        if (left != 0 && left < 1e-4) return false;
    }
    for (int j = 0; j < p->njoint; j++) {
        int u = c.u_index[j];
        if (u >= 0 && c.M[u + c.n * u] != 0 && c.M[u + c.n * u] * c.z_scale[u] < 1e-4) return false;
    }
    return true;
}

static void options(int mode, rp_options *o) {
    *o = (rp_options){
        .dim = 2 + mode % 2, .blocks = 1 + rp_int(4), .contacts = rp_int(6), .mass_ratio = mode & 8 ? 1000 : 1};
    if (mode & 2) o->mu = 1;
    if (mode & 4) {
        o->bilateral = rp_int(5), o->redundant = rp_int(3), o->springs = rp_int(2);
        o->limits = rp_int(2), o->boxes = rp_int(3), o->upper = rp_int(2), o->fixed = rp_int(2);
    }
    o->twins = rp_int(2);
    o->rest = rp_int(2);
}

static void test_forms_agree(void **state) {
    (void)state;
    int used = 0, skipped = 0, differ = 0, tried = 0, missed = 0;
    for (int mode = 0; mode < 16; mode++)
        for (int round = 0; round < 300; round++) {
            rp_options o;
            options(mode, &o);
            rp_step_make(&s, &o);
            if (!well_conditioned(&s.p)) {
                skipped++;
                continue;
            }
            answer a, b, c;
            solve(&s.p, PERP_LCP, NULL, &a);
            solve(&s.p, PERP_MLCP, NULL, &b);
            if (!(a.worst <= 1e-10) || !(b.worst <= 1e-10))
                fail_msg("mode %d round %d: laws miss by %g (LCP, %s, %g) and %g (mixed, %s, %g)", mode, round, a.worst,
                         perp_outcome_text(a.info.outcome), a.info.residual, b.worst, perp_outcome_text(b.info.outcome),
                         b.info.residual);
            double d = 0, size = 1;
            for (int i = 0; i < s.p.ndof; i++) d = fmax(d, fabs(a.nu[i] - b.nu[i])), size = fmax(size, fabs(a.nu[i]));
            if (o.mu == 0) /* without friction the velocity is unique */
                assert_true(d <= 1e-9 * size);
            else
                differ += !(d <= 1e-8 * size);
            /* the impulses found are a good guess for the same problem: at most four factorisations, almost always */
            solve(&s.p, PERP_LCP, &a, &c);
            assert_true(c.worst <= 1e-10);
            if (c.info.iterations > 0) tried++, missed += !c.info.warm || c.info.iterations > 4;
            solve(&s.p, PERP_MLCP, &b, &c);
            assert_true(c.worst <= 1e-10);
            used++;
        }
    assert_true(used > 4000 && skipped < 500);
    print_message("%d guesses tried, %d missed\n", tried, missed);
    assert_true(tried > 3000 && missed < tried / 16);
    assert_true(differ < used / 100); /* with friction there may be several motions; both are then right */
}

/* A particle of mass 2 on a floor z = 0, moving along x with 3 and down with 1. */
static void particle(double mu, int nd, double vx, double vz) {
    memset(&s, 0, sizeof s);
    s.p = (perp_step_problem){.dim = 3,
                              .h = 0.1,
                              .nblock = 1,
                              .ndof = 3,
                              .block_ndof = s.ndof,
                              .block_offset = s.offset,
                              .M = s.M,
                              .Minv = s.Minv,
                              .momentum = s.momentum,
                              .joint = s.joint,
                              .ncontact = 1,
                              .contact = s.contact};
    s.ndof[0] = 3;
    for (int i = 0; i < 3; i++) s.M[7 * i] = 2, s.Minv[7 * i] = 0.5;
    s.momentum[0] = 2 * vx;
    s.momentum[2] = 2 * vz;
    perp_contact_row *c = s.contact;
    c->n.block[0] = c->t.block[0] = c->o.block[0] = -1;
    c->n.J[1][2] = c->t.J[1][0] = c->o.J[1][1] = 1;
    c->mu = mu;
    c->nd = nd;
}

static void test_particle(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++)
        for (int nd = 3; nd <= 16; nd++) {
            perp_class cls = form ? PERP_MLCP : PERP_LCP;
            answer a;
            particle(0.5, nd, -3, -1); /* slides: the friction impulse mu * 2 acts along +x, which is direction 0 */
            solve(&s.p, cls, NULL, &a);
            assert_true(a.worst < 1e-14);
            assert_int_equal(a.n, 1 + nd + 1);
            assert_true(fabs(a.p_contact[0] - 2) < 1e-14 && fabs(a.p_contact[1] - 1) < 1e-14 &&
                        fabs(a.p_contact[2]) < 1e-14);
            assert_true(fabs(a.nu[0] + 2.5) < 1e-14 && fabs(a.nu[1]) < 1e-14 && fabs(a.nu[2]) < 1e-14);
            assert_true(fabs(a.sigma[0] - 2.5) < 1e-14);
            particle(0.5, nd, -0.1, -1); /* sticks */
            solve(&s.p, cls, NULL, &a);
            assert_true(a.worst < 1e-14);
            assert_true(fabs(a.nu[0]) < 1e-15 && fabs(a.p_contact[1] - 0.2) < 1e-14 && fabs(a.sigma[0]) < 1e-14);
            particle(0, nd, -3, -1); /* no friction variables */
            solve(&s.p, cls, NULL, &a);
            assert_int_equal(a.n, 1);
            assert_true(a.worst < 1e-14 && a.nu[0] == -3 && a.p_contact[1] == 0 && a.sigma[0] == 0);
            particle(0.5, nd, -3, 1); /* leaves */
            solve(&s.p, cls, NULL, &a);
            assert_true(a.worst == 0 && a.nu[2] == 1 && a.p_contact[0] == 0);
        }
}

/* Quarter turns of the pyramid are exact: a push along -t or +-o gives the same numbers as one along t. */
static void test_directions_symmetric(void **state) {
    (void)state;
    answer a[4];
    const double way[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int nd = 4; nd <= 16; nd += 4) {
        for (int k = 0; k < 4; k++) {
            particle(0.3, nd, 0, -1);
            s.momentum[0] = 5.7 * way[k][0];
            s.momentum[1] = 5.7 * way[k][1];
            solve(&s.p, PERP_LCP, NULL, &a[k]);
            double along = a[k].p_contact[1] * way[k][0] + a[k].p_contact[2] * way[k][1];
            assert_true(fabs(along + 0.6) < 1e-15 && along == a[0].p_contact[1]); /* to the bit */
            assert_true(a[k].p_contact[1] * way[k][1] == 0 && a[k].p_contact[2] * way[k][0] == 0);
        }
    }
}

/* Redundant rows that disagree a little are met in the least-squares sense, and the joint residual shows what is
 * left. */
static void test_inconsistent_rows(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++) {
        particle(0.5, 4, 1, 1);
        s.p.njoint = 2;
        for (int j = 0; j < 2; j++) {
            s.joint[j] = (perp_joint_row){
                .row = s.contact[0].t, .lo = -INFINITY, .hi = INFINITY, .b = j ? 1e-6 : -1e-6, .joint = -1};
        }
        answer a;
        solve(&s.p, form ? PERP_MLCP : PERP_LCP, NULL, &a);
        assert_true(fabs(a.nu[0]) < 1e-15);
        assert_true(fabs(a.r.joint - 1e-6) < 1e-15);
        assert_true(a.r.momentum < 1e-15 && fabs(a.p_joint[0] - a.p_joint[1]) < 1e-12);
    }
}

/* All joint rows together hold a body; a contact on it has no mobility left and must do no harm. */
static void test_held_contact(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++)
        for (int round = 0; round < 200; round++) {
            rp_options o = {
                .dim = 3, .blocks = 1, .contacts = 1 + rp_int(3), .bilateral = 9, .redundant = 2, .mu = 0.5};
            rp_step_make(&s, &o);
            answer a;
            solve(&s.p, form ? PERP_MLCP : PERP_LCP, NULL, &a);
            if (!(a.worst <= 1e-9)) fail_msg("round %d: %g", round, a.worst);
            /* no mobility means none, in the LCP and in what a mixed problem is reduced to */
            pp_arena_reset(&arena);
            pp_converted c;
            assert_int_equal(pp_convert(&s.p, form ? PERP_MLCP : PERP_LCP, &arena, &c), PERP_OK);
            pp_reduction red;
            pp_reduce(&red, &c.problem, pp_arena_get(&arena, pp_reduce_work(&c.problem)));
            int impulses = s.p.ncontact + c.nf;
            for (int i = 0; i < impulses; i++)
                for (int j = 0; j < impulses; j++) assert_true(red.lcp.M[i + red.lcp.n * j] == 0);
        }
}

/* Every kind of error in an answer shows in its own figure, with the size it has. */
static void test_judge_sees(void **state) {
    (void)state;
    answer a;
    perp_step_solution out = {.nu = a.nu, .p_joint = a.p_joint, .p_contact = a.p_contact, .sigma = a.sigma};
    particle(0.5, 8, -3, -1);
    s.p.njoint = 1;
    s.joint[0] = (perp_joint_row){.row = s.contact[0].o, .lo = -1, .hi = 1, .b = 4, .joint = -1};
    solve(&s.p, PERP_LCP, NULL, &a);
    assert_true(a.worst < 1e-14);
    assert_true(a.p_joint[0] == -1 && fabs(a.nu[1] + 0.5) < 0.5); /* a brake at its limit */
    assert_true(a.r.scale == 4);
    answer good = a;
#define EXPECT(field, size)                                                        \
    do {                                                                           \
        perp_step_residual r = perp_step_problem_residual(&s.p, &out);             \
        if (!(fabs(r.field - (size)) < 1e-12)) fail_msg(#field " is %g", r.field); \
        a = good;                                                                  \
    } while (0)
    a.nu[0] += 1e-3;
    EXPECT(momentum, 1e-3);
    a.p_joint[0] -= 1e-3; /* beyond its bound, by W = 1/2 */
    EXPECT(joint, 0.5e-3);
    a.p_joint[0] += 1e-3; /* not at its bound although it slips */
    EXPECT(joint, 0.5e-3);
    a.nu[2] -= 1e-3;
    EXPECT(normal, 1e-3);
    a.nu[2] += 1e-3; /* a gap opens under load */
    EXPECT(normal, 1e-3);
    a.p_contact[0] = -1e-3;
    EXPECT(normal, 0.5e-3);
    a.p_contact[0] = -1e-3; /* a polygon of negative size, beside friction that has none to stand on */
    EXPECT(cone, 0.5 * (hypot(a.p_contact[1], a.p_contact[2]) + 0.5e-3));
    a.p_contact[1] *= 1.01; /* 1 per cent beyond the corner of the polygon */
    EXPECT(cone, 0.5 * 0.01 * hypot(a.p_contact[1], a.p_contact[2]) / 1.01);
    a.p_contact[1] = a.p_contact[2] = 0; /* frictionless sliding: the whole polygon is missed, W mu p_n = 1/2 */
    EXPECT(dissipation, 0.5);
    a.nu[0] = 3; /* friction drives */
    perp_step_residual r = perp_step_problem_residual(&s.p, &out);
    assert_true(r.dissipation > 0.9);
    a = good;
    double *numbers[] = {a.nu, a.p_joint, a.p_contact, a.p_contact + 1, a.p_contact + 2};
    for (int k = 0; k < 5; k++)
        for (int inf = 0; inf < 2; inf++) {
            *numbers[k] = inf ? INFINITY : NAN;
            r = perp_step_problem_residual(&s.p, &out);
            assert_true(worst_of(&r) == INFINITY);
            assert_false(isnan(r.momentum) || isnan(r.joint) || isnan(r.normal) || isnan(r.cone) ||
                         isnan(r.dissipation));
            a = good;
        }
    /* without friction any tangential impulse is outside the cone */
    particle(0, 8, -3, -1);
    solve(&s.p, PERP_LCP, NULL, &a);
    a.p_contact[2] = 1e-3;
    r = perp_step_problem_residual(&s.p, &out);
    assert_true(fabs(r.cone - 0.5e-3) < 1e-15);
}

/* The dissipation law against its definition: p_f may be any point of the polygon that minimises p . s. */
static void test_dissipation_definition(void **state) {
    (void)state;
    answer a = {0};
    perp_step_solution out = {.nu = a.nu, .p_joint = a.p_joint, .p_contact = a.p_contact, .sigma = a.sigma};
    for (int round = 0; round < 2000; round++) {
        int nd = 3 + rp_int(9);
        particle(0.7, nd, 0, 0);
        double phase = s.contact[0].phase = 6 * rp_sym();
        a.p_contact[0] = rp_unit() + 0.1;
        double R = 0.7 * a.p_contact[0], angle = 7 * rp_sym(), speed = rp_unit() + 0.01;
        a.nu[0] = speed * cos(angle), a.nu[1] = speed * sin(angle);
        int best = 0;
        double least = INFINITY, c[12][2];
        for (int k = 0; k < nd; k++) {
            c[k][0] = R * cos(phase + 6.283185307179586 * k / nd),
            c[k][1] = R * sin(phase + 6.283185307179586 * k / nd);
            double power = c[k][0] * a.nu[0] + c[k][1] * a.nu[1];
            if (power < least) least = power, best = k;
        }
        a.p_contact[1] = c[best][0], a.p_contact[2] = c[best][1];
        perp_step_residual r = perp_step_problem_residual(&s.p, &out);
        assert_true(r.dissipation < 1e-14 && r.cone < 1e-14);
        int other = (best + 1 + rp_int(nd - 1)) % nd; /* any other corner dissipates less */
        double gap = (c[other][0] - c[best][0]) * a.nu[0] + (c[other][1] - c[best][1]) * a.nu[1];
        a.p_contact[1] = c[other][0], a.p_contact[2] = c[other][1];
        r = perp_step_problem_residual(&s.p, &out);
        assert_true(r.cone < 1e-14);
        assert_true(r.dissipation > 0.1 * fmin(gap / R, 0.5 * R));
        a.nu[0] = a.nu[1] = 0; /* sticking: every point of the polygon will do */
        double f = rp_unit();
        a.p_contact[1] *= f, a.p_contact[2] *= f;
        r = perp_step_problem_residual(&s.p, &out);
        assert_true(r.dissipation < 1e-15 && r.cone == 0);
    }
}

/* In a part of 1e-14 s a gap of 1 cm is 1e12 m/s. A speed that no body has must not make errors look small: an open contact or limit adds at most twice the speeds of the bodies to the
 * scale. Required speeds count in full. */
static void test_open_rows(void **state) {
    (void)state;
    int seen = 0;
    for (int trial = 0; trial < 40; trial++) {
        rp_options o;
        options(4 + trial % 4, &o);
        rp_step_make(&s, &o);
        if (s.p.ncontact < 1 || s.p.njoint < 1) continue;
        for (int i = 0; i < s.p.ncontact; i++) s.contact[i].b_n = s.contact[i].compliance = 0;
        for (int i = 0; i < s.p.njoint; i++)
            if (s.joint[i].lo >= 0 || s.joint[i].hi <= 0) s.joint[i].b = 0;
        perp_joint_row *limit = &s.joint[0];
        limit->kind = PERP_ROW_LIMIT;
        limit->lo = 0;
        limit->hi = INFINITY;
        limit->b = limit->compliance = 0;
        double closed = pp_step_scale(&s.p);
        assert_true(closed > 0);
        s.contact[0].b_n = 1e12;
        assert_true(pp_step_scale(&s.p) == 2 * closed);
        s.contact[0].b_n = 1e-3 * closed;
        assert_true(pp_step_scale(&s.p) == closed);
        s.contact[0].b_n = -1e12;
        assert_true(pp_step_scale(&s.p) == 1e12);
        s.contact[0].b_n = 0;
        limit->b = 1e12;
        assert_true(pp_step_scale(&s.p) == 2 * closed);
        limit->b = -1e12;
        assert_true(pp_step_scale(&s.p) > 1e6 * closed);
        seen++;
    }
    assert_true(seen > 10);
}

static void test_residuals(void **state) {
    (void)state;
    double M[] = {2, 1, 0, 3}, q[] = {-4, 1}, z[] = {2, 0}; /* asymmetric: w = (0, 3) */
    perp_lcp p = {2, M, q};
    assert_true(perp_lcp_residual(&p, z) == 0);
    M[1] = 0, M[2] = 1; /* transposed: the same z has w = (0, 1) */
    assert_true(perp_lcp_residual(&p, z) == 0);
    z[1] = 0.25; /* w = (0.25, 1.75) */
    assert_true(perp_lcp_residual(&p, z) == 0.25);
    z[0] = -0.5;
    assert_true(perp_lcp_residual(&p, z) == 4.75); /* w_0 = -4.75 */
    z[0] = NAN;
    assert_true(perp_lcp_residual(&p, z) == INFINITY);
    z[0] = INFINITY;
    assert_true(perp_lcp_residual(&p, z) == INFINITY);
    double lo[] = {-1, -INFINITY}, hi[] = {1, INFINITY};
    perp_mlcp m = {2, M, q, lo, hi};
    z[0] = 1, z[1] = -1.0 / 3; /* at its upper bound with w_0 = -2 - 1/3; free with w_1 = 0 */
    assert_true(perp_mlcp_residual(&m, z) < 1e-15);
    z[0] = 0.5;
    assert_true(fabs(perp_mlcp_residual(&m, z) - 0.5) < 1e-15);
    z[0] = -1.25;
    assert_true(perp_mlcp_residual(&m, z) > 2);
    double zs[] = {10, 1}, ws[] = {1, 25};
    perp_problem scaled = {.cls = PERP_LCP, .as.lcp = {2, M, q}, .z_scale = zs, .w_scale = ws};
    z[0] = 3, z[1] = 0.5; /* w = (2.5, 2.5), in their units z = (0.3, 0.5), w = (2.5, 0.1) */
    assert_true(fabs(perp_problem_residual(&scaled, z) - 0.3) < 1e-15);
    zs[0] = 100;
    assert_true(fabs(perp_problem_residual(&scaled, z) - 0.1) < 1e-15);
    q[0] = NAN;
    assert_true(perp_problem_residual(&scaled, z) == INFINITY && perp_lcp_residual(&p, z) == INFINITY);
    assert_true(perp_mlcp_residual(&m, z) == INFINITY);
}

static void test_check(void **state) {
    (void)state;
    double M[] = {1, 0, 0, 1}, q[] = {1, 1}, lo[] = {0, 0}, hi[] = {1, INFINITY}, scale[] = {1, 1};
    char why[200];
    perp_problem p = {.cls = PERP_MLCP, .as.mlcp = {2, M, q, lo, hi}, .z_scale = scale, .w_scale = scale};
    assert_int_equal(perp_problem_check(&p, why, sizeof why), PERP_OK);
    assert_string_equal(why, "");
#define REFUSED(place, value)                                                  \
    do {                                                                       \
        double old = place;                                                    \
        place = value;                                                         \
        assert_int_equal(perp_problem_check(&p, why, sizeof why), PERP_E_ARG); \
        assert_true(strlen(why) > 10);                                         \
        assert_int_equal(perp_problem_check(&p, NULL, 0), PERP_E_ARG);         \
        place = old;                                                           \
    } while (0)
    REFUSED(M[2], NAN);
    REFUSED(M[3], INFINITY);
    REFUSED(q[1], NAN);
    REFUSED(lo[0], 2);
    REFUSED(lo[0], NAN);
    REFUSED(hi[1], NAN);
    REFUSED(scale[1], 0);
    REFUSED(scale[0], NAN);
    REFUSED(scale[0], INFINITY);
    lo[0] = hi[0] = INFINITY;
    assert_int_equal(perp_problem_check(&p, why, sizeof why), PERP_E_ARG);
    p.as.mlcp.n = -1;
    assert_int_equal(perp_problem_check(&p, why, sizeof why), PERP_E_ARG);
    p.cls = (perp_class)3;
    assert_int_equal(perp_problem_check(&p, why, sizeof why), PERP_E_ARG);
    assert_int_equal(perp_problem_check(NULL, why, sizeof why), PERP_E_ARG);
    p = (perp_problem){.cls = PERP_LCP, .as.lcp = {2, NULL, q}};
    assert_int_equal(perp_problem_check(&p, why, sizeof why), PERP_E_ARG);
    for (int o = 0; o < PERP_OUTCOME_COUNT; o++)
        assert_true(strcmp(perp_outcome_text((perp_outcome)o), "unknown outcome") != 0);
    assert_string_equal(perp_outcome_text((perp_outcome)77), "unknown outcome");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_agree),
        cmocka_unit_test(test_particle),
        cmocka_unit_test(test_directions_symmetric),
        cmocka_unit_test(test_inconsistent_rows),
        cmocka_unit_test(test_held_contact),
        cmocka_unit_test(test_judge_sees),
        cmocka_unit_test(test_dissipation_definition),
        cmocka_unit_test(test_open_rows),
        cmocka_unit_test(test_residuals),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
