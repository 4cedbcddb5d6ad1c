/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_scene.c - what scene files can say, read back from the world they make. */
#include <math.h>

#include "cone_world.h"
#include "unit/scene_help.h"

#define PI 3.14159265358979323846

static void run_and_record(void **state) {
    (void)state;
    perp_scene *s = scene_of("perp: 1\ntitle: A pile\nabout: nothing\ndim: 2\nh: 0.01\nduration: 0.3\nseed: 7\n"
                             "gravity: [0, -2]\nstart: staggered\n"
                             "record: {interval: 0.03, what: [poses, ledger], compression: 4}\n");
    perp_world_def d = perp_world_get_def(perp_scene_world(s));
    assert_string_equal(perp_scene_title(s), "A pile");
    assert_int_equal(d.dim, 2);
    assert_true(d.h == 0.01 && d.gravity_W.y == -2 && d.gravity_W.x == 0);
    assert_int_equal(d.start, PERP_START_STAGGERED);
    assert_true(perp_scene_duration(s) == 0.3);
    assert_int_equal(perp_scene_steps(s), 30); /* 0.3 / 0.01 is a little below 30 */
    perp_record_choice c = perp_scene_record(s);
    assert_int_equal(c.every, 3);
    assert_int_equal(c.what, PERP_RECORD_POSES | PERP_RECORD_LEDGER);
    assert_int_equal(c.compression, 4);
    perp_scene_close(s);
}

/* What a world makes of the library's defaults. */
static perp_world_def library_defaults(int dim) {
    perp_world_def d = perp_world_def_default(dim);
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    d = perp_world_get_def(w);
    perp_world_destroy(w);
    return d;
}

static void defaults(void **state) {
    (void)state;
    perp_scene *s = scene_of("perp: 1\ndim: 3\nduration: 0.0105\n");
    perp_world_def d = perp_world_get_def(perp_scene_world(s)), plain = library_defaults(3);
    assert_true(d.h == plain.h && d.gravity_W.z == plain.gravity_W.z && d.tolerance == plain.tolerance);
    assert_string_equal(d.solver, plain.solver);
    assert_true(!d.fallback[0] && !plain.fallback[0]);
    assert_int_equal(d.form, plain.form);
    assert_int_equal(d.friction_directions, plain.friction_directions);
    assert_int_equal(d.max_halvings, plain.max_halvings);
    assert_true(d.warm_start && !d.joint_correction && d.correction_position == plain.correction_position);
    assert_int_equal(perp_scene_steps(s), 11); /* rounded up */
    perp_record_choice c = perp_scene_record(s);
    assert_int_equal(c.every, 1);
    assert_int_equal(c.what, PERP_RECORD_ALL);
    assert_int_equal(c.compression, 1);
    assert_string_equal(perp_scene_title(s), "");
    assert_int_equal(perp_scene_parameter_count(s), 0);
    assert_int_equal(perp_scene_definition_count(s), 0);
    perp_scene_close(s);
    s = scene_of("perp: 1\ndim: 3\nduration: 1\nstages: {}\n"); /* the table's defaults are the library's */
    d = perp_world_get_def(perp_scene_world(s));
    assert_true(d.tolerance == plain.tolerance && d.correction_velocity == plain.correction_velocity);
    assert_int_equal(d.friction_directions, plain.friction_directions);
    assert_int_equal(d.max_halvings, plain.max_halvings);
    assert_int_equal(d.form, plain.form);
    assert_int_equal(d.friction_frame, plain.friction_frame);
    assert_true(d.warm_start == plain.warm_start && d.joint_correction == plain.joint_correction);
    perp_scene_close(s);
}

static void stages(void **state) {
    (void)state;
    perp_scene *s =
        scene_of(HEAD3 "stages:\n"
                       "  detector: plain\n  contact_model: standard\n  stepper: anitescu-potra\n  solver: pgs\n"
                       "  fallback: [lemke]\n  form: mlcp\n  friction_directions: 12\n  friction_frame: fixed\n"
                       "  tolerance: 1e-6\n  max_halvings: 2\n  warm_start: false\n  joint_correction: true\n"
                       "  correction_position: 1e-9\n  correction_velocity: 1e-7\n"
                       "  settings: {lemke: {max_pivots: 77}, pgs: {relaxation: 3/2}}\n");
    perp_world *w = perp_scene_world(s);
    perp_world_def d = perp_world_get_def(w);
    double x;
    assert_string_equal(d.stepper, "anitescu-potra");
    assert_string_equal(d.solver, "pgs");
    assert_string_equal(d.fallback[0], "lemke");
    assert_null(d.fallback[1]);
    assert_int_equal(d.form, PERP_FORM_MLCP);
    assert_int_equal(d.friction_directions, 12);
    assert_int_equal(d.friction_frame, PERP_FRICTION_FIXED);
    assert_int_equal(d.max_halvings, 2);
    assert_true(d.tolerance == 1e-6 && !d.warm_start && d.joint_correction);
    assert_true(d.correction_position == 1e-9 && d.correction_velocity == 1e-7);
    assert_int_equal(perp_world_get(w, "lemke.max_pivots", &x), PERP_OK);
    assert_true(x == 77);
    assert_int_equal(perp_world_get(w, "pgs.relaxation", &x), PERP_OK);
    assert_true(x == 1.5);
    perp_scene_close(s);
}

