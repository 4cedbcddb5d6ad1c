/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_method.h - what contact models and steppers (src/method) give beside contacts, problem and answer: facts for the certificate and
 * the ledger, and advice for the step that divides time. No stage writes it, but for pp_solve_jammed(), which acts for models that
 * have no way out of their own. */
#ifndef PP_FRAME_METHOD_H
#define PP_FRAME_METHOD_H

#include "perp/math.h"

struct pp_frame;

typedef struct pp_frame_method {
    bool no_inertia; /* masses are not those of the bodies: kinetic energies mean nothing */
    bool jammed;     /* the rows ask nothing to open, whatever its gap (pp_pose_options.no_lift): overlap may stay */
    int ambiguous;   /* degrees of freedom that the laws leave open */

    /* Contacts at the end. */
    const double *true_gap; /* by contact: gap at the end, measured; NULL: as linearised */
    const perp_vec3 *layer; /* by contact: deflection of its compliant layer at the end, in W; NULL: none has one [L] */
    /* By contact: how far its surfaces give way at the end by the law of the pair, from the impulse found; 0: rigid. NULL:
     * nothing gives way [L]. */
    const double *yield;
    /* How contacts of the answer were posed, by the model "peg": at the end poses; with gaps linearised at the start. For who
     * poses them again (method/peg/peg_repose.h). */
    bool posed_at_end, posed_linear;

    /* Steppers with springs in contacts and joints: the work of these in the entries of the ledger, from the impulses. What they hold
     * at the end is s1->stored. */
    struct {
        double normal, friction, joint, limit;
        double before; /* what they held at the start, if no part ended there: poses that were set */
    } elastic;

    /* Steppers of several kicks. */
    struct pp_frame *const *kick; /* nkick frames that the step is made of, for the ledger; NULL: this one alone */
    int nkick;
    /* ndof: impulses of joint springs that no row stands for, without their dampers; NULL: none */
    double *i_joint, *i_elastic;
} pp_frame_method;

/* Advice to the code that divides the step (step/step.c). */
typedef struct pp_frame_advice {
    bool hopeless;  /* a shorter step would fail as well */
    bool blocked;   /* it may: the laws had no answer, and a driven body touched another at the start */
    double shorter; /* with PERP_E_SOLVE, of a stepper that marches: the length this part should have; 0: half [T] */
    double next;    /* of a stepper that marches: how long the part after this one should be; 0: all that is left [T] */
} pp_frame_advice;

#endif
