/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_bad_input.c - what must be refused, with which status and which word in the sentence, and without a trace in the
 * world Method   A small world with something of everything, made anew for each dimension. Numbers come from tables:
 * every field of every
 *          definition with every value it must not have. The rest is written out. After each refusal the hash, the
 *          counts and the size of the state are as before, and at the end the world still runs to the hash of one that
 *          was never troubled. */
#include "unit/world_help.h"

enum { D2 = 1, D3 = 2, BOTH = 3 };
enum { IS_NAN = 1, IS_INF = 2, IS_MINUS_INF = 4, IS_ZERO = 8, IS_NEGATIVE = 16 };
enum { NOT_FINITE = 7, NOT_POSITIVE = 31, NEGATIVE = 23 }; /* masks: what a field refuses */
static const double bad_value[] = {NAN, INFINITY, -INFINITY, 0, -1};

typedef struct fixture {
    perp_world *w;
    int dim;
    perp_body_id floor, ball, box, lift, gone; /* lift: kinematic; gone: removed */
    perp_shape_id shape, shape_gone;
    perp_joint_id hinge, hinge_gone;
    perp_force_id push, pd, force_gone;
    int refusals;
} fixture;

/* The call is refused with this status and a sentence with this word, and the world is as before. A read of a const
 * world has no sentence: word NULL. */
