/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Every dimension, stepper, contact model and form that go together step random scenes: bodies of all shapes, some on
 * top of each other, mass ratios up to 1e6, joints with limits and motors, driven bodies, all material laws. Allowed outcomes: a step
 * succeeds, or fails with a status and a sentence and leaves the world unchanged. States are
 * finite. Each scene runs twice, in memory that is filled with zeros and with 0xFE: equal bits show that nothing is read
 * before it is written. The sanitizer builds look for the rest.
 *
 * PERP_TEST_SEED=NUMBER takes fresh scenes; PERP_TEST_ROUNDS=NUMBER takes more of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "thorough.h"

enum {
    STEPS = 5,
    MOST_BODIES = 6,
#ifdef PERP_TEST_SHORT
    ROUNDS = 2, /* scenes for each combination; half of them in `make test`: 10 s with sanitizers */
#else
    ROUNDS = 10, /* 22 s */
#endif
    ENOUGH_ROUNDS = 8 /* in which every combination takes some step */
};

/* ---- memory with known contents ---- */

static void *filled_alloc(size_t size, void *ctx) {
    void *p = malloc(size);
    if (p) memset(p, *(const int *)ctx, size);
    return p;
}

static void filled_free(void *p, void *ctx) {
    (void)ctx;
    free(p);
}

/* ---- a random scene ---- */

static double some(perp_random *r, double a, double b) { return perp_random_between(r, a, b); }
static int pick(perp_random *r, int n) { return (int)(perp_random_next(r) % (uint64_t)n); }

static perp_vec3 vector(perp_random *r, int dim, double size) {
    double x = some(r, -size, size), y = some(r, -size, size), z = some(r, -size, size);
    return perp_v3(x, y, dim == 3 ? z : 0);
}

/* A shape about 0.2 large. */
static perp_shape_def shape(perp_random *r, int dim, perp_vec3 points[32]) {
    double a = some(r, 0.05, 0.2), b = some(r, 0.05, 0.2), c = some(r, 0.05, 0.2);
    static const perp_function ball[] = {{.kind = PERP_FUNCTION_SPHERE, .radius = 0.2},
                                         {.kind = PERP_FUNCTION_HALFSPACE, .normal = {0, 1, 0}, .offset = 0.1}};
    switch (pick(r, 9)) {
    case 0: return perp_shape_sphere(a);
    case 1: return perp_shape_capsule(a, b);
    case 2: return perp_shape_ellipsoid(a, b, c);
    case 3: return perp_shape_superellipsoid(a, b, c, some(r, 2, 6), some(r, 2, 6));
    case 4: return dim == 3 ? perp_shape_cylinder(a, b) : perp_shape_ellipsoid(a, b, c);
    case 5: return perp_shape_particle(perp_v3(0, 0, 0));
    case 6: return perp_shape_intersection(ball, 2, 0.25);
    case 7:
        if (dim == 2) return perp_shape_polygon(points, perp_points_regular(3 + pick(r, 4), a, points, 32));
        return perp_shape_polyhedron(points, perp_points_platonic(PERP_TETRAHEDRON, a, points, 32));
    default: return perp_shape_box(a, b, c);
    }
}

static perp_pair_law law(perp_random *r, int dim) {
    perp_pair_law l = {.mu = pick(r, 3) ? some(r, 0, 1.5) : 0, .restitution = pick(r, 3) ? 0 : some(r, 0, 1)};
    if (dim == 3 && !pick(r, 4)) {
        l.e_r = 0.01;
        l.e_roll = pick(r, 2) ? 0.02 : 0;
    }
    if (pick(r, 3) == 0) {
        l.compliance = (perp_compliance)(1 + pick(r, 3));
        l.stiffness = some(r, 1e3, 1e6);
        l.damping = some(r, 0, 100);
        l.stiffness_t = pick(r, 2) ? some(r, 1e3, 1e5) : 0;
        l.damping_t = l.stiffness_t > 0 ? 1 : 0;
        l.layer = pick(r, 2) ? 0.01 : 0;
        l.restitution = 0;
    }
    return l;
}