/* Cones in space and pivoting in the plane, unless what else is named goes with pyramids only. */
static void form_left_open(void **state) {
    (void)state;
    static const struct {
        int dim;
        const char *stages;
        perp_form form;
        const char *solver;
    } want[] = {
        {2, "", PERP_FORM_LCP, "lemke"},
        {2, "form: auto", PERP_FORM_LCP, "lemke"},
        {3, "", PERP_FORM_CONE, "auto"},
        {3, "form: auto", PERP_FORM_CONE, "auto"},
        {3, "form: lcp", PERP_FORM_LCP, "lemke"},
        {3, "friction_directions: 8", PERP_FORM_LCP, "lemke"},
        {3, "friction_frame: fixed", PERP_FORM_LCP, "lemke"},
        {3, "solver: lemke", PERP_FORM_LCP, "lemke"},
        {3, "solver: auto, fallback: [lemke]", PERP_FORM_LCP, "auto"},
        {3, "solver: prox-newton", PERP_FORM_CONE, "prox-newton"},
        {3, "contact_model: peg-mixed", PERP_FORM_LCP, "lemke"},
        {3, "stepper: anitescu-potra", PERP_FORM_CONE, "auto"},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "perp: 1\ndim: %d\nduration: 1\nstages: {%s}\n", want[i].dim, want[i].stages);
        perp_scene *s = scene_of(text);
        perp_world_def d = perp_world_get_def(perp_scene_world(s));
        assert_int_equal(d.form, want[i].form);
        assert_string_equal(d.solver, want[i].solver);
        assert_int_equal(d.friction_directions, 8);
        perp_scene_close(s);
    }
}

/* True cones: if no solver is named, the default solver of LCP worlds is replaced; if it is named, the combination is refused. */
static void cones(void **state) {
    (void)state;
    (void)cone_world(perp_world_def_default(3), 0); /* registers the solver of the tests */
    const char *rest =
        "law: {mu: 0.25}\nbodies:\n  - {kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
        "  - {name: b, mass: 1, at: [0, 0, 0.5], velocity: [3, 4, 0], shape: {type: sphere, radius: 0.5}}\n";
    char text[1024];
    (void)snprintf(text, sizeof text, "%sstages: {form: cone, solver: cone-oracle}\n%s", HEAD3, rest);
    perp_scene *s = scene_of(text);
    perp_world *w = perp_scene_world(s);
    perp_world_def d = perp_world_get_def(w);
    assert_int_equal(d.form, PERP_FORM_CONE);
    assert_string_equal(d.solver, "cone-oracle");
    assert_null(d.fallback[0]);
    assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    perp_vec3 v = body_of(s, "b").v_W; /* slowed straight against its motion */
    assert_vec(v, 3 - 0.6 * 0.25 * 9.81 * d.h, 4 - 0.8 * 0.25 * 9.81 * d.h, 0, 1e-9);
    perp_scene_close(s);
    const char *asked = HEAD3 "stages: {form: cone, solver: lemke}\n";
    perp_source_file f = {"s.yaml", asked, strlen(asked)};
    perp_scene_options o = {.file = &f, .nfile = 1};
    perp_refusal why;
    assert_int_equal(perp_scene_open("s.yaml", &o, &s, &why), PERP_E_FIT);
    assert_non_null(strstr(why.text, "solver lemke does not take the true friction cones"));
    if (perp_solver_find("auto")) {
        (void)snprintf(text, sizeof text, "%sstages: {form: cone}\n%s", HEAD3, rest);
        s = scene_of(text);
        assert_string_equal(perp_world_get_def(perp_scene_world(s)).solver, "auto");
        perp_scene_close(s);
    }
}

static void parameters(void **state) {
    (void)state;
    const char *text = HEAD2 "parameters:\n  m: 2\n  v0: {default: 3*m, unit: m/s, about: the speed, min: 0, max: 10}\n"
                             "  last: m + v0\nh: last/1000\n"
                             "bodies:\n  - {name: b, particle: true, mass: m, velocity: [v0, '-max(m, 1)']}\n";
    perp_scene *s = scene_of(text);
    assert_int_equal(perp_scene_parameter_count(s), 3);
    perp_scene_parameter p = perp_scene_parameter_at(s, 1);
    assert_string_equal(p.name, "v0");
    assert_string_equal(p.unit, "m/s");
    assert_string_equal(p.about, "the speed");
    assert_true(p.value == 6 && p.initial == 6 && p.min == 0 && p.max == 10);
    assert_true(perp_scene_parameter_at(s, 0).max == INFINITY);
    assert_vec(body_of(s, "b").v_W, 6, -2, 0, 0);
    assert_true(perp_world_h(perp_scene_world(s)) == 0.008);
    perp_scene_close(s);
    const perp_definition define[] = {{"v0", "m + 1"}, {"m", "4"}, {"m", "3"}}; /* the later one counts */
    s = scene_of_with(text, define, 3);
    assert_true(perp_scene_parameter_at(s, 0).value == 3 && perp_scene_parameter_at(s, 0).initial == 2);
    assert_true(perp_scene_parameter_at(s, 1).value == 4 && perp_scene_parameter_at(s, 2).value == 7);
    assert_true(body_of(s, "b").mass == 3);
    assert_int_equal(perp_scene_definition_count(s), 3);
    assert_string_equal(perp_scene_definition_at(s, 0).name, "v0");
    assert_string_equal(perp_scene_definition_at(s, 0).value, "m + 1");
    perp_scene_close(s);
}

