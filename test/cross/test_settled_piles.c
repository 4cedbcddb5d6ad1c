/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Random polygons or polyhedra that were poured into a box, from a moment at which most of them lie on each other: what
 * follows is the same mirrored, turned and renumbered, to 1e-9.
 *
 * Here contact problems have several answers: with friction wedged bodies may stay or give way, and rounds of `peg` can
 * settle on one way or another. None of that may be left to rounding. */
#include "check.h"

#include "uniform.h"

enum { BODIES = 20, POINTS = 10 };

typedef struct body {
    perp_mass m;
    perp_vec3 p[POINTS];
    perp_pose X;
    perp_vec3 v, w;
} body;

typedef struct pour {
    int dim, nbody;
    double h, mu;
    perp_form form;
    body b[BODIES];
} pour;

typedef enum view { PLAIN, MIRRORED, TURNED, RENUMBERED, VIEWS } view;

typedef struct pile {
    scene s;
    perp_body_id id[BODIES];
} pile;

static perp_quat turn_of(int dim, view o) {
    if (o != TURNED) return perp_q_identity();
    return dim == 2 ? perp_q_axis_angle(perp_v3(0, 0, 1), 0.7) : perp_q_exp(perp_v3(0.7, -0.4, 1.1));
}

static perp_vec3 seen(int dim, view o, perp_vec3 x) {
    return perp_q_rotate(turn_of(dim, o), o == MIRRORED ? perp_v3(-x.x, x.y, x.z) : x);
}
static perp_vec3 seen_spin(int dim, view o, perp_vec3 w) {
    return perp_q_rotate(turn_of(dim, o), o == MIRRORED ? perp_v3(w.x, -w.y, -w.z) : w);
}
/* Of a body whose corners are mirrored themselves. */
static perp_quat seen_turn(int dim, view o, perp_quat q) {
    if (o == MIRRORED) q.y = -q.y, q.z = -q.z;
    return perp_q_mul(turn_of(dim, o), q);
}

static perp_vec3 random_point(uint64_t *rng, double a) {
    double x = scene_uniform(rng, -a, a), y = scene_uniform(rng, -a, a), z = scene_uniform(rng, -a, a);
    return perp_v3(x, y, z);
}

static perp_shape_def hull(int dim, const perp_vec3 *p) {
    return dim == 2 ? perp_shape_polygon(p, POINTS) : perp_shape_polyhedron(p, POINTS);
}

/* Two columns of bodies above the floor. In the plane y is up, in space z. */
static void put_body(pour *u, int i, uint64_t *rng) {
    body *b = &u->b[i];
    bool good = false;
    for (int tries = 0; !good && tries < 100; tries++) {
        for (int k = 0; k < POINTS; k++) {
            b->p[k] = random_point(rng, 0.25);
            if (u->dim == 2) b->p[k].z = 0;
        }
        perp_shape_def s = hull(u->dim, b->p);
        good = perp_shape_mass(&s, u->dim, 100, &b->m, NULL, 0) == PERP_OK;
    }
    assert_true(good);
    for (int k = 0; k < POINTS; k++) b->p[k] = perp_v3_sub(b->p[k], b->m.com_B);
    double x = (i % 2 ? 0.35 : -0.35) + scene_uniform(rng, -0.1, 0.1), up = 0.5 + 0.6 * (i / 2);
    perp_vec3 turn = random_point(rng, 1);
    b->X.p = u->dim == 2 ? perp_v3(x, up, 0) : perp_v3(x, scene_uniform(rng, -0.2, 0.2), up);
    b->X.q = u->dim == 2 ? perp_q_axis_angle(perp_v3(0, 0, 1), turn.z) : perp_q_exp(turn);
    b->v = u->dim == 2 ? perp_v3(0, -2, 0) : perp_v3(0, 0, -2);
    b->w = perp_v3(0, 0, 0);
}

static void add_wall(pile *s, int dim, view o, perp_vec3 at, perp_vec3 half) {
    perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id id;
    d.X_WB = (perp_pose){seen(dim, o, at), seen_turn(dim, o, perp_q_identity())};
    assert_int_equal(perp_body_add(s->s.w, &d, &id), PERP_OK);
    scene_shape(&s->s, id, perp_shape_box(half.x, half.y, half.z));
}

static void add_walls(pile *s, int dim, view o) {
    if (dim == 2) add_wall(s, dim, o, perp_v3(0, -0.25, 0), perp_v3(1.5, 0.25, 0));
    if (dim == 3) add_wall(s, dim, o, perp_v3(0, 0, -0.5), perp_v3(1.75, 1.75, 0.5));
    for (int k = -1; k <= 1; k += 2) {
        if (dim == 2) add_wall(s, dim, o, perp_v3(1.25 * k, 3, 0), perp_v3(0.25, 3.2, 0));
        if (dim == 3) add_wall(s, dim, o, perp_v3(1.25 * k, 0, 3), perp_v3(0.5, 1.75, 3.2));
        if (dim == 3) add_wall(s, dim, o, perp_v3(0, 1.25 * k, 3), perp_v3(1, 0.5, 3.2));
    }
}

