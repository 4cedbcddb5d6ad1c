/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* world_data.h - the data of a world, shared by src/stage, src/method, src/step and src/world. */
#ifndef PP_WORLD_INTERNAL_H
#define PP_WORLD_INTERNAL_H

#include <math.h>

#include "base/memory.h"
#include "geometry/broad/broad.h"
#include "geometry/shape/collision.h"
#include "model/motion.h"
#include "model/joint_rows.h"
#include "perp/actuator.h"
#include "perp/joint_space.h"
#include "perp/sensor.h"
#include "problem/convert/convert.h"
#include "solver/common/solver.h"

#define PP_WHY 400

/* One of the three support points of a planar body. */
typedef struct pp_support_point {
    double x, y, mu; /* in the body frame */
    double load;     /* fraction of the weight that it carries; the three add up to 1 */
} pp_support_point;

typedef struct pp_body {
    uint32_t gen; /* odd: alive */
    perp_body_kind kind;
    bool particle, no_gravity;
    bool isotropic; /* inertia is a multiple of 1: free rotation is the exponential map */
    double mass;
    perp_mat3 I_B, I_inv_B;
    double I_inv_most; /* largest inverse moment of inertia: bounds the effect of a torque [1/(M L^2)] */
    double radius;     /* largest distance of a point of its shapes from Bo [L] */
    perp_vec3 force_W, torque_W;
    pp_motion *motion;                /* kinematic; NULL: at rest */
    struct pp_support_point *support; /* three support points, see perp_support; NULL: none */
    char *name, *label;
} pp_body;

/* Velocity of the surface of a shape relative to its body, in the body frame; see perp_shape_def. Few shapes have one, so they are in
 * a separate list. */
typedef struct pp_belt_def {
    int shape; /* slot */
    perp_vec3 v_B;
    void (*motion)(double t, perp_vec3 *v_B, void *ctx); /* NULL: v_B */
    void *ctx;
} pp_belt_def;

typedef struct pp_shape {
    uint32_t gen;
    int body; /* slot */
    pp_geometry *g;
    perp_pose X_BS;
    double radius_B; /* largest distance of its points from Bo; INFINITY for a half-space */
    short material;  /* at most 4096 */
    bool visual;     /* only drawn, without contacts */
    uint32_t colour; /* see perp_shape_def */
    uint32_t group, mask;
} pp_shape;

typedef struct pp_joint {
    uint32_t gen;
    int a, b;              /* body slots, a = -1: world; both -1: coupling or tendon */
    perp_joint_def def;    /* name and ids in it are not used; term and nterm are */
    perp_joint_term *term; /* def.term, owned by the joint; NULL: none. Its ids are of live joints */
    char *name;
    int actuator[PERP_JOINT_MAX_COORD]; /* by coordinate: slot; -1: none */
} pp_joint;

typedef struct pp_actuator {
    uint32_t gen;
    int joint;             /* slot */
    perp_actuator_def def; /* with the ctrl of the last pp_ctrl_take(); name and id in it are not used */
    char *name;
    double impulse, span; /* on the joint in the last step, and how long that was [T] */
    double asked;         /* what def.ctrl_fn gave, within pp_ctrl_take() */
} pp_actuator;

/* Bodies that never touch: slots. */
typedef struct pp_body_pair {
    int a, b;
} pp_body_pair;

typedef struct pp_force {
    uint32_t gen;
    int a, b;  /* body slots; spring: a = -1: world */
    int joint; /* PD: slot */
    perp_force_def def;
} pp_force;

typedef struct pp_site {
    uint32_t gen;
    int body; /* slot; -1: world */
    perp_pose X_BS;
    bool model; /* the frame of the body in joint space */
    char *name;
} pp_site;

/* A sensor, and its data from the last step. Slots are -1 where the kind has none. */
typedef struct pp_sensor {
    uint32_t gen;
    perp_sensor_kind kind;
    int joint, coord, a, b, site; /* slots; coordinate of the joint */
    bool joints_only;
    char *name;
    double along;     /* impulse along the coordinate */
    perp_wrench push; /* impulse on b, about its centre of mass, in W */
    perp_vec3 gained; /* change of the velocity of the site's origin, in W */
    double span;      /* length of the step; 0: there was none [T] */
} pp_sensor;

/* A named state of the joints: q, v and ctrl in one array. */
typedef struct pp_keyframe {
    char *name;
    double *number;
    int nq, nv, nctrl;
} pp_keyframe;

