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
    PP_MEET_CLOSEST, /* closest points; one contact for each pair */
    PP_MEET_CORNER,  /* a corner, or an end of a capsule, over a half-space */
    PP_MEET_RIM      /* a point on the rim of a cylinder over a half-space */
} pp_meeting;

/* A potential contact of the step. */
typedef struct pp_meet {
    int i, j; /* placed shapes, i < j */
    pp_meeting how;
    int which;     /* corner; rim: 3 cap + 0 for the lowest point, 1 and 2 for those a third of the rim away */
    bool core;     /* compliant: its rigid core is touched, as the last round found */
    double speed;  /* compliant: velocity along the normal at the start [L/T] */
    double gain;   /* and the change of it in the step by everything but rigid contact, as the last round found */
    double gap0;   /* at the start of the step, kinematic bodies there too [L] */
    pp_closest at; /* at the latest end pose */
    bool held; /* over a half-space: the contact point is fixed in the body, at this place in the frame of its shape */
    perp_vec3 hold_S;
    double push;        /* normal impulse of the previous round [M L/T] */
    perp_vec3 push_W;   /* and the whole impulse, on */
    pp_closest held_at; /* at the latest end pose: the held point; `at` if no point is held */
} pp_meet;

/* The state of held contact points (implicit_points.c). */
typedef struct pp_held_points pp_held_points;

/* The state of a compliant contact, in units of length and impulse. */
typedef struct pp_layer {
    bool soft;       /* the pair has a compliant layer */
    bool core;       /* its rigid core is touched in this round */
    double start_n;  /* normal deflection at the start of the step */
    perp_vec3 start; /* deflection along the surface at the start, in W */
    double gap;      /* gap of the undeformed surfaces at the end pose of this round */
    double core_gap; /* this gap when the core is met: minus the thickness of the layer; -INFINITY without a core */
    double at_core;  /* impulse of spring and damper at that gap */
} pp_layer;

typedef struct pp_implicit_work {
    pp_frame *f;
    pp_placed *placed; /* at the end pose of the round */
    pp_state end;      /* the end pose of the round */
    double *nu;        /* ndof: velocity that leads there */
    double *drift;     /* ndof: mean velocity of the step, displacement over h; nu unless springs keep energy */
    double *next;      /* ndof: scratch */
    pp_meet *meet;
    int nmeet, cap_meet;
    pp_held_points *points;
    bool last;    /* no shorter part follows that could do better */
    bool relaxed; /* overlap that exists at the start may remain */
    bool no_lift; /* no contact is asked to open: see pp_pose_options */
    bool rough;   /* an end pose that nearly converges is accepted; the residual of the step says so */
    /* compliant steps */
    bool compliant, keeps_energy;
    pp_layer *layer; /* by contact */
    double *rigid;   /* by contact: the part of the normal impulse that the rigid core took, */
    double *lever;   /* and the part of the step over which it displaces the bodies */
} pp_implicit_work;

/* Finds the pairs that may touch in the step, with their gaps at the start. */
perp_status pp_implicit_pairs(pp_implicit_work *k);
/* Adds pairs that overlap at the end pose and are not in the list yet. *added: their number. */
perp_status pp_implicit_missed(pp_implicit_work *k, int *added);
/* Measures the gaps of all potential contacts at the end pose. */
perp_status pp_implicit_measure(pp_implicit_work *k);

/* Held contact points (implicit_points.c). Makes room for the potential contacts; none is held at first. */
perp_status pp_points_room(pp_implicit_work *k);
/* Holds the contact points over half-spaces at their present places. */
void pp_points_hold(pp_implicit_work *k);
/* Moves a contact that has been measured to the point where it is held. */
void pp_points_apply(const pp_implicit_work *k, pp_meet *e);
/* Adds to the problem of a round how contact points move when bodies turn. */
perp_status pp_points_stiffen(pp_implicit_work *k);
/* Distance of the points from where the answer of the round would place them, as the velocity that the impulses there would add [L/T]. */
double pp_points_change(const pp_implicit_work *k);
/* Moves the points by the answer of the round and returns the velocity of the next round. part: fraction of the way; afresh: forget the
 * previous rounds. */
const double *pp_points_next(pp_implicit_work *k, double part, bool afresh);
/* Call it after a measurement. True if no held point under load has a gap that exceeds the smallest gap by more than `allowed` [L]. */
bool pp_points_settled(const pp_implicit_work *k, double allowed);

/* The whole step of a pp_stepper_type. */
perp_status pp_implicit_step(pp_frame *f, bool compliant, bool keeps_energy);

/* Can these shapes be stepped with closest points? A pair of flat bodies that may touch has no single pair of closest points. */
perp_status pp_implicit_ready(perp_world *w);

/* Compliant layers (implicit_layer.c). Makes room, and computes the deflections at the start, after the contacts were written. */
perp_status pp_layers_begin(pp_implicit_work *k);
/* Writes their rows, after the step problem was formed. */
void pp_layers_rows(pp_implicit_work *k, perp_contact_row *row);
/* True if the answer brought a contact to its core or off it; then the round has not converged. */
bool pp_layers_changed(pp_implicit_work *k);
/* Keeps the deflections at the end for the next step. */
perp_status pp_layers_end(pp_implicit_work *k);

#endif
