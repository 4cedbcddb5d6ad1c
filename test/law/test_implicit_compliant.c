/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_implicit_compliant.c - Kelvin-Voigt layers over rigid cores, backward Euler and energy-keeping, against closed forms
 * of free fall, of the harmonic and of the damped oscillator, and of springs along the surface. */
#include "unit/world_help.h"

static const double g = 9.81;

static perp_world *world(int dim, perp_form form, double h, bool keeps_energy, perp_pair_law law) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = "implicit-compliant";
    d.form = form;
    d.h = h;
    perp_world *w;
    char why[200];
    if (perp_world_create_why(&d, &w, why, sizeof why)) fail_msg("%s", why);
    OK(w, perp_world_set(w, "implicit-compliant.keeps_energy", keeps_energy));
    OK(w, perp_pair_set_all(w, law));
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id b;
    OK(w, perp_body_add(w, &floor, &b));
    perp_shape_def s = perp_shape_halfspace(dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1), 0);
    OK(w, perp_shape_add(w, b, &s, NULL));
    return w;
}

/* A disc or ball of 1 kg and radius 1, its lowest point at `height`. */
static perp_body_id ball(perp_world *w, double height, perp_vec3 v, perp_vec3 spin, bool particle) {
    int dim = perp_world_dim(w);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    double I = dim == 2 ? 0.5 : 0.4;
    d.I_B = perp_m3_diag(I, I, I);
    d.X_WB.p = dim == 2 ? perp_v3(0, 1 + height, 0) : perp_v3(0, 0, 1 + height);
    d.v_W = v;
    d.w_W = spin;
    d.particle = particle;
    perp_body_id b;
    OK(w, perp_body_add(w, &d, &b));
    perp_shape_def s = perp_shape_sphere(1);
    OK(w, perp_shape_add(w, b, &s, NULL));
    return b;
}

static double height(const perp_world *w, perp_body_id b) {
    perp_pose X;
    perp_body_pose(w, b, &X);
    return (perp_world_dim(w) == 2 ? X.p.y : X.p.z) - 1;
}

static double energy(const perp_world *w, perp_body_id b, double K) {
    double kin, pot, d = fmax(0, -height(w, b));
    perp_world_energy(w, &kin, &pot, NULL);
    return kin + pot + K / 2 * d * d;
}

static const perp_vec3 none = {0, 0, 0};

/* Berard 3.5.3.3, second experiment: falls 0.5 m into a spring. */
static void deep_layer(void **state) {
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        double h = 2e-4, deepest = 0, when = 0;
        perp_world *w = world(2, PERP_FORM_LCP, h, keep, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 1000});
        perp_body_id b = ball(w, 0.5, none, none, false);
        double E = energy(w, b, 1000), off = 0;
        for (int i = 0; i < (int)lround(0.8 / h); i++) {
            OK(w, perp_world_step(w, NULL));
            if (-height(w, b) > deepest) {
                deepest = -height(w, b);
                when = perp_world_time(w);
            }
            off = fmax(off, fabs(energy(w, b, 1000) - E));
        }
        NEAR(deepest, 0.10934008, keep ? 1e-6 : 1e-3);
        NEAR(when, 0.37207028, 2 * h);
        if (keep) BELOW(off, 1e-11);
        if (!keep) assert_true(off > 0.05); /* what the printed scheme loses in one bounce, at this step */
        perp_world_destroy(w);
    }
}