static void laws(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        HEAD3
        "materials: [steel, rubber]\nlaw: {mu: 0.3, restitution: 0.5}\n"
        "laws: [{pair: [steel, rubber], mu: 0.7}, {pair: [rubber, rubber], mu: 1.5, restitution: 1}]\n"
        "bodies:\n  - {mass: 1, material: steel, group: 2, mask: 6,\n"
        "     shapes: [{type: sphere, radius: 1}, {type: sphere, radius: 2, material: rubber, group: 4, mask: 1},\n"
        "              {type: sphere, radius: 3, material: default}]}\n");
    perp_world *w = perp_scene_world(s);
    perp_pair_law l;
    assert_int_equal(perp_material_count(w), 3);
    assert_int_equal(perp_pair_get(w, 2, 1, &l), PERP_OK);
    assert_true(l.mu == 0.7 && l.restitution == 0);
    assert_int_equal(perp_pair_get(w, 2, 2, &l), PERP_OK);
    assert_true(l.mu == 1.5 && l.restitution == 1);
    assert_int_equal(perp_pair_get(w, 0, 1, &l), PERP_OK);
    assert_true(l.mu == 0.3 && l.restitution == 0.5);
    assert_int_equal(shape_of(s, 0).def.material, 1);
    assert_int_equal(shape_of(s, 0).def.group, 2);
    assert_int_equal(shape_of(s, 0).def.mask, 6);
    assert_int_equal(shape_of(s, 1).def.material, 2);
    assert_int_equal(shape_of(s, 1).def.group, 4);
    assert_int_equal(shape_of(s, 1).def.mask, 1);
    assert_int_equal(shape_of(s, 2).def.material, 0);
    perp_scene_close(s);
}

static void shapes_3d(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        HEAD3 "bodies:\n"
              "  - kind: obstacle\n    shapes:\n"
              "      - {type: sphere, radius: 2, at: [1, 2, 3]}\n"
              "      - {type: box, size: [2, 4, 6], turn: {euler: [0, 0, 90*deg]}}\n"
              "      - {type: halfspace, normal: [0, 0, 2], offset: -1}\n"
              "      - {type: particle, at: [0, 0, 5]}\n"
              "      - {type: polyhedron, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]}\n");
    perp_shape_view v = shape_of(s, 0);
    assert_int_equal(v.def.kind, PERP_SHAPE_SPHERE);
    assert_true(v.def.radius == 2);
    assert_vec(v.def.X_BS.p, 1, 2, 3, 0);
    assert_int_equal(v.def.group, 1);
    assert_int_equal(v.def.mask, UINT32_MAX);
    v = shape_of(s, 1);
    assert_vec(v.def.half_size, 1, 2, 3, 0);
    assert_near(v.def.X_BS.q.w, sqrt(0.5), 1e-15);
    assert_near(v.def.X_BS.q.z, sqrt(0.5), 1e-15);
    v = shape_of(s, 2);
    assert_int_equal(v.def.kind, PERP_SHAPE_HALFSPACE);
    assert_true(v.def.offset == -1 && v.def.normal.z == 1);
    assert_int_equal(shape_of(s, 3).def.kind, PERP_SHAPE_PARTICLE);
    assert_vec(shape_of(s, 3).def.X_BS.p, 0, 0, 5, 0);
    assert_int_equal(shape_of(s, 4).def.npoint, 4);
    assert_int_equal(shape_of(s, 4).nface, 4);
    perp_scene_close(s);
}

static void shapes_2d(void **state) {
    (void)state;
    perp_scene *s = scene_of(HEAD2 "bodies:\n  - kind: obstacle\n    shapes:\n"
                                   "      - {type: polygon, points: [[0, 0], [2, 0], [2, 1]]}\n"
                                   "      - {type: regular, sides: 6, radius: 2, turn: 0.25}\n"
                                   "      - {type: polygon, points: {random: 50, in: [1, 0.5]}}\n");
    assert_int_equal(shape_of(s, 0).def.npoint, 3);
    perp_shape_view v = shape_of(s, 1);
    assert_int_equal(v.def.npoint, 6);
    double right = -1;
    for (int i = 0; i < 6; i++) {
        assert_near(perp_v3_norm(v.def.points[i]), 2, 1e-15);
        right = fmax(right, v.def.points[i].x);
    }
    assert_true(right == 2); /* a corner on +x */
    assert_near(v.def.X_BS.q.z, sin(0.125), 1e-16);
    v = shape_of(s, 2);
    double far_x = 0, far_y = 0;
    for (int i = 0; i < v.def.npoint; i++) {
        far_x = fmax(far_x, fabs(v.def.points[i].x));
        far_y = fmax(far_y, fabs(v.def.points[i].y));
    }
    assert_true(far_x <= 1 && far_x > 0.8 && far_y <= 0.5 && far_y > 0.4);
    perp_scene_close(s);
}

