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
                   perp_vec3 *w_end) {
    int slot = f->control.block_body[k], dim = f->w->def.dim;
    const pp_body *b = &f->w->body[slot];
    perp_vec3 om = pp_angular(dim, f->control.block_ndof[k], nu);
    bool told = true;
    if (f->control.block_ndof[k] != 6 || b->isotropic || f->task.implicit_turn) {
        pp_shift_block(f, k, from, nu, h, to);
        if (f->task.implicit_turn && f->control.block_ndof[k] == 6)
            to->X[slot].q = turned(from->X[slot].q, perp_v3_axpy(perp_v3_scale(h / f->h, f->control.bend[k]), h, om));
    } else {
        perp_quat q = from->X[slot].q;
        pp_budget_turn(f->w, b, h, om);
        told = w_end ? perp_rotate_free(b->I_B, h, &q, &om) : pp_turn_free(b->I_B, h, &q, om);
        to->X[slot] = (perp_pose){perp_v3_axpy(from->X[slot].p, h, pp_linear(dim, nu)), q};
    }
    if (w_end) *w_end = om;
    return told;
}
