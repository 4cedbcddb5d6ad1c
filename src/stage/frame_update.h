/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_update.h - what stage 6 gives (stage/update) beside the next state: velocities on the way to it, and corrections of joints. */
#ifndef PP_FRAME_UPDATE_H
#define PP_FRAME_UPDATE_H

#include "perp/math.h"

typedef struct pp_frame_update {
    double *nu_turned;       /* ndof: velocity after the free turn */
    const double *nu_moved;  /* ndof: velocity that bodies were displaced by; NULL: solution.nu */
    double *nu_end;          /* ndof: at the end: the same, corrected if joints are */
    const double *M_end;     /* masses that corrections act on; NULL if off */
    double *i_correction;    /* ndof: impulses of Williams' Algorithm 1; NULL if off */
    perp_vec3 *p_correction; /* by joint slot: those of its translations, on its second body, in W; NULL if off */
} pp_frame_update;

#endif
