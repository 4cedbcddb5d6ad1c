/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* run_model.c - run_model FILE DURATION [rest|fall|random]...: simulates a robot model and tells what came of it, a line for each way. tools/try-models --run uses it.
 *   rest     from the first keyframe, with its ctrl; without keyframes from the start of the scene. Free bodies that overlap something there are lifted by the overlap
 *   fall     from the same place, with no actuators
 *   random   from the same place; every tenth of a second all ctrl are drawn anew from their ranges (from -1 to 1 where there is none), always the same numbers
 * A line: way, verdict (as that of perp run), steps taken and asked for, largest joint error [m or rad], largest overlap and that of the start [m], largest residual of the laws
 * as a part of the speeds, seconds of processor time; then which aspects are not good, or the sentence of the step that failed.
 * Exit code 0: every way was simulated to its end, and none with verdict poor; 1: a step failed, or a verdict is poor; 2: the model is refused. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "perp/joint_space.h"
#include "perp/perp.h"
#include "perp/random.h"
#include "perp/scene.h"

#define REDRAWN 0.1 /* time between two draws of ctrl [T] */

/* Lifts bodies that no joint holds out of what they overlap: feet of keyframes that were made for soft contacts stand in the floor. What overlaps otherwise stays. */
static void lift(perp_world *w, perp_joint_space *s) {
    int nq = perp_joint_space_nq(s);
    double *q = calloc((size_t)nq + 1, sizeof *q), depth = perp_world_overlap(w);
    perp_joint_link l;
    bool any = false;
    if (!q || !(depth > 0) || perp_joint_space_get(s, w, q, NULL)) {
        free(q);
        return;
    }
    for (int i = 0; !perp_joint_space_link(s, i, &l); i++) {
        if (l.joint.gen != 0 || l.nq != 7) continue;
        q[l.q + 2] += depth;
        any = true;
    }
    if (any) (void)perp_joint_space_set(s, w, q, NULL, 1e-9);
    free(q);
}

/* Puts the world into its first keyframe, and what is free above the floor. If it cannot be closed by projection, its loops stay open as they are: the first
 * step closes them. */
static void start(perp_world *w) {
    perp_joint_space *s;
    perp_keyframe k;
    if (perp_world_joint_space(w, NULL, &s)) return;
    if (!perp_keyframe_get(w, 0, &k) && perp_joint_space_set_keyframe(s, w, 0) && k.nq == perp_joint_space_nq(s)) {
        (void)perp_joint_space_set(s, w, k.q, NULL, INFINITY);
        if (k.nctrl) (void)perp_world_set_ctrl(w, k.ctrl, k.nctrl);
    }
    lift(w, s);
    perp_joint_space_free(s);
}

static void drop_actuators(perp_world *w) {
    perp_actuator_id id;
    while (perp_world_actuators(w, &id, 1) > 0) (void)perp_actuator_remove(w, id);
}

static void draw(perp_world *w, perp_actuator_id *id, int n, perp_random *r) {
    for (int i = 0; i < n; i++) {
        perp_actuator_def d;
        if (perp_actuator_get(w, id[i], &d)) continue;
        bool range = isfinite(d.ctrl_lo) && isfinite(d.ctrl_hi);
        (void)perp_actuator_set_ctrl(w, id[i], perp_random_between(r, range ? d.ctrl_lo : -1, range ? d.ctrl_hi : 1));
    }
}

/* Largest residual as a part of the speeds, which are at least what gravity adds in a step, as perp run has it. */
static double law_of(const perp_step_residual *l, double fall) {
    double most = fmax(fmax(fmax(l->momentum, l->joint), fmax(l->normal, l->cone)), l->dissipation);
    return most > 0 ? most / fmax(fmax(l->scale, fall), DBL_MIN) : 0;
}

/* False: the verdict is poor. */
static bool tell(const char *way, const simulate_result *r, uint64_t asked, double before) {
    verdict v;
    judge(r, &v);
    printf("%-6s %-7s %llu/%llu joints %.2g overlap %.2g/%.2g laws %.2g %.1fs", way, r->failed ? "failed" : v.word,
           (unsigned long long)r->steps, (unsigned long long)asked, r->total.joint_error, r->total.overlap, before,
           r->law, r->seconds);
    if (r->failed) printf(" %s", r->why.text);
    const struct {
        const char *name, *word, *text;
    } all[] = {{"laws", v.laws_word, v.laws},       {"overlap", v.overlap_word, v.overlap},
               {"joints", v.joints_word, v.joints}, {"energy", v.energy_word, v.energy},
               {"creep", v.creep_word, v.creep},    {"twist", v.twist_word, v.twist}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].word && strcmp(all[i].word, "good") != 0)
            printf("; %s %s: %s", all[i].name, all[i].word, all[i].text);
    printf("\n");
    return strcmp(v.word, "poor") != 0;
}

static int run(const char *file, double duration, const char *way) {
    perp_scene *s;
    perp_refusal why;
    if (perp_scene_open(file, NULL, &s, &why)) {
        (void)fprintf(stderr, "%s\n", why.text);
        return 2;
    }
    perp_world *w = perp_scene_world(s);
    static simulate_result r;
    memset(&r, 0, sizeof r);
    start(w);
    if (!strcmp(way, "fall")) drop_actuators(w);
    int n = perp_world_actuators(w, NULL, 0), drawn = 0;
    perp_actuator_id *id = calloc((size_t)n + 1, sizeof *id);
    if (!id) return 2;
    (void)perp_world_actuators(w, id, n);
    perp_random random = perp_random_start(1);
    r.size = size_of_world(w);
    r.joints = perp_world_joints(w, NULL, 0);
    r.dim = 3;
    double before = perp_world_overlap(w), h = perp_world_h(w);
    double fall = h * perp_v3_norm(perp_world_get_def(w).gravity_W);
    uint64_t asked = (uint64_t)ceil(duration / h - 1e-9);
    clock_t from = clock();
    while (r.steps < asked && !r.failed) {
        perp_certificate c;
        if (!strcmp(way, "random") && perp_world_time(w) >= drawn * REDRAWN - 1e-9) {
            draw(w, id, n, &random);
            drawn++;
        }
        if (perp_world_step(w, &c)) {
            r.failed = true;
            (void)snprintf(r.why.text, sizeof r.why.text, "%s", perp_world_why(w));
            break;
        }
        r.steps++;
        perp_certificate_add(&r.total, &c);
        r.law = fmax(r.law, law_of(&c.law, fall));
    }
    r.seconds = (double)(clock() - from) / CLOCKS_PER_SEC;
    bool fine = tell(way, &r, asked, before);
    free(id);
    perp_scene_close(s);
    return r.failed || !fine ? 1 : 0;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"rest", "fall", "random"};
    double duration = argc > 2 ? strtod(argv[2], NULL) : 0;
    if (argc < 3 || !(duration > 0)) {
        (void)fprintf(stderr, "run_model: allowed: FILE DURATION [rest|fall|random]...\n");
        return 2;
    }
    int worst = 0;
    for (int i = 0; i < (argc > 3 ? argc - 3 : 3) && worst < 2; i++) {
        int code = run(argv[1], duration, argc > 3 ? argv[3 + i] : ways[i]);
        if (code > worst) worst = code;
        (void)fflush(stdout);
    }
    return worst;
}
