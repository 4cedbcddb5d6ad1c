/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_hash.c - the same run gives the same bits
 * Method   A fixed list of scenes, 1000 steps each, and the hash of the state at the end. As a test: twice in one
 *          process, and taken up again from a clone and from a saved state half-way. With --print the hashes go to
 *          standard output, one line "name hash" each, so that builds by different compilers and at different
 *          optimisation can be compared (compare-builds). */
#include "unit/world_help.h"

#include <inttypes.h>

#include "scenes.h"

#define STEPS 1000

typedef struct entry {
    const char *name;
    int dim;
    scene (*make)(perp_world_def);
    void (*change)(perp_world_def *); /* of the definition; NULL: none */
} entry;

static scene wall(perp_world_def d) { return scene_particle_wall(d, false); }
static scene moving_wall(perp_world_def d) { return scene_particle_wall(d, true); }
static scene sliding_stop(perp_world_def d) { return scene_sliding_stop(d, 2, 0.4); }
static scene painleve_rod(perp_world_def d) { return scene_painleve_rod(d, 1.4); }
static scene gentle(perp_world_def d) { return scene_incline(d, 0.2, 0.3); }
static scene steep(perp_world_def d) { return scene_incline(d, 0.5, 0.3); }
static scene rolling(perp_world_def d) { return scene_rolling_incline(d, 0.3, 0.4); }
static scene pinch_hold(perp_world_def d) { return scene_pinch_hold(d, 5, 0.5); }
static scene flat_slide(perp_world_def d) { return scene_flat_slide(d, 6, 0.5); }
static scene mass_ratio(perp_world_def d) { return scene_mass_ratio(d, 1000, 0.5); }
static scene tower_10(perp_world_def d) { return scene_tower(d, 10, 0.001, 0.3); }
static scene tower_4(perp_world_def d) { return scene_tower(d, 4, 0.001, 0.3); }
static scene random_1(perp_world_def d) { return scene_random(d, 1, scene_view_plain(), false); }
static scene random_2(perp_world_def d) { return scene_random(d, 2, scene_view_plain(), false); }
static scene random_3(perp_world_def d) { return scene_random(d, 3, scene_view_plain(), false); }
static scene random_4(perp_world_def d) { return scene_random(d, 4, scene_view_plain(), false); }
static scene random_5(perp_world_def d) { return scene_random(d, 5, scene_view_plain(), false); }
static scene random_6(perp_world_def d) { return scene_random(d, 6, scene_view_plain(), false); }
static scene flat_1(perp_world_def d) { return scene_random(d, 1, scene_view_plain(), true); }
static scene flat_2(perp_world_def d) { return scene_random(d, 2, scene_view_plain(), true); }

static void staggered(perp_world_def *d) { d->start = PERP_START_STAGGERED; }
static void mixed(perp_world_def *d) { d->form = PERP_FORM_MLCP; }
static void corrected(perp_world_def *d) { d->joint_correction = true; }
static void other_stepper(perp_world_def *d) { d->stepper = "anitescu-potra"; }
static void second_order(perp_world_def *d) { d->stepper = "second-order"; }
static void few_directions(perp_world_def *d) { d->friction_directions = 4; }
static void iterative(perp_world_def *d) {
    d->solver = "pgs";
    d->fallback[0] = "lemke";
    d->fallback[1] = "enumerate";
}

