/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Springs and dampers between points that are too stiff for the step: their force is that of its start, and taken whole it would
 * throw the bodies further in each step. The step is divided until it is stable, and what should come to rest does. A spring
 * that is soft enough does not divide it. */
#include "unit/world_help.h"

typedef struct pull {
    double stiffness, damping, drag, mass, h;
    int links; /* of a chain that hangs on the world */
    bool stable;
} pull;

static void hang(int dim, const char *stepper, const pull *p) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = stepper;
    d.h = p->h;
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    perp_body_id body[4], before = {0};
    for (int i = 0; i < p->links; i++) {
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.mass = p->mass;
        b.I_B = perp_m3_diag(0.1 * p->mass, 0.1 * p->mass, 0.1 * p->mass);
        b.X_WB = perp_pose_at(1.01 * (i + 1), 0, 0); /* stretched a little */
        body[i] = add_def(w, &b);
        perp_force_def s = perp_force_def_default(PERP_FORCE_SPRING);
        s.a = before;
        s.b = before = body[i];
        s.rest_length = 1;
        s.stiffness = p->stiffness;
        s.damping = p->damping;
        s.drag = p->drag;
        OK(w, perp_force_add(w, &s, NULL));
    }
    double potential = p->links * p->stiffness * 0.01 * 0.01 / 2, most = 0;
    int parts = 0, steps = 200;
    for (int i = 0; i < steps; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        parts += c.substeps;
        most = fmax(most, c.ledger.kinetic_after);
    }
    print_message("%dD, %s, k %g, c %g, drag %g, %d links: %d parts of %d steps, at most %.3g J of %.3g J\n", dim,
                  stepper, p->stiffness, p->damping, p->drag, p->links, parts, steps, most, potential);
    assert_true((parts == steps) == p->stable);
    BELOW(most, 2 * potential); /* at the edge of what is stable the energy of a step wavers */
    perp_world_destroy(w);
}

static void no_spring_gains(void **state) {
    (void)state;
    static const pull pulls[] = {
        {10, 0, 0, 1, 0.01, 1, true},     {1000, 30, 1, 1, 0.01, 1, true}, /* h^2 k/m + 2 h c/m = 0.72 */
        {50000, 0, 0, 1, 0.01, 1, false},                                  /* 5 */
        {100, 500, 0, 1, 0.01, 1, false}, {100, 0, 500, 1, 0.01, 1, false}, {15000, 0, 0, 1, 0.01, 3, false},
    };
    static const char *const steppers[] = {"stewart-trinkle", "second-order", "first-order",
                                           "viscoelastic",    "implicit",     "implicit-compliant"};
    for (size_t k = 0; k < sizeof steppers / sizeof *steppers; k++)
        for (int dim = 2; dim <= 3; dim++)
            for (size_t i = 0; i < sizeof pulls / sizeof *pulls; i++) hang(dim, steppers[k], &pulls[i]);
}

/* A soft spring, stretched far, at the end of a lever of a body that turns easily: h^2 k/m is 3e-3, but the body is a pendulum of
 * h^2 F r/I = 690 and would be spun up to any speed. Energy stays what it was. */
static void no_lever_gains(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        perp_world_def d = perp_world_def_default(dim);
        d.h = 0.01;
        d.gravity_W = perp_v3(0, 0, 0);
        perp_world *w = world_of(&d);
        perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
        b.mass = 1;
        b.I_B = perp_m3_diag(1e-6, 1.1e-6, 1e-6);
        b.X_WB = perp_pose_at(5, 0, 0);
        perp_body_id body = add_def(w, &b);
        perp_force_def s = perp_force_def_default(PERP_FORCE_SPRING);
        s.b = body;
        s.point_B = perp_v3(0.03, 0.04, 0);
        s.rest_length = 0.4;
        s.stiffness = 30;
        OK(w, perp_force_add(w, &s, NULL));
        double potential = 30 * 4.7 * 4.7 / 2, most = 0;
        for (int i = 0; i < 50; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            most = fmax(most, c.ledger.kinetic_after);
        }
        print_message("%dD, lever: at most %.4g J of %.4g J\n", dim, most, potential);
        BELOW(most, 2 * potential); /* as above */
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_spring_gains), cmocka_unit_test(no_lever_gains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
