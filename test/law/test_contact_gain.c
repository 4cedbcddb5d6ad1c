/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Contacts that seemed to add energy, or did. Scenes are files, test/law/scenes; what they hold otherwise is chance. */
#include "../unit/world_help.h"
#include "../unit/scene_text.h"
#include "perp/scene.h"
#include "thorough.h"
#include "problem/rows.h"
#include "model/world_data.h"
#include "stage/frame.h"

static perp_scene *open_scene(const char *path) {
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(path, NULL, &s, &why)) fail_msg("%s", why.text);
    return s;
}

/* Energy that contacts add in a run, as a fraction of the largest energy. Closes the scene. */
static double gain_in(perp_scene *s) {
    perp_world *w = perp_scene_world(s);
    perp_certificate all = {0};
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        perp_certificate_add(&all, &c);
    }
    perp_scene_close(s);
    return all.gain / fmax(fmax(all.extent.kinetic, all.extent.high - all.extent.low), all.extent.fall);
}

static double gain_of(const char *path) { return gain_in(open_scene(path)); }

/* A plate that shakes turns back within a step: friction opposes the slip of its end. The plate gives what that takes. */
static void shaken_plate(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/shaken-plate.yaml"), 1e-6);
}

/* What slides out on a plate that turns is led by its side, by 2 v x spin in every step: in the frame of the plate that is no work. */
static void turning_plate(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/turning-plate.yaml"), 1e-6);
}

/* A ball rolls down a plate that turns at a constant rate. Its surface sticks, but the contact moves along with its centre, and the plate leads
 * that by its side. */
static void ball_on_a_turning_plate(void **state) {
    (void)state;
    static const char *const model[] = {"lnc", "peg"};
    for (int k = 0; k < 4; k++) {
        int dim = 2 + k % 2;
        perp_world_def d = perp_world_def_default(dim);
        d.h = 0.01;
        d.contact_model = model[k / 2];
        d.gravity_W = perp_v3_scale(-9.81, up(dim));
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 1}));
        perp_body_def plate = perp_body_def_default(PERP_BODY_KINEMATIC);
        plate.w_W = dim == 2 ? perp_v3(0, 0, -0.5) : perp_v3(0, 0.5, 0);
        perp_shape_def box = perp_shape_box(2, dim == 2 ? 0.05 : 2, 0.05);
        box.X_BS.p = perp_v3_scale(-0.05, up(dim));
        add_shape(w, add_def(w, &plate), box);
        perp_body_id ball = add_mass(w, 1, 0.004, at_height(dim, 0.1, 0.1));
        add_shape(w, ball, perp_shape_sphere(0.1));
        perp_certificate all = {0};
        for (int i = 0; i < 80; i++) {
            perp_certificate c = run(w, 1);
            perp_certificate_add(&all, &c);
        }
        double most = fmax(all.extent.kinetic, all.extent.high - all.extent.low);
        print_message("%s, %dD: rolls %.3g, gain %.3g\n", model[k / 2], dim, perp_v3_norm(spin_of(w, ball)) * 0.1,
                      all.gain / most);
        assert_true(0.1 * perp_v3_norm(spin_of(w, ball)) > 1);
        BELOW(all.gain, 1e-5 * most); /* at the place of the surface point: 6.6e-3 */
        perp_world_destroy(w);
    }
}

/* A plate swings below a particle: within one step its surface turns the slip round, and sinks. The one is seen with the velocity of the step,
 * the other with that of the step before. */
static void swinging_plate(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/swinging-plate.yaml"), 1e-6); /* one velocity for both: 1e-4 */
}

/* Impacts divide steps into parts as short as 1e-8 s: overlap of 1e-9 is not undone within one. */
static void short_parts(void **state) {
    (void)state;
    perp_scene *s = open_scene(PERP_TEST_DIR "/law/scenes/short-parts.yaml");
    perp_world *w = perp_scene_world(s);
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        BELOW(c.gain_part, 0.05); /* of the energy of an island; it was 0.74 */
    }
    perp_scene_close(s);
}

