/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_inspect.c - reading back what a world is made of: a world made again from what was read behaves the same to the
 * bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "check.h"
#include "scenes.h"
#include "thorough.h"

/* Another world with the same bodies, shapes, joints and laws (forces and motions are not read back). */
static perp_world *again(const perp_world *w) {
    perp_world_def def = perp_world_get_def(w);
    perp_world *to;
    assert_int_equal(perp_world_create(&def, &to), PERP_OK);
    perp_body_id body[SCENE_MAX], made[SCENE_MAX];
    int nb = perp_world_bodies(w, body, SCENE_MAX);
    for (int i = 0; i < nb; i++) {
        perp_body_def d;
        assert_int_equal(perp_body_get(w, body[i], &d), PERP_OK);
        assert_int_equal(perp_body_add(to, &d, &made[i]), PERP_OK);
    }
    for (int i = 1; i < perp_material_count(w); i++) assert_int_equal(perp_material_add(to, NULL), PERP_OK);
    for (int i = 0; i < perp_material_count(w); i++)
        for (int j = 0; j < perp_material_count(w); j++) {
            perp_pair_law law;
            assert_int_equal(perp_pair_get(w, i, j, &law), PERP_OK);
            assert_int_equal(perp_pair_set(to, i, j, law), PERP_OK);
        }
    perp_shape_id shape[4 * SCENE_MAX];
    int ns = perp_world_shapes(w, shape, 4 * SCENE_MAX);
    for (int i = 0; i < ns; i++) {
        perp_shape_view v;
        assert_int_equal(perp_shape_get(w, shape[i], &v), PERP_OK);
        int b = 0;
        while (b < nb && body[b].slot != v.body.slot) b++;
        assert_true(b < nb);
        assert_int_equal(perp_shape_add(to, made[b], &v.def, NULL), PERP_OK);
    }
    perp_joint_id joint[SCENE_MAX];
    int nj = perp_world_joints(w, joint, SCENE_MAX);
    for (int i = 0; i < nj; i++) {
        perp_joint_def d;
        assert_int_equal(perp_joint_get(w, joint[i], &d), PERP_OK);
        for (int k = 0; k < nb; k++) {
            if (d.a.gen && d.a.slot == body[k].slot) d.a = made[k];
            if (d.b.slot == body[k].slot) d.b = made[k];
        }
        assert_int_equal(perp_joint_add(to, &d, NULL), PERP_OK);
    }
    return to;
}

static void made_again_behaves_the_same(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (unsigned seed = 1; seed <= 20; seed++) {
            scene s = scene_random(perp_world_def_default(dim), (unsigned)seed_of(seed), scene_view_plain(), false);
            perp_world *to = again(s.w);
            for (int i = 0; i < 50; i++) {
                assert_int_equal(perp_world_step(s.w, NULL), PERP_OK);
                assert_int_equal(perp_world_step(to, NULL), PERP_OK);
            }
            assert_true(perp_world_hash(s.w) == perp_world_hash(to));
            perp_world_destroy(to);
            scene_end(&s);
        }
}

static void shapes_come_with_corners_and_faces(void **state) {
    (void)state;
    perp_world_def def = perp_world_def_default(3);
    perp_world *w;
    assert_int_equal(perp_world_create(&def, &w), PERP_OK);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.name = "thing";
    perp_body_id b;
    assert_int_equal(perp_body_add(w, &d, &b), PERP_OK);
    perp_shape_def box = perp_shape_box(1, 2, 3), ball = perp_shape_sphere(0.5);
    perp_shape_id id;
    perp_shape_view v;
    assert_int_equal(perp_shape_add(w, b, &box, &id), PERP_OK);
    assert_int_equal(perp_shape_get(w, id, &v), PERP_OK);
    assert_true(v.def.half_size.x == 1 && v.def.half_size.y == 2 && v.def.half_size.z == 3);
    assert_int_equal(v.def.npoint, 8);
    assert_int_equal(v.nface, 6);
    for (int f = 0; f < 6; f++) { /* counter-clockwise from outside: the normal points away from the middle */
        const perp_vec3 *p = v.def.points;
        const int *c = v.face + v.face_start[f];
        perp_vec3 n = perp_v3_cross(perp_v3_sub(p[c[1]], p[c[0]]), perp_v3_sub(p[c[2]], p[c[0]]));
        assert_true(perp_v3_dot(n, p[c[0]]) > 0);
    }
    assert_int_equal(perp_shape_add(w, b, &ball, &id), PERP_OK);
    assert_int_equal(perp_shape_get(w, id, &v), PERP_OK);
    assert_true(v.def.radius == 0.5 && v.nface == 0 && v.def.npoint == 0);
    assert_int_equal(perp_world_shapes(w, NULL, 0), 2);
    assert_true(perp_body_find(w, "thing").gen == b.gen && perp_body_find(w, "nothing").gen == 0);
    assert_int_equal(perp_body_remove(w, b), PERP_OK);
    assert_int_equal(perp_world_shapes(w, NULL, 0), 0);
    assert_int_equal(perp_shape_get(w, id, &v), PERP_E_ARG);
    assert_int_equal(perp_body_get(w, b, &d), PERP_E_ARG);
    assert_true(perp_body_find(w, "thing").gen == 0);
    perp_world_destroy(w);
}

static void settings_are_read_as_they_were_set(void **state) {
    (void)state;
    scene s = scene_double_pendulum(perp_world_def_default(2));
    double x;
    assert_int_equal(perp_world_set(s.w, "lemke.max_pivots", 123), PERP_OK);
    assert_int_equal(perp_world_get(s.w, "lemke.max_pivots", &x), PERP_OK);
    assert_true(x == 123);
    assert_int_equal(perp_world_get(s.w, "enumerate.max_n", &x), PERP_OK); /* a fallback must not take minutes */
    assert_true(x == 12);
    assert_int_equal(perp_world_set(s.w, "enumerate.max_n", 20), PERP_OK);
    assert_int_equal(perp_world_get(s.w, "lemke.no_such", &x), PERP_E_NAME);
    assert_int_equal(perp_world_get(s.w, "nobody.max_pivots", &x), PERP_E_NAME);
    assert_int_equal(perp_world_get(s.w, "lemke", &x), PERP_E_NAME);
    assert_int_equal(perp_world_joints(s.w, NULL, 0), 2);
    assert_int_equal(perp_world_force_count(s.w), 0);
    assert_true(perp_world_h(s.w) == 0.001);
    scene_end(&s);
}

static void stages_take_time(void **state) {
    (void)state;
    scene s = scene_tower(perp_world_def_default(3), 10, 0, 0.5);
    double before[PERP_STAGE_COUNT], after[PERP_STAGE_COUNT];
    perp_world_timing(s.w, before);
    run_steps(&s, 20);
    perp_world_timing(s.w, after);
    for (int i = 0; i < PERP_STAGE_COUNT; i++) {
        assert_true(before[i] == 0 && after[i] > 0);
        assert_true(strlen(perp_stage_name((perp_stage)i)) > 3);
    }
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_again_behaves_the_same),
        cmocka_unit_test(shapes_come_with_corners_and_faces),
        cmocka_unit_test(settings_are_read_as_they_were_set),
        cmocka_unit_test(stages_take_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