static void turns(void **state) {
    (void)state;
    perp_scene *s = scene_of(HEAD3 "bodies:\n"
                                   "  - {name: a, kind: obstacle, turn: {axis: [0, 0, 5], angle: pi/2}}\n"
                                   "  - {name: b, kind: obstacle, turn: [0, 0, 3, 4]}\n"
                                   "  - {name: c, kind: obstacle, turn: {euler: [pi/2, 0, pi/2]}}\n");
    assert_near(body_of(s, "a").X_WB.q.z, sqrt(0.5), 1e-15);
    perp_quat q = body_of(s, "b").X_WB.q;
    assert_near(q.y, 0.6, 1e-15);
    assert_near(q.z, 0.8, 1e-15);
    /* y goes to z by the turn about x, and stays there under the turn about z; x goes to y */
    assert_vec(perp_q_rotate(body_of(s, "c").X_WB.q, perp_v3(0, 1, 0)), 0, 0, 1, 1e-15);
    assert_vec(perp_q_rotate(body_of(s, "c").X_WB.q, perp_v3(1, 0, 0)), 0, 1, 0, 1e-15);
    perp_scene_close(s);
}

static void masses(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        HEAD3
        "bodies:\n"
        "  - {name: dense, density: 3, shape: {type: box, size: [1, 2, 3]}}\n"
        "  - {name: given, mass: 3, shape: {type: sphere, radius: 2}}\n"
        "  - {name: full, mass: 2, inertia: [3, 4, 5, 0.1, 0.2, 0.3]}\n"
        "  - {name: point, mass: 2, particle: true, gravity: false}\n"
        "  - {name: two, mass: 4, at: [10, 0, 0], turn: {axis: [0, 0, 1], angle: pi/2}, velocity: [1, 2, 3],\n"
        "     shapes: [{type: box, edges: [1, 1, 1]}, {type: box, half_edges: [0.5, 0.5, 0.5], at: [2, 0, 0]}]}\n");
    perp_body_def d = body_of(s, "dense");
    assert_near(d.mass, 18, 1e-14);
    assert_near(d.I_B.c[0].x, 18.0 / 12 * (4 + 9), 1e-13);
    d = body_of(s, "given");
    assert_true(d.mass == 3);
    assert_near(d.I_B.c[1].y, 0.4 * 3 * 4, 1e-14);
    d = body_of(s, "full");
    assert_true(d.I_B.c[2].z == 5 && d.I_B.c[0].y == 0.1 && d.I_B.c[2].x == 0.2 && d.I_B.c[2].y == 0.3);
    d = body_of(s, "point");
    assert_true(d.particle && d.no_gravity && d.mass == 2);
    /* two cubes 2 apart: the frame moves to their middle, what was written stays where it was */
    d = body_of(s, "two");
    assert_vec(d.X_WB.p, 10, 1, 0, 1e-15);
    assert_vec(d.v_W, 1, 2, 3, 0);
    assert_near(d.I_B.c[0].x, 4.0 / 6, 1e-14);
    assert_near(d.I_B.c[2].z, 4.0 / 6 + 4, 1e-14);
    assert_vec(shape_of(s, 2).def.X_BS.p, -1, 0, 0, 1e-15);
    assert_vec(shape_of(s, 3).def.X_BS.p, 1, 0, 0, 1e-15);
    perp_scene_close(s);
    s = scene_of(HEAD2 "bodies:\n  - {name: a, density: 2, shape: {type: box, size: [1, 2]}}\n"
                       "  - {name: b, mass: 2, inertia: 0.5, spin: 3}\n");
    assert_near(body_of(s, "a").mass, 4, 1e-15);
    assert_near(body_of(s, "a").I_B.c[2].z, 4 * 5.0 / 12, 1e-15);
    assert_true(body_of(s, "b").I_B.c[2].z == 0.5 && body_of(s, "b").w_W.z == 3);
    perp_scene_close(s);
}

