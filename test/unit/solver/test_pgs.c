/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_pgs.c - projected block Gauss-Seidel: exact where it must be, in agreement with pivoting where it says it
 * converged, honest where not.
 *
 * Must converge: whatever is one block (one contact with friction, one bounded row), in one sweep; symmetric positive
 * definite M, at any relaxation; P-matrices far from symmetric, once steps are short enough; steps of the scenes listed
 * at test_must_converge(). May not: problems without a solution, and what needs more sweeps than it is given (mass
 * ratios). Then it says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "check.h"
#include "count_malloc.h"
#include "oracle/random_problem.h"
#include "problem/convert/convert.h"
#include "solver/common/blocks.h"
#include "solver/common/solver.h"

typedef union any_settings {
    double align;
    char bytes[PERP_SETTINGS_MAX];
} any_settings;

static rp_step s;

static any_settings defaults(const perp_solver_type *t) {
    any_settings set = {0};
    perp_fields_default(t->fields, t->nfield, &set);
    return set;
}

static void set_field(any_settings *set, const char *name, double value) {
    assert_int_equal(perp_fields_set(pp_solver_pgs.fields, pp_solver_pgs.nfield, set, name, value), PERP_OK);
}

static perp_solve_info pgs(const any_settings *set, const perp_problem *p, double *z) {
    perp_solve_info info;
    pp_arena_mark mark = pp_arena_here(&arena);
    assert_int_equal(pp_solve(&pp_solver_pgs, set, p, z, &arena, &info), PERP_OK);
    pp_arena_release(&arena, mark);
    return info;
}

/* One body on one contact without friction: one sweep is exact. */
static void test_single(void **state) {
    (void)state;
    double M[] = {0.5}, q[] = {-3}, z[] = {0};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {1, M, q}};
    perp_solve_info info;
    assert_int_equal(perp_problem_solve(&p, "pgs", z, &info), PERP_OK);
    assert_true(z[0] == 6 && info.residual == 0 && info.iterations == 1 && info.outcome == PERP_OUTCOME_SOLVED);
    /* bounds and a free variable */
    double A[] = {2, 1, 0, 1, 2, 0, 0, 0, 1}, b[] = {-3, 3, 5}, lo[] = {-INFINITY, -1, -2}, hi[] = {INFINITY, 1, 2},
           x[3] = {0};
    perp_problem m = {.cls = PERP_MLCP, .as.mlcp = {3, A, b, lo, hi}};
    assert_int_equal(perp_problem_solve(&m, "pgs", x, &info), PERP_OK);
    assert_true(info.residual < 1e-10 && fabs(x[0] - 2) < 1e-10 && x[1] == -1 && x[2] == -2);
    /* no solution: said so, and nothing that is not finite comes back */
    double N[] = {-1}, r[] = {-1}, y[] = {0};
    perp_problem none = {.cls = PERP_LCP, .as.lcp = {1, N, r}};
    assert_int_equal(perp_problem_solve(&none, "pgs", y, &info), PERP_OK);
    assert_int_equal(info.outcome, PERP_OUTCOME_LIMIT);
    assert_true(isfinite(y[0]) && info.residual == 1);
    N[0] = 0; /* and without a diagonal, too */
    assert_int_equal(perp_problem_solve(&none, "pgs", y, &info), PERP_OK);
    assert_true(info.outcome != PERP_OUTCOME_SOLVED && isfinite(y[0]) && info.residual == 1);
}

/* Symmetric positive definite: always converges, for any relaxation in (0, 2). */
static void test_definite(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24];
    any_settings set = defaults(&pp_solver_pgs);
    rp_seed = 1;
    for (int round = 0; round < 500; round++) {
        int n = 1 + rp_int(12);
        rp_lcp(RP_P, n, M, q);
        for (int i = 0; i < n; i++) M[i + n * i] += 0.2, z[i] = rp_int(2) ? rp_sym() : 0;
        set_field(&set, "relaxation", 0.5 + rp_unit());
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        perp_solve_info info = pgs(&set, &p, z);
        assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);
        assert_true(info.residual < 1e-10);
    }
}

/* Far from symmetric, plain sweeps go round in circles; shorter steps end that. */
static void test_asymmetric(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24];
    int solved = 0;
    rp_seed = 1;
    for (int round = 0; round < 400; round++) {
        int n = 2 + rp_int(8);
        rp_lcp(RP_ASYMMETRIC, n, M, q);
        memset(z, 0, sizeof z);
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(&p, "pgs", z, &info), PERP_OK);
        assert_true(info.outcome != PERP_OUTCOME_SOLVED || info.residual < 1e-10);
        solved += info.outcome == PERP_OUTCOME_SOLVED;
    }
    assert_true(solved > 380);
}

