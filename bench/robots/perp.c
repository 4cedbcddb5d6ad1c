/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* perp.c - MODEL hold|move: runs a robot model with perp; see rows.h. */
#include <stdlib.h>

#include "perp/joint_space.h"
#include "perp/perp.h"
#include "perp/scene.h"
#include "rows.h"

#define MOST 64

static void write_sites(const perp_world *w, const perp_site_id *site, int n) {
    for (int i = 0; i < n; i++) {
        perp_site_def d;
        perp_pose X;
        if (perp_site_get(w, site[i], &d) || !d.name || d.model || perp_site_read(w, site[i], &X, NULL, NULL)) continue;
        perp_vec3 z = perp_q_rotate(X.q, perp_v3(0, 0, 1));
        printf("site %s %.17g %.17g %.17g %.17g %.17g %.17g\n", d.name, X.p.x, X.p.y, X.p.z, z.x, z.y, z.z);
    }
    printf("at %.6f\n", perp_world_time(w));
}

static int put_into_keyframe(perp_world *w) {
    perp_joint_space *s;
    if (perp_world_joint_space(w, NULL, &s)) return 1;
    int failed = perp_joint_space_set_keyframe(s, w, 0) != PERP_OK;
    perp_joint_space_free(s);
    return failed;
}

int main(int argc, char **argv) {
    perp_scene *s;
    perp_refusal why;
    perp_keyframe key;
    if (argc < 3) {
        (void)fprintf(stderr, "robots: allowed: MODEL hold|move\n");
        return 2;
    }
    if (perp_scene_open(argv[1], NULL, &s, &why)) {
        (void)fprintf(stderr, "%s\n", why.text);
        return 2;
    }
    perp_world *w = perp_scene_world(s);
    if (put_into_keyframe(w) || perp_keyframe_get(w, 0, &key) || key.nctrl > MOST) {
        (void)fprintf(stderr, "robots: keyframe 0: %s\n", perp_world_why(w));
        return 1;
    }
    perp_site_id site[MOST];
    int nsite = perp_world_sites(w, site, MOST), moves = !strcmp(argv[2], "move"), timed = 0;
    double seconds = 0, ctrl[MOST];
    int steps = (int)lround(DURATION / perp_world_h(w));
    for (int n = 0; n < steps; n++) {
        for (int i = 0; i < key.nctrl; i++) ctrl[i] = key.ctrl[i] + swing(moves, i, n * perp_world_h(w));
        if (perp_world_set_ctrl(w, ctrl, key.nctrl)) return 1;
        double from = processor();
        if (perp_world_step(w, NULL)) {
            (void)fprintf(stderr, "robots: %s\n", perp_world_why(w));
            return 1;
        }
        if (2 * n >= steps) seconds += processor() - from, timed++;
        if ((n + 1) % EVERY == 0) write_sites(w, site, nsite < MOST ? nsite : MOST);
    }
    printf("steps %d seconds %.9f\n", timed, seconds);
    perp_scene_close(s);
    return 0;
}