/* A joint and forces on a body whose frame has moved act where they were written. */
static void shifted(void **state) {
    (void)state;
    perp_scene *s =
        scene_of(HEAD2 "gravity: [0, 0]\nbodies:\n"
                       "  - {name: hammer, mass: 2, at: [1, 0], shapes: [{type: box, size: [1, 1], at: [3, 0]}]}\n"
                       "  - {name: other, mass: 1, at: [0, 5], shapes: [{type: box, size: [1, 1], at: [1, 0]}]}\n"
                       "joints:\n"
                       "  - {name: frames, type: revolute, b: hammer, at_a: [1, 0]}\n"
                       "  - {name: point, type: revolute, b: hammer, at: [1, 0], collide: true}\n"
                       "forces:\n"
                       "  - {type: spring, a: hammer, b: other, at_a: [3, 1], stiffness: 2}\n"
                       "  - {type: constant, body: other, force: [1, 0], at: [1, 1]}\n");
    assert_vec(body_of(s, "hammer").X_WB.p, 4, 0, 0, 1e-15);
    assert_vec(joint_of(s, "frames").X_BJ.p, -3, 0, 0, 1e-15);
    assert_vec(joint_of(s, "point").X_BJ.p, -3, 0, 0, 1e-15);
    assert_vec(joint_of(s, "point").X_AJ.p, 1, 0, 0, 0);
    assert_true(joint_of(s, "point").collide && !joint_of(s, "frames").collide);
    double spring;
    perp_world_energy(perp_scene_world(s), NULL, NULL, &spring); /* from (4, 1) to the frame of other, (0, 5) */
    assert_near(spring, 0.5 * 2 * 32, 1e-13);
    perp_vec3 v, om;
    perp_world *w = perp_scene_world(s);
    steps_of(
        s,
        1); /* the force acts 1 above the centre of mass (1, 5); the spring pulls at (0, 5) to (4, 1), 1 left of it */
    assert_int_equal(perp_body_velocity(w, perp_body_find(w, "other"), &v, &om), PERP_OK);
    double inertia = 1.0 / 6, pull = 2 * sqrt(32), across = -pull * sqrt(0.5); /* downwards, at arm -1 */
    assert_near(om.z, 0.001 * (-1 + -1 * across) / inertia, 1e-12);
    perp_scene_close(s);
}

static void templates(void **state) {
    (void)state;
    perp_scene *s = scene_of(HEAD3 "templates:\n"
                                   "  ball: {mass: 2, shape: {type: sphere, radius: r}, velocity: [0, 0, i0]}\n"
                                   "  fast: {like: ball, velocity: [1, 2, 3], mass: 5}\n"
                                   "parameters: {r: 0.5, i0: 4}\n"
                                   "bodies:\n  - {name: a, like: ball}\n  - {name: b, like: fast, mass: 7}\n"
                                   "  - {name: c, like: fast, kind: obstacle}\n");
    assert_true(body_of(s, "a").mass == 2 && body_of(s, "a").v_W.z == 4);
    assert_true(body_of(s, "b").mass == 7 && body_of(s, "b").v_W.y == 2);
    assert_true(shape_of(s, 1).def.radius == 0.5);
    assert_int_equal(body_of(s, "c").kind, PERP_BODY_OBSTACLE); /* mass and velocity of the template are passed over */
    perp_scene_close(s);
}

static void repeats(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        HEAD2 "parameters: {n: 3}\nbodies:\n"
              "  - {repeat: n, name: 'a${i}', particle: true, mass: i + 1, at: [i, 0]}\n"
              "  - {repeat: {row: n, k: n - row}, name: 'p${row}_${2*k}', particle: true, mass: 1, at: [k, row]}\n"
              "  - {repeat: 0, particle: true, mass: -1}\n"
              "joints:\n  - {repeat: n - 1, name: 'j${i}', type: fixed, a: 'a${i}', b: 'a${i + 1}', at: [i, 0]}\n"
              "forces:\n  - {repeat: n, type: constant, body: 'a${i}', force: [i, 0]}\n");
    perp_world *w = perp_scene_world(s);
    assert_int_equal(perp_world_body_count(w), 3 + 6);
    assert_true(body_of(s, "a2").mass == 3);
    perp_body_id id[9];
    assert_int_equal(perp_world_bodies(w, id, 9), 9);
    const char *order[] = {"a0", "a1", "a2", "p0_0", "p0_2", "p0_4", "p1_0", "p1_2", "p2_0"};
    for (int i = 0; i < 9; i++) assert_string_equal(perp_body_name(w, id[i]), order[i]);
    assert_vec(body_of(s, "p1_2").X_WB.p, 1, 1, 0, 0);
    perp_joint_def j = joint_of(s, "j1");
    assert_true(j.a.slot == 1 && j.b.slot == 2);
    assert_vec(j.X_AJ.p, 0, 0, 0, 0);
    assert_vec(j.X_BJ.p, -1, 0, 0, 0);
    assert_int_equal(perp_world_force_count(w), 3);
    perp_scene_close(s);
}

static uint64_t hash_of(const char *text) {
    perp_scene *s = scene_of(text);
    uint64_t h = perp_world_hash(perp_scene_world(s));
    perp_scene_close(s);
    return h;
}

#define CLOUD \
    "bodies:\n  - {repeat: 1000, particle: true, mass: 1, at: ['uniform(-1, 3)', 'normal(5, 2)'], name: 'b${i}'}\n"

