/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Ways to break a run on purpose that need space: rotations of bodies without symmetry, creep and friction in a plane, rotors, servos and locked
 * rotations of joints. As in test_mutation.c, each must turn the verdict, small as well as large. */
#include "unit/mutation_help.h"

/* Bodies by their slots, in the order of the scene. */
enum { FLOOR, SLIDER, TABLE, COIN, FLYER, ARM, HAND, WHEEL };
enum { SHOULDER, WRIST, AXLE };
static const char workshop[] =
    "perp: 1\n"
    "dim: 3\n"
    "h: 0.005\n"
    "stages: {max_halvings: 1, impacts: plain, form: cone}\n"
    "duration: 1\n"
    "law: {mu: 0.4}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
    "  - {name: slider, at: [0, 0, 0.1], velocity: [3, 1, 0], density: 100, shape: {type: box, size: [0.4, 0.3, "
    "0.2]}}\n"
    "  - {name: table, kind: kinematic, at: [-8, 0, 0.5], shape: {type: box, size: [1, 1, 0.2]},\n"
    "     motion: {type: constant, spin: [0, 0, 0.5]}}\n"
    "  - {name: coin, at: [-7.8, 0, 0.65], density: 100, velocity: [0, 0.1, 0], spin: [0, 0, 0.5],\n"
    "     shape: {type: box, size: [0.2, 0.2, 0.1]}}\n"
    "  - {name: flyer, at: [17, 0, 9], density: 100, velocity: [1, 0, 2], spin: [1, 3, 2],\n"
    "     shape: {type: box, size: [0.2, 0.3, 0.5]}}\n"
    "  - {name: arm, at: [5.2, 0, 3], density: 100, shape: {type: box, size: [0.4, 0.1, 0.15]}}\n"
    "  - {name: hand, at: [5.6, 0, 3], density: 100, shape: {type: box, size: [0.4, 0.08, 0.12]}}\n"
    "  - {name: wheel, at: [9, 0, 3], density: 100, spin: [0, 2, 0], shape: {type: sphere, radius: 0.2}}\n"
    "joints:\n"
    "  - {name: shoulder, type: revolute, b: arm, at: [5, 0, 3], axis: [0, 1, 0], armature: 0.5}\n"
    "  - {name: wrist, type: revolute, a: arm, b: hand, at: [5.4, 0, 3], axis: [0, 0, 1], armature: 0.2}\n"
    "  - {name: axle, type: revolute, b: wheel, at: [9, 0, 3], axis: [0, 1, 0], friction: 0.2}\n"
    "actuators:\n"
    "  - {name: lift, type: position, joint: shoulder, kp: 200, kv: 20, ctrl: 0.3}\n"
    "  - {name: turn, type: position, joint: wrist, kp: 50, kv: 5, ctrl: 0.4}\n";

typedef struct sabotage {
    int kind;
    double size;
    bool done; /* it found what to break */
} sabotage;

static perp_joint_row *row_of(pp_frame *f, int joint, perp_row_kind kind) {
    for (int i = 0; i < f->pose.problem.njoint; i++)
        if (f->pose.problem.joint[i].joint == joint && f->pose.problem.joint[i].kind == kind)
            return (perp_joint_row *)&f->pose.problem.joint[i];
    return NULL;
}

/* ---- the breaks; each tells whether it could act ---- */

