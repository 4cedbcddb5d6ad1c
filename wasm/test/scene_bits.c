/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scene_bits.c - what the native library makes of scenes, for comparison with the module
 *     scene_bits --write FOLDER SEED COUNT   writes COUNT random scenes of the attack
 *     scene_bits STEPS SCENE...              steps each scene, at most STEPS times or to a failure, and prints a line of JSON:
 *                                            steps taken, hash of the state, processor time of the steps, the files it read,
 *                                            the scenes made of its robot models */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../attack/attack.h"

#define PATHS 4096

static double processor(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool put(const char *folder, const char *name, const char *text, char path[PATHS]) {
    snprintf(path, PATHS, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (f && fputs(text, f) >= 0 && !fclose(f)) return true;
    fprintf(stderr, "scene_bits: %s cannot be written\n", path);
    return false;
}

/* The attack also draws stages that do not go together: such a scene is refused, and the next one is taken. */
static int write_scenes(const char *folder, uint64_t seed, int count) {
    static char text[ATTACK_TEXT];
    char path[PATHS];
    if (!put(folder, "attack.obj", attack_mesh, path)) return 1;
    for (int i = 0; i < count; seed++) {
        attack_facts facts;
        char name[64];
        perp_scene *s;
        attack_generate(seed, "attack.obj", text, &facts);
        snprintf(name, sizeof name, "random-%03d.yaml", i);
        if (!put(folder, name, text, path)) return 1;
        if (!perp_scene_open(path, NULL, &s, NULL)) {
            perp_scene_close(s);
            i++;
        }
    }
    return 0;
}

static void quoted(const char *s) {
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') putchar('\\');
        if (*s == '\n')
            fputs("\\n", stdout);
        else if ((unsigned char)*s >= ' ')
            putchar(*s);
    }
    putchar('"');
}

static void run(const char *path, uint64_t most) {
    perp_scene *s;
    perp_refusal why;
    printf("{\"scene\": ");
    quoted(path);
    if (perp_scene_open(path, &(perp_scene_options){.root = "/"}, &s, &why)) {
        printf(", \"refused\": ");
        quoted(why.text);
        puts("}");
        return;
    }
    perp_world *w = perp_scene_world(s);
    const uint64_t whole = perp_scene_steps(s), n = whole < most ? whole : most;
    uint64_t done = 0;
    const double begun = processor();
    while (done < n && !perp_world_step(w, NULL)) done++;
    const double seconds = processor() - begun;
    printf(", \"steps\": %" PRIu64 ", \"hash\": \"%016" PRIx64 "\", \"seconds\": %.6f, \"failed\": ", done,
           perp_world_hash(w), seconds);
    quoted(done < n ? perp_world_why(w) : "");
    printf(", \"files\": [");
    for (int i = 0; i < perp_scene_file_count(s); i++) {
        printf(i ? ", " : "");
        quoted(perp_scene_file_at(s, i).path);
    }
    printf("], \"models\": {"); /* scenes made of robot models: the module does not read models within scenes */
    for (int i = 0, models = 0; i < perp_scene_file_count(s); i++) {
        perp_source_file f = perp_scene_file_at(s, i);
        if (!strchr(f.path, '#')) continue;
        printf(models++ ? ", " : "");
        quoted(f.path);
        printf(": ");
        quoted((const char *)f.data);
    }
    puts("}}");
    perp_scene_close(s);
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "--write") == 0)
        return write_scenes(argv[2], strtoull(argv[3], NULL, 10), atoi(argv[4]));
    if (argc < 3) {
        fprintf(stderr, "usage: scene_bits --write FOLDER SEED COUNT | scene_bits STEPS SCENE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        run(argv[i], strtoull(argv[1], NULL, 10));
        fflush(stdout);
    }
    return 0;
}
