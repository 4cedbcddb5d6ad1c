/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_state.c - saving and loading a state, clones, hashes: a run that is resumed ends in the same bits
 * Method   Scenes with everything that has a memory: warm starts of contacts and joints, windings, motors, motions
 *          without a closed form, a staggered start. Run 220 steps (`make nightly`: 500), copy in both ways, run as many
 *          more, compare the hashes after every step. */
#include "unit/world_help.h"

#include "scenes.h"
#include "thorough.h"

static const perp_vec3 zero = {0, 0, 0};

/* Bodies that fall onto a shaken floor, a driven wheel, a chain. */
static perp_world *busy(int dim, perp_start start, perp_form form) {
    perp_world_def d = perp_world_def_default(dim);
    d.h = 2e-3;
    d.start = start;
    d.form = form;
    if (dim == 3) d.friction_directions = 4;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.4, .restitution = 0.3}));
    perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
    k.name = "shaker";
    perp_body_id floor = add_def(w, &k);
    add_shape(w, floor, perp_shape_halfspace(up(dim), 0));
    perp_sinusoid term[] = {
        {.axis = 0, .amplitude = 3, .omega = 20},
        {.axis = dim - 1, .amplitude = 2, .omega = 30, .phase = 0.5},
        {.angular = true, .axis = 2, .amplitude = 1, .omega = 25},
        {.angular = true, .axis = 0, .amplitude = 0.5, .omega = 15}}; /* the fourth makes it one without closed form */
    perp_motion_def m = perp_motion_def_default(PERP_MOTION_SINUSOID);
    m.terms = term;
    m.nterm = dim == 2 ? 3 : 4;
    OK(w, perp_body_set_motion(w, floor, &m));
    perp_body_id b[4];
    for (int i = 0; i < 4; i++) {
        b[i] = add_mass(w, 1 + 0.5 * i, 0.02 + 0.01 * i, at_height(dim, 0.5 * i, 0.4 + 0.15 * i));
        if (i % 2)
            add_shape(w, b[i], perp_shape_sphere(0.15));
        else
            add_shape(w, b[i], perp_shape_box(0.15, 0.1, 0.12));
        OK(w, perp_body_set_velocity(w, b[i], perp_v3(0.2 * i, 0, 0), perp_v3(0, 0, 3 - i)));
    }
    perp_joint_def j = perp_joint_def_default(dim == 2 ? PERP_JOINT_REVOLUTE : PERP_JOINT_UNIVERSAL);
    j.a = b[2];
    j.b = b[3];
    perp_pose A = pose_of(w, b[2]), B = pose_of(w, b[3]);
    j.X_AJ.p = perp_v3_scale(0.5, perp_v3_sub(B.p, A.p));
    j.X_BJ.p = perp_v3_neg(j.X_AJ.p);
    j.axis[0].friction = 0.02;
    j.name = "elbow";
    add_joint(w, &j);
    perp_body_id wheel = add_mass(w, 1, 0.1, at_height(dim, -3, 3));
    j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = wheel;
    j.X_AJ = at_height(dim, -3, 3);
    j.axis[0].motor = true;
    j.axis[0].motor_speed = 40; /* several turns per second: windings */
    j.axis[0].motor_force = 3;
    add_joint(w, &j);
    perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
    f.b = b[0];
    f.a = b[1];
    f.stiffness = 20;
    f.rest_length = 0.4;
    f.damping = 0.5;
    add_force(w, &f);
    f = perp_force_def_default(PERP_FORCE_SINUSOID);
    f.b = b[1];
    f.wrench.force.x = 2;
    f.omega = 7;
    add_force(w, &f);
    perp_body_id gone = add_mass(w, 1, 1, at_height(dim, 20, 20)); /* a dead slot in between */
    add_mass(w, 1, 1, at_height(dim, 30, 30));
    OK(w, perp_body_remove(w, gone));
    return w;
}

static void *saved(const perp_world *w, size_t *size) {
    *size = perp_world_state_size(w);
    void *buf = malloc(*size);
    assert_non_null(buf);
    assert_int_equal(perp_world_get_state(w, buf, *size), PERP_OK);
    return buf;
}

#ifdef PERP_TEST_SHORT
#define FEW_STEPS 50
#else
#define FEW_STEPS 220 /* the highest body lands after about 190 */
#endif

