/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ball_scenes.h - balls of radius 1 and mass 1 on a floor, for the tests of friction that resists rotation (torsion, rolling). */
#ifndef PERP_TEST_BALL_SCENES_H
#define PERP_TEST_BALL_SCENES_H

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

#define BALL_INERTIA 0.4

static inline perp_world_def cones(double h) {
    perp_world_def d = world_def(3, h, PERP_START_PLAIN);
    d.form = PERP_FORM_CONE;
    return d;
}

static inline void add_floor(scene *s, perp_quat q) {
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    floor.X_WB.q = q;
    scene_shape(s, scene_body(s, &floor), perp_shape_halfspace(perp_v3(0, 0, 1), 0));
}

static inline void add_ball_of(scene *s, int material, perp_vec3 at, perp_vec3 v, perp_vec3 w) {
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.I_B = (perp_mat3){{{BALL_INERTIA, 0, 0}, {0, BALL_INERTIA, 0}, {0, 0, BALL_INERTIA}}};
    b.X_WB.p = at;
    b.v_W = v;
    b.w_W = w;
    perp_shape_def ball = perp_shape_sphere(1);
    ball.material = material;
    scene_shape(s, scene_body(s, &b), ball);
}

static inline void add_ball(scene *s, perp_vec3 at, perp_vec3 v, perp_vec3 w) { add_ball_of(s, 0, at, v, w); }

static inline const perp_contact *only_contact(const scene *s) {
    const perp_contact *c;
    assert_int_equal(perp_world_contacts(s->w, &c), 1);
    return c;
}

/* Three balls in a row that touch and spin, on the floor: five contacts, those of the ball in the middle without elliptic friction. */
static inline scene row_of_balls(perp_world_def d, perp_pair_law law) {
    scene s = scene_new(d);
    int hard;
    assert_int_equal(perp_pair_set_all(s.w, law), PERP_OK);
    assert_int_equal(perp_material_add(s.w, &hard), PERP_OK);
    assert_int_equal(perp_pair_set(s.w, 0, hard, (perp_pair_law){.mu = 0.3}), PERP_OK);
    add_floor(&s, perp_q_identity());
    for (int i = 0; i < 3; i++)
        add_ball_of(&s, i == 1 ? hard : 0, perp_v3(2 * i, 0, 1), perp_v3(1 - i, 0.2 * i, 0), perp_v3(1, i, 3 - 2 * i));
    return s;
}

/* All cone solvers give the same motion of the row, and the laws hold. */
static inline void assert_solvers_agree(perp_pair_law law) {
    perp_vec3 ref_v[3], ref_w[3];
    int agreed = 0;
    for (int i = -1; i < perp_solver_count(); i++) {
        const perp_solver_type *type = i < 0 ? perp_solver_find("auto") : perp_solver_at(i);
        if (!(type->takes & PERP_CONE)) continue;
        perp_world_def d = cones(0.01);
        d.solver = type->name;
        scene s = row_of_balls(d, law);
        run_figures f = run_steps(&s, 10);
        assert_below(f.residual, 1e-7);
        assert_below(f.remainder, 1e-10);
        for (int k = 0; k < 3; k++) {
            if (i < 0) {
                ref_v[k] = velocity(&s, k + 1);
                ref_w[k] = spin(&s, k + 1);
            }
            assert_near(distance(velocity(&s, k + 1), ref_v[k]), 0, 1e-6);
            assert_near(distance(spin(&s, k + 1), ref_w[k]), 0, 1e-6);
        }
        agreed++;
        scene_end(&s);
    }
    print_message("%d cone solvers agree\n", agreed - 1);
    assert_true(agreed >= 5);
}

/* What look() of assert_captured() gets as ctx. */
typedef struct seen {
    char path[64]; /* a file that it may write */
    bool done;     /* it looked at a problem */
} seen;

/* Shows problems of the row to look(), which must find one that it tests. */
static inline void assert_captured(perp_pair_law law, void (*look)(const perp_captured *c, void *ctx)) {
    seen to = {.path = "test_balls_XXXXXX"};
    int fd = mkstemp(to.path);
    assert_true(fd >= 0);
    close(fd);
    scene s = row_of_balls(cones(0.01), law);
    perp_world_set_capture(s.w, &(perp_capture){look, &to});
    run_steps(&s, 3);
    assert_true(to.done);
    unlink(to.path);
    scene_end(&s);
}

/* A world that takes a saved state continues with the same bits as the world that saved it: all impulses of contacts are part of the state. */
static inline void assert_state_continues(perp_pair_law law) {
    scene a = row_of_balls(cones(0.01), law), b = row_of_balls(cones(0.01), law);
    run_steps(&a, 4);
    size_t size = perp_world_state_size(a.w);
    void *buf = malloc(size);
    assert_int_equal(perp_world_get_state(a.w, buf, size), PERP_OK);
    assert_int_equal(perp_world_set_state(b.w, buf, size), PERP_OK);
    run_steps(&a, 4);
    run_steps(&b, 4);
    assert_true(perp_world_hash(a.w) == perp_world_hash(b.w));
    free(buf);
    scene_end(&a);
    scene_end(&b);
}

#endif
