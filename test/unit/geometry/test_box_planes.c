/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The axes of two boxes find what the general search finds on the same boxes given as hulls of their corners. */
#include "unit/collision_help.h"
#include "geometry/narrow/plane.h"

typedef struct body {
    pp_geometry *box, *hull; /* the same */
    perp_vec3 v[2][8], n[2][6];
    pp_solid solid[2]; /* as box, as hull */
} body;

static pp_geometry *shape(perp_shape_def d) {
    char why[128];
    pp_geometry *g;
    assert_int_equal(pp_geometry_create(&d, 3, &plain_alloc, &g, why, sizeof why), PERP_OK);
    return g;
}

static void near(double x, double y, double within) {
    if (!(fabs(x - y) <= within)) fail_msg("%.17g, not %.17g (allowed %g)", x, y, within);
}

static void make_body(body *b, perp_vec3 half) {
    perp_vec3 corner[8];
    for (int v = 0; v < 8; v++)
        corner[v] = perp_v3(v & 4 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 1 ? half.z : -half.z);
    b->box = shape(perp_shape_box(half.x, half.y, half.z));
    b->hull = shape(perp_shape_polyhedron(corner, 8));
}

static void place(body *b, perp_pose X) {
    for (int k = 0; k < 2; k++) {
        const pp_geometry *g = k ? b->hull : b->box;
        b->solid[k] = (pp_solid){.g = g, .v = b->v[k], .n = b->n[k]};
        for (int v = 0; v < 8; v++) b->v[k][v] = perp_pose_apply(X, g->vert[v]);
        for (int f = 0; f < 6; f++) b->n[k][f] = perp_q_rotate(X.q, g->face_n[f]);
    }
}

static perp_pose somewhere(int k, double far) {
    perp_pose X = perp_pose_identity();
    X.p = perp_v3(uniform(-far, far), uniform(-far, far), uniform(-far, far));
    if (k % 3 == 0) X.q = perp_q_exp(perp_v3(uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)));
    if (k % 3 == 1) X.q = perp_q_exp(perp_v3(0, 0, uniform(-3, 3))); /* edges parallel */
    return X;
}

static void same_planes(void **state) {
    (void)state;
    int edges = 0, faces = 0;
    body A, B;
    for (int k = 0; k < 20000; k++) {
        if (k % 100 == 0) {
            make_body(&A, perp_v3(uniform(0.1, 2), uniform(0.1, 2), uniform(0.1, 2)));
            make_body(&B, perp_v3(uniform(0.1, 2), uniform(0.1, 2), uniform(0.1, 2)));
        }
        place(&A, somewhere(k, 1));
        place(&B, somewhere(k / 3, 2));
        pp_separating x = pp_separate(&A.solid[0], &B.solid[0], PP_NO_PLANE, 1e-12, INFINITY),
                      y = pp_separate(&A.solid[1], &B.solid[1], PP_NO_PLANE, 1e-12, INFINITY);
        /* the box search lets planes within a millionth of the separation tie */
        near(x.gap, y.gap, 3e-12 + 2e-6 * fabs(y.gap));
        near(pp_plane_gap(&A.solid[0], &B.solid[0], x.plane), x.gap, 1e-12);
        if (x.plane != y.plane)
            near(pp_plane_gap(&A.solid[1], &B.solid[1], x.plane), y.gap, 3e-12 + 2e-6 * fabs(y.gap));
        if (pp_plane_is_edges(x.plane))
            edges++;
        else
            faces++;
        if (k % 100 == 99) {
            pp_geometry_destroy(A.box, &plain_alloc);
            pp_geometry_destroy(A.hull, &plain_alloc);
            pp_geometry_destroy(B.box, &plain_alloc);
            pp_geometry_destroy(B.hull, &plain_alloc);
        }
    }
    assert_true(edges > 1000 && faces > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_planes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