#define REFUSED(f, call, want, word)                                       \
    do {                                                                   \
        trace before_ = trace_of((f)->w);                                  \
        perp_status st_ = (call);                                          \
        check_refused((f), before_, st_, (want), (word), #call, __LINE__); \
    } while (0)

typedef struct trace {
    uint64_t hash, steps;
    int bodies;
    size_t size;
    double t, overlap, joint_error;
} trace;

static trace trace_of(const perp_world *w) {
    return (trace){perp_world_hash(w), perp_world_steps(w),   perp_world_body_count(w), perp_world_state_size(w),
                   perp_world_time(w), perp_world_overlap(w), perp_world_joint_error(w)};
}

static void check_refused(fixture *f, trace before, perp_status st, perp_status want, const char *word,
                          const char *call, int line) {
    const char *why = perp_world_why(f->w);
    if (st != want)
        fail_msg("line %d, %dD: %s gives %s instead of %s (%s)", line, f->dim, call, perp_status_name(st),
                 perp_status_name(want), why);
    if (word && !strstr(why, word)) fail_msg("line %d, %dD: %s: \"%s\" has no \"%s\"", line, f->dim, call, why, word);
    trace now = trace_of(f->w);
    if (memcmp(&now.hash, &before.hash, sizeof now.hash) != 0 || now.steps != before.steps ||
        now.bodies != before.bodies || now.size != before.size || now.t != before.t || now.overlap != before.overlap ||
        now.joint_error != before.joint_error)
        fail_msg("line %d, %dD: %s left a trace", line, f->dim, call);
    f->refusals++;
}

static const perp_vec3 square[] = {{1, 1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, -1, 0}};
static const perp_vec3 tetra[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static perp_body_def good_body(void) { return perp_body_def_default(PERP_BODY_DYNAMIC); }

static perp_joint_def good_joint(const fixture *f) {
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    d.a = f->ball;
    d.b = f->box;
    return d;
}

static perp_force_def good_force(const fixture *f, perp_force_kind kind) {
    perp_force_def d = perp_force_def_default(kind);
    d.b = f->box;
    d.joint = f->hinge;
    d.omega = 1;
    return d;
}

static fixture make(int dim) {
    fixture f = {.dim = dim};
    perp_world_def wd = perp_world_def_default(dim);
    wd.form = PERP_FORM_LCP;
    wd.h = 0.01;
    f.w = world_of(&wd);
    OK(f.w, perp_pair_set_all(f.w, (perp_pair_law){.mu = 0.4}));
    f.floor = add_floor(f.w);
    perp_body_def d = good_body();
    d.X_WB = at_height(dim, 0, 0.5);
    d.v_W = perp_v3(1, 0, 0);
    f.ball = add_def(f.w, &d);
    f.shape = add_shape(f.w, f.ball, perp_shape_sphere(0.5));
    d.X_WB = at_height(dim, 3, 0.6);
    f.box = add_def(f.w, &d);
    add_shape(f.w, f.box, perp_shape_box(0.5, 0.5, 0.5));
    perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
    k.X_WB = at_height(dim, -5, 1);
    k.v_W = perp_v3(0, 1, 0);
    f.lift = add_def(f.w, &k);
    f.gone = add_def(f.w, &d);
    f.shape_gone = add_shape(f.w, f.gone, perp_shape_sphere(0.1));
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = f.ball;
    j.X_AJ = at_height(dim, 0, 1.5);
    j.X_BJ.p = up(dim);
    f.hinge = add_joint(f.w, &j);
    j.b = f.gone;
    f.hinge_gone = add_joint(f.w, &j);
    perp_force_def p = good_force(&f, PERP_FORCE_CONSTANT);
    p.wrench.force = perp_v3(0.1, 0, 0);
    f.push = add_force(f.w, &p);
    p.b = f.gone;
    f.force_gone = add_force(f.w, &p);
    p = good_force(&f, PERP_FORCE_PD);
    p.kp = 1;
    f.pd = add_force(f.w, &p);
    OK(f.w, perp_body_remove(f.w, f.gone));
    run(f.w, 5);
    return f;
}

/* What a definition of the table is for. */
typedef enum subject {
    BODY,
    PARTICLE,
    OBSTACLE,
    KINEMATIC,
    SPHERE,
    HALFSPACE,
    BOX,
    HULL,
    JOINT,
    CONSTANT,
    SINUSOID,
    SPRING,
    PD,
    MOTION_CONSTANT,
    MOTION_SINUSOID,
    MOTION_TABLE,
    LAW,
    SET_POSE,
    SET_VELOCITY,
    SET_FORCE,
    SET_H,
    SET_AXIS,
    SET_TARGET
} subject;

typedef struct number {
    subject what;
    size_t offset; /* of the double in the definition */
    unsigned bad;
    int dims;
    perp_status want;
    const char *word;
} number;

/* Two values behind each other, for functions that take two. */
typedef struct two_vectors {
    perp_vec3 a, b;
} two_vectors;

#define AT(type, field) offsetof(type, field)
static const number numbers[] = {
    {BODY, AT(perp_body_def, mass), NOT_POSITIVE, BOTH, PERP_E_ARG, "mass"},
    {PARTICLE, AT(perp_body_def, mass), NOT_POSITIVE, BOTH, PERP_E_ARG, "mass"},
    {BODY, AT(perp_body_def, I_B.c[2].z), NOT_POSITIVE, BOTH, PERP_E_ARG, "inertia"},
    {BODY, AT(perp_body_def, I_B.c[0].x), NOT_POSITIVE, D3, PERP_E_ARG, "inertia"},
    {BODY, AT(perp_body_def, I_B.c[1].x), NOT_FINITE | IS_NEGATIVE, D3, PERP_E_ARG, "inertia"}, /* -1: not symmetric */
    {BODY, AT(perp_body_def, X_WB.p.x), NOT_FINITE, BOTH, PERP_E_ARG, "X_WB"},
    {BODY, AT(perp_body_def, X_WB.p.y), NOT_FINITE, BOTH, PERP_E_ARG, "X_WB"},
    {BODY, AT(perp_body_def, X_WB.p.z), NOT_FINITE, BOTH, PERP_E_ARG, "X_WB"},
    {BODY, AT(perp_body_def, X_WB.p.z), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {BODY, AT(perp_body_def, X_WB.q.w), NOT_FINITE | IS_ZERO, BOTH, PERP_E_ARG, "X_WB"},
    {BODY, AT(perp_body_def, X_WB.q.x), NOT_FINITE | IS_NEGATIVE, BOTH, PERP_E_ARG, "X_WB"},
    {BODY, AT(perp_body_def, v_W.x), NOT_FINITE, BOTH, PERP_E_ARG, "v_W"},
    {BODY, AT(perp_body_def, v_W.z), NOT_FINITE, BOTH, PERP_E_ARG, "v_W"},
    {BODY, AT(perp_body_def, v_W.z), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {BODY, AT(perp_body_def, w_W.x), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {BODY, AT(perp_body_def, w_W.z), NOT_FINITE, BOTH, PERP_E_ARG, "w_W"},
    {PARTICLE, AT(perp_body_def, w_W.z), NOT_FINITE, BOTH, PERP_E_ARG, "w_W"},
    {PARTICLE, AT(perp_body_def, w_W.z), IS_NEGATIVE, BOTH, PERP_E_ARG, "particle"},
    {OBSTACLE, AT(perp_body_def, v_W.x), NOT_FINITE, BOTH, PERP_E_ARG, "v_W"},
    {OBSTACLE, AT(perp_body_def, v_W.x), IS_NEGATIVE, BOTH, PERP_E_ARG, "velocity"},
    {OBSTACLE, AT(perp_body_def, w_W.z), IS_NEGATIVE, BOTH, PERP_E_ARG, "velocity"},
    {KINEMATIC, AT(perp_body_def, v_W.y), NOT_FINITE, BOTH, PERP_E_ARG, "v_W"},
    {KINEMATIC, AT(perp_body_def, X_WB.q.z), NOT_FINITE | IS_NEGATIVE, BOTH, PERP_E_ARG, "X_WB"},

    {SPHERE, AT(perp_shape_def, radius), NOT_FINITE, BOTH, PERP_E_ARG, "radius"},
    {SPHERE, AT(perp_shape_def, radius), IS_ZERO | IS_NEGATIVE, BOTH, PERP_E_GEOMETRY, "radius"},
    {SPHERE, AT(perp_shape_def, X_BS.p.y), NOT_FINITE, BOTH, PERP_E_ARG, "X_BS"},
    {SPHERE, AT(perp_shape_def, X_BS.p.z), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {SPHERE, AT(perp_shape_def, X_BS.q.w), NOT_FINITE | IS_ZERO, BOTH, PERP_E_ARG, "X_BS"},
    {BOX, AT(perp_shape_def, half_size.x), NOT_FINITE, BOTH, PERP_E_ARG, "half size"},
    {BOX, AT(perp_shape_def, half_size.y), IS_ZERO | IS_NEGATIVE, BOTH, PERP_E_GEOMETRY, "half size"},
    {BOX, AT(perp_shape_def, half_size.z), NOT_FINITE, D3, PERP_E_ARG, "half size"},
    {HALFSPACE, AT(perp_shape_def, normal.x), NOT_FINITE, BOTH, PERP_E_ARG, "normal"},
    {HALFSPACE, AT(perp_shape_def, normal.x), IS_ZERO, BOTH, PERP_E_GEOMETRY, "normal"},
    {HALFSPACE, AT(perp_shape_def, normal.z), IS_NEGATIVE, D2, PERP_E_GEOMETRY, "plane"},
    {HALFSPACE, AT(perp_shape_def, offset), NOT_FINITE, BOTH, PERP_E_ARG, "offset"},

    {JOINT, AT(perp_joint_def, X_AJ.p.x), NOT_FINITE, BOTH, PERP_E_ARG, "X_AJ"},
    {JOINT, AT(perp_joint_def, X_BJ.q.w), NOT_FINITE | IS_ZERO, BOTH, PERP_E_ARG, "X_BJ"},
    {JOINT, AT(perp_joint_def, X_BJ.p.z), IS_NEGATIVE, D2, PERP_E_ARG, "2D"},
    {JOINT, AT(perp_joint_def, axis[0].lo), IS_NAN | IS_INF, BOTH, PERP_E_ARG, "axis[0].lo"},
    {JOINT, AT(perp_joint_def, axis[0].hi), IS_NAN | IS_MINUS_INF, BOTH, PERP_E_ARG, "axis[0].hi"},
    {JOINT, AT(perp_joint_def, axis[0].motor_speed), NOT_FINITE, BOTH, PERP_E_ARG, "motor_speed"},
    {JOINT, AT(perp_joint_def, axis[0].motor_force), IS_NAN | IS_MINUS_INF | IS_NEGATIVE, BOTH, PERP_E_ARG,
     "motor_force"},
    {JOINT, AT(perp_joint_def, axis[0].stiffness), NEGATIVE, BOTH, PERP_E_ARG, "stiffness"},
    {JOINT, AT(perp_joint_def, axis[0].damping), NEGATIVE, BOTH, PERP_E_ARG, "damping"},
    {JOINT, AT(perp_joint_def, axis[0].friction), NEGATIVE, BOTH, PERP_E_ARG, "friction"},
    {JOINT, AT(perp_joint_def, axis[0].rest), NOT_FINITE, BOTH, PERP_E_ARG, "rest"},
    {SET_AXIS, AT(perp_joint_axis, motor_speed), NOT_FINITE, BOTH, PERP_E_ARG, "motor_speed"},
    {SET_AXIS, AT(perp_joint_axis, friction), NEGATIVE, BOTH, PERP_E_ARG, "friction"},

    {CONSTANT, AT(perp_force_def, wrench.force.x), NOT_FINITE, BOTH, PERP_E_ARG, "wrench.force"},
    {CONSTANT, AT(perp_force_def, wrench.force.z), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {CONSTANT, AT(perp_force_def, wrench.torque.z), NOT_FINITE, BOTH, PERP_E_ARG, "wrench.torque"},
    {CONSTANT, AT(perp_force_def, wrench.torque.x), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {CONSTANT, AT(perp_force_def, point_B.y), NOT_FINITE, BOTH, PERP_E_ARG, "point_B"},
    {SINUSOID, AT(perp_force_def, omega), NOT_FINITE, BOTH, PERP_E_ARG, "omega"},
    {SINUSOID, AT(perp_force_def, phase), NOT_FINITE, BOTH, PERP_E_ARG, "phase"},
    {SPRING, AT(perp_force_def, stiffness), NEGATIVE, BOTH, PERP_E_ARG, "stiffness"},
    {SPRING, AT(perp_force_def, rest_length), NEGATIVE, BOTH, PERP_E_ARG, "rest_length"},
    {SPRING, AT(perp_force_def, damping), NEGATIVE, BOTH, PERP_E_ARG, "damping"},
    {SPRING, AT(perp_force_def, drag), NEGATIVE, BOTH, PERP_E_ARG, "drag"},
    {SPRING, AT(perp_force_def, point_A.x), NOT_FINITE, BOTH, PERP_E_ARG, "point_A"},
    {SPRING, AT(perp_force_def, point_B.z), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {PD, AT(perp_force_def, kp), NOT_FINITE, BOTH, PERP_E_ARG, "kp"},
    {PD, AT(perp_force_def, kd), NOT_FINITE, BOTH, PERP_E_ARG, "kd"},
    {PD, AT(perp_force_def, target), NOT_FINITE, BOTH, PERP_E_ARG, "target"},
    {PD, AT(perp_force_def, target_rate), NOT_FINITE, BOTH, PERP_E_ARG, "target_rate"},
    {PD, AT(perp_force_def, max_force), IS_NAN | IS_MINUS_INF | IS_NEGATIVE, BOTH, PERP_E_ARG, "max_force"},
    {SET_TARGET, AT(two_vectors, a.x), NOT_FINITE, BOTH, PERP_E_ARG, "target"},
    {SET_TARGET, AT(two_vectors, a.y), NOT_FINITE, BOTH, PERP_E_ARG, "target_rate"},

    {MOTION_CONSTANT, AT(perp_motion_def, v_W.x), NOT_FINITE, BOTH, PERP_E_ARG, "v_W"},
    {MOTION_CONSTANT, AT(perp_motion_def, w_W.z), NOT_FINITE, BOTH, PERP_E_ARG, "w_W"},
    {MOTION_CONSTANT, AT(perp_motion_def, v_W.z), IS_NEGATIVE, D2, PERP_E_ARG, "2D"},
    {MOTION_SINUSOID, AT(perp_sinusoid, amplitude), NOT_FINITE, BOTH, PERP_E_ARG, "amplitude"},
    {MOTION_SINUSOID, AT(perp_sinusoid, omega), NOT_POSITIVE, BOTH, PERP_E_ARG, "omega"},
    {MOTION_SINUSOID, AT(perp_sinusoid, phase), NOT_FINITE, BOTH, PERP_E_ARG, "phase"},
    {MOTION_TABLE, AT(perp_pose_at_time, t), NOT_FINITE | IS_ZERO | IS_NEGATIVE, BOTH, PERP_E_ARG,
     "table[1].t"}, /* the one before is 0 */
    {MOTION_TABLE, AT(perp_pose_at_time, X_WB.p.y), NOT_FINITE, BOTH, PERP_E_ARG, "table[1]"},
    {MOTION_TABLE, AT(perp_pose_at_time, X_WB.q.w), NOT_FINITE | IS_ZERO, BOTH, PERP_E_ARG, "quaternion"},

    {LAW, AT(perp_pair_law, mu), NEGATIVE, BOTH, PERP_E_ARG, "mu"},
    {LAW, AT(perp_pair_law, restitution), NEGATIVE, BOTH, PERP_E_ARG, "restitution"},
    {SET_POSE, AT(perp_pose, p.x), NOT_FINITE, BOTH, PERP_E_ARG, "X_WB"},
    {SET_POSE, AT(perp_pose, q.w), NOT_FINITE | IS_ZERO, BOTH, PERP_E_ARG, "X_WB"},
    {SET_POSE, AT(perp_pose, p.z), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {SET_VELOCITY, AT(two_vectors, a.y), NOT_FINITE, BOTH, PERP_E_ARG, "v_W"},
    {SET_VELOCITY, AT(two_vectors, b.z), NOT_FINITE, BOTH, PERP_E_ARG, "w_W"},
    {SET_VELOCITY, AT(two_vectors, b.x), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {SET_FORCE, AT(two_vectors, a.x), NOT_FINITE, BOTH, PERP_E_ARG, "force"},
    {SET_FORCE, AT(two_vectors, b.z), NOT_FINITE, BOTH, PERP_E_ARG, "torque"},
    {SET_FORCE, AT(two_vectors, a.z), IS_NEGATIVE, D2, PERP_E_ARG, "plane"},
    {SET_H, 0, NOT_POSITIVE, BOTH, PERP_E_ARG, "h is"},
};

static void put(void *def, size_t offset, double x) { memcpy((char *)def + offset, &x, sizeof x); }

static perp_status try_body(fixture *f, const number *n, double x) {
    perp_body_def d = good_body();
    if (n->what == OBSTACLE) d.kind = PERP_BODY_OBSTACLE;
    if (n->what == KINEMATIC) d.kind = PERP_BODY_KINEMATIC;
    d.particle = n->what == PARTICLE;
    d.name = "refused";
    put(&d, n->offset, x);
    perp_body_id id = {7, 7};
    perp_status st = perp_body_add(f->w, &d, &id);
    assert_true(!st || (id.slot == 0 && id.gen == 0)); /* a refusal gives no id */
    return st;
}

static perp_status try_shape(fixture *f, const number *n, double x) {
    perp_shape_def d = n->what == SPHERE ? perp_shape_sphere(1)
                       : n->what == BOX  ? perp_shape_box(1, 1, 1)
                                         : perp_shape_halfspace(perp_v3(1, 0, 0), 0);
    put(&d, n->offset, x);
    return perp_shape_add(f->w, n->what == HALFSPACE ? f->floor : f->box, &d, NULL);
}

static perp_status try_force(fixture *f, const number *n, double x) {
    const perp_force_kind kind = n->what == CONSTANT   ? PERP_FORCE_CONSTANT
                                 : n->what == SINUSOID ? PERP_FORCE_SINUSOID
                                 : n->what == SPRING   ? PERP_FORCE_SPRING
                                                       : PERP_FORCE_PD;
    perp_force_def d = good_force(f, kind);
    put(&d, n->offset, x);
    return perp_force_add(f->w, &d, NULL);
}

static perp_status try_motion(fixture *f, const number *n, double x) {
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_CONSTANT);
    perp_sinusoid term = {.axis = 0, .amplitude = 1, .omega = 1};
    perp_pose_at_time table[2] = {{0, perp_pose_identity()}, {1, perp_pose_identity()}};
    if (n->what == MOTION_CONSTANT) put(&d, n->offset, x);
    if (n->what == MOTION_SINUSOID) {
        d = perp_motion_def_default(PERP_MOTION_SINUSOID);
        d.terms = &term;
        d.nterm = 1;
        put(&term, n->offset, x);
    }
    if (n->what == MOTION_TABLE) {
        d = perp_motion_def_default(PERP_MOTION_TABLE);
        d.table = table;
        d.ntable = 2;
        put(&table[1], n->offset, x);
    }
    return perp_body_set_motion(f->w, f->lift, &d);
}

static perp_status try_setter(fixture *f, const number *n, double x) {
    perp_pose X = perp_pose_identity();
    two_vectors two = {{0, 0, 0}, {0, 0, 0}};
    perp_joint_axis axis = {.lo = -1, .hi = 1};
    perp_pair_law law = {0};
    switch (n->what) {
    case SET_POSE: put(&X, n->offset, x); return perp_body_set_pose(f->w, f->ball, X);
    case SET_VELOCITY: put(&two, n->offset, x); return perp_body_set_velocity(f->w, f->ball, two.a, two.b);
    case SET_FORCE: put(&two, n->offset, x); return perp_body_set_force(f->w, f->ball, two.a, two.b);
    case SET_TARGET: put(&two, n->offset, x); return perp_force_set_target(f->w, f->pd, two.a.x, two.a.y);
    case SET_AXIS: put(&axis, n->offset, x); return perp_joint_set_axis(f->w, f->hinge, 0, &axis);
    case LAW: put(&law, n->offset, x); return perp_pair_set(f->w, 0, 0, law);
    default: return perp_world_set_h(f->w, x);
    }
}

static perp_status try_number(fixture *f, const number *n, double x) {
    switch (n->what) {
    case BODY:
    case PARTICLE:
    case OBSTACLE:
    case KINEMATIC: return try_body(f, n, x);
    case SPHERE:
    case HALFSPACE:
    case BOX:
    case HULL: return try_shape(f, n, x);
    case JOINT: {
        perp_joint_def d = good_joint(f);
        put(&d, n->offset, x);
        return perp_joint_add(f->w, &d, NULL);
    }
    case CONSTANT:
    case SINUSOID:
    case SPRING:
    case PD: return try_force(f, n, x);
    case MOTION_CONSTANT:
    case MOTION_SINUSOID:
    case MOTION_TABLE: return try_motion(f, n, x);
    default: return try_setter(f, n, x);
    }
}

static void bad_numbers(fixture *f) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const number *n = &numbers[i];
        if (!(n->dims & (f->dim == 2 ? D2 : D3))) continue;
        for (int k = 0; k < 5; k++) {
            if (!(n->bad & (1u << k))) continue;
            char call[100];
            snprintf(call, sizeof call, "number %zu (\"%s\" of subject %d) = %g", i, n->word, (int)n->what,
                     bad_value[k]);
            trace before = trace_of(f->w);
            check_refused(f, before, try_number(f, n, bad_value[k]), n->want, n->word, call, __LINE__);
        }
    }
}

static void bad_bodies(fixture *f) {
    perp_world *w = f->w;
    perp_body_def d = good_body();
    d.cookie++;
    REFUSED(f, perp_body_add(w, &d, NULL), PERP_E_ARG, "perp_body_def_default");
    REFUSED(f, perp_body_add(w, NULL, NULL), PERP_E_ARG, "perp_body_def_default");
    d = good_body();
    d.kind = (perp_body_kind)77;
    REFUSED(f, perp_body_add(w, &d, NULL), PERP_E_ARG, "kind");
    d = good_body();
    d.X_WB.q.w = 1.0001;
    REFUSED(f, perp_body_add(w, &d, NULL), PERP_E_ARG, "quaternion");
    if (f->dim == 3) {
        d = good_body();
        d.I_B = perp_m3_diag(1, 1, 2.001); /* a plate has 1 + 1 = 2 at most */
        REFUSED(f, perp_body_add(w, &d, NULL), PERP_E_ARG, "sum of the others");
        d.I_B = perp_m3_diag(1, 1, 1);
        d.I_B.c[0].y = d.I_B.c[1].x = 1.5; /* symmetric, a principal moment of -0.5 */
        REFUSED(f, perp_body_add(w, &d, NULL), PERP_E_ARG, "positive");
    }
    REFUSED(f, perp_body_set_pose(w, f->lift, perp_pose_identity()), PERP_E_ARG, "kinematic");
    REFUSED(f, perp_body_set_velocity(w, f->lift, up(2), perp_v3(0, 0, 0)), PERP_E_ARG, "dynamic");
    REFUSED(f, perp_body_set_velocity(w, f->floor, up(2), perp_v3(0, 0, 0)), PERP_E_ARG, "dynamic");
    REFUSED(f, perp_body_set_force(w, f->floor, up(2), perp_v3(0, 0, 0)), PERP_E_ARG, "dynamic");
    double angle;
    if (f->dim == 3) REFUSED(f, perp_body_angle(w, f->ball, &angle), PERP_E_ARG, NULL);
}

static void bad_shapes(fixture *f) {
    perp_world *w = f->w;
    perp_shape_def d = perp_shape_halfspace(up(f->dim), 0);
    REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_GEOMETRY, "half-space");
    d = perp_shape_polygon(square, 4);
    if (f->dim == 3) REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_GEOMETRY, "2D");
    d.npoint = 2;
    if (f->dim == 2) REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_GEOMETRY, "points");
    d = perp_shape_polyhedron(tetra, 4);
    if (f->dim == 2) REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_GEOMETRY, "3D");
    d = perp_shape_polyhedron(square, 4);
    if (f->dim == 3) REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_GEOMETRY, "");
    perp_vec3 spoiled[4];
    memcpy(spoiled, f->dim == 2 ? square : tetra, sizeof spoiled);
    spoiled[2].y = NAN;
    d = f->dim == 2 ? perp_shape_polygon(spoiled, 4) : perp_shape_polyhedron(spoiled, 4);
    REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_ARG, "finite");
    d.points = NULL;
    REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_ARG, "points");
    REFUSED(f, perp_shape_add(w, f->ball, NULL, NULL), PERP_E_ARG, "NULL");
    d = perp_shape_sphere(1);
    d.cookie = 0;
    REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_ARG, "perp_shape_sphere");
    d = perp_shape_sphere(1);
    d.kind = PERP_SHAPE_KIND_COUNT;
    REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_ARG, "kind");
    d = perp_shape_sphere(1);
    d.material = 1;
    REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_ARG, "material");
    d.material = -1;
    REFUSED(f, perp_shape_add(w, f->ball, &d, NULL), PERP_E_ARG, "material");
    REFUSED(f, perp_pair_set(w, 0, 1, (perp_pair_law){.mu = 0, .restitution = 0}), PERP_E_ARG, "material");
    REFUSED(f, perp_pair_set(w, -1, 0, (perp_pair_law){.mu = 0, .restitution = 0}), PERP_E_ARG, "material");
    REFUSED(f, perp_pair_set(w, 0, 0, (perp_pair_law){.mu = 0, .restitution = 1.01}), PERP_E_ARG, "restitution");
    REFUSED(f, perp_pair_set_all(w, (perp_pair_law){.mu = -0.1, .restitution = 0}), PERP_E_ARG, "mu");
    REFUSED(f, perp_pair_set_all(w, (perp_pair_law){.mu = 0, .restitution = NAN}), PERP_E_ARG, "restitution");
}

