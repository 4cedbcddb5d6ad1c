/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_update.h - further output of stage 6 (stage/update) beside the next state: intermediate velocities, and
 * corrections of joints. */
#ifndef PP_FRAME_UPDATE_H
#define PP_FRAME_UPDATE_H

#include "math/turn_free.h"

typedef struct pp_frame_update {
    double *nu_turned;       /* ndof: velocity after the free rotation */
    const double *nu_moved;  /* ndof: velocity that moved the bodies; NULL: solution.nu */
    double *nu_end;          /* ndof: velocity at the end: nu_turned, with corrections of joints */
    pp_free_turn *turn;      /* by block: how it rotated, see pp_move_block() */
    const double *M_end;     /* masses for the corrections; NULL if off */
    double *i_correction;    /* ndof: impulses of Williams' Algorithm 1; NULL if off */
    perp_vec3 *p_correction; /* by joint slot: impulses of its translations, on its second body, in W; NULL if off */
    bool torn;               /* a joint is torn apart because a body turns too far: torn_joint, its slot */
    int torn_joint;
    double torn_by; /* its opening, as a fraction of its arm */
} pp_frame_update;

#endif
