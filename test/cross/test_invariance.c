/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Moving, turning, mirroring or renumbering a scene moves, turns, mirrors or renumbers its motion, and nothing else; a
 * planar scene does the same in a 3D world. A scene is left once a step of it is proven to have several solutions with
 * different velocities, or to magnify rounding: which of them is found may then depend on rounding. (Most such steps agree
 * all the same, since lemke shares loads.) */
#include "thorough.h"
#include "unique.h"

#define SCENES long_run(thorough() ? 200 : 20)
#define STEPS  40

static perp_vec3 mirrored(perp_vec3 v, bool mirror) { return mirror ? perp_v3(-v.x, v.y, v.z) : v; }

/* Largest difference of positions and velocities between a scene and the same seen otherwise. */
static double difference(const scene *a, const scene *b, const scene_view *view) {
    double most = 0;
    for (int i = 0; i < a->nbody; i++) {
        perp_vec3 p = perp_pose_apply(view->X, mirrored(position(a, i), view->mirror));
        perp_vec3 v = perp_q_rotate(view->X.q, mirrored(velocity(a, i), view->mirror));
        most = fmax(most, fmax(distance(p, position(b, i)), distance(v, velocity(b, i))));
    }
    return most;
}

/* Did the world, whose answer was accepted, end with another velocity than this answer to its last problem? Then there
 * are several. */
static bool other_velocity(const scene *s, const perp_step_problem *p, const double *ref) {
    perp_body_id body[64];
    int n = perp_world_bodies(s->w, body, 64), at = 0;
    for (int i = 0; i < n; i++) {
        perp_body_def d;
        if (perp_body_get(s->w, body[i], &d) || d.kind != PERP_BODY_DYNAMIC) continue;
        const double lin[3] = {d.v_W.x, d.v_W.y, d.v_W.z};
        for (int c = 0; c < p->dim; c++)
            if (fabs(lin[c] - ref[at + c]) > 1e-8) return true;
        at += p->dim == 2 ? (d.particle ? 2 : 3) : (d.particle ? 3 : 6);
    }
    return false;
}

/* Has the last step of this scene several velocities, or one that rounding decides? */
static bool ambiguous(const scene *s) {
    const perp_step_problem *p = perp_world_problem(s->w);
    double ref[64];
    if (p->ncontact == 0) return false;
    if (!solve_apart(p, "lemke", PERP_LCP, 1 << 20, -1, ref)) return true; /* not even to 1e-10 */
    return other_velocity(s, p, ref) || several_velocities(p, ref) || fragile(p, ref);
}

/* The same of a step over h from the state that s is in, part by part if it is divided: a part's problem is seen only
 * while it is the last. */
static bool ambiguous_step(scene *s, double h) {
    scene again = *s;
    assert_int_equal(perp_world_clone(s->w, &again.w), PERP_OK);
    perp_certificate c;
    assert_int_equal(perp_world_set_h(s->w, h), PERP_OK);
    bool several = perp_world_step(s->w, &c) != PERP_OK;
    if (c.substeps == 1)
        several |= ambiguous(s);
    else
        several |= ambiguous_step(&again, h / 2) || ambiguous_step(&again, h / 2);
    perp_world_destroy(again.w);
    return several;
}

/* How a scene is made: it can be made again. */
typedef struct recipe {
    perp_world_def d;
    unsigned seed;
    scene_view view;
    bool flat;
} recipe;

static scene make(const recipe *r) { return scene_random(r->d, r->seed, r->view, r->flat); }

/* Is the step after `steps` of this scene ambiguous? */
static bool ambiguous_after(const recipe *r, int steps) {
    scene s = make(r);
    run_steps(&s, steps);
    bool several = ambiguous_step(&s, r->d.h);
    scene_end(&s);
    return several;
}

typedef struct outcome {
    double most; /* largest difference while the motion was unique */
    unsigned worst;
    int left; /* scenes left because they were not */
} outcome;

/* Runs two scenes side by side. If they diverge, checks whether the solution of a step at which their difference jumped has several
 * velocities. */
static void side_by_side(const recipe *ra, const recipe *rb, double limit, outcome *o) {
    scene a = make(ra), b = make(rb);
    int jump[STEPS], njump = 0;
    double before = 0;
    for (int i = 0; i < STEPS; i++) {
        run_steps(&a, 1);
        run_steps(&b, 1);
        double e = difference(&a, &b, &rb->view);
        if (e > 1e-11 && e > 3 * before) jump[njump++] = i;
        before = e;
        bool several = false;
        for (int k = 0; e > limit && !several && k < njump; k++)
            several = ambiguous_after(ra, jump[k]) || ambiguous_after(rb, jump[k]);
        if (several) {
            o->left++;
            break;
        }
        if (!(e <= o->most)) {
            o->most = e;
            o->worst = ra->seed;
        }
    }
    scene_end(&a);
    scene_end(&b);
}

static void report(const char *what, int dim, outcome o, double limit) {
    print_message(
        "%dD, %s: largest difference %.2e (scene %u); %d of %d scenes left after a step with several solutions\n", dim,
        what, o.most, o.worst, o.left, SCENES);
    assert_below(o.most, limit);
    assert_true(o.left <= SCENES / 20);
}

static void see(int dim, const char *what, scene_view view) {
    outcome o = {0};
    for (unsigned seed = 0; seed < (unsigned)SCENES; seed++) {
        recipe a = {world_def(dim, 5e-3, PERP_START_PLAIN), (unsigned)seed_of(seed), scene_view_plain(), false}, b;
        a.d.form = PERP_FORM_LCP; /* pyramids, whose solutions lemke can tell apart */
        b = a;
        b.view = view;
        side_by_side(&a, &b, 1e-8, &o);
    }
    report(what, dim, o, 1e-8);
}

static void views(int dim) {
    scene_view v = scene_view_plain();
    v.X.p = dim == 2 ? perp_v3(3, -5, 0) : perp_v3(3, -5, 2);
    see(dim, "translated", v);
    v = scene_view_plain();
    v.X.q = perp_q_axis_angle(dim == 2 ? perp_v3(0, 0, 1) : perp_v3(1, 2, -1), 0.7);
    see(dim, "rotated", v);
    v = scene_view_plain();
    v.mirror = true;
    see(dim, "mirrored", v);
    v = scene_view_plain();
    v.reversed = true;
    see(dim, "renumbered", v);
}

static void planar(void **state) {
    (void)state;
    views(2);
}

static void spatial(void **state) {
    (void)state;
    views(3);
}

static void planar_in_space(void **state) {
    (void)state;
    outcome o = {0};
    scene_view plain = scene_view_plain();
    for (unsigned seed = 0; seed < (unsigned)SCENES; seed++) {
        unsigned own = (unsigned)seed_of(seed);
        recipe a = {world_def(2, 5e-3, PERP_START_PLAIN), own, plain, false};
        a.d.contact_model = "one-plane"; /* of "peg" see test_peg_invariance.c */
        /* directions fixed in the plane: those along the slip would turn with the least motion out of it where slip is
         * slow */
        recipe b = {world_def(3, 5e-3, PERP_START_PLAIN), own, plain, true};
        b.d.form = PERP_FORM_LCP;
        b.d.contact_model = "one-plane";
        b.d.friction_frame = PERP_FRICTION_FIXED;
        side_by_side(&a, &b, 1e-9, &o);
    }
    report("planar scenes in 3D", 3, o, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(planar), cmocka_unit_test(spatial),
                                       cmocka_unit_test(planar_in_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