/* The first experiment: the core takes the speed, and the spring alone goes on. */
static void core(void **state) {
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        double h = 1e-4, K = 1000, layer = 0.05, least = 1, impulse = 0, after = 0, off = 0;
        perp_world *w = world(2, PERP_FORM_LCP, h, keep,
                              (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = K, .layer = layer});
        perp_body_id b = ball(w, 0.5, none, none, false);
        for (int i = 0; i < (int)lround(0.7 / h); i++) {
            OK(w, perp_world_step(w, NULL));
            const perp_contact *c;
            int n = perp_world_contacts(w, &c);
            if (n && c[0].impulse_C[0] > h * K * layer * (1 + 1e-6)) impulse += c[0].impulse_C[0] - h * K * layer;
            least = fmin(least, height(w, b));
            double t = perp_world_time(w);
            if (fabs(t - 0.34) < h / 2) after = energy(w, b, K);
            if (t > 0.34) off = fmax(off, fabs(energy(w, b, K) - after));
        }
        NEAR(least, -layer, keep ? (K * layer - g) * h * h / 2 : 1e-10); /* pushed off within the step */
        NEAR(impulse, 2.87940966, keep ? 1e-3 : 2e-2);
        NEAR(after, g * (1 - layer) + K / 2 * layer * layer, keep ? 1e-5 : 1e-2);
        if (keep) BELOW(off, 1e-10);
        perp_world_destroy(w);
    }
}

/* Heavier than the layer can carry: it rests on the core, in both ways, and in space as in the plane. */
static void rests_on_core(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        perp_world *w = world(k & 1 ? 3 : 2, k & 1 ? PERP_FORM_CONE : PERP_FORM_LCP, 1e-3, k & 2,
                              (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 100, .layer = 0.01, .mu = 0.3});
        perp_body_id b = ball(w, 0.001, none, none, false);
        for (int i = 0; i < 300; i++) OK(w, perp_world_step(w, NULL));
        NEAR(height(w, b), -0.01, 1e-9);
        const perp_contact *c;
        assert_int_equal(perp_world_contacts(w, &c), 1);
        NEAR(c[0].impulse_C[0], 1e-3 * g, 1e-9);
        perp_world_destroy(w);
    }
}

/* Let go on the surface: the damped oscillator x'' = g - K x - C x', as long as it presses. */
static double damped(double K, double C, double t) {
    double a = C / 2, om = sqrt(K - a * a), x0 = g / K;
    return x0 - exp(-a * t) * x0 * (cos(om * t) + a / om * sin(om * t));
}

static double damped_error(bool keep, double h) {
    double K = 400, C = 8, T = 0.1;
    perp_world *w =
        world(2, PERP_FORM_LCP, h, keep, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = K, .damping = C});
    perp_body_id b = ball(w, 0, none, none, false);
    for (int i = 0; i < (int)lround(T / h); i++) OK(w, perp_world_step(w, NULL));
    double e = -height(w, b) - damped(K, C, T);
    perp_world_destroy(w);
    return fabs(e);
}

static void damping(void **state) {
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        double e1 = damped_error(keep, 1e-3), e2 = damped_error(keep, 5e-4), order = log2(e1 / e2);
        BELOW(e2, keep ? 2e-6 : 1e-3);
        NEAR(order, keep ? 2 : 1, 0.15);
    }
}

/* A compressed layer that is left relaxes with K/C; it is still compressed at the next contact. This also holds after a state was
 * restored. */
static void memory(void **state) {
    (void)state;
    perp_pair_law law = {.compliance = PERP_LINEAR, .stiffness = 10, .damping = 100};
    perp_world *w = world(2, PERP_FORM_LCP, 1e-3, false, law), *copy;
    perp_body_id b = ball(w, 0, none, none, false);
    for (int i = 0; i < 200; i++) OK(w, perp_world_step(w, NULL));
    double pressed = -height(w, b);
    assert_true(pressed > 0.001);
    OK(w, perp_world_clone(w, &copy));
    for (int k = 0; k < 2; k++) {
        perp_world *x = k ? copy : w;
        perp_pose X;
        perp_body_pose(x, b, &X);
        X.p.y += 1e-3 * pressed; /* out of touch with a layer that comes back slowly */
        OK(x, perp_body_set_pose(x, b, X));
        OK(x, perp_body_set_velocity(x, b, none, none));
        perp_certificate c;
        OK(x, perp_world_step(x, &c));
        assert_int_equal(c.sliding + c.sticking, 0); /* a fresh layer would push here */
        for (int i = 0; i < 20; i++) OK(x, perp_world_step(x, NULL));
    }
    assert_true(perp_world_hash(w) == perp_world_hash(copy));
    perp_world_destroy(copy);
    perp_world_destroy(w);
}

