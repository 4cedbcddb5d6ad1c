/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_rounds.c - joints hold at the end of every step, by default and in any company
 * Rows linearised at the start of a step leave errors of h^2 w^2 l/2, some 1e-3 in these scenes. Posed again with the errors of
 * the end they are rounding: of joints alone, in loops, with limits, motors, springs, and with contacts. */
#include "../unit/world_help.h"
#include "perp/scene.h"

#define ROUNDING 2e-14 /* for lengths and angles of the order of 1 */

static perp_scene *scene_of(const char *text) {
    perp_source_file file = {.path = "scene.yaml", .data = text, .size = strlen(text)};
    perp_scene_options options = {.file = &file, .nfile = 1};
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open("scene.yaml", &options, &s, &why)) fail_msg("%s", why.text);
    return s;
}

/* What a run came to. */
typedef struct figures {
    double error, remainder, overlap, joint_loss;
    int contacts;
} figures;

static figures run_scene(const char *text) {
    perp_scene *s = scene_of(text);
    perp_world *w = perp_scene_world(s);
    figures f = {0};
    for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        f.error = fmax(f.error, c.joint_error);
        f.remainder = fmax(f.remainder, fabs(c.ledger.remainder));
        f.overlap = fmax(f.overlap, c.overlap);
        f.joint_loss += c.ledger.joint_loss;
        f.contacts += c.contacts;
    }
    perp_scene_close(s);
    return f;
}

/* A body on every kind of joint, thrown and spun; positions and angles hold. */
static void every_kind(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < PERP_JOINT_COUPLING; kind++) {
            if (perp_joint_ncoord((perp_joint_kind)kind, dim) < 0) continue;
            perp_world_def d = perp_world_def_default(dim);
            d.h = 0.01;
            perp_world *w = world_of(&d);
            perp_body_id b[2];
            perp_joint_id joint[2];
            for (int i = 0; i < 2; i++) {
                perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
                bd.mass = 1 + i;
                bd.I_B = perp_m3_diag(0.02, 0.05, 0.06);
                bd.X_WB = perp_pose_at(0.3 + 0.6 * i, 0, 0);
                b[i] = add_def(w, &bd);
                perp_joint_def j = perp_joint_def_default((perp_joint_kind)kind);
                if (i) j.a = b[0];
                j.b = b[i];
                j.X_AJ = perp_pose_at(i ? 0.3 : 0, 0, 0);
                j.X_BJ = perp_pose_at(-0.3, 0, 0);
                if (dim == 3) j.X_AJ.q = j.X_BJ.q = perp_q_exp(perp_v3(0.3, 0.5 * i, -0.4));
                joint[i] = add_joint(w, &j);
            }
            OK(w, perp_body_set_velocity(w, b[1], perp_v3(0.5, dim == 3 ? 1 : 0, 0), perp_v3(0, 0, 4)));
            double most = 0;
            for (int i = 0; i < 60; i++) {
                OK(w, perp_world_step(w, NULL));
                for (int k = 0; k < 2; k++) {
                    double p, a;
                    OK(w, perp_joint_error(w, joint[k], &p, &a));
                    if (i > 0) most = fmax(most, fmax(p, a)); /* the first step has to stop what joints do not let go */
                }
            }
            print_message("%dD, kind %d: %.1e\n", dim, kind, most);
            BELOW(most, 10 * ROUNDING); /* what slides goes far */
            perp_world_destroy(w);
        }
}

/* A floating tree without gravity keeps its momentum, linear and angular, while its joints hold: of the velocities that the step
 * works with, which a plain world shows. */
