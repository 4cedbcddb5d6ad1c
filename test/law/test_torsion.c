/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_torsion.c - elliptic and torsional friction: Berard (3.82)-(3.83) with the quadratic cone
 *     p_f in (p_t/e_t)^2 + (p_o/e_o)^2 + (p_r/e_r)^2 <= (mu p_n)^2, of all points the one that dissipates most.
 * Closed forms: a ball that spins about the normal of its contact loses mu e_r m g/I of its spin each second, whatever
 * the step, and stops. Where a contact slips, p = -mu p_n (e^2 s)/|e s|. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "law/ball_scenes.h"
#include "perp/problem_file.h"

static const double g = 9.81;
static const perp_pair_law spins = {.mu = 0.4, .e_t = 1, .e_o = 0.8, .e_r = 0.2};

static scene with_floor(perp_world_def d, perp_pair_law law, double turn) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, law), PERP_OK);
    add_floor(&s, (perp_quat){cos(turn / 2), 0, 0, sin(turn / 2)});
    return s;
}

/* Exact at every step, to rest, and at rest for ever; the account of energy closes. Both steppers. */
static void spins_down(void **state) {
    (void)state;
    const double mu = 0.2, e_r = 0.3, h = 0.05, slower = mu * e_r * g / 0.4;
    const char *const stepper[] = {"stewart-trinkle", "anitescu-potra"};
    for (int k = 0; k < 2; k++) {
        perp_world_def d = cones(h);
        d.stepper = stepper[k];
        scene s = with_floor(d, (perp_pair_law){.mu = mu, .e_r = e_r}, 0);
        add_ball(&s, perp_v3(0, 0, 1), perp_v3(0, 0, 0), perp_v3(0, 0, 10));
        int stops = (int)ceil(10 / slower / h); /* the step in which it does */
        for (int i = 1; i <= stops + 5; i++) {
            perp_certificate c;
            assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
            assert_near(spin(&s, 1).z, fmax(0, 10 - slower * h * i), 1e-9);
            assert_near(c.ledger.remainder, 0, 1e-11);
            assert_near(c.ledger.friction, c.ledger.kinetic_after - c.ledger.kinetic_before, 1e-8);
            const perp_contact *p = only_contact(&s);
            if (i < stops) assert_near(p->spin_impulse, (p->n_W.z > 0 ? -1 : 1) * mu * e_r * p->impulse_C[0], 1e-9);
            assert_int_equal(p->state, i < stops ? PERP_CONTACT_SLIDING : PERP_CONTACT_STICKING);
            assert_near(p->impulse_C[0], g * h, 1e-9);
        }
        assert_near(distance(position(&s, 1), perp_v3(0, 0, 1)), 0, 1e-9);
        scene_end(&s);
    }
}

/* Slip of the contact at the end of the last step, along t and o, and the spin about n, all of B relative to A. */
static void slip_of(const scene *s, const perp_contact *c, double out[3]) {
    double sign = c->n_W.z > 0 ? 1 : -1;      /* B is the body, or the floor */
    perp_vec3 r = {0, 0, -1}, w = spin(s, 1); /* of a ball the lever is the same before and after */
    perp_vec3 v = perp_v3_scale(sign, perp_v3_add(velocity(s, 1), perp_v3_cross(w, r)));
    out[0] = perp_v3_dot(v, c->t_W);
    out[1] = perp_v3_dot(v, c->o_W);
    out[2] = sign * perp_v3_dot(w, c->n_W);
}