/* A contact that is met late in a step acts with the levers of its start, which adds 2.8 % to the energy of its bodies. In parts of the
 * step it does not. */
static void divided_where_it_gains(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/divided-gain.yaml"), 1e-5); /* whole steps: 3e-3 */
}

/* After a few impacts of a step the cylinder rests on the floor for what remains of it. Contacts gain there as in any step, and the step is
 * divided. */
static void rest_after_impacts(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/rocking-floor.yaml"), 1e-3); /* whole steps: 0.25 */
}

/* A capsule tips over on its round end, with contacts at the end poses. Along their rows it has 3c before and c after a step in which the
 * gap stays 0: an error of the rule, as below. */
static void rows_of_the_end(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/tipping-capsule.yaml"), 5e-5); /* counted as gain: 1e-3 */
}

/* What slides on a floor that turns, by rows of the end: these move with the floor's point of the end, which was elsewhere at the start. */
static void rows_of_the_end_of_a_floor_that_turns(void **state) {
    (void)state;
    static const double spin[] = {-0.6, 0.6, -1.7};
    for (int k = 0; k < 6; k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "perp: 1\ndim: 2\nh: 0.01\nduration: 0.4\nstages: {geometry: end}\ngravity: [0, -9.81]\nlaw: {mu: %g}\n"
            "bodies:\n  - {name: floor, kind: kinematic, at: [0, -0.1], shape: {type: box, size: [6, 0.2]}, motion: "
            "{type: "
            "constant, spin: %g}}\n"
            "  - {name: box, at: [0.3, 0.05], velocity: [1, 0], density: 100, shape: {type: box, size: [0.1, 0.1]}}\n",
            k < 3 ? 0 : 0.1, spin[k % 3]);
        BELOW(gain_in(scene_of(text)), 1e-6);
    }
}

/* A small ball on a long arm touches the floor while the arm turns fast. With gaps linearised at the start, it was leaving, and the step brings
 * it back: an error of the rule too. */
static void contact_on_a_fast_arm(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/swinging-arm.yaml"), 1e-6); /* counted as gain: 5.7e-3 */
}

/* A joint turns velocities into the motions of a new pose and takes energy. A contact beside it gives a part of that back. */
static void contact_beside_a_joint(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/joint-strikes.yaml"), 1e-4); /* counted apart: 3e-3 */
}

/* Bodies are jammed by a floor that turns to and fro, and lie in it. Where it goes away from them they follow. Held in place, they would
 * be carried by contacts that open. */
static void jammed_bodies_follow(void **state) {
    (void)state;
#ifdef PERP_TEST_SHORT
    if (!thorough()) skip(); /* it takes half a minute with sanitizers; builds without them run it */
#endif
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/receding-floor.yaml"), 1e-6); /* held in place: 2.6e-3 */
}

/* Walls close on balls until they jam, and go into them. When the jam comes free, the walls do not throw the balls out. */
static void jam_comes_free(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/jam-comes-free.yaml"),
          1e-5); /* at the speed of what was placed in overlap: 1.3e-3 */
}

/* Bodies are pressed into a floor that turns, by an arm with a motor without force limit. However short the parts of a step are, pushing them
 * out gains energy. The overlap stays instead. */
static void overlap_stays_where_it_gains(void **state) {
    (void)state;
#ifdef PERP_TEST_SHORT
    if (!thorough()) skip(); /* it takes half a minute with sanitizers; builds without them run it */
#endif
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/pressed-out.yaml"), 1e-6); /* pushed out: 0.41 */
}

/* A chain of bodies is locked between its joint limits and a slope. The rows nearly depend on each other, and the impulses are so large that
 * a residual within the tolerance does much work. The shorter parts of the step are solved without requiring contacts to open. This leaves no overlap:
 * it only relaxes rows that contradict each other by rounding. */
static void locked_chain(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/locked-chain.yaml"), 1e-6); /* taken as the tolerance allows: 5.5e-3 */
}

/* A floor that turns presses a chain straight. A correction of the velocities of its joints beside that contact is dropped if it would throw the
 * chain. */