static void bad_joints(fixture *f) {
    perp_world *w = f->w;
    perp_joint_def d = good_joint(f);
    d.b = d.a;
    REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "itself");
    d.a = f->floor;
    d.b = f->lift;
    REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "dynamic");
    d.a = (perp_body_id){0, 0};
    d.b = f->floor;
    REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "dynamic");
    d.b = (perp_body_id){0, 0};
    REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "body b");
    d = good_joint(f);
    d.cookie = 1;
    REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "perp_joint_def_default");
    REFUSED(f, perp_joint_add(w, NULL, NULL), PERP_E_ARG, "NULL");
    d = good_joint(f);
    d.kind = PERP_JOINT_KIND_COUNT;
    REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "kind");
    d = good_joint(f);
    d.axis[0].lo = 1;
    d.axis[0].hi = 0;
    REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "above");
    d = good_joint(f);
    d.axis[1].motor = true;
    REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "axis[1]");
    static const perp_joint_kind spatial[] = {PERP_JOINT_CYLINDRICAL, PERP_JOINT_SPHERICAL, PERP_JOINT_UNIVERSAL,
                                              PERP_JOINT_PLANAR};
    for (int i = 0; f->dim == 2 && i < 4; i++) {
        d = good_joint(f);
        d.kind = spatial[i];
        REFUSED(f, perp_joint_add(w, &d, NULL), PERP_E_ARG, "2D");
    }
    perp_joint_axis axis = {.lo = -1, .hi = 1};
    REFUSED(f, perp_joint_set_axis(w, f->hinge, 1, &axis), PERP_E_ARG, "coordinate");
    REFUSED(f, perp_joint_set_axis(w, f->hinge, -1, &axis), PERP_E_ARG, "coordinate");
    REFUSED(f, perp_joint_set_axis(w, f->hinge, 0, NULL), PERP_E_ARG, "");
}

