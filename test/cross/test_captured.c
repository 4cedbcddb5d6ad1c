/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_captured.c - `auto` on what perp's scenes produce, from nothing: cones, mixed LCPs and LCPs with pyramids
 * A few steps of many kinds of scene: mass ratios to 1e4, redundant contacts and joints, motors, limits, piles;
 * friction from 0 to 1.5; 2D and 3D. Every answer is measured by the judge. bench/captured.c does it with thousands. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "perp/solver.h"
#include "thorough.h"

enum { FORMS = 3, LCP_MOST = 200 };
static const perp_class class_of[FORMS] = {PERP_CONE, PERP_MLCP, PERP_LCP};

typedef struct tally {
    const char *scene;
    unsigned every;
    int problems[FORMS];
    double worst[FORMS];
} tally;

/* Joints alone, in free fall: all that is left of q is rounding, and nothing can be measured against it. */
static bool worth_solving(const perp_captured *c) { return c->info->solver[0] && c->problem->ncontact > 0; }

static void solve(tally *t, int form, const perp_problem *p) {
    double *z = calloc((size_t)perp_problem_size(p), sizeof *z);
    assert_non_null(z);
    perp_solve_info info;
    perp_measures m;
    assert_int_equal(perp_problem_solve(p, "auto", z, &info), PERP_OK);
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    if (!(m.natural <= 1e-9))
        fail_msg("%s, problem %d as %s, %d variables: %.2e; %s", t->scene, t->problems[form],
                 perp_class_name(class_of[form]), perp_problem_size(p), m.natural, info.story);
    t->problems[form]++;
    t->worst[form] = fmax(t->worst[form], m.natural);
    free(z);
}

static void look(const perp_captured *c, void *ctx) {
    tally *t = ctx;
    if (c->step % t->every || !worth_solving(c)) return;
    perp_step_problem p = *c->problem;
    int edges = p.dim == 2 ? 2 : p.ncontact <= 8 ? 8 : 4;
    perp_contact_row *row = malloc(sizeof *row * (size_t)p.ncontact);
    assert_non_null(row);
    for (int i = 0; i < p.ncontact; i++) {
        row[i] = p.contact[i];
        if (row[i].nd) row[i].nd = edges;
    }
    for (int form = 0; form < FORMS; form++) {
        if (form > 0) p.contact = row;
        if (form > 0 && (edges + 2) * p.ncontact + p.njoint > LCP_MOST) break;
        perp_stored *s;
        assert_int_equal(perp_step_convert(&p, class_of[form], NULL, NULL, &s), PERP_OK);
        solve(t, form, perp_stored_problem(s));
        perp_stored_free(s);
    }
    free(row);
}

static void run(tally *t, const char *name, scene s, unsigned every, int steps) {
    perp_capture capture = {look, t};
    t->scene = name;
    t->every = every;
    perp_world_set_capture(s.w, &capture);
    run_steps(&s, steps);
    scene_end(&s);
}

static perp_world_def cones(int dim, double h) {
    perp_world_def d = world_def(dim, h, PERP_START_PLAIN);
    d.contact_model = "one-plane"; /* one problem a step */
    d.form = PERP_FORM_CONE;
    return d;
}

static void all_solved(const char *what, const tally *t, int least) {
    print_message("%s: %d cone problems to %.1e, %d mixed LCPs to %.1e, %d LCPs to %.1e\n", what, t->problems[0],
                  t->worst[0], t->problems[1], t->worst[1], t->problems[2], t->worst[2]);
    assert_true(t->problems[0] >= least && t->problems[2] >= least / 2);
}

static const double friction[] = {0, 0.3, 1.5};

static void structures(void **state) {
    (void)state;
    tally t = {0};
    for (int k = 0; k < 3; k++)
        for (int dim = 2; dim <= 3; dim++) {
            double mu = friction[k];
            perp_world_def d = cones(dim, 5e-3);
            run(&t, "stack", scene_stack(d, 4, 1, mu), 4, 12);
            if (dim == 2) run(&t, "stack, 1e4 on 1", scene_stack(d, 4, 1e4, mu), 4, 12);
            run(&t, "wall", scene_wall(d, 3, 2, mu), 6, 12);
            run(&t, "table", scene_table(d, 100, mu, perp_v3(0.5, 0, 0)), 6, 24);
            run(&t, "cards", scene_cards(d, 2, mu), 6, 24);
            if (dim == 3) run(&t, "1e4 on 1", scene_mass_ratio(d, 1e4, mu), 6, 12);
            if (dim == 3) run(&t, "pinch", scene_pinch_hold(d, 10, mu), 6, 12);
        }
    all_solved("structures", &t, 90);
}

static void linkages(void **state) {
    (void)state;
    tally t = {0};
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = cones(dim, 5e-3);
        for (int drive = SCENE_PLAIN; drive <= SCENE_DOUBLED; drive++)
            run(&t, "ring", scene_linkage(d, 4 + drive % 2, (scene_drive)drive, 0.3 * drive), 8, 60);
        run(&t, "chain", scene_chain(d, 5, 1e4, 0.3), 8, 80);
    }
    all_solved("linkages", &t, 50);
}

static void piles(void **state) {
    (void)state;
    tally t = {0};
    for (int k = 0; k < 3; k++)
        for (int dim = 2; dim <= 3; dim++) {
            run(&t, "spheres", scene_pile(cones(dim, 1e-2), 9, friction[k], 0, 100, 7), 10, 80);
            run(&t, "mixed", scene_pile(cones(dim, 1e-2), 6, friction[k], 0.5, 1, 8), 10, 80);
        }
    all_solved("piles", &t, 60);
}

static void random_scenes(void **state) {
    (void)state;
    tally t = {0};
    for (unsigned seed = 0; seed < (unsigned)long_run(16); seed++)
        for (int dim = 2; dim <= 3; dim++)
            run(&t, "random", scene_random(cones(dim, 5e-3), (unsigned)seed_of(100 + seed), scene_view_plain(), false),
                8, 40);
    all_solved("random scenes", &t, long_run(16) * 6);
}

/* A true cone is no LCP; there is no other class to pose a step in. */
static void refused(void **state) {
    (void)state;
    scene s = scene_stack(cones(3, 5e-3), 2, 1, 0.5);
    run_steps(&s, 1);
    const perp_step_problem *p = perp_world_problem(s.w);
    perp_stored *out;
    assert_int_equal(perp_step_convert(p, PERP_LCP, NULL, NULL, &out), PERP_E_FIT);
    assert_null(out);
    assert_int_equal(perp_step_convert(p, PERP_MLCP, NULL, NULL, &out), PERP_E_FIT);
    assert_int_equal(perp_step_convert(p, PERP_QP, NULL, NULL, &out), PERP_E_FIT);
    assert_int_equal(perp_step_convert(NULL, PERP_CONE, NULL, NULL, &out), PERP_E_ARG);
    assert_int_equal(perp_step_convert(p, PERP_CONE, NULL, NULL, &out), PERP_OK);
    assert_null(perp_stored_guess(out));
    assert_int_equal(perp_stored_step(out)->ncontact, p->ncontact);
    perp_stored_free(out);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structures),    cmocka_unit_test(linkages), cmocka_unit_test(piles),
        cmocka_unit_test(random_scenes), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("captured problems", tests, NULL, NULL);
}