static void random_numbers(void **state) {
    (void)state;
    assert_true(hash_of(HEAD2 CLOUD) == hash_of(HEAD2 "seed: 0\n" CLOUD));
    assert_true(hash_of(HEAD2 CLOUD) != hash_of(HEAD2 "seed: 1\n" CLOUD));
    /* the order in which keys are written does not matter */
    assert_true(hash_of(HEAD2 "bodies: [{particle: true, mass: 'uniform(1, 2)', at: ['uniform(0, 1)', 0]}]\n") ==
                hash_of(HEAD2 "bodies: [{at: ['uniform(0, 1)', 0], mass: 'uniform(1, 2)', particle: true}]\n"));
    perp_scene *s = scene_of(HEAD2 CLOUD);
    perp_world *w = perp_scene_world(s);
    static perp_body_id id[1000];
    perp_world_bodies(w, id, 1000);
    double mean_x = 0, mean_y = 0, square = 0, least = 9, most = -9;
    for (int i = 0; i < 1000; i++) {
        perp_pose X;
        perp_body_pose(w, id[i], &X);
        mean_x += X.p.x / 1000;
        mean_y += X.p.y / 1000;
        square += (X.p.y - 5) * (X.p.y - 5) / 1000;
        least = fmin(least, X.p.x);
        most = fmax(most, X.p.x);
    }
    assert_near(mean_x, 1, 4 * 4 / sqrt(12 * 1000)); /* four standard errors */
    assert_near(mean_y, 5, 4 * 2 / sqrt(1000));
    assert_near(square, 4, 4 * 4 * sqrt(2.0 / 1000));
    assert_true(least >= -1 && least < -0.9 && most < 3 && most > 2.9);
    perp_pose first, second;
    perp_body_pose(w, id[0], &first);
    perp_scene_close(s);
    /* an entry's draws depend on its place and turn, not on how many there are */
    s = scene_of(HEAD2 "bodies:\n  - {repeat: 2, particle: true, mass: 1, at: ['uniform(-1, 3)', 'normal(5, 2)']}\n");
    perp_world_bodies(perp_scene_world(s), id, 2);
    perp_body_pose(perp_scene_world(s), id[0], &second);
    assert_true(first.p.x == second.p.x && first.p.y == second.p.y);
    perp_scene_close(s);
    /* equal entries draw different numbers, without a repeat too; and the stream belongs to the format: these are its
     * first numbers */
    s = scene_of(HEAD2 "bodies: [{name: a, particle: true, mass: 1, at: ['uniform(0, 1)', 'uniform(0, 1)']},\n"
                       "         {name: b, particle: true, mass: 1, at: ['uniform(0, 1)', 'uniform(0, 1)']}]\n");
    assert_near(body_of(s, "a").X_WB.p.x, 0.4322856147392272, 1e-15);
    assert_near(body_of(s, "a").X_WB.p.y, 0.2897519261182768, 1e-15);
    assert_near(body_of(s, "b").X_WB.p.x, 0.03265366718212759, 1e-15);
    perp_scene_close(s);
}

static void joints(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        HEAD3 "bodies:\n"
              "  - {name: a, mass: 1, inertia: [1, 1, 1], at: [1, 0, 0], turn: {axis: [0, 0, 1], angle: 1}}\n"
              "  - {name: b, mass: 1, inertia: [1, 1, 1], at: [2, 0, 0], turn: {axis: [1, 0, 0], angle: 2}}\n"
              "joints:\n"
              "  - {name: r, type: revolute, a: a, b: b, at: [1.5, 1, 2], axis: [0, 3, 4], limits: [-1, inf],\n"
              "     motor: {speed: 2}, spring: {stiffness: 3, rest: 0.5, damping: 4}, friction: 5}\n"
              "  - {name: c, type: cylindrical, b: a, at: [1, 0, 0], axis: [0, 0, -1],\n"
              "     axes: [{limits: [-2, 2]}, {motor: {speed: 1, force: 9}}]}\n"
              "  - {name: u, type: universal, a: world, b: b, at: [2, 0, 0], turn: {axis: [0, 1, 0], angle: 0.3}}\n"
              "  - {name: p, type: planar, b: b, at_a: [1, 2, 3], turn_a: [0, 1, 0, 0], at_b: [0, 0, 1]}\n");
    perp_world *w = perp_scene_world(s);
    double coord[3], position, angle;
    perp_joint_def j = joint_of(s, "r");
    assert_true(j.axis[0].limited && j.axis[0].lo == -1 && j.axis[0].hi == INFINITY);
    assert_true(j.axis[0].motor && j.axis[0].motor_speed == 2 && j.axis[0].motor_force == INFINITY);
    assert_true(j.axis[0].stiffness == 3 && j.axis[0].rest == 0.5 && j.axis[0].damping == 4 && j.axis[0].friction == 5);
    perp_quat q = perp_q_mul(body_of(s, "b").X_WB.q, j.X_BJ.q);
    assert_vec(perp_q_rotate(q, perp_v3(0, 0, 1)), 0, 0.6, 0.8, 1e-15);
    assert_vec(perp_pose_apply(body_of(s, "a").X_WB, j.X_AJ.p), 1.5, 1, 2, 1e-15);
    const char *zero[] = {"r", "c", "u"};
    for (int i = 0; i < 3; i++) {
        perp_joint_id id = perp_joint_find(w, zero[i]);
        assert_int_equal(perp_joint_read(w, id, coord, NULL), PERP_OK);
        assert_near(coord[0], 0, 1e-15);
        assert_int_equal(perp_joint_error(w, id, &position, &angle), PERP_OK);
        assert_near(position + angle, 0, 1e-14);
    }
    j = joint_of(s, "c");
    assert_true(j.axis[0].limited && j.axis[1].motor && j.axis[1].motor_force == 9 && !j.axis[0].motor);
    assert_vec(perp_q_rotate(j.X_AJ.q, perp_v3(0, 0, 1)), 0, 0, -1, 1e-15);
    j = joint_of(s, "p");
    assert_vec(j.X_AJ.p, 1, 2, 3, 0);
    assert_true(j.X_AJ.q.x == 1 && j.X_BJ.p.z == 1 && j.X_BJ.q.w == 1);
    perp_scene_close(s);
    s = scene_of(HEAD2 "bodies: [{name: a, mass: 1, inertia: 1, turn: 0.3}]\n"
                       "joints: [{name: p, type: prismatic, b: a, at: [1, 1], axis: [0, 2]}]\n");
    j = joint_of(s, "p");
    assert_vec(perp_q_rotate(j.X_AJ.q, perp_v3(1, 0, 0)), 0, 1, 0, 1e-15);
    assert_near(2 * atan2(j.X_BJ.q.z, j.X_BJ.q.w), PI / 2 - 0.3, 1e-15);
    perp_scene_close(s);
}

