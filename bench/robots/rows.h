/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rows.h - what perp.c and mujoco.c have in common: the course of a run, and its output.
 *
 * A run lasts DURATION from keyframe 0. "hold": ctrl stays as the keyframe has it. "move": each ctrl swings about it, with AMPLITUDE and a phase of its own. The last
 * half of the run is timed, by the processor time of the steps alone. Every EVERY steps the frames of all sites are written, so that creep and overlap can be
 * measured outside both engines (measure.mjs):
 *     site NAME X Y Z ZX ZY ZZ     position and z axis
 *     at T                         ends the rows of a time
 *     steps N seconds S            the timed steps */
#ifndef ROBOTS_ROWS_H
#define ROBOTS_ROWS_H

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DURATION  4.0
#define EVERY     5
#define AMPLITUDE 0.15
#define PERIOD    1.0

/* Processor time [s], to a microsecond; sums over a thousand steps are exact enough. */
static double processor(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double swing(int moves, int actuator, double t) {
    return moves ? AMPLITUDE * sin(6.283185307179586 * t / PERIOD + actuator) : 0;
}

#endif