static void bad_forces(fixture *f) {
    perp_world *w = f->w;
    perp_force_def d = good_force(f, PERP_FORCE_CONSTANT);
    d.cookie = 0;
    REFUSED(f, perp_force_add(w, &d, NULL), PERP_E_ARG, "perp_force_def_default");
    REFUSED(f, perp_force_add(w, NULL, NULL), PERP_E_ARG, "perp_force_def_default");
    d = good_force(f, (perp_force_kind)99);
    REFUSED(f, perp_force_add(w, &d, NULL), PERP_E_ARG, "kind");
    d = good_force(f, PERP_FORCE_CONSTANT);
    d.b = f->floor;
    REFUSED(f, perp_force_add(w, &d, NULL), PERP_E_ARG, "dynamic");
    d.b = f->lift;
    REFUSED(f, perp_force_add(w, &d, NULL), PERP_E_ARG, "dynamic");
    d = good_force(f, PERP_FORCE_USER);
    REFUSED(f, perp_force_add(w, &d, NULL), PERP_E_ARG, "user");
    d = good_force(f, PERP_FORCE_SPRING);
    d.a = d.b;
    REFUSED(f, perp_force_add(w, &d, NULL), PERP_E_ARG, "two bodies");
    d = good_force(f, PERP_FORCE_PD);
    d.coord = 1;
    REFUSED(f, perp_force_add(w, &d, NULL), PERP_E_ARG, "coord");
    d.coord = -1;
    REFUSED(f, perp_force_add(w, &d, NULL), PERP_E_ARG, "coord");
    REFUSED(f, perp_force_set_target(w, f->push, 1, 0), PERP_E_ARG, "PD");
}