static void momentum_is_kept(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.start = PERP_START_PLAIN;
    d.h = 0.01;
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    perp_body_id b[4];
    const double mass[4] = {3, 1, 0.5, 2};
    perp_mat3 I = perp_m3_diag(0.02, 0.05, 0.06);
    for (int i = 0; i < 4; i++) {
        perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        bd.mass = mass[i];
        bd.I_B = I;
        bd.X_WB = perp_pose_at(0.4 * (i % 3), 0.4 * (i / 3), 0);
        b[i] = add_def(w, &bd);
    }
    const int from[3] = {0, 1, 0};
    const perp_joint_kind kind[3] = {PERP_JOINT_SPHERICAL, PERP_JOINT_REVOLUTE, PERP_JOINT_UNIVERSAL};
    for (int i = 0; i < 3; i++) {
        perp_joint_def j = perp_joint_def_default(kind[i]);
        bool along = i < 2;
        j.a = b[from[i]];
        j.b = b[i + 1];
        j.X_AJ = perp_pose_at(along ? 0.2 : 0, along ? 0 : 0.2, 0);
        j.X_BJ = perp_pose_at(along ? -0.2 : 0, along ? 0 : -0.2, 0);
        add_joint(w, &j);
    }
    OK(w, perp_body_set_velocity(w, b[2], perp_v3(0, 1, 3), perp_v3(1, 2, 3)));
    perp_vec3 P0 = {0, 0, 0}, L0 = {0, 0, 0};
    for (int i = 0; i <= 200; i++) {
        perp_vec3 P = {0, 0, 0}, L = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            perp_pose X = pose_of(w, b[k]);
            perp_vec3 v = velocity_of(w, b[k]), o = perp_q_unrotate(X.q, spin_of(w, b[k]));
            P = perp_v3_axpy(P, mass[k], v);
            L = perp_v3_add(L, perp_v3_scale(mass[k], perp_v3_cross(X.p, v)));
            L = perp_v3_add(L, perp_q_rotate(X.q, perp_m3_mul_v(I, o)));
        }
        if (i == 0) P0 = P, L0 = L;
        BELOW(perp_v3_norm(perp_v3_sub(P, P0)), 1e-12);
        BELOW(perp_v3_norm(perp_v3_sub(L, L0)), 1e-12);
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        BELOW(c.joint_error, ROUNDING);
        BELOW(fabs(c.ledger.remainder), 1e-12);
    }
    perp_world_destroy(w);
}

/* A four-bar linkage of hinges in space: three of its rows depend on the others. */
static void loops_hold(void **state) {
    (void)state;
    figures f =
        run_scene("perp: 1\ndim: 3\nh: 0.01\nduration: 1\nlaw: {mu: 0.4}\n"
                  "bodies:\n"
                  "  - {name: a, mass: 1, at: [0, 0, 0.25], shape: {type: box, size: [0.04, 0.04, 0.4]}}\n"
                  "  - {name: b, mass: 1, at: [0.4, 0, 0.5], shape: {type: box, size: [0.7, 0.04, 0.04]}}\n"
                  "  - {name: c, mass: 1, at: [0.8, 0, 0.25], shape: {type: box, size: [0.04, 0.04, 0.4]}}\n"
                  "joints:\n"
                  "  - {name: p, type: revolute, b: a, at: [0, 0, 0], axis: [0, 1, 0], motor: {speed: 4, force: 20}}\n"
                  "  - {name: q, type: revolute, a: a, b: b, at: [0, 0, 0.5], axis: [0, 1, 0]}\n"
                  "  - {name: r, type: revolute, a: b, b: c, at: [0.8, 0, 0.5], axis: [0, 1, 0]}\n"
                  "  - {name: s, type: revolute, b: c, at: [0.8, 0, 0], axis: [0, 1, 0]}\n");
    BELOW(f.error, 5e-13); /* rows that depend on each other magnify rounding */
    BELOW(f.remainder, 1e-11);
}

/* An arm that runs into its stops, driven, sprung and rubbing. */
static void limits_motors_springs(void **state) {
    (void)state;
    const char *form[] = {"lcp", "cone"};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 2; k++) {
            char text[2048];
            const char *o = dim == 2 ? "" : ", 0", *axis = dim == 2 ? "" : ", axis: [0, 0, 1]";
            snprintf(
                text, sizeof text,
                "perp: 1\ndim: %d\nh: 0.01\nduration: 1.5\ngravity: [0, -9.81%s]\nstages: {form: %s}\n"
                "bodies:\n"
                "  - {repeat: 4, name: \"l${i}\", mass: 0.5, inertia: %s, at: [0.2 + 0.4*i, 0%s]}\n"
                "joints:\n"
                "  - {name: j0, type: revolute, b: l0, at: [0, 0%s]%s, limits: [-0.8, 0.5]}\n"
                "  - {name: j1, type: revolute, a: l0, b: l1, at: [0.4, 0%s]%s, limits: [-0.3, 0.3], friction: 0.2}\n"
                "  - {name: j2, type: revolute, a: l1, b: l2, at: [0.8, 0%s]%s, motor: {speed: 2, force: 1}}\n"
                "  - {name: j3, type: revolute, a: l2, b: l3, at: [1.2, 0%s]%s, spring: {stiffness: 5, damping: "
                "0.1}}\n",
                dim, o, form[k], dim == 2 ? "0.01" : "[0.001, 0.01, 0.01]", o, o, axis, o, axis, o, axis, o, axis);
            figures f = run_scene(text);
            print_message("%dD, %s: %.1e\n", dim, form[k], f.error);
            BELOW(f.error, 5e-13); /* a limit is a law of its solver */
            BELOW(f.remainder, 1e-11);
            assert_true(f.joint_loss < 0);
        }
}

