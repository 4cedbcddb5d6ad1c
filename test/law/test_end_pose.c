/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_end_pose.c - `geometry: end`: contacts, friction and inertia at the end of the step
 * Witness  M(q+) nu+ - M(q) nu - h f - W(q+) p = 0, gaps, normals and Coulomb's law, written down here from poses, velocities
 *          and impulses alone; and the stepper "implicit", which finds its contacts by closest points of convex functions and
 *          shares no geometry with the contact models. */
#include "unit/world_help.h"

#include "count_malloc.h"

typedef void (*maker)(perp_world *w);

typedef struct choice {
    const char *stepper, *model;
    perp_geometry geometry;
    perp_form form;
} choice;

static const choice at_end = {NULL, NULL, PERP_GEOMETRY_END, PERP_FORM_LCP};
static const choice at_end_cone = {NULL, NULL, PERP_GEOMETRY_END, PERP_FORM_CONE};
static const choice implicit = {"implicit", NULL, PERP_GEOMETRY_ITERATED, PERP_FORM_LCP};
static const choice implicit_cone = {"implicit", NULL, PERP_GEOMETRY_ITERATED, PERP_FORM_CONE};

static perp_world *world(int dim, choice c, double h, maker make) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = c.stepper;
    d.contact_model = c.model;
    d.geometry = c.geometry;
    d.form = c.form;
    d.h = h;
    d.impacts = PERP_IMPACTS_PLAIN; /* as implicit has them */
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
    make(w);
    return w;
}

static perp_body_id add_solid(perp_world *w, perp_shape_def s, perp_vec3 at, perp_vec3 v, perp_vec3 spin) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    assert_int_equal(perp_body_def_mass(&d, &s, perp_world_dim(w), 100), PERP_OK);
    d.X_WB.p = at;
    d.v_W = v;
    d.w_W = spin;
    perp_body_id b = add_def(w, &d);
    add_shape(w, b, s);
    return b;
}

static void add_fixed(perp_world *w, perp_shape_def s, perp_vec3 at) {
    perp_body_def d = perp_body_def_default(PERP_BODY_OBSTACLE);
    d.X_WB.p = at;
    add_shape(w, add_def(w, &d), s);
}

/* ---- scenes ---- */

/* A ball whose centre of mass and inertia are off, on a large ball. */
static perp_body_id add_egg(perp_world *w, double height) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    d.mass = 1;
    d.I_B = perp_m3_diag(0.01, 0.03, 0.025);
    d.X_WB.p = perp_v3(0, 0, height);
    d.v_W = perp_v3(1, 0.3, 0);
    d.w_W = perp_v3(3, 2, 5);
    perp_body_id b = add_def(w, &d);
    perp_shape_def s = perp_shape_sphere(0.2);
    s.X_BS.p = perp_v3(0.03, 0.02, 0.05);
    add_shape(w, b, s);
    return b;
}

static void egg_on_ball(perp_world *w) {
    add_fixed(w, perp_shape_sphere(1), perp_v3(0, 0, 0));
    add_egg(w, 1.2);
}

/* The axes of the ellipse are those of the egg at the end. */
static void elliptic_egg(perp_world *w) {
    int skin;
    OK(w, perp_material_add(w, &skin));
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3, .e_t = 1, .e_o = 0.4, .e_r = 0.02}));
    perp_shape_def s = perp_shape_sphere(1);
    s.material = skin;
    add_fixed(w, s, perp_v3(0, 0, 0));
    add_egg(w, 1.2);
}

static void egg_on_plane(perp_world *w) {
    add_floor(w);
    add_egg(w, 0.25);
}

static void brick(perp_world *w) {
    add_floor(w);
    perp_shape_def s = perp_shape_box(0.4, 0.2, 0.1);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    assert_int_equal(perp_body_def_mass(&d, &s, 3, 100), PERP_OK);
    d.X_WB.p = perp_v3(0, 0, 0.6);
    d.X_WB.q = perp_q_exp(perp_v3(0.4, 0.3, 0.2));
    d.v_W = perp_v3(1, 0.2, 0);
    d.w_W = perp_v3(3, -2, 5);
    add_shape(w, add_def(w, &d), s);
}