typedef struct variant {
    int dim;
    perp_start start;
    perp_form form;
} variant;

static void test_resume(void **state) {
    const variant *v = *state;
    const int steps = thorough() ? 500 : FEW_STEPS;
    perp_world *w = busy(v->dim, v->start, v->form), *other = busy(v->dim, v->start, v->form), *clone;
    run(w, steps);
    run(other, 37); /* somewhere else */
    size_t size;
    void *buf = saved(w, &size);
    assert_int_equal(perp_world_clone(w, &clone), PERP_OK);
    assert_int_equal(perp_world_hash(clone), perp_world_hash(w));
    assert_true(perp_world_hash(other) != perp_world_hash(w));
    OK(other, perp_world_set_state(other, buf, size));
    assert_int_equal(perp_world_hash(other), perp_world_hash(w));
    NEAR(perp_world_time(other), perp_world_time(w), 0);
    assert_int_equal((int)perp_world_steps(other), steps);
    size_t again_size;
    void *again = saved(other, &again_size); /* the state of the copy is the same bytes */
    assert_int_equal(again_size, size);
    assert_memory_equal(again, buf, size);
    free(again);
    perp_world *fresh = busy(v->dim, v->start, v->form); /* not even started */
    OK(fresh, perp_world_set_state(fresh, buf, size));
    for (int i = 0; i < steps; i++) {
        perp_certificate a = run(w, 1), b = run(clone, 1), c = run(other, 1), d = run(fresh, 1);
        assert_int_equal(a.iterations, b.iterations); /* warm starts are part of it */
        assert_int_equal(a.iterations, c.iterations);
        assert_int_equal(a.iterations, d.iterations);
        assert_true(memcmp(&a.ledger, &b.ledger, sizeof a.ledger) == 0);
        assert_true(memcmp(&a.ledger, &c.ledger, sizeof a.ledger) == 0);
        if (perp_world_hash(w) != perp_world_hash(clone)) fail_msg("the clone is another after %d steps", i + 1);
        if (perp_world_hash(w) != perp_world_hash(other)) fail_msg("the state set is another after %d steps", i + 1);
    }
    assert_int_equal(perp_world_hash(fresh), perp_world_hash(w));
    perp_world_destroy(fresh);
    /* and back to the middle in the same world */
    uint64_t end = perp_world_hash(w);
    OK(w, perp_world_set_state(w, buf, size));
    run(w, steps);
    assert_int_equal(perp_world_hash(w), end);
    free(buf);
    perp_world_destroy(w);
    perp_world_destroy(clone);
    perp_world_destroy(other);
}

/* Random scenes of scenes.c likewise. */
static void test_resume_random(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (unsigned seed = 1; seed <= 6; seed++) {
            perp_world_def d = perp_world_def_default(dim);
            if (dim == 3) d.friction_directions = 4;
            scene s = scene_random(d, seed, scene_view_plain(), false),
                  t = scene_random(d, seed, scene_view_plain(), false);
            for (int i = 0; i < 100; i++) OK(s.w, perp_world_step(s.w, NULL));
            size_t size;
            void *buf = saved(s.w, &size);
            perp_world *clone;
            assert_int_equal(perp_world_clone(s.w, &clone), PERP_OK);
            OK(t.w, perp_world_set_state(t.w, buf, size));
            for (int i = 0; i < 100; i++) {
                OK(s.w, perp_world_step(s.w, NULL));
                OK(t.w, perp_world_step(t.w, NULL));
                OK(clone, perp_world_step(clone, NULL));
            }
            if (perp_world_hash(s.w) != perp_world_hash(t.w) || perp_world_hash(s.w) != perp_world_hash(clone))
                fail_msg("%dD seed %u", dim, seed);
            free(buf);
            perp_world_destroy(clone);
            scene_end(&s);
            scene_end(&t);
        }
}

