/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* motion.c - time per step of scenes in motion, and what the time buys
 *
 *     motion [--tolerance X] [--seed N] [--seconds T] [--slower MS] [--set NAME=VALUE] [CASE...]        (without names: all that are not large)
 *
 * One line for each case: steps; processor time of a step in ms: mean, median, 99th percentile, slowest; steps of solvers and parts per step; deepest
 * overlap; steps that failed (a run ends with the first); and the share of the stages in the time. --tolerance overrides the scene's; --slower prints each step that takes longer than MS. Exit code 1 if a step failed. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/perp.h"
#include "perp/scene.h"
#include "seconds.h"

#define SOURCE PERP_SCENES_DIR "/../"
enum { MOST_DEFINED = 8 };

typedef struct scene_case {
    const char *name, *path;
    perp_definition define[MOST_DEFINED];
    double seconds; /* 0: the scene's own duration */
    bool large;     /* runs only if it is named */
    bool seeded;    /* has the parameter seed */
} scene_case;

static const scene_case cases[] = {
    {"hulls", "experiments/heap-polyhedra/scene.yaml", {{0}}, 0, false, true},
    {"polygons", "experiments/box-of-polygons/scene.yaml", {{"mu", "0.5"}}, 0, false, true},
    {"cart", "scenes/cart.yaml", {{0}}, 2, false, false},
    {"dominoes", "scenes/dominoes.yaml", {{0}}, 2, false, false},
    {"demo", "scenes/demo.yaml", {{0}}, 1.5, false, false},
    {"gripper", "studies/grasp-map/scene.yaml", {{0}}, 0, false, false},
    {"pendulum", "experiments/double-pendulum/scene.yaml", {{0}}, 0, false, false},
    {"pendulum-second-order", "experiments/double-pendulum/kept.yaml", {{0}}, 1, false, false},
    {"tower", "experiments/tower/scene.yaml", {{"n", "100"}}, 2, false, false},
    {"spheres", "experiments/pour-1000/scene.yaml", {{"n", "250"}, {"side", "5"}}, 1.5, false, true},
    {"cubes", "experiments/heap-cubes/scene.yaml", {{"n", "200"}, {"layer", "20"}}, 1, false, true},
    {"pour", "experiments/pour-1000/scene.yaml", {{0}}, 4, true, true},
    {"heap", "experiments/heap-cubes/scene.yaml", {{0}}, 0, true, true},
};
enum { CASES = sizeof cases / sizeof *cases };

static void die(const char *what, const char *why) {
    fprintf(stderr, "motion: %s: %s\n", what, why);
    exit(2);
}

/* The text of a scene with another tolerance: the first `stages: {` gets it, or a line at the end. */
static char *with_tolerance(const char *path, const char *tolerance) {
    FILE *f = fopen(path, "rb");
    size_t size = 0, room = 1 << 20;
    char *text = calloc(room, 1), *out = calloc(room, 1);
    if (!f || !text || !out) die(path, "cannot be read");
    size = fread(text, 1, room - 200, f);
    fclose(f);
    text[size] = 0;
    char *at = strstr(text, "stages: {");
    if (!at) {
        snprintf(out, room, "%s\nstages: {tolerance: %s}\n", text, tolerance);
    } else {
        char *end = strchr(at, '}'), *old = strstr(at, "tolerance:");
        size_t head = (size_t)(at - text) + strlen("stages: {");
        if (old && end && old < end) { /* the key is given: its value is replaced */
            size_t skip = (size_t)(old - text);
            char *after = old + strcspn(old, ",}");
            snprintf(out, room, "%.*stolerance: %s%s", (int)skip, text, tolerance, after);
        } else {
            snprintf(out, room, "%.*stolerance: %s, %s", (int)head, text, tolerance, text + head);
        }
    }
    free(text);
    return out;
}

typedef struct options {
    const char *tolerance, *seed, *set[MOST_DEFINED];
    int nset;
    double seconds;
    double slower; /* steps that take longer are printed [ms]; 0: none */
} options;

