/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_bad_world.c - definitions of worlds that are refused, and worlds whose numbers run out of range
 * Method   Every field of a world's definition with every value it must not have, by table; stages that do not exist or
 *          do not fit. Then worlds that are allowed but whose arithmetic overflows: a step must fail cleanly. */
#include "unit/world_help.h"

enum { D2 = 1, D3 = 2, BOTH = 3 };
enum { IS_NAN = 1, IS_INF = 2, IS_MINUS_INF = 4, IS_ZERO = 8, IS_NEGATIVE = 16 };
enum { NOT_FINITE = 7, NOT_POSITIVE = 31 }; /* masks: what a field refuses */
static const double bad_value[] = {NAN, INFINITY, -INFINITY, 0, -1};
#define AT(type, field) offsetof(type, field)

static void put(void *def, size_t offset, double x) { memcpy((char *)def + offset, &x, sizeof x); }

/* A solver that takes one class only. */
static size_t no_work(const perp_problem *p, const void *settings) {
    (void)p;
    (void)settings;
    return 0;
}

static perp_outcome gives_up(const perp_problem *p, const void *settings, double *z, void *work, const perp_call *call,
                             perp_solve_info *info) {
    (void)p;
    (void)settings;
    (void)z;
    (void)work;
    (void)call;
    (void)info;
    return PERP_OUTCOME_LIMIT;
}

static const perp_solver_type lcp_only = {
    .abi = PERP_ABI, .name = "lcp-only", .source = "none", .takes = PERP_LCP, .work_size = no_work, .solve = gives_up};

static void *some_alloc(size_t size, void *ctx) {
    (void)ctx;
    return malloc(size);
}

static void some_free(void *p, void *ctx) {
    (void)ctx;
    free(p);
}

static void refused_world(const perp_world_def *d, perp_status want, const char *word, int line) {
    perp_world *w = (perp_world *)(uintptr_t)16; /* must be overwritten */
    char why[256] = "x";
    perp_status st = perp_world_create_why(d, &w, why, sizeof why);
    if (st != want) fail_msg("line %d: %s instead of %s: %s", line, perp_status_name(st), perp_status_name(want), why);
    if (w) fail_msg("line %d: a world was given", line);
    if (!strstr(why, word)) fail_msg("line %d: \"%s\" has no \"%s\"", line, why, word);
    w = (perp_world *)(uintptr_t)16;
    assert_int_equal(perp_world_create(d, &w), want);
    assert_null(w);
    char small[4] = "xyz";
    assert_int_equal(perp_world_create_why(d, &w, small, sizeof small), want);
    assert_int_equal(small[3], 0);
    assert_int_equal(perp_world_create_why(d, &w, NULL, 0), want);
}