/* A clone shares nothing with its original but user contexts; ids, names, contacts and impulses are valid in it. */
static void test_clone(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = busy(dim, PERP_START_PLAIN, PERP_FORM_LCP), *clone;
        run(w, 300);
        assert_int_equal(perp_world_clone(w, NULL), PERP_E_ARG);
        assert_int_equal(perp_world_clone(w, &clone), PERP_OK);
        perp_body_id ids[20], clone_ids[20];
        int n = perp_world_bodies(w, ids, 20);
        assert_int_equal(perp_world_bodies(clone, clone_ids, 20), n);
        assert_memory_equal(ids, clone_ids, (size_t)n * sizeof *ids);
        assert_string_equal(perp_body_name(clone, ids[0]), "shaker");
        const perp_contact *a, *b;
        int na = perp_world_contacts(w, &a);
        assert_int_equal(perp_world_contacts(clone, &b), na);
        assert_true(na > 0);
        for (int i = 0; i < na; i++) NEAR(a[i].impulse_C[0], b[i].impulse_C[0], 0);
        perp_joint_id wheel = {1, 1};
        perp_wrench p, q;
        OK(w, perp_joint_impulse(w, wheel, &p));
        OK(clone, perp_joint_impulse(clone, wheel, &q));
        NEAR(p.force.x, q.force.x, 0);
        NEAR(perp_v3_dot(p.force, up(dim)), perp_v3_dot(q.force, up(dim)), 0);
        NEAR(coord_of(w, wheel, 0), coord_of(clone, wheel, 0), 0);
        uint64_t hash = perp_world_hash(w);
        run(clone, 10);
        OK(clone, perp_body_remove(clone, ids[2]));
        assert_int_equal(perp_world_hash(w), hash);
        assert_int_equal(perp_world_body_count(w), n);
        perp_world_destroy(w); /* the clone lives on */
        run(clone, 10);
        perp_world_destroy(clone);
    }
}

static void refused(perp_world *w, const void *buf, size_t size, const char *word) {
    uint64_t hash = perp_world_hash(w);
    perp_status st = perp_world_set_state(w, buf, size);
    if (st != PERP_E_ARG) fail_msg("%s instead of a refusal with \"%s\"", perp_status_name(st), word);
    if (!strstr(perp_world_why(w), word)) fail_msg("\"%s\" has no \"%s\"", perp_world_why(w), word);
    assert_int_equal(perp_world_hash(w), hash);
}

/* A state that is damaged, cut off, or of another world is refused, and the world continues as before. */
static void test_bad_states(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world *w = busy(dim, PERP_START_PLAIN, PERP_FORM_LCP), *calm = busy(dim, PERP_START_PLAIN, PERP_FORM_LCP);
        run(w, 200);
        run(calm, 200);
        size_t size;
        unsigned char *buf = saved(w, &size);
        assert_int_equal(perp_world_get_state(w, NULL, size), PERP_E_ARG);
        assert_int_equal(perp_world_get_state(w, buf, size - 1), PERP_E_ARG);
        refused(w, NULL, size, "header");
        refused(w, buf, 0, "header");
        for (size_t cut = 1; cut < size; cut += cut < 200 ? 1 : 97) refused(w, buf, cut, "");
        /* each byte counts: those of the header one by one, the rest, which one checksum covers, in samples */
        for (size_t i = 0; i < size; i += i < 200 ? 1 : (size_t)stride_of(31, 127)) {
            unsigned char keep = buf[i];
            buf[i] ^= (unsigned char)(1u << (i % 8));
            refused(w, buf, size, "");
            buf[i] = keep;
        }
        unsigned char *more = malloc(size + 100); /* what comes behind the state is not looked at */
        assert_non_null(more);
        memset(more, 0xee, size + 100);
        memcpy(more, buf, size);
        OK(w, perp_world_set_state(w, more, size + 100));
        free(more);
        perp_world *other = busy(5 - dim, PERP_START_PLAIN, PERP_FORM_LCP);
        size_t other_size;
        void *foreign = saved(other, &other_size);
        refused(w, foreign, other_size, "another world"); /* of the other dimension, same parts */
        free(foreign);
        perp_world_destroy(other);
        other = busy(dim, PERP_START_PLAIN, PERP_FORM_LCP);
        perp_body_id extra = add_mass(other, 1, 1, at_height(dim, 50, 50));
        foreign = saved(other, &other_size);
        refused(w, foreign, other_size, "another world"); /* one body more */
        OK(other, perp_body_remove(other, extra));
        free(foreign);
        foreign = saved(other, &other_size);
        refused(w, foreign, other_size, "another world"); /* as many bodies, another history */
        free(foreign);
        perp_world_destroy(other);
        run(w, 100);
        run(calm, 100);
        assert_int_equal(perp_world_hash(w), perp_world_hash(calm));
        free(buf);
        perp_world_destroy(w);
        perp_world_destroy(calm);
    }
}

