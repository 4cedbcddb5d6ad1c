/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_front_judge.c - the judge of the work-precision front: overlap beside perp's own measure, Coulomb's law in closed form, moments of hulls */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "front/front.h"
#include "uniform.h"

static double draw(uint64_t *seed, double half) { return scene_uniform(seed, -half, half); }

static front_pose random_pose(uint64_t *seed, double reach) {
    front_pose X = {front_v(draw(seed, reach), draw(seed, reach), draw(seed, reach)), {0}};
    double size = 0;
    for (int k = 0; k < 4; k++) X.q[k] = draw(seed, 1), size += X.q[k] * X.q[k];
    for (int k = 0; k < 4; k++) X.q[k] /= sqrt(size);
    return X;
}

static perp_vec3 vec(front_vec v) { return perp_v3(v.x[0], v.x[1], v.x[2]); }

static perp_pose pose_of(const front_pose *X) {
    return (perp_pose){.p = vec(X->p), .q = {X->q[0], X->q[1], X->q[2], X->q[3]}};
}

/* What perp says of two hulls at these poses. */
static double overlap_by_perp(const front_scene *s, const front_pose *pose) {
    perp_world_def d = perp_world_def_default(3);
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    for (int i = 0; i < 2; i++) {
        perp_vec3 point[FRONT_POINTS];
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        perp_body_id id;
        const front_hull *h = s->body[i].hull;
        for (int k = 0; k < h->npoint; k++) point[k] = vec(h->point[k]);
        perp_shape_def shape = perp_shape_polyhedron(point, h->npoint);
        b.X_WB = pose_of(&pose[i]);
        assert_int_equal(perp_body_add(w, &b, &id), PERP_OK);
        assert_int_equal(perp_shape_add(w, id, &shape, NULL), PERP_OK);
    }
    double deepest;
    assert_int_equal(perp_world_overlap_total(w, NULL, &deepest), PERP_OK);
    perp_world_destroy(w);
    return deepest;
}

static void test_overlap_of_hulls(void **state) {
    (void)state;
    uint64_t seed = 7;
    int deep = 0;
    for (int trial = 0; trial < 200; trial++) {
        front_hull hull[2] = {{.npoint = 8}, {.npoint = 10}};
        front_body body[2] = {{.kind = FRONT_HULL, .hull = &hull[0]}, {.kind = FRONT_HULL, .hull = &hull[1]}};
        front_scene s = {.n = 2, .body = body};
        front_pose pose[2] = {random_pose(&seed, 0.2), random_pose(&seed, 0.2)};
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < hull[i].npoint; k++)
                hull[i].point[k] = front_v(draw(&seed, 0.25), draw(&seed, 0.25), draw(&seed, 0.25));
            assert_true(front_hull_make(&hull[i]));
        }
        double mine = front_overlap(&s, pose), other = overlap_by_perp(&s, pose);
        assert_near(mine, other, 1e-12);
        deep += mine > 1e-3;
    }
    assert_true(deep > 50 && deep < 200);
}

