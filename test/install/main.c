/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* main.c - a program outside the tree that uses the installed library: a parabola is minimised, a ball falls for ten steps.
 * It is compiled through pkg-config and through find_package, as C and as C++. */
#include <perp/perp.h>
#include <stdio.h>
#include <string.h>

static bool parabola(void *ctx, int count, const double *x, double *f, double *g) {
    (void)ctx;
    (void)g;
    for (int k = 0; k < count; k++) f[k] = (x[k] - 3) * (x[k] - 3);
    return true;
}

/* The minimisers bring a library of their own with them, or not: both must link. */
static bool search(void) {
    const double lower = 0, upper = 10;
    double x = 0;
    perp_search_problem p;
    memset(&p, 0, sizeof p);
    p.n = 1;
    p.lower = &lower;
    p.upper = &upper;
    p.values = parabola;
    return perp_search(&p, NULL, &x, NULL, NULL) == PERP_OK && fabs(x - 3) < 1e-4;
}

int main(void) {
    printf("perp %s\n", perp_version());
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", PERP_VERSION_MAJOR, PERP_VERSION_MINOR, PERP_VERSION_PATCH);
    if (strcmp(version, perp_version()) != 0) return 1; /* header and library are of one version */

    if (!search()) return 7;
    perp_world_def wd = perp_world_def_default(3);
    wd.h = 0.01;
    perp_world *w = NULL;
    if (perp_world_create(&wd, &w)) return 2;
    perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
    bd.X_WB = perp_pose_at(0, 0, 1);
    perp_body_id ball;
    if (perp_body_add(w, &bd, &ball)) return 3;
    for (int k = 0; k < 10; k++)
        if (perp_world_step(w, NULL)) {
            puts(perp_world_why(w));
            return 4;
        }
    perp_vec3 v;
    if (perp_body_velocity(w, ball, &v, NULL)) return 5;
    perp_world_destroy(w);
    printf("v = (%g, %g, %g)\n", v.x, v.y, v.z);
    return fabs(v.z + 0.981) < 1e-9 ? 0 : 6; /* v = -g t, exact for every stepper */
}
