/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contradict.h - what finders and checkers of contradictions share. */
#ifndef PP_CONTRADICT_H
#define PP_CONTRADICT_H

#include "perp/contradiction.h"

/* What the multiplier of row k may be: 1: >= 0, -1: <= 0, 0: nothing but 0, 2: any. */
int pp_multiplier_sign(const perp_problem *p, int k);

#endif
