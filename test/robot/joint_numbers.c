/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_numbers.c - joint_numbers FILE < "q ... v ...": what perp makes of a model in joint space, for witness.mjs.
 * Prints on lines: nq nv; mass matrix by rows; bias. Without numbers nq nv only. Exit code 2: the model is refused, or it has other coordinates. */
#include <stdio.h>
#include <stdlib.h>

#include "perp/joint_space.h"
#include "perp/perp.h"
#include "perp/scene.h"

static void line(const double *x, int n) {
    for (int i = 0; i < n; i++) printf("%s%.17g", i ? " " : "", x[i]);
    printf("\n");
}

static int print_space(perp_world *w) {
    perp_joint_space *s;
    if (perp_world_joint_space(w, NULL, &s)) {
        (void)fprintf(stderr, "%s\n", perp_world_why(w));
        return 2;
    }
    int nq = perp_joint_space_nq(s), nv = perp_joint_space_nv(s), n = 0, code = 0;
    double *x = calloc((size_t)(nq + nv + 1), sizeof *x), *M = calloc((size_t)(nv * nv + 1), sizeof *M);
    while (x && n < nq + nv && scanf("%lf", &x[n]) == 1) n++;
    printf("%d %d\n", nq, nv);
    if (x && M && n == nq + nv && n > 0) {
        code = perp_joint_space_place(s, w, x, x + nq) ? 2 : 0;
        perp_joint_space_mass_matrix(s, M);
        line(M, nv * nv);
        perp_joint_space_bias(s, M);
        line(M, nv);
    } else if (n > 0) {
        code = 2;
    }
    free(x);
    free(M);
    perp_joint_space_free(s);
    return code;
}

int main(int argc, char **argv) {
    perp_scene *scene;
    perp_refusal why;
    if (argc != 2) {
        (void)fprintf(stderr, "joint_numbers: found %d arguments; allowed: FILE\n", argc - 1);
        return 2;
    }
    if (perp_scene_open(argv[1], NULL, &scene, &why)) {
        (void)fprintf(stderr, "%s\n", why.text);
        return 2;
    }
    int code = print_space(perp_scene_world(scene));
    perp_scene_close(scene);
    return code;
}