/* p = -mu p_n e^2 s/|e s| while it slips: straight from the law, step by step, for several ellipses and slips. */
static void law_of_slip(void **state) {
    (void)state;
    static const double e[][3] = {{1, 1, 0.3}, {1, 0.5, 0}, {0.4, 1.2, 0.7}, {2, 1, 0.05}};
    for (int k = 0; k < 4; k++)
        for (int turn = 0; turn < 3; turn++) {
            const double mu = 0.3, h = 0.01;
            perp_pair_law law = {.mu = mu, .e_t = e[k][0], .e_o = e[k][1], .e_r = e[k][2]};
            scene s = with_floor(cones(h), law, 0.7 * turn);
            add_ball(&s, perp_v3(0, 0, 1), perp_v3(3, 1, 0), perp_v3(0.5, -0.3, 8));
            for (int i = 0; i < 20; i++) {
                run_steps(&s, 1);
                const perp_contact *c = only_contact(&s);
                double slip[3], p[3] = {c->impulse_C[1], c->impulse_C[2], c->spin_impulse}, sigma = 0;
                slip_of(&s, c, slip);
                for (int a = 0; a < 3; a++) sigma += e[k][a] * e[k][a] * slip[a] * slip[a];
                sigma = sqrt(sigma);
                assert_true(sigma > 0.1);
                for (int a = 0; a < 3; a++)
                    assert_near(p[a], -mu * c->impulse_C[0] * e[k][a] * e[k][a] * slip[a] / sigma, 1e-7 * mu * g * h);
            }
            scene_end(&s);
        }
}

/* The ellipse goes with the floor: turned with everything else, the motion is turned and nothing else. So it is if the
 * bodies are added in the other order, which swaps A and B. */
static void turns_with_the_scene(void **state) {
    (void)state;
    const perp_pair_law law = {.mu = 0.3, .e_t = 1, .e_o = 0.3, .e_r = 0.2};
    perp_vec3 end[3];
    for (int k = 0; k < 3; k++) {
        double a = k == 1 ? 1.1 : 0;
        perp_quat q = {cos(a / 2), 0, 0, sin(a / 2)};
        scene s;
        perp_vec3 v = perp_q_rotate(q, perp_v3(2, 1.5, 0)), w = perp_q_rotate(q, perp_v3(0, 1, 5));
        if (k < 2) {
            s = with_floor(cones(0.01), law, a);
            add_ball(&s, perp_v3(0, 0, 1), v, w);
        } else {
            s = scene_new(cones(0.01));
            assert_int_equal(perp_pair_set_all(s.w, law), PERP_OK);
            add_ball(&s, perp_v3(0, 0, 1), v, w);
            perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
            scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(perp_v3(0, 0, 1), 0));
        }
        run_steps(&s, 60);
        end[k] = perp_q_unrotate(q, position(&s, k < 2 ? 1 : 0));
        scene_end(&s);
    }
    assert_true(fabs(end[0].y) > 0.1);
    assert_near(distance(end[0], end[1]), 0, 1e-7);
    assert_near(distance(end[0], end[2]), 0, 1e-7);
}

/* The material that was added first has the grooves, also on a body that moves. */
static void grooves_of_the_first_material(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        scene s = scene_new(cones(0.01));
        int grooved = 0, plain;
        assert_int_equal(perp_material_add(s.w, &plain), PERP_OK);
        assert_int_equal(perp_pair_set(s.w, grooved, plain, (perp_pair_law){.mu = 0.3, .e_t = 1, .e_o = 0.2}), PERP_OK);
        perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_shape_def plane = perp_shape_halfspace(perp_v3(0, 0, 1), 0);
        plane.material = first == 0 ? grooved : plain;
        scene_shape(&s, scene_body(&s, &floor), plane);
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        perp_shape_def point = perp_shape_particle(perp_v3(0, 0, 0));
        point.material = first == 0 ? plain : grooved;
        b.particle = true;
        b.X_WB.q = (perp_quat){sqrt(0.5), 0, 0, sqrt(0.5)}; /* its x axis is the world's y */
        b.v_W = perp_v3(1, 0, 0);
        scene_shape(&s, scene_body(&s, &b), point);
        run_steps(&s, 1);
        const perp_contact *c = only_contact(&s);
        assert_near(fabs(first == 0 ? c->t_W.x : c->t_W.y), 1, 1e-12);
        assert_near(velocity(&s, 1).x, 1 - 0.3 * g * 0.01 * (first == 0 ? 1 : 0.2), 1e-9);
        scene_end(&s);
    }
}

