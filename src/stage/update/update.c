/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* update.c - stage 6: velocity -> next state
 *   x+ = x + h v,   (q+, w+) = torque-free rotation of (q, w) over h
 * with the velocity (v, w) after the impulses at the start pose. The free rotation conserves energy and momentum, and is of fourth order or
 * exact. In 2D and for spheres it is a rotation by h w, and w is constant. */
#include <string.h>

#include "model/coupling.h"
#include "stage/frame.h"
#include "stage/control/control.h"
#include "stage/update/update.h"

/* Marks blocks on which a constraint impulse acted. */
static void mark_pushed(const pp_frame *f, bool *pushed) {
    const perp_step_problem *p = &f->pose.problem;
    for (int i = 0; i < p->njoint; i++)
        for (const perp_row *row = &p->joint[i].row; row; row = row->more)
            for (int k = 0; k < 2; k++)
                if (row->block[k] >= 0) pushed[row->block[k]] = true;
    for (int i = 0; i < p->ncontact; i++) {
        const double *P = f->solve.solution.p_contact + 3 * i;
        if (P[0] == 0 && P[1] == 0 && P[2] == 0) continue;
        for (int k = 0; k < 2; k++)
            if (p->contact[i].n.block[k] >= 0) pushed[p->contact[i].n.block[k]] = true;
    }
}

/* Is there no torque on block k? Then the result of the free rotation itself is used, which conserves to the last
 * digit. */
static bool turns_freely(const pp_frame *f, int k) {
    int at = f->control.block_offset[k];
    for (int i = at + 3; i < at + 6; i++)
        if (f->control.i_gravity[i] != 0 || f->control.i_applied[i] != 0 || f->control.i_spring[i] != 0 ||
            f->control.i_damper[i] != 0)
            return false;
    return true;
}

static void turn_freely(const pp_frame *f, int k) {
    double *nu = f->solve.solution.nu + f->control.block_offset[k];
    memcpy(nu + 3, f->control.nu0 + f->control.block_offset[k] + 3, 3 * sizeof *nu);
    if (f->task.implicit_turn)
        nu[3] = f->control.w_free[k].x, nu[4] = f->control.w_free[k].y, nu[5] = f->control.w_free[k].z;
    f->s1->X[f->control.block_body[k]].q = f->control.q_free[k];
}

/* Moves block k to the end of the step. */
static perp_status move(pp_frame *f, int k, bool pushed) {
    int slot = f->control.block_body[k], at = f->control.block_offset[k], nd = f->control.block_ndof[k];
    const double *nu = f->solve.solution.nu + at;
    bool told = pp_move_block(f, k, f->s0, nu, f->h, f->s1, &f->update.turn[k]);
    perp_vec3 om = f->update.turn[k].w_to;
    if (!told)
        return pp_fail(f->w, PERP_E_SOLVE, "body %d (%s) turns too far in one step: |w| h = %g", slot,
                       f->w->body[slot].name ? f->w->body[slot].name : "", perp_v3_norm(om) * f->h);
    if (nd == 6 && !pushed && turns_freely(f, k)) {
        turn_freely(f, k);
        om = f->control.w_free[k];
    }
    double *end = f->update.nu_turned + at;
    memcpy(end, nu, (size_t)nd * sizeof *end);
    if (nd == 6) end[3] = om.x, end[4] = om.y, end[5] = om.z;
    return PERP_OK;
}

perp_status pp_update(pp_frame *f) {
    perp_world *w = f->w;
    pp_state *s1 = f->s1;
    bool *pushed = PP_ARENA_ZERO(&w->arena, bool, f->control.nblock);
    f->update.nu_turned = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    f->update.nu_end = PP_ARENA_ARRAY(&w->arena, double, f->control.ndof);
    f->update.turn = PP_ARENA_ARRAY(&w->arena, pp_free_turn, f->control.nblock);
    if (!pushed || !f->update.nu_turned || !f->update.nu_end || !f->update.turn)
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the update");
    mark_pushed(f, pushed);
    for (int k = 0; k < f->control.nblock; k++) {
        perp_status st = move(f, k, pushed[k]);
        if (st) return st;
    }
    memcpy(f->update.nu_end, f->update.nu_turned, (size_t)f->control.ndof * sizeof *f->update.nu_end);
    perp_status held = pp_check_opening(f);
    if (held) return held;
    if (w->def.joint_correction && f->pose.problem.njoint) {
        perp_status st = pp_correct_joints(f);
        if (st) return st;
    }
    if (f->task.implicit_turn)
        memcpy(f->solve.solution.nu, f->update.nu_end, (size_t)f->control.ndof * sizeof *f->update.nu_end);
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k];
        const double *nu = f->update.nu_end + f->control.block_offset[k];
        s1->v[slot] = pp_linear(w->def.dim, nu);
        s1->w[slot] = pp_angular(w->def.dim, f->control.block_ndof[k], nu);
        if (!perp_v3_finite(s1->X[slot].p) || !perp_q_finite(s1->X[slot].q) || !perp_v3_finite(s1->v[slot]) ||
            !perp_v3_finite(s1->w[slot]))
            return pp_fail(w, PERP_E_SOLVE, "body %d (%s) would get a state that is not finite at t = %g", slot,
                           w->body[slot].name ? w->body[slot].name : "", f->s0->t + f->h);
    }
    for (int i = 0; i < w->njoint; i++) {
        if (!pp_alive(w->joint[i].gen)) continue;
        double coord[PERP_JOINT_MAX_COORD] = {0};
        pp_joint_coords_at(w, s1, f->s0, i, coord);
        memcpy(s1->coord[i], coord, sizeof coord);
    }
    s1->t = f->s0->t + f->h;
    return PERP_OK;
}

perp_status pp_update_along(pp_frame *f, const double *drift) {
    size_t size = (size_t)f->control.ndof * sizeof *drift;
    double *nu1 = PP_ARENA_ARRAY(&f->w->arena, double, f->control.ndof), *nu = f->solve.solution.nu;
    if (!nu1) return pp_fail(f->w, PERP_E_MEMORY, "out of memory for the update");
    memcpy(nu1, nu, size);
    memcpy(nu, drift, size);
    perp_status st = pp_update(f);
    memcpy(nu, nu1, size);
    if (st) return st;
    memcpy(f->update.nu_end, nu1, size);
    f->update.nu_moved = drift;
    for (int k = 0; k < f->control.nblock; k++) {
        int slot = f->control.block_body[k];
        const double *v = nu1 + f->control.block_offset[k];
        f->s1->v[slot] = pp_linear(f->w->def.dim, v);
        if (f->control.block_ndof[k] > f->w->def.dim)
            f->s1->w[slot] = pp_angular(f->w->def.dim, f->control.block_ndof[k], v);
    }
    return PERP_OK;
}
