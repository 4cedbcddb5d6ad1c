/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_opening.c - joints that come apart because their bodies turn too far in one step
 *
 * Problem  Rows of a joint are those of the start of a step. A body that turns by an angle a takes the joint a^2/2 of its
 *          arm off the place that the rows meant. The next step pulls it back, and works on all that hangs there. Where
 *          bodies turn by half a radian in each step that tears joints open and makes energy out of nothing, while all
 *          laws of every step hold: they are those of the rows. A rotor does the same to the axis of its hinge, about
 *          which it nutates.
 * Method   The true error at the end of a step, less what its rows lead to, as a part of the arm, or as an angle. Above MOST the step
 *          counts as not solved and is halved: so is the angle, and the part falls by four. The shortest part that there
 *          may be is taken as it is; the certificate tells the error.
 * Valid    Errors that are there already, or that joints which contradict each other keep, do not count: no division
 *          helps with them. Steppers whose joints are not rows of the start pose choose their parts themselves. */
#include "problem/rows.h"
#include "stage/stepper.h"
#include "model/coupling.h"
#include "stage/frame.h"
#include "stage/update/update.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Opening of a joint, as a part of its arm, up to which a step may leave it open: a turn of 8 degrees makes it.
 * Half: work +14 %; double: work +1 %. */
#define MOST 0.01

/* As the rows take it: dynamic bodies at the start of the step, others at its end. */
static pp_joint_side start_side(const pp_frame *f, int slot) {
    bool moves = slot >= 0 && f->control.block[slot] >= 0;
    return pp_side(f->w, moves ? f->s0 : f->s1, slot, f->control.block);
}

/* From the centre of mass of a body that moves to the joint, the longest; at least so much that rounding is no part of
 * it. */
static double arm_of(const perp_joint_def *d, const pp_joint_side *a, const pp_joint_side *b) {
    double most = 1e-10 * (perp_v3_norm(a->X_WB.p) + perp_v3_norm(b->X_WB.p));
    if (b->block >= 0) most = fmax(most, perp_v3_norm(d->X_BJ.p));
    if (a->block < 0) return most;
    perp_vec3 at = perp_v3_add(b->X_WB.p, perp_q_rotate(b->X_WB.q, d->X_BJ.p));
    return fmax(most, fmax(perp_v3_norm(d->X_AJ.p), perp_v3_norm(perp_v3_sub(at, a->X_WB.p))));
}

/* The largest part by which joint i opens; its rows begin at `row`. */
static double opening(const pp_frame *f, int i, int row) {
    const pp_joint *j = &f->w->joint[i];
    int dim = f->w->def.dim;
    pp_joint_side a0 = start_side(f, j->a), b0 = start_side(f, j->b);
    pp_joint_side a1 = pp_side(f->w, f->s1, j->a, f->control.block), b1 = pp_side(f->w, f->s1, j->b, f->control.block);
    double phi1[6], arm = arm_of(&j->def, &a0, &b0), most = 0;
    int n = pp_joint_errors(&j->def, dim, &a1, &b1, phi1);
    for (int k = 0; k < n; k++) {
        const perp_row *r = &f->pose.problem.joint[row + k].row;
        double left = f->pose.joint_rest[row + k] + f->pose.problem.joint[row + k].b;
        double meant = f->h * (pp_row_dot(&f->pose.problem, r, f->solve.solution.nu) + left);
        double length = k < pp_joint_ntranslation(j->def.kind, dim) ? arm : 1; /* angles are parts already */
        if (length > 0) most = fmax(most, fabs(phi1[k] - meant) / length);
    }
    return most;
}

perp_status pp_check_opening(pp_frame *f) {
    perp_world *w = f->w;
    if (f->task.last_resort || f->method.jammed || !pp_start_joints(w)) return PERP_OK;
    for (int row = 0; row < f->pose.problem.njoint; row++) {
        int i = f->pose.problem.joint[row].joint;
        if (i < 0 || (row > 0 && f->pose.problem.joint[row - 1].joint == i)) continue;
        if (f->pose.problem.joint[row].kind != PERP_ROW_JOINT || pp_couples(&w->joint[i])) continue;
        double part = opening(f, i, row);
        if (!(part <= MOST))
            return pp_fail(
                w, PERP_E_SOLVE,
                "joint %d (%s) would open by %.3g of its arm at t = %g (h = %g): a body turns too far in one step", i,
                w->joint[i].name ? w->joint[i].name : "", part, f->s0->t, f->h);
    }
    return PERP_OK;
}
