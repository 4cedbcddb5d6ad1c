/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_predicted.c - the contact model `predicted` against `one-plane`: the same motion where no impulse brings a new contact */
#include "peg_scenes.h"

static perp_world *slope(int dim, const char *model, perp_body_id *box) {
    perp_world_def d = perp_world_def_default(dim);
    d.contact_model = model;
    d.h = 0.005;
    perp_world *w = world_of(&d);
    perp_vec3 n = dim == 2 ? perp_v3(0.3, 1, 0) : perp_v3(0.3, 0, 1), at = perp_v3_scale(0.15, perp_v3_unit(n));
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.2}));
    add_fixed(w, perp_shape_halfspace(n, 0), perp_pose_identity());
    *box = add_free(w, perp_shape_box(0.1, 0.1, 0.1), perp_pose_at(at.x, at.y, at.z), perp_v3(0.5, 0, 0));
    return w;
}

/* A box falls on a slope corner first, turns, and slides. Contacts that are left out carry nothing in `one-plane`. */
static void test_same_motion(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_body_id a, b;
        perp_world *all = slope(dim, "one-plane", &a), *few = slope(dim, "predicted", &b);
        int contacts[2] = {0, 0};
        for (int i = 0; i < 100; i++) {
            perp_certificate c;
            const perp_contact *touching;
            OK(all, perp_world_step(all, &c));
            contacts[0] += perp_world_contacts(all, &touching);
            OK(few, perp_world_step(few, &c));
            contacts[1] += perp_world_contacts(few, &touching);
            BELOW(perp_v3_norm(perp_v3_sub(pose_of(all, a).p, pose_of(few, b).p)), 2e-3);
            BELOW(c.overlap, 0.01);
        }
        print_message("%dD: %d contacts, %d predicted\n", dim, contacts[0], contacts[1]);
        assert_true(contacts[1] > 0 && contacts[1] < contacts[0]);
        perp_world_destroy(all);
        perp_world_destroy(few);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
