/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_method.h - further output of contact models and steppers (src/method) beside contacts, problem and solution:
 * data for the certificate and the ledger, and advice for the division of the step. No stage writes it, except
 * pp_solve_jammed() on behalf of models that have no fallback of their own. */
#ifndef PP_FRAME_METHOD_H
#define PP_FRAME_METHOD_H

#include "perp/math.h"

struct pp_frame;

typedef struct pp_frame_method {
    bool no_inertia; /* masses are not those of the bodies: kinetic energies have no meaning */
    /* no row requires a contact to open, whatever its gap (pp_pose_options.no_lift): penetration may stay */
    bool jammed;
    /* it was posed in a way that is allowed only if no shorter substep is tried (frame_task.h: last_resort) */
    bool last_way;
    int ambiguous; /* number of degrees of freedom that the laws leave undetermined */

    /* Contacts at the end. */
    const double *true_gap; /* by contact: gap at the end, measured; NULL: as linearised */
    const perp_vec3 *layer; /* by contact: deflection of its compliant layer at the end, in W; NULL: none has one [L] */
    /* By contact: deflection of its surfaces at the end by the law of the pair, from the impulse found; 0: rigid. NULL:
     * no contact is compliant [L]. */
    const double *yield;
    /* How the model "peg" posed the contacts of the solution: at the end poses; with gaps linearised at the start. Used
     * to pose them again (method/peg/peg_repose.h). */
    bool posed_at_end, posed_linear;

    /* Steppers with springs in contacts and joints: the work of the springs in the entries of the ledger, from the
     * impulses. Their energy at the end is s1->elastic_energy. */
    struct {
        double normal, friction, joint, limit;
        double before; /* their energy at the start, if no substep ended there: the poses were set */
    } elastic;

    /* Steppers with several kicks. */
    struct pp_frame *const *kick; /* nkick frames of the step, for the ledger; NULL: this one alone */
    int nkick;
    /* ndof: impulses of joint springs that have no row, with and without their dampers; NULL: none */
    double *i_joint, *i_elastic;
} pp_frame_method;

/* Advice to the code that divides the step (step/step.c). */
typedef struct pp_frame_advice {
    bool shorter_step_useless; /* a shorter step would fail as well */
    bool blocked;              /* perhaps: the laws had no solution, and a driven body touched another at the start */
    /* with PERP_E_SOLVE, for a stepper that marches: the length that this substep should have; 0: half [T] */
    double shorter;
    double next; /* for a stepper that marches: the length that the next substep should have; 0: all that is left [T] */
} pp_frame_advice;

#endif