static entry list[] = {
    {"particle-wall", 2, wall, NULL},
    {"particle-moving-wall", 2, moving_wall, staggered},
    {"double-pendulum", 2, scene_double_pendulum, NULL},
    {"double-pendulum-corrected", 2, scene_double_pendulum, corrected},
    {"double-pendulum-second-order", 2, scene_double_pendulum, second_order},
    {"full-planar-second-order", 2, scene_full_planar, second_order},
    {"pendulum-on-block", 2, scene_pendulum_on_block, NULL},
    {"pendulum-on-block-mixed", 2, scene_pendulum_on_block, mixed},
    {"full-planar", 2, scene_full_planar, NULL},
    {"full-planar-staggered", 2, scene_full_planar, staggered},
    {"momentum-chain", 2, scene_momentum_chain, NULL},
    {"sliding-stop", 2, sliding_stop, NULL},
    {"painleve-rod", 2, painleve_rod, NULL},
    {"hanging-rod", 3, scene_hanging_rod, NULL},
    {"hanging-rod-corrected", 3, scene_hanging_rod, corrected},
    {"incline-sticks", 3, gentle, NULL},
    {"incline-slides", 3, steep, NULL},
    {"rolling-incline", 3, rolling, NULL},
    {"spinning-body", 3, scene_spinning_body, NULL},
    {"pinch-hold", 3, pinch_hold, NULL},
    {"flat-slide", 3, flat_slide, few_directions},
    {"mass-ratio", 3, mass_ratio, few_directions},
    {"tower", 3, tower_10, NULL},
    {"tower-iterative", 3, tower_4, iterative},
    {"tumbling", 3, scene_tumbling, NULL},
    {"tumbling-other-stepper", 3, scene_tumbling, other_stepper},
    {"random-2d-1", 2, random_1, NULL},
    {"random-2d-2", 2, random_2, NULL},
    {"random-2d-3", 2, random_3, mixed},
    {"random-2d-4", 2, random_4, corrected},
    {"random-2d-5", 2, random_5, other_stepper},
    {"random-2d-6", 2, random_6, staggered},
    {"random-3d-1", 3, random_1, few_directions},
    {"random-3d-2", 3, random_2, NULL},
    {"random-3d-3", 3, random_3, few_directions},
    {"random-3d-4", 3, random_4, corrected},
    {"random-3d-5", 3, random_5, few_directions},
    {"random-3d-6", 3, random_6, staggered},
    {"random-flat-1", 3, flat_1, NULL},
    {"random-flat-2", 3, flat_2, mixed},
};
enum { NLIST = sizeof list / sizeof *list };

static scene make(const entry *e) {
    perp_world_def d = perp_world_def_default(e->dim);
    if (e->change) e->change(&d);
    return e->make(d);
}

static void steps(perp_world *w, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        perp_status st = perp_world_step(w, NULL);
        if (!st) continue;
        fprintf(stderr, "%s: step %d: %s\n", name, i, perp_world_why(w));
        exit(2);
    }
}

static void test_same_bits(void **state) {
    const entry *e = *state;
    scene a = make(e), b = make(e), c = make(e);
    steps(a.w, STEPS, e->name);
    uint64_t want = perp_world_hash(a.w);
    steps(b.w, STEPS / 2, e->name);
    perp_world *clone;
    assert_int_equal(perp_world_clone(b.w, &clone), PERP_OK);
    size_t size = perp_world_state_size(b.w);
    void *buf = malloc(size);
    assert_non_null(buf);
    assert_int_equal(perp_world_get_state(b.w, buf, size), PERP_OK);
    OK(c.w, perp_world_set_state(c.w, buf, size));
    perp_world *each[] = {b.w, clone, c.w};
    const char *what[] = {"a second run", "a clone", "a saved state"};
    for (int i = 0; i < 3; i++) {
        steps(each[i], STEPS / 2, e->name);
        if (perp_world_hash(each[i]) != want) fail_msg("%s: %s ends with other bits", e->name, what[i]);
    }
    free(buf);
    perp_world_destroy(clone);
    scene_end(&a);
    scene_end(&b);
    scene_end(&c);
}

static int print_all(void) {
    for (int i = 0; i < NLIST; i++) {
        scene s = make(&list[i]);
        steps(s.w, STEPS, list[i].name);
        printf("%s %016" PRIx64 "\n", list[i].name, perp_world_hash(s.w));
        scene_end(&s);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--print")) return print_all();
    struct CMUnitTest tests[NLIST];
    for (int i = 0; i < NLIST; i++)
        tests[i] = (struct CMUnitTest){.name = list[i].name, .test_func = test_same_bits, .initial_state = &list[i]};
    return cmocka_run_group_tests_name("golden hashes", tests, NULL, NULL);
}