static void test_overlap_of_round(void **state) {
    (void)state;
    front_hull cube = {.npoint = 8};
    for (int k = 0; k < 8; k++) cube.point[k] = front_v(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    assert_true(front_hull_make(&cube));
    assert_int_equal(cube.nface, 6);
    assert_int_equal(cube.nedge, 12);
    front_body body[2] = {{.kind = FRONT_SPHERE, .radius = 0.5}, {.kind = FRONT_BOX, .hull = &cube}};
    front_scene s = {.n = 2, .body = body, .nplane = 1, .plane = {{front_v(0, 0, 1), -3}}};
    front_pose pose[2] = {{front_v(1.3, 0, 0), {1, 0, 0, 0}}, {front_v(0, 0, 0), {1, 0, 0, 0}}};
    assert_near(front_overlap(&s, pose), 0.2, 1e-15); /* face */
    pose[0].p = front_v(1.3, 1.3, 0);
    assert_near(front_overlap(&s, pose), 0.5 - 0.3 * sqrt(2), 1e-15); /* edge */
    pose[0].p = front_v(1.2, 1.2, 1.2);
    assert_near(front_overlap(&s, pose), 0.5 - 0.2 * sqrt(3), 1e-15); /* corner */
    pose[0].p = front_v(0, 0, -2.6);
    assert_near(front_overlap(&s, pose), 0.1, 1e-15); /* half-space */
    pose[0].p = front_v(0.4, 0, 0);
    assert_near(front_overlap(&s, pose), 1.1, 1e-15); /* centre inside */
}

/* A block of 2 kg on the floor, pressed with `normal` and rubbed with f; it moves by v h. */
static double coulomb(double normal, front_vec f, front_vec v, front_law *law) {
    front_body body = {.kind = FRONT_SPHERE, .radius = 1, .mass = 2, .inertia = front_v(1e9, 1e9, 1e9)};
    front_scene s = {.n = 1, .body = &body, .mu = 0.5, .gravity = front_v(0, 0, -10)};
    const double h = 0.01;
    front_pose start = {front_v(0, 0, 1), {1, 0, 0, 0}}, end = start, before = start;
    const bool weightless = false;
    front_contact c = {
        0, -1, front_v(0, 0, 0), front_v(0, 0, 0), front_v(0, 0, 1), front_axpy(f, 1, front_v(0, 0, normal))};
    end.p = front_axpy(start.p, h, v);
    front_step step = {&before, &start, &end, h, &weightless};
    *law = front_coulomb(&s, &step, &c, 1);
    return law->residual;
}

static void test_coulomb(void **state) {
    (void)state;
    front_law law;
    front_vec none = front_v(0, 0, 0);
    assert_near(coulomb(0.2, front_v(0.05, 0.05, 0), none, &law), 0, 1e-15); /* sticks within the cone */
    assert_near(law.limit, 0.1, 1e-15);
    assert_near(coulomb(0.2, front_v(-0.1, 0, 0), front_v(3, 0, 0), &law), 0, 1e-15);  /* slides, friction against it */
    assert_near(coulomb(0.2, front_v(0.1, 0, 0), front_v(3, 0, 0), &law), 0.2, 1e-15); /* friction pushes along */
    assert_near(coulomb(0.2, front_v(-0.04, 0, 0), front_v(3, 0, 0), &law), 0.06, 1e-15); /* less than mu N */
    assert_near(coulomb(0.2, front_v(-0.15, 0, 0), front_v(3, 0, 0), &law), 0.05, 1e-15); /* more than mu N */
    assert_near(coulomb(0.2, front_v(-0.06, -0.08, 0), front_v(3e6, 0, 0), &law), hypot(0.04, 0.08), 1e-6); /* aside */
    assert_near(coulomb(0.2, none, front_v(1e-3, 0, 0), &law), 2e-3, 1e-10); /* creeps: the mass times the slip */
    assert_near(coulomb(0.2, none, none, &law), 0, 1e-15);
    assert_near(law.total, 0.2, 1e-15); /* weight times h, carried by the contact */
    assert_near(law.missing, 0, 1e-15);
    (void)coulomb(0.15, none, none, &law);
    assert_near(law.missing, 0.05, 1e-15);
}

static void test_moments(void **state) {
    (void)state;
    front_hull brick = {.npoint = 8};
    double volume, second[3][3];
    front_vec centre;
    for (int k = 0; k < 8; k++) brick.point[k] = front_v(k & 1 ? 3 : 1, k & 2 ? 1 : 0, k & 4 ? 0.5 : -0.5);
    assert_true(front_hull_make(&brick));
    front_hull_moments(&brick, &volume, &centre, second);
    assert_near(volume, 2, 1e-14);
    assert_near(front_norm(front_sub(centre, front_v(2, 0.5, 0))), 0, 1e-14);
    assert_near(second[0][0], 2 * (4 + 1 / 3.0), 1e-13);
    assert_near(second[0][1], 2 * 2 * 0.5, 1e-13);
    assert_near(second[2][2], 2 / 12.0, 1e-14);
    front_hull flat = {.npoint = 4};
    for (int k = 0; k < 4; k++) flat.point[k] = front_v(k & 1 ? 1 : 0, k & 2 ? 1 : 0, 0);
    assert_false(front_hull_make(&flat));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap_of_hulls),
        cmocka_unit_test(test_overlap_of_round),
        cmocka_unit_test(test_coulomb),
        cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