/* Groups: a slip speed with all impulses of its contact, a multiplier with its variable, the rest alone; overlapping
 * ones in one. */
static void test_groups(void **state) {
    (void)state;
    enum { N = 9 };
    double M[N * N] = {0}, q[N] = {0}, ones[N];
    for (int i = 0; i < N; i++) ones[i] = 1, M[i + N * i] = 4;
#define AT(i, j) M[(i) + N * (j)]
    AT(7, 7) = AT(8, 8) = 0;
    AT(7, 0) = 0.5, AT(7, 2) = AT(7, 5) = -1, AT(2, 7) = AT(5, 7) = 1;
    AT(8, 4) = -1, AT(4, 8) = 1;
    AT(1, 3) = AT(3, 1) = 1; /* coupled, but by rows with a diagonal */
    pp_plain p = {N, M, q, ones, ones};
    pp_groups g;
    static char work[4096];
    pp_workspace c = {work, 0};
    pp_groups_lay_out(&g, N, &c);
    assert_true(c.used <= sizeof work);
    pp_groups_find(&g, &p);
    static const int start[] = {0, 4, 5, 6, 8, 9}, member[] = {0, 2, 5, 7, 1, 3, 4, 8, 6};
    assert_int_equal(g.count, 5);
    assert_memory_equal(g.start, start, sizeof start);
    assert_memory_equal(g.member, member, sizeof member);
    AT(8, 5) = -1; /* now the two have a variable in common */
    pp_groups_find(&g, &p);
    static const int merged[] = {0, 2, 4, 5, 7, 8};
    assert_int_equal(g.count, 4);
    assert_memory_equal(g.member, merged, sizeof merged);
#undef AT
}

/* One contact of one body, however many directions and however much friction: one block, one sweep. The friction part
 * of its matrix has rank 2 for any number of directions. */
static void test_one_contact(void **state) {
    (void)state;
    any_settings set = defaults(&pp_solver_pgs);
    rp_seed = 1;
    for (int round = 0; round < 3000; round++) {
        rp_options o = {
            .dim = 3, .blocks = 1, .contacts = 1, .rest = rp_int(2), .mu = round % 3 ? 0.5 : 5, .nd = 3 + rp_int(30)};
        if (round % 4 == 0) o.dim = 2;
        rp_step_make(&s, &o);
        pp_arena_reset(&arena);
        pp_converted c;
        assert_int_equal(pp_convert(&s.p, PERP_LCP, &arena, &c), PERP_OK);
        double *z = PP_ARENA_ZERO(&arena, double, c.n);
        perp_solve_info info = pgs(&set, &c.problem, z);
        if (info.outcome != PERP_OUTCOME_SOLVED || info.iterations > 1 || !(info.residual < 1e-11))
            fail_msg("round %d, %d unknowns: %s in %d sweeps, residual %g", round, c.n, perp_outcome_text(info.outcome),
                     info.iterations, info.residual);
    }
}

/* One box row, both forms: cut to its bounds in one sweep; exactly at them where it is cut. */
static void test_one_box(void **state) {
    (void)state;
    const double want[] = {-2, -2, 0.5, 3, 3};
    for (int k = 0; k < 5; k++) {
        double M[] = {4}, q[] = {-4 * (double[]){-9, -2, 0.5, 3, 77}[k]}, lo[] = {-2}, hi[] = {3}, z[] = {0};
        perp_problem p = {.cls = PERP_MLCP, .as.mlcp = {1, M, q, lo, hi}};
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(&p, "pgs", z, &info), PERP_OK);
        assert_true(z[0] == want[k] && info.outcome == PERP_OUTCOME_SOLVED && info.iterations <= 1);
        double A[] = {4, -1, 1, 0}, b[] = {q[0] + 4 * lo[0], hi[0] - lo[0]},
               u[] = {0, 0}; /* u = z - lo and its multiplier */
        perp_problem same = {.cls = PERP_LCP, .as.lcp = {2, A, b}};
        assert_int_equal(perp_problem_solve(&same, "pgs", u, &info), PERP_OK);
        assert_true(u[0] == want[k] - lo[0] && info.outcome == PERP_OUTCOME_SOLVED && info.iterations <= 1);
    }
}

