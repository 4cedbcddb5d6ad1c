/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* picture.c - draws moments of a recording: how to read one from C.
 *
 *     picture RECORDING OUT.svg [TIME...]      the last time large, those before it in a strip; default: five of them
 *
 * Expect: an SVG file with the moving bodies of a 3D scene. Boxes, polyhedra and balls are drawn; bodies whose names
 * differ in the number at their end only have one colour. Without a recording it makes a small one first, and
 * checks what it reads. */
#include "perp/perp.h"

#include <stdlib.h>
#include <string.h>

#include "svg.h"

#define TIMES 16

static void refuse(const perp_refusal *why) {
    fprintf(stderr, "picture: %s\n", why->text);
    exit(2);
}

/* The frame nearest to a time. */
static uint64_t frame_at(const double *time, uint64_t frames, double t) {
    uint64_t best = 0;
    for (uint64_t i = 1; i < frames; i++)
        if (fabs(time[i] - t) < fabs(time[best] - t)) best = i;
    return best;
}

static bool is_drawn(const perp_recording *r, int i) {
    perp_recorded_shape s = perp_recording_shape(r, i);
    return perp_recording_body(r, s.body).kind == PERP_BODY_DYNAMIC && (s.nface > 0 || s.kind == PERP_SHAPE_SPHERE);
}

/* Length of a name without the number at its end: brick-2-0 and brick-2-1 are of one family. */
static size_t family(const char *name) {
    size_t n = strlen(name);
    while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9') n--;
    return n;
}

static void colour(const perp_recording *r, svg_solid *s, int n) {
    static const int palette[] = {0x4f8fcf, 0x59b08a, 0xe8b04a, 0xdd6b55, 0x9a7fd1, 0x6fb7c4, 0x555b66, 0xb98a5f};
    int used = 0;
    for (int i = 0; i < n; i++) {
        const char *name = perp_recording_body(r, s[i].shape.body).name;
        s[i].rgb = -1;
        for (int k = 0; k < i && s[i].rgb < 0; k++) {
            const char *other = perp_recording_body(r, s[k].shape.body).name;
            if (family(name) == family(other) && !strncmp(name, other, family(name))) s[i].rgb = s[k].rgb;
        }
        if (s[i].rgb < 0) s[i].rgb = palette[used++ % 8];
    }
}

static const char scene[] =
    "perp: 1\n"
    "dim: 3\n"
    "h: 0.005\n"
    "duration: 0.5\n"
    "law: {mu: 0.4}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
    "  - {name: box, density: 500, at: [0, 0, 0.1], shape: {type: box, size: [0.4, 0.3, 0.2]}}\n"
    "  - {name: ball, density: 900, at: [0.05, 0, 0.5], shape: {type: sphere, radius: 0.1}}\n";

/* A ball falls on a box; the recording is checked against what the world says. */
static void record(const char *path) {
    perp_refusal why;
    perp_source_file file = {"picture.yaml", scene, sizeof scene - 1};
    perp_scene *s;
    if (perp_scene_open("picture.yaml", &(perp_scene_options){.file = &file, .nfile = 1}, &s, &why)) refuse(&why);
    remove(path); /* an existing recording is never written over */
    perp_recorder *r;
    if (perp_recorder_create(path, s, NULL, &r, &why)) refuse(&why);
    perp_world *w = perp_scene_world(s);
    perp_certificate c;
    for (uint64_t n = perp_scene_steps(s); n > 0 && !perp_world_step(w, &c); n--)
        if (perp_recorder_step(r, &c, &why)) refuse(&why);
    if (perp_recorder_close(r, true, &why)) refuse(&why);

    perp_recording *back;
    perp_pose X, there[3];
    if (perp_recording_open(path, &back, &why)) refuse(&why);
    const perp_recording_info *about = perp_recording_about(back);
    if (perp_recording_poses(back, about->frames - 1, there, &why)) refuse(&why);
    bool same = !perp_body_pose(w, perp_body_find(w, "ball"), &X) && X.p.z == there[2].p.z;
    printf("%llu frames; the ball ends at z = %.6f, %s\n", (unsigned long long)about->frames, there[2].p.z,
           same ? "as in the world" : "not as in the world");
    perp_recording_close(back);
    perp_scene_close(s);
    if (!same) exit(1);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "picture.h5", *out = argc > 2 ? argv[2] : "picture.svg";
    if (argc < 2) record(path);
    perp_refusal why;
    perp_recording *r;
    if (perp_recording_open(path, &r, &why)) refuse(&why);
    const perp_recording_info *about = perp_recording_about(r);
    int n = 0, moments = argc > 3 ? argc - 3 : 5;
    int *which = malloc(((size_t)about->nshape + 1) * sizeof *which); /* the shapes that are drawn */
    if (!which) fprintf(stderr, "picture: out of memory\n"), exit(3);
    for (int i = 0; i < about->nshape; i++)
        if (is_drawn(r, i)) which[n++] = i;
    if (n == 0) fprintf(stderr, "picture: %s: nothing in it moves and has a volume\n", path), exit(2);
    if (moments > TIMES) fprintf(stderr, "picture: at most %d times\n", TIMES), exit(2);

    size_t solids = (size_t)n * (size_t)moments;
    double *time = malloc(about->frames * sizeof *time), t[TIMES];
    svg_solid *s = malloc(solids * sizeof *s), *first = malloc((size_t)n * sizeof *first);
    perp_pose *X = malloc((size_t)about->nbody * sizeof *X);
    bool *drawn = malloc((size_t)n * sizeof *drawn);
    if (!time || !s || !first || !X || !drawn) fprintf(stderr, "picture: out of memory\n"), exit(3);
    if (perp_recording_series(r, "time", time, &why)) refuse(&why);
    for (int k = -1; k < moments; k++) { /* -1: the start, for the colours */
        double at = argc > 3 && k >= 0 ? atof(argv[3 + k]) : about->t0 + (about->t1 - about->t0) * k / (moments - 1);
        uint64_t frame = k < 0 ? 0 : frame_at(time, about->frames, at);
        svg_solid *to = k < 0 ? first : s + (size_t)k * (size_t)n;
        if (perp_recording_poses(r, frame, X, &why)) refuse(&why);
        if (k >= 0) t[k] = time[frame];
        for (int j = 0; j < n; j++) {
            perp_recorded_shape shape = perp_recording_shape(r, which[j]);
            to[j] = (svg_solid){shape, perp_pose_mul(X[shape.body], shape.X_BS), k < 0 ? 0 : first[j].rgb};
        }
        if (k < 0) colour(r, first, n);
    }
    FILE *f = fopen(out, "w");
    if (!f) perror(out), exit(3);
    svg_sheet(f, s, n, t, moments, drawn);
    bool bad = ferror(f) != 0;
    if (fclose(f) || bad) perror(out), exit(3);
    printf("%s\n", out);
    free(which), free(time), free(s), free(first), free(X), free(drawn);
    perp_recording_close(r);
    return 0;
}