static void crushed_chain(void **state) {
    (void)state;
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(PERP_TEST_DIR "/law/scenes/crushed-chain.yaml", NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    double most = 0, gain = 0;
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        most = fmax(most, c.ledger.joint);
        gain = fmax(gain, c.gain);
    }
    BELOW(most, 1); /* 440 J */
    BELOW(gain, 1e-6);
    perp_scene_close(s);
}

/* Friction at the contact resists rolling in compression and in restitution. Poisson's law sets the normal impulse of the latter whatever the
 * moments are, so it gives energy that it did not take. */
static void poisson_with_rolling_friction(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/poisson-rolling.yaml"), 1e-9); /* not limited: 0.054 */
}

/* Two balls at rest, one 1 cm inside the other. The stepper "first-order" does not throw them apart within a step. */
static void overlap_in_first_order(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.01;
    d.gravity_W = perp_v3(0, 0, 0);
    d.stepper = "first-order";
    perp_world *w = world_of(&d);
    for (int i = 0; i < 2; i++) add_shape(w, add_mass(w, 1, 0.1, perp_pose_at(0.19 * i, 0, 0)), perp_shape_sphere(0.1));
    perp_certificate c = run(w, 3);
    print_message("first-order: %g J, gain %g J\n", c.ledger.kinetic_after, c.gain);
    BELOW(c.gain, 1e-12); /* in one step: 0.25 J */
    BELOW(c.ledger.kinetic_after, 1e-12);
    perp_world_destroy(w);
}

/* A disc whose centre lies d above its centre of mass spins on a smooth floor, without gravity. The floor pushes it up at a = d w^2, and
 * leads it along a curve. The first step pushes for half a step, from u = 0 to u+ = h a/2: by the mean of both the contact gives
 * m h^2 a^2/8, which is an error of the rule and no gain. The next go from -h a/2 to h a/2. In a staggered world, the shown velocity is h a after the
 * first step, and the shown spin, which slows down by as much energy, is late by half a step: m h^2 a^2/2. No step counts as an impact. */
static void first_step_of_a_curve(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double h = 1e-3, d = 0.05, spin = 10, m = 2, a = d * spin * spin, lag = m * h * h * a * a / 8;
        perp_world_def def = perp_world_def_default(2 + k % 2);
        def.h = h;
        def.gravity_W = perp_v3(0, 0, 0);
        def.start = k < 2 ? PERP_START_PLAIN : PERP_START_STAGGERED;
        perp_world *w = world_of(&def);
        int dim = def.dim;
        (void)add_floor(w);
        perp_body_id b = add_mass(w, m, 0.01, at_height(dim, 0, 0.1 - d));
        perp_shape_def ball = perp_shape_sphere(0.1);
        ball.X_BS.p = perp_v3_scale(d, up(dim));
        add_shape(w, b, ball);
        OK(w, perp_body_set_velocity(w, b, perp_v3(0, 0, 0), dim == 2 ? perp_v3(0, 0, spin) : perp_v3(0, spin, 0)));
        for (int i = 0; i < 3; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            assert_true(c.contacts == 1 && c.separating == 0);
            NEAR(c.gain, 0, 1e-6 * lag);
            NEAR(c.ledger.drift, i > 0 ? 0 : k < 2 ? lag : 4 * lag, 0.02 * lag);
            NEAR(c.ledger.normal, 0, 0.02 * lag);
            NEAR(c.ledger.remainder, 0, 1e-12);
        }
        perp_world_destroy(w);
    }
}

/* A tilted box falls on a rough floor, enters it and tips over its corners in there. Pushing it out adds nothing, in any step, and
 * neither does what turns the box back onto the corner that it tips over. The whole run counts: what is little in a step adds up. */
