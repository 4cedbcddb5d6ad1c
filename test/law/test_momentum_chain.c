/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* momentum-chain: inelastic impacts along a row of squares; momentum is 3 throughout, speeds are those of what sticks
 * together */
#include "check.h"

static void momentum(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double h = (double[]){1e-2, 1e-3, 7e-3}[k];
        scene s = scene_momentum_chain(world_def(2, h, PERP_START_PLAIN));
        int n = (int)(3 / h);
        for (int i = 0; i < n; i++) {
            run_figures f = run_steps(&s, 1);
            perp_vec3 p, L;
            perp_world_momentum(s.w, &p, &L);
            assert_near(p.x, 3, 1e-12);
            assert_near(p.y, 0, 1e-12);
            assert_near(L.z, 0, 1e-12);
            assert_below(f.overlap, 1e-12);
            assert_below(f.remainder, 1e-11);
            for (int b = 0; b < 5; b++) assert_near(angle(&s, b), 0, 1e-11); /* rounding of gaps over h, summed */
        }
        assert_near(velocity(&s, 4).x, 0.817438692, 1e-9);
        scene_end(&s);
    }
}

/* The speed of the train after each impact, once it has settled. */
static void speeds(void **state) {
    (void)state;
    perp_world_def d = world_def(2, 1e-3, PERP_START_PLAIN);
    d.contact_model = "one-plane"; /* gaps measured at the end leave the rounding of positions over h in the speeds */
    scene s = scene_momentum_chain(d);
    const double expected[] = {1.2, 1.090909090909091, 1.045296167247387, 0.8174386920980926};
    for (int next = 1; next < 5; next++) {
        int guard = 0;
        while (velocity(&s, next).x == 0 && guard++ < 5000) run_steps(&s, 1);
        run_steps(&s, 3); /* an inelastic impact takes two steps */
        for (int b = 0; b <= next; b++) assert_near(velocity(&s, b).x, expected[next - 1], 1e-12);
    }
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(momentum), cmocka_unit_test(speeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