/* Marks of the velocity and force of a body in a staggered world: bits of pp_state.mark. */
typedef enum pp_mark {
    PP_VELOCITY_SET = 1,     /* v and w were set: they are those of t, and are moved back in the next step */
    PP_VELOCITY_JUMPED = 2,  /* its velocity jumped in the last step, or was set before it */
    PP_CONTACT_SLID = 4,     /* a contact or joint of it slid in the last step */
    PP_FORCE_SET = 8,        /* its force was set since the last step */
    PP_FORCE_VARIES = 16,    /* its force was set before the last step too: it is a function of time */
    PP_FORCE_JUMPED = 32,    /* its force jumped: the half step before t belongs to the old force */
    PP_VELOCITY_SHIFTED = 64 /* its velocity was moved back before the step */
} pp_mark;

struct pp_frame;

/* Everything that changes in a step. Arrays are indexed by body or joint slot. */
typedef struct pp_state {
    double t;
    uint64_t step;
    double lag;            /* the velocities belong to t - lag: 0, or h/2 in a staggered world [T] */
    double substep;        /* length of the substep that ended here; 0: the step was not divided [T] */
    double elastic_energy; /* in compliant contacts and joints, computed by the stepper [M L^2/T^2] */
    double late_energy;    /* staggered: `sampling` of the ledger since it was last entered as drift [M L^2/T^2] */
    /* number of costly steps in a row up to t that had a solution only as a last resort: see step/step.c */
    uint64_t last_resorts;
    perp_pose *X;
    double *theta; /* 2D: accumulated angle */
    perp_vec3 *v, *w;
    perp_vec3 *dv, *dw;                    /* change of v and w from t - lag to t: see step/stagger.h; 0 if lag is 0 */
    unsigned char *mark;                   /* pp_mark */
    double (*coord)[PERP_JOINT_MAX_COORD]; /* unwrapped joint coordinates */
    const struct pp_frame *made_by; /* the part of the present step that ends here; NULL: a state between steps */
} pp_state;

/* Velocity of a body at the time of the poses, for perp_world_look(). */
typedef struct pp_shown_twist {
    perp_vec3 v, w;
} pp_shown_twist;

/* Impulses of the last step, stored for warm starts. */
typedef struct pp_memory_contact {
    uint32_t slot_a, slot_b;
    uint64_t feature;
    uint64_t plane;  /* separating plane it was on, see geometry/narrow/plane.h; 0 where the model has none */
    double p[3];     /* impulse on B in W, because the contact frame may rotate between steps */
    double layer[3]; /* deflection of a compliant layer, in W [L] */
    double sigma;
    double spin;    /* angular impulse about the normal */
    double roll[3]; /* angular impulse about the tangents, in W */
} pp_memory_contact;

typedef struct pp_memory_joint {
    double p;         /* impulse of the row */
    uint32_t key;     /* joint slot and row number: slot * PP_JOINT_MAX_ROWS + number */
    uint32_t yielded; /* 1: a motor without force limit that was given one, in a step in which motors yielded */
} pp_memory_joint;

typedef struct pp_warm {
    pp_memory_contact *contact; /* by shape A, shape B, feature */
    pp_memory_joint *joint;     /* by key */
    int ncontact, cap_contact, njoint, cap_joint;
} pp_warm;

/* The stages of a world, and their settings. */
typedef struct pp_world_chosen {
    const pp_detector_type *detector;
    const struct pp_stepper_type *stepper;
    const struct pp_contact_model_type *model;
    const perp_solver_type *solver[1 + PERP_FALLBACK_MAX];
    int nsolver;
    union {
        double align;
        char bytes[PERP_SETTINGS_MAX];
    } settings[1 + PERP_FALLBACK_MAX];
    union {
        double align;
        char bytes[PERP_SETTINGS_MAX];
    } stepper_settings;
    bool usual_solvers;   /* the solvers are the default ones of their form */
    bool start_automatic; /* the definition had start auto, and perp chose it */
} pp_world_chosen;

/* Capacities of the arrays of a world, and numbers of dead slots. */
typedef struct pp_world_room {
    int cap_body, dead_body;
    int cap_shape, dead_shape;
    int cap_belt;
    int cap_joint, dead_joint;
    int cap_force, dead_force;
    int cap_law;
    int cap_state_body, cap_state_joint;
} pp_world_room;

/* Actuators, sensors, excluded pairs of bodies, sites and keyframes. */
typedef struct pp_world_robot {
    pp_actuator *actuator;
    int nactuator, cap_actuator, dead_actuator;
    double *ctrl; /* of live actuators in order of their slots; the user may write to it between steps (perp/view.h) */
    int cap_ctrl;
    pp_body_pair *exclude;
    int nexclude, cap_exclude;
    pp_site *site;
    int nsite, cap_site, dead_site;
    pp_keyframe *keyframe;
    int nkeyframe, cap_keyframe;
    pp_sensor *sensor;
    int nsensor, cap_sensor, dead_sensor;
} pp_world_robot;

