/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_cone_world.c - worlds with true cones: which stages fit, islands, divided steps, warm starts, resuming; and who
 * looks on while a world solves its islands (perp_world_set_capture) */
#include "check.h"

#include <stdlib.h>

#include "cone_world.h"

static const perp_vec3 zero = {0, 0, 0};

/* ---- stages ---- */

static void refused(perp_world_def d, perp_status status, const char *a, const char *b) {
    perp_world *w = (perp_world *)&w;
    char why[256];
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), status);
    assert_null(w);
    if (!strstr(why, a) || !strstr(why, b)) fail_msg("\"%s\" does not name %s and %s", why, a, b);
}

static void stages_that_fit(void **state) {
    (void)state;
    perp_world_def d = cone_world(perp_world_def_default(3), 0), e = d;
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    e = perp_world_get_def(w);
    assert_string_equal(e.solver, cone_oracle.name);
    assert_null(e.fallback[0]); /* lemke's helpers, which nobody asked for, are not here */
    assert_int_equal(e.form, PERP_FORM_CONE);
    perp_world_destroy(w);
    e = d;
    e.solver = "lemke"; /* asked for by name */
    refused(e, PERP_E_FIT, "lemke", "cones");
    e = d;
    e.fallback[0] = "lemke";
    refused(e, PERP_E_FIT, "lemke", cone_oracle.name); /* says who would fit */
    e = d;
    e.fallback[0] = cone_oracle.name;
    e.fallback[1] = "enumerate";
    refused(e, PERP_E_FIT, "enumerate", "cones");
    e = perp_world_def_default(3);
    e.form = PERP_FORM_LCP;
    e.solver = cone_oracle.name;
    refused(e, PERP_E_FIT, cone_oracle.name, "LCP");
    e = perp_world_def_default(3);
    e.form = PERP_FORM_CONE;
    if (perp_solver_find("auto")) { /* what such a world has by itself */
        assert_int_equal(perp_world_create(&e, &w), PERP_OK);
        assert_string_equal(perp_world_get_def(w).solver, "auto");
        perp_world_destroy(w);
        e.solver = NULL;
        assert_int_equal(perp_world_create(&e, &w), PERP_OK);
        assert_string_equal(perp_world_get_def(w).solver, "auto");
        perp_world_destroy(w);
    } else {
        refused(e, PERP_E_NAME, "auto", "solver");
    }
}

/* ---- scenes ---- */

static scene on_floor(perp_world_def d, double mu) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}), PERP_OK);
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(perp_v3(0, d.dim == 2, d.dim == 3), 0));
    return s;
}

static void add_ball(scene *s, perp_vec3 at, perp_vec3 v, perp_vec3 w) {
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def sphere = perp_shape_sphere(0.1);
    assert_int_equal(perp_body_def_mass(&b, &sphere, 3, 1000), PERP_OK);
    b.X_WB.p = at;
    b.v_W = v;
    b.w_W = w;
    scene_shape(s, scene_body(s, &b), sphere);
}

/* Two balls apart, a third in the air: two islands. */
static scene three_balls(perp_world_def d) {
    scene s = on_floor(d, 0.3);
    add_ball(&s, perp_v3(0, 0, 0.1), perp_v3(1, 0.5, 0), zero);
    add_ball(&s, perp_v3(0, 5, 3), zero, perp_v3(0, 0, 1));
    add_ball(&s, perp_v3(0, -5, 0.1), perp_v3(0, 1, 0), perp_v3(3, 0, 0));
    return s;
}

/* ---- capture ---- */

typedef struct seen {
    int calls, accepted, islands;
    double t, h, residual;
    uint64_t step;
    const perp_world *w;
} seen;

static void look(const perp_captured *c, void *ctx) {
    seen *s = ctx;
    s->calls++;
    s->accepted += c->accepted;
    if (c->island + 1 > s->islands) s->islands = c->island + 1;
    s->t = c->t;
    s->h = c->problem->h;
    s->step = c->step;
    s->residual = fmax(s->residual, c->residual);
    assert_int_equal(c->step, perp_world_steps(s->w));
    assert_non_null(c->info->solver);
    perp_step_residual r = perp_step_problem_residual(c->problem, c->solution); /* a problem of its own, all there */
    double worst = fmax(fmax(r.momentum, r.normal), fmax(r.cone, r.dissipation));
    if (c->accepted) assert_below(worst, 1e-8 * fmax(r.scale, 0.0981));
    for (int i = 0; i < c->problem->ncontact; i++) {
        assert_int_equal(c->problem->contact[i].nd, PERP_CONE_DIRECTIONS);
        assert_true(c->problem->contact[i].phase == 0);
    }
}

