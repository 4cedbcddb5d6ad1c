/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_repose.h - poses the contacts of a converged step of the model "peg" again at other poses; used by src/tangent. */
#ifndef PP_PEG_REPOSE_H
#define PP_PEG_REPOSE_H

#include "method/peg/peg.h"

/* One contact at the end poses. */
typedef struct pp_end_touch {
    pp_touch at;
    bool gap_holds; /* its law concerns the gap there; otherwise a velocity, or the gap linearised at the start */
} pp_end_touch;

/* The contacts to be posed. All data are in the arena of the world. */
typedef struct pp_peg_repose {
    pp_peg_work k;
    pp_placed *placed; /* nplaced shapes, at the poses used for friction in the last call */
    int nplaced;
    const int *row;    /* n contacts of the solved frame */
    int n, *pair;      /* by contact: index of its pair in pp_peg */
    pp_end_touch *end; /* by contact: result of the last call */
    double *allowance; /* by contact; NULL: none */
    bool linear;
} pp_peg_repose;

/* f: the frame that its world solved last. row: borrowed. Returns PERP_E_MEMORY if out of memory. */
perp_status pp_peg_again_new(pp_frame *f, const int *row, int n, pp_peg_repose *out);
/* Writes the contacts on the same features to frame g, for which pp_control() was called, with the end gaps that
 * velocity nu leads to. Returns PERP_E_FIT if a contact of a curved pair does not exist there. */
perp_status pp_peg_pose_again(pp_peg_repose *a, pp_frame *g, const double *nu);
/* Gradient of the gap of contact i (of n) at the end poses of the last call, with respect to the pose of the body of
 * its shape A (side 0) or B (side 1): a translation of its origin and a rotation vector, in W. */
void pp_peg_end_gradient(pp_peg_repose *a, int i, int side, double gradient[6]);

#endif