static void capsule_on_ball(perp_world *w) {
    add_fixed(w, perp_shape_sphere(1), perp_v3(0, 0, 0));
    perp_body_id b =
        add_solid(w, perp_shape_capsule(0.1, 0.3), perp_v3(0.1, 0.05, 1.15), perp_v3(0.2, 0.1, 0), perp_v3(0, 0, -4));
    OK(w, perp_body_set_pose(w, b, (perp_pose){perp_v3(0.1, 0.05, 1.15), perp_q_exp(perp_v3(0.1, 0.1, 0.2))}));
}

static void bounce(perp_world *w) {
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3, .restitution = 0.6}));
    add_fixed(w, perp_shape_sphere(1), perp_v3(0, 0, 0));
    add_solid(w, perp_shape_sphere(0.2), perp_v3(0.2, 0.05, 1.4), perp_v3(0.2, 0.1, 0), perp_v3(0, 3, -4));
}

static void driven_ball(perp_world *w) {
    perp_body_def d = perp_body_def_default(PERP_BODY_KINEMATIC);
    d.v_W = perp_v3(0.1, 0, 0.05);
    d.w_W = perp_v3(0.5, 0.2, 1);
    add_shape(w, add_def(w, &d), perp_shape_sphere(1));
    add_solid(w, perp_shape_sphere(0.2), perp_v3(0.1, 0.05, 1.25), perp_v3(0, 0, 0), perp_v3(0, 0, 0));
}

static void disc_on_disc(perp_world *w) {
    add_fixed(w, perp_shape_sphere(1), perp_v3(0, 0, 0));
    perp_body_id b = add_mass(w, 28, 1.2, perp_pose_at(0.1, 1.2960, 0));
    add_shape(w, b, perp_shape_sphere(0.3));
    OK(w, perp_body_set_velocity(w, b, perp_v3(0, 0, 0), perp_v3(0, 0, -4)));
}

/* The same in space, with gravity along y. */
static void ball_on_ball(perp_world *w) { disc_on_disc(w); }

static perp_shape_def pentagon(perp_vec3 p[5]) {
    for (int i = 0; i < 5; i++) p[i] = perp_v3(0.3 * cos(0.4 * PI * i), 0.3 * sin(0.4 * PI * i), 0);
    return perp_shape_polygon(p, 5);
}

static void pentagon_on_box(perp_world *w) {
    perp_vec3 p[5];
    add_fixed(w, perp_shape_box(4, 0.5, 0.5), perp_v3(0, -0.5, 0));
    add_solid(w, pentagon(p), perp_v3(-1, 0.5, 0), perp_v3(1, 0, 0), perp_v3(0, 0, -5));
}

static void pentagon_on_plane(perp_world *w) {
    perp_vec3 p[5];
    add_floor(w);
    add_solid(w, pentagon(p), perp_v3(0, 0.5, 0), perp_v3(1, 0, 0), perp_v3(0, 0, -5));
}

static void two_balls(perp_world *w) {
    double z = perp_world_dim(w) == 3 ? 0.08 : 0;
    add_solid(w, perp_shape_sphere(0.2), perp_v3(-0.5, 0.05, 0), perp_v3(2, 0, 0), perp_v3(0, 0, 6));
    add_solid(w, perp_shape_sphere(0.2), perp_v3(0.5, 0, z), perp_v3(0, 0, 0), perp_v3(0, 0, 0));
}

/* ---- the laws at the end, from poses, velocities and impulses alone ---- */

typedef struct moving {
    perp_pose X;
    perp_vec3 v, w;
} moving;

static moving of(const perp_world *w, perp_body_id b) {
    return (moving){pose_of(w, b), velocity_of(w, b), spin_of(w, b)};
}

static perp_vec3 spin_momentum(const perp_body_def *d, const moving *m) {
    return perp_q_rotate(m->X.q, perp_m3_mul_v(d->I_B, perp_q_unrotate(m->X.q, m->w)));
}

static perp_vec3 impulse_of(const perp_contact *c) {
    perp_vec3 p = perp_v3_scale(c->impulse_C[0], c->n_W);
    return perp_v3_axpy(perp_v3_axpy(p, c->impulse_C[1], c->t_W), c->impulse_C[2], c->o_W);
}

