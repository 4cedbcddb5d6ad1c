/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* How fast "peg" converges: second order where bodies slide, roll and tip on each other without impact, first order
 * through impacts. Errors at h, h/2, h/4 against references of an event-located ODE; the slope is the claim. */
#include "law/peg_scenes.h"

/* Two boxes that turn together, the upper one resting on the lower (Williams 5.3), at 0.5 s: no step may overlap. */
static double rotation_error(int steps, double *overlap) {
    perp_world *w = peg_world(2, 0.5 / steps, PERP_START_PLAIN, 0);
    perp_body_id low = add_solid(w, PERP_BODY_DYNAMIC, perp_shape_box(1, 0.25, 0), 1, perp_pose_at(0, -0.25, 0), none,
                                 perp_v3(0, 0, 1));
    perp_body_id top = add_solid(w, PERP_BODY_DYNAMIC, perp_shape_box(0.5, 0.25, 0), 1, perp_pose_at(0, 0.25, 0), none,
                                 perp_v3(0, 0, 1));
    (void)low;
    *overlap = run_watched(w, steps).overlap;
    double off = miss(w, top, -0.007118269, 0.291724484);
    off = fmax(off, fabs(angle_of(w, top) - 0.495507101));
    perp_world_destroy(w);
    return off;
}

/* A box slides over a corner and tips, until 1.5 s. */
static double slide_error(int steps) {
    perp_world *w = peg_world(2, 1.5 / steps, PERP_START_STAGGERED, 9.81);
    add_fixed(w, perp_shape_box(2, 2, 0), perp_pose_at(0, -2, 0));
    perp_body_id b = add_free(w, perp_shape_box(0.5, 0.5, 0), perp_pose_at(1, 0.5, 0), perp_v3(1, 0, 0));
    run(w, steps);
    double off = miss(w, b, 2.551269369, 0.215017670);
    perp_world_destroy(w);
    return off;
}

/* A triangle falls on the side of another and slides off: an impact on the way, which a step can place only to h. */
static double drop_error(int steps) {
    perp_world *w = peg_world(2, 1.5 / steps, PERP_START_STAGGERED, 9.81);
    add_fixed(w, triangle(4.9), perp_pose_identity());
    perp_shape_def s = triangle(2.45);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.X_WB = perp_pose_2d(1.3, 7, -0.2);
    d.I_B = perp_m3_diag(1, 1, 0.6495);
    perp_body_id b = add_def(w, &d);
    add_shape(w, b, s);
    run(w, steps);
    double off = miss(w, b, 3.272673345, -1.425519042);
    perp_world_destroy(w);
    return off;
}

static void turning_together(void **state) {
    (void)state;
    double e[3], overlap;
    for (int k = 0; k < 3; k++) {
        e[k] = rotation_error(10 << k, &overlap);
        BELOW(overlap, 1e-9);
    }
    print_message("turning together: %.2e %.2e %.2e\n", e[0], e[1], e[2]);
    for (int k = 0; k < 2; k++) assert_true(e[k] / e[k + 1] > 1.8);
}

/* Williams 5.3: whatever the step, nothing overlaps. */
static void no_rotation_overlap(void **state) {
    (void)state;
    for (int steps = 1; steps <= 64; steps *= 2) {
        double overlap;
        rotation_error(steps, &overlap);
        BELOW(overlap, 1e-9);
    }
}

static void over_a_corner(void **state) {
    (void)state;
    double e[3];
    for (int k = 0; k < 3; k++) e[k] = slide_error(150 << k);
    print_message("over a corner: %.2e %.2e %.2e\n", e[0], e[1], e[2]);
    assert_true(e[0] / e[2] > 9); /* second order: 16, less what the moment of tipping adds */
}

static void through_an_impact(void **state) {
    (void)state;
    double e[6], sum[2] = {0, 0};
    for (int k = 0; k < 3; k++) { /* where in a step the impact falls matters as much as its length: means */
        e[k] = drop_error(290 + 10 * k);
        e[k + 3] = drop_error(8 * (290 + 10 * k));
        sum[0] += e[k];
        sum[1] += e[k + 3];
    }
    print_message("through an impact: %.2e %.2e %.2e, at h/8: %.2e %.2e %.2e\n", e[0], e[1], e[2], e[3], e[4], e[5]);
    BELOW(sum[0] / 3, 2e-2);
    assert_true(sum[0] / sum[1] > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(turning_together), cmocka_unit_test(no_rotation_overlap),
                                       cmocka_unit_test(over_a_corner), cmocka_unit_test(through_an_impact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
