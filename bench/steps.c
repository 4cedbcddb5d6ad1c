/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* steps.c - the first steps of scenes: the work of their solvers, how well the laws held, and the hash of the end
 *
 *     steps [--steps N] SCENE...              the first N steps (50 unless told) of scene files, or as many as the scene has
 *     steps [--steps N] --attack SEED COUNT   the same with random scenes (attack/generate.c)
 *
 * One line per scene: name, steps that were solved, steps asked for, work in multiplications (budget.h), hash of the world, largest residual of
 * the laws over the speeds, deepest overlap [L], largest gain of an island as a part of its energy, substeps. No figure depends on the
 * clock, so that two builds can be compared on a busy machine; `tools/ablate` does. A scene ends at its first step without an answer. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "model/world_data.h"
#include "perp/perp.h"
#include "perp/scene.h"

#define LONGEST_PATH 1024

static void die(const char *what, const char *why) {
    fprintf(stderr, "steps: %s: %s\n", what, why);
    exit(2);
}

static void run(const char *name, perp_scene *s, uint64_t most) {
    perp_world *w = perp_scene_world(s);
    perp_certificate c, all = {0};
    uint64_t steps = perp_scene_steps(s), k = 0;
    double work = 0, law = 0;
    if (steps > most) steps = most;
    for (bool solved = true; k < steps && solved; k += solved) {
        solved = !perp_world_step(w, &c);
        work += w->run.work.done;
        if (!solved) break;
        perp_step_residual r = c.law;
        double worst = fmax(fmax(r.momentum, r.joint), fmax(fmax(r.normal, r.cone), r.dissipation));
        if (r.scale > 0) law = fmax(law, worst / r.scale);
        perp_certificate_add(&all, &c);
    }
    printf("%-40s %4" PRIu64 " %4" PRIu64 " %12.6g %016" PRIx64 " %.1e %.1e %.1e %d\n", name, k, steps, work,
           perp_world_hash(w), law, all.overlap, all.gain_part, all.substeps);
    fflush(stdout);
    perp_scene_close(s);
}

/* The name of a scene: its file without `.yaml`, or its folder if the file is called scene.yaml. Models keep their ending: arm.sdf is not arm.urdf. */
static void name_of(const char *path, char *name, size_t size) {
    const char *end = path + strlen(path), *from;
    if (end - path > 11 && !strcmp(end - 11, "/scene.yaml"))
        end -= 11;
    else if (end - path > 5 && !strcmp(end - 5, ".yaml"))
        end -= 5;
    for (from = end; from > path && from[-1] != '/';) from--;
    snprintf(name, size, "%.*s", (int)(end - from), from);
}

static void run_attack(uint64_t seed, int count, uint64_t most) {
    static char text[ATTACK_TEXT];
    char name[64];
    attack_facts facts;
    for (int i = 0; i < count; i++) {
        perp_scene *s;
        attack_generate(seed + (uint64_t)i, "attack.obj", text, &facts);
        perp_source_file file[] = {{"attack.yaml", text, strlen(text)},
                                   {"attack.obj", attack_mesh, strlen(attack_mesh)}};
        perp_scene_options o = {.file = file, .nfile = 2};
        snprintf(name, sizeof name, "attack-%" PRIu64, seed + (uint64_t)i);
        if (!perp_scene_open("attack.yaml", &o, &s, NULL))
            run(name, s, most); /* stages that do not go together are refused */
    }
}

int main(int argc, char **argv) {
    uint64_t most = 50;
    int ran = 0;
    for (int i = 1; i < argc; i++, ran++) {
        char name[LONGEST_PATH];
        perp_scene *s;
        perp_refusal why;
        if (!strcmp(argv[i], "--steps") && i + 1 < argc) {
            most = strtoull(argv[++i], NULL, 10);
        } else if (!strcmp(argv[i], "--attack") && i + 2 < argc) {
            run_attack(strtoull(argv[i + 1], NULL, 10), (int)strtol(argv[i + 2], NULL, 10), most);
            i += 2;
        } else {
            perp_scene_options o = {.root = "/"};
            if (perp_scene_open(argv[i], &o, &s, &why)) die(argv[i], why.text);
            name_of(argv[i], name, sizeof name);
            run(name, s, most);
        }
    }
    if (!ran) die("usage", "steps [--steps N] SCENE..., or steps [--steps N] --attack SEED COUNT");
    return 0;
}