static void capture_sees_islands(void **state) {
    (void)state;
    perp_world_def d = cone_world(world_def(3, 1e-2, PERP_START_STAGGERED), 1);
    scene a = three_balls(d), b = three_balls(d);
    seen s = {.w = a.w};
    perp_world_set_capture(a.w, &(perp_capture){look, &s});
    for (int i = 0; i < 20; i++) {
        run_steps(&a, 1);
        run_steps(&b, 1);
        assert_int_equal(s.calls, 2 * (i + 1)); /* not for the staggered start, nor for the ball in the air */
        assert_int_equal(s.islands, 2);
        assert_true(s.t == perp_world_time(b.w) - d.h || fabs(s.t + d.h - perp_world_time(b.w)) < 1e-14);
        assert_true(s.h == d.h);
        assert_int_equal(s.step, i);
        assert_int_equal(perp_world_hash(a.w), perp_world_hash(b.w)); /* looking changes nothing */
    }
    assert_int_equal(s.accepted, s.calls);
    assert_below(s.residual, 1e-8);
    perp_world *clone;
    assert_int_equal(perp_world_clone(a.w, &clone), PERP_OK);
    assert_int_equal(perp_world_step(clone, NULL), PERP_OK); /* has no capture */
    assert_int_equal(s.calls, 40);
    perp_world_destroy(clone);
    perp_world_set_capture(a.w, NULL);
    run_steps(&a, 1);
    assert_int_equal(s.calls, 40);
    scene_end(&a);
    scene_end(&b);
}

typedef struct remembered {
    int calls, guesses;
    double normal, tangent; /* impulses of the answer before */
    double apart;           /* most that an answer lay from its guess */
} remembered;

static void look_at_guess(const perp_captured *c, void *ctx) {
    remembered *m = ctx;
    assert_int_equal(c->problem->ncontact, 1);
    const double *p = c->solution->p_contact;
    if (c->guess) {
        const double *g = c->guess->p_contact;
        assert_null(c->guess->nu);
        assert_near(g[0], m->normal, 1e-12);
        assert_near(hypot(g[1], g[2]), m->tangent, 1e-12);
        m->apart = fmax(m->apart, fabs(p[0] - g[0]));
        m->guesses++;
    }
    m->normal = p[0];
    m->tangent = hypot(p[1], p[2]);
    m->calls++;
}

/* A guess is what the solver began with, not what it found: the impulses of the step before. */
static void capture_tells_guesses(void **state) {
    (void)state;
    static const char *const model[] = {"one-plane", "lnc"}; /* two ways to solve */
    for (int k = 0; k < 4; k++) {
        perp_world_def d = perp_world_def_default(3);
        d.h = 1e-2;
        d.contact_model = model[k % 2];
        d.form = k % 2 ? PERP_FORM_MLCP : PERP_FORM_CONE;
        d.warm_start = k < 2;
        scene s = on_floor(d, 0.3);
        add_ball(&s, perp_v3(0, 0, 0.1), perp_v3(1, 0.5, -1), zero);
        remembered m = {0};
        perp_world_set_capture(s.w, &(perp_capture){look_at_guess, &m});
        run_steps(&s, 10);
        assert_int_equal(m.calls, 10);
        assert_int_equal(m.guesses, d.warm_start ? 9 : 0);
        if (d.warm_start) assert_true(m.apart > 1); /* landing takes more than lying: 4 kg at 1 m/s */
        scene_end(&s);
    }
}

/* A solver that returns garbage for problems of steps longer than a limit. It recognises them by their gravity. */
static double fall_limit = INFINITY;

