/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_planar_many.c - a planar wall of more contacts than pivoting is quick with moves as pivoting has it
 * Method   In 2D a friction cone is a pyramid of two directions, and `auto` solves large islands as cones. A wall of
 *          bricks of which one is pushed off, with friction and without; the same by `lemke` alone. */
#include <string.h>

#include "law/peg_scenes.h"

enum { ROWS = 8, COLUMNS = 5, BRICKS = ROWS * COLUMNS, STEPS = 40 };

/* Where the bricks are after STEPS of 5 ms, the most contacts of a step, and who solved that one. */
static void push_brick(double mu, bool by_lemke, perp_vec3 at[BRICKS], int *most, const char **solver) {
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.005;
    if (by_lemke) {
        d.solver = "lemke";
        d.no_fallback = true;
        d.work_limit = 0; /* none: pivoting may take its time */
    }
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu, .restitution = 0}));
    add_fixed(w, perp_shape_box(5, 0.5, 1), perp_pose_2d(0, -0.5, 0));
    perp_body_id id[BRICKS];
    for (int k = 0; k < BRICKS; k++) {
        int row = k / COLUMNS, column = k % COLUMNS;
        perp_shape_def s = perp_shape_box(0.1, 0.05, 1);
        perp_mass m;
        assert_int_equal(perp_shape_mass(&s, 2, 500, &m, NULL, 0), PERP_OK);
        /* half a brick over from row to row, with joints that are open */
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.X_WB = perp_pose_2d(0.21 * column + 0.1 * (row % 2), 0.05 + 0.1 * row, 0);
        b.mass = m.mass;
        b.I_B = m.I_B;
        if (row == 4 && column == 0) b.v_W = perp_v3(1.5, 0, 0);
        id[k] = add_def(w, &b);
        add_shape(w, id[k], s);
    }
    *most = 0;
    *solver = "";
    for (int i = 0; i < STEPS; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        BELOW(fmax(fmax(c.law.normal, c.law.cone), c.law.dissipation), 1e-8 * c.law.scale);
        BELOW(c.overlap, 1e-9);
        if (c.contacts <= *most) continue;
        *most = c.contacts;
        *solver = c.solver;
    }
    for (int k = 0; k < BRICKS; k++) at[k] = pose_of(w, id[k]).p;
    perp_world_destroy(w);
}

static void wall_moves_as_by_pivoting(void **state) {
    (void)state;
    const double mu[] = {0, 0.6};
    for (int i = 0; i < 2; i++) {
        static perp_vec3 a[BRICKS], b[BRICKS];
        int most, most_lemke;
        const char *solver, *lemke;
        push_brick(mu[i], false, a, &most, &solver);
        push_brick(mu[i], true, b, &most_lemke, &lemke);
        double worst = 0;
        for (int k = 0; k < BRICKS; k++) worst = fmax(worst, perp_v3_norm(perp_v3_sub(a[k], b[k])));
        print_message("mu %g: %d and %d contacts, %s and %s, %.1e m\n", mu[i], most, most_lemke, solver, lemke, worst);
        assert_true(most > 100);
        assert_string_equal(solver, "auto");
        assert_string_equal(lemke, "lemke");
        /* with friction what presses on a brick from two sides has many loads, and where it comes to rest goes by them */
        assert_true(worst < (mu[i] > 0 ? 0.005 : 1e-9));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wall_moves_as_by_pivoting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