/* Coulomb's law at the end velocity of a ball b that touches something fixed; returns 1 if it slides. */
static int coulomb(const perp_contact *c, const moving *m) {
    perp_vec3 r = perp_v3_sub(c->b_W, m->X.p), s = perp_v3_add(m->v, perp_v3_cross(m->w, r));
    s = perp_v3_axpy(s, -perp_v3_dot(s, c->n_W), c->n_W);
    perp_vec3 p = impulse_of(c), pt = perp_v3_axpy(p, -c->impulse_C[0], c->n_W);
    double limit = c->mu * c->impulse_C[0], slip = perp_v3_norm(s);
    BELOW(perp_v3_norm(pt), limit * (1 + 1e-7) + 1e-12);
    BELOW(perp_v3_dot(pt, s), 1e-9 * limit); /* friction takes energy */
    if (slip < 1e-6) return 0;
    NEAR(perp_v3_norm(perp_v3_axpy(pt, limit / slip, s)), 0, 1e-6 * limit);
    return 1;
}

/* A body with unequal moments of inertia on a ball: momentum with the inertia, levers and directions of the end. */
static void laws_at_the_end(void **state) {
    (void)state;
    const double h = 0.005;
    perp_world *w = world(3, at_end_cone, h, egg_on_ball);
    perp_body_id id[2];
    assert_int_equal(perp_world_bodies(w, id, 2), 2);
    perp_body_def d;
    OK(w, perp_body_get(w, id[1], &d));
    int slides = 0, pressed = 0;
    double bent = 0;
    for (int i = 0; i < 80; i++) {
        moving m0 = of(w, id[1]);
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        assert_int_equal(c.substeps, 1);
        moving m1 = of(w, id[1]);
        const perp_contact *k;
        int n = perp_world_contacts(w, &k);
        perp_vec3 force = perp_v3_scale(h * d.mass, perp_v3(0, 0, -9.81)), torque = {0, 0, 0};
        for (int j = 0; j < n; j++) {
            perp_vec3 p = impulse_of(&k[j]);
            force = perp_v3_add(force, p);
            torque = perp_v3_add(torque, perp_v3_cross(perp_v3_sub(k[j].b_W, m1.X.p), p));
            if (!(k[j].impulse_C[0] > 0)) continue;
            perp_vec3 centre = perp_pose_apply(m1.X, perp_v3(0.03, 0.02, 0.05)); /* of the small ball */
            NEAR(perp_v3_norm(perp_v3_sub(perp_v3_unit(centre), k[j].n_W)), 0, 1e-9);
            NEAR(perp_v3_norm(centre), 1.2, 1e-10);
            NEAR(k[j].gap_end, 0, 1e-10);
            NEAR(perp_v3_norm(k[j].b_W), 1, 1e-9);
            slides += coulomb(&k[j], &m1);
            pressed++;
        }
        NEAR(perp_v3_norm(perp_v3_sub(perp_v3_scale(d.mass, perp_v3_sub(m1.v, m0.v)), force)), 0, 1e-9);
        perp_vec3 dL = perp_v3_sub(spin_momentum(&d, &m1), spin_momentum(&d, &m0));
        NEAR(perp_v3_norm(perp_v3_sub(dL, torque)), 0, 1e-9);
        moving mixed = {m0.X, m1.v, m1.w}; /* with the inertia of the start it would not hold */
        bent = fmax(bent, perp_v3_norm(perp_v3_sub(spin_momentum(&d, &mixed), spin_momentum(&d, &m1))));
        NEAR(c.ledger.remainder, 0, 1e-12);
    }
    assert_true(pressed > 40 && slides > 10);
    assert_true(bent > 1e-4);
    perp_world_destroy(w);
}

/* ---- against the stepper implicit ---- */

