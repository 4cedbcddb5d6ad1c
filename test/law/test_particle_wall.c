/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* particle-wall and particle-moving-wall: every row as printed in the Notes, p. 10 and p. 13 */
#include "check.h"

typedef struct row {
    double x, v, f, psi;
} row;

static void compare(bool moving, const row *rows, int n) {
    for (int form = 0; form < 2; form++) {
        perp_world_def d = world_def(2, 1, PERP_START_PLAIN);
        d.form = form ? PERP_FORM_MLCP : PERP_FORM_LCP;
        scene s = scene_particle_wall(d, moving);
        for (int i = 0; i < n; i++) {
            run_steps(&s, 1);
            const perp_contact *c;
            int k = perp_world_contacts(s.w, &c);
            assert_true(k <= 1);
            double wall = moving ? 11 - (i + 1) : 11;
            assert_near(position(&s, 0).x, rows[i].x, 1e-14);
            assert_near(velocity(&s, 0).x, rows[i].v, 1e-14);
            assert_near(k ? c[0].impulse_C[0] : 0, rows[i].f, 1e-14);
            assert_near(wall - position(&s, 0).x, rows[i].psi, 1e-14);
            if (k) assert_near(c[0].gap_end, rows[i].psi, 1e-14);
        }
        scene_end(&s);
    }
}

static void fixed_wall(void **state) {
    (void)state;
    static const row rows[] = {{1, 1, 0, 10}, {3, 2, 0, 8},  {6, 3, 0, 5},  {10, 4, 0, 1},
                               {11, 1, 4, 0}, {11, 0, 2, 0}, {11, 0, 1, 0}, {11, 0, 1, 0}};
    compare(false, rows, 8);
}

static void moving_wall(void **state) {
    (void)state;
    static const row rows[] = {{1, 1, 0, 9},  {3, 2, 0, 6},  {6, 3, 0, 2},  {7, 1, 3, 0},
                               {6, -1, 3, 0}, {5, -1, 1, 0}, {4, -1, 1, 0}, {3, -1, 1, 0}};
    compare(true, rows, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fixed_wall), cmocka_unit_test(moving_wall)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
