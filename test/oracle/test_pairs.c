/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Random pairs of hulls against brute force (pair_check.h): separating planes, distances, depths; and pairs that move,
 * of which none that meets may be missed. Fewer than `make study-pairs` looks at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pair_check.h"

#ifdef PERP_TEST_SHORT
#define PAIRS  40
#define MOVING 20
#else
#define PAIRS  800
#define MOVING 200
#endif

static void still(int dim) {
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        pair_figures f = {0};
        while (f.pairs + f.askew < PAIRS) {
            uint64_t seed = witness_random;
            pp_geometry *ga, *gb;
            perp_pose Xa, Xb;
            if (!random_pair(dim, kind, &ga, &Xa, &gb, &Xb)) continue;
            if (!check_still(&f, ga, Xa, gb, Xb, 1e-9))
                fail_msg("%dD %s, seed %llu: NaN %ld, sign %ld, depth %.2e, beyond %.2e, short %.2e, detector %.2e, "
                         "measure %.2e",
                         dim, pair_kind_name[kind], (unsigned long long)seed, f.nan, f.wrong_sign, f.plane_depth,
                         f.plane_beyond, f.plane_short, f.detector, f.measure_depth);
            if (gb != ga) pp_geometry_destroy(gb, &pair_alloc);
            pp_geometry_destroy(ga, &pair_alloc);
        }
    }
}

static void still_in_the_plane(void **state) {
    (void)state;
    still(2);
}
static void still_in_space(void **state) {
    (void)state;
    still(3);
}

static void moving(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        moving_figures f = {0};
        while (f.pairs < MOVING) {
            uint64_t seed = witness_random;
            moving_body m[2];
            if (!random_moving(dim, m)) continue;
            if (!check_moving(&f, m, 32))
                fail_msg("%dD, seed %llu: failed %ld, missed %ld of %ld, overlap %.2f of what is allowed", dim,
                         (unsigned long long)seed, f.failed, f.missed_end, f.meet_end, f.overlap);
            for (int s = 0; s < 2; s++) pp_geometry_destroy(m[s].g, &pair_alloc);
        }
        assert_true(f.meet_end > MOVING / 20 && f.meet_way > MOVING / 20);
        assert_true(f.missed_depth < 0.5); /* corners that graze each other on the way */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(still_in_the_plane), cmocka_unit_test(still_in_space),
                                       cmocka_unit_test(moving)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
