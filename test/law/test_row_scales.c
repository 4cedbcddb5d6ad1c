/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_row_scales.c - rows of very different size in one problem cost no digits
 * A distant limit in a short step, heavy and light bodies in one chain. */
#include "../unit/world_help.h"
#include "../unit/scene_text.h"

/* A body rests on one limit of its slide. Its speeds are those of a step of fall, g h = 1e-5 m/s. The distance to the other limit over h
 * is 5e5 m/s. The spring of a contact makes steps as short. */
static void distant_limit(void **state) {
    (void)state;
    static const char *const stepper[] = {"stewart-trinkle", "viscoelastic"};
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 3\nh: 1e-6\nduration: 2e-5\nstages: {stepper: %s}\ngravity: [0, 0, -9.81]\n"
                 "bodies:\n  - {name: b, density: 1000, at: [0.1, 0, 0], shape: {type: box, size: [0.1, 0.2, 0.3]}}\n"
                 "joints:\n  - {name: j, type: prismatic, b: b, at: [0, 0, 0], axis: [0.3, -0.7, 0.4], "
                 "limits: [0, 0.5], friction: 3}\n",
                 stepper[k]);
        perp_scene *s = scene_of(text);
        perp_world *w = perp_scene_world(s);
        for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            assert_int_equal(c.rejected, 0);
            assert_int_equal(c.fallbacks, 0);
        }
        perp_scene_close(s);
    }
}

/* Spheres in a chain, with masses 6e5 times apart. */
static const char chain[] =
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
    "  - {name: b0, density: 1000, at: [0.0, 0.085, 0.44], velocity: [-0.788, 0.963, -0.004], spin: "
    "[-3.844, 1.02, -0.548], shape: {type: sphere, radius: 0.02}}\n"
    "  - {name: b1, density: 1000, at: [0.25, 0.079, 0.267], velocity: [0.566, 0.178, 0.316], spin: "
    "[0.968, 3.764, -1.096], shape: {type: sphere, radius: 0.08}}\n"
    "  - {name: b2, density: 1e7, at: [0.5, 0.018, 0.335], velocity: [0.321, -0.371, -0.829], spin: "
    "[-0.208, 1.744, 0.724], shape: {type: sphere, radius: 0.08}}\n"
    "  - {name: b3, density: 1000, at: [0.75, 0.006, 0.276], velocity: [-0.636, -0.643, -0.353], spin: "
    "[2.528, -2.436, -3.084], shape: {type: sphere, radius: 0.02}}\n"
    "  - {name: b4, density: 1e7, at: [1.0, -0.062, 0.339], velocity: [-0.922, -0.449, 0.146], spin: "
    "[2.564, -1.352, -1.044], shape: {type: sphere, radius: 0.08}}\n"
    "  - {name: b5, density: 1e7, at: [1.25, -0.056, 0.341], velocity: [0.789, -0.091, -0.563], spin: "
    "[-2.804, 0.956, -3.044], shape: {type: sphere, radius: 0.08}}\n"
    "joints:\n"
    "  - {name: j0, type: revolute, a: b0, b: b1, at: [0.125, 0.082, 0.3535], axis: [-0.343, -0.715, "
    "0.491], limits: [-0.3, 0.3]}\n"
    "  - {name: j1, type: revolute, a: b1, b: b2, at: [0.375, 0.0485, 0.301], axis: [0.891, -0.665, "
    "0.95], limits: [-0.3, 0.3]}\n"
    "  - {name: j2, type: revolute, a: b2, b: b3, at: [0.625, 0.012, 0.3055], axis: [0.262, -0.213, "
    "-0.675], limits: [-0.3, 0.3]}\n"
    "  - {name: j3, type: revolute, a: b3, b: b4, at: [0.875, -0.028, 0.3075], axis: [0.374, 0.947, "
    "0.61], limits: [-0.3, 0.3]}\n"
    "  - {name: j4, type: revolute, a: b4, b: b5, at: [1.125, -0.059, 0.34], axis: [0.077, 0.976, 0.498], "
    "limits: [-0.3, 0.3]}\n";

/* Impulses are so large that their rounding moves bodies by more than a tight tolerance. It counts as fulfilled; a solver that tried to reach
 * the tolerance would find no answer, and the joints would open by 0.3 m. With pyramids joints are eliminated, which costs more digits. */
static void heavy_and_light(const char *form, double tolerance) {
    char text[3000];
    snprintf(text, sizeof text,
             "perp: 1\ndim: 3\nh: 0.01\nduration: 0.2\nstages: {form: %s, tolerance: %g}\n"
             "gravity: [0, 0, -9.81]\nlaw: {mu: 0}\n%s",
             form, tolerance, chain);
    perp_scene *s = scene_of(text);
    perp_world *w = perp_scene_world(s);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        BELOW(c.joint_error,
              1e-5 * 0.02); /* of the smallest body: solvers leave up to 1e-8 of the speeds, 9e-8 in a step here */
        assert_int_equal(c.jams, 0);
    }
    perp_scene_close(s);
}

static void chain_at_any_tolerance(void **state) {
    (void)state;
    static const char *const form[] = {"cone", "lcp"};
    for (int i = 0; i < 2; i++)
        for (double tolerance = 1e-8; tolerance > 1e-13; tolerance /= 100) heavy_and_light(form[i], tolerance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distant_limit),
        cmocka_unit_test(chain_at_any_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