static bool turned(pp_frame *f, double e) {
    f->s1->X[FLYER].q = perp_q_mul(perp_q_exp(perp_v3(0, e, 0)), f->s1->X[FLYER].q);
    return true;
}
static bool spin_added(pp_frame *f, double e) {
    f->s1->w[FLYER].z *= 1 + e;
    return true;
}
static bool joint_turned(pp_frame *f, double e) { /* an impulse about a locked axis, which the velocities have */
    for (int i = 0; i < f->pose.problem.njoint; i++) {
        const perp_joint_row *r = &f->pose.problem.joint[i];
        const double *J = r->row.J[1];
        if (r->joint != WRIST || r->kind != PERP_ROW_JOINT || J[0] != 0 || J[1] != 0 || J[2] != 0) continue;
        double p = e / pp_row_inverse_mass(&f->pose.problem, &r->row);
        push(f, &r->row, p);
        f->solve.solution.p_joint[i] += p;
        return true;
    }
    return false;
}
static bool rotor_heavy(pp_frame *f, double e) { /* told consistently */
    perp_joint_row *r = row_of(f, SHOULDER, PERP_ROW_INERTIA);
    if (r) r->compliance /= 1 + e;
    return r;
}
static bool rotor_behind(pp_frame *f, double e) { /* another rate before the step */
    perp_joint_row *r = row_of(f, WRIST, PERP_ROW_INERTIA);
    if (r) r->b += e;
    return r;
}
static bool servo_stiff(pp_frame *f, double e) {
    perp_joint_row *r = row_of(f, SHOULDER, PERP_ROW_MOTOR);
    if (r) r->compliance /= 1 + e;
    return r;
}
static bool servo_elsewhere(pp_frame *f, double e) { /* another target */
    perp_joint_row *r = row_of(f, WRIST, PERP_ROW_MOTOR);
    if (r) r->b += e;
    return r;
}
static bool dry_friction_strong(pp_frame *f, double e) {
    perp_joint_row *r = row_of(f, AXLE, PERP_ROW_FRICTION);
    if (r) r->lo *= 1 + e, r->hi *= 1 + e;
    return r;
}
static bool friction_beyond(pp_frame *f, double e) {
    int i = contact_of(f, SLIDER);
    if (i >= 0) own_contact(f, i)->mu *= 1 + e;
    return i >= 0;
}
static bool friction_turned(pp_frame *f, double e) { /* not opposite to the slip */
    int i = contact_of(f, SLIDER);
    if (i < 0 || *impulse(f, i, 1) == 0) return false;
    double t = *impulse(f, i, 1), o = *impulse(f, i, 2), c = cos(e), s = sin(e);
    double to[2] = {c * t - s * o, s * t + c * o};
    push(f, &f->pose.problem.contact[i].t, to[0] - t);
    push(f, &f->pose.problem.contact[i].o, to[1] - o);
    *impulse(f, i, 1) = to[0], *impulse(f, i, 2) = to[1];
    return true;
}
static bool creeps(pp_frame *f, double e) { /* the record says that it sticks */
    bool found = false;
    for (int i = 0; i < f->contacts.n; i++)
        for (int k = 0; k < 2; k++)
            if (f->w->shape[f->contacts.shape[2 * i + k]].body == COIN) own_contact(f, i)->b_o += 0.3 * e, found = true;
    return found;
}
static bool drive_turned(pp_frame *f, double e) {
    f->s1->X[TABLE].q = perp_q_mul(perp_q_exp(perp_v3(0, 0, e * 0.5 * f->h)), f->s1->X[TABLE].q);
    return true;
}

static const struct {
    const char *name;
    pp_tamper_at at;
    bool (*act)(pp_frame *f, double size);
} ways[] = {
    {"a body turned", PP_MOVED, turned},
    {"spin added", PP_MOVED, spin_added},
    {"a joint that turns about a locked axis", PP_SOLVED, joint_turned},
    {"a rotor too heavy", PP_POSED, rotor_heavy},
    {"a rotor that has lost speed", PP_POSED, rotor_behind},
    {"a servo too stiff", PP_POSED, servo_stiff},
    {"a servo with another target", PP_POSED, servo_elsewhere},
    {"dry friction of a joint above its limit", PP_POSED, dry_friction_strong},
    {"friction beyond its cone", PP_POSED, friction_beyond},
    {"friction that is not opposite to the slip", PP_SOLVED, friction_turned},
    {"a sticking contact that creeps", PP_POSED, creeps},
    {"a driven body turned", PP_MOVED, drive_turned},
};
enum { WAYS = (int)(sizeof ways / sizeof *ways), STEPS = 40 };

static void tamper(pp_frame *f, int at, void *ctx) {
    sabotage *s = ctx;
    if ((pp_tamper_at)at != ways[s->kind].at || f->purpose != PP_STEP || f->w->state.step < 10) return;
    s->done |= ways[s->kind].act(f, s->size);
}

/* ---- runs ---- */

/* Runs the world; s NULL: untouched. */
static bool run_world(sabotage *s, verdict *v) {
    static simulate_result r;
    bool solved = run_scene(scene_of("workshop.yaml", workshop), s ? tamper : NULL, s, STEPS, 0.1, &r);
    r.joints = 3;
    judge(&r, v);
    return solved;
}

static void untouched_is_good(void **state) {
    (void)state;
    static verdict v;
    assert_true(run_world(NULL, &v));
    if (strcmp(v.word, "good") != 0)
        print_error("laws %s; overlap %s; joints %s; energy %s; creep %s; twist %s\n", v.laws, v.overlap, v.joints,
                    v.energy, v.creep, v.twist);
    assert_string_equal(v.word, "good");
}

static void every_break_is_seen(void **state) {
    (void)state;
    static verdict v;
    int missed = 0;
    for (int i = 0; i < 2 * WAYS; i++) {
        sabotage s = {.kind = i / 2, .size = i % 2 ? 1e-3 : 0.3};
        bool solved = run_world(&s, &v), seen = s.done && strcmp(v.word, "good") != 0;
        if (!s.done) print_error("%s: nothing to break\n", ways[i / 2].name);
        if (!seen) print_error("%s, %g: not seen\n", ways[i / 2].name, s.size);
        if (seen)
            print_message("%-44s %-5g %s: laws %s, joints %s, energy %s, creep %s\n", ways[i / 2].name, s.size,
                          solved ? v.word : "not solved", v.laws, v.joints_word, v.energy_word, v.creep);
        missed += !seen;
    }
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untouched_is_good),
        cmocka_unit_test(every_break_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