/* Each force on a free particle of mass 2: velocity after one step of 0.001. */
static void forces(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        HEAD3
        "gravity: [0, 0, 0]\nparameters: {k: 3}\n"
        "templates: {p: {mass: 2, inertia: [2, 2, 2], at: [1, 0, 0]}}\n"
        "bodies: [{like: p, name: c}, {like: p, name: s}, {like: p, name: x, velocity: [0, 1, 0]}, {like: p, name: "
        "d},\n"
        "         {like: p, name: f, force: [0, 0, 4], torque: [0, 2, 0]}, {like: p, name: t, turn: {axis: [0, 0, 1], "
        "angle: pi/2}}]\n"
        "joints: [{name: slide, type: prismatic, b: d, at: [1, 0, 0], axis: [1, 0, 0]}]\n"
        "forces:\n"
        "  - {name: one, type: constant, body: c, force: [0, 2, 0], torque: [0, 0, 1], at: [2, 0, 0]}\n"
        "  - {type: sinusoid, body: s, force: [4, 0, 0], omega: 10, phase: pi/6}\n"
        "  - {type: expression, body: x, force: [k*x, '-vy', sin(pi/2 + 0*t)], torque: [0, 0, k], at: [0, 1, 0]}\n"
        "  - {type: pd, joint: slide, kp: 10, kd: 1, target: 1, max_force: 4}\n"
        "  - {type: constant, body: t, force: [2, 0, 0], frame: body}\n");
    perp_world *w = perp_scene_world(s);
    perp_vec3 v, om;
    steps_of(s, 1);
    perp_body_velocity(w, perp_body_find(w, "c"), &v, &om);
    assert_vec(v, 0, 0.001, 0, 1e-15);
    assert_vec(om, 0, 0, 0.001 * 5 / 2, 1e-15);
    perp_body_velocity(w, perp_body_find(w, "s"), &v, NULL);
    assert_vec(v, 0.001 * 4 * 0.5 / 2, 0, 0, 1e-12); /* sin(pi/6) at the start of the step */
    perp_body_velocity(w, perp_body_find(w, "x"), &v, &om);
    assert_vec(v, 0.001 * 3 / 2, 1 - 0.001 * 1 / 2, 0.001 / 2, 1e-15);
    assert_vec(om, 0.001 * 1 / 2, 0, 0.001 * (3 - 3) / 2, 1e-15); /* (0,1,0) x (3,-1,1) = (1, 0, -3) */
    perp_body_velocity(w, perp_body_find(w, "d"), &v, NULL);
    assert_vec(v, 0.001 * 4 / 2, 0, 0, 1e-12);
    perp_body_velocity(w, perp_body_find(w, "f"), &v, &om);
    assert_vec(v, 0, 0, 0.001 * 4 / 2, 1e-15);
    assert_vec(om, 0, 0.001, 0, 1e-15);
    perp_body_velocity(w, perp_body_find(w, "t"), &v, NULL);
    assert_vec(v, 0, 0.001, 0, 1e-15);
    perp_scene_close(s);
}

