/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A planar scene under "peg" does in space what it does in the plane, to 1e-8, when motion out of the plane is blocked by
 * planar joints: hundreds of random scenes with hinges, stacks, discs, polygons and friction, as pyramids and as cones.
 *
 * Not blocked they may part, and rightly so: where two bodies on a hinge slide in opposite directions, each on two
 * corners, the hinge lets one lean on its near corner and the other on its far one, and friction then turns the pair
 * about the vertical. The laws leave both open; the plane does not. What they leave open in the plane too: folded(). */
#include "check.h"

#define SCENES long_run(200)
#define STEPS  40
#define SAME   1e-8

static void hold_in_plane(scene *s) {
    for (int i = 0; i < s->nbody; i++) {
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_PLANAR);
        perp_joint_id id;
        j.b = s->body[i];
        j.collide = true;
        assert_int_equal(perp_joint_add(s->w, &j, &id), PERP_OK);
    }
}

static double difference(const scene *a, const scene *b) {
    double most = 0;
    for (int i = 0; i < a->nbody; i++)
        most = fmax(most, fmax(distance(position(a, i), position(b, i)), distance(velocity(a, i), velocity(b, i))));
    return most;
}

/* Do two jointed bodies lie flat, each on two contacts or more? Then the joint and the contacts depend on each other at the end of the
 * step, though not at its start, where impulses act. One speed of the pair is left open: any answer whose end pose is this one holds
 * all laws, and the rounds in the plane and in space may find different ones. */
static bool folded(const scene *s) {
    const perp_contact *c;
    int n = perp_world_contacts(s->w, &c), pressed[SCENE_MAX] = {0};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < s->nbody; k++)
            pressed[k] += c[i].impulse_C[0] > 0 && (perp_shape_body(s->w, c[i].a).slot == s->body[k].slot ||
                                                    perp_shape_body(s->w, c[i].b).slot == s->body[k].slot);
    for (int j = 0; j < s->njoint; j++) {
        perp_joint_def def;
        int flat = 0;
        assert_int_equal(perp_joint_get(s->w, s->joint[j], &def), PERP_OK);
        for (int k = 0; k < s->nbody; k++)
            flat += pressed[k] >= 2 && (s->body[k].slot == def.a.slot || s->body[k].slot == def.b.slot);
        if (flat == 2) return true;
    }
    return false;
}

typedef struct tally {
    long pushed; /* contacts that did */
    int open;    /* scenes that parted where the laws leave it open */
    int divided; /* scenes that parted where a step was divided otherwise */
} tally;

/* Largest difference of one scene from its twin in space, up to where the laws leave it open. */
static double part(unsigned seed, double h, perp_form form, tally *t) {
    perp_world_def flat = world_def(2, h, PERP_START_PLAIN), deep = world_def(3, h, PERP_START_PLAIN);
    flat.contact_model = deep.contact_model = "peg";
    flat.tolerance = deep.tolerance = 1e-10; /* what the solver leaves is not to be seen */
    deep.form = form;
    if (form == PERP_FORM_LCP) deep.friction_frame = PERP_FRICTION_FIXED; /* directions in the plane and square to it */
    scene a = scene_random(flat, seed, scene_view_plain(), false);
    scene b = scene_random(deep, seed, scene_view_plain(), true);
    hold_in_plane(&b);
    double most = 0;
    for (int k = 0; k < STEPS; k++) {
        int in_plane = run_steps(&a, 1).substeps, in_space = run_steps(&b, 1).substeps;
        double now = difference(&a, &b);
        if (now > SAME &&
            in_plane != in_space) { /* contacts gain near the limit, which depends on how they share their load */
            t->divided++;
            break;
        }
        if (now > SAME && folded(&a)) {
            t->open++;
            break;
        }
        most = fmax(most, now);
        const perp_contact *c;
        for (int i = 0, n = perp_world_contacts(a.w, &c); i < n; i++) t->pushed += c[i].impulse_C[0] > 0;
    }
    scene_end(&a);
    scene_end(&b);
    return most;
}

static void compare(double h, perp_form form, unsigned first, int scenes) {
    double worst = 0;
    unsigned at = first;
    tally t = {0};
    for (unsigned seed = first; seed < first + (unsigned)scenes; seed++) {
        double most = part(seed, h, form, &t);
        if (most <= worst) continue;
        worst = most;
        at = seed;
    }
    print_message(
        "h = %g, %s: largest difference %.1e (scene %u) over %ld contacts; %d left open, %d divided otherwise\n", h,
        form == PERP_FORM_LCP ? "pyramids" : "cones", worst, at, t.pushed, t.open, t.divided);
    assert_true(t.pushed > 40L * scenes);
    assert_true(50 * t.open <= scenes);
    assert_true(50 * t.divided <= scenes);
    assert_below(worst, SAME);
}

static void cones(void **state) {
    (void)state;
    compare(5e-3, PERP_FORM_AUTO, 0, SCENES);
}
static void pyramids(void **state) {
    (void)state;
    compare(5e-3, PERP_FORM_LCP, 100, SCENES / 4);
}
static void other_steps(void **state) {
    (void)state;
    compare(1e-3, PERP_FORM_AUTO, 0, SCENES / 4);
    compare(1e-2, PERP_FORM_AUTO, 0, SCENES / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cones), cmocka_unit_test(pyramids),
                                       cmocka_unit_test(other_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
