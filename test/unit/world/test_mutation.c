/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Ways to break a run on purpose, in a world that has something of everything: each must be seen by some figure of the certificate and
 * turn the verdict, small (1e-3) as well as large. Without tampering the verdict is good. */
#include <stdlib.h>

#include "thorough.h"
#include "unit/mutation_help.h"

/* Bodies by their slots, in the order of the scene. */
enum { FLOOR, SLIDER, RESTING, BALL, TABLE, COIN, WHEEL, CART, STOPPED, MASS, FLYER_A, FLYER_B, PIN, HALF_A, HALF_B };
static const char workshop[] =
    "perp: 1\n"
    "dim: 2\n"
    "h: 0.005\n"
    "stages: {max_halvings: 1, impacts: plain}\n" /* rebounds are rows of the step, which can be broken as all others */
    "duration: 1\n"
    "materials: [bouncy]\n"
    "law: {mu: 0.4}\n"
    "laws:\n"
    "  - {pair: [bouncy, default], restitution: 0.6}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}\n"
    "  - {name: slider, at: [0, 0.1], velocity: [3, 0], density: 100, shape: {type: box, size: [0.4, 0.2]}}\n"
    "  - {name: resting, at: [-3, 0.1], density: 100, force: [5, 0], shape: {type: box, size: [0.4, 0.2]}}\n"
    "  - {name: ball, at: [-5, 0.4], density: 100, material: bouncy, shape: {type: sphere, radius: 0.1}}\n"
    "  - {name: table, kind: kinematic, at: [-8, 0.5], shape: {type: box, size: [1, 0.2]},\n"
    "     motion: {type: constant, velocity: [0.3, 0.1], spin: 0.2}}\n"
    "  - {name: coin, at: [-7.8, 0.65], density: 100, velocity: [0.3, 0.1], shape: {type: box, size: [0.2, 0.1]}}\n"
    "  - {name: wheel, at: [5, 3], density: 100, shape: {type: sphere, radius: 0.2}}\n"
    "  - {name: cart, at: [8, 3], density: 100, shape: {type: box, size: [0.2, 0.2]}}\n"
    "  - {name: stopped, at: [11, 3], density: 100, velocity: [1, 0], shape: {type: box, size: [0.2, 0.2]}}\n"
    "  - {name: mass, at: [14, 3], density: 100, shape: {type: box, size: [0.2, 0.2]}}\n"
    "  - {name: flyer-a, at: [17, 9], density: 100, velocity: [1, 2], spin: 3, shape: {type: box, size: [0.2, 0.2]}}\n"
    "  - {name: flyer-b, at: [19, 9], density: 100, velocity: [-1, 1], shape: {type: sphere, radius: 0.1}}\n"
    "  - {name: pin, at: [22, 3], density: 100, spin: 2, shape: {type: sphere, radius: 0.1}}\n"
    "  - {name: half-a, at: [25, 9], density: 1, spin: 3, shape: {type: box, size: [0.2, 0.2]}}\n"
    "  - {name: half-b, at: [25.3, 9], density: 1, velocity: [0, 0.9], spin: 3, shape: {type: box, size: [0.2, 0.2]}}\n"
    "joints:\n"
    "  - {name: axle, type: revolute, b: wheel, at: [5, 3], motor: {speed: 4, force: 0.5}}\n"
    "  - {name: rail, type: prismatic, b: cart, at: [8, 3], spring: {stiffness: 30, rest: 0.1}}\n"
    "  - {name: stop, type: prismatic, b: stopped, at: [11, 3], limits: [-0.2, 0.2]}\n"
    "  - {name: bolt, type: revolute, b: pin, at: [22, 3], motor: {speed: 2}}\n"
    "  - {name: hinge, type: revolute, a: half-a, b: half-b, at: [25.15, 9]}\n" /* in the air: nothing holds the two */
    "forces:\n"
    "  - {type: spring, b: mass, at_a: [14, 4], stiffness: 20, rest_length: 0.8}\n";

typedef struct sabotage {
    int kind, at_step;
    double size;
    uint64_t step;
    bool done; /* it found what to break */
} sabotage;

/* ---- finding things in a frame ---- */

static int row_of(const pp_frame *f, int joint, perp_row_kind kind) {
    for (int i = 0; i < f->pose.problem.njoint; i++)
        if (f->pose.problem.joint[i].joint == joint && f->pose.problem.joint[i].kind == kind) return i;
    return -1;
}

static perp_joint_row *own_joint(pp_frame *f, int i) { return (perp_joint_row *)&f->pose.problem.joint[i]; }

/* ---- the breaks; each tells whether it could act ---- */

