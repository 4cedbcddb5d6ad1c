/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* incline, sliding-stop, rolling-incline, flat-slide: closed forms of Coulomb's law on planes */
#include "check.h"

static const double pi = 3.14159265358979323846;

static void box_on_incline(void **state) {
    (void)state;
    const double a = pi / 12, g = 9.81;
    static const double published[] = {1.269507416, 0.677274144, 0.085040872, 0};
    for (int staggered = 0; staggered < 2; staggered++)
        for (int fine = 0; fine < 2; fine++)
            for (int k = 0; k < 4; k++) {
                double h = fine ? 1e-3 : 1e-2, mu = 0.125 * k;
                scene s = scene_incline(world_def(3, h, staggered ? PERP_START_STAGGERED : PERP_START_PLAIN), a, mu);
                perp_vec3 from = position(&s, 1);
                run_figures f = run_steps(&s, (int)(1 / h + 0.5));
                double acc = fmax(0, g * (sin(a) - mu * cos(a))), d = distance(position(&s, 1), from);
                /* end-velocity stepping travels a h^2 n (n + 1)/2, the staggered step a t^2/2 */
                assert_near(d, acc / 2 * (staggered ? 1 : 1 + h), 1e-9);
                assert_below(f.overlap, 1e-12);
                assert_below(f.remainder, 1e-11);
                if (fine && staggered) assert_near(d, published[k], 1e-9);
                const perp_contact *c;
                int n = perp_world_contacts(s.w, &c);
                double total = 0;
                for (int i = 0; i < n; i++) total += c[i].impulse_C[0] / h;
                assert_near(total / 4, 2.368933, 1e-6); /* mean normal force per corner */
                scene_end(&s);
            }
}

/* Stuck for ten seconds, with every form, stepper and number of directions. */
static void no_creep(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        perp_world_def d = world_def(3, 1e-2, k % 2 ? PERP_START_STAGGERED : PERP_START_PLAIN);
        d.form = k / 2 % 2 ? PERP_FORM_MLCP : PERP_FORM_LCP;
        d.friction_directions = (int[]){8, 4, 5, 3, 16, 32}[k];
        if (k >= 4) d.stepper = "anitescu-potra";
        scene s = scene_incline(d, pi / 12, 0.375);
        perp_vec3 from = position(&s, 1);
        run_steps(&s, 1000);
        assert_below(distance(position(&s, 1), from), 1e-10);
        scene_end(&s);
    }
}

/* Sliding is along the true direction for any number of directions, since the first one follows the slip. */
static void direction_of_sliding(void **state) {
    (void)state;
    for (int nd = 3; nd <= 9; nd++) {
        perp_world_def d = world_def(3, 1e-2, PERP_START_STAGGERED);
        d.friction_directions = nd;
        scene s = scene_incline(d, pi / 12, 0.125);
        perp_vec3 from = position(&s, 1);
        run_steps(&s, 100);
        perp_vec3 to = position(&s, 1);
        assert_near(distance(to, from), 0.677274144, 1e-9);
        assert_near(to.y, 0, 1e-12);
        scene_end(&s);
    }
}

static void sliding_stop(void **state) {
    (void)state;
    const double v0 = 2, mu = 0.3, g = 9.81, stop = v0 * v0 / (2 * mu * g);
    assert_near(stop, 0.679578661, 1e-9);
    for (int fine = 0; fine < 2; fine++) {
        double h = fine ? 1e-3 : 1e-2, a = mu * g;
        scene s = scene_sliding_stop(world_def(2, h, PERP_START_PLAIN), v0, mu);
        int n = 0;
        double expected = 0; /* v falls by a h each step and ends at zero */
        for (double v = v0 - a * h; v > 0; v -= a * h) expected += h * v;
        while (velocity(&s, 1).x > 1e-14 && n < 2000) {
            run_steps(&s, 1);
            n++;
        }
        assert_near(position(&s, 1).x, expected, 1e-12);
        assert_near(n * h, v0 / a, h);
        run_steps(&s, 100);
        assert_near(position(&s, 1).x, expected, 1e-12); /* and stays */
        assert_near(angle(&s, 1), 0, 1e-14);
        scene_end(&s);
        scene t = scene_sliding_stop(world_def(2, h, PERP_START_STAGGERED), v0, mu);
        run_steps(&t, (int)(1 / h));
        assert_near(position(&t, 1).x, stop, a * h * h); /* only the last step, cut short, is not exact */
        scene_end(&t);
    }
}

static void rolling(void **state) {
    (void)state;
    const double a = pi / 6, g = 9.81;
    for (int k = 0; k < 4; k++) {
        double limit = tan(a) / 3.5, mu = limit * (double[]){0.5, 0.99, 1.01, 3}[k];
        for (int staggered = 0; staggered < 2; staggered++) {
            double h = 1e-3;
            scene s =
                scene_rolling_incline(world_def(3, h, staggered ? PERP_START_STAGGERED : PERP_START_PLAIN), a, mu);
            perp_vec3 from = position(&s, 1);
            run_figures f = run_steps(&s, 1000);
            bool rolls = mu >= limit;
            double acc = rolls ? g * sin(a) / 1.4 : g * (sin(a) - mu * cos(a)), d = distance(position(&s, 1), from);
            assert_near(d, acc / 2 * (staggered ? 1 : 1 + h), 1e-9);
            double v = perp_v3_norm(velocity(&s, 1)), w = perp_v3_norm(spin(&s, 1));
            assert_near(v, acc, 1e-9);
            if (rolls) assert_near(w * 0.1, v, 1e-9);
            if (!rolls) assert_near(w, 2.5 * mu * g * cos(a) / 0.1, 1e-8);
            if (rolls && staggered) assert_near(d, 1.751785714, 1e-9);
            assert_below(f.overlap, 1e-12);
            scene_end(&s);
        }
    }
}

static void flat_slide(void **state) {
    (void)state;
    const double v0 = 6, mu = 0.5, g = 9.81;
    for (int fine = 0; fine < 2; fine++) {
        double h = fine ? 1e-3 : 1e-2, lift = 0, turn = 0;
        scene s = scene_flat_slide(world_def(3, h, PERP_START_STAGGERED), v0, mu);
        for (int i = 0; i < (int)(2 / h); i++) {
            run_steps(&s, 1);
            lift = fmax(lift, fabs(position(&s, 1).z - 0.05));
            turn = fmax(turn, perp_v3_norm(spin(&s, 1)));
        }
        assert_near(position(&s, 1).x, v0 * v0 / (2 * mu * g), mu * g * h * h);
        assert_near(position(&s, 1).y, 0, 1e-12);
        assert_below(lift, 1e-9);
        assert_below(turn, 1e-9);
        assert_near(velocity(&s, 1).x, 0, 1e-12);
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_on_incline), cmocka_unit_test(no_creep), cmocka_unit_test(direction_of_sliding),
        cmocka_unit_test(sliding_stop),   cmocka_unit_test(rolling),  cmocka_unit_test(flat_slide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