static void bad_pose_always(double t, perp_pose *X, void *ctx) {
    (void)t;
    X->p.x = *(const double *)ctx;
}

static void no_pose(double t, perp_pose *X, void *ctx) {
    (void)t;
    (void)X;
    (void)ctx;
}

static void bad_motions(fixture *f) {
    perp_world *w = f->w;
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_CONSTANT);
    REFUSED(f, perp_body_set_motion(w, f->ball, &d), PERP_E_ARG, "kinematic");
    REFUSED(f, perp_body_set_motion(w, f->lift, NULL), PERP_E_ARG, "NULL");
    d.cookie = 0;
    REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "perp_motion_def_default");
    d = perp_motion_def_default((perp_motion_kind)9);
    REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "kind");
    d = perp_motion_def_default(PERP_MOTION_USER);
    REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "NULL");
    double x = NAN;
    d.pose = bad_pose_always;
    d.ctx = &x;
    REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "motion");
    d.pose = no_pose;
    REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "motion");
    d = perp_motion_def_default(PERP_MOTION_SINUSOID);
    REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "terms");
    perp_sinusoid term = {.axis = 3, .amplitude = 1, .omega = 1};
    d.terms = &term;
    d.nterm = 1;
    REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "axis");
    term.axis = 2;
    if (f->dim == 2) REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "2D");
    d = perp_motion_def_default(PERP_MOTION_TABLE);
    REFUSED(f, perp_body_set_motion(w, f->lift, &d), PERP_E_ARG, "table");
}