static void box_inside_a_floor(void **state) {
    (void)state;
    static const char *const stepper[] = {"stewart-trinkle", "anitescu-potra"};
    for (int k = 0; k < 4; k++) {
        int dim = 2 + k % 2;
        perp_world_def def = perp_world_def_default(dim);
        def.h = 0.005;
        def.stepper = stepper[k / 2];
        def.contact_model = "corrective";
        def.gravity_W = perp_v3_scale(-9.81, up(dim));
        perp_world *w = world_of(&def);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.7}));
        (void)add_floor(w);
        perp_pose X = at_height(dim, 0, 0.3);
        X.q = dim == 2 ? perp_q_axis_angle(perp_v3(0, 0, 1), 0.6) : perp_q_axis_angle(perp_v3(0.6, 0.8, 0), 0.6);
        perp_body_id b = add_mass(w, 1, dim == 2 ? 0.005 : 0.004, X);
        add_shape(w, b, perp_shape_box(0.1, 0.06, 0.08));
        OK(w, perp_body_set_velocity(w, b, perp_v3(1, 0, 0), perp_v3(0, 0, dim == 2 ? 3 : 0)));
        perp_certificate all = {0};
        for (int i = 0; i < 400; i++) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            NEAR(c.ledger.remainder, 0, 1e-9);
            perp_certificate_add(&all, &c);
        }
        double ref = fmax(all.extent.kinetic, all.extent.high - all.extent.low);
        print_message("%s, %dD: gain %.3g of the energy, overlap %.3g\n", stepper[k / 2], dim, all.gain / ref,
                      all.overlap);
        BELOW(all.gain, 1e-9 * ref); /* with little allowed in each step: 1e-3 */
        perp_world_destroy(w);
    }
}

/* Boxes that bounce a little ride on a floor that goes up and down. Where impacts are ordered, velocities are moved in time: together with
 * those of the floor, and held by what touches when a part begins, also if the floor leaves it before the part ends. */
static void floor_that_sinks(void **state) {
    (void)state;
    BELOW(gain_of(PERP_TEST_DIR "/law/scenes/sinking-floor.yaml"), 2e-4); /* as if the boxes fell freely: 1e-2 */
}

/* A carriage whose motor has no force limit comes to the end of its rail, where it stops within the step. A puck strikes it in that step,
 * and the stop turns their slip round: from -0.5 to 0.4 without friction. Friction opposes the slip after it, so along the mean of both it
 * seems to give. One solve finds both blows: the contact takes energy at the velocities that its laws hold for, and the rest is what the
 * motor takes in stopping. */
static void carriage_that_stops(void **state) {
    (void)state;
    const double u = 0.25, mu = 1.2, e = 0.1;
    perp_world_def def = perp_world_def_default(2);
    def.h = 0.01;
    def.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&def);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu, .restitution = e}));
    perp_body_id carriage = add_mass(w, 1, 1, perp_pose_at(0, 0, 0)),
                 puck = add_mass(w, 1, 1e6, perp_pose_at(0, 0.05 + 0.105 * u, 0)); /* friction does not turn it */
    perp_shape_def top = perp_shape_box(0.5, 0.01, 0.01);
    top.X_BS.p = perp_v3(0, -0.01, 0);
    add_shape(w, carriage, top);
    add_shape(w, puck, perp_shape_sphere(0.05));
    OK(w, perp_body_set_velocity(w, carriage, perp_v3(1, 0, 0), perp_v3(0, 0, 0)));
    OK(w, perp_body_set_velocity(w, puck, perp_v3(0.5, -u, 0), perp_v3(0, 0, 0)));
    perp_joint_def rail = perp_joint_def_default(PERP_JOINT_PRISMATIC);
    rail.b = carriage;
    rail.axis[0].limited = rail.axis[0].motor = true;
    rail.axis[0].lo = -1;
    rail.axis[0].hi = 0.106;
    rail.axis[0].motor_speed = 1;
    rail.axis[0].motor_force = INFINITY;
    add_joint(w, &rail);
    perp_certificate all = {0};
    for (int i = 0; i < 12; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        perp_certificate_add(&all, &c);
    }
    perp_vec3 v = velocity_of(w, puck);
    print_message("puck leaves at %.6g, %.6g; motor %.6g, gain %.3g\n", v.x, v.y, all.ledger.motor, all.gain);
    NEAR(v.y, e * u, 1e-9); /* and nothing has to limit its rebound */
    NEAR(v.x, 0.5 - mu * (1 + e) * u, 1e-9);
    BELOW(all.gain, 1e-9); /* by the mean alone: 0.029, and the rebound was given up */
    perp_world_destroy(w);
}