/* Largest difference of poses and velocities of two worlds over some steps; pressed: contacts of the second. */
static double apart(perp_world *a, perp_world *b, int steps, int *pressed) {
    double most = 0;
    for (int i = 0; i < steps; i++) {
        perp_certificate c, implicit_c;
        OK(a, perp_world_step(a, &implicit_c));
        OK(b, perp_world_step(b, &c));
        if (implicit_c.substeps > 1) { /* `implicit` divides a step in which contacts would add energy */
            assert_true(*pressed > 0);
            break;
        }
        assert_int_equal(c.substeps, 1);
        assert_int_equal(c.fallbacks, 0);
        BELOW(c.overlap, 1e-11);
        *pressed += c.sticking + c.sliding;
        perp_body_id id[4];
        int n = perp_world_bodies(a, id, 4);
        for (int k = 0; k < n; k++) {
            moving x = of(a, id[k]), y = of(b, id[k]);
            most = fmax(most, perp_v3_norm(perp_v3_sub(x.X.p, y.X.p)));
            most = fmax(most, perp_v3_norm(perp_v3_sub(x.v, y.v)));
            most = fmax(most, perp_v3_norm(perp_v3_sub(x.w, y.w)));
        }
    }
    return most;
}

static void as_implicit(void **state) {
    (void)state;
    const struct {
        const char *name;
        maker make;
        int dim, steps;
        bool cone;
    } scene[] = {{"egg on ball", egg_on_ball, 3, 60, false},
                 {"egg on ball, cone", egg_on_ball, 3, 60, true},
                 {"egg on ball, elliptic and torsional cone", elliptic_egg, 3, 60, true},
                 {"egg on plane, cone", egg_on_plane, 3, 100, true},
                 {"brick", brick, 3, 80, false},
                 {"capsule on ball", capsule_on_ball, 3, 50, false},
                 {"bounce", bounce, 3, 50, false},
                 {"driven ball", driven_ball, 3, 60, false},
                 {"disc on disc", disc_on_disc, 2, 60, false},
                 {"disc on disc, cone", disc_on_disc, 2, 60, true},
                 {"pentagon on plane", pentagon_on_plane, 2, 100, false},
                 {"two balls", two_balls, 3, 40, true},
                 {"two discs", two_balls, 2, 40, false}};
    for (size_t i = 0; i < sizeof scene / sizeof *scene; i++) {
        int pressed = 0;
        perp_world *a = world(scene[i].dim, scene[i].cone ? implicit_cone : implicit, 0.01, scene[i].make);
        perp_world *b = world(scene[i].dim, scene[i].cone ? at_end_cone : at_end, 0.01, scene[i].make);
        double d = apart(a, b, scene[i].steps, &pressed);
        print_message("%s: %.2g, %d contacts\n", scene[i].name, d, pressed);
        assert_true(pressed > 0);
        BELOW(d, scene[i].cone ? 1e-9 : 1e-11);
        perp_world_destroy(a);
        perp_world_destroy(b);
    }
}

/* Every contact model that foresees contacts moves these as peg does. */
static void all_models(void **state) {
    (void)state;
    const char *const model[] = {"one-plane", "standard", "lnc", "peg-mixed"};
    const maker make[] = {pentagon_on_box, disc_on_disc, pentagon_on_plane};
    for (size_t i = 0; i < sizeof model / sizeof *model; i++)
        for (size_t k = 0; k < sizeof make / sizeof *make; k++) {
            choice c = at_end;
            c.model = model[i];
            int pressed = 0;
            perp_world *a = world(2, at_end, 0.01, make[k]), *b = world(2, c, 0.01, make[k]);
            BELOW(apart(a, b, 60, &pressed), 1e-11);
            assert_true(pressed > 0);
            perp_world_destroy(a);
            perp_world_destroy(b);
        }
    choice c = at_end_cone;
    c.model = "one-plane";
    int pressed = 0;
    perp_world *a = world(3, at_end_cone, 0.01, elliptic_egg), *b = world(3, c, 0.01, elliptic_egg);
    BELOW(apart(a, b, 60, &pressed), 1e-9);
    perp_world_destroy(a);
    perp_world_destroy(b);
}

/* `corrective` pushes out what overlapped at the start, along the normal of the end and as far as the gap there, or less far where that
 * would add energy. */
static void corrective(void **state) {
    (void)state;
    choice c = at_end;
    c.model = "corrective";
    perp_world *w = world(2, c, 0.01, disc_on_disc);
    perp_body_id id[2];
    perp_world_bodies(w, id, 2);
    int pushed = 0;
    for (int i = 0; i < 40; i++) {
        perp_certificate x;
        OK(w, perp_world_step(w, &x));
        if (x.sticking + x.sliding == 0) continue;
        double distance = perp_v3_norm(pose_of(w, id[1]).p);
        BELOW(distance, 1.3 + 1e-12);
        NEAR(x.gain, 0, 1e-12);
        pushed += distance > 1.3 - 1e-12;
    }
    print_message("pushed out in %d steps\n", pushed);
    assert_true(pushed > 5);
    perp_world_destroy(w);
}

