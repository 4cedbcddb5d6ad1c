/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Angular momentum of bodies that nothing outside holds: kept to rounding where levers are those of the start, also where peg falls back to
 * contacts at the end poses; told by the certificate where they are not */
#include "unit/world_help.h"

#include "thorough.h"

static double next(uint64_t *seed) { /* 0 to 1 */
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Thin boxes thrown at each other, so fast that they turn and pass corners within a step. No gravity. Largest twist. */
static double thrown(int dim, uint64_t seed, perp_geometry geometry, double *moved) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = 0.01;
    d.gravity_W = perp_v3(0, 0, 0);
    d.geometry = geometry;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
    enum { N = 8 };
    perp_body_id b[N];
    for (int i = 0; i < N; i++) {
        double x = cos(2 * PI * i / N), y = sin(2 * PI * i / N);
        perp_body_def body = perp_body_def_default(PERP_BODY_DYNAMIC);
        body.mass = 1 + 4 * next(&seed);
        body.I_B = dim == 2 ? perp_m3_diag(0, 0, 0.002) : perp_m3_diag(0.001, 0.002, 0.0025);
        body.X_WB = perp_pose_at(0.5 * x, 0.5 * y, 0);
        b[i] = add_def(w, &body);
        add_shape(w, b[i], perp_shape_box(0.05 + 0.07 * next(&seed), 0.01 + 0.03 * next(&seed), 0.05));
        double speed = 2 + 8 * next(&seed), turn = 40 * (next(&seed) - 0.5);
        OK(w, perp_body_set_velocity(w, b[i], perp_v3(-speed * x, -speed * y, 0),
                                     perp_v3(dim == 3 ? turn / 4 : 0, 0, turn)));
    }
    double most = 0;
    *moved = 0;
    for (int i = 0; i < 60; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        most = fmax(most, c.twist);
        *moved -= c.ledger.normal;
    }
    perp_world_destroy(w);
    return most;
}

static void kept(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (uint64_t seed = 1; seed <= (dim == 2 ? 40 : 3); seed++) {
            double moved, twist = thrown(dim, seed_of(seed), PERP_GEOMETRY_ITERATED, &moved);
            assert_true(moved > 1); /* they met */
            if (twist > 1e-9) fail_msg("%dD, seed %d: twist %g", dim, (int)seed, twist);
        }
}

/* With contacts at the end poses two bodies that meet have h (v_A - v_B) x P left. */
static void told(void **state) {
    (void)state;
    double most = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double moved;
        most = fmax(most, thrown(2, seed, PERP_GEOMETRY_END, &moved));
    }
    assert_true(most > 1e-4 && most <= 1);
}

/* Two discs that a spring connects meet off their centres without friction, in the stepper `implicit`, whose contacts act at the end poses:
 * h (v_A - v_B) x P is left, and told; in flight the spring leaves nothing. Angular momentum is computed here from poses and velocities. */
static void told_with_springs(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.01;
    d.gravity_W = perp_v3(0, -9.81, 0);
    d.stepper = "implicit";
    perp_world *w = world_of(&d);
    const double mass[2] = {1, 2}, radius = 0.1;
    perp_body_id b[2];
    for (int i = 0; i < 2; i++) {
        perp_body_def body = perp_body_def_default(PERP_BODY_DYNAMIC);
        body.mass = mass[i];
        body.I_B = perp_m3_diag(0, 0, 0.5 * mass[i] * radius * radius);
        body.X_WB = perp_pose_at(i * 0.32, i * 0.1, 0);
        b[i] = add_def(w, &body);
        add_shape(w, b[i], perp_shape_sphere(radius));
    }
    OK(w, perp_body_set_velocity(w, b[0], perp_v3(2, 0, 0), perp_v3(0, 0, 0)));
    perp_force_def spring = perp_force_def_default(PERP_FORCE_SPRING);
    spring.a = b[0];
    spring.b = b[1];
    spring.stiffness = 50;
    spring.rest_length = 0.3;
    perp_force_id f;
    OK(w, perp_force_add(w, &spring, &f));
    double most = 0, fallen = 0;
    for (int i = 0; i < 30; i++) {
        perp_vec3 L[2];
        double scale = 0;
        perp_certificate c = {0};
        for (int e = 0; e < 2; e++) {
            perp_vec3 x[2], v[2], turn[2];
            for (int k = 0; k < 2; k++) {
                x[k] = pose_of(w, b[k]).p;
                OK(w, perp_body_velocity(w, b[k], &v[k], &turn[k]));
            }
            /* about the common centre: the reduced mass, and the spins */
            double m = mass[0] * mass[1] / (mass[0] + mass[1]);
            perp_vec3 r = perp_v3_sub(x[1], x[0]), u = perp_v3_sub(v[1], v[0]);
            L[e] = perp_v3_scale(m, perp_v3_cross(r, u));
            for (int k = 0; k < 2; k++)
                L[e] = perp_v3_axpy(L[e], 0.5 * mass[k] * radius * radius, perp_v3(0, 0, turn[k].z));
            scale += m * perp_v3_norm(r) * perp_v3_norm(u);
            if (e == 0) OK(w, perp_world_step(w, &c));
        }
        double left = perp_v3_norm(perp_v3_sub(L[1], L[0]));
        if (c.contacts - c.separating > 0) {
            NEAR(c.twist, left / (scale + left), 1e-9);
            most = fmax(most, c.twist);
        } else {
            BELOW(c.twist, 1e-12);
            BELOW(left, 1e-12 * scale);
            fallen++;
        }
    }
    assert_true(fallen > 2);
    assert_true(most > 1e-3); /* they met */
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept), cmocka_unit_test(told),
                                       cmocka_unit_test(told_with_springs)};
    return cmocka_run_group_tests_name("twist", tests, NULL, NULL);
}
