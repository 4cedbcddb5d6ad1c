/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pace.h - numbers that the loops of relaxation methods have in common: when sweeps stall, how far they are extrapolated */
#ifndef PP_PACE_H
#define PP_PACE_H

/* Constants of stalls: if the residual has not fallen below PP_STALLED of what it was a window ago, steps are too long or there is
 * nothing more to win. */

/* [sweeps] Length of a window of Gauss-Seidel. */
#define PP_STALL_WINDOW 100
/* [1] Part of the residual of a window ago above which sweeps have stalled. */
#define PP_STALLED 0.9
/* [1] Cosine of two changes in a row up to which they turn each other round, so that stalled steps are shortened. */
#define PP_ALONG 0.5
/* [1] Factor by which stalled steps are shortened. */
#define PP_SHORTER 0.7

/* Constants of jumps, the extrapolation of sweeps that converge slowly along a line (Aitken). */

/* [sweeps] Least number of sweeps between two jumps. */
#define PP_JUMP_REST 8
/* [1] Least cosine of two changes in a row for a jump. */
#define PP_JUMP_ALIGNED 0.99
/* [1] Least ratio of two changes in a row for a jump: quicker sweeps need none. */
#define PP_JUMP_SLOW 0.7
/* [1] Longest jump, in units of the last change. */
#define PP_JUMP_LONGEST 1e4
/* [sweeps] Number of sweeps after which a jump is judged. */
#define PP_JUMP_JUDGED 5
/* [1] Growth of the changes at which a jump is taken back. */
#define PP_JUMP_WORSE 2
/* [1] Factor of the length of later jumps after one that was kept; one that was taken back undoes two of them. */
#define PP_JUMP_GROW 2

/* Constants of bounds and refreshing. */

/* [iterations] Power iterations that estimate the largest eigenvalue. */
#define PP_POWER_STEPS 16
/* [1] Factor by which that estimate is raised, since it is a lower bound. */
#define PP_POWER_SAFE 1.1
/* [sweeps] Number of sweeps after which velocities that are kept up to date are computed anew: they drift by rounding. */
#define PP_REFRESH 64

#endif
