/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quasistatic_unique.h - checks whether the motion of a quasistatic step is unique. */
#ifndef PP_QUASISTATIC_UNIQUE_H
#define PP_QUASISTATIC_UNIQUE_H

#include "stage/frame.h"

/* Number of degrees of freedom that the laws of a solved frame leave undetermined; 0 if its motion is unique, -1 if out
 * of memory. Berard's Proposition 1, extended: see quasistatic_unique.c. */
int pp_undetermined_motions(const pp_frame *f);

#endif
