/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Piles that fall together in the plane do in space what they do there, to 1e-8, when motion out of the plane is blocked by
 * planar joints: polygons as prisms of different depths, discs as capsules that lie across, capsules as they are. Friction
 * is left out: with it the laws have more than one answer where bodies are wedged, and solvers choose among them. */
#include "check.h"
#include "thorough.h"

#include "uniform.h"

enum { BODIES = 8, POINTS = 6 };

typedef enum kind { POLYGONS, DISCS, CAPSULES } kind;

/* The pile in the plane and in space. */
typedef struct twin {
    scene s[2];
    uint64_t rng;
} twin;

static double uniform(twin *t, double lo, double hi) { return scene_uniform(&t->rng, lo, hi); }

static perp_pose pose(double x, double y, double angle) {
    return (perp_pose){perp_v3(x, y, 0), perp_q_axis_angle(perp_v3(0, 0, 1), angle)};
}

/* Puts a shape on a body of each world; in space one that is not an obstacle is held in the plane. */
static void add(twin *t, const perp_body_def *b, perp_shape_def flat, perp_shape_def deep) {
    for (int d = 0; d < 2; d++) {
        perp_body_id id;
        if (b->kind == PERP_BODY_DYNAMIC)
            id = scene_body(&t->s[d], b);
        else
            assert_int_equal(perp_body_add(t->s[d].w, b, &id), PERP_OK);
        scene_shape(&t->s[d], id, d ? deep : flat);
        if (!d || b->kind != PERP_BODY_DYNAMIC) continue;
        perp_joint_def j = perp_joint_def_default(PERP_JOINT_PLANAR);
        j.b = id;
        j.collide = true;
        (void)scene_joint(&t->s[d], &j);
    }
}

static void add_polygon(twin *t, const perp_body_def *b, const perp_vec3 *point, int n, double depth) {
    perp_vec3 deep[2 * POINTS];
    for (int i = 0; i < n; i++) {
        deep[i] = perp_v3(point[i].x, point[i].y, depth);
        deep[n + i] = perp_v3(point[i].x, point[i].y, -depth);
    }
    add(t, b, perp_shape_polygon(point, n), perp_shape_polyhedron(deep, 2 * n));
}

static void add_wall(twin *t, double x, double y, double hx, double hy, double lean) {
    perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
    b.X_WB = pose(x, y, lean);
    const perp_vec3 corner[4] = {{-hx, -hy, 0}, {hx, -hy, 0}, {hx, hy, 0}, {-hx, hy, 0}};
    add_polygon(t, &b, corner, 4, 0.4);
}

static void add_body(twin *t, kind what, int i, double depth) {
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    double size = uniform(t, 0.15, 0.35), x = (i % 2 ? 0.36 : -0.36) + (i & 2 ? 0.1 : -0.1);
    b.X_WB = pose(x + uniform(t, -0.02, 0.02), 0.5 + 0.76 * (i / 2), uniform(t, -3, 3));
    b.v_W = perp_v3(uniform(t, -1, 1), uniform(t, -2, 0), 0);
    b.w_W = perp_v3(0, 0, uniform(t, -3, 3));
    b.mass = uniform(t, 0.5, 4);
    double I = b.mass * size * size * uniform(t, 0.2, 0.5);
    b.I_B = perp_m3_diag(I, I, I);
    double own = depth * uniform(t, 0.9, 1.1), choice = uniform(t, 0, 1);
    if (what == DISCS && choice < 0.5) {
        perp_shape_def across = perp_shape_capsule(size / 2, own);
        across.X_BS.q = perp_q_axis_angle(perp_v3(0, 1, 0), acos(0));
        add(t, &b, perp_shape_sphere(size / 2), across);
        return;
    }
    if (what == CAPSULES && choice < 0.5) {
        perp_shape_def s = perp_shape_capsule(size / 2, 0.6 * size);
        add(t, &b, s, s);
        return;
    }
    int n = 3 + (int)uniform(t, 0, 3.999);
    double turn = uniform(t, 0, 6);
    perp_vec3 point[POINTS];
    for (int k = 0; k < n; k++) {
        double a = turn + 6.283185307179586 * (k + uniform(t, -0.1, 0.1)) / n;
        point[k] = perp_v3(size * cos(a), size * sin(a), 0);
    }
    add_polygon(t, &b, point, n, own);
}

