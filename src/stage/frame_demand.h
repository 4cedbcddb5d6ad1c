/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_demand.h - what stage 4 (stage/pose) takes beside the contacts: where gaps and joints are to hold, and what is demanded of them
 * beyond their laws. Contact models, steppers and the rounds of joints write it before they pose the problem; all zero: the laws as they
 * stand, linearised at the start. */
#ifndef PP_FRAME_DEMAND_H
#define PP_FRAME_DEMAND_H

#include "model/state.h"

/* What a contact is to do beyond its law. */
typedef struct pp_slip_shift {
    int shape[2]; /* slots */
    uint64_t feature;
    perp_vec3 slip_W; /* added to the slip that friction sees [L/T] */
    double spin;      /* added to the spin about the normal that it sees [1/T] */
    perp_vec3 aim_W;  /* slip that a pyramid of friction is turned to; 0: as expected without contact [L/T] */
    double rebound;   /* PP_END_KICK: normal velocity, <= 0, that the pair demands to be made good [L/T] */
    bool owed;        /* PP_END_KICK: there is a rebound, though it may have been limited to none */
} pp_slip_shift;

typedef struct pp_frame_demand {
    /* Models that measure gaps at the end of the step (method/peg/model_peg.c). NULL: at its start, linearised. */
    const double *end_gap;   /* by contact: gap at the end pose that velocity end_nu leads to [L]; NAN: not known yet */
    const double *end_nu;    /* ndof */
    const double *allowance; /* by contact: how much overlap may be left at the end [L]; NULL: none */
    const pp_state *levers;  /* poses that the contact points belong to; NULL: s1, with driven bodies at the end */
    const double *slip_nu;   /* ndof: velocity whose slip pyramids point along; NULL: that without constraints */
    const pp_slip_shift *shift; /* nshift of them, by contact or, of rebounds, by pair of shapes */
    int nshift;
    const struct pp_rebound_limits
        *rebounds; /* pairs whose restitution is limited (stage/pose/rebound.h); NULL: none */
    /* By joint row: b of locked motions and limits; of other rows, what is added to it. NULL: linearised at the start. */
    const double *joint_shift;
    struct pp_joint_rounds *joints; /* rounds until joints hold at the end (stage/solve/joint_rounds.h); NULL: none */
    /* nchain_damping of them (stage/pose/joint_chain_damping.h); NULL: none. */
    const struct pp_chain_damping *chain_damping;
    int nchain_damping;
} pp_frame_demand;

#endif
