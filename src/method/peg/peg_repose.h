/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* peg_repose.h - contacts of a step that the model "peg" has settled, posed once more at other poses: for src/tangent. */
#ifndef PP_PEG_REPOSE_H
#define PP_PEG_REPOSE_H

#include "method/peg/peg.h"

/* One contact at the end poses. */
typedef struct pp_end_touch {
    pp_touch at;
    bool gap_holds; /* its law is about the gap there; else about a velocity, or the gap linearised at the start */
} pp_end_touch;

/* The contacts to be posed. Everything lies in the arena of the world. */
typedef struct pp_peg_repose {
    pp_peg_work k;
    pp_placed *placed; /* nplaced of them, where they stand for the friction of the last time */
    int nplaced;
    const int *row;    /* n contacts of the frame that was solved */
    int n, *pair;      /* by those: pair in pp_peg */
    pp_end_touch *end; /* by those: of the last time */
    double *allowance; /* by those; NULL: none */
    bool linear;
} pp_peg_repose;

/* f: the solved frame, the last that its world solved. row: borrowed. PERP_E_MEMORY */
perp_status pp_peg_again_new(pp_frame *f, const int *row, int n, pp_peg_repose *out);
/* Contacts of frame g, which has been through pp_control(), on the same features: f->contacts, with
 * gaps at the end that velocity nu leads to. PERP_E_FIT: a contact of a curved pair is not there. */
perp_status pp_peg_pose_again(pp_peg_repose *a, pp_frame *g, const double *nu);
/* Derivative of the gap of contact i (of n) at the end poses of the last time, by the pose of the body of its shape A (side
 * 0) or B (1): by a translation of its origin and by a rotation vector, in W. */
void pp_peg_end_gradient(pp_peg_repose *a, int i, int side, double gradient[6]);

#endif
