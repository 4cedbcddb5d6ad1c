/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Thin and fast bodies do not pass each other: shots of 100 m/s at a plate of 5 mm with h = 10 ms (shots.h). Fewer than
 * `make study-shots` fires. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shots.h"

#ifdef PERP_TEST_SHORT
#define SHOTS 5
#else
#define SHOTS 60
#endif

static void fire(int dim, int kind) {
    for (int light = 0; light < 2; light++) {
        shot_figures f = {0};
        for (int k = 0; k < SHOTS; k++) {
            uint64_t seed = witness_random;
            shot s;
            assert_true(shot_new(dim, kind, light, &s));
            if (!shot_run(&s, &f))
                fail_msg("%dD %s at a %s plate, shot %d (seed %llu): failed %ld, through %ld, inside %ld (%.2e m): %s",
                         dim, shot_name[kind], light ? "light" : "fixed", k, (unsigned long long)seed, f.failed,
                         f.through, f.inside, f.overlap, perp_world_why(s.w));
            perp_world_destroy(s.w);
        }
        assert_true(f.hits > SHOTS / 2);
    }
}

static void cubes(void **state) {
    (void)state;
    fire(2, SHOT_CUBE);
    fire(3, SHOT_CUBE);
}
static void rods(void **state) {
    (void)state;
    fire(2, SHOT_ROD);
    fire(3, SHOT_ROD);
}
static void balls(void **state) {
    (void)state;
    fire(2, SHOT_BALL);
    fire(3, SHOT_BALL);
}
static void capsules(void **state) {
    (void)state;
    fire(2, SHOT_CAPSULE);
    fire(3, SHOT_CAPSULE);
}
static void particles(void **state) {
    (void)state;
    fire(2, SHOT_PARTICLE);
    fire(3, SHOT_PARTICLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cubes), cmocka_unit_test(rods), cmocka_unit_test(balls),
                                       cmocka_unit_test(capsules), cmocka_unit_test(particles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