static void refused(int dim, perp_form form, perp_pair_law law, const char *word) {
    perp_world_def d = world_def(dim, 0.01, PERP_START_PLAIN);
    d.form = form;
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, law), PERP_E_FIT);
    assert_non_null(strstr(perp_world_why(s.w), word));
    assert_int_equal(perp_pair_set(s.w, 0, 0, law), PERP_E_FIT);
    scene_end(&s);
}

static void refuses_what_it_cannot(void **state) {
    (void)state;
    refused(2, PERP_FORM_CONE, (perp_pair_law){.mu = 1, .e_r = 0.1}, "3D");
    refused(3, PERP_FORM_LCP, (perp_pair_law){.mu = 1, .e_r = 0.1}, "form cone");
    refused(3, PERP_FORM_MLCP, (perp_pair_law){.mu = 1, .e_t = 0.5}, "form cone");
    refused(3, PERP_FORM_LCP, (perp_pair_law){.mu = 1, .e_o = 0.5}, "e_o");
    scene s = scene_new(world_def(3, 0.01, PERP_START_PLAIN));
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 1, .e_t = 1, .e_o = 1}), PERP_OK);
    scene_end(&s);
}

static void solvers_agree(void **state) {
    (void)state;
    assert_solvers_agree(spins);
}

/* An island with torsion: the judge sees a wrong answer, and the problem comes back from a file as it was. */
static void look(const perp_captured *c, void *ctx) {
    seen *to = ctx;
    if (to->done || c->problem->ncontact < 5) return;
    to->done = true;
    assert_true(c->accepted);
    perp_step_solution s = *c->solution;
    double changed[8], right = perp_step_problem_residual(c->problem, &s).dissipation;
    assert_below(right, 1e-7);
    bool torsion = false;
    for (int i = 0; i < c->problem->ncontact; i++) {
        if (!(c->problem->contact[i].e_r > 0)) continue;
        torsion = true;
        memcpy(changed, s.p_spin, sizeof *changed * (size_t)c->problem->ncontact);
        changed[i] += 1e-3;
        perp_step_solution wrong = s;
        wrong.p_spin = changed;
        perp_step_residual r = perp_step_problem_residual(c->problem, &wrong);
        assert_true(r.momentum > 1e-4);
        assert_true(fmax(r.cone, r.dissipation) > 1e-6);
    }
    assert_true(torsion);
    perp_refusal why;
    assert_int_equal(perp_step_write(to->path, c->problem, &s, "torsion", &why), PERP_OK);
    perp_stored *read = NULL;
    assert_int_equal(perp_problem_read(to->path, NULL, &read, NULL, &why), PERP_OK);
    const perp_step_problem *p = perp_stored_step(read);
    assert_int_equal(p->ncontact, c->problem->ncontact);
    for (int i = 0; i < p->ncontact; i++) {
        const perp_contact_row *a = &p->contact[i], *b = &c->problem->contact[i];
        assert_true(a->e_t == b->e_t && a->e_o == b->e_o && a->e_r == b->e_r && a->b_r == b->b_r);
        if (b->e_r > 0) assert_memory_equal(&a->r, &b->r, sizeof a->r);
    }
    assert_int_equal(perp_stored_problem(read)->as.cone.dim, 4);
    perp_stored_free(read);
}

static void judged_and_stored(void **state) {
    (void)state;
    assert_captured(spins, look);
}

static void state_holds_spin(void **state) {
    (void)state;
    assert_state_continues(spins);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spins_down),
        cmocka_unit_test(law_of_slip),
        cmocka_unit_test(turns_with_the_scene),
        cmocka_unit_test(grooves_of_the_first_material),
        cmocka_unit_test(refuses_what_it_cannot),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(judged_and_stored),
        cmocka_unit_test(state_holds_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