static perp_body_id body(perp_world *w, perp_random *r, int dim, int number) {
    perp_vec3 points[32];
    static const perp_body_kind kinds[] = {PERP_BODY_DYNAMIC, PERP_BODY_DYNAMIC,   PERP_BODY_DYNAMIC,
                                           PERP_BODY_DYNAMIC, PERP_BODY_KINEMATIC, PERP_BODY_OBSTACLE};
    perp_body_def d = perp_body_def_default(kinds[pick(r, 6)]);
    perp_shape_def s = shape(r, dim, points);
    d.mass = pow(10, some(r, -3, 3));
    d.I_B = perp_m3_diag(0.01 * d.mass, 0.02 * d.mass, 0.015 * d.mass);
    /* every fifth body lies where another one is */
    d.X_WB.p = pick(r, 5) ? vector(r, dim, 0.4) : perp_v3(0, 0, 0);
    *(dim == 2 ? &d.X_WB.p.y : &d.X_WB.p.z) += 0.15 + 0.2 * number;
    perp_vec3 turn = vector(r, 3, 2);
    if (pick(r, 2)) d.X_WB.q = perp_q_exp(dim == 3 ? turn : perp_v3(0, 0, turn.z));
    d.v_W = vector(r, dim, 3);
    d.w_W = dim == 3 ? vector(r, 3, 10) : perp_v3(0, 0, some(r, -10, 10));
    char name[16];
    (void)snprintf(name, sizeof name, "b%d", number);
    d.name = pick(r, 2) ? name : NULL;
    perp_body_id id = {0};
    if (d.kind == PERP_BODY_OBSTACLE) d.v_W = d.w_W = perp_v3(0, 0, 0);
    if (!perp_body_add(w, &d, &id)) (void)perp_shape_add(w, id, &s, NULL);
    if (d.kind == PERP_BODY_KINEMATIC) {
        perp_motion_def m = perp_motion_def_default(PERP_MOTION_CONSTANT);
        m.v_W = d.v_W;
        m.w_W = d.w_W;
        (void)perp_body_set_motion(w, id, &m);
    }
    return id;
}

static void joint(perp_world *w, perp_random *r, perp_body_id a, perp_body_id b) {
    perp_joint_def d = perp_joint_def_default((perp_joint_kind)pick(r, PERP_JOINT_COUPLING));
    perp_pose A = {.q = {1, 0, 0, 0}}, B = A;
    if (a.gen) (void)perp_body_pose(w, a, &A);
    if (perp_body_pose(w, b, &B)) return;
    d.a = a;
    d.b = b;
    d.X_AJ = perp_pose_mul(perp_pose_inverse(A), B); /* the joint is closed */
    d.axis[0].limited = pick(r, 2);
    d.axis[0].lo = -some(r, 0, 0.1);
    d.axis[0].hi = some(r, 0, 0.1);
    d.axis[0].motor = pick(r, 2);
    d.axis[0].motor_speed = some(r, -3, 3);
    d.axis[0].motor_force = pick(r, 2) ? INFINITY : some(r, 0, 10);
    (void)perp_joint_add(w, &d, NULL); /* some do not go together: refused, which is fine */
}

/* NULL: refused, with a reason. */
static perp_world *random_world(const perp_combination *c, uint64_t seed, perp_allocator alloc) {
    perp_random r = perp_random_start(seed);
    perp_world_def d = world_def(c->dim, pow(10, some(&r, -3.5, -1.5)), PERP_START_PLAIN);
    d.stepper = c->stepper;
    d.contact_model = c->contact_model;
    d.form = c->form;
    d.max_halvings = 2; /* what is looked for shows in whole steps */
    if (!pick(&r, 4)) d.geometry = (perp_geometry)pick(&r, 3);
    if (!pick(&r, 4)) d.start = PERP_START_STAGGERED;
    d.alloc = alloc;
    perp_world *w;
    char why[256] = "";
    if (perp_world_create_why(&d, &w, why, sizeof why)) {
        assert_true(strlen(why) > 10);
        return NULL;
    }
    (void)perp_pair_set_all(w, law(&r, c->dim)); /* refused: rigid without friction stays */
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_shape_def plane = perp_shape_halfspace(c->dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1), 0);
    perp_body_id id[MOST_BODIES + 1] = {{0}};
    assert_int_equal(perp_body_add(w, &floor, &id[0]), PERP_OK);
    assert_int_equal(perp_shape_add(w, id[0], &plane, NULL), PERP_OK);
    int n = 2 + pick(&r, MOST_BODIES - 1);
    for (int i = 1; i <= n; i++) id[i] = body(w, &r, c->dim, i);
    for (int k = pick(&r, 3); k > 0; k--) {
        int b = 1 + pick(&r, n), a = pick(&r, n + 1);
        if (a != b) joint(w, &r, a ? id[a] : (perp_body_id){0}, id[b]);
    }
    return w;
}

/* ---- a run ---- */

static bool finite_state(const perp_world *w) {
    perp_body_id id[MOST_BODIES + 1];
    int n = perp_world_bodies(w, id, MOST_BODIES + 1);
    for (int i = 0; i < n; i++) {
        perp_pose X;
        perp_vec3 v, s;
        if (perp_body_pose(w, id[i], &X) || perp_body_velocity(w, id[i], &v, &s)) return false;
        if (!perp_v3_finite(X.p) || !isfinite(X.q.w + X.q.x + X.q.y + X.q.z) || !perp_v3_finite(v) ||
            !perp_v3_finite(s))
            return false;
    }
    return true;
}

