/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tangent.c - what derivatives cost: time of a step with directions beside that of a plain step
 *
 *     tangent [REPETITIONS] [DIRECTIONS]
 *
 * One line of CSV for each scene: microseconds (processor time) of a plain step, and of steps with DIRECTIONS (3) directions by each method,
 * over it. Best of the repetitions, which take turns. Directions: a parameter, and changes of the start velocity.
 * block: three points that slide on a plane (planar-2.5d, cones), 60 steps. double-pendulum: 2D, 200 steps. box: slides on
 * four corners in space with cone friction, 60 steps. feet: the same on three feet, spinning. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "perp/perp.h"
#include "scenes.h"

/* Processor time: runs are short, and a loaded machine would be measured. */
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(const perp_world *w, perp_status st) {
    if (!st) return;
    fprintf(stderr, "tangent: %s\n", w ? perp_world_why(w) : perp_status_text(st));
    exit(1);
}

typedef struct setting {
    perp_world *w;
    perp_body_id body;
    perp_parameter parameter;
} setting;

static setting block(void) {
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.02;
    d.stepper = "planar-2.5d";
    d.form = PERP_FORM_CONE;
    d.gravity_W = perp_v3(0, 0, 0);
    setting s;
    must(NULL, perp_world_create(&d, &s.w));
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 0.5;
    b.I_B = perp_m3_diag(8e-4, 8e-4, 8e-4);
    b.v_W = perp_v3(0.3, 0.1, 0);
    b.w_W = perp_v3(0, 0, 2);
    must(s.w, perp_body_add(s.w, &b, &s.body));
    perp_support on = perp_support_circle(0.04, 1.5707963267948966, 0.33);
    must(s.w, perp_body_set_support(s.w, s.body, &on));
    perp_force_def f = perp_force_def_default(PERP_FORCE_CONSTANT);
    f.b = s.body;
    f.point_B = perp_v3(0, 0.015, 0);
    f.wrench.force = perp_v3(2, 0, 0);
    must(s.w, perp_force_add(s.w, &f, NULL));
    s.parameter = (perp_parameter){.kind = PERP_PARAMETER_SUPPORT_MU, .body = s.body, .index = -1};
    return s;
}

static setting pendulum(void) {
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.005;
    scene s = scene_double_pendulum(d);
    return (setting){s.w, s.body[1], {.kind = PERP_PARAMETER_MASS, .body = s.body[1]}};
}

static setting box(void) {
    perp_world_def d = perp_world_def_default(3);
    d.h = 0.005;
    scene s = scene_flat_slide(d, 6, 0.3);
    return (setting){s.w, s.body[1], {.kind = PERP_PARAMETER_MU, .material = {-1, -1}}};
}

static setting feet(void) {
    perp_world_def d = perp_world_def_default(3);
    d.h = 0.002;
    setting s = {.parameter = {.kind = PERP_PARAMETER_MU, .material = {-1, -1}}};
    must(NULL, perp_world_create(&d, &s.w));
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE), b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def plane = perp_shape_halfspace(perp_v3(0, 0, 1), 0), foot = perp_shape_sphere(0.01);
    perp_body_id ground;
    must(s.w, perp_body_add(s.w, &floor, &ground));
    must(s.w, perp_shape_add(s.w, ground, &plane, NULL));
    b.I_B = perp_m3_diag(4e-3, 4e-3, 7e-3);
    b.X_WB.p = perp_v3(0, 0, 0.05);
    b.v_W = perp_v3(9, 3, 0);
    b.w_W = perp_v3(0, 0, 20);
    must(s.w, perp_body_add(s.w, &b, &s.body));
    for (int k = 0; k < 3; k++) {
        foot.X_BS.p = perp_v3(0.1 * cos(2.0943951023931953 * k), 0.1 * sin(2.0943951023931953 * k), -0.04);
        must(s.w, perp_shape_add(s.w, s.body, &foot, NULL));
    }
    must(s.w, perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.3}));
    return s;
}

/* Seconds of a run; method -1: plain. *differenced: steps that the method did by differences. */
static double run(setting (*make)(void), int steps, int method, int directions, int *differenced) {
    setting s = make();
    perp_tangent *t = NULL;
    perp_tangent_def d = perp_tangent_def_default();
    d.directions = directions;
    d.method = (perp_tangent_method)(method < 0 ? 0 : method);
    if (method >= 0) {
        must(s.w, perp_world_tangent(s.w, &d, &t));
        must(s.w, perp_tangent_seed(t, s.w, 0, &s.parameter, 1));
        for (int k = 1; k < directions; k++)
            must(s.w, perp_tangent_set_velocity(t, k, s.body, perp_v3(k % 2, 1 - k % 2, 0), perp_v3(0, 0, 0)));
    }
    double start = seconds();
    for (int i = 0; i < steps; i++) must(s.w, t ? perp_tangent_step(t, s.w, NULL) : perp_world_step(s.w, NULL));
    double time = seconds() - start;
    if (t) *differenced = (int)perp_tangent_report(t).differenced;
    perp_tangent_free(t);
    perp_world_destroy(s.w);
    return time;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        setting (*make)(void);
        int steps;
    } scenes[] = {{"block", block, 60}, {"double-pendulum", pendulum, 200}, {"box", box, 60}, {"feet", feet, 60}};
    enum { SCENES = sizeof scenes / sizeof *scenes, METHODS = 4 };
    int repetitions = argc > 1 ? atoi(argv[1]) : 30, directions = argc > 2 ? atoi(argv[2]) : 3;
    printf("scene,directions,plain_us,auto,steps,runs,auto_differenced\n");
    for (int s = 0; s < SCENES; s++) {
        static const int method[METHODS] = {-1, PERP_TANGENT_AUTO, PERP_TANGENT_STEPS, PERP_TANGENT_RUNS};
        double best[METHODS] = {INFINITY, INFINITY, INFINITY, INFINITY};
        int differenced[METHODS] = {0};
        for (int r = 0; r < repetitions; r++)
            for (int m = 0; m < METHODS; m++) {
                double time = run(scenes[s].make, scenes[s].steps, method[m], directions, &differenced[m]);
                best[m] = fmin(best[m], time / scenes[s].steps);
            }
        printf("%s,%d,%.2f,%.2f,%.2f,%.2f,%d\n", scenes[s].name, directions, 1e6 * best[0], best[1] / best[0],
               best[2] / best[0], best[3] / best[0], differenced[1]);
        fflush(stdout);
    }
    return 0;
}
