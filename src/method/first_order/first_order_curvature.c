/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* first_order_curvature.c - dJ/dt nu: change of the velocity of a joint row because the row rotates
 * Method   Central difference of the rows at poses a thousandth of a step before and after the start, along the velocity there.
 * Source   Drumwright (29), (50): the rate of a constraint at the end of a step, d phi/dt + h (G dv/dt + dG/dt v). */
#include "problem/rows.h"
#include "method/first_order/first_order.h"
#include "stage/control/control.h"

/* Adds sign * J nu0 of all joint rows, with the bodies moved by nu0 over dt, in the order of f->pose.problem.joint. */
static void row_velocities(const pp_frame *f, double dt, pp_state *moved, perp_joint_row *row, double sign,
                           double *out) {
    const perp_world *w = f->w;
    for (int k = 0; k < f->control.nblock; k++)
        pp_shift_block(f, k, f->s0, f->control.nu0 + f->control.block_offset[k], dt, moved);
    for (int i = 0, n = 0; i < w->njoint; i++) {
        const pp_joint *j = &w->joint[i];
        if (!pp_alive(j->gen)) continue;
        pp_joint_side a = pp_side(w, moved, j->a, f->control.block), b = pp_side(w, moved, j->b, f->control.block);
        if (a.block < 0 && b.block < 0) continue;
        double coord[PERP_JOINT_MAX_COORD];
        pp_joint_coords(&j->def, w->def.dim, &a, &b, f->s0->coord[i], coord);
        int rows = pp_joint_rows(&j->def, w->def.dim, &a, &b, coord, f->h, INFINITY, row);
        for (int r = 0; r < rows; r++) out[n++] += sign * pp_row_dot(&f->pose.problem, &row[r].row, f->control.nu0);
    }
}

perp_status pp_row_curvature(const pp_frame *f, double *out) {
    perp_world *w = f->w;
    pp_state moved;
    perp_joint_row *row = PP_ARENA_ARRAY(&w->arena, perp_joint_row, PP_JOINT_MAX_ROWS);
    perp_status st = row ? pp_state_new(w, &moved) : pp_fail(w, PERP_E_MEMORY, "out of memory for the joints");
    if (st) return st;
    double dt = 1e-3 * f->h;
    pp_state_copy(w, &moved, f->s1); /* kinematic bodies are at the end of the step */
    for (int i = 0; i < f->pose.problem.njoint; i++) out[i] = 0;
    row_velocities(f, dt, &moved, row, 1, out);
    row_velocities(f, -dt, &moved, row, -1, out);
    for (int i = 0; i < f->pose.problem.njoint; i++) out[i] /= 2 * dt;
    return PERP_OK;
}