/* The problem of a scene's step after so many; lies in the arena and in the scene. */
static pp_converted scene_problem(scene *sc, int steps, perp_class cls) {
    run_steps(sc, steps);
    pp_converted c;
    assert_int_equal(pp_convert(perp_world_problem(sc->w), cls, &arena, &c), PERP_OK);
    return c;
}

static perp_world_def plain_def(int dim) {
    perp_world_def d = world_def(dim, 1e-3, PERP_START_PLAIN);
    d.form = PERP_FORM_LCP;
    return d;
}

/* Problems that must be solved from zero within so many sweeps (about half as many again as it took), and why they are
 * here. */
static void test_must_converge(void **state) {
    (void)state;
    perp_world_def coarse = world_def(3, 5e-3, PERP_START_PLAIN);
    coarse.friction_directions = 4;
    struct {
        const char *why;
        int sweeps;
        scene sc;
        int steps;
    } list[] = {
        {"block sliding on two corners: slip speed and friction turn each other round if they are not solved together",
         18, scene_sliding_stop(plain_def(2), 1, 0.5), 1},
        {"box sticking on four corners: more normals and directions than the motion has freedoms", 45,
         scene_incline(plain_def(3), 0.2, 0.375), 1},
        {"the same sliding: M is not symmetric", 18, scene_incline(plain_def(3), 0.2, 0.125), 1},
        {"cube sliding fast", 18, scene_flat_slide(plain_def(3), 6, 0.3), 1},
        {"held between two jointed pads: joints eliminated, friction bears all", 90,
         scene_pinch_hold(plain_def(3), 2, 0.5), 1},
        {"ten spheres in a tower: M like a string of ten beads", 230, scene_tower(plain_def(3), 10, 0, 0.3), 1},
        {"thirty: slow without extrapolation", 1200, scene_tower(plain_def(3), 30, 0, 0.3), 1},
        {"ten times its own weight on a cube", 550, scene_mass_ratio(plain_def(3), 10, 0.5), 1},
        {"joints alone hold four contacts along their normals: those rows are zero, and a wild jump does not come back",
         1000, scene_random(coarse, 132, scene_view_plain(), false), 24},
    };
    /* with friction 0.41 the last one stalls at a residual of 1e-9, and says so */
    perp_pair_law law = {.mu = 0.18};
    assert_int_equal(perp_pair_set_all(list[sizeof list / sizeof *list - 1].sc.w, law), PERP_OK);
    any_settings set = defaults(&pp_solver_pgs);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        run_steps(&list[k].sc, list[k].steps);
        for (int form = 0; form < 2; form++) {
            pp_arena_reset(&arena);
            pp_converted c = scene_problem(&list[k].sc, 0, form ? PERP_MLCP : PERP_LCP);
            double *z = PP_ARENA_ZERO(&arena, double, c.n);
            perp_solve_info info = pgs(&set, &c.problem, z);
            if (info.outcome != PERP_OUTCOME_SOLVED || info.iterations > list[k].sweeps || !(info.residual < 1e-10))
                fail_msg("%s: %s after %d sweeps, residual %g", list[k].why, perp_outcome_text(info.outcome),
                         info.iterations, info.residual);
        }
        scene_end(&list[k].sc);
    }
}

/* A problem that it cannot solve, or not in time, is not reported as solved. The result is the best point so far, so more sweeps never
 * give a worse one. */
static void test_honest(void **state) {
    (void)state;
    any_settings set = defaults(&pp_solver_pgs);
    pp_arena_reset(&arena);
    scene sc = scene_mass_ratio(plain_def(3), 1e4, 0.5);
    pp_converted c = scene_problem(&sc, 1, PERP_LCP);
    double *z = PP_ARENA_ZERO(&arena, double, c.n), last = INFINITY;
    for (int sweeps = 1; sweeps <= 256; sweeps *= 2) {
        memset(z, 0, sizeof *z * (size_t)c.n);
        set_field(&set, "max_sweeps", sweeps);
        perp_solve_info info = pgs(&set, &c.problem, z);
        assert_int_equal(info.outcome, PERP_OUTCOME_LIMIT);
        assert_int_equal(info.iterations, sweeps);
        assert_false(info.warm);
        assert_true(info.residual <= last * (1 + 1e-9) && info.residual > 1e-10);
        last = info.residual;
    }
    scene_end(&sc);
    /* no solution: pressed against a wall that nothing holds; and a block that has none */
    double M[] = {1, -1, -1, 1}, q[] = {-1, -1}, y[] = {0, 0}, N[] = {0, 1, 1, 0}, r[] = {-1, 1}, x[] = {0, 0};
    perp_problem pushed = {.cls = PERP_LCP, .as.lcp = {2, M, q}}, block = {.cls = PERP_LCP, .as.lcp = {2, N, r}};
    perp_solve_info info;
    assert_int_equal(perp_problem_solve(&pushed, "pgs", y, &info), PERP_OK);
    assert_true(info.outcome == PERP_OUTCOME_LIMIT && isfinite(y[0]) && isfinite(y[1]) && info.residual >= 0.9);
    assert_int_equal(perp_problem_solve(&block, "pgs", x, &info), PERP_OK);
    assert_true(info.outcome == PERP_OUTCOME_LIMIT && isfinite(x[0]) && isfinite(x[1]) && info.residual >= 0.5);
    assert_true(info.iterations < 10); /* nothing moves: no use in going on */
}