/* A chain swings against a wall and folds up on a floor. */
static void contacts_beside(void **state) {
    (void)state;
    const char *form[] = {"lcp", "cone"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 3\nh: 0.01\nduration: 0.6\nlaw: {mu: 0.4}\nstages: {form: %s}\n"
                 "bodies:\n"
                 "  - {name: wall, kind: obstacle, shape: {type: halfspace, normal: [1, 0, 0], offset: -0.1}}\n"
                 "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1], offset: -0.25}}\n"
                 "  - {repeat: 5, name: \"l${i}\", mass: 0.1, at: [0.05+0.1*i, 0, 0],\n"
                 "     shape: {type: capsule, radius: 0.01, length: 0.08}}\n"
                 "joints:\n"
                 "  - {name: j0, type: spherical, b: l0, at: [0, 0, 0]}\n"
                 "  - {repeat: 4, name: \"j${i+1}\", type: spherical, a: \"l${i}\", b: \"l${i+1}\", at: [0.1+0.1*i, 0, "
                 "0]}\n",
                 form[k]);
        figures f = run_scene(text);
        print_message("%s: joints %.1e, overlap %.1e, %d contacts\n", form[k], f.error, f.overlap, f.contacts);
        BELOW(f.error, 1e-10); /* contacts are solved to 1e-8 of the speeds */
        BELOW(f.overlap, 1e-9);
        BELOW(f.remainder, 1e-11);
        assert_true(f.contacts > 20);
    }
}

/* Light links that carry 1e8 times their mass swing as a pendulum: joints hold, and the swing is not damped. */
static void taut_chains_are_stable(void **state) {
    (void)state;
    for (double ratio = 1e2; ratio < 2e8; ratio *= 1e3) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "perp: 1\ndim: 2\nh: 0.01\nduration: 3\nstart: staggered\ngravity: [9.81*cos(0.5), -9.81*sin(0.5)]\n"
            "bodies:\n"
            "  - {repeat: 5, name: \"l${i}\", mass: 0.1, inertia: 0.1*0.2^2/12, at: [0.1+0.2*i, 0]}\n"
            "  - {name: bob, mass: %g, particle: true, at: [1, 0]}\n"
            "joints:\n"
            "  - {name: j0, type: revolute, b: l0, at: [0, 0]}\n"
            "  - {repeat: 4, name: \"j${i+1}\", type: revolute, a: \"l${i}\", b: \"l${i+1}\", at: [0.2+0.2*i, 0]}\n"
            "  - {name: hook, type: revolute, a: l4, b: bob, at: [1, 0]}\n",
            0.1 * ratio);
        perp_scene *s = scene_of(text);
        perp_world *w = perp_scene_world(s);
        double lost = 0, most = 0;
        for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
            perp_certificate c;
            OK(w, perp_world_step(w, &c));
            lost += c.ledger.drift + c.ledger.joint + c.ledger.joint_loss;
            most = fmax(most, fabs(lost));
            BELOW(c.joint_error, ROUNDING);
        }
        double swing = 0.1 * ratio * 9.81 * (1 - cos(0.5));
        print_message("ratio %g: %.1e of the energy\n", ratio, most / swing);
        BELOW(most, 1e-3 * swing);
        perp_scene_close(s);
    }
}

/* The step of the documents keeps its errors, by name. */
static void once_is_linearised(void **state) {
    (void)state;
    const char *rest = "stages: {geometry: once}\ngravity: [0, -9.81]\n"
                       "bodies:\n  - {name: rod, mass: 1, inertia: 1/12, at: [0.5, 0]}\n"
                       "joints:\n  - {name: pivot, type: revolute, b: rod, at: [0, 0]}\n";
    char text[1024];
    snprintf(text, sizeof text, "perp: 1\ndim: 2\nh: 0.01\nduration: 1\n%s", rest);
    double w2 = 3 * 9.81; /* at the bottom */
    NEAR(run_scene(text).error, 0.01 * 0.01 * w2 * 0.5 / 2, 0.05 * 0.01 * 0.01 * w2 * 0.5 / 2);
}

/* ---- drawn scenes ---- */

static uint64_t drawn = 1;

/* Uniform in (lo, hi): Knuth's generator, the same on every machine. */
static double draw(double lo, double hi) {
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(drawn >> 11) * 0x1p-53;
}