/* A world with another kind of joint in the same place is another world. */
static void test_foreign_joint(void **state) {
    (void)state;
    perp_world *w[2];
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(3);
        w[k] = world_of(&d);
        perp_joint_def j = perp_joint_def_default(k ? PERP_JOINT_REVOLUTE : PERP_JOINT_PRISMATIC);
        j.b = add_mass(w[k], 1, 1, perp_pose_identity());
        add_joint(w[k], &j);
        run(w[k], 3);
    }
    size_t size;
    void *buf = saved(w[0], &size);
    refused(w[1], buf, size, "another world");
    free(buf);
    perp_world_destroy(w[0]);
    perp_world_destroy(w[1]);
}

/* Any change of what can be seen changes the hash. */
static void test_hash(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        perp_world *w = world_of(&d);
        uint64_t seen[20];
        int n = 0;
        seen[n++] = perp_world_hash(w);
        perp_body_id b = add_mass(w, 1, 1, perp_pose_identity());
        seen[n++] = perp_world_hash(w);
        OK(w, perp_body_set_pose(w, b, perp_pose_at(1e-15, 0, 0)));
        seen[n++] = perp_world_hash(w);
        OK(w, perp_body_set_pose(w, b, perp_pose_2d(0, 0, 1e-12)));
        seen[n++] = perp_world_hash(w);
        OK(w, perp_body_set_velocity(w, b, perp_v3(0, 1e-300, 0), zero));
        seen[n++] = perp_world_hash(w);
        OK(w, perp_body_set_velocity(w, b, zero, perp_v3(0, 0, 1e-300)));
        seen[n++] = perp_world_hash(w);
        perp_body_id c = add_mass(w, 1, 1, perp_pose_identity());
        seen[n++] = perp_world_hash(w);
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        j.b = c;
        add_joint(w, &j);
        seen[n++] = perp_world_hash(w);
        run(w, 1);
        seen[n++] = perp_world_hash(w);
        OK(w, perp_body_remove(w, b));
        seen[n++] = perp_world_hash(w);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++)
                if (seen[i] == seen[k]) fail_msg("changes %d and %d have the same hash", k, i);
        uint64_t h = perp_world_hash(w);
        perp_world_energy(w, NULL, NULL, NULL); /* looking changes nothing */
        (void)perp_world_overlap(w);
        (void)perp_world_joint_error(w);
        assert_int_equal(perp_world_hash(w), h);
        OK(w, perp_body_set_velocity(w, c, perp_v3(0.0, 0, 0), zero));
        h = perp_world_hash(w);
        OK(w, perp_body_set_velocity(w, c, perp_v3(-0.0, 0, 0), zero)); /* the same number */
        assert_int_equal(perp_world_hash(w), h);
        perp_world_destroy(w);
    }
}

int main(void) {
    static variant v[] = {{2, PERP_START_PLAIN, PERP_FORM_LCP},      {2, PERP_START_STAGGERED, PERP_FORM_LCP},
                          {2, PERP_START_STAGGERED, PERP_FORM_MLCP}, {3, PERP_START_PLAIN, PERP_FORM_LCP},
                          {3, PERP_START_STAGGERED, PERP_FORM_LCP},  {3, PERP_START_PLAIN, PERP_FORM_MLCP}};
    const struct CMUnitTest tests[] = {
        {"resume 2D", test_resume, NULL, NULL, &v[0]},
        {"resume 2D staggered", test_resume, NULL, NULL, &v[1]},
        {"resume 2D staggered mixed", test_resume, NULL, NULL, &v[2]},
        {"resume 3D", test_resume, NULL, NULL, &v[3]},
        {"resume 3D staggered", test_resume, NULL, NULL, &v[4]},
        {"resume 3D mixed", test_resume, NULL, NULL, &v[5]},
        cmocka_unit_test(test_resume_random),
        cmocka_unit_test(test_clone),
        cmocka_unit_test(test_bad_states),
        cmocka_unit_test(test_foreign_joint),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
