/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mujoco.c - MODEL hold|move: runs a robot model with MuJoCo (Debian: libmujoco-dev) as its file says; see rows.h. */
#include <mujoco/mujoco.h>

#include "rows.h"

static void write_sites(const mjModel *m, const mjData *d) {
    for (int i = 0; i < m->nsite; i++) {
        const mjtNum *p = d->site_xpos + 3 * i, *R = d->site_xmat + 9 * i;
        printf("site %s %.17g %.17g %.17g %.17g %.17g %.17g\n", mj_id2name(m, mjOBJ_SITE, i), p[0], p[1], p[2], R[2],
               R[5], R[8]);
    }
    printf("at %.6f\n", d->time);
}

int main(int argc, char **argv) {
    char why[1000] = "";
    if (argc < 3) return 2;
    mjModel *m = mj_loadXML(argv[1], NULL, why, sizeof why);
    if (!m) {
        (void)fprintf(stderr, "%s\n", why);
        return 2;
    }
    mjData *d = mj_makeData(m);
    mj_resetDataKeyframe(m, d, 0);
    int steps = (int)lround(DURATION / m->opt.timestep), moves = !strcmp(argv[2], "move"), timed = 0;
    double seconds = 0;
    for (int n = 0; n < steps; n++) {
        for (int i = 0; i < m->nu; i++) d->ctrl[i] = m->key_ctrl[i] + swing(moves, i, n * m->opt.timestep);
        double from = processor();
        mj_step(m, d);
        if (2 * n >= steps) seconds += processor() - from, timed++;
        if ((n + 1) % EVERY != 0) continue;
        mj_kinematics(m, d); /* mj_step leaves the frames of the time before */
        write_sites(m, d);
    }
    printf("steps %d seconds %.9f\n", timed, seconds);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