static perp_outcome moody_solve(const perp_problem *p, const void *settings, double *z, void *work,
                                const perp_call *call, perp_solve_info *info) {
    const perp_cone *c = &p->as.cone;
    double most = 0; /* fall of a body in this step, without contact */
    for (int i = 0; i < c->M.rows; i++)
        for (int e = c->M.start[i]; e < c->M.start[i + 1]; e++)
            if (c->M.index[e] == i) most = fmax(most, -c->f[i] / c->M.value[e]);
    if (most <= fall_limit) return oracle_solve(p, settings, z, work, call, info);
    for (int i = 0; i < perp_problem_size(p); i++) z[i] = i % 2 ? NAN : 10;
    return PERP_OUTCOME_SOLVED;
}

static const perp_solver_type moody = {.abi = PERP_ABI,
                                       .name = "moody",
                                       .source = "this test",
                                       .takes = PERP_CONE,
                                       .fields = oracle_fields,
                                       .nfield = 1,
                                       .settings_size = sizeof(oracle_settings),
                                       .solve = moody_solve};

static void failed_and_divided_steps(void **state) {
    (void)state;
    perp_status st = perp_solver_register(&moody);
    assert_true(st == PERP_OK || st == PERP_E_NAME);
    perp_world_def d = cone_world(world_def(3, 1e-2, PERP_START_PLAIN), 0);
    d.solver = "moody";
    d.contact_model = "one-plane"; /* which tries a step once */
    d.max_halvings = 2;
    scene a = on_floor(d, 0.3);
    add_ball(&a, perp_v3(0, 0, 0.1), zero, perp_v3(0, 0, 2));
    seen s = {.w = a.w};
    perp_world_set_capture(a.w, &(perp_capture){look, &s});
    /* nothing works: tried whole, in two and in four, each time up to the first failure; the last one once more with what
     * overlaps left as it is, and once with rows that give way */
    fall_limit = 0;
    uint64_t before = perp_world_hash(a.w);
    perp_certificate c;
    assert_int_equal(perp_world_step(a.w, &c), PERP_E_SOLVE);
    assert_int_equal(perp_world_hash(a.w), before);
    assert_int_equal(s.calls, 5);
    assert_int_equal(s.accepted, 0);
    assert_true(s.h == d.h / 4 && s.t == 0 && s.residual > 1e-8);
    assert_false(c.accepted);
    assert_non_null(perp_world_failed_problem(a.w));
    assert_int_equal(perp_world_failed_problem(a.w)->contact[0].nd, PERP_CONE_DIRECTIONS);
    assert_non_null(strstr(perp_world_why(a.w), "moody"));
    s = (seen){.w = a.w};
    fall_limit = 0.6 * 9.81 * d.h; /* halves work */
    assert_int_equal(perp_world_step(a.w, &c), PERP_OK);
    assert_int_equal(c.substeps, 2);
    assert_true(c.accepted);
    assert_int_equal(s.calls, 3);
    assert_int_equal(s.accepted, 2);
    assert_near(s.t, d.h / 2, 1e-15);
    fall_limit = INFINITY;
    d.fallback[0] = cone_oracle.name;
    scene b = on_floor(d, 0.3);
    add_ball(&b, perp_v3(0, 0, 0.1), zero, zero);
    fall_limit = 0; /* garbage is caught, and the chain goes on */
    assert_int_equal(perp_world_step(b.w, &c), PERP_OK);
    assert_int_equal(c.fallbacks, 1);
    assert_string_equal(c.solver, cone_oracle.name);
    fall_limit = INFINITY;
    scene_end(&a);
    scene_end(&b);
}

/* ---- what every world must do ---- */

static scene tumbling(perp_world_def d) { return scene_tumbling(d); }
static scene pinch(perp_world_def d) { return scene_pinch_hold(d, 5, 0.5); }
static scene tower(perp_world_def d) { return scene_tower(d, 8, 0, 0.3); }
static scene uneven(perp_world_def d) { return scene_mass_ratio(d, 1e4, 0.5); }
static scene planar(perp_world_def d) { return scene_full_planar(d); }
static scene random_3d(perp_world_def d) { return scene_random(d, 3, scene_view_plain(), false); }
static scene random_2d(perp_world_def d) { return scene_random(d, 5, scene_view_plain(), false); }

static const struct {
    const char *name;
    int dim, steps;
    scene (*make)(perp_world_def d);
} worlds[] = {
    {"tumbling", 3, 300, tumbling},  {"pinch", 3, 100, pinch},         {"tower", 3, 60, tower},
    {"mass ratio", 3, 60, uneven},   {"planar", 2, 300, planar},       {"three balls", 3, 60, three_balls},
    {"random 3D", 3, 60, random_3d}, {"random 2D", 2, 120, random_2d},
};
enum { NWORLD = sizeof worlds / sizeof *worlds };

