/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* slide.h - friction of a cube that slides flat on a board. */
#ifndef STUDY_SLIDE_H
#define STUDY_SLIDE_H

#include "tosses.h"

typedef struct slide_figures {
    int toss, rows;
    double mu;    /* deceleration over g */
    double speed; /* in the middle of the stretch [m/s] */
} slide_figures;

/* Stretches in which the cube lies flat on the board and slides, at least SLIDE_ROWS rows long. out has room for max;
 * returns the number of all. */
enum { SLIDE_ROWS = 8 };
int slide_measure(const toss_set *s, const cube *c, slide_figures *out, int max);

#endif