/* The answer itself as a guess needs no sweep, one a little off far fewer than none. */
static void test_warm_start(void **state) {
    (void)state;
    any_settings set = defaults(&pp_solver_pgs);
    pp_arena_reset(&arena);
    scene sc = scene_mass_ratio(plain_def(3), 10, 0.5);
    for (int form = 0; form < 2; form++) {
        pp_converted c = scene_problem(&sc, 1, form ? PERP_MLCP : PERP_LCP);
        double *z = PP_ARENA_ZERO(&arena, double, c.n);
        perp_solve_info cold = pgs(&set, &c.problem, z);
        assert_true(cold.outcome == PERP_OUTCOME_SOLVED && !cold.warm && cold.iterations > 100);
        perp_solve_info warm = pgs(&set, &c.problem, z);
        assert_true(warm.outcome == PERP_OUTCOME_SOLVED && warm.warm && warm.iterations == 0);
        for (int i = 0; i < c.n; i++) z[i] *= 1 + 1e-6 * rp_sym();
        warm = pgs(&set, &c.problem, z);
        assert_true(warm.outcome == PERP_OUTCOME_SOLVED && warm.warm && 3 * warm.iterations < 2 * cold.iterations);
    }
    scene_end(&sc);
}

/* Over-relaxation and extrapolation, each alone, help where plain sweeps carry news by one contact at a time. */
static void test_relaxation(void **state) {
    (void)state;
    pp_arena_reset(&arena);
    scene sc = scene_tower(plain_def(3), 10, 0, 0.3);
    pp_converted c = scene_problem(&sc, 1, PERP_LCP);
    int sweeps[4];
    for (int k = 0; k < 4; k++) {
        any_settings set = defaults(&pp_solver_pgs);
        set_field(&set, "extrapolate", k == 2);
        set_field(&set, "relaxation", k == 1 ? 1.5 : k == 3 ? 0.5 : 1);
        double *z = PP_ARENA_ZERO(&arena, double, c.n);
        perp_solve_info info = pgs(&set, &c.problem, z);
        assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);
        sweeps[k] = info.iterations;
    }
    if (!(2 * sweeps[1] < sweeps[0] && 3 * sweeps[2] < sweeps[0] && sweeps[3] > 2 * sweeps[0]))
        fail_msg("sweeps: plain %d, over-relaxed %d, extrapolated %d, damped %d", sweeps[0], sweeps[1], sweeps[2],
                 sweeps[3]);
    scene_end(&sc);
}

/* Nothing is allocated, and not a byte beyond the workspace is touched. */
static void test_workspace(void **state) {
    (void)state;
    any_settings set = defaults(&pp_solver_pgs);
    pp_arena_reset(&arena);
    scene sc = scene_pinch_hold(plain_def(3), 2, 0.5);
    for (int form = 0; form < 2; form++) {
        pp_converted c = scene_problem(&sc, 1, form ? PERP_MLCP : PERP_LCP);
        size_t size = pp_solver_pgs.work_size(&c.problem, &set);
        unsigned char *work = PP_ARENA_ARRAY(&arena, unsigned char, (ptrdiff_t)size + 64);
        double *z = PP_ARENA_ZERO(&arena, double, c.n);
        memset(work, 0xA5, size + 64);
        perp_solve_info info = {0};
        long before = malloc_count;
        perp_outcome o = pp_solver_pgs.solve(&c.problem, &set, z, work, &(perp_call){.deadline = INFINITY}, &info);
        assert_int_equal(malloc_count, before);
        assert_int_equal(o, PERP_OUTCOME_SOLVED);
        for (int i = 0; i < 64; i++) assert_int_equal(work[size + (size_t)i], 0xA5);
    }
    scene_end(&sc);
}

