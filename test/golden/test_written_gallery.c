/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Every scene of the gallery, the studies and the tests is read, written by perp_world_write_scene(), and read again: the two
 * worlds have the same hash after every step. The same from the middle of a run, with the state in the file. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "perp/perp.h"
#include "thorough.h"

#define FILE_W "written-gallery.yaml"
/* Scenes with more shapes make one step instead: their steps take seconds. */
enum { STEPS = 6, FEW_STEPS = 3, LARGE = 300 };
/* No further step after so many iterations: a scene of hard contacts takes up to a second for each of its steps. */
#define MOST_ITERATIONS 3000

/* The key `bodies` or `include` at the start of a line: studies and experiments are files of the same kind. */
static bool is_scene(const char *path) {
    char line[4096];
    bool found = false;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f)) found = !strncmp(line, "perp:", 5);
    fclose(f);
    return found;
}

static perp_scene *written_again(const perp_world *w, const char *path) {
    perp_refusal why;
    perp_scene *s = NULL;
    remove(FILE_W);
    if (perp_world_write_scene(w, FILE_W, NULL, &why)) fail_msg("%s cannot be written: %s", path, why.text);
    if (perp_scene_open(FILE_W, NULL, &s, &why)) fail_msg("%s cannot be read again: %s", path, why.text);
    if (perp_world_hash(w) != perp_world_hash(perp_scene_world(s))) fail_msg("%s: another world", path);
    return s;
}

static void step_both(perp_world *a, perp_world *b, int n, const char *path) {
    perp_certificate c = {0};
    for (long i = 0, iterations = 0; i < n && iterations < MOST_ITERATIONS; i++, iterations += c.iterations) {
        perp_status sa = perp_world_step(a, &c), sb = perp_world_step(b, NULL);
        if (sa != sb) fail_msg("%s: step %ld ends with %d and %d", path, i + 1, (int)sa, (int)sb);
        if (perp_world_hash(a) != perp_world_hash(b)) fail_msg("%s: another world after step %ld", path, i + 1);
    }
}

static void the_same(const char *path) {
    perp_refusal why;
    perp_scene *s = NULL;
    const perp_scene_options all = {.root = PERP_TEST_DIR "/.."}; /* some include scenes of their neighbours */
    if (perp_scene_open(path, &all, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    int n = perp_world_shapes(w, NULL, 0) > LARGE ? 1 : thorough() ? STEPS : FEW_STEPS;
    for (int turn = 0; turn < 2; turn++) { /* from the start, and from where that got to */
        perp_scene *t = written_again(w, path);
        step_both(w, perp_scene_world(t), n, path);
        perp_scene_close(t);
    }
    perp_scene_close(s);
}

static void test_gallery(void **state) {
    static const char *const folders[] = {"/../experiments/*/*.yaml", "/../studies/*/*.yaml", "/../scenes/*.yaml",
                                          "/law/scenes/*.yaml"};
    (void)state;
    int tried = 0;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char pattern[1024];
        glob_t found;
        snprintf(pattern, sizeof pattern, PERP_TEST_DIR "%s", folders[k]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (!is_scene(found.gl_pathv[i])) continue;
            the_same(found.gl_pathv[i]);
            tried++;
        }
        globfree(&found);
    }
    if (tried < 80) fail_msg("only %d scenes were found", tried);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gallery)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
