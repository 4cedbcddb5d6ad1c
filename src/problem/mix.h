/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mix.h - Anderson acceleration of the fixed-point iteration x = g(x) of joint rows. */
#ifndef PP_MIX_H
#define PP_MIX_H

#include "base/memory.h"
#include "perp/step.h"

#define PP_MIXED_ROUNDS 6
typedef struct pp_mix {
    int n, rounds;
    double *value[PP_MIXED_ROUNDS], *miss[PP_MIXED_ROUNDS], *basis[PP_MIXED_ROUNDS], *weight;
} pp_mix;
/* Room for n rows; false if memory is refused. */
bool pp_mix_new(pp_arena *a, int n, pp_mix *s);
/* Weights of the rows, by the joint rows of the problem. */
void pp_mix_weigh(pp_mix *s, const perp_step_problem *p);
/* Adds a round: its residuals, and the values with which a plain iteration would continue. mix: value becomes the accelerated one. */
void pp_mix_step(pp_mix *s, const double *miss, double *value, bool mix);

#endif