typedef struct outcome {
    double nu[36], worst;
    perp_solve_info info;
} outcome;

/* tol 0: the default. */
static void run(const perp_solver_type *t, perp_class cls, double tol, outcome *a) {
    any_settings set = defaults(t);
    if (tol > 0) assert_int_equal(perp_fields_set(t->fields, t->nfield, &set, "tol", tol), PERP_OK);
    double p_joint[RP_ROWS], p_contact[3 * RP_ROWS], sigma[RP_ROWS];
    perp_step_solution out = {.nu = a->nu, .p_joint = p_joint, .p_contact = p_contact, .sigma = sigma};
    pp_converted c;
    pp_arena_reset(&arena);
    assert_int_equal(pp_convert(&s.p, cls, &arena, &c), PERP_OK);
    double *z = PP_ARENA_ZERO(&arena, double, c.n);
    assert_int_equal(pp_solve(t, &set, &c.problem, z, &arena, &a->info), PERP_OK);
    assert_int_equal(pp_recover(&c, z, &arena, &out), PERP_OK);
    perp_step_residual r = perp_step_problem_residual(&s.p, &out);
    a->worst = fmax(fmax(fmax(r.momentum, r.joint), fmax(r.normal, r.cone)), r.dissipation) / r.scale;
}

static double difference(const outcome *a, const outcome *b) {
    double d = 0;
    for (int i = 0; i < s.p.ndof; i++) d = fmax(d, fabs(a->nu[i] - b->nu[i]));
    return d;
}

/* Random problems with joints of every kind, in both forms: where it says solved, the velocity is that of pivoting.
 * With friction and several contacts, once in a thousand problems, there is more than one: two answers that both meet
 * the laws to rounding, and differ, prove it. */
static void test_agrees_with_lemke(void **state) {
    (void)state;
    int runs = 0, converged = 0, loose = 0, several = 0;
    rp_seed = 1;
    for (int round = 0; round < 2400; round++) {
        int mode = round % 8;
        rp_options o = {.dim = 2 + mode % 2, .blocks = 1 + rp_int(4), .contacts = 1 + rp_int(5), .rest = rp_int(2)};
        if (mode & 2) o.mu = 0.3;
        if (mode & 4)
            o.bilateral = rp_int(3), o.redundant = rp_int(2), o.boxes = rp_int(3), o.limits = rp_int(2),
            o.springs = rp_int(2);
        rp_step_make(&s, &o);
        outcome a, b;
        run(&pp_solver_lemke, PERP_LCP, 0, &a);
        for (int form = 0; form < 2; form++) {
            perp_class cls = form ? PERP_MLCP : PERP_LCP;
            run(&pp_solver_pgs, cls, 0, &b);
            runs++;
            assert_true(b.info.outcome == PERP_OUTCOME_SOLVED || b.info.outcome == PERP_OUTCOME_LIMIT);
            if (b.info.outcome != PERP_OUTCOME_SOLVED) continue;
            converged++;
            /* 1e-11 of q is more than that of the velocities where elimination made q large */
            if (!(b.worst <= 1e-9)) {
                loose++;
                continue;
            }
            if (difference(&a, &b) <= 1e-8) continue;
            several++;
            run(&pp_solver_pgs, cls, 1e-14, &b);
            if (o.mu == 0 || !(a.worst <= 1e-12 && b.worst <= 1e-12 && difference(&a, &b) > 1e-6))
                fail_msg("round %d form %d: velocities differ by %g (laws %g and %g)", round, form, difference(&a, &b),
                         a.worst, b.worst);
        }
    }
    if (!(converged > runs * 99 / 100 && loose < runs / 200 && several <= runs / 500))
        fail_msg("%d of %d converged, %d loosely, %d with another velocity", converged, runs, loose, several);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_one_contact),   cmocka_unit_test(test_one_box),
        cmocka_unit_test(test_definite),      cmocka_unit_test(test_asymmetric),
        cmocka_unit_test(test_must_converge), cmocka_unit_test(test_honest),
        cmocka_unit_test(test_warm_start),    cmocka_unit_test(test_relaxation),
        cmocka_unit_test(test_workspace),     cmocka_unit_test(test_agrees_with_lemke),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