static void test_worlds(void **state) {
    int dim = *(const int *)*state;
    static const struct {
        size_t offset;
        unsigned bad;
        int dims;
        const char *word;
    } doubles[] = {
        {AT(perp_world_def, h), NOT_POSITIVE, BOTH, "h is"},
        {AT(perp_world_def, gravity_W.x), NOT_FINITE, BOTH, "gravity"},
        {AT(perp_world_def, gravity_W.z), NOT_FINITE, BOTH, "gravity"},
        {AT(perp_world_def, gravity_W.z), IS_NEGATIVE, D2, "gravity"},
        {AT(perp_world_def, tolerance), NOT_POSITIVE, BOTH, "tolerance"},
        {AT(perp_world_def, correction_position), NOT_POSITIVE, BOTH, "correction_position"},
        {AT(perp_world_def, correction_velocity), NOT_POSITIVE, BOTH, "correction_velocity"},
    };
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        for (int k = 0; k < 5; k++) {
            if (!(doubles[i].bad & (1u << k)) || !(doubles[i].dims & (dim == 2 ? D2 : D3))) continue;
            perp_world_def d = perp_world_def_default(dim);
            put(&d, doubles[i].offset, bad_value[k]);
            refused_world(&d, PERP_E_ARG, doubles[i].word, __LINE__);
        }
#define REFUSED_WORLD(change, want, word)               \
    do {                                                \
        perp_world_def d = perp_world_def_default(dim); \
        change;                                         \
        refused_world(&d, (want), (word), __LINE__);    \
    } while (0)
    REFUSED_WORLD(d.cookie ^= 1, PERP_E_ARG, "perp_world_def_default");
    REFUSED_WORLD(d.dim = 4, PERP_E_ARG, "dim");
    REFUSED_WORLD(d.dim = 0, PERP_E_ARG, "dim");
    REFUSED_WORLD(d.start = (perp_start)5, PERP_E_ARG, "start");
    REFUSED_WORLD(d.form = (perp_form)5, PERP_E_ARG, "form");
    REFUSED_WORLD(d.friction_frame = (perp_friction_frame)5, PERP_E_ARG, "friction_frame");
    REFUSED_WORLD(d.friction_directions = 2, PERP_E_ARG, "friction_directions");
    REFUSED_WORLD(d.max_halvings = -1, PERP_E_ARG, "max_halvings");
    REFUSED_WORLD(d.max_halvings = 100, PERP_E_ARG, "max_halvings");
    REFUSED_WORLD(d.tolerance = 1, PERP_E_ARG, "tolerance");
    REFUSED_WORLD(d.alloc.alloc = some_alloc, PERP_E_ARG, "allocator");
    REFUSED_WORLD(d.alloc.free = some_free, PERP_E_ARG, "allocator");
    REFUSED_WORLD(d.detector = "nobody", PERP_E_NAME, "nobody");
    REFUSED_WORLD(d.contact_model = "nobody", PERP_E_NAME, "nobody");
    REFUSED_WORLD(d.stepper = "nobody", PERP_E_NAME, "nobody");
    REFUSED_WORLD(d.solver = "nobody", PERP_E_NAME, "nobody");
    REFUSED_WORLD(d.fallback[0] = "nobody", PERP_E_NAME, "nobody");
    REFUSED_WORLD(d.solver = "", PERP_E_NAME, "solver");
    perp_status st = perp_solver_register(&lcp_only);
    assert_true(st == PERP_OK || st == PERP_E_NAME); /* taken when this runs for the second time */
    REFUSED_WORLD((d.solver = "lcp-only", d.form = PERP_FORM_MLCP), PERP_E_FIT, "lcp-only");
    REFUSED_WORLD((d.fallback[0] = "lcp-only", d.form = PERP_FORM_MLCP), PERP_E_FIT, "lcp-only");
    REFUSED_WORLD(d.fallback[1] = "pgs", PERP_E_ARG, "fallback[0] is NULL");
    REFUSED_WORLD((d.fallback[0] = "pgs", d.no_fallback = true), PERP_E_ARG, "no_fallback");
    REFUSED_WORLD((d.solver = "lcp-only", d.form = PERP_FORM_CONE), PERP_E_FIT, "lcp-only");
    REFUSED_WORLD((d.solver = "lemke", d.form = PERP_FORM_CONE), PERP_E_FIT, "true friction cones");
    perp_world_def d = perp_world_def_default(dim);
    d.solver = "lcp-only";
    perp_world *w = world_of(&d); /* with the LCP it fits */
    perp_world_destroy(w);
    w = NULL;
    assert_int_equal(perp_world_create(NULL, &w), PERP_E_ARG);
    assert_int_equal(perp_world_create(&d, NULL), PERP_E_ARG);
    perp_world_destroy(NULL);
    d.detector = d.contact_model = d.stepper = d.solver = NULL; /* defaults */
    d.no_fallback = true;
    w = world_of(&d);
    run(w, 1); /* an empty world has a time too */
    NEAR(perp_world_time(w), d.h, 0);
    perp_world_destroy(w);
}

/* Finite, but too much for arithmetic: a failed step, no NaN in the world, no crash. */
static void test_overflow(void **state) {
    int dim = *(const int *)*state;
    const struct {
        double mass, speed, spin, h, force;
    } wild[] = {{1e-310, 1, 0, 1e-3, 1}, {1, 1e308, 0, 10, 0}, {1, 0, 1e200, 1e-3, 0},
                {1e300, 1e300, 0, 1, 0}, {1, 0, 0, 1, 1e308},  {1, 1, 1, 1e-320, 0}};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        perp_world_def wd = perp_world_def_default(dim);
        wd.h = wild[i].h;
        perp_world *w = world_of(&wd);
        perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
        d.mass = wild[i].mass;
        d.X_WB = at_height(dim, 0, 0.5);
        d.v_W = perp_v3(wild[i].speed, -1, 0);
        d.w_W = perp_v3(0, 0, wild[i].spin);
        perp_body_id b = add_def(w, &d);
        add_shape(w, b, perp_shape_sphere(0.5));
        add_floor(w);
        OK(w, perp_body_set_force(w, b, perp_v3(wild[i].force, 0, 0), perp_v3(0, 0, 0)));
        for (int k = 0; k < 5; k++) {
            uint64_t before = perp_world_hash(w);
            perp_certificate c;
            perp_status st = perp_world_step(w, &c);
            if (st) {
                if (perp_world_hash(w) != before) fail_msg("case %zu: a failed step changed the world", i);
                assert_true(strlen(perp_world_why(w)) > 10);
                assert_false(c.accepted);
            }
            perp_pose X = pose_of(w, b);
            perp_vec3 v = velocity_of(w, b), om = spin_of(w, b);
            if (!perp_v3_finite(X.p) || !perp_q_finite(X.q) || !perp_v3_finite(v) || !perp_v3_finite(om))
                fail_msg("case %zu: not finite", i);
            NEAR(perp_q_norm(X.q), 1, 1e-12);
        }
        perp_world_destroy(w);
    }
}

int main(void) {
    static int two = 2, three = 3;
    const struct CMUnitTest tests[] = {
        {"worlds in 2D", test_worlds, NULL, NULL, &two},
        {"worlds in 3D", test_worlds, NULL, NULL, &three},
        {"overflow in 2D", test_overflow, NULL, NULL, &two},
        {"overflow in 3D", test_overflow, NULL, NULL, &three},
    };
    return cmocka_run_group_tests_name("bad worlds", tests, NULL, NULL);
}