static bool impulse_untold(pp_frame *f, double e) { /* an impulse that the velocities do not have */
    int i = contact_of(f, SLIDER);
    if (i < 0 || !(*impulse(f, i, 0) > 0)) return false;
    *impulse(f, i, 0) *= 1 + e;
    return true;
}
static bool impulse_wrong(pp_frame *f, double e) { /* one that they have */
    int i = contact_of(f, SLIDER);
    if (i < 0 || !(*impulse(f, i, 0) > 0)) return false;
    push(f, &f->pose.problem.contact[i].n, e * *impulse(f, i, 0));
    *impulse(f, i, 0) *= 1 + e;
    return true;
}
static bool velocity_wrong(pp_frame *f, double e) {
    velocity_of(f, SLIDER)[0] *= 1 + e;
    return true;
}
static bool pulls(pp_frame *f, double e) {
    int i = contact_of(f, SLIDER);
    if (i < 0) return false;
    double p = *impulse(f, i, 0), to = -e * fabs(p);
    push(f, &f->pose.problem.contact[i].n, to - p);
    *impulse(f, i, 0) = to;
    return p > 0;
}
static bool friction_reversed(pp_frame *f, double e) {
    int i = contact_of(f, SLIDER);
    if (i < 0 || *impulse(f, i, 1) == 0) return false;
    push(f, &f->pose.problem.contact[i].t, -2 * e * *impulse(f, i, 1));
    *impulse(f, i, 1) *= 1 - 2 * e;
    return true;
}
static bool friction_beyond(pp_frame *f, double e) { /* more than mu: the row says so itself */
    int i = contact_of(f, SLIDER);
    if (i < 0) return false;
    own_contact(f, i)->mu *= 1 + e;
    return true;
}
static bool friction_less(pp_frame *f, double e) {
    int i = contact_of(f, SLIDER);
    if (i < 0) return false;
    own_contact(f, i)->mu *= 1 - e;
    return true;
}
static bool rebound_changed(pp_frame *f, double by) {
    int i = contact_of(f, BALL);
    if (i < 0 || !isfinite(pp_rebound_rhs(f, i, &f->pose.problem.contact[i]))) return false;
    own_contact(f, i)->b_n *= by;
    return true;
}
static bool rebound_lost(pp_frame *f, double e) { return rebound_changed(f, 1 - e); }
static bool rebound_strong(pp_frame *f, double e) { return rebound_changed(f, 1 + e); }
static bool open_contact(pp_frame *f, double e) { /* it lifts what rests, and still pushes when that is open */
    int i = contact_of(f, RESTING);
    if (i < 0) return false;
    own_contact(f, i)->b_n -= 0.2 * e;
    return true;
}
static bool gap_ignored(pp_frame *f, double e) {
    int i = contact_of(f, RESTING);
    if (i < 0) return false;
    own_contact(f, i)->b_n += 0.1 * e;
    return true;
}
static bool moved(pp_frame *f, double e) {
    f->s1->X[FLYER_A].p.x += 0.2 * e;
    return true;
}
static bool sunk(pp_frame *f, double e) { /* pose, velocity and account agree: only what touches tells */
    f->s1->X[RESTING].p.y -= 0.2 * e;
    return true;
}
static bool turned(pp_frame *f, double e) {
    f->s1->theta[FLYER_A] += e;
    double half = f->s1->theta[FLYER_A] / 2;
    f->s1->X[FLYER_A].q = (perp_quat){cos(half), 0, 0, sin(half)};
    return true;
}
static bool pose_torn(pp_frame *f, double e) { /* the orientation is not that of the angle */
    double half = (f->s1->theta[FLYER_A] + e) / 2;
    f->s1->X[FLYER_A].q = (perp_quat){cos(half), 0, 0, sin(half)};
    return true;
}
static bool energy_added(pp_frame *f, double e) {
    f->s1->v[FLYER_A] = perp_v3_scale(1 + e, f->s1->v[FLYER_A]);
    return true;
}
static bool spin_added(pp_frame *f, double e) {
    f->s1->w[FLYER_A].z *= 1 + e;
    return true;
}
static bool momentum_opposite(pp_frame *f, double e) { /* of two bodies, so that their sum stays */
    double p = e * f->w->body[FLYER_A].mass;
    f->s1->v[FLYER_A].x += p / f->w->body[FLYER_A].mass;
    f->s1->v[FLYER_B].x -= p / f->w->body[FLYER_B].mass;
    return true;
}
static bool gravity_left_out(pp_frame *f, double e) {
    int at = f->control.block_offset[f->control.block[FLYER_A]] + 1;
    f->control.momentum[at] -= e * f->control.i_gravity[at];
    f->control.i_gravity[at] *= 1 - e;
    return true;
}
static bool spring_between(pp_frame *f, double e) {
    int at = f->control.block_offset[f->control.block[MASS]] + 1;
    f->control.momentum[at] += e * f->control.i_spring[at];
    f->control.i_spring[at] *= 1 + e;
    return true;
}
static bool joint_opened(pp_frame *f, double e) {
    int i = row_of(f, 0, PERP_ROW_JOINT);
    if (i < 0) return false;
    own_joint(f, i)->b += 2 * e;
    return true;
}
static bool motor_strong(pp_frame *f, double e) {
    int i = row_of(f, 0, PERP_ROW_MOTOR);
    if (i < 0) return false;
    own_joint(f, i)->hi *= 1 + e;
    return true;
}
static bool motor_fast(pp_frame *f, double e) {
    int i = row_of(f, 3, PERP_ROW_MOTOR);
    if (i < 0) return false;
    own_joint(f, i)->b -= 2 * e;
    return true;
}
static bool joint_spring(pp_frame *f, double e) { /* another stiffness, told consistently */
    int i = row_of(f, 1, PERP_ROW_SPRING);
    if (i < 0) return false;
    own_joint(f, i)->compliance /= 1 + e;
    return true;
}
static bool limit_passed(pp_frame *f, double e) {
    bool found = false;
    for (int i = 0; i < f->pose.problem.njoint; i++)
        if (f->pose.problem.joint[i].kind == PERP_ROW_LIMIT) own_joint(f, i)->b += e, found = true;
    return found;
}
static bool impulse_apart(pp_frame *f, double e) { /* the two impulses of a joint act at two points */
    enum { HINGE = 4 };
    bool found = false;
    for (int i = 0; i < f->pose.problem.njoint; i++)
        if (f->pose.problem.joint[i].joint == HINGE) own_joint(f, i)->row.J[1][2] += 0.15 * e, found = true;
    return found;
}
static bool drive_missed(pp_frame *f, double e) {
    f->s1->X[TABLE].p.x += e * 0.3 * f->h;
    return true;
}
static bool drive_turned(pp_frame *f, double e) {
    f->s1->theta[TABLE] += e * 0.2 * f->h;
    double half = f->s1->theta[TABLE] / 2;
    f->s1->X[TABLE].q = (perp_quat){cos(half), 0, 0, sin(half)};
    return true;
}
/* A body that sticks on the table slips a little, while the record says that it sticks. */
static bool creeps(pp_frame *f, double e) {
    bool found = false;
    for (int i = 0; i < f->contacts.n; i++)
        for (int k = 0; k < 2; k++)
            if (f->w->shape[f->contacts.shape[2 * i + k]].body == COIN) own_contact(f, i)->b_t += 0.3 * e, found = true;
    return found;
}

