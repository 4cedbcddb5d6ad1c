/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_opening.c - detects joints that open because their bodies rotate too far in one step
 *
 * Problem  The rows of a joint belong to the start of a step. If a body rotates by an angle a, the joint error at the end is a^2/2 of its
 *          lever arm. The next step corrects it, and does work on all connected bodies. If bodies rotate by half a radian in each step,
 *          joints open and energy grows, although all laws of every step hold: the laws use these rows. A rotor does the same to
 *          the axis of its hinge, about which it nutates.
 * Method   Computes the true error at the end of a step minus the error that its rows predict, as a fraction of the lever arm or as an
 *          angle. If it exceeds MOST, the step counts as not solved and is halved. This halves the angle and divides the error by four. The
 *          shortest substep, and one in which something jams, may leave more, which the certificate reports. But if a joint opens by more
 *          than its arm and its bodies, it is torn, and the substep is refused.
 * Valid    Errors that exist already, or that contradicting joints keep, do not count, because no division removes them. Steppers whose
 *          joints are not rows of the start pose choose their substeps themselves. */
#include <math.h>

#include "problem/rows.h"
#include "stage/stepper.h"
#include "model/coupling.h"
#include "stage/frame.h"
#include "stage/update/update.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Opening of a joint, as a fraction of its lever arm, that a step may leave. A rotation of 8 degrees causes it.
 * Half: work +14 %; double: work +1 %. */
#define MOST 0.01

/* Side of the joint as in its rows: dynamic bodies at the start of the step, others at its end. */
static pp_joint_side start_side(const pp_frame *f, int slot) {
    bool moves = slot >= 0 && f->control.block[slot] >= 0;
    return pp_side(f->w, moves ? f->s0 : f->s1, slot, f->control.block);
}

/* Longest distance from the centre of mass of a moving body to the joint, but not less than the rounding of positions. */
static double arm_of(const perp_joint_def *d, const pp_joint_side *a, const pp_joint_side *b) {
    double most = 1e-10 * (perp_v3_norm(a->X_WB.p) + perp_v3_norm(b->X_WB.p));
    if (b->block >= 0) most = fmax(most, perp_v3_norm(d->X_BJ.p));
    if (a->block < 0) return most;
    perp_vec3 at = perp_v3_add(b->X_WB.p, perp_q_rotate(b->X_WB.q, d->X_BJ.p));
    return fmax(most, fmax(perp_v3_norm(d->X_AJ.p), perp_v3_norm(perp_v3_sub(at, a->X_WB.p))));
}

/* Size of a body, 0 for the world. */
static double size_of(const perp_world *w, int slot) {
    return slot >= 0 && isfinite(w->body[slot].radius) ? w->body[slot].radius : 0;
}

/* Opening of a joint. */
typedef struct gap {
    double by_arm;  /* as a fraction of its lever arm, or as an angle */
    double by_size; /* as a fraction of its bodies, if they are larger */
} gap;

/* The largest opening of joint i; its rows begin at `row`. */
static gap opening(const pp_frame *f, int i, int row) {
    const perp_world *w = f->w;
    const pp_joint *j = &w->joint[i];
    int dim = w->def.dim;
    pp_joint_side a0 = start_side(f, j->a), b0 = start_side(f, j->b);
    pp_joint_side a1 = pp_side(w, f->s1, j->a, f->control.block), b1 = pp_side(w, f->s1, j->b, f->control.block);
    double phi1[6], arm = arm_of(&j->def, &a0, &b0);
    double size = fmax(arm, fmax(size_of(w, j->a), size_of(w, j->b)));
    gap most = {0, 0};
    int n = pp_joint_errors(&j->def, dim, &a1, &b1, phi1);
    for (int k = 0; k < n; k++) {
        const perp_row *r = &f->pose.problem.joint[row + k].row;
        double left = f->pose.joint_rest[row + k] + f->pose.problem.joint[row + k].b;
        double meant = f->h * (pp_row_dot(&f->pose.problem, r, f->solve.solution.nu) + left);
        bool angle = k >= pp_joint_ntranslation(j->def.kind, dim); /* angles are relative already */
        double by = fabs(phi1[k] - meant);
        if (angle || arm > 0) most.by_arm = fmax(most.by_arm, by / (angle ? 1 : arm));
        if (angle || size > 0) most.by_size = fmax(most.by_size, by / (angle ? 1 : size));
        if (isnan(by)) return (gap){INFINITY, INFINITY};
    }
    return most;
}

static perp_status fail(const pp_frame *f, int i, double by_arm) {
    perp_world *w = f->w;
    return pp_fail(w, PERP_E_SOLVE,
                   "joint %d (%s) would open by %.3g of its arm at t = %g (h = %g): a body turns too far in one step",
                   i, w->joint[i].name ? w->joint[i].name : "", by_arm, f->s0->t, f->h);
}

perp_status pp_check_opening(pp_frame *f) {
    perp_world *w = f->w;
    f->update.torn = false;
    if (!pp_start_joints(w)) return PERP_OK;
    for (int row = 0; row < f->pose.problem.njoint; row++) {
        int i = f->pose.problem.joint[row].joint;
        if (i < 0 || (row > 0 && f->pose.problem.joint[row - 1].joint == i)) continue;
        if (f->pose.problem.joint[row].kind != PERP_ROW_JOINT || pp_couples(&w->joint[i])) continue;
        gap g = opening(f, i, row);
        if (!(f->task.last_resort || f->method.jammed) && g.by_arm > MOST) return fail(f, i, g.by_arm);
        if (!(g.by_size > 1) || f->update.torn) continue;
        f->update.torn = true;
        f->update.torn_joint = i;
        f->update.torn_by = g.by_arm;
    }
    return PERP_OK;
}

perp_status pp_check_torn(const pp_frame *f) {
    return f->update.torn ? fail(f, f->update.torn_joint, f->update.torn_by) : PERP_OK;
}
