/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_step.h - the geometrically implicit steps (Berard 3.5): what their files share
 *
 * Gaps, contact points, normals and the directions of forces are those of the end of the step. The step problem is posed at
 * the end pose of a guess, with gaps linearised there, solved by the world's solvers, and posed again at the end pose that
 * comes out, until both agree to rounding: then all of (3.82), (3.83) holds at once. */
#ifndef PP_IMPLICIT_STEP_H
#define PP_IMPLICIT_STEP_H

#include "geometry/narrow/implicit_closest.h"
#include "stage/frame.h"

/* How a contact of a pair is found. */
typedef enum pp_meeting {
    PP_MEET_CLOSEST, /* closest points; one for each pair */
    PP_MEET_CORNER,  /* a corner, or an end of a capsule, over a half-space */
    PP_MEET_RIM      /* a point on the rim of a cylinder over a half-space */
} pp_meeting;

/* A potential contact of the step. */
typedef struct pp_meet {
    int i, j; /* placed shapes, i < j */
    pp_meeting how;
    int which;     /* corner; rim: 3 cap + 0 for the lowest point, 1 and 2 for those a third of the rim away */
    bool core;     /* compliant: its rigid core is touched, as far as is known */
    double speed;  /* compliant: along the normal at the start, [L/T], */
    double gain;   /* and what all but rigid contact adds to it in the step, as far as is known */
    double gap0;   /* at the start of the step, kinematic bodies there too [L] */
    pp_closest at; /* at the latest end pose */
    bool held;     /* over a half-space: its point is fixed in the body, here, in the frame of its shape */
    perp_vec3 hold_S;
    double push;        /* normal impulse of the round before [M L/T], */
    perp_vec3 push_W;   /* and all of it, on the second body */
    pp_closest held_at; /* at the latest end pose: that point; `at` if not held */
} pp_meet;

/* What is known of held points (implicit_points.c). */
typedef struct pp_held_points pp_held_points;

/* What a compliant contact did and does; all in units of length and impulse. */
typedef struct pp_layer {
    bool soft;       /* the pair has a compliant layer */
    bool core;       /* its rigid core is touched in this round */
    double start_n;  /* normal deflection at the start of the step */
    perp_vec3 start; /* deflection along the surface at the start, in W */
    double gap;      /* of the undeformed surfaces, at the end pose of this round */
    double core_gap; /* the same where the core is met: minus the layer; -INFINITY without a core */
    double at_core;  /* impulse of spring and damper there */
} pp_layer;

typedef struct pp_implicit_work {
    pp_frame *f;
    pp_placed *placed; /* at the end pose of the round */
    pp_state end;      /* that pose */
    double *nu;        /* ndof: velocity that leads there */
    double *drift;     /* ndof: mean velocity of the step, displacement over h; nu unless springs keep energy */
    double *next;      /* ndof: scratch */
    pp_meet *meet;
    int nmeet, cap_meet;
    pp_held_points *points;
    bool last;    /* no shorter part follows that could do better */
    bool relaxed; /* overlap of the start may stay */
    bool no_lift; /* nothing is asked to open: see pp_pose_options */
    bool rough;   /* an end pose that nearly settles is taken, and told by its residual */
    /* compliant steps */
    bool compliant, keeps_energy;
    pp_layer *layer; /* by contact */
    double *rigid;   /* by contact: the part of the normal impulse that the rigid core took, */
    double *lever;   /* and the part of the step over which it displaces the bodies */
} pp_implicit_work;

/* Finds the pairs that may meet, with their gaps at the start. */
perp_status pp_implicit_pairs(pp_implicit_work *k);
/* Pairs that overlap at the end pose and are not in the list yet; *added: how many there were. */
perp_status pp_implicit_missed(pp_implicit_work *k, int *added);
/* Measures all meets at the end pose. */
perp_status pp_implicit_measure(pp_implicit_work *k);

/* Contact points that are held (implicit_points.c). Room for the meets there are; none is held then. */
perp_status pp_points_room(pp_implicit_work *k);
/* Holds points over half-spaces where they are. */
void pp_points_hold(pp_implicit_work *k);
/* Puts a meet that has been measured where it is held. */
void pp_points_apply(const pp_implicit_work *k, pp_meet *e);
/* Makes the problem of a round one that knows how points move when bodies turn. */
perp_status pp_points_stiffen(pp_implicit_work *k);
/* How far points are from where the answer of the round wants them, as the velocity that the impulses there would add [L/T]. */
double pp_points_change(const pp_implicit_work *k);
/* Moves them by the answer of the round, and returns the velocity of the next round. part: of the way; afresh: what is known
 * of rounds before does not help. */
const double *pp_points_next(pp_implicit_work *k, double part, bool afresh);
/* After a measurement: true if no held point that counts has a larger gap than the closest one by more than `allowed` [L]. */
bool pp_points_settled(const pp_implicit_work *k, double allowed);

/* The whole step of a pp_stepper_type. */
perp_status pp_implicit_step(pp_frame *f, bool compliant, bool keeps_energy);

/* May these shapes be stepped so? A pair of flat bodies that may touch has no single pair of closest points. */
perp_status pp_implicit_ready(perp_world *w);

/* Compliant layers (implicit_layer.c). Room and deflections at the start, after contacts were written; */
perp_status pp_layers_begin(pp_implicit_work *k);
/* their rows, after the step problem was formed; */
void pp_layers_rows(pp_implicit_work *k, perp_contact_row *row);
/* true if some contact met or left its core by the answer, so that the round does not count as settled; */
bool pp_layers_changed(pp_implicit_work *k);
/* deflections at the end, for the next step. */
perp_status pp_layers_end(pp_implicit_work *k);

#endif
