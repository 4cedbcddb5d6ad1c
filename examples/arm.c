/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* arm.c - a world made in C is recorded, resumed and viewed: an arm of two links swings from the horizontal.
 *
 * Expect: arm.h5 with 2 s of frames, to the bit as without the interruption at 1 s; arm.yaml, which `perp run --view` shows
 * live; and, if the path of the program perp is given (./arm perp), the page arm.html. */
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>

static perp_refusal why;
static void must(perp_status s, const char *text) {
    if (s) fprintf(stderr, "%s: %s\n", perp_status_name(s), text), exit(1);
}

static perp_world *make_arm(void) {
    perp_world_def wd = perp_world_def_default(2);
    perp_world *w;
    must(perp_world_create(&wd, &w), "no world");
    perp_joint_def jd = perp_joint_def_default(PERP_JOINT_REVOLUTE); /* jd.a is {0} at first: the world */
    for (int i = 0; i < 2; i++, jd.a = jd.b) {
        perp_shape_def bar = perp_shape_box(0.5, 0.05, 0);
        perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        bd.X_WB = perp_pose_2d(0.5 + i, 0, 0);
        bd.name = i ? "forearm" : "arm";
        must(perp_body_def_mass(&bd, &bar, 2, 70), "no mass");
        must(perp_body_add(w, &bd, &jd.b), perp_world_why(w));
        must(perp_shape_add(w, jd.b, &bar, NULL), perp_world_why(w));
        jd.X_AJ = perp_pose_2d(i ? 0.5 : 0, 0, 0);
        jd.X_BJ = perp_pose_2d(-0.5, 0, 0);
        must(perp_joint_add(w, &jd, NULL), perp_world_why(w));
    }
    return w;
}

static void run(perp_world *w, perp_recorder *r, double until) {
    perp_certificate c;
    while (perp_world_time(w) < until) {
        must(perp_world_step(w, &c), perp_world_why(w));
        must(perp_recorder_step(r, &c, &why), why.text);
    }
    must(perp_recorder_close(r, until == 2, &why), why.text);
    perp_world_destroy(w);
}

int main(int argc, char **argv) {
    perp_recorder *r;
    remove("arm.h5"), remove("arm.yaml");
    perp_world *w = make_arm();
    must(perp_world_write_scene(w, "arm.yaml", NULL, &why), why.text); /* live: perp run --view arm.yaml */
    must(perp_recorder_create_world("arm.h5", w, NULL, &r, &why), why.text);
    run(w, r, 1);
    w = make_arm(); /* as another run of this program would */
    must(perp_recorder_resume_world("arm.h5", w, &r, &why), why.text);
    run(w, r, 2);
    char view[1024];
    snprintf(view, sizeof view, "'%s' view arm.h5 --force --export arm.html", argc > 1 ? argv[1] : "perp");
    printf("view it: perp view arm.h5\n");
    return argc > 1 && system(view) != 0;
}