/* Runs the scene in memory filled with `fill`. @return hash of the end, mixed with how it ended */
static uint64_t run(const perp_combination *c, uint64_t seed, int fill, int *taken) {
    perp_world *w = random_world(c, seed, (perp_allocator){filled_alloc, filled_free, &fill});
    if (!w) return 1;
    perp_status st = PERP_OK;
    uint64_t hash = perp_world_hash(w);
    for (int i = 0; !st && i < STEPS; i++) {
        perp_certificate cert;
        st = perp_world_step(w, &cert);
        if (!st) ++*taken;
        bool told = !st || (strlen(perp_world_why(w)) > 10 && perp_world_hash(w) == hash);
        if (!told || !finite_state(w) || (st && st != PERP_E_SOLVE && st != PERP_E_FIT))
            fail_msg("%dD, %s, %s, form %d, seed %llu, step %d: %s; %s", c->dim, c->stepper, c->contact_model,
                     (int)c->form, (unsigned long long)seed, i, perp_status_text(st), perp_world_why(w));
        hash = perp_world_hash(w);
    }
    perp_world_destroy(w);
    return hash ^ (uint64_t)(unsigned)-(int)st;
}

static long from_environment(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static void all_stages_end_and_tell(void **state) {
    (void)state;
    long rounds = from_environment("PERP_TEST_ROUNDS", thorough() ? ROUNDS : ROUNDS / 2), taken = 0, scenes = 0,
         never = 0;
    uint64_t seed = (uint64_t)from_environment("PERP_TEST_SEED", 20);
    const char *solver = NULL;
    perp_combination c;
    for (int i = 0; perp_combination_at(i, &c); i++) {
        if (!solver) solver = c.solver;
        if (strcmp(c.solver, solver) != 0) continue; /* one for each combination of the other stages ... */
        perp_world_def d = world_def(c.dim, 1e-3, PERP_START_PLAIN);
        d.stepper = c.stepper;
        d.contact_model = c.contact_model;
        d.form = c.form;
        perp_world *w;
        if (perp_world_create(&d, &w)) continue; /* ... with the solver that the form has by default */
        perp_world_destroy(w);
        int some_taken = 0;
        for (long k = 0; k < rounds; k++, scenes++) {
            uint64_t own = perp_random_split(seed, (uint64_t)(i * 1000 + k));
            uint64_t zeros = run(&c, own, 0, &some_taken), filled = run(&c, own, 0xFE, &some_taken);
            if (zeros != filled)
                fail_msg("%dD, %s, %s, form %d, seed %llu: the bits depend on what was in memory", c.dim, c.stepper,
                         c.contact_model, (int)c.form, (unsigned long long)own);
        }
        taken += some_taken;
        /* quasistatic steps are refused where forces do not balance, as on most bodies in the air */
        bool none = some_taken == 0 && strcmp(c.stepper, "quasistatic") != 0;
        if (none && rounds >= ENOUGH_ROUNDS)
            print_error("%dD, %s, %s, form %d: no step\n", c.dim, c.stepper, c.contact_model, (int)c.form);
        never += none;
    }
    print_message("%ld scenes, %ld steps, %ld combinations without one\n", scenes, taken, never);
    assert_true(scenes > 100 && taken > scenes && (never == 0 || rounds < ENOUGH_ROUNDS));
}

/* Two shapes in the same place: no closest points are found in the first step, before anything has moved. The sentence
 * names both. */
static void same_place_is_told(void **state) {
    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        int fill = pass ? 0xFE : 0;
        perp_world_def d = world_def(3, 1e-3, PERP_START_PLAIN);
        d.stepper = "implicit";
        d.alloc = (perp_allocator){filled_alloc, filled_free, &fill};
        scene s = scene_new(d);
        perp_shape_def egg = perp_shape_ellipsoid(0.1, 0.2, 0.3);
        perp_body_def a = perp_body_def_default(PERP_BODY_OBSTACLE), b = perp_body_def_default(PERP_BODY_DYNAMIC);
        a.name = "nest";
        b.name = "egg";
        assert_int_equal(perp_body_def_mass(&b, &egg, 3, 1000), PERP_OK);
        scene_shape(&s, scene_body(&s, &a), egg);
        scene_shape(&s, scene_body(&s, &b), egg);
        perp_status st = perp_world_step(s.w, NULL);
        assert_int_equal(st, PERP_E_SOLVE);
        assert_non_null(strstr(perp_world_why(s.w), "(nest)"));
        assert_non_null(strstr(perp_world_why(s.w), "(egg)"));
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_place_is_told),
        cmocka_unit_test(all_stages_end_and_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
