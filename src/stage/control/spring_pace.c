/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* spring_pace.c - detects springs and dampers that are too stiff for the step
 *
 * Problem  A spring between points has the force of the start of the step. Along its line, with inverse mass w, this is stable while
 *          h^2 k w + 2 h c w <= 4 (the eigenvalues of the step's map lie in the unit circle). Beyond that the spring overshoots more in each
 *          step: a damper of 20 N s/m on a block of 30 g accelerates it without bound at 10 ms, although all laws hold.
 * Turning  A spring that pulls with F at the lever arm r rotates its body like a pendulum, even if it is soft: for a rotation a its energy
 *          changes by a'Ha/2, H = F.r 1 - (F r' + r F')/2. So h^2 times the largest eigenvalue of I^-1 H is added; it is bounded by the root
 *          of the sum of squares of the eigenvalues. For a needle at a spring that is stretched far, this term exceeds that of k.
 * Method   Computes this number for each spring, and adds the numbers of all springs of a body, as the stiffness of a chain is
 *          bounded by that of its links. Above 4 the step counts as not solved and is halved: this halves the term of the damper and
 *          divides that of the spring by four. The shortest substep is accepted in any case.
 * Valid    All steppers use these forces at the start of the step, half kicks at both ends, with the same limit. Without inertia there is
 *          no limit. The stiffness across the line, F divided by the length of the spring, is left out: it is smaller than k if the
 *          spring pulls, and causes no oscillation if it pushes. */
#include <math.h>

#include "stage/stepper.h"
#include "stage/frame.h"
#include "stage/control/control.h"

/* [1] Largest h^2 k w + 2 h c w of the springs of two bodies: the stability limit of a force of the start of the step. */
#define MOST 4

/* Speed that an impulse of 1 along d, at r from the centre of mass, gives to its point. */
static double mobility(const pp_frame *f, int slot, perp_vec3 r, perp_vec3 d) {
    int blk = slot < 0 ? -1 : f->control.block[slot];
    if (blk < 0) return 0;
    int nd = f->control.block_ndof[blk], dim = f->w->def.dim;
    perp_vec3 m = perp_v3_cross(r, d);
    const double J[6] = {d.x, d.y, dim == 2 ? m.z : d.z, m.x, m.y, m.z}, *Minv = f->control.Minv + 36 * blk;
    double sum = 0;
    for (int i = 0; i < nd; i++)
        for (int k = 0; k < nd; k++) sum += J[i] * Minv[6 * k + i] * J[k];
    return sum;
}

/* Root of the sum of squares of the eigenvalues of I^-1 H, for a body with the force F at r from its centre of mass
 * [1/T^2]. */
static double turning(const pp_frame *f, int slot, perp_vec3 r, perp_vec3 F) {
    int blk = slot < 0 ? -1 : f->control.block[slot];
    double along = perp_v3_dot(F, r), sum = 0;
    if (blk < 0) return 0;
    const double *Minv = f->control.Minv + 36 * blk;
    if (f->w->def.dim == 2) return f->control.block_ndof[blk] == 3 ? fabs(along) * Minv[14] : 0;
    if (f->control.block_ndof[blk] != 6) return 0;
    const double Fs[3] = {F.x, F.y, F.z}, rs[3] = {r.x, r.y, r.z};
    double A[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                A[i][j] += Minv[6 * (k + 3) + i + 3] * ((k == j ? along : 0) - 0.5 * (Fs[k] * rs[j] + rs[k] * Fs[j]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += A[i][j] * A[j][i];
    return sqrt(fmax(0, sum)); /* I^-1 H is similar to a symmetric matrix, so the trace of its square is not negative */
}

/* The number of a spring for each of its two bodies; their sum is compared with MOST. */
static void asked_by(const pp_frame *f, const pp_force *e, double ask[2]) {
    int slot[2] = {e->a, e->b}, dim = f->w->def.dim;
    pp_joint_side a = pp_side(f->w, f->s0, e->a, NULL), b = pp_side(f->w, f->s0, e->b, NULL);
    perp_vec3 r[2] = {perp_q_rotate(a.X_WB.q, e->def.point_A), perp_q_rotate(b.X_WB.q, e->def.point_B)};
    perp_vec3 u = perp_v3_unit(perp_v3_sub(perp_v3_add(b.X_WB.p, r[1]), perp_v3_add(a.X_WB.p, r[0])));
    const perp_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double h = f->h;
    perp_vec3 F = pp_spring_at(f->w, f->s0, e).force; /* on B */
    for (int s = 0; s < 2; s++) {
        double any = 0; /* drag acts in every direction */
        for (int i = 0; i < dim && e->def.drag > 0; i++) any = fmax(any, mobility(f, slot[s], r[s], axis[i]));
        ask[s] = (h * h * e->def.stiffness + 2 * h * e->def.damping) * mobility(f, slot[s], r[s], u) +
                 2 * h * e->def.drag * any + h * h * turning(f, slot[s], r[s], s ? F : perp_v3_neg(F));
    }
}

perp_status pp_check_springs(pp_frame *f) {
    perp_world *w = f->w;
    if (f->purpose != PP_STEP || f->task.last_resort || w->chosen.stepper->own.no_inertia || w->nforce == 0)
        return PERP_OK;
    double *of = PP_ARENA_ZERO(&w->arena, double, w->nbody), ask[2];
    if (!of) return pp_fail(w, PERP_E_MEMORY, "out of memory for forces");
    for (int turn = 0; turn < 2; turn++) /* first add, then compare */
        for (int i = 0; i < w->nforce; i++) {
            const pp_force *e = &w->force[i];
            if (!pp_alive(e->gen) || e->def.kind != PERP_FORCE_SPRING) continue;
            if (turn == 0) {
                asked_by(f, e, ask);
                if (e->a >= 0) of[e->a] += ask[0];
                of[e->b] += ask[1];
                continue;
            }
            double sum = (e->a >= 0 ? of[e->a] : 0) + of[e->b];
            if (sum > MOST)
                return pp_fail(w, PERP_E_SOLVE,
                               "spring %d is too stiff for its bodies at t = %g (h = %g): it would gain energy", i,
                               f->s0->t, f->h);
        }
    return PERP_OK;
}
