/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* move_block.c - moves one body over a time with its velocity */
#include "math/turn_free.h"
#include "stage/frame.h"
#include "stage/control/control.h"
#include "model/budget.h"
#include "base/elementary.h"

static perp_quat turned(perp_quat q, perp_vec3 by) { return perp_q_unit(perp_q_mul(perp_q_exp(by), q)); }

void pp_shift_block(const pp_frame *f, int k, const pp_state *from, const double *nu, double h, pp_state *to) {
    int slot = f->control.block_body[k], dim = f->w->def.dim;
    perp_vec3 om = pp_angular(dim, f->control.block_ndof[k], nu);
    to->X[slot].p = perp_v3_axpy(from->X[slot].p, h, pp_linear(dim, nu));
    if (dim == 2) {
        to->theta[slot] = from->theta[slot] + h * om.z;
        double s, c;
        pp_sin_cos(to->theta[slot] / 2, &s, &c);
        to->X[slot].q = (perp_quat){c, 0, 0, s};
    } else if (f->control.block_ndof[k] == 6) {
        to->X[slot].q = turned(from->X[slot].q, perp_v3_scale(h, om));
    }
}

bool pp_move_block(const pp_frame *f, int k, const pp_state *from, const double *nu, double h, pp_state *to,
                   pp_free_turn *end) {
    int slot = f->control.block_body[k], dim = f->w->def.dim;
    const pp_body *b = &f->w->body[slot];
    perp_vec3 om = pp_angular(dim, f->control.block_ndof[k], nu);
    if (f->control.block_ndof[k] != 6 || b->isotropic || f->task.implicit_turn) {
        pp_shift_block(f, k, from, nu, h, to);
        if (f->task.implicit_turn && f->control.block_ndof[k] == 6)
            to->X[slot].q = turned(from->X[slot].q, perp_v3_axpy(perp_v3_scale(h / f->h, f->control.bend[k]), h, om));
        if (end) end->I_B = NULL, end->w_to = om;
        return true;
    }
    pp_budget_turn(f->w, b, h, om);
    to->X[slot] = (perp_pose){perp_v3_axpy(from->X[slot].p, h, pp_linear(dim, nu)), from->X[slot].q};
    if (!end) return pp_turn_free(b->I_B, h, &to->X[slot].q, om);
    pp_keep_turn(end, &b->I_B, h, &from->X[slot].q, &om);
    bool told = pp_rotate_kept(end);
    to->X[slot].q = end->to;
    return told;
}