/* Anitescu-Potra: what touches has no normal velocity along the normal of the end; both models agree. */
static void anitescu_potra(void **state) {
    (void)state;
    choice c = at_end;
    c.stepper = "anitescu-potra";
    choice one = c;
    one.model = "one-plane";
    perp_world *a = world(2, c, 0.01, disc_on_disc), *b = world(2, one, 0.01, disc_on_disc);
    perp_body_id id[2];
    perp_world_bodies(a, id, 2);
    int held = 0;
    for (int i = 0; i < 40; i++) {
        perp_certificate x;
        OK(a, perp_world_step(a, &x));
        OK(b, perp_world_step(b, NULL));
        moving m = of(a, id[1]);
        NEAR(perp_v3_norm(perp_v3_sub(m.v, velocity_of(b, id[1]))), 0, 1e-11);
        if (i == 0 || x.sticking + x.sliding == 0) continue; /* the first step closes a gap of 1e-4 */
        NEAR(perp_v3_dot(m.v, perp_v3_unit(m.X.p)), 0, 1e-12);
        held++;
    }
    assert_true(held > 20);
    perp_world_destroy(a);
    perp_world_destroy(b);
}

/* ---- conservation, dimension ---- */

/* Linear momentum is kept. Impulses are equal and opposite at one point of the end, and bodies move from where they were by
 * h nu+; so the angular momentum changes by h p x (v_B - v_A) in a step, v before it, and by nothing else. */
static void momentum(void **state) {
    (void)state;
    const double h = 0.01;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.geometry = PERP_GEOMETRY_END;
        d.form = PERP_FORM_CONE;
        d.gravity_W = perp_v3(0, 0, 0);
        d.h = h;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
        two_balls(w);
        perp_body_id id[2];
        perp_world_bodies(w, id, 2);
        double met = 0, before, after;
        perp_world_energy(w, &before, NULL, NULL);
        for (int i = 0; i < 50; i++) {
            perp_vec3 p0, L0, p1, L1, turned = {0, 0, 0};
            perp_vec3 v = perp_v3_sub(velocity_of(w, id[1]), velocity_of(w, id[0]));
            perp_world_momentum(w, &p0, &L0);
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            perp_world_momentum(w, &p1, &L1);
            const perp_contact *k;
            int n = perp_world_contacts(w, &k);
            for (int j = 0; j < n; j++) {
                turned = perp_v3_axpy(turned, h, perp_v3_cross(impulse_of(&k[j]), v));
                met = fmax(met, k[j].impulse_C[0]);
            }
            NEAR(perp_v3_norm(perp_v3_sub(p1, p0)), 0, 1e-12);
            NEAR(perp_v3_norm(perp_v3_sub(perp_v3_sub(L1, L0), turned)), 0, 1e-12);
            BELOW(c.ledger.friction, 1e-14);
        }
        perp_world_energy(w, &after, NULL, NULL);
        assert_true(met > 0.1);
        BELOW(after, before);
        perp_world_destroy(w);
    }
}

static void plane_in_space(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.geometry = PERP_GEOMETRY_END;
    d.gravity_W = perp_v3(0, -9.81, 0);
    d.h = 0.01;
    perp_world *w3 = world_of(&d), *w2 = world(2, at_end, 0.01, disc_on_disc);
    OK(w3, perp_pair_set_all(w3, (perp_pair_law){.mu = 0.3}));
    ball_on_ball(w3);
    int pressed = 0;
    BELOW(apart(w2, w3, 50, &pressed), 1e-12);
    assert_true(pressed > 40);
    perp_world_destroy(w2);
    perp_world_destroy(w3);
}

/* ---- where it does not settle; what goes with it ---- */

/* A fast disc that grazes one of its own size: it would pass most of it in a step. */
static void grazing(perp_world *w) {
    add_fixed(w, perp_shape_sphere(0.3), perp_v3(0, 0, 0));
    add_solid(w, perp_shape_sphere(0.3), perp_v3(-0.6, 0.3, 0), perp_v3(30, 0, 0), perp_v3(0, 0, 0));
}

