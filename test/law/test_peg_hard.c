/* Piles on which the contact model "peg" once failed: overlap that no step asked to go, and a step without an answer. The scenes
 * are files, test/law/scenes; what they hold otherwise is chance. */
#include "../unit/world_help.h"
#include "perp/scene.h"

typedef struct seen {
    double overlap, fastest; /* deepest [L]; largest spin [1/T] */
    int parts;               /* beyond one for each step */
} seen;

static seen run_scene(const char *path) {
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(path, NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    seen all = {0};
    perp_body_id body[16];
    int nbody = perp_world_bodies(w, body, 16);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        all.overlap = fmax(all.overlap, c.overlap);
        all.parts += c.substeps - 1;
        for (int i = 0; i < nbody; i++) {
            perp_vec3 v, spin;
            OK(w, perp_body_velocity(w, body[i], &v, &spin));
            all.fastest = fmax(all.fastest, perp_v3_norm(spin));
        }
    }
    perp_scene_close(s);
    return all;
}

/* What bounces off another may come round to it before the step ends: restitution asks for a speed, and the gap at the end must
 * hold besides. */
static void what_comes_round_is_met(void **state) {
    (void)state;
    seen all = run_scene(PERP_TEST_DIR "/law/scenes/thrown-about.yaml");
    BELOW(all.overlap, 1e-9);
    assert_true(all.fastest > 90); /* a radian in a step: else the scene asks nothing */
}

/* With mu = 2 a body may be jammed between floor and wall: no impulses move it off by the least overlap, as its turning would
 * ask for. */
static void jammed_bodies_stay(void **state) {
    (void)state;
    seen all = run_scene(PERP_TEST_DIR "/law/scenes/jammed.yaml");
    BELOW(all.overlap, 1e-8);
    assert_true(all.parts > 0); /* the last resort came up */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_comes_round_is_met), cmocka_unit_test(jammed_bodies_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
