/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_unique_loads.c - who requests loads that depend on the problem alone (perp_call_unique), and the effect of auto's setting unique_loads: never, always, or
 * if a world requests them */
#include "check.h"

#include "cone_world.h"

#define MOST 64 /* unknowns of a problem here */

/* A box that slides and turns on a floor: four corners, where three would do. */
static scene sliding_box(perp_world_def d) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.4}), PERP_OK);
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(perp_v3(0, d.dim == 2, d.dim == 3), 0));
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def box = perp_shape_box(0.3, 0.2, d.dim == 2 ? 0 : 0.2);
    assert_int_equal(perp_body_def_mass(&b, &box, d.dim, 1000), PERP_OK);
    b.X_WB.p = d.dim == 2 ? perp_v3(0, 0.2, 0) : perp_v3(0, 0, 0.2);
    b.v_W = perp_v3(2, d.dim == 3 ? 0.7 : 0, 0);
    b.w_W = perp_v3(0, 0, d.dim == 3 ? 1.5 : 0);
    scene_shape(&s, scene_body(&s, &b), box);
    return s;
}

/* ---- a solver that records the request and calls others on the same problem from outside a world ---- */

typedef struct heard {
    int without, with; /* calls within a step */
    int outside;       /* calls of perp_solve with the wish */
    bool inside;       /* of a call from outside */
    int differ;        /* problems in which auto's loads are others when they are selected */
} heard;

static heard ear;

static void by_auto(const perp_problem *p, const double *setting, double *z) {
    perp_setting set = {"unique_loads", setting ? *setting : 0};
    perp_solve_options o = {.settings = &set, .nsetting = setting != NULL};
    assert_int_equal(perp_solve(p, &o, z, NULL), PERP_OK);
}

static perp_outcome listen(const perp_problem *p, const void *settings, double *z, void *work, const perp_call *call,
                           perp_solve_info *info) {
    if (ear.inside) {
        ear.outside += perp_call_unique(call);
    } else {
        *(perp_call_unique(call) ? &ear.with : &ear.without) += 1;
        double x[4][MOST];
        size_t n = (size_t)perp_problem_size(p);
        assert_true(n <= MOST);
        ear.inside = true;
        assert_int_equal(perp_solve(p, &(perp_solve_options){.solver = "listener"}, x[0], NULL), PERP_OK);
        ear.inside = false;
        by_auto(p, NULL, x[0]);
        for (int k = 1; k < 4; k++) by_auto(p, (double[]){k - 2}, x[k]);
        assert_memory_equal(x[0], x[2], n * sizeof *z); /* nobody asks: as if never */
        assert_memory_equal(x[0], x[1], n * sizeof *z);
        ear.differ += memcmp(x[0], x[3], n * sizeof *z) != 0;
    }
    return oracle_solve(p, settings, z, work, call, info);
}

static const perp_solver_type listener = {.abi = PERP_ABI,
                                          .name = "listener",
                                          .source = "this test",
                                          .takes = PERP_CONE,
                                          .fields = oracle_fields,
                                          .nfield = 1,
                                          .settings_size = sizeof(oracle_settings),
                                          .solve = listen};

static void worlds_ask(void **state) {
    (void)state;
    perp_status st = perp_solver_register(&listener);
    assert_true(st == PERP_OK || st == PERP_E_NAME);
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = cone_world(world_def(dim, 1e-2, PERP_START_PLAIN), 0);
        d.solver = listener.name;
        scene s = sliding_box(d);
        ear = (heard){0};
        run_steps(&s, 3);
        assert_true(ear.with >= 3);
        assert_int_equal(ear.without, 0);
        assert_int_equal(ear.outside, 0);
        if (dim == 3) assert_true(ear.differ > 0); /* else nothing was compared */
        scene_end(&s);
    }
}

/* ---- the setting of auto in a world ---- */

static uint64_t moved(int dim, const double *setting) {
    perp_world_def d = world_def(dim, 1e-2, PERP_START_PLAIN);
    d.form = PERP_FORM_CONE;
    scene s = sliding_box(d);
    double was = 0;
    assert_int_equal(perp_world_get(s.w, "auto.unique_loads", &was), PERP_OK);
    assert_true(was == -1);
    if (setting) assert_int_equal(perp_world_set(s.w, "auto.unique_loads", *setting), PERP_OK);
    run_steps(&s, 20);
    uint64_t hash = perp_world_hash(s.w);
    scene_end(&s);
    return hash;
}

static void settings_of_auto(void **state) {
    (void)state;
    double never = 0, always = 1, asked = -1;
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t plain = moved(dim, NULL);
        assert_true(plain == moved(dim, &asked));
        assert_true(plain == moved(dim, &always));
        if (dim == 3) assert_true(plain != moved(dim, &never));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_ask), cmocka_unit_test(settings_of_auto)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
