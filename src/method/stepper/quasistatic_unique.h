/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quasistatic_unique.h - is the motion of a quasistatic step unique? */
#ifndef PP_QUASISTATIC_UNIQUE_H
#define PP_QUASISTATIC_UNIQUE_H

#include "stage/frame.h"

/* Degrees of freedom of the motions that the laws of a solved frame leave open; 0 if its motion is unique, -1 if memory
 * is refused. Berard's Proposition 1, extended: see the file. */
int pp_open_motions(const pp_frame *f);

#endif