/* Everything that takes an id. */
static void bad_body_ids(fixture *f, perp_body_id id) {
    perp_world *w = f->w;
    perp_pose X = perp_pose_identity();
    perp_vec3 v = {0, 0, 0};
    double angle;
    perp_motion_def m = perp_motion_def_default(PERP_MOTION_CONSTANT);
    perp_shape_def s = perp_shape_sphere(1);
    REFUSED(f, perp_body_remove(w, id), PERP_E_ARG, "stale");
    REFUSED(f, perp_body_pose(w, id, &X), PERP_E_ARG, NULL);
    REFUSED(f, perp_body_angle(w, id, &angle), PERP_E_ARG, NULL);
    REFUSED(f, perp_body_velocity(w, id, &v, &v), PERP_E_ARG, NULL);
    REFUSED(f, perp_body_set_pose(w, id, X), PERP_E_ARG, "stale");
    REFUSED(f, perp_body_set_velocity(w, id, v, v), PERP_E_ARG, "stale");
    REFUSED(f, perp_body_set_force(w, id, v, v), PERP_E_ARG, "stale");
    REFUSED(f, perp_body_set_motion(w, id, &m), PERP_E_ARG, "stale");
    REFUSED(f, perp_shape_add(w, id, &s, NULL), PERP_E_ARG, "stale");
    assert_null(perp_body_name(w, id));
    perp_joint_def j = good_joint(f);
    j.b = id;
    REFUSED(f, perp_joint_add(w, &j, NULL), PERP_E_ARG, "body b is stale");
    perp_force_def e = good_force(f, PERP_FORCE_CONSTANT);
    e.b = id;
    REFUSED(f, perp_force_add(w, &e, NULL), PERP_E_ARG, "body b is stale");
    if (id.gen == 0) return; /* as body a that is the world */
    j = good_joint(f);
    j.a = id;
    REFUSED(f, perp_joint_add(w, &j, NULL), PERP_E_ARG, "body a is stale");
    e = good_force(f, PERP_FORCE_SPRING);
    e.a = id;
    REFUSED(f, perp_force_add(w, &e, NULL), PERP_E_ARG, "body a is stale");
}

