/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rows.h - operations with a constraint row: w = J nu, and nu += Minv J' p; and sets of blocks connected by rows. */
#ifndef PP_ROWS_H
#define PP_ROWS_H

#include "base/sets.h"
#include "perp/step.h"

/* sum + J x of one block, from left to right; nd is a constant. */
static inline __attribute__((always_inline)) double pp_row_add_dot(int nd, const double *J, const double *x,
                                                                   double sum) {
#pragma GCC unroll 6
    for (int c = 0; c < nd; c++) sum += J[c] * x[c];
    return sum;
}

/* J nu */
static inline double pp_row_dot(const perp_step_problem *s, const perp_row *row, const double *nu) {
    double sum = 0;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            if (b < 0) continue;
            const double *x = nu + s->block_offset[b];
            int nd = s->block_ndof[b];
            if (nd == 6) /* a body of space */
                sum = pp_row_add_dot(6, row->J[k], x, sum);
            else if (nd == 3) /* of the plane */
                sum = pp_row_add_dot(3, row->J[k], x, sum);
            else
                for (int c = 0; c < nd; c++) sum += row->J[k][c] * x[c];
        }
    return sum;
}

/* Whether the row acts on two bodies of space and has no list, as most rows of joints. */
static inline bool pp_row_in_space(const perp_step_problem *s, const perp_row *row) {
    const int a = row->block[0], b = row->block[1];
    return a >= 0 && b >= 0 && !row->more && s->block_ndof[a] == 6 && s->block_ndof[b] == 6;
}

/* pp_row_dot() of such a row. */
static inline double pp_row_dot_in_space(const perp_step_problem *s, const perp_row *row, const double *nu) {
    double sum = pp_row_add_dot(6, row->J[0], nu + s->block_offset[row->block[0]], 0);
    return pp_row_add_dot(6, row->J[1], nu + s->block_offset[row->block[1]], sum);
}

/* J nu for two velocities at once, each as by pp_row_dot(). */
static inline void pp_row_dot_both(const perp_step_problem *s, const perp_row *row, const double *nu_a,
                                   const double *nu_b, double *a, double *b) {
    double sum_a = 0, sum_b = 0;
    if (pp_row_in_space(s, row)) {
        *a = pp_row_dot_in_space(s, row, nu_a);
        *b = pp_row_dot_in_space(s, row, nu_b);
        return;
    }
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int block = row->block[k];
            if (block < 0) continue;
            const double *J = row->J[k], *x = nu_a + s->block_offset[block], *y = nu_b + s->block_offset[block];
            int nd = s->block_ndof[block];
            if (nd == 6) {
                sum_a = pp_row_add_dot(6, J, x, sum_a), sum_b = pp_row_add_dot(6, J, y, sum_b);
            } else if (nd == 3) {
                sum_a = pp_row_add_dot(3, J, x, sum_a), sum_b = pp_row_add_dot(3, J, y, sum_b);
            } else {
                for (int c = 0; c < nd; c++) sum_a += J[c] * x[c], sum_b += J[c] * y[c];
            }
        }
    *a = sum_a;
    *b = sum_b;
}

/* x += J' p of one block; nd is a constant. */
static inline __attribute__((always_inline)) void pp_block_push_of(int nd, const double *J, double p,
                                                                   double *restrict x) {
#pragma GCC unroll 6
    for (int c = 0; c < nd; c++) x[c] += J[c] * p;
}

/* x += J' p of one block. */
static inline void pp_block_push(int nd, const double *J, double p, double *x) {
    if (nd == 6)
        pp_block_push_of(6, J, p, x);
    else if (nd == 3)
        pp_block_push_of(3, J, p, x);
    else
        for (int c = 0; c < nd; c++) x[c] += J[c] * p;
}

/* y = B x of one block, B by columns with leading dimension 6; y may be x. */
void pp_block_times(int nd, const double *B, const double *x, double *y);

