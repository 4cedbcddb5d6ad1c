/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* arm.c - a world made in C is recorded, resumed and viewed: an arm of two links swings from the horizontal.
 *
 * Expect: arm.h5 with 2 s of frames, the same bits as without the interruption at 1 s. An argument is a command that shows it:
 *     ./arm "perp view arm.h5"      or      ./arm "perp view --export arm.html arm.h5" */
#include "perp/perp.h"
#include <stdio.h>
#include <stdlib.h>

static perp_refusal why;

static void must(perp_status s, const char *text) {
    if (s) fprintf(stderr, "%s\n", text), exit(1);
}

static perp_world *make_arm(void) {
    perp_world_def wd = perp_world_def_default(2);
    perp_world *w;
    must(perp_world_create(&wd, &w), "no world");
    perp_joint_def jd = perp_joint_def_default(PERP_JOINT_REVOLUTE); /* jd.a is {0} at first: the world */
    for (int i = 0; i < 2; i++, jd.a = jd.b) {
        perp_shape_def bar = perp_shape_box(0.5, 0.05, 0);
        perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        bd.name = i ? "forearm" : "arm", bd.X_WB = perp_pose_2d(0.5 + i, 0, 0);
        must(perp_body_def_mass(&bd, &bar, 2, 70), "no mass");
        must(perp_body_add(w, &bd, &jd.b), perp_world_why(w));
        must(perp_shape_add(w, jd.b, &bar, NULL), perp_world_why(w));
        jd.X_AJ = perp_pose_2d(i ? 0.5 : 0, 0, 0), jd.X_BJ = perp_pose_2d(-0.5, 0, 0);
        must(perp_joint_add(w, &jd, NULL), perp_world_why(w));
    }
    return w;
}

static void run(perp_world *w, double until, bool resume) {
    perp_recorder *r;
    if (!resume) must(perp_recorder_create_world("arm.h5", w, NULL, &r, &why), why.text);
    if (resume) must(perp_recorder_resume_world("arm.h5", w, &r, &why), why.text); /* w gets the last recorded state */
    for (perp_certificate c; perp_world_time(w) < until; must(perp_recorder_step(r, &c, &why), why.text))
        must(perp_world_step(w, &c), perp_world_why(w));
    must(perp_recorder_close(r, resume, &why), why.text); /* true: finished; false: to be resumed */
    perp_world_destroy(w);
}

int main(int argc, char **argv) {
    remove("arm.h5");
    run(make_arm(), 1, false);
    run(make_arm(), 2, true); /* as another run of this program would */
    puts("view it: perp view arm.h5");
    return argc > 1 && system(argv[1]) != 0;
}
