/* test_hash.c - the same run gives the same bits
 * Method   A fixed list of scenes, 1000 steps each, and the hash of the state at the end. As a test: twice in one process, and taken up again
 *          from a clone and from a saved state half-way. With --print the hashes go to standard output, one line "name hash" each, so that
 *          builds by different compilers and at different optimisation can be compared (compare-builds). */
#include "unit/world_help.h"

#include <inttypes.h>

#include "scenes.h"

#define STEPS 1000

typedef struct entry {
    const char *name;
    int dim;
    scene (*make)(perp_world_def, int);
    int argument;
    void (*change)(perp_world_def *); /* of the definition; NULL: none */
} entry;

static scene particle_wall(perp_world_def d, int a) { return scene_particle_wall(d, a != 0); }
static scene double_pendulum(perp_world_def d, int a) {
    (void)a;
    return scene_double_pendulum(d);
}
static scene pendulum_on_block(perp_world_def d, int a) {
    (void)a;
    return scene_pendulum_on_block(d);
}
static scene full_planar(perp_world_def d, int a) {
    (void)a;
    return scene_full_planar(d);
}
static scene hanging_rod(perp_world_def d, int a) {
    (void)a;
    return scene_hanging_rod(d);
}
static scene momentum_chain(perp_world_def d, int a) {
    (void)a;
    return scene_momentum_chain(d);
}
static scene sliding_stop(perp_world_def d, int a) {
    (void)a;
    return scene_sliding_stop(d, 2, 0.4);
}
static scene painleve_rod(perp_world_def d, int a) {
    (void)a;
    return scene_painleve_rod(d, 1.4);
}
static scene incline(perp_world_def d, int a) { return scene_incline(d, 0.1 * a, 0.3); }
static scene rolling(perp_world_def d, int a) {
    (void)a;
    return scene_rolling_incline(d, 0.3, 0.4);
}
static scene spinning_body(perp_world_def d, int a) {
    (void)a;
    return scene_spinning_body(d);
}
static scene pinch_hold(perp_world_def d, int a) {
    (void)a;
    return scene_pinch_hold(d, 5, 0.5);
}
static scene flat_slide(perp_world_def d, int a) {
    (void)a;
    return scene_flat_slide(d, 6, 0.5);
}
static scene mass_ratio(perp_world_def d, int a) { return scene_mass_ratio(d, a, 0.5); }
static scene tower(perp_world_def d, int a) { return scene_tower(d, a, 0.001, 0.3); }
static scene tumbling(perp_world_def d, int a) {
    (void)a;
    return scene_tumbling(d);
}
static scene random_scene(perp_world_def d, int a) { return scene_random(d, (unsigned)a, scene_view_plain(), false); }
static scene random_flat(perp_world_def d, int a) { return scene_random(d, (unsigned)a, scene_view_plain(), true); }

static void staggered(perp_world_def *d) { d->start = PERP_START_STAGGERED; }
static void mixed(perp_world_def *d) { d->form = PERP_FORM_MLCP; }
static void corrected(perp_world_def *d) { d->joint_correction = true; }
static void other_stepper(perp_world_def *d) { d->stepper = "anitescu-potra"; }
static void few_directions(perp_world_def *d) { d->friction_directions = 4; }
static void iterative(perp_world_def *d) {
    d->solver = "pgs";
    d->fallback[0] = "lemke";
}

static const entry list[] = {
    {"particle-wall", 2, particle_wall, 0, NULL},
    {"particle-moving-wall", 2, particle_wall, 1, staggered},
    {"double-pendulum", 2, double_pendulum, 0, NULL},
    {"double-pendulum-corrected", 2, double_pendulum, 0, corrected},
    {"pendulum-on-block", 2, pendulum_on_block, 0, NULL},
    {"pendulum-on-block-mixed", 2, pendulum_on_block, 0, mixed},
    {"full-planar", 2, full_planar, 0, NULL},
    {"full-planar-staggered", 2, full_planar, 0, staggered},
    {"momentum-chain", 2, momentum_chain, 0, NULL},
    {"sliding-stop", 2, sliding_stop, 0, NULL},
    {"painleve-rod", 2, painleve_rod, 0, NULL},
    {"hanging-rod", 3, hanging_rod, 0, NULL},
    {"hanging-rod-corrected", 3, hanging_rod, 0, corrected},
    {"incline-sticks", 3, incline, 2, NULL},
    {"incline-slides", 3, incline, 5, NULL},
    {"rolling-incline", 3, rolling, 0, NULL},
    {"spinning-body", 3, spinning_body, 0, NULL},
    {"pinch-hold", 3, pinch_hold, 0, NULL},
    {"flat-slide", 3, flat_slide, 0, few_directions},
    {"mass-ratio", 3, mass_ratio, 1000, NULL},
    {"tower", 3, tower, 10, NULL},
    {"tower-iterative", 3, tower, 4, iterative},
    {"tumbling", 3, tumbling, 0, NULL},
    {"tumbling-other-stepper", 3, tumbling, 0, other_stepper},
    {"random-2d-1", 2, random_scene, 1, NULL},
    {"random-2d-2", 2, random_scene, 2, NULL},
    {"random-2d-3", 2, random_scene, 3, mixed},
    {"random-2d-4", 2, random_scene, 4, corrected},
    {"random-2d-5", 2, random_scene, 5, other_stepper},
    {"random-2d-6", 2, random_scene, 6, staggered},
    {"random-3d-1", 3, random_scene, 1, few_directions},
    {"random-3d-2", 3, random_scene, 2, NULL},
    {"random-3d-3", 3, random_scene, 3, few_directions},
    {"random-3d-4", 3, random_scene, 4, corrected},
    {"random-3d-5", 3, random_scene, 5, few_directions},
    {"random-3d-6", 3, random_scene, 6, staggered},
    {"random-flat-1", 3, random_flat, 1, NULL},
    {"random-flat-2", 3, random_flat, 2, mixed},
};
enum { NLIST = sizeof list / sizeof *list };

static scene make(const entry *e) {
    perp_world_def d = perp_world_def_default(e->dim);
    if (e->change) e->change(&d);
    return e->make(d, e->argument);
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
    static entry mine[NLIST];
    struct CMUnitTest tests[NLIST];
    for (int i = 0; i < NLIST; i++) {
        mine[i] = list[i];
        tests[i] = (struct CMUnitTest){.name = list[i].name, .test_func = test_same_bits, .initial_state = &mine[i]};
    }
    return cmocka_run_group_tests_name("golden hashes", tests, NULL, NULL);
}