static int choose(int n) { return (int)draw(0, n); }

/* Extras of a coordinate, or none. */
static int draw_extras(char *out, size_t size, double unit) {
    int at = 0;
    if (choose(2)) at = snprintf(out, size, ", limits: [%.17g, %.17g]", -draw(0.1, 1.5) * unit, draw(0.1, 1.5) * unit);
    out += at;
    size -= (size_t)at;
    switch (choose(5)) {
    case 0: return at + snprintf(out, size, ", motor: {speed: %.17g, force: %.17g}", draw(-3, 3) * unit, draw(0.1, 5));
    case 1: return at + snprintf(out, size, ", spring: {stiffness: %.17g, damping: %.17g}", draw(1, 100), draw(0, 1));
    case 2: return at + snprintf(out, size, ", friction: %.17g", draw(0.01, 1));
    default: return at;
    }
}

/* A tree of boxes on joints of all kinds, over a floor or hung in the air. */
static void draw_scene(char *text, size_t size) {
    static const char *const kind[] = {"revolute",    "prismatic", "fixed",  "spherical",
                                       "cylindrical", "universal", "planar", "revolute"};
    int dim = 2 + choose(2), n = 2 + choose(5), at;
    double place[8][3];
    char joints[4096] = "";
    size_t used = 0;
    at = snprintf(text, size, "perp: 1\ndim: %d\nh: 0.01\nduration: 0.5\nlaw: {mu: %g}\ngravity: %s\nbodies:\n", dim,
                  0.4 * choose(3), dim == 2 ? "[0, -9.81]" : "[0, 0, -9.81]");
    if (choose(3))
        at += snprintf(text + at, size - (size_t)at,
                       "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: %s}}\n",
                       dim == 2 ? "[0, 1]" : "[0, 0, 1]");
    for (int i = 0; i < n; i++) {
        /* away from the parent, to one side and up, so that no two begin inside each other */
        double turn = draw(-1, 1);
        for (int c = 0; c < 3; c++) place[i][c] = i ? place[i - 1][c] : c == 2 ? 0.4 : 0;
        if (i) place[i][0] += 0.25, place[i][1] += dim == 3 ? 0.1 * turn : 0, place[i][2] += 0.1 * draw(-0.5, 1);
        const double *x = place[i];
        char where[128], middle[128];
        if (dim == 2)
            snprintf(where, sizeof where, "[%.17g, %.17g]", x[0], x[2]);
        else
            snprintf(where, sizeof where, "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
        at += snprintf(text + at, size - (size_t)at,
                       "  - {name: b%d, mass: %.17g, at: %s, shape: {type: box, size: %s}}\n", i, draw(0.1, 3), where,
                       dim == 2 ? "[0.1, 0.06]" : "[0.1, 0.06, 0.08]");
        if (i == 0 && choose(2)) continue;
        int k = choose(dim == 2 ? 3 : 8);
        const double *y = i ? place[i - 1] : x;
        if (dim == 2)
            snprintf(middle, sizeof middle, "[%.17g, %.17g]", (x[0] + y[0]) / 2, (x[2] + y[2]) / 2);
        else
            snprintf(middle, sizeof middle, "[%.17g, %.17g, %.17g]", (x[0] + y[0]) / 2, (x[1] + y[1]) / 2,
                     (x[2] + y[2]) / 2);
        char extras[256] = "", axis[128] = "", from[32] = "";
        if (k < 2 || k == 7) (void)draw_extras(extras, sizeof extras, k == 1 ? 0.1 : 1);
        if (dim == 3 && (k < 2 || k == 4 || k > 5))
            snprintf(axis, sizeof axis, ", axis: [%.17g, %.17g, 0.5]", draw(-1, 1), draw(-1, 1));
        if (dim == 2 && k == 1) snprintf(axis, sizeof axis, ", axis: [%.17g, 0.5]", draw(-1, 1));
        if (i) snprintf(from, sizeof from, ", a: b%d", i - 1);
        used +=
            (size_t)snprintf(joints + used, sizeof joints - used, "  - {name: j%d, type: %s, b: b%d%s, at: %s%s%s}\n",
                             i, kind[k], i, from, middle, axis, extras);
    }
    snprintf(text + at, size - (size_t)at, "joints:\n%s", joints);
}

/* Whatever is drawn, joints hold to the grade "good", most of them to rounding. */
static void drawn_scenes(void **state) {
    (void)state;
    int sharp = 0;
    const int n = 24;
    for (int i = 0; i < n; i++) {
        char text[8192];
        drawn = 77 + (uint64_t)i;
        draw_scene(text, sizeof text);
        figures f = run_scene(text);
        if (f.error > 1e-8) print_message("seed %d: %.1e\n%s", i, f.error, text);
        BELOW(f.error, 1e-8);
        sharp += f.error < 1e-13;
    }
    print_message("%d of %d at rounding\n", sharp, n);
    assert_true(sharp >= 3 * n / 4);
}

/* A rod that turns by 2.5 rad in a step, with the rows of the start and without shorter parts: its pin would open by twice its arm. The step is
 * refused, and the world stays as it was. Rounds to the end pose hold the pin. */
static void torn_joints_are_refused(void **state) {
    (void)state;
    for (int once = 0; once < 2; once++) {
        char text[600];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 2\nh: 0.01\nduration: 0.05\nstages: {max_halvings: 0%s}\nbodies:\n"
                 "  - {name: rod, at: [0.2, 0], spin: 250, velocity: [0, 50], density: 100, shape: {type: box, size: "
                 "[0.4, 0.05]}}\n"
                 "joints:\n  - {name: pin, type: revolute, b: rod, at: [0, 0]}\n",
                 once ? ", geometry: once" : "");
        perp_scene *s = scene_of(text);
        perp_world *w = perp_scene_world(s);
        uint64_t before = perp_world_hash(w);
        perp_certificate c;
        perp_status st = perp_world_step(w, &c);
        if (once) {
            assert_int_equal(st, PERP_E_SOLVE);
            assert_non_null(strstr(perp_world_why(w), "joint 0 (pin) would open by 1.9"));
            assert_true(perp_world_hash(w) == before);
        } else {
            assert_int_equal(st, PERP_OK);
            BELOW(c.joint_error, ROUNDING);
        }
        perp_scene_close(s);
    }
}