/* Laws, overlap and energy, in all kinds of scenes, with joints of all kinds; plain and staggered. */
static void certificates(void **state) {
    (void)state;
    for (int which = 0; which < CONE_SOLVERS; which++)
        for (int k = 0; k < 2 * NWORLD; k++) {
            perp_world_def d = world_def(worlds[k / 2].dim, 2e-3, k % 2 ? PERP_START_STAGGERED : PERP_START_PLAIN);
            scene s = worlds[k / 2].make(cone_world(d, which));
            run_figures f = run_steps(&s, long_run(worlds[k / 2].steps));
            if (f.remainder > 1e-9) fail_msg("%s: ledger is off by %g", worlds[k / 2].name, f.remainder);
            if (f.substeps) fail_msg("%s: %d substeps", worlds[k / 2].name, f.substeps);
            scene_end(&s);
        }
}

/* A run that continues from a saved state gives the same bits: in the same world, in another one and in a clone. */
static void resumed_to_the_bit(void **state) {
    (void)state;
    for (int k = 0; k < NWORLD; k++) {
        perp_world_def d = cone_world(world_def(worlds[k].dim, 2e-3, PERP_START_STAGGERED), 1);
        scene a = worlds[k].make(d), b = worlds[k].make(d);
        int half = long_run(worlds[k].steps) / 2;
        run_steps(&a, half);
        size_t size = perp_world_state_size(a.w);
        void *saved = malloc(size);
        assert_int_equal(perp_world_get_state(a.w, saved, size), PERP_OK);
        perp_world *clone;
        assert_int_equal(perp_world_clone(a.w, &clone), PERP_OK);
        run_steps(&a, half);
        assert_int_equal(perp_world_set_state(b.w, saved, size), PERP_OK);
        run_steps(&b, half);
        if (perp_world_hash(b.w) != perp_world_hash(a.w)) fail_msg("%s: resumed elsewhere", worlds[k].name);
        for (int i = 0; i < half; i++) assert_int_equal(perp_world_step(clone, NULL), PERP_OK);
        if (perp_world_hash(clone) != perp_world_hash(a.w)) fail_msg("%s: cloned", worlds[k].name);
        perp_world_destroy(clone);
        free(saved);
        scene_end(&a);
        scene_end(&b);
    }
}

/* Impulses of the last step, as a guess, save most of the work of a settled scene. */
static void warm_starts_help(void **state) {
    (void)state;
    int iterations[2] = {0, 0};
    for (int warm = 0; warm < 2; warm++) {
        perp_world_def d = cone_world(world_def(3, 2e-3, PERP_START_PLAIN), 0);
        d.warm_start = warm;
        scene s = scene_mass_ratio(d, 3, 0.5);
        run_steps(&s, 20);
        for (int i = 0; i < 20; i++) {
            perp_certificate c;
            assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
            iterations[warm] += c.iterations;
        }
        scene_end(&s);
    }
    print_message("two cubes, 20 steps: %d iterations cold, %d warm\n", iterations[0], iterations[1]);
    assert_true(5 * iterations[1] <= iterations[0]);
}

/* Staggered velocities make positions exact under constant acceleration. */
static void staggered_slide(void **state) {
    (void)state;
    const double a = 0.26179938779914943, mu = 0.125, t = 1;
    perp_world_def d = cone_world(world_def(3, 1e-2, PERP_START_STAGGERED), 1);
    scene s = scene_incline(d, a, mu);
    perp_vec3 from = position(&s, 1);
    run_steps(&s, 100);
    assert_near(distance(position(&s, 1), from), 9.81 * (sin(a) - mu * cos(a)) * t * t / 2, 1e-9);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_that_fit),          cmocka_unit_test(capture_sees_islands),
        cmocka_unit_test(failed_and_divided_steps), cmocka_unit_test(certificates),
        cmocka_unit_test(resumed_to_the_bit),       cmocka_unit_test(warm_starts_help),
        cmocka_unit_test(staggered_slide),          cmocka_unit_test(capture_tells_guesses),
    };
    return cmocka_run_group_tests_name("cone worlds", tests, NULL, NULL);
}