static void bad_other_ids(fixture *f, perp_joint_id j, perp_force_id e, perp_shape_id s) {
    perp_world *w = f->w;
    double x[PERP_JOINT_MAX_COORD];
    perp_wrench p;
    perp_joint_axis axis = {.lo = -1, .hi = 1};
    perp_force_def pd = good_force(f, PERP_FORCE_PD);
    pd.joint = j;
    REFUSED(f, perp_joint_remove(w, j), PERP_E_ARG, "stale");
    REFUSED(f, perp_joint_read(w, j, x, x), PERP_E_ARG, NULL);
    REFUSED(f, perp_joint_impulse(w, j, &p), PERP_E_ARG, NULL);
    REFUSED(f, perp_joint_error(w, j, x, x), PERP_E_ARG, NULL);
    REFUSED(f, perp_joint_set_axis(w, j, 0, &axis), PERP_E_ARG, "stale");
    REFUSED(f, perp_force_add(w, &pd, NULL), PERP_E_ARG, "joint id is stale");
    REFUSED(f, perp_force_remove(w, e), PERP_E_ARG, "stale");
    REFUSED(f, perp_force_set_target(w, e, 0, 0), PERP_E_ARG, "stale");
    assert_int_equal(perp_shape_body(w, s).gen, 0);
}

static void bad_ids(fixture *f) {
    const perp_body_id never[] = {f->gone,
                                  {0, 0},
                                  {f->ball.slot, f->ball.gen + 2},
                                  {f->ball.slot, f->ball.gen + 1},
                                  {f->gone.slot, f->gone.gen + 1},
                                  {1000, 1},
                                  {UINT32_MAX, 1},
                                  {UINT32_MAX, UINT32_MAX},
                                  {f->ball.slot, 0}};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) bad_body_ids(f, never[i]);
    bad_other_ids(f, f->hinge_gone, f->force_gone, f->shape_gone);
    bad_other_ids(f, (perp_joint_id){0, 0}, (perp_force_id){0, 0}, (perp_shape_id){0, 0});
    bad_other_ids(f, (perp_joint_id){UINT32_MAX, 1}, (perp_force_id){UINT32_MAX, 1}, (perp_shape_id){UINT32_MAX, 1});
    bad_other_ids(f, (perp_joint_id){0, 2}, (perp_force_id){0, 2}, (perp_shape_id){0, 2});
    fixture other = make(f->dim); /* ids of another world with more in it */
    perp_body_id b = other.ball;
    for (int i = 0; i < 20; i++) b = add_mass(other.w, 1, 1, perp_pose_at(10 + i, 0, 0));
    perp_joint_def jd = perp_joint_def_default(PERP_JOINT_FIXED);
    perp_force_def fd = good_force(&other, PERP_FORCE_CONSTANT);
    jd.b = b;
    perp_joint_id j = other.hinge;
    perp_force_id e = other.push;
    perp_shape_id s = other.shape;
    for (int i = 0; i < 5; i++) {
        j = add_joint(other.w, &jd);
        e = add_force(other.w, &fd);
        s = add_shape(other.w, b, perp_shape_sphere(0.1));
    }
    bad_body_ids(f, b);
    bad_other_ids(f, j, e, s);
    perp_world_destroy(other.w);
}

