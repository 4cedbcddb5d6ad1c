/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_demand.h - further input of stage 4 (stage/pose) beside the contacts: where gaps and joints must hold, and
 * demands beyond their laws. Contact models, steppers and joint rounds write it before they pose the problem. All zero:
 * the laws, linearised at the start. */
#ifndef PP_FRAME_DEMAND_H
#define PP_FRAME_DEMAND_H

#include "model/state.h"

/* A demand on a contact beyond its law. */
typedef struct pp_slip_shift {
    int shape[2]; /* slots */
    uint64_t feature;
    perp_vec3 slip_W; /* added to the slip in the friction law [L/T] */
    double spin;      /* added to the spin about the normal in the friction law [1/T] */
    perp_vec3 roll_W; /* added to the rolling about the tangents [1/T] */
    perp_vec3 aim_W;  /* slip to which a friction pyramid is turned; 0: the slip expected without contact [L/T] */
    double rebound;   /* PP_END_KICK: normal velocity, <= 0, that the pair must compensate [L/T] */
    bool owed;        /* PP_END_KICK: there is a rebound, though it may have been limited to zero */
} pp_slip_shift;

typedef struct pp_frame_demand {
    /* For models that measure gaps at the end of the step (method/peg/model_peg.c). NULL: gaps are linearised at the
     * start. */
    const double *end_gap; /* by contact: gap at the end pose that velocity end_nu leads to [L]; NAN: not known yet */
    const double *end_nu;  /* ndof */
    const double *
        slip; /* PP_FRICTION_ROWS by contact: terms of finite rotations of its slip; NULL, or the first NAN: those of end_nu */
    const pp_state *end_state; /* poses that end_nu leads to; NULL: not known */
    const double *allowance;   /* by contact: penetration that may remain at the end [L]; NULL: none */
    const pp_state *levers;    /* poses to which the contact points belong; NULL: s1, with driven bodies at the end */
    /* ndof: velocity whose slip gives the direction of pyramids; NULL: velocity without constraints */
    const double *slip_nu;
    const pp_slip_shift *shift; /* nshift of them, by contact, or by pair of shapes for rebounds */
    int nshift;
    const struct pp_rebound_limits
        *rebounds; /* pairs whose restitution is limited (stage/pose/rebound.h); NULL: none */
    /* By joint row: b of locked motions and limits; for other rows, added to b. NULL: linearised at the start. */
    const double *joint_shift;
    struct pp_joint_rounds *joints; /* rounds until joints hold at the end (stage/solve/joint_rounds.h); NULL: none */
    /* nchain_damping of them (stage/pose/joint_chain_damping.h); NULL: none. */
    const struct pp_chain_damping *chain_damping;
    int nchain_damping;
} pp_frame_demand;

#endif