/* Pulled along the surface by less than friction holds, a body that does not turn moves by F/K_t; by more, it slides with
 * (F - mu m g)/m. */
static void along_the_surface(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int slides = 0; slides < 2; slides++) {
            double h = 1e-3, mu = 0.4, F = slides ? 6 : 2, Kt = 800;
            perp_world *w = world(dim, dim == 2 ? PERP_FORM_LCP : PERP_FORM_CONE, h, false,
                                  (perp_pair_law){.compliance = PERP_LINEAR,
                                                  .stiffness = 1e5,
                                                  .damping = 500,
                                                  .stiffness_t = Kt,
                                                  .damping_t = 50,
                                                  .mu = mu});
            perp_body_id b = ball(w, -g / 1e5, none, none, true);
            OK(w, perp_body_set_force(w, b, perp_v3(F, 0, 0), none));
            for (int i = 0; i < 600; i++) OK(w, perp_world_step(w, NULL));
            perp_pose X;
            perp_vec3 v0, v1;
            OK(w, perp_body_pose(w, b, &X));
            OK(w, perp_body_velocity(w, b, &v0, NULL));
            OK(w, perp_world_step(w, NULL));
            OK(w, perp_body_velocity(w, b, &v1, NULL));
            if (!slides) NEAR(X.p.x, F / Kt, 1e-6);
            if (slides) NEAR((v1.x - v0.x) / h, F - mu * g, 1e-4);
            perp_world_destroy(w);
        }
}

/* A soft layer does not keep a disc from rolling: g sin a/1.5 down a slope, once the spring is at rest. */
static void rolls_down(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    double a = 0.3;
    d.stepper = "implicit-compliant";
    d.gravity_W = perp_v3(g * sin(a), -g * cos(a), 0);
    d.h = 1e-3;
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    OK(w,
       perp_pair_set_all(w, (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 1e4, .damping = 200, .mu = 0.5}));
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id f;
    OK(w, perp_body_add(w, &floor, &f));
    perp_shape_def s = perp_shape_halfspace(perp_v3(0, 1, 0), 0);
    OK(w, perp_shape_add(w, f, &s, NULL));
    perp_body_id b = ball(w, 0, none, none, false);
    perp_vec3 v0, v1;
    for (int i = 0; i < 300; i++) OK(w, perp_world_step(w, NULL));
    OK(w, perp_body_velocity(w, b, &v0, NULL));
    for (int i = 0; i < 100; i++) OK(w, perp_world_step(w, NULL));
    OK(w, perp_body_velocity(w, b, &v1, NULL));
    /* the contact point is on the undeformed disc or the pressed plane; between them lies g cos a/K of the radius */
    NEAR((v1.x - v0.x) / 0.1, g * sin(a) / 1.5, 2 * g * cos(a) / 1e4);
    perp_world_destroy(w);
}

/* A compliant layer with restitution would rebound twice: refused. */
static void refused(void **state) {
    (void)state;
    perp_world *w = world(2, PERP_FORM_LCP, 1e-3, false,
                          (perp_pair_law){.compliance = PERP_LINEAR, .stiffness = 10, .restitution = 0.5});
    ball(w, 1, none, none, false);
    assert_int_equal(perp_world_step(w, NULL), PERP_E_FIT);
    assert_non_null(strstr(perp_world_why(w), "restitution"));
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_layer), cmocka_unit_test(core),    cmocka_unit_test(rests_on_core),
        cmocka_unit_test(damping),    cmocka_unit_test(memory),  cmocka_unit_test(along_the_surface),
        cmocka_unit_test(rolls_down), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