typedef struct way {
    const char *name;
    pp_tamper_at at;
    bool (*act)(pp_frame *f, double size);
} way;
static const way ways[] = {
    {"an impulse that the velocities do not have", PP_SOLVED, impulse_untold},
    {"a wrong impulse", PP_SOLVED, impulse_wrong},
    {"a wrong velocity", PP_SOLVED, velocity_wrong},
    {"a contact that pulls", PP_SOLVED, pulls},
    {"friction in the wrong direction", PP_SOLVED, friction_reversed},
    {"friction beyond its cone", PP_POSED, friction_beyond},
    {"too little friction", PP_POSED, friction_less},
    {"a lost rebound", PP_POSED, rebound_lost},
    {"a rebound too strong", PP_POSED, rebound_strong},
    {"a contact that pushes while open", PP_POSED, open_contact},
    {"a gap ignored", PP_POSED, gap_ignored},
    {"a body moved", PP_MOVED, moved},
    {"a body sunk", PP_MOVED, sunk},
    {"a body turned", PP_MOVED, turned},
    {"an orientation replaced", PP_MOVED, pose_torn},
    {"energy added", PP_MOVED, energy_added},
    {"spin added", PP_MOVED, spin_added},
    {"momentum added to two bodies in opposite ways", PP_MOVED, momentum_opposite},
    {"gravity left out", PP_CONTROLLED, gravity_left_out},
    {"a spring between points too strong", PP_CONTROLLED, spring_between},
    {"a joint opened", PP_POSED, joint_opened},
    {"a motor above its limit", PP_POSED, motor_strong},
    {"a motor too fast", PP_POSED, motor_fast},
    {"a joint spring too stiff", PP_POSED, joint_spring},
    {"a limit passed", PP_POSED, limit_passed},
    {"impulse and counter-impulse at two points", PP_POSED, impulse_apart},
    {"a drive that is not followed", PP_MOVED, drive_missed},
    {"a driven body turned", PP_MOVED, drive_turned},
    {"a sticking contact that creeps", PP_POSED, creeps},
};
enum { WAYS = (int)(sizeof ways / sizeof *ways), STEPS = 100 };