static void motions(void **state) {
    (void)state;
    perp_scene *s = scene_of(
        HEAD2 "h: 0.1\nparameters: {A: 2}\nbodies:\n"
              "  - {name: c, kind: kinematic, at: [1, 0], motion: {type: constant, velocity: [1, 2], spin: 3}}\n"
              "  - {name: v, kind: kinematic, velocity: [0, 5], spin: -1}\n"
              "  - {name: s, kind: kinematic, motion: {type: sinusoid, terms: [{axis: x, amplitude: A, omega: 2, "
              "phase: pi/2},\n"
              "     {axis: z, angular: true, amplitude: 0.5, omega: 1}]}}\n"
              "  - {name: t, kind: kinematic, motion: {type: table, rows: [[0, 0, 0, 0], [1, 10, 20, 0.5]]}}\n"
              "  - {name: e, kind: kinematic, turn: 0.4, motion: {type: expression, at: [A*t^2, 'min(t, 0.05)']}}\n"
              "  - {name: r, kind: kinematic, at: [7, 8], motion: {type: expression, turn: 2*t}}\n");
    perp_world *w = perp_scene_world(s);
    double a;
    steps_of(s, 1);
    assert_vec(body_of(s, "c").X_WB.p, 1.1, 0.2, 0, 1e-15);
    perp_body_angle(w, perp_body_find(w, "c"), &a);
    assert_near(a, 0.3, 1e-15);
    assert_vec(body_of(s, "v").X_WB.p, 0, 0.5, 0, 1e-15);
    assert_near(body_of(s, "s").X_WB.p.x, -2 * cos(0.2) / 4, 1e-15);
    assert_vec(body_of(s, "t").X_WB.p, 1, 2, 0, 1e-14);
    assert_vec(body_of(s, "e").X_WB.p, 0.02, 0.05, 0, 1e-15);
    perp_body_angle(w, perp_body_find(w, "e"), &a);
    assert_near(a, 0.4, 1e-15);
    assert_vec(body_of(s, "r").X_WB.p, 7, 8, 0, 0);
    perp_body_angle(w, perp_body_find(w, "r"), &a);
    assert_near(a, 0.2, 1e-15);
    perp_scene_close(s);
    s = scene_of(HEAD3 "h: 0.5\nbodies:\n"
                       "  - {name: t, kind: kinematic, motion: {type: table, rows: [[0, 0, 0, 0, 1, 0, 0, 0], [1, 1, "
                       "0, 0, 0, 0, 0, 2]]}}\n"
                       "  - {name: e, kind: kinematic, motion: {type: expression, at: [t, 2*t, 3*t], turn: {axis: [0, "
                       "0, 1 + t], angle: pi*t}}}\n");
    steps_of(s, 1);
    assert_vec(perp_q_rotate(body_of(s, "t").X_WB.q, perp_v3(1, 0, 0)), 0, 1, 0, 1e-15);
    assert_vec(perp_q_rotate(body_of(s, "e").X_WB.q, perp_v3(1, 0, 0)), 0, 1, 0, 1e-15);
    assert_vec(body_of(s, "e").X_WB.p, 0.5, 1, 1.5, 1e-15);
    perp_scene_close(s);
}

/* What is not finite at some time ends the run with the world's own words, and a clone computes the same. */
static void formulas_that_fail(void **state) {
    (void)state;
    perp_scene *s = scene_of(HEAD2 "h: 0.1\nbodies: [{name: a, particle: true, mass: 1}]\n"
                                   "forces: [{type: expression, body: a, force: [1/(0.25 - t > 0), x]}]\n");
    perp_world *w = perp_scene_world(s), *clone = NULL;
    assert_int_equal(perp_world_clone(w, &clone), PERP_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(perp_world_step(w, NULL), PERP_OK);
        assert_int_equal(perp_world_step(clone, NULL), PERP_OK);
    }
    assert_true(perp_world_hash(w) == perp_world_hash(clone));
    perp_world_destroy(clone);
    assert_int_equal(perp_world_step(w, NULL), PERP_E_ARG);
    assert_non_null(strstr(perp_world_why(w), "not finite"));
    perp_scene_close(s);
    s = scene_of(HEAD2
                 "h: 0.1\nbodies: [{name: a, kind: kinematic, motion: {type: expression, at: [0, sqrt(0.15 - t)]}}]\n");
    assert_int_equal(perp_world_step(perp_scene_world(s), NULL), PERP_OK);
    assert_int_equal(perp_world_step(perp_scene_world(s), NULL), PERP_E_ARG);
    perp_scene_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_and_record),
        cmocka_unit_test(defaults),
        cmocka_unit_test(stages),
        cmocka_unit_test(form_left_open),
        cmocka_unit_test(cones),
        cmocka_unit_test(parameters),
        cmocka_unit_test(laws),
        cmocka_unit_test(shapes_3d),
        cmocka_unit_test(shapes_2d),
        cmocka_unit_test(turns),
        cmocka_unit_test(masses),
        cmocka_unit_test(shifted),
        cmocka_unit_test(templates),
        cmocka_unit_test(repeats),
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(joints),
        cmocka_unit_test(forces),
        cmocka_unit_test(motions),
        cmocka_unit_test(formulas_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