/* momentum += J' p */
static inline void pp_row_push(const perp_step_problem *s, const perp_row *row, double p, double *momentum) {
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            if (b < 0) continue;
            pp_block_push(s->block_ndof[b], row->J[k], p, momentum + s->block_offset[b]);
        }
}

/* nu += Minv J' p */
void pp_row_spread(const perp_step_problem *s, const perp_row *row, double p, double *nu);

/* Rows of friction: k = 0, 1 along t and o, 2 about n (spin), 3 and 4 about t and o (rolling). */
#define PP_FRICTION_ROWS (PERP_CONE_ROWS - 1)
static inline const perp_row *pp_friction_row(const perp_contact_row *c, int k) {
    return k == 0 ? &c->t : k == 1 ? &c->o : k == 2 ? &c->r : &c->roll[k - 3];
}
static inline double pp_friction_b(const perp_contact_row *c, int k) {
    return k == 0 ? c->b_t : k == 1 ? c->b_o : k == 2 ? c->b_r : c->b_roll[k - 3];
}
static inline double pp_friction_compliance(const perp_contact_row *c, int k) { return k < 2 ? c->compliance_f : 0; }
/* Impulse of contact i along friction row k. */
static inline double *pp_friction_impulse(const perp_step_solution *s, int i, int k) {
    return k < 2    ? s->p_contact + 3 * (ptrdiff_t)i + 1 + k
           : k == 2 ? s->p_spin + i
                    : s->p_roll + 2 * (ptrdiff_t)i + k - 3;
}
/* Does friction resist rotation along row k >= 2? */
static inline bool pp_friction_turns(const perp_contact_row *c, int k) { return (k == 2 ? c->e_r : c->e_roll) > 0; }

/* Axes of the friction ellipsoid along its rows: all 1, 1, 0, 0, 0 but for cones in 3D that say otherwise. */
static inline void pp_friction_axes(const perp_contact_row *c, double e[PP_FRICTION_ROWS]) {
    e[0] = c->e_t > 0 ? c->e_t : 1;
    e[1] = c->nd == 2 ? 0 : c->e_o > 0 ? c->e_o : 1; /* two directions: a line along t */
    e[2] = c->e_r > 0 ? c->e_r : 0;
    e[3] = e[4] = c->e_roll > 0 ? c->e_roll : 0;
}

/* Whether friction of the contact is a circular disc without torsion. */
static inline bool pp_friction_round(const perp_contact_row *c) {
    return c->nd != 2 && !(c->e_r > 0) && !(c->e_roll > 0) && (!(c->e_t > 0) || c->e_t == 1) &&
           (!(c->e_o > 0) || c->e_o == 1);
}

/* J Minv J': the effective inverse mass of the row. */
double pp_row_inverse_mass(const perp_step_problem *s, const perp_row *row);

/* A block that the row touches; -1: it touches none. */
static inline int pp_row_some_block(const perp_row *row) {
    for (; row; row = row->more)
        if (row->block[0] >= 0 || row->block[1] >= 0) return row->block[0] >= 0 ? row->block[0] : row->block[1];
    return -1;
}

/* Joins the sets of all blocks of the row; see base/sets.h. */
static inline void pp_row_join(int *parent, const perp_row *row) {
    int first = -1;
    for (; row; row = row->more)
        for (int k = 0; k < 2; k++) {
            int b = row->block[k];
            if (b < 0) continue;
            if (first >= 0)
                pp_sets_join(parent, first, b);
            else
                first = b;
        }
}

/* Whether two rows without lists touch the same blocks, as the rows of one joint do. */
static inline bool pp_row_same_blocks(const perp_row *a, const perp_row *b) {
    return a->block[0] == b->block[0] && a->block[1] == b->block[1] && !a->more && !b->more;
}

/* Whether this is the only block of its row, so that a fixed or driven body is on the other side. side: 0 or 1, the side with a block. For a
 * row with a list the result is false, because it acts between the joints that it couples. */
static inline bool pp_row_holds(const perp_row *row, int side) {
    return !row->more && row->block[side] >= 0 && row->block[!side] < 0;
}

#endif