static void add_body(pile *s, const pour *u, int i, view o) {
    const body *b = &u->b[i];
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_vec3 p[POINTS];
    for (int k = 0; k < POINTS; k++) p[k] = o == MIRRORED ? perp_v3(-b->p[k].x, b->p[k].y, b->p[k].z) : b->p[k];
    d.X_WB = (perp_pose){seen(u->dim, o, b->X.p), seen_turn(u->dim, o, b->X.q)};
    d.v_W = seen(u->dim, o, b->v);
    d.w_W = seen_spin(u->dim, o, b->w);
    d.mass = b->m.mass;
    d.I_B = b->m.I_B;
    if (o == MIRRORED) {
        d.I_B.c[0].y *= -1;
        d.I_B.c[0].z *= -1;
        d.I_B.c[1].x *= -1;
        d.I_B.c[2].x *= -1;
    }
    assert_int_equal(perp_body_add(s->s.w, &d, &s->id[i]), PERP_OK);
    scene_shape(&s->s, s->id[i], hull(u->dim, p));
}

static pile make(const pour *u, view o) {
    perp_world_def d = world_def(u->dim, u->h, PERP_START_PLAIN);
    pile s;
    d.contact_model = "peg";
    d.form = u->form;
    d.gravity_W = seen(u->dim, o, u->dim == 2 ? perp_v3(0, -9.81, 0) : perp_v3(0, 0, -9.81));
    s.s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.s.w, (perp_pair_law){.mu = u->mu}), PERP_OK);
    if (o != RENUMBERED) add_walls(&s, u->dim, o);
    for (int k = 0; k < u->nbody; k++) add_body(&s, u, o == RENUMBERED ? u->nbody - 1 - k : k, o);
    if (o == RENUMBERED) add_walls(&s, u->dim, o);
    return s;
}

/* Where the bodies are after some time. */
static void settle(pour *u, double time) {
    pile s = make(u, PLAIN);
    run_steps(&s.s, (int)lround(time / u->h));
    for (int i = 0; i < u->nbody; i++) {
        assert_int_equal(perp_body_pose(s.s.w, s.id[i], &u->b[i].X), PERP_OK);
        assert_int_equal(perp_body_velocity(s.s.w, s.id[i], &u->b[i].v, &u->b[i].w), PERP_OK);
    }
    scene_end(&s.s);
}

static double difference(int dim, const pile *a, const pile *b, view o, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        perp_pose x, y;
        assert_int_equal(perp_body_pose(a->s.w, a->id[i], &x), PERP_OK);
        assert_int_equal(perp_body_pose(b->s.w, b->id[i], &y), PERP_OK);
        most = fmax(most, perp_v3_norm(perp_v3_sub(seen(dim, o, x.p), y.p)));
    }
    return most;
}

/* `steps` of the pile and of its other views. */
static void compare(const pour *u, int pile_number, int steps) {
    static const char *const name[VIEWS] = {"plain", "mirrored", "turned", "renumbered"};
    pile p[VIEWS];
    double most[VIEWS] = {0};
    for (view o = PLAIN; o < VIEWS; o++) p[o] = make(u, o);
    for (int k = 0; k < steps; k++)
        for (view o = PLAIN; o < VIEWS; o++) {
            run_steps(&p[o].s, 1);
            most[o] = fmax(most[o], difference(u->dim, &p[PLAIN], &p[o], o, u->nbody));
        }
    for (view o = PLAIN; o < VIEWS; o++) {
        scene_end(&p[o].s);
        print_message("%dD, mu = %g, pile %d, %s: largest difference %.1e m\n", u->dim, u->mu, pile_number, name[o],
                      most[o]);
        assert_below(most[o], 1e-9);
    }
}

static void fill(pour *u, int seed) {
    uint64_t rng = (uint64_t)(77773 * seed + 5);
    for (int i = 0; i < u->nbody; i++) put_body(u, i, &rng);
}

/* Wedged bodies may stay or give way. */
static void polygons(void **state) {
    (void)state;
    static const int many[] = {12, 16, 14, 16}, seed[] = {20, 0, 18, 25};
    for (int i = 0; i < 4; i++) {
        pour u = {.dim = 2, .nbody = many[i], .h = 5e-3, .mu = 0.5, .form = PERP_FORM_CONE};
        fill(&u, seed[i]);
        settle(&u, 0.8);
        compare(&u, seed[i], 50);
    }
}

/* A face lies on a face, and at the end of a step corners are looked for over one of the two. */
static void faces(void **state) {
    (void)state;
    pour u = {.dim = 2, .nbody = BODIES, .h = 5e-3, .mu = 0.5, .form = PERP_FORM_CONE};
    fill(&u, 6);
    settle(&u, 0.6);
    compare(&u, 6, 20);
}

/* Large steps: contacts end deep in each other in the first rounds. */
static void polyhedra(void **state) {
    (void)state;
    static const int seed[] = {34, 7, 20};
    for (int i = 0; i < 3; i++) {
        pour u = {.dim = 3, .nbody = 10, .h = 2e-2, .form = PERP_FORM_CONE};
        fill(&u, seed[i]);
        settle(&u, 0.6);
        compare(&u, seed[i], 25);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(polygons), cmocka_unit_test(faces),
                                       cmocka_unit_test(polyhedra)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
