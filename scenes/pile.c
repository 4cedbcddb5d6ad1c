/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pile.c - spheres in an open bin, on a loose lattice, to be dropped; see scenes.h */
#include <stdio.h>
#include <stdlib.h>

#include "scenes.h"
#include "uniform.h"

static void must(const perp_world *w, perp_status st) {
    if (!st) return;
    fprintf(stderr, "pile: %s\n", perp_world_why(w));
    exit(2);
}

void scene_bin(scene *s, double side, int dim) {
    perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id id = scene_body(s, &d);
    scene_shape(s, id, perp_shape_halfspace(dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1), 0));
    scene_shape(s, id, perp_shape_halfspace(perp_v3(1, 0, 0), 0));
    scene_shape(s, id, perp_shape_halfspace(perp_v3(-1, 0, 0), -side));
    if (dim == 2) return;
    scene_shape(s, id, perp_shape_halfspace(perp_v3(0, 1, 0), 0));
    scene_shape(s, id, perp_shape_halfspace(perp_v3(0, -1, 0), -side));
}

const double scene_grain_density = 6 / 3.14159265358979323846;

static perp_shape_def grain(uint64_t *rng, int dim, double boxes) {
    double r = scene_uniform(rng, 0.45, 0.5);
    if (scene_uniform(rng, 0, 1) >= boxes) return perp_shape_sphere(r);
    double x = scene_uniform(rng, 0.5, 0.7) * r, y = scene_uniform(rng, 0.5, 0.7) * r; /* its corners within the ball */
    double z = dim == 2 ? r : scene_uniform(rng, 0.4, 0.6) * r;
    return perp_shape_box(x, y, z);
}

scene scene_pile(perp_world_def def, int n, double mu, double boxes, double ratio, unsigned seed) {
    scene s = scene_new(def);
    uint64_t rng = 0x51ed27 + 7919ull * seed;
    int dim = def.dim, across = 1;
    while ((dim == 2 ? across * across : across * across * across) < n) across++;
    if (across > 2) across--; /* a little taller than wide */
    const double pitch = 1.05, side = pitch * across + 0.1;
    must(s.w, perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}));
    scene_bin(&s, side, dim);
    for (int k = 0; k < n; k++) {
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        perp_shape_def shape = grain(&rng, dim, boxes);
        must(s.w, perp_body_def_mass(&d, &shape, dim, scene_grain_density * pow(ratio, scene_uniform(&rng, 0, 1))));
        int i = k % across, j = dim == 2 ? 0 : k / across % across, up = dim == 2 ? k / across : k / across / across;
        double x = 0.05 + pitch * (i + 0.5) + scene_uniform(&rng, -0.02, 0.02);
        double y = 0.05 + pitch * (j + 0.5) + scene_uniform(&rng, -0.02, 0.02), z = 1.03 * up + 0.52;
        d.X_WB.p = dim == 2 ? perp_v3(x, z, 0) : perp_v3(x, y, z);
        double turn = scene_uniform(&rng, 0, 6);
        perp_vec3 axis =
            dim == 2 ? perp_v3(0, 0, 1) : perp_v3(scene_uniform(&rng, -1, 1), scene_uniform(&rng, -1, 1), 1);
        if (shape.kind == PERP_SHAPE_BOX) d.X_WB.q = perp_q_axis_angle(axis, turn);
        d.v_W = perp_v3(scene_uniform(&rng, -0.5, 0.5), dim == 2 ? 0 : scene_uniform(&rng, -0.5, 0.5), 0);
        scene_shape(&s, scene_body(&s, &d), shape);
    }
    return s;
}