/* Light links that a heavy body flings, drawn out to a hundred times their size. Rows of the start pose give them energy in each substep,
 * until nothing can be solved, unless substeps in which joints gain are divided. The gain of one step is at most that of its two halves. */
static void flung_links(void **state) {
    (void)state;
    perp_scene *s = NULL;
    perp_refusal why = {0};
    if (perp_scene_open(PERP_TEST_DIR "/law/scenes/flung-links.yaml", NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    double first = 0;
    int divided = 0;
    for (int i = 0; i < 400; i++) {
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        if (i == 0) first = c.ledger.kinetic_before;
        divided += c.substeps > 1;
        BELOW(c.joint_error, 1e-7);
        BELOW(c.ledger.joint, 0.25 * c.ledger.kinetic_before);
        BELOW(c.ledger.kinetic_after, 10 * first);
    }
    assert_true(divided > 0);
    perp_scene_close(s);
}

/* An arm that begins beyond a limit of its hinge goes back over the time of a whole step, into however many parts the step is divided. A part
 * that removed all of it at once would throw the arm to the other limit. */
static void beyond_a_limit(void **state) {
    (void)state;
    for (int motor = 0; motor < 2; motor++) {
        char text[600];
        snprintf(text, sizeof text,
                 "perp: 1\ndim: 2\nh: 0.01\nduration: 0.05\ngravity: [0, 0]\nstages: {error_tolerance: 1e-9}\nbodies:\n"
                 "  - {name: arm, density: 1000, at: [0.5, 0], shape: {type: box, size: [1, 0.1]}}\njoints:\n"
                 "  - {name: hinge, type: revolute, b: arm, at: [0, 0], limits: [0.1, 1]%s}\n",
                 motor ? ", motor: {speed: 0}" : "");
        perp_scene *s = scene_of(text);
        perp_world *w = perp_scene_world(s);
        for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
            perp_certificate c;
            perp_vec3 v, om;
            OK(w, perp_world_step(w, &c));
            OK(w, perp_body_velocity(w, perp_body_find(w, "arm"), &v, &om));
            assert_true(c.substeps > (perp_world_time(w) > 0.015 ? 10 : 1));
            assert_true(om.z > 0 && om.z < 0.1 / 0.01 * (1 + 1e-9));
        }
        perp_scene_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),         cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(loops_hold),         cmocka_unit_test(limits_motors_springs),
        cmocka_unit_test(contacts_beside),    cmocka_unit_test(taut_chains_are_stable),
        cmocka_unit_test(once_is_linearised), cmocka_unit_test(drawn_scenes),
        cmocka_unit_test(flung_links),        cmocka_unit_test(torn_joints_are_refused),
        cmocka_unit_test(beyond_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