static void count_warnings(perp_log_level level, const char *text, void *ctx) {
    if (level == PERP_LOG_WARNING && strstr(text, "contacts act at the start")) ++*(int *)ctx;
}

static void fallback(void **state) {
    (void)state;
    for (int halvings = 0; halvings <= 8; halvings += 8) {
        int warned = 0, parts = 0, fallbacks = 0;
        perp_world_def d = perp_world_def_default(2);
        d.geometry = PERP_GEOMETRY_END;
        d.h = 0.02;
        d.max_halvings = halvings;
        d.log = (perp_log){count_warnings, &warned};
        perp_world *w = world_of(&d);
        grazing(w);
        for (int i = 0; i < 3; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            BELOW(c.overlap, 1e-12);
            parts += c.substeps;
            fallbacks += c.fallbacks;
        }
        if (halvings) { /* shorter parts settle */
            assert_true(parts > 3);
            assert_int_equal(fallbacks, 0);
        } else {
            assert_int_equal(parts, 3);
            assert_true(fallbacks > 0);
        }
        assert_int_equal(warned, fallbacks);
        perp_world_destroy(w);
    }
}

static void falling_ball(perp_world *w) {
    add_floor(w);
    add_solid(w, perp_shape_sphere(0.2),
              perp_v3(0, perp_world_dim(w) == 2 ? 0.201 : 0, perp_world_dim(w) == 3 ? 0.201 : 0), perp_v3(1, 0, 0),
              perp_v3(0, 0, 0));
}

/* Both steppers that have it, with every contact model, form and solver they go with; the others refuse. */
static void combinations(void **state) {
    (void)state;
    perp_combination c;
    int run = 0, refused = 0;
    for (int i = 0; perp_combination_at(i, &c); i++) {
        if (!c.exists) continue;
        perp_world_def d = perp_world_def_default(c.dim);
        d.stepper = c.stepper;
        d.contact_model = c.contact_model;
        d.form = c.form;
        d.solver = c.solver;
        d.geometry = PERP_GEOMETRY_END;
        char why[256];
        perp_world *w;
        perp_status st = perp_world_create_why(&d, &w, why, sizeof why);
        bool has = !strcmp(c.stepper, "stewart-trinkle") || !strcmp(c.stepper, "anitescu-potra");
        assert_int_equal(st, has ? PERP_OK : PERP_E_FIT);
        if (!has) {
            assert_non_null(strstr(why, "geometry end"));
            refused++;
            continue;
        }
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
        falling_ball(w);
        for (int k = 0; k < 6; k++) OK(w, perp_world_step(w, NULL));
        run++;
        perp_world_destroy(w);
    }
    assert_true(run > 100 && refused > 100);
    perp_world_def d = perp_world_def_default(2);
    perp_world *w;
    d.geometry = PERP_GEOMETRY_END;
    d.start = PERP_START_STAGGERED;
    assert_int_equal(perp_world_create(&d, &w), PERP_E_FIT);
    d.start = PERP_START_PLAIN;
    d.geometry = (perp_geometry)9;
    assert_int_equal(perp_world_create(&d, &w), PERP_E_ARG);
}

/* Once warm, a step takes nothing from the heap. */
static void no_heap(void **state) {
    (void)state;
    const char *const model[] = {"peg", "one-plane"};
    for (int i = 0; i < 2; i++) {
        choice c = at_end;
        c.model = model[i];
        perp_world *w = world(2, c, 0.01, pentagon_on_box);
        for (int k = 0; k < 80; k++) OK(w, perp_world_step(w, NULL));
        long before = malloc_calls();
        for (int k = 0; k < 20; k++) OK(w, perp_world_step(w, NULL));
        if (COUNTS_MALLOC) assert_int_equal(malloc_calls() - before, 0);
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_at_the_end), cmocka_unit_test(as_implicit),    cmocka_unit_test(all_models),
        cmocka_unit_test(corrective),      cmocka_unit_test(anitescu_potra), cmocka_unit_test(momentum),
        cmocka_unit_test(plane_in_space),  cmocka_unit_test(fallback),       cmocka_unit_test(combinations),
        cmocka_unit_test(no_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
