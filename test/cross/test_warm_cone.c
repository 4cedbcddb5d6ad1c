/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_warm_cone.c - warm starts of settled structures: the impulses of the step before save most of the work
 * Every problem of a settled stack and of a wall is solved from nothing and from the answer of the step before it; the
 * same with pyramids by pivoting. Both answers are measured, and the velocities agree. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "perp/solver.h"

enum { MOST = 64, SETTLE = 20 };

typedef struct pace {
    int iterations[MOST], n;
} pace;

typedef struct memory {
    perp_class cls;
    const char *solver;
    int ncontact; /* of the step before; 0: none yet */
    double p[3 * 512], sigma[512];
    pace cold, warm;
    double apart; /* largest difference of velocities */
} memory;

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int median(pace *p) {
    assert_true(p->n > 0);
    qsort(p->iterations, (size_t)p->n, sizeof(int), ascending);
    return p->iterations[p->n / 2];
}

static void solve(const perp_problem *p, const char *solver, bool warm, double *z, pace *out) {
    perp_solve_options o = {.solver = solver, .warm = warm};
    perp_solve_info info;
    perp_measures m;
    if (perp_solve(p, &o, z, &info)) fail_msg("%s: %s", solver, info.story);
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    assert_below(m.natural, 1e-9);
    assert_true(out->n < MOST);
    out->iterations[out->n++] = info.iterations;
}

/* Contact impulses make the same velocities of the rows. */
static double difference(const perp_problem *p, const double *a, const double *b) {
    int m = perp_problem_size(p);
    double most = 0, *u = malloc(2 * sizeof *u * (size_t)m);
    assert_non_null(u);
    assert_int_equal(perp_cone_velocity(&p->as.cone, a, u, NULL), PERP_OK);
    assert_int_equal(perp_cone_velocity(&p->as.cone, b, u + m, NULL), PERP_OK);
    for (int i = 0; i < m; i++) most = fmax(most, fabs(u[i] - u[m + i]));
    free(u);
    return most;
}

static void look(const perp_captured *c, void *ctx) {
    memory *w = ctx;
    perp_step_problem p = *c->problem;
    size_t n = (size_t)p.ncontact;
    assert_true(p.ncontact <= 512 && p.njoint == 0);
    perp_contact_row *row = malloc(sizeof *row * (n + 1));
    assert_non_null(row);
    for (size_t i = 0; i < n; i++) {
        row[i] = p.contact[i];
        if (w->cls != PERP_CONE && row[i].nd) row[i].nd = 4;
    }
    p.contact = row;
    if (c->step >= SETTLE && w->ncontact == p.ncontact) {
        perp_step_solution guess = {.p_contact = w->p, .sigma = w->sigma};
        perp_stored *s;
        assert_int_equal(perp_step_convert(&p, w->cls, &guess, NULL, &s), PERP_OK);
        const perp_problem *q = perp_stored_problem(s);
        size_t m = (size_t)perp_problem_size(q);
        double *cold = calloc(2 * m, sizeof *cold), *warm = cold + m;
        assert_non_null(cold);
        memcpy(warm, perp_stored_guess(s), m * sizeof *warm);
        solve(q, w->solver, false, cold, &w->cold);
        solve(q, w->solver, true, warm, &w->warm);
        if (w->cls == PERP_CONE) w->apart = fmax(w->apart, difference(q, cold, warm));
        free(cold);
        perp_stored_free(s);
    }
    w->ncontact = p.ncontact;
    memcpy(w->p, c->solution->p_contact, 3 * n * sizeof(double));
    memcpy(w->sigma, c->solution->sigma, n * sizeof(double));
    free(row);
}

static perp_world_def cones(void) {
    perp_world_def d = world_def(3, 5e-3, PERP_START_PLAIN);
    d.contact_model = "one-plane"; /* one problem a step */
    d.form = PERP_FORM_CONE;
    return d;
}

/* Median iterations with warm starts must be below those of cold ones over `cut`. */
static void settled(scene s, const char *name, perp_class cls, const char *solver, int cut) {
    static memory w;
    memset(&w, 0, sizeof w);
    w.cls = cls;
    w.solver = solver;
    perp_capture capture = {look, &w};
    perp_world_set_capture(s.w, &capture);
    run_steps(&s, SETTLE + long_run(30));
    scene_end(&s);
    assert_true(w.warm.n >= long_run(30) - 2);
    int cold = median(&w.cold), warm = median(&w.warm);
    print_message("%s, %s by %s: median iterations %d cold, %d warm, velocities differ by %.1e\n", name,
                  perp_class_name(cls), solver, cold, warm, w.apart);
    assert_true(cold >= cut * warm && cold > 0);
    /* auto takes what rests to rounding, from wherever it began */
    assert_below(w.apart, cls == PERP_CONE && strcmp(solver, "auto") == 0 ? 1e-13 : 1e-10);
}

static void stack_of_cones(void **state) {
    (void)state;
    settled(scene_stack(cones(), 10, 1, 0.5), "stack of 10", PERP_CONE, "auto", 5);
    settled(scene_stack(cones(), 10, 1, 0.5), "stack of 10", PERP_CONE, "prox-newton", 5);
}

/* From nothing interior points take some 7 steps only, so there is less to save; one step to rounding follows either way. */
static void wall_of_cones(void **state) {
    (void)state;
    settled(scene_wall(cones(), 4, 5, 0.5), "wall of 20", PERP_CONE, "auto", 2);
}

static void stack_of_pyramids(void **state) {
    (void)state;
    settled(scene_stack(cones(), 10, 1, 0.5), "stack of 10", PERP_LCP, "lemke", 5);
}

/* And so in the world itself: what a step takes once it has settled, with and without its memory. */
static void world_remembers(void **state) {
    (void)state;
    int iterations[2];
    for (int warm = 0; warm < 2; warm++) {
        perp_world_def d = cones();
        d.warm_start = warm;
        scene s = scene_stack(d, 10, 1, 0.5);
        run_steps(&s, SETTLE);
        iterations[warm] = 0;
        for (int i = 0; i < 10; i++) {
            perp_certificate c;
            assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
            iterations[warm] += c.iterations;
        }
        scene_end(&s);
    }
    print_message("world, stack of 10: %d iterations in ten steps cold, %d warm\n", iterations[0], iterations[1]);
    assert_true(iterations[0] >= 5 * iterations[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_of_cones),
        cmocka_unit_test(wall_of_cones),
        cmocka_unit_test(stack_of_pyramids),
        cmocka_unit_test(world_remembers),
    };
    return cmocka_run_group_tests_name("warm starts", tests, NULL, NULL);
}