static twin make(kind what, unsigned seed, double h) {
    twin t = {.rng = 99991ull * seed + 17};
    for (int d = 0; d < 2; d++) {
        perp_world_def def = world_def(2 + d, h, PERP_START_PLAIN);
        def.contact_model = "peg";
        def.gravity_W = perp_v3(0, -9.81, 0);
        t.s[d] = scene_new(def);
        assert_int_equal(perp_pair_set_all(t.s[d].w, (perp_pair_law){.mu = 0}), PERP_OK);
    }
    double depth = uniform(&t, 0.2, 0.6), lean = uniform(&t, 0, 0.1);
    if (seed % 2) {
        perp_body_def b = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_shape_def ground = perp_shape_halfspace(perp_v3(0, 1, 0), 0);
        add(&t, &b, ground, ground);
    } else {
        add_wall(&t, 0, -0.5, 3, 0.5, 0);
    }
    add_wall(&t, -1.4, 1, 0.25, 2, lean);
    add_wall(&t, 1.4, 1, 0.25, 2, -lean);
    for (int i = 0; i < BODIES; i++) add_body(&t, what, i, depth);
    return t;
}

static double difference(const twin *t) {
    double most = 0;
    for (int i = 0; i < BODIES; i++) {
        most = fmax(most, distance(position(&t->s[0], i), position(&t->s[1], i)));
        most = fmax(most, distance(velocity(&t->s[0], i), velocity(&t->s[1], i)));
    }
    return most;
}

/* 0.7 s of each pile: later on rounding has been through so many impacts, each of which divides by h, that it shows. At most
 * `odd` of them may part: where rounds of large steps do not settle, or features come and go with them, the way to the
 * answer is not the same in both. */
static void compare(kind what, double h, int piles, int odd) {
    int parted = 0;
    double worst = 0;
    for (int seed = 0; seed < piles; seed++) {
        twin t = make(what, (unsigned)seed, h);
        double most = 0;
        for (int k = 0; k < (int)lround(0.7 / h); k++) {
            for (int d = 0; d < 2; d++) run_steps(&t.s[d], 1);
            most = fmax(most, difference(&t));
        }
        if (most > 1e-8) {
            print_message("pile %d, h = %g: %.1e\n", seed, h, most);
            parted++;
        } else {
            worst = fmax(worst, most);
        }
        for (int d = 0; d < 2; d++) scene_end(&t.s[d]);
    }
    print_message("h = %g: %d of %d part, the others by %.1e\n", h, parted, piles, worst);
    assert_true(parted <= odd);
}

/* Which piles part at 20 ms depends on last bits, and so on the machine: of polygons 4 of 120 and 3 of 40 were seen, of capsules 3 and 4
 * of 40. The limits are what such rates exceed in fewer than one of a hundred runs. At 5 and 10 ms none may part. */
enum { ODD_POLYGONS = 5, ODD_CAPSULES = 8 };

/* Piles at steps with which none may part: half of them, but in `make nightly`. */
static int fine_piles(int all) { return long_run(thorough() ? all : all / 4); }

static void polygons(void **state) {
    (void)state;
    compare(POLYGONS, 5e-3, fine_piles(16), 0);
    compare(POLYGONS, 1e-2, fine_piles(24), 0);
    compare(POLYGONS, 2e-2, long_run(40), ODD_POLYGONS);
}
static void discs(void **state) {
    (void)state;
    compare(DISCS, 5e-3, fine_piles(16), 0);
    compare(DISCS, 2e-2, long_run(40), 1);
}
static void capsules(void **state) {
    (void)state;
    compare(CAPSULES, 5e-3, fine_piles(16), 0);
    compare(CAPSULES, 2e-2, long_run(40), ODD_CAPSULES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(polygons), cmocka_unit_test(discs), cmocka_unit_test(capsules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