/* Turns friction round, with the velocities that this gives. */
static void turn_friction(pp_frame *f, int at, void *ctx) {
    (void)ctx;
    if (at != PP_SOLVED) return;
    for (int i = 0; i < f->contacts.n; i++) {
        const perp_row *row[2] = {&f->pose.problem.contact[i].t, &f->pose.problem.contact[i].o};
        for (int r = 0; r < f->w->def.dim - 1; r++) {
            double *p = &f->solve.solution.p_contact[3 * i + 1 + r];
            pp_row_spread(&f->pose.problem, row[r], -2 * *p, f->solve.solution.nu);
            *p = -*p;
        }
    }
}

/* A box slides on a belt that runs at -U. After an honest step it has -mu g h; then friction p = m mu g h is turned round, and the slip goes
 * from U - mu g h to U: contacts gain p (U - mu g h/2), all of it seen from the belt. */
static void gain_on_a_belt(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const double h = 1e-2, mu = 0.5, g = 10, U = 2, m = 1, p = m * mu * g * h;
        perp_world_def def = perp_world_def_default(dim);
        def.stepper = "stewart-trinkle";
        def.start = PERP_START_PLAIN;
        def.h = h;
        def.max_halvings = 0;
        def.gravity_W = perp_v3_scale(-g, up(dim));
        perp_world *w = world_of(&def);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = mu}));
        perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
        perp_shape_def belt = perp_shape_box(50, dim == 2 ? 1 : 50, 1);
        belt.X_BS.p = perp_v3_scale(-1, up(dim));
        belt.surface_velocity = perp_v3(-U, 0, 0);
        add_shape(w, add_def(w, &floor), belt);
        perp_body_id b = add_mass(w, m, 1e6, at_height(dim, 0, 0.01)); /* friction does not tilt it */
        add_shape(w, b, perp_shape_box(0.5, dim == 2 ? 0.01 : 0.5, 0.01));
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        NEAR(c.gain, 0, 1e-12);
        w->run.tamper = turn_friction;
        OK(w, perp_world_step(w, &c));
        print_message("%dD: gain %.6g, %.6g expected\n", dim, c.gain, p * (U - 0.5 * mu * g * h));
        NEAR(c.gain, p * (U - 0.5 * mu * g * h), 1e-6 * p * U);
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shaken_plate),
        cmocka_unit_test(turning_plate),
        cmocka_unit_test(swinging_plate),
        cmocka_unit_test(ball_on_a_turning_plate),
        cmocka_unit_test(short_parts),
        cmocka_unit_test(divided_where_it_gains),
        cmocka_unit_test(rows_of_the_end),
        cmocka_unit_test(rows_of_the_end_of_a_floor_that_turns),
        cmocka_unit_test(contact_beside_a_joint),
        cmocka_unit_test(contact_on_a_fast_arm),
        cmocka_unit_test(jammed_bodies_follow),
        cmocka_unit_test(jam_comes_free),
        cmocka_unit_test(overlap_in_first_order),
        cmocka_unit_test(first_step_of_a_curve),
        cmocka_unit_test(gain_on_a_belt),
        cmocka_unit_test(box_inside_a_floor),
        cmocka_unit_test(floor_that_sinks),
        cmocka_unit_test(carriage_that_stops),
        cmocka_unit_test(rest_after_impacts),
        cmocka_unit_test(poisson_with_rolling_friction),
        cmocka_unit_test(overlap_stays_where_it_gains),
        cmocka_unit_test(locked_chain),
        cmocka_unit_test(crushed_chain),
    };
    return cmocka_run_group_tests_name("contact_gain", tests, NULL, NULL);
}
