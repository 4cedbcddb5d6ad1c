/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* contradict.h - shared by the search for and the check of infeasibility certificates. */
#ifndef PP_CONTRADICT_H
#define PP_CONTRADICT_H

#include "perp/contradiction.h"

/* Allowed sign of the multiplier of row k: 1: >= 0, -1: <= 0, 0: only 0, 2: any. */
int pp_multiplier_sign(const perp_problem *p, int k);

#endif