static perp_scene *open_case(const scene_case *c, const options *o) {
    perp_definition define[2 * MOST_DEFINED + 1];
    char path[1000];
    perp_refusal why;
    perp_scene *s;
    int n = 0;
    static char name[MOST_DEFINED][100];
    for (int i = 0; i < MOST_DEFINED && c->define[i].name; i++) define[n++] = c->define[i];
    if (o->seed && c->seeded) define[n++] = (perp_definition){"seed", o->seed};
    for (int i = 0; i < o->nset; i++) {
        const char *eq = strchr(o->set[i], '=');
        if (!eq) die("--set wants NAME=VALUE, found", o->set[i]);
        snprintf(name[i], sizeof name[i], "%.*s", (int)(eq - o->set[i]), o->set[i]);
        define[n++] = (perp_definition){name[i], eq + 1};
    }
    snprintf(path, sizeof path, SOURCE "%s", c->path);
    perp_scene_options so = {.define = define, .ndefine = n, .root = "/"};
    perp_source_file file = {.path = path};
    if (o->tolerance) {
        char *text = with_tolerance(path, o->tolerance);
        file.data = text;
        file.size = strlen(text);
        so.file = &file;
        so.nfile = 1;
    }
    if (perp_scene_open(path, &so, &s, &why)) die(c->name, why.text);
    if (o->tolerance) free((void *)(uintptr_t)file.data);
    return s;
}

static bool run_case(const scene_case *c, const options *o) {
    perp_scene *s = open_case(c, o);
    perp_world *w = perp_scene_world(s);
    double seconds = o->seconds > 0 ? o->seconds : c->seconds > 0 ? c->seconds : perp_scene_duration(s);
    int steps = (int)(seconds / perp_world_h(w) + 0.5), k = 0;
    double *ms = calloc((size_t)steps + 1, sizeof *ms), sum = 0, overlap = 0, stage[PERP_STAGE_COUNT], all = 0;
    long iterations = 0, parts = 0;
    bool failed = false;
    if (!ms) die(c->name, "out of memory");
    for (; k < steps && !failed; k++) {
        perp_certificate cert;
        double t = processor_seconds();
        failed = perp_world_step(w, &cert) != PERP_OK;
        ms[k] = 1e3 * (processor_seconds() - t);
        sum += ms[k];
        if (failed) continue;
        iterations += cert.iterations;
        parts += cert.substeps;
        if (cert.overlap > overlap) overlap = cert.overlap;
        if (o->slower > 0 && ms[k] > o->slower)
            printf("    step %d: %.2f ms, %d iterations, %d parts\n", k, ms[k], cert.iterations, cert.substeps);
    }
    qsort(ms, (size_t)k, sizeof *ms, ascending);
    printf("%-9s %5d  mean %8.4f  median %8.4f  99 %% %8.3f  slowest %9.3f ms  %6.1f iterations  %5.2f parts  overlap "
           "%7.1e  %s ",
           c->name, k, sum / k, ms[k / 2], ms[(int)(0.99 * (k - 1))], ms[k - 1], (double)iterations / k,
           (double)parts / k, overlap, failed ? "FAILED" : "");
    perp_world_timing(w, stage);
    for (int i = 0; i < PERP_STAGE_COUNT; i++) all += stage[i];
    for (int i = 0; i < PERP_STAGE_COUNT; i++)
        printf(" %.4s %2.0f%%", perp_stage_name((perp_stage)i), 100 * stage[i] / all);
    printf("  hash %016llx\n", (unsigned long long)perp_world_hash(w));
    if (failed) printf("    %s\n", perp_world_why(w));
    fflush(stdout);
    free(ms);
    perp_scene_close(s);
    return !failed;
}

int main(int argc, char **argv) {
    options o = {0};
    bool named[CASES] = {false}, any = false, good = true;
    for (int i = 1; i < argc; i++) {
        bool value = i + 1 < argc;
        if (value && !strcmp(argv[i], "--tolerance")) {
            o.tolerance = argv[++i];
        } else if (value && !strcmp(argv[i], "--seed")) {
            o.seed = argv[++i];
        } else if (value && !strcmp(argv[i], "--seconds")) {
            o.seconds = strtod(argv[++i], NULL);
        } else if (value && !strcmp(argv[i], "--slower")) {
            o.slower = strtod(argv[++i], NULL);
        } else if (value && !strcmp(argv[i], "--set") && o.nset < MOST_DEFINED) {
            o.set[o.nset++] = argv[++i];
        } else {
            bool found = false;
            for (int c = 0; c < CASES; c++)
                if (!strcmp(argv[i], cases[c].name)) named[c] = any = found = true;
            if (!found) die("neither an option nor a case", argv[i]);
        }
    }
    for (int c = 0; c < CASES; c++)
        if (any ? named[c] : !cases[c].large) good = run_case(&cases[c], &o) && good;
    return good ? 0 : 1;
}
