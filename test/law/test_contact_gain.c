/* Contacts that seemed to add energy, or did. Scenes are files, test/law/scenes; what they hold otherwise is chance. */
#include "../unit/world_help.h"
#include "perp/scene.h"

static perp_scene *open_scene(const char *path) {
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(path, NULL, &s, &why)) fail_msg("%s", why.text);
    return s;
}

/* What contacts add in a run as a part of the energy at hand. */
static double gain_of(const char *path) {
    perp_scene *s = open_scene(path);
    perp_world *w = perp_scene_world(s);
    perp_certificate all = {0};
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        perp_certificate_add(&all, &c);
    }
    perp_scene_close(s);
    return all.gain / fmax(fmax(all.extent.kinetic, all.extent.high - all.extent.low), all.extent.fall);
}

/* A plate that shakes turns back within a step: friction opposes the slip of its end. The plate gives what that takes. */
static void shaken_plate(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/shaken-plate.yaml"), 1e-6);
}

/* What slides out on a plate that turns is led by its side, by 2 v x spin in every step: in the frame of the plate that is no work. */
static void turning_plate(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/turning-plate.yaml"), 1e-6);
}

/* Impacts divide steps into parts as short as 1e-8 s: overlap of 1e-9 is not undone within one. */
static void short_parts(void **state) {
    (void)state;
    perp_scene *s = open_scene(PERP_TEST_DIR "/law/scenes/short-parts.yaml");
    perp_world *w = perp_scene_world(s);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        BELOW(c.gain_part, 0.05); /* of the energy of an island; it was 0.74 */
    }
    perp_scene_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shaken_plate),
        cmocka_unit_test(turning_plate),
        cmocka_unit_test(short_parts),
    };
    return cmocka_run_group_tests_name("contact_gain", tests, NULL, NULL);
}
