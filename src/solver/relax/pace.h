/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pace.h - constants shared by the loops of relaxation methods: detection of stalls, extrapolation of sweeps */
#ifndef PP_PACE_H
#define PP_PACE_H

/* Constants of stalls: if the residual has not decreased to PP_STALLED of its value a window ago, steps are too long or
 * no further progress is possible. */

/* [sweeps] Length of a window of Gauss-Seidel. */
#define PP_STALL_WINDOW 100
/* [1] Sweeps have stalled if the residual exceeds this fraction of that a window ago. */
#define PP_STALLED 0.9
/* [1] If the cosine of two successive changes is below this, they oscillate, and stalled steps are shortened. */
#define PP_ALONG 0.5
/* [1] Factor by which stalled steps are shortened. */
#define PP_SHORTER 0.7

/* Constants of jumps, the extrapolation of sweeps that converge slowly along a line (Aitken). */

/* [sweeps] Smallest number of sweeps between two jumps. */
#define PP_JUMP_REST 8
/* [1] Smallest cosine of two successive changes for a jump. */
#define PP_JUMP_ALIGNED 0.99
/* [1] Smallest ratio of two successive changes for a jump: faster sweeps need none. */
#define PP_JUMP_SLOW 0.7
/* [1] Longest jump, in units of the last change. */
#define PP_JUMP_LONGEST 1e4
/* [sweeps] Number of sweeps after which a jump is checked. */
#define PP_JUMP_JUDGED 5
/* [1] A jump is rejected if the changes grow by this factor. */
#define PP_JUMP_WORSE 2
/* [1] Factor of the length of later jumps after an accepted one; a rejected one cancels two of them. */
#define PP_JUMP_GROW 2

/* Constants of bounds and refreshing. */

/* [iterations] Power iterations that estimate the largest eigenvalue. */
#define PP_POWER_STEPS 16
/* [1] Safety factor of this estimate, which is a lower bound. */
#define PP_POWER_SAFE 1.1
/* [sweeps] Number of sweeps after which incrementally updated velocities are recomputed, because of rounding. */
#define PP_REFRESH 64

#endif