static void tamper(pp_frame *f, int at, void *ctx) {
    sabotage *s = ctx;
    const way *x = &ways[s->kind];
    if ((pp_tamper_at)at != x->at || f->purpose != PP_STEP || f->w->state.step < 10) return;
    s->done |= x->act(f, s->size);
}

/* ---- runs ---- */

/* Runs the world; s NULL: untouched. */
static bool run_world(sabotage *s, simulate_result *r) {
    bool solved =
        run_scene(scene_of("workshop.yaml", workshop), s ? tamper : NULL, s, STEPS, 0.1, r); /* the coin's height */
    r->joints = 5;
    return solved;
}

static void untouched_is_good(void **state) {
    (void)state;
    static simulate_result r;
    verdict v;
    assert_true(run_world(NULL, &r));
    judge(&r, &v);
    if (strcmp(v.word, "good") != 0)
        print_error("laws %s; overlap %s; joints %s; energy %s; creep %s; twist %s\n", v.laws, v.overlap, v.joints,
                    v.energy, v.creep, v.twist);
    assert_string_equal(v.word, "good");
}

static void every_break_is_seen(void **state) {
    (void)state;
    static simulate_result r;
    int missed = 0;
    for (int i = 0; i < WAYS; i++)
        for (int small = thorough() ? 0 : 1; small < 2; small++) { /* the small one is harder to see */
            sabotage s = {.kind = i, .size = small ? 1e-3 : 0.3};
            verdict v;
            bool solved = run_world(&s, &r);
            judge(&r, &v);
            if (!s.done) print_error("%s: nothing to break\n", ways[i].name);
            bool seen = s.done && strcmp(v.word, "good") != 0;
            if (!seen) print_error("%s, %g: not seen\n", ways[i].name, s.size);
            if (seen)
                print_message("%-48s %-5g %s: laws %s, overlap %s, joints %s, energy %s, creep %s, twist %s\n",
                              ways[i].name, s.size, solved ? v.word : "not solved", v.laws_word, v.overlap_word,
                              v.joints_word, v.energy_word, v.creep_word, v.twist_word);
            missed += !seen;
        }
    assert_int_equal(missed, 0);
}

/* A frame that is replaced in the file: blocks carry checksums, so it is refused. */
static void replaced_frames_are_refused(void **state) {
    (void)state;
    const char *path = "mutation.h5";
    perp_scene *made = scene_of("workshop.yaml", workshop);
    perp_recorder *rec;
    perp_recording *in = NULL;
    perp_refusal why;
    remove(path);
    perp_record_choice all = perp_scene_record(made);
    all.compression = 0;
    assert_int_equal(perp_recorder_create(path, made, &all, &rec, &why), PERP_OK);
    for (int i = 0; i < 60; i++) {
        perp_certificate c;
        assert_int_equal(perp_world_step(perp_scene_world(made), &c), PERP_OK);
        assert_int_equal(perp_recorder_step(rec, &c, &why), PERP_OK);
    }
    assert_int_equal(perp_recorder_close(rec, true, &why), PERP_OK);
    perp_pose X[32];
    assert_int_equal(perp_recording_open(path, &in, &why), PERP_OK);
    assert_int_equal(perp_recording_poses(in, 20, X, &why), PERP_OK);
    perp_recording_close(in);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    char *data = malloc(size);
    assert_non_null(data);
    rewind(f);
    assert_int_equal(fread(data, 1, size, f), size);
    /* the slider's place at frame 20, wherever the file has it, becomes another */
    int replaced = 0;
    for (size_t at = 0; at + sizeof X[SLIDER].p.x <= size; at++)
        if (memcmp(data + at, &X[SLIDER].p.x, sizeof X[SLIDER].p.x) == 0) {
            double other = X[SLIDER].p.x + 1e-3;
            fseek(f, (long)at, SEEK_SET);
            replaced += fwrite(&other, sizeof other, 1, f) == 1;
        }
    fclose(f);
    free(data);
    assert_true(replaced > 0);
    perp_status st = perp_recording_open(path, &in, &why);
    perp_recording_worst worst;
    if (!st) {
        st = perp_recording_total(in, &worst, &why);
        if (!st) st = perp_recording_poses(in, 20, X, &why);
        perp_recording_close(in);
    }
    assert_true(st != PERP_OK);
    perp_scene_close(made);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untouched_is_good),
        cmocka_unit_test(every_break_is_seen),
        cmocka_unit_test(replaced_frames_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