/* Results of the last step for the user, and the time of all steps. */
typedef struct pp_world_last {
    perp_contact *contact;
    int ncontact, cap_contact;
    perp_wrench *joint_impulse; /* by joint slot */
    int cap_joint_impulse;
    pp_shown_twist *twist; /* by body slot, for perp_world_look(); NULL until it is called */
    int cap_twist;
    bool failed; /* the last step failed; `problem` is its problem */
    bool has_problem;
    perp_step_problem problem;       /* lies in the arena until the next step */
    double timing[PERP_STAGE_COUNT]; /* seconds of wall time since the world was made */
} pp_world_last;

/* Broad phase and detector with their lists, which are kept for their capacity. Data stored from earlier steps saves time and does not
 * change results. */
typedef struct pp_world_found {
    pp_broad *broad;
    pp_couple_list couples; /* output of the broad phase */
    pp_pair_list pairs;     /* output of the detector in stage/collide */
    struct pp_peg *peg;     /* lists of the contact model "peg"; NULL until it is used */
} pp_world_found;

/* Callbacks and limits of the present step. */
typedef struct pp_world_run {
    /* Only for tests of the certificate: called between the stages of a frame, and may change any data (stage/frame.h:
     * pp_tamper_at). NULL: none. */
    void (*tamper)(struct pp_frame *f, int at, void *ctx);
    void *tamper_ctx;
    perp_capture capture; /* callback for the islands' problems */
    perp_stop stop;       /* callback that may end a step */
    bool stopped; /* `stop` returned true in the present step; it is not called again, so its answer cannot change */
    pp_work work; /* work of the present step so far, and the limit of the present part or solver */
    double work_limit; /* of the whole step; INFINITY: none */
    double deadline;   /* of the whole step, of pp_clock(); INFINITY: none */
} pp_world_run;

/* Tolerance of a world above which the rounds of the contact models do less work (docs/theory.md, section 9). */
#define PP_LOOSE_TOLERANCE 1e-7

struct perp_world {
    perp_world_def def; /* strings in it point to registry names */
    pp_world_chosen chosen;
    perp_allocator alloc;
    pp_arena arena;

    /* Slots in use, dead ones included. */
    pp_body *body;
    int nbody;
    pp_shape *shape;
    int nshape;
    pp_belt_def *belt; /* in the order in which surfaces were set to move */
    int nbelt;
    pp_joint *joint;
    int njoint;
    pp_force *force;
    int nforce;
    perp_pair_law *law; /* nmaterial x nmaterial */
    int nmaterial;
    perp_pair_law law_all;
    pp_world_room room;
    pp_world_robot robot;

    pp_state state; /* committed */
    pp_warm warm;
    pp_world_last last;
    pp_world_found found;
    pp_world_run run;
    char why[PP_WHY];
};

/* Sets the sentence and returns the status. */
perp_status pp_fail(perp_world *w, perp_status s, const char *format, ...) PERP_PRINTF(3, 4);
void pp_logf(const perp_world *w, perp_log_level level, const char *format, ...) PERP_PRINTF(3, 4);

/* Whether the present step was asked to stop. The world is a void pointer, because this is the callback of solvers. */
bool pp_told_to_stop(void *world);
/* PERP_E_STOPPED, and the sentence for it. */
perp_status pp_stopped(perp_world *w);
/* Adds the time since *from to a stage, and sets *from to now. */
void pp_clocked(perp_world *w, perp_stage stage, double *from);

/* The context of a solver within a step: memory of the world's arena, no clock, and the stop function. Solutions must not depend on
 * the frame and the numbering of the scene (docs/solvers/auto.md). */
static inline perp_call pp_call_within(perp_world *w) {
    return (perp_call){.arena = &w->arena,
                       .stop = w->run.stop.requested ? pp_told_to_stop : NULL,
                       .stop_ctx = w,
                       .deadline = w->run.deadline,
                       .work = &w->run.work,
                       .loads = PP_LOADS_UNIQUE,
                       .terse = !w->run.capture.look,
                       .by_speed = true};
}

/* Slot of a live id, or -1. */
int pp_body_slot(const perp_world *w, perp_body_id id);
int pp_shape_slot(const perp_world *w, perp_shape_id id);
int pp_joint_slot(const perp_world *w, perp_joint_id id);
int pp_force_slot(const perp_world *w, perp_force_id id);
static inline bool pp_alive(uint32_t gen) { return (gen & 1u) != 0; }

/* Degrees of freedom of a body. */
static inline int pp_ndof(const perp_world *w, const pp_body *b) {
    return b->kind != PERP_BODY_DYNAMIC ? 0 : w->def.dim == 2 ? (b->particle ? 2 : 3) : (b->particle ? 3 : 6);
}

/* A side of a joint in a state; kinematic bodies have their poses in that state. */
pp_joint_side pp_side(const perp_world *w, const pp_state *s, int body_slot, const int *block);

#endif