static void bad_settings(fixture *f) {
    perp_world *w = f->w;
    REFUSED(f, perp_world_set(w, "lemke", 1), PERP_E_NAME, "solver.setting");
    REFUSED(f, perp_world_set(w, NULL, 1), PERP_E_NAME, "solver.setting");
    REFUSED(f, perp_world_set(w, "nobody.max_pivots", 1), PERP_E_NAME, "nobody");
    REFUSED(f, perp_world_set(w, "lemk.max_pivots", 1), PERP_E_NAME, "lemk");
    REFUSED(f, perp_world_set(w, "lemke.nothing", 1), PERP_E_NAME, "nothing");
    const perp_solver_type *s = perp_solver_find("lemke");
    for (int i = 0; i < s->nfield; i++) {
        char name[100];
        snprintf(name, sizeof name, "lemke.%s", s->fields[i].name);
        REFUSED(f, perp_world_set(w, name, NAN), PERP_E_ARG, s->fields[i].name);
        REFUSED(f, perp_world_set(w, name, s->fields[i].max + 1 + fabs(s->fields[i].max)), PERP_E_ARG,
                s->fields[i].name);
        if (s->fields[i].type == PERP_FIELD_INT)
            REFUSED(f, perp_world_set(w, name, s->fields[i].value + 0.5), PERP_E_ARG, "whole");
        OK(w, perp_world_set(w, name, s->fields[i].value));
    }
}

/* Functions of the user that go wrong in the middle of a run. */
static void wrong_force(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    (void)w;
    (void)t;
    *out = *(const perp_wrench *)ctx;
}

static void wrong_pose_later(double t, perp_pose *X, void *ctx) {
    *X = perp_pose_identity();
    if (t > 0.065) *X = *(const perp_pose *)ctx;
}

static void bad_callbacks(fixture *f) {
    perp_world *w = f->w;
    const perp_wrench wrong[] = {
        {{NAN, 0, 0}, {0, 0, 0}}, {{0, INFINITY, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, -INFINITY}}};
    for (int i = 0; i < 3; i++) {
        perp_wrench ctx = wrong[i];
        perp_force_def d = good_force(f, PERP_FORCE_USER);
        d.user = wrong_force;
        d.ctx = &ctx;
        perp_force_id e = add_force(w, &d);
        REFUSED(f, perp_world_step(w, NULL), PERP_E_ARG, "user function");
        OK(w, perp_force_remove(w, e));
    }
    perp_pose bad[] = {perp_pose_at(NAN, 0, 0), perp_pose_at(0, INFINITY, 0), perp_pose_identity(),
                       perp_pose_at(0, 0, 1)};
    bad[2].q.w = 2;
    for (int i = 0; i < (f->dim == 2 ? 4 : 3); i++) {
        perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC);
        k.name = "wild";
        perp_body_id b = add_def(w, &k);
        perp_motion_def m = perp_motion_def_default(PERP_MOTION_USER);
        m.pose = wrong_pose_later;
        m.ctx = &bad[i];
        OK(w, perp_body_set_motion(w, b, &m));
        while (perp_world_time(w) < 0.055) OK(w, perp_world_step(w, NULL));
        REFUSED(f, perp_world_step(w, NULL), PERP_E_ARG, "wild");
        OK(w, perp_body_remove(w, b));
    }
}

static void test_refusals(void **state) {
    int dim = *(const int *)*state;
    fixture f = make(dim), calm = make(dim);
    bad_numbers(&f);
    bad_bodies(&f);
    bad_shapes(&f);
    bad_joints(&f);
    bad_forces(&f);
    bad_motions(&f);
    bad_ids(&f);
    bad_settings(&f);
    assert_true(f.refusals > 300);
    run(f.w, 50); /* nothing of it is left */
    run(calm.w, 50);
    assert_int_equal(perp_world_hash(f.w), perp_world_hash(calm.w));
    assert_int_equal(perp_world_state_size(f.w), perp_world_state_size(calm.w));
    assert_string_equal(perp_world_why(f.w), "");
    perp_world_destroy(f.w);
    perp_world_destroy(calm.w);
    fixture g = make(dim);
    bad_callbacks(&g);
    run(g.w, 5);
    perp_world_destroy(g.w);
}

int main(void) {
    static int two = 2, three = 3;
    const struct CMUnitTest tests[] = {
        {"refusals in 2D", test_refusals, NULL, NULL, &two},
        {"refusals in 3D", test_refusals, NULL, NULL, &three},
    };
    return cmocka_run_group_tests_name("bad input", tests, NULL, NULL);
}
